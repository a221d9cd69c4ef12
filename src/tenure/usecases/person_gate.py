"""Presence: proof that a person is at the keyboard, required for everything that only a person may decide.

Next to a coding agent nobody is asked, because the agent could answer: the person is sent to another terminal. On
their own terminal they type back a word that is shown there, once per shell every quarter of an hour. The program
that holds that terminal is recorded with the decision, because a process that left its agent can open one too. The
one rule: doubt means no. docs/guarantees.md says what this cannot detect.
"""

from __future__ import annotations

import contextlib
import getpass
import os
import secrets
import sys

import msgspec

from tenure.files import durable, homes, locate
from tenure.hosts import agent_detection, processes
from tenure.model import clock
from tenure.model.actor import Actor, Kind, Presence
from tenure.model.decoding import decode
from tenure.model.errors import NeedsPerson

FILE = "presence.json"
LASTS_SECONDS = 15 * 60
TRIES = 3
# Programs that start a command and stay above it; whoever typed the line is above them.
RUNNERS = ("uv", "uvx")
# Short words that nobody mistypes.
WORDS = (
    "amber", "birch", "cedar", "delta", "ember", "flint", "grove", "heron", "ivory", "jetty", "koala", "lemon",
    "maple", "north", "olive", "pearl", "quill", "river", "stone", "tulip", "umbra", "violet", "wheat", "yacht",
)  # fmt: skip

# How a script's decisions come to count, for messages.
FOR_SCRIPTS = (
    "For a script or CI job: `tenure trust --home FOLDER`, once at a terminal, then run it with"
    " TENURE_HOME=FOLDER TENURE_UNATTENDED=1."
)

# Whoever calls the API can make an actor that claims anything; only those from here are believed.
_handed: set[Actor] = set()


def acting(surface: str, agent: str = "") -> Actor:
    """Return who acts through a surface; `agent` names the surface an agent came through, if one did."""
    home = homes.current() if os.environ.get(homes.VARIABLE) else homes.known()
    who = Actor(user=_user(), surface=agent or surface, home=home.id)
    if agent:
        return msgspec.structs.replace(who, kind=Kind.AGENT)
    if home.unattended:
        return msgspec.structs.replace(who, presence=Presence.UNATTENDED)
    if (mark := agent_detection.mark()) is not None:
        return msgspec.structs.replace(who, kind=Kind.AGENT, host=mark.host)
    if _is_detached():
        return msgspec.structs.replace(who, detached=True)
    from tenure.hosts.terminal_root import terminal_root  # start-up: a script has no terminal

    root = terminal_root()
    if root is None:
        return who
    if root.mark is not None:
        return msgspec.structs.replace(who, kind=Kind.AGENT, host=root.mark.host, terminal=root.program)
    unwatched = not root.watched
    return msgspec.structs.replace(
        who, terminal=root.program, unwatched=unwatched, set_clock=unwatched and clock.is_set()
    )


def proved(actor: Actor, act: str) -> Actor:
    """Return the actor with proof of presence for an act; raise `NeedsPerson` when there is none."""
    if actor.presence in (Presence.UNATTENDED, Presence.TICKET):
        return actor
    if actor.kind is not Kind.PERSON:
        by = actor.host or actor.surface
        raise NeedsPerson(
            f"`{act}` needs a person, and this runs beside a coding agent ({by}).",
            hint="Run it in a terminal of your own, outside the agent.",
        )
    terminal = _terminal()
    if terminal is None:
        raise NeedsPerson(
            f"`{act}` needs a person at a terminal, and there is none here.",
            hint=f"Run it in a terminal. {FOR_SCRIPTS}",
        )
    with terminal:
        if not _was_here() and not terminal.asks(act):
            raise NeedsPerson(f"`{act}` was not confirmed.", hint="Run it again and type the word that is shown.")
    _remember()
    return msgspec.structs.replace(actor, presence=Presence.TERMINAL)


def handed(actor: Actor, ticket: str) -> Actor:
    """Show a ticket on the person's own terminal, and return who acts through the page that it opens.

    Beside a coding agent, and without a terminal, nothing is shown and nobody's presence is proved: that page is for
    looking. An unattended home needs no ticket to decide.
    """
    terminal = _terminal() if actor.presence is Presence.NONE and actor.kind is Kind.PERSON else None
    if terminal is not None:
        with terminal:
            os.write(terminal.handle, ticket.encode())
        actor = msgspec.structs.replace(actor, presence=Presence.TICKET)
    _handed.add(actor)
    return actor


