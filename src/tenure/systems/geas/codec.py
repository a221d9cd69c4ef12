"""Bytes to geas documents and back.

Reading is lenient about what geas itself gets wrong (reviewer slots, flat reviews, a stray `created_at`,
missing reuse counters, other spellings of a time) and strict about what no honest writer produces (NaN,
duplicate keys, half a character). Writing is strict: exactly the schema's fields, or nothing.
"""

from __future__ import annotations

import copy
import json
from collections.abc import Mapping
from pathlib import PurePath
from typing import Any

import msgspec

from tenure.files import strict_json
from tenure.model import clock
from tenure.model.errors import InvalidInput
from tenure.systems.geas import reviewers, schemas
from tenure.systems.geas.artifacts import COUNTERS, SCHEMAS
from tenure.systems.geas.tables import Tables

Document = dict[str, Any]

META_FIELDS = ("version", "artifact_type", "artifact_id", "producer_type", "created_at")
# Fields whose value must be an agent type, where geas's own skill writes reviewer slots.
AGENT_FIELDS = ("reviewer_type", "applied_by_type", "target_agent_type")
# Confidences have tenths, at most hundredths; a smaller difference comes from binary arithmetic.
NOISE = 1e-9


class ReadDocument(msgspec.Struct, frozen=True):
    """A document as we work with it, what its schema does not know, and what had to be put right."""

    artifact: str
    document: Document
    extra: Document
    repairs: tuple[str, ...]


def parse(data: bytes, *, name: str = "document") -> Any:
    """Return the JSON value; raise `InvalidInput` for anything but plain, finite, unambiguous JSON."""
    try:
        return strict_json.decode(data, max_bytes=len(data))
    except InvalidInput as error:
        raise InvalidInput(f"{name}: {error.message}", hint="Repair the file or move it away.", field=name) from None


def decode(data: bytes, tables: Tables, *, path: PurePath | None = None, artifact: str | None = None) -> ReadDocument:
    """Return the artifact in these bytes, put right where geas is known to err.

    Raises `InvalidInput` with the first problem when it is still not valid afterwards.
    """
    name = path.name if path else "document"
    value = parse(data, name=name)
    kind = artifact or schemas.artifact_of(value, path)
    if not isinstance(value, dict) or kind is None:
        raise InvalidInput(f"{name}: this is not a geas artifact.", hint="Run `tenure check` on it.")
    reading = repaired(value, kind, tables)
    found = schemas.problems(reading.document, kind)
    if found:
        first = found[0]
        raise InvalidInput(f"{name}: {first.field or 'document'}: {first.message}.", field=first.field)
    return reading


def repaired(value: Mapping[str, Any], artifact: str, tables: Tables) -> ReadDocument:
    """Return the document in its schema's form, as far as that can be done without guessing."""
    document: Document = copy.deepcopy(dict(value))
    repairs: list[str] = []
    has_meta = "meta" in SCHEMAS[artifact]["properties"]
    if has_meta and "meta" not in document and "artifact_type" in document:
        document = {
            "meta": {field: document.pop(field) for field in META_FIELDS if field in document},
            **document,
        }
        repairs.append("metadata moved into meta")
    elif has_meta and "created_at" in document:
        del document["created_at"]
        repairs.append("stray created_at removed")
    _complete_type(document, artifact, repairs)
    if artifact == "memory-review":
        _complete_review(document, repairs)
    elif artifact == "memory-entry":
        _complete_entry(document, repairs)
    _name_agents(document, tables, repairs)
    _complete_signals(document, repairs)
    _rewrite_times(document, artifact, repairs)
    extra = {field: document.pop(field) for field in list(document) if field not in SCHEMAS[artifact]["properties"]}
    return ReadDocument(artifact, document, extra, tuple(repairs))


def _complete_type(document: Document, artifact: str, repairs: list[str]) -> None:
    # A candidate moved to entries/ by hand keeps calling itself a candidate.
    meta = document.get("meta")
    name = artifact.replace("-", "_")
    if isinstance(meta, dict) and meta.get("artifact_type", name) != name:
        meta["artifact_type"] = name
        repairs.append(f"artifact_type rewritten as {name}")


def _complete_entry(document: Document, repairs: list[str]) -> None:
    for field, empty in (("supersedes", []), ("superseded_by", None), ("tags", []), ("body", [])):
        if field not in document:
            document[field] = empty
            repairs.append(f"empty {field} added")


def _complete_review(document: Document, repairs: list[str]) -> None:
    meta = document.get("meta")
    if "reviewer_type" not in document and isinstance(meta, dict) and "producer_type" in meta:
        document["reviewer_type"] = meta["producer_type"]
        repairs.append("reviewer_type taken from producer_type")
    for field in ("required_followup", "supersedes"):
        if field not in document:
            document[field] = []
            repairs.append(f"empty {field} added")


def _name_agents(document: Document, tables: Tables, repairs: list[str]) -> None:
    for field in AGENT_FIELDS:
        name = document.get(field)
        if isinstance(name, str) and reviewers.is_slot(name, tables):
            document[field] = reviewers.resolved(name, tables)
            repairs.append(f"{field} {name} resolved to {document[field]}")


def _complete_signals(document: Document, repairs: list[str]) -> None:
    signals = document.get("signals")
    if not isinstance(signals, dict):
        return
    for counter in COUNTERS:
        if counter not in signals:
            signals[counter] = 0
            repairs.append(f"signals.{counter} added as 0")
    if "confidence" in signals:
        signals["confidence"] = signals.pop("confidence")


def _rewrite_times(document: Document, artifact: str, repairs: list[str]) -> None:
    places = [(document, "review_after")]
    if isinstance(document.get("meta"), dict):
        places += [(document["meta"], "created_at"), (document["meta"], "updated_at")]
    for place, field in places:
        text = place.get(field)
        if not isinstance(text, str) or (field == "review_after" and artifact != "memory-entry"):
            continue
        try:
            written = clock.stamp(clock.parse(text, field=field))
        except InvalidInput:
            continue
        if written != text:
            place[field] = written
            repairs.append(f"{field} rewritten as {written}")


def encode(document: Mapping[str, Any], artifact: str) -> bytes:
    """Return the file's bytes; raise `InvalidInput` when the document is not just what the schema allows."""
    found = schemas.problems(dict(document), artifact)
    if found:
        first = found[0]
        raise InvalidInput(f"{artifact}: {first.field or 'document'}: {first.message}.", field=first.field)
    text = json.dumps(_without_noise(document), ensure_ascii=False, indent=2)
    return text.encode("utf-8") + b"\n"


def _without_noise(value: Any) -> Any:
    """Return a copy without the dust of binary fractions: 0.30000000000000004 is written 0.3."""
    if isinstance(value, list):
        return [_without_noise(item) for item in value]
    if isinstance(value, Mapping):
        return {field: _without_noise(item) for field, item in value.items()}
    if isinstance(value, float) and abs(value - round(value, 2)) < NOISE:
        return round(value, 2)
    return value
