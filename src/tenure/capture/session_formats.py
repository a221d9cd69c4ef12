"""The formats of session files, one function each: Claude Code, Codex, Gemini CLI, Copilot CLI, Qwen Code, OpenCode.

A function takes one record and fills a `SessionBuilder`. The formats are internal to their clients and change, so
whatever is not understood is skipped, never raised. `sessions` finds out which one a file has.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any

from tenure.capture.session_builder import REFUSED, SessionBuilder, texts
from tenure.capture.transcripts import CLIENT_PREFIXES, NOT_SPOKEN, ROLES, Call, typed

# Texts that hosts write in the user's name.
HOST_TEXTS = (
    *CLIENT_PREFIXES,
    "<environment_context",
    "<user_instructions",
    "<permissions",
    "# AGENTS.md instructions",
    "<skill>",
    # Summaries after a compaction: Codex, Gemini CLI.
    "Another language model started to solve this problem",
    "<state_snapshot",
    # Qwen Code escapes what a hook says, so that no fence of ours is left in it.
    "<qwen:",
)
# The tool by which Claude Code asks the person.
QUESTION = "AskUserQuestion"
# How a client names itself when no person sits before it.
HEADLESS = ("sdk", "exec", "codex_exec", "mcp", "print")


def claude(record: Mapping[str, Any], into: SessionBuilder) -> None:
    """Read a record of Claude Code, or of the flat shape that claude-memory 5.0 expected."""
    kind = record.get("type")
    into.session = into.session or text(record, "sessionId")
    into.cwd = into.cwd or text(record, "cwd")
    if text(record, "entrypoint").startswith(HEADLESS):
        into.headless = True
    at = text(record, "timestamp")
    if kind == "tool_use":
        into.agent("", at, (Call(text(record, "name") or "tool", record.get("input"), at=at),))
        return
    role = ROLES.get(kind) if isinstance(kind, str) else None
    if role is None or any(record.get(flag) for flag in NOT_SPOKEN):
        return
    message = record.get("message")
    message = message if isinstance(message, dict) else {}
    content = message.get("content") or record.get("content") or []
    blocks = [block for block in content if isinstance(block, dict)] if isinstance(content, list) else []
    if role == "assistant":
        usage = message.get("usage")
        into.tokens += number(usage, "output_tokens")
        into.cached_tokens += number(usage, "cache_read_input_tokens")
        into.model = text(message, "model") or into.model
        calls = tuple(
            Call(text(block, "name") or "tool", block.get("input"), id=text(block, "id"), at=at)
            for block in blocks
            if block.get("type") == "tool_use"
        )
        into.agent("\n".join(_plain(content)), at, calls)
        return
    results = [block for block in blocks if block.get("type") == "tool_result"]
    asked = False
    for block in results:
        said = " ".join(texts(block.get("content")))
        stopped = said.lstrip().startswith(REFUSED)
        made = into.call_of(text(block, "tool_use_id"))
        asked = asked or (made is not None and made.tool == QUESTION)
        # A server of somebody's could write such a result by itself.
        if stopped and block.get("is_error") and made is not None and not made.tool.startswith("mcp__"):
            into.refused(said)
        into.result(text(block, "tool_use_id"), ok=not block.get("is_error"), interrupted=stopped, said=said)
    result = record.get("toolUseResult")
    answers = result.get("answers") if isinstance(result, dict) else None
    # Any other tool's result is somebody else's: a server can put the same fields there.
    if asked and isinstance(answers, dict):
        for question, chosen in answers.items():
            into.answer(str(question), _chosen(chosen), at)
    if not results and typed(record):
        into.human("\n".join(_spoken(content)), at)


def codex(record: Mapping[str, Any], into: SessionBuilder) -> None:
    """Read a record of a Codex rollout; until September 2025 an item stood in the record itself, without a payload."""
    payload = record.get("payload")
    if not isinstance(payload, dict):
        if "instructions" in record and not record.get("type"):
            into.session = into.session or text(record, "id")
        # It does not say whether somebody sat before it, so it proves nothing.
        into.headless = True
        _codex_item(record, into, text(record, "timestamp"))
        return
    kind, inner, at = record.get("type"), payload.get("type"), text(record, "timestamp")
    if kind == "session_meta":
        into.session = into.session or text(payload, "id")
        into.cwd = into.cwd or text(payload, "cwd")
        # A source with parts is a subagent, to whom the agent speaks as the user, or a program that is no client of
        # the vendor's. A session that goes on from another repeats that one's record, with turns of both.
        of_program = isinstance(payload.get("source"), dict)
        unseen = of_program or any(text(payload, key).startswith(HEADLESS) for key in ("originator", "source"))
        into.headless = into.headless or unseen
    elif kind == "event_msg" and inner == "user_message":
        # What the person typed; the messages sent to the model carry instructions and skills besides.
        into.typed(text(payload, "message"), at)
    elif kind == "event_msg" and inner == "token_count":
        info = payload.get("info")
        total = info.get("total_token_usage") if isinstance(info, dict) else None
        into.tokens = max(into.tokens, number(total, "total_tokens"))
        into.cached_tokens = max(into.cached_tokens, number(total, "cached_input_tokens"))
    elif kind == "turn_context":
        into.model = text(payload, "model") or into.model
    elif kind == "event_msg" and inner == "turn_aborted":
        into.interrupt()
    elif kind == "response_item":
        _codex_item(payload, into, at)


def _codex_item(payload: Mapping[str, Any], into: SessionBuilder, at: str) -> None:
    inner = payload.get("type")
    if inner in ("function_call", "custom_tool_call", "local_shell_call"):
        given = payload.get("arguments") or payload.get("input") or payload.get("action")
        if isinstance(given, str):
            given = object_in(given) or {"input": given}
        into.agent("", at, (Call(text(payload, "name") or "shell", given, id=text(payload, "call_id"), at=at),))
    elif inner in ("function_call_output", "custom_tool_call_output"):
        output = payload.get("output")
        said = output if isinstance(output, str) else json.dumps(output) if output is not None else ""
        into.result(
            text(payload, "call_id"), ok=not _exited(said), interrupted="aborted by user" in said[:200], said=said
        )
    elif inner == "message" and payload.get("role") == "user":
        into.human("\n".join(_spoken(payload.get("content"))), at)
    elif inner == "message" and payload.get("role") == "assistant":
        into.agent("\n".join(texts(payload.get("content"))), at)


def _exited(output: str) -> bool:
    """Tell whether a Codex result reports another status than 0; it stands near the beginning."""
    head = output[:300]
    for mark in ("exited with code ", "Exit code: ", '"exit_code":'):
        _, found, rest = head.partition(mark)
        if found:
            digits = rest.strip()[:3].rstrip("\n,}")
            return digits.lstrip("-").isdigit() and int(digits) != 0
    return False


def gemini(record: Mapping[str, Any], into: SessionBuilder) -> None:
    """Read a message of a Gemini CLI chat."""
    into.session = into.session or text(record, "sessionId")
    # A subagent's chat: the agent is the one who speaks as the user there.
    into.headless = into.headless or record.get("kind") == "subagent"
    kind, at = text(record, "type"), text(record, "timestamp")
    if kind == "user":
        into.human("\n".join(_spoken(record.get("content"))), at)
    elif kind in ("gemini", "qwen", "assistant"):
        calls = record.get("toolCalls")
        made = [
            Call(text(call, "name") or "tool", call.get("args"), at=at, ok=call.get("status") in (None, "success"))
            for call in (calls if isinstance(calls, list) else [])
            if isinstance(call, dict)
        ]
        into.tokens += number(record.get("tokens"), "output")
        into.cached_tokens += number(record.get("tokens"), "cached")
        into.model = text(record, "model") or into.model
        into.agent("\n".join(texts(record.get("content"))), at, tuple(made))


def qwen(record: Mapping[str, Any], into: SessionBuilder) -> None:
    """Read a record of a Qwen Code chat."""
    into.session = into.session or text(record, "sessionId")
    into.cwd = into.cwd or text(record, "cwd")
    message, at = record.get("message"), text(record, "timestamp")
    if not isinstance(message, dict):
        return
    parts = message.get("parts")
    pieces = [part for part in parts if isinstance(part, dict)] if isinstance(parts, list) else []
    kind = text(record, "type")
    if record.get("isSidechain"):
        return
    if kind == "user":
        # What a schedule or a background agent says is kept as the user's, under a subtype.
        if record.get("provenance") != "system" and text(record, "subtype") in ("", "mid_turn_user_message"):
            into.human("\n".join(_spoken(pieces)), at)
    elif kind == "assistant":
        called = [part["functionCall"] for part in pieces if isinstance(part.get("functionCall"), dict)]
        calls = tuple(Call(text(c, "name") or "tool", c.get("args"), id=text(c, "id"), at=at) for c in called)
        into.tokens += number(record.get("usageMetadata"), "candidatesTokenCount")
        into.cached_tokens += number(record.get("usageMetadata"), "cachedContentTokenCount")
        into.model = text(record, "model") or into.model
        into.agent("\n".join(texts(pieces)), at, calls)
    elif kind == "tool_result":
        for part in pieces:
            response = part.get("functionResponse")
            if isinstance(response, dict):
                given = response.get("response")
                failed = isinstance(given, dict) and bool(given.get("error"))
                said = " ".join(map(str, given.values())) if isinstance(given, dict) else ""
                said = str(given.get("error")) if failed and isinstance(given, dict) else said
                into.result(text(response, "id"), ok=not failed, said=said)


def copilot(record: Mapping[str, Any], into: SessionBuilder) -> None:
    """Read a record of a Copilot CLI session."""
    data, kind, at = record.get("data"), text(record, "type"), text(record, "timestamp")
    # A subagent is told by the agent and answers it.
    if not isinstance(data, dict) or data.get("parentToolCallId") or record.get("agentId"):
        return
    if kind == "session.start":
        about = data.get("context")
        into.session = into.session or text(data, "sessionId")
        into.cwd = into.cwd or (text(about, "cwd") if isinstance(about, dict) else "")
    elif kind == "user.message":
        # Skills, autopilot and other agents speak as the user too, and are named as the source.
        if data.get("source") in (None, "", "user") and not data.get("isAutopilotContinuation"):
            into.human("\n".join(_spoken(data.get("content"))), at)
    elif kind == "assistant.message":
        into.tokens += number(data, "outputTokens")
        into.agent("\n".join(texts(data.get("content"))), at)
    elif kind == "tool.execution_start":
        call = Call(text(data, "toolName") or "tool", data.get("arguments"), id=text(data, "toolCallId"), at=at)
        into.agent("", at, (call,))
    elif kind == "tool.execution_complete":
        call_made = into.call_of(text(data, "toolCallId"))
        result = data.get("result")
        said = " ".join(texts(result.get("content"))) if isinstance(result, dict) else ""
        if call_made is not None and call_made.tool == "ask_user" and said:
            into.answer(text(call_made.input, "question"), said.removeprefix("User selected: "), at)
        into.result(text(data, "toolCallId"), ok=data.get("success") is not False, said=said)


def opencode(messages: Iterable[tuple[Any, Iterable[Any]]], into: SessionBuilder) -> None:
    """Read OpenCode's messages with their parts, as objects or as texts of JSON."""
    for message, parts in messages:
        about = object_in(message)
        role = about.get("role")
        if role not in ("user", "assistant") or about.get("summary") is True:
            continue
        times = about.get("time")
        at = str(times.get("created", "")) if isinstance(times, dict) else ""
        into.tokens += number(about.get("tokens"), "output")
        into.cached_tokens += number(object_in(about.get("tokens")).get("cache"), "read")
        into.model = text(about, "modelID") or into.model
        for raw in parts:
            _opencode_part(str(role), object_in(raw), into, at)


