"""Decisions of a person that later sessions contradict: they stay in force, and the person is asked.

A session's file may have been written by an agent. So "forget that", corrections and opposite advice take away what
only sessions taught, and nothing that a person decided or that a guard depends on. The list is kept beside the
memories; an item is answered by the next thing a person does to its memory.
"""

from __future__ import annotations

import json

from tenure.model.actor import read
from tenure.model.events import WHO, Event
from tenure.model.memory import Memory
from tenure.store.api import Store
from tenure.usecases.project import Project
from tenure.usecases.unproved_verdicts import VERDICTS

KEY, MOST = "doubted", 200


def stays(store: Store, memory: Memory) -> bool:
    """Tell whether only a person may take a memory away: its guard is on, or a person decided about it."""
    return memory.guard_is_on or any(map(_is_verdict, _by_person(store, memory.id)))


def keep_from_agents(project: Project, memory: Memory, act: str) -> None:
    """Let no agent take a memory away that a person decided about, or whose guard is on; raise `NeedsPerson`.

    On another system's files everything that its own programs may do goes on as it does there.
    """
    project.keep_guarded(memory, act)
    if project.actor.is_agent and project.native and any(map(_is_verdict, _by_person(project.store, memory.id))):
        project.needs_person(f"{act} {memory.id}, about which a person decided")


def put(store: Store, id: str, why: str) -> None:
    """Ask the person about a memory, once until they answer."""
    items = {known: [number, said] for known, number, said in _read(store) if known != id}
    items[id] = [_last_entry(store, id), why]
    store.keep(KEY, json.dumps([[known, *item] for known, item in items.items()][-MOST:]))


def waiting(store: Store) -> dict[str, str]:
    """Return why a person is asked about each memory, for those that are in use and not answered yet."""
    found = {}
    for id, number, why in _read(store) if store.exists else ():
        row = store.get(id)
        if row is not None and row.memory.phase == "live" and not _by_person(store, id, after=number):
            found[id] = why
    return found


def _by_person(store: Store, id: str, after: int = 0) -> list[Event]:
    """Return what was done to a memory with a person there."""
    events = [entry.event for entry in store.history(id) if entry.seq > after]
    return [event for event in events if (who := read(event.detail.get(WHO))) is not None and who.present]


def _is_verdict(event: Event) -> bool:
    return event.type in VERDICTS or "approvals" in event.add


def _last_entry(store: Store, id: str) -> int:
    return max((entry.seq for entry in store.history(id)), default=0)


def _read(store: Store) -> list[tuple[str, int, str]]:
    try:
        found = json.loads(store.setting(KEY) or "[]")
    except (ValueError, TypeError):
        return []
    listed = found if isinstance(found, list) else []
    return [
        (str(item[0]), item[1], str(item[2]))
        for item in listed
        if isinstance(item, list) and len(item) == 3 and isinstance(item[1], int)
    ]
