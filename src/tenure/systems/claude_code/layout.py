"""A memory folder as a whole: which layout it has, and which operations add, edit, archive or restore.

Pure: a folder is a mapping from name to bytes, a plan is a list of operations. The order of a plan is the
promise: a file is there before its index line, and its line is gone before it is.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Mapping
from typing import Literal

from tenure.files.durable import fingerprint
from tenure.model.errors import BadRequest, Refused, UnknownId
from tenure.systems.claude_code import frontmatter, index
from tenure.systems.claude_code.operations import Move, Remove, Step, Write

ARCHIVE = "archive"
NEW_INDEX = b"# Memory\n\n"
# Where the text of a standalone MEMORY.md goes when the folder gets its first memory file.
NOTES_NAME = "notes.md"
NOTES_DESCRIPTION = "notes kept before this index"

Layout = Literal["index", "standalone", "none"]
Folder = Mapping[str, bytes]


def memory_files(names: Iterable[str]) -> list[str]:
    """Return the names that are memories: `*.md` directly in the folder, sorted, without the index."""
    return sorted(n for n in names if n.endswith(".md") and "/" not in n and n != index.NAME and n[0] != ".")


def archived_files(names: Iterable[str]) -> list[str]:
    """Return the names of archived memories, relative to the folder."""
    return sorted(n for n in names if re.fullmatch(rf"{ARCHIVE}/[^/.][^/]*\.md", n))


def layout_of(folder: Folder) -> Layout:
    """Return how the folder is organised; a MEMORY.md without other files stands alone unless it is empty."""
    if memory_files(folder):
        return "index"
    if index.NAME not in folder:
        return "none"
    return "standalone" if standalone_text(folder[index.NAME]).strip() else "index"


def standalone_text(data: bytes) -> str:
    """Return the text of a MEMORY.md that is a memory itself: without its level-1 headings."""
    text = data.decode("utf-8", errors="replace").removeprefix(frontmatter.BOM)
    return "".join(line for line in re.findall(r"[^\n]*\n|[^\n]+", text) if not line.startswith("# "))


def file_name(name: str, taken: Iterable[str]) -> str:
    """Return a free file name for a memory's name: plain ASCII, never the index's, never one taken."""
    plain = unicodedata.normalize("NFKD", name.removesuffix(".md")).encode("ascii", "ignore").decode()
    stem = re.sub(r"[^A-Za-z0-9_]+", "-", plain).strip("-_")[:60].rstrip("-_") or "memory"
    used = {each.lower() for each in taken} | {index.NAME.lower()}
    candidate, number = f"{stem}.md", 2
    while candidate.lower() in used:
        candidate, number = f"{stem}-{number}.md", number + 1
    return candidate


def plan_add(
    folder: Folder, file: str, fields: Mapping[str, str], body: str, *, nested: bool | None = None
) -> list[Step]:
    """Return the operations that add a memory: the file first, then its index line.

    A standalone MEMORY.md is first moved to its own file, bytes and times intact, and listed too.
    """
    if file in folder or file.lower() == index.NAME.lower():
        raise BadRequest(f"{file!r} is already there.", hint="Choose another id with --id.")
    if nested is None:
        nested = prefers_nested(folder)
    write = Write(file, frontmatter.encode(fields, body, nested=nested), None)
    description = fields.get("description") or fields.get("name", "")
    old = folder.get(index.NAME)
    if old is None or layout_of(folder) != "standalone" or index.is_only_index(old):
        mark = None if old is None else fingerprint(old)
        listed = index.add(NEW_INDEX if old is None else old, file, description)
        return [write, Write(index.NAME, listed, mark)]
    notes = file_name(NOTES_NAME, [*folder, file])
    listed = index.add(index.add(NEW_INDEX, notes, first_words(old)), file, description)
    return [Move(index.NAME, notes), write, Write(index.NAME, listed, None)]


def plan_edit(folder: Folder, file: str, changes: Mapping[str, str | None], *, body: str | None = None) -> list[Step]:
    """Return the operations that change a memory, and its index line when the description changed."""
    data = _existing(folder, file)
    edited = frontmatter.edit(data, changes, body=body)
    operations: list[Step] = []
    if edited != data:
        operations.append(Write(file, edited, fingerprint(data)))
    listed = folder.get(index.NAME)
    description = changes.get("description")
    if listed is not None and description and file != index.NAME:
        described = index.describe(listed, file, description)
        if described != listed:
            operations.append(Write(index.NAME, described, fingerprint(listed)))
    return operations


def plan_archive(folder: Folder, file: str) -> list[Step]:
    """Return the operations that archive a memory: its line goes, then the file moves, bytes intact."""
    if file == index.NAME:
        raise Refused(
            "A MEMORY.md that stands alone cannot be archived.",
            hint="Keep it, or add a memory first: that turns it into an index.",
        )
    _existing(folder, file)
    taken = [name.removeprefix(f"{ARCHIVE}/") for name in archived_files(folder)]
    return [*_unlist(folder, file), Move(file, f"{ARCHIVE}/{file_name(file, taken)}")]


def plan_restore(folder: Folder, file: str) -> list[Step]:
    """Return the operations that bring an archived memory back: the file moves, then its line is added."""
    archived = f"{ARCHIVE}/{file}"
    data = _existing(folder, archived)
    target = file if file not in folder else file_name(file, folder)
    fields = frontmatter.parse(data).fields
    description = fields.get("description") or fields.get("name") or first_words(data)
    old = folder.get(index.NAME)
    listed = index.add(NEW_INDEX if old is None else old, target, description)
    mark = None if old is None else fingerprint(old)
    return [Move(archived, target), Write(index.NAME, listed, mark)]


def plan_remove(folder: Folder, file: str) -> list[Step]:
    """Return the operations that delete a memory; applying them returns the ones that undo it."""
    data = _existing(folder, file)
    return [*_unlist(folder, file), Remove(file, fingerprint(data))]


def _existing(folder: Folder, file: str) -> bytes:
    if file not in folder:
        raise UnknownId(f"No memory file {file!r} is in this folder.")
    return folder[file]


def _unlist(folder: Folder, file: str) -> list[Step]:
    listed = folder.get(index.NAME)
    if listed is None or file == index.NAME:
        return []
    shorter = index.remove(listed, file)
    return [] if shorter == listed else [Write(index.NAME, shorter, fingerprint(listed))]


def prefers_nested(folder: Folder) -> bool:
    """Return whether the folder's own files mostly use the client's nested layout."""
    headers = [frontmatter.parse(folder[name]) for name in memory_files(folder)]
    nested = sum(document.nested for document in headers)
    return nested * 2 > sum(document.has_header for document in headers)


def first_words(data: bytes) -> str:
    """Return the first line that says something, without its Markdown marks."""
    text = data.decode("utf-8", errors="replace")
    lines = (frontmatter.one_line(line.strip("#*- \t\ufeff")) for line in text.split("\n"))
    return next((line[:120] for line in lines if line and line != frontmatter.FENCE), NOTES_DESCRIPTION)
