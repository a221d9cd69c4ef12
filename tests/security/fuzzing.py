"""Random damage for every edge of the program, in process: whatever comes in, no traceback and no status 70 (S18).

Each target takes one good input and a source of chance, spoils the input and hands it to the program as its caller
would. It returns what went wrong, nothing when the program refused or accepted it properly.
"""

from __future__ import annotations

import asyncio
import contextlib
import io
import json
import os
import random
import shutil
import subprocess
import sys
import threading
import traceback
from collections.abc import Callable, Iterator, MutableMapping
from pathlib import Path
from typing import IO, Any

import tenure
from tenure.__main__ import main as program
from tenure.hosts.api import place
from tenure.hosts.catalog import HOSTS
from tenure.surfaces.cli.app import COMMANDS
from tenure.surfaces.hooks import EVENTS
from tests.capture.transcript_files import write
from tests.security.hostile_clone import STORES

# Serving and playing are not asked for answers here.
LEFT_OUT = {"mcp", "ui", "demo"}
# It starts programs, so it takes as long as a hundred other commands.
SLOW = "doctor"
PIECES = [
    b"NaN", b"Infinity", b"-1e999", b"1e400", b"9" * 400, b"null", b"true", b"[]", b"{}", b'""', b"\\ud800",
    b"\xff\xfe", b"\x00", b"[" * 3000, b'{"a":' * 2000, b"../../../etc/passwd", b"\r\n", b"\xe2\x80\xa8",
    b"\x1b[2J", b'"', b"\\",
    b"---", b"---\n", b"\n\n", b"<private>", b"</memory-context>", b"=", b"'''", b'"""', b"2026-02-30T99:99:99Z",
    b"0000-00-00", b"--", b"-", b"*", b"%s", b"%00", b"A" * 70_000, b"\xf0\x9f\x91\xa8\xe2\x80\x8d", b":", b"[[", b"]]",
]  # fmt: skip
WORDS = [
    "", "mine", "m-001", "queue", "../x", "/etc/passwd", "-", "--", "é" * 200, "a" * 5000, "NaN", "-1", "1e9",
    "canonical", "approve", "keep", "positive", "negative", "lesson", "9999999999999999999", "sqlite:x.db",
    "geas:.geas", "jsonl:out.jsonl", "2026-13-45", "30d", "*", "%", "' OR 1=1 --", "\u202e", "$(id)", "{}",
    "[]", "retired", "user",
]  # fmt: skip
TRANSCRIPT = [("user", "We decided to use Redis because Celery loses jobs."), ("assistant", "Noted."), ("user", "yes")]


def spoilt(data: bytes, rng: random.Random) -> bytes:
    """Return bytes with a few pieces cut, doubled, turned or put in."""
    out = bytearray(data)
    for _ in range(rng.randint(1, 6)):
        at, length = rng.randint(0, len(out)), rng.choice((1, 1, 2, 8, 64, 512))
        what = rng.randrange(5)
        if what == 0:
            del out[at : at + length]
        elif what == 1:
            out[at:at] = rng.choice(PIECES)
        elif what == 2:
            out[at:at] = out[at : at + length]
        elif what == 3 and out:
            out[at % len(out)] = rng.randrange(256)
        else:
            out[at : at + length] = rng.choice(PIECES)
    return bytes(out)


