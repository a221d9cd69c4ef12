"""The CPU of whole commands, beside a bare interpreter and the same commands of another checkout.

    scripts/bench commands [PYTHON_OF_THE_OTHER] [--rounds N]

What a process spends is counted by the kernel, so neighbours on the machine disturb it less than they do a clock. Each
checkout works on a project of its own with the same 300 memories, and the two take turns.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import resource
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

MEMORIES, WORDS_PER_TEXT = 300, 9
DICE = random.Random(7)
VOCABULARY = [f"word{number}" for number in range(600)]
STORE = ("--store", "sqlite:.tenure/memory.db")
COMMANDS: dict[str, tuple[str, ...]] = {
    "hook noop": ("hook", "noop"),
    "hook prompt": ("hook", "prompt"),
    "--help": ("--help",),
    "add": (*STORE, "add"),
    "inject": (*STORE, "inject", "word1 word2 word5"),
    "search": (*STORE, "search", "word1 word2"),
    "list": (*STORE, "list"),
    "status": (*STORE, "status"),
    "archeflow inject": ("archeflow", "inject", "code", "guardian"),
    "archeflow list": ("archeflow", "list"),
}


class Checkout:
    """One version of Tenure, with a project of its own."""

    def __init__(self, python: str, folder: Path, texts: list[str]) -> None:
        self.python, self.texts = python, texts
        self.project, self.lessons = folder / "native", folder / "archeflow"
        for project in (self.project, self.lessons):
            subprocess.run(["git", "init", "-q", str(project)], check=True)
        home = {"HOME": str(folder), "TENURE_HOME": str(folder / "home"), "TENURE_UNATTENDED": "1"}
        self.environment = {"PATH": os.environ["PATH"], **home}
        (self.project / "proposals.jsonl").write_text("".join(json.dumps({"text": text}) + "\n" for text in texts))
        for run in ("monday", "tuesday"):
            self.spend("capture", "proposals.jsonl", "--run", run)
        memory = self.lessons / ".archeflow" / "memory"
        memory.mkdir(parents=True)
        (memory / "lessons.jsonl").write_text("".join(map(_lesson, range(1, MEMORIES + 1), texts)))

    def spend(self, *words: str, stdin: str = "") -> float:
        """Run a command and return the seconds of CPU it took."""
        folder = self.lessons if words[0] == "archeflow" else self.project
        return _cpu([self.python, "-m", "tenure", *words], folder, self.environment, stdin)

    def measure(self, name: str) -> float:
        """Run one of the commands."""
        words = COMMANDS[name]
        if name == "add":
            words = (*words, _text())
        document = {"prompt": self.texts[0], "cwd": str(self.project), "session_id": _text()}
        return self.spend(*words, stdin=json.dumps(document) if name == "hook prompt" else "")


def _lesson(number: int, text: str) -> str:
    fields = {"id": f"m-{number:03d}", "ts": "2026-04-05T00:00:00Z", "run_id": "r0", "type": "pattern"}
    fields |= {"source": "guardian", "description": text, "severity": "bug", "domain": "code", "last_seen_run": "r0"}
    return json.dumps({**fields, "frequency": 2, "tags": [], "archetype": None, "runs_since_last_seen": 0}) + "\n"


def _text() -> str:
    return " ".join(DICE.choices(VOCABULARY, k=WORDS_PER_TEXT))


def _cpu(words: list[str], folder: Path, environment: dict[str, str], stdin: str = "") -> float:
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run(words, cwd=folder, env=environment, input=stdin, text=True, capture_output=True, check=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime - before.ru_utime + after.ru_stime - before.ru_stime


def main() -> None:
    """Print the median of each command as a multiple of a bare interpreter's."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("other", nargs="?", default="", help="the Python of another checkout")
    parser.add_argument("--rounds", type=int, default=11)
    asked = parser.parse_args()
    texts = [_text() for _ in range(MEMORIES)]
    with tempfile.TemporaryDirectory() as name:
        pythons = {"this": sys.executable, **({"other": asked.other} if asked.other else {})}
        checkouts = {which: Checkout(python, Path(name) / which, texts) for which, python in pythons.items()}
        spent: dict[tuple[str, str], list[float]] = {}
        bare = []
        for _ in range(asked.rounds):
            bare.append(_cpu([sys.executable, "-c", "pass"], Path(name), {"PATH": os.environ["PATH"]}))
            for command in COMMANDS:
                for which, checkout in checkouts.items():
                    spent.setdefault((command, which), []).append(checkout.measure(command))
    start = statistics.median(bare)
    print(f"A bare interpreter takes {start * 1000:.0f} ms of CPU.")
    for command in COMMANDS:
        this, *other = (statistics.median(spent[command, which]) for which in checkouts)
        beside = f"  other {other[0] / start:5.1f}x  this / other {this / other[0]:4.2f}" if other else ""
        print(f"{command:18} {this / start:5.1f}x{beside}")


if __name__ == "__main__":
    main()
