"""Real command lines and real rules, frozen with verdicts given by hand (`scripts/bench guards` prints the table)."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from tenure.guards import match
from tenure.guards.calls import call_of
from tenure.guards.derive import derive

DATA = Path(__file__).parents[2] / "scripts" / "data" / "guards"


def rows(name: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (DATA / name).read_text(encoding="utf-8").splitlines()]


def test_real_lines_raise_no_false_alarm_and_few_are_missed() -> None:
    """Issue 19: at least 120 lines from fetched sessions, 0 false alarms, at most 2 % missed."""
    matchers = json.loads((DATA / "matchers.json").read_text(encoding="utf-8"))
    alarms, missed, meant = [], [], 0
    for row in rows("lines.jsonl"):
        seen = match.Seen(call_of("Bash", {"command": row["line"]}, "/project"), "/project", "/home/x")
        fired = match.fires(matchers[row["guard"]], seen) is not None
        meant += row["fires"]
        alarms += [row["line"]] if fired and not row["fires"] else []
        missed += [row["line"]] if row["fires"] and not fired else []
    assert len(rows("lines.jsonl")) >= 120
    assert alarms == []
    assert len(missed) <= meant * 0.02, missed


def test_of_what_fires_in_real_sessions_little_is_wrong() -> None:
    """Issue 19: 21.7 % of another project's blocks were wrong on real commands; every fire here was judged by hand."""
    verdicts = [row["verdict"] for row in rows("fires.jsonl")]
    assert len(verdicts) > 600
    assert verdicts.count("wrong") == 0
    untuned = [row["verdict"] for row in rows("fires_untuned.jsonl")]
    assert len(untuned) == 120 and untuned.count("wrong") <= 0.05 * len(untuned)
    assert {*verdicts, *untuned} == {"right", "wrong", "unclear"}


def test_what_was_said_of_rules_in_real_sessions_was_judged_line_by_line() -> None:
    """Issue 19: `audit --obeyed` on fetched repositories with their own sessions, judged by hand."""
    judged = [row for row in rows("obeyed.jsonl") if row["where"]]
    assert len({row["repository"] for row in judged}) >= 2
    assert all(row["kept"] + row["broken"] == row["relevant"] for row in judged)
    assert all(row["verdict"] == "right" and not row.get("calls_judged", {}).get("wrong") for row in judged)


def test_real_rules_become_right_proposals_and_never_a_denial() -> None:
    """Issue 19: 60 rules of fetched instruction files, at least 70 % a right proposal, 0 wrong denials."""
    for name in ("tuned", "untuned"):
        mine = [row for row in rows("rules.jsonl") if row["set"] == name]
        meant = [row for row in mine if row["expected"]]
        assert sum(row["verdict"] == "right" for row in meant) >= 0.7 * len(meant)
    for row in rows("rules.jsonl"):
        found = derive(row["rule"])
        assert found is None or found.guard.level in ("count", "remind", "ask")
        if row["verdict"] == "right":
            assert (found is not None) is bool(row["expected"]), row["rule"]
