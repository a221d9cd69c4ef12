"""`audit --obeyed`: which rules agents keep, read from the sessions they have kept of this project.

It reports only what it can show with the call. A rule is relevant in a session that does what the rule is about, in
any way; it is broken where its guard would have fired. Rules from which no check can be derived are counted, not
judged.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import msgspec
from msgspec.structs import replace

from tenure.audit.loaded_at_start import ROOT_FILES
from tenure.guards import derive, replay
from tenure.model import clock
from tenure.model.guard import CommandRule, Guard, matcher
from tenure.text.words import one_line
from tenure.usecases import past_calls
from tenure.usecases.answers.guards import Obeyed, PastFire, RuleKept
from tenure.usecases.project import Project

MOST_BYTES = 400_000
MOST_SHOWN = 5
_FOLDERS = (".claude/rules", ".cursor/rules", ".github/instructions", ".windsurf/rules")
# Programs that do the same for somebody: a rule about one of them is relevant wherever one of them runs.
_FAMILIES = (
    ("npm", "pnpm", "yarn", "bun"),
    ("pip", "pip3", "uv", "poetry", "pipenv", "conda"),
    ("grep", "rg", "ag", "find"),
    ("jest", "vitest", "mocha", "bun"),
    ("eslint", "biome", "prettier", "oxlint"),
)


def obeyed(project: Project, *, days: int, files: Sequence[Path] = ()) -> Obeyed:
    """Return what became of each rule that a check can be derived from."""
    root = project.place.project
    kept = past_calls.in_files(files) if files else past_calls.of_project(root, clock.after(project.now(), -days))
    calls = list(past_calls.calls(kept))
    from_here = "" if files else str(root)
    found: list[RuleKept] = []
    first: dict[bytes, str] = {}
    rules = 0
    for where, text in _rules(project, root):
        rules += 1
        for proposal in derive.derivations(text):
            wanted = matcher(proposal.guard)
            same = first.setdefault(msgspec.json.encode(wanted, order="sorted"), where)
            broken = replay.over(wanted, calls, from_here, str(Path.home()))
            about = replay.over(_about(proposal), calls, from_here, str(Path.home()))
            relevant = {one.past.session for one in (*broken, *about)}
            breaking = {one.past.session for one in broken}
            found.append(
                RuleKept(
                    where=where,
                    rule=one_line(proposal.because, 160),
                    relevant=len(relevant),
                    kept=len(relevant - breaking),
                    broken=len(breaking),
                    calls=[_call(one) for one in broken[:MOST_SHOWN]],
                    same_as="" if same == where else same,
                )
            )
    found.sort(key=lambda rule: (-rule.broken, -rule.relevant, rule.where))
    return Obeyed(sessions=len(kept), calls=len(calls), rules=rules, checked=found)


def _rules(project: Project, root: Path) -> list[tuple[str, str]]:
    """Return the lines of the project's instruction files and memories that may state a rule, with where they stand."""
    names = [root / name for name in ROOT_FILES]
    names += [page for folder in _FOLDERS for page in sorted((root / folder).glob("**/*.md*"))]
    found: list[tuple[str, str]] = []
    for path in names:
        if not path.is_file() or path.is_symlink() or path.stat().st_size > MOST_BYTES:
            continue
        inside = False
        for number, line in enumerate(path.read_text(encoding="utf-8", errors="replace").splitlines(), 1):
            if line.lstrip().startswith(("```", "~~~")):
                inside = not inside
            elif not inside and len(line.split()) > 2:
                found.append((f"{path.relative_to(root).as_posix()}:{number}", line.strip()))
    live = (row.memory for row in project.store.find(phases=("live",)))
    return found + [(memory.id, memory.text) for memory in live]


def _about(proposal: derive.Proposal) -> Mapping[str, Any]:
    """Return what a rule is about, kept or broken: what it wants instead, its command without options, its path."""
    guard = proposal.guard
    if not guard.commands:
        return {**matcher(guard), "tool": "any", "text": ()}
    rules = list(proposal.instead)
    for rule in guard.commands:
        if rule.options or rule.unless:
            rules.append(CommandRule(program=rule.program, words=rule.words))
        elif rule.words and proposal.instead:
            rules.append(rule)
        elif rule.words:
            # Other uses of the program come closest; of a script `build:web` those of `build`.
            name, colon, _ = rule.words[-1].partition(":")
            rules.append(replace(rule, words=(*rule.words[:-1], name) if colon else rule.words[:-1]))
        else:
            family = next((names for names in _FAMILIES if rule.program in names), (rule.program,))
            rules += [CommandRule(program=name) for name in family]
    return matcher(Guard(tool="run", commands=tuple(dict.fromkeys(rules))))


def _call(one: replay.WouldFire) -> PastFire:
    past = one.past
    said = one_line(past.call.command or ", ".join(past.call.paths), 160)
    return PastFire(session=past.session, host=past.host, at=past.at, about=one.about, call=said, followed=one.followed)
