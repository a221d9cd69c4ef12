"""A changeset, written: rows, ledger, index and the names of files together, or nothing.

The caller holds the store's transaction. What follows from the rows can be made anew at any time; the ledger cannot.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any

import apsw

from tenure.model.errors import Conflict
from tenure.model.events import Revision
from tenure.model.kinds import INDEXED, indexed
from tenure.model.memory import Memory, Queued, Verdict
from tenure.store.records import Row
from tenure.store.sqlite import COLUMNS, NUMBER, VERSION, fulltext, ledger, memory_rows

# So many values are asked for in one statement.
_AT_ONCE = 1000
QUOTE = "quote:"
# A person's own words stand before every class of trust, and may have been kept before the memory was placed.
_PLACE = f"""
    INSERT INTO queue (memory, contested, free, said, place, since, rules)
    VALUES (?1, ?2, ?3, iif(EXISTS (SELECT 1 FROM meta WHERE key = '{QUOTE}' || ?8), 0, ?4), ?5, ?6, ?7)
"""
# Of a memory that had a place before: a place that stays as it is costs no write.
_MOVE = f"""{_PLACE} ON CONFLICT (memory) DO UPDATE SET
    contested = excluded.contested, free = excluded.free, said = excluded.said,
    place = excluded.place, since = excluded.since, rules = excluded.rules
    WHERE (contested, free, said, place, since, rules) IS NOT
        (excluded.contested, excluded.free, excluded.said, excluded.place, excluded.since, excluded.rules)
"""
# A row as it was, None of a new memory, and the memory in it, None unless that is known for sure.
Seen = tuple[tuple[Any, ...] | None, Memory | None]
# A change of one memory: what happened, the verdict on what it is now, and what it was.
Change = tuple[Revision, Verdict | None, Seen]


def commit(
    connection: apsw.Connection,
    revisions: Sequence[Revision],
    verdicts: Sequence[Verdict | None],
    *,
    batch: int | None,
) -> int:
    """Write a changeset and return its batch; raise `Conflict` when a version is not the one seen."""
    seen = _seen(connection, revisions)
    batch = ledger.append(connection, revisions, batch=batch)
    changed = [(r, v, seen[r.memory_id]) for r, v in zip(revisions, verdicts, strict=True)]
    _clear(connection, changed)
    _put(connection, changed)
    return batch


def known_ids(connection: apsw.Connection, ids: Sequence[str]) -> set[str]:
    """Return those of the ids that some memory has or ever had."""
    found: set[str] = set()
    for start in range(0, len(ids), _AT_ONCE):
        some = ids[start : start + _AT_ONCE]
        statement = f"SELECT memory_id FROM ledger WHERE version = 1 AND memory_id IN ({','.join('?' * len(some))})"
        found.update(id for (id,) in connection.execute(statement, some))
    return found


def rebuild(connection: apsw.Connection, known: Sequence[Row], judge: Callable[[Memory], Verdict]) -> None:
    """Make everything anew that follows from the rows: the index, the names of files, the stored verdicts."""
    from tenure.store.sqlite import vectors  # start-up: a new memory has none

    fulltext.recreate(connection)
    vectors.drop_altered(connection)
    connection.execute("DELETE FROM memory_file; DELETE FROM guard; DELETE FROM queue")
    for row in known:
        fresh = judge(row.memory)
        place(connection, [(row.number, row.memory.id, fresh)])
        memory_rows.replace(connection, [memory_rows.columns(row.number, row.version, row.memory, fresh)])
        fulltext.insert(connection, [(row.number, indexed(row.memory))])
        name_files(connection, [(row.number, name) for name in file_names(row.memory.files)])
    index_guards(connection, [(row.number, row.memory) for row in known])
    fulltext.refresh_common(connection, memory_rows.highest(connection))


def refresh_verdicts(connection: apsw.Connection, known: Sequence[Row], judge: Callable[[Memory], Verdict]) -> int:
    """Store anew the verdicts that a changed policy or version made stale; return how many were."""
    judged = [(row, judge(row.memory)) for row in known]
    stale = [
        (row, fresh)
        for row, fresh in judged
        if (fresh.eligible, fresh.weight, fresh.line) != (row.eligible, row.weight, row.line)
    ]
    memory_rows.replace(
        connection, [memory_rows.columns(row.number, row.version, row.memory, fresh) for row, fresh in stale]
    )
    if stale:
        from tenure.store.sqlite import vectors  # start-up: a new memory has none

        vectors.note_change(connection)
    known_places = _places(connection)
    moved = [
        (row.number, row.memory.id, fresh)
        for row, fresh in judged
        if fresh.queued is not None and decided(fresh.queued) != known_places.get(row.number)
    ]
    _displace(connection, [(number,) for number, _, _ in moved])
    place(connection, moved)
    return len(stale)


def decided(queued: Queued) -> tuple[int, int, str, str, int]:
    """Return what the rules decided of a place; whose words they are is looked up when placing."""
    return int(queued.contested), int(queued.free), queued.place, queued.since, queued.rules


def file_names(files: Sequence[str]) -> list[str]:
    """Return the names under which memories about files are found: each file's own and its folder's."""
    return sorted({part for path in files for part in path.rsplit("/", 1)[-2:] if part})


def _seen(connection: apsw.Connection, revisions: Sequence[Revision]) -> dict[str, Seen]:
    """Return row and memory of each as it was; raise when a version is not the one seen.

    What a row says that was altered outside Tenure is nothing to go by: there the memory is None.
    """
    found: dict[str, Seen] = {}
    taken = known_ids(connection, [revision.memory_id for revision in revisions if revision.expected_version == 0])
    for revision in revisions:
        id, expected = revision.memory_id, revision.expected_version
        if expected == 0 and id not in taken and id not in found:
            found[id] = None, None
            continue
        if expected == 0:
            raise Conflict(f"The id {id!r} is taken.", hint="Leave out --id, or choose another.")
        row = connection.execute(f"SELECT {COLUMNS} FROM memory WHERE id = ?", (id,)).fetchone()
        version = row[VERSION] if row else ledger.last_version(connection, id)
        if version != expected:
            raise Conflict(
                f"{id} is at version {version}, not {expected}: somebody wrote first.",
                hint="Read it again and repeat the change.",
            )
        whole = memory_rows.checked([row], []) if row else []
        found[id] = row, whole[0].memory if whole else None
    return found


def _says_the_same(before: Memory | None, after: Memory | None) -> bool:
    """Tell whether index, names of files and vector of a memory stay as they are."""
    # The fingerprint that a vector is kept for is of kind and text.
    if before is None or after is None or before.kind != after.kind:
        return False
    return all(getattr(before, name) == getattr(after, name) for name in INDEXED)


def _guards_the_same(before: Memory | None, after: Memory | None) -> bool:
    """Tell whether hooks find a memory's guard where they found it."""
    return before is not None and after is not None and (before.guard, before.phase) == (after.guard, after.phase)


