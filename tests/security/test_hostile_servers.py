"""S20 and S10 for what serves: both MCP servers on both transports, and the pages, in a clone that means harm.

Every tool, resource, prompt, page and form of today's program is asked for, before the clone is trusted and after,
while hooks ask the running server and its workers run. Nothing of the clone is run, read through a link, or shown.
"""

from __future__ import annotations

import ast
import asyncio
import contextlib
import http.client
import json
import re
import socket
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

import pytest

import tenure
from tests.security.hostile_clone import DIARY, STORES, WORD, Clone, Step, build, drive
from tests.security.test_hostile_clone import EXITS, PROMPT, harmless, hook, worked

SOURCE = Path(tenure.__file__).parent
START = "import sys; from tenure.__main__ import main; sys.exit(main(sys.argv[1:]))"
NET_SECONDS = 300
SERVED = ["native", "claude-memory", "linked-database", "devices"]
BEFORE, AFTER = [(shape, False) for shape in SERVED], [("native", True), ("claude-memory", True)]
CLIENT = {"name": "x", "version": "1"}
HELLO = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": CLIENT}
ENTITY = {"name": "tests", "entityType": "rule", "observations": ["Run make db before the tests"]}
RELATION = {"from": "tests", "to": "keys", "relationType": "needs"}
# Face of the server -> every tool with what a client would send. What erases comes last.
TOOLS: dict[str, dict[str, list[dict[str, Any]]]] = {
    "tenure": {
        "search": [{"query": PROMPT}, {"query": "rule"}],
        "remember": [{"text": "Run make db before the tests"}, {"text": f"See {PROMPT}", "files": ["CLAUDE.md"]}],
        "feedback": [{"id": "rule", "effect": "positive", "task": "T1"}],
        "review_queue": [{}],
        "history": [{"id": "rule"}],
        "inject": [{"task": PROMPT, "files": ["Makefile", "CLAUDE.md"]}],
    },
    "reference": {
        "create_entities": [{"entities": [ENTITY]}],
        "create_relations": [{"relations": [RELATION]}],
        "add_observations": [{"observations": [{"entityName": "tests", "contents": [PROMPT]}]}],
        "read_graph": [{}],
        "search_nodes": [{"query": PROMPT}],
        "open_nodes": [{"names": ["tests", "rule"]}],
        "delete_observations": [{"deletions": [{"entityName": "tests", "observations": [PROMPT]}]}],
        "delete_relations": [{"relations": [RELATION]}],
        "delete_entities": [{"entityNames": ["tests"]}],
    },
}
RESOURCES = ("memory://rule", "memory://mine", "memory://..%2F..%2Foutside%2Fpage.md", "file:///etc/hostname")
PROMPTS: dict[str, dict[str, str]] = {"recall": {"topic": PROMPT}, "retrospect": {}}
# Every form, with fields a person would send; the version of the memory is added. What erases comes last.
FORMS: dict[str, list[dict[str, str]]] = {
    "/word": [{"word": "babebi"}],
    "/decide": [{"decision": what, "id": "rule"} for what in ("later", "approve", "hold", "keep", "weaken")],
    "/edit": [{"id": "mine", "text": "Run make db-test before the tests", "tags": "db"}],
    "/repair": [{"id": "rule", "old": "the tests", "new": "`src/new/parser.py`"}],
    "/settle": [{"left": "mine", "right": "rule", "keep": keep, "text": PROMPT} for keep in ("both", "merge", "left")],
    "/guards/judge": [{"id": "rule", "verdict": "right", "fire": "1"}],
    "/guards/switch": [{"id": id, "level": level} for id in ("mine", "rule") for level in ("count", "deny", "off")],
    "/audit/fix": [{}],
    "/audit/undo": [{}],
    "/supersede": [{"id": "mine", "successor": "rule"}],
    "/undo": [{}],
    "/undo-entry": [{"entry": "1"}],
    "/retire": [{"id": "mine", "reason": "over"}],
    "/change": [{"what": "restore", "id": "mine"}, {"what": "archive", "id": "rule"}],
    "/forget": [{"id": "mine", "sure": "mine"}, {"id": "rule", "sure": "rule"}],
}
# Module that starts a thread or a process that outlives the call -> the test here that lets it run in the clone.
WORKERS = {
    "surfaces/hooks/session_end.py": "test_hostile_clone.py::test_everything_before_trust",
    "usecases/prompt_server.py": "test_hostile_servers.py::test_the_server_on_http",
    # For a team's database only, which the settings of a clone cannot name: they are refused.
    "usecases/follow_database.py": "test_hostile_servers.py::test_the_settings_of_a_clone_cannot_name_a_database",
}