class Ground:
    """A project with a memory, an export, settings, transcripts and the files of four systems, rebuilt when spoilt."""

    def __init__(self, folder: Path) -> None:
        self.folder, self.number = folder, 0
        self.renew()

    def renew(self) -> None:
        """Make a new project beside the last one."""
        self.number += 1
        self.project = self.folder / f"project{self.number}"
        (self.project / ".git").mkdir(parents=True)
        os.chdir(self.project)
        os.environ.pop("TENURE_STORE", None)
        with tenure.open(None, self.project) as ws:
            ws.add("Run make db before the integration tests", id="mine", tags=["db"], files=["Makefile"])
            ws.add("Use Redis as the queue for background jobs", id="queue", kind="decision")
            ws.export(f"jsonl:{self.project / 'out.jsonl'}")
        self.exported = (self.project / "out.jsonl").read_bytes()
        self.transcript = write(self.project / "s.jsonl", TRANSCRIPT, tools=3).read_bytes()
        self.systems: dict[str, list[Path]] = {}
        for url in STORES.values():
            if url:
                (self.project / url.partition(":")[2]).mkdir(parents=True, exist_ok=True)
                with tenure.open(url, self.project) as ws:
                    ws.add("The launch word is heliotrope", title="A note of ours")
                found = [path for path in (self.project / url.partition(":")[2]).rglob("*") if path.is_file()]
                self.systems[url] = found

    def run(self, words: list[str], stdin: bytes = b"") -> str:
        """Run one command in this process; return a traceback or what stands for one."""
        out, err = io.TextIOWrapper(io.BytesIO(), "utf-8"), io.TextIOWrapper(io.BytesIO(), "utf-8")
        given, sys.stdin = sys.stdin, io.TextIOWrapper(io.BytesIO(stdin), "utf-8", errors="surrogateescape")
        try:
            with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
                status = program(words)
        except SystemExit as stop:
            status = stop.code if isinstance(stop.code, int) else 1
        except BaseException:
            return f"{words!r:.300} {stdin[:200]!r}\n{traceback.format_exc()}"
        finally:
            sys.stdin = given
            os.chdir(self.project)
        if status == 70:
            err.flush()
            return f"{words!r:.300} {stdin[:200]!r}: status 70: {err.buffer.getvalue()[-600:]!r}"
        return ""


def command_line(ground: Ground, rng: random.Random) -> str:
    """Any command with any words and options it has; of a group, any of its commands."""
    import click

    from tenure.surfaces.cli.app import LazyGroup

    name = rng.choice([name for name in COMMANDS if name not in LEFT_OUT and (name != SLOW or rng.random() < 0.1)])
    found = LazyGroup("tenure").get_command(click.Context(LazyGroup("tenure")), name)
    words = [name]
    while isinstance(found, click.Group) and rng.random() < 0.95:
        words.append(rng.choice(found.list_commands(click.Context(found))))
        found = found.get_command(click.Context(found), words[-1])
    options = [option for each in found.params for option in each.opts if option.startswith("-")] if found else []
    options = [option for option in options if option not in ("--online", "--apply")]
    known = [*WORDS, *(HOSTS if name in ("install", "uninstall") else ())]
    for _ in range(rng.randint(0, 5)):
        words.append(rng.choice(options) if options and rng.random() < 0.5 else rng.choice(known))
    return ground.run([*(["--json"] if rng.random() < 0.5 else []), *words])


def wiring(ground: Ground, rng: random.Random) -> str:
    """Spoilt settings of a coding agent, for `install`, `uninstall` and `doctor`."""
    agent = HOSTS[rng.choice(list(HOSTS))]
    scope = rng.choice([word for word, settings in (("--user", agent.user), ("--project", agent.project)) if settings])
    if wrong := ground.run(["install", agent.name, scope, "--yes"]):
        return wrong
    settings = agent.user if scope == "--user" else agent.project
    path = place(rng.choice(settings), agent, ground.project)
    before = path.read_bytes() if path.is_file() else b""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(spoilt(before, rng))
    asked = [["install", agent.name, scope, "--yes"], ["uninstall", agent.name, scope, "--yes"]]
    asked += [["install", agent.name, scope, "--dry-run"], ["off", "--project"], ["on", "--project"], ["status"]]
    try:
        return ground.run(["doctor"] if rng.random() < 0.02 else rng.choice(asked))
    finally:
        path.unlink(missing_ok=True)
        ground.run(["uninstall", agent.name, scope, "--yes"])


TEAM_FILE = b"""---
type: lesson
title: Pin the compiler
tags: [build, "c++"]
status: stable
stale_after: 2030-01-01
generated: {by: tenure, at: 2026-01-02T03:04:05Z}
tenure:
  state: canonical
  commit: 0123456789abcdef
  scope: project
  files: [Makefile]
  content: {rule: pin, why: "it broke"}
  confidence: 100
  guard: {state: on, level: deny}
---

Pin the compiler to 12.3, because 12.4 breaks `make db`.
"""
TEAM_NAMES = [
    "pin.md", "mine.md", "-.md", "--help.md", ".md", "..md", "a b.md", "m-001.md", "\u202e.md", "index.md",
    "x" * 240 + ".md",
    "\n.md", "user:mine.md", "a\\b.md", "~.md", "%2e%2e%2f.md", "\udcff.md", "MINE.md", "mi\u0301ne.md",
]  # fmt: skip
TEAM_LINKS = ["/dev/zero", "/etc/passwd", ".", "../../out.jsonl", "self.md"]


