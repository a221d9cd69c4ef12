"""Tenure's own ways: ids that say nothing, memories chosen by words, decay by dates, confidence and runs.

What only some commands need is imported when they run.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from tenure.model.kinds import KINDS
from tenure.systems.api import Piece, Rendered, System
from tenure.usecases import new_memory

if TYPE_CHECKING:
    from tenure.capture.session_builder import Session
    from tenure.files.locate import Place
    from tenure.model.events import Event
    from tenure.model.memory import Memory
    from tenure.model.policy import Policy
    from tenure.rules.consolidate import Proposal
    from tenure.usecases.answers.captured import Captured
    from tenure.usecases.answers.found import Injection, InjectRequest
    from tenure.usecases.batch import Batch
    from tenure.usecases.project import Project


def system(place: Place, policy: Policy) -> System:
    """Return Tenure's own ways."""
    return Native()


class Native(System):
    """Tenure's own ways."""

    kinds = tuple(KINDS)
    default_kind = "lesson"

    def new_id(self, batch: Batch, proposal: Proposal) -> str:
        """Return an id nobody has or ever had."""
        return new_memory.new_id(batch)

    def converted_in(self, batch: Batch, memory: Memory) -> Memory:
        """Return the memory in a state and of a kind that this store has."""
        from tenure.usecases import conversion

        return conversion.fitted(self, batch.policy, memory)

    def capture(
        self, project: Project, paths: Sequence[str], *, run: str, task: str, keep_going: bool, dry_run: bool
    ) -> Captured:
        """Consolidate the proposals of JSON Lines files, and what session transcripts say."""
        from tenure.capture import sessions
        from tenure.usecases import capture, learn
        from tenure.usecases.answers.captured import Captured, SessionRead, Skipped

        held = [session for path in paths if path != "-" for session in sessions.read(path)]
        read = {session.transcript for session in held}
        written = [path for path in paths if path not in read]
        good, skipped = capture.read(written, project.policy, self.kinds, keep_going=keep_going)
        found = Captured()
        if good or not held:
            found = capture.capture(project, self, good, run=run or task, dry_run=dry_run)
        decisions, notes, heard = list(found.decisions), list(found.notes), []
        for session in held:
            # Next to an agent a session keeps its own name, or it could be captured under many.
            named = session if project.actor.is_agent else session._replace(id=run or task or session.id)
            taught = learn.learn_session(project, self, named, dry_run=dry_run)
            decisions += taught.decisions
            notes += taught.notes
            skipped += [Skipped(**item) for item in named.left_out]
            heard.append(SessionRead(path=session.transcript, session=session.id, decisions=len(taught.decisions)))
        return Captured(decisions=decisions, skipped=skipped, notes=notes, read=heard)

    def learn(self, project: Project, session: Session, *, dry_run: bool) -> Captured:
        """Consolidate everything the session suggests."""
        from tenure.usecases import learn

        return learn.consolidate(project, self, session, dry_run=dry_run)

    def inject(self, project: Project, request: InjectRequest) -> Injection:
        """Choose by words and weight, render as fenced reference data."""
        from tenure.usecases import inject

        return inject.inject(project, request)

    def render_replay(self, project: Project, pieces: Sequence[Piece]) -> Rendered:
        """Render the fenced block of memories as they were."""
        from tenure.usecases import replay

        return replay.fenced(project.policy, pieces)

    def decay(self, batch: Batch, *, ends_run: bool) -> Callable[[Memory], list[Event]]:
        """Decay by review date, contradiction, confidence and the runs the store has counted."""
        from tenure.rules import decay

        runs = batch.store.runs()
        return lambda memory: decay.decay(memory, batch.policy, batch.now, runs_now=runs)
