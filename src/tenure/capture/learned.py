"""What a session taught and where it belongs: values, corrections, approvals, lessons and decisions.

Pure: takes transcript records and returns what was learned, value choices first because they last longest. Only what
the person typed counts as the person's word; nothing is learned from what the client injected, summarised or
replayed.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Literal

import msgspec

from tenure.capture import transcripts

Category = Literal["value", "correction", "approval", "reference", "decision", "lesson", "rule", "fact", "nothing"]
Destination = Literal["memory", "claude-md", "knowledge", "skip"]
# Each destination as a person knows it.
PLACES: dict[Destination, str] = {
    "memory": "memory",
    "claude-md": "CLAUDE.md",
    "knowledge": "docs/knowledge",
    "skip": "skip",
}

# Value choices are the most durable, so they come first.
ORDER: tuple[Category, ...] = ("value", "correction", "decision", "approval", "reference", "lesson")
MIN_CHARACTERS = 6
MAX_CHARACTERS = 2_000
SAME_BEGINNING = 80

_VALUE = re.compile(
    r"\b(?:better than|prefer\b[^.!?\n]{1,120}\b(?:over|to|rather than|instead of)|prioriti[sz]e"
    r"|choose\b[^.!?\n]{1,120}\bover|(?:matters?|counts?) more than|matters(?! of)|beats|trumps|outweighs"
    r"|more (?:important|valuable) than|preferable (?:to|over)|rather \w{1,40} than"
    r"|most (?:important|valuable|useful|durable) (?:\w{1,40} )?(?:is|are))\b|\w > \w",
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
# What holds for the moment, and talk that is addressed to the session.
_PASSING = re.compile(
    r"\b(?:for now|right now|this session|just this once|this time|temporar(?:y|ily)|at the moment|for the moment"
    r"|in this (?:pr|branch|commit|task|session)|thanks|thank you|please|let me|let's|can you|could you|would you)\b",
    re.I,
)
# What people look up later: decisions with their reasons, and how something came about.
_DECIDED = re.compile(
    r"\b(?:we|i|the team|they) (?:decided|chose|agreed|settled|picked|went with)\b|\bdecision\b"
    r"|\bdecided (?:to|on|against)\b|\brationale\b"
    r"|\btrade-?offs?\b|\bpost-?mortem\b|\broot cause\b|\balternatives? (?:considered|rejected)\b",
    re.I,
)
_ABOUT_THE_PERSON = re.compile(
    r"\b(?:i am an?|i'm an?|i work (?:as|on|with|in)|my (?:role|job|team|background|name|time ?zone|editor)|call me"
    r"|i (?:like|want|use|know|speak))\b",
    re.I,
)
# A statement that can be looked up or checked: something is, does, needs or lives somewhere.
_FACT = re.compile(
    r"\b(?:is|are|has|have|was|lives?|runs?|uses?|needs?|requires?|depends?|expects?|takes?|stands?|means|comes?|goes"
    r"|fails?|breaks?|works?|belongs?|deadline|due|owned by|maintained by)\b",
    re.I,
)
_GREETING = re.compile(r"^(?:hello|hi|hey|good (?:morning|evening)|ok(?:ay)?|sure|yes|no|cool|nice)\b", re.I)
FACT_WORDS = 4
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
        role = transcripts.ROLES.get(str(record.get("type", "")).lower(), "")
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
    return sorted(found.values(), key=lambda item: ORDER.index(item.category))


def route(text: str) -> Learned:
    """Return where one thing learned should go, and why; `skip` when it is not worth preserving."""
    text = text.strip()[:MAX_CHARACTERS]
    found = {item.category: item for item in _said(text, "", "")}
    if "value" in found:
        return found["value"]
    if len(text) < MIN_CHARACTERS or text.endswith("?"):
        return _learned("nothing", text, "skip", "", "a question or too short to mean anything later")
    if _PASSING.search(text):
        return _learned("nothing", text, "skip", "", "it applies to this session only")
    if _IMPERATIVE.search(text):
        return _learned("rule", text, "claude-md", "feedback", "a rule for every conversation")
    if "correction" in found:
        return found["correction"]
    if _DECIDED.search(text):
        return _learned("decision", text, "knowledge", "", "a decision and its reasons, for people to look up")
    if "approval" in found:
        return found["approval"]
    if "reference" in found:
        return _learned("reference", text, "memory", "reference", "where to look outside the code")
    if _ABOUT_THE_PERSON.search(text):
        return _learned("fact", text, "memory", "user", "something about the person")
    if len(text.split()) >= FACT_WORDS and _FACT.search(text) and not _GREETING.match(text):
        return _learned("fact", text, "memory", "project", "something to know in later sessions")
    return _learned("nothing", text, "skip", "", "nothing in it outlasts the session")


def _learned(category: Category, text: str, destination: Destination, kind: str, reason: str) -> Learned:
    return Learned(category, text, "", destination, kind, reason)


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
    text = transcripts.without_fences(str(block.get("text") or ""))
    if not text.lstrip().startswith(transcripts.CLIENT_PREFIXES):
        for sentence in _SENTENCE.split(text[: MAX_CHARACTERS * 10]):
            yield from _said(sentence.strip()[:MAX_CHARACTERS], moment, last_said)


def _said(sentence: str, moment: str, last_said: str) -> Iterator[Learned]:
    if len(sentence) < MIN_CHARACTERS:
        return
    if _VALUE.search(sentence):
        yield Learned("value", sentence, moment, "memory", "value", "a choice of one thing over another")
    # "Prefer x instead of y" corrects nobody: the words that state a choice say nothing else.
    if _CORRECTION.search(_VALUE.sub(" ", sentence)):
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
