"""Whatever lies in another system's folder: it is a problem row, is left as it is, and stops nothing (R16)."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest

import tenure
from tests.program import Program

# Bytes that no honest writer produces, for any file that should hold JSON.
BYTES: dict[str, bytes] = {
    "empty": b"",
    "null": b"null",
    "list": b"[1]",
    "number": b"1",
    "text": b'"x"',
    "object": b"{}",
    "open": b"{",
    "not-utf-8": b"\xff\xfe{}",
    "zeros": b"\0" * 64,
    "twice": b'{"id": 1, "id": 2}',
    "nan": b'{"confidence": NaN, "memory_id": "nan"}',
    "overflow": b'{"confidence": 1e999}',
    "digits": b'{"frequency": ' + b"9" * 5000 + b"}",
    "deep": b"[" * 100_000,
    "deep-object": b'{"a":' * 50_000,
    "half": b'{"title": "\\ud800"}',
    "lists": b'{"id": [], "memory_id": {}, "title": [], "tags": {}, "signals": [], "meta": [], "content": 1}',
    "nulls": b'{"id": null, "memory_id": null, "title": null, "tags": null, "signals": null, "meta": null}',
    "dates": b'{"created_at": "9999-99-99T99:99:99Z", "updated_at": 12, "retired_at": "-1", "review_after": ""}',
}
# Values for each field of a good record, one record each.
VALUES: list[Any] = [None, [], {}, "", 0, -1, 1e308, True, [None], [[1]], {"a": {"b": []}}, "\x00\x1b[2J", "x" * 9000]


def variants(record: dict[str, Any]) -> list[bytes]:
    """Return the record with each field missing, and with each field holding what it should not."""
    spoilt = [{k: v for k, v in record.items() if k != name} for name in record]
    spoilt += [{**record, name: value} for name in record for value in VALUES]
    return [json.dumps(each).encode() for each in spoilt]


def odd_files(folder: Path) -> None:
    """Put what is no plain file among the others."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "folder.json").mkdir()
    (folder / "folder.md").mkdir()
    os.mkfifo(folder / "pipe.json")
    os.mkfifo(folder / "pipe.md")
    (folder / "link.json").symlink_to("/etc/hostname")
    (folder / "dangling.md").symlink_to("nowhere")
    (folder / "big.json").write_bytes(b"[" + b"1," * 3_000_000 + b"1]")
    (folder / "new\nline.json").write_bytes(b"{}")
    (folder / "new\nline.md").write_bytes(b"x")
    with open(os.fsencode(folder) + b"/\xff\xfe.json", "wb") as file:
        file.write(b"{}")
    with open(os.fsencode(folder) + b"/\xff\xfe.md", "wb") as file:
        file.write(b"x")


def geas(project: Path) -> str:
    good = tenure.open("geas:.geas", project)
    with good as ws:
        ws.add("A good memory with words of its own")
    (made,) = (project / ".geas/memory").glob("*/*.json")
    record = json.loads(made.read_bytes())
    for folder, name in (("candidates", "candidate"), ("entries", "entry"), ("logs", "log")):
        place = project / ".geas/memory" / folder
        odd_files(place)
        for number, data in enumerate([*BYTES.values(), *variants(record)]):
            (place / f"bad-{name}-{number}.json").write_bytes(data)
        (place / "bad-review.json").write_bytes(b"[1]")
    (project / ".geas/state/memory-index.json").write_bytes(b"[1]")
    (project / ".geas/ledger").mkdir(exist_ok=True)
    (project / ".geas/ledger/events.jsonl").write_bytes(b"\xff\n[1]\nnull\n")
    return "geas:.geas"


def archeflow(project: Path) -> str:
    folder = project / ".archeflow/memory"
    folder.mkdir(parents=True)
    good = {"id": "m-001", "type": "pattern", "description": "A good lesson", "frequency": 3, "domain": "general"}
    lines = [data.replace(b"\n", b" ") for data in (*BYTES.values(), *variants(good))]
    for name in ("lessons.jsonl", "archive.jsonl", "audit.jsonl"):
        (folder / name).write_bytes(b"\n".join([*lines, json.dumps(good).encode()]) + b"\n")
    (folder / "archive-move.tmp").write_bytes(b"[1]")
    return "archeflow:.archeflow"


