"""The full-text index: what is put in, and how any text at all becomes a query.

Query words are cut by the index's own tokenizer and quoted, so nothing a user types is ever query syntax. Cost grows
with the entries touched, so only the rarest words of a query are looked up; words in a large share of the memories
say the least and are left out where others remain. The prompt hook runs this: apsw and nothing heavier.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from itertools import pairwise
from math import log, sqrt

import apsw

from tenure.recall.query import (
    FIELDS,
    NAMES,
    RELATED,
    SMALL_WORDS,
    TEXT,
    TITLE,
    Match,
    ParsedQuery,
    Term,
    ends,
    english_of,
    english_within,
    goes_on,
    other_forms,
)
from tenure.store.sqlite import NUMBER, QUALIFIED, RECORD
from tenure.text.names import by_script, names
from tenure.text.words import ASCII_FOLDED, SHORTEST_WORD, STOP_WORDS

TOKENIZER = ("porter", ["unicode61", "remove_diacritics", "2"])
# Which 200 candidates the ranking sees; `recall.rank` then orders them.
WEIGHTS = (4.0, 3.0, 1.0, 0.7, 3.0, 0.3)
_RANK = f"bm25({', '.join(map(str, WEIGHTS))})"
# BM25. Only texts differ in length so much that it tells something.
K1, B, B_TEXT = 1.2, 0.4, 0.65
# The most that a term can count, times its idf.
_MOST = K1 + 1
# A long text is as good as its best passage of so many words.
PASSAGE = 60
# A word in more than this share of the memories is common, once the store has so many.
COMMON_SHARE, COMMON_FROM = 0.01, 500
# How many distinct words of a text are looked at, how many are asked for, and how many entries they may touch.
MOST_READ, MAX_QUERY_WORDS, MOST_ENTRIES = 96, 12, 6_000
# In a small store more words are asked for, as long as they touch few entries.
MORE_WORDS = 32
# In a small store a query may touch a share of it, or so many entries, without being felt.
_SHARE_OF_STORE, _FEW_ENTRIES = 0.25, 1_000
# Up to so many words a query is taken for typing in progress: unknown words match by their beginning.
PREFIX_UP_TO, SHORTEST_PREFIX = 3, 3

# So many stop words are looked for in what was found, and so much of their idf counts.
MOST_SMALL, SMALL = 8, 1.0

# How title and text begin in a record.
_TITLE, _TEXT = '"title":"', '","text":"'

# So few texts say little about how long texts are.
_FEW = 8

# In a store of a few memories every word is in all or none of them; so many more, without the words asked for, are
# imagined when it is counted how much a word tells; one less for every two that are there.
_IMAGINED = 60
# A word that most memories hold still says a little.
_LEAST_IDF = 0.1
_TRANSLATED = 0.7

Indexed = tuple[str, ...]
TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any, TypeVar  # costs a hook more than the rest of this module

    # Rows of memories, and by their numbers what of the query each holds.
    Found = tuple[list[tuple[Any, ...]], dict[int, Match]]
    Item = TypeVar("Item")


class Scan:
    """One query being answered: its terms, the average length of each field, and row number -> what matched."""

    __slots__ = ("asked", "averages", "by_length", "fixed", "found", "phrases", "terms")

    def __init__(self, terms: Sequence[Term]) -> None:
        self.terms = terms
        self.phrases = range(len(terms))
        # Of each phrase, once for all candidates: the place of its word among the query's, whether it is another form
        # of that word, how much a match is worth, its idf, and whether it is a name that the query writes.
        self.asked = [
            (n if term.main is None else term.main, term.main is not None, term.stress, term.idf, term.is_written)
            for n, term in enumerate(terms)
        ]
        self.averages: list[float] = []
        # What the length of each field does to its score: a fixed part, and one for each word.
        self.fixed: list[float] = []
        self.by_length: list[float] = []
        self.found: dict[int, Match] = {}

    def measure_fields(self, averages: Sequence[float]) -> None:
        """Take how long each field is on average."""
        shares = [B_TEXT if field == TEXT else B for field in range(len(FIELDS))]
        self.averages = list(averages)
        self.fixed = [K1 * (1 - share) for share in shares]
        self.by_length = [K1 * share / average for share, average in zip(shares, averages, strict=True)]


# The scans under way, by a key that the index hands back to `_matches`.
_scans: dict[int, Scan] = {}


def prepare(connection: apsw.Connection) -> None:
    """Teach a connection to report what matched where."""
    connection.register_fts5_function("matches", _matches)


_INSERT = "INSERT INTO search (rowid, title, tags, text, content, names, related) VALUES (?1, ?2, ?3, ?4, ?5, ?6, {})"


def insert(connection: apsw.Connection, rows: Iterable[tuple[int, Indexed]], *, new: bool = False) -> None:
    """Index memories under their row numbers; nothing is related yet to those that are new."""
    related = "NULL" if new else "(SELECT related FROM vector WHERE memory = ?1)"
    connection.executemany(_INSERT.format(related), [(n, *texts) for n, texts in rows])


def delete(connection: apsw.Connection, numbers: Iterable[int]) -> None:
    """Take memories out of the index."""
    connection.executemany("DELETE FROM search WHERE rowid = ?", ((n,) for n in numbers))


def recreate(connection: apsw.Connection) -> None:
    """Make the index anew and empty, by its own definition; damage in the old one is no obstacle."""
    schema = dict(connection.execute("SELECT name, sql FROM sqlite_schema WHERE name IN ('search', 'search_words')"))
    for name in ("search_words", "search"):
        connection.execute(f"DROP TABLE {name}")
    for name in ("search", "search_words"):
        connection.execute(schema[name])
    connection.execute("INSERT INTO search (search, rank) VALUES ('secure-delete', 1)")
    connection.execute("DELETE FROM common_word")
    connection.execute("DELETE FROM meta WHERE key IN ('words_counted_at', 'index_due')")


def parsed(
    connection: apsw.Connection,
    text: str,
    most: int = MAX_QUERY_WORDS,
    *,
    beginnings: bool = False,
    beside: Sequence[apsw.Connection] = (),
) -> ParsedQuery:
    """Return a text as a query over this store; what a word tells is counted over those `beside` it too, as if one."""
    layers = (connection, *beside)
    total = sum([layer.execute("SELECT max(n) FROM memory").get or 0 for layer in layers])
    return read(connection, text, total, lambda stems: counts(layers, stems), most, beginnings=beginnings)


def read(
    tokenizer: apsw.Connection,
    text: str,
    total: int,
    count: Callable[[list[str]], dict[str, int]],
    most: int = MAX_QUERY_WORDS,
    *,
    beginnings: bool = False,
) -> ParsedQuery:
    """Return a text as a query: its telling words, rarest first, and its names whole.

    `count` tells in how many of the `total` memories stems stand. With `beginnings` an unknown word of a short text
    matches what begins with it: a search may be being typed, a prompt was sent.
    """
    query = ParsedQuery(total)
    terms, query.small = _terms(tokenizer, ends(text))
    each = [*terms, *query.small]
    _count(query, each, count([one.stem for term in each for one in (term, *term.forms)]))
    query.unknown = sum(term.idf for term in terms if not (term.memories or term.field or goes_on(term.word)))
    entries = 0
    most_entries = min(MOST_ENTRIES, max(_FEW_ENTRIES, int(query.total * _SHARE_OF_STORE)))
    for term in sorted((term for term in terms if term.memories), key=lambda term: term.memories):
        entries += term.memories
        room = most if entries > _FEW_ENTRIES else max(most, MORE_WORDS)
        if len(query.terms) < room and (entries <= most_entries or not query.terms):
            query.terms.append(term)
    plain = [term for term in terms if not term.field]
    if beginnings and len(plain) <= PREFIX_UP_TO:
        for term in plain:
            if not term.memories and len(term.word) >= SHORTEST_PREFIX:
                term.prefix = True
                query.terms.append(term)
    query.left_out = [term for term in terms if term not in query.terms]
    query.looked_up = sum(term.idf for term in query.terms)
    query.information = query.looked_up + sum(term.idf for term in query.left_out if term.memories and not term.field)
    return query


def match(connection: apsw.Connection, query: ParsedQuery, limit: int, where: str = "") -> Found:
    """Return the rows of the memories that hold any term, best first, each with what matched."""
    if not query.terms:
        return [], {}
    phrases = query.phrases
    expression = " OR ".join(map(_expression, phrases))
    scan = Scan(phrases)
    key = id(scan)
    _scans[key] = scan
    try:
        rows = connection.execute(
            f"SELECT {QUALIFIED}, matches(search, ?) FROM search JOIN memory ON memory.n = search.rowid"
            f" WHERE search MATCH ? AND search.rank MATCH '{_RANK}' {where} ORDER BY search.rank LIMIT ?",
            (key, expression, limit),
        ).fetchall()
    finally:
        del _scans[key]
    return matched(query, scan, rows)


def matched(query: ParsedQuery, scan: Scan, rows: list[tuple[Any, ...]]) -> Found:
    """Return rows with what was noted of each, and what of the words that were not asked for they hold."""
    query.lengths += [found.length for found in scan.found.values()]
    query.typical, query.spread = _typical_and_spread(query.lengths)
    _look_for_the_rest(query, rows, scan)
    return rows, scan.found


def _expression(term: Term) -> str:
    """Return a term in the index's query syntax."""
    where = f"{term.field} : " if term.field else ""
    return f'{where}"{term.word}"{"*" if term.prefix else ""}'


