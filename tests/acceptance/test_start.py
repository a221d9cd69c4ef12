"""`tenure start`: audit, learn, wire; every step can be declined, and nothing happens that nobody agreed to."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.program import Program
from tests.terminal import at_terminal

RULE = "No, use tabs instead of spaces in the Makefile."
QUESTION = r"\[Y/n(?:/s)?\]: "


@pytest.fixture
def path(tmp_path: Path) -> str:
    """A search path on which git and one agent are, and nothing else."""
    folder = tmp_path / "bin"
    folder.mkdir()
    git = shutil.which("git")
    assert git
    (folder / "git").symlink_to(git)
    return str(folder)


@pytest.fixture
def project(program: Program, path: str) -> Program:
    """A repository with instructions of which one is broken, a session of Claude Code, and its client."""
    program.environment |= {"PATH": path, "HOME": str(program.home.parent)}
    _git(program, "init", "-q")
    (program.folder / "src").mkdir()
    (program.folder / "src" / "old.py").write_text("def run():\n    return 1\n" * 20)
    (program.folder / "CLAUDE.md").write_text("# Rules\n\nThe entry is `src/old.py`.\n")
    _git(program, "add", "-A")
    _git(program, "commit", "-q", "-m", "one")
    _git(program, "mv", "src/old.py", "src/new.py")
    _git(program, "commit", "-q", "-m", "two")
    _session(program, "s-1")
    client = Path(path) / "claude"
    client.write_text("#!/bin/sh\necho 2.1.200\n")
    client.chmod(0o755)
    return program


def _session(program: Program, name: str, said: str = RULE) -> None:
    file = program.home.parent / ".claude" / "projects" / "slug" / f"{name}.jsonl"
    file.parent.mkdir(parents=True, exist_ok=True)
    record = {"type": "user", "uuid": name, "cwd": str(program.folder), "message": {"content": said}}
    file.write_text(json.dumps(record) + "\n")


def _git(program: Program, *words: str) -> None:
    who = ["-c", "user.name=t", "-c", "user.email=t@example.org"]
    subprocess.run(["git", "-C", str(program.folder), *who, *words], check=True, capture_output=True)


def _settings(program: Program) -> Path:
    return program.home.parent / ".claude" / "settings.json"


def test_with_nothing_to_find_it_says_so_in_one_line(program: Program, path: str) -> None:
    """Issue 17."""
    program.environment |= {"PATH": path, "HOME": str(program.home.parent)}
    done = program("start")
    assert done.status == 0
    assert len(done.text.splitlines()) == 1
    assert "Nothing to set up" in done.text
    assert not (program.folder / ".tenure").exists()


def test_in_a_pipe_it_shows_everything_and_changes_nothing(project: Program) -> None:
    """Issue 17: a dry run first, with what it would keep and the quotes."""
    done = project("start")
    assert done.status == 0
    assert "src/old.py is now src/new.py" in done.text
    assert "It would keep:" in done.text
    assert 'you said: "No, use tabs instead of spaces in the Makefile."' in done.text
    assert "~/.claude/settings.json" in done.text
    assert "Nothing was changed." in done.text
    assert not (project.folder / ".tenure").exists()
    assert not _settings(project).exists()


def test_yes_does_every_step(project: Program) -> None:
    """Issue 17: `--yes` for scripts, `--json`."""
    found = project.ok("start", "--yes")
    assert [row["repair"] for row in found["audit"]["broken"]] == ["src/new.py"]
    (learned,) = found["learned"]
    assert [lesson["quote"] for lesson in learned["would_keep"]] == [RULE]
    assert [decision["action"] for decision in learned["decisions"]] == ["create"]
    assert found["wired"][0]["written"] is True
    assert _settings(project).exists()
    assert found["next"] == ["tenure audit --fix --dry-run", "tenure review", "tenure doctor"]
    again = project.ok("start", "--yes")
    assert again["wired"] == []
    assert len(project.ok("list")["memories"]) == 1


@pytest.mark.parametrize("step", ["audit", "learn", "wire"])
def test_a_script_can_leave_a_step_out(project: Program, step: str) -> None:
    found = project.ok("start", "--yes", "--skip", step)
    left = {"audit": found["audit"] is None, "learn": found["learned"] == [], "wire": found["wired"] == []}
    assert {name for name, empty in left.items() if empty} == {step}
    assert _settings(project).exists() == (step != "wire")


@pytest.mark.parametrize(
    ("step", "said"),
    [
        ("audit", "Audit: skipped (--skip audit)."),
        ("learn", "Learning from sessions: skipped (--skip learn)."),
        ("wire", "Wiring agents: skipped (--skip wire)."),
    ],
)
def test_a_step_that_is_left_out_says_why_in_one_line(project: Program, step: str, said: str) -> None:
    """A stranger's finding: a step was missing without a word."""
    assert said in project("start", "--skip", step).text.splitlines()


