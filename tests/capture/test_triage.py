"""Triage scoring: the published table, its repairs in 6.0, and what must not count."""

from __future__ import annotations

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tenure.capture.transcripts import Turn
from tenure.capture.triage import activity, excerpt, spoken_lines, triage, without_code
from tenure.capture.triage_rules import RULES, THRESHOLDS

FILLER = "nothing in particular"


def scores(*lines: str) -> dict[str, float]:
    found = triage([Turn("user", "\n".join(lines))])
    return {score.category: round(score.score, 4) for score in found.scores if score.category != "session_summary"}


@pytest.mark.parametrize(
    ("category", "lines", "score"),
    [
        ("decision", ["We decided A."], 0.1579),
        ("decision", ["We decided A because x."], 0.2632),
        ("decision", ["She picked a.", "They selected b."], 0.3158),
        ("decision", ["She picked a.", "They selected b.", "He decided c."], 0.4737),
        ("decision", ["We decided A because x.", "We chose B because y."], 0.5263),
        ("decision", ["We chose A because x."] * 3, 0.6842),
        ("decision", ["We chose A because x."] * 9, 1.0),
        ("decision", ["We  went\twith A"], 0.1579),
        ("decision", ["Let’s go with A"], 0.1579),
        ("decision", ["an architecture decision"], 0.1579),
        ("runbook", ["An error.", "An exception.", "A failure."], 0.3333),
        ("runbook", ["The error", "root cause"], 0.3333),
        ("runbook", ["The error was resolved", "A crash"], 0.6667),
        ("runbook", ["a stacktrace", "a stack trace"], 0.2222),
        ("constraint", ["a limitation", "the quota", "rate limit"], 0.4737),
        ("constraint", ["You cannot do this"], 0.0),
        ("constraint", ["You cannot pass the quota"], 0.2632),
        ("constraint", ["It does not support x"], 0.1579),
        ("tech_debt", ["TODO later", "a hack for now"], 0.5263),
        ("preference", ["I prefer tabs.", "That is a convention."], 0.3415),
        ("preference", ["always use tabs, agreed", "never use spaces"], 0.4878),
        ("preference", ["I like to stick with tabs"], 0.1707),
    ],
)
def test_lines_score_as_the_published_table_says(category: str, lines: list[str], score: float) -> None:
    """Spec 1.4 with the repairs of 6.0: two boosted lines, three plain ones, one hit per line."""
    assert scores(*lines)[category] == score


@pytest.mark.parametrize(
    "line",
    [
        "We have not decided",
        "We never chose",
        "We haven't picked one",
        "We haven’t picked one",
        "undecided, deciding, decide, decidedly",
        "de_cided decided_",
        "We decid\ned",
        "went\nwith",
        "`decided`",
        "```\ndecided\n```",
    ],
)
def test_what_is_no_decision_does_not_score(line: str) -> None:
    """Whole words within a line, not negated, not in code."""
    assert scores(line)["decision"] == 0


@pytest.mark.parametrize(
    "line",
    [
        "## Error Handling",
        "- If a subagent fails with an error, retry",
        "python3 hooks/scripts/memory_write.py --action create failed",
        "If ANY command failed, do NOT delete",
    ],
)
def test_the_memory_systems_own_instructions_are_no_runbook(line: str) -> None:
    """6.0's negative filter: its own skill text triggered runbooks."""
    assert scores(line)["runbook"] == 0


@pytest.mark.parametrize(("distance", "boosted"), [(0, True), (4, True), (5, False)])
def test_a_booster_counts_within_four_lines_either_way(distance: int, boosted: bool) -> None:
    """Spec 1.4: plus or minus four lines, the own line included."""
    gap = [FILLER] * max(0, distance - 1)
    near = ["We decided because"] if distance == 0 else ["We decided A", *gap, "because"]
    expected = 0.2632 if boosted else 0.1579
    assert scores(*near)["decision"] == scores(*reversed(near))["decision"] == expected


