"""What is shared with others: files that came, team files, machines and the team's database."""

from __future__ import annotations

import msgspec

from tenure.store.records import Copy
from tenure.usecases.answers import Record


class Brought(Record, frozen=True):
    """A memory that came with a commit and waits, and how it differs from what counted."""

    id: str
    title: str
    new: bool
    difference: str


class SharedFile(Record, frozen=True):
    """A memory that was written as a file of the team."""

    id: str
    # Its id among what the team shares.
    shared_as: str
    path: str
    new: bool
    # Whether something that looks like a secret was taken out.
    redacted: bool


class SharedFiles(Record, frozen=True):
    """What `share` wrote, and the command that makes it part of the next commit."""

    files: list[SharedFile]
    commit: str


class Reviewed(Record, frozen=True):
    """A commit that brought or changed a team file: who let it in, as it claims, and what its signature proves."""

    commit: str
    at: str
    # Git's author, which anybody can write.
    claimed: str
    # Who made the commit, where that is somebody else.
    committer: str = ""
    merge: bool = False
    # Whether it is signed; None where nobody looked.
    signed: bool | None = None
    proved: bool = False
    # Whose key it is, by the user's own keys; empty unless proved.
    signed_by: str = ""
    key: str = ""


class SharedMemory(Record, frozen=True):
    """A memory that the team shares, its file, and whose domain it is."""

    id: str
    kind: str
    title: str
    state: str
    # Why agents are not shown it here; empty when they may be.
    silent: str
    path: str
    owners: tuple[str, ...] = ()
    reviewed: Reviewed | None = None


class Synced(Record, frozen=True):
    """What `sync` took in and sent, and what other machines have not yet seen to be forgotten."""

    machine: str
    machines: list[str]
    sent: int
    taken: int
    # Forgotten elsewhere and erased here.
    forgotten: list[str]
    unseen: dict[str, list[str]]


class TeamFinding(Record, frozen=True):
    """Something wrong with a team file: schema, secret, claim, contradiction or duplicate."""

    path: str
    line: int
    kind: str
    message: str


class ShownOften(Record, frozen=True):
    """How often a memory was and would be shown in the last injections."""

    id: str
    before: int
    after: int


class TeamCheck(Record, frozen=True):
    """What `team check` found, and what the change does to what agents were shown last."""

    files: int
    # Files that differ from the base; all of them without one.
    changed: list[str]
    findings: list[TeamFinding]
    # Injections looked at, and the memories that would be shown more or less often.
    injections: int
    gain: list[ShownOften]
    silent: list[ShownOften]


class TeamMade(msgspec.Struct, frozen=True, kw_only=True):
    """What `team init` did in a database."""

    place: str
    migrations: tuple[str, ...]
    groups: tuple[str, ...]
    approvals: int


class PulledCopy(msgspec.Struct, frozen=True, kw_only=True):
    """How the copy of a database on this machine stands: the last entry it knows, its memories, and what changed."""

    entry: int
    memories: int
    came: int
    edited: int
    gone: int
    # Whether what was known before did not fit the database any more, so that the copy was rebuilt.
    rebuilt: bool = False


class SentCommands(msgspec.Struct, frozen=True, kw_only=True):
    """What became of the outbox: how many commands were carried out, why others were not, how many are left."""

    sent: int
    refused: tuple[str, ...]
    left: int


class WaitingCommand(msgspec.Struct, frozen=True, kw_only=True):
    """A command in the outbox: what it is about, when it was given, and why it was not taken, if it was sent."""

    key: str
    command: str
    memory: str
    at: str
    refused: str
    # All that in one line.
    text: str


class TeamStats(msgspec.Struct, frozen=True, kw_only=True):
    """Figures of a project in a team's database: what there is, how far each copy has come, what waits here."""

    project: str
    figures: dict[str, int]
    copies: list[Copy]
    unsent: int
    refused: int
    # The same as Prometheus reads it.
    prometheus: str = ""


class TeamRole(msgspec.Struct, frozen=True, kw_only=True):
    """A role of a team's database: its groups, the projects it reaches ("*" is all), the domains it reviews."""

    role: str
    groups: tuple[str, ...]
    projects: tuple[str, ...]
    domains: tuple[str, ...] = ()


class TeamFileSeen(Record, frozen=True):
    """A file of the team: what it says, and whether it counts here."""

    path: str
    id: str
    title: str
    kind: str
    state: str
    # "counts", "waits", "not on this branch", "withdrawn" or "unusable".
    standing: str
    problem: str


class Sharing(Record, frozen=True):
    """How sharing stands: with the team by files and by a database, and among the person's own machines."""

    files: list[TeamFileSeen]
    more_files: int
    # What came with a commit and waits for `tenure trust`.
    waiting: list[Brought]
    machine: str
    # Where this machine meets the others, and those whose entries came lately: name -> when the last happened there.
    remotes: list[str]
    machines: dict[str, str]
    # Commands that wait for a team's database, and why it cannot be reached; empty when it can or there is none.
    outbox: list[WaitingCommand]
    offline: str
