"""Laws of the codec: what a file holds survives the way to a memory and back, byte for byte."""

from __future__ import annotations

import json
from datetime import datetime, timedelta
from typing import Any

import msgspec
from hypothesis import given
from hypothesis import strategies as st

from tenure.model import policy as policies
from tenure.model.evolve import value_of
from tenure.model.memory import Signals
from tenure.systems.geas import codec, memories, schemas
from tenure.systems.geas.artifacts import COUNTERS, MEMORY_TYPES, SCOPES, STATES

from . import samples

POLICY, _ = policies.load("geas")
texts = st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=40)
stamps = st.datetimes(datetime(2026, 1, 1), datetime(2026, 12, 31)).map(
    lambda moment: moment.replace(microsecond=0).isoformat() + "Z"
)
signals = st.fixed_dictionaries(
    {**dict.fromkeys(COUNTERS, st.integers(0, 99)), "confidence": st.integers(0, 100).map(lambda n: n / 100)}
)
shared: dict[str, st.SearchStrategy[Any]] = {
    "memory_type": st.sampled_from(MEMORY_TYPES),
    "title": texts,
    "summary": texts,
    "scope": st.sampled_from(SCOPES),
    "evidence_refs": st.lists(texts, min_size=1, max_size=4),
    "signals": signals,
}
entries = st.fixed_dictionaries(
    {
        **shared,
        "state": st.sampled_from(STATES),
        "review_after": stamps,
        "supersedes": st.lists(texts, unique=True, max_size=3),
        "superseded_by": st.none() | texts,
        "tags": st.lists(texts, unique=True, max_size=3),
        "body": st.lists(texts, max_size=3),
    }
).map(lambda fields: {**samples.memory(), **fields})
candidates = st.fixed_dictionaries(
    {**shared, "candidate_reason": texts, "source_artifacts": st.lists(texts, min_size=1, max_size=3)}
).map(lambda fields: {**samples.candidate(), **fields})


@given(st.one_of(entries, candidates))
def test_a_document_without_changes_is_written_as_it_was_read(document: dict[str, Any]) -> None:
    """SEAM: encode(decode(bytes)) == bytes for files the original wrote."""
    artifact = memories.CANDIDATE if "candidate_reason" in document else memories.ENTRY
    data = codec.encode(document, artifact)
    read = codec.parse(data)
    memory = memories.memory(read, [], POLICY)
    assert memories.artifact(memory, read) == artifact
    assert codec.encode(memories.document(memory, read), artifact) == data


@given(st.one_of(entries, candidates))
def test_a_memory_survives_its_file(document: dict[str, Any]) -> None:
    """SEAM: decode(encode(m)) == m for what the file owns, also without the file that was there."""
    memory = memories.memory(document, [], POLICY)
    made = memories.document(memory, None)
    artifact = memories.artifact(memory, None)
    again = memories.memory(json.loads(codec.encode(made, artifact)), [], POLICY)
    owned = memories.ENTRY_OWNS if artifact == memories.ENTRY else memories.CANDIDATE_OWNS
    assert {name: value_of(again, name) for name in owned} == {name: value_of(memory, name) for name in owned}


def test_digits_of_a_confidence_nobody_touched_stay() -> None:
    """Only what changed is written anew."""
    document = samples.memory(signals={"confidence": 0.8123})
    memory = memories.memory(document, [], POLICY)
    assert memories.document(memory, document) == document
    moved = msgspec.structs.replace(memory, signals=Signals(confidence=90, evidence_count=2))
    assert memories.document(moved, document)["signals"]["confidence"] == 0.9


def test_an_entry_that_calls_itself_a_candidate_stays_an_entry() -> None:
    """Recorded: an entry file may carry any of the nine states."""
    document = samples.memory(state="candidate")
    memory = memories.memory(document, [], POLICY)
    assert memories.artifact(memory, document) == memories.ENTRY


def test_an_entry_keeps_what_its_candidate_knew_and_gains_a_review_date() -> None:
    """Spec 1.4: an entry has fourteen fields and loses candidate_reason and source_artifacts."""
    before = samples.candidate()
    later = samples.moment("2026-04-10T09:30:15Z")
    promoted = msgspec.structs.replace(
        memories.memory(before, [], POLICY),
        state="provisional",
        review_after=later + timedelta(days=30),
        updated_at=later,
    )
    made = memories.document(promoted, before)
    assert schemas.problems(made, memories.ENTRY) == [] and len(made) == 14
    assert made["review_after"] == "2026-05-10T09:30:15Z"
    assert made["meta"] == {**samples.meta("memory_entry", "mem-task-001-1"), "updated_at": "2026-04-10T09:30:15Z"}
    assert {"candidate_reason", "source_artifacts"}.isdisjoint(made)


def test_logs_tell_tasks_agents_and_times() -> None:
    """Spec 1.5: five successes over three different tasks are counted in the logs."""
    logs = [
        samples.log("t1", created_at="2026-04-02T00:00:00Z"),
        samples.log("t1", applied_by_type="qa_engineer", created_at="2026-04-03T00:00:00Z"),
        samples.log("t2", effect="negative", created_at="2026-04-04T00:00:00Z"),
    ]
    memory = memories.memory(samples.memory(), logs, POLICY)
    assert memory.tasks == ("t1",)
    assert memory.applied == ("t1/software_engineer", "t1/qa_engineer", "t2/software_engineer")
    assert (memory.used_at, memory.helped_at) == tuple(samples.moment(f"2026-04-0{day}T00:00:00Z") for day in (4, 3))


def test_a_memory_under_review_was_held_once() -> None:
    """Contradiction 18: the file does not count how often; one that is held now was held."""
    held = memories.memory(samples.memory(state="under_review"), [], POLICY)
    live = memories.memory(samples.memory(state="stable"), [], POLICY)
    assert (held.phase, held.times_held, live.times_held) == ("held", 1, 0)
