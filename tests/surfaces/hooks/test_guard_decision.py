"""Guards before a tool runs, as agents call the hook: each host's own answer, and nobody is stopped for ever."""

from __future__ import annotations

import json
import subprocess
import sys
from datetime import timedelta
from pathlib import Path
from typing import Any

import msgspec
import pytest

from tenure.model import clock
from tenure.model.events import EventType, Revision
from tenure.model.evolve import change, evolve
from tenure.model.guard import CommandRule, Guard
from tenure.model.policy import load
from tenure.rules.stored_verdict import verdict
from tenure.store import open_store
from tests.program import Program
from tests.surfaces.hooks.test_hooks import HOSTS, bash, hook, log_of

FORCE = Guard(
    state="on",
    level="deny",
    tool="run",
    commands=(CommandRule(program="git", words=("push",), options=("--force", "-f")),),
    fires=("run git push --force", "run git push -f"),
    passes=("run git push", "run echo git push --force"),
)
GEN = Guard(
    state="on",
    level="deny",
    tool="edit",
    paths=("gen/",),
    fires=("edit gen/a", "run rm gen/a"),
    passes=("edit a", "read gen/a"),
)


def guard(program: Program, id: str, made: Guard, *, days: int = 90) -> None:
    """Put a guard on a memory, past every command, as the ledger does."""
    store = open_store(Path(program.database), "sqlite")
    row = store.get(id)
    assert row is not None
    ends = msgspec.structs.replace(made, until=clock.now() + timedelta(days=days))
    event = change(row.memory, EventType.GUARDED, clock.now(), set={"guard": msgspec.to_builtins(ends)})
    after = evolve(row.memory, event)
    assert after is not None
    revision = Revision(memory_id=id, events=(event,), after=after, expected_version=row.version)
    store.commit([revision], [verdict(after, load("tenure")[0])])
    store.close()


@pytest.fixture
def guarded(program: Program) -> Program:
    program.ok("add", "Never force-push: others work on these branches", "--id", "no-force")
    guard(program, "no-force", FORCE)
    return program


def decision(answer: Any) -> tuple[str, str]:
    """Return what a host reads as the decision, and the reason, wherever that stands."""
    inner = answer.get("hookSpecificOutput", answer)
    told = inner.get("permissionDecision") or inner.get("decision") or inner.get("permission") or ""
    return told, inner.get("permissionDecisionReason") or inner.get("reason") or inner.get("agent_message") or ""


SHAPES = {
    "claude-code": {"hookSpecificOutput": {"hookEventName", "permissionDecision", "permissionDecisionReason"}},
    "codex": {"hookSpecificOutput": {"hookEventName", "permissionDecision", "permissionDecisionReason"}},
    "copilot": {"permissionDecision", "permissionDecisionReason"},
    "gemini": {"decision", "reason"},
    "qwen": {"hookSpecificOutput": {"hookEventName", "permissionDecision", "permissionDecisionReason"}},
    "opencode": {"permissionDecision", "permissionDecisionReason"},
    "cursor": {"permission", "user_message", "agent_message"},
}


@pytest.mark.parametrize("name", SHAPES)
def test_each_host_is_denied_in_its_own_words(name: str, guarded: Program) -> None:
    """Issue 19: never print a key that a host does not know."""
    answer = hook(
        guarded, "guard", {"TENURE_NO_WORKER": "1", **HOSTS[name][0]}, **bash("cd x && git push -f origin main")
    ).json
    shape = SHAPES[name]
    if isinstance(shape, dict):
        assert {key: set(inner) for key, inner in answer.items()} == shape
    else:
        assert set(answer) == shape
    told, reason = decision(answer)
    assert told == "deny"
    assert "no-force" in reason and "others work on these branches" in reason
    assert "tenure allow no-force --once" in reason


@pytest.mark.parametrize(
    ("name", "told"),
    [
        ("claude-code", "ask"),
        ("copilot", "ask"),
        ("qwen", "ask"),
        ("codex", "deny"),
        ("gemini", "deny"),
        ("opencode", "deny"),
    ],
)
def test_who_cannot_ask_a_person_is_stopped_and_told_to_ask(name: str, told: str, guarded: Program) -> None:
    """Issue 19: Codex runs the call and tells nobody, Gemini hangs, OpenCode knows no asking."""
    guard(guarded, "no-force", msgspec.structs.replace(FORCE, level="ask"))
    answer = hook(guarded, "guard", {"TENURE_NO_WORKER": "1", **HOSTS[name][0]}, **bash("git push --force")).json
    assert decision(answer)[0] == told
    assert ("Ask the user" in decision(answer)[1]) is (told == "deny")


