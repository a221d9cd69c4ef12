"""`inject` on geas: the memory packet of one agent for one task, written where geas looks for it.

With a query the memories are found by its words, as everywhere. Old packets that name what is gone or missing are
reported and never in the way.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path, PurePath
from typing import TYPE_CHECKING, Any

from tenure.model.errors import StoreUnusable
from tenure.recall.block import seal
from tenure.store.records import Note
from tenure.systems.geas import codec, collect, memories, packet, paths, reviewers
from tenure.systems.geas.documents import ORCHESTRATOR
from tenure.systems.geas.memory_files import MemoryFiles
from tenure.systems.geas.packet import Packet
from tenure.systems.geas.score import Target
from tenure.systems.geas.tables import Tables
from tenure.systems.native import ways
from tenure.text.words import one_line
from tenure.usecases.inject_request import Injection, Occasion
from tenure.usecases.replay import Piece, Rendered

if TYPE_CHECKING:
    from tenure.workspace import Workspace

PACKET, PACKET_AND_NOTES = "packet", "packet and notes"
NOTES = "The agent's own notes stood above this; their file keeps no history, so they are left out."


def inject(workspace: Workspace, occasion: Occasion, *, memory_files: MemoryFiles, tables: Tables) -> Injection:
    """Return the packet for an agent and a task, or what answers a query."""
    if occasion.query:
        return ways.inject(workspace, occasion)
    files = memory_files
    agent = reviewers.resolved(occasion.agent or ORCHESTRATOR, tables)
    task = one_line(occasion.task or "", 200)
    known = collect.collect([files.folder.root]).tasks if task or occasion.files else {}
    target = _target(agent, task, occasion.files or (), known, files)
    chosen = _chosen(workspace, target, known, files, tables, occasion)
    notes = files.folder.agent_notes(agent)
    block = packet.markdown(chosen, tables, agent_notes=notes)
    _warn_of_stale(workspace, files, but=_place(chosen, files))
    shape = PACKET_AND_NOTES if (notes or "").strip() else PACKET
    traced = _remember(workspace, chosen, files, [_note(workspace, item, shape) for item in chosen.items], occasion)
    return Injection(
        block=block,
        memories=[_shown(item) for item in chosen.items],
        suppressed=[{"id": left.memory_id, "why": left.reason} for left in chosen.suppressed],
        traced=traced,
    )


def again(workspace: Workspace, pieces: Sequence[Piece]) -> Rendered:
    """Return the packet's section as it was; the agent's own notes stand in a file whose past nobody keeps."""
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
    workspace: Workspace,
    target: Target,
    known: dict[str, collect.Task],
    files: MemoryFiles,
    tables: Tables,
    occasion: Occasion,
) -> Packet:
    found = workspace.memories(phase="live")
    documents = [memories.document(memory, None) for memory in found]

    def assembled(limit: int | None) -> Packet:
        return packet.assemble(
            documents,
            target,
            now=workspace.now(),
            tables=tables,
            logs=[log for memory in found for log in files.logs_of(memory.id)],
            task_paths={name: task.paths for name, task in known.items()},
            conflicts=[(memory.id, other) for memory in found for other in memory.conflicts],
            limit=limit,
        )

    chosen = assembled(occasion.limit)
    most = occasion.budget_chars
    # The agent's own file is not part of the budget: it survives whatever else is dropped.
    while most is not None and chosen.items and len(packet.markdown(chosen, tables)) > most:
        chosen = assembled(len(chosen.items) - 1)
    return chosen


def _shown(item: packet.Item) -> dict[str, Any]:
    return {"id": item.memory["memory_id"], "score": item.score, "why": _why(item), "caution": item.caution}


def _why(item: packet.Item) -> str:
    memory = item.memory
    return f"{memory['state']}, confidence {memory['signals']['confidence']:g}, scope {memory['scope']}"


def _note(workspace: Workspace, item: packet.Item, shape: str) -> Note:
    return Note(
        id=item.memory["memory_id"],
        score=item.score,
        version=workspace.version(item.memory["memory_id"]),
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
    workspace: Workspace, chosen: Packet, files: MemoryFiles, notes: Sequence[Note], occasion: Occasion
) -> bool:
    """Write the packet and note what was shown; return False when the store cannot be written."""
    now = workspace.now()
    facts = {**occasion.facts, "task": chosen.target.task_id or "", "agent": chosen.target.agent}
    try:
        with workspace.store.writing():
            if place := _place(chosen, files):
                files.folder.put(place, codec.encode(packet.document(chosen, now), "memory-packet"))
            if notes:
                workspace.store.activity.record(now, notes, **facts)
    except (StoreUnusable, PermissionError):
        return False
    return True


def _warn_of_stale(workspace: Workspace, files: MemoryFiles, *, but: PurePath | None) -> None:
    states = {memory.id: memory.state for memory in workspace.memories(all=True)}
    rules = files.folder.root / paths.RULES
    changed = datetime.fromtimestamp(rules.stat().st_mtime, UTC) if rules.is_file() else None
    for place, document in files.packets():
        if place == but:
            continue
        if reasons := packet.stale(document, states, rules_changed_at=changed):
            workspace.notes.append(f"The packet {place.as_posix()} is stale: {', '.join(reasons)}. Build it again.")
