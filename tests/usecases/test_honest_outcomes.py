"""Outcomes that do not lie: what is only read from how a session went is counted, and called nothing more."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import tenure
from tenure.store import open_for_hook
from tenure.workspace import Workspace

NONSENSE = "Quizzical wombats juggle marigold lanterns"


@pytest.fixture
def ws(tmp_path: Path) -> Workspace:
    return tenure.open("sqlite:x.db", tmp_path)


def turned_green(ws: Workspace, tmp_path: Path, id: str, session: str, *said: str) -> None:
    """Let the worker learn from a session that was shown a memory, cited it, and whose tests then passed."""
    path = tmp_path / f"{session}.jsonl"
    turns = [("user", "fix the tests"), ("assistant", f"By {id}, done."), *(("user", each) for each in said)]
    records = [
        {"type": role, "uuid": f"{session}{n}", "message": {"role": role, "content": text}}
        for n, (role, text) in enumerate(turns)
    ]
    path.write_text("".join(json.dumps(record) + "\n" for record in records), "utf-8")
    journal: list[dict[str, Any]] = [
        {"event": "shown", "shown": [id]},
        {"event": "command", "what": "make test", "ok": False, "error": 1},
        {"event": "command", "what": "make test", "ok": True},
    ]
    ws.learn(session=session, host="claude-code", transcript=str(path), journal=journal)


def test_tests_that_turn_green_earn_random_words_nothing(ws: Workspace, tmp_path: Path) -> None:
    """Issue 16: 60 of 60 memories made of random words earned three "successes"; none is called help or promotes."""
    made = ws.add(NONSENSE, kind="lesson")
    for session in ("one", "two", "three", "four", "five", "six"):
        turned_green(ws, tmp_path, made.id, session)
    ws.upkeep()
    after = ws.get(made.id)
    assert (after.signals.successful_reuses, after.helped_at, after.state) == (6, None, "provisional")
    [hit] = ws.search("wombats juggle marigold")
    assert "helped" not in hit.why
    store = open_for_hook(str(tmp_path / "x.db"), lambda: False)
    try:
        [row] = store.find(1, ids=[made.id])
        facts = store.facts(row)
    finally:
        store.close()
    assert facts is not None and facts.helped == 0


def test_a_person_who_says_that_it_helped_is_believed(ws: Workspace) -> None:
    """The other side: a logged success is one, and raises the rank."""
    made = ws.add(NONSENSE, kind="lesson")
    ws.log(made.id, "positive", task="T-1")
    assert ws.get(made.id).helped_at is not None
    [hit] = ws.search("wombats juggle marigold")
    assert "helped" in hit.why


@pytest.mark.parametrize(
    ("said", "failures"),
    [("No, then it's good", 0), ("no, that's fine, go on", 0), ("No, that is wrong", 1)],
)
def test_a_no_that_agrees_is_no_blame(said: str, failures: int, ws: Workspace, tmp_path: Path) -> None:
    """Issue 16: "no, then it's good" is no blame."""
    made = ws.add(NONSENSE, kind="lesson")
    turned_green(ws, tmp_path, made.id, "one", said)
    assert ws.get(made.id).signals.failed_reuses == failures
