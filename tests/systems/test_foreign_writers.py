"""R16 beside a program that takes no lock: of its edits none is lost, and of our acknowledged writes none."""

from __future__ import annotations

import pytest

from tests.program import Program
from tests.systems.duel import SYSTEMS, duel


@pytest.mark.parametrize("name", SYSTEMS)
def test_of_edits_made_beside_our_writes_none_is_lost(name: str, program: Program) -> None:
    """Issue 13: 18 of 205 edits of ArcheFlow's file and 6 of 204 of MEMORY.md were overwritten silently."""
    outcome = duel(SYSTEMS[name], program, writes=10, edits=40, pause=0.05)
    print(outcome)
    assert (outcome.lost_edits, outcome.lost_writes) == ([], [])
    assert outcome.edits == 40 and outcome.writes >= 10


@pytest.mark.slow
@pytest.mark.parametrize("name", SYSTEMS)
def test_of_a_thousand_writes_through_kills_none_is_lost(name: str, program: Program) -> None:
    """Issue 13: 1,000 acknowledged writes through kills beside a foreign writer at 2 edits a second."""
    outcome = duel(SYSTEMS[name], program, writes=1000, edits=1_000_000, pause=0.5, kill=True)
    print(outcome)
    assert (outcome.lost_edits, outcome.lost_writes) == ([], [])
    assert outcome.kills > 5
