"""Which lessons an agent is shown.

Preferences at once, others from two runs on, universal ones past every filter; most frequent first, at most
ten.
"""

from __future__ import annotations

from collections.abc import Iterable

from tenure.systems.archeflow.lessons import Lesson, description, frequency, text
from tenure.systems.archeflow.rules import Rules


def eligible(lesson: Lesson, domain: str, archetype: str, rules: Rules) -> bool:
    """Tell whether the lesson may be shown to this archetype in this domain; an empty name asks for all."""
    seen = frequency(lesson)
    if not description(lesson):
        return False
    if text(lesson.get("type")) in rules.immediate_types or seen >= rules.universal_frequency:
        return True
    in_domain = domain == "" or lesson.get("domain") in (domain, rules.shared_domain)
    for_archetype = archetype == "" or lesson.get("archetype") in (None, archetype)
    return seen >= rules.least_frequency and in_domain and for_archetype


def select(lessons: Iterable[Lesson], domain: str, archetype: str, rules: Rules) -> list[Lesson]:
    """Return the lessons to show, most frequent first; equals keep the order of the file."""
    chosen = [lesson for lesson in lessons if eligible(lesson, domain, archetype, rules)]
    return sorted(chosen, key=lambda lesson: -frequency(lesson))[: rules.limit]
