"""Finding the artifacts a capture reads: files named by hand, or all below a task, mission or `.geas` folder.

Only places where geas puts such artifacts are looked at, symbolic links are not followed, and a file that
cannot be read is reported and passed over.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path, PurePath
from typing import Any

import msgspec

from tenure.files import GEAS, durable
from tenure.files.json_values import as_object, as_text, as_texts
from tenure.model.errors import TenureError
from tenure.systems.geas import codec, schemas, triggers
from tenure.systems.geas.tables import Tables

MAX_ARTIFACT_BYTES = 4 * 1024 * 1024
# A mission has some dozens of artifacts; a folder with more files than this is not a .geas folder.
MAX_FILES = 50_000

TASK_FILES = (
    "retrospective",
    "failure-record",
    "worker-self-check",
    "integration-result",
    "challenge-review",
)


class Artifact(msgspec.Struct, frozen=True):
    """One artifact that a capture can use; `source` is its path as geas writes it."""

    kind: str
    path: Path
    source: str
    task_id: str
    document: dict[str, Any]


class UnusableFile(msgspec.Struct, frozen=True):
    """A file that could not be used, and why."""

    path: Path
    reason: str


class Task(msgspec.Struct, frozen=True):
    """What is known about a task: from its contract, and the files its integration changed."""

    kind: str | None = None
    risk_level: str = "normal"
    paths: tuple[str, ...] = ()


class Collected(msgspec.Struct, frozen=True):
    """What was found, in order of path, and what is known about the tasks."""

    artifacts: tuple[Artifact, ...]
    tasks: dict[str, Task]
    skipped: tuple[UnusableFile, ...]


def kind_of(path: PurePath) -> str | None:
    """Return what a file is by its place, or None when a capture has no use for it."""
    if path.suffix != ".json":
        return None
    for kind in TASK_FILES:
        # A task that failed twice has a second record beside the first.
        if path.stem == kind or path.stem.startswith(f"{kind}-"):
            return kind
    if path.parent.name == "tasks":
        return "task-contract"
    if path.parent.name == "recovery":
        return "recovery-packet"
    return "specialist-review" if path.parent.parent.name == "evidence" else None


def collect(paths: Iterable[Path]) -> Collected:
    """Read every usable artifact at or below the paths, each once."""
    artifacts: list[Artifact] = []
    contracts: dict[str, dict[str, Any]] = {}
    skipped: list[UnusableFile] = []
    seen: set[Path] = set()
    for path, named in _candidates(paths):
        place = Path(os.path.abspath(path))
        if place in seen:
            continue
        seen.add(place)
        try:
            document = codec.parse(durable.read_bytes(path, limit=MAX_ARTIFACT_BYTES), name=path.name)
        except (TenureError, OSError) as error:
            skipped.append(UnusableFile(path, str(error)))
            continue
        kind = _kind(path, document)
        if kind is None or not isinstance(document, dict):
            # A file the user named deserves an answer; others were only in the way.
            if named or kind is not None:
                skipped.append(UnusableFile(path, "not an artifact that memories are captured from"))
        elif kind == "task-contract":
            contracts[as_text(document.get("task_id")) or path.stem] = document
        else:
            artifacts.append(Artifact(kind, path, _source(place), _task_id(path, kind, document), document))
    return Collected(tuple(artifacts), _tasks(artifacts, contracts), tuple(skipped))


def records(collected: Collected, tables: Tables) -> list[triggers.Record]:
    """Return everything the triggers count in what was collected."""
    return [
        record
        for artifact in collected.artifacts
        for record in triggers.records(
            artifact.kind,
            artifact.document,
            task_id=artifact.task_id,
            source=artifact.source,
            task_kind=collected.tasks.get(artifact.task_id, Task()).kind,
            tables=tables,
        )
    ]


def _candidates(paths: Iterable[Path]) -> Iterator[tuple[Path, bool]]:
    for path in paths:
        if path.is_symlink() or not path.is_dir():
            yield path, True
            continue
        for found in _below(path):
            yield found, False
        # A task's reviews and contract lie beside its folder, not in it.
        if path.parent.name == "tasks":
            for found in (
                path.with_name(f"{path.name}.json"),
                *_below(path.parents[1] / "evidence" / path.name),
            ):
                if found.is_file():
                    yield found, False


def _below(folder: Path) -> list[Path]:
    found: list[Path] = []
    for parent, folders, names in os.walk(folder):
        folders.sort()
        found += [path for name in sorted(names) if kind_of(path := Path(parent, name)) is not None]
        if len(found) > MAX_FILES:
            break
    return found[:MAX_FILES]


def _kind(path: Path, document: object) -> str | None:
    """Return what the document says it is, when a capture can use that, else what its place says."""
    stated = schemas.artifact_of(document)
    if stated in (*TASK_FILES, "specialist-review", "recovery-packet"):
        return stated
    return kind_of(path) if stated is None else None


def _task_id(path: Path, kind: str, document: Mapping[str, Any]) -> str:
    fields = ("focus_task_id", "recovery_id") if kind == "recovery-packet" else ("task_id",)
    stated = next((text for field in fields if (text := as_text(document.get(field)))), "")
    return stated or (path.stem if kind == "recovery-packet" else path.parent.name)


def _tasks(artifacts: Iterable[Artifact], contracts: Mapping[str, Mapping[str, Any]]) -> dict[str, Task]:
    paths: dict[str, list[str]] = {}
    for name, contract in contracts.items():
        scope = contract.get("scope")
        for field in ("paths", "surfaces"):
            paths.setdefault(name, []).extend(as_texts(as_object(scope).get(field)))
    for artifact in artifacts:
        if artifact.kind == "integration-result":
            paths.setdefault(artifact.task_id, []).extend(as_texts(artifact.document.get("files_changed")))
    found: dict[str, Task] = {}
    for name, known in paths.items():
        contract = contracts.get(name, {})
        risk = as_text(contract.get("risk_level")) or "normal"
        found[name] = Task(as_text(contract.get("task_kind")) or None, risk, tuple(dict.fromkeys(known)))
    return found


def _source(path: Path) -> str:
    """Return the path from the `.geas` folder on, as geas writes it; elsewhere its last three parts."""
    parts = path.parts
    start = len(parts) - 1 - parts[::-1].index(GEAS) if GEAS in parts else max(len(parts) - 3, 0)
    return PurePath(*parts[start:]).as_posix().lstrip("/")
