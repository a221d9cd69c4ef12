"""Every command of the contract on the native store, as a person or a script runs it."""

from __future__ import annotations

import json
import os
import subprocess
import sys

import pytest

import tenure
from tenure.surfaces.cli.app import COMMANDS
from tests.program import Program, proposals

MEMORY_KEYS = {
    "id", "kind", "title", "text", "content", "state", "phase", "scope", "tags", "files", "evidence", "signals",
    "created_at", "updated_at", "verified_at", "used_at", "helped_at", "review_after", "supersedes", "superseded_by",
    "trust", "extra",
}  # fmt: skip
SIGNAL_KEYS = {
    "confidence", "evidence_count", "reuse_count", "successful_reuses", "failed_reuses", "contradiction_count",
}  # fmt: skip
# Commands that need nothing in the store, with the words they are called with.
ON_NOTHING = {
    "list": ["list"],
    "search": ["search", "anything"],
    "inject": ["inject", "anything"],
    "status": ["status"],
    "review": ["review"],
    "promote": ["promote"],
    "decay": ["decay"],
    "upkeep": ["upkeep"],
    "gc": ["gc"],
    "check": ["check"],
    "policy": ["policy"],
    "doctor": ["doctor"],
    "capture": ["capture", "-"],
    "import": ["import", "-"],
}
ABOUT_ONE = ("show", "history", "why", "restore", "archive", "unarchive", "forget")


def test_a_memory_goes_through_its_whole_life_by_the_contract(program: Program) -> None:
    """CONTRACT: every command answers with the keys that scripts rely on."""
    memory = program.ok("add", "Start the database before the integration tests", "--kind", "lesson", "--tag", "tests")
    assert set(memory) >= MEMORY_KEYS and set(memory["signals"]) >= SIGNAL_KEYS
    assert (memory["state"], memory["phase"], memory["trust"]) == ("provisional", "live", "user")
    id = memory["id"]
    assert [item["id"] for item in program.ok("list")["memories"]] == [id]
    assert program.ok("show", id)["text"] == memory["text"]
    assert program.ok("history", id)["events"][0]["type"] == "Created"
    why = program.ok("why", id)
    assert why["eligible"] is True
    assert {frozenset(reason) for reason in why["reasons"]} == {frozenset({"code", "have", "need", "text"})}
    (hit,) = program.ok("search", "database")["hits"]
    assert set(hit) >= {"id", "score", "title", "state", "why"} and hit["id"] == id
    shown = program.ok("inject", "how do I run the integration tests", "--task", "T-1", "--run", "r-1")
    assert set(shown) >= {"block", "memories", "suppressed"} and [m["id"] for m in shown["memories"]] == [id]
    for task in ("T-1", "T-2", "T-3"):
        assert program.ok("log", id, "--effect", "positive", "--task", task)["signals"]["reuse_count"]
    assert program.ok("review", id, "--decision", "approve", "--by", "alice")["state"] == "stable"
    assert program.ok("decay")["changed"] == []
    assert program.ok("retire", id, "--reason", "gone")["phase"] == "gone"
    assert program.ok("restore", id)["state"] == "stable"
    assert program.ok("archive", id)["state"] == "archived"
    assert program.ok("unarchive", id)["state"] == "stable"
    assert program.ok("undo")["undone"]
    assert program.ok("show", id)["state"] == "archived"
    assert program.ok("forget", id, "--yes")["id"] == id
    assert program.ok("check") == {"problems": []}


def test_a_memory_is_retired_by_the_line_that_status_prints(program: Program) -> None:
    """A stranger's finding: "Drop one: tenure retire ID" ended in a missing option."""
    id = program.ok("add", "Use tabs in the Makefile")["id"]
    assert program.ok("retire", id)["phase"] == "gone"


