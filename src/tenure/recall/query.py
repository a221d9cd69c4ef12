"""A text as a query, what it asks for, what of it a memory holds, and a memory as hooks find it.

A store cuts a text into terms by its own rules and reports matches in these records, so the ranking knows no index
syntax. The prompt hook uses these, so they are plain classes.
"""

from __future__ import annotations

import os

from tenure.text.words import STOP_WORDS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

# What of a memory is searched, in the order in which a match reports it.
FIELDS = ("title", "tags", "text", "content", "names", "related")
TITLE, TEXT, NAMES, RELATED = (FIELDS.index(name) for name in ("title", "text", "names", "related"))
# `analysis` and `analyses`; shorter words are others: `bases` belong to `base`.
_SINGULAR, _PLURAL, _SHORTEST = "sis", "ses", 7

# A beginning of a Latin word that is shorter is a word of its own.
_BEGINNING = 5


def _read() -> dict[str, list[str]]:
    """Return the lines of each section of the lists of words."""
    sections: dict[str, list[str]] = {}
    into: list[str] = []
    with open(os.path.join(os.path.dirname(__file__), "words.txt"), encoding="utf-8") as file:
        for line in file.read().split("\n"):
            if line.startswith("["):
                into = sections[line[1:-1]] = []
            elif line and not line.startswith("#"):
                into.append(line)
    return sections


_lists = _read()
FOLLOW_UPS, ACTIVITIES, ORDERS, MAKES, TROUBLE, SMALL_WORDS = (
    frozenset(" ".join(_lists[name]).split())
    for name in ("follow-ups", "activities", "orders", "makes", "trouble", "small")
)
# A query asks for all forms of a word and for its English; the index holds each word as it is written, so nothing
# stored depends on this.
_forms = {form: group for line in _lists["forms"] for group in (line.split(),) for form in group}
_spaced: dict[str, str] = {}
_unspaced: dict[str, str] = {}
for _line in _lists["english"]:
    _english, _, _others = _line.partition(":")
    for _other in _others.split():
        # Korean is written with spaces, and its words bend at the end like those of the others.
        (_unspaced if "\u3040" <= _other[0] <= "\u9fff" else _spaced)[_other] = _english

_TAGS = FIELDS.index("tags")
# So many words shared with a prompt are more than chance.
_ENOUGH_WORDS = 2.0
# What only continues a conversation counts so much of itself where a memory holds it.
_GOING_ON = 0.5
# A prompt that asks for more than so many things is about more than the activity it begins with.
_FEW_ASKED = 6
# A memory is about what stands among so many of its first telling words.
_OPENING = 3
_QUESTIONS = frozenset("how what what's which where who when why do does can should is are may".split())
_POLITE = [[word, "you"] for word in ("can", "could", "would", "will")]
_ASKED_NICELY = frozenset(("please", "you", "can", "could", "would", "will"))
# How a memory begins that holds in some cases only; signs inside of names; words before what is done to a thing.
_CONDITIONS = ("when ", "if ", "unless ", "while ", "where ", "in case ")
# What a memory says before the thing that it is about.
_BEFORE_A_THING = MAKES | {"never", "always", "not", "don't"}
_NAME_SIGNS = frozenset("_-/.")
_PASSIVE = frozenset("is are be been was were get gets got being".split())
# No more of a text is read as a query.
MOST_CHARS = 20_000


def ends(text: str) -> str:
    """Return the beginning and the end of a long text: a prompt asks there, and quotes in between."""
    if len(text) <= MOST_CHARS:
        return text
    return f"{text[: MOST_CHARS // 2]}\n{text[-MOST_CHARS // 2 :]}"


def goes_on(word: str) -> bool:
    """Tell whether a word only continues a conversation: it asks for no memory, and its absence tells nothing."""
    return word in FOLLOW_UPS and word not in TROUBLE


def other_forms(word: str) -> list[str]:
    """Return the other forms of a lower-case word, as far as stemming does not find them."""
    if word in _forms:
        return [form for form in _forms[word] if form != word]
    if len(word) < _SHORTEST or word[-4:] == "sses":
        return []
    if word.endswith(_SINGULAR):
        return [word[: -len(_SINGULAR)] + _PLURAL]
    return [word[: -len(_PLURAL)] + _SINGULAR] if word.endswith(_PLURAL) else []


def english_of(word: str) -> str:
    """Return what a lower-case word of a spaced script is in English, empty where it is not known."""
    for length in range(len(word), 1, -1):
        found = _spaced.get(word[:length])
        if found and (length == len(word) or length >= _BEGINNING or not word.isascii()):
            return found if found != word else ""
    return ""


