"""Killed at any moment: what was acknowledged is there, what was not is there whole or not at all."""

from __future__ import annotations

import contextlib
import os
import random
import shutil
import signal
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest

import tenure
from tests.faults import count_calls, fail_at, files_up_to, kill_at, needs_strace, small_disk
from tests.program import Program
from tests.store.test_concurrency import SAFETY_NET_SECONDS, holds_no_lock

ENDLESS = """
import sys, tenure
with tenure.open() as ws:
    n = 0
    while True:
        n += 1
        print(ws.add(f"{sys.argv[1]}word{n:05d} was learned").id, flush=True)
"""
# One of each kind of change, every one a single ledger batch; prints a line after each acknowledged one.
LIFE = """
import sys, tenure
ws = tenure.open()
done = lambda: print("done", flush=True)
if len(sys.argv) > 1: sys.exit()
kept = ws.add("The runbook for deployments says restart twice", kind="lesson", id="kept"); done()
ws.log("kept", "positive", task="T-1"); done()
ws.capture([{"text": "Alpha lesson on caching headers"}, {"text": "Beta lesson on database indexes"}], run="r"); done()
ws.retire("kept", reason="over"); done()
ws.restore("kept"); done()
ws.add("zebraxylophone quartzjumping", id="secret"); done()
ws.forget("secret"); done()
"""
CHANGES = 7
FORGOTTEN = b"zebraxylophone"
# What touches the disk or a lock; the rest cannot leave anything half done.
CALLS = ("pwrite64", "fdatasync", "fsync", "ftruncate", "unlink", "fcntl", "flock", "mkdir", "openat", "close", "write")


def killed_while_writing(program: Program, cycles: int, seed: int, writes: int = 0) -> None:
    """Kill a writer after some acknowledgements, so often and until so many were given, and count what is there."""
    chosen = random.Random(seed)
    acknowledged: set[str] = set()
    kills = 0
    while kills < cycles or len(acknowledged) < writes:
        with program.start(ENDLESS, f"c{kills:03d}") as process:
            assert process.stdout is not None and process.stderr is not None
            kills += 1
            for _ in range(chosen.randrange(1, 12 if not writes else 48)):
                acknowledged.add(process.stdout.readline().decode().strip())
            process.send_signal(signal.SIGKILL)
            # Not `communicate`, which drops lines that `readline` took along: on a busy machine the writer runs ahead.
            out, err = process.stdout.read(), process.stderr.read()
        # What was printed before the kill counts; a line cut off does not.
        acknowledged.update(out.decode().splitlines() if out.endswith(b"\n") else out.decode().splitlines()[:-1])
        assert err == b""
    with tenure.open(folder=program.folder) as ws:
        found = {memory.id for memory in ws.memories(all=True)}
        acknowledged -= {""}
        print(f"{len(acknowledged)} acknowledged writes, {len(acknowledged - found)} lost; {kills} kills")
        assert acknowledged <= found and len(found) <= len(acknowledged) + kills
        assert ws.check() == [] and holds_no_lock(ws)
    assert_nothing_left_over(program)


def assert_nothing_left_over(program: Program) -> None:
    """R13, checker (h): no temporary file, no process."""
    names = {path.name for path in (program.folder / ".tenure").iterdir()}
    assert names <= {".gitignore", "memory.db", "memory.db-wal", "memory.db-shm", "memory.db.lock", "memory.db.reserve"}
    listed = subprocess.run(["ps", "-eo", "args"], capture_output=True, check=False)
    assert str(program.folder).encode() not in listed.stdout


def test_no_acknowledged_write_is_lost_to_kill_9(program: Program) -> None:
    """R1, R13: success returned is durable; locks go with their holder."""
    killed_while_writing(program, cycles=5, seed=1)


@pytest.mark.slow
def test_of_five_thousand_acknowledged_writes_none_is_lost_to_two_hundred_kills(program: Program) -> None:
    """R1: at least 200 kills and 5,000 acknowledged writes."""
    killed_while_writing(program, cycles=200, seed=2, writes=5000)


