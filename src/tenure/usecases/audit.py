"""`audit`: what agents read in a project, checked against the project.

It opens no store for writing. What it learned about the code is kept in the user's own folder, and so is the undo
data of `--fix`; it writes to the project only to repair something.
"""

from __future__ import annotations

import contextlib
import hashlib
from collections.abc import Callable, Iterable
from datetime import datetime
from pathlib import Path

import msgspec

from tenure.audit import fixing, run, staleness
from tenure.audit.findings import Fixed, Report, Source
from tenure.files import DATABASE, durable, git, locate
from tenure.files import settings as settings_file
from tenure.files.locate import Place
from tenure.model import clock
from tenure.model import policy as policies
from tenure.model.decoding import decode
from tenure.model.errors import BadRequest, TenureError
from tenure.model.memory import Memory
from tenure.store import open_store
from tenure.systems.claude_code import index
from tenure.text import redact
from tenure.usecases import traces

# So many fixes can be taken back, newest first.
KEPT_FIXES = 20
CLAUDE_CODE = "claude-code"
Progress = Callable[[int, int], None]


def audit(
    store: str | None,
    path: str | None = None,
    *,
    deep: bool = False,
    fix: bool = False,
    dry_run: bool = False,
    online: bool = False,
    perhaps: bool = False,
    docs: bool = False,
    min_confidence: float | None = None,
    most_memories: int | None = None,
    progress: Progress | None = None,
) -> Report:
    """Return what is wrong with what agents read in a project, or with the memories of one store alone.

    `most_memories` reads so many of the project's own store, the weightiest that agents are shown; None reads all.
    """
    store, path = _named(store, path)
    here = Path(path or ".").absolute()
    place = locate.locate(store, here if here.is_dir() else Path.cwd()) if store else None
    project = _project(here, place, named=path is not None)
    folder = kept_for(project)
    return run.audit(
        project,
        now=clock.now(),
        store_dir=place.path if place and place.scheme == CLAUDE_CODE else None,
        dialect=_dialect(place) if place else "",
        cache_dir=folder if deep or fix else None,
        more=_native(place.path if place and place.native else project / DATABASE, most_memories),
        reviewed=_Reviews(),
        bands=staleness.of_policy(_policy(project)),
        find_secrets=find_secrets,
        progress=progress,
        before_fix=lambda fixed: _remember(folder, fixed),
        deep=deep,
        fix=fix,
        dry_run=dry_run,
        online=online,
        perhaps=perhaps,
        docs=docs,
        min_confidence=min_confidence,
    )


def _dialect(place: Place) -> str:
    """Return whose files are looked at; Claude Code's are every project's."""
    return "tenure" if place.native else "" if place.scheme == CLAUDE_CODE else place.scheme


def undo(store: str | None, path: str | None = None) -> list[Fixed]:
    """Take back what the last `audit --fix` in this project changed; return the files it was changed in."""
    store, path = _named(store, path)
    here = Path(path or ".").absolute()
    place = locate.locate(store, here) if store else None
    folder = kept_for(_project(here, place, named=path is not None))
    fixes = _fixes(folder)
    if not fixes:
        raise BadRequest("No audit has mended anything here.", hint="`tenure audit --fix` mends pure moves.")
    fixing.apply(fixing.taken_back(fixes[-1]))
    _keep(folder, fixes[:-1])
    return fixes[-1]


def can_undo(store: str | None, path: str | None = None) -> bool:
    """Tell whether an audit mended something in this project that can be taken back."""
    store, path = _named(store, path)
    here = Path(path or ".").absolute()
    place = locate.locate(store, here) if store else None
    return bool(_fixes(kept_for(_project(here, place, named=path is not None))))


def find_secrets(text: str) -> Iterable[tuple[int, str]]:
    """Return (line, family) for each secret in a text."""
    return [(text.count("\n", 0, span.start) + 1, span.family) for span in redact.find(text)]


