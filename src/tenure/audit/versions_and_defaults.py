"""Versions and defaults that a page tells and a manifest or a signature states.

Only a plain contradiction is told: a minimum below the manifest's own, another major version of a dependency, its
second number where the page once had that right, a default that the code gives once and differently.
"""

from __future__ import annotations

import json
import posixpath
import re
import tomllib
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator
from functools import cached_property

from tenure.audit import words
from tenure.audit.claim import Claim
from tenure.audit.details import is_telling
from tenure.audit.findings import Finding
from tenure.audit.project import Project
from tenure.audit.removed_names import is_prose
from tenure.files.git import Objects

MAX_BYTES = 1024 * 1024
# So many manifests are read at so many of the times when a page was written.
MAX_LOOKED_AT = 6
# So many files that say a function's name and its parameter's are read for its signature, so far.
MAX_DEFINING = 20
MAX_SIGNATURE = 2000
CONFIDENCE = 0.85
_NUMBER = re.compile(r"\d+(?:\.\d+)*")
_LITERAL = re.compile(r"-?\d[\d_]*(?:\.\d+)?|[Tt]rue|[Ff]alse|None|null|\"[^\"\n]{0,60}\"|'[^'\n]{0,60}'")

_GEM = re.compile(
    r"^[ \t]*(?:gem|[\w.]*add\w*dependency)[ \t(]+['\"]([\w.-]+)['\"][ \t]*,[ \t]*['\"]([^'\"]+)['\"]", re.M
)

_USES_IMAGES = re.compile(
    r"(?:^|/)(?:[\w.-]*Dockerfile[\w.-]*|Containerfile|[\w.-]*compose[\w.-]*\.ya?ml|\.gitlab-ci\.yml)$"
    r"|^\.github/workflows/[\w.-]+\.ya?ml$"
)
_IMAGE = re.compile(
    r"^[ \t]*(?:FROM[ \t]+(?:--platform=\S+[ \t]+)?|-?[ \t]*(?:image|container):[ \t]*['\"]?)"
    r"([\w./-]+):([\w.-]+)",
    re.M,
)

Version = tuple[int, ...]


