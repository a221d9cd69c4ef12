"""Each reader against data that the real program wrote; docs/formats.md says which version and how."""

from __future__ import annotations

import zipfile
from pathlib import Path

import apsw
import pytest

from tenure import formats
from tenure.formats import ForeignRecord, Unread, files
from tenure.model.errors import InvalidInput

WRITTEN = Path(__file__).parent.parent / "fixtures" / "formats"


def read(url: str) -> tuple[list[ForeignRecord], list[Unread]]:
    given = formats.reader(url)
    assert given is not None
    everything = list(given[1]())
    return [each for each in everything if isinstance(each, ForeignRecord)], [
        each for each in everything if isinstance(each, Unread)
    ]


def restored(dump: str, path: Path) -> Path:
    """Return a database with what SQLite dumped of the program's own."""
    database = apsw.Connection(str(path))
    database.execute((WRITTEN / dump).read_text())
    database.close()
    return path


def test_the_file_of_the_reference_server_keeps_its_names() -> None:
    """@modelcontextprotocol/server-memory 2026.8.31 over stdio: four of its writing tools."""
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


def test_notes_of_codex_are_taken() -> None:
    """Codex 0.166.0: its tool `add_ad_hoc_note`, asked for by a model stand-in."""
    taken, left = read(f"codex:{WRITTEN / 'codex'}")
    assert not left
    assert [(each.says["text"], each.says.get("tags", [])) for each in taken] == [
        ("Remember: night builds of the ledger go to the big machine, because the small one runs out of disk.", []),
        ("Run the bank tests in pairs, one with the quota and one without.", ["bank-tests"]),
        ("Bank tests: Never point them at the live bank.", ["bank-tests"]),
    ]


def test_the_handbook_and_summary_of_codex_give_what_is_no_route(tmp_path: Path) -> None:
    """The headings that Codex's own templates ask its model for; recaps of sessions are not taken."""
    (tmp_path / "rollout_summaries").mkdir()
    (tmp_path / "rollout_summaries" / "a.md").write_text("- A recap of a session nobody asked to keep.\n")
    (tmp_path / "MEMORY.md").write_text(
        "# Task Group: ledger / releases\n\nscope: how it ships\n\n## Task 1: first release, done\n\n"
        "### rollout_summary_files\n\n- rollout_summaries/a.md (cwd=/x, thread_id=1, it went well)\n\n"
        "### keywords\n\n- make, ship, quota, bank, parked\n\n## User preferences\n\n"
        '- when releasing, the user said: "never on Fridays" -> wait for Monday [Task 1][Task 2]\n\n'
        "## Failures and how to do differently\n\n- The tag was missing, so push it first [Task 1]\n"
    )
    (tmp_path / "memory_summary.md").write_text(
        "v1\n\n## User Profile\n\n## General Tips\n\n- The small machine has no disk left at night\n\n"
        "## What's in Memory\n\n### ledger\n\n#### 2026-11-16\n\n"
        "- rollout_summaries/a.md \u2014 how the first release went; thread_id=1\n"
    )
    taken, _ = read(f"codex:{tmp_path}")
    assert [(each.says["kind"], each.says["text"], each.says["tags"]) for each in taken] == [
        ("preference", 'when releasing, the user said: "never on Fridays" -> wait for Monday', ["ledger-releases"]),
        ("lesson", "The tag was missing, so push it first", ["ledger-releases"]),
        ("lesson", "The small machine has no disk left at night", []),
    ]


def test_instructions_of_copilot_keep_the_files_they_apply_to(tmp_path: Path) -> None:
    """GitHub's documentation: one file for the repository, others with `applyTo`; no other page is read."""
    folder = tmp_path / ".github" / "instructions"
    folder.mkdir(parents=True)
    (tmp_path / "install-instructions.md").write_text("- This page is for people who install it.\n")
    (tmp_path / ".github" / "copilot-instructions.md").write_text("## Style\n\n- Write money as whole cents only.\n")
    (folder / "bank.instructions.md").write_text(
        "---\napplyTo: **/*.ts,src/bank.py\n---\n\n- Count every call to the bank.\n"
    )
    (folder / "prose.instructions.md").write_text('---\ndescription: Tone\napplyTo: "**"\n---\nBe brief and plain.\n')
    (folder / "empty.instructions.md").write_text("---\napplyTo: '**'\n---\n")
    taken, left = read(f"copilot:{tmp_path}")
    assert [(each.says["text"], each.says["files"], each.says["kind"]) for each in taken] == [
        ("Write money as whole cents only.", [], "preference"),
        ("Count every call to the bank.", ["src/bank.py"], "preference"),
        ("Be brief and plain.", [], "preference"),
    ]
    assert left == [Unread(".github/instructions/empty.instructions.md", "it says nothing")]
    assert taken[2].says["title"] == "Tone"


