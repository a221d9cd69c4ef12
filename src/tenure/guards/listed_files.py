"""The files that a command prints the names of, for the command behind the pipe; a folder stands for what is in it."""

from __future__ import annotations

from tenure.guards.command_words import arguments, options
from tenure.guards.shell_script import UNKNOWN, Simple

MOST_FILES = 12
# Programs that hand on some of the lines they are given.
_PASSING = frozenset("grep egrep fgrep sort uniq head tail tr sed awk cut cat".split())
_SEARCHING = frozenset("grep egrep fgrep rg ag".split())
_NAMES, _PATHS = ("-name", "-iname"), ("-path", "-ipath", "-wholename")


def listed(simple: Simple | None) -> list[str]:
    """Return the files a command prints the names of, as far as its words tell."""
    if simple is None:
        return []
    program, own = simple.program, arguments(simple)
    if program in ("find", "fd", "fdfind"):
        found = found_by_find(simple) if program == "find" else own[1:]
    elif program in ("ls", "echo", "printf"):
        found = own
    elif program == "git" and own[:1] == ["grep"]:
        found = own[2:] if options(simple) & {"-l", "--files-with-matches", "--name-only"} else []
    elif own[:1] == ["ls-files"] or (program in _SEARCHING and options(simple) & {"-l", "--files-with-matches"}):
        found = own[1:]
    else:
        return listed(simple.source) if program in _PASSING else []
    known = [path for path in found if UNKNOWN not in path and path.strip("./")]
    return [each for path in known for each in (path, f"{path.rstrip('/')}/*")][:MOST_FILES]


def found_by_find(simple: Simple) -> list[str]:
    """Return what `find` finds: paths it is told to look for, else names, else all in the folders it looks in."""
    words = simple.words[1:]
    ends = next((n for n, word in enumerate(words) if word.startswith(("-", "(", "!", "\\"))), len(words))
    roots, names = words[:ends] or ["."], list[str]()
    for n, word in enumerate(words[:-1]):
        excluded = (n and words[n - 1] in ("!", "-not")) or words[n + 2 : n + 3] == ["-prune"]
        if word in _PATHS and not excluded:
            # A star of find's also passes over slashes.
            return [f"*{words[n + 1]}" if words[n + 1].startswith("*/") else words[n + 1]]
        if word in _NAMES and not excluded:
            names.append(words[n + 1])
    if names:
        return [f"{root.rstrip('/')}/{name}" for root in roots for name in names]
    return [each for root in roots if root.strip("./") for each in (root, f"{root.rstrip('/')}/*")]


def printed(simple: Simple | None) -> str:
    """Return the text a command prints when its words say it: `echo`, `printf` and `cat` of a here-document."""
    if simple is None:
        return ""
    if simple.program == "cat" and simple.stdin and len(simple.words) == 1:
        return simple.stdin
    text = " ".join(arguments(simple)) if simple.program in ("echo", "printf") else ""
    return text if UNKNOWN not in text else ""
