"""`tenure capture --agent`: sessions an agent has kept teach as much as those of today, and count once."""

from __future__ import annotations

import hashlib
import json
import os
import pty
import subprocess
import sys
from pathlib import Path
from typing import Any

import apsw
import pytest

from tests.program import Program

RULE = "No, use tabs instead of spaces in the Makefile."


def claude(home: Path, folder: Path, session: str) -> Path:
    path = home / ".claude" / "projects" / "slug" / f"{session}.jsonl"
    record = {"type": "user", "uuid": session, "cwd": str(folder), "message": {"content": RULE}}
    return _written(path, record)


def codex(home: Path, folder: Path, session: str) -> Path:
    path = home / ".codex" / "sessions" / "2026" / "01" / "02" / f"rollout-2026-01-02T00-00-00-{session}.jsonl"
    said = {"type": "message", "role": "user", "content": [{"type": "input_text", "text": RULE}]}
    return _written(
        path,
        {"type": "session_meta", "payload": {"id": session, "cwd": str(folder)}},
        {"type": "response_item", "payload": said},
    )


def gemini(home: Path, folder: Path, session: str) -> Path:
    slug = hashlib.sha256(os.path.realpath(folder).encode()).hexdigest()
    path = home / ".gemini" / "tmp" / slug / "chats" / f"session-{session}.jsonl"
    return _written(
        path,
        {"sessionId": session, "projectHash": slug, "startTime": "t"},
        {"id": f"{session}-1", "timestamp": "t", "type": "user", "content": [{"text": RULE}]},
        {"$set": {"lastUpdated": "t"}},
    )


def copilot(home: Path, folder: Path, session: str) -> Path:
    path = home / ".copilot" / "session-state" / session / "events.jsonl"
    start = {"sessionId": session, "context": {"cwd": str(folder), "gitRoot": str(folder)}}
    return _written(
        path,
        {"type": "session.start", "data": start, "id": "0", "timestamp": "t"},
        {"type": "user.message", "data": {"content": RULE}, "id": "1", "timestamp": "t", "parentId": "0"},
    )


def _written(path: Path, *records: dict[str, Any]) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("".join(json.dumps(record) + "\n" for record in records))
    return path


@pytest.mark.parametrize(("agent", "write"), [("claude-code", claude), ("codex", codex), ("copilot", copilot)])
def test_kept_sessions_of_this_project_are_learned_from_once(agent: str, write: Any, program: Program) -> None:
    """Issue 8: learns from existing history at a cost of nothing; another project's sessions stay out."""
    home = program.home.parent
    ids = [f"0000000{n}-0000-0000-0000-000000000000" for n in range(4)]
    write(home, program.folder, ids[0])
    write(home, program.folder / "below", ids[1])
    write(home, program.folder.parent / "project2", ids[2])
    old = write(home, program.folder, ids[3])
    os.utime(old, (0, 0))
    dry = program.ok("capture", "--agent", agent, "--since", "30d", "--dry-run")
    assert dry["sessions"] == 2 and program.ok("list")["memories"] == []
    first = program.ok("capture", "--agent", agent, "--since", "30d")
    assert [decision["action"] for decision in first["decisions"]] == ["create", "update"]
    learned = program.ok("list")["memories"]
    assert [item["state"] for item in learned] == ["provisional"]
    # What came into use by these words is not proposed again.
    again = program.ok("capture", "--agent", agent, "--since", "30d")
    assert again["decisions"] == []
    assert program.ok("list")["memories"] == learned


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--agent", "nobody"], "keeps no sessions"),
        (["--agent", "codex", "--since", "ever"], "is not an age"),
        ([], "Name files"),
        (["x.jsonl", "--agent", "codex"], "Name files"),
    ],
)
def test_a_request_that_makes_no_sense_says_so(words: list[str], said: str, program: Program) -> None:
    """Errors say what was expected."""
    done = program("--json", "capture", *words)
    assert done.status == 2 and said in done.error["message"]


@pytest.mark.parametrize("agent", ["claude-code", "codex", "gemini", "copilot", "opencode"])
def test_an_agent_that_was_never_used_has_nothing(agent: str, program: Program) -> None:
    """No folder is no error."""
    assert program.ok("capture", "--agent", agent)["sessions"] == 0


def test_gemini_keeps_sessions_under_a_hash_of_the_folder(program: Program) -> None:
    """Facts 7.2: `~/.gemini/tmp/<project>/chats`; nothing inside names the folder."""
    gemini(program.home.parent, program.folder, "one")
    gemini(program.home.parent, program.folder.parent / "other", "two")
    assert program.ok("capture", "--agent", "gemini")["sessions"] == 1
    assert len(program.ok("list")["memories"]) == 1


