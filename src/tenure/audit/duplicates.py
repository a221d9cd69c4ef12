"""Memories that say the same thing, and sentences that say the opposite: found by shared rare words.

Candidates come from an inverted index over each text's rarest words, so the cost grows with the number of
pairs that share one and not with the square of the number of memories.
"""

from __future__ import annotations

import os
import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence

from tenure.audit.blocks import Above
from tenure.audit.findings import FileProblem, Source
from tenure.audit.words import listed
from tenure.text.words import Cutter

SIMILAR = 0.75
OPPOSITE = 0.8
RARE_WORDS = 6
MAX_POSTING = 20
MIN_WORDS = 5
MIN_SENTENCE_WORDS = 3
_WORDS = Cutter(r"[^\W_]{2,}")
# What forbids: "no" and "without" also tell of a state, which stands against nothing.
_NEGATION = re.compile(
    r"\b(?:never|don['’]t|dont|do not|avoid|stop|cannot|can['’]t|(?:must|should|may) not|(?:must|should)n['’]t)\b",
    re.I,
)
# What stands below such a heading is not to be done, and what follows such a word is one case of several.
_FORBIDS = re.compile(r"\b(?:don['’]?ts?|do not|never|avoid|anti-?patterns?|bad|wrong|incorrect|not)\b|[❌🚫✗✘]", re.I)
_CASE = re.compile(r"[^\w]*(?:if|when|unless|while|where|for)\b", re.I)
_STOP = listed(
    """
    the a an and or to of in on for with is are be we it this that always never not do don use must
    should you our avoid no without stop cannot shouldn
    """
)


def duplicates(sources: Sequence[Source]) -> list[FileProblem]:
    """Return one problem per memory that repeats an earlier one, nearly or exactly."""
    texts = [frozenset(_words(source.text)) for source in sources]
    found: dict[int, tuple[int, float]] = {}
    for first, second, share in _pairs(texts, SIMILAR, MIN_WORDS):
        if second not in found or found[second][1] < share:
            found[second] = (first, share)
    problems = []
    for second, (first, share) in sorted(found.items()):
        if os.path.realpath(sources[second].file) == os.path.realpath(sources[first].file):
            continue  # a link is one file under two names, as AGENTS.md often is
        how = "repeats" if share == 1.0 else f"shares {share:.0%} of its words with"
        message = f"{sources[second].id} {how} {sources[first].id} ({sources[first].path})"
        problems.append(FileProblem("duplicate", sources[second].path, sources[second].line, message))
    return problems


def contradictions(sources: Sequence[Source]) -> list[FileProblem]:
    """Return pairs of sentences of two memories or pages with the same words, one of which is negated."""
    sentences = [each for source in sources for each in _sentences(source)]
    words = [frozenset(word for word in _words(text) if word not in _STOP) for _source, _line, text in sentences]
    negated = [bool(_NEGATION.search(text)) for _source, _line, text in sentences]
    problems = []
    for first, second, _share in _pairs(words, OPPOSITE, MIN_SENTENCE_WORDS, negated):
        source, line, text = sentences[second]
        other, other_line, other_text = sentences[first]
        if source.text == other.text:
            continue  # "use a, never b: write a for b": a page that says both, or its copy, tells the cases apart
        message = f"{_short(text)} stands against {_short(other_text)} ({other.path}:{other_line})"
        problems.append(FileProblem("contradiction", source.path, line, message))
    return problems


def _pairs(
    texts: Sequence[frozenset[str]], threshold: float, min_words: int, sides: Sequence[bool] = ()
) -> Iterator[tuple[int, int, float]]:
    """Yield pairs whose word sets overlap by the threshold (shared / all); with `sides`, only across."""
    counts = Counter(word for text in texts for word in text)
    postings: dict[tuple[str, bool], list[int]] = defaultdict(list)
    exact: dict[tuple[frozenset[str], bool], int] = {}
    for number, text in enumerate(texts):
        if len(text) < min_words:
            continue
        mine = bool(sides) and sides[number]
        other_side = not mine if sides else mine
        if (text, other_side) in exact:
            yield exact[text, other_side], number, 1.0
        if (text, mine) in exact:
            continue
        exact[text, mine] = number
        # Two texts this similar share at least one of this many of their rarest words.
        keep = max(RARE_WORDS, int(len(text) * (1 - threshold)) + 1)
        rare = sorted(text, key=lambda word: (counts[word], word))[:keep]
        shared = [word for word in rare if counts[word] > 1]
        candidates = Counter(other for word in shared for other in postings[word, other_side][-MAX_POSTING:])
        for other, common in sorted(candidates.items()):
            # Words of the rare ones that are not common to both bound the overlap from above.
            if texts[other] == text:
                continue
            bound = len(text) - len(rare) + common
            if bound < threshold * max(len(text), len(texts[other])):
                continue
            share = len(text & texts[other]) / len(text | texts[other])
            if share >= threshold:
                yield other, number, share
        for word in shared:
            postings[word, mine].append(number)


def _sentences(source: Source) -> Iterator[tuple[Source, int, str]]:
    above = Above()
    for number, line in enumerate(source.text.split("\n")):
        if line.lstrip().startswith("|"):  # the rows of a table differ in a word by design
            continue
        forbidden = _FORBIDS.search(above.text) is not None
        above.read(line)
        for sentence in re.split(r"(?<=[.;!?])\s", line[:2000]):
            if len(sentence) > 12 and not forbidden and not _CASE.match(sentence):
                yield source, source.line + number, sentence.strip(" \t*-")


def _words(text: str) -> Iterable[str]:
    return _WORDS(text[:100_000])


def _short(text: str) -> str:
    return f"“{text[:80]}{'…' if len(text) > 80 else ''}”"
