"""What the team's files say about the project that is not true, each at its line: paths, symbols, packages, commands.

The audit looks for commands where they are written as code. A memory is often one plain sentence, so here a command
that a sentence tells somebody to run is taken as written in code.
"""

from __future__ import annotations

import contextlib
import re
from collections.abc import Iterator, Sequence
from pathlib import Path

from tenure.audit import run
from tenure.audit.findings import Source
from tenure.files import TEAM
from tenure.text.words import STOP_WORDS
from tenure.usecases import team_file
from tenure.usecases.answers.shared import TeamFinding
from tenure.usecases.team_replica import TeamFile

# "Run make before you push" names no target: what follows must be a word that says something.
_TOLD = re.compile(
    r"(?P<lead>\b(?:run|runs|running|execute|call|use|with|via|through|by)\s+)"
    r"(?P<command>(?:make|just|task|rake|(?:npm|pnpm|yarn|bun) run)\s+(?P<target>[A-Za-z][\w:.-]*\w))",
    re.IGNORECASE,
)


def wrong(tree: Path, told: Sequence[TeamFile]) -> Iterator[TeamFinding]:
    """Yield what these files say that is not in the project; what a title repeats is reported once, in the text."""
    sources = [
        Source(f"{TEAM}/{each.name}", each.name, "team", "tenure", tree / TEAM / each.name, _as_code(each.text))
        for each in told
    ]
    with contextlib.suppress(OSError):
        for source, findings in zip(sources, run.checked(tree, sources), strict=True):
            last: dict[str, int] = {}
            for one in findings:
                if one.status in ("missing", "moved"):
                    where = f"; it moved to {one.repair}" if one.repair else ""
                    said = f"{one.claim.kind} `{one.claim.text}` is not in the project{where}"
                    last[said] = max(one.claim.line, last.get(said, 0))
            for said, line in last.items():
                yield TeamFinding(path=source.path, line=line, kind="claim", message=said)
    for each in told:
        assert each.shared is not None
        for path in each.shared.files:
            if not any(sign in path for sign in "*?[") and not (tree / path).exists():
                line = team_file.line_of(each.text, path)
                said = f"file `{path}` is not in the project"
                yield TeamFinding(path=f"{TEAM}/{each.name}", line=line, kind="claim", message=said)


def _as_code(text: str) -> str:
    """Return a text with the commands that it tells somebody to run written as code; its lines stay where they are."""
    return _TOLD.sub(_quoted, text)


def _quoted(match: re.Match[str]) -> str:
    if match["target"].lower() in STOP_WORDS or "\n" in match[0]:
        return match[0]
    return f"{match['lead']}`{match['command']}`"
