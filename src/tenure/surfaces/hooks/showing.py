"""What hooks do with the memories they found: leave out what the session has seen, then budget, trace and block.

The hooks of prompts, tool calls and a session's start run this, so it imports what ranking needs and nothing else.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from tenure.files import trust
from tenure.recall import block, budget, weights
from tenure.recall.rank import Candidate
from tenure.surfaces.hooks import host as hosts

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from tenure.recall.query import HookRow
    from tenure.store.hook_api import HookStore

# What a session may be shown where the store does not say; the packaged policy's value, which a test compares.
SESSION_TOKENS = 6000
CHARACTERS_PER_TOKEN = 4
# Under this name the limits hold how memories are held back (`recall.holdout`).
EFFECT = "effect"


class ShowingContext:
    """The store, the layers beside it, the time, the policy's limits and the session of one answer."""

    __slots__ = ("beside", "host", "limits", "now", "run", "store")

    def __init__(self, store: HookStore, run: str, host: str, beside: Sequence[HookStore] = ()) -> None:
        self.store, self.run, self.host, self.beside = store, run, host, beside
        self.now, self.limits = store.now, store.limits()

    def limit(self, name: str) -> float:
        """Return a limit the policy set, or the one it sets by default."""
        found = self.limits.get(name)
        return float(weights.LIMITS[name] if found is None else found)

    @property
    def disabled_kinds(self) -> set[str]:
        """The kinds of memories that are switched off."""
        return set(self.limits.get("disabled_kinds") or ())

    @property
    def measures(self) -> bool:
        """Whether some memories are held back in this session, to learn whether they help."""
        return bool(self.limits.get(EFFECT)) and bool(self.run) and not self.store.readonly

    def half_life_days(self, kind: str) -> float:
        """Return how fast memories of a kind get old; 0 when they do not."""
        known = self.limits.get("half_life_days") or {}
        return float(known.get(kind) or known.get("unknown") or 0)

    def left(self) -> int:
        """Return how many characters this session may still be shown, over all hooks together."""
        most = int(self.limits.get("session_tokens") or SESSION_TOKENS) * CHARACTERS_PER_TOKEN
        return max(0, most - self.store.spent(self.run)) if self.run else most

    def rows(self, ids: Sequence[str]) -> dict[str, HookRow]:
        """Return the rows of ids, whichever layer they are of."""
        plain = [id for id in ids if "/" not in id]
        found = list(self.store.find(len(plain), ids=plain)) if plain else []
        for layer in self.beside:
            theirs = [id.removeprefix(layer.layer) for id in ids if id.startswith(layer.layer)]
            found += layer.find(len(theirs), ids=theirs) if theirs else []
        return {row.id: row for row in found}

    def fresh(self, kept: Sequence[Candidate], rows: Mapping[str, HookRow]) -> list[Candidate]:
        """Return those that this session has not been shown at the version they have now."""
        if not self.run or not kept or not self.limits.get("once_per_session", True):
            return list(kept)
        seen = self.store.seen(self.run, held=self.measures)
        if self.store.readonly:
            from tenure.spool import journal  # start-up: only where the store takes no trace

            seen |= {(id, None) for id in journal.shown(self.host, self.run)}
        for other in self.beside:
            # What a session's start showed of a layer is noted there.
            seen |= {(other.layer + id, version) for id, version in other.seen(self.run)}
        return [item for item in kept if not {(item.id, rows[item.id].version), (item.id, None)} & seen]


def candidate(row: HookRow) -> Candidate:
    """Return a row as the ranking sees it, without what its record says."""
    item = Candidate(row.id, row.kind, row.state, row.weight, row.line)
    item.number = row.number
    return item


def tell(moment: ShowingContext, item: Candidate, row: HookRow) -> bool:
    """Add what the record says of a memory's life; return False for one that was altered outside Tenure."""
    facts = moment.store.facts(row)
    other = next((each for each in moment.beside if row.id.startswith(each.layer)), None)
    if facts is None or (other is not None and not other.is_current(row)):
        return False
    if other is not None:
        # These name memories of that layer, by ids that are plain there.
        facts.superseded_by, facts.conflicts = None, ()
    item.title, item.text, item.created_at, item.checked_at = (
        facts.title,
        facts.text,
        facts.created_at,
        facts.checked_at,
    )
    item.superseded_by, item.conflicts, item.files = facts.superseded_by, facts.conflicts, facts.files
    item.helped, item.harmed, item.reviewed = facts.helped, facts.harmed, facts.reviewed
    item.origin = f"run {facts.only_run}" if facts.only_run and not facts.reviewed else ""
    item.author, item.run = facts.agent, facts.first_run
    half_life = moment.half_life_days(item.kind)
    if half_life and facts.age_days > 0:
        item.stale = 1 - 0.5 ** (facts.age_days / half_life)
    return True