@pytest.mark.parametrize("name", ["gemini", "qwen", "opencode", "cursor"])
def test_where_reminders_are_dropped_a_call_is_stopped_once(name: str, guarded: Program) -> None:
    """Issue 19: a speed bump; the same call passes the second time, another one does not."""
    guard(guarded, "no-force", msgspec.structs.replace(FORCE, level="remind"))
    silent = b"{}" if name == "gemini" else b""
    first = hook(guarded, "guard", {"TENURE_NO_WORKER": "1", **HOSTS[name][0]}, **bash("git push --force")).json
    assert decision(first)[0] == "deny" and "same call again" in decision(first)[1]
    assert hook(guarded, "guard", {"TENURE_NO_WORKER": "1", **HOSTS[name][0]}, **bash("git push --force")).out == silent
    other = hook(
        guarded, "guard", {"TENURE_NO_WORKER": "1", **HOSTS[name][0]}, **bash("git push --force origin x")
    ).json
    assert decision(other)[0] == "deny"


@pytest.mark.parametrize("name", ["claude-code", "codex", "copilot"])
def test_where_reminders_arrive_the_memory_goes_along(name: str, guarded: Program) -> None:
    """Issue 19: remind by context where it arrives."""
    guard(guarded, "no-force", msgspec.structs.replace(FORCE, level="remind"))
    answer = hook(guarded, "pre-tool", {"TENURE_NO_WORKER": "1", **HOSTS[name][0]}, **bash("git push --force")).json
    inner = answer.get("hookSpecificOutput", answer)
    assert "no-force" in inner["additionalContext"]
    assert decision(answer)[0] == ""


def test_at_most_two_stops_in_a_row(guarded: Program) -> None:
    """Issue 19: then remind, so that no agent is stuck; what was not understood is never stopped."""
    said = [decision(hook(guarded, "pre-tool", **bash("git push -f")).json)[0] for _ in range(4)]
    assert said == ["deny", "deny", "", "deny"]
    unparsed = hook(guarded, "pre-tool", **bash("git push -f && ("), session_id="s-2").json
    assert decision(unparsed)[0] == ""
    assert "no-force" in unparsed["hookSpecificOutput"]["additionalContext"]


def test_a_verdict_says_what_it_did_to_the_guard(guarded: Program) -> None:
    """A stranger read "no-force: wrong." and did not see that the guard had stopped denying."""
    for number in (1, 2):
        hook(guarded, "pre-tool", **bash("git push -f"), session_id=f"s-{number}")
    first, second = (guarded("guards", "--judge", "wrong", "--fire", str(number)).out for number in (1, 2))
    assert b"now at ask instead of deny" in first
    assert b"is off now" in second


@pytest.mark.parametrize(
    "command", ["git push", "echo git push --force", "grep -n 'git push --force' a", "git commit -m 'push --force'"]
)
def test_harmless_lines_pass_in_silence(command: str, guarded: Program) -> None:
    """Silence is a feature."""
    assert hook(guarded, "guard", **bash(command)).out == b""


def test_a_path_is_guarded_in_tools_and_in_shells(guarded: Program) -> None:
    """Issue 19: redirections as edits; a guard of what is edited says nothing when it is read."""
    guard(guarded, "no-force", GEN)
    inside = str(guarded.folder / "gen" / "a.py")
    edited: dict[str, Any] = {"tool_name": "Edit", "tool_input": {"file_path": inside, "new_string": "x"}}
    assert decision(hook(guarded, "guard", **edited).json)[0] == "deny"
    assert decision(hook(guarded, "guard", **bash("echo x > gen/a.py"), session_id="t").json)[0] == "deny"
    assert hook(guarded, "guard", tool_name="Read", tool_input={"file_path": inside}).out == b""
    assert hook(guarded, "guard", **bash("cat gen/a.py")).out == b""


