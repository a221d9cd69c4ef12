"""The verifier: a draft says only what was said."""

from __future__ import annotations

from typing import Any

import pytest

from tenure.capture.draft_check import Source

from .transcript_files import turns

SAID = [
    ("user", "We use SQLite because it needs no server."),
    ("assistant", "Fine. We did not choose Postgres, and the tests run on port 5432."),
    ("user", "ok"),
    ("assistant", "Later on somebody mentioned Cassandra."),
]


@pytest.mark.parametrize(
    ("title", "content", "problem"),
    [
        ("We use SQLite", {"decision": "We use SQLite", "rationale": ["needs no server"]}, ""),
        ("Use sqlite", {"decision": "USE  sqlite!"}, ""),
        ("We use MySQL", {"decision": "We use SQLite"}, "title: mysql"),
        ("SQLite", {"rationale": ["it is faster"]}, "content.rationale: faster"),
        (
            "SQLite",
            {"alternatives": [{"option": "MongoDB", "rejected_reason": "needs no server"}]},
            "content.alternatives.option",
        ),
        ("SQLite", {"decision": "port 5433"}, "5433"),
        ("SQLite", {"status": "accepted", "kind": "limitation", "active": True}, ""),
        ("SQLite", {"decision": "We did choose Postgres"}, "leaves out a negation"),
        ("SQLite", {"decision": "SQLite with Cassandra"}, "not said"),
        ("", {}, ""),
    ],
)
def test_words_that_were_not_said_together_are_found(title: str, content: dict[str, Any], problem: str) -> None:
    """Issue: the verifier blocks a field with words that do not occur in the source."""
    found = Source(turns(SAID)).problems(title, content)
    assert problem in "; ".join(found) if problem else found == []


def test_an_empty_session_supports_nothing() -> None:
    """Nothing was said, so nothing can be claimed."""
    assert Source([]).problems("Use SQLite", {}) != []
