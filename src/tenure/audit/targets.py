"""Targets that a project's own files define, read without running anything: make, just, task, npm and their like.

What a file makes up while it runs (macros, patterns over everything) is told as `open`: then nobody can say that a
target is not there.
"""

from __future__ import annotations

import json
import posixpath
import re
import tomllib
from collections.abc import Iterable, Iterator
from typing import Any

import msgspec

_MAKE_RULE = re.compile(r"^(?!\t)([^\s#:=][^#:=\n]*?)[ \t]*&?::?(?!=)", re.M)
_MAKE_VARIABLE = re.compile(r"^(?:export[ \t]+)?([A-Za-z_]\w*)[ \t]*(?::{0,3}|\?|\+)=[ \t]*(.*)$", re.M)
_MAKE_PHONY = re.compile(r"^\.PHONY[ \t]*:[ \t]*(.*)$", re.M)
_MAKE_INCLUDE = re.compile(r"^[ \t]*[s-]?include[ \t]+(.+)$", re.M)
# A recipe's parameters may have defaults: quoted, in backticks, or a word.
_JUST_DEFAULT = r"[ \t]*=[ \t]*(?:\"[^\"\n]*\"|'[^'\n]*'|`[^`\n]*`|\([^()\n]*\)|[^\s:]+)"
_JUST_RECIPE = re.compile(
    rf"^@?([A-Za-z_][\w-]*)(?:[ \t]+[$*+]*[A-Za-z_][\w-]*(?:{_JUST_DEFAULT})?)*[ \t]*:(?!=)", re.M
)
_JUST_NAMED = re.compile(r"^(?:alias[ \t]+([\w-]+)[ \t]*:=|mod\??[ \t]+([\w-]+))", re.M)
_YAML_KEY = re.compile(r"^([ \t]*)(?:'([^'\n]+)'|\"([^\"\n]+)\"|([\w.:/*-]+)):(?:[ \t]|$)")
_RAKE_TASK = re.compile(r"^[ \t]*(?:task|multitask|file)[ \t(]+:?['\"]?([\w:.-]+)", re.M)
# `RSpec::Core::RakeTask.new(:spec)`, `RuboCop::RakeTask.new`.
_RAKE_MADE = re.compile(r"\w*Task\.new[ \t(]+:?['\"]?([\w:.-]+)")
_GEM_TASKS = ("build", "clean", "clobber", "install", "install:local", "release", "default")
_RAKE_NAMESPACE = re.compile(r"^[ \t]*namespace[ \t(]+:?['\"]?([\w-]+)", re.M)
_PYTHON_DEF = re.compile(r"^(?:async[ \t]+)?def[ \t]+(\w+)", re.M)
_NOX_NAME = re.compile(r"@(?:nox\.)?session\([^)]{0,300}\bname[ \t]*=[ \t]*['\"]([^'\"]+)")
_GO_DEF = re.compile(r"^func[ \t]+([A-Z]\w*)", re.M)
# Every executable file below one of mise's own folders is a task.
_MISE_FOLDER = re.compile(r"(?:^|/)\.?mise(?:-tasks|/tasks)/")
_HOOK = re.compile(r"^[ \t-]*(?:id|alias):[ \t]*['\"]?([\w.-]+)", re.M)
_TOX_SECTION = re.compile(r"^\[testenv:([^\]]+)\]", re.M)
_TOX_LIST = re.compile(r"^env_?list[ \t]*=[ \t]*((?:.*\n)(?:[ \t]+\S.*\n)*)", re.M)
_GRADLE_TASK = re.compile(
    r"\btasks?\.(?:register|create|named)(?:<[^>]*>)?\([ \t]*['\"](\w+)"
    r"|\bval[ \t]+(\w+)[ \t]+by[ \t]+tasks\.(?:registering|creating)"
    r"|^[ \t]*task[ \t]+(\w+)|\btask\([ \t]*['\"](\w+)",
    re.M,
)

