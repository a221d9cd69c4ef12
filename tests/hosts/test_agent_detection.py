"""Which agent session a process belongs to, whatever the process says of itself."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from tenure.hosts import agent_detection

ASK = "from tenure.hosts import agent_detection; print(agent_detection.session())"
linux = pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="ancestors are told by /proc")


def client(folder: Path, name: str = "claude") -> Path:
    """Return a program with a client's name that runs its arguments as a child, as a client's shell tool does."""
    program = folder / name
    program.symlink_to("/bin/bash")
    return program


def asked(program: Path, command: str, **environment: str) -> str:
    own = {"PATH": os.environ["PATH"], "PYTHONPATH": os.pathsep.join(sys.path), "PYTHON": sys.executable, "ASK": ASK}
    # More than one command, so that the shell stays as the parent.
    done = subprocess.run(
        [str(program), "-c", f"{command}; true"], capture_output=True, text=True, env={**own, **environment}, check=True
    )
    return done.stdout.strip()


@linux
@pytest.mark.parametrize("given", ["", "CODEX_SESSION_ID=real "])
def test_a_session_is_the_clients_process_whatever_a_command_sets(given: str, tmp_path: Path) -> None:
    """Two commands below one client, each with a name of its own making."""
    script = tmp_path / "agent.sh"
    script.write_text('for n in 1 2; do CODEX_SESSION_ID=made-up-$n "$PYTHON" -c "$ASK"; done\ntrue\n')
    first, second = asked(client(tmp_path, "codex"), f"{given}sh {script}").splitlines()
    assert first == second and re.fullmatch(r"codex \d+-\d+", first), first


@linux
def test_a_session_is_the_clients_process_also_for_its_own_children(tmp_path: Path) -> None:
    """A shell tool whose shell becomes the command: what the command sets looks like what the client gave."""
    each = 'CODEX_SESSION_ID=made-up-{} "$PYTHON" -c "$ASK"'
    first, second = asked(client(tmp_path, "codex"), f"{each.format(1)}; {each.format(2)}").splitlines()
    assert first == second and "made-up" not in first, first


def test_without_a_client_the_variable_names_the_session(monkeypatch: pytest.MonkeyPatch) -> None:
    """A host that sets a variable, on a system that tells of no ancestors."""
    monkeypatch.setattr(agent_detection, "_ancestors", lambda: iter(()))
    assert agent_detection.session({"GEMINI_CLI": "1", "GEMINI_SESSION_ID": "abc"}) == "gemini abc"
    assert agent_detection.session({"CURSOR_AGENT": "1"}) == "cursor"


@linux
def test_a_long_line_of_processes_hides_no_agent(tmp_path: Path) -> None:
    """Issue 15: somebody who puts 70 shells between the client and the command is no person; doubt is no.

    In a namespace of processes whose session began outside, that is doubted first: the line itself is asked about too.
    """
    script = tmp_path / "deep.sh"
    ask = '"$PYTHON" -c "from tenure.hosts import agent_detection as d; print(d.mark().host, d._among_ancestors())"'
    script.write_text(f'if [ "$1" -gt 0 ]; then sh "$0" $(($1 - 1)); else {ask}; fi\ntrue\n')
    said = asked(client(tmp_path), f"env -u CLAUDECODE sh {script} 70")
    assert said.startswith("agent ") and "host='agent'" in said and "processes above" in said