@pytest.mark.parametrize("how", ["expired", "off", "retired", "count"])
def test_what_is_not_at_work_guards_nothing(how: str, guarded: Program) -> None:
    """Issue 19: an end date; a memory that is not live guards nothing."""
    if how == "expired":
        guard(guarded, "no-force", FORCE, days=-1)
    elif how == "off":
        guard(guarded, "no-force", msgspec.structs.replace(FORCE, state="off"))
    elif how == "count":
        guard(guarded, "no-force", msgspec.structs.replace(FORCE, level="count"))
    else:
        guarded.ok("retire", "no-force", "--reason", "over")
    assert hook(guarded, "guard", **bash("git push --force")).out == b""
    # Guards were put on past every command here, and that is all there is to find.
    assert all(b"without proof that a person was there" in line for line in guarded("check").out.splitlines())


def test_a_guard_that_was_altered_outside_tenure_does_not_act(guarded: Program) -> None:
    """A row that does not prove itself stops nobody."""
    import apsw

    connection = apsw.Connection(str(guarded.database))
    connection.execute("UPDATE memory SET record = replace(record, '--force', '--dry')")
    connection.close()
    assert hook(guarded, "guard", **bash("git push --force")).out == b""


def test_a_store_that_cannot_be_guarded_lets_every_call_run(guarded: Program) -> None:
    """Fail open, always: an agent that takes a crash for a no must not be stopped by one."""
    import apsw

    connection = apsw.Connection(str(guarded.database))
    connection.execute("DROP TABLE guard")
    connection.close()
    done = hook(guarded, "guard", {"COPILOT_CLI": "1"}, **bash("git push --force"))
    assert (done.status, done.out) == (0, b"")
    assert "guard" in log_of(guarded)


def test_forgetting_a_memory_takes_its_fires_along(guarded: Program) -> None:
    """No path and no id of something forgotten stays."""
    hook(guarded, "guard", **bash("git push --force"))
    guarded.ok("forget", "no-force", "--yes")
    import apsw

    connection = apsw.Connection(str(guarded.database))
    assert connection.execute("SELECT count(*) FROM guard_fire").get == 0
    assert connection.execute("SELECT count(*) FROM guard").get == 0


def test_files_of_another_worktree_are_guarded(guarded: Program, tmp_path: Path) -> None:
    """An agent that works in a linked worktree edits the project's files in another folder; the guard let it."""
    known = guarded.folder / ".git" / "worktrees" / "topic"
    known.mkdir(parents=True)
    (known / "gitdir").write_text(f"{tmp_path}/topic/.git\n")
    guard(guarded, "no-force", GEN)
    edited: dict[str, Any] = {
        "tool_name": "Edit",
        "tool_input": {"file_path": f"{tmp_path}/topic/gen/a.py", "new_string": "x"},
    }
    assert decision(hook(guarded, "guard", **edited).json)[0] == "deny"
    elsewhere: dict[str, Any] = {
        "tool_name": "Edit",
        "tool_input": {"file_path": f"{tmp_path}/other/gen/a.py", "new_string": "x"},
    }
    assert hook(guarded, "guard", **elsewhere).out == b""


@pytest.mark.unmeasured
@pytest.mark.parametrize(
    ("line", "loads", "spares"),
    [
        ("ls *.txt", "guards.calls", "guards.match"),
        ("git push --force", "guards.match", "guards.touched_files"),
        ("rm gen/a && python3 a.py", "guards.touched_files", "guards.listed_files"),
    ],
)
def test_a_call_loads_no_more_of_the_parser_than_its_guards_need(
    line: str, loads: str, spares: str, guarded: Program
) -> None:
    """Issue 19: a hook with 50 guards at most 1.2x the hook with none; compiling patterns alone would be more."""
    if "gen" in line:
        guarded.ok("add", "Never edit gen/: make writes it", "--id", "no-gen")
        guard(guarded, "no-gen", GEN)
    code = (
        "import sys, tenure.surfaces.hooks\n"
        "tenure.surfaces.hooks.main(['pre-tool'])\n"
        "print(*sys.modules, file=sys.stderr)"
    )
    done = subprocess.run(
        [sys.executable, "-c", code],
        input=json.dumps({"session_id": "s", "cwd": str(guarded.folder), **bash(line)}).encode(),
        capture_output=True,
        env=guarded.variables({"TENURE_NO_WORKER": "1", "TENURE_HOOK_SECONDS": "60", "CLAUDECODE": "1"}),
        cwd=guarded.folder,
        check=True,
    )
    modules = set(done.stderr.decode().split())
    assert f"tenure.{loads}" in modules
    assert {f"tenure.{spares}", "re", "typing", "tenure.guards.inline_programs"} & modules == set()