def team_files(ground: Ground, rng: random.Random) -> str:
    """Forged files of the team: spoilt text, names that are paths or marks, links, pipes, folders."""
    folder = ground.project / ".tenure" / "team"
    folder.mkdir(parents=True, exist_ok=True)
    for number in range(rng.randint(1, 4)):
        path = folder / rng.choice(TEAM_NAMES)
        if path.is_symlink() or path.exists():
            continue
        kind = rng.random()
        if kind < 0.8:
            path.write_bytes(spoilt(TEAM_FILE, rng) if number else TEAM_FILE)
        elif kind < 0.9:
            path.symlink_to(rng.choice(TEAM_LINKS))
        elif kind < 0.95:
            os.mkfifo(path)
        else:
            path.mkdir()
    asked = ["status", "list --all", "inject pin the compiler", "search compiler", "check", "team check", "review",
             "share mine", "show pin", "why pin", "history pin", "edit pin --text x", "retire pin --reason r",
             "forget pin --yes", "guard pin", "guards", "audit --deep", "upkeep", "export -", "doctor",
             "team check --format github"]  # fmt: skip
    try:
        if rng.random() < 0.5 and (wrong := ground.run(["trust", "--yes"])):
            return wrong
        if rng.random() < 0.3:
            message = {"session_id": "s", "cwd": str(ground.project), "source": "startup"}
            return ground.run(["hook", "session-start"], json.dumps(message).encode())
        words = rng.choice([each for each in asked if each != SLOW or rng.random() < 0.1]).split()
        return ground.run([*(["--json"] if rng.random() < 0.5 else []), *words])
    finally:
        shutil.rmtree(folder)


def hook(ground: Ground, rng: random.Random) -> str:
    """Any event of any host with a spoilt message; a hook also must not note an error that is not ours."""
    message: dict[str, Any] = {
        "session_id": "s", "cwd": str(ground.project), "prompt": "which queue for background jobs?",
        "source": "startup", "transcript_path": str(ground.project / "s.jsonl"), "tool_name": "Bash",
        "hook_event_name": "PostToolUse",
        "tool_input": {"command": "make test", "file_path": "Makefile"}, "tool_response": {"stdout": "ok"},
    }  # fmt: skip
    for name in rng.sample(list(message), rng.randint(0, 3)):
        message[name] = rng.choice([None, 1, [], {}, "", "\ud800", ["x"], {"a": 1}, 1e308, "x" * 10_000, True])
    data = json.dumps(message).encode()
    if rng.random() < 0.5:
        data = spoilt(data, rng)
    host = rng.choice(["", "claude-code", "codex", "gemini", "cursor", "copilot", "opencode", "cline", "x"])
    os.environ["TENURE_NO_WORKER"] = "1"
    log = Path(os.environ["TENURE_HOME"]) / "hooks.log"
    log.unlink(missing_ok=True)
    event = rng.choice(list(EVENTS))
    wrong = ground.run(["hook", event, *(["--host", host] if host else [])], data)
    noted = log.read_text("utf-8", "replace") if log.exists() else ""
    bugs = ("KeyError", "IndexError", "AttributeError", "TypeError", "NameError", "AssertionError", "UnboundLocal")
    return wrong or (f"hook {event} {data[:300]!r}: {noted}" if any(bug in noted for bug in bugs) else "")


def importing(ground: Ground, rng: random.Random) -> str:
    """A spoilt export."""
    (ground.project / "in.jsonl").write_bytes(spoilt(ground.exported, rng))
    return ground.run(["import", "jsonl:in.jsonl", *(["--dry-run"] if rng.random() < 0.5 else [])])


def proposals(ground: Ground, rng: random.Random) -> str:
    """Spoilt proposals and transcripts."""
    good = json.dumps({"kind": "lesson", "text": "Pin the compiler", "run": "r", "evidence": ["e"], "tags": ["t"]})
    data = rng.choice([good.encode() + b"\n", ground.transcript])
    (ground.project / "p.jsonl").write_bytes(spoilt(data, rng))
    return ground.run(["capture", "p.jsonl", "--dry-run"])


