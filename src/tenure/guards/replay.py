"""A guard applied to past calls: where it would have fired, and what followed.

A rejection, a revert or a failed test afterwards means that the fire would have been right. When nothing followed, a
person is asked. A guard is tried on past calls because no fixture shows what real calls do.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

from tenure.guards import match
from tenure.guards.calls import RUN, FirstLook, ToolCall

# What followed a call, the strongest first; empty when nothing tells.
STOPPED, REJECTED, TAKEN_BACK, FAILED = "stopped by the person", "rejected", "taken back", "a test failed"
# So many calls after it are looked at for a revert or a failed test.
LOOKED_AHEAD = 8
_REVERTING = (("git", "restore"), ("git", "checkout"), ("git", "reset"), ("git", "revert"))


class PastCall(NamedTuple):
    """One call of a session as a reader hands it over, with what the person said next."""

    call: ToolCall
    session: str
    host: str
    at: str
    ok: bool | None = None
    interrupted: bool = False
    # The person rejected what was done before they spoke again.
    rejected: bool = False
    # The line tests or builds something.
    proves: bool = False


class WouldFire(NamedTuple):
    """A call at which a guard would have fired."""

    number: int
    past: PastCall
    about: str
    certain: bool
    followed: str


def over(matcher: Mapping[str, Any], calls: Sequence[PastCall], root: str, home: str = "") -> list[WouldFire]:
    """Return where a guard would have fired among calls in their order."""
    wanted, needles = set(match.kinds(matcher)), match.needles(matcher)
    found = []
    for number, past in enumerate(calls):
        if past.call.kind not in wanted:
            continue
        seen = match.Seen(past.call, root or past.call.folder, home)
        if not FirstLook(past.call).may_mean(needles, is_command=bool(matcher.get("commands"))):
            continue
        fire = match.fires(matcher, seen)
        if fire is not None:
            found.append(WouldFire(number, past, fire.about, fire.certain, followed(calls, number, fire.about)))
    return found


def followed(calls: Sequence[PastCall], number: int, about: str) -> str:
    """Return what followed a call that tells a right fire from one nobody minds; empty when nothing does."""
    past = calls[number]
    if past.interrupted:
        return STOPPED
    if past.rejected:
        return REJECTED
    later = [one for one in calls[number + 1 : number + 1 + LOOKED_AHEAD] if one.session == past.session]
    if any(_reverts(one.call, about) for one in later):
        return TAKEN_BACK
    first_test = next((one for one in later if one.proves), None)
    return FAILED if first_test is not None and first_test.ok is False else ""


def _reverts(call: ToolCall, about: str) -> bool:
    if call.kind != RUN or "git" not in call.command:
        return False
    from tenure.guards import command_words, commands

    for simple in commands.effects(call.command, call.folder).runs:
        words = (simple.program, *command_words.arguments(simple)[:1])
        if words in _REVERTING:
            whole = "--hard" in simple.words or words[1] == "revert" or "." in simple.words
            if whole or any(
                about.endswith(word.removeprefix("./")) for word in simple.words[2:] if "/" in word or "." in word
            ):
                return True
    return False


def counted(fires: Iterable[WouldFire]) -> dict[str, int]:
    """Return how many fires were followed by what."""
    counts: dict[str, int] = {}
    for fire in fires:
        counts[fire.followed] = counts.get(fire.followed, 0) + 1
    return counts
