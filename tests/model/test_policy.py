"""Policy is data: every threshold from a file, overlaid by the user's settings."""

from __future__ import annotations

import math
import subprocess
import sys
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tenure.model import policy as policies
from tenure.model.errors import InvalidInput
from tests.specimens import POLICY, SETTINGS, policy

NUMBERS = {setting.key for setting in SETTINGS if type(setting.value) is int}
VALUES = st.integers(-5, 5) | st.text(max_size=4) | st.booleans() | st.lists(st.integers(), max_size=2) | st.floats()


def nested(key: str, value: Any) -> dict[str, Any]:
    for part in reversed(key.split(".")):
        value = {part: value}
    return dict(value)


def test_the_states_and_phases_are_those_of_the_issue() -> None:
    """Issue 2, section 5."""
    phases: dict[str, set[str]] = {}
    for state, phase in POLICY.states.items():
        phases.setdefault(phase, set()).add(state)
    assert phases == {
        "pending": {"candidate"},
        "live": {"provisional", "stable", "canonical"},
        "held": {"under_review"},
        "gone": {"decayed", "superseded", "retired", "archived", "rejected"},
    }


def test_a_state_nobody_named_is_held() -> None:
    """GUARANTEES S19: gates fail closed."""
    assert POLICY.phase("ascended") == "held"


def test_the_thresholds_are_those_of_the_issue() -> None:
    steps = {s.to: (s.evidence, s.successes, s.tasks, s.approvals, s.review_days) for s in POLICY.promotion.steps}
    assert steps == {
        "provisional": (2, 0, 0, 1, 30),
        "stable": (0, 3, 0, 1, 90),
        "canonical": (0, 5, 3, 2, 180),
    }
    assert POLICY.confidence.by_evidence == (40, 60, 80)
    assert (POLICY.confidence.positive, POLICY.confidence.negative, POLICY.confidence.contradiction) == (10, -10, -20)
    hold, decay = POLICY.promotion.hold, POLICY.decay
    assert (hold.failures, hold.confidence_below, hold.rounds) == (2, 30, 3)
    assert (decay.contradictions, decay.confidence_below, decay.unseen_runs) == (3, 30, 10)
    assert (POLICY.write.tags_cap, POLICY.write.resurrection_hours, POLICY.write.session_window) == (12, 24, 5)
    assert (POLICY.retention.grace_days, POLICY.retention.purge_states) == (30, ("retired",))


@pytest.mark.parametrize("key", sorted(NUMBERS))
def test_every_number_can_be_overlaid_and_says_where_it_came_from(key: str) -> None:
    _, settings = policies.load("tenure", {"mine": nested(key, 7)})
    (setting,) = (setting for setting in settings if setting.key == key)
    assert (setting.value, setting.origin) == (7, "mine")


def test_the_stronger_overlay_wins() -> None:
    """The module's promise: weakest first."""
    loaded, _ = policies.load(
        "tenure", {"user": {"decay": {"unseen_runs": 5}}, "project": {"decay": {"unseen_runs": 6}}}
    )
    assert loaded.decay.unseen_runs == 6


def test_tables_of_the_users_own_may_grow() -> None:
    assert policy(decay={"half_life_days": {"haiku": 3}}).decay.half_life_days["haiku"] == 3


@pytest.mark.parametrize(
    "overlay",
    [
        {"decay": {"unsen_runs": 5}},
        {"nonsense": 1},
        {"decay": 5},
        {"decay": {"unseen_runs": "many"}},
        {"decay": {"unseen_runs": 1.5}},
        {"decay": {"half_life_days": {"lesson": 0}}},
        {"decay": {"half_life_days": {"lesson": -3}}},
        {"confidence": {"by_evidence": []}},
        {"states": {"candidate": "limbo"}},
        {"states": {"candidate": {"deep": "pending"}}},
        {"promotion": {"steps": [{"from": "candidate"}]}},
        {"triage": {"threshold": 3}},
        {"claims": {"modifier": 3}},
        {"claims": {"modifiers": {"fiel": 3}}},
    ],
)
def test_a_mistake_is_refused_and_named(overlay: dict[str, Any]) -> None:
    with pytest.raises(InvalidInput):
        policies.load("tenure", {"my settings": overlay})


