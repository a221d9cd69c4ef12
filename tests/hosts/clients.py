"""Real clients, when they are installed, each run against the model stand-in with a home folder of its own.

Tests that need a client skip without it; `scripts/test-clients` gets them.
"""

from __future__ import annotations

import json
import os
import pty
import select
import shutil
import signal
import subprocess
import sys
from contextlib import suppress
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from tenure.files.lock import exclusive
from tests.hosts.stand_in import Model
from tests.program import SOURCE

PLUGIN = Path(__file__).resolve().parents[2] / "plugin"
SAFETY_NET_SECONDS = 240
# What lets a client run its hooks and tools without asking.
FREELY = {
    "codex": ("--dangerously-bypass-hook-trust", "--sandbox", "workspace-write"),
    "copilot": ("--trust-folder",),
    "gemini": ("--yolo",),
    "qwen": ("--yolo",),
}
# Settings a client needs before it talks to anybody, or writes into its file when they are missing.
SETTLED = {
    "gemini": (".gemini/settings.json", '{\n  "security": {"auth": {"selectedType": "gemini-api-key"}}\n}\n'),
    "qwen": (".qwen/settings.json", '{\n  "$version": 4\n}\n'),
}


def claude() -> str | None:
    """Return the installed or bundled Claude Code, None without one."""
    try:
        import claude_agent_sdk

        bundled = Path(claude_agent_sdk.__file__).parent / "_bundled" / "claude"
        if bundled.exists():
            return str(bundled)
    except ImportError:
        pass
    return shutil.which("claude")


