"""One memory: what it says, where it comes from, where it stands and why, and everything that happened to it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import msgspec

from tenure.model import clock
from tenure.model.errors import BadRequest
from tenure.model.memory import as_json
from tenure.surfaces.web import shown
from tenure.surfaces.web.pages import Act, Ask, Done, Page
from tenure.text.words import one_line

if TYPE_CHECKING:
    from tenure.model.events import Recorded
    from tenure.usecases.answers.found import Scored
    from tenure.workspace import Workspace

# So many injections are shown, and so many when all are asked for.
FEW_INJECTIONS, MOST_INJECTIONS = 8, 500
# What a page may do to a memory besides verdicts -> the method.
CHANGES = ("archive", "restore")


def read(workspace: Workspace, ask: Ask) -> dict[str, Any]:
    """Return everything about one memory."""
    memory = workspace.get(ask.path["id"])
    [found] = workspace.dossiers([memory.id])
    why = workspace.why(memory.id)
    events = workspace.history(memory.id)
    undone = {entry.event.detail.get("undoes") for entry in events}
    checks = ask.query.get("check") == "1"
    most = MOST_INJECTIONS if ask.query.get("shown") == "all" else FEW_INJECTIONS
    scores = workspace.scores(memory.id, most + 1)
    guard = workspace.guard_of(memory.id)
    return {
        "memory": as_json(memory, runs_now=workspace.runs()),
        "version": found.version,
        "quote": found.quote,
        "eligible": why.eligible,
        "next_state": why.next_state,
        "staleness": why.staleness,
        "reasons": [msgspec.to_builtins(need) for need in why.reasons],
        "ladder": _ladder(workspace, memory.state),
        "claims": [
            {**msgspec.to_builtins(claim), "can_repair": bool(claim.repair) and claim.text in memory.text}
            for claim in (workspace.check_claims(memory.id) if checks else found.claims)
        ],
        "checked": checks,
        "effect": _effect(workspace, memory.id),
        "guard": msgspec.to_builtins(guard) if guard else None,
        "against": [as_json(other) for other in found.against],
        "alike": [as_json(other) for other in found.alike],
        "events": [_event(entry, entry.seq in undone) for entry in reversed(events)],
        "injections": [_injection(each, shown.biggest(one.terms for one in scores)) for each in scores[:most]],
        "more_injections": len(scores) > most,
    }


def _ladder(workspace: Workspace, state: str) -> list[dict[str, Any]]:
    """Return the states of the policy's ladder, and which of them the memory has."""
    steps = [setting.value for setting in workspace.settings if setting.key == "promotion.steps"]
    found = steps[0] if steps and isinstance(steps[0], list) else []
    names = list(dict.fromkeys(name for step in found for name in (step.get("from"), step.get("to")) if name))
    return [{"state": name, "is_here": name == state} for name in names]


def _event(entry: Recorded, undone: bool) -> dict[str, Any]:
    event = entry.event
    return {
        "seq": entry.seq,
        "version": entry.version,
        "type": event.type,
        "at": clock.stamp(event.at),
        "actor": event.actor,
        "reason": event.reason,
        "run": event.run,
        "task": event.task,
        "changes": [] if entry.version == 1 else [
            {"field": name, "before": event.before.get(name), "after": value} for name, value in event.set.items()
        ],
        "added": {name: list(items) for name, items in event.add.items()},
        "who": event.detail.get("who") or {},
        "undone": undone,
    }  # fmt: skip


def _injection(scored: Scored, biggest: float) -> dict[str, Any]:
    """Return one injection the memory was in, with its score taken apart."""
    return {**msgspec.to_builtins(scored), "bars": shown.bars(scored.terms, biggest)}


def _effect(workspace: Workspace, id: str) -> dict[str, Any] | None:
    """Return what is known of the memory's effect; None where nothing is measured."""
    report = workspace.effect(id)
    if not report.on and not report.sessions:
        return None
    mine = [msgspec.to_builtins(one) for one in report.memories]
    return mine[0] if mine else {"verdict": "cannot tell yet", "shown": None, "more_sessions": None}


def repair(workspace: Workspace, ask: Ask) -> Done:
    """Put what was found in the place of a claim that does not hold any more."""
    id, _, old, new = (ask.field(name) for name in ("id", "version", "old", "new"))
    memory = workspace.get(id)
    if old not in memory.text:
        raise BadRequest(f"{one_line(old, 80)!r} is no longer in {memory.id}.", field="old")
    before = len(workspace.history(memory.id))
    after = workspace.edit(
        memory.id,
        title=memory.title.replace(old, new),
        text=memory.text.replace(old, new),
        expected_version=ask.given("version"),
    )
    entries = [entry.seq for entry in workspace.history(after.id)[before:]][:1]
    return Done(" ".join([f"{after.id} names {one_line(new, 120)} now.", *after.notes]), entries)


def change(workspace: Workspace, ask: Ask) -> Done:
    """Archive or restore one memory."""
    what, id = ask.field("what"), ask.field("id")
    if what not in CHANGES:
        raise BadRequest(f"{what!r} is nothing this page does.", field="what")
    before = len(workspace.history(id))
    after = workspace.restore(id) if what == "restore" else workspace.archive(id, reason="archived from its page")
    return Done(f"{after.id} is {after.state}.", [entry.seq for entry in workspace.history(after.id)[before:]][:1])


def undo_entry(workspace: Workspace, ask: Ask) -> Done:
    """Reverse one entry of the memory's history."""
    entry = ask.given("entry")
    if entry is None:
        raise BadRequest("An entry is a number.", field="entry")
    done = workspace.undo(entry)
    return Done(" ".join([f"Entry {entry} was reversed.", *done.notes]))


def forget(workspace: Workspace, ask: Ask) -> Done:
    """Erase a memory for good; its id must be typed."""
    id = ask.field("id")
    if ask.field("sure").strip() != id:
        raise BadRequest("It was not erased: the id that was typed is another one.", field="sure")
    erased = workspace.forget(id)
    more = f" These say the same: {', '.join(erased.derived)}." if erased.derived else ""
    if erased.team_file:
        more += f" The team still has it: remove {erased.team_file} and commit that."
    return Done(one_line(f"{erased.id} was erased and cannot come back.{more}", 500), to=f"{ask.root}/memories")


PAGES = [Page("/memory/{id:path}", "", "memory.html", read, "/memory/{id:path}.json")]
ACTS = [Act("/change", change), Act("/repair", repair), Act("/undo-entry", undo_entry), Act("/forget", forget)]
