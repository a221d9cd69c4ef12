"""`inject` on geas: the memory packet of one agent for one task, written where geas looks for it.

With a query the memories are found by its words, as everywhere. Old packets that name what is gone or missing are
reported and never in the way.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path, PurePath
from typing import TYPE_CHECKING, Any

from tenure.dialects.geas import codec, collect, memories, packet, paths, reviewers
from tenure.dialects.geas.documents import ORCHESTRATOR
from tenure.dialects.geas.memory_files import MemoryFiles
from tenure.dialects.geas.packet import Packet
from tenure.dialects.geas.score import Target
from tenure.dialects.geas.tables import Tables
from tenure.errors import StoreUnusable
from tenure.text import one_line
from tenure.workspace import customs, recalling

if TYPE_CHECKING:
    from tenure.workspace import Workspace


def inject(
    workspace: Workspace, query: str, *, memory_files: MemoryFiles, tables: Tables, **options: Any
) -> recalling.Injection:
    """Return the packet for an agent and a task, or what answers a query."""
    if query:
        return customs.native_inject(workspace, query, **options)
    files = memory_files
    agent = reviewers.resolved(options.get("agent") or ORCHESTRATOR, tables)
    task = one_line(options.get("task") or "", 200)
    known = collect.collect([files.folder.root]).tasks if task or options.get("files") else {}
    target = _target(agent, task, options.get("files") or (), known, files)
    chosen = _chosen(workspace, target, known, files, tables, options)
    block = packet.markdown(chosen, tables, agent_notes=files.folder.agent_notes(agent))
    _warn_of_stale(workspace, files, but=_place(chosen, files))
    traced = _remember(workspace, chosen, files, options)
    return recalling.Injection(
        block=block,
        memories=[_shown(item) for item in chosen.items],
        suppressed=[{"id": left.memory_id, "why": left.reason} for left in chosen.suppressed],
        traced=traced,
    )


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
    options: dict[str, Any],
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

    chosen = assembled(options.get("limit"))
    most = options.get("budget_chars")
    # The agent's own file is not part of the budget: it survives whatever else is dropped.
    while most is not None and chosen.items and len(packet.markdown(chosen, tables)) > most:
        chosen = assembled(len(chosen.items) - 1)
    return chosen


def _shown(item: packet.Item) -> dict[str, Any]:
    memory = item.memory
    why = f"{memory['state']}, confidence {memory['signals']['confidence']:g}, scope {memory['scope']}"
    return {"id": memory["memory_id"], "score": item.score, "why": why, "caution": item.caution}


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


def _remember(workspace: Workspace, chosen: Packet, files: MemoryFiles, options: dict[str, Any]) -> bool:
    """Write the packet and note what was shown; return False when the store cannot be written."""
    now = workspace.now()
    shown = [{"id": item.memory["memory_id"], "score": item.score} for item in chosen.items]
    try:
        with workspace.store.writing():
            if place := _place(chosen, files):
                files.folder.put(place, codec.encode(packet.document(chosen, now), "memory-packet"))
            if shown:
                workspace.store.record_injection(
                    now,
                    shown,
                    run=one_line(options.get("run") or "", 200),
                    task=chosen.target.task_id or "",
                    agent=chosen.target.agent,
                    query="",
                )
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
