"""What a session suggests for another system's folder: it waits beside the folder until a person keeps it.

In such a folder every file is in use at once, so a suggestion is not written there. It has an id of ours and is in
the review queue with the person's words. When kept, it becomes a memory under the system's own id; when dropped, it
is gone and is not suggested again.
"""

from __future__ import annotations

import json
import secrets
from collections.abc import Mapping
from typing import Any

from tenure.model import clock
from tenure.model.errors import BadRequest
from tenure.model.memory import Memory, Phase
from tenure.rules.consolidate import Decision
from tenure.rules.same_rule import same
from tenure.store.api import Store
from tenure.systems.api import System
from tenure.text.words import folded, one_line
from tenure.usecases import add, intake, new_memory
from tenure.usecases.answers import Written, written
from tenure.usecases.answers.looked import Waiting
from tenure.usecases.project import Project

# The list beside the folder, its length, and keyed hashes of what was dropped.
KEY, MOST = "suggested", 100
DROPPED, MOST_DROPPED = "suggested_dropped", 500
PREFIX = "s-"
KEEP, DROP = ("keep", "approve"), ("reject", "archive")
WAITS = "a file here would be in use at once; it waits for you"


def put(project: Project, proposal: dict[str, Any], quote: str, run: str, *, dry_run: bool = False) -> Decision:
    """Let a suggestion wait, once; return where it stands."""
    store, kind, text = project.store, str(proposal["kind"]), str(proposal["text"])
    waiting = _read(store)
    known = next((item for item in waiting if folded(item["text"]) == folded(text) or same(item["text"], text)), None)
    if known is not None:
        return _decision(known["id"], kind, text, quote, f"{WAITS}: tenure review {known['id']} --keep")
    if any(folded(row.memory.text) == folded(text) for row in store.find(phases=("pending", "live"))):
        return _decision("", kind, text, quote, "it is known already")
    if _mark(store, text) in _dropped(store):
        return _decision("", kind, text, quote, "it was dropped before")
    if dry_run:
        return _decision("", kind, text, quote, WAITS)
    id = PREFIX + "".join(secrets.choice(new_memory.ID_ALPHABET) for _ in range(7))
    item = {
        "id": id,
        "kind": kind,
        "text": text,
        "quote": quote,
        "run": run,
        "scope": str(proposal.get("scope") or "project"),
        "at": clock.stamp(project.now()),
    }
    store.keep(KEY, json.dumps([*waiting, item][-MOST:]))
    return _decision(id, kind, text, quote, f"{WAITS}: tenure review {id} --keep")


def waiting(store: Store) -> list[Waiting]:
    """Return what waits, in the order in which it was said."""
    return [
        Waiting(
            id=item["id"],
            title=one_line(item["text"], 80),
            state="suggested",
            needs="a person who keeps it",
            reviewer="user",
            why="a session suggests it",
            kind=item["kind"],
            phase="pending",
            text=item["text"],
            source="model:transcript",
            trust="model",
            quote=item["quote"],
            evidence=[f"session:{item['run']}"],
            evidence_count=1,
            created_at=item["at"],
            keep=KEEP[0],
            drop=DROP[0],
        )
        for item in _read(store)
    ]


def judge(project: Project, system: System, id: str, decision: str) -> Written | None:
    """Keep a suggestion as a memory of the system, or drop it; None when there is no suggestion of this id."""
    items = _read(project.store) if id.startswith(PREFIX) else []
    item = next((one for one in items if one["id"] == id), None)
    if item is None:
        return None
    project.needs_person("review")
    if decision not in (*KEEP, *DROP):
        raise BadRequest(f"A suggestion is kept or dropped, not {decision!r:.40}.", hint=f"tenure review {id} --keep")
    rest = [one for one in items if one["id"] != id]
    if decision in DROP:
        _drop(project.store, item["text"])
        project.store.keep(KEY, json.dumps(rest))
        return written(_as_memory(project, item, "rejected", "gone"))
    kind = item["kind"] if item["kind"] in system.kinds else system.default_kind
    made = add.add(project, system, item["text"], kind=kind, source="user", run=item["run"], proved=True)
    project.store.keep(f"quote:{made.id}", item["quote"])
    project.store.keep(KEY, json.dumps(rest))
    return made


def edit(project: Project, id: str, fields: Mapping[str, Any]) -> Written | None:
    """Change the words of a suggestion before it is kept; None when there is no suggestion of this id."""
    items = _read(project.store) if id.startswith(PREFIX) else []
    item = next((one for one in items if one["id"] == id), None)
    if item is None:
        return None
    project.needs_person("edit")
    if set(fields) != {"text"}:
        raise BadRequest(
            "Only the text of a suggestion can be edited; keep it first.", hint=f"tenure review {id} --keep"
        )
    text = intake.safe(str(fields["text"]))
    if not text:
        raise BadRequest("A suggestion needs a text.", field="text")
    # In the words of the session it is not suggested again.
    _drop(project.store, item["text"])
    item["text"] = text
    project.store.keep(KEY, json.dumps(items))
    return written(_as_memory(project, item, "suggested", "pending"))


def _as_memory(project: Project, item: Mapping[str, str], state: str, phase: Phase) -> Memory:
    return Memory(
        id=item["id"],
        kind=item["kind"],
        title=one_line(item["text"], 80),
        text=item["text"],
        state=state,
        phase=phase,
        created_at=project.now(),
        updated_at=project.now(),
    )


def _decision(id: str, kind: str, text: str, quote: str, why: str) -> Decision:
    return Decision(action="noop", id=id, kind=kind, reasons=(why,), text=text, quote=quote)


def _mark(store: Store, text: str) -> str:
    return store.mark(folded(text)).hex()[:16]


def _drop(store: Store, text: str) -> None:
    store.keep(DROPPED, json.dumps([*_dropped(store), _mark(store, text)][-MOST_DROPPED:]))


def _dropped(store: Store) -> list[str]:
    found = _list(store, DROPPED)
    return [one for one in found if isinstance(one, str)]


def _read(store: Store) -> list[dict[str, str]]:
    fields = ("id", "kind", "text", "quote", "run", "scope", "at")
    return [
        {name: str(item.get(name, "")) for name in fields}
        for item in _list(store, KEY)
        if isinstance(item, dict) and item.get("id") and item.get("text")
    ]


def _list(store: Store, key: str) -> list[Any]:
    try:
        found = json.loads(store.setting(key) or "[]") if store.exists else []
    except (ValueError, TypeError):
        return []
    return found if isinstance(found, list) else []
