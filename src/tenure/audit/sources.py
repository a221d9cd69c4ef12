"""What an agent reads in this project: instruction files, memory folders, the other dialects' records.

Nothing is followed out of the project but the client's own memory folder for it. A file that cannot be read
is a source with a problem, never an exception.
"""

from __future__ import annotations

import json
import os
import posixpath
import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from pathlib import Path

import msgspec

from tenure.audit import documentation, loaded_at_start
from tenure.audit.findings import Source
from tenure.audit.project import Project
from tenure.audit.staleness import INSTRUCTIONS
from tenure.audit.words import listed
from tenure.files import ARCHEFLOW, GEAS, durable, project_root
from tenure.model.errors import TenureError
from tenure.systems.claude_code import frontmatter, index, layout, project_folder

MAX_BYTES = 4 * 1024 * 1024  # the client skips instruction files above this
MAX_HOPS = 4
INSTRUCTION_NAMES = listed(
    """
    CLAUDE.md CLAUDE.local.md AGENTS.md AGENTS.override.md GEMINI.md QWEN.md .cursorrules .windsurfrules .goosehints
    """
)
INSTRUCTION_PATHS = re.compile(
    r"(?:.*/)?(?:\.claude/rules/.*\.md|\.cursor/rules/.*\.mdc?|\.github/copilot-instructions\.md"
    r"|\.github/instructions/.*\.instructions\.md|\.windsurf/rules/.*\.md|\.clinerules/.*\.md"
    r"|\.(?:kilocode|roo|continue|augment|trae|amazonq)/rules/.*\.md|\.kiro/steering/.*\.md|\.junie/guidelines\.md"
    r"|\.claude/claude\.md)"
)
# What lies below these was written for another project or another time: dependencies, data of tests, what was put away.
OTHERS_FOLDERS = listed(
    "vendor node_modules third_party third-party site-packages fixtures __fixtures__ testdata archive archived archives"
)
# Skills are mostly taken from elsewhere, and their samples show any project's code.
_SKILL = re.compile(r"(?:^|/)\.(?:agents|claude|codex|cursor|github)/skills/")
# Records of the other dialects: path pattern, dialect, fields that name the kind.
RECORDS = (
    (re.compile(r"\.claude/memory/[a-z-]+/[^/]+\.json"), "claude-memory", "category"),
    (
        re.compile(r"\.geas/memory/(?:entries|candidates)/(?!.*-review\.json)[^/]+\.json"),
        "geas",
        "memory_type",
    ),
    (re.compile(r"\.archeflow/(?:.*/)?lessons\.jsonl"), "archeflow", "type"),
)
ID_FIELDS = ("memory_id", "id", "slug", "artifact_id")
_IMPORT = re.compile(r"(?<![\w`@/])@((?:\.{1,2}/|~/)?[\w./-]{1,300})")


def find(project: Project, environment: Mapping[str, str], home: Path, *, docs: bool = False) -> list[Source]:
    """Return every source of the project, in the order a person would look for them.

    With `docs`, the README, CONTRIBUTING and the pages that instruction files name are sources too.
    """
    found = list(_instructions(project))
    found += _documentation(project, found) if docs else []
    for folder, label in _memory_folders(project, environment, home):
        found += of_folder(folder, label, project)
    found += _records(project)
    return found


def of_folder(folder: Path, label: str, project: Project) -> list[Source]:
    """Return the memories of one folder; MEMORY.md only when it stands alone."""
    names = _names(folder)
    beside = _beside(folder, project)
    sources = [_memory(folder / name, f"{label}{name}", name, beside) for name in layout.memory_files(names)]
    if sources or index.NAME not in names:
        return sources
    source = _memory(folder / index.NAME, f"{label}{index.NAME}", index.NAME, beside)
    empty = not layout.standalone_text(source.text.encode("utf-8", errors="replace")).strip()
    return [] if empty and not source.problems else [source]


def _memory(path: Path, label: str, name: str, beside: str) -> Source:
    try:
        data = durable.read_bytes(path, limit=MAX_BYTES)
    except (OSError, TenureError) as error:
        return Source(label, name, "unknown", "claude-code", path, "", problems=(_reason(error),), editable=False)
    document = frontmatter.parse(data)
    text = "" if document.malformed and b"\0" in data else data.decode("utf-8", errors="replace")
    start = len(text) - len(document.body) if document.has_header else 0
    body = text[start:]
    return Source(
        label,
        name,
        document.kind,
        "claude-code",
        path,
        body,
        start=start,
        line=1 + text.count("\n", 0, start),
        beside=beside,
        modified=document.fields.get("modified", ""),
        loaded=name == index.NAME,
        editable=not document.malformed,
        problems=document.problems,
    )


