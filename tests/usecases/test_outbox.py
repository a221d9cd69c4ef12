"""Commands for a team's database that is away (issue 23): kept durably, sent once, and shown when they lost a race."""

from __future__ import annotations

import io
import json
import os
import random
import signal
import time
from collections.abc import Iterator
from contextlib import redirect_stderr, redirect_stdout
from pathlib import Path
from typing import Any

import pytest

from tenure.__main__ import main
from tests import postgres
from tests.postgres import Line
from tests.program import Program

psycopg = pytest.importorskip("psycopg", reason="no driver of PostgreSQL here; the extra `dev` brings it")

PROMPT = json.dumps({"session_id": "s", "prompt": "why do the integration tests of billing fail?"}).encode()


class Machine:
    """A person's machine with its home, and the line between it and the database."""

    def __init__(self, program: Program, line: Line, name: str, project: str) -> None:
        self.program, self.line = program, line
        self.url = f"{line.through(postgres.person(name, 'member'))}#{project}"

    def run(self, *words: str) -> Any:
        """Run the command line in this process, because starting one each time would take a minute."""
        status, said, errors = self.call(*words)
        assert status == 0, (words, errors)
        return json.loads(said)

    def call(self, *words: str) -> tuple[int, str, str]:
        """Return exit status, output and errors of a command."""
        from tenure.store.postgres.connection import close_pools

        out, err = io.StringIO(), io.StringIO()
        with pytest.MonkeyPatch.context() as patch, redirect_stdout(out), redirect_stderr(err):
            for name, value in self.program.variables().items():
                patch.setenv(name, value)
            patch.chdir(self.program.folder)
            status = main(["--store", self.url, "--json", *words])
        # As the end of a process does.
        close_pools()
        return status, out.getvalue(), err.getvalue()

    def waiting(self) -> list[dict[str, Any]]:
        found: list[dict[str, Any]] = self.run("team", "outbox")["commands"]
        return found


@pytest.fixture
def line() -> Iterator[Line]:
    postgres.members_decide()
    postgres.server()
    with Line() as made:
        yield made


@pytest.fixture
def ana(program: Program, line: Line) -> Machine:
    machine = Machine(program, line, "ana", postgres.project_name())
    machine.run("team", "pull")
    return machine


@pytest.fixture
def ben(ana: Machine, tmp_path: Path) -> Iterator[Machine]:
    with Line() as line:
        project = ana.url.rpartition("#")[2]
        yield Machine(Program(ana.program.folder, tmp_path / "ben" / "tenure"), line, "ben", project)


def test_what_is_said_while_the_database_is_away_arrives_when_it_is_back(ana: Machine, ben: Machine) -> None:
    """Issue 23: adds, edits and uses are kept in order, a later one sees an earlier one, and each counts once."""
    known = ana.run("add", "Run make db before the integration tests of billing")["id"]
    ana.run("team", "pull")
    ana.line.cut()
    made = ana.run("add", "The staging database is reset every night")["id"]
    ana.run("edit", made, "--text", "The staging database is reset on Sundays")
    ana.run("log", known, "--effect", "positive", "--task", "t-1")
    assert [item["command"] for item in ana.waiting()] == ["add", "edit", "log"]
    assert {item["id"] for item in ana.run("list")["memories"]} == {known, made}
    assert made not in ben.run("list")["memories"].__repr__()
    hooked = ana.program("hook", "prompt", stdin=PROMPT, TENURE_STORE=ana.url, TENURE_HOOK_SECONDS="60")
    assert known in hooked.text and made not in hooked.text, "hooks read what was pulled"
    ana.line.mend()
    assert ana.run("team", "pull")["pulled"]["came"] == 1 and ana.waiting() == []
    assert ben.run("show", made)["text"] == "The staging database is reset on Sundays"
    assert [event["type"] for event in ben.run("history", known)["events"]].count("Applied") == 1
    assert not list(Path(ana.program.home).glob("teams/*offline*"))


def test_a_command_that_only_looks_says_that_something_waits(ana: Machine) -> None:
    """docs/postgresql.md: whoever was offline and lists then does not find what they said."""
    ana.line.cut()
    ana.run("add", "The staging database is reset every night")
    ana.line.mend()
    status, said, errors = ana.call("list")
    assert status == 0 and json.loads(said)["memories"] == []
    assert (
        "1 command is waiting in this machine's outbox for the database. To send now: tenure team outbox --send"
        in errors
    )
    ana.run("team", "pull")
    status, said, errors = ana.call("list")
    assert len(json.loads(said)["memories"]) == 1 and errors == ""


def test_an_edit_that_lost_its_race_waits_in_the_review_queue(ana: Machine, ben: Machine) -> None:
    """Issue 23: it is not written over what somebody else wrote; the person sends it again or drops it."""
    first, second = (ana.run("add", f"{what} is done with make {what}")["id"] for what in ("Packaging", "Profiling"))
    ana.run("team", "pull")
    ana.line.cut()
    for id in (first, second):
        ana.run("edit", id, "--text", "What ana says")
    for id in (first, second):
        ben.run("edit", id, "--text", f"What ben says of {id}")
    ana.line.mend()
    assert ana.run("team", "outbox", "--send")["sent"]["sent"] == 0
    queue = {item["id"]: item["why"] for item in ana.run("review")["queue"]}
    assert all(queue[id].startswith(f"your edit of {id} is waiting") for id in (first, second))
    assert not [item for item in ben.run("review")["queue"] if "waits" in item["why"]]
    one, other = ana.waiting()
    ana.run("team", "outbox", "--again", one["key"])
    ana.run("team", "outbox", "--drop", other["key"])
    assert ana.waiting() == []
    assert [ben.run("show", id)["text"] for id in (first, second)] == ["What ana says", f"What ben says of {second}"]


