"""The security table: every address, found by looking at the application, behind one guard (issue 21)."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from starlette.routing import Mount, Route

from tenure.model.actor import Actor, Kind
from tenure.surfaces.web.request_gate import ENTER, MOST_BODY_BYTES, STYLE
from tests.program import Program
from tests.surfaces.web.asking import HERE, Pages

EVIL = "http://evil.example"


def addresses(pages: Pages) -> Iterator[tuple[str, str]]:
    """Return (method, path) of every route there is."""
    for route in pages.site.app.routes:
        if isinstance(route, Mount):
            yield "GET", f"{route.path}/style.css"
            continue
        assert isinstance(route, Route), f"a kind of route nobody has looked at: {route!r}"
        path = route.path.replace("{project}", "nowhere").replace("{id:path}", "make-db").replace("{number}", "1")
        assert "{" not in path
        for method in sorted(route.methods or ()):
            yield method, path


def test_every_address_is_refused_without_a_visit(project: Program) -> None:
    pages = Pages()
    found = list(addresses(pages))
    assert len(found) > 10
    for method, path in found:
        if path in (ENTER, STYLE) and method == "GET":
            continue
        ask = pages.get if method != "POST" else lambda path, **changed: pages.post(path, {}, **changed)
        for cookie in (None, f"{pages.door.cookie}=guess", "other=1", f"tenure-1={pages.key}", "\x00=;;"):
            assert ask(path, cookie=cookie).status == 401, (method, path, cookie)


def test_every_address_needs_the_visits_own_place_and_its_cookie(project: Program) -> None:
    """A browser sends the cookie to every port of the machine, and an agent's server may listen on another one."""
    pages = Pages()
    came = pages.door.set_cookie(pages.key)
    assert f"Path={pages.door.base}/;" in came, "so the browser sends it to no address that another server knows"
    for method, path in addresses(pages):
        if path in (ENTER, STYLE) and method == "GET":
            continue
        for base in ("", "/", "/guess", pages.door.base.swapcase(), pages.door.base + "x", f"{pages.door.base}%2f"):
            headers = {**pages.headers(), "origin": HERE} if method == "POST" else pages.headers()
            assert pages.ask(method, base + path, headers).status == 401, (method, path, base)


@pytest.mark.parametrize("others", ["bad[=x", 'a="', "tenure-8764=of another server", "=; ;;\x01="])
def test_cookies_of_other_servers_lock_nobody_out(project: Program, others: str) -> None:
    """Cookies know no ports: what another server here set is sent along, before ours or after."""
    pages = Pages()
    ours = pages.headers()["cookie"]
    for header in (f"{others}; {ours}", f"{ours}; {others}"):
        assert pages.get("/", cookie=header).status == 200, header


def test_a_number_of_any_length_is_no_bug_of_ours(project: Program) -> None:
    """S18: Python reads no number of more than 4,300 digits."""
    pages = Pages()
    long = "9" * 5000
    for path in ("/edit", "/decide", "/repair", "/undo-entry", "/guards/judge", "/guards/switch"):
        form = {"id": "make-db", "decision": "keep", "version": long, "version:make-db": long, "entry": long,
                "fire": long, "verdict": "right", "level": "tell", "old": "make", "new": "run"}  # fmt: skip
        assert pages.post(path, form).status in (303, 404), path


def test_every_address_is_refused_under_another_name_or_from_another_page(project: Program) -> None:
    pages = Pages()
    for method, path in addresses(pages):
        ask = pages.get if method != "POST" else lambda path, **changed: pages.post(path, {}, **changed)
        for host in ("evil.example", "127.0.0.1:1", "127.0.0.1.evil.example:8764", None, ""):
            assert ask(path, host=host).status == 421, (method, path, host)
        for origin in (EVIL, "null", "http://127.0.0.1:1", "https://127.0.0.1:8764", ""):
            assert ask(path, origin=origin).status == 403, (method, path, origin)
        if path != ENTER:
            for site in ("cross-site", "same-site"):
                assert ask(path, sec_fetch_site=site).status == 403, (method, path, site)


def test_every_form_needs_the_secret_of_its_visit(project: Program) -> None:
    pages = Pages()
    forms = [path for method, path in addresses(pages) if method == "POST"]
    assert len(forms) > 4
    for path in forms:
        assert pages.post(path, {}, csrf="guess").status == 403, path
        assert pages.post(path, {"csrf": [pages.visit.csrf, pages.visit.csrf]}).status == 403, path
        assert pages.post(path, {}, origin=None).status == 403, path
        assert pages.post(path, {}, content_type="text/plain").status == 415, path
        assert pages.post(path, {}, content_type="application/json").status == 415, path
        assert pages.post(path, {}, content_length=None).status == 411, path
        assert pages.post(path, {}, content_length=str(MOST_BODY_BYTES + 1)).status == 413, path
        assert pages.post(path, {"a": "x" * (MOST_BODY_BYTES + 1)}, content_length="10").status == 413, path
        assert pages.get(path).status == 405, path


