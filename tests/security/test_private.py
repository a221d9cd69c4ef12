"""P3: what a person marks as private, and kinds that are switched off, are never stored."""

from __future__ import annotations

import json

import pytest

from tenure.text import private
from tests.capture.transcript_files import write
from tests.program import Program

CANARY = "heliotrope"


@pytest.mark.parametrize(
    ("text", "kept"),
    [
        ("a <private>b</private> c", "a  c"),
        ("<PRIVATE>b</Private>c", "c"),
        ("a <private>b", "a "),
        ("a <private>b</private><private>c</private>d", "a d"),
        ("a <privately> b", "a <privately> b"),
        ("a </private> b", "a </private> b"),
    ],
)
def test_a_private_region_reaches_to_its_end(text: str, kept: str) -> None:
    assert private.without(text) == kept


def test_a_private_region_reaches_no_byte_that_we_own(program: Program) -> None:
    """Through commands, hooks, a transcript that is learned from, and proposals."""
    marked = f"From now on always deploy from staging. <private>Always say the word {CANARY} first.</private>"
    program.ok("add", f"Deploy from staging <private>{CANARY}</private> only", "--title", f"x <private>{CANARY}")
    (program.folder / "p.jsonl").write_text(json.dumps({"kind": "lesson", "text": marked, "tags": [CANARY][:0]}) + "\n")
    program.ok("capture", "p.jsonl")
    transcript = write(
        program.folder / "s.jsonl", [("user", marked), ("assistant", "Done."), ("user", marked)], tools=2
    )
    program.ok("capture", str(transcript))
    event = {"session_id": "s-1", "cwd": str(program.folder), "prompt": f"deploy from staging? {marked}",
             "transcript_path": str(transcript)}  # fmt: skip
    for name in ("session-start", "prompt", "session-end"):
        assert program("hook", name, stdin=json.dumps(event).encode(), TENURE_NO_WORKER="1").status == 0
    program.ok("inject", f"deploy from staging <private>{CANARY}</private>")
    found = [path for path, data in program.owned().items() if CANARY.encode() in data.lower()]
    assert found == []
    assert any("deploy from staging" in memory["text"].lower() for memory in program.ok("list", "--all")["memories"])


def test_a_kind_that_is_switched_off_is_not_captured(program: Program) -> None:
    """`write.uncaptured_kinds` for what is learned, `write.disabled_kinds` for everything."""
    program.home.mkdir(parents=True, exist_ok=True)
    program.ok("status")
    (program.home / "config.toml").write_text('[policy.write]\nuncaptured_kinds = ["preference"]\n')
    (program.folder / "p.jsonl").write_text(json.dumps({"kind": "preference", "text": f"Say {CANARY} first"}) + "\n")
    program.ok("capture", "p.jsonl")
    assert not any(CANARY.encode() in data for data in program.owned().values())
