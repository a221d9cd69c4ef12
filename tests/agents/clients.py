"""Real clients, when they are installed, and a model stand-in on loopback: no account, no network.

Tests that need a client skip without it; `scripts/test-clients` says how to get them.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import threading
import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

from tenure.lock import exclusive
from tests.program import SOURCE

PLUGIN = Path(__file__).resolve().parents[2] / "plugin"
SAFETY_NET_SECONDS = 240


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


class Model(ThreadingHTTPServer):
    """Speaks the Messages API, and as much of the Responses API as Codex needs.

    A prompt with SCRIPT:[["Bash", {…}]] makes it ask for those calls, one per turn.
    """

    daemon_threads = True

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.requests: list[dict[str, Any]] = []
        self.says = "done"

    @property
    def seen(self) -> str:
        """Everything the model was really sent."""
        return "\n".join(json.dumps(request, ensure_ascii=False) for request in self.requests)


@contextmanager
def model() -> Iterator[Model]:
    """Run a model stand-in."""
    server = Model()
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield server
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server: Model

    def log_message(self, *_: Any) -> None:
        return

    def _send(self, body: bytes, kind: str = "application/json", code: int = 200) -> None:
        self.send_response(code)
        self.send_header("content-type", kind)
        self.send_header("content-length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def do_HEAD(self) -> None:
        self._send(b"")

    def do_GET(self) -> None:
        self._send(b"{}", code=404)

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers.get("content-length") or 0)) or b"{}")
        if "count_tokens" in self.path:
            return self._send(b'{"input_tokens": 10}')
        if self.path.startswith("/v1/responses"):
            self.server.requests.append(body)
            return self._send(_stream(_response_events(self.server.says)), "text/event-stream")
        if not self.path.startswith("/v1/messages"):
            return self._send(b"{}", code=404)
        self.server.requests.append(body)
        message = _reply(body, self.server.says)
        if not body.get("stream"):
            return self._send(json.dumps(message).encode())
        return self._send(_stream(_events(message)), "text/event-stream")


def _stream(events: list[dict[str, Any]]) -> bytes:
    return "".join(f"event: {event['type']}\ndata: {json.dumps(event)}\n\n" for event in events).encode()


def _response_events(says: str) -> list[dict[str, Any]]:
    """Return an answer of the Responses API, which Codex speaks."""
    item = {"type": "message", "role": "assistant", "id": "m", "content": [{"type": "output_text", "text": says}]}
    usage = {"input_tokens": 1, "output_tokens": 1, "total_tokens": 2}
    return [
        {"type": "response.created", "response": {"id": "r"}},
        {"type": "response.output_item.done", "output_index": 0, "item": item},
        {"type": "response.completed", "response": {"id": "r", "output": [item], "usage": usage}},
    ]


def _reply(body: dict[str, Any], says: str) -> dict[str, Any]:
    script, done = _script(body.get("messages", []))
    block: dict[str, Any] = {"type": "text", "text": says}
    if script and body.get("tools") and done < len(script):
        name, given = script[done]
        block = {"type": "tool_use", "id": f"toolu_{uuid.uuid4().hex[:16]}", "name": name, "input": given}
    return {
        "id": f"msg_{uuid.uuid4().hex[:16]}",
        "type": "message",
        "role": "assistant",
        "model": body.get("model"),
        "content": [block],
        "stop_reason": "tool_use" if block["type"] == "tool_use" else "end_turn",
        "stop_sequence": None,
        "usage": {"input_tokens": 1, "output_tokens": 1},
    }


def _script(messages: list[dict[str, Any]]) -> tuple[list[Any], int]:
    script: list[Any] = []
    done = 0
    for message in messages:
        content = message["content"]
        for block in content if isinstance(content, list) else [{"type": "text", "text": content}]:
            text = block.get("text", "") if message["role"] == "user" and block.get("type") == "text" else ""
            if "SCRIPT:" in text:
                script, done = json.JSONDecoder().raw_decode(text[text.index("SCRIPT:") + 7 :])[0], 0
            done += block.get("type") == "tool_result"
    return script, done


def _events(message: dict[str, Any]) -> list[dict[str, Any]]:
    [block] = message["content"]
    if block["type"] == "text":
        start, delta = {**block, "text": ""}, {"type": "text_delta", "text": block["text"]}
    else:
        start = {**block, "input": {}}
        delta = {"type": "input_json_delta", "partial_json": json.dumps(block["input"])}
    stop = {"stop_reason": message["stop_reason"], "stop_sequence": None}
    return [
        {"type": "message_start", "message": {**message, "content": [], "stop_reason": None}},
        {"type": "content_block_start", "index": 0, "content_block": start},
        {"type": "content_block_delta", "index": 0, "delta": delta},
        {"type": "content_block_stop", "index": 0},
        {"type": "message_delta", "delta": stop, "usage": {"output_tokens": 1}},
        {"type": "message_stop"},
    ]


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
            "LC_ALL": "C.UTF-8",
        }

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

    def learn(self) -> None:
        """Wait for the detached worker, or do its work, until no session waits to be learned from."""
        folder = self.home / "tenure" / "sessions"
        while folder.is_dir() and list(folder.iterdir()):
            with exclusive(folder):
                pass
            done = self.run(str(self.bin / "tenure"), "hook", "work")
            assert done.returncode == 0 and not list(folder.glob("*.failed"))

    def claude(self, server: Model, prompt: str, *words: str) -> subprocess.CompletedProcess[str]:
        """Run one Claude Code session against the stand-in."""
        client = claude()
        assert client
        return self.run(
            client,
            "-p",
            *words,
            "--allowedTools",
            "Bash,Edit,Write",
            "--output-format",
            "stream-json",
            "--verbose",
            prompt,
            ANTHROPIC_API_KEY="sk-ant-test",
            ANTHROPIC_BASE_URL=f"http://127.0.0.1:{server.server_port}",
            DISABLE_AUTOUPDATER="1",
            DISABLE_TELEMETRY="1",
            CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC="1",
        )

    def settle_codex(self, server: Model) -> None:
        """Point Codex to the stand-in."""
        mine = f"http://127.0.0.1:{server.server_port}/v1"
        provider = f'[model_providers.mock]\nname = "mock"\nbase_url = "{mine}"\nwire_api = "responses"\n'
        (self.home / ".codex").mkdir()
        (self.home / ".codex" / "config.toml").write_text(f'model = "x"\nmodel_provider = "mock"\n\n{provider}')

    def codex(self, prompt: str) -> subprocess.CompletedProcess[str]:
        """Run one Codex session against the stand-in."""
        flags = ("--json", "--skip-git-repo-check", "--dangerously-bypass-hook-trust")
        return self.run("codex", "exec", *flags, prompt)
