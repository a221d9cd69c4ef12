"""`init`: which memory a project has already, which of it Tenure will use, and how to choose another.

Looking changes nothing. A choice is one line in the project's `.tenure/config.toml`.
"""

from __future__ import annotations

import os
import re
from pathlib import Path

from tenure.files import DATABASE, FOUND, durable, is_kept_by, locate
from tenure.files.locate import Place
from tenure.model.errors import InvalidInput
from tenure.store.folder import make_folder
from tenure.systems import api as systems
from tenure.systems.claude_code import project_folder
from tenure.usecases.answers.start import FoundStore

_STORE_LINE = re.compile(r"^[ \t]*store[ \t]*=.*$", re.MULTILINE)
_FIRST_TABLE = re.compile(r"^[ \t]*\[", re.MULTILINE)


def survey(folder: Path, store: str | None = None) -> tuple[Place, list[FoundStore]]:
    """Return the store that commands use in a folder, and every one that is there."""
    place = locate.locate(store, folder)
    project = place.project
    places = [(scheme, project / name) for scheme, name in FOUND]
    places.append(("claude-code", project / "memory"))
    places += [("claude-code", path) for path in project_folder.memory_folders(project, Path.home(), os.environ)]
    there = [
        FoundStore(url=f"{scheme}:{path}", used=path == place.path)
        for scheme, path in places
        if _holds(scheme, path) or (path == place.path and path.is_dir())
    ]
    own = project / DATABASE
    if own.is_file():
        there.insert(0, FoundStore(url=f"sqlite:{own}", used=own == place.path))
    return place, list(dict.fromkeys(there))


def choose(url: str, folder: Path) -> Path:
    """Write down which store this project uses, and return the file that says so."""
    place = locate.named(url, folder)
    project = locate.project_of(folder)
    if not systems.supports(place.scheme):
        raise InvalidInput(f"{url!r}: this version of Tenure cannot work on {place.scheme} stores.", field="store")
    try:
        inside = place.path.resolve().relative_to(project.resolve())
    except ValueError:
        raise InvalidInput(
            f"{url!r} lies outside the project {project}.",
            hint="A project may only name a store inside itself; set TENURE_STORE for others.",
            field="store",
        ) from None
    settings = project / ".tenure" / "config.toml"
    make_folder(settings.parent)
    locate.read_settings(settings)  # a file we cannot read is not rewritten
    line = f'store = "{place.scheme}:{inside.as_posix()}"'
    before = durable.read_bytes(settings).decode("utf-8") if settings.exists() else ""
    durable.replace(settings, _with_store(before, line).encode("utf-8"))
    return settings


def _with_store(text: str, line: str) -> str:
    """Return settings that name a store: in the line that did, or in a new first one, above every table."""
    table = _FIRST_TABLE.search(text)
    end = table.start() if table else len(text)
    head, found = _STORE_LINE.subn(lambda _: line, text[:end], count=1)
    return (head if found else f"{line}\n{head}") + text[end:]


def _holds(scheme: str, path: Path) -> bool:
    """Tell whether a folder is what its name says; many projects have a `memory` folder that is something else."""
    if scheme == "claude-code" and path.name == "memory" and path.parent.name != ".claude":
        return (path / "MEMORY.md").is_file()
    return is_kept_by(scheme, str(path))
