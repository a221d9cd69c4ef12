"""`undo`: an event is reversed by another event; the ledger itself is never rewritten.

Without a number it reverses the person's own last command. What agents did meanwhile, through the worker, the MCP
server or the memory tool, is passed over and named: nobody who types `undo` means that.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from tenure.model import clock
from tenure.model.actor import Kind, Presence, read
from tenure.model.errors import BadRequest, Conflict, Refused
from tenure.model.events import VIA, WHO, Event, EventType, Recorded
from tenure.model.evolve import as_recorded, change, value_of
from tenure.model.memory import Memory
from tenure.rules.transitions import leave
from tenure.store.api import Store
from tenure.store.companion import OUTSIDE
from tenure.systems.api import System
from tenure.usecases.answers.changed import Undone
from tenure.usecases.batch import Batch
from tenure.usecases.new_memory import refuse_forgotten
from tenure.usecases.project import Project

_BIRTHS = (EventType.CREATED, EventType.IMPORTED)
_ERASED = (EventType.PURGED, EventType.FORGOTTEN)
_GUARDS = (EventType.GUARDED, EventType.JUDGED)
_PAIRED = (EventType.SUPERSEDED, EventType.SUCCEEDED, EventType.CONFLICTED)


class AgentBatch(NamedTuple):
    """A batch of an agent's that an undo passed over: its first entry, the surface, and how many changes."""

    entry: int
    via: str
    changes: int


class _Found(NamedTuple):
    """The entries to reverse, and what was passed over to get to them."""

    entries: list[Recorded]
    skipped: list[AgentBatch]


def undo(project: Project, system: System, seq: int | None, *, whole: bool = False) -> Undone:
    """Reverse one entry, the whole batch it is in, or the person's newest batch that was not an undo."""
    _ask(project, _found(project.store, seq, whole) if project.store.exists else None)
    with project.changing(makes=False) as batch:
        found = _found(batch.store, seq, whole)
        if project.actor.presence is Presence.NONE and _needs_person(project, found):
            raise Conflict("Somebody changed memory meanwhile.", hint="Run it again.")
        for recorded in reversed(found.entries):
            _reverse(batch, recorded)
    notes = system.take_notes()
    for entry, via, changes in found.skipped:
        said = f"{changes} change{'s' * (changes > 1)} made through {via} since then stand"
        notes.append(f"{said}; take them back with: tenure undo {entry} --batch")
    return Undone(entries=found.entries, notes=notes)


def _found(store: Store, seq: int | None, whole: bool) -> _Found:
    return _last(store) if seq is None else _Found(_chosen(store, seq, whole), [])


def _ask(project: Project, found: _Found | None) -> None:
    """Ask for a person where one must say so, before the store is held: they may take their time."""
    if found is not None and (act := _needs_person(project, found)):
        project.needs_person(act)


def _needs_person(project: Project, found: _Found) -> str:
    """Return the act that only a person may do, empty where anybody may reverse these entries."""
    if any(recorded.event.type in _GUARDS for recorded in found.entries):
        # Else an agent could switch a guard on or off by taking back what a person decided.
        return "undo"
    if project.actor.is_agent and not all(_may_be_taken_back(project.store, recorded) for recorded in found.entries):
        return "undo of what a person decided"
    if project.actor.detached and any(_by_person(recorded) for recorded in found.entries):
        return "undo of what a person decided"
    return ""


def _by_person(recorded: Recorded) -> bool:
    who = read(recorded.event.detail.get(WHO))
    return who is not None and who.present


def _may_be_taken_back(store: Store, recorded: Recorded) -> bool:
    """Tell whether an agent may reverse an entry: one of an agent's own, of a memory that guards nothing."""
    who = recorded.event.detail.get(WHO) or {}
    row = store.get(recorded.event.memory_id)
    guards = row is not None and row.memory.guard_is_on
    return who.get("kind") == Kind.AGENT and recorded.event.type != EventType.UNDONE and not guards


def _chosen(store: Store, seq: int, whole: bool) -> list[Recorded]:
    recorded = _entry(store, seq)
    if recorded is None:
        raise BadRequest(f"The ledger has no entry {seq}.", hint="`tenure history ID` shows the numbers.")
    if whole:
        undone = _undone(store)
        return [entry for entry in _neighbours(store, recorded) if _open(entry, undone)]
    return [*_partners(store, recorded), recorded]


def _entry(store: Store, seq: int) -> Recorded | None:
    """Return one entry of the ledger."""
    return next((entry for entry in next(store.batches(seq), []) if entry.seq == seq), None)


def _neighbours(store: Store, recorded: Recorded) -> list[Recorded]:
    """Return everything that was written together with an entry."""
    return next(store.batches(recorded.seq))