def english_within(text: str) -> list[str]:
    """Return the English words for what a text in an unspaced script names, in the order of the text."""
    if text.isascii():
        return []
    found = {english: place for other, english in _unspaced.items() if (place := text.find(other)) >= 0}
    return sorted(found, key=lambda english: found[english])


class Term:
    """A word of a query: as typed, its stem, in how many memories it stands and how much it says (idf)."""

    __slots__ = ("field", "forms", "idf", "main", "memories", "prefix", "stem", "times", "word", "written")

    def __init__(self, word: str, stem: str, field: str = "", *, written: bool = True) -> None:
        # A name is looked for in the field of names only; other words in all fields.
        self.word, self.stem, self.field = word, stem, field
        # Whether a name stands in the query, or is only what two words side by side would make.
        self.written = written
        # How often the query says it, in how many memories it stands, and how much it tells.
        self.times, self.memories = 1, 0
        self.idf = 0.0
        # True for a word that may still be being typed: it matches by its beginning.
        self.prefix = False
        # Its other forms that some memory has, and for such a form the place of the word among the query's terms.
        self.forms: list[Term] = []
        self.main: int | None = None

    @property
    def stress(self) -> float:
        """Return how much a match of it is worth: what a prompt says again and again is what it is about."""
        return self.idf * (1 + min(self.times, 3)) / 2

    @property
    def is_written(self) -> bool:
        """Tell whether it is a name that stands in the query itself."""
        return bool(self.field) and self.written


class ParsedQuery:
    """A text as a query: the terms looked up, those left out, and how much information all of its words carry."""

    __slots__ = (
        "information", "left_out", "lengths", "looked_up", "small", "spread", "terms", "total", "typical", "unknown",
    )  # fmt: skip

    def __init__(self, total: int) -> None:
        # How many memories the store has.
        self.total = total
        self.terms: list[Term] = []
        self.left_out: list[Term] = []
        # Words like "off" and "not", which bring nothing and still tell two like texts apart.
        self.small: list[Term] = []
        # The idf of the words that no memory has, of the terms looked up, and of all words that some memory has.
        self.unknown = self.looked_up = self.information = 0.0
        # The lengths of the texts that were found, their mean, and how far they lie apart: 0 for one length, about 1
        # for a mixture.
        self.lengths: list[int] = []
        self.typical = self.spread = 0.0

    @property
    def phrases(self) -> list[Term]:
        """Return what the index is asked for: the terms, and after them their other forms."""
        forms = []
        for place, term in enumerate(self.terms):
            for form in term.forms:
                form.main, form.idf, form.times = place, term.idf, term.times
                forms.append(form)
        return [*self.terms, *forms]

    def asks(self) -> dict[int, float]:
        """Return the places of the words that ask for something, and how much of a word each is.

        What only continues a conversation asks for nothing. Pairs of characters of unspaced scripts are half a word.
        """
        return {
            place: 0.5 if term.field else 1.0
            for place, term in enumerate((*self.terms, *self.left_out))
            if term.word not in FOLLOW_UPS and not term.prefix and (not term.field or not term.word.isascii())
        }


class Match:
    """What of a query one memory holds: a BM25 sum for each of `FIELDS`, and which terms were found."""

    __slots__ = ("also", "fields", "hit", "information", "length", "lent", "loose", "passage", "small", "titled")

    def __init__(
        self,
        fields: list[float],
        hit: list[int],
        length: int = 0,
        information: float = 0.0,
        passage: float = 0.0,
        loose: float = 0.0,
    ) -> None:
        # Positions among the query's terms, and among those it left out.
        self.fields, self.hit = fields, hit
        self.also: Sequence[int] = ()
        # How many words its text has, and how much of the query's information it and its best passage hold.
        self.length, self.information, self.passage = length, information, passage
        # Positions of terms that only the words related in meaning have.
        self.lent: Sequence[int] = ()
        # BM25 in the field of names of what the query does not write as a name, and in the text of its stop words.
        self.loose, self.small = loose, 0.0
        # Whether its title has a term, be the title only the beginning of the text.
        self.titled = bool(fields[TITLE])

    @property
    def held(self) -> float:
        """How much of a query it holds, and how densely; names count again."""
        fields = self.fields
        return self.information + fields[TEXT] + self.small + fields[NAMES]


