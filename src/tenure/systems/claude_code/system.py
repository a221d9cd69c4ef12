"""Claude Code's memory files: the generic commands on a `memory/` folder, by the skill's rules and with its files.

What a session taught goes where it belongs: memories into this folder; what belongs into CLAUDE.md or docs/knowledge
is named, and `tenure route TEXT --apply` writes it there.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec

from tenure.capture import learned, transcripts
from tenure.files import durable
from tenure.model.errors import InvalidInput, TenureError
from tenure.model.memory import Memory
from tenure.model.policy import Policy
from tenure.rules.confidence import from_evidence
from tenure.rules.consolidate import Decision, Proposal
from tenure.systems.api import System
from tenure.systems.claude_code import frontmatter, index, layout, project_folder
from tenure.systems.claude_code.memories import DESCRIPTION
from tenure.systems.claude_code.memory_files import MemoryFiles
from tenure.text.words import one_line
from tenure.usecases import intake, locate
from tenure.usecases import learn as learning
from tenure.usecases.batch import Batch
from tenure.usecases.locate import Place

if TYPE_CHECKING:
    from tenure.workspace import Workspace

SUFFIX = ".md"
# Words of a title that a file name needs.
NAME_CHARACTERS = 50
SOURCE = "model:transcript"
# So many of a file's first lines tell a transcript from other JSON Lines.
SNIFFED_LINES = 200
SPOKEN = ("user", "human", "assistant")


def system(place: Place, policy: Policy) -> System:
    """Return Claude Code's ways on one memory folder."""
    limits = policy.own["index"]
    held = MemoryFiles(
        place.path,
        confidence=from_evidence(1, policy),
        max_lines=limits["max_lines"],
        max_bytes=limits["max_bytes"],
    )
    return ClaudeCode(held, tuple(policy.own["kinds"]["known"]), policy.own["kinds"]["by_hand"])


class ClaudeCode(System):
    """What differs from the native ways."""

    described = True

    def __init__(self, held: MemoryFiles, kinds: tuple[str, ...], default_kind: str) -> None:
        self.files = self._files = held
        self.kinds, self.default_kind = kinds, default_kind

    def own_id(self, id: str) -> str:
        """Return the file name an id stands for."""
        return id if id.endswith(SUFFIX) else id + SUFFIX

    def arriving(self, batch: Batch, memory: Memory) -> Memory:
        """Return a memory of another store as a file can hold it: its id becomes a file name."""
        fitting = super().arriving(batch, memory)
        is_name = fitting.id.endswith(SUFFIX) and "/" not in fitting.id
        return fitting if is_name else msgspec.structs.replace(fitting, id=layout.file_name(fitting.id, ()))

    def new_id(self, batch: Batch, proposal: Proposal) -> str:
        """Return a file name made of the title that no memory has or ever had."""
        taken = [path.rpartition("/")[2] for path in self._files.scan()]
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

    def said(self) -> list[str]:
        """Return the notes of the last change, once."""
        notes, self._files.notes = self._files.notes, []
        return notes

    def check(self, workspace: Workspace, paths: Sequence[str]) -> list[dict[str, str]]:
        """Return what is wrong with the files named, or with the whole folder."""
        if paths:
            return [found for path in paths for found in _file_problems(Path(path).expanduser())]
        folder = self._files.folder
        return [
            {"path": str(folder / path), "field": field, "message": said}
            for path, field, said in self._files.problems()
        ]

    def capture(
        self, workspace: Workspace, paths: Sequence[str], *, run: str, task: str, keep_going: bool, dry_run: bool
    ) -> dict[str, Any]:
        """Learn from session transcripts by the skill's categories; other files hold proposals."""
        sessions = [path for path in paths if is_transcript(path)]
        written = [path for path in paths if path not in sessions]
        options: dict[str, Any] = {"run": run, "task": task, "keep_going": keep_going, "dry_run": dry_run}
        answer = super().capture(workspace, written, **options) if written else {"decisions": [], "skipped": []}
        for path in sessions:
            home, session = _about_session(path)
            _warn_about_another_project(workspace, home)
            found = learned.learned(transcripts.records(path))
            kept = [item for item in found if item.suggested_destination == "memory"]
            decisions = workspace.capture([_proposal(item, run or task or session) for item in kept], dry_run=dry_run)
            for item, decision in zip(kept, decisions, strict=True):
                reasons = [item.reason, *decision.reasons]
                answer["decisions"].append({**msgspec.to_builtins(decision), "reasons": reasons, **_about(item)})
            answer["skipped"] += [
                {"path": path, "why": f"{item.reason}: {learned.PLACES[item.suggested_destination]}", **_about(item)}
                for item in found
                if item.suggested_destination != "memory"
            ]
        return answer

    def learn(self, workspace: Workspace, session: learning.Session, *, dry_run: bool) -> list[Decision]:
        """Name what a session suggests and write none of it: a file in this folder is in use at once."""
        return learning.suggested_only(workspace, session)


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


def _warn_about_another_project(workspace: Workspace, home: str) -> None:
    """Say so when a session of one project is captured into the client's folder of another."""
    folder = workspace.place.path
    if not home or folder.parent.parent.name != "projects":
        return
    belongs = project_folder.slug(str(locate.project_root(Path(home))))
    if belongs != folder.parent.name:
        workspace.notes.append(f"The session was held in {home!r}, whose memory is not {str(folder)!r}.")


def _file_problems(path: Path) -> list[dict[str, str]]:
    try:
        data = durable.read_bytes(path)
    except TenureError as error:
        return [{"path": str(path), "field": "file", "message": error.message}]
    except OSError as error:
        raise InvalidInput(f"{str(path)!r} cannot be read: {error.strerror}.") from None
    if path.name == index.NAME:
        limit = index.over_limit(data)
        return [{"path": str(path), "field": "size", "message": limit.message}] if limit else []
    return [{"path": str(path), "field": "header", "message": said} for said in frontmatter.parse(data).problems]
