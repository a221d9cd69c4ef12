"""Small edits in JSON files that people write: comments, order and layout around the edit stay as they are.

Comments and trailing commas are understood. The one rule: an edit touches the characters of the entry it adds or
removes and the comma beside it, nothing else.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from tenure.model.errors import InvalidInput

MAX_DEPTH = 100
_SPACE = " \t\r\n\ufeff"


class Item(NamedTuple):
    """A value in the text: where it begins (with its key) and ends, and what is inside it."""

    key: str | None
    start: int
    value_start: int
    end: int
    value: Any
    items: tuple[Item, ...] = ()


def parse(text: str) -> Item:
    """Return the document as an item; raise `InvalidInput` with the line where it is not JSON."""
    position = _skip(text, 0)
    root = _value(text, position, None, position, 0)
    rest = _skip(text, root.end)
    if rest != len(text):
        raise _wrong(text, rest, "something follows the document")
    return root


def find(root: Item, path: Sequence[str]) -> Item | None:
    """Return the item under the keys of `path`, None when there is none."""
    for key in path:
        if not isinstance(root.value, dict):
            return None
        # The last of equal keys counts, as in every JSON reader.
        below = [item for item in root.items if item.key == key]
        if not below:
            return None
        root = below[-1]
    return root


def put(text: str, path: Sequence[str], value: Any) -> str:
    """Return the text with `value` under the keys of `path`; objects on the way are made."""
    held = find(parse(text), path)
    if held is not None:
        if held.value == value:
            return text
        indent = _indent_of(text, held.start)
        return text[: held.value_start] + _written(value, text, indent) + text[held.end :]
    return _grow(text, path, value)


def append(text: str, path: Sequence[str], value: Any) -> str:
    """Return the text with `value` at the end of the list under the keys of `path`; the list is made when missing."""
    held = find(parse(text), path)
    if held is None:
        return _grow(text, path, [value])
    if not isinstance(held.value, list):
        raise InvalidInput(f"{'.'.join(path)}: expected a list, found {held.value!r:.60}.")
    if value in held.value:
        return text
    return _insert(text, held, None, value)


def remove(text: str, path: Sequence[str], matches: Callable[[Any], bool] | None = None) -> str:
    """Return the text without the value at `path`, or without the items of the list there that match.

    Objects and lists that become empty by it go too.
    """
    held = find(parse(text), path)
    if held is None:
        return text
    if matches is not None:
        if not isinstance(held.value, list):
            return text
        for number in reversed(range(len(held.items))):
            if matches(held.items[number].value):
                held = find(parse(text), path)
                assert held is not None
                text = _cut(text, held, number)
    else:
        parent = find(parse(text), path[:-1])
        assert parent is not None
        text = _cut(text, parent, parent.items.index(held))
        path = path[:-1]
    while path and (left := find(parse(text), path)) is not None and left.value in ({}, []):
        parent = find(parse(text), path[:-1])
        assert parent is not None
        text = _cut(text, parent, parent.items.index(left))
        path = path[:-1]
    return text


def _grow(text: str, path: Sequence[str], value: Any) -> str:
    """Add a value under keys of which the last ones do not exist yet."""
    root = parse(text)
    known = 0
    while known < len(path) - 1 and find(root, path[: known + 1]) is not None:
        known += 1
    parent = find(root, path[:known])
    assert parent is not None
    if not isinstance(parent.value, dict):
        raise InvalidInput(f"{'.'.join(path[:known]) or 'The file'}: expected an object, found {parent.value!r:.60}.")
    for key in reversed(path[known + 1 :]):
        value = {key: value}
    return _insert(text, parent, path[known], value)


def _insert(text: str, parent: Item, key: str | None, value: Any) -> str:
    outer = _indent_of(text, parent.start)
    newline = "\r\n" if "\r\n" in text else "\n"
    if not parent.items:
        inner = outer + _step(text)
        entry = _entry(key, value, text, inner)
        inside = text[parent.value_start + 1 : parent.end - 1].rstrip()
        return (
            text[: parent.value_start + 1]
            + inside
            + f"{newline}{inner}{entry}{newline}{outer}"
            + text[parent.end - 1 :]
        )
    last = parent.items[-1]
    if "\n" not in text[parent.value_start : parent.items[0].start]:
        entry = json.dumps(value, ensure_ascii=False)
        entry = f"{json.dumps(key)}: {entry}" if key is not None else entry
        return f"{text[: last.end]}, {entry}{text[last.end :]}"
    inner = _indent_of(text, last.start)
    entry = _entry(key, value, text, inner)
    comma = _comma_after(text, last.end)
    after = _line_end(text, last.end if comma is None else comma + 1, parent.end - 1)
    if comma is not None:  # who ends lists with a comma wants the next one to end so too
        return f"{text[:after]}{newline}{inner}{entry},{text[after:]}"
    return f"{text[: last.end]},{text[last.end : after]}{newline}{inner}{entry}{text[after:]}"


def _cut(text: str, parent: Item, number: int) -> str:
    item = parent.items[number]
    comma = _comma_after(text, item.end)
    start = _line_start(text, item.start)
    if comma is not None and number + 1 < len(parent.items):
        end = _line_end(text, comma + 1, parent.items[number + 1].start)
        if text[end : end + 2] == "\r\n":
            end += 2
        elif text[end : end + 1] == "\n":
            end += 1
        return text[: start if _alone(text, item.start) else item.start] + text[end:].lstrip(
            "" if _alone(text, item.start) else " "
        )
    end = item.end if comma is None else comma + 1
    if number == 0:
        inside = text[parent.value_start + 1 : item.start].rstrip()
        after = text[end : parent.end - 1].strip()
        return text[: parent.value_start + 1] + inside + after + text[parent.end - 1 :]
    before = parent.items[number - 1]
    between = _comma_after(text, before.end)
    assert between is not None
    head = text[: before.end] if comma is None else text[: between + 1]
    return head + text[between + 1 : item.start].rstrip() + text[end:]


def _entry(key: str | None, value: Any, text: str, indent: str) -> str:
    written = _written(value, text, indent)
    return f"{json.dumps(key)}: {written}" if key is not None else written


def _written(value: Any, text: str, indent: str) -> str:
    newline = "\r\n" if "\r\n" in text else "\n"
    lines = json.dumps(value, indent=_step(text), ensure_ascii=False).split("\n")
    return (newline + indent).join(lines)


def _step(text: str) -> str:
    """Return what the file indents by: the beginning of its first indented line."""
    for line in text.split("\n"):
        stripped = line.lstrip(" \t")
        if stripped.strip() and len(stripped) < len(line):
            return line[: len(line) - len(stripped)]
    return "  "


def _indent_of(text: str, position: int) -> str:
    line = text[text.rfind("\n", 0, position) + 1 : position]
    return line[: len(line) - len(line.lstrip(" \t"))]


def _alone(text: str, position: int) -> bool:
    return not text[text.rfind("\n", 0, position) + 1 : position].strip()


def _line_start(text: str, position: int) -> int:
    return text.rfind("\n", 0, position) + 1


def _line_end(text: str, position: int, limit: int) -> int:
    """Return where the line ends when only space and a comment follow; else `position`."""
    end = text.find("\n", position)
    end = len(text) if end < 0 else end
    if text[end - 1 : end] == "\r":
        end -= 1
    if end <= limit and _skip(text, position) >= end:
        return end
    return position


def _comma_after(text: str, position: int) -> int | None:
    position = _skip(text, position)
    return position if text[position : position + 1] == "," else None


def _skip(text: str, position: int) -> int:
    """Return the position of the next character that is neither space nor comment."""
    while position < len(text):
        if text[position] in _SPACE:
            position += 1
        elif text.startswith("//", position):
            end = text.find("\n", position)
            position = len(text) if end < 0 else end + 1
        elif text.startswith("/*", position):
            end = text.find("*/", position + 2)
            if end < 0:
                raise _wrong(text, position, "a comment does not end")
            position = end + 2
        else:
            break
    return position


def _value(text: str, position: int, key: str | None, start: int, depth: int) -> Item:
    if depth > MAX_DEPTH:
        raise _wrong(text, position, f"more than {MAX_DEPTH} levels")
    character = text[position : position + 1]
    if character == "{":
        return _object(text, position, key, start, depth)
    if character == "[":
        return _list(text, position, key, start, depth)
    try:
        value, end = json.JSONDecoder().raw_decode(text, position)
    except ValueError:
        raise _wrong(text, position, "expected a value") from None
    return Item(key, start, position, end, value)


def _object(text: str, opening: int, key: str | None, start: int, depth: int) -> Item:
    items: list[Item] = []
    position = _skip(text, opening + 1)
    while text[position : position + 1] != "}":
        if text[position : position + 1] != '"':
            raise _wrong(text, position, "expected a name in quotes")
        try:
            name, after = json.JSONDecoder().raw_decode(text, position)
        except ValueError:
            raise _wrong(text, position, "a text does not end") from None
        colon = _skip(text, after)
        if text[colon : colon + 1] != ":":
            raise _wrong(text, colon, "expected ':'")
        items.append(_value(text, _skip(text, colon + 1), name, position, depth + 1))
        position = _next(text, items[-1].end, "}")
    return Item(key, start, opening, position + 1, {item.key: item.value for item in items}, tuple(items))


def _list(text: str, opening: int, key: str | None, start: int, depth: int) -> Item:
    items: list[Item] = []
    position = _skip(text, opening + 1)
    while text[position : position + 1] != "]":
        items.append(_value(text, position, None, position, depth + 1))
        position = _next(text, items[-1].end, "]")
    return Item(key, start, opening, position + 1, [item.value for item in items], tuple(items))


def _next(text: str, position: int, closing: str) -> int:
    position = _skip(text, position)
    found = text[position : position + 1]
    if found == ",":
        return _skip(text, position + 1)
    if found != closing:
        raise _wrong(text, position, f"expected ',' or {closing!r}")
    return position


def _wrong(text: str, position: int, message: str) -> InvalidInput:
    return InvalidInput(f"line {text.count(chr(10), 0, position) + 1}: not JSON: {message}.")
