"""The ledger: what happened to every memory, in order, chained so that no entry can be altered unnoticed."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence

import apsw
import msgspec

from tenure.model import clock
from tenure.model.decoding import decoder
from tenure.model.errors import StoreDamaged
from tenure.model.events import Event, EventType, LedgerEntry, Recorded, Revision, encoded
from tenure.store.sqlite import chain


class _Payload(msgspec.Struct, frozen=True):
    # Random, and erased with the payload, so that the hash that stays behind reveals nothing.
    salt: str
    event: Event


_SALT_BYTES = 8
# No entry has a higher number.
_LAST = 2**63 - 1
_decode = decoder(_Payload)
_INSERT = "INSERT INTO ledger VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"
_SELECT = "SELECT seq, version, payload, memory_id, type, at, actor FROM ledger"


def append(connection: apsw.Connection, revisions: Sequence[Revision], *, batch: int | None = None) -> int:
    """Write the events of a changeset and return its batch: the number of its first entry, unless one is given."""
    entries = [
        (version, encoded(event))
        for revision in revisions
        for version, event in enumerate(revision.events, start=revision.expected_version + 1)
    ]
    return write(connection, entries, batch=batch)


def write(connection: apsw.Connection, entries: Sequence[tuple[int, LedgerEntry]], *, batch: int | None = None) -> int:
    """Write (version of the memory, entry) in order and return the batch, as `append` does."""
    meta = dict(connection.execute("SELECT key, value FROM meta WHERE key IN ('head', 'head_seq')"))
    if set(meta) != {"head", "head_seq"} or not isinstance(meta["head"], bytes):
        raise StoreDamaged("The store has lost the end of its ledger; nothing was written.", hint="Run `tenure check`.")
    seq, head = int(meta["head_seq"]), meta["head"]
    batch, rows = batch or seq + 1, []
    salts = os.urandom(_SALT_BYTES * len(entries)).hex(":", _SALT_BYTES).encode().split(b":")
    for salt, (version, entry) in zip(salts, entries, strict=False):
        seq += 1
        # As `_Payload` is encoded.
        payload = b'{"salt":"%b","event":%b}' % (salt, entry.event)
        mark = chain.digest(payload)
        id, type, at, actor = entry.memory_id, entry.type, entry.at, entry.actor
        head = chain.link(head, seq, batch, id, version, type, at, actor, mark)
        rows.append((seq, batch, id, version, type, at, actor, payload.decode(), mark, head))
    connection.executemany(_INSERT, rows)
    connection.execute(
        "UPDATE meta SET value = CASE key WHEN 'head' THEN ? ELSE ? END WHERE key IN ('head', 'head_seq')", (head, seq)
    )
    return batch


def of_memory(connection: apsw.Connection, memory_id: str) -> list[Recorded]:
    """Return a memory's entries, oldest first."""
    return _recorded(connection.execute(f"{_SELECT} WHERE memory_id = ? ORDER BY version", (memory_id,)))


def proven(connection: apsw.Connection, memory_id: str) -> list[Recorded]:
    """Return a memory's entries, oldest first; raise `StoreDamaged` for one that was altered outside Tenure."""
    found = []
    before = "(SELECT chain FROM ledger AS earlier WHERE earlier.seq = ledger.seq - 1)"
    for payload, mark, previous, link, *entry in connection.execute(
        f"SELECT payload, digest, {before}, chain, seq, batch, memory_id, version, type, at, actor FROM ledger"
        " WHERE memory_id = ? ORDER BY version",
        (memory_id,),
    ):
        seq, batch, id, version, type, at, actor = entry
        previous = chain.START if seq == 1 else previous
        holds = isinstance(previous, bytes) and isinstance(mark, bytes) and isinstance(payload, str | None)
        if holds and payload is not None:
            holds = chain.digest(payload.encode()) == mark
        if not holds or chain.link(previous, seq, batch, id, version, type, at, actor, mark) != link:
            raise StoreDamaged(f"Entry {seq} of the ledger was altered outside Tenure.", hint="Run `tenure check`.")
        found.append(recorded(seq, version, payload, id, type, at, actor))
    return found


