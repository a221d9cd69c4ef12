"""What a tool call is about, whatever its host calls the parts: the files, the edits and the command at hand."""

from __future__ import annotations

import os

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

    from tenure.surfaces.hooks.host import HookEvent

PATH_KEYS = ("file_path", "path", "notebook_path", "filePath", "absolute_path")
OLD_KEYS = ("old_string", "old_str", "oldString")
NEW_KEYS = ("new_string", "new_str", "newString")
# Codex hands its patch over as a command, others under these names.
PATCH_KEYS = ("command", "input", "patch", "patchText")
PATCH_BEGIN = "*** Begin Patch"
PATCH_FILES = ("*** Update File: ", "*** Add File: ", "*** Delete File: ")
MOST_PATCH = 200_000
MOST_FILES = 10


def command(event: HookEvent) -> str:
    """Return the command line a shell tool runs, empty for other tools and for a patch in its clothes."""
    found = event.tool_input.get("command")
    if isinstance(found, list):
        found = " ".join(word for word in found if isinstance(word, str))
    return found if event.tool == "Bash" and isinstance(found, str) and not _patch(event) else ""


def files(event: HookEvent) -> list[str]:
    """Return the paths of the files a tool reads or writes, as the host gives them."""
    if patch := _patch(event):
        heads = (line for line in patch.splitlines() if line.startswith(PATCH_FILES))
        return [line.partition(": ")[2].strip() for line in heads][:MOST_FILES]
    path = _text(event.tool_input, PATH_KEYS)
    return [path] if path and event.tool != "Bash" else []


def edits(event: HookEvent) -> Iterator[tuple[str, str, str]]:
    """Yield (path, old text, new text) for each replacement a tool made."""
    if patch := _patch(event):
        yield from _hunks(patch)
        return
    given = event.tool_input
    path = _text(given, PATH_KEYS)
    several = given.get("edits")
    for one in several if isinstance(several, list) else [given]:
        if isinstance(one, dict) and path and any(key in one for key in OLD_KEYS):
            yield path, _text(one, OLD_KEYS), _text(one, NEW_KEYS)


def whole(event: HookEvent, path: str) -> str:
    """Return a path in one spelling, so that it is the same file for every tool."""
    return os.path.normpath(os.path.join(event.folder, path))


def _patch(event: HookEvent) -> str:
    """Return the patch a tool applies; Codex's shell may get it behind `apply_patch <<EOF`."""
    text = _text(event.tool_input, PATCH_KEYS)[:MOST_PATCH].lstrip()
    begin = text.find(PATCH_BEGIN) if text.startswith((PATCH_BEGIN, "apply_patch")) else -1
    return text[begin:] if begin >= 0 else ""


def _hunks(patch: str) -> Iterator[tuple[str, str, str]]:
    path, old, new = "", list[str](), list[str]()
    for line in [*patch.splitlines(), "***"]:
        if line.startswith(("***", "@@")):
            if path and (old or new):
                yield path, "\n".join(old), "\n".join(new)
            old, new = [], []
            if line.startswith(PATCH_FILES):
                path = line.partition(": ")[2].strip()
        elif line.startswith("-"):
            old.append(line[1:])
        elif line.startswith("+"):
            new.append(line[1:])


def _text(given: dict[str, Any], keys: tuple[str, ...]) -> str:
    return next((found for key in keys if isinstance(found := given.get(key), str)), "")
