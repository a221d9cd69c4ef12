"""Retire, archive, unarchive, restore: the state machine of specification 1.8."""

from __future__ import annotations

import json

import pytest

from .project import Project, record

TARGET = "decisions/queue.json"
LINE = "- [DECISION] Use managed queue for orders -> .claude/memory/decisions/queue.json #tags:orders,queue"


@pytest.mark.parametrize(
    ("start", "action", "answer", "end"),
    [
        ("active", "delete", "retired", "retired"),
        ("active", "retire", "retired", "retired"),
        ("retired", "delete", "already_retired", "retired"),
        ("archived", "delete", "DELETE_ERROR", "archived"),
        ("archived", "retire", "RETIRE_ERROR", "archived"),
        ("active", "archive", "archived", "archived"),
        ("archived", "archive", "already_archived", "archived"),
        ("retired", "archive", "ARCHIVE_ERROR", "retired"),
        ("archived", "unarchive", "unarchived", "active"),
        ("active", "unarchive", "UNARCHIVE_ERROR", "active"),
        ("retired", "unarchive", "UNARCHIVE_ERROR", "retired"),
        ("retired", "restore", "restored", "active"),
        ("active", "restore", "already_active", "active"),
        ("archived", "restore", "RESTORE_ERROR", "archived"),
    ],
)
def test_the_state_machine(project: Project, start: str, action: str, answer: str, end: str) -> None:
    """Specification 1.8; only active memories are in the index."""
    project.put(record(record_status=start))
    status = project.write(action, TARGET, reason="because")
    refused = answer.endswith("_ERROR")
    assert status == (1 if refused else 0)
    assert (project.error() if refused else json.loads(project.out)["status"]) == answer
    assert project.read(TARGET)["record_status"] == end
    assert project.index() == ([LINE] if end == "active" else [])


def test_a_move_there_and_back_leaves_only_its_history(project: Project) -> None:
    """Specification 1.8: every transition appends a change entry; stamps go with the state."""
    project.create(TARGET, record())
    before = project.read(TARGET)
    project.write("delete", TARGET, reason="wrong")
    assert project.read(TARGET)["retired_reason"] == "wrong"
    project.write("restore", TARGET)
    after = project.read(TARGET)
    assert [entry["new_value"] for entry in after["changes"][1:]] == ["retired", "active"]
    same = before.keys() - {"changes", "updated_at"}
    assert {key: after[key] for key in same} == {key: before[key] for key in same}
    assert after.keys() == before.keys()


def test_a_record_from_before_the_status_existed_is_active(project: Project) -> None:
    """Specification 1.8."""
    value = record()
    del value["record_status"]
    project.put(value)
    assert project.write("restore", TARGET) == 0
    assert json.loads(project.out)["status"] == "already_active"
    assert project.write("delete", TARGET) == 0
    assert project.read(TARGET)["changes"][-1]["old_value"] == "active"


@pytest.mark.parametrize("action", ["delete", "archive", "unarchive", "restore", "update"])
def test_a_missing_memory_is_named(project: Project, action: str) -> None:
    """Specification 1.3: each action has its own error name."""
    flags = {"input": project.draft(record())} if action == "update" else {}
    assert project.write(action, TARGET, **flags) == 1
    assert project.error() == f"{action.upper()}_ERROR"
    assert project.keys()["target"] == f".claude/memory/{TARGET}"


def test_a_long_reason_is_cut_so_that_the_record_stays_valid(project: Project) -> None:
    """The schema allows 300 characters; the original writes a record it then refuses to update."""
    project.create(TARGET, record())
    project.write("delete", TARGET, reason="x" * 5000)
    project.write("restore", TARGET)
    value = project.read(TARGET)
    assert max(len(entry["summary"]) for entry in value["changes"]) <= 300
    draft = {**value, "changes": [*value["changes"], {"date": "d", "summary": "again"}]}
    assert project.update(TARGET, draft) == 0
