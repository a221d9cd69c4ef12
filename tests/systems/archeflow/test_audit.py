"""The audit trail and regressions: document 2, "Audit Trail"; the script."""

from __future__ import annotations

from typing import Any

import pytest

from tenure.systems.archeflow import rules
from tenure.systems.archeflow.audit import checks, injected, injection, record, unrecorded
from tenure.systems.archeflow.events import is_run_id, previous_run
from tenure.systems.archeflow.regression import Regression, regressions

RULES = rules.packaged()
LESSONS: list[dict[str, Any]] = [
    {"id": "m-001", "description": "missing null check in response handlers"},
    {"id": "m-002", "description": "timeline references must match"},
    {"id": "m-003", "description": ""},
    {"id": 4, "description": "no id"},
]


def test_a_matching_finding_makes_a_lesson_ineffective_and_its_absence_helpful() -> None:
    """Document 2: "no matching finding = helpful, matching finding = ineffective"."""
    found = checks(["m-001", "m-002", "m-003", "m-009"], LESSONS, ["a null check is missing"], RULES)
    assert [(one.lesson_id, one.effectiveness, one.overlap_percent) for one in found] == [
        ("m-001", "ineffective", 60),
        ("m-002", "helpful", 0),
    ]
    assert found[0].finding == "a null check is missing"


def test_words_of_unrelated_findings_do_not_add_up() -> None:
    """Document 2 speaks of a matching finding; the script pools the words of all."""
    (one,) = checks(["m-001"], LESSONS, ["missing docs", "null pointer"], RULES)
    assert (one.effectiveness, one.overlap_percent) == ("helpful", 20)


def test_checking_a_run_again_adds_nothing_unless_the_verdict_changed() -> None:
    """Ours: with the script the second check ends with status 5 and no message."""
    first = checks(["m-001", "m-002"], LESSONS, [], RULES)
    records = [record(one, "r1", "now") for one in first]
    assert unrecorded(first, records) == []
    later = checks(["m-001", "m-002"], LESSONS, ["missing null check"], RULES)
    assert [one.lesson_id for one in unrecorded(later, records)] == ["m-001"]


def test_injected_ids_are_gathered_from_all_records_of_the_run() -> None:
    """The script: the union, sorted; records of other kinds have none."""
    records = [
        injection([{"id": "m-003"}, {"id": "m-001"}], "r1", "code", "", "now"),
        {"type": "effectiveness_check"},
        {"lessons_injected": "m-002"},
        {"lessons_injected": ["m-001", None]},
    ]
    assert injected(records) == ["m-001", "m-003"]


def test_a_fixed_finding_that_returns_is_reported_once_with_its_first_match() -> None:
    """Recorded case regression-denominator: the share is of the fixed finding's words, line by line."""
    fixed = ["alpha bravo charlie delta", "alpha bravo charlie delta echo", "golf\nhotel"]
    current = ["alpha bravo", "alpha bravo too", "the hotel"]
    assert regressions(fixed, current, RULES) == [
        Regression("alpha bravo charlie delta", "alpha bravo"),
        Regression("hotel", "the hotel"),
    ]


def test_the_previous_run_is_the_last_other_one_of_the_index() -> None:
    """The script: the index has the newest run last."""
    index: list[dict[str, Any]] = [{"run_id": "r1"}, {"run_id": "r2"}, {"run_id": None}, {"run_id": "r3"}]
    assert previous_run(index, "r3") == "r2"
    assert previous_run([{"run_id": "r3"}], "r3") == ""


@pytest.mark.parametrize(
    ("name", "valid"),
    [
        ("2026-04-05-run", True),
        ("a.b_c", True),
        ("..", False),
        ("a..b", False),
        ("-a", False),
        ("a/b", False),
        ("a\n", False),
    ],
)
def test_a_run_id_may_be_a_file_name(name: str, valid: bool) -> None:
    """The script: run ids become parts of paths."""
    assert is_run_id(name) == valid
