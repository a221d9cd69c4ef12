"""Measure how long findings take against a file of lessons, in the drop-in and in the generic commands.

    PYTHONPATH=src python scripts/bench_archeflow.py [FINDINGS [LESSONS]]

Half of the findings repeat a lesson, half are new. Whole commands are timed, with start-up and flushes; the first
generic command on a folder also takes over its lessons into the companion.
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
    """Print the best time of each command."""
    dice = random.Random(7)
    vocabulary = [f"word{number}" for number in range(WORDS)]
    # Common words are common in reviews too, so the draw is uneven.
    weights = [1 / (number + 10) for number in range(WORDS)]

    def text() -> str:
        return " ".join(dice.choices(vocabulary, weights, k=WORDS_PER_TEXT))

    known = [text() for _ in range(lessons)]
    said = [dice.choice(known) if number % 2 else text() for number in range(findings)]
    store = ("--store", "archeflow:.archeflow")
    commands = {
        "drop-in extract": ("archeflow", "extract", "events.jsonl"),
        "first look": (*store, "status"),
        "capture": (*store, "capture", "events.jsonl"),
        "decay": (*store, "decay"),
        "inject": (*store, "inject", "--domain", "code", "--run", "r2"),
    }
    times: dict[str, list[float]] = {name: [] for name in commands}
    for _ in range(ROUNDS):
        for group in (["drop-in extract"], [name for name in commands if name != "drop-in extract"]):
            with tempfile.TemporaryDirectory() as folder:
                _prepare(Path(folder), known, said)
                for name in group:
                    times[name].append(_timed(Path(folder), commands[name]))
    print(f"{findings} findings against {lessons} lessons, best of {ROUNDS}:")
    for name, found in times.items():
        print(f"  {name:<16}{min(found) * 1000:6.0f} ms")


def _prepare(project: Path, known: list[str], said: list[str]) -> None:
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


def _timed(project: Path, words: tuple[str, ...]) -> float:
    started = time.perf_counter()
    subprocess.run(
        [sys.executable, "-m", "tenure", *words],
        cwd=project,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, map(os.path.abspath, sys.path)))},
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        check=True,
    )
    return time.perf_counter() - started


if __name__ == "__main__":
    main(*map(int, sys.argv[1:3]))