def calls(face: str) -> list[dict[str, Any]]:
    """Return the requests of a client that asks for everything there is."""
    asked: list[dict[str, Any]] = [
        {"method": "initialize", "params": HELLO},
        {"method": "notifications/initialized"},
        {"method": "tools/list"},
        {"method": "resources/list"},
        {"method": "resources/templates/list"},
        {"method": "prompts/list"},
    ]
    for name, several in TOOLS[face].items():
        asked += [{"method": "tools/call", "params": {"name": name, "arguments": given}} for given in several]
    asked += [{"method": "resources/read", "params": {"uri": uri}} for uri in RESOURCES]
    asked += [{"method": "prompts/get", "params": {"name": name, "arguments": PROMPTS[name]}} for name in PROMPTS]
    return [
        {"jsonrpc": "2.0", **({} if "notifications" in each["method"] else {"id": number}), **each}
        for number, each in enumerate(asked)
    ]


@contextlib.contextmanager
def running(clone: Clone, *words: str) -> Iterator[subprocess.Popen[str]]:
    """Run a server in the clone's folder; nothing that it says may be a bug of ours."""
    log = clone.folder.parent / "server.log"
    with log.open("w") as errors:
        process = subprocess.Popen(
            [sys.executable, "-P", "-c", START, *words],
            cwd=clone.folder, env=clone.program.variables(), stderr=errors, stdout=subprocess.DEVNULL, text=True,
        )  # fmt: skip
        try:
            yield process
        finally:
            process.terminate()
            process.wait(NET_SECONDS)
    assert "Traceback" not in log.read_text(), log.read_text()


def connected(process: subprocess.Popen[str], port: int) -> http.client.HTTPConnection | None:
    """Return a connection to the server once it listens; None when it ended without."""
    while process.poll() is None:
        with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", port)):
            return http.client.HTTPConnection("127.0.0.1", port, timeout=NET_SECONDS)
    return None


def hooks_ask_it(clone: Clone, tmp_path: Path) -> None:
    """Let a prompt ask the running server, and a session end, with its worker."""
    steps = [hook(clone, "prompt", "claude-code"), hook(clone, "session-end", "claude-code")]
    assert [status for status, _, _ in drive(clone, steps, tmp_path)] == [0, 0]


def test_no_tool_resource_prompt_or_form_is_forgotten() -> None:
    """What somebody adds tomorrow must be asked for in the clone as well."""
    pytest.importorskip("mcp")
    pytest.importorskip("starlette")
    from tenure.surfaces.mcp import reference, server
    from tenure.surfaces.web import app, request_gate

    async def names(made: Any) -> tuple[list[Any], list[Any], list[Any], list[Any]]:
        return (
            await made.list_tools(), await made.list_resources(), await made.list_resource_templates(),
            await made.list_prompts(),
        )  # fmt: skip

    for face, module in (("tenure", server), ("reference", reference)):
        tools, resources, templates, prompts = asyncio.run(names(module.make()))
        assert {tool.name for tool in tools} == set(TOOLS[face])
        assert resources == [] and len(templates) == (face == "tenure")
        assert {prompt.name for prompt in prompts} == (set(PROMPTS) if face == "tenure" else set())
    assert set(FORMS) == {request_gate.WORD, *(act.path for module in app.MODULES for act in module.ACTS)}


