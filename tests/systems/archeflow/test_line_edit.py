"""An edit of lines, laid on what a neighbour made of the file meanwhile."""

from __future__ import annotations

from pathlib import Path

import pytest

from tenure.model.errors import Conflict
from tenure.systems.archeflow.lessons import LessonLine, compact, decode
from tenure.systems.archeflow.line_edit import LineEdit

from .project import lesson

ARCHIVE = Path(".archeflow/memory/archive.jsonl")


def lines(*ids: str) -> list[LessonLine]:
    return decode(b"".join(compact(lesson(id, f"lesson {id}", 1)) for id in ids))


def text(of: list[LessonLine]) -> bytes:
    return b"".join(line.raw for line in of)


def test_a_line_that_a_neighbour_added_stays_beside_ours() -> None:
    before = lines("m-001", "m-002")
    edit = LineEdit.between(ARCHIVE, before, before[:1])
    assert edit.applied(text(lines("m-001", "m-002", "m-003"))) == text(lines("m-001", "m-003"))


def test_a_conflict_names_the_file_it_is_in() -> None:
    """A reader of the tree saw that every conflict named lessons.jsonl, also one in the archive."""
    before = lines("m-001")
    with pytest.raises(Conflict, match=r"^\.archeflow/memory/archive\.jsonl was changed by someone else"):
        LineEdit.between(ARCHIVE, before, []).applied(text(lines("m-002")))


def test_an_edit_carried_out_twice_adds_its_lines_once() -> None:
    edit = LineEdit(ARCHIVE, [], [line.raw for line in lines("m-009")])
    once = edit.applied(text(lines("m-001")), strict=False)
    assert edit.applied(once, strict=False) == once == text(lines("m-001", "m-009"))
