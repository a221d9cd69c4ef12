"""`search` and `inject`: finding, and showing the few that matter."""

from __future__ import annotations

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tenure.model.errors import TenureError
from tenure.text import fence
from tenure.workspace import Workspace
from tests.specimens import NOW, SetNow, days

ANY_TEXT = st.text(st.characters(codec=None), max_size=40)
PROPERTY = settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])


def test_search_finds_by_any_word_and_says_why(ws: Workspace) -> None:
    memory = ws.add("Run the migrations before the tests", tags=["database"])
    ws.add("Use double quotes")
    for query in ("migration", "MIGRATIONS!", "database", "which migrations?"):
        assert [hit.id for hit in ws.search(query)] == [memory.id]
    assert "migrations" in ws.search("migrations")[0].why


def test_what_is_gone_is_found_only_when_asked_for(ws: Workspace) -> None:
    memory = ws.add("Run the migrations before the tests")
    ws.archive(memory.id)
    assert ws.search("migrations") == []
    assert [hit.id for hit in ws.search("migrations", all=True)] == [memory.id]


@pytest.mark.parametrize("how", ["candidate", "held", "retired", "archived", "rejected", "decayed", "superseded"])
def test_only_live_memories_are_injected(ws: Workspace, set_now: SetNow, how: str) -> None:
    """DESIGN: pending may not influence, held waits, gone is out."""
    text = "Run the migrations before the tests"
    memory = ws.add(text, source="agent:x" if how == "candidate" else "")
    if how == "held":
        ws.review(memory.id, "request_review", by="kim")
    elif how == "retired":
        ws.retire(memory.id, reason="r")
    elif how == "archived":
        ws.archive(memory.id)
    elif how == "rejected":
        ws.review(memory.id, "reject", by="kim")
    elif how == "superseded":
        ws.supersede(memory.id, ws.add("Unrelated words only").id)
    elif how == "decayed":
        set_now(NOW + days(31))
        ws.decay()
    shown = ws.inject("migrations before the tests")
    assert (shown.block, shown.memories) == ("", [])


def test_nothing_relevant_means_nothing_injected(ws: Workspace) -> None:
    """DESIGN 3.15: silence is a feature."""
    ws.add("Run the migrations before the tests")
    assert ws.inject("what is the weather in Lisbon").block == ""


def test_an_injection_is_fenced_labelled_and_remembered(ws: Workspace) -> None:
    """GUARANTEES S5 and S7."""
    memory = ws.add("Run the migrations before the tests")
    shown = ws.inject("how to run the tests", run="r1", task="T1", agent="coder")
    ((label, line),) = fence.parse(shown.block)
    assert label.startswith(f"{memory.id} · lesson · provisional")
    assert line == memory.text
    (seen,) = ws.why(memory.id).injections
    assert (seen.run, seen.task, seen.agent, seen.query) == ("r1", "T1", "coder", "how to run the tests")


def test_reading_never_makes_a_memory_fresher(ws: Workspace) -> None:
    """DESIGN 3.10."""
    memory = ws.get(ws.add("Run the migrations before the tests").id)
    ws.inject("run the tests")
    ws.search("tests")
    ws.why(memory.id)
    assert ws.get(memory.id) == memory


def test_the_budget_is_kept_and_what_is_left_out_is_named(ws: Workspace) -> None:
    for word in ("parsers", "queues", "backups", "caches", "locks"):
        ws.add(f"Deploy notes about {word}: always check {word} twice")
    shown = ws.inject("deploy notes", limit=2)
    assert len(shown.memories) == 2
    assert len(shown.suppressed) == 3
    assert ws.inject("deploy notes", budget_chars=10).block == ""
    assert ws.inject("deploy notes", limit=0).memories == []


def test_a_memory_about_the_file_at_hand_is_shown(ws: Workspace) -> None:
    memory = ws.add("Never rename these columns", files=["src/db/schema.py"])
    assert [item.id for item in ws.inject("what now", files=["src/db/schema.py"]).memories] == [memory.id]


def test_without_a_query_the_weightiest_are_shown(ws: Workspace) -> None:
    light, heavy = ws.add("Use double quotes"), ws.add("Run the migrations")
    for _ in range(3):
        ws.log(heavy.id, "positive")
    ws.review(heavy.id, "approve", by="kim")
    assert [item.id for item in ws.inject().memories] == [heavy.id, light.id]


@PROPERTY
@given(ANY_TEXT, st.lists(ANY_TEXT, max_size=2), ANY_TEXT)
def test_any_query_is_answered(ws: Workspace, query: str, files: list[str], name: str) -> None:
    """GUARANTEES S18: nothing a user types is query syntax, and nothing breaks the search."""
    if not ws.memories():
        ws.add('Run "the" migrations AND the tests NEAR (x) * ^ -y')
    ws.search(query)
    ws.inject(query, files=files, agent=name, task=name, run=name, domain=name)


@pytest.mark.parametrize(
    "query", ['"', "AND", "NOT x", "a*", "x NEAR y", "-x", "(", "title:x", "_", "'; DROP TABLE", ""]
)
def test_query_syntax_is_only_words(ws: Workspace, query: str) -> None:
    ws.add("Run the migrations")
    ws.search(query)
    ws.inject(query)
    assert len(ws.memories()) == 1


@PROPERTY
@given(ANY_TEXT)
def test_any_id_is_answered_or_refused(ws: Workspace, id: str) -> None:
    """Issue 2: unknown id: the nearest are suggested; nothing else is raised, for any bytes a shell passes."""
    for look in (ws.get, ws.why, ws.history, ws.version):
        with pytest.raises(TenureError):
            look(id)