def test_no_worker_is_forgotten() -> None:
    """Whatever runs beside or after a command must have run in the clone as well."""
    found = set()
    for path in SOURCE.rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            name = ast.unparse(node.func) if isinstance(node, ast.Call) else ""
            detached = isinstance(node, ast.Call) and any(
                keyword.arg in ("setsid", "start_new_session", "daemon") for keyword in node.keywords
            )
            forks = name in ("os.fork", "os.posix_spawn", "os.forkpty") or name.endswith((".Thread", "PoolExecutor"))
            if forks or (detached and not name.endswith("Popen")):
                found.add(path.relative_to(SOURCE).as_posix())
    assert found == set(WORKERS)
    for test in WORKERS.values():
        file, _, name = test.partition("::")
        assert f"def {name}(" in (Path(__file__).parent / file).read_text("utf-8")


def test_the_settings_of_a_clone_cannot_name_a_database(tmp_path: Path) -> None:
    """S10: no connection is opened unasked, before trust or after, by a command, a hook or a server."""
    clone = build("native", tmp_path)
    before = clone.surroundings()
    with socket.create_server(("127.0.0.1", 0)) as listening:
        listening.settimeout(0.0)
        address = f"postgresql://127.0.0.1:{listening.getsockname()[1]}/x"
        (clone.folder / ".tenure" / "config.toml").write_text(f'store = "{address}"\n')
        steps: list[Step] = [(["status"], "", {}), (["trust", "--yes"], "", {}), (["status"], "", {})]
        answers = drive(clone, [*steps, hook(clone, "prompt", "codex"), (["mcp"], "", {})], tmp_path)
        assert answers[0][0] == answers[2][0] == 2 and "lies outside the project" in answers[2][2]
        with pytest.raises(BlockingIOError):
            listening.accept()
    harmless(clone, before)


@pytest.mark.parametrize("face", list(TOOLS))
@pytest.mark.parametrize("shape", SERVED)
def test_the_server_on_standard_streams(shape: str, face: str, tmp_path: Path) -> None:
    """An agent's server is started in the clone's folder."""
    pytest.importorskip("mcp")
    clone = build(shape, tmp_path)
    before = clone.surroundings()
    done = subprocess.run(
        [sys.executable, "-P", "-c", START, "mcp", "--face", face],
        input="".join(json.dumps(each) + "\n" for each in calls(face)).encode(),
        cwd=clone.folder, env=clone.program.variables(), capture_output=True, check=False, timeout=NET_SECONDS,
    )  # fmt: skip
    assert b"Traceback" not in done.stderr, done.stderr
    if clone.shape in STORES:
        assert b'"result"' in done.stdout
    assert WORD.encode() not in done.stdout and DIARY.encode() not in done.stdout
    harmless(clone, before)


@pytest.mark.parametrize("face", list(TOOLS))
@pytest.mark.parametrize(("shape", "trusted"), [*BEFORE, *AFTER])
def test_the_server_on_http(shape: str, face: str, trusted: bool, tmp_path: Path) -> None:
    """With a valid token: everything a client can ask for, beside hooks that ask the same server."""
    pytest.importorskip("mcp")
    clone = build(shape, tmp_path)
    before = clone.surroundings()
    if trusted:
        drive(clone, [(["trust", "--yes"], "", {})], tmp_path)
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    with running(clone, "mcp", "--face", face, "--http", str(port)) as process:
        link = connected(process, port)
        if link is None:
            # A store behind a link or settings without end are refused before anything is served.
            assert process.returncode in EXITS and shape not in STORES
        else:
            token = (clone.program.home / "mcp-token").read_text().strip()
            session, answers = "", []
            for number, call in enumerate(calls(face)):
                headers = {
                    "authorization": f"Bearer {token}", "content-type": "application/json",
                    "accept": "application/json, text/event-stream", **({"mcp-session-id": session} if session else {}),
                }  # fmt: skip
                link.request("POST", "/mcp", json.dumps(call), headers)
                answer = link.getresponse()
                body = answer.read()
                session = answer.getheader("mcp-session-id") or session
                assert answer.status in (200, 202), (call, answer.status, body)
                assert DIARY.encode() not in body, call
                assert trusted or WORD.encode() not in body, call
                answers.append(body)
                if number == 8:
                    hooks_ask_it(clone, tmp_path)
            assert b'"protocolVersion"' in answers[0] and all(b'"result"' in body for body in answers[2:6])
            if trusted and shape == "native" and face == "tenure":
                assert any(WORD.encode() in body for body in answers), "what was trusted is shown"
            link.close()
    worked(clone)
    harmless(clone, before)


