"""Reading proposals from JSON Lines files: every bad line is named, and nothing is used unless all are good."""

from __future__ import annotations

import contextlib
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import IO, Any

from tenure.files import strict_json
from tenure.model.errors import InvalidInput
from tenure.model.policy import Policy
from tenure.usecases import intake

MAX_LINE_BYTES = 4 * 1024 * 1024
# How many bad lines a refusal names.
NAMED_LINES = 5


def read(
    paths: Sequence[str], policy: Policy, kinds: Sequence[str], *, keep_going: bool
) -> tuple[list[dict[str, Any]], list[dict[str, str]]]:
    """Return the proposals of all files, and the lines left out because they cannot be used."""
    good: list[dict[str, Any]] = []
    bad: list[dict[str, str]] = []
    for path in paths:
        with _opened(path) as file:
            for number, value in strict_json.lines(file, max_line_bytes=MAX_LINE_BYTES):
                try:
                    good.append(_proposal(value, policy, kinds))
                except InvalidInput as error:
                    why = error.message.removeprefix(f"Line {number}: ")
                    bad.append({"path": path, "line": str(number), "why": why})
    if bad and not keep_going:
        shown = "\n".join(f"{item['path']}:{item['line']}: {item['why']}" for item in bad[:NAMED_LINES])
        more = f"\nand {len(bad) - NAMED_LINES} more" if len(bad) > NAMED_LINES else ""
        raise InvalidInput(
            f"{shown}{more}", hint="Nothing was captured. Correct the lines, or use the good ones with --keep-going."
        )
    return good, bad


def _proposal(value: object, policy: Policy, kinds: Sequence[str]) -> dict[str, Any]:
    if isinstance(value, InvalidInput):
        raise value
    if not isinstance(value, dict):
        raise InvalidInput(f"must be an object, found {value!r:.60}.")
    intake.proposal(value, policy, known_kinds=kinds)
    return value


@contextlib.contextmanager
def _opened(path: str) -> Iterator[IO[bytes]]:
    """Open a file, `-` for standard input; say which one cannot be read."""
    if path == "-":
        yield sys.stdin.buffer
        return
    try:
        with Path(path).expanduser().open("rb") as file:
            yield file
    except OSError as error:
        raise InvalidInput(f"{path}: cannot be read: {error.strerror}.", hint="Check the path.") from None
