"""What a valid record looks like, as tables, and the check that reads them.

Unknown keys are refused everywhere. Times are plain texts: their form is not checked, as in the original.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import Any, NamedTuple

from tenure.systems.claude_memory.records import MAX_SUMMARY, STATUSES, Record

ID = re.compile(r"\A[a-z0-9-]{1,80}\Z")
MAX_TITLE = 120
MAX_TAG = 120
SHOWN = 120  # characters of a wrong value that a message repeats


class Field(NamedTuple):
    """One field: its kind, and what that kind must satisfy."""

    kind: str
    required: bool = False
    nullable: bool = True
    choices: tuple[str, ...] = ()
    least: int = 0
    most: int = 0
    fields: Mapping[str, Field] = {}


class FieldProblem(NamedTuple):
    """A field that is not what it should be."""

    field: str
    found: str
    expected: str


def _text(most: int = 0, least: int = 0) -> Field:
    return Field("text", required=True, nullable=False, most=most, least=least)


def _choice(*choices: str) -> Field:
    return Field("choice", required=True, nullable=False, choices=choices)


def _texts(least: int = 0, most: int = 0) -> Field:
    return Field("texts", required=True, nullable=False, least=least, most=most)


TEXT = Field("text")
TEXTS = Field("texts")

CONTENT: dict[str, dict[str, Field]] = {
    "session_summary": {
        "goal": _text(),
        "outcome": _choice("success", "partial", "blocked", "abandoned"),
        "completed": _texts(),
        "in_progress": TEXTS,
        "blockers": TEXTS,
        "next_actions": _texts(),
        "key_changes": TEXTS,
    },
    "decision": {
        "status": _choice("proposed", "accepted", "deprecated", "superseded"),
        "context": _text(),
        "decision": _text(),
        "alternatives": Field("objects", fields={"option": _text(), "rejected_reason": _text()}),
        "rationale": _texts(least=1),
        "consequences": TEXTS,
    },
    "runbook": {
        "trigger": _text(),
        "symptoms": TEXTS,
        "steps": _texts(least=1),
        "verification": _text(),
        "root_cause": TEXT,
        "environment": TEXT,
    },
    "constraint": {
        "kind": _choice("limitation", "gap", "policy", "technical"),
        "rule": _text(),
        "impact": _texts(least=1),
        "workarounds": TEXTS,
        "severity": _choice("high", "medium", "low"),
        "active": Field("flag", required=True, nullable=False),
        "expires": TEXT,
    },
    "tech_debt": {
        "status": _choice("open", "in_progress", "resolved", "wont_fix"),
        "priority": _choice("critical", "high", "medium", "low"),
        "description": _text(),
        "reason_deferred": _text(),
        "impact": TEXTS,
        "suggested_fix": TEXTS,
        "acceptance_criteria": TEXTS,
    },
    "preference": {
        "topic": _text(),
        "value": _text(),
        "reason": _text(),
        "strength": _choice("strong", "default", "soft"),
        "examples": Field("object", fields={"prefer": TEXTS, "avoid": TEXTS}),
    },
}

CHANGE = {
    "date": _text(),
    "summary": _text(most=MAX_SUMMARY),
    "field": TEXT,
    "old_value": Field("any"),
    "new_value": Field("any"),
}


def envelope(category: str) -> dict[str, Field]:
    """Return the fields of a record of the category, in the order problems are reported."""
    return {
        "schema_version": _choice("1.0"),
        "category": _choice(category),
        "id": Field("id", required=True, nullable=False),
        "title": _text(most=MAX_TITLE, least=1),
        "record_status": Field("choice", nullable=False, choices=STATUSES),
        "created_at": _text(),
        "updated_at": _text(),
        "tags": _texts(least=1, most=MAX_TAG),
        "related_files": TEXTS,
        "confidence": Field("share"),
        "content": Field("object", required=True, nullable=False, fields=CONTENT[category]),
        "changes": Field("objects", fields=CHANGE),
        "times_updated": Field("count", nullable=False),
        "retired_at": TEXT,
        "retired_reason": TEXT,
        "archived_at": TEXT,
        "archived_reason": TEXT,
    }


def problems(record: Record, category: str) -> list[FieldProblem]:
    """Return everything that keeps the record from being valid, by field path; nothing when it is valid."""
    return _object(record, envelope(category), "")


def _object(value: Any, fields: Mapping[str, Field], path: str) -> list[FieldProblem]:
    if not isinstance(value, dict):
        return [FieldProblem(path, _shown(value), "an object")]
    found: list[FieldProblem] = []
    for name, field in fields.items():
        place = f"{path}.{name}" if path else name
        if name not in value:
            if field.required:
                found.append(FieldProblem(place, "nothing", _expected(field)))
        elif not (value[name] is None and field.nullable):
            found.extend(_value(value[name], field, place))
    for name in value:
        if name not in fields:
            place = f"{path}.{name}" if path else str(name)
            found.append(
                FieldProblem(place[:SHOWN], _shown(value[name]), "no such field: extra keys are not permitted")
            )
    return found


def _value(value: Any, field: Field, path: str) -> list[FieldProblem]:
    if field.kind == "object":
        return _object(value, field.fields, path)
    if field.kind in ("texts", "objects"):
        if not isinstance(value, list) or len(value) < field.least:
            return [FieldProblem(path, _shown(value), _expected(field))]
        item = Field("object", fields=field.fields) if field.kind == "objects" else Field("text", most=field.most)
        return [p for number, entry in enumerate(value) for p in _value(entry, item, f"{path}.{number}")]
    return [] if _fits(value, field) else [FieldProblem(path, _shown(value), _expected(field))]


def _fits(value: Any, field: Field) -> bool:
    match field.kind:
        case "text":
            return isinstance(value, str) and len(value) >= field.least and not 0 < field.most < len(value)
        case "choice":
            return isinstance(value, str) and value in field.choices
        case "id":
            return isinstance(value, str) and ID.fullmatch(value) is not None and value.strip("-") == value
        case "flag":
            return isinstance(value, bool)
        case "count":
            return isinstance(value, int) and not isinstance(value, bool)
        case "share":
            return isinstance(value, (int, float)) and not isinstance(value, bool) and 0 <= value <= 1
    return True


def _expected(field: Field) -> str:
    match field.kind:
        case "choice":
            return " or ".join(repr(choice) for choice in field.choices)
        case "text" if field.most:
            return f"a text of {field.least} to {field.most} characters"
        case "texts" if field.least:
            return f"a list of at least {field.least} text"
    return {
        "text": "a text",
        "texts": "a list of texts",
        "objects": "a list of objects",
        "object": "an object",
        "flag": "true or false",
        "count": "a whole number",
        "share": "a number from 0.0 to 1.0",
        "id": "1 to 80 lower-case letters, digits and dashes, with no dash at either end",
    }.get(field.kind, "a value")


def _shown(value: Any) -> str:
    text = value[: SHOWN + 1] if isinstance(value, str) else value
    shown = json.dumps(text, ensure_ascii=False, default=repr)
    return shown if len(shown) <= SHOWN else shown[:SHOWN] + "…"