def of_batch(connection: apsw.Connection, batch: int) -> list[Recorded]:
    """Return the entries one command wrote: they stand together, beginning with the one that gave the number."""
    after = "SELECT min(seq) FROM ledger WHERE seq > ?1 AND batch != ?1"
    return _recorded(
        connection.execute(
            f"{_SELECT} WHERE seq >= ?1 AND batch = ?1 AND seq < ifnull(({after}), seq + 1) ORDER BY seq", (batch,)
        )
    )


def page(connection: apsw.Connection, where: str, values: Sequence[object], limit: int) -> list[Recorded]:
    """Return the newest entries that a clause selects."""
    return _recorded(connection.execute(f"{_SELECT} WHERE {where} ORDER BY seq DESC LIMIT ?", (*values, limit)))


def batches(connection: apsw.Connection, upto: int | None = None) -> Iterator[int]:
    """Return the batches, newest first; with `upto` from the one on that this entry is in."""
    newest = "SELECT batch FROM ledger WHERE seq <= ? ORDER BY seq DESC LIMIT 1"
    place = _LAST if upto is None else upto
    while (batch := connection.execute(newest, (place,)).get) is not None:
        yield batch
        place = batch - 1


def last_version(connection: apsw.Connection, memory_id: str) -> int:
    """Return how many entries a memory has; 0 when there never was one of this id."""
    row = connection.execute("SELECT max(version) FROM ledger WHERE memory_id = ?", (memory_id,)).fetchone()
    return int(row[0] or 0) if row else 0


def broken_links(connection: apsw.Connection) -> Iterator[tuple[int, str]]:
    """Return (entry, what is wrong) wherever the chain does not hold: edited, removed, reordered or cut off."""
    previous, expected = chain.START, 1
    # As bytes, whatever somebody put there.
    columns = "CAST(payload AS BLOB), ifnull(CAST(digest AS BLOB), x''), ifnull(CAST(chain AS BLOB), x'')"
    for seq, batch, memory_id, version, type, at, actor, payload, mark, link in connection.execute(
        f"SELECT seq, batch, memory_id, version, type, at, actor, {columns} FROM ledger ORDER BY seq"
    ):
        if seq != expected:
            yield seq, f"entry {expected} is missing"
        if payload is not None and chain.digest(payload) != mark:
            yield seq, "its content was altered"
        if payload is None and not _was_erased_after(connection, memory_id, version):
            yield seq, "its content was removed, but its memory was not erased"
        if chain.link(previous, seq, batch, memory_id, version, type, at, actor, mark) != link:
            yield seq, "it does not follow from the entry before it"
        previous, expected = link, seq + 1
    meta = dict(connection.execute("SELECT key, CAST(value AS BLOB) FROM meta WHERE key IN ('head', 'head_seq')"))
    if (meta.get("head_seq"), meta.get("head")) != (str(expected - 1).encode(), previous):
        yield expected, "the newest entries are missing"


def _was_erased_after(connection: apsw.Connection, memory_id: str, version: int) -> bool:
    """Tell whether the memory was erased later; its id may be in use again, where another system gives ids."""
    later = "SELECT 1 FROM ledger WHERE memory_id = ? AND version > ? AND type IN (?, ?) LIMIT 1"
    return bool(connection.execute(later, (memory_id, version, EventType.PURGED, EventType.FORGOTTEN)).get)


def decode(payload: str) -> Event:
    """Return the event of a payload."""
    try:
        return _decode(payload).event
    except (msgspec.ValidationError, msgspec.DecodeError) as error:
        raise StoreDamaged(f"A ledger entry cannot be read: {error}.", hint="Run `tenure check`.") from None


def _recorded(rows: apsw.Cursor) -> list[Recorded]:
    return [recorded(*row) for row in rows]


def recorded(seq: int, version: int, payload: str | None, id: str, type: str, at: str, actor: str) -> Recorded:
    """Return an entry as it is read from its columns."""
    if payload is not None:
        return Recorded(seq=seq, version=version, event=decode(payload))
    event = Event(type=type, memory_id=id, at=clock.parse(at), actor=actor, reason="content erased")
    return Recorded(seq=seq, version=version, event=event, erased=True)
