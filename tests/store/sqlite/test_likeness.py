"""Which memories a new text is compared with: those the rules would find alike, whatever else is in the store."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

import tenure
from tenure.store.sqlite import likeness
from tenure.text.words import jaccard, words
from tests.opened import database

_SYLLABLES = "ba de ki lo mu na re so ti vu".split()
_STOP_WORDS = "the is of to and in for with when it".split()
_LIMIT, _WORDS = 10, 8


def _vocabulary(dice: random.Random) -> list[str]:
    return ["".join(dice.choices(_SYLLABLES, k=dice.randint(2, 5))) for _ in range(3000)]


def _text(dice: random.Random, vocabulary: list[str], count: int) -> list[str]:
    weights = [1 / rank for rank in range(3, len(vocabulary) + 3)]
    said = dice.choices(vocabulary, weights, k=count)
    return [part for word in said for part in ([dice.choice(_STOP_WORDS), word] if dice.random() < 0.3 else [word])]


@pytest.mark.parametrize("seed", range(3))
def test_what_shares_most_words_is_found_in_a_crowd(seed: int, tmp_path: Path) -> None:
    """Our own choice: measured against a comparison with every memory, texts of 5 to 30 words, a third reworded."""
    dice = random.Random(seed)
    vocabulary = _vocabulary(dice)
    known = [_text(dice, vocabulary, dice.randint(5, 30)) for _ in range(400)]
    ws = tenure.open(f"sqlite:{tmp_path / 'memory.db'}", tmp_path)
    ws.capture([{"text": " ".join(text), "title": " ".join(text[:4])} for text in known])
    sets = {row.number: frozenset(words(f"{row.memory.title} {row.memory.text}")) for row in ws.project.store.find()}
    missed = alike = 0
    for _ in range(100):
        base = dice.choice(known)
        kept = [word for word in base if dice.random() < 0.8]
        text = " ".join(dice.sample(kept, len(kept)) + _text(dice, vocabulary, len(base) - len(kept)))
        found = likeness.similar(database(ws).connection, text, _WORDS, _LIMIT)
        mine = frozenset(words(text))
        wanted = {n for n, theirs in sets.items() if jaccard(mine, theirs) >= 0.5}
        alike += len(wanted)
        missed += len(wanted - set(found))
    assert alike > 50
    assert missed <= alike * 0.01


def test_the_one_that_says_the_same_comes_first(tmp_path: Path) -> None:
    """Our own choice: the rules take the nearest, so nearness is by the share of both texts, not of the shorter one."""
    ws = tenure.open(f"sqlite:{tmp_path / 'memory.db'}", tmp_path)
    long = (
        "Deploy window notes: staging freezes on Friday, the release train leaves on Monday, rollbacks need two people"
    )
    ws.add(long, id="long")
    ws.add("Staging freezes on Friday", id="short")
    rows = ws.project.store.similar("staging freezes every Friday", _LIMIT, _WORDS)
    assert [row.memory.id for row in rows] == ["short", "long"]


def test_a_word_in_passing_is_no_likeness(tmp_path: Path) -> None:
    """Our own choice: what can reach no threshold is not read."""
    ws = tenure.open(f"sqlite:{tmp_path / 'memory.db'}", tmp_path)
    ws.add("Postgres connections are pooled by the gateway, which closes idle ones after ten minutes of silence")
    text = (
        "Gateway certificates rotate monthly through vault; operators confirm fingerprints before traffic switches over"
    )
    assert ws.project.store.similar(text, _LIMIT, _WORDS) == []


@pytest.mark.parametrize("text", ["", "the of and", '"', "a" * 30_000, "数据库迁移", "\ud800"])
def test_any_text_can_be_asked_for(text: str, tmp_path: Path) -> None:
    """Our own choice: a write must not fail on the search before it."""
    ws = tenure.open(f"sqlite:{tmp_path / 'memory.db'}", tmp_path)
    ws.add("something known")
    assert ws.project.store.similar(text, _LIMIT, _WORDS) == []
