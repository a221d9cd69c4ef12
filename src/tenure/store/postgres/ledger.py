"""The ledger as it is read: the same entries, digests and chain as in the SQLite store, one ledger per project."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from tenure.model.errors import StoreDamaged
from tenure.model.events import Recorded
from tenure.store.postgres import queries
from tenure.store.postgres.handle import Handle
from tenure.store.sqlite import chain
from tenure.store.sqlite.ledger import recorded

_LAST = 2**63 - 1


def of_memory(handle: Handle, id: str) -> list[Recorded]:
    """Return a memory's entries, oldest first."""
    return [recorded(*row) for row in handle.all(queries.HISTORY, (handle.project, id))]


def proven(handle: Handle, id: str) -> list[Recorded]:
    """Return a memory's entries, oldest first; raise `StoreDamaged` for one that was altered outside Tenure."""
    found = []
    for payload, mark, previous, link, *entry in handle.all(queries.PROOF, (handle.project, id)):
        seq, batch, memory_id, version, type, at, actor = entry
        previous = chain.START if seq == 1 else previous
        holds = previous is not None and (payload is None or chain.digest(payload.encode()) == mark)
        if not holds or chain.link(previous, seq, batch, memory_id, version, type, at, actor, mark) != link:
            raise StoreDamaged(f"Entry {seq} of the ledger was altered outside Tenure.", hint="Run `tenure check`.")
        found.append(recorded(seq, version, payload, memory_id, type, at, actor))
    return found


def batches(handle: Handle, upto: int | None) -> Iterator[list[Recorded]]:
    """Return what each command wrote, newest first."""
    place = _LAST if upto is None else upto
    while (batch := handle.value(queries.NEWEST_BATCH, (handle.project, place))) is not None:
        project = handle.project
        yield [recorded(*row) for row in handle.all(queries.BATCH, (project, batch, batch, project, batch, batch))]
        place = batch - 1


def page(handle: Handle, clause: str, values: Sequence[object], limit: int) -> list[Recorded]:
    """Return the newest entries that a clause selects."""
    rows = handle.all(queries.ENTRIES.format(clause), (handle.project, *values, limit))
    return [recorded(*row) for row in rows]


def changed_since(handle: Handle, seq: int, proof: bytes) -> dict[str, None] | None:
    """Return the ids of memories with entries after one that is known by its proof; None when they do not follow."""
    changed: dict[str, None] = {}
    for _ in broken_links(handle, seq, proof, changed):
        return None
    return changed


def broken_links(
    handle: Handle, after: int = 0, proof: bytes = chain.START, seen: dict[str, None] | None = None
) -> Iterator[tuple[int, str]]:
    """Return (entry, what is wrong) wherever the chain does not hold: edited, removed, reordered or cut off.

    It begins after an entry whose proof is known; the ids that are met are in `seen` then.
    """
    previous, expected = proof, after + 1
    for row in handle.all(queries.WHOLE_LEDGER, (handle.project, after)):
        seq, batch, id, version, type, at, actor, payload, mark, link = row
        if seq != expected:
            yield seq, f"entry {expected} is missing"
        if payload is not None and chain.digest(payload.encode()) != mark:
            yield seq, "its content was altered"
        if payload is None and handle.value(queries.ERASED_AFTER, (handle.project, id, version)) is None:
            yield seq, "its content was removed, but its memory was not erased"
        if chain.link(previous, seq, batch, id, version, type, at, actor, mark) != link:
            yield seq, "it does not follow from the entry before it"
        previous, expected = link, seq + 1
        if seen is not None:
            seen[id] = None
    head = handle.one(queries.HEAD, (handle.project,))
    if head is not None and tuple(head) != (expected - 1, previous):
        yield expected, "the newest entries are missing"
