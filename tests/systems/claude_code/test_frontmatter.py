"""The header codec: recorded cases of the original program, the client's nested layout, and its laws."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tenure.model.errors import Refused
from tenure.systems.claude_code import frontmatter

RECORDED = json.loads((Path(__file__).parent / "cases/frontmatter.json").read_text("utf-8"))["cases"]
CONTRACT = [case for case in RECORDED if case["stance"] == "contract"]

NESTED = (
    b'---\nname: short-slug\ndescription: "one: line"\nmetadata: \n  node_type: memory\n  type: feedback\n'
    b"  originSessionId: e5610f48\n  modified: 2026-11-15T19:06:08.809Z\n---\n\nbody\n"
)


@pytest.mark.parametrize("case", CONTRACT, ids=lambda case: case["id"])
def test_a_recorded_header_reads_as_the_original_reads_it(case: dict[str, Any]) -> None:
    """Recorded by running echo-sleuth 0.3.6."""
    document = frontmatter.parse(case["text"].encode())
    expect = case["expect"]
    assert (document.fields, document.body, document.kind) == (
        expect["fields"],
        expect["body"],
        expect["type"],
    )


@pytest.mark.parametrize(
    ("text", "fields", "kind"),
    [
        ("\ufeff---\nname: bom\ntype: user\n---\nB\n", {"name": "bom", "type": "user"}, "user"),
        ('---\nname: "a"\ntype: "user"\n---\nB\n', {"name": "a", "type": "user"}, "user"),
        ("---\nname: 'it''s'\ntype: Project\n---\nB\n", {"name": "it's", "type": "Project"}, "project"),
        ("---\n# note: x\nname: a # b\ntype: user\n---\nB\n", {"name": "a # b", "type": "user"}, "user"),
    ],
)
def test_what_the_original_misreads_is_read(text: str, fields: dict[str, str], kind: str) -> None:
    """Defect M6 of the specification and the quirks marked as allowed deviations."""
    document = frontmatter.parse(text.encode())
    assert (document.fields, document.kind) == (fields, kind)


def test_the_nested_layout_is_read() -> None:
    """What the client writes today."""
    document = frontmatter.parse(NESTED)
    assert document.nested
    assert document.kind == "feedback"
    assert document.fields["description"] == "one: line"
    assert document.fields["modified"] == "2026-11-15T19:06:08.809Z"


def test_an_edit_changes_one_line_and_keeps_the_layout() -> None:
    """Our choice: every byte that need not change stays."""
    edited = frontmatter.edit(NESTED, {"modified": "2026-12-01T00:00:00Z"})
    assert edited == NESTED.replace(b"2026-11-15T19:06:08.809Z", b'"2026-12-01T00:00:00Z"')
    assert frontmatter.parse(edited).fields["modified"] == "2026-12-01T00:00:00Z"


def test_a_new_key_goes_where_the_client_puts_it() -> None:
    """Under `metadata:` for the client's own keys, at the top for the others."""
    data = b"---\nname: a\nmetadata:\n    type: user\nother: kept\n---\nB"
    edited = frontmatter.edit(data, {"originSessionId": "s1", "tags": "x"})
    assert edited == (b"---\nname: a\nmetadata:\n    type: user\n    originSessionId: s1\nother: kept\ntags: x\n---\nB")


@pytest.mark.parametrize("data", [b"---\nname: a\nno end\n", b"\xff\xfe---\n", b"---\nname: a\0\n---\n"])
def test_a_file_not_understood_is_reported_and_never_rewritten(data: bytes) -> None:
    """Seed, mutation rules: malformed reads as unknown, existing files are never corrupted."""
    document = frontmatter.parse(data)
    assert document.problems
    assert document.kind == "unknown"
    with pytest.raises(Refused):
        frontmatter.edit(data, {"name": "b"})


def test_a_time_stamp_alone_gives_no_header() -> None:
    """The client's rule since 2.1.214."""
    assert frontmatter.edit(b"Just text\n", {"modified": "x"}) == b"Just text\n"
    assert frontmatter.edit(b"Just text\n", {"type": "user"}) == b"---\ntype: user\n---\nJust text\n"


