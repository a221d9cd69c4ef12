"""Write protections: what a change may not do, whoever asks."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest

from tenure.model.errors import AntiResurrection, Protected
from tenure.model.memory import Change
from tenure.rules import protect
from tests.specimens import NOW, POLICY, specimen

TWELVE = tuple(f"t{n}" for n in range(12))
TEXT = "Restart the import worker after every deploy of the schema, then watch the queue for one minute"


@pytest.mark.parametrize(("name", "value"), [("id", "m-2"), ("kind", "decision"), ("created_at", NOW + timedelta(1))])
def test_identity_never_changes(name: str, value: Any) -> None:
    """claude-memory: created_at and category are immutable; so is the id."""
    with pytest.raises(Protected) as refusal:
        protect.check_immutable(specimen(), {name: value})
    assert (refusal.value.field, refusal.value.code) == (name, "MERGE_ERROR")
    protect.check_immutable(specimen(), {name: getattr(specimen(), name)})


@pytest.mark.parametrize(
    ("old", "new", "allowed"),
    [
        (("a", "b"), ("a", "b", "c"), True),
        (("a", "b"), ("b", "a"), True),
        (("a", "b"), ("a",), False),
        (("a", "b"), ("a", "c"), False),
        (("a", "b"), (), False),
        ((), TWELVE, True),
        (TWELVE[:11], TWELVE, True),
        (TWELVE[:11], (*TWELVE[:10], "x", "y"), False),
        (TWELVE, (*TWELVE[:11], "x"), True),
        (TWELVE, TWELVE[:11], False),
        (TWELVE, (*TWELVE, "x"), False),
        ((), (*TWELVE, "x"), False),
    ],
)
def test_tags_grow_only_below_twelve(old: tuple[str, ...], new: tuple[str, ...], allowed: bool) -> None:
    """claude-memory: no removal below the cap; at the cap only together with an addition; never above it."""
    if allowed:
        protect.check_tags(specimen(tags=old), new, POLICY)
    else:
        with pytest.raises(Protected) as refusal:
            protect.check_tags(specimen(tags=old), new, POLICY)
        assert refusal.value.field == "tags"


@pytest.mark.parametrize(
    ("new", "there", "allowed"),
    [
        (["a.py", "b.py", "c.py"], {"a.py", "b.py"}, True),
        (["a.py"], {"a.py"}, True),
        (["a.py"], {"a.py", "b.py"}, False),
        ([], set(), True),
    ],
)
def test_files_are_dropped_only_when_they_are_gone(new: list[str], there: set[str], allowed: bool) -> None:
    """claude-memory: related_files grow, dangling paths may be removed."""
    memory = specimen(files=("a.py", "b.py"))
    if allowed:
        protect.check_files(memory, new, there.__contains__)
    else:
        with pytest.raises(Protected, match=r"'b\.py' still exists") as refusal:
            protect.check_files(memory, new, there.__contains__)
        assert refusal.value.field == "files"


def entry(n: int, summary: str = "") -> Change:
    return Change(date=f"2026-01-{n % 28 + 1:02}", summary=summary or f"change {n}")


@pytest.mark.parametrize(
    ("new", "allowed"),
    [
        ((entry(1), entry(2)), True),
        ((entry(1), entry(2), entry(3)), True),
        ((entry(1),), False),
        ((), False),
        ((entry(2), entry(1)), False),
        ((entry(1, "other words"), entry(2), entry(3)), False),
        ((entry(3), entry(1), entry(2)), False),
    ],
)
def test_the_change_history_is_append_only_by_content(new: tuple[Change, ...], allowed: bool) -> None:
    """Issue 2: checked by content; the original compared only the number of entries."""
    memory = specimen(changes=(entry(1), entry(2)))
    if allowed:
        protect.check_changes(memory, new, POLICY)
    else:
        with pytest.raises(Protected, match="append-only") as refusal:
            protect.check_changes(memory, new, POLICY)
        assert refusal.value.field == "changes"


def test_at_its_cap_the_history_drops_its_oldest_entry() -> None:
    """claude-memory: at most 50, first in first out."""
    full = tuple(entry(n) for n in range(50))
    memory = specimen(changes=full)
    protect.check_changes(memory, (*full[1:], entry(50)), POLICY)
    protect.check_changes(memory, full, POLICY)
    assert protect.kept_changes((*full, entry(50)), POLICY) == (*full[1:], entry(50))
    with pytest.raises(Protected):
        protect.check_changes(memory, (*full[2:], entry(50)), POLICY)


@pytest.mark.parametrize(
    ("hours", "refused"), [(0, True), (1, True), (23.99, True), (24, False), (48, False), (-5, True)]
)
def test_a_retired_text_stays_out_for_24_hours(hours: float, refused: bool) -> None:
    """claude-memory: ANTI_RESURRECTION_ERROR within 24 hours; a clock that went back does not open the door."""
    retired = specimen(state="retired", retired_at=NOW, text=TEXT)
    now = NOW + timedelta(hours=hours)
    if not refused:
        protect.check_resurrection(TEXT, [retired], POLICY, now)
        return
    with pytest.raises(AntiResurrection) as refusal:
        protect.check_resurrection(TEXT, [retired], POLICY, now)
    assert refusal.value.code == "ANTI_RESURRECTION_ERROR"
    assert "tenure restore m-1" in refusal.value.hint


@pytest.mark.parametrize(
    ("text", "refused"),
    [
        (TEXT.upper(), True),
        (TEXT + "!!", True),
        (TEXT.replace("watch", "observe"), False),
        (f"{TEXT} carefully", True),
        ("Something else entirely", False),
    ],
)
def test_a_near_identical_text_is_the_same_text(text: str, refused: bool) -> None:
    """Issue 2: a near-identical text; ours counts 90 % of the words in common."""
    retired = [specimen(state="retired", retired_at=NOW, text=TEXT)]
    if refused:
        with pytest.raises(AntiResurrection):
            protect.check_resurrection(text, retired, POLICY, NOW)
    else:
        protect.check_resurrection(text, retired, POLICY, NOW)


def test_an_article_more_or_less_is_the_same_text() -> None:
    """Issue 2: a near-identical text; in a short one a single article was more than a tenth of the words."""
    retired = [specimen(state="retired", retired_at=NOW, text="Caches grow without bound in production")]
    with pytest.raises(AntiResurrection):
        protect.check_resurrection("The caches grow without a bound in production", retired, POLICY, NOW)
    with pytest.raises(AntiResurrection):
        protect.check_resurrection("Caches grow without an bound in production", retired, POLICY, NOW)
    protect.check_resurrection("Caches grow without bound before production", retired, POLICY, NOW)


@pytest.mark.parametrize(
    ("seconds", "left"),
    [
        (1, "24 hours"),
        (86_399, "1 minute"),
        (86_341, "1 minute"),
        (86_340, "1 minute"),
        (86_339, "2 minutes"),
        (86_400 - 119 * 60, "119 minutes"),
        (86_400 - 119 * 60 - 1, "2 hours"),
        (86_400 - 120 * 60, "2 hours"),
    ],
)
def test_the_time_left_is_never_nothing(seconds: int, left: str) -> None:
    """STYLE: a refusal that ends in 0 minutes tells the reader nothing."""
    retired = specimen(state="retired", retired_at=NOW)
    with pytest.raises(AntiResurrection, match=f"again for {left}"):
        protect.refuse_resurrection(retired, POLICY, NOW + timedelta(seconds=seconds))


def test_the_refusal_says_how_long_and_the_way_out() -> None:
    """STYLE: what was found, what was expected, what to do next."""
    with pytest.raises(AntiResurrection) as refusal:
        protect.refuse_resurrection(
            specimen(id="m-014", state="retired", retired_at=NOW), POLICY, NOW + timedelta(hours=3)
        )
    assert refusal.value.message == "m-014 was retired 3 hours ago and cannot be created again for 21 hours."
    assert refusal.value.hint == "Restore it with: tenure restore m-014"


def test_a_text_without_words_is_refused_when_it_is_the_same() -> None:
    """Our choice: scripts our word list cannot split still count as themselves."""
    retired = [specimen(state="retired", retired_at=NOW, text="!!! ???")]
    with pytest.raises(AntiResurrection):
        protect.check_resurrection("!!! ???", retired, POLICY, NOW)


@pytest.mark.parametrize(
    ("seconds", "gone"),
    [(0, "0 minutes"), (59, "0 minutes"), (60, "1 minute"), (61, "1 minute"), (7199, "119 minutes"), (7200, "2 hours")],
)
def test_the_time_since_is_never_rounded_up(seconds: int, gone: str) -> None:
    """Our choice: what is over is said in full minutes, what is left is never said too short."""
    with pytest.raises(AntiResurrection, match=f"was retired {gone} ago"):
        protect.refuse_resurrection(specimen(state="retired", retired_at=NOW), POLICY, NOW + timedelta(seconds=seconds))


def test_each_retired_memory_is_looked_at_whatever_stands_before_it() -> None:
    """claude-memory: 24 hours for each; one that is free again, or has no date, opens no door for the next."""
    old = specimen(id="m-1", state="retired", retired_at=NOW - timedelta(days=9), text=TEXT)
    undated = specimen(id="m-2", state="retired", retired_at=None, text=TEXT)
    recent = specimen(id="m-3", state="retired", retired_at=NOW, text=TEXT)
    protect.check_resurrection(TEXT, [old, undated], POLICY, NOW)
    with pytest.raises(AntiResurrection, match="m-3 was retired"):
        protect.check_resurrection(TEXT, [old, undated, recent], POLICY, NOW)


@pytest.mark.parametrize(
    ("text", "refused"),
    [
        ("alpha bravo charlie delta echo foxtrot golf hotel india", True),
        ("alpha bravo charlie delta echo foxtrot golf hotel", False),
        ("never alpha bravo charlie delta echo foxtrot golf hotel india juliett", False),
    ],
)
def test_nine_words_of_ten_are_the_same_text_and_a_never_more_is_not(text: str, refused: bool) -> None:
    """Our choice: `write.resurrection_overlap`, 0.9 and more; the opposite of what was retired may be said at once."""
    retired = [
        specimen(
            state="retired", retired_at=NOW, text="alpha bravo charlie delta echo foxtrot golf hotel india juliett"
        )
    ]
    if refused:
        with pytest.raises(AntiResurrection):
            protect.check_resurrection(text, retired, POLICY, NOW)
    else:
        protect.check_resurrection(text, retired, POLICY, NOW)


def test_a_text_of_articles_only_counts_as_itself() -> None:
    retired = [specimen(state="retired", retired_at=NOW, text="The")]
    with pytest.raises(AntiResurrection):
        protect.check_resurrection("the", retired, POLICY, NOW)
    protect.check_resurrection("An", retired, POLICY, NOW)


def test_a_new_memory_keeps_twelve_tags_and_says_which_it_left_out() -> None:
    """claude-memory: at most 12; what is dropped is said, not swallowed."""
    assert protect.kept_tags(TWELVE, POLICY) == (TWELVE, "")
    assert protect.kept_tags((*TWELVE, "x", "y"), POLICY) == (TWELVE, "At most 12 tags are kept; left out: x, y.")


@pytest.mark.parametrize(
    ("have", "new"), [((), ["t0", "x"]), (("t0",), ["x"]), (TWELVE[:11], ["x"]), (TWELVE, []), (TWELVE[1:], ["t0"])]
)
def test_evidence_brings_the_tags_that_are_new_and_fit(have: tuple[str, ...], new: list[str]) -> None:
    """claude-memory: tags grow to 12 and no further, those that stand stay."""
    assert protect.new_tags(specimen(tags=have), ["t0", "x"], POLICY) == new
