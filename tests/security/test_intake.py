"""What outsiders may not do: claim an origin, forge an export, follow a link, widen a limit, break a hook."""

from __future__ import annotations

import json
import os
import stat
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

import tenure
from tenure.model.errors import InvalidInput, TenureError
from tenure.usecases import intake
from tests.faults import PEAK_KILOBYTES, linux_only
from tests.program import Program
from tests.systems.test_drop_in_trust import LESSON

MEGABYTE = 1024 * 1024
CLAIMS: list[dict[str, Any]] = [
    {"id": "mine"}, {"state": "canonical"}, {"phase": "live"}, {"trust": "user"}, {"confidence": 1.0},
    {"signals": {"successful_reuses": 99}}, {"approvals": []}, {"created_at": "2020-01-01"},
    {"review_after": "2999-01-01"}, {"verified_at": "2026-01-01"}, {"runs": ["a", "b"]}, {"evidence_count": 9},
    {"actor": "user"}, {"supersedes": ["x"]}, {"__proto__": {}}, {"extra": {}}, {"times_held": 0}, {"changes": []},
]  # fmt: skip


@pytest.mark.parametrize("claim", CLAIMS, ids=lambda claim: next(iter(claim)))
def test_a_proposal_that_claims_what_the_engine_sets_is_refused(claim: dict[str, Any], program: Program) -> None:
    """S1, S3: origin, state, counters and times are the engine's."""
    with tenure.open(folder=program.folder) as ws:
        with pytest.raises(InvalidInput) as refusal:
            ws.capture([{"text": "A fine lesson", **claim}])
        assert next(iter(claim)) in refusal.value.message
        assert ws.memories(all=True) == []


@pytest.mark.parametrize("source", ["user", "User", " user ", "user:alice", "me", ""])
def test_nobody_speaks_as_the_user_through_a_file(source: str, program: Program) -> None:
    """S1: whatever a captured proposal calls its source, it starts as a candidate of an agent."""
    with tenure.open(folder=program.folder) as ws:
        ws.capture([{"text": "Spoken by somebody", "source": source}])
        (memory,) = ws.memories(all=True)
        assert (memory.state, memory.stated) == ("candidate", False)


def test_an_export_somebody_altered_arrives_as_candidates(program: Program, tmp_path: Path) -> None:
    """S1: a broken or foreign seal restores nothing; state, counters and trust are reset."""
    program.ok("add", "A lesson with a past", "--id", "past")
    sealed = program("export", "-").out
    forged = [sealed.replace(b"provisional", b"canonical"), sealed.replace(b'"seal":"', b'"seal":"0')]
    stranger = replace(program, home=tmp_path / "other-home")
    for number, data in enumerate([*forged, sealed]):
        answer = stranger.ok("--store", f"sqlite:in{number}.db", "import", "-", stdin=data)
        (memory,) = stranger.ok("--store", f"sqlite:in{number}.db", "list", "--all")["memories"]
        assert answer["written"] == 1 and (memory["state"], memory["trust"]) == ("candidate", "external")


def _bad_lines() -> dict[str, dict[str, Any]]:
    memory = {
        "id": "x", "kind": "lesson", "title": "t", "text": "t", "state": "stable", "phase": "live",
        "created_at": "2026-01-01T00:00:00Z", "updated_at": "2026-01-01T00:00:00Z",
    }  # fmt: skip
    born = {"type": "Created", "memory_id": "x", "at": "2026-01-01T00:00:00Z", "set": memory}
    odd = {"type": "Edited", "memory_id": "x", "at": "2026-01-01T00:00:00Z"}
    line = {"format": "tenure/1", "memory": memory, "events": [born], "seal": ""}
    return {
        "id is a path": {**line, "memory": {**memory, "id": "../../x"}, "events": []},
        "event of another": {**line, "events": [{**born, "memory_id": "y"}]},
        "unknown field set": {**line, "events": [born, {**odd, "set": {"nonsense": 1}}]},
        "wrong type set": {**line, "events": [born, {**odd, "set": {"tags": 7}}]},
        "adds to a text": {**line, "events": [born, {**odd, "add": {"title": ["x"]}}]},
        "history of nothing": {**line, "events": [odd]},
        "history of another": {**line, "memory": {**memory, "text": "other"}},
        "newer format": {**line, "format": "tenure/9"},
        "no memory": {"format": "tenure/1"},
    }


