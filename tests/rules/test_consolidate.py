"""What becomes of a proposal."""

from __future__ import annotations

from typing import Any

import pytest

from tenure.model.memory import Memory
from tenure.rules.consolidate import (
    Decision,
    Proposal,
    counts,
    decide,
    faded,
    is_repeat,
    is_same_rule,
    overlap,
    reversal,
    reversed_by,
)
from tenure.rules.contradict import contradictions
from tests.specimens import CONTENT, POLICY, specimen

TEXT = "Restart the import worker after every deploy of the schema"
SIMILAR = "Restart the import worker after every deploy of the new schema"


def proposed(text: str = TEXT, **fields: Any) -> Proposal:
    return Proposal(**{"kind": "lesson", "title": text, "text": text, "run": "r2", **fields})


def answer(proposal: Proposal, *known: Memory) -> Decision:
    draft = specimen(id="draft", kind=proposal.kind, text=proposal.text, content=proposal.content, state="candidate")
    return decide(proposal, known, contradictions(draft, known, POLICY), POLICY)


def known(text: str = TEXT, **fields: Any) -> Memory:
    return specimen(**{"id": "m-7", "text": text, "state": "candidate", "runs": ("r1",), **fields})


def test_what_nobody_knows_is_created() -> None:
    assert answer(proposed()).action == "create"
    assert answer(proposed(), known("Use double quotes in Python")).action == "create"


def test_an_exact_repeat_from_another_run_is_evidence() -> None:
    """Issue 2; claude-memory prefers UPDATE over CREATE."""
    decision = answer(proposed(), known())
    assert (decision.action, decision.id) == ("update", "m-7")
    assert decision.reasons


def test_case_and_punctuation_do_not_make_a_new_memory() -> None:
    assert answer(proposed(TEXT.upper() + "!"), known()).action == "update"


def test_one_run_counts_once() -> None:
    """Issue 2, ArcheFlow: a run that repeats itself is not evidence again."""
    decision = answer(proposed(run="r1"), known())
    assert (decision.action, decision.id) == ("noop", "m-7")
    assert "counts once" in decision.reasons[0]


def test_a_similar_text_of_the_same_kind_is_an_update() -> None:
    """geas first edition: word overlap of 0.70 and more."""
    assert overlap(proposed(SIMILAR), known()) >= POLICY.match.similar_overlap
    assert answer(proposed(SIMILAR), known()).action == "update"


def test_the_nearest_of_several_is_updated() -> None:
    further = known("Restart the import worker after every deploy of the schema on staging hosts", id="m-8")
    assert answer(proposed(SIMILAR), further, known()).id == "m-7"


@pytest.mark.parametrize("text", [TEXT, SIMILAR])
def test_another_kind_is_another_memory(text: str) -> None:
    """Issue 2: same kind."""
    assert answer(proposed(text, kind="runbook"), known()).action == "create"


def test_below_the_threshold_it_is_new() -> None:
    assert answer(proposed("Restart the web server after every deploy"), known()).action == "create"


@pytest.mark.parametrize(
    ("new", "old"),
    [
        ("Never use tabs for indentation in Go", "Use tabs for indentation in Go"),
        ("Do not restart the import worker after a deploy", "Restart the import worker after a deploy"),
        ("The import timeout is 30 seconds", "The import timeout is 60 seconds"),
    ],
)
def test_opposite_advice_is_never_merged(new: str, old: str) -> None:
    """DESIGN 3.11: contradictions are shown, not resolved; the opposite is not evidence."""
    assert answer(proposed(new), known(old)).action == "create"


def test_different_typed_content_is_not_an_exact_repeat() -> None:
    one = proposed("Quotes", kind="preference", content=CONTENT["preference"])
    other = known("Quotes", kind="preference", content={**CONTENT["preference"], "topic": "docstrings", "value": "'''"})
    assert "exactly" not in answer(one, other).reasons[0]


@pytest.mark.parametrize("state", ["superseded", "archived", "rejected"])
def test_what_was_put_aside_is_not_made_again(state: str) -> None:
    """Our choice: a reviewer's no, an archive and a successor stand until a person changes their mind."""
    decision = answer(proposed(), known(state=state))
    assert (decision.action, decision.id) == ("noop", "m-7")
    assert state in decision.reasons[0]


def test_what_was_retired_may_be_learned_again() -> None:
    """claude-memory: the block lasts 24 hours (`protect` enforces it); after that the text may be created."""
    assert answer(proposed(), known(state="retired")).action == "create"


