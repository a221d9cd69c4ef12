"""A whole store at a glance: lists a page at a time, the ledger, sessions, contradictions, and trends by week."""

from __future__ import annotations

from collections import Counter
from datetime import timedelta

import msgspec

from tenure.model import clock
from tenure.model.errors import BadRequest
from tenure.model.events import EventType
from tenure.spool import hook_times
from tenure.store.records import SessionOutcome
from tenure.usecases.answers.whole_store import (
    Contradiction,
    LedgerPage,
    MemoryPage,
    SessionInjection,
    SessionSeen,
    Totals,
    Trend,
    Week,
)
from tenure.usecases.project import Project
from tenure.usecases.prompt_server import database

SORTS = ("newest", "oldest", "weight", "id")
MOST_PER_PAGE = 200
MOST_WEEKS = 52
# So many of the last injections are looked through for the sessions they were in.
MOST_INJECTIONS = 1000
# And so many of the last entries of the ledger for what sessions taught and cited.
MOST_ENTRIES = 2000
PHASES = ("pending", "live", "held", "gone")
_ENDS = (EventType.DECAYED, EventType.RETIRED, EventType.ARCHIVED, EventType.FADED)
_BIRTHS = (EventType.CREATED, EventType.IMPORTED)
_REMOVED = (EventType.PURGED, EventType.FORGOTTEN, EventType.LOST)
_SAID_YES = (EventType.PROMOTED, EventType.KEPT, EventType.REINSTATED)


def browse(
    project: Project,
    *,
    limit: int,
    phase: str,
    state: str,
    kind: str,
    scope: str,
    file: str,
    text: str,
    sort: str,
    after: str,
) -> MemoryPage:
    """Return one page of memories; gone ones only when their phase or state is asked for."""
    if sort not in SORTS:
        raise BadRequest(f"{sort!r} is not an order; expected one of {', '.join(SORTS)}.", field="sort")
    limit = min(max(limit, 1), MOST_PER_PAGE)
    phases = (phase,) if phase in PHASES else () if state or phase == "all" else ("pending", "live", "held")
    rows = project.store.overview.memories(
        limit + 1, phases=phases, state=state, kind=kind, scope=scope, file=file, text=text, sort=sort, after=after
    )
    shown = [row.memory for row in rows[:limit]]
    return MemoryPage(memories=shown, next=shown[-1].id if len(rows) > limit else "")


def totals(project: Project) -> Totals:
    """Return how many memories there are; states in the order of the policy."""
    states: Counter[str] = Counter()
    kinds: Counter[str] = Counter()
    for (_, state, kind), number in project.store.counts().items():
        states[state] += number
        kinds[kind] += number
    known = {state: states[state] for state in project.policy.states if state in states}
    return Totals(memories=states.total(), states=known, kinds=dict(sorted(kinds.items())))


def ledger(project: Project, *, limit: int, before: int | None, type: str, id: str, actor: str) -> LedgerPage:
    """Return one page of the ledger, newest first."""
    limit = min(max(limit, 1), MOST_PER_PAGE)
    found = project.store.overview.entries(limit + 1, before=before, type=type, id=id, actor=actor)
    return LedgerPage(entries=found[:limit], next=found[limit - 1].seq if len(found) > limit else None)


def contradictions(project: Project, limit: int) -> list[Contradiction]:
    """Return pairs that contradict each other, each once, where neither is gone."""
    store, pairs = project.store, dict[tuple[str, str], Contradiction]()
    for row in store.overview.memories(limit * 2, phases=PHASES[:3], conflicting=True):
        for id in row.memory.conflicts:
            other = store.get(id)
            key = (min(row.memory.id, id), max(row.memory.id, id))
            if other is not None and other.memory.phase != "gone" and key not in pairs:
                left, right = sorted((row.memory, other.memory), key=lambda memory: (memory.created_at, memory.id))
                pairs[key] = Contradiction(left=left, right=right)
    return list(pairs.values())[:limit]


def sessions(project: Project, limit: int) -> list[SessionSeen]:
    """Return the last sessions, newest first: those that were shown something, and those that ended otherwise."""
    store = project.store
    shown: dict[str, list[SessionInjection]] = {}
    ids: dict[str, list[str]] = {}
    for past in store.activity.shown(MOST_INJECTIONS):
        if past.run not in shown and len(shown) >= limit:
            continue
        shown.setdefault(past.run, []).append(SessionInjection(**past.facts(), ids=past.ids))
        ids.setdefault(past.run, []).extend(past.ids)
    outcomes = {outcome.session: outcome for outcome in store.effects.outcomes(limit=limit)}
    cited, learned = _cited_and_learned(project)
    found = []
    for run in [*shown, *(session for session in outcomes if session not in shown)]:
        listed, outcome = shown.get(run, []), outcomes.get(run)
        ended = outcome.at if outcome else ""
        held = [each.memory for each in store.effects.exposures(session=run) if not each.shown] if run else []
        found.append(
            SessionSeen(
                session=run,
                agent=(listed[0].agent if listed else "") or (outcome.host if outcome else ""),
                began=listed[-1].at if listed else ended,
                last=max([ended, *(each.at for each in listed)]),
                injections=listed,
                shown=list(dict.fromkeys(ids.get(run, ()))),
                held=held,
                cited=cited.get(run, []),
                learned=learned.get(run, []),
                outcome=_plain(outcome) if outcome else None,
            )
        )
    return sorted(found, key=lambda each: each.last, reverse=True)[:limit]


