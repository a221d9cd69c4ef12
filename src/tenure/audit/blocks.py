"""A Markdown text in blocks: prose and fences, the paragraphs of prose, and what stands above a line and rules it."""

from __future__ import annotations

import re
from collections.abc import Iterator

from tenure.audit.fences import TextLine

MAX_LINE = 4_000
MAX_PARAGRAPH = 40
_HEADING = re.compile(r"[ \t]{0,3}#{1,6}[ \t]+\S")
# A line of bold words alone, and one that ends in a colon, lead what follows them: `**Don't**`, `Never use:`.
_BOLD = re.compile(r"[ \t]{0,3}(?:[-*][ \t]+)?(?:\*\*[^*\n]{1,80}\*\*|__[^_\n]{1,80}__)[ \t]*:?[ \t]*")
_LEADS = re.compile(r"[^|`\n]{1,200}[:：][*_ \t]*")
_BEGINS = re.compile(r"[ \t]*(?:[-*+][ \t]|\d+[.)][ \t]|[|>#]|\*\*)")
_ENDS = re.compile(r"[ \t]*[|#]")
_FOLLOWS = re.compile(r"[ \t]*(?:[-*+|>][ \t]|\d+[.)][ \t]|[ \t]{2,}\S|$)")
_FENCE = re.compile(r"[ \t>]*(`{3,}|~{3,})[ \t]*([\w+#-]*)")


class Above:
    """What stands above a line and rules it: its heading, and for a list the bold line or the words before a colon."""

    def __init__(self) -> None:
        self._heading = self._bold = self._lead = ""

    @property
    def text(self) -> str:
        """Return all of it."""
        return f"{self._heading} {self._bold} {self._lead}".strip()

    def read(self, line: str) -> None:
        """Note a line of prose."""
        if _HEADING.match(line):
            self._heading, self._bold, self._lead = line, "", ""
        elif _BOLD.fullmatch(line):
            self._bold, self._lead = line, ""
        elif _LEADS.fullmatch(line):
            self._bold, self._lead = self._bold if _FOLLOWS.match(line) else "", line
        elif not _FOLLOWS.match(line):
            self._bold = self._lead = ""


def blocks(text: str) -> Iterator[tuple[str | None, list[TextLine]]]:
    """Yield runs of lines: prose, or what stands in one fence with the language it names."""
    offset = 0
    fence: str | None = None
    marker = ""
    lines: list[TextLine] = []
    for number, raw in enumerate(text.split("\n"), 1):
        opened = _FENCE.match(raw)
        closes = opened and fence is not None and opened[1].startswith(marker) and not opened[2]
        if opened and (fence is None or closes):
            yield fence, lines
            lines = []
            marker, fence = ("", None) if closes else (opened[1][:3], opened[2].lower())
        else:
            lines.append(TextLine(number, offset, raw[:MAX_LINE]))
        offset += len(raw) + 1
    yield fence, lines


def paragraphs(lines: list[TextLine]) -> Iterator[list[TextLine]]:
    """Yield the lines that one sentence may span: a list item, a row and a heading each begin anew."""
    paragraph: list[TextLine] = []
    for line in lines:
        begins = not line.text.strip() or _BEGINS.match(line.text) is not None
        if paragraph and (begins or not paragraph[-1].text.strip() or _ENDS.match(paragraph[-1].text)):
            yield paragraph
            paragraph = []
        paragraph.append(line)
        if len(paragraph) >= MAX_PARAGRAPH:
            yield paragraph
            paragraph = []
    if paragraph:
        yield paragraph