class Desk:
    """A home folder, a project and a path with `tenure` on it, for a client that inherits nothing else."""

    def __init__(self, folder: Path) -> None:
        self.home, self.project, self.bin = (folder / name for name in ("desk-home", "desk-project", "desk-bin"))
        for made in (self.home, self.project, self.bin):
            made.mkdir()
        shim = self.bin / "tenure"
        shim.write_text(f'#!/bin/sh\nPYTHONPATH="{SOURCE}" exec "{sys.executable}" -m tenure "$@"\n')
        shim.chmod(0o755)
        self.environment = {
            "HOME": str(self.home),
            "PATH": f"{self.bin}{os.pathsep}{os.environ['PATH']}",
            "TENURE_HOME": str(self.home / "tenure"),
            "TENURE_ENCODER": "none",
            # A busy machine must not look like a client that ignores its hooks.
            "TENURE_HOOK_SECONDS": "20",
            "LC_ALL": "C.UTF-8",
        }

    def settle(self, client: str) -> None:
        """Write the settings that a client needs before it talks to anybody."""
        for name, text in filter(None, [SETTLED.get(client)]):
            path = self.home / name
            path.parent.mkdir()
            path.write_text(text)

    def run(self, *words: str, **more: str) -> subprocess.CompletedProcess[str]:
        """Run a command at this desk."""
        return subprocess.run(
            words,
            cwd=self.project,
            env={**self.environment, **more},
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=SAFETY_NET_SECONDS,
            check=False,
        )

    def tenure(self, *words: str) -> Any:
        """Run a Tenure command that must succeed and return its JSON answer."""
        done = self.run(str(self.bin / "tenure"), "--json", *words)
        assert done.returncode == 0, done.stderr
        return json.loads(done.stdout)

    def learn(self, *, idle: bool = False) -> None:
        """Wait for the detached worker, or do its work, until no session waits; `idle` ones are over by lying still."""
        folder = self.home / "tenure" / "sessions"
        later = datetime.now(UTC) + timedelta(hours=2)
        now = {"TENURE_NOW": later.strftime("%Y-%m-%dT%H:%M:%SZ")} if idle else {}
        while folder.is_dir() and list(folder.iterdir()):
            with exclusive(folder):
                pass
            done = self.run(str(self.bin / "tenure"), "hook", "work", **now)
            assert done.returncode == 0 and not list(folder.glob("*.failed"))

    def claude(self, server: Model, prompt: str, *words: str) -> subprocess.CompletedProcess[str]:
        """Run one Claude Code session against the stand-in."""
        client = claude()
        assert client
        seen = ("--output-format", "stream-json", "--verbose")
        return self.run(
            *(client, "-p", *words, "--allowedTools", "Bash,Edit,Write", *seen, prompt),
            ANTHROPIC_API_KEY="sk-ant-test",
            ANTHROPIC_BASE_URL=server.url,
            DISABLE_AUTOUPDATER="1",
            DISABLE_TELEMETRY="1",
            CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC="1",
        )

    def talk(self, server: Model, prompt: str, *words: str) -> str:
        """Run one session of Claude Code at a terminal, as a person does, until the model has said its word.

        Returns what stood on the screen. What the client asks a new user first is answered in its own file.
        """
        client = claude()
        assert client
        key = "sk-ant-api03-key-for-the-stand-in"
        file = self.home / ".claude.json"
        settings = json.loads(file.read_text("utf-8")) if file.exists() else {}
        settings |= {"hasCompletedOnboarding": True, "theme": "dark"}
        settings["customApiKeyResponses"] = {"approved": [key[-20:]], "rejected": []}
        settings.setdefault("projects", {}).setdefault(str(self.project), {})["hasTrustDialogAccepted"] = True
        file.write_text(json.dumps(settings))
        environment = {
            **self.environment,
            "ANTHROPIC_API_KEY": key,
            "ANTHROPIC_BASE_URL": server.url,
            "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
            "DISABLE_AUTOUPDATER": "1",
            "DISABLE_TELEMETRY": "1",
            "TERM": "xterm-256color",
        }
        child, terminal = pty.fork()
        if child == 0:
            os.chdir(self.project)
            # Its newest versions else ask the model about each command, which a stand-in cannot answer.
            asks = ["--allowedTools", "Bash", "--permission-mode", "default"]
            os.execvpe(client, [client, prompt, *asks, *words], environment)
        screen, left = b"", False
        while select.select([terminal], [], [], SAFETY_NET_SECONDS)[0]:
            try:
                data = os.read(terminal, 65536)
            except OSError:
                break
            screen += data
            if not data:
                break
            if not left and server.says.encode() in screen:
                # The command and the key that sends it go apart: together they are taken for a paste.
                os.write(terminal, b"/exit")
                select.select([terminal], [], [], 1)
                os.write(terminal, b"\r")
                left = True
        else:
            os.kill(child, signal.SIGKILL)
        os.waitpid(child, 0)
        os.close(terminal)
        return screen.decode("utf-8", "replace")

    def asked(self, client: str, server: Model, prompt: str) -> subprocess.CompletedProcess[str]:
        """Run one session of the named client, in which it may do what it wants."""
        if client == "claude-code":
            return self.claude(server, prompt)
        session = getattr(self, client)
        done: subprocess.CompletedProcess[str] = session(server, prompt, *FREELY.get(client, ()))
        return done

    def codex(self, server: Model, prompt: str, *words: str) -> subprocess.CompletedProcess[str]:
        """Run one Codex session against the stand-in."""
        provider = {"name": "mock", "base_url": f"{server.url}/v1", "wire_api": "responses"}
        settings = ['model="x"', 'model_provider="mock"']
        settings += [f"model_providers.mock.{key}={json.dumps(value)}" for key, value in provider.items()]
        pointed = [word for setting in settings for word in ("-c", setting)]
        return self.run("codex", "exec", *pointed, "--json", "--skip-git-repo-check", *words, prompt)

    def copilot(self, server: Model, prompt: str, *words: str) -> subprocess.CompletedProcess[str]:
        """Run one Copilot CLI session against the stand-in."""
        return self.run(
            *("copilot", "-p", prompt, "--allow-all-tools", "-s", *words),
            COPILOT_PROVIDER_BASE_URL=f"{server.url}/v1",
            COPILOT_MODEL="x",
            COPILOT_OFFLINE="true",
        )

    def gemini(self, server: Model, prompt: str, *words: str, **more: str) -> subprocess.CompletedProcess[str]:
        """Run one Gemini CLI session against the stand-in."""
        return self.run(
            # A named model, or the client asks one which to take and waits for minutes.
            *("gemini", "-m", "gemini-2.5-flash", "-p", prompt, "--output-format", "json", *words),
            **{"GEMINI_API_KEY": "x", "GOOGLE_GEMINI_BASE_URL": server.url, "GEMINI_CLI_TRUST_WORKSPACE": "true"}
            | more,
        )

    def qwen(self, server: Model, prompt: str, *words: str) -> subprocess.CompletedProcess[str]:
        """Run one Qwen Code session against the stand-in."""
        return self.run(
            *("qwen", "--auth-type", "openai", "-p", prompt, *words),
            OPENAI_API_KEY="x",
            OPENAI_BASE_URL=f"{server.url}/v1",
            OPENAI_MODEL="x",
        )

    def opencode(self, server: Model, prompt: str, *words: str) -> subprocess.CompletedProcess[str]:
        """Run one OpenCode session against the stand-in."""
        options = {"baseURL": f"{server.url}/v1", "apiKey": "x"}
        provider = {"npm": "@ai-sdk/openai-compatible", "options": options, "models": {"x": {}}}
        settings = {"provider": {"mock": provider}, "model": "mock/x", "small_model": "mock/x"}
        return self.run(
            *("opencode", "run", "--format", "json", *words, prompt),
            OPENCODE_CONFIG_CONTENT=json.dumps(settings),
            OPENCODE_DISABLE_MODELS_FETCH="1",
            OPENCODE_DISABLE_AUTOUPDATE="1",
        )

    def cline(self, server: Model, prompt: str) -> subprocess.CompletedProcess[str]:
        """Run one Cline session against the stand-in, and end the daemon that it leaves behind."""
        where = ("-p", "openai-compatible", "-k", "x", "-m", "x", "-b", f"{server.url}/v1")
        assert self.run("cline", "auth", *where).returncode == 0
        try:
            return self.run("cline", "--json", prompt)
        finally:
            for found in (self.home / ".cline" / "data" / "locks" / "hub").glob("*.json"):
                with suppress(ProcessLookupError):
                    os.kill(json.loads(found.read_bytes())["pid"], signal.SIGTERM)
