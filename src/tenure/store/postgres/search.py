"""A text as a query over postings: candidates by exact BM25 in SQL, matched as the SQLite store matches them."""

from __future__ import annotations

from collections.abc import Sequence

import apsw

from tenure.recall.query import FIELDS, NAMES, ParsedQuery
from tenure.store.postgres import index, queries
from tenure.store.postgres.handle import Handle
from tenure.store.records import Among
from tenure.store.sqlite import NUMBER, fulltext, likeness


def parsed(
    handle: Handle, text: str, *, beginnings: bool = False, beside: Sequence[apsw.Connection] = ()
) -> ParsedQuery:
    """Return a text as a query; what a word tells is counted over the layers `beside` this one too."""
    total = handle.value(queries.LAST_NUMBER, (handle.project,)) or 0
    total += sum([layer.execute("SELECT max(n) FROM memory").get or 0 for layer in beside])

    def count(stems: list[str]) -> dict[str, int]:
        here, there = counts(handle, stems), fulltext.counts(beside, stems) if beside else {}
        return {stem: here.get(stem, 0) + there.get(stem, 0) for stem in stems}

    return fulltext.read(index.tokenizer(), text, total, count, beginnings=beginnings)


def counts(handle: Handle, stems: Sequence[str]) -> dict[str, int]:
    """Return in how many memories each stem stands; a common one as it was last counted."""
    wanted = [stem for stem in stems if "\0" not in stem]
    known = dict(handle.all(queries.COMMON, (handle.project, wanted)))
    rare = [stem for stem in wanted if stem not in known]
    return known | dict(handle.all(queries.HOLDING, (handle.project, rare)))


def match(handle: Handle, query: ParsedQuery, limit: int, among: Among) -> fulltext.Found:
    """Return the columns of the memories that hold any term, best first, each with what matched."""
    if not query.terms:
        return [], {}
    rows, totals = handle.one(queries.SIZES, (handle.project,)) or (0, [0] * len(FIELDS))
    if not rows:
        return [], {}
    values = {
        **index.terms_for_sql(query),
        "project": handle.project,
        "rows": rows,
        "average": (sum(totals) / rows) or 1.0,
        "weight": index.WEIGHTS[NAMES],
        "limit": limit,
    }
    statement = queries.CANDIDATES.format(queries.CANDIDATES_AMONG[among])
    found = handle.connection.execute(statement, values).fetchall()
    places = _places(handle, query, [row[NUMBER] for row in found])
    scan = fulltext.Scan(query.phrases)
    for row in found:
        held = index.Held(row[NUMBER], row[-1], rows, totals, scan.terms, places.get(row[NUMBER], {}))
        fulltext.note_match(held, scan)
    return fulltext.matched(query, scan, [tuple(row[:-1]) for row in found])


def _places(handle: Handle, query: ParsedQuery, numbers: Sequence[int]) -> dict[int, dict[int, list[bytes]]]:
    """Return, for each memory, where each term stands."""
    found: dict[int, dict[int, list[bytes]]] = {}
    whole: dict[str, list[int]] = {}
    for at, term in enumerate(query.phrases):
        if (end := index.stop(term)) is None:
            whole.setdefault(term.stem, []).append(at)
            continue
        for _, n, packed in handle.all(queries.PLACES_FROM, (handle.project, term.stem, end, list(numbers))):
            found.setdefault(n, {}).setdefault(at, []).append(packed)
    for stem, n, packed in handle.all(queries.PLACES, (handle.project, list(whole), list(numbers))):
        for at in whole[stem]:
            found.setdefault(n, {}).setdefault(at, []).append(packed)
    return found


def similar(handle: Handle, text: str, most: int, limit: int) -> list[int]:
    """Return the numbers of the memories most like a text, best first."""

    def common(stems: Sequence[str]) -> dict[str, int]:
        return dict(handle.all(queries.COMMON, (handle.project, list(stems))))

    telling, asked = likeness.words_to_look_up(index.tokenizer(), text, most, common)
    if not asked:
        return []
    values = {"project": handle.project, "stems": list(asked), "most": likeness.ESTIMATED}
    found = handle.connection.execute(queries.LIKE, values).fetchall()
    return likeness.ranked(telling, len(asked), found, limit)
