"""geas's schemas: the recorded cases, and agreement with a JSON Schema validator on anything else."""

from __future__ import annotations

import copy
from pathlib import PurePath
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from jsonschema import Draft202012Validator

from tenure.model.errors import InvalidInput
from tenure.systems.geas import schemas
from tenure.systems.geas.artifacts import SCHEMAS

from . import samples

RECORDED = samples.cases("schema")


@pytest.mark.parametrize("case", RECORDED, ids=lambda case: case["name"])
def test_a_document_is_valid_exactly_when_geas_says_so(case: dict[str, Any]) -> None:
    """Recorded with a JSON Schema validator on geas's own schema files."""
    found = schemas.problems(case["document"], case["artifact"])
    assert (not found) is case["valid"]
    assert sorted(problem.rule for problem in found) == sorted(error.split(": ")[1] for error in case["errors"])


@pytest.mark.parametrize("artifact", SCHEMAS)
def test_every_artifact_has_a_valid_sample_and_is_recognised_by_its_type(artifact: str) -> None:
    """The spec's table of required fields, one sample document each."""
    document = samples.valid(artifact)
    assert schemas.problems(document) == []
    assert schemas.artifact_of(document) == artifact


@pytest.mark.parametrize("artifact", SCHEMAS)
def test_leaving_out_any_required_field_is_reported_under_its_name(artifact: str) -> None:
    """All fields of the spec's table are required."""
    for field in SCHEMAS[artifact]["required"]:
        document = samples.valid(artifact)
        del document[field]
        found = schemas.problems(document, artifact)
        assert [(problem.field, problem.rule) for problem in found] == [(field, "required")]


@pytest.mark.parametrize("artifact", SCHEMAS)
def test_an_unknown_field_is_reported_under_its_name(artifact: str) -> None:
    """Every geas schema says additionalProperties: false."""
    found = schemas.problems({**samples.valid(artifact), "extra": 1}, artifact)
    assert [(problem.field, problem.rule) for problem in found] == [("extra", "additionalProperties")]


@pytest.mark.parametrize(
    ("field", "value", "rule"),
    [
        ("created_at", "2026-04-01T09:30:15.000Z", "pattern"),
        ("created_at", "2026-04-01T09:30:15+00:00", "pattern"),
        ("created_at", "2026-04-01T09:30:15Z\n", "pattern"),
        ("created_at", "2026-13-45T09:30:15Z", "format"),
        ("version", "", "minLength"),
        ("producer_type", None, "type"),
    ],
)
def test_metadata_is_checked_with_its_path(field: str, value: object, rule: str) -> None:
    """The spec's commonMeta: non-empty texts and a whole-second UTC time."""
    document = samples.valid("memory-entry")
    document["meta"][field] = value
    assert (f"meta.{field}", rule) in [(p.field, p.rule) for p in schemas.problems(document)]


@pytest.mark.parametrize(
    ("value", "valid"),
    [
        (0, True),
        (1, True),
        (0.35, True),
        (1.0, True),
        (1.1, False),
        (-0.1, False),
        ("0.4", False),
        (True, False),
    ],
)
def test_confidence_is_a_number_from_nothing_to_one(value: object, valid: bool) -> None:
    """The spec's signals."""
    document = samples.valid("memory-candidate")
    document["signals"]["confidence"] = value
    assert (schemas.problems(document) == []) is valid


def test_not_a_number_is_never_valid() -> None:
    """GUARANTEES 3: NaN imported as a confidence would become full trust."""
    document = samples.valid("memory-candidate")
    document["signals"]["confidence"] = float("nan")
    assert [problem.field for problem in schemas.problems(document)] == ["signals.confidence"]


def test_a_message_names_what_was_found_and_what_was_expected() -> None:
    """CONTRACT: bad input gets a message naming the field, what was found and what was expected."""
    document = samples.valid("memory-review")
    document["reviewer_type"] = "risk_specialist"
    [problem] = schemas.problems(document)
    assert '"risk_specialist"' in problem.message
    assert "security_engineer" in problem.message


def test_rows_of_a_list_are_named_by_their_number() -> None:
    """CONTRACT: `field` names the field."""
    document = samples.valid("memory-index")
    document["entries"][0]["reuse_count"] = 0
    assert schemas.problems(document)[0].field == "entries[0].reuse_count"


@pytest.mark.parametrize("document", [None, [], "text", 3, {"artifact_type": "poem"}, {"meta": 5}])
def test_what_is_no_artifact_at_all_is_one_problem(document: object) -> None:
    """A choice of ours: nothing raises on a foreign document."""
    assert len(schemas.problems(document)) == 1


def test_an_artifact_geas_does_not_have_is_refused() -> None:
    """A choice of ours: a typing mistake in a name is not silently valid."""
    with pytest.raises(InvalidInput, match="memory-poem"):
        schemas.problems({}, "memory-poem")


_json = st.recursive(
    st.none() | st.booleans() | st.integers(-2, 6) | st.floats(0, 2) | st.sampled_from(["", "x", "candidate", "1.0"]),
    lambda inner: (
        st.lists(inner, max_size=2) | st.dictionaries(st.sampled_from(["meta", "state", "x"]), inner, max_size=2)
    ),
    max_leaves=4,
)


