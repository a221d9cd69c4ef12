"""The header of one memory file: `key: value` lines between two `---`, flat or under `metadata:`.

This is not YAML. The seed's rule is a line parser, and the client's newer nested layout is read by the same
lines. The one rule to know: an edit touches the lines it must and no other byte, and a header that does not
close is reported and never rewritten.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

import msgspec

from tenure.model.errors import InvalidInput, Refused

FENCE = "---"
BOM = "\ufeff"
UNKNOWN = "unknown"
NESTING_KEY = "metadata"
KNOWN_KINDS = frozenset({"value", "user", "feedback", "project", "reference"})
# In the client's nested layout these live under `metadata:`; everything else stays at the top.
NESTED_KEYS = frozenset({"node_type", "type", "originSessionId", "modified"})
# A time stamp alone never gives a headerless file a header: the client's own rule.
NEVER_ADDS_A_HEADER = frozenset({"modified"})

_BLOCK_MARKS = frozenset({">", ">-", ">+", "|", "|-", "|+"})
_KEY = re.compile(r"[^\s:#'\"\-\[\]{}][^:\n]{0,200}?(?=:(?:[ \t]|$))")
_ONE_LINE = re.compile(r"[\s\x00-\x1f\x7f\x85\u2028\u2029]+")
_NEEDS_QUOTES = re.compile(r"^[\s\"'#&*!|>%@`\[\]{},?-]|:|\s#|\s$|^$")


class HeaderField(msgspec.Struct, frozen=True):
    """One field of a header, and the lines `first`..`last` (exclusive) of the file that hold it."""

    key: str
    value: str
    nested: bool
    first: int
    last: int


class Document(msgspec.Struct, frozen=True):
    """One memory file as read: its fields, its body, and what was odd about it."""

    entries: tuple[HeaderField, ...] = ()
    body: str = ""
    has_header: bool = False
    nested: bool = False
    malformed: bool = False
    problems: tuple[str, ...] = ()

    @property
    def fields(self) -> dict[str, str]:
        """Return every field by name; of two with one name the last wins."""
        return {entry.key: entry.value for entry in self.entries}

    @property
    def kind(self) -> str:
        """Return the type: a known one in lower case, another as written, `unknown` when there is none."""
        written = self.fields.get("type", "").strip()
        return written.lower() if written.lower() in KNOWN_KINDS else written or UNKNOWN

    @property
    def text(self) -> str:
        """Return the body without the blank lines around it."""
        return self.body.strip("\r\n")


def parse(data: bytes) -> Document:
    """Return the file as read; whatever is wrong with it is in `problems`, never raised."""
    if b"\0" in data:
        return Document(body="", malformed=True, problems=("this is a binary file, not text",))
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError as error:
        shown = data.decode("utf-8", errors="replace")
        return Document(body=shown, malformed=True, problems=(f"byte {error.start} is not UTF-8 text",))
    lines = _lines(text)
    end = _closing(lines)
    if end is None:
        unclosed = ("the header opens with '---' and never closes",)
        return Document(body=text.removeprefix(BOM), malformed=True, problems=unclosed)
    if end == 0:
        return Document(body=text.removeprefix(BOM))
    entries, nested, problems = _entries(lines, end)
    return Document(entries, "".join(lines[end + 1 :]), True, nested, False, problems)


def edit(data: bytes, changes: Mapping[str, str | None], *, body: str | None = None) -> bytes:
    """Return the file with these fields changed (None removes one), and every other byte as it was.

    Raises `Refused` for a file whose header was not understood.
    """
    document = parse(data)
    if document.malformed:
        raise Refused(f"The file was not understood ({document.problems[0]}), so it is not rewritten.")
    text = data.decode("utf-8")
    if not document.has_header:
        return _without_header(text, changes, body).encode("utf-8")
    lines = _lines(text)
    end = _closing(lines) or 0
    newline = _newline(lines[0])
    head = lines[: end + 1]
    current = {entry.key: entry for entry in document.entries}
    fresh: list[tuple[str, str]] = []
    for key, value in changes.items():
        entry = current.get(key)
        if entry is None:
            if value is not None:
                fresh.append((_checked_key(key), value))
        elif value is None:
            _drop(head, [each for each in document.entries if each.key == key])
        elif one_line(value) != entry.value:
            _replace(head, entry, value, newline)
    for key, value in fresh:
        _insert(head, key, value, newline, document.nested)
    tail = lines[end + 1 :] if body is None else [_framed(body, newline)]
    return "".join(head + tail).encode("utf-8")


def encode(fields: Mapping[str, str], body: str, *, nested: bool = False) -> bytes:
    """Return a new file with these fields, in the flat layout of the seed or the client's nested one."""
    inner = {key: value for key, value in fields.items() if nested and key in NESTED_KEYS}
    lines = [_line(key, value) for key, value in fields.items() if key not in inner]
    if inner:
        lines.append(f"{NESTING_KEY}:\n")
        lines += ["  " + _line(key, value) for key, value in inner.items()]
    return "".join([FENCE + "\n", *lines, FENCE + "\n", _framed(body, "\n")]).encode("utf-8")


def one_line(value: str) -> str:
    """Return the value on one line: a line break in a field would forge another field or an index entry."""
    return _ONE_LINE.sub(" ", value).strip()


