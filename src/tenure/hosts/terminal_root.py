"""Who is looking at this process's terminal: its other side is followed from program to program to the end.

A process that left its agent can open a pseudo-terminal of its own, then read the question and type the answer. Linux
says who holds the other side (/proc/PID/fd and fdinfo), so each holder is judged: a login or a window has a person in
front of it, `script` shows it on a terminal of its own, `tmux` on those of its clients. The one rule: what carries an
agent's mark is an agent, and any other doubt is only reported, because people use terminals that no table lists.
"""

from __future__ import annotations

import contextlib
import os
import sys
from collections.abc import Iterator
from typing import NamedTuple

from tenure.hosts import agent_detection, processes, terminals
from tenure.hosts.agent_detection import Mark

# The kernel's numbers for pseudo-terminals, 256 in each.
_FIRST_MAJOR, _LAST_MAJOR, _PER_MAJOR = 136, 143, 256
CONSOLE, OUTSIDE, NOBODY = "the console", "a program outside this container", "no program that can be seen"
# A terminal in a terminal in a terminal: nobody goes further.
MOST_STEPS = 8
MOST_CHARACTERS = 120


class Root(NamedTuple):
    """Where a terminal ends: the programs that hold it, whether a person may look there, and an agent's mark."""

    program: str
    watched: bool
    mark: Mark | None = None


def terminal_root() -> Root | None:
    """Return where the terminal of this process ends; None without a terminal, and where nobody tells (no /proc)."""
    if not sys.platform.startswith("linux"):
        return None
    try:
        found = _followed(_terminal_of(os.getpid()), os.getsid(0), MOST_STEPS)
    except processes.Covered as covered:
        return Root(NOBODY, False, Mark(agent_detection.UNKNOWN, f"something mounted over {covered}"))
    return found._replace(program=_printable(found.program)) if found else None


def _followed(terminal: int, leader: int, steps: int) -> Root | None:
    """Return where a terminal ends; None for number 0, which is no terminal."""
    if not terminal:
        return None
    number = _pseudo_terminal(terminal)
    if number is None:
        return Root(CONSOLE, True)
    parent = _parent(leader)
    if leader and parent == 0:
        return Root(OUTSIDE, True)
    holder = _holder(number, terminal, parent)
    return _judged(holder, steps) if holder else Root(NOBODY, False)


def _holder(number: int, terminal: int, parent: int) -> int:
    """Return the process that holds the other side of a pseudo-terminal, 0 when none is seen.

    Nearly always it is the one that started the terminal's first process. One that may not be looked at (a login of
    root's, a window with a group of its own) is believed by its name.
    """
    try:
        if number in _held(parent):
            return parent
    except PermissionError:
        if _is_believed(parent):
            return parent
    except OSError:
        pass
    for process in _all():
        # What runs in the terminal may have inherited the other side without being the one who looks.
        with contextlib.suppress(OSError):
            if number in _held(process) and _terminal_of(process) != terminal:
                return process
    return 0


def _is_believed(process: int) -> bool:
    """Tell whether a process that hides its files may be what its name says."""
    known, above, own = terminals.known(_name(process)), _parent(process), os.getuid()
    if known in terminals.LOGINS and own in _ids(process, b"Uid:"):
        # The login of a session became the user, and is the child of somebody else's; orphans are the first process's.
        return above > 1 and own not in _ids(above, b"Uid:") and terminals.known(_name(above)) in terminals.LOGINS
    # A window that the kernel hides has rights of its own (xterm with the group utmp); anybody else hides itself.
    return bool(known) and (own not in _ids(process, b"Uid:") or len(_ids(process, b"Gid:")) > 1)


def _judged(process: int, steps: int) -> Root:
    """Return who looks at what a program shows."""
    name = _name(process)
    known, said = terminals.known(name), _told(process, name)
    if (mark := agent_detection.around(process)) is not None:
        return Root(said, False, mark)
    if steps == 0:
        return Root(said, False)
    if known in terminals.LOGINS:
        return Root(said, said == name)  # one from elsewhere may be anything under that name
    if known in terminals.KEEPERS or known in terminals.RELAYS:
        return _through(process, known, said, steps - 1)
    if known in terminals.WINDOWS:
        return Root(said, _has_display(process))
    if terminals.is_interpreter(name):
        script = _script(process)
        packaged = script.startswith(terminals.SYSTEM_FOLDERS) and os.path.basename(script) in terminals.SCRIPTS
        of_editor = any(folder in _path(process) for folder in terminals.EDITOR_SERVERS)
        return Root(f"{said} {os.path.basename(script)}".strip(), packaged or of_editor)
    return Root(said, _draws(process))


def _through(process: int, known: str, said: str, steps: int) -> Root:
    """Return who looks at a program that shows its terminals on others: of several, one with a person before it."""
    found = [root for root in _shown_on(process, known, steps) if root is not None]
    best = min(found, key=lambda root: (not root.watched, root.mark is None), default=None)
    if best is None:
        return Root(f"{said}, which nobody looks at", False)
    return best._replace(program=f"{said} in {best.program}")


def _shown_on(process: int, known: str, steps: int) -> Iterator[Root | None]:
    """Yield where each terminal ends on which a program shows its own."""
    own = _terminal_of(process)
    if _is_of_session(process):
        yield _followed(own, _session(process), steps)
    if known in terminals.RELAYS:
        parent = _parent(process)
        if not own and terminals.known(_name(parent)) in terminals.WINDOWS:
            yield _judged(parent, steps)  # the window of an editor that runs as its child
        elif not own and _draws(process):
            yield Root("a window", True)
        return
    try:
        held = _held(process)
        devices = _open_terminals(process)
    except OSError:
        held, devices = set(), None
    opened = devices if known in terminals.OPENS_CLIENTS else None
    for client in _all():
        if client != process and _name(client) in terminals.KEEPERS[known] and _shares_a_word(client, process, known):
            device = _terminal_of(client)
            if not device:
                if opened is None:
                    yield Root(_name(client), _draws(client))
            elif opened is not None and device not in opened:
                continue  # it looks at another server
            elif _pseudo_terminal(device) not in held and _is_of_session(client):
                yield _followed(device, _session(client), steps)


