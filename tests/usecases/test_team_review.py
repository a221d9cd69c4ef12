"""Issue 22: who merged is a claimed reviewer, proved only where the commit is signed; CODEOWNERS name whose it is."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.program import Program
from tests.team import git, person, publish, repository, shared

RULE = "Deploy the billing service with make ship, never with kubectl apply."


@pytest.fixture
def ada(tmp_path: Path) -> Program:
    owners = "* @everybody\n/.tenure/team/ @payments @ada # who reviews\n"
    return person(repository(tmp_path, {"README.md": "x\n", ".github/CODEOWNERS": owners}), "ada")


def key(folder: Path, name: str) -> Path:
    path = folder / name
    subprocess.run(["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-C", name, "-f", str(path)], check=True)
    return path


def signed(program: Program, path: Path) -> None:
    """Commit what was shared with a signature."""
    git(program.folder, "add", ".tenure/team")
    settings = ("-c", "gpg.format=ssh", "-c", f"user.signingKey={path}")
    git(program.folder, *settings, "commit", "-q", "-S", "-m", "share")


def known(program: Program, path: Path, name: str) -> None:
    """Let a person know a key as somebody's, in their own settings."""
    home = Path(program.variables()["HOME"])
    line = f"{name}@example.org {path.with_suffix('.pub').read_text()}"
    (home / "signers").write_text(line)
    (home / ".gitconfig").write_text(f'[gpg "ssh"]\n\tallowedSignersFile = {home / "signers"}\n')


def reviewed(program: Program, id: str) -> dict[str, Any]:
    found: dict[str, Any] = program.ok("why", id)["reviewed"][0]
    return found


def test_who_merged_is_a_claimed_reviewer_and_codeowners_name_the_domain(ada: Program) -> None:
    """Git's author is free text, so nothing but a claim is made of it."""
    git(ada.folder, "switch", "-q", "-c", "topic")
    file = shared(ada, RULE)
    assert ada.ok("why", file["shared_as"])["reviewed"] == []
    publish(ada)
    ben = person(ada.folder.parent / "hub.git", "ben")
    git(ben.folder, "merge", "-q", "--no-ff", "-m", "Merge topic", "origin/topic")
    ben.ok("trust", "--yes")
    found = ben.ok("why", file["shared_as"])
    assert found["eligible"] and found["owners"] == ["@payments", "@ada"] and found["path"] == file["path"]
    [commit] = found["reviewed"]
    assert (commit["claimed"], commit["merge"]) == ("ben <ben@example.org>", True)
    assert (commit["signed"], commit["proved"]) == (False, False)
    assert "by ben <ben@example.org>: claimed, not signed" in ben("why", file["shared_as"]).text
    assert "claimed, not signed" in ben("history", file["shared_as"]).text
    [listed] = ben.ok("list")["ours"]
    assert (listed["id"], listed["owners"]) == (file["shared_as"], ["@payments", "@ada"])
    assert listed["reviewed"]["claimed"] == "ben <ben@example.org>" and listed["silent"] == ""
    assert "Shared by the team (.tenure/team)" in ben("list").text
    assert ben.ok("show", file["shared_as"])["text"] == RULE


def test_a_signature_proves_only_what_the_persons_own_keys_say(ada: Program, tmp_path: Path) -> None:
    """A proved reviewer is one whose key the person holds for valid, in their own settings."""
    mine = key(tmp_path, "ada-key")
    file = shared(ada, RULE)
    signed(ada, mine)
    unknown = reviewed(ada, file["shared_as"])
    assert (unknown["signed"], unknown["proved"], unknown["signed_by"]) == (True, False, "")
    assert "signed with a key you do not trust" in ada("why", file["shared_as"]).text
    known(ada, mine, "ada")
    found = reviewed(ada, file["shared_as"])
    assert (found["proved"], found["signed_by"]) == (True, "ada@example.org") and found["key"].startswith("SHA256:")
    assert "proved, signed by ada@example.org" in ada("history", file["shared_as"]).text


@pytest.mark.parametrize("way", ["gpg.program", "gpg.openpgp.program", "gpg.ssh.program", "gpg.x509.program"])
def test_no_program_of_the_repository_checks_a_signature(way: str, ada: Program, tmp_path: Path) -> None:
    """A repository could name its own program and its own signers, and prove itself whatever it likes."""
    mine = key(tmp_path, "their-key")
    file = shared(ada, RULE)
    signed(ada, mine)
    trap, mark = tmp_path / "trap", tmp_path / "started"
    trap.write_text(f"#!/bin/sh\ntouch {mark}\necho 'Good \"git\" signature for root with ED25519 key SHA256:x'\n")
    trap.chmod(0o755)
    signers = tmp_path / "signers"
    signers.write_text(f"root@example.org {mine.with_suffix('.pub').read_text()}")
    git(ada.folder, "config", way, str(trap))
    git(ada.folder, "config", "gpg.ssh.allowedSignersFile", str(signers))
    git(ada.folder, "config", "gpg.ssh.defaultKeyCommand", str(trap))
    git(ada.folder, "config", "log.showSignature", "true")
    for words in (("why", file["shared_as"]), ("history", file["shared_as"]), ("list",), ("team", "check")):
        ada.ok(*words)
    assert not mark.exists()
    assert reviewed(ada, file["shared_as"])["proved"] is False


def test_forgetting_what_was_shared_names_the_file_to_remove(ada: Program) -> None:
    """What is erased here still stands in the team's repository, and only a commit takes it out."""
    file = shared(ada, RULE)
    said = ada("forget", file["id"], "--yes").text
    assert f"git rm {file['path']}" in said
    other = ada.ok("add", "Keep the tests fast", "--kind", "preference")
    assert ada.ok("forget", other["id"], "--yes")["team_file"] == ""


def test_one_team_file_is_one(ada: Program) -> None:
    """The report counts as people do."""
    shared(ada, RULE)
    assert "1 team file," in ada("team", "check").text


def test_an_agent_is_told_nothing_of_what_waits(ada: Program) -> None:
    """Team files fall under the one trust rule, by whatever command they are asked for."""
    file = shared(ada, RULE)
    publish(ada)
    ben = person(ada.folder.parent / "hub.git", "ben")
    assert [item["silent"] for item in ben.ok("list")["ours"]] == ["waits for you"]
    # A home where a person sits, and an agent in it.
    home = {"TENURE_HOME": str(ben.home.parent / "attended"), "CLAUDECODE": "1"}
    variables = {name: value for name, value in ben.variables(home).items() if name != "TENURE_UNATTENDED"}

    def by_agent(*words: str) -> subprocess.CompletedProcess[str]:
        line = [sys.executable, "-m", "tenure", *words]
        return subprocess.run(line, cwd=ben.folder, env=variables, capture_output=True, text=True, check=False)

    for command in ("show", "why", "history"):
        done = by_agent(command, file["shared_as"])
        assert done.returncode != 0 and "kubectl" not in done.stdout + done.stderr
    listed = by_agent("list")
    assert listed.returncode == 0 and "kubectl" not in listed.stdout + listed.stderr
