"""Guards as a person and an agent meet them: proposed by anybody, switched on, judged and lifted by a person only."""

from __future__ import annotations

import json
import shlex
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.program import Program
from tests.surfaces.hooks.test_hooks import bash, hook

RULE = "Never run `git push --force`: others work on these branches."


@pytest.fixture
def ruled(program: Program) -> Program:
    program.ok("add", RULE, "--id", "nf")
    return program


def refused(program: Program, *words: str, **environment: Any) -> str:
    done = program("--json", *words, **environment)
    assert done.status != 0, done.text
    return str(done.error["code"])


def state(program: Program) -> tuple[Any, ...]:
    [report] = program.ok("guards")["guards"]
    return tuple(report[name] for name in ("state", "level", "fires", "right", "wrong"))


def test_a_guard_is_shown_tried_and_switched_on(ruled: Program) -> None:
    """Issue 19: shown as a proposal, never active before a person confirms."""
    shown = ruled.ok("guard", "nf")
    assert shown["guard"]["commands"][0]["program"] == "git"
    assert shown["dry_run"]["fires"] == []
    assert ruled.ok("guards")["guards"] == []
    assert ruled.ok("guard", "nf", "--propose")["guard"].get("state", "proposed") == "proposed"
    assert hook(ruled, "guard", **bash("git push --force")).out == b""
    ruled.ok("guard", "nf", "--level", "ask")
    assert state(ruled)[:2] == ("on", "ask")
    assert b'"ask"' in hook(ruled, "guard", **bash("git push --force")).out


def test_an_agent_proposes_and_never_confirms(ruled: Program) -> None:
    """Issue 19: an agent that cannot confirm its own guard, nor end, lift or judge one, nor take a decision back."""
    attended = {"TENURE_UNATTENDED": "", "TENURE_HOME": str(ruled.home.parent / "own"), "CLAUDECODE": "1"}
    agent = {name: value for name, value in attended.items() if name != "TENURE_UNATTENDED"}
    ruled.environment.pop("TENURE_UNATTENDED", None)
    ruled.ok("guard", "nf", "--level", "deny", "--deny-now")
    hook(ruled, "guard", **bash("git push --force"))
    beside = {**agent, "TENURE_STORE": f"sqlite:{ruled.database}"}
    variables = ruled.variables(beside)
    variables.pop("TENURE_UNATTENDED")

    def as_agent(*words: str) -> str:
        done = subprocess.run(
            [sys.executable, "-m", "tenure", "--json", *words], cwd=ruled.folder, env=variables, capture_output=True
        )
        assert done.returncode != 0, done.stdout
        return str(json.loads(done.stderr.splitlines()[-1])["error"]["code"])

    for words in (
        ("guard", "nf", "--level", "remind"),
        ("guard", "nf", "--off"),
        ("allow", "nf", "--once"),
        ("guards", "--judge", "wrong", "--fire", "1"),
        ("undo", "2"),
        ("retire", "nf", "--reason", "over"),
        ("archive", "nf"),
        ("edit", "nf", "--text", "Push as you like"),
    ):
        assert as_agent(*words) == "NEEDS_PERSON", words
    assert as_agent("guard", "nf", "--propose") == "REFUSED"
    assert state(ruled)[:2] == ("on", "deny")
    # Nor does it silence the hooks that guard.
    for line in ("off --project", "off --session", "off"):
        variables["CLAUDE_CODE_SESSION_ID"] = "s"
        assert as_agent(*line.split()) == "NEEDS_PERSON", line


