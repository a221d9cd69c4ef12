"""The copy of a team's database on this machine: all that prompt hooks ever read of it.

A prompt waits for no network, so a slow or dead database costs it nothing. Every command, `tenure team pull`, `tenure
upkeep`, the worker at the end of a session and a running server update the copy. Only changes come down, and each
entry is proved against the one before; where that fails the copy is made anew from the whole ledger, if that proves
itself. What was forgotten in the database is erased here, too.
"""

from __future__ import annotations

import contextlib
import hashlib
import platform
from typing import TYPE_CHECKING, cast

import msgspec

from tenure.files import homes
from tenure.model.decoding import decode
from tenure.model.memory import Memory, Verdict
from tenure.recall import LIMITS_KEY
from tenure.rules.stored_verdict import verdict
from tenure.spool.outbox import Outbox
from tenure.store import offline, waiting
from tenure.store.replica import Replica
from tenure.usecases import effect_settings
from tenure.usecases.answers.shared import PulledCopy
from tenure.usecases.project import Project

if TYPE_CHECKING:
    from tenure.store.api import TeamStore


def pull(project: Project) -> PulledCopy | None:
    """Bring the copy in step and return what changed; None where the project's memory is on this machine anyway."""
    if not project.place.address:
        return None
    if project.offline is not None:
        raise project.offline.why
    store = cast("TeamStore", project.store)
    with contextlib.closing(Replica(project.place.path)) as copy:
        found = _bring(project, store, copy)
    if not Outbox(project.place.path).unsent():
        offline.discard(project.place.path)
    return found


def _bring(project: Project, store: TeamStore, copy: Replica) -> PulledCopy:
    policy = project.policy
    team = msgspec.json.encode(store.team).decode()
    rules = hashlib.sha256(msgspec.json.encode(policy) + team.encode()).hexdigest()[:16]
    known, proof, judged_by = _mark(copy)
    number, now_proof = store.health.head()
    if copy.exists and (known, proof, judged_by) == (number, now_proof, rules):
        return PulledCopy(entry=number, memories=len(copy.ids()), came=0, edited=0, gone=0)
    # Under other rules everything is judged again.
    partly = known and judged_by == rules
    changes = store.changes_since(known, proof) if partly else None
    rebuilt = known > 0 and changes is None and judged_by == rules
    only = changes.ids if changes is not None else None
    if changes is None:
        changes = store.changes_since(0, "")
        assert changes is not None, "everything there is follows from nothing"
    in_use = {row.memory.id for row in changes.rows if row.eligible}

    def judge(memory: Memory) -> Verdict:
        # What the database does not let count, counts nowhere.
        said = verdict(memory, policy)
        return said if memory.id in in_use else waiting.held_back(said)

    there = set(copy.ids()) if copy.exists else set()
    changed = copy.replace(
        [row.memory for row in changes.rows],
        judge,
        mark=f"{changes.entry} {changes.proof or '-'} {rules}",
        now=project.now(),
        settings={LIMITS_KEY: _limits(store.setting(LIMITS_KEY)), offline.TEAM: team},
        only=only,
        common=changes.common,
    )
    gone = there - {row.memory.id for row in changes.rows}
    forgotten = gone & {id for _, id in store.health.forgotten_marks()} if gone else set()
    if forgotten:
        with copy.writing():
            for id in sorted(forgotten):
                copy.health.erase(id, (), project.now())
        copy.health.finish_erasing()
        Outbox(project.place.path).erase(forgotten)
    if changes.entry:
        store.note_copy(copy_name(), changes.entry)
    return PulledCopy(
        entry=changes.entry,
        memories=len(copy.ids()),
        came=changed.came,
        edited=changed.edited,
        gone=changed.gone,
        rebuilt=rebuilt,
    )


def not_pulled(project: Project) -> list[str]:
    """Bring this machine's copy in step, if it has one, and return those of others that do not know the last entry."""
    store = cast("TeamStore", project.store)
    if project.place.path.exists():
        pull(project)
    last, _ = store.health.head()
    return [f"{copy.role} on {copy.name}, last on {copy.at}" for copy in store.copies() if copy.entry < last]


def copy_name() -> str:
    """Return by what others know the copies of this home: the machine's name, and a part of the home's."""
    return f"{platform.node() or 'a machine'} ({homes.current().id[:8]})"


def _mark(copy: Replica) -> tuple[int, str, str]:
    """Return the last entry the copy knows, its proof, and by which rules it was judged."""
    parts = copy.replica_mark.split()
    if len(parts) != 3 or not parts[0].isdigit():
        return 0, "", ""
    return int(parts[0]), parts[1].strip("-"), parts[2]


def _limits(kept: object) -> str:
    """Return what hooks must know, without what is measured in the database's own store only."""
    limits = decode(kept if isinstance(kept, str) and kept else "{}", dict[str, object])
    limits.pop(effect_settings.KEY, None)
    return msgspec.json.encode(limits, order="sorted").decode()
