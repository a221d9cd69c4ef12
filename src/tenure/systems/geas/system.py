"""geas's ways: who may decide what, what is learned from a mission, what an agent is given for a task.

The rules themselves are beside it and in `rules/`; this module only connects them to the workspace.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec

from tenure.model import clock
from tenure.model.errors import InvalidInput, NotEntitled, StoreUnusable, TenureError
from tenure.model.events import EventType
from tenure.model.memory import Memory
from tenure.model.policy import Policy
from tenure.rules import review as verdicts
from tenure.rules.consolidate import Decision, Proposal
from tenure.systems.api import System, Usage
from tenure.systems.geas import changes, effect, examine, reviewers
from tenure.systems.geas.artifacts import MEMORY_TYPES, SURFACES
from tenure.systems.geas.capture_mission import NEW_EVIDENCE, capture, learn
from tenure.systems.geas.documents import ORCHESTRATOR
from tenure.systems.geas.folder import Stored
from tenure.systems.geas.inject_packet import again, inject
from tenure.systems.geas.memory_files import MemoryFiles
from tenure.systems.geas.paths import safe_id
from tenure.systems.geas.tables import Tables, from_policy
from tenure.usecases import intake
from tenure.usecases import learn as learning
from tenure.usecases.batch import Batch
from tenure.usecases.inject_request import Injection, Occasion
from tenure.usecases.locate import Place
from tenure.usecases.replay import Piece, Rendered

if TYPE_CHECKING:
    from tenure.workspace import Workspace

# The task in the id of a memory that nobody's task taught.
STATED = "stated"


def system(place: Place, policy: Policy) -> System:
    """Return how things are done in a `.geas` folder."""
    if place.path.exists() and not place.path.is_dir():
        raise StoreUnusable(f"{str(place.path)!r} is not a folder.", hint="Name the project's .geas folder.")
    tables = from_policy({"geas": policy.own})
    files = MemoryFiles(place.path, tables, policy)
    return Geas(files, tables)


class Geas(System):
    """What differs from the native ways."""

    kinds = MEMORY_TYPES
    agents_judge = True

    def __init__(self, files: MemoryFiles, tables: Tables) -> None:
        self.files = self._files = files
        self._tables = tables
        self.default_kind = tables.extraction.default_type

    def new_id(self, batch: Batch, proposal: Proposal) -> str:
        """Return `mem-{task}-{N}` with the first N that was never used."""
        try:
            task = safe_id(proposal.run or STATED)
        except InvalidInput:
            task = STATED
        number = 1
        while batch.get(id := f"mem-{task}-{number}") is not None or batch.store.used_ids([id]):
            number += 1
        return id

    def finish(self, batch: Batch, proposal: Proposal, memory: Memory) -> Memory:
        """Give what someone states the reference and the reason that every candidate must have."""
        reference = proposal.run or f"statement-{memory.id}"
        said_by = memory.source or "user"
        return msgspec.structs.replace(
            memory,
            evidence=memory.evidence or (reference,),
            extra={**memory.extra, "candidate_reason": f"Stated by {said_by}", "source_artifacts": [reference]},
        )

    def reviewer(self, memory: Memory, policy: Policy) -> str:
        """Return who must look at a memory: its domain authority, or whoever is missing for canonical."""
        step = policy.step_from(memory.state)
        if step is None or step.approvals < 2:
            return reviewers.reviewer(memory.kind, self._tables)
        return " and ".join(_joint(memory, step.to, self._tables).missing)

    def entitled(self, memory: Memory, decision: str, by: str, policy: Policy) -> str:
        """Return the agent type a verdict is recorded under; raise `NotEntitled` when it is not theirs to give."""
        step = policy.step_from(memory.state)
        named = f"promote_{step.to}" if decision == "approve" and step else decision
        found = reviewers.entitlement(by, {"state": memory.state, "memory_type": memory.kind}, named, self._tables)
        if not found.ok:
            raise NotEntitled(f"{memory.id}: {found.reason}.", hint=f"Ask {' or '.join(found.expected)}.")
        name = reviewers.resolved(by, self._tables)
        if step and step.approvals > 1 and named == f"promote_{step.to}":
            _check_other_half(memory, step.to, name, self._tables)
        return name

    def usage(self, use: Usage) -> Usage:
        """Return a use with the effect its outcome stands for, and task, agent and surface as a log names them."""
        if use.surface and use.surface not in SURFACES:
            found = f"surface: {use.surface!r} is not a surface"
            raise InvalidInput(f"{found}; expected one of {', '.join(SURFACES)}.", field="surface")
        return Usage(
            effect=effect.effect(use.effect, contradicted=use.contradiction),
            task=safe_id(use.task, field="task") if use.task else changes.NO_TASK,
            by=reviewers.resolved(use.by, self._tables) if use.by else ORCHESTRATOR,
            surface=use.surface or changes.TASK_PACKET,
            contradiction=use.contradiction,
        )

    def promoting(self, batch: Batch, ids: Sequence[str], mode: str) -> list[str]:
        """Let the reviews that geas's own reviewers wrote take effect; return those that cannot, and why."""
        self._files.batch = mode == "batch"
        notes = []
        for stored in self._files.folder.reviews().found:
            memory = batch.get(stored.document["memory_id"])
            if memory is None or (ids and memory.id not in ids) or not _stands(batch, memory, stored):
                continue
            try:
                self._take_up(batch, memory, stored)
            except TenureError as error:
                notes.append(f"{stored.place.name} has no effect: {error.message}")
        batch.write()
        return notes

    def _take_up(self, batch: Batch, memory: Memory, stored: Stored) -> None:
        review = stored.document
        decision = review["decision"]
        if decision == "supersede":
            raise InvalidInput("it does not say which memory takes the place; use `tenure supersede OLD NEW`.")
        by = self.entitled(memory, decision, review["reviewer_type"], batch.policy)
        rationale = intake.safe(review["rationale"])
        events = verdicts.decide(memory, decision, batch.policy, batch.now, by=by, rationale=rationale)
        if decision.startswith("promote_"):
            # The promotion itself is made, and reported, by the sweep that follows.
            events = events[:1]
        marked = [
            msgspec.structs.replace(event, detail={**event.detail, changes.REVIEW_FILE: _name(stored)})
            for event in events
        ]
        batch.record(memory, marked)

    def waiting(self, workspace: Workspace) -> list[dict[str, Any]]:
        """Return what is gone and yet got new evidence: it is shown, and stays gone until someone decides."""
        return [
            {
                "id": memory.id,
                "title": memory.title,
                "state": memory.state,
                "needs": "a look",
                "reviewer": reviewers.reviewer(memory.kind, self._tables),
                "why": f"new evidence came after it was {memory.state}",
            }
            for row in workspace.store.find(phases=("gone",))
            if (memory := row.memory).extra.get(NEW_EVIDENCE)
        ]

    def said(self) -> list[str]:
        """Return what the files' edge noted since it was last asked."""
        notes, self._files.notes = self._files.notes, []
        return notes

    def check(self, workspace: Workspace, paths: Sequence[str]) -> list[dict[str, str]]:
        """Return what is wrong with the files named, or with everything in the folder."""
        return check_paths(paths) if paths else examine.folder_problems(self._files.folder)

    def capture(
        self, workspace: Workspace, paths: Sequence[str], *, run: str, task: str, keep_going: bool, dry_run: bool
    ) -> dict[str, Any]:
        """Learn from a mission's artifacts."""
        options: dict[str, Any] = {"run": run, "task": task, "keep_going": keep_going, "dry_run": dry_run}
        return capture(workspace, paths, files=self._files, tables=self._tables, **options)

    def learn(self, workspace: Workspace, session: learning.Session, *, dry_run: bool) -> list[Decision]:
        """Learn from a session as from a task."""
        return learn(workspace, session, tables=self._tables, dry_run=dry_run)

    def inject(self, workspace: Workspace, occasion: Occasion) -> Injection:
        """Build the packet of a task and an agent; a query is answered in the native way."""
        return inject(workspace, occasion, memory_files=self._files, tables=self._tables)

    def again(self, workspace: Workspace, pieces: Sequence[Piece]) -> Rendered:
        """Show a packet again."""
        return again(workspace, pieces)


