"""What triage hands to the drafting agents: one file per category, in a folder only the user can enter.

The folder belongs to one user and one project, the names are random, and a file is created only where
nothing was: two sessions never overwrite each other, and nobody else can plant or redirect a file. A day
later they are removed.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import stat

from tenure.capture.triage import Score, TriageScores, excerpt
from tenure.capture.triage_rules import SESSION_SUMMARY
from tenure.model import clock
from tenure.systems.claude_memory.entries import escaped

# The original keeps its files here, and its writer reads drafts from nowhere else.
PARENT = "/tmp" if os.path.isdir("/tmp") else os.environ.get("TEMP", ".")
NAME = ".memory-triage-context-"
MAX_BYTES = 50_000
SNIPPET_CHARACTERS = 120
KEPT_SECONDS = 86_400
TRUNCATED = "\n</transcript_data>\n[Truncated: context exceeded 50KB]"


def write(project: str, score: Score, finding: TriageScores, description: str) -> str | None:
    """Write the context file of one category and return its path, or None when that is not possible."""
    content = render(score, finding, description).encode("utf-8", "replace")
    try:
        folder = private_folder(project)
        path = os.path.join(folder, f"{NAME}{score.category}-{os.urandom(8).hex()}.txt")
        flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_NOFOLLOW", 0)
        with os.fdopen(os.open(path, flags, 0o600), "wb") as file:
            file.write(content)
    except OSError:
        return None
    return path


def render(score: Score, finding: TriageScores, description: str = "") -> str:
    """Return the content: category, score, what the category is for, and the transcript fenced as data."""
    head = [f"Category: {score.category}", f"Score: {score.score:.2f}"]
    if description:
        head.append(f"Description: {escaped(description.replace('`', ''), 120)}")
    data, complete = _data(score, finding)
    text = "\n".join([*head, "", "<transcript_data>", data])
    snippets = "".join(f"\n  - {_defused(snippet)}" for snippet in shown_snippets(score))
    whole = f"{text}\n</transcript_data>" + (f"\n\nKey snippets:{snippets}" if snippets else "")
    if complete and len(whole.encode("utf-8", "replace")) <= MAX_BYTES:
        return whole
    raw = text.encode("utf-8", "replace")
    return raw[: MAX_BYTES - len(TRUNCATED)].decode("utf-8", "ignore") + TRUNCATED


def shown_snippets(score: Score) -> list[str]:
    """Return the lines that made the score, secrets taken out, cut, each once."""
    snippets = (_redacted(snippet)[:SNIPPET_CHARACTERS] for snippet in score.snippets)
    return list(dict.fromkeys(snippets))


def usual_folder(project: str) -> str:
    """Return where this user's context files for this project lie, unless somebody else took the place."""
    key = hashlib.sha256(os.path.realpath(project).encode("utf-8", "surrogateescape")).hexdigest()[:12]
    return os.path.join(PARENT, f".claude-memory-staging-{_user()}-{key}")


def private_folder(project: str) -> str:
    """Return this user's folder for this project, made if needed; another when someone else was first."""
    folder = usual_folder(project)
    with contextlib.suppress(FileExistsError):
        os.mkdir(folder, 0o700)
        return folder
    facts = os.lstat(folder)
    if stat.S_ISDIR(facts.st_mode) and facts.st_uid == _user() and not stat.S_IMODE(facts.st_mode) & 0o077:
        _clear(folder)
        return folder
    folder = f"{folder}-{os.urandom(8).hex()}"
    os.mkdir(folder, 0o700)
    return folder


def _user() -> int:
    return os.getuid() if hasattr(os, "getuid") else 0


def _clear(folder: str) -> None:
    oldest = clock.now().timestamp() - KEPT_SECONDS
    with os.scandir(folder) as files:
        for file in files:
            with contextlib.suppress(OSError):
                if file.name.startswith(NAME) and file.stat(follow_symlinks=False).st_mtime < oldest:
                    os.unlink(file.path)


def _data(score: Score, finding: TriageScores) -> tuple[str, bool]:
    """Return what stands inside the fence, and whether that is all there was."""
    if score.category == SESSION_SUMMARY:
        tool_uses, distinct_tools, exchanges = finding.activity
        counts = f"  Tool uses: {tool_uses}\n  Distinct tools: {distinct_tools}\n  Exchanges: {exchanges}"
        return f"Activity Metrics:\n{counts}", True
    said = excerpt(finding.lines, score.lines)
    start = said[:MAX_BYTES]
    if len(start) < len(said):
        # No word is cut in two, because half a secret is not recognised as one.
        start = start[: max(start.rfind(" "), start.rfind("\n")) + 1]
    return f"Relevant transcript excerpts:\n\n{_defused(_redacted(start))}", len(start) == len(said)


def _redacted(text: str) -> str:
    # Imported here because most stops have nothing to hand over.
    from tenure.text.redact import redact

    return redact(text)[0]


def _defused(text: str) -> str:
    """Nothing that was said may close the fence around it."""
    return text.replace("</transcript_data", "&lt;/transcript_data").replace("<transcript_data", "&lt;transcript_data")
