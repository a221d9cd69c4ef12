"""What a commit brought waits: issue 13, trust is tied to what was trusted."""

from __future__ import annotations

from pathlib import Path

import msgspec
import pytest

from tenure.model import clock
from tenure.model import policy as policies
from tenure.model.memory import Memory, Verdict
from tenure.rules.stored_verdict import verdict
from tenure.store import waiting
from tenure.store.companion import FileStore
from tenure.systems.claude_code.memory_files import MemoryFiles

POLICY, _ = policies.load("claude-code", {})


def judge(memory: Memory) -> Verdict:
    return verdict(memory, POLICY)


class Shelf:
    """A folder of memory files, and which of them git would say a commit brought."""

    def __init__(self, folder: Path) -> None:
        self.folder, self.came = folder / "memory", set[str]()
        self.folder.mkdir()
        self.companion = folder / "companion.db"

    def put(self, name: str, text: str, *, by_commit: bool) -> None:
        (self.folder / name).write_text(f"---\nname: {name}\ntype: project\n---\n{text}\n")
        (self.came.add if by_commit else self.came.discard)(name)

    def open(self) -> FileStore:
        files = MemoryFiles(self.folder)
        found = FileStore(self.companion, files, judge, clock.now, self.came.__contains__)
        found.refresh()
        return found

    def eligible(self) -> set[str]:
        store = self.open()
        try:
            return {row.memory.id for row in store.find(among="eligible")}
        finally:
            store.close()


@pytest.fixture
def shelf(tmp_path: Path) -> Shelf:
    found = Shelf(tmp_path)
    found.put("mine.md", "Written here", by_commit=False)
    assert found.eligible() == {"mine.md"}
    return found


def test_a_new_file_of_a_commit_waits_until_somebody_agrees(shelf: Shelf) -> None:
    """It is there and listed, and counts after `agree`."""
    shelf.put("theirs.md", "Pulled", by_commit=True)
    assert shelf.eligible() == {"mine.md"}
    store = shelf.open()
    assert store.waiting() == {"theirs.md": 0} and store.get("theirs.md") is not None
    store.agree()
    assert store.waiting() == {}
    store.close()
    assert shelf.eligible() == {"mine.md", "theirs.md"}


def test_a_change_that_a_commit_brings_waits_and_is_told_from_what_counted(shelf: Shelf) -> None:
    """What waits is listed with its difference."""
    shelf.put("mine.md", "Changed by somebody else", by_commit=True)
    assert shelf.eligible() == set()
    store = shelf.open()
    accepted = store.accepted("mine.md")
    assert accepted is not None and accepted.text.strip() == "Written here"
    store.close()


def test_a_commit_of_what_was_seen_here_changes_nothing(shelf: Shelf) -> None:
    """Never seen here uncommitted: this one was."""
    shelf.came.add("mine.md")
    assert shelf.eligible() == {"mine.md"}


def test_what_is_again_as_it_counted_waits_no_more(shelf: Shelf) -> None:
    """Somebody went to another branch and back."""
    shelf.put("mine.md", "Of another branch", by_commit=True)
    assert shelf.eligible() == set()
    shelf.put("mine.md", "Written here", by_commit=True)
    assert shelf.eligible() == {"mine.md"}


def test_what_waits_and_is_rewritten_here_is_the_users(shelf: Shelf) -> None:
    """Modified files are the user's."""
    shelf.put("theirs.md", "Pulled", by_commit=True)
    assert "theirs.md" not in shelf.eligible()
    shelf.put("theirs.md", "Rewritten by the person", by_commit=False)
    assert "theirs.md" in shelf.eligible()


def test_no_other_judgement_lets_it_through(shelf: Shelf) -> None:
    """Upkeep, a rebuild of the index and a change by a command judge memories again."""
    shelf.put("theirs.md", "Pulled", by_commit=True)
    store = shelf.open()
    store.health.rejudge(judge)
    store.health.rebuild(judge)
    assert {row.memory.id for row in store.find(among="eligible")} == {"mine.md"}
    store.close()


def test_a_file_that_is_gone_waits_no_more(shelf: Shelf) -> None:
    """And comes back as new."""
    shelf.put("theirs.md", "Pulled", by_commit=True)
    assert "theirs.md" not in shelf.eligible()
    (shelf.folder / "theirs.md").unlink()
    store = shelf.open()
    assert store.waiting() == {}
    store.close()
    shelf.put("theirs.md", "Pulled", by_commit=True)
    assert "theirs.md" not in shelf.eligible()


def test_without_a_gate_nothing_waits(shelf: Shelf) -> None:
    """A store whose trust is not tied to a commit, such as one that was named."""
    shelf.put("theirs.md", "Pulled", by_commit=True)
    store = FileStore(shelf.companion, MemoryFiles(shelf.folder), judge, clock.now)
    store.refresh()
    assert {row.memory.id for row in store.find(among="eligible")} == {"mine.md", "theirs.md"}
    store.close()


def test_versions_say_the_same_when_all_their_words_are_the_same(shelf: Shelf) -> None:
    """What is not among the words may differ: a counter, a state."""
    store = shelf.open()
    row = store.get("mine.md")
    assert row is not None
    memory, replace = row.memory, msgspec.structs.replace
    assert waiting.same_words(memory, replace(memory, state="archived"))
    assert not waiting.same_words(memory, replace(memory, text="Written there"))
    assert not waiting.same_words(memory, replace(memory, content={"how": "otherwise"}))
    assert not waiting.same_words(None, memory)
    store.close()


def test_what_another_process_agreed_to_waits_no_longer(shelf: Shelf) -> None:
    """A server that stays open asks again."""
    shelf.put("theirs.md", "Pulled", by_commit=True)
    server = shelf.open()
    assert set(server.waiting()) == {"theirs.md"}
    other = shelf.open()
    other.agree()
    other.close()
    assert server.waiting() == {}
    server.close()
