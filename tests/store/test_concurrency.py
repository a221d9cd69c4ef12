"""Many processes on one store: nothing lost, nothing half there, nobody told 'locked'."""

from __future__ import annotations

import os
import signal
import subprocess
from collections import Counter
from pathlib import Path

import pytest

import tenure
from tenure.files.lock import exclusive
from tenure.model.errors import Conflict, StoreBusy
from tenure.store.sqlite import migrate
from tenure.store.sqlite.connection import gate
from tenure.workspace import Workspace
from tests.opened import database
from tests.program import Program

SAFETY_NET_SECONDS = 300
# Adds its own memories, uses a shared one, and says so after each acknowledged write.
WRITER = """
import sys, tenure
name, rounds, shared = sys.argv[1], int(sys.argv[2]), sys.argv[3]
with tenure.open() as ws:
    for n in range(rounds):
        id = ws.add(f"{name}fact{n:04d} is what worker {name} learned in round{n:04d}").id
        print("add", id, flush=True)
        ws.log(shared, "positive", task=f"{name}-{n}", by=name)
        print("log", shared, flush=True)
"""
# Changes one text by compare-and-set until it has won so many times.
EDITOR = """
import sys, tenure
from tenure.model.errors import Conflict
name, wins, shared = sys.argv[1], int(sys.argv[2]), sys.argv[3]
with tenure.open() as ws:
    while wins:
        version = ws.version(shared)
        try:
            ws.edit(shared, expected_version=version, text=f"Set by {name} after version {version}")
        except Conflict:
            continue
        print("edit", version, flush=True)
        wins -= 1
"""
# Lets each new memory take the place of the one before.
SUCCESSOR = """
import sys, tenure
name, rounds = sys.argv[1], int(sys.argv[2])
with tenure.open() as ws:
    old = ws.add(f"{name}chain0000 begins").id
    for n in range(1, rounds):
        new = ws.add(f"{name}chain{n:04d} goes on").id
        ws.supersede(old, new)
        old = new
"""


def finish(processes: list[subprocess.Popen[bytes]]) -> list[list[str]]:
    """Wait for the workers and return what each acknowledged; none may have failed or complained."""
    lines = []
    for process in processes:
        out, err = process.communicate(timeout=SAFETY_NET_SECONDS)
        assert (process.returncode, err) == (0, b"")
        lines.append(out.decode().splitlines())
    return lines


def assert_writers_agree(program: Program, writers: int, rounds: int) -> None:
    """Run writers at once and compare what they were promised with what is there."""
    with tenure.open(folder=program.folder) as ws:
        shared = ws.add("The memory that everybody uses").id
    processes = [program.start(WRITER, f"w{n}", str(rounds), shared) for n in range(writers)]
    acknowledged = [line.split() for lines in finish(processes) for line in lines]
    with tenure.open(folder=program.folder) as ws:
        ids = Counter(memory.id for memory in ws.memories(all=True))
        assert set(ids.values()) == {1}
        assert set(ids) == {id for what, id in acknowledged if what == "add"} | {shared}
        uses = sum(what == "log" for what, _ in acknowledged)
        signals = ws.get(shared).signals
        events = [recorded.event.type for recorded in ws.history(shared)]
        assert uses == writers * rounds == signals.reuse_count == signals.successful_reuses == events.count("Applied")
        assert [recorded.version for recorded in ws.history(shared)] == list(range(1, len(events) + 1))
        assert ws.check() == []


def test_eight_processes_write_at_once_and_nothing_is_lost(program: Program) -> None:
    """R3, R5, R18: no lost update, no 'locked', ledger totals equal row counters."""
    assert_writers_agree(program, writers=8, rounds=6)


@pytest.mark.slow
def test_sixteen_processes_write_at_once_and_nothing_is_lost(program: Program) -> None:
    """R5: 16 writers, FULL, 0 failures."""
    assert_writers_agree(program, writers=16, rounds=40)


