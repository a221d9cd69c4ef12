"""Breaks lines between words for a terminal; continuation lines are indented."""

from __future__ import annotations

import re
from collections.abc import Iterator

_ESCAPE = re.compile(r"\x1b\[[0-9;]*m")
# How much further in the rest of a broken line stands.
_HANGING = 4
# Lines of a diff, which stay as the file is.
_CHANGED = ("  +", "  -")


def wrap(text: str, width: int) -> str:
    """Return a text for a terminal so wide; styles take no room, and a word that is longer than a line stays whole."""
    return "\n".join(part for line in text.split("\n") for part in _wrapped(line, width))


def _wrapped(line: str, width: int) -> Iterator[str]:
    bare = _ESCAPE.sub("", line)
    if len(bare) <= width or bare.startswith(_CHANGED):
        yield line
        return
    indent = " " * (len(bare) - len(bare.lstrip()) + _HANGING)
    # A style may begin before the indent.
    begun = re.match(rf"(?:{_ESCAPE.pattern})* *\S*", line)
    assert begun
    now = begun[0]
    for word in re.findall(r" +\S+", line[len(now) :]):
        if len(_ESCAPE.sub("", now + word)) <= width:
            now += word
        else:
            yield now
            now = indent + word.lstrip()
    yield now