@pytest.mark.parametrize("name", _bad_lines())
def test_a_line_that_cannot_be_true_is_refused_even_on_trust(name: str, program: Program) -> None:
    """S3: `--trust` takes states as they are, not nonsense: the line is named and nothing is imported."""
    path = program.folder / "bad.jsonl"
    path.write_text(json.dumps(_bad_lines()[name], separators=(",", ":")), encoding="utf-8")
    with tenure.open(folder=program.folder) as ws:
        with pytest.raises(InvalidInput) as refusal:
            ws.import_(str(path), trusted=True)
        assert "line 1" in refusal.value.message and ws.memories(all=True) == []


def test_what_is_imported_on_trust_is_cleaned_like_everything_else(program: Program) -> None:
    """S6: escapes do not come in by the trusted door; state and counters do."""
    program.ok("add", "MARK here", "--id", "m1")
    data = program("export", "-").out.replace(b"MARK", rb"\u001b[31mred\u200b")
    other = ("--store", "sqlite:other.db")
    assert program.ok(*other, "import", "--trust", "-", stdin=data)["written"] == 1
    memory = program.ok(*other, "show", "m1")
    assert (memory["text"], memory["state"]) == ("red here", "provisional")
    assert program.ok(*other, "check") == {"problems": []}


@pytest.mark.parametrize(
    "name", [".tenure", "memory.db", "memory.db-wal", "memory.db-shm", "memory.db.lock", ".gitignore"]
)
def test_a_cloned_project_cannot_make_us_write_through_a_link(name: str, program: Program, tmp_path: Path) -> None:
    """S9, threat A2: a link in place of the folder, the database or a file beside it is not followed."""
    outside = tmp_path / "outside"
    outside.mkdir()
    victim = outside / "victim"
    victim.write_bytes(b"precious")
    folder = program.folder / ".tenure"
    if name == ".tenure":
        folder.symlink_to(outside)
    else:
        folder.mkdir()
        (folder / name).symlink_to(victim if name != ".gitignore" else outside / "made")
    done = program("--json", "add", "x")
    assert done.status in ((0,) if name == ".gitignore" else (5,)), done.err
    assert victim.read_bytes() == b"precious" and sorted(path.name for path in outside.iterdir()) == ["victim"]


def test_files_are_for_their_owner_only(program: Program) -> None:
    """S9: 0700 and 0600 whatever the umask says."""

    def without_a_mask() -> None:
        os.umask(0)

    loose = replace(program, before=without_a_mask)
    loose.ok("add", "Private")
    loose.ok("export", "all.jsonl")
    with tenure.open(folder=program.folder) as ws:
        ws.add("Keeps the log open")
        for path in (*program.database.parent.iterdir(), program.home / "seal.key", program.folder / "all.jsonl"):
            if path.name != ".gitignore":
                assert stat.S_IMODE(path.stat().st_mode) == 0o600, path
    assert stat.S_IMODE(program.database.parent.stat().st_mode) == 0o700
    assert stat.S_IMODE(program.home.stat().st_mode) == 0o700


def test_a_torn_key_is_not_used(program: Program) -> None:
    """S1: a key cut off by a crash would let anybody forge a seal."""
    program.home.mkdir(parents=True, exist_ok=True)
    (program.home / "seal.key").write_bytes(b"")
    program.ok("add", "Sealed")
    program.ok("export", "all.jsonl")
    assert len((program.home / "seal.key").read_bytes()) == 32


