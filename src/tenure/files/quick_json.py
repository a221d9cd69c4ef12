"""JSON for hooks: the interpreter's own scanner, because the `json` package costs two thirds of a bare start.

What the scanner refuses goes to the package, which says what is wrong. This is only for input from the agent that
runs us; anything from elsewhere is read with `strict_json`.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    quoted: Callable[[str], str]
    make_scanner: Callable[[Any], Callable[[str, int], tuple[Any, int]]] | None
else:
    try:
        from _json import encode_basestring_ascii as quoted
        from _json import make_scanner
    except ImportError:  # another interpreter than CPython
        from json import dumps as quoted

        make_scanner = None

BLANKS = " \t\r\n"


class _Rules:
    """What the scanner asks for."""

    strict = True
    object_hook = object_pairs_hook = None
    parse_float = float
    parse_int = int
    parse_constant = float


def loads(data: bytes) -> Any:
    """Return the JSON value; raises ValueError when there is none, RecursionError when it is nested too deeply."""
    text = data.decode("utf-8", "replace").strip(BLANKS)
    if make_scanner is not None:
        try:
            value, end = make_scanner(_Rules)(text, 0)
            if end == len(text):
                return value
        except Exception:
            value = None  # the package says what is wrong; some versions of the scanner raise SystemError instead
    import json  # rare

    return json.loads(text)


def dumps(value: Any) -> str:
    """Return a value made of dicts, lists, texts, numbers, truths and nothing as JSON in ASCII."""
    if isinstance(value, str):
        return str(quoted(value))
    if value is None or value is True or value is False:
        return "null" if value is None else "true" if value else "false"
    if isinstance(value, int | float):
        return repr(value)
    if isinstance(value, dict):
        return "{" + ", ".join(f"{quoted(str(key))}: {dumps(item)}" for key, item in value.items()) + "}"
    return "[" + ", ".join(map(dumps, value)) + "]"
