"""What Tenure keeps, as bytes and as JSON for scripts."""

from __future__ import annotations

import json
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tenure.model.errors import InvalidInput
from tenure.model.memory import Approval, Change, as_json, decode, encode
from tests.specimens import NOW, POLICY, specimen

TEXT = st.text(st.characters(exclude_categories=["Cs"]), max_size=20)
JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**53), 2**53) | TEXT,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(TEXT, inner, max_size=3),
    max_leaves=5,
)
FIELDS = st.fixed_dictionaries(
    {},
    optional={
        "text": TEXT,
        "title": TEXT,
        "content": st.dictionaries(TEXT, JSON, max_size=3),
        "extra": st.dictionaries(TEXT, JSON, max_size=3),
        "tags": st.lists(TEXT, max_size=3).map(tuple),
        "conflicts": st.lists(TEXT, max_size=3).map(tuple),
        "state": st.sampled_from(sorted(POLICY.states)),
        "superseded_by": st.none() | TEXT,
        "approvals": st.lists(st.builds(Approval, by=TEXT, to=TEXT, at=st.just(NOW)), max_size=2).map(tuple),
        "changes": st.lists(st.builds(Change, date=TEXT, summary=TEXT, old_value=JSON), max_size=2).map(tuple),
        "confidence": st.integers(0, 100),
    },
)


@given(FIELDS)
def test_decode_undoes_encode(fields: dict[str, Any]) -> None:
    memory = specimen(**fields)
    assert decode(encode(memory)) == memory
    assert encode(decode(encode(memory))) == encode(memory)


def test_a_record_leaves_out_what_was_never_counted() -> None:
    """Choice: every row and every ledger entry of a creation carries the record, and most counters are 0."""
    kept = json.loads(encode(specimen(confidence=50, evidence_count=2, frequency=0)))
    assert kept["signals"] == {"confidence": 50, "evidence_count": 2}


def test_a_record_that_has_every_counter_is_read_as_before() -> None:
    """Choice: rows and ledger entries of earlier versions stay as they are, byte for byte."""
    kept = json.loads(encode(specimen(confidence=50)))
    counters = {"reuse_count": 0, "successful_reuses": 0, "failed_reuses": 0, "contradiction_count": 0}
    kept["signals"] |= {**counters, "runs_unseen": None}
    assert decode(json.dumps(kept)) == specimen(confidence=50)


@given(FIELDS)
def test_scripts_find_every_key_and_plain_json(fields: dict[str, Any]) -> None:
    """CONTRACT, "A memory as JSON": absent facts are null or empty, times end in Z."""
    shown = as_json(specimen(**fields))
    assert json.loads(json.dumps(shown)) == shown
    promised = "id kind title text content state phase scope tags files evidence signals created_at updated_at "
    promised += "verified_at used_at helped_at review_after supersedes superseded_by trust extra"
    assert set(promised.split()) <= set(shown)
    counters = {"confidence", "evidence_count", "reuse_count", "successful_reuses", "failed_reuses"}
    assert counters | {"contradiction_count"} <= set(shown["signals"])
    assert shown["created_at"] == "2026-04-03T14:00:00Z"
    assert shown["verified_at"] is None


@pytest.mark.parametrize(
    "data",
    [b"", b"{", b"[]", b"null", b"\xff", b'{"id": 5}', '{"id": "\ud800"}', b'{"id":"a"}', encode(specimen())[:-1]],
)
def test_what_is_no_memory_is_refused(data: bytes | str) -> None:
    with pytest.raises(InvalidInput, match="Not a memory"):
        decode(data)


def test_a_field_nobody_knows_is_refused() -> None:
    raw = {**msgspec.json.decode(encode(specimen())), "sneaky": 1}
    with pytest.raises(InvalidInput, match="sneaky"):
        decode(json.dumps(raw))


def test_runs_unseen_are_never_negative() -> None:
    assert as_json(specimen(run_mark=3), runs_now=10)["signals"]["runs_unseen"] == 7
    assert as_json(specimen(run_mark=30), runs_now=10)["signals"]["runs_unseen"] == 0
