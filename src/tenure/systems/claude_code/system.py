"""Claude Code's memory files: the generic commands on a `memory/` folder, by the skill's rules and with its files.

What a session taught goes where it belongs: memories into this folder; what belongs into CLAUDE.md or docs/knowledge
is named, and `tenure route TEXT --apply` writes it there.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import msgspec

from tenure.capture import learned, transcripts
from tenure.capture.session_builder import Session
from tenure.files import durable, locate
from tenure.files.locate import Place
from tenure.model.errors import InvalidInput, TenureError
from tenure.model.memory import Memory
from tenure.model.policy import Policy
from tenure.rules.confidence import from_evidence
from tenure.rules.consolidate import Decision, Proposal
from tenure.systems.claude_code import frontmatter, index, layout, project_folder
from tenure.systems.claude_code.memories import DESCRIPTION
from tenure.systems.claude_code.memory_files import MemoryFiles
from tenure.systems.native.system import Native
from tenure.text.words import one_line
from tenure.usecases import capture, intake, suggested
from tenure.usecases import learn as learning
from tenure.usecases.answers import Problem
from tenure.usecases.answers.captured import Captured, SessionRead, Skipped
from tenure.usecases.answers.looked import Waiting
from tenure.usecases.batch import Batch
from tenure.usecases.project import Project

SUFFIX = ".md"
# Words of a title that a file name needs.
NAME_CHARACTERS = 50
SOURCE = "model:transcript"
# So many of a file's first lines tell a transcript from other JSON Lines.
SNIFFED_LINES = 200
SPOKEN = ("user", "human", "assistant")


def system(place: Place, policy: Policy) -> ClaudeCode:
    """Return Claude Code's ways on one memory folder."""
    limits = policy.own["index"]
    held = MemoryFiles(
        place.path,
        confidence=from_evidence(1, policy),
        max_lines=limits["max_lines"],
        max_bytes=limits["max_bytes"],
    )
    return ClaudeCode(held, policy)


class RoutedDecision(Decision, frozen=True, kw_only=True):
    """What became of something learned in a session, with where the skill sends it."""

    category: str
    destination: str
    text: str


class ClaudeCode(Native):
    """Claude Code's ways."""

    described = True

    def __init__(self, held: MemoryFiles, policy: Policy) -> None:
        self.files: MemoryFiles = held
        self.kinds = tuple(policy.own["kinds"]["known"])
        self.default_kind = policy.own["kinds"]["by_hand"]

    def own_id(self, id: str) -> str:
        """Return an id as a file name."""
        return id if id.endswith(SUFFIX) else id + SUFFIX

    def new_id(self, batch: Batch, proposal: Proposal) -> str:
        """Return a file name made of the title that no memory has or ever had."""
        taken = [path.rpartition("/")[2] for path in self.files.scan()]
        stem = one_line(proposal.title, NAME_CHARACTERS).rstrip("…").lower()
        while True:
            id = layout.file_name(stem, taken)
            if batch.get(id) is None and not batch.store.history(id):
                return id
            taken.append(id)

    def finish(self, batch: Batch, proposal: Proposal, memory: Memory) -> Memory:
        """Give the memory a short name and a description: what the user called it, else its file and first sentence."""
        first = one_line(intake.first_sentence(proposal.text), batch.policy.write.title_chars)
        described = memory.content.get(DESCRIPTION)
        unnamed = memory.title == first
        description = described if isinstance(described, str) and described else memory.title
        limit = batch.policy.own["index"]["max_description"]
        return msgspec.structs.replace(
            memory,
            title=memory.id.removesuffix(SUFFIX) if unnamed else memory.title,
            content={**memory.content, DESCRIPTION: one_line(description, limit)},
        )

    def take_notes(self) -> list[str]:
        """Return the notes of the last change, once."""
        notes, self.files.notes = self.files.notes, []
        return notes

    def converted_in(self, batch: Batch, memory: Memory) -> Memory:
        """Return a memory of another store as a file can hold it: its id becomes a file name."""
        fitting = super().converted_in(batch, memory)
        is_name = fitting.id.endswith(SUFFIX) and "/" not in fitting.id
        return fitting if is_name else msgspec.structs.replace(fitting, id=layout.file_name(fitting.id, ()))

    def check(self, paths: Sequence[str]) -> list[Problem]:
        """Return what is wrong with the files named, or with the whole folder."""
        if paths:
            return [found for path in paths for found in _file_problems(Path(os.path.expanduser(path)))]
        folder = self.files.folder
        return [
            Problem(path=str(folder / path), field=field, message=said) for path, field, said in self.files.problems()
        ]

    def capture(
        self, project: Project, paths: Sequence[str], *, run: str, task: str, keep_going: bool, dry_run: bool
    ) -> Captured:
        """Learn from session transcripts by the skill's categories; other files hold proposals."""
        sessions = [path for path in paths if is_transcript(path)]
        proposals = [path for path in paths if path not in sessions]
        options: dict[str, Any] = {"run": run, "task": task, "keep_going": keep_going, "dry_run": dry_run}
        first = super().capture(project, proposals, **options) if proposals else Captured()
        decisions, skipped, notes = list(first.decisions), list(first.skipped), list(first.notes)
        heard = list(first.read)
        for path in sessions:
            home, session = _about_session(path)
            notes += _of_another_project(project, home)
            found = learned.learned(transcripts.records(path))
            kept = [item for item in found if item.suggested_destination == "memory"]
            proposed = [_proposal(item, run or task or session) for item in kept]
            made = capture.capture(project, self, proposed, dry_run=dry_run)
            notes += made.notes
            heard.append(SessionRead(path=path, session=session, decisions=len(made.decisions)))
            decisions += [_routed(item, decision) for item, decision in zip(kept, made.decisions, strict=True)]
            skipped += [
                Skipped(path=path, why=f"{item.reason}: {learned.PLACES[item.suggested_destination]}", **_about(item))
                for item in found
                if item.suggested_destination != "memory"
            ]
        return Captured(decisions=decisions, skipped=skipped, notes=notes, read=heard)

    def learn(self, project: Project, session: Session, *, dry_run: bool) -> Captured:
        """Let what a session suggests wait for a person: a file in this folder is in use at once."""
        return learning.suggest(project, self, session, dry_run=dry_run)

    def waiting(self, project: Project) -> list[Waiting]:
        """Return what sessions suggested."""
        return suggested.waiting(project.store)


