"""`inject` on ArcheFlow: the lessons seen most often, in the section its agents know, and that section again."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

from tenure.model import clock
from tenure.model.errors import StoreUnusable
from tenure.model.memory import Memory
from tenure.recall.block import seal
from tenure.store.records import Note
from tenure.systems.archeflow import audit, memories
from tenure.systems.archeflow.folder import AUDIT
from tenure.systems.archeflow.inject import eligible
from tenure.systems.archeflow.lesson_files import LessonFiles
from tenure.systems.archeflow.lessons import Lesson, frequency
from tenure.systems.archeflow.render import HEADER, block, issue
from tenure.systems.archeflow.rules import Rules
from tenure.text.words import one_line
from tenure.usecases import inject, intake
from tenure.usecases.inject_request import NAME_CHARS, Injection, Occasion
from tenure.usecases.replay import Piece, Rendered

if TYPE_CHECKING:
    from tenure.workspace import Workspace

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

    def inject(self, workspace: Workspace, occasion: Occasion) -> Injection:
        """Choose by frequency, domain and archetype; with a query, only what its words are found in."""
        policy, agent = workspace.policy, occasion.agent
        # A run may have ended since the workspace was opened.
        workspace.store.refresh()
        fits: list[_Shown] = []
        left_out: list[dict[str, str]] = []
        for item in self._live(workspace, occasion.query):
            if eligible(item.lesson, occasion.domain, agent, self._rules):
                fits.append(item)
            else:
                left_out.append({"id": item.memory.id, "why": _why_not(item.memory, agent)})
        if not occasion.query:
            fits.sort(key=lambda item: -frequency(item.lesson))
        most = policy.inject.limit if occasion.limit is None else occasion.limit
        room = policy.inject.budget_chars if occasion.budget_chars is None else occasion.budget_chars
        shown: list[_Shown] = []
        for item in fits:
            size = len(issue(item.lesson)) + 1
            if len(shown) >= most:
                left_out.append({"id": item.memory.id, "why": f"beyond the limit of {most} lessons"})
            elif size > room:
                left_out.append({"id": item.memory.id, "why": "beyond the budget of characters"})
            else:
                room -= size
                shown.append(item)
        notes = [item.note for item in shown]
        return Injection(
            block=block(item.lesson for item in shown).rstrip("\n"),
            memories=[{"id": note.id, "score": note.score, "why": note.why} for note in notes],
            suppressed=left_out,
            traced=not shown or self._trace(workspace, notes, shown, occasion),
        )

    def again(self, workspace: Workspace, pieces: Sequence[Piece]) -> Rendered:
        """Return the section as it was."""
        lines, seals = [], []
        for piece in pieces:
            lesson = memories.encode(piece.memory, None, self._rules) if piece.memory else None
            lines.append(issue(lesson) if lesson else f"- {piece.note.id}: {piece.instead}")
            seals.append(seal(lines[-1]) if lesson else "")
        return Rendered(block="\n".join([HEADER, *lines]), seals=seals)

    def _live(self, workspace: Workspace, query: str) -> list[_Shown]:
        store = workspace.store
        if query:
            found = store.search(query, inject.CANDIDATES).rows
            rows = [row for row in found if row.memory.phase == "live"]
        else:
            rows = store.find(phases=("live",))
        return [_Shown(row.memory, row.version, memories.encode(row.memory, None, self._rules)) for row in rows]

    def _trace(self, workspace: Workspace, notes: Sequence[Note], shown: Sequence[_Shown], occasion: Occasion) -> bool:
        """Remember what was shown, for a run in ArcheFlow's audit trail too; a disk that is full costs only this."""
        facts, now = occasion.facts, workspace.now()
        domain = one_line(intake.safe(occasion.domain), NAME_CHARS)
        try:
            with workspace.store.writing():
                workspace.store.activity.record(now, notes, **facts)
                if run := facts["run"]:
                    lessons = [item.lesson for item in shown]
                    record = audit.injection(lessons, run, domain, facts["agent"], clock.stamp(now))
                    self._files.folder.append(AUDIT, [record])
        except (StoreUnusable, OSError):
            return False
        return True


def _why_not(memory: Memory, agent: str) -> str:
    if not memory.text:
        return "says nothing"
    if agent and memory.agent and memory.agent != agent:
        return f"is for {memory.agent}"
    return f"is about {memory.domain or 'no domain'}"
