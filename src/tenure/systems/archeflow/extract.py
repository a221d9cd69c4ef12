"""From a run's findings to lessons: which one was seen again, which is new.

A run counts once for a lesson, however many of its findings match and however often it is extracted: a
lesson is promoted by being seen in a second run. A match counts whatever its severity; a new lesson needs
WARNING or more.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from collections.abc import Set as AbstractSet
from typing import NamedTuple

from tenure.systems.archeflow.events import NO_RUN, ReviewFinding
from tenure.systems.archeflow.hints import marked
from tenure.systems.archeflow.lessons import Lesson, description, frequency
from tenure.systems.archeflow.match import Index, keywords, tags
from tenure.systems.archeflow.rules import Rules


class LessonDecision(NamedTuple):
    """What becomes of one finding: create, update, revive or noop, and the lesson it is about."""

    action: str
    finding: ReviewFinding
    lesson: Lesson | None
    reason: str


class Options(NamedTuple):
    """What the generic commands do better than the script; the drop-in leaves all of it off."""

    # The run's domain becomes the lesson's, and the finding's category a tag.
    domain: str | None = None
    # A finding that one archetype alone raises in two runs becomes its archetype_hint.
    hints: bool = False
    # Lessons that decayed before; one that returns is revived under its old id.
    archived: Sequence[Lesson] = ()
    # Lessons that somebody put aside: a finding that says the same makes no new lesson of it.
    aside: Sequence[Lesson] = ()
    # A finding that says nothing teaches nothing.
    skip_nameless: bool = False


PLAIN = Options()


class ExtractResult(NamedTuple):
    """The decisions in the order of the findings, and the lessons after them: the old ones, then the new."""

    decisions: list[LessonDecision]
    lessons: list[Lesson]
    counted: frozenset[str]


def extract(
    findings: Iterable[ReviewFinding],
    lessons: Sequence[Lesson],
    run: str,
    rules: Rules,
    now: str,
    new_id: Callable[[], str],
    counted: AbstractSet[str] = frozenset(),
    options: Options = PLAIN,
) -> ExtractResult:
    """Return what the findings of `run` change; `counted` are the lessons it has triggered before."""
    work = _Extraction(lessons, run, rules, now, new_id, counted, options)
    decisions = [work.take(finding) for finding in findings]
    if options.hints:
        work.mark_hints()
    return ExtractResult(decisions, work.lessons, frozenset(work.counted))


def lesson_keywords(lesson: Lesson, rules: Rules) -> frozenset[str]:
    """Return the words a finding is compared with: those of the description and the tags."""
    named = lesson.get("tags")
    tagged = [tag for tag in named if isinstance(tag, str)] if isinstance(named, list) else []
    return keywords(" ".join([description(lesson), *tagged]), rules.word_chars)


def seen_again(lesson: Lesson, run: str, now: str) -> Lesson:
    """Return the lesson after one more run triggered it."""
    return {
        **lesson,
        "frequency": frequency(lesson) + 1,
        "ts": now,
        "run_id": run,
        "last_seen_run": run,
        "runs_since_last_seen": 0,
    }


def candidate(finding: ReviewFinding, identity: str, run: str, rules: Rules, now: str, domain: str | None) -> Lesson:
    """Return the lesson a new finding makes."""
    found = tags(finding.description, rules.tag_chars, rules.tags)
    if domain is not None and finding.category not in found:
        found = [finding.category, *found]
    return {
        "id": identity,
        "ts": now,
        "run_id": run,
        "type": "pattern",
        "source": finding.source,
        "description": finding.description,
        "frequency": 1,
        "severity": finding.severity,
        "domain": finding.category if domain is None else domain,
        "tags": found,
        "archetype": None,
        "last_seen_run": run,
        "runs_since_last_seen": 0,
    }


def added(kind: str, words: str, identity: str, rules: Rules, now: str) -> Lesson:
    """Return the lesson a person adds by hand."""
    said = ReviewFinding(source="user_feedback", severity="info", description=words, category="general")
    lesson = candidate(said, identity, "manual", rules, now, domain=None)
    return {**lesson, "type": kind, "last_seen_run": ""}


class _Extraction:
    """The lessons while findings arrive: later findings of a run see what earlier ones changed."""

    def __init__(
        self,
        lessons: Sequence[Lesson],
        run: str,
        rules: Rules,
        now: str,
        new_id: Callable[[], str],
        counted: AbstractSet[str],
        options: Options,
    ) -> None:
        self.lessons = list(lessons)
        self.counted = set(counted)
        self._run, self._rules, self._now, self._new_id = run, rules, now, new_id
        self._options = options
        self._sources: dict[int, set[str]] = {}
        self._by_id: dict[str, list[int]] = {}
        self._done: set[int] = set()
        self._live, self._archive, self._aside = Index(), Index(), Index()
        for position, lesson in enumerate(self.lessons):
            self._enter(position, lesson)
        for position, lesson in enumerate(options.archived):
            # A lesson forgotten on request keeps its frequency in the archive and does not come back by
            # itself.
            if frequency(lesson) <= 0:
                self._archive.add(position, lesson_keywords(lesson, rules))

        for position, lesson in enumerate(options.aside):
            self._aside.add(position, lesson_keywords(lesson, rules))

    def take(self, finding: ReviewFinding) -> LessonDecision:
        """Decide about the next finding."""
        said = keywords(finding.description, self._rules.word_chars)
        position = self._live.first(said, self._rules.finding_percent)
        if position is not None:
            self._sources.setdefault(position, set()).add(finding.source)
            return self._match(finding, position)
        if finding.severity.lower() in self._rules.below_warning:
            return LessonDecision("noop", finding, None, "below WARNING, and no lesson says it")
        if self._options.skip_nameless and not said:
            return LessonDecision("noop", finding, None, "the finding says nothing")
        old = self._archive.first(said, self._rules.finding_percent)
        if old is not None:
            return self._revive(finding, self._options.archived[old])
        away = self._aside.first(said, self._rules.finding_percent)
        if away is not None:
            return LessonDecision("noop", finding, self._options.aside[away], "a lesson that was put aside says it")
        lesson = candidate(finding, self._new_id(), self._run, self._rules, self._now, self._options.domain)
        self._append(lesson)
        return LessonDecision("create", finding, lesson, "no lesson says it yet")

    def mark_hints(self) -> None:
        """Turn what one archetype alone keeps raising into its hint, and back when another raises it."""
        for position, sources in self._sources.items():
            self.lessons[position] = marked(self.lessons[position], sources, self._rules)

    def _match(self, finding: ReviewFinding, position: int) -> LessonDecision:
        lesson = self.lessons[position]
        identity = lesson.get("id")
        if self._was_counted(position, lesson):
            return LessonDecision("noop", finding, lesson, "already counted for this run")
        same = self._by_id.get(identity, [position]) if isinstance(identity, str) else [position]
        for one in same:
            self.lessons[one] = seen_again(self.lessons[one], self._run, self._now)
            self._count(one, self.lessons[one])
        return LessonDecision("update", finding, self.lessons[position], "a lesson says it")

    def _was_counted(self, position: int, lesson: Lesson) -> bool:
        identity = lesson.get("id")
        if position in self._done or (isinstance(identity, str) and identity in self.counted):
            return True
        return self._run not in ("", NO_RUN) and lesson.get("last_seen_run") == self._run

    def _revive(self, finding: ReviewFinding, archived: Lesson) -> LessonDecision:
        lesson = seen_again(archived, self._run, self._now)
        lesson["frequency"] = self._rules.revived_frequency
        self._append(lesson)
        return LessonDecision("revive", finding, lesson, "an archived lesson says it")

    def _append(self, lesson: Lesson) -> None:
        self.lessons.append(lesson)
        self._enter(len(self.lessons) - 1, lesson)
        self._count(len(self.lessons) - 1, lesson)

    def _enter(self, position: int, lesson: Lesson) -> None:
        self._live.add(position, lesson_keywords(lesson, self._rules))
        if isinstance(lesson.get("id"), str):
            self._by_id.setdefault(lesson["id"], []).append(position)

    def _count(self, position: int, lesson: Lesson) -> None:
        self._done.add(position)
        if isinstance(lesson.get("id"), str):
            self.counted.add(lesson["id"])
