"""Verdicts given on a terminal with no person in sight.

A process that left its agent can open a terminal of its own and type the word there; so can a person's `expect`
script. Nobody can tell the two apart, so the verdict counts, is in the ledger with the program that held the
terminal, and is reported until a person decides again where one was seen.
"""

from __future__ import annotations

from collections.abc import Sequence

from tenure.model import clock
from tenure.model.actor import Actor, Kind
from tenure.model.events import Recorded
from tenure.usecases import unwatched_acts
from tenure.usecases.learned_lately import TOLD_DAYS
from tenure.usecases.project import Project
from tenure.usecases.unproved_verdicts import NEWEST
from tenure.usecases.unwatched_acts import Act
from tenure.usecases.without_terminal import comes_into_use, newest_first, who_of, without_terminal


def unseen(project: Project) -> dict[str, str]:
    """Return why a person is asked about what nobody was seen to write or decide lately: each memory once.

    On a terminal with no person in sight nobody is asked about such terminals: an answer there would settle nothing.
    """
    entries = newest_first(project, NEWEST)
    found = dict.fromkeys(without_terminal(project, entries), "came into use without a terminal")
    if project.actor.unwatched:
        return found
    for id, terminal in decided(project, entries, all_times=False).items():
        found.setdefault(id, f"decided on a terminal with no person in sight (opened by {terminal})")
    return found


def decided(project: Project, entries: Sequence[Recorded], *, all_times: bool) -> dict[str, str]:
    """Return the memories that were decided so, newest first, each with the program that held the terminal.

    `entries` are the newest of the ledger; of those older than `TOLD_DAYS` only `check` tells. Whoever set the clock
    could write any date, so that is told until a person decides.
    """
    since = "" if all_times else clock.stamp(clock.after(project.now(), -TOLD_DAYS))
    settled: set[str] = set()
    found: dict[str, str] = {}
    for entry in entries:
        id, who = entry.event.memory_id, who_of(entry)
        if id in settled or id in found or who.kind is not Kind.PERSON or not _decides(project, entry, who):
            continue
        if not who.unwatched:
            settled.add(id)
        elif (who.set_clock or clock.stamp(entry.event.at) >= since) and (who.present or _is_live(project, id)):
            found[id] = who.terminal
    return found


def _is_live(project: Project, id: str) -> bool:
    # A candidate that was written there is in nobody's use yet, so that its verdict is the next to be looked at.
    row = project.store.get(id)
    return row is not None and row.memory.phase == "live"


def _decides(project: Project, entry: Recorded, who: Actor) -> bool:
    if who.present:
        return True
    # In another system's folder everything written is in use, and its own programs write as well.
    return project.place.native and not who.detached and comes_into_use(entry)


def acts(project: Project) -> list[Act]:
    """Return what was decided this way in the last weeks and is in no memory's history, most important first."""
    return unwatched_acts.since(clock.stamp(clock.after(clock.unfrozen(), -TOLD_DAYS)), project.place.url)