def test_proposals_are_captured_promoted_superseded_and_collected(program: Program) -> None:
    """CONTRACT: capture, promote, supersede, gc, export, import, policy and status on the native store."""
    lesson = {"kind": "lesson", "text": "Run the linter before every commit", "source": "agent:reviewer"}
    first = program.ok("capture", "-", "--run", "r-1", stdin=proposals(lesson))
    assert [d["action"] for d in first["decisions"]] == ["create"] and first["skipped"] == []
    id = first["decisions"][0]["id"]
    assert program.ok("promote", "--dry-run")["waiting"][0]["id"] == id
    assert program.ok("capture", "-", "--run", "r-2", stdin=proposals(lesson))["decisions"][0]["action"] == "update"
    assert program.ok("show", id)["state"] == "provisional"
    new = program.ok("add", "Let the commit hook run the linter for you")["id"]
    assert program.ok("supersede", id, new)["superseded_by"] == new
    program.ok("retire", new, "--reason", "over", TENURE_NOW="2026-01-01T00:00:00Z")
    assert program.ok("gc", "--dry-run", TENURE_NOW="2026-03-01T00:00:00Z")["purged"] == [new]
    assert program.ok("gc", TENURE_NOW="2026-03-01T00:00:00Z")["purged"] == [new]
    assert program.ok("export", "jsonl:all.jsonl")["written"] == 1
    assert program.ok("--store", "sqlite:other.db", "import", "jsonl:all.jsonl") == {"written": 1, "skipped": []}
    assert program.ok("policy", "promotion.hold.failures")["values"][0]["value"] == 2
    assert program.ok("status")["states"] == {"superseded": 1}
    checks = program.ok("doctor")["checks"]
    assert checks and all(set(item) == {"name", "ok", "detail", "hint"} for item in checks)


def test_version_and_help_are_the_same_for_both_spellings(program: Program) -> None:
    """CONTRACT: `tenure --version`, `--help`; no command at all prints the help."""
    assert program("--version").text.startswith("tenure 0.")
    assert program("--help").text == program().text
    assert all(name in program("--help").text for name in COMMANDS)


@pytest.mark.parametrize("name", [name for name in COMMANDS if name != "demo"])
def test_help_shows_an_example(name: str) -> None:
    """Issue: `--help` with an example for each command. In this process: the text is the program's own."""
    from click.testing import CliRunner

    from tenure.surfaces.cli.app import App, tenure

    shown = CliRunner().invoke(tenure, [name, "--help"], obj=App()).output
    assert "Example:" in shown and f"tenure {name}" in shown.split("Example:")[1]


@pytest.mark.parametrize("name", ON_NOTHING)
def test_an_empty_store_is_answered_helpfully_and_not_created(name: str, program: Program) -> None:
    """Issue: on an empty store every command still says something helpful; only inject stays silent (CONTRACT)."""
    done = program(*ON_NOTHING[name])
    assert done.status == 0, done.err
    assert done.text.strip() or name == "inject"
    if name not in ("capture", "import", "promote", "decay", "upkeep", "gc"):
        assert not (program.folder / ".tenure").exists()


@pytest.mark.parametrize("name", ABOUT_ONE)
def test_a_command_about_one_memory_says_that_there_is_none(name: str, program: Program) -> None:
    """Issue: an empty store is no reason for anything but a clear answer."""
    more = ["--yes"] if name == "forget" else []
    done = program("--json", name, "m-2345678", *more)
    assert (done.status, done.error["code"]) == (2, "UNKNOWN_ID")
    assert done.error["hint"]


@pytest.mark.parametrize("words", [["--json", "list"], ["list", "--json"], ["--json", "list", "--json"]])
def test_json_is_taken_before_and_after_the_command(words: list[str], program: Program) -> None:
    """CONTRACT: exactly one JSON document on standard output, wherever `--json` stands."""
    program.ok("add", "One lesson")
    done = program(*words)
    assert done.out.count(b"\n") == 1 and len(done.json["memories"]) == 1


def test_one_document_on_standard_output_whatever_there_is_to_note(program: Program) -> None:
    """CONTRACT: notes such as a contradiction go to standard error."""
    program.ok("add", "Always use tabs for indentation in the generated files")
    done = program("--json", "add", "Never use tabs for indentation in the generated files")
    assert json.loads(done.out)["conflicts"]
    assert b"contradicts" in done.err


