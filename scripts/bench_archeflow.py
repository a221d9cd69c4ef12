"""Measure `tenure archeflow extract`: how long findings take against a file of lessons.

    PYTHONPATH=src python scripts/bench_archeflow.py [FINDINGS [LESSONS]]

Half of the findings repeat a lesson, half are new. The whole command is timed, with start-up and flushes.
"""

from __future__ import annotations

import json
import os
import random
import subprocess
import sys
import tempfile
import time
from pathlib import Path

WORDS = 3000
WORDS_PER_TEXT = 9
ROUNDS = 5
NOW = "2026-04-05T00:00:00Z"


def main(findings: int = 200, lessons: int = 2000) -> None:
    """Print the time of each round and the best."""
    dice = random.Random(7)
    vocabulary = [f"word{number}" for number in range(WORDS)]
    # Common words are common in reviews too, so the draw is uneven.
    weights = [1 / (number + 10) for number in range(WORDS)]

    def text() -> str:
        return " ".join(dice.choices(vocabulary, weights, k=WORDS_PER_TEXT))

    known = [text() for _ in range(lessons)]
    said = [dice.choice(known) if number % 2 else text() for number in range(findings)]
    times = []
    for round_number in range(ROUNDS):
        with tempfile.TemporaryDirectory() as folder:
            times.append(_extract(Path(folder), known, said))
        print(f"round {round_number + 1}: {times[-1] * 1000:.0f} ms")
    print(f"{findings} findings against {lessons} lessons: best {min(times) * 1000:.0f} ms")


def _extract(project: Path, known: list[str], said: list[str]) -> float:
    memory = project / ".archeflow" / "memory"
    memory.mkdir(parents=True)
    rows = (
        {"id": f"m-{number:03d}", "ts": NOW, "run_id": "r0", "type": "pattern", "source": "guardian"}
        | {"description": text, "frequency": 1, "severity": "bug", "domain": "code", "tags": text.split()[:5]}
        | {"archetype": None, "last_seen_run": "r0", "runs_since_last_seen": 0}
        for number, text in enumerate(known, 1)
    )
    (memory / "lessons.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    findings = [{"severity": "warning", "description": text, "category": "code"} for text in said]
    event = {
        "run_id": "r1",
        "type": "review.verdict",
        "data": {"archetype": "guardian", "findings": findings},
    }
    (project / "events.jsonl").write_text(json.dumps(event) + "\n")
    started = time.perf_counter()
    subprocess.run(
        [sys.executable, "-m", "tenure", "archeflow", "extract", "events.jsonl"],
        cwd=project,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, map(os.path.abspath, sys.path)))},
        stderr=subprocess.DEVNULL,
        check=True,
    )
    return time.perf_counter() - started


if __name__ == "__main__":
    main(*map(int, sys.argv[1:3]))
