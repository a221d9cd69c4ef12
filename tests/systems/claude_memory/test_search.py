"""Search on request, in 6.0's form."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from .hook_cases import Case, load, run, tenure, write_index, write_record

MEMORY = ".claude/memory"


@pytest.mark.parametrize("case", load("search"), ids=lambda case: case["id"])
def test_recorded(case: Case, tmp_path: Path) -> None:
    """Recorded from 6.0."""
    done = run(case, tmp_path)
    wanted = case["expect"]["steps"][0]
    assert (done.returncode, done.stderr) == (wanted["exit"], "")
    assert json.loads(done.stdout) == wanted["stdout_json"]


def find(project: Path, query: str, *words: str) -> list[dict[str, Any]]:
    done = tenure(project, "search", "-q", query, "-r", MEMORY, *words)
    assert done.returncode == 0, done.stderr
    answer = json.loads(done.stdout)
    assert (answer["query"], answer["total_results"]) == (query, len(answer["results"]))
    results: list[dict[str, Any]] = answer["results"]
    return results


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """One active decision in the index, one retired and one archived that are not."""
    write_record(tmp_path, "decisions/live.json", title="Queue live", tags=["queue"])
    write_record(tmp_path, "decisions/old.json", title="Queue old", record_status="retired")
    write_record(tmp_path, "decisions/kept.json", title="Queue kept", record_status="archived")
    write_index(tmp_path, f"[DECISION] Queue live -> {MEMORY}/decisions/live.json #tags:queue")
    return tmp_path


@pytest.mark.parametrize("mode", ["auto", "search"])
def test_retired_memories_are_found_when_asked_for_and_only_then(project: Path, mode: str) -> None:
    """Defect D11: 6.0 searched only what the index lists, which never is retired."""
    assert [result["title"] for result in find(project, "queue", "-m", mode)] == ["Queue live"]
    found = find(project, "queue", "-m", mode, "--include-retired")
    assert {result["title"]: result["status"] for result in found} == {
        "Queue live": "active",
        "Queue old": "retired",
        "Queue kept": "archived",
    }
    assert all((project / result["path"]).is_file() for result in found)


def test_a_retired_memory_in_a_stale_index_is_not_found_by_itself(project: Path) -> None:
    """A choice of our own: 6.0's auto mode does not open the record."""
    write_index(project, f"[DECISION] Queue old -> {MEMORY}/decisions/old.json #tags:queue")
    assert find(project, "queue") == []
    assert [result["status"] for result in find(project, "old", "--include-retired")] == ["retired"]


def test_mode_search_reads_the_content_and_shows_a_snippet(project: Path) -> None:
    """Spec 1.10: the category's fields, first 2000 characters; the snippet is cut at 150."""
    content = {
        "context": "c" * 200,
        "decision": "because of latency",
        "rationale": ["r"],
        "status": "accepted",
    }
    write_record(project, "decisions/live.json", content=content, updated_at="2026-01-02T00:00:00Z")
    assert find(project, "latency") == []
    (result,) = find(project, "latency", "--mode", "search")
    assert (result["snippet"], result["updated_at"]) == ("c" * 150 + "...", "2026-01-02T00:00:00Z")


def test_compounds_are_found_whole(project: Path) -> None:
    """Spec 1.10: `user_id` is an exact phrase, a single word a prefix."""
    write_index(
        project,
        f"[CONSTRAINT] Field user_id is fixed -> {MEMORY}/constraints/a.json #tags:schema",
        f"[CONSTRAINT] The user has no such identity -> {MEMORY}/constraints/b.json #tags:users",
    )
    assert [result["path"][-6] for result in find(project, "user_id")] == ["a"]
    assert {result["path"][-6] for result in find(project, "user")} == {"a", "b"}


@pytest.mark.parametrize(
    ("query", "expected"),
    [("killed work", ["oom-worker"]), ("order postgresql", ["pg-main", "retry-policy"])],
)
def test_a_word_that_many_contents_hold_brings_no_memory_over_the_noise_floor(
    tmp_path: Path, query: str, expected: list[str]
) -> None:
    """Spec 1.10: results under 25% of the best are dropped; computed with SQLite's BM25 over the recorded store."""
    case = load("search")[0]
    case["steps"][0]["argv"] = ["-q", query, "-r", MEMORY, "-m", "search"]
    results = json.loads(run(case, tmp_path).stdout)["results"]
    assert [Path(result["path"]).stem for result in results] == expected


def test_results_are_limited(project: Path) -> None:
    """Three in auto mode, ten in search mode, `-n` clamped to 1..30."""
    write_index(project, *(f"[DECISION] Queue -> {MEMORY}/decisions/{n}.json" for n in range(40)))
    counts = [len(find(project, "queue", *words)) for words in ([], ["-m", "search"], ["-n", "0"], ["-n", "99"])]
    assert counts == [3, 10, 1, 30]


def test_text_output(project: Path) -> None:
    """6.0's `--format text`."""
    done = tenure(project, "search", "-q", "queue", "-r", MEMORY, "-f", "text")
    lines = done.stdout.splitlines()
    assert lines[:3] == [
        "1. [DECISION] Queue live",
        "   Tags: queue",
        f"   Path: {MEMORY}/decisions/live.json",
    ]
    assert lines[3].startswith("   Score: -")
    assert tenure(project, "search", "-q", "zzz", "-r", MEMORY, "-f", "text").stdout == "No results found.\n"


def test_no_memory_folder_is_an_error(tmp_path: Path) -> None:
    """Spec 1.3: exit 1 with a JSON error."""
    done = tenure(tmp_path, "search", "-q", "x", "-r", MEMORY)
    assert (done.returncode, json.loads(done.stdout)["error"]) == (1, "Memory root directory not found")
    assert tenure(tmp_path, "search", "-q", "x").returncode == 2


@pytest.mark.parametrize("query", ["", '"', "NOT OR AND", "x* OR (", "ü", "\x00", "a" * 100_000, "queue " * 20_000])
def test_any_query_is_answered(project: Path, query: str) -> None:
    """There is no query language to trip over."""
    done = tenure(project, "search", "-q", query.replace("\x00", ""), "-r", MEMORY)
    assert done.returncode == 0
    assert json.loads(done.stdout)["total_results"] in (0, 1)