def test_command_lines_at_once_all_get_through(program: Program) -> None:
    """R5: eight command lines started together on a store that does not exist yet."""
    words = [["--json", "add", f"lesson{n} of a command line"] for n in range(8)]
    import sys

    processes = [
        subprocess.Popen(
            [sys.executable, "-m", "tenure", *command],
            cwd=program.folder,
            env=program.variables(),
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        )
        for command in words
    ]
    finish(processes)
    assert len(program.ok("list")["memories"]) == 8 and program.ok("check") == {"problems": []}


def test_of_changes_that_saw_the_same_version_one_wins(program: Program) -> None:
    """R3, checker (c): versions are dense, one writer per version, each success names the version it saw."""
    with tenure.open(folder=program.folder) as ws:
        shared = ws.add("The text that everybody edits").id
        start = ws.version(shared)
    processes = [program.start(EDITOR, f"e{n}", "6", shared) for n in range(4)]
    versions = sorted(int(line.split()[1]) for lines in finish(processes) for line in lines)
    with tenure.open(folder=program.folder) as ws:
        # An edit may be followed by an event of its own, so versions grow by at least one each.
        assert len(set(versions)) == 24 and versions[0] == start and ws.version(shared) > versions[-1]
        assert ws.check() == []


def test_a_change_that_saw_an_older_version_is_a_conflict(program: Program) -> None:
    """R3: conflicts are returned, not overwritten."""
    with tenure.open(folder=program.folder) as ws, tenure.open(folder=program.folder) as other:
        id = ws.add("First text").id
        seen = ws.version(id)
        other.edit(id, text="Theirs", expected_version=seen)
        with pytest.raises(Conflict):
            ws.edit(id, text="Ours", expected_version=seen)
        assert ws.get(id).text == "Theirs"


def test_a_reader_sees_whole_changes_only(program: Program) -> None:
    """R4: during writes every view is consistent: who is superseded names one that knows it."""
    with tenure.open(folder=program.folder) as ws:
        ws.add("The first")
        writers = [program.start(SUCCESSOR, f"s{n}", "25") for n in range(2)]
        looks = 0
        while any(process.poll() is None for process in writers):
            memories = {memory.id: memory for memory in ws.memories(all=True)}
            for memory in memories.values():
                if memory.superseded_by:
                    assert memory.id in memories[memory.superseded_by].supersedes
                assert (memory.state == "superseded") == bool(memory.superseded_by)
            looks += 1
        finish(writers)
        assert looks and ws.check() == []


def test_a_writer_that_is_stopped_inside_the_gate_makes_others_wait_and_then_busy(
    program: Program, monkeypatch: pytest.MonkeyPatch
) -> None:
    """R5: contention waits, then says BUSY; reading goes on, and the lock goes with its holder."""
    with tenure.open(folder=program.folder) as ws:
        ws.add("Caching headers were there before")
        held = "with tenure.open().project.changing():\n print('in', flush=True)\n signal.pause()\n"
        script = f"import signal, tenure\n{held}"
        holder = program.start(script)
        assert holder.stdout is not None and holder.stdout.readline() == b"in\n"
        holder.send_signal(signal.SIGSTOP)
        monkeypatch.setitem(exclusive.__wrapped__.__kwdefaults__, "wait_seconds", 0.2)  # type: ignore[attr-defined]
        with pytest.raises(StoreBusy):
            ws.add("Has to wait")
        assert len(ws.memories()) == 1 and ws.inject("caching headers").block
        holder.kill()
        holder.communicate(timeout=SAFETY_NET_SECONDS)
        ws.add("Gets through")
        assert ws.check() == []


def test_a_slow_producer_does_not_hold_the_store(program: Program) -> None:
    """R3: nothing holds a lock while it waits for somebody: `import -` reads before it writes."""
    import sys

    reading = subprocess.Popen(
        [sys.executable, "-m", "tenure", "import", "-"],
        cwd=program.folder,
        env=program.variables(),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
    )
    program.ok("add", "Written meanwhile")
    out, _ = reading.communicate(b'{"text": "Arrives late"}\n', timeout=SAFETY_NET_SECONDS)
    assert b"1 memory imported" in out and len(program.ok("list")["memories"]) == 2


