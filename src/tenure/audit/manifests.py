"""What a project declares about itself: packages it depends on and targets it can run."""

from __future__ import annotations

import json
import posixpath
import re
import tomllib
from collections.abc import Iterable
from typing import Any

from tenure.audit.words import listed

_REQUIREMENT = re.compile(r"[ \t]*([A-Za-z0-9][\w.-]*)")
_MAKE_TARGET = re.compile(r"^([A-Za-z0-9_%][\w ./%:-]*?)[ \t]*::?(?![=:])", re.M)
# A recipe's parameters may have defaults: quoted, in backticks, or a word.
_JUST_DEFAULT = r"[ \t]*=[ \t]*(?:\"[^\"\n]*\"|'[^'\n]*'|`[^`\n]*`|\([^()\n]*\)|[^\s:]+)"
_JUST_RECIPE = re.compile(
    rf"^@?([A-Za-z_][\w-]*)(?:[ \t]+[$*+]*[A-Za-z_][\w-]*(?:{_JUST_DEFAULT})?)*[ \t]*:(?!=)", re.M
)
_JUST_ALIAS = re.compile(r"^alias[ \t]+([\w-]+)[ \t]*:=", re.M)
_YAML_TASK = re.compile(r"^  ['\"]?([\w:.-]+)['\"]?:", re.M)
_RAKE_TASK = re.compile(r"^[ \t]*task[ \t(]+:?['\"]?([\w:]+)", re.M)
_PYTHON_DEF = re.compile(r"^def[ \t]+(\w+)", re.M)
_TOX_ENVIRONMENT = re.compile(r"^\[testenv:([^\]]+)\]", re.M)
_GO_REQUIRE = re.compile(r"^[ \t]*(?:require[ \t]+)?([\w.-]+\.[\w-]+/[^\s]+)[ \t]+v", re.M)
_GEM = re.compile(r"^[ \t]*(?:gem|[\w.]*add\w*dependency)[ \t(]+['\"]([^'\"]+)['\"]", re.M)
_ARTIFACT = re.compile(r"<(?:artifactId|groupId)>[ \t]*([^<\s]+)")
_GRADLE = re.compile(r"['\"]([\w.-]+):([\w.-]+)(?::[^'\"]*)?['\"]")
_NUGET = re.compile(r"PackageReference[^>\n]*Include=\"([^\"]+)\"")
_WORD = re.compile(r"@?[A-Za-z][\w./-]*")

MANIFEST_NAMES = listed(
    """
    pyproject.toml setup.py setup.cfg Pipfile package.json go.mod Cargo.toml pom.xml build.gradle
    build.gradle.kts Gemfile composer.json deno.json deno.jsonc Makefile makefile GNUmakefile justfile
    Justfile .justfile Taskfile.yml Taskfile.yaml Rakefile tasks.py noxfile.py tox.ini environment.yml
    environment.yaml mix.exs Package.swift pubspec.yaml libs.versions.toml magefile.go
    """
)
DEPENDENCY_KEYS = listed(
    """
    dependencies devDependencies peerDependencies optionalDependencies dev-dependencies
    build-dependencies require require-dev packages dev-packages imports
    """
)


def is_manifest(path: str) -> bool:
    """Return whether the file declares packages or targets."""
    name = posixpath.basename(path)
    if "node_modules/" in path:
        return False
    return (
        name in MANIFEST_NAMES
        or name.endswith((".mk", ".gemspec", ".csproj"))
        or (name.endswith((".txt", ".in")) and ("requirements" in path or "constraints" in name))
    )


def normal(name: str) -> str:
    """Return the package name as it is compared: case and the choice of `-`, `_`, `.` do not matter."""
    return re.sub(r"[-_.]+", "-", name.lower())


