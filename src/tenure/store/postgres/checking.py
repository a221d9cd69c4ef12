"""Proof that a project is what it says: every row follows from the ledger, every hash and every posting agrees."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from tenure.model.errors import StoreDamaged
from tenure.model.evolve import evolve
from tenure.model.kinds import indexed
from tenure.model.memory import Memory
from tenure.model.policy import Policy
from tenure.store.postgres import changes, index, ledger, queries
from tenure.store.postgres.connection import explained
from tenure.store.postgres.handle import Handle
from tenure.store.sqlite import HASH, chain, guards
from tenure.store.sqlite.changes import file_names
from tenure.store.sqlite.checking import ERASING, differences
from tenure.store.sqlite.ledger import decode

Problem = tuple[str, str]
_REBUILD = "rebuild it with `tenure doctor --rebuild`"


def problems(store: Handle, policy: Policy, progress: Callable[[int, int], None] | None = None) -> Iterator[Problem]:
    """Return (where, what is wrong) for everything that does not hold."""
    if not store.project:
        return
    with explained(store.place), store.one_view():
        for seq, message in ledger.broken_links(store):
            yield f"ledger entry {seq}", message
        yield from _rows(store, policy, progress)
        yield from _marks(store)
        yield from _beside(store)


def _rows(store: Handle, policy: Policy, progress: Callable[[int, int], None] | None) -> Iterator[Problem]:
    folded = folds(store)
    rows = store.all(queries.ALL_ROWS, (store.project,))
    related = changes.related_words(store, [row[0] for row in rows])
    for done, row in enumerate(rows, start=1):
        if progress and done % 500 == 0:
            progress(done, len(rows))
        n, id = row[0], row[1]
        if chain.row_hash(*row[:HASH]) != row[HASH]:
            yield id, "the row was altered outside Tenure"
        if id not in folded:
            yield id, "the ledger does not know it"
            continue
        version, proof = folded.pop(id)
        yield from differences(row, version, proof)
        if policy.phase(row[4]) != row[5]:
            yield id, f"state {row[4]!r} belongs to phase {policy.phase(row[4])!r}, found {row[5]!r}"
        if proof is not None:
            yield from _following(store, n, id, proof, row[-2], row[-1], related.get(n))
    for id, (_, proof) in folded.items():
        if proof is not None:
            yield id, "the ledger knows it, but its row is missing"
    kept, wanted = (store.value(query, (store.project,)) for query in (queries.COUNT_POSTINGS, queries.COUNT_STEMS))
    if kept != wanted:
        yield "search index", f"{kept} words are kept and {wanted} belong to memories; {_REBUILD}"


def _following(
    store: Handle, n: int, id: str, proof: Memory, sizes: list[int], stems: list[str], related: str | None
) -> Iterator[Problem]:
    """Compare what follows from a memory with the memory."""
    if [name for (name,) in store.all(queries.FILES_OF, (store.project, n))] != file_names(proof.files):
        yield f"{id}.files", f"the names it is found by were altered outside Tenure; {_REBUILD}"
    kept = [tuple(row) for row in store.all(queries.GUARDS_OF, (store.project, n))]
    if kept != sorted(row[1:] for row in guards.rows(n, proof)):
        yield f"{id}.guard", f"where hooks find it was altered outside Tenure; {_REBUILD}"
    wanted_sizes, wanted = index.cut((*indexed(proof), related))
    found = {stem: index.Posting(*rest) for stem, *rest in store.all(queries.POSTINGS_OF, (store.project, stems, n))}
    if sizes != wanted_sizes or found != wanted:
        yield f"{id}", f"the words it is found by were altered outside Tenure; {_REBUILD}"


def folds(store: Handle, ids: list[str] | None = None) -> dict[str, tuple[int, Memory | None]]:
    """Return (version, folded memory) for every memory the ledger knows, or for some."""
    found: dict[str, tuple[int, Memory | None]] = {}
    for id, version, type, payload in store.all(queries.LEDGER_BY_MEMORY, (store.project, ids, ids)):
        memory = found[id][1] if id in found else None
        if type in ERASING:
            memory = None
        elif payload is not None:
            try:
                memory = evolve(memory, decode(payload))
            except (StoreDamaged, ValueError, AttributeError, TypeError, KeyError):
                memory = None
        found[id] = (version, memory)
    return found


def _marks(store: Handle) -> Iterator[Problem]:
    """Compare the marks of forgotten texts with what the ledger says was forgotten."""
    left = {bytes(mark): (id, at) for mark, id, at in store.all(queries.MARKS_WITH_DATES, (store.project,))}
    named: set[bytes] = set()
    unnamed: set[tuple[str, str]] = set()
    for id, at, payload in store.all(queries.FORGETTING, (store.project,)):
        marks = decode(payload).detail.get("marks", []) if payload else []
        if not marks:
            unnamed.add((id, at))
        for mark in map(bytes.fromhex, marks):
            named.add(mark)
            if mark not in left:
                yield id, "the mark that keeps it forgotten was removed outside Tenure"
    for mark, place in left.items():
        if mark not in named and place not in unnamed:
            yield str(place[0]), "a mark of something forgotten was altered or added outside Tenure"


def _beside(store: Handle) -> Iterator[Problem]:
    """Compare what the ledger does not prove with the hashes it carries."""
    from tenure.store.postgres.effects import FIELDS

    outcomes = queries.OUTCOMES.format(", ".join(FIELDS), "")
    for table, rows in (
        ("injection", store.all(queries.ALL_INJECTIONS, (store.project,))),
        ("exposure", store.all(queries.EXPOSURES.format(""), (store.project,))),
        ("outcome", store.all(outcomes, (store.project, None))),
        ("guard_fire", store.all(queries.FIRES.format(""), (store.project,))),
    ):
        for n, *columns, hash in rows:
            if chain.row_hash(*columns) != hash:
                yield f"{table} {n}", "was altered outside Tenure; it is ignored"
    if altered := altered_vectors(store):
        yield "vectors", f"{len(altered)} were altered outside Tenure; {_REBUILD}"


def altered_vectors(store: Handle) -> list[int]:
    """Return the numbers of memories whose vectors are not as they were stored."""
    rows = store.all(queries.ALL_VECTORS, (store.project,))
    return [row[0] for *row, hash in rows if chain.row_hash(*row) != hash]
