"""What every session should know from its first moment: what reached the top, and what is due for a look."""

from __future__ import annotations

from datetime import datetime

from tenure.policy import Policy
from tenure.recall import budget, rank
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
    rows |= {row.memory.id: row for row in due}
    late = {row.memory.id for row in due}
    ranked = [
        rank.Scored(
            memory=row.memory,
            score=float(row.weight),
            coverage=0.0,
            why="due for a look" if row.memory.id in late else row.memory.state,
        )
        for row in rows.values()
    ]
    lines = {id: row.line for id, row in rows.items()}
    chosen, left_out = budget.choose(
        ranked,
        [lines[item.memory.id] for item in ranked],
        limit=limit,
        budget_chars=budget_chars,
        duplicate_overlap=policy.inject.duplicate_overlap,
    )
    shown = [ranked[position] for position in chosen]
    if not shown:
        return recalling.Injection(block="", memories=[], suppressed=[])
    traced = recalling.trace(store, now, shown, run=run, task="", agent=agent, query="(session start)")
    return recalling.Injection(
        block=recalling.render(shown, lines, policy, now),
        memories=[{"id": item.memory.id, "score": item.score, "why": item.why} for item in shown],
        suppressed=[{"id": ranked[position].memory.id, "why": why} for position, why in left_out],
        traced=traced,
    )
