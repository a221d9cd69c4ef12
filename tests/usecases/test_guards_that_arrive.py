"""Guards that arrive from elsewhere: an agent brings none that is on, and a person only what they vouch for."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.program import Program
from tests.terminal import at_terminal

RULE = "Never run `git push --force`: others work on these branches."
TENURE = [sys.executable, "-P", "-m", "tenure"]


class Place:
    """A person's project, and the home they have on that machine."""

    def __init__(self, folder: Path, name: str, home: str) -> None:
        self.program = Program(folder / name / "project", folder / home)
        self.program.folder.mkdir(parents=True)
        self.variables = {k: v for k, v in self.program.variables().items() if k != "TENURE_UNATTENDED"}

    def person(self, *words: str) -> None:
        seen = at_terminal([*TENURE, *words], self.program.folder, self.variables)
        assert seen.status == 0, seen.screen

    def agent(self, *words: str) -> str:
        """Run a command beside an agent's mark; return the code of its error, empty when it succeeds."""
        env = {**self.variables, "CLAUDECODE": "1"}
        done = subprocess.run(
            [*TENURE, "--json", *words], cwd=self.program.folder, env=env, capture_output=True, start_new_session=True
        )
        return str(json.loads(done.stderr.splitlines()[-1])["error"]["code"]) if done.returncode else ""

    @property
    def guards(self) -> list[Any]:
        done = subprocess.run(
            [*TENURE, "--json", "guards"], cwd=self.program.folder, env=self.variables, capture_output=True, check=True
        )
        return [guard["state"] for guard in json.loads(done.stdout)["guards"]]


@pytest.fixture
def guarded(tmp_path: Path) -> Place:
    """A project in which a person has switched a guard on."""
    place = Place(tmp_path, "one", "home")
    place.person("add", RULE, "--id", "nf")
    place.person("guard", "nf", "--level", "ask")
    assert place.guards == ["on"]
    return place


def test_an_own_export_brings_guards_only_with_a_person(guarded: Place, tmp_path: Path) -> None:
    """Issue 19: agents may propose a guard, never confirm one; an own seal is a person's word, in a person's hands."""
    export = str(tmp_path / "all.jsonl")
    assert guarded.agent("export", export) == ""
    other = Place(tmp_path, "two", "home")
    assert other.agent("import", export) == ""
    assert other.guards == [], "an agent can seal what it made itself, so only what a line says counts"
    third = Place(tmp_path, "three", "home")
    third.person("import", export)
    assert third.guards == ["on"]


def test_anothers_export_brings_no_guard_unless_it_is_trusted(guarded: Place, tmp_path: Path) -> None:
    """Issue 19: shown as a proposal, never active before a person confirms."""
    export = str(tmp_path / "all.jsonl")
    guarded.agent("export", export)
    other = Place(tmp_path, "two", "another-home")
    assert other.agent("import", "--trust", export) == "NEEDS_PERSON"
    assert other.agent("import", export) == ""
    assert "on" not in other.guards
    third = Place(tmp_path, "three", "another-home")
    third.person("import", export)
    assert "on" not in third.guards
    fourth = Place(tmp_path, "four", "another-home")
    fourth.person("import", "--trust", export)
    assert fourth.guards == ["on"]


def test_a_move_between_stores_brings_guards_only_with_a_person(guarded: Place, tmp_path: Path) -> None:
    """Issue 19: into this store, into one that is there, and into one that the move makes."""
    source = f"sqlite:{guarded.program.database}"
    other = Place(tmp_path, "two", "home")
    target = f"sqlite:{other.program.database}"
    assert other.agent("import", source) == "NEEDS_PERSON"
    assert guarded.agent("export", target) == "NEEDS_PERSON"
    assert other.guards == []
    other.person("add", "Use tabs in the Makefile.")
    assert guarded.agent("export", target) == "NEEDS_PERSON"
    assert other.guards == []
    other.person("import", source)
    assert other.guards == ["on"]


def test_an_agents_sync_brings_no_guard_that_is_on(guarded: Place, tmp_path: Path) -> None:
    """Issue 19: what a person switched on elsewhere is on here when a person syncs; and it stays on there."""
    remote = tmp_path / "remote"
    remote.mkdir()
    words = ("sync", str(remote), "--name", "p")
    other = Place(tmp_path, "two", "laptop")
    guarded.person("guard", "nf", "--off")
    guarded.person(*words)
    other.person("add", "Use tabs in the Makefile.")
    shutil.copy(guarded.program.home / "seal.key", other.program.home / "seal.key")
    other.person(*words)
    assert other.guards == ["off"]
    guarded.person("guard", "nf", "--level", "ask")
    guarded.person(*words)
    assert other.agent(*words) == "NEEDS_PERSON"
    assert (guarded.guards, other.guards) == (["on"], ["off"])
    other.person(*words)
    assert guarded.agent(*words) == "NEEDS_PERSON"
    assert (guarded.guards, other.guards) == (["on"], ["on"])
