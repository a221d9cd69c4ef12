"""The index: any text is a query, names match in every spelling, common words cost nothing."""

from __future__ import annotations

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
        ('tests AND NOT "(', "migrations"),
    ],
)
def test_a_memory_is_found_in_every_spelling(small: tenure.Workspace, query: str, expected: str) -> None:
    """Issue 7: identifiers as phrases and by part, prefix match for short queries, small stores ranked sensibly."""
    assert small.search(query)[0].id == expected


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
        asked = ws.store.asked("service number3 color3")
        assert [term.word for term in asked.terms][:2] == ["number3", "color3"]
        assert ws.search("service number3 color3")[0].id == "m3"
    assert fulltext.MAX_QUERY_WORDS <= 24


def test_an_index_from_the_first_schema_is_brought_up_to_date(tmp_path: Path) -> None:
    """Migrations keep what is there: words at once, names with the next upkeep."""
    import apsw

    from tenure.store.sqlite import migrate

    with tenure.open(f"sqlite:{tmp_path / 'memory.db'}", tmp_path) as ws:
        ws.add("HttpClient must be closed", id="client", tags=["network"])
    connection = apsw.Connection(str(tmp_path / "memory.db"))
    first = migrate.migrations()[0][1]
    connection.execute("DROP TABLE search_words; DROP TABLE search; DROP TABLE vector")
    connection.execute("ALTER TABLE injection DROP COLUMN hash; CREATE INDEX ledger_by_batch ON ledger (batch)")
    connection.execute(first[first.index("CREATE VIRTUAL TABLE search ") : first.index("-- The files a memory")])
    connection.pragma("user_version", 1)
    connection.close()
    with tenure.open(f"sqlite:{tmp_path / 'memory.db'}", tmp_path) as ws:
        assert [hit.id for hit in ws.search("closed")] == ["client"] == [hit.id for hit in ws.search("network")]
        ws.upkeep()
        assert [hit.id for hit in ws.search("http client")] == ["client"]
        assert ws.check() == []
