"""ArcheFlow: the generic commands on `.archeflow/`, by ArcheFlow's rules and with its files.

Learning from a run's events is in `capture_runs`, showing lessons in `inject_lessons`; this module has the other
ways that differ.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import msgspec

from tenure.capture.session_builder import Session
from tenure.files.durable import read_bytes
from tenure.files.locate import Place
from tenure.model import clock
from tenure.model.errors import TenureError
from tenure.model.events import Event, EventType
from tenure.model.evolve import change
from tenure.model.memory import Memory
from tenure.model.policy import Policy
from tenure.rules import decay as lifecycle
from tenure.rules.confidence import from_evidence
from tenure.rules.consolidate import Proposal
from tenure.systems.api import Piece, Rendered
from tenure.systems.archeflow import capture_runs, inject_lessons, memories
from tenure.systems.archeflow.companion import Companion
from tenure.systems.archeflow.decay import decay as fates
from tenure.systems.archeflow.folder import ARCHIVE, AUDIT, LESSONS, ArcheflowFolder
from tenure.systems.archeflow.ids import fresh_ids
from tenure.systems.archeflow.lesson_files import LessonFiles
from tenure.systems.archeflow.lessons import decode, frequency
from tenure.systems.archeflow.lessons import problems as unreadable
from tenure.systems.archeflow.match import tags as tags_of
from tenure.systems.archeflow.rules import Rules, from_policy
from tenure.systems.native.system import Native
from tenure.text.words import one_line
from tenure.usecases import intake
from tenure.usecases.answers import Problem
from tenure.usecases.answers.captured import Captured
from tenure.usecases.answers.found import Injection, InjectRequest
from tenure.usecases.batch import Batch
from tenure.usecases.project import Project

BY_HAND_SEVERITY = "info"


def system(place: Place, policy: Policy) -> ArcheFlow:
    """Return ArcheFlow's ways on one `.archeflow/` folder."""
    rules = from_policy({**msgspec.to_builtins(policy), "archeflow": policy.own})
    codec = memories.Codec(
        rules=rules,
        confidence=from_evidence(1, policy),
        title=lambda text: one_line(intake.first_sentence(text), policy.write.title_chars),
    )
    return ArcheFlow(LessonFiles(ArcheflowFolder(place.path.parent, place.path), codec), rules)