@pytest.mark.parametrize("kind", ["runbook", "constraint", "tech_debt"])
@pytest.mark.parametrize("word", ["resolved", "removed", "reversed", "superseded", "deprecated"])
def test_an_explicit_reversal_retires(kind: str, word: str) -> None:
    """claude-memory: these five words end a runbook, constraint or tech_debt."""
    memory = known("The import worker leaks connections", kind=kind)
    for text in (
        f"{word.title()}: the import worker leaks connections",
        f"The import worker leak of connections has been {word}",
        f"{word.upper()} - import worker leaks connections",
    ):
        decision = answer(proposed(text, kind=kind), memory)
        assert (decision.action, decision.id) == ("retire", "m-7"), text


@pytest.mark.parametrize("kind", ["decision", "preference", "lesson", "session_summary", "reference"])
def test_other_kinds_are_not_reversed(kind: str) -> None:
    """claude-memory: decisions are deprecated by status, preferences by a new preference."""
    assert reversal(proposed("Removed: the import worker", kind=kind), POLICY) == ""


def test_an_event_given_by_the_proposal_counts_without_the_words() -> None:
    """claude-memory: `--lifecycle-event`, even when the text repeats the memory word for word."""
    memory = known("The import worker leaks connections", kind="tech_debt")
    assert answer(proposed(memory.text, kind="tech_debt", event="resolved"), memory).action == "retire"


@pytest.mark.parametrize(
    "text",
    [
        "Deprecated APIs must not be called in new code",
        "Removed files stay in the index until the next rebuild",
        "The lock is resolved by restarting the worker",
        "Resolved by restarting the worker",
        "The limit was not removed",
        "The limit has never been removed",
        "Keep the workaround until the upstream bug is resolved",
        "When the flag is removed, delete the adapter",
        "Once the old API is deprecated, migrate the clients",
        "If the migration is reversed the ids change",
    ],
)
def test_advice_that_contains_a_reversal_word_is_no_reversal(text: str) -> None:
    """Our choice: retiring by mistake loses a constraint; only explicit forms count."""
    assert reversal(proposed(text, kind="constraint"), POLICY) == ""


@pytest.mark.parametrize(
    "text", ["Deprecated APIs must not be called in new code", "The old limit is removed: requests are unlimited"]
)
def test_repeating_a_memory_that_contains_a_reversal_word_is_evidence(text: str) -> None:
    """Issue 2: exact repeat -> evidence comes first; a text cannot reverse itself."""
    assert answer(proposed(text, kind="constraint"), known(text, kind="constraint")).action == "update"


def test_a_reversal_of_something_unknown_changes_nothing() -> None:
    """claude-memory: cannot DELETE with 0 candidates."""
    decision = answer(proposed("Resolved: the flaky login test", kind="tech_debt"), known(kind="tech_debt"))
    assert (decision.action, decision.id) == ("noop", "")


@pytest.mark.parametrize("state", ["retired", "archived", "rejected", "superseded", "decayed"])
def test_a_reversal_finds_only_what_is_still_there(state: str) -> None:
    gone = known("The import worker leaks connections", kind="tech_debt", state=state)
    text = "Resolved: the import worker leaks connections"
    assert answer(proposed(text, kind="tech_debt"), gone).action == "noop"


def test_every_answer_has_a_reason() -> None:
    for decision in (answer(proposed()), answer(proposed(), known()), answer(proposed(run="r1"), known())):
        assert decision.reasons and all(decision.reasons)


@pytest.mark.parametrize("kind", ["decision", "lesson", "preference", "reference"])
def test_what_takes_a_memory_back_is_never_evidence_for_it(kind: str) -> None:
    """Issue 2: only three kinds are retired by a reversal; for the others it is opposite advice, shown on both."""
    memory = known("We use PostgreSQL for the ledger in production", kind=kind)
    taken_back = proposed("Reversed: we use PostgreSQL for the ledger in production", kind=kind)
    assert list(reversed_by(taken_back, [memory], POLICY)) == ["m-7"]
    assert decide(taken_back, [memory], reversed_by(taken_back, [memory], POLICY), POLICY).action == "create"
    assert reversed_by(proposed(memory.text, kind=kind), [memory], POLICY) == {}


@pytest.mark.parametrize("kind", ["constraint", "decision"])
def test_saying_again_that_something_was_removed_takes_nothing_back(kind: str) -> None:
    """Issue 2: similar text is evidence; the word stands in both, so neither reverses the other."""
    memory = known("The first version of the export endpoint was removed in March", kind=kind)
    again = proposed("The first version of the export endpoint was removed in March already", kind=kind)
    assert reversed_by(again, [memory], POLICY) == {}
    assert answer(again, memory).action == "update"


