"""`inject` on geas: the memory packet of one agent for one task, written where geas looks for it.

With a query the memories are found by its words, as everywhere. Old packets that name what is gone or missing are
reported and never in the way.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path, PurePath

from tenure.model.errors import StoreUnusable
from tenure.recall.block import seal
from tenure.store.records import Note
from tenure.systems.api import Piece, Rendered
from tenure.systems.geas import codec, collect, memories, packet, paths, reviewers
from tenure.systems.geas.documents import ORCHESTRATOR
from tenure.systems.geas.memory_files import MemoryFiles
from tenure.systems.geas.packet import Packet
from tenure.systems.geas.score import Target
from tenure.systems.geas.tables import Tables
from tenure.text.words import one_line
from tenure.usecases.answers import LeftOut
from tenure.usecases.answers.found import Chosen, Injection, InjectRequest
from tenure.usecases.inject import facts as facts_of
from tenure.usecases.project import Project

PACKET, PACKET_AND_NOTES = "packet", "packet and notes"
NOTES = "The agent's own notes were above this; their file keeps no history, so they are left out."


def inject(project: Project, request: InjectRequest, *, files: MemoryFiles, tables: Tables) -> Injection:
    """Return the packet for an agent and a task."""
    agent = reviewers.resolved(request.agent or ORCHESTRATOR, tables)
    task = one_line(request.task or "", 200)
    known = collect.collect([files.folder.root]).tasks if task or request.files else {}
    target = _target(agent, task, request.files or (), known, files)
    chosen = _chosen(project, target, known, files, tables, request)
    own = files.folder.agent_notes(agent)
    block = packet.markdown(chosen, tables, agent_notes=own)
    stale = _stale(project, files, but=_place(chosen, files))
    shape = PACKET_AND_NOTES if (own or "").strip() else PACKET
    traced = _remember(project, chosen, files, [_note(project, item, shape) for item in chosen.items], request)
    return Injection(
        block=block,
        memories=[_shown(item) for item in chosen.items],
        suppressed=[LeftOut(id=left.memory_id, why=left.reason) for left in chosen.suppressed],
        traced=traced,
        notes=stale,
    )


def render_replay(pieces: Sequence[Piece]) -> Rendered:
    """Return the packet's section as it was; the agent's own notes are in a file that has no history."""
    said, seals = [], []
    for piece in pieces:
        note = piece.note
        if piece.memory is None:
            said.append((f"- **[{note.id}]** {piece.instead}", note.caution))
            seals.append("")
            continue
        line = packet.line(packet.Item(memories.document(piece.memory, None), note.score, note.caution))
        said.append((line, note.caution))
        seals.append(seal(line))
    text = "\n".join(packet.listed(said)).rstrip("\n") + "\n"
    return Rendered(block=text, seals=seals, missing=NOTES if pieces[0].note.shape == PACKET_AND_NOTES else "")


def _target(agent: str, task: str, given: Sequence[str], known: dict[str, collect.Task], files: MemoryFiles) -> Target:
    about = known.get(task, collect.Task())
    return Target(
        agent=agent,
        task_id=paths.safe_id(task, field="task") if task else None,
        mission_id=_mission(files.folder.root, task),
        risk_level=about.risk_level,
        paths=tuple(dict.fromkeys((*about.paths, *given))),
    )


def _mission(root: Path, task: str) -> str | None:
    """Return the mission a task belongs to: the one that knows it, or the only one there is."""
    folders = sorted(path for path in root.glob("missions/*") if path.is_dir() and not path.is_symlink())
    owners = [
        path for path in folders if task and any((path / "tasks" / name).exists() for name in (task, f"{task}.json"))
    ]
    found = owners or (folders if len(folders) == 1 else [])
    return found[-1].name if found else None


def _chosen(
    project: Project,
    target: Target,
    known: dict[str, collect.Task],
    files: MemoryFiles,
    tables: Tables,
    request: InjectRequest,
) -> Packet:
    found = [row.memory for row in project.store.find(among="eligible")]
    documents = [memories.document(memory, None) for memory in found]

    def assembled(limit: int | None) -> Packet:
        return packet.assemble(
            documents,
            target,
            now=project.now(),
            tables=tables,
            logs=[log for memory in found for log in files.logs_of(memory.id)],
            task_paths={name: task.paths for name, task in known.items()},
            conflicts=[(memory.id, other) for memory in found for other in memory.conflicts],
            limit=limit,
        )

    chosen = assembled(request.limit)
    most = request.budget_chars
    # The agent's own file is not part of the budget: it survives whatever else is dropped.
    while most is not None and chosen.items and len(packet.markdown(chosen, tables)) > most:
        chosen = assembled(len(chosen.items) - 1)
    return chosen


def _shown(item: packet.Item) -> Chosen:
    return Chosen(id=item.memory["memory_id"], score=item.score, why=_why(item), caution=item.caution)


def _why(item: packet.Item) -> str:
    memory = item.memory
    return f"{memory['state']}, confidence {memory['signals']['confidence']:g}, scope {memory['scope']}"


def _note(project: Project, item: packet.Item, shape: str) -> Note:
    row = project.store.get(item.memory["memory_id"])
    return Note(
        id=item.memory["memory_id"],
        score=item.score,
        version=row.version if row else None,
        why=_why(item),
        caution=item.caution,
        shape=shape,
        seal=seal(packet.line(item)),
    )


def _place(chosen: Packet, files: MemoryFiles) -> PurePath | None:
    """Return where the packet goes; agents of one task do not replace each other's."""
    target = chosen.target
    if not target.task_id or not target.mission_id:
        return None
    place = paths.packet(target.mission_id, target.task_id)
    there = next((document for where, document in files.packets() if where == place), None)
    if there is None or there["target_agent_type"] == target.agent:
        return place
    return place.with_name(f"{place.stem}-{target.agent}.json")


def _remember(
    project: Project, chosen: Packet, files: MemoryFiles, notes: Sequence[Note], request: InjectRequest
) -> bool:
    """Write the packet and note what was shown; return False when the store cannot be written."""
    now = project.now()
    facts = {**facts_of(request), "task": chosen.target.task_id or "", "agent": chosen.target.agent}
    try:
        with project.store.writing():
            if place := _place(chosen, files):
                files.folder.put(place, codec.encode(packet.document(chosen, now), "memory-packet"))
            if notes:
                project.store.activity.record(now, notes, **facts)
    except (StoreUnusable, PermissionError):
        return False
    return True


def _stale(project: Project, files: MemoryFiles, *, but: PurePath | None) -> list[str]:
    """Return which packets name what is gone or older than the rules."""
    states = {row.memory.id: row.memory.state for row in project.store.find()}
    rules = files.folder.root / paths.RULES
    changed = datetime.fromtimestamp(rules.stat().st_mtime, UTC) if rules.is_file() else None
    found = ((place, packet.stale(document, states, rules_changed_at=changed)) for place, document in files.packets())
    return [
        f"The packet {place.as_posix()} is stale: {', '.join(reasons)}. Build it again."
        for place, reasons in found
        if reasons and place != but
    ]
