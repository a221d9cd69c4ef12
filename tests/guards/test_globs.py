# ruff: noqa: E501 - a table reads better in one line
"""Patterns mean what they mean in .gitignore."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

from tenure.guards import globs

PATTERNS = [
    "gen/",
    "/gen/",
    "*.lock",
    "src/**/x.ts",
    "docs/api",
    "a?c",
    "[ab].txt",
    "**/deep",
    "x/*.py",
    "!keep.lock",
    ".env*",
]
PATHS = [
    "gen/a", "src/gen/b", "gen", "yarn.lock", "a/b.lock", "src/x.ts", "src/a/b/x.ts", "src/x.tsx", "docs/api", "docs/api/v1",
    "b/docs/api", "abc", "ac", "d/abc/e", "a.txt", "c.txt", "q/deep/r", "deep", "x/y.py", "x/z/y.py", "keep.lock", ".env",
    ".env.local", "web/.env",
]  # fmt: skip


@pytest.mark.skipif(shutil.which("git") is None, reason="needs git")
def test_every_pattern_takes_in_what_git_ignores_by_it(tmp_path: Path) -> None:
    """Issue 19: paths and exceptions are gitignore globs; git itself is asked."""
    subprocess.run(["git", "init", "-q", str(tmp_path)], check=True)
    wrong = []
    for pattern in PATTERNS:
        (tmp_path / ".gitignore").write_text(f"{pattern}\n")
        asked = "\n".join(PATHS)
        done = subprocess.run(
            ["git", "check-ignore", "--no-index", "--stdin"], cwd=tmp_path, input=asked, capture_output=True, text=True
        )
        ignored = set(done.stdout.split())
        wrong += [(pattern, path) for path in PATHS if globs.matches(path, [pattern]) is not (path in ignored)]
    assert wrong == []


def test_a_later_pattern_spares_what_an_earlier_one_took() -> None:
    """As in .gitignore."""
    assert globs.matches("yarn.lock", ["*.lock", "!keep.lock"])
    assert not globs.matches("keep.lock", ["*.lock", "!keep.lock"])


@pytest.mark.parametrize(
    ("pattern", "piece"),
    [("gen/", "gen"), ("*.lock", ".lock"), ("src/**/x.ts", "x.ts"), ("**", ""), ("[ab]cde", "cde")],
)
def test_every_path_of_a_pattern_holds_its_needle(pattern: str, piece: str) -> None:
    """The hook looks for it before it looks at the pattern."""
    assert globs.needle(pattern) in (piece, "src")
