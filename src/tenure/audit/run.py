"""The audit itself: find the sources, check their claims, score them, and mend what is a pure move.

Nothing is written unless `fix` is set, or a cache folder is passed in.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
from collections.abc import Callable, Iterable, Sequence
from datetime import UTC, datetime
from pathlib import Path

import msgspec

from tenure.audit import answer_cache, fixing, repair, sources, staleness, sure
from tenure.audit.claims import MAX_CLAIMS
from tenure.audit.findings import AuditedMemory, FileProblem, Finding, Fixed, Report, Source
from tenure.audit.moved_files import header_mark, moment_of
from tenure.audit.project import Project
from tenure.audit.verify import Verifier
from tenure.files import durable, git
from tenure.model import clock
from tenure.model.errors import BadRequest, InvalidInput, Refused, TenureError
from tenure.systems.claude_code import index, layout

CHARACTERS_PER_TOKEN = 4
LARGE_TOKENS = 5_000
# The hash of a blob is this long in a repository made with SHA-256, shorter with SHA-1.
SHA256_DIGITS = 64

# Files done, files there are.
Progress = Callable[[int, int], None]


def audit(
    path: Path,
    *,
    now: datetime,
    deep: bool = False,
    fix: bool = False,
    dry_run: bool = False,
    online: bool = False,
    perhaps: bool = False,
    docs: bool = False,
    store_dir: Path | None = None,
    cache_dir: Path | None = None,
    more: Sequence[Source] = (),
    dialect: str = "",
    reviewed: Callable[[Source], datetime | None] | None = None,
    bands: staleness.Bands | None = None,
    find_secrets: Callable[[str], Iterable[tuple[int, str]]] | None = None,
    min_confidence: float | None = None,
    progress: Progress | None = None,
    home: Path | None = None,
    before_fix: Callable[[list[Fixed]], None] | None = None,
) -> Report:
    """Return what is wrong with the memories of the project at `path`, or of the folder `store_dir` alone.

    `more` are the project's memories elsewhere; `dialect` leaves out all others. `reviewed` returns the day a memory
    was last kept; `find_secrets` returns (line, what) per text. Of instruction files only what is surely broken is
    called so, with `perhaps` the rest too; with `docs`, what they name is checked as well. With `fix`, pure
    moves are mended in place (with `min_confidence`, every repair that sure) after `before_fix` was told how to take
    them back; `dry_run` only says so.
    """
    if not path.is_dir():
        raise BadRequest(f"{str(path)!r} is not a folder.", hint="Name the project's folder.")
    root = (git.worktree_of(path) or path.resolve()) if store_dir is not None else path.resolve()
    project = Project(root, apart=cache_dir)
    if store_dir is None:
        everything = [*sources.find(project, os.environ, home or Path.home(), docs=docs), *more]
        found = [source for source in everything if not dialect or source.dialect == dialect]
    else:
        found = sources.of_folder(store_dir, "", project)
    verifier = Verifier(project, cache=cache_dir, is_online=online, progress=progress)
    findings = _findings(found, verifier, cache_dir, perhaps) if deep or fix else [[] for _ in found]
    dates = _dates(found, project, reviewed or (lambda source: None), now)
    memories = tuple(
        _memory(source, each, dated, now, bands) for source, each, dated in zip(found, findings, dates, strict=True)
    )
    plans = [repair.plan(memory.source, memory.findings, min_confidence=min_confidence) for memory in memories]
    edits = [edit for plan in plans for edit in plan.edits] if fix else []
    fixable = sum(len(repair.plan(memory.source, memory.findings).edits) for memory in memories)
    # Pages of documentation may repeat one another, and differ.
    loaded = [source for source in found if not source.docs]
    problems = [*_problems(found, store_dir, find_secrets), *answer_cache.repeats(loaded, cache_dir)]
    if fix and not dry_run and edits:
        fixed = fixing.planned(memories, edits)
        if before_fix is not None:
            before_fix(fixed)
        fixing.apply(fixed)
    return Report(
        str(project.root),
        memories,
        tuple(problems),
        tuple(project.notices),
        tuple(edits),
        fix and not dry_run,
        deep or fix,
        tuple(_indexes(found)),
        tuple(_looked_for(found, find_secrets is not None)),
        fix,
        fixable,
        tuple(why for plan in plans for why in plan.held_back),
        # Who asks for some memories alone is told nothing of documentation.
        0 if docs or dialect or store_dir else len(sources.not_read(project, found, {each.path for each in found})),
    )


def checked(path: Path, found: Sequence[Source], cache_dir: Path | None = None) -> list[list[Finding]]:
    """Return what checking the claims of some pages of a project found, and look at nothing else there."""
    project = Project(path.resolve(), apart=cache_dir)
    return _findings(found, Verifier(project, cache=cache_dir), cache_dir, perhaps=False)


def _findings(
    found: Sequence[Source], verifier: Verifier, cache_dir: Path | None, perhaps: bool
) -> list[list[Finding]]:
    """Return what checking each source's claims found; all lookups are made together."""
    claims = answer_cache.claims_of(["" if source.copy_of else source.text for source in found], cache_dir)
    claims = [verifier.paths.without_tails(each, source.beside) for source, each in zip(found, claims, strict=True)]
    pairs = list(zip(found, claims, strict=True))
    for source, each in pairs:
        if len(each) > MAX_CLAIMS:
            del each[MAX_CLAIMS:]
            more = f"{source.path} says more than {MAX_CLAIMS:,} things that can be checked: the rest was left out"
            verifier.project.notices.append(more)
    if not perhaps:
        verifier.only_sure = frozenset(each.path for each in found if each.dialect == staleness.INSTRUCTIONS)
    verifier.prepare([(claim, source.beside, source.path) for source, each in pairs for claim in each])
    checked = [[verifier.check(claim, source.beside, source.path) for claim in each] for source, each in pairs]
    verifier.close()
    return sure.judged(list(zip(found, checked, strict=True)), perhaps)


