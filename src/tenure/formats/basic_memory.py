"""basic-memory's notes: Markdown with front matter and observations, `- [category] text #tag (context)`.

An observation is one memory; as in basic-memory, so is an item without a category that has a tag. A tag within the
sentence stays there. A note without any is one memory as a whole; relations (`- uses [[Other]]`) are not taken.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from tenure.formats import ForeignRecord, Unread, files
from tenure.model.kinds import KINDS
from tenure.text.words import one_line, slug

_OBSERVATION = re.compile(r"^\s*-\s+\[([^\]\[]{1,60})\]\s+(\S.*)$")
_RELATION = re.compile(r"^\s*-\s+.*\[\[[^\]]+\]\]")
_TAGGED = re.compile(r"^\s*-\s+()([^\[\s].*)$")
# A number behind the sign is an issue, and no tag.
_TAG = re.compile(r"(?<!\S)#(?!\d+\b)([\w/-]{1,60})")
# Tags at the end of a sentence, before its context in brackets, belong to no sentence.
_TRAILING = re.compile(r"(?:\s+#(?!\d+\b)[\w/-]{1,60})+(?=\s*(?:\([^()]*\)\s*)?$)")
_NOT_CATEGORIES = (" ", "x", "X", "-")


def read(path: Path) -> Iterator[ForeignRecord | Unread]:
    """Yield the observations of notes."""
    for each in files.notes(path, ".md"):
        if isinstance(each, Unread):
            yield each
            continue
        where, head, body = each
        yield from _note(where, head, body)


def _note(where: str, head: dict[str, Any], body: str) -> Iterator[ForeignRecord | Unread]:
    title = str(head.get("title") or Path(where).stem)
    shared = [str(tag) for tag in head.get("tags") or [] if isinstance(head.get("tags"), list)]
    found = 0
    for line in body.splitlines():
        match = _OBSERVATION.match(line) or _TAGGED.match(line)
        if match is None or match[1] in _NOT_CATEGORIES or _RELATION.match(line):
            continue
        named, tags = match[1].strip(), _TAG.findall(match[2])
        if not (named or tags):
            continue
        found += 1
        said = _TRAILING.sub("", match[2]).strip() or match[2].strip()
        kind = slug(named).replace("-", "_") if named else ""
        of_category = [slug(named)] if named and kind not in KINDS else []
        says: dict[str, Any] = {"text": said, "title": one_line(f"{title}: {said}", 100)}
        says |= {
            "tags": list(dict.fromkeys([*shared, *tags, *of_category])),
            **({"kind": kind} if kind in KINDS else {}),
        }
        yield ForeignRecord(f"{where}, observation {found}", says)
    if not found:
        plain = "\n".join(line for line in body.splitlines() if not _RELATION.match(line)).strip()
        if plain:
            yield ForeignRecord(
                where, {"text": plain, "title": one_line(title, 200), "tags": shared, "kind": "reference"}
            )
        else:
            yield Unread(where, "it says nothing")
