"""Archetype hints: what one archetype alone keeps finding belongs to that archetype.

The documents call them auto-detected, the script never sets one; only the generic commands do.
"""

from __future__ import annotations

from collections.abc import Set

from tenure.systems.archeflow.lessons import Lesson, frequency
from tenure.systems.archeflow.rules import Rules


def marked(lesson: Lesson, sources: Set[str], rules: Rules) -> Lesson:
    """Return the lesson as a hint, as a plain pattern again, or as it is, by who raised it in this run.

    A pattern becomes a hint only in the run that brings it to the number of runs asked for. Once a second
    archetype has raised it, it is common knowledge and stays a pattern.
    """
    origin = lesson.get("source")
    if not isinstance(origin, str) or origin in rules.not_archetypes:
        return lesson
    alone = sources == {origin}
    if lesson.get("type") == "pattern" and alone and frequency(lesson) == rules.hint_runs:
        return {**lesson, "type": "archetype_hint", "archetype": origin}
    if lesson.get("type") == "archetype_hint" and lesson.get("archetype") == origin and not alone:
        return {**lesson, "type": "pattern", "archetype": None}
    return lesson
