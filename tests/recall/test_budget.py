"""What fits into an injection: GUARANTEES S4 (bounded influence) and the lengths of a memory."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from tenure.recall import budget
from tenure.recall.rank import Candidate


def item(id: str, line: str = "", *, reviewed: bool = False, origin: str = "", text: str = "") -> Candidate:
    made = Candidate(id, "lesson", "stable", 50, line or f"something about {id}")
    made.reviewed, made.origin, made.text, made.title = reviewed, origin, text, made.line[:20]
    return made


def chosen(ranked: list[Candidate], limit: int = 8, chars: int = 4000) -> list[str]:
    shown, _ = budget.choose(ranked, limit=limit, budget_chars=chars, duplicate_overlap=0.8)
    return [memory.id for memory, _ in shown]


@given(
    st.lists(st.tuples(st.booleans(), st.integers(1, 300)), max_size=30),
    st.integers(0, 12),
    st.integers(0, 3000),
)
def test_no_injection_exceeds_its_limits_and_no_attacker_fills_it(
    drawn: list[tuple[bool, int]], limit: int, chars: int
) -> None:
    """S4: item and character caps, at most a third from one origin, unreviewed never displaces reviewed."""
    ranked = [
        item(f"m{n}", f"w{n} " * size, reviewed=mine, origin="" if mine else "run evil")
        for n, (mine, size) in enumerate(drawn)
    ]
    shown, left_out = budget.choose(ranked, limit=limit, budget_chars=chars, duplicate_overlap=0.8)
    assert len(shown) <= limit and sum(len(text) for _, text in shown) <= chars
    assert len(shown) + len(left_out) == len(ranked)
    evil = [memory for memory, _ in shown if not memory.reviewed]
    assert len(evil) <= (max(1, limit // 3) if limit >= 3 else limit)
    without = chosen([memory for memory in ranked if memory.reviewed], limit, chars)
    assert [memory.id for memory, _ in shown if memory.reviewed] == without


def test_what_says_the_same_is_shown_once_and_its_opposite_beside_it() -> None:
    """Issue 7: near-duplicates collapsed, contradicting memories shown together."""
    one, again = item("one", "Use tabs for the Makefile here"), item("again", "Use tabs for the Makefile here!")
    other, against = item("other", "Deploy on Fridays"), item("against", "Use tabs for the Makefile here")
    against.conflicts = one.conflicts = ("one", "against")
    assert chosen([one, again, other, against]) == ["one", "against", "other"]


def test_room_that_is_left_shows_more_of_the_best() -> None:
    """Issue 7: line, summary and full text, chosen to fit."""
    long = "A summary that ends in the middle of what there is to say " * 3
    memories = [item("a", long.strip(), text=long * 3), item("b", long.replace("summary", "note").strip())]
    roomy, _ = budget.choose(memories, limit=2, budget_chars=4000, duplicate_overlap=0.99)
    assert roomy[0][1].endswith((long * 3)[-30:].strip()) or len(roomy[0][1]) > len(long)
    tight, _ = budget.choose(memories, limit=2, budget_chars=250, duplicate_overlap=0.99)
    assert [len(text) <= budget.LINE_CHARS for _, text in tight] == [True, True]
