"""Contradictions: two memories on the same topic that advise the opposite.

Found by three signs: one forbids what the other asks, one puts X instead of Y where the other uses Y, or both set the
same thing to different values. Sharing words is not enough: what is forbidden, refused or set must be the same thing
under the same circumstances. A finding is shown on both memories; nothing is resolved here.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

import msgspec

from tenure.model.memory import Memory
from tenure.model.policy import Policy
from tenure.text.words import STOP_WORDS, Cutter, folded, jaccard, words

NEGATIONS = frozenset(
    "not never no none avoid don dont doesn doesnt cannot without stop forbidden disallow disable disabled".split()
)
# Words that strengthen advice without changing what it is about.
_EMPHASIS = frozenset(
    "always must should shall please only ever instead rather use uses using prefer enable enabled set make".split()
)
# "Step 2" and "up to 3" count or place things; they set nothing.
_NOT_SETTINGS = frozenset(
    "up down back close next line step phase part chapter issue ticket task case milestone number point item".split()
)
_INSTEAD = re.compile(
    r"\b([\w.+-]{2,60})(?:,?\s+(?:instead of|rather than|over)|,\s*(?:and\s+)?not)\s+([\w.+-]{2,60})", re.IGNORECASE
)
_SETTING = re.compile(
    r"\b([A-Za-z][\w.-]{1,60})\s{0,3}(?:=|:|\bis set to\b|\bis\b|\bto\b|\bof\b)\s{0,3}"
    r"(\d[\w.%]{0,30}|true\b|false\b|on\b|off\b|\"[^\"\n]{1,60}\"|'[^'\n]{1,60}'|`[^`\n]{1,60}`)",
    re.IGNORECASE,
)
# A bare word is a value only where it is plainly assigned: "ledger is slow" sets nothing.
_ASSIGNED = re.compile(
    r"\b(?:set\s{1,3})?([A-Za-z][\w.-]{1,60})(?:\s{0,3}=\s{0,3}|\s{1,3}(?:is|are)\s{1,3}set\s{1,3}to\s{1,3})"
    r"([A-Za-z][\w.-]{0,30})|\bset\s{1,3}(?:the\s{1,3})?([A-Za-z][\w.-]{1,60})\s{1,3}to\s{1,3}([A-Za-z][\w.-]{0,30})",
    re.IGNORECASE,
)
_SENTENCE_END = re.compile(r"[.!?;](?=\s|$)|\n|\bbut\b", re.IGNORECASE)
_TOKENS = Cutter(r"\d[\w.]*|[^\W\d]\w*")
_MOST_CHARS, _MOST_SENTENCES = 8000, 30
# Where both sides name circumstances of their own, this share must be the same for it to be one topic.
_SAME_CIRCUMSTANCES = 0.7


class _Sentence(msgspec.Struct, frozen=True):
    text: str
    # What it is about, without the words that negate or stress.
    about: frozenset[str]
    # What it asks for: `about` without what it puts behind something else.
    asks: frozenset[str]
    # The first word after each negation: what it forbids.
    forbids: frozenset[str]


def contradictions(memory: Memory, others: Iterable[Memory], policy: Policy) -> dict[str, str]:
    """Return why the memory and each of these others advise the opposite, by id; those that agree are left out."""
    telling = _topic(memory)
    found = {}
    for other in others:
        if other.id == memory.id or other.phase == "gone":
            continue
        if why := _values(memory, other) or _against(memory, telling, other, policy):
            found[other.id] = why
    return found


def _against(one: Memory, telling: frozenset[str], other: Memory, policy: Policy) -> str | None:
    theirs = _topic(other)
    if not telling or not theirs:
        return None
    if len(telling & theirs) / min(len(telling), len(theirs)) < policy.match.topic_overlap:
        return None
    if one.text.casefold().split() == other.text.casefold().split():
        return None
    first, second = _sentences(one.text), _sentences(other.text)
    return next((found for a in first for b in second if (found := _opposed(a, b, policy))), None)


def _opposed(one: _Sentence, other: _Sentence, policy: Policy) -> str | None:
    return (
        _settings(one, other)
        or _numbers(one, other)
        or _swapped(one, other)
        or _swapped(other, one)
        or _negated(one, other, policy)
        or _negated(other, one, policy)
    )


def _topic(memory: Memory) -> frozenset[str]:
    return _telling(f"{memory.title} {memory.text}")


def _telling(text: str) -> frozenset[str]:
    return frozenset(words(text)) - NEGATIONS - _EMPHASIS


def _sentences(text: str) -> list[_Sentence]:
    parts = (part.strip() for part in _SENTENCE_END.split(text[:_MOST_CHARS]))
    return [_sentence(part) for part in parts if part][:_MOST_SENTENCES]


def _sentence(text: str) -> _Sentence:
    about = _telling(text)
    refused = {word for _, right in _INSTEAD.findall(text) for word in words(right)}
    return _Sentence(text, about, about - refused, frozenset(_forbidden(text, refused)))


def _forbidden(text: str, refused: set[str]) -> list[str]:
    tokens = _TOKENS(text.lower().replace("n't", " not").replace("n’t", " not"))
    found = []
    for position, token in enumerate(tokens):
        if token in NEGATIONS:
            following = (word for later in tokens[position + 1 :] for word in words(later))
            told = (word for word in following if word not in _EMPHASIS and word not in NEGATIONS)
            found.append(next(told, ""))
    return [word for word in found if word and word not in refused]


def _values(one: Memory, other: Memory) -> str | None:
    mine, theirs = one.content, other.content
    if not one.kind == other.kind == "preference":
        return None
    if not mine or not theirs or words(str(mine.get("topic"))) != words(str(theirs.get("topic"))):
        return None
    if _chosen(mine.get("value")) == _chosen(theirs.get("value")):
        return None
    return f"{mine.get('topic')}: {mine.get('value')!s:.60} against {theirs.get('value')!s:.60}"


def _chosen(value: object) -> list[str]:
    """Return the words of a value; unlike in a text a single digit is one."""
    return [word for word in folded(str(value)).split() if word not in STOP_WORDS]


def _settings(one: _Sentence, other: _Sentence) -> str | None:
    theirs = {name.lower(): value for name, value in _assignments(other.text)}
    for name, value in _assignments(one.text):
        key = name.lower()
        if key in _NOT_SETTINGS or theirs.get(key, value) == value:
            continue
        told = set(words(f"{key} {value} {theirs[key]}"))
        if _same_topic(one.about - told, other.about - told):
            return f"{name} is {value} in one and {theirs[key]} in the other"
    return None


def _assignments(text: str) -> list[tuple[str, str]]:
    """Return (name, value) of what a sentence sets."""
    named = [(left or right, value or other) for left, value, right, other in _ASSIGNED.findall(text)]
    plain = [(name, value) for name, value in named if value.lower() not in STOP_WORDS]
    return [(name, value.strip("\"'`.").lower()) for name, value in (*plain, *_SETTING.findall(text))]


def _numbers(one: _Sentence, other: _Sentence) -> str | None:
    """Find two sentences that differ in one number and nothing else."""
    mine, theirs = _TOKENS(one.text), _TOKENS(other.text)
    if len(mine) != len(theirs):
        return None
    different = [n for n, (a, b) in enumerate(zip(mine, theirs, strict=True)) if a != b]
    if len(different) != 1 or len(mine) < 3:
        return None
    (n,) = different
    if not (mine[n][0].isdigit() and theirs[n][0].isdigit()) or (n and mine[n - 1] in _NOT_SETTINGS):
        return None
    return f"one says {mine[n]}, the other {theirs[n]}"


def _swapped(one: _Sentence, other: _Sentence) -> str | None:
    for chosen, refused in _INSTEAD.findall(one.text):
        wanted, unwanted = frozenset(words(chosen)), frozenset(words(refused))
        if not wanted or not unwanted or unwanted & other.forbids or not unwanted <= other.asks:
            continue
        mine, theirs = one.about - wanted - unwanted, other.about - wanted - unwanted
        # "X over Y" alone is a principle; a sentence that merely mentions Y does not break it.
        if wanted & other.asks or bool(mine) != bool(theirs) or not _same_topic(mine, theirs):
            continue
        if (refused.lower(), chosen.lower()) in _pairs(other.text):
            return f"one puts {chosen} over {refused}, the other {refused} over {chosen}"
        return f"one says {chosen} instead of {refused}, the other uses {refused}"
    return None


def _pairs(text: str) -> set[tuple[str, str]]:
    return {(chosen.lower(), refused.lower()) for chosen, refused in _INSTEAD.findall(text)}


def _negated(one: _Sentence, other: _Sentence, policy: Policy) -> str | None:
    # Long texts share words without being about one thing; opposite advice is nearly the same sentence.
    if not one.forbids or other.forbids or jaccard(one.about, other.asks) < policy.match.topic_overlap:
        return None
    return "one advises what the other forbids" if one.forbids & other.asks else None


def _same_topic(one: frozenset[str], other: frozenset[str]) -> bool:
    """Tell whether what is said around two settings or choices is the same, or one says less than the other."""
    return one <= other or other <= one or jaccard(one, other) >= _SAME_CIRCUMSTANCES