FILES = {
    "Makefile": "make",
    "makefile": "make",
    "GNUmakefile": "make",
    "justfile": "just",
    "Justfile": "just",
    ".justfile": "just",
    "Rakefile": "rake",
    "tasks.py": "invoke",
    "noxfile.py": "nox",
    "tox.ini": "tox",
    "magefile.go": "mage",
    "mise.toml": "mise",
    ".mise.toml": "mise",
    "package.json": "script",
    "composer.json": "script",
    "deno.json": "script",
    "deno.jsonc": "script",
    "build.gradle": "gradle",
    "build.gradle.kts": "gradle",
    "pyproject.toml": "python",
    ".pre-commit-config.yaml": "pre-commit",
    ".pre-commit-hooks.yaml": "pre-commit",
}
# Runners whose files tell all their targets, unless a file says that it is `open`.
READ_WHOLE = frozenset({"make", "just", "script", "pre-commit"})
# One of them has nothing but a list.
LISTED = frozenset({"pre-commit"})
ENDINGS = {".mk": "make", ".just": "just", ".rake": "rake"}


class Targets(msgspec.Struct):
    """The targets one file defines; `open` when it may define more than can be read, `patterns` for families."""

    runner: str
    names: set[str] = set()
    patterns: set[str] = set()
    open: bool = False


def runner_of(path: str) -> str | None:
    """Return the runner that reads the file, or None."""
    name = posixpath.basename(path)
    if name.lower().startswith("taskfile.") and name.endswith((".yml", ".yaml")):
        return "task"
    if name.lower().startswith("makefile."):
        return "make"
    if path.endswith(".cargo/config.toml"):
        return "cargo"
    if _MISE_FOLDER.search(path):
        return "mise"
    return FILES.get(name) or next((ENDINGS[end] for end in ENDINGS if name.endswith(end)), None)


def read(path: str, text: str) -> Targets:
    """Return the targets of one file."""
    runner = runner_of(path) or ""
    found = Targets(runner, set(), set())
    reader = {
        "make": _make,
        "just": _just,
        "task": _task,
        "rake": _rake,
        "nox": _python,
        "invoke": _python,
        "tox": _tox,
        "script": _script,
        "mise": _mise,
        "cargo": _cargo,
        "gradle": _gradle,
        "python": _pyproject,
        "pre-commit": _hooks,
    }.get(runner)
    if reader is not None:
        reader(found, path, text)
    elif runner == "mage":
        found.names.update(name[0].lower() + name[1:] for name in _GO_DEF.findall(text))
        found.names.update(_GO_DEF.findall(text))
    return found


def _make(found: Targets, path: str, text: str) -> None:
    text = text.replace("\\\n", " ")
    variables = dict(_MAKE_VARIABLE.findall(text))
    for words in [*_MAKE_RULE.findall(text), *_MAKE_PHONY.findall(text)]:
        for name in _expanded(words, variables).split():
            if "$" in name or name == "%":
                found.open = found.open or "/" not in name
            elif "%" in name:
                found.patterns.add(re.escape(name).replace("%", ".+"))
            else:
                found.names.add(name)
    included = _expanded(" ".join(_MAKE_INCLUDE.findall(text)), variables)
    if any(runner_of(each) != "make" for each in included.split()):
        found.open = True  # a file that is read under no name of its own
    # Rules made by macros, or in files that are made themselves, cannot be listed without running make.
    if re.search(r"\$\(eval|^define[ \t]+\S+[^\n]*\n[^\n]*:", text, re.M) or "$" in included:
        found.open = True


def _expanded(text: str, variables: dict[str, str]) -> str:
    for _ in range(3):
        text = re.sub(r"\$[({](\w+)[)}]", lambda match: variables.get(match[1], match.group()), text)
    return text


def _just(found: Targets, path: str, text: str) -> None:
    found.names.update(_JUST_RECIPE.findall(text))
    for alias, module in _JUST_NAMED.findall(text):
        found.names.add(alias or module)
        if module:
            found.patterns.add(re.escape(module) + "::.+")


def _task(found: Targets, path: str, text: str) -> None:
    for name in _keys_below(text, "tasks"):
        (found.patterns if "*" in name else found.names).add(
            re.escape(name).replace(r"\*", ".+") if "*" in name else name
        )
    found.patterns.update(re.escape(name) + ":.+" for name in _keys_below(text, "includes"))


