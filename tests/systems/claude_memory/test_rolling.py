"""The rolling window over sessions, and its guard for content that is nowhere else."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tenure.systems.claude_memory import rolling

from .project import Project, record


def session(number: int, **content: Any) -> dict[str, Any]:
    """Return a session of day `number`."""
    base = {"goal": "g", "outcome": "success", "completed": [], "next_actions": []}
    return record(
        "session_summary",
        id=f"s{number}",
        title=f"Session {number}",
        created_at=f"2026-05-{number:02}T00:00:00Z",
        content={**base, **content},
    )


def enforce(project: Project, *words: str) -> dict[str, Any]:
    assert project.run("enforce", "--category", "session_summary", *words) == 0
    answer: dict[str, Any] = json.loads(project.out)
    return answer


def test_only_unique_items_are_warned_about(project: Project) -> None:
    """Seed, deletion guard: compare with the index and other sessions; the original warns always."""
    project.create("constraints/upload.json", record("constraint", title="Provider caps uploads at 25 MB"))
    project.put(
        session(
            1,
            completed=["Split the cart module into two", "Measured the nightly export"],
            blockers=["provider caps uploads at 25 MB"],
            next_actions=["wire payment adapter"],
        )
    )
    project.put(session(2, completed=["split cart module in two"], next_actions=["Wire the payment adapter"]))
    enforce(project, "--max-retained", "1")
    warnings = [line for line in project.err.splitlines() if line.startswith("WARNING")]
    start = "WARNING: Session s1 contains unique content not captured elsewhere: "
    assert warnings == [f"{start}Measured the nightly export. Consider saving these before retirement."]
    assert project.read("sessions/s1.json")["record_status"] == "retired"


def test_what_leaves_in_the_same_run_captures_nothing(project: Project) -> None:
    """Our reading of the guard: two sessions that leave together cannot vouch for each other."""
    for number in (1, 2):
        project.put(session(number, completed=["rotate signing keys"]))
    project.put(session(3, completed=["unrelated work"]))
    enforce(project, "--max-retained", "1")
    assert project.err.count("rotate signing keys") == 2


def test_a_new_session_pushes_the_oldest_out(project: Project) -> None:
    """Seed: enforced after a session was created; the guard's warning comes along."""
    project.configure(categories={"session_summary": {"max_retained": 2}})
    project.put(session(1, completed=["migrated billing tables"]))
    project.put(session(2))
    assert project.create("sessions/s3.json", session(3)) == 0
    assert json.loads(project.out)["status"] == "created"
    assert "migrated billing tables" in project.err
    assert [line.rsplit("/", 1)[1].split(".")[0] for line in project.index()] == ["s2", "s3"]


def test_a_session_that_cannot_be_read_is_named_as_the_original_names_it(project: Project) -> None:
    """6.0's enforce: a corrupted file is skipped with a warning, and is left as it is."""
    for number in (1, 2):
        project.put(session(number))
    (project.memory / "sessions" / "bad.json").write_text("{", "utf-8")
    assert enforce(project, "--max-retained", "1")["retired"] == ["s1"]
    assert project.err.splitlines()[0].startswith("[WARN] Skipping corrupted file bad.json: ")
    assert "WARNING" not in project.err


def test_a_dry_run_says_the_same_and_changes_nothing(project: Project) -> None:
    """6.0: --dry-run."""
    for number in range(1, 5):
        project.put(session(number))
    answer = enforce(project, "--max-retained", "3", "--dry-run")
    assert answer == {"retired": ["s1"], "active_count": 3, "max_retained": 3, "dry_run": True}
    assert project.read("sessions/s1.json")["record_status"] == "active"


@pytest.mark.parametrize(
    ("active", "kept", "limit", "count"),
    [(5, 5, None, 0), (6, 5, None, 1), (100, 5, None, 50), (30, 1, None, 10), (9, 5, 2, 2), (3, 5, None, 0)],
)
def test_how_many_leave_in_one_run(active: int, kept: int, limit: int | None, count: int) -> None:
    """Specification 1.9: at most max(10, 10 * max_retained), or --max-retire."""
    assert rolling.excess(active, kept, limit) == count


@pytest.mark.parametrize("value", [0, -3, True, "5", None, 2.5])
def test_a_wrong_setting_falls_back_to_five_with_a_warning(project: Project, value: Any) -> None:
    """Specification 1.9: an integer of at least 1, booleans rejected."""
    project.configure(categories={"session_summary": {"max_retained": value}})
    for number in range(1, 8):
        project.put(session(number))
    assert enforce(project)["max_retained"] == 5
    assert "[WARN] max_retained" in project.err


def test_order_is_by_time_and_not_by_spelling(project: Project) -> None:
    """Specification 1.9: oldest by created_at; an offset is an offset; no time counts as oldest."""
    times = {"a": "2026-05-02T00:00:00+05:00", "b": "2026-05-01T20:00:00Z", "c": "never", "d": None}
    pairs = [(name, {"created_at": moment}) for name, moment in times.items()]
    assert [name for name, _ in rolling.oldest_first(pairs)] == ["d", "c", "a", "b"]


def test_a_wrong_limit_is_refused(project: Project) -> None:
    """6.0: --max-retained must be at least 1."""
    assert project.run("enforce", "--category", "session_summary", "--max-retained", "0") == 1
    assert "--max-retained must be >= 1" in project.err


def test_without_a_memory_folder_there_is_nothing_to_enforce(project: Project, monkeypatch: pytest.MonkeyPatch) -> None:
    """6.0: an error on standard error, exit status 1."""
    monkeypatch.chdir(project.root.parent)
    assert project.run("enforce", "--category", "session_summary") == 1
    assert "Cannot find .claude/memory/" in project.err


def test_the_window_makes_room_in_a_full_category(project: Project) -> None:
    """Our own reading: a limit that the window keeps anyway refuses no session."""
    project.configure(max_memories_per_category=2, categories={"session_summary": {"max_retained": 2}})
    for number in (1, 2, 3):
        assert project.create(f"sessions/s{number}.json", session(number)) == 0
    assert len(project.index()) == 2