@given(artifact=st.sampled_from(sorted(SCHEMAS)), data=st.data())
def test_we_agree_with_a_json_schema_validator_on_damaged_documents(artifact: str, data: st.DataObject) -> None:
    """Our walker is a subset of JSON Schema 2020-12, so the public validator is its oracle."""
    document = copy.deepcopy(samples.valid(artifact))
    place: Any = document
    while isinstance(place, dict | list) and place:
        key = data.draw(st.sampled_from(sorted(place) if isinstance(place, dict) else range(len(place))))
        if data.draw(st.booleans()) or not isinstance(place[key], dict | list) or not place[key]:
            place[key] = data.draw(_json)
            break
        place = place[key]
    ours = {problem.rule for problem in schemas.problems(document, artifact)} - {"format"}
    theirs = {error.validator for error in Draft202012Validator(SCHEMAS[artifact]).iter_errors(document)}
    # A value of the wrong type is reported once by us; the validator may add what else does not fit it.
    assert bool(ours) == bool(theirs)
    assert ours <= theirs


def test_a_file_is_known_by_its_place_where_it_does_not_say_what_it_is() -> None:
    """Spec 1.3: reviews lie beside what they review; a page of that name elsewhere is something else."""
    place = PurePath("memory/candidates/mem-1-review.json")
    assert (
        schemas.artifact_of({}, place) == "memory-review" == schemas.artifact_of({}, PurePath("entries/x-review.json"))
    )
    assert schemas.artifact_of({}, PurePath("memory/candidates/mem-1.json")) == "memory-candidate"
    assert schemas.artifact_of({}, PurePath("notes/x-review.json")) is None
    assert [problem.field for problem in schemas.problems({}, path=PurePath("notes/x.json"))] == ["artifact_type"]


def test_the_same_text_twice_is_named_where_each_may_stand_once() -> None:
    """Spec 1.4: tags and successors are sets."""
    found = schemas.problems({**samples.memory(), "supersedes": ["a", "b", "a"]}, "memory-entry")
    assert [(problem.field, problem.rule) for problem in found] == [("supersedes", "uniqueItems")]


@pytest.mark.parametrize(
    ("artifact", "field", "values"),
    [
        (
            "memory-entry",
            "state",
            "candidate provisional stable canonical under_review decayed superseded archived rejected",
        ),
        ("memory-entry", "scope", "task mission project agent global"),
        ("memory-application-log", "effect", "positive negative neutral neutral_but_risky unknown"),
        ("memory-application-log", "followup_action", "none strengthen weaken supersede review_required"),
        (
            "memory-application-log",
            "usage_surface",
            "task_packet session_summary review_context gate_context recovery_context decision_context",
        ),
        (
            "memory-review",
            "decision",
            "promote_provisional promote_stable promote_canonical keep weaken supersede reject archive",
        ),
        ("failure-record", "failed_at_state", "implementing reviewed integrated verified"),
        ("failure-record", "rewind_target", "ready implementing reviewed escalated"),
        (
            "failure-record",
            "failure_source",
            "gate_fail gate_block verdict_iterate integration_failure unrecoverable_error",
        ),
        ("specialist-review", "status", "approved changes_requested blocked"),
        (
            "recovery-packet",
            "recovery_class",
            (
                "post_compact_resume warm_session_resume interrupted_subagent_resume dirty_state_recovery"
                " manual_repair_required"
            ),
        ),
        ("recovery-packet", "rewind_target", "ready implementing reviewed integrated"),
        ("integration-result", "conflict_status", "clean resolved failed"),
        ("retrospective", "producer_type", "orchestration_authority"),
        ("failure-record", "producer_type", "orchestration_authority"),
        ("challenge-review", "reviewer_type", "challenger"),
        (
            "memory-entry",
            "memory_type",
            (
                "project_rule agent_rule decision_precedent failure_lesson security_pattern performance_tip"
                " test_strategy integration_pattern ux_pattern architecture_precedent process_improvement risk_pattern"
            ),
        ),
    ],
)
def test_a_field_takes_the_words_of_the_specification_and_no_other(artifact: str, field: str, values: str) -> None:
    """The spec's tables of artifacts."""
    for value in values.split():
        assert schemas.problems({**samples.valid(artifact), field: value}, artifact) == []
    (wrong,) = schemas.problems({**samples.valid(artifact), field: "another"}, artifact)
    assert (wrong.field, wrong.rule in ("enum", "const")) == (field, True)


@pytest.mark.parametrize("artifact", SCHEMAS)
def test_an_artifact_says_its_own_name(artifact: str) -> None:
    """Spec 1.4: the type stands in the head or at the top, and is one word for each artifact."""
    document = samples.valid(artifact)
    head = document.get("meta", document)
    if "meta" not in document:
        assert head["artifact_type"] == artifact.replace("-", "_")
        (wrong,) = schemas.problems({**document, "artifact_type": "another"}, artifact)
        assert (wrong.field, wrong.rule) == ("artifact_type", "const")
        (old,) = schemas.problems({**document, "version": "0.9"}, artifact)
        assert (old.field, old.rule) == ("version", "const")
