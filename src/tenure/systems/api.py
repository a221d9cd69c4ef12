"""How the use cases go on each system: what differs, as a record of functions, and the native ways.

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

from tenure.capture import sessions
from tenure.model.errors import BadRequest
from tenure.model.events import Event
from tenure.model.kinds import KINDS
from tenure.model.memory import Memory
from tenure.rules import decay
from tenure.rules.consolidate import Decision, Proposal
from tenure.store.companion import Files
from tenure.store.opening import SCHEMES as OWN_SCHEMES
from tenure.usecases import conversion, inject, learn, new_memory, proposals, replay
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


def native_capture(
    workspace: Workspace, paths: Sequence[str], *, run: str, task: str, keep_going: bool, dry_run: bool
) -> dict[str, Any]:
    """Consolidate the proposals of JSON Lines files, and what session transcripts say."""
    found = [session for path in paths if path != "-" for session in sessions.read(path)]
    read = {session.transcript for session in found}
    written = [path for path in paths if path not in read]
    good, skipped = proposals.read(written, workspace.policy, workspace.system.kinds, keep_going=keep_going)
    decisions = workspace.capture(good, run=run or task, dry_run=dry_run) if good or not found else []
    for session in found:
        held = session._replace(id=run or task or session.id)
        decisions = [*decisions, *learn.learn_session(workspace, held, dry_run=dry_run)]
        skipped += held.left_out
    return {"decisions": [msgspec.to_builtins(decision) for decision in decisions], "skipped": skipped}


def native_inject(workspace: Workspace, occasion: Occasion) -> Injection:
    """Choose by words and weight, render as fenced reference data."""
    return inject.inject(workspace.store, occasion, workspace.policy, workspace.now())


def anyone(memory: Memory, decision: str, by: str, policy: Policy) -> str:
    """Let anyone review; approvals of different people are told apart by name."""
    return by


class Usage(msgspec.Struct, frozen=True, kw_only=True):
    """One use of a memory, as it is logged."""

    effect: str
    task: str
    by: str
    surface: str
    contradiction: bool


def native_decay(batch: Batch, *, ends_run: bool) -> Callable[[Memory], list[Event]]:
    """Decay by review date, contradiction, confidence and the runs the store has counted."""
    runs = batch.store.activity.runs()
    return lambda memory: decay.decay(memory, batch.policy, batch.now, runs_now=runs)


class System(msgspec.Struct, frozen=True, kw_only=True):
    """What differs from system to system. The defaults are Tenure's own ways."""

    # The dialect's files; None when the database owns everything.
    files: Files | None = None
    kinds: tuple[str, ...] = tuple(KINDS)
    default_kind: str = "lesson"
    # The id of a new memory, given the batch and the proposal.
    new_id: Callable[[Batch, Proposal], str] = new_memory.new_id
    # A proposal as this system can hold it, and what the user should know; raises `Refused` when it may not.
    shape: Callable[[Batch, Proposal], tuple[Proposal, list[str]]] = lambda batch, proposal: (proposal, [])
    # The fields of an edit, as this system can hold them.
    edited: Callable[[Memory, dict[str, Any]], dict[str, Any]] = lambda memory, fields: fields
    # A memory as it goes to another store, and one from another store as it comes here.
    leaving: Callable[[Memory], Memory] = lambda memory: memory
    arriving: Callable[[Batch, Memory], Memory] = conversion.arriving
    # A last word on a memory about to be created.
    finish: Callable[[Batch, Proposal, Memory], Memory] = new_memory.unchanged
    # An id the user chose, as the system spells it.
    own_id: Callable[[str], str] = lambda id: id
    # Whether a memory has a line of description besides its title; it is kept in its content.
    described: bool = False
    # What else changes when a memory gets evidence, or comes back from where it was put aside.
    evidenced: Callable[[Batch, Memory, Proposal], dict[str, Any]] = lambda batch, memory, proposal: {}
    restored: Callable[[Batch, Memory], dict[str, Any]] = lambda batch, memory: {}
    # Returns what a sweep does to one memory; `ends_run` when the sweep itself is the end of a run.
    decay: Callable[..., Callable[[Memory], list[Event]]] = native_decay
    capture: Callable[..., dict[str, Any]] = native_capture
    # What becomes of a session of an agent: (workspace, session, dry_run) -> decisions.
    learn: Callable[..., list[Decision]] = learn.native
    inject: Callable[[Workspace, Occasion], Injection] = native_inject
    # How what `inject` rendered in the system's own way looks again.
    again: Callable[[Workspace, Sequence[Piece]], Rendered] = replay.fenced
    # Comes before promotions: takes up what was decided in the files, and returns what the user should know.
    promoting: Callable[[Batch, Sequence[str], str], list[str]] = lambda batch, ids, mode: []
    # How a use is recorded, as the system names effect, task, agent and surface.
    usage: Callable[[Usage], Usage] = lambda usage: usage
    # What waits for a reviewer besides memories on their way.
    waiting: Callable[[Workspace], list[dict[str, Any]]] = lambda workspace: []
    # What the files' edge wants the user to know after a change; asking empties it.
    said: Callable[[], list[str]] = list
    # Whether the system's own rules make agents the judges, so that a verdict needs no person at a terminal.
    agents_judge: bool = False
    # Who should look at a memory, as `review` shows it.
    reviewer: Callable[[Memory, Policy], str] = lambda memory, policy: "user"
    # Returns the reviewer's name as recorded, or raises `NotEntitled`.
    entitled: Callable[[Memory, str, str, Policy], str] = anyone
    # Checks files against their schemas, for `tenure check PATH…`; returns {path, field, message}.
    check: Callable[[Workspace, Sequence[str]], list[dict[str, str]]] = lambda workspace, paths: []


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
