"""Names in a text: `ledger-gateway`, `parse_config`, `HttpClient`, `src/api/client.py`.

The full-text index cuts them into parts, or not at all. Here they become words of their own, written without their
separators, so that a name is found whole in any spelling and, for humps, by its parts. The prompt hook runs this on
every message: nothing is imported, and every text is passed over once.
"""

from __future__ import annotations

from itertools import compress

from tenure.text.words import holds_unspaced, is_unspaced

# Longer runs are data, not names.
LONGEST_NAME = 120
MOST_NAMES = 200
# How many endings of a path are names: `client.py`, `api/client.py`, `src/api/client.py`.
PATH_ENDINGS = 3
# The texts of a project name the same things again and again, so what the last names are made of is remembered.
REMEMBERED_RUNS = 2000
_remembered: dict[str, dict[str, None]] = {}

_JOINTS = "_-./\\:"
_ASCII_JOINTS = _JOINTS.encode()
_APART = {code: " " for code in range(128) if not chr(code).isalnum() and chr(code) not in _JOINTS}
_ASCII_APART = bytes(32 if code in _APART else code for code in range(256))
_PLAIN = b"abcdefghijklmnopqrstuvwxyz"
_SPACED = {ord(joint): " " for joint in _JOINTS}
_SLASHED = {ord("\\"): "/", ord(":"): "/"}


def names(text: str) -> list[str]:
    """Return the names of a text as single words, each once, in order; parts of humps after their whole."""
    found: dict[str, None] = {}
    for run in dict.fromkeys(_runs(text)):
        if len(found) >= MOST_NAMES:
            break
        run = run.strip(_JOINTS)
        if 1 < len(run) <= LONGEST_NAME:
            known = _remembered.get(run)
            if known is None:
                if len(_remembered) >= REMEMBERED_RUNS:
                    _remembered.clear()
                known = _remembered[run] = dict.fromkeys(_names_of(run))
            found.update(known)
    return list(found)


def _runs(text: str) -> list[str]:
    """Return what stands between blanks and signs, without most plain words: they are no names."""
    if text.isascii():
        # Bytes are many times faster to cut than text.
        spaced = text.encode().translate(_ASCII_APART)
        # Of a run of small letters nothing is left here, and so it is passed over.
        left = spaced.translate(None, _PLAIN)
        if left.isspace() or not left:
            return []
        runs = [run.strip(_ASCII_JOINTS) for run in compress(spaced.split(b" "), left.split(b" "))]
        # Letters and digits of one case, but for the first, have no humps.
        return [
            run.decode()
            for run in runs
            if not (run.isalnum() and (run[1:].islower() or run.islower() or run.isupper() or run.isdigit()))
        ]
    return [
        run
        for run in text.translate(_APART).split()
        if not (run.isalpha() and (run.islower() or run[1:].islower())) or holds_unspaced(run)
    ]


def _names_of(run: str) -> list[str]:
    if not run.isascii() and holds_unspaced(run):
        return [name for piece in by_script(run).split() for name in _names_beside(piece.strip(_JOINTS))]
    found = []
    pieces = run.translate(_SPACED).split()
    if len(pieces) > 1:
        found = _paths(run) if "/" in run or "." in run or "\\" in run or ":" in run else ["".join(pieces).lower()]
    for piece in pieces:
        parts = humps(piece)
        if len(parts) > 1:
            found += [piece.lower(), *parts]
    return [name for name in found if len(name) > 1]


def _names_beside(piece: str) -> list[str]:
    """Return the names of a piece of one script, in a text of a script without spaces."""
    if holds_unspaced(piece):
        # Scripts written without spaces are found by pairs of characters.
        return [part[i : i + 2] for part in piece.translate(_SPACED).split() for i in range(len(part) - 1)]
    # The index takes a word and the signs around it for one: as a name it is found.
    return _names_of(piece) or [piece.lower()] * (len(piece) > 1)


def by_script(text: str) -> str:
    """Return a text with a space wherever a script without spaces meets another: `pnpm` in "用pnpm安装" is a word."""
    if not holds_unspaced(text):
        return text
    found, before = [], ""
    for sign in text:
        if before.isalnum() and sign.isalnum() and is_unspaced(before) != is_unspaced(sign):
            found.append(" ")
        found.append(sign)
        before = sign
    return "".join(found)


def _paths(run: str) -> list[str]:
    """Return a path or dotted name whole, by its last segments, and the compound segments inside it."""
    segments = [part for part in run.translate(_SLASHED).split("/") if part.strip(_JOINTS)]
    while len(segments) > 1 and segments[-1].isdigit():
        segments.pop()  # the number of a line
    wholes = ["/".join(segments)]
    wholes += ["/".join(segments[-count:]) for count in range(1, min(len(segments), PATH_ENDINGS + 1))]
    # A file without its ending, and folders that are names themselves.
    wholes += [segment.rpartition(".")[0] or segment for segment in segments]
    return ["".join(pieces).lower() for whole in wholes if len(pieces := whole.translate(_SPACED).split()) > 1]


def humps(piece: str) -> list[str]:
    """Return the parts of `parseConfig` or `HTTPClient` in lower case; a plain word is its only part."""
    if piece.islower() or piece.isupper() or piece[1:].islower():
        return [piece.lower()]
    parts, start = [], 0
    for i in range(1, len(piece)):
        before, here, after = piece[i - 1], piece[i], piece[i + 1 : i + 2]
        if here.isupper() and (not before.isupper() or after.islower()):
            parts.append(piece[start:i].lower())
            start = i
    return [*parts, piece[start:].lower()]


def prose(text: str) -> str:
    """Return a text without paths and code names, which say little to a model of ordinary language."""
    return " ".join(word for word in text.split() if not _is_code(word.strip(".,:;!?()[]{}\"'`")))


def nameless(text: str) -> str:
    """Return the prose of a text without names joined by hyphens either."""
    return " ".join(word for word in prose(text).split() if "-" not in word.strip("-.,:;!?()[]{}\"'`"))


def clauses(text: str) -> list[str]:
    """Return a text cut after the signs that end a sentence or announce one."""
    found, begun = [], 0
    for place, sign in enumerate(text):
        if sign == "\n" or (sign in ".!?:;" and text[place + 1 : place + 2].isspace()):
            found.append(text[begun : place + 1].strip())
            begun = place + 1
    return [clause for clause in (*found, text[begun:].strip()) if clause]


def _is_code(word: str) -> bool:
    return "/" in word or "_" in word or len(humps(word)) > 1
