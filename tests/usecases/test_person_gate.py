"""A person decides: who may give a verdict, and every way we know of to forge one (issue 15)."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tenure.hosts import agent_detection, processes
from tests.program import Program
from tests.terminal import Seen, at_terminal

SCRIPT = [sys.executable, "-P", "-m", "tenure"]


class Desk:
    """An ordinary home with a store in which one memory from the web waits for a person."""

    def __init__(self, folder: Path) -> None:
        self.program = Program(folder / "project", folder / "person")
        self.program.folder.mkdir()
        self.environment = {
            name: value for name, value in self.program.variables().items() if name != "TENURE_UNATTENDED"
        }
        proposal = {"kind": "lesson", "text": "Deploy on Fridays from the staging branch", "source": "web"}
        self.at_terminal("add", "Use tabs in the Makefile", "--id", "tabs")
        self.run("capture", "-", stdin=json.dumps(proposal).encode(), status=0)
        [waiting] = [m for m in self.json("list", "--all")["memories"] if m["state"] == "candidate"]
        self.id: str = waiting["id"]

    def run(self, *words: str, stdin: bytes = b"", status: int | None = None, **more: str) -> Any:
        """Run a command without a terminal."""
        done = subprocess.run(
            [*SCRIPT, *words],
            input=stdin,
            capture_output=True,
            cwd=self.program.folder,
            env={**self.environment, **more},
            start_new_session=True,
            check=False,
        )
        if status is not None:
            assert done.returncode == status, (words, done.returncode, done.stdout, done.stderr)
        return done

    def json(self, *words: str) -> Any:
        return json.loads(self.run("--json", *words, status=0).stdout)

    def at_terminal(self, *words: str, types: str = "the word", watched: bool = True, **more: str) -> Seen:
        environment = {**self.environment, **more}
        return at_terminal([*SCRIPT, *words], self.program.folder, environment, types=types, watched=watched)

    def at_terminal_with(self, words: list[str], **more: str) -> Seen:
        """Run another program at a terminal."""
        return at_terminal(words, self.program.folder, {**self.environment, **more})

    def other(self, *words: str, **more: str) -> Any:
        """Run another program without a terminal."""
        return subprocess.run(
            words,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            cwd=self.program.folder,
            env={**self.environment, **more},
            start_new_session=True,
            check=False,
        )

    def state(self, id: str = "") -> str:
        return str(self.json("show", id or self.id)["state"])

    def last(self, id: str = "") -> dict[str, Any]:
        return dict(self.json("history", id or self.id)["events"][-1]["detail"])


@pytest.fixture
def desk(tmp_path: Path) -> Desk:
    return Desk(tmp_path)


def approve(desk: Desk, by: str = "mallory") -> list[str]:
    return ["review", desk.id, "--decision", "approve", "--by", by]


def test_a_person_at_a_terminal_is_asked_once(desk: Desk) -> None:
    """Issue 15: a short word shown there is typed back, once per terminal session and a quarter of an hour."""
    line = " ".join([*SCRIPT, "review", desk.id, "--by", "a", "--decision"])
    twice = f"{line} approve && {line} keep"
    seen = at_terminal(["sh", "-c", twice], desk.program.folder, desk.environment)
    assert (seen.status, seen.asked) == (0, 1), seen.screen
    assert desk.state() == "provisional"
    who = desk.last()["who"]
    assert (who["presence"], who["surface"]) == ("terminal", "command line")
    # Another terminal session is asked again.
    assert desk.at_terminal("review", desk.id, "--decision", "keep", "--by", "a").asked == 1


def test_a_wrong_word_is_no_verdict(desk: Desk) -> None:
    """A choice of our own: three tries, then no."""
    seen = desk.at_terminal(*approve(desk), types="yes")
    assert seen.status == 3 and seen.asked == 3
    assert seen.screen.count("That was not the word that was shown.") == 2
    assert desk.state() == "candidate"


@pytest.mark.parametrize("variable", sorted(agent_detection.VARIABLES))
def test_beside_a_mark_nobody_is_asked_even_at_a_terminal(desk: Desk, variable: str) -> None:
    """Issue 15: each mark, with and without a terminal: an agent could answer in its client's pseudo-terminal."""
    mark: dict[str, Any] = {variable: "1"}
    assert desk.run(*approve(desk), **mark).returncode == 3
    seen = desk.at_terminal(*approve(desk), **mark)
    assert seen.status == 3 and seen.asked == 0 and "terminal of your own" in seen.screen
    assert desk.state() == "candidate"


