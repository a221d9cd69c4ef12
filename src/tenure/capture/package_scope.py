"""Which package of a repository a stated rule is about, judged by the files the agent had touched.

Only a sentence that mentions a part ("in this package", "the web app") is limited to one, and only when the files
point to exactly one: a rule with too narrow a scope is not shown where it applies.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Sequence
from pathlib import PurePosixPath

from tenure.capture.session_builder import Session
from tenure.capture.transcripts import Call

# What makes a folder a package of its own.
MANIFESTS = (
    "package.json", "pyproject.toml", "setup.py", "Cargo.toml", "go.mod", "pom.xml", "build.gradle", "build.gradle.kts",
    "composer.json", "Gemfile", "mix.exs", "pubspec.yaml", "CMakeLists.txt",
)  # fmt: skip
PATH_KEYS = ("file_path", "path", "filePath", "absolute_path")
_PATCHED = re.compile(r"^\*\*\* (?:Update|Add|Delete) File: (.+)$", re.MULTILINE)
_THIS_PART = re.compile(
    r"\b(?:this|that) (?:package|module|service|app|crate|workspace|component|subproject|folder|directory|library)\b"
    r"|\b(?:dieses?|diesem) (?:paket|modul|dienst|ordner)\b|\best[ea] (?:paquete|módulo|servicio|carpeta)\b"
    r"|\b(?:n?este|n?esse) (?:pacote|módulo|serviço)\b|это[мт]?у? (?:пакет|модул|сервис)\w*|这个(?:包|模块|服务)"
    r"|この(?:パッケージ|モジュール|サービス)",
    re.IGNORECASE,
)
_SHORTEST_NAME = 3


def named(session: Session, quote: str, text: str, root: str) -> tuple[str, str]:
    """Return a rule that names the folder it is about, and that folder; the rule alone when it is about all."""
    if not root:
        return text, ""
    for folders in _touched(session, quote, root):
        if here := _THIS_PART.search(text):
            if len(folders) == 1:
                return f"{text[: here.end()]} ({folders[0]}){text[here.end() :]}", folders[0]
            continue
        called = [folder for folder in folders if _mentions(text, PurePosixPath(folder).name)]
        if len(called) == 1 and called[0] not in text:
            name = PurePosixPath(called[0]).name
            found = re.search(rf"\b{re.escape(name)}\b", text, re.IGNORECASE)
            assert found is not None
            return f"{text[: found.end()]} ({called[0]}){text[found.end() :]}", called[0]
    return text, ""


def _touched(session: Session, quote: str, root: str) -> Iterator[list[str]]:
    """Yield the packages touched just before the quote was typed, then those of the session until then."""
    place = next((n for n, turn in enumerate(session.turns) if turn.role == "user" and quote in turn.text), None)
    if place is None:
        return
    before = next((n for n in range(place - 1, -1, -1) if session.turns[n].role == "user"), 0)
    for start in (before, 0):
        calls = [call for turn in session.turns[start:place] for call in turn.calls]
        if found := _packages(calls, session.cwd or root, root):
            yield found


def _packages(calls: Sequence[Call], cwd: str, root: str) -> list[str]:
    found: dict[str, None] = {}
    for path in (path for call in calls for path in _paths(call)):
        whole = os.path.normpath(os.path.join(cwd, path))
        relative = os.path.relpath(whole, root).replace(os.sep, "/")
        for folder in PurePosixPath(relative).parents if not relative.startswith("..") else ():
            if str(folder) != "." and any(os.path.exists(os.path.join(root, folder, name)) for name in MANIFESTS):
                found[str(folder)] = None
                break
    return list(found)


def _paths(call: Call) -> Iterator[str]:
    for key in PATH_KEYS:
        if isinstance(path := call.input.get(key), str) and path:
            yield path
    for value in call.input.values():
        if isinstance(value, str) and value.lstrip().startswith("*** Begin Patch"):
            yield from (path.strip() for path in _PATCHED.findall(value))


def _mentions(text: str, name: str) -> bool:
    return len(name) >= _SHORTEST_NAME and bool(re.search(rf"\b{re.escape(name)}\b", text, re.IGNORECASE))
