"""What a command line is once it is read: its simple commands, and paths as seen from where the line began.

`UNKNOWN` stands in a word for what only running the line would tell. Imports nothing: a hook uses it.
"""

from __future__ import annotations

# Stands in a word for what is not known before the line runs.
UNKNOWN = "\0"


class Unparsable(ValueError):
    """The line is none that a shell would take, or too large to be read."""


class Simple:
    """One simple command: its words without quotes, where output and input go, and the folder it runs in.

    `named_later` says that more words come when it runs, as `xargs` adds them; `guessed`, that a program in another
    language seems to start it.
    """

    __slots__ = ("carriers", "folder", "guessed", "named_later", "program", "redirects", "source", "stdin", "words")

    def __init__(
        self, words: list[str], redirects: list[tuple[str, str]], folder: str, stdin: str | None,
        *, named_later: bool = False, source: Simple | None = None,
    ) -> None:  # fmt: skip
        self.words, self.redirects, self.folder, self.stdin = words, redirects, folder, stdin
        self.named_later, self.source, self.guessed = named_later, source, False
        # Its name without the folder, empty when only redirections or assignments stand there.
        self.program = words[0].rsplit("/", 1)[-1].removesuffix(".exe") if words else ""
        # The programs that start it, the outermost first.
        self.carriers: tuple[str, ...] = ()

    def __repr__(self) -> str:
        return f"Simple({self.words!r}, {self.redirects!r}, {self.folder!r})"


class Script:
    """What a line holds: `valid` as `bash -n` sees it, and `whole` when nothing in it had to be passed over."""

    __slots__ = ("commands", "valid", "whole")

    def __init__(self, commands: list[Simple], *, valid: bool, whole: bool) -> None:
        self.commands, self.valid, self.whole = commands, valid, whole


def plain(path: str) -> str:
    """Return a path with a drive (`C:\\Users`, `C:/Users`) as a shell on Windows writes it: `/c/Users`."""
    if path[1:3] in (":\\", ":/") and path[0].isalpha():
        return f"/{path[0].lower()}/{path[3:]}".replace("\\", "/")
    return path


def joined(folder: str, path: str) -> str:
    """Return a path as seen from where the line began; unknown stays unknown."""
    path = plain(path)
    if path.startswith(("/", "~")) or not folder:
        return _normal(path)
    return _normal(f"{folder}/{path}")


def _normal(path: str) -> str:
    parts: list[str] = []
    for part in path.split("/"):
        if part == ".." and parts and parts[-1] not in ("..", UNKNOWN):
            parts.pop()
        elif part not in (".", ""):
            parts.append(part)
    return ("/" if path.startswith("/") else "") + "/".join(parts)