def weighed(moment: ShowingContext, rows: Iterable[HookRow]) -> tuple[list[Candidate], dict[str, HookRow]]:
    """Return rows with what their records say, scored by weight alone: nobody asked for their words."""
    items, kept = [], {}
    for row in rows:
        item = candidate(row)
        if row.id not in kept and tell(moment, item, row):
            item.score = float(item.weight)
            items.append(item)
            kept[row.id] = row
    return items, kept


def show(
    moment: ShowingContext,
    kept: Sequence[Candidate],
    rows: Mapping[str, HookRow],
    query: str,
    reasons: Mapping[str, Mapping[str, Any]],
    *,
    limit: int,
    budget_chars: int,
    shape: str = block.BLOCK,
    surface: str = "prompt",
) -> tuple[str, list[str], str]:
    """Return the block of what fits, the ids in it, and what the log should know: no trace, or nothing said."""
    if kept and trust.keeps_heads():
        from tenure.files import forgotten_ids  # start-up: only where something was ever kept

        # An old copy of the store may have been put back; what was forgotten since then stays so.
        gone = forgotten_ids.read(moment.store.identity(), moment.store.place)
        kept = [item for item in kept if item.id not in gone]
    overlap = moment.limit("duplicate_overlap")
    budget_chars = min(budget_chars, moment.left())
    chosen, _ = budget.choose(kept, limit=limit, budget_chars=budget_chars, duplicate_overlap=overlap)
    if not chosen:
        return "", [], ""
    # What is held back keeps its place: whether another memory is shown must not hang on this one's coin.
    held, exposures = _tossed(moment, [item for item, _ in chosen], surface) if moment.measures else (set(), ())
    chosen = [one for one in chosen if one[0].id not in held]
    if not chosen and not exposures:
        return "", [], ""
    contradicted = [id for item, _ in chosen for id in item.conflicts]
    here = moment.store.present(contradicted) - held if contradicted else set()
    for item, _ in chosen:
        item.conflicts = tuple(id for id in item.conflicts if id in here)
    text = block.render(chosen, shape)
    if len(text) > hosts.MOST_CHARACTERS:
        return "", [], f"longer than the {hosts.MOST_CHARACTERS} characters an agent takes, so nothing was said"
    notes: list[dict[str, Any]] = block.noted(chosen, {id: row.version for id, row in rows.items()}, reasons, shape)
    untraced = ""
    try:
        moment.store.remember(moment.run, moment.host, query, notes, exposures)
    except Exception as error:
        if not chosen:
            return "", [], f"not noted ({error})"
        untraced = f"shown without a trace ({error}): {', '.join(item.id for item, _ in chosen)}"
        _to_journal(moment, [item.id for item, _ in chosen])
    return text, [item.id for item, _ in chosen], untraced


def _tossed(
    moment: ShowingContext, chosen: Sequence[Candidate], surface: str
) -> tuple[set[str], Sequence[tuple[str, bool, float, str, str]]]:
    """Return the ids that this session may not see, and the exposures to write down."""
    from tenure.recall import holdout  # start-up: only where effects are measured

    ids = {item.id for item in chosen}
    # What a memory contradicts is named beside it.
    beside = {id for item in chosen for id in item.conflicts} - ids
    secret, block_arm, facts = moment.store.known(moment.run, [*ids, *beside])
    known = [holdout.Known(*each) for each in facts]
    tossed = holdout.toss(
        moment.limits[EFFECT],
        secret,
        moment.run,
        [one for one in known if one.id in ids],
        surface=surface,
        block_arm=block_arm,
    )
    return tossed.held | {one.id for one in known if one.arm is False}, tossed.exposures


def _to_journal(moment: ShowingContext, ids: list[str]) -> None:
    """Keep what was shown in the session's journal when the store takes no note, as on a read-only mount."""
    if moment.run:
        from tenure.spool import journal  # start-up: most stores take the note

        try:
            journal.add(moment.host, moment.run, {"event": "shown", "shown": ids})
        except OSError:
            return  # the reason is logged with what was shown
