"""Extraction: document 1, "Extraction Algorithm" and "Promotion Rule", and what the generic commands add."""

from __future__ import annotations

from itertools import count
from typing import Any

import pytest

from tenure.systems.archeflow import rules
from tenure.systems.archeflow.events import ReviewFinding, findings
from tenure.systems.archeflow.extract import ExtractResult, Options, added, extract
from tenure.systems.archeflow.lessons import Lesson

RULES = rules.packaged()
NOW = "2026-04-05T00:00:00Z"


def finding(
    description: str, severity: str = "warning", source: str = "guardian", category: str = "code"
) -> ReviewFinding:
    return ReviewFinding(source, severity, description, category)


def lesson(description: str, **fields: Any) -> Lesson:
    return {
        "id": "m-001",
        "type": "pattern",
        "source": "guardian",
        "description": description,
        "frequency": 1,
    } | fields


def run(found: list[ReviewFinding], lessons: list[Lesson], name: str = "r2", **more: Any) -> ExtractResult:
    numbers = count(100)
    return extract(found, lessons, name, RULES, NOW, lambda: f"m-{next(numbers)}", **more)


@pytest.mark.parametrize(
    ("severity", "new"),
    [
        ("warning", True),
        ("WARNING", True),
        ("bug", True),
        ("CRITICAL", True),
        ("null", True),
        ("info", False),
        ("INFO", False),
        ("Recommendation", False),
    ],
)
def test_only_warning_and_above_makes_a_lesson(severity: str, new: bool) -> None:
    """Document 1, step 4, in any case of letters; severities nobody ranked are taken, as the script does."""
    assert len(run([finding("unbounded retry loop", severity)], []).lessons) == int(new)


@pytest.mark.parametrize("severity", ["info", "INFO", "recommendation", "warning", "bug"])
def test_a_match_counts_whatever_its_severity(severity: str) -> None:
    """Document 1, step 3; the script drops info before it compares."""
    (after,) = run([finding("missing null check", severity)], [lesson("missing null check")]).lessons
    assert (after["frequency"], after["last_seen_run"], after["runs_since_last_seen"]) == (2, "r2", 0)
    assert (after["ts"], after["run_id"]) == (NOW, "r2")


def test_the_tags_of_a_lesson_take_part_in_the_comparison() -> None:
    """Document 1, step 2b: "description + tags"; the script looks at the description only."""
    tagged = lesson("references must match", tags=["continuity", "timeline", 7])
    assert run([finding("timeline continuity broken")], [tagged]).decisions[0].action == "update"


def test_two_findings_of_one_run_count_once() -> None:
    """Document 1, "Promotion Rule": promotion needs a second run."""
    outcome = run([finding("missing null check"), finding("null check missing here")], [])
    assert [decision.action for decision in outcome.decisions] == ["create", "noop"]
    assert [one["frequency"] for one in outcome.lessons] == [1]


def test_extracting_a_run_again_changes_nothing() -> None:
    """Document 1, "Promotion Rule"; also when another run was extracted in between."""
    first = run([finding("missing null check")], [], "r1")
    second = run([finding("missing null check")], first.lessons, "r2")
    again = run([finding("missing null check")], second.lessons, "r1", counted=first.counted)
    assert again.lessons == second.lessons
    assert again.lessons[0]["frequency"] == 2


def test_runs_without_an_id_still_count_as_runs() -> None:
    """Ours: `null` is not the name of a run, so two of them are two."""
    seen = lesson("missing null check", last_seen_run="null")
    assert run([finding("missing null check")], [seen], "null").lessons[0]["frequency"] == 2


def test_the_first_match_in_file_order_wins_and_shared_ids_move_together() -> None:
    """The script walks the file from the top and then updates by id."""
    lessons = [lesson("alpha bravo"), lesson("other words", id="m-002"), lesson("zulu", id="m-001")]
    after = run([finding("alpha bravo")], lessons).lessons
    assert [one["frequency"] for one in after] == [2, 1, 2]


def test_a_new_lesson_has_the_fields_of_the_document_in_the_order_of_the_script() -> None:
    """The script's order of keys; the domain of the drop-in is the finding's category."""
    (new,) = run([finding("Missing input validation on user endpoint", category="security")], []).lessons
    assert list(new.items()) == [
        ("id", "m-100"),
        ("ts", NOW),
        ("run_id", "r2"),
        ("type", "pattern"),
        ("source", "guardian"),
        ("description", "Missing input validation on user endpoint"),
        ("frequency", 1),
        ("severity", "warning"),
        ("domain", "security"),
        ("tags", ["missing", "input", "validation", "user", "endpoint"]),
        ("archetype", None),
        ("last_seen_run", "r2"),
        ("runs_since_last_seen", 0),
    ]


