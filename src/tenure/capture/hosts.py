"""Transcripts of other agents as the same turns: Codex, Gemini CLI, Copilot CLI, Qwen Code, OpenCode.

Their formats are internal and change, so whatever is not understood is skipped, never raised; our own injections are
not part of what was said.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any

from tenure.capture.transcripts import CLIENT_PREFIXES, MAX_TEXT_CHARACTERS, Turn, records, without_fences
from tenure.capture.transcripts import turns as claude_turns

# Texts that hosts write in the user's name.
NOT_SPOKEN = (
    *CLIENT_PREFIXES,
    "<environment_context",
    "<user_instructions",
    "<permissions",
    "# AGENTS.md instructions",
    # Summaries after a compaction: Codex, Gemini CLI.
    "Another language model started to solve this problem",
    "<state_snapshot",
    # Qwen Code escapes what a hook says, so that no fence of ours is left in it.
    "<qwen:",
)
_FENCES = (
    "memory-context", "memory-note", "system-reminder", "tenure", "hook_context", "environment_context",
    "state_snapshot",
)  # fmt: skip


def turns(host: str, path: str, rows: Iterable[tuple[Any, Any]] = ()) -> Iterator[Turn]:
    """Yield what was said and done in a host's session, in order; `rows` are those of OpenCode's database."""
    if host == "opencode":
        yield from opencode_turns(rows)
        return
    read = _READERS.get(_NAMES.get(os.path.basename(path).partition("-")[0], host))
    if read is None:
        yield from claude_turns(path)
        return
    for record in records(path, identity="uuid" if host == "qwen" else "id"):
        turn = read(record)
        if turn and (turn.text or turn.tools):
            yield turn


def codex_turn(record: dict[str, Any]) -> Turn | None:
    """Return the turn in a line of a Codex rollout."""
    payload = record.get("payload")
    if record.get("type") != "response_item" or not isinstance(payload, dict):
        return None
    at = _text(record, "timestamp")
    if payload.get("type") in ("function_call", "custom_tool_call", "local_shell_call"):
        return Turn("tool", "", (_text(payload, "name") or "shell",), at)
    role = payload.get("role")
    if payload.get("type") != "message" or role not in ("user", "assistant"):
        return None
    return Turn(str(role), _said(payload.get("content"), str(role)), (), at)


def gemini_turn(record: dict[str, Any]) -> Turn | None:
    """Return the turn in a line of a Gemini CLI chat."""
    role = {"user": "user", "gemini": "assistant"}.get(_text(record, "type"))
    if role is None:
        return None
    calls = record.get("toolCalls")
    tools = tuple(_text(call, "name") for call in calls if isinstance(call, dict)) if isinstance(calls, list) else ()
    return Turn(role, _said(record.get("content"), role), tools, _text(record, "timestamp"))


def qwen_turn(record: dict[str, Any]) -> Turn | None:
    """Return the turn in a line of a Qwen Code chat."""
    role, message = _text(record, "type"), record.get("message")
    if role not in ("user", "assistant") or not isinstance(message, dict):
        return None
    parts = message.get("parts")
    called = [part.get("functionCall") for part in parts if isinstance(part, dict)] if isinstance(parts, list) else []
    tools = tuple(_text(call, "name") or "tool" for call in called if isinstance(call, dict))
    return Turn(role, _said(parts, role), tools, _text(record, "timestamp"))


def copilot_turn(record: dict[str, Any]) -> Turn | None:
    """Return the turn in a line of a Copilot CLI session."""
    data = record.get("data")
    kind = _text(record, "type")
    if not isinstance(data, dict):
        return None
    at = _text(record, "timestamp")
    if data.get("parentToolCallId"):
        # A subagent, told by the agent and answering it.
        return None
    if kind in ("user.message", "assistant.message"):
        role = kind.partition(".")[0]
        return Turn(role, _said(data.get("content"), role), (), at)
    if kind == "tool.execution_start":
        return Turn("tool", "", (_text(data, "toolName") or "tool",), at)
    return None


def opencode_turns(rows: Iterable[tuple[Any, Any]]) -> Iterator[Turn]:
    """Yield the turns in OpenCode's (message, part) documents."""
    for message, part in rows:
        about, piece = _object(message), _object(part)
        role = about.get("role")
        if role not in ("user", "assistant") or piece.get("synthetic") or about.get("summary") is True:
            continue
        if piece.get("type") == "text":
            yield Turn(str(role), _unquoted(_said(piece.get("text"), str(role))))
        elif piece.get("type") == "tool":
            yield Turn("tool", "", (_text(piece, "tool") or "tool",))


def _unquoted(text: str) -> str:
    """Return a prompt without the quotation marks that `opencode run` puts around one of several words."""
    wrapped = len(text) > 1 and text[0] == text[-1] == '"'
    return text[1:-1].replace('\\"', '"') if wrapped else text


def opencode_database() -> str:
    """Return where OpenCode keeps its sessions."""
    data = os.environ.get("XDG_DATA_HOME") or str(Path.home() / ".local" / "share")
    return str(Path(data) / "opencode" / "opencode.db")


_READERS: dict[str, Callable[[dict[str, Any]], Turn | None]] = {
    "codex": codex_turn,
    "gemini": gemini_turn,
    "copilot": copilot_turn,
    "qwen": qwen_turn,
}


# How a file's name begins -> whose transcript it is, whoever handed it in.
_NAMES = {"rollout": "codex", "events.jsonl": "copilot"}


def _said(content: Any, role: str) -> str:
    """Return the text of a message in any of the hosts' shapes, without what was added to it."""
    if isinstance(content, str):
        content = [content]
    if not isinstance(content, list):
        return ""
    texts = [_text(block, "text") if isinstance(block, dict) else block for block in content]
    kept = [text for text in texts if isinstance(text, str) and text]
    if role == "user":
        kept = [text for text in kept if not text.lstrip().startswith(NOT_SPOKEN)]
    text = without_fences("\n".join(kept)[:MAX_TEXT_CHARACTERS], _FENCES)
    return text.encode("utf-8", "replace").decode("utf-8")


def _object(text: Any) -> dict[str, Any]:
    try:
        found = json.loads(text)
    except (ValueError, TypeError, RecursionError):
        return {}
    return found if isinstance(found, dict) else {}


def _text(record: dict[str, Any], key: str) -> str:
    found = record.get(key)
    return found if isinstance(found, str) else ""
