"""Whether a guard fires at a tool call. A guard's matcher is data: tool, commands, paths, exceptions, text.

The hook reads matchers as plain objects, so this takes them so. The one rule: what is not known does not fire; a line
that could not be parsed as a whole fires without certainty, and such a fire is never more than a reminder.
"""

from __future__ import annotations

from tenure.guards import command_words, commands, globs, shell
from tenure.guards.calls import EDIT, READ, RUN, ToolCall
from tenure.guards.shell import UNKNOWN, Simple

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from typing import Any

    from tenure.guards.commands import Effects


# Among what lifts a rule: the command picks lines of what another program prints, and searches no file.
FILTERING = "|"
# Behind a program's name: that program starts the command (`uv>` for `uv run pytest`).
STARTED = ">"


# Programs that start another one: `npx vitest --help` asks vitest, and still runs `npx`.
_STARTERS = frozenset(("npx", "bunx", "pnpx", "uvx"))
# What of a program's word only prints what is there.
_LOOKING = {("git", "stash"): ("list", "show"), ("git", "worktree"): ("list",), ("git", "tag"): ("-l", "--list")}
# Folders at a project's root that git is most often told to ignore.
_IGNORED = frozenset(
    "__pycache__ artifacts bin build cache coverage dist logs node_modules obj out target temp tmp venv".split()
)
# Where agents keep other checkouts of a project, each in a folder of its own name.
_CHECKOUTS = (".claude/worktrees/", ".worktrees/")
# The folders that git itself makes in `.git`.
_GIT_FOLDERS = frozenset(
    "annex branches hooks info lfs logs modules objects rebase-apply rebase-merge refs sequencer svn worktrees".split()
)


class Fire:
    """A guard that fires: at what, in the words of the guard or of the path, and whether that is certain."""

    __slots__ = ("about", "certain")

    def __init__(self, about: str, *, certain: bool) -> None:
        self.about, self.certain = about, certain


class Seen:
    """A call with what is found out about it, once for all guards that look at it."""

    __slots__ = ("_effects", "_relative", "_touched", "call", "home", "root", "worktrees")

    def __init__(self, call: ToolCall, root: str, home: str = "", worktrees: Sequence[str] = ()) -> None:
        self.call, self.root, self.home = call, shell.plain(root).rstrip("/"), home.rstrip("/")
        # Other checkouts of the project: a path in one of them is a path of the project.
        self.worktrees = worktrees
        self._effects: Effects | None = None
        self._relative: dict[str, str] = {}
        # All paths that the line touches as one text, and the patterns in them.
        self._touched: tuple[str, set[str]] | None = None

    @property
    def effects(self) -> Effects:
        """What the line does; parsed when the first guard asks."""
        if self._effects is None:
            self._effects = commands.effects(self.call.command, shell.plain(self.call.folder))
        return self._effects

    def may_mean(self, needles: Sequence[str], *, is_command: bool) -> bool:
        """Tell whether a guard's needle is a program that runs, or stands in a path that is touched or fits one."""
        if not needles or self.call.kind != RUN:
            return True
        if is_command:
            programs = {simple.program for simple in self.effects.runs}
            return any(needle.removesuffix(".exe") in programs for needle in needles)
        if self._touched is None:
            files = self.effects.files
            paths = [*map(self.relative, (*files.writes, *files.reads, *files.may_write, *files.tracked))]
            found = {part for path in paths if globs.is_wild(path) for part in globs.wild_parts(path.lstrip("/"))}
            self._touched = "\n".join(paths), found
        text, wild = self._touched
        return any(needle in text or any(globs.name_fits(needle, part) for part in wild) for needle in needles)

    def relative(self, path: str) -> str:
        """Return a path as patterns see it: from the project's root, `//…` outside it, empty when not known."""
        if path not in self._relative:
            self._relative[path] = self._from_root(path)
        return self._relative[path]

    def _from_root(self, path: str) -> str:
        path = shell.plain(path)
        path = path.replace("\\", "/") if "\\" in path and "/" not in path else path
        if path.startswith("~"):
            if not self.home:
                return ""
            path = self.home + path[1:]
        if not path.startswith("/"):
            folder = shell.plain(self.call.folder)
            path = f"{folder}/{path}" if folder else path
        whole = shell.joined("", path)
        if not whole.startswith("/"):
            return "" if whole.startswith((UNKNOWN, "..")) else _in_worktree(whole)
        roots = [root for root in (self.root, *self.worktrees) if root and f"{whole}/".startswith(f"{root}/")]
        if roots:
            return _in_worktree(whole[len(max(roots, key=len)) + 1 :])
        return f"/{whole}" if UNKNOWN not in whole else ""


def _in_worktree(path: str) -> str:
    """Return a path without what stands before it when it lies in a checkout inside the project, as agents keep them.

    `git wt` keeps one in `.git/`, Claude Code in `.claude/worktrees/NAME/`.
    """
    for place in _CHECKOUTS:
        if path.startswith(place) and (inside := path[len(place) :].partition("/")[2]):
            return inside
    first, _, rest = path.partition("/")
    return rest if first == ".git" and "/" in rest and rest.partition("/")[0] not in _GIT_FOLDERS else path