def test_steps_without_anything_to_do_say_so(project: Program, path: str) -> None:
    """The same: nothing found, nothing installed, all of it wired."""
    assert project("start", "--yes").status == 0
    assert "Nothing to wire: Claude Code is already wired." in project("start").text.splitlines()
    (Path(path) / "claude").unlink()
    text = " ".join(project("start").text.split())
    assert "Nothing to wire: Claude Code is already wired, but `claude` was not found on the PATH." in text
    shutil.rmtree(project.home.parent / ".claude")
    (project.home.parent / ".claude.json").unlink()
    lines = project("start").text.splitlines()
    assert "Nothing to learn from: no agent sessions here in the last 30d." in lines
    assert "Nothing to wire: found no coding agent on this machine." in lines


def test_what_was_learned_from_the_sessions_before_is_counted(project: Program) -> None:
    """A stranger's finding: it said that there was nothing to keep in a session that had just taught two rules."""
    _session(project, "s-2", "Never push to the main branch.")
    assert project("start", "--yes").status == 0
    text = project("start").text
    assert "Already learned from them: 2 memories. Nothing new." in text
    assert "Nothing to keep" not in text
    _session(project, "s-3", "Always run the linter before you commit.")
    text = project("start").text
    assert "Already learned from them: 2 memories.\n   It would keep:\n   · Always run the linter" in text
    assert project.ok("start")["learned"][0]["known"] == 2


def test_sessions_that_teach_nothing_are_said_to(project: Program) -> None:
    """README: `start` says what your sessions can teach."""
    _session(project, "s-1", "Where is the entry point?")
    assert "Nothing to keep: found no rule, correction or preference in what you said." in project("start").text


def test_sessions_that_lie_in_the_project_are_named_with_the_command(program: Program, path: str) -> None:
    """A stranger's finding: not a word of 60 files of SpecStory."""
    program.environment |= {"PATH": path, "HOME": str(program.home.parent)}
    history = program.folder / ".specstory" / "history"
    history.mkdir(parents=True)
    for number in range(3):
        (history / f"{number}.md").write_text("<!-- Generated by SpecStory -->\n")
    (program.folder / ".aider.chat.history.md").write_text("# aider chat started at 2026-04-01 10:00:00\n")
    lines = program("start").text.splitlines()
    assert "No agent sessions here in the last 30d." in lines
    # On a line of its own the command fits 80 columns and can be pasted.
    for found, command in (
        ("3 files of specstory", ".specstory/history/*.md"),
        ("1 file of aider", ".aider.chat.history.md"),
    ):
        told = lines.index(f"Found {found} sessions. To see what they would teach:")
        assert lines[told + 1] == f"  tenure capture {command} --dry-run"
    assert [row["count"] for row in program.ok("start")["session_files"]] == [3, 1]
    assert "specstory" not in program("start", "--skip", "learn").text


def test_sessions_older_than_asked_for_are_counted(project: Program) -> None:
    """The same: `--since` was not mentioned."""
    (kept,) = (project.home.parent / ".claude").rglob("s-1.jsonl")
    past = kept.stat().st_mtime - 90 * 86_400
    os.utime(kept, (past, past))
    text = " ".join(project("start").text.split())
    assert "No agent sessions here in the last 30d. For 1 older one: tenure start --since 520w" in text
    assert "It would keep:" in project("start", "--since", "520w").text


