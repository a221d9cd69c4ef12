"""Folders and their index: recorded layouts and mutations, the order of operations, the client's limits."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tenure.files.shared_folder import Folder
from tenure.files.steps import Write
from tenure.model.errors import Conflict, Refused, UnknownId
from tenure.systems.claude_code import frontmatter, index, layout, operations, project_folder

CASES = Path(__file__).parent / "cases"
LAYOUTS = json.loads((CASES / "layouts.json").read_text("utf-8"))["cases"]
ADDING = json.loads((CASES / "mutations.json").read_text("utf-8"))["cases"][0]
A = b"---\nname: a\ndescription: about a\ntype: user\n---\n\nBody a.\n"
INDEX = "# Memory\n\n- [a.md](a.md) — about a\n".encode()


@pytest.mark.parametrize("case", LAYOUTS, ids=lambda case: case["id"])
def test_a_recorded_folder_lists_the_memories_the_original_lists(case: dict[str, Any]) -> None:
    """Recorded by running echo-sleuth 0.3.6 over a folder."""
    folder = {name: text.encode() for name, (text, _age) in case["files"].items()}
    listed = []
    for name in layout.memory_files(folder):
        document = frontmatter.parse(folder[name])
        fields = document.fields
        listed.append((name, fields.get("name"), fields.get("description"), document.kind, document.body))
    expected = [
        (each["file"], each["name"], each["description"], each["type"], each["content"])
        for each in case["expect"]["memories"]
    ]
    assert listed == expected


def test_the_recorded_addition(tmp_path: Path) -> None:
    """Recorded mutation mut-01: the file and one index line, nothing else."""
    folder = {name.removeprefix("memory/"): text.encode() for name, text in ADDING["before"].items()}
    asked = ADDING["operation"]
    fields = {"name": asked["name"], "description": asked["description"], "type": asked["type"]}
    plan = layout.plan_add(folder, asked["file"], fields, asked["body"])
    assert [operation.path for operation in plan] == ["b.md", "MEMORY.md"]
    _write(tmp_path, folder)
    operations.apply(Folder(tmp_path), plan)
    assert (tmp_path / "a.md").read_bytes() == folder["a.md"]
    lines = (tmp_path / "MEMORY.md").read_text("utf-8").splitlines()
    assert lines == ["# Memory", "", "- [a.md](a.md) — about a", *ADDING["after"]["index_lines_added"]]
    document = frontmatter.parse((tmp_path / "b.md").read_bytes())
    assert document.fields == fields
    assert document.text == "Body b."


def test_a_standalone_memory_is_converted_on_the_first_write(tmp_path: Path) -> None:
    """Seed, mutation rules; that the old text and its date survive is our promise."""
    old = b"# Notes\n\nAlways run the tests.\n"
    _write(tmp_path, {"MEMORY.md": old})
    os.utime(tmp_path / "MEMORY.md", (1, 1))
    assert layout.layout_of({"MEMORY.md": old}) == "standalone"
    undo = operations.apply(Folder(tmp_path), layout.plan_add({"MEMORY.md": old}, "b.md", {"name": "b"}, "B"))
    assert (tmp_path / "notes.md").read_bytes() == old
    assert (tmp_path / "notes.md").stat().st_mtime == 1
    listed = [entry.file for entry in index.entries((tmp_path / "MEMORY.md").read_bytes())]
    assert listed == ["notes.md", "b.md"]
    operations.apply(Folder(tmp_path), undo)
    assert {each.name: each.read_bytes() for each in tmp_path.glob("*.md")} == {"MEMORY.md": old}


def test_a_folder_that_does_not_exist_is_made(tmp_path: Path) -> None:
    """Seed, mutation rules: no memory dir."""
    operations.apply(Folder(tmp_path / "memory"), layout.plan_add({}, "b.md", {"name": "b", "description": "d"}, "B"))
    assert (tmp_path / "memory/MEMORY.md").read_text("utf-8") == "# Memory\n\n- [b.md](b.md) — d\n"


def test_archiving_and_restoring_keep_the_file_byte_for_byte(tmp_path: Path) -> None:
    """Seed, archive convention."""
    _write(tmp_path, {"MEMORY.md": INDEX, "a.md": A})
    operations.apply(Folder(tmp_path), layout.plan_archive({"MEMORY.md": INDEX, "a.md": A}, "a.md"))
    assert (tmp_path / "archive/a.md").read_bytes() == A
    shorter = (tmp_path / "MEMORY.md").read_bytes()
    assert index.entries(shorter) == []
    operations.apply(Folder(tmp_path), layout.plan_restore({"MEMORY.md": shorter, "archive/a.md": A}, "a.md"))
    assert (tmp_path / "a.md").read_bytes() == A
    assert (tmp_path / "MEMORY.md").read_bytes() == INDEX


def test_a_line_goes_before_its_file_and_comes_after_it() -> None:
    """Our promise: a crash between two operations never leaves an entry without a file."""
    assert [type(each).__name__ for each in layout.plan_archive({"MEMORY.md": INDEX, "a.md": A}, "a.md")] == [
        "Write",
        "Move",
    ]
    restore = layout.plan_restore({"MEMORY.md": b"# M\n", "archive/a.md": A}, "a.md")
    assert [type(each).__name__ for each in restore] == ["Move", "Write"]
    remove = layout.plan_remove({"MEMORY.md": INDEX, "a.md": A}, "a.md")
    assert [each.path for each in remove] == ["MEMORY.md", "a.md"]


def test_a_standalone_memory_cannot_be_archived() -> None:
    """Seed, archive convention."""
    with pytest.raises(Refused):
        layout.plan_archive({"MEMORY.md": b"text"}, "MEMORY.md")
    with pytest.raises(UnknownId):
        layout.plan_archive({"MEMORY.md": INDEX}, "zzz.md")


def test_an_edit_behind_our_back_is_a_conflict(tmp_path: Path) -> None:
    """GUARANTEES R16: foreign edits are never overwritten."""
    plan = layout.plan_edit({"MEMORY.md": INDEX, "a.md": A}, "a.md", {"description": "new"})
    _write(tmp_path, {"MEMORY.md": INDEX, "a.md": A + b"somebody was here\n"})
    with pytest.raises(Conflict):
        operations.apply(Folder(tmp_path), plan)
    assert (tmp_path / "a.md").read_bytes().endswith(b"here\n")


@pytest.mark.parametrize("name", ["../x.md", "/etc/x.md", "a/b.md", ".hidden.md", "x.txt", "archive/../x.md", ""])
def test_a_name_never_becomes_another_path(tmp_path: Path, name: str) -> None:
    """GUARANTEES S9."""
    with pytest.raises(Refused):
        operations.apply(Folder(tmp_path), [operations.Write(name, b"x", None)])


def test_an_archive_that_is_a_link_is_refused(tmp_path: Path) -> None:
    """GUARANTEES S9: links are not followed."""
    memory = tmp_path / "memory"
    _write(memory, {"a.md": A})
    (tmp_path / "elsewhere").mkdir()
    (memory / "archive").symlink_to(tmp_path / "elsewhere")
    with pytest.raises(Refused):
        operations.apply(Folder(memory), layout.plan_archive({"a.md": A}, "a.md"))


@pytest.mark.parametrize(
    ("lines", "width", "limit", "first"),
    [(200, 10, None, None), (201, 10, "200 lines", 201), (150, 300, "25,000 bytes", 84)],
)
def test_the_index_limit_names_what_is_cut(lines: int, width: int, limit: str | None, first: int | None) -> None:
    """Client: 200 lines or 25,000 bytes, whichever comes first."""
    data = "".join(f"- [m{n:03}.md](m{n:03}.md) - ".ljust(width, "x") + "\n" for n in range(lines))
    found = index.over_limit(data.encode())
    if limit is None:
        assert found is None
        return
    assert found is not None
    assert (found.limit, found.first_line_cut) == (limit, first)
    assert found.entries[0].line == first
    assert "200 lines or 25,000 bytes" in found.message


def test_block_comments_do_not_count_towards_the_limit() -> None:
    """Client since 2.1.211."""
    assert index.over_limit(b"<!--\n" + b"note\n" * 300 + b"-->\n- [a.md](a.md)\n") is None


@given(st.text(), st.sampled_from(["b.md", "x_y.md"]), st.text(max_size=30))
def test_adding_and_removing_a_line_keeps_every_other_byte(text: str, file: str, description: str) -> None:
    """Law: remove(add(x)) = x, but for the line break an unfinished last line needs."""
    data = text.encode("utf-8", errors="replace")
    added = index.add(data, file, description)
    assert [entry.file for entry in index.entries(added)].count(file) == 1
    kept = index.remove(added, file)
    assert kept.rstrip(b"\r\n") == data.rstrip(b"\r\n")


@pytest.mark.parametrize(
    ("name", "taken", "expected"),
    [
        ("User Role!", [], "User-Role.md"),
        ("memory", [], "memory-2.md"),
        ("a", ["A.md"], "a-2.md"),
        ("../../etc", [], "etc.md"),
        ("日本", [], "memory-2.md"),
    ],
)
def test_file_names_are_plain_and_free(name: str, taken: list[str], expected: str) -> None:
    """Our choice; a name that differs from the index's by case only would be the index on some systems."""
    assert layout.file_name(name, taken) == expected


