"""`search` and `inject`: finding memories, and showing the few that matter."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from typing import Any

import msgspec

from tenure.model import clock
from tenure.model.memory import Memory
from tenure.model.policy import Policy
from tenure.recall import block, budget, rank, weights
from tenure.recall.query import NAMES, Match, ParsedQuery
from tenure.recall.rank import Candidate
from tenure.rules.staleness import staleness
from tenure.store.api import Store
from tenure.store.records import Among, Row, SearchResult
from tenure.usecases import calibrate as calibrating
from tenure.usecases import embeddings
from tenure.usecases.inject_request import Injection, Occasion, trace

# The ranking sees no more candidates than this, whatever brought them.
CANDIDATES = 200
# So many of those that the words bring, the ones that hold most of the query, leave room for what is near in meaning.
LOOKED_AT = 64
# With a model at hand so many are looked through for them.
BY_NAME = 400
# So many of the best are put in an order in which what says the same does not fill all places.
VARIED = 100
# In a conversation the answer often stands beside what was asked: the neighbours of so many of the best are looked at.
BESIDE_THE_BEST = 20


class Hit(msgspec.Struct, frozen=True, kw_only=True):
    """A memory found, with its score and what the score is made of."""

    id: str
    score: float
    title: str
    state: str
    why: str
    # Signal -> what it adds to the score.
    terms: dict[str, float] = {}
    # How sure it is that this is no coincidence; `inject` is silent below the policy's `least_evidence`.
    evidence: float = 0.0


def search(
    store: Store,
    query: str,
    policy: Policy,
    now: datetime,
    *,
    limit: int,
    all: bool,
    texts: str = weights.MEMORIES,
) -> list[Hit]:
    """Return the memories that match any word of the query, or its meaning, best first.

    `texts` names the set of weights: "memories", or "transcripts" for a store of conversations turn by turn.
    """
    result, rows, close = found(store, query, "all" if all else "present", min(CANDIDATES, max(LOOKED_AT, limit)))
    moment = rank.Moment(query, result.query, clock.stamp(now))
    silence = close.silence(store)
    ranked = ordered(_candidates(rows, result, close, policy, now, moment, texts), close, silence)
    if texts == weights.TRANSCRIPTS and (more := _beside(store, ranked, rows, all)):
        rows = [*rows, *more]
        ranked = ordered(_candidates(rows, result, close, policy, now, moment, texts), close, silence)
    titles = {row.memory.id: row.memory.title for row in rows}
    return [
        Hit(
            id=hit.id,
            score=hit.score,
            title=titles[hit.id],
            state=hit.state,
            why=rank.why(hit),
            terms=rank.terms(hit),
            evidence=round(hit.evidence, 2),
        )
        for hit in ranked[:limit]
    ]


def keep_limits(store: Store, policy: Policy) -> None:
    """Store what an injection may cost, so that the prompt hook needs no policy."""
    names = ("limit", "budget_chars", "duplicate_overlap", "floor_share", "least_evidence")
    limits: dict[str, Any] = {name: getattr(policy.inject, name) for name in names}
    limits |= {"half_life_days": policy.decay.half_life_days, "disabled_kinds": sorted(policy.write.disabled_kinds)}
    limits |= {"once_per_session": policy.inject.once_per_session, "ask": policy.inject.ask}
    limits["top_state"] = policy.promotion.steps[-1].to if policy.promotion.steps else ""
    limits["silence"] = calibrating.known(store).words
    store.keep(weights.LIMITS_KEY, msgspec.json.encode(limits, order="sorted").decode())


def calibrate(store: Store, policy: Policy, now: datetime) -> None:
    """Measure the store's own point of silence when that is due, and store it with the limits."""
    if calibrating.due(store):

        def ask(text: str, model: bool) -> list[Candidate]:
            return eligible(store, text, policy, now, model=model, calibrated=False)[0]

        calibrating.measure(store, ask, now)
        keep_limits(store, policy)


