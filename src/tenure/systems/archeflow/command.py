"""`tenure archeflow …`: the drop-in for `lib/archeflow-memory.sh`, run in the project's folder.

Same arguments, output, exit status and files. Where ArcheFlow's documents and its script disagree the
documents are followed; docs/archeflow.md lists each place.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import TextIO

from tenure.files import durable
from tenure.model import clock
from tenure.model.errors import Refused, StoreBusy, TenureError
from tenure.spool import dropin
from tenure.spool.dropin import Done
from tenure.systems import drop_in_trust
from tenure.systems.archeflow import audit, rules
from tenure.systems.archeflow import events as run_events
from tenure.systems.archeflow.companion import Companion
from tenure.systems.archeflow.decay import Fate, decay
from tenure.systems.archeflow.extract import ExtractResult, LessonDecision, added, extract
from tenure.systems.archeflow.folder import ARCHIVE, AUDIT, EVENTS, INDEX, LESSONS, LOCK, STATE, ArcheflowFolder
from tenure.systems.archeflow.ids import fresh_ids
from tenure.systems.archeflow.inject import select
from tenure.systems.archeflow.lessons import Lesson, LessonLine, changed, compact, decode, description, records, text
from tenure.systems.archeflow.lessons import problems as unreadable
from tenure.systems.archeflow.regression import regressions
from tenure.systems.archeflow.render import block, one_line, table, visible
from tenure.systems.take_in_notes import take_in_notes

PROGRAM = "tenure archeflow"

# Command -> its arguments and what it does, as the usage shows them.
COMMANDS = {
    "extract": ("<events.jsonl>", "Extract lessons from a completed run"),
    "inject": ("<domain> <archetype> [--audit <run_id>]", "Output relevant lessons for injection"),
    "add": ("<type> <description>", "Manually add a lesson"),
    "list": ("", "List all active lessons"),
    "decay": ("", "Apply decay to all lessons"),
    "forget": ("<id>", "Archive a lesson by ID"),
    "audit-check": ("<run_id>", "Check lesson effectiveness for a run"),
    "regression-check": ("<events.jsonl>", "Detect regressions from previously fixed findings"),
}
TYPES = "pattern, preference, archetype_hint, anti_pattern"
USAGE_WIDTH = 28


def main(argv: list[str]) -> int:
    """Run one command and return its exit status, 0 or 1 as the script's."""
    if not argv:
        _error(f"Usage: {PROGRAM} <command> [args...]\n\nCommands:\n{_commands()}")
        return 1
    if argv[0] in ("-h", "--help"):
        _print(
            sys.stdout,
            f"Cross-run memory for ArcheFlow, in {LESSONS}\n\nUsage:\n{_commands(f'{PROGRAM} ')}\n",
        )
        return 0
    try:
        folder = ArcheflowFolder(Path())
    except Refused as error:
        _error(f"ERROR: {error.message}")
        return 1
    except OSError as error:
        _error(f"ERROR: the working folder cannot be used: {error.strerror}")
        return 1
    try:
        status = _run(folder, argv[0], argv[1:])
        take_in_notes("archeflow", folder.path(STATE))
        return status
    except StoreBusy:
        _error(f"Error: could not lock {LESSONS}")
    except TenureError as error:
        _error(f"Error: {error.message}")
        if isinstance(error, Refused) and str(LOCK) in error.message:
            _error(f"Error: could not lock {LESSONS}")
    except OSError as error:
        _error(f"Error: {error.strerror}: {error.filename}" if error.filename else f"Error: {error}")
    return 1


def _run(folder: ArcheflowFolder, command: str, arguments: list[str]) -> int:
    known: dict[str, tuple[int, Callable[[ArcheflowFolder, list[str]], int]]] = {
        "extract": (1, _extract),
        "inject": (0, _inject),
        "add": (2, _add),
        "list": (0, _list),
        "decay": (0, _decay),
        "forget": (1, _forget),
        "audit-check": (1, _audit_check),
        "regression-check": (1, _regression_check),
    }
    if command not in known:
        _error(f"Unknown command: {one_line(command)}")
        return 1
    needed, run = known[command]
    if len(arguments) < needed:
        _error(f"Usage: {PROGRAM} {command} {COMMANDS[command][0]}")
        return 1
    return run(folder, arguments)