def recognised(actor: Actor | None) -> Actor | None:
    """Return an actor that `handed` found in this process, None for one that somebody made up."""
    return actor if actor in _handed else None


def is_persons(actor: Actor) -> bool:
    """Tell, without asking, whether a person seems to act: at a terminal without an agent, or in an unattended home."""
    if actor.presence is not Presence.NONE or actor.kind is not Kind.PERSON:
        return actor.presence is not Presence.NONE
    terminal = _terminal()
    if terminal is None:
        return False
    with terminal:
        return True


class _Terminal:
    """The controlling terminal, whatever standard input and output are connected to."""

    def __init__(self, handle: int) -> None:
        self.handle = handle

    def __enter__(self) -> _Terminal:
        return self

    def __exit__(self, *_: object) -> None:
        os.close(self.handle)

    def asks(self, act: str) -> bool:
        """Show a word and tell whether it was typed back."""
        wrong = ""
        for _ in range(TRIES):
            word = secrets.choice(WORDS)
            os.write(self.handle, f"{wrong}tenure {act}: only a person may do this. Type the word {word}: ".encode())
            wrong = "That was not the word that was shown.\n"
            typed = os.read(self.handle, 256)
            if not typed:
                return False
            if typed.decode("utf-8", "replace").strip().casefold() == word:
                return True
        return False


def _is_detached() -> bool:
    """Tell whether no terminal is around, or this process was cut off from the one who began the terminal's session."""
    if sys.platform == "win32":
        return False  # consoles there are not told by a file
    try:
        os.close(os.open("/dev/tty", os.O_RDWR | os.O_NOCTTY))
    except OSError:
        return True
    return not _is_of_session()


def _is_of_session() -> bool:
    """Tell whether this process descends from the leader of its session.

    An orphan keeps the terminal of its session, and nobody can tell who started it.
    """
    leader, process = os.getsid(0), os.getpid()
    with contextlib.suppress(OSError, IndexError, ValueError, processes.Covered):
        for _ in range(agent_detection.MOST_ANCESTORS):
            if process == leader:
                return True
            process = processes.parent(process)
            if process <= 1:
                return process == leader
        return False
    return not sys.platform.startswith("linux")  # elsewhere nobody tells of ancestors


def _terminal() -> _Terminal | None:
    """Return the terminal of this session, None without one or when this process may not read from it."""
    if not _is_of_session():
        return None
    try:
        handle = os.open("/dev/tty", os.O_RDWR | os.O_NOCTTY)
    except OSError:
        return None
    try:
        in_front = os.tcgetpgrp(handle) == os.getpgrp()
    except OSError:
        in_front = False
    if not in_front:
        # A process in the background would be stopped when it reads.
        os.close(handle)
        return None
    return _Terminal(handle)


def _session() -> str:
    """Return a name for this terminal session and for the shell in it that asks, each with when it started.

    Another program in the same terminal, an agent that nobody knows among them, is asked on its own.
    """
    parent = os.getppid()
    with contextlib.suppress(OSError, IndexError, ValueError, processes.Covered):
        while os.path.basename(processes.read(parent, "cmdline").split(b"\0")[0].decode()) in RUNNERS:
            parent = processes.parent(parent)
    return f"{processes.started(os.getsid(0))}/{processes.started(parent)}"


def _was_here() -> bool:
    until = _remembered().get(_session())
    return until is not None and 0 <= until - clock.seconds() <= LASTS_SECONDS


def _remember() -> None:
    now = clock.seconds()
    kept = {name: until for name, until in _remembered().items() if now <= until <= now + LASTS_SECONDS}
    kept.setdefault(_session(), now + LASTS_SECONDS)
    with contextlib.suppress(OSError):  # then the person is asked again
        durable.replace(locate.home() / FILE, msgspec.json.encode(kept), mode=0o600)


def _remembered() -> dict[str, float]:
    with contextlib.suppress(OSError, msgspec.DecodeError):
        return decode((locate.home() / FILE).read_bytes(), dict[str, float])
    return {}


def _user() -> str:
    """Return the user of this machine by the system's account, not by a variable that anybody can set."""
    with contextlib.suppress(ImportError, KeyError, AttributeError):
        import pwd

        return pwd.getpwuid(os.getuid()).pw_name
    with contextlib.suppress(OSError, KeyError, ImportError):
        return getpass.getuser()
    return ""
