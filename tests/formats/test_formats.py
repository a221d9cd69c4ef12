"""What other programs wrote becomes candidates; what we write others can read."""

from __future__ import annotations

import contextlib
import io
import json
import random
import zipfile
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import apsw
import pytest
from hypothesis import given
from hypothesis import strategies as st

import tenure
from tenure import formats
from tenure.formats import ForeignRecord, Unread, hindsight, okf
from tenure.model.errors import TenureError
from tenure.model.kinds import KINDS
from tests.program import Program
from tests.specimens import specimen

WORDS = st.text(st.characters(codec="utf-8", exclude_categories=["C", "Z"]), min_size=1, max_size=12)
LINES = st.lists(WORDS, min_size=1, max_size=8).map(" ".join)


def found(url: str) -> list[ForeignRecord | Unread]:
    given = formats.reader(url)
    assert given is not None
    return list(given[1]())


def says(url: str) -> list[dict[str, Any]]:
    return [each.says for each in found(url) if isinstance(each, ForeignRecord)]


@given(
    kind=st.sampled_from(sorted(KINDS)),
    title=LINES,
    text=LINES,
    tags=st.lists(WORDS.map(str.lower), max_size=3, unique=True),
    files=st.lists(st.from_regex(r"[a-z]{1,8}/[a-z]{1,8}\.py", fullmatch=True), max_size=2, unique=True),
)
def test_an_okf_document_says_what_its_memory_said(
    tmp_path_factory: pytest.TempPathFactory, kind: str, title: str, text: str, tags: list[str], files: list[str]
) -> None:
    """Round trips are laws (issue 22)."""
    memory = specimen(id="m-1", kind=kind, title=title, text=text, tags=tuple(tags), files=tuple(files))
    folder = tmp_path_factory.mktemp("okf")
    okf.write(folder, [memory])
    (said,) = says(f"okf:{folder}")
    assert (said["kind"], said["text"], said["tags"]) == (kind, text, tags)
    assert said["title"] == title and said.get("files", []) == files


@pytest.mark.parametrize(
    ("state", "status"),
    [("candidate", "draft"), ("stable", "stable"), ("under_review", "stable"), ("archived", "deprecated")],
)
def test_the_state_becomes_a_status_others_know(state: str, status: str) -> None:
    """facts/okf.md: our states and OKF's lifecycle; the state itself stays under our own key."""
    until = datetime(2026, 12, 1, tzinfo=UTC)
    text = okf.concept(specimen(id="m-1", state=state, review_after=until))
    assert f"status: {status}\n" in text and f"  state: {state}\n" in text
    assert 'stale_after: "2026-12-01T00:00:00Z"' in text


def test_a_secret_is_not_written(tmp_path: Path) -> None:
    """S12 for exports: what a store took in before a rule was known is redacted on the way out."""
    secret = "ghp_" + "a1B2" * 9
    okf.write(tmp_path, [specimen(id="m-1", text=f"The token is {secret}", title=f"Token {secret}")])
    assert secret not in (tmp_path / "m-1.md").read_text()


def test_okf_of_others_is_taken_with_its_unknown_keys(tmp_path: Path) -> None:
    """OKF v0.2: only `type` is required, unknown keys and types are no error, reserved names are no concepts."""
    (tmp_path / "index.md").write_text("# Index\n")
    (tmp_path / "orders.md").write_text(
        "---\ntype: BigQuery Table\ntitle: Orders\ntags: [sales]\nresource: https://example.org/orders\n"
        "verified:\n  - by: human:ana\n    at: 2026-08-21\nodd: {a: 1}\n---\n\nOne row per order.\n"
    )
    (tmp_path / "old.md").write_text("---\ntype: Metric\nstatus: deprecated\n---\nGone.\n")
    (tmp_path / "broken.md").write_text("---\ntitle: no type\n---\nText.\n")
    taken = found(f"okf:{tmp_path}")
    assert [each.why for each in taken if isinstance(each, Unread)] == [
        "it has no `type`, the one key every concept needs",
        "its status is deprecated",
    ]
    (said,) = says(f"okf:{tmp_path}")
    assert said["kind"] == "reference" and said["tags"] == ["sales", "bigquery-table"]
    assert said["text"] == "One row per order.\n\nhttps://example.org/orders"


def test_the_reference_servers_file_becomes_sentences(tmp_path: Path) -> None:
    """Written by @modelcontextprotocol/server-memory itself, driven over stdio."""
    (tmp_path / "memory.jsonl").write_text(
        '{"type":"entity","name":"billing-service","entityType":"service","observations":'
        '["Retries payments three times before it gives up","Is deployed with make release"]}\n'
        '{"type":"relation","from":"Anna","to":"billing-service","relationType":"maintains"}'
    )
    texts = [each["text"] for each in says(f"mcp-memory:{tmp_path / 'memory.jsonl'}")]
    assert texts == [
        "billing-service: Retries payments three times before it gives up",
        "billing-service: Is deployed with make release",
        "Anna maintains billing-service",
    ]


