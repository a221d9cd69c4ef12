"""What waits for a reviewer, most valuable verdict first: all of it, a page, or some by name.

A memory's place was decided when it was written, so a page reads a page. Only where other rules decided it, of an
earlier version or policy, is everything looked through; `tenure upkeep` updates the place.
"""

from __future__ import annotations

import heapq
from collections.abc import Collection, Iterator, Sequence
from datetime import datetime
from itertools import islice
from typing import TYPE_CHECKING, cast

import msgspec

from tenure.model import clock
from tenure.model.memory import Memory
from tenure.model.policy import Policy
from tenure.rules import queue_order as waits
from tenure.rules import verdicts
from tenure.store.records import Row
from tenure.systems.api import System
from tenure.text.words import clean, one_line
from tenure.usecases import doubted_verdicts, quotes, unwatched_verdicts
from tenure.usecases.answers.looked import QueuePage, Waiting
from tenure.usecases.project import Project

if TYPE_CHECKING:
    from tenure.store.api import TeamStore

# So many rows are read at once.
_AT_ONCE = 500
# So many memories that one contradicts are quoted, and so much of each.
_MOST_OPPOSITES, _TITLE_CHARS = 3, 80
# A place, and the memory that has it: as a row where it was read already, else by its number.
_Placed = tuple[waits.Place, int, Row | None]


def queue(project: Project, system: System) -> list[Waiting]:
    """Return everything that waits."""
    _, placed = _placed(project)
    found = list(_described(project, system, placed))
    if project.agent:
        found = [item for item in found if item.id not in project.waiting]
    return [*found, *_besides(project, system)]


def page(project: Project, system: System, start: int, limit: int, last: Collection[str] = ()) -> QueuePage:
    """Return `limit` of what waits from the place `start` on, counted from 0; `last` are ids put off to the end."""
    count, placed = _placed(project)
    end = sorted(_looked_at(project, _rows(project, last)), key=_order)
    numbers = {number for _, number, _ in end}
    main = (each for each in placed if each[1] not in numbers)
    items = list(_described(project, system, islice(main, start, start + limit)))
    besides = _besides(project, system)
    if len(items) < limit:
        tail = [*_described(project, system, iter(end)), *besides]
        skipped = max(0, start - (count - len(end)))
        items += tail[skipped : skipped + limit - len(items)]
    return QueuePage(total=count + len(besides), items=items)


def some(project: Project, system: System, ids: Sequence[str]) -> list[Waiting]:
    """Return those of the memories that wait."""
    found = list(_described(project, system, iter(_looked_at(project, _rows(project, ids)))))
    known = {item.id for item in found}
    return [*found, *(item for item in _besides(project, system) if item.id in ids)] if known != {*ids} else found


def _rows(project: Project, ids: Collection[str]) -> list[Row]:
    return [row for id in dict.fromkeys(ids) if (row := project.store.get(id)) is not None]


def _placed(project: Project) -> tuple[int, Iterator[_Placed]]:
    """Return how many wait, and each with its place, in order."""
    store, policy, now = project.store, project.policy, project.now()
    index = store.overview.queue(now, waits.rules_number(policy))
    if index is None:
        steps = {step.source: step.successes for step in policy.promotion.steps if policy.phase(step.source) == "live"}
        found = sorted(_looked_at(project, store.overview.waiting(now, steps)), key=_order)
        return len(found), iter(found)
    contested = sorted(_looked_at(project, index.contested), key=_order)
    others: Iterator[_Placed] = (((bool(free), said, rest), n, None) for (free, said, rest), n in index.in_order)
    return index.total + len(contested), heapq.merge(others, contested, key=_order)


def _order(placed: _Placed) -> waits.Place:
    return placed[0]


def _looked_at(project: Project, rows: Sequence[Row]) -> list[_Placed]:
    """Return those of the rows that somebody should look at now, with their places."""
    store, policy, now = project.store, project.policy, project.now()
    found: list[_Placed] = []
    for row, memory in zip(rows, _unsettled(project, rows), strict=True):
        if waits.why_due(memory, policy, now):
            quoted = bool(quotes.of(store, memory.id))
            found.append((waits.place(memory, quoted=quoted), row.number, msgspec.structs.replace(row, memory=memory)))
    return found


def _unsettled(project: Project, rows: Sequence[Row]) -> list[Memory]:
    """Return the memories without contradictions of what is gone: those are settled."""
    known = {row.memory.id: row.memory.phase != "gone" for row in rows}
    for id in {id for row in rows for id in row.memory.conflicts} - known.keys():
        other = project.store.get(id)
        known[id] = other is not None and other.memory.phase != "gone"
    return [
        msgspec.structs.replace(row.memory, conflicts=tuple(id for id in row.memory.conflicts if known[id]))
        if row.memory.conflicts
        else row.memory
        for row in rows
    ]