def claude_memory(project: Path) -> str:
    (project / ".claude/memory").mkdir(parents=True)
    with tenure.open("claude-memory:.claude/memory", project) as ws:
        ws.add("A good memory with words of its own")
    (made,) = (project / ".claude/memory").glob("*/*.json")
    record = json.loads(made.read_bytes())
    for folder in ("decisions", "sessions", "tech-debt"):
        place = project / ".claude/memory" / folder
        odd_files(place)
        for number, data in enumerate([*BYTES.values(), *variants(record)]):
            (place / f"bad-{folder}-{number}.json").write_bytes(data)
    (project / ".claude/memory/index.md").write_bytes(b"\xff\0- [X] -> \n- [\n")
    (project / ".claude/memory/memory-config.json").write_bytes(b'{"categories": [1]}')
    return "claude-memory:.claude/memory"


def claude_code(project: Path) -> str:
    folder = project / "memory"
    folder.mkdir()
    with tenure.open("claude-code:memory", project) as ws:
        ws.add("A good memory with words of its own")
    odd_files(folder)
    odd_files(folder / "archive")
    headers = [
        b"---\n",
        b"---\nname: [\n---\n",
        b"---\nname: x\nname: y\n---\nz",
        b"---\n\xff: 1\n---\n",
        b"\0",
        b"---\ntype: {}\n---",
    ]
    for number, data in enumerate([*BYTES.values(), *headers]):
        (folder / f"bad-{number}.md").write_bytes(data)
        (folder / "archive" / f"gone-{number}.md").write_bytes(data)
    (folder / "MEMORY.md").write_bytes(b"\xff\n- [x](nowhere.md)\n- [](\n")
    return "claude-code:memory"


def is_record(path: Path) -> bool:
    """Tell whether a file holds a JSON object: with faults, but a record that a rule may change."""
    try:
        return isinstance(json.loads(path.read_bytes()), dict)
    except (ValueError, RecursionError):
        return False


SYSTEMS = {"geas": geas, "archeflow": archeflow, "claude-memory": claude_memory, "claude-code": claude_code}
COMMANDS = [
    ["list", "--all"],
    ["status"],
    ["search", "good words"],
    ["inject", "good words"],
    ["review"],
    ["check"],
    ["upkeep"],
    ["gc"],
    ["doctor"],
]


@pytest.mark.parametrize("name", SYSTEMS)
def test_bad_files_are_problem_rows_and_stop_nothing(name: str, program: Program) -> None:
    """Issue 13: `[1]` or `null` in one geas file stopped `add`; any bad file is a problem row, never status 70."""
    store = SYSTEMS[name](program.folder)
    before = {path: path.lstat().st_mtime_ns for path in program.folder.rglob("*bad-*") if not is_record(path)}
    added = program("--store", store, "--json", "add", "Fresh words that nobody else has said before")
    assert added.status == 0, (added.status, added.err[-3000:])
    for words in COMMANDS:
        done = program("--store", store, "--json", *words)
        assert done.status in (0, 1), (words, done.status, done.err[-3000:])
        assert b"Traceback" not in done.err
    rows = program("--store", store, "--json", "check").json
    problems = rows["problems"] if isinstance(rows, dict) else rows
    assert all({"path", "field", "message"} <= set(row) for row in problems)
    assert len(problems) >= 15
    assert {path: path.lstat().st_mtime_ns for path in before} == before, "what is not understood is left as it is"
    id = added.json["id"] if "id" in added.json else added.json["memory"]["id"]
    assert program("--store", store, "forget", id, "--yes").status == 0


@pytest.mark.parametrize(
    ("store", "place"),
    [
        ("archeflow:.archeflow", ".archeflow/memory/lessons.jsonl"),
        ("archeflow:.archeflow", ".archeflow/memory/archive.jsonl"),
        ("claude-memory:.claude/memory", ".claude/memory/index.md"),
        ("claude-memory:.claude/memory", ".claude/memory/memory-config.json"),
        ("claude-code:memory", "memory/MEMORY.md"),
        ("geas:.geas", ".geas/state/memory-index.json"),
    ],
)
def test_a_folder_in_the_place_of_a_file_is_no_bug_of_ours(store: str, place: str, program: Program) -> None:
    (program.folder / place).mkdir(parents=True)
    for words in (["list"], ["add", "Words that nobody else has said before"], ["inject", "words"], ["check"]):
        done = program("--store", store, *words)
        assert done.status < 70, (words, done.status, done.err[-3000:])