def _extract(folder: ArcheflowFolder, arguments: list[str]) -> int:
    events = _events(Path(arguments[0]))
    if events is None:
        return 1
    run, found = run_events.run_of(events), run_events.findings(events)
    policy = rules.in_force(folder.path(STATE))
    with folder.locked():
        companion = Companion(folder.project)
        counted: Iterable[str] = companion.counted(run)
        if found:
            lines = _lessons(folder)
            ids = fresh_ids(lines, lambda: [folder.read(ARCHIVE), folder.read(AUDIT), companion.mentioned()])
            outcome = extract(found, records(lines), run, policy, _now(), ids.__next__, companion.counted(run))
            _put(folder, lines, outcome.lessons)
            _note(folder, _extracted(outcome, run))
            counted = outcome.counted
        _remember(companion, "" if run == run_events.NO_RUN else run, counted, policy)
    if not found:
        _say(f"No findings to extract from {arguments[0]}")
        return 0
    for decision in outcome.decisions:
        _say_decision(decision)
    actions = [decision.action for decision in outcome.decisions]
    _say(f"Extract complete: {actions.count('update')} updated, {actions.count('create')} new candidates")
    return 0


def _inject(folder: ArcheflowFolder, arguments: list[str]) -> int:
    domain, archetype, *rest = [*map(_typed, arguments), "", ""][: max(2, len(arguments))]
    run = ""
    while rest:
        if rest.pop(0) == "--audit":
            if not rest:
                _say("--audit needs a run id; nothing was logged.")
                break
            run = rest.pop(0)
    if not folder.has(LESSONS):
        return 0
    allowed = drop_in_trust.shown("archeflow", folder.path(STATE))
    lessons = [
        lesson for lesson in records(_lessons(folder)) if allowed.says(text(lesson.get("id")), description(lesson))
    ]
    chosen = select(lessons, domain, archetype, rules.in_force(folder.path(STATE)))
    _print(sys.stdout, block(chosen))
    if run and chosen:
        with folder.locked():
            folder.append(AUDIT, [audit.injection(chosen, run, domain, archetype, _now())])
    return 0


def _add(folder: ArcheflowFolder, arguments: list[str]) -> int:
    kind, words = _typed(arguments[0]) or "preference", _typed(arguments[1])
    if not words:
        _error(f"Usage: {PROGRAM} add <type> <description>\nTypes: {TYPES}")
        return 1
    with folder.locked():
        lines = _lessons(folder)
        erased = Companion(folder.project).mentioned()
        identity = next(fresh_ids(lines, lambda: [folder.read(ARCHIVE), folder.read(AUDIT), erased]))
        lesson = added(kind, words, identity, rules.in_force(folder.path(STATE)), _now())
        _put(folder, lines, [*records(lines), lesson])
        _note(folder, [Done("Created", identity, lesson)])
    _say(f"Added lesson {identity} ({kind}): {words}")
    return 0


def _list(folder: ArcheflowFolder, arguments: list[str]) -> int:
    if not folder.has(LESSONS):
        _error("No lessons stored yet.")
        return 0
    _print(sys.stdout, table(records(_lessons(folder))))
    return 0


def _decay(folder: ArcheflowFolder, arguments: list[str]) -> int:
    if not folder.has(LESSONS):
        return 0
    with folder.locked():
        folder.refuse_link(ARCHIVE)
        lines = _lessons(folder)
        run = Companion(folder.project).last_run
        policy = rules.in_force(folder.path(STATE))
        fates = iter(decay(records(lines), policy, _now(), run))
        after = [(line, next(fates) if line.record is not None else None) for line in lines]
        gone = [(line, fate.lesson) for line, fate in after if fate and fate.change == "archived"]
        kept = [
            changed(line, fate.lesson) if fate else line
            for line, fate in after
            if fate is None or fate.change != "archived"
        ]
        if gone:
            folder.move(lines, kept, [line for line, _ in gone], [compact(lesson) for _, lesson in gone])
        else:
            folder.rewrite(lines, kept)
        _note(folder, _decayed([fate for _, fate in after if fate], policy))
    for _, lesson in gone:
        _say(f"Archived lesson {text(lesson.get('id'))} (frequency reached 0)")
    decayed = sum(1 for _, fate in after if fate and fate.change in ("decayed", "archived"))
    _say(f"Decay complete: {decayed} decayed, {len(gone)} archived")
    return 0


