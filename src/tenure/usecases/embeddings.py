"""Meaning as well as words: vectors made at upkeep, neighbours found on request, and silence when there are neither.

Every memory also gets the words nearest to it in meaning, indexed at low weight, so that the prompt hook, which has
no model, can find it by them.
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from functools import lru_cache
from itertools import accumulate, pairwise
from typing import Any

from tenure.files import locate
from tenure.files.extras import adding
from tenure.model.errors import TenureError
from tenure.model.memory import Memory
from tenure.recall import encoders, vectors, word_vectors
from tenure.recall.encoders import Encoder, NoEncoder
from tenure.recall.rank import ALIKE
from tenure.store.api import Store
from tenure.store.records import Among, Codes, Row, layer_of, of_layer
from tenure.text.names import nameless, prose
from tenure.usecases import vocabulary
from tenure.usecases.vocabulary import Progress, Vocabulary

# What is embedded and how; another number makes all vectors anew.
RECIPE = 4
# What is said without names and what it is about, with them, become one vector: the second counts this many times.
NAMED = 2.0
# The model reads about so many words at once: a longer text gets a vector for each passage, its first and last ones.
PASSAGE_WORDS, FIRST_PASSAGES, LAST_PASSAGES = 90, 6, 2
# How many memories are committed together: what is done stays done when an upkeep is stopped.
TOGETHER = 64
# A memory that shares no word with a query must be at least so near to it.
NEIGHBOUR = 0.25
# So many times as many neighbours as there is room for are looked at, and so many are taken that say the same.
POOL, SAME_SAYING = 6, 6
# How many of a model's most frequent words are offered as related, and how many of those near enough a memory gets.
OFFERED, RELATED, NEAR_ENOUGH = 12_000, 32, 0.25


VARIABLE = "TENURE_ENCODER"


def encoder() -> Encoder | None:
    """Return the user's encoder, None when they want none or nothing is installed.

    A server is named in the user's own settings only: what sets variables for an agent may come with a clone.
    """
    file = locate.home() / "config.toml"
    chosen = str(locate.read_settings(file).get("encoder") or encoders.DEFAULT)
    named = os.environ.get(VARIABLE) or chosen
    if named != chosen and encoders.connects(named):
        raise NoEncoder(
            f"{VARIABLE} names a server, {named!r:.200}, and a variable cannot.",
            hint=f"Name it in {str(file)!r}, as encoder = ADDRESS.",
        )
    if named == "none" or (named == encoders.DEFAULT and not encoders.installed()):
        return None
    return _loaded(named)


@lru_cache(maxsize=4)
def _loaded(named: str) -> Encoder:
    return encoders.load(named)


def problem() -> str:
    """Return why recall uses words alone, empty when meaning works; for `tenure doctor`."""
    try:
        found = encoder()
    except TenureError as error:
        return f"{error.message} {error.hint}".strip()
    return "" if found else f"no encoder; to find memories by meaning too: {adding('semantic')}"


def unprepared(store: Store) -> str:
    """Return why this store's vectors are of no use yet on this machine, empty when they are."""
    model, made = encoder(), store.vectors.encoder()
    if model is None or made_by(model) != made or vocabulary.known(model, made) is not None:
        return ""
    return "the model's words were not prepared on this machine: run tenure upkeep"


def without_vector(store: Store) -> int:
    """Return how many memories the user's encoder has made no vector of, 0 without an encoder."""
    model = encoder()
    return store.vectors.count_missing(made_by(model)) if model and store.exists else 0


def embed(store: Store, progress: Progress | None = None) -> int:
    """Make all vectors that are missing, and the related words; return how many memories got one."""
    try:
        model = encoder()
        return _embed(store, model, progress) if model else 0
    except NoEncoder:
        return 0


