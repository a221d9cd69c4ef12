"""`export` and `import`: every memory with its history, one JSON line each, without loss.

A line carries a seal made with the user's own key. A sealed line is restored as it was; an unsealed one could come
from anybody, so it arrives as a candidate with its state and counters reset, unless the person says it is trusted.
"""

from __future__ import annotations

import contextlib
import hashlib
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any, BinaryIO

import msgspec

from tenure import formats
from tenure.files import locate
from tenure.formats import ForeignRecord, Unread
from tenure.hosts import agent_detection
from tenure.model.errors import BadRequest, InvalidInput, Refused, TenureError
from tenure.model.events import EventType, Life, Revision
from tenure.model.evolve import born, fold
from tenure.model.memory import Memory
from tenure.rules import transitions
from tenure.systems.api import System, opened
from tenure.text.redact import holds_secret
from tenure.text.words import folded
from tenure.usecases import capture, conversion, export_file, import_lines, intake, origin_search
from tenure.usecases.answers import LeftOut, Progress
from tenure.usecases.answers.changed import Arriving, Moved
from tenure.usecases.batch import Batch
from tenure.usecases.export_lines import FORMAT, ExportLine, Seal, seal_key
from tenure.usecases.project import Project

# From this size on a file is worth preparing the index for.
LARGE_BYTES = 1024 * 1024
HERE = "a memory with this id already exists"


class _Sorted:
    """What arrives, listed for a dry run only, and what was left out; what is here already was not declined."""

    def __init__(self, *, lists: bool = False) -> None:
        self.lists = lists
        self.arriving: list[Arriving] = []
        self.out: list[LeftOut] = []
        self.declined = 0

    def take(self, memory: Memory, where: str = "") -> None:
        """Note a memory that arrives: under its id, or from the place of a record that gets an id when it is kept."""
        if self.lists:
            self.arriving.append(
                Arriving(where=where or memory.id, kind=memory.kind, state=memory.state, title=memory.title)
            )

    def skip(self, id: str, why: str, *, declined: bool) -> None:
        self.out.append(LeftOut(id=id, why=why))
        self.declined += declined


def export(
    project: Project,
    system: System,
    target: str,
    progress: Progress | None = None,
    *,
    source: str = "",
    replace: bool = False,
) -> Moved:
    """Write every memory with its history to a JSON Lines file, to standard output for `-`, or to another store.

    With `source`, those to which one person, agent, program or session contributed anything. A file that is no export
    of ours stays, unless `replace` says otherwise.
    """
    if target.partition(":")[2] == "-":
        raise InvalidInput(
            f"{target!r} would be a file named '-'.",
            hint="`-` alone is standard output, in JSON Lines; write ./- for a file of that name.",
        )
    wanted = origin_search.contributed_by(project.store, source) if source else None
    if is_store(target):
        other, theirs = opened(locate.named(target, Path.cwd()))
        # States, approvals and guards go along, so somebody must answer for them where they arrive.
        if other.store.exists:
            other.needs_person("export to a store")
        other.no_agent("export to a store")
        with contextlib.closing(other.store), other.changing() as batch:
            moved = _move(project, system, batch, theirs, project.place.url, _Sorted(), wanted)
        return msgspec.structs.replace(moved, target=target)
    if writes := formats.writer(target):
        _spare(project, Path(target.partition(":")[2]), replace)
        # What is no longer in use is nobody else's business.
        rows = project.store.find(phases=("live", "held"))
        memories = [row.memory for row in rows if wanted is None or wanted(row.memory)]
        written, removes = writes(memories), formats.remover(target)
        # A part of the memories says nothing about the files of the others.
        gone = removes(memories, project.store.used_ids) if removes and not source else 0
        said = [f"{gone} of our files there removed: their memories are no longer in use."] if gone else []
        return Moved(written=written, skipped=[], target=target, notes=said)
    store, path = project.store, export_file.path_of(target, formats.WRITTEN)
    if path is not None and not path.name:
        raise InvalidInput(f"{target!r} names no file.", hint="As in: tenure export jsonl:memories.jsonl")
    if path:
        _spare(project, path, replace)
    seal = Seal(seal_key())
    rows = [row for row in store.find() if wanted is None or wanted(row.memory)]
    with export_file.writing(path) as write:
        for done, row in enumerate(rows, start=1):
            events = [recorded.event for recorded in store.history(row.memory.id)]
            write(seal.sealed(ExportLine(format=FORMAT, memory=row.memory, events=events)))
            if progress and done % 500 == 0:
                progress(done, len(rows))
    return Moved(written=len(rows), skipped=[], target=str(path) if path else "-")


