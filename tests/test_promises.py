"""docs/guarantees.md: every promise has a deliberate break in scripts/data/promises.toml that still fits the source."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

ROOT = Path(__file__).parents[1]
ROWS = tomllib.loads((ROOT / "scripts" / "data" / "promises.toml").read_text("utf-8"))["row"]


def test_every_promise_can_be_broken_on_purpose() -> None:
    """Issue 13: each row ends with a test that fails when the promise is broken, or with a plain "not promised"."""
    pages = (ROOT / "docs" / "guarantees.md").read_text("utf-8")
    promised = {
        name for name, row in re.findall(r"^\| ([RSP]\d+) \|(.*)$", pages, re.MULTILINE) if "not promised |" not in row
    }
    assert promised == {row["promise"] for row in ROWS}


def test_every_break_fits_the_source() -> None:
    """A text that is not there exactly once breaks nothing, and `scripts/torture promises` takes long to say so."""
    found = {(row["promise"], row["text"]): (ROOT / row["file"]).read_text("utf-8").count(row["text"]) for row in ROWS}
    assert {key: times for key, times in found.items() if times != 1} == {}
    assert [row["test"] for row in ROWS if not (ROOT / row["test"].split()[0].partition("::")[0]).exists()] == []