def test_the_reasons_do_not_call_evidence_what_was_counted_before() -> None:
    """Issue 2: one run counts once; its new tags and files are still taken over, and the reason says so."""
    decision = answer(proposed(run="r1", tags=("db",), files=("a.py",)), known())
    assert (decision.action, decision.reasons) == (
        "update",
        ("says exactly the same; run r1 counts once; adds a.py, db",),
    )
    decision = answer(proposed(run="r3", evidence=("retro-1",)), known(evidence=("retro-1", "retro-2")))
    assert (decision.action, decision.reasons) == ("noop", ("says exactly the same; retro-1 counts once",))


@pytest.mark.parametrize(("run", "action"), [("r2", "update"), ("r1", "noop")])
def test_only_another_run_brings_back_what_faded(run: str, action: str) -> None:
    """ArcheFlow: a run counts once, so repeating the one it was seen in revives nothing."""
    gone = known(state="decayed", phase="gone", evidence_count=0, confidence=80)
    decision = answer(proposed(run=run), gone)
    assert (decision.action, decision.id) == (action, "m-7")


EIGHT = "alpha bravo charlie delta echo foxtrot golf hotel"


@pytest.mark.parametrize(
    ("text", "action"),
    [
        ("alpha bravo charlie delta echo foxtrot golf india juliett", "update"),
        ("alpha bravo charlie delta echo foxtrot india", "create"),
    ],
)
def test_seven_words_of_ten_are_the_same_lesson_and_six_of_nine_are_not(text: str, action: str) -> None:
    """geas first edition: 0.70 and more, so seven of ten is enough."""
    decision = answer(proposed(text), known(EIGHT))
    assert decision.action == action
    assert ("70% of the words are the same" in decision.reasons[0]) is (action == "update")


def test_the_opposite_in_nearly_the_same_words_is_no_evidence() -> None:
    """A stranger's finding: "goes first" made "goes last" provisional, as 86 % of the words are the same."""
    decision = answer(proposed(f"{EIGHT} goes first"), known(f"{EIGHT} goes last"))
    assert decision.action == "create"
    assert "but one says first, the other last" in decision.reasons[0]


def test_a_rule_in_other_words_is_evidence_though_few_words_are_shared() -> None:
    """Issue 16: "use X, not Y" and "X instead of Y" are one rule; its reason says so."""
    rule = proposed("We use pnpm in this repository instead of npm")
    assert overlap(rule, known("Use pnpm, not npm")) < POLICY.match.similar_overlap
    decision = answer(rule, known("Use pnpm, not npm"))
    assert (decision.action, decision.id) == ("update", "m-7")
    assert "states the same rule in other words" in decision.reasons[0]


@pytest.mark.parametrize(("mine", "theirs"), [({"a": 1}, {}), ({}, {"a": 1}), ({"a": 1}, {"a": 1})])
def test_a_memory_with_content_of_its_own_says_more_than_its_rule(mine: dict[str, Any], theirs: dict[str, Any]) -> None:
    """Issue 16: rules are compared by their sentence; where there is content, the sentence is not all of it."""
    one, other = "Use pnpm, not npm", "We use pnpm in this repository instead of npm"
    assert is_same_rule(proposed(one), known(other))
    assert is_same_rule(proposed(one, content=mine), known(other, content=theirs)) is False


@pytest.mark.parametrize(
    ("mine", "theirs", "repeated"),
    [
        ({}, {}, True),
        ({"a": 1}, {}, True),
        ({}, {"a": 1}, True),
        ({"a": 1}, {"a": 1}, True),
        ({"a": 1}, {"a": 2}, False),
    ],
)
def test_content_makes_a_repeat_another_memory_only_where_both_have_some_and_it_differs(
    mine: dict[str, Any], theirs: dict[str, Any], repeated: bool
) -> None:
    """Our choice: whoever repeats the sentence without its details repeats it."""
    assert is_repeat(proposed(content=mine), known(content=theirs)) is repeated


def test_a_repeat_under_another_title_is_evidence_and_no_reversal() -> None:
    """Issue 2: a text cannot reverse itself, whatever it is filed under."""
    text = "The old limit is removed: requests are unlimited"
    memory = known(text, kind="constraint", title="What the platform team agreed with finance about quotas in March")
    again = proposed(text, kind="constraint")
    assert overlap(again, memory) < POLICY.match.similar_overlap
    assert answer(again, memory).action == "update"


def test_an_event_ends_even_a_memory_that_names_the_word_itself() -> None:
    """claude-memory: `--lifecycle-event` is explicit; only words of a text may be a mere repeat."""
    memory = known("Tickets marked resolved stay in the export", kind="tech_debt")
    assert answer(proposed(memory.text, kind="tech_debt"), memory).action == "update"
    assert answer(proposed(memory.text, kind="tech_debt", event="resolved"), memory).action == "retire"


