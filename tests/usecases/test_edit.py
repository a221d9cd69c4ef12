"""Changing what a memory says, within the write protections."""

from __future__ import annotations

import contextlib
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tenure.model.errors import AntiResurrection, Conflict, Forgotten, InvalidInput, Protected, TenureError
from tenure.usecases import edit
from tenure.workspace import Workspace
from tests.specimens import CONTENT, NOW, SetNow, days

JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**70), 2**70) | st.floats() | st.text(max_size=12),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=6), inner, max_size=3),
    max_leaves=6,
)


def test_an_edit_changes_the_text_and_remembers_that_it_did(ws: Workspace, set_now: SetNow) -> None:
    memory = ws.add("Run the migrations first")
    set_now(NOW + days(1))
    after = ws.edit(memory.id, text="Run the migrations last", title="Migrations")
    assert (after.text, after.title) == ("Run the migrations last", "Migrations")
    assert [entry.field for entry in after.changes] == ["title", "text"]
    assert after.changes[0].new_value == "Migrations"
    assert (after.created_at, after.updated_at) == (NOW, NOW + days(1))


def test_an_edit_that_changes_nothing_writes_nothing(ws: Workspace) -> None:
    memory = ws.add("Run the migrations first")
    assert ws.edit(memory.id, text="Run the migrations first") == memory
    assert len(ws.history(memory.id)) == 1


@pytest.mark.parametrize(("name", "value"), [("id", "other"), ("kind", "decision"), ("created_at", NOW + days(1))])
def test_identity_never_changes(ws: Workspace, name: str, value: Any) -> None:
    memory = ws.add("Run the migrations first")
    with pytest.raises(Protected):
        edit.edit(ws.project, ws.system, memory.id, {name: value})


@pytest.mark.parametrize("name", ["state", "phase", "trust", "signals", "supersedes", "approvals", "nonsense"])
def test_what_the_engine_owns_cannot_be_edited(ws: Workspace, name: str) -> None:
    """GUARANTEES S3; claude-memory: record_status cannot be changed via UPDATE."""
    memory = ws.add("Run the migrations first")
    with pytest.raises(TenureError, match=f"{name} cannot be edited"):
        edit.edit(ws.project, ws.system, memory.id, {name: 1})


def test_tags_only_grow(ws: Workspace) -> None:
    memory = ws.add("Run the migrations first", tags=["db", "ci"])
    assert ws.edit(memory.id, tags=["db", "ci", "new"]).tags == ("db", "ci", "new")
    with pytest.raises(Protected, match="tags only grow below 12"):
        ws.edit(memory.id, tags=["new"])
    with pytest.raises(Protected):
        ws.edit(memory.id, tags=["db", "ci", "new", *(f"t{n}" for n in range(10))])


def test_files_are_dropped_only_when_gone(ws: Workspace, tmp_path: Path) -> None:
    (tmp_path / "here.py").write_text("")
    memory = ws.add("About two files", files=["here.py", "gone.py"])
    with pytest.raises(Protected, match=r"'here\.py' still exists"):
        ws.edit(memory.id, files=["gone.py"])
    assert ws.edit(memory.id, files=["here.py"]).files == ("here.py",)


def test_the_history_can_be_continued_but_not_rewritten(ws: Workspace) -> None:
    """claude-memory: changes[] is append-only; ours is compared by content."""
    memory = ws.add("Run the migrations first")
    entries = [{"date": "2026-01-01", "summary": "one"}]
    assert len(ws.edit(memory.id, changes=entries).changes) == 1
    with pytest.raises(Protected, match="append-only"):
        ws.edit(memory.id, changes=[{"date": "2026-01-01", "summary": "another"}])
    with pytest.raises(Protected, match="append-only"):
        ws.edit(memory.id, changes=[])


def test_the_history_keeps_the_newest_fifty(ws: Workspace) -> None:
    memory = ws.add("Version 0")
    for n in range(55):
        memory = ws.edit(memory.id, title=f"Title {n}")
    assert len(memory.changes) == 50
    assert memory.changes[-1].new_value == "Title 54"


def test_a_stale_version_is_a_conflict(ws: Workspace) -> None:
    """claude-memory: OCC_CONFLICT; GUARANTEES R3."""
    memory = ws.add("Run the migrations first")
    seen = ws.version(memory.id)
    ws.edit(memory.id, text="Run them last")
    with pytest.raises(Conflict):
        ws.edit(memory.id, text="Run them never", expected_version=seen)
    assert ws.get(memory.id).text == "Run them last"


def test_content_is_checked_like_on_the_way_in(ws: Workspace) -> None:
    memory = ws.add("Quotes", kind="preference", content=CONTENT["preference"])
    with pytest.raises(InvalidInput):
        ws.edit(memory.id, content={**CONTENT["preference"], "strength": "iron"})


def test_what_was_forgotten_does_not_return_by_an_edit(ws: Workspace) -> None:
    """GUARANTEES P2."""
    ws.forget(ws.add("A secret plan").id)
    memory = ws.add("Something harmless")
    with pytest.raises(Forgotten):
        ws.edit(memory.id, text="A secret plan")


def test_what_was_just_retired_does_not_return_by_an_edit(ws: Workspace) -> None:
    """Issue 2: a near-identical text cannot be created again for 24 hours; an edit is no way around it."""
    retired = ws.add("The staging queue drains at midnight")
    ws.retire(retired.id, reason="wrong")
    other = ws.add("Deploys wait for the nightly build")
    with pytest.raises(AntiResurrection):
        ws.edit(other.id, text="The staging queue drains at midnight.")
    assert ws.get(other.id).text == "Deploys wait for the nightly build"


def test_earlier_versions_of_what_was_forgotten_stay_out_too(ws: Workspace) -> None:
    memory = ws.add("The first secret plan")
    ws.edit(memory.id, text="The second secret plan")
    ws.forget(memory.id)
    for text in ("The first secret plan", "The second secret plan"):
        with pytest.raises(Forgotten):
            ws.add(text)


def test_an_edit_that_makes_a_contradiction_flags_it(ws: Workspace) -> None:
    one = ws.add("Use tabs for indentation")
    other = ws.add("Something else")
    assert ws.edit(other.id, text="Never use tabs for indentation", title="Tabs").conflicts == (one.id,)
    assert ws.get(one.id).conflicts == (other.id,)


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.dictionaries(st.sampled_from(["title", "text", "content", "tags", "files", "changes"]), JSON, min_size=1))
def test_any_json_like_edit_is_applied_or_refused(ws: Workspace, fields: dict[str, Any]) -> None:
    """GUARANTEES S18: nothing undeclared is raised, and the store still proves itself."""
    memory = ws.memories()[0] if ws.memories() else ws.add("Run the migrations first")
    with contextlib.suppress(TenureError):
        ws.edit(memory.id, **fields)
    assert ws.check() == []