def _forget(folder: ArcheflowFolder, arguments: list[str]) -> int:
    wanted = arguments[0]
    if not folder.has(LESSONS):
        _error("No lessons file found.")
        return 1
    with folder.locked():
        lines = _lessons(folder)
        gone = [line for line in lines if line.record is not None and line.record.get("id") == wanted]
        if not gone:
            _error(f"Error: lesson {one_line(wanted)} not found.")
            return 1
        folder.refuse_link(ARCHIVE)
        numbers = {line.number for line in gone}
        kept = [line for line in lines if line.number not in numbers]
        folder.move(lines, kept, gone, [line.raw for line in gone])
        _note(folder, [Done("Retired", wanted, gone[0].record, reason="forgotten by its id", aside=True)])
    _say(f"Forgot lesson {wanted} (moved to archive)")
    return 0


def _audit_check(folder: ArcheflowFolder, arguments: list[str]) -> int:
    run = arguments[0]
    if not run:
        _error(f"Usage: {PROGRAM} audit-check <run_id>")
        return 1
    if not run_events.is_run_id(run):
        _error(f"Error: invalid run_id '{one_line(run)}' (allowed: letters, digits, '.', '_', '-')")
        return 1
    if not folder.has(AUDIT):
        _error("No audit records found.")
        return 0
    if not folder.has(EVENTS / f"{run}.jsonl"):
        _error(f"No events file found for run {run}.")
        return 0
    said = run_events.descriptions(_events(folder.path(EVENTS / f"{run}.jsonl")) or [])
    with folder.locked():
        logged = audit.of_run(records(_readable(folder, AUDIT)), run)
        if not logged:
            _error(f"No audit records for run {run}.")
            return 0
        lessons = records(_lessons(folder))
        found = audit.checks(audit.injected(logged), lessons, said, rules.in_force(folder.path(STATE)))
        new = audit.unrecorded(found, logged)
        if new:
            folder.append(AUDIT, [audit.record(check, run, _now()) for check in new])
    for check in found:
        _say(f"Lesson {check.lesson_id} ({check.effectiveness}): {check.lesson_desc}")
    return 0


def _regression_check(folder: ArcheflowFolder, arguments: list[str]) -> int:
    events = _events(Path(arguments[0]))
    if events is None:
        return 1
    if not folder.has(INDEX):
        _say("No index.jsonl found — skipping regression check.")
        return 0
    previous = run_events.previous_run(records(_readable(folder, INDEX)), run_events.run_of(events))
    if not previous:
        _say("No previous run found — skipping regression check.")
        return 0
    if not run_events.is_run_id(previous):
        _say(f"Ignoring invalid run_id in index.jsonl: '{one_line(previous)}'")
        return 0
    earlier = EVENTS / f"{previous}.jsonl"
    if not folder.has(earlier):
        _say(f"Previous run events not found: {earlier}")
        return 0
    fixed = [one for one in run_events.fixes(_events(folder.path(earlier)) or []) if one]
    if not fixed:
        _say("No resolved findings in previous run — nothing to regress.")
        return 0
    current = [one for one in run_events.descriptions(events) if one]
    if not current:
        _say("No findings in current run — no regressions.")
        return 0
    found = regressions(fixed, current, rules.in_force(folder.path(STATE)))
    for one in found:
        fixed_text, current_text = one_line(one.fixed), one_line(one.current)
        _print(
            sys.stdout,
            f'REGRESSION: "{fixed_text}" (fixed in {previous}) reappeared as "{current_text}"\n',
        )
    _say(f"{len(found)} regression(s) detected from run {previous}." if found else "No regressions detected.")
    return 1 if found else 0


def _put(folder: ArcheflowFolder, lines: list[LessonLine], lessons: list[Lesson]) -> None:
    """Write the lessons over the lines they came from, new ones behind; no change, no write."""
    waiting = iter(lessons)
    after = [changed(line, next(waiting)) if line.record is not None else line for line in lines]
    after += [LessonLine(0, compact(lesson), lesson) for lesson in waiting]
    if after != lines:
        folder.rewrite(lines, after)


