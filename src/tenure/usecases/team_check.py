"""`team check`: the team's files, for a pull request: schema, secrets, claims, contradictions, duplicates, and what the
change does to what agents were shown last.

It changes nothing and asks nobody. Findings are about files that differ from the base, or about all without one.
"""

from __future__ import annotations

import contextlib
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path

from tenure.files import OURS_LAYER, TEAM, durable, team_folder
from tenure.files.git import Git, Objects
from tenure.files.settings import policy_overlay
from tenure.formats import okf
from tenure.model import policy as policies
from tenure.model.errors import BadRequest, TenureError
from tenure.model.memory import Memory
from tenure.recall import budget, rank
from tenure.rules import contradict, likeness, same_rule
from tenure.rules.stored_verdict import verdict
from tenure.store.replica import Replica
from tenure.text import redact
from tenure.text.words import jaccard, words
from tenure.usecases import project_trust, search, team_claims, team_file, team_replica
from tenure.usecases.answers.shared import ShownOften, TeamCheck, TeamFinding
from tenure.usecases.project import Project
from tenure.usecases.team_file import Shared
from tenure.usecases.team_replica import TeamFile

# So many of the last injections are looked at.
INJECTIONS = 500
# "Before every release, run the tests" says what "Run the tests before every release" says.
_FRONTED = re.compile(
    r"^\s*(before|after|until|when|if|unless)\b([^,.]{2,80}),\s*(.+?)\.?\s*$", re.IGNORECASE | re.DOTALL
)


def check(project: Project, *, base: str = "") -> TeamCheck:
    """Return what is wrong with the team's files; with `base`, with those that differ from that commit."""
    place, policy = project.place, project.policy
    files = team_replica.files(place, policy)
    before = _at_base(place.tree, base) if base else {}
    changed = [each for each in files if not base or before.get(each.name) != each.text]
    gone = sorted(name for name in before if name not in {each.name for each in files})
    memories = {each.name: _memory(project, each.shared) for each in files if _counts(each.shared) and each.shared}
    findings = [
        *_policy(project),
        *(found for each in changed for found in _schema(each)),
        *(found for each in changed for found in _secrets(each)),
        *team_claims.wrong(place.tree, [each for each in changed if _counts(each.shared)]),
        *_against_others(project, changed, files, memories),
    ]
    findings.sort(key=lambda found: (found.path, found.line, found.kind, found.message))
    names = [*(f"{TEAM}/{each.name}" for each in changed), *(f"{TEAM}/{name}" for name in gone)]
    shown, gain, silent = _injections(project, list(memories.values()), before, base)
    return TeamCheck(files=len(files), changed=names, findings=findings, injections=shown, gain=gain, silent=silent)


def _counts(shared: Shared | None) -> bool:
    return shared is not None and shared.state != okf.GONE


def _memory(project: Project, shared: Shared) -> Memory:
    return shared.memory(project.policy, project.now())


def _at_base(tree: Path, base: str) -> dict[str, str]:
    """Return the team's files as they are at a commit."""
    git = Git(tree)
    commit = None if base.startswith("-") else git.text("rev-parse", "--verify", f"{base}^{{commit}}")
    if not commit:
        raise BadRequest(f"{base!r:.60} is not a commit of this repository.", field="base")
    listed = git.run("cat-file", "-p", f"{commit}:{TEAM}") or b""
    names = [line.partition(b"\t")[2].decode("utf-8", "replace") for line in listed.splitlines()]
    with Objects(git) as objects:
        return {
            name: objects.read(f"{commit}:{TEAM}/{name}").decode("utf-8", "replace")
            for name in names
            if name.endswith(team_folder.ENDING) and name not in okf.RESERVED
        }


def _policy(project: Project) -> Iterator[TeamFinding]:
    """Yield what is wrong with the team's policy: it could never be in force."""
    path = project_trust.team_settings(project.place)
    try:
        policies.load("tenure" if project.place.native else project.place.scheme, {"policy": policy_overlay(path)})
        text = durable.read_bytes(path).decode("utf-8", "replace") if path.exists() else ""
    except TenureError as error:
        yield TeamFinding(path=f"{TEAM}/{path.name}", line=1, kind="schema", message=error.message)
        return
    for span in redact.find(text):
        line = text.count("\n", 0, span.start) + 1
        yield TeamFinding(
            path=f"{TEAM}/{path.name}", line=line, kind="secret", message=f"looks like a secret ({span.family})"
        )


def _schema(each: TeamFile) -> Iterator[TeamFinding]:
    if each.problem is not None:
        field = each.problem.field or ""
        at = team_file.line_of(each.text, f"{field.rpartition('.')[2]}:") if field else 1
        yield TeamFinding(path=f"{TEAM}/{each.name}", line=at, kind="schema", message=each.problem.message)


