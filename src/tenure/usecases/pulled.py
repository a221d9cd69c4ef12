"""The copy of a team's database on this machine: all that prompt hooks ever read of it.

A prompt waits for no network, so a far or dead database costs it nothing. `tenure team pull`, `tenure upkeep` and the
worker at the end of a session bring the copy in step; what was forgotten in the database is erased here, too.
"""

from __future__ import annotations

import contextlib
import hashlib

import msgspec

from tenure.model.memory import Memory, Verdict
from tenure.recall import LIMITS_KEY
from tenure.rules.verdict import verdict
from tenure.store import waiting
from tenure.store.replica import Replica
from tenure.usecases import effect_settings
from tenure.usecases.answers import PulledCopy
from tenure.usecases.project import Project


def pull(project: Project) -> PulledCopy | None:
    """Bring the copy in step and return what changed; None where the project's memory is on this machine anyway."""
    if not project.place.address:
        return None
    store, policy = project.store, project.policy
    number, proof = store.health.head()
    mark = f"{number} {proof} {hashlib.sha256(msgspec.json.encode(policy)).hexdigest()[:16]}"
    with contextlib.closing(Replica(project.place.path)) as copy:
        if copy.exists and copy.replica_mark == mark:
            return PulledCopy(entry=number, memories=len(copy.ids()), came=0, edited=0, gone=0)
        rows = store.find()
        in_use = {row.memory.id for row in rows if row.eligible}

        def judge(memory: Memory) -> Verdict:
            # What the database does not let count, counts nowhere.
            said = verdict(memory, policy)
            return said if memory.id in in_use else waiting.held_back(said)

        known = set(copy.ids()) if copy.exists else set()
        changed = copy.replace(
            [row.memory for row in rows],
            judge,
            mark=mark,
            now=project.now(),
            settings={LIMITS_KEY: _limits(store.setting(LIMITS_KEY))},
        )
        forgotten = known & {id for _, id in store.health.forgotten_marks()}
        if forgotten:
            with copy.writing():
                for id in sorted(forgotten):
                    copy.health.erase(id, (), project.now())
            copy.health.finish_erasing()
        return PulledCopy(entry=number, memories=len(rows), came=changed.came, edited=changed.edited, gone=changed.gone)


def _limits(kept: object) -> str:
    """Return what hooks must know, without what is measured in the database's own store only."""
    limits = msgspec.json.decode(kept if isinstance(kept, str) and kept else "{}", type=dict[str, object])
    limits.pop(effect_settings.KEY, None)
    return msgspec.json.encode(limits, order="sorted").decode()
