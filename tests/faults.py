"""Ways to hurt a store: altered bytes and rows, missing rights, a small disk, a kill at one system call."""

from __future__ import annotations

import ctypes
import os
import random
import resource
import shutil
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import apsw
import pytest

needs_strace = pytest.mark.skipif(shutil.which("strace") is None, reason="strace is not installed")
linux_only = pytest.mark.skipif(sys.platform != "linux", reason="Linux only")
# Not ru_maxrss: a child inherits that of the process it was forked from, which is the whole test suite.
PEAK_KILOBYTES = "print(next(line.split()[1] for line in open('/proc/self/status') if line.startswith('VmHWM')))"
_PR_CAPBSET_DROP = 24
_RIGHTS_OF_ROOT = (1, 2)  # CAP_DAC_OVERRIDE and CAP_DAC_READ_SEARCH


def without_rights_of_root() -> None:
    """Make permissions count for a child process even when the tests run as root."""
    if sys.platform == "linux" and os.geteuid() == 0:
        library = ctypes.CDLL(None)
        for capability in _RIGHTS_OF_ROOT:
            library.prctl(_PR_CAPBSET_DROP, capability, 0, 0, 0)


def files_up_to(size: int) -> None:
    """Make writes beyond this file size fail, as a full disk does."""
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, size))


def sql(database: Path, *statements: str) -> None:
    """Alter a database behind the program's back."""
    connection = apsw.Connection(str(database))
    try:
        for statement in statements:
            connection.execute(statement)
        connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    finally:
        connection.close()


def flip_bits(data: bytes, seed: int) -> Iterator[bytes]:
    """Return copies of the data with one bit turned, chosen anew each time."""
    chosen = random.Random(seed)
    while True:
        position = chosen.randrange(len(data) * 8)
        damaged = bytearray(data)
        damaged[position // 8] ^= 1 << position % 8
        yield bytes(damaged)


@contextmanager
def small_disk(folder: Path, size: str) -> Iterator[Path]:
    """Mount a small disk, or skip the test where that is not allowed."""
    folder.mkdir()
    mounted = subprocess.run(
        ["mount", "-t", "tmpfs", "-o", f"size={size}", "tmpfs", str(folder)], capture_output=True, check=False
    )
    if mounted.returncode:
        pytest.skip("mounting needs root")
    try:
        yield folder
    finally:
        subprocess.run(["umount", str(folder)], check=True, capture_output=True)


def kill_at(syscall: str, number: int) -> list[str]:
    """Return the words that run a program and kill it when it begins its `number`-th call of this kind."""
    inject = f"inject={syscall}:signal=KILL:when={number}"
    return ["strace", "-f", "-qq", "-o", "/dev/null", "-e", f"trace={syscall}", "-e", inject]


def fail_at(syscall: str, when: str, error: str = "EIO") -> list[str]:
    """Return the words that run a program in which this system call fails; `when` as strace takes it."""
    inject = f"inject={syscall}:error={error}:when={when}"
    return ["strace", "-f", "-qq", "-o", "/dev/null", "-e", f"trace={syscall}", "-e", inject]


def count_calls(trace: Path) -> dict[str, int]:
    """Return how often each system call stands in a trace that strace wrote."""
    counts: dict[str, int] = {}
    for line in trace.read_text(errors="replace").splitlines():
        call = line.split(" ", 1)[-1].strip().split("(", 1)[0]
        if call.isidentifier():
            counts[call] = counts.get(call, 0) + 1
    return counts
