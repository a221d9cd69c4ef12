"""The copy of a team's database that prompts read (issue 23): pulled, never waited for, and erased with the rest."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests import postgres
from tests.program import Program

pytest.importorskip("psycopg", reason="no driver of PostgreSQL here; the extra `dev` brings it")

PROMPT = json.dumps({"session_id": "s", "prompt": "why do the integration tests of billing fail?"}).encode()
NOBODY = "postgresql://ana:pw@127.0.0.1:9/nothing#billing"


def _said(program: Program, url: str) -> str:
    return program("hook", "prompt", stdin=PROMPT, TENURE_STORE=url).text


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