def _keys_below(text: str, section: str) -> Iterator[str]:
    """Yield the keys of a mapping at the top of a YAML text, however deep it is indented."""
    inside, depth = False, -1
    for line in text.split("\n"):
        key = _YAML_KEY.match(line)
        if key is None:
            continue
        column = len(key[1].expandtabs())
        name = key[2] or key[3] or key[4]
        if column == 0:
            inside, depth = name == section, -1
        elif inside:
            depth = column if depth < 0 else depth
            if column == depth:
                yield name


def _rake(found: Targets, path: str, text: str) -> None:
    names = _RAKE_TASK.findall(text)
    spaces = _RAKE_NAMESPACE.findall(text)
    found.names.update(names)
    found.names.update(f"{space}:{name}" for space in spaces for name in names)
    found.names.update(_RAKE_MADE.findall(text))
    if "bundler/gem_tasks" in text:
        found.names.update(_GEM_TASKS)
    found.open = found.open or "load_tasks" in text or "import" in text


def _python(found: Targets, path: str, text: str) -> None:
    names = [*_PYTHON_DEF.findall(text), *_NOX_NAME.findall(text)]
    found.names.update(names)
    found.names.update(name.replace("_", "-") for name in names)
    found.open = "Collection" in text or "import tasks" in text


def _tox(found: Targets, path: str, text: str) -> None:
    listed = " ".join(_TOX_LIST.findall(text + "\n"))
    for name in [*_TOX_SECTION.findall(text), *re.split(r"[,\s]+", listed)]:
        found.names.update(part.strip() for part in name.split(",") if part.strip())
    found.open = "{" in listed or "{" in "".join(_TOX_SECTION.findall(text))
    found.patterns.add(r"py\d+.*|pypy.*")


def _script(found: Targets, path: str, text: str) -> None:
    data = _object(text)
    for key in ("scripts", "tasks"):
        if isinstance(data.get(key), dict):
            found.names.update(data[key])


def _mise(found: Targets, path: str, text: str) -> None:
    if not path.endswith(".toml"):
        found.names.add(_MISE_FOLDER.split(path)[-1].replace("/", ":").split(".")[0])
        return
    tasks = _table(text).get("tasks", {})
    found.names.update(tasks if isinstance(tasks, dict) else ())


def _cargo(found: Targets, path: str, text: str) -> None:
    alias = _table(text).get("alias", {})
    found.names.update(alias if isinstance(alias, dict) else ())


def _gradle(found: Targets, path: str, text: str) -> None:
    found.names.update(name for groups in _GRADLE_TASK.findall(text) for name in groups if name)
    found.open = True  # plugins bring tasks of their own


def _pyproject(found: Targets, path: str, text: str) -> None:
    data = _table(text)
    tool = data.get("tool", {})
    tool = tool if isinstance(tool, dict) else {}
    for table in (data.get("project", {}), *(tool.get(name, {}) for name in ("poetry", "pdm", "uv", "hatch", "poe"))):
        for key in ("scripts", "tasks"):
            scripts = table.get(key, {}) if isinstance(table, dict) else {}
            found.names.update(scripts if isinstance(scripts, dict) else ())


def _hooks(found: Targets, path: str, text: str) -> None:
    found.names.update(_HOOK.findall(text))


def _object(text: str) -> dict[str, Any]:
    try:
        data = json.loads(text)
    except (ValueError, RecursionError):
        return {}
    return data if isinstance(data, dict) else {}


def _table(text: str) -> dict[str, Any]:
    try:
        return tomllib.loads(text)
    except (tomllib.TOMLDecodeError, RecursionError):
        return {}


def defines(found: Iterable[Targets], name: str) -> bool:
    """Return whether one of the files defines the target where it can be read."""
    return any(name in each.names or any(re.fullmatch(p, name) for p in each.patterns) for each in found)


def knows(found: Iterable[Targets], name: str) -> bool:
    """Return whether one of the files defines the target, or may."""
    return any(each.open or defines([each], name) for each in found)
