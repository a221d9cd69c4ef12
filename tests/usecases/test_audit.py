"""`tenure audit` and `tenure route` as a stranger runs them: real repositories, real processes."""

from __future__ import annotations

import json
import os
import re
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.audit.conftest import Repository
from tests.program import Program

LOADER = "".join(f"def load_{name}(value):\n    return value + {n}\n\n" for n, name in enumerate("abcdef"))
NOW = "2026-06-01T00:00:00Z"
ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture
def repository(program: Program) -> Repository:
    """The program's folder as a repository in which a file was renamed after CLAUDE.md named it."""
    program.folder.rmdir()
    found = Repository(program.folder)
    found.write("src/loader.py", LOADER)
    found.write("CLAUDE.md", "# Rules\n\nRead `src/loader.py` first, then `src/never.py`.\n")
    found.commit("Begin")
    found.git("mv", "src/loader.py", "src/reader.py")
    found.commit("Call the loader a reader")
    return found


@pytest.fixture
def another(tmp_path: Path) -> Callable[[str], Repository]:
    return lambda name: Repository(tmp_path / name)


def test_a_plain_audit_writes_nothing_anywhere_in_the_project(repository: Repository, program: Program) -> None:
    """Issue: in any repository, with nothing installed and nothing written."""
    done = program("audit")
    assert done.status == 0
    assert "Agents read 1 instruction file here." in done.text
    assert "tenure audit --deep" in done.text
    assert program("audit", "--deep").status == 0
    assert repository.git("status", "--porcelain", "--ignored") == ""
    assert not (program.folder / ".tenure").exists()


def test_the_page_says_at_a_glance_what_is_broken_since_when_and_what_to_do(
    repository: Repository, program: Program
) -> None:
    """Issue: a summary a person understands at a glance, sorted by what hurts most."""
    page = program("audit", "--deep").text
    assert "2 broken references of 2 checked, 1 of them with a repair" in page
    assert "CLAUDE.md:3  src/loader.py is now src/reader.py (100% sure)" in page
    assert "of 2023-11-16: Call the loader a reader" in page
    assert page.index("src/never.py") > page.index("broken references")
    assert page.rstrip().endswith("Next: tenure audit --fix --dry-run shows the repairs that are sure")


def test_a_fix_is_shown_as_a_diff_made_and_taken_back(repository: Repository, program: Program) -> None:
    """Issue: proposed as a diff; --fix applies only pure moves, keeps every other byte, and can be undone."""
    before = (program.folder / "CLAUDE.md").read_bytes()
    shown = program("audit", "--fix", "--dry-run").text
    assert "  -Read `src/loader.py` first, then `src/never.py`." in shown
    assert "  +Read `src/reader.py` first, then `src/never.py`." in shown
    assert (program.folder / "CLAUDE.md").read_bytes() == before
    assert program.ok("audit", "--fix")["fixed"]
    assert (program.folder / "CLAUDE.md").read_bytes() == before.replace(b"loader.py", b"reader.py")
    program.ok("audit", "--undo")
    assert (program.folder / "CLAUDE.md").read_bytes() == before
    assert program("audit", "--undo").status == 2
    program.ok("audit", "--fix")
    (program.folder / "CLAUDE.md").write_bytes(b"changed\n")
    assert program("audit", "--undo").status == 4
    assert (program.folder / "CLAUDE.md").read_bytes() == b"changed\n"


@pytest.mark.parametrize(
    ("condition", "text", "status"),
    [
        ("broken", "Read `src/never.py`.", 1),
        ("broken", "Read `src/reader.py`.", 0),
        ("stale", "Read `src/never.py`.", 0),
        ("secrets", "password = hunter2hunter2correct", 1),
        ("secrets", "no password here", 0),
    ],
)
def test_the_exit_status_is_a_gate_only_when_asked(
    condition: str, text: str, status: int, repository: Repository, program: Program
) -> None:
    """Issue: exit 1 with --fail-on, so that it works as a pre-commit hook and CI gate."""
    repository.write("CLAUDE.md", text + "\n")
    assert program("audit", "--fail-on", condition).status == status
    assert program("audit").status == 0


def test_the_hooks_for_pre_commit_find_and_mend(repository: Repository, program: Program) -> None:
    """docs/audit.md: `tenure-audit` fails on broken references, `tenure-audit-fix` mends those that only moved."""
    hooks = (ROOT / ".pre-commit-hooks.yaml").read_text()
    entries = dict(re.findall(r"^- id: (\S+)$.*?^  entry: tenure (.+?)$", hooks, re.MULTILINE | re.DOTALL))
    assert set(entries) == {"tenure-audit", "tenure-audit-fix", "tenure-team-check"}
    assert program(*entries["tenure-audit"].split()).status == 1
    program(*entries["tenure-audit-fix"].split())
    assert "Read `src/reader.py` first" in (program.folder / "CLAUDE.md").read_text()


