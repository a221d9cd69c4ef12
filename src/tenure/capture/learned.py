"""What a session taught and where it belongs: values, corrections, approvals, lessons and decisions.

Pure: transcript records in, things learned out, value choices first because they last longest. Only what the
person typed counts as the person's word; what the client injected, summarised or replayed teaches nothing.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Literal

import msgspec

Category = Literal["value", "correction", "approval", "reference", "decision", "lesson"]
Destination = Literal["memory", "claude-md", "knowledge", "skip"]

MIN_CHARACTERS = 6
MAX_CHARACTERS = 2_000
SAME_BEGINNING = 80
# Records that are not the person speaking, though they carry the role "user".
NOT_TYPED = ("<local-command", "<command-name", "<command-message", "<system-reminder")

_VALUE = re.compile(
    r"\b(?:better than|prefer\b[^.!?\n]{1,120}\b(?:over|to|rather than)|prioriti[sz]e"
    r"|choose\b[^.!?\n]{1,120}\bover|(?:matters?|counts?) more than|beats|trumps|more important than"
    r"|outweighs)\b|\w > \w",
    re.I,
)
_CORRECTION = re.compile(
    r"\b(?:don't|dont|do not|stop|never|wrong|incorrect|that's not|thats not|not what i|instead of"
    r"|undo that|revert)\b|^no\b",
    re.I,
)
_IMPERATIVE = re.compile(r"\b(?:always|never|must|every time|from now on|in all)\b", re.I)
_APPROVAL = re.compile(
    r"^(?:yes,? )?(?:perfect|exactly|great|excellent|works|that works|looks good|lgtm|nice|correct)\b", re.I
)
_URL = re.compile(r"https?://[^\s<>\"'`|\\^{}\[\]]+")
_SENTENCE = re.compile(r"(?<=[.!?])\s+|\n+")


class Learned(msgspec.Struct, frozen=True):
    """One thing a session taught, where it should go and why."""

    category: Category
    content: str
    timestamp: str
    suggested_destination: Destination
    suggested_type: str
    reason: str


def learned(records: Iterable[Mapping[str, Any]]) -> list[Learned]:
    """Return what the records teach, value choices first, each thing once per category."""
    found: dict[tuple[str, str], Learned] = {}
    last_said = ""
    questions: dict[str, str] = {}
    for record in records:
        if record.get("isMeta") or record.get("isSidechain") or record.get("isCompactSummary"):
            continue
        role = str(record.get("type", "")).lower()
        moment = str(record.get("timestamp") or "")
        for block in _blocks(record):
            if role == "assistant":
                last_said = str(block.get("text") or last_said)
                _note_question(block, questions)
                continue
            if role != "user":
                continue
            for item in _from_user(block, moment, last_said, questions):
                found.setdefault((item.category, item.content[:SAME_BEGINNING]), item)
    order = {"value": 0, "correction": 1, "decision": 2, "approval": 3, "reference": 4, "lesson": 5}
    return sorted(found.values(), key=lambda item: order[item.category])


def route(text: str) -> Learned | None:
    """Return where one sentence of the person should go, or None when it teaches nothing."""
    return next(iter(_said(text, "", "")), None)


def _from_user(
    block: Mapping[str, Any], moment: str, last_said: str, questions: Mapping[str, str]
) -> Iterator[Learned]:
    if block.get("type") == "tool_result":
        asked = questions.get(str(block.get("tool_use_id")))
        answer = _text(block.get("content"))
        if asked is not None and answer:
            content = f"{asked} {answer}"[:MAX_CHARACTERS]
            yield Learned("decision", content, moment, "memory", "project", "the person chose between options")
        elif block.get("is_error") and answer:
            content = answer[:MAX_CHARACTERS]
            yield Learned("lesson", content, moment, "skip", "", "a tool failed; worth keeping only if it repeats")
        return
    text = str(block.get("text") or "")
    if not text.lstrip().startswith(NOT_TYPED):
        for sentence in _SENTENCE.split(text[: MAX_CHARACTERS * 10]):
            yield from _said(sentence.strip()[:MAX_CHARACTERS], moment, last_said)


def _said(sentence: str, moment: str, last_said: str) -> Iterator[Learned]:
    if len(sentence) < MIN_CHARACTERS:
        return
    if _VALUE.search(sentence):
        yield Learned("value", sentence, moment, "memory", "value", "a choice of one thing over another")
    if _CORRECTION.search(sentence):
        if _IMPERATIVE.search(sentence):
            yield Learned("correction", sentence, moment, "claude-md", "feedback", "a rule for every conversation")
        else:
            yield Learned("correction", sentence, moment, "memory", "feedback", "the person corrected the agent")
    elif _APPROVAL.match(sentence):
        about = f"{sentence} ({last_said[:200]})" if last_said else sentence
        yield Learned("approval", about, moment, "memory", "feedback", "the person confirmed an approach")
    for match in _URL.finditer(sentence):
        url = match.group().rstrip(".,;:!?)'\"*_")
        yield Learned("reference", url, moment, "memory", "reference", "where to look outside the code")


def _note_question(block: Mapping[str, Any], questions: dict[str, str]) -> None:
    asked = block.get("input")
    if block.get("name") != "AskUserQuestion" or not isinstance(asked, Mapping):
        return
    listed = asked.get("questions")
    texts = [each.get("question") for each in listed if isinstance(each, Mapping)] if isinstance(listed, list) else []
    texts = texts or [asked.get("question")]
    questions[str(block.get("id"))] = " ".join(str(text) for text in texts if text)


def _blocks(record: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    message = record.get("message")
    content = message.get("content") if isinstance(message, Mapping) else None
    if isinstance(content, str):
        return [{"type": "text", "text": content}]
    return [block for block in content if isinstance(block, Mapping)] if isinstance(content, list) else []


def _text(content: object) -> str:
    if isinstance(content, str):
        return content.strip()
    if isinstance(content, list):
        return " ".join(str(each.get("text", "")) for each in content if isinstance(each, Mapping)).strip()
    return ""
