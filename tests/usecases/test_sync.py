"""The same person on several machines: nothing lost, nothing counted twice, and forgetting reaches all of them."""

from __future__ import annotations

import os
import random
import re
import shutil
import tarfile
from pathlib import Path
from typing import Any

import pytest

import tenure
from tenure.files import homes, sync_remote
from tenure.model.errors import InvalidInput, Refused, TenureError
from tenure.store import open_store
from tenure.usecases import project_trust, sync
from tenure.workspace import Workspace
from tests.program import Program
from tests.team import git

RULES = ("Ship with make {}.", "The {} service owns its schema.", "Never restart {} on Fridays.", "{} logs to stdout.")


class Machine:
    """One machine of the person: a home and a project of its own."""

    def __init__(self, folder: Path, name: str, remote: str) -> None:
        self.home, self.folder, self.remote = folder / f"{name}-home", folder / name / "project", remote
        self.home.mkdir()
        self.folder.mkdir(parents=True)

    def open(self, monkeypatch: pytest.MonkeyPatch) -> Workspace:
        monkeypatch.setenv("TENURE_HOME", str(self.home))
        monkeypatch.setenv("TENURE_UNATTENDED", "1")
        return tenure.open(folder=self.folder)

    def sync(self, monkeypatch: pytest.MonkeyPatch) -> Any:
        with self.open(monkeypatch) as ws:
            return ws.sync(self.remote, name="project")

    def state(self, monkeypatch: pytest.MonkeyPatch) -> dict[str, tuple[object, ...]]:
        with self.open(monkeypatch) as ws:
            return {
                memory.id: (memory.text, memory.state, sorted(memory.tags), memory.signals, sorted(memory.tasks))
                for memory in ws.memories(all=True)
            }


def pair(folder: Path, remote: str, monkeypatch: pytest.MonkeyPatch) -> tuple[Machine, Machine]:
    """Two machines that have the same seal."""
    one, two = Machine(folder, "desk", remote), Machine(folder, "laptop", remote)
    with one.open(monkeypatch) as ws:
        ws.add("The first thing that was written down.")
        assert homes.current().unattended
    one.sync(monkeypatch)
    two.open(monkeypatch).close()
    homes.claim()
    shutil.copy(one.home / "seal.key", two.home / "seal.key")
    return one, two


def spells(
    one: Machine, two: Machine, monkeypatch: pytest.MonkeyPatch, seed: int, steps: int
) -> tuple[dict[str, int], set[str]]:
    """Let both work and sync at random; return the uses of each memory and what was forgotten."""
    chance, uses, forgotten = random.Random(seed), dict[str, int](), set[str]()
    for step in range(steps):
        machine = chance.choice((one, two))
        act = chance.choice(("add", "add", "log", "log", "log", "edit", "sync", "forget"))
        if act == "sync":
            machine.sync(monkeypatch)
            continue
        with machine.open(monkeypatch) as ws:
            here = [memory.id for memory in ws.memories(phase="live")]
            if act == "add" or not here:
                ws.add(chance.choice(RULES).format(f"unit{seed}x{step}"))
                continue
            id = chance.choice(here)
            if act == "log":
                ws.log(id, "positive", task=f"t{step}", by="tester")
                uses[id] = uses.get(id, 0) + 1
            elif act == "edit":
                ws.edit(id, tags=[*ws.get(id).tags, f"tag{step}"])
            elif chance.random() < 0.3:
                ws.forget(id)
                forgotten.add(id)
    for machine in (one, two, one, two):
        machine.sync(monkeypatch)
    return uses, forgotten


def converged(one: Machine, two: Machine, monkeypatch: pytest.MonkeyPatch, seed: int, steps: int) -> None:
    uses, forgotten = spells(one, two, monkeypatch, seed, steps)
    here, there = one.state(monkeypatch), two.state(monkeypatch)
    assert here == there
    assert not forgotten & here.keys()
    for machine in (one, two):
        with machine.open(monkeypatch) as ws:
            assert ws.check() == []
            for id, times in uses.items():
                if id not in forgotten:
                    assert ws.get(id).signals.reuse_count == times, id


