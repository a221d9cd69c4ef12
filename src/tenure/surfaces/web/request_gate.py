"""The check before every address: who asks, from where, and how much. No page is reached without it.

Another page in the person's browser can reach this machine too. Host and Origin keep it out, even under a name that
it controls; the cookie is not sent from there, and a form without this visit's secret is refused. A server on another
port gets no cookie: it belongs to the secret address below which the pages lie. Error pages reveal nothing of what went
wrong inside.
"""

from __future__ import annotations

import hmac
import logging
from collections.abc import Awaitable, Callable, MutableMapping
from typing import Any
from urllib.parse import parse_qs

from tenure.surfaces.web.visits import Door, Visit

Scope = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[MutableMapping[str, Any]]]
Send = Callable[[MutableMapping[str, Any]], Awaitable[None]]
App = Callable[[Scope, Receive, Send], Awaitable[None]]

# The one page that needs no cookie, because it gives one, and what it looks like, which holds nothing of a project.
ENTER = "/enter"
STYLE = "/static/style.css"
# The one form that a visit may send that does not decide yet.
WORD = "/word"
MOST_BODY_BYTES = 256 * 1024
FORM = "application/x-www-form-urlencoded"
POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; form-action 'self'; "
    "base-uri 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types 'none'"
)
HEADERS = {
    "content-security-policy": POLICY,
    "cache-control": "no-store",
    "x-content-type-options": "nosniff",
    "x-frame-options": "DENY",
    "referrer-policy": "same-origin",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "permissions-policy": "camera=(), geolocation=(), microphone=()",
}
SAID = {
    400: "The request is malformed.",
    401: "This browser has not opened the link that tenure ui printed, or the link was already used.",
    403: "The request did not come from a page of this server.",
    404: "There is no page at this address.",
    405: "This address does not accept that method.",
    411: "The request does not state its length.",
    413: "The request is larger than any form of these pages.",
    415: "This address accepts forms only.",
    421: "This server answers only to 127.0.0.1 and localhost.",
    423: "These pages are read-only.",
    500: "Something went wrong. Details are not shown here; run the same command in a terminal to see them.",
}
_log = logging.getLogger("tenure.web")


class RequestGuard:
    """Lets a request through only for this machine, from a visit that came in with a ticket."""

    def __init__(self, app: App, door: Door, port: int, *, seen: Callable[[], None] = lambda: None) -> None:
        self.app, self.door, self._seen = app, door, seen
        self._hosts = {f"{name}:{port}" for name in ("127.0.0.1", "localhost", "[::1]")}
        self._origins = {f"http://{host}" for host in self._hosts}

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Refuse what does not belong here; pass on the rest with its visit and its form."""
        if scope["type"] == "lifespan":
            await self.app(scope, receive, send)
            return
        if scope["type"] != "http":
            return
        headers = _headers(scope)
        status, visit = self._refusal(scope, headers)
        body = b""
        if not status and scope["method"] == "POST":
            body, status = await _body(headers, receive)
            if not status and visit is not None:
                status = self._form_refusal(visit, body)
        if status:
            await _refuse(status, scope, send)
            return
        self._seen()
        scope["tenure.visit"], scope["tenure.form"] = visit, _form(body)
        if self.door.is_below(scope["path"]):
            scope["root_path"] = self.door.base
        started = False

        async def guarded(message: MutableMapping[str, Any]) -> None:
            nonlocal started
            if message["type"] == "http.response.start":
                started = True
                kept = [pair for pair in message.get("headers", []) if pair[0].decode().lower() not in HEADERS]
                message["headers"] = [*kept, *_pairs(HEADERS)]
            await send(message)

        try:
            await self.app(scope, receive, guarded)
        except Exception:
            # The text of an error may hold a memory's words, or a path.
            _log.exception("A page failed.")
            if not started:
                await _refuse(500, scope, send)

    def _refusal(self, scope: Scope, headers: dict[str, list[str]]) -> tuple[int, Visit | None]:
        if len(headers.get("host", [])) != 1 or headers["host"][0].lower() not in self._hosts:
            return 421, None
        if any(origin not in self._origins for origin in headers.get("origin", [])):
            return 403, None
        # A link on another page may lead to the door, and no further.
        site = headers.get("sec-fetch-site", ["same-origin"])[0]
        if site not in ("same-origin", "none") and scope["path"] != ENTER:
            return 403, None
        if scope["method"] not in ("GET", "HEAD", "POST"):
            return 405, None
        if scope["path"] in (ENTER, STYLE) and scope["method"] == "GET":
            return 0, None
        visit = self.door.visit(headers.get("cookie", []))
        if visit is None or not self.door.is_below(scope["path"]):
            return 401, None
        if scope["method"] == "POST":
            if not headers.get("origin"):
                return 403, None
            if self.door.read_only or not (visit.decides or scope["path"] == self.door.base + WORD):
                return 423, None
        return 0, visit

    @staticmethod
    def _form_refusal(visit: Visit, body: bytes) -> int:
        given = _form(body).get("csrf", [""])
        if len(given) != 1 or not hmac.compare_digest(given[0].encode(), visit.csrf.encode()):
            return 403
        return 0


async def _body(headers: dict[str, list[str]], receive: Receive) -> tuple[bytes, int]:
    """Return the form of a request, or the status that refuses it; nothing is read beyond the limit."""
    if headers.get("content-type", [""])[0].partition(";")[0].strip().lower() != FORM:
        return b"", 415
    length = headers.get("content-length", [""])[0]
    if not length.isdecimal():
        return b"", 411
    if int(length) > MOST_BODY_BYTES:
        return b"", 413
    body = b""
    while True:
        message = await receive()
        if message["type"] != "http.request":
            return b"", 400
        body += message.get("body", b"")
        if len(body) > MOST_BODY_BYTES:
            return b"", 413
        if not message.get("more_body"):
            return body, 0


def _form(body: bytes) -> dict[str, list[str]]:
    try:
        return parse_qs(body.decode("ascii"), keep_blank_values=True, errors="replace", max_num_fields=2000)
    except (UnicodeDecodeError, ValueError):
        return {}


def _headers(scope: Scope) -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    for name, value in scope["headers"]:
        found.setdefault(name.decode("latin-1").lower(), []).append(value.decode("latin-1"))
    return found


def _pairs(headers: dict[str, str]) -> list[tuple[bytes, bytes]]:
    return [(name.encode(), value.encode()) for name, value in headers.items()]


async def _refuse(status: int, scope: Scope, send: Send) -> None:
    hint = " Run <code>tenure ui</code> in a terminal and open the link it prints." if status == 401 else ""
    page = (
        '<!doctype html><html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width">'
        f'<title>Tenure: {status}</title><link rel="stylesheet" href="{STYLE}"><main><section class="empty">'
        f"<h1>{status}</h1><p>{SAID.get(status, SAID[400])}{hint}</p></section></main></html>"
    ).encode()
    headers = [*_pairs(HEADERS), (b"content-type", b"text/html; charset=utf-8")]
    headers.append((b"content-length", str(len(page)).encode()))
    await send({"type": "http.response.start", "status": status, "headers": headers})
    await send({"type": "http.response.body", "body": b"" if scope.get("method") == "HEAD" else page})