def _described(project: Project, system: System, placed: Iterator[_Placed]) -> Iterator[Waiting]:
    """Return what one needs to know of each to decide."""
    policy, now = project.policy, project.now()
    while some := list(islice(placed, _AT_ONCE)):
        numbers = [number for _, number, row in some if row is None]
        read = {row.number: row for row in project.store.find(numbers=numbers)} if numbers else {}
        for _, number, row in some:
            row = row or read.get(number)
            if row is not None and (why := _why(row.memory, policy, now)):
                if said := _opposites(project, row.memory):
                    why = "; ".join([*(each for each in why.split("; ") if not each.startswith("contradicts ")), *said])
                quote = quotes.of(project.store, row.memory.id)
                yield _waiting(row.memory, quote, why, system.reviewer(row.memory, policy), policy)


def _why(memory: Memory, policy: Policy, now: datetime) -> str:
    return "; ".join(waits.why_due(memory, policy, now))


def _opposites(project: Project, memory: Memory) -> list[str]:
    """Return what each memory says that this one contradicts, and what is opposite in the two; nothing for agents.

    It is found anew each time: no entry of the ledger may quote a memory that can be forgotten.
    """
    if not memory.conflicts or project.agent:
        return []
    from tenure.rules import contradict  # start-up: few of what waits contradicts anything

    found = []
    for number, id in enumerate(memory.conflicts):
        row = project.store.get(id) if number < _MOST_OPPOSITES else None
        if row is None:
            found.append(f"contradicts {id}")
        elif row.memory.phase != "gone":
            why = contradict.contradictions(memory, [row.memory], project.policy).get(id, "")
            title = one_line(row.memory.title, _TITLE_CHARS)
            found.append(f'contradicts {id} "{title}"{f": {one_line(why, 2 * _TITLE_CHARS)}" if why else ""}')
    return found


def _besides(project: Project, system: System) -> list[Waiting]:
    """Return what waits without standing in the order: no sign of an effect, and what a system keeps elsewhere."""
    found = [*_without_a_sign(project, system), *_doubted(project, system), *system.waiting(project)]
    known = {item.id for item in found}
    found += [item for item in _unseen(project, system) if item.id not in known]
    if project.place.address and not project.agent:
        from tenure.usecases import outbox  # start-up: only where a team has a database

        found += [*_reported(project, system), *outbox.for_review(project)]
    return found


def _doubted(project: Project, system: System) -> list[Waiting]:
    """Return what sessions speak against and only a person may take away, unless it is in the queue already."""
    found = []
    for id, why in doubted_verdicts.waiting(project.store).items():
        row = project.store.get(id)
        if row is not None and not _looked_at(project, [row]):
            policy = project.policy
            found.append(
                _waiting(row.memory, quotes.of(project.store, id), why, system.reviewer(row.memory, policy), policy)
            )
    return found


def _unseen(project: Project, system: System) -> list[Waiting]:
    """Return what came into use, or was decided, with no person in sight, as `status` names it."""
    found = []
    for id, why in unwatched_verdicts.unseen(project).items():
        row = project.store.get(id)
        if row is not None and row.memory.phase != "gone" and not _looked_at(project, [row]):
            quote = quotes.of(project.store, id)
            item = _waiting(row.memory, quote, why, system.reviewer(row.memory, project.policy), project.policy)
            found.append(msgspec.structs.replace(item, needs="a decision", keep="keep"))
    return found


def _reported(project: Project, system: System) -> list[Waiting]:
    """Return what an agent's role reports harm of: one report takes nothing out of use in a team's database."""
    if project.offline is not None or not project.store.exists:
        return []
    found = []
    for report in cast("TeamStore", project.store).reports(_AT_ONCE):
        row = project.store.get(report.id)
        if row is not None and not _looked_at(project, [row]):
            policy = project.policy
            said = f": {one_line(clean(report.notes), 200)}" if report.notes else ""
            why = f"{report.by} reports that it did harm{said}"
            quote = quotes.of(project.store, report.id)
            item = _waiting(row.memory, quote, why, system.reviewer(row.memory, policy), policy)
            found.append(msgspec.structs.replace(item, needs="a decision", keep="keep"))
    return found


def _waiting(memory: Memory, quote: str, why: str, reviewer: str, policy: Policy) -> Waiting:
    keep, drop = verdicts.choices(memory, policy)
    return Waiting(
        id=memory.id,
        title=memory.title,
        state=memory.state,
        needs="a decision" if waits.is_stuck(memory) else verdicts.awaited_verdict(memory, policy),
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


def _without_a_sign(project: Project, system: System) -> list[Waiting]:
    """Return the memories that were measured for long and show no effect; a person may let them go."""
    if not project.store.setting("effect"):
        return []
    from tenure.usecases import effect as measuring  # start-up: most stores measure nothing

    found = []
    for id in measuring.without_a_sign(project):
        row = project.store.get(id)
        if row is not None and row.memory.phase == "live" and not _looked_at(project, [row]):
            why = "no sign of an effect after many sessions (tenure effect)"
            quote = quotes.of(project.store, id)
            item = _waiting(row.memory, quote, why, system.reviewer(row.memory, project.policy), project.policy)
            found.append(msgspec.structs.replace(item, needs="retirement, or another chance"))
    return found
