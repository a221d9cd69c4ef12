"""The optional drafter: a command of the user's own, whose answers are checked like everything else."""

from __future__ import annotations

import json
import shlex
import sys
from pathlib import Path
from typing import Any

import pytest

import tenure
from tenure.capture.drafter import Drafter, ask, configured
from tenure.model.errors import InvalidInput
from tenure.workspace import Workspace

from .transcript_files import turns, write

SAID = [
    ("user", "The cache lives in Redis and the key ghp_" + "a1B2c3D4e5F6" * 3 + " opens it."),
    ("assistant", "Noted."),
]
HONEST = {
    "kind": "constraint",
    "title": "The cache lives in Redis",
    "content": {
        "kind": "technical",
        "rule": "The cache lives in Redis",
        "impact": ["cache in Redis"],
        "severity": "low",
        "active": True,
    },
    "tags": ["cache"],
}
INVENTED = {**HONEST, "title": "The cache lives in Memcached"}


def script(path: Path, body: str) -> str:
    path.write_text("import sys, json\nprompt = sys.stdin.read()\n" + body, encoding="utf-8")
    return f"{shlex.quote(sys.executable)} {shlex.quote(str(path))}"


def answering(path: Path, answer: Any) -> str:
    return script(path, f"print({json.dumps(json.dumps(answer))})")


@pytest.fixture
def workspace(tmp_path: Path) -> Workspace:
    return tenure.open(f"sqlite:{tmp_path / 'memory.db'}", tmp_path)


def configure(tmp_path: Path, command: str) -> None:
    home = tmp_path / "home" / "tenure"
    home.mkdir(exist_ok=True)
    (home / "config.toml").write_text(f"[drafter]\ncommand = {json.dumps(command)}\ntimeout_seconds = 20\n", "utf-8")


def test_an_honest_draft_is_kept_and_an_invented_one_is_blocked(tmp_path: Path, workspace: Workspace) -> None:
    """Issue: its drafts are checked by the same verifier; what is blocked is listed with the reason."""
    configure(tmp_path, answering(tmp_path / "drafter.py", [HONEST, INVENTED, {"kind": "spell"}]))
    answer = workspace.capture_files([str(write(tmp_path / "t.jsonl", SAID))])
    assert [(item.action, item.kind) for item in answer.decisions] == [("create", "constraint")]
    assert [item.why for item in answer.skipped] == [
        "title: memcached not said in the session",
        "spell is not a kind of this store",
    ]


def test_a_draft_with_a_quote_passes_the_gate_of_an_agents_proposals(tmp_path: Path, workspace: Workspace) -> None:
    """Issue 16: the optional drafter passes the same gate; what the person typed is live at once."""
    good = {"kind": "constraint", "text": "This project uses pnpm, never npm", "quote": "we use pnpm here, never npm"}
    forged = {**good, "text": "This project uses yarn, never npm", "quote": "we use yarn here, never npm"}
    turned = {**good, "text": "This project uses pnpm and npm alike"}
    configure(tmp_path, answering(tmp_path / "drafter.py", [good, forged, turned]))
    said = [("user", "hm, we use pnpm here, never npm"), ("assistant", "Fine, yarn it is not.")]
    answer = workspace.capture_files([str(write(tmp_path / "t.jsonl", said))])
    assert [(memory.text, memory.phase) for memory in workspace.memories()] == [(good["text"], "live")]
    assert [item.quote for item in answer.decisions if item.action == "create"] == [good["quote"]]
    why = [item.why for item in answer.skipped]
    assert "not verbatim" in why[0] and "leaves that out" in why[1]


@pytest.mark.parametrize(
    ("body", "why"),
    [
        ("sys.exit(3)", "status 3"),
        ("print('nonsense')", "JSON"),
        ("print('{}')", "list of objects"),
        ("print('[1]')", "list of objects"),
    ],
)
def test_a_drafter_that_fails_costs_only_its_drafts(tmp_path: Path, workspace: Workspace, body: str, why: str) -> None:
    """Issue: nothing depends on a model."""
    configure(tmp_path, script(tmp_path / "drafter.py", body))
    said = [*SAID, ("user", "We decided to use Redis because it is fast enough.")]
    answer = workspace.capture_files([str(write(tmp_path / "t.jsonl", said))])
    assert [item.kind for item in answer.decisions] == ["decision"]
    assert why in answer.skipped[0].why


def test_no_answer_in_time_is_no_answer(tmp_path: Path) -> None:
    """Issue: with a timeout; the command is ended."""
    words = shlex.split(script(tmp_path / "drafter.py", "import time\ntime.sleep(60)"))
    with pytest.raises(InvalidInput, match="no answer in"):
        ask(Drafter(tuple(words), timeout_seconds=0.2), turns(SAID), ["decision"])


def test_it_sees_no_secret_and_no_more_than_its_budget(tmp_path: Path, workspace: Workspace) -> None:
    """Decision 14: secrets are taken out before anything leaves; budget: the end of the session counts."""
    seen = tmp_path / "seen"
    configure(tmp_path, script(tmp_path / "drafter.py", f"open({str(seen)!r}, 'w').write(prompt)\nprint('[]')"))
    workspace.capture_files([str(write(tmp_path / "t.jsonl", SAID))])
    assert "ghp_" not in seen.read_text("utf-8") and "The cache lives in Redis" in seen.read_text("utf-8")
    words = shlex.split(script(tmp_path / "budget.py", f"open({str(seen)!r}, 'w').write(prompt)\nprint('[]')"))
    ask(Drafter(tuple(words), budget_characters=20), turns([("user", "early words " * 50), ("user", "the end")]), [])
    assert seen.read_text("utf-8").count("early") <= 1


def test_a_project_cannot_name_a_drafter(tmp_path: Path, workspace: Workspace) -> None:
    """Guarantee S20: a cloned project cannot run code through its configuration."""
    ran = tmp_path / "ran"
    (tmp_path / ".tenure").mkdir(exist_ok=True)
    command = script(tmp_path / "drafter.py", f"open({str(ran)!r}, 'w')\nprint('[]')")
    (tmp_path / ".tenure" / "config.toml").write_text(f"[drafter]\ncommand = {json.dumps(command)}\n", "utf-8")
    workspace.capture_files([str(write(tmp_path / "t.jsonl", SAID))])
    assert not ran.exists()


@pytest.mark.parametrize(
    "table", [5, {}, {"command": ""}, {"command": "x", "timeout_seconds": 0}, {"command": "x", "max_drafts": "3"}]
)
def test_settings_that_make_no_sense_are_named(table: Any) -> None:
    """Contract: bad input names the field, what was found and what was expected."""
    with pytest.raises(InvalidInput, match=r"\[drafter\]"):
        configured({"drafter": table})
    assert configured({}) is None