def _clear(connection: apsw.Connection, changed: Sequence[Change]) -> None:
    """Take out what followed from the rows as they were and does not any more, and the rows of those that are gone."""
    said, guarded, unplaced, gone = [], [], [], []
    for revision, verdict, (row, before) in changed:
        if row is None:
            continue
        n, after = row[NUMBER], revision.after
        if not _says_the_same(before, after):
            said.append((n, verdict.fingerprint if after is not None and verdict else None))
        if not _guards_the_same(before, after):
            guarded.append((n,))
        if verdict is None or verdict.queued is None:
            unplaced.append((n,))
        if after is None:
            gone.append((n,))
    if said:
        from tenure.store.sqlite import vectors  # start-up: a new memory has none

        fulltext.delete(connection, [n for n, _ in said])
        vectors.delete_changed(connection, said)
        connection.executemany("DELETE FROM memory_file WHERE memory = ?", [(n,) for n, _ in said])
    # A statement that is run for nothing is looked up and reset nevertheless.
    if guarded:
        connection.executemany("DELETE FROM guard WHERE memory = ?", guarded)
    if unplaced:
        _displace(connection, unplaced)
    if gone:
        connection.executemany("DELETE FROM memory WHERE n = ?", gone)


def _put(connection: apsw.Connection, changed: Sequence[Change]) -> None:
    """Write what the memories are now."""
    fresh, written, known, new, names, guarding, placed, moved = [], [], [], [], [], [], [], []
    free = memory_rows.highest(connection) if any(row is None for _, _, (row, _) in changed) else 0
    for revision, verdict, (row, before) in changed:
        after = revision.after
        if after is None or verdict is None:
            continue
        version = revision.expected_version + len(revision.events)
        said = _says_the_same(before, after)
        if row is None:
            n = free = free + 1
            new.append((n, indexed(after)))
            fresh.append(memory_rows.columns(n, version, after, verdict))
            placed.append((n, after.id, verdict))
        else:
            n = row[NUMBER]
            if not said:
                known.append((n, indexed(after)))
            written.append((row, memory_rows.columns(n, version, after, verdict)))
            moved.append((n, after.id, verdict))
        if after.files and not said:
            names += [(n, name) for name in file_names(after.files)]
        if after.guard is not None and not _guards_the_same(before, after):
            guarding.append((n, after))
    if written:
        memory_rows.update(connection, written)
        fulltext.insert(connection, known)
        place(connection, moved, _MOVE)
    if new:
        memory_rows.insert(connection, fresh)
        fulltext.insert(connection, new, new=True)
        place(connection, placed)
        fulltext.refresh_common(connection, free)
    if names:
        name_files(connection, names)
    index_guards(connection, guarding)


def index_guards(connection: apsw.Connection, memories: Sequence[tuple[int, Memory]]) -> None:
    """Let hooks find the guards of memories, (row number, memory)."""
    guarding = [(number, memory) for number, memory in memories if memory.guard is not None]
    if guarding:
        from tenure.store.sqlite import guards  # start-up: few memories have one

        guards.index(connection, guarding)


def name_files(connection: apsw.Connection, names: Sequence[tuple[int, str]]) -> None:
    """Let memories be found by the names of files: (row number, name)."""
    connection.executemany("INSERT OR IGNORE INTO memory_file VALUES (?, ?)", names)


def place(connection: apsw.Connection, placed: Iterable[tuple[int, str, Verdict]], statement: str = _PLACE) -> None:
    """Give memories their place in the review queue, (row number, id, verdict); what is gone gets none."""
    connection.executemany(
        statement, [(number, *verdict.queued, id) for number, id, verdict in placed if verdict.queued is not None]
    )


def move_quoted(connection: apsw.Connection, id: str) -> None:
    """Move a memory in the review queue to where a person's own words stand."""
    connection.execute("UPDATE queue SET said = 0 WHERE memory = (SELECT n FROM memory WHERE id = ?)", (id,))


def _displace(connection: apsw.Connection, numbers: Sequence[tuple[int]]) -> None:
    connection.executemany("DELETE FROM queue WHERE memory = ?", numbers)


def _places(connection: apsw.Connection) -> dict[int, tuple[int, int, str, str, int]]:
    """Return what was decided about each memory; whose words they are is looked up when placing."""
    found = connection.execute("SELECT memory, contested, free, place, since, rules FROM queue")
    return {number: (contested, free, place, since, rules) for number, contested, free, place, since, rules in found}
