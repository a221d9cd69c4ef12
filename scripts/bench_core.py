"""Speed and size of the native store, each figure beside a raw reference measured in the same run.

Machines are shared and noisy: read the ratios, not the milliseconds. Interleaved rounds and medians keep them steady.
"""

from __future__ import annotations

import argparse
import os
import random
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path

import apsw

from tenure import workspace
from tenure.model.evolve import born
from tenure.model.memory import Memory, Signals
from tenure.usecases import export_lines

_SYLLABLES = (
    "ba be bi bo bu da de di do du ka ke ki ko ku la le li lo lu ma me mi mo mu na ne ni no nu ra re ri ro".split()
)


def vocabulary(random_: random.Random, size: int = 20_000) -> list[str]:
    return ["".join(random_.choices(_SYLLABLES, k=random_.randint(2, 5))) for _ in range(size)]


def texts(count: int, seed: int = 7) -> list[str]:
    """Return texts of about 40 words whose words are distributed as in natural language."""
    random_ = random.Random(seed)
    words = vocabulary(random_)
    weights = [1 / rank for rank in range(1, len(words) + 1)]
    return [" ".join(random_.choices(words, weights, k=random_.randint(25, 55))) for _ in range(count)]


def raw(path: Path) -> apsw.Connection:
    connection = apsw.Connection(str(path))
    for name, value in (("journal_mode", "wal"), ("synchronous", "full")):
        connection.pragma(name, value)
    connection.execute(
        "CREATE VIRTUAL TABLE search USING fts5 (title, tags, text, content, tokenize='porter unicode61')"
    )
    return connection


def raw_rows(items: list[str]) -> list[tuple[str, str, str, str]]:
    return [(text[:60], "bench tag", text, "") for text in items]


_INSERT = "INSERT INTO search VALUES (?, ?, ?, ?)"


def one_by_one(folder: Path, count: int) -> tuple[float, float]:
    """Return seconds per write: raw, ours; in turns, so that a busy machine slows both."""
    items = texts(2 * count)
    connection, ours = raw(folder / "raw.db"), workspace.open(f"sqlite:{folder / 'ours.db'}", folder)
    ours.add("warm up")
    times: tuple[list[float], list[float]] = ([], [])
    for row, text in zip(raw_rows(items[:count]), items[count:], strict=True):
        times[0].append(_timed(partial(connection.execute, _INSERT, row)))
        times[1].append(_timed(partial(ours.add, text, tags=["bench", "tag"])))
    connection.close()
    ours.close()
    return sum(times[0]) / count, sum(times[1]) / count


def bulk(folder: Path, count: int, rounds: int = 3) -> tuple[float, float]:
    """Return the median seconds for one transaction of `count` rows: raw, ours (an import of a sealed export)."""
    items = texts(count)
    source = folder / "bulk.jsonl"
    write_export(source, items)
    times: tuple[list[float], list[float]] = ([], [])
    for _ in range(rounds):
        for old in (*folder.glob("raw-bulk.db*"), *folder.glob("bulk.db*")):
            old.unlink()
        connection = raw(folder / "raw-bulk.db")

        def insert(connection: apsw.Connection = connection) -> None:
            connection.execute("BEGIN")
            connection.executemany(_INSERT, raw_rows(items))
            connection.execute("COMMIT")

        times[0].append(_timed(insert))
        connection.close()
        with workspace.open(f"sqlite:{folder / 'bulk.db'}", folder) as ours:
            times[1].append(_timed(lambda: ours.import_(str(source))))
    return statistics.median(times[0]), statistics.median(times[1])


def write_export(path: Path, items: list[str]) -> None:
    from tenure.model import clock

    seal, now = export_lines.Seal(export_lines.seal_key()), clock.now()
    with path.open("wb") as file:
        for number, text in enumerate(items):
            memory = Memory(
                id=f"b-{number:07}", kind="lesson", title=text[:60], text=text, state="provisional", phase="live",
                tags=("bench", "tag"), signals=Signals(confidence=60, evidence_count=2), created_at=now,
                updated_at=now, trust="user", source="bench",
            )  # fmt: skip
            file.write(
                seal.sealed(export_lines.ExportLine(format=export_lines.FORMAT, memory=memory, events=[born(memory)]))
            )


def searching(folder: Path, count: int, queries: int) -> tuple[float, float]:
    """Return the median seconds of a query of 4-8 words: raw FTS5 over the same texts, ours."""
    random_ = random.Random(11)
    items = texts(count)
    connection = raw(folder / "raw-search.db")
    connection.execute("BEGIN")
    connection.executemany(_INSERT, raw_rows(items))
    connection.execute("COMMIT")
    asked = [" ".join(random_.sample(random_.choice(items).split(), k=random_.randint(4, 8))) for _ in range(queries)]
    reference, mine = [], []
    sql = "SELECT rowid, bm25(search) FROM search WHERE search MATCH ? ORDER BY 2 LIMIT 10"

    def matched(expression: str) -> object:
        return connection.execute(sql, (expression,)).fetchall()

    with workspace.open(f"sqlite:{folder / 'bulk.db'}", folder) as ours:
        for query in asked:
            expression = " OR ".join(f'"{word}"' for word in query.split())
            reference.append(_timed(partial(matched, expression)))
            mine.append(_timed(partial(ours.search, query)))
    connection.close()
    return statistics.median(reference), statistics.median(mine)


