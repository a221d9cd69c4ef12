"""Transcripts of other agents give the same turns; what hosts add in the user's name is no turn."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import apsw
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tenure.capture import session_formats, sessions, transcripts
from tenure.capture.session_builder import SessionBuilder
from tenure.store import opencode

INJECTED = '<memory-context nonce="1">\n* m-1\n| Always do X\n</memory-context nonce="1">'
CODEX: list[Any] = [
    {"timestamp": "t0", "type": "session_meta", "payload": {"id": "s"}},
    {"type": "response_item", "payload": {"type": "message", "role": "developer", "content": [{"text": INJECTED}]}},
    {
        "type": "response_item",
        "payload": {
            "type": "message",
            "role": "user",
            "content": [{"type": "input_text", "text": "<environment_context>x</environment_context>"}],
        },
    },
    {
        "timestamp": "t1",
        "type": "response_item",
        "payload": {"type": "message", "role": "user", "content": [{"type": "input_text", "text": "use tabs"}]},
    },
    {"type": "response_item", "payload": {"type": "function_call", "name": "shell", "arguments": "{}"}},
    {"type": "event_msg", "payload": {"type": "user_message", "message": "use tabs"}},
    {
        "type": "response_item",
        "payload": {"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": "done"}]},
    },
]
GEMINI: list[Any] = [
    {"sessionId": "s", "projectHash": "x"},
    {
        "id": "1",
        "timestamp": "t",
        "type": "user",
        "content": [{"text": f"<hook_context>{INJECTED}</hook_context>use tabs"}],
    },
    {"$set": {"lastUpdated": "t"}},
    {"id": "2", "type": "gemini", "content": "done", "toolCalls": [{"name": "shell"}]},
    {"id": "2", "type": "gemini", "content": "done"},
]
COPILOT: list[Any] = [
    {"type": "session.start", "data": {}, "id": "0"},
    {"type": "user.message", "data": {"content": "use tabs"}, "id": "1", "timestamp": "t"},
    {"type": "tool.execution_start", "data": {"toolName": "shell"}, "id": "2"},
    {"type": "assistant.message", "data": {"content": "done"}, "id": "3"},
]


# As Qwen Code 0.24.4 wrote it: what a hook said is a part of its own, with our fence escaped.
QWEN: list[Any] = [
    {
        "uuid": "1",
        "type": "user",
        "message": {
            "role": "user",
            "parts": [
                {"text": "use tabs"},
                {"text": "<qwen:user-prompt-submit-context>\n&lt;memory-context&gt;\n| Always do X\n</qwen:…>"},
            ],
        },
    },
    {"uuid": "2", "type": "system", "subtype": "ui_telemetry", "systemPayload": {}},
    {"uuid": "3", "type": "assistant", "message": {"role": "model", "parts": [{"functionCall": {"name": "shell"}}]}},
    {"uuid": "4", "type": "tool_result", "message": {"role": "user", "parts": [{"functionResponse": {}}]}},
    {"uuid": "5", "type": "assistant", "message": {"role": "model", "parts": [{"text": "done"}]}},
    {"uuid": "5", "type": "assistant", "message": {"role": "model", "parts": [{"text": "done"}]}},
]
HOSTS = [("codex", CODEX), ("gemini", GEMINI), ("copilot", COPILOT), ("qwen", QWEN)]


@pytest.mark.parametrize(("host", "records"), HOSTS)
def test_a_hosts_transcript_gives_what_was_said_and_done(host: str, records: list[Any], tmp_path: Path) -> None:
    """Facts 7.2; torn and foreign lines are skipped."""
    path = tmp_path / "session.jsonl"
    path.write_text("\n".join(["{torn", "[]", *map(json.dumps, records), '{"type": "user.mess']))
    [session] = sessions.read(path)
    found = session.turns
    assert session.host == host
    assert [(turn.role, turn.text) for turn in found if turn.text] == [("user", "use tabs"), ("assistant", "done")]
    assert [tool for turn in found for tool in turn.tools] == ["shell"]


def test_opencodes_database_gives_the_turns_of_one_session(tmp_path: Path) -> None:
    """Facts 7.2: tables session, message, part with JSON in data."""
    path = str(tmp_path / "opencode.db")
    database = apsw.Connection(path)
    database.execute("CREATE TABLE message (id TEXT, session_id TEXT, data TEXT)")
    database.execute("CREATE TABLE part (id TEXT, message_id TEXT, data TEXT)")
    for n, (role, session) in enumerate([("user", "s"), ("assistant", "s"), ("user", "other")]):
        database.execute("INSERT INTO message VALUES (?, ?, ?)", (f"m{n}", session, json.dumps({"role": role})))
    parts = [
        # As `opencode run` keeps a prompt of several words.
        ("m0", {"type": "text", "text": '"use tabs"'}),
        ("m0", {"type": "text", "text": INJECTED, "synthetic": True}),
        ("m1", {"type": "tool", "tool": "bash"}),
        ("m1", {"type": "text", "text": "done"}),
        ("m2", {"type": "text", "text": "another session"}),
    ]
    for n, (message, data) in enumerate(parts):
        database.execute("INSERT INTO part VALUES (?, ?, ?)", (f"p{n}", message, json.dumps(data)))
    database.close()
    found = sessions.read(path, "opencode", opencode.parts(path, "s"))[0].turns
    assert [(turn.role, turn.text, turn.tools) for turn in found] == [
        ("user", "use tabs", ()),
        ("tool", "", ("bash",)),
        ("assistant", "done", ()),
    ]


@pytest.mark.parametrize(
    ("host", "record"),
    [
        ("codex", {"type": "compacted", "payload": {"message": "use tabs", "replacement_history": []}}),
        (
            "codex",
            {
                "type": "response_item",
                "payload": {
                    "type": "message",
                    "role": "user",
                    "content": [{"text": "Another language model started to solve this problem and says use tabs"}],
                },
            },
        ),
        ("gemini", {"id": "9", "type": "user", "content": "<state_snapshot>use tabs</state_snapshot>"}),
        ("gemini", {"id": "9", "type": "info", "content": "use tabs"}),
        ("copilot", {"type": "session.compaction_complete", "data": {"summary": "use tabs"}}),
        ("copilot", {"type": "assistant.message", "data": {"content": "use tabs", "parentToolCallId": "c"}}),
        ("copilot", {"type": "user.message", "data": {"content": INJECTED}}),
    ],
)
def test_compaction_subagents_and_our_own_text_are_no_turns(host: str, record: dict[str, Any], tmp_path: Path) -> None:
    """Issue 8: the same turns from every host, without summaries, subagents and injections."""
    path = tmp_path / "session.jsonl"
    path.write_text(json.dumps(record) + "\n")
    assert [turn.text for session in sessions.read(path, host) for turn in session.turns if turn.text] == []


SAID = "From now on run the formatter with make style before every merge."


def _claude(**marks: Any) -> dict[str, Any]:
    return {"type": "user", "uuid": "1", "sessionId": "s", "message": {"role": "user", "content": SAID}, **marks}


def _copilot(record: dict[str, Any] | None = None, **data: Any) -> dict[str, Any]:
    return {"type": "user.message", "id": "1", "data": {"content": SAID, **data}, **(record or {})}


def _qwen(**marks: Any) -> dict[str, Any]:
    return {"type": "user", "uuid": "1", "message": {"role": "user", "parts": [{"text": SAID}]}, **marks}


MARKED: list[tuple[str, dict[str, Any]]] = [
    ("claude-code", _claude(origin={"kind": "scheduled-trigger"})),
    ("claude-code", _claude(origin={"kind": "channel", "server": "telegram"})),
    ("claude-code", _claude(origin={"kind": "peer"})),
    ("claude-code", _claude(origin={"kind": "plugin", "name": "x"})),
    ("claude-code", _claude(origin={"kind": "unclassified"})),
    ("claude-code", _claude(promptSource="system")),
    ("claude-code", _claude(promptSource="suggestion_accepted")),
    ("claude-code", _claude(sourceToolUseID="toolu_1")),
    ("copilot", _copilot(source="skill-pdf")),
    ("copilot", _copilot(source="agent-explore")),
    ("copilot", _copilot(isAutopilotContinuation=True)),
    ("copilot", _copilot({"agentId": "a"})),
    ("qwen", _qwen(subtype="notification", provenance="system")),
    ("qwen", _qwen(subtype="cron")),
    ("qwen", _qwen(isSidechain=True)),
]


@pytest.mark.parametrize(("host", "record"), MARKED)
def test_a_record_that_says_nobody_typed_it_is_no_turn_of_the_persons(
    host: str, record: dict[str, Any], tmp_path: Path
) -> None:
    """S2: a schedule, a channel, a skill, autopilot and other agents speak in the user's name, without any tag."""
    path = tmp_path / "session.jsonl"
    path.write_text(json.dumps(record) + "\n")
    [session] = sessions.read(path)
    assert session.host == host
    assert [turn for turn in session.turns if turn.role == "user"] == []


