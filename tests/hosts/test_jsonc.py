"""Edits in people's JSON files touch nothing but the entry."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tenure.hosts import jsonc
from tenure.model.errors import InvalidInput

COMMENTED = """{
    // which model
    "model": "opus", /* the big one */
    "hooks": {
        "Stop": [
            {"hooks": [{"type": "command", "command": "mine"}]} // keep me
        ]
    }
}
"""


def test_an_added_entry_leaves_comments_order_and_layout_alone() -> None:
    """Issue 8: keeps comments and order in the user's files."""
    after = jsonc.append(COMMENTED, ("hooks", "Stop"), {"command": "ours"})
    assert [line for line in COMMENTED.splitlines() if line.replace("} // keep", "}, // keep") not in after] == []
    assert jsonc.parse(after).value["hooks"]["Stop"][1] == {"command": "ours"}
    assert jsonc.remove(after, ("hooks", "Stop"), lambda item: item == {"command": "ours"}) == COMMENTED


@pytest.mark.parametrize(
    "text",
    [
        COMMENTED,
        "{}",
        "{}\n",
        '{"a": 1}',
        '{"a": 1, "hooks": {"Stop": [1, 2]}}',
        '{\n\t"a": [],\n\t"b": {}\n}\n',
        '{\r\n  "a": 1\r\n}\r\n',
        '{\n  "a": 1, // one\n  "b": 2 // two\n}',
        '{\n  "a": 1\n  // nothing after this\n}\n',
        '\ufeff{\n  "ä": "\\u00e9"\n}',
    ],
)
def test_what_was_added_can_be_taken_out_again_to_the_byte(text: str) -> None:
    """Our own choice: uninstalling must not leave a trace even where no copy of the old file exists."""
    entry = {"hooks": [{"command": "tenure hook stop"}]}
    listed = jsonc.append(text, ("hooks", "Other"), entry)
    assert jsonc.parse(listed).value["hooks"]["Other"] == [entry]
    assert jsonc.remove(listed, ("hooks", "Other"), lambda item: item == entry) == text
    put = jsonc.put(text, ("mcpServers", "tenure"), {"command": "tenure"})
    assert jsonc.parse(put).value["mcpServers"]["tenure"] == {"command": "tenure"}
    assert jsonc.remove(put, ("mcpServers", "tenure")) == text


def test_a_trailing_comma_is_understood() -> None:
    """VS Code and its descendants write them."""
    after = jsonc.put('{\n  "a": 1,\n}', ("b",), 2)
    assert jsonc.parse(after).value == {"a": 1, "b": 2}


@pytest.mark.parametrize("text", ["", "[", '{"a" 1}', '{"a": }', "{} x", '{"a": 1 /* ', "{" * 500, '{"a', "nope"])
def test_what_is_not_json_is_refused_with_its_line(text: str) -> None:
    """A file we cannot read is reported and left as it is."""
    with pytest.raises(InvalidInput, match="line 1"):
        jsonc.parse(text)


VALUES = st.recursive(
    st.none() | st.booleans() | st.integers(-99, 99) | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=4), inner, max_size=3),
    max_leaves=12,
)


@given(document=st.dictionaries(st.text(max_size=4), VALUES, max_size=4), indent=st.sampled_from([None, 2, 4, "\t"]))
def test_an_edit_changes_the_value_as_python_would(document: dict[str, Any], indent: int | str | None) -> None:
    """Law: parse(put(text, path, v)) is the document with v, and removing it gives the document back."""
    text = json.dumps(document, indent=indent, ensure_ascii=False)
    assert jsonc.parse(text).value == document
    after = jsonc.put(text, ("tenure-key",), {"x": [1]})
    assert jsonc.parse(after).value == {**document, "tenure-key": {"x": [1]}}
    assert jsonc.parse(jsonc.remove(after, ("tenure-key",))).value == document