def _extracted(outcome: ExtractResult, run: str) -> list[Done]:
    """Return what a run's findings changed, each lesson as it stands after all of them."""
    events = {"create": "Created", "update": "Evidenced"}
    last = {text(lesson.get("id")): lesson for lesson in reversed(outcome.lessons)}
    found = {
        text(one.lesson.get("id")): events[one.action]
        for one in reversed(outcome.decisions)
        if one.lesson and one.action in events
    }
    named = "" if run == run_events.NO_RUN else run
    reason = f"a finding of {named or 'a run'}"
    return [Done(event, id, last[id], reason=reason, run=named) for id, event in reversed(found.items())]


def _decayed(fates: Sequence[Fate], policy: rules.Rules) -> list[Done]:
    """Return what the end of a run did to lessons; those it only counts for are noted without their record."""
    unseen = [text(fate.lesson.get("id")) for fate in fates if fate.change == "counted"]
    done = [Done("Unseen", record={"ids": unseen})] if unseen else []
    reason = f"unseen for {policy.unseen_runs} runs"
    for change, lesson in fates:
        if change in ("decayed", "archived"):
            gone = change == "archived"
            event = "Decayed" if gone else "Faded"
            done.append(Done(event, text(lesson.get("id")), lesson, reason=reason, aside=gone))
    return done


def _note(folder: ArcheflowFolder, done: Iterable[Done]) -> None:
    dropin.note(folder.path(STATE), _now(), done)


def _remember(companion: Companion, run: str, counted: Iterable[str], policy: rules.Rules) -> None:
    try:
        companion.remember(run, counted, policy.remembered_runs)
    except (OSError, TenureError) as error:
        # The lessons are written; only decay will not know which run was the last.
        _say(f"Run {run} is not remembered for decay: {error}")


def _events(path: Path) -> list[Lesson] | None:
    if not path.is_file():
        _error(f"Error: events file not found: {path}")
        return None
    if path.is_symlink():
        raise Refused(f"refusing to read through symlink: {path}")
    lines = decode(durable.read_bytes(path))
    _report(path, lines)
    return records(lines)


def _lessons(folder: ArcheflowFolder) -> list[LessonLine]:
    return _readable(folder, LESSONS)


def _readable(folder: ArcheflowFolder, name: Path) -> list[LessonLine]:
    lines = folder.lines(name)
    _report(name, lines)
    return lines


def _report(path: Path, lines: list[LessonLine]) -> None:
    for line in unreadable(lines):
        _say(f"{path} line {line.number} cannot be read and is left as it is: {line.problem}")


def _say_decision(decision: LessonDecision) -> None:
    lesson = decision.lesson
    if lesson is None:
        return
    identity, words = text(lesson.get("id")), text(description(lesson))
    if decision.action == "update":
        _say(f"Updated lesson {identity} (freq +1): {words}")
    elif decision.action == "create":
        _say(f"Added candidate lesson {identity}: {words}")
    else:
        _say(f"Lesson {identity} is already counted for this run: {words}")


def _commands(program: str = "") -> str:
    calls = ((f"{program}{name} {shape}".rstrip(), does) for name, (shape, does) in COMMANDS.items())
    width = USAGE_WIDTH + len(program)
    return "\n".join(f"  {call:<{width}} {does}" if len(call) < width else f"  {call}  {does}" for call, does in calls)


def _typed(argument: str) -> str:
    """Return the argument as the UTF-8 it was typed in, whatever the locale; stray bytes become U+FFFD."""
    return os.fsencode(argument).decode("utf-8", "replace")


def _now() -> str:
    return clock.stamp(clock.now())


def _say(message: str) -> None:
    _error(f"[archeflow-memory] {message}")


def _error(message: str) -> None:
    _print(sys.stderr, visible(message) + "\n")


def _print(stream: TextIO, words: str) -> None:
    try:
        stream.write(words)
    except UnicodeEncodeError:
        encoding = stream.encoding
        stream.write(words.encode(encoding, "backslashreplace").decode(encoding))
    stream.flush()