def test_every_form_is_refused_where_one_may_only_look(project: Program) -> None:
    """Beside a coding agent, without a terminal, and with --read-only."""
    beside = Actor(user="ann", surface="web", kind=Kind.AGENT, host="claude-code")
    nobody = Actor(user="ann", surface="web")
    for pages in (Pages(actor=beside), Pages(actor=nobody), Pages(read_only=True)):
        for method, path in addresses(pages):
            if method == "POST":
                assert pages.post(path, {}).status == 423, path
        assert "Approve" not in pages.get("/").text


@pytest.mark.parametrize("method", ["PUT", "DELETE", "PATCH", "OPTIONS", "TRACE", "CONNECT", "get"])
def test_other_methods_are_refused_everywhere(project: Program, method: str) -> None:
    pages = Pages()
    for _, path in addresses(pages):
        assert pages.ask(method, path, pages.headers()).status == 405


def test_every_answer_forbids_what_it_does_not_need(project: Program) -> None:
    pages = Pages()
    for method, path in addresses(pages):
        answers = [pages.get(path), pages.get(path, cookie=None), pages.get(path, host="evil.example")]
        answers += [pages.post(path, {})] if method == "POST" else []
        for answer in answers:
            policy = answer.headers["content-security-policy"]
            assert policy.startswith("default-src 'none'")
            assert "unsafe" not in policy and "http" not in policy and "*" not in policy
            assert answer.headers["cache-control"] == "no-store", path
            assert answer.headers["x-content-type-options"] == "nosniff"
            assert "server" not in answer.headers and "x-powered-by" not in answer.headers
            assert "access-control-allow-origin" not in answer.headers


def test_a_ticket_works_once(project: Program) -> None:
    pages = Pages()
    used = pages.ask("GET", f"{ENTER}?ticket={pages.door.ticket}", {"host": HERE.removeprefix("http://")})
    assert used.status == 401 and "set-cookie" not in used.headers
    fresh = Pages()
    fresh.door._is_used = False
    for wrong in ("", "x", fresh.door.ticket[:-1], fresh.door.ticket + "x", fresh.door.ticket.swapcase()):
        assert fresh.ask("GET", f"{ENTER}?ticket={wrong}", {"host": HERE.removeprefix("http://")}).status == 401
    came = fresh.ask("GET", f"{ENTER}?ticket={fresh.door.ticket}", {"host": HERE.removeprefix("http://")})
    assert came.status == 200
    cookie = came.headers["set-cookie"]
    assert "HttpOnly" in cookie and "SameSite=Strict" in cookie and fresh.door.ticket not in cookie


def test_an_error_of_ours_leaves_without_a_trace(project: Program, monkeypatch: pytest.MonkeyPatch) -> None:
    def breaks(*_: object, **named: object) -> None:
        raise RuntimeError("secret words of a memory")

    pages = Pages()
    monkeypatch.setattr("tenure.workspace.Workspace.queue_page", breaks)
    answer = pages.get("/")
    assert answer.status == 500
    assert "secret" not in answer.text and "Traceback" not in answer.text and "RuntimeError" not in answer.text


def test_an_error_in_the_making_of_a_page_is_a_page_of_ours(project: Program, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whatever breaks, the person is led back, and the answer forbids what every other one does."""
    pages = Pages()
    monkeypatch.setattr("tenure.surfaces.web.pages.health.plots.stacked", lambda *_, **named: 1 / 0)
    answer = pages.get("/health")
    assert answer.status == 500 and "Open the queue" in answer.text and "ZeroDivision" not in answer.text
    assert answer.headers["content-security-policy"].startswith("default-src 'none'")
    monkeypatch.setattr("tenure.workspace.Workspace.trend", lambda *_, **named: 1 / 0)
    data = pages.get("/health.json")
    assert data.status == 500 and data.headers["content-type"] == "application/json" and b"Zero" not in data.body


@pytest.mark.parametrize(
    "path", ["/static/../request_gate.py", "/static/%2e%2e/request_gate.py", "/static//etc/passwd", "/memory/\x00"]
)
def test_no_address_leads_out_of_what_is_served(project: Program, path: str) -> None:
    answer = Pages().get(path)
    assert answer.status == 404 and "import" not in answer.text and "root:" not in answer.text


@pytest.mark.parametrize(
    "to", [EVIL, "//evil.example", "/\\evil.example", "javascript:alert(1)", "/a\r\nset-cookie: a=b", "/memories", ""]
)
def test_a_form_leads_back_to_a_page_of_this_server_only(project: Program, to: str) -> None:
    pages = Pages()
    answer = pages.post("/undo", {"next": to})
    assert answer.status == 303
    assert answer.headers["location"] == "/"
    assert "set-cookie" not in answer.headers
