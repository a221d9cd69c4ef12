"""What the rules need from a run's events: its id, its findings and its fixes.

Events come from agents, so every field may be missing or of the wrong type; what cannot be used is passed
over.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple

from tenure.systems.archeflow.lessons import Lesson, text

# Run ids become file names: no separators, no leading dot or dash.
_RUN_ID = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]*")
# What a run without an id is called in the files, as the script writes it.
NO_RUN = "null"


class ReviewFinding(NamedTuple):
    """One finding of a reviewer."""

    source: str
    severity: str
    description: str
    category: str


def is_run_id(name: str) -> bool:
    """Tell whether the name may be part of a path."""
    return _RUN_ID.fullmatch(name) is not None and ".." not in name


def run_of(events: list[Lesson]) -> str:
    """Return the run's id from its first event, empty when there are no events."""
    return text(events[0].get("run_id")) if events else ""


def findings(events: Iterable[Lesson]) -> list[ReviewFinding]:
    """Return the findings of all `review.verdict` events in their order."""
    return [
        ReviewFinding(
            source=text(_or(data.get("archetype"), "unknown")),
            severity=text(finding.get("severity")),
            description=text(finding.get("description")),
            category=text(_or(finding.get("category"), "general")),
        )
        for data, finding in _raw_findings(events)
    ]


def descriptions(events: Iterable[Lesson]) -> list[str]:
    """Return what the run's findings say, those without a description left out."""
    said = (finding.get("description") for _, finding in _raw_findings(events))
    return [text(one) for one in said if one is not None and one is not False]


def fixes(events: Iterable[Lesson]) -> list[str]:
    """Return the findings that `fix.applied` events name as fixed."""
    data = (event.get("data") for event in events if event.get("type") == "fix.applied")
    fixed = (one.get("finding") for one in data if isinstance(one, dict))
    return [text(one) for one in fixed if one is not None and one is not False]


def previous_run(index: Iterable[Lesson], run: str) -> str:
    """Return the run that the index names last, other than this one; empty when there is none."""
    ids = [row.get("run_id") for row in index]
    return next((name for name in reversed(ids) if isinstance(name, str) and name not in ("", run)), "")


def _raw_findings(events: Iterable[Lesson]) -> Iterator[tuple[dict[str, Any], dict[str, Any]]]:
    for event in events:
        data = event.get("data")
        if event.get("type") != "review.verdict" or not isinstance(data, dict):
            continue
        found = data.get("findings")
        # jq walks the values of an object too, and reviewers have written findings that way.
        each = found.values() if isinstance(found, dict) else found if isinstance(found, list) else ()
        for finding in each:
            if finding is None or isinstance(finding, dict):
                yield data, finding or {}


def _or(value: object, instead: str) -> object:
    return instead if value is None or value is False else value
