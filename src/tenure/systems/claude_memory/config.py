"""`memory-config.json`: every key the seed names, read with its default when absent or wrong.

A file that cannot be read counts as absent. What is wrong with a value is kept as a warning for the
commands that use the value; reading the configuration itself never fails.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from tenure.model.errors import TenureError
from tenure.systems.claude_memory.records import Record, decode

NAME = "memory-config.json"

MAX_RETAINED = 5
MAX_MEMORIES = 100
GRACE_DAYS = 30
RETENTION_DAYS = {"session_summary": 90}  # 0, for every other category, means for ever
MAX_DAYS = 36500


class Config:
    """One project's settings."""

    def __init__(self, values: Record | None = None, problem: str = "") -> None:
        self.values = values or {}
        self.problem = problem

    def enabled(self, category: str) -> bool:
        """Return whether memories of the category may be created."""
        return self._category(category).get("enabled") is not False

    def auto_capture(self, category: str) -> bool:
        """Return whether triage may ask for memories of the category: enabled and not switched off."""
        return self.enabled(category) and self._category(category).get("auto_capture") is not False

    def description(self, category: str) -> str | None:
        """Return the project's own description of the category, if it has one."""
        text = self._category(category).get("description")
        return text if isinstance(text, str) and text.strip() else None

    def retention_days(self, category: str) -> int:
        """Return after how many days without a change a memory expires; 0 means never."""
        default = RETENTION_DAYS.get(category, 0)
        return min(_count(self._category(category).get("retention_days"), default), MAX_DAYS)

    def max_retained(self, category: str) -> tuple[int, str]:
        """Return how many memories the rolling window keeps, and what was wrong with the setting."""
        value = self._category(category).get("max_retained", MAX_RETAINED)
        if isinstance(value, bool) or not isinstance(value, int):
            kind = type(value).__name__
            return MAX_RETAINED, f"max_retained must be an integer, got {kind}. Using default {MAX_RETAINED}."
        if value < 1:
            return MAX_RETAINED, f"max_retained must be >= 1, got {value}. Using default {MAX_RETAINED}."
        return value, ""

    @property
    def max_memories(self) -> int:
        """Return how many active memories a category may hold."""
        value = self.values.get("max_memories_per_category")
        return max(1, _count(value, MAX_MEMORIES))

    @property
    def grace_days(self) -> int:
        """Return how many whole days a retired memory can still be restored before gc takes it."""
        value = self._section("delete").get("grace_period_days", GRACE_DAYS)
        if isinstance(value, bool):
            return GRACE_DAYS
        try:
            return min(max(0, int(value)), MAX_DAYS)
        except (ValueError, TypeError, OverflowError):
            return GRACE_DAYS

    @property
    def archive_retired(self) -> bool:
        """Return whether gc archives instead of purging: only when the project says so in its own file.

        The seed names `true` as the default but leaves it to the agent; its gc purges, and so does an absent
        key here.
        """
        return self._section("delete").get("archive_retired") is True

    def _category(self, category: str) -> Record:
        return _object(self._section("categories").get(category))

    def _section(self, name: str) -> Record:
        return _object(self.values.get(name))


def load(root: Path) -> Config:
    """Return the settings beside the memories at `root`; the defaults where there are none."""
    from tenure.files import durable  # keeps this module importable by rules that never read

    try:
        return Config(decode(durable.read_bytes(root / NAME)))
    except FileNotFoundError:
        return Config()
    except (TenureError, OSError) as error:
        return Config(problem=f"{NAME}: {error}; using the defaults")


def _object(value: Any) -> Record:
    return value if isinstance(value, dict) else {}


def _count(value: Any, default: int) -> int:
    whole = isinstance(value, int) and not isinstance(value, bool) and value >= 0
    return int(value) if whole else default
