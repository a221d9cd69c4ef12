"""The copy of a team's database that prompts read (issue 23): pulled, never waited for, and erased with the rest."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tenure.model.events import Revision
from tenure.model.evolve import born
from tenure.rules.stored_verdict import verdict
from tenure.store import open_elsewhere
from tests import postgres
from tests.program import Program
from tests.store.postgres.test_roles import LIVE, POLICY, memory

pytest.importorskip("psycopg", reason="no driver of PostgreSQL here; the extra `dev` brings it")

PROMPT = json.dumps({"session_id": "s", "prompt": "why do the integration tests of billing fail?"}).encode()
NOBODY = "postgresql://ana:pw@127.0.0.1:9/nothing#billing"


def _said(program: Program, url: str) -> str:
    return program("hook", "prompt", stdin=PROMPT, TENURE_STORE=url, TENURE_HOOK_SECONDS="60").text


def test_one_persons_memory_is_in_anothers_prompt_after_a_pull(program: Program, tmp_path: Path) -> None:
    """A share, a pull, the memory in the other's next prompt; what is retired or forgotten leaves it again."""
    postgres.members_decide()
    project = postgres.project_name()
    ana, ben = (f"{postgres.person(name, 'member')}#{project}" for name in ("ana", "ben"))

    def run(url: str, *words: str) -> Any:
        done = program("--store", url, "--json", *words)
        assert done.status == 0, done.errors
        return done.json

    id = run(ana, "add", "Run make db before the integration tests of billing")["id"]
    assert _said(program, ben) == "", "nothing was pulled yet"
    assert run(ben, "team", "pull")["pulled"]["came"] == 1
    assert id in _said(program, ben)
    assert run(ben, "team", "pull")["pulled"]["came"] == 0
    run(ana, "retire", id, "--reason", "old")
    run(ben, "team", "pull")
    assert id not in _said(program, ben)
    run(ana, "forget", id, "--yes")
    run(ben, "upkeep")
    copies = list(Path(program.home).glob("teams/*.db*"))
    assert copies and not any(b"make db before" in path.read_bytes() for path in copies)


def test_a_prompt_does_not_ask_a_database_that_is_far_or_dead(program: Program) -> None:
    """The hook opens no connection: an address where nobody answers is as quick as none."""
    done = program("hook", "prompt", stdin=PROMPT, TENURE_STORE=NOBODY)
    assert (done.status, done.text) == (0, "")


def test_a_copy_takes_what_changed_and_is_made_anew_where_it_does_not_fit(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Issue 23: replicas prove the chain and rebuild from a snapshot; a ledger that does not hold is refused."""
    import psycopg

    import tenure
    from tenure.model.errors import StoreDamaged
    from tenure.store.replica import Replica

    monkeypatch.setenv("TENURE_HOME", str(tmp_path / "home"))
    monkeypatch.setenv("TENURE_UNATTENDED", "1")
    postgres.members_decide()
    url = f"{postgres.person('ana', 'member')}#{postgres.project_name()}"
    with tenure.open(url, tmp_path) as ws, psycopg.connect(postgres.database(), autocommit=True) as admin:
        first = ws.add("Run make db before the integration tests of billing")
        pulled = ws.pull()
        assert pulled and (pulled.came, pulled.rebuilt) == (1, False)
        ws.log(first.id, "positive")
        pulled = ws.pull()
        assert pulled and (pulled.entry, pulled.came) == (2, 0), "a command brings the copy along"
        number = ws.project.store.project  # type: ignore[attr-defined]
        admin.execute("UPDATE tenure.ledger SET actor = 'eve' WHERE project = %s AND seq = 2", (number,))
        ws.add("Another one, so that there is something to pull")
        copy = Replica(ws.project.place.path)
        copy.keep("replica_mark", "")
        copy.close()
        with pytest.raises(StoreDamaged, match="does not prove itself"):
            ws.pull()


def test_a_restored_backup_makes_the_copy_anew(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Issue 23: a database that went back in time is followed, and what it lost leaves the copy."""
    import psycopg

    import tenure

    monkeypatch.setenv("TENURE_HOME", str(tmp_path / "home"))
    monkeypatch.setenv("TENURE_UNATTENDED", "1")
    postgres.members_decide()
    url = f"{postgres.person('ana', 'member')}#{postgres.project_name()}"
    with tenure.open(url, tmp_path) as ws, psycopg.connect(postgres.database(), autocommit=True) as admin:
        ws.add("Run make db before the integration tests of billing")
        ws.pull()
        lost = ws.add("The cache is warmed at six in the morning")
        number = (ws.project.store.project,)  # type: ignore[attr-defined]
        for table, which in (("memory", "n = 2"), ("posting", "n = 2"), ("ledger", "seq = 2")):
            admin.execute(f"DELETE FROM tenure.{table} WHERE project = %s AND {which}".encode(), number)
        head = "SELECT chain FROM tenure.ledger WHERE project = %s AND seq = 1"
        admin.execute(f"UPDATE tenure.project SET head_seq = 1, head = ({head}) WHERE id = %s".encode(), number * 2)
        pulled = ws.pull()
        assert pulled and pulled.rebuilt and (pulled.gone, pulled.memories) == (1, 1)
        assert lost.id not in [memory.id for memory in ws.memories()]


def test_a_copy_ranks_as_the_database_does(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Issue 23: the same top eight. The copy counted common words when it was filled, and weighed them otherwise."""
    import tenure

    monkeypatch.setenv("TENURE_HOME", str(tmp_path / "home"))
    postgres.members_decide()
    words = ("deploy", "cache", "retry", "queue", "schema", "token", "index", "budget", "region", "worker", "proxy")
    project = postgres.project_name()
    store = open_elsewhere("postgresql", postgres.person("ana", "member"), project)
    for start in (0, 250, 500):
        # In several steps, so that words are counted before all are there.
        items = [
            memory(f"m-{n}", text=" ".join(words[(n * k + k) % (k + 5 - start // 250)] for k in range(1, 7)), **LIVE)
            for n in range(start, start + 250)
        ]
        revisions = [Revision(memory_id=i.id, events=(born(i),), after=i, expected_version=0) for i in items]
        store.commit(revisions, [verdict(item, POLICY) for item in items])
    store.close()
    with tenure.open(f"{postgres.person('ana', 'member')}#{project}", tmp_path) as team:
        team.pull()
        with tenure.open(f"sqlite:{team.project.place.path}", tmp_path) as copy:
            for n in range(len(words)):
                asked = f"{words[n]} {words[(3 * n + 1) % len(words)]} {words[(5 * n + 2) % len(words)]}"
                assert [(hit.id, hit.score) for hit in copy.search(asked, limit=8)] == [
                    (hit.id, hit.score) for hit in team.search(asked, limit=8)
                ]
