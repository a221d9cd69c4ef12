"""A place in a command line: what stands there, and stepping over blanks, comments and ends of lines.

The readers of words, redirections, conditions and commands are built on it, each on the one before. It holds what
they share: the commands found so far, the folder and the variables that are known, and the here-documents still to
come.
"""

from __future__ import annotations

from tenure.guards.shell_script import Simple, Unparsable

# A line is given up, not waited for.
MOST_STEPS = 400_000
SPACES = " \t\r"
ENDS = " \t\n;&|<>()"


class Body(list[str]):
    """Where a here-document's text goes when it is read."""

    def __init__(self, simple: Simple) -> None:
        super().__init__()
        self.simple = simple


class Cursor:
    """The text, where we are in it, and what was found on the way."""

    def __init__(self, text: str, folder: str, depth: int) -> None:
        self.text, self.at, self.folder, self.depth = text, 0, folder, depth
        self.found: list[Simple] = []
        self.variables: dict[str, str] = {}
        # Of `set -- …` under `@`.
        self.arrays: dict[str, list[str]] = {}
        self.waiting: list[tuple[str, bool, bool, list[str]]] = []
        self.whole = True
        self.steps = 0

    def read_list(self, until: frozenset[str], *, closing: str = "") -> bool:
        """Read commands up to one of the words or the closing sign, which is left; return whether there were any."""
        raise NotImplementedError

    def read_bodies(self) -> None:
        """Read the here-documents that wait for the end of this line."""
        raise NotImplementedError

    def _blank_lines(self, *, comments: bool = True) -> None:
        """Pass over blanks, ends of lines and comments; here-documents are read where their line ends."""
        while True:
            self._spaces(comments=comments)
            if not self._next("\n"):
                return
            self.at += 1
            if self.waiting:
                self.read_bodies()

    def _spaces(self, *, comments: bool = True) -> None:
        while self.at < len(self.text):
            if self.text[self.at] in SPACES:
                self.at += 1
            elif self._next("\\\n"):
                self.at += 2
            elif comments and self.text[self.at] == "#":
                end = self.text.find("\n", self.at)
                self.at = len(self.text) if end < 0 else end
            else:
                return

    def _peek(self) -> str:
        """Return the plain word that stands here, empty when there is none or it is quoted in part."""
        end = self.at
        while end < len(self.text) and self.text[end] not in ENDS:
            if self.text[end] in "'\"\\$`":
                return ""
            end += 1
        return self.text[self.at : end]

    def _word_is(self, word: str) -> None:
        self._spaces()
        if self._peek() != word:
            raise Unparsable(f"{word} is missing")
        self.at += len(word)

    def _name(self) -> str:
        self._spaces()
        word = self._peek()
        if not word:
            raise Unparsable("a name is missing")
        self.at += len(word)
        self._spaces()
        return word

    def _take(self, sign: str) -> None:
        if not self._next(sign):
            raise Unparsable(f"{sign} is missing")
        self.at += len(sign)

    def _next(self, sign: str) -> bool:
        return self.text.startswith(sign, self.at)

    def _substitutes(self) -> bool:
        return self._next("<(") or self._next(">(")

    def _step(self) -> None:
        self.steps += 1
        if self.steps > MOST_STEPS:
            raise Unparsable("too long")