def _routed(item: learned.Learned, decision: Decision) -> RoutedDecision:
    return RoutedDecision(
        action=decision.action,
        id=decision.id,
        kind=decision.kind,
        reasons=(item.reason, *decision.reasons),
        **_about(item),
    )


def is_transcript(path: str) -> bool:
    """Tell whether a file is a session transcript, by the first of its lines that speak."""
    for _, record in zip(range(SNIFFED_LINES), transcripts.records(path), strict=False):
        if record.get("type") in SPOKEN and ("message" in record or "sessionId" in record):
            return True
    return False


def _proposal(item: learned.Learned, run: str) -> dict[str, Any]:
    return {"kind": item.suggested_type, "text": item.content, "run": run, "source": SOURCE}


def _about(item: learned.Learned) -> dict[str, str]:
    return {
        "category": item.category,
        "destination": learned.PLACES[item.suggested_destination],
        "text": one_line(intake.safe(item.content), 200),
    }


def _about_session(path: str) -> tuple[str, str]:
    """Return the folder a session was held in and its id, from the first records that say so."""
    home = session = ""
    for record in transcripts.records(path):
        home = home or str(record.get("cwd") or "")
        session = session or str(record.get("sessionId") or "")
        if home and session:
            break
    return home, session or Path(path).stem


def _of_another_project(project: Project, home: str) -> list[str]:
    """Say so when a session of one project is captured into the client's folder of another."""
    folder = project.place.path
    if not home or folder.parent.parent.name != "projects":
        return []
    belongs = project_folder.slug(str(locate.project_of(Path(home))))
    if belongs == folder.parent.name:
        return []
    return [f"The session was held in {home!r}, whose memory is not {str(folder)!r}."]


def _file_problems(path: Path) -> list[Problem]:
    try:
        data = durable.read_bytes(path)
    except TenureError as error:
        return [Problem(path=str(path), field="file", message=error.message)]
    except OSError as error:
        raise InvalidInput(f"{str(path)!r} cannot be read: {error.strerror}.") from None
    if path.name == index.NAME:
        limit = index.over_limit(data)
        return [Problem(path=str(path), field="size", message=limit.message)] if limit else []
    return [Problem(path=str(path), field="header", message=said) for said in frontmatter.parse(data).problems]
