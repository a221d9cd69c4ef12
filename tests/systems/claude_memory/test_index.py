"""The index command: rebuild, validate, query, health and gc; and the settings gc obeys."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tenure.systems.claude_memory.config import Config

from .project import Project, record

TARGET = "decisions/queue.json"


def index(project: Project, *words: str) -> int:
    return project.run("index", "--root", ".claude/memory", *words)


def test_a_rebuild_lists_the_active_by_category_and_title(project: Project) -> None:
    """Specification 1.9."""
    project.put(record("preference", id="p", title="zeta"))
    project.put(record(id="b", title="beta"))
    project.put(record(id="a", title="Alpha"))
    project.put(record(id="gone", record_status="retired"))
    assert index(project, "--rebuild") == 0
    assert "3 entries" in project.out
    assert [line.split(" -> ")[0] for line in project.index()] == [
        "- [DECISION] Alpha",
        "- [DECISION] beta",
        "- [PREFERENCE] zeta",
    ]
    assert index(project, "--validate") == 0


def test_a_rebuild_with_nothing_active_empties_the_index(project: Project) -> None:
    """Defect D9, still in 6.0: it left the stale index as it was."""
    project.create(TARGET, record())
    (project.memory / TARGET).unlink()
    assert index(project, "--rebuild") == 0
    assert project.index() == []


def test_a_rebuild_of_an_empty_folder_makes_nothing(project: Project) -> None:
    """Specification 1.9."""
    assert index(project, "--rebuild") == 0
    assert list(project.memory.iterdir()) == []


def test_a_record_that_cannot_be_read_is_reported_and_left(project: Project) -> None:
    """House rule; the others are indexed."""
    project.put(record())
    broken = project.memory / "decisions/broken.json"
    broken.write_text("{", "utf-8")
    assert index(project, "--rebuild") == 0
    assert "broken.json" in project.err
    assert broken.read_text("utf-8") == "{"
    assert len(project.index()) == 1


@pytest.mark.parametrize(
    "odd",
    [
        {"title": "x\n- [DECISION] forged -> a.json", "tags": ["t\n- [DECISION] forged -> b.json"]},
        {"title": 7, "tags": "t", "category": ["x"]},
        {"title": None, "tags": None, "category": "a] b -> c\n- [X"},
    ],
)
def test_a_record_written_by_hand_cannot_forge_lines(project: Project, odd: dict[str, Any]) -> None:
    """GUARANTEES section 3: free text in an index line."""
    project.put({**record(), "title": "x"})
    path = project.memory / "decisions/odd.json"
    path.write_text(json.dumps({**record(id="odd"), **odd}), "utf-8")
    index(project, "--rebuild")
    assert len(project.index()) == 2
    assert index(project, "--validate") == 0


def test_validation_reports_both_directions(project: Project) -> None:
    """Specification 1.9: exit status 1 on a mismatch, nothing changed."""
    project.create(TARGET, record())
    (project.memory / TARGET).rename(project.memory / "decisions/moved.json")
    before = project.index()
    assert index(project, "--validate") == 1
    assert "+ .claude/memory/decisions/moved.json" in project.out
    assert "- .claude/memory/decisions/queue.json" in project.out
    assert project.index() == before


def test_a_query_finds_parts_of_lines(project: Project) -> None:
    """Specification 1.9: substring of the line, upper and lower case alike."""
    project.create(TARGET, record())
    assert index(project, "--query", "MANAGED") == 0
    assert "Found 1 match(es)" in project.out
    assert index(project, "--query", "nothing like it") == 0
    assert "No matches found" in project.out


def test_a_missing_folder_is_an_error(project: Project) -> None:
    """Specification 1.3: exit status 1."""
    assert project.run("index", "--root", "elsewhere", "--rebuild") == 1
    assert "elsewhere" in project.err


def retired(days: int, **fields: Any) -> dict[str, Any]:
    """Return a record retired so many days before the tests' clock."""
    from datetime import UTC, datetime, timedelta

    moment = datetime(2026, 6, 1, 12, tzinfo=UTC) - timedelta(days=days)
    return record(record_status="retired", retired_at=moment.strftime("%Y-%m-%dT%H:%M:%SZ"), **fields)