def _embed(store: Store, model: Encoder, progress: Progress | None) -> int:
    done, last, name = 0, 0, made_by(model)
    total = store.vectors.count_missing(name)
    # Also where all vectors are there and the words are not: the store may come from another machine.
    words = vocabulary.prepared(model, name, progress) if total or store.vectors.encoder() == name else vocabulary.NONE
    while rows := store.vectors.missing(name, TOGETHER, last):
        cut = [passages(_whole(row.memory)) for row in rows]
        made = _centred(model, [(said(passage), passage) for parts in cut for passage in parts], words)
        starts = list(accumulate((len(parts) for parts in cut), initial=0))
        packed = vectors.quantised(made)
        codes = [b"".join(packed[start:end]) for start, end in pairwise(starts)]
        whole = [made[start:end].mean(axis=0) for start, end in pairwise(starts)]
        # Read again inside: a text that changed meanwhile gets its vector next time.
        store.vectors.keep(name, rows, codes, _related(whole, words))
        done, last = done + len(rows), max(row.number for row in rows)
        if progress:
            progress(min(done, total), total)
    return done


def made_by(model: Encoder) -> str:
    """Return what the vectors of a store are called that this version makes with a model."""
    return f"{model.name}, recipe {RECIPE}"


class _Layer:
    """How near every memory of one layer is to one query in meaning."""

    def __init__(self, store: Store, codes: Codes, asked: Any) -> None:
        if codes.lengths is None:
            codes.lengths = vectors.measured(codes.packed, len(asked[0]))
        self._store, self._codes, self._dimensions = store, codes, len(asked[0])
        each = vectors.closeness(codes.packed, len(asked[0]), asked, codes.lengths).max(axis=0)
        # Where the first passage of each memory stands.
        self._starts = vectors.starts(codes.sizes, len(codes.numbers), len(asked[0]))
        self._cosines = vectors.best_of_each(each, self._starts)

    def of(self, number: int) -> float:
        """Return the cosine of a memory, 0 when it has no vector."""
        place = self._codes.place(number)
        return 0.0 if place is None else float(self._cosines[place])

    def nearest(self, limit: int, known: set[int]) -> list[Row]:
        """Return the nearest memories that are not known yet."""
        if limit <= 0:
            return []
        best = vectors.best(self._cosines, POOL * limit, NEIGHBOUR)
        new = [place for place in best if self._codes.numbers[place] not in known]
        if len(new) > limit:
            # A hundred memories that say the same of different things would keep out what says something else.
            codes = b"".join(self._code(place) for place in new)
            new = [new[place] for place in vectors.spread(codes, self._dimensions, limit, ALIKE, SAME_SAYING)]
        return self._store.find(numbers=[self._codes.numbers[place] for place in new])

    def code(self, number: int) -> bytes:
        """Return the first vector of a memory, empty when it has none."""
        place = self._codes.place(number)
        return b"" if place is None else self._code(place)

    def _code(self, place: int) -> bytes:
        start = int(self._starts[place]) * self._dimensions
        return self._codes.packed[start : start + self._dimensions]


class Near:
    """How near the memories of all layers are to one query in meaning; a layer without such vectors is not known."""

    def __init__(self, layers: dict[int, tuple[str, _Layer]], dimensions: int) -> None:
        # By their place: 0 is the project's own store, and the name is what ids of the layer begin with.
        self._layers, self._dimensions = layers, dimensions

    def of(self, number: int) -> float | None:
        """Return the cosine of a memory, 0 when it has no vector, None where its layer has none."""
        place, own = layer_of(number)
        return self._layers[place][1].of(own) if place in self._layers else None

    def nearest(self, limit: int, known: set[int]) -> list[Row]:
        """Return the nearest memories that are not known yet."""
        found: list[Row] = []
        for place, (name, layer) in self._layers.items():
            theirs = {own for at, own in map(layer_of, known) if at == place}
            rows = layer.nearest(limit, theirs)
            found += [of_layer(row, name, place) for row in rows] if place else rows
        if len(self._layers) > 1:
            found.sort(key=lambda row: -(self.of(row.number) or 0.0))
        return found[: max(0, limit)]

    def alike(self, numbers: Sequence[int]) -> Any:
        """Return the cosine of each of these memories with each other one; each has a vector or is like none."""
        nothing = bytes(self._dimensions)
        return vectors.among(b"".join(self._code(number) or nothing for number in numbers), self._dimensions)

    def _code(self, number: int) -> bytes:
        place, own = layer_of(number)
        return self._layers[place][1].code(own) if place in self._layers else b""