@pytest.mark.parametrize(
    "record",
    [
        _claude(origin={"kind": "human"}, promptSource="typed"),
        _claude(promptSource="queued"),
        _copilot(source="user"),
        _qwen(subtype="mid_turn_user_message"),
    ],
)
def test_a_record_that_says_the_person_typed_it_is_their_turn(record: dict[str, Any], tmp_path: Path) -> None:
    path = tmp_path / "session.jsonl"
    path.write_text(json.dumps(record) + "\n")
    [session] = sessions.read(path)
    assert [turn.text for turn in session.turns] == [SAID]


def test_claude_memorys_triage_leaves_out_what_nobody_typed() -> None:
    assert transcripts.turn_of(_claude(origin={"kind": "scheduled-trigger"})) is None
    assert transcripts.turn_of(_claude(origin={"kind": "human"})) is not None


@pytest.mark.parametrize("kind", ["lines", "document"])
def test_a_subagents_chat_of_gemini_proves_nothing(kind: str, tmp_path: Path) -> None:
    head = {"sessionId": "s", "projectHash": "x", "kind": "subagent"}
    said = {"id": "1", "type": "user", "content": [{"text": SAID}]}
    path = tmp_path / "session.json"
    if kind == "lines":
        path.write_text(f"{json.dumps(head)}\n{json.dumps(said)}\n")
    else:
        path.write_text(json.dumps({**head, "messages": [said]}))
    assert [session.headless for session in sessions.read(path)] == [True]


