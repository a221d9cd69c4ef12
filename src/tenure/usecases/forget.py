"""`forget`: content is removed from every byte we own. `gc` is the only other way.

Forgetting leaves a keyed mark, so that the same text is not captured or imported again. `store.sqlite.erasure` knows
where bytes are left behind.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from msgspec.structs import replace

from tenure.files import OURS_LAYER, TEAM, team_folder
from tenure.model.errors import StoreUnusable
from tenure.model.events import BY_EARLIER, PROVED_BY, Event, EventType
from tenure.model.memory import Memory
from tenure.rules.stored_verdict import fingerprint
from tenure.text.words import folded
from tenure.usecases import traces
from tenure.usecases.answers.changed import Erased
from tenure.usecases.batch import Batch
from tenure.usecases.project import Project

REASON = "forgotten on request"


def forget(project: Project, id: str) -> Erased:
    """Erase one memory, its history, its index entries and its traces in what was shown; also on a full disk."""
    return forget_all(project, [id])[0]


def forget_all(project: Project, ids: Sequence[str]) -> list[Erased]:
    """Erase several memories after one question; an id that is not known leaves all of them."""
    project.needs_person("forget")
    known = list(dict.fromkeys([project.resolve(id) for id in ids]))
    return [_forget_one(project, full) for full in known]


def _forget_one(project: Project, full: str) -> Erased:
    shared = _shared_as(project, full)
    erased = erase(project, full)
    project.keep_head()
    if project.place.address:
        from tenure.usecases import team_database_copy  # start-up: most memory is a file of this machine

        erased = replace(erased, copies=team_database_copy.not_pulled(project))
    file = f"{TEAM}/{shared}{team_folder.ENDING}"
    return replace(erased, team_file=file if shared and (project.place.tree / file).exists() else "")


def _shared_as(project: Project, id: str) -> str:
    """Return the id in *ours* under which a memory was shared from here, empty when it was not."""
    if not project.has_ours:
        return ""
    from tenure.usecases import team_agreed  # start-up: only where a team shares

    own = team_agreed.read(project.place.project).shared.get(id)
    return own.id if own else ""


def erase(project: Project, id: str, *, again: bool = False) -> Erased:
    """Erase one memory without asking anybody; `again` when the person had it forgotten before, elsewhere."""
    shared = _shared_as(project, id)
    with project.store.health.despite_a_full_disk() as do:
        events, derived, texts = do(lambda: _forget(project, id, again=again, shared=shared))
        try:
            pending = not do(project.store.health.finish_erasing)
        except StoreUnusable:
            # It is out of every answer; its last bytes go with the next upkeep that finds room.
            pending = True
    traces.erase(texts)
    if shared:
        from tenure.usecases import team_agreed  # start-up: only where a team shares

        # While its file is there it waits as one that nobody agreed to; the replica erases it with the file.
        team_agreed.forget(project.place.project, id)
        project.refresh_ours()
    return Erased(id=id, events=events, pending=pending, derived=derived)


def erase_history(project: Project, id: str) -> None:
    """Erase what the ledger says of a memory that is gone already."""
    with project.changing(makes=False) as batch:
        history = batch.store.history(id)
        texts = [event.set["text"] for event in (each.event for each in history) if event.set.get("text")]
        marks = sorted({batch.store.mark(folded(text)) for text in texts})
        detail = {"marks": [mark.hex() for mark in marks], PROVED_BY: BY_EARLIER}
        event = Event(type=EventType.FORGOTTEN, memory_id=id, at=batch.now, actor="user", reason=REASON, detail=detail)
        batch.record(None, [event], version=history[-1].version)
        batch.write()
        batch.store.health.erase(id, marks, batch.now)
    project.store.health.finish_erasing()
    traces.erase(texts)


def _forget(project: Project, id: str, *, again: bool, shared: str) -> tuple[int, list[str], list[str]]:
    with project.changing(makes=False) as batch:
        memory = batch.get(id)
        assert memory is not None
        # Named for the user to look at, not erased with it: others may have said the same for reasons of their own.
        same = {row.memory.id for row in batch.store.find(fingerprint=fingerprint(memory.kind, memory.text))} - {id}
        derived = sorted({*same, *memory.supersedes, *([memory.superseded_by] if memory.superseded_by else [])})
        events = [recorded.event for recorded in batch.store.history(id)]
        # What it said before an edit must not come back either.
        texts = [memory.text, *(event.set["text"] for event in events if event.set.get("text"))]
        marks = sorted({batch.store.mark(folded(text)) for text in texts})
        erase_within(batch, memory, EventType.FORGOTTEN, REASON, marks, {PROVED_BY: BY_EARLIER} if again else None)
        if shared:
            batch.store.health.erase(OURS_LAYER + shared, (), batch.now)
    return len(events), derived, texts


def erase_within(
    batch: Batch,
    memory: Memory,
    type: EventType,
    reason: str,
    marks: Sequence[bytes] = (),
    proof: Mapping[str, str] | None = None,
) -> None:
    """Erase one memory as part of a change; `marks` keep its texts from coming back."""
    # The ledger names the marks, so that one removed by hand is missed.
    detail = {**({"marks": [mark.hex() for mark in marks]} if marks else {}), **(proof or {})}
    event = Event(type=type, memory_id=memory.id, at=batch.now, actor="user", reason=reason, detail=detail)
    batch.record(memory, [event])
    batch.write()
    batch.store.health.erase(memory.id, marks, batch.now)