@linux_only
def test_a_line_of_200_megabytes_costs_little_memory(program: Program) -> None:
    """S17: line 1 MB; a 200 MB line is refused by number, with at most 100 MB in use."""
    path = program.folder / "huge.jsonl"
    with path.open("wb") as file:
        file.write(b'{"text": "')
        file.seek(200 * MEGABYTE)
        file.write(b'"}\n{"text": "the next line"}\n')
    script = f"""
import sys
from tenure.__main__ import main
status = main(sys.argv[1:])
{PEAK_KILOBYTES}
sys.exit(status)
"""
    process = program.start(script, "capture", str(path), "--keep-going", "--json")
    out, err = process.communicate(timeout=300)
    assert process.returncode == 0, err
    answer, peak = out.decode().strip().splitlines()
    assert [item["line"] for item in json.loads(answer)["skipped"]] == ["1"]
    assert len(json.loads(answer)["decisions"]) == 1 and int(peak) < 100 * 1024


def test_limits_are_named_when_they_are_met(program: Program) -> None:
    """S17: count, depth and size: refused or cut to what is documented, never a crash."""
    with tenure.open(folder=program.folder) as ws:
        id = ws.add("Many tags", tags=[f"tag{n}" for n in range(500)], title="long " * 5000).id
        assert len(ws.get(id).tags) == 12 and len(ws.get(id).title) <= 120
        with pytest.raises(InvalidInput):
            ws.add("x" * (2 * MEGABYTE))
        with pytest.raises(InvalidInput):
            ws.capture([{"text": "x", "content": {"a": "y" * (2 * MEGABYTE)}}])
        assert ws.search("word " * 50_000) == [] and ws.inject("x" * MEGABYTE) is not None


@pytest.mark.parametrize("words", [["hook", "noop"], ["hook", "nonsense"], ["hook"], ["hook", "\x1b[31m"]])
def test_a_hook_fails_open_whatever_is_wrong(words: list[str], program: Program) -> None:
    """S19: exit 0 and no partial block, with a damaged store, no home and nonsense on standard input."""
    program.database.parent.mkdir()
    program.database.write_bytes(b"garbage" * 1000)
    done = program(*words, stdin=b"\xff\x00 nonsense", TENURE_HOME="/dev/null/none", TENURE_NOW="nonsense")
    assert (done.status, done.out) == (0, b"")


@pytest.mark.parametrize("gate", ["clean", "redact", "redact_value", "content_problems"])
def test_a_gate_that_breaks_lets_nothing_through(gate: str, program: Program, monkeypatch: pytest.MonkeyPatch) -> None:
    """S19: gates fail closed: when cleaning, redacting or checking breaks, nothing is stored."""
    with tenure.open(folder=program.folder) as ws:
        with monkeypatch.context() as broken:
            broken.setattr(intake, gate, lambda *_: 1 / 0)
            for write in (lambda: ws.add("token and lesson"), lambda: ws.capture([{"text": "token and lesson"}])):
                with pytest.raises(ZeroDivisionError):
                    write()
        assert ws.memories(all=True) == [] and ws.check() == []


def test_a_failed_batch_promotes_and_stores_nothing(program: Program) -> None:
    """S19, R2: one bad proposal in a list, given by the API, leaves the others out too."""
    with tenure.open(folder=program.folder) as ws:
        with pytest.raises(TenureError):
            ws.capture([{"text": "Good"}, {"text": "Bad", "state": "canonical"}])
        assert ws.memories(all=True) == [] and list(ws.project.store.batches()) == []