def test_the_project_folder_follows_the_clients_rule(tmp_path: Path) -> None:
    """Client: every character outside A-Z, a-z, 0-9 becomes a hyphen (defect M4 of the original)."""
    found = project_folder.memory_folders(Path("/home/me/my_app.v2"), tmp_path, {})
    assert found == [tmp_path / ".claude/projects/-home-me-my-app-v2/memory"]
    moved = project_folder.memory_folders(Path("/x"), tmp_path, {"CLAUDE_CONFIG_DIR": "/cfg"})
    assert moved == [Path("/cfg/projects/-x/memory")]
    (tmp_path / ".claude").mkdir()
    (tmp_path / ".claude/settings.json").write_text('{"autoMemoryDirectory": "~/mine"}')
    assert project_folder.memory_folders(Path("/x"), tmp_path, {})[0] == tmp_path / "mine"


def _write(folder: Path, contents: dict[str, bytes]) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    for name, data in contents.items():
        (folder / name).write_bytes(data)


def test_a_restored_memory_is_listed_beside_the_others() -> None:
    """Seed, archive convention: the index keeps its own words and every other line."""
    listed = b"# Ours\n\n- [b.md](b.md) \xe2\x80\x94 other\n"
    _, write = layout.plan_restore({"MEMORY.md": listed, "b.md": A, "archive/a.md": A}, "a.md")
    assert isinstance(write, Write)
    assert write.data.startswith(listed) and [entry.file for entry in index.entries(write.data)] == ["b.md", "a.md"]
    _, write = layout.plan_restore({"archive/a.md": A}, "a.md")
    assert isinstance(write, Write)
    assert [entry.file for entry in index.entries(write.data)] == ["a.md"]