class ProjectNumbers:
    """What the project states about itself in numbers."""

    def __init__(self, project: Project) -> None:
        self.project = project
        # What is stated -> the manifests that do.
        self._stating: dict[str, list[str]] = defaultdict(list)
        self._objects = Objects(project.git)

    def close(self) -> None:
        """End the process that reads old manifests."""
        self._objects.__exit__()

    def version(self, claim: Claim, page: str) -> Finding:
        """Check a version against every manifest that states one; sure is one that was right when the page told it."""
        product, _, number = claim.within.rpartition(" ")
        if product.startswith("image:"):
            return self._image(claim, product.removeprefix("image:"), number)
        wanted = _version(number.rstrip("+"))
        least = number.endswith("+")
        what = product if product.startswith("package:") else words.VERSIONED[product]
        stated = self._versions.get(what, set())
        if not stated or not wanted:
            return Finding(claim, "unchecked", why="no manifest states a version")
        library = what.startswith("package:") or product in words.SDK_LEVELS
        pinned = product.startswith("package:")  # as in a manifest, where the second number counts too

        def is_same(each: Version) -> bool:
            return wanted[:2] == each[: len(wanted[:2])]

        def agrees(each: Version) -> bool:
            return is_same(each) if pinned else not _contradicts(wanted, each, least, library)

        if any(map(agrees, stated)):
            exact = library and not least and len(wanted) > 1 and len(stated) == 1
            if not exact or any(map(is_same, stated)) or not self._once(what, page, is_same):
                return Finding(claim, "ok")
            agrees = is_same
        if len(stated) > 1:
            return Finding(claim, "missing", False, why=f"manifests say {_told(stated)}")
        # Go refuses to build below the one version of go.mod; other pages may mean another thing by a number.
        proven = what == "go" or self._once(what, page, agrees)
        meant = claim.mood.plain and not claim.mood.elsewhere and proven
        (only,) = stated
        new = ".".join(map(str, only[: max(len(wanted), 1)]))
        text = claim.text[::-1].replace(number.rstrip("+")[::-1], new[::-1], 1)[::-1]
        return Finding(claim, "moved", False, text, CONFIDENCE, why=f"the manifest says {_told(stated)}", sure=meant)

    def _once(self, what: str, page: str, agrees: Callable[[Version], bool]) -> bool:
        """Return whether a manifest agreed with the page at one of the times when the page was written."""
        return any(
            agrees(version)
            for commit in self._written(page)
            for path in self._stating[what][:MAX_LOOKED_AT]
            for told, version in _numbers(path, self._objects.read(f"{commit}:./{path}").decode("utf-8", "replace"))
            if told == what
        )

    def _written(self, page: str) -> set[str]:
        """Return some of the commits in which the page was written."""
        if not self.project.has_git or page not in self.project.files:
            return set()
        commits = (self.project.git.text("log", "--format=%H", "HEAD", "--", page) or "").split()
        last = len(commits) - 1
        return {commits[number * last // MAX_LOOKED_AT] for number in range(MAX_LOOKED_AT + 1)} if commits else set()

    def _image(self, claim: Claim, image: str, tag: str) -> Finding:
        """Check an image's tag against the files that build on it or start it."""
        tags = self._tags.get(image, set())
        # A shorter number names the same image: 1.25 for 1.25.8, 16.2 for 16.
        if not tags or any(_agree(_version(tag), _version(each)) for each in tags):
            return Finding(claim, "ok" if tags else "unchecked", why="" if tags else "no file names that image")
        sure = claim.mood.plain and not claim.mood.elsewhere and not claim.mood.example
        why = f"the project uses {', '.join(sorted(tags)[:3])}"
        if len(tags) > 1:
            return Finding(claim, "missing", False, why=why)
        return Finding(claim, "moved", False, f"{image}:{next(iter(tags))}", CONFIDENCE, why=why, sure=sure)

    @cached_property
    def _tags(self) -> dict[str, set[str]]:
        """Return the tags of every image that a Dockerfile, a compose file or a workflow names."""
        found: dict[str, set[str]] = defaultdict(set)
        for path in sorted(self.project.files):
            if _USES_IMAGES.search(path) and "node_modules/" not in path:
                for image, tag in _IMAGE.findall(self.project.read_text(path, MAX_BYTES)):
                    found[image].add(tag)
        return found

    def default(self, claim: Claim, page: str) -> Finding:
        """Check a default against the signatures and settings that give one; sure when one gave the page's once."""
        name, *functions = claim.within.split(" ")
        value = claim.text.partition("=")[2]
        function, found = self._stated_default(name, functions)
        if len(found) != 1 or found.keys() <= {"none", "null"}:  # nothing stands for what is decided elsewhere
            return Finding(claim, "unchecked", why="the code gives no default, or several")
        ((only, paths),) = found.items()
        if _bare(only) == _bare(value) or not _LITERAL.fullmatch(value):
            return Finding(claim, "ok" if _bare(only) == _bare(value) else "unchecked")
        # One place that gives a default need not be the one that the page means, unless it agreed when that was said.
        meant = claim.mood.plain and not (claim.mood.elsewhere or claim.tentative or claim.excused)
        sure = meant and any(
            _bare(value) in _given(name, self._objects.read(f"{commit}:./{path}").decode("utf-8", "replace"), function)
            for commit in self._written(page)
            for path in paths[:MAX_LOOKED_AT]
        )
        new = f"{claim.text.partition('=')[0]}={only}"
        return Finding(claim, "moved", False, new, CONFIDENCE, why=f"the code says {only}", sure=sure)

    def _stated_default(self, name: str, functions: list[str]) -> tuple[str, dict[str, list[str]]]:
        """Return the default's values, each with the files that give it, and the function whose signature does."""
        if not self.project.has_git or not re.fullmatch(r"\w+", name):
            return "", {}
        for function in functions:
            both = ("--all-match", "-e", function, "-e", name)
            said = self.project.git.paths("grep", "-z", "-l", "-I", "-w", "-F", *both, "HEAD", "--")
            paths = [path.removeprefix("HEAD:") for path in said if _is_code(path)]
            texts = ((path, self.project.read_text(path, MAX_BYTES)) for path in paths[:MAX_DEFINING])
            found = _by_value((path, _given(name, text, function)) for path, text in texts)
            if found:
                return function, found
        if not is_telling(name):
            return "", {}
        stream = self.project.git.stream("grep", "-z", "-I", "-w", "-F", "-e", name, "HEAD", "--", separator=b"\n")
        lines = (line.decode("utf-8", errors="replace")[:500].partition("\0") for line in stream)
        code = ((path.removeprefix("HEAD:"), _given(name, said)) for path, _, said in lines if _is_code(path))
        return "", _by_value(code)

    @cached_property
    def _versions(self) -> dict[str, set[Version]]:
        """Return what manifests state: a language, or `package:name`, and the least versions."""
        found: dict[str, set[Version]] = defaultdict(set)
        for path in sorted(self.project.files):
            name = posixpath.basename(path)
            states = name in STATING or name.startswith("rust-toolchain") or name.endswith(".gemspec")
            if "node_modules/" in path or not states:
                continue
            for what, version in _numbers(path, self.project.read_text(path, MAX_BYTES)):
                found[what].add(version)
                self._stating[what].append(path)
        return found


def _is_code(path: str) -> bool:
    return not is_prose(path) and "test" not in path.lower()


def _by_value(found: Iterable[tuple[str, set[str]]]) -> dict[str, list[str]]:
    """Return value -> the files that give it."""
    result: dict[str, list[str]] = {}
    for path, values in found:
        for value in values:
            result.setdefault(value, []).append(path)
    return result


def _given(name: str, text: str, function: str = "") -> set[str]:
    """Return the defaults that code gives a name, in the function's signature alone where one is named."""
    if function:
        text = "\n".join(_signatures(text, function))
    value = _LITERAL.pattern
    signature = rf"(?<![\w.]){name}\??(?:[ \t]*:[^=,;(){{}}\n]{{1,60}})?[ \t]*=[ \t]*({value})[ \t]*(?:[,;)#]|//|$)"
    looked_up = rf"[\"']{name}[\"'][ \t]*,[ \t]*({value})|(?<!\w){name}[ \t]*(?:\|\||\?\?|:-)[ \t]*({value})"
    found = re.findall(f"{signature}|{looked_up}", text, re.M)
    return {_bare(each) for groups in found for each in groups if each}


def _signatures(text: str, function: str) -> Iterator[str]:
    """Yield the parameters, in their brackets, of every function of that name which the text defines."""
    defined = (
        rf"(?:\b(?:def|function|func|fn|fun)[ \t]+(?:\([^()\n]*\)[ \t]*)?{function}[ \t]*"
        rf"|\b(?:const|let|var)[ \t]+{function}[ \t]*=[ \t]*(?:async[ \t]*)?)(?=\()"
    )
    for match in re.finditer(defined, text):
        depth = 0
        for at, letter in enumerate(text[match.end() : match.end() + MAX_SIGNATURE]):
            depth += (letter == "(") - (letter == ")")
            if depth == 0:
                yield text[match.end() : match.end() + at + 1]
                break


STATING = words.listed(
    """
    go.mod package.json pyproject.toml Cargo.toml .nvmrc .node-version .python-version .ruby-version Gemfile pom.xml
    build.gradle build.gradle.kts .tool-versions composer.json
    """
)


def _numbers(path: str, text: str) -> Iterator[tuple[str, Version]]:
    """Yield what one manifest states a least version of, and that version."""
    for what, said in _stated(posixpath.basename(path), text):
        number = _NUMBER.search(said)
        if number and "<" not in said.split(number.group())[0]:
            yield what.lower(), _version(number.group())


def _stated(name: str, text: str) -> list[tuple[str, str]]:
    """Return (what, version) pairs of one manifest."""
    if name in ("package.json", "composer.json"):
        return _of_json(text)
    if name in ("pyproject.toml", "Cargo.toml") or name.startswith("rust-toolchain"):
        return _of_toml(name, text)
    if name == ".tool-versions":
        languages = {"nodejs": "node", "golang": "go"}
        rows = [line.split()[:2] for line in text.split("\n") if len(line.split()) > 1]
        return [(languages.get(row[0], row[0]), row[1]) for row in rows]
    plain = {".nvmrc": "node", ".node-version": "node", ".python-version": "python", ".ruby-version": "ruby"}
    if name in plain:
        return [(plain[name], text.strip().split("\n")[0])]
    if name == "Gemfile" or name.endswith(".gemspec"):
        gems = [(f"package:{gem}", version) for gem, version in _GEM.findall(text)]
        return [("ruby", match) for match in re.findall(r"^ruby[ \t]+['\"]([^'\"]+)", text, re.M)] + gems
    patterns = {
        "go.mod": [("go", r"^go[ \t]+(\S+)")],
        "pom.xml": [("java", r"<(?:java\.version|maven\.compiler\.(?:release|source))>([\d.]+)<")],
    }.get(name, GRADLE)
    return [(what, match) for what, pattern in patterns for match in re.findall(pattern, text, re.M)]


def _of_json(text: str) -> list[tuple[str, str]]:
    try:
        data = json.loads(text)
    except (ValueError, RecursionError):
        return []
    if not isinstance(data, dict):
        return []
    found = []
    for table, languages in (("engines", {"node": "node"}), ("volta", {"node": "node"}), ("require", {"php": "php"})):
        stated = data.get(table)
        if isinstance(stated, dict):
            found += [(languages[key], str(value)) for key, value in stated.items() if key in languages]
    for table in ("dependencies", "devDependencies", "peerDependencies", "optionalDependencies"):
        stated = data.get(table)
        if isinstance(stated, dict):
            found += [(f"package:{key}", str(value)) for key, value in stated.items() if isinstance(value, str)]
    return found


def _of_toml(name: str, text: str) -> list[tuple[str, str]]:
    try:
        data = tomllib.loads(text)
    except (tomllib.TOMLDecodeError, RecursionError):
        return [("rust", text.strip())] if name == "rust-toolchain" else []
    found = []
    for keys, what in TOML_KEYS:
        value: object = data
        for key in keys:
            value = value.get(key) if isinstance(value, dict) else None
        if isinstance(value, str):
            found.append((what, value))
    project = data.get("project", {})
    listed = project.get("dependencies", []) if isinstance(project, dict) else []
    for each in listed if isinstance(listed, list) else []:
        match = re.match(r"([\w.-]+)(?:\[[^\]]*\])?[ \t]*(?:==|>=|~=)[ \t]*([\d.]+)", str(each))
        if match:
            found.append((f"package:{match[1].lower()}", match[2]))
    for table in (data, data.get("workspace", {})) if name == "Cargo.toml" else ():
        crates = table.get("dependencies", {}) if isinstance(table, dict) else {}
        for crate, value in crates.items() if isinstance(crates, dict) else ():
            version = value.get("version") if isinstance(value, dict) else value
            if isinstance(version, str):
                found.append((f"package:{crate}", version))
    return found


GRADLE = [
    ("java", r"(?:JavaVersion\.VERSION_|JavaLanguageVersion\.of\(|jvmToolchain\()(\d+)"),
    *(
        (level.lower(), rf"^[ \t]*{level}(?:Version)?[ \t]*[=(]?[ \t]*(\d+)")
        for level in ("targetSdk", "minSdk", "compileSdk")
    ),
]
TOML_KEYS = (
    (("project", "requires-python"), "python"),
    (("tool", "poetry", "dependencies", "python"), "python"),
    (("package", "rust-version"), "rust"),
    (("workspace", "package", "rust-version"), "rust"),
    (("toolchain", "channel"), "rust"),
)


def _contradicts(said: Version, stated: Version, least: bool, library: bool) -> bool:
    """Return whether a version that a page tells cannot be right where a manifest states another."""
    width = min(len(said), len(stated))
    if library:
        return said[0] > stated[0] if least else said[0] != stated[0]  # 13+ is true of 15
    return said[:width] < stated[:width]


def _agree(one: Version, other: Version) -> bool:
    width = min(len(one), len(other))
    return one[:width] == other[:width]


def _version(text: str) -> Version:
    number = _NUMBER.search(text)
    return tuple(map(int, number.group().split("."))) if number else ()


def _told(stated: set[Version]) -> str:
    return ", ".join(".".join(map(str, each)) for each in sorted(stated))


def _bare(value: str) -> str:
    return value.strip("\"'`").replace("_", "" if value[:1].isdigit() else "_").lower()
