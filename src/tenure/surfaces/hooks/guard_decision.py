"""Guards before a tool runs: which ones fire, what follows in this session with this agent, and the message.

One SELECT by the kind of call, one search for a substring, then the parser; a guard itself is read only where the
line runs its program or may touch its files. Fails open: whatever breaks, the call runs.
"""

from __future__ import annotations

import os

from tenure.files import sha256, worktrees
from tenure.guards.calls import OTHER, FirstLook, ToolCall, call_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Any

    from tenure.guards.match import Fire
    from tenure.recall.query import HookRow
    from tenure.store.hook_api import HookStore
    from tenure.surfaces.hooks.host import HookEvent

_STRENGTH = ("counted", "reminded", "slowed", "asked", "denied")
_OUTCOMES = {"count": "counted", "remind": "reminded", "ask": "asked", "deny": "denied"}
# Outcomes by which a call did not happen at once.
STOPPED = ("asked", "denied")
# Where a store from before says nothing of them: the packaged policy's values.
LIMITS = {"stops_in_a_row": 2, "at_once": 3}
LIMITS_KEY = "guards"
# What an agent may be shown of a memory that stops it.
MOST_LINE = 400


class GuardDecision:
    """What guards come to at a call: `deny`, `ask` or empty, the reason for it, and a reminder that goes along."""

    __slots__ = ("decision", "reason", "reminder")

    def __init__(self, decision: str = "", reason: str = "", reminder: str = "") -> None:
        self.decision, self.reason, self.reminder = decision, reason, reminder


def call(event: HookEvent) -> ToolCall | None:
    """Return the tool call of an event in the shape guards look at; None for one that no guard looks at."""
    name = event.text("tool_name") or event.text("toolName") or event.text("tool")
    given = event.tool_input
    raw = event.payload.get("tool_input", event.payload.get("toolArgs"))
    if name and raw and not given and raw != "{}":
        from tenure.spool import log  # start-up: only when something is wrong

        log.write(event.name, f"the input of {name[:60]} is not a JSON object, so no guard looked at the call")
    if not name and isinstance(event.payload.get("command"), str):
        # Cursor's events for a shell and for reading a file name no tool.
        name, given = "shell", {"command": event.payload["command"]}
    elif not name and isinstance(event.payload.get("file_path"), str):
        name, given = "read", {"file_path": event.payload["file_path"]}
    found = call_of(name, given, event.folder)
    return None if found.kind == OTHER or not (found.command or found.paths) else found


def decide(store: HookStore, event: HookEvent, made: ToolCall, root: str, limits: Mapping[str, Any]) -> GuardDecision:
    """Return what the project's guards come to at a call, and write that down."""
    fired = _fired(store, event.session, made, root)
    if not fired:
        return GuardDecision()
    from tenure.surfaces.hooks.guard_answers import ASKS, REMINDS  # start-up: only where a guard fires

    known = limits.get(LIMITS_KEY) or LIMITS
    marked = _mark(made)
    outcomes: list[tuple[HookRow, Fire, str]] = []
    for row, guard, past, fire in fired:
        outcome = _outcome(str(guard.get("level", "count")), fire, past, known, marked)
        if outcome == "reminded" and event.host not in REMINDS and event.session:
            outcome = _slowed(past, marked)
        outcomes.append((row, fire, outcome))
    try:
        store.note_fires(event.session, event.host, [(r.id, o, f.about[:200], marked) for r, f, o in outcomes])
    except Exception:
        # Without a note the same call would be slowed down for ever.
        outcomes = [(row, fire, outcome) for row, fire, outcome in outcomes if outcome != "slowed"]
    spoken = [one for one in outcomes if one[2] in _STRENGTH[1:]]
    spoken.sort(key=lambda one: -_STRENGTH.index(one[2]))
    return _said(spoken[: int(known["at_once"])], asks=event.host in ASKS, reminds=event.host in REMINDS)


