"""Reading geas files leniently and writing them strictly."""

from __future__ import annotations

import json
from pathlib import PurePath
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tenure.model.errors import InvalidInput
from tenure.systems.geas import codec, schemas
from tenure.systems.geas.artifacts import SCHEMAS
from tenure.systems.geas.tables import packaged

from . import samples

TABLES = packaged()
WRITTEN = [name for name in SCHEMAS if name.startswith("memory-")]


def as_bytes(document: Any) -> bytes:
    return json.dumps(document, ensure_ascii=False, indent=2).encode() + b"\n"


@pytest.mark.parametrize("artifact", WRITTEN)
def test_a_file_geas_wrote_comes_back_byte_for_byte(artifact: str) -> None:
    """DESIGN decision 5: encode(decode(bytes)) = bytes."""
    data = as_bytes(samples.valid(artifact))
    reading = codec.decode(data, TABLES)
    assert (reading.artifact, reading.extra, reading.repairs) == (artifact, {}, ())
    assert codec.encode(reading.document, artifact) == data


def test_the_order_of_fields_is_kept() -> None:
    """A choice of ours: a rewrite shows only what changed in a diff."""
    document = dict(reversed(samples.memory().items()))
    assert codec.encode(codec.decode(as_bytes(document), TABLES).document, "memory-entry") == as_bytes(document)


@given(title=st.text(min_size=1), tags=st.lists(st.text(), unique=True), tenths=st.integers(0, 10))
def test_any_text_survives_a_round_trip(title: str, tags: list[str], tenths: int) -> None:
    """DESIGN decision 5: decode(encode(m)) = m, for any Unicode that can be written."""
    document = samples.memory(title=title, tags=tags, signals={"confidence": tenths / 10})
    assert codec.decode(codec.encode(document, "memory-entry"), TABLES).document == document


def test_the_flat_review_of_the_skill_is_read_in_the_schema_form() -> None:
    """Contradictions 7 and 8: the skill asks reviewers for a flat form, with slot names."""
    flat = {
        "version": "1.0",
        "artifact_type": "memory_review",
        "artifact_id": "mr-1",
        "producer_type": "risk_specialist",
        "memory_id": "mem-1",
        "decision": "keep",
        "rationale": "needs more evidence",
        "created_at": "2026-04-09T08:00:01Z",
    }
    reading = codec.decode(as_bytes(flat), TABLES)
    assert schemas.problems(reading.document, "memory-review") == []
    assert reading.document["reviewer_type"] == "security_engineer"
    assert reading.document["meta"]["created_at"] == "2026-04-09T08:00:01Z"
    assert reading.repairs


def test_a_stray_creation_time_is_dropped() -> None:
    """Contradiction 22: a geas hook adds created_at to every file without one."""
    reading = codec.decode(as_bytes({**samples.memory(), "created_at": samples.STAMP}), TABLES)
    assert reading.document == samples.memory()
    assert reading.extra == {}


def test_missing_reuse_counters_are_read_as_none_so_far() -> None:
    """Spec 1.4: geas's own examples of candidate and entry lack them."""
    document = samples.candidate()
    del document["signals"]["successful_reuses"], document["signals"]["failed_reuses"]
    reading = codec.decode(as_bytes(document), TABLES)
    assert reading.document["signals"] == samples.candidate()["signals"]


@pytest.mark.parametrize("written", ["2026-04-01T09:30:15.250Z", "2026-04-01T11:30:15+02:00", "2026-04-01T09:30:15"])
def test_other_spellings_of_a_time_are_read(written: str) -> None:
    """A choice of ours: JavaScript prints fractions, people print offsets."""
    document = samples.memory()
    document["meta"]["created_at"] = written
    assert codec.decode(as_bytes(document), TABLES).document["meta"]["created_at"] == samples.STAMP


def test_unknown_fields_are_handed_out_and_never_written_back() -> None:
    """CONTRACT: geas files carry exactly the fields of their schemas; the companion keeps the rest."""
    reading = codec.decode(as_bytes({**samples.memory(), "conflict_with": ["mem-2"]}), TABLES)
    assert reading.extra == {"conflict_with": ["mem-2"]}
    assert reading.document == samples.memory()


@pytest.mark.parametrize("field", ["previous_state", "conflict_with", "times_under_review"])
def test_a_fact_the_schema_forbids_is_never_written(field: str) -> None:
    """Contradiction 10."""
    with pytest.raises(InvalidInput, match=field):
        codec.encode({**samples.memory(), field: 1}, "memory-entry")


def test_the_dust_of_binary_arithmetic_is_not_written() -> None:
    """Spec 1.6: confidence has tenths."""
    document = samples.memory(signals={"confidence": 0.1 + 0.2})
    assert b'"confidence": 0.3\n' in codec.encode(document, "memory-entry")


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"{",
        b"\xff\xfe",
        b'{"a": NaN}',
        b'{"a": -Infinity}',
        b'{"a": 1e999}',
        b'{"a": 1, "a": 2}',
        b'{"a": "\\ud800"}',
        b'{"a": ' + b"1" * 5000 + b"}",
        b"[" * 100_000,
    ],
    ids=lambda data: repr(data[:30]),
)
def test_what_no_honest_writer_produces_is_refused(data: bytes) -> None:
    """GUARANTEES S3: no NaN, infinity, duplicate keys, surrogates, endless numbers or depth."""
    with pytest.raises(InvalidInput):
        codec.parse(data)


@pytest.mark.parametrize(
    "data",
    [
        b"[]",
        b"null",
        b'{"artifact_type": "poem"}',
        b'{"artifact_type": "memory_entry"}',
        b'{"meta": [], "signals": 5, "artifact_type": "memory_review"}',
    ],
)
def test_what_is_no_artifact_is_refused(data: bytes) -> None:
    """STYLE: a file we cannot read is reported."""
    with pytest.raises(InvalidInput):
        codec.decode(data, TABLES)


@given(st.binary(max_size=200) | st.text().map(str.encode))
def test_reading_raises_nothing_but_what_it_declares(data: bytes) -> None:
    """GUARANTEES S18."""
    with pytest.raises(InvalidInput):
        codec.decode(data, TABLES, path=PurePath("memory/entries/x.json"))


_json = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
    max_leaves=5,
)


@given(artifact=st.sampled_from(WRITTEN), data=st.data())
def test_a_damaged_artifact_is_read_as_valid_or_refused(artifact: str, data: st.DataObject) -> None:
    """GUARANTEES S18: whatever a field holds, the answer is a valid document or an error."""
    document = samples.valid(artifact)
    document[data.draw(st.sampled_from(sorted(document)))] = data.draw(_json)
    try:
        reading = codec.decode(as_bytes(document), TABLES, artifact=artifact)
    except InvalidInput:
        return
    assert schemas.problems(reading.document, artifact) == []


def test_a_review_without_any_name_is_refused_and_not_a_crash() -> None:
    """House rule: a file we cannot read is reported and left as it is."""
    document = samples.valid("memory-review")
    del document["reviewer_type"]
    del document["meta"]["producer_type"]
    with pytest.raises(InvalidInput, match="reviewer_type"):
        codec.decode(as_bytes(document), TABLES, artifact="memory-review")