def _shares_a_word(client: int, keeper: int, known: str) -> bool:
    """Tell whether a client names the same session as its keeper, where both name one."""
    if known not in ("dtach", "abduco"):
        return True
    mine = {word for word in _words(client)[1:] if not word.startswith("-")}
    return bool(mine & {word for word in _words(keeper)[1:] if not word.startswith("-")})


# What the kernel tells of processes and terminals


def _pseudo_terminal(device: int) -> int | None:
    """Return the number of a pseudo-terminal, None for a console or a line."""
    major, minor = os.major(device), os.minor(device)
    return (major - _FIRST_MAJOR) * _PER_MAJOR + minor if _FIRST_MAJOR <= major <= _LAST_MAJOR else None


def _held(process: int) -> set[int]:
    """Return the pseudo-terminals whose other side a process holds; raise `OSError` when it may not be looked at."""
    found = set()
    for handle, path in _handles(process):
        if path.endswith("/ptmx"):
            with contextlib.suppress(OSError, ValueError):
                facts = dict(line.split(b":", 1) for line in processes.read(process, f"fdinfo/{handle}").splitlines())
                found.add(int(facts.get(b"tty-index", b"-1")))
    return found


def _open_terminals(process: int) -> set[int]:
    """Return the devices of the terminals that a process has open."""
    found = set()
    for handle, path in _handles(process):
        if path.startswith(("/dev/pts/", "/dev/tty")) and not path.endswith("/ptmx"):
            with contextlib.suppress(OSError):
                found.add(os.stat(f"{processes.PROC}/{process}/fd/{handle}").st_rdev)
    return found


def _handles(process: int) -> Iterator[tuple[str, str]]:
    folder = f"{processes.PROC}/{process}/fd"
    for handle in os.listdir(folder):
        with contextlib.suppress(OSError):
            yield handle, os.readlink(f"{folder}/{handle}")


def _all() -> list[int]:
    return sorted(int(name) for name in os.listdir(processes.PROC) if name.isdecimal())


def _stat(process: int, field: int) -> int:
    try:
        return int(processes.stat(process)[field])
    except (OSError, IndexError, ValueError):
        return 0


def _parent(process: int) -> int:
    return _stat(process, 1)


def _session(process: int) -> int:
    return _stat(process, 3)


def _is_of_session(process: int) -> bool:
    """Tell whether a process descends from the leader of its session.

    An orphan keeps the terminal of its session, and may read and write elsewhere: it shows nobody anything there.
    """
    leader = _session(process)
    for _ in range(agent_detection.MOST_ANCESTORS):
        if process == leader:
            return True
        if process <= 1:
            return False
        process = _parent(process)
    return False


def _terminal_of(process: int) -> int:
    number = _stat(process, 4) & 0xFFFFFFFF  # the kernel prints it signed
    return os.makedev(number >> 8 & 0xFFF, number & 0xFF | number >> 12 & 0xFFF00) if number else 0


def _ids(process: int, field: bytes) -> set[int]:
    """Return the users or groups of a process; not the owner of its files, which is root when it hides."""
    with contextlib.suppress(OSError, ValueError):
        lines = processes.read(process, "status").splitlines()
        return {int(number) for line in lines if line.startswith(field) for number in line.split()[1:]}
    return set()


def _path(process: int) -> str:
    """Return the executable of a process, empty when it may not be looked at."""
    with contextlib.suppress(OSError):
        return os.readlink(f"{processes.PROC}/{process}/exe").removesuffix(" (deleted)")
    return ""


def _name(process: int) -> str:
    """Return the name of a program: of its executable or, where that is hidden, what the kernel calls it."""
    if path := _path(process):
        return os.path.basename(path)
    with contextlib.suppress(OSError):
        return os.fsdecode(processes.read(process, "comm")).strip()
    return ""


def _told(process: int, name: str) -> str:
    path = _path(process)
    return path if path and not path.startswith(terminals.SYSTEM_FOLDERS) else name or NOBODY


def _words(process: int) -> list[str]:
    with contextlib.suppress(OSError):
        return [os.fsdecode(word) for word in processes.read(process, "cmdline").split(b"\0") if word]
    return []


def _script(process: int) -> str:
    """Return what an interpreter runs: the path as it was given, empty for code on its command line."""
    first = next((word for word in _words(process)[1:] if word in ("-c", "-e") or not word.startswith("-")), "")
    return "" if first.startswith("-") else first


def _has_display(process: int) -> bool:
    """Tell whether a program may show a window; one that may not be looked at is believed."""
    try:
        variables = processes.read(process, "environ").split(b"\0")
    except OSError:
        return True
    return any(pair.startswith(f"{name}=".encode()) for pair in variables for name in terminals.DISPLAYS)


def _draws(process: int) -> bool:
    """Tell whether a program has loaded what draws windows, and may show one."""
    if terminals.UNSEEN & set(_words(process)) or not _has_display(process):
        return False
    with contextlib.suppress(OSError):
        loaded = processes.read(process, "maps")
        return any(library in loaded for library in terminals.DRAWING)
    return False


def _printable(text: str) -> str:
    return "".join(letter if letter.isprintable() else "?" for letter in text)[:MOST_CHARACTERS]