def explained(store: Store, asked: ParsedQuery, policy: Policy) -> dict[str, Any]:
    """Return how a query was read: the words looked up, those left out, and the point of silence."""
    silence = calibrating.known(store)
    return {
        "words": [{"word": term.word, "memories": term.memories} for term in asked.terms],
        "left_out": [{"word": term.word, "memories": term.memories} for term in asked.left_out if not term.field],
        "memories": asked.total,
        # What a match must tell in a store of this size before it is more than chance.
        "chance": round(rank.chance(asked.total), 2),
        "least_evidence": policy.inject.least_evidence,
        # What chance reaches in this store, which is taken off all evidence; nothing before it was measured.
        "silence": {"words": silence.words, "meaning": silence.meaning, "calibrated_at": silence.at or None},
    }


def inject(store: Store, occasion: Occasion, policy: Policy, now: datetime) -> Injection:
    """Return the block to show and remember that it was shown; an empty block when nothing fits."""
    ranked, asked, rows = eligible(store, occasion.query, policy, now, occasion.files)
    kept, suppressed = _relevant(ranked, {row.memory.id: row.memory for row in rows}, policy, occasion)
    chosen, left_out = budget.choose(
        kept,
        limit=policy.inject.limit if occasion.limit is None else occasion.limit,
        budget_chars=policy.inject.budget_chars if occasion.budget_chars is None else occasion.budget_chars,
        duplicate_overlap=policy.inject.duplicate_overlap,
    )
    suppressed += [{"id": item.id, "why": why} for item, why in left_out]
    shown = [item for item, _ in chosen]
    _leave_open_conflicts(store, shown)
    reasons = {item.id: {"terms": rank.terms(item)} for item in shown}
    notes = block.noted(chosen, {row.memory.id: row.version for row in rows}, reasons)
    return Injection(
        block=block.render(chosen),
        memories=[{"id": item.id, "score": item.score, "why": rank.why(item)} for item in shown],
        suppressed=suppressed,
        traced=not shown or trace(store, now, notes, occasion.facts),
        explained={
            **explained(store, asked, policy),
            "terms": {item.id: {**rank.terms(item), "evidence": round(item.evidence, 2)} for item in ranked[:20]},
        },
    )


def eligible(
    store: Store,
    query: str,
    policy: Policy,
    now: datetime,
    files: Sequence[str] = (),
    *,
    model: bool = True,
    calibrated: bool = True,
) -> tuple[list[Candidate], ParsedQuery, list[Row]]:
    """Return what may be shown for a query, best first, how it was read, and the rows."""
    result, rows, close = found(store, query, "eligible", LOOKED_AT, model=model)
    silence = close.silence(store) if calibrated else 0.0
    rows = _with_unasked(store, rows, query, files)
    moment = rank.Moment(query, result.query, clock.stamp(now), files)
    return ordered(_candidates(rows, result, close, policy, now, moment), close, silence), result.query, rows


def found(
    store: Store, query: str, among: Among, keep: int, *, model: bool = True
) -> tuple[SearchResult, list[Row], Closeness]:
    """Return what the words bring, the memories with those that are near in meaning, and how near they all are."""
    near = embeddings.near(store, query, among) if model else None
    if near is None:
        result = store.search(query, CANDIDATES, among=among, keep=keep)
        rows = result.rows
        return result, rows, Closeness(gists=embeddings.gists(store, query, [row.number for row in rows]))

    # Of many memories about what the query names, those come to be looked at that also say something like it.
    def best(parsed: ParsedQuery, match: Match, number: int) -> float:
        return (parsed.found_in(match) + match.fields[NAMES]) / (parsed.information or 1.0) + near.of(number)

    result = store.search(query, BY_NAME, among=among, keep=keep, best=best)
    rows = result.rows
    rows += near.nearest(CANDIDATES - len(rows), {row.number for row in rows})
    return result, rows, Closeness(near=near)


class Closeness:
    """How near candidates are in meaning: by a model, by single words, or not known."""

    def __init__(self, near: embeddings.Near | None = None, gists: Mapping[int, float] | None = None) -> None:
        self.near, self.gists = near, gists

    def silence(self, store: Store) -> float:
        """Return the store's own point of silence for this way of comparing."""
        known = calibrating.known(store)
        return known.words if self.near is None else known.meaning


def ordered(candidates: Sequence[Candidate], close: Closeness, silence: float = 0.0) -> list[Candidate]:
    """Return candidates in order; those that repeat better ones make room for what says something else."""
    ranked = rank.rank(candidates, silence)
    if close.near is None:
        return ranked
    first = ranked[:VARIED]
    return rank.varied(first, close.near.alike([item.number for item in first])) + ranked[VARIED:]


