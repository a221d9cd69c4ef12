"""How many new memories of one run may wait for a person at the same time.

An agent that proposes thousands would bury what a person has to look at. The one rule: a run of an agent, or of a
session nobody typed here, adds no more than the policy allows until some of its memories are decided; what a person
captures is theirs to count.
"""

from __future__ import annotations

import msgspec

from tenure.hosts import agent_detection
from tenure.model.decoding import decode
from tenure.model.errors import Refused
from tenure.model.memory import Memory
from tenure.usecases.batch import Batch

# Under this name the store keeps what the last runs brought: run -> ids.
KEY = "waiting_of_runs"
MOST_RUNS = 20
HINT = "`tenure review` decides what waits, and then the rest can be captured again; the limit: `tenure policy write`."


def admit(batch: Batch, memory: Memory) -> None:
    """Count a new memory that waits for its run; raise `Refused` when too many of that run wait."""
    limit = batch.policy.write.waiting_per_run
    # A team's database has its own roles for agents, which keep no notes there.
    if not limit or batch.actor.present or batch.store.team is not None:
        return
    kept = batch.store.setting(KEY)
    runs = decode(kept, dict[str, list[str]]) if kept else {}
    run = memory.runs[-1] if batch.of_session and memory.runs else agent_detection.run()
    ids = runs.pop(run, [])
    if len(ids) >= limit:
        ids = [id for id in ids if (known := batch.get(id)) is not None and known.phase == "pending"]
    if len(ids) >= limit:
        raise Refused(reason(limit), hint=HINT)
    runs[run] = [*ids, memory.id]
    batch.store.keep(KEY, msgspec.json.encode(dict(list(runs.items())[-MOST_RUNS:])).decode())


def reason(limit: int) -> str:
    """Say why a memory is left out."""
    return f"{limit} memories of this run wait for a person already, and no more may."
