"""Who may talk to the server over HTTP: only who holds the token, from this machine, for this machine."""

from __future__ import annotations

import contextlib
import os
import signal
import socket
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("mcp")
import anyio
import httpx2
from mcp import Client
from mcp.client.streamable_http import streamable_http_client

from tenure import workspace
from tenure.model.errors import BadRequest
from tenure.surfaces.mcp import server, web

GOOD = {"host": "127.0.0.1:8765", "authorization": "Bearer 0123456789abcdef"}


@pytest.fixture(autouse=True)
def _token(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("TENURE_MCP_TOKEN", "0123456789abcdef")
    folder = tmp_path / "project"
    folder.mkdir()
    monkeypatch.chdir(folder)


def answer(method: str, path: str, headers: dict[str, str]) -> int:
    """Send one request to the guarded application and return the status."""
    app = web.app(server.make(), "127.0.0.1", 8765)
    sent: list[Any] = []

    async def receive() -> dict[str, Any]:
        return {"type": "http.request", "body": b"{}", "more_body": False}

    async def send(message: Any) -> None:
        sent.append(message)

    async def run() -> None:
        scope = {
            "type": "http", "method": method, "path": path, "raw_path": path.encode(), "query_string": b"",
            "headers": [(name.encode(), value.encode()) for name, value in headers.items()], "scheme": "http",
            "http_version": "1.1", "client": ("127.0.0.1", 1), "server": ("127.0.0.1", 8765), "root_path": "",
        }  # fmt: skip
        await app(scope, receive, send)

    anyio.run(run)
    return int(sent[0]["status"])


@pytest.mark.parametrize("path", ["/mcp", "/", "/.well-known/oauth-protected-resource", "/anything"])
@pytest.mark.parametrize("method", ["GET", "POST", "DELETE", "OPTIONS", "HEAD", "PUT"])
@pytest.mark.parametrize(
    ("change", "status"),
    [
        ({"authorization": ""}, 401),
        ({"authorization": "Bearer wrong"}, 401),
        ({"authorization": "Basic 0123456789abcdef"}, 401),
        ({"host": "evil.example:8765"}, 421),
        ({"host": "127.0.0.1:1"}, 421),
        ({"host": ""}, 421),
        ({"origin": "http://evil.example"}, 403),
        ({"origin": "null"}, 403),
    ],
)
def test_a_request_that_does_not_belong_here_is_refused(
    method: str, path: str, change: dict[str, str], status: int
) -> None:
    """S11, S13: token on every route, Host allow-list, Origin check, for every method."""
    headers = {name: value for name, value in {**GOOD, **change}.items() if value}
    assert answer(method, path, headers) == status


def test_a_web_socket_does_not_get_past_the_token() -> None:
    """S11: every way in wants the token, also one that the server inside does not offer today."""
    reached: list[str] = []

    async def inside(scope: Any, receive: Any, send: Any) -> None:
        reached.append(scope["type"])

    guard = web.TokenGuard(inside, "0123456789abcdef", 8765)

    async def run(type: str) -> None:
        nothing: Any = None
        await guard({"type": type, "headers": []}, nothing, nothing)

    for type in ("websocket", "lifespan", "anything"):
        anyio.run(run, type)
    assert reached == ["lifespan"]


def test_another_address_than_loopback_is_refused() -> None:
    """S11: refuses other binds."""
    with pytest.raises(BadRequest, match=r"0\.0\.0\.0"):
        web.app(server.make(), "0.0.0.0", 8765)


def test_the_token_is_made_once_and_for_its_owner_only(monkeypatch: pytest.MonkeyPatch) -> None:
    """S11: token file 0600."""
    monkeypatch.delenv("TENURE_MCP_TOKEN")
    first = web.token()
    assert web.token() == first and len(first) > 30
    assert web.token_path().stat().st_mode & 0o777 == 0o600
    monkeypatch.setenv("TENURE_MCP_TOKEN", "short")
    with pytest.raises(BadRequest, match="shorter"):
        web.token()


@pytest.mark.parametrize(
    "named", [" " * 20, "a token with spaces in it", "0123456789abcdef\udcff", "0123456789abcdéf", "0" * 16 + "\x7f"]
)
def test_a_token_that_no_client_could_send_is_refused(monkeypatch: pytest.MonkeyPatch, named: str) -> None:
    """Invalid bytes in the variable ended the start as a bug of ours, and others locked every client out."""
    monkeypatch.setenv("TENURE_MCP_TOKEN", named)
    with pytest.raises(BadRequest, match="TENURE_MCP_TOKEN") as refused:
        web.app(server.make(), "127.0.0.1", 8765)
    assert named not in str(refused.value)


@pytest.mark.parametrize("torn", ["", "\n", "abc", "short-piece-of-a-token"])
def test_an_empty_or_torn_token_file_is_no_password(monkeypatch: pytest.MonkeyPatch, torn: str) -> None:
    """Issue 13: a file left empty by a full disk let everybody in who sent no token."""
    monkeypatch.delenv("TENURE_MCP_TOKEN", raising=False)
    web.token()
    web.token_path().write_text(torn)
    made = web.token()
    assert len(made) > 30 and web.token() == made
    assert web.token_path().stat().st_mode & 0o777 == 0o600
    assert [path.name for path in web.token_path().parent.iterdir() if "mcp-token" in path.name] == ["mcp-token"]


def test_a_client_with_the_token_is_served() -> None:
    """The guarded application with a real client, without a port."""
    with workspace.open() as ws:
        ws.add("Run make db before the integration tests", id="make-db")
    made = server.make()
    app = web.app(made, "127.0.0.1", 8765)

    async def run() -> Any:
        transport = httpx2.ASGITransport(app=app)
        headers = {"authorization": GOOD["authorization"]}
        async with (
            made.session_manager.run(),
            httpx2.AsyncClient(transport=transport, headers=headers) as http,
            Client(streamable_http_client("http://127.0.0.1:8765/mcp", http_client=http)) as client,
        ):
            return await client.call_tool("search", {"query": "integration"})

    assert anyio.run(run).structured_content["memories"][0]["id"] == "make-db"


def test_ctrl_c_ends_the_server_though_a_request_never_comes_whole(tmp_path: Path) -> None:
    """One client that announced more than it sent kept the server from ending, for ever."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    log = tmp_path / "log"
    with log.open("wb") as errors:
        started = subprocess.Popen([sys.executable, "-m", "tenure", "mcp", "--http", str(port)], stderr=errors)
    try:
        client = None
        while client is None and started.poll() is None:
            with contextlib.suppress(OSError):
                client = socket.create_connection(("127.0.0.1", port))
        assert client is not None, log.read_text()
        with client:
            # `Expect` is answered once the body is waited for: then the request is being served.
            names = {**GOOD, "host": f"127.0.0.1:{port}", "content-length": "1000", "expect": "100-continue"}
            lines = [f"{name}: {value}" for name, value in names.items()]
            asked = ["POST /mcp HTTP/1.1", "content-type: application/json", "accept: application/json", *lines]
            client.sendall("\r\n".join([*asked, "", "{"]).encode())
            assert client.recv(20).startswith(b"HTTP/1.1 100")
            os.kill(started.pid, signal.SIGINT)
            assert started.wait(60) == 0
    finally:
        started.kill()
        started.wait()
    assert "Traceback" not in log.read_text()