@pytest.mark.parametrize("beside", [{"CLAUDECODE": "1"}, {}], ids=["an agent", "a process that left its terminal"])
@pytest.mark.parametrize("scope", ["--project", "--session"])
@pytest.mark.parametrize("how", ["option", "variable", "folder", "no guard"])
def test_no_agent_silences_hooks_whatever_store_it_names(
    ruled: Program, tmp_path: Path, how: str, scope: str, beside: dict[str, str]
) -> None:
    """A breaker's finding: another store without a guard was asked, and this project's guards fell silent."""
    if how != "no guard":
        ruled.ok("guard", "nf", "--deny-now")
    other, empty = f"sqlite:{tmp_path / 'other.db'}", tmp_path / "empty"
    empty.mkdir()
    home = tmp_path / "own"
    variables = ruled.variables({"CLAUDE_CODE_SESSION_ID": "s", "TENURE_HOME": str(home), **beside})
    variables.pop("TENURE_UNATTENDED")
    if how == "variable":
        variables["TENURE_STORE"] = other
    done = subprocess.run(
        [sys.executable, "-m", "tenure", *(["--store", other] if how == "option" else []), "off", scope],
        cwd=empty if how == "folder" else ruled.folder,
        env=variables,
        capture_output=True,
        start_new_session=True,
    )
    assert (done.returncode, b"needs a person" in done.stderr) == (3, True), done
    assert not (home / "off").exists()


def test_allowing_lets_one_call_through_or_the_session(ruled: Program) -> None:
    """Issue 19: `tenure allow ID [--once|--session]` for the person who was stopped."""
    ruled.ok("guard", "nf", "--deny-now")
    assert refused(ruled, "allow", "nf") == "BAD_REQUEST"
    stopped = [b"deny" in hook(ruled, "guard", **bash("git push -f")).out]
    ruled.ok("allow", "nf", "--once")
    stopped += [b"deny" in hook(ruled, "guard", **bash("git push -f")).out for _ in range(2)]
    ruled.ok("allow", "nf", "--session")
    stopped += [b"deny" in hook(ruled, "guard", **bash("git push -f")).out for _ in range(3)]
    assert stopped == [True, False, True, False, False, False]
    assert b"deny" in hook(ruled, "guard", **bash("git push -f"), session_id="another").out


def test_allowing_once_is_about_the_call_that_was_stopped(ruled: Program) -> None:
    """A stranger's finding: the person allowed one call by name, and the next other one of that session passed."""
    ruled.ok("guard", "nf", "--deny-now")
    hook(ruled, "guard", **bash("git push -f origin mine"))
    said = ruled("allow", "nf", "--once").text
    assert "git push" in said and "that exact call" in said
    assert b"deny" in hook(ruled, "guard", **bash("git push -f origin main")).out
    assert b"deny" not in hook(ruled, "guard", **bash("git push -f origin mine")).out
    assert b"deny" in hook(ruled, "guard", **bash("git push -f origin mine")).out


def test_a_call_that_was_only_reminded_of_needs_no_permission(ruled: Program) -> None:
    """`--once` names the call that was stopped; where none was, nothing could be meant."""
    ruled.ok("guard", "nf", "--level", "remind")
    hook(ruled, "pre-tool", **bash("git push -f"))
    assert refused(ruled, "allow", "nf", "--once") == "BAD_REQUEST"
    ruled.ok("allow", "nf", "--session")
    assert hook(ruled, "pre-tool", **bash("git push -f")).out == b""


def test_judging_moves_it_along_the_ladder_and_undo_takes_it_back(ruled: Program) -> None:
    """Issue 19: demotion and undo from the ledger; deny is earned by five right fires."""
    ruled.ok("guard", "nf", "--level", "remind")
    for _ in range(7):
        hook(ruled, "pre-tool", **bash("git push -f"))
    for fire in range(1, 6):
        assert refused(ruled, "guard", "nf", "--level", "deny") == "REFUSED"
        ruled.ok("guards", "--judge", "right", "--fire", str(fire))
    ruled.ok("guard", "nf", "--level", "deny")
    assert state(ruled) == ("on", "deny", 7, 5, 0)
    ruled.ok("guards", "--judge", "wrong", "--fire", "6")
    assert state(ruled) == ("on", "ask", 7, 5, 1)
    ruled.ok("undo")
    assert state(ruled) == ("on", "deny", 7, 5, 0)
    types = [entry["type"] for entry in ruled.ok("history", "nf")["events"]]
    assert types[-2:] == ["Judged", "Undone"]
    assert ruled("check").status == 0


