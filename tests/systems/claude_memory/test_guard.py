"""The guards before and after a direct write to the memory folder."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path
from typing import Any

import pytest

from .hook_cases import Case, comparable, load, run, snapshot, tenure, write_record

DENIED = "Direct writes to the memory directory are blocked."


@pytest.mark.parametrize("case", load("guard"), ids=lambda case: case["id"])
def test_recorded(case: Case, tmp_path: Path) -> None:
    """Recorded from 5.0; the name of the event, which today's client requires, is added."""
    done = run(case, tmp_path)
    wanted = case["expect"]["steps"][0]
    assert done.returncode == 0
    assert all(tag in done.stderr for tag in wanted.get("stderr_tags", []))
    if "stdout_text" in wanted:
        assert done.stdout == wanted["stdout_text"]
        return
    answer = comparable(json.loads(done.stdout), tmp_path)["hookSpecificOutput"]
    before = case["steps"][0]["tool"] == "write_guard"
    assert answer["hookEventName"] == ("PreToolUse" if before else "PostToolUse")
    recorded = comparable(wanted["stdout_json"], tmp_path)["hookSpecificOutput"]
    assert {key: answer[key] for key in recorded} == recorded
    for name, wish in case["expect"]["files_changed"].items():
        found = list(tmp_path.glob(name.replace("{{EPOCH}}", "*")))
        assert ("absent" in wish) == (not found)
        assert "text" not in wish or found[0].read_text(encoding="utf-8") == wish["text"]


def guard(project: Path, path: str, tool: str = "Write", **fields: Any) -> dict[str, Any]:
    message = {"tool_name": tool, "tool_input": {"file_path": path}, "cwd": str(project), **fields}
    done = tenure(project, "write-guard", stdin=json.dumps(message))
    assert (done.returncode, done.stderr) == (0, "")
    answer: dict[str, Any] = json.loads(done.stdout) if done.stdout else {}
    return answer


@pytest.mark.parametrize("tool", ["Write", "Edit", "MultiEdit", "NotebookEdit", None])
@pytest.mark.parametrize(
    "path",
    [
        ".claude/memory/decisions/x.json",
        ".claude/memory/index.md",
        ".claude/memory",
        ".claude/memory/",
        ".claude/memory/decisions/memory-config.json",
        ".claude/memory/.memory-draft-x.json",
        ".claude/memory/.staging/x.json",
        "sub/.claude/memory/x.json",
        "link/x.json",
        "./src/../.claude//memory/x.json",
        ".Claude/Memory/x.json",
    ],
)
def test_a_write_under_the_memory_folder_is_denied(tmp_path: Path, path: str, tool: str | None) -> None:
    """Spec 1.11 by resolved path; 5.0 did not see Edit and MultiEdit."""
    (tmp_path / ".claude" / "memory").mkdir(parents=True)
    (tmp_path / "link").symlink_to(tmp_path / ".claude" / "memory")
    field = "notebook_path" if tool == "NotebookEdit" else "file_path"
    message = {"tool_name": tool, "tool_input": {field: path}, "cwd": str(tmp_path)}
    done = tenure(tmp_path, "write-guard", stdin=json.dumps(message))
    answer = json.loads(done.stdout)["hookSpecificOutput"]
    assert (answer["hookEventName"], answer["permissionDecision"]) == ("PreToolUse", "deny")
    assert answer["permissionDecisionReason"].startswith(DENIED)
    assert "tenure claude-memory write" in answer["additionalContext"]


@pytest.mark.parametrize(
    "path",
    [
        ".claude/memory/memory-config.json",
        ".claude/memory-notes/x.json",
        ".claude/settings.json",
        "memory/x.json",
        "/tmp/.memory-draft-decision-123.json",
        "/tmp/.memory-triage-context-decision.txt",
        "src/claude/memory/x.py",
        "",
        "nul\0byte",
    ],
)
def test_everything_else_is_allowed(tmp_path: Path, path: str) -> None:
    """Spec 1.11: silence is consent."""
    assert guard(tmp_path, path) == {}


def test_a_memory_folder_that_is_a_link_is_still_protected(tmp_path: Path) -> None:
    """The path as given counts too, not only where it leads."""
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / ".claude").mkdir()
    (tmp_path / ".claude" / "memory").symlink_to(tmp_path / "elsewhere")
    assert guard(tmp_path, ".claude/memory/decisions/x.json")


