"""What `tenure review` shows on a terminal, and what each key means: rows, a cursor, marks and a detail below.

Pure: it reads no key and changes no memory. `review_screen` does both.
"""

from __future__ import annotations

import textwrap
import unicodedata
from collections.abc import Sequence
from typing import TYPE_CHECKING, Literal

from tenure.surfaces.cli.display import style
from tenure.text.words import for_terminal, one_line, spelled

if TYPE_CHECKING:
    from tenure.usecases.answers.looked import Waiting

Act = Literal["", "keep", "keep marked", "drop", "edit", "merge", "undo", "help", "quit"]
# The letters of the pages of `tenure ui`, so that a habit from there does the same here; `d` and `m` are from before.
ACTS: dict[str, Act] = {
    "a": "keep", "A": "keep marked", "x": "drop", "d": "drop", "e": "edit", "s": "merge", "m": "merge", "u": "undo",
    "?": "help", "h": "help", "q": "quit", "escape": "quit", "end of input": "quit",
}  # fmt: skip
MOVES = {"down": 1, "j": 1, "n": 1, "up": -1, "k": -1, "p": -1, "tab": 1}
KEYS = "a keep  x drop  e edit  s merge  space mark  A marked  u undo  ? help  q quit"
HELP = (
    "a      keep it: agree to its promotion, or reinstate it",
    "x, d   drop it, or all that is marked (`tenure restore` brings it back)",
    "e      change what it says, in your editor",
    "s, m   merge: the marked ones give way to the one under the cursor",
    "space  mark it",
    "A      keep everything that is marked",
    "*      mark all, or none",
    "u      take back what you did last",
    "j, k and arrows move · q or Esc leaves",
)
# The list keeps at least so many lines, whatever the detail needs.
LEAST_ROWS = 3
# Head, two rules, a message and the keys.
FRAME_LINES = 5


class Page:
    """The queue as the screen shows it."""

    def __init__(self, rows: Sequence[Waiting]) -> None:
        self.rows: list[Waiting] = list(rows)
        self.cursor = 0
        self.top = 0
        self.marked: set[str] = set()
        self.message = ""
        self.helping = False
        self.decided = 0

    @property
    def current(self) -> Waiting | None:
        return self.rows[self.cursor] if self.rows else None

    def chosen(self) -> list[Waiting]:
        """Return what an act works on: everything marked, else the row under the cursor."""
        if self.marked:
            return [row for row in self.rows if row.id in self.marked]
        return [self.current] if self.current else []

    def replace(self, rows: Sequence[Waiting]) -> None:
        """Show another queue, with the cursor where it was and the marks that are left."""
        here = {row.id for row in rows}
        self.rows = list(rows)
        self.marked &= here
        self.cursor = max(0, min(self.cursor, len(self.rows) - 1))

    def press(self, key: str) -> Act:
        """Move or mark, and return what else the key asks for."""
        self.message = ""
        if self.helping and key != "q":
            self.helping = False
            return ""
        if key in MOVES and self.rows:
            self.cursor = max(0, min(self.cursor + MOVES[key], len(self.rows) - 1))
        elif key == "space" and self.current:
            self.marked ^= {self.current.id}
            self.cursor = min(self.cursor + 1, len(self.rows) - 1)
        elif key == "*":
            every = {row.id for row in self.rows}
            self.marked = set() if self.marked == every else every
        elif key in ("?", "h"):
            self.helping = True
        else:
            return ACTS.get(key, "")
        return ""

    def lines(self, width: int, height: int) -> list[str]:
        """Return the screen, one text per line; none is wider than the terminal."""
        if self.helping:
            return [style("tenure review", bold=True), "", *(fit(line, width) for line in HELP), "", "any key: back"]
        detail = self._detail(width)
        room = max(LEAST_ROWS, height - FRAME_LINES - len(detail))
        detail = detail[: max(0, height - FRAME_LINES - min(room, len(self.rows)))]
        room = min(room, max(len(self.rows), 1))
        self.top = max(min(self.top, self.cursor), self.cursor - room + 1)
        shown = self.rows[self.top : self.top + room]
        listed = [self._row(number, row, width) for number, row in enumerate(shown, start=self.top)]
        rule = style("─" * width, dim=True)
        return [
            self._head(width),
            rule,
            *(listed or ["Nothing waits for a review any more."]),
            rule,
            *detail,
            fit(self.message, width),
            style(fit(KEYS, width), dim=True),
        ]

    def _head(self, width: int) -> str:
        parts = [f"{len(self.rows)} wait"]
        if self.marked:
            parts.append(f"{len(self.marked)} marked")
        if self.decided:
            parts.append(f"{self.decided} decided")
        place = f"{self.cursor + 1} of {len(self.rows)}" if self.rows else ""
        left = f"tenure review · {' · '.join(parts)}"
        return style(fit(left, width - len(place) - 1).ljust(width - len(place)) + place, bold=True)

    def _row(self, number: int, row: Waiting, width: int) -> str:
        pointer = ">" if number == self.cursor else " "
        mark = "*" if row.id in self.marked else " "
        line = fit(f"{pointer}{mark} {row.state:<12} {one_line(row.title)}", width)
        return style(line, reverse=True) if number == self.cursor else line

    def _detail(self, width: int) -> list[str]:
        return detail(self.current, width) if self.current else []


