"""Requests to the pages without a network, and the real server as a process."""

from __future__ import annotations

import asyncio
import json
import re
import subprocess
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any, NamedTuple
from urllib.parse import urlencode

from tenure import workspace
from tenure.model.actor import Actor
from tenure.surfaces.web.app import Site
from tenure.surfaces.web.projects import SURFACE, Projects
from tenure.surfaces.web.request_gate import ENTER, STYLE, RequestGuard
from tenure.surfaces.web.visits import Door
from tests.program import Program

PORT = 8764
HERE = f"http://127.0.0.1:{PORT}"


class Answer(NamedTuple):
    """What came back."""

    status: int
    headers: dict[str, str]
    body: bytes

    @property
    def text(self) -> str:
        return self.body.decode()


class Pages:
    """The guarded application, and one visit to it."""

    def __init__(self, store: str | None = None, *, read_only: bool = False, actor: Actor | None = None) -> None:
        self.door = Door(PORT, read_only=read_only)
        self.door.actor = actor or workspace.hand_ticket(SURFACE, "")
        self.site = Site(self.door, Projects(store))
        self.guard = RequestGuard(self.site.app, self.door, PORT)
        self.key = self.door.enter(self.door.ticket) or ""
        visit = self.door.visit([f"{self.door.cookie}={self.key}"])
        assert visit is not None
        self.visit = visit

    def headers(self) -> dict[str, str]:
        return {"host": f"127.0.0.1:{PORT}", "cookie": f"{self.door.cookie}={self.key}"}

    def get(self, path: str, **changed: str | None) -> Answer:
        return self.ask("GET", self.below(path), self._changed(self.headers(), changed))

    def below(self, path: str) -> str:
        """Return where a page lies: all but the door and the style lie below this visit's own address."""
        return path if path.partition("?")[0] in (ENTER, STYLE) else f"{self.door.base}{path}"

    def post(self, path: str, form: Mapping[str, Any], csrf: str | None = None, **changed: str | None) -> Answer:
        sent = {"csrf": self.visit.csrf if csrf is None else csrf, **form}
        body = urlencode(sent, doseq=True).encode()
        own = {**self.headers(), "origin": HERE, "content-type": "application/x-www-form-urlencoded"}
        own["content-length"] = str(len(body))
        return self.ask("POST", self.below(path), self._changed(own, changed), body)

    @staticmethod
    def _changed(headers: dict[str, str], changed: Mapping[str, str | None]) -> dict[str, str]:
        named = {name.replace("_", "-"): value for name, value in changed.items()}
        return {name: value for name, value in {**headers, **named}.items() if value is not None}

    def ask(self, method: str, address: str, headers: Mapping[str, str], body: bytes = b"") -> Answer:
        """Send one request through the guard; addresses in the answer are given as they are below the visit's own."""
        path, _, query = address.partition("?")
        scope = {
            "type": "http",
            "asgi": {"version": "3.0"},
            "http_version": "1.1",
            "method": method,
            "scheme": "http",
            "path": path,
            "raw_path": path.encode(),
            "root_path": "",
            "query_string": query.encode(),
            "headers": [(name.encode(), value.encode("latin-1")) for name, value in headers.items()],
            "client": ("127.0.0.1", 50000),
            "server": ("127.0.0.1", PORT),
        }
        sent: list[Any] = []
        parts = [{"type": "http.request", "body": body, "more_body": False}]

        async def receive() -> Any:
            return parts.pop(0) if parts else {"type": "http.disconnect"}

        async def send(message: Any) -> None:
            sent.append(message)

        asyncio.run(self.guard(scope, receive, send))
        found = {name.decode().lower(): value.decode() for name, value in sent[0]["headers"]}
        found["location"] = found.get("location", "").removeprefix(self.door.base)
        answered = b"".join(message.get("body", b"") for message in sent[1:])
        return Answer(sent[0]["status"], found, answered.replace(self.door.base.encode(), b""))


def pushes_by_force(project: Program) -> None:
    """Give a project a rule, and Claude Code a session in which it was broken six times without anybody minding."""
    project.ok("add", "Never run `git push --force`: others work on these branches.", "--id", "nf")
    kept = project.folder.parent / "claude" / "projects" / "shop"
    kept.mkdir(parents=True)
    lines = []
    for number in range(6):
        line = f"git push --force origin b{number}"
        block = {"type": "tool_use", "id": f"t{number}", "name": "Bash", "input": {"command": line}}
        head = {"type": "assistant", "sessionId": "s", "uuid": f"u{number}", "cwd": str(project.folder)}
        lines.append(json.dumps({**head, "message": {"role": "assistant", "content": [block]}}))
    (kept / "s.jsonl").write_text("\n".join(lines))


@contextmanager
def serving(program: Program, *words: str, **environment: str) -> Iterator[str]:
    """Run `tenure ui` and hand out the address with its ticket."""
    process = subprocess.Popen(
        [sys.executable, "-m", "tenure", "ui", "--no-open", *words],
        cwd=program.folder,
        env=program.variables(environment),
        stderr=subprocess.PIPE,
        text=True,
    )
    try:
        assert process.stderr is not None
        said = ""
        for line in process.stderr:
            said += line
            if found := re.search(r"http://\S+", said):
                yield found.group()
                break
        else:
            raise AssertionError(said)
    finally:
        process.terminate()
        process.wait()
        assert process.stderr is not None
        process.stderr.close()
