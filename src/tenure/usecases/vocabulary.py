"""A model's vocabulary, word by word: made by the first upkeep that has the model, then read from the user's folder.

Making it takes half a minute, so nothing that somebody waits for does it; until then recall uses words alone.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable
from functools import lru_cache
from pathlib import Path
from typing import Any, NamedTuple

from tenure.files import durable, locate
from tenure.model.errors import TenureError
from tenure.recall import vectors, word_vectors

# The words that are known one by one, and how many are encoded together.
MOST, TOGETHER = 24_000, 1_000
Progress = Callable[[int, int], None]


class Vocabulary(NamedTuple):
    """Words, their vectors in one signed byte per dimension, and the mean of these vectors."""

    words: list[str]
    codes: bytes
    mean: Any


# What a model has that cannot list its words.
NONE = Vocabulary([], b"", None)


def path(made: str) -> str:
    """Return where the words lie that belong to the vectors of a store."""
    return word_vectors.path(str(locate.home()), made)


def known(model: Any, made: str) -> Vocabulary | None:
    """Return the words of a model, None when they were not made yet."""
    return _read(model, path(made)) if hasattr(model, "words") else NONE


def prepared(model: Any, made: str, progress: Progress | None = None) -> Vocabulary:
    """Return the words of a model, made now if need be."""
    found = known(model, made)
    if found is None:
        found = _made(model, Path(path(made)), progress)
        _read.cache_clear()
    return found


def forget() -> None:
    """Read the file again at the next request."""
    _read.cache_clear()


@lru_cache(maxsize=2)
def _read(model: Any, name: str) -> Vocabulary | None:
    import numpy

    words, place = model.words(MOST), Path(name)
    try:
        mean = numpy.frombuffer(durable.read_bytes(place.with_suffix(".mean")), dtype=numpy.float32)
        codes = durable.read_bytes(place)[-len(words) * len(mean) :]
    except (OSError, ValueError, TenureError):
        return None
    return Vocabulary(words, codes, mean) if len(mean) and len(codes) == len(words) * len(mean) else None


def _made(model: Any, place: Path, progress: Progress | None) -> Vocabulary:
    import numpy

    words: list[str] = model.words(MOST)
    parts = []
    for start in range(0, len(words), TOGETHER):
        parts.append(numpy.asarray(model.encode(words[start : start + TOGETHER]), dtype=numpy.float32))
        if progress:
            progress(min(start + TOGETHER, len(words)), len(words))
    made = numpy.concatenate(parts)
    mean = made.mean(axis=0)
    codes = vectors.quantised_alike(made - mean)
    # Where the folder cannot be written they serve this once, and the next upkeep makes them again.
    with contextlib.suppress(OSError):
        place.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        durable.replace(place.with_suffix(".mean"), mean.tobytes(), mode=0o600)
        durable.replace(place, word_vectors.written(words, codes, len(mean)), mode=0o600)
    return Vocabulary(words, codes, mean)
