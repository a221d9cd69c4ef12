"""R9: a full disk fails clean, reading and injecting go on, and what lets go of something works."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

import tenure
from tenure.model.errors import StoreUnusable
from tenure.store.sqlite import reserve
from tests.faults import small_disk
from tests.opened import database
from tests.program import Program
from tests.store.test_crashes import fill

LATER = "2099-01-01T00:00:00Z"


def test_a_store_puts_space_by_for_its_owner_only(program: Program) -> None:
    """R9: allocated for real, private, and neither damage nor junk to `check` and `doctor`."""
    program.ok("add", "Written while there was room")
    facts = Path(reserve.place(program.database)).stat()
    assert facts.st_size == reserve.BYTES == facts.st_blocks * 512 and facts.st_mode & 0o777 == 0o600
    assert program.ok("check") == {"problems": []}
    assert [item["ok"] for item in program("--json", "doctor").json["checks"] if item["name"] == "store"] == [True]


def test_a_reserve_that_was_deleted_is_made_again(program: Program) -> None:
    """R9: it may go at any time."""
    program.ok("add", "First")
    Path(reserve.place(program.database)).unlink()
    program.ok("add", "Something else")
    assert Path(reserve.place(program.database)).stat().st_size == reserve.BYTES


def test_a_link_in_the_place_of_the_reserve_is_left_alone(program: Program, tmp_path: Path) -> None:
    """S9: a cloned project cannot make us write elsewhere."""
    program.ok("add", "First")
    Path(reserve.place(program.database)).unlink()
    Path(reserve.place(program.database)).symlink_to(tmp_path / "elsewhere")
    program.ok("add", "Something else")
    assert not (tmp_path / "elsewhere").exists()


def test_the_reserve_is_given_up_once_and_only_for_a_full_disk(
    program: Program, monkeypatch: pytest.MonkeyPatch
) -> None:
    """R9: any other failure is told as it is, and a second one as well."""
    with tenure.open(folder=program.folder) as ws:
        ws.add("First")
        tried = []

        def fails() -> None:
            tried.append(Path(reserve.place(program.database)).exists())
            raise StoreUnusable("No.")

        with pytest.raises(StoreUnusable), reserve.at_hand(database(ws)) as do:
            do(fails)
        assert tried == [True] and Path(reserve.place(program.database)).exists()
        monkeypatch.setattr(reserve, "_free", lambda folder: 0)
        with pytest.raises(StoreUnusable), reserve.at_hand(database(ws)) as do:
            do(fails)
        assert tried == [True, True, False]


@pytest.mark.root
def test_on_a_full_disk_forgetting_retiring_and_collecting_work(program: Program, tmp_path: Path) -> None:
    """R9 on a real full disk: adding fails clean, reading goes on, letting go works, erased words are gone."""
    with small_disk(tmp_path / "small", "4m") as folder:
        small = replace(program, folder=folder)
        for n in range(6):
            small.ok("add", f"granite{n} zebraxylophone{n} belongs here", "--id", f"m-{n}")
        small.ok("retire", "m-5", "--reason", "over")
        assert Path(reserve.place(small.database)).exists()
        fill(folder / "filler")
        done = small("--json", "add", "word " * 9000)
        assert (done.status, done.error["code"]) == (5, "STORE_UNUSABLE") and done.error["hint"], done.err
        assert small("--json", "inject", "granite1").status == 0
        assert len(small.ok("list")["memories"]) == 5
        small.ok("forget", "m-0", "--yes")
        small.ok("retire", "m-1", "--reason", "over")
        assert "m-5" in small.ok("gc", TENURE_NOW=LATER)["purged"]
        assert not any(b"zebraxylophone0" in data for data in small.owned().values())
        assert small.ok("check") == {"problems": []}
        (folder / "filler").unlink()
        small.ok("add", "There is room again")
        assert Path(reserve.place(small.database)).exists() and small.ok("check") == {"problems": []}
