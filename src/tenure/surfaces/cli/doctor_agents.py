"""Checking each wired agent for real: its hook is run with a sample event, its client is asked where it can be."""

from __future__ import annotations

import json
import os
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
from importlib.util import find_spec
from pathlib import Path

from tenure.files import locate, search_path
from tenure.files.extras import adding
from tenure.hosts import catalog, install, off_switches, settings_entries
from tenure.hosts.api import Host
from tenure.model.errors import TenureError

# A safety net: a hook that takes longer is no use to an agent.
HOOK_SECONDS = 20
# A cold start of the server on a busy machine takes seconds.
SERVER_SECONDS = 60
_VERSION = re.compile(rb"(\d{1,6})\.(\d{1,6})\.(\d{1,6})")


def examine() -> str:
    """Return which agents are wired and proved; raise with the first that does not work."""
    project = locate.project_of(Path.cwd())
    found = []
    for agent in catalog.HOSTS.values():
        for scope in ("user", "project"):
            if install.wired(agent, scope, project):
                found.append(_proved(agent, scope, project))
    return "; ".join(found) or "none is wired; wire one with: tenure install claude-code"


def _proved(agent: Host, scope: str, project: Path) -> str:
    stale = [str(change.path) for change in install.installing(agent, scope, project)]
    if stale:
        raise TenureError(
            f"{agent.title}: {stale[0]} is not as `tenure install` writes it.",
            hint=f"tenure install {agent.name}{' --project' if scope == 'project' else ''}",
        )
    if not find_spec("mcp"):
        raise TenureError(f"{agent.title}: the MCP server it is wired to needs the `mcp` extra.", hint=adding("mcp"))
    _serves(install.program(scope), agent.title)
    ran = sum(_run(line, agent.title) for line in sorted(_commands(agent, scope)))
    # Each of them was just started, greeted or run; rules are only there.
    proved = f"{ran} hooks answer, the MCP server answers" if ran else "the MCP server answers, rules are in place"
    said = f"{agent.title} ({scope}): {proved}"
    if ran:
        said += _heard(agent, scope, project)
    if not shutil.which(agent.client):
        return f"{said}, but `{agent.client}` is not on the path"
    return said + _age(agent)


def _heard(agent: Host, scope: str, project: Path) -> str:
    """Return under which condition the client runs the hooks at all; raise when a setting of its own forbids it."""
    if off := off_switches.switched_off(agent, project):
        raise TenureError(f"{agent.title} silently skips its hooks: {off}.", hint="Remove that setting.")
    if agent.name == "codex":
        return ", if you trusted them with /hooks (Codex ignores them silently until then)"
    if scope == "project" and (where := off_switches.untrusted(agent, project)):
        return f", if you trust this folder (it is not in {where}, and {agent.title} ignores its hooks silently)"
    return ""


def _age(agent: Host) -> str:
    """Return a remark on a client older than the one Tenure was tried with; nothing when it does not say."""
    program = search_path.find(agent.client)
    if not agent.tried or program is None:
        return ""
    try:
        # Not in the project's folder, whose settings a client may act on before it answers.
        with tempfile.TemporaryDirectory() as folder:
            done = subprocess.run(
                [program, "--version"],
                capture_output=True,
                timeout=HOOK_SECONDS,
                check=False,
                stdin=subprocess.DEVNULL,
                cwd=folder,
                env={**os.environ, "PATH": _path()},
            )
    except (OSError, subprocess.TimeoutExpired):
        return f", but `{agent.client} --version` does not answer"
    found = _VERSION.search(done.stdout)
    version = tuple(int(number) for number in found.groups()) if found else agent.tried
    if version >= agent.tried:
        return ""
    has, tried = (".".join(map(str, numbers)) for numbers in (version, agent.tried))
    return f", but {has} is older than {tried}, with which this was tried; an older client may ignore hooks"


def _commands(agent: Host, scope: str) -> set[str]:
    """Return the hook commands as `tenure install` writes them; what a project's file names is never run."""
    line = shlex.join(install.program(scope))
    shared = [settings for settings in getattr(agent, scope) if settings.form == "json"]
    entries = [entry for settings in shared for _, entry in settings_entries.hooks(settings, line)]
    inside = [hook for entry in entries for hook in entry.get("hooks", [entry])]
    return {str(hook["command"]) for hook in inside}


def _serves(program: list[str], title: str) -> None:
    """Start the memory server as the agent would and greet it; raise when it does not answer."""
    greeting = {
        "jsonrpc": "2.0",
        "id": 1,
        "method": "initialize",
        "params": {
            "protocolVersion": "2025-06-18",
            "capabilities": {},
            "clientInfo": {"name": "doctor", "version": "1"},
        },
    }
    line = shlex.join([*program, "mcp"])
    with tempfile.TemporaryDirectory() as folder:
        environment = {**os.environ, "TENURE_HOME": str(Path(folder) / "home"), "TENURE_ENCODER": "none"}
        environment["PATH"] = _path()
        environment.pop("TENURE_STORE", None)
        try:
            done = subprocess.run(
                [*program, "mcp"],
                input=json.dumps(greeting).encode() + b"\n",
                capture_output=True,
                cwd=folder,
                env=environment,
                timeout=SERVER_SECONDS,
                check=False,
            )
        except (OSError, subprocess.TimeoutExpired) as error:
            raise TenureError(f"{title}: `{line}` does not run: {error}", hint=_reach(program)) from None
    if b'"serverInfo"' not in done.stdout:
        said = done.stderr.decode("utf-8", "replace").strip()[-200:]
        raise TenureError(f"{title}: the memory server `{line}` does not answer: {said}", hint=_reach(program))


def _path() -> str:
    """Return where programs are looked for: nowhere in the project, but for the environment that runs this."""
    own = str(Path(sys.executable).parent)
    return os.pathsep.join([search_path.without_project(), *([own] if own in os.get_exec_path() else [])])


def _reach(program: list[str]) -> str:
    """Return what to do about a program that agents cannot start."""
    if program == ["tenure"] and not shutil.which("tenure"):
        return f"A project's file names `tenure`, which is not on the path: {on_path()}"
    return "Install Tenure again, then run `tenure install` again."


def on_path() -> str:
    """Return the command that lets a shell find this very program."""
    return f"export PATH={shlex.quote(str(Path(sys.executable).parent))}:$PATH"


def _run(line: str, title: str) -> int:
    """Run one hook as the agent would, in a folder of its own; return 1 when it answered."""
    with tempfile.TemporaryDirectory() as folder:
        event = {"session_id": "doctor", "cwd": folder, "prompt": "doctor", "tool_name": "Bash", "tool_input": {}}
        environment = {**os.environ, "TENURE_HOME": str(Path(folder) / "home"), "TENURE_NO_WORKER": "1"}
        environment["PATH"] = _path()
        environment.pop("TENURE_STORE", None)
        try:
            done = subprocess.run(
                shlex.split(line),
                input=json.dumps(event).encode(),
                capture_output=True,
                cwd=folder,
                env=environment,
                timeout=HOOK_SECONDS,
                check=False,
            )
        except (OSError, subprocess.TimeoutExpired) as error:
            raise TenureError(f"{title}: `{line}` does not run: {error}", hint=_reach(shlex.split(line)[:1])) from None
        log = Path(folder) / "home" / "hooks.log"
        reason = log.read_text(encoding="utf-8", errors="replace").strip() if log.exists() else ""
    if done.returncode or done.stderr or reason:
        said = reason or done.stderr.decode("utf-8", "replace").strip()[:200]
        raise TenureError(f"{title}: `{line}` ended with {done.returncode}: {said}")
    return 1
