"""Order: how well it matches, then how far it has earned its place."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from specimens import specimen
from tenure.memory import Memory
from tenure.recall import rank


def ids(found: list[tuple[Memory, int, float]], query: list[str], files: list[str] | None = None) -> list[str]:
    return [item.memory.id for item in rank.rank(found, query, files or [])]


def test_better_words_come_first_and_weight_decides_between_equals() -> None:
    one, two = specimen(id="a", text="run migrations"), specimen(id="b", text="run backups")
    assert ids([(one, 10, 1.0), (two, 90, 9.0)], ["backups"]) == ["b", "a"]
    assert ids([(one, 10, 5.0), (two, 90, 5.0)], ["run"]) == ["b", "a"]


def test_a_superseded_memory_never_stands_above_its_successor() -> None:
    """The module's promise, for chains too."""
    oldest = specimen(id="a", superseded_by="b")
    older = specimen(id="b", superseded_by="c")
    newest = specimen(id="c")
    found = [(oldest, 90, 9.0), (older, 50, 5.0), (newest, 10, 1.0)]
    assert ids(found, ["migrations"]) == ["c", "b", "a"]


@given(st.dictionaries(st.sampled_from("abcdef"), st.sampled_from("abcdef") | st.none(), max_size=6))
def test_nothing_is_lost_or_doubled_whatever_the_chain(chain: dict[str, str | None]) -> None:
    """Our choice: even a circle of successors, which only damage could make, loses nothing."""
    found = [(specimen(id=id, superseded_by=after), 50, 1.0) for id, after in chain.items()]
    assert sorted(ids(found, ["x"])) == sorted(chain)


@pytest.mark.parametrize(
    ("mine", "at_hand", "near"),
    [
        ("src/a.py", "src/a.py", 1.0),
        ("a.py", "src/a.py", 1.0),
        ("src/a.py", "src/b.py", 0.5),
        ("src/a.py", "lib/b.py", 0.0),
        ("a.py", "b.py", 0.0),
        ("a.py", "ba.py", 0.0),
    ],
)
def test_nearness_of_files(mine: str, at_hand: str, near: float) -> None:
    assert rank.near([mine], [at_hand]) == near


def test_the_score_explains_itself() -> None:
    (item,) = rank.rank([(specimen(text="run migrations", files=("a.py",)), 50, 3.0)], ["migrations"], ["a.py"])
    assert "migrations" in item.why
    assert "file at hand" in item.why
    assert item.coverage == 1.0
