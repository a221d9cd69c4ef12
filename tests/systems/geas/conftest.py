"""The project every test of the store works in."""

from __future__ import annotations

from .project import project

__all__ = ["project"]
