"""After a tool ran: whether it worked, for the journal. Says nothing to the model."""

from __future__ import annotations

import os
import re
import time
import zlib

from tenure.surfaces.hooks import tools
from tenure.text import command_line

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from tenure.surfaces.hooks.host import HookEvent

_FAILED = re.compile(r"\b(?:exit(?:ed with)? (?:code|status):?|returned) [1-9]", re.IGNORECASE)
# What Gemini CLI, Qwen Code and Copilot CLI write below the output of a command that failed.
_FAILED_BELOW = re.compile(r"^(?:Exit Code: |<shellId: \d{1,9} completed with exit code )[1-9]", re.MULTILINE)
MOST_OUTPUT = 20_000
# A host that puts the status into the text puts it at one of its ends.
NEAR_AN_END = 300
# Commands by which git takes back what was edited: those that name the files, and those that mean all of them.
TAKING_BACK = (("git", "restore"), ("git", "checkout"))
TAKING_ALL_BACK = ("git reset --hard", "git checkout .", "git restore .", "git checkout -- .", "git restore -- .")
MOST_EDITS = 20
_SEPARATORS = re.compile(r"&&|\|\||;|\n")


def answer(event: HookEvent) -> str:
    """Note a command's outcome or an edit, and stay silent."""
    if not event.session:
        return ""
    if event.tool == "Bash":
        lines = _command(event)
    elif event.tool in ("Edit", "Write", "MultiEdit") and event.name == "post-tool":
        lines = _edits(event)
    else:
        return ""
    if lines:
        from tenure.spool import journal

        # A host may deliver an event twice; by this the second one is known.
        call = event.text("tool_use_id") or event.text("toolUseId") or event.text("call_id")
        at = os.environ.get("TENURE_NOW") or time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())
        for number, line in enumerate(lines):
            told = {**line, "at": at, **({"call": _hash(f"{call} {number}")} if call else {})}
            journal.add(event.host, event.session, told)
    return ""


def _command(event: HookEvent) -> list[dict[str, Any]]:
    command = tools.command(event)
    if event.payload.get("is_interrupt"):
        return [{"event": "interrupted"}]
    if not command:
        return []
    output = _output(event)
    failed = event.name == "post-tool-failure" or _says_failed(event, output)
    passed = command_line.outcome(command, not failed, output)
    line = {"event": "command", "what": command_line.kept_words(command), "ok": passed}
    if passed is False:
        return [{**line, "error": command_line.error_signature(output)}]
    # What nobody knows is no outcome.
    return [*([line] if passed else []), *_taken_back(event, command)]


def _taken_back(event: HookEvent, command: str) -> list[dict[str, Any]]:
    """Return what git was told to take back, by file; one without a file means every edit."""
    found: list[dict[str, Any]] = []
    for part in _SEPARATORS.split(command[:2000]):
        words = part.split()
        if " ".join(words).startswith(TAKING_ALL_BACK):
            found.append({"event": "taken-back"})
        elif tuple(words[:2]) in TAKING_BACK:
            names = [word for word in words[2:] if not word.startswith("-")]
            found += [{"event": "taken-back", "file": _file(event, name.strip("'\""))} for name in names]
    return found[:MOST_EDITS]


def _edits(event: HookEvent) -> list[dict[str, Any]]:
    made = ((path, old, new) for path, old, new in tools.edits(event) if path and old != new)
    found = [
        {"event": "edit", "file": _file(event, path), "old": _hash(old), "new": _hash(new)} for path, old, new in made
    ]
    return found[:MOST_EDITS]


def _file(event: HookEvent, path: str) -> int:
    return zlib.crc32(tools.whole(event, path).encode("utf-8", "replace"))


def _output(event: HookEvent) -> str:
    response = event.tool_response
    if isinstance(response, dict):
        keys = ("stderr", "stdout", "output", "llmContent", "text_result_for_llm", "textResultForLlm", "error")
        response = "\n".join(found for key in keys if isinstance(found := response.get(key), str))
    return f"{event.text('error')}\n{response if isinstance(response, str) else ''}"[-MOST_OUTPUT:]


def _says_failed(event: HookEvent, output: str) -> bool:
    """Tell a failed command where the host has no event of its own for it."""
    response = event.tool_response
    if isinstance(response, dict):
        for key in ("exit_code", "exitCode", "returncode"):
            if isinstance(response.get(key), int):
                return bool(response[key] != 0)
        kind = response.get("result_type", response.get("resultType"))
        if response.get("is_error") or response.get("error") or kind in ("failure", "error"):
            return True
        if "stdout" in response:
            # Claude Code's shape: a failure has an event of its own, and a text may quote any status.
            return False
        return bool(_FAILED_BELOW.search(output, max(0, len(output) - NEAR_AN_END)))
    return bool(_FAILED.search(output[:NEAR_AN_END]) or _FAILED.search(output[-NEAR_AN_END:]))


def _hash(text: str) -> int:
    return zlib.crc32(" ".join(text.split()).encode("utf-8", "replace"))
