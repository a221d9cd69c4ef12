"""`inject` on ArcheFlow: the lessons seen most often, in the section its agents know, and that section again."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from tenure.model import clock
from tenure.model.errors import StoreUnusable
from tenure.model.memory import Memory
from tenure.recall import block
from tenure.recall.block import seal
from tenure.store.records import Note
from tenure.systems.api import Piece, Rendered
from tenure.systems.archeflow import audit, memories
from tenure.systems.archeflow.folder import AUDIT
from tenure.systems.archeflow.inject import eligible
from tenure.systems.archeflow.lesson_files import LessonFiles
from tenure.systems.archeflow.lessons import Lesson, frequency
from tenure.systems.archeflow.render import HEADER, issue
from tenure.systems.archeflow.rules import Rules
from tenure.text import fence
from tenure.text.words import one_line
from tenure.usecases import inject, intake, search
from tenure.usecases.answers import LeftOut
from tenure.usecases.answers.found import Chosen, Injection, InjectRequest
from tenure.usecases.inject import NAME_CHARS
from tenure.usecases.project import Project

SHAPE = "lessons"


class _Shown(NamedTuple):
    """A memory as this system shows it."""

    memory: Memory
    version: int
    lesson: Lesson

    @property
    def note(self) -> Note:
        """What is written down of it."""
        seen = frequency(self.lesson)
        return Note(
            id=self.memory.id,
            score=float(seen),
            version=self.version,
            why=f"seen {seen}x",
            shape=SHAPE,
            seal=seal(issue(self.lesson)),
        )


class Showing:
    """How lessons are chosen, shown and shown again."""

    def __init__(self, files: LessonFiles, rules: Rules) -> None:
        self._files, self._rules = files, rules

    def inject(self, project: Project, request: InjectRequest) -> Injection:
        """Choose by frequency, domain and archetype; with a query, only what its words are found in."""
        policy, agent = project.policy, request.agent
        # A run may have ended since the project was opened.
        project.store.refresh()
        fits: list[_Shown] = []
        left_out: list[LeftOut] = []
        for item in self._live(project, request.query):
            if eligible(item.lesson, request.domain, agent, self._rules):
                fits.append(item)
            else:
                left_out.append(LeftOut(id=item.memory.id, why=_why_not(item.memory, agent)))
        if not request.query:
            fits.sort(key=lambda item: -frequency(item.lesson))
        most = policy.inject.limit if request.limit is None else request.limit
        room = policy.inject.budget_chars if request.budget_chars is None else request.budget_chars
        shown: list[_Shown] = []
        for item in fits:
            size = len(issue(item.lesson)) + 1
            if len(shown) >= most:
                left_out.append(LeftOut(id=item.memory.id, why=f"beyond the limit of {most} lessons"))
            elif size > room:
                left_out.append(LeftOut(id=item.memory.id, why="beyond the budget of characters"))
            else:
                room -= size
                shown.append(item)
        notes = [item.note for item in shown]
        return Injection(
            block=_fenced([issue(item.lesson) for item in shown]) if shown else "",
            memories=[Chosen(id=note.id, score=note.score, why=note.why) for note in notes],
            suppressed=left_out,
            traced=not shown or self._trace(project, notes, shown, request),
        )

    def render_replay(self, pieces: Sequence[Piece]) -> Rendered:
        """Return the section as it was."""
        lines, seals = [], []
        for piece in pieces:
            lesson = memories.encode(piece.memory, None, self._rules) if piece.memory else None
            lines.append(issue(lesson) if lesson else f"- {piece.note.id}: {piece.instead}")
            seals.append(seal(lines[-1]) if lesson else "")
        return Rendered(block=_fenced(lines), seals=seals)

    def _live(self, project: Project, query: str) -> list[_Shown]:
        store = project.store
        if query:
            found = store.search(query, search.CANDIDATES).rows
            rows = [row for row in found if row.eligible]
        else:
            rows = store.find(among="eligible")
        return [_Shown(row.memory, row.version, memories.encode(row.memory, None, self._rules)) for row in rows]

    def _trace(self, project: Project, notes: Sequence[Note], shown: Sequence[_Shown], request: InjectRequest) -> bool:
        """Remember what was shown, for a run in ArcheFlow's audit trail too; a disk that is full costs only this."""
        facts, now = inject.facts(request), project.now()
        domain = one_line(intake.safe(request.domain), NAME_CHARS)
        try:
            with project.store.writing():
                project.store.activity.record(now, notes, **facts)
                if run := facts["run"]:
                    lessons = [item.lesson for item in shown]
                    record = audit.injection(lessons, run, domain, facts["agent"], clock.stamp(now))
                    self._files.folder.append(AUDIT, [record])
        except (StoreUnusable, OSError):
            return False
        return True


def _fenced(lines: Sequence[str]) -> str:
    """Return the section its agents know, inside the fence of every block of ours."""
    return fence.wrapped(lines, header=f"{block.HEADER}\n{HEADER}", nonce=fence.new_nonce())


def _why_not(memory: Memory, agent: str) -> str:
    if not memory.text:
        return "says nothing"
    if agent and memory.agent and memory.agent != agent:
        return f"is for {memory.agent}"
    return f"is about {memory.domain or 'no domain'}"
