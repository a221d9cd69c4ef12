"""`sync`: the same person's memory on several machines, by the union of what happened on each.

Each machine writes a file of its own: the events that happened there, each line under the user's seal. What another
machine wrote is taken in once, known by its hash: a counter grows by what the event added, any other field goes to
whoever set it last (or knew the value it replaced), and a list keeps what each side added. So the order of syncs
changes nothing, and nothing counts twice. What was forgotten is taken out of every file by the machine that wrote it.
"""

from __future__ import annotations

import hashlib
import secrets
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import msgspec

from tenure.files import homes
from tenure.files.sync_remote import Remote
from tenure.model import clock
from tenure.model.decoding import decode
from tenure.model.errors import InvalidInput, Refused
from tenure.model.events import Event, EventType, Recorded, Revision
from tenure.model.evolve import as_recorded, change, evolve, value_of
from tenure.model.memory import Memory, Signals
from tenure.text.words import slug
from tenure.usecases import forget
from tenure.usecases.answers.shared import Synced
from tenure.usecases.batch import Batch
from tenure.usecases.export_lines import Seal, seal_key
from tenure.usecases.project import Project

FORMAT = "tenure-sync/1"
# Under this key of `detail` an event says on which machine it happened, and the hash it is known by.
ORIGIN = "sync"
KNOWN = "sync_remotes"
# Whose memory this is: made at the first sync, and the same on all machines of one project.
IDENTITY = "sync_identity"
_COUNTERS = frozenset(Signals.__struct_fields__)
_BIRTHS = (EventType.CREATED, EventType.IMPORTED)
_ERASED = (EventType.FORGOTTEN, EventType.PURGED)


# When an event happened: its time, its machine, and its number in that machine's ledger.
_Moment = tuple[str, str, int]
_NEVER: _Moment = ("", "", 0)


