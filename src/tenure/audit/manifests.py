"""What a project declares about itself: packages it depends on and targets it can run."""

from __future__ import annotations

import json
import posixpath
import re
import tomllib
from collections.abc import Iterable

from tenure.audit import targets
from tenure.audit.words import listed

_REQUIREMENT = re.compile(r"[ \t]*([A-Za-z0-9][\w.-]*)")
_GO_REQUIRE = re.compile(r"^[ \t]*(?:require[ \t]+)?([\w.-]+\.[\w-]+/[^\s]+)[ \t]+v", re.M)
_GEM = re.compile(r"^[ \t]*(?:gem|[\w.]*add\w*dependency)[ \t(]+['\"]([^'\"]+)['\"]", re.M)
_ARTIFACT = re.compile(r"<(?:artifactId|groupId)>[ \t]*([^<\s]+)")
_GRADLE = re.compile(r"['\"]([\w.-]+):([\w.-]+)(?::[^'\"]*)?['\"]")
_NUGET = re.compile(r"PackageReference[^>\n]*Include=\"([^\"]+)\"")
_WORD = re.compile(r"@?[A-Za-z][\w./-]*")

MANIFEST_NAMES = listed(
    """
    pyproject.toml setup.py setup.cfg Pipfile package.json go.mod Cargo.toml pom.xml build.gradle
    build.gradle.kts Gemfile composer.json deno.json deno.jsonc environment.yml environment.yaml mix.exs
    Package.swift pubspec.yaml libs.versions.toml BUILD BUILD.bazel MODULE.bazel WORKSPACE pnpm-workspace.yaml
    """
)
# Files of these runners declare no packages.
NO_PACKAGES = frozenset({"make", "just", "task", "rake", "invoke", "nox", "tox", "mage", "mise", "cargo", "pre-commit"})
DEPENDENCY_KEYS = listed(
    """
    dependencies devDependencies peerDependencies optionalDependencies dev-dependencies
    build-dependencies require require-dev packages dev-packages imports catalog
    """
)


def is_manifest(path: str) -> bool:
    """Return whether the file declares packages or targets."""
    name = posixpath.basename(path)
    if "node_modules/" in path:
        return False
    return (
        name in MANIFEST_NAMES
        or targets.runner_of(path) is not None
        or name.endswith((".gemspec", ".csproj"))
        or (name.endswith((".txt", ".in")) and ("requirements" in path or "constraints" in name))
    )


def normal(name: str) -> str:
    """Return the package name as it is compared: case and the choice of `-`, `_`, `.` do not matter."""
    return re.sub(r"[-_.]+", "-", name.lower())


class Manifests:
    """Packages and targets, gathered from one manifest after the other."""

    def __init__(self) -> None:
        self.packages: set[str] = set()
        # Runner -> what each of its files defines.
        self.targets: dict[str, list[targets.Targets]] = {}
        self.paths: list[str] = []
        # Runner -> the paths of these files, in the same order.
        self._places: dict[str, list[str]] = {}

    def has_package(self, name: str) -> bool:
        """Return whether any manifest names the package, or a module path that ends in it."""
        wanted = normal(name)
        return wanted in self.packages or any(each.endswith("/" + wanted) for each in self.packages)

    def has_target(self, runner: str, target: str) -> bool | None:
        """Return whether the runner's files define the target; None where not all can be read."""
        found = self.targets.get(runner, [])
        if targets.defines(found, target):
            return True
        return None if not found or any(each.open for each in found) else False

    def paths_of(self, runner: str) -> list[str]:
        """Return the runner's files, those nearest to the root first."""
        return sorted(self._places.get(runner, ()), key=lambda path: (path.count("/"), path))

    def root_paths(self, runner: str) -> list[str]:
        """Return the runner's files that lie at the root."""
        return [path for path in self._places.get(runner, ()) if "/" not in path]

    def of_root(self, runner: str) -> list[targets.Targets]:
        """Return what the runner's files at the root define."""
        placed = zip(self._places.get(runner, ()), self.targets.get(runner, ()), strict=True)
        return [found for path, found in placed if "/" not in path]

    def folders_with(self, runner: str, target: str) -> tuple[str, ...]:
        """Return the folders below the root whose files of the runner define the target by this name."""
        placed = zip(self._places.get(runner, ()), self.targets.get(runner, ()), strict=True)
        return tuple(posixpath.dirname(path) for path, found in placed if "/" in path and target in found.names)

    def has_name(self, target: str) -> bool:
        """Return whether any file of any runner defines the target by this name."""
        return any(target in each.names for found in self.targets.values() for each in found)

    def read(self, path: str, text: str) -> None:
        """Add what one manifest declares; a malformed one adds what can be seen in it."""
        name = posixpath.basename(path)
        self.paths.append(path)
        runner = targets.runner_of(path)
        if runner is not None:
            self.targets.setdefault(runner, []).append(targets.read(path, text))
            self._places.setdefault(runner, []).append(path)
        if runner in NO_PACKAGES:
            return
        if name.endswith(".toml"):
            self._toml(name, text)
        elif name.endswith((".json", ".jsonc")):
            self._json(name, text)
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
        own = data.get("package", data.get("project", {}))
        if isinstance(own, dict) and isinstance(own.get("name"), str):
            self._add_packages([own["name"]])
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
        if name == "package.json" and isinstance(data.get("name"), str):
            self._add_packages([data["name"]])

    def _add_packages(self, names: Iterable[str]) -> None:
        self.packages.update(normal(name) for name in names)


def role_in(path: str, text: str, name: str) -> str:
    """Return what the name is in this content of a manifest: target, package, or nothing."""
    found = Manifests()
    found.read(path, text)
    if found.has_name(name):
        return "target"
    return "package" if found.has_package(name) else ""
