"""What fenced blocks claim: commands, names in code samples, and folders drawn as trees. Agents read them too.

Pure: lines in, claims out. A name in a sample is tentative, whatever its shape: it counts only if the project once
defined it. Names the sample itself defines are its own.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from tenure.audit import words

MAX_NAMES = 400
_TREE_MARK = re.compile(r"[├└│]|[|+`\\]-{2}")
_LEAD = re.compile(r"[\s│├└─┬┴|+`\\*•-]*")
# `/web/`: some write every entry from the root of what is drawn.
_ENTRY = re.compile(r"/?(?P<name>\.?[\w@+(\[{][\w.@+()\[\]{},*-]*(?:/[\w.@+()\[\]{},*-]+)*/?)(?P<rest>.*)")
# `a.py, b.py`: one line of a drawing may hold several files.
_FURTHER = re.compile(r",\s+([\w@+-][\w.@+-]*\.[A-Za-z]\w{0,9})(?=,|\s|$)")
_PLAIN_ENTRY = re.compile(r"\s*\.?[\w@+-][\w.@+-]*(?:/[\w.@+-]+)*/?(?:\s+(?:#|<-|//|-|—|←|→).*)?\s*")
_NAME = re.compile(r"[A-Z]\w*(?:::[A-Z]\w*)+|[A-Za-z_$][\w$]*")
_IMPORTS = re.compile(r"\s*(?:[$>#]\s*)?(?:import|from|use|using|require|include|export)\b")
_PACKAGE = re.compile(r"(?:\bfrom|\brequire\(|\bimport)[ \t(]*['\"](@[\w.-]+/[\w.-]+|[a-z][\w.-]*)(?:/[^'\"]*)?['\"]")
_FROM_IMPORT = re.compile(r"\s*(?:>>>\s*)?from[ \t]+([a-z_]\w*(?:\.\w+)+)[ \t]+import[ \t]+\(?([\w, \t]+)")
_CLASS_IMPORT = re.compile(r"\s*import[ \t]+([a-z_]\w*(?:\.[a-z_]\w*)+\.[A-Z]\w*);?\s*$")
_SHAPED = re.compile(
    r"[a-z0-9]+(?:_[a-z0-9]+)+|[a-z]+[a-z0-9]*(?:[A-Z][a-z0-9]+)+|(?:[A-Z]+[a-z0-9]+){2,}|[A-Z]+(?:_[A-Z0-9]+)+"
)
_OWN = re.compile(
    r"\b(?:def|class|function\*?|func|fn|struct|enum|trait|interface|type|const|let|var|val|module|fun|record|object)"
    r"[ \t]+(?:\([^()\n]{0,80}\)[ \t]*)?([A-Za-z_$][\w$]*)"
    r"|^[ \t]*([A-Za-z_$][\w$]*)(?:[ \t]*:[^=\n]{0,60})?[ \t]*:?=(?![=>])"
    r"|\bfor[ \t]+([A-Za-z_$][\w$]*)[ \t]+in\b|\bas[ \t]+([A-Za-z_$][\w$]*)|\|([a-z_]\w*)\|",
    re.M,
)
_STAND_IN = re.compile(
    r"(?:my|your|some|example|sample|test|foo|bar|dummy|fake|mock)(?:_|(?=[A-Z]))|\w+_name$|.*Example", re.I
)
_TOP = re.compile(r"/[\w.@+-]+/?(?=\s|$)")
_REMARK = "?"
# What a sample shows as wrong is not meant to be there: `// WRONG`, `# Bad: …`, `// ❌`.
_WRONG = re.compile(
    r"(?:^|\s)(?://|#|--|/\*|<!--)[^\n]*?(?:\b(?:WRONG|BAD|INCORRECT|AVOID|FORBIDDEN|DON['’]?T|DO NOT|NEVER)\b|❌|✗|🚫)"
    r"|(?:^|\s)(?://|#|--)[ \t]*(?:Wrong|Bad|Incorrect|Avoid|Forbidden|Don['’]t|Never)\b"
)
_COMMENT = re.compile(r"\s*(?://|#|--|/\*|<!--)")
_REMARKS = re.compile(r"(?:^|\s)(?://|#|--|/\*+|<!--)[ \t]")
_REMARKED = re.compile(
    r"(?<![\w`/@:.~$\\-])(?:\.{1,2}/)?[\w.@+-]{1,100}(?:/[\w.@+()\[\]-]{1,100}){1,20}\.[A-Za-z]\w{0,9}(?![\w/(*{<])"
)
_ALIAS = re.compile(r"(?:\bfrom|\bimport|\brequire\(|\bmock\()[ \t(]*['\"](@/[^'\"\s]{1,200})['\"]")
MIN_LENGTH = 6
MIN_PLAIN_ENTRIES = 3
MIN_TOPS = 3
PLAIN_SHARE = 0.8


class TextLine(NamedTuple):
    """One line of a text: its number, where it begins, and what it says."""

    number: int
    offset: int
    text: str


class Named(NamedTuple):
    """A name, the line it is on, where it stands in the whole text, and for a tree's entry the folders around it."""

    text: str
    line: int
    start: int
    around: str = ""


def is_tree(language: str, lines: Sequence[TextLine]) -> bool:
    """Return whether the block draws folders: with lines, or by indentation alone."""
    said = [line.text for line in lines if line.text.strip()]
    if sum(bool(_TREE_MARK.search(text)) for text in said) >= 2:
        return True
    if language not in words.PLAIN_FENCES or len(said) < MIN_PLAIN_ENTRIES:
        return False
    entries = [text for text in said if _PLAIN_ENTRY.fullmatch(text)]
    nested = len({len(text) - len(text.lstrip()) for text in entries}) > 1
    folders = any(re.search(r"^\s*[\w./-]+/(?:\s|$)", text) for text in entries)
    return nested and folders and len(entries) >= PLAIN_SHARE * len(said)


