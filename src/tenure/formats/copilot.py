"""Copilot's instructions: `.github/copilot-instructions.md` and `.github/instructions/*.instructions.md`.

Each list item that is a sentence is one memory; a file without any is one memory as a whole. The files that `applyTo`
names are the files it is about.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from tenure.formats import ForeignRecord, Unread, files, markdown, yaml_subset
from tenure.text.words import one_line

WHOLE = "copilot-instructions.md"
ENDING = ".instructions.md"


def read(path: Path) -> Iterator[ForeignRecord | Unread]:
    """Yield the instructions of a file, or of a project's folder."""
    for each in files.texts(path, "instructions.md"):
        where = each.where if isinstance(each, Unread) else each[0]
        if Path(where).name != WHOLE and not where.endswith(ENDING):
            continue
        if isinstance(each, Unread):
            yield each
        else:
            yield from _instructions(where, each[1])


def _instructions(where: str, text: str) -> Iterator[ForeignRecord | Unread]:
    text = files.with_quoted(text, "applyTo")
    try:
        head, body = yaml_subset.split(text)
    except ValueError as error:
        yield Unread(where, str(error))
        return
    about = files.named(head.get("applyTo"))
    items = list(markdown.bullets(text))
    for number, says in items:
        yield ForeignRecord(f"{where}:{number}", {"kind": "preference", **says, "files": about})
    if items:
        return
    if said := body.strip():
        title = one_line(str(head.get("description") or "") or said.lstrip("# "), 100)
        yield ForeignRecord(where, {"kind": "preference", "title": title, "text": said, "files": about})
    else:
        yield Unread(where, "it says nothing")