class _Line(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """What every line says under its seal: whose it is, so that nobody moves it to another file."""

    # Empty in lines of versions that did not say it.
    project: str = ""
    machine: str = ""
    seal: str = ""


class Head(_Line, frozen=True, kw_only=True, omit_defaults=True):
    """The first line of a machine's file: when it synced last, and what it knows to be forgotten."""

    format: str = FORMAT
    at: str
    forgotten: list[str] = []
    # Which project wrote it, where the name alone does not tell; empty in files of versions that did not say it.
    identity: str = ""


class Happened(_Line, frozen=True, kw_only=True, omit_defaults=True):
    """One event of a machine, in the order of its ledger."""

    number: int
    event: Event


class _Theirs(msgspec.Struct, frozen=True):
    """What another machine wrote."""

    machine: str
    head: Head
    events: list[Happened]


def sync(project: Project, address: str, *, name: str = "", join: bool = False) -> Synced:
    """Take in what the person's other machines wrote, and write what happened here.

    `join` says that what is there is this project, although both synced elsewhere before.
    """
    if not project.place.native:
        raise Refused("Only Tenure's own store can be synced.", hint="Copy the files of another system yourself.")
    known = project.store.setting(KNOWN).splitlines() if project.store.exists else []
    if join or address not in known:
        project.needs_person("sync")
    # What comes in is believed by its seal, which an agent's own store could have been given.
    project.no_agent("sync")
    name = slug(name or project.place.project.name)
    remote = Remote(address, name)
    try:
        return _exchange(project, remote, address, known, name, join)
    finally:
        remote.close()


def _exchange(project: Project, remote: Remote, address: str, known: list[str], name: str, join: bool) -> Synced:
    machine, seal = homes.current().id, Seal(seal_key())
    files = remote.read()
    theirs = [_read(name, other, data, seal) for other, data in files.items() if other != machine]
    _refuse_another_store(project, name, machine, files.get(machine, b""), seal)
    identity = _identity(project, name, theirs, join)
    taken = _take_in(project, theirs)
    gone = {id for each in theirs for id in each.head.forgotten}
    erased = [id for id in sorted(gone) if project.store.get(id) is not None]
    for id in erased:
        forget.erase(project, id, again=True)
    if address not in known:
        project.store.keep(KNOWN, "\n".join([*known, address]))
    if identity != project.store.setting(IDENTITY):
        project.store.keep(IDENTITY, identity)
    forgotten = sorted({*gone, *_forgotten(project)})
    head = Head(at=clock.stamp(project.now()), forgotten=forgotten, identity=identity, project=name, machine=machine)
    own, count = _file(project, seal, head)
    remote.write(machine, own)
    if erased:
        project.keep_head()
    unseen = {each.machine: sorted(set(forgotten) - set(each.head.forgotten)) for each in theirs}
    return Synced(
        machine=machine,
        machines=[each.machine for each in theirs],
        sent=count,
        taken=taken,
        forgotten=erased,
        unseen={other: ids for other, ids in unseen.items() if ids},
    )


def _refuse_another_store(project: Project, name: str, machine: str, own: bytes, seal: Seal) -> None:
    """Stop where this machine's file is another store's: its events would be lost, and the others would mix both."""
    try:
        before = _read(name, machine, own, seal)
    except (Refused, InvalidInput):
        return  # cut or changed: it is written anew
    if before.head.identity:
        ours = before.head.identity == _known_identity(project)
    else:
        ids = {each.event.memory_id for each in before.events}
        ours = not ids or (project.store.exists and any(project.store.history(id) for id in ids))
    if not ours:
        raise Refused(
            f"Another project of this machine syncs under the name {name!r} there.",
            hint="Give this one a name of its own: --name NAME. If its store was made anew, move that file away.",
        )


def _known_identity(project: Project) -> str:
    return project.store.setting(IDENTITY) if project.store.exists else ""


def _identity(project: Project, name: str, theirs: Sequence[_Theirs], join: bool) -> str:
    """Return which project this is: as this store or the other machines say, or a new one; raise when they differ."""
    ours = _known_identity(project)
    there = sorted({each.head.identity for each in theirs if each.head.identity})
    if there and (join or (len(there) == 1 and not ours)):
        return there[0]
    if there not in ([], [ours]):
        raise Refused(
            f"What other machines keep under the name {name!r} there is of another project.",
            hint="Give this one a name of its own: --name NAME. If it is the same project, add --join on one machine.",
        )
    return ours or secrets.token_hex(8)


def _read(project: str, machine: str, data: bytes, seal: Seal) -> _Theirs:
    """Return what a machine wrote; raise for a line under another seal or of another file: its states would count."""
    lines = data.splitlines()
    for number, line in enumerate(lines, start=1):
        if not seal.is_on(line):
            raise Refused(
                f"Line {number} of machine {machine} is not sealed with your key.",
                hint="Copy seal.key from the TENURE_HOME of one machine to the others.",
            )
    try:
        head = decode(lines[0] if lines else b"", Head)
        if head.format != FORMAT:
            raise InvalidInput(f"Machine {machine} wrote {head.format!r:.40}, the format of a newer Tenure.")
        events = [decode(line, Happened) for line in lines[1:]]
        for number, each in enumerate((head, *events), start=1):
            if each.project not in ("", project) or each.machine not in ("", machine):
                raise Refused(
                    f"Line {number} of machine {machine} was written for another file: {each.project}/{each.machine}.",
                    hint="Somebody moved it there. Remove that file; its machine writes it again at its next sync.",
                )
        return _Theirs(machine, head, events)
    except msgspec.DecodeError as error:
        raise InvalidInput(f"The file of machine {machine} cannot be read: {error}.") from None


def _file(project: Project, seal: Seal, head: Head) -> tuple[bytes, int]:
    """Return this machine's file: what happened here, without what was forgotten, and how many events that is."""
    lines, whose = [seal.sealed(head)], {"project": head.project, "machine": head.machine}
    left_out = set(head.forgotten)
    for id in project.store.ids() if project.store.exists else ():
        for entry in project.store.history(id) if id not in left_out else ():
            if ORIGIN not in entry.event.detail and not entry.erased:
                lines.append(seal.sealed(Happened(number=entry.seq, event=entry.event, **whose)))
    return b"".join(lines), len(lines) - 1


def _forgotten(project: Project) -> list[str]:
    if not project.store.exists:
        return []
    return sorted({id for _, id in project.store.health.forgotten_marks()})


def _take_in(project: Project, theirs: Sequence[_Theirs]) -> int:
    """Apply what is not known here yet, oldest first; return how many events that were."""
    gone = {id for each in theirs for id in each.head.forgotten} | {*_forgotten(project)}
    arriving: dict[str, list[tuple[_Moment, Event]]] = {}
    for each in theirs:
        for one in each.events:
            id = one.event.memory_id
            if id not in gone and one.event.type not in _ERASED:
                at = (clock.stamp(one.event.at), each.machine, one.number)
                arriving.setdefault(id, []).append((at, one.event))
    taken = 0
    if not arriving:
        return 0
    with project.changing() as batch:
        for id, listed in sorted(arriving.items()):
            # A memory begins with its birth, wherever the clocks of two machines stand.
            listed.sort(key=lambda item: (item[1].type not in _BIRTHS, item[0]))
            taken += _of_memory(batch, id, listed, homes.current().id)
    return taken


def _of_memory(batch: Batch, id: str, arriving: Iterable[tuple[_Moment, Event]], here: str) -> int:
    history = batch.store.history(id)
    known = {_name(entry.event) for entry in history}
    setters = _setters(history, here)
    row = batch.store.get(id)
    memory: Memory | None = row.memory if row else None
    if memory is None and history:
        return 0  # it was here and is gone for good
    events: list[Event] = []
    for at, event in arriving:
        name = _name(event)
        if name in known:
            continue
        known.add(name)
        # The fields it set there, also those that lost here: a later sync must know that somebody set them then.
        mark = {ORIGIN: {"machine": at[1], "number": at[2], "event": name, "set": sorted(event.set)}}
        if memory is None:
            if event.type not in _BIRTHS:
                continue  # its birth was forgotten
            moved = msgspec.structs.replace(event, detail={**event.detail, **mark})
        elif event.type in _BIRTHS:
            continue  # the same memory came to both by a copy of the store
        else:
            moved = _rebased(memory, event, at, setters, mark)
        for field in event.set:
            setters[field] = max(setters.get(field, _NEVER), at)
        memory = evolve(memory, moved)
        events.append(moved)
    if events:
        version = history[-1].version if history else 0
        batch.add([Revision(memory_id=id, events=tuple(events), after=memory, expected_version=version)])
    return len(events)


def _rebased(memory: Memory, event: Event, at: _Moment, setters: Mapping[str, _Moment], mark: dict[str, Any]) -> Event:
    """Return an event of another machine as it changes the memory here."""
    fields: dict[str, Any] = {}
    for field, value in event.set.items():
        before = event.before.get(field)
        if field in _COUNTERS and isinstance(value, int) and isinstance(before, int):
            now = int(value_of(memory, field) or 0) + value - before
            fields[field] = max(0, min(100, now)) if field == "confidence" else max(0, now)
        elif at > setters.get(field, _NEVER) or before == as_recorded(value_of(memory, field)):
            # Whoever replaced the very value that stands here knew of it, whatever their clock said.
            fields[field] = value
    added = {
        field: [item for item in items if item not in msgspec.to_builtins(getattr(memory, field))]
        for field, items in event.add.items()
    }
    facts = {"actor": event.actor, "reason": event.reason, "run": event.run, "task": event.task}
    return change(
        memory, EventType(event.type), event.at, set=fields, add=added, detail={**event.detail, **mark}, **facts
    )


def _setters(history: Sequence[Recorded], here: str) -> dict[str, _Moment]:
    """Return by field when it was set last, wherever that happened."""
    found: dict[str, _Moment] = {}
    for entry in history:
        origin = entry.event.detail.get(ORIGIN)
        there = origin if isinstance(origin, dict) else {}
        machine, number = str(there.get("machine", here)), int(there.get("number", entry.seq))
        at = (clock.stamp(entry.event.at), machine, number)
        for field in {*entry.event.set, *there.get("set", ())}:
            found[field] = max(found.get(field, _NEVER), at)
    return found


def _name(event: Event) -> str:
    """Return what an event is known by on every machine: the hash it had where it happened."""
    origin = event.detail.get(ORIGIN)
    if isinstance(origin, dict) and isinstance(origin.get("event"), str):
        return str(origin["event"])
    return hashlib.sha256(msgspec.json.encode(event, order="sorted")).hexdigest()
