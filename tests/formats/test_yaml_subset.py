"""Front matter: what we write is read back, and read as YAML reads it."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tenure.formats import yaml_subset

BOOLEANS = ("y", "n", "on", "off", "yes", "no", "true", "false", "null")
# The names of formats' keys are ours to choose: none is a word that YAML 1.1 takes for true or false.
KEYS = st.from_regex(r"[a-z][a-z_]{0,12}", fullmatch=True).filter(lambda key: key not in BOOLEANS)
TEXTS = st.text(st.characters(codec="utf-8", exclude_categories=["Cs", "Cc"]), max_size=40)
SCALARS = st.one_of(TEXTS, st.integers(-(10**9), 10**9), st.booleans())
VALUES = st.one_of(
    SCALARS,
    st.lists(st.one_of(SCALARS, st.dictionaries(KEYS, SCALARS, min_size=1, max_size=3)), min_size=1, max_size=4),
    st.dictionaries(KEYS, SCALARS, min_size=1, max_size=4),
)


@given(st.dictionaries(KEYS, VALUES, max_size=6))
def test_what_is_written_is_read_back(values: dict[str, Any]) -> None:
    """A round trip is a law (issue 22)."""
    assert yaml_subset.parse(yaml_subset.dump(values)) == values


@given(st.dictionaries(KEYS, VALUES, max_size=6))
def test_what_is_written_is_yaml(values: dict[str, Any]) -> None:
    """Other programs read it with a YAML library."""
    yaml = pytest.importorskip("yaml")
    assert (yaml.safe_load(yaml_subset.dump(values)) or {}) == values


@pytest.mark.parametrize(
    ("text", "means"),
    [
        ("a: 1\nb: [x, 'y, z', {k: v}]", {"a": 1, "b": ["x", "y, z", {"k": "v"}]}),
        ("tags:\n- one\n- two # why\n", {"tags": ["one", "two"]}),
        ("s:\n  - id: a\n    by: human:b\n  - id: c\n", {"s": [{"id": "a", "by": "human:b"}, {"id": "c"}]}),
        ("text: |\n  one\n    two\n\n  three\nb: x", {"text": "one\n  two\n\nthree\n", "b": "x"}),
        ("text: >-\n  one\n  two\n", {"text": "one two"}),
        ("url: https://example.org/a#b\nwhen: 2026-08-21", {"url": "https://example.org/a#b", "when": "2026-08-21"}),
        ("a:\n  b:\n    c: null\nd: ~\ne:", {"a": {"b": {"c": None}}, "d": None, "e": None}),
        ("long: one\n  goes on\nq: \"a: b # c\" # d", {"long": "one goes on", "q": "a: b # c"}),
        ("# only a comment\n", {}),
    ],
)  # fmt: skip
def test_the_shapes_of_front_matter_are_read(text: str, means: dict[str, Any]) -> None:
    """As files of OKF, basic-memory, Cursor and Claude Code have them."""
    assert yaml_subset.parse(text) == means


@pytest.mark.parametrize(
    "text",
    [
        "- a\n- b",
        "a: *anchor",
        "a: !tag x",
        "a: [1, 2",
        "just words",
        "a: 'open",
        "\ta: 1",
        "a:\n - b\n   - c: d\n  e: f",
    ],
)
def test_what_is_no_front_matter_names_its_line(text: str) -> None:
    """A file that cannot be read costs itself, with the reason."""
    with pytest.raises(ValueError, match=r"line|front matter"):
        yaml_subset.parse(text)


def test_a_header_that_never_closes_is_told() -> None:
    """As above."""
    with pytest.raises(ValueError, match="never closes"):
        yaml_subset.split("---\na: 1\n")
    assert yaml_subset.split("no header\n") == ({}, "no header\n")
