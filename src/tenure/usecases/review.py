"""`review` and `log`: verdicts, uses and successors."""

from __future__ import annotations

from tenure.model.actor import Presence
from tenure.model.errors import BadRequest, Refused
from tenure.model.events import EventType
from tenure.model.memory import Memory
from tenure.rules import transitions, use_counts, verdicts
from tenure.systems.api import System, Usage
from tenure.text.words import one_line
from tenure.usecases import doubted_verdicts, intake, person_gate, project_trust, suggested
from tenure.usecases.answers import Written, written
from tenure.usecases.batch import Batch
from tenure.usecases.project import Project


def review(
    project: Project, system: System, id: str, decision: str, *, by: str, rationale: str = "", successor: str = ""
) -> Written:
    """Give a verdict; it takes effect at once when everything else it needs is there."""
    if (decided := suggested.judge(project, system, id, decision)) is not None:
        return decided
    row = project.store.get(project.resolve(id))
    assert row is not None
    if not system.agents_judge:
        project.needs_person("review")
    by = system.entitled(row.memory, decision, one_line(intake.safe(by), 100), project.policy)
    if decision == "supersede":
        if not successor:
            raise BadRequest(
                "A supersede verdict needs the memory that replaces it.",
                hint="Add --successor ID.",
                field="successor",
            )
        return supersede(project, system, id, successor, actor=by, reason=rationale, decision=decision)
    refused: list[str] = []

    def judge(batch: Batch, memory: Memory) -> Memory | None:
        said = intake.safe(rationale)
        # In an unattended home a script speaks for several people, so there a name is all there is.
        known = batch.actor.presence in (Presence.TERMINAL, Presence.TICKET) or batch.store.team is not None
        user = batch.actor.user if known else ""
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
    kept: list[str] = []

    def is_report() -> bool:
        # Asked where the store is held: only then is known whether it knows an unattended home.
        return not person_gate.is_persons(project.actor) or project.is_agents_role

    def apply(batch: Batch, memory: Memory) -> Memory | None:
        events = use_counts.apply(
            memory,
            used.effect,
            batch.policy,
            batch.now,
            contradiction=used.contradiction,
            task=used.task,
            by=used.by,
            run_mark=batch.store.runs(),
            is_report=is_report(),
            detail={name: value for name, value in detail.items() if value},
        )
        if project.is_agents_role and any(event.type == EventType.HELD for event in events):
            # The database lets no agent's role take a memory from everybody; the report itself must not be lost.
            events = [event for event in events if event.type != EventType.HELD]
            kept.append(f"{memory.id} stays in use until a person decides; your report is in their queue.")
        after = batch.record(memory, events)
        return batch.settle(after) if after else None

    after = project.change(id, apply)
    told = [*system.take_notes(), *kept[-1:]]
    if used.effect == "positive" and not project.policy.confidence.count_reports and is_report():
        told.append(f"Noted as a use of {after.id}, not as a success. {_how_it_counts(project)}")
    if after.phase == "gone":
        told.append(f"{after.id} is {after.state}, so agents do not see it. To use it again: tenure restore {after.id}")
    return written(after, told)


def _how_it_counts(project: Project) -> str:
    if project.in_strangers_home:
        return (
            "This store does not know the unattended home in use."
            f" Let it in, in a terminal of your own without TENURE_HOME: {project_trust.let_in_command()}"
        )
    if project.actor.is_agent or project.is_agents_role:
        return "An agent's word does not count as one: a person reports it in a terminal of their own."
    return f"A success counts when a person reports it at a terminal. {person_gate.FOR_SCRIPTS}"


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
        doubted_verdicts.keep_from_agents(project, first, "supersede")
        why = intake.safe(reason)
        gone, took = transitions.supersede(first, second, batch.policy, batch.now, actor=actor, reason=why)
        after = batch.record(first, verdicts.named(gone, decision) if decision else gone)
        batch.record(second, took)
    return written(after or first, system.take_notes())
