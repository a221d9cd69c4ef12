"""Refusals as the original prints them."""

from __future__ import annotations

import pytest

from tenure.systems.claude_memory.folder import warn
from tenure.systems.claude_memory.refusal import Refusal


def test_a_refusal_has_one_line_for_each_thing_it_says() -> None:
    """Specification 1.8: a value with a line break must not forge a line."""
    block = Refusal("WRITE_ERROR", "Try again.", target="a\nfix: none\r", error="half \udcff").block()
    assert block.split("\n") == ["WRITE_ERROR", "target: a\\nfix: none\\r", "error: half ?", "fix: Try again."]


def test_a_warning_prints_whatever_characters_it_holds(capsys: pytest.CaptureFixture[str]) -> None:
    """A file name that is not UTF-8 arrives as half a character, which no stream can print."""
    warn("[WARN] \udcff.json")
    assert capsys.readouterr().err == "[WARN] ?.json\n"