class Manifests:
    """Packages and targets, gathered from one manifest after the other."""

    def __init__(self) -> None:
        self.packages: set[str] = set()
        self.targets: dict[str, set[str]] = {}
        self.paths: list[str] = []
        self.catch_all: set[str] = set()

    def has_package(self, name: str) -> bool:
        """Return whether any manifest names the package, or a module path that ends in it."""
        wanted = normal(name)
        return wanted in self.packages or any(each.endswith("/" + wanted) for each in self.packages)

    def has_target(self, runner: str, target: str) -> bool | None:
        """Return whether the runner knows the target; None when no manifest of that runner was found."""
        if runner not in self.targets:
            return None
        return target in self.targets[runner] or runner in self.catch_all

    def read(self, path: str, text: str) -> None:
        """Add what one manifest declares; a malformed one adds what can be seen in it."""
        name = posixpath.basename(path)
        self.paths.append(path)
        if name.endswith(".toml"):
            self._toml(name, text)
        elif name.endswith((".json", ".jsonc")):
            self._json(name, text)
        elif name in ("Makefile", "makefile", "GNUmakefile") or name.endswith(".mk"):
            self._make(text)
        elif name.lower().lstrip(".") == "justfile":
            self._add_targets("just", _JUST_RECIPE.findall(text) + _JUST_ALIAS.findall(text))
        elif name.startswith("Taskfile."):
            self._add_targets("task", _YAML_TASK.findall(text.partition("tasks:")[2]))
        elif name == "Rakefile":
            self._add_targets("rake", [each for found in _RAKE_TASK.findall(text) for each in (found,)])
        elif name in ("tasks.py", "noxfile.py"):
            names = _PYTHON_DEF.findall(text)
            runner = "nox" if name == "noxfile.py" else "invoke"
            self._add_targets(runner, names + [each.replace("_", "-") for each in names])
        elif name == "tox.ini":
            self._add_targets("tox", [part for each in _TOX_ENVIRONMENT.findall(text) for part in each.split(",")])
            self.catch_all.add("tox")  # factors combine freely
        else:
            self._packages_of(name, text)

    def _packages_of(self, name: str, text: str) -> None:
        if name == "go.mod":
            self._add_packages(re.sub(r"/v\d+$", "", each) for each in _GO_REQUIRE.findall(text))
        elif name == "Gemfile" or name.endswith(".gemspec"):
            self._add_packages(_GEM.findall(text))
        elif name == "pom.xml":
            self._add_packages(_ARTIFACT.findall(text))
        elif name.startswith("build.gradle"):
            self._add_packages(part for pair in _GRADLE.findall(text) for part in pair)
        elif name.endswith(".csproj"):
            self._add_packages(_NUGET.findall(text))
        elif name.endswith((".txt", ".in")):
            lines = (line for line in text.split("\n") if not line.lstrip().startswith(("#", "-")))
            self._add_packages(match[1] for line in lines if (match := _REQUIREMENT.match(line)))
        else:
            bare = "\n".join(line.split("#")[0] for line in text.split("\n"))
            self._add_packages(_WORD.findall(bare))

    def _toml(self, name: str, text: str) -> None:
        try:
            data = tomllib.loads(text)
        except (tomllib.TOMLDecodeError, RecursionError):
            self._add_packages(_WORD.findall(text))
            return
        self._tables(data)
        if name == "pyproject.toml":
            self._python_targets(data)
        if name == "libs.versions.toml":
            self._add_packages(_WORD.findall(text))

    def _tables(self, data: object, depth: int = 0) -> None:
        """Collect the names in every table or list that is called like dependencies, at any depth."""
        if not isinstance(data, dict) or depth > 8:
            return
        for key, value in data.items():
            if key in (*DEPENDENCY_KEYS, "requires", "optional-dependencies", "dependency-groups", "dev"):
                self._names(value)
            self._tables(value, depth + 1)

    def _names(self, value: object) -> None:
        if isinstance(value, str):
            match = _REQUIREMENT.match(value)
            if match:
                self._add_packages([match[1]])
        elif isinstance(value, list):
            for each in value:
                self._names(each)
        elif isinstance(value, dict):
            for key, each in value.items():
                if isinstance(each, list):
                    self._names(each)
                self._add_packages([key])
                if isinstance(each, dict) and isinstance(each.get("package"), str):
                    self._add_packages([each["package"]])

    def _python_targets(self, data: dict[str, Any]) -> None:
        tool = data.get("tool", {})
        for table in (
            data.get("project", {}),
            tool.get("poetry", {}),
            tool.get("pdm", {}),
            tool.get("uv", {}),
        ):
            scripts = table.get("scripts", {}) if isinstance(table, dict) else {}
            self._add_targets("python", scripts if isinstance(scripts, dict) else ())

    def _json(self, name: str, text: str) -> None:
        try:
            data = json.loads(text)
        except (ValueError, RecursionError):
            return
        if not isinstance(data, dict):
            return
        for key in DEPENDENCY_KEYS:
            value = data.get(key)
            if isinstance(value, dict):
                self._add_packages(value)
        for key in ("scripts", "tasks"):
            scripts = data.get(key)
            if isinstance(scripts, dict):
                self._add_targets("script", scripts)
        if name == "package.json":
            self.targets.setdefault("script", set())
            if isinstance(data.get("name"), str):
                self._add_packages([data["name"]])

    def _make(self, text: str) -> None:
        for names in _MAKE_TARGET.findall(text):
            self._add_targets("make", names.split())
            if "%" in names.split():
                self.catch_all.add("make")
        if re.search(r"\$\(eval|\$\(call|^define[ \t]|^-?include[ \t]+\S*\$", text, re.M):
            self.catch_all.add("make")  # targets made by macros cannot be listed without running make
        self.targets.setdefault("make", set())

    def _add_packages(self, names: Iterable[str]) -> None:
        self.packages.update(normal(name) for name in names)

    def _add_targets(self, runner: str, names: Iterable[str]) -> None:
        self.targets.setdefault(runner, set()).update(names)
