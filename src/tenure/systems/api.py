"""What differs from system to system, as a class: whose files a store works on, and by which rules.

`systems/native/system.py` has Tenure's own ways; another system is a folder beside it whose `system.py` has a class
based on those, with what it does otherwise. A use case asks the system and never which one it is.
"""

from __future__ import annotations

import contextlib
import importlib
import importlib.util
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import msgspec

from tenure.files import GEAS, trust
from tenure.model.errors import BadRequest, StoreUnusable
from tenure.usecases.project import Project

if TYPE_CHECKING:
    from tenure.capture.session_builder import Session
    from tenure.files.locate import Place
    from tenure.model.actor import Actor
    from tenure.model.events import Event
    from tenure.model.memory import Memory
    from tenure.model.policy import Policy
    from tenure.rules.consolidate import Proposal
    from tenure.store.companion import Files
    from tenure.store.records import Note
    from tenure.usecases.answers import Problem
    from tenure.usecases.answers.captured import Captured
    from tenure.usecases.answers.found import Injection, InjectRequest
    from tenure.usecases.answers.looked import Waiting
    from tenure.usecases.batch import Batch

# URL scheme -> folder of this package whose `system` has `system(place, policy) -> System`.
FOLDERS = {
    "sqlite": "native",
    "postgresql": "native",
    "geas": "geas",
    "claude-memory": "claude_memory",
    "archeflow": "archeflow",
    "claude-code": "claude_code",
}

# Folder -> system whose module has `check_paths(paths)`, for files checked without naming a store.
CHECKED = {GEAS: "geas"}


class Usage(msgspec.Struct, frozen=True, kw_only=True):
    """One use of a memory, as it is logged."""

    effect: str
    task: str
    by: str
    surface: str
    contradiction: bool


class Piece(msgspec.Struct, frozen=True, kw_only=True):
    """One memory of an injection as it was then; `instead` stands in its place where it cannot be shown."""

    note: Note
    memory: Memory | None
    status: Literal["shown", "erased", "damaged", "unknown"]
    instead: str = ""
    since: tuple[str, ...] = ()
    # True where the version was not noted, so that the time had to tell it.
    guessed: bool = False


class Rendered(msgspec.Struct, frozen=True, kw_only=True):
    """What a system's own way of showing memories makes of the pieces."""

    block: str
    # One for each piece, empty where something stands instead of it.
    seals: list[str]
    # What else was there and is kept nowhere.
    missing: str = ""


class System(ABC):
    """The ways of one system. What has a body here is the same nearly everywhere."""

    # The system's files; None when the database owns everything.
    files: Files | None = None
    kinds: tuple[str, ...]
    default_kind: str
    # Whether the system's own rules make agents the judges, so that a verdict needs no person at a terminal.
    agents_judge = False
    # Whether a memory has a line of description besides its title; it is kept in its content.
    described = False

    # Writing

    @abstractmethod
    def new_id(self, batch: Batch, proposal: Proposal) -> str:
        """Return the id of a new memory."""

    def own_id(self, id: str) -> str:
        """Return an id the user chose, as the system spells it."""
        return id

    def shape(self, batch: Batch, proposal: Proposal) -> tuple[Proposal, list[str]]:
        """Return a proposal as this system can hold it, and what the user should know; raise `Refused` if it cannot."""
        return proposal, []

    def finish(self, batch: Batch, proposal: Proposal, memory: Memory) -> Memory:
        """Return a memory about to be created, with the system's last word on it."""
        return memory

    def edited(self, memory: Memory, fields: dict[str, Any]) -> dict[str, Any]:
        """Return the fields of an edit as this system can hold them."""
        return fields

    def evidenced(self, batch: Batch, memory: Memory, proposal: Proposal) -> dict[str, Any]:
        """Return what else changes when a memory gets evidence."""
        return {}

    def restored(self, batch: Batch, memory: Memory) -> dict[str, Any]:
        """Return what else changes when a memory comes back from where it was put aside."""
        return {}

    def converted_out(self, memory: Memory) -> Memory:
        """Return a memory as it goes to another store."""
        return memory

    @abstractmethod
    def converted_in(self, batch: Batch, memory: Memory) -> Memory:
        """Return a memory of another store as it comes here."""

    def take_notes(self) -> list[str]:
        """Return what the files' edge wants the user to know after a change; asking empties it."""
        return []

    # Learning

    @abstractmethod
    def capture(
        self, project: Project, paths: Sequence[str], *, run: str, task: str, keep_going: bool, dry_run: bool
    ) -> Captured:
        """Learn from files."""

    @abstractmethod
    def learn(self, project: Project, session: Session, *, dry_run: bool) -> Captured:
        """Learn from a session of an agent."""

    # Showing

    @abstractmethod
    def inject(self, project: Project, request: InjectRequest) -> Injection:
        """Choose what an agent is shown, render it and note that it was shown."""

    @abstractmethod
    def render_replay(self, project: Project, pieces: Sequence[Piece]) -> Rendered:
        """Render memories of an earlier injection as `inject` did."""

    # Judging

    def before_promotion(self, batch: Batch, ids: Sequence[str], mode: str) -> list[str]:
        """Take up what was decided in the files, and return what the user should know."""
        return []

    def usage(self, use: Usage) -> Usage:
        """Return a use as the system names effect, task, agent and surface."""
        return use

    def reviewer(self, memory: Memory, policy: Policy) -> str:
        """Return who should look at a memory."""
        return "user"

    def entitled(self, memory: Memory, decision: str, by: str, policy: Policy) -> str:
        """Return the reviewer's name as recorded, or raise `NotEntitled`.

        Anyone may review natively; approvals of different people are distinguished by name.
        """
        return by

    def waiting(self, project: Project) -> list[Waiting]:
        """Return what waits for a reviewer besides memories on their way."""
        return []

    @abstractmethod
    def decay(self, batch: Batch, *, ends_run: bool) -> Callable[[Memory], list[Event]]:
        """Return what a sweep does to one memory; `ends_run` when the sweep itself is the end of a run."""

    # Checking

    def check(self, paths: Sequence[str]) -> list[Problem]:
        """Check files against their schemas: those named, or all of the system's own."""
        return []


