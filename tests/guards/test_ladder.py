"""Issue 19: count -> remind -> ask -> deny, earned by what a person judged right."""

from __future__ import annotations

from datetime import timedelta

import pytest
from msgspec.structs import replace

from tenure.guards import ladder
from tenure.model.errors import InvalidInput, Refused
from tenure.model.guard import CommandRule, Guard
from tests.specimens import NOW, POLICY

RULES = POLICY.guards
GUARD = Guard(
    tool="run",
    commands=(CommandRule(program="git", words=("push",), options=("--force",)),),
    fires=("run git push --force", "run sudo git push --force"),
    passes=("run git push", "run echo git push --force"),
)


def test_a_guard_is_confirmed_for_ninety_days() -> None:
    """Issue 19: an end date, 90 days."""
    found = ladder.confirmed(GUARD, "remind", RULES, NOW)
    assert (found.state, found.level, found.until) == ("on", "remind", NOW + timedelta(days=90))
    assert ladder.active(found, "live", NOW)
    assert not ladder.active(found, "live", NOW + timedelta(days=90))
    assert not ladder.active(found, "gone", NOW)
    assert not ladder.active(GUARD, "live", NOW)


def test_denying_needs_five_right_fires_and_none_wrong() -> None:
    """Issue 19: or the person's explicit word."""
    with pytest.raises(Refused):
        ladder.confirmed(replace(GUARD, right=4), "deny", RULES, NOW)
    with pytest.raises(Refused):
        ladder.confirmed(replace(GUARD, right=9, wrong=1), "deny", RULES, NOW)
    assert ladder.confirmed(replace(GUARD, right=5), "deny", RULES, NOW).level == "deny"
    assert ladder.confirmed(GUARD, "deny", RULES, NOW, vouched=True).vouched


def test_one_wrong_fire_takes_a_step_and_the_second_turns_it_off() -> None:
    """Issue 19, literally."""
    on = ladder.confirmed(GUARD, "deny", RULES, NOW, vouched=True)
    once = ladder.judged(on, "wrong", RULES, NOW)
    assert (once.level, once.state, once.wrong, once.vouched) == ("ask", "on", 1, False)
    assert ladder.judged(once, "wrong", RULES, NOW).state == "off"
    assert ladder.judged(replace(on, level="count"), "wrong", RULES, NOW).level == "count"


def test_a_right_fire_renews_it() -> None:
    """Issue 19: renewed by a fire that a person judged right."""
    on = ladder.confirmed(GUARD, "remind", RULES, NOW)
    later = NOW + timedelta(days=80)
    assert ladder.judged(on, "right", RULES, later).until == later + timedelta(days=90)
    assert ladder.judged(on, "right", RULES, later).right == 1


@pytest.mark.parametrize(
    "broken",
    [
        replace(GUARD, commands=()),
        replace(GUARD, fires=GUARD.fires[:1]),
        replace(GUARD, passes=()),
        replace(GUARD, fires=("run git push", "run git push --force")),
        replace(GUARD, passes=("run git push", "run git push --force")),
        replace(GUARD, tool="edit"),
    ],
)
def test_a_guard_that_its_examples_do_not_bear_out_is_not_written(broken: Guard) -> None:
    """Issue 19: at least two examples that fire and two that pass, checked at every write."""
    with pytest.raises(InvalidInput):
        ladder.checked(broken, RULES)
