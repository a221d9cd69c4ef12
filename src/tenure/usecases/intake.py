"""The entrance: whatever arrives is first checked, cleaned of invisible characters and stripped of secrets.

Only the engine sets origin, trust, state and counters; a proposal that claims them is refused.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import msgspec

from tenure.model.decoding import convert
from tenure.model.errors import InvalidInput
from tenure.model.kinds import KINDS, OTHER_NAMES, content_problems
from tenure.model.memory import SCOPES, TRUST_ORDER, Memory, Trust
from tenure.model.policy import Policy
from tenure.rules.consolidate import Proposal
from tenure.rules.protect import kept_tags
from tenure.text.redact import holds_secret, redact, redact_value
from tenure.text.words import clean, nearest, one_line

_FIELDS = frozenset(Proposal.__struct_fields__)
ID_CHARS = 80
# The source of what an agent only repeats: it stands in a tool's result of its session (`capture.repeated_from_tools`).
REPEATED = "external:session"
# What a memory says in words; the rest of it are ids, counters and times.
WORDS = ("title", "text", "content", "tags", "files", "evidence", "changes", "extra", "source", "domain", "agent")


def proposal(raw: Mapping[str, Any], policy: Policy, *, known_kinds: Sequence[str] = tuple(KINDS)) -> Proposal:
    """Return what was handed in as a proposal; raise `InvalidInput` naming the field that is wrong."""
    for name in raw:
        if name not in _FIELDS:
            raise _wrong(name, f"is not a field of a proposal; its fields are {', '.join(sorted(_FIELDS))}")
    text, title = _text(raw, "text"), _text(raw, "title")
    content = raw.get("content") or {}
    if not isinstance(content, Mapping):
        raise _wrong("content", f"must be an object, found {content!r:.60}")
    kind = _text(raw, "kind") or ("lesson" if "lesson" in known_kinds else known_kinds[0])
    if kind not in known_kinds:
        meant = [known for known in [OTHER_NAMES.get(kind.casefold())] if known in known_kinds]
        close = meant or nearest(kind, known_kinds, 1)
        hint = f"Did you mean {close[0]}?" if close else ""
        raise _wrong("kind", f"{kind!r:.60} is not a kind; expected one of {', '.join(known_kinds)}", hint)
    content = clean_value(redact_value(dict(content)))
    for field, message in content_problems(kind, content):
        raise _wrong(field, message)
    _limit("text", text, policy.write.text_bytes)
    _limit("content", str(content), policy.write.content_bytes)
    scope = _text(raw, "scope") or "project"
    if scope not in SCOPES:
        raise _wrong("scope", f"{scope!r:.60} is not a scope; expected one of {', '.join(SCOPES)}")
    title = safe(title)
    text = safe(text) or title
    if not text:
        raise _wrong("text", "is empty; a memory needs a text or a title")
    return Proposal(
        kind=kind,
        title=one_line(title or first_sentence(text), policy.write.title_chars),
        text=text,
        content=content,
        evidence=_evidence(raw),
        run=_line(raw, "run"),
        tags=tags(_list(raw, "tags"), policy),
        files=tuple(dict.fromkeys(path for item in _list(raw, "files") if (path := one_line(safe(item), 400)))),
        source=_line(raw, "source"),
        scope=scope,
        domain=_line(raw, "domain"),
        agent=_line(raw, "agent"),
        event=_line(raw, "event"),
    )


def safe(text: str) -> str:
    """Return a text without invisible characters, terminal escapes and secrets."""
    return redact(clean(text).strip())[0]


def without_secrets(memory: Memory) -> Memory:
    """Return a memory without secrets in anything it says: other systems and older rules leave them in."""
    said = {name: msgspec.to_builtins(getattr(memory, name)) for name in WORDS}
    safe = redact_value(said)
    assert isinstance(safe, dict)
    return memory if safe == said else convert({**msgspec.to_builtins(memory), **safe}, Memory)


def tags(items: Sequence[str], policy: Policy) -> tuple[str, ...]:
    """Return tags in lower case, without repetitions, at most as many as the policy keeps."""
    return kept_tags(_distinct(items), policy)[0]


def tags_left_out(items: Sequence[str], policy: Policy) -> str:
    """Say which tags `tags` leaves out because there are too many; empty when none."""
    return kept_tags(_distinct(items), policy)[1]


def _distinct(items: Sequence[str]) -> tuple[str, ...]:
    found = (one_line(safe(item), 60).lower() for item in items)
    return tuple(dict.fromkeys(tag for tag in found if tag))


def trust_of(source: str, policy: Policy, *, otherwise: Trust) -> Trust:
    """Return how far a source is trusted, by the first word of its name."""
    return policy.routing.trust.get(source.split(":", 1)[0].strip().lower(), otherwise)


def least(one: Trust, other: Trust) -> Trust:
    """Return the less trusted of two classes."""
    return max(one, other, key=TRUST_ORDER.index)


def check_id(id: str) -> str:
    """Return an id a user chose; refuse one that could be mistaken for a path or an option, or looks like a secret."""
    if holds_secret(id):
        # Without the value: an error is printed and logged.
        raise _wrong("id", "this looks like a secret, and ids are stored and printed as they are", "Choose another id.")
    allowed = id.isascii() and all(c.isalnum() or c in "._-" for c in id)
    if not id or len(id) > ID_CHARS or not allowed or not id[0].isalnum() or ".." in id:
        raise _wrong(
            "id",
            f"{one_line(id, 40)!r} is not an id; use letters, digits, '.', '_' and '-', at most {ID_CHARS} characters",
        )
    return id


def first_sentence(text: str) -> str:
    """Return the beginning of a text that can stand as its title."""
    line = next((line.strip() for line in text.splitlines() if line.strip()), "")
    for end in (". ", "; ", " — "):
        head, separator, _ = line.partition(end)
        if separator and 12 <= len(head) <= 120:
            return head
    return line.rstrip(".")


def clean_value(value: Any) -> Any:
    """Return a JSON value with every text in it cleaned."""
    if isinstance(value, str):
        return clean(value)
    if isinstance(value, Mapping):
        return {clean(str(key)): clean_value(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [clean_value(item) for item in value]
    return value


def _text(raw: Mapping[str, Any], name: str) -> str:
    value = raw.get(name)
    if value is None:
        return ""
    if not isinstance(value, str):
        raise _wrong(name, f"must be a text, found {value!r:.60}")
    return value


def _line(raw: Mapping[str, Any], name: str) -> str:
    line = _text(raw, name)
    return one_line(safe(line), 200) if line else ""


def _list(raw: Mapping[str, Any], name: str) -> list[str]:
    value = raw.get(name) or []
    if isinstance(value, str):
        value = [value]
    if not isinstance(value, list | tuple) or not all(isinstance(item, str) for item in value):
        raise _wrong(name, f"must be a list of texts, found {value!r:.60}")
    return list(value)


def _evidence(raw: Mapping[str, Any]) -> tuple[str, ...]:
    items = raw.get("evidence") or []
    if isinstance(items, str):
        items = [items]
    if not isinstance(items, list | tuple):
        raise _wrong("evidence", f"must be a list, found {items!r:.60}")
    references = []
    for item in items:
        reference = item.get("ref") if isinstance(item, Mapping) else item
        if not isinstance(reference, str) or not reference.strip():
            raise _wrong("evidence", f"must hold references as texts, found {item!r:.60}")
        references.append(one_line(safe(reference), 200))
    return tuple(dict.fromkeys(references))


def _limit(name: str, text: str, most: int) -> None:
    size = len(text.encode("utf-8", "surrogatepass"))
    if size > most:
        raise _wrong(name, f"has {size:,} bytes; at most {most:,} are kept")


def _wrong(field: str, message: str, hint: str = "") -> InvalidInput:
    return InvalidInput(f"{field}: {message}.", field=field, hint=hint)