def fires(matcher: Mapping[str, Any], seen: Seen) -> Fire | None:
    """Return the fire of a guard at a call, None when it has nothing to say."""
    tool, call = str(matcher.get("tool") or "any"), seen.call
    rules = matcher.get("commands") or ()
    if rules:
        return _at_command(matcher, rules, seen) if call.kind == RUN and tool in (RUN, "any") else None
    if call.kind == RUN:
        return _at_effects(matcher, tool, seen)
    if call.kind not in (EDIT, READ) or tool not in (call.kind, "any"):
        return None
    text = matcher.get("text") or ()
    if text and not (call.kind == EDIT and any(piece in call.added for piece in text)):
        return None
    if not matcher.get("paths") and not text:
        return None
    return next((Fire(path, certain=True) for path in _touched(matcher, call.paths, seen)), None)


def _at_command(matcher: Mapping[str, Any], rules: Sequence[Mapping[str, Any]], seen: Seen) -> Fire | None:
    guessed = None
    for simple in seen.effects.runs:
        for rule in rules:
            about = _fits(rule, simple)
            if not about:
                continue
            if matcher.get("paths"):
                paths = [shell.joined(simple.folder, word) for word in simple.words[1:] if not word.startswith("-")]
                if not any(_touched(matcher, paths, seen)):
                    continue
            elif matcher.get("except") and any(
                globs.matches(seen.relative(shell.joined(simple.folder, word)), matcher["except"])
                for word in simple.words[1:]
                if not word.startswith("-")
            ):
                continue
            if not simple.guessed:
                return Fire(about, certain=seen.effects.whole)
            guessed = guessed or Fire(about, certain=False)
    return guessed


def _at_effects(matcher: Mapping[str, Any], tool: str, seen: Seen) -> Fire | None:
    if not matcher.get("paths"):
        return None
    found, whole = seen.effects.files, seen.effects.whole
    if matcher.get("text"):
        bodies = [simple.stdin for simple in seen.effects.runs if simple.stdin]
        if tool not in (EDIT, "any") or not any(piece in body for piece in matcher["text"] for body in bodies):
            return None
        touched = found.writes
    else:
        touched = [*(found.writes if tool != READ else ()), *(found.reads if tool in (READ, "any") else ())]
    # A path whose beginning only running the line would tell may lie anywhere.
    sure = (Fire(path, certain=whole and _certain(path)) for path in _touched(matcher, touched, seen))
    guessed = found.may_write if tool != READ and not matcher.get("text") else ()
    return next(sure, None) or next(
        (Fire(path, certain=False) for path in _touched(matcher, guessed, seen)), _in_tree(matcher, tool, seen)
    )


def _in_tree(matcher: Mapping[str, Any], tool: str, seen: Seen) -> Fire | None:
    """Return the fire at a line with which git puts back all it tracks; what projects ignore is not among it."""
    if tool == READ or matcher.get("text"):
        return None
    paths = [path for path in matcher["paths"] if path.strip("/").partition("/")[0] not in _IGNORED]
    touched = _touched({**matcher, "paths": paths}, seen.effects.files.tracked, seen) if paths else ()
    return next((Fire(path, certain=False) for path in touched), None)


def _certain(path: str) -> bool:
    """Tell whether a path that a guard means is surely touched: `*/a.txt` may find nothing there, `*` takes all."""
    first, _, rest = path.partition("/")
    return UNKNOWN not in path and not (globs.vague(first) and rest.strip("*/"))


def _touched(matcher: Mapping[str, Any], paths: Sequence[str], seen: Seen) -> Iterator[str]:
    """Yield the paths that a guard means: without patterns every one, and never an exception."""
    wanted, spared = _at_home(matcher.get("paths") or (), seen), _at_home(matcher.get("except") or (), seen)
    for path in paths:
        relative = seen.relative(path)
        if relative and (not wanted or _means(relative, wanted)) and not (spared and _means(relative, spared)):
            yield relative


def _means(path: str, patterns: Sequence[str]) -> bool:
    outside = path.startswith("//")
    here = [pattern for pattern in patterns if pattern.lstrip("!").startswith("//") is outside]
    return globs.matches(path.lstrip("/"), [pattern.replace("//", "/", 1) for pattern in here])


def _at_home(patterns: Sequence[str], seen: Seen) -> list[str]:
    return [f"/{seen.home}{pattern[1:]}" if pattern.startswith("~/") else pattern for pattern in patterns]


