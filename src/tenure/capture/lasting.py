"""Whether what a sentence of the person's says lasts beyond the moment, weighed by the signs it carries.

Signs are what a sentence says and how (`lasting_signs`), its place in the turn, what surrounds the turn (`around`),
and its words. The weights in lasting_weights.toml come from a logistic regression that `scripts/fit_lasting.py` fits
on the people judged in scripts/data/learning; their sum is the log odds that a reader calls the sentence worth
remembering.
"""

from __future__ import annotations

import re
import tomllib
from functools import lru_cache
from importlib.resources import files
from typing import NamedTuple

from tenure.capture import turn_surroundings
from tenure.capture.lasting_signs import PASSING, PLAIN, SIGNS
from tenure.capture.turn_surroundings import NOTHING, Around

# From here on a sentence is a candidate: three of four such are worth keeping at least in half, by people left out.
CANDIDATE = 0.2
# So much a sentence must weigh that is a rule by its first words: "must be RSA or ED25519" is about one value.
PLAIN_LEAST = -1.5
# Sentences of a turn; one that holds more is a task or a document.
MOST_SENTENCES = 12
WEIGHTS_FILE = "lasting_weights.toml"
# Two signs that say more together than each for itself.
TOGETHER = (
    ("always or never", "how we work"),
    ("every or all", "how we work"),
    ("must", "how we work"),
    ("one thing, not another", "how we work"),
    ("you did it wrong", "how we work"),
    ("speaks of the product", "how we work"),
)
# The last count of each length, and its name.
WORD_COUNTS = ((3, "up to 3 words"), (6, ""), (12, "up to 12 words"), (35, ""))
SENTENCE_COUNTS = ((1, "said alone"), (3, "among 2 or 3"), (6, ""), (MOST_SENTENCES, "among up to 12"))
# Below which length in characters, and its name.
LENGTHS = (
    (30, "under 30 characters"),
    (50, "under 50 characters"),
    (80, "under 80 characters"),
    (120, "under 120 characters"),
    (180, "under 180 characters"),
)
# How often a sentence points at definite things, and its name.
DEFINITE = ("nothing definite", "one definite thing", "two definite things", "more definite things")
# From here on a turn is long, in characters.
LONG_TURN = 200
_WIDE = 0x2E80
# Words as they are said: "we", "the" and "it" tell a rule from a report, so no stop list is used here.
_WORD = re.compile(r"[^\W\d_]+(?:'[a-z]+)?|[\u3040-\u9fff]")
_NOT_WORDS = re.compile(r"`[^`]*`|https?://\S+|\S*[/\\]\S+|\b\w+\.\w{1,4}\b")
_ASKS = re.compile(r"[?？]")
_DEFINITE = re.compile(r"\b(?:the|this|that|these|those)\b", re.IGNORECASE)
_PLURAL = re.compile(r"\b\w{3,}s\b(?<!\bthis)(?<!was)(?<!has)(?<!does)(?<!its)(?<!ss)", re.IGNORECASE)
# What the name of a word's sign begins with.
WORD = "word: "


class Weights(NamedTuple):
    """What every sign and word adds to the sum, and what the sum begins with."""

    base: float
    of: dict[str, float]


@lru_cache(maxsize=1)
def weights() -> Weights:
    """Return the fitted weights."""
    read = tomllib.loads((files("tenure.capture") / WEIGHTS_FILE).read_text("utf-8"))
    return Weights(read["base"], read["signs"] | {WORD + word: weight for word, weight in read["words"].items()})


class Place(NamedTuple):
    """Where a sentence stands: its number in the turn from 0 on, among how many, the turn, and what is around that."""

    number: int = 0
    among: int = 1
    turn: str = ""
    around: Around = NOTHING


ALONE = Place()


class Weighed(NamedTuple):
    """How likely a sentence lasts, as the log of the odds, and the signs that speak for it, the strongest first."""

    score: float
    reasons: tuple[str, ...]


def weigh(sentence: str, place: Place = ALONE) -> Weighed:
    """Weigh a sentence that stands in such a place."""
    base, known = weights()
    counted = {name: known[name] for name in signs_of(sentence, place) if name in known}
    strongest = sorted(
        (name for name in counted if counted[name] > 0 and name in SIGNS), key=lambda n: (-counted[n], n)
    )
    # Rounded, because a set gives its signs in no fixed order, and a sum of floats depends on it.
    return Weighed(round(base + sum(counted.values()), 2), tuple(strongest))


def is_plain(sentence: str) -> bool:
    """Tell whether a sentence is a rule by its first words: real people say it so too seldom to be fitted on."""
    if SIGNS["doubts"].search(sentence) or (SIGNS["reports"].search(sentence) and not SIGNS["I want"].search(sentence)):
        return False
    return any(pattern.search(sentence) for pattern in PLAIN)


def passes(sentence: str) -> str:
    """Return the sign that shows a sentence of the moment, a question or a complaint; empty for none."""
    return next((name for name, pattern in PASSING.items() if pattern.search(sentence)), "")


def words_of(text: str) -> frozenset[str]:
    """Return the words of a text, each once; names of files and code are none."""
    return frozenset(_WORD.findall(_NOT_WORDS.sub(" ", text.replace("’", "'").lower())))


def signs_of(sentence: str, place: Place = ALONE) -> set[str]:
    """Return the names of the signs that a sentence carries, its words among them."""
    found = {name for name, pattern in SIGNS.items() if pattern.search(sentence)}
    found |= {f"{one} & {other}" for one, other in TOGETHER if one in found and other in found}
    wide = sum(ord(sign) > _WIDE for sign in sentence)
    mostly_wide = wide > 0.3 * len(sentence)
    # Two characters of a script without blanks are about a word.
    length = wide // 2 if mostly_wide else len(sentence.split())
    found.add(next((name for most, name in WORD_COUNTS if length <= most), "more than 35 words"))
    found.add(next((name for most, name in SENTENCE_COUNTS if place.among <= most), ""))
    if not mostly_wide and any(sign.isalpha() and ord(sign) > 0xBF for sign in sentence):
        # The lists of other languages are shorter than the English ones.
        found.add("letters beyond English")
    found.add(next((name for below, name in LENGTHS if len(sentence) < below), "180 characters or more"))
    definite = len(_DEFINITE.findall(sentence))
    found.add(DEFINITE[min(definite, len(DEFINITE) - 1)])
    if not definite and _PLURAL.search(sentence):
        found.add("a plural, nothing definite")
    if sentence.rstrip().endswith(("!", "！")):
        found.add("shouts")
    said = words_of(sentence)
    if place.turn:
        found |= _of_place(place)
        # A reproach may be a question itself: "why did you …".
        if len(_ASKS.findall(place.turn)) > len(_ASKS.findall(sentence)):
            found.add("the turn asks")
        answer = words_of(place.around.answer[:ECHOED])
        found |= turn_surroundings.signs_of(place.around, said, answer)
    return (found | {WORD + word for word in said}) - {""}


ECHOED = 400


def _of_place(place: Place) -> set[str]:
    found = {"the last sentence"} if place.number == place.among - 1 else set()
    if place.number >= 2:
        found.add("the third sentence" if place.number == 2 else "a later sentence")
    return found | ({"a long turn"} if len(place.turn) > LONG_TURN else set())
