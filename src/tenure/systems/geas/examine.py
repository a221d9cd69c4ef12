"""Checking the artifacts of a `.geas` folder as they stand: each problem names its file and its field."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path, PurePath

from tenure.files import durable
from tenure.files.shared_folder import COPY
from tenure.model.errors import TenureError
from tenure.systems.geas import codec, paths, schemas
from tenure.systems.geas.artifacts import SCHEMAS
from tenure.systems.geas.folder import MAX_ARTIFACT_BYTES, GeasFolder

Found = dict[str, str]
# Folders whose every JSON file is a memory artifact; elsewhere only what names itself is checked.
MEMORY_FOLDERS = ("candidates", "entries", "logs")


def path_problems(path: Path, *, shown: str) -> list[Found]:
    """Return what is wrong with a file, or with every artifact below a folder; `shown` is the path as given."""
    if path.is_dir() and not path.is_symlink():
        return [
            problem
            for file in _below(path)
            for problem in _file_problems(file, os.path.join(shown, file.relative_to(path)), sure=False)
        ]
    return _file_problems(path, shown, sure=True)


def folder_problems(folder: GeasFolder) -> list[Found]:
    """Return everything wrong in a `.geas` folder: artifacts, names, the index and what a crash left."""
    root = folder.root
    if not root.is_dir():
        return []
    found = path_problems(root, shown=str(root))
    broken = {problem["path"] for problem in found}
    scan = folder.memories()
    for unreadable in scan.unreadable:
        if (where := str(root / unreadable.place)) not in broken:
            found.append({"path": where, "field": "file", "message": unreadable.reason})
    for place in scan.leftovers:
        message = "its entry exists: a promotion was cut short; the next command that writes removes this file"
        found.append({"path": str(root / place), "field": "file", "message": message})
    found += [{"path": str(copy), "field": "file", "message": COPY} for copy in folder.files.copies()]
    if (scan.found or (root / paths.INDEX).exists()) and (problem := folder.index_problem()):
        hint = f"{problem}; the next command that writes rebuilds it"
        found.append({"path": str(root / paths.INDEX), "field": "entries", "message": hint})
    return found


def _below(folder: Path) -> Iterator[Path]:
    for parent, folders, names in os.walk(folder):
        folders.sort()
        yield from (Path(parent, name) for name in sorted(names) if name.endswith(".json") and name[0] != ".")


def _file_problems(path: Path, shown: str, *, sure: bool) -> list[Found]:
    """Return the file's problems; unless `sure`, a file that is no artifact of geas's memory is passed over."""
    place = PurePath(path.absolute())
    try:
        document = codec.parse(durable.read_bytes(path, limit=MAX_ARTIFACT_BYTES), name=path.name)
    except (TenureError, OSError) as error:
        known = sure or place.parent.name in MEMORY_FOLDERS or place.stem in SCHEMAS
        return [{"path": shown, "field": "file", "message": str(error)}] if known else []
    if not sure and schemas.artifact_of(document, place) is None:
        return []
    return [
        {"path": shown, "field": problem.field, "message": problem.message}
        for problem in schemas.problems(document, path=place)
    ]
