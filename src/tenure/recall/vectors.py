"""Vectors in one signed byte per dimension, and exact search among them.

A byte costs no quality that was measured, and a hundred thousand memories fit into 40 MB. numpy comes with the extra
and is imported here only.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

# Rows turned into floats at a time, so that a large store needs little memory.
_CHUNK = 8192


def quantised(vectors: Sequence[Sequence[float]]) -> list[bytes]:
    """Return vectors as bytes; only their directions are kept."""
    import numpy

    matrix = numpy.asarray(vectors, dtype=numpy.float32)
    largest = numpy.abs(matrix).max(axis=1, keepdims=True)
    largest[largest == 0] = 1
    return [row.tobytes() for row in numpy.rint(matrix / largest * 127).astype(numpy.int8)]


def quantised_alike(vectors: Sequence[Sequence[float]]) -> bytes:
    """Return vectors as bytes, one after the other, all of about the same length."""
    import numpy

    matrix = numpy.asarray(vectors, dtype=numpy.float32)
    matrix = matrix / numpy.maximum(numpy.linalg.norm(matrix, axis=1, keepdims=True), 1e-9)
    return bytes(numpy.rint(matrix / max(float(numpy.abs(matrix).max()), 1e-9) * 127).astype(numpy.int8).tobytes())


def nearest(codes: bytes, dimensions: int, query: Sequence[float], most: int) -> list[tuple[int, float]]:
    """Return (position, cosine) of the codes nearest to a query, best first."""
    import numpy

    cosines = closeness(codes, dimensions, [query])[0]
    best = numpy.argsort(-cosines, kind="stable")[:most]
    return [(int(position), float(cosines[position])) for position in best]


def closeness(codes: bytes, dimensions: int, queries: Sequence[Sequence[float]], lengths: Any = None) -> Any:
    """Return the cosine of every query with every code; `lengths` of the codes spare measuring them again."""
    import numpy

    matrix = numpy.frombuffer(codes, dtype=numpy.int8).reshape(-1, dimensions)
    asked = numpy.asarray(queries, dtype=numpy.float32)
    asked = asked / numpy.maximum(numpy.linalg.norm(asked, axis=1, keepdims=True), 1e-9)
    known = measured(codes, dimensions) if lengths is None else lengths
    found = numpy.empty((len(asked), len(matrix)), dtype=numpy.float32)
    for start in range(0, len(matrix), _CHUNK):
        chunk = matrix[start : start + _CHUNK].astype(numpy.float32)
        found[:, start : start + _CHUNK] = asked @ chunk.T / known[start : start + _CHUNK]
    return found


def starts(sizes: Sequence[int], memories: int, dimensions: int) -> Any:
    """Return at which code each memory's codes begin; without sizes each memory has one."""
    import numpy

    counts = numpy.asarray(sizes, dtype=numpy.int64) // dimensions if sizes else numpy.ones(memories, dtype=numpy.int64)
    return numpy.concatenate(([0], numpy.cumsum(counts)[:-1]))


def best_of_each(cosines: Any, starts: Any) -> Any:
    """Return the highest cosine of each memory's codes."""
    import numpy

    return cosines if len(cosines) == len(starts) else numpy.maximum.reduceat(cosines, starts)


def measured(codes: bytes, dimensions: int) -> Any:
    """Return the length of each code, never 0."""
    import numpy

    matrix = numpy.frombuffer(codes, dtype=numpy.int8).reshape(-1, dimensions)
    lengths = numpy.empty(len(matrix), dtype=numpy.float32)
    for start in range(0, len(matrix), _CHUNK):
        lengths[start : start + _CHUNK] = numpy.linalg.norm(
            matrix[start : start + _CHUNK].astype(numpy.float32), axis=1
        )
    return numpy.maximum(lengths, 1e-9)


def among(codes: bytes, dimensions: int) -> Any:
    """Return the cosine of every code with every other; an empty code is like none."""
    import numpy

    matrix = numpy.frombuffer(codes, dtype=numpy.int8).reshape(-1, dimensions).astype(numpy.float32)
    matrix /= numpy.maximum(numpy.linalg.norm(matrix, axis=1, keepdims=True), 1e-9)
    return matrix @ matrix.T


def spread(codes: bytes, dimensions: int, most: int, alike: float, same: int) -> list[int]:
    """Return positions in order, of those that are alike only the first `same`, until there are `most`."""
    import numpy

    matrix = numpy.frombuffer(codes, dtype=numpy.int8).reshape(-1, dimensions).astype(numpy.float32)
    matrix /= numpy.maximum(numpy.linalg.norm(matrix, axis=1, keepdims=True), 1e-9)
    left = numpy.arange(len(matrix))
    taken: list[int] = []
    while len(left) and len(taken) < most:
        group = matrix[left] @ matrix[left[0]] >= alike
        group[0] = True
        taken += left[group][:same].tolist()
        left = left[~group]
    return sorted(taken)[:most]


def best(cosines: Any, most: int, least: float) -> list[int]:
    """Return the positions of the highest cosines, best first, none below `least`."""
    import numpy

    count = len(cosines)
    some = numpy.argpartition(-cosines, most)[:most] if most < count else numpy.arange(count)
    ordered = some[numpy.lexsort((some, -cosines[some]))]
    return [int(place) for place in ordered if cosines[place] >= least]
