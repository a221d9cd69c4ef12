"""After a tool ran: whether it worked, for the journal. Says nothing to the model."""

from __future__ import annotations

import re
import zlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from tenure.hooks.host import Event

LEADING_WORDS = 3
# Numbers, addresses and paths differ from run to run of the same error.
_VARYING = re.compile(r"0x[0-9a-f]+|\d+|/[^\s:'\"]+")
_FAILED = re.compile(r"\b(?:exit(?:ed with)? (?:code|status):?|returned) [1-9]", re.IGNORECASE)
# What Gemini CLI, Qwen Code and Copilot CLI write below the output of a command that failed.
_FAILED_BELOW = re.compile(r"^(?:Exit Code: |<shellId: \d{1,9} completed with exit code )[1-9]", re.MULTILINE)
MOST_OUTPUT = 20_000
# The same thing by the names that hosts give it.
RESULTS = ("tool_response", "tool_result")
TEXTS = ("stderr", "stdout", "output", "llmContent", "text_result_for_llm")
_EDIT = (
    ("file_path", "path", "filePath"),
    ("old_string", "old_str", "oldString"),
    ("new_string", "new_str", "newString"),
)


def answer(event: Event) -> str:
    """Note a command's outcome or an edit, and stay silent."""
    if not event.session:
        return ""
    line: dict[str, Any] | None = None
    if event.tool == "Bash":
        line = _command(event)
    elif event.tool in ("Edit", "Write", "MultiEdit") and event.name == "post-tool":
        line = _edit(event)
    if line:
        from tenure.spool import journal

        journal.add(event.host, event.session, line)
    return ""


def _command(event: Event) -> dict[str, Any] | None:
    command = event.tool_input.get("command")
    if not isinstance(command, str) or event.payload.get("is_interrupt"):
        return None
    output = _output(event)
    failed = event.name == "post-tool-failure" or _says_failed(_result(event), output)
    line = {"event": "command", "what": leading_words(command), "ok": not failed}
    if failed:
        line["error"] = signature(output)
    return line


def _edit(event: Event) -> dict[str, Any] | None:
    path, old, new = (next((event.tool_input[key] for key in keys if key in event.tool_input), None) for keys in _EDIT)
    if not isinstance(path, str) or not isinstance(old, str) or not isinstance(new, str) or old == new:
        return None
    file = zlib.crc32(path.encode("utf-8", "replace"))
    return {"event": "edit", "file": file, "old": _hash(old), "new": _hash(new)}


def leading_words(command: str) -> str:
    """Return what was run, without the arguments that may hold a secret."""
    words = [word for word in command[:500].split() if "=" not in word and not word.startswith("-")]
    return " ".join(words[:LEADING_WORDS])[:80]


def signature(output: str) -> int:
    """Return a number that is equal for two runs of the same error."""
    lines = [line for line in output.splitlines() if line.strip()]
    telling = [line for line in lines if "error" in line.lower() or "fail" in line.lower()] or lines
    return _hash(_VARYING.sub("#", "\n".join(telling[-5:])[:2000]))


def _result(event: Event) -> Any:
    return next((event.payload[key] for key in RESULTS if key in event.payload), None)


def _output(event: Event) -> str:
    response = _result(event)
    if isinstance(response, dict):
        response = "\n".join(str(response.get(key) or "") for key in TEXTS)
    return f"{event.text('error')}\n{response if isinstance(response, str) else ''}"[-MOST_OUTPUT:]


def _says_failed(response: Any, output: str) -> bool:
    """Tell a failed command where the host has no event of its own for it."""
    if isinstance(response, dict):
        for key in ("exit_code", "exitCode", "returncode"):
            if isinstance(response.get(key), int):
                return bool(response[key] != 0)
        if response.get("is_error") or response.get("error"):
            return True
        return bool(_FAILED_BELOW.search(output, max(0, len(output) - 300)))
    return isinstance(response, str) and bool(_FAILED.search(output[:300]))


def _hash(text: str) -> int:
    return zlib.crc32(" ".join(text.split()).encode("utf-8", "replace"))