def settings(ground: Ground, rng: random.Random) -> str:
    """Spoilt settings of the user and of the project."""
    good = b'[policy.promotion]\nstart = "candidate"\n[policy.inject]\nlimit = 3\nbudget_chars = 900\n[drafter]\n'
    path = rng.choice([Path(os.environ["TENURE_HOME"]) / "config.toml", ground.project / ".tenure" / "config.toml"])
    path.write_bytes(spoilt(good, rng))
    try:
        return ground.run(rng.choice([["policy"], ["status"], ["inject", "queue"], ["upkeep", "--dry-run"]]))
    finally:
        path.unlink()


def files(ground: Ground, rng: random.Random) -> str:
    """Spoilt files of another system."""
    url = rng.choice(list(ground.systems))
    path = rng.choice(ground.systems[url])
    before = path.read_bytes() if path.is_file() else b""
    path.write_bytes(spoilt(before, rng))
    asked = [["list", "--all"], ["check"], ["inject", "heliotrope"], ["add", "One more thing"], ["upkeep"], ["status"]]
    try:
        return ground.run(["--store", url, *rng.choice(asked)])
    finally:
        path.write_bytes(before)


def dropped_in(ground: Ground, rng: random.Random) -> str:
    """The drop-in command lines with spoilt standard input and words."""
    system, names = rng.choice([
        ("archeflow", ["extract", "inject", "add", "list", "decay", "forget", "audit-check", "regression-check"]),
        ("claude-memory", ["triage", "candidate", "index", "retrieve", "write-guard", "validate-hook", "search"]),
    ])  # fmt: skip
    message = {"prompt": "which launch word do we use?", "cwd": str(ground.project), "tool_input": {"file_path": "x"}}
    data = spoilt(json.dumps(message).encode(), rng)
    return ground.run([system, rng.choice(names), *rng.choices(WORDS, k=rng.randint(0, 3))], data)


def tools(ground: Ground, rng: random.Random) -> str:
    """The MCP server's tools, called as a client would."""
    from mcp.server.mcpserver.exceptions import ToolError

    from tenure.surfaces.mcp import reference, server

    made = rng.choice([server, reference]).make(None, str(ground.project))
    known = asyncio.run(made.list_tools())
    tool = rng.choice(known)
    values: list[Any] = [*WORDS, "\x00", None, 1, -5, 10**30, [], ["x"], {}, True, 1.5]
    values += [[{"name": "a", "entityType": "b"}], [[[]]]]
    names = list((getattr(tool, "input_schema", None) or getattr(tool, "inputSchema", {})).get("properties", {}))
    given = {name: rng.choice(values) for name in names if rng.random() < 0.9}
    try:
        asyncio.run(made.call_tool(tool.name, given))
    except ToolError as error:
        cause = error.__cause__
        if cause is not None and type(cause).__name__ not in ("ValidationError", "ToolError"):
            return f"{tool.name} {given!r:.300}: {type(cause).__name__}: {cause}"
    except Exception:
        return f"{tool.name} {given!r:.300}\n{traceback.format_exc()}"
    return ""


