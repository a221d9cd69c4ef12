"""A running server and a team's database (issue 23): changes are heard, the outbox is sent, figures are told."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

import tenure
from tenure.store.postgres.connection import close_pools
from tenure.usecases.follow_database import following
from tests import postgres
from tests.postgres import Line
from tests.program import Program

pytest.importorskip("psycopg", reason="no driver of PostgreSQL here; the extra `dev` brings it")


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    postgres.members_decide()
    monkeypatch.setenv("TENURE_HOME", str(tmp_path / "home"))
    monkeypatch.setenv("TENURE_UNATTENDED", "1")
    yield tmp_path
    close_pools()


def _until(holds: Callable[[], bool]) -> None:
    """Wait for something that another thread does; a hang ends with the suite's own net."""
    for _ in range(3000):
        if holds():
            return
        time.sleep(0.02)
    pytest.fail("it did not happen")


def test_a_running_server_hears_of_a_change_and_sends_what_waits(home: Path, program: Program) -> None:
    """Issue 23: pulled on LISTEN by a running `tenure mcp`, which sends the outbox, too."""
    project = postgres.project_name()
    with Line() as line, tenure.open(f"{postgres.person('ben', 'member')}#{project}", home) as ben:
        ben.add("Run make db before the integration tests of billing")
        url = f"{line.through(postgres.person('ana', 'member'))}#{project}"
        with tenure.open(url, home) as ana:
            ana.pull()
            copy = ana.project.place.path
        with following(url, str(home)):
            second = ben.add("The staging database is reset on Sundays")
            _until(lambda: second.id in _ids(copy))
            line.cut()
            close_pools()
            with tenure.open(url, home) as ana:
                made = ana.add("Deploys are frozen from Friday noon")
            assert any("outbox" in note for note in made.notes) and made.id not in str(ben.memories())
            line.mend()
            _until(lambda: any(one.id == made.id for one in ben.memories()))
            _until(lambda: made.id in _ids(copy))


def test_figures_say_which_copies_are_behind_and_forget_names_them(home: Path, program: Program) -> None:
    """Issue 23: metrics for Prometheus, and `forget` that tells which replicas have not pulled."""
    project = postgres.project_name()
    url = f"{postgres.person('ana', 'member')}#{project}"
    other = f"{postgres.person('ben', 'member')}#{project}"
    with tenure.open(url, home) as ana:
        kept, id = (ana.add(f"{what} is done with make {what}").id for what in ("Packaging", "Profiling"))
        program.ok("--store", other, "team", "pull")
        ana.pull()
        ana.log(kept, "positive")
        text = ana.team_stats().prometheus
        assert f'tenure_memories{{project="{project}"}} 2' in text
        behind = [line.rpartition(" ")[2] for line in text.splitlines() if line.startswith("tenure_copy_behind{")]
        assert sorted(behind) == ["0", "1"]
    erased = program.ok("--store", url, "forget", id, "--yes")
    assert [copy.partition(" on ")[0] for copy in sorted(erased["copies"])] == ["ana", "ben"]
    assert json.loads(program("--store", other, "--json", "team", "stats").out)["figures"]["memories"] == 1


def _ids(path: Path) -> list[str]:
    from tenure.store import open_store

    store = open_store(path)
    try:
        return store.ids()
    finally:
        store.close()
