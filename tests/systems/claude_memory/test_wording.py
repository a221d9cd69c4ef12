"""A record's content in words, and words as a content."""

from __future__ import annotations

from typing import Any

import pytest

from tenure.systems.claude_memory import wording
from tenure.systems.claude_memory.records import FOLDERS


@pytest.mark.parametrize(
    ("category", "content", "said"),
    [
        (
            "session_summary",
            {"goal": "Ship", "completed": ["tests", " ", 5], "blockers": [], "next_actions": ["tag it"]},
            "Ship\nDone: tests\nNext: tag it",
        ),
        ("decision", {"decision": " Use pnpm ", "rationale": ["faster", "smaller"]}, "Use pnpm\nWhy: faster; smaller"),
        (
            "runbook",
            {"trigger": "It hangs", "symptoms": ["no log"], "steps": "restart"},
            "It hangs\nSymptoms: no log\nSteps: restart",
        ),
        ("preference", {"value": "Tabs", "topic": "tabs", "reason": ["", "  "]}, "Tabs"),
        ("tech_debt", {"description": "", "impact": {"a": 1}}, "Title"),
        ("decision", ["no content"], "Title"),
    ],
)  # fmt: skip
def test_a_content_is_said_main_field_first_and_each_thing_once(category: str, content: Any, said: str) -> None:
    """Ours: an agent that reads only text gets what the fields hold, and nothing of what they do not."""
    assert wording.in_words(category, content, "Title") == said


@pytest.mark.parametrize(
    ("category", "text", "fields"),
    [
        ("constraint", "Direct pushes are not allowed", {"kind": "policy", "rule": "Direct pushes are not allowed"}),
        (
            "constraint",
            "The API takes ten calls a second, so batch them",
            {"kind": "limitation", "impact": ["batch them"]},
        ),
        ("decision", "Use pnpm because npm is slow. Then go on.", {"rationale": ["npm is slow"]}),
        ("preference", "Always use tabs", {"strength": "strong", "topic": "Title"}),
        ("preference", "Tabs are nicer", {"strength": "default"}),
    ],
)
def test_a_text_becomes_a_content_that_holds_nothing_else(category: str, text: str, fields: dict[str, Any]) -> None:
    """Ours: a person states a sentence, the format wants fields; what chooses from a list claims least."""
    filled = wording.from_words(category, text, "Title")
    assert {name: filled.content[name] for name in fields} == fields


def test_a_text_without_a_reason_repeats_itself_and_says_so() -> None:
    """The schema wants the field; the person is told that it holds no more than the text."""
    filled = wording.from_words("tech_debt", "The parser is slow", "Title")
    assert (filled.content["reason_deferred"], filled.repeated) == ("The parser is slow", ["reason_deferred"])
    assert set(wording.MAIN) == set(FOLDERS) == set(wording.CHOSEN)