def test_a_config_that_is_a_link_to_a_record_is_denied(tmp_path: Path) -> None:
    """The exception is for the config file itself."""
    write_record(tmp_path, "decisions/x.json")
    (tmp_path / ".claude/memory/memory-config.json").symlink_to("decisions/x.json")
    assert guard(tmp_path, ".claude/memory/memory-config.json")


def test_reading_is_not_writing(tmp_path: Path) -> None:
    """A hook may be registered for every tool."""
    assert guard(tmp_path, ".claude/memory/index.md", "Read") == {}


@pytest.mark.parametrize("command", ["write-guard", "validate-hook"])
@pytest.mark.parametrize("stdin", ["", "{", "[]", '{"tool_input": 7}', '{"tool_input": {"file_path": ["x"]}}'])
def test_whatever_they_are_told_the_call_goes_on(tmp_path: Path, command: str, stdin: str) -> None:
    """Hooks fail open."""
    done = tenure(tmp_path, command, stdin=stdin)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")


def validate(project: Path, path: str) -> subprocess.CompletedProcess[str]:
    message = {"tool_name": "Write", "tool_input": {"file_path": str(project / ".claude/memory" / path)}}
    return tenure(project, "validate-hook", stdin=json.dumps(message))


def test_a_valid_record_is_only_warned_about(tmp_path: Path) -> None:
    """Spec 1.11."""
    write_record(tmp_path, "decisions/x.json")
    before = snapshot(tmp_path)
    done = validate(tmp_path, "decisions/x.json")
    assert (done.returncode, done.stdout) == (0, "")
    assert done.stderr.count("WARNING") == 2
    assert snapshot(tmp_path) == before


@pytest.mark.parametrize(
    ("content", "told"),
    [
        ("{bad", "Invalid JSON"),
        ("[]", "Invalid JSON"),
        ('{"category": "decision"}', "field: schema_version\nexpected: Field required"),
        ("[" * 100_000, "Invalid JSON"),
    ],
)
def test_an_invalid_record_is_set_aside_and_reported(tmp_path: Path, content: str, told: str) -> None:
    """Spec 1.11, in the form today's client reads after a tool call: `decision` and `reason`."""
    write_record(tmp_path, "decisions/x.json")
    (tmp_path / ".claude/memory/decisions/x.json").write_text(content)
    done = validate(tmp_path, "decisions/x.json")
    answer = json.loads(done.stdout)
    assert answer["decision"] == "block"
    assert told in answer["reason"]
    assert answer["hookSpecificOutput"]["hookEventName"] == "PostToolUse"
    assert answer["hookSpecificOutput"]["permissionDecisionReason"] == answer["reason"]
    (aside,) = (tmp_path / ".claude/memory/decisions").iterdir()
    assert aside.name.startswith("x.json.invalid.")
    assert aside.read_text() == content


def test_a_second_invalid_record_does_not_overwrite_the_first(tmp_path: Path) -> None:
    """What was set aside is evidence."""
    for content in ("{one", "{two"):
        write_record(tmp_path, "decisions/x.json")
        (tmp_path / ".claude/memory/decisions/x.json").write_text(content)
        validate(tmp_path, "decisions/x.json")
    texts = {path.read_text() for path in (tmp_path / ".claude/memory/decisions").iterdir()}
    assert texts == {"{one", "{two"}


def test_other_files_in_the_folder_are_refused_but_left(tmp_path: Path) -> None:
    """Spec 1.11: non-JSON is denied; staging files are nobody's business (spec 1.15)."""
    write_record(tmp_path, "decisions/x.json")
    for name in ("index.md", ".staging/draft.json"):
        (tmp_path / ".claude/memory" / name).parent.mkdir(exist_ok=True)
        (tmp_path / ".claude/memory" / name).write_text("{x")
    before = snapshot(tmp_path)
    assert "non-JSON memory file blocked: index.md" in json.loads(validate(tmp_path, "index.md").stdout)["reason"]
    assert validate(tmp_path, ".staging/draft.json").stdout == ""
    assert snapshot(tmp_path) == before
