"""The outcome of a session, for measuring whether memories help: trouble or none, and what it cost.

It is read from the transcript, or from the hooks' journal where no transcript says how calls ended. The one rule:
unknown is None, never 0. Trouble carries its time, because a memory is not to blame for what came before it was
shown; a correction has the time of the answer it rejects.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from datetime import UTC, datetime
from typing import Any, NamedTuple

from tenure.capture import own_words
from tenure.capture.reproach import is_reproach
from tenure.capture.session_builder import Session
from tenure.capture.transcripts import Call
from tenure.model import clock
from tenure.model.errors import InvalidInput
from tenure.store.records import SessionOutcome
from tenure.text.command_line import kept_words, proves

MOST_ERRORS = 50
_SHELLS = frozenset("bash shell run_shell_command local_shell exec_command run_terminal_cmd execute".split())
_PATHS = ("file_path", "path", "filePath", "absolute_path")
_OLD, _NEW = ("old_string", "old_str", "oldString"), ("new_string", "new_str", "newString")
_TAKING_BACK = ("git checkout -- ", "git checkout .", "git restore ", "git reset --hard")


class Step(NamedTuple):
    """A command or an edit of a session; `undoes` when it takes back an earlier edit of the same session."""

    at: str
    what: str = ""
    ok: bool | None = None
    error: int = 0
    file: str = ""
    old: str = ""
    new: str = ""
    undoes: bool = False


class Read(NamedTuple):
    """An outcome, and when each error came: a memory that was learned from one owns it."""

    outcome: SessionOutcome
    errors: tuple[tuple[int, str], ...]


def outcome(
    session: Session,
    journal: Sequence[Mapping[str, Any]],
    now: datetime,
    *,
    earlier_errors: Collection[int] = (),
    violations: Sequence[str] | None = None,
) -> Read:
    """Return what came of a session; `earlier_errors` are those of other sessions, `violations` times of broken rules.

    None for `violations` says that nobody counts them.
    """
    steps = list(_calls(session)) or list(_journalled(journal))
    commands = [step for step in steps if step.ok is not None]
    troubles: list[str] = list(violations or ())
    corrections = None
    if session.turns and not session.headless:
        rejected = list(_corrected(session))
        corrections = len(rejected)
        troubles += rejected
    errors = [(step.error, step.at) for step in commands if not step.ok and step.error and proves(step.what)]
    again = [at for place, (error, at) in enumerate(errors) if _known(error, errors[:place], earlier_errors)]
    undone = [step.at for step in steps if step.undoes]
    proofs = [step for step in commands if proves(step.what)]
    red = [proofs[-1].at] if proofs and not proofs[-1].ok else []
    troubles += [*again, *undone, *red]
    times = [moment for turn in session.turns if (moment := _moment(turn.at))]
    found = SessionOutcome(
        session=session.id,
        at=clock.stamp(now),
        host=session.host,
        model=session.model or None,
        corrections=corrections,
        interruptions=session.interruptions if session.turns else None,
        failed_commands=sum(not step.ok for step in commands) if commands else None,
        same_errors=len(again) if commands else None,
        edits_taken_back=len(undone) if steps else None,
        ended_red=bool(red) if proofs else None,
        violations=None if violations is None else len(violations),
        turns=sum(turn.role == "user" for turn in session.turns) if session.turns else None,
        tokens=session.tokens or None,
        cached_tokens=session.cached_tokens or None,
        seconds=int((max(times) - min(times)).total_seconds()) if times else None,
        trouble_at=_last(troubles),
        errors=tuple(dict.fromkeys(error for error, _ in errors))[-MOST_ERRORS:],
    )
    return Read(found, tuple((error, stamped(at)) for error, at in errors))


def after(trouble_at: str | None, exposed_at: str) -> bool:
    """Tell whether the last trouble of a session came after a memory's exposure; of one without a time, yes."""
    return trouble_at is not None and (not trouble_at or trouble_at >= exposed_at)


