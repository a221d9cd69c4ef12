"""Who let a team file in: the commit that brought it to the branch, its author, and whose signature it has.

Git's author is free text, so a reviewer is only claimed; one is proved where a key of the user's own keyring signed
the commit. CODEOWNERS says who owns a file.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from tenure.audit import codeowners
from tenure.files import OURS_LAYER, TEAM, durable, team_folder
from tenure.files.git import Git
from tenure.model.errors import TenureError
from tenure.store import waiting
from tenure.text.words import one_line
from tenure.usecases.answers.shared import Reviewed, SharedMemory
from tenure.usecases.project import Project

# How far back the line of the branch is followed for a list, and for one file.
MOST_COMMITS, MOST_OF_A_FILE = 2000, 20
_BEGIN = "\x01"
_FORMAT = f"--format={_BEGIN}%H%x00%an <%ae>%x00%cn <%ce>%x00%aI%x00%P"


def memories(project: Project) -> list[SharedMemory]:
    """Return what the team shares in this worktree, each with the reviewer its last commit claims."""
    replica = project.ours
    if replica is None:
        return []
    from tenure.usecases import team_replica

    tree, waits = project.place.tree, waiting.read(replica)
    elsewhere = team_replica.elsewhere(replica)
    listed = codeowners.rules(tree)
    last: dict[str, Reviewed] = {}
    for commit, names in _commits(tree, TEAM, MOST_COMMITS):
        for name in names:
            last.setdefault(name, commit)
    found = []
    by_agent = bool(project.agent) or project.actor.is_agent
    for row in replica.find():
        id = row.memory.id
        if by_agent and id in waits:
            continue
        path = f"{TEAM}/{id}{team_folder.ENDING}"
        state = "waits for you" if id in waits else "not true at this commit" if id in elsewhere else ""
        found.append(
            SharedMemory(
                id=OURS_LAYER + id,
                kind=row.memory.kind,
                title=row.memory.title,
                state=row.memory.state,
                silent=state,
                path=path,
                owners=codeowners.owners(listed, path),
                reviewed=last.get(path),
            )
        )
    return found


def of_file(project: Project, id: str) -> list[Reviewed]:
    """Return the commits that brought or changed a team memory's file, newest first, with whose signature each has."""
    tree, path = project.place.tree, _path(id)
    git = Git(tree)
    found = [commit for commit, _ in _commits(tree, path, MOST_OF_A_FILE)]
    return [_signed(git, commit) for commit in found]


def owners_of(project: Project, id: str) -> tuple[str, ...]:
    """Return whom CODEOWNERS names for a team memory's file."""
    return codeowners.owners(codeowners.rules(project.place.tree), _path(id))


def is_committed(project: Project, id: str) -> bool:
    """Tell whether the file is as the commit that is checked out has it."""
    tree, path = project.place.tree, _path(id)
    try:
        return Git(tree).run("cat-file", "blob", f"HEAD:{path}") == durable.read_bytes(tree / path)
    except (OSError, TenureError):
        return False


def _path(id: str) -> str:
    return f"{TEAM}/{id.removeprefix(OURS_LAYER)}{team_folder.ENDING}"


def _signed(git: Git, commit: Reviewed) -> Reviewed:
    from msgspec.structs import replace

    signature = git.signature(commit.commit)
    return replace(
        commit,
        signed=signature.is_there,
        proved=signature.is_proved,
        signed_by=one_line(signature.by, 120) if signature.is_proved else "",
        key=signature.key if signature.is_proved else "",
    )


def _commits(tree: Path, path: str, most: int) -> Iterator[tuple[Reviewed, list[str]]]:
    """Yield the commits on the line of the branch that changed a path, newest first, each with the files it changed."""
    words = ("log", "--first-parent", "-m", "--name-only", f"--max-count={most}", _FORMAT, "HEAD", "--", path)
    printed = (Git(tree).run(*words) or b"").decode("utf-8", errors="replace")
    for piece in printed.split(_BEGIN)[1:]:
        head, _, names = piece.partition("\n")
        facts = head.split("\0")
        if len(facts) == 5:
            commit, author, committer, at, parents = facts
            yield (
                Reviewed(
                    commit=commit,
                    at=at,
                    claimed=one_line(author, 120),
                    committer="" if committer == author else one_line(committer, 120),
                    merge=len(parents.split()) > 1,
                ),
                [name for name in names.splitlines() if name],
            )
