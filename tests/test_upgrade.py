"""What was made by the program at commit aac5bec still works with this one.

`tests/fixtures/made_at_aac5bec` holds a home folder, projects and answers as they were made then, real bytes in an
archive. Later programs may add fields to an answer; they may not lose or change one. Sentences for people and scores
may change. The archive is never made anew: a change that breaks a test here breaks somebody's store.
"""

from __future__ import annotations

import hashlib
import json
import os
import tarfile
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest

from tenure.model.policy import RETIRED
from tests.program import Program

ARCHIVE = Path(__file__).resolve().parent / "fixtures" / "made_at_aac5bec" / "desk.tar.xz"
LAST = "2026-04-20T09:00:00Z"
COMPANIONS = {
    "geas": ".geas",
    "claude-memory": ".claude/memory",
    "archeflow": ".archeflow",
    "claude-code": "memory",
}
PROJECTS = ("native", *COMPANIONS)
POLICIES = ("tenure", *COMPANIONS)
AGENTS = ("claude-code", "codex", "copilot", "gemini", "qwen", "cursor", "opencode", "windsurf", "cline")
# Sentences for people, sizes, and figures of the ranking.
MAY_CHANGE = {"why", "score", "bytes", "chosen_by", "origin", "message", "hint"}


class Frozen:
    """A copy of the desk in a folder of the test."""

    def __init__(self, root: Path) -> None:
        self.root = root
        with tarfile.open(ARCHIVE) as archive:
            archive.extractall(root, filter="data")
        here = str(root).encode()
        for path in root.rglob("*"):
            if path.is_file() and path.suffix != ".db" and b"@DESK@" in (data := path.read_bytes()):
                path.write_bytes(data.replace(b"@DESK@", here))
        self._name_by_path()

    def _name_by_path(self) -> None:
        """Names that were made from a path, made for this one by the rules of then."""
        for scheme, folder in COMPANIONS.items():
            (database,) = (self.root / scheme / ".tenure").glob(f"{scheme}-*.db")
            database.rename(database.with_name(f"{scheme}-{_hash(self.root / scheme / folder)[:8]}.db"))
        home = self.root / "home" / "tenure"
        for facts in (home / "agents").glob("*.json"):
            agent, path = facts.stem.rpartition("-")[0], Path(json.loads(facts.read_bytes())["path"])
            name = f"{agent}-{_hash(path)[:12]}"
            facts.with_suffix(".before").rename(facts.with_name(f"{name}.before"))
            facts.rename(facts.with_name(f"{name}.json"))
        (fixes,) = (home / "audit").glob("*/fixes.json")
        fixes.parent.rename(home / "audit" / _hash(self.root / "audited")[:16])
        # One session goes on: its last event is ten minutes old.
        moment = datetime.fromisoformat(LAST).timestamp() - 600
        os.utime(home / "sessions" / "claude-code-going-1.jsonl", (moment, moment))

    def program(self, project: str, now: str = LAST) -> Program:
        return Program(self.root / project, self.root / "home" / "tenure", {"TENURE_NOW": now})

    def recorded(self, name: str) -> dict[str, Any]:
        found: dict[str, Any] = json.loads((self.root / "recorded" / f"{name}.json").read_bytes())
        return found


def _hash(path: Path) -> str:
    return hashlib.sha256(str(path.resolve()).encode()).hexdigest()


@pytest.fixture
def desk(tmp_path: Path) -> Frozen:
    root = tmp_path / "desk"
    root.mkdir()
    return Frozen(root)


def lost(then: Any, now: Any, where: str = "") -> list[str]:
    """Return where an answer of now lacks or contradicts what was said then."""
    if isinstance(then, dict):
        if not isinstance(now, dict):
            return [f"{where}: {then!r} became {now!r}"]
        found = [f"{where}.{key} is gone" for key in then if key not in now]
        shared = [key for key in then if key in now and key not in MAY_CHANGE]
        return found + [entry for key in shared for entry in lost(then[key], now[key], f"{where}.{key}")]
    if isinstance(then, list) and isinstance(now, list) and len(then) == len(now):
        pairs = enumerate(zip(then, now, strict=True))
        return [entry for n, (a, b) in pairs for entry in lost(a, b, f"{where}[{n}]")]
    return [] if then == now and type(then) is type(now) else [f"{where}: {then!r} became {now!r}"]