def _fired(
    store: HookStore, session: str, made: ToolCall, root: str
) -> list[tuple[HookRow, Mapping[str, Any], list[tuple[str, str]], Fire]]:
    possible = store.guards(made.kind)
    if not possible:
        return []
    look = FirstLook(made)
    likely = [one for one in possible if look.may_mean(one[0], is_command=one[1])]
    if not likely:
        return []
    from tenure.guards import match  # start-up: the parser is for calls that some guard may mean

    seen = match.Seen(made, root, os.path.expanduser("~"), worktrees(root))
    found = []
    for needles, is_command, row in likely:
        if not seen.may_mean(needles, is_command=is_command):
            continue
        guard, _ = store.guard(row, "") or ({}, [])
        fire = match.fires(guard, seen) if guard else None
        if fire:
            # Its past is asked for only now: most of those that look likely do not fire.
            _, past = store.guard(row, session) or ({}, [])
            found.append((row, guard, past, fire))
    return found


def _outcome(level: str, fire: Fire, past: Sequence[tuple[str, str]], limits: Mapping[str, Any], marked: str) -> str:
    """Return what one fire comes to: what a person allowed passes, and nobody is stopped for ever."""
    if _allowed(past, marked):
        return "passed"
    outcome = _OUTCOMES.get(level, "counted")
    if outcome in STOPPED:
        row = 0
        for before, _ in past:
            if before not in STOPPED:
                break
            row += 1
        if not fire.certain or row >= int(limits["stops_in_a_row"]):
            outcome = "reminded"
    return outcome


def _slowed(past: Sequence[tuple[str, str]], marked: str) -> str:
    """Return what a reminder comes to that would not arrive: a stop, and none when the same call comes again."""
    repeated = any(before == "slowed" and call == marked for before, call in past)
    return "reminded" if repeated else "slowed"


def _allowed(past: Sequence[tuple[str, str]], marked: str) -> bool:
    """Tell whether a person let this session pass, or this very call and it has not run since."""
    if any(outcome == "allow-session" for outcome, _ in past):
        return True
    own = (outcome for outcome, call in past if call == marked and outcome in ("passed", "allow-once"))
    return next(own, "") == "allow-once"


def _said(spoken: Sequence[tuple[HookRow, Fire, str]], *, asks: bool, reminds: bool) -> GuardDecision:
    stopping = [(row, outcome) for row, _, outcome in spoken if outcome in (*STOPPED, "slowed")]
    reminding = [row for row, _, outcome in spoken if outcome == "reminded"]
    reminder = ""
    if reminding and reminds:
        lines = [f"- {row.id}: {row.line[:MOST_LINE]}" for row in reminding]
        reminder = "\n".join(["This project's memory about what is at hand:", *lines])
    if not stopping:
        return GuardDecision(reminder=reminder)
    denied = [row for row, outcome in stopping if outcome == "denied"]
    asked = [row for row, outcome in stopping if outcome == "asked"]
    rows = denied or asked or [row for row, _ in stopping]
    told = " ".join(f"[{row.id}] {row.line[:MOST_LINE]}" for row in rows)
    if denied:
        return GuardDecision("deny", f"This project's memory stops this call: {told} {_allow(denied)}", reminder)
    if asked and asks:
        return GuardDecision("ask", f"This project's memory: {told}", reminder)
    if asked:
        return GuardDecision(
            "deny", f"This project's memory wants a person asked first: {told} {_allow(asked)}", reminder
        )
    again = "If the call is still right after reading this, make the same call again and it will run."
    return GuardDecision("deny", f"A reminder from this project's memory: {told} {again}", reminder)


def _allow(rows: Sequence[HookRow]) -> str:
    told = f"Ask the user, who can allow it with: tenure allow {rows[0].id} --once"
    return f"{told}. Then make the same call again, word for word."


def _mark(made: ToolCall) -> str:
    """Return by what the same call is known again; none of its words stay."""
    whole = f"{made.kind}\n{made.folder}\n{made.command}\n{made.paths}\n{made.added}"
    return sha256(whole.encode("utf-8", "replace")).hexdigest()[:16]
