"""Checks that a draft says only what its source says: the words of every field occur close together in the session.

Drafts made by a model pass through here like our own. A field fails when one of its words was not said within a few
messages of the others, or when it drops a "not" from the words it repeats.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from tenure.capture.sentences import sentences
from tenure.capture.transcripts import Turn
from tenure.text.words import Cutter, words

# A field's words must stand within so many messages in a row.
WINDOW = 3
# Fields that choose from a list say nothing in words.
CHOICES = frozenset(("status", "outcome", "severity", "active", "priority", "strength"))
# Words with their apostrophes: "can't" says something else than "can".
_WORDS = Cutter(r"[\w']+")
_NEGATIONS = frozenset(("not", "no", "never", "cannot", "without", "neither", "nor"))


class Source:
    """The session a draft must come from."""

    def __init__(self, turns: Sequence[Turn]) -> None:
        spoken = [turn for turn in turns if turn.text]
        sets = [set(words(turn.text.lower())) for turn in spoken]
        self._windows = [set().union(*sets[start : start + WINDOW]) for start in range(max(1, len(sets) - WINDOW + 1))]
        self._sentences = [_tokens(sentence.text) for sentence in sentences(spoken)]

    def problems(self, title: str, content: Mapping[str, Any]) -> list[str]:
        """Return what the draft says that the session does not; nothing when all of it was said."""
        found = []
        for field, text in [("title", title), *_texts(content, "content")]:
            missing = self._missing(text)
            if missing:
                found.append(f"{field}: {', '.join(sorted(missing)[:5])} not said in the session")
            elif field != "title" and self._turned_around(text):
                found.append(f"{field}: leaves out a negation")
        return found

    def issues(self, title: str, content: Mapping[str, Any]) -> list[tuple[str, str, bool]]:
        """Return (field, what is wrong, whether it is no matter of wording) for a draft in words of its own.

        A name, a number or a path is either in the session or made up; any other word may be the writer's.
        """
        found = []
        for field, text in [("title", title), *_texts(content, "content")]:
            missing = self._missing(text)
            named = sorted({token for token in _names(text) if set(words(token.lower())) & missing})
            if named:
                found.append((field, f"{', '.join(named[:5])} not said in the session", True))
            elif missing:
                found.append((field, f"{', '.join(sorted(missing)[:5])} not said in these words", False))
            if field != "title" and self._turned_around(text):
                found.append((field, "leaves out a negation", True))
        return found

    def _missing(self, text: str) -> set[str]:
        wanted = set(words(text.lower()))
        return min((wanted - window for window in self._windows), key=len, default=wanted)

    def _turned_around(self, text: str) -> bool:
        mine = _tokens(text)
        telling = {token for token in mine if len(token) > 2 and not _negates(token)}
        if len(telling) < 2:
            return False
        inside = False
        for said in self._sentences:
            places = [place for place, token in enumerate(said) if token in telling]
            if telling <= set(said):
                span = said[max(0, places[0] - 2) : places[-1] + 1]
                if sum(map(_negates, span)) <= sum(map(_negates, mine)):
                    return False
                inside = True
        return inside


def _texts(value: Any, path: str) -> Iterator[tuple[str, str]]:
    if isinstance(value, str):
        yield path, value
    elif isinstance(value, Mapping):
        for name, item in value.items():
            # A constraint's kind is a choice; no other content has a field of that name.
            if name not in CHOICES and name != "kind":
                yield from _texts(item, f"{path}.{name}")
    elif isinstance(value, Sequence):
        for item in value:
            yield from _texts(item, path)


def _names(text: str) -> Iterator[str]:
    """Yield the tokens that name or count something: with a digit, a mark of code, or a capital inside."""
    for raw in text.split():
        token = raw.strip(".,;:!?()[]{}'\"`*")
        if any(c.isdigit() or c in "_/\\@#" for c in token) or "." in token or token[1:] != token[1:].lower():
            yield token


def _tokens(text: str) -> list[str]:
    return _WORDS(text.replace("’", "'"))


def _negates(token: str) -> bool:
    return token in _NEGATIONS or token.endswith("n't")