class Request:
    """A prompt as a request for memories: which words ask, how much each tells, and the activities it orders."""

    __slots__ = (
        "asked", "asks", "asks_one_thing", "looked_up", "makes_one_thing", "names", "orders", "strength", "terms",
        "trouble", "weighs",
    )  # fmt: skip

    def __init__(self, text: str, query: ParsedQuery) -> None:
        self.asks = query.asks()
        self.looked_up = len(query.terms)
        self.terms = (*query.terms, *query.left_out)
        # The places of the words that stand for names.
        self.names = frozenset(n for n, term in enumerate(self.terms) if term.field)
        # How much each word counts as evidence, and all of them with those that no memory has.
        self.strength = [term.idf * (_GOING_ON if goes_on(term.word) else 1.0) for term in self.terms]
        told = [tells for n, tells in enumerate(self.strength) if n < self.looked_up or _is_plain(self.terms[n])]
        self.weighs = query.unknown + sum(told)
        self.asked = sum(self.asks.values())
        asks_back = is_question(text)
        self.asks_one_thing = asks_back and self.asked <= 1
        self.makes_one_thing = self.asked == 1 and _makes(text)
        plain = sum([not self.terms[n].field for n in self.asks])
        self.orders: frozenset[str] = frozenset() if asks_back or plain > _FEW_ASKED else _orders(text, self.terms)
        # Beside a word that asks, words of trouble ask too.
        self.trouble: list[int] = []
        if self.asked:
            self.trouble = [
                n for n, term in enumerate(self.terms) if term.word in TROUBLE and n not in self.asks and not term.field
            ]
            self.asked += len(self.trouble)

    def places(self, match: Match) -> list[int]:
        """Return the places of the words that a memory holds."""
        return [*match.hit, *[self.looked_up + place for place in match.also]] if match.also else match.hit

    def plain_in(self, match: Match) -> int:
        """Return how many of the words that a memory holds are no names."""
        names = self.names
        return len(match.hit) + len(match.also) - (len([n for n in match.hit if n in names]) if names else 0)

    def told_by(self, match: Match) -> float:
        """Return how much the words tell that a memory itself holds; those only near it in meaning are no evidence."""
        strength, lent, places = self.strength, match.lent, self.places(match)
        return sum(
            [strength[place] for place in places if place not in lent] if lent else [strength[n] for n in places]
        )

    def orders_what(self, match: Match, line: str) -> bool:
        """Tell whether a memory is about an activity with which the prompt begins."""
        if not self.orders or not match.titled:
            return False
        held = (form.stem for place in self.places(match) for form in _written(self.terms[place]))
        return any(about(line, stem) for stem in held if stem in self.orders)

    def supports(self, match: Match, line: str) -> bool:
        """Tell whether a memory shares more with a prompt than chance brings: a name, two words, or half of its words.

        One word alone is enough only where it is all that is asked: in a question about what the memory begins with,
        in an order to make or change that ("update the snapshots"), or as an activity that the memory is about or is
        tagged with ("commit" asks for the rules about commits).
        """
        if match.fields[NAMES]:
            return True
        asks, lent = self.asks, match.lent
        found = self.places(match)
        held = [place for place in found if place in asks]
        shared = sum([asks[place] * (0.5 if place in lent else 1.0) for place in held])
        if shared and self.trouble:
            shared += sum([place in self.trouble for place in found])
        if shared >= _ENOUGH_WORDS:
            return True
        if self.asked > 1:
            return shared >= self.asked / 2
        if self.asks_one_thing and any(_opens(line, self.terms[n]) for n in held):
            return True
        if self.makes_one_thing and any(_begins(line, self.terms[n]) for n in held):
            return True
        activities = [self.terms[n] for n in held if self.terms[n].word in ACTIVITIES]
        if match.fields[_TAGS]:
            return bool(activities)
        return match.titled and any(about(line, term.stem) for term in activities)


def is_question(text: str) -> bool:
    """Tell whether a prompt asks rather than orders; "can you push" is an order."""
    words = text.lower().split(maxsplit=2)
    if not words or words[:2] in _POLITE:
        return False
    return words[0] in _QUESTIONS or text.rstrip().endswith(("?", "\uff1f"))


def bare(word: str) -> str:
    """Return a word without the signs around it: "Ada's" names Ada."""
    word = word.strip(".,;:!?()[]{}\"'`")
    return word[:-2] if word.endswith(("'s", "\u2019s")) else word


def about(line: str, activity: str) -> bool:
    """Tell whether a memory is about an activity itself, by the stem of its word.

    "Sessions are pushed to a private repository" is about sessions, `force_push` is a name, and what begins with a
    condition of its own ("When the hook is broken, committing …") holds only then.
    """
    said = line.lower()
    opening = said.partition(",")[0]
    begun = _beginnings(activity)
    if said.startswith(_CONDITIONS) and not any(beginning in opening for beginning in begun):
        return False
    before = ""
    for word in said.split():
        plain = word.strip(".,;:!?()[]\"'`")
        if plain.startswith(begun) and not set(plain) & _NAME_SIGNS:
            done_to = plain.endswith("ed") and before in _PASSIVE
            if not done_to:
                return True
        if plain not in ("not", "never", "only", "always"):
            before = plain
    return False


