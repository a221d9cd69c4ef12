"""Small claims of a line: `file.py:120` beside a name, headings linked to, versions, defaults.

Pure: text in, claims out. Whether they hold is decided in `anchors` and `versions_and_defaults`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Literal, NamedTuple

from tenure.audit import words

_LINE = re.compile(
    r"(?<![\w/:.@-])((?:\.{0,2}/)?[\w@+.-]+(?:/[\w@+.-]+)*\.([A-Za-z+]{1,5})):(\d{1,6})(?:-(\d{1,6}))?(?![\w:.]*\w)"
)
_LINE_LINK = re.compile(r"\]\(<?((?:mdc:)?[\w@+./-]+\.[A-Za-z+]{1,5})#L(\d{1,6})(?:-L?(\d{1,6}))?>?\)")
_ANCHOR = re.compile(r"\]\(<?((?:[\w@+./%-]+\.(?:md|mdx|markdown))?)#([^()\s<>]{1,200})>?(?:[ \t]+\"[^\"\n]*\")?\)")
_NUMBER = r"(\d{1,4}(?:\.\d{1,4}){0,2})"
_VERSION = re.compile(
    rf"(?<![\w/@.`-])({'|'.join(sorted(map(re.escape, words.VERSIONED), key=len, reverse=True))})"
    # `node18` and `python3.11` are a compiler's option and a program's name.
    rf"(?=[^\d])(?:[ \t]+version)?[ \t]*(?::[ \t]*)?\**[ \t]*(>=|≥|v)?[ \t]*{_NUMBER}(?!\.?\d)(\+|\.x\b)?(?![\w%])",
    re.I,
)
# "Java 8-21", "Node 18 or 20": several versions, of which no single one is claimed.
_RANGE = re.compile(r"[ \t]*(?:[-–—/,~]|\b(?:to|through|or|and|und|bis|a)\b)[ \t]*v?\d")
# What the project is built with stands as an item of its own ("- Node.js >= 18", "**Runtime**: Python 3.11+", a
# cell), or after a word that asks for it. "Use generics in Go 1.18+", "Java 21 introduced …" tell of the language.
_ITEM = re.compile(
    r"[ \t>]*(?:[-*+]|\d+[.)])?[ \t]*(?:\[[ x]\][ \t]*)?(?:.*\|)?"
    r"[^|.;`]{0,60}?(?:[:：—–(|*+-]|[ \t]-|^)[ \t]*[*_]*[ \t]*"
)
_ASKS = re.compile(
    r"(?<!\w)(?:requires?|required|needs?|minimum|at least|prerequisites?|targets?|supports?|built (?:with|on)|uses"
    r"|using|runs? on|written in|version|stack|install|benötigt|nécessite|requiere|requer|требует\w*)(?!\w)"
    r"(?:[^.;`|]|\.(?=\d)){0,60}$|(?<!\w)use[ \t]+$|要求|需要|使用",
    re.I,
)
# "React Native 0.81 with Expo 54": one item lists them both.
_BESIDE = re.compile(r"[ \t]*(?:,|&|with|and|on)?[ \t]*")
_ENDS = re.compile(
    r"[ \t]*(?:$|[|,.;:，。；、()（）\[\]*_`/&·—–]|[ \t]-|\+|<)"
    r"|[ \t]+(?:or|and|required|with|via|for|on|minimum|plus)\b"
)
# "Ant Design Vue 4.2": another product, unless the word before is one that leads to any product.
_NAME_BEFORE = re.compile(r"(?<![^\s(])([A-Z]\w+)[ \t]+$")
_LEADS = frozenset(
    "use uses using require requires required install needs with target targets supports runs built latest minimum "
    "modern current the on in for and framework frontend backend language runtime server client".split()
)
# `zeitwerk` (~> 2.6), `zod` ^3.22: a package as its manifest would pin it.
_PINNED = re.compile(
    r"`((?:@[\w.-]+/)?[a-zA-Z][\w.-]*)`[ \t]*\(?((?:~>|\^|>=|==|~=|~)[ \t]*v?(\d{1,4}(?:\.\d{1,4}){0,2}))(?![\w.]*\d)"
)
# `golang:1.25.8-alpine`, postgres:16.2: an image with its tag.
_IMAGE = re.compile(
    r"(?<![\w/:.@-])((?:[a-z0-9][\w.-]*/)*[a-z][a-z0-9_-]+):(v?\d{1,4}(?:\.\d{1,4}){1,2}(?:-[a-z][a-z0-9.-]*)?)(?![\w:/]|\.\d)"
)
MAX_BESIDE = 3
_VALUE = r"(-?\d+(?:\.\d+)?|true|false|True|False|None|null|\"[^\"`\n]{1,40}\"|'[^'`\n]{1,40}'|[A-Za-z][\w./:-]{0,40})"
_SAYS = r"\bdefaults?(?:[ \t]+(?:is|to|value|of))?[ \t]*[:=]?[ \t]*"
_NAME = r"`(?:--)?([A-Za-z_][\w-]*)(?:\([^)`]*\))?`"
_GIVEN = rf"`?{_VALUE}`?(?![\w%])"
_DEFAULTS = (
    re.compile(rf"{_NAME}[^`|.\n]{{0,40}}?{_SAYS}{_GIVEN}"),
    re.compile(rf"\bdefault(?:[ \t]+value)?[ \t]+(?:of|for)[ \t]+{_NAME}[ \t]*(?:is|=|:)[ \t]*{_GIVEN}", re.I),
    re.compile(rf"{_NAME}[ \t]+(?:is|=)[ \t]*{_GIVEN}(?:[ \t]+[a-z]+)?[ \t]+by[ \t]+default\b"),
)
# A function beside it, whose parameter it may be.
_FUNCTION = re.compile(r"`(?:\w+\.)*([A-Za-z_]\w{2,})(?:\([^`\n]*\))?`")


class Detail(NamedTuple):
    """A claim: its kind, what it says, where it stands, and what it is said about."""

    kind: Literal["line", "anchor", "version", "default"]
    text: str
    start: int
    end: int
    about: str = ""


def read(text: str) -> Iterator[Detail]:
    """Yield the small claims of one line of prose."""
    commands = [match.span() for match in re.finditer(r"`[^`\n]*\s[^`\n]*`", text)]
    for match in _LINE.finditer(text):
        inside = any(start < match.start() < end for start, end in commands)
        if match[2].lower() in words.FILE_EXTENSIONS and not inside:
            yield Detail("line", match.group(), match.start(), match.end())
    for match in _LINE_LINK.finditer(text):
        last = f"-{match[3]}" if match[3] else ""
        said = f"{match[1].removeprefix('mdc:')}:{match[2]}{last}"
        yield Detail("line", said, match.start(1), match.end(3 if match[3] else 2))
    for match in _ANCHOR.finditer(text):
        if not re.fullmatch(r"L\d+(?:-L?\d+)?", match[2]):
            yield Detail("anchor", f"{match[1]}#{match[2]}", match.start(1), match.end(2))
    listed = -1  # where the version before ends
    for match in _VERSION.finditer(text):
        named = _NAME_BEFORE.search(text[: match.start()])
        if _RANGE.match(text, match.end()) or (named is not None and named[1].lower() not in _LEADS):
            continue
        goes_on = listed >= 0 and _BESIDE.fullmatch(text, listed, match.start()) and _ENDS.match(text, match.end())
        if not (goes_on or _is_stated(text, match.start(), match.end())):
            continue
        listed = match.end()
        least = match[2] in (">=", "≥") or (match[4] or "").startswith("+")
        later = re.match(r"[ \t]+(?:or|and)[ \t]+(?:later|newer|higher|above|up)\b", text[match.end() :])
        yield Detail(
            "version",
            match.group(),
            match.start(),
            match.end(),
            f"{match[1].lower()} {match[3]}{'+' if least or later else ''}",
        )
    for match in _PINNED.finditer(text):
        yield Detail("version", match[2], match.start(2), match.end(2), f"package:{match[1].lower()} {match[3]}")
    for match in _IMAGE.finditer(text):
        yield Detail("version", match.group(), match.start(), match.end(), f"image:{match[1]} {match[2]}")
    for match in (match for pattern in _DEFAULTS for match in pattern.finditer(text)):
        name = match[1].replace("-", "_")
        beside = [each for each in dict.fromkeys(_FUNCTION.findall(text)) if each not in (match[1], name)]
        if is_telling(name) or beside:
            about = " ".join([name, *beside[:MAX_BESIDE]])
            yield Detail("default", f"{match[1]}={match[2]}", match.start(2), match.end(2), about)


def is_telling(name: str) -> bool:
    """Return whether a parameter's name is no word of every other function."""
    return "_" in name.strip("_") or re.search(r"[a-z][A-Z]", name) is not None


def _is_stated(text: str, start: int, end: int) -> bool:
    """Return whether a version is told as what the project is built with, and not as one of a language's."""
    before = text[:start]
    told = _ASKS.search(before) or _ITEM.fullmatch(before)
    return told is not None and not before.lstrip().startswith("#") and _ENDS.match(text, end) is not None