def _secrets(each: TeamFile) -> Iterator[TeamFinding]:
    for span in redact.find(each.text):
        line = each.text.count("\n", 0, span.start) + 1
        yield TeamFinding(
            path=f"{TEAM}/{each.name}", line=line, kind="secret", message=f"looks like a secret ({span.family})"
        )


def _against_others(
    project: Project, changed: Sequence[TeamFile], files: Sequence[TeamFile], memories: dict[str, Memory]
) -> Iterator[TeamFinding]:
    """Yield what says the same as another file, or the opposite; a pair is reported once, at the later name."""
    texts = {each.name: each.text for each in files}
    said = {name: set(words(f"{memory.title} {memory.text}")) for name, memory in memories.items()}
    done: set[frozenset[str]] = set()
    for each in changed:
        memory = memories.get(each.name)
        if memory is None:
            continue
        opposite = contradict.contradictions(memory, memories.values(), project.policy)
        for name, other in memories.items():
            pair = frozenset((each.name, name))
            if len(pair) < 2 or pair in done:
                continue
            line = _first_line(texts[each.name], memory)
            if other.id in opposite:
                done.add(pair)
                told = f"contradicts {TEAM}/{name}: {opposite[other.id]}"
                yield TeamFinding(path=f"{TEAM}/{each.name}", line=line, kind="contradiction", message=told)
            elif memory.kind == other.kind and (
                jaccard(said[each.name], said[name]) >= project.policy.match.similar_overlap
                or same_rule.same(memory.text, other.text)
            ):
                done.add(pair)
                why = _turned(memory.text, other.text)
                told = f"contradicts {TEAM}/{name}: {why}" if why else f"says the same as {TEAM}/{name}"
                kind = "contradiction" if why else "duplicate"
                yield TeamFinding(path=f"{TEAM}/{each.name}", line=line, kind=kind, message=told)


def _turned(one: str, other: str) -> str:
    """Return why two texts of nearly the same words do not say the same; empty when they do."""
    if why := likeness.turned(one, other):
        return why
    if likeness.opposite(one, other):
        return "one denies what the other asks for"
    mine, theirs = (same_rule.content_words(_FRONTED.sub(r"\3 \1 \2", text), True) for text in (one, other))
    moved = mine != theirs and sorted(mine) == sorted(theirs)
    if moved and same_rule.form(one) and not same_rule.same(one, other):
        return "they say the same words in another order"
    return ""


def _first_line(text: str, memory: Memory) -> int:
    return team_file.line_of(text, memory.text.splitlines()[0] if memory.text else "", memory.title)


def _injections(
    project: Project, now: Sequence[Memory], before: dict[str, str], base: str
) -> tuple[int, list[ShownOften], list[ShownOften]]:
    """Return how many of the last injections were asked again, and which memories gain or fall silent by the change."""
    if not project.store.exists:
        return 0, [], []
    asked = [each.query for each in project.store.activity.shown(limit=INJECTIONS) if _is_query(each.query)]
    if not asked:
        return 0, [], []
    was = [memory for memory in (_at(project, name, text) for name, text in before.items()) if memory] if base else []
    with contextlib.closing(_replica(project, was)) as earlier, contextlib.closing(_replica(project, now)) as later:
        old, new = _shown(project, asked, earlier), _shown(project, asked, later)
    moved = [ShownOften(id=id, before=old[id], after=new[id]) for id in sorted({*old, *new}) if old[id] != new[id]]
    return (
        len(asked),
        [one for one in moved if one.after > one.before],
        [one for one in moved if one.after < one.before],
    )


def _is_query(query: str) -> bool:
    """Tell words that were asked for from the marks of a session's start or end."""
    return bool(query.strip()) and not query.startswith("(")


def _at(project: Project, name: str, text: str) -> Memory | None:
    with contextlib.suppress(TenureError):
        shared = team_file.parsed(name.removesuffix(team_folder.ENDING), text, project.policy)
        return _memory(project, shared) if _counts(shared) else None
    return None


def _replica(project: Project, memories: Sequence[Memory]) -> Replica:
    """Return a replica that is thrown away."""
    made = Replica(None)
    made.replace(memories, lambda memory: verdict(memory, project.policy), mark="", now=project.now())
    return made


def _shown(project: Project, asked: Sequence[str], replica: Replica) -> Counter[str]:
    """Return how often each memory would be shown with what the team shares."""
    rules, shown = project.policy.inject, Counter[str]()
    users = {layer: store for layer, store in project.layers.items() if layer != OURS_LAYER}
    for query, times in Counter(asked).items():
        ranked, _, _ = search.eligible(project, query, model=False, beside={OURS_LAYER: replica, **users})
        best = ranked[0].score if ranked else 0.0
        kept = [item for item in ranked if not rank.doubt(item, best, rules.least_evidence, rules.floor_share)]
        chosen, _ = budget.choose(
            kept, limit=rules.limit, budget_chars=rules.budget_chars, duplicate_overlap=rules.duplicate_overlap
        )
        for item, _ in chosen:
            shown[item.id] += times
    return shown