def test_an_edit_goes_through_when_others_only_used_the_memory(ana: Machine, ben: Machine) -> None:
    """Issue 23: commands, not events; what an edit depends on is what it replaces."""
    id = ana.run("add", "Deploys are frozen on Fridays")["id"]
    ana.run("team", "pull")
    ana.line.cut()
    ana.run("edit", id, "--text", "Deploys are frozen from Friday noon")
    ben.run("log", id, "--effect", "positive")
    ana.line.mend()
    ana.run("team", "outbox", "--send")
    assert ana.waiting() == [] and ben.run("show", id)["text"] == "Deploys are frozen from Friday noon"


def test_a_verdict_does_not_count_for_words_that_were_not_seen(ana: Machine, ben: Machine) -> None:
    """Our choice: who agreed to other words did not agree to these."""
    id = ana.run("add", "Use the blue cluster for load tests", "--source", "agent:ci")["id"]
    ana.run("team", "pull")
    ana.line.cut()
    ana.run("review", id, "--decision", "approve", "--by", "ana")
    ben.run("edit", id, "--text", "Use the production cluster for load tests")
    ana.line.mend()
    ana.run("team", "outbox", "--send")
    assert ana.waiting()[0]["refused"] and ben.run("show", id)["phase"] == "pending"


def test_a_mistake_shows_at_once_and_what_cannot_wait_is_refused(ana: Machine) -> None:
    """Issue 23: only commands that can be sent later are kept; the rest says that the database is away."""
    ana.line.cut()
    assert ana.call("edit", "m-nothing", "--text", "x")[0] == 2
    status, _, errors = ana.call("team", "pull")
    assert status == 5 and "STORE_UNREACHABLE" in errors
    assert ana.call("forget", ana.run("add", "Never to be kept")["id"], "--yes")[0] == 5
    assert [item["command"] for item in ana.waiting()] == ["add"]


def test_an_address_that_was_never_reached_keeps_nothing(program: Program) -> None:
    """A mistyped address must not swallow what is said."""
    done = program("--store", "postgresql://ana:pw@127.0.0.1:1/memory#x", "add", "Something")
    assert done.status == 5 and not list(Path(program.home).glob("teams/*"))


def test_no_secret_reaches_the_outbox_and_what_is_forgotten_leaves_it(ana: Machine, ben: Machine) -> None:
    """S8, P1: redacted before the first byte; erased with the memory."""
    id = ana.run("add", "The quarterly audit is done by Merriweather")["id"]
    ana.run("team", "pull")
    ana.line.cut()
    ana.run(
        "edit",
        id,
        "--text",
        "The quarterly audit is done by Featherstone with ghp_9xQ2vL7rTz4KcW8mNb3Yd6FsHj1GpAeUoI5k",
    )
    assert not any(b"ghp_9xQ2vL7rTz4KcW8mNb3Yd6FsHj1GpAeUoI5k" in data for data in ana.program.owned().values())
    ben.run("forget", id, "--yes")
    ana.line.mend()
    ana.run("team", "pull")
    left = [path for path, data in ana.program.owned().items() if b"Featherst" in data or b"Merriwea" in data]
    assert left == []


def test_a_sender_that_is_killed_again_and_again_sends_each_command_once(ana: Machine) -> None:
    """Issue 23, R12: kill -9 at any moment; nothing is lost and nothing counts twice."""
    ana.line.cut()
    made = [ana.run("add", f"Rule {n}: {word} goes first", "--title", word)["id"] for n, word in enumerate(WORDS)]
    ana.line.mend()
    chance = random.Random(23)
    kills = 0
    while ana.waiting():
        # A fork is at work at once; a new program would still be starting when it is killed.
        if not (sender := os.fork()):
            ana.call("team", "outbox", "--send")
            os._exit(0)
        time.sleep(chance.random() * 0.08 * (kills + 1))
        os.kill(sender, signal.SIGKILL)
        kills += os.waitstatus_to_exitcode(os.waitpid(sender, 0)[1]) < 0
    assert kills, "no sender was killed while it worked"
    ana.run("team", "outbox", "--send")
    assert ana.waiting() == []
    events = [event["type"] for id in made for event in ana.run("history", id)["events"]]
    assert events == ["Created"] * len(made) and ana.run("check")["problems"] == []


def test_a_connection_that_breaks_while_a_command_is_committed_counts_it_once(
    ana: Machine, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Issue 23: nobody knows whether it arrived, so it is kept under its key and asked about."""
    import tenure
    from tenure.store.postgres.connection import close_pools

    for name, value in ana.program.variables().items():
        monkeypatch.setenv(name, value)
    with tenure.open(ana.url, ana.program.folder) as workspace:
        workspace.add("The first one makes the project")
        connection = workspace.project.store.connection  # type: ignore[attr-defined]
        execute = connection.execute

        def torn(query: Any, *values: Any, **named: Any) -> Any:
            done = execute(query, *values, **named)
            if query == "COMMIT":
                ana.line.cut()
                close_pools()
                connection.close()
                raise psycopg.OperationalError("the connection is lost")
            return done

        monkeypatch.setattr(connection, "execute", torn)
        said = workspace.add("The cache is warmed at six")
    assert any("outbox" in note for note in said.notes) and len(ana.waiting()) == 1
    ana.line.mend()
    ana.run("team", "outbox", "--send")
    assert ana.waiting() == []
    assert sum("warmed at six" in item["text"] for item in ana.run("list")["memories"]) == 1


WORDS = ("Alpha", "Bravo", "Charlie", "Delta", "Echo", "Foxtrot")
