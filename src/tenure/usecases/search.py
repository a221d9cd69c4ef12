"""Finding memories for a text: by words, by meaning beside them, and put in order. `search` and `inject` share it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime

from tenure.model import clock
from tenure.model.memory import Memory
from tenure.model.policy import Policy
from tenure.recall import rank, weights
from tenure.recall.query import Match, ParsedQuery
from tenure.recall.rank import Candidate
from tenure.rules.staleness import staleness
from tenure.store.api import Store
from tenure.store.records import Among, Row, SearchResult
from tenure.usecases import calibrate as calibration
from tenure.usecases import embeddings
from tenure.usecases.answers.found import Explained, Hit, Silence, Word
from tenure.usecases.project import Project

# The ranking sees no more candidates than this, whatever brought them.
CANDIDATES = 200
# So many of those that the words bring, the ones that hold most of the query, leave room for what is near in meaning.
LOOKED_AT = 64
# With a model at hand so many are looked through for them.
BY_NAME = 400
# So many of the best are put in an order in which what says the same does not fill all places.
VARIED = 100
# In a conversation the answer often stands beside what was asked, in other words: so many turns are looked at, and
# those up to so many places beside so many of the best.
TURNS = 128
BESIDE_THE_BEST, PLACES_BESIDE = 24, 3


def search(
    project: Project,
    query: str,
    *,
    limit: int = 10,
    all: bool = False,
    texts: str = weights.MEMORIES,
    model: bool = True,
    layers: bool = True,
) -> list[Hit]:
    """Return the memories that match any word of the query, or its meaning, best first; without `model` by words.

    `texts` names the set of weights: "memories", or "transcripts" for a store of conversations turn by turn. Without
    `layers` only the project's own memories are looked at.
    """
    store, policy, now = project.store, project.policy, project.now()
    looked_at = TURNS if texts == weights.TRANSCRIPTS else LOOKED_AT
    keep = min(CANDIDATES, max(looked_at, limit))
    among: Among = "all" if all else "present"
    beside = project.layers if layers else {}
    result, rows, close = found(store, query, among, keep, model=model, beginnings=True, beside=beside)
    if project.agent:
        # No agent is shown what waits for a person.
        hidden = {*project.waiting, *_held_back(project)}
        rows = [row for row in rows if row.memory.id not in hidden and not _unseen(row.memory)]
    moment = rank.QueryContext(query, result.query, clock.stamp(now))
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


def _unseen(memory: Memory) -> bool:
    """Tell whether a memory comes from outside and waits for its first verdict."""
    return memory.trust == "external" and memory.phase == "pending"


def _held_back(project: Project) -> Iterable[str]:
    """Return what the session at hand goes without, where effects are measured."""
    if not project.store.setting("effect"):
        return ()
    from tenure.usecases import held_back  # start-up: most stores measure nothing

    return held_back.held_back(project)


def explain(project: Project, query: str) -> Explained:
    """Return how a query is read: the words looked up, those left out, and the silence threshold."""
    return explained(project, project.store.search(query, 0).query)


def explained(project: Project, asked: ParsedQuery, terms: dict[str, dict[str, float]] | None = None) -> Explained:
    """Return how a query was read; `terms` are what the scores of an injection are made of."""
    silence = calibration.known(project.store)
    return Explained(
        words=[Word(word=term.word, memories=term.memories) for term in asked.terms],
        left_out=[Word(word=term.word, memories=term.memories) for term in asked.left_out if not term.field],
        memories=asked.total,
        chance=round(rank.chance(asked.total), 2),
        least_evidence=project.policy.inject.least_evidence,
        silence=Silence(words=silence.words, meaning=silence.meaning, calibrated_at=silence.at or None),
        terms=terms,
    )


def calibrate(project: Project) -> None:
    """Measure the store's own silence threshold when that is due, and store it with the limits."""
    if calibration.due(project.store):

        def ask(text: str, model: bool) -> list[Candidate]:
            return eligible(project, text, model=model, calibrated=False, beside={})[0]

        calibration.measure(project.store, ask, project.now())
        calibration.keep_limits(project.store, project.policy)


