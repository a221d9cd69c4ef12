"""What a person should know that is not damage: what came into use without them, and what is not as it was.

`status` and `check` print the same sentences; `status` looks at the newest entries of the ledger, `check` at all.
"""

from __future__ import annotations

from collections.abc import Sequence

from tenure.files import USER_LAYER
from tenure.usecases import (
    agreed_drafter,
    doubted_verdicts,
    learned_lately,
    other_store,
    unwatched_verdicts,
    without_terminal,
)
from tenure.usecases.answers.looked import Notices
from tenure.usecases.project import Project

# So many ids stand in a sentence; `--json` has all.
MOST_NAMED = 50
_KEEP, _DROP = "Keep: tenure review ID --keep", "Drop: tenure retire ID"


def notices(project: Project, newest: int | None = None) -> Notices:
    """Return what a person should know of; `newest` bounds how many entries of the ledger are looked at."""
    words, against = learned_lately.lately(project), _doubted(project)
    lead = (
        other_store.elsewhere(project.place, project.store),
        project.withheld_notice if project.store.exists else "",
        agreed_drafter.description(project.store),
    )
    said = [line for line in lead if line]
    if words:
        said.append(
            f"Learned from your words in the last {learned_lately.TOLD_DAYS} days: {_named(words)}."
            " Drop one: tenure retire ID"
        )
    entries = without_terminal.newest_first(project, newest)
    if detached := without_terminal.without_terminal(project, entries):
        said.append(
            f"{len(detached)} {'memory' if len(detached) == 1 else 'memories'} came into use without a terminal"
            f" (a script of yours, or a process that left its agent): {_named(detached)}."
            f" {_KEEP}. {_DROP}"
        )
    if unseen := unwatched_verdicts.decided(project, entries, all_times=newest is None):
        said.append(
            f"{len(unseen)} {'memory' if len(unseen) == 1 else 'memories'} came into use, or got a verdict,"
            f" on a terminal with no person in sight"
            f" (opened by {', '.join(dict.fromkeys(unseen.values()))}): {_named(list(unseen))}."
            f" {'If that was you, there is nothing to do' if project.actor.unwatched else _KEEP}. {_DROP}"
        )
    said += [
        f"`{act.act}` was confirmed {f'{act.count} times, last ' if act.count > 1 else ''}at {act.at} on a terminal"
        f" with no person in sight (opened by {act.terminal})."
        for act in unwatched_verdicts.acts(project)
    ]
    said += [f"{why}: {id} stays until you decide. {_answers(id)}" for id, why in against.items()]
    return Notices(
        from_your_words=words,
        doubted=list(against),
        without_terminal=detached,
        unwatched=list(unseen),
        said=said,
    )


def _doubted(project: Project) -> dict[str, str]:
    found = dict(doubted_verdicts.waiting(project.store))
    if (users := project.layers.get(USER_LAYER)) is not None:
        found |= {f"{USER_LAYER}{id}": why for id, why in doubted_verdicts.waiting(users).items()}
    return {id: f"{why[:1].upper()}{why[1:]}" for id, why in found.items()}


def _answers(id: str) -> str:
    """Return how a memory is kept or dropped, wherever it stands."""
    users, own = ("--store user ", id.removeprefix(USER_LAYER)) if id.startswith(USER_LAYER) else ("", id)
    return f"Keep: tenure {users}review {own} --keep. Drop: tenure {users}retire {own}"


def _named(ids: Sequence[str]) -> str:
    more = len(ids) - MOST_NAMED
    return ", ".join(ids[:MOST_NAMED]) + (f" and {more} more (tenure --json status)" if more > 0 else "")
