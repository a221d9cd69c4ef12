"""Record and memory: what a file says survives the engine, byte for byte where nobody changed it."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tenure.model.evolve import value_of
from tenure.model.memory import Change, Memory, Signals
from tenure.rules.consolidate import Proposal
from tenure.systems.claude_memory import memories, records, schema, system, wording

from .project import CONTENT, record

CASES = Path(__file__).parent / "cases"
_TEXT = st.text(st.characters(codec="utf-8"), min_size=1, max_size=40).filter(str.strip)
_TIME = st.datetimes(datetime(1990, 1, 1), datetime(2200, 1, 1)).map(lambda t: t.replace(microsecond=0, tzinfo=UTC))
_JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**53), 2**53) | st.text(max_size=10), st.lists, max_leaves=5
)


@st.composite
def kept(draw: st.DrawFn) -> Memory:
    category = draw(st.sampled_from(list(records.FOLDERS)))
    state = draw(st.sampled_from(("active", "retired", "archived")))
    content = {**CONTENT[category], wording.MAIN[category][0]: draw(_TEXT)}
    title = draw(_TEXT)
    created = draw(_TIME)
    return Memory(
        id=draw(st.from_regex(r"[a-z0-9]{1,5}(-[a-z0-9]{1,5}){0,3}", fullmatch=True)),
        kind=category,
        title=title,
        text=wording.in_words(category, content, title),
        content=content,
        state=state,
        phase=memories.PHASES[state],
        tags=tuple(draw(st.lists(_TEXT, min_size=1, max_size=3))),
        files=tuple(draw(st.lists(_TEXT, max_size=3))),
        signals=Signals(confidence=draw(st.integers(0, 100)), evidence_count=1, frequency=1),
        created_at=created,
        updated_at=created,
        retired_at=draw(_TIME) if state == "retired" else None,
        changes=tuple(draw(st.lists(st.builds(Change, date=_TEXT, summary=_TEXT, old_value=_JSON), max_size=3))),
    )


@given(kept())
def test_what_the_file_owns_comes_back_from_it(memory: Memory) -> None:
    """Law of every dialect: decode(encode(m)) == m."""
    made = records.decode(records.encode(memories.new_record(memory)))
    back = memories.decode(made, id=memory.id, category=memory.kind)
    assert {n: value_of(back, n) for n in memories.OWNED} == {n: value_of(memory, n) for n in memories.OWNED}


def _records_of_the_original() -> list[tuple[str, dict[str, Any]]]:
    found: list[tuple[str, dict[str, Any]]] = []

    def look(value: Any) -> None:
        if isinstance(value, dict):
            if value.get("category") in records.FOLDERS and isinstance(value.get("content"), dict):
                found.append((value["category"], value))
            for item in value.values():
                look(item)
        elif isinstance(value, list):
            for item in value:
                look(item)
        elif isinstance(value, str) and value.lstrip().startswith("{"):
            try:
                look(json.loads(value))
            except ValueError:
                return

    for path in sorted(CASES.rglob("*.json")):
        look(json.loads(path.read_text("utf-8")))
    return found


def test_records_of_the_original_keep_their_bytes_when_nothing_changed() -> None:
    """Law of every dialect: encode(decode(bytes)) == bytes, over all records of the recorded cases."""
    found = _records_of_the_original()
    assert len(found) > 20
    for category, raw in found:
        memory = memories.decode(raw, id="x", category=category)
        assert memories.changed(raw, memory) is raw


@given(st.dictionaries(_TEXT.filter(lambda key: key not in schema.envelope("decision")), _JSON, min_size=1, max_size=3))
def test_keys_we_do_not_know_and_the_order_of_keys_survive_a_change(unknown: dict[str, Any]) -> None:
    """Law of every dialect: unknown fields survive."""
    raw = {**unknown, **dict(reversed(record().items()))}
    memory = memories.decode(raw, id="queue", category="decision")
    after = memories.changed(raw, msgspec.structs.replace(memory, title="Another title"))
    assert list(after) == list(raw)
    assert {key: after[key] for key in unknown} == unknown
    assert (after["title"], after["times_updated"]) == ("Another title", 1)
    assert memory.extra[memories.EXTRA] == unknown


@pytest.mark.parametrize(
    ("field", "raw"),
    [("confidence", 0.8251), ("created_at", "2026-01-10 09:00"), ("created_at", "yesterday"), ("retired_at", "soon")],
)
def test_a_value_a_memory_cannot_hold_exactly_is_kept_as_it_stands(field: str, raw: Any) -> None:
    """Spec 1.2: times are plain texts, confidence any number; a change elsewhere must not round them."""
    before = record(**{field: raw})
    memory = memories.decode(before, id="queue", category="decision")
    assert memories.changed(before, msgspec.structs.replace(memory, tags=("other",)))[field] == raw
    assert memories.new_record(memory)[field] == raw


@pytest.mark.parametrize(
    "broken", [{}, {"content": 5}, {"title": 7, "tags": "a"}, {"record_status": "odd"}, {"changes": [3, {}]}]
)
def test_a_record_that_is_not_valid_is_still_a_memory(broken: dict[str, Any]) -> None:
    """Contract: what is wrong is for `check`; a memory that can be read is shown."""
    memory = memories.decode({"category": "decision", **broken}, id="x", category="decision")
    assert memory.title and memory.text
    assert memory.phase == ("held" if "record_status" in broken else "live")


@pytest.mark.parametrize("category", records.FOLDERS)
def test_a_content_made_from_a_text_is_valid_and_says_the_text_again(category: str) -> None:
    """A choice of ours: `add TEXT` always makes a valid record that holds nothing but the text."""
    text = "Builds fail on Mondays because the cache is cold. Warm it first. Check that the build passes."
    filled = wording.from_words(category, text, "Builds fail on Mondays")
    assert schema.problems(record(category, content=filled.content), category) == []
    for sentence in text.split(". "):
        assert sentence.rstrip(".") in wording.in_words(category, filled.content)


@pytest.mark.parametrize(
    ("category", "text", "repeated"),
    [
        ("decision", "Use SQLite because it needs no server", []),
        ("decision", "Use SQLite", ["rationale"]),
        ("constraint", "100 calls a minute, so imports are throttled", []),
        ("constraint", "100 calls a minute", ["impact"]),
        ("tech_debt", "Retries are missing due to the release", []),
        ("preference", "Tabs", ["reason"]),
        ("runbook", "Login fails: restart the proxy", ["verification"]),
        ("session_summary", "Port the parser", []),
    ],
)
def test_fields_the_text_has_no_part_for_repeat_it_and_are_named(category: str, text: str, repeated: list[str]) -> None:
    """A choice of ours: the user is told which fields only repeat the text."""
    filled = wording.from_words(category, text, text)
    assert filled.repeated == repeated
    for name in repeated:
        assert filled.content[name] in (text, [text])


def test_another_text_renews_what_was_made_from_the_old_one_and_keeps_the_rest() -> None:
    """A choice of ours: the reason of the old text is not the reason of the new one."""
    made = wording.from_words("decision", "Use SQLite because it needs no server", "Use SQLite").content
    after = wording.rewritten(
        "decision", {**made, "consequences": ["one file"]}, "Use DuckDB because it is columnar", ("a", "b")
    )
    assert after["rationale"] == ["it is columnar"]
    assert after["context"] == after["decision"] == "Use DuckDB because it is columnar"
    assert after["consequences"] == ["one file"]


def test_what_a_record_cannot_hold_is_fitted() -> None:
    """Specification 1.5: a title of its own, and a content by the schema, made of the text where another one came."""
    content = {"why": "another system's words"}
    text = "Use pnpm because npm is slow"
    now = datetime(2026, 1, 1, tzinfo=UTC)
    memory = Memory(
        id="m", kind="decision", title="\u200b", text=text, content=content, state="active", phase="live",
        created_at=now, updated_at=now,
    )  # fmt: skip
    made = memories.fitted(memory, system._content)
    assert (made.title, made.tags, made.content["rationale"]) == ("decision", ("untagged",), ["npm is slow"])
    whole = msgspec.structs.replace(memory, content=CONTENT["decision"])
    assert memories.fitted(whole, system._content).content == CONTENT["decision"]


def test_a_statement_without_a_title_is_called_after_its_kind() -> None:
    """The index has one line for each memory, and a line without a title could not be read."""
    shaped, _ = system.shape(Proposal(text="Use pnpm because npm is slow", kind="decision", title="#tags:"))
    assert shaped.title == "decision"