def test_the_comparison_notices_what_is_lost() -> None:
    """The other tests can fail: a field gone, changed, of another type, or one entry fewer."""
    then = {"a": [{"b": 1, "why": "x"}], "c": True}
    assert lost(then, {"a": [{"b": 1, "why": "y", "new": 2}], "c": True}) == []
    for now in ({"a": [{"b": 1}], "c": True}, {"a": [{"b": 2, "why": "x"}], "c": True}, {"a": [], "c": True}):
        assert lost(then, now), now
    assert lost(then, {**then, "c": 1}) and lost({"b": None}, {"b": 0})


@pytest.mark.parametrize("project", PROJECTS)
def test_every_answer_holds_what_it_held(desk: Frozen, project: str) -> None:
    """Issue 13: list, show, history, why, review, search and status of a store from aac5bec."""
    program, then = desk.program(project), desk.recorded(project)
    assert program.ok("check") == then["check"] == {"problems": []}
    assert lost(then["list"], program.ok("list", "--all")) == []
    for command in ("show", "history", "why"):
        for id, answer in then[command].items():
            now = program.ok(command, id)
            if command == "why":
                # The codes are for programs, the texts for people.
                answer, now = ({**a, "reasons": [r["code"] for r in a["reasons"]]} for a in (answer, now))
            assert lost(answer, now, f"{command} {id}") == []
    # What waits is ordered by worth since then.
    before, after = (
        {"queue": sorted(each["queue"], key=lambda row: row["id"])} for each in (then["review"], program.ok("review"))
    )
    assert lost(before, after) == []
    for question, answer in then["search"].items():
        assert lost(answer, program.ok("search", question, "--all"), f"search {question}") == []
    assert lost(then["injections"], program.ok("inject", "--list")) == []
    assert lost(then["status"], program.ok("status")) == []


@pytest.mark.parametrize("project", PROJECTS)
def test_the_same_memories_are_injected(desk: Frozen, project: str) -> None:
    """Trust that was given then still counts, and the stored verdicts are still read."""
    program, then = desk.program(project), desk.recorded(project)
    shown = {item["id"] for answer in then["inject"].values() for item in answer["memories"]}
    assert shown
    for id in shown:
        # Which prompts are worth an answer changes with the ranking; a memory's own words always are.
        now = program.ok("inject", then["show"][id]["text"][:200])
        assert id in [item["id"] for item in now["memories"]] and now["block"]
    assert program.ok("upkeep", "--dry-run")["changed"] == then["upkeep"]["changed"]
    assert program.ok("check") == {"problems": []}


@pytest.mark.parametrize("project", PROJECTS)
def test_hooks_show_what_was_trusted(desk: Frozen, project: str) -> None:
    """A project trusted then is trusted now; no agent falls silent by an update."""
    program = desk.program(project)
    then = desk.recorded(project)
    first = next(item["id"] for answer in then["inject"].values() for item in answer["memories"])
    question = then["show"][first]["text"][:200]
    event = {"session_id": "new", "cwd": str(program.folder), "prompt": question}
    host = {"CLAUDECODE": "1", "TENURE_NO_WORKER": "1", "TENURE_HOOK_SECONDS": "60"}
    done = program("hook", "prompt", stdin=json.dumps(event).encode(), **host)
    assert done.status == 0 and b"additionalContext" in done.out, (desk.root / "home/tenure/hooks.log").read_text()


def test_what_was_done_then_can_be_taken_back_now(desk: Frozen) -> None:
    """`undo` reverses the last command of then; what was retired, archived or decayed comes back."""
    program = desk.program("native")
    assert program.ok("show", "short-lived")["phase"] == "live"
    program.ok("undo")
    assert "short-lived" not in {item["id"] for item in program.ok("list")["memories"]}
    for command, id in (("restore", "gone-1"), ("unarchive", "gone-3"), ("restore", "faded")):
        assert program.ok(command, id)["phase"] in ("live", "pending"), id
    # What was forgotten then is still refused, and its text is nowhere.
    refused = program("--json", "add", "The secret-plan service listens on port 8011 behind the proxy secret-plan")
    assert refused.status == 3, refused
    assert program("--json", "show", "secret-plan").status != 0
    assert program.ok("check") == {"problems": []}


