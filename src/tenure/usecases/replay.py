"""An injection shown again, from its notes and the ledger: what was in the block, why, and what happened since.

Each memory is folded up to the version that was shown and rendered at the length it had. The one rule: what was
erased since does not come back, and what the ledger does not prove is not shown.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import msgspec

from tenure.model import clock
from tenure.model.errors import InvalidInput, StoreDamaged, UnknownId
from tenure.model.events import EventType, Recorded
from tenure.model.evolve import fold
from tenure.model.memory import Memory
from tenure.model.policy import Policy
from tenure.recall import block, budget
from tenure.recall.rank import Candidate
from tenure.rules.stored_verdict import line
from tenure.store.records import Injected, Note
from tenure.systems.api import Piece, Rendered, System
from tenure.usecases.answers.found import PastInjection, Replay, Replayed, Scored
from tenure.usecases.project import Project

LENGTHS = ("line", "summary", "full")
_BIRTHS = (EventType.CREATED, EventType.IMPORTED)
_ERASED: dict[str, str] = {
    EventType.FORGOTTEN: "forgotten on {}",
    EventType.PURGED: "removed on {}, when its grace period was over",
}
_DAMAGED = "damaged: its row or its ledger was altered outside Tenure"
_UNKNOWN = "unknown: the ledger does not hold what was shown"
# What a person is told happened since; events that are not here change nothing a reader would see.
SINCE: dict[str, str] = {
    EventType.EDITED: "edited",
    EventType.EVIDENCED: "supported by new evidence",
    EventType.PROMOTED: "promoted",
    EventType.KEPT: "kept by a reviewer",
    EventType.APPLIED: "used",
    EventType.HELD: "put under review",
    EventType.REINSTATED: "reinstated",
    EventType.WEAKENED: "weakened",
    EventType.SUPERSEDED: "superseded",
    EventType.SUCCEEDED: "put in another memory's place",
    EventType.REJECTED: "rejected",
    EventType.DECAYED: "decayed",
    EventType.FADED: "faded",
    EventType.RETIRED: "retired",
    EventType.ARCHIVED: "archived",
    EventType.RESTORED: "restored",
    EventType.CONFLICTED: "contradicted by another memory",
    EventType.RECONCILED: "reconciled with what contradicted it",
    EventType.VERIFIED: "checked against the project",
    EventType.LOST: "its file was removed outside Tenure",
    EventType.UNDONE: "put back by undo",
    EventType.IMPORTED: "imported again",
    EventType.CREATED: "written anew",
}


def replay(project: Project, system: System, number: int | None) -> Replay | None:
    """Return an injection as it was shown; without a number the last one, None when nothing was injected yet."""
    injected = project.store.activity.injection(number)
    if injected is None and number is None:
        return None
    if injected is None or not injected.notes:
        raise UnknownId(f"There is no injection {number}.", hint="`tenure inject --list` shows the recent ones.")
    pieces = [piece(project, injected, note) for note in injected.notes]
    native = injected.notes[0].shape in block.HEADERS
    rendered = fenced(project.policy, pieces) if native else system.render_replay(project, pieces)
    memories = [_replayed(piece, seal) for piece, seal in zip(pieces, rendered.seals, strict=True)]
    facts = {name: getattr(injected, name) for name in PastInjection.__struct_fields__}
    exact = not rendered.missing and all(memory.exact is True for memory in memories)
    notes = [*_remarks(pieces, memories), *([rendered.missing] if rendered.missing else ()), *_held(project, injected)]
    return Replay(**facts, block=rendered.block, exact=exact, memories=memories, notes=notes)


def scores(project: Project, id: str, limit: int) -> list[Scored]:
    """Return the last injections a memory was in, newest first, each with the score it had there."""
    found = []
    for shown in project.store.activity.shown(limit, id=id):
        injected = project.store.activity.injection(shown.number)
        note = next((note for note in injected.notes if note.id == id), None) if injected else None
        if note is not None:
            found.append(
                Scored(
                    **shown.facts(),
                    score=note.score,
                    evidence=note.evidence,
                    terms=note.terms,
                    why=note.why,
                    version=note.version,
                    length=_length(note),
                )
            )
    return found


def _length(note: Note) -> str:
    return LENGTHS[note.length] if note.length is not None and 0 <= note.length < len(LENGTHS) else ""


def _held(project: Project, injected: Injected) -> list[str]:
    """Say how many memories the session went without, and not which: its agent may be the one who asks."""
    if not injected.run or not project.store.setting("effect"):
        return []
    held = sum(not one.shown for one in project.store.effects.exposures(session=injected.run))
    if not held:
        return []
    many = "1 memory was" if held == 1 else f"{held} memories were"
    return [f"In this session {many} held back, to learn whether it helps: tenure effect --sessions"]


def piece(project: Project, injected: Injected, note: Note) -> Piece:
    """Return one memory as it was when it was shown, or what replaces it."""
    layer = next((each for each in project.layers if note.id.startswith(each)), "") if "/" in note.id else ""
    store, id = project.layers[layer] if layer else project.store, note.id.removeprefix(layer)
    try:
        entries = store.history(id, prove=True)
        row = store.get(id)
        now = fold(entry.event for entry in _last_life(entries) if not entry.erased)
        if (row.memory if row else None) != now or (row and row.version != entries[-1].version):
            raise StoreDamaged(f"{note.id} does not follow from its ledger.")
        version = note.version or _version_at(entries, injected.at)
        life = _last_life([entry for entry in entries if entry.version <= version])
        later = [entry for entry in entries if entry.version > version]
        if any(entry.erased for entry in life):
            return Piece(note=note, memory=None, status="erased", instead=_erased(later))
        memory = fold(entry.event for entry in life)
        if memory is not None and layer:
            memory = msgspec.structs.replace(memory, id=note.id, conflicts=(), superseded_by=None)
    except (StoreDamaged, InvalidInput):
        return Piece(note=note, memory=None, status="damaged", instead=_DAMAGED)
    if memory is None:
        return Piece(note=note, memory=None, status="unknown", instead=_UNKNOWN)
    noted = msgspec.structs.replace(note, version=version)
    guessed = note.version is None
    return Piece(note=noted, memory=memory, status="shown", since=tuple(since(later)), guessed=guessed)


def _last_life(entries: Sequence[Recorded]) -> Sequence[Recorded]:
    """Return the entries from the last birth on: where other systems give ids, one may have served before."""
    births = [place for place, entry in enumerate(entries) if entry.event.type in _BIRTHS]
    return entries[births[-1] :] if births else entries


def _version_at(entries: Sequence[Recorded], at: str) -> int:
    """Return the version a memory had at a time, the first one when it was written later."""
    then = clock.parse(at)
    return max((entry.version for entry in entries if entry.event.at <= then), default=1)


def _erased(later: Sequence[Recorded]) -> str:
    last = next((entry for entry in later if entry.event.type in _ERASED), None)
    return _ERASED[last.event.type].format(_date(last)) if last else "forgotten"


def since(later: Iterable[Recorded]) -> list[str]:
    """Return what happened to a memory after it was shown, in plain words, in the order it last happened."""
    groups: dict[str, list[Recorded]] = {}
    for entry in later:
        type = entry.event.type
        if type in SINCE or type in _ERASED:
            # Taken out and put back, so that what happened last stands last.
            groups[type] = [*groups.pop(type, []), entry]
    return [_said(type, entries) for type, entries in groups.items()]


def _said(type: str, entries: Sequence[Recorded]) -> str:
    last, when = entries[-1], _date(entries[-1])
    if type in _ERASED:
        return _ERASED[type].format(when)
    if type == EventType.SUPERSEDED and last.event.set.get("superseded_by"):
        return f"superseded by {last.event.set['superseded_by']} on {when}"
    if type == EventType.PROMOTED and last.event.set.get("state"):
        return f"promoted to {last.event.set['state']} on {when}"
    times = f" {len(entries)} times, last" if len(entries) > 1 else ""
    return f"{SINCE[type]}{times} on {when}"


def _date(entry: Recorded) -> str:
    return clock.stamp(entry.event.at)[:10]


def fenced(policy: Policy, pieces: Sequence[Piece]) -> Rendered:
    """Return the fenced block of memories as they were."""
    shape = pieces[0].note.shape if pieces[0].note.shape in block.HEADERS else block.BLOCK
    present = {piece.note.id for piece in pieces}
    items, seals = [], []
    for piece in pieces:
        if piece.memory is None:
            items.append((piece.note.id, piece.instead))
            seals.append("")
            continue
        item = _candidate(piece.note, piece.memory, policy)
        length = 1 if piece.note.length is None else piece.note.length
        said = block.label(item, present), budget.lengths(item)[min(max(length, 0), 2)]
        items.append(said)
        seals.append(block.seal(*said))
    return Rendered(block=block.fenced(items, shape), seals=seals)


def _candidate(note: Note, memory: Memory, policy: Policy) -> Candidate:
    """Return a memory as the block saw it: by the ledger, and by the note what no ledger knows."""
    limits = [policy.inject.line_chars, *([note.line] if note.line else ())]
    lines = [line(memory, limit) for limit in limits]
    summary = next((said for said in lines if len(said) == note.line), lines[0])
    item = Candidate(memory.id, memory.kind, memory.state, 0, summary)
    item.title, item.text, item.conflicts = memory.title, memory.text, note.conflicts
    item.checked_at = clock.stamp(memory.verified_at or memory.created_at)
    item.stale = block.SHOWN_STALENESS if note.stale else 0.0
    return item


def _replayed(piece: Piece, seal: str) -> Replayed:
    note = piece.note
    return Replayed(
        id=note.id,
        status=piece.status,
        version=note.version,
        length=_length(note),
        score=note.score,
        evidence=note.evidence,
        terms=note.terms,
        why=note.why,
        since=piece.since or ((piece.instead,) if piece.instead else ()),
        exact=(seal == note.seal) if note.seal and seal else None if piece.status == "shown" else False,
    )


def _remarks(pieces: Sequence[Piece], memories: Sequence[Replayed]) -> list[str]:
    """Return where this may differ from what was shown, and why."""
    notes = []
    if guessed := [piece.note.id for piece in pieces if piece.guessed]:
        notes.append(
            f"Only id and score were noted of {', '.join(guessed)}, by an earlier version of Tenure:"
            " shown here as it stood at that time, as a summary."
        )
    unsealed = [memory.id for memory in memories if memory.exact is None and memory.id not in guessed]
    if unsealed:
        notes.append(
            f"An earlier version of Tenure noted {', '.join(unsealed)}: marks of contradictions and age may be missing."
        )
    if differing := [memory.id for memory in memories if memory.exact is False and memory.status == "shown"]:
        notes.append(f"{', '.join(differing)} did not look exactly like this; another policy or version rendered it.")
    return notes
