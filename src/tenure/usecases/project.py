"""An opened project: where its memory is, the policy in force, the store, and how a change is made.

Use cases get a project and a system whose rules they follow; what differs between systems is not in this module.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator, Mapping
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec

from tenure.files import OURS_LAYER, TEAM, USER_LAYER, homes, locate, trust
from tenure.files.locate import Place
from tenure.hosts import agent_detection
from tenure.model import clock
from tenure.model.actor import Actor, Kind, Presence
from tenure.model.errors import (
    AmbiguousId,
    Conflict,
    NeedsPerson,
    Refused,
    StoreUnreachable,
    StoreUnusable,
    UnknownId,
    Untrusted,
)
from tenure.model.memory import Memory
from tenure.rules.stored_verdict import verdict
from tenure.store import open_elsewhere, open_offline, open_store
from tenure.text.words import nearest, one_line
from tenure.usecases import calibrate, person_gate, project_trust
from tenure.usecases.batch import Batch

if TYPE_CHECKING:
    from tenure.store.api import Store
    from tenure.store.companion import Files, FileStore
    from tenure.store.offline import OfflineCopy
    from tenure.store.records import Row
    from tenure.store.replica import Replica


# So many ids are named when a beginning could be any of them.
MOST_NAMED = 20
# The surface of the worker that learns from finished sessions.
WORKER = "worker"


class Project:
    """One project's memory, opened."""

    def __init__(
        self,
        place: Place,
        own: Callable[[Place], Mapping[str, Mapping[str, Any]]],
        *,
        agent: str = "",
        surface: str = "python",
        actor: Actor | None = None,
    ) -> None:
        """Read the policy; `own` returns the settings of the system's own files, by where they stand.

        `actor` is who acts, where a ticket was handed out to them; a made-up one counts for nothing.
        """
        self.place, self.agent, self.surface = place, agent, surface
        self._actor = person_gate.recognised(actor)
        # Whether an unattended home is in use that this store does not know.
        self.in_strangers_home = False
        # The database of a team that cannot be reached now, and what of it is known here.
        self.offline: OfflineCopy | None = None
        # Whether a command from the outbox is carried out, whose person was asked when it was given.
        self.sending = False
        # The id that a new memory was promised while the database was away.
        self.promised_id = ""
        self.native = _opened(place) if place.native else None
        if place.address:
            self.native, self.offline = _reached(self.native, place)
        if agent and not self.trusted:
            # Before anything of it is read.
            raise Untrusted(
                "This project's memory came with the repository.", hint="The user can allow it: tenure trust"
            )
        # `ignored`: what the project's own settings ask for and does not count, because nobody here agreed to it.
        self._own = own
        self._store: Store | None = self.native
        self._read_policy()
        # The same store, where its memories lie in another system's files.
        self.files: FileStore | None = None
        # Files that cannot be used, and why.
        self.unusable: tuple[str, ...] = ()
        self._ours: Replica | None = None
        self._users: Store | None = None

    def _read_policy(self) -> None:
        self.policy, self.settings, self.ignored = project_trust.policy_in_force(
            self.place,
            self.native,
            self._own(self.place),
            self.actor,
            agent=self.agent,
            is_strangers_home=self.in_strangers_home,
        )

    def attach(self, files: Files | None) -> None:
        """Open the store: the native one, or the companion of another system's files."""
        if files is None:
            self._store = self.native or _opened(self.place)
            return
        from tenure.store.companion import FileStore  # start-up: only where another system has the files

        path = locate.companion(self.place)
        is_new = not path.exists()
        agreed = trust.known(str(self.place.path))
        # A folder that was trusted before its companion was part of that stays trusted as it is today.
        gate = project_trust.came_with_commit(self.place) if agreed else None
        kept = project_trust.committed(self.place) if agreed else None
        found = FileStore(path, files, lambda memory: verdict(memory, self.policy), clock.now, gate, kept)
        found.refresh()
        if is_new:
            here = homes.current()
            project_trust.remember_home(found, here.id, unattended=here.unattended)
        self.files, self._store = found, found
        self._doubt_home()
        if self.in_strangers_home:
            self._read_policy()
        if agreed is not None and found.exists and (is_new or not agreed):
            with contextlib.suppress(OSError):
                project_trust.allow(self.place, None)
        problems = ((path, *problem) for path, listed in found.problems.items() for problem in listed)
        self.unusable = tuple(f"{path}: {field}: {message}; it is left as it is." for path, field, message in problems)

    def go_offline(self, why: StoreUnreachable) -> bool:
        """Go on with what was pulled of a team's database; False when nothing was."""
        self.offline = open_offline(self.place.path, why)
        if self.offline is not None:
            self.native = self._store = self.offline
        return self.offline is not None

    @property
    def store(self) -> Store:
        assert self._store is not None
        return self._store

    def close(self) -> None:
        """Close what is open; the next use opens it again."""
        self.store.close()
        for layer in (self._ours, self._users):
            if layer is not None:
                layer.close()

    @staticmethod
    def now() -> datetime:
        """Return the time this command works with."""
        return clock.now()

    # Whose it is

    @property
    def actor(self) -> Actor:
        """Who acts here, as the ledger will say."""
        if self._actor is None:
            self._actor = person_gate.acting(self.surface, self.agent)
            team = self.native.team if self.native is not None else None
            if team is not None:
                # The database knows who it is, and an agent's role stays an agent's in every hand.
                kind = Kind.AGENT if team.is_agent else self._actor.kind
                self._actor = msgspec.structs.replace(self._actor, user=team.role, kind=kind)
            self._doubt_home()
        return self._actor

    @contextlib.contextmanager
    def as_process(self) -> Iterator[None]:
        """Act as the worker while it learns; whatever else is asked of a workspace opened for it, an agent asks."""
        before = self.actor
        if self.agent == WORKER and not self.is_agents_role:
            self._actor = msgspec.structs.replace(before, kind=Kind.PROCESS)
        try:
            yield
        finally:
            self._actor = before

    @property
    def is_agents_role(self) -> bool:
        """Whether a database knows who acts as an agent, which then speaks for no person."""
        team = self.native.team if self.native is not None else None
        return team is not None and team.is_agent

    @property
    def why_ignored(self) -> str:
        """Why settings are not in force, as a predicate of their file."""
        from tenure.usecases import agreed_policy  # start-up: only where something is ignored

        known = self.ignored and agreed_policy.is_known(self.ignored[0].origin)
        return "changed since you agreed to it" if known else "came with the repository"

    def needs_person(self, act: str) -> None:
        """Go on only with a person there, who is asked on their terminal; raise `NeedsPerson` otherwise."""
        if self.sending and self.actor.present:
            return
        self._doubt_home()
        if self.in_strangers_home:
            raise NeedsPerson(
                f"`{act}` needs a person: this store does not know the unattended home in use.",
                hint=f"Let it in, in a terminal of your own without TENURE_HOME: {project_trust.let_in_command()}",
            )
        self._actor = person_gate.proved(self.actor, act)
        if self._actor.unwatched:
            from tenure.usecases import unwatched_acts  # start-up: nearly always somebody is seen

            unwatched_acts.note(act, self._actor, self.place.url)

    def no_agent(self, act: str) -> None:
        """Let a person or a process of ours go on, and no agent; raise `NeedsPerson`."""
        if self.actor.is_agent:
            self.needs_person(act)

    def keep_guarded(self, memory: Memory, act: str) -> None:
        """Let nobody but a person take away a memory whose guard is on; raise `NeedsPerson`."""
        if (self.actor.is_agent or self.actor.detached) and memory.guard_is_on:
            self.needs_person(f"{act} {memory.id}, whose guard is on")

    @property
    def trusted(self) -> bool:
        return project_trust.trusted(self.place, self.native, self.agent)

    @property
    def withheld(self) -> bool:
        """Whether even a person's own `inject` shows nothing: it came with the repository and nobody agreed to it."""
        return project_trust.withheld(self.place, self.native, self.agent)

    @property
    def withheld_notice(self) -> str:
        """What a person should know where nothing of this memory is shown; empty where it is shown."""
        if not self.withheld:
            return ""
        return (
            f"{project_trust.WITHHELD}, so none of it is shown to agents. Look with `tenure list`, then: tenure trust"
        )

    @property
    def waiting(self) -> dict[str, int]:
        """The memories that came with a commit and wait, each with the version that counted last, 0 for a new one."""
        waits = self.files.waiting() if self.files is not None else {}
        if self.ours is None:
            return waits
        from tenure.store import waiting  # start-up: only where a team shares

        return waits | {OURS_LAYER + id: version for id, version in waiting.read(self.ours).items()}

    def accepted(self, id: str) -> Memory | None:
        """Return a memory that waits as it was when it counted last; None for a new one."""
        if self.ours is not None and id.startswith(OURS_LAYER):
            from tenure.store import waiting  # start-up: only where a team shares

            return waiting.at(self.ours, id.removeprefix(OURS_LAYER), self.waiting.get(id, 0))
        return self.files.accepted(id) if self.files is not None else None

    # What the team shares

    @property
    def ours(self) -> Replica | None:
        """What the team shares in this worktree, in step with its files; None where it shares nothing."""
        if self._ours is None and not _has_ours(self.place):
            return None
        from tenure.usecases import team_replica  # start-up: only where a team shares

        self._ours = team_replica.refreshed(self.place, self.policy, self.now(), self._ours)
        return self._ours if self._ours.exists else None

    @property
    def has_ours(self) -> bool:
        """Whether there may be anything that a team shares; most projects have nothing."""
        return self._ours is not None or _has_ours(self.place)

    @property
    def layers(self) -> dict[str, Store]:
        """The layers beside the project's own memory, by what their ids begin with."""
        found: dict[str, Store] = {}
        if self.ours is not None:
            found[OURS_LAYER] = self.ours
        if self._users is None and locate.users().path.exists() and self.place.path != locate.users().path:
            users = open_store(locate.users().path)
            if trust.trusted(str(locate.users().path), users.identity):
                self._users = users
        if self._users is not None:
            found[USER_LAYER] = self._users
        return found

    def refresh_ours(self) -> None:
        """Bring the replica in step, for those who only read it."""
        if self.ours is not None:
            self.ours.close()

    def row(self, id: str) -> Row | None:
        """Return a memory of the project's store or, by the beginning of its id, of another layer."""
        for layer, store in self.layers.items() if "/" in id else ():
            if id.startswith(layer):
                return store.get(id.removeprefix(layer))
        return self.store.get(id)

    def from_other_layer(self, id: str) -> Row | None:
        """Return a memory of another layer, for whoever asks for it by name; None for an id of the project's own store.

        What the team shares and nobody here agreed to is not told to an agent.
        """
        if "/" not in id:
            return None
        if (self.agent or self.actor.is_agent) and id in self.waiting:
            raise Untrusted(f"{one_line(id, 60)} came with a commit.", hint="The user can allow it: tenure trust")
        return self.row(id)

    # How far it has come

    def keep_head(self, *, accept: bool = False) -> None:
        """Keep in the user's folder how far the store has come, so that an old copy put back is noticed."""
        from tenure.usecases import store_progress  # start-up: most commands do not ask

        store_progress.keep(self.store, self.place.project, accept=accept)

    @property
    def older(self) -> str:
        """That the database is an old copy which was put back, or came with a commit; empty when it is neither."""
        if not trust.keeps_heads():
            return ""
        from tenure.usecases import store_progress  # start-up: most commands do not ask

        return store_progress.behind(self.store, self.place.project)

    # Changing

    @contextlib.contextmanager
    def changing(self, *, dry_run: bool = False, makes: bool = True) -> Iterator[Batch]:
        """Hold the store, hand out a batch, commit it at the end; a dry run takes everything back.

        With `makes` off, and in a dry run, a store that is not there is not made.
        """
        # A store that is made here is ours; one that was there before might have come with the repository.
        made_file = self.files is None and not self.place.path.exists()
        made_here = made_file and str(project_trust.settings(self.place)) not in {each.origin for each in self.ignored}
        # The first memory of a folder that was empty makes its companion here.
        made_companion = self.files is not None and not self.store.exists
        if not self.actor.home and not dry_run:
            self._actor = msgspec.structs.replace(self.actor, home=homes.current().id)
        self._doubt_home()
        try:
            with self.store.writing(makes=makes and not dry_run):
                via = self.agent or (f"{self.surface} in {self.actor.host}" if self.actor.is_agent else "")
                batch = Batch(self.store, self.policy, self.now(), actor=self.actor, via=via)
                batch.promised_id = self.promised_id
                yield batch
                batch.write()
                calibrate.keep_limits(self.store, self.policy)
                if dry_run:
                    raise _DryRun
        except _DryRun:
            pass
        finally:
            # Also when the command failed: a store that it made is still ours.
            self._claim(made_here, knows=made_file or made_companion)

    def _claim(self, made_here: bool, *, knows: bool) -> None:
        """Let a store that was made here know this home, and agents see it."""
        with contextlib.suppress(OSError, StoreUnusable):
            self._adopt()
            if knows and self.store.exists:
                unattended = self.actor.presence is Presence.UNATTENDED
                project_trust.remember_home(self.store, self.actor.home, unattended=unattended)
            if made_here and self.place.path.exists():
                if before := trust.known(str(self.place.path)):
                    from tenure.usecases import other_store  # start-up: a store is made once

                    other_store.note_replaced(self.place.path, before)
                project_trust.allow(self.place, self.native)
                if self.actor.presence is not Presence.UNATTENDED:
                    from tenure.usecases import agreed_policy  # start-up: a store is made once

                    agreed_policy.begin((locate.home() / "config.toml", project_trust.settings(self.place)))

    def _doubt_home(self) -> None:
        """Let an unattended home that this store does not know speak as an agent: anybody can make one."""
        who, store = self._actor, self._store
        # Where a database authenticates, it does not matter from which home somebody comes.
        if who is None or who.presence is not Presence.UNATTENDED or store is None or self.place.address:
            return
        # What is wrong with a store is told by whoever needs it.
        with contextlib.suppress(StoreUnusable):
            if project_trust.is_strangers(store, who.home, beside_agent=lambda: agent_detection.mark() is not None):
                self.in_strangers_home = True
                self._actor = msgspec.structs.replace(who, kind=Kind.AGENT, presence=Presence.NONE)

    def _adopt(self) -> None:
        """Let a store from before homes were remembered know this one, where a person works and it is trusted."""
        who = self.actor
        if self.place.address or self.agent or who.present or who.kind is not Kind.PERSON:
            return
        with contextlib.suppress(OSError, StoreUnusable):
            if project_trust.homes(self.store) == (project_trust.UNKNOWN,) and self.trusted:
                project_trust.remember_home(self.store, who.home)

    def change(
        self, id: str, rule: Callable[[Batch, Memory], Memory | None], expected_version: int | None = None
    ) -> Memory:
        """Apply a rule to one memory and return what it becomes; raise `Conflict` when it is not at that version."""
        with self.changing(makes=False) as batch:
            memory = batch.get(self.resolve(id))
            assert memory is not None
            seen = batch.version(memory.id)
            if expected_version is not None and seen != expected_version:
                raise Conflict(
                    f"{memory.id} is at version {seen}, not {expected_version}: somebody wrote first.",
                    hint="Read it again and repeat the change.",
                )
            after = rule(batch, memory)
        return after or memory

    def resolve(self, id: str) -> str:
        """Return the full id that an id or its beginning names; say which ones it could be, or come near."""
        store = self.store
        found = [id] if store.get(id) is not None else store.ids(id, MOST_NAMED) if id else []
        if len(found) == 1:
            if self.agent and found[0] in self.waiting:
                raise Untrusted(f"{found[0]} came with a commit.", hint="The user can allow it: tenure trust")
            return found[0]
        shown = one_line(id, 60)
        if id.startswith((OURS_LAYER, USER_LAYER)) and self.row(id) is not None:
            where = "edit its file in .tenure/team" if id.startswith(OURS_LAYER) else "name the store: --store user"
            raise Refused(f"{shown!r} is not of this project's store.", hint=f"To change it, {where}.")
        if found:
            raise AmbiguousId(f"{shown!r} could be any of {', '.join(found)}.", hint="Give more of the id.")
        close = nearest(id, store.ids())
        hint = f"Did you mean {' or '.join(close)}?" if close else "`tenure list --all` lists every memory."
        raise UnknownId(f"There is no memory {shown!r}.", hint=hint)


def _has_ours(place: Place) -> bool:
    """Tell whether there are team files in a worktree, or were; most projects have none."""
    return (place.tree / TEAM).is_dir() or Path(trust.replica(str(place.tree))).exists()


def _opened(place: Place) -> Store:
    if place.address:
        return open_elsewhere(place.scheme, place.address, place.project.name)
    return open_store(place.path, place.scheme)


def _reached(store: Store | None, place: Place) -> tuple[Store | None, OfflineCopy | None]:
    """Return a team's store or, while it cannot be reached, what was pulled of it, a second time as that."""
    try:
        # The first question to a database is who acts there.
        _ = store.team if store is not None else None
        return store, None
    except StoreUnreachable as error:
        copy = open_offline(place.path, error)
        if copy is None:
            raise
        return copy, copy


class _DryRun(Exception):
    """Carries a dry run out of its transaction."""