def test_tenures_own_memories_are_counted_and_their_database_is_no_page(project: Program) -> None:
    """A stranger's finding: `.tenure/memory.db` stood among the files that agents read."""
    project.ok("add", "The entry point was in `src/old.py`")
    text = project("start").text
    assert ".tenure/memory.db:" not in text
    assert "1 file: CLAUDE.md." in text
    assert "1 memory in Tenure's store." in text


def test_json_alone_changes_nothing(project: Program) -> None:
    """Our choice: a program that asks what there is has not agreed to anything."""
    found = project.ok("start")
    assert found["changed"] is False
    assert found["learned"][0]["decisions"] == []
    assert found["wired"][0]["written"] is False
    assert not _settings(project).exists()


def test_an_agent_that_says_yes_gains_no_verdict_and_no_wiring(project: Program, tmp_path: Path) -> None:
    """GUARANTEES: only a person gives verdicts, lets a cloned memory in, or hands an agent its hooks."""
    agent = Program(project.folder, tmp_path / "attended", {**project.environment, "CLAUDECODE": "1"})
    attended = {name: value for name, value in agent.variables().items() if name != "TENURE_UNATTENDED"}
    # A home stays what it was at its first use.
    subprocess.run([sys.executable, "-m", "tenure", "add", "x"], cwd=tmp_path, env=attended, check=True)
    found = agent.ok("start", "--yes")
    assert found["wired"][0]["written"] is False
    assert not _settings(project).exists()
    (memory,) = agent.ok("list")["memories"]
    assert (memory["state"], memory["approvals"]) == ("candidate", [])
    refused = agent("review", memory["id"], "--keep")
    assert (refused.status, "needs a person" in refused.errors) == (3, True)
    assert "tenure install claude-code" in agent("start", "--yes").text


def _at_terminal(project: Program, answers: str) -> str:
    environment = {**project.variables({}), "TERM": "xterm", "COLUMNS": "80"}
    words = [sys.executable, "-m", "tenure", "start"]
    seen = at_terminal(words, project.folder, environment, keys=[f"{each}\n" for each in answers], ready=QUESTION)
    assert seen.status == 0, seen.screen
    return seen.screen


def test_every_step_can_be_declined_at_a_terminal(project: Program) -> None:
    """Issue 17: every step can be declined."""
    screen = _at_terminal(project, "nnn")
    assert screen.count("[Y/n]") == 3
    assert " checked, " not in screen
    assert "It would keep" not in screen
    assert not _settings(project).exists()
    assert not (project.folder / ".tenure").exists()


def test_a_person_agrees_step_by_step_within_80_columns(project: Program) -> None:
    """Issue 17: a terminal of 80 columns."""
    screen = _at_terminal(project, "yyyy")
    assert "1 waiting for a second session or your review" in screen
    assert "Claude Code is wired." in screen
    assert _settings(project).exists()
    plain = re.sub(r"\x1b\[[0-9;?]*[A-Za-z]", "", screen)
    long = [line for part in plain.split("\n") for line in part.split("\r") if len(line) > 80]
    assert [line for line in long if "Store:" not in line and "Tenure in" not in line] == []


@pytest.mark.parametrize(
    ("answers", "kept"),
    [
        ("yynn", []),
        ("yyyn", ["Never push to the main branch", "Use tabs instead of spaces in the Makefile"]),
        ("yysynn", ["Use tabs instead of spaces in the Makefile"]),
        ("yysnyn", ["Never push to the main branch"]),
        ("yysnnn", []),
    ],
)
def test_a_person_chooses_what_to_keep_one_by_one(project: Program, answers: str, kept: list[str]) -> None:
    """Issue 17: what sessions teach was offered all together or not at all."""
    _session(project, "s-2", "Never push to the main branch.")
    screen = _at_terminal(project, answers)
    assert "Keep these 2? y all, n none, s one by one [Y/n/s]: " in screen
    found = project.ok("list")["memories"] if (project.folder / ".tenure").exists() else []
    assert sorted(memory["text"] for memory in found) == kept


def test_init_answers_by_its_old_name(project: Program) -> None:
    """Issue 17: `init` becomes a part of it and the old name answers."""
    found, start = project.ok("init"), project.ok("start")
    assert [found[name] for name in ("store", "origin", "found")] == [
        start[name] for name in ("store", "origin", "found")
    ]
    assert os.path.basename(found["store"]) == "memory.db"
