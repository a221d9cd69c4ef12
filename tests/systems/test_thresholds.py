"""One settings reader per system: a threshold or a switch answers the same in the drop-in and the generic commands."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tenure.systems import thresholds
from tenure.usecases import agreed_policy
from tests.program import Program
from tests.systems.archeflow.project import lesson
from tests.systems.claude_memory.project import record

PROMPT = json.dumps({"prompt": "which managed queue do we use for orders"}).encode()


@pytest.fixture
def archeflow(program: Program) -> Program:
    memory = program.folder / ".archeflow" / "memory"
    memory.mkdir(parents=True)
    rows = [lesson(f"m-{number:03d}", f"issue {number} alpha", number) for number in range(1, 14)]
    (memory / "lessons.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    return Program(program.folder, program.home, {"TENURE_STORE": "archeflow:.archeflow"})


@pytest.fixture
def claude(program: Program) -> Program:
    put(program, "decisions/queue.json", record())
    return Program(program.folder, program.home, {"TENURE_STORE": "claude-memory:.claude/memory"})


def put(program: Program, name: str, value: dict[str, Any]) -> None:
    path = program.folder / ".claude" / "memory" / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(value))


def setting(folder: Path, text: str) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "config.toml").write_text(text)


def create(program: Program, name: str) -> str:
    put(program, f".staging/{name}.json", record(id=name, title=f"Decision {name}"))
    target = f".claude/memory/decisions/{name}.json"
    draft = str(program.folder / ".claude" / "memory" / ".staging" / f"{name}.json")
    words = ["write", "--action", "create", "--category", "decision", "--target", target, "--input", draft]
    return program("claude-memory", *words).text.splitlines()[0]


def shown(program: Program) -> tuple[int, int]:
    """Return how many lessons the drop-in shows, and how many the generic command."""
    by_drop_in = program("archeflow", "inject", "", "").text.count("[seen")
    return by_drop_in, len(program.ok("inject")["memories"])


@pytest.mark.parametrize("off", ["no", "Off", False, 0, "false"])
def test_a_category_that_is_off_is_off_everywhere(claude: Program, off: object) -> None:
    """HOUSE: with "no", `write` created, `retrieve` hid and `inject` showed."""
    assert "orders" in claude("claude-memory", "retrieve", stdin=PROMPT).text
    assert claude.ok("inject", "which managed queue for orders")["memories"]
    put(claude, "memory-config.json", {"categories": {"Decision": {"enabled": off}}})
    assert create(claude, "another") == "CATEGORY_DISABLED_ERROR"
    assert claude("claude-memory", "retrieve", stdin=PROMPT).text == ""
    assert claude.ok("inject", "which managed queue for orders")["memories"] == []
    assert claude("add", "We use one queue", "--kind", "decision").status == 3


def test_a_setting_the_file_leaves_out_is_the_users(claude: Program) -> None:
    """The order of authority: project, the system's own file, the user, the package."""
    put(claude, "memory-config.json", {"delete": {"grace_period_days": 7}})
    setting(claude.home, "[policy.retention]\ngrace_days = 3\n[policy.write]\nkind_cap = 1\n")
    assert claude.ok("policy", "retention.grace_days")["values"][0]["value"] == 7
    assert claude.ok("policy", "write.kind_cap")["values"][0]["value"] == 1
    assert create(claude, "another") == "CATEGORY_FULL_ERROR"
    assert "(grace period: 7 days)" in claude("claude-memory", "index", "--gc").text


def test_the_users_thresholds_reach_both_ways_of_calling(archeflow: Program) -> None:
    """HOUSE: ArcheFlow's 10/10/2/50 % stood twice, and a setting reached the generic commands only."""
    assert shown(archeflow) == (10, 10)
    setting(archeflow.home, "[policy.inject]\nlimit = 4\n")
    assert shown(archeflow) == (4, 4)
    setting(archeflow.folder / ".tenure", "[policy.inject]\nlimit = 2\n")
    assert shown(archeflow) == (2, 2)


def test_settings_of_a_clone_count_for_neither(archeflow: Program) -> None:
    """GUARANTEES S20: a project's policy is in force once its memory is trusted or named."""
    setting(archeflow.folder / ".tenure", "[policy.inject]\nlimit = 2\n")
    unnamed = Program(archeflow.folder, archeflow.home)
    assert unnamed("archeflow", "inject", "", "").text.count("[seen") == 10
    unnamed.ok("trust", "--yes")
    assert unnamed("archeflow", "inject", "", "").text.count("[seen") == 2


def test_a_setting_that_makes_no_sense_does_not_stop_a_drop_in(archeflow: Program) -> None:
    """The generic commands say what is wrong; a drop-in in a hook goes on by the packaged value."""
    setting(archeflow.home, '[policy.inject]\nlimit = "many"\n')
    assert archeflow("archeflow", "inject", "", "").text.count("[seen") == 10
    assert archeflow("inject").status == 2
    setting(archeflow.home, "not TOML")
    assert archeflow("archeflow", "inject", "", "").text.count("[seen") == 10


def test_the_packaged_thresholds_are_the_documents(monkeypatch: pytest.MonkeyPatch) -> None:
    """ArcheFlow, document 1: ten lessons, ten runs, a second run, half of the words."""
    policy = thresholds.packaged("archeflow")
    assert (policy["inject"]["limit"], policy["decay"]["unseen_runs"]) == (10, 10)
    assert (policy["promotion"]["steps"][0]["evidence"], policy["match"]["similar_overlap"]) == (2, 0.5)


def test_a_drop_in_goes_by_the_settings_that_were_agreed_to(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Issue 13: any change of a policy file since it was agreed to waits, for the drop-in as for every command."""
    home = tmp_path / "person"
    home.mkdir(mode=0o700)
    monkeypatch.setenv("TENURE_HOME", str(home))
    monkeypatch.delenv("TENURE_UNATTENDED", raising=False)
    settings = home / "config.toml"
    settings.write_text("[policy.inject]\nlimit = 5\n")
    assert thresholds.load("archeflow", None)["inject"]["limit"] == 5
    agreed_policy.agree(settings, {"inject": {"limit": 5}}, "archeflow")
    settings.write_text("[policy.inject]\nlimit = 500\n")
    assert thresholds.load("archeflow", None)["inject"]["limit"] == 5


def test_settings_nobody_was_asked_about_count_as_they_are(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Issue 13: what was agreed to says nothing of another file; and a table is no number."""
    home = tmp_path / "person"
    home.mkdir(mode=0o700)
    monkeypatch.setenv("TENURE_HOME", str(home))
    monkeypatch.delenv("TENURE_UNATTENDED", raising=False)
    agreed_policy.agree(tmp_path / "elsewhere.toml", {"inject": {"limit": 3}}, "archeflow")
    (home / "config.toml").write_text("[policy]\ndecay = 5\n[policy.inject]\nlimit = 5\n")
    found = thresholds.load("archeflow", None)
    assert (found["inject"]["limit"], found["decay"]["unseen_runs"]) == (5, 10)


def test_a_variable_that_names_another_folder_lets_no_settings_in(
    archeflow: Program, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """GUARANTEES S20: whoever works on one project did not agree to what another one brings along."""
    folder = archeflow.folder / ".archeflow"
    setting(archeflow.folder / ".tenure", "[policy.inject]\nlimit = 2\n")
    for named, limit in ((folder, 2), (tmp_path / "other" / ".archeflow", 10)):
        monkeypatch.setenv("TENURE_STORE", f"archeflow:{named}")
        assert thresholds.load("archeflow", folder)["inject"]["limit"] == limit
