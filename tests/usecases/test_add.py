"""What the user states directly."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest

from tenure.model.errors import AntiResurrection, Forgotten, InvalidInput, Protected
from tenure.model.kinds import KINDS, OTHER_NAMES
from tenure.usecases.answers.changed import Collected
from tenure.workspace import Workspace
from tests.specimens import CONTENT, NOW, SetNow, days

TEXT = "Run the migrations before the tests"


def test_what_the_user_states_starts_provisional(ws: Workspace) -> None:
    """ArcheFlow: preferences skip the threshold; issue 2 extends it to whatever the user adds."""
    memory = ws.add(TEXT)
    assert (memory.state, memory.phase, memory.trust) == ("provisional", "live", "user")
    assert (memory.signals.confidence, memory.signals.evidence_count) == (40, 1)
    assert memory.review_after == NOW + days(30)


def test_whoever_adds_a_secret_is_told_that_it_was_taken_out(ws: Workspace) -> None:
    """A stranger's: a memory without what it was about came into use without a word."""
    told = [ws.add(text).notes for text in ("deploy with ghp_abcdefghijklmnopqrstuvwxyz0123456789", TEXT)]
    assert told == [("a secret was taken out before this was stored; write where to find it instead",), ()]


@pytest.mark.parametrize(
    ("source", "trust"),
    [("agent:coder", "model"), ("tool:pytest", "tool"), ("web:example", "external"), ("file:README.md", "repository")],
)
def test_what_others_say_starts_as_a_candidate(ws: Workspace, source: str, trust: str) -> None:
    """DESIGN 3.13: trust has classes, set by the engine from the source."""
    memory = ws.add(TEXT, source=source)
    assert (memory.state, memory.trust) == ("candidate", trust)


def test_an_agent_that_repeats_itself_gains_nothing(ws: Workspace) -> None:
    """Issue 2: evidence comes from different runs; repeating `add` names none. GUARANTEES section 3, ArcheFlow."""
    for _ in range(4):
        memory = ws.add(TEXT, source="agent:coder")
    assert (memory.state, memory.signals.evidence_count) == ("candidate", 1)


def test_a_user_who_repeats_themselves_strengthens_the_memory(ws: Workspace) -> None:
    """Our choice: the user's word is evidence each time it is given on purpose."""
    first = ws.add(TEXT)
    again = ws.add(TEXT.upper())
    assert (again.id, again.signals.evidence_count, again.signals.confidence) == (first.id, 2, 60)
    assert "says the same already" in again.notes[-1]


@pytest.mark.parametrize("source", ["agent:coder", "web:example"])
def test_the_user_repeating_a_candidate_makes_it_live(ws: Workspace, source: str) -> None:
    """Issue 2: what the user states directly is provisional, whoever said it first."""
    candidate = ws.add(TEXT, source=source)
    assert ws.add(TEXT).state == "provisional"
    assert ws.get(candidate.id).state == "provisional"


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("Use tabs for indentation", "Do not use tabs for indentation"),
        ("!!!", "???"),
        ("Go", "No"),
        ("日本語", "中国語"),
    ],
)
def test_the_opposite_or_another_text_is_no_repetition(ws: Workspace, first: str, second: str) -> None:
    """Our choice: every word counts when texts are compared for being the same."""
    assert ws.add(first).id != ws.add(second).id


def test_another_kind_is_another_memory(ws: Workspace) -> None:
    assert ws.add(TEXT).id != ws.add(TEXT, kind="runbook").id


@pytest.mark.parametrize(
    ("word", "hint"),
    [
        ("gotcha", "Did you mean lesson?"),
        ("Convention", "Did you mean constraint?"),
        ("howto", "Did you mean runbook?"),
        ("desicion", "Did you mean decision?"),
        ("xyzzy", ""),
    ],
)
def test_a_word_that_is_no_kind_is_answered_with_the_kind_that_is_meant(ws: Workspace, word: str, hint: str) -> None:
    """A stranger's finding: the list of kinds does not say which of them a gotcha is."""
    with pytest.raises(InvalidInput) as refused:
        ws.add(TEXT, kind=word)
    assert refused.value.hint == hint
    assert set(OTHER_NAMES.values()) <= set(KINDS)


@pytest.mark.parametrize("kind", sorted(CONTENT))
def test_typed_content_is_kept(ws: Workspace, kind: str) -> None:
    assert ws.get(ws.add("A text", kind=kind, content=CONTENT[kind]).id).content == CONTENT[kind]


@pytest.mark.parametrize(
    ("field", "fields"),
    [
        ("text", {"text": "  "}),
        ("text", {"text": "\u200b\u2060"}),
        ("kind", {"text": "x", "kind": "opinion"}),
        ("scope", {"text": "x", "scope": "universe"}),
        ("id", {"text": "x", "id": "../escape"}),
        ("id", {"text": "x", "id": "-rf"}),
        ("id", {"text": "x", "id": "a/b"}),
        ("content.steps", {"text": "x", "kind": "runbook", "content": {"trigger": "t", "verification": "v"}}),
        ("text", {"text": "x" * (1024 * 1024 + 1)}),
    ],
)
def test_bad_input_names_its_field_and_writes_nothing(ws: Workspace, field: str, fields: dict[str, object]) -> None:
    with pytest.raises(InvalidInput) as refusal:
        ws.add(**fields)  # type: ignore[arg-type]
    assert refusal.value.field == field
    assert ws.memories(all=True) == []


