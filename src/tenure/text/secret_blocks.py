"""Secrets that no single line shows: what surrounds a value, sometimes lines away, says that it is one.

A Kubernetes `Secret` holds secrets under arbitrary names; a command such as `vault kv put` stores every value that it
is given. Each search is for a plain word first, and looks at a bounded piece of text after it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from tenure.text import secret_values

# One document may hold many secrets, and a text many documents; more is no memory.
LONGEST_DOCUMENT = 65_536
LONGEST_COMMAND = 4_096
SHORTEST = 6

_KIND = re.compile(
    r"(?m)(?:^|[{,])[ \t>|#-]{0,16}[\"']?kind[\"']?\s{0,4}:\s{0,4}[\"']?Secret[\"']?[ \t]{0,8}(?=[,}\r\n]|\Z)"
)
_NEXT = re.compile(r"(?m)^(?:---|```)")
_DATA = re.compile(r"(?m)^([ \t>|#-]{0,24})(data|stringData):[ \t]{0,8}\r?$\n?")
_NAME = r"([ \t>|#]{0,24})[\"']?(?P<name>[\w./-]{1,253})[\"']?:[ \t]{1,8}"
_ENTRY = re.compile(
    _NAME
    + r"(?:\"(?P<double>[^\"\r\n]{1,8192})\"|'(?P<single>[^'\r\n]{1,8192})'|(?P<bare>[^\s\"'|>&*#][^\r\n]{0,8191}))"
)
_LINES = re.compile(_NAME + r"[|>][+-]?\d?[ \t\r]{0,8}$")
_JSON_DATA = re.compile(r"[\"'](data|stringData)\\?[\"']\s{0,8}:\s{0,8}\{([^{}]{0,16384})\}")
_JSON_VALUE = re.compile(r"\"(?P<name>[\w./-]{1,253})\"\s{0,8}:\s{0,8}\"(?P<value>[^\"\n]{1,8192})\"")
_BASE64 = r"[A-Za-z0-9+/]{6,8192}={0,2}"
# What stands beside the secrets of a manifest: who, where, and what everybody may see.
_OPEN_NAMES = (
    "user", "username", "username_in", "name", "host", "hostname", "port", "address", "email", "region", "type", "crt",
    "cert", "pub", "public-key", "public_key", "publickey",
)  # fmt: skip
_PATCH = re.compile(r"\bpatch secrets?\b")
# Commands that store every value they are given by name.
_STORING = re.compile(
    r"\b(?:vault\skv\s(?:put|patch)|(?:doppler|fly|flyctl|supabase|railway)\ssecrets\sset"
    r"|(?:kubectl|oc)\s(?:[\w=.-]{1,64}\s){0,4}create\ssecret\sgeneric)\b"
)
_GIVEN = re.compile(
    r"[\s=][\"']?(?P<name>[A-Za-z_][\w.-]{0,63})="
    r"(?:\"(?P<double>[^\"\n]{1,512})\"|'(?P<single>[^'\n]{1,512})'|(?P<bare>[^\s\"';|&]{1,512}))"
)


def spans(text: str) -> Iterator[tuple[int, int]]:
    """Yield where values stand that only their surroundings make secrets."""
    yield from _stored(text)
    covered = 0
    for kind in _KIND.finditer(text):
        if kind.start() < covered:
            continue
        begin = max(covered, kind.start() - LONGEST_DOCUMENT)
        begin = max((m.end() for m in _NEXT.finditer(text, begin, kind.start())), default=begin)
        after = _NEXT.search(text, kind.end(), kind.end() + LONGEST_DOCUMENT)
        covered = after.start() if after else min(len(text), kind.end() + LONGEST_DOCUMENT)
        for data in _DATA.finditer(text, begin, covered):
            yield from _entries(text, data.end(), covered, len(data[1]), is_plain=data[2] == "stringData")
        yield from _json(text, begin, covered)
    for patch in _PATCH.finditer(text):
        if patch.start() >= covered:
            covered = min(len(text), patch.end() + LONGEST_COMMAND)
            yield from _json(text, patch.end(), covered)


def _entries(text: str, position: int, end: int, outer: int, *, is_plain: bool) -> Iterator[tuple[int, int]]:
    """Yield the values of the lines that stand deeper than the name of their mapping."""
    inside = -1  # how deep the name of the open lines below it stands
    is_open = False
    while position < end:
        stop = text.find("\n", position, end)
        stop = end if stop < 0 else stop
        line = text[position:stop]
        depth = len(line) - len(line.lstrip(" \t>|#"))
        if line.strip(" \t\r>|#") and depth <= outer:
            return
        if inside >= 0 and depth > inside:
            value = line.strip()
            start = position + line.find(value)
            # A whole document may stand here; what of it is secret is found as anywhere else.
            if not is_open and (_is_drawn(value) if is_plain else _is_encoded(value)):
                yield start, start + len(value)
        else:
            lines, entry = _LINES.match(line), _ENTRY.match(line)
            inside, is_open = (depth, _is_open(lines["name"])) if lines else (-1, False)
            if entry and entry.lastgroup and not _is_open(entry["name"]):
                value = entry[entry.lastgroup].split(" #", 1)[0].strip()
                start = position + entry.start(entry.lastgroup)
                if _is_secret(value) if is_plain else _is_encoded(value):
                    yield start, start + len(value)
        position = stop + 1


def _json(text: str, begin: int, end: int) -> Iterator[tuple[int, int]]:
    for data in _JSON_DATA.finditer(text, begin, end):
        judge = _is_secret if data[1] == "stringData" else _is_encoded
        for entry in _JSON_VALUE.finditer(text, data.start(2), data.end(2)):
            if not _is_open(entry["name"]) and judge(entry["value"]):
                yield entry.span("value")


def _stored(text: str) -> Iterator[tuple[int, int]]:
    position = 0
    while command := _STORING.search(text, position):
        last = min(len(text), command.end() + LONGEST_COMMAND)
        stop = text.find("\n", command.end(), last)
        while stop > 0 and text[stop - 1] == "\\":
            stop = text.find("\n", stop + 1, last)
        position = stop if stop >= 0 else last
        for given in _GIVEN.finditer(text, command.end(), position):
            if given.lastgroup and not _is_open(given["name"]) and _is_secret(given[given.lastgroup]):
                yield given.span(given.lastgroup)


def _is_open(name: str) -> bool:
    return name.lower().endswith(_OPEN_NAMES)


def _is_secret(value: str) -> bool:
    """Judge a plain value whose place says that it is secret; addresses and paths occur there too."""
    if "://" in value or secret_values.matches(r"@?[\w.-]*(?:/[\w.-]+)+|[\w-]+(?:\.[\w-]+)+(?::\d+)?", value):
        return secret_values.is_random(value, shortest=24) and "." not in value and ":" not in value
    return secret_values.is_password_like(value, quoted=True) or _is_drawn(value)


def _is_drawn(value: str) -> bool:
    return secret_values.matches(r"[\w+/=.~-]+", value) and secret_values.is_random(value)


def _is_encoded(value: str) -> bool:
    """Judge a value that its place says to be base64 of a secret: all but what is everybody's is one."""
    import binascii

    if not secret_values.matches(_BASE64, value) or secret_values.is_stand_in(value):
        return False
    try:
        plain = binascii.a2b_base64(value + "=" * (-len(value) % 4)).decode("ascii").strip()
    except ValueError:
        return True
    return len(plain) >= SHORTEST and not secret_values.is_stand_in(plain)
