"""geas's ways: who may decide what, what is learned from a mission, what an agent is given for a task.

The rules themselves are beside it and in `rules/`; this module only connects them to the workspace.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path

import msgspec

from tenure.capture.session_builder import Session
from tenure.files.locate import Place
from tenure.model import clock
from tenure.model.errors import InvalidInput, NotEntitled, StoreUnusable, TenureError
from tenure.model.events import EventType
from tenure.model.memory import Memory
from tenure.model.policy import Policy
from tenure.rules import verdicts
from tenure.rules.consolidate import Proposal
from tenure.systems.api import Piece, Rendered, Usage
from tenure.systems.geas import capture_mission, changes, effect, examine, inject_packet, reviewers
from tenure.systems.geas.artifacts import MEMORY_TYPES, SURFACES
from tenure.systems.geas.capture_mission import NEW_EVIDENCE, PROPOSALS
from tenure.systems.geas.documents import ORCHESTRATOR
from tenure.systems.geas.folder import Stored
from tenure.systems.geas.memory_files import MemoryFiles
from tenure.systems.geas.paths import safe_id
from tenure.systems.geas.tables import Tables, from_policy
from tenure.systems.native.system import Native
from tenure.usecases import intake
from tenure.usecases.answers import Problem
from tenure.usecases.answers.captured import Captured
from tenure.usecases.answers.found import Injection, InjectRequest
from tenure.usecases.answers.looked import Waiting
from tenure.usecases.batch import Batch
from tenure.usecases.project import Project

# The task in the id of a memory that nobody's task taught.
STATED = "stated"


def system(place: Place, policy: Policy) -> Geas:
    """Return how things are done in a `.geas` folder."""
    if place.path.exists() and not place.path.is_dir():
        raise StoreUnusable(f"{str(place.path)!r} is not a folder.", hint="Name the project's .geas folder.")
    tables = from_policy({"geas": policy.own})
    return Geas(MemoryFiles(place.path, tables, policy), tables)


class Geas(Native):
    """geas's ways."""

    kinds = MEMORY_TYPES
    agents_judge = True

    def __init__(self, files: MemoryFiles, tables: Tables) -> None:
        self.files: MemoryFiles = files
        self.tables = tables
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

    def capture(
        self, project: Project, paths: Sequence[str], *, run: str, task: str, keep_going: bool, dry_run: bool
    ) -> Captured:
        """Learn from geas's artifacts, and from proposals as JSON Lines."""
        proposals = [path for path in paths if path == "-" or path.endswith(PROPOSALS)]
        given = [Path(os.path.expanduser(path)) for path in paths if path not in proposals]
        found = Captured()
        if given:
            found = capture_mission.capture(
                project, given, files=self.files, tables=self.tables, keep_going=keep_going, dry_run=dry_run
            )
        if not proposals:
            return msgspec.structs.replace(found, notes=self.take_notes())
        more = super().capture(project, proposals, run=run, task=task, keep_going=keep_going, dry_run=dry_run)
        return Captured(
            decisions=[*found.decisions, *more.decisions],
            skipped=[*found.skipped, *more.skipped],
            notes=more.notes,
        )

    def learn(self, project: Project, session: Session, *, dry_run: bool) -> Captured:
        """Treat what a session suggests as the sentences of a retrospective."""
        found = capture_mission.learn(project, self, session, tables=self.tables, dry_run=dry_run)
        return msgspec.structs.replace(found, notes=[*found.notes, *self.take_notes()])

    def inject(self, project: Project, request: InjectRequest) -> Injection:
        """Return the packet for an agent and a task, or what answers a query."""
        if request.query:
            return super().inject(project, request)
        return inject_packet.inject(project, request, files=self.files, tables=self.tables)

    def render_replay(self, project: Project, pieces: Sequence[Piece]) -> Rendered:
        """Return the packet's section as it was."""
        return inject_packet.render_replay(pieces)

    def reviewer(self, memory: Memory, policy: Policy) -> str:
        """Return who must look at a memory: its domain authority, or whoever is missing for canonical."""
        step = policy.step_from(memory.state)
        if step is None or step.approvals < 2:
            return reviewers.reviewer(memory.kind, self.tables)
        return " and ".join(_joint(memory, step.to, self.tables).missing)

    def entitled(self, memory: Memory, decision: str, by: str, policy: Policy) -> str:
        """Return the agent type a verdict is recorded under; raise `NotEntitled` when it is not theirs to give."""
        return entitled(memory, decision, by, policy, tables=self.tables)

    def before_promotion(self, batch: Batch, ids: Sequence[str], mode: str) -> list[str]:
        """Let the reviews that geas's own reviewers wrote take effect; return those that cannot, and why."""
        return take_up_reviews(batch, ids, mode, files=self.files, tables=self.tables)

    def usage(self, use: Usage) -> Usage:
        """Return a use with the effect its outcome stands for, and task, agent and surface as a log names them."""
        return usage(use, tables=self.tables)

    def waiting(self, project: Project) -> list[Waiting]:
        """Return what is gone and yet got new evidence: it is shown, and stays gone until someone decides."""
        return [
            Waiting(
                id=memory.id,
                title=memory.title,
                state=memory.state,
                needs="a look",
                reviewer=reviewers.reviewer(memory.kind, self.tables),
                why=f"new evidence came after it was {memory.state}",
            )
            for row in project.store.find(phases=("gone",))
            if (memory := row.memory).extra.get(NEW_EVIDENCE)
        ]

    def take_notes(self) -> list[str]:
        """Return what the files' edge noted since it was last asked."""
        notes, self.files.notes = self.files.notes, []
        return notes

    def check(self, paths: Sequence[str]) -> list[Problem]:
        """Return what is wrong with the files named, or with everything in the folder."""
        if paths:
            return check_paths(paths)
        return [Problem(**found) for found in examine.folder_problems(self.files.folder)]


