"""Converts between plain text and a record's typed content: a content put into words, and a content made from words.

A content made from a text holds nothing but that text: a field for which the text has no part of its own repeats the
text, and is named, so that the user can be told what is missing.
"""

from __future__ import annotations

import re
from typing import Any, NamedTuple

from tenure.text.words import folded

# The main field of each category, then what follows it and the word that introduces it.
MAIN: dict[str, tuple[str, tuple[tuple[str, str], ...]]] = {
    "session_summary": (
        "goal",
        (("completed", "Done"), ("in_progress", "In progress"), ("blockers", "Blocked by"), ("next_actions", "Next")),
    ),
    "decision": ("decision", (("rationale", "Why"), ("context", "Context"), ("consequences", "Consequences"))),
    "runbook": (
        "trigger",
        (("symptoms", "Symptoms"), ("root_cause", "Cause"), ("steps", "Steps"), ("verification", "Verify")),
    ),
    "constraint": ("rule", (("impact", "Impact"), ("workarounds", "Workarounds"))),
    "tech_debt": (
        "description",
        (("reason_deferred", "Deferred because"), ("impact", "Impact"), ("suggested_fix", "Fix")),
    ),
    "preference": ("value", (("topic", "About"), ("reason", "Why"))),
}
# Values of fields that choose from a list, when nobody chose: the one that claims least.
CHOSEN: dict[str, dict[str, Any]] = {
    "session_summary": {"outcome": "partial", "completed": [], "next_actions": []},
    "decision": {"status": "accepted"},
    "runbook": {},
    "constraint": {"kind": "limitation", "severity": "medium", "active": True},
    "tech_debt": {"status": "open", "priority": "medium"},
    "preference": {"strength": "default"},
}
EXAMPLES = {
    "decision": '{"status": "accepted", "context": "…", "decision": "…", "rationale": ["…"]}',
    "runbook": '{"trigger": "…", "steps": ["…"], "verification": "…"}',
    "constraint": '{"kind": "limitation", "rule": "…", "impact": ["…"], "severity": "medium", "active": true}',
    "tech_debt": '{"status": "open", "priority": "medium", "description": "…", "reason_deferred": "…"}',
    "preference": '{"topic": "…", "value": "…", "reason": "…", "strength": "default"}',
    "session_summary": '{"goal": "…", "outcome": "partial", "completed": ["…"], "next_actions": ["…"]}',
}

_REASON = re.compile(r"\b(?:because|due to|so that|in order to|to avoid|otherwise)\b", re.IGNORECASE)
_CONSEQUENCE = re.compile(r"(?:,\s*so\b|\bwhich means\b|\btherefore\b|;\s)", re.IGNORECASE)
_STRONG = re.compile(r"\b(?:always|never|must)\b", re.IGNORECASE)
_POLICY = re.compile(r"\b(?:policy|not allowed|forbidden|must not|compliance)\b", re.IGNORECASE)
_CHECKED = re.compile(r"\b(?:verify|verified|check|confirm|passes|pass|works|succeeds|green)\b", re.IGNORECASE)
_SENTENCE_END = re.compile(r"(?<=[.!?])\s+|\n+")


class Filled(NamedTuple):
    """A content made from a text, and the fields for which the text had no part of its own."""

    content: dict[str, Any]
    repeated: list[str]


def in_words(category: str, content: Any, title: str = "") -> str:
    """Return what a content says, main field first, each thing once; the title when it says nothing."""
    if not isinstance(content, dict) or category not in MAIN:
        return title
    main, others = MAIN[category]
    lines = [first] if (first := _joined(content.get(main))) else []
    said = folded(" ".join(lines))
    for field, label in others:
        text = _joined(content.get(field))
        if text and folded(text) not in said:
            lines.append(f"{label}: {text}")
            said = f"{said} {folded(text)}"
    return "\n".join(lines) or title


def from_words(category: str, text: str, title: str) -> Filled:
    """Return a complete content for the category that holds nothing but the text."""
    reason = after(_REASON, text)
    content = dict(CHOSEN[category])
    own: dict[str, str | list[str]] = {}
    if category == "decision":
        content |= {"context": text, "decision": text}
        own = {"rationale": [reason] if reason else []}
    elif category == "constraint":
        content |= {"rule": text}
        if _POLICY.search(text):
            content["kind"] = "policy"
        effect = after(_CONSEQUENCE, text) or reason
        own = {"impact": [effect] if effect else []}
    elif category == "tech_debt":
        content |= {"description": text}
        own = {"reason_deferred": reason}
    elif category == "preference":
        content |= {"topic": title, "value": text, "strength": "strong" if _STRONG.search(text) else "default"}
        own = {"reason": reason}
    elif category == "runbook":
        own = _procedure(text)
    else:
        content |= {"goal": text}
    empty = {name: [text] if isinstance(value, list) else text for name, value in own.items() if not value}
    return Filled({**content, **own, **empty}, list(empty))


def rewritten(category: str, content: dict[str, Any], text: str, titles: tuple[str, str]) -> dict[str, Any]:
    """Return a content that says another text; what was made from the old one, under its old title, is made again."""
    main = MAIN[category][0]
    made = from_words(category, _joined(content.get(main)), titles[0]).content
    anew = from_words(category, text, titles[1]).content
    kept = {name: value for name, value in content.items() if name != main and value != made.get(name)}
    return {name: kept.get(name, anew.get(name, value)) for name, value in {**anew, **kept}.items()}


def after(pattern: re.Pattern[str], text: str) -> str:
    """Return the part of a text that follows the first match, to the end of its sentence."""
    match = pattern.search(text)
    if not match:
        return ""
    return _SENTENCE_END.split(text[match.end() :].lstrip(" ,:"), maxsplit=1)[0].strip(" .;,")


def _procedure(text: str) -> dict[str, str | list[str]]:
    sentences = [part.strip() for part in _SENTENCE_END.split(text) if part.strip()]
    if len(sentences) == 1:
        trigger, colon, rest = text.partition(": ")
        return {"trigger": trigger if colon else text, "steps": [rest] if colon else [], "verification": ""}
    checks = [sentence for sentence in sentences[1:] if _CHECKED.search(sentence)]
    steps = [sentence for sentence in sentences[1:] if sentence not in checks]
    return {"trigger": sentences[0], "steps": steps, "verification": " ".join(checks)}


def _joined(value: Any) -> str:
    if isinstance(value, str):
        return value.strip()
    if isinstance(value, list):
        return "; ".join(item.strip() for item in value if isinstance(item, str) and item.strip())
    return ""
