"""Candidate selection: what exists, and what may be done with it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from .hook_cases import (
    Case,
    changes,
    comparable,
    expected,
    load,
    run,
    snapshot,
    tenure,
    write_index,
    write_record,
)


@pytest.mark.parametrize("case", load("candidate"), ids=lambda case: case["id"])
def test_recorded(case: Case, tmp_path: Path) -> None:
    """Recorded from 5.0; 6.0 adds the category to the answer."""
    done = run(case, tmp_path)
    wanted = expected(case)
    assert done.returncode == wanted["exit"]
    if "stdout_json" in wanted:
        assert json.loads(done.stdout) == comparable(wanted["stdout_json"], tmp_path)
        assert done.stderr == ""
    else:
        assert done.stdout == wanted["stdout_text"]
        assert all(tag in done.stderr for tag in wanted["stderr_tags"])


def ask(project: Path, category: str, new_info: str, *more: str) -> dict[str, Any]:
    done = tenure(project, "candidate", "--category", category, "--new-info", new_info, *more)
    assert done.returncode == 0, done.stderr
    answer: dict[str, Any] = json.loads(done.stdout)
    return answer


@pytest.mark.parametrize(
    ("category", "folder", "event", "structural", "vetoed", "hint"),
    [
        ("tech_debt", "tech-debt", "resolved", "UPDATE_OR_DELETE", False, "suggests DELETE if eligible"),
        ("runbook", "runbooks", None, "UPDATE_OR_DELETE", False, None),
        (
            "decision",
            "decisions",
            "reversed",
            "UPDATE",
            True,
            "DELETE disallowed for decision; consider UPDATE",
        ),
        ("preference", "preferences", None, "UPDATE", True, None),
        ("session_summary", "sessions", None, "UPDATE", True, None),
    ],
)
def test_what_the_structure_allows_depends_on_the_category(
    tmp_path: Path,
    category: str,
    folder: str,
    event: str | None,
    structural: str,
    vetoed: bool,
    hint: str | None,
) -> None:
    """Spec 1.5: only runbooks, constraints and tech debt may be deleted by triage."""
    path = f".claude/memory/{folder}/x.json"
    write_record(tmp_path, f"{folder}/x.json", category=category)
    write_index(tmp_path, f"[{category.upper()}] Queue note -> {path} #tags:queue")
    answer = ask(tmp_path, category, "queue note", *(["--lifecycle-event", event] if event else []))
    assert answer["candidate"]["path"] == path
    assert (answer["pre_action"], answer["structural_cud"]) == (None, structural)
    assert answer["vetoes"] == ([f"Cannot DELETE {category} (triage-initiated)"] if vetoed else [])
    assert answer["hints"][0] == "1 candidate found (score=7)"
    assert (answer["hints"][1:] == []) if hint is None else answer["hints"][1].endswith(hint)


def test_equal_scores_go_by_path_and_other_categories_do_not_count(tmp_path: Path) -> None:
    """Spec 1.5: best score, ties by path."""
    write_index(
        tmp_path,
        "[RUNBOOK] Queue stuck -> .claude/memory/runbooks/b.json #tags:queue",
        "[RUNBOOK] Queue stuck -> .claude/memory/runbooks/a.json #tags:queue",
        "[DECISION] Queue stuck now -> .claude/memory/decisions/0.json #tags:queue,stuck",
    )
    answer = ask(tmp_path, "runbook", "queue stuck")
    assert answer["candidate"]["path"].endswith("/a.json")
    assert answer["candidate"]["excerpt"] is None


def test_a_title_with_an_arrow_is_read_as_the_original_does(tmp_path: Path) -> None:
    """The last arrow that leads to a path and tags counts."""
    write_index(tmp_path, "[RUNBOOK] From queue -> to topic -> .claude/memory/runbooks/a.json #tags:x")
    answer = ask(tmp_path, "runbook", "queue topic")
    assert answer["candidate"]["title"] == "From queue -> to topic"


@pytest.mark.parametrize(
    "path",
    ["../outside.json", "/etc/passwd.json", ".claude/memory/../x.json", ".claude/memory/runbooks/x.md"],
)
def test_a_candidate_outside_the_folder_is_none(tmp_path: Path, path: str) -> None:
    """Spec 1.5: path outside root or not .json."""
    (tmp_path / "p").mkdir()
    write_index(tmp_path / "p", f"[RUNBOOK] Queue stuck -> {path} #tags:queue")
    answer = ask(tmp_path / "p", "runbook", "queue stuck")
    assert (answer["candidate"], answer["structural_cud"]) == (None, "CREATE")
    assert answer["hints"] == ["Candidate path invalid; falling back to CREATE"]
    answer = ask(tmp_path / "p", "runbook", "queue stuck", "--lifecycle-event", "removed")
    assert (answer["pre_action"], answer["vetoes"]) == ("NOOP", [])


def test_a_record_behind_a_link_that_leads_out_is_not_read(tmp_path: Path) -> None:
    """Guarantee S9: a cloned repository may ship links."""
    (tmp_path / "secret.json").write_text('{"title": "secret"}')
    project = tmp_path / "p"
    write_index(project, "[RUNBOOK] Queue stuck -> .claude/memory/runbooks/x.json #tags:queue")
    (project / ".claude/memory/runbooks").mkdir()
    (project / ".claude/memory/runbooks/x.json").symlink_to(tmp_path / "secret.json")
    assert ask(project, "runbook", "queue stuck")["candidate"] is None


def test_a_missing_index_is_made_from_the_records(tmp_path: Path) -> None:
    """Spec 1.5: rebuilt on demand; retired records are not in it."""
    write_record(tmp_path, "decisions/queue.json")
    write_record(tmp_path, "decisions/gone.json", record_status="retired")
    before = snapshot(tmp_path)
    answer = ask(tmp_path, "decision", "managed queue")
    assert answer["candidate"]["path"] == ".claude/memory/decisions/queue.json"
    assert changes(tmp_path, before) <= {".claude/memory/index.md"}


def test_an_odd_record_still_gives_an_excerpt(tmp_path: Path) -> None:
    """Everything works on bad input: fields of the wrong kind are shown or passed over."""
    write_record(tmp_path, "decisions/x.json", content=["no object"], changes=["odd"], record_status=7, tags="x")
    write_index(tmp_path, "[DECISION] Queue note -> .claude/memory/decisions/x.json #tags:queue")
    shown = ask(tmp_path, "decision", "queue")["candidate"]["excerpt"]
    assert (shown["key_fields"], shown["last_change_summary"], shown["record_status"]) == (
        {},
        "odd",
        "active",
    )


@pytest.mark.parametrize(
    "words",
    [
        ["--category", "nonsense", "--new-info", "x"],
        ["--category", "decision"],
        ["--category", "decision", "--new-info-file", "missing.txt"],
        ["--category", "decision", "--new-info", "x", "--lifecycle-event", "born"],
    ],
)
def test_bad_flags_exit_2(tmp_path: Path, words: list[str]) -> None:
    """Spec 1.3."""
    done = tenure(tmp_path, "candidate", *words)
    assert (done.returncode, done.stdout) == (2, "")


def test_the_new_information_may_come_from_a_file(tmp_path: Path) -> None:
    """6.0's `--new-info-file`, which goes before `--new-info`."""
    (tmp_path / "new.txt").write_text("queue stuck")
    write_index(tmp_path, "[RUNBOOK] Queue stuck -> .claude/memory/runbooks/a.json #tags:queue")
    assert ask(tmp_path, "runbook", "nothing", "--new-info-file", "new.txt")["candidate"]
