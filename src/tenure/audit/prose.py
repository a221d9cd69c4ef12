"""What one line of prose claims: by its form, by the words around it, in backticks, in links, and without any mark."""

from __future__ import annotations

import re
from collections.abc import Iterator
from urllib.parse import unquote

import msgspec

from tenure.audit import commands, dependencies, details, shapes, spans, words
from tenure.audit.claim import Claim, Kind
from tenure.audit.fences import TextLine
from tenure.audit.sentences import Sentences

_URL = re.compile(r"https?://[^\s<>\"'`|\\^{}\[\]]+")
_SPAN = re.compile(r"(?<!`)(`{1,2})(?!`)([^`\n]{1,300})\1(?!`)")
_SPACE = re.compile(r"\s")
_LINK = re.compile(r"\]\(<?((?:[^()\s<>]|\([^()\s<>]{0,60}\)){1,300})>?(?:[ \t]+\"[^\"\n]{0,200}\")?\)")
# `](<my docs/a.md>)`, `](my%20docs/a.md)`: a target with blanks.
_SPACED_LINK = re.compile(r"\]\((?:<([^<>\n]{1,300})>|([^()\s<>]{1,300}))(?:[ \t]+\"[^\"\n]{0,200}\")?\)")
# `(group)` and `[parameter]` are folders of web frameworks.
_PART = r"(?:[\w.@+-]{1,100}|\([\w.-]{1,60}\)|\[[\w.-]{1,60}\])"
_BARE_PATH = re.compile(rf"(?<![\w`/@:.~$\\-])(?:\.{{1,2}}/)?[\w.@+-]{{1,100}}(?:/{_PART}){{1,20}}")
# `(src/tools/)`: a folder in brackets needs no backticks.
_PAREN_PATH = re.compile(r"\(((?:\.{1,2}/)?[\w.@+-]{1,100}(?:/[\w.@+-]{1,100}){0,20}/?)\)")
# A file without its folder and without backticks: only a name that is no word of a sentence.
_BARE_NAME = re.compile(r"(?<![\w`/:.~$\\(\[-])@?([\w-]*[\w][_\d-][\w-]*\.[A-Za-z]{1,5})(?![\w/`(])")
# `- **TaskRunner** - runs tasks`, `- apps/web/clean/`: an item may be headed by a name or a path without backticks.
_BOLD_NAME = re.compile(r"[ \t]*(?:[-*+]|\d+[.)])[ \t]+\*\*([A-Z]\w+(?:::[A-Z]\w+)*)(?:\(\))?\*\*")
_BOLD_FILE = re.compile(r"[ \t]*(?:[-*+]|\d+[.)])[ \t]+\*\*([A-Za-z]\w{3,80}\.(?!js\b)[A-Za-z]{1,5})\*\*")
_PATH_ITEM = re.compile(
    rf"[ \t]*[-*+][ \t]+((?:\.{{1,2}}/)?[\w.@+-]{{1,100}}(?:/{_PART}){{2,20}}/)(?:[ \t]*$|:|[ \t]+[-–—(])"
)
# Rules may be kept as JSON: `"pattern": "src/audio/**"`.
_JSON_PATH = re.compile(r"\"(?:pattern|glob|path|file)s?\"[ \t]*:[ \t]*\"([^\"\s]{1,200})\"")
_LINK_TEXT = re.compile(r"\[([^\]\n]{1,300})\]\(")
_BRANCH_NAME = r"[A-Za-z0-9][\w./#+-]{0,120}"
_BRANCH_AFTER = re.compile(
    rf"\bbranch(?:es)?\b(?:[ \t]+(named|called)|[ \t]+(?:is|to|from))?[ \t]*(:)?[ \t]*([`'\"]?)({_BRANCH_NAME})\3",
    re.I,
)
# "on branch x", "the branch x-2": such a word makes the next one a name.
_BRANCH_LEAD = re.compile(r"\b(?:(on|from|into|onto)|the|our|use|using|via)[ \t]+$", re.I)
_BRANCH_BEFORE = re.compile(rf"(?:`({_BRANCH_NAME})`|(?<![\w/`])({_BRANCH_NAME}/{_BRANCH_NAME}))[ \t]+branch\b", re.I)


