"""How `audit --fix` writes: every file is checked before the first changes, and nothing if one changed since."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path

from tenure.audit import repair
from tenure.audit.findings import AuditedMemory, Edit, Fixed
from tenure.files import durable
from tenure.model.errors import Conflict


def planned(memories: Iterable[AuditedMemory], edits: Iterable[Edit]) -> list[Fixed]:
    """Return the edits by the file they are made in."""
    by_path: dict[str, list[Edit]] = {}
    for edit in edits:
        by_path.setdefault(edit.path, []).append(edit)
    files_of = {memory.source.path: str(memory.source.file) for memory in memories if memory.source.path in by_path}
    return [Fixed(files_of[path], tuple(mine)) for path, mine in by_path.items()]


def apply(fixed: Sequence[Fixed]) -> None:
    """Make the edits; raise `Conflict`, with nothing written, when a file is not as the edits expect it."""
    texts = [_edited(each) for each in fixed]
    for each, text in zip(fixed, texts, strict=True):
        durable.replace(Path(each.file), text.encode("utf-8"))


def taken_back(fixed: Sequence[Fixed]) -> list[Fixed]:
    """Return the edits that undo these."""
    return [Fixed(each.file, tuple(_inverse(each.edits))) for each in fixed]


def _edited(fixed: Fixed) -> str:
    try:
        text = durable.read_bytes(Path(fixed.file)).decode("utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise Conflict(f"{fixed.file!r} can no longer be read; nothing was written.") from error
    if any(text[edit.start : edit.end] != edit.old for edit in fixed.edits):
        raise Conflict(f"{fixed.file!r} changed since it was read; nothing was written.")
    return repair.apply(text, fixed.edits)


def _inverse(edits: Iterable[Edit]) -> list[Edit]:
    shift = 0
    result = []
    for edit in sorted(edits, key=lambda each: each.start):
        start = edit.start + shift
        result.append(Edit(edit.path, edit.line, start, start + len(edit.new), edit.new, edit.old))
        shift += len(edit.new) - len(edit.old)
    return result
