"""The generic commands on a claude-memory folder: how its records, settings and schemas meet the workspace."""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import msgspec

from tenure.capture.session_builder import Session
from tenure.files.locate import Place
from tenure.files.shared_folder import COPY
from tenure.model.errors import TenureError
from tenure.model.kinds import content_problems
from tenure.model.memory import Memory
from tenure.model.policy import Policy
from tenure.rules.consolidate import Proposal
from tenure.systems.claude_memory import config, memories, sanitize, schema, triage_log, wording
from tenure.systems.claude_memory.config import is_on
from tenure.systems.claude_memory.memory_files import MemoryFiles
from tenure.systems.claude_memory.records import CATEGORY_OF_FOLDER, FOLDERS, MOST_TAGS
from tenure.systems.claude_memory.repair import NO_TAGS
from tenure.systems.claude_memory.slug import MAX_SLUG, slugify
from tenure.systems.claude_memory.wording import EXAMPLES, from_words, in_words
from tenure.systems.native.system import Native
from tenure.usecases import learn as learning
from tenure.usecases import suggested
from tenure.usecases.answers import Problem
from tenure.usecases.answers.captured import Captured
from tenure.usecases.answers.looked import Waiting
from tenure.usecases.batch import Batch
from tenure.usecases.project import Project

# Kinds of other stores that have no category of their own: a convention is the nearest.
DEFAULT_KIND = "preference"


def system(place: Place, policy: Policy) -> ClaudeMemory:
    """Return the ways of the folder at `place`."""
    return ClaudeMemory(place.path)


class ClaudeMemory(Native):
    """claude-memory's ways."""

    kinds = tuple(FOLDERS)
    default_kind = DEFAULT_KIND

    def __init__(self, root: Path) -> None:
        self.root = root
        self.files: MemoryFiles = MemoryFiles(root)

    def new_id(self, batch: Batch, proposal: Proposal) -> str:
        """Return the title's slug, with a number where a memory or a file has or had that name."""
        return new_id(batch, proposal.title, self.files)

    def shape(self, batch: Batch, proposal: Proposal) -> tuple[Proposal, list[str]]:
        """Return the proposal with a complete content; a field the text says nothing about repeats the text."""
        return shape(proposal)

    def edited(self, memory: Memory, fields: dict[str, Any]) -> dict[str, Any]:
        """Return an edit in which text and content agree; the content owns what the memory says."""
        return edited(memory, fields)

    def converted_out(self, memory: Memory) -> Memory:
        """Return the memory with what only its file says, for a store that must be able to give it back."""
        try:
            kept = memories.facts(self.files.record(memory))
        except (TenureError, OSError):
            return memory
        return msgspec.structs.replace(memory, extra={**memory.extra, memories.EXTRA: kept} if kept else memory.extra)

    def converted_in(self, batch: Batch, memory: Memory) -> Memory:
        """Return a memory of another store as a record can hold it."""
        moved = memories.fitted(super().converted_in(batch, memory), _content)
        name = memories.stem(moved.id)
        valid = schema.ID.fullmatch(name) and name.strip("-") == name
        taken = self.files.exists(name) and not batch.store.used_ids([moved.id])
        id = name if valid and not taken else new_id(batch, moved.title, self.files)
        return msgspec.structs.replace(moved, id=id)

    def learn(self, project: Project, session: Session, *, dry_run: bool) -> Captured:
        """Let what a session suggests wait for a person: every memory is in use at once here.

        claude-memory's own triage asks the agent at the end of a session, and the agent writes; that stays as it is.
        """
        if triage_log.blocked_at(str(self.root.parent.parent), session.id):
            return learning.suggested_only(project, self, session, "the agent was asked to save this session itself")
        if not is_on(config.load(self.root).section("triage"), "enabled"):
            return learning.suggested_only(project, self, session, "triage is switched off here")
        return learning.suggest(project, self, session, dry_run=dry_run)

    def waiting(self, project: Project) -> list[Waiting]:
        """Return what sessions suggested."""
        return suggested.waiting(project.store)

    def check(self, paths: Sequence[str]) -> list[Problem]:
        """Return what is wrong with the files named, or with every record of the folder, by field."""
        if paths:
            chosen = [found for path in paths for found in _records(Path(path))]
        else:
            chosen = [(str(self.root / path), self.root / path) for path in self.files.scan()]
        copies = [] if paths else self.files.folder.copies()
        return [
            *(Problem(path=str(copy), field="file", message=COPY) for copy in copies),
            *(
                Problem(path=shown, field=field, message=message)
                for shown, path in chosen
                for field, message in self.files.problems(path)
            ),
        ]


def settings(place: Place) -> dict[str, Mapping[str, Any]]:
    """Return what `memory-config.json` says, in the words of the policy."""
    said = config.load(place.path).table()
    return {str(place.path / config.NAME): said} if said else {}


def new_id(batch: Batch, title: str, files: MemoryFiles) -> str:
    """Return the title's slug, with a number where a memory or a file has or had that name."""
    name = slugify(title) or "memory"
    for number in itertools.count(1):
        ending = f"-{number}" if number > 1 else ""
        id = name[: MAX_SLUG - len(ending)].rstrip("-") + ending
        if not batch.store.history(id) and not files.exists(id):
            return id
    raise AssertionError("numbers do not end")


def shape(proposal: Proposal) -> tuple[Proposal, list[str]]:
    """Return the proposal with a complete content; a field the text says nothing about repeats the text."""
    title = sanitize.title(proposal.title) or proposal.kind
    content, notes = proposal.content, []
    if not content:
        filled = from_words(proposal.kind, proposal.text, title)
        content = filled.content
        if filled.repeated:
            fields = " and ".join(f"content.{name}" for name in filled.repeated)
            said = f"The text gives no separate {fields}, so the whole text was stored there."
            notes = [f"{said} Say more with: tenure edit ID --content '{EXAMPLES[proposal.kind]}'"]
    return (
        msgspec.structs.replace(
            proposal,
            title=title,
            text=in_words(proposal.kind, content, title),
            content=content,
            tags=_tags(proposal.tags),
        ),
        notes,
    )


def edited(memory: Memory, fields: dict[str, Any]) -> dict[str, Any]:
    """Return an edit in which text and content agree; the content owns what the memory says."""
    wanted = dict(fields)
    title = sanitize.title(wanted.get("title", memory.title)) or memory.title
    if "title" in wanted:
        wanted["title"] = title
    if "tags" in wanted:
        wanted["tags"] = _tags(wanted["tags"])
    if "text" in wanted and "content" not in wanted:
        wanted["content"] = wording.rewritten(memory.kind, memory.content, wanted["text"], (memory.title, title))
    if "content" in wanted:
        wanted["text"] = in_words(memory.kind, wanted["content"], title)
    return {name: value for name, value in wanted.items() if value != getattr(memory, name)}


def _records(path: Path) -> list[tuple[str, Path]]:
    if not path.is_dir():
        return [(str(path), path)]
    found = sorted(path.rglob("*.json"))
    return [(str(record), record) for record in found if record.parent.name in CATEGORY_OF_FOLDER]


def _content(memory: Memory) -> dict[str, Any]:
    if memory.content and not content_problems(memory.kind, memory.content):
        return memory.content
    return from_words(memory.kind, memory.text or memory.title, memory.title).content


def _tags(tags: Sequence[str]) -> tuple[str, ...]:
    names = dict.fromkeys(name for tag in tags if (name := sanitize.tag(tag)) and name != NO_TAGS)
    return tuple(names)[:MOST_TAGS] or (NO_TAGS,)
