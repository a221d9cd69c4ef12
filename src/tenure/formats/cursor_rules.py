"""Cursor's rules: `.cursor/rules/*.mdc`, Markdown with `description`, `globs` and `alwaysApply` above it.

A rule is one memory; the files its globs name are the files it is about, so that it comes up beside them.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from tenure.formats import ForeignRecord, Unread, files
from tenure.text.words import one_line


def read(path: Path) -> Iterator[ForeignRecord | Unread]:
    """Yield the rules of a file or folder."""
    for each in files.notes(path, ".mdc", globs="globs"):
        if isinstance(each, Unread):
            yield each
            continue
        where, head, body = each
        described = str(head.get("description") or "").strip()
        if not (body.strip() or described):
            yield Unread(where, "it says nothing")
            continue
        title = one_line(described or Path(where).stem, 200)
        text = body.strip() or described
        yield ForeignRecord(
            where, {"kind": "preference", "title": title, "text": text, "files": files.named(head.get("globs"))}
        )
