"""Memories of one store in another system's files: what the format cannot say is fitted, and nothing is lost."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.program import Program


@pytest.fixture
def filled(program: Program) -> Program:
    """A project with memories whose ids and titles not every format can hold."""
    program.ok("add", "Build granite before the integration tests", "--id", "granite", "--kind", "runbook")
    program.ok("add", "Tokens are kept for an hour", "--id", "tokens.md", "--title", "-> #")
    program.ok("add", "Use pnpm because npm is slow", "--id", "m_Odd", "--kind", "decision")
    return program


def imported(program: Program, store: str, folder: str) -> dict[str, str]:
    """Import the project's own store into another system's files; return them by their names."""
    program.ok("--store", store, "import", "sqlite:.tenure/memory.db")
    assert program("--store", store, "check").status == 0
    return {path.name: path.read_text("utf-8") for path in sorted((program.folder / folder).rglob("*.*"))}


def test_a_file_of_claude_code_is_named_after_the_id(filled: Program) -> None:
    """Ours: an id that is a file name already stays; another becomes one."""
    files = imported(filled, "claude-code:memory", "memory")
    names = {name for name in files if name.endswith(".md")} - {"MEMORY.md"}
    assert {"granite.md", "tokens.md"} < names and len(names) == 3
    assert "Tokens are kept for an hour" in files["tokens.md"]


def test_a_record_of_claude_memory_is_valid_whatever_came(filled: Program) -> None:
    """Specification 1.5: ids of small letters, a title of its own, and a content by the category's schema."""
    files = imported(filled, "claude-memory:.claude/memory", ".claude/memory")
    records = {name: json.loads(text) for name, text in files.items() if name.endswith(".json")}
    assert "granite.json" in records and len(records) == 3
    assert all(record["id"] == Path(name).stem and record["title"].strip() for name, record in records.items())
    (decision,) = [record for record in records.values() if record["category"] == "decision"]
    assert decision["content"]["rationale"] == ["npm is slow"] and "m_Odd" not in decision["id"]
