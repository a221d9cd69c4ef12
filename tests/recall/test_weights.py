"""The weight files: real TOML, complete, and without signals that are none."""

from __future__ import annotations

import tomllib
from pathlib import Path

import pytest

from tenure.recall import weights
from tenure.recall.query import FIELDS

SIGNALS = {
    *FIELDS, "small", "loose", "coverage", "passage", "author", "session", "neighbours", "dates", "standing", "helped",
    "harmed", "stale", "files", "kind",
}  # fmt: skip

PROOF = {"bias", "surprise", "share", "held", "ordered", "names", "related"}


@pytest.mark.parametrize("texts", [weights.MEMORIES, weights.TRANSCRIPTS])
def test_a_weight_file_is_read_as_a_parser_reads_it(texts: str) -> None:
    """The hook's few lines know a part of TOML; the files stay inside it."""
    real = tomllib.loads(Path(weights.__file__).with_name(f"weights_{texts}.toml").read_text(encoding="utf-8"))
    read = weights.of(texts)
    assert real["version"] == read[""]["version"] == weights.VERSION
    for part in ("rank", "evidence"):
        for name in ("words", "meaning"):
            for end in ("mixed", "short"):
                assert real[part][name].pop(end, None) == read.get(f"{part}.{name}.{end}")
            assert real[part][name] == read[f"{part}.{name}"]


@pytest.mark.parametrize("texts", [weights.MEMORIES, weights.TRANSCRIPTS])
def test_every_signal_has_a_weight_and_nothing_else_has(texts: str) -> None:
    """Issue 7: each field a signal of its own; length and punctuation are none."""
    sections = weights.of(texts)
    assert set(sections["rank.meaning"]) == SIGNALS | {"meaning", "long", "repeats"}
    assert set(sections["rank.words"]) == SIGNALS | {"gist"}
    assert all(sections[f"rank.{name}"][signal] < 0 for name in ("words", "meaning") for signal in ("harmed", "stale"))


@pytest.mark.parametrize("texts", [weights.MEMORIES, weights.TRANSCRIPTS])
def test_a_day_or_an_agent_proves_no_answer(texts: str) -> None:
    """Our choice: "I have an hour today" is no question about what was captured today, so it must not break silence."""
    sections = weights.of(texts)
    assert set(sections["evidence.meaning"]) == PROOF | {"meaning", "near"}
    assert set(sections["evidence.words"]) == PROOF | {"gist"}