@pytest.mark.slow
def test_two_hundred_killed_sessions_leave_nothing_behind(program: Program) -> None:
    """R13: 200 command lines killed at any point: no process, no stale lock, no temporary file."""
    chosen = random.Random(3)
    for number in range(200):
        process = subprocess.Popen(
            [sys.executable, "-m", "tenure", "add", f"session{number:03d} learned something"],
            cwd=program.folder,
            env=program.variables(),
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        )
        try:
            process.communicate(timeout=chosen.uniform(0.05, 0.4))
        except subprocess.TimeoutExpired:
            process.send_signal(signal.SIGKILL)
            process.communicate(timeout=SAFETY_NET_SECONDS)
    with tenure.open(folder=program.folder) as ws:
        assert ws.check() == [] and holds_no_lock(ws)
    assert_nothing_left_over(program)


def crash_points(program: Program, tmp_path: Path) -> list[tuple[str, int]]:
    """Return every (system call, number) at which a life can be cut, leaving out the start of Python."""
    counts = []
    for words in ([], ["start"]):
        trace = tmp_path / f"trace{len(words)}"
        folder = tmp_path / f"counted{len(words)}"
        folder.mkdir()
        traced = ["strace", "-f", "-qq", "-o", str(trace), "-e", f"trace={','.join(CALLS)}"]
        process = replace(program, folder=folder, prefix=traced).start(LIFE, *words)
        process.communicate(timeout=SAFETY_NET_SECONDS)
        counts.append(count_calls(trace))
    whole, start = counts
    return [(call, n) for call in CALLS for n in range(start.get(call, 0) + 1, whole.get(call, 0) + 1)]


def cut_at(program: Program, folder: Path, words: list[str]) -> int:
    """Live a life that is cut, check what is left, and return how many changes were acknowledged."""
    folder.mkdir()
    cut = replace(program, folder=folder, prefix=words)
    process = cut.start(LIFE)
    out, _ = process.communicate(timeout=SAFETY_NET_SECONDS)
    acknowledged = out.count(b"done")
    with tenure.open(folder=folder) as ws:
        assert ws.check() == []
        committed = len(list(ws.project.store.batches()))
        # The number of the last change that is there: all acknowledged ones, and at most one more.
        assert acknowledged <= committed <= acknowledged + 1, (words, acknowledged, committed)
        states = {memory.id: memory.state for memory in ws.memories(all=True)}
        assert (states.get("kept"), len(states)) == EXPECTED[committed]
        ws.upkeep()
        assert ws.add("Life goes on").id
    if committed == CHANGES:
        owned = [path.read_bytes() for path in (folder / ".tenure").iterdir()]
        assert not any(FORGOTTEN in data for data in owned)
    return acknowledged


# State of "kept" and number of memories after each change.
EXPECTED = [
    (None, 0),
    ("provisional", 1),
    ("provisional", 1),
    ("provisional", 3),
    ("retired", 3),
    ("provisional", 3),
    ("provisional", 4),
    ("provisional", 3),
]


@needs_strace
def test_a_life_cut_at_any_of_thirty_points_is_whole_up_to_there(program: Program, tmp_path: Path) -> None:
    """R1, R2, P1: thirty crash points spread over all kinds of system calls."""
    points = crash_points(program, tmp_path)
    chosen = random.Random(4).sample(points, min(30, len(points)))
    reached = {cut_at(program, tmp_path / f"{call}-{n}", kill_at(call, n)) for call, n in chosen}
    assert len(reached) > 2


@pytest.mark.slow
@needs_strace
def test_a_life_cut_at_every_point_is_whole_up_to_there(program: Program, tmp_path: Path) -> None:
    """R1, R2: every crash point of every kind of system call."""
    points = crash_points(program, tmp_path)
    for call, n in points:
        cut_at(program, tmp_path / f"{call}-{n}", kill_at(call, n))
        shutil.rmtree(tmp_path / f"{call}-{n}")
    print(f"{len(points)} crash points, all whole")


@needs_strace
def test_a_failed_flush_is_never_acknowledged(program: Program, tmp_path: Path) -> None:
    """R10 at three points: the change is refused with exit 5, and the store goes on from what is really there."""
    failed = [
        fails_cleanly(program, tmp_path / f"flush{number}", fail_at("fdatasync", number)) for number in ("1", "3", "6+")
    ]
    assert all(failed)


