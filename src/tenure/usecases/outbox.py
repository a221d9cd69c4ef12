"""Commands for a team's database while it is away: tried on the copy, kept durably, sent when it is back.

The command itself is sent, so the rule runs on what the database holds then. A key makes each count once, however
often the connection breaks. A command that is refused then, such as an edit that lost its race, stays in the outbox
and in the person's review queue until they send it again or drop it.
"""

from __future__ import annotations

import contextlib
import importlib
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, cast

import msgspec

from tenure.files.locate import Place
from tenure.model import clock
from tenure.model.errors import BadRequest, Conflict, Forgotten, StoreBusy, StoreUnreachable, StoreUnusable, TenureError
from tenure.model.memory import Memory
from tenure.spool.outbox import Command, Outbox, new_key
from tenure.store.waiting import WORDS
from tenure.systems.api import System, opened
from tenure.text.redact import redact_value
from tenure.usecases import team_database_copy
from tenure.usecases.answers import Written, written
from tenure.usecases.answers.looked import Waiting
from tenure.usecases.answers.shared import SentCommands, WaitingCommand
from tenure.usecases.project import Project

if TYPE_CHECKING:
    from tenure.store.api import TeamStore

UseCase = Callable[..., Written]
# What can be kept for later: everything a person or an agent does to one memory. Each changes the store once.
COMMANDS = (
    "add.add",
    "edit.edit",
    "review.review",
    "review.log",
    "review.supersede",
    "retire.retire",
    "retire.archive",
    "retire.restore",
)
# Arguments that name a memory.
_IDS = ("id", "old", "new")
_KEPT = "The database cannot be reached. The command is kept in the outbox and sent when the database is back."


def give(project: Project, system: System, command: UseCase, arguments: Mapping[str, Any]) -> Written:
    """Carry out a command, or keep it while the database is away; what was kept before goes first."""
    key, lost = new_key(), False
    if project.offline is None:
        send(project.place)
        if not Outbox(project.place.path).unsent():
            store = shared(project)
            store.command = key
            try:
                done = command(project, system, **arguments)
                _follow(project)
                return done
            except StoreUnreachable as error:
                if not project.go_offline(error):
                    raise
                lost = True
            finally:
                store.command = ""
        elif not project.go_offline(StoreUnreachable("Earlier commands are still waiting to be sent.")):
            raise StoreUnreachable("Earlier commands are still waiting to be sent.", hint="tenure team outbox")
    return _keep(project, system, command, dict(arguments), key, lost=lost)


def _follow(project: Project) -> None:
    """Let the copy know what was just done, so that a command given offline next is not taken for a race with it."""
    if project.place.path.exists():
        with contextlib.suppress(StoreUnusable):
            team_database_copy.pull(project)


def _keep(
    project: Project, system: System, command: UseCase, arguments: dict[str, Any], key: str, *, lost: bool
) -> Written:
    assert project.offline is not None
    name = f"{command.__module__.rpartition('.')[2]}.{command.__name__}"
    assert name in COMMANDS, name
    made: Written | None = None
    seen: dict[str, Any] = {}
    try:
        with project.offline.keeping():
            arguments |= {n: project.resolve(arguments[n]) for n in _IDS if name != "add.add" and arguments.get(n)}
            seen = _seen(project, name, arguments)
            made = command(project, system, **arguments)
    except TenureError:
        # A command whose connection broke may have arrived, so that it must be asked about, whatever the copy says.
        if not lost:
            raise
    kept = Command(
        key=key,
        name=name,
        arguments=cast(dict[str, Any], redact_value(msgspec.to_builtins(arguments))),
        at=clock.stamp(project.now()),
        actor=project.actor,
        agent=project.agent,
        surface=project.surface,
        memory=made.id if made else str(arguments.get("id", "")),
        seen=seen,
    )
    Outbox(project.place.path).put(kept)
    if made is None:
        raise StoreUnreachable(_KEPT, hint="tenure team outbox")
    return written(made, [*made.notes, _KEPT], made.nearest)


def send(place: Place) -> SentCommands:
    """Send what was kept, oldest first, until the database does not answer; say what became of it."""
    box = Outbox(place.path)
    sent, refused = 0, []
    if box.unsent():
        with contextlib.suppress(StoreBusy), box.sending():
            for command in box.unsent():
                done = _send(place, box, command)
                if done is None:
                    break
                sent += done == ""
                refused += [done] if done else []
    return SentCommands(sent=sent, refused=tuple(refused), left=len(box.unsent()))


