"""`effect`: whether memory helps in this project, measured by holding some of it back.

The worker records the outcome of each session and acts on what is proved: what hurts goes under review, and what
helps gets that as evidence. Nothing here looks at whether a memory was cited.
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from typing import Any

import msgspec

from tenure.capture import session_outcome
from tenure.capture.session_builder import Session
from tenure.capture.sessions import host_of
from tenure.model import clock
from tenure.model.events import Event, EventType
from tenure.model.evolve import change
from tenure.model.memory import Memory
from tenure.model.policy import Policy
from tenure.recall import holdout
from tenure.rules import effect_proof, use_counts
from tenure.store.api import Store
from tenure.store.records import Exposed, SessionOutcome
from tenure.usecases import doubted_verdicts, effect_settings
from tenure.usecases.answers.effects import ArmCount, BlockEffect, EffectReport, HostCost, MemoryEffect, SessionEffect
from tenure.usecases.effect_estimate import HELPS, OPEN, Estimate, Evidence, estimate
from tenure.usecases.project import Project

# The same error is known again for so many sessions.
SESSIONS_BACK = 100
CHARACTERS_PER_TOKEN = 4
# So many memories are looked at to say how many can be measured.
MOST_LOOKED_AT = 2000
PROVED = "proved by holding it back"


def start(project: Project, *, stated: bool = False, block: bool = False) -> EffectReport:
    """Begin to hold memories back; what was measured before still counts."""
    project.needs_person("effect start")
    with project.changing():
        before = effect_settings.known(project.store)
        since = before.since or clock.stamp(project.now())
        effect_settings.keep(project.store, msgspec.structs.replace(before, since=since, stated=stated, block=block))
    return report(project)


def stop(project: Project) -> EffectReport:
    """Hold nothing back any more; what was measured stays."""
    project.needs_person("effect stop")
    with project.changing(makes=False):
        before = effect_settings.known(project.store)
        effect_settings.keep(project.store, msgspec.structs.replace(before, since=""))
    return report(project)


def report(project: Project, id: str = "", *, sessions: bool = False) -> EffectReport:
    """Return what is known: of all memories, or of one, with every session when asked for."""
    store, measuring = project.store, effect_settings.known(project.store)
    wanted = project.resolve(id) if id else ""
    exposures, outcomes = store.effects.exposures(), store.effects.outcomes()
    found = estimate(exposures, outcomes)
    costs = store.effects.costs()
    memories = _memories(project, found, measuring.proven, costs)
    together = found.together
    verdict = together.direction() if together.bet.is_proven else OPEN
    listed = _sessions(exposures, outcomes, costs) if sessions else []
    if wanted:
        theirs = {one.session for one in exposures if one.memory == wanted}
        listed = [one for one in listed if one.session in theirs]
    return EffectReport(
        on=measuring.on,
        since=measuring.since or None,
        stated=measuring.stated,
        block_held_back=measuring.block,
        sessions=found.sessions,
        waiting=found.waiting,
        verdict=verdict,
        more_sessions=None if verdict != OPEN else together.more_sessions,
        shown=_arm(together, shown=True),
        held=_arm(together, shown=False),
        crossed=together.crossed,
        change=round(together.rates.difference, 3) if found.sessions else None,
        low=round(found.bounds[0], 2) if found.sessions else None,
        high=round(found.bounds[1], 2) if found.sessions else None,
        memories=[one for one in memories if not wanted or one.id == wanted],
        block=_block(found.block),
        costs=_costs(costs, {one.session: one.host for one in outcomes}),
        each_session=listed,
        notes=_notes(project, wanted, exposures),
    )


def conclude(
    project: Project,
    session: Session,
    journal: Sequence[Mapping[str, Any]],
    *,
    violations: Mapping[str, Sequence[str]] | None = None,
) -> None:
    """Write down what came of a session that is over, and what is proven by it; safe to repeat.

    `violations` has, for each memory whose guard is on, the times it was broken; None leaves it to the store.
    """
    store = project.store
    exposures = store.effects.exposures(session=session.id)
    violations = _violations(store, session.id) if violations is None else violations
    earlier = [one for one in store.effects.outcomes(limit=SESSIONS_BACK) if one.session != session.id]
    times = None if violations is None else [at for each in violations.values() for at in each]
    read = session_outcome.outcome(
        session,
        journal,
        project.now(),
        earlier_errors={error for one in earlier for error in one.errors},
        violations=times,
    )
    if read.outcome.turns is None and read.outcome.troubled is None and not exposures:
        return
    # The file says whose session it was; a hook without a host's variable can only guess.
    told = host_of(session.transcript) if os.path.isfile(session.transcript) else ""
    outcome = msgspec.structs.replace(read.outcome, host=told or read.outcome.host)
    with project.changing(makes=False) as batch:
        store.effects.conclude(outcome)
        if not exposures:
            return
        store.effects.settle(
            session.id,
            crossed=_crossed(store, session, exposures),
            own=_own_signals(store, exposures, earlier, read.errors, violations),
        )
        _act_on_proof(batch.policy, store, batch)


def _violations(store: Store, session: str) -> dict[str, list[str]] | None:
    """Return when each memory's rule was broken, as its guard saw it; None where no guard is on."""
    guards = [row.memory for row in store.find(phases=("live",)) if row.memory.guard_is_on]
    if not guards:
        return None
    found: dict[str, list[str]] = {memory.id: [] for memory in guards}
    for fire in store.guards.fires():
        allowed = fire.outcome.startswith("allow") or fire.verdict == "wrong"
        if fire.session == session and fire.memory in found and not allowed:
            found[fire.memory].append(fire.at)
    return found