def entitled(memory: Memory, decision: str, by: str, policy: Policy, *, tables: Tables) -> str:
    """Return the agent type a verdict is recorded under; raise `NotEntitled` when it is not theirs to give."""
    step = policy.step_from(memory.state)
    named = f"promote_{step.to}" if decision == "approve" and step else decision
    found = reviewers.entitlement(by, {"state": memory.state, "memory_type": memory.kind}, named, tables)
    if not found.ok:
        raise NotEntitled(f"{memory.id}: {found.reason}.", hint=f"Ask {' or '.join(found.expected)}.")
    name = reviewers.resolved(by, tables)
    if step and step.approvals > 1 and named == f"promote_{step.to}":
        _check_other_half(memory, step.to, name, tables)
    return name


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


def usage(use: Usage, *, tables: Tables) -> Usage:
    """Return a use with the effect its outcome stands for, and task, agent and surface as a log names them."""
    if use.surface and use.surface not in SURFACES:
        found = f"surface: {use.surface!r} is not a surface"
        raise InvalidInput(f"{found}; expected one of {', '.join(SURFACES)}.", field="surface")
    return Usage(
        effect=effect.effect(use.effect, contradicted=use.contradiction),
        task=safe_id(use.task, field="task") if use.task else changes.NO_TASK,
        # Our own surfaces know an agent, and not which slot of geas it fills.
        by=reviewers.resolved(use.by, tables) if use.by not in ("", "agent") else ORCHESTRATOR,
        surface=use.surface or changes.TASK_PACKET,
        contradiction=use.contradiction,
    )


def take_up_reviews(batch: Batch, ids: Sequence[str], mode: str, *, files: MemoryFiles, tables: Tables) -> list[str]:
    """Let the reviews that geas's own reviewers wrote take effect; return those that cannot, and why."""
    files.batch = mode == "batch"
    notes = []
    for stored in files.folder.reviews().found:
        memory = batch.get(stored.document["memory_id"])
        if memory is None or (ids and memory.id not in ids) or not _stands(batch, memory, stored):
            continue
        try:
            _take_up(batch, memory, stored, tables)
        except TenureError as error:
            notes.append(f"{stored.place.name} has no effect: {error.message}")
    batch.write()
    return notes


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


def _take_up(batch: Batch, memory: Memory, stored: Stored, tables: Tables) -> None:
    review = stored.document
    decision = review["decision"]
    if decision == "supersede":
        raise InvalidInput("it does not say which memory takes the place; use `tenure supersede OLD NEW`.")
    by = entitled(memory, decision, review["reviewer_type"], batch.policy, tables=tables)
    rationale = intake.safe(review["rationale"])
    events = verdicts.decide(memory, decision, batch.policy, batch.now, by=by, rationale=rationale)
    if decision.startswith("promote_"):
        # The promotion itself is made, and reported, by the sweep that follows.
        events = events[:1]
    marked = [
        msgspec.structs.replace(event, detail={**event.detail, changes.REVIEW_FILE: _name(stored)}) for event in events
    ]
    batch.record(memory, marked)


def _name(stored: Stored) -> str:
    return f"{stored.place.as_posix()}#{stored.fingerprint[:16]}"


def check_paths(paths: Sequence[str]) -> list[Problem]:
    """Return what is wrong with files and folders of geas, wherever they lie."""
    return [Problem(**found) for path in paths for found in examine.path_problems(Path(path), shown=path)]
