"""How the use cases go on each system: what differs, as a class whose defaults are Tenure's own ways.

A system's folder holds its codec and pure rules; its `system` module connects them to the workspace. A use case asks
`workspace.system`, never which dialect it runs on.
"""

from __future__ import annotations

import importlib
import importlib.util
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec

from tenure.model.errors import BadRequest
from tenure.model.events import Event
from tenure.model.kinds import KINDS
from tenure.model.memory import Memory
from tenure.rules.consolidate import Decision, Proposal
from tenure.store.companion import Files
from tenure.store.opening import SCHEMES as OWN_SCHEMES
from tenure.systems.native import ways
from tenure.usecases import conversion, learn, new_memory, replay
from tenure.usecases.batch import Batch
from tenure.usecases.inject_request import Injection, Occasion
from tenure.usecases.locate import Place
from tenure.usecases.replay import Piece, Rendered

if TYPE_CHECKING:
    from tenure.model.policy import Policy
    from tenure.workspace import Workspace

# URL scheme -> folder of this package whose `system` has `system(place, policy) -> System`.
MODULES = {
    "geas": "geas",
    "claude-memory": "claude_memory",
    "archeflow": "archeflow",
    "claude-code": "claude_code",
}

# Folder -> system whose module has `check_paths(paths)`, for files checked without naming a store.
CHECKED = {".geas": "geas"}


class Usage(msgspec.Struct, frozen=True, kw_only=True):
    """One use of a memory, as it is logged."""

    effect: str
    task: str
    by: str
    surface: str
    contradiction: bool


class System:
    """What differs from system to system. The defaults are Tenure's own ways, which a system overrides."""

    # The system's files; None when the database owns everything.
    files: Files | None = None
    kinds: tuple[str, ...] = tuple(KINDS)
    default_kind: str = "lesson"
    # Whether a memory has a line of description besides its title; it is kept in its content.
    described: bool = False
    # Whether the system's own rules make agents the judges, so that a verdict needs no person at a terminal.
    agents_judge: bool = False

    # A new memory

    def new_id(self, batch: Batch, proposal: Proposal) -> str:
        """Return the id of a new memory."""
        return new_memory.new_id(batch, proposal)

    def own_id(self, id: str) -> str:
        """Return an id the user chose, as the system spells it."""
        return id

    def shape(self, batch: Batch, proposal: Proposal) -> tuple[Proposal, list[str]]:
        """Return a proposal as the system can hold it, and what the user should know; raise `Refused` if it may not."""
        return proposal, []

    def finish(self, batch: Batch, proposal: Proposal, memory: Memory) -> Memory:
        """Return a memory about to be created, with what the system has to add."""
        return new_memory.unchanged(batch, proposal, memory)

    # Changes

    def edited(self, memory: Memory, fields: dict[str, Any]) -> dict[str, Any]:
        """Return the fields of an edit, as the system can hold them."""
        return fields

    def evidenced(self, batch: Batch, memory: Memory, proposal: Proposal) -> dict[str, Any]:
        """Return what else changes when a memory gets evidence."""
        return {}

    def restored(self, batch: Batch, memory: Memory) -> dict[str, Any]:
        """Return what else changes when a memory comes back from where it was put aside."""
        return {}

    def decay(self, batch: Batch, *, ends_run: bool) -> Callable[[Memory], list[Event]]:
        """Return what a sweep does to one memory; `ends_run` when the sweep itself is the end of a run."""
        return ways.decay(batch)

    def said(self) -> list[str]:
        """Return what the files' edge wants the user to know after a change; asking empties it."""
        return []

    # Between stores

    def leaving(self, memory: Memory) -> Memory:
        """Return a memory as it goes to another store."""
        return memory

    def arriving(self, batch: Batch, memory: Memory) -> Memory:
        """Return a memory of another store as it comes here."""
        return conversion.arriving(batch, memory)

    # Learning and showing

    def capture(
        self, workspace: Workspace, paths: Sequence[str], *, run: str, task: str, keep_going: bool, dry_run: bool
    ) -> dict[str, Any]:
        """Learn from files, and return the decisions and what was skipped."""
        return ways.capture(workspace, paths, run=run, task=task, keep_going=keep_going, dry_run=dry_run)

    def learn(self, workspace: Workspace, session: learn.Session, *, dry_run: bool) -> list[Decision]:
        """Return what becomes of a session of an agent."""
        return learn.native(workspace, session, dry_run=dry_run)

    def inject(self, workspace: Workspace, occasion: Occasion) -> Injection:
        """Return what an agent is shown, and remember that it was."""
        return ways.inject(workspace, occasion)

    def again(self, workspace: Workspace, pieces: Sequence[Piece]) -> Rendered:
        """Return how what `inject` rendered in the system's own way looks again."""
        return replay.fenced(workspace, pieces)

    # Judging

    def usage(self, use: Usage) -> Usage:
        """Return a use as it is recorded, as the system names effect, task, agent and surface."""
        return use

    def promoting(self, batch: Batch, ids: Sequence[str], mode: str) -> list[str]:
        """Take up what was decided in the files, before promotions; return what the user should know."""
        return []

    def waiting(self, workspace: Workspace) -> list[dict[str, Any]]:
        """Return what waits for a reviewer besides memories on their way."""
        return []

    def reviewer(self, memory: Memory, policy: Policy) -> str:
        """Return who should look at a memory, as `review` shows it."""
        return "user"

    def entitled(self, memory: Memory, decision: str, by: str, policy: Policy) -> str:
        """Return the reviewer's name as recorded, or raise `NotEntitled`; approvals are told apart by name."""
        return by

    def check(self, workspace: Workspace, paths: Sequence[str]) -> list[dict[str, str]]:
        """Check files against their schemas, for `tenure check PATH…`; return {path, field, message}."""
        return []


def check_paths(workspace: Workspace, paths: Sequence[str]) -> list[dict[str, str]]:
    """Check files by the system whose folder they lie in, and all others by the store's own."""
    found: list[dict[str, str]] = []
    mine: list[str] = []
    for path in paths:
        scheme = next((scheme for folder, scheme in CHECKED.items() if folder in Path(path).absolute().parts), "")
        if scheme and scheme != workspace.place.scheme:
            found += importlib.import_module(f"tenure.systems.{MODULES[scheme]}.system").check_paths([path])
        else:
            mine.append(path)
    return [*found, *(workspace.system.check(workspace, mine) if mine else ())]


def settings(place: Place) -> dict[str, Mapping[str, Any]]:
    """Return what a system's own settings file says of the policy, by origin; empty for systems without one."""
    if place.scheme not in MODULES:
        return {}
    module = importlib.import_module(f"tenure.systems.{MODULES[place.scheme]}.system")
    found: Callable[[Place], dict[str, Mapping[str, Any]]] | None = getattr(module, "settings", None)
    return found(place) if found else {}


def supports(scheme: str) -> bool:
    """Tell whether there is a module for stores of this scheme."""
    return scheme in OWN_SCHEMES or (
        scheme in MODULES and importlib.util.find_spec(f"tenure.systems.{MODULES[scheme]}.system") is not None
    )


def load(place: Place, policy: Policy) -> System:
    """Return the system a store belongs to."""
    if place.native:
        return System()
    if place.scheme not in MODULES:
        raise BadRequest(f"{place.scheme}: stores are not supported by this version.")
    module = importlib.import_module(f"tenure.systems.{MODULES[place.scheme]}.system")
    found = module.system(place, policy)
    assert isinstance(found, System)
    return found
