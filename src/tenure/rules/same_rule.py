"""Whether two sentences state one rule in different words, decided without a model: their normal forms are equal.

"Use pnpm, not npm" and "we use pnpm here instead of npm" are one rule; so are "never push to main" and "don't push to
main", and two sentences of which one only adds a word or two. The order of words counts where it carries the meaning.
Rules that could be argued about are not joined: of 320 pairs of real rules that only look alike, none is.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import NamedTuple

from tenure.text.words import words

LONGEST = 300
# Two words at least on the whole, or everything is one rule.
LEAST_WORDS = 2
# Where one rule holds the other, or each says a little more: so many words of both at least, and so large a share of
# all. Where a single word of each differs it is the one that counts.
LEAST_SHARED, LEAST_SHARE, HELD_SHARE = 3, 0.5, 0.4
# Four words of both are seldom shared by chance.
MANY_SHARED, SHARE_OF_MANY = 4, 0.4
# Where a single word of one differs, the other says it at greater length: so many words at least.
LEAST_MORE = 3
# In meaning, by the packaged model: fitted on 289 pairs that say the same and 250 that do not. A share of the words
# adds to how near two are.
NEAR, BY_SHARE, BY_HELD, ENOUGH, SHARED_WHEN_NEAR = 0.6, 0.2, 0.1, 0.9, 0.5
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
_ORDER = re.compile(r"\b(before|after|until|then|into|unless)\b")
_ORDER_FROM = re.compile(r"\b(before|after|until|then|into|unless|from|to)\b")
# Words of one meaning in rules about software, by their stems.
_ONE_MEANING = {
    stem.removesuffix("e"): group[0]
    for group in (
        ("edit", "modify", "modif", "change", "chang", "alter"), ("folder", "directory", "dir"),
        ("create", "creat", "made"),
        ("delete", "delet", "remove", "remov"), ("run", "runn", "execute", "execut"), ("doc", "document"),
        ("several", "multiple"), ("answer", "reply", "repl", "respond"), ("write", "written", "record", "log"),
        ("dev", "development"), ("prod", "production"), ("config", "configur", "sett"),
        ("show", "display"), ("direct", "directly"), ("local", "locally"), ("look", "check"), ("container", "docker"),
        ("markdown", "md"), ("parameter", "param"), ("begin", "start"), ("split", "divide", "divid"),
        ("allow", "permit"), ("error", "failure"), ("own", "dedicat"), ("approval", "approv"),
    )
    for stem in group
}  # fmt: skip
_CLAUSES = re.compile(r"[.,;:()]| - ")
_RULED_OUT = re.compile(
    r"\b(?:instead of|rather than|in place of|not|never|without|avoid|no longer|cannot|dont|nothing|no)\b|n't\b"
)
_READS = re.compile(r"\b(?:read(?:ing)?|checks?|checking|look(?:ing)?|review|consult|see|inspect|compare)\b")
_WRITES = re.compile(
    r"\b(?:writ(?:e|ten|ing)|record(?:ed)?|updat(?:e|ed|ing)|add|log(?:ged)?|go(?:es)? into|saved?|document|put)\b"
)
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
    said = _said(text)
    if len(said) > LONGEST or any(sign in said for sign in "?\n"):
        return None
    for cues, choice in _CHOICES:
        if (
            any(cue in said for cue in cues)
            and (match := choice.search(said))
            and not said[match.end() :].strip(" .,;")
        ):
            good, bad = content_words(match["good"], False), content_words(match["bad"], False)
            if good and bad:
                return Form(good, bad)
    negated = bool(_NEGATED.search(said))
    content = content_words(said, bool(_ORDERED.search(said)))
    if len(content) < LEAST_WORDS:
        return None
    return Form((), content) if negated else Form(content, ())


def same(one: str, other: str) -> bool:
    """Tell whether two texts state one rule."""
    low, lower = one.lower(), other.lower()
    mine, theirs = _meant(low), _meant(lower)
    much = _share_much(mine, theirs)
    # Rules of other words than these may still make the same choice; all others have no form in common.
    if not much and mine != theirs and not (_may_choose(one) and _may_choose(other)):
        return False
    first, second = form(one), form(other)
    if first is None or second is None:
        return False
    return first == second or (much and _overlap(low, lower))


def _said(text: str) -> str:
    return " ".join(text.replace("’", "'").lower().split()).strip(" .!")


@lru_cache(maxsize=_REMEMBERED)
def _may_choose(text: str) -> bool:
    """Tell whether a text holds the words of a choice, without which it states none."""
    said = _said(text)
    return any(cue in said for cues, _ in _CHOICES for cue in cues)


def _share_much(mine: frozenset[str], theirs: frozenset[str]) -> bool:
    """Tell whether what two rules mean is the same or nearly."""
    both = mine & theirs
    apart, more = sorted((len(mine) - len(both), len(theirs) - len(both)))
    # One word in place of another is the one that counts: "for the backend", "for the frontend".
    if len(both) < LEAST_SHARED or (apart == 1 and more < LEAST_MORE):
        return False
    least = HELD_SHARE if not apart else SHARE_OF_MANY if len(both) >= MANY_SHARED else LEAST_SHARE
    return len(both) >= least * (len(mine) + len(theirs) - len(both))


def _overlap(one: str, other: str) -> bool:
    """Tell whether of two rules that share much neither is limited otherwise or turns what the other says round."""
    both = _meant(one) & _meant(other)
    if set(_LIMITING.findall(one)) != set(_LIMITING.findall(other)) or _differ(one, other):
        return False
    # "Lint before tests" holds the words of "tests before lint".
    places, others = _places(one), _places(other)
    if any(places.values()) and any(others.values()):
        # "unless" is itself a word of both and is in neither part.
        return all(places.get(word) == others.get(word) for word in both)
    if not (_ORDERED.search(one) or _ORDERED.search(other)):
        return True
    first, second = (
        [mean for word in content_words(text, True) if (mean := _ONE_MEANING.get(word, word)) in both]
        for text in (one, other)
    )
    return list(dict.fromkeys(first)) == list(dict.fromkeys(second))


def _places(text: str) -> dict[str, str]:
    """Return each meant word with the word of order it stands after, if any; "to" is one only beside "from"."""
    order = _ORDER_FROM if " from " in f" {text} " else _ORDER
    found: dict[str, str] = {}
    after = ""
    for part in order.split(text):
        if order.fullmatch(part):
            after = part
            continue
        for word in _meant(part):
            found.setdefault(word, after)
    return found


def same_by_meaning(one: str, other: str, cosine: float) -> bool:
    """Tell whether two texts that are so near in meaning state one rule; the cosine is that of the packaged model.

    Near texts often differ in the one word that counts, so the words they share add to it, and no single word differs.
    """
    if cosine < NEAR or len(one) > LONGEST or len(other) > LONGEST:
        return False
    low, lower = one.lower(), other.lower()
    mine, theirs = _meant(low), _meant(lower)
    both = len(mine & theirs)
    if not both or (len(mine - theirs), len(theirs - mine)) == (1, 1) or _differ(low, lower):
        return False
    share, held = both / len(mine | theirs), both / min(len(mine), len(theirs))
    return share >= SHARED_WHEN_NEAR or cosine + BY_SHARE * share + BY_HELD * held >= ENOUGH


def _differ(one: str, other: str) -> bool:
    """Tell whether one text wants what the other rules out, names other figures, or writes what the other reads."""
    if set(_FIGURES.findall(one)) != set(_FIGURES.findall(other)):
        return True
    (wanted, unwanted), (theirs, not_theirs) = _sides(one), _sides(other)
    alike = (wanted & theirs) | (unwanted & not_theirs)
    here, there = (wanted & not_theirs) - alike, (unwanted & theirs) - alike
    swapped = here and there and not unwanted & not_theirs
    if swapped or len(here | there) > len(wanted & theirs) + len(unwanted & not_theirs):
        return True
    reads, writes = (tuple(bool(act.search(text)) for text in (one, other)) for act in (_READS, _WRITES))
    return (reads[0] and not writes[0] and writes[1] and not reads[1]) or (
        reads[1] and not writes[1] and writes[0] and not reads[0]
    )


def _sides(text: str) -> tuple[set[str], set[str]]:
    """Return the words of what a text wants and of what it rules out."""
    wanted: set[str] = set()
    unwanted: set[str] = set()
    for clause in _CLAUSES.split(text.replace("’", "'")):
        before, *after = _RULED_OUT.split(clause, maxsplit=1)
        wanted |= _meant(before)
        unwanted |= _meant(" ".join(after))
    return wanted, unwanted


def content_words(text: str, ordered: bool = False) -> tuple[str, ...]:
    """Return the stems of the words that say something: each once and sorted, or all in their order."""
    found = [stem(word) for word in words(text) if word not in _FILLER]
    return tuple(found) if ordered else tuple(sorted(set(found)))


@lru_cache(maxsize=_REMEMBERED)
def _meant(text: str) -> frozenset[str]:
    """Return what the words of a text mean, whichever of several words says it."""
    stems = [stem(word) for word in words(text) if word not in _FILLER]
    return frozenset([_ONE_MEANING.get(stem, stem) for stem in stems])


@lru_cache(maxsize=4096)
def stem(word: str) -> str:
    """Return a word without the ending that its place in a sentence gives it."""
    for ending in _ENDINGS:
        if word.endswith(ending) and len(word) - len(ending) >= 3:
            return word[: -len(ending)].removesuffix("e")
    # "Files" loses its "es", so "file" loses its "e".
    return word[:-1] if word.endswith("e") and len(word) > 3 else word
