"""Memories that are held back: on every surface alike, named nowhere, and noted once."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tenure.recall import holdout
from tenure.store import open_store
from tenure.store.records import Exposed
from tests.program import Program

PROMPT = "how do I run the tests of ledger-gateway?"
CALL = {"tool_name": "Bash", "tool_input": {"command": "pytest ledger-gateway"}}


def hook(program: Program, event: str, session: str, **fields: object) -> str:
    document = {"cwd": str(program.folder), "session_id": session, "turn_id": "t", **fields}
    done = program("hook", event, stdin=json.dumps(document).encode(), TENURE_NO_WORKER="1")
    assert (done.status, done.err) == (0, b"")
    return str(done.json["hookSpecificOutput"]["additionalContext"]) if done.out else ""


def exposures(program: Program, **which: str) -> list[Exposed]:
    store = open_store(program.folder / ".tenure" / "memory.db", "sqlite")
    try:
        return store.effects.exposures(**which)
    finally:
        store.close()


def arms(program: Program, id: str = "run", share: float = 0.5) -> tuple[str, str]:
    """Return a session in which the memory is shown, and one in which it is held back."""
    store = open_store(program.folder / ".tenure" / "memory.db", "sqlite")
    secret, _, _ = store.effects.known("", [id])
    store.close()
    sessions = [f"s{number}" for number in range(60)]
    held = {name: holdout.is_held(secret, name, id, share) for name in sessions}
    return next(name for name in sessions if not held[name]), next(name for name in sessions if held[name])


@pytest.fixture
def measured(program: Program) -> Program:
    text = "ledger-gateway: run the migrations before the tests with pytest ledger-gateway"
    program.ok("add", text, "--kind", "runbook", "--id", "run")
    program.ok("effect", "start", "--stated")
    return program


def test_a_held_memory_is_on_no_surface_of_its_session_and_noted_once(measured: Program) -> None:
    """Others showed it on one surface all the same, and wrote a held row at every touch."""
    shown, held = arms(measured)
    assert "migrations" in hook(measured, "prompt", shown, prompt=PROMPT)
    for event, fields in (
        ("prompt", {"prompt": PROMPT}),
        ("pre-tool", CALL),
        ("session-start", {"source": "startup"}),
        ("session-start", {"source": "compact"}),
        ("prompt", {"prompt": PROMPT}),
    ):
        assert "migrations" not in hook(measured, event, held, **fields)
    (one,) = exposures(measured, session=held)
    assert (one.memory, one.shown, one.share, one.surface, one.host) == ("run", False, 0.5, "prompt", "codex")
    (other,) = exposures(measured, session=shown)
    assert other.shown and not other.crossed


def test_a_held_memory_stands_in_no_journal_and_no_replay(measured: Program) -> None:
    _, held = arms(measured)
    hook(measured, "session-start", held, source="startup")
    hook(measured, "pre-tool", held, **CALL)
    journals = [path.read_text() for path in (measured.home / "sessions").glob("*") if path.is_file()]
    assert journals and not any('"run"' in text for text in journals)
    assert measured.ok("inject", "--list")["injections"] == []


def test_every_surface_may_be_the_first(measured: Program) -> None:
    shown, held = arms(measured)
    assert "migrations" in hook(measured, "pre-tool", shown, **CALL)
    assert hook(measured, "pre-tool", held, **CALL) == ""
    assert [(one.surface, one.shown) for one in exposures(measured)] == [("tool", True), ("tool", False)]


def test_what_must_not_be_missed_is_never_held(measured: Program) -> None:
    measured.ok("add", "ledger-gateway tests must never touch production", "--kind", "constraint", "--id", "prod")
    measured.ok("add", "ledger-gateway tests need the vault token", "--id", "vault", "--tag", "security")
    for number in range(6):
        said = hook(measured, "prompt", f"t{number}", prompt=PROMPT)
        assert "production" in said and "vault" in said
    assert {one.memory for one in exposures(measured)} <= {"run"}


def test_what_the_person_stated_is_held_only_when_asked_for(measured: Program) -> None:
    measured.ok("effect", "start")
    for number in range(6):
        assert "migrations" in hook(measured, "prompt", f"t{number}", prompt=PROMPT)
    assert exposures(measured) == []


def test_nothing_is_held_before_the_start_and_after_the_stop(measured: Program) -> None:
    _, held = arms(measured)
    measured.ok("effect", "stop")
    assert "migrations" in hook(measured, "prompt", held, prompt=PROMPT)
    assert exposures(measured) == []


def test_a_memory_shown_after_a_stop_has_crossed(measured: Program) -> None:
    _, held = arms(measured)
    assert hook(measured, "prompt", held, prompt=PROMPT) == ""
    measured.ok("effect", "stop")
    assert "migrations" in hook(measured, "prompt", held, prompt=PROMPT)
    hook(measured, "session-end", held)
    measured("hook", "work")
    (one,) = exposures(measured)
    assert (one.shown, one.crossed) == (False, True)


def test_a_held_memory_is_not_named_beside_what_contradicts_it(measured: Program) -> None:
    measured.ok(
        "add", "ledger-gateway: never run the migrations before the tests", "--kind", "constraint", "--id", "no"
    )
    known: dict[str, Any] = measured.ok("show", "no")
    _, held = arms(measured)
    said = hook(measured, "prompt", held, prompt=PROMPT)
    assert "never run" in said and "run ·" not in said and "contradicts run" not in said
    assert known["id"] == "no"


def test_status_and_doctor_say_what_is_held_back(measured: Program) -> None:
    _, held = arms(measured)
    hook(measured, "prompt", held, prompt=PROMPT)
    assert measured.ok("status")["effect"] == {"on": True, "exposures": 1, "held": 1, "sessions": 0}
    (check,) = [one for one in measured.ok("doctor")["checks"] if one["name"] == "effect"]
    assert check["ok"] and "held back 1 of 1" in check["detail"]


def test_the_replay_says_that_something_was_held_back(measured: Program) -> None:
    """And not what: whoever reads a replay may be the agent of that session."""
    measured.ok("add", "ledger-gateway tests must never touch production", "--kind", "constraint", "--id", "prod")
    _, held = arms(measured)
    assert "production" in hook(measured, "prompt", held, prompt=PROMPT)
    replay = measured.ok("inject", "--replay")
    assert any("1 memory was held back" in note for note in replay["notes"])
    assert "run" not in [memory["id"] for memory in replay["memories"]]


def test_a_hook_that_measures_loads_one_module_more(measured: Program, tmp_path: Path) -> None:
    """The coin stands in a package that the hook has loaded anyway."""
    code = (
        "import json, sys, io; sys.argv = ['tenure', 'hook', 'prompt'];"
        "from tenure import __main__ as entry; entry.main();"
        "sys.stderr.write(' '.join(name for name in sys.modules if name.startswith('tenure')))"
    )
    import subprocess
    import sys

    def loaded() -> set[str]:
        document = {"cwd": str(measured.folder), "session_id": arms(measured)[0], "prompt": PROMPT}
        done = subprocess.run(
            [sys.executable, "-c", code], input=json.dumps(document), capture_output=True, text=True,
            cwd=measured.folder, env=measured.variables({}), check=False,
        )  # fmt: skip
        return set(done.stderr.split())

    with_it = loaded()
    measured.ok("effect", "stop")
    assert {name for name in with_it - loaded() if name.startswith("tenure")} == {"tenure.recall.holdout"}
