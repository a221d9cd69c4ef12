"""Ordering what was found: one sum over signals, each between 0 and about 1, with weights that are data.

How well it matches: `title`, `tags`, `text`, `content`, `names`, `related` (BM25 of each field, as a share of what a
perfect match would have), `small` (the stop words in the text), `loose` (names that the query does not write as such),
`coverage` (the share of the telling words that were found), `passage` (the same in its best passage) and `meaning` (the
vectors). In a store of mixed lengths, word frequency and text length matter more and coverage less, so the weights are
interpolated between two sets. With a model there are two additions: `long` repeats `text` for long texts, because one
vector blurs a page; and short texts have a third set of weights, because a vector gives the topic of a sentence and
little else.
How far it has earned its place: `standing` (state and confidence), `helped`, `harmed`, `stale`.
How it fits the moment: `files` at hand, a `kind` that the prompt calls for, an `author` it names, `dates` it means.
What came with it: `session` (how much of the query the best of its run holds) and `neighbours` (how much of the rest of
the query those hold that were captured just before and after it).
A memory that was superseded never stands above its successor. The prompt hook runs this: plain classes only.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from math import log

from tenure.recall import weights
from tenure.recall.query import FIELDS, TEXT, Match, ParsedQuery, Request, bare

# Uses after which having helped or harmed counts for all it can.
_ENOUGH_USES = 4
# A shared folder says half as much as the file itself.
_SAME_FOLDER = 0.5
# Memories of one run whose numbers are at most so far apart were captured side by side; each place further away what
# they hold counts less.
_SIDE_BY_SIDE = 6
_FURTHER = 0.7
# Nearer than this in meaning was hardly a memory to an off-topic prompt of the half that was fitted: to one of 20.
NEAR_FROM = 0.55
# Memories of this cosine say the same, if of different things.
ALIKE = 0.8
# Where lengths lie no further apart than this, texts have one length; from the second on they are a mixture.
_ONE_LENGTH, _MIXED = 0.1, 0.35
# From so many words on a text is long.
_LONG = 300
# Up to so many words texts are sentences; from the second on they are not.
_SHORT, _NOT_SHORT = 20, 40
# So much above `NEAR_FROM` the meaning alone is enough.
_NEAR_ENOUGH = 0.1
# A text of fewer words is not known by one or two of them.
_FEW_WORDS = 4
# The most evidence of a memory that shares less.
_UNSUPPORTED = -1.0
_FIRST_PERSON = ("i", "my", "me", "i'm", "i've", "i'd", "mine", "myself")
# Scales the logarithms of `surprise` to about 1.
_SURPRISE = 10.0

# A text without any of these and without a number means no days.
DATE_WORDS = frozenset(
    """
    yesterday today week month year ago monday tuesday wednesday thursday friday saturday sunday
    january february march april may june july august september october november december
    jan feb mar apr jun jul aug sep sept oct nov dec
    """.split()
)


class Candidate:
    """A memory as the ranking sees it: what matched, how it stands, and what became of both."""

    __slots__ = (
        "author", "checked_at", "conflicts", "created_at", "evidence", "files", "gist", "harmed", "helped", "id",
        "kind", "line", "match", "meaning", "mixed", "number", "origin", "query", "reviewed", "run", "score", "short",
        "signals", "stale", "state", "superseded_by", "supported", "text", "texts", "title", "weight",
    )  # fmt: skip

    def __init__(self, id: str, kind: str, state: str, weight: int, line: str) -> None:
        self.id, self.kind, self.state, self.weight, self.line = id, kind, state, weight, line
        self.title = self.text = self.created_at = self.checked_at = self.origin = ""
        # Who wrote it down, in which run, and its number in the order of capture.
        self.author = self.run = ""
        self.number = 0
        # Which set of weights it is for.
        self.texts = weights.MEMORIES
        self.superseded_by: str | None = None
        self.files: Sequence[str] = ()
        self.conflicts: Sequence[str] = ()
        self.helped = self.harmed = 0
        # 0 to 1, by age alone.
        self.stale = 0.0
        self.reviewed = False
        # How near it is by a model, None without one, and by the meaning of single words.
        self.meaning: float | None = None
        self.gist = 0.0
        self.signals: dict[str, float] = {}
        # What it was found by, and what of that it holds.
        self.query: ParsedQuery | None = None
        self.match: Match | None = None
        # How far it stands among texts of very different lengths: 0 to 1.
        self.mixed = 0.0
        # How far these are sentences: 0 to 1.
        self.short = 0.0
        # Whether it shares enough with the query to be shown without being asked for.
        self.supported = True
        self.score = self.evidence = 0.0

    @property
    def words(self) -> list[str]:
        """The words of the query that it holds."""
        terms = (*self.query.terms, *self.query.left_out) if self.query else ()
        return [terms[place].word for place in self.hits]

    @property
    def hits(self) -> list[int]:
        """The places of these among the query's; those that were too frequent to be asked for are counted on."""
        if not self.match or not self.query:
            return []
        return [*self.match.hit, *[len(self.query.terms) + place for place in self.match.also]]


