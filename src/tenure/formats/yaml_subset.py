"""The part of YAML that front matter uses: mappings, lists, quoted and plain values, block texts, flow values.

Anchors, tags and more than one document are not front matter and raise `ValueError` with the line. Values that are no
true, false, null or number stay texts, dates too: what they mean is the format's business.
"""

from __future__ import annotations

import json
import re
from typing import Any, NamedTuple

FENCE = "---"
_KEY = re.compile(r"""("(?:[^"\\]|\\.)*"|'(?:[^']|'')*'|[^\s"'#&*!|>%@`\[\]{},-][^#]*?|-[^\s#][^#]*?)\s*:(?=\s|$)""")
_NUMBER = re.compile(r"-?(?:0|[1-9]\d{0,17})(?:\.\d{1,17})?$")
_WORDS = {"true": True, "false": False, "null": None, "~": None, "": None}
_BLOCK = re.compile(r"([|>])([+-]?)\s*(?:#.*)?$")
MOST_LEVELS = 20


class _Line(NamedTuple):
    number: int
    indent: int
    text: str


def split(document: str) -> tuple[dict[str, Any], str]:
    """Return the front matter of a Markdown text as a mapping, and its body; a text without any has an empty one."""
    lines = document.removeprefix("\ufeff").splitlines()
    if not lines or lines[0].rstrip() != FENCE:
        return {}, document
    end = next((number for number, line in enumerate(lines) if number and line.rstrip() == FENCE), None)
    if end is None:
        raise ValueError("the front matter opens with --- and never closes")
    return parse("\n".join(lines[1:end])), "\n".join(lines[end + 1 :]).strip("\n")


def parse(text: str) -> dict[str, Any]:
    """Return a mapping; raises `ValueError` for anything else, or for what is not front matter."""
    reader = _Reader(text.splitlines())
    found = reader.value(0, 0)
    reader.end()
    if found is None:
        return {}
    if not isinstance(found, dict):
        raise ValueError("the front matter is not made of `key: value` lines")
    return found


def dump(values: dict[str, Any]) -> str:
    """Return a mapping with one fact a line: texts in double quotes where they need them, lists one item a line."""
    lines: list[str] = []
    for key, value in values.items():
        if isinstance(value, list) and value:
            lines += [f"{key}:", *(f"  - {_flow(item)}" for item in value)]
        elif isinstance(value, dict) and value:
            lines += [f"{key}:", *("  " + line for line in dump(value).splitlines())]
        else:
            lines.append(f"{key}: {_flow(value)}")
    return "\n".join(lines) + "\n" if lines else ""


def _flow(value: Any) -> str:
    if isinstance(value, str) and re.fullmatch(r"[A-Za-z][\w ./-]{0,80}", value) and value.rstrip() == value:
        return value if value.lower() not in (*_WORDS, "yes", "no", "on", "off", "y", "n") else json.dumps(value)
    return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f").replace("\x85", "\\u0085")


