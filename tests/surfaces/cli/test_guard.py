"""The guard's dry run at a terminal: the keys right, wrong and skip, and what they do to the ladder."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import pytest
from tests.program import Program
from tests.terminal import Seen, at_terminal

QUESTION = r"\[s\]kip "
RULE = "Never run `git push --force`: others work on these branches."
FIRES = 6


class Desk:
    """A person's home with one rule, and a session in which it was broken six times without anybody minding."""

    def __init__(self, folder: Path) -> None:
        self.program = Program(folder / "project", folder / "person")
        self.program.folder.mkdir()
        self.variables = {k: v for k, v in self.program.variables().items() if k != "TENURE_UNATTENDED"}
        self.session = folder / "session.jsonl"
        self.session.write_text("\n".join(self._call(number) for number in range(FIRES)))
        assert self("add", RULE, "--id", "nf").status == 0

    def _call(self, number: int) -> str:
        line = f"git push --force origin b{number}"
        block = {"type": "tool_use", "id": f"t{number}", "name": "Bash", "input": {"command": line}}
        message = {"role": "assistant", "content": [block]}
        head = {"type": "assistant", "sessionId": "s", "uuid": f"u{number}", "cwd": str(self.program.folder)}
        return json.dumps({**head, "message": message})

    def __call__(self, *words: str, keys: str = "") -> Seen:
        """Run a command at a terminal; each key answers one question."""
        line = [sys.executable, "-P", "-m", "tenure", *words]
        return at_terminal(line, self.program.folder, self.variables, keys=keys, ready=QUESTION)

    def tries(self, keys: str, *words: str) -> Seen:
        return self("guard", "nf", "--sessions", str(self.session), *words, keys=keys)

    @property
    def guard(self) -> tuple[Any, ...]:
        """State, level, right and wrong as the list says; empty when nothing is guarded."""
        found = self.program.ok("guards")["guards"]
        return tuple(found[0][name] for name in ("state", "level", "right", "wrong")) if found else ()


@pytest.fixture
def desk(tmp_path: Path) -> Desk:
    return Desk(tmp_path)


def test_five_right_keys_earn_a_denial(desk: Desk) -> None:
    """Issue 19: deny needs five fires judged right, keys typed in the dry run; a skip counts for nothing."""
    seen = desk.tries("rrsrrr", "--level", "deny")
    assert seen.status == 0, seen.screen
    assert len(seen.screen.split("[s]kip ")) - 1 == FIRES
    assert seen.asked == 1
    assert desk.guard == ("on", "deny", 5, 0)
    # The same fires count once: whoever moves it to another step is not asked about them again.
    again = desk.tries("rrrrrr", "--level", "ask")
    assert again.status == 0 and "[s]kip" not in again.screen, again.screen
    assert desk.guard == ("on", "ask", 5, 0)


def test_a_wrong_key_earns_none(desk: Desk) -> None:
    """Issue 19: five right and none wrong; what was not earned switches nothing on."""
    seen = desk.tries("rrrrrw", "--level", "deny")
    assert seen.status == 3
    assert "5 right and 1 wrong" in seen.screen
    assert desk.guard == ()


def test_a_wrong_key_is_kept_and_the_second_keeps_the_guard_off(desk: Desk) -> None:
    """Issue 19: one wrong fire takes it down, the second turns it off."""
    seen = desk.tries("wwssss", "--level", "count")
    assert seen.status == 3 and "You judged 2 past fires wrong" in " ".join(seen.screen.split())
    assert desk.tries("wsssss", "--level", "ask").status == 0
    assert desk.guard == ("on", "ask", 0, 1)


def test_a_proposal_asks_nothing_and_a_level_is_asked_for_last(desk: Desk) -> None:
    """Issue 19: shown, tried, judged, and only then switched on. Ours: a proposal keeps no verdicts, so asks none."""
    seen = desk.tries("wwwwww", "--propose")
    assert seen.status == 0 and "[s]kip" not in seen.screen, seen.screen
    assert desk.guard[0] == "proposed"
    line = [sys.executable, "-P", "-m", "tenure", "guard", "nf", "--sessions", str(desk.session)]
    questions = rf"{QUESTION}|\[no\]: "
    seen = at_terminal(line, desk.program.folder, desk.variables, keys=[*"rrssss", "remind\n"], ready=questions)
    assert seen.status == 0, seen.screen
    assert desk.guard == ("on", "remind", 2, 0)


def test_who_answers_deny_is_asked_whether_at_once(desk: Desk) -> None:
    """A stranger's finding: the question offered `deny` and then refused it, and everything began again."""
    line = [sys.executable, "-P", "-m", "tenure", "guard", "nf", "--sessions", str(desk.session)]
    questions = rf"{QUESTION}|\[no\]: |\[y/N\]: "
    keys = [*"ssssss", "deny\n", "y\n"]
    seen = at_terminal(line, desk.program.folder, desk.variables, keys=keys, ready=questions)
    assert seen.status == 0, seen.screen
    assert desk.guard == ("on", "deny", 0, 0)


def test_q_leaves_and_switches_nothing_on(desk: Desk) -> None:
    """A stranger's finding: `q` went on to the next question."""
    seen = desk.tries("rq", "--level", "remind")
    assert seen.status == 0 and seen.screen.count("[s]kip") == 2, seen.screen
    assert desk.guard == ()
    assert "tenure guard nf --level remind" in seen.screen


def test_the_dry_run_says_what_of_the_rule_is_not_checked(desk: Desk) -> None:
    """A stranger's finding: "against production" was dropped without a word."""
    assert desk("add", "Never run `git push --force` against production", "--id", "prod").status == 0
    seen = desk("guard", "prod", "--propose")
    assert 'Not checked: "against production". The guard fires with or without it.' in " ".join(seen.screen.split())
    assert "Not checked" not in desk("guard", "nf", "--propose").screen


def test_a_guard_that_is_on_says_that_no_agent_is_wired(desk: Desk) -> None:
    """A stranger's finding: a guard was shown as on where nothing could make it fire."""
    assert desk.tries("ssssss", "--level", "remind").status == 0
    assert "No agent is wired with `tenure install`" in " ".join(desk("guards").screen.split())
    assert desk.program("install", "claude-code", "--project", "--yes").status == 0
    assert "No agent is wired" not in " ".join(desk("guards").screen.split())
