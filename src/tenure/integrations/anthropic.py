"""The public name of Anthropic's memory tool over a store; it lives in `tenure.surfaces.anthropic`."""

from __future__ import annotations

from tenure.surfaces.anthropic import MemoryTool

__all__ = ["MemoryTool"]
