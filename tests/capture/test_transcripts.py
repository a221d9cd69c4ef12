"""Transcripts: both shapes, everything that is not the person or the model speaking, and hostile files."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tenure.capture.transcripts import Turn, capped_lines, turn_of, turns, without_fences
from tests.faults import PEAK_KILOBYTES, linux_only


def written(path: Path, *records: Any) -> Path:
    lines = (record if isinstance(record, str) else json.dumps(record) for record in records)
    path.write_text("".join(line + "\n" for line in lines), encoding="utf-8")
    return path


def said(text: Any, kind: str = "user", **fields: Any) -> dict[str, Any]:
    return {"type": kind, "message": {"role": kind, "content": text}, **fields}


def test_a_real_session_becomes_turns_with_their_tools_time_session_and_folder(tmp_path: Path) -> None:
    """Claude Code writes one record per content block (integration facts, section 4)."""
    about = {"timestamp": "2026-11-15T10:00:00Z", "sessionId": "s-1", "cwd": "/project"}
    path = written(
        tmp_path / "t.jsonl",
        {"type": "queue-operation"},
        said("Please fix the queue.", uuid="1", **about),
        said([{"type": "thinking", "thinking": "hm"}], "assistant", uuid="2", **about),
        said([{"type": "tool_use", "id": "x", "name": "Bash", "input": {}}], "assistant", uuid="3", **about),
        said([{"type": "tool_result", "tool_use_id": "x", "content": "We decided"}], uuid="4", **about),
        said([{"type": "text", "text": "Done."}], "assistant", uuid="5", **about),
    )
    found = list(turns(path))
    assert [(turn.role, turn.text, turn.tools) for turn in found] == [
        ("user", "Please fix the queue.", ()),
        ("assistant", "", ()),
        ("assistant", "", ("Bash",)),
        ("user", "", ()),
        ("assistant", "Done.", ()),
    ]
    assert {turn[3:6] for turn in found} == {("2026-11-15T10:00:00Z", "s-1", "/project")}


def test_the_flat_shape_of_claude_memory_5_is_read_too(tmp_path: Path) -> None:
    """Spec 1.4: type human, content at the top, bare strings among blocks, tool calls as lines."""
    path = written(
        tmp_path / "t.jsonl",
        {"type": "human", "content": "one"},
        {"type": "tool_use", "name": "Read"},
        {"type": "assistant", "content": ["two", {"type": "text", "text": "three"}, {"type": "image"}]},
    )
    assert [turn[:3] for turn in turns(path)] == [
        ("user", "one", ()),
        ("tool", "", ("Read",)),
        ("assistant", "two\nthree", ()),
    ]


@pytest.mark.parametrize(
    "record",
    [
        said("We decided", isMeta=True),
        said("We decided", isCompactSummary=True),
        said("We decided", isSidechain=True, agentId="a1"),
        said("<local-command-stdout>We decided</local-command-stdout>"),
        said("<command-name>/memory</command-name> We decided"),
        said("  <command-message>memory is running"),
        said("Stop hook feedback:\nsave these as a memory"),
        said("Base directory for this skill: /skills/memory\n\nWe decided"),
        said("# Memory Management System\n\nWe decided"),
        said([{"type": "text", "text": "Base directory for this skill: x"}]),
        {"type": "attachment", "attachment": {"type": "hook_additional_context", "content": "user"}},
        {
            "type": "attachment",
            "note": "user",
            "attachment": {"type": "instructions", "content": "We decided"},
        },
        {"type": "system", "subtype": "compact_boundary", "content": "user"},
        {"type": "summary", "summary": "user We decided"},
        {"type": ["user"], "message": {"content": "We decided"}},
        {"type": "user", "message": {"content": {"text": "We decided"}}},
    ],
)
def test_what_nobody_said_is_no_turn(record: dict[str, Any]) -> None:
    """We never learn from ourselves, from the client or from what a subagent was told (design)."""
    assert turn_of(record) is None


@pytest.mark.parametrize(
    ("text", "kept"),
    [
        ('a <memory-context source="x" descriptions="d">\n- [DECISION] y\n</memory-context> b', "a  b"),
        ("a <system-reminder>hook context</system-reminder>b", "a b"),
        ("a <memory-note>n</memory-note><memory-note>m</memory-note>b", "a b"),
        ("a <triage_data>{}</triage_data>", "a "),
        ("a <tenure-memories nonce=1>x</tenure-memories> b", "a  b"),
        ("a <memory-context> never closed", "a "),
        ("a <memory-context>x</memory-context", "a "),
        ("a <memory-contexts>stays</memory-contexts>", "a <memory-contexts>stays</memory-contexts>"),
        ("1 < 2 and </memory-context>", "1 < 2 and </memory-context>"),
    ],
)
def test_injected_blocks_are_taken_out_of_what_was_said(text: str, kept: str) -> None:
    """The retrieval block is saved in the transcript and must not feed triage."""
    assert without_fences(text) == kept
    assert turn_of(said(text)) == Turn("user", kept)


def test_corrupt_torn_and_repeated_lines_are_passed_over(tmp_path: Path) -> None:
    """A running session has a torn last line; a resumed one repeats records."""
    path = written(
        tmp_path / "t.jsonl",
        '{"type": "user", bad',
        "",
        '["user"]',
        '"user"',
        said("one", uuid="1"),
        said("one", uuid="1"),
        '{"type": "user", "message": ' + "[" * 100_000,
        said("two \ud800", uuid="2"),
    )
    with path.open("ab") as file:
        file.write(b'\xff\xfe "user"\n{"type": "user", "message": {"content": "torn')
    assert [turn.text for turn in turns(path)] == ["one", "two ?"]


@pytest.mark.parametrize("name", ["missing.jsonl", ".", "nul\0byte"])
def test_what_is_no_readable_file_has_no_turns(tmp_path: Path, name: str) -> None:
    """A choice of our own: hooks never raise."""
    assert list(turns(f"{tmp_path}/{name}")) == []


def test_a_named_pipe_is_not_waited_for(tmp_path: Path) -> None:
    """A transcript path is given from outside and may name anything."""
    os.mkfifo(tmp_path / "pipe")
    assert list(turns(tmp_path / "pipe")) == []


def test_a_file_that_grows_as_fast_as_it_is_read_has_an_end(tmp_path: Path) -> None:
    """S17: a session that goes on, or whoever writes into its file, kept the reader busy for ever."""
    path = tmp_path / "session.jsonl"
    path.write_bytes(b"first\n" * 3000)
    found = 0
    with path.open("ab", buffering=0) as writer:
        for line in capped_lines(path, 100):
            found += 1
            assert line == b"first\n" and found <= 3000
            writer.write(b"first\n" * 3)
    assert found == 3000


def test_a_line_above_the_limit_is_skipped_and_the_next_one_read(tmp_path: Path) -> None:
    """A choice of our own; the limit is inclusive."""
    path = tmp_path / "t.jsonl"
    path.write_bytes(b"12345678\n" + b"x" * 200_000 + b"\n123456789\n\nab\n" + b"y" * 50)
    assert list(capped_lines(path, 9)) == [b"12345678\n", b"\n", b"ab\n"]


@linux_only
def test_a_line_of_200_megabytes_costs_no_memory(tmp_path: Path) -> None:
    """Guarantee S17: at most 100 MB resident whatever the transcript holds."""
    path = tmp_path / "t.jsonl"
    with path.open("wb") as file:
        file.write(b'{"type": "user", "message": {"content": "')
        file.seek(200 * 1024 * 1024)
        file.write(b'"}}\n' + json.dumps(said("after")).encode() + b"\n")
    script = (
        "import sys; from tenure.capture.transcripts import turns;"
        "print([turn.text for turn in turns(sys.argv[1])]);" + PEAK_KILOBYTES
    )
    ran = subprocess.run([sys.executable, "-c", script, str(path)], capture_output=True, text=True, check=True)
    texts, resident = ran.stdout.splitlines()
    assert texts == "['after']"
    assert int(resident) < 100 * 1024


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=20),
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.dictionaries(st.sampled_from(["type", "message", "content", "text", "name", "isMeta"]), inner, max_size=4)
    ),
    max_leaves=12,
)


@given(st.dictionaries(st.sampled_from(["type", "message", "content", "cwd", "name"]), JSON), st.data())
def test_no_record_whatever_its_shape_raises(record: dict[str, Any], data: st.DataObject) -> None:
    """Guarantee S18: parsers never raise anything undeclared."""
    record["type"] = data.draw(st.sampled_from(["user", "assistant", "human", "tool_use"]) | JSON)
    turn = turn_of(record)
    assert turn is None or isinstance(turn.text.encode(), bytes)


PLAIN = st.text(alphabet=st.characters(exclude_characters="<", exclude_categories=["Cs"]), max_size=30)


@given(PLAIN, st.text(max_size=30).filter(lambda text: "</memory-context" not in text), PLAIN)
def test_exactly_the_fenced_part_is_taken_out(before: str, inside: str, after: str) -> None:
    """A law: what stands before and after a closed fence survives, whatever stands in it."""
    text = f"{before}<memory-context>{inside}</memory-context>{after}"
    assert without_fences(text) == before + after
