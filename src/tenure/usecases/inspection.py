"""Read-only inspection: why a memory has the state it has, what waits, what is damaged."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

import msgspec

from tenure import store as stores
from tenure.files import OURS_LAYER, TEAM
from tenure.model import actor as actors
from tenure.model import clock
from tenure.model.events import WHO, EventType
from tenure.rules import promote
from tenure.rules.staleness import staleness
from tenure.store.api import Store
from tenure.systems.api import System, check_paths
from tenure.usecases import notices, review_queue, unproved_verdicts
from tenure.usecases.answers import Problem, Progress
from tenure.usecases.answers.found import Listed, PastInjection
from tenure.usecases.answers.looked import HeldBack, Status, Why
from tenure.usecases.project import Project
from tenure.usecases.team_file import COMMIT

# So many of the last injections of a memory are named.
MOST_INJECTIONS = 5
WEEK_DAYS = 7
# Injections of a week that `status` looks at.
MOST_OF_A_WEEK = 5000
# So many injections of the last session are added up.
MOST_OF_A_SESSION = 200
# Tokens are counted as the hooks count them.
CHARACTERS_PER_TOKEN = 4


def why(project: Project, id: str) -> Why:
    """Return the exact conditions a memory still misses, and its contradictions."""
    if id.startswith(OURS_LAYER) and project.from_other_layer(id) is not None:
        return _why_of_team(project, id)
    policy, store = project.policy, project.store
    row = store.get(project.resolve(id))
    assert row is not None
    memory = row.memory
    step = policy.step_from(memory.state)
    reasons = []
    waits = memory.id in project.waiting
    if waits:
        reasons.append(promote.Need("waits", 0, 1, "it came with a commit and waits: tenure trust"))
    if memory.phase == "pending" and step:
        reasons.append(promote.Need("pending", 0, 1, f"it is a {memory.state} and may not influence an agent yet"))
    if memory.phase == "held":
        times = f"under review ({memory.times_held} of {policy.promotion.hold.rounds} times)"
        reasons.append(promote.Need("held", memory.times_held, policy.promotion.hold.rounds, times))
    if memory.phase == "gone":
        after = f", superseded by {memory.superseded_by}" if memory.superseded_by else ""
        reasons.append(promote.Need("gone", 0, 1, f"it is {memory.state}{after}"))
    if step:
        reasons += [
            promote.Need(need.code, need.have, need.need, f"for {step.to}: {need.text}")
            for need in promote.needs(memory, policy)
        ]
    for other in memory.conflicts:
        against = store.get(other)
        if against and against.memory.phase != "gone":
            text = f"contradicts {other} ({against.memory.state}): {against.memory.title}"
            reasons.append(promote.Need("contradicts", 1, 0, text))
    return Why(
        id=memory.id,
        state=memory.state,
        eligible=memory.phase == "live" and not waits,
        next_state=step.to if step else None,
        reasons=reasons,
        staleness=round(staleness(memory, policy, project.now()), 1),
        injections=injections_of(project, memory.id),
        decided_by=_decided_by(store, memory.id),
    )


def _why_of_team(project: Project, id: str) -> Why:
    """Return why a memory of the team is shown or not, and who let it in."""
    from tenure.usecases import team_replica, team_review  # start-up: only where a team shares

    row = project.row(id)
    assert row is not None and project.ours is not None
    memory = row.memory
    waits = id in project.waiting
    reasons = []
    if waits:
        reasons.append(promote.Need("waits", 0, 1, "nobody here has agreed to what its file says: tenure trust"))
    if memory.id in team_replica.elsewhere(project.ours):
        text = f"it is true from commit {memory.extra.get(COMMIT, '')[:12]} on, which is not part of this history"
        reasons.append(promote.Need("commit", 0, 1, text))
    if memory.phase != "live":
        reasons.append(promote.Need(memory.phase, 0, 1, f"its file says {memory.state}"))
    if not team_review.is_committed(project, id):
        reasons.append(promote.Need("uncommitted", 0, 1, "its file differs from the last commit"))
    return Why(
        id=id,
        state=memory.state,
        eligible=not [reason for reason in reasons if reason.code != "uncommitted"],
        next_state=None,
        reasons=reasons,
        staleness=round(staleness(memory, project.policy, project.now()), 1),
        injections=injections_of(project, id),
        path=f"{TEAM}/{memory.id}.md",
        owners=team_review.owners_of(project, id),
        reviewed=team_review.of_file(project, id),
    )


def _decided_by(store: Store, id: str) -> str:
    """Return who made the entry that gave a memory its state."""
    for entry in reversed(store.history(id)):
        if "state" in entry.event.set:
            who = actors.read(entry.event.detail.get(WHO))
            return who.in_words if who else entry.event.actor
    return ""


def injections_of(project: Project, id: str) -> list[PastInjection]:
    """Return when a memory was shown last, newest first."""
    return [PastInjection(**found.facts()) for found in project.store.activity.shown(MOST_INJECTIONS, id=id)]


def injections(project: Project, *, limit: int = 20, run: str = "", task: str = "", agent: str = "") -> list[Listed]:
    """Return the newest injections; run, task and agent narrow them."""
    found = project.store.activity.shown(limit, run=run, task=task, agent=agent)
    return [Listed(**shown.facts(), memories=len(shown.ids)) for shown in found]


def status(project: Project, system: System) -> Status:
    """Return counts by state, what is due, sizes and where the store is."""
    store, place, policy = project.store, project.place, project.policy
    states: dict[str, int] = {}
    kinds: dict[str, int] = {}
    pending = 0
    for (phase, state, kind), count in store.counts().items():
        pending += count if phase == "pending" else 0
        states[state] = states.get(state, 0) + count
        kinds[kind] = kinds.get(kind, 0) + count
    since = clock.after(project.now(), -WEEK_DAYS)
    week = clock.stamp(since)
    recent = [shown for shown in store.activity.shown(MOST_OF_A_WEEK) if shown.at >= week]
    size = place.path.stat().st_size if place.path.is_file() else 0
    noticed = notices.notices(project, unproved_verdicts.NEWEST)
    return Status(
        store=place.url,
        chosen_by=place.origin,
        policy=policy.name,
        memories=sum(states.values()),
        states={state: states[state] for state in policy.states if state in states},
        kinds=kinds,
        due=store.overview.count_due(project.now()),
        runs=store.runs(),
        session_tokens=policy.inject.session_tokens,
        last_session_tokens=_last_session_tokens(store),
        bytes=size,
        now=clock.stamp(project.now()),
        older=project.older or msgspec.UNSET,
        effect=_effect(store) or msgspec.UNSET,
        waiting=len(project.waiting) or msgspec.UNSET,
        unproved=[entry.seq for entry in unproved_verdicts.unproved(project, system, unproved_verdicts.NEWEST)]
        or msgspec.UNSET,
        from_your_words=noticed.from_your_words or msgspec.UNSET,
        doubted=noticed.doubted or msgspec.UNSET,
        without_terminal=noticed.without_terminal or msgspec.UNSET,
        unwatched=noticed.unwatched or msgspec.UNSET,
        notices=noticed.said or msgspec.UNSET,
        undecided=review_queue.page(project, system, 0, 1).total if store.exists else 0,
        pending=pending,
        learned_this_week=_learned_since(store, since),
        injections_this_week=len(recent),
        shown_this_week=len({id for shown in recent for id in shown.ids}),
    )


def _learned_since(store: Store, moment: datetime) -> int:
    """Count the memories written down since a time."""
    new = (EventType.CREATED, EventType.IMPORTED)
    return sum(count for _, type, _, _, count in store.overview.weekly(moment) if type in new)


def _effect(store: Store) -> HeldBack | None:
    """Return what is held back, None where effects were never measured."""
    if not store.setting("effect"):
        return None
    from tenure.usecases import effect_settings  # start-up: most stores measure nothing

    exposures = store.effects.exposures()
    over = {one.session for one in exposures} & {one.session for one in store.effects.outcomes()}
    return HeldBack(
        on=effect_settings.known(store).on,
        exposures=len(exposures),
        held=sum(not one.shown for one in exposures),
        sessions=len(over),
    )


def _last_session_tokens(store: Store) -> int:
    """Return what the hooks showed the session that was shown something last."""
    newest = store.activity.shown(1)
    if not newest or not newest[0].run:
        return 0
    numbers = [past.number for past in store.activity.shown(MOST_OF_A_SESSION, run=newest[0].run)]
    shown = (found for number in numbers if (found := store.activity.injection(number)))
    return sum(note.chars for found in shown for note in found.notes) // CHARACTERS_PER_TOKEN


def check(
    project: Project, system: System, progress: Progress | None = None, paths: Sequence[str] = ()
) -> list[Problem]:
    """Prove every row by folding the ledger, and files against their schemas; return what does not hold."""
    if paths:
        return check_paths(system, project.place, paths)
    path = project.store.place
    problems = [
        *system.check(()),
        *(
            Problem(path=path, field=field, message=message)
            for field, message in project.store.health.check(project.policy, progress)
        ),
    ]
    problems += [
        Problem(path=path, field=f"ledger entry {entry.seq}", message=unproved_verdicts.in_words(entry))
        for entry in unproved_verdicts.unproved(project, system)
    ]
    if older := project.older:
        problems.append(Problem(path=path, field="ledger", message=older))
    elif not problems:
        project.keep_head()
    return problems


def engine() -> str:
    """Return what the store runs on, with its version."""
    return stores.engine()