def _act_on_proof(policy: Policy, store: Store, batch: Any) -> None:
    """Let what is newly proven have its consequences, once."""
    measuring = effect_settings.known(store)
    found = estimate(store.effects.exposures(), store.effects.outcomes()).proven
    fresh = {id: verdict for id, verdict in found.items() if measuring.proven.get(id) != verdict}
    for id, verdict in fresh.items():
        memory = batch.get(id)
        if memory is None:
            continue
        if verdict != HELPS and memory.guard_is_on:
            doubted_verdicts.put(store, id, f"{PROVED}: sessions go worse with it")
            continue
        event = _helped(memory, policy, batch.now) if verdict == HELPS else _harmed(memory, policy, batch.now)
        if event and (after := batch.record(memory, [event])):
            batch.settle(after)
    if fresh:
        effect_settings.keep(store, msgspec.structs.replace(measuring, proven=measuring.proven | fresh))


def _helped(memory: Memory, policy: Policy, now: Any) -> Event:
    """Return the event by which proof counts: it helped, and needs no counted successes for its next step."""
    step = policy.step_from(memory.state)
    successes = max(memory.signals.successful_reuses, step.successes if step else 0)
    return change(
        memory,
        EventType.EVIDENCED,
        now,
        set={
            "helped_at": now,
            "evidence_count": memory.signals.evidence_count + 1,
            "successful_reuses": successes,
        },
        add={"evidence": ["effect:proven"]},
        reason=f"{PROVED}: sessions go better with it",
    )


def _harmed(memory: Memory, policy: Policy, now: Any) -> Event | None:
    if policy.promotion.hold.state not in policy.states:
        return None
    return use_counts.hold(memory, policy, now, reason=f"{PROVED}: sessions go worse with it")


def _crossed(store: Store, session: Session, exposures: Sequence[Exposed]) -> list[str]:
    """Return the held memories that reached the agent another way: shown all the same, read or cited."""
    held = [one.memory for one in exposures if not one.shown and one.memory != holdout.BLOCK]
    shown = {id for past in store.activity.shown(run=session.id) for id in past.ids}
    said = [turn.text for turn in session.turns if turn.role == "assistant"]
    asked = [str(call.input) for turn in session.turns for call in turn.calls]
    return [id for id in held if id in shown or any(id in text for text in (*said, *asked))]


def _own_signals(
    store: Store,
    exposures: Sequence[Exposed],
    earlier: Sequence[SessionOutcome],
    errors: Sequence[tuple[int, str]],
    violations: Mapping[str, Sequence[str]] | None,
) -> list[tuple[str, bool]]:
    """Return what came of the signals that memories own: a rule broken, or the error they were learned from."""
    found = []
    of_run = {one.session: set(one.errors) for one in earlier}
    for one in exposures:
        row = store.get(one.memory)
        learned_from = of_run.get(row.memory.runs[0], set()) if row and row.memory.runs else set()
        if violations is not None and one.memory in violations:
            found.append((one.memory, any(session_outcome.after(at, one.at) for at in violations[one.memory])))
        elif learned_from:
            again = any(error in learned_from and session_outcome.after(at, one.at) for error, at in errors)
            found.append((one.memory, again))
    return found


def _memories(
    project: Project, found: Estimate, proven: Mapping[str, str], costs: Sequence[tuple[str, str, str, int]]
) -> list[MemoryEffect]:
    """Return the memories, those that help most first."""
    order = effect_proof.shrunken([evidence.rates for evidence in found.memories.values()])
    tokens: dict[str, int] = {}
    for _, _, id, characters in costs:
        tokens[id] = tokens.get(id, 0) + characters // CHARACTERS_PER_TOKEN
    listed = []
    for (id, evidence), shrunken in zip(found.memories.items(), order, strict=True):
        row = project.store.get(id)
        verdict = proven.get(id) or found.proven.get(id, OPEN)
        listed.append(
            MemoryEffect(
                id=id,
                title=row.memory.title if row else "",
                kind=row.memory.kind if row else "",
                verdict=verdict,
                more_sessions=evidence.more_sessions if verdict == OPEN else None,
                shown=_arm(evidence, shown=True),
                held=_arm(evidence, shown=False),
                crossed=evidence.crossed,
                change=round(shrunken.effect, 3),
                no_sign=verdict == OPEN and shows_nothing(evidence, project.policy),
                tokens=tokens.get(id, 0),
            )
        )
    return sorted(listed, key=lambda one: (one.change, one.id))