def eligible(
    project: Project,
    query: str,
    files: Sequence[str] = (),
    *,
    now: datetime | None = None,
    model: bool = True,
    calibrated: bool = True,
    beside: Mapping[str, Store] | None = None,
) -> tuple[list[Candidate], ParsedQuery, list[Row]]:
    """Return what may be shown for a query, best first, how it was read, and the rows.

    `beside` are the layers looked at with the project's own; None are those the project has.
    """
    store, policy, now = project.store, project.policy, now or project.now()
    layers = project.layers if beside is None else beside
    result, rows, close = found(store, query, "eligible", LOOKED_AT, model=model, beside=layers)
    silence = close.silence(store) if calibrated else 0.0
    rows = _with_unasked(store, rows, query, files)
    moment = rank.QueryContext(query, result.query, clock.stamp(now), files)
    return ordered(_candidates(rows, result, close, policy, now, moment), close, silence), result.query, rows


def found(
    store: Store,
    query: str,
    among: Among,
    keep: int,
    *,
    model: bool = True,
    beginnings: bool = False,
    beside: Mapping[str, Store] | None = None,
) -> tuple[SearchResult, list[Row], Closeness]:
    """Return what the words bring, the memories with those that are near in meaning, and how near they all are."""
    near = embeddings.near(store, query, among, beside) if model else None
    if near is None:
        result = store.search(query, CANDIDATES, among=among, keep=keep, beginnings=beginnings, beside=beside)
        rows = result.rows
        return result, rows, Closeness(gists=embeddings.gists(store, query, [row.number for row in rows], beside))

    # Of many memories about what the query names, those come to be looked at that also say something like it.
    def best(parsed: ParsedQuery, match: Match, number: int) -> float:
        return match.held / (parsed.information or 1.0) + (near.of(number) or 0.0)

    result = store.search(query, BY_NAME, among=among, keep=keep, best=best, beginnings=beginnings, beside=beside)
    rows = result.rows
    rows += near.nearest(CANDIDATES - len(rows), {row.number for row in rows})
    return result, rows, Closeness(near=near)


class Closeness:
    """How near candidates are in meaning: by a model, by single words, or not known."""

    def __init__(self, near: embeddings.Near | None = None, gists: Mapping[int, float] | None = None) -> None:
        self.near, self.gists = near, gists

    def silence(self, store: Store) -> float:
        """Return the store's own silence threshold for this way of comparing."""
        known = calibration.known(store)
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
    moment: rank.QueryContext,
    texts: str = weights.MEMORIES,
) -> list[Candidate]:
    found, matches = [], result.matches
    for row in rows:
        item = candidate(row, policy, now)
        item.texts = texts
        # Where a layer has no vectors, its memories are weighed by their words.
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
    steps = range(-PLACES_BESIDE, PLACES_BESIDE + 1)
    wanted = {item.number + step for item in ranked[:BESIDE_THE_BEST] if item.run for step in steps}
    found = store.find(numbers=sorted(wanted - known))
    return [row for row in found if runs & set(row.memory.runs[:1]) and (all or row.memory.phase != "gone")]


def candidate(row: Row, policy: Policy, now: datetime) -> Candidate:
    """Return a memory as the ranking and the budget see it."""
    memory = row.memory
    item = Candidate(memory.id, memory.kind, memory.state, row.weight, row.line)
    item.title, item.text, item.created_at = memory.title, memory.text, clock.stamp(memory.created_at)
    item.checked_at = clock.stamp(memory.verified_at) if memory.verified_at else item.created_at
    item.superseded_by, item.conflicts, item.files = memory.superseded_by, memory.conflicts, memory.files
    item.author, item.run, item.number = memory.agent, memory.runs[0] if memory.runs else "", row.number
    # A success inferred only from how a session went does not count.
    item.helped = memory.signals.successful_reuses if memory.helped_at else 0
    item.harmed = memory.signals.failed_reuses
    item.stale = staleness(memory, policy, now) / 100
    item.reviewed = memory.stated or bool(memory.approvals)
    item.origin = f"run {memory.runs[0]}" if len(memory.runs) == 1 and not item.reviewed else ""
    return item


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
