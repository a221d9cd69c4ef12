"""`share`: a memory of this project's store as a file of the team, for the next commit.

Sharing publishes, and what a person shared themselves counts for them at once, so it needs a person. A file that
somebody edited since it was shared is never written over silently.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from tenure.files import OURS_LAYER, TEAM, durable, team_folder
from tenure.files.git import Git
from tenure.files.locate import Place
from tenure.model.errors import BadRequest, Conflict, Refused, StoreUnusable
from tenure.model.memory import Memory
from tenure.store.folder import IGNORED, SHARED
from tenure.usecases import team_agreed, team_file, team_replica
from tenure.usecases.answers.shared import SharedFile, SharedFiles
from tenure.usecases.project import Project
from tenure.usecases.team_agreed import Own
from tenure.usecases.team_file import Shared


def share(
    project: Project, ids: Sequence[str], *, commit: str = "", replace: bool = False, dry_run: bool = False
) -> SharedFiles:
    """Write memories as team files and return what to commit; `commit` names the one that made them true."""
    if not ids:
        raise BadRequest("Name the memories to share.", hint="`tenure list` shows their ids.")
    if project.place.project == project.place.path.parent:
        raise Refused("The user's own store belongs to no project.", hint="Run this without --store user.")
    if not dry_run:
        project.needs_person("share")
    place, policy = project.place, project.policy
    commit = _full_name(place.tree, commit) if commit else ""
    memories = [_shareable(project, id) for id in dict.fromkeys(ids)]
    agreed = team_agreed.read(place.project)
    there = {each.shared.id: each for each in team_replica.files(place, policy) if each.shared is not None}
    made: list[tuple[SharedFile, Shared, str]] = []
    for memory in memories:
        own = agreed.shared.get(memory.id)
        id = own.id if own else _same(memory, there) or team_file.new_id(memory.title)
        shared, before = team_file.of_memory(memory, id, commit), there.get(id)
        if before and before.shared and not commit:
            shared = team_file.of_memory(memory, id, before.shared.commit)
        if before and before.shared and own and before.shared.mark not in (own.mark, shared.mark) and not replace:
            raise Conflict(
                f"{TEAM}/{before.name} was edited since you shared {memory.id}.",
                hint="Look at the file; `tenure share --replace` writes over it.",
            )
        text = team_file.document(shared, before.text if before else "")
        # What the file says is what counts: reading cleans and redacts once more.
        said = team_file.parsed(id, text, policy)
        file = SharedFile(
            id=memory.id,
            shared_as=OURS_LAYER + id,
            path=f"{TEAM}/{id}{team_folder.ENDING}",
            new=before is None,
            redacted=said.text != memory.text or said.title != memory.title,
        )
        made.append((file, said, text))
    files = [file for file, _, _ in made]
    if dry_run:
        return SharedFiles(files=files, commit=_to_commit(files))
    _write(place, made)
    own_ones = {file.id: Own(said.id, said.mark) for file, said, _ in made}
    team_agreed.agree(place.project, [(said.id, said.mark) for _, said, _ in made], own_ones)
    team_replica.refreshed(place, policy, project.now()).close()
    return SharedFiles(files=files, commit=_to_commit(files))


def _shareable(project: Project, id: str) -> Memory:
    row = project.store.get(project.resolve(id))
    assert row is not None
    memory = row.memory
    if memory.phase != "live":
        raise Refused(
            f"{memory.id} is {memory.state} and not in use, so it is not shared.",
            hint=f"Decide about it first: tenure review {memory.id}",
        )
    return memory


def _same(memory: Memory, there: dict[str, team_replica.TeamFile]) -> str:
    """Return the id under which the team has the very same text, empty when it has not."""
    text = team_file.of_memory(memory, "x").text
    same = (
        id for id, each in there.items() if each.shared and (each.shared.kind, each.shared.text) == (memory.kind, text)
    )
    return next(same, "")


def _full_name(tree: Path, commit: str) -> str:
    found = None if commit.startswith("-") else Git(tree).text("rev-parse", "--verify", f"{commit}^{{commit}}")
    if not found:
        raise BadRequest(f"{commit!r:.60} is not a commit of this repository.", field="commit")
    return found


def _write(place: Place, made: Sequence[tuple[SharedFile, Shared, str]]) -> None:
    folder = place.tree / TEAM
    try:
        folder.mkdir(parents=True, exist_ok=True)
        for part in (folder, folder.parent):
            if part.is_symlink():
                raise Refused(f"{str(part)!r} is a symbolic link, and those are not followed here.")
        ignored = folder.parent / ".gitignore"
        if not ignored.exists() or durable.read_bytes(ignored) == IGNORED.encode():
            durable.replace(ignored, SHARED.encode())
        for file, _, text in made:
            durable.replace(place.tree / file.path, text.encode())
    except OSError as error:
        raise StoreUnusable(f"{str(folder)!r} cannot be written: {error.strerror}.") from None


def _to_commit(files: Sequence[SharedFile]) -> str:
    return f"git add {' '.join(file.path for file in files)}"
