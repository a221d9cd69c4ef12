"""Each reader against data that the real program wrote; docs/formats.md says which version and how."""

from __future__ import annotations

from pathlib import Path

import apsw
import pytest

from tenure import formats
from tenure.formats import Found, Unread
from tenure.model.errors import InvalidInput

WRITTEN = Path(__file__).parent.parent / "fixtures" / "formats"


def read(url: str) -> tuple[list[Found], list[Unread]]:
    given = formats.reader(url)
    assert given is not None
    everything = list(given[1]())
    return [each for each in everything if isinstance(each, Found)], [
        each for each in everything if isinstance(each, Unread)
    ]


def restored(dump: str, path: Path) -> Path:
    """Return a database with what SQLite dumped of the program's own."""
    database = apsw.Connection(str(path))
    database.execute((WRITTEN / dump).read_text())
    database.close()
    return path


def test_the_file_of_the_reference_server_keeps_its_names() -> None:
    """@modelcontextprotocol/server-memory 2026.8.31 over stdio: its five writing tools."""
    taken, left = read(f"mcp-memory:{WRITTEN / 'mcp-memory.jsonl'}")
    assert [each.says["text"] for each in taken] == [
        "ledger-api: Retries a payment three times, then parks it",
        'ledger-api: Says "quota" when the bank\'s limit is hit: see docs/limits.md\nand wait a minute',
        "ledger-api: Is released with make ship on Thursdays",
        "Übersetzung prefers tables – not prose 🙂",
        "Übersetzung looks after ledger-api",
        "ledger-api fills empty_shelf",
    ]
    assert left == [Unread("line 3", "'empty_shelf' has no observations")]
    assert taken[0].says["tags"] == ["service", "ledger-api"]


def test_notes_of_basic_memory_give_what_it_indexed() -> None:
    """basic-memory 0.24.1, `tool write-note`; it indexes a tagged item without a category and keeps `#42` in place."""
    taken, left = read(f"basic-memory:{WRITTEN / 'basic-memory'}")
    assert not left
    assert [(each.says["text"], each.says.get("kind"), each.says["tags"]) for each in taken] == [
        ("Payments are tried three times, then parked (agreed in March)", "decision", ["ledger", "bank", "retry"]),
        ("The bank lets 100 calls a minute through", None, ["ledger", "bank", "limit"]),
        ("Ship it with `make ship`; see [the page](docs/ship.md)", "preference", ["ledger", "bank"]),
        ("Issue #42 is the place where quotas are talked over", None, ["ledger", "bank", "note"]),
        ("a plain item without a category", None, ["ledger", "bank", "loose"]),
        ("Parked means that a person looks at the payment on the next working day.", "reference", []),
    ]
    assert taken[-1].says["title"] == 'Why "parked": a word'


def test_what_get_all_of_mem0_returned_is_read() -> None:
    """mem0ai 2.2.1, `add(infer=False)`, `update`, `delete` and `get_all`, with a local Qdrant."""
    taken, left = read(f"mem0:{WRITTEN / 'mem0.json'}")
    assert not left
    assert [(each.says["text"], each.says["tags"]) for each in taken] == [
        ("I take the tests in pairs, never alone", []),
        ("Builds run on the big machine at night", ["builds"]),
        ("Noted: pairs of tests", []),
    ]


def test_the_history_of_mem0_gives_each_memory_as_it_was_last(tmp_path: Path) -> None:
    """The same run's history.db: what was updated is new, what was deleted is gone."""
    taken, left = read(f"mem0:{restored('mem0-history.sql', tmp_path / 'history.db')}")
    assert not left
    assert [each.says["text"] for each in taken] == [
        "I take the tests in pairs, never alone",
        "Noted: pairs of tests",
        "Builds run on the big machine at night",
    ]


def test_another_database_is_no_history_of_mem0(tmp_path: Path) -> None:
    with pytest.raises(InvalidInput, match="no history of mem0"):
        read(f"mem0:{restored('claude-mem.sql', tmp_path / 'other.db')}")


def test_the_database_of_claude_mem_is_read_as_a_whole_or_by_project(tmp_path: Path) -> None:
    """claude-mem 13.25.3, its worker's `/api/memory/save` and `/api/import`."""
    path = restored("claude-mem.sql", tmp_path / "claude-mem.db")
    taken, left = read(f"claude-mem:{path}")
    assert not left
    assert [each.says["title"] for each in taken] == [
        "Where night builds run",
        "Tests of the bank client go in pairs: one with the quota, on...",
        "Payments are parked after three tries",
        "The queue no longer drops its last entry",
    ]
    third = taken[2].says
    assert (third["kind"], third["files"]) == ("decision", ["src/bank/client.py"])
    assert third["tags"] == ["decision", "how-it-works", "gotcha", "ledger"]
    assert third["text"].endswith("\n\n- Three tries, one minute apart\n- A parked payment waits for a person")
    of_one, _ = read(f"claude-mem:{path}#ledger")
    assert [each.where for each in of_one] == ["observation 1", "observation 3", "observation 4"]
