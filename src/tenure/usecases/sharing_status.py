"""The state of sharing: the team's files and whether they count here, what waits for trust, machines, the outbox."""

from __future__ import annotations

from tenure.files import TEAM, homes
from tenure.formats import okf
from tenure.usecases import came_with_commit, outbox, sync, team_agreed, team_replica
from tenure.usecases.answers.shared import Sharing, TeamFileSeen
from tenure.usecases.project import Project

# So many files of the team are read, and so many entries of the ledger looked through for other machines.
MOST_FILES, MOST_ENTRIES = 500, 2000


def overview(project: Project) -> Sharing:
    """Return how sharing stands; reads files and the store, and nothing from elsewhere."""
    place, store = project.place, project.store
    found = team_replica.files(place, project.policy) if place.native else []
    agreed = team_agreed.read(place.project)
    machines: dict[str, str] = {}
    for entry in store.overview.entries(MOST_ENTRIES) if store.exists else ():
        origin = entry.event.detail.get(sync.ORIGIN)
        if isinstance(origin, dict):
            machines.setdefault(str(origin.get("machine")), f"{entry.event.at:%Y-%m-%dT%H:%M:%SZ}")
    return Sharing(
        files=[_file(project, each, agreed) for each in found[:MOST_FILES]],
        more_files=max(0, len(found) - MOST_FILES),
        waiting=came_with_commit.brought(project),
        machine=homes.current().id,
        remotes=store.setting(sync.KNOWN).splitlines() if store.exists else [],
        machines=machines,
        outbox=outbox.commands(place),
        offline=project.offline.why.message if project.offline is not None else "",
    )


def _file(project: Project, file: team_replica.TeamFile, agreed: team_agreed.Agreed) -> TeamFileSeen:
    shared, path = file.shared, f"{TEAM}/{file.name}"
    if shared is None:
        said = file.problem.message if file.problem else ""
        return TeamFileSeen(path=path, id="", title="", kind="", state="", standing="unusable", problem=said)
    standing = "counts"
    if shared.state == okf.GONE:
        standing = "withdrawn"
    elif not agreed.knows(shared.id, shared.mark):
        standing = "waits"
    elif shared.commit and not team_replica.is_true_here(project.place.tree, shared.commit):
        standing = "not on this branch"
    facts = {name: getattr(shared, name) for name in ("id", "title", "kind", "state")}
    return TeamFileSeen(path=path, **facts, standing=standing, problem="")
