"""Anthropic's memory tool over a Tenure store: the six commands and their exact words, one memory per file.

>>> tool = MemoryTool()
>>> client.beta.messages.tool_runner(..., tools=[tool])

A path is a name in the store and never one of the file system. Deleting archives, so `tenure unarchive ID` and `tenure
undo NUMBER` bring a file back; secrets are redacted as on every way in. Folders exist while files are in them. Of a
project that is not trusted the model sees nothing and writes nothing into it.
"""

from __future__ import annotations

import contextlib
import secrets
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from anthropic.lib.tools import ToolError
from anthropic.tools.memory import BetaAbstractMemoryTool

from tenure import workspace
from tenure.model.errors import TenureError
from tenure.model.memory import Memory
from tenure.text.redact import redact
from tenure.workspace import Workspace

ROOT = "/memories"
KIND = "reference"
MOST_LINES = 999_999
NUMBER_WIDTH = 6
AROUND = 2
LONGEST_PATH = 500
UNITS = "BKMG"


class MemoryTool(BetaAbstractMemoryTool):
    """The memory tool; `store` and `folder` are as for `tenure.open`."""

    def __init__(self, store: str | None = None, folder: str | Path | None = None, **options: Any) -> None:
        super().__init__(**options)
        self._store, self._folder = store, folder

    def view(self, command: Any) -> str:
        """Return a file with line numbers, or a folder's files."""
        with self._open() as ws:
            path, files = _checked(command.path), _files(ws)
            if path in files:
                return _numbered_file(command, files[path])
            if path != ROOT and not _below(files, path):
                raise ToolError(f"The path {command.path} does not exist. Please provide a valid path.")
            return _listing(command.path, path, files)

    def create(self, command: Any) -> str:
        """Write a new file."""
        with self._open() as ws:
            path, files = _checked(command.path), _files(ws)
            if path == ROOT or path in files or _below(files, path):
                raise ToolError(f"File {command.path} already exists")
            if any(path.startswith(f"{file}/") for file in files):
                raise ToolError(f"Path {command.path} lies below a file")
            ws.add(
                id=f"file-{secrets.token_hex(5)}",
                kind=KIND,
                source="agent:memory-tool",
                **_fields(path, command.file_text),
            )
        return f"File created successfully at: {command.path}"

    def str_replace(self, command: Any) -> str:
        """Replace a text that occurs once."""
        with self._open() as ws:
            memory = self._file(ws, command.path)
            text, old = _text(memory), command.old_str
            places = _places(text, old)
            if not places:
                raise ToolError(
                    f"No replacement was performed, old_str `{old}` did not appear verbatim in {command.path}."
                )
            if len(places) > 1:
                where = ", ".join(str(text.count("\n", 0, place) + 1) for place in places)
                raise ToolError(
                    f"No replacement was performed. Multiple occurrences of old_str `{old}` in lines: {where}."
                    " Please ensure it is unique"
                )
            new = text[: places[0]] + (command.new_str or "") + text[places[0] + len(old) :]
            ws.edit(memory.id, **_fields(_path(memory), new))
        changed = text.count("\n", 0, places[0])
        lines = new.split("\n")
        first = max(0, changed - AROUND)
        shown = _numbered(lines[first : changed + AROUND + 1], first + 1)
        return f"The memory file has been edited. Here is the snippet showing the change (with line numbers):\n{shown}"

    def insert(self, command: Any) -> str:
        """Put a text after a line."""
        with self._open() as ws:
            memory = self._file(ws, command.path)
            text = _text(memory)
            lines = text.removesuffix("\n").split("\n") if text else []
            if not 0 <= command.insert_line <= len(lines):
                raise ToolError(
                    f"Invalid `insert_line` parameter: {command.insert_line}."
                    f" It should be within the range [0, {len(lines)}]."
                )
            lines.insert(command.insert_line, command.insert_text.rstrip("\n"))
            ws.edit(memory.id, **_fields(_path(memory), "\n".join(lines) + "\n"))
        return f"The file {command.path} has been edited."

    def delete(self, command: Any) -> str:
        """Archive a file, or all files below a folder."""
        with self._open() as ws:
            path, files = _checked(command.path), _files(ws)
            if path == ROOT:
                raise ToolError(f"Cannot delete the {ROOT} directory itself")
            gone = [path] if path in files else _below(files, path)
            if not gone:
                raise ToolError(f"The path {command.path} does not exist")
            for file in gone:
                ws.archive(files[file].id, reason="deleted with the memory tool")
        return f"Successfully deleted {command.path}"

    def rename(self, command: Any) -> str:
        """Give a file, or all files below a folder, another path."""
        with self._open() as ws:
            old, new, files = _checked(command.old_path), _checked(command.new_path), _files(ws)
            if old == ROOT:
                raise ToolError(f"Cannot rename the {ROOT} directory itself")
            if new == ROOT or new in files or _below(files, new):
                raise ToolError(f"The destination {command.new_path} already exists")
            moved = [old] if old in files else _below(files, old)
            if not moved:
                raise ToolError(f"The path {command.old_path} does not exist")
            if new.startswith(f"{old}/"):
                raise ToolError(f"The destination {command.new_path} lies below {command.old_path}")
            for file in moved:
                ws.edit(files[file].id, **_fields(new + file[len(old) :], _text(files[file])))
        return f"Successfully renamed {command.old_path} to {command.new_path}"

    def clear_all_memory(self) -> str:
        """Archive every file."""
        with self._open() as ws:
            for memory in _files(ws).values():
                ws.archive(memory.id, reason="cleared with the memory tool")
        return "All memory cleared"

    @contextlib.contextmanager
    def _open(self) -> Iterator[Workspace]:
        try:
            with workspace.open(self._store, self._folder, agent="memory-tool") as ws:
                yield ws
        except TenureError as error:
            raise ToolError(" ".join(filter(None, (error.message, error.hint)))) from None

    @staticmethod
    def _file(ws: Workspace, given: str) -> Memory:
        path, files = _checked(given), _files(ws)
        if path in files:
            return files[path]
        if path == ROOT or _below(files, path):
            raise ToolError(f"The path {given} is not a file.")
        raise ToolError(f"The path {given} does not exist. Please provide a valid path.")