def test_an_injection_of_then_is_replayed_to_the_letter(desk: Frozen) -> None:
    """The notes of an injection and the ledger give the block again, and the seal proves it."""
    program = desk.program("native")
    first = min(item["number"] for item in program.ok("inject", "--list")["injections"])
    replay = program.ok("inject", "--replay", str(first))
    assert "make-db" in replay["block"] and replay["exact"] is True


# ArcheFlow's thresholds stand once since then, under the keys every system has; nobody could set these.
STATED_ELSEWHERE = {
    "own.decay.lasting_types",
    "own.decay.unseen_runs",
    "own.inject.least_frequency",
    "own.inject.limit",
    "own.match.finding_percent",
}


@pytest.mark.parametrize("name", POLICIES)
def test_every_policy_key_of_then_is_read(desk: Frozen, name: str) -> None:
    """Settings that name every documented key, each number moved from its default."""
    then = desk.recorded(f"policy-{name}")
    now = desk.program(f"policy-{name}").ok("policy")
    values = {item["key"]: item["value"] for item in now["values"]}
    gone = STATED_ELSEWHERE | RETIRED
    expected = {item["key"]: item["value"] for item in then["values"] if item["key"] not in gone}
    assert {key: values.get(key) for key in expected} == expected
    assert not now.get("ignored")


@pytest.mark.parametrize("scope", ["user", "project"])
@pytest.mark.parametrize("agent", AGENTS)
def test_wiring_of_then_is_known_updated_and_taken_out(desk: Frozen, agent: str, scope: str) -> None:
    """Installing over it changes nothing or updates it once; uninstalling gives back the files from before."""
    program = desk.program("wired")
    # As then: the program is found by its name.
    shim = desk.root / "bin" / "tenure"
    shim.parent.mkdir()
    shim.write_text("#!/bin/sh\nexit 1\n")
    shim.chmod(0o755)
    program.environment["PATH"] = f"{shim.parent}{os.pathsep}{os.environ['PATH']}"
    more = ("--project", "--yes") if scope == "project" else ("--yes",)
    receipts = [json.loads(path.read_bytes()) for path in (program.home / "agents").glob(f"{agent}-*.json")]
    inside = desk.root / ("wired" if scope == "project" else "home")
    files = {Path(facts["path"]): facts for facts in receipts if Path(facts["path"]).is_relative_to(inside)}
    before = {path: (program.home / "agents" / f"{agent}-{_hash(path)[:12]}.before").read_bytes() for path in files}
    program.ok("install", agent, *more)
    assert program.ok("install", agent, *more)["changes"] == [], "a second time there is nothing to do"
    program.ok("uninstall", agent, *more)
    assert files
    for path, facts in files.items():
        assert path.exists() == facts["existed"], path
        assert not facts["existed"] or path.read_bytes() == before[path]


def test_journals_of_then_are_learned_from(desk: Frozen) -> None:
    """A session that ended is learned from once; one that goes on waits until it lies still."""
    program = desk.program("native")
    assert program.ok("status")["sessions"] == {"going_on": 1, "waiting": 1, "failed": 0}
    before = {item["id"] for item in program.ok("list")["memories"]}
    assert program("hook", "work").status == 0
    assert [path.name for path in (program.home / "sessions").glob("*.jsonl*")] == ["claude-code-going-1.jsonl"]
    learned = [item for item in program.ok("list")["memories"] if item["id"] not in before]
    assert any("tabs" in item["text"] or "lint" in item["text"] for item in learned), learned
    assert program("hook", "work", TENURE_NOW="2026-04-21T09:00:00Z").status == 0
    assert list((program.home / "sessions").glob("*.jsonl*")) == []
    assert program.ok("check") == {"problems": []}