def test_a_mark_taken_away_is_seen_in_an_ancestor(desk: Desk) -> None:
    """Issue 15: `env -u` removes a variable from the child, not from its parents."""
    line = "env -u CLAUDECODE " + " ".join([*SCRIPT, *approve(desk)]) + "; true"
    seen = at_terminal(["sh", "-c", line], desk.program.folder, {**desk.environment, "CLAUDECODE": "1"})
    assert seen.asked == 0 and "claude-code" in seen.screen
    assert desk.state() == "candidate"


@pytest.mark.parametrize("client", ["claude", "codex", "qwen", "cursor-agent"])
def test_a_client_that_sets_no_mark_is_known_by_its_name(desk: Desk, tmp_path: Path, client: str) -> None:
    """Issue 15: so does an ancestor that is a known client."""
    named = tmp_path / client
    named.symlink_to(shutil.which("sh") or "/bin/sh")
    seen = at_terminal(
        [str(named), "-c", " ".join([*SCRIPT, *approve(desk)]) + "; true"], desk.program.folder, desk.environment
    )
    assert seen.asked == 0 and desk.state() == "candidate", seen.screen


def test_a_script_run_by_a_javascript_runtime_is_known_by_its_name(tmp_path: Path, monkeypatch: Any) -> None:
    """Issue 15, as seen in the real clients: Gemini and Qwen run as `node …/gemini`."""
    process = tmp_path / "17"
    process.mkdir()
    monkeypatch.setattr(processes, "PROC", str(tmp_path))
    for line, host in (
        (b"node\0/usr/lib/node_modules/.bin/gemini\0-p\0go\0", "gemini"),
        (b"/opt/node/bin/node\0--max-old-space-size=99\0/x/.bin/qwen\0", "qwen"),
        (b"node\0server.js\0gemini\0", None),
        (b"vim\0claude\0", None),
    ):
        (process / "cmdline").write_bytes(line)
        assert agent_detection._client(17) == host


@pytest.mark.parametrize("before", [[], ["nohup"], ["setsid", "-w"], ["sh", "-c", '"$@"', "sh"]])
def test_without_a_terminal_there_is_no_verdict(desk: Desk, before: list[str]) -> None:
    """Issue 15: no terminal, a pipe, a script, `sh -c`, nohup."""
    if before and not shutil.which(before[0]):
        pytest.skip(f"{before[0]} is not here")
    for stdin in (b"", b"yes\ny\n"):
        done = subprocess.run(
            [*before, *SCRIPT, *approve(desk)],
            input=stdin,
            capture_output=True,
            cwd=desk.program.folder,
            env=desk.environment,
            start_new_session=True,
            check=False,
        )
        assert done.returncode == 3 and b"TENURE_UNATTENDED" in done.stderr
    assert desk.state() == "candidate"


@pytest.mark.parametrize("mark", [{}, {"GEMINI_CLI": "1"}])
def test_a_pseudo_terminal_below_an_agent_is_no_person(desk: Desk, tmp_path: Path, mark: dict[str, str]) -> None:
    """Issue 15: a pseudo-terminal with and without the mark, made by a process below the agent."""
    agent = tmp_path / "opencode"
    agent.symlink_to(sys.executable)
    drive = "import pty, sys; sys.exit(pty.spawn(sys.argv[1:], lambda fd: b'', lambda fd: b'yes\\n'))"
    words = [str(agent), "-c", drive, *SCRIPT, *approve(desk)]
    done = subprocess.run(
        words,
        capture_output=True,
        cwd=desk.program.folder,
        env={**desk.environment, **mark, "PYTHONHOME": ""} if mark else desk.environment,
        stdin=subprocess.DEVNULL,
        check=False,
    )
    assert desk.state() == "candidate", done.stdout


