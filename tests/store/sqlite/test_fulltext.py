"""The index: any text is a query, names match in every spelling, common words cost nothing."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import tenure
from tenure.recall.query import FIELDS, NAMES, RELATED, TEXT, TITLE, Match, Term
from tenure.store.sqlite import fulltext


@pytest.fixture(scope="module")
def small(tmp_path_factory: pytest.TempPathFactory) -> tenure.Workspace:
    folder = tmp_path_factory.mktemp("words")
    ws = tenure.open(f"sqlite:{folder / 'memory.db'}", folder)
    ws.add("ledger-gateway retries three times", id="gateway", files=["src/api/client.py"])
    ws.add("parse_config reads the settings once", id="config")
    ws.add("HttpClient must be closed", id="client", tags=["network"])
    ws.add("Run the migrations before the integration tests", id="migrations", kind="runbook")
    ws.add("数据库迁移之前先备份", id="chinese")
    ws.add("依赖只用pnpm安装", id="mixed")
    return ws


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("ledger-gateway", "gateway"),
        ("the ledger gateway", "gateway"),
        ("LedgerGateway", "gateway"),
        ("src/api/client.py", "gateway"),
        ("parseConfig", "config"),
        ("what does parse config do", "config"),
        ("http client", "client"),
        ("http_client", "client"),
        ("network", "client"),
        ("migration", "migrations"),
        ("migr", "migrations"),
        ("迁移", "chinese"),
        ("请用pnpm更新", "mixed"),
        ("pnpm", "mixed"),
        ("修改src/api/client.py文件", "gateway"),
        ("更新gateway配置", "gateway"),
        ('tests AND NOT "(', "migrations"),
    ],
)
def test_a_memory_is_found_in_every_spelling(small: tenure.Workspace, query: str, expected: str) -> None:
    """Issue 7: identifiers as phrases and by part, prefix match for short queries, small stores ranked sensibly."""
    assert small.search(query)[0].id == expected


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("ellipsis", "dots"),
        ("index of vertices", "graph"),
        ("who ran the analysis", "reports"),
    ],
)
def test_a_memory_is_found_by_another_form_of_a_word(tmp_path: Path, query: str, expected: str) -> None:
    """A stranger's finding: the stemmer makes two words of `ellipsis` and "ellipses", `run` and "ran"."""
    ws = tenure.open(f"sqlite:{tmp_path / 'memory.db'}", tmp_path)
    ws.add("No ellipses in messages of commits", id="dots")
    ws.add("Keep the indices of each vertex in one array", id="graph")
    ws.add("Run both analyses before a report goes out", id="reports")
    assert [hit.id for hit in ws.search(query)] == [expected]
    assert [item.id for item in ws.inject(query).memories] in ([], [expected])


def test_a_word_and_its_other_form_count_as_one(tmp_path: Path) -> None:
    """Our own choice: a memory that says both has one word of the query, not two, and no other word less."""
    ws = tenure.open(f"sqlite:{tmp_path / 'memory.db'}", tmp_path)
    ws.add("Whoever writes a parser has written a lexer", id="both")
    ws.add("Somebody wrote the parser in one day", id="one")
    result = ws.project.store.search("write parser", 10)
    held = {row.memory.id: result.matches[row.number].information for row in result.rows}
    assert held["both"] == held["one"] == result.query.information


@given(st.text(max_size=200))
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=150, deadline=None)
def test_any_text_is_a_query(small: tenure.Workspace, query: str) -> None:
    """Issue 7: query syntax of the engine can never leak in."""
    for hit in small.search(query):
        assert hit.score >= 0


@pytest.mark.parametrize("query", ['"', "a* OR b", "NEAR(x y)", "title: x", "^x", "{a b}: c", "\0", "-x", "x" * 50_000])
def test_query_syntax_is_only_text(small: tenure.Workspace, query: str) -> None:
    """Issue 7: the same, by name."""
    small.search(query)


