"""The coin: our own choice; each mistake that others shipped with a hold-out is a test here or beside the hooks."""

from __future__ import annotations

import pytest

from tenure.rules import holdout
from tenure.rules.holdout import Shares

SECRET = bytes(range(32))


def test_the_coin_falls_alike_whenever_it_is_tossed() -> None:
    """Others chose the arm by file and day, so it flipped at midnight: here nothing but these three decides."""
    assert holdout.draw(SECRET, "s-1", "m-1") == holdout.draw(SECRET, "s-1", "m-1")
    # And no later version of Tenure may change an arm that was drawn.
    assert holdout.draw(SECRET, "s-1", "m-1") == pytest.approx(0.2660346175303515)


@pytest.mark.parametrize("share", [0.5, 0.2, 0.05])
def test_as_many_are_held_as_the_share_says(share: float) -> None:
    held = sum(holdout.is_held(SECRET, f"session-{n}", "use-pnpm", share) for n in range(20_000))
    assert held / 20_000 == pytest.approx(share, abs=0.012)


def test_coins_of_memories_and_sessions_have_nothing_to_do_with_each_other() -> None:
    """Others held back every tenth turn, or a whole day: the arms then differ in more than the memory."""
    one = [holdout.is_held(SECRET, f"s{n}", "a", 0.5) for n in range(10_000)]
    other = [holdout.is_held(SECRET, f"s{n}", "b", 0.5) for n in range(10_000)]
    next_session = one[1:]
    assert sum(a and b for a, b in zip(one, other, strict=True)) / 10_000 == pytest.approx(0.25, abs=0.02)
    assert sum(a and b for a, b in zip(one, next_session, strict=False)) / 10_000 == pytest.approx(0.25, abs=0.02)


def test_without_the_secret_the_arm_cannot_be_known() -> None:
    guessed = [holdout.is_held(b"another", f"s{n}", "a", 0.5) for n in range(10_000)]
    real = [holdout.is_held(SECRET, f"s{n}", "a", 0.5) for n in range(10_000)]
    assert sum(a == b for a, b in zip(guessed, real, strict=True)) / 10_000 == pytest.approx(0.5, abs=0.02)


def test_where_one_name_ends_and_the_next_begins_matters() -> None:
    assert holdout.draw(SECRET, "ab", "c") != holdout.draw(SECRET, "a", "bc")
    assert holdout.draw(SECRET, "a\0b", "c") != holdout.draw(SECRET, "a", "b\0c")


@pytest.mark.parametrize(
    ("exposures", "proven", "share"),
    [(0, False, 0.5), (9, False, 0.5), (10, False, 0.2), (500, False, 0.2), (3, True, 0.05), (500, True, 0.05)],
)
def test_a_memory_is_held_less_often_the_more_is_known_of_it(exposures: int, proven: bool, share: float) -> None:
    """The shares of the issue: every second of the first ten, then one in five, once proven one in twenty."""
    assert Shares().of(exposures, proven) == share


@pytest.mark.parametrize(
    ("kind", "state", "tags", "stated", "with_stated", "why"),
    [
        ("lesson", "stable", [], False, False, ""),
        ("constraint", "provisional", [], False, True, "a constraint"),
        ("guard", "provisional", [], False, True, "a guard"),
        ("lesson", "canonical", [], False, True, "canonical"),
        ("lesson", "stable", ["Security"], False, True, "tagged security"),
        ("preference", "stable", [], True, False, "stated by the person"),
        ("preference", "stable", [], True, True, ""),
        ("constraint", "stable", [], True, True, "a constraint"),
    ],
)
def test_what_may_cost_too_much_to_miss_is_never_held(
    kind: str, state: str, tags: list[str], stated: bool, with_stated: bool, why: str
) -> None:
    assert holdout.spared(kind, state, tags, stated, top_state="canonical", with_stated=with_stated) == why
