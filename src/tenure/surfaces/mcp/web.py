"""Streamable HTTP, guarded: loopback only, a bearer token on every request, Host and Origin checked.

A page in the user's browser can reach loopback too; the checks keep it out, also under a name it controls.
"""

from __future__ import annotations

import asyncio
import contextlib
import hmac
import os
import secrets
from collections.abc import Awaitable, Callable, MutableMapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tenure.files import durable, locate
from tenure.model.errors import BadRequest

if TYPE_CHECKING:
    from mcp.server import MCPServer

LOOPBACK = ("127.0.0.1", "::1", "localhost")
TOKEN_FILE = "mcp-token"
SHORTEST_TOKEN = 16
# What we write is longer; anything shorter in the file is a piece of it.
SHORTEST_KEPT = 32
# How long a request that is not over keeps the server from ending: one that never comes whole would for ever.
ENDS_SECONDS = 1

Scope = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[MutableMapping[str, Any]]]
Send = Callable[[MutableMapping[str, Any]], Awaitable[None]]
App = Callable[[Scope, Receive, Send], Awaitable[None]]


class TokenGuard:
    """Lets a request through only with the token, from this machine, for this machine."""

    def __init__(self, app: App, token: str, port: int) -> None:
        self.app, self._token = app, token.encode()
        names = ("127.0.0.1", "localhost", "[::1]")
        self._hosts = {f"{name}:{port}" for name in names}
        self._origins = {f"http://{host}" for host in self._hosts}

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer 421, 403 or 401 to what does not belong here, and pass on the rest."""
        if scope["type"] not in ("http", "lifespan"):
            return  # a web socket would come in without the token; the server closes it
        if scope["type"] == "http" and (status := self.refusal(scope["headers"])):
            headers = [(b"content-type", b"text/plain"), (b"www-authenticate", b"Bearer")]
            await send({"type": "http.response.start", "status": status, "headers": headers[: 1 + (status == 401)]})
            await send({"type": "http.response.body", "body": b"refused\n"})
            return
        # A request that was not over when the server ended ends with it, and that is no error of its.
        with contextlib.suppress(asyncio.CancelledError):
            await self.app(scope, receive, send)

    def refusal(self, headers: list[tuple[bytes, bytes]]) -> int:
        """Return the status that refuses a request with these headers, 0 for none."""
        found: dict[str, list[str]] = {}
        for name, value in headers:
            found.setdefault(name.decode("latin-1").lower(), []).append(value.decode("latin-1"))
        if len(found.get("host", [])) != 1 or found["host"][0].lower() not in self._hosts:
            return 421
        if any(origin not in self._origins for origin in found.get("origin", [])):
            return 403
        scheme, _, given = found.get("authorization", [""])[0].partition(" ")
        if scheme.lower() != "bearer" or not hmac.compare_digest(given.strip().encode(), self._token):
            return 401
        return 0


def token() -> str:
    """Return the token clients must send: `TENURE_MCP_TOKEN`, or one made here and kept for its owner only."""
    if named := os.environ.get("TENURE_MCP_TOKEN"):
        if len(named) < SHORTEST_TOKEN:
            raise BadRequest(f"TENURE_MCP_TOKEN is shorter than {SHORTEST_TOKEN} characters.")
        # A header holds no other characters for sure, so no client could ever send it.
        if not (named.isascii() and named.isprintable()) or " " in named:
            raise BadRequest("TENURE_MCP_TOKEN holds a character that is not a printable ASCII one, or a space.")
        return named
    path = token_path()
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    made = secrets.token_urlsafe(32)
    # Made elsewhere and linked into place, so that whoever finds the file finds all of it.
    new = path.with_name(f".{path.name}.{secrets.token_hex(6)}.tmp")
    durable.replace(new, f"{made}\n".encode(), mode=0o600)
    try:
        os.link(new, path)
        return made
    except FileExistsError:
        kept = durable.read_bytes(path, limit=1000).decode("ascii", "replace").strip()
        if len(kept) >= SHORTEST_KEPT and kept.isprintable():
            return kept
        # Empty or torn, by a full disk or a crash: that is no password.
        os.replace(new, path)
        return made
    finally:
        new.unlink(missing_ok=True)


def token_path() -> Path:
    """Return where the token is kept."""
    return locate.home() / TOKEN_FILE


def app(server: MCPServer[Any], host: str, port: int) -> App:
    """Return the guarded application."""
    if host not in LOOPBACK:
        raise BadRequest(
            f"{host!r} is not this machine.",
            hint="The server only listens on 127.0.0.1; put a proxy with TLS before it.",
        )
    from mcp.server.transport_security import TransportSecuritySettings

    # The guard has checked already; the SDK's own check stays on as a second one.
    names = [f"{name}:{port}" for name in ("127.0.0.1", "localhost", "[::1]")]
    security = TransportSecuritySettings(allowed_hosts=names, allowed_origins=[f"http://{name}" for name in names])
    inner = server.streamable_http_app(host=host, transport_security=security, json_response=True)
    return TokenGuard(inner, token(), port)


def serve(server: MCPServer[Any], host: str, port: int) -> None:
    """Serve until interrupted."""
    import uvicorn

    uvicorn.run(
        app(server, host, port),
        host=host,
        port=port,
        log_level="warning",
        server_header=False,
        timeout_graceful_shutdown=ENDS_SECONDS,
    )