def near(store: Store, query: str, among: Among, beside: Mapping[str, Store] | None = None) -> Near | None:
    """Return how near memories are to a query, those `beside` too; None without a model or vectors of it."""
    named = [("", store), *(beside or {}).items()]
    made = [each.vectors.encoder() for _, each in named]
    asked = word_vectors.sides_with_names(query) if any(made) else {}
    if not asked:
        return None
    try:
        model = encoder()
        if model is None or (name := made_by(model)) not in made:
            return None
        if (words := vocabulary.known(model, name)) is None:
            return None
        sides = _centred(model, list(asked.items()), words)
    except NoEncoder:
        return None
    layers = {}
    for place, (layer, each) in enumerate(named):
        if made[place] == name and (codes := each.vectors.codes(among)).numbers:
            layers[place] = (layer, _Layer(each, codes, sides))
    return Near(layers, len(sides[0])) if layers else None


def gists(
    store: Store, query: str, numbers: Sequence[int], beside: Mapping[str, Store] | None = None
) -> dict[int, float] | None:
    """Return number -> how near a memory is by the meaning of single words, None where nothing was prepared."""
    if not query.strip():
        return None
    found: dict[int, float] = {}
    for place, each in enumerate((store, *(beside or {}).values())):
        if not (made := each.vectors.encoder()):
            continue
        if theirs := {own: number for number in numbers for at, own in [layer_of(number)] if at == place}:
            known = word_vectors.measured(vocabulary.path(made), query, each.vectors.some(list(theirs))) or {}
            found |= {theirs[own]: near for own, near in known.items()}
    return found or None


def said(text: str) -> str:
    """Return what a text says: its prose; names are the words' business."""
    return nameless(text) or prose(text) or text


def passages(text: str) -> list[str]:
    """Return a text in passages that the model can read whole; of a very long one the first and the last."""
    words = text.split()
    if len(words) <= PASSAGE_WORDS + PASSAGE_WORDS // 4:
        return [text]
    found = [" ".join(words[start : start + PASSAGE_WORDS]) for start in range(0, len(words), PASSAGE_WORDS)]
    return found if len(found) <= FIRST_PASSAGES + LAST_PASSAGES else found[:FIRST_PASSAGES] + found[-LAST_PASSAGES:]


def _whole(memory: Memory) -> str:
    return memory.text if memory.text.startswith(memory.title.rstrip("…")) else f"{memory.title}. {memory.text}"


def _centred(model: Encoder, texts: Sequence[tuple[str, str]], words: Vocabulary) -> Any:
    """Return a vector for each text without and with its names, less what all words of the model have in common.

    A text that names nothing is embedded once.
    """
    import numpy

    each = list(dict.fromkeys(text for pair in texts for text in pair))
    made = numpy.asarray(model.encode(each), dtype=numpy.float32)
    if words.mean is not None:
        made = made - words.mean
    place = {text: n for n, text in enumerate(each)}
    plain = made[[place[text] for text, _ in texts]]
    return (plain + NAMED * made[[place[text] for _, text in texts]]) / (1 + NAMED)


def _related(made: Any, known: Vocabulary) -> list[str]:
    """Return for each vector the words nearest to it, none for a model without a vocabulary."""
    if not known.words:
        return [""] * len(made)
    import numpy

    found: list[str] = []
    for cosines in vectors.closeness(known.codes[: OFFERED * len(made[0])], len(made[0]), made):
        best = numpy.argsort(-cosines)[:RELATED]
        found.append(" ".join(known.words[position] for position in best if cosines[position] >= NEAR_ENOUGH))
    return found
