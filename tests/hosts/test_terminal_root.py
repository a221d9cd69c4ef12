"""Where a terminal ends, with real pseudo-terminals and the real programs that hold them (issue 15)."""

from __future__ import annotations

import json
import os
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tenure.hosts import agent_detection, processes, terminal_root, terminals
from tenure.hosts.terminal_root import Root
from tests.terminal import WINDOW, at_terminal

pytestmark = pytest.mark.skipif(not sys.platform.startswith("linux"), reason="/proc tells who holds a terminal")

ASK = """
import json, os, sys
from tenure.hosts import terminal_root
found = terminal_root.terminal_root()
with open(sys.argv[1] + "~", "w") as file:
    json.dump([found.program, found.watched, found.mark.host if found.mark else ""] if found else None, file)
os.rename(sys.argv[1] + "~", sys.argv[1])
"""
# Holds a terminal and waits for the answer of a process in it that left first: nobody's child, a session of its own.
ORPHANED = """
import os, sys, time
held, given = os.openpty()
name = os.ttyname(given)
parent = os.fork()
if parent == 0:
    above = os.getpid()
    if os.fork():
        os._exit(0)
    os.setsid()
    os.close(held)
    os.open(name, os.O_RDWR)
    while os.getppid() == above:
        time.sleep(0.01)
    os.execvp(sys.argv[2], sys.argv[2:])
os.waitpid(parent, 0)
while not os.path.exists(sys.argv[1]):
    time.sleep(0.01)
"""