class QueryContext:
    """What a query asks beside its words: files at hand, kinds it calls for, who is named, which days are meant."""

    __slots__ = ("chance", "files", "kinds", "mixed", "request", "said", "short", "when")

    def __init__(self, text: str, query: ParsedQuery, today: str = "", files: Sequence[str] = ()) -> None:
        self.files, self.request = files, Request(text, query)
        self.kinds = called_for(term.word for term in self.request.terms)
        self.said = {bare(word) for word in text.lower().split()}
        if not self.said.isdisjoint(_FIRST_PERSON):
            # "When did I say so?" asks for what the person said, in a conversation that calls them "user".
            self.said.add("user")
        self.when = _days_meant(text, self.said, today) if today else None
        self.chance = chance(query.total)
        # How far what was found are texts of very different lengths, and how far they are sentences: 0 to 1.
        self.mixed = min(1.0, max(0.0, (query.spread - _ONE_LENGTH) / (_MIXED - _ONE_LENGTH)))
        self.short = min(1.0, max(0.0, (_NOT_SHORT - query.typical) / (_NOT_SHORT - _SHORT))) if query.typical else 0.0


def _days_meant(text: str, said: Collection[str], today: str) -> tuple[str, str] | None:
    """Return the first and the last day that a text means, None without date words."""
    if DATE_WORDS.isdisjoint(said) and not any(word[:1].isdigit() for word in said):
        return None
    from tenure.recall import dates  # start-up: most prompts name no date

    return dates.span(text, today)


def measure(candidate: Candidate, query: ParsedQuery, match: Match | None, moment: QueryContext) -> None:
    """Set a candidate's own signals."""
    information, request = query.information, moment.request
    found = own = 0.0
    signals: dict[str, float] = {}
    if match:
        # Words that are only near in meaning order what was found; they are no evidence that it answers.
        found, own = match.information, request.told_by(match)
        looked_up, whole = query.looked_up, information or 1.0
        if looked_up:
            for name, value in zip(FIELDS, match.fields, strict=True):
                if value:
                    signals[name] = value / looked_up
            # Of a text the frequent words are counted as well.
            signals["text"] = match.fields[TEXT] / whole
            signals["small"] = match.small / whole
            signals["loose"] = match.loose / looked_up
            signals["passage"] = match.passage / whole
            # How much of the memory itself the prompt says; about half of a text's words tell something.
            plain = request.plain_in(match)
            signals["held"] = min(1.0, plain / max(_FEW_WORDS, match.length / 2))
    signals["coverage"] = coverage = found / information if information else 0.0
    # The share of the whole query, with the words no memory has.
    signals["share"] = own / request.weighs if request.weighs else 0.0
    # How unlikely it is that some memory of so many holds these words by chance.
    signals["surprise"] = (own - moment.chance) / _SURPRISE
    signals["standing"] = candidate.weight / 100
    helped, harmed, author = candidate.helped, candidate.harmed, candidate.author
    signals["helped"] = min(helped, _ENOUGH_USES) / _ENOUGH_USES if helped else 0.0
    signals["harmed"] = min(harmed, _ENOUGH_USES) / _ENOUGH_USES if harmed else 0.0
    signals["stale"] = candidate.stale
    signals["files"] = near(candidate.files, moment.files) if moment.files else 0.0
    signals["kind"] = 1.0 if candidate.kind in moment.kinds else 0.0
    # Whoever is named said much; it is asked for what holds the rest of the query.
    signals["author"] = (1 + coverage) / 2 if author and _first_name(author) in moment.said else 0.0
    signals["dates"] = _falls_within(candidate.created_at, moment) if moment.when else 0.0
    signals["session"] = 1.0 if candidate.run and candidate.run.lower() in moment.said else 0.0
    near_enough = False
    if candidate.gist:
        signals["gist"] = candidate.gist
    if candidate.meaning is not None:
        signals["meaning"] = candidate.meaning
        signals["near"] = beyond = max(0.0, candidate.meaning - NEAR_FROM)
        near_enough = beyond >= _NEAR_ENOUGH
        told = signals.get("text", 0.0) + signals.get("small", 0.0)
        signals["long"] = told * min(1.0, query.typical / _LONG)
    candidate.supported = near_enough or (match is not None and request.supports(match, candidate.line))
    if match and request.orders and request.orders_what(match, candidate.line):
        signals["ordered"] = 1.0
        candidate.supported = True
    candidate.signals, candidate.query, candidate.match = signals, query, match
    candidate.mixed, candidate.short = moment.mixed, moment.short