class _Reader:
    def __init__(self, lines: list[str]) -> None:
        self._raw = lines
        self._at = 0

    def value(self, indent: int, level: int) -> Any:
        """Read what is at this depth or deeper: a mapping, a list, or nothing."""
        if level > MOST_LEVELS:
            raise ValueError(f"line {self._at + 1}: more than {MOST_LEVELS} levels")
        line = self._peek()
        if line is None or line.indent < indent:
            return None
        if line.text == "-" or line.text.startswith("- "):
            return self._list(line.indent, level)
        return self._mapping(line.indent, level)

    def end(self) -> None:
        """Raise when something is left that belongs nowhere."""
        if (line := self._peek()) is not None:
            raise ValueError(f"line {line.number}: {line.text[:60]!r} belongs to nothing above it")

    def _mapping(self, indent: int, level: int) -> dict[str, Any]:
        found: dict[str, Any] = {}
        while (line := self._peek()) is not None and line.indent == indent and not line.text.startswith("- "):
            match = _KEY.match(line.text)
            if match is None:
                raise ValueError(f"line {line.number}: expected `key: value`, found {line.text[:60]!r}")
            key = str(_scalar(match[1], line.number))
            self._at += 1
            found[key] = self._after(line.text[match.end() :].strip(), indent, line.number, level)
        if line is not None and line.indent > indent:
            raise ValueError(f"line {line.number}: indented deeper than the line before it allows")
        return found

    def _list(self, indent: int, level: int) -> list[Any]:
        found: list[Any] = []
        while (line := self._peek()) is not None and line.indent == indent and (line.text + " ").startswith("- "):
            rest = line.text[1:].lstrip()
            inner = indent + len(line.text) - len(rest)
            if rest and _KEY.match(rest) and not rest.startswith(("[", "{")):
                # A mapping that begins on the line of its dash.
                self._raw[line.number - 1] = " " * inner + rest
                found.append(self._mapping(inner, level + 1))
            else:
                self._at += 1
                found.append(self._after(rest, indent, line.number, level))
        return found

    def _after(self, rest: str, indent: int, number: int, level: int) -> Any:
        rest = _without_comment(rest)
        if match := _BLOCK.match(rest):
            return self._block(indent, match[1], match[2])
        if rest:
            return _scalar(self._continued(rest, indent), number)
        line = self._peek()
        if line is not None and line.indent == indent and line.text.startswith("- "):
            return self._list(indent, level + 1)  # a list may stand as deep as its key
        return self.value(indent + 1, level + 1)

    def _continued(self, rest: str, indent: int) -> str:
        """Join a value with the deeper lines that go on with it."""
        while (line := self._peek()) is not None and line.indent > indent:
            if rest[:1] not in "\"'[{" and _KEY.match(line.text):
                raise ValueError(f"line {line.number}: {line.text[:60]!r} is inside a value")
            rest += " " + _without_comment(line.text)
            self._at += 1
        return rest

    def _block(self, indent: int, style: str, keep: str) -> str:
        lines: list[str] = []
        while self._at < len(self._raw):
            raw = self._raw[self._at]
            if raw.strip() and len(raw) - len(raw.lstrip(" ")) <= indent:
                break
            lines.append(raw)
            self._at += 1
        margin = min((len(raw) - len(raw.lstrip(" ")) for raw in lines if raw.strip()), default=0)
        text = "\n".join(raw[margin:] for raw in lines).rstrip("\n")
        if style == ">":
            text = re.sub(r"(?<!\n)\n(?!\n)", " ", text)
            text = re.sub(r"\n\n", "\n", text)
        return text if keep == "-" or not text else text + "\n"

    def _peek(self) -> _Line | None:
        while self._at < len(self._raw):
            raw = self._raw[self._at]
            text = raw.strip()
            if text and not text.startswith("#"):
                if "\t" in raw[: len(raw) - len(raw.lstrip())]:
                    raise ValueError(f"line {self._at + 1}: indented with a tab")
                return _Line(self._at + 1, len(raw) - len(raw.lstrip(" ")), text)
            self._at += 1
        return None


def _without_comment(text: str) -> str:
    if text[:1] in "\"'":
        end = re.match(r""""(?:[^"\\]|\\.)*"|'(?:[^']|'')*'""", text)
        if end and text[end.end() :].lstrip().startswith("#"):
            return end[0]
        return text
    return re.sub(r"\s+#.*$", "", text) if not text.startswith("#") else ""


def _scalar(text: str, number: int) -> Any:
    if text[:1] in ("&", "*", "!", "@", "`", "%"):
        raise ValueError(f"line {number}: {text[:1]!r} begins something front matter does not need")
    if text.startswith('"'):
        try:
            return json.loads(text, strict=False)
        except ValueError:
            raise ValueError(f"line {number}: {text[:60]!r} is not a quoted text") from None
    if text.startswith("'"):
        if len(text) < 2 or not text.endswith("'"):
            raise ValueError(f"line {number}: {text[:60]!r} is not a quoted text")
        return text[1:-1].replace("''", "'")
    if text.startswith(("[", "{")):
        return _flow_value(text, number)
    if text.lower() in _WORDS:
        return _WORDS[text.lower()]
    if _NUMBER.match(text):
        return float(text) if "." in text else int(text)
    return text


def _flow_value(text: str, number: int) -> Any:
    """Read `[a, b]` and `{k: v}`, whose texts may stand without quotes."""
    found, rest = _flow_part(text, number, 0)
    if rest.strip():
        raise ValueError(f"line {number}: {rest[:60]!r} follows the end of a list")
    return found


def _flow_part(text: str, number: int, level: int) -> tuple[Any, str]:
    text = text.lstrip()
    if level > MOST_LEVELS or not text:
        raise ValueError(f"line {number}: a list in brackets is not closed, or too deep")
    if text[0] in "[{":
        closing, items, pairs = {"[": "]", "{": "}"}[text[0]], [], {}
        is_list, text = text[0] == "[", text[1:].lstrip()
        while not text.startswith(closing):
            item, text = _flow_part(text, number, level + 1)
            text = text.lstrip()
            if is_list:
                items.append(item)
            elif text.startswith(":"):
                value, text = _flow_part(text[1:], number, level + 1)
                pairs[str(item)] = value
            else:
                pairs[str(item)] = None
            text = text.lstrip()
            if text.startswith(","):
                text = text[1:].lstrip()
            elif not text.startswith(closing):
                raise ValueError(f"line {number}: a list in brackets is not closed")
        return (items if is_list else pairs), text[1:]
    quoted = re.match(r""""(?:[^"\\]|\\.)*"|'(?:[^']|'')*'""", text)
    plain = quoted or re.match(r"(?:[^,\[\]{}:]|:(?!\s))+", text)
    if plain is None:
        raise ValueError(f"line {number}: {text[:60]!r} is not a value")
    return _scalar(plain[0].strip(), number), text[plain.end() :]