def _send(place: Place, box: Outbox, command: Command) -> str | None:
    """Send one command; return why it was refused, empty when it was done, None when the database does not answer."""
    try:
        project, system = opened(place, agent=command.agent, surface=command.surface, actor=command.actor)
    except (StoreUnreachable, StoreBusy):
        return None
    with contextlib.closing(project):
        if project.offline is not None:
            return None
        try:
            store = shared(project)
            why = _carry_out(project, system, command)
            if why and store.done(command.key):
                why = ""
        except (StoreUnreachable, StoreBusy):
            return None
    if why:
        box.refuse(command, why)
    else:
        box.remove(command.key)
    return why


def _carry_out(project: Project, system: System, command: Command) -> str:
    """Do what a command says, once; return why it was not done."""
    project.sending, project.promised_id = True, command.memory

    def do() -> Written:
        _check_seen(project, command)
        return _function(command.name)(project, system, **command.arguments)

    try:
        shared(project).once(command.key, do)
    except (StoreUnreachable, StoreBusy):
        raise
    except Forgotten as error:
        # Its words must not stay in a file of ours.
        Outbox(project.place.path).change(msgspec.structs.replace(command, arguments={}, seen={}))
        return error.message
    except TenureError as error:
        return error.message
    except Exception as error:  # of another version, perhaps: it is shown, not lost
        return f"{type(error).__name__}: {error}"
    return ""


def _function(name: str) -> UseCase:
    if name not in COMMANDS:
        raise BadRequest(f"{name!r} is not a command that can be sent.")
    module, _, function = name.partition(".")
    found: UseCase = getattr(importlib.import_module(f"tenure.usecases.{module}"), function)
    return found


def _seen(project: Project, name: str, arguments: Mapping[str, Any]) -> dict[str, Any]:
    """Return what of a memory a command depends on: an edit on what it replaces, a verdict on the words."""
    row = project.store.get(str(arguments.get("id", "")))
    if row is None or name not in ("edit.edit", "review.review"):
        return {}
    names = [n for n in arguments["fields"] if n in Memory.__struct_fields__] if name == "edit.edit" else WORDS
    return {name: msgspec.to_builtins(getattr(row.memory, name)) for name in names}


def _check_seen(project: Project, command: Command) -> None:
    row = project.store.get(command.memory) if command.seen else None
    if row is not None and any(
        msgspec.to_builtins(getattr(row.memory, name)) != value for name, value in command.seen.items()
    ):
        raise Conflict(f"{command.memory} was changed by somebody else meanwhile")


# What waits


def commands(place: Place) -> list[WaitingCommand]:
    """Return what is in the outbox, oldest first."""
    return [_waiting(command) for command in Outbox(place.path).all()]


def drop(place: Place, key: str) -> WaitingCommand:
    """Take a command out of the outbox without sending it."""
    command = _named(place, key)
    Outbox(place.path).remove(command.key)
    return _waiting(command)


def again(place: Place, key: str) -> SentCommands:
    """Send a command that was refused once more, whatever the memory says by now."""
    command = _named(place, key)
    if not command.arguments:
        raise BadRequest(
            "Its text was forgotten on request, so it cannot be sent.", hint=f"tenure team outbox --drop {key}"
        )
    Outbox(place.path).change(msgspec.structs.replace(command, refused="", seen={}))
    return send(place)


def for_review(project: Project) -> list[Waiting]:
    """Return the commands of this machine that the database did not take, for the review queue."""
    found = []
    for command in Outbox(project.place.path).refused():
        row = project.store.get(command.memory)
        told = _waiting(command)
        found.append(
            Waiting(
                id=command.memory,
                title=row.memory.title if row else "",
                state=row.memory.state if row else "",
                needs=f"tenure team outbox --again {told.key}, or --drop {told.key}",
                reviewer=command.actor.user,
                why=told.text,
                text=str(command.arguments.get("text") or (command.arguments.get("fields") or {}).get("text") or ""),
            )
        )
    return found


def _named(place: Place, key: str) -> Command:
    found = [command for command in Outbox(place.path).all() if command.key.startswith(key)] if key else []
    if len(found) != 1:
        raise BadRequest(f"No command in the outbox, or more than one, starts with {key!r}.", hint="tenure team outbox")
    return found[0]


def _waiting(command: Command) -> WaitingCommand:
    verb = command.name.rpartition(".")[2]
    about = f" of {command.memory}" if command.memory else ""
    return WaitingCommand(
        key=command.key[:8],
        command=verb,
        memory=command.memory,
        at=command.at,
        refused=command.refused,
        text=f"your {verb}{about} is waiting: {command.refused or 'the database has not been reached yet'}",
    )


def shared(project: Project) -> TeamStore:
    """Return the store as what a team's database can do besides."""
    return cast("TeamStore", project.store)