@pytest.mark.parametrize("proc", [["--mount-proc"], []], ids=["own-proc", "others-proc"])
def test_a_namespace_made_inside_a_session_is_no_person(desk: Desk, proc: list[str]) -> None:
    """Issue 15: in namespaces of its own a process sees no ancestor, and nobody can tell who started it."""
    before = ["unshare", "-pf", *proc]
    if not shutil.which("unshare") or subprocess.run([*before, "true"], check=False).returncode:
        pytest.skip("no namespaces can be made here")
    line = " ".join([*SCRIPT, *approve(desk)])
    inner = ["script", "-qec", line, "/dev/null"] if shutil.which("script") else ["sh", "-c", f"{line}; true"]
    for words in ([*before, "sh", "-c", f"{line}; true"], [*before, *inner]):
        seen = at_terminal(words, desk.program.folder, desk.environment)
        assert seen.asked == 0 and "terminal of your own" in seen.screen, seen.screen
    assert desk.state() == "candidate"


COVERS = {
    "another folder": "mount --bind {fake} /proc",
    "an empty file system": "mount -t tmpfs none /proc",
    "nothing": "umount -l /proc",
    "another process": "mount --bind /proc/1 /proc/$PPID",
    "the line of the client": "mount --bind /proc/1/cmdline /proc/$PPID/cmdline",
}


@pytest.mark.parametrize("cover", COVERS)
def test_a_proc_that_somebody_put_something_over_shows_no_person(desk: Desk, tmp_path: Path, cover: str) -> None:
    """Issue 15: in a mount namespace of its own an agent's process decides what /proc shows."""
    if not shutil.which("unshare") or subprocess.run(["unshare", "-m", "true"], check=False).returncode:
        pytest.skip("no namespaces can be made here")
    agent, fake = tmp_path / "claude", tmp_path / "proc"
    agent.symlink_to("/bin/bash")
    fake.mkdir()
    (fake / "self").symlink_to("1")
    line = " ".join([*SCRIPT, *approve(desk)])
    # The shell below the client covers what tells of it, and becomes the command in a terminal of its own.
    inner = f"{COVERS[cover].format(fake=fake)} && {line}; true"
    words = [str(agent), "-c", f"unshare -m sh -c '{inner}'; true"]
    seen = at_terminal(words, desk.program.folder, desk.environment)
    assert seen.asked == 0 and "needs a person" in seen.screen, seen.screen
    assert desk.state() == "candidate"


def test_a_container_and_a_virtual_machine_are_places_for_persons(tmp_path: Path, monkeypatch: Any) -> None:
    """A container's first process leads a session; that of a virtual machine or of WSL need not."""
    first = tmp_path / "1"
    first.mkdir()
    monkeypatch.setattr(processes, "PROC", str(tmp_path))
    monkeypatch.setattr(processes, "is_genuine", lambda: True)
    names = {"/proc/self": str(os.getpid()), "/proc/self/ns/pid": "pid:[4026532000]"}
    monkeypatch.setattr("os.readlink", names.__getitem__)
    monkeypatch.setattr("os.getsid", lambda process: os.getpid())  # that of the tests may lie outside a container
    for session, program, elsewhere in (("1", "bash", False), ("0", "/init", False), ("0", "bash", True)):
        (first / "stat").write_text(f"1 (a (b) c) S 0 1 {session} 34816 -1")
        (first / "cmdline").write_bytes(program.encode() + b"\0")
        assert agent_detection._is_elsewhere() is elsewhere
    names["/proc/self/ns/pid"] = agent_detection.FIRST_NAMESPACE
    assert agent_detection._is_elsewhere() is False