def test_a_guard_travels_with_its_memory(ruled: Program, tmp_path: Path) -> None:
    """Issue 19: review, history, undo, decay and export come for free."""
    ruled.ok("guard", "nf", "--level", "ask")
    ruled.ok("export", str(tmp_path / "all.jsonl"))
    other = Program(tmp_path / "other", ruled.home, ruled.environment)
    other.folder.mkdir()
    other.ok("import", str(tmp_path / "all.jsonl"))
    assert state(other)[:2] == ("on", "ask")
    assert b'"ask"' in hook(other, "guard", **bash("git push --force")).out


def test_guards_are_written_as_others_write_them(ruled: Program) -> None:
    """Issue 19: `tenure guard export` for what must hold."""
    ruled.ok("guard", "nf", "--level", "remind")
    ruled.ok("add", "Never edit files under `gen/`.", "--id", "gen")
    ruled.ok("guard", "gen", "--level", "remind")
    deny = json.loads(ruled.ok("guard", "export")["rules"])["permissions"]["deny"]
    assert deny == ["Bash(git push --force:*)", "Bash(git push -f:*)", "Edit(**/gen/**)"]
    hooked = ruled.ok("guard", "export", "--to", "pre-commit")
    assert hooked["left_out"] == ["nf"]
    assert "check 'gen' ':(glob)**/gen/**'" in hooked["rules"]


def test_the_exports_in_the_documentation_are_what_is_printed_and_hold(program: Program) -> None:
    """docs/guards.md: the deny rules as shown there, and a hook by which git itself refuses the commit."""
    program.ok("add", "Never edit files under `gen/`: `make gen` writes them.", "--id", "gen")
    program.ok("add", "Never run `git push --force`", "--id", "push")
    for id in ("gen", "push"):
        program.ok("guard", id, "--level", "remind")
    page = (Path(__file__).parents[2] / "docs" / "guards.md").read_text()
    assert f"tenure guard export --to claude-code\n{program('guard', 'export').text}```" in page
    commit = ("-c", "user.name=a", "-c", "user.email=a@example.org", "commit", "-qm", "x")

    def git(*words: str) -> subprocess.CompletedProcess[bytes]:
        return subprocess.run(["git", *words], cwd=program.folder, env=program.variables(), capture_output=True)

    git("init", "-q")
    hook_file = program.folder / ".git" / "hooks" / "pre-commit"
    hook_file.parent.mkdir(exist_ok=True)
    hook_file.write_bytes(program("guard", "export", "--to", "pre-commit").out)
    hook_file.chmod(0o755)
    for path, status in (("src.txt", 0), ("gen/a.txt", 1)):
        (program.folder / path).parent.mkdir(exist_ok=True)
        (program.folder / path).write_text("x")
        git("add", path)
        done = git(*commit)
        assert done.returncode == status, (path, done.stderr)
    assert b"gen (tenure show gen) protects:\ngen/a.txt" in done.stderr


def test_the_dry_run_shows_what_would_have_fired_and_what_followed(ruled: Program, tmp_path: Path) -> None:
    """Issue 19: over past sessions, before it is switched on."""

    def record(kind: str, content: Any, number: int) -> str:
        message = {"role": kind, "content": content}
        return json.dumps(
            {"type": kind, "sessionId": "s", "uuid": f"u{number}", "cwd": str(ruled.folder), "message": message}
        )

    def call(line: str, number: int) -> str:
        block = {"type": "tool_use", "id": f"t{number}", "name": "Bash", "input": {"command": line}}
        return record("assistant", [block], number)

    lines = [
        record("user", "push it please", 0),
        call("git push --force origin x", 1),
        record("user", "No, never force-push!", 2),
        call("echo git push --force", 3),
        call("git push -f", 4),
    ]
    path = tmp_path / "session.jsonl"
    path.write_text("\n".join(lines))
    tried = ruled.ok("guard", "nf", "--sessions", str(path))["dry_run"]
    assert tried["calls"] == 3
    assert [(one["about"], one["followed"]) for one in tried["fires"]] == [
        ("git push --force", "rejected"),
        ("git push -f", ""),
    ]