def measure_together(candidates: Sequence[Candidate], query: ParsedQuery) -> None:
    """Set what the memories of one run lend each other; the candidates have been measured.

    A turn of a conversation is a fragment: what it is about often stands in the turns around it.
    """
    runs: dict[str, list[Candidate]] = {}
    for item in candidates:
        if item.run:
            runs.setdefault(item.run, []).append(item)
    terms = (*query.terms, *query.left_out)
    # Whoever speaks is named all the time, which says nothing of what is spoken about.
    speakers = {_first_name(item.author) for item in candidates}
    tells = [0.0 if term.word in speakers else term.idf / (query.information or 1.0) for term in terms]
    for items in runs.values():
        if len(items) < 2:
            continue
        best = max(sum([tells[place] for place in item.hits]) for item in items)
        hits = {item.number: set(item.hits) for item in items}
        for item in items:
            item.signals["session"] = max(item.signals["session"], best)
            item.signals["neighbours"] = _lent_beside(item.number, hits, tells)


def _first_name(author: str) -> str:
    """Return the word by which people call an author."""
    return author.lower().partition(" ")[0]


def _lent_beside(place: int, hits: Mapping[int, set[int]], tells: Sequence[float]) -> float:
    """Return how much of the rest of the query those hold that were captured just before and after a memory."""
    own = hits[place]
    lent: dict[int, float] = {}
    counts = 1.0
    for distance in range(1, _SIDE_BY_SIDE + 1):
        for number in (place - distance, place + distance):
            for hit in hits.get(number, own) - own:
                lent.setdefault(hit, counts * tells[hit])
        counts *= _FURTHER
    return sum(lent.values())


def _falls_within(created_at: str, moment: QueryContext) -> float:
    return 1.0 if moment.when and moment.when[0] <= created_at[:10] <= moment.when[1] else 0.0


def chance(total: int) -> float:
    """Return how much words tell that some memory of so many holds by chance; it grows with the store."""
    return log(total + 1)


def rank(candidates: Iterable[Candidate], silence: float = 0.0) -> list[Candidate]:
    """Return candidates in order, best first, with their scores and their evidence beyond the store's own silence."""
    found = list(candidates)
    # Of each signal, what it adds to the score and to the evidence; and the evidence that all begin with.
    known: dict[tuple[object, ...], tuple[dict[str, tuple[float, float]], float]] = {}
    for candidate in found:
        # Those of one query share their weights, or nearly all do.
        sort = candidate.texts, candidate.meaning is None, candidate.mixed, candidate.short
        if sort not in known:
            set_, proofs = _sets(candidate)
            names = set_.keys() | proofs.keys()
            known[sort] = {name: (set_.get(name, 0.0), proofs.get(name, 0.0)) for name in names}, proofs["bias"]
        both, bias = known[sort]
        score, evidence = 0.0, bias - silence
        for name, value in candidate.signals.items():
            if value and name in both:
                weight, proof = both[name]
                score += weight * value
                evidence += proof * value
        if not candidate.supported:
            evidence = min(evidence, _UNSUPPORTED)
        candidate.score, candidate.evidence = round(score, 4), evidence
    found.sort(key=lambda item: (-item.score, item.created_at, item.id))
    return successors_first(found)


def varied(ordered: Sequence[Candidate], alike: Sequence[Sequence[float]]) -> list[Candidate]:
    """Return an order in which a memory loses a little for each better one that says the same and holds no less.

    `alike` has the cosine of each with each.
    """
    left = list(range(len(ordered)))
    result: list[Candidate] = []
    while left:
        place = max(left, key=lambda n: (ordered[n].score, -n))
        left.remove(place)
        first = ordered[place]
        result.append(first)
        for other in left:
            item = ordered[other]
            if alike[place][other] >= ALIKE and item.signals["coverage"] <= first.signals["coverage"]:
                item.signals["repeats"] = item.signals.get("repeats", 0.0) + 1
                item.score = round(item.score + _sets(item)[0]["repeats"], 4)
    return successors_first(result)


