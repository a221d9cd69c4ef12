"""Whether two sentences state one rule in other words, told without a model: their normal forms are equal.

"Use pnpm, not npm" and "we use pnpm here instead of npm" are one rule; "never push to main" and "don't push to main"
too. So are two of which one says the other and a word or two more. The order of words counts where it carries the
meaning. A rule about which one could argue is not joined: of 320 pairs of real rules that only look alike none is.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import NamedTuple

from tenure.text.words import STOP_WORDS, words

LONGEST = 300
# Two words at least on the whole, or everything is one rule.
LEAST_WORDS = 2
# Where one rule holds the other: so many words of both at least, and so large a share of all.
LEAST_SHARED, LEAST_SHARE = 3, 0.6
# In meaning, by the packaged model: fitted on 289 pairs that say the same and 250 that do not.
NEAR, VERY_NEAR, SHARED_WHEN_NEAR = 0.6, 0.86, 0.5
_FIGURES = re.compile(r"\d+")
# A choice between two things, each way with the words without one of which it is none: a pattern is dear, a look cheap.
_CHOICES = (
    (
        (" instead of ", " rather than ", " over ", " in place of "),
        re.compile(
            r"\b(?P<good>[^.;]{2,60}?),? (?:instead of|rather than|over|in place of) (?:using |the )?"
            r"(?P<bad>[^.,;]{2,40})"
        ),
    ),
    (
        (" not ", " never "),
        re.compile(r"\b(?P<good>[^.;]{2,60}?),? (?:and |but )?(?:not|never) (?:use |with )?(?P<bad>[^.,;]{2,40})$"),
    ),
    (
        ("use ",),
        re.compile(
            r"^(?:never|do not|don't|not) (?:use )?(?P<bad>[^.,;]{2,40})[,;.:] ?(?:but |please )?use"
            r" (?P<good>[^.,;]{2,60})$"
        ),
    ),
)
# Rules that were reduced lately: each new memory is compared with several, and many with the same ones.
_REMEMBERED = 1024
_NEGATED = re.compile(r"\b(?:never|no|not|avoid|without|cannot|dont)\b|n't\b")
_ORDERED = re.compile(r"\b(?:before|after|until|then|from|to|into|when|if|unless)\b")
# A rule with one more of these holds in fewer cases.
_LIMITING = re.compile(
    r"\b(?:except|unless|only|if|when|until|while|during|without|once|but|outside|inside|before|after)\b"
)
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


@lru_cache(maxsize=_REMEMBERED)
def form(text: str) -> Form | None:
    """Return the normal form of a rule; None for a text that is too long or says too little to be compared."""
    said = " ".join(text.replace("’", "'").lower().split()).strip(" .!")
    if not said or len(said) > LONGEST or any(sign in said for sign in "?\n"):
        return None
    for cues, choice in _CHOICES:
        if (
            any(cue in said for cue in cues)
            and (match := choice.search(said))
            and not said[match.end() :].strip(" .,;")
        ):
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
    mine, theirs = form(one), form(other)
    if mine is None or theirs is None:
        return False
    return mine == theirs or _holds(mine, theirs, one, other) or _holds(theirs, mine, other, one)


def _holds(longer: Form, shorter: Form, long: str, short: str) -> bool:
    """Tell whether the longer rule says all of the shorter one and hardly more, with nothing that limits it."""
    if bool(longer.wanted) != bool(shorter.wanted) or bool(longer.unwanted) != bool(shorter.unwanted):
        return False
    more, less = [*longer.wanted, *longer.unwanted], [*shorter.wanted, *shorter.unwanted]
    if not (set(shorter.wanted) <= set(longer.wanted) and set(shorter.unwanted) <= set(longer.unwanted)):
        return False
    if len(set(less)) < LEAST_SHARED or len(set(less)) < LEAST_SHARE * len(set(more)):
        return False
    if set(_LIMITING.findall(long.lower())) != set(_LIMITING.findall(short.lower())):
        return False
    if not (_ORDERED.search(long.lower()) or _ORDERED.search(short.lower())):
        return True
    # "Lint before tests" holds the words of "tests before lint".
    order = [word for word in _content(long.lower(), True) if word in set(less)]
    return order == [word for word in _content(short.lower(), True) if word in set(order)]


def same_by_meaning(one: str, other: str, cosine: float) -> bool:
    """Tell whether two texts that are so near in meaning state one rule; the cosine is that of the packaged model.

    Near texts often differ in the one word that counts, so all but the nearest must share half of their words too.
    """
    if cosine < NEAR or len(one) > LONGEST or len(other) > LONGEST:
        return False
    low, lower = one.lower(), other.lower()
    if bool(_NEGATED.search(low)) != bool(_NEGATED.search(lower)):
        return False
    if set(_FIGURES.findall(low)) != set(_FIGURES.findall(lower)):
        return False
    mine, theirs = set(_content(low, False)), set(_content(lower, False))
    return cosine >= VERY_NEAR or len(mine & theirs) >= SHARED_WHEN_NEAR * len(mine | theirs)


def _content(text: str, ordered: bool) -> tuple[str, ...]:
    found = [_stem(word) for word in words(text) if word not in _FILLER and (ordered or word not in STOP_WORDS)]
    return tuple(found) if ordered else tuple(sorted(set(found)))


def _stem(word: str) -> str:
    for ending in _ENDINGS:
        if word.endswith(ending) and len(word) - len(ending) >= 3:
            return word[: -len(ending)]
    return word
