"""What a command line runs, writes and reads, seen through whatever only carries another command.

`command_words` tells a command's arguments from its options, `carriers` what it starts, `touched_files` which files it
writes and reads. No rule of a guard stands in any of them.
"""

from __future__ import annotations

from tenure.guards import shell
from tenure.guards.carriers import carried, executed_by_find
from tenure.guards.shell import Script, Simple
from tenure.guards.touched_files import read, whole_tree, written

MOST_COMMANDS = 400
_DEEPEST = 6


class Effects:
    """What a line does: the commands that run, the paths written, those that may be, and the paths read."""

    __slots__ = ("may_write", "reads", "runs", "tracked", "whole", "writes")

    def __init__(self) -> None:
        self.runs: list[Simple] = []
        self.writes: list[str] = []
        self.reads: list[str] = []
        # What a program in another language seems to write.
        self.may_write: list[str] = []
        # What git may change without naming it, of the files it tracks.
        self.tracked: list[str] = []
        self.whole = True


def effects(line: str, folder: str = "") -> Effects:
    """Return what a line does; of one that cannot be parsed, what stands before the error."""
    found = Effects()
    _collect(shell.parse(line, folder), found, 0)
    return found


def _collect(script: Script, into: Effects, depth: int) -> None:
    into.whole = into.whole and script.whole
    for simple in script.commands:
        if len(into.runs) >= MOST_COMMANDS:
            into.whole = False
            return
        _one(simple, into, depth)


def _one(simple: Simple, into: Effects, depth: int) -> None:
    for operator, target in simple.redirects:
        (into.reads if operator == "<" else into.writes).append(shell.joined(simple.folder, target))
    if not simple.words:
        return
    if simple.program == "git" and "-C" in simple.words[:-1]:
        there = simple.words[simple.words.index("-C") + 1]
        simple = Simple(simple.words, simple.redirects, shell.joined(simple.folder, there), simple.stdin)
    if simple.words[0][:1].isupper() and "-" in simple.words[0]:
        from tenure.guards import powershell  # only for a command that is named as PowerShell names its own

        words = powershell.as_program(simple.words)
        simple = Simple(words or simple.words, [], simple.folder, simple.stdin, source=simple.source)
    into.runs.append(simple)
    if simple.stdin or any(len(word) > 8 for word in simple.words[2:3]):
        from tenure.guards import inline_programs  # only for a line that may hold a program

        into.may_write += [shell.joined(simple.folder, path) for path in inline_programs.changed(simple)]
    into.writes += [shell.joined(simple.folder, path) for path in written(simple)]
    if simple.program == "git":
        tracked, ignored = whole_tree(simple)
        into.tracked += [shell.joined(simple.folder, path) for path in tracked]
        into.may_write += [shell.joined(simple.folder, path) for path in ignored]
    into.reads += [shell.joined(simple.folder, path) for path in read(simple)]
    if depth >= _DEEPEST:
        into.whole = False
        return
    inner = carried(simple)
    if isinstance(inner, Script):
        _collect(inner, into, depth + 1)
    elif inner is not None:
        inner.carriers = (*simple.carriers, simple.program)
        _one(inner, into, depth + 1)
    for found in executed_by_find(simple):
        _one(found, into, depth + 1)
