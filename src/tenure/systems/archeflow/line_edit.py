"""A change to a file of lines, applied to whatever the file holds by then: lines that others added stay."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import NamedTuple

from tenure.model.errors import Conflict
from tenure.systems.archeflow.lessons import LessonLine, decode, joined


class LineEdit(NamedTuple):
    """What changes in one file: old lines with their new form, None for those taken out, and new lines."""

    file: Path
    changed: list[tuple[bytes, bytes | None]]
    added: list[bytes]

    @classmethod
    def between(cls, file: Path, before: Iterable[LessonLine], after: Iterable[LessonLine]) -> LineEdit:
        """Return what turns the lines read as `before` into `after`; lines are matched by their numbers."""
        kept = {line.number: line for line in after if line.number}
        changed: list[tuple[bytes, bytes | None]] = []
        for line in before:
            new = kept.get(line.number)
            if new is None or new.raw != line.raw:
                changed.append((line.raw, new.raw if new else None))
        return cls(file, changed, [line.raw for line in after if not line.number])

    def applied(self, data: bytes | None, *, strict: bool = True) -> bytes:
        """Return the file's bytes with this edit in them; raise `Conflict` when a line to change is gone."""
        waiting: dict[bytes, list[bytes | None]] = {}
        for old, new in self.changed:
            waiting.setdefault(bare(old), []).append(new)
        pieces: list[bytes] = []
        for line in decode(data or b""):
            if news := waiting.get(bare(line.raw)):
                new = news.pop(0)
                pieces += [] if new is None else [new]
            elif not line.is_blank:
                pieces.append(line.raw)
        if strict and any(waiting.values()):
            raise Conflict(
                f"{self.file} was changed by someone else meanwhile; nothing was written. Try again.",
                hint="Run the command again; it starts from what is there now.",
            )
        there = {bare(piece) for piece in pieces}
        # A move that is carried out twice adds its lines once.
        new_lines = self.added if strict else [line for line in self.added if bare(line) not in there]
        return terminated(joined([*pieces, *new_lines]))


def bare(line: bytes) -> bytes:
    """Return a line without its ending, which tells lines apart only where a file has mixed endings."""
    return line.rstrip(b"\r\n")


def terminated(data: bytes) -> bytes:
    """Return the bytes with a newline behind the last line."""
    return data if not data or data.endswith(b"\n") else data + b"\n"
