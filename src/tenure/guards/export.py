"""Guards written for other programs, to hold without Tenure: an agent's own deny rules, a pre-commit hook.

Their languages can express less than ours: a guard they cannot express is left out and named, never widened.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from typing import Any

from tenure.model.guard import CommandRule, Guard

Named = tuple[str, Guard]


def export(guards: Sequence[Named], target: str) -> tuple[str, list[str]]:
    """Return the rules as the target's file holds them, and the ids of guards it cannot say."""
    return _WRITERS[target](guards)


def _claude_code(guards: Sequence[Named]) -> tuple[str, list[str]]:
    rules: list[str] = []
    left: list[str] = []
    for id, guard in guards:
        if (
            guard.text
            or guard.spared
            or (guard.commands and guard.paths)
            or any(rule.unless for rule in guard.commands)
        ):
            left.append(id)
            continue
        for rule in guard.commands:
            rules += [f"Bash({line}:*)" for line in _lines(rule)]
        tools = {"edit": ("Edit",), "read": ("Read",)}.get(guard.tool, ("Edit", "Read"))
        rules += [f"{tool}({_anchored(path)})" for path in guard.paths for tool in tools]
    return json.dumps({"permissions": {"deny": list(dict.fromkeys(rules))}}, indent=2), left


def _opencode(guards: Sequence[Named]) -> tuple[str, list[str]]:
    lines: dict[str, str] = {}
    left: list[str] = []
    for id, guard in guards:
        if not guard.commands or guard.paths or any(rule.unless for rule in guard.commands):
            left.append(id)
            continue
        for rule in guard.commands:
            lines |= {f"{line}*": "deny" for line in _lines(rule)}
    return json.dumps({"permission": {"bash": lines}}, indent=2), left


def _gemini(guards: Sequence[Named]) -> tuple[str, list[str]]:
    lines: list[str] = []
    left: list[str] = []
    for id, guard in guards:
        if not guard.commands or guard.paths or any(rule.options or rule.unless for rule in guard.commands):
            left.append(id)
            continue
        lines += [f"run_shell_command({line})" for rule in guard.commands for line in _lines(rule)]
    return json.dumps({"tools": {"exclude": lines}}, indent=2), left


def _pre_commit(guards: Sequence[Named]) -> tuple[str, list[str]]:
    """Return a hook that refuses a commit which changes what must not be edited; git itself matches the paths."""
    left = [id for id, guard in guards if not guard.paths or guard.text or guard.tool == "read"]
    specs: list[str] = []
    for id, guard in guards:
        if id not in left:
            wanted = [_pathspec(path) for path in guard.paths]
            spared = [f":(exclude){_pathspec(path).removeprefix(':(glob)')}" for path in guard.spared]
            words = " ".join(_quoted(word) for word in (*wanted, *spared))
            specs.append(f"check {_quoted(id)} {words}")
    lines = [
        "#!/bin/sh",
        "# Written by `tenure guard export --to pre-commit`. Refuses commits that change what guards protect.",
        "status=0",
        "check() {",
        "    id=$1; shift",
        '    found=$(git diff --cached --name-only -- "$@")',
        '    [ -z "$found" ] || { echo "$id (tenure show $id) protects:" >&2; echo "$found" >&2; status=1; }',
        "}",
        *specs,
        "exit $status",
    ]
    return "\n".join(lines), left


_WRITERS: dict[str, Callable[[Sequence[Named]], tuple[str, list[str]]]] = {
    "claude-code": _claude_code,
    "opencode": _opencode,
    "gemini": _gemini,
    "pre-commit": _pre_commit,
}


def _lines(rule: CommandRule) -> list[str]:
    head = " ".join((rule.program, *rule.words))
    return [f"{head} {option}" for option in rule.options] or [head]


def _anchored(path: str) -> str:
    body = path + "**" if path.endswith("/") else path
    return body if "/" in path.rstrip("/") or path.startswith("~") else f"**/{body}"


def _pathspec(path: str) -> str:
    body = path.lstrip("/")
    body = body if "/" in path.rstrip("/") else f"**/{body}"
    return f":(glob){body}**" if body.endswith("/") else f":(glob){body}"


def _quoted(word: Any) -> str:
    return "'" + str(word).replace("'", "'\\''") + "'"
