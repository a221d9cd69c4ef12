"""Ids never become paths unsafely, and links are never followed."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tenure.model.errors import InvalidInput
from tenure.systems.geas import paths


@pytest.mark.parametrize(
    "text",
    [
        "",
        "..",
        "a/b",
        "a\\b",
        "../x",
        "x..y",
        ".hidden",
        "-rf",
        "a\nb",
        "a\x00b",
        "a b",
        "a\u202eb",
        "c:d",
        "x-review",
        "m" * 300,
        None,
        7,
    ],
)
def test_an_id_that_could_leave_its_folder_or_hide_is_refused(text: object) -> None:
    """GUARANTEES 3, geas: path ids from task ids."""
    with pytest.raises(InvalidInput):
        paths.safe_id(text)


@pytest.mark.parametrize("text", ["mem-task-001-1", "mem-a.b_c-2", "mem-aufgäbe-1", "記憶-1"])
def test_ordinary_ids_of_any_script_are_kept(text: str) -> None:
    """A choice of ours: safe does not mean English."""
    assert paths.safe_id(text) == text


@given(st.text(max_size=40))
def test_a_path_made_from_any_text_stays_in_its_folder(text: str) -> None:
    """GUARANTEES S9: 0 escapes."""
    try:
        places = [paths.candidate(text), paths.entry(text), paths.log(text, text), paths.review(text, 2)]
    except InvalidInput:
        return
    assert {(len(place.parts), place.parts[0], place.suffix) for place in places} == {(3, "memory", ".json")}


def test_the_places_are_those_of_the_skill() -> None:
    """Seed and spec 1.3."""
    assert paths.log("t1", "mem-1").as_posix() == "memory/logs/t1-mem-1.json"
    assert paths.review("mem-1").as_posix() == "memory/candidates/mem-1-review.json"
    assert paths.packet("m1", "t1").as_posix() == "missions/m1/packets/t1/memory-packet.json"


def test_further_logs_and_reviews_do_not_collide_with_other_memories() -> None:
    """Contradiction 14; mem-t-1-2 is an ordinary id, so a plain number would be ambiguous."""
    assert paths.log("t1", "mem-t-1", 2) != paths.log("t1", "mem-t-1-2")
    assert paths.review("mem-t-1", 2) != paths.review("mem-t-1-2")
    assert paths.review("mem-t-1", 2).name.endswith("-review.json")


def test_both_spellings_of_an_agent_file_are_tried() -> None:
    """Contradiction 20."""
    assert [place.name for place in paths.agent_notes("qa_engineer")] == ["qa_engineer.md", "qa-engineer.md"]
    assert "qa_engineer.md" in [place.name for place in paths.agent_notes("qa-engineer")]