def _checked(given: str) -> str:
    """Return a path in its one form; refuse everything that is not below /memories, also by a lookalike.

    Secrets go first: `postgres://user:password@host` is none any more once its empty parts are dropped.
    """
    given = redact(given)[0] if isinstance(given, str) else given
    if not isinstance(given, str) or (given != ROOT and not given.startswith(f"{ROOT}/")):
        raise ToolError(f"Path must start with {ROOT}, got: {given}")
    parts = [part for part in given.split("/")[2:] if part]
    if any(part in (".", "..") or "\\" in part or not part.isprintable() for part in parts) or "%2e" in given.lower():
        raise ToolError(f"Path {given} would escape {ROOT} directory")
    if len(given) > LONGEST_PATH:
        raise ToolError(f"Path is longer than {LONGEST_PATH} characters")
    return "/".join([ROOT, *parts])


def _files(ws: Workspace) -> dict[str, Memory]:
    found = {_path(memory): memory for memory in ws.memories() if _path(memory)}
    return dict(sorted(found.items()))


def _path(memory: Memory) -> str:
    path = memory.content.get("path")
    return path if isinstance(path, str) and path.startswith(f"{ROOT}/") else ""


def _text(memory: Memory) -> str:
    return str(memory.content.get("text", ""))


def _fields(path: str, text: str) -> dict[str, Any]:
    # The memory's own text is cleaned and stripped; the file's is kept to the byte beside it.
    return {"text": text if text.strip() else path, "title": path, "content": {"path": path, "text": text}}


def _below(files: dict[str, Memory], folder: str) -> list[str]:
    return [path for path in files if path.startswith(f"{folder}/")]


def _places(text: str, old: str) -> list[int]:
    places: list[int] = []
    start = text.find(old) if old else -1
    while start >= 0:
        places.append(start)
        start = text.find(old, start + 1)
    return places


def _numbered_file(command: Any, memory: Memory) -> str:
    lines = _text(memory).split("\n")
    if len(lines) > MOST_LINES:
        raise ToolError(f"File {command.path} exceeds maximum line limit of 999,999 lines.")
    first, last = 1, len(lines)
    if command.view_range and len(command.view_range) == 2:
        first = max(1, command.view_range[0])
        last = len(lines) if command.view_range[1] == -1 else command.view_range[1]
    shown = _numbered(lines[first - 1 : last], first)
    return f"Here's the content of {command.path} with line numbers:\n{shown}"


def _numbered(lines: list[str], first: int) -> str:
    return "\n".join(f"{number:>{NUMBER_WIDTH}}\t{line}" for number, line in enumerate(lines, start=first))


def _listing(given: str, folder: str, files: dict[str, Memory]) -> str:
    sizes: dict[str, int] = {}
    for path in _below(files, folder):
        parts = path[len(folder) + 1 :].split("/")
        if any(part.startswith(".") for part in parts):
            continue
        size = len(_text(files[path]).encode("utf-8", "replace"))
        for depth in (1, 2):
            name = "/".join(parts[:depth]) + ("/" if len(parts) > depth else "")
            if len(parts) >= depth:
                sizes[name] = sizes.get(name, 0) + size
    total = sum(len(_text(files[path]).encode("utf-8", "replace")) for path in _below(files, folder))
    rows = [f"{_size(total)}\t{given}", *(f"{_size(sizes[name])}\t{given}/{name}" for name in sorted(sizes))]
    head = f"Here're the files and directories up to 2 levels deep in {given}, excluding hidden items:"
    return "\n".join([head, *rows])


def _size(count: int) -> str:
    power = min(max(count.bit_length() - 1, 0) // 10, len(UNITS) - 1)
    size = count / 1024**power
    return f"{int(size)}{UNITS[power]}" if size == int(size) else f"{size:.1f}{UNITS[power]}"
