"""`tenure install` and `uninstall`, run as a person would, on files as people have them."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tenure.hosts import install
from tenure.hosts.api import Host, place
from tenure.hosts.catalog import HOSTS
from tests.program import Program

SETTINGS = b"""{
  // my own
  "model": "opus",
  "hooks": {
    "Stop": [
      {"hooks": [{"type": "command", "command": "say done"}]}
    ],
  },
}
"""
TOML = b'# mine\nmodel = "o5"\n\n[mcp_servers.other]\ncommand = "other"\n\n[profiles.x]\nmodel = "y"\n'
SCOPES = [(agent, scope) for agent in HOSTS.values() for scope in ("user", "project")]
NAMES = [f"{agent.name}-{scope}" for agent, scope in SCOPES]


def everything(program: Program) -> dict[str, bytes]:
    """Return every file and folder of the project and the home folder, except what Tenure keeps for itself."""
    roots = (program.folder, program.home.parent)
    found = {}
    for root in roots:
        for path in sorted(root.rglob("*")):
            if not path.is_relative_to(program.home):
                found[str(path)] = path.read_bytes() if path.is_file() else b"(folder)"
    return found


def paths(agent: Host, scope: str, program: Program) -> list[Path]:
    return [place(settings, agent, program.folder) for settings in getattr(agent, scope)]


def flags(scope: str) -> tuple[str, ...]:
    return ("--project", "--yes") if scope == "project" else ("--yes",)


@pytest.mark.parametrize(("agent", "scope"), SCOPES, ids=NAMES)
def test_uninstalling_leaves_every_file_as_it_was(agent: Host, scope: str, program: Program) -> None:
    """Issue 8: uninstall leaves every settings file byte-identical to before; where there was none, none is left."""
    before = everything(program)
    first = program.ok("install", agent.name, *flags(scope))
    assert first["written"] and all(path.exists() for path in paths(agent, scope, program))
    assert program.ok("install", agent.name, *flags(scope))["changes"] == []
    assert program.ok("uninstall", agent.name, *flags(scope))["written"]
    assert everything(program) == before


@pytest.mark.parametrize("copies_lost", [False, True])
@pytest.mark.parametrize(("agent", "scope"), SCOPES, ids=NAMES)
def test_settings_of_the_user_survive_to_the_byte(agent: Host, scope: str, copies_lost: bool, program: Program) -> None:
    """Comments, order and trailing commas are the user's; also when our own copies were removed in between."""
    for settings, path in zip(getattr(agent, scope), paths(agent, scope, program), strict=True):
        if settings.form != "whole":
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(TOML if settings.form == "toml" else SETTINGS)
    before = everything(program)
    program.ok("install", agent.name, *flags(scope))
    text = b"".join(path.read_bytes() for path in paths(agent, scope, program))
    assert b"tenure" in text
    if copies_lost:
        shutil.rmtree(program.home)
    program.ok("uninstall", agent.name, *flags(scope))
    after = everything(program)
    assert {path: data for path, data in after.items() if data != b"(folder)"} == {
        path: data for path, data in before.items() if data != b"(folder)"
    }


def test_what_the_user_wrote_after_installing_stays(program: Program) -> None:
    """Uninstall removes exactly what was added."""
    path = program.folder / ".claude" / "settings.json"
    program.ok("install", "claude-code", "--project", "--yes")
    settings = json.loads(path.read_bytes())
    settings["hooks"]["Stop"].append({"hooks": [{"type": "command", "command": "say done"}]})
    settings["model"] = "opus"
    path.write_text(json.dumps(settings, indent=2))
    program.ok("uninstall", "claude-code", "--project", "--yes")
    assert json.loads(path.read_bytes()) == {
        "hooks": {"Stop": [{"hooks": [{"type": "command", "command": "say done"}]}]},
        "model": "opus",
    }


def test_the_diff_is_shown_and_nothing_is_written_without_consent(program: Program) -> None:
    """Shows the diff, asks; a pipe cannot answer, so it must say --yes."""
    before = everything(program)
    shown = program("install", "claude-code", "--dry-run")
    assert shown.status == 0 and '+            "command": "' in shown.text and "hook prompt" in shown.text
    asked = program("install", "claude-code")
    assert asked.status == 2 and "--yes" in asked.errors
    assert everything(program) == before


