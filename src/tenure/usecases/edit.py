"""`edit`: changing what a memory says, within the write protections."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import msgspec

from tenure.model import clock
from tenure.model.decoding import convert
from tenure.model.errors import BadRequest, InvalidInput, Refused
from tenure.model.events import EventType
from tenure.model.evolve import change
from tenure.model.memory import Change, Memory
from tenure.model.policy import Policy
from tenure.rules import protect, transitions
from tenure.rules.consolidate import Proposal
from tenure.rules.contradict import contradictions
from tenure.systems.api import System
from tenure.text.redact import redact_value
from tenure.text.words import one_line
from tenure.usecases import intake, new_memory, suggested
from tenure.usecases.answers import Written, written
from tenure.usecases.batch import Batch
from tenure.usecases.project import Project

_EDITABLE = ("title", "text", "content", "tags", "files")


def edit(
    project: Project, system: System, id: str, fields: Mapping[str, Any], *, expected_version: int | None = None
) -> Written:
    """Apply the fields that differ and record each change; return the memory after it."""
    if (after := suggested.edit(project, id, fields)) is not None:
        return after
    notes: list[str] = []

    def changed(batch: Batch, memory: Memory) -> Memory | None:
        project.keep_guarded(memory, "edit")
        return apply(system, batch, memory, project.place.project, fields, notes)

    edited = project.change(id, changed, expected_version)
    return written(edited, [*system.take_notes(), *notes])


def apply(
    system: System, batch: Batch, memory: Memory, project: Path, fields: Mapping[str, Any], notes: list[str]
) -> Memory | None:
    """Apply the fields inside a batch; what the user should know is added to `notes`."""
    protect.check_immutable(memory, dict(fields))
    for name in fields:
        if name not in (*_EDITABLE, *protect.IMMUTABLE, "changes"):
            raise BadRequest(f"{name} cannot be edited; what can is {', '.join(_EDITABLE)}.", field=name)
    if "text" in fields and "title" not in fields and memory.title == _derived(memory.text, batch.policy):
        # A title that was only the beginning of the old text goes with it.
        fields = {**fields, "title": _derived(str(fields["text"]), batch.policy)}
    wanted = _checked(batch, memory, fields)
    wanted = system.edited(memory, wanted)
    if "tags" in wanted:
        protect.check_tags(memory, wanted["tags"], batch.policy)
    if "files" in wanted:
        protect.check_files(memory, wanted["files"], lambda path: (project / path).exists())
    history = memory.changes
    if "changes" in fields:
        history = _history(fields["changes"])
        protect.check_changes(memory, history, batch.policy)
    entries = [_entry(memory, name, value, clock.stamp(batch.now)) for name, value in wanted.items()]
    if not entries and history == memory.changes:
        return memory
    if batch.actor.is_agent and memory.phase in ("gone", "held"):
        # Else it comes back with these words when what took it away is reversed.
        raise Refused(f"{memory.id} is not in use, so an agent does not change it.", hint="Add what is true instead.")
    wanted["changes"] = protect.kept_changes((*history, *entries), batch.policy)
    if (batch.actor.is_agent or batch.reviewed) and memory.phase == "live":
        wanted |= transitions.as_proposed(memory, batch.policy)
    after = batch.record(memory, [change(memory, EventType.EDITED, batch.now, set=wanted, actor="user")])
    if after and memory.phase == "live" and after.phase == "pending":
        notes.append(f"It waits for {_who_agrees(batch)} to agree, and agents are not shown it until then.")
    if after and memory.guard != after.guard and memory.guard_is_on:
        notes.append(
            f"The guard was switched on for other words, so it waits for you again: tenure guard {memory.id}"
            if after.guard
            else f"The guard went with the words it was read off. `tenure undo` brings both back to {memory.id}."
        )
    if after and "text" in wanted:
        similar = new_memory.same_and_similar(batch, _as_proposal(after))
        new_memory.refuse_return(batch, after, [known for known in similar if known.id != after.id])
        notes += new_memory.flag_contradictions(batch, after, contradictions(after, similar, batch.policy))
    return batch.get(memory.id)


def _who_agrees(batch: Batch) -> str:
    others = batch.store.team.approvals if batch.store.team else 0
    return f"{others} other{'s' if others > 1 else ''}" if others else "a person"


def _checked(batch: Batch, memory: Memory, fields: Mapping[str, Any]) -> dict[str, Any]:
    if "text" in fields and not intake.safe(str(fields["text"])):
        raise InvalidInput("text: is empty; a memory needs a text.", field="text")
    raw = {name: fields.get(name, getattr(memory, name)) for name in _EDITABLE}
    raw = {name: list(value) if isinstance(value, tuple) else value for name, value in raw.items()}
    cleaned = intake.proposal({**raw, "kind": memory.kind}, batch.policy, known_kinds=(memory.kind,))
    given = set(raw["tags"] or ())
    if protect.kept_tags(sorted(given), batch.policy)[1]:
        protect.check_tags(memory, sorted(given), batch.policy)
    return {
        name: getattr(cleaned, name)
        for name in _EDITABLE
        if name in fields and getattr(cleaned, name) != getattr(memory, name)
    }


def _history(raw: Any) -> tuple[Change, ...]:
    try:
        return convert(intake.clean_value(redact_value(raw)), tuple[Change, ...])
    except msgspec.ValidationError as error:
        raise InvalidInput(f"changes: {error}.", field="changes") from None


def _derived(text: str, policy: Policy) -> str:
    return one_line(intake.first_sentence(intake.safe(text)), policy.write.title_chars)


def _entry(memory: Memory, name: str, value: Any, date: str) -> Change:
    long = name in ("text", "content")
    return Change(
        date=date,
        summary=f"{name} changed",
        field=name,
        # The ledger has long values; the history names the field.
        old_value=None if long else msgspec.to_builtins(getattr(memory, name)),
        new_value=None if long else msgspec.to_builtins(value),
    )


def _as_proposal(memory: Memory) -> Proposal:
    return Proposal(kind=memory.kind, title=memory.title, text=memory.text, content=memory.content)
