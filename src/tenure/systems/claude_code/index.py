"""`MEMORY.md`, the index: one line per memory, and everything else a person wrote there.

Adding or removing an entry changes that one line and no other byte. The client loads only the beginning of
the file, so what lies past its limit is named here instead of vanishing silently.
"""

from __future__ import annotations

import re

import msgspec

from tenure.systems.claude_code.frontmatter import BOM, one_line

NAME = "MEMORY.md"
MAX_LINES = 200
MAX_BYTES = 25_000
MAX_DESCRIPTION = 300

_ENTRY = re.compile(r"[ \t]*[-*+][ \t]+\[([^\]\n]*)\]\(<?([^()\s<>]+)>?\)[ \t]*(?:[—–:-]+[ \t]*)?([^\n]*)")


class IndexEntry(msgspec.Struct, frozen=True):
    """One line of the index; `line` counts from 1."""

    line: int
    title: str
    file: str
    description: str


class IndexLimit(msgspec.Struct, frozen=True):
    """What the client will not load: the limit, which part is met first, the first line cut, the entries beyond."""

    allowed: str
    limit: str
    first_line_cut: int
    entries: tuple[IndexEntry, ...]

    @property
    def message(self) -> str:
        """Return one sentence for a person, naming the entries."""
        named = ", ".join(entry.file for entry in self.entries[:10])
        more = f" and {len(self.entries) - 10} more" if len(self.entries) > 10 else ""
        what = f"these entries are never seen: {named}{more}" if self.entries else "no entry is cut"
        return (
            f"{NAME} passes the client's limit of {self.allowed}"
            f" ({self.limit} met first) at line {self.first_line_cut}; {what}."
        )


def entries(data: bytes) -> list[IndexEntry]:
    """Return the index's entries in the order written."""
    found = []
    for number, line in enumerate(_lines(data), 1):
        match = _ENTRY.match(line.rstrip("\r\n"))
        if match and _is_local(match[2]):
            found.append(IndexEntry(number, match[1], match[2].removeprefix("./"), match[3].strip()))
    return found


def entry_line(file: str, description: str) -> str:
    """Return the line for a memory, without its line end."""
    text = one_line(description)[:MAX_DESCRIPTION]
    return f"- [{file}]({file}) — {text}" if text else f"- [{file}]({file})"


def add(data: bytes, file: str, description: str) -> bytes:
    """Return the index with an entry for `file` after the last one there is, or unchanged if it has one."""
    known = entries(data)
    if any(entry.file == file for entry in known):
        return data
    lines = _lines(data)
    newline = "\r\n" if lines and lines[0].endswith("\r\n") else "\n"
    at = known[-1].line if known else len(lines)
    if at and not lines[at - 1].endswith("\n"):
        lines[at - 1] += newline
    if not known and lines and lines[-1].strip():
        lines.append(newline)
        at += 1
    lines.insert(at, entry_line(file, description) + newline)
    return "".join(lines).encode("utf-8", errors="surrogateescape")


def remove(data: bytes, file: str) -> bytes:
    """Return the index without the lines of `file`."""
    gone = {entry.line for entry in entries(data) if entry.file == file}
    kept = [line for number, line in enumerate(_lines(data), 1) if number not in gone]
    return "".join(kept).encode("utf-8", errors="surrogateescape")


def describe(data: bytes, file: str, description: str) -> bytes:
    """Return the index with the description of `file` replaced, its title and marks kept."""
    lines = _lines(data)
    for entry in entries(data):
        if entry.file == file and entry.description != one_line(description):
            line = lines[entry.line - 1]
            ending = line[len(line.rstrip("\r\n")) :]
            link = line[: line.index("](") + 2]
            lines[entry.line - 1] = f"{link}{entry.file}) — {one_line(description)[:MAX_DESCRIPTION]}{ending}"
    return "".join(lines).encode("utf-8", errors="surrogateescape")


def over_limit(data: bytes, max_lines: int = MAX_LINES, max_bytes: int = MAX_BYTES) -> IndexLimit | None:
    """Return what the client will cut, or None when it loads the whole index."""
    size = 0
    counted = 0
    in_comment = False
    for number, line in enumerate(_lines(data), 1):
        stripped = line.strip()
        in_comment = in_comment or stripped.startswith("<!--")
        if in_comment:  # the client does not count block comments
            in_comment = "-->" not in stripped
            continue
        counted += 1
        size += len(line.encode("utf-8", errors="surrogateescape"))
        if counted > max_lines or size > max_bytes:
            limit = f"{max_lines} lines" if counted > max_lines else f"{max_bytes:,} bytes"
            allowed = f"{max_lines} lines or {max_bytes:,} bytes"
            return IndexLimit(allowed, limit, number, tuple(e for e in entries(data) if e.line >= number))
    return None


def is_only_index(data: bytes) -> bool:
    """Return whether the file holds nothing but entries, headings, comments and blank lines."""
    listed = {entry.line for entry in entries(data)}
    return all(
        number in listed or not line.strip() or line.lstrip(BOM + " ").startswith(("#", "<!--"))
        for number, line in enumerate(_lines(data), 1)
    )


def _is_local(target: str) -> bool:
    return "://" not in target and not target.startswith(("#", "mailto:")) and target.lower().endswith(".md")


def _lines(data: bytes) -> list[str]:
    # Surrogates carry bytes that are not UTF-8 through an edit unharmed.
    return re.findall(r"[^\n]*\n|[^\n]+", data.decode("utf-8", errors="surrogateescape"))