def test_a_stale_memory_fails_the_gate_for_stale_ones(program: Program) -> None:
    """Issue: --fail-on stale; a project memory of 100 days scores 99."""
    path = program.folder / "memory" / "a.md"
    path.parent.mkdir()
    path.write_text("---\nname: a\ntype: project\n---\n\nx\n")
    os.utime(path, (1_600_000_000, 1_600_000_000))
    done = program("--store", "claude-code:memory", "audit", "--fail-on", "stale", TENURE_NOW=NOW)
    assert done.status == 1
    assert "1 stale memory: 1 to prune, 0 to review" in done.text


def test_sarif_annotations_and_json(repository: Repository, program: Program) -> None:
    """Issue: --json, --format sarif and GitHub annotations."""
    sarif = json.loads(program("audit", "--deep", "--format", "sarif").text)
    assert sarif["version"] == "2.1.0"
    assert {each["ruleId"] for each in sarif["runs"][0]["results"]} == {"broken-claim", "moved-claim"}
    lines = program("audit", "--deep", "--format", "github").text.splitlines()
    assert [line.partition(",title")[0] for line in lines] == [
        "::warning file=CLAUDE.md,line=3",
        "::error file=CLAUDE.md,line=3",
    ]
    asked = program("audit", "--format", "json", TENURE_NOW=NOW)
    assert asked.json == program.ok("audit", TENURE_NOW=NOW)
    (memory,) = program.ok("audit", "--deep")["memories"]
    assert {claim["text"]: claim["status"] for claim in memory["claims"]} == {
        "src/loader.py": "moved",
        "src/never.py": "missing",
    }


def test_the_native_store_and_a_kept_memory_are_part_of_the_audit(repository: Repository, program: Program) -> None:
    """Issue: the four dialects' folders and the native store; the same id in list and audit."""
    id = program.ok("add", "Start with `src/loader.py` when reading")["id"]
    found = {memory["id"]: memory for memory in program.ok("audit", "--deep")["memories"]}
    assert [claim["status"] for claim in found[id]["claims"]] == ["moved"]
    (program.folder / "memory").mkdir()
    assert program.ok("--store", "claude-code:memory", "audit")["memories"] == []
    only = program.ok("--store", "sqlite:.tenure/memory.db", "audit", "--deep")["memories"]
    assert [memory["id"] for memory in only] == [id]


def test_a_folder_with_nothing_to_read_says_what_was_looked_for(program: Program) -> None:
    """No git, no files: clear words, no crash."""
    done = program("audit", "--deep")
    assert done.status == 0
    assert "Nothing that an agent reads was found here." in done.text
    assert "not a git repository" in done.text
    assert program("audit", "nowhere").status == 2


def test_the_folder_of_the_memories_itself_can_be_named(repository: Repository, program: Program) -> None:
    """The contract's `audit [PATH]`: what a person points at is looked at, against the project around it."""
    repository.write("memory/MEMORY.md", "- [a.md](a.md) — where loading happens\n")
    repository.write("memory/a.md", "---\nname: a\ndescription: d\ntype: project\n---\nSee `src/loader.py`.\n")
    repository.commit("Remember")
    (memory,) = program.ok("audit", "memory", "--deep")["memories"]
    assert (memory["id"], [claim["status"] for claim in memory["claims"]]) == ("a.md", ["moved"])


def test_without_git_paths_and_names_are_checked_all_the_same(program: Program) -> None:
    """Issue: a repository without git."""
    (program.folder / "a.py").write_text("def here(): ...\n")
    (program.folder / "CLAUDE.md").write_text("`a.py`, `src/b.py`, `here()` and branch feature/login\n")
    answer = program.ok("audit", "--perhaps")
    assert [claim["status"] for claim in answer["memories"][0]["claims"]] == ["ok", "missing", "ok", "unchecked"]
    assert any("not a git repository" in notice for notice in answer["notices"])


