"""`gc`: removes retired memories for good when their grace period is over; until then `restore` brings them back."""

from __future__ import annotations

import contextlib

from tenure.model.errors import StoreUnusable
from tenure.model.events import EventType
from tenure.rules import retention
from tenure.usecases import traces
from tenure.usecases.answers.changed import Collected
from tenure.usecases.forget import erase_within
from tenure.usecases.project import Project


def collect(project: Project, *, dry_run: bool = False) -> Collected:
    """Purge retired memories whose grace period is over; return their ids and how many retired ones stay."""
    project.no_agent("gc")
    with project.store.health.despite_a_full_disk() as do:
        purged, kept, texts = do(lambda: _collect(project, dry_run=dry_run))
        if purged and not dry_run:
            traces.erase(texts)
            with contextlib.suppress(StoreUnusable):
                do(project.store.health.finish_erasing)
    return Collected(purged=purged, kept=kept)


def _collect(project: Project, *, dry_run: bool) -> tuple[list[str], int, list[str]]:
    with project.changing(dry_run=dry_run, makes=False) as batch:
        retired = [row.memory for state in batch.policy.retention.purge_states for row in batch.store.find(state=state)]
        over = [memory for memory in retired if retention.purgeable(memory, batch.policy, batch.now)]
        reason = retention.why_purged(batch.policy)
        for memory in over:
            if batch.policy.retention.archive_instead:
                kept = retention.kept(memory, batch.policy, batch.now, reason=reason)
                batch.record(memory, [kept])
            else:
                erase_within(batch, memory, EventType.PURGED, reason)
        archived = over if batch.policy.retention.archive_instead else []
    purged = [memory.id for memory in over if memory not in archived]
    texts = [memory.text for memory in over if memory not in archived]
    return purged, len(retired) - len(purged), texts