def _instructions(project: Project) -> Iterator[Source]:
    listed = [path for path in project.files if _is_instruction(path)]
    # Often ignored by git, and read by the client all the same.
    listed += [name for name in INSTRUCTION_NAMES if name not in project.files and (project.root / name).is_file()]
    pending = [(path, 0, frozenset[str]()) for path in sorted(listed, key=lambda path: (path.count("/"), path))]
    # What a link leads to is read in its own name first, by whoever reads the link.
    linked = [
        (target, 0, loaded_at_start.loaded_by(path, "")) for path, _, _ in pending if (target := _target(project, path))
    ]
    found: dict[str, Source] = {}
    texts: dict[str, str] = {}
    order = [*pending, *linked]
    while order:
        path, hops, agents = order.pop(0)
        if path in found:
            known = found[path]
            found[path] = msgspec.structs.replace(known, agents=known.agents | agents)
            continue
        source = _instruction(project, path, agents)
        if not source.copy_of and source.text.strip():
            first = texts.setdefault(source.text, path)
            source = source if first == path else msgspec.structs.replace(source, copy_of=first)
        found[path] = source
        if hops < MAX_HOPS and posixpath.basename(path).upper().startswith(("CLAUDE", "GEMINI", "AGENTS")):
            order += [(target, hops + 1, _importers(source)) for target in _imports(source, project)]
    yield from found.values()


def _documentation(project: Project, instructions: Sequence[Source]) -> Iterator[Source]:
    """Yield the README, the pages that instruction files send an agent to, and those that these name."""
    read, pages = {source.path for source in instructions}, list(instructions)
    left = documentation.MOST_PAGES
    for _ in range(documentation.MOST_STEPS):
        found = not_read(project, pages, read)
        if len(found) > left:
            more = len(found) - left
            project.notices.append(f"{more:,} more pages are left out: the first {documentation.MOST_PAGES} are read")
        pages = [msgspec.structs.replace(_instruction(project, path, frozenset()), docs=True) for path in found[:left]]
        yield from pages
        read.update(found)
        left -= len(pages)


def not_read(project: Project, pages: Iterable[Source], read: Collection[str]) -> list[str]:
    """Return the project's documentation that some pages name and that is not read."""
    texts = [(page.text, page.beside) for page in pages if page.dialect == INSTRUCTIONS and not page.copy_of]
    return [
        path
        for path in documentation.unread(texts, read, project.files)
        if OTHERS_FOLDERS.isdisjoint(path.split("/")[:-1]) and _is_ours(project.root, path)
    ]


def _importers(source: Source) -> frozenset[str]:
    """Return the agents that load what the page imports: those that follow imports and load the page."""
    return source.agents & {loaded_at_start.CLAUDE, loaded_at_start.GEMINI}


def _target(project: Project, path: str) -> str:
    """Return the file inside the project that the path is a link to, or nothing."""
    full = project.root / path
    if not full.is_symlink():
        return ""
    root = os.path.realpath(project.root)
    real = os.path.realpath(full)
    inside = real.startswith(root + os.sep) and os.path.isfile(real)
    relative = os.path.relpath(real, root).replace(os.sep, "/")
    return relative if inside and not relative.startswith(".git/") else ""


def _is_instruction(path: str) -> bool:
    if not OTHERS_FOLDERS.isdisjoint(path.split("/")[:-1]) or _SKILL.search(path):
        return False
    return posixpath.basename(path) in INSTRUCTION_NAMES or bool(INSTRUCTION_PATHS.fullmatch(path))


def _instruction(project: Project, path: str, agents: frozenset[str]) -> Source:
    target = _target(project, path)
    full = project.root / (target or path)
    problems: tuple[str, ...] = ()
    data = b""
    try:
        data = durable.read_bytes(full, limit=MAX_BYTES)
        if b"\0" in data:
            data, problems = b"", ("this is a binary file, not text",)
    except (OSError, TenureError) as error:
        problems = (_reason(error),)
    text = data.decode("utf-8", errors="replace")
    editable = not problems and "\ufffd" not in text
    return Source(
        path,
        path,
        INSTRUCTIONS,
        INSTRUCTIONS,
        full,
        text,
        beside=posixpath.dirname(target or path),
        editable=editable,
        problems=problems,
        agents=agents | loaded_at_start.loaded_by(path, text),
        copy_of=target,
    )


