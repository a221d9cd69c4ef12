"""S9, R7: somebody swaps the store's folder for a link while it is used; and a backup while others write."""

from __future__ import annotations

import time
from pathlib import Path

import pytest

import tenure
from tenure.store.sqlite import migrate
from tests.opened import database
from tests.program import Program
from tests.store.test_concurrency import WRITER, finish

# Swaps the folder of a store for a link to a place outside, and back, until it is killed.
SWAP = """
import os
print("swapping", flush=True)
while True:
    os.rename("project/.tenure", "project/aside")
    os.symlink("../outside", "project/.tenure")
    os.unlink("project/.tenure")
    os.rename("project/aside", "project/.tenure")
"""


@pytest.mark.parametrize(
    "seconds", [pytest.param(2, id="short"), pytest.param(60, id="minute", marks=pytest.mark.slow)]
)
def test_a_folder_swapped_for_a_link_lets_no_text_out(seconds: int, program: Program, tmp_path: Path) -> None:
    """S9: symlink swap race; each try works, or says what is wrong, and no memory is written outside.

    SQLite opens its side files by name, so an empty one may appear there.
    """
    program.ok("add", "First")
    outside = tmp_path / "outside"
    outside.mkdir()
    swapper = Program(tmp_path, program.home).start(SWAP)
    assert swapper.stdout is not None and swapper.stdout.readline() == b"swapping\n"
    until, tries = time.monotonic() + seconds, 0
    try:
        while time.monotonic() < until:
            tries += 1
            done = program("--json", "add", f"try{tries} was made")
            assert done.status in (0, 3, 5), done.err
    finally:
        swapper.kill()
        swapper.communicate()
    found = {path.name: path.read_bytes() for path in outside.iterdir()}
    print(f"{tries} tries in {seconds} seconds, outside: { {name: len(data) for name, data in found.items()} }")
    assert not [name for name, data in found.items() if b"was made" in data or name == ".gitignore"]


def test_a_backup_made_while_eight_write_passes_every_check(program: Program) -> None:
    """R7: SQLite's own backup, under load."""
    with tenure.open(folder=program.folder) as ws:
        shared = ws.add("The memory that everybody uses").id
        writers = [program.start(WRITER, f"w{n}", "4", shared) for n in range(8)]
        for number in range(4):
            migrate.back_up(database(ws).connection, program.folder / f"copy{number}.db")
        finish(writers)
    for number in range(4):
        with tenure.open(f"sqlite:{program.folder / f'copy{number}.db'}", program.folder) as copy:
            assert copy.check() == [] and copy.get(shared).id == shared