def test_a_note_of_basic_memory_gives_its_observations(tmp_path: Path) -> None:
    """Written by basic-memory 0.16.3 itself with `basic-memory tool write-note`."""
    (tmp_path / "Billing service.md").write_text(
        "---\ntitle: Billing service\ntype: note\npermalink: notes/billing-service\ntags:\n- billing\n---\n\n"
        "# Billing service\n\n## Observations\n"
        "- [decision] Payments are retried three times #reliability (agreed in review)\n"
        "- [limit] The provider allows 100 requests a minute\n- [ ] not an observation\n\n"
        "## Relations\n- uses [[Provider API]]"
    )
    first, second = says(f"basic-memory:{tmp_path}")
    assert first["kind"] == "decision" and first["text"] == "Payments are retried three times (agreed in review)"
    assert first["tags"] == ["billing", "reliability"] and second["tags"] == ["billing", "limit"]


def test_only_items_that_are_sentences_are_taken_of_an_instruction_file(tmp_path: Path) -> None:
    """A heading, a link alone and code say nothing a memory could keep."""
    page = tmp_path / "AGENTS.md"
    page.write_text(
        "# Rules\n## Testing\n- Run `make test` before every commit; it takes two minutes\n  and needs docker.\n"
        "- see\n- [the docs](docs/x.md)\n```\n- not this one because it is code\n```\n"
        "1. Never edit files under gen/ by hand.\n"
    )
    assert [(each["text"], each["tags"]) for each in says(f"markdown:{page}")] == [
        ("Run `make test` before every commit; it takes two minutes and needs docker.", ["testing"]),
        ("Never edit files under gen/ by hand.", ["testing"]),
    ]


@pytest.mark.parametrize(
    ("item", "text"),
    [
        ("It needs docker to be running", "Integration tests: It needs docker to be running"),
        ("Never edit them by hand, please", "Integration tests: Never edit them by hand, please"),
        ("two spaces, and no tabs at all", "Integration tests: two spaces, and no tabs at all"),
        ("otherwise the nightly build fails", "Integration tests: otherwise the nightly build fails"),
        ("Run `make test` before every commit", "Run `make test` before every commit"),
        ("never edit files under gen/", "never edit files under gen/"),
        ("`src/api` holds the routes of the server", "`src/api` holds the routes of the server"),
    ],
)
def test_an_item_that_does_not_stand_alone_begins_with_its_heading(tmp_path: Path, item: str, text: str) -> None:
    """A stranger's finding: "it needs docker" says nothing once it has left its page."""
    page = tmp_path / "AGENTS.md"
    page.write_text(f"# Rules\n\n## **Integration tests**\n\n- {item}\n")
    (said,) = says(f"markdown:{page}")
    assert (said["text"], said["title"], said["tags"]) == (text, text, ["integration-tests"])
    page.write_text(f"- {item}\n\n## Preference\n\n- {item}\n")
    assert [each["text"] for each in says(f"markdown:{page}")] == [item, item]


def test_a_rule_of_cursor_keeps_the_files_it_names(tmp_path: Path) -> None:
    """Cursor writes `globs: *.ts`, which is no YAML."""
    (tmp_path / "rpc.mdc").write_text(
        "---\ndescription: RPC\nglobs: *.ts,src/rpc.ts\nalwaysApply: false\n---\nUse it.\n"
    )
    (said,) = says(f"cursor:{tmp_path}")
    assert (said["title"], said["text"], said["files"]) == ("RPC", "Use it.", ["src/rpc.ts"])


@pytest.mark.parametrize("form", ["results", "list", "lines"])
def test_memories_of_mem0_are_read_in_each_form(tmp_path: Path, form: str) -> None:
    """mem0ai 2.2.1: MemoryItem; `get_all` wraps them in `results`. From its source, not written by it."""
    item = {"id": "1", "memory": "Likes tea in the morning", "hash": "x", "metadata": {"category": "habits"}}
    written = {
        "results": json.dumps({"results": [item]}),
        "list": json.dumps([item]),
        "lines": f"{json.dumps(item)}\n" * 2,
    }
    (tmp_path / "m.json").write_text(written[form])
    said = says(f"mem0:{tmp_path / 'm.json'}")
    assert said[0] == {"text": "Likes tea in the morning", "tags": ["habits"]} and len(said) == (
        2 if form == "lines" else 1
    )


def test_observations_of_claude_mem_are_read_from_its_database(tmp_path: Path) -> None:
    """claude-mem 13.25: its table of observations, from its source; older ones have fewer columns."""
    path = tmp_path / "claude-mem.db"
    database = apsw.Connection(str(path))
    database.execute(
        "CREATE TABLE observations (id INTEGER PRIMARY KEY, project TEXT, text TEXT, type TEXT, title TEXT, facts TEXT)"
    )
    database.execute(
        "INSERT INTO observations VALUES (1, 'p', 'It retries.', 'decision', 'Retries', '[\"three times\"]')"
    )
    database.close()
    (said,) = says(f"claude-mem:{path}")
    assert said["text"] == "It retries.\n\n- three times" and said["kind"] == "decision" and said["title"] == "Retries"


