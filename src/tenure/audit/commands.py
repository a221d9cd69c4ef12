"""One command line read for claims: targets of make and its relatives, scripts, branches, packages, files."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import pairwise
from typing import Literal

from tenure.audit import words
from tenure.text.words import STOP_WORDS

Found = tuple[Literal["file", "symbol", "url", "branch", "package", "command"], str, int, int]

# What stands in quotes is one word, whatever it holds.
_TOKEN = re.compile(r"(?:\"[^\"\n]*\"|'[^'\n]*'|[^\s;&|])+")
_PART = re.compile(r"[^;&|]+")
_TARGET = re.compile(r"[A-Za-z][\w:.-]{0,80}")
_ASSIGNMENT = re.compile(r"[A-Za-z_]\w*=")
_FOLDER = re.compile(r"(?:\.{1,2}/)?[\w.+-]{2,100}(?:/[\w.+-]{1,100}){0,20}/?")
_SCRIPT = re.compile(r"(?:\.{1,2}/)?[\w.+-]{1,100}(?:/[\w.+-]{1,100}){1,20}")
_FILE = re.compile(r"(?:\.{1,2}/)?(?:[\w.+-]{1,100}/){0,20}[\w+-][\w.+-]{0,100}\.([A-Za-z][A-Za-z0-9]{0,9})")
_INSTALL = re.compile(rf"(?:{words.INSTALLERS})\b")
_PACKAGE = re.compile(r"(?:@[a-z0-9][\w.-]{0,60}/)?[A-Za-z][\w.-]{0,60}(?:/[\w.-]{1,60}){0,4}")
_REMOTE_VERBS = {"pull", "fetch"}
_BRANCH_VERBS = {"checkout", "switch", "merge", "rebase", *_REMOTE_VERBS}
_BRANCH = re.compile(r"[A-Za-z0-9][\w./#+-]{0,120}")
# The file after one of these is made by the command.
_WRITES = frozenset(
    {">", ">>", "-o", "-O", "--output", "--out", "--outfile", "--output-file", "--out-file", "--report"}
)


# What these are given they make, take away or find on another machine.
_NO_FOLDERS = words.listed(
    """
    aws cp curl docker echo gh gsutil kubectl ln mkdir mktemp mv npx oc open podman printf rclone rm rmdir rsync scp tar
    tee touch unzip wget zip
    """
)
_MAKES = re.compile(r"-{1,2}(?:[\w-]*(?:out|dest|target|cache|dir)[\w-]*|d)$")
# `script/Counter.s.sol:CounterScript`, `tests/test_a.py:12`: what is meant in the file.
_IN_FILE = re.compile(r"(.*\.[A-Za-z]\w{0,9}):(?:[A-Za-z_]\w*|\d+)")


# One test by its name: `go test -run TestParse`, `gradle test --tests a.b.ParserTest.parses`.
_TESTS = frozenset({"-run", "--run", "--tests", "-k", "--match-test", "--match-contract", "--grep"})
_TEST = re.compile(r"(?:[a-z]\w*\.)*(?:[A-Z]\w{5,}\.)?(?:[A-Z]\w{5,}|test_\w{4,}|test[A-Z]\w{4,}|[a-z]+_\w{6,})")


def read(line: str) -> Iterator[Found]:
    """Yield what the command line claims: kind, text, and where it stands in the line."""
    for part in _PART.finditer(line):
        tokens = [(m.group(), part.start() + m.start()) for m in _TOKEN.finditer(part.group())]
        while tokens and (_ASSIGNMENT.match(tokens[0][0]) or tokens[0][0] in ("sudo", "time", "exec", "env")):
            tokens.pop(0)
        if tokens:
            yield from _command(part.group().strip(), tokens)


def command_target(text: str) -> tuple[str | None, str]:
    """Return the runner whose targets answer for the command, and the target; no runner for a path."""
    tool, _, rest = text.partition(" ")
    if not rest:
        return None, text
    target = rest.removeprefix("run ").removeprefix("run-script ").removeprefix("task ")
    return words.RUNNERS.get(tool.rpartition("/")[2], "script"), target


def as_written(line: str, found: Found) -> str:
    """Return a target's command in the line's own words, from its tool on; nothing where `read` told them already."""
    kind, text, start, end = found
    tool, _, target = text.partition(" ")
    at = line.rfind(tool, 0, start)
    if kind != "command" or not target or at < 0:
        return ""
    while at > 0 and not re.match(r"[\s;&|]", line[at - 1]):
        at -= 1
    said = line[at:end]
    return said if said != text else ""


def _command(text: str, tokens: list[tuple[str, int]]) -> Iterator[Found]:
    tool = tokens[0][0]
    rest = tokens[1:]
    name = tool.rpartition("/")[2]
    if name in words.RUNNER_OWN:
        yield from _own_targets(name, tokens)
    elif tool in words.RUNNERS or name == "gradlew":
        yield from _targets(tool, tokens)
        if name in ("gradle", "gradlew"):
            yield from (found for found in _paths(tokens) if found[0] == "symbol")
    elif tool in words.SCRIPT_RUNNERS and not _INSTALL.match(text):
        yield from _script(tokens)
    elif _INSTALL.match(text):
        yield from _installed(tool, rest)
    elif tool == "cd":
        yield from _folder(tokens)
    elif tool == "git":
        yield from _branch(rest)
    else:
        yield from _paths(tokens)


def _targets(tool: str, tokens: list[tuple[str, int]]) -> Iterator[Found]:
    tool = tool.rpartition("/")[2]
    skip = False
    for token, at in tokens[1:]:
        if skip or token.startswith("-") or "=" in token:
            # `make -C folder x` names a target of another Makefile, which is looked up there by nobody yet.
            if token in ("-C", "-f", "--directory", "--file", "-d", "--taskfile", "--justfile", "--working-directory"):
                yield from _folder(tokens)
                return
            skip = False
            continue
        if tool in ("make", "gradlew", "gradle") and not _TARGET.fullmatch(token):
            return
        if _TARGET.fullmatch(token) and not _is_placeholder(token):
            yield "command", f"{tool} {token}", at, at + len(token)
        if tool != "make":
            return


def _own_targets(tool: str, tokens: list[tuple[str, int]]) -> Iterator[Found]:
    """Yield the target of a tool that has commands of its own: `mise run x`, `cargo x`."""
    rest = [each for each in tokens[1:] if not each[0].startswith(("-", "+"))]
    if tool in ("mise", "pre-commit"):
        rest = rest[1:] if rest and rest[0][0] in ("run", "r") else []
    if tool == "pre-commit" and any(token in _OF_HOOKS for token, _ in tokens):
        return  # an option's value stands where the hook would
    if rest and _TARGET.fullmatch(rest[0][0]) and rest[0][0] not in words.RUNNER_OWN[tool]:
        token, at = rest[0]
        lead = f"{tool} run" if tool == "pre-commit" else tool
        yield "command", f"{lead} {token}", at, at + len(token)


_OF_HOOKS = frozenset({"--files", "--from-ref", "--to-ref", "--hook-stage", "--config", "-c", "-s", "-o"})
_IN_FOLDER = ("--prefix", "--cwd", "-C", "--dir", "--directory", "cd")
_WITH_VALUE = ("--prefix", "-w", "--workspace", "--filter", "-F", "--cwd", "-C", "--dir")


def _folder(tokens: list[tuple[str, int]]) -> Iterator[Found]:
    """Yield the folder in which a command is told to run: `pnpm -C apps/web build`, `make -C tools/x`."""
    for (option, _), (value, at) in pairwise(tokens):
        if option in _IN_FOLDER and _FOLDER.fullmatch(value) and value != ".." and not _is_placeholder(value):
            yield "file", value, at, at + len(value)


def _script(tokens: list[tuple[str, int]]) -> Iterator[Found]:
    yield from _folder(tokens)
    tool = tokens[0][0]
    rest: list[tuple[str, int]] = []
    skip = False
    # A package of the workspace may be named first: its scripts are among all that are known.
    for token, at in tokens[1:]:
        if not skip and not token.startswith("-"):
            rest.append((token, at))
        skip = not skip and token in _WITH_VALUE
    if tool == "yarn" and rest and rest[0][0] == "workspace":
        rest = rest[2:]
    # `yarn task x` runs a script of that name; only deno has the word itself.
    explicit = bool(rest) and rest[0][0] in ("run", "run-script", *(("task",) if tool == "deno" else ()))
    if explicit:
        rest = rest[1:]
    if not rest:
        return
    token, at = rest[0]
    own = token in words.SCRIPT_RUNNER_OWN and token not in words.NPM_LIFECYCLE
    known = explicit or (tool == "npm" and token in words.NPM_LIFECYCLE) or (tool in ("yarn", "pnpm") and not own)
    if known and _TARGET.fullmatch(token) and not _is_placeholder(token) and not _FILE.fullmatch(token):
        lead = f"{tool} run" if explicit else tool
        yield "command", f"{lead} {token}", at, at + len(token)


def _installed(tool: str, tokens: list[tuple[str, int]]) -> Iterator[Found]:
    if tool in words.SYSTEM_INSTALLERS:
        return
    seen_verb = False
    for token, at in tokens:
        if token in ("install", "add", "require", "get", "i"):
            seen_verb = True
            continue
        if token in ("-r", "-e", "-c", "--requirement", "--editable", "--path", "--git"):
            return
        if not seen_verb or token.startswith("-"):
            continue
        name = re.split(r"[=<>~^!\[;]|(?<=.)@", token.strip("'\""))[0]
        if name.strip(",.") in STOP_WORDS:
            return  # "never run npm install here": the sentence goes on
        if _PACKAGE.fullmatch(name) and not name.endswith((".txt", ".whl", ".gz")) and not _is_placeholder(name):
            start = at + token.index(name)
            yield "package", name, start, start + len(name)


def _branch(tokens: list[tuple[str, int]]) -> Iterator[Found]:
    if not tokens or tokens[0][0] not in _BRANCH_VERBS:
        return
    if any(token in ("-b", "-c", "-B", "-C", "--", "--orphan", "--create") for token, _ in tokens):
        return  # creates the branch, or names files
    names = [each for each in tokens[1:] if not each[0].startswith("-")]
    if tokens[0][0] in _REMOTE_VERBS:
        names = names[1:]  # the remote comes first
    if len(names) == 1:
        name, at = names[0]
        if _BRANCH.fullmatch(name) and not _is_placeholder(name) and not re.fullmatch(r"[0-9a-f]{7,40}|HEAD.*", name):
            yield "branch", name, at, at + len(name)


def _paths(tokens: list[tuple[str, int]]) -> Iterator[Found]:
    for number, (token, at) in enumerate(tokens):
        path = token.strip("'\"(),")
        at += token.find(path) if path else 0
        path = path.split("::")[0]
        path = inner[1] if (inner := _IN_FILE.fullmatch(path)) else path
        if not path or path.startswith(("-", "/", "~", "$", "@")) or "://" in path or _is_placeholder(path):
            continue
        if number > 0 and tokens[number - 1][0] in _WRITES:
            continue
        file = _FILE.fullmatch(path)
        slashed = "/" in path
        if file and file[1].lower() in (words.LOOSE_EXTENSIONS if slashed else words.FILE_EXTENSIONS):
            if slashed or number > 0:
                yield "file", path, at, at + len(path)
        elif number == 0 and len(tokens) > 1 and _SCRIPT.fullmatch(path):
            yield "command", path, at, at + len(path)
        elif number > 0 and path.startswith("./") and path.count("/") > 1 and _SCRIPT.fullmatch(path):
            yield "file", path, at, at + len(path)  # a package: `go test ./internal/parser`
        elif (
            number > 0
            and tokens[0][0] != "#"
            and _is_folder(path)
            and tokens[0][0] not in _NO_FOLDERS
            and not _MAKES.match(tokens[number - 1][0])
        ):
            yield "file", path, at, at + len(path)  # `pytest tests/unit`
        elif number > 0 and tokens[number - 1][0] in _TESTS and _TEST.fullmatch(path):
            yield "symbol", path, at, at + len(path)


def _is_folder(path: str) -> bool:
    """Return whether an argument can be nothing but a folder of the project: `tests/unit`, `evals/`."""
    if "/" not in path or _FOLDER.fullmatch(path) is None or file_ending(path):
        return False
    return path.endswith("/") or path.removeprefix("./").split("/")[0] in words.USUAL_FOLDERS


def file_ending(path: str) -> bool:
    """Return whether the last part of a path has an ending."""
    return "." in path.rstrip("/").rpartition("/")[2].lstrip(".")


def _is_placeholder(text: str) -> bool:
    return bool(re.search(r"[<>{}$%*]|\.\.\.", text)) or text.lower() in words.PLACEHOLDERS