_SEARCH = """
import resource, sys
from tenure import workspace
with workspace.open(sys.argv[1], sys.argv[2]) as ours:
    for query in sys.argv[3:]:
        ours.search(query)
print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024)
"""


def searching_memory(folder: Path, count: int, queries: int) -> float:
    """Return the megabytes a process holds at its peak that opens the store of `bulk` and searches it."""
    asked = [" ".join(text.split()[:6]) for text in texts(count)[:queries]]
    command = [sys.executable, "-c", _SEARCH, f"sqlite:{folder / 'bulk.db'}", str(folder), *asked]
    return float(subprocess.run(command, capture_output=True, text=True, check=True).stdout)


def starting(rounds: int) -> dict[str, tuple[float, int]]:
    """Return CPU seconds and modules of process starts."""
    commands = {
        "bare interpreter": ["-c", "pass"],
        "tenure hook noop": ["-m", "tenure", "hook", "noop"],
        "tenure --help": ["-m", "tenure", "--help"],
    }
    spent: dict[str, list[float]] = {name: [] for name in commands}
    for _ in range(rounds):
        for name, words in commands.items():
            before = resource.getrusage(resource.RUSAGE_CHILDREN)
            subprocess.run([sys.executable, *words], stdout=subprocess.DEVNULL, check=True)
            after = resource.getrusage(resource.RUSAGE_CHILDREN)
            spent[name].append(after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime)
    return {name: (statistics.median(times), _modules(commands[name])) for name, times in spent.items()}


def curve(folder: Path, sizes: list[int], rounds: int) -> list[tuple[int, float, float, float]]:
    """Return (memories, add, log, inject) in median seconds, for growing stores."""
    extra = texts(rounds * len(sizes) * 2, seed=23)
    found = []
    for size in sizes:
        source = folder / f"curve-{size}.jsonl"
        write_export(source, texts(size))
        with workspace.open(f"sqlite:{folder / f'curve-{size}.db'}", folder) as ours:
            ours.import_(str(source))
            added = [_timed(lambda: ours.add(extra.pop())) for _ in range(rounds)]
            logged = [_timed(partial(ours.log, f"b-{n:07}", "neutral", task=f"t{n}")) for n in range(rounds)]
            shown = [_timed(lambda: ours.inject(extra.pop()[:80])) for _ in range(rounds)]
        found.append((size, statistics.median(added), statistics.median(logged), statistics.median(shown)))
    return found


def _modules(words: list[str]) -> int:
    code = (
        "import sys, runpy\n"
        f"sys.argv = {['tenure', *words[2:]]!r}\n"
        + (
            "runpy.run_module('tenure', run_name='x')\nimport tenure.__main__\ntenure.__main__.main()\n"
            if "tenure" in words
            else ""
        )
        + "print(len(sys.modules), file=sys.stderr)"
    )
    result = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    return int(result.stderr.split()[-1])


def _timed(work: Callable[[], object]) -> float:
    start = time.perf_counter()
    work()
    return time.perf_counter() - start


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--quick", action="store_true", help="a tenth of the sizes")
    quick = options.parse_args().quick
    scale = 10 if quick else 1
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        os.environ["TENURE_HOME"] = str(folder / "home")
        reference, mine = one_by_one(folder, 1000 // scale)
        print(
            f"write, one by one    raw {reference * 1e3:7.3f} ms   "
            f"ours {mine * 1e3:7.3f} ms   rate {reference / mine:.2f}x (>= 0.6)"
        )
        count = 100_000 // scale
        reference, mine = bulk(folder, count)
        print(
            f"import {count:>7,}       raw {reference:7.2f} s    "
            f"ours {mine:7.2f} s    rate {reference / mine:.2f}x (>= 0.5)"
        )
        reference, mine = searching(folder, count, 100)
        print(
            f"search {count:>7,}       raw {reference * 1e3:7.2f} ms   "
            f"ours {mine * 1e3:7.2f} ms   time {mine / reference:.2f}x (<= 2)"
        )
        print(f"memory of a process that searches {count:,}: {searching_memory(folder, count, 20):.0f} MB (<= 150)")
        started = starting(20 // scale + 5)
        bare = started["bare interpreter"][0]
        for name_, (seconds, modules) in started.items():
            print(f"start  {name_:<18} {seconds * 1e3:6.1f} ms CPU   {seconds / bare:.1f}x   {modules} modules")
        print("memories      add ms    log ms    inject ms")
        for size, added, logged, shown in curve(
            folder, [1000, 10_000, 100_000] if not quick else [100, 1000, 10_000], 50
        ):
            print(f"{size:>8,}  {added * 1e3:8.2f}  {logged * 1e3:8.2f}  {shown * 1e3:8.2f}")


if __name__ == "__main__":
    main()
