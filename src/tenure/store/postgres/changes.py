"""A changeset, written: the database's own function takes entries and rows together, or refuses all of them.

The caller holds the project. Who acts is the role of the session: whatever name an event came with stays as a label.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

import msgspec

from tenure.model.errors import Conflict, StoreDamaged
from tenure.model.events import Event, LedgerEntry, Life, Revision, decoded, encoded
from tenure.model.kinds import indexed
from tenure.model.memory import Memory, Verdict
from tenure.store.postgres import index, queries
from tenure.store.postgres.handle import Handle
from tenure.store.sqlite import COLUMNS, guards, memory_rows
from tenure.store.sqlite.changes import file_names

# Under this key of `detail` an event keeps the name it was given, where that is not the role.
LABEL = "label"
# Beside the memories: how many there were when common words were counted last.
COUNTED_AT = "words_counted_at"
_NAMES = tuple(COLUMNS.split(", "))
_SALT_BYTES = 8
# So many memories are sent at once.
AT_ONCE = 500


class _Written(NamedTuple):
    """What one call of the function takes."""

    entries: list[tuple[int, LedgerEntry]]
    rows: list[dict[str, Any]]
    gone: list[int]
    words: list[tuple[str, int, index.Posting]]


def commit(
    handle: Handle, changes: Sequence[Revision | Life], verdicts: Sequence[Verdict | None], *, batch: int | None
) -> int:
    """Write a changeset and return its batch; raise `Conflict` when a version is not the one seen."""
    pairs = list(zip(changes, verdicts, strict=True))
    revisions = [(r, v) for r, v in pairs if isinstance(r, Revision)]
    lives = [(life, v) for life, v in pairs if isinstance(life, Life)]
    numbers = _numbers(handle, [r for r, _ in revisions])
    _free(handle, [life.memory.id for life, _ in lives])
    related = _related(handle, revisions, numbers)
    last = handle.value(queries.LAST_NUMBER, (handle.project,)) or 0
    role = handle.team.role if handle.team else ""
    written = _Written([], [], [], [])
    for revision, verdict in revisions:
        events = [_by(role, event) for event in revision.events]
        versions = range(revision.expected_version + 1, revision.expected_version + 1 + len(events))
        written.entries.extend(zip(versions, map(encoded, events), strict=True))
        known = numbers[revision.memory_id]
        if revision.after is None or verdict is None:
            written.gone.extend([] if known is None else [known[0]])
            continue
        n = known[0] if known else (last := last + 1)
        put(written, n, versions[-1] if events else revision.expected_version, revision.after, verdict, related.get(n))
    for life, verdict in lives:
        assert verdict is not None, "a memory that arrives has a verdict"
        last += 1
        events = [_by(role, decoded(entry)) for entry in life.entries]
        written.entries.extend(enumerate(map(encoded, events), start=1))
        put(written, last, len(events), life.memory, verdict, None)
    batch = _send(handle, written, batch)
    _count_words(handle)
    return batch


def put(written: _Written, n: int, version: int, memory: Memory, verdict: Verdict, related: str | None) -> None:
    """Add a memory as it is now: its row, the names of its files, its guard and its words."""
    row: dict[str, Any] = dict(zip(_NAMES, memory_rows.columns(n, version, memory, verdict), strict=True))
    sizes, stems = index.cut((*indexed(memory), related))
    row["hash"] = row["hash"].hex()
    queued = verdict.queued
    row["queued"] = None if queued is None else [int(queued.contested), int(queued.free), *queued[2:]]
    row |= {"sizes": sizes, "stems": list(stems), "files": file_names(memory.files)}
    row["guards"] = [guard[1:] for guard in guards.rows(n, memory)] if memory.guard else []
    written.rows.append(row)
    written.words.extend((stem, n, posting) for stem, posting in stems.items())


def refresh(handle: Handle, known: Iterable[tuple[int, int, Memory, Verdict, str | None]]) -> None:
    """Store anew what follows from (number, version, memory, verdict, related words)."""
    every = list(known)
    for start in range(0, len(every), AT_ONCE):
        written = _Written([], [], [], [])
        for n, version, memory, verdict, related in every[start : start + AT_ONCE]:
            put(written, n, version, memory, verdict, related)
        handle.connection.execute(queries.REFRESH, (_json(written.rows), *_arrays(written.words)))


def related_words(handle: Handle, numbers: Sequence[int]) -> dict[int, str]:
    """Return the words of related meaning of those memories that have any."""
    return dict(handle.all(queries.RELATED, (handle.project, list(numbers))))


def _send(handle: Handle, written: _Written, batch: int | None) -> int:
    statement = queries.WRITE_JUDGED if handle.team and handle.team.judges else queries.WRITE_PLAIN
    salts = [os.urandom(_SALT_BYTES).hex().encode() for _ in written.entries]
    # As the SQLite store encodes it.
    payloads = [
        (b'{"salt":"%b","event":%b}' % (salt, entry.event)).decode()
        for salt, (_, entry) in zip(salts, written.entries, strict=True)
    ]
    values = (
        batch,
        [entry.memory_id for _, entry in written.entries],
        [version for version, _ in written.entries],
        [entry.type for _, entry in written.entries],
        [entry.at for _, entry in written.entries],
        payloads,
        _json(written.rows),
        written.gone,
        *_arrays(written.words),
    )
    number = handle.value(statement, values)
    if number is None:
        raise StoreDamaged("The database did not say what it wrote.")
    return int(number)


def _json(rows: list[dict[str, Any]]) -> str:
    return msgspec.json.encode(rows).decode()


def _arrays(words: Sequence[tuple[str, int, index.Posting]]) -> tuple[list[Any], ...]:
    return (
        [stem for stem, _, _ in words],
        [n for _, n, _ in words],
        [posting.freq for _, _, posting in words],
        [posting.names for _, _, posting in words],
        [posting.places for _, _, posting in words],
    )


def _by(role: str, event: Event) -> Event:
    """Return an event as the role of this session causes it."""
    detail = event.detail if event.actor in ("", role) else {**event.detail, LABEL: event.actor}
    return msgspec.structs.replace(event, actor=role, detail=detail)


def _numbers(handle: Handle, revisions: Sequence[Revision]) -> dict[str, tuple[int, int] | None]:
    """Return (number, fingerprint) of each memory, None for a new one; raise when a version is not the one seen."""
    ids = [revision.memory_id for revision in revisions]
    rows = {id: rest for id, *rest in handle.all(queries.NUMBER_AND_VERSION, (handle.project, ids))}
    last = dict(handle.all(queries.LAST_VERSIONS, (handle.project, ids)))
    found: dict[str, tuple[int, int] | None] = {}
    for revision in revisions:
        id, expected = revision.memory_id, revision.expected_version
        version = last.get(id, 0)
        if expected == 0 and (version or id in found):
            raise Conflict(f"The id {id!r} is taken.", hint="Leave out --id, or choose another.")
        if version != expected:
            raise Conflict(
                f"{id} is at version {version}, not {expected}: somebody wrote first.",
                hint="Read it again and repeat the change.",
            )
        found[id] = (rows[id][0], rows[id][2]) if id in rows else None
    return found


def _free(handle: Handle, ids: list[str]) -> None:
    if len(set(ids)) < len(ids) or (ids and handle.all(queries.USED_IDS, (handle.project, ids))):
        raise Conflict("Some of these ids were used before.", hint="Ids are never used again.")


def _related(
    handle: Handle,
    revisions: Sequence[tuple[Revision, Verdict | None]],
    numbers: dict[str, tuple[int, int] | None],
) -> dict[int, str]:
    """Drop the vectors of texts that change, and return the related words of the others."""
    changed: list[int] = []
    same: list[int] = []
    for revision, verdict in revisions:
        if known := numbers[revision.memory_id]:
            stays = revision.after is not None and verdict is not None and verdict.fingerprint == known[1]
            (same if stays else changed).append(known[0])
    if changed:
        handle.connection.execute(queries.DROP_VECTORS, (handle.project, changed))
    return related_words(handle, same) if same else {}


def _count_words(handle: Handle) -> None:
    from tenure.store.sqlite import fulltext

    total = handle.value(queries.LAST_NUMBER, (handle.project,)) or 0
    counted = int(handle.value(queries.SETTING, (handle.project, COUNTED_AT)) or 0)
    if total >= fulltext.COMMON_FROM and total >= 2 * counted:
        handle.connection.execute(queries.COUNT_WORDS, (fulltext.COMMON_SHARE,))
