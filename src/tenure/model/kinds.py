"""The kinds of memories and the typed content each may carry.

The fields are those of claude-memory's records. Content is optional: a memory may be plain text. When content is
given it must be complete and of the right shape, because half a runbook is worse than a sentence.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from tenure.model.memory import Memory
from tenure.text.names import names

KINDS: dict[str, str] = {
    "decision": "A choice and its reasons: why this and not that.",
    "constraint": "A limit that will not go away: a quota, a policy, a platform's wall.",
    "preference": "How the user wants things done.",
    "runbook": "An error, how to diagnose it, fix it and see that it is fixed.",
    "tech_debt": "Work put off, and why.",
    "session_summary": "Where a session stopped, to go on from there.",
    "lesson": "Something learned that fits no other kind.",
    "reference": "Where to look something up.",
}

# What people and other tools call a kind.
OTHER_NAMES: dict[str, str] = {
    "gotcha": "lesson", "pitfall": "lesson", "tip": "lesson", "fact": "lesson", "note": "lesson", "learning": "lesson",
    "convention": "constraint", "rule": "constraint", "limit": "constraint", "guideline": "constraint",
    "howto": "runbook", "how-to": "runbook", "procedure": "runbook", "troubleshooting": "runbook", "fix": "runbook",
    "style": "preference", "choice": "decision", "adr": "decision", "todo": "tech_debt", "debt": "tech_debt",
    "link": "reference", "summary": "session_summary",
}  # fmt: skip

_TEXT, _LIST, _FULL_LIST, _FLAG = "text", "list of texts", "list of at least one text", "true or false"
_PAIRS, _EXAMPLES = "list of {option, rejected_reason}", "{prefer: list of texts, avoid: list of texts}"

Shape = str | tuple[str, ...]

# kind -> (required, optional); a tuple lists the values allowed.
CONTENT: dict[str, tuple[dict[str, Shape], dict[str, Shape]]] = {
    "session_summary": (
        {
            "goal": _TEXT,
            "outcome": ("success", "partial", "blocked", "abandoned"),
            "completed": _LIST,
            "next_actions": _LIST,
        },
        {"in_progress": _LIST, "blockers": _LIST, "key_changes": _LIST},
    ),
    "decision": (
        {
            "status": ("proposed", "accepted", "deprecated", "superseded"),
            "context": _TEXT,
            "decision": _TEXT,
            "rationale": _FULL_LIST,
        },
        {"alternatives": _PAIRS, "consequences": _LIST},
    ),
    "runbook": (
        {"trigger": _TEXT, "steps": _FULL_LIST, "verification": _TEXT},
        {"symptoms": _LIST, "root_cause": _TEXT, "environment": _TEXT},
    ),
    "constraint": (
        {
            "kind": ("limitation", "gap", "policy", "technical"),
            "rule": _TEXT,
            "impact": _FULL_LIST,
            "severity": ("high", "medium", "low"),
            "active": _FLAG,
        },
        {"workarounds": _LIST, "expires": _TEXT},
    ),
    "tech_debt": (
        {
            "status": ("open", "in_progress", "resolved", "wont_fix"),
            "priority": ("critical", "high", "medium", "low"),
            "description": _TEXT,
            "reason_deferred": _TEXT,
        },
        {"impact": _LIST, "suggested_fix": _LIST, "acceptance_criteria": _LIST},
    ),
    "preference": (
        {"topic": _TEXT, "value": _TEXT, "reason": _TEXT, "strength": ("strong", "default", "soft")},
        {"examples": _EXAMPLES},
    ),
}


def content_problems(kind: str, content: Mapping[str, Any]) -> list[tuple[str, str]]:
    """Return (field path, what is wrong) for each fault in a memory's content; empty content has none."""
    if kind not in CONTENT or not content:
        return []
    required, optional = CONTENT[kind]
    problems = [
        (f"content.{name}", f"is missing; a {kind} needs {describe(shape)}")
        for name, shape in required.items()
        if name not in content
    ]
    for name, value in content.items():
        shape = required.get(name) or optional.get(name)
        if shape is None:
            known = ", ".join([*required, *optional])
            problems.append((f"content.{name}", f"is not a field of a {kind}; its fields are {known}"))
        elif not _fits(shape, value):
            problems.append((f"content.{name}", f"must be {describe(shape)}, found {value!r:.80}"))
    return problems


def describe(shape: Shape) -> str:
    """Return a field's shape in words."""
    return f"one of {', '.join(shape)}" if isinstance(shape, tuple) else f"a {shape}".replace("a true", "true")


def _begins_with(text: str, title: str) -> bool:
    """Tell whether a title begins a text, up to a blank or a full stop, and so names nothing else."""
    following = text[len(title) : len(title) + 2].strip(".")
    return text.startswith(title) and (not following or following.isspace())


def content_words(content: object) -> str:
    """Return the texts inside a content object, without its keys, for searching and comparing."""
    if isinstance(content, str):
        return content
    if isinstance(content, Mapping):
        return "\n".join(filter(None, (content_words(value) for value in content.values())))
    if isinstance(content, list | tuple):
        return "\n".join(filter(None, (content_words(value) for value in content)))
    return ""


def _fits(shape: Shape, value: object) -> bool:
    if isinstance(shape, tuple):
        return value in shape
    if shape == _TEXT:
        return isinstance(value, str) and bool(value.strip())
    if shape == _FLAG:
        return isinstance(value, bool)
    if shape == _EXAMPLES:
        return (
            isinstance(value, Mapping)
            and set(value) <= {"prefer", "avoid"}
            and all(_is_texts(items) for items in value.values())
        )
    if shape == _PAIRS:
        return isinstance(value, list) and all(
            isinstance(pair, Mapping) and set(pair) == {"option", "rejected_reason"} and _is_texts(list(pair.values()))
            for pair in value
        )
    return _is_texts(value) and (shape != _FULL_LIST or bool(value))


def _is_texts(value: object) -> bool:
    return isinstance(value, list) and all(isinstance(item, str) for item in value)


# Names are looked for in so much of a text and of a content; what comes later is found by its words.
NAMED_CHARS = 20_000


# The fields of a memory that the full-text index is made of, and nothing else.
INDEXED = ("title", "tags", "text", "content", "files")


def indexed(memory: Memory) -> tuple[str, str, str, str, str]:
    """Return title, tags, text, content and names as the full-text index takes them."""
    content = content_words(memory.content) if memory.content else ""
    title = "" if _begins_with(memory.text, memory.title) else memory.title
    texts = (title, *memory.tags, memory.text[:NAMED_CHARS], content[:NAMED_CHARS], *memory.files)
    named = names("\n".join(texts))
    return memory.title, " ".join(memory.tags), memory.text, content, " ".join(named)
