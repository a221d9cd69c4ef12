"""Events as real clients sent them: whether a command failed, which file is at hand."""

from __future__ import annotations

from typing import Any

import pytest

from tenure.surfaces.hooks import post_tool, pre_tool
from tenure.surfaces.hooks.host import HookEvent

LONG = "line\n" * 500


def event(name: str, **payload: Any) -> HookEvent:
    return HookEvent(name, "x", name, "s", "/", "", payload)


@pytest.mark.parametrize(
    ("payload", "ok"),
    [
        # Gemini CLI 0.61.0
        ({"tool_response": {"llmContent": f"<untrusted_context>\nOutput: {LONG}\nExit Code: 1\nProcess Group"}}, False),
        ({"tool_response": {"llmContent": "<untrusted_context>\nOutput: Exit Code: 1\nProcess Group PGID: 7"}}, True),
        # Qwen Code 0.24.4
        (
            {"tool_response": {"llmContent": "Command: x\nOutput: hi\nError: (none)\nExit Code: 0\nSignal: (none)"}},
            True,
        ),
        # Copilot CLI 1.0.102: a failed command is a success of the tool
        (
            {
                "tool_result": {
                    "result_type": "success",
                    "text_result_for_llm": "\n<shellId: 1 completed with exit code 1>",
                }
            },
            False,
        ),
        (
            {
                "tool_result": {
                    "result_type": "success",
                    "text_result_for_llm": "hi\n<shellId: 0 completed with exit code 0>",
                }
            },
            True,
        ),
        # Claude Code 2.1.325
        ({"tool_response": {"stdout": "1 passed", "stderr": "", "interrupted": False}}, True),
    ],
)
def test_a_failed_command_is_told_from_one_that_worked(payload: dict[str, Any], ok: bool) -> None:
    """Seen by running the clients with `false` and `echo hi`."""
    found = event("post-tool", tool_name="Bash", tool_input={"command": "make test"}, **payload)
    assert [line["ok"] for line in post_tool._command(found)] == [ok]


@pytest.mark.parametrize(
    ("tool", "given"),
    [
        ("Edit", {"file_path": "a/notes.txt", "old_string": "x", "new_string": "y"}),
        ("Edit", {"path": "/a/notes.txt", "old_str": "x", "new_str": "y"}),
        ("edit", {"filePath": "notes.txt", "oldString": "x", "newString": "y"}),
    ],
)
def test_an_edit_is_read_under_every_hosts_names(tool: str, given: dict[str, str]) -> None:
    """Claude Code, Gemini CLI and Qwen Code; Copilot CLI; OpenCode."""
    found = event("post-tool", tool_name=tool, tool_input=given)
    assert pre_tool.subjects(found) == (["notes.txt"], [])
    assert [line["old"] != line["new"] for line in post_tool._edits(found)] == [True]


def test_a_patch_names_its_files() -> None:
    """Codex 0.166.0 reports its patches as commands."""
    patch = "apply_patch <<E\n*** Begin Patch\n*** Add File: src/notes.txt\n+x\n*** Update File: b.py\n*** End Patch\nE"
    found = event("pre-tool", tool_name="Bash", tool_input={"command": patch})
    assert pre_tool.subjects(found) == (["notes.txt", "b.py"], [])
