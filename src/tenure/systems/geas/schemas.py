"""Checking geas artifacts against their schemas; each problem names its field, what was found and expected.

The shapes are data in `artifacts.py`; this module only walks them. It judges a document as it stands: what
our readers tolerate (reviewer slots, flat reviews, stray fields) is still a problem here.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Callable, Iterator, Mapping
from pathlib import PurePath
from typing import Any

import msgspec

from tenure.model import clock
from tenure.model.errors import InvalidInput
from tenure.systems.geas.artifacts import SCHEMAS, Schema

# Longer values are cut in messages.
SHOWN_CHARACTERS = 60

# A folder of .geas says what its files are when they do not say so themselves.
FOLDERS = {
    "candidates": "memory-candidate",
    "entries": "memory-entry",
    "logs": "memory-application-log",
    "recovery": "recovery-packet",
}


class SchemaProblem(msgspec.Struct, frozen=True):
    """One way in which a document breaks its schema; `rule` is the JSON Schema keyword it breaks."""

    field: str
    message: str
    rule: str


def schema(artifact: str) -> Schema:
    """Return the JSON Schema of an artifact; raise `InvalidInput` for a name geas does not have."""
    if artifact not in SCHEMAS:
        raise InvalidInput(f"{artifact!r} is not a geas artifact; expected one of {', '.join(SCHEMAS)}.")
    return SCHEMAS[artifact]


def problems(document: object, artifact: str | None = None, *, path: PurePath | None = None) -> list[SchemaProblem]:
    """Return everything wrong with the document, in the order of its fields; nothing means it is valid."""
    kind = artifact or artifact_of(document, path)
    if kind is None:
        if not isinstance(document, dict):
            return [SchemaProblem("", f"found {_shown(document)}, expected an object", "type")]
        expected = "expected one of " + ", ".join(name.replace("-", "_") for name in SCHEMAS)
        return [SchemaProblem("artifact_type", f"found {_shown(_stated(document))}, {expected}", "enum")]
    return list(_walk(document, schema(kind), ""))


def artifact_of(document: object, path: PurePath | None = None) -> str | None:
    """Return which artifact this is, by its `artifact_type`, else by its place; None when neither tells."""
    stated = _stated(document)
    if isinstance(stated, str) and stated.replace("_", "-") in SCHEMAS:
        return stated.replace("_", "-")
    if path is None:
        return None
    if path.name.endswith("-review.json") and path.parent.name in ("candidates", "entries"):
        return "memory-review"
    if path.parent.name in FOLDERS:
        return FOLDERS[path.parent.name]
    return path.stem if path.stem in SCHEMAS else None


def _stated(document: object) -> object:
    if not isinstance(document, dict):
        return None
    meta = document.get("meta")
    if isinstance(meta, dict) and "artifact_type" in meta:
        return meta["artifact_type"]
    return document.get("artifact_type")


def _walk(value: object, shape: Schema, field: str) -> Iterator[SchemaProblem]:
    wanted = shape.get("type")
    if wanted is not None and not _is_any(value, wanted):
        names = " or ".join([wanted] if isinstance(wanted, str) else wanted)
        yield SchemaProblem(field, f"found {_shown(value)}, expected {_with_article(names)}", "type")
        return
    for rule, check in CHECKS.items():
        if rule in shape:
            complaint = check(value, shape[rule])
            if complaint:
                yield SchemaProblem(field, complaint, rule)
    if isinstance(value, dict) and "properties" in shape:
        yield from _walk_object(value, shape, field)
    elif isinstance(value, list) and "items" in shape:
        for number, item in enumerate(value):
            yield from _walk(item, shape["items"], f"{field}[{number}]")


def _walk_object(value: dict[str, Any], shape: Schema, field: str) -> Iterator[SchemaProblem]:
    prefix = f"{field}." if field else ""
    for name in shape["required"]:
        if name not in value:
            yield SchemaProblem(prefix + name, "found nothing, expected the field to be there", "required")
    for name, item in value.items():
        if name in shape["properties"]:
            yield from _walk(item, shape["properties"][name], prefix + name)
        else:
            allowed = ", ".join(shape["properties"])
            yield SchemaProblem(
                prefix + name,
                f"found a field that is not allowed, expected only {allowed}",
                "additionalProperties",
            )


def _is_any(value: object, wanted: str | list[str]) -> bool:
    return any(TYPES[name](value) for name in ([wanted] if isinstance(wanted, str) else wanted))


def _is_number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value)


def _is_integer(value: object) -> bool:
    # JSON Schema counts 1.0 as an integer.
    return _is_number(value) and (isinstance(value, int) or (isinstance(value, float) and value.is_integer()))


TYPES: Mapping[str, Callable[[object], bool]] = {
    "string": lambda value: isinstance(value, str),
    "integer": _is_integer,
    "number": _is_number,
    "boolean": lambda value: isinstance(value, bool),
    "null": lambda value: value is None,
    "array": lambda value: isinstance(value, list),
    "object": lambda value: isinstance(value, dict),
}


def _const(value: object, wanted: object) -> str:
    return "" if value == wanted else f"found {_shown(value)}, expected {_shown(wanted)}"


def _enum(value: object, wanted: list[str]) -> str:
    return "" if value in wanted else f"found {_shown(value)}, expected one of {', '.join(wanted)}"


def _min_length(value: Any, least: int) -> str:
    return "" if len(value) >= least else "found an empty text, expected at least one character"


def _min_items(value: Any, least: int) -> str:
    return "" if len(value) >= least else f"found {len(value)} elements, expected at least {least}"


def _minimum(value: Any, least: float) -> str:
    return "" if value >= least else f"found {_shown(value)}, expected {least} or more"


def _maximum(value: Any, most: float) -> str:
    return "" if value <= most else f"found {_shown(value)}, expected {most} or less"


def _unique(value: Any, _: bool) -> str:
    seen: set[str] = set()
    for item in value:
        text = json.dumps(item, sort_keys=True)
        if text in seen:
            return f"found {_shown(item)} more than once, expected different values"
        seen.add(text)
    return ""


def _pattern(value: Any, pattern: str) -> str:
    # `$` would let a final newline pass.
    if re.fullmatch(pattern.removeprefix("^").removesuffix("$"), value):
        return ""
    return f"found {_shown(value)}, expected the form 2026-04-03T14:00:00Z"


def _format(value: Any, _: str) -> str:
    try:
        if len(value) > len("2026-04-03"):
            clock.parse(value)
            return ""
    except InvalidInput:
        pass
    return f"found {_shown(value)}, expected a time"


CHECKS: Mapping[str, Callable[[Any, Any], str]] = {
    "const": _const,
    "enum": _enum,
    "minLength": _min_length,
    "minItems": _min_items,
    "minimum": _minimum,
    "maximum": _maximum,
    "uniqueItems": _unique,
    "pattern": _pattern,
    "format": _format,
}


def _shown(value: object) -> str:
    if value is None:
        return "null"
    if isinstance(value, dict):
        return "an object"
    if isinstance(value, list):
        return "a list"
    text = json.dumps(value)
    return text if len(text) <= SHOWN_CHARACTERS else text[:SHOWN_CHARACTERS] + "…"


def _with_article(names: str) -> str:
    return f"an {names}" if names[0] in "aio" else f"a {names}"
