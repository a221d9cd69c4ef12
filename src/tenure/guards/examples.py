"""Examples of a guard: calls it must stop and calls it must let pass, tried on the guard before anybody sees it."""

from __future__ import annotations

from msgspec.structs import replace

from tenure.guards import match
from tenure.model.guard import CommandRule, Guard, matcher


def with_examples(guard: Guard) -> Guard | None:
    """Return the guard with two examples each that were tried on it; None when it fails its own."""
    data = matcher(guard)
    fire = [text for text in _firing(guard) if match.fires(data, match.example(text))]
    spare = [text for text in _passing(guard) if not match.fires(data, match.example(text))]
    if len(fire) < 2 or len(spare) < 2:
        return None
    return replace(guard, fires=tuple(fire[:3]), passes=tuple(spare[:3]))


def _line(rule: CommandRule) -> str:
    options = rule.options[0] if rule.options else ""
    if options and not options.startswith("-"):
        options = f"origin {options}"
    return " ".join([rule.program, *rule.words, *([options] if options else [])])


def _firing(guard: Guard) -> list[str]:
    if guard.commands:
        target = f" {_sample(guard.paths[0])}" if guard.paths else ""
        lines = [f"{_line(rule)}{target}" for rule in guard.commands]
        return [
            f"run {lines[0]}",
            f"run cd sub/folder && {lines[0]}" if not target else f"run cd . && {lines[0]}",
            *(f"run {line}" for line in lines[1:]),
        ]
    path = _sample(guard.paths[0])
    if guard.tool == "read":
        return [f"read {path}", f"run cat {path}"]
    return [f"edit {path}", f"run echo x >> {path}"]


def _passing(guard: Guard) -> list[str]:
    if guard.commands:
        line = _line(guard.commands[0])
        other = [f"run git {guard.commands[0].words[0]} README.md"] if guard.paths and guard.commands[0].words else []
        return [*other, f'run echo "{line}"', f'run grep -rn "{line}" docs', "run git status --short"]
    path = _sample(guard.paths[0])
    if guard.tool == "read":
        return ["read elsewhere/example.txt", "run ls -l elsewhere", f'run echo "{path}"']
    return [f"read {path}", "edit elsewhere/example.txt", f"run cat {path}"]


def _sample(pattern: str) -> str:
    path = pattern.lstrip("!").replace("**/", "some/").replace("**", "some").replace("*", "example").replace("?", "x")
    path = path.removeprefix("/") if not path.startswith("//") else path[1:]
    return f"{path}example.txt" if path.endswith("/") else path
