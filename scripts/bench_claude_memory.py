"""Measure what one call of the claude-memory drop-in costs, as a ratio to a bare interpreter in the same run.

    PYTHONPATH=src python scripts/bench_claude_memory.py [SOURCE…]

CPU time of whole processes, best of several rounds; further SOURCE folders (another version's `src`) are measured in
turn with the first, so that the ratios can be compared on a busy machine.
"""

from __future__ import annotations

import json
import os
import resource
import subprocess
import sys
import tempfile
from pathlib import Path

ROUNDS = 12
PROMPT = json.dumps({"prompt": "which managed queue do we use for orders"})
DRAFT = {
    "category": "decision",
    "id": "queue",
    "title": "Use managed queue for orders",
    "tags": ["orders", "queue"],
    "content": {"status": "accepted", "context": "c", "decision": "d", "rationale": ["r"]},
}


def main(sources: list[str]) -> None:
    """Print each command's ratio for each source."""
    with tempfile.TemporaryDirectory() as folder:
        project = Path(folder) / "project"
        (project / ".claude" / "memory").mkdir(parents=True)
        (project / ".archeflow" / "memory").mkdir(parents=True)
        draft = Path(folder) / ".memory-write-pending-1.json"
        target = ".claude/memory/decisions/queue.json"
        create = ["claude-memory", "write", "--action", "create", "--category", "decision", "--target", target]
        commands = {
            "write": [*create, "--input", str(draft)],
            "retrieve": ["claude-memory", "retrieve"],
            "archeflow add": ["archeflow", "add", "preference", "One bundled PR"],
        }
        best: dict[tuple[str, str], float] = {}
        for _ in range(ROUNDS):
            best["", ""] = min(best.get(("", ""), 9.0), _cpu(project, ".", "pass"))
            for source in sources:
                for name, words in commands.items():
                    draft.write_text(json.dumps(DRAFT))
                    (project / target).unlink(missing_ok=True)
                    (project / ".archeflow" / "memory" / "lessons.jsonl").unlink(missing_ok=True)
                    code = f"from tenure.__main__ import main; main({words!r})"
                    best[source, name] = min(best.get((source, name), 9.0), _cpu(project, source, code))
        bare = best.pop(("", ""))
        print(f"bare interpreter {bare * 1000:.1f} ms of CPU")
        for (source, name), found in best.items():
            print(f"{name:<14} {found / bare:5.2f}x  {source}")


def _cpu(project: Path, source: str, code: str) -> float:
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run(
        [sys.executable, "-c", code],
        cwd=project,
        env={**os.environ, "PYTHONPATH": os.path.abspath(source), "TENURE_HOME": str(project.parent / "home")},
        input=PROMPT.encode(),
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        check=True,
    )
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


if __name__ == "__main__":
    main(sys.argv[1:] or ["src"])
