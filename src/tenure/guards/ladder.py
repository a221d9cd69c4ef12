"""How far a guard may go: count, remind, ask, deny. Pure functions of a guard, the policy and the time.

A guard earns its way up by fires that a person judged right, and loses it faster: one wrong fire takes it a step down,
the second turns it off. Only a person's own word lets it deny at once.
"""

from __future__ import annotations

from datetime import datetime, timedelta

from msgspec.structs import replace

from tenure.guards import match
from tenure.model.errors import InvalidInput, Refused
from tenure.model.guard import LEVELS, Guard, Level, matcher
from tenure.model.policy import Guards

RIGHT, WRONG = "right", "wrong"
COUNT, REMIND, ASK, DENY = LEVELS


def checked(guard: Guard, policy: Guards) -> Guard:
    """Return a guard that may be written; raise `InvalidInput` with what is missing or what an example shows."""
    if not (guard.commands or guard.paths or guard.text):
        raise InvalidInput("A guard needs a command, a path or a text to look for.", field="guard")
    if not match.kinds(matcher(guard)):
        raise InvalidInput("A guard with commands looks at what is run: its tool is run or any.", field="guard.tool")
    for name, examples in (("fires", guard.fires), ("passes", guard.passes)):
        if len(examples) < policy.least_examples:
            raise InvalidInput(
                f"{name}: {len(examples)} example{'s' * (len(examples) != 1)}; a guard needs at least"
                f" {policy.least_examples} that fire and {policy.least_examples} that pass.",
                hint='Write them as "run LINE", "edit PATH", "edit PATH: TEXT" or "read PATH".',
                field=f"guard.{name}",
            )
    if wrong := match.wrong_examples(matcher(guard), guard.fires, guard.passes):
        raise InvalidInput(f"The guard {wrong[0]}, and its examples say otherwise.", field="guard.examples")
    return guard


def confirmed(guard: Guard, level: Level, policy: Guards, now: datetime, *, vouched: bool = False) -> Guard:
    """Return a guard that a person switches on, or moves to another step."""
    if level == DENY and not vouched and not may_deny(guard, policy):
        raise Refused(
            f"A guard may deny after {policy.right_to_deny} fires that were judged right and none wrong;"
            f" this one has {guard.right} right and {guard.wrong} wrong.",
            hint="Judge its fires with `tenure guards`, or say --deny-now to let it deny on your word alone.",
        )
    return replace(
        checked(guard, policy), state="on", level=level, until=now + timedelta(days=policy.lasts_days),
        vouched=vouched and level == DENY,
    )  # fmt: skip


def may_deny(guard: Guard, policy: Guards) -> bool:
    """Tell whether its fires have earned it the last step."""
    return guard.right >= policy.right_to_deny and not guard.wrong


def judged(guard: Guard, verdict: str, policy: Guards, now: datetime) -> Guard:
    """Return a guard after a person judged one of its fires."""
    if verdict == RIGHT:
        renewed = max(guard.until or now, now + timedelta(days=policy.lasts_days))
        return replace(guard, right=guard.right + 1, until=renewed)
    wrong = guard.wrong + 1
    if wrong >= policy.wrong_to_off:
        return replace(guard, wrong=wrong, state="off", vouched=False)
    return replace(guard, wrong=wrong, level=LEVELS[max(0, LEVELS.index(guard.level) - 1)], vouched=False)


def active(guard: Guard | None, phase: str, now: datetime) -> bool:
    """Tell whether a guard is at work: switched on, not past its end, and its memory live."""
    return guard is not None and guard.state == "on" and phase == "live" and (guard.until is None or guard.until > now)