def tree(lines: Sequence[TextLine]) -> Iterator[Named]:
    """Yield the entries of a drawn tree with the folders they stand in."""
    around: list[tuple[int, str]] = []
    # Several entries at the left that begin with a slash are folders of the root; one alone may be the root itself.
    tops = sum(_TOP.match(line.text) is not None for line in lines)
    for line in lines:
        lead = _LEAD.match(line.text)
        column = lead.end() if lead else 0
        entry = _ENTRY.match(line.text, column)
        drawn = _TREE_MARK.search(line.text, 0, column) is not None
        if line.text[:column].endswith("*"):
            continue  # a pattern: `*.test.ts`
        name = entry["name"].rstrip(",") if entry else ""
        start = entry.start("name") if entry else column
        at = start + len(name)
        remark = name.startswith("(") and ")" not in name  # `(app)/` is a folder of web frameworks
        if entry is None or remark or _is_words(line.text[at:]):
            if drawn:  # what is drawn below a remark is not below the folder before it
                around = [(place, each) for place, each in around if place < column] + [(column, _REMARK)]
            continue
        if not drawn and start == column and "/" not in name and "." not in name:
            continue  # a word of a remark
        while around and around[-1][0] >= column:
            around.pop()
        if name in (".", "./") or any(each == _REMARK for _column, each in around):
            continue
        folder = "".join(each if each.endswith("/") else each + "/" for _column, each in around)
        if not around and start > column and tops >= MIN_TOPS:
            folder = "./"
        yield Named(name, line.number, line.offset + start, folder)
        while further := _FURTHER.match(line.text, at):
            yield Named(further[1], line.number, line.offset + further.start(1), folder)
            at = further.end()
        around.append((column, name))


def _is_words(rest: str) -> bool:
    """Return whether what follows the first word makes the line a sentence and not an entry."""
    remark = r"\s{2,}|\s*(?:#|<-|//|--|—|–|-|:|\(|←|→|\.\.\.|…|=)|,\s+[\w.@+-]+\.\w|\s*$"
    return bool(rest) and not re.match(remark, rest)


def warned_of(lines: Sequence[TextLine]) -> set[int]:
    """Return the numbers of the lines that a sample calls wrong: with a remark, or below one up to the next."""
    found: set[int] = set()
    below = False
    for line in lines:
        remark = _COMMENT.match(line.text) is not None
        wrong = _WRONG.search(line.text) is not None
        below = wrong if remark else below and bool(line.text.strip())
        if wrong or below:
            found.add(line.number)
    return found


def names(lines: Sequence[TextLine]) -> Iterator[Named]:
    """Yield the names a sample uses and does not define itself, each once."""
    whole = "\n".join(line.text for line in lines)
    own = {name for match in _OWN.finditer(whole) for name in match.groups() if name}
    seen: set[str] = set()
    for line in lines:
        imports = _IMPORTS.match(line.text) is not None
        for match in _NAME.finditer(line.text):
            name = match.group()
            known = name in own or name in seen or name in words.COMMON_IDENTIFIERS or _STAND_IN.match(name)
            plain = "::" not in name and not _SHAPED.fullmatch(name)
            if len(name) < MIN_LENGTH or known or plain or not (imports or _is_meant(line.text, match)):
                continue
            seen.add(name)
            yield Named(name, line.number, line.offset + match.start())
            if len(seen) >= MAX_NAMES:
                return


class Imported(NamedTuple):
    """A module or class that a sample imports, and the names it takes from it."""

    module: Named
    names: tuple[Named, ...] = ()


def imports(lines: Sequence[TextLine]) -> Iterator[Imported]:
    """Yield what a sample of Python, or of a language of the JVM, imports from packages."""
    for line in lines:
        python = _FROM_IMPORT.match(line.text)
        if python is not None:
            given = re.finditer(r"(\w+)(?:[ \t]+as[ \t]+\w+)?", python[2])
            start = line.offset + python.start(2)
            names = tuple(Named(each[1], line.number, start + each.start(1)) for each in given)
            yield Imported(Named(python[1], line.number, line.offset + python.start(1)), names)
        jvm = _CLASS_IMPORT.match(line.text)
        if jvm is not None:
            yield Imported(Named(jvm[1], line.number, line.offset + jvm.start(1)))


def _is_meant(text: str, match: re.Match[str]) -> bool:
    """Return whether the name is a type, a call, a member, a key or an argument, and not a variable of the sample."""
    before, after = text[: match.start()], text[match.end() :].lstrip()
    return not match.group()[0].islower() or before.endswith((".", ":", "->", "--")) or after[:1] in ("(", "=", ":")


def remarked(lines: Sequence[TextLine]) -> Iterator[Named]:
    """Yield the files that a sample names in its remarks: `// src/lib/dates.ts`, `# From jobs/load.py`."""
    for line in lines:
        for remark in _REMARKS.finditer(line.text):
            for match in _REMARKED.finditer(line.text, remark.end()):
                yield Named(match.group(), line.number, line.offset + match.start())
            break


def modules(lines: Sequence[TextLine]) -> Iterator[Named]:
    """Yield the modules that a sample takes from the root of the sources: `from '@/lib/dates'`."""
    for line in lines:
        for match in _ALIAS.finditer(line.text):
            yield Named(match[1], line.number, line.offset + match.start(1))


def packages(lines: Sequence[TextLine]) -> Iterator[Named]:
    """Yield the packages a sample imports by name."""
    for line in lines:
        for match in _PACKAGE.finditer(line.text):
            yield Named(match[1], line.number, line.offset + match.start(1))
