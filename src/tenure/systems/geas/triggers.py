"""The six patterns that become candidates by themselves when they repeat.

`records` turns one artifact into what a trigger counts; `candidates` finds what has repeated often enough.
The title of such a candidate names the pattern and nothing else, so that the next repetition is recognised by
it as more evidence for the same lesson.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from datetime import datetime
from typing import Any

import msgspec

from tenure.systems.geas import documents, extract, paths
from tenure.systems.geas.codec import Document
from tenure.systems.geas.tables import Tables, Trigger

# Trigger -> title and summary; {key} is what repeated.
TEXTS = {
    "failure_class": ("Repeated failure: {key}", "Tasks failed more than once with the failure class {key}"),
    "reviewer_concern_category": (
        "Repeated reviewer concern: {key}",
        "Reviewers raised {key} concerns in more than one task",
    ),
    "recovery_class": ("Repeated recovery: {key}", "Sessions needed the recovery {key} more than once"),
    "low_confidence": (
        "Low confidence in {key} tasks",
        "Workers repeatedly reported low confidence in their own {key} work",
    ),
    "test_recipe": (
        "Test recipe that works: {key}",
        "The recipe {key} was used with effect in several tasks",
    ),
    "integration_conflict": (
        "Repeated conflicts in {key}",
        "Integration met conflicts in {key} more than once",
    ),
}
# Trigger -> first part of its evidence references.
REFERENCES = {
    "failure_class": "failure",
    "reviewer_concern_category": "review",
    "recovery_class": "recovery",
    "low_confidence": "self-check",
    "test_recipe": "retro",
    "integration_conflict": "integration",
}
KEY_CHARACTERS = 120


class Record(msgspec.Struct, frozen=True):
    """One occurrence of what a trigger counts."""

    trigger: str
    task_id: str
    key: str
    source: str = ""
    reference: str = ""


def records(
    artifact: str,
    document: Mapping[str, Any],
    *,
    task_id: str,
    source: str,
    task_kind: str | None,
    tables: Tables,
) -> list[Record]:
    """Return what the triggers count in one artifact; `task_kind` is the task contract's, if there is one."""
    details = tables.trigger_details
    found: list[tuple[str, object]] = []
    if artifact == "failure-record":
        found = [("failure_class", document.get("failure_class") or document.get("failure_source"))]
    elif artifact in ("specialist-review", "challenge-review"):
        found = [("reviewer_concern_category", key) for key in dict.fromkeys(_categories(document))]
    elif artifact == "recovery-packet":
        found = [("recovery_class", document.get("recovery_class"))]
    elif artifact == "worker-self-check":
        level = document.get("confidence")
        if isinstance(level, int) and not isinstance(level, bool) and level <= details.low_confidence_at_most:
            found = [("low_confidence", document.get("task_kind") or task_kind)]
    elif artifact == "integration-result":
        if document.get("conflict_status") not in (None, "clean"):
            found = [("integration_conflict", path) for path in dict.fromkeys(_texts(document, "files_changed"))]
    elif artifact == "retrospective":
        lines = _texts(document, "what_went_well")
        found = [("test_recipe", key) for key in dict.fromkeys(_recipes(lines, details.recipe_prefixes))]
    # What repeats is a short name; a longer text cannot be one.
    named = [(trigger, " ".join(key.split())) for trigger, key in found if isinstance(key, str)]
    reference = f"recovery-{document.get('recovery_id')}" if artifact == "recovery-packet" else ""
    return [
        Record(trigger, task_id, key, source, reference) for trigger, key in named if 0 < len(key) <= KEY_CHARACTERS
    ]


def _categories(document: Mapping[str, Any]) -> Iterator[str]:
    for field in ("blocking_concerns", "concerns"):
        concerns = document.get(field)
        for concern in concerns if isinstance(concerns, list) else []:
            category = concern.get("category") if isinstance(concern, dict) else None
            if isinstance(category, str):
                yield category


def _texts(document: Mapping[str, Any], field: str) -> list[str]:
    values = document.get(field)
    return [value for value in values if isinstance(value, str)] if isinstance(values, list) else []


def _recipes(lines: Iterable[str], prefixes: tuple[str, ...]) -> Iterator[str]:
    for line in lines:
        text = line.strip()
        for prefix in prefixes:
            if text.casefold().startswith(prefix):
                yield text[len(prefix) :].strip().rstrip(".")


def candidates(found: Iterable[Record], *, taken: Collection[str], now: datetime, tables: Tables) -> list[Document]:
    """Return a candidate for every pattern that repeated often enough, in the order of first occurrence."""
    groups: dict[tuple[str, str], list[Record]] = {}
    for record in found:
        groups.setdefault((record.trigger, record.key.casefold()), []).append(record)
    made: list[Document] = []
    used = set(taken)
    for (trigger, _), group in _within_limits(groups, tables):
        rule = tables.triggers[trigger]
        if _count(group, rule) < rule.at_least:
            continue
        document = _candidate(trigger, group, rule, used, now, tables)
        used.add(document["memory_id"])
        made.append(document)
    return made


def _count(group: list[Record], rule: Trigger) -> int:
    return len({record.task_id for record in group}) if rule.count == "tasks" else len(group)


def _within_limits(
    groups: Mapping[tuple[str, str], list[Record]], tables: Tables
) -> list[tuple[tuple[str, str], list[Record]]]:
    conflicts = [key for key in groups if key[0] == "integration_conflict"]
    conflicts.sort(key=lambda key: -len(groups[key]))
    dropped = set(conflicts[tables.trigger_details.conflict_paths_at_most :])
    return [(key, group) for key, group in groups.items() if key not in dropped]


def _candidate(
    trigger: str, group: list[Record], rule: Trigger, taken: Collection[str], now: datetime, tables: Tables
) -> Document:
    key = group[0].key
    title, summary = (text.format(key=key) for text in TEXTS[trigger])
    kind = rule.type
    if trigger == "reviewer_concern_category":
        kind = tables.concern_types.get(key.casefold(), rule.type)
    task_id = paths.safe_id(group[-1].task_id, field="task_id")
    return documents.candidate(
        memory_id=extract.next_id(task_id, taken),
        memory_type=kind,
        title=title,
        summary=summary,
        scope=tables.extraction.default_scope,
        evidence_refs=list(_references(trigger, group)),
        confidence=rule.confidence,
        reason=f"Repeated pattern: {trigger} {key}",
        sources=[record.source for record in group if record.source] or [f"trigger-{trigger}"],
        now=now,
    )


def _references(trigger: str, group: list[Record]) -> Iterator[str]:
    seen: dict[str, int] = {}
    for record in group:
        reference = record.reference or f"{REFERENCES[trigger]}-{record.task_id}"
        seen[reference] = seen.get(reference, 0) + 1
        # A second review or recipe in one task is no second piece of evidence, a second failure is.
        if seen[reference] == 1:
            yield reference
        elif trigger == "failure_class":
            yield f"{reference}-{seen[reference]}"
