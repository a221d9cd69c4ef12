"""A drafter runs a command with the user's rights, so a person agrees to it first (issue 15)."""

from __future__ import annotations

import json
from pathlib import Path

from tests.usecases.test_forged_sessions import RULE, hand_in
from tests.usecases.test_person_gate import Desk


def configure(desk: Desk, command: str) -> None:
    (desk.program.home / "config.toml").write_text(f"[drafter]\ncommand = {json.dumps(command)}\n")


def probe(desk: Desk) -> dict[str, object]:
    checks = json.loads(desk.run("--json", "doctor").stdout)["checks"]
    return next(check for check in checks if check["name"] == "drafter")


def test_a_drafter_that_nobody_agreed_to_does_not_run_and_is_named(tmp_path: Path) -> None:
    """An agent that writes the home's config.toml ran its command at the end of the next session."""
    desk = Desk(tmp_path)
    ran = tmp_path / "ran"
    configure(desk, f"touch {ran}")
    hand_in(desk, "one", ("user", RULE), ("assistant", "Yes."))
    assert not ran.exists()
    for words in ("status", "check"):
        shown = desk.run(words, status=0).stdout.decode()
        assert f"touch {ran}" in shown and "waits until you agree" in shown
    assert probe(desk)["ok"] is False and f"touch {ran}" in str(probe(desk)["detail"])
    desk.run("trust", "--yes", status=3, CLAUDECODE="1")
    # A home that says of itself that it is unattended gains nothing.
    settings = desk.program.home / "home.toml"
    kept = settings.read_text()
    settings.write_text(f"{kept}unattended = true\n")
    hand_in(desk, "two", ("user", RULE), ("assistant", "Yes."))
    assert not ran.exists()
    settings.write_text(kept)
    assert desk.at_terminal("trust", "--yes").status == 0
    hand_in(desk, "three", ("user", RULE), ("assistant", "Yes."))
    assert ran.exists()
    assert probe(desk)["ok"] is True and b"runs on what you say" in desk.run("status", status=0).stdout


def test_a_changed_drafter_waits_again(tmp_path: Path) -> None:
    """Any change since it was agreed to waits, as with a policy."""
    desk = Desk(tmp_path)
    configure(desk, "true")
    assert desk.at_terminal("trust", "--yes").status == 0
    ran = tmp_path / "ran"
    configure(desk, f"touch {ran}")
    hand_in(desk, "one", ("user", RULE), ("assistant", "Yes."))
    assert not ran.exists() and b"waits until you agree" in desk.run("status", status=0).stdout