def _look_for_the_rest(query: ParsedQuery, rows: list[tuple[Any, ...]], scan: Scan) -> None:
    """Look in the candidates for the words that were too frequent to be asked for, and count them like the others."""
    rest = [
        (place, term.idf, term.stress, f" {_beginning(term)}".encode("utf-8", "replace"))
        for place, term in enumerate(query.left_out)
        if term.memories and not term.field
    ]
    small = [(term.idf * SMALL, f" {term.word} ".encode()) for term in query.small if term.memories]
    if not rows or not (rest or small):
        return
    # As the records write them: decoding JSON would cost a hook more than the search. A quote inside of a value is
    # escaped, so `","` ends one. The names of the fields are left out: every record has `failed_reuses` in it.
    texts = [row[RECORD].partition(_TEXT)[2].partition('","')[0] for row in rows]
    for row, text, folded in zip(rows, texts, _folded(texts), strict=True):
        held = scan.found[row[NUMBER]]
        norm = scan.fixed[TEXT] + scan.by_length[TEXT] * held.length
        if rest:
            title = row[RECORD].partition(_TITLE)[2].partition(_TEXT)[0]
            # What stands in a title that begins the text was looked for there.
            own = b"" if text.startswith(title.removesuffix("\u2026")) else _folded([title])[0]
            also = []
            for place, idf, stress, beginning in rest:
                times = folded.count(beginning)
                if times or beginning in own:
                    also.append(place)
                    held.information += idf
                    held.fields[TEXT] += stress * times * _MOST / (times + norm)
            held.also = also
        for idf, whole in small:
            if times := folded.count(whole):
                held.small += idf * times * _MOST / (times + norm)


