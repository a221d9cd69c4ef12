"""A store's own silence threshold: made-up prompts about nothing, and what they may and may not change."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

import tenure
from tenure.recall import silence_threshold
from tenure.store import open_for_hook
from tenure.usecases import calibrate
from tenure.usecases.answers.found import Silence

SUBJECTS = "retries cursors certificates heartbeats thumbnails webhooks migrations backups replicas tokens".split()


@pytest.fixture
def ws(tmp_path: Path) -> tenure.Workspace:
    made = tenure.open(f"sqlite:{tmp_path / 'memory.db'}", tmp_path)
    for number in range(silence_threshold.FROM):
        subject = SUBJECTS[number % len(SUBJECTS)]
        made.add(f"service-{number} keeps {subject} for {number} days", id=f"m-{number}")
    return made


def test_prompts_about_nothing_are_the_same_each_time() -> None:
    """Our choice: a store that did not change keeps its point, whoever measures."""

    def lend(dice: random.Random) -> tuple[str, str]:
        return f"m-{dice.randrange(9)}", "keyset locks in a fixed order"

    first = silence_threshold.prompts(lend)
    assert first == silence_threshold.prompts(lend)
    assert len(first) == silence_threshold.SAMPLES
    assert all(("keyset" in text.split() or "locks" in text.split()) <= bool(lenders) for text, lenders in first)
    assert any(lenders for _, lenders in first) and not all(lenders for _, lenders in first)


@pytest.mark.parametrize("lent", ["", "of the", "\x00\ud800", "日本語"])
def test_memories_without_telling_words_lend_none(lent: str) -> None:
    """Everything works on bad input."""
    assert all(text for text, _ in silence_threshold.prompts(lambda dice: ("m", lent)))


@pytest.mark.parametrize(
    ("reached", "point"),
    [
        ([-9.0] * 64, silence_threshold.LOWEST),
        ([9.0] * 64, silence_threshold.HIGHEST),
        ([0.1] * 56 + [0.4] * 8, 0.4),
        ([0.1] * 62 + [0.4] * 2, 0.1),
        ([0.3], 0.3),
    ],
)
def test_nearly_all_prompts_about_nothing_stay_below_the_point(reached: list[float], point: float) -> None:
    """Issue 7: at most one off-topic prompt in ten is answered; how far a store may go is limited."""
    assert silence_threshold.point(reached) == point


def test_upkeep_measures_a_store_once_and_again_when_it_has_doubled(
    ws: tenure.Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Issue 7: silence is calibrated for the store as it grows."""
    assert ws.explain("retries").silence.calibrated_at is None
    ws.upkeep()
    first = calibrate.known(ws.project.store)
    assert first.memories == silence_threshold.FROM
    assert ws.explain("retries").silence == Silence(words=first.words, meaning=first.meaning, calibrated_at=first.at)
    ws.add("one more memory about queues")
    monkeypatch.setenv("TENURE_NOW", "2040-01-01T00:00:00Z")
    ws.upkeep()
    assert calibrate.known(ws.project.store) == first
    for number in range(silence_threshold.FROM):
        ws.add(f"module-{number} counts {SUBJECTS[number % 10]} of level {number}")
    ws.upkeep()
    assert calibrate.known(ws.project.store).memories > first.memories


def test_a_small_store_goes_by_what_was_fitted(tmp_path: Path) -> None:
    """Our choice: of a few memories nothing can be learned about chance."""
    with tenure.open(f"sqlite:{tmp_path / 'memory.db'}", tmp_path) as ws:
        ws.add("Money is kept in integer cents")
        ws.upkeep()
        assert calibrate.known(ws.project.store) == calibrate.Measured()


def test_the_point_is_taken_off_all_evidence_and_stands_with_the_hooks_limits(ws: tenure.Workspace) -> None:
    """Issue 7: the prompt hook reads one setting and no policy; `least_evidence` counts from the store's own point."""
    ws.upkeep()
    before = ws.search("service-3 retries")[0].evidence
    ws.project.store.keep(calibrate.KEY, '{"words": 0.5, "memories": 20, "at": "2026-01-01T00:00:00Z"}')
    ws.add("something else entirely about queues")
    own = calibrate.known(ws.project.store).words
    assert open_for_hook(ws.project.store.place, lambda: False).limits()["silence"] == own == 0.5
    assert ws.search("service-3 retries")[0].evidence < before + 0.5


@pytest.mark.parametrize("kept", ["", "{", "[]", '{"words": "x"}', "null"])
def test_a_damaged_setting_is_none(ws: tenure.Workspace, kept: str) -> None:
    """Everything works on bad input."""
    ws.project.store.keep(calibrate.KEY, kept)
    assert calibrate.known(ws.project.store) == calibrate.Measured()
    assert ws.search("retries")