def test_without_a_terminal_the_files_are_named_and_not_every_line(program: Program) -> None:
    """A stranger's finding: 130 lines of a diff stood before the sentence that asks for --yes."""
    shown = program("install", "claude-code", "--dry-run").text.splitlines()
    added = sum(line.startswith("+") and not line.startswith("+++") for line in shown)
    asked = program("install", "claude-code")
    lines = asked.errors.splitlines()
    assert asked.text == ""
    assert len(lines) < 8 < added
    assert "--dry-run" in asked.errors and "--yes" in asked.errors
    named = [line.split() for line in lines if line.startswith("  +")]
    assert any(words[-1].endswith("settings.json") for words in named)
    assert sum(int(words[0]) for words in named) == added


def test_an_earlier_copy_is_kept_for_its_owner_only(program: Program) -> None:
    """Backs up; a settings file may hold keys of the user."""
    path = program.folder / ".claude" / "settings.json"
    path.parent.mkdir()
    path.write_bytes(SETTINGS)
    copies = program.ok("install", "claude-code", "--project", "--yes")["backups"]
    assert [Path(copy).read_bytes() for copy in copies] == [SETTINGS]
    assert [Path(copy).stat().st_mode & 0o777 for copy in copies] == [0o600]


@pytest.mark.parametrize("bad", [b"{not json", b"[]", b'{"hooks": []}', b'{"hooks": {"Stop": 1}}', b"\xff\xfe"])
def test_a_file_that_cannot_be_understood_is_left_alone(bad: bytes, program: Program) -> None:
    """We never rewrite what we did not understand."""
    path = program.folder / ".claude" / "settings.json"
    path.parent.mkdir()
    path.write_bytes(bad)
    done = program("--json", "install", "claude-code", "--project", "--yes")
    assert done.status == 2 and str(path) in done.error["message"]
    assert path.read_bytes() == bad


def test_a_link_in_a_project_is_not_followed(program: Program) -> None:
    """S9, S20: a cloned project could point its settings anywhere."""
    elsewhere = program.folder.parent / "elsewhere.json"
    elsewhere.write_bytes(b"{}")
    (program.folder / ".claude").mkdir()
    (program.folder / ".claude" / "settings.json").symlink_to(elsewhere)
    assert program("install", "claude-code", "--project", "--yes").status == 3
    assert elsewhere.read_bytes() == b"{}"


def test_a_link_in_the_users_home_is_followed(program: Program) -> None:
    """People keep their settings in a repository of dot files."""
    real = program.folder.parent / "dotfiles.json"
    real.write_bytes(b"{}\n")
    (program.home.parent / ".claude").mkdir()
    (program.home.parent / ".claude" / "settings.json").symlink_to(real)
    program.ok("install", "claude-code", "--yes")
    assert b"hook prompt" in real.read_bytes()
    program.ok("uninstall", "claude-code", "--yes")
    assert real.read_bytes() == b"{}\n"


def test_an_older_entry_of_ours_is_replaced_not_doubled(program: Program) -> None:
    """Idempotent, also over what another version wrote."""
    path = program.folder / ".claude" / "settings.json"
    path.parent.mkdir()
    old = {"hooks": {"Stop": [{"hooks": [{"type": "command", "command": "/old/bin/tenure hook stop"}]}]}}
    path.write_text(json.dumps(old))
    program.ok("install", "claude-code", "--project", "--yes")
    stop = json.loads(path.read_bytes())["hooks"]["Stop"]
    assert [entry["hooks"][0]["command"] for entry in stop] == ["tenure hook stop"]


def test_an_unknown_agent_gets_a_suggestion(program: Program) -> None:
    """Errors say what to do next."""
    done = program("--json", "install", "cloud-code")
    assert done.status == 2 and "claude-code" in done.error["hint"]