def test_a_part_that_opencode_keeps_from_the_model_is_no_turn() -> None:
    rows = [(json.dumps({"role": "user"}), json.dumps({"type": "text", "text": SAID, "ignored": True}))]
    assert sessions.read("x.db", "opencode", rows)[0].turns == []


def test_opencodes_summary_of_a_compaction_is_no_turn() -> None:
    """OpenCode marks the message that replaces a conversation."""
    rows = [(json.dumps({"role": "assistant", "summary": True}), json.dumps({"type": "text", "text": "use tabs"}))]
    assert sessions.read("x.db", "opencode", rows)[0].turns == []


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=5),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(["type", "payload", "role", "content", "data", "text", "id"]), inner, max_size=4
        )
    ),
    max_leaves=10,
)


@given(record=st.dictionaries(st.sampled_from(["type", "payload", "content", "data", "toolCalls", "message"]), JSON))
def test_no_record_raises(record: dict[str, Any]) -> None:
    """S18: parsers never raise anything undeclared."""
    for name, read in session_formats.LINES.items():
        read(record, SessionBuilder(name, ""))


def test_a_codex_rollout_of_before_payloads_is_read(tmp_path: Path) -> None:
    """Issue 16: rollouts of 2025 in public repositories (a German one first) hold items without a payload."""
    records: list[Any] = [
        {"id": "s-old", "timestamp": "t0", "instructions": None},
        {"record_type": "state"},
        {"type": "message", "role": "user", "content": [{"type": "input_text", "text": "<environment_context>x"}]},
        {"type": "message", "role": "user", "content": [{"type": "input_text", "text": "ab jetzt nur noch Tabs"}]},
        {"type": "function_call", "name": "shell", "arguments": '{"command": "ls"}', "call_id": "c1"},
        {"type": "function_call_output", "call_id": "c1", "output": '{"output": "", "metadata": {"exit_code": 1}}'},
        {"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": "gut"}]},
    ]
    path = tmp_path / "rollout-old.jsonl"
    path.write_text("".join(json.dumps(record) + "\n" for record in records))
    (found,) = sessions.read(path)
    assert (found.host, found.id) == ("codex", "s-old")
    assert [turn.text for turn in found.turns if turn.role == "user" and turn.text] == ["ab jetzt nur noch Tabs"]
    assert found.headless, "nothing in it says that a person sat there"


