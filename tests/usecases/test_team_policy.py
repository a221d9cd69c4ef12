"""Issue 22: policy beside the team's files, under the one trust rule."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.program import Program
from tests.team import git, person, publish, repository, shared

RULE = "Deploy the billing service with make ship, never with kubectl apply."
KEY = "inject.session_tokens"


@pytest.fixture
def ada(tmp_path: Path) -> Program:
    return person(repository(tmp_path), "ada")


def wants(program: Program, tokens: int) -> None:
    (program.folder / ".tenure" / "team" / "policy.toml").write_text(f"[policy.inject]\nsession_tokens = {tokens}\n")


def value(program: Program) -> int:
    [found] = program.ok("policy", KEY)["values"]
    return int(found["value"])


def test_a_teams_policy_counts_once_a_person_agreed_to_it(ada: Program) -> None:
    """It decides what agents are shown, so it waits as the files do, the first one and every change."""
    shared(ada, RULE)
    wants(ada, 4321)
    assert value(ada) != 4321, "not even who wrote it: an agent writes files too"
    publish(ada)
    ben = person(ada.folder.parent / "hub.git", "ben")
    before = value(ben)
    assert before != 4321 and "policy.toml" in ben("policy", KEY).text + ben("status").err.decode()
    ben.ok("trust", "--yes")
    assert value(ben) == 4321
    wants(ada, 1234)
    publish(ada)
    git(ben.folder, "pull", "-q")
    assert value(ben) == 4321, "the one that was agreed to stays in force"
    ben.ok("trust", "--yes")
    assert value(ben) == 1234
    (ben.folder / ".tenure" / "config.toml").write_text("[policy.inject]\nsession_tokens = 999\n")
    ben.ok("trust", "--yes")
    assert value(ben) == 999, "a person's own settings of the project go over the team's"
    (ben.folder / ".tenure" / "config.toml").unlink()
    ben.ok("trust", "--yes")
    ben.ok("trust", "--revoke")
    assert value(ben) == before


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("[policy.inject\n", "not valid TOML"),
        ("[policy.inject]\nno_such_key = 1\n", "no_such_key"),
        ("[policy.inject]\nsession_tokens = 10 # AKIA2E0A8F3B244C9986\n", "looks like a secret"),
    ],
)
def test_a_policy_that_could_never_count_is_refused_by_the_check_and_stops_nobody(
    text: str, said: str, ada: Program
) -> None:
    """Whoever brings a broken file must not stop everybody's commands; the pull request is where it is told."""
    shared(ada, RULE)
    (ada.folder / ".tenure" / "team" / "policy.toml").write_text(text)
    done = ada("--json", "team", "check")
    assert done.status == 1
    [finding] = done.json["findings"]
    assert finding["path"] == ".tenure/team/policy.toml" and said in finding["message"]
    assert ada("list").status == 0


def test_a_linked_policy_is_not_followed(ada: Program, tmp_path: Path) -> None:
    """A clone must not read a file of the user's own through it."""
    shared(ada, RULE)
    (tmp_path / "elsewhere.toml").write_text("[policy.inject]\nsession_tokens = 77\n")
    (ada.folder / ".tenure" / "team" / "policy.toml").symlink_to(tmp_path / "elsewhere.toml")
    assert value(ada) != 77
    assert ada("--json", "team", "check").status == 1