def test_a_lesson_added_by_hand_starts_like_the_script_starts_it() -> None:
    """Document 1, "Add a lesson", and the script."""
    by_hand = added("preference", "One bundled PR", "m-002", RULES, NOW)
    assert (by_hand["run_id"], by_hand["source"], by_hand["severity"]) == ("manual", "user_feedback", "info")
    assert (by_hand["domain"], by_hand["last_seen_run"], by_hand["frequency"]) == ("general", "", 1)


@pytest.mark.parametrize(
    ("data", "descriptions"),
    [
        ({"findings": [{"description": "a"}, None, "text", 5]}, ["a", "null"]),
        ({"findings": {"x": {"description": "b"}}}, ["b"]),
        ({"findings": "many"}, []),
        ({"findings": None}, []),
        ("text", []),
        (None, []),
    ],
)
def test_findings_of_any_shape_are_taken_or_passed_over(data: object, descriptions: list[str]) -> None:
    """The script: a verdict whose findings cannot be iterated is skipped."""
    found = findings([{"type": "review.verdict", "data": data}])
    assert [one.description for one in found] == descriptions
    assert {(one.source, one.severity, one.category) for one in found} <= {("unknown", "null", "general")}


def test_the_domain_of_the_run_becomes_the_lessons_and_the_category_a_tag() -> None:
    """Ours, generic commands only: lessons stored under a category are invisible to `inject code`."""
    (new,) = run([finding("SQL built from input", category="security")], [], options=Options(domain="code")).lessons
    assert (new["domain"], new["tags"]) == ("code", ["security", "built", "from", "input"])


@pytest.mark.parametrize(
    ("before", "sources", "kind", "archetype"),
    [
        (lesson("voice drift", source="sage"), ["sage"], "archetype_hint", "sage"),
        (lesson("voice drift", source="sage"), ["sage", "guardian"], "pattern", None),
        (lesson("voice drift", source="sage", frequency=2), ["sage"], "pattern", None),
        (lesson("voice drift", source="unknown"), ["unknown"], "pattern", None),
        (
            lesson("voice drift", source="sage", type="archetype_hint", archetype="sage", frequency=2),
            ["guardian"],
            "pattern",
            None,
        ),
        (
            lesson("voice drift", source="sage", type="archetype_hint", archetype="sage", frequency=2),
            ["sage"],
            "archetype_hint",
            "sage",
        ),
    ],
)
def test_what_one_archetype_alone_raises_in_two_runs_is_its_hint(
    before: Lesson, sources: list[str], kind: str, archetype: str | None
) -> None:
    """Documents: archetype_hint is "auto-detected". Generic commands only: the script never does it."""
    found = [finding("voice drift", source=source) for source in sources]
    (after,) = run(found, [before], options=Options(hints=True)).lessons
    assert (after["type"], after.get("archetype")) == (kind, archetype)
    (plain,) = run(found, [before]).lessons
    assert (plain["type"], plain.get("archetype")) == (before["type"], before.get("archetype"))


def test_a_decayed_lesson_that_returns_is_revived_under_its_id() -> None:
    """Ours, generic commands only: with the script a returning finding starts at 1 again."""
    old = lesson("missing null check", id="m-007", frequency=0, note="kept")
    outcome = run([finding("missing null check")], [], options=Options(archived=[old]))
    assert outcome.decisions[0].action == "revive"
    (back,) = outcome.lessons
    assert (back["id"], back["frequency"], back["last_seen_run"], back["note"]) == ("m-007", 2, "r2", "kept")


def test_a_forgotten_lesson_does_not_come_back_by_itself() -> None:
    """Ours: `forget` leaves the frequency in the archive, decay leaves 0, so the two can be told apart."""
    outcome = run([finding("missing null check")], [], options=Options(archived=[lesson("missing null check")]))
    assert [decision.action for decision in outcome.decisions] == ["create"]


def test_a_finding_that_says_nothing_can_be_left_out() -> None:
    """Ours, generic commands only: the script stores a lesson called `null` or an empty one."""
    assert run([finding("")], [], options=Options(skip_nameless=True)).lessons == []
    assert len(run([finding("")], []).lessons) == 1