def successors_first(ordered: list[Candidate]) -> list[Candidate]:
    """Move each superseded memory below the one that took its place."""
    result: list[Candidate] = []
    done: set[str] = set()
    present = {item.id for item in ordered}
    waiting: dict[str, list[Candidate]] = {}
    for item in ordered:
        after = item.superseded_by
        if after and after in present and after not in done:
            waiting.setdefault(after, []).append(item)
            continue
        stack = [item]
        while stack:
            released = stack.pop(0)
            result.append(released)
            done.add(released.id)
            stack += waiting.pop(released.id, [])
    # What is left supersedes itself in a circle, which no rule writes but a file may hold.
    return result + [item for rest in waiting.values() for item in rest]


def called_for(words: Iterable[str]) -> set[str]:
    """Return the kinds of memories that the words of a prompt call for."""
    said = set(words)
    return {kind for kind, cues in weights.CUES.items() if not said.isdisjoint(cues)}


def why(candidate: Candidate) -> str:
    """Return what a score is made of, for a person."""
    signals = candidate.signals
    parts = [f"words {', '.join(sorted(set(candidate.words)))}"] if candidate.words else []
    if signals.get("meaning", 0.0) > 0:
        parts.append(f"meaning {signals['meaning']:.2f}")
    if signals["files"]:
        parts.append("about a file at hand" if signals["files"] == 1 else "about the same folder")
    if signals["kind"]:
        parts.append(f"a {candidate.kind}, as asked")
    if signals["author"]:
        parts.append(f"by {candidate.author}")
    if signals["dates"]:
        parts.append(f"from {candidate.created_at[:10]}")
    if signals["session"] or signals.get("neighbours", 0.0):
        parts.append(f"captured with others in run {candidate.run}")
    for name in ("helped", "harmed"):
        if signals[name]:
            parts.append(f"{name} {getattr(candidate, name)} times")
    return "; ".join([*parts, candidate.state])


def terms(candidate: Candidate) -> dict[str, float]:
    """Return what each signal adds to the score, largest first."""
    set_, _ = _sets(candidate)
    added = [
        (name, total)
        for name, value in candidate.signals.items()
        if value and (total := round(set_.get(name, 0.0) * value, 4))
    ]
    return dict(sorted(added, key=lambda item: -abs(item[1])))


def _sets(candidate: Candidate) -> tuple[Mapping[str, float], Mapping[str, float]]:
    """Return the weights of the order, between the ends of `mixed` and `short`, and those of the evidence."""
    name = "words" if candidate.meaning is None else "meaning"
    sections = weights.of(candidate.texts)
    plain, mixture = sections[f"rank.{name}"], sections.get(f"rank.{name}.mixed")
    if not mixture or not candidate.mixed:
        return plain, sections[f"evidence.{name}"]
    between = f"rank.{name} {candidate.mixed:.2f} {candidate.short:.2f}"
    if between not in sections:
        share, short = round(candidate.mixed, 2), round(candidate.short, 2)
        sentences = sections.get(f"rank.{name}.short", {})
        set_ = {}
        for signal, weight in plain.items():
            high = mixture.get(signal, weight)
            set_[signal] = (1 - share) * weight + share * ((1 - short) * high + short * sentences.get(signal, high))
        sections[between] = set_
    return sections[between], sections[f"evidence.{name}"]


def near(mine: Sequence[str], at_hand: Sequence[str]) -> float:
    """Return 1 when a memory is about a file at hand, a half when about its folder, else 0."""
    ours, theirs = [_slashed(path) for path in mine], [_slashed(path) for path in at_hand]
    if any(a == b or b.endswith(f"/{a}") or a.endswith(f"/{b}") for a in ours for b in theirs):
        return 1.0
    folders = {folder for path in ours if (folder := path.rpartition("/")[0])}
    return _SAME_FOLDER if any(path.rpartition("/")[0] in folders or path in folders for path in theirs) else 0.0


def _slashed(path: str) -> str:
    return path.replace("\\", "/").rstrip("/").removeprefix("./")


def doubt(candidate: Candidate, best: float, least_evidence: float, floor_share: float) -> str:
    """Return why a memory hardly answers the prompt, empty when it does; files at hand need no words."""
    if candidate.signals["files"]:
        return ""
    if not candidate.supported:
        return "shares too little with the prompt"
    if candidate.evidence < least_evidence:
        return f"evidence {candidate.evidence:.2f}, less than {least_evidence:g}"
    if candidate.score < best * floor_share:
        return "scores too far below the best"
    return ""