class _Reader:
    """One line of prose, and which of its characters a claim was made of: the surest readings come first."""

    def __init__(self, line: TextLine, sentences: Sentences, into: int) -> None:
        self.line = line
        self.text = line.text
        self._sentences = sentences
        self._into = into
        self._taken = bytearray(len(line.text))
        # Beside a pattern (`[module].test.ts`) a name shows what one may look like.
        # what holds a space is a statement (`python = ">=3.13"`) and no name's pattern.
        spans_of_line = (match[2].strip() for match in _SPAN.finditer(line.text))
        self._patterned = any(shapes.has_stand_in(span) for span in spans_of_line if not _SPACE.search(span))
        # The text of a link is a name for its target.
        self._titles = [match.span(1) for match in _LINK_TEXT.finditer(line.text)]

    def named(self) -> Iterator[Claim]:
        """Yield what is named by its form or by the words around it, marked as code or not."""
        for match in _URL.finditer(self.text):
            url = _trimmed_url(match.group())
            yield self._make("url", url, match.start(), match.start() + len(url))
        for match, value, group, tentative in _branches(self.text):
            if self._free(*match.span(group)):
                yield self._make("branch", value, match.start(group), match.start(group) + len(value), tentative)
        for name, start, end, tentative in dependencies.named(self.text):
            if self._free(start, end) and shapes.is_package(name):
                yield self._make("package", name, start, end, tentative)

    def stated(self) -> Iterator[Claim]:
        """Yield lines, headings, versions and defaults: they stand beside other claims, so they take no room."""
        for detail in details.read(self.text):
            mood = self._sentences.mood(self._into + detail.start)
            first, last = self.line.offset + detail.start, self.line.offset + detail.end
            hedged, gone = mood.hedged, mood.gone
            yield Claim(detail.kind, detail.text, self.line.number, first, last, hedged, gone, detail.about, mood=mood)

    def marked(self) -> Iterator[Claim]:
        """Yield what stands in backticks, and the targets of links."""
        for match in _SPAN.finditer(self.text):
            start = match.start(2)
            if not self._free(start, match.end(2)):
                continue
            spaced = " " in match[2].strip()
            if shapes.is_spaced_path(match[2]):
                yield self._make("file", match[2], *match.span(2), True)
            for kind, value, begin, end, tentative in spans.read(match[2]):
                if kind == "file" and self._titled(start + begin):
                    continue
                claim = self._make(kind, value, start + begin, start + end, tentative)
                said = commands.as_written(match[2], (kind, value, begin, end)) if kind == "command" else ""
                yield msgspec.structs.replace(claim, command=spaced, said=said)
            self._take(start, match.end(2))
        for match in _SPACED_LINK.finditer(self.text):
            group = 1 if match[1] else 2
            target = match[group] if group == 1 else unquote(match[group])
            if " " in target and self._free(*match.span(group)):
                self._take(*match.span(group))
                if shapes.is_spaced_path(target) and not shapes.is_outside(target):
                    yield msgspec.structs.replace(self._make("file", target, *match.span(group), True), link=True)
        for match in _LINK.finditer(self.text):
            placed = match[1].startswith("mdc:")  # what follows is a place of the project, whatever its shape
            start = match.start(1) + (4 if placed else 0)
            target = spans.without_line(self.text[start : match.end(1)])
            shaped = shapes.is_path(target, loose=True) or (placed and shapes.is_identifier(target))
            if self._free(start, match.end(1)) and shaped and not shapes.is_outside(target):
                claim = self._make("file", target, start, start + len(target))
                yield msgspec.structs.replace(claim, link=True)

    def bare(self) -> Iterator[Claim]:
        """Yield paths and names without any mark but their place or their form."""
        for match in _PAREN_PATH.finditer(self.text):
            path = match[1]
            hosted = shapes.is_host(path.split("/")[0])
            if "/" in path and self._free(*match.span(1)) and shapes.is_path(path) and not hosted:
                yield self._make("file", path, *match.span(1), not path.endswith("/") or shapes.is_loose(path))
        for match in _JSON_PATH.finditer(self.text):
            if "/" in match[1] and self._free(*match.span(1)) and shapes.is_path(match[1]):
                yield self._make("file", match[1], *match.span(1))
        for bold in filter(None, [_BOLD_NAME.match(self.text)]):
            if "::" in bold[1] or shapes.is_pascal(bold[1]):
                yield self._make("symbol", bold[1], *bold.span(1), tentative=True)
        for bold in filter(None, [_BOLD_FILE.match(self.text)]):
            if self._free(*bold.span(1)) and shapes.is_file_name(bold[1]) and not shapes.is_placeholder(bold[1]):
                yield self._make("file", bold[1], *bold.span(1), tentative=shapes.is_loose(bold[1]))
        for item in filter(None, [_PATH_ITEM.match(self.text)]):
            hosted = shapes.is_host(item[1].split("/")[0])
            if self._free(*item.span(1)) and not shapes.is_placeholder(item[1]) and not hosted:
                yield self._make("file", item[1], *item.span(1), tentative=True)
        for match in _BARE_NAME.finditer(self.text):
            named = shapes.is_file_name(match[1]) and not shapes.is_placeholder(match[1])
            if named and self._free(*match.span(1)) and not self._titled(match.start(1)):
                yield self._make("file", match[1], *match.span(1), tentative=True)
        for match in _BARE_PATH.finditer(self.text):
            start = match.start() + match.group().startswith("@")  # `@docs/a.md` mentions a file
            path = self.text[start : match.end()].rstrip(".-+@")
            if self._free(start, start + len(path)) and shapes.is_bare_file(path) and not self._titled(start):
                yield self._make("file", path, start, start + len(path), shapes.is_loose(path))

    def _titled(self, at: int) -> bool:
        return any(first <= at < last for first, last in self._titles)

    def _free(self, start: int, end: int) -> bool:
        return not any(self._taken[start:end])

    def _take(self, start: int, end: int) -> None:
        self._taken[start:end] = b"\1" * (end - start)

    def _make(self, kind: Kind, value: str, start: int, end: int, tentative: bool = False) -> Claim:
        self._take(start, end)
        mood = self._sentences.mood(self._into + start)
        if self._patterned:
            mood = msgspec.structs.replace(mood, example=True, patterned=True)
        first, last = self.line.offset + start, self.line.offset + end
        return Claim(kind, value, self.line.number, first, last, tentative or mood.hedged, mood.gone, mood=mood)


