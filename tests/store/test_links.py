"""S9, R7: somebody swaps the store's folder for a link while it is used; and a backup while others write."""

from __future__ import annotations

import contextlib
import os
import time
from pathlib import Path

import pytest

import tenure
from tenure.files import settings
from tenure.model.errors import StoreUnusable
from tenure.store.sqlite import Database, connection, lazy_connection, migrate
from tests.opened import database
from tests.program import Program
from tests.store.test_concurrency import WRITER, finish

# Swaps a folder for a link to a place outside, and back, until it is killed; one made in between gives way.
# It goes on when our program has made the folder meanwhile, however often.
SWAP = """
import contextlib, os, shutil, sys
folder, aside, outside = sys.argv[1:]
print("swapping", flush=True)
while True:
    try:
        os.rename(folder, aside)
        os.symlink(outside, folder)
        os.unlink(folder)
        os.rename(aside, folder)
    except OSError:
        while os.path.isdir(aside):
            with contextlib.suppress(OSError):
                if os.path.islink(folder):
                    os.unlink(folder)
                shutil.rmtree(folder, ignore_errors=True)
                os.rename(aside, folder)
"""


@pytest.mark.parametrize(
    "seconds", [pytest.param(2, id="short"), pytest.param(60, id="minute", marks=pytest.mark.slow)]
)
def test_a_folder_swapped_for_a_link_lets_no_text_out(seconds: int, program: Program, tmp_path: Path) -> None:
    """S9: symlink swap race; each try works, or says what is wrong, and nothing is written outside."""
    program.ok("add", "First")
    outside = tmp_path / "outside"
    outside.mkdir()
    swapper = program.start(SWAP, ".tenure", "aside", str(outside))
    assert swapper.stdout is not None and swapper.stdout.readline() == b"swapping\n"
    until, tries = time.monotonic() + seconds, 0
    try:
        while time.monotonic() < until:
            tries += 1
            done = program("--json", "add", f"try{tries} was made")
            assert done.status in (0, 3, 5), done.err
    finally:
        died = swapper.poll()
        swapper.kill()
        swapper.communicate()
    assert died is None
    found = {path.name: path.stat().st_size for path in outside.iterdir()}
    print(f"{tries} tries in {seconds} seconds, outside: {found}")
    if by_descriptor():
        assert found == {}


def by_descriptor() -> bool:
    """Tell whether this system has names for what lies in a folder that is open."""
    return hasattr(os, "O_PATH") and Path("/proc/self/fd").is_dir()


@pytest.mark.skipif(not by_descriptor(), reason="docs/guarantees.md, limits: S9; no names by descriptor here")
@pytest.mark.parametrize("moment", ["refuse_links", "holding", "_set"])
def test_a_folder_swapped_in_any_moment_of_opening_leads_nowhere(
    moment: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """S9: SQLite opens database, log and shared memory by name and at its own time; the race above, made certain."""
    outside, folder, real = tmp_path / "outside", tmp_path / ".tenure", getattr(connection, moment)
    outside.mkdir()
    with tenure.open(folder=tmp_path) as ws:
        ws.add("First")

    def swap() -> None:
        if not folder.is_symlink():
            folder.rename(tmp_path / "aside")
            folder.symlink_to(outside)

    def swapped(*given: object) -> object:
        if moment == "refuse_links":
            found = real(*given)
            swap()
            return found
        swap()
        return real(*given)

    for module in (connection, lazy_connection):
        monkeypatch.setattr(module, moment, swapped, raising=False)
    with contextlib.suppress(StoreUnusable), tenure.open(folder=tmp_path) as ws:
        ws.add("Second")
    assert folder.is_symlink() and list(outside.iterdir()) == []


@pytest.mark.skipif(not by_descriptor(), reason="docs/guarantees.md, limits: S9; no names by descriptor here")
def test_an_open_store_goes_on_in_its_own_folder_when_that_is_swapped(tmp_path: Path) -> None:
    """S9: the log is made by name at the first change, long after the database was opened."""
    outside, folder = tmp_path / "outside", tmp_path / ".tenure"
    outside.mkdir()
    with tenure.open(folder=tmp_path) as ws:
        ws.add("First")
    opened = Database(str(folder / "memory.db"))
    folder.rename(tmp_path / "aside")
    folder.symlink_to(outside)
    opened.execute("UPDATE meta SET value = value")
    opened.close()
    assert list(outside.iterdir()) == []
    assert opened.folder is None, "its folder is closed with it"


def test_a_link_that_goes_while_settings_are_looked_for_is_no_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """S9: the swap above now and then ended in FileNotFoundError, between two looks at one link."""
    (tmp_path / "outside").mkdir()
    (tmp_path / ".tenure").symlink_to("outside")

    def gone(path: str, *, dir_fd: int | None = None) -> str:
        raise FileNotFoundError(2, "No such file or directory", path)

    monkeypatch.setattr(os, "readlink", gone)
    assert settings.read(tmp_path / ".tenure" / "config.toml") == {}


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
