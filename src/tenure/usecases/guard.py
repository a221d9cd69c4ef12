"""`guard`, `guards` and `allow`: proposing, confirming, trying, judging and lifting a memory's guard.

Agents may propose a guard. Making it act, making it stop or letting a call through needs a person.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from pathlib import Path

from msgspec.structs import replace

from tenure.guards import derive, ladder, replay
from tenure.guards.reworded import words_of
from tenure.guards.unchecked_condition import unchecked
from tenure.model import clock
from tenure.model.errors import BadRequest, Refused
from tenure.model.events import EventType
from tenure.model.evolve import change
from tenure.model.guard import Guard, Level, matcher
from tenure.model.memory import Memory
from tenure.store.records import GuardFire
from tenure.systems.api import System
from tenure.text.words import one_line
from tenure.usecases import past_calls
from tenure.usecases.answers import Written, written
from tenure.usecases.answers.guards import DryRun, GuardReport, PastFire
from tenure.usecases.batch import Batch
from tenure.usecases.project import Project

MOST_REPORTED = 1000
LOOKED_BACK_DAYS = 30
# Outcomes that are fires; the others are a person's.
FIRES = ("counted", "reminded", "slowed", "asked", "denied", "passed")
# Fires by which a call did not run at once.
STOPPED = ("slowed", "asked", "denied")


def propose(project: Project, system: System, id: str, guard: Guard | None = None) -> Written:
    """Give a memory a guard that waits for a person; without one, the one its words suggest."""

    def apply(batch: Batch, memory: Memory) -> Memory | None:
        if memory.guard_is_on:
            raise Refused(
                f"The guard of {memory.id} is on, and a proposal would switch it off.",
                hint="A person can change it with --level or switch it off with --off.",
            )
        found = guard or proposal(memory)
        checked = ladder.checked(replace(found, state="proposed"), batch.policy.guards)
        return _guarded(batch, memory, checked, "proposed")

    return written(project.change(id, apply), system.take_notes())


def proposal(memory: Memory) -> Guard:
    """Return the guard a memory has, or the one its words suggest; raise `BadRequest` when there is none."""
    if memory.guard is not None:
        return memory.guard
    found = derive.derive(words_of(memory))
    if found is None:
        raise BadRequest(
            f"{memory.id} names no command or path that a guard could check. Nothing was saved.",
            # Brackets, which a shell takes for redirections that fail: pasted as it stands, it guards nothing.
            hint="To write one yourself, fill in the capitals; an example is 'run LINE', 'edit PATH' or 'read PATH':"
            f"\n  tenure guard {memory.id} --level remind --command <COMMAND> --fires <EXAMPLE> --fires <EXAMPLE>"
            " --passes <EXAMPLE> --passes <EXAMPLE>",
        )
    return found.guard


def unchecked_condition(memory: Memory) -> str:
    """Return the words of a memory that narrow its rule and that the guard read off them does not check."""
    found = derive.derive(words_of(memory))
    if found is None or (memory.guard is not None and matcher(memory.guard) != matcher(found.guard)):
        return ""
    return unchecked(found.because, found.guard)


def confirm(
    project: Project,
    system: System,
    id: str,
    level: Level,
    *,
    guard: Guard | None = None,
    deny_now: bool = False,
    judged: Mapping[str, int] | None = None,
) -> Written:
    """Switch a guard on at a step of the ladder; needs a person, who may have judged fires of the past."""
    project.needs_person("guard")

    def apply(batch: Batch, memory: Memory) -> Memory | None:
        if memory.phase != "live":
            raise Refused(f"{memory.id} is {memory.state}; only a live memory can be a guard.")
        policy = batch.policy.guards
        others = [row for row in batch.store.find(phases=("live",)) if row.memory.id != memory.id]
        at_work = sum(ladder.active(row.memory.guard, row.memory.phase, batch.now) for row in others)
        if at_work >= policy.most:
            raise Refused(
                f"This project has {at_work} guards on, and the policy allows {policy.most}.",
                hint="`tenure guards` shows which never fire. Switch one off with: tenure guard ID --off",
            )
        wanted = guard or proposal(memory)
        for verdict, count in (judged or {}).items():
            for _ in range(count):
                wanted = ladder.judged(wanted, verdict, policy, batch.now)
        if wanted.wrong >= policy.wrong_to_off:
            raise Refused(f"You judged {wanted.wrong} past fires wrong, so the guard was not switched on.")
        found = ladder.confirmed(wanted, level, policy, batch.now, vouched=deny_now)
        return _guarded(batch, memory, found, f"switched on: {level}")

    return written(project.change(id, apply), system.take_notes())


def off(project: Project, system: System, id: str) -> Written:
    """Switch a guard off; needs a person."""
    project.needs_person("guard")

    def apply(batch: Batch, memory: Memory) -> Memory | None:
        if memory.guard is None:
            raise BadRequest(f"{memory.id} has no guard.")
        return _guarded(batch, memory, replace(memory.guard, state="off"), "switched off")

    return written(project.change(id, apply), system.take_notes())


def may_silence(project: Project) -> None:
    """Let nobody but a person silence hooks; the store in use does not tell whose guards fall silent with them."""
    if project.actor.is_agent or project.actor.detached:
        project.needs_person("off")


def judge(project: Project, system: System, id: str, verdict: str, *, fire: int = 0) -> Written:
    """Write down that a fire was right or wrong; needs a person."""
    if verdict not in (ladder.RIGHT, ladder.WRONG):
        raise BadRequest(f"{verdict!r} is not a verdict.", hint="Use right or wrong.")
    project.needs_person("guards")

    def apply(batch: Batch, memory: Memory) -> Memory | None:
        if memory.guard is None:
            raise BadRequest(f"{memory.id} has no guard.")
        guard = ladder.judged(memory.guard, verdict, batch.policy.guards, batch.now)
        event = change(memory, EventType.JUDGED, batch.now, set={"guard": guard}, actor="user", reason=verdict)
        return batch.record(memory, [event])

    after = project.change(id, apply)
    if fire:
        project.store.guards.judge(fire, verdict)
    return written(after, system.take_notes())


def allow(project: Project, id: str, *, session: bool = False) -> GuardFire:
    """Let the last call that a guard stopped through once, or every call of its session; needs a person."""
    memory = _memory(project, id)
    if memory.guard is None:
        raise BadRequest(
            f"{memory.id} has no guard, so it stops no call.",
            hint=f"`tenure guards` lists the guards; `tenure guard {memory.id}` makes one from this memory.",
        )
    wanted = FIRES if session else STOPPED
    stopped = [fire for fire in project.store.guards.fires(memory=memory.id) if fire.outcome in wanted]
    if not stopped:
        raise BadRequest(
            f"The guard of {memory.id} has {'not fired' if session else 'stopped no call'} yet.",
            hint="`tenure guards` shows which guards fired.",
        )
    project.needs_person("allow")
    outcome = "allow-session" if session else "allow-once"
    last = stopped[-1]
    fire = GuardFire(0, clock.stamp(project.now()), memory.id, last.session, last.host, outcome, last.about, last.call)
    project.store.guards.note(fire)
    return fire


def reports(project: Project) -> list[GuardReport]:
    """Return every guard with what came of it in the last days."""
    now = project.now()
    since = clock.stamp(clock.after(now, -LOOKED_BACK_DAYS))
    fired: dict[str, list[GuardFire]] = {}
    for fire in project.store.guards.fires(since=since):
        if fire.outcome in FIRES:
            fired.setdefault(fire.memory, []).append(fire)
    found = []
    present = ("pending", "live", "held")
    for row in project.store.overview.memories(MOST_REPORTED, phases=present, guarded=True, sort="oldest"):
        if row.memory.guard is not None:
            found.append(_report(row.memory, row.memory.guard, fired.get(row.memory.id, []), now))
    return found


def report_of(project: Project, id: str) -> GuardReport | None:
    """Return the guard of one memory with what came of it in the last days; None when it has none."""
    memory, now = _memory(project, id), project.now()
    if memory.guard is None:
        return None
    since = clock.stamp(clock.after(now, -LOOKED_BACK_DAYS))
    fires = project.store.guards.fires(memory=memory.id, since=since)
    return _report(memory, memory.guard, [fire for fire in fires if fire.outcome in FIRES], now)


def _report(memory: Memory, guard: Guard, fires: Sequence[GuardFire], now: datetime) -> GuardReport:
    return GuardReport(
        id=memory.id,
        title=memory.title,
        state=_state(memory, guard, ladder.active(guard, memory.phase, now)),
        level=guard.level,
        looks_for=guard.looks_for,
        fires=len(fires),
        # Of a call that was stopped and then let through, the stop is what is judged.
        unjudged=[_fire(one) for one in fires if not one.verdict and one.outcome != "passed"],
        right=guard.right,
        wrong=guard.wrong,
        until=clock.stamp(guard.until) if guard.until else "",
    )


def dry_run(project: Project, guard: Guard, *, days: int = LOOKED_BACK_DAYS, files: Sequence[Path] = ()) -> DryRun:
    """Return where a guard would have fired in the sessions agents have kept, and what followed."""
    root = project.place.project
    kept = past_calls.in_files(files) if files else past_calls.of_project(root, clock.after(project.now(), -days))
    made = list(past_calls.calls(kept))
    # Sessions from elsewhere lie under another folder; each is looked at from its own.
    fires = replay.over(matcher(guard), made, "" if files else str(root), str(Path.home()))
    return DryRun(
        sessions=len(kept),
        calls=len(made),
        fires=[
            PastFire(
                session=one.past.session,
                host=one.past.host,
                at=one.past.at,
                about=one.about,
                call=one_line(one.past.call.command or ", ".join(one.past.call.paths), 200),
                followed=one.followed,
            )
            for one in fires
        ],
    )


def _state(memory: Memory, guard: Guard, at_work: bool) -> str:
    if at_work or guard.state != "on":
        return guard.state
    return f"idle: the memory is {memory.state}" if memory.phase != "live" else "ended"


def _fire(fire: GuardFire) -> PastFire:
    return PastFire(
        session=fire.session, host=fire.host, at=fire.at, about=fire.about, call=fire.outcome, number=fire.number
    )


def _memory(project: Project, id: str) -> Memory:
    row = project.store.get(project.resolve(id))
    assert row is not None
    return row.memory


def _guarded(batch: Batch, memory: Memory, guard: Guard, why: str) -> Memory | None:
    if guard == memory.guard:
        return memory
    event = change(memory, EventType.GUARDED, batch.now, set={"guard": guard}, actor="user", reason=why)
    return batch.record(memory, [event])