@pytest.mark.parametrize(("shape", "trusted"), [*BEFORE, *AFTER])
def test_the_pages_and_their_forms(shape: str, trusted: bool, tmp_path: Path) -> None:
    """Every page of `tenure ui` and every form, as a person opens and sends them."""
    pytest.importorskip("starlette")
    from tenure.surfaces.web import app

    clone = build(shape, tmp_path)
    before = clone.surroundings()
    if trusted:
        drive(clone, [(["trust", "--yes"], "", {})], tmp_path)
    drive(clone, [(["add", "Run make db before the tests", "--id", "mine"], "", {})], tmp_path)
    before = clone.surroundings() if clone.surroundings() == before else before
    pages = [page for module in app.MODULES for page in module.PAGES]
    paths = [
        path.replace("{id:path}", "rule").replace("{number}", "1") for page in pages for path in (page.json, page.path)
    ]
    # The checks start the program again, in the project's folder.
    paths += ["/doctor.json?run=1", "/memory/rule?check=1", "/guards?try=rule", "/audit?deep=1"]
    log = tmp_path / "server.log"
    with running(clone, "ui", "--no-open") as process:
        found = None
        while found is None and process.poll() is None:
            found = re.search(r"http://(\S+?)(/\S+)\n", log.read_text())
        if found is None:
            assert process.returncode in EXITS and shape not in STORES
        else:
            link = http.client.HTTPConnection(found[1], timeout=NET_SECONDS)

            def ask(path: str, form: dict[str, str] | None = None) -> tuple[int, str]:
                headers = {"cookie": cookie, "origin": f"http://{found[1]}"}
                if form is None:
                    link.request("GET", base + (path or "/"), headers=headers)
                else:
                    headers["content-type"] = "application/x-www-form-urlencoded"
                    link.request("POST", base + path, urlencode(form), headers)
                answer = link.getresponse()
                body = answer.read().decode()
                assert answer.status in (200, 303, 400, 403, 404, 409, 503), (path, form, answer.status)
                assert DIARY not in body, path
                return answer.status, body

            link.request("GET", found[2])
            entered = link.getresponse()
            base = entered.read().decode().partition('<a href="')[2].partition('/"')[0]
            cookie = (entered.getheader("set-cookie") or "").partition(";")[0]
            for path in paths:
                ask(path)
            hooks_ask_it(clone, tmp_path)
            secret = re.search(r'name="csrf" value="([^"]+)"', "".join(ask(page.path)[1] for page in pages[:3]))
            # Where nothing may be decided there is no form; then one with a secret of its own must be refused.
            csrf = secret[1] if secret else "x"
            taken = 0
            for path, forms in FORMS.items():
                for form in forms:
                    versions: dict[str, str] = {}
                    for id in {form.get(name, "") for name in ("id", "left", "right")} - {""}:
                        status, body = ask(f"/memory/{id}.json")
                        number = str(json.loads(body).get("version", 1)) if status == 200 else "1"
                        versions |= {f"version:{id}": number, "version": number}
                    taken += ask(path, {"csrf": csrf, **versions, **form})[0] == 303
            assert taken == (sum(map(len, FORMS.values())) if secret else 0)
            assert secret or shape not in STORES
            for path in paths:
                ask(path)
            link.close()
    worked(clone)
    harmless(clone, before)