def _beginnings(stem: str) -> tuple[str, ...]:
    """Return how words of a stem begin: "deploi" is the stem of "deploy" and "deploying"."""
    return (stem, f"{stem[:-1]}y") if stem.endswith("i") else (stem,)


def _opens(line: str, term: Term) -> bool:
    """Tell whether a word is among the first that a memory says, as what it is about."""
    telling = [plain for word in line.lower().split() if (plain := bare(word)) and plain not in STOP_WORDS]
    stems = tuple(beginning for form in _written(term) for beginning in _beginnings(form.stem))
    return any(word.startswith(stems) for word in telling[:_OPENING])


def _begins(line: str, term: Term) -> bool:
    """Tell whether a word is the first thing that a memory names: "Snapshots are ...", "Start the server with ...".

    What begins with a path or a name (`docs/guide.md`) is about that.
    """
    words = (plain for word in line.lower().split() if (plain := bare(word)))
    first = next((word for word in words if word not in STOP_WORDS and word not in _BEFORE_A_THING), "")
    if set(first) & _NAME_SIGNS:
        return False
    return first.startswith(tuple(beginning for form in _written(term) for beginning in _beginnings(form.stem)))


def _makes(text: str) -> bool:
    """Tell whether a prompt begins with an order to make or change a thing."""
    plain = (bare(word) for word in text.lower().split(maxsplit=5)[:5])
    return next((word for word in plain if word and word not in _ASKED_NICELY), "") in MAKES


def _orders(text: str, terms: Sequence[Term]) -> frozenset[str]:
    """Return the stems of the activities with which a prompt begins: "commit, push and open a PR"."""
    known = {term.word: term for term in terms if not term.field}
    found: set[str] = set()
    said = text.lower()
    for word in said.replace("/", " ").replace(",", " ").split():
        plain = bare(word)
        if len(plain) < 2 or plain in STOP_WORDS or plain in FOLLOW_UPS or plain in SMALL_WORDS:
            continue
        ordered = _ordered(known[plain]) if plain in known else frozenset()
        if not ordered:
            break
        found |= ordered
    if not said.isascii():
        # A script without spaces may name them at its end; the English word for one stands nowhere in the text.
        for word, term in known.items():
            if word.isascii() and word not in said:
                found |= _ordered(term)
    return frozenset(found)


def _ordered(term: Term) -> frozenset[str]:
    """Return the stems of a word that names an activity to be done, in English or not; nothing for another word."""
    forms = _written(term)
    return frozenset(form.stem for form in forms) if any(form.word in ORDERS for form in forms) else frozenset()


def _written(term: Term) -> tuple[Term, ...]:
    return (term, *term.forms)


def _is_plain(term: Term) -> bool:
    """Tell whether some memory has a word that is no name."""
    return bool(term.memories and not term.field)


class HookRow:
    """A memory as a hook finds it: what its verdict says, and what matched; its record is read by `HookStore.facts`."""

    __slots__ = ("id", "kept", "kind", "line", "match", "number", "state", "version", "weight")

    def __init__(
        self, number: int, id: str, version: int, kind: str, state: str, weight: int, line: str, kept: Any
    ) -> None:
        self.number, self.id, self.version, self.kind, self.state = number, id, version, kind, state
        self.weight, self.line = weight, line
        # What was found for a search, None otherwise.
        self.match: Match | None = None
        # Whatever the store needs to tell more of it.
        self.kept = kept


class HookFacts:
    """What the record of a memory says of its life, as far as ranking and budget need it."""

    __slots__ = (
        "age_days", "agent", "checked_at", "conflicts", "created_at", "files", "first_run", "harmed", "helped",
        "only_run", "reviewed", "superseded_by", "text", "title",
    )  # fmt: skip

    def __init__(self) -> None:
        self.title = self.text = self.created_at = self.checked_at = ""
        self.superseded_by: str | None = None
        self.helped = self.harmed = 0
        # Whether a person stated or approved it.
        self.reviewed = False
        # The run it comes from when that is the only one, who wrote it down, and the first run.
        self.only_run = self.agent = self.first_run = ""
        self.conflicts: Sequence[str] = ()
        self.files: Sequence[str] = ()
        # Since it was last checked.
        self.age_days = 0.0
