"""*Ours* from the team's files: a worktree's replica, updated when files, commit, policy or agreement changed.

A file that nobody here agreed to waits, and so does one that changed since: it is in the replica and is never
eligible. A memory that names the commit which made it true counts where that commit is an ancestor. Hooks read the
result and never run this.
"""

from __future__ import annotations

import hashlib
import os
from datetime import datetime
from pathlib import Path
from typing import NamedTuple

import msgspec

from tenure.files import TEAM, durable, team_folder, trust
from tenure.files.git import Git
from tenure.files.locate import Place
from tenure.formats import okf
from tenure.model.decoding import decode
from tenure.model.errors import StoreDamaged, TenureError
from tenure.model.memory import Memory, Verdict
from tenure.model.policy import Policy
from tenure.recall import LIMITS_KEY
from tenure.rules.stored_verdict import verdict
from tenure.store import waiting
from tenure.store.replica import Backing, Replica
from tenure.usecases import team_agreed, team_file
from tenure.usecases.team_file import Shared

# In the replica: those that are not true at the commit that is checked out.
ELSEWHERE = "team_elsewhere"


class Limits(msgspec.Struct, frozen=True, kw_only=True):
    """What hooks must know of a replica: the mark of the folder it was made from, and whether that holds commits."""

    team: str = ""
    commits: bool = False


class TeamFile(NamedTuple):
    """A file of the team's folder: what it says, or why it cannot be used."""

    name: str
    text: str
    backing: Backing
    shared: Shared | None
    problem: TenureError | None


def replica(place: Place) -> Replica:
    """Return the replica of a place's worktree, as it was last brought in step."""
    return Replica(Path(trust.replica(str(place.tree))))


def files(place: Place, policy: Policy) -> list[TeamFile]:
    """Return the team's files in the order of their names; a link is a problem and is not followed."""
    return [_read(place.tree / TEAM, name, policy) for name in _names(place)]


def refreshed(place: Place, policy: Policy, now: datetime, opened: Replica | None = None) -> Replica:
    """Return the replica in step with the files; a damaged one is thrown away, because the files have everything."""
    found = opened or replica(place)
    try:
        found = _without_forgotten(found, place)
        return _in_step(found, place, policy, now)
    except StoreDamaged:
        return _in_step(_thrown_away(found, place), place, policy, now)


def _without_forgotten(found: Replica, place: Place) -> Replica:
    """Return a replica whose ledger names nothing that has no file and that nobody agrees to: ids tell titles."""
    if not found.exists:
        return found
    found.health.finish_erasing()
    there = {name.removesuffix(team_folder.ENDING) for name in _names(place)}
    forgotten = found.names() - there - set(team_agreed.read(place.project).marks)
    return _thrown_away(found, place) if forgotten else found


def _thrown_away(found: Replica, place: Place) -> Replica:
    found.close()
    assert found.path is not None
    for ending in ("", "-wal", "-shm"):
        found.path.with_name(found.path.name + ending).unlink(missing_ok=True)
    return replica(place)


def _in_step(found: Replica, place: Place, policy: Policy, now: datetime) -> Replica:
    if found.exists and found.replica_mark == _mark(place, policy, head=_limits(found).commits):
        return found
    read = [each for each in files(place, policy) if each.shared is not None and each.shared.state != okf.GONE]
    shared = [each.shared for each in read if each.shared is not None]
    if not shared and not found.exists:
        return found
    commits = any(each.commit for each in shared)
    waits = _waiting(found, shared, team_agreed.read(place.project))
    elsewhere = {each.id for each in shared if each.commit and not is_true_here(place.tree, each.commit)}

    def judge(memory: Memory) -> Verdict:
        silent = memory.id in waits or memory.id in elsewhere
        said = verdict(memory, policy)
        return waiting.held_back(said) if silent else said

    known = {row.memory.id: row.memory.created_at for row in found.find()}
    found.replace(
        [each.memory(policy, known.get(each.id, now)) for each in shared],
        judge,
        mark=_mark(place, policy, head=commits),
        now=now,
        backing={each.shared.id: each.backing for each in read if each.shared is not None},
        settings={
            waiting.KEY: msgspec.json.encode(waits).decode(),
            # Hooks read it: whether the files are still those that were read.
            LIMITS_KEY: msgspec.json.encode(
                Limits(team=team_folder.mark(str(place.tree), head=commits), commits=commits)
            ).decode(),
            ELSEWHERE: msgspec.json.encode(sorted(elsewhere)).decode(),
        },
    )
    return found


def elsewhere(found: Replica) -> set[str]:
    """Return the ids of those that are not true at the commit that is checked out."""
    try:
        return set(decode(found.setting(ELSEWHERE) or "[]", list[str]))
    except msgspec.DecodeError:
        return set()


def agree(place: Place, policy: Policy) -> None:
    """Let every file count as it is now."""
    marks = [(each.shared.id, each.shared.mark) for each in files(place, policy) if each.shared is not None]
    team_agreed.agree(place.project, marks)


def is_true_here(tree: Path, commit: str) -> bool:
    """Tell whether a commit is an ancestor of what is checked out; an unknown one is not."""
    return Git(tree).run("rev-list", "--max-count=1", commit, "--not", "HEAD") == b""


def _names(place: Place) -> list[str]:
    return [name for name in team_folder.names(str(place.tree)) if name not in okf.RESERVED]


def _read(folder: Path, name: str, policy: Policy) -> TeamFile:
    backing = Backing(name, "")
    try:
        facts = os.lstat(folder / name)
        data = durable.read_bytes(folder / name, limit=team_file.MOST_BYTES)
        backing = Backing(name, f"{facts.st_size}:{facts.st_mtime_ns}:{hashlib.sha256(data).hexdigest()}")
        text = data.decode("utf-8")
        shared = team_file.parsed(name.removesuffix(team_folder.ENDING), text, policy)
        return TeamFile(name, text, backing, shared, None)
    except UnicodeDecodeError:
        return TeamFile(name, "", backing, None, TenureError("it is not UTF-8 text."))
    except OSError as error:
        return TeamFile(name, "", backing, None, TenureError(f"it cannot be read: {error.strerror}."))
    except TenureError as error:
        text = data.decode("utf-8", "replace") if backing.fingerprint else ""
        return TeamFile(name, text, backing, None, error)


def _waiting(found: Replica, shared: list[Shared], agreed: team_agreed.Agreed) -> dict[str, int]:
    """Return those that nobody agreed to, each with the version that counted last, 0 for a new one."""
    before = waiting.read(found) if found.exists else {}
    counted = {row.memory.id: row.version for row in found.find()} if found.exists else {}
    return {
        each.id: before.get(each.id, counted.get(each.id, 0)) for each in shared if not agreed.knows(each.id, each.mark)
    }


def _limits(found: Replica) -> Limits:
    try:
        return decode(found.setting(LIMITS_KEY) or "{}", Limits)
    except msgspec.DecodeError:
        return Limits()


def _mark(place: Place, policy: Policy, *, head: bool) -> str:
    """Return what changes whenever the replica has to be rebuilt."""
    seen = [team_folder.mark(str(place.tree), head=head), hashlib.sha256(msgspec.json.encode(policy)).hexdigest()]
    try:
        facts = os.lstat(team_agreed.path(place.project))
        seen.append(f"{facts.st_size} {facts.st_mtime_ns} {facts.st_ino}")
    except OSError:
        seen.append("")
    return " ".join(seen)
