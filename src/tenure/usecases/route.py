"""`route`: where something learned belongs in a project, why, and writing it there.

The destination is always the project the session belongs to: the one of its transcript, the one the agent was started
in, else the one around the current folder. The text decides the place; nothing is written unless asked for.
"""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterator
from pathlib import Path

import msgspec

from tenure.capture import learned, transcripts
from tenure.files import durable, locate
from tenure.model import clock
from tenure.model.errors import BadRequest, InvalidInput
from tenure.systems.api import opened
from tenure.systems.claude_code import project_folder
from tenure.text.words import one_line, slug
from tenure.usecases import add, intake

VALUE = "value"
INSTRUCTIONS = "CLAUDE.md"
KNOWLEDGE = "docs/knowledge"


class Route(msgspec.Struct, frozen=True, kw_only=True):
    """Where a text belongs: value, memory, CLAUDE.md, docs/knowledge or skip; `path` is the file or folder for it."""

    destination: str
    kind: str
    path: str
    project: str
    reason: str
    # The memory or file it was written to, empty when it was not.
    written: str = ""


def route(text: str, *, store: str | None = None, session: str = "") -> Route:
    """Return where a text belongs, for the project the session belongs to."""
    said = intake.safe(text)
    if not said:
        raise InvalidInput("There is no text to route.", hint="tenure route 'what was learned'")
    project = _project(session)
    found = learned.route(said)
    place = learned.PLACES[found.suggested_destination]
    if found.suggested_type == VALUE:
        place = VALUE
    paths = {
        VALUE: str(memory_folder(project, store)),
        "memory": str(memory_folder(project, store)),
        INSTRUCTIONS: str(project / INSTRUCTIONS),
        KNOWLEDGE: str(project / KNOWLEDGE),
    }
    kind = found.suggested_type if place in (VALUE, "memory") else ""
    return Route(destination=place, kind=kind, path=paths.get(place, ""), project=str(project), reason=found.reason)


def apply(found: Route, text: str) -> Route:
    """Write the text where it belongs; what is there already is not written twice."""
    said = intake.safe(text)
    if found.destination == INSTRUCTIONS:
        written = _append(Path(found.path), said)
    elif found.destination == KNOWLEDGE:
        written = _note(Path(found.path), said)
    elif found.destination == "skip":
        written = ""
    else:
        written = _memory(found, said)
    return msgspec.structs.replace(found, written=written)


def memory_folder(project: Path, store: str | None) -> Path:
    """Return the memory folder a project's session writes to: the store named, else the client's own."""
    if store:
        place = locate.locate(store, Path.cwd())
        if place.scheme != "claude-code":
            raise BadRequest(f"route writes Claude Code's memory files, not {place.scheme}: stores.")
        return place.path
    candidates = project_folder.memory_folders(project, Path.home(), os.environ)
    local = project / "memory"
    known = [folder for folder in (*candidates, local) if (folder / "MEMORY.md").is_file()]
    if not known and not candidates:
        return local
    return known[0] if known else candidates[0]


def _project(session: str) -> Path:
    if session:
        folder = next((turn.cwd for turn in _turns(session) if turn.cwd), "")
        if not folder:
            raise InvalidInput(f"{session!r} does not say in which folder the session was held.")
        return locate.project_of(Path(folder))
    started = os.environ.get("CLAUDE_PROJECT_DIR", "")
    return locate.project_of(Path(started).absolute() if started else Path.cwd())


def _turns(session: str) -> Iterator[transcripts.Turn]:
    if not Path(session).is_file():
        raise InvalidInput(f"{session!r} is not a file.", hint="Name a transcript with --session.")
    return transcripts.turns(session)


def _memory(found: Route, text: str) -> str:
    project, system = opened(locate.named(f"claude-code:{found.path}", Path.cwd()))
    with contextlib.closing(project.store):
        return str(add.add(project, system, text, kind=found.kind).id)


def _append(path: Path, text: str) -> str:
    """Add one line to an instruction file, every other byte as it was."""
    old = durable.read_bytes(path).decode("utf-8", errors="surrogateescape") if path.exists() else ""
    line = f"- {one_line(text)}"
    if line not in (each.strip() for each in old.splitlines()):
        newline = "\r\n" if "\r\n" in old else "\n"
        lead = "" if not old or old.endswith("\n") else newline
        blank = newline if old.strip() and not old.rstrip().rpartition("\n")[2].startswith("- ") else ""
        added = old + lead + blank + line + newline
        durable.replace(path, added.encode("utf-8", errors="surrogateescape"))
    return str(path)


def _note(folder: Path, text: str) -> str:
    """Write a note that people find by its date and first words."""
    title = one_line(intake.first_sentence(text), 80)
    path = folder / f"{clock.stamp(clock.now())[:10]}-{slug(title)}.md"
    if not path.exists():
        folder.mkdir(parents=True, exist_ok=True)
        durable.replace(path, f"# {title}\n\n{text}\n".encode())
    return str(path)