def _check_other_half(memory: Memory, to: str, name: str, tables: Tables) -> None:
    """Refuse a second approval for the same half of a joint one, as agents of two profiles could give it."""
    given = {approval.by for approval in memory.approvals if approval.to == to}
    before, after = _joint(memory, to, tables), _joint(memory, to, tables, also=name)
    if name not in given and before.missing == after.missing:
        raise NotEntitled(
            f"{memory.id}: approval by {' and '.join(before.approved)} is there already.",
            hint=f"Ask {' and '.join(before.missing)}.",
        )


def _joint(memory: Memory, to: str, tables: Tables, also: str = "") -> reviewers.JointApproval:
    names = [approval.by for approval in memory.approvals if approval.to == to] + ([also] if also else [])
    given = [{"reviewer_type": name, "decision": f"promote_{to}"} for name in names]
    return reviewers.joint_approval(memory.kind, given, tables)


def _stands(batch: Batch, memory: Memory, stored: Stored) -> bool:
    """Tell whether a review is newer than the memory's present state and was not taken up before."""
    review, since = stored.document, memory.created_at
    for recorded in batch.store.history(memory.id):
        event = recorded.event
        same = event.actor == review["reviewer_type"] and clock.stamp(event.at) == review["meta"]["created_at"]
        if event.detail.get(changes.REVIEW_FILE) == _name(stored) or (same and "decision" in event.detail):
            return False
        if event.type == EventType.IMPORTED or "state" in event.set:
            since = event.at
    return clock.parse(review["meta"]["created_at"]) > since


def _name(stored: Stored) -> str:
    return f"{stored.place.as_posix()}#{stored.fingerprint[:16]}"


def check_paths(paths: Sequence[str]) -> list[dict[str, str]]:
    """Return what is wrong with files and folders of geas, wherever they lie."""
    return [problem for path in paths for problem in examine.path_problems(Path(path), shown=path)]