def _folded(values: Sequence[str]) -> list[bytes]:
    """Return the words of JSON texts with a space before and after each.

    All are folded in one go, apart by a byte that UTF-8 does not have: a call costs more than a text.
    """
    plain = [value.replace("\\n", " ").replace("\\t", " ") if "\\" in value else value for value in values]
    together = b" \xff ".join([value.encode("utf-8", "replace") for value in plain])
    return (b" %b " % together).translate(ASCII_FOLDED).split(b"\xff")


def _beginning(term: Term) -> str:
    """Return what a word and its stem have in common, which stands in every form of it."""
    length = next((i for i, (a, b) in enumerate(zip(term.word, term.stem, strict=False)) if a != b), len(term.stem))
    return term.word[:length]


def refresh_common(connection: apsw.Connection, total: int) -> None:
    """Count anew which words are common, when the store has doubled since the last count."""
    if total < COMMON_FROM:
        return
    counted = connection.execute("SELECT value FROM meta WHERE key = 'words_counted_at'").get or 0
    if total < 2 * counted:
        return
    connection.execute("DELETE FROM common_word")
    connection.execute(
        "INSERT INTO common_word SELECT term, doc FROM search_words WHERE doc > ?", (total * COMMON_SHARE,)
    )
    connection.execute("INSERT OR REPLACE INTO meta VALUES ('words_counted_at', ?)", (total,))


