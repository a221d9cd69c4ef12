"""`tenure init`: what is there, what will be used."""

from __future__ import annotations

import tomllib

import pytest

from tests.program import Program


def test_init_in_an_empty_project_names_the_default_and_makes_nothing(program: Program) -> None:
    """DESIGN section 5: `tenure init` finds what is there and says what it will use."""
    found = program.ok("init")
    assert found["origin"] == "default"
    assert found["found"] == []
    assert [path.name for path in program.folder.iterdir()] == []


def test_init_lists_every_memory_folder_and_marks_the_one_in_use(program: Program) -> None:
    """DESIGN section 5; the order is the one in which stores are looked for."""
    (program.folder / ".geas").mkdir()
    (program.folder / ".claude" / "memory").mkdir(parents=True)
    assert program.ok("init")["found"] == [
        {"url": f"geas:{program.folder / '.geas'}", "used": True},
        {"url": f"claude-memory:{program.folder / '.claude' / 'memory'}", "used": False},
    ]


def test_a_folder_called_memory_without_an_index_is_not_taken_for_one(program: Program) -> None:
    """Our own choice: source folders have that name too."""
    (program.folder / "memory").mkdir()
    assert program.ok("init")["found"] == []
    (program.folder / "memory" / "MEMORY.md").write_text("")
    assert program.ok("init")["found"] == [{"url": f"claude-code:{program.folder / 'memory'}", "used": False}]


@pytest.mark.parametrize(
    "before",
    ["", 'store = "geas:.geas"\n', '[inject]\nlimit = 3\n[other]\nstore = "x"\n', "# mine\n\n[inject]\nlimit = 3\n"],
)
def test_a_choice_is_written_down_and_keeps_the_other_settings(program: Program, before: str) -> None:
    """Our own choice: the person's settings are theirs."""
    settings = program.folder / ".tenure" / "config.toml"
    settings.parent.mkdir()
    settings.write_text(before)
    found = program.ok("init", "--use", "claude-memory:.claude/memory")
    assert found["store"] == f"claude-memory:{program.folder / '.claude' / 'memory'}"
    after = tomllib.loads(settings.read_text())
    assert after == {**tomllib.loads(before), "store": "claude-memory:.claude/memory"}


def test_a_store_outside_the_project_is_refused_and_nothing_is_written(program: Program) -> None:
    """CONTRACT: a project names a store inside itself; others come by --store or TENURE_STORE."""
    done = program("init", "--use", "sqlite:../elsewhere.db")
    assert done.status == 2
    assert "outside the project" in done.errors
    assert not (program.folder / ".tenure").exists()
