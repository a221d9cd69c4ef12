"""P4: what came of a forgotten memory is found by its lineage and named; the ledger keeps no content."""

from __future__ import annotations

from tests.program import Program

CANARY = "heliotrope"


def test_a_successor_of_a_forgotten_memory_is_named(program: Program) -> None:
    """The person decides what becomes of it: it may say the same in other words."""
    program.ok("add", f"The launch word is {CANARY}", "--id", "old")
    program.ok("add", "The launch word changes every week", "--id", "new")
    program.ok("supersede", "old", "new")
    erased = program.ok("forget", "old", "--yes")
    assert erased["derived"] == ["new"]
    events = program.ok("history", "old")["events"]
    assert events and CANARY not in str(events)
    assert not any(CANARY.encode() in data for data in program.owned().values())


def test_what_a_forgotten_memory_replaced_is_named(program: Program) -> None:
    """The other way round: what had its place taken may hold the same words."""
    program.ok("add", "The launch word changes every week", "--id", "old")
    program.ok("add", f"The launch word is {CANARY}", "--id", "new")
    program.ok("supersede", "old", "new")
    assert program.ok("forget", "new", "--yes")["derived"] == ["old"]