def http(ground: Ground, rng: random.Random) -> str:
    """The MCP server on HTTP with a valid token: spoilt bodies and methods, never a server error."""
    from tenure.surfaces.mcp import server, web

    token = web.token()
    inner = server.make(None, str(ground.project)).streamable_http_app()
    app = web.TokenGuard(inner, token, 8765)
    call = {"jsonrpc": "2.0", "id": 1, "method": rng.choice(["tools/list", "tools/call", "initialize", "x"]),
            "params": {"name": "search", "arguments": {"query": "queue"}}}  # fmt: skip
    data = spoilt(json.dumps(call).encode(), rng)
    headers = {
        "authorization": f"Bearer {token}", "host": "127.0.0.1:8765", "accept": "application/json, text/event-stream",
        "content-type": rng.choice(["application/json", "text/plain", "x"]),
        "mcp-session-id": rng.choice(["", "x", "1" * 300]),
    }  # fmt: skip

    path, method = rng.choice(["/mcp", "/", "/mcp/x"]), rng.choice(["POST", "POST", "DELETE", "PUT", "OPTIONS"])
    scope = {
        "type": "http", "asgi": {"version": "3.0"}, "http_version": "1.1", "method": method, "path": path,
        "raw_path": path.encode(), "query_string": b"", "root_path": "", "scheme": "http",
        "server": ("127.0.0.1", 8765), "client": ("127.0.0.1", 9), "headers": [(name.encode(),
        value.encode()) for name, value in headers.items()],
    }  # fmt: skip
    statuses: list[int] = []

    async def receive() -> dict[str, object]:
        if statuses:
            return {"type": "http.disconnect"}
        return {"type": "http.request", "body": data, "more_body": False}

    async def send(message: MutableMapping[str, Any]) -> None:
        if message["type"] == "http.response.start":
            statuses.append(message["status"])

    async def asked() -> int:
        async with inner.router.lifespan_context(inner):
            await app(scope, receive, send)
        return statuses[0] if statuses else 500

    try:
        status = asyncio.run(asyncio.wait_for(asked(), 60))
    except Exception:
        return f"{data[:300]!r}\n{traceback.format_exc()}"
    return f"{data[:300]!r}: status {status}" if status >= 500 else ""


def stdio(ground: Ground, rng: random.Random) -> str:
    """The MCP server as a client starts it: spoilt lines, then a good call that must still be answered."""
    hello = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "x", "version": "1"}}
    good = [
        {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": hello},
        {"jsonrpc": "2.0", "method": "notifications/initialized"},
    ]
    names = ["search", "remember", "feedback", "history", "inject", "recall", "x"]
    methods = ["tools/call", "tools/call", "tools/list", "resources/read", "prompts/get", "completion/complete", "x"]
    methods += ["ping", "logging/setLevel", "notifications/cancelled", "resources/subscribe", "initialize"]
    calls = [
        {"jsonrpc": "2.0", "id": n + 2, "method": rng.choice(methods),
         "params": {"name": rng.choice(names), "uri": f"memory://{rng.choice(WORDS)}",
                    "arguments": {"query": rng.choice(WORDS), "text": rng.choice(WORDS)}}}
        for n in range(rng.randint(1, 60))
    ]  # fmt: skip
    lines = [json.dumps(each).encode() for each in good]
    # A line is a message: what spoils it must not be two.
    lines += [spoilt(json.dumps(each).encode(), rng).replace(b"\n", b" ") for each in calls]
    last = {"jsonrpc": "2.0", "id": 999, "method": "tools/list"}
    server = subprocess.Popen(
        [sys.executable, "-P", "-m", "tenure", "mcp"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        cwd=ground.project,
    )
    # A safety net against a hang, never a measurement.
    net = threading.Timer(300, server.kill)
    net.start()
    assert server.stdin is not None and server.stdout is not None
    sent = b"\n".join([*lines, json.dumps(last).encode()]) + b"\n"

    def send(pipe: IO[bytes]) -> None:
        with contextlib.suppress(BrokenPipeError):
            pipe.write(sent)
            pipe.flush()

    # Beside the reading: a server whose answers nobody takes need not take more.
    sending = threading.Thread(target=send, args=(server.stdin,))
    sending.start()
    # What is left unanswered when the input ends is the client's loss, so it is held open until then.
    answered = any(b'"id":999' in line for line in server.stdout)
    sending.join()
    _, told = server.communicate()
    net.cancel()
    if server.returncode != 0 or b"Traceback" in told or not answered:
        return f"{lines[2:]!r:.900}: status {server.returncode}, answered: {answered}: {told[-1500:]!r}"
    return ""


EDGES = (
    command_line, hook, importing, proposals, settings, wiring, team_files, files, dropped_in, tools, http, stdio,
)  # fmt: skip
TARGETS: dict[str, Callable[[Ground, random.Random], str]] = {target.__name__: target for target in EDGES}


def findings(target: str, folder: Path, rounds: Iterator[int]) -> Iterator[str]:
    """Yield what went wrong in each round; every round can be repeated by its number."""
    ground = Ground(folder)
    for number in rounds:
        if number % 200 == 199:
            ground.renew()
        if wrong := TARGETS[target](ground, random.Random(f"{target}-{number}")):
            yield f"{target} {number}: {wrong}"