def _cited_and_learned(project: Project) -> tuple[dict[str, list[str]], dict[str, list[str]]]:
    """Return session -> ids of memories it cited, and of those it taught, as far back as the last entries go."""
    cited: dict[str, dict[str, None]] = {}
    learned: dict[str, dict[str, None]] = {}
    for entry in project.store.overview.entries(MOST_ENTRIES):
        event = entry.event
        if event.type == EventType.APPLIED and str(event.detail.get("surface", "")).startswith("outcome:"):
            cited.setdefault(event.task or "", {})[event.memory_id] = None
        elif event.type == EventType.CREATED and event.run:
            learned.setdefault(event.run, {})[event.memory_id] = None
    return {run: list(ids) for run, ids in cited.items()}, {run: list(ids) for run, ids in learned.items()}


def _plain(outcome: SessionOutcome) -> dict[str, int | str | bool | None]:
    left_out = ("session", "at", "errors", "trouble_at")
    facts = msgspec.structs.asdict(outcome)
    return {**{name: value for name, value in facts.items() if name not in left_out}, "troubled": outcome.troubled}


def trend(project: Project, weeks: int) -> Trend:
    """Return the last weeks, oldest first; what there was at the end of each is counted back from now."""
    store, now = project.store, project.now()
    weeks = min(max(weeks, 1), MOST_WEEKS)
    monday = now.date() - timedelta(days=now.weekday())
    mondays = [monday - timedelta(weeks=back) for back in range(weeks)]
    since = now - timedelta(days=now.weekday() + 7 * (weeks - 1), hours=now.hour, minutes=now.minute)
    counts: dict[str, Counter[str]] = {str(each): Counter() for each in mondays}
    moved: dict[str, Counter[str]] = {str(each): Counter() for each in mondays}
    for week, type, before, after, number in store.overview.weekly(since):
        if week not in counts:
            continue
        counts[week][type] += number
        if type in _BIRTHS:
            # What its phase was is erased with a memory; nearly all of them were gone.
            moved[week][after or "gone"] += number
        elif type in _REMOVED:
            moved[week]["gone"] -= number
        elif after and before:
            moved[week][after] += number
            moved[week][before] -= number
    shown: Counter[str] = Counter()
    for past in store.activity.shown(MOST_INJECTIONS):
        shown[_monday(past.at)] += 1
    waited: dict[str, list[hook_times.HookTime]] = {}
    for each in hook_times.read(database(project.place)):
        waited.setdefault(_monday(each.at), []).append(each)
    phases: Counter[str] = Counter()
    for (phase, _, _), number in store.counts().items():
        phases[phase] += number
    live = phases["live"]
    found = []
    for start in mondays:
        name = str(start)
        happened, prompts = counts[name], waited.get(name, [])
        times = [prompt.milliseconds for prompt in prompts]
        found.append(
            Week(
                monday=name,
                phases=_at_most({phase: max(0, phases[phase]) for phase in PHASES}, phases.total()),
                born=sum(happened[type] for type in _BIRTHS),
                promoted=happened[EventType.PROMOTED],
                decayed=sum(happened[type] for type in _ENDS),
                approved=sum(happened[type] for type in _SAID_YES),
                rejected=happened[EventType.REJECTED],
                injections=shown[name],
                prompts=len(prompts),
                silent=sum(prompt.shown is False for prompt in prompts),
                given_up=sum(prompt.shown is None for prompt in prompts),
                half_ms=hook_times.percentile(times, 0.5),
                most_ms=hook_times.percentile(times, 0.95),
            )
        )
        phases.subtract(moved[name])
    verified = store.overview.unverified_days(now)
    return Trend(weeks=found[::-1], unverified=verified, never_verified=live - sum(verified.values()))


def _at_most(phases: dict[str, int], total: int) -> dict[str, int]:
    """Return the phases of so many memories: one whose file was lost counts as gone only from its birth on."""
    excess = sum(phases.values()) - total
    return {**phases, "gone": max(0, phases["gone"] - excess)}


def _monday(stamp: str) -> str:
    at = clock.parse(stamp)
    return str(at.date() - timedelta(days=at.weekday()))