def _plain(connection: apsw.Connection, text: str) -> tuple[list[Term], list[Term]]:
    """Return the words of a text, each once, and its stop words apart; those stand in for words where it has none."""
    data = text.encode("utf-8", "replace")
    words: dict[str, Term] = {}
    stopped: dict[str, Term] = {}
    for start, end, stem in cut(connection, data):
        word = data[start:end].decode("utf-8", "replace").lower()
        small = word in STOP_WORDS or word in SMALL_WORDS or len(word) < SHORTEST_WORD
        into = stopped if small else words
        if stem not in into:
            into[stem] = Term(word, stem)
        else:
            into[stem].times += 1
    kept = [term for term in stopped.values() if term.word.isalpha()][:MOST_SMALL] if words else []
    return _some(list((words or stopped).values()), MOST_READ), kept


def _terms(connection: apsw.Connection, text: str) -> tuple[list[Term], list[Term]]:
    """Return the words of a text with its names after them, and its stop words."""
    plain, small = _plain(connection, by_script(text))
    wholes = _some(names(text), MOST_READ // 2)
    written = len(wholes)
    if len(plain) <= MAX_QUERY_WORDS:
        # Two words side by side may be a name that is written as one.
        wholes += [left.word + right.word for left, right in pairwise(plain)]
    taken = {term.stem for term in plain}
    for term in plain:
        for word in (*other_forms(term.word), *([other] if (other := english_of(term.word)) else ())):
            stem = cut(connection, word.encode())[0][2]
            if stem not in taken:
                taken.add(stem)
                term.forms.append(Term(word, stem))
    for word in english_within(text):
        stem = cut(connection, word.encode())[0][2]
        if stem not in taken:
            taken.add(stem)
            plain.append(Term(word, stem))
            plain[-1].times = 0
    for place, name in enumerate(wholes):
        pieces = cut(connection, name.encode("utf-8", "replace"))
        if len(pieces) == 1 and (stem := pieces[0][2]) not in taken:
            taken.add(stem)
            # Pairs of characters of an unspaced script stand among the names and are none.
            plain.append(Term(name, stem, "names", written=place < written and name.isascii()))
    return plain, small


def cut(connection: apsw.Connection, data: bytes) -> list[tuple[int, int, str]]:
    """Return (start, end, stem) of each word, as the index itself cuts."""
    tokenizer = connection.fts5_tokenizer(*TOKENIZER)
    return list(tokenizer(data, apsw.FTS5_TOKENIZE_QUERY, None, include_colocated=False))  # type: ignore[arg-type]


def _some(items: list[Item], most: int) -> list[Item]:
    return items if len(items) <= most else items[: most * 2 // 3] + items[-(most // 3) :]


def counts(layers: Sequence[apsw.Connection], stems: list[str]) -> dict[str, int]:
    """Return in how many memories each stem stands; a common one as it was last counted."""
    found = dict.fromkeys(stems, 0)
    for connection in layers:
        known = dict(
            connection.execute(f"SELECT word, memories FROM common_word WHERE word IN ({_marks(found)})", [*found])
        )
        rest = [stem for stem in found if stem not in known]
        known |= dict(connection.execute(f"SELECT term, doc FROM search_words WHERE term IN ({_marks(rest)})", rest))
        for stem, count in known.items():
            found[stem] += count
    return found


def _marks(values: Collection[str]) -> str:
    return ",".join("?" * len(values))


def _count(query: ParsedQuery, terms: Sequence[Term], counts: dict[str, int]) -> None:
    """Set in how many memories each term stands, and its idf."""
    imagined = max(0, _IMAGINED - query.total // 2)
    for term in terms:
        term.forms = [form for form in term.forms if counts.get(form.stem)]
        held = [counts.get(one.stem, 0) for one in (term, *term.forms)]
        term.memories = min(sum(held), query.total)
        odds = (query.total + imagined - term.memories + 0.5) / (term.memories + 0.5)
        # What was not typed itself but only means it tells less.
        term.idf = max(_LEAST_IDF, log(odds)) * (1.0 if term.times else _TRANSLATED)


def _matches(api: apsw.FTS5ExtensionApi, *keys: object) -> None:
    """Note what of a query the memory at hand holds; the index calls this for each candidate."""
    note_match(api, _scans[keys[0]])  # type: ignore[index]


def note_match(api: Any, scan: Scan) -> None:
    """Note what of a query one candidate holds; `api` tells it as FTS5 does."""
    if not scan.averages:
        rows = api.row_count or 1
        scan.measure_fields([api.column_total_size(column) / rows or 1.0 for column in range(len(FIELDS))])
    phrase_offsets, column_size = api.phrase_column_offsets, api.column_size
    length = column_size(TEXT)
    is_long = length > PASSAGE
    sums = [0.0] * len(FIELDS)
    # What the length of each field does to its score; 0 where it was not asked for yet.
    norms = [0.0] * len(FIELDS)
    hit: list[int] = []
    lent: list[int] = []
    places: list[tuple[int, int]] = []
    information = elsewhere = loose = 0.0
    titled = False
    for phrase, columns in enumerate(map(api.phrase_columns, scan.phrases)):
        if not columns:
            continue
        position, is_form, stress, idf, is_written = scan.asked[phrase]
        # Columns come in order, and this is the last.
        only_related = columns[0] == RELATED
        if not (is_form and position in hit):
            hit.append(position)
            information += idf
            if only_related:
                lent.append(position)
            if is_long and TEXT not in columns:
                elsewhere += idf
        elif not only_related and position in lent:
            lent.remove(position)
        in_title, of_title = None, 0.0
        for column in columns:
            norm = norms[column]
            if not norm:
                norm = norms[column] = scan.fixed[column] + scan.by_length[column] * column_size(column)
            offsets = phrase_offsets(phrase, column)
            times = len(offsets)
            value = stress * times * _MOST / (times + norm)
            if column == TEXT:
                sums[TEXT] += value
                if in_title and in_title == offsets[: len(in_title)]:
                    # A title that is the beginning of the text says what it is about as far as the text goes on.
                    of_title *= max(0.0, 1 - column_size(TITLE) / length)
                if is_long:
                    places += [(offset, position) for offset in offsets]
            elif column == TITLE:
                titled, in_title, of_title = True, offsets, value
            elif column == NAMES and not is_written:
                loose += value
            else:
                sums[column] += value
        sums[TITLE] += of_title
    passage = elsewhere + (_best_passage(places, scan.terms) if places else 0.0) if is_long else information
    found = scan.found[api.rowid] = Match(sums, hit, length, information, passage, loose)
    found.titled = titled
    if lent:
        found.lent = lent


def _best_passage(places: list[tuple[int, int]], terms: Sequence[Term]) -> float:
    """Return how much information the best run of `PASSAGE` words holds, from the places at which terms stand."""
    places.sort()
    held: dict[int, int] = {}
    best = now = 0.0
    first = 0
    for place, position in places:
        if not held.get(position):
            now += terms[position].idf
        held[position] = held.get(position, 0) + 1
        while places[first][0] <= place - PASSAGE:
            left = places[first][1]
            held[left] -= 1
            if not held[left]:
                now -= terms[left].idf
            first += 1
        best = max(best, now)
    return best


def _typical_and_spread(lengths: Sequence[int]) -> tuple[float, float]:
    """Return the mean of the texts' lengths and their deviation by it, less where few were found; at most 1."""
    mean = sum(lengths) / len(lengths) if lengths else 0.0
    if not mean:
        return 0.0, 0.0
    deviation = sqrt(sum([(length - mean) ** 2 for length in lengths]) / len(lengths))
    return mean, min(1.0, deviation / mean) * len(lengths) / (len(lengths) + _FEW)