def test_packets_of_kage_give_what_is_not_superseded() -> None:
    """Kage 4.0.5, built from its repository: `kage init`, three times `learn`, and `supersede` of one."""
    taken, left = read(f"kage:{WRITTEN / 'kage'}")
    assert [(each.says["title"], each.says["kind"], each.says["tags"], each.says["files"]) for each in taken] == [
        ("Bank tests use the fake bank", "preference", ["convention", "session-learning"], ["src/bank.py"]),
        ("Payments are parked after three tries", "decision", ["decision", "session-learning", "ledger", "bank"],
         ["src/bank.py"]),
    ]  # fmt: skip
    assert taken[1].says["text"].startswith("Payments are tried three times, one minute apart, then parked")
    assert [each.why for each in left] == ["its status is superseded", "Kage rebuilds it from the project's files"]


def test_packets_of_kage_without_its_own_record_are_read_as_concepts(tmp_path: Path) -> None:
    """Kage's README: a concept written by hand is a packet too; before its third version packets were JSON."""
    (tmp_path / "by-hand.md").write_text("---\ntype: Convention\ntitle: Cents\n---\n\nWrite money as whole cents.\n")
    (tmp_path / "older.json").write_text('{"type": "gotcha", "status": "pending", "body": "Wait for the queue."}')
    (tmp_path / "broken.md").write_text("```json kage-state\n{\n```\n")
    (tmp_path / "empty.json").write_text("[]")
    taken, left = read(f"kage:{tmp_path}")
    assert [each.says["text"] for each in taken] == ["Write money as whole cents.", "Wait for the queue."]
    assert [each.where for each in left] == ["broken.md", "empty.json"]


def archive(path: Path, members: dict[str, str]) -> Path:
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as made:
        for name, text in members.items():
            made.writestr(name, text)
    return path


def test_a_bank_that_hindsight_exported_gives_its_facts_and_observations() -> None:
    """Hindsight 1.1.0 with a stand-in for the model: `hindsight-admin export-bank` wrote this."""
    taken, left = read(f"hindsight:{WRITTEN / 'hindsight' / 'bank.zip'}")
    assert not left
    assert sorted((each.says["text"], tuple(each.says["tags"])) for each in taken) == [
        ("Night builds go to the big machine, because the small one has no disk", ()),
        ("Parked payments are looked at on the next working day", ("bank",)),
        ("Payments are tried three times, then parked", ("retry-rules", "bank")),
        ("Payments wait for the limits of the bank", ("bank",)),
        ("The bank lets 100 calls a minute through; see docs/limits.md", ("retry-rules", "bank")),
        ("Übersetzung prefers tables \u2013 not prose 🙂", ()),
    ]


def test_what_hindsight_lists_is_read_without_what_was_invalidated_there() -> None:
    """The same bank, as `GET …/memories/list` answers; one fact was invalidated with a reason."""
    taken, left = read(f"hindsight:{WRITTEN / 'hindsight' / 'list.json'}")
    assert len(taken) == 6 and not left
    gone, why = read(f"hindsight:{WRITTEN / 'hindsight' / 'list-invalidated.json'}")
    assert not gone and why == [Unread("list-invalidated.json:1", "it was invalidated: it moved")]


def test_an_archive_of_hindsight_costs_only_what_cannot_be_read(tmp_path: Path) -> None:
    """Hindsight's transfer schema 1, read from its source: facts below documents, observations beside them."""
    members = {
        "manifest.json": '{"schema_version": 1, "source_bank_id": "b"}',
        "documents/000000.json": '{"id": "d", "original_text": "a talk", "tags": ["Bank"], "facts": ['
        '{"text": "Payments are tried three times", "fact_type": "world", "tags": ["retry"]}, {"fact_type": "world"}]}',
        "documents/000001.json": "{",
        "documents/000002.json": '{"facts": ["' + "x" * (files.MOST_BYTES + 1) + '"]}',
        "observations.json": '[{"text": "The bank answers slowly on Mondays", "proof_count": 3}]',
        "../outside.json": '{"facts": [{"text": "never read"}]}',
    }
    taken, left = read(f"hindsight:{archive(tmp_path / 'bank.zip', members)}")
    assert [(each.says["text"], each.says["tags"]) for each in taken] == [
        ("Payments are tried three times", ["bank", "retry"]),
        ("The bank answers slowly on Mondays", []),
    ]
    assert [each.where for each in left] == [
        "documents/000000.json:2", "documents/000001.json", "documents/000002.json",
    ]  # fmt: skip
    (tmp_path / "half.zip").write_bytes((tmp_path / "bank.zip").read_bytes()[:400])
    with pytest.raises(InvalidInput):
        read(f"hindsight:{tmp_path / 'half.zip'}")
