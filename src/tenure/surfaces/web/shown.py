"""How values are written on a page: texts as text, times as ages, numbers with their noun."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from datetime import datetime
from typing import Any

from markupsafe import Markup, escape

from tenure.model import clock
from tenure.text.words import clean, one_line

_STEPS = (
    (365 * 86400, "year"),
    (30 * 86400, "month"),
    (7 * 86400, "week"),
    (86400, "day"),
    (3600, "hour"),
    (60, "minute"),
)
_CODE = re.compile(r"`([^`\n]+)`")
# Whose words a memory is made of, as a person would say it.
_ORIGINS = {
    "user": "said by a person",
    "repository": "from the repository",
    "tool": "from a tool",
    "model": "from a model",
    "external": "from outside",
}


def text(value: object) -> str:
    """Return a text without characters that could reorder or hide others; escaping is the template's."""
    return clean(str(value))


def prose(value: object) -> Markup:
    """Return a text with what stands between backticks as code; nothing else in it means anything.

    The backticks stay in the document, out of sight, so that what is copied is what the memory says.
    """
    tick = Markup('<span class="tick">`</span>')
    parts = _CODE.split(clean(str(value)))
    return Markup("").join(
        Markup("<code>{}{}{}</code>").format(tick, part, tick) if place % 2 else escape(part)
        for place, part in enumerate(parts)
    )


def origin(trust: str, quote: str = "") -> str:
    """Return whose words a memory is made of; `quote` are a person's words that a session has."""
    if quote and trust == "model":
        return "from a person's words in a session"
    return _ORIGINS.get(trust, trust)


def ago(moment: datetime | str | None) -> str:
    """Return how long ago or ahead a moment is, in its largest unit."""
    if not moment:
        return "never"
    at = clock.parse(moment) if isinstance(moment, str) else moment
    seconds = (clock.now() - at).total_seconds()
    for size, name in _STEPS:
        if abs(seconds) >= size:
            count = int(abs(seconds) // size)
            said = f"{count} {name}{'s' * (count > 1)}"
            return f"{said} ago" if seconds > 0 else f"in {said}"
    return "just now"


def date(moment: datetime | str | None) -> str:
    """Return a moment as a date and time in UTC."""
    if not moment:
        return ""
    at = clock.parse(moment) if isinstance(moment, str) else moment
    return f"{at:%Y-%m-%d %H:%M}"


def count(number: int, noun: str, plural: str = "") -> str:
    """Return a number with its noun."""
    return f"{number:,} {noun if number == 1 else plural or noun + 's'}"


def line(value: object, limit: int = 120) -> str:
    """Return a text on one line."""
    return one_line(str(value), limit)


def state(name: str) -> str:
    """Return the name of a state or kind as words."""
    return name.replace("_", " ")


def bars(terms: Mapping[str, float], biggest: float, most: int = 20) -> list[dict[str, Any]]:
    """Return what each signal adds to a score as a bar of 0 to 20 steps; the style sheet has a width for each.

    With more than `most` signals the smallest are drawn as one.
    """
    found = sorted(((name, value) for name, value in terms.items() if round(value, 2)), key=lambda term: -abs(term[1]))
    if len(found) > most:
        found[most - 1 :] = [("others", sum(value for _, value in found[most - 1 :]))]
    return [
        {"name": name, "value": round(value, 2), "steps": round(20 * abs(value) / biggest), "is_less": value < 0}
        for name, value in found
    ]


def biggest(scores: Iterable[Mapping[str, float]]) -> float:
    """Return the largest part that any signal has in some scores, to draw all of them to one measure."""
    return max((abs(value) for terms in scores for value in terms.values()), default=1.0) or 1.0


FILTERS: dict[str, Callable[..., Any]] = {
    "text": text,
    "prose": prose,
    "origin": origin,
    "ago": ago,
    "date": date,
    "count": count,
    "line": line,
    "words": state,
}
