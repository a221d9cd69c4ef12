"""What a session is shown: at its start, with each prompt, and never the same twice."""

from __future__ import annotations

import json
import subprocess
import sys

import pytest

from tests.program import Program

PROMPT = "how do I run the tests of ledger-gateway?"


def hook(program: Program, event: str, **fields: object) -> str:
    """Return what a hook says, empty for silence."""
    document = {"cwd": str(program.folder), "session_id": "s1", **fields}
    done = program("hook", event, stdin=json.dumps(document).encode(), TENURE_NO_WORKER="1")
    assert (done.status, done.err) == (0, b"")
    return str(done.json["hookSpecificOutput"]["additionalContext"]) if done.out else ""


@pytest.fixture
def stored(program: Program) -> Program:
    program.ok("add", "ledger-gateway: run the migrations before the tests", "--kind", "runbook", "--id", "run")
    return program


def test_a_memory_is_shown_once_per_session(stored: Program) -> None:
    """Our own choice: what stands in the context already is not sent again; another session is another context."""
    assert "migrations" in hook(stored, "prompt", prompt=PROMPT)
    assert hook(stored, "prompt", prompt=PROMPT) == ""
    assert "migrations" in hook(stored, "prompt", prompt=PROMPT, session_id="s2")


def test_a_prompt_without_a_session_is_answered_every_time(stored: Program) -> None:
    """Nobody knows then what was shown before."""
    for _ in range(2):
        assert "migrations" in hook(stored, "prompt", prompt=PROMPT, session_id="")


@pytest.mark.parametrize(("source", "again"), [("compact", True), ("clear", True), ("resume", False)])
def test_after_a_compaction_it_is_shown_again(stored: Program, source: str, again: bool) -> None:
    """The context lost it, so the session has not seen it; a resumed session still has it."""
    assert hook(stored, "prompt", prompt=PROMPT)
    assert ("migrations" in hook(stored, "session-start", source=source)) is again
    assert hook(stored, "prompt", prompt=PROMPT) == ""


@pytest.mark.parametrize(("source", "again"), [("compact", True), ("clear", True), ("resume", False)])
def test_before_a_tool_runs_the_same_rule_holds(stored: Program, source: str, again: bool) -> None:
    """One rule for every hook: once per session, whichever hook showed it, and again when the context lost it."""
    call = {"tool_name": "Bash", "tool_input": {"command": "pytest ledger-gateway"}}
    stored.ok("add", "Run pytest of ledger-gateway with one worker", "--id", "pytest")
    assert "one worker" in hook(stored, "pre-tool", **call)
    assert hook(stored, "pre-tool", **call) == ""
    assert "one worker" not in hook(stored, "prompt", prompt="how do I run pytest of ledger-gateway?")
    assert ("one worker" in hook(stored, "session-start", source=source)) is again
    assert hook(stored, "pre-tool", **call) == ""
    stored.ok("edit", "pytest", "--text", "Run pytest of ledger-gateway with two workers")
    assert "two workers" in hook(stored, "pre-tool", **call)


def test_a_memory_that_changed_is_shown_again(stored: Program) -> None:
    """Another version says something else."""
    assert hook(stored, "prompt", prompt=PROMPT)
    stored.ok("edit", "run", "--text", "ledger-gateway: run make migrate before the tests")
    assert "make migrate" in hook(stored, "prompt", prompt=PROMPT)


def test_the_policy_may_let_memories_be_repeated(stored: Program) -> None:
    """`inject.once_per_session`, as every limit of the hook, is stored when the store is written."""
    settings = stored.home / "config.toml"
    settings.parent.mkdir(exist_ok=True)
    settings.write_text("[policy.inject]\nonce_per_session = false\n")
    stored.ok("add", "Prefer tabs in Makefiles", "--kind", "preference")
    for _ in range(2):
        assert hook(stored, "prompt", prompt=PROMPT)


def test_the_hook_keeps_the_limits_of_the_policy(stored: Program) -> None:
    """SQLite quotes keys with an underscore, which once made the hook miss every limit but one."""
    settings = stored.home / "config.toml"
    settings.parent.mkdir(exist_ok=True)
    settings.write_text("[policy.inject]\nleast_evidence = 1000.0\n")
    assert hook(stored, "prompt", prompt=PROMPT)
    stored.ok("add", "Prefer tabs in Makefiles", "--kind", "preference")
    assert hook(stored, "prompt", prompt=PROMPT, session_id="s2") == ""


def test_a_damaged_trace_does_not_silence_a_session(stored: Program) -> None:
    """S19: hooks fail open, whatever stands in the table of injections."""
    import apsw

    assert hook(stored, "prompt", prompt=PROMPT)
    connection = apsw.Connection(str(stored.database))
    connection.execute("UPDATE injection SET memories = '{not JSON'")
    connection.close()
    assert hook(stored, "prompt", prompt=PROMPT)


@pytest.mark.unmeasured
@pytest.mark.parametrize("named", [False, True])
def test_the_start_of_a_session_imports_little(stored: Program, named: bool) -> None:
    """Issue 8: what a session waits for; the workspace alone would load three hundred modules."""
    code = "import sys, tenure.__main__ as m; m.main(['hook', 'session-start']); print(*sys.modules, file=sys.stderr)"
    document = json.dumps({"cwd": str(stored.folder), "session_id": "s1"}).encode()
    done = subprocess.run(
        [sys.executable, "-c", code],
        input=document,
        capture_output=True,
        env=stored.variables({"TENURE_STORE": f"sqlite:{stored.database}"} if named else {}),
        check=True,
    )
    loaded = done.stderr.decode().split()
    assert len(loaded) <= 80 and not {"json", "typing", "msgspec", "tenure.workspace"} & set(loaded)