def test_the_skill_that_keeps_what_the_user_said_comes_along(program: Program) -> None:
    """Issue 16: `tenure install` brings the skill along, not only the plugin; a skill's name is its folder's."""
    program.ok("install", "claude-code", "--project", "--yes")
    skill = program.folder / ".claude" / "skills" / "tenure-remember" / "SKILL.md"
    head = skill.read_text("utf-8").split("---")[1]
    keys = [line.partition(":")[0] for line in head.strip().splitlines()]
    assert keys == ["name", "description", "license"] and f"name: {skill.parent.name}\n" in head
    assert "--quote" in skill.read_text("utf-8")


def test_qwen_code_counts_the_time_of_a_hook_in_milliseconds() -> None:
    """Seen with 0.24.4: a timeout of 5 ended every hook after 5 ms on a busy machine, and no guard ever spoke."""
    from tenure.hosts import qwen, settings_entries

    [settings] = qwen.HOST.user
    times = [entry["hooks"][0]["timeout"] for _, entry in settings_entries.hooks(settings, "tenure")]
    assert min(times) >= 1000


def test_reading_is_guarded_where_a_guard_needs_it(program: Program) -> None:
    """Issue 19: in Claude Code the hook is asked before `Read` only when some guard looks at it."""
    settings = program.home.parent / ".claude" / "settings.json"
    program.ok("add", "Never read `.env`.", "--id", "env")
    program.ok("install", "claude-code", "--yes")
    assert "Bash|Read" not in settings.read_text()
    program.ok("guard", "env", "--level", "remind")
    program.ok("install", "claude-code", "--yes")
    assert "Bash|Read" in settings.read_text()
    program.ok("uninstall", "claude-code", "--yes")
    assert not settings.exists() or "tenure" not in settings.read_text()


def test_tools_of_mcp_servers_are_guarded_where_a_guard_needs_them(program: Program) -> None:
    """Issue 19: in Claude Code the hook is asked before MCP tools only when a guard means any tool."""
    settings = program.home.parent / ".claude" / "settings.json"

    def asked() -> list[str]:
        return [entry["matcher"] for entry in json.loads(settings.read_text())["hooks"]["PreToolUse"]]

    program.ok("add", "Never edit files under `gen/`.", "--id", "gen")
    program.ok("guard", "gen", "--level", "remind")
    program.ok("install", "claude-code", "--yes")
    assert not any("mcp__" in matcher for matcher in asked())
    examples = ("--fires", "edit gen/a", "--fires", "read gen/b", "--passes", "edit src/a", "--passes", "run ls")
    program.ok("guard", "gen", "--level", "remind", "--tool", "any", "--path", "gen/", *examples)
    program.ok("install", "claude-code", "--yes")
    [matcher] = asked()
    assert re.fullmatch(matcher, "mcp__files__write_file") and re.fullmatch(matcher, "Read")
    assert not re.fullmatch(matcher, "WebFetch")
    given = {"path": str(program.folder / "gen" / "a"), "content": "x"}
    event = {"session_id": "s", "cwd": str(program.folder), "hook_event_name": "PreToolUse"}
    said = json.dumps({**event, "tool_name": "mcp__files__write_file", "tool_input": given}).encode()
    program("hook", "pre-tool", stdin=said, CLAUDECODE="1", TENURE_NO_WORKER="1")
    assert [guard["fires"] for guard in program.ok("guards")["guards"]] == [1]
    program.ok("uninstall", "claude-code", "--yes")
    assert not settings.exists() or "tenure" not in settings.read_text()


def test_a_wiring_without_our_program_imports_nothing_from_the_project(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """S20: a clone with a package of our name ran as the user; -I would drop packages that a user installed."""
    (tmp_path / "tenure").mkdir()
    (tmp_path / "tenure" / "__init__.py").write_text("raise SystemExit('the project ran')")
    with monkeypatch.context() as without:
        without.setattr(sys, "executable", str(tmp_path / "bin" / "python"))
        without.setattr(shutil, "which", lambda _: None)
        line = install.program("user")
    assert line[0] == str(tmp_path / "bin" / "python") and "-I" not in line
    done = subprocess.run([sys.executable, *line[1:], "--version"], cwd=tmp_path, capture_output=True, text=True)
    assert done.stdout.startswith("tenure ") and "the project ran" not in done.stderr
