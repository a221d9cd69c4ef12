"""One thing that a page says and that can be checked."""

from __future__ import annotations

from typing import Literal

import msgspec

from tenure.audit.sentences import Mood

Kind = Literal["file", "symbol", "url", "branch", "package", "command", "line", "anchor", "version", "default"]
PLAIN = Mood(False, False)


class Claim(msgspec.Struct, frozen=True):
    """One checkable statement, at `start`..`end` of the text; `within` is the file it is said to be in.

    `beside` is the file that heads the line or table row, for what is told about it there. `mood` is how the sentence
    means it, and `fenced` says that it stands in a code sample.
    """

    kind: Kind
    text: str
    line: int
    start: int
    end: int
    tentative: bool = False
    excused: bool = False
    within: str = ""
    beside: str = ""
    mood: Mood = PLAIN
    fenced: bool = False
    # Said of an import: `text` is a module or class, or what is taken from the one in `within`.
    imported: bool = False
    # An argument of a command; the target of a Markdown link; the line at which a drawn tree begins.
    command: bool = False
    # An argument of a command in a sample that changes to no folder: it runs where the project begins.
    from_root: bool = False
    # The program that a command in such a sample runs: `python scripts/load.py`.
    run: bool = False
    link: bool = False
    tree: int = 0
    # The line at which the code sample begins that a name stands in.
    sample: int = 0
    # The folders that head the items of a list, this one among them.
    listed: tuple[str, ...] = ()
    # A command in the page's own words, where they are not `text`: `tox -e lint` for `tox lint`.
    said: str = ""

    @property
    def in_words(self) -> str:
        """Return the claim as the page says it."""
        return self.said or self.text