def _fits(rule: Mapping[str, Any], simple: Simple) -> str:
    """Return what of a rule a command is, in the rule's own words; empty when it is not."""
    program = str(rule.get("program", ""))
    written = simple.words[0] if simple.words else ""
    if not (written.removeprefix("./") == program.removeprefix("./") if "/" in program else simple.program == program):
        return ""
    if _only_asks(rule, simple):
        return ""
    words = [str(word) for word in rule.get("words") or ()]
    end = _words_end(simple, words)
    if end < 0:
        return ""
    wanted = [str(option) for option in rule.get("options") or ()]
    unless = rule.get("unless") or ()
    if not wanted and not unless:
        return " ".join([program, *words])
    if FILTERING in unless:
        from tenure.guards.touched_files import filters  # start-up: few rules ask for it

        if filters(simple):
            return ""
    if any(f"{carrier}{STARTED}" in unless for carrier in simple.carriers):
        return ""
    given = command_words.options(simple)
    rest = _named(simple.words[end:])
    if any(option in given or option in rest for option in unless):
        return ""
    # An entry of several options wants them all; one without a dash is an argument.
    hits = [option for option in wanted if all((o in given) or (o in rest) for o in option.split())]
    # Of options that mean the same, the one that stands there is named.
    hit = next((option for option in hits if option in simple.words), next(iter(hits), None))
    return " ".join([program, *words, *([hit] if hit else [])]) if hit or not wanted else ""


def _only_asks(rule: Mapping[str, Any], simple: Simple) -> bool:
    """Tell whether a command only says how it works, what it would do or what there is."""
    words = simple.words[1:]
    if len(words) == 1 and words[0] in ("--version", "-V", "-v", "version"):
        return True
    own = words[: words.index("--")] if "--" in words else words
    if simple.program in _STARTERS:
        # What stands behind the program that is started is said to that one.
        own = own[: next((n for n, word in enumerate(own) if not word.startswith("-")), len(own))]
    wanted = " ".join(rule.get("options") or ())
    if any(word in own and word not in wanted for word in ("--help", "--dry-run")):
        return True
    looking = _LOOKING.get((simple.program, next(iter(command_words.arguments(simple)), "")), ())
    return any(word in looking for word in command_words.arguments(simple)[1:2]) and not set(looking) & {
        str(word) for word in rule.get("words") or ()
    }


def _words_end(simple: Simple, words: Sequence[str]) -> int:
    """Return the place behind a rule's words when a command begins with them, -1 when it does not.

    The value of an option may stand between them; before the first word only one that is known to take a value.
    """
    valued = command_words.GLOBAL_VALUES.get(simple.program)
    at, after_option = 1, ""
    for word in words:
        while at < len(simple.words):
            found = simple.words[at]
            at += 1
            if found.startswith("-") and len(found) > 1 and found != word:
                after_option = found
            elif found == word:
                after_option = ""
                break
            elif simple.program == "cargo" and found.startswith("+"):
                continue
            elif after_option and (word is not words[0] or valued is None or after_option in valued):
                after_option = ""
            else:
                return -1
        else:
            return -1
    return at


def _named(words: Sequence[str]) -> set[str]:
    """Return the arguments as a rule may name them: `HEAD:main` and `+main` push to `main`, `origin/main` names it."""
    found: set[str] = set()
    for word in words:
        if word == "-" or not word.startswith("-"):
            found |= {word, word.lstrip("+"), word.rpartition(":")[2], word.removeprefix("origin/")}
            found.add(word.rpartition("refs/heads/")[2])
    return found


def needles(matcher: Mapping[str, Any]) -> list[str]:
    """Return texts of which one must stand in a call for the guard to fire; none when every call may."""
    if matcher.get("commands"):
        found = [str(rule.get("program", "")).rsplit("/", 1)[-1] for rule in matcher["commands"]]
    elif matcher.get("paths"):
        found = [globs.needle(pattern) for pattern in matcher["paths"] if not pattern.startswith("!")]
    else:
        found = [str(piece) for piece in matcher.get("text") or ()]
    return [] if "" in found else found


def kinds(matcher: Mapping[str, Any]) -> list[str]:
    """Return the kinds of calls at which a guard can fire; a line that runs may write and read as well."""
    tool = str(matcher.get("tool") or "any")
    if matcher.get("commands"):
        return [RUN] if tool in (RUN, "any") else []
    shaped = [tool] if tool in (EDIT, READ) else [EDIT, READ]
    return [RUN, *shaped] if matcher.get("paths") else shaped


def example(text: str, root: str = "/project") -> Seen:
    """Return the call an example means: `run LINE`, `edit PATH`, `edit PATH: TEXT` or `read PATH`."""
    tool, _, rest = text.partition(" ")
    if tool == EDIT:
        path, _, added = rest.partition(": ")
        return Seen(ToolCall(EDIT, paths=(path,), added=added, folder=root), root, "/home/user")
    if tool == READ:
        return Seen(ToolCall(READ, paths=(rest,), folder=root), root, "/home/user")
    return Seen(ToolCall(RUN, command=rest if tool == RUN else text, folder=root), root, "/home/user")


def wrong_examples(matcher: Mapping[str, Any], fire: Sequence[str], passing: Sequence[str]) -> list[str]:
    """Return the examples that a guard does not treat as they say, each as a sentence."""
    silent = [f"does not fire at `{text}`" for text in fire if fires(matcher, example(text)) is None]
    return silent + [f"fires at `{text}`" for text in passing if fires(matcher, example(text)) is not None]