def read(line: TextLine, sentences: Sentences, into: int) -> Iterator[Claim]:
    """Yield the claims of a line of prose, which begins `into` characters after its sentences do."""
    reader = _Reader(line, sentences, into)
    yield from reader.named()
    yield from reader.stated()
    yield from reader.marked()
    yield from reader.bare()


def _branches(text: str) -> Iterator[tuple[re.Match[str], str, int, bool]]:
    for match in _BRANCH_AFTER.finditer(text):
        called, colon, quote, name = match[1], match[2], match[3], match[4].rstrip(".,-")
        lead = _BRANCH_LEAD.search(text, max(0, match.start() - 12), match.start())
        marked = re.search(r"[-_\d]", name) is not None and (colon is not None or lead is not None)
        certain = "/" in name or bool(called or quote) or name in words.PLAIN_BRANCHES or marked
        led = lead is not None and lead[1] is not None and name.lower() not in words.NOT_BRANCHES
        if (certain or led) and shapes.is_branch(name):
            yield match, name, 4, not certain
    for match in _BRANCH_BEFORE.finditer(text):
        group = 1 if match[1] else 2
        name = match[group]
        if shapes.is_branch(name):
            yield match, name, group, False


def _trimmed_url(url: str) -> str:
    """Return the URL without the punctuation of the sentence; a closing bracket stays if it was opened."""
    while url and (url[-1] in ".,;:!?'\"*_" or (url[-1] == ")" and url.count(")") > url.count("("))):
        url = url[:-1]
    return url
