"""Vectors and stores kept in a folder that BENCH_CACHE names: for one run of the benchmark, or from run to run."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import apsw

from tenure.recall.encoders import Encoder


def folder() -> Path | None:
    """Return where to keep things."""
    named = os.environ.get("BENCH_CACHE")
    return Path(named) if named else None


class Remembering:
    """An encoder that looks up what it encoded before."""

    def __init__(self, model: Encoder, path: Path) -> None:
        self.name, self._model = model.name, model
        self._rows = apsw.Connection(str(path / "vectors.db"))
        self._rows.set_busy_timeout(60_000)
        self._rows.execute("CREATE TABLE IF NOT EXISTS v (h BLOB PRIMARY KEY, code BLOB) WITHOUT ROWID")

    def words(self, most: int) -> list[str]:
        """Return the model's words."""
        found: list[str] = self._model.words(most)  # type: ignore[attr-defined]
        return found

    def encode(self, texts: Sequence[str]) -> list[list[float]]:
        """Return one vector for each text, made only where it is not known."""
        import numpy

        keys = [hashlib.sha1(text.encode()).digest() for text in texts]
        known: dict[bytes, Any] = {}
        for start in range(0, len(keys), 500):
            part = keys[start : start + 500]
            marks = ",".join("?" * len(part))
            known |= dict(self._rows.execute(f"SELECT h, code FROM v WHERE h IN ({marks})", part))
        new = {key: text for key, text in zip(keys, texts, strict=True) if key not in known}
        made = numpy.asarray(self._model.encode(list(new.values())), dtype=numpy.float16)
        fresh = {key: row.tobytes() for key, row in zip(new, made, strict=True)}
        with self._rows:
            self._rows.executemany("INSERT OR REPLACE INTO v VALUES (?, ?)", fresh.items())
        known |= fresh
        return [numpy.frombuffer(known[key], dtype=numpy.float16).astype(numpy.float32).tolist() for key in keys]
