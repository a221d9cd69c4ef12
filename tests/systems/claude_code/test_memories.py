"""The laws of the codec: what a file holds comes back, and what need not change does not."""

from __future__ import annotations

import tempfile
from datetime import UTC, datetime
from pathlib import Path

import msgspec
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tenure.model.events import Revision
from tenure.model.evolve import born
from tenure.model.memory import Memory
from tenure.systems.claude_code import frontmatter, memories
from tenure.systems.claude_code.memory_files import MemoryFiles

NOW = datetime(2026, 6, 1, tzinfo=UTC)
SLOW = settings(suppress_health_check=[HealthCheck.too_slow], max_examples=60, deadline=None)
LINES = st.text(st.characters(codec="utf-8", exclude_categories=("Cc", "Cs")), max_size=60)
TITLES = LINES.map(frontmatter.one_line).filter(bool)
TEXTS = st.lists(LINES, max_size=5).map("\n".join).map(str.strip)
KEYS = st.from_regex(r"[a-z_][a-z0-9_.-]{0,12}", fullmatch=True).filter(
    lambda key: key not in ("name", "description", "type", "modified", "metadata")
)


@st.composite
def drawn(draw: st.DrawFn) -> Memory:
    return Memory(
        id="a.md",
        kind=draw(st.sampled_from(["value", "user", "feedback", "project", "reference", "insight"])),
        title=draw(TITLES),
        text=draw(TEXTS),
        content={"description": draw(TITLES)},
        state="active",
        phase="live",
        created_at=NOW,
        updated_at=NOW,
        extra=draw(st.dictionaries(KEYS, TITLES, max_size=3)),
    )


def read(data: bytes) -> Memory:
    memory, problems = memories.decode(data, "a.md", archived=False, on_disk=NOW)
    assert problems == ()
    return memory


@SLOW
@given(drawn(), st.booleans())
def test_a_new_file_gives_back_what_was_written(memory: Memory, nested: bool) -> None:
    """Law: decode(encode(m)) == m for what the file owns."""
    again = read(frontmatter.encode(memories.header(memory, nested=nested), memory.text, nested=nested))
    extra = {**memory.extra, **({"node_type": "memory"} if nested and "node_type" not in memory.extra else {})}
    assert (again.kind, again.title, again.text, again.content, again.extra) == (
        memory.kind,
        memory.title,
        memory.text,
        memory.content,
        extra,
    )


@SLOW
@given(st.binary(max_size=300) | TEXTS.map(str.encode) | TEXTS.map(lambda text: f"---\n{text}\n---\n{text}".encode()))
def test_a_file_that_nothing_happened_to_needs_no_change(data: bytes) -> None:
    """Law: encode(decode(bytes)) == bytes, whatever the bytes are."""
    memory, _ = memories.decode(data, "a.md", archived=False, on_disk=NOW)
    assert memories.difference(memory, memory, stamped=True) == ({}, None)
    assert memories.told(memory) == memory


@SLOW
@given(drawn(), drawn())
def test_an_edit_leaves_the_file_saying_exactly_what_it_should(before: Memory, after: Memory) -> None:
    """Law: after a change the file holds the memory, through real files and the order of operations."""
    with tempfile.TemporaryDirectory() as name:
        files = MemoryFiles(Path(name))
        first = Revision(memory_id="a.md", events=(born(before),), after=before, expected_version=0)
        seen = files.write([first], {})
        second = msgspec.structs.replace(first, after=after)
        marks = files.write([second], {path: mark for path, mark in seen.items() if mark})
        assert marks == files.scan()
        (found,) = files.read("a.md").memories
        assert memories.says_the_same(found, after)
        assert found.extra == after.extra


def test_a_new_file_carries_only_what_a_header_can_hold() -> None:
    """A key with a blank would be another line, and a number no text."""
    memory = Memory(
        id="a.md", kind="user", title="A", text="B", state="active", phase="live", created_at=NOW, updated_at=NOW,
        extra={"kept": "yes", "two words": "no", "number": 5},
    )  # fmt: skip
    assert set(memories.header(memory, nested=False)) == {"name", "description", "type", "kept"}


def test_a_stamped_file_tells_when_its_title_changed() -> None:
    """The client's own stamp: any change moves it, and a file without one gets none."""
    known = read(b"---\nname: a\ndescription: d\ntype: user\n---\nB")
    renamed = msgspec.structs.replace(known, title="b", updated_at=NOW)
    assert memories.difference(renamed, known, stamped=True) == (
        {"name": "b", "modified": "2026-06-01T00:00:00Z"},
        None,
    )
    assert memories.difference(renamed, known, stamped=False) == ({"name": "b"}, None)
    assert memories.difference(known, known, stamped=True) == ({}, None)