def test_opencode_keeps_sessions_in_a_database_and_those_of_subagents_are_left_out(program: Program) -> None:
    """Facts 7.2: tables session, message and part; a subagent's session has a parent."""
    path = program.home.parent / ".local" / "share" / "opencode" / "opencode.db"
    path.parent.mkdir(parents=True)
    database = apsw.Connection(str(path))
    database.execute("CREATE TABLE session (id TEXT, parent_id TEXT, directory TEXT, time_updated INTEGER)")
    database.execute("CREATE TABLE message (id TEXT, session_id TEXT, data TEXT)")
    database.execute("CREATE TABLE part (id TEXT, message_id TEXT, data TEXT)")
    for id, parent in (("s1", None), ("s2", "s1")):
        database.execute("INSERT INTO session VALUES (?, ?, ?, ?)", (id, parent, str(program.folder), 4102444800000))
        database.execute("INSERT INTO message VALUES (?, ?, ?)", (f"m-{id}", id, json.dumps({"role": "user"})))
        part = {"type": "text", "text": RULE}
        database.execute("INSERT INTO part VALUES (?, ?, ?)", (f"p-{id}", f"m-{id}", json.dumps(part)))
    database.close()
    found = program.ok("capture", "--agent", "opencode")
    assert found["sessions"] == 1 and [one["action"] for one in found["decisions"]] == ["create"]


def test_transcripts_of_subagents_are_no_sessions(program: Program) -> None:
    """Claude Code writes a subagent's transcript beside the session's; nobody spoke in it."""
    claude(program.home.parent, program.folder, "one")
    claude(program.home.parent, program.folder, "agent-a1b2")
    assert program.ok("capture", "--agent", "claude-code")["sessions"] == 1


def test_a_person_sees_a_progress_bar_and_a_pipe_does_not(program: Program) -> None:
    """Issue 8: learns from existing history with a progress bar."""
    claude(program.home.parent, program.folder, "one")
    words = [sys.executable, "-m", "tenure", "capture", "--agent", "claude-code"]
    terminal, side = pty.openpty()
    subprocess.run(words, stdout=subprocess.PIPE, stderr=side, cwd=program.folder, env=program.variables(), check=True)
    os.close(side)
    assert b"Learning" in os.read(terminal, 65536)
    os.close(terminal)
    assert b"Learning" not in program("capture", "--agent", "claude-code").err


def test_a_dry_run_tells_what_each_memory_would_say_and_the_words_it_rests_on(program: Program) -> None:
    """Issue 16: "print what each memory says with its quote"; an id that the real run does not give leads nowhere."""
    session = program.folder / "session.jsonl"
    record = {"type": "user", "uuid": "u", "sessionId": "s", "cwd": str(program.folder)}
    session.write_text(json.dumps({**record, "message": {"role": "user", "content": "No, use tabs, not spaces here."}}))
    seen = program("capture", str(session), "--dry-run").text.splitlines()
    assert seen[0].startswith("create · preference · ")
    place = seen.index("  Use tabs, not spaces here")
    assert seen[place + 1] == '  said: "No, use tabs, not spaces here."'


def test_a_dry_run_of_files_tells_from_which_session_a_quote_is_and_that_nothing_was_written(program: Program) -> None:
    """A stranger's finding: no count of sessions, no word of what was written, no next step."""
    for name, said in (("a", "No, use tabs, not spaces here."), ("b", "Where is it?"), ("c", "Never push to main.")):
        record = {"type": "user", "uuid": name, "sessionId": name, "message": {"role": "user", "content": said}}
        (program.folder / f"{name}.jsonl").write_text(json.dumps(record))
    proposals = b'{"text": "Run make db first"}\n'
    seen = program("capture", "-", "a.jsonl", "b.jsonl", "c.jsonl", "--dry-run", stdin=proposals).text.splitlines()
    assert [line for line in seen if line.startswith(("  said", "  in: "))] == [
        '  said: "No, use tabs, not spaces here."', "  in: a.jsonl", '  said: "Never push to main."', "  in: c.jsonl",
    ]  # fmt: skip
    assert seen[-1] == "3 sessions read. Nothing was written. Next: the same without --dry-run."
    nothing = program("capture", "b.jsonl", "--dry-run").text.splitlines()
    assert nothing == ["Nothing to capture was found.", "1 session read. Nothing was written."]
    assert program("capture", "a.jsonl").text.splitlines()[-1] == "1 session read."


def test_a_file_of_several_sessions_is_named_with_the_session(program: Program) -> None:
    """aider keeps all sessions of a project in one file."""
    chat = "# aider chat started at 2026-04-0{} 10:00:00\n\n#### {}\n\nDone.\n\n"
    both = chat.format(1, "No, use tabs, not spaces here.") + chat.format(2, "Never push to main.")
    (program.folder / ".aider.chat.history.md").write_text(both)
    read = program.ok("capture", ".aider.chat.history.md", "--dry-run")["read"]
    text = " ".join(program("capture", ".aider.chat.history.md", "--dry-run").text.split())
    assert [row["decisions"] for row in read] == [1, 1]
    assert all(f"in: .aider.chat.history.md, session {row['session']}" in text for row in read)


def test_a_dry_run_tells_the_text_of_a_proposal_and_the_id_of_a_memory_that_is_there(program: Program) -> None:
    """Issue 16."""
    lines = b'{"text": "Use tabs in the Makefile", "kind": "preference", "run": "%s"}\n'
    program.ok("capture", "-", stdin=lines % b"r1")
    (memory,) = program.ok("list")["memories"]
    seen = program("capture", "-", "--dry-run", stdin=lines % b"r2").text
    assert seen.startswith(f"update · {memory['id']} · preference · ")
    assert "\n  Use tabs in the Makefile" in seen