def test_a_value_with_a_line_break_cannot_forge_a_field() -> None:
    """GUARANTEES section 3: one-line fields."""
    data = frontmatter.encode({"name": "a\ntype: value", "type": "user"}, "b")
    assert frontmatter.parse(data).fields == {"name": "a type: value", "type": "user"}


def test_a_line_that_is_no_field_is_reported_and_survives_an_edit() -> None:
    """Our choice: report, keep, read the rest."""
    data = b"---\nname: a\nwhat is this\ntype: user\ntags:\n  - x\n---\nB\n"
    document = frontmatter.parse(data)
    assert document.problems == ("line 3 of the header is not 'key: value'",)
    assert frontmatter.edit(data, {"name": "b"}) == data.replace(b"name: a", b"name: b")


KEYS = st.sampled_from(["name", "description", "type", "originSessionId", "node_type", "modified", "extra"])
VALUES = st.text(st.characters(exclude_categories=("Cs", "Cc", "Zl", "Zp")), max_size=40).map(frontmatter.one_line)


@given(
    st.dictionaries(KEYS, VALUES),
    st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\r\0")),
    st.booleans(),
)
def test_what_is_encoded_is_read_back(fields: dict[str, str], body: str, nested: bool) -> None:
    """Law of every dialect: decode(encode(m)) = m."""
    document = frontmatter.parse(frontmatter.encode(fields, body, nested=nested))
    assert document.fields == fields
    assert document.text == body.strip("\r\n")


@given(st.binary() | st.text().map(lambda text: b"---\n" + text.encode("utf-8", "replace") + b"\n---\nx"))
def test_an_edit_without_changes_is_the_identity(data: bytes) -> None:
    """Law of every dialect: encode(decode(bytes)) = bytes; and no input raises."""
    document = frontmatter.parse(data)
    if not document.malformed:
        assert frontmatter.edit(data, {}) == data
        assert frontmatter.edit(data, document.fields) == data or not document.has_header


@given(st.dictionaries(KEYS, VALUES, min_size=1), KEYS, VALUES, st.booleans(), st.sampled_from(["\n", "\r\n"]))
def test_an_edit_sets_one_field_and_no_other(
    fields: dict[str, str], key: str, value: str, nested: bool, newline: str
) -> None:
    """Law: after an edit the header reads as before but for the change."""
    data = frontmatter.encode(fields, "body", nested=nested).replace(b"\n", newline.encode())
    edited = frontmatter.parse(frontmatter.edit(data, {key: value}))
    assert edited.fields == {**fields, key: value}
    assert edited.body == frontmatter.parse(data).body
    removed = frontmatter.parse(frontmatter.edit(data, {key: None}))
    assert removed.fields == {name: each for name, each in fields.items() if name != key}


def test_a_value_with_quotes_in_it_replaces_one_in_quotes() -> None:
    """Our own choice to keep the writer's quotes; found by the laws with 2,000 examples each."""
    edited = frontmatter.edit(b'---\nname: "old"\n---\n\nbody\n', {"name": 'the 19" rack \\'})
    assert frontmatter.parse(edited).fields == {"name": 'the 19" rack \\'}


def test_a_comment_in_the_header_is_no_field_and_no_problem() -> None:
    """YAML: what follows a number sign is for people."""
    document = frontmatter.parse(b"---\n# type: value\nname: a\n  # indented, too\ntype: user\n---\nB\n")
    assert (document.fields, document.problems) == ({"name": "a", "type": "user"}, ())


def test_a_new_key_goes_below_the_last_of_a_nested_header() -> None:
    """Under `metadata:` for the client's own keys, also where nothing follows it."""
    data = b"---\nname: a\nmetadata:\n  type: user\n  node_type: memory\n---\nB"
    edited = frontmatter.edit(data, {"originSessionId": "s1"})
    assert edited == data.replace(b"memory\n---", b"memory\n  originSessionId: s1\n---")


def test_a_key_indented_under_nothing_is_one_of_the_top() -> None:
    """Some editors indent the whole header; a change stays where the key was."""
    data = b"---\n  name: a\n  type: user\n---\nB"
    assert not frontmatter.parse(data).nested
    assert frontmatter.parse(frontmatter.edit(data, {"name": "b"})).fields == {"name": "b", "type": "user"}
