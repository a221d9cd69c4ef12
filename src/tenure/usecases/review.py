"""`review` and `log`: verdicts, uses and successors, and what waits for a reviewer."""

from __future__ import annotations

import msgspec

from tenure.model import clock
from tenure.model.actor import Presence
from tenure.model.errors import BadRequest, Refused
from tenure.model.memory import Memory
from tenure.model.policy import Policy
from tenure.rules import effect, transitions, worth
from tenure.rules import review as verdicts
from tenure.systems.api import System, Usage
from tenure.text.words import one_line
from tenure.usecases import intake, presence, quotes
from tenure.usecases.answers import Waiting, Written, written
from tenure.usecases.batch import Batch
from tenure.usecases.project import Project


def queue(project: Project, system: System) -> list[Waiting]:
    """Return the memories someone should look at, in the order in which a verdict is worth most."""
    waiting: list[tuple[worth.Place, Waiting]] = []
    policy, now = project.policy, project.now()
    steps = {step.source: step.successes for step in policy.promotion.steps if policy.phase(step.source) == "live"}
    rows = project.store.overview.waiting(now, steps)
    if project.agent:
        rows = [row for row in rows if row.memory.id not in project.waiting]
    store, listed = project.store, {row.memory.id for row in rows}
    conflicts = {id for row in rows for id in row.memory.conflicts} - listed
    here = listed | {id for id in conflicts if (other := store.get(id)) and other.memory.phase != "gone"}
    for row in rows:
        memory = row.memory
        # A contradiction with what is gone is settled.
        memory = msgspec.structs.replace(memory, conflicts=tuple(id for id in memory.conflicts if id in here))
        if reasons := verdicts.why_due(memory, policy, now):
            quote = quotes.of(project.store, memory.id)
            row_of = _waiting(memory, quote, "; ".join(reasons), system.reviewer(memory, policy), policy)
            waiting.append((worth.place(memory, quoted=bool(quote)), row_of))
    ordered = [item for _, item in sorted(waiting, key=lambda pair: pair[0])]
    return [*ordered, *_without_a_sign(project, system, {item.id for item in ordered}), *system.waiting(project)]


def _waiting(memory: Memory, quote: str, why: str, reviewer: str, policy: Policy) -> Waiting:
    keep, drop = verdicts.choices(memory, policy)
    return Waiting(
        id=memory.id,
        title=memory.title,
        state=memory.state,
        needs="a decision" if worth.is_stuck(memory) else verdicts.asked(memory, policy),
        reviewer=reviewer,
        why=why,
        kind=memory.kind,
        phase=memory.phase,
        text=memory.text,
        source=memory.source,
        trust=memory.trust,
        quote=quote,
        evidence=memory.evidence,
        evidence_count=memory.signals.evidence_count,
        uses=memory.signals.reuse_count,
        confidence=memory.signals.confidence / 100,
        files=memory.files,
        created_at=clock.stamp(memory.created_at),
        conflicts=memory.conflicts,
        keep=keep,
        drop=drop,
    )


def _without_a_sign(project: Project, system: System, known: set[str]) -> list[Waiting]:
    """Return the memories that were measured for long and show no effect; a person may let them go."""
    if not project.store.setting("effect"):
        return []
    from tenure.usecases import effect as measuring  # start-up: most stores measure nothing

    found = []
    for id in measuring.without_a_sign(project):
        row = project.store.get(id)
        if row is not None and row.memory.phase == "live" and id not in known:
            why = "no sign of an effect after many sessions (tenure effect)"
            quote = quotes.of(project.store, id)
            item = _waiting(row.memory, quote, why, system.reviewer(row.memory, project.policy), project.policy)
            found.append(msgspec.structs.replace(item, needs="retirement, or another chance"))
    return found


def review(
    project: Project, system: System, id: str, decision: str, *, by: str, rationale: str = "", successor: str = ""
) -> Written:
    """Give a verdict; it takes effect at once when everything else it needs is there."""
    row = project.store.get(project.resolve(id))
    assert row is not None
    if not system.agents_judge:
        project.needs_person("review")
    by = system.entitled(row.memory, decision, one_line(intake.safe(by), 100), project.policy)
    if decision == "supersede":
        if not successor:
            raise BadRequest(
                "A supersede verdict needs the memory that takes the place.",
                hint="Add --successor ID.",
                field="successor",
            )
        return supersede(project, system, id, successor, actor=by, reason=rationale, decision=decision)
    refused: list[str] = []

    def judge(batch: Batch, memory: Memory) -> Memory | None:
        said = intake.safe(rationale)
        # In an unattended home a script speaks for several people, so there a name is all there is.
        user = batch.actor.user if batch.actor.presence in (Presence.TERMINAL, Presence.TICKET) else ""
        events = verdicts.decide(memory, decision, batch.policy, batch.now, by=by, user=user, rationale=said)
        refused.extend(event.detail[verdicts.REFUSED] for event in events if verdicts.REFUSED in event.detail)
        return batch.record(memory, events)

    after = project.change(id, judge)
    if refused:
        # What the rule decided instead stands; the reviewer still hears no.
        raise Refused(refused[0], hint=f"`tenure history {after.id}` shows why.")
    return written(after, system.take_notes())


def log(
    project: Project,
    system: System,
    id: str,
    effect_: str,
    *,
    task: str = "",
    by: str = "",
    surface: str = "",
    contradiction: bool = False,
    notes: str = "",
) -> Written:
    """Record what came of using a memory; what is gone stays gone, and the answer says so."""
    used = system.usage(
        Usage(
            effect=effect_,
            task=one_line(intake.safe(task), 200),
            by=one_line(intake.safe(by), 100),
            surface=one_line(intake.safe(surface), 60),
            contradiction=contradiction,
        )
    )
    detail = {"surface": used.surface, "notes": intake.safe(notes)}
    is_report = not presence.is_persons(project.actor)

    def apply(batch: Batch, memory: Memory) -> Memory | None:
        events = effect.apply(
            memory,
            used.effect,
            batch.policy,
            batch.now,
            contradiction=used.contradiction,
            task=used.task,
            by=used.by,
            run_mark=batch.store.activity.runs(),
            is_report=is_report,
            detail={name: value for name, value in detail.items() if value},
        )
        after = batch.record(memory, events)
        return batch.settle(after) if after else None

    after = project.change(id, apply)
    told = system.take_notes()
    if after.phase == "gone":
        told.append(f"{after.id} is {after.state}, so agents do not see it. To use it again: tenure restore {after.id}")
    return written(after, told)


def supersede(
    project: Project,
    system: System,
    old: str,
    new: str,
    *,
    actor: str = "user",
    reason: str = "",
    decision: str = "",
) -> Written:
    """Let one memory take the place of another, and return the one that is gone; both remember it."""
    with project.changing(makes=False) as batch:
        first, second = batch.get(project.resolve(old)), batch.get(project.resolve(new))
        assert first and second
        project.keep_guarded(first, "supersede")
        why = intake.safe(reason)
        gone, took = transitions.supersede(first, second, batch.policy, batch.now, actor=actor, reason=why)
        after = batch.record(first, verdicts.named(gone, decision) if decision else gone)
        batch.record(second, took)
    return written(after or first, system.take_notes())