def test_words_in_many_memories_are_not_looked_up(tmp_path: Path) -> None:
    """Issue 7: cost grows with the entries touched, so frequent words only order what rarer ones found."""
    with tenure.open(f"sqlite:{tmp_path / 'memory.db'}", tmp_path) as ws:
        for n in range(30):
            ws.add(f"service number{n} keeps topic{n % 7} apart from color{n}", id=f"m{n}")
        asked = ws.project.store.search("service number3 color3", 0).query
        assert [term.word for term in asked.terms][:2] == ["number3", "color3"]
        assert ws.search("service number3 color3")[0].id == "m3"
    assert fulltext.MAX_QUERY_WORDS <= 24


@pytest.fixture
def twenty(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[tenure.Workspace]:
    """Twenty memories: all hold "everywhere", half of them "halfway", one "alone"; a query may touch twelve entries."""
    with tenure.open(f"sqlite:{tmp_path / 'memory.db'}", tmp_path) as ws:
        for n in range(20):
            words = ["everywhere", *(["halfway"] if n % 2 else []), *(["alone"] if n == 7 else [])]
            ws.add(f"{' '.join(words)} number{n}x", id=f"m{n}")
        monkeypatch.setattr(fulltext, "_FEW_ENTRIES", 12)
        monkeypatch.setattr(fulltext, "_SHARE_OF_STORE", 0.0)
        yield ws


def looked_up(ws: tenure.Workspace, query: str) -> list[str]:
    return [term.word for term in ws.project.store.search(query, 0).query.terms]


def test_a_query_touches_so_many_entries_and_no_more(twenty: tenure.Workspace) -> None:
    """Issue 7: cost grows with the entries touched. 1 + 10 entries are under the cap, 20 more are not."""
    assert looked_up(twenty, "everywhere halfway alone") == ["alone", "halfway"]
    result = twenty.project.store.search("everywhere halfway alone", 50)
    assert [term.word for term in result.query.left_out if not term.field] == ["everywhere"]
    assert len(result.hits) == 10, "a word beyond the cap brings nothing by itself"
    assert all(hit.match.also for hit in result.hits), "and still counts in what others bring"


def test_one_word_is_looked_up_however_frequent(twenty: tenure.Workspace) -> None:
    """Issue 7: where there is nothing rarer, the frequent word is all there is to go by."""
    assert looked_up(twenty, "everywhere") == ["everywhere"]


def test_the_cap_grows_with_the_store_up_to_a_limit(twenty: tenure.Workspace, monkeypatch: pytest.MonkeyPatch) -> None:
    """Issue 7: a share of a small store is not felt; in a large one nobody waits for more than so many entries."""
    monkeypatch.setattr(fulltext, "_SHARE_OF_STORE", 2.0)
    assert looked_up(twenty, "everywhere halfway alone") == ["alone", "halfway", "everywhere"]
    monkeypatch.setattr(fulltext, "MOST_ENTRIES", 5)
    assert looked_up(twenty, "everywhere halfway alone") == ["alone"]


def test_no_more_than_so_many_words_are_looked_up(twenty: tenure.Workspace, monkeypatch: pytest.MonkeyPatch) -> None:
    """Issue 7: the rarest words of a long prompt; issue 18: more of them where that touches few entries."""
    monkeypatch.setattr(fulltext, "_SHARE_OF_STORE", 100.0)
    many = " ".join(f"number{n}x" for n in range(20))
    monkeypatch.setattr(fulltext, "_FEW_ENTRIES", 1000)
    assert len(looked_up(twenty, many)) == 20
    monkeypatch.setattr(fulltext, "_FEW_ENTRIES", 5)
    assert len(looked_up(twenty, many)) == fulltext.MAX_QUERY_WORDS


def test_a_long_text_is_as_good_as_its_best_passage(twenty: tenure.Workspace) -> None:
    """Issue 18: texts of 10 to 600 words are first-class; words scattered over a long one are coincidence."""
    filler = " ".join(f"filler{n}" for n in range(200))
    scattered = twenty.add(f"ledger {filler} rotates {filler} keys {filler} weekly", kind="lesson").id
    together = twenty.add(f"{filler} {filler} {filler} ledger rotates keys weekly", kind="lesson").id
    found = {hit.row.memory.id: hit.match for hit in twenty.project.store.search("ledger rotates keys weekly", 10).hits}
    assert found[together].hit == found[scattered].hit
    assert found[together].passage > 3 * found[scattered].passage


def test_a_word_said_twice_counts_more(twenty: tenure.Workspace) -> None:
    """Issue 18, as BM25 has it: what a prompt says again and again is what it is about."""
    twenty.add("The ledger rotates its keys", kind="lesson")
    once, twice = (
        twenty.project.store.search(text, 1).hits[0].match.fields[2] for text in ("ledger", "ledger or ledgers")
    )
    assert twice == pytest.approx(1.5 * once)


def test_an_index_from_the_first_schema_is_brought_up_to_date(tmp_path: Path) -> None:
    """Migrations keep what is there: words at once, names with the next upkeep."""
    import apsw

    from tenure.store.sqlite import migrate

    with tenure.open(f"sqlite:{tmp_path / 'memory.db'}", tmp_path) as ws:
        ws.add("HttpClient must be closed", id="client", tags=["network"])
    connection = apsw.Connection(str(tmp_path / "memory.db"))
    first = migrate.migrations()[0][1]
    connection.execute(
        "DROP TABLE search_words; DROP TABLE search; DROP TABLE vector; DROP TABLE queue; DROP INDEX memory_by_kind"
    )
    connection.execute("DROP TABLE exposure; DROP TABLE outcome; DROP TABLE guard; DROP TABLE guard_fire")
    connection.execute("ALTER TABLE injection DROP COLUMN hash; CREATE INDEX ledger_by_batch ON ledger (batch)")
    connection.execute(first[first.index("CREATE VIRTUAL TABLE search ") : first.index("-- The files a memory")])
    connection.pragma("user_version", 1)
    connection.close()
    with tenure.open(f"sqlite:{tmp_path / 'memory.db'}", tmp_path) as ws:
        assert [hit.id for hit in ws.search("closed")] == ["client"] == [hit.id for hit in ws.search("network")]
        ws.upkeep()
        assert [hit.id for hit in ws.search("http client")] == ["client"]
        assert ws.check() == []


def test_the_names_of_a_records_fields_are_no_words_of_a_memory(twenty: tenure.Workspace) -> None:
    """Issue 18: `failed_reuses` stands in every record, so a prompt about what "failed" matched every memory."""
    for n in range(30):
        twenty.add(f"Builds failed on machine{n}")
    memory = twenty.add('Quokka says "hop" once', kind="lesson").id
    result = twenty.project.store.search("quokka failed", 50)
    assert "failed" in [term.word for term in result.query.left_out]
    found = {hit.row.memory.id: hit.match for hit in result.hits}
    assert not found[memory].also
    titled = twenty.add("The quokka hops", title="What failed").id
    found = {hit.row.memory.id: hit.match for hit in twenty.project.store.search("quokka failed", 50).hits}
    assert found[titled].also, "a title is what the memory says"


def test_a_title_that_repeats_the_text_counts_as_far_as_the_text_goes_on(twenty: tenure.Workspace) -> None:
    """Issue 18: the words of a one-liner, whose title is all of it, counted twice beside those of a longer rule."""
    short = twenty.add("Wombats dig at night").id
    long = twenty.add("Wombats dig at night " + " ".join(f"filler{n}" for n in range(60))).id
    named = twenty.add("They dig at night", title="Wombats").id
    found = {hit.row.memory.id: hit.match for hit in twenty.project.store.search("wombats", 10).hits}
    assert found[short].fields[0] == 0 and found[short].titled
    assert 0 < found[long].fields[0] < found[named].fields[0]


class Candidate:
    """One memory as FTS5 tells of it to whoever ranks it: its fields as lists of words."""

    rowid = 7
    row_count = 10

    def __init__(self, words: list[str], **fields: str) -> None:
        self.words = words
        self.fields = {name: fields.get(name, "").split() for name in FIELDS}

    def column_total_size(self, column: int) -> int:
        # Ten words in every field of every memory, on average.
        return 10 * self.row_count

    def column_size(self, column: int) -> int:
        return len(self.fields[FIELDS[column]])

    def phrase_columns(self, phrase: int) -> list[int]:
        return [column for column in range(len(FIELDS)) if self.phrase_column_offsets(phrase, column)]

    def phrase_column_offsets(self, phrase: int, column: int) -> list[int]:
        return [place for place, word in enumerate(self.fields[FIELDS[column]]) if word == self.words[phrase]]


def noted(candidate: Candidate, *terms: Term) -> Match:
    for term in terms:
        term.idf = term.idf or 2.0
    scan = fulltext.Scan(terms)
    fulltext.note_match(candidate, scan)
    return scan.found[7]


def bm25(times: int, length: int, b: float, idf: float = 2.0) -> float:
    """BM25 as Robertson and Walker give it, with k1 = 1.2 and an average length of 10."""
    return idf * times * 2.2 / (times + 1.2 * (1 - b + b * length / 10))


@pytest.mark.parametrize(("field", "b"), [("text", 0.65), ("tags", 0.4), ("content", 0.4)])
def test_a_word_counts_by_how_often_it_stands_in_a_field_and_how_long_that_is(field: str, b: float) -> None:
    """docs/recall.md: BM25 for each field; only texts differ in length so much that it tells something."""
    found = noted(Candidate(["db"], **{field: "make db then test db again and again"}), Term("db", "db"))
    assert found.fields[FIELDS.index(field)] == pytest.approx(bm25(2, 8, b))
    assert sum(found.fields) == pytest.approx(bm25(2, 8, b))
    assert (found.hit, [*found.lent], found.loose, found.titled) == ([0], [], 0.0, False)


def test_what_a_prompt_says_again_is_worth_more() -> None:
    """`Term.stress`: twice is worth one and a half."""
    term = Term("db", "db")
    term.times = 2
    assert noted(Candidate(["db"], text="make db"), term).fields[TEXT] == pytest.approx(1.5 * bm25(1, 2, 0.65))


def test_a_title_that_is_the_beginning_of_the_text_counts_as_far_as_the_text_goes_on() -> None:
    """A finding: one-liners, whose title is the text, stood above longer rules."""
    whole = noted(Candidate(["db"], title="make db", text="make db"), Term("db", "db"))
    half = noted(Candidate(["db"], title="make db", text="make db before tests"), Term("db", "db"))
    own = noted(Candidate(["db"], title="db first", text="make db before tests"), Term("db", "db"))
    full = bm25(1, 2, 0.4)
    assert [found.fields[TITLE] for found in (whole, half, own)] == pytest.approx([0.0, full / 2, full])
    assert whole.titled
    assert own.titled


def test_a_name_counts_as_one_where_the_query_writes_it_as_one() -> None:
    """docs/recall.md: what only two words side by side would make is told apart from a name that was written."""
    candidate = Candidate(["parseconfig"], names="parseconfig")
    written = noted(candidate, Term("parseconfig", "parseconfig", "names"))
    made_up = noted(candidate, Term("parseconfig", "parseconfig", "names", written=False))
    word = noted(candidate, Term("parseconfig", "parseconfig"))
    value = bm25(1, 1, 0.4)
    assert [(found.fields[NAMES], found.loose) for found in (written, made_up, word)] == [
        (pytest.approx(value), 0.0),
        (0.0, pytest.approx(value)),
        (0.0, pytest.approx(value)),
    ]


def test_a_word_that_only_related_words_have_is_lent_until_another_form_stands_in_the_memory() -> None:
    """docs/recall.md: words of related meaning bring a memory in, and prove nothing."""
    form = Term("databases", "databas")
    form.main = 0
    lent = noted(Candidate(["db", "databases"], related="db"), Term("db", "db"), form)
    own = noted(Candidate(["db", "databases"], related="db", text="two databases"), Term("db", "db"), form)
    assert (lent.hit, [*lent.lent], own.hit, [*own.lent]) == ([0], [0], [0], [])
    assert lent.fields[RELATED] > 0


def test_a_word_that_is_not_there_is_no_hit_and_another_form_is_the_same_word() -> None:
    """docs/recall.md: what of a query a memory holds is counted once, in whichever form it stands there."""
    form = Term("databases", "databas")
    form.main = 0
    found = noted(
        Candidate(["db", "databases", "vpn"], text="db databases"), Term("db", "db"), form, Term("vpn", "vpn")
    )
    assert (found.hit, found.passage) == ([0], 2.0)


def test_a_short_text_holds_what_it_says_and_a_long_one_what_its_best_passage_says() -> None:
    """docs/recall.md: a long text is as good as its best passage of 60 words."""
    terms = [Term("db", "db"), Term("vpn", "vpn")]
    terms[0].idf, terms[1].idf = 2.0, 3.0
    near, far = " ".join(["x"] * 30), " ".join(["x"] * 70)
    said = [
        noted(Candidate(["db", "vpn"], text=text, tags=tags), *terms).passage
        for text, tags in (
            ("db vpn", ""),
            (f"db {near} vpn {far}", ""),
            (f"db {far} vpn", ""),
            (f"db {far} x", "vpn"),
        )
    ]
    assert said == [5.0, 5.0, 3.0, 5.0]


def test_words_are_counted_anew_when_the_store_has_doubled(tmp_path: Path) -> None:
    """docs/recall.md: a word in more than a hundredth of the memories is common, once there are 500."""
    ws = tenure.open(f"sqlite:{tmp_path / 'memory.db'}", tmp_path)
    ws.add("Run the migrations", id="one")
    connection = ws.project.store.connection  # type: ignore[attr-defined]

    def common(total: int) -> list[tuple[str, int]]:
        fulltext.refresh_common(connection, total)
        return sorted(connection.execute("SELECT word, memories FROM common_word"))

    with ws.project.store.writing():
        assert common(499) == []
        # One memory is no hundredth of 500, as long as a hundredth is 5.
        assert common(500) == []
        connection.execute("UPDATE meta SET value = 40 WHERE key = 'words_counted_at'")
        connection.execute("INSERT INTO common_word VALUES ('old', 9)")
        assert common(79) == common(499) == [("old", 9)]
        assert common(500) == []
        connection.execute("INSERT INTO common_word VALUES ('old', 9)")
        assert common(999) == [("old", 9)]
        assert common(1000) == []


def test_words_too_frequent_to_be_asked_for_count_in_what_was_found(tmp_path: Path) -> None:
    """docs/recall.md: "tests" stands everywhere and is not looked up; of two memories about pnpm it still decides.

    A record escapes line breaks, and the words on either side of one are two.
    """
    ws = tenure.open(f"sqlite:{tmp_path / 'memory.db'}", tmp_path)
    ws.add("Use pnpm for packages in the web folder and nowhere else", id="other")
    ws.add("Use pnpm for\ntests\nin the web folder", id="wanted")
    connection = ws.project.store.connection  # type: ignore[attr-defined]
    query = fulltext.parsed(connection, "pnpm tests")
    [frequent] = [term for term in query.terms if term.word == "tests"]
    query.terms.remove(frequent)
    query.left_out.append(frequent)
    rows, matches = fulltext.match(connection, query, 5)
    found = {row[1]: matches[row[0]] for row in rows}
    assert found["wanted"].also == [query.left_out.index(frequent)] and not found["other"].also
    assert found["wanted"].fields[TEXT] > found["other"].fields[TEXT]
    asked_for = sum(query.terms[place].idf for place in found["wanted"].hit)
    assert found["wanted"].information == pytest.approx(asked_for + frequent.idf)