def _spare(project: Project, path: Path, replace: bool) -> None:
    """Stop before an export takes away a file that is not one."""
    if project.store.owns(path):
        raise Refused(f"{str(path)!r} is the store itself.", hint="Export to another file.")
    if path.resolve().is_relative_to(locate.home().resolve()):
        raise Refused(f"{str(path)!r} is in Tenure's own folder.", hint="Export to another one.")
    if ".git" in (part.casefold() for part in path.expanduser().resolve().parts):
        raise Refused(f"{str(path)!r} is in git's own folder.", hint="Export to another one.")
    if not replace and path.expanduser().is_file() and not export_file.is_ours(path.expanduser()):
        raise Refused(
            f"{str(path)!r} exists and is no export of Tenure's.", hint="Export to another file, or add --replace."
        )


def import_(
    project: Project,
    system: System,
    source: str,
    *,
    trusted: bool = False,
    dry_run: bool = False,
    progress: Progress | None = None,
) -> Moved:
    """Take in an export, plain proposals or another store; what this user did not export arrives as candidates."""
    found = _Sorted(lists=dry_run)
    if is_store(source):
        if not dry_run:
            # States, approvals and guards come along, so somebody must answer for them here.
            project.needs_person("import of a store")
        other, theirs = opened(locate.named(source, Path.cwd()))
        with contextlib.closing(other.store), project.changing(dry_run=dry_run) as batch:
            moved = _move(other, theirs, batch, system, other.place.url, found)
    elif given := formats.reader(source):
        if trusted:
            raise BadRequest(
                "Another program's records cannot be trusted as they are.", hint="Import, then: tenure review"
            )
        # Read first: whoever else wants to write waits for no other program's files.
        records = list(given[1]())
        with project.changing(dry_run=dry_run) as batch:
            moved = _take_in(system, batch, given[0], records, found)
    else:
        if trusted:
            project.needs_person("import --trust")
        with export_file.reading(source) as file, project.changing(dry_run=dry_run) as batch:
            moved = _import(system, batch, source, file, found, trusted=trusted, progress=progress)
    return msgspec.structs.replace(moved, arriving=tuple(found.arriving), notes=system.take_notes())


def _take_in(
    system: System, batch: Batch, name: str, records: Iterable[ForeignRecord | Unread], found: _Sorted
) -> Moved:
    """Take in what another program wrote, as proposals that wait for a person; a record that is wrong costs itself."""
    plain: list[tuple[str, dict[str, Any]]] = []
    seen = hashlib.sha256()
    for each in records:
        if isinstance(each, Unread):
            found.skip(each.where, each.why, declined=True)
            continue
        says = {**each.says, "source": f"external:{name}"}
        if says.get("kind") not in system.kinds:
            says["kind"] = system.default_kind
        try:
            intake.proposal(says, batch.policy, known_kinds=system.kinds)
        except TenureError as error:
            found.skip(each.where, error.message, declined=True)
            continue
        plain.append((each.where, says))
        seen.update(msgspec.json.encode(says, order="sorted"))
    count = _propose(system, batch, plain, found, run=f"import-{seen.hexdigest()[:12]}")
    return Moved(written=count, skipped=found.out, declined=found.declined)


def _import(
    system: System,
    batch: Batch,
    source: str,
    file: BinaryIO,
    found: _Sorted,
    *,
    trusted: bool,
    progress: Progress | None,
) -> Moved:
    """Take in an export or plain proposals; a file with a line that cannot be read is refused as a whole.

    The file is read line by line, and what was written is taken back when a later line is wrong.
    """
    seal, size = Seal(seal_key()), export_file.size(file)
    plain: list[tuple[str, dict[str, Any]]] = []
    problems: list[str] = []
    count = 0
    unsealed = hashlib.sha256()
    uncounted: set[str] = set()
    with batch.store.writing(many=size >= LARGE_BYTES):
        for first, lines in export_file.chunks(file):
            lives: list[Life] = []
            for number, raw in enumerate(lines, start=first):
                try:
                    # The seal is the home's, and an agent can seal whatever it made there.
                    life = import_lines.opened(raw, seal, trusted) if trusted or not batch.actor.is_agent else None
                    if life is not None:
                        lives.append(life)
                    elif raw and not raw.isspace():
                        item = import_lines.as_proposal(raw, uncounted)
                        intake.proposal(item, batch.policy, known_kinds=system.kinds)
                        plain.append((f"line {number}", item))
                        unsealed.update(raw + b"\n")
                except TenureError as error:
                    if number == 1 and not raw.lstrip().startswith((b"{", b"[")):
                        _refuse_other(source, raw)
                    problems.append(f"line {number}: {error.message}")
            if not problems:
                count += _restore(batch, lives, found)
            if progress:
                progress(file.tell(), size)
        _refuse(source, problems)
    run = agent_detection.run() if batch.actor.is_agent else f"import-{unsealed.hexdigest()[:12]}"
    count += _propose(system, batch, plain, found, run=run)
    return Moved(written=count, skipped=found.out, declined=found.declined, not_counted=tuple(sorted(uncounted)))