@pytest.mark.slow
@needs_strace
def test_a_flush_that_fails_at_any_point_is_never_acknowledged(program: Program, tmp_path: Path) -> None:
    """R10: fsync EIO at each k, once and for ever."""
    flushes = sum(call == "fdatasync" for call, _ in crash_points(program, tmp_path))
    for k in range(1, flushes + 1):
        for when in (str(k), f"{k}+"):
            fails_cleanly(program, tmp_path / f"flush{when}", fail_at("fdatasync", when))


def fails_cleanly(program: Program, folder: Path, words: list[str]) -> bool:
    """Live a life in which flushes fail, check what is left, and tell whether a change was refused for it."""
    folder.mkdir()
    process = replace(program, folder=folder, prefix=words).start(LIFE)
    out, err = process.communicate(timeout=SAFETY_NET_SECONDS)
    acknowledged = out.count(b"done")
    if process.returncode:
        # What failed may be the note of the home that made the store: then the gate stays closed for `forget`.
        assert b"StoreUnusable" in err or b"NeedsPerson: `forget`" in err, err
    with tenure.open(folder=folder) as ws:
        assert ws.check() == []
        assert acknowledged <= len(list(ws.project.store.batches())) <= acknowledged + 1
        ws.add("Life goes on")
    return process.returncode != 0


def test_a_full_disk_fails_cleanly_and_reading_goes_on(program: Program) -> None:
    """Issue and R9: a clear error, nothing damaged; here by a limit on file sizes, which needs no root."""
    id = program.ok("add", "Written while there was room")["id"]
    size = max(path.stat().st_size for path in (program.folder / ".tenure").iterdir())
    full = replace(program, before=lambda: files_up_to(size))
    done = full("--json", "add", "-", stdin=b"word " * 50_000)
    assert (done.status, done.error["code"]) == (5, "STORE_UNUSABLE"), done.err
    assert program.ok("check") == {"problems": []}
    assert [memory["id"] for memory in full.ok("list")["memories"]] == [id]
    assert program.ok("add", "Written when there was room again")


def fill(path: Path) -> None:
    """Write until the disk is full."""
    handle = os.open(path, os.O_WRONLY | os.O_CREAT)
    try:
        with contextlib.suppress(OSError):
            while True:
                os.write(handle, b"\0" * 4096)
    finally:
        os.close(handle)


@pytest.mark.root
def test_on_a_small_full_disk_every_command_fails_cleanly_or_works(program: Program, tmp_path: Path) -> None:
    """R9 on a real small disk: exit 5 with a hint, all acknowledged memories there, injecting goes on."""
    with small_disk(tmp_path / "small", "700k") as folder:
        small = replace(program, folder=folder)
        id = small.ok("add", "Fits on the small disk")["id"]
        filler = folder / "filler"
        fill(filler)
        for words in (["add", "word " * 9000], ["log", id, "--effect", "positive"], ["retire", id, "--reason", "x"]):
            done = small("--json", *words)
            assert done.status in (0, 5), (words, done.err)
        shown = small("--json", "inject", "small disk")
        assert shown.status == 0
        assert small.ok("list", "--all")["memories"][0]["id"] == id
        filler.unlink()
        assert small.ok("check") == {"problems": []}
        small.ok("add", "There is room again")


@pytest.mark.slow
@pytest.mark.root
def test_a_disk_that_fills_up_at_any_operation_loses_nothing(program: Program, tmp_path: Path) -> None:
    """R9: a small disk, fuller each time; every life is whole up to where it was cut."""
    for room in range(80, 700, 12):
        with small_disk(tmp_path / f"small{room}", f"{room}k") as folder:
            process = replace(program, folder=folder).start(LIFE)
            out, err = process.communicate(timeout=SAFETY_NET_SECONDS)
            acknowledged = out.count(b"done")
            assert process.returncode == 0 or b"StoreUnusable" in err, err
            if (folder / ".tenure" / "memory.db").exists():
                subprocess.run(["mount", "-o", "remount,size=10m", str(folder)], check=True)
                with tenure.open(folder=folder) as ws:
                    assert ws.check() == []
                    assert acknowledged <= len(list(ws.project.store.batches())) <= acknowledged + 1
