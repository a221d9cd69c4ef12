"""What hooks do with the memories they found: what the session has seen is left out, then budget, trace and block.

The hooks of prompts, tool calls and a session's start run this, so it imports what ranking needs and nothing else.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from tenure.recall import block, budget, weights
from tenure.recall.rank import Candidate
from tenure.store.sqlite import hook_reader
from tenure.surfaces.hooks import host as hosts

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    import apsw

# Where a memory's columns stand in a row of `hook_reader`.
N, ID, VERSION, KIND, STATE, WEIGHT, LINE, RECORD = 0, 1, 2, 3, 4, 7, 8, 11


class Moment:
    """The store, the time, the policy's limits and the session of one answer."""

    __slots__ = ("connection", "host", "limits", "now", "run")

    def __init__(self, connection: apsw.Connection, run: str, host: str) -> None:
        self.connection, self.run, self.host = connection, run, host
        self.now = hook_reader.now(connection)
        self.limits = hook_reader.limits(connection)

    def limit(self, name: str) -> float:
        """Return a limit the policy set, or the one it sets by default."""
        return float(self.limits.get(f"$.{name}", weights.LIMITS[name]))

    def fresh(self, kept: Sequence[Candidate], rows: Mapping[str, Sequence[Any]]) -> list[Candidate]:
        """Return those that this session has not been shown at the version they have now."""
        if not self.run or not kept or not self.limits.get("$.once_per_session", True):
            return list(kept)
        seen = hook_reader.seen(self.connection, self.run)
        if self.connection.readonly("main"):
            from tenure.spool import journal  # start-up: only where the store takes no trace

            seen |= {(id, None) for id in journal.shown(self.host, self.run)}
        return [item for item in kept if not {(item.id, rows[item.id][VERSION]), (item.id, None)} & seen]


def candidate(row: Sequence[Any]) -> Candidate:
    """Return a row as the ranking sees it, without what its record says."""
    item = Candidate(row[ID], row[KIND], row[STATE], row[WEIGHT], row[LINE])
    item.number = row[N]
    return item


def tell(moment: Moment, item: Candidate, row: Sequence[Any]) -> None:
    """Add what the record says of a memory's life."""
    title, text, created, checked, after, helped, harmed, reviewed, run, agent, first_run, conflicts, files, age = (
        hook_reader.facts(moment.connection, row[RECORD], moment.now)
    )
    item.title, item.text, item.created_at, item.checked_at = title or "", text or "", created or "", checked or ""
    item.superseded_by, item.conflicts, item.files = after, conflicts, files
    item.helped, item.harmed, item.reviewed = helped or 0, harmed or 0, bool(reviewed)
    item.origin = f"run {run}" if run and not reviewed else ""
    item.author, item.run = agent or "", first_run or ""
    half_life = moment.limits.get(f"$.half_life_days.{item.kind}") or moment.limits.get("$.half_life_days.unknown")
    if half_life and age and age > 0:
        item.stale = 1 - 0.5 ** (age / half_life)


def weighed(moment: Moment, row: Sequence[Any]) -> Candidate:
    """Return a row with what its record says, scored by its weight alone: nobody asked for its words."""
    item = candidate(row)
    tell(moment, item, row)
    item.score = float(item.weight)
    return item


def show(
    moment: Moment,
    kept: Sequence[Candidate],
    rows: Mapping[str, Sequence[Any]],
    query: str,
    reasons: Mapping[str, Mapping[str, Any]],
    *,
    limit: int,
    budget_chars: int,
    shape: str = block.BLOCK,
) -> tuple[str, list[str], str]:
    """Return the block of what fits, the ids in it, and what the log should know: no trace, or nothing said."""
    overlap = moment.limit("duplicate_overlap")
    chosen, _ = budget.choose(kept, limit=limit, budget_chars=budget_chars, duplicate_overlap=overlap)
    if not chosen:
        return "", [], ""
    contradicted = [id for item, _ in chosen for id in item.conflicts]
    here = hook_reader.present(moment.connection, contradicted) if contradicted else set()
    for item, _ in chosen:
        item.conflicts = tuple(id for id in item.conflicts if id in here)
    text = block.render(chosen, shape)
    if len(text) > hosts.MOST_CHARACTERS:
        return "", [], f"longer than the {hosts.MOST_CHARACTERS} characters an agent takes, so nothing was said"
    notes = block.noted(chosen, {id: row[VERSION] for id, row in rows.items()}, reasons, shape)
    untraced = ""
    try:
        hook_reader.remember(moment.connection, moment.now, moment.run, moment.host, query, notes)
    except Exception as error:
        untraced = f"shown without a trace ({error}): {', '.join(item.id for item, _ in chosen)}"
        _to_journal(moment, [item.id for item, _ in chosen])
    return text, [item.id for item, _ in chosen], untraced


def _to_journal(moment: Moment, ids: list[str]) -> None:
    """Keep what was shown in the session's journal when the store takes no note, as on a read-only mount."""
    if moment.run:
        from tenure.spool import journal  # start-up: most stores take the note

        try:
            journal.add(moment.host, moment.run, {"event": "shown", "shown": ids})
        except OSError:
            return  # the reason is logged with what was shown