def shows_nothing(evidence: Evidence, policy: Policy) -> bool:
    """Tell whether a memory had many chances and is nowhere near a proof."""
    left = evidence.more_sessions
    return evidence.exposures >= policy.effect.no_sign_exposures and (left is None or left > evidence.sessions)


def without_a_sign(project: Project) -> list[str]:
    """Return the memories that are offered for retirement."""
    return [one.id for one in report(project).memories if one.no_sign]


def _arm(evidence: Evidence, *, shown: bool) -> ArmCount:
    rates = evidence.rates
    if shown:
        return ArmCount(exposures=rates.shown, troubles=int(rates.shown_troubles))
    return ArmCount(exposures=rates.held, troubles=int(rates.held_troubles))


def _block(evidence: Evidence | None) -> BlockEffect | None:
    if evidence is None:
        return None
    verdict = evidence.direction() if evidence.bet.is_proven else OPEN
    more = evidence.more_sessions if verdict == OPEN else None
    return BlockEffect(
        verdict=verdict, more_sessions=more, shown=_arm(evidence, shown=True), held=_arm(evidence, shown=False)
    )


def _costs(costs: Sequence[tuple[str, str, str, int]], known: Mapping[str, str]) -> list[HostCost]:
    """Return the cost by host: the one that a session's own file names, where it is known already."""
    hosts: dict[str, dict[str, int]] = {}
    for session, host, _, characters in costs:
        of_host = hosts.setdefault(known.get(session) or host or "unknown", {})
        of_host[session] = of_host.get(session, 0) + characters
    listed = []
    for host, sessions in sorted(hosts.items()):
        tokens = sum(sessions.values()) // CHARACTERS_PER_TOKEN
        listed.append(
            HostCost(host=host, sessions=len(sessions), tokens=tokens, tokens_per_session=tokens // len(sessions))
        )
    return listed


def _sessions(
    exposures: Sequence[Exposed], outcomes: Sequence[SessionOutcome], costs: Sequence[tuple[str, str, str, int]]
) -> list[SessionEffect]:
    """Return every session with an outcome, newest first."""
    arms: dict[str, list[bool]] = {}
    for one in exposures:
        if one.memory != holdout.BLOCK:
            arms.setdefault(one.session, []).append(one.shown)
    spent: dict[str, int] = {}
    for session, _, _, characters in costs:
        spent[session] = spent.get(session, 0) + characters
    same = ("session", "at", "host", "corrections", "same_errors", "edits_taken_back", "ended_red", "violations")
    more = ("interruptions", "failed_commands", "turns", "tokens", "seconds")
    return [
        SessionEffect(
            **{name: getattr(one, name) for name in (*same, *more)},
            shown=sum(arms.get(one.session, [])),
            held=sum(not shown for shown in arms.get(one.session, [])),
            trouble=one.troubled,
            injected_tokens=spent.get(one.session, 0) // CHARACTERS_PER_TOKEN,
        )
        for one in reversed(outcomes)
    ]


def _notes(project: Project, wanted: str, exposures: Sequence[Exposed]) -> list[str]:
    measuring = effect_settings.known(project.store)
    if not wanted:
        return _measurable(project, measuring.stated) if measuring.on and not exposures else []
    if any(one.memory == wanted for one in exposures):
        return []
    why = _spared(project, [wanted], measuring.stated)
    if why and why[0]:
        return [f"{wanted} is never held back ({why[0]}), so its effect cannot be measured."]
    return [f"{wanted} would not have been shown in any session yet."]


def _measurable(project: Project, with_stated: bool) -> list[str]:
    """Say how many memories a measurement that has not begun yet is about, when it is not about all."""
    ids = [row.memory.id for row in project.store.overview.memories(MOST_LOOKED_AT, phases=("live",))]
    why = [reason for reason in _spared(project, ids, with_stated) if reason]
    if not why:
        return []
    stated = sum(reason == holdout.STATED for reason in why)
    also = f"; {stated} you stated yourself, which `tenure effect start --stated` measures too" if stated else ""
    return [f"{len(ids) - len(why)} of {len(ids)} memories in use can be measured{also}."]


def _spared(project: Project, ids: Sequence[str], with_stated: bool) -> list[str]:
    """Return why each memory is never held back, empty for one that may be."""
    _, _, known = project.store.effects.known("", ids)
    top = project.policy.promotion.steps[-1].to if project.policy.promotion.steps else ""
    return [holdout.spared(holdout.Known(*each), top_state=top, with_stated=with_stated) for each in known]
