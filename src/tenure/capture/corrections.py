"""What a person told an agent to do differently: sentences that state a rule, found without a model.

Only the person's own turns are read, and only sentences that open like an order that outlives the moment. A rule said
once is a candidate; said again in another session it has evidence.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from tenure.capture.transcripts import Turn

# How a correction begins; what follows is the rule.
OPENINGS = (
    "no",
    "nope",
    "wrong",
    "actually",
    "wait",
    "stop",
    "please",
    "hey",
    "again",
    "and",
    "but",
    "ok",
    "okay",
    "so",
)
# A sentence that begins like this states a rule, and of which kind.
RULES = (
    ("always", "preference"), ("never", "preference"), ("don't", "preference"), ("do not", "preference"),
    ("dont", "preference"), ("use", "preference"), ("prefer", "preference"), ("avoid", "preference"),
    ("we use", "preference"), ("we always", "preference"), ("we never", "preference"), ("we don't", "preference"),
    ("i prefer", "preference"), ("from now on", "preference"), ("in this project", "preference"),
    ("in this repo", "preference"), ("you must", "constraint"), ("you cannot", "constraint"),
    ("you should always", "preference"), ("you should never", "preference"), ("remember that", "lesson"),
    ("remember to", "preference"), ("remember:", "lesson"), ("stop using", "preference"),
)  # fmt: skip
# These alone are an order for now; they need a correction before them or one of the words below.
MOMENTARY = ("use", "don't", "do not", "dont", "avoid", "stop using")
LASTING = ("always", "never", "instead of", "not ", "rather than", "every time", "from now on")
# What shows that the last answer was wrong, at the beginning of a turn.
REPROACHES = (
    "no,", "no ", "nope", "wrong", "that's wrong", "that is wrong", "that's not", "that is not", "not what i",
    "i said", "i told you", "undo", "revert", "stop", "don't", "do not", "you broke", "that broke", "incorrect",
)  # fmt: skip
SHORTEST, LONGEST = 12, 300
MOST_PER_SESSION = 12
_SENTENCE_END = re.compile(r"(?<=[.!;])\s+|\n+")


class Correction(NamedTuple):
    """A rule a person stated."""

    kind: str
    text: str


def corrections(turns: Iterable[Turn]) -> list[Correction]:
    """Return the rules the person stated in a session, each once, in order."""
    found: dict[str, Correction] = {}
    for turn in turns:
        if turn.role == "user" and turn.text:
            for rule in _rules(turn.text):
                found.setdefault(rule.text.casefold(), rule)
    return list(found.values())[:MOST_PER_SESSION]


def is_reproach(text: str) -> bool:
    """Tell whether a turn of the person says that what came before was wrong."""
    return text.lstrip().lower().replace("’", "'").startswith(REPROACHES)


def _rules(text: str) -> Iterator[Correction]:
    if "```" in text:
        text = "\n".join(text.split("```")[::2])
    for sentence in _SENTENCE_END.split(text[:20_000]):
        said = " ".join(sentence.replace("’", "'").split())
        if not SHORTEST <= len(said) <= LONGEST or said.endswith("?"):
            continue
        rule, corrected = _without_opening(said)
        low = rule.lower()
        opening = next(((start, kind) for start, kind in RULES if _opens(low, start)), None)
        if opening is None:
            continue
        lasting = corrected or any(word in low for word in LASTING)
        if opening[0] in MOMENTARY and not lasting:
            continue
        yield Correction(opening[1], (rule[0].upper() + rule[1:]).rstrip(".!;"))


def _without_opening(sentence: str) -> tuple[str, bool]:
    """Return the sentence without "No," and its like, and whether there was one that corrects."""
    corrected = False
    while True:
        head, comma, rest = sentence.partition(",")
        word = head.strip().lower()
        if not comma or word not in OPENINGS or not rest.strip():
            return sentence, corrected
        corrected = corrected or word in OPENINGS[:6]
        sentence = rest.strip()


def _opens(low: str, start: str) -> bool:
    return low.startswith(start) and not low[len(start) : len(start) + 1].isalnum()
