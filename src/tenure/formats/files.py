"""What the readers of formats share: files of bounded size below a folder, read without following links."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from tenure.files import durable
from tenure.formats import Unread, yaml_subset
from tenure.model.errors import InvalidInput, TenureError

MOST_BYTES = 4 * 1024 * 1024
MOST_FILES = 20_000
# Folders that hold no knowledge of a person.
PASSED_OVER = (".git", "node_modules", ".venv", "__pycache__")


def texts(
    path: Path, ending: str | tuple[str, ...], *, reserved: tuple[str, ...] = ()
) -> Iterator[tuple[str, str] | Unread]:
    """Yield a file, or the files below a folder with this ending or one of these: its name there, and its text."""
    if path.is_file():
        yield _text(path, path.name)
        return
    if not path.is_dir():
        raise InvalidInput(f"{str(path)!r} is neither a file nor a folder.", hint="Name what the other program wrote.")
    for number, found in enumerate(_below(path, ending)):
        if number >= MOST_FILES:
            yield Unread(str(path), f"only the first {MOST_FILES:,} files are read")
            return
        if found.name not in reserved:
            yield _text(found, found.relative_to(path).as_posix())


def notes(
    path: Path, ending: str, *, reserved: tuple[str, ...] = (), globs: str = ""
) -> Iterator[tuple[str, dict[str, Any], str] | Unread]:
    """Yield pages with a head: their name, head and body; `globs` names a key whose globs may lack quotes."""
    for each in texts(path, ending, reserved=reserved):
        if isinstance(each, Unread):
            yield each
            continue
        where, text = each
        try:
            yield (where, *yaml_subset.split(with_quoted(text, globs) if globs else text))
        except ValueError as error:
            yield Unread(where, str(error))


def lines(path: Path) -> Iterator[tuple[int, bytes]]:
    """Yield the lines of a file, each within bounds, with its number."""
    if not path.is_file():
        raise InvalidInput(f"{str(path)!r} is no file.", hint="Name what the other program wrote.")
    try:
        with path.open("rb") as file:
            number = 0
            while raw := file.readline(MOST_BYTES + 1):
                number += 1
                if len(raw) > MOST_BYTES:
                    raise InvalidInput(f"line {number} of {str(path)!r} has more than {MOST_BYTES:,} bytes.")
                yield number, raw
    except OSError as error:
        raise InvalidInput(f"{str(path)!r} cannot be read: {error.strerror}.", hint="Check the path.") from None


def with_quoted(text: str, key: str) -> str:
    """Return a page with the globs under a key of its head in quotes: `globs: *.ts` is what programs write, no YAML."""
    out = []
    for number, line in enumerate(text.splitlines()):
        name, separator, value = line.partition(":")
        if number < 20 and separator and name.strip() == key and value.strip()[:1] in ("*", "!", "&", "@", "%"):
            line = f'{name}: "{value.strip()}"'
        out.append(line)
    return "\n".join(out)


def named(globs: Any) -> list[str]:
    """Return the files that globs name, a list or a text with commas; a pattern names none."""
    given = globs if isinstance(globs, list) else str(globs or "").split(",")
    return [glob.strip() for glob in map(str, given) if glob.strip() and not set("*?[{") & set(glob)]


def _below(path: Path, ending: str | tuple[str, ...]) -> Iterator[Path]:
    for folder, inner, names in os.walk(path):
        inner[:] = sorted(name for name in inner if name not in PASSED_OVER)
        yield from (Path(folder) / name for name in sorted(names) if name.endswith(ending))


def _text(path: Path, where: str) -> tuple[str, str] | Unread:
    try:
        return where, durable.read_bytes(path, limit=MOST_BYTES).decode("utf-8")
    except UnicodeDecodeError:
        return Unread(where, "it is not UTF-8 text")
    except (OSError, TenureError) as error:
        return Unread(where, str(error))
