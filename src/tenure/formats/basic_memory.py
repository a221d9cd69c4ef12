"""basic-memory's notes: Markdown with front matter and observations, `- [category] text #tag (context)`.

An observation is one memory; a note without any is one memory as a whole. Relations (`- uses [[Other]]`) are links
between notes and not taken.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from tenure.formats import Found, Unread, files, yaml_subset
from tenure.model.kinds import KINDS
from tenure.text.words import one_line, slug

_OBSERVATION = re.compile(r"^\s*-\s+\[([^\]\[]{1,60})\]\s+(\S.*)$")
_RELATION = re.compile(r"^\s*-\s+.*\[\[[^\]]+\]\]")
_TAG = re.compile(r"(?<!\S)#([\w/-]{1,60})")
_NOT_CATEGORIES = ("", " ", "x", "X", "-")


def read(path: Path) -> Iterator[Found | Unread]:
    """Yield the observations of notes."""
    for each in files.texts(path, ".md"):
        if isinstance(each, Unread):
            yield each
            continue
        where, text = each
        try:
            head, body = yaml_subset.split(text)
        except ValueError as error:
            yield Unread(where, str(error))
            continue
        yield from _note(where, head, body)


def _note(where: str, head: dict[str, Any], body: str) -> Iterator[Found | Unread]:
    title = str(head.get("title") or Path(where).stem)
    shared = [str(tag) for tag in head.get("tags") or [] if isinstance(head.get("tags"), list)]
    found = 0
    for line in body.splitlines():
        match = _OBSERVATION.match(line)
        if match is None or match[1] in _NOT_CATEGORIES or _RELATION.match(line):
            continue
        found += 1
        said = _TAG.sub("", match[2]).strip()
        kind = slug(match[1]).replace("-", "_")
        says = {"text": said, "title": one_line(f"{title}: {said}", 100), "tags": [*shared, *_TAG.findall(match[2])]}
        says |= {"kind": kind} if kind in KINDS else {"tags": [*says["tags"], slug(match[1])]}
        yield Found(f"{where}, observation {found}", says)
    if not found:
        plain = "\n".join(line for line in body.splitlines() if not _RELATION.match(line)).strip()
        if plain:
            yield Found(where, {"text": plain, "title": one_line(title, 200), "tags": shared, "kind": "reference"})
        else:
            yield Unread(where, "it says nothing")
