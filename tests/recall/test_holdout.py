"""The coin: our own choice; each mistake that others shipped with a hold-out is a test here or beside the hooks."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest

from tenure.model import policy as policies
from tenure.recall import holdout
from tenure.recall.holdout import Known

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


SETTINGS: dict[str, Any] = {
    "first_exposures": 10,
    "first_share": 0.5,
    "later_share": 0.2,
    "proven_share": 0.05,
    "block_share": 0.0,
    "proven": ["proven"],
    "stated": False,
    "top_state": "canonical",
}


def test_the_shares_are_those_of_the_packaged_policy() -> None:
    """The shares of the issue: every second of the first ten, then one in five, once proven one in twenty."""
    packaged = msgspec.structs.asdict(policies.load("tenure")[0].effect)
    named = ("first_exposures", "first_share", "later_share", "proven_share")
    assert {name: packaged[name] for name in named} == {name: SETTINGS[name] for name in named}


@pytest.mark.parametrize(
    ("id", "exposures", "share"),
    [("a", 0, 0.5), ("a", 9, 0.5), ("a", 10, 0.2), ("a", 500, 0.2), ("proven", 3, 0.05), ("proven", 500, 0.05)],
)
def test_a_memory_is_held_less_often_the_more_is_known_of_it(id: str, exposures: int, share: float) -> None:
    assert holdout.share_of(SETTINGS, id, exposures) == share


@pytest.mark.parametrize(
    ("facts", "with_stated", "why"),
    [
        ({"kind": "lesson", "state": "stable"}, False, ""),
        ({"kind": "constraint"}, True, "a constraint"),
        ({"kind": "guard"}, True, "a guard"),
        ({"kind": "lesson", "state": "canonical"}, True, "canonical"),
        ({"kind": "lesson", "secure": True}, True, "tagged security"),
        ({"kind": "preference", "stated": True}, False, "stated by the person"),
        ({"kind": "preference", "stated": True}, True, ""),
        ({"kind": "constraint", "stated": True}, True, "a constraint"),
    ],
)
def test_what_may_cost_too_much_to_miss_is_never_held(facts: dict[str, Any], with_stated: bool, why: str) -> None:
    known = Known("m-1", **facts)
    assert holdout.spared(known, top_state="canonical", with_stated=with_stated) == why
    if why:
        sessions = [
            holdout.toss({**SETTINGS, "stated": with_stated}, SECRET, f"s{n}", [known], surface="prompt")
            for n in range(50)
        ]
        assert not any(one.held or one.exposures for one in sessions)


def test_an_arm_stays_whatever_happens_later_in_the_session() -> None:
    """Others wrote a held row at every touch; here the second time is no exposure, though the share has changed."""
    for arm in (True, False):
        tossed = holdout.toss(SETTINGS, SECRET, "s-1", [Known("m-1", "lesson", exposures=40, arm=arm)], surface="tool")
        assert tossed.exposures == []
        assert tossed.held == (set() if arm else {"m-1"})


def test_the_coin_is_the_same_on_every_surface() -> None:
    """One surface of others always showed the memory, so that those held back had it all the same."""
    for n in range(40):
        arms = set()
        for surface in ("prompt", "tool", "start", "mcp"):
            tossed = holdout.toss(SETTINGS, SECRET, f"s{n}", [Known("m-1", "lesson")], surface=surface)
            assert tossed.exposures == [("m-1", not tossed.held, 0.5, surface, "lesson")]
            arms.add(bool(tossed.held))
        assert len(arms) == 1


def test_a_block_is_held_as_a_whole_or_not_at_all() -> None:
    """In a session without the block no coin of a single memory counts: they would all have fallen alike."""
    settings = {**SETTINGS, "block_share": 0.2}
    both = [Known("a", "lesson"), Known("b", "lesson"), Known("c", "constraint")]
    held = 0
    for n in range(500):
        tossed = holdout.toss(settings, SECRET, f"s{n}", both, surface="prompt")
        (block, shown, share, _, _), *rest = tossed.exposures
        assert (block, share) == (holdout.BLOCK, 0.2)
        assert len(rest) == (2 if shown else 0)
        if not shown:
            held += 1
            assert tossed.held == {"a", "b"}
    assert held / 500 == pytest.approx(0.2, abs=0.06)


def test_a_block_that_was_held_stays_held() -> None:
    tossed = holdout.toss(SETTINGS, SECRET, "s", [Known("a", "lesson")], surface="tool", block_arm=False)
    assert (tossed.held, tossed.exposures) == ({"a"}, [])
