"""Two people and an agent with one database and `--approvals 1` (issue 23), as docs/postgresql.md promises it."""

from __future__ import annotations

import io
import json
from contextlib import redirect_stderr, redirect_stdout
from pathlib import Path
from typing import Any

import pytest

from tenure.__main__ import main
from tenure.model.events import EventType
from tenure.model.memory import Approval
from tenure.store import open_elsewhere
from tests import postgres
from tests.program import Program
from tests.store.postgres.test_roles import NOW, become

psycopg = pytest.importorskip("psycopg", reason="no driver of PostgreSQL here; the extra `dev` brings it")


class Team:
    """A project with one approval; everybody has a home of their own."""

    def __init__(self, folder: Path) -> None:
        self.folder, self.project, self.notes = folder, postgres.project_name(), ""
        (folder / "here").mkdir()
        groups = {"ana": ("member", "reviewer"), "ben": ("member", "reviewer"), "ci-bot": ("agent",)}
        self.addresses = {name: postgres.person(name, *of) for name, of in groups.items()}

    def call(self, name: str, *words: str, attended: bool = False) -> tuple[int, Any]:
        """Return exit status and answer of a command in this process; `attended` is a home where people are asked."""
        from tenure.store.postgres.connection import close_pools

        out, err = io.StringIO(), io.StringIO()
        program = Program(self.folder / "here", self.folder / f"{name}-{attended}" / "tenure")
        with pytest.MonkeyPatch.context() as patch, redirect_stdout(out), redirect_stderr(err):
            for variable, value in program.variables().items():
                patch.setenv(variable, value)
            if attended:
                patch.delenv("TENURE_UNATTENDED")
            patch.chdir(program.folder)
            status = main(["--store", f"{self.addresses[name]}#{self.project}", "--json", *words])
        close_pools()
        self.notes = err.getvalue()
        return status, json.loads(out.getvalue() or err.getvalue().splitlines()[-1])

    def run(self, name: str, *words: str, attended: bool = False) -> Any:
        status, answer = self.call(name, *words, attended=attended)
        assert status == 0, (name, words, answer)
        return answer


@pytest.fixture
def team(tmp_path: Path) -> Team:
    """A team in which ben agreed to what ana wrote."""
    made = Team(tmp_path)
    with psycopg.connect(made.addresses["ana"], autocommit=True) as connection:
        connection.execute("SELECT tenure.make_project(%s)", (made.project,))
    postgres.set_approvals(made.project, 1)
    assert made.run("ana", "add", "Round invoices to cents", "--id", "inv")["phase"] == "pending"
    assert made.run("ben", "review", "inv", "--keep")["phase"] == "live"
    return made


def test_an_edit_says_that_it_waits_and_the_first_author_can_agree(team: Team) -> None:
    """docs/postgresql.md: new words wait for somebody else, and whoever changes them hears that."""
    edited = team.run("ben", "edit", "inv", "--text", "Round invoices to whole euros")
    assert edited["phase"] == "pending"
    assert "It waits for 1 other to agree, and agents are not shown it until then." in team.notes
    assert team.call("ben", "review", "inv", "--keep")[0] != 0
    assert team.run("ana", "review", "inv", "--keep")["phase"] == "live"


@pytest.mark.parametrize("words", [("--text", "Round invoices to whole euros"), ("--tag", "billing")])
def test_an_ordinary_edit_leaves_the_check_whole(team: Team, words: tuple[str, ...]) -> None:
    """usecases/unproved_verdicts.py: taking agreement away is no verdict, so no proof of a person is asked for."""
    assert team.run("ben", "edit", "inv", *words, attended=True)["phase"] == "pending"
    status, answer = team.call("ana", "check")
    assert status == 0 and "without proof" not in str(answer), answer


def test_agreement_that_nobody_gave_is_named(team: Team) -> None:
    """usecases/unproved_verdicts.py: an edit that says who agreed is a verdict."""
    store = open_elsewhere("postgresql", team.addresses["ben"], team.project)
    become(store, EventType.EDITED, "inv", approvals=[Approval(by="ana", to="canonical", at=NOW)])
    store.close()
    status, answer = team.call("ana", "check")
    assert status != 0 and "Edited of inv without proof that a person was there" in str(answer)


def test_an_agents_report_of_harm_reaches_the_queue_and_the_memory_stays_in_use(team: Team) -> None:
    """docs/postgresql.md: an agent's role takes nothing out of use, and a reviewer reads what it reports."""
    told = ("--notes", "the job\nfailed with it", "--task", "t-1")
    answer = team.run("ci-bot", "log", "inv", "--effect", "negative", *told, attended=True)
    assert answer["phase"] == "live"
    assert "inv stays in use until a person decides; your report is in their queue." in team.notes
    [used] = [event for event in team.run("ana", "history", "inv")["events"] if event["type"] == "Applied"]
    assert used["detail"]["effect"] == "negative" and used["actor"] == "ci-bot"
    assert team.call("ana", "check")[0] == 0
    [waits] = team.run("ana", "review")["queue"]
    assert (waits["id"], waits["phase"], waits["keep"]) == ("inv", "live", "keep")
    assert waits["why"] == "ci-bot reports that it did harm: the job failed with it"


@pytest.mark.parametrize("attended", [True, False], ids=["attended", "unattended"])
def test_a_verdict_answers_a_report_of_harm_and_nothing_an_agent_writes_does(team: Team, attended: bool) -> None:
    """A report is answered by what only people may write; the next one asks again."""
    for task, effect in (("t-1", "neutral_but_risky"), ("t-2", "positive")):
        team.run("ci-bot", "log", "inv", "--effect", effect, "--task", task, attended=attended)
    assert [each["id"] for each in team.run("ben", "review")["queue"]] == ["inv"]
    team.run("ana", "review", "inv", "--decision", "keep", "--by", "ana")
    assert team.run("ben", "review")["queue"] == []
    team.run("ci-bot", "log", "inv", "--effect", "neutral", "--contradiction", "--task", "t-3", attended=attended)
    assert [each["id"] for each in team.run("ben", "review")["queue"]] == ["inv"]
    team.run("ben", "retire", "inv")
    assert team.run("ben", "review")["queue"] == []