def _memory(
    source: Source, findings: list[Finding], dated: staleness.Dated, now: datetime, bands: staleness.Bands | None
) -> AuditedMemory:
    age = clock.age_days(dated.moment, now)
    decays = source.dialect == "claude-code"
    base = staleness.score(source.kind, age, bands) if decays else 0.0
    score = staleness.with_failures(base, (finding.claim.kind for finding in findings if finding.failed), bands)
    shifted = tuple(_shifted(finding, source.line - 1) for finding in findings)
    return AuditedMemory(
        source,
        round(age, 6),
        dated.source,
        round(score, 6),
        staleness.action(score, bands),
        tuple(staleness.reasons(source.kind, age, bands)) if decays else (),
        shifted,
        len(source.text) // CHARACTERS_PER_TOKEN,
    )


def _shifted(finding: Finding, lines: int) -> Finding:
    """Return the finding with its line counted in the file and not in the body."""
    claim = msgspec.structs.replace(finding.claim, line=finding.claim.line + lines)
    return msgspec.structs.replace(finding, claim=claim)


def _dates(
    found: list[Source], project: Project, reviewed: Callable[[Source], datetime | None], now: datetime
) -> list[staleness.Dated]:
    committed = _committed(found, project)
    result = []
    for source in found:
        dated = _from_header(source, now) or _from_git_or_file(committed.get(source.path), source.file, now)
        kept = reviewed(source)
        if kept is not None and kept > dated.moment:
            dated = staleness.Dated(kept, "review")
        result.append(dated)
    return result


def _from_header(source: Source, now: datetime) -> staleness.Dated | None:
    if not source.modified:
        return None
    try:
        moment = clock.parse(source.modified)
    except InvalidInput:
        return None
    return staleness.Dated(min(moment, now), "header")


def _from_git_or_file(committed: staleness.Dated | None, path: Path, now: datetime) -> staleness.Dated:
    """Return the older date: a clone renews the file's, a commit records an old file late."""
    written = _from_file(path, now)
    return committed if committed is not None and committed.moment <= written.moment else written


def _from_file(path: Path, now: datetime) -> staleness.Dated:
    try:
        # Whole seconds would make a memory written this second come from the future.
        return staleness.Dated(datetime.fromtimestamp(path.stat().st_mtime, UTC), "file")
    except (OSError, OverflowError, ValueError):
        return staleness.Dated(now, "file")