DRY = {
    "capture": (["capture", "-", "--dry-run"], proposals({"text": "A lesson that is only tried"})),
    "promote": (["promote", "--dry-run"], b""),
    "decay": (["decay", "--dry-run"], b""),
    "upkeep": (["upkeep", "--dry-run"], b""),
    "gc": (["gc", "--dry-run"], b""),
    "import": (["import", "-", "--dry-run"], proposals({"text": "A lesson that is only imported to try"})),
}


@pytest.mark.parametrize("name", DRY)
def test_a_dry_run_reports_the_same_and_changes_nothing(
    name: str, program: Program, monkeypatch: pytest.MonkeyPatch
) -> None:
    """CONTRACT: `--dry-run` gives the same report, no change: the whole export stays equal.

    Of an import it lists besides what would arrive, which a real one of any size does not keep in mind.
    """
    monkeypatch.setenv("TENURE_NOW", "2020-01-01T00:00:00Z")
    with tenure.open(folder=program.folder) as ws:
        ws.add("A memory nobody looked at for years")
        ws.retire(ws.add("A memory retired years ago").id, reason="over")
        ws.capture([{"text": "Seen twice and so promoted"}], run="a")
    words, stdin = DRY[name]
    before = program("export", "-").out
    dry = program.ok(*words, stdin=stdin)
    assert program("export", "-").out == before
    assert len(dry.pop("arriving", [])) == (name == "import")
    wet = program.ok(*[word for word in words if word != "--dry-run"], stdin=stdin)
    without_ids = [json.dumps(answer).replace(str(_new_id(answer)), "") for answer in (dry, wet)]
    assert without_ids[0] == without_ids[1]


def _new_id(answer: dict[str, list[dict[str, str]]]) -> str:
    decisions = answer.get("decisions") or [{}]
    return decisions[0].get("id", "none")


def test_long_work_shows_no_progress_in_a_pipe(program: Program) -> None:
    """Issue: progress on a terminal and none in a pipe."""
    lines = proposals(*({"text": f"Lesson number {n} about subject {n * 7}"} for n in range(600)))
    done = program("--json", "import", "-", stdin=lines)
    assert (done.status, done.err) == (0, b"") and done.json["written"] > 0
    assert program("check").err == b""


def test_a_closed_pipe_is_no_error(program: Program) -> None:
    """`tenure list | head -1` ends quietly."""
    program.ok("capture", "-", stdin=proposals(*({"text": f"Lesson {n} on topic {n}"} for n in range(50))))
    read, write = os.pipe()
    os.close(read)
    listed = subprocess.run(
        [sys.executable, "-m", "tenure", "list", "--all"],
        stdout=write,
        stderr=subprocess.PIPE,
        cwd=program.folder,
        env=program.variables(),
        check=False,
    )
    os.close(write)
    assert (listed.returncode, listed.stderr) == (0, b"")


def test_several_files_may_follow_one_option(program: Program) -> None:
    """CONTRACT: `inject [QUERY] … [--files F…]`; without a query, words that are files are files."""
    for name in ("a.py", "b.py"):
        (program.folder / name).write_text("")
    id = program.ok("add", "Keep the order of the imports", "--file", "b.py")["id"]
    program.ok("add", "Something about a wholly different matter")
    for words in (["imports order", "--files", "a.py", "b.py"], ["--files", "a.py", "b.py"]):
        assert program.ok("inject", *words)["memories"][0]["id"] == id
    refused = program("inject", "imports", "order")
    assert (refused.status, "Put it in quotes." in refused.errors) == (2, True)


def test_several_memories_are_forgotten_together_or_not_at_all(program: Program) -> None:
    """A stranger had three to erase; one wrong id must not leave half of them erased."""
    one = program.ok("add", "The staging database is reset every night")["id"]
    two = program.ok("add", "Release branches are cut on Thursdays")["id"]
    assert program("forget", one, "m-unknown", two, "--yes").status != 0
    assert {memory["id"] for memory in program.ok("list")["memories"]} == {one, two}
    erased = program.ok("forget", one, two, one, "--yes")["erased"]
    assert [each["id"] for each in erased] == [one, two]
    assert program.ok("list")["memories"] == []