def _imports(source: Source, project: Project) -> Iterator[str]:
    """Yield the files an instruction file imports, those inside the project only."""
    prose = re.sub(r"^[ \t]*(?:```|~~~)[^\n]*\n(?:[^\n]*\n)*?[ \t]*(?:```|~~~)", "", source.text, flags=re.M)
    for match in _IMPORT.finditer(re.sub(r"`[^`\n]*`", "", prose)):
        path = posixpath.normpath(posixpath.join(source.beside, match[1].rstrip(".")))
        if not path.startswith(("..", "/", "~")) and _is_ours(project.root, path):
            yield path


def _is_ours(root: Path, path: str) -> bool:
    """Tell whether a path leads to a file of the repository; a folder on the way may be a link that leaves it."""
    found = (root / path).resolve()
    return found.is_relative_to(root.resolve()) and found.is_file()


def _memory_folders(project: Project, environment: Mapping[str, str], home: Path) -> Iterator[tuple[Path, str]]:
    root = Path(project_root(str(project.root)))
    for folder in project_folder.memory_folders(root, home, environment):
        if folder.is_dir():
            yield folder, f"{folder}/"
    for base in ("memory", ".claude/agent-memory", ".claude/agent-memory-local"):
        folder = project.root / base
        if folder.is_symlink() or not folder.is_dir():
            continue
        if base == "memory":
            if (folder / index.NAME).is_file():
                yield folder, "memory/"
        else:
            for each in sorted(folder.iterdir()):
                if each.is_dir() and not each.is_symlink():
                    yield each, f"{base}/{each.name}/"


def _records(project: Project) -> Iterator[Source]:
    for path in sorted(project.files):
        if not path.startswith((".claude/", f"{GEAS}/", f"{ARCHEFLOW}/")):
            continue
        for pattern, dialect, kind_field in RECORDS:
            if pattern.fullmatch(path):
                yield from _record_sources(project, path, dialect, kind_field)


def _record_sources(project: Project, path: str, dialect: str, kind_field: str) -> Iterator[Source]:
    full = project.root / path
    try:
        raw = durable.read_bytes(full, limit=MAX_BYTES).decode("utf-8", errors="replace")
    except (OSError, TenureError) as error:
        yield Source(path, path, "unknown", dialect, full, "", problems=(_reason(error),), editable=False)
        return
    pieces = enumerate(raw.split("\n"), 1) if path.endswith(".jsonl") else iter([(1, raw)])
    for number, piece in pieces:
        if not piece.strip():
            continue
        try:
            record = json.loads(piece)
        except (ValueError, RecursionError):
            problem = (f"line {number} is not JSON",)
            yield Source(path, f"{path}:{number}", "unknown", dialect, full, "", problems=problem, editable=False)
            continue
        if isinstance(record, dict):
            name = next((str(record[key]) for key in ID_FIELDS if record.get(key)), posixpath.basename(path))
            kind = str(record.get(kind_field) or "unknown")
            text = "\n".join(_texts(record))
            yield Source(path, name, kind, dialect, full, text, line=number, editable=False)


def _texts(value: object, depth: int = 0) -> Iterator[str]:
    if depth > 6:
        return
    if isinstance(value, str):
        if " " in value.strip():
            yield value
    elif isinstance(value, Mapping):
        for each in value.values():
            yield from _texts(each, depth + 1)
    elif isinstance(value, Iterable):
        for each in value:
            yield from _texts(each, depth + 1)


def _names(folder: Path) -> list[str]:
    try:
        return [entry.name for entry in os.scandir(folder) if not entry.is_dir(follow_symlinks=False)]
    except OSError:
        return []


def _beside(folder: Path, project: Project) -> str:
    try:
        return folder.resolve().relative_to(project.root.resolve()).as_posix().removeprefix(".")
    except (ValueError, OSError):
        return ""


def _reason(error: Exception) -> str:
    return error.message if isinstance(error, TenureError) else f"cannot be read: {error.__class__.__name__}"
