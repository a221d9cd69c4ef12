"""`memory-config.json`, read once for every command and hook, with its default where a key is absent or wrong.

What the policy has a key for is expressed in it (`table`), so that the generic commands and the drop-in use the same
numbers. A file that cannot be read counts as absent; what is wrong with a value is kept as a warning for the commands
that use the value. Reading the configuration itself never fails.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from tenure.files import CATEGORY_SETTINGS
from tenure.model.errors import TenureError
from tenure.systems import thresholds
from tenure.systems.claude_memory.records import FOLDERS, Record, decode

NAME = CATEGORY_SETTINGS
MAX_DAYS = 36500
MAX_INJECT = 20
DESCRIPTION_CHARACTERS = 500
WINDOWED = "session_summary"
YES, NO = frozenset({"true", "yes", "on", "1"}), frozenset({"false", "no", "off", "0"})


class Config:
    """One project's settings."""

    def __init__(self, values: Record | None = None, problem: str = "", root: Path | None = None) -> None:
        self.values = values or {}
        self.problem = problem
        self._root = root
        categories = self.section("categories").items()
        self._categories = {name.lower(): own for name, own in categories if isinstance(own, dict)}
        self._policy: thresholds.Table | None = None

    @property
    def policy(self) -> thresholds.Table:
        """The thresholds in force: the system's own, the user's settings, then this file's, then the project's."""
        if self._policy is None:
            self._policy = thresholds.load("claude_memory", self._root, self.table())
        return self._policy

    def table(self) -> dict[str, dict[str, Any]]:
        """Return what the file says, in the words of the policy; nothing for keys that are absent or wrong."""
        delete = self.section("delete")
        kept = {category: _count(self._category(category).get("retention_days")) for category in FOLDERS}
        cap = _count(self.values.get("max_memories_per_category"))
        said: dict[str, dict[str, Any]] = {
            "inject": {"limit": self.max_inject},
            "write": {
                "session_window": self._window(WINDOWED)[0],
                "kind_cap": None if cap is None else max(1, cap),
                "disabled_kinds": [category for category in FOLDERS if not self.enabled(category)] or None,
                "uncaptured_kinds": [category for category in FOLDERS if not self.auto_capture(category)] or None,
            },
            "retention": {
                "grace_days": _whole(delete.get("grace_period_days")),
                "archive_instead": True if is_on(delete, "archive_retired", usual=False) else None,
                "expire_days": {name: min(days, MAX_DAYS) for name, days in kept.items() if days is not None} or None,
            },
        }
        if not is_on(self.section("retrieval"), "enabled"):
            said["inject"]["limit"] = 0
        tables = {name: {key: value for key, value in keys.items() if value is not None} for name, keys in said.items()}
        return {name: keys for name, keys in tables.items() if keys}

    def section(self, *names: str) -> Record:
        """Return a nested section, empty when it is missing or no object."""
        values: Any = self.values
        for name in names:
            values = values.get(name) if isinstance(values, dict) else None
        return values if isinstance(values, dict) else {}

    def enabled(self, category: str) -> bool:
        """Return whether memories of the category may be created and shown."""
        return is_on(self._category(category), "enabled")

    def auto_capture(self, category: str) -> bool:
        """Return whether triage may ask for memories of the category: enabled and not switched off."""
        return self.enabled(category) and is_on(self._category(category), "auto_capture")

    def descriptions(self) -> dict[str, str]:
        """Return what the user says each category is for, by category."""
        described = {name: own.get("description") for name, own in self._categories.items()}
        return {
            name: text[:DESCRIPTION_CHARACTERS] for name, text in described.items() if isinstance(text, str) and text
        }

    def retention_days(self, category: str) -> int:
        """Return after how many days without a change a memory expires; 0 means never."""
        return int(self.policy["retention"]["expire_days"].get(category, 0))

    def max_retained(self, category: str) -> tuple[int, str]:
        """Return how many memories the rolling window keeps, and what was wrong with the setting."""
        value, problem = self._window(category)
        usual: int = self.policy["write"]["session_window"]
        if problem:
            return usual, f"{problem}. Using default {usual}."
        return (usual, "") if value is None or category == WINDOWED else (value, "")

    @property
    def max_inject(self) -> int | None:
        """How many memories a prompt may be shown, 0 to 20; None when the file does not say, or not in a number."""
        value = self.section("retrieval").get("max_inject")
        try:
            return None if value is None else max(0, min(MAX_INJECT, int(value)))
        except (ValueError, TypeError, OverflowError):
            return None

    @property
    def max_memories(self) -> int:
        """How many active memories a category may hold."""
        return int(self.policy["write"]["kind_cap"])

    @property
    def grace_days(self) -> int:
        """How many whole days a retired memory can still be restored before gc takes it."""
        return int(self.policy["retention"]["grace_days"])

    @property
    def no_return_hours(self) -> int:
        """How long a memory that was retired may not be created again."""
        return int(self.policy["write"]["resurrection_hours"])

    @property
    def archive_retired(self) -> bool:
        """Whether gc archives instead of purging: only when the project says so in its own file.

        The seed names `true` as the default but leaves it to the agent; its gc purges, and so does an absent
        key here.
        """
        return is_on(self.section("delete"), "archive_retired", usual=False)

    def _window(self, category: str) -> tuple[int | None, str]:
        value = self._category(category).get("max_retained")
        if value is None and "max_retained" not in self._category(category):
            return None, ""
        if isinstance(value, bool) or not isinstance(value, int):
            return None, f"max_retained must be an integer, got {type(value).__name__}"
        return (value, "") if value >= 1 else (None, f"max_retained must be >= 1, got {value}")

    def _category(self, category: str) -> Record:
        return self._categories.get(category.lower(), {})


def load(root: Path) -> Config:
    """Return the settings beside the memories at `root`; the defaults where there are none."""
    from tenure.files import durable  # keeps this module importable by rules that never read

    try:
        return Config(decode(durable.read_bytes(root / NAME)), root=root)
    except FileNotFoundError:
        return Config(root=root)
    except (TenureError, OSError, ValueError) as error:
        return Config(problem=f"{NAME}: {error}; using the defaults", root=root)


def is_on(section: Record, switch: str, *, usual: bool = True) -> bool:
    """Return whether a switch is on; only a clear yes or no changes what it usually is."""
    value = str(section.get(switch, "")).strip().lower()
    return value in YES if not usual else value not in NO


def _count(value: Any) -> int | None:
    whole = isinstance(value, int) and not isinstance(value, bool) and value >= 0
    return int(value) if whole else None


def _whole(value: Any) -> int | None:
    try:
        return None if value is None or isinstance(value, bool) else min(max(0, int(value)), MAX_DAYS)
    except (ValueError, TypeError, OverflowError):
        return None