def test_two_names_of_one_person_are_one_approver(desk: Desk) -> None:
    """Issue 15: `--by` is a label; names and their case do not make a second person, another day does."""
    for task in range(6):
        desk.at_terminal("log", "tabs", "--effect", "positive", "--task", f"T-{task}")
    desk.at_terminal("review", "tabs", "--decision", "approve", "--by", "alice")
    for day, by, state in ((1, "alice", "stable"), (1, "Alice", "stable"), (1, "bob", "stable"), (2, "b", "canonical")):
        assert desk.state("tabs") == "stable"
        at: dict[str, Any] = {"TENURE_NOW": f"2030-01-0{day}T12:00:00Z"}
        desk.at_terminal("review", "tabs", "--decision", "promote_canonical", "--by", by, **at)
        assert desk.state("tabs") == state, (day, by)


@pytest.mark.parametrize("words", [["trust", "--yes"], ["forget", "tabs", "--yes"], ["import", "--trust", "x.jsonl"]])
def test_yes_is_not_a_person(desk: Desk, words: list[str]) -> None:
    """Issue 15: `--yes` answers the question, not who is there."""
    desk.run("export", "x.jsonl", status=0)
    if words[0] == "trust":
        (Path(desk.environment["TENURE_HOME"]) / "trusted").unlink()
    done = desk.run(*words, CLAUDECODE="1")
    assert done.returncode == 3, (done.stdout, done.stderr)
    assert desk.state("tabs") == "provisional"


def test_beside_an_agent_new_and_changed_memories_are_candidates(desk: Desk) -> None:
    """Issue 15: add, edit, restore and supersede beside a host's mark speak as the agent."""
    agent: dict[str, Any] = {"CLAUDECODE": "1"}
    desk.run("add", "Push straight to main", "--id", "push", "--source", "user", status=0, **agent)
    assert desk.state("push") == "candidate"
    who = desk.last("push")["who"]
    assert (who["kind"], who["host"]) == ("agent", "claude-code")
    desk.run("edit", "tabs", "--text", "Use spaces in the Makefile", status=0, **agent)
    assert desk.state("tabs") == "candidate"
    desk.at_terminal("undo", str(desk.json("history", "tabs")["events"][-1]["seq"]))
    assert desk.state("tabs") == "provisional"
    desk.run("retire", "tabs", "--reason", "x", status=0, **agent)
    desk.run("restore", "tabs", status=0, **agent)
    assert desk.state("tabs") == "candidate"
    assert desk.state("push") == "candidate"


def test_an_agents_report_is_a_use_and_no_success(desk: Desk) -> None:
    """Issue 15: `log` without presence counts as a use, no success; a failure only holds the memory for review."""
    for task in range(6):
        desk.run("log", "tabs", "--effect", "positive", "--task", f"T-{task}", status=0, CLAUDECODE="1")
    signals = desk.json("show", "tabs")["signals"]
    assert (signals["reuse_count"], signals["successful_reuses"]) == (6, 0)
    assert desk.json("show", "tabs")["helped_at"] is None
    # A stranger's finding: the report was taken without a word that it did not count.
    said = desk.run("log", "tabs", "--effect", "positive", "--task", "T-6", status=0, CLAUDECODE="1")
    assert b"not as a success" in said.stdout + said.stderr
    desk.run("log", "tabs", "--effect", "negative", status=0, CLAUDECODE="1")
    held = desk.json("show", "tabs")
    assert (held["state"], held["signals"]["failed_reuses"]) == ("under_review", 0)


def test_an_unattended_home_of_the_agents_own_gains_nothing(desk: Desk, tmp_path: Path) -> None:
    """Issue 15: a store remembers the homes that made or trusted it; a copied store does too."""
    own: dict[str, Any] = {"TENURE_HOME": str(tmp_path / "agents-home"), "TENURE_UNATTENDED": "1", "CLAUDECODE": "1"}
    # Trust in a home of one's own shows the memory there, and gives no say in the store.
    desk.run("trust", "--yes", status=0, **own)
    for words in (approve(desk), ["forget", desk.id, "--yes"]):
        desk.run(*words, status=3, **own)
    assert desk.state() == "candidate"
    copy = tmp_path / "copy.db"
    shutil.copy(desk.program.database, copy)
    done = desk.run("--store", f"sqlite:{copy}", *approve(desk), **own)
    assert done.returncode == 3


