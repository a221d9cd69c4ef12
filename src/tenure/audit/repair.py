"""What would mend a broken claim: the new path in the style of the old one, and the edits that put it there.

`plan` says what a fix would do, and `fixing` does it. Only pure moves are in it unless the caller asks for more.
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
from tenure.audit.staleness import INSTRUCTIONS
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


class Plan(msgspec.Struct, frozen=True):
    """What a fix does to one file, and for each repair that it leaves out, why."""

    edits: tuple[Edit, ...] = ()
    held_back: tuple[str, ...] = ()


def plan(source: Source, findings: Iterable[Finding], *, min_confidence: float | None = None) -> Plan:
    """Return the replacements for one file: pure moves, or every repair at least this sure."""
    found: list[Edit] = []
    held_back: list[str] = []
    for finding in findings:
        claim, new = finding.claim, finding.repair
        if finding.guess:
            held_back.append(f"less than {SURE_ENOUGH:.0%} sure")
        if new is None or finding.status != "moved":
            continue
        old = source.text[claim.start : claim.end]
        whole = claim.text if claim.kind != "command" or " " not in claim.text else claim.text.split()[-1]
        word = new if whole == claim.text else new.split()[-1]
        taken = old != whole or any(edit.start < claim.end and claim.start < edit.end for edit in found)
        if why := _reason_to_leave(source, finding, new, min_confidence) or ("written in another way" if taken else ""):
            held_back.append(why)
            continue
        line = source.line + source.text.count("\n", 0, claim.start)
        found.append(Edit(source.path, line, claim.start + source.start, claim.end + source.start, old, word))
    return Plan(tuple(found), tuple(held_back))


def _reason_to_leave(source: Source, finding: Finding, new: str, min_confidence: float | None) -> str:
    """Return why a repair is not applied, or nothing: "do not write to a any more" stays, and so does "a is now b"."""
    claim = finding.claim
    if not source.editable:
        return "in a file that is not edited"
    if source.dialect == INSTRUCTIONS and not finding.sure:
        return "only perhaps broken"
    if finding.in_file:
        return "the name stays, its file is another"
    if claim.kind in ("url", "branch", "package", "version", "default"):
        return f"a {claim.kind} is yours to choose"
    if claim.tree and "/" in new.rstrip("/"):
        return "left its folder in a drawn tree"
    if not claim.mood.plain:
        return "in a sentence that forbids, denies or tells of a move"
    if claim.mood.withheld:
        return "in a sentence that asks to leave it alone, or only asks"
    if _is_told(source.text, claim, new):
        return "named on that line already"
    if min_confidence is not None:
        return f"less than {min_confidence:.0%} sure" if finding.confidence < min_confidence else ""
    return "" if finding.pure else "more than a pure move (--min-confidence 0.9 applies what is that sure)"


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
