"""A line of PowerShell in the words of a shell, as far as guards look: programs, their words and the files they name.

What PowerShell writes otherwise is rewritten before the line is parsed: texts between `@'` and `'@` go, a backtick is
no substitution, `&` before a program starts it, and a path has slashes.
"""

from __future__ import annotations

import re

# Commands of PowerShell, in lower case -> the program that does the same with the files it is given.
_COMMANDS = {
    **dict.fromkeys(("set-content", "add-content", "out-file", "clear-content", "tee-object"), "tee"),
    **dict.fromkeys(("move-item", "rename-item"), "mv"),
    "remove-item": "rm", "new-item": "touch", "copy-item": "cp", "get-content": "cat",
}  # fmt: skip
_MOVING = re.compile(r"\b(?:Set|Push)-Location\b", re.IGNORECASE)
# Options whose value is no file. A file's own option (`-Path`) is passed over like any other.
_TEXT_OPTIONS = frozenset(
    "-value -encoding -itemtype -totalcount -tail -filter -include -exclude -erroraction -readcount -width -first"
    " -last -delimiter -credential".split()
)
_HERE_STRINGS = (("@'", "\n'@"), ('@"', '\n"@'))
_STARTING = re.compile(r"(^|[|;{(\n])(\s*)&\s+")
_ESCAPED = re.compile(r"`(\r?\n|.)")
_VARIABLE = re.compile(r"\$env:(\w+)", re.IGNORECASE)
# A value in parentheses is what a shell writes `$(…)`; what is called on it changes no file.
_VALUE = re.compile(r"(?:(?<=[\s=,;|])|^)\((?=[\w$'\"])")
_METHOD = re.compile(r"(?<=\))\.\w+\((?:'[^']*'|\"[^\"]*\"|[^()'\"])*\)")
_TEMPORARY = ("TEMP", "TMP")


def as_shell(line: str) -> str:
    """Return a line of PowerShell as a shell would write it."""
    for opening, closing in _HERE_STRINGS:
        start = line.find(opening)
        while start >= 0 and (end := line.find(closing, start)) >= 0:
            line = f"{line[:start]}''{line[end + len(closing) :]}"
            start = line.find(opening, start)
    line = _ESCAPED.sub(" ", line).replace("\\", "/")
    line = _VARIABLE.sub(lambda found: "/tmp" if found[1].upper() in _TEMPORARY else f"${{{found[1].upper()}}}", line)
    line = _METHOD.sub("", line)
    return _MOVING.sub("cd", _VALUE.sub("$(", _STARTING.sub(r"\1\2", line)))


def as_program(words: list[str]) -> list[str] | None:
    """Return a command of PowerShell as the program that does the same; None when it is none of these."""
    program = _COMMANDS.get(words[0].lower()) if words else None
    if program is None:
        return None
    kept, skip = [program], False
    for word in words[1:]:
        if skip or word.lower() in _TEXT_OPTIONS:
            skip = not skip
        elif word.lower() == "-recurse":
            kept.append("-r")
        elif not (word.startswith("-") and len(word) > 2):
            kept.append(word)
    return kept