def _refuse_other(source: str, begin: bytes) -> None:
    """Stop at a file that does not begin as JSON Lines do: to correct its lines would help nobody."""
    try:
        kind = "text" if begin.decode("utf-8").isprintable() else "binary data"
    except UnicodeDecodeError:
        kind = "binary data"
    kind = "a ZIP archive, as of .docx or .xlsx" if begin.startswith(b"PK\x03\x04") else kind
    other = formats.hint(export_file.path_of(source))
    raise InvalidInput(
        f"{source} is {kind}, not JSON Lines.",
        hint=f"Nothing was imported. {other or 'Name its format, as in: tenure import markdown:notes.md'}. "
        f"Formats: {', '.join(formats.READ)}, jsonl",
    )


def _refuse(source: str, problems: list[str]) -> None:
    if problems:
        more = f" and {len(problems) - 5} more" if len(problems) > 5 else ""
        other = formats.hint(export_file.path_of(source))
        raise InvalidInput(
            f"{source}: {'; '.join(problems[:5])}{more}",
            hint=f"Nothing was imported. {other or 'Correct these lines and try again.'}",
        )


def is_store(url: str) -> bool:
    """Tell whether a URL names a store rather than a file."""
    scheme, separator, rest = url.partition(":")
    return bool(separator and rest and scheme in locate.SCHEMES)


def _move(
    source: Project,
    theirs: System,
    batch: Batch,
    ours: System,
    origin: str,
    found: _Sorted,
    wanted: Callable[[Memory], bool] | None = None,
) -> Moved:
    """Copy the memories of another store into this one, all or those wanted; what is here already is left alone."""
    count = 0
    revisions: list[Revision] = []
    for row in source.store.find():
        if wanted is not None and not wanted(row.memory):
            continue
        was = conversion.returned(intake.without_secrets(theirs.converted_out(row.memory)))
        memory = conversion.marked(was, ours.converted_in(batch, was))
        if why := _refused(batch, memory):
            found.skip(intake.safe(row.memory.id), why, declined=why != HERE)
            continue
        events = tuple(recorded.event for recorded in source.store.history(row.memory.id))
        if memory != row.memory or fold(events) != memory:
            facts = {"actor": "user", "reason": f"from {origin}", "detail": {"id": row.memory.id}}
            events = (born(memory, type=EventType.IMPORTED, **facts),)
        revisions.append(Revision(memory_id=memory.id, events=events, after=memory, expected_version=0))
        if len(revisions) >= export_file.CHUNK:
            batch.add(revisions)
            revisions = []
        found.take(memory)
        count += 1
    batch.add(revisions)
    return Moved(written=count, skipped=found.out, declined=found.declined)


def _refused(batch: Batch, memory: Memory) -> str:
    if holds_secret(memory.id):
        return "its id looks like a secret"
    if batch.store.forgotten([folded(memory.text)]):
        return "it was forgotten on request"
    return _known(batch, memory.id) if batch.store.used_ids([memory.id]) else ""


def _known(batch: Batch, id: str) -> str:
    here = batch.get(id) is not None or not batch.store.history(id)
    return HERE if here else "a memory had this id before, and ids are never reused"


def _restore(batch: Batch, lives: list[Life], found: _Sorted) -> int:
    """Write memories as they were, with their history, and return how many; part of the command's transaction."""
    known = batch.store.used_ids([life.memory.id for life in lives])
    forgotten = batch.store.forgotten(folded(life.memory.text) for life in lives)
    taken, back = [], 0
    for life in lives:
        memory = life.memory
        if forgotten and folded(memory.text) in forgotten:
            found.skip(memory.id, "it was forgotten on request", declined=True)
        elif memory.id in known and _brought_back(batch, memory):
            back += 1
            found.take(memory)
        elif memory.id in known:
            why = _known(batch, memory.id)
            found.skip(memory.id, why, declined=why != HERE)
        else:
            known.add(memory.id)
            taken.append(life)
            found.take(memory)
    batch.admit(taken)
    return len(taken) + back


def _brought_back(batch: Batch, memory: Memory) -> bool:
    """Bring back what an earlier import wrote and `undo` took out since; tell whether that was so."""
    here = batch.get(memory.id)
    if here is None or memory.phase == "gone" or here.phase != "gone" or here.retired_at or here.text != memory.text:
        return False
    history = batch.store.history(memory.id)
    last = history[-1].event if history else None
    undone = last.detail.get("undoes") if last and last.type == EventType.UNDONE else None
    births = {entry.seq for entry in history if entry.event.type in (EventType.CREATED, EventType.IMPORTED)}
    if undone not in births:
        return False
    return batch.record(here, transitions.restore(here, batch.policy, batch.now, reason="imported again")) is not None


def _propose(system: System, batch: Batch, plain: list[tuple[str, dict[str, Any]]], found: _Sorted, *, run: str) -> int:
    """Consolidate what nobody vouches for as proposals; one import is one run, however many lines it has."""
    count = 0
    for where, item in plain:
        decisions, _ = capture.consolidate(system, batch, [item], run=run)
        for decision in decisions:
            if decision.action == "create":
                count += 1
                if made := batch.get(decision.id):
                    found.take(made, where)
            else:
                why = "; ".join(decision.reasons)
                found.skip(decision.id or where, why, declined=not decision.id)
    return count