def test_a_child_after_a_fork_opens_its_own_connection(program: Program) -> None:
    """R6: connections are not used across fork; both sides go on writing."""
    script = """
import os, tenure
ws = tenure.open()
ws.add("parent0001 before the fork")
child = os.fork()
name = "parent" if child else "child"
for n in range(5):
    ws.add(f"{name}word{n:04d} after the fork")
if child:
    assert os.waitpid(child, 0)[1] == 0
    ws.add("parent0002 after the child")
    print(len(ws.memories()), ws.check())
else:
    os._exit(0)
"""
    assert finish([program.start(script)]) == [["12 []"]]


def test_a_child_after_a_fork_never_uses_or_closes_what_it_inherited(program: Program) -> None:
    """R6: using the parent's connection corrupts the file, and closing it drops the parent's locks."""
    script = """
import gc, os, tenure
from tenure.store.sqlite import lazy_connection
ws = tenure.open()
ws.add("parent0001 before the fork")
inherited = ws.project.store.connection
with ws.project.store.writing():
    child = os.fork()
    if not child:
        wrong = []
        if ws.project.store.is_writing:
            wrong.append("the parent's change goes on in the child")
        ws.project.store.close()
        if ws.project.store.connection is inherited:
            wrong.append("the child uses the parent's connection")
        kept = any(one is inherited for one in lazy_connection._ABANDONED)
        del inherited
        gc.collect()
        if not kept:
            wrong.append("the garbage collector may close the parent's connection")
        print(*wrong, sep="; ", flush=True)
        os._exit(0)
    os.waitpid(child, 0)
print(len(ws.memories()))
"""
    assert finish([program.start(script)]) == [["", "1"]]


def test_only_the_store_touches_its_files(program: Program) -> None:
    """R6, R7: an audit hook sees no open of the database, its WAL or its shared memory but the one that makes it."""
    script = """
import os, sys
seen = []
def hook(event, arguments):
    if event in ("open", "os.remove", "os.rename", "os.truncate", "shutil.copyfile", "sqlite3.connect"):
        path = os.fsdecode(arguments[0]) if arguments and isinstance(arguments[0], (str, bytes, os.PathLike)) else ""
        if ".db" in os.path.basename(path) and not path.endswith(".lock"):
            if not (event == "open" and isinstance(arguments[2], int) and arguments[2] & os.O_EXCL):
                seen.append((event, path))
sys.addaudithook(hook)
import tenure
ws = tenure.open()
id = ws.add("Watched").id
ws.log(id, "positive"); ws.search("watched"); ws.inject("watched"); ws.export("all.jsonl"); ws.check(); ws.status()
ws.import_("all.jsonl"); ws.rebuild(); ws.retire(id, reason="x"); ws.forget(id); ws.close()
print(seen)
"""
    assert finish([program.start(script)]) == [["[]"]]


def test_a_backup_taken_while_others_write_is_a_whole_store(program: Program, tmp_path: Path) -> None:
    """R7: backup by SQLite's own means under load passes every check."""
    with tenure.open(folder=program.folder) as ws:
        shared = ws.add("Used by all").id
        writers = [program.start(WRITER, f"w{n}", "8", shared) for n in range(4)]
        copies = []
        for number in range(3):
            copies.append(tmp_path / f"copy{number}.db")
            migrate.back_up(database(ws).connection, copies[-1])
        finish(writers)
    for path in copies:
        with tenure.open(f"sqlite:{path}") as copy:
            assert copy.check() == [] and copy.get(shared)


def test_an_export_is_never_written_over_the_store(program: Program) -> None:
    """R7: a slip of the keyboard does not replace the database by text."""
    program.ok("add", "Precious")
    done = program("--json", "export", ".tenure/memory.db")
    assert done.status == 3 and len(program.ok("list")["memories"]) == 1


def test_a_process_that_opened_early_sees_the_store_another_made(program: Program) -> None:
    """R4: a store that did not exist when a reader looked first is seen once it is there."""
    with tenure.open(folder=program.folder) as early, tenure.open(folder=program.folder) as other:
        assert early.memories() == []
        other.add("Made later")
        assert len(early.memories()) == 1


def holds_no_lock(ws: Workspace) -> bool:
    """Tell whether the gate is free at once."""
    path = database(ws).path
    assert path is not None
    with exclusive(gate(path), wait_seconds=0):
        return os.path.exists(gate(path))
