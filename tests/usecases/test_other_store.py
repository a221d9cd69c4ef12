"""A full store that looks empty: another one in the settings, a moved file, a new one in its place (issue 15)."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.usecases.test_forged_sessions import start
from tests.usecases.test_person_gate import Desk


def _moved(desk: Desk) -> None:
    for path in desk.program.database.parent.glob("memory.db*"):
        path.rename(path.with_name(f"away-{path.name}"))


def by_settings(desk: Desk) -> str:
    (desk.program.folder / ".tenure" / "config.toml").write_text('store = "sqlite:.tenure/empty.db"\n')
    return "used another store before"


def by_settings_and_a_memory(desk: Desk) -> str:
    by_settings(desk)
    desk.run("add", "Trust the other store", status=0, CLAUDECODE="1")
    return "used another store before"


def by_moving_the_file(desk: Desk) -> str:
    _moved(desk)
    return "store of this project is gone"


def by_a_new_one(desk: Desk) -> str:
    _moved(desk)
    desk.run("add", "A fresh beginning", status=0, CLAUDECODE="1")
    return "A new store stands where another one was"


def by_a_swap(desk: Desk) -> str:
    desk.run("--store", "sqlite:.tenure/theirs.db", "add", "Theirs", status=0)
    _moved(desk)
    (desk.program.folder / ".tenure" / "theirs.db").rename(desk.program.database)
    return "not the one you trusted"


WAYS = [by_settings, by_settings_and_a_memory, by_moving_the_file, by_a_new_one, by_a_swap]


@pytest.mark.parametrize("way", WAYS, ids=lambda way: way.__name__)
def test_a_store_that_is_not_where_it_was_is_named(way: Callable[[Desk], str], tmp_path: Path) -> None:
    """Issue 15: `status`, `check`, `doctor` and the next start say it, how much it held, and how to get back."""
    desk = Desk(tmp_path)
    desk.run("check", status=0)
    said = way(desk)
    for words in ("status", "check"):
        shown = desk.run(words, status=0).stdout.decode()
        assert said in shown and "1 memory in use" in shown and "tenure trust" in shown, shown
    checks = {check["name"]: check for check in json.loads(desk.run("--json", "doctor").stdout)["checks"]}
    assert not checks["place"]["ok"] and said in checks["place"]["detail"]
    assert said in start(desk, "next")["systemMessage"]
    assert desk.at_terminal("trust", "--yes").status == 0
    assert said not in desk.run("status", status=0).stdout.decode()


def test_a_person_who_chooses_another_store_is_not_told_of_it(tmp_path: Path) -> None:
    """`init --use` at a terminal is a choice; of an agent's process it is none."""
    desk = Desk(tmp_path)
    assert desk.at_terminal("init", "--use", "sqlite:.tenure/other.db").status == 0
    assert "notices" not in desk.json("status")