def test_a_sealed_export_of_then_is_imported_as_it_was(desk: Frozen) -> None:
    """The user's key still proves the seal, so states and histories come back whole; a stranger gets candidates."""
    program = desk.program("native")
    lines = (desk.root / "export.jsonl").read_text(encoding="utf-8").splitlines()
    new = ("--store", f"sqlite:{desk.root / 'new.db'}")
    assert program.ok(*new, "import", f"jsonl:{desk.root / 'export.jsonl'}")["written"] == len(lines)
    memory = program.ok(*new, "show", "make-db")
    assert memory["state"] == "canonical" and memory["signals"]["successful_reuses"] == 6
    assert len(program.ok(*new, "history", "make-db")["events"]) >= 10
    assert program.ok(*new, "check") == {"problems": []}
    program.ok(*new, "export", f"jsonl:{desk.root / 'again.jsonl'}")
    assert len((desk.root / "again.jsonl").read_text(encoding="utf-8").splitlines()) == len(lines)
    stranger = Program(program.folder, desk.root / "stranger" / "tenure", program.environment)
    theirs = ("--store", f"sqlite:{desk.root / 'theirs.db'}")
    stranger.ok(*theirs, "import", f"jsonl:{desk.root / 'export.jsonl'}")
    assert {item["state"] for item in stranger.ok(*theirs, "list", "--all")["memories"]} == {"candidate"}


@pytest.mark.parametrize("name", ["copy.db", "foreign.db"])
def test_stores_that_came_by_import_then_are_proved(desk: Frozen, name: str) -> None:
    """Ledgers of imported memories, purged ones among them, fold to their rows."""
    program = desk.program("native")
    store = ("--store", f"sqlite:{desk.root / 'imported' / name}")
    assert program.ok(*store, "check") == {"problems": []}
    assert len(program.ok(*store, "list", "--all")["memories"]) > 10


def test_a_repair_of_then_can_be_undone(desk: Frozen) -> None:
    """The notes of `audit --fix` lie in the user's folder."""
    program = desk.program("audited")
    program.ok("audit", "--undo")
    assert "`src/old/parser.py`" in (program.folder / "CLAUDE.md").read_text()


def test_doctor_reads_the_log_of_then(desk: Frozen) -> None:
    """Why hooks were silent in a project stays readable there."""
    (desk.root / "stranger").mkdir()
    answer = desk.program("stranger")("--json", "doctor")
    assert "is not trusted" in json.dumps(answer.json["checks"])


@pytest.mark.parametrize("project", PROJECTS)
def test_every_surface_answers_from_a_store_of_then(
    desk: Frozen, project: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Issue 13: the MCP server's tools and resources, every page of `tenure ui`, and each hook, after every change."""
    import asyncio

    from tenure.surfaces.hooks import EVENTS
    from tenure.surfaces.mcp import server
    from tests.surfaces.web.asking import Pages

    program, then = desk.program(project), desk.recorded(project)
    for name, value in {"TENURE_HOME": str(program.home), "TENURE_NOW": LAST, "HOME": str(desk.root / "home")}.items():
        monkeypatch.setenv(name, value)
    monkeypatch.chdir(program.folder)
    first = next(item["id"] for answer in then["inject"].values() for item in answer["memories"])
    words = then["show"][first]["text"][:200]
    made = server.make(None, str(program.folder))
    found = asyncio.run(made.call_tool("search", {"query": words}))
    assert first in str(found)
    judged = asyncio.run(made.call_tool("feedback", {"id": first, "effect": "positive", "task": "upgrade"}))
    assert first in str(judged)
    assert asyncio.run(made.call_tool("remember", {"text": "The upgrade from then kept every memory of ours"}))
    pages = Pages()
    for address in ("/", "/memories", "/search?q=db", "/now", "/health", "/policy", "/ledger", f"/memory/{first}"):
        assert pages.get(address).status == 200, address
    event = {"session_id": "new", "cwd": str(program.folder), "prompt": words, "tool_name": "Bash",
             "tool_input": {"command": "make test"}, "tool_response": {"stdout": "ok"}}  # fmt: skip
    host = {"CLAUDECODE": "1", "TENURE_NO_WORKER": "1", "TENURE_HOOK_SECONDS": "60"}
    for name in EVENTS:
        done = program("hook", name, stdin=json.dumps(event).encode(), **host)
        assert (done.status, done.err) == (0, b""), name
    log = program.home / "hooks.log"
    assert "Error" not in (log.read_text() if log.exists() else "")
    assert program.ok("check") == {"problems": []}
