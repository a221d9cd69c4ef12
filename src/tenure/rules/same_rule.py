"""Whether two sentences state one rule in other words, told without a model: their normal forms are equal.

"Use pnpm, not npm" and "we use pnpm here instead of npm" are one rule; "never push to main" and "don't push to main"
too. The order of words counts where it carries the meaning. A rule about which one could argue is not joined.
"""

from __future__ import annotations

import re
from typing import NamedTuple

from tenure.text.words import STOP_WORDS, words

LONGEST = 300
# Two words at least on the whole, or everything is one rule.
LEAST_WORDS = 2
_CHOICES = (
    re.compile(
        r"\b(?P<good>[^.;]{2,60}?),? (?:instead of|rather than|over|in place of) (?:using |the )?(?P<bad>[^.,;]{2,40})"
    ),
    re.compile(r"\b(?P<good>[^.;]{2,60}?),? (?:and |but )?(?:not|never) (?:use |with )?(?P<bad>[^.,;]{2,40})$"),
    re.compile(
        r"^(?:never|do not|don't|not) (?:use )?(?P<bad>[^.,;]{2,40})[,;.:] ?(?:but |please )?use"
        r" (?P<good>[^.,;]{2,60})$"
    ),
)
_NEGATED = re.compile(r"\b(?:never|no|not|avoid|without|cannot|dont)\b|n't\b")
_ORDERED = re.compile(r"\b(?:before|after|until|then|from|to|into|when|if|unless)\b")
# Words by which a rule is stated and not what it says.
_FILLER = frozenset(
    "use uses used using always never must should please just here we you i our my this project repository repo prefer"
    " preferred ensure sure make instead not no do don't dont avoid time need needs want the a an don doesn didn"
    " shouldn mustn can t".split()
)
_ENDINGS = ("ations", "ation", "ings", "ing", "ies", "ied", "es", "ed", "s")


class Form(NamedTuple):
    """A rule reduced to what it asks for and what it rules out."""

    wanted: tuple[str, ...]
    unwanted: tuple[str, ...]


def form(text: str) -> Form | None:
    """Return the normal form of a rule; None for a text that is too long or says too little to be compared."""
    said = " ".join(text.replace("’", "'").lower().split()).strip(" .!")
    if not said or len(said) > LONGEST or any(sign in said for sign in "?\n"):
        return None
    for choice in _CHOICES:
        if (match := choice.search(said)) and not said[match.end() :].strip(" .,;"):
            good, bad = _content(match["good"], False), _content(match["bad"], False)
            if good and bad:
                return Form(good, bad)
    negated = bool(_NEGATED.search(said))
    content = _content(said, bool(_ORDERED.search(said)))
    if len(content) < LEAST_WORDS:
        return None
    return Form((), content) if negated else Form(content, ())


def same(one: str, other: str) -> bool:
    """Tell whether two texts state one rule."""
    mine = form(one)
    return mine is not None and mine == form(other)


def _content(text: str, ordered: bool) -> tuple[str, ...]:
    found = [_stem(word) for word in words(text) if word not in _FILLER and (ordered or word not in STOP_WORDS)]
    return tuple(found) if ordered else tuple(sorted(set(found)))


def _stem(word: str) -> str:
    for ending in _ENDINGS:
        if word.endswith(ending) and len(word) - len(ending) >= 3:
            return word[: -len(ending)]
    return word
