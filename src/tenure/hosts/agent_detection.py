"""Whether a coding agent started this process: by a variable its children see, or by a client among its ancestors.

Some hosts set no variable for the commands of their shell tool, and `env -u` removes one, so the ancestors are
checked too where the system lists them (/proc). The one rule: a doubtful ancestor does not make this an agent; it
only means that no person is proved.
"""

from __future__ import annotations

import contextlib
import os
import sys
from collections.abc import Iterator, Mapping
from typing import NamedTuple

from tenure.hosts import processes

# Variable -> the host whose shell tool sets it. Seen in the real clients: Claude Code 2.1, Codex 0.166, Copilot
# 1.0.102, Gemini 0.61, Qwen 0.24 and OpenCode 1.18; the rest is what their documentation says.
VARIABLES = {
    "CLAUDECODE": "claude-code",
    "CLAUDE_CODE_SESSION_ID": "claude-code",
    "CODEX_SESSION_ID": "codex",
    "CODEX_THREAD_ID": "codex",
    "CODEX_CI": "codex",
    "COPILOT_CLI": "copilot",
    "COPILOT_AGENT_SESSION_ID": "copilot",
    "GEMINI_CLI": "gemini",
    "GEMINI_SESSION_ID": "gemini",
    "QWEN_CODE": "qwen",
    "QWEN_PROJECT_DIR": "qwen",
    "OPENCODE": "opencode",
    "CURSOR_AGENT": "cursor",
    "CLINE_ACTIVE": "cline",
    "AI_AGENT": "agent",
}
# Program of an ancestor -> its host: the name of its executable, or of the script that a runtime was given.
PROGRAMS = {
    "claude": "claude-code",
    "claude.exe": "claude-code",
    "codex": "codex",
    "copilot": "copilot",
    "gemini": "gemini",
    "qwen": "qwen",
    "opencode": "opencode",
    "opencode.exe": "opencode",
    "cursor-agent": "cursor",
    "cline": "cline",
}
# Variables that name the session. Only what the client itself gave its child counts: a command can set its own.
SESSIONS = (
    "CLAUDE_CODE_SESSION_ID", "CODEX_SESSION_ID", "CODEX_THREAD_ID", "COPILOT_AGENT_SESSION_ID", "GEMINI_SESSION_ID",
)  # fmt: skip
RUNTIMES = ("node", "bun", "deno")
MOST_ANCESTORS = 64
# The namespace of processes that a system starts with: the kernel gives it this number.
FIRST_NAMESPACE = "pid:[4026531836]"
# Who could be an agent and cannot be told: nobody hides one behind a long line of processes.
UNKNOWN = "agent"


class Mark(NamedTuple):
    """What shows that an agent is at work: the host, and where that was seen."""

    host: str
    seen: str


def mark(environment: Mapping[str, str] | None = None) -> Mark | None:
    """Return the nearest sign of a coding agent around this process, None when there is none."""
    own = os.environ if environment is None else environment
    if (found := _variable(own)) is not None:
        return Mark(VARIABLES[found], found)
    try:
        return Mark(UNKNOWN, "processes of another namespace") if _is_elsewhere() else _among_ancestors()
    except processes.Covered as covered:
        return Mark(UNKNOWN, f"something mounted over {covered}")


def around(process: int) -> Mark | None:
    """Return the nearest sign of a coding agent in another process or above it, None when there is none."""
    return _among(_from(process))


def _among_ancestors() -> Mark | None:
    return _among(_ancestors())


def _among(line: Iterator[int]) -> Mark | None:
    seen, process = 0, 0
    for process in line:
        seen += 1
        if (host := _client(process)) is not None:
            return Mark(host, f"process {process}")
        if (found := _variable(_environment(process))) is not None:
            return Mark(VARIABLES[found], f"{found} of process {process}")
    if seen == MOST_ANCESTORS:
        return Mark(UNKNOWN, f"more than {MOST_ANCESTORS} processes above this one")
    hidden = seen and not _is_shown(process) and processes.exists(process)
    return Mark(UNKNOWN, f"process {process}, which /proc does not show") if hidden else None


