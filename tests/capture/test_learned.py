"""What a session taught: recorded extractions, without the defects of the original."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tenure.capture.learned import learned, route

CASES = json.loads((Path(__file__).parent / "cases/learned.json").read_text("utf-8"))["cases"]


def said(text: str, **more: Any) -> dict[str, Any]:
    return {"type": "user", "timestamp": "T", "message": {"role": "user", "content": text}, **more}


@pytest.mark.parametrize("case", [case for case in CASES if case["stance"] == "contract"], ids=lambda case: case["id"])
def test_a_recorded_session_teaches_the_same(case: dict[str, Any]) -> None:
    """Recorded by running echo-sleuth 0.3.6; cases marked as defects are left out."""
    fields = ("category", "content", "timestamp", "suggested_destination", "suggested_type")
    found = [{name: getattr(item, name) for name in fields} for item in learned(case["records"])]
    assert found == case["expect"]


@pytest.mark.parametrize(
    "text",
    [
        "readability is better than cleverness",
        "prefer composition instead of inheritance",
        "prioritize safety over speed",
        "simplicity matters to us",
        "clarity trumps brevity",
        "explicit is preferable to implicit",
        "tests are more valuable than comments",
        "the most important thing is clarity",
        "I would rather wait than break it",
        "readability > cleverness",
    ],
)
def test_a_choice_of_one_thing_over_another_is_a_value_and_nothing_else(text: str) -> None:
    """Spec 2.2, extract-knowledge: better than, prefer, prioritize, choose over, matters, beats, trumps, x > y."""
    assert [(item.category, item.content) for item in learned([said(text)])] == [("value", text)]


def test_an_approval_names_what_was_approved() -> None:
    """Defect M1: the original never sees one, and takes the agent's words for the person's."""
    agent = {
        "type": "assistant",
        "message": {"content": [{"type": "text", "text": "I prefer tabs over spaces."}]},
    }
    (only,) = learned([agent, said("perfect, works")])
    assert (only.category, only.content) == ("approval", "perfect, works (I prefer tabs over spaces.)")


def test_a_sentence_may_be_a_value_and_a_correction() -> None:
    """Defect M3: duplicates are removed per category; a URL loses the sentence's punctuation."""
    items = learned([said("don't guess, clarity is better than speed; see https://x.test/a;")])
    assert [(item.category, item.suggested_type) for item in items] == [
        ("value", "value"),
        ("correction", "feedback"),
        ("reference", "reference"),
    ]
    assert items[-1].content == "https://x.test/a"


def test_a_decision_carries_its_question() -> None:
    """Defect M2: the original loses the question."""
    asked = {"questions": [{"question": "Which store?"}]}
    block = {"type": "tool_use", "id": "q1", "name": "AskUserQuestion", "input": asked}
    answer = {"type": "tool_result", "tool_use_id": "q1", "content": "SQLite"}
    records = [
        {"type": "assistant", "message": {"content": [block]}},
        {"type": "user", "timestamp": "T", "message": {"content": [answer]}},
    ]
    (only,) = learned(records)
    assert (only.category, only.content) == ("decision", "Which store? SQLite")


@pytest.mark.parametrize(
    "record",
    [
        said("prefer tabs over spaces", isMeta=True),
        said("prefer tabs over spaces", isCompactSummary=True),
        said("prefer tabs over spaces", isSidechain=True),
        said("<system-reminder>prefer tabs over spaces</system-reminder>"),
        {"type": "attachment", "message": {"content": "prefer tabs over spaces"}},
    ],
)
def test_nothing_is_learned_from_what_nobody_typed(record: dict[str, Any]) -> None:
    """Design decision 12: we never learn from ourselves."""
    assert learned([record]) == []


@pytest.mark.parametrize(
    ("text", "destination", "kind"),
    [
        ("readability is better than cleverness", "memory", "value"),
        ("never commit without running the tests", "claude-md", "feedback"),
        ("no, that is the wrong table", "memory", "feedback"),
        ("Always run `make lint` before a commit", "claude-md", "feedback"),
        ("We decided on Postgres because of its row locks", "knowledge", ""),
        ("The runbook is at https://wiki.test/runbook", "memory", "reference"),
        ("I am a data engineer and new to Rust", "memory", "user"),
        ("The staging database listens on port 5433 and needs a VPN", "memory", "project"),
        ("please run the tests again", "skip", ""),
        ("use the old endpoint for now", "skip", ""),
        ("where is the config?", "skip", ""),
    ],
)
def test_routing(text: str, destination: str, kind: str) -> None:
    """Seed, destination routing."""
    item = route(text)
    assert (item.suggested_destination, item.suggested_type) == (destination, kind)
    assert route("hello there, how are you").suggested_destination == "skip"


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(),
    lambda inner: (
        st.lists(inner)
        | st.dictionaries(st.sampled_from(["type", "message", "content", "text", "input", "name"]), inner)
    ),
    max_leaves=12,
)


@settings(suppress_health_check=[HealthCheck.too_slow], max_examples=50)
@given(st.lists(st.dictionaries(st.sampled_from(["type", "message", "timestamp"]), JSON), max_size=5))
def test_no_record_raises(records: list[dict[str, Any]]) -> None:
    """GUARANTEES S18: parsers never raise anything undeclared."""
    assert isinstance(learned(records), list)
