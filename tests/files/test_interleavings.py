"""R16: a neighbour's steps between any two system calls of ours, and none of its edits is lost.

The neighbour reads a file, adds a word and writes it back, by a rename or in place, slowly or not. A seed says at
which of our calls each of its steps happens.
"""

from __future__ import annotations

import contextlib
import json
import os
import random
import sys
from collections.abc import Iterator
from pathlib import Path
from types import FrameType

import pytest

from tenure.files import exchange, steps
from tenure.files.durable import fingerprint
from tenure.files.shared_folder import Folder
from tenure.model.errors import Conflict
from tests.program import Program

# What may lie between a neighbour's two steps: any call that touches a file, a rename of ours, a wait.
MODULES = ("posix", "time")


class Neighbour:
    """A program that takes no lock, one step at a time."""

    def __init__(self, path: Path, chosen: random.Random, points: list[int]) -> None:
        self.words: list[str] = []
        self._path, self._chosen, self._points, self._calls = path, chosen, points, 0
        self._steps, self._busy = self._edits(6), False

    def watch(self, frame: FrameType, event: str, called: object) -> None:
        """Count a call of ours, and take the steps that are due."""
        if event == "c_call" and not self._busy and getattr(called, "__module__", "") in MODULES:
            self._calls += 1
            while self._points and self._calls >= self._points[0]:
                self._points.pop(0)
                self.step()

    def step(self) -> bool:
        """Take one step; False when there is none left."""
        self._busy = True
        try:
            return next(self._steps, None) is not None
        finally:
            self._busy = False

    def _edits(self, count: int) -> Iterator[str]:
        for number in range(count):
            document = json.loads(self._path.read_text("utf-8"))
            document["body"].append(f"foreign{number}")
            after = json.dumps(document, indent=2) + "\n"
            yield "read"
            if self._chosen.random() < 0.5:
                beside = self._path.with_name("edited~")
                beside.write_text(after, "utf-8")
                os.replace(beside, self._path)
            else:
                yield from self._in_place(after)
            self.words.append(f"foreign{number}")
            yield "edited"

    def _in_place(self, after: str) -> Iterator[str]:
        with open(self._path, "w", encoding="utf-8") as file:
            yield "opened"
            file.write(after)
            file.flush()
            if self._chosen.random() < 0.3:
                yield "flushed"


def count_up(folder: Folder, *, take_back: bool) -> None:
    """Change the file as a command does: what a neighbour spoilt is tried again."""
    for _ in range(30):
        with contextlib.suppress(Conflict, ValueError), folder.locked():
            folder.sweep([""])
            data = folder.read("entry.json") or b""
            document = json.loads(data)
            document["count"] += 1
            after = json.dumps(document, indent=2).encode() + b"\n"
            undo = steps.apply(folder, [steps.Write("entry.json", after, fingerprint(data))])
            if take_back:
                steps.take_back(folder, undo)
            return


def lost(tmp_path: Path, seed: int) -> list[str]:
    """Return the neighbour's words that stand nowhere after four changes of ours between its steps."""
    chosen = random.Random(seed)
    path = tmp_path / f"project{seed}" / "memory" / "entry.json"
    path.parent.mkdir(parents=True)
    path.write_text(json.dumps({"body": ["first"], "count": 0}, indent=2) + "\n", "utf-8")
    folder = Folder(path.parent)
    first, close_by = chosen.randrange(1, 200), chosen.random() < 0.6
    points = sorted(
        first + chosen.randrange(40) if close_by else chosen.randrange(1, 400) for _ in range(chosen.randrange(3, 14))
    )
    neighbour = Neighbour(path, chosen, points)
    before = sys.getprofile()
    sys.setprofile(neighbour.watch)
    try:
        for _ in range(4):
            count_up(folder, take_back=chosen.random() < 0.2)
    finally:
        sys.setprofile(before)
    while neighbour.step():
        pass
    count_up(folder, take_back=False)
    texts = [file.read_bytes() for file in path.parent.parent.rglob("*") if file.is_file()]
    return [word for word in neighbour.words if not any(word.encode() in text for text in texts)]


@pytest.mark.parametrize(
    ("seeds", "looks"),
    [
        pytest.param(range(12), 8, id="short"),
        pytest.param(range(100, 3000), 8, id="slow-writers", marks=pytest.mark.slow),
        pytest.param(range(3000, 4000), 60, id="patient", marks=pytest.mark.slow),
    ],
)
def test_of_edits_between_any_two_calls_none_is_lost(
    seeds: range, looks: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """One seed in a hundred lost an edit: a file was removed, or its copy made, while it was still being written."""
    monkeypatch.setattr(exchange, "_LOOKS", looks)
    monkeypatch.setattr(exchange, "_PAUSE_SECONDS", 0)
    monkeypatch.setattr(os, "fsync", lambda handle: None)
    assert {seed: words for seed in seeds if (words := lost(tmp_path, seed))} == {}


def test_what_somebody_is_still_writing_is_not_thrown_away(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """An edit comes out of an exchange, another program opens ours meanwhile and takes longer than we wait."""
    monkeypatch.setattr(exchange, "_LOOKS", 2)
    folder = Folder(tmp_path / "memory")
    folder.replace("a.json", b"first", expected=None)
    path, real = folder.root / "a.json", exchange.exchange
    opened: list[int] = []

    def meddled(handle: int, one: str, other: str) -> None:
        if not opened:
            path.write_bytes(b"their edit")
        real(handle, one, other)
        if not opened:
            opened.append(os.open(path, os.O_WRONLY | os.O_TRUNC))

    monkeypatch.setattr(exchange, "exchange", meddled)
    with pytest.raises(Conflict):
        folder.replace("a.json", b"ours", expected=fingerprint(b"first"))
    os.write(opened[0], b"their slow edit")
    os.close(opened[0])
    folder.sweep([""])
    found = [file.read_bytes() for file in tmp_path.rglob("*") if file.is_file()]
    assert path.read_bytes() == b"their edit" and b"their slow edit" in found
    assert [name for name in folder.names() if name.endswith(".tmp")] == []


# Another program opens the file in the very moment between our taking the lease and giving it up.
LOOKER = """
import contextlib, fcntl, os, sys
from tenure.files import exchange
real = fcntl.fcntl
def meddled(handle, what, *more):
    if (what, *more) == (fcntl.F_SETLEASE, fcntl.F_UNLCK):
        with contextlib.suppress(BlockingIOError):
            os.open(sys.argv[1], os.O_WRONLY | os.O_NONBLOCK)
    return real(handle, what, *more)
fcntl.fcntl = meddled
print(exchange.settled(os.open(sys.argv[1], os.O_RDONLY)))
"""


def test_looking_whether_a_file_is_open_does_not_end_us(program: Program) -> None:
    """The kernel sends a signal to whoever holds a lease that another program breaks; by default it ends a process."""
    (program.folder / "a.json").write_bytes(b"first")
    looking = program.start(LOOKER, "a.json")
    out, err = looking.communicate()
    assert (looking.returncode, out, err) == (0, b"True\n", b"")
