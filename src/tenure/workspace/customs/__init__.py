"""How the use cases go on each system: what differs, as a record of functions, and the native ways.

A dialect's codec and pure rules live in `dialects/`; its module here connects them to the workspace. A use case asks
`workspace.customs`, never which dialect it runs on.
"""

from __future__ import annotations

import importlib.util
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import msgspec

from tenure.errors import BadRequest
from tenure.events import Event
from tenure.kinds import KINDS
from tenure.lifecycle import decay
from tenure.lifecycle.consolidate import Proposal
from tenure.memory import Memory
from tenure.store.files import Files
from tenure.workspace import proposals, recalling, writing
from tenure.workspace.batch import Batch
from tenure.workspace.locate import Place

if TYPE_CHECKING:
    from tenure.policy import Policy
    from tenure.workspace import Workspace

# URL scheme -> module of this package with `customs(place, policy) -> Customs`.
MODULES = {
    "geas": "geas",
    "claude-memory": "claude_memory",
    "archeflow": "archeflow",
    "claude-code": "claude_code",
}


def native_capture(
    workspace: Workspace, paths: Sequence[str], *, run: str, task: str, keep_going: bool, dry_run: bool
) -> dict[str, Any]:
    """Consolidate the proposals of JSON Lines files."""
    good, skipped = proposals.read(paths, workspace.policy, workspace.customs.kinds, keep_going=keep_going)
    decisions = workspace.capture(good, run=run or task, dry_run=dry_run)
    return {"decisions": [msgspec.to_builtins(decision) for decision in decisions], "skipped": skipped}


def native_inject(workspace: Workspace, query: str, **options: Any) -> recalling.Injection:
    """Choose by words and weight, render as fenced reference data."""
    return recalling.inject(workspace.store, query, workspace.policy, workspace.now(), **options)


def anyone(memory: Memory, decision: str, by: str, policy: Policy) -> str:
    """Let anyone review; approvals of different people are told apart by name."""
    return by


def native_decay(batch: Batch, *, ends_run: bool) -> Callable[[Memory], list[Event]]:
    """Decay by review date, contradiction, confidence and the runs the store has counted."""
    runs = batch.store.runs_now()
    return lambda memory: decay.decay(memory, batch.policy, batch.now, runs_now=runs)


class Customs(msgspec.Struct, frozen=True, kw_only=True):
    """What differs from system to system. The defaults are Tenure's own ways."""

    # The dialect's files; None when the database owns everything.
    files: Files | None = None
    kinds: tuple[str, ...] = tuple(KINDS)
    default_kind: str = "lesson"
    # The id of a new memory, given the batch and the proposal.
    new_id: Callable[[Batch, Proposal], str] = writing.new_id
    # A last word on a memory about to be created.
    finish: Callable[[Batch, Proposal, Memory], Memory] = writing.unchanged
    # What else changes when a memory gets evidence, or comes back from where it was put aside.
    evidenced: Callable[[Batch, Memory, Proposal], dict[str, Any]] = lambda batch, memory, proposal: {}
    restored: Callable[[Batch, Memory], dict[str, Any]] = lambda batch, memory: {}
    # Returns what a sweep does to one memory; `ends_run` when the sweep itself is the end of a run.
    decay: Callable[..., Callable[[Memory], list[Event]]] = native_decay
    capture: Callable[..., dict[str, Any]] = native_capture
    inject: Callable[..., recalling.Injection] = native_inject
    # Who should look at a memory, as `review` shows it.
    reviewer: Callable[[Memory, Policy], str] = lambda memory, policy: "user"
    # Returns the reviewer's name as recorded, or raises `NotEntitled`.
    entitled: Callable[[Memory, str, str, Policy], str] = anyone
    # Checks files against their schemas, for `tenure check PATH…`; returns {path, field, message}.
    check: Callable[[Workspace, Sequence[str]], list[dict[str, str]]] = lambda workspace, paths: []


def supports(scheme: str) -> bool:
    """Tell whether there is a module for stores of this scheme."""
    return scheme == "sqlite" or (
        scheme in MODULES and importlib.util.find_spec(f"{__name__}.{MODULES[scheme]}") is not None
    )


def load(place: Place, policy: Policy) -> Customs:
    """Return the customs of the system a store belongs to."""
    if place.scheme == "sqlite":
        return Customs()
    if place.scheme not in MODULES:
        raise BadRequest(f"{place.scheme}: stores are not supported by this version.")
    module = importlib.import_module(f"tenure.workspace.customs.{MODULES[place.scheme]}")
    found = module.customs(place, policy)
    assert isinstance(found, Customs)
    return found
