"""A rule about one part of a monorepo keeps its folder, read from the files the agent had touched."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tests.program import Program


@pytest.fixture
def monorepo(program: Program) -> Program:
    for name in ("packages/web", "packages/api"):
        (program.folder / name / "src").mkdir(parents=True)
        (program.folder / name / "package.json").write_text("{}")
    (program.folder / "package.json").write_text("{}")
    return program


def talk(program: Program, said: str, *touched: str) -> dict[str, Any]:
    """Let a session touch files, then a person say something; return the only memory it taught."""
    calls = [
        {"type": "tool_use", "id": f"t{n}", "name": "Edit", "input": {"file_path": str(program.folder / path)}}
        for n, path in enumerate(touched)
    ]
    turns: list[tuple[str, Any]] = [("user", "fix the build"), ("assistant", calls), ("user", said)]
    path = program.folder.parent / "one.jsonl"
    about = {"sessionId": "one", "cwd": str(program.folder), "entrypoint": "cli"}
    records = [
        {"type": role, "uuid": str(n), **about, "message": {"role": role, "content": content}}
        for n, (role, content) in enumerate(turns)
    ]
    path.write_text("".join(json.dumps(record) + "\n" for record in records))
    program.ok("capture", str(path))
    [memory] = program.ok("list", "--all")["memories"]
    found: dict[str, Any] = memory
    return found


WEB, API = "packages/web/src/a.ts", "packages/api/src/b.ts"


@pytest.mark.parametrize(
    ("said", "touched", "text", "files"),
    [
        (
            "From now on use tabs in this package.",
            [WEB],
            "From now on use tabs in this package (packages/web)",
            ["packages/web/"],
        ),
        ("Never call fetch from the api, use the client", [WEB, API], "api (packages/api)", ["packages/api/"]),
        ("From now on use tabs in this package.", [WEB, API], "From now on use tabs in this package", []),
        ("From now on write commit messages in English.", [WEB], "From now on write commit messages in English", []),
        ("From now on use tabs in this package.", ["tools.ts"], "From now on use tabs in this package", []),
    ],
    ids=["this package", "by name", "which of two", "about all", "the root"],
)
def test_a_rule_about_a_part_keeps_its_folder(
    said: str, touched: list[str], text: str, files: list[str], monorepo: Program
) -> None:
    """Issue 16: from the files touched; a rule about everything stays one."""
    memory = talk(monorepo, said, *touched)
    assert text in memory["text"] and memory["files"] == files
    assert files or "(packages" not in memory["text"]


def test_it_is_said_when_a_file_of_that_part_is_at_hand(monorepo: Program) -> None:
    """Issue 16: shown when it matters: for any file below the folder, and for none beside it."""
    memory = talk(monorepo, "From now on use tabs in this package.", WEB)

    def before(path: str, session: str) -> str:
        given = {"tool_name": "Edit", "tool_input": {"file_path": str(monorepo.folder / path), "old_string": "a"}}
        event = {"session_id": session, "cwd": str(monorepo.folder), **given}
        return monorepo("hook", "pre-tool", stdin=json.dumps(event).encode(), CLAUDECODE="1").text

    assert memory["id"] in before("packages/web/src/deep/other.ts", "two")
    assert memory["id"] not in before("packages/api/src/b.ts", "three")
    assert memory["id"] not in before("tools.ts", "four")
