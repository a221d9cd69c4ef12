"""`inject`: what an agent is shown for a prompt or task, within the budget; an unrelated one is shown nothing."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any

import msgspec

from tenure.model.errors import StoreUnusable
from tenure.model.memory import Memory
from tenure.model.policy import Policy
from tenure.recall import block, budget, rank
from tenure.recall.query import ParsedQuery
from tenure.recall.rank import Candidate
from tenure.store.api import Store
from tenure.store.records import Note, Row
from tenure.systems.api import System
from tenure.text.words import one_line
from tenure.usecases import intake, search
from tenure.usecases.answers import LeftOut
from tenure.usecases.answers.found import Chosen, Injection, InjectRequest
from tenure.usecases.project import Project
from tenure.usecases.project_trust import WITHHELD

# No more of a query is kept, and of the name of a run, task or agent.
QUERY_CHARS, NAME_CHARS = 2000, 200
WAITS = "it came with a commit and waits"


def answer(project: Project, system: System, request: InjectRequest) -> Injection:
    """Return what the system shows for a request; nothing of a project that came from elsewhere and is not trusted."""
    if project.withheld:
        live = [LeftOut(id=row.memory.id, why=WITHHELD) for row in project.store.find(phases=("live",))]
        return Injection(block="", suppressed=live, notes=[project.withheld_notice])
    found = system.inject(project, request)
    if waits := [LeftOut(id=id, why=WAITS) for id in sorted(project.waiting)]:
        note = f"{len(waits)} came with a commit and {'waits' if len(waits) == 1 else 'wait'}: tenure trust"
        found = msgspec.structs.replace(found, suppressed=[*found.suppressed, *waits], notes=[*found.notes, note])
    if found.traced:
        return found
    said = "The store cannot be written, so this injection is not remembered."
    return msgspec.structs.replace(found, notes=[*found.notes, said])


def inject(project: Project, request: InjectRequest) -> Injection:
    """Return the block to show and remember that it was shown; an empty block when nothing fits."""
    store, now = project.store, project.now()
    chosen, suppressed, ranked, asked, rows = _selected(project, request, now)
    held = _held(project, request, [item.id for item, _ in chosen])
    chosen = [one for one in chosen if one[0].id not in held]
    # Who asks may be the agent of the session, so what is held back from it is not named.
    suppressed = [item for item in suppressed if item.id not in held]
    shown = [item for item, _ in chosen]
    _leave_open_conflicts(store, shown, held)
    reasons = {item.id: {"terms": rank.terms(item)} for item in shown}
    notes = block.noted(chosen, {row.memory.id: row.version for row in rows}, reasons)
    told = [item for item in ranked[:20] if item.id not in held]
    terms = {item.id: {**rank.terms(item), "evidence": round(item.evidence, 2)} for item in told}
    return Injection(
        block=block.render(chosen),
        memories=[Chosen(id=item.id, score=item.score, why=rank.why(item)) for item in shown],
        suppressed=suppressed,
        traced=not shown or trace(store, now, notes, facts(request)),
        explained=search.explained(project, asked, terms),
    )


def preview(project: Project, query: str) -> Injection:
    """Return what `inject` would show for a query by Tenure's own rules, without noting that anything was shown."""
    if project.withheld:
        return Injection(block="", notes=[WITHHELD])
    chosen, suppressed, ranked, asked, _ = _selected(project, InjectRequest(query=query), project.now())
    shown = [item for item, _ in chosen]
    _leave_open_conflicts(project.store, shown)
    terms = {item.id: {**rank.terms(item), "evidence": round(item.evidence, 2)} for item in ranked[:20]}
    return Injection(
        block=block.render(chosen),
        memories=[Chosen(id=item.id, score=item.score, why=rank.why(item)) for item in shown],
        suppressed=suppressed,
        explained=search.explained(project, asked, terms),
    )


def _selected(
    project: Project, request: InjectRequest, now: datetime
) -> tuple[list[tuple[Candidate, str]], list[LeftOut], list[Candidate], ParsedQuery, list[Row]]:
    """Return what fits with its text, what does not and why, all that was found, the query as read, and the rows."""
    policy = project.policy
    ranked, asked, rows = search.eligible(project, request.query, request.files, now=now)
    kept, suppressed = _relevant(ranked, {row.memory.id: row.memory for row in rows}, policy, request)
    chosen, left_out = budget.choose(
        kept,
        limit=policy.inject.limit if request.limit is None else request.limit,
        budget_chars=policy.inject.budget_chars if request.budget_chars is None else request.budget_chars,
        duplicate_overlap=policy.inject.duplicate_overlap,
    )
    suppressed += [LeftOut(id=item.id, why=why) for item, why in left_out]
    return chosen, suppressed, ranked, asked, rows


def facts(request: InjectRequest) -> dict[str, str]:
    """Return what of a request is written down, without secrets: run, task, agent and query."""
    names = {name: one_line(intake.safe(getattr(request, name)), NAME_CHARS) for name in ("run", "task", "agent")}
    return {**names, "query": intake.safe(request.query)[:QUERY_CHARS]}


def trace(store: Store, now: datetime, notes: Sequence[Note | Mapping[str, Any]], facts: Mapping[str, str]) -> bool:
    """Remember what was shown; a full or read-only disk costs the trace, not the answer."""
    try:
        store.activity.record(now, notes, **facts)
    except StoreUnusable:
        return False
    return True


def _held(project: Project, request: InjectRequest, ids: Sequence[str]) -> frozenset[str]:
    """Return which of these the session goes without, where effects are measured."""
    if not project.store.setting("effect") or not (request.run or project.agent):
        return frozenset()
    from tenure.usecases import held_back  # start-up: most stores measure nothing

    return held_back.tossed(project, facts(request)["run"], ids)


def _leave_open_conflicts(store: Store, shown: Sequence[Candidate], held: frozenset[str] = frozenset()) -> None:
    """Let each memory shown name only those it contradicts that are not gone, nor held back."""
    rows = {id: store.get(id) for item in shown for id in item.conflicts}
    here = {id for id, row in rows.items() if row and row.memory.phase != "gone"} - held
    for item in shown:
        item.conflicts = tuple(id for id in item.conflicts if id in here)


def _relevant(
    ranked: list[Candidate], memories: Mapping[str, Memory], policy: Policy, request: InjectRequest
) -> tuple[list[Candidate], list[LeftOut]]:
    """Split off what does not concern this agent or domain, or hardly answers the query."""
    agent, domain, asked = request.agent, request.domain, bool(request.query.strip())
    best = ranked[0].score if ranked else 0.0
    kept, dropped = [], []
    for item in ranked:
        memory, why = memories[item.id], ""
        if memory.kind in policy.write.disabled_kinds:
            why = f"{memory.kind} is switched off"
        elif agent and memory.agent and memory.agent != agent:
            why = f"is for {memory.agent}"
        elif domain and memory.domain and memory.domain not in (domain, "general"):
            why = f"is about {memory.domain}"
        elif asked:
            why = rank.doubt(item, best, policy.inject.least_evidence, policy.inject.floor_share)
        if why:
            dropped.append(LeftOut(id=memory.id, why=why))
        else:
            kept.append(item)
    return kept, dropped
