"""Did the lessons that were injected prevent what they warn of?

Each finding of the run is compared by itself: one that covers enough of a lesson's words repeats the issue
despite the injection. Words of unrelated findings never add up.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from tenure.systems.archeflow.lessons import Lesson, description, text
from tenure.systems.archeflow.match import keywords, overlap
from tenure.systems.archeflow.rules import Rules

CHECK = "effectiveness_check"
# What each verdict means for the lesson, in the words of the ledger.
EFFECTS = {"helpful": "positive", "ineffective": "negative"}


class Check(NamedTuple):
    """The verdict on one injected lesson in one run, and the finding that came nearest to it."""

    lesson_id: str
    lesson_desc: str
    effectiveness: str
    overlap_percent: int
    finding: str


def injection(lessons: Sequence[Lesson], run: str, domain: str, archetype: str, now: str) -> Lesson:
    """Return the audit record of one injection."""
    return {
        "ts": now,
        "run_id": run,
        "domain": domain,
        "archetype": archetype,
        "lessons_injected": [text(lesson.get("id")) for lesson in lessons],
        "lesson_count": len(lessons),
    }


def of_run(audit: Iterable[Lesson], run: str) -> list[Lesson]:
    """Return the audit records of one run."""
    return [record for record in audit if record.get("run_id") == run]


def injected(records: Iterable[Lesson]) -> list[str]:
    """Return the ids of all lessons that the records say were injected, sorted, each once."""
    lists = (record.get("lessons_injected") for record in records)
    return sorted({one for ids in lists if isinstance(ids, list) for one in ids if isinstance(one, str) and one})


def checks(ids: Iterable[str], lessons: Iterable[Lesson], findings: Iterable[str], rules: Rules) -> list[Check]:
    """Return a verdict for each injected lesson that is still there."""
    said = [(finding, keywords(finding, rules.word_chars)) for finding in findings]
    known: dict[object, str] = {}
    for lesson in lessons:
        if isinstance(lesson.get("id"), str):
            known.setdefault(lesson["id"], description(lesson))
    return [_check(one, known[one], said, rules) for one in ids if known.get(one)]


def record(check: Check, run: str, now: str) -> Lesson:
    """Return the audit record of a verdict."""
    return {
        "ts": now,
        "run_id": run,
        "type": CHECK,
        "lesson_id": check.lesson_id,
        "lesson_desc": check.lesson_desc,
        "effectiveness": check.effectiveness,
        "keyword_overlap_pct": check.overlap_percent,
    }


def unrecorded(found: Iterable[Check], records: Iterable[Lesson]) -> list[Check]:
    """Return the verdicts that the run's records do not have yet: checking a run again adds nothing."""
    last = {
        record.get("lesson_id"): (record.get("effectiveness"), record.get("keyword_overlap_pct"))
        for record in records
        if record.get("type") == CHECK and isinstance(record.get("lesson_id"), str)
    }
    return [check for check in found if last.get(check.lesson_id) != (check.effectiveness, check.overlap_percent)]


def _check(identity: str, words: str, said: Sequence[tuple[str, frozenset[str]]], rules: Rules) -> Check:
    lesson = keywords(words, rules.word_chars)
    nearest, percent = "", 0
    for finding, found in said:
        if (share := overlap(lesson, found)) > percent:
            nearest, percent = finding, share
    verdict = "ineffective" if percent >= rules.audit_percent else "helpful"
    return Check(identity, words, verdict, percent, nearest)