def stamped(at: str) -> str:
    """Return a time of a transcript as the store writes it, empty when it is none."""
    moment = _moment(at)
    return clock.stamp(moment) if moment else ""


def _last(times: Sequence[str]) -> str | None:
    if not times:
        return None
    known = [stamped(at) for at in times]
    return "" if "" in known else max(known)


def _moment(at: str) -> datetime | None:
    if at.isdigit():
        # OpenCode counts milliseconds.
        return datetime.fromtimestamp(int(at) / 1000, UTC).replace(microsecond=0) if len(at) <= 14 else None
    try:
        return clock.parse(at) if at else None
    except InvalidInput:
        return None


def _known(error: int, earlier: Iterable[tuple[int, str]], before: Collection[int]) -> bool:
    return error in before or any(error == other for other, _ in earlier)


def _corrected(session: Session) -> Iterator[str]:
    """Yield when each answer was given that the person rejected."""
    own = {id(turn) for turn in own_words.own_turns(session.turns)}
    answered = ""
    for turn in session.turns:
        if turn.role != "user":
            answered = turn.at or answered or " "
        elif id(turn) in own:
            if answered and is_reproach(turn.text):
                yield answered.strip()
            answered = ""


def _calls(session: Session) -> Iterator[Step]:
    """Yield the steps a transcript tells; nothing when it does not say how any call ended."""
    calls = [call for turn in session.turns for call in turn.calls]
    if all(call.ok is None for call in calls):
        return
    made: list[Step] = []
    for call in calls:
        for step in _steps(call):
            yield step._replace(undoes=_undoes(step, made))
            made.append(step)


def _steps(call: Call) -> Iterator[Step]:
    command = call.input.get("command") or call.input.get("cmd")
    if isinstance(command, list):
        command = " ".join(word for word in command if isinstance(word, str))
    if call.tool.lower() in _SHELLS and isinstance(command, str):
        taken = "*" if call.ok and any(words in command for words in _TAKING_BACK) else ""
        # One that the person stopped says nothing about the work.
        ok = None if call.interrupted else call.ok
        yield Step(call.at, kept_words(command), ok, call.error, file=taken)
        return
    path = _text(call.input, _PATHS)
    edits = call.input.get("edits")
    for one in edits if isinstance(edits, list) else [call.input]:
        if isinstance(one, dict) and path and any(key in one for key in _OLD) and call.ok:
            yield Step(call.at, file=path, old=_text(one, _OLD).strip(), new=_text(one, _NEW).strip())


def _undoes(step: Step, made: Sequence[Step]) -> bool:
    if step.file == "*":
        return any(other.file not in ("", "*") for other in made)
    edits = [other for other in made if other.file and other.file == step.file]
    return step.old != step.new and any((other.old, other.new) == (step.new, step.old) for other in edits)


def _journalled(journal: Sequence[Mapping[str, Any]]) -> Iterator[Step]:
    """Yield the steps that hooks wrote down."""
    made: list[Step] = []
    seen: set[Any] = set()
    for line in journal:
        event, call, at = line.get("event"), line.get("call"), str(line.get("at") or "")
        if call is not None and call in seen:
            continue
        seen.add(call)
        if event == "command":
            step = Step(at, str(line.get("what") or ""), bool(line.get("ok")), int(line.get("error") or 0))
        elif event == "edit":
            step = Step(at, file=str(line.get("file")), old=str(line.get("old")), new=str(line.get("new")))
        elif event == "taken-back":
            file = line.get("file")
            named = any(other.file and (file is None or other.file == str(file)) for other in made)
            step = Step(at, undoes=named)
        else:
            continue
        yield step if step.undoes else step._replace(undoes=bool(step.file) and _undoes(step, made))
        made.append(step)


def _text(given: Mapping[str, Any], keys: Sequence[str]) -> str:
    return next((found for key in keys if isinstance(found := given.get(key), str)), "")
