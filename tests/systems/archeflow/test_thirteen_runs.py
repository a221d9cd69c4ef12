"""Thirteen runs replayed as the documents order them: inject, review, extract, decay, audit-check.

Two issues, one preference. The timeline issue is raised in runs 1, 2 and 3 and then never again. The null
check is raised in run 1 only. What the documents predict for every run is written out below and compared
line by line.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from tenure.systems.archeflow.command import main

from .project import ARCHIVE, AUDIT, LESSONS, events, read

TIMELINE = "Timeline references must match story start day"
NULL_CHECK = "Missing null checks in API response handlers"
PREFERENCE = "User prefers single bundled PR"

RAISED = {1: [TIMELINE, NULL_CHECK], 2: [TIMELINE, TIMELINE], 3: [TIMELINE]}

# Run -> what is injected before it, then (frequency, runs unseen) of preference, timeline and null check
# after it. Run 2 raises the timeline issue twice and still counts once. A run that sees a lesson leaves its
# counter at 0, so the timeline issue, last seen in run 3, loses its first point in run 13 and not before.
PREDICTED = {
    1: ([PREFERENCE], (1, 1), (1, 0), (1, 0)),
    2: ([PREFERENCE], (1, 2), (2, 0), (1, 1)),
    3: ([TIMELINE, PREFERENCE], (1, 3), (3, 0), (1, 2)),
    4: ([TIMELINE, PREFERENCE], (1, 4), (3, 1), (1, 3)),
    5: ([TIMELINE, PREFERENCE], (1, 5), (3, 2), (1, 4)),
    6: ([TIMELINE, PREFERENCE], (1, 6), (3, 3), (1, 5)),
    7: ([TIMELINE, PREFERENCE], (1, 7), (3, 4), (1, 6)),
    8: ([TIMELINE, PREFERENCE], (1, 8), (3, 5), (1, 7)),
    9: ([TIMELINE, PREFERENCE], (1, 9), (3, 6), (1, 8)),
    10: ([TIMELINE, PREFERENCE], None, (3, 7), (1, 9)),
    11: ([TIMELINE], None, (3, 8), None),
    12: ([TIMELINE], None, (3, 9), None),
    13: ([TIMELINE], None, (2, 0), None),
}


def test_thirteen_runs_end_as_the_documents_predict(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Documents 1 and 2; that a preference fades like any lesson is the script's, in the drop-in only."""
    monkeypatch.chdir(tmp_path)
    assert main(["add", "preference", PREFERENCE]) == 0
    for run, (shown, *after) in PREDICTED.items():
        name = f"run-{run:02d}"
        capsys.readouterr()
        # The findings' category is `code`, and so is the run's domain.
        assert main(["inject", "code", "", "--audit", name]) == 0
        block = capsys.readouterr().out
        assert [line[2:].split(" [seen")[0] for line in block.splitlines()[1:]] == shown
        path = events(tmp_path, name, *RAISED.get(run, []))
        assert main(["extract", path]) == 0
        assert main(["decay"]) == 0
        assert main(["audit-check", name]) == 0
        now = {row["description"]: (row["frequency"], row["runs_since_last_seen"]) for row in read(LESSONS)}
        assert [now.get(words) for words in (PREFERENCE, TIMELINE, NULL_CHECK)] == after, name

    assert [(row["id"], row["frequency"]) for row in read(LESSONS)] == [("m-002", 2)]
    assert [(row["id"], row["frequency"]) for row in read(ARCHIVE)] == [("m-001", 0), ("m-003", 0)]
    assert verdicts("m-002") == {"run-03": "ineffective"} | {f"run-{run:02d}": "helpful" for run in range(4, 14)}
    # In run 10 the preference is archived by decay before the audit looks, so nine verdicts are left.
    assert verdicts("m-001") == {f"run-{run:02d}": "helpful" for run in range(1, 10)}


def verdicts(identity: str) -> dict[str, str]:
    return {row["run_id"]: row["effectiveness"] for row in read(AUDIT) if row.get("lesson_id") == identity}