class _Reviews:
    """When memories were last kept, from the companions of their folders; each is read once."""

    def __init__(self) -> None:
        self._known: dict[Path, dict[str, datetime]] = {}

    def __call__(self, source: Source) -> datetime | None:
        if source.dialect != CLAUDE_CODE:
            return None
        folder = source.file.parent
        if folder not in self._known:
            self._known[folder] = self._read(folder)
        return self._known[folder].get(source.id)

    def _read(self, folder: Path) -> dict[str, datetime]:
        companion = locate.companion(locate.locate(f"{CLAUDE_CODE}:{folder}", folder))
        if not companion.is_file():
            return {}
        store = open_store(companion)
        try:
            return {row.memory.id: row.memory.verified_at for row in store.find() if row.memory.verified_at}
        except TenureError:
            return {}
        finally:
            store.close()


def _named(store: str | None, path: str | None) -> tuple[str | None, str | None]:
    """Return the store and the project that are meant; a folder of memories is a store in the project around it."""
    folder = Path(path).absolute() if path and store is None else None
    if folder is None or not (folder / index.NAME).is_file() or (folder / ".git").exists():
        return store, path
    around = git.worktree_of(folder)
    return f"{CLAUDE_CODE}:{folder}", str(around) if around else None


def _project(here: Path, place: Place | None, *, named: bool) -> Path:
    """Return the project to check against: the one named, the one we are in, or the one the store lies in."""
    if place is None or named or git.worktree_of(here) is not None:
        return here
    return place.project if git.worktree_of(place.project) is not None else here


def _policy(project: Path) -> policies.Policy:
    root = locate.project_of(project)
    overlays = {}
    for path in (locate.home() / "config.toml", root / ".tenure" / "config.toml"):
        # What a project says of another system's policy is no reason to refuse an audit.
        with contextlib.suppress(TenureError):
            if table := settings_file.policy_overlay(path):
                policies.load(CLAUDE_CODE, {str(path): table})
                overlays[str(path)] = table
    return policies.load(CLAUDE_CODE, overlays)[0]


def _native(database: Path, most: int | None) -> list[Source]:
    """Return the memories of Tenure's own store, if the project has one: all, or the weightiest that are shown."""
    if not database.is_file():
        return []
    store = open_store(database)
    label = f".tenure/{database.name}"
    try:
        if most is None:
            rows = store.find(phases=("pending", "live", "held"))
        else:
            rows = store.find(among="eligible", by_weight=True, limit=most)
    except TenureError as error:
        return [Source(label, label, "unknown", "tenure", database, "", problems=(error.message,), editable=False)]
    finally:
        store.close()
    return [
        Source(
            label,
            row.memory.id,
            row.memory.kind,
            "tenure",
            database,
            _said(row.memory),
            modified=clock.stamp(row.memory.verified_at or row.memory.created_at),
            editable=False,
        )
        for row in rows
    ]


def _said(memory: Memory) -> str:
    """Return a memory's words; a title that only repeats how the text begins is no second claim."""
    repeats = memory.text.startswith(memory.title.removesuffix("…"))
    return memory.text if repeats else f"{memory.title}\n{memory.text}"


def kept_for(project: Path) -> Path:
    """Return the folder of the user's that holds what audits of a project learned."""
    name = hashlib.sha256(str(project.resolve()).encode("utf-8", "surrogateescape")).hexdigest()[:16]
    return locate.home() / traces.AUDITS / name


def _fixes(folder: Path) -> list[list[Fixed]]:
    try:
        return decode(durable.read_bytes(folder / traces.FIXES), list[list[Fixed]])
    except (OSError, TenureError, msgspec.DecodeError):
        return []


def _remember(folder: Path, fixed: list[Fixed]) -> None:
    _keep(folder, [*_fixes(folder), fixed][-KEPT_FIXES:])


def _keep(folder: Path, fixes: list[list[Fixed]]) -> None:
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    durable.replace(folder / traces.FIXES, msgspec.json.encode(fixes), mode=0o600)
