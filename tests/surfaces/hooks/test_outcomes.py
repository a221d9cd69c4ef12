"""From what happened in a session to what stands in `history`, through the real hooks and the real worker."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.program import Program

# Host -> (what marks it, a failed and a passed `make test` as its hooks report them). Claude Code and OpenCode have an
# event of their own for failures; Codex, Gemini CLI and Copilot CLI say it in the result (facts 7.1, 7.2).
PATCH = "*** Begin Patch\n*** Update File: {0}\n@@\n-{1}\n+{2}\n*** End Patch"
HOSTS: dict[str, dict[str, str]] = {
    "claude-code": {"CLAUDECODE": "1"},
    "codex": {},
    "copilot": {"COPILOT_CLI": "1"},
    "gemini": {"GEMINI_SESSION_ID": "g"},
    "qwen": {"QWEN_PROJECT_DIR": "/"},
    "opencode": {"TENURE_HOST": "opencode"},
}


def ran(host: str, command: str, ok: bool, said: str = "") -> tuple[str, dict[str, Any]]:
    """Return the event and the payload by which a host reports a command."""
    said = said or ("3 passed" if ok else "error: table users is missing")
    status = 0 if ok else 1
    if host == "claude-code":
        given = {"tool_name": "Bash", "tool_input": {"command": command, "description": "Run the tests"}}
        if ok:
            return "post-tool", {**given, "tool_response": {"stdout": said, "stderr": "", "interrupted": False}}
        return "post-tool-failure", {**given, "error": f"Exit code 1\n{said}", "is_interrupt": False}
    if host == "codex":
        given = {"tool_name": "Bash", "tool_input": {"command": command}, "turn_id": "t", "model": "x"}
        return "post-tool", {**given, "tool_response": f"Exit code: {status}\nWall time: 1.2 seconds\nOutput:\n{said}"}
    if host == "copilot":
        result = {"result_type": "success" if ok else "failure", "text_result_for_llm": said}
        return "post-tool", {"tool_name": "bash", "tool_input": {"command": command}, "tool_result": result}
    if host == "opencode":
        given = {"tool_name": "bash", "tool_input": {"command": command}, "tool_response": said}
        return ("post-tool" if ok else "post-tool-failure"), given
    content = (
        f"Command: {command}\nDirectory: (root)\nOutput: {said}\nError: (none)\nExit Code: {status}\nSignal: (none)"
    )
    response = {"llmContent": content, "returnDisplay": said}
    return "post-tool", {
        "tool_name": "run_shell_command",
        "tool_input": {"command": command},
        "tool_response": response,
    }


def edited(host: str, path: str, old: str, new: str) -> dict[str, Any]:
    """Return the payload by which a host reports an edit."""
    shapes: dict[str, tuple[str, dict[str, Any]]] = {
        "claude-code": ("Edit", {"file_path": path, "old_string": old, "new_string": new, "replace_all": False}),
        "codex": ("apply_patch", {"command": PATCH.format(path, old, new)}),
        "copilot": ("edit", {"path": path, "old_str": old, "new_str": new}),
        "gemini": ("replace", {"file_path": path, "old_string": old, "new_string": new, "instruction": "x"}),
        "qwen": ("edit", {"file_path": path, "old_string": old, "new_string": new}),
        "opencode": ("edit", {"filePath": path, "oldString": old, "newString": new}),
    }
    name, given = shapes[host]
    return {"tool_name": name, "tool_input": given}


class Desk:
    """One session of one host, as its hooks tell it."""

    def __init__(self, program: Program, tmp_path: Path, host: str) -> None:
        self.program, self.tmp_path, self.host = program, tmp_path, host
        self.said: list[tuple[str, str]] = []
        self.calls = 0
        program.ok("add", "Run make db before the tests", "--id", "make-db", "--file", "Makefile")

    def hook(self, name: str, call: int | None = None, **payload: Any) -> bytes:
        self.calls += 1
        event = {
            "session_id": "s-1",
            "cwd": str(self.program.folder),
            "tool_use_id": f"c-{call or self.calls}",
            **({"turn_id": "t"} if self.host == "codex" else {}),
            **payload,
        }
        variables = {**HOSTS[self.host], "TENURE_NO_WORKER": "1", "TENURE_HOOK_SECONDS": "60"}
        done = self.program("hook", name, stdin=json.dumps(event).encode(), **variables)
        assert (done.status, done.err) == (0, b"") and len(done.text) <= 9_000
        return done.out

    def run(self, command: str, ok: bool, said: str = "", call: int | None = None) -> None:
        name, payload = ran(self.host, command, ok, said)
        assert self.hook(name, call, **payload) in (b"", b"{}")

    def edit(self, old: str, new: str) -> None:
        path = str(self.program.folder / "app.py")
        assert self.hook("post-tool", **edited(self.host, path, old, new)) in (b"", b"{}")

    def end(self) -> list[tuple[str, str, str]]:
        """End the session twice, as a host may, and return (effect, surface, actor) of what was applied."""
        path = self.tmp_path / "s-1.jsonl"
        lines = [
            {"type": role, "uuid": str(n), "message": {"role": role, "content": text}}
            for n, (role, text) in enumerate(self.said)
        ]
        path.write_text("".join(json.dumps(line) + "\n" for line in lines))
        for _ in range(2):
            self.hook("session-end", reason="other", transcript_path=str(path) if lines else "")
        for _ in range(2):
            assert self.program("hook", "work").status == 0
        events = [e for e in self.program.ok("history", "make-db")["events"] if e["type"] == "Applied"]
        return [(e["detail"]["effect"], e["detail"]["surface"], e["actor"]) for e in events]


def shown(desk: Desk) -> None:
    out = desk.hook("pre-tool", **edited(desk.host, str(desk.program.folder / "Makefile"), "a", "b"))
    assert b"make-db" in out
    answer = "As make-db says, the database comes first."
    desk.hook("stop", last_assistant_message=answer, prompt_response=answer)


@pytest.mark.parametrize("host", HOSTS)
def test_red_to_green_is_read_from_every_hosts_own_report(host: str, program: Program, tmp_path: Path) -> None:
    """Issue 8: post-tool and post-tool-failure are outcome signals; nothing is said to the model."""
    desk = Desk(program, tmp_path, host)
    shown(desk)
    desk.run("make test", ok=False)
    desk.run("make test", ok=True)
    assert desk.end() == [("positive", "outcome:red-to-green", host)]
    assert "make test failed, then passed" in program("history", "make-db").text


@pytest.mark.parametrize(
    ("red", "green", "effect"),
    [
        (
            ("cd app && pytest -q | tail -3", "2 failed, 1 passed"),
            ("cd app && pytest -q | tail -3", "3 passed"),
            "positive",
        ),
        (("cd app && pytest -q | tail -3", "2 failed, 1 passed"), ("cd app && pytest -q | tail -3", "..."), "neutral"),
        (("git add main.go", "fatal: pathspec"), ("git add main.go", ""), "neutral"),
    ],
    ids=["piped", "nobody knows", "no test"],
)
def test_results_are_read_through_pipes_and_not_from_names(
    red: tuple[str, str], green: tuple[str, str], effect: str, program: Program, tmp_path: Path
) -> None:
    """Issue 16: the status of a pipe is that of its last command; what was printed tells, or nobody knows."""
    desk = Desk(program, tmp_path, "claude-code")
    shown(desk)
    desk.run(red[0], ok="pytest" in red[0], said=red[1])
    desk.run(green[0], ok=True, said=green[1])
    assert [found[0] for found in desk.end()] == [effect]


@pytest.mark.parametrize("host", HOSTS)
def test_an_edit_taken_back_is_read_from_every_hosts_own_report(host: str, program: Program, tmp_path: Path) -> None:
    """Issue 8: reverted edits."""
    desk = Desk(program, tmp_path, host)
    shown(desk)
    desk.edit("one = 1", "one = 2")
    desk.edit("one = 2", "one = 1")
    assert desk.end() == [("negative", "outcome:reverted-edit", host)]


@pytest.mark.parametrize("command", ["git restore app.py", "cd . && git checkout -- app.py", "git reset --hard HEAD"])
def test_an_edit_taken_back_with_git_counts_too(command: str, program: Program, tmp_path: Path) -> None:
    """Our choice: git is how most edits are taken back."""
    desk = Desk(program, tmp_path, "claude-code")
    shown(desk)
    desk.edit("one = 1", "one = 2")
    desk.run(command, ok=True)
    assert desk.end() == [("negative", "outcome:reverted-edit", "claude-code")]


def test_the_same_error_again_is_risky_and_a_second_delivery_is_none(program: Program, tmp_path: Path) -> None:
    """Issue 8: the same error again. R12: an event delivered twice is not the error again."""
    desk = Desk(program, tmp_path, "claude-code")
    shown(desk)
    for _ in range(2):
        desk.run("make test", ok=False, call=77)
    desk.run("git status", ok=True)
    assert desk.end() == [("neutral", "outcome:cited", "claude-code")]
    other = Desk.__new__(Desk)
    other.__dict__ = {**desk.__dict__, "calls": 100}
    for number in (1, 2):
        other.hook(
            "post-tool-failure",
            session_id="s-2",
            tool_name="Bash",
            tool_input={"command": "make test"},
            error=f"error at 0x{number}: boom",
        )
    other.hook("stop", session_id="s-2", last_assistant_message="make-db did not help")
    other.hook("pre-tool", session_id="s-2", **edited("claude-code", "Makefile", "a", "b"))
    other.hook("stop", session_id="s-2", last_assistant_message="make-db did not help")
    other.hook(
        "post-tool-failure",
        session_id="s-2",
        tool_name="Bash",
        tool_input={"command": "make test"},
        error="error 3: boom",
    )
    other.hook(
        "post-tool-failure",
        session_id="s-2",
        tool_name="Bash",
        tool_input={"command": "make test"},
        error="error 4: boom",
    )
    other.hook("session-end", session_id="s-2")
    assert program("hook", "work").status == 0
    last = [e for e in program.ok("history", "make-db")["events"] if e["type"] == "Applied"][-1]
    assert (last["detail"]["effect"], last["detail"]["surface"]) == ("neutral_but_risky", "outcome:same-error")


def test_a_correction_of_the_answer_that_cited_it_counts_against_it(program: Program, tmp_path: Path) -> None:
    """Issue 8: user corrections; one is an application of the memory cited and evidence for the rule stated."""
    desk = Desk(program, tmp_path, "claude-code")
    shown(desk)
    desk.said = [
        ("user", "Please fix the tests."),
        ("assistant", "As make-db says, I ran make db."),
        ("user", "No, never run make db on this machine."),
    ]
    assert desk.end() == [("negative", "outcome:correction", "claude-code")]
    [rule] = [m for m in program.ok("list", "--state", "candidate")["memories"] if "never run" in m["text"].lower()]
    born = program.ok("history", rule["id"])["events"][0]
    assert rule["evidence"] == ["session:s-1"] and born["detail"]["via"] == "worker"


def test_events_out_of_order_have_the_same_effect(program: Program, tmp_path: Path) -> None:
    """R12: reordered events: the end may overtake what happened before it."""
    desk = Desk(program, tmp_path, "claude-code")
    desk.hook("session-end", reason="other")
    desk.run("make test", ok=False)
    shown(desk)
    desk.run("make test", ok=True)
    assert program("hook", "work").status == 0
    assert list((program.home / "sessions").iterdir()) == []
    applied = [e for e in program.ok("history", "make-db")["events"] if e["type"] == "Applied"]
    assert [e["detail"]["surface"] for e in applied] == ["outcome:red-to-green"]


@pytest.mark.parametrize("host", HOSTS)
def test_a_reminder_comes_for_the_command_at_hand_and_never_twice(host: str, program: Program, tmp_path: Path) -> None:
    """Issue 8: pre-tool reminds of what is known about the command, in the host's names; never blocks."""
    desk = Desk(program, tmp_path, host)
    _, payload = ran(host, "cd app && make db", ok=True)
    given = {key: payload[key] for key in ("tool_name", "tool_input")}
    first = desk.hook("pre-tool", **given)
    assert b"make-db" in first and b"permission" not in first and b"decision" not in first
    assert desk.hook("pre-tool", **given) in (b"", b"{}")
    kept = desk.hook("pre-compact", trigger="auto", custom_instructions="")
    assert (b"make-db" in kept) is (host == "claude-code")
