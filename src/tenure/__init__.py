"""Tenure: agent memory that has to earn its place."""

from __future__ import annotations

__version__ = "0.1.0"
