"""The file of an export: opened or piped, read in chunks within bounds, and written all at once."""

from __future__ import annotations

import contextlib
import os
import re
import secrets
import sys
import tempfile
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import IO, BinaryIO

from tenure import formats
from tenure.files import durable, locate
from tenure.model.errors import InvalidInput, StoreUnusable
from tenure.text.words import json_for_terminal

MAX_LINE_BYTES = 64 * 1024 * 1024
# So many memories are written at once: enough to be quick, few enough to hold.
CHUNK = 2000
CHUNK_BYTES = 16 * 1024 * 1024
MOST_PIPED_BYTES = 16 * 1024 * 1024 * 1024
# How an export in Markdown and one in JSON Lines begin.
_BEGINNINGS = (b"# Memories\n", b'{"format":"tenure/')
# Standard input up to this size is held in memory, more of it in a temporary file.
HELD_BYTES = 16 * 1024 * 1024


@contextlib.contextmanager
def reading(source: str) -> Iterator[BinaryIO]:
    """Open a file, or standard input for `-`; a pipe is read to its end first: others want to write meanwhile."""
    path = path_of(source)
    if path is not None and _is_named_pipe(path):
        raise InvalidInput(
            f"{str(path)!r} is a named pipe, and reading one can wait for ever.",
            hint=f"As in: tenure import - < {path}",
        )
    with contextlib.ExitStack() as opened:
        try:
            file = sys.stdin.buffer if path is None else opened.enter_context(path.open("rb"))
            if path is None or not file.seekable():
                held = opened.enter_context(tempfile.SpooledTemporaryFile(max_size=HELD_BYTES))
                _hold(file, held)
                file = held
            file.seek(0)
        except OSError as error:
            hint = formats.hint(path) or "Check the path."
            raise InvalidInput(f"{str(path)!r} cannot be read: {error.strerror}.", hint=hint) from None
        yield file


def _is_named_pipe(path: Path) -> bool:
    """Tell whether a path is a named pipe; what a shell passes as /dev/fd/N has somebody who writes it."""
    return path.is_fifo() and not str(path).startswith(("/dev/fd/", "/proc/self/fd/", "/dev/stdin"))


def _hold(pipe: BinaryIO, held: IO[bytes]) -> None:
    """Copy a pipe; one that never ends, or whose line never does, is an error before it fills the disk."""
    total = number = 0
    while raw := pipe.readline(MAX_LINE_BYTES + 1):
        number, total = number + 1, total + len(raw)
        _bounded(raw, number)
        if total > MOST_PIPED_BYTES:
            raise InvalidInput(f"More than {MOST_PIPED_BYTES:,} bytes came through the pipe.", hint="Import a file.")
        held.write(raw)


def chunks(file: BinaryIO) -> Iterator[tuple[int, list[bytes]]]:
    """Return the lines, so many at a time, with the number of the first; no line is held beyond its limit."""
    first = number = 1
    lines: list[bytes] = []
    held = at = 0
    # What somebody writes while it is read stays out: others wait for their turn to write. A device has no size.
    end = size(file) or sys.maxsize
    try:
        # Counted: a file asks the system each time where it stands.
        while at < end and (raw := file.readline(MAX_LINE_BYTES + 1)):
            at += len(raw)
            _bounded(raw, number)
            # Nearly every line is one; to look for all ways in which it could end takes longer.
            parts = raw.splitlines() if b"\r" in raw else [raw.removesuffix(b"\n")]
            lines += parts
            number, held = number + len(parts), held + len(raw)
            if len(lines) >= CHUNK or held >= CHUNK_BYTES:
                yield first, lines
                first, lines, held = number, [], 0
        if lines:
            yield first, lines
    except OSError as error:
        raise InvalidInput(f"The rest of the file cannot be read: {error.strerror}.") from None


def _bounded(raw: bytes, number: int) -> None:
    if len(raw) > MAX_LINE_BYTES:
        raise InvalidInput(
            f"line {number} has more than {MAX_LINE_BYTES:,} bytes.", hint="Is this an export? Nothing was imported."
        )


def size(file: BinaryIO) -> int:
    """Return how many bytes a file has, and go back to its beginning."""
    try:
        size = file.seek(0, os.SEEK_END)
        file.seek(0)
    except OSError as error:
        raise InvalidInput(f"The file cannot be read: {error.strerror}.", hint="Name an ordinary file.") from None
    return size


def path_of(url: str, known: Sequence[str] = formats.READ) -> Path | None:
    """Return the file an address names, None for a stream; an address with a word that we do not know is an error."""
    if url == "-":
        return None
    scheme, separator, rest = url.partition(":")
    if separator and scheme == "jsonl":
        return Path(os.path.expanduser(rest))
    # One letter is a drive.
    if re.fullmatch(r"[a-z][a-z0-9+-]+", scheme) and separator and not os.path.exists(url):
        names = ", ".join(f"{name}:" for name in ("jsonl", *known, *locate.SCHEMES))
        raise InvalidInput(f"{scheme + separator!r} is no format and no store.", hint=f"These are: {names}")
    return Path(os.path.expanduser(url))


def is_ours(path: Path) -> bool:
    """Tell whether a file begins as our exports do, or is empty."""
    try:
        with path.open("rb") as file:
            begin = file.read(64)
    except OSError as error:
        raise InvalidInput(f"{str(path)!r} cannot be read: {error.strerror}.", hint="Name another file.") from None
    return not begin or begin.startswith(_BEGINNINGS)


@contextlib.contextmanager
def writing(path: Path | None) -> Iterator[Callable[[bytes], object]]:
    """Hand out what writes lines to a file, all at once at the end, or to standard output for None."""
    if path is None:
        out = sys.stdout.buffer
        # Another system's files may hold what steers a terminal; a pipe gets every byte.
        yield (lambda line: out.write(json_for_terminal(line.decode()).encode())) if sys.stdout.isatty() else out.write
        out.flush()
        return
    if durable.is_special(path):
        raise InvalidInput(
            f"{str(path)!r} is not a regular file.", hint="Export to `-`, standard output, and redirect that."
        )
    temporary = path.with_name(f".{path.name}.{secrets.token_hex(4)}.tmp")
    try:
        handle = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        with os.fdopen(handle, "wb") as file:
            yield file.write
            file.flush()
            os.fsync(file.fileno())
        os.replace(temporary, path)
    except OSError as error:
        raise StoreUnusable(
            f"{str(path)!r} cannot be written: {error.strerror}.", hint="Name a file in a folder that you can write to."
        ) from None
    finally:
        # A name that could not be made cannot be removed either; what went wrong was reported above.
        with contextlib.suppress(OSError):
            temporary.unlink(missing_ok=True)
