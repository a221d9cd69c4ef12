"""The opt-in request for a URL in a memory: one HEAD to a public address, whose answer is final (S10)."""

from __future__ import annotations

import http.server
import threading
from collections.abc import Iterator

import pytest

from tenure.audit import online

WHERE = "docs.example.org"


class Redirecting(http.server.BaseHTTPRequestHandler):
    """Answers everything with a redirect to itself, and keeps what it was asked for."""

    asked: list[tuple[str, str]]

    def do_HEAD(self) -> None:
        self.asked.append((self.command, self.path))
        self.send_response(302)
        self.send_header("Location", f"http://{self.headers['Host']}/secret")
        self.end_headers()

    do_GET = do_HEAD

    def log_message(self, *_: object) -> None:
        """Print nothing."""


@pytest.fixture
def server() -> Iterator[http.server.HTTPServer]:
    Redirecting.asked = []
    served = http.server.HTTPServer(("127.0.0.1", 0), Redirecting)
    thread = threading.Thread(target=served.serve_forever, daemon=True)
    thread.start()
    yield served
    served.shutdown()
    thread.join()
    served.server_close()


def test_a_redirect_is_an_answer_and_not_followed(
    server: http.server.HTTPServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    """S10: whoever answers at a public address could lead the next request to one of the person's network."""
    monkeypatch.setattr(online, "public_address", lambda host, port: "127.0.0.1")
    found = online.head.__wrapped__(f"http://{WHERE}:{server.server_port}/page")
    assert found.status == 302
    assert Redirecting.asked == [("HEAD", "/page")]


def test_an_address_of_the_persons_own_network_is_not_asked(server: http.server.HTTPServer) -> None:
    """The same server without the stand-in for an address: nobody asks it."""
    found = online.head.__wrapped__(f"http://127.0.0.1:{server.server_port}/page")
    assert found.status is None and Redirecting.asked == []
