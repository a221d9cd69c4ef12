"""JSON from outside, decoded without the surprises that the standard decoder lets through.

Refused: NaN, Infinity and numbers that overflow to them, duplicate keys, lone surrogates, absurdly long numbers, deep
nesting, anything after the value, and more bytes than allowed. A byte order mark at the start is tolerated. Whatever
the input, the only exception is `InvalidInput`.
"""

from __future__ import annotations

import io
from collections.abc import Iterator
from typing import IO

from tenure.model.errors import InvalidInput

MAX_BYTES = 16 * 1_048_576
MAX_LINE_BYTES = 1_048_576
MAX_DEPTH = 64
MAX_DIGITS = 40  # more than any 128-bit integer has

_PIECE_BYTES = 65536
# A line of which so much was passed over is a device, or stands for one.
_ENDLESS_BYTES = 1 << 30

BYTE_ORDER_MARK = "\ufeff"


def decode(data: bytes | str, *, max_bytes: int = MAX_BYTES, half_characters: bool = False) -> object:
    """Return the one JSON value in the data, or raise `InvalidInput` saying what is wrong and where.

    With `half_characters` lone surrogates pass, for a format that writes them out as the escapes they came in as.
    """
    import json  # the hook reads no JSON beyond its own payload

    text = _text(data, max_bytes)
    _check_depth(text)
    try:
        value: object = json.loads(
            text,
            object_pairs_hook=_distinct,
            parse_constant=_no_constant,
            parse_float=_finite,
            parse_int=_short_integer,
        )
    except json.JSONDecodeError as error:
        # A line of its own is numbered by whoever cut it.
        where = f"line {error.lineno}, column {error.colno}" if "\n" in text.strip() else f"column {error.colno}"
        raise InvalidInput(f"Not JSON: {error.msg} at {where}.") from None
    except RecursionError:
        raise InvalidInput("Not acceptable JSON: nested too deeply.") from None
    # Only an escape can make half a character: the text itself came through UTF-8.
    if "\\u" in text and not half_characters:
        _check_surrogates(value)
    return value


def lines(
    data: bytes | IO[bytes], *, max_line_bytes: int = MAX_LINE_BYTES
) -> Iterator[tuple[int, object | InvalidInput]]:
    """Yield each line's number, from 1, with its value or the error that spoils it; skip blank lines.

    Of a file no more than one line is held at a time, and of a line that is too long only its beginning.
    """
    file = io.BytesIO(data) if isinstance(data, bytes) else data
    number = 0
    while raw := file.readline(max_line_bytes + 1):
        number += 1
        size = len(raw.removesuffix(b"\n"))
        if size > max_line_bytes:
            while (rest := file.readline(_PIECE_BYTES)) and not rest.endswith(b"\n"):
                size += len(rest)
                if size > _ENDLESS_BYTES:
                    yield number, InvalidInput(f"Line {number} does not end; no more is read.")
                    return
            size += len(rest.removesuffix(b"\n"))
            yield number, InvalidInput(f"Line {number} has {size} bytes; at most {max_line_bytes} are read.")
        elif line := raw.strip(b" \t\r\n"):
            yield number, _value_or_error(line, number)


def _value_or_error(line: bytes, number: int) -> object | InvalidInput:
    try:
        return decode(line, max_bytes=len(line))
    except InvalidInput as error:
        return InvalidInput(f"Line {number}: {error.message}", hint=error.hint)


def _text(data: bytes | str, max_bytes: int) -> str:
    if isinstance(data, str):
        try:
            size = len(data.encode("utf-8"))
        except UnicodeEncodeError as error:
            raise InvalidInput(f"Not Unicode text: half a character at position {error.start}.") from None
        text = data
    else:
        size = len(data)
        if size <= max_bytes:
            try:
                text = data.decode("utf-8")
            except UnicodeDecodeError as error:
                raise InvalidInput(f"Not UTF-8: byte {data[error.start]:#04x} at byte {error.start}.") from None
    if size > max_bytes:
        raise InvalidInput(f"Too long: {size} bytes; at most {max_bytes} are read.")
    return text.removeprefix(BYTE_ORDER_MARK)


def _check_depth(text: str) -> None:
    """Refuse deep nesting before the decoder recurses into it."""
    if text.count("[") + text.count("{") <= MAX_DEPTH:
        return
    import re

    depth = 0
    for match in re.finditer(r'"(?:[^"\\]|\\.)*+"|[\[{]|[\]}]', text, re.DOTALL):
        mark = match[0]
        if mark in "[{":
            depth += 1
            if depth > MAX_DEPTH:
                line = text.count("\n", 0, match.start()) + 1
                raise InvalidInput(f"Nested deeper than {MAX_DEPTH} levels at line {line}.")
        elif mark in "]}":
            depth -= 1


def _distinct(pairs: list[tuple[str, object]]) -> dict[str, object]:
    record = dict(pairs)
    if len(record) != len(pairs):
        seen: set[str] = set()
        for key, _ in pairs:
            if key in seen:
                raise InvalidInput(f"The key {key[:80]!a} occurs twice in one object.", field=key[:80])
            seen.add(key)
    return record


def _no_constant(name: str) -> object:
    raise InvalidInput(f"{name} is not a JSON number.")


def _finite(digits: str) -> float:
    value = float(digits)
    if value - value != 0:  # infinite: too large for a float
        raise InvalidInput(f"The number {digits[:40]} is too large.")
    return value


def _short_integer(digits: str) -> int:
    if len(digits) > MAX_DIGITS:
        raise InvalidInput(f"An integer of {len(digits)} digits; at most {MAX_DIGITS} are read.")
    return int(digits)


def _check_surrogates(value: object) -> None:
    waiting = [value]
    while waiting:
        item = waiting.pop()
        if isinstance(item, str):
            try:
                item.encode("utf-8")
            except UnicodeEncodeError:
                raise InvalidInput(f"Half a character (a lone surrogate) in {item[:40]!a}.") from None
        elif isinstance(item, dict):
            waiting += [*item.keys(), *item.values()]
        elif isinstance(item, list):
            waiting += item
