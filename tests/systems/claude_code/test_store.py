"""Every generic command on a folder of memory files, and what the files look like afterwards."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest

import tenure
from tenure.model.errors import Conflict, Refused
from tenure.systems.claude_code import frontmatter
from tenure.usecases import edit
from tenure.workspace import Workspace
from tests.program import Program

CASES = Path(__file__).parent / "cases"
LAYOUTS = json.loads((CASES / "layouts.json").read_text("utf-8"))["cases"]
MUTATIONS = {case["id"]: case for case in json.loads((CASES / "mutations.json").read_text("utf-8"))["cases"]}
LEARNED = json.loads((Path(__file__).parents[2] / "capture" / "cases" / "learned.json").read_text("utf-8"))
A = b"---\nname: a\ndescription: about a\ntype: user\n---\n\nBody a.\n"
INDEX = "# Memory\n\n- [a.md](a.md) — about a\n".encode()
NOW = "2026-06-01T00:00:00Z"


def folder_of(root: Path, **contents: bytes) -> Path:
    folder = root / "memory"
    for name, data in contents.items():
        path = folder / name.replace("__", "/")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)
    return folder


def small(root: Path) -> Path:
    return folder_of(root, **{"a.md": A, "MEMORY.md": INDEX})


def bytes_of(folder: Path) -> dict[str, bytes]:
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def opened(folder: Path) -> Workspace:
    return tenure.open(f"claude-code:{folder}", folder.parent)


@pytest.mark.parametrize("case", LAYOUTS, ids=lambda case: case["id"])
def test_a_recorded_folder_is_listed_as_the_original_lists_it(case: dict[str, Any], tmp_path: Path) -> None:
    """Recorded by running echo-sleuth 0.3.6 over a folder; archived files only with `all`."""
    folder = folder_of(tmp_path, **{name: text.encode() for name, (text, _) in case["files"].items()})
    before = bytes_of(folder)
    with opened(folder) as workspace:
        listed = [(m.id, m.kind, m.content.get("description")) for m in workspace.memories()]
        everything = workspace.memories(all=True)
        assert workspace.check() == []
    assert listed == [(each["file"], each["type"], each["description"]) for each in case["expect"]["memories"]]
    assert {m.id for m in everything if m.phase == "gone"} == {
        name.removeprefix("archive/") for name in case["files"] if name.startswith("archive/")
    }
    assert bytes_of(folder) == before


def test_the_recorded_addition(program: Program) -> None:
    """Recorded mutation mut-01, through the real program."""
    case = MUTATIONS["mut-01-add-to-index"]
    for name, text in case["before"].items():
        path = program.folder / name
        path.parent.mkdir(exist_ok=True)
        path.write_text(text, "utf-8")
    asked = case["operation"]
    words = ["--id", asked["file"], "--title", asked["name"], "--description", asked["description"]]
    memory = program.ok("--store", "claude-code:memory", "add", asked["body"], *words, "--kind", asked["type"])
    assert (memory["id"], memory["kind"], memory["title"]) == ("b.md", "feedback", "b")
    for name in case["after"]["unchanged"]:
        assert (program.folder / name).read_text("utf-8") == case["before"][name]
    for name, expected in case["after"]["created"].items():
        document = frontmatter.parse((program.folder / name).read_bytes())
        assert document.fields == expected["fields"]
        assert all(part in document.body for part in expected["body_contains"])
    lines = (program.folder / "memory/MEMORY.md").read_text("utf-8").splitlines()
    assert lines[-2:] == [*case["after"]["index_lines_kept"], *case["after"]["index_lines_added"]]
    assert sorted(path.name for path in (program.folder / "memory").iterdir()) == ["MEMORY.md", "a.md", "b.md"]


def test_keeping_a_memory_resets_its_clock_and_leaves_the_file_alone(program: Program) -> None:
    """Recorded mutation mut-10; issue: "keep" records a review date instead of touching the file."""
    folder = small(program.folder)
    os.utime(folder / "a.md", (1_600_000_000, 1_600_000_000))
    store = ("--store", "claude-code:memory")
    assert program.ok(*store, "audit", TENURE_NOW=NOW)["memories"][0]["action"] == "prune"
    assert not (program.folder / ".tenure").exists()
    program.ok(*store, "review", "a.md", "--decision", "keep", "--by", "user", TENURE_NOW=NOW)
    (found,) = program.ok(*store, "audit", TENURE_NOW=NOW)["memories"]
    assert (found["action"], found["score"], found["age_source"]) == ("keep", 0.0, "review")
    assert (folder / "a.md").read_bytes() == A
    assert (folder / "a.md").stat().st_mtime == 1_600_000_000


def test_archiving_restoring_and_undoing_move_the_file_and_its_line(tmp_path: Path) -> None:
    """Seed, archive convention: file intact, entry removed, and the way back."""
    folder = small(tmp_path)
    before = bytes_of(folder)
    with opened(folder) as workspace:
        assert workspace.archive("a.md").phase == "gone"
        assert bytes_of(folder) == {"archive/a.md": A, "MEMORY.md": b"# Memory\n\n"}
        assert [(m.id, m.phase) for m in workspace.memories(all=True)] == [("a.md", "gone")]
        workspace.restore("a.md", only_from="archived")
        assert bytes_of(folder) == before
        workspace.archive("a.md")
        workspace.undo()
        assert bytes_of(folder) == before
        workspace.retire("a.md", reason="old")
        assert "archive/a.md" in bytes_of(folder)
        workspace.undo()
        assert bytes_of(folder) == before
        assert workspace.check() == []


def test_an_addition_is_undone_without_a_trace_in_the_folder(tmp_path: Path) -> None:
    """SEAM: undo brings the files back; what was written by mistake can still be restored."""
    folder = small(tmp_path)
    before = bytes_of(folder)
    with opened(folder) as workspace:
        id = workspace.add("Prefer small functions over clever ones", kind="value").id
        assert id == "prefer-small-functions-over-clever-ones.md"
        workspace.undo()
        assert bytes_of(folder) == before
        workspace.restore(id)
        assert b"Prefer small functions" in bytes_of(folder)[id]
        workspace.forget(id)
        assert bytes_of(folder) == before
        assert workspace.check() == []


def test_a_standalone_memory_is_converted_on_the_first_write(tmp_path: Path) -> None:
    """Seed, mutation rules: create the first file, rewrite MEMORY.md as index; nothing it said is lost."""
    text = b"# Notes\n\nAlways run the tests.\n"
    folder = folder_of(tmp_path, **{"MEMORY.md": text})
    with opened(folder) as workspace:
        (alone,) = workspace.memories()
        assert (alone.id, alone.kind, alone.text) == ("MEMORY.md", "unknown", "Always run the tests.")
        with pytest.raises(Refused):
            workspace.archive("MEMORY.md")
        with pytest.raises(Refused):
            workspace.edit("MEMORY.md", text="other")
        assert bytes_of(folder) == {"MEMORY.md": text}
        workspace.add("The staging port is 5433", id="port", kind="project")
    with opened(folder) as workspace:
        assert {m.id for m in workspace.memories()} == {"port.md", "notes.md"}
        assert workspace.check() == []
    assert bytes_of(folder)["notes.md"] == text
    assert b"- [port.md](port.md) \xe2\x80\x94 The staging port is 5433\n" in bytes_of(folder)["MEMORY.md"]


def test_a_folder_that_is_not_there_yet_is_made_by_the_first_addition(tmp_path: Path) -> None:
    """Seed, mutation rules: no memory dir."""
    folder = tmp_path / "memory"
    with opened(folder) as workspace:
        assert workspace.memories() == []
        workspace.capture([{"kind": "value", "text": "tabs over spaces"}], dry_run=True)
        assert not folder.exists()
        workspace.add("Tabs over spaces", kind="value", id="tabs", description="tabs: always")
    assert bytes_of(folder)["tabs.md"] == (
        b'---\nname: tabs\ndescription: "tabs: always"\ntype: value\n---\n\nTabs over spaces\n'
    )


def test_an_edit_changes_the_lines_it_must_and_no_other_byte(tmp_path: Path) -> None:
    """Issue: writing keeps the layout found, every unknown key and every byte it did not have to change."""
    head = "---\r\nname: a\r\ndescription: 'x'\r\nmetadata: \r\n  node_type: memory\r\n"
    head += "  type: Feedback\r\n  odd key: 1\r\n"
    old = f"\ufeff{head}  modified: 2026-01-01T00:00:00.000Z\r\n---\r\n\r\nBody a.\r\nMore.\r\n"
    folder = folder_of(tmp_path, **{"a.md": old.encode()})
    with opened(folder) as workspace:
        memory = workspace.get("a.md")
        assert (memory.kind, memory.extra) == ("feedback", {"node_type": "memory", "odd key": "1"})
        workspace.log("a.md", "positive", task="t")
        workspace.edit("a.md", tags=["x"])
        assert (folder / "a.md").read_bytes() == old.encode()
        workspace.edit("a.md", text="Body b.\nMore.")
    written = (folder / "a.md").read_bytes().decode()
    assert written.startswith(f"\ufeff{head}  modified: ")
    assert written.endswith("---\r\n\r\nBody b.\r\nMore.\r\n")
    assert "2026-01-01" not in written


@pytest.mark.parametrize(
    ("data", "listed"),
    [(b"---\nname: a\nno end\n", True), (b"caf\xe9 au lait\n", True), (b"\x00\x01binary", False)],
)
def test_a_malformed_file_is_reported_and_never_rewritten(data: bytes, listed: bool, tmp_path: Path) -> None:
    """Seed: malformed front matter reads as type unknown; never corrupt existing files."""
    folder = folder_of(tmp_path, **{"bad.md": data, "a.md": A})
    with opened(folder) as workspace:
        assert any("bad.md" in note for note in workspace.unusable)
        assert ("bad.md" in [m.id for m in workspace.memories(kind="unknown")]) == listed
        if listed:
            with pytest.raises(Refused):
                workspace.edit("bad.md", text="better")
        assert [problem.path for problem in workspace.check()] == [str(folder / "bad.md")]
        workspace.add("something else entirely", kind="project")
    assert (folder / "bad.md").read_bytes() == data


def test_edits_from_outside_are_taken_over_and_a_companion_is_rebuilt(tmp_path: Path) -> None:
    """SEAM: edits behind our back are picked up; the companion can be deleted."""
    folder = small(tmp_path)
    with opened(folder) as workspace:
        workspace.log("a.md", "negative", task="1")
        workspace.log("a.md", "negative", task="2")
        assert workspace.get("a.md").phase == "held"
    (folder / "a.md").write_bytes(A.replace(b"Body a", b"Body z"))
    (folder / "new.md").write_bytes(b"Just text.\n")
    with opened(folder) as workspace:
        assert workspace.get("a.md").text == "Body z."
        assert workspace.get("a.md").phase == "held"
        assert workspace.get("new.md").kind == "unknown"
        assert workspace.check() == []
    (folder / "new.md").unlink()
    for path in (tmp_path / ".tenure").glob("claude-code-*"):
        path.unlink()
    with opened(folder) as workspace:
        assert [m.id for m in workspace.memories()] == ["a.md"]
        assert workspace.check() == []


def test_a_name_that_is_also_in_the_archive_gives_both_an_id(tmp_path: Path) -> None:
    """A choice of ours: ids are file names, so the archived one of two goes by its path."""
    folder = small(tmp_path)
    with opened(folder) as workspace:
        workspace.archive("a.md")
    (folder / "a.md").write_bytes(A.replace(b"Body a", b"Body new"))
    with opened(folder) as workspace:
        found = {m.id: (m.phase, m.text) for m in workspace.memories(all=True)}
        assert found == {"a.md": ("live", "Body new."), "archive/a.md": ("gone", "Body a.")}
        with pytest.raises(Refused):
            workspace.archive("a.md")
        assert workspace.check() == []


def test_somebody_elses_write_in_between_is_a_conflict(tmp_path: Path) -> None:
    """GUARANTEES: files are hash-checked before they are replaced, and nothing is half-written."""
    folder = small(tmp_path)

    def change(workspace: Workspace) -> None:
        with workspace.project.changing() as batch:
            memory = batch.get("a.md")
            assert memory is not None
            edit.apply(workspace.system, batch, memory, tmp_path, {"text": "mine"}, [])
            (folder / "a.md").write_bytes(A + b"theirs\n")

    with opened(folder) as workspace:
        with pytest.raises(Conflict):
            change(workspace)
        assert (folder / "a.md").read_bytes() == A + b"theirs\n"
        assert workspace.get("a.md").text == "Body a."


def test_an_index_past_the_clients_limit_names_the_limit_and_what_is_cut(program: Program) -> None:
    """Issue: the 200-line / 25,000-byte limit is checked and the entries that would be cut are named."""
    folder = program.folder / "memory"
    folder.mkdir()
    names = [f"m{number:03}.md" for number in range(199)]
    for name in names:
        (folder / name).write_bytes(A)
    (folder / "MEMORY.md").write_text("# Memory\n" + "".join(f"- [{n}]({n}) — x\n" for n in names), "utf-8")
    store = ("--store", "claude-code:memory")
    done = program(*store, "add", "One too many for the index", "--id", "last", "--kind", "project")
    assert done.status == 0
    assert "200 lines or 25,000 bytes" in done.errors
    assert "last.md" in done.errors
    assert "200 lines" in program("--json", *store, "check").text


def test_every_generic_command_works_on_the_folder(program: Program) -> None:
    """SEAM: every generic command of the contract works on the store, and the store proves itself afterwards."""
    small(program.folder)

    def run(*words: str) -> Any:
        return program.ok("--store", "claude-code:memory", *words)

    run("add", "The build needs Node 20 and pnpm", "--id", "node", "--kind", "project")
    run("add", "The build needs Node 22 and pnpm now", "--id", "node22", "--kind", "project")
    assert [hit["id"] for hit in run("search", "which Node does the build need")["hits"]][:1] == ["node.md"]
    assert run("inject", "build with pnpm")["memories"]
    assert run("why", "node.md")["eligible"]
    assert run("show", "a.md")["title"] == "a"
    run("log", "node.md", "--effect", "positive", "--task", "t")
    run("promote")
    run("review")
    run("edit", "a.md", "--title", "alpha")
    assert run("supersede", "node.md", "node22.md")["state"] == "superseded"
    run("undo")
    run("retire", "node.md", "--reason", "old")
    run("restore", "node.md")
    run("archive", "node.md")
    run("unarchive", "node.md")
    run("decay")
    run("upkeep")
    run("gc")
    run("status")
    run("policy")
    run("doctor")
    assert run("history", "node.md")["events"]
    exported = program.folder / "out.jsonl"
    assert run("export", str(exported))["written"] == 3
    assert program.ok("--store", "claude-code:other", "import", str(exported))["written"] == 3
    assert bytes_of(program.folder / "other").keys() == {"a.md", "node.md", "node22.md", "MEMORY.md"}
    run("forget", "node.md", "--yes")
    assert run("check")["problems"] == []
    assert sorted(bytes_of(program.folder / "memory")) == ["MEMORY.md", "a.md", "node22.md"]


@pytest.mark.parametrize(
    "case", [case for case in LEARNED["cases"] if case["stance"] == "contract"], ids=lambda c: c["id"]
)
def test_a_recorded_session_is_captured(case: dict[str, Any], program: Program) -> None:
    """Recorded by running extract-knowledge over a transcript: what goes to memory is written there."""
    path = program.folder / "session.jsonl"
    path.write_text("".join(json.dumps(record) + "\n" for record in case["records"]), "utf-8")
    answer = program.ok("--store", "claude-code:memory", "capture", str(path))
    kept = [
        (item["suggested_type"], item["content"])
        for item in case["expect"]
        if item["suggested_destination"] == "memory"
    ]
    assert [(each["kind"], each["text"]) for each in answer["decisions"]] == kept
    files = bytes_of(program.folder / "memory") if (program.folder / "memory").exists() else {}
    for kind, text in kept:
        assert any(f"type: {kind}\n".encode() in data and text.encode() in data for data in files.values())
    again = program.ok("--store", "claude-code:memory", "capture", str(path))
    assert {each["action"] for each in again["decisions"]} <= {"noop"}


def test_an_injection_is_replayed_although_its_file_is_gone(tmp_path: Path) -> None:
    """Issue 7: a file has no past, but the companion's ledger has."""
    folder = small(tmp_path)
    with opened(folder) as workspace:
        shown = workspace.inject("", files=["a.md"])
    (folder / "a.md").unlink()
    with opened(folder) as workspace:
        found = workspace.replay()
    assert "Body a." in shown.block and found and found.exact
    assert found.block.splitlines()[1:-1] == shown.block.splitlines()[1:-1]
    assert found.memories[0].since[0].startswith("its file was removed outside Tenure on ")


def test_a_guard_waits_again_when_its_file_says_something_else(tmp_path: Path) -> None:
    """Issue 19: a guard does not outlive the words it was agreed to for, whoever edits the file."""
    folder = folder_of(tmp_path, **{"a.md": A.replace(b"Body a.", b"Never run `git stash`."), "MEMORY.md": INDEX})
    with opened(folder) as workspace:
        workspace.confirm_guard("a.md", "remind")
    with opened(folder) as workspace:
        assert (guard := workspace.get("a.md").guard) is not None and guard.state == "on"
    (folder / "a.md").write_bytes(A.replace(b"Body a.", b"Never run `git reset`."))
    with opened(folder) as workspace:
        guard = workspace.get("a.md").guard
        assert guard is not None and guard.state == "proposed" and guard.commands[0].words == ("reset",)
        assert workspace.check() == []
