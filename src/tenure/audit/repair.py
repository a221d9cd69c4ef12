"""What would mend a broken claim: the new path in the style of the old one, and the edits that put it there.

`edits` is the whole of what a fix does. Only pure moves are among them unless the caller asks for more.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterable

import msgspec

from tenure.audit.claim import Claim
from tenure.audit.findings import Edit, Finding, Source
from tenure.audit.moved_files import Fate
from tenure.audit.parsing import Occurrence
from tenure.audit.project import Project
from tenure.audit.words import listed

# Below this a new place is a guess, and is not told as what the thing is now.
SURE_ENOUGH = 0.8
# Names that many folders share, so that one elsewhere is no hint.
GENERIC_NAMES = listed(
    """
    __init__.py index.js index.ts index.tsx mod.rs main.py main.go README.md conftest.py
    """
)


def path_in_style(path: str, fate: Fate, beside: str) -> str:
    """Return the new path as the memory wrote the old one: from the root, from its folder, or shortened."""
    target = fate.target
    plain = posixpath.normpath(path)
    if posixpath.normpath(posixpath.join(beside, path)) == fate.source and beside and plain != fate.source:
        new = posixpath.relpath(target, beside)
    elif plain != fate.source and fate.source.endswith("/" + plain):
        lead = fate.source[: -len(plain)]
        short = posixpath.basename(target) if "/" not in plain else target.removeprefix(lead)
        new = short
    else:
        new = target
    lead_dot = "./" if path.startswith("./") and not new.startswith("../") else ""
    return lead_dot + new + ("/" if path.endswith("/") else "")


def by_name(path: str, project: Project) -> str | None:
    """Return the only file that has the missing one's name, for projects without a history."""
    name = posixpath.basename(path.rstrip("/"))
    found = project.by_name.get(name, [])
    return found[0] if len(found) == 1 and name not in GENERIC_NAMES and "/" in path else None


def has_base(project: Project, owner: Occurrence) -> bool:
    """Return whether the class's own line names a base, from which the member may come."""
    lines = project.read_text(owner.path, 1 << 20).split("\n")
    if owner.line > len(lines):
        return True
    line = lines[owner.line - 1]
    head = line[line.find(owner.name) + len(owner.name) :] if owner.name in line else line
    return bool(re.search(r"[A-Za-z_]\w*", head.split("{")[0]))


def edits(source: Source, findings: Iterable[Finding], *, min_confidence: float | None = None) -> list[Edit]:
    """Return the replacements for one file: pure moves, or every repair at least this sure."""
    found: list[Edit] = []
    for finding in findings:
        claim, new = finding.claim, finding.repair
        if new is None or finding.status != "moved" or not source.editable:
            continue
        sure = finding.pure if min_confidence is None else finding.confidence >= min_confidence
        if not claim.mood.plain or _is_told(source.text, claim, new):
            continue  # "do not write to a any more" stays what it is, and so does "a is now b"
        if (
            not sure
            or (claim.tree and "/" in new.rstrip("/"))
            or (claim.kind == "symbol" and "/" in new)
            or claim.kind in ("url", "branch", "package", "version", "default")
        ):
            continue
        old = source.text[claim.start : claim.end]
        whole = claim.text if claim.kind != "command" or " " not in claim.text else claim.text.split()[-1]
        word = new if whole == claim.text else new.split()[-1]
        if old != whole or any(edit.start < claim.end and claim.start < edit.end for edit in found):
            continue
        line = source.line + source.text.count("\n", 0, claim.start)
        found.append(Edit(source.path, line, claim.start + source.start, claim.end + source.start, old, word))
    return found


def _is_told(text: str, claim: Claim, new: str) -> bool:
    """Return whether the claim's line already names the new place."""
    start = text.rfind("\n", 0, claim.start) + 1
    end = text.find("\n", claim.end)
    return new.rstrip("/") in text[start : end if end >= 0 else len(text)].replace(claim.text, "")


def moved_by(edit: Edit, characters: int) -> Edit:
    """Return the edit for a text that begins so many characters later."""
    return msgspec.structs.replace(edit, start=edit.start + characters, end=edit.end + characters)


def apply(text: str, changes: Iterable[Edit]) -> str:
    """Return the text with the edits made, every other character as it was."""
    for edit in sorted(changes, key=lambda each: -each.start):
        if text[edit.start : edit.end] == edit.old:
            text = text[: edit.start] + edit.new + text[edit.end :]
    return text