def _is_shown(process: int) -> bool:
    try:
        return bool(processes.stat(process))
    except OSError:
        return False


def _is_elsewhere() -> bool:
    """Tell whether nobody can look at the ancestors: /proc is not the kernel's or shows other processes, or they end
    inside a session.

    Whoever starts a container lets its first process lead a session; `unshare` and `bwrap` do not, so behind that
    first process there are others of the same session that /proc does not show.
    """
    if not sys.platform.startswith("linux"):
        return False  # no /proc at all: macOS, Windows
    try:
        if not processes.is_genuine() or os.readlink("/proc/self") != str(os.getpid()):
            return True
        if os.readlink("/proc/self/ns/pid") == FIRST_NAMESPACE:
            return False
    except OSError:
        return True
    return os.getsid(0) == 0 or (_session_of(1) == "0" and not _is_wsl())


def _session_of(process: int) -> str:
    try:
        return processes.stat(process)[3].decode()
    except (OSError, IndexError):
        return ""


def _is_wsl() -> bool:
    """Tell whether the first process is that of the Windows Subsystem for Linux, which leads no session either."""
    try:
        return processes.read(1, "cmdline").startswith(b"/init\0")
    except OSError:
        return False


def session(environment: Mapping[str, str] | None = None) -> str:
    """Return a name for the agent's session around this process; the host's alone when nothing tells sessions apart.

    It is the process of the outermost client: an agent can start a client of its own, and give every command of its a
    session's name. Without a client among the ancestors it is what the outermost process that names one says.
    """
    around = os.environ if environment is None else environment
    client_session, named = "", _session(around)
    with contextlib.suppress(processes.Covered):  # what can be seen below it still tells sessions apart
        for process in _ancestors():
            if (client := _client(process)) is not None:
                client_session = f"{client} {processes.started(process)}"
            around = _environment(process) or around
            named = _session(around) or named
    if client_session:
        return client_session
    found = mark(environment)
    host = found.host if found else "agent"
    return f"{host} {named}".strip()


def run(environment: Mapping[str, str] | None = None) -> str:
    """Return the one run that everything an agent says in its session counts for."""
    return f"agent:{session(environment)}"


def _session(environment: Mapping[str, str]) -> str:
    return next((value[:100] for name in SESSIONS if (value := environment.get(name))), "")


def _variable(environment: Mapping[str, str]) -> str | None:
    return next((name for name in VARIABLES if environment.get(name)), None)


def _ancestors() -> Iterator[int]:
    """Yield the processes above this one, nearest first."""
    return _from(os.getppid())


def _from(number: int) -> Iterator[int]:
    """Yield a process and those above it, nearest first."""
    for _ in range(MOST_ANCESTORS):
        if number <= 1:
            return
        yield number
        try:
            number = processes.parent(number)
        except (OSError, IndexError, ValueError):
            return


def _client(process: int) -> str | None:
    try:
        words = processes.read(process, "cmdline").split(b"\0")
    except OSError:
        return None
    names = [os.path.basename(os.fsdecode(word)) for word in words if word]
    if not names:
        return None
    if names[0] in PROGRAMS:
        return PROGRAMS[names[0]]
    if names[0].split(".")[0] in RUNTIMES:
        script = next((name for name, word in zip(names[1:], words[1:], strict=False) if not word.startswith(b"-")), "")
        return PROGRAMS.get(script) or PROGRAMS.get(script.removesuffix(".js").removesuffix(".mjs"))
    return None


def _environment(process: int) -> dict[str, str]:
    try:
        pairs = processes.read(process, "environ").split(b"\0")
    except OSError:
        return {}  # somebody else's process
    return dict(os.fsdecode(pair).partition("=")[::2] for pair in pairs)