@linux_only
def test_no_command_starts_a_program_or_opens_a_connection(program: Program, tmp_path: Path) -> None:
    """S9, S10: no shell, no network, seen by an audit hook over a whole life."""
    script = """
import sys
seen = []
def hook(event, arguments):
    if event.startswith(("subprocess", "os.exec", "os.posix_spawn", "os.system", "socket.", "pickle", "urllib")):
        seen.append(event)
sys.addaudithook(hook)
from tenure.__main__ import main
for words in (["add", "A lesson", "--id", "m1"], ["search", "lesson"], ["inject", "lesson"], ["log", "m1", "--effect",
    "positive"], ["export", "all.jsonl"], ["import", "all.jsonl"], ["upkeep"], ["doctor"], ["forget", "m1", "--yes"]):
    assert main(["--json", *words]) == 0, words
print(seen, file=sys.stderr)
"""
    process = program.start(script)
    _, err = process.communicate(timeout=300)
    assert err.decode().strip() == "[]"


def test_the_program_needs_no_shell_to_be_called(program: Program) -> None:
    """S10: a text that looks like an option or a command is data after `--`."""
    done = subprocess.run(
        [sys.executable, "-m", "tenure", "--json", "add", "--", "--help; $(rm -rf /)"],
        cwd=program.folder,
        env=program.variables(),
        capture_output=True,
        check=False,
    )
    assert json.loads(done.stdout)["text"] == "--help; $(rm -rf /)"


SECRETS = ["ghp_" + "a1B2c3D4e5F6g7H8i9J0" * 2, "sk-ant-api03-" + "aB3dE5" * 8, "AKIA" + "Q3EGRTYUIOPASDFG"]


@pytest.mark.parametrize("secret", SECRETS)
def test_an_id_that_looks_like_a_secret_is_refused_without_being_repeated(secret: str, program: Program) -> None:
    """S8: a secret is kept in no field, and an id cannot be redacted."""
    done = program("add", "Use Redis as the queue", "--id", secret)
    assert done.status == 2 and "id: " in done.errors
    assert secret not in done.errors + done.text
    assert not program.ok("list", "--all")["memories"]
    line = json.dumps({"text": "Use Redis as the queue for jobs", "id": secret}).encode()
    done = program("import", "-", stdin=line)
    assert done.status != 0 and secret.encode() not in done.out + done.err
    done = program("--store", "geas:.geas", "add", "Use Redis as the queue", "--id", f"mem-{secret}")
    assert done.status == 2 and secret not in done.errors
    assert not any(secret in path.name for path in program.folder.rglob("*"))


def test_another_systems_memory_whose_id_looks_like_a_secret_stays_where_it_is(program: Program) -> None:
    """S8: it is not copied, and what is printed of it is redacted."""
    secret = "xoxb-" + "1234567890-1234567890123-abcdefghijklmnopqrstuvwx"
    folder = program.folder / ".archeflow" / "memory"
    folder.mkdir(parents=True)
    (folder / "lessons.jsonl").write_text(json.dumps({**LESSON, "id": secret, "description": "Use Redis"}) + "\n")
    done = program("--store", "sqlite:mine.db", "import", "archeflow:.archeflow")
    assert secret.encode() not in done.out + done.err and b"looks like a secret" in done.out


def test_the_drop_in_names_no_file_after_a_secret(program: Program) -> None:
    """S8: claude-memory's ids are the names of its files."""
    secret = "xoxb-1234567890-1234567890123-abcdefghijklmnopqrstuvwx"
    program.folder.joinpath(".claude", "memory", ".staging").mkdir(parents=True)
    draft = program.folder / ".claude" / "memory" / ".staging" / "draft.json"
    draft.write_text(json.dumps({"id": "use-redis", "title": "Use Redis", "tags": ["queue"],
        "content": {
        "status": "accepted", "context": "c", "decision": "d", "alternatives": [], "rationale": ["r"],
        "consequences": []}}))  # fmt: skip
    place = f".claude/memory/decisions/{secret}.json"
    done = program(
        "claude-memory", "write", "--action", "create", "--category", "decision", "--target", place,
        "--input", str(draft),
    )  # fmt: skip
    assert done.status != 0 and secret.encode() not in done.out + done.err, done
    assert "secret" in done.text
