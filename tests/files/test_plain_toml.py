"""The slim reader of packaged policy files answers as `tomllib` does."""

from __future__ import annotations

import tomllib
from pathlib import Path

import pytest

import tenure
from tenure.files import plain_toml

SYSTEMS = Path(tenure.__file__).parent / "systems"


@pytest.mark.parametrize("system", ["archeflow", "claude_memory"])
def test_the_policy_of_a_system_with_a_drop_in_reads_the_same(system: str) -> None:
    """Our own choice: drop-ins do without `tomllib`, so what it would say is the proof."""
    text = (SYSTEMS / system / "policy.toml").read_text("utf-8")
    assert plain_toml.loads(text) == tomllib.loads(text)
