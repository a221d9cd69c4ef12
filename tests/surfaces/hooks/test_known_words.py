"""F13 of issue 13: what a host says of itself is kept only as known words."""

from __future__ import annotations

import json

from tests.program import Program

ODD = "ghp_surely-no-way-to-start"


def test_the_journal_and_the_log_keep_no_unknown_word(program: Program) -> None:
    """Neither the `source` of a session's start nor the name of a hook is text that anybody chose."""
    event = {"session_id": "s-1", "cwd": str(program.folder), "source": ODD}
    assert program("hook", "session-start", stdin=json.dumps(event).encode()).status == 0
    assert program("hook", ODD).status == 0
    kept = b"".join(path.read_bytes() for path in program.home.rglob("*") if path.is_file())
    assert b"unknown event" in kept and ODD.encode() not in kept
