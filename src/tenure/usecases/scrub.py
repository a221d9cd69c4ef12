"""`scrub`: searches what is already stored with today's rules for secrets, and erases what they find (P5).

A memory that holds a secret, or whose history does, is written anew without it: its old entries are blanked as
`forget` blanks them, and one entry says what it is now. States, counters and approvals stay; who said what before is
gone.
"""

from __future__ import annotations

import contextlib
import json
from collections.abc import Mapping, Sequence
from typing import Any

import msgspec

from tenure.model.errors import StoreUnusable
from tenure.model.events import VIA, WHO, Event, EventType
from tenure.model.evolve import born
from tenure.text.redact import redact, redact_value
from tenure.usecases import intake, quotes, traces
from tenure.usecases.answers import Progress
from tenure.usecases.answers.changed import Scrubbed
from tenure.usecases.batch import Batch
from tenure.usecases.project import Project
from tenure.usecases.remember import WAITING

REASON = "a secret was taken out of it or of its history"
# Of an entry's details: who acted is no text of anybody's, and marks are hashes.
_NO_WORDS = (WHO, VIA, "marks")


def scrub(project: Project, *, dry_run: bool = False, progress: Progress | None = None) -> Scrubbed:
    """Search everything that is stored for secrets and erase them; return which memories and notes held any."""
    project.no_agent("scrub")
    if not project.store.exists:
        return Scrubbed(memories=[], injections=0, pending=False)
    with project.store.health.despite_a_full_disk() as do:
        found, notes = do(lambda: _scrub(project, dry_run, progress))
        pending = False
        if (found or notes) and not dry_run:
            pending = True
            traces.erase()
            with contextlib.suppress(StoreUnusable):
                pending = not do(project.store.health.finish_erasing)
    if not dry_run:
        project.keep_head()
    return Scrubbed(memories=found, injections=notes, pending=pending)


def _scrub(project: Project, dry_run: bool, progress: Progress | None) -> tuple[list[str], int]:
    with project.changing(dry_run=dry_run, makes=False) as batch:
        store = batch.store
        ids = sorted({*store.ids(), *_ids_of_ledger(batch)})
        found = []
        for done, id in enumerate(ids, start=1):
            if _scrubbed(batch, id):
                found.append(id)
            if progress and done % 500 == 0:
                progress(done, len(ids))
        dirty = [each for each in store.activity.shown() if _differs((each.query, each.task))]
        for each in dirty:
            store.activity.reword(each.number, query=redact(each.query)[0], task=redact(each.task)[0])
        _scrub_waiting(batch)
    return found, len(dirty)


def _ids_of_ledger(batch: Batch) -> set[str]:
    """Return the ids of what is gone and still has a history: a file that was lost can come back."""
    return {entry.event.memory_id for entries in batch.store.batches() for entry in entries}


def _scrubbed(batch: Batch, id: str) -> bool:
    """Rewrite one memory if it or its history holds a secret; tell whether it did."""
    memory, quote = batch.get(id), quotes.of(batch.store, id)
    history = batch.store.history(id)
    clean = intake.without_secrets(memory) if memory else None
    if clean == memory and not _differs([quote]) and not any(_holds_secret(entry.event) for entry in history):
        return False
    version = history[-1].version if history else 0
    event = Event(type=EventType.PURGED, memory_id=id, at=batch.now, actor="user", reason=REASON)
    batch.record(memory, [event], version=version)
    batch.write()
    batch.store.health.erase(id, (), batch.now)
    if clean is not None:
        batch.record(None, [born(clean, type=EventType.IMPORTED, actor="user", reason=REASON)], version=version + 1)
        batch.write()
        if quote:
            batch.store.keep(f"quote:{id}", redact(quote)[0])
    return True


def _holds_secret(event: Event) -> bool:
    sets: Sequence[Mapping[str, Any]] = (event.set, event.before, event.add)
    values = [{name: table[name] for name in intake.WORDS if name in table} for table in sets]
    detail = {name: value for name, value in event.detail.items() if name not in _NO_WORDS}
    return _differs([event.reason, event.task, detail, *values])


def _differs(values: Any) -> bool:
    plain = msgspec.to_builtins(list(values))
    return bool(redact_value(plain) != plain)


def _scrub_waiting(batch: Batch) -> None:
    """Take secrets out of the quotes of proposals that wait to be proved."""
    kept = batch.store.setting(WAITING)
    with contextlib.suppress(ValueError, TypeError):
        known = json.loads(kept or "{}")
        if (safe := redact_value(known)) != known:
            batch.store.keep(WAITING, json.dumps(safe))
