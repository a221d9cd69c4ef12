"""Break each promise of docs/guarantees.md on purpose: its test must fail. `scripts/torture promises` runs this.

`scripts/data/promises.toml` says for each promise which text of the source becomes what, and which test must notice.
The edit is made in a temporary copy of the tree. A row is `noticed`, `SURVIVED` when the test passes on broken code,
or `STALE` when the text is not there exactly once any more. Names of promises choose rows.
"""

from __future__ import annotations

import os
import shlex
import shutil
import subprocess
import sys
import tempfile
import tomllib
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
ROWS = ROOT / "scripts" / "data" / "promises.toml"


def main(names: list[str]) -> int:
    """Break the promises named, or all in the table; return 1 when one survived or is stale."""
    rows = [row for row in tomllib.loads(ROWS.read_text("utf-8"))["row"] if not names or row["promise"] in names]
    with tempfile.TemporaryDirectory() as folder:
        copy = Path(folder) / "tree"
        # Links to generated folders and environments are none of the source.
        shutil.copytree(ROOT, copy, symlinks=True, ignore=shutil.ignore_patterns(".git", ".venv", ".*_cache", "*.pyc"))
        verdicts = [verdict(copy, row) for row in rows]
    print(f"{verdicts.count('noticed')} of {len(rows)} broken promises were noticed.")
    return 0 if rows and set(verdicts) == {"noticed"} else 1


def verdict(copy: Path, row: dict[str, str]) -> str:
    """Break one promise, run its test, put the source back; print and return what came of it."""
    file = copy / row["file"]
    before = file.read_text("utf-8")
    found = "STALE"
    if before.count(row["text"]) == 1:
        file.write_text(before.replace(row["text"], row["becomes"]), "utf-8")
        found = "noticed" if not passes(copy, row["test"]) else "SURVIVED"
        file.write_text(before, "utf-8")
    print(f"{row['promise']:4} {found:8} {row['test']}", flush=True)
    return found


def passes(copy: Path, test: str) -> bool:
    """Run a test of the copy against the copy; a test that is not there is an error."""
    words = [sys.executable, "-m", "pytest", "-q", "-n0", "-x", "-p", "no:cacheprovider", *shlex.split(test)]
    done = subprocess.run(
        words,
        cwd=copy,
        env={**os.environ, "PYTHONPATH": str(copy / "src"), "PYTHONDONTWRITEBYTECODE": "1"},
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode not in (0, 1):
        raise SystemExit(f"{test}: pytest ended with {done.returncode}\n{done.stdout[-2000:]}{done.stderr[-1000:]}")
    return done.returncode == 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
