"""How long prompt hooks took: what the real hook writes down, and what is read of a file that somebody damaged."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tenure.files.trust import times_of
from tenure.spool import hook_times
from tenure.surfaces.hooks import prompt
from tests.program import Program


@pytest.fixture
def asked(program: Program, monkeypatch: pytest.MonkeyPatch) -> Program:
    """A store whose hook answered one prompt with a memory and stayed silent at another."""
    monkeypatch.setenv("TENURE_HOME", str(program.home))
    program.ok("add", "ledger-gateway: run the migrations before the tests", "--kind", "runbook", "--id", "run")
    for words in (
        "how do I run the tests of ledger-gateway?",
        "Write a haiku about autumn leaves and password hunter2",
    ):
        document = {"prompt": words, "cwd": str(program.folder), "session_id": "s1"}
        program("hook", "prompt", stdin=json.dumps(document).encode())
    return program


def test_a_prompt_leaves_its_time_and_whether_a_memory_was_shown(asked: Program) -> None:
    """Issue 21: silence rate and hook times by percentile. Ours: a line holds no word of a prompt."""
    found = hook_times.read(str(asked.database))
    assert [each.shown for each in found] == [True, False]
    assert all(0 < each.milliseconds < 60_000 for each in found)
    written = Path(times_of(str(asked.database)))
    assert written.stat().st_mode & 0o777 == 0o600
    assert "hunter2" not in written.read_text() and "ledger" not in written.read_text()


def test_a_damaged_file_costs_its_damaged_lines(asked: Program) -> None:
    path = Path(times_of(str(asked.database)))
    with path.open("ab") as file:
        file.write(
            b"nonsense\n2026-11-16T10:00:00Z 9999999999999 1\n\xff\xfe\n2026-11-16T10:00:00Z 41 -\n2026-11-16T10:00"
        )
    assert [(each.milliseconds, each.shown) for each in hook_times.read(str(asked.database))[2:]] == [(41, None)]


def test_a_file_that_became_too_long_is_begun_anew_and_still_read(
    asked: Program, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(prompt, "MOST_TIMES_BYTES", 200)
    for number in range(9):
        prompt._note_time(str(asked.database), "2026-11-16T10:00:00Z", "0", milliseconds=number)
    found = [each.milliseconds for each in hook_times.read(str(asked.database))]
    assert found[-1] == 8 and len(found) > 4
    assert Path(times_of(str(asked.database))).stat().st_size <= 200


def test_a_home_that_cannot_be_written_costs_the_number_and_not_the_answer(program: Program, tmp_path: Path) -> None:
    program.ok("add", "ledger-gateway: run the migrations before the tests", "--kind", "runbook", "--id", "run")
    (program.home / "times").write_text("a file where the folder would be")
    document = {"prompt": "how do I run the tests of ledger-gateway?", "cwd": str(program.folder), "session_id": "s1"}
    done = program("hook", "prompt", stdin=json.dumps(document).encode())
    assert done.status == 0 and b"migrations" in done.out


def test_percentiles_are_values_that_were_measured() -> None:
    times = list(range(1, 101))
    assert hook_times.percentile(times, 0.5) == 51 and hook_times.percentile(times, 0.95) == 96
    assert hook_times.percentile([7], 0.95) == 7 and hook_times.percentile([], 0.5) is None
