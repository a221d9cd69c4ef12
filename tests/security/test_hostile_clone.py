"""Nothing of a project is ever code or a command (S20), and nothing is written outside it (S10).

Every command, every hook event of every host, the worker and the drop-in command lines are driven through a clone
that means harm, before it is trusted, after, and after a pull that brings more; `test_hostile_servers.py` has the rest.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
import time
from pathlib import Path

import click
import pytest

from tenure.__main__ import SLIM
from tenure.files.lock import exclusive
from tenure.hosts.catalog import HOSTS
from tenure.surfaces.cli.app import COMMANDS, LazyGroup
from tenure.surfaces.hooks import EVENTS
from tenure.systems.archeflow.command import COMMANDS as ARCHEFLOW
from tenure.systems.claude_memory.command import COMMANDS as CLAUDE_MEMORY
from tests.security.hostile_clone import DIARY, LINKED, PULLED, SHAPES, WORD, Clone, Step, build, drive, pull

PROMPT = "send the deployment keys before the tests"
# Every command, with arguments a person would give. `mcp` serves until its input ends and has a test of its own.
ARGUMENTS: dict[str, list[list[str]]] = {
    "audit": [["--deep"], ["--obeyed"], ["--fix"], ["--undo"], ["--deep", "--fail-on", "broken", "--format", "github"]],
    "demo": [["--fast"]],
    "init": [[]],
    "add": [["Run make db before the tests", "--id", "mine", "--file", "Makefile"]],
    "capture": [["proposals.jsonl", "--run", "one"], ["--agent", "claude-code", "--since", "30d"]],
    "route": [["always run make lint before pushing"], ["always run make lint before pushing", "--apply"]],
    "edit": [["mine", "--text", "Run make db-test before the tests", "--tag", "db"]],
    "list": [[], ["--all"]],
    "show": [["mine"], ["rule"]],
    "search": [["deployment keys", "--all", "--explain"]],
    "inject": [[PROMPT, "--explain"], ["--list"], ["--replay"], ["--task", "T1", "--agent", "software_engineer"]],
    "why": [["mine"], ["rule"]],
    "history": [["mine"]],
    "status": [[]],
    "review": [[], ["mine", "--decision", "keep", "--by", "me"]],
    "promote": [["--dry-run"], []],
    "log": [["mine", "--effect", "positive", "--task", "T1"]],
    "decay": [["--dry-run"], []],
    "upkeep": [["--deep", "--dry-run"], ["--deep"]],
    "gc": [["--dry-run"], []],
    "scrub": [["--dry-run"], []],
    "check": [[], ["CLAUDE.md"]],
    "doctor": [["--rebuild"]],
    "retire": [["mine", "--reason", "over"]],
    "restore": [["mine"]],
    "archive": [["mine"]],
    "unarchive": [["mine"]],
    "supersede": [["mine", "rule"]],
    "undo": [[]],
    "forget": [["mine", "--yes"]],
    "export": [["jsonl:out.jsonl"], ["-"], ["okf:out-okf"], ["markdown:out-pages"]],
    "import": [
        ["jsonl:out.jsonl", "--dry-run"],
        ["jsonl:out.jsonl"],
        ["okf:out-okf"],
        ["markdown:CLAUDE.md"],
        ["cursor:.cursor/rules"],
        ["copilot:.github"],
        ["codex:."],
        ["mcp-memory:proposals.jsonl"],
        ["basic-memory:."],
        ["mem0:proposals.jsonl"],
        ["claude-mem:proposals.jsonl"],
    ],
    "policy": [[], ["promotion.start"]],
    # In this order, so that what installing wrote is still there to be seen.
    "uninstall": [[name, "--project", "--yes"] for name in HOSTS],
    "install": [[name, "--dry-run"] for name in HOSTS] + [[name, "--project", "--yes"] for name in HOSTS],
    "trust": [["--revoke"]],
    "start": [[], ["--yes", "--skip", "wire"]],
    "guard": [["mine"], ["mine", "--propose"], ["export", "--to", "claude-code"]],
    "guards": [[]],
    "allow": [["mine", "--once"]],
    "effect": [[], ["start"], ["--sessions"], ["--publish", "counts.json"], ["--merge", "counts.json"], ["stop"]],
    "share": [["mine"], ["rule"]],
    "team": [
        ["check"],
        ["check", "--base", "HEAD"],
        ["pull"],
        ["outbox"],
        ["stats"],
        ["init"],
        ["roles"],
        ["grant", "reader", "ana"],
        ["revoke", "ana"],
    ],
    # An address that nobody answers at: the clone's own settings would lead git to a program.
    "sync": [["machines"], ["git:https://127.0.0.1:9/x.git"]],
    "off": [["--project"]],
    "on": [["--project"]],
    # Servers, driven in `test_hostile_servers.py`.
    "mcp": [],
    "ui": [],
}
SERVERS = {"mcp", "ui"}
DROPPED_IN: dict[str, dict[str, tuple[list[str], str]]] = {
    "archeflow": {
        "extract": (["proposals.jsonl"], ""),
        "inject": (["security", ""], ""),
        "add": (["preference", "One bundled PR"], ""),
        "list": ([], ""),
        "decay": ([], ""),
        "forget": (["m-001"], ""),
        "audit-check": (["run-1"], ""),
        "regression-check": (["proposals.jsonl"], ""),
    },
    "claude-memory": {
        "write": (["--action", "retire", "--target", ".claude/memory/decisions/x.json", "--reason", "r"], ""),
        "index": (["--rebuild", "--root", ".claude/memory"], ""),
        "enforce": (["--category", "session_summary", "--root", ".claude/memory"], ""),
        "triage": ([], json.dumps({"cwd": ".", "transcript_path": "proposals.jsonl"})),
        "candidate": (["--category", "decision", "--new-info", "keys", "--root", ".claude/memory"], ""),
        "retrieve": ([], json.dumps({"user_prompt": PROMPT, "cwd": "."})),
        "write-guard": ([], json.dumps({"tool_name": "Write", "tool_input": {"file_path": ".claude/memory/x.json"}})),
        "validate-hook": ([], json.dumps({"tool_input": {"file_path": ".claude/memory/decisions/x.json"}})),
        "search": (["--query", "keys", "--root", ".claude/memory"], ""),
        "verify": (["--category", "decision", "--input", "proposals.jsonl", "--context", "CLAUDE.md"], ""),
    },
}
EXITS = range(6)


def commands() -> list[Step]:
    # Another store is chosen last, or nothing else would see the clone's own.
    each = [(name, words) for name, several in ARGUMENTS.items() for words in several]
    each += [("init", ["--use", "sqlite:.tenure/memory.db"]), ("add", ["In the other store"]), ("status", [])]
    return [(["--json", name, *words], "", {}) for name, words in each]


def drop_ins() -> list[Step]:
    return [
        ([name, word, *more], stdin, {}) for name, each in DROPPED_IN.items() for word, (more, stdin) in each.items()
    ]


def hook(clone: Clone, event: str, host: str, **more: str) -> Step:
    payload = {
        "session_id": f"s-{host}", "cwd": str(clone.folder), "prompt": PROMPT, "tool_name": "Edit",
        "tool_input": {"file_path": str(clone.folder / "Makefile")}, "source": "startup",
        "transcript_path": str(clone.folder.parent / "session.jsonl"),
    }  # fmt: skip
    return (["hook", event], json.dumps(payload), {"TENURE_HOST": host, "TENURE_HOOK_SECONDS": "60", **more})


def hooks(clone: Clone) -> list[Step]:
    said = {"role": "user", "content": "No, never deploy on a Friday."}
    (clone.folder.parent / "session.jsonl").write_text(json.dumps({"type": "user", "message": said}) + "\n")
    quiet = {"TENURE_NO_WORKER": "1"}
    return [hook(clone, event, host, **quiet) for host in HOSTS for event in EVENTS]


def harmless(clone: Clone, before: dict[str, bytes | str]) -> None:
    assert clone.marks() == [], "something of the clone was run or imported"
    after = clone.surroundings()
    assert {path: after.get(path) for path in before | after} == before, "something outside the project was written"


def sound(steps: list[Step], answers: list[tuple[int, str, str]]) -> None:
    """No command may end with a bug of ours."""
    for (words, _, _), (status, _, err) in zip(steps, answers, strict=True):
        assert status in EXITS and "Traceback" not in err, (words, status, err)


def worked(clone: Clone) -> None:
    """Wait for the detached worker, bounded so that a hang ends as a failure."""
    sessions = clone.program.home / "sessions"
    for turn in range(2400):
        if clone.marks() or not list(sessions.glob("*.jsonl")):
            break
        if turn % 400 == 399:
            # A journal that ends in the moment in which a worker leaves waits for the next session's start.
            # Started as the console script starts: `python -m` would import from the clone by itself.
            drive(clone, [(["hook", "work"], "", {})], clone.folder.parent)
        time.sleep(0.05)
    assert clone.marks() == [], "the worker ran or imported something of the clone"
    assert not list(sessions.glob("*.jsonl")), "the worker did not take the journals"
    # It holds this lock until it ends; a journal that it cannot learn from stays behind for another try.
    with exclusive(sessions, wait_seconds=120):
        pass


def test_no_command_is_forgotten() -> None:
    """A new command, event or drop-in must be driven through the clone as well."""
    assert set(ARGUMENTS) == set(COMMANDS)
    assert set(SLIM) == {"hook", *DROPPED_IN}
    assert set(DROPPED_IN["archeflow"]) == set(ARCHEFLOW)
    assert set(DROPPED_IN["claude-memory"]) == set(CLAUDE_MEMORY)
    top = LazyGroup("tenure")
    for name, driven in ARGUMENTS.items():
        for way in subcommands(top.get_command(click.Context(top), name)):
            assert any(words[: len(way)] == way for words in driven) or name in SERVERS, (name, way)


def subcommands(found: click.Command | None) -> list[list[str]]:
    """Return the words that lead to each command below one, at any depth; one without any has the empty way."""
    if not isinstance(found, click.Group):
        return [[]]
    inner = {name: found.get_command(click.Context(found), name) for name in found.list_commands(click.Context(found))}
    return [[name, *way] for name, each in inner.items() for way in subcommands(each)]


def test_the_traps_work(tmp_path: Path) -> None:
    """The other tests can fail: Python started in the clone imports from it, and git starts what it names."""
    clone = build("native", tmp_path)
    subprocess.run(
        [sys.executable, "-m", "tenure", "status"], cwd=clone.folder, env=clone.program.variables(), check=False,
        capture_output=True,
    )  # fmt: skip
    subprocess.run(["git", "status"], cwd=clone.folder, env=clone.program.variables(), capture_output=True, check=False)
    assert any(name.startswith("import-") for name in clone.marks())
    assert {"git-filter.evil.process", "included"} & set(clone.marks())


@pytest.mark.parametrize("shape", SHAPES)
def test_everything_before_trust(shape: str, tmp_path: Path) -> None:
    """S20, S10: every hook of every host, all commands and drop-ins in a clone that nobody has trusted."""
    clone = build(shape, tmp_path)
    before = clone.surroundings()
    events = hooks(clone)
    for (words, _, _), (status, out, err) in zip(events, drive(clone, events, tmp_path), strict=True):
        assert (status, err) == (0, ""), (words, err)
        assert WORD not in out and DIARY not in out, words
    last = [hook(clone, "session-start", "codex"), hook(clone, "session-end", "codex")]
    assert [status for status, _, _ in drive(clone, last, tmp_path)] == [0, 0]
    worked(clone)
    harmless(clone, before)
    steps = [*commands(), *drop_ins()]
    answers = drive(clone, steps, tmp_path)
    harmless(clone, before)
    for (words, _, _), (_, out, err) in zip(steps, answers, strict=True):
        if clone.shape in LINKED or clone.shape == "elsewhere":
            assert DIARY not in out + err, words
        if "inject" in words and words[0] == "--json":
            assert WORD not in out, words
    sound(steps, answers)


@pytest.mark.parametrize("shape", ["native", "geas", "claude-memory", "archeflow", "claude-code"])
def test_everything_after_trust_and_a_pull(shape: str, tmp_path: Path) -> None:
    """S20, S10: trust lets memory be seen; it makes nothing of the project a command, today or after a pull."""
    clone = build(shape, tmp_path)
    before = clone.surroundings()
    drive(clone, [(["trust", "--yes"], "", {})], tmp_path)
    for _ in range(2):
        steps = [*drop_ins(), *hooks(clone), *(step for step in commands() if "--revoke" not in step[0])]
        sound(steps, drive(clone, steps, tmp_path))
        drive(clone, [hook(clone, "session-end", "claude-code")], tmp_path)
        worked(clone)
        harmless(clone, before)
        if not (tmp_path / "more").exists():
            pull(clone, tmp_path)


def test_a_store_that_a_pull_put_in_the_place_of_a_trusted_one_is_not_trusted(tmp_path: Path) -> None:
    """S20: trust is in the key of a store, not in its path."""
    clone = build("native", tmp_path)
    drive(clone, [(["trust", "--yes"], "", {})], tmp_path)
    shown = [(["inject", PROMPT], "", {}), hook(clone, "prompt", "claude-code", TENURE_NO_WORKER="1")]
    assert all(WORD in out for _, out, _ in drive(clone, shown, tmp_path))
    pull(clone, tmp_path)
    assert all(PULLED not in out and WORD not in out for _, out, _ in drive(clone, shown, tmp_path))


@pytest.mark.unmeasured
@pytest.mark.skipif(not shutil.which("strace"), reason="needs strace")
@pytest.mark.parametrize("shape", ["native", "linked-in-claude-memory"])
def test_the_kernel_saw_no_program_of_the_clone(shape: str, tmp_path: Path) -> None:
    """The same, seen by the kernel: what was started, and where files were opened for writing."""
    clone = build(shape, tmp_path)
    trace = tmp_path / "trace"
    calls = "trace=execve,execveat,open,openat,openat2,creat,mkdir,mkdirat,rename,renameat,renameat2"
    prefix = ("strace", "-f", "-qq", "-y", "-s", "4096", "-e", calls, "-e", "signal=none", "-o", str(trace))
    steps = [*commands(), *drop_ins(), *hooks(clone), hook(clone, "session-end", "claude-code")]
    drive(clone, steps, tmp_path, prefix)
    worked(clone)
    started, written = read_trace(trace, clone.folder)
    assert started and all(not Path(path).is_relative_to(clone.folder) for path in started), started
    # In /var/tmp SQLite opens files without a name for what a statement may have to take back.
    temporary = (Path("/tmp"), Path("/var/tmp"), Path("/dev"), Path("/proc"))
    allowed = (clone.folder, clone.program.home, *temporary, tmp_path / "report.json")
    surplus = {path for path in written if not any(Path(path).is_relative_to(root) for root in allowed)}
    assert surplus == set()
    inside = {path for path in written if Path(path).is_relative_to(clone.outside)}
    assert inside == set()


_CALL = re.compile(r"^\d+\s+(\w+)\((.*)$")
_PATH = re.compile(r'(?:AT_FDCWD<([^>]*)>|\d+<([^>]*)>)?(?:, )?"((?:[^"\\]|\\.)*)"')


def read_trace(trace: Path, folder: Path) -> tuple[set[str], set[str]]:
    """Return what was started, and every path opened for writing, made or renamed to, that succeeded."""
    started: set[str] = set()
    written: set[str] = set()
    for line in trace.read_text(errors="replace").splitlines():
        found = _CALL.match(line)
        if not found or " = -1 " in line or "resumed>" in line:
            continue
        name, rest = found.groups()
        if name.startswith("open") and not re.search(r"O_WRONLY|O_RDWR|O_CREAT", rest):
            continue
        paths = [os.path.join(at or fd or str(folder), path) for at, fd, path in _PATH.findall(rest)]
        if name.startswith("exec"):
            started.update(os.path.normpath(path) for path in paths[:1])
        elif paths:
            written.add(os.path.normpath(paths[-1]))
    return started, written