@pytest.mark.parametrize(("length", "word"), [(2000, "removed"), (2001, "")])
def test_a_reversal_is_looked_for_at_the_head_of_a_long_text(length: int, word: str) -> None:
    """Our choice: 2,000 characters; what a log says far below is no verdict."""
    text = "x" * (length - len(" the limit was removed")) + " the limit was removed"
    assert len(text) == length
    assert reversal(proposed(text, kind="constraint", title="A limit"), POLICY) == word


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("Resolved: alpha bravo charlie xray yankee", "m-7"),
        ("Resolved: alpha bravo xray yankee zulu", ""),
        ("Resolved: xray yankee", ""),
        ("Resolved.", ""),
    ],
)
def test_a_reversal_names_three_fifths_of_the_words_of_what_it_ends(text: str, found: str) -> None:
    """Our choice: `match.reversal_overlap` is a share of the shorter text; a bare "Resolved." means nothing here."""
    memory = known("alpha bravo charlie delta echo", kind="tech_debt")
    decision = answer(proposed(text, kind="tech_debt"), memory)
    assert (decision.action, decision.id) == ("retire" if found else "noop", found)


def test_a_reversal_ends_the_nearest_of_several_and_the_first_of_equals() -> None:
    """claude-memory: a DELETE names one record; ours takes the one it says most of, whatever order they come in."""
    text = "Resolved: alpha bravo charlie delta echo"
    gone = known("alpha bravo charlie delta echo", id="gone", kind="tech_debt", state="archived")
    says = known("alpha bravo charlie resolved mike november oscar papa", id="says", kind="tech_debt")
    near = known("alpha bravo charlie delta xray", id="near", kind="tech_debt")
    nearest = known("alpha bravo charlie delta echo yankee", id="nearest", kind="tech_debt")
    twin = known("alpha bravo charlie delta echo zulu", id="twin", kind="tech_debt")
    for order in ([gone, says, near, nearest, twin], [nearest, near, twin, says, gone]):
        assert answer(proposed(text, kind="tech_debt"), *order).id == "nearest"


def test_a_kind_that_reversals_retire_is_not_contradicted_by_one() -> None:
    """claude-memory: a constraint is retired by it, so nothing is left to show on both."""
    memory = known("We use PostgreSQL for the ledger in production", kind="constraint")
    taken_back = proposed("Reversed: we use PostgreSQL for the ledger in production", kind="constraint")
    assert reversed_by(taken_back, [memory], POLICY) == {}
    assert reversed_by(proposed(taken_back.text), [memory], POLICY) == {}, "another kind"


def test_a_title_that_takes_a_lesson_back_is_no_evidence_for_its_text() -> None:
    """Issue 2: what takes a memory back is never evidence for it, also when the text below repeats it."""
    memory = known("We use PostgreSQL for the ledger in production")
    taken_back = proposed(memory.text, title="Reversed: PostgreSQL for the ledger")
    assert reversed_by(taken_back, [memory], POLICY) == {"m-7": "one says that the other was reversed"}


@pytest.mark.parametrize(
    ("contradictions_", "confidence", "by_disuse"), [(0, 30, True), (2, 30, True), (3, 80, False), (0, 29, False)]
)
def test_what_decayed_by_contradiction_or_lost_confidence_has_not_faded(
    contradictions_: int, confidence: int, by_disuse: bool
) -> None:
    """Our choice: seeing it again answers disuse, not the reasons for which a sweep took it out; geas's 3 and 0.3."""
    memory = known(state="decayed", contradiction_count=contradictions_, confidence=confidence)
    assert faded(memory, POLICY) is by_disuse


@pytest.mark.parametrize(
    ("run", "evidence", "new"),
    [
        ("r2", (), True),
        ("r1", (), False),
        ("", (), False),
        ("r2", ("e1",), False),
        ("r2", ("e1", "e2"), False),
        ("r2", ("e1", "e3"), True),
        ("r2", ("e3",), True),
    ],
)
def test_a_run_is_evidence_unless_it_or_all_it_refers_to_counted_before(
    run: str, evidence: tuple[str, ...], new: bool
) -> None:
    """Issue 2: one run counts once, and one reference counts once; who names no run proves nothing."""
    assert counts(proposed(run=run, evidence=evidence), known(evidence=("e1", "e2"))) is new


def test_a_proposal_is_about_the_project_unless_it_says_otherwise() -> None:
    """CONTRACT: `scope` is `project` where nobody names one."""
    plain = Proposal(kind="lesson", title="t", text="t")
    assert (decide(plain, [], {}, POLICY).action, plain.scope) == ("create", "project")
