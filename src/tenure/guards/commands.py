"""What a command line runs, writes and reads, seen through whatever only carries another command.

`command_words` tells a command's arguments from its options, `wrapped_commands` what it starts, `touched_files` which
files it writes and reads. No rule of a guard stands in any of them.
"""

from __future__ import annotations

from tenure.guards import shell
from tenure.guards.shell import Script, Simple
from tenure.guards.wrapped_commands import carried, executed_by_find, started_by_program

TYPE_CHECKING = False
if TYPE_CHECKING:
    from tenure.guards.touched_files import TouchedFiles

MOST_COMMANDS = 400
_DEEPEST = 6


class Effects:
    """What a line does: the commands that run, and the files they touch, found when they are asked for."""

    __slots__ = ("_files", "guessing", "redirects", "runs", "whole")

    def __init__(self) -> None:
        self.runs: list[Simple] = []
        # Where output and input go, and whether that is only guessed.
        self.redirects: list[tuple[str, str, bool]] = []
        self.guessing = False
        self.whole = True
        self._files: TouchedFiles | None = None

    @property
    def files(self) -> TouchedFiles:
        if self._files is None:
            from tenure.guards.touched_files import touched  # start-up: guards on commands need none

            self._files = touched(self.redirects, self.runs)
        return self._files


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
        into.redirects.append((operator, shell.joined(simple.folder, target), into.guessing))
    if not simple.words:
        return
    if simple.program == "git" and "-C" in simple.words[:-1]:
        there = simple.words[simple.words.index("-C") + 1]
        simple = Simple(simple.words, simple.redirects, shell.joined(simple.folder, there), simple.stdin)
    if simple.words[0][:1].isupper() and "-" in simple.words[0]:
        from tenure.guards import powershell  # only for a command that is named as PowerShell names its own

        words = powershell.as_program(simple.words)
        simple = Simple(words or simple.words, [], simple.folder, simple.stdin, source=simple.source)
    simple.guessed = into.guessing
    into.runs.append(simple)
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
    for started in started_by_program(simple):
        before, into.guessing = into.guessing, True
        if isinstance(started, Script):
            # A text that is no line of a shell tells nothing of the line it stands in.
            whole = into.whole
            _collect(started, into, depth + 1)
            into.whole = whole
        else:
            _one(started, into, depth + 1)
        into.guessing = before
