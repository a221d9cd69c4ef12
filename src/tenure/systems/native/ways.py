"""How Tenure itself captures, injects and decays; `System` falls back to these."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import msgspec

from tenure.capture import sessions
from tenure.model.events import Event
from tenure.model.memory import Memory
from tenure.rules import decay as rules
from tenure.usecases import inject as recalling
from tenure.usecases import learn, proposals
from tenure.usecases.batch import Batch
from tenure.usecases.inject_request import Injection, Occasion

if TYPE_CHECKING:
    from tenure.workspace import Workspace


def capture(
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


def inject(workspace: Workspace, occasion: Occasion) -> Injection:
    """Choose by words and weight, render as fenced reference data."""
    return recalling.inject(workspace.store, occasion, workspace.policy, workspace.now())


def decay(batch: Batch) -> Callable[[Memory], list[Event]]:
    """Decay by review date, contradiction, confidence and the runs the store has counted."""
    runs = batch.store.activity.runs()
    return lambda memory: rules.decay(memory, batch.policy, batch.now, runs_now=runs)
