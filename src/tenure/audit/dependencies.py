"""Where a sentence names a package: beside a word such as package or dependency, or in words that install it.

Pure: text in, names out. A name in `backticks` is meant as one; a bare word may be any word, so it is tentative.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from tenure.audit import words

_NAME = r"(?:@[a-z0-9][\w.-]{0,60}/)?[A-Za-z0-9][\w.-]{0,60}(?:/[\w.-]{1,60}){0,4}"
_QUOTED = rf"`({_NAME})(?:[=<>~^@! ][^`\n]{{0,30}})?`"
_BARE = r"((?:@[a-z0-9][\w.-]{0,60}/)?[A-Za-z][\w.-]{0,60}\w)"
_NOUNS = rf"(?:{words.PACKAGE_NOUNS})\b"
_VERBS = rf"\b(?:{words.PACKAGE_VERBS})[ \t]+(?:the[ \t]+)?"

_MEANT = tuple(
    re.compile(pattern, re.I)
    for pattern in (
        _VERBS + _QUOTED,
        rf"{_QUOTED}[ \t]+{_NOUNS}",
        rf"\b(?:{words.PACKAGE_NOUNS})[ \t]*:?[ \t]+{_QUOTED}",
        rf"{_QUOTED}[ \t]+(?:is|are|as|stays)[ \t]+(?:an?|the|our|one of our)[ \t]+(?:\w{{1,20}}[ \t]+)?{_NOUNS}",
        rf"\b(?:{words.DECLARED})[ \t]+{_QUOTED}[ \t]+(?:in|to|from|into)[ \t]+(?:the[ \t]+)?`?(?:{words.MANIFESTS})\b",
        rf"\binstall(?:ed|s)?[ \t]+{_QUOTED}[ \t]+(?:with|via|from|using)[ \t]+`?(?:{words.REGISTRIES})\b",
        rf"{_QUOTED}[ \t]+from[ \t]+(?:{words.REGISTRIES})\b",
        # With its version a name is a package's wherever it stands.
        rf"`({_NAME})(?:[=~!]=|[<>]=?|\^|@)[ \t]?v?\d[^`\n]{{0,30}}`",
        # With the verb and the noun, a bare word is as clear as one in backticks.
        rf"{_VERBS}(?:package|library|crate|gem)[ \t]+{_BARE}",
    )
)
_MAYBE = tuple(
    re.compile(pattern)
    for pattern in (
        rf"\b[Tt]he[ \t]+{_BARE}[ \t]+{_NOUNS}",
        rf"(?i:{_VERBS}){_BARE}",
        rf"(?i:\b{_NOUNS}):[ \t]+{_BARE}",
        # "the package handles", "a package of": what follows a name is another kind of word.
        rf"\b(?:[Pp]ackage|[Ll]ibrary|dependency|crate|gem)[ \t]+{_BARE}(?=[ \t]*(?:{words.AFTER_NAME}|$))",
        rf"(?<![`\w])(?:{words.INSTALLERS})[ \t]+({_NAME})",
        # "(@scope/name)": no other word looks like it, but for a file that is mentioned.
        r"(?<![\w`/@'\"])(@[a-z0-9][\w-]{0,60}/[a-z][\w.-]{0,60}\w)(?![\w/`*'\"])",
    )
)
_NEXT = re.compile(rf"(?:,[ \t]*(?:and[ \t]+)?|[ \t]+and[ \t]+){_QUOTED}")


class Named(NamedTuple):
    """A package's name, where it stands, and whether it may be no name at all."""

    name: str
    start: int
    end: int
    tentative: bool


def named(text: str) -> Iterator[Named]:
    """Yield the packages one line of a text names; the same place may come twice."""
    for pattern in _MEANT:
        for match in pattern.finditer(text):
            yield _named(match, tentative=False)
            yield from _listed(text, match.end())
    for pattern in _MAYBE:
        for match in pattern.finditer(text):
            if match[1].lower() not in words.NOT_PACKAGES:
                yield _named(match, tentative=True)


def _listed(text: str, end: int) -> Iterator[Named]:
    """Yield the further names of a list that begins before `end`."""
    while match := _NEXT.match(text, end):
        yield _named(match, tentative=False)
        end = match.end()


def _named(match: re.Match[str], *, tentative: bool) -> Named:
    return Named(match[1], match.start(1), match.end(1), tentative)