@given(st.sampled_from(sorted(setting.key for setting in SETTINGS)), VALUES)
def test_any_value_is_taken_or_refused(key: str, value: Any) -> None:
    """GUARANTEES S18: configuration never crashes the program."""
    try:
        _, settings = policies.load("tenure", {"mine": nested(key, value)})
    except InvalidInput:
        return
    assert {setting.key for setting in settings} >= {setting.key for setting in SETTINGS} - {key}


def test_every_threshold_says_where_it_comes_from() -> None:
    """Issue 2: thresholds in the policy file, each with a comment; ours needs one per table at least."""
    text = policies.packaged_text("tenure")
    tables = [table for table in text.split("\n\n") if table.lstrip().startswith("[")]
    assert [table.splitlines()[0] for table in tables if "#" not in table] == []


@pytest.mark.parametrize(
    ("overlay", "said"),
    [
        ({"retention": {"grace_days": -5}}, "u.toml: retention.grace_days is not valid: Expected `int` >= 0."),
        ({"match": {"similar_overlap": 7.0}}, "u.toml: match.similar_overlap is not valid: Expected `float` <= 1.0."),
        ({"decay": {"unseen_runs": "x"}}, "u.toml: decay.unseen_runs is not valid: Expected `int`, got `str`."),
        ({"write": {"tags_cap": 0}}, "u.toml: write.tags_cap is not valid: Expected `int` >= 1."),
    ],
)
def test_a_value_out_of_range_names_its_file_and_key(overlay: dict[str, Any], said: str) -> None:
    """CONTRACT: bad input names the file and the field; a grace period below nothing would purge at once."""
    with pytest.raises(InvalidInput) as refusal:
        policies.load("tenure", {"other.toml": {"decay": {"contradictions": 4}}, "u.toml": overlay})
    assert refusal.value.message == said


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("inject.least_evidence", math.nan),
        ("inject.least_evidence", math.inf),
        ("inject.floor_share", math.nan),
        ("inject.limit", 10**12),
        ("inject.budget_chars", 10**30),
        ("decay.half_life_days.lesson", math.nan),
        ("decay.half_life_days.lesson", math.inf),
        ("decay.half_life_days.lesson", 1e-300),
        ("decay.sweep_limit", 2**63),
        ("decay.unseen_runs", 2**63),
        ("write.resurrection_hours", 10**11),
        ("write.text_bytes", 2**63),
        ("match.candidates", 2**63),
        ("retention.grace_days", 10**7),
        ("retention.expire_days.lesson", 10**7),
        ("confidence.positive", 101),
        ("confidence.contradiction", -(10**20)),
    ],
)
def test_a_number_beyond_every_use_is_an_error(key: str, value: float) -> None:
    """Issue 13: nan and absurd limits are errors, not dates that overflow later."""
    with pytest.raises(InvalidInput) as found:
        policies.load("tenure", {"mine": nested(key, value)})
    assert key.split(".")[1] in found.value.message


def test_threads_that_load_the_policy_first_and_at_once_crash_nothing() -> None:
    """Found by fuzzing the MCP server: msgspec reads a class when it first fills it, and not in two threads at once."""
    program = """
import sys, threading
sys.setswitchinterval(1e-6)
from tenure.model import policy
ready = threading.Barrier(8)
def load():
    ready.wait()
    policy.load("native")
threads = [threading.Thread(target=load) for _ in range(8)]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
"""
    for _ in range(12):
        assert subprocess.run([sys.executable, "-P", "-c", program], check=False).returncode == 0