def test_gc_purges_what_is_past_its_grace_and_nothing_else(project: Project) -> None:
    """Specification 1.9: whole days, 30 by default; unreadable stamps are skipped; archived are kept."""
    project.put(retired(30, id="old"))
    project.put(retired(29, id="recent"))
    project.put(record(id="kept", record_status="archived", archived_at="2020-01-01T00:00:00Z"))
    project.put(record(id="odd", record_status="retired", retired_at="yesterday"))
    assert index(project, "--gc") == 0
    assert "DELETED old.json (retired 30 days ago)" in project.out
    assert "SKIP odd.json: invalid retired_at timestamp" in project.out
    assert sorted(p.stem for p in (project.memory / "decisions").iterdir()) == ["kept", "odd", "recent"]


@pytest.mark.parametrize(("grace", "purged"), [(7, True), (8, False), (0, True), ("7", True), ("x", False)])
def test_the_grace_period_is_configurable(project: Project, grace: Any, purged: bool) -> None:
    """Seed: delete.grace_period_days."""
    project.configure(delete={"grace_period_days": grace})
    target = project.put(retired(7))
    index(project, "--gc")
    assert (project.memory / target).exists() != purged


def test_gc_archives_instead_where_the_project_asks_for_it(project: Project) -> None:
    """Seed: delete.archive_retired; the original leaves it to the agent (docs/claude-memory.md)."""
    project.configure(delete={"archive_retired": True})
    target = project.put(retired(40, retired_reason="too old"))
    assert index(project, "--gc") == 0
    assert "ARCHIVED queue.json" in project.out
    value = project.read(target)
    assert value["record_status"] == "archived"
    assert "too old" in value["archived_reason"]
    assert "retired_at" not in value


def test_gc_retires_what_is_past_its_retention(project: Project) -> None:
    """Seed: retention_days, 90 for sessions, 0 (for ever) elsewhere; a change starts the count again."""
    project.configure(categories={"decision": {"retention_days": 30}}, delete={"grace_period_days": 0})
    project.put(record(id="old"))
    project.put(record(id="changed", updated_at="2026-05-20T00:00:00Z"))
    project.put(record("preference", id="lasting"))
    project.put(record("session_summary", id="session"))
    index(project, "--rebuild")
    assert index(project, "--gc") == 0
    assert "RETIRED old.json" in project.out
    assert project.read("decisions/old.json")["record_status"] == "retired"
    assert project.read("sessions/session.json")["record_status"] == "retired"
    assert [line.rsplit("/", 1)[1].split(".")[0] for line in project.index()] == ["changed", "lasting"]


@pytest.mark.parametrize(
    ("values", "enabled", "captures"),
    [
        ({}, True, True),
        ({"categories": {"decision": {"auto_capture": False}}}, True, False),
        ({"categories": {"decision": {"enabled": False}}}, False, False),
        ({"categories": ["decision"]}, True, True),
        ({"categories": {"decision": None}}, True, True),
    ],
)
def test_categories_can_be_switched_off(values: dict[str, Any], enabled: bool, captures: bool) -> None:
    """Seed: enabled and auto_capture, true by default; a setting of the wrong shape counts as absent."""
    settings = Config(values)
    assert (settings.enabled("decision"), settings.auto_capture("decision")) == (enabled, captures)


def test_a_report_leaves_an_index_somebody_else_changed_alone(project: Project) -> None:
    """Recorded case index-12: gc, health and validate report; a write or a rebuild repairs."""
    project.put(record())
    for words in (["--gc"], ["--health"], ["--validate"]):
        index(project, *words)
        assert not (project.memory / "index.md").exists()
    project.put(record(id="other", record_status="retired"))
    assert project.write("restore", "decisions/other.json") == 0
    assert len(project.index()) == 2


def test_gc_removes_what_killed_writers_left_half_written(project: Project) -> None:
    """GUARANTEES R13: temporary files are gone after gc; a file of the user's is not."""
    project.create(TARGET, record())
    half = project.memory / "decisions/.queue.json.0123456789ab.tmp"
    mine = project.memory / "decisions/.notes.tmp"
    for path in (half, mine):
        path.write_text("{", "utf-8")
    assert index(project, "--gc") == 0
    assert (half.exists(), mine.exists()) == (False, True)


def test_a_query_finds_entries_and_not_the_words_around_them(project: Project) -> None:
    """Specification 1.9: the heading of the index is no memory."""
    project.put(record(id="a", title="Managed queue"))
    assert index(project, "--rebuild") == 0
    assert index(project, "--query", "MANAGED") == 0
    assert "Found 1 match(es) for 'MANAGED'" in project.out
    assert index(project, "--query", "memory index") == 0
    assert "No matches found for 'memory index'." in project.out
