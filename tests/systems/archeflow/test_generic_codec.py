"""Laws of the codec between lessons and memories, and what the file can and cannot say."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from tenure.model import memory as memories
from tenure.model.evolve import value_of
from tenure.systems.archeflow import rules
from tenure.systems.archeflow.memories import OWNED, Codec, decode, encode, is_put_aside, problem

from .project import lesson

RULES = rules.packaged()
CODEC = Codec(rules=RULES, confidence=80, title=lambda text: " ".join(text.split())[:40])

TEXT = st.text(max_size=30)
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | TEXT,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(TEXT, inner, max_size=3),
    max_leaves=5,
)
KNOWN = (
    "ts", "run_id", "type", "source", "description", "frequency", "severity", "domain", "tags", "archetype",
    "last_seen_run", "runs_since_last_seen",
)  # fmt: skip
# Lessons as the systems write them, and anything a file may hold instead.
SANE = st.fixed_dictionaries(
    {"id": st.from_regex(r"m-[0-9]{3}", fullmatch=True)},
    optional={
        "type": st.sampled_from(["pattern", "preference", "archetype_hint", "anti_pattern", "other"]),
        "description": TEXT,
        "frequency": st.integers(0, 9),
        "runs_since_last_seen": st.integers(0, 12),
        "tags": st.lists(TEXT, max_size=3),
        "archetype": st.none() | st.just("sage"),
        "last_seen_run": TEXT,
        "note": JSON,
    },
)
ODD = st.dictionaries(st.sampled_from(KNOWN) | TEXT, JSON, max_size=8).map(lambda record: {**record, "id": "m-001"})


@example({"frequency": True, "id": "m-001"}, False)
@given(SANE | ODD, st.booleans())
def test_a_lesson_that_became_a_memory_is_written_back_as_it_was(record: dict[str, Any], archived: bool) -> None:
    """Our law encode(decode(line)) == line: the same object, so the line keeps its bytes; nothing is normalised."""
    seen = decode(record, CODEC, archived=archived)
    after = encode(seen, record, RULES)
    # A lesson in lessons.jsonl with a frequency of nothing is a candidate all the same, and counts as seen once.
    if archived or record.get("frequency", 0) not in (0, None) or after is record:
        was = record.get("frequency")
        # `true` is no count, though Python takes it for 1.
        assert after is record or isinstance(was, bool) or after["frequency"] != was
    assert {key: value for key, value in after.items() if key != "frequency"} == {
        key: value for key, value in record.items() if key != "frequency"
    }


@given(SANE | ODD, st.booleans())
def test_a_memory_survives_its_line(record: dict[str, Any], archived: bool) -> None:
    """Our law decode(encode(memory)) == memory for what the file owns, with the lesson there and without one."""
    known = decode(encode(decode(record, CODEC, archived=archived), record, RULES), CODEC, archived=archived)
    for base in (None, record):
        again = decode(encode(known, base, RULES), CODEC, archived=archived)
        for name in OWNED - {"extra"}:
            assert value_of(again, name) == value_of(known, name), name
        assert known.extra.items() <= again.extra.items() or again.extra == known.extra


@given(ODD, st.booleans())
def test_any_lesson_can_be_kept_by_the_companion(record: dict[str, Any], archived: bool) -> None:
    """Ours: halves of surrogate pairs and numbers no database takes stay in the file and out of the memory."""
    seen = decode(record, CODEC, archived=archived)
    assert memories.decode(memories.encode(seen)) == seen


@given(st.dictionaries(TEXT, JSON, max_size=3))
def test_what_nobody_knows_keeps_its_place_and_value(more: dict[str, Any]) -> None:
    """Documents and script keep unknown fields; so does every change we make."""
    record = {**more, **lesson("m-001", "alpha bravo", 2), "zulu": [1, {"a": None}]}
    seen = decode(record, CODEC, archived=False)
    after = encode(msgspec.structs.replace(seen, text="charlie delta"), record, RULES)
    assert list(after) == list(record)
    assert {**after, "description": "alpha bravo"} == record


@pytest.mark.parametrize(
    ("kind", "frequency", "archived", "state", "phase"),
    [
        ("pattern", 1, False, "candidate", "pending"),
        ("pattern", 2, False, "active", "live"),
        ("pattern", "2", False, "active", "live"),
        ("pattern", "many", False, "candidate", "pending"),
        ("anti_pattern", 1, False, "candidate", "pending"),
        ("archetype_hint", 3, False, "active", "live"),
        ("preference", 1, False, "active", "live"),
        ("preference", 1, True, "archived", "gone"),
        ("pattern", 0, True, "archived", "gone"),
    ],
)
def test_type_frequency_and_file_say_the_state(
    kind: str, frequency: object, archived: bool, state: str, phase: str
) -> None:
    """Document 1, "Promotion Rule" and "Add a lesson"."""
    seen = decode(lesson("m-001", "alpha bravo", type=kind) | {"frequency": frequency}, CODEC, archived=archived)
    assert (seen.state, seen.phase) == (state, phase)


@pytest.mark.parametrize(
    ("state", "phase", "frequency", "written"),
    [
        ("active", "live", 1, 2),
        ("active", "live", 4, 4),
        ("candidate", "pending", 3, 1),
        ("archived", "gone", 0, 0),
        ("under_review", "held", 5, 5),
    ],
)
def test_a_line_says_by_its_frequency_what_state_its_lesson_is_in(
    state: str, phase: Any, frequency: int, written: int
) -> None:
    """Ours: the drop-in reads nothing else, so a lesson a reviewer approved counts as seen twice."""
    seen = decode(lesson("m-001", "alpha bravo", 2), CODEC, archived=False)
    signals = msgspec.structs.replace(seen.signals, frequency=frequency)
    changed = msgspec.structs.replace(seen, state=state, phase=phase, signals=signals)
    assert encode(changed, None, RULES)["frequency"] == written
    assert is_put_aside(changed) == (phase in ("gone", "held"))


@pytest.mark.parametrize("identity", [None, 7, "", "  ", "m-\ud800", ["m-001"]])
def test_a_lesson_without_a_usable_id_is_a_problem_and_no_memory(identity: object) -> None:
    """Ours: no command could name it; its line stays as it is."""
    assert problem({"id": identity, "description": "alpha"})


@pytest.mark.parametrize("archetype", [5, ["sage"], {"a": 1}, "", None])
def test_an_archetype_that_is_no_name_is_none(archetype: object) -> None:
    """R7: what a person or a model put there by mistake is read as nothing, and stays in the file."""
    record = {**lesson("m-001", "alpha", 3), "archetype": archetype}
    seen = decode(record, CODEC, archived=False)
    assert encode(seen, record, RULES) is record
    assert "sage" not in repr(seen)
