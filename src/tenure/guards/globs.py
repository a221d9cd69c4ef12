"""Paths against patterns as .gitignore writes them. No imports: a hook runs this.

`gen/` means the folder anywhere, `/gen/` the one at the root, `*.lock` a name anywhere, `src/**/x.ts` any depth, and
a pattern that names a folder means everything inside it. A path that itself holds `*` is known up to there.
"""

from __future__ import annotations

# A path with so many letters beside its stars names something.
LEAST_LITERAL = 2


def is_wild(name: str) -> bool:
    """Tell whether a name or path is a pattern itself."""
    return "*" in name or "?" in name or "[" in name or "\\" in name


def matches(path: str, patterns: tuple[str, ...] | list[str]) -> bool:
    """Tell whether any pattern takes in a path relative to the project's root; the last one that fits decides."""
    found = False
    for pattern in patterns:
        wanted = not pattern.startswith("!")
        if found is not wanted and one(path, pattern if wanted else pattern[1:]):
            found = wanted
    return found


def one(path: str, pattern: str) -> bool:
    """Tell whether one pattern takes in a path, or a folder the path lies in."""
    parts = [part for part in path.replace("\\", "/").split("/") if part not in ("", ".")]
    folders_only = pattern.endswith("/")
    body = pattern.rstrip("/")
    anchored = "/" in body
    wanted = [part for part in body.split("/") if part]
    if not wanted or not parts:
        return False
    wild = wild_parts("/".join(parts)) if is_wild(path) else ()
    for name in wanted:
        if name not in parts and not is_wild(name) and not any(name_fits(name, part) for part in wild):
            return False
    if not anchored:
        wanted = ["**", *wanted]
    # A path that ends in a slash is a folder itself.
    last = len(parts) if not folders_only or path.endswith("/") else len(parts) - 1
    return any(_parts(parts[:end], wanted) or _at_root(parts[:end], wanted) for end in range(1, last + 1))


def wild_parts(path: str) -> list[str]:
    """Return the parts of a path that may stand for a name; one that says next to nothing does so at the root alone."""
    return [part for n, part in enumerate(path.split("/")) if is_wild(part) and (n == 0 or not vague(part))]


def _at_root(path: list[str], wanted: list[str]) -> bool:
    """Tell whether a path that begins with `*` takes in what lies at the root: `rm -rf *` removes `gen`."""
    named = wanted[1:] if wanted[0] == "**" else wanted
    if not vague(path[0]) or not named or is_wild(named[0]) or named[0][0] == ".":
        return False
    return name_fits(named[0], path[0]) and _parts(path[1:], named[1:])


def vague(name: str) -> bool:
    """Tell whether a name is a pattern that says next to nothing."""
    return name != "**" and is_wild(name) and len(name.strip("*?")) < LEAST_LITERAL


def _parts(path: list[str], wanted: list[str]) -> bool:
    if not wanted:
        return not path
    if wanted[0] == "**":
        if len(wanted) == 1:
            return bool(path)
        return any(
            _parts(path[start:], wanted[1:])
            for start in range(len(path) + 1)
            # In a folder of its own `*.md` is a kind of file, not the one that a pattern names.
            if not (start and path[start:] and path[start][0] in "*?" and not name_fits(path[start], wanted[1]))
        )
    return bool(path) and _meets(path[0], wanted[0]) and _parts(path[1:], wanted[1:])


def _meets(name: str, pattern: str) -> bool:
    """Tell whether a name fits a pattern or may stand for it: `cat .env*` reads `.env`; `*` alone says too little."""
    if name_fits(name, pattern):
        return True
    if not is_wild(name) or is_wild(pattern) or name == "**" or vague(name):
        return False
    return name_fits(pattern, name) and (pattern[0] != "." or name[0] == ".")


def name_fits(name: str, pattern: str) -> bool:
    """Tell whether a name without slashes fits `*`, `?` and `[…]`."""
    if not is_wild(pattern):
        return name == pattern
    # Greedy with one way back, so that a long name costs no more than its length times the pattern's.
    at, here, star, mark = 0, 0, -1, 0
    while at < len(name):
        taken = _one_sign(pattern, here, name[at]) if here < len(pattern) and pattern[here] != "*" else 0
        if taken:
            here += taken
            at += 1
        elif here < len(pattern) and pattern[here] == "*":
            star, mark = here, at
            here += 1
        elif star >= 0:
            mark += 1
            at, here = mark, star + 1
        else:
            return False
    return all(sign == "*" for sign in pattern[here:])


def _one_sign(pattern: str, at: int, sign: str) -> int:
    """Return how much of the pattern one sign uses up, 0 when it does not fit."""
    found = pattern[at]
    if found == "?":
        return 1
    if found == "\\" and at + 1 < len(pattern):
        return 2 if pattern[at + 1] == sign else 0
    if found == "[":
        end = pattern.find("]", at + 2)
        if end > 0:
            inside = pattern[at + 1 : end]
            negated = inside[0] in "!^"
            return end - at + 1 if _in_class(sign, inside[negated:]) is not negated else 0
    return 1 if found == sign else 0


def _in_class(sign: str, inside: str) -> bool:
    at = 0
    while at < len(inside):
        if inside[at + 1 : at + 2] == "-" and at + 2 < len(inside):
            if inside[at] <= sign <= inside[at + 2]:
                return True
            at += 3
        else:
            if inside[at] == sign:
                return True
            at += 1
    return False


def needle(pattern: str) -> str:
    """Return the longest piece of a pattern that every path it takes in must hold."""
    pieces, piece, inside = [], "", False
    for sign in pattern:
        if sign == "[":
            inside = True
        if inside or sign in "*?/\\!":
            pieces.append(piece)
            piece = ""
            inside = inside and sign != "]"
        else:
            piece += sign
    return max([*pieces, piece], key=len)