def test_all_six_scores_come_back_in_their_fixed_order_with_snippets() -> None:
    """Spec 1.4: decision, runbook, constraint, tech_debt, preference, session_summary."""
    found = triage([Turn("user", "  We decided A because x.\nWe decided A because x.  ")])
    assert tuple(score.category for score in found.scores) == tuple(THRESHOLDS)
    first = found.scores[0]
    assert (first.snippets, first.lines, first.fires) == (("We decided A because x.",), (0, 1), True)
    assert [score.threshold for score in found.scores] == [0.4, 0.5, 0.45, 0.4, 0.4, 0.6]


def test_a_threshold_can_be_given_and_is_inclusive() -> None:
    """Fires when the score reaches the threshold."""
    turn = Turn("user", "She picked a.\nThey selected b.\nHe decided c.")
    exact = triage([turn]).scores[0].score
    assert triage([turn], {"decision": exact}).scores[0].fires
    assert not triage([turn], {"decision": exact + 0.001}).scores[0].fires


def test_every_text_category_can_reach_its_threshold_by_plain_or_boosted_lines() -> None:
    """5.0's constraint threshold was out of reach of three plain lines: 0 firings in 71 sessions."""
    for rule in RULES:
        best = 2 * rule.boosted / rule.denominator
        assert best >= THRESHOLDS[rule.category], rule.category


def test_the_session_summary_counts_calls_tools_and_messages() -> None:
    """0.05 per tool use, 0.1 per different tool, 0.02 per message; a call on its own line is no message."""
    did = [Turn("assistant", "", ("Bash", "Read")), Turn("tool", "", ("Bash",)), Turn("user", "x")]
    assert activity(did) == (3, 2, 2)
    assert round(triage(did).scores[-1].score, 4) == 0.39
    assert triage(did * 20).scores[-1].score == 1.0
    assert triage(did).scores[-1].snippets == ("3 tool uses across 2 tools, 2 exchanges",)


def test_an_unclosed_fence_in_one_message_does_not_hide_the_next() -> None:
    """A choice of our own: 5.0 joined all messages before it looked for code."""
    assert spoken_lines([Turn("user", "```\nWe decided"), Turn("user", "``` x\nWe chose")]) == [
        "```",
        "We decided",
        "``` x",
        "We chose",
    ]
    assert without_code("a ```b``` c `d` e ```f") == "a  c  e ```f"


def test_context_windows_merge_when_they_touch() -> None:
    """Spec 1.4: plus or minus ten lines, merged, divided by `---`."""
    lines = [str(number) for number in range(60)]
    assert excerpt(lines, [12, 20]) == "\n".join(lines[2:31])
    assert excerpt(lines, [0, 59]) == "\n".join(lines[:11]) + "\n---\n" + "\n".join(lines[49:])
    assert excerpt(lines, []) == ""


@given(st.lists(st.sampled_from(["We decided", "because", "error", "the fix", "x", "İ chose", ""]), max_size=30))
def test_scores_stay_in_range_and_lines_point_at_what_matched(lines: list[str]) -> None:
    """A law: 0 to 1, matches in order, snippets from the matching lines."""
    found = triage([Turn("user", "\n".join(lines) or " ")])
    for score in found.scores:
        assert 0 <= score.score <= 1
        assert list(score.lines) == sorted(set(score.lines))
    for number in found.scores[0].lines:
        assert any(word in found.lines[number] for word in ("decided", "chose"))


@pytest.mark.parametrize(
    "unit", ["decided ", "went ", "we should ", "`", "```", "a", "not ", "<memory-context ", "i like  "]
)
def test_work_grows_with_the_text_and_not_faster(unit: str) -> None:
    """Guarantee 4.7: four times the text must not cost sixteen times the work, in processor time."""

    def cost(size: int) -> float:
        turn = Turn("user", unit * (size // len(unit)))
        before = time.process_time()
        triage([turn])
        return time.process_time() - before

    small = max(min(cost(100_000) for _ in range(3)), 0.002)
    assert min(cost(400_000) for _ in range(3)) < small * 4 * 3
