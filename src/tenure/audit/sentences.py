"""The sentences of one line, and how each means what it names: as a fact, an example, forbidden, or gone."""

from __future__ import annotations

import re
from bisect import bisect_right

import msgspec

from tenure.audit import moods, restraint, words

_END = re.compile(r"(?<!e\.g)(?<!i\.e)(?<!\bvs)(?<!\bbzw)(?<!\bca)(?<!z\.B)(?<!\betc)[.;!?](?=\s|$)|[。！？；]")
_GONE = re.compile(rf"\b(?:{words.GONE_WORDS})\b|{words.DENSE_GONE_WORDS}", re.I)
_HEDGED = re.compile(rf"(?<!\w)(?:{words.HEDGE_WORDS})(?!\w)", re.I)
# Names say nothing about the sentence they stand in: `never.py`, docs/old/example.md.
_NAME = re.compile(
    r"`[^`\n]{0,300}`|(?<![\w.])[\w-]+(?:\.[\w-]{2,}){1,4}(?![\w.])|[\x21-\x5e\x61-\x7e]{0,200}[/_][\x21-\x5e\x61-\x7e/_]{0,200}"
)
_NAMING = re.compile(
    r"(?<![\w-])(?:nam(?:e[sd]?|ing)|suffix(?:es)?|prefix(?:es)?|pascalcase|camelcase|relative (?:paths?|links?))"
    r"(?![\w-])",
    re.I,
)
# "Link within a package using relative paths (`./state.md`)" shows how to write a path, and no file.
_HOW_TO_WRITE = re.compile(r"(?<![\w-])using relative (?:paths?|links?)(?![\w-])", re.I)
# What stands before a clause's end binds what follows it less: a list goes on after a comma, a new thought after these.
_BEFORE = re.compile(r"[,:;—–(（）)，：；|]|\s-\s")
_LISTED = re.compile(r"[:;—–(（）)，：；|]|\s-\s")


# What a dash or a semicolon parts are two sentences in one.
_PARTED = re.compile(r"[;；—–]|\s-\s")
# "Do not edit `a`, instead edit `b`": what follows is meant.
_INSTEAD = re.compile(r"[,;:—–_-]\s*(?:but\s+)?instead,?\s+(?:edit|change|modify|update|use|run|see|call)(?!\w)", re.I)
# "Example: `a`": what makes a thing may stand before a colon.
_MADE = re.compile(r"[;；（(|]")


class Mood(msgspec.Struct, frozen=True):
    """How a sentence means what stands at one place of it.

    `gone`: it is gone, planned or elsewhere; `hedged`: an example, or something to avoid. `denied`: its clause forbids
    or denies it; `made`: its clause makes it, or may; `optional`: it only may; `elsewhere`: another repository has it;
    `naming`: the line is about how things are named; `example`: it is one of many. `negated`: the sentence forbids or
    denies something; `nearly_denied`: so does what stands between its dashes and semicolons; `patterned`: it stands
    beside a pattern that it is made by. `plain`: the sentence neither forbids nor moves anything, so that a name in it
    may be replaced without changing what is said; `withheld`: it asks to leave something alone without a "not", or
    only asks, which matters to an edit alone.
    """

    gone: bool
    hedged: bool
    denied: bool = False
    made: bool = False
    elsewhere: bool = False
    naming: bool = False
    example: bool = False
    negated: bool = False
    patterned: bool = False
    plain: bool = True
    optional: bool = False
    nearly_denied: bool = False
    withheld: bool = False


class Sentences:
    """The sentences of a line."""

    def __init__(self, text: str, heading: str = "") -> None:
        # Names are blanked, not cut, so that places stay what they are.
        self._text = _NAME.sub(lambda match: "_" * len(match.group()), text)
        self._ends = [match.end() for match in _END.finditer(self._text)]
        self._elsewhere = moods.ELSEWHERE.search(text) is not None
        # Below "Never" everything is forbidden, below "Planned" nothing is there yet.
        self._forbidden = moods.denies(_NAME.sub("", heading))
        self._withheld = restraint.asks_for_it(_NAME.sub("", heading))
        self._planned = moods.PLANNED.search(_NAME.sub("", heading)) is not None
        self._example = moods.EXAMPLE.search(heading) is not None
        self._naming = _NAMING.search(self._text) is not None or _NAMING.search(heading) is not None
        self._whole: dict[int, tuple[bool, bool, bool, bool, bool]] = {}

    def mood(self, at: int) -> Mood:
        """Return the mood of the sentence that holds the character `at`."""
        number = bisect_right(self._ends, at)
        start = self._ends[number - 1] if number else 0
        end = self._ends[number] if number < len(self._ends) else len(self._text)
        turn = _INSTEAD.search(self._text, start, at)
        start = turn.end() if turn is not None else start
        said = self._text[start:end]
        if start not in self._whole:
            negated = moods.denies(said)
            plain = not negated and not moods.CHANGE.search(said)
            withheld = self._withheld or restraint.asks_for_it(said)
            self._whole[start] = (bool(_GONE.search(said)), bool(_HEDGED.search(said)), plain, negated, withheld)
        gone, hedged, plain, negated, withheld = self._whole[start]
        before, after = said[: at - start], said[at - start :]
        clause = _LISTED.split(before)[-1] + _BEFORE.split(after)[0]
        # In brackets that hold nothing else, a name belongs to the words before them.
        nearer = said if moods.is_verb_final(said) else _MADE.split(before.rstrip("(（_` "))[-1]
        makes = self._planned or moods.MAKING.search(nearer) is not None
        may_make = moods.CONDITION.search(nearer) is not None and not moods.ADDED_TO.search(nearer)
        return Mood(
            gone,
            hedged,
            denied=self._forbidden or moods.denies(clause),
            made=makes or may_make,
            optional=may_make and not makes,
            elsewhere=self._elsewhere,
            naming=self._naming,
            example=self._example or bool(moods.EXAMPLE.search(said) or _HOW_TO_WRITE.search(said)),
            negated=negated,
            nearly_denied=negated and moods.denies(_PARTED.split(before)[-1] + _PARTED.split(after)[0]),
            plain=plain and not self._forbidden,
            withheld=withheld,
        )
