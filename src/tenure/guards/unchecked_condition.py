"""The part of a rule that its guard does not check: "against production" in "never run `x` against production".

A guard sees the command but not what the command reaches, so whoever switches it on is told what is not checked.
"""

from __future__ import annotations

import re

from tenure.model.guard import CommandRule, Guard

# Where a condition begins and where the rule goes on to another thought.
_BEGINS = re.compile(
    r"[`\"'*)]*\s+(?=(?:against|on|in|at|to|for|with|within|inside|outside|under|across|as)\s)", re.IGNORECASE
)
_ENDS = re.compile(r"\s[—–]\s|\s-{1,2}\s|[;:!(]|[.,](?:\s|$)|\s(?:but|because|since|so that|instead|unless|without)\b")


def unchecked(rule: str, guard: Guard) -> str:
    """Return the words of a rule that narrow its command and that the guard does not check; empty where none do."""
    for command in guard.commands:
        for said in re.finditer(_pattern(command), rule, re.IGNORECASE):
            begin = _BEGINS.match(rule, said.end())
            if begin is None:
                continue
            end = _ENDS.search(rule, begin.end())
            condition = rule[begin.end() : end.start() if end else len(rule)].replace("`", "").strip(" \"'*")
            if condition and not _is_checked(condition, guard):
                return condition
    return ""


def _pattern(command: CommandRule) -> str:
    """Return what a command looks like in a rule: its program, then words and options of it in any order."""
    parts = [*command.words, *(part for option in command.options for part in option.split())]
    more = "|".join(map(re.escape, parts)) or "(?!)"
    return rf"(?<![\w/.-]){re.escape(command.program)}(?:[\s`]+(?:{more}))*(?![\w-])"


def _is_checked(condition: str, guard: Guard) -> bool:
    """Tell whether the guard looks for what the condition names: a branch to push to, a path to commit."""
    named = {part.strip("/*").lower() for path in guard.paths for part in path.split("/") if part.strip("/*")}
    for command in guard.commands:
        named.update(part.lower() for option in command.options for part in option.split())
        named.update(word.lower() for word in command.words)
    return any(word.strip("/").lower() in named for word in re.findall(r"[\w./-]+", condition))