def _candidates(
    rows: Iterable[Row],
    result: SearchResult,
    close: Closeness,
    policy: Policy,
    now: datetime,
    moment: rank.Moment,
    texts: str = weights.MEMORIES,
) -> list[Candidate]:
    found, matches = [], result.matches
    for row in rows:
        item = candidate(row, policy, now)
        item.texts = texts
        item.meaning = close.near.of(row.number) if close.near else None
        item.gist = close.gists.get(row.number, 0.0) if close.gists else 0.0
        rank.measure(item, result.query, matches.get(row.number), moment)
        found.append(item)
    rank.measure_together(found, result.query)
    return found


def _beside(store: Store, ranked: Sequence[Candidate], rows: Sequence[Row], all: bool) -> list[Row]:
    """Return what was captured just before and after the best, in the same run."""
    known = {row.number for row in rows}
    runs = {item.run for item in ranked[:BESIDE_THE_BEST] if item.run}
    wanted = {item.number + step for item in ranked[:BESIDE_THE_BEST] if item.run for step in (-2, -1, 1, 2)}
    room = max(0, CANDIDATES - len(rows))
    found = store.find(numbers=sorted(wanted - known)[:room])
    return [row for row in found if runs & set(row.memory.runs[:1]) and (all or row.memory.phase != "gone")]


def candidate(row: Row, policy: Policy, now: datetime) -> Candidate:
    """Return a memory as the ranking and the budget see it."""
    memory = row.memory
    item = Candidate(memory.id, memory.kind, memory.state, row.weight, row.line)
    item.title, item.text, item.created_at = memory.title, memory.text, clock.stamp(memory.created_at)
    item.checked_at = clock.stamp(memory.verified_at or memory.created_at)
    item.superseded_by, item.conflicts, item.files = memory.superseded_by, memory.conflicts, memory.files
    item.author, item.run, item.number = memory.agent, memory.runs[0] if memory.runs else "", row.number
    item.helped, item.harmed = memory.signals.successful_reuses, memory.signals.failed_reuses
    item.stale = staleness(memory, policy, now) / 100
    item.reviewed = memory.stated or bool(memory.approvals)
    item.origin = f"run {memory.runs[0]}" if len(memory.runs) == 1 and not item.reviewed else ""
    return item


def _leave_open_conflicts(store: Store, shown: Sequence[Candidate]) -> None:
    """Let each memory shown name only those it contradicts that are not gone."""
    rows = {id: store.get(id) for item in shown for id in item.conflicts}
    here = {id for id, row in rows.items() if row and row.memory.phase != "gone"}
    for item in shown:
        item.conflicts = tuple(id for id in item.conflicts if id in here)


def _with_unasked(store: Store, rows: list[Row], query: str, files: Sequence[str]) -> list[Row]:
    """Add what is about the files at hand, and without a query whatever counts most."""
    if query.strip() and not files:
        return rows
    if query.strip():
        more = store.find(among="eligible", files=files, limit=CANDIDATES)
    else:
        more = store.find(among="eligible", by_weight=True, limit=CANDIDATES)
    known = {row.number for row in rows}
    return [*rows, *(row for row in more if row.number not in known)][:CANDIDATES]


def _relevant(
    ranked: list[Candidate], memories: Mapping[str, Memory], policy: Policy, occasion: Occasion
) -> tuple[list[Candidate], list[dict[str, str]]]:
    """Split off what does not concern this agent or domain, or hardly answers the query."""
    agent, domain, asked = occasion.agent, occasion.domain, bool(occasion.query.strip())
    best = ranked[0].score if ranked else 0.0
    kept, dropped = [], []
    for item in ranked:
        memory, why = memories[item.id], ""
        if memory.kind in policy.write.disabled_kinds:
            why = f"{memory.kind} is switched off"
        elif agent and memory.agent and memory.agent != agent:
            why = f"is for {memory.agent}"
        elif domain and memory.domain and memory.domain not in (domain, "general"):
            why = f"is about {memory.domain}"
        elif asked:
            why = rank.doubt(item, best, policy.inject.least_evidence, policy.inject.floor_share)
        if why:
            dropped.append({"id": memory.id, "why": why})
        else:
            kept.append(item)
    return kept, dropped
