"""Contradictions: two memories on the same topic that advise the opposite.

Found by three signs: one forbids what the other asks, one puts X instead of Y where the other uses Y, or both set the
same thing to different values. A finding is shown on both memories; nothing is resolved here.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from tenure.memory import Memory
from tenure.policy import Policy
from tenure.text import words

_NEGATIONS = frozenset(
    "not never no none avoid don dont doesn doesnt cannot without stop forbidden disallow disable disabled".split()
)
# Words that strengthen advice without changing what it is about.
_EMPHASIS = frozenset(
    "always must should shall please only ever instead rather use using prefer enable enabled".split()
)
_INSTEAD = re.compile(r"\b([\w.+-]{2,60}),?\s+(?:instead of|rather than|over|not)\s+([\w.+-]{2,60})", re.IGNORECASE)
_SETTING = re.compile(
    r"\b([A-Za-z][\w.-]{1,60})\s{0,3}(?:=|:|\bis set to\b|\bis\b|\bto\b|\bof\b)\s{0,3}"
    r"(\d[\w.%]{0,30}|true\b|false\b|on\b|off\b|\"[^\"\n]{1,60}\"|'[^'\n]{1,60}'|`[^`\n]{1,60}`)",
    re.IGNORECASE,
)


def contradictions(memory: Memory, others: Iterable[Memory], policy: Policy) -> dict[str, str]:
    """Return why the memory and each of these others advise the opposite, by id; those that agree are left out."""
    telling = _telling(memory)
    found = {}
    for other in others:
        if other.id != memory.id and other.phase != "gone" and (why := _against(memory, telling, other, policy)):
            found[other.id] = why
    return found


def _against(one: Memory, first: set[str], other: Memory, policy: Policy) -> str | None:
    if one.kind == other.kind == "preference" and (found := _values(one, other)):
        return found
    second = _telling(other)
    if not first or not second:
        return None
    overlap = len(first & second) / min(len(first), len(second))
    if overlap < policy.match.topic_overlap:
        return None
    return (
        _settings(one.text, other.text) or _swapped(one.text, other.text) or _negated(one, other, first, second, policy)
    )


def _telling(memory: Memory) -> set[str]:
    return set(words(f"{memory.title} {memory.text}")) - _NEGATIONS - _EMPHASIS


def _values(one: Memory, other: Memory) -> str | None:
    mine, theirs = one.content, other.content
    if not mine or not theirs or words(str(mine.get("topic"))) != words(str(theirs.get("topic"))):
        return None
    if words(str(mine.get("value"))) == words(str(theirs.get("value"))):
        return None
    return f"{mine.get('topic')}: {mine.get('value')!s:.60} against {theirs.get('value')!s:.60}"


def _settings(one: str, other: str) -> str | None:
    mine = {key.lower(): value.strip("\"'`").lower() for key, value in _SETTING.findall(one[:8000])}
    for key, value in _SETTING.findall(other[:8000]):
        theirs = value.strip("\"'`").lower()
        if key.lower() in mine and mine[key.lower()] != theirs:
            return f"{key} is {mine[key.lower()]} in one and {theirs} in the other"
    return None


def _swapped(one: str, other: str) -> str | None:
    for left, right in ((one, other), (other, one)):
        theirs = set(words(right))
        for chosen, refused in _INSTEAD.findall(left[:8000]):
            wanted, unwanted = set(words(chosen)), set(words(refused))
            if unwanted and unwanted <= theirs and not wanted & theirs and not _negations(right):
                return f"one says {chosen} instead of {refused}, the other uses {refused}"
        for chosen, refused in _INSTEAD.findall(left[:8000]):
            if any(
                (refused.lower(), chosen.lower()) == (a.lower(), b.lower()) for a, b in _INSTEAD.findall(right[:8000])
            ):
                return f"one puts {chosen} over {refused}, the other {refused} over {chosen}"
    return None


def _negated(one: Memory, other: Memory, first: set[str], second: set[str], policy: Policy) -> str | None:
    if bool(_negations(one.text)) == bool(_negations(other.text)):
        return None
    # Long texts share words without being about one thing; opposite advice is nearly the same sentence.
    union = len(first | second)
    if len(first & second) / union < policy.match.topic_overlap:
        return None
    return "one advises what the other forbids"


def _negations(text: str) -> frozenset[str]:
    lowered = text.lower().replace("n't", " not").replace("n’t", " not")
    return _NEGATIONS & set(re.findall(r"[a-z]+", lowered[:8000]))
