"""Whatever stands in the files, the drop-in answers: no traceback, nothing lost, nothing invented."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tenure.systems.archeflow import rules
from tenure.systems.archeflow.command import main
from tenure.systems.archeflow.events import findings
from tenure.systems.archeflow.extract import extract

from .project import LESSONS, lesson, verdict

FIELDS = [
    "id",
    "type",
    "source",
    "description",
    "frequency",
    "domain",
    "tags",
    "archetype",
    "last_seen_run",
    "run_id",
]
FIELDS += ["runs_since_last_seen", "data", "findings", "severity", "lessons_injected"]
SCALARS = (
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=12) | st.sampled_from(["m-001", "r1"])
)
VALUES = st.recursive(
    SCALARS | st.sampled_from(["review.verdict", "fix.applied", "preference", "alpha bravo"]),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(FIELDS), inner, max_size=4),
    max_leaves=10,
)
GOOD = [
    lesson("m-001", "alpha bravo", 2),
    lesson("m-002", "charlie", 1, 9, type="preference"),
    verdict("r1", "alpha bravo", "charlie", "delta"),
    {"type": "fix.applied", "run_id": "r1", "data": {"finding": "alpha bravo"}},
    {"run_id": "r1", "lessons_injected": ["m-001", "m-002"]},
    {"run_id": "r0"},
]
# A good row with up to two fields that are anything at all, or no row at all.
ROWS = st.builds(
    lambda row, odd: json.dumps(row | odd),
    st.sampled_from(GOOD),
    st.dictionaries(st.sampled_from(FIELDS), VALUES, max_size=2),
) | st.text(max_size=20)
FILES = st.lists(ROWS, max_size=6).map(lambda rows: "\n".join(rows).encode("utf-8", "surrogatepass"))
FILES |= st.binary(max_size=40)


@settings(max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@given(lessons=FILES, other=FILES)
def test_every_command_answers_whatever_the_files_hold(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, lessons: bytes, other: bytes
) -> None:
    """Our guarantee S18: parsers raise nothing undeclared; what could not be read is there afterwards."""
    monkeypatch.chdir(tmp_path)
    for name in ("memory/lessons.jsonl", "memory/audit.jsonl", "events/r1.jsonl", "events/index.jsonl"):
        path = Path(".archeflow") / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(lessons if path.name == LESSONS.name else other)
    for arguments in (
        ["inject", "code", "sage", "--audit", "r1"],
        ["list"],
        ["regression-check", ".archeflow/events/r1.jsonl"],
        ["extract", ".archeflow/events/r1.jsonl"],
        ["decay"],
        ["audit-check", "r1"],
        ["forget", "m-001"],
        ["add", "preference", "words"],
    ):
        assert main(arguments) in (0, 1)
    kept = LESSONS.read_bytes().split(b"\n")
    assert all(line in kept for line in lessons.split(b"\n") if line.strip() and not _is_object(line))


def _is_object(line: bytes) -> bool:
    try:
        return isinstance(json.loads(line), dict)
    except ValueError:
        return False


EVENTS = st.lists(
    st.dictionaries(
        st.sampled_from(["description", "severity", "category"]),
        st.sampled_from(["info", "alpha bravo", "charlie", ""]),
    ),
    max_size=6,
)


@given(EVENTS, EVENTS)
def test_extracting_the_same_run_again_is_extracting_it_once(
    before: list[dict[str, Any]], now: list[dict[str, Any]]
) -> None:
    """Our law, from document 1: frequency counts runs. Findings that say nothing match nothing."""
    numbers = iter(f"m-{number}" for number in range(100))
    policy = rules.packaged()
    lessons: list[dict[str, Any]] = []
    states = []
    for run, rows in (("r1", before), ("r2", now), ("r2", now)):
        told = [row for row in rows if row.get("description")]
        found = findings([{"type": "review.verdict", "data": {"findings": told}}])
        lessons = extract(found, lessons, run, policy, "now", numbers.__next__).lessons
        states.append(lessons)
    assert states[2] == states[1]
    assert all(row["frequency"] <= 2 for row in lessons)


def test_the_drop_in_needs_nothing_but_the_standard_library(tmp_path: Path) -> None:
    """Ours: it runs before and after every agent run, so it imports little."""
    heavy = (
        "click",
        "msgspec",
        "apsw",
        "rich",
        "dataclasses",
        "argparse",
        "logging",
        "asyncio",
        "subprocess",
    )
    code = (
        f"import sys; sys.path[:0] = {sys.path!r}\n"
        "from tenure.__main__ import main; main(['archeflow', 'list'])\n"
        f"print([name for name in {heavy!r} if name in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-I", "-S", "-c", code], cwd=tmp_path, capture_output=True, check=True)
    assert done.stdout.decode().strip() == "[]"
