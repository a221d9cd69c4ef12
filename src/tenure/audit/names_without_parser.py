"""Names told by the words around them, without a parser: where they stand, and what a line's first words say."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from tenure.audit import languages

_WORD_BYTES = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_$"
_WORD_BYTE_SET = frozenset(bytes([byte]) for byte in _WORD_BYTES)
_ONLY_WORDS = bytes(byte if byte in _WORD_BYTES else 0x20 for byte in range(256))
# What stands before a name only where it is defined, in any of our languages.
_PLAIN_LEAD = re.compile(
    rb"[ \t]*(?:(?:export|default|public|private|protected|internal|static|abstract|final|open|sealed|data|async|"
    rb"override|inline|pub(?:\([a-z]+\))?|unsafe|declare|partial|suspend)[ \t]+){0,5}"
    rb"(?:def|class|function\*?|func|fn|struct|enum|trait|interface|type|record|module|object|protocol|fun|"
    rb"defp|defmodule|defmacro|macro_rules!|#define)[ \t]+(?:\([^()\n]{0,80}\)[ \t]*)?(?:self\.)?"
)
# What stands before a name that is used, quoted, imported or only talked about.
_NO_DEFINITION = re.compile(rb"[ \t]*(?:(?:import|from|use|using)\b|#(?!define)|//|/?\*|--).*|.*[.\"'`/@>]")
MAX_LEAD = 200


def words_of(data: bytes, names: set[bytes]) -> set[bytes]:
    """Return those of the names that stand as a word in the content."""
    return names.intersection(data.translate(_ONLY_WORDS).split())


def plainly_defines(data: bytes, names: Iterable[bytes]) -> dict[bytes, int]:
    """Return those of the names that a line defines by its first words, without a parser, with where that is."""
    found: dict[bytes, int] = {}
    for name in names:
        for at in _places(data, name):
            if _PLAIN_LEAD.fullmatch(_lead(data, at)):
                found[name] = at
                break
    return found


def may_define(data: bytes, names: Iterable[str]) -> set[str]:
    """Return those of the names that are not only used, imported, quoted or commented on in the content."""
    return {
        name
        for name in names
        if any(not _NO_DEFINITION.fullmatch(_lead(data, at)) for at in _places(data, name.encode()))
    }


def _places(data: bytes, name: bytes) -> Iterator[int]:
    """Yield the first places of a name, which may be a part of a longer word."""
    at = data.find(name)
    for _ in range(languages.MAX_MENTIONS):
        if at < 0:
            return
        if data[at + len(name) : at + len(name) + 1] not in _WORD_BYTE_SET:
            yield at
        at = data.find(name, at + len(name))


def _lead(data: bytes, at: int) -> bytes:
    """Return what stands on the line before a place."""
    return data[max(data.rfind(b"\n", 0, at) + 1, at - MAX_LEAD) : at]


def occurrences(data: bytes, names: set[str]) -> Iterable[tuple[int, str]]:
    """Yield where each name stands as a whole word, in the order of the names."""
    for name in sorted(names):
        word = name.encode()
        at = data.find(word)
        while at >= 0:
            end = at + len(word)
            if data[at - 1 : at].translate(None, _WORD_BYTES) == data[at - 1 : at] and (
                data[end : end + 1].translate(None, _WORD_BYTES) == data[end : end + 1]
            ):
                yield at, name
            at = data.find(word, end)
