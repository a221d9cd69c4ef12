"""`scripts/bench learning --left-out`: candidates of people whom the weights were not fitted on."""

from __future__ import annotations

import sys
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from tenure.capture import lasting

SCRIPTS = Path(__file__).resolve().parents[2] / "scripts"
RULE = "We use tabs in every module, not spaces."
OWNERS = [f"owner{number:02}" for number in range(12)]


@pytest.fixture
def fit_lasting(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    monkeypatch.syspath_prepend(str(SCRIPTS / "data" / "learning"))
    monkeypatch.syspath_prepend(str(SCRIPTS))
    for name in [name for name in sys.modules if name.startswith(("learning_", "fit_lasting"))]:
        monkeypatch.delitem(sys.modules, name)
    import fit_lasting

    return fit_lasting


@pytest.fixture
def left_out(fit_lasting: ModuleType) -> ModuleType:
    import learning_left_out

    return learning_left_out


def row(person: str, *signs: str, lasts: bool) -> dict[str, Any]:
    return {"person": person, "signs": set(signs), "lasts": lasts, "unsure": False, "labels": []}


def judged(of_one: bool) -> list[dict[str, Any]]:
    """Twelve people say the same; one person's verdicts are the others' or the opposite."""
    return [
        row(owner, sign, lasts=(sign == "must") == (of_one if owner == OWNERS[0] else True))
        for owner in OWNERS
        for sign in ("must", "doubts")
        for _ in range(30)
    ]


def test_nobodys_verdicts_count_in_the_weights_that_they_are_scored_with(fit_lasting: ModuleType) -> None:
    """Ours: figures of people who were fitted on are no score; here one person is judged the other way round."""
    agreeing, opposing = (fit_lasting.left_out(judged(of_one)) for of_one in (True, False))
    # Groups are every tenth person by name, so the eleventh is left out with the first.
    for owner in (OWNERS[0], OWNERS[10]):
        assert agreeing[owner].of == pytest.approx(opposing[owner].of, abs=0.011)
    for owner in (*OWNERS[1:10], OWNERS[11]):
        assert agreeing[owner].of["must"] > opposing[owner].of["must"] + 0.5


def session(owner: str, *said: str, copy_of: str = "") -> tuple[dict[str, Any], list[dict[str, Any]]]:
    turns = [{"who": "human", "n": number, "text": text} for number, text in enumerate(said, start=1)]
    return {"key": f"{owner}-1", "repo": f"{owner.title()}/repo"} | ({"copy_of": copy_of} if copy_of else {}), turns


def label(owner: str, turn: int, start: int, end: int) -> dict[str, Any]:
    return {
        "id": f"{owner}.{turn}",
        "session": f"{owner}-1",
        "turn": turn,
        "start": start,
        "end": end,
        "memory": f"{owner}.m",
    }


def test_sessions_are_counted_with_the_weights_of_their_person(left_out: ModuleType) -> None:
    """Ours: the weights that the others gave; the same sentence is a candidate of one and none of another."""
    never, always = (lasting.Weights(base, {}) for base in (-9.0, 9.0))
    sessions = [session("ann", RULE), session("bob", RULE)]
    labels = [label("ann", 1, 0, len(RULE)), label("bob", 1, 0, len(RULE))]
    counts = left_out.learning_counting.count(sessions, labels, {}, {"ann": never, "bob": always})
    assert counts.made == {"keep": 1} and counts.found == {"bob.1"} and counts.people == {"ann", "bob"}


def test_a_line_adds_halves_and_counts_a_person_once(left_out: ModuleType) -> None:
    """Ours: keep overlaps a label, half stands beside one, junk is the rest; a person may be in two halves."""
    every = {owner: lasting.Weights(9.0, {}) for owner in ("ann", "bob")}
    two = f"{RULE} Keep the tests beside the modules they cover."
    one = left_out.learning_counting.count([session("ann", two)], [label("ann", 1, 0, len(RULE))], {}, every)
    other = left_out.learning_counting.count(
        [session("ann", RULE), session("bob", "From now on always run the linter before a commit."), session("eve")],
        [],
        {},
        every,
    )
    assert left_out.line("all", [(one, 1), (other, 3)]) == (
        "all: 3 people, 4 sessions (1 gave no turn); 4 candidates: 1 keep, 1 half, 2 junk (50.0% keep or half);"
        " 1 of 4 labels found (25.0%); live at once and right 0 of 1"
    )


def test_copies_teach_nothing(left_out: ModuleType) -> None:
    """Ours, scripts/data/learning/README.md: a fork or a copy of a session is the same run."""
    every = {"ann": lasting.Weights(9.0, {})}
    count = left_out.learning_counting.count
    assert count([session("ann", RULE)], [], {}, every).made.total() == 1
    assert count([session("ann", RULE, copy_of="bob-1")], [], {}, every).made.total() == 0
