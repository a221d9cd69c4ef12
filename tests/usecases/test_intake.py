"""The way in: checked, cleaned and stripped of secrets, whatever arrives."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tenure.model.errors import InvalidInput, TenureError
from tenure.rules.consolidate import Proposal
from tenure.usecases import intake
from tests.specimens import POLICY

ANY_TEXT = st.text(st.characters(codec=None), max_size=30)
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | ANY_TEXT,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(ANY_TEXT, inner, max_size=3),
    max_leaves=8,
)
NAMES = sorted(Proposal.__struct_fields__)


@given(st.dictionaries(st.sampled_from(NAMES) | ANY_TEXT, JSON | ANY_TEXT, max_size=6))
def test_any_json_becomes_a_proposal_or_a_refusal(raw: dict[str, Any]) -> None:
    """GUARANTEES S18: nothing undeclared is raised, for any Unicode, lone surrogates included."""
    try:
        proposal = intake.proposal(raw, POLICY)
    except TenureError:
        return
    assert proposal.text
    assert proposal.title
    assert "\n" not in proposal.title
    assert len(proposal.title) <= POLICY.write.title_chars
    assert len(proposal.tags) <= POLICY.write.tags_cap
    str(proposal).encode()


@given(ANY_TEXT, st.lists(ANY_TEXT, max_size=20))
def test_any_text_and_tags_come_out_clean(text: str, tags: list[str]) -> None:
    """GUARANTEES S6."""
    safe = intake.safe(text)
    safe.encode()
    assert "\x1b" not in safe
    assert intake.safe(safe) == safe
    assert all(tag == tag.lower() and tag for tag in intake.tags(tags, POLICY))


@pytest.mark.parametrize("empty", ["", "   ", "\u200b", "\x1b[0m", "\u2060\ufeff"])
def test_a_memory_needs_words_that_can_be_seen(empty: str) -> None:
    with pytest.raises(InvalidInput, match="is empty"):
        intake.proposal({"text": empty, "title": empty}, POLICY)


def test_the_title_is_made_from_the_text() -> None:
    proposal = intake.proposal({"text": "Run the migrations first. Then the tests.\nAnd so on"}, POLICY)
    assert proposal.title == "Run the migrations first"
    assert intake.proposal({"title": "Only a title"}, POLICY).text == "Only a title"


@pytest.mark.parametrize("name", ["text", "title", "kind", "scope", "source", "run"])
@pytest.mark.parametrize("value", [5, ["x"], {"x": 1}, True])
def test_a_text_field_of_another_type_is_named(name: str, value: Any) -> None:
    with pytest.raises(InvalidInput) as refusal:
        intake.proposal({"text": "x", name: value}, POLICY)
    assert refusal.value.field == name


@pytest.mark.parametrize("id", ["", "a/b", "../x", "..", "-rf", ".hidden", "a b", "é", "x" * 81, "a\n", "\ud800"])
def test_an_id_that_could_be_a_path_or_an_option_is_refused(id: str) -> None:
    """GUARANTEES S9."""
    with pytest.raises(InvalidInput):
        intake.check_id(id)


@pytest.mark.parametrize("id", ["m-014", "a", "A.b_c-9", "x" * 80])
def test_ordinary_ids_are_taken(id: str) -> None:
    assert intake.check_id(id) == id


@pytest.mark.parametrize(
    ("source", "trust"),
    [("agent:x", "model"), ("Agent: y", "model"), ("web", "external"), ("kim", "user"), ("", "user")],
)
def test_trust_follows_from_the_first_word_of_the_source(source: str, trust: str) -> None:
    assert intake.trust_of(source, POLICY, otherwise="user") == trust