def test_a_message_to_aider_with_empty_lines_is_one_turn(tmp_path: Path) -> None:
    """Issue 16: in 7onc3k/brejlator a pasted manual came apart at lines that hold only the mark."""
    path = tmp_path / ".aider.chat.history.md"
    path.write_text("# aider chat started at 2025-01-01 10:00:00\n\n#### one\n\n####\n\n#### two\n\nAnswer.\n")
    (found,) = sessions.read(path)
    assert [turn.text for turn in found.turns if turn.role == "user"] == ["one\n\ntwo"]


@pytest.mark.parametrize(("tool", "answers"), [("AskUserQuestion", ["Never push to main"]), ("mcp__notes__read", [])])
def test_only_the_tool_that_asks_brings_the_persons_answer(tool: str, answers: list[str], tmp_path: Path) -> None:
    """S2: a server's result could carry `answers`, and a quote from them made an agent's proposal the person's word."""
    call = {"type": "tool_use", "id": "t1", "name": tool, "input": {}}
    result = {"type": "tool_result", "tool_use_id": "t1", "content": "done"}
    records = [
        {"type": "assistant", "uuid": "1", "message": {"content": [call]}},
        {
            "type": "user",
            "uuid": "2",
            "message": {"content": [result]},
            "toolUseResult": {"answers": {"Where to?": "Never push to main"}},
        },
    ]
    path = tmp_path / "s.jsonl"
    path.write_text("".join(json.dumps(record) + "\n" for record in records))
    [session] = sessions.read(path)
    assert [answer.text for answer in session.answers] == answers


@pytest.mark.parametrize(
    ("metas", "headless"),
    [
        ([{"source": "cli"}], False),
        ([{"source": "vscode"}], False),
        ([{"source": "exec"}], True),
        # As codex-rs/protocol writes SessionSource: who spawned the thread types its prompts.
        ([{"source": {"subagent": {"thread_spawn": {"parent_thread_id": "p", "depth": 1}}}}], True),
        ([{"source": {"subagent": "review"}}], True),
        ([{"source": {"custom": "a-bot"}}], True),
        # A fork holds the record of the session it goes on from, with its turns.
        ([{"source": "exec"}, {"source": "cli"}], True),
        ([{"source": {"subagent": "other"}}, {"source": "cli"}], True),
    ],
)
def test_what_a_codex_subagent_was_told_is_not_the_persons_word(
    metas: list[Any], headless: bool, tmp_path: Path
) -> None:
    """S2: an agent could spawn a thread, tell it a rule, and quote that."""
    said = [*({"type": "session_meta", "payload": {"id": "s", **meta}} for meta in metas), CODEX[5]]
    path = tmp_path / "rollout.jsonl"
    path.write_text("".join(json.dumps(record) + "\n" for record in said))
    [session] = sessions.read(path)
    assert session.headless == headless and [turn.text for turn in session.turns] == ["use tabs"]
