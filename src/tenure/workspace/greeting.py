"""What every session should know from its first moment: what reached the top, and what is due for a look."""

from __future__ import annotations

from datetime import datetime

from tenure.policy import Policy
from tenure.recall import block, budget
from tenure.store.sqlite import SqliteStore
from tenure.workspace import recalling

MOST_DUE = 3
CANDIDATES = 200


def greet(
    store: SqliteStore, policy: Policy, now: datetime, *, limit: int, budget_chars: int, run: str, agent: str
) -> recalling.Injection:
    """Return the block of memories at the top of the ladder, then some that are due; empty when there are none."""
    top = policy.promotion.steps[-1].to if policy.promotion.steps else ""
    rows = {row.memory.id: row for row in store.weightiest(CANDIDATES) if row.memory.state == top}
    due = [row for row in store.rows(phases=("live",), due=now) if row.memory.id not in rows][:MOST_DUE]
    late = {row.memory.id for row in due}
    candidates = [recalling.candidate(row, policy, now) for row in (*rows.values(), *due)]
    for item in candidates:
        item.score = float(item.weight)
    chosen, left_out = budget.choose(
        candidates, limit=limit, budget_chars=budget_chars, duplicate_overlap=policy.inject.duplicate_overlap
    )
    shown = [item for item, _ in chosen]
    traced = not shown or recalling.trace(store, now, shown, run=run, task="", agent=agent, query="(session start)")
    why = {item.id: "due for a look" if item.id in late else item.state for item in shown}
    return recalling.Injection(
        block=block.render(chosen),
        memories=[{"id": item.id, "score": item.score, "why": why[item.id]} for item in shown],
        suppressed=[{"id": item.id, "why": reason} for item, reason in left_out],
        traced=traced,
    )