def _committed(found: list[Source], project: Project) -> dict[str, staleness.Dated]:
    """Return the last commit's date of each source file that git has unchanged, in one pass over the log."""
    if not project.has_git:
        return {}
    wanted: dict[str, list[Source]] = {}
    root = os.path.realpath(project.root)
    folders = {folder: os.path.realpath(folder) for folder in {source.file.parent for source in found}}
    for source in found:
        full = os.path.join(folders[source.file.parent], source.file.name)
        relative = os.path.relpath(full, root).replace(os.sep, "/")
        if relative in project.blobs:
            wanted.setdefault(relative, []).append(source)
    wanted = {path: each for path, each in wanted.items() if _as_committed(each[0].file, project.blobs[path])}
    result: dict[str, staleness.Dated] = {}
    moment: datetime | None = None
    if not wanted:
        return result
    mark = header_mark()
    arguments = ("log", "-z", "--name-only", "--relative", "--no-renames", f"--format={mark}%ct", "HEAD", "--")
    stream = project.git.stream(*arguments, *sorted(wanted), separator=b"\0")
    for raw in stream:
        piece = raw.decode("utf-8", errors="surrogateescape").strip("\n")
        if piece.startswith(mark):
            moment = moment_of(piece.removeprefix(mark))
        elif piece in wanted and moment is not None:
            for source in wanted.pop(piece):
                result[source.path] = staleness.Dated(moment, "git")
            if not wanted:
                break

    return result


def _as_committed(file: Path, blob: str) -> bool:
    """Tell whether a file holds what git's index says; git itself would run the repository's filters to compare."""
    try:
        data = durable.read_bytes(file)
    except (OSError, TenureError):
        return False
    made = hashlib.sha256 if len(blob) == SHA256_DIGITS else hashlib.sha1
    # Git for Windows checks text out with other line ends.
    texts = {data, data.replace(b"\r\n", b"\n")}
    return any(made(b"blob %d\0" % len(text) + text).hexdigest() == blob for text in texts)


def _problems(
    found: list[Source],
    store_dir: Path | None,
    find_secrets: Callable[[str], Iterable[tuple[int, str]]] | None,
) -> Iterable[FileProblem]:
    for source in found:
        for text in source.problems:
            yield FileProblem("unreadable" if not source.editable else "header", source.path, 1, text)
        tokens = len(source.text) // CHARACTERS_PER_TOKEN
        if (source.loaded or source.agents) and tokens > LARGE_TOKENS and not source.copy_of:
            message = f"costs about {tokens:,} tokens in every session"
            yield FileProblem("oversize", source.path, 1, message)
        if find_secrets is not None:
            for line, what in find_secrets(source.text):
                yield FileProblem("secret", source.path, source.line + line - 1, f"looks like a secret: {what}")
    folders = {source.file.parent: source for source in found if source.dialect == "claude-code"}
    if store_dir is not None:
        folders.setdefault(store_dir, None)  # type: ignore[arg-type]
    for folder, example in folders.items():
        label = example.path.removesuffix(example.id) if example is not None else ""
        yield from _index_problems(folder, label)


def _looked_for(found: Sequence[Source], secrets: bool) -> Iterable[str]:
    """Yield the codes of the problems that these sources could have shown."""
    if len({os.path.realpath(source.file) for source in found}) > 1:
        yield "duplicate"
    yield "contradiction"
    if secrets:
        yield "secret"
    if any(source.loaded or source.agents for source in found):
        yield "oversize"
    yield "unreadable"


def _indexes(found: Iterable[Source]) -> Iterable[tuple[str, int]]:
    """Yield each index that the client loads at the start of a session, with its tokens."""
    folders = {source.file.parent: source for source in found if source.dialect == "claude-code"}
    for folder, example in folders.items():
        if example.id != index.NAME:
            with contextlib.suppress(OSError, TenureError):
                size = len(durable.read_bytes(folder / index.NAME, limit=sources.MAX_BYTES))
                label = example.path.removesuffix(example.id) + index.NAME
                yield label, min(size, index.MAX_BYTES) // CHARACTERS_PER_TOKEN


def _index_problems(folder: Path, label: str) -> Iterable[FileProblem]:
    """Yield entries without a file, files without an entry, and what the client will not load."""
    try:
        data = durable.read_bytes(folder / index.NAME, limit=sources.MAX_BYTES)
        names = layout.memory_files(each.name for each in folder.iterdir())
    except (OSError, Refused):
        return
    path = f"{label}{index.NAME}"
    entries = index.entries(data)
    for entry in entries:
        if "/" not in entry.file and entry.file not in names:
            yield FileProblem("entry-without-file", path, entry.line, f"{entry.file} is listed and not there")
    listed = {entry.file for entry in entries}
    for name in names:
        if name not in listed:
            yield FileProblem("file-without-entry", f"{label}{name}", 1, f"{name} is not listed in {index.NAME}")
    limit = index.over_limit(data)
    if limit is not None and names:
        yield FileProblem("index-limit", path, limit.first_line_cut, limit.message)
