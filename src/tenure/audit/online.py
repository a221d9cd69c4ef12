"""One HEAD request per URL, made only when the user asked for it.

A URL in a memory is somebody else's text: only public addresses are connected to, on the address that was
checked, and a redirect is an answer and not followed.
"""

from __future__ import annotations

import http.client
import ipaddress
import socket
import ssl
from functools import cache
from urllib.parse import urlsplit

import msgspec

SECONDS = 5.0


class UrlAnswer(msgspec.Struct, frozen=True):
    """The status the server gave, or None with the reason why none was asked for or given."""

    status: int | None
    reason: str


@cache
def head(url: str) -> UrlAnswer:
    """Return the server's answer to a HEAD request."""
    parts = urlsplit(url)
    host = parts.hostname
    try:
        port = parts.port or (443 if parts.scheme == "https" else 80)
    except ValueError:
        return UrlAnswer(None, "the URL has no valid port")
    if not host or parts.username or parts.password:
        return UrlAnswer(None, "the URL has no host, or carries credentials")
    address = public_address(host, port)
    if address is None:
        return UrlAnswer(None, "the host is private or has no address")
    try:
        return _ask(host, port, address, parts.scheme == "https", parts.path or "/", parts.query)
    except (OSError, http.client.HTTPException, ValueError) as error:
        return UrlAnswer(None, f"no answer: {type(error).__name__}")


def public_address(host: str, port: int) -> str | None:
    """Return an address of the host, or None unless every one of its addresses is public."""
    try:
        found = {str(row[4][0]) for row in socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)}
        addresses = [ipaddress.ip_address(each.partition("%")[0]) for each in sorted(found)]
    except (OSError, ValueError, UnicodeError):
        return None
    public = all(each.is_global and not each.is_multicast for each in addresses)
    return str(addresses[0]) if addresses and public else None


def _ask(host: str, port: int, address: str, secure: bool, path: str, query: str) -> UrlAnswer:
    raw = socket.create_connection((address, port), timeout=SECONDS)
    stream = ssl.create_default_context().wrap_socket(raw, server_hostname=host) if secure else raw
    connection = http.client.HTTPConnection(host, port, timeout=SECONDS)
    connection.sock = stream
    try:
        target = f"{path}?{query}" if query else path
        connection.request("HEAD", target, headers={"User-Agent": "tenure-audit", "Accept": "*/*"})
        answer = connection.getresponse()
        return UrlAnswer(answer.status, f"HTTP {answer.status}")
    finally:
        connection.close()