def test_two_machines_with_offline_spells_come_to_the_same(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Issue 22: nothing lost, nothing counted twice."""
    (tmp_path / "meet").mkdir()
    converged(*pair(tmp_path, str(tmp_path / "meet"), monkeypatch), monkeypatch, 1, 40)


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(2, 22))
def test_many_offline_spells(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, seed: int) -> None:
    """The same with twenty other histories."""
    (tmp_path / "meet").mkdir()
    converged(*pair(tmp_path, str(tmp_path / "meet"), monkeypatch), monkeypatch, seed, 60)


def test_over_a_private_repository(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each machine has a branch of its own, so nothing is ever merged."""
    bare = tmp_path / "private.git"
    git(tmp_path, "init", "-q", "--bare", str(bare))
    one, two = pair(tmp_path, f"git:{bare}", monkeypatch)
    converged(one, two, monkeypatch, 5, 12)
    assert len(git(bare, "for-each-ref", "refs/heads/machines/project/").splitlines()) == 2


@pytest.mark.parametrize("address", ["git:{}", "git:file://{}"])
def test_a_shared_repository_runs_nothing_of_its_own(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, address: str
) -> None:
    """S10: git serves a repository in a shared folder on this machine; somebody else wrote its hooks and settings."""
    bare, other, ran = tmp_path / "private.git", tmp_path / "other.git", tmp_path / "ran"
    for made in (bare, other):
        git(tmp_path, "init", "-q", "--bare", str(made))
    for hook in ("pre-receive", "update", "post-receive", "post-update", "reference-transaction", "proc-receive"):
        (bare / "hooks" / hook).write_text(f"#!/bin/sh\necho {hook} >> '{ran}'\n")
        (bare / "hooks" / hook).chmod(0o755)
    (bare / "objects" / "info" / "alternates").write_text(f"{other / 'objects'}\n")
    git(bare, "config", "core.alternateRefsCommand", f"echo command >> '{ran}'; true")
    git(bare, "config", "core.hooksPath", str(bare / "hooks"))
    git(bare, "config", "receive.procReceiveRefs", "refs/heads/none")
    one, two = pair(tmp_path, address.format(bare), monkeypatch)
    converged(one, two, monkeypatch, 5, 6)
    assert not ran.exists()


def test_a_file_that_is_too_large_is_refused_in_a_repository_too(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """S17: whoever else writes there could fill this machine's memory; in a folder such a file was refused before."""
    bare = tmp_path / "private.git"
    git(tmp_path, "init", "-q", "--bare", str(bare))
    _one, two = pair(tmp_path, f"git:{bare}", monkeypatch)
    monkeypatch.setattr(sync_remote, "MOST_BYTES", 100)
    with pytest.raises(InvalidInput, match="at most 100 are read"):
        two.sync(monkeypatch)


def test_forget_reaches_the_others_and_says_who_has_not_seen_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Issue 22: `forget` reaches all machines at their next sync; its text stays in no file."""
    meet = tmp_path / "meet"
    meet.mkdir()
    one, two = pair(tmp_path, str(meet), monkeypatch)
    with one.open(monkeypatch) as ws:
        id = ws.add("The zanzibar account is closed.").id
    one.sync(monkeypatch)
    assert two.sync(monkeypatch).taken
    with one.open(monkeypatch) as ws:
        ws.forget(id)
    [behind] = one.sync(monkeypatch).unseen.values()
    assert behind == [id]
    assert two.sync(monkeypatch).forgotten == [id]
    assert one.sync(monkeypatch).unseen == {}
    assert id not in two.state(monkeypatch)
    assert not [path for path in meet.rglob("*") if path.is_file() and b"zanzibar" in path.read_bytes()]


def test_a_projects_folder_that_is_a_link_is_not_followed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """S10: whoever else writes in the shared place must not choose where this machine's memory goes."""
    remote, outside = tmp_path / "remote", tmp_path / "outside"
    remote.mkdir()
    outside.mkdir()
    (remote / "project").symlink_to(outside)
    machine = Machine(tmp_path, "a", str(remote))
    with machine.open(monkeypatch) as ws:
        ws.add("Ship with make release.")
    with pytest.raises(Refused, match="symbolic link"):
        machine.sync(monkeypatch)
    assert list(outside.iterdir()) == []


def test_a_file_without_the_persons_seal_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A folder in the cloud could be written by anybody, and states and counters decide what is injected."""
    meet = tmp_path / "meet"
    meet.mkdir()
    _one, two = pair(tmp_path, str(meet), monkeypatch)
    two.sync(monkeypatch)
    [file] = [path for path in meet.rglob("*.jsonl") if b"first thing" in path.read_bytes()]
    file.write_bytes(file.read_bytes().replace(b"first thing", b"worst thing"))
    with pytest.raises(Refused, match="is not sealed with your key"):
        two.sync(monkeypatch)


@pytest.mark.parametrize("where", ["another project", "another machine"])
def test_a_line_that_was_moved_to_another_file_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, where: str
) -> None:
    """Issue 22: whoever keeps the folder has sealed lines of all projects, and could bring one into another."""
    meet = tmp_path / "meet"
    meet.mkdir()
    one, two = pair(tmp_path, str(meet), monkeypatch)
    two.sync(monkeypatch)
    [file] = [path for path in meet.rglob("*.jsonl") if b"first thing" in path.read_bytes()]
    if where == "another machine":
        shutil.copy(file, file.with_stem(file.stem[:-1] + ("1" if file.stem.endswith("0") else "0")))
        with pytest.raises(Refused, match="written for another file"):
            two.sync(monkeypatch)
        return
    with one.open(monkeypatch) as ws:
        ws.sync(str(meet), name="private")
    [private] = [path for path in meet.rglob("*.jsonl") if path.name == file.name and path != file]
    shutil.copy(private, file)
    with pytest.raises(Refused, match="written for another file"):
        two.sync(monkeypatch)


def test_a_file_that_was_cut_or_put_back_loses_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Issue 22: a folder that goes back in time, or loses the end of a file, takes nothing from a machine."""
    meet = tmp_path / "meet"
    meet.mkdir()
    one, two = pair(tmp_path, str(meet), monkeypatch)
    two.sync(monkeypatch)
    [file] = [path for path in meet.rglob("*.jsonl") if b"first thing" in path.read_bytes()]
    before = file.read_bytes()
    with one.open(monkeypatch) as ws:
        ws.add("The second thing that was written down.")
    one.sync(monkeypatch)
    two.sync(monkeypatch)
    known = two.state(monkeypatch)
    for data in (before, before.splitlines(keepends=True)[0]):
        file.write_bytes(data)
        two.sync(monkeypatch)
        assert two.state(monkeypatch) == known
    file.write_bytes(before[:-20])
    with pytest.raises(Refused):
        two.sync(monkeypatch)
    assert two.state(monkeypatch) == known


def test_a_store_from_aac5bec_is_shared_and_synced(tmp_path: Path) -> None:
    """Issue 22: what was written before any of this can be shared and synced."""
    archive = Path(__file__).parents[1] / "fixtures" / "made_at_aac5bec" / "desk.tar.xz"
    with tarfile.open(archive) as desk:
        desk.extractall(tmp_path, filter="data")
    [database] = [path for path in tmp_path.rglob("memory.db") if path.parent.parent.name == "native"]
    home = tmp_path / "new-home"
    home.mkdir()
    old = Program(database.parents[1], home, {"TENURE_STORE": f"sqlite:{database}"})
    old.ok("trust", "--yes")
    # As if this unattended home had made the store: from now on it has a say in it.
    store = open_store(database)
    id = re.findall('id = "(.*)"', (home / "home.toml").read_text())[0]
    project_trust.remember_home(store, id, unattended=True)
    store.close()
    memories = old.ok("list", "--all")["memories"]
    live = [memory["id"] for memory in memories if memory["phase"] == "live"]
    [file] = old.ok("share", live[0])["files"]
    assert (old.folder / file["path"]).is_file()
    (tmp_path / "meet").mkdir()
    sent = old.ok("sync", str(tmp_path / "meet"), "--name", "p")
    assert sent["sent"] >= len(memories)
    new_home, folder = tmp_path / "second-home", tmp_path / "second"
    new_home.mkdir()
    folder.mkdir()
    second = Program(folder, new_home)
    second.ok("add", "Something of the second machine.")
    shutil.copy(home / "seal.key", new_home / "seal.key")
    assert second.ok("sync", str(tmp_path / "meet"), "--name", "p")["taken"] == sent["sent"]
    synced = {memory["id"]: memory for memory in second.ok("list", "--all")["memories"]}
    for memory in memories:
        same = synced[memory["id"]]
        assert (same["text"], same["state"], same["created_at"]) == (
            memory["text"],
            memory["state"],
            memory["created_at"],
        )
        assert {k: v for k, v in same["signals"].items() if k != "runs_unseen"} == {
            k: v for k, v in memory["signals"].items() if k != "runs_unseen"
        }


def test_no_repository_of_ours_keeps_what_was_forgotten(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """P1: git keeps what no branch leads to any more, packed so that a search for the words does not find it."""
    bare = tmp_path / "bare.git"
    git(tmp_path, "init", "-q", "--bare", str(bare))
    one, two = pair(tmp_path, f"git:{bare}", monkeypatch)
    killed = one.home / "sync" / "killed.git"
    killed.mkdir(parents=True)
    os.utime(killed, (1, 1))
    two.sync(monkeypatch)
    with one.open(monkeypatch) as ws:
        ws.forget(ws.memories()[0].id)
    assert not killed.exists()
    for machine in (one, two):
        machine.sync(monkeypatch)
        assert machine.state(monkeypatch) == {}
        assert list((machine.home / "sync").iterdir()) == []


def test_a_sync_that_fails_keeps_no_repository(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    one = Machine(tmp_path, "desk", f"git:{tmp_path / 'nowhere.git'}")
    with pytest.raises(TenureError):
        one.sync(monkeypatch)
    assert list((one.home / "sync").iterdir()) == []


def same_name(folder: Path, monkeypatch: pytest.MonkeyPatch) -> tuple[Machine, Machine]:
    """Two projects of one machine, with folders of the same name; the first has synced."""
    meet = folder / "meet"
    meet.mkdir()
    one, two = Machine(folder, "x", str(meet)), Machine(folder, "y", str(meet))
    two.home = one.home
    for machine, text in ((one, "Client one deploys with make ship."), (two, "Client two deploys with kubectl.")):
        with machine.open(monkeypatch) as ws:
            ws.add(text)
    one.sync(monkeypatch)
    return one, two


def test_two_projects_of_one_name_on_a_machine_do_not_mix(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """S14: the second wrote over the first one's file, and a third machine got the memories of two clients."""
    one, two = same_name(tmp_path, monkeypatch)
    [file] = (tmp_path / "meet").rglob("*.jsonl")
    before = file.read_bytes()
    with pytest.raises(Refused, match="Another project") as raised:
        two.sync(monkeypatch)
    assert "--name NAME" in raised.value.hint
    assert file.read_bytes() == before
    with two.open(monkeypatch) as ws:
        assert ws.sync(two.remote, name="other").sent == 1
    assert one.sync(monkeypatch).sent == 1


def test_a_file_without_identity_is_refused_to_another_store(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """S14: versions before wrote none; what is in the file tells whose it is."""
    one, two = same_name(tmp_path, monkeypatch)
    without_identity(one, monkeypatch)
    with pytest.raises(Refused, match="Another project"):
        two.sync(monkeypatch)
    assert one.sync(monkeypatch).sent == 1
    assert b'"identity"' in next((tmp_path / "meet").rglob("*.jsonl")).read_bytes()


def without_identity(machine: Machine, monkeypatch: pytest.MonkeyPatch) -> None:
    """Leave what a version before identities left."""
    with monkeypatch.context() as earlier:
        earlier.setattr(sync, "_identity", lambda *_: "")
        earlier.setattr(sync, "_refuse_another_store", lambda *_: None)
        machine.sync(monkeypatch)
    assert b'"identity"' not in next(Path(machine.remote).rglob("*.jsonl")).read_bytes()


def test_another_machines_project_of_the_same_name_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """S14: both projects have an identity, and it is not the same."""
    meet, elsewhere = tmp_path / "meet", tmp_path / "elsewhere"
    meet.mkdir()
    elsewhere.mkdir()
    one, two = pair(tmp_path, str(meet), monkeypatch)
    with two.open(monkeypatch) as ws:
        ws.add("Client two deploys with kubectl.")
        ws.sync(str(elsewhere), name="project")
    with pytest.raises(Refused, match="of another project") as raised:
        two.sync(monkeypatch)
    assert "--name NAME" in raised.value.hint
    assert len(list(meet.rglob("*.jsonl"))) == 1
    assert len(two.state(monkeypatch)) == 1
    # The same project whose machines began apart: one of them joins, and both go on.
    with two.open(monkeypatch) as ws:
        assert ws.sync(str(meet), name="project", join=True).taken
    one.sync(monkeypatch)
    two.sync(monkeypatch)
    assert len(one.state(monkeypatch)) == 2
    assert one.state(monkeypatch) == two.state(monkeypatch)


def test_a_machine_with_memories_of_its_own_joins(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The usual second machine: memories, and no identity yet; it takes over the first one's."""
    (tmp_path / "meet").mkdir()
    one, two = pair(tmp_path, str(tmp_path / "meet"), monkeypatch)
    without_identity(one, monkeypatch)
    with two.open(monkeypatch) as ws:
        ws.add("Client two deploys with kubectl.")
    for machine in (two, one, two):
        machine.sync(monkeypatch)
    assert one.state(monkeypatch) == two.state(monkeypatch)
    with one.open(monkeypatch) as ws, two.open(monkeypatch) as other:
        assert ws.project.store.setting(sync.IDENTITY) == other.project.store.setting(sync.IDENTITY) != ""