def test_a_text_of_one_megabyte_is_kept(ws: Workspace) -> None:
    """Issue 2: texts up to 1 MB."""
    text = ("word " * (1024 * 1024 // 5))[: 1024 * 1024].strip()
    assert ws.get(ws.add(text).id).text == text


def test_a_chosen_id_is_kept_and_never_given_again(ws: Workspace, set_now: SetNow) -> None:
    """Issue 2: ids are never reused, not after retirement, purge or erasure."""
    ws.add(TEXT, id="migrations")
    with pytest.raises(Protected, match="never reused"):
        ws.add("Something else", id="migrations")
    ws.forget("migrations")
    with pytest.raises(Protected, match="never reused"):
        ws.add("Something else", id="migrations")
    ws.add("To be purged", id="purged")
    ws.retire("purged", reason="test")
    set_now(NOW + days(31))
    assert ws.gc() == Collected(purged=["purged"], kept=0)
    with pytest.raises(Protected, match="never reused"):
        ws.add("Something else", id="purged")


def test_a_retired_id_and_text_stay_out_for_24_hours(ws: Workspace, set_now: SetNow) -> None:
    """claude-memory: ANTI_RESURRECTION_ERROR, with the way out; by id and by near-identical text."""
    ws.add(TEXT, id="migrations")
    ws.retire("migrations", reason="wrong")
    set_now(NOW + timedelta(hours=3))
    same: dict[str, Any] = {"text": TEXT}
    other_kind = {"text": TEXT, "kind": "runbook"}
    other_text = {"text": "Entirely different", "id": "migrations"}
    for attempt in (same, {"text": f"{TEXT}!"}, other_kind, other_text):
        with pytest.raises(AntiResurrection) as refusal:
            ws.add(**attempt)
        assert "tenure restore migrations" in refusal.value.hint
    set_now(NOW + timedelta(hours=24))
    assert ws.add(TEXT).state == "provisional"
    with pytest.raises(Protected, match="never reused"):
        ws.add("Entirely different", id="migrations")


def test_the_opposite_of_what_was_retired_may_be_said_at_once(ws: Workspace) -> None:
    retired = ws.add("Use tabs for indentation in every file of the project")
    ws.retire(retired.id, reason="changed my mind")
    assert ws.add("Do not use tabs for indentation in every file of the project").phase == "live"


def test_what_was_forgotten_is_refused(ws: Workspace) -> None:
    """GUARANTEES P2: no resurrection."""
    ws.forget(ws.add(TEXT).id)
    with pytest.raises(Forgotten):
        ws.add(TEXT.lower() + ".")
    assert ws.add("Run nothing before the tests")


def test_forgetting_one_text_without_words_does_not_block_others(ws: Workspace) -> None:
    ws.forget(ws.add("!!!").id)
    assert ws.add("???")


def test_contradictions_are_flagged_on_both_memories_and_shown_everywhere(ws: Workspace) -> None:
    """Issue 2: flagged on both, shown by `why`, `review` and `inject`; nothing is resolved silently."""
    one = ws.add("Use tabs for indentation")
    other = ws.add("Never use tabs for indentation")
    assert ws.get(one.id).conflicts == (other.id,)
    assert ws.get(other.id).conflicts == (one.id,)
    assert any(one.id in note for note in other.notes)
    for mine, theirs in ((one, other), (other, one)):
        assert any(need.code == "contradicts" and theirs.id in need.text for need in ws.why(mine.id).reasons)
        assert any(item.id == mine.id and theirs.id in item.why for item in ws.queue())
    shown = ws.inject("tabs for indentation")
    assert {item.id for item in shown.memories} == {one.id, other.id}
    assert shown.block.count("contradicts") == 2
    assert ws.get(one.id).phase == ws.get(other.id).phase == "live"


def test_a_contradiction_with_what_is_gone_is_settled(ws: Workspace) -> None:
    """Our choice: the queue does not ask about a memory that nobody follows any more."""
    one, other = ws.add("Use tabs for indentation"), ws.add("Never use tabs for indentation")
    ws.retire(one.id, reason="settled")
    assert ws.queue() == []
    assert "contradicts" not in ws.inject("tabs for indentation").block
    assert not [need for need in ws.why(other.id).reasons if need.code == "contradicts"]


def test_secrets_and_escapes_never_reach_the_store(ws: Workspace) -> None:
    """GUARANTEES S6 and S8: every field on the way in."""
    token = "ghp_" + "a1B2" * 9
    memory = ws.add(f"Use {token} \x1b[31mred\x1b[0m", tags=[token], files=[f"{token}.txt"], title=f"Token {token}")
    assert token not in str(memory)
    assert "\x1b" not in str(memory)