def quote(value: str) -> str:
    """Return the value as it is written: in double quotes where it holds a colon or would be misread."""
    value = one_line(value)
    if not _NEEDS_QUOTES.search(value) and _unquote(value) == value:
        return value
    return _in_quotes(value)


def _in_quotes(value: str) -> str:
    return '"' + value.replace("\\", "\\\\").replace('"', '\\"') + '"'


def _lines(text: str) -> list[str]:
    """Split at line feeds only: other separators of Unicode are part of a value."""
    return re.findall(r"[^\n]*\n|[^\n]+", text)


def _newline(line: str) -> str:
    return "\r\n" if line.endswith("\r\n") else "\n"


def _opens(lines: list[str]) -> bool:
    return bool(lines) and lines[0].removeprefix(BOM).strip() == FENCE


def _closing(lines: list[str]) -> int | None:
    """Return the number of the closing line, 0 when the file has no header, None when it never closes."""
    if not _opens(lines):
        return 0
    return next((number for number, line in enumerate(lines) if number and line.strip() == FENCE), None)


def _entries(lines: list[str], end: int) -> tuple[tuple[HeaderField, ...], bool, tuple[str, ...]]:
    entries: list[HeaderField] = []
    problems: list[str] = []
    nested = False
    parent: str | None = None
    number = 1
    while number < end:
        line = lines[number]
        stripped = line.strip()
        indented = line[:1] in (" ", "\t")
        first = number
        number += 1
        if not stripped or stripped.startswith("#"):
            continue
        if not indented:
            parent = None
        found = _KEY.match(stripped)
        if found is None:
            if not (indented or stripped.startswith("- ")):
                problems.append(f"line {first + 1} of the header is not 'key: value'")
            continue
        key = found.group().strip()
        value = stripped[found.end() + 1 :].strip()
        if indented and parent not in (None, NESTING_KEY):
            continue  # part of a structure this dialect does not know: kept, not read
        if not value and not indented:
            parent = key
            nested = nested or key == NESTING_KEY
            if key == NESTING_KEY:
                continue
        if value in _BLOCK_MARKS:
            while number < end and lines[number][:1] in (" ", "\t"):
                number += 1
            value = " ".join(each.strip() for each in lines[first + 1 : number])
        entries.append(HeaderField(key, _unquote(value), indented and parent == NESTING_KEY, first, number))
    return tuple(entries), nested, tuple(problems)


def _unquote(value: str) -> str:
    if len(value) < 2 or value[0] != value[-1] or value[0] not in "\"'":
        return value
    inner = value[1:-1]
    if value[0] == "'":
        return inner.replace("''", "'") if "'" not in inner.replace("''", "") else value
    plain = re.sub(r"\\(.)", r"\1", inner)
    bare = re.sub(r"\\.", "", inner)
    return value if '"' in bare or "\\" in bare else plain


def _line(key: str, value: str) -> str:
    return f"{_checked_key(key)}: {quote(value)}\n"


def _checked_key(key: str) -> str:
    if not re.fullmatch(r"[A-Za-z_][\w.-]*", key):
        raise InvalidInput(f"{key!r} cannot be the name of a header field.", field=key)
    return key


def _replace(head: list[str], entry: HeaderField, value: str, newline: str) -> None:
    line = head[entry.first]
    start = line.index(entry.key) + len(entry.key)
    old = line[start + 1 :].strip()
    written = quote(value)
    if old[:1] == '"' and written[:1] != '"':  # keep the quotes the file's writer uses
        written = _in_quotes(written)
    ending = line[len(line.rstrip("\r\n")) :] or newline
    head[entry.first] = f"{line[:start]}: {written}{ending}"
    head[entry.first + 1 : entry.last] = [""] * (entry.last - entry.first - 1)


def _drop(head: list[str], entries: list[HeaderField]) -> None:
    for entry in entries:
        head[entry.first : entry.last] = [""] * (entry.last - entry.first)


def _insert(head: list[str], key: str, value: str, newline: str, nested: bool) -> None:
    """Add one line: under `metadata:` where the client would put it, else before the closing line."""
    at = len(head) - 1
    indent = ""
    if nested and key in NESTED_KEYS:
        parent = next(
            number for number, line in enumerate(head) if line.strip() == NESTING_KEY + ":" and line[0] != " "
        )
        at = parent + 1
        while at < len(head) - 1 and (head[at] == "" or head[at][:1] in (" ", "\t")):
            at += 1
        sibling = head[parent + 1] if at > parent + 1 else ""
        indent = sibling[: len(sibling) - len(sibling.lstrip(" \t"))] or "  "
    head.insert(at, f"{indent}{key}: {quote(value)}{newline}")


def _without_header(text: str, changes: Mapping[str, str | None], body: str | None) -> str:
    fields = {key: value for key, value in changes.items() if value is not None}
    if body is not None:
        mark = BOM if text.startswith(BOM) else ""
        text = mark + _framed(body, _newline(text.partition("\n")[0] + "\n")).lstrip("\r\n")
    if not fields.keys() - NEVER_ADDS_A_HEADER:
        return text
    mark = BOM if text.startswith(BOM) else ""
    return mark + encode(fields, "").decode("utf-8").removesuffix("\n") + text.removeprefix(BOM)


def _framed(body: str, newline: str) -> str:
    """Return the body with one blank line before it and one line end after it."""
    inner = body.strip("\r\n").replace("\r\n", "\n").replace("\n", newline)
    return newline + inner + newline if inner else newline
