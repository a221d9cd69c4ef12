"""Titles and tags cannot reach beyond their place in an index line."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tenure.systems.claude_memory import index, sanitize
from tenure.systems.claude_memory.slug import slugify

hostile = st.lists(
    st.sampled_from([" -> ", "->", "#tags:", "#ta", "gs:", "- [", "]", "\n", "\u2028", "\u200b", ",", " ", "a", "é"]),
    max_size=30,
).map("".join) | st.text(max_size=60)


@given(title=hostile, tags=st.lists(hostile, max_size=4))
def test_a_line_reads_back_as_what_it_was_made_of(title: str, tags: list[str]) -> None:
    """GUARANTEES S5: parse(render(x)) gives one entry with the same path, whatever the title and tags."""
    text = index.line({"category": "decision", "title": title, "tags": tags}, ".claude/memory/decisions/x.json")
    assert "\n" not in text
    assert len(text.splitlines()) == 1
    entry = index.parse(text)
    assert entry is not None
    assert entry.path == ".claude/memory/decisions/x.json"
    assert entry.category == "DECISION"
    assert entry.title == sanitize.title(title[:120])
    assert list(entry.tags) == [clean for tag in tags if (clean := sanitize.listed_tag(tag[:120]))]


@given(
    names=st.lists(st.sampled_from("abcdef"), max_size=8),
    wanted=st.dictionaries(st.sampled_from("abcdef"), st.booleans()),
)
def test_a_revised_index_lists_each_wanted_file_once(names: list[str], wanted: dict[str, bool]) -> None:
    """A law of our own: one line per memory, foreign lines untouched, doing it again changes nothing."""
    start = index.HEADER + "a note by hand\n" + "".join(f"- [X] old -> {name}.json\n" for name in names)
    lines = {f"/p/{name}.json": f"- [X] new -> {name}.json" if kept else None for name, kept in wanted.items()}
    text = index.revised(start, lines, project="/p")
    listed = [entry.path.removesuffix(".json") for entry in index.entries(text)]
    assert all(listed.count(name) == kept for name, kept in wanted.items())
    assert sorted(n for n in listed if n not in wanted) == sorted(n for n in names if n not in wanted)
    assert "a note by hand" in text
    assert index.revised(text, lines, project="/p") == text


@given(hostile)
def test_cleaning_twice_changes_nothing_more(text: str) -> None:
    """A law of our own: a repaired record needs no further repair."""
    assert sanitize.title(sanitize.title(text)) == sanitize.title(text)
    assert sanitize.tag(sanitize.tag(text)) == sanitize.tag(text)


@pytest.mark.parametrize(
    ("given_title", "cleaned"),
    [
        ("tab\tbetween", "tabbetween"),
        ("a -> b", "a - b"),
        ("a #tags:x", "a x"),
        ("a #ta#tags:gs:x", "a x"),
        ("-> start", "- start"),
        ("end ->", "end -"),
        ("safe\u202etitle\u200b", "safetitle"),
        ("Sure [confidence:high]", "Sure"),
        ("ภาษาไทย हिन्दी Tiếng Việt", "ภาษาไทย हिन्दी Tiếng Việt"),
        ("می\u200cخواهم", "می\u200cخواهم"),
        ("x\u200cy", "xy"),
    ],
)
def test_titles_lose_marks_and_keep_their_script(given_title: str, cleaned: str) -> None:
    """Specification 1.7; 6.0 also strips invisible characters; combining marks stay (GUARANTEES 3)."""
    assert sanitize.title(given_title) == cleaned


@pytest.mark.parametrize(
    ("text", "slug"),
    [
        ("Use JWT, really!", "use-jwt-really"),
        ("Über Straße", "uber-strae"),
        ("日本語", ""),
        ("x" * 100, "x" * 80),
        ("a" * 79 + " b", "a" * 79),
        ("../../etc/passwd", "etc-passwd"),
    ],
)
def test_slugs(text: str, slug: str) -> None:
    """Specification 1.7: NFKD, ASCII, lower case, runs to one dash, trimmed, 80 at most."""
    assert slugify(text) == slug
