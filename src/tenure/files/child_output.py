"""What a child process prints, waited for only while the child works.

A program that opens a named pipe in place of a file sleeps until somebody writes there, for ever. The one rule: a
child that sleeps, prints nothing and uses no processor time for `SILENT_SECONDS` gives no answer any more. Only
Linux tells that; elsewhere the caller's deadline ends the wait.
"""

from __future__ import annotations

import os
import select
import subprocess
from collections.abc import Callable

from tenure.model import clock

SILENT_SECONDS = 3.0
LOOK_SECONDS = 0.2
CHUNK = 1 << 16
SILENT = "it waited for something that is no file"


class Watch:
    """Whether a process still works; asked again and again while nothing comes from it."""

    def __init__(self, pid: int) -> None:
        self._pid = pid
        self._ticks = b""
        self._recently = clock.within(SILENT_SECONDS)

    def is_silent(self) -> bool:
        """Tell whether the process has slept all the time for `SILENT_SECONDS`."""
        ticks = _asleep_at(self._pid)
        if not ticks or ticks != self._ticks:
            self._ticks = ticks
            self._recently = clock.within(SILENT_SECONDS)
        return not self._recently()


class Output:
    """The output of a process, read as it comes."""

    def __init__(self, process: subprocess.Popen[bytes]) -> None:
        assert process.stdout is not None
        self._pid, self._source = process.pid, process.stdout.fileno()
        self._kept = bytearray()

    def chunk(self, in_time: Callable[[], bool]) -> bytes:
        """Return what comes next, nothing at the end; raise `TimeoutError` when nothing comes in time."""
        watch = Watch(self._pid)
        while not select.select([self._source], [], [], LOOK_SECONDS)[0]:
            if not in_time():
                raise TimeoutError
            if watch.is_silent():
                raise TimeoutError(SILENT)
        return os.read(self._source, CHUNK)

    def line(self, in_time: Callable[[], bool]) -> bytes:
        """Return one line with its end, or what is left without one."""
        looked = 0
        while (end := self._kept.find(b"\n", looked)) < 0:
            looked = len(self._kept)
            if not (more := self.chunk(in_time)):
                return self._cut(looked)
            self._kept += more
        return self._cut(end + 1)

    def exactly(self, count: int, in_time: Callable[[], bool]) -> bytes:
        """Return so many bytes, or what is left where there are fewer."""
        while len(self._kept) < count and (more := self.chunk(in_time)):
            self._kept += more
        return self._cut(min(count, len(self._kept)))

    def _cut(self, count: int) -> bytes:
        part = bytes(self._kept[:count])
        del self._kept[:count]
        return part


def _asleep_at(pid: int) -> bytes:
    """Return how much processor time a sleeping process has used; nothing for one that works, or is not to be seen."""
    try:
        with open(f"/proc/{pid}/stat", "rb") as file:
            state, *facts = file.read().rpartition(b")")[2].split()
    except (OSError, ValueError):
        return b""
    return b" ".join(facts[10:12]) if state == b"S" else b""
