"""What a person needs to decide about a memory: its words, their source, what is missing, and what is like it.

The files it names are looked up now, because a memory about something that is gone needs a different decision.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path, PurePosixPath

from tenure.audit import claims, run
from tenure.audit.findings import Finding, Source
from tenure.model.memory import Memory
from tenure.rules import promote
from tenure.text.words import jaccard, words
from tenure.usecases import audit
from tenure.usecases.answers.looked import Claimed, Dossier
from tenure.usecases.project import Project

# So many that say nearly the same are shown, found among so many by so many of the text's words.
MOST_ALIKE, LOOKED_AT, WORDS = 3, 8, 8
# So many claims of one memory are looked up, in so much of its text.
MOST_CLAIMS, CLAIMING_CHARS = 20, 20_000


def dossiers(project: Project, ids: Sequence[str]) -> list[Dossier]:
    """Return what is known about memories, in the order asked for; what is not there is left out."""
    store, policy = project.store, project.policy
    found = []
    for id in ids:
        row = store.get(id)
        if row is None:
            continue
        memory = row.memory
        against = [other.memory for name in memory.conflicts if (other := store.get(name))]
        step = policy.step_from(memory.state)
        found.append(
            Dossier(
                memory=memory,
                version=row.version,
                quote=store.setting(f"quote:{memory.id}"),
                next_state=step.to if step else None,
                needs=promote.needs(memory, policy),
                against=[other for other in against if other.phase != "gone"],
                alike=_alike(project, memory),
                claims=list(_claimed(project.place.project, memory)),
            )
        )
    return found


def _alike(project: Project, memory: Memory) -> list[Memory]:
    own = set(words(memory.text))
    scored = []
    for row in project.store.similar(memory.text, LOOKED_AT, WORDS):
        other = row.memory
        if other.id == memory.id or other.id in memory.conflicts or other.phase == "gone":
            continue
        if (share := jaccard(own, set(words(other.text)))) >= project.policy.match.similar_overlap:
            scored.append((-share, other.id, other))
    return [other for _, _, other in sorted(scored)[:MOST_ALIKE]]


def _claimed(folder: Path, memory: Memory) -> Iterator[Claimed]:
    """Look for the files a memory names, inside the project only."""
    named = [claim.text for claim in claims.extract(memory.text[:CLAIMING_CHARS]) if claim.kind == "file"]
    for text in list(dict.fromkeys([*memory.files, *named]))[:MOST_CLAIMS]:
        path = PurePosixPath(text)
        if path.is_absolute() or ".." in path.parts or any(sign in text for sign in "*?<>~$"):
            yield Claimed(text=text, kind="file", status="unchecked")
            continue
        try:
            there = (folder / path).exists()
        except (OSError, ValueError):
            there = False
        yield Claimed(text=text, kind="file", status="ok" if there else "missing")


def check_claims(project: Project, id: str) -> list[Claimed]:
    """Return everything a memory says of the project, checked against its code and its history; may read much of it."""
    row = project.store.get(project.resolve(id))
    assert row is not None
    memory, folder = row.memory, project.place.project
    text = memory.text[:CLAIMING_CHARS]
    source = Source(memory.id, memory.id, memory.kind, "tenure", project.place.path, text, editable=False)
    [found] = run.checked(folder, [source], audit.kept_for(folder))
    checked = {(claim.kind, claim.text): claim for claim in map(_found, found[:MOST_CLAIMS])}
    more = [claim for claim in _claimed(folder, memory) if (claim.kind, claim.text) not in checked]
    return [*checked.values(), *more][:MOST_CLAIMS]


def _found(finding: Finding) -> Claimed:
    since = finding.since
    return Claimed(
        text=finding.claim.text,
        kind=finding.claim.kind,
        status=finding.status,
        repair=finding.repair or "",
        why=finding.why,
        since=f"{since.date[:10]}, {since.subject}" if since else "",
    )