def _undone(store: Store) -> set[int]:
    entries = (entry for written in store.batches() for entry in written)
    return {entry.event.detail.get("undoes", 0) for entry in entries if entry.event.type == EventType.UNDONE}


def _open(entry: Recorded, undone: set[int]) -> bool:
    """Tell whether an entry can still be taken back; what others did to the files is theirs to take back."""
    event = entry.event
    return (
        event.type != EventType.UNDONE
        and event.type not in _ERASED
        and entry.seq not in undone
        and event.actor != OUTSIDE
    )


def _partners(store: Store, recorded: Recorded) -> list[Recorded]:
    """Return the other half of what two memories must agree on: who took whose place, who contradicts whom."""
    mine = _paired(store, recorded)
    if mine is None:
        return []
    mates = ((entry, _paired(store, entry)) for entry in _neighbours(store, recorded))
    return [entry for entry, theirs in mates if theirs == mine[::-1]]


def _paired(store: Store, recorded: Recorded) -> tuple[str, str] | None:
    """Return (memory, the other one) for an entry, or the undoing of an entry, that is in both histories."""
    event = recorded.event
    if event.type == EventType.UNDONE:
        undone = _entry(store, event.detail.get("undoes", 0))
        return _paired(store, undone) if undone else None
    other = event.detail.get("with") or event.detail.get("old") or event.set.get("superseded_by")
    return (event.memory_id, other) if event.type in _PAIRED and other else None


def _last(store: Store) -> _Found:
    undone: set[int] = set()
    skipped: list[AgentBatch] = []
    for entries in store.batches():
        undone.update(entry.event.detail.get("undoes", 0) for entry in entries if entry.event.type == EventType.UNDONE)
        still = [entry for entry in entries if _open(entry, undone)]
        if via := next((str(entry.event.detail[VIA]) for entry in entries if entry.event.detail.get(VIA)), ""):
            skipped += [AgentBatch(still[0].seq, via, len(still))] if still else []
            continue
        erased = next((entry.event for entry in entries if entry.event.type in _ERASED), None)
        if erased:
            # Going on to the command before would reverse what nobody asked to reverse.
            raise Refused(
                f"The last command erased {erased.memory_id}, and that cannot be undone.",
                hint="To reverse an earlier change name its entry: tenure undo ENTRY; `tenure history ID` shows them.",
            )
        if still:
            return _Found(still, skipped)
    hint = "Every change in the ledger has been undone already."
    if skipped:
        hint = f"Agents changed something; take that back with: tenure undo {skipped[0].entry} --batch"
    raise BadRequest("There is nothing to undo.", hint=hint)


def _reverse(batch: Batch, recorded: Recorded) -> None:
    event, memory = recorded.event, batch.get(recorded.event.memory_id)
    if event.type in _ERASED or memory is None:
        raise Refused(f"Entry {recorded.seq} ({event.type} {event.memory_id}) erased content and cannot be undone.")
    # The files' edge finds by these what it wrote for the event.
    traces = {"at": clock.stamp(event.at), "by": event.actor, "decision": event.detail.get("decision", "")}
    facts: dict[str, Any] = {"detail": {"undoes": recorded.seq, **traces}, "actor": "user"}
    facts["reason"] = f"undo of {event.type} ({recorded.seq})"
    if event.type in _BIRTHS:
        gone = leave(memory, EventType.RETIRED, batch.policy, batch.now)
        # Without a date of retirement, what was written by mistake may be written again at once.
        values = {**gone[0].set, "retired_at": None} if gone else {}
    else:
        values = {**event.before, **_without_added(memory, event, recorded.seq)}
        _refuse_overwriting(memory, event, recorded.seq)
    if values.get("text", memory.text) != memory.text:
        refuse_forgotten(batch, values["text"])
    batch.record(memory, [change(memory, EventType.UNDONE, batch.now, set=values, **facts)])


def _without_added(memory: Memory, event: Event, seq: int) -> dict[str, Any]:
    fields = {}
    for name, items in event.add.items():
        current = as_recorded(getattr(memory, name))
        if any(item not in current for item in items):
            raise _later(memory, seq, name)
        fields[name] = [item for item in current if item not in items]
    return fields


def _refuse_overwriting(memory: Memory, event: Event, seq: int) -> None:
    for name, value in event.set.items():
        if name not in ("run_mark",) and as_recorded(value_of(memory, name)) != value:
            raise _later(memory, seq, name)


def _later(memory: Memory, seq: int, name: str) -> Refused:
    return Refused(
        f"Entry {seq} cannot be undone: {name} of {memory.id} was changed again after it.",
        hint=f"Undo the later change first; `tenure history {memory.id}` shows it.",
    )