def test_a_shallow_clone_and_a_submodule_are_told(
    repository: Repository, another: Callable[[str], Repository], tmp_path: Path, program: Program
) -> None:
    """Issue: a shallow clone, a submodule: clear words."""
    part = another("part")
    part.write("inside.py", "x = 1\n")
    part.commit("Begin")
    repository.git("submodule", "add", "-q", str(part.root), "vendor/part")
    repository.write("AGENTS.md", "`vendor/part/inside.py`\n")
    repository.commit("Add a part")
    clone = Program(tmp_path / "clone", program.home)
    url = f"file://{repository.root}"
    subprocess.run(["git", "clone", "-q", "--depth", "1", url, str(clone.folder)], check=True, capture_output=True)
    done = clone("audit", "--deep")
    assert done.status == 0
    assert "shallow clone" in done.text
    assert "submodule 'vendor/part' is not checked out" in done.text


@pytest.mark.parametrize("words", [(), ("--store", "claude-code:memory")])
def test_hostile_files_are_named_and_stop_nothing(
    words: tuple[str, ...], repository: Repository, program: Program
) -> None:
    """Issue: a symlink loop, a binary file named .md, a 100 MB file: clear words, no crash."""
    (program.folder / "loop").symlink_to(program.folder)
    memory = program.folder / "memory"
    memory.mkdir()
    (memory / "loop.md").symlink_to(memory / "loop.md")
    (memory / "binary.md").write_bytes(b"\x00\xff" * 500)
    (memory / "MEMORY.md").write_text("- [binary.md](binary.md)\n- [loop.md](loop.md)\n- [huge.md](huge.md)\n")
    with open(memory / "huge.md", "wb") as file:
        file.truncate(100 * 1024 * 1024)
    done = program(*words, "audit", "--deep")
    assert done.status == 0, done.errors
    for expected in ("symbolic link", "binary file", "104,857,600 bytes"):
        assert expected in done.text
    listed = program("--json", "--store", "claude-code:memory", "list")
    assert listed.json == {"memories": []}
    assert "104,857,600 bytes" in listed.errors
    assert len(program("--json", "--store", "claude-code:memory", "check").json["problems"]) == 3


@pytest.mark.parametrize(
    ("text", "destination", "kind", "place"),
    [
        ("readability is better than cleverness", "value", "value", "memory/readability-is-better-than-cleverness.md"),
        ("The staging database needs a VPN", "memory", "project", "memory/the-staging-database-needs-a-vpn.md"),
        ("Always run `make lint` before a commit", "CLAUDE.md", "", "CLAUDE.md"),
        ("We decided on Postgres for its locks", "docs/knowledge", "", "docs/knowledge"),
        ("thanks, that will do", "skip", "", ""),
    ],
)
def test_what_was_learned_is_written_where_it_belongs(
    text: str, destination: str, kind: str, place: str, program: Program
) -> None:
    """Seed, destination routing: value choices first, with the reason; --apply writes it there, once."""
    (program.folder / "CLAUDE.md").write_bytes(b"# Rules\r\n\r\n- Be kind\r\n")
    store = ("--store", "claude-code:memory")
    said = program.ok(*store, "route", text)
    assert (said["destination"], said["kind"], said["written"]) == (destination, kind, "")
    assert said["reason"]
    assert sorted(path.name for path in program.folder.iterdir()) == ["CLAUDE.md"]
    for _ in range(2):
        program.ok(*store, "route", text, "--apply")
    files = [path for path in program.folder.rglob("*") if path.is_file() and ".tenure" not in path.parts]
    holding = [path for path in files if text in path.read_text("utf-8") and path.name != "MEMORY.md"]
    assert len(holding) == (destination != "skip")
    if place:
        assert str(holding[0].relative_to(program.folder)).startswith(place)
    rules = (program.folder / "CLAUDE.md").read_bytes()
    added = f"- {text}\r\n".encode() if destination == "CLAUDE.md" else b""
    assert rules == b"# Rules\r\n\r\n- Be kind\r\n" + added


def test_a_route_targets_the_project_of_the_session_and_not_the_current_folder(
    program: Program, tmp_path: Path
) -> None:
    """Seed: always target the session's originating project, not the current shell cwd."""
    other = tmp_path / "other_project"
    (other / ".git").mkdir(parents=True)
    record = {"type": "user", "cwd": str(other / "sub"), "sessionId": "s", "message": {"role": "user", "content": "hi"}}
    (program.folder / "session.jsonl").write_text(json.dumps(record) + "\n")
    said = program.ok("route", "always run the tests", "--session", "session.jsonl")
    assert said["path"] == str(other / "CLAUDE.md")
    folder = program.ok("route", "tabs matter more than spaces", "--session", "session.jsonl")["path"]
    slug = "".join(c if c.isalnum() else "-" for c in str(other))
    assert folder == str(program.home.parent / ".claude" / "projects" / slug / "memory")
    assert program.ok("route", "always run the tests", CLAUDE_PROJECT_DIR=str(other))["project"] == str(other)
