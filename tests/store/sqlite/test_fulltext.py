"""The index: any text is a query, names match in every spelling, common words cost nothing."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import tenure
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
    held = {row.memory.id: result.query.found_in(result.matches[row.number]) for row in result.rows}
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
    connection.execute("DROP TABLE search_words; DROP TABLE search; DROP TABLE vector; DROP TABLE queue")
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