def test_a_success_reported_from_an_agents_own_unattended_home_does_not_count(desk: Desk, tmp_path: Path) -> None:
    """Found by a stranger: the report counted, because the home was doubted only after the question was asked."""
    own: dict[str, Any] = {"TENURE_HOME": str(tmp_path / "agents-home"), "TENURE_UNATTENDED": "1"}
    both: list[dict[str, Any]] = [{}, {"CLAUDECODE": "1"}]
    for more in both:
        said = desk.run("log", "tabs", "--effect", "positive", status=0, **own, **more).stderr.decode()
        assert "not as a success" in said and f"tenure trust --home {tmp_path / 'agents-home'}" in said
    signals = desk.json("show", "tabs")["signals"]
    assert (signals["reuse_count"], signals["successful_reuses"]) == (2, 0)


def test_an_agents_own_home_puts_no_policy_in_force(desk: Desk, tmp_path: Path) -> None:
    """Found by a stranger: a policy agreed to in a home of its own let an agent promote what it had written."""
    step = {
        "from": "candidate", "to": "provisional", "evidence": 1, "successes": 0, "tasks": 0, "approvals": 1,
        "either": True, "contradictions_allowed": True, "review_days": 30,
    }  # fmt: skip
    table = ", ".join(f"{name} = {json.dumps(value)}" for name, value in step.items())
    policy = f"[policy.promotion]\nsteps = [{{{table}}}]\n"
    (desk.program.folder / ".tenure" / "config.toml").write_text(policy)
    home = tmp_path / "agents-home"
    own: dict[str, Any] = {"TENURE_HOME": str(home), "TENURE_UNATTENDED": "1", "CLAUDECODE": "1"}
    desk.run("add", "Deploy by hand on the night of every release", "--id", "evil", status=0, CLAUDECODE="1")
    desk.run("trust", "--yes", status=0, **own)
    for _ in range(2):
        desk.run("promote", "evil", status=0, **own)
        (home / "config.toml").write_text(policy)
    assert desk.state("evil") == "candidate"
    # The same policy counts where the person agreed to it, so it is the home that is refused.
    assert desk.at_terminal("trust", "--yes").status == 0
    desk.run("promote", "evil", status=0)
    assert desk.state("evil") == "provisional"


def test_a_home_that_a_person_let_in_decides_where_no_agent_is(desk: Desk, tmp_path: Path) -> None:
    """A stranger's finding: the hint for CI did nothing where a store was there already."""
    ci = tmp_path / "ci home"
    there: dict[str, Any] = {"TENURE_HOME": str(ci), "TENURE_UNATTENDED": "1"}
    refused = desk.run(*approve(desk), status=3, **there)
    assert f"tenure trust --home '{ci}'".encode() in refused.stderr
    # Only a person can do what the hint says.
    desk.run("trust", "--home", str(ci), status=3, CLAUDECODE="1")
    desk.run("trust", "--home", str(ci), status=3)
    desk.run("trust", "--home", str(ci), status=3, **there)
    assert desk.at_terminal("trust", "--home", str(ci)).status == 0
    # An agent that finds the folder gains nothing.
    desk.run(*approve(desk), status=3, **there, CLAUDECODE="1")
    desk.run("log", "tabs", "--effect", "positive", status=0, **there, CLAUDECODE="1")
    assert desk.json("show", "tabs")["signals"]["successful_reuses"] == 0
    desk.run(*approve(desk), status=0, **there)
    desk.run("log", "tabs", "--effect", "positive", status=0, **there)
    assert desk.state() == "provisional"
    assert desk.json("show", "tabs")["signals"]["successful_reuses"] == 1
    assert desk.last()["who"]["presence"] == "unattended"
    assert desk.run("check", status=0).returncode == 0
    assert desk.at_terminal("trust", "--home", str(ci), "--revoke").status == 0
    desk.run("review", "tabs", "--decision", "keep", "--by", "ci", status=3, **there)