def test_a_guard_does_not_outlive_the_words_it_was_agreed_to_for(ruled: Program) -> None:
    """Issue 19: an edit that makes the memory say something else puts its guard back to a proposal."""
    ruled.ok("guard", "nf", "--level", "deny", "--deny-now")
    kept = ruled.ok("edit", "nf", "--text", "Never run `git push --force`: colleagues build on these branches.")
    assert kept["guard"]["state"] == "on", "the words still forbid the same"
    gone = ruled("edit", "nf", "--text", "Force pushes are fine on branches of your own.")
    assert "went with the words" in gone.text + gone.err.decode()
    assert ruled.ok("show", "nf")["guard"] is None
    assert hook(ruled, "guard", **bash("git push --force")).out == b""
    ruled.ok("undo")
    assert ruled.ok("show", "nf")["guard"]["state"] == "on"
    other = ruled("edit", "nf", "--text", "Never run `git stash`.")
    assert "waits for you again" in other.text + other.err.decode()
    guard = ruled.ok("show", "nf")["guard"]
    assert (guard.get("state", "proposed"), guard["commands"][0]["words"]) == ("proposed", ["stash"])


def test_a_guard_written_by_hand_waits_again_when_the_words_change(ruled: Program) -> None:
    """Issue 19: what a person agreed to was a check for what the memory said then."""
    ruled.ok("add", "Marks are made by the Makefile", "--id", "marks")
    examples = "--fires|run touch a|--fires|run touch b|--passes|run ls|--passes|run cat a".split("|")
    ruled.ok("guard", "marks", "--command", "touch", *examples, "--level", "remind")
    ruled.ok("edit", "marks", "--text", "Marks are made by the  makefile.")
    assert ruled.ok("show", "marks")["guard"]["state"] == "on", "the same words"
    ruled.ok("edit", "marks", "--tag", "build")
    assert ruled.ok("show", "marks")["guard"]["state"] == "on"
    left = ruled.ok("edit", "marks", "--text", "Marks are made by hand")["guard"]
    assert left.get("state", "proposed") == "proposed" and left["commands"] == [{"program": "touch"}]
    assert hook(ruled, "guard", **bash("touch a")).out == b""
    assert ruled("check").status == 0


def test_a_memory_without_a_check_gets_a_sample_that_guards_nothing_when_pasted(program: Program) -> None:
    """A stranger's finding: the sample tied a force-push guard to a rule about something else."""
    program.ok("add", "Reviews are kind", "--id", "kind")
    hint = str(program("--json", "guard", "kind").error["hint"])
    assert "fill in the capitals" in hint and "git push" not in hint
    pasted = hint[hint.index("tenure guard") :]
    checked = subprocess.run(["bash", "-c", pasted.replace("tenure", "echo")], cwd=program.folder, capture_output=True)
    assert checked.returncode != 0 and not checked.stdout


def test_a_dry_run_says_how_to_switch_the_shown_guard_on(ruled: Program, tmp_path: Path) -> None:
    """A stranger's findings: the dry run ended without a next step, and counted "1 sessions, 0 calls"."""
    talk = tmp_path / "talk.jsonl"
    talk.write_text(json.dumps({"type": "user", "uuid": "1", "message": {"role": "user", "content": "Hello"}}) + "\n")
    said = ruled("guard", "nf", "--sessions", str(talk)).text
    assert "found 1 session without tool calls." in said
    assert said.rstrip().endswith("To switch it on: tenure guard nf --level remind")
    by_hand = ("--command", "git tag", "--fires", "run git tag", "--fires", "run git tag x",
               "--passes", "run git log", "--passes", "run ls")  # fmt: skip
    shown = ruled("guard", "nf", *by_hand).text.rpartition("To switch it on: tenure ")[2]
    assert ruled(*shlex.split(shown)).status == 0
    assert ruled.ok("guards")["guards"][0]["looks_for"] == "run git tag"


def test_a_call_that_was_let_through_is_not_asked_about(ruled: Program) -> None:
    """A stranger's finding: `guards` asked to judge the call that `allow` had let run."""
    ruled.ok("guard", "nf", "--level", "deny", "--deny-now")
    hook(ruled, "guard", **bash("git push --force"))
    ruled.ok("allow", "nf", "--once")
    assert hook(ruled, "guard", **bash("git push --force")).out == b""
    [report] = ruled.ok("guards")["guards"]
    assert (report["fires"], [one["call"] for one in report["unjudged"]]) == (2, ["denied"])