def detail(row: Waiting, width: int) -> list[str]:
    """Return what one must know of a memory to decide: text, quote, origin, and why it waits."""
    lines = [style(line, bold=True) for line in wrap(row.text or row.title, width)]
    if row.quote:
        lines += wrap(f'said: "{one_line(row.quote)}"', width, indent=6)
    lines += wrap(f"from: {origin(row)}", width, indent=6)
    lines += wrap(f"why:  {row.why}", width, indent=6)
    keeps = f"a: {in_words(row.keep)}" if row.keep else "it cannot be kept any more"
    return [*lines, style(fit(f"{spelled(row.id)} · {keeps}", width), dim=True)]


def in_words(verdict: str) -> str:
    """Return a verdict as a person says it."""
    return verdict.replace("promote_", "promote to ", 1).replace("_", " ")


def origin(row: Waiting) -> str:
    """Return in a few words where a memory comes from and what speaks for it."""
    who = {"user": "you", "model": "an agent", "tool": "a tool", "repository": "the repository", "external": "outside"}
    said = who.get(row.trust, row.trust)
    named = row.source and row.source != row.trust
    if row.quote and row.trust == "model":
        facts = [f"your words, as a session of {one_line(row.source.removeprefix('agent:'), 40)} has them"]
    else:
        facts = [f"{said} ({one_line(row.source, 40)})" if named else said]
    facts.append(f"{row.evidence_count} run{'s' * (row.evidence_count != 1)}")
    if row.uses:
        facts.append(f"used {row.uses} time{'s' * (row.uses != 1)}")
    facts.append(f"confidence {row.confidence:g}")
    if row.created_at:
        facts.append(row.created_at[:10])
    if row.files:
        facts.append(one_line(", ".join(map(spelled, row.files)), 40))
    return " · ".join(facts)


def plain_lines(rows: Sequence[Waiting]) -> str:
    """Return the queue for a pipe: one line for each memory, with its text, why it waits and the words it quotes."""
    cells = [(spelled(row.id), row.state, in_words(row.needs)) for row in rows]
    widths = [max(len(cell[column]) for cell in cells) for column in range(3)]
    lines = []
    for row, cell in zip(rows, cells, strict=True):
        head = "  ".join(text.ljust(width) for text, width in zip(cell, widths, strict=True))
        said = f' · said: "{one_line(row.quote)}"' if row.quote else ""
        lines.append(f"{head}  {one_line(row.text or row.title)} · {one_line(row.why)}{said}")
    return "\n".join(lines)


def wrap(text: str, width: int, indent: int = 0) -> list[str]:
    """Return the text in lines that fit, those after the first indented."""
    found: list[str] = []
    for part in for_terminal(text).splitlines() or [""]:
        # A path or an option is one word, hyphens or not.
        lines = textwrap.wrap(part, max(width - 1, 20), subsequent_indent=" " * indent, break_on_hyphens=False)
        found += lines or [""]
    return [fit(line, width) for line in found]


def fit(text: str, width: int) -> str:
    """Return a line cut to so many cells of a terminal, in which some characters take two."""
    line = for_terminal(text).replace("\n", " ").replace("\t", " ")
    if sum(map(_cells, line)) <= width:
        return line
    kept, room = "", width - 1
    for character in line:
        room -= _cells(character)
        if room < 0:
            break
        kept += character
    return kept.rstrip() + "…"


def _cells(character: str) -> int:
    if unicodedata.combining(character):
        return 0
    return 2 if unicodedata.east_asian_width(character) in "WF" else 1
