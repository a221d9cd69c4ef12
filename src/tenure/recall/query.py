"""A text as a query, what of it a memory holds, and a memory as hooks find it: what a store hands to the ranking.

A store cuts a text into terms by its own rules and reports matches in these records, so the ranking knows no index
syntax. The prompt hook uses these, so they are plain classes.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

# What of a memory is searched, in the order in which a match reports it.
FIELDS = ("title", "tags", "text", "content", "names", "related")
TITLE, TEXT, NAMES, RELATED = (FIELDS.index(name) for name in ("title", "text", "names", "related"))
# What people type to go on, to agree, to thank or to point at what is on the screen: these words ask for no memory.
FOLLOW_UPS = frozenset(
    """
    yes yeah yep yup no nope nah ok okay okey sure fine good great nice perfect cool awesome excellent thanks thank
    thx please pls plz continue proceed go going on ahead again try next more done finished ready now then also just
    still well right correct exactly agreed hello hi hey bye stop wait hmm huh oh ah one two three first second
    third last same thing things let lets make made want need like think know see look looks show tell give get got
    put take keep help check say said new work works working worked start started change changes changed fix fixed
    fixes add added update updated remove removed create created undo redo instead really much many lot everything
    something anything nothing way sounds seems better not both each either option part step steps it's that's don't
    didn't what's i'm let's answer question explain detail details summary summarize file files code issue issues
    problem problems bug bugs error errors broken fails failed failing doesn't isn't won't can't yet maybe actually
    ja nein gut weiter bitte danke genau mach machen los nochmal stimmt passt gerne klar fertig jetzt das dies oui
    non merci vas encore bien parfait accord fais ça ca maintenant si sí vale bueno gracias sigue seguir continua
    continúa adelante hazlo hola claro otra vez listo perfecto ahora sim não nao obrigado obrigada pode continuar
    segue isso certo agora faz faça prossiga va bene grazie avanti ancora fallo да нет ок хорошо спасибо дальше
    продолжай давай сделай исправь ещё еще раз понятно верно отлично готово tak nie dobrze dalej evet hayır devam
    tamam teşekkürler 继续 好的 可以 是的 谢谢 不是 没有 对的 开始
    下一 一步 再试 试试 试一 一下 修复 はい いえ いいえ 続け
    進ん 続き お願 了解 修正 もう 一度 大丈 丈夫 계속 좋아
    """.split()
)
# One such word is enough to ask for the rules about that activity.
ACTIVITIES = frozenset(
    """
    commit commits committing push pushing merge merging rebase squash release releasing publish publishing deploy
    deploying deployment test tests testing lint linting format build building install migrate migration migrations
    restart review reviews branch tag pr pull rollback changelog version bump backup e2e benchmark
    """.split()
)
# Beside a word that asks for something these say what about it: "packaging fails" asks for what makes packaging fail.
TROUBLE = frozenset(
    "fail fails failed failing error errors broken bug bugs issue issues problem problems crash crashes crashed".split()
)
# Forms of one word that the index's stemmer keeps apart. A query asks for all of them; the index holds each as it is
# written, so nothing stored depends on this. Left out is what mostly means something else: `left`, `saw`, `found`.
_TOGETHER = """
    appendix appendices; axis axes; child children; codex codices; criterion criteria; crisis crises; datum data
    half halves; index indices; leaf leaves; matrix matrices; person people; phenomenon phenomena; schema schemata
    thesis theses; vertex vertices; wife wives; life lives; mouse mice; foot feet; man men; woman women
    become became; begin began begun; bind bound; break broke broken; bring brought; build built; buy bought
    catch caught; choose chose chosen; come came; deal dealt; draw drew drawn; drive drove driven; eat ate eaten
    fall fell fallen; feed fed; feel felt; fight fought; fly flew flown; forbid forbade forbidden
    forget forgot forgotten; freeze froze frozen; give gave given; go went gone; grow grew grown; hang hung; hear heard
    hide hid hidden; hold held; keep kept; know knew known; lend lent; lose lost; meet met; override overrode overridden
    overwrite overwrote overwritten; pay paid; rebuild rebuilt; ride rode ridden; rewrite rewrote rewritten; run ran
    sell sold; send sent; shake shook shaken; sing sang sung; sit sat; sleep slept; speak spoke spoken; spend spent
    stand stood; steal stole stolen; stick stuck; swim swam swum; take took taken; teach taught; tell told
    think thought; throw threw thrown; understand understood; wake woke woken; wear wore worn; win won
    write wrote written
"""
# `analysis` and `analyses`; shorter words are others: `bases` belong to `base`.
_SINGULAR, _PLURAL, _SHORTEST = "sis", "ses", 7

_forms: dict[str, tuple[str, ...]] = {}
for _line in _TOGETHER.replace("\n", ";").split(";"):
    _group = tuple(_line.split())
    for _form in _group:
        _forms[_form] = _group

# No more of a text is read as a query.
MOST_CHARS = 20_000


def ends(text: str) -> str:
    """Return the beginning and the end of a long text: a prompt asks there, and quotes in between."""
    if len(text) <= MOST_CHARS:
        return text
    return f"{text[: MOST_CHARS // 2]}\n{text[-MOST_CHARS // 2 :]}"


def other_forms(word: str) -> list[str]:
    """Return the other forms of a lower-case word, as far as stemming does not find them."""
    if word in _forms:
        return [form for form in _forms[word] if form != word]
    if len(word) < _SHORTEST or word[-4:] == "sses":
        return []
    if word.endswith(_SINGULAR):
        return [word[: -len(_SINGULAR)] + _PLURAL]
    return [word[: -len(_PLURAL)] + _SINGULAR] if word.endswith(_PLURAL) else []


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

    def found_in(self, match: Match) -> float:
        """Return how much of the query's information a memory holds."""
        hits = sum([self.terms[place].idf for place in match.hit])
        return hits + sum([self.left_out[place].idf for place in match.also])


class Match:
    """What of a query one memory holds: a BM25 sum for each of `FIELDS`, and which terms were found."""

    __slots__ = ("also", "fields", "hit", "length", "lent", "loose", "passage", "titled")

    def __init__(
        self, fields: list[float], hit: list[int], length: int = 0, passage: float = 0.0, loose: float = 0.0
    ) -> None:
        # Positions among the query's terms, and among those it left out.
        self.fields, self.hit = fields, hit
        self.also: list[int] = []
        # How many words its text has, and how much of the query's information its best passage holds.
        self.length, self.passage = length, passage
        # Positions of terms that only the words related in meaning have.
        self.lent: list[int] = []
        # BM25 in the field of names of what the query does not write as a name.
        self.loose = loose
        # Whether its title has a term, be the title only the beginning of the text.
        self.titled = bool(fields[TITLE])


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
