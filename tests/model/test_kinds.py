"""Typed content: required and optional fields and enums, as claude-memory has them."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tenure.model.kinds import CONTENT as SHAPES
from tenure.model.kinds import KINDS, content_problems, content_words, indexed
from tests.specimens import CONTENT, specimen

REQUIRED = {
    "session_summary": {"goal", "outcome", "completed", "next_actions"},
    "decision": {"status", "context", "decision", "rationale"},
    "runbook": {"trigger", "steps", "verification"},
    "constraint": {"kind", "rule", "impact", "severity", "active"},
    "tech_debt": {"status", "priority", "description", "reason_deferred"},
    "preference": {"topic", "value", "reason", "strength"},
}
ENUMS = [
    ("session_summary", "outcome", "success partial blocked abandoned"),
    ("decision", "status", "proposed accepted deprecated superseded"),
    ("constraint", "kind", "limitation gap policy technical"),
    ("constraint", "severity", "high medium low"),
    ("tech_debt", "status", "open in_progress resolved wont_fix"),
    ("tech_debt", "priority", "critical high medium low"),
    ("preference", "strength", "strong default soft"),
]
NOT_EMPTY = [("decision", "rationale"), ("runbook", "steps"), ("constraint", "impact")]
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=6,
)


def test_the_kinds_are_those_of_the_glossary() -> None:
    assert set(KINDS) == {*REQUIRED, "lesson", "reference"}


@pytest.mark.parametrize("kind", sorted(CONTENT))
def test_a_complete_example_has_no_fault(kind: str) -> None:
    assert content_problems(kind, CONTENT[kind]) == []
    only = {name: CONTENT[kind][name] for name in REQUIRED[kind]}
    assert content_problems(kind, only) == []


@pytest.mark.parametrize(("kind", "name"), [(kind, name) for kind, names in REQUIRED.items() for name in sorted(names)])
def test_a_required_field_must_be_there(kind: str, name: str) -> None:
    """claude-memory's schemas."""
    content = {key: value for key, value in CONTENT[kind].items() if key != name}
    assert [field for field, _ in content_problems(kind, content)] == [f"content.{name}"]


@pytest.mark.parametrize(("kind", "name"), [(kind, name) for kind in CONTENT for name in CONTENT[kind]])
@pytest.mark.parametrize("wrong", [None, 5, [1], {"a": 1}])
def test_a_field_of_the_wrong_shape_is_named(kind: str, name: str, wrong: Any) -> None:
    assert [field for field, _ in content_problems(kind, {**CONTENT[kind], name: wrong})] == [f"content.{name}"]


@pytest.mark.parametrize(("kind", "name", "values"), ENUMS)
def test_enums_take_their_values_and_no_other(kind: str, name: str, values: str) -> None:
    for value in values.split():
        assert content_problems(kind, {**CONTENT[kind], name: value}) == []
    wrong: list[Any] = ["", "other", values.split()[0].upper(), [values.split()[0]], {}]
    for value in wrong:
        assert content_problems(kind, {**CONTENT[kind], name: value})


@pytest.mark.parametrize(("kind", "name"), NOT_EMPTY)
def test_lists_that_carry_the_point_hold_at_least_one(kind: str, name: str) -> None:
    assert content_problems(kind, {**CONTENT[kind], name: []})


@pytest.mark.parametrize("kind", sorted(CONTENT))
def test_unknown_fields_are_refused(kind: str) -> None:
    """claude-memory: all content objects reject unknown keys."""
    ((field, message),) = content_problems(kind, {**CONTENT[kind], "sneaky": 1})
    assert field == "content.sneaky"
    assert "its fields are" in message


@pytest.mark.parametrize("kind", ["lesson", "reference"])
def test_lessons_and_references_have_free_content(kind: str) -> None:
    assert content_problems(kind, {"anything": [1, {"goes": True}]}) == []


@pytest.mark.parametrize("kind", sorted(CONTENT))
def test_content_is_optional(kind: str) -> None:
    """Our choice: a sentence is better than half a runbook."""
    assert content_problems(kind, {}) == []


def test_the_table_names_the_same_required_fields() -> None:
    assert {kind: set(required) for kind, (required, _) in SHAPES.items()} == REQUIRED


@given(st.sampled_from(sorted(KINDS)), st.dictionaries(st.sampled_from(sorted({*CONTENT["constraint"], "x"})), JSON))
def test_any_content_is_judged(kind: str, content: dict[str, Any]) -> None:
    """GUARANTEES S18."""
    for field, message in content_problems(kind, content):
        assert field.startswith("content.")
        assert message
    assert isinstance(content_words(content), str)


def test_the_words_of_content_leave_out_its_keys() -> None:
    assert content_words({"steps": ["one", {"key": "two"}], "n": 3, "empty": ""}) == "one\ntwo"


@pytest.mark.parametrize(
    ("title", "text", "found"),
    [
        ("Call parse_config", "Call parse_config. It reads tenure.toml.", "parseconfig tenuretoml"),
        ("Call parse_con", "Call parse_config", "parsecon parseconfig"),
        ("Read src/api", "Read src/api.py", "srcapi srcapipy apipy"),
        ("About parse_config", "It reads tenure.toml.", "parseconfig tenuretoml"),
    ],
)
def test_names_of_a_title_are_found_unless_the_text_begins_with_it(title: str, text: str, found: str) -> None:
    """Choice: a title made from its text names nothing else, and one that was given may."""
    assert set(found.split()) <= set(indexed(specimen(title=title, text=text))[-1].split())