class ArcheFlow(Native):
    """ArcheFlow's ways."""

    kinds = memories.KINDS
    default_kind = "preference"

    def __init__(self, files: LessonFiles, rules: Rules) -> None:
        self.files: LessonFiles = files
        self._rules = rules
        self._runs = capture_runs.Learning(files, rules, self.new_ids)
        self._shown = inject_lessons.Showing(files, rules)

    def capture(
        self, project: Project, paths: Sequence[str], *, run: str, task: str, keep_going: bool, dry_run: bool
    ) -> Captured:
        """Learn from events files; other files are taken as proposals, as on any store."""
        return self._runs.capture(project, self, paths, run=run or task, keep_going=keep_going, dry_run=dry_run)

    def learn(self, project: Project, session: Session, *, dry_run: bool) -> Captured:
        """Treat a session as a run whose lessons are its findings."""
        return self._runs.learn(project, self, session, dry_run=dry_run)

    def inject(self, project: Project, request: InjectRequest) -> Injection:
        """Choose by frequency, domain and archetype."""
        return self._shown.inject(project, request)

    def render_replay(self, project: Project, pieces: Sequence[Piece]) -> Rendered:
        """Return the section of lessons as it was."""
        return self._shown.render_replay(pieces)

    def new_ids(self, batch: Batch) -> Callable[[], str]:
        """Return a source of ids that neither the files nor the ledger ever had."""
        folder = self.files.folder
        ids = fresh_ids(self.files.lessons(), lambda: [folder.read(ARCHIVE), folder.read(AUDIT)])

        def fresh() -> str:
            return next(id for id in ids if batch.get(id) is None and not batch.store.history(id))

        return fresh

    def new_id(self, batch: Batch, proposal: Proposal) -> str:
        """Return the next id, `m-NNN`."""
        return self.new_ids(batch)()

    def finish(self, batch: Batch, proposal: Proposal, memory: Memory) -> Memory:
        """Return a new memory with what its line needs; a preference is only what the user says directly."""
        immediate = memory.kind in self._rules.immediate_types
        kind = memories.DEFAULT_KIND if immediate and not memory.stated else memory.kind
        state = memories.state_of(kind, memory.signals.frequency, self._rules)
        return msgspec.structs.replace(
            memory,
            kind=kind,
            state=state,
            phase=batch.policy.phase(state),
            source=memories.USER if memory.stated and memory.source == "user" else memory.source,
            domain=memory.domain or self._rules.shared_domain,
            tags=memory.tags or tuple(tags_of(memory.text, self._rules.tag_chars, self._rules.tags)),
            signals=msgspec.structs.replace(memory.signals, runs_unseen=0),
            extra={
                "ts": clock.stamp(batch.now),
                "run_id": proposal.run or memories.BY_HAND,
                "severity": BY_HAND_SEVERITY,
                "last_seen_run": proposal.run,
            },
        )

    def evidenced(self, batch: Batch, memory: Memory, proposal: Proposal) -> dict[str, Any]:
        """Return what a line says of the run that saw its lesson last."""
        run = {"run_id": proposal.run, "last_seen_run": proposal.run} if proposal.run else {}
        return {"extra": {**memory.extra, **run, "ts": clock.stamp(batch.now)}, "runs_unseen": 0}

    def restored(self, batch: Batch, memory: Memory) -> dict[str, Any]:
        """Return the frequency a lesson comes back with: at least what its state needs, after it faded to nothing."""
        back = memory.previous_state or batch.policy.promotion.start
        seen = max(memory.signals.frequency, memories.least_frequency(memory, back, self._rules))
        return {"frequency": seen, "evidence_count": seen, "runs_unseen": 0}

    def decay(self, batch: Batch, *, ends_run: bool) -> Callable[[Memory], list[Event]]:
        """Decay by contradiction and confidence, and by the run that ends with this sweep, if one does."""
        policy = batch.policy
        # The runs are counted below, as ArcheFlow counts them.
        without_runs = msgspec.structs.replace(policy, decay=msgspec.structs.replace(policy.decay, unseen_runs=0))
        last_run = Companion(self.files.folder.project).last_run

        def rule(memory: Memory) -> list[Event]:
            events = lifecycle.decay(memory, without_runs, batch.now)
            if events or not ends_run or not self._rules.unseen_runs:
                return events
            return self._after_run(memory, last_run, batch)

        return rule

    def _after_run(self, memory: Memory, last_run: str, batch: Batch) -> list[Event]:
        lesson = memories.encode(memory, None, self._rules)
        (fate,) = fates([lesson], self._rules, clock.stamp(batch.now), last_run, keep_lasting=True)
        if fate.change == "spared":
            return []
        seen = frequency(fate.lesson)
        fields = {"frequency": seen, "evidence_count": seen, "runs_unseen": fate.lesson["runs_since_last_seen"]}
        if fate.change == "counted":
            reason = f"unseen for {fields['runs_unseen']} runs"
            return [
                change(memory, EventType.UNSEEN, batch.now, set={"runs_unseen": fields["runs_unseen"]}, reason=reason)
            ]
        reason = f"unseen for {self._rules.unseen_runs} runs"
        if fate.change == "decayed":
            # Seen too seldom by now to be shown: a candidate again.
            state = memories.state_of(memory.kind, seen, self._rules)
            fields |= {"state": state, "phase": batch.policy.phase(state)}
            return [change(memory, EventType.FADED, batch.now, set=fields, reason=reason)]
        to = batch.policy.decay.state
        gone = {"state": to, "phase": batch.policy.phase(to), "previous_state": memory.state}
        extra = {**memory.extra, "ts": fate.lesson["ts"]}
        detail = {"from": memory.state, "to": to}
        fields = {**fields, **gone, "extra": extra}
        return [change(memory, EventType.DECAYED, batch.now, set=fields, reason=reason, detail=detail)]

    def check(self, paths: Sequence[str]) -> list[Problem]:
        """Return the lines that cannot be read: of the files named, or of the store's own."""
        if not paths:
            return [
                Problem(path=str(self.files.folder.path(LESSONS).parent), field=field, message=message)
                for field, message in self.files.read("").problems
            ]
        return [found for path in paths for found in _line_problems(path)]


def _line_problems(path: str) -> list[Problem]:
    try:
        lines = decode(read_bytes(Path(os.path.expanduser(path))))
    except TenureError as error:
        return [Problem(path=path, field="", message=error.message)]
    except OSError as error:
        return [Problem(path=path, field="", message=f"cannot be read: {error.strerror}")]
    return [Problem(path=path, field=f"line {line.number}", message=line.problem) for line in unreadable(lines)]
