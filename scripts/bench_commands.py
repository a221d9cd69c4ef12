"""The CPU of whole commands, beside a bare interpreter and the same commands of another checkout.

    scripts/bench commands [PYTHON_OF_THE_OTHER] [--rounds N] [--calls]

What a process spends is counted by the kernel, so neighbours on the machine disturb it less than they do a clock. Each
checkout works on a project of its own with the same 300 memories, and the two take turns. With --calls it is single
calls on an open store of some thousand memories: docstrings of Python's own library, which resemble each other as the
texts of one project do.
"""

from __future__ import annotations

import argparse
import ast
import json
import os
import random
import resource
import statistics
import subprocess
import sys
import sysconfig
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

# Single calls, and how often each is made in a round. `raw` is what an import is held against.
CALLS = {"log": 8, "search": 4, "add": 4, "list": 1, "import": 1, "raw": 1}
MOST_CHARACTERS, LEAST_CHARACTERS = 600, 40
# A process of a checkout: it is told a call and its text by line, and answers with seconds, or bytes for `size`.
CALLED = """
import json, os, pathlib, sys, time
import apsw
from tenure import workspace
store, folder = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[1]).parent
ours = workspace.open(f"sqlite:{store}", folder)
ids = []
def fill(texts):
    for text in json.loads(texts):
        ours.add(text, tags=["bench", "tag"])
    ids.extend(memory.id for memory in ours.memories())
def fresh(name):
    for old in folder.glob(name + "*"):
        old.unlink()
    return folder / name
def import_(_):
    source = folder / "export.jsonl"
    if not source.exists():
        ours.export(str(source))
    with workspace.open(f"sqlite:{fresh('imported.db')}", folder) as other:
        begun = time.process_time()
        other.import_(str(source))
        spent = time.process_time() - begun
        return spent / len(other.memories())
def raw(_):
    rows = [(memory.title, " ".join(memory.tags), memory.text, "") for memory in ours.memories()]
    connection = apsw.Connection(str(fresh("raw.db")))
    connection.pragma("journal_mode", "wal")
    connection.execute("CREATE VIRTUAL TABLE search USING fts5 (a, b, c, d, tokenize='porter unicode61')")
    begun = time.process_time()
    with connection:
        connection.executemany("INSERT INTO search VALUES (?, ?, ?, ?)", rows)
    spent = time.process_time() - begun
    connection.close()
    return spent / len(rows)
def size(_):
    connection = apsw.Connection(str(folder / "imported.db"))
    connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    return (folder / "imported.db").stat().st_size / connection.execute("SELECT count(*) FROM memory").get
calls = {
    "fill": fill, "import": import_, "raw": raw, "size": size,
    "log": lambda number: ours.log(ids[int(number) % len(ids)], "neutral", task=f"t{number}"),
    "search": lambda text: ours.search(text),
    "add": lambda text: ours.add(text, tags=["bench", "tag"]),
    "list": lambda _: ours.memories(),
}
for line in sys.stdin:
    name, text = json.loads(line)
    begun = time.process_time()
    answer = calls[name](text)
    spent = time.process_time() - begun
    print(answer if isinstance(answer, float) else spent, flush=True)
"""


class Called:
    """One version of Tenure with an open store of its own, in a process that is told what to call."""

    def __init__(self, python: str, folder: Path, texts: list[str]) -> None:
        folder.mkdir()
        environment = {"PATH": os.environ["PATH"], "HOME": str(folder), "TENURE_HOME": str(folder / "home")}
        self.process = subprocess.Popen(
            [python, "-c", CALLED, str(folder / "memory.db")],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            env={**environment, "TENURE_UNATTENDED": "1"},
            cwd=folder,
        )
        self.ask("fill", json.dumps(texts))

    def ask(self, name: str, text: str = "") -> float:
        """Make one call and return what it took."""
        assert self.process.stdin is not None and self.process.stdout is not None
        print(json.dumps([name, text]), file=self.process.stdin, flush=True)
        return float(self.process.stdout.readline())


def docstrings() -> list[str]:
    """Return docstrings of the standard library, in an order that is the same every time."""
    found: dict[str, None] = {}
    library = Path(sysconfig.get_path("stdlib"))
    for path in sorted(library.rglob("*.py")):
        if "site-packages" in path.parts:
            continue
        try:
            nodes = ast.walk(ast.parse(path.read_bytes()))
        except (SyntaxError, ValueError):
            continue  # a test of the parser
        for node in nodes:
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
                text = " ".join((ast.get_docstring(node) or "").split())
                if LEAST_CHARACTERS <= len(text) <= MOST_CHARACTERS:
                    found[text] = None
    texts = list(found)
    random.Random(7).shuffle(texts)
    return texts


def single_calls(pythons: dict[str, str], rounds: int) -> None:
    """Print the median CPU of single calls, of each checkout in turns."""
    texts = docstrings()
    added = [texts.pop() for _ in range(rounds * CALLS["add"])]
    asked = [" ".join(text.split()[:8]) for text in texts[:: len(texts) // (rounds * CALLS["search"])]]
    given = {"log": [str(number) for number in range(rounds * CALLS["log"])], "search": asked, "add": added}
    with tempfile.TemporaryDirectory() as name:
        checkouts = {which: Called(python, Path(name) / which, texts) for which, python in pythons.items()}
        spent: dict[tuple[str, str], list[float]] = {}
        for number in range(rounds):
            for call, times in CALLS.items():
                for text in given.get(call, [""] * rounds * times)[number * times : (number + 1) * times]:
                    for which, checkout in checkouts.items():
                        spent.setdefault((call, which), []).append(checkout.ask(call, text))
        print(f"{len(texts)} texts of {statistics.mean(map(len, texts)):.0f} characters; milliseconds of CPU")
        for call in CALLS:
            this, *other = (statistics.median(spent[call, which]) * 1000 for which in checkouts)
            beside = f"  other {other[0]:8.4f}  this / other {this / other[0]:5.2f}" if other else ""
            print(f"{call:8} {this:8.4f}{beside}")
        for which, checkout in checkouts.items():
            share = statistics.median(spent["raw", which]) / statistics.median(spent["import", which])
            print(
                f"{which}: an import has {share:.2f}x of the raw rate and keeps {checkout.ask('size'):.0f} bytes each"
            )
            checkout.process.terminate()
            checkout.process.wait()


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
    parser.add_argument("--calls", action="store_true", help="single calls on an open store")
    asked = parser.parse_args()
    pythons = {"this": sys.executable, **({"other": asked.other} if asked.other else {})}
    if asked.calls:
        single_calls(pythons, asked.rounds)
        return
    texts = [_text() for _ in range(MEMORIES)]
    with tempfile.TemporaryDirectory() as name:
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