def _opencode_part(role: str, part: Mapping[str, Any], into: SessionBuilder, at: str) -> None:
    if part.get("synthetic") or part.get("ignored"):
        return
    if part.get("type") == "text":
        said = _unquoted(text(part, "text"))
        if role == "user":
            into.human("\n".join(_spoken(said)), at)
        else:
            into.agent(said, at)
    elif part.get("type") == "tool":
        state = part.get("state")
        state = state if isinstance(state, dict) else {}
        name = text(part, "tool") or "tool"
        status = state.get("status")
        call = Call(name, state.get("input"), at=at, ok=None if status is None else status != "error")
        into.agent("", at, (call,))
        into.heard(call, text(state, "output"))
        if name == "question":
            _opencode_answers(state, into, at)


def _opencode_answers(state: Mapping[str, Any], into: SessionBuilder, at: str) -> None:
    given, about = state.get("input"), state.get("metadata")
    asked = given.get("questions") if isinstance(given, dict) else None
    answers = about.get("answers") if isinstance(about, dict) else None
    if isinstance(asked, list) and isinstance(answers, list):
        for question, chosen in zip(asked, answers, strict=False):
            into.answer(text(object_in(question), "question"), _chosen(chosen), at)


def _unquoted(said: str) -> str:
    """Return a prompt without the quotation marks that `opencode run` puts around one of several words."""
    wrapped = len(said) > 1 and said[0] == said[-1] == '"'
    return said[1:-1].replace('\\"', '"') if wrapped else said


