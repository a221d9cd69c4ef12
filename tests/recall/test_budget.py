"""What fits: a count, characters, nothing said twice, at most a third from one origin."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from specimens import specimen
from tenure.recall.budget import choose
from tenure.recall.rank import Scored


def scored(id: str, **fields: object) -> Scored:
    return Scored(memory=specimen(id=id, **fields), score=1.0, coverage=1.0, why="")


WORDS = ["parsers", "queues", "backups", "caches", "locks", "tokens", "hooks", "pages", "rows"]


@given(st.integers(0, 9), st.integers(0, 200), st.lists(st.sampled_from(WORDS), max_size=9))
def test_the_limits_are_always_kept_and_everything_is_accounted_for(limit: int, chars: int, texts: list[str]) -> None:
    """GUARANTEES S4 and R18: caps hold, and what is left out is named."""
    items = [scored(str(n), trust="user") for n, _ in enumerate(texts)]
    chosen, left_out = choose(items, texts, limit=limit, budget_chars=chars, duplicate_overlap=0.8)
    assert len(chosen) <= limit
    assert sum(len(texts[n]) for n in chosen) <= chars
    assert sorted([*chosen, *(n for n, _ in left_out)]) == list(range(len(texts)))
    assert all(why for _, why in left_out)
    assert len({texts[n] for n in chosen}) == len(chosen)


@given(st.integers(3, 9))
def test_one_run_gets_at_most_a_third_of_the_places(limit: int) -> None:
    """GUARANTEES S4: at most a third of an injection from one origin; the user's own have no limit."""
    options = {"limit": limit, "budget_chars": 9999, "duplicate_overlap": 0.8}
    one_run = [scored(word, runs=("r1",), trust="model") for word in WORDS]
    assert len(choose(one_run, WORDS, **options)[0]) == max(1, limit // 3)  # type: ignore[arg-type]
    mine = [scored(word, trust="user") for word in WORDS]
    assert len(choose(mine, WORDS, **options)[0]) == limit  # type: ignore[arg-type]


def test_both_sides_of_a_contradiction_are_shown() -> None:
    """DESIGN 3.11: opposite advice shares its words and is no repetition."""
    items = [scored("a", trust="user", conflicts=("b",)), scored("b", trust="user", conflicts=("a",))]
    texts = ["Use tabs for indentation", "Do not use tabs for indentation"]
    assert choose(items, texts, limit=5, budget_chars=999, duplicate_overlap=0.8)[0] == [0, 1]