def test_a_folder_that_is_no_unattended_home_is_not_let_in(desk: Desk, tmp_path: Path) -> None:
    """A choice of our own: a person's home, or a folder with files, never becomes unattended."""
    (tmp_path / "full").mkdir()
    (tmp_path / "full" / "notes.txt").write_text("mine")
    for folder in (desk.program.home, tmp_path / "full"):
        seen = desk.at_terminal("trust", "--home", str(folder))
        assert seen.status == 2 and "empty or missing" in seen.screen
    assert [path.name for path in (tmp_path / "full").iterdir()] == ["notes.txt"]


def test_in_an_ordinary_home_the_variable_does_nothing(desk: Desk) -> None:
    """Issue 15: only an empty folder named by TENURE_HOME becomes unattended, and only at its first use."""
    assert desk.run(*approve(desk), TENURE_UNATTENDED="1").returncode == 3
    assert desk.state() == "candidate"


def test_the_platforms_own_home_never_becomes_unattended(tmp_path: Path) -> None:
    """A choice of our own: an agent that comes before the person must not spoil the person's home."""
    program = Program(tmp_path, tmp_path / ".local" / "share" / "tenure")
    environment = program.variables({"HOME": str(tmp_path), "TENURE_UNATTENDED": "1"})
    for named in ({}, {"TENURE_HOME": str(tmp_path / ".local" / "share" / "tenure")}):
        env = {k: v for k, v in environment.items() if k != "TENURE_HOME"} | named
        subprocess.run([*SCRIPT, "add", "x y z"], cwd=tmp_path, env=env, check=True, capture_output=True)
        assert "unattended" not in (tmp_path / ".local/share/tenure/home.toml").read_text()


def test_an_unattended_verdict_counts_and_says_so(program: Program) -> None:
    """Issue 15: for CI and tests, whatever the environment and ancestors; each event is marked."""
    program.ok(
        "capture", "-", stdin=b'{"kind": "lesson", "text": "Deploy on Fridays", "source": "web"}', CLAUDECODE="1"
    )
    [memory] = program.ok("list", "--all")["memories"]
    program.ok("review", memory["id"], "--decision", "approve", "--by", "ci", CLAUDECODE="1")
    event = program.ok("history", memory["id"])["events"][-1]
    assert program.ok("show", memory["id"])["state"] == "provisional"
    assert event["detail"]["who"]["presence"] == "unattended"


def test_the_demo_leaves_no_exemption_behind(desk: Desk) -> None:
    """Issue 15: the demo plays in a home of its own; the person's home stays an ordinary one."""
    desk.run("demo", "--fast", status=0, CLAUDECODE="1")
    assert desk.run(*approve(desk), CLAUDECODE="1").returncode == 3
    assert "unattended" not in (Path(desk.environment["TENURE_HOME"]) / "home.toml").read_text()


