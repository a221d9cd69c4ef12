"""The name users import Anthropic's memory tool by."""

from __future__ import annotations

import pytest

pytest.importorskip("anthropic")
from tenure.integrations.anthropic import MemoryTool
from tenure.surfaces import anthropic


def test_the_public_name_is_the_tool_itself() -> None:
    """docs/mcp.md: `from tenure.integrations.anthropic import MemoryTool`."""
    assert MemoryTool is anthropic.MemoryTool