def test_what_others_wrote_waits_for_a_person(program: Program) -> None:
    """Origin and trust are kept as what they are: text from elsewhere is a candidate whose source names the program."""
    (program.folder / "notes.md").write_text("- Deploys happen on Tuesdays after the standup\n")
    assert program.ok("import", "markdown:notes.md", "--dry-run")["written"] == 1
    assert program.ok("list", "--all")["memories"] == []
    assert program.ok("import", "markdown:notes.md")["written"] == 1
    (memory,) = program.ok("list", "--all")["memories"]
    assert (memory["state"], memory["trust"]) == ("candidate", "external")
    again = program.ok("import", "markdown:notes.md")
    assert again["written"] == 0 and again["skipped"]
    assert program("import", "markdown:notes.md", "--trust").status == 2
    assert program("import", "okf:nowhere").status == 2


def test_an_export_can_be_read_by_its_own_import(program: Program, tmp_path: Path) -> None:
    """What is in use leaves without history; another store takes it in as candidates."""
    program.ok("add", "Use pnpm here, never npm", "--kind", "preference", "--file", "package.json")
    assert program.ok("export", f"okf:{tmp_path / 'bundle'}")["written"] == 1
    assert program.ok("export", f"markdown:{tmp_path / 'all.md'}")["written"] == 1
    assert "Use pnpm here, never npm" in (tmp_path / "all.md").read_text()
    with tenure.open(f"sqlite:{tmp_path / 'other.db'}", tmp_path) as other:
        assert other.import_(f"okf:{tmp_path / 'bundle'}").written == 1
        (memory,) = other.memories(all=True)
        assert (memory.kind, memory.files, memory.state) == ("preference", ("package.json",), "candidate")


def test_a_plain_path_is_told_which_format_reads_it(program: Program) -> None:
    """A stranger's finding: `tenure import AGENTS.md` spoke of JSON."""
    (program.folder / "AGENTS.md").write_text("- Deploys happen on Tuesdays after the standup\n")
    (program.folder / "docs").mkdir()
    done = program("import", "AGENTS.md")
    assert done.status == 2
    assert "Nothing was imported." in done.errors and "tenure import markdown:AGENTS.md" in done.errors
    assert "tenure import okf:docs" in program("import", "docs").errors
    assert program.ok("import", "markdown:AGENTS.md")["written"] == 1


@pytest.mark.parametrize("command", ["import", "export"])
def test_an_unknown_format_is_refused_with_those_there_are(program: Program, command: str) -> None:
    """A stranger's finding: `markdwon:` was looked up as a file, and an export made one of that name."""
    done = program(command, "markdwon:AGENTS.md")
    assert done.status == 2
    known = formats.READ if command == "import" else formats.WRITTEN
    assert all(f"{name}:" in done.errors for name in ("jsonl", "sqlite", *known))
    assert ("mem0:" in done.errors) == (command == "import")
    assert not (program.folder / "markdwon:AGENTS.md").exists()


def test_an_okf_folder_loses_our_files_of_memories_that_are_gone(program: Program, tmp_path: Path) -> None:
    """A stranger's finding: what was forgotten stayed in the folder for ever. Files of others are never touched."""
    ids = [program.ok("add", text)["id"] for text in ("Use pnpm here, never npm", "Tests need docker", "Tabs, please")]
    bundle = tmp_path / "bundle"
    program.ok("export", f"okf:{bundle}")
    stays, goes, edited = (bundle / f"{id}.md" for id in ids)
    elsewhere = okf.concept(specimen(id="m-other", text="A memory of another project"))
    foreign = {"m-other.md": elsewhere, "index.md": "# Index\n", "notes.md": goes.read_text(), "odd.md": "---\n"}
    for name, text in foreign.items():
        (bundle / name).write_text(text)
    edited.write_text(edited.read_text() + "And a line of mine.\n")
    for id in ids[1:]:
        program.ok("forget", id, "--yes")
    done = program("export", f"okf:{bundle}")
    assert "1 of our files there removed" in done.text + done.errors
    assert {file.name for file in bundle.iterdir()} == {stays.name, edited.name, *foreign}


@pytest.mark.parametrize("seed", range(20))
def test_a_damaged_archive_is_refused_without_a_bug_of_ours(tmp_path: Path, seed: int) -> None:
    """S18: a byte that was turned in an archive ended `import` with a traceback, by what zlib raises."""
    whole = io.BytesIO()
    with zipfile.ZipFile(whole, "w", zipfile.ZIP_LZMA if seed % 2 else zipfile.ZIP_DEFLATED) as archive:
        facts = [{"text": f"fact number {number}"} for number in range(200)]
        archive.writestr("documents/a.json", json.dumps({"facts": facts}))
    spoilt, chance = bytearray(whole.getvalue()), random.Random(seed)
    for _ in range(20):
        spoilt[chance.randrange(46, len(spoilt) - 90)] = chance.randrange(256)
    path = tmp_path / "spoilt.zip"
    path.write_bytes(spoilt)
    with contextlib.suppress(TenureError):
        assert all(isinstance(each, Unread | ForeignRecord) for each in hindsight.read(path))
