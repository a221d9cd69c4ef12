"""The original's flags, read the way argparse reads them, without the cost of importing it.

`--flag value`, `--flag=value` and unambiguous beginnings of a flag; usage errors go to standard error with
status 2.
"""

from __future__ import annotations

import re
import sys
from types import SimpleNamespace
from typing import NamedTuple, NoReturn

NEGATIVE_NUMBER = re.compile(r"-\d+|-\d*\.\d+")


class Flag(NamedTuple):
    """One flag: what follows it, and whether it must be there."""

    name: str
    kind: str = "text"  # text, number or switch
    required: bool = False
    choices: tuple[str, ...] = ()
    default: str | None = None
    group: bool = False  # exactly one flag of the group must be given


def parse(program: str, flags: tuple[Flag, ...], arguments: list[str]) -> SimpleNamespace:
    """Return the flags' values by name; end the program as argparse does when they make no sense."""
    parser = _Parser(program, flags)
    values: dict[str, object] = {f.name: False if f.kind == "switch" else f.default for f in flags}
    given: list[str] = []
    words = list(arguments)
    while words:
        word = words.pop(0)
        flag, value = parser.find(word)
        if flag.kind != "switch" and value is None:
            if not words or _looks_like_flag(words[0]):
                parser.fail(f"argument --{flag.name}: expected one argument")
            value = words.pop(0)
        elif flag.kind == "switch" and value is not None:
            parser.fail(f"argument --{flag.name}: ignored explicit argument {value!r}")
        given.append(flag.name)
        values[flag.name] = parser.value(flag, value)
    parser.complete(given)
    return SimpleNamespace(**{name.replace("-", "_"): value for name, value in values.items()})


class _Parser:
    def __init__(self, program: str, flags: tuple[Flag, ...]) -> None:
        self.program, self.flags = program, flags

    def find(self, word: str) -> tuple[Flag, str | None]:
        if word in ("-h", "--help"):
            print(self.usage())
            raise SystemExit(0)
        name, equals, value = word.partition("=")
        found = [flag for flag in self.flags if f"--{flag.name}" == name]
        found = found or [flag for flag in self.flags if len(name) > 2 and f"--{flag.name}".startswith(name)]
        if len(found) > 1:
            could = ", ".join(f"--{flag.name}" for flag in found)
            self.fail(f"ambiguous option: {name} could match {could}")
        if not found:
            self.fail(f"unrecognized arguments: {word}")
        return found[0], value if equals else None

    def value(self, flag: Flag, value: str | None) -> object:
        if value is None:
            return True
        if flag.kind == "number":
            try:
                return int(value)
            except ValueError:
                self.fail(f"argument --{flag.name}: invalid int value: {value!r}")
        if flag.choices and value not in flag.choices:
            choices = ", ".join(map(repr, flag.choices))
            self.fail(f"argument --{flag.name}: invalid choice: {value!r} (choose from {choices})")
        return value

    def complete(self, given: list[str]) -> None:
        missing = [f"--{flag.name}" for flag in self.flags if flag.required and flag.name not in given]
        if missing:
            self.fail(f"the following arguments are required: {', '.join(missing)}")
        group = [flag.name for flag in self.flags if flag.group]
        chosen = [name for name in dict.fromkeys(given) if name in group]
        if len(chosen) > 1:
            self.fail(f"argument --{chosen[1]}: not allowed with argument --{chosen[0]}")
        if group and not chosen:
            self.fail(f"one of the arguments {' '.join(f'--{name}' for name in group)} is required")

    def usage(self) -> str:
        shown = []
        for flag in self.flags:
            choices = "{" + ",".join(flag.choices) + "}" if flag.choices else flag.name.upper().replace("-", "_")
            text = f"--{flag.name}" if flag.kind == "switch" else f"--{flag.name} {choices}"
            shown.append(text if flag.required else f"[{text}]")
        return f"usage: {self.program} [-h] {' '.join(shown)}"

    def fail(self, message: str) -> NoReturn:
        text = f"{self.usage()}\n{self.program}: error: {message}"
        print(text.encode("utf-8", "replace").decode("utf-8"), file=sys.stderr)
        raise SystemExit(2)


def _looks_like_flag(word: str) -> bool:
    return len(word) > 1 and word[0] == "-" and " " not in word and not NEGATIVE_NUMBER.fullmatch(word)