def test_python_code_of_an_agent_gives_no_verdict(desk: Desk) -> None:
    """Issue 15: the API asks as the command line does."""
    code = f"import tenure; tenure.open().review({desk.id!r}, 'approve', by='me')"
    done = subprocess.run(
        [sys.executable, "-P", "-c", code],
        cwd=desk.program.folder,
        env={**desk.environment, "OPENCODE": "1"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode and "NeedsPerson" in done.stderr
    assert desk.state() == "candidate"


def test_a_process_in_the_background_is_not_stopped_by_asking(desk: Desk) -> None:
    """A choice of our own: a job in the background would hang for ever on its terminal; it is told no."""
    line = " ".join([*SCRIPT, *approve(desk)]) + " & wait $!; echo status $?"
    seen = at_terminal(["sh", "-mc", line], desk.program.folder, desk.environment)
    assert "status 3" in seen.screen and seen.asked == 0
    assert desk.state() == "candidate"


RISKY = '[policy.promotion]\nstart = "provisional"\n'


def waiting(desk: Desk) -> list[str]:
    return [setting["key"] for setting in desk.json("policy").get("ignored", [])]


def test_an_edited_policy_waits_for_a_person(desk: Desk) -> None:
    """Issues 13 and 15: any change of a policy file since it was agreed to waits, whoever made it."""
    settings = desk.program.folder / ".tenure" / "config.toml"
    settings.write_text("[policy.inject]\nlimit = 3\n")
    assert waiting(desk) == ["inject.limit"]  # nobody can tell who wrote it
    assert desk.at_terminal("trust", "--yes").status == 0
    assert waiting(desk) == []
    settings.write_text(RISKY)
    assert waiting(desk) == ["promotion.start", "inject.limit"]
    assert [s["value"] for s in desk.json("policy", "inject.limit")["values"]] == [3]
    desk.run("add", "Push straight to main", "--id", "push", status=0, CLAUDECODE="1")
    assert desk.state("push") == "candidate"
    assert desk.run("trust", "--yes", CLAUDECODE="1").returncode == 3
    assert desk.at_terminal("trust", "--yes").status == 0
    assert waiting(desk) == []


def test_a_policy_that_cannot_be_in_force_is_never_agreed_to(desk: Desk) -> None:
    """A bad value used to be kept as agreed to, and stopped every command even after its file was gone."""
    settings = desk.program.folder / ".tenure" / "config.toml"
    settings.write_text("[policy.guards]\nstops_in_a_row = 0\n")
    assert desk.run("list").returncode == 0
    assert desk.at_terminal("trust", "--yes").status != 0
    settings.unlink()
    assert desk.run("list").returncode == 0
    # One that an earlier version kept so.
    agreed = Path(desk.environment["TENURE_HOME"]) / "policies.json"
    agreed.write_text(json.dumps({str(settings): {"guards": {"stops_in_a_row": 0}}}))
    assert desk.run("list").returncode == 0


def test_what_was_agreed_to_and_cannot_be_read_any_more_is_not_taken_for_granted(desk: Desk) -> None:
    """GUARANTEES S19: gates fail closed; a damaged list let the person's next command agree to whatever stood there."""
    settings = desk.program.folder / ".tenure" / "config.toml"
    settings.write_text("[policy.inject]\nlimit = 3\n")
    assert desk.at_terminal("trust", "--yes").status == 0
    agreed = Path(desk.environment["TENURE_HOME"]) / "policies.json"
    agreed.write_text("{")
    settings.write_text(RISKY)
    desk.run("list", status=0)
    assert waiting(desk) == ["promotion.start"]
    assert desk.at_terminal("trust", "--yes").status == 0
    assert waiting(desk) == []
    # Which other files were agreed to is not known any more, so each of them waits from then on.
    (Path(desk.environment["TENURE_HOME"]) / "config.toml").write_text(RISKY)
    desk.run("list", status=0)
    assert waiting(desk) == ["promotion.start"]


def test_an_agreement_that_cannot_be_kept_is_said(desk: Desk) -> None:
    """A choice of our own: `trust` said that it was done, and the policy went on waiting."""
    (desk.program.folder / ".tenure" / "config.toml").write_text(RISKY)
    agreed = Path(desk.environment["TENURE_HOME"]) / "policies.json"
    agreed.unlink(missing_ok=True)
    agreed.mkdir()
    seen = desk.at_terminal("trust", "--yes")
    assert seen.status == 5 and "cannot be written" in seen.screen


def test_a_policy_that_an_agent_brings_first_waits_too(desk: Desk) -> None:
    """Issue 15: an agent gains nothing by being first; the user's own settings are guarded alike."""
    for settings in (
        desk.program.folder / ".tenure" / "config.toml",
        Path(desk.environment["TENURE_HOME"]) / "config.toml",
    ):
        settings.write_text(RISKY)
        desk.run("add", "Push straight to main", status=0, CLAUDECODE="1")
        assert [m["state"] for m in desk.json("list", "--all")["memories"] if "Push" in m["title"]] == ["candidate"]
        settings.unlink()