def supports(scheme: str) -> bool:
    """Tell whether stores of this scheme can be worked on."""
    return scheme in FOLDERS and importlib.util.find_spec(f"tenure.systems.{FOLDERS[scheme]}.system") is not None


def opened(
    place: Place, *, agent: str = "", surface: str = "python", actor: Actor | None = None
) -> tuple[Project, System]:
    """Open the store at a place; `agent` names the surface an agent comes through, `surface` anybody else's."""
    if not supports(place.scheme):
        raise StoreUnusable(
            f"This version of Tenure cannot work on {place.scheme} stores ({place.origin}).",
            hint="Use its own store with --store sqlite:.tenure/memory.db, or set TENURE_STORE to that.",
        )
    project = Project(place, settings, agent=agent, surface=surface, actor=actor)
    system = load(place, project.policy)
    project.attach(system.files)
    if trust.keeps_heads():
        from tenure.usecases import old_copy  # start-up: only where something was ever kept

        with contextlib.suppress(StoreUnusable):  # told by whoever needs the store
            project.unusable += tuple(old_copy.forget_again(project))
    return project, system


def load(place: Place, policy: Policy) -> System:
    """Return the system a store belongs to."""
    if place.scheme not in FOLDERS:
        raise BadRequest(f"{place.scheme}: stores are not supported by this version.")
    found = _module(place.scheme).system(place, policy)
    assert isinstance(found, System)
    return found


def settings(place: Place) -> dict[str, Mapping[str, Any]]:
    """Return what a system's own settings file says of the policy, by origin; empty for systems without one."""
    if place.scheme not in FOLDERS or place.native:
        return {}
    found: Callable[[Place], dict[str, Mapping[str, Any]]] | None = getattr(_module(place.scheme), "settings", None)
    return found(place) if found else {}


def check_paths(system: System, place: Place, paths: Sequence[str]) -> list[Problem]:
    """Check files by the system whose folder they lie in, and all others by the store's own."""
    found: list[Problem] = []
    mine: list[str] = []
    for path in paths:
        scheme = next((scheme for folder, scheme in CHECKED.items() if folder in Path(path).absolute().parts), "")
        if scheme and scheme != place.scheme:
            found += _module(scheme).check_paths([path])
        else:
            mine.append(path)
    return [*found, *(system.check(mine) if mine else ())]


def _module(scheme: str) -> Any:
    return importlib.import_module(f"tenure.systems.{FOLDERS[scheme]}.system")
