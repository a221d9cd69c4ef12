"""What one span of `code` claims: a path, a name, a branch, a package, or what a command names."""

from __future__ import annotations

import re
from collections.abc import Iterator

from tenure.audit import commands, shapes, words
from tenure.audit.claim import Kind

_LINE_SUFFIX = re.compile(r"(?::\d+(?:[-:]\d+)?|#L\d+(?:-L?\d+)?|#[\w-]+)$")
_PACKAGE = re.compile(r"@[a-z0-9][\w.-]{0,60}/[a-z0-9][\w.-]{0,60}|[a-z][a-z0-9_]{1,30}(?:-[a-z0-9_]{1,30}){1,4}")
_BRANCH_SHAPE = re.compile(rf"(?:origin/)?(?:{'|'.join(words.BRANCH_PREFIXES)})/[\w./#+-]{{1,120}}")
# What is typed begins with a program or a variable; what a program prints begins in any way.
_COMMAND = re.compile(
    r"[ \t]*(?:[$>%][ \t]+)?(?:[a-z][\w.+-]*|\.{0,2}/[\w./+-]+|[\w.+-]+/[\w./+-]+|[A-Z_]+=\S*)(?=[ \t]|$)"
)
# `(d *Detector) isFlood(req)`: a method as Go writes it.
_GO_METHOD = re.compile(r"\((?:\w+[ \t]+)?\*?\w+\)[ \t]*\.?([A-Za-z_]\w+)(?:\(|$)")
# `/web`, `/web/pages/`: a folder from the root, an address of a server or an agent's own command.
_ROOTED = re.compile(
    r"/(?!(?:etc|usr|var|tmp|home|opt|dev|proc|sys|bin|root|mnt|api)(?:/|$))[\w.@+-]{2,100}(?:/[\w.@+-]{1,100}){0,20}/?"
)
# `Result(path, cost)`: a call with its arguments, or a record with its fields.
_CALL = re.compile(r"([A-Za-z_][\w.]*)\([\w \t,:=*.\"'\[\]|-]*\)")


def read(code: str) -> Iterator[tuple[Kind, str, int, int, bool]]:
    """Yield what one span of `code` claims: kind, text, start, end and whether it is tentative."""
    stripped = code.strip()
    begin = code.index(stripped) if stripped else 0
    if shapes.is_aliased(stripped) or shapes.before_hole(stripped):
        yield "file", stripped, begin, begin + len(stripped), True
        return
    if not stripped or shapes.is_placeholder(stripped):
        return
    if _BRANCH_SHAPE.fullmatch(stripped) and not shapes.has_extension(stripped):
        if not shapes.is_branch(stripped):
            return
        yield "branch", stripped, begin, begin + len(stripped), False
        return
    method = _GO_METHOD.match(stripped)
    if method is not None:
        yield "symbol", method[1], begin + method.start(1), begin + method.end(1), True
        return
    call = _CALL.fullmatch(stripped)
    if call is not None and re.search(r"\s", stripped):
        name = shapes.symbol_of(call[1])
        if name:
            yield "symbol", name[0], begin, begin + len(name[0]), name[1]
        return
    if re.search(r"\s", stripped):
        if not _COMMAND.match(stripped):
            return
        for kind, value, first, last in commands.read(stripped):
            if kind != "branch" or shapes.is_branch(value):
                yield kind, value, begin + first, begin + last, kind == "file" and _is_argument(stripped, value)
        return
    path, _, symbol = stripped.partition("::")
    if symbol and shapes.is_path(path):
        yield "file", path, begin, begin + len(path), False
        member = symbol.split("::")[-1].split("[")[0]
        if shapes.is_identifier(member):
            at = begin + stripped.rindex(member)
            yield "symbol", member, at, at + len(member), False
        return
    path = _LINE_SUFFIX.sub("", stripped)
    rooted = path.startswith("/") and (shapes.has_extension(path) or path.split("/")[1] in words.USUAL_FOLDERS)
    if (rooted and path.count("/") > 1 and shapes.is_path(path[1:])) or _ROOTED.fullmatch(path):
        # From the root of the repository or of the machine, or an address of a server: the project tells.
        yield "file", path, begin, begin + len(path), True
        return
    if shapes.is_path(path):
        if not shapes.is_outside(path):
            shaped = (
                shapes.has_extension(shapes.first_of_group(path)) or path.endswith("/") or path in words.KNOWN_FILES
            )
            tentative = not shaped or path in words.AGENT_FILES or shapes.is_loose(path)
            yield "file", path, begin, begin + len(path), tentative
        return
    name = shapes.symbol_of(stripped)
    if name:
        yield "symbol", name[0], begin, begin + len(name[0]), name[1]
    elif _PACKAGE.fullmatch(stripped):
        # Any word with hyphens may be a package's name: only the history of a manifest tells.
        yield "package", stripped, begin, begin + len(stripped), True


def _is_argument(command: str, path: str) -> bool:
    """Return whether a path without an ending is what a command works on, and not where it runs."""
    if shapes.has_extension(path) or path.startswith("./"):
        return False
    return re.search(rf"(?:^(?:cd|pushd)|[ \t]-C|[ \t]--\w[\w-]*)[ \t=]+{re.escape(path)}", command) is None


def is_command(line: str) -> bool:
    """Return whether a line begins as what is typed does."""
    return _COMMAND.match(line) is not None


def without_line(path: str) -> str:
    """Return the path without the line or heading that it points to."""
    return _LINE_SUFFIX.sub("", path)
