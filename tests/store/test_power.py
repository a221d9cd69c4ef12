"""R1: the power fails right after a success was reported; needs root, a loop device and mkfs."""

from __future__ import annotations

import fcntl
import os
import random
import shutil
import struct
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

import pytest

import tenure
from tests.program import Program
from tests.store.test_concurrency import SAFETY_NET_SECONDS
from tests.store.test_crashes import ENDLESS

# The ioctl by which a file system drops everything that was not flushed, its own log included.
_SHUTDOWN, _WITHOUT_FLUSHING = 0x8004587D, 2
_SIZE = 320 * 1024 * 1024
# Every fault is another one, so that a cut falls on the writing of memories, of the log and of the merge.
_MOST_SUCCESSES = 40


@contextmanager
def mounted(image: Path, folder: Path) -> Iterator[None]:
    """Mount the image, or skip where that is not allowed."""
    done = subprocess.run(["mount", "-o", "loop", str(image), str(folder)], capture_output=True, check=False)
    if done.returncode:
        pytest.skip(f"mounting needs root and a loop device: {done.stderr.decode().strip()}")
    try:
        yield
    finally:
        subprocess.run(["umount", str(folder)], check=True, capture_output=True)


def cut_power(folder: Path) -> None:
    """Stop the file system at once, as a power cut does."""
    handle = os.open(folder, os.O_RDONLY)
    try:
        fcntl.ioctl(handle, _SHUTDOWN, struct.pack("I", _WITHOUT_FLUSHING))
    finally:
        os.close(handle)


def succeed(program: Program, cut: int, successes: int, folder: Path) -> list[str]:
    """Write until so many successes were reported, cut the power, and return the ids that were."""
    process = program.start(ENDLESS, f"cut{cut:02d}")
    assert process.stdout is not None
    ids = [process.stdout.readline().decode().strip() for _ in range(successes)]
    cut_power(folder)
    process.kill()
    process.communicate(timeout=SAFETY_NET_SECONDS)
    return ids


@pytest.mark.root
@pytest.mark.parametrize("cuts", [pytest.param(2, id="two"), pytest.param(60, id="sixty", marks=pytest.mark.slow)])
@pytest.mark.parametrize("kind", ["ext4", "xfs"])
def test_no_success_is_lost_to_a_power_cut(kind: str, cuts: int, program: Program, tmp_path: Path) -> None:
    """R1: every memory reported before a cut is there after it, and the store proves itself."""
    if os.geteuid() or shutil.which(f"mkfs.{kind}") is None:
        pytest.skip(f"needs root and mkfs.{kind}")
    image, folder = tmp_path / "disk", tmp_path / "mounted"
    folder.mkdir()
    with image.open("wb") as file:
        file.truncate(_SIZE)
    subprocess.run([f"mkfs.{kind}", "-q", str(image)], check=True, capture_output=True)
    on_disk, chosen = replace(program, folder=folder), random.Random(9)
    told: set[str] = set()
    for cut in range(cuts):
        with mounted(image, folder):
            told.update(succeed(on_disk, cut, chosen.randrange(1, _MOST_SUCCESSES), folder))
        with mounted(image, folder), tenure.open(folder=folder) as ws:
            assert told <= {memory.id for memory in ws.memories(all=True)}
            assert ws.check() == []
    print(f"{cuts} power cuts on {kind}: {len(told)} successes, none lost")
