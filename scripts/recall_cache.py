"""What BENCH_CACHE names a folder for: vectors, stores and answers, for one run of the benchmark or from run to run.

Answers are kept only for the very code that gave them, so that a run that was stopped goes on where it was.
"""

from __future__ import annotations

import functools
import hashlib
import json
import os
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import apsw

from tenure.recall.encoders import Encoder


def folder() -> Path | None:
    """Return where to keep things."""
    named = os.environ.get("BENCH_CACHE")
    return Path(named) if named else None


def answers(what: object, answer: Callable[[], list[dict[str, object]]]) -> list[dict[str, object]]:
    """Return what this code answered before, or let it answer and keep that; `what` holds all that it depends on."""
    kept = folder()
    if not kept:
        return answer()
    told = f"{_code()} {os.environ.get('TENURE_ENCODER')} {what!r}"
    place = kept / "answers" / hashlib.sha256(told.encode()).hexdigest()
    if place.exists():
        found: list[dict[str, object]] = json.loads(place.read_text(encoding="utf-8"))
        return found
    made = answer()
    place.parent.mkdir(exist_ok=True)
    # Two runs at a time write the same; neither reads a half.
    half = place.with_suffix(f".{os.getpid()}")
    half.write_text(json.dumps(made), encoding="utf-8")
    half.replace(place)
    return made


@functools.cache
def _code() -> str:
    """Return a hash of all that can change an answer: our source, the benchmark, Python and SQLite."""
    scripts = Path(__file__).resolve().parent
    source = (path for path in (scripts.parent / "src").rglob("*") if path.is_file() and path.suffix != ".pyc")
    told = hashlib.sha256(f"{sys.version} {apsw.sqlite_lib_version()}".encode())
    for path in sorted([*source, *scripts.glob("recall_*.py")]):
        told.update(hashlib.sha256(path.read_bytes()).digest())
    return told.hexdigest()


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
