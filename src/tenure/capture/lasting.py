"""Whether a sentence of the person's lasts beyond the moment, weighed by the signs it carries.

The weights are those of a logistic regression over `lasting_signs`, fitted by `scripts/fit_lasting.py` on the tuned
halves of scripts/data/learning; the sum is the log of the odds that a reader calls the sentence worth remembering.
"""

from __future__ import annotations

from typing import NamedTuple

from tenure.capture.lasting_signs import PASSING, PLAIN, SIGNS

# From here on a sentence is a candidate: even odds.
CANDIDATE = 0.0
# Sentences of a turn; one that holds more is a task or a document.
MOST_SENTENCES = 12
BASE = -2.93
WEIGHTS = {
    "must not": 1.28,
    "see to it": 1.06,
    "way of doing": 1.06,
    "you did it wrong & how we work": 1.03,
    "always or never": 0.93,
    "one thing, not another & how we work": 0.86,
    "use": 0.84,
    "you did it wrong": 0.80,
    "one thing, not another": 0.69,
    "always or never & how we work": 0.65,
    "said before": 0.63,
    "opens forbidding": 0.63,
    "must": 0.59,
    "how we work": 0.58,
    "only or without": 0.57,
    "letters beyond English": 0.52,
    "speaks of the agent": 0.48,
    "among 2 or 3": 0.44,
    "opens with a thing": 0.41,
    "said alone": 0.38,
    "opens with we": 0.36,
    "I want": 0.34,
    "we do": 0.30,
    "must & how we work": 0.28,
    "when or before": 0.20,
    "up to 12 words": 0.20,
    "every or all & how we work": 0.18,
    "every or all": 0.12,
    "several orders": -0.19,
    "more than 35 words": -0.25,
    "can or could": -0.27,
    "a list item": -0.29,
    "does not work": -0.34,
    "please": -0.37,
    "names one thing": -0.45,
    "a figure": -0.66,
    "among up to 12": -0.73,
    "asks me": -0.83,
    "how it looks": -0.89,
    "up to 3 words": -1.14,
}
# Two signs that say more together than each for itself.
TOGETHER = (
    ("always or never", "how we work"),
    ("every or all", "how we work"),
    ("must", "how we work"),
    ("one thing, not another", "how we work"),
    ("you did it wrong", "how we work"),
)
# The last count of each length, and its name.
WORD_COUNTS = ((3, "up to 3 words"), (6, ""), (12, "up to 12 words"), (35, ""))
SENTENCE_COUNTS = ((1, "said alone"), (3, "among 2 or 3"), (6, ""), (MOST_SENTENCES, "among up to 12"))
_WIDE = 0x2E80


class Weighed(NamedTuple):
    """How likely a sentence lasts, as the log of the odds, and the signs that speak for it, the strongest first."""

    score: float
    reasons: tuple[str, ...]


def weigh(sentence: str, among: int = 1) -> Weighed:
    """Weigh a sentence that stands among so many of its turn."""
    found = signs_of(sentence, among)
    counted = {name: WEIGHTS[name] for name in found if name in WEIGHTS}
    strongest = sorted(
        (name for name in counted if counted[name] > 0 and name in SIGNS), key=lambda n: (-counted[n], n)
    )
    # Rounded, because a set gives its signs in no fixed order, and a sum of floats depends on it.
    return Weighed(round(BASE + sum(counted.values()), 2), tuple(strongest))


def is_plain(sentence: str) -> bool:
    """Tell whether a sentence is a rule by its first words: real people say it so too seldom to be fitted on."""
    return any(pattern.search(sentence) for pattern in PLAIN)


def passes(sentence: str) -> str:
    """Return the sign that shows a sentence of the moment, a question, a report or a doubt; empty for none."""
    for name, pattern in PASSING.items():
        if pattern.search(sentence) and not (name == "reports" and SIGNS["I want"].search(sentence)):
            return name
    return ""


def signs_of(sentence: str, among: int) -> set[str]:
    """Return the names of the signs that a sentence carries."""
    found = {name for name, pattern in SIGNS.items() if pattern.search(sentence)}
    found |= {f"{one} & {other}" for one, other in TOGETHER if one in found and other in found}
    wide = sum(ord(sign) > _WIDE for sign in sentence)
    mostly_wide = wide > 0.3 * len(sentence)
    # Two characters of a script without blanks are about a word.
    length = wide // 2 if mostly_wide else len(sentence.split())
    found.add(next((name for most, name in WORD_COUNTS if length <= most), "more than 35 words"))
    found.add(next((name for most, name in SENTENCE_COUNTS if among <= most), ""))
    if not mostly_wide and any(sign.isalpha() and ord(sign) > 0xBF for sign in sentence):
        # The lists of other languages are shorter than the English ones.
        found.add("letters beyond English")
    return found - {""}