def opencode_database() -> str:
    """Return where OpenCode keeps its sessions."""
    data = os.environ.get("XDG_DATA_HOME") or str(Path.home() / ".local" / "share")
    return str(Path(data) / "opencode" / "opencode.db")


LINES: dict[str, Callable[[Mapping[str, Any], SessionBuilder], None]] = {
    "claude-code": claude,
    "codex": codex,
    "gemini": gemini,
    "copilot": copilot,
    "qwen": qwen,
}


def _spoken(content: Any) -> list[str]:
    """Return the parts of a user's message that no host wrote."""
    return [said for said in _plain(content) if not said.lstrip().startswith(HOST_TEXTS)]


def _plain(content: Any) -> list[str]:
    if isinstance(content, list):
        content = [block for block in content if not isinstance(block, dict) or block.get("type") in TEXT_TYPES]
    return texts(content)


TEXT_TYPES = (None, "text", "input_text", "output_text")


def _chosen(answer: Any) -> str:
    return answer if isinstance(answer, str) else ", ".join(map(str, answer)) if isinstance(answer, list) else ""


def object_in(value: Any) -> dict[str, Any]:
    """Return an object, or the one a text of JSON holds; empty otherwise."""
    if isinstance(value, dict):
        return value
    try:
        found = json.loads(value)
    except (ValueError, TypeError, RecursionError):
        return {}
    return found if isinstance(found, dict) else {}


def text(record: Mapping[str, Any], key: str) -> str:
    """Return a text of a record, empty when there is none."""
    found = record.get(key)
    return found if isinstance(found, str) else ""


def number(record: Any, key: str) -> int:
    """Return a count of a record, 0 when there is none."""
    found = record.get(key) if isinstance(record, dict) else None
    return found if isinstance(found, int) and not isinstance(found, bool) and found > 0 else 0