class Place:
    """A folder in which a process tells where its terminal ends."""

    def __init__(self, folder: Path) -> None:
        self.folder, self.answer = folder, folder / "answer.json"
        kept = {name: os.environ[name] for name in ("PATH", "LD_LIBRARY_PATH") if name in os.environ}
        self.environment = {**kept, "PYTHONPATH": os.pathsep.join(sys.path), "TERM": "xterm", "HOME": str(folder)}

    @property
    def words(self) -> list[str]:
        return [sys.executable, "-c", ASK, str(self.answer)]

    @property
    def line(self) -> str:
        return shlex.join(self.words)

    def told(self) -> Root | None:
        found = json.loads(self.answer.read_text())
        self.answer.unlink()
        return Root(found[0], found[1], agent_detection.Mark(found[2], "") if found[2] else None) if found else None

    def at_terminal(self, words: list[str], *, watched: bool) -> Root | None:
        seen = at_terminal(words, self.folder, self.environment, watched=watched)
        assert self.answer.exists(), seen.screen
        return self.told()

    def alone(self, words: list[str]) -> Root | None:
        """Run a program without a terminal, in a session of its own, and wait for the answer."""
        waits = f"{shlex.join(words)} & wait; until [ -e {shlex.quote(str(self.answer))} ]; do sleep 0.05; done"
        command = ["setsid", "sh", "-c", waits]
        quiet = {"stdin": subprocess.DEVNULL, "stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
        subprocess.run(command, cwd=self.folder, env=self.environment, check=True, timeout=300, **quiet)  # type: ignore[call-overload]
        return self.told()


@pytest.fixture
def place(tmp_path: Path) -> Place:
    return Place(tmp_path)


@pytest.fixture(autouse=True)
def no_agent_above(monkeypatch: pytest.MonkeyPatch) -> None:
    for variable in agent_detection.VARIABLES:
        monkeypatch.delenv(variable, raising=False)


def need(program: str) -> str:
    found = shutil.which(program)
    if not found:
        pytest.skip(f"{program} is not here")
    return found


def test_a_window_has_a_person_before_it_and_an_interpreter_has_nobody(place: Place) -> None:
    """What is in no table is doubted; the window of these tests lies outside the system's folders, which is told."""
    found = place.at_terminal(place.words, watched=True)
    assert found is not None and found.watched and found.program.startswith("/") and found.program.endswith(WINDOW)
    found = place.at_terminal(place.words, watched=False)
    assert found is not None and not found.watched and "python" in found.program


def test_without_a_terminal_there_is_nothing_to_follow(place: Place) -> None:
    assert place.alone(place.words) is None


@pytest.mark.parametrize("program", ["script", "tmux", "screen", "dtach"])
def test_a_terminal_in_a_terminal_is_followed_to_its_end(program: str, place: Place) -> None:
    """The person's own `tmux` in a window is theirs; one that a process attached in a terminal of its own is not."""
    need(program)
    words = {
        "script": ["script", "-qec", place.line, "/dev/null"],
        "tmux": ["tmux", "-S", str(place.folder / "s"), "-f", "/dev/null", "new", place.line],
        "screen": ["screen", "-c", "/dev/null", *place.words],
        "dtach": ["dtach", "-A", str(place.folder / "s"), *place.words],
    }[program]
    place.environment["SCREENDIR"] = str(place.folder / "screens")
    found = place.at_terminal(words, watched=True)
    assert found is not None and found.watched and found.program.startswith(f"{program} in /"), found
    found = place.at_terminal(words, watched=False)
    assert found is not None and not found.watched and "python" in found.program, found


@pytest.mark.parametrize("program", ["script", "tmux", "screen", "dtach", "socat"])
def test_a_terminal_that_is_shown_nowhere_is_looked_at_by_nobody(program: str, place: Place) -> None:
    """`tmux new -d`, `screen -dm`, `dtach -n`, `script` and `socat` without a terminal: what a detached process has."""
    need(program)
    words = {
        "script": ["script", "-qec", place.line, "/dev/null"],
        "tmux": ["tmux", "-S", str(place.folder / "s"), "-f", "/dev/null", "new", "-d", place.line],
        "screen": ["screen", "-c", "/dev/null", "-dm", *place.words],
        "dtach": ["dtach", "-n", str(place.folder / "s"), *place.words],
        "socat": ["socat", "-u", f"EXEC:{place.line},pty,setsid,ctty", "STDOUT"],
    }[program]
    place.environment["SCREENDIR"] = str(place.folder / "screens")
    assert place.alone(words) == Root(f"{program}, which nobody looks at", False)


def test_a_persons_client_of_another_tmux_looks_at_nothing_here(place: Place) -> None:
    """A detached server is not taken for the one that the person is attached to."""
    need("tmux")
    mine, theirs = (["tmux", "-S", str(place.folder / name), "-f", "/dev/null", "new"] for name in ("mine", "theirs"))
    waits = f"until [ -e {shlex.quote(str(place.answer))} ]; do sleep 0.05; done"
    started = shlex.join([*theirs, "-d", place.line])
    seen = at_terminal([*mine, f"env -u TMUX {started}; {waits}"], place.folder, place.environment)
    assert place.answer.exists(), seen.screen
    assert place.told() == Root("tmux, which nobody looks at", False)


def test_who_left_an_agent_is_known_by_the_agent_that_holds_its_terminal(place: Place) -> None:
    """Issue 15: the command is nobody's child and bears no mark; the program at the other side is the agent's."""
    client = place.folder / "claude"
    client.symlink_to("/bin/bash")
    holder = shlex.join([sys.executable, "-c", ORPHANED, str(place.answer), *place.words])
    found = place.alone([str(client), "-c", f"{holder}; true"])
    assert found is not None and found.mark is not None and found.mark.host == "claude-code", found


@pytest.mark.parametrize(
    ("above", "name", "users", "groups", "believed"),
    [
        ("sshd", "sshd", (0, 7), "7 7", True),
        ("sshd", "sshd", (0, 0), "0 0", True),
        ("cron", "sshd", (0, 7), "7 7", False),
        ("sshd", "sshd", (7, 7), "7 7", False),
        ("bash", "xterm", (7, 7), "7 43", True),
        ("bash", "xterm", (7, 7), "7 7", False),
        ("bash", "python3", (7, 7), "7 43", False),
        ("bash", "sudo", (7, 0), "0 0", True),
    ],
)
def test_a_program_that_may_not_be_looked_at_is_believed_for_what_the_kernel_says_of_it(
    above: str,
    name: str,
    users: tuple[int, int],
    groups: str,
    believed: bool,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """OpenSSH: the session's own process became the user and hides, below root's; Debian: xterm has the group utmp."""
    for number, called, parent, user in ((2, above, 1, users[0]), (3, name, 2, users[1])):
        folder = tmp_path / str(number)
        folder.mkdir()
        (folder / "stat").write_text(f"{number} ({called}) S {parent} {number} {number} 0 -1")
        (folder / "comm").write_text(f"{called}\n")
        (folder / "status").write_text(f"Name:\t{called}\nUid:\t{user}\t{user}\nGid:\t{groups}\n")
    monkeypatch.setattr(processes, "PROC", str(tmp_path))
    monkeypatch.setattr(processes, "_opened", lambda path: os.open(path, os.O_RDONLY))
    monkeypatch.setattr(os, "getuid", lambda: 7)
    assert terminal_root._is_believed(3) is believed


def test_an_orphan_is_no_login(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A process may hide its files and call itself sshd; the first process, root's, is called init on some systems."""
    for number, called, parent, user in ((1, "init", 0, 0), (3, "sshd", 1, 7)):
        folder = tmp_path / str(number)
        folder.mkdir()
        (folder / "stat").write_text(f"{number} ({called}) S {parent} {number} {number} 0 -1")
        (folder / "comm").write_text(f"{called}\n")
        (folder / "status").write_text(f"Name:\t{called}\nUid:\t{user}\nGid:\t{user}\n")
    monkeypatch.setattr(processes, "PROC", str(tmp_path))
    monkeypatch.setattr(processes, "_opened", lambda path: os.open(path, os.O_RDONLY))
    monkeypatch.setattr(os, "getuid", lambda: 7)
    assert not terminal_root._is_believed(3)


def test_a_copy_of_an_interpreter_under_a_logins_name_is_no_login(place: Place) -> None:
    """Logins have no display to show, so a name was all that was asked of them."""
    copy = place.folder / "ttyd"
    shutil.copy(os.path.realpath(sys.executable), copy)
    place.environment["PYTHONHOME"] = sys.base_prefix
    found = place.alone([str(copy), "-c", "import pty, sys; pty.spawn(sys.argv[1:])", *place.words])
    assert found == Root(str(copy)[: terminal_root.MOST_CHARACTERS], False)


def test_a_console_and_a_container_have_a_person_before_them(monkeypatch: pytest.MonkeyPatch) -> None:
    """A virtual console (4, 1) is a screen; the first process of `docker exec -it` has its parent outside."""
    assert terminal_root._followed(os.makedev(4, 1), 17, 1) == Root(terminal_root.CONSOLE, True)
    monkeypatch.setattr(terminal_root, "_parent", lambda process: 0)
    assert terminal_root._followed(os.makedev(136, 3), 17, 1) == Root(terminal_root.OUTSIDE, True)


@pytest.mark.parametrize(
    ("name", "known"),
    [
        ("kitty", "kitty"),
        ("gnome-terminal-", "gnome-terminal-server"),
        ("emacs-29.1", "emacs"),
        ("emacs-nox", "emacs"),
        ("SCREEN", "screen"),
        ("sshd-session", "sshd-session"),
        ("python3.11", ""),
        ("cron", ""),
        ("", ""),
    ],
)
def test_names_are_known_as_the_kernel_and_packages_write_them(name: str, known: str) -> None:
    """The kernel cuts a name after 15 letters; packages add versions."""
    assert terminals.known(name) == known


def test_a_program_with_odd_letters_in_its_name_prints_none(place: Place) -> None:
    """The name is somebody else's text, and stands on the person's terminal."""
    odd = place.folder / "x\x1b[2J\nsshd"
    shutil.copy(os.path.realpath(sys.executable), odd)
    place.environment["PYTHONHOME"] = sys.base_prefix
    found = place.alone([str(odd), "-c", "import pty, sys; pty.spawn(sys.argv[1:])", *place.words])
    assert found is not None and not found.watched and "\x1b" not in found.program and "\n" not in found.program


# Becomes nobody's child in its own session, as a process does that left its agent.
ORPHAN = """
import os, sys, time
above = os.getpid()
if os.fork():
    os._exit(0)
while os.getppid() == above:
    time.sleep(0.01)
os.execvp(sys.argv[1], sys.argv[1:])
"""


@pytest.mark.parametrize("program", ["script", "socat"])
def test_an_orphan_in_the_persons_session_shows_them_nothing(program: str, place: Place) -> None:
    """`script` with pipes for its input and output has the person's terminal, and neither shows nor asks there."""
    need(program)
    words = {
        "script": ["script", "-qec", place.line, "/dev/null"],
        "socat": ["socat", "-u", f"EXEC:{place.line},pty,setsid,ctty", "STDOUT"],
    }[program]
    left = shlex.join([sys.executable, "-c", ORPHAN, *words])
    waits = f"until [ -e {shlex.quote(str(place.answer))} ]; do sleep 0.05; done"
    found = place.at_terminal(["sh", "-c", f"{left} </dev/null >/dev/null 2>&1; {waits}"], watched=True)
    assert found == Root(f"{program}, which nobody looks at", False)


def test_a_client_without_a_screen_looks_at_nothing(place: Place) -> None:
    """`tmux -C` reads commands from the person's terminal and shows nothing there; its server has the terminal open."""
    need("tmux")
    tmux = ["tmux", "-S", str(place.folder / "s"), "-f", "/dev/null"]
    started = shlex.join([*tmux, "new", "-d", f"until [ -e open ]; do sleep 0.05; done; sleep 0.5; {place.line}"])
    control = f"env -u TMUX setsid {shlex.join([*tmux, '-C', 'attach'])} <$terminal >/dev/null 2>&1 &"
    waits = f"until [ -e {shlex.quote(str(place.answer))} ]; do sleep 0.05; done"
    found = place.at_terminal(
        ["sh", "-c", f"{started}; terminal=$(tty); {control} sleep 1; : >open; {waits}"], watched=True
    )
    assert found == Root("tmux, which nobody looks at", False)
