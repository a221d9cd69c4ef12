"""Learning from an ArcheFlow run: its findings become lessons, its audit and its regressions become effects.

One run counts once, for evidence and for effect, however often its events are captured and by whichever program.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from tenure.capture.session_builder import Session
from tenure.files.durable import read_bytes
from tenure.model import clock
from tenure.model.errors import InvalidInput, TenureError
from tenure.model.events import EventType
from tenure.model.evolve import born, change
from tenure.model.memory import Memory
from tenure.rules import use_counts
from tenure.rules.confidence import after_evidence
from tenure.rules.consolidate import Action, Decision
from tenure.systems.api import System
from tenure.systems.archeflow import audit, memories
from tenure.systems.archeflow import events as run_events
from tenure.systems.archeflow.companion import Companion
from tenure.systems.archeflow.events import ReviewFinding
from tenure.systems.archeflow.extract import LessonDecision as Extracted
from tenure.systems.archeflow.extract import Options, extract
from tenure.systems.archeflow.folder import AUDIT, EVENTS, INDEX, STATE, ArcheflowFolder
from tenure.systems.archeflow.lesson_files import LessonFiles
from tenure.systems.archeflow.lessons import Lesson, LessonLine, decode, frequency, records
from tenure.systems.archeflow.lessons import problems as unreadable
from tenure.systems.archeflow.regression import regressions
from tenure.systems.archeflow.rules import Rules
from tenure.text.words import folded, one_line
from tenure.usecases import capture, intake, session_suggestions
from tenure.usecases.answers.captured import Captured, Skipped
from tenure.usecases.batch import Batch
from tenure.usecases.project import Project

ACTIONS: dict[str, Action] = {"create": "create", "update": "update", "revive": "update", "noop": "noop"}
# Who reports the effects of a run.
AUDITOR = "archeflow-audit"
# What is said in a session has no severity and no category; by these it is a finding like others.
SESSION_SEVERITY = "warning"
SESSION_CATEGORY = "general"
# Where a run that names no domain has it from, in this order.
CONFIGS = ("config.yaml", "config.yml")
_DOMAIN = re.compile(r"^domain:[ \t]*[\"']?([A-Za-z0-9][\w.-]{0,59})", re.MULTILINE)


class _Run(NamedTuple):
    """One run as its events tell it."""

    id: str
    domain: str | None
    findings: list[ReviewFinding]
    # Fixed in the run before and back in this one: what was fixed, by the line that says it again.
    returned: dict[str, str]


class _Aftermath(NamedTuple):
    """What is written beside the lessons once they are safe."""

    run: str
    counted: frozenset[str]
    checks: list[Lesson]


class Learning:
    """Captures the events of runs into the lessons of one folder."""

    def __init__(self, files: LessonFiles, rules: Rules, new_ids: Callable[[Batch], Callable[[], str]]) -> None:
        self._files, self._rules, self._new_ids = files, rules, new_ids

    def capture(
        self, project: Project, system: System, paths: Sequence[str], *, run: str, keep_going: bool, dry_run: bool
    ) -> Captured:
        """Learn from events files; other files are taken as proposals, as on any store."""
        read = {path: _lines(path) for path in paths if path != "-"}
        events = [path for path in read if _are_events(read[path])]
        others = [path for path in paths if path not in events]
        proposed, skipped = capture.read(others, project.policy, memories.KINDS, keep_going=keep_going)
        decisions: list[Decision] = []
        notes: list[str] = []
        if proposed:
            stated = [self._not_stated(item) for item in proposed]
            made = capture.capture(project, system, stated, run=run, dry_run=dry_run)
            decisions += made.decisions
            notes += made.notes
        aftermaths = []
        with project.changing(dry_run=dry_run) as batch:
            for path in events:
                found = self._run(path, read[path], run)
                learned, aftermath = self._learn(batch, found)
                decisions += learned
                aftermaths.append(aftermath)
                notes += [_said(found.id, fixed, line) for line, fixed in found.returned.items()]
        for path in events:
            skipped += [
                Skipped(path=path, line=str(line.number), why=line.problem or "") for line in unreadable(read[path])
            ]
        if not dry_run:
            notes += self._write_down(aftermaths)
        return Captured(decisions=decisions, skipped=skipped, notes=notes)

    def learn(self, project: Project, system: System, session: Session, *, dry_run: bool) -> Captured:
        """Treat a session as a run whose lessons are its findings: matched, counted once, revived as findings are."""
        found, refused, notes = session_suggestions.lessons(project, system, session)
        findings = [
            ReviewFinding(
                # Named after the session: no archetype raises it, so it never becomes one's hint.
                source=one_line(intake.safe(f"session:{session.id}"), 100),
                severity=SESSION_SEVERITY,
                description=intake.safe(str(item["text"])),
                category=SESSION_CATEGORY,
            )
            for item in found
            if item["kind"] not in project.policy.write.uncaptured_kinds
        ]
        if not findings:
            return Captured(decisions=refused, notes=notes)
        id = one_line(intake.safe(session.id), 200)
        with project.changing(dry_run=dry_run) as batch:
            decisions, _ = self._learn(batch, _Run(id=id, domain=None, findings=findings, returned={}))
        return Captured(decisions=[*decisions, *refused], notes=notes)

    def _not_stated(self, proposed: dict[str, Any]) -> dict[str, Any]:
        """Return a proposal without a claim to be the user's own: a preference is what they say directly."""
        stated = proposed.get("kind") in self._rules.immediate_types
        return {**proposed, "kind": memories.DEFAULT_KIND} if stated else proposed

    def _run(self, path: str, lines: list[LessonLine], named: str) -> _Run:
        events = records(lines)
        own = run_events.run_of(events)
        stem = Path(path).stem
        id = (
            named or (own if own not in ("", run_events.NO_RUN) else "") or (stem if run_events.is_run_id(stem) else "")
        )
        found = [
            ReviewFinding(
                source=one_line(intake.safe(finding.source), 100),
                severity=one_line(finding.severity, 60),
                description=intake.safe(finding.description),
                category=one_line(intake.safe(finding.category), 60),
            )
            for finding in run_events.findings(events)
        ]
        fixed = self._fixed_before(id)
        again = regressions(fixed, [finding.description for finding in found], self._rules)
        return _Run(
            id=one_line(intake.safe(id), 200),
            domain=self._domain(events),
            findings=found,
            returned={one.current: one.fixed for one in again},
        )

    def _learn(self, batch: Batch, run: _Run) -> tuple[list[Decision], _Aftermath]:
        rows = [row.memory for row in batch.store.find()]
        known = {memory.id: memory for memory in rows}
        here = [memory for memory in rows if not memories.is_put_aside(memory)]
        lessons = [self._lesson(memory) for memory in here]
        away = [self._lesson(memory) for memory in rows if memories.is_put_aside(memory)]
        counted = {memory.id for memory in rows if run.id and run.id in memory.runs}
        outcome = extract(
            run.findings,
            lessons,
            run.id,
            self._rules,
            clock.stamp(batch.now),
            self._new_ids(batch),
            counted | self._companion().counted(run.id),
            Options(
                domain=run.domain,
                hints=True,
                archived=[lesson for lesson in away if frequency(lesson) <= 0],
                aside=[lesson for lesson in away if frequency(lesson) > 0],
                skip_nameless=True,
            ),
        )
        for memory, before, after in zip(here, lessons, outcome.lessons, strict=False):
            if after != before:
                self._see_again(batch, memory, after, run.id)
        refused = set()
        for lesson in outcome.lessons[len(lessons) :]:
            if lesson["id"] in known:
                self._revive(batch, known[lesson["id"]], lesson, run.id)
            elif batch.store.forgotten([folded(lesson["description"])]):
                refused.add(lesson["id"])
            else:
                memory = memories.decode(lesson, self._files.codec, archived=False)
                batch.record(None, [born(memory, actor=memory.source, run=run.id)], version=0)
        checks = self._effects(batch, run, lessons, outcome.decisions)
        decisions = [self._decision(batch, one, refused, run) for one in outcome.decisions]
        batch.write()
        if run.id:
            batch.store.activity.record_run(run.id, batch.now)
        return decisions, _Aftermath(run.id, outcome.counted - refused, checks)

    def _see_again(self, batch: Batch, memory: Memory, lesson: Lesson, run: str) -> None:
        """Count the run for a memory; a run that was counted before may still change whose hint it is."""
        now = memories.decode(lesson, self._files.codec, archived=False)
        fields: dict[str, Any] = {"kind": now.kind, "agent": now.agent, "extra": now.extra}
        add: dict[str, list[str]] = {}
        type = EventType.EDITED
        if now.signals.frequency != self._files.told(memory).signals.frequency:
            type = EventType.EVIDENCED
            before, count = memory.signals.evidence_count, now.signals.evidence_count
            fields |= {
                "frequency": count,
                "evidence_count": count,
                "runs_unseen": 0,
                "confidence": after_evidence(memory.signals.confidence, before, count, batch.policy),
            }
            add = _counted(memory, run)
        event = change(memory, type, batch.now, set=fields, add=add, run=run, reason=f"a finding of {run or 'a run'}")
        after = batch.record(memory, [event])
        assert after is not None
        batch.settle(after)

    def _revive(self, batch: Batch, memory: Memory, lesson: Lesson, run: str) -> None:
        now = memories.decode(lesson, self._files.codec, archived=False)
        fields = {
            "state": now.state,
            "phase": now.phase,
            "previous_state": None,
            "retired_at": None,
            "frequency": now.signals.frequency,
            "evidence_count": now.signals.evidence_count,
            "runs_unseen": 0,
            "confidence": max(memory.signals.confidence, batch.policy.confidence.reinstated_floor),
            "extra": now.extra,
        }
        detail = {"from": memory.state, "to": now.state}
        reason = f"a finding of {run or 'a run'} says it again"
        event = change(
            memory,
            EventType.RESTORED,
            batch.now,
            set=fields,
            add=_counted(memory, run),
            run=run,
            reason=reason,
            detail=detail,
        )
        batch.record(memory, [event])

    def _effects(
        self, batch: Batch, run: _Run, lessons: Sequence[Lesson], decisions: Iterable[Extracted]
    ) -> list[Lesson]:
        """Log what each lesson shown to the run brought, and return the verdicts the audit trail does not have yet."""
        logged = audit.of_run(self._audit(), run.id) if run.id else []
        said = [finding.description for finding in run.findings]
        checks = audit.checks(audit.injected(logged), lessons, said, self._rules)
        effects = {check.lesson_id: (audit.EFFECTS[check.effectiveness], check.finding) for check in checks}
        # A lesson that was in force is ineffective when what was fixed before it is back, shown or not.
        in_force = {lesson["id"] for lesson in lessons if frequency(lesson) >= self._rules.least_frequency}
        for decision in decisions:
            line = next((line for line in decision.finding.description.split("\n") if line in run.returned), None)
            if line is not None and decision.lesson is not None and decision.lesson["id"] in in_force:
                effects[decision.lesson["id"]] = ("negative", f"{run.returned[line]} (fixed before, and back)")
        for id, (what, finding) in effects.items():
            memory = batch.get(id)
            if memory is None or memory.phase != "live" or not run.id:
                continue
            if what == "negative" and memory.kind in self._rules.lasting_types:
                # What the user wants stays until the user says otherwise.
                what = "neutral"
            detail = {"finding": one_line(finding, 200)} if finding else {}
            events = use_counts.apply(memory, what, batch.policy, batch.now, task=run.id, by=AUDITOR, detail=detail)
            batch.record(memory, events)
        now = clock.stamp(batch.now)
        return [audit.record(check, run.id, now) for check in audit.unrecorded(checks, logged)]

    def _decision(self, batch: Batch, one: Extracted, refused: set[str], run: _Run) -> Decision:
        id = one.lesson["id"] if one.lesson else ""
        memory = batch.get(id) if id else None
        if id in refused:
            return Decision(action="noop", id="", kind=memories.DEFAULT_KIND, reasons=("it was forgotten on request",))
        reasons = [one.reason]
        if one.action == "noop" and memory is not None and memories.is_put_aside(memory):
            way = "review" if memory.phase == "held" else "restore"
            reasons.append(f"it is {memory.state}; see: tenure {way} {id}")
        if any(line in run.returned for line in one.finding.description.split("\n")):
            reasons.append("it was fixed in the run before, and is back")
        kind = memory.kind if memory else memories.DEFAULT_KIND
        return Decision(action=ACTIONS[one.action], id=id, kind=kind, reasons=tuple(reasons))

    def _write_down(self, aftermaths: Sequence[_Aftermath]) -> list[str]:
        """Add to the audit trail and to what the drop-in remembers; lost with a kill, and made again with the run."""
        folder, notes = self._files.folder, []
        for aftermath in aftermaths:
            try:
                with folder.locked():
                    if aftermath.checks:
                        folder.append(AUDIT, aftermath.checks)
                    self._companion().remember(aftermath.run, aftermath.counted, self._rules.remembered_runs)
            except (OSError, TenureError) as error:
                notes.append(f"Run {aftermath.run} is not remembered for decay: {error}")
        return notes

    def _lesson(self, memory: Memory) -> Lesson:
        return memories.encode(memory, None, self._rules)

    def _companion(self) -> Companion:
        return Companion(self._files.folder.project)

    def _audit(self) -> list[Lesson]:
        folder = self._files.folder
        return records(folder.lines(AUDIT)) if folder.has(AUDIT) else []

    def _domain(self, events: Iterable[Lesson]) -> str | None:
        """Return the run's domain: what it started with, or the project's setting; None when nobody names one."""
        for event in events:
            data = event.get("data")
            named = data.get("domain") if event.get("type") == "run.start" and isinstance(data, dict) else None
            if isinstance(named, str) and named.strip():
                return one_line(intake.safe(named), 60)
        return next((found for name in CONFIGS if (found := _configured(self._files.folder, name))), None)

    def _fixed_before(self, run: str) -> list[str]:
        """Return what the run before this one fixed, as far as its events can be read."""
        folder = self._files.folder
        previous = run_events.previous_run(records(folder.lines(INDEX)), run) if folder.has(INDEX) else ""
        events = EVENTS / f"{previous}.jsonl"
        if not run_events.is_run_id(previous) or not folder.has(events):
            return []
        return [one for one in run_events.fixes(records(folder.lines(events))) if one]


def _lines(path: str) -> list[LessonLine]:
    try:
        return decode(read_bytes(Path(os.path.expanduser(path))))
    except OSError as error:
        raise InvalidInput(f"{path}: cannot be read: {error.strerror}.", hint="Check the path.") from None


def _are_events(lines: Sequence[LessonLine]) -> bool:
    """Tell events from proposals: an event has a type and belongs to a run, a proposal has neither."""
    return any("type" in record and ("run_id" in record or "data" in record) for record in records(lines))


def _configured(folder: ArcheflowFolder, name: str) -> str | None:
    try:
        found = _DOMAIN.search(folder.read(STATE / name).decode("utf-8", "replace"))
    except (OSError, TenureError):
        return None
    return found[1] if found else None


def _counted(memory: Memory, run: str) -> dict[str, list[str]]:
    if not run:
        return {}
    return {name: [run] for name in ("runs", "evidence") if run not in getattr(memory, name)}


def _said(run: str, fixed: str, line: str) -> str:
    was, now = one_line(fixed, 120), one_line(line, 120)
    return f'Regression: "{was}" was fixed before {run or "this run"} and is back as "{now}".'
