"""One project's memory, and everything that can be done with it.

This is the API that every surface uses, and the public one: `import tenure; ws = tenure.open()`. A method is one use
case, which is imported when it is called. What it answers is a record of `tenure.usecases.answers`; what the user
should know besides stands in the answer's `notes`.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from contextlib import AbstractContextManager
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tenure.files import OURS_LAYER, locate
from tenure.files.locate import Place
from tenure.model.errors import BadRequest
from tenure.systems.api import opened
from tenure.text.words import one_line

if TYPE_CHECKING:
    from tenure.audit.findings import Fixed, Report
    from tenure.model.actor import Actor
    from tenure.model.events import Recorded
    from tenure.model.guard import Guard, Level
    from tenure.model.memory import Memory
    from tenure.model.policy import Setting
    from tenure.store.records import GuardFire
    from tenure.usecases.answers import Problem, Progress, Written
    from tenure.usecases.answers.begun import FoundStore, Situation
    from tenure.usecases.answers.captured import Captured, Learned, LearnedPast
    from tenure.usecases.answers.changed import Collected, Erased, Moved, Promotions, Scrubbed, Sweep, Undone
    from tenure.usecases.answers.effects import EffectReport, Pooled
    from tenure.usecases.answers.found import Explained, Hit, Injection, Listed, PastInjection, Replay, Scored
    from tenure.usecases.answers.guards import DryRun, GuardReport, Obeyed
    from tenure.usecases.answers.looked import Claimed, Dossier, Notices, QueuePage, Status, Waiting, Why
    from tenure.usecases.answers.shared import (
        Brought,
        PulledCopy,
        Reviewed,
        SentCommands,
        SharedFiles,
        SharedMemory,
        Sharing,
        Synced,
        TeamCheck,
        TeamMade,
        TeamRole,
        TeamStats,
        WaitingCommand,
    )
    from tenure.usecases.answers.whole_store import Contradiction, LedgerPage, MemoryPage, SessionSeen, Totals, Trend
    from tenure.usecases.effect_pool import Published
    from tenure.usecases.route import Route


def open(
    store: str | None = None,
    folder: str | Path | None = None,
    *,
    agent: str = "",
    surface: str = "python",
    actor: Actor | None = None,
) -> Workspace:
    """Return the workspace of a project: the store named, or the one the project has.

    `agent` names the surface an agent comes through. It stands in the ledger, and what is not trusted is refused.
    `surface` names the one a person or a program comes through; `actor` is who `hand_ticket` found there.
    """
    try:
        where = Path(folder or ".").absolute()
    except FileNotFoundError:
        raise BadRequest("The current folder was removed.", hint="Go to a folder that exists.") from None
    return Workspace(locate.locate(store, where), agent=agent, surface=surface, actor=actor)


def hand_ticket(surface: str, ticket: str) -> Actor:
    """Show a ticket on the person's own terminal, and return who acts through what it opens; only looks when nobody."""
    from tenure.usecases import presence

    return presence.handed(presence.acting(surface), ticket)


def audit(
    store: str | None = None,
    path: str | None = None,
    *,
    deep: bool = False,
    fix: bool = False,
    dry_run: bool = False,
    online: bool = False,
    perhaps: bool = False,
    min_confidence: float | None = None,
    most_memories: int | None = None,
    progress: Progress | None = None,
) -> Report:
    """Return what is wrong with what agents read in a project, or with the memories of one store alone."""
    from tenure.usecases import audit

    return audit.audit(
        store,
        path,
        deep=deep,
        fix=fix,
        dry_run=dry_run,
        online=online,
        perhaps=perhaps,
        min_confidence=min_confidence,
        most_memories=most_memories,
        progress=progress,
    )


def can_undo_audit(store: str | None = None, path: str | None = None) -> bool:
    """Tell whether an `audit` with `fix` changed something in this project that can be taken back."""
    from tenure.usecases import audit

    return audit.can_undo(store, path)


def undo_audit(store: str | None = None, path: str | None = None) -> list[Fixed]:
    """Take back what the last `audit` with `fix` in this project changed; return the files it was changed in."""
    from tenure.usecases import audit

    return audit.undo(store, path)


def route(text: str, *, store: str | None = None, session: str = "", write: bool = False) -> Route:
    """Return where something learned belongs in the project of a session, and write it there when asked to."""
    from tenure.usecases import route

    found = route.route(text, store=store, session=session)
    return route.apply(found, text) if write else found


def survey(folder: Path, store: str | None = None) -> tuple[Place, list[FoundStore]]:
    """Return the store that commands use in a folder, and every one that is there."""
    from tenure.usecases import init

    return init.survey(folder, store)


def projects(store: str | None = None, folder: str | Path | None = None) -> list[Place]:
    """Return the places of memory a person has: the one in use in a folder, those beside it, and those trusted."""
    from tenure.usecases import projects

    return projects.projects(store, Path(folder or ".").absolute())


def situation(folder: Path, store: str | None = None, *, since: datetime) -> Situation:
    """Return the stores and coding agents of a folder, with the sessions each agent kept of it since a time."""
    from tenure.usecases import start

    return start.situation(folder, store, since)


def choose(url: str, folder: Path) -> Path:
    """Write down which store the project around a folder uses, and return the file that says so."""
    from tenure.usecases import init

    return init.choose(url, folder)


def effect_signer(written: Published) -> str | None:
    """Return the fingerprint of the key that signed published counts, or None when nothing did."""
    from tenure.usecases import effect_pool

    return effect_pool.fingerprint(written)


def merge_effects(paths: Sequence[Path], *, signers: Sequence[str] = (), unsigned: bool = False) -> Pooled:
    """Return what the published counts of several people prove together; only keys that are named decide.

    `signers` are fingerprints beside this home's own; `unsigned` lets every file count.
    """
    from tenure.usecases import effect_pool

    return effect_pool.merge(paths, signers=signers, unsigned=unsigned)


def team_init(store: str | None, *, approvals: int | None = None) -> TeamMade:
    """Make roles and schema of a team's database, or bring them up to date; the store's role must be its administrator.

    `approvals` says how many others must agree before a memory of a project made later is used.
    """
    from tenure.usecases import team

    return team.init(store, approvals=approvals)


def team_grant(
    store: str | None, role: str, groups: Sequence[str], *, project: str | None = None, domains: Sequence[str] = ()
) -> list[TeamRole]:
    """Put a role of the database into groups and let it into a project, or into all; return everybody who is in."""
    from tenure.usecases import team

    return team.grant(store, role, groups, project=project, domains=domains)


def team_revoke(store: str | None, role: str, *, project: str | None = None) -> list[TeamRole]:
    """Take a role out of a project, or out of everything; return everybody who is left."""
    from tenure.usecases import team

    return team.revoke(store, role, project=project)


def team_roles(store: str | None) -> list[TeamRole]:
    """Return everybody who reaches anything in a team's database."""
    from tenure.usecases import team

    return team.roles(store)


def listening(store: str | None) -> AbstractContextManager[None]:
    """Answer prompt hooks with meaning while a server runs."""
    from tenure.usecases import prompt_server

    return prompt_server.listening(store)


def following(store: str | None) -> AbstractContextManager[None]:
    """Keep the copy of a team's database in step, and send what waits for it, while a server runs."""
    from tenure.usecases import following

    return following.following(store)


def engine() -> str:
    """Return the version of the database library the store uses."""
    from tenure.usecases import inspection

    return inspection.engine()


class Workspace:
    """One project's memory."""

    def __init__(self, place: Place, *, agent: str = "", surface: str = "python", actor: Actor | None = None) -> None:
        # What use cases work with; surfaces leave both alone.
        self.project, self.system = opened(place, agent=agent, surface=surface, actor=actor)

    def close(self) -> None:
        """Close the store; the next use opens it again."""
        self.project.close()

    def __enter__(self) -> Workspace:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _give(self, command: Callable[..., Written], **arguments: Any) -> Written:
        """Carry out a command on one memory; one for a database that is away waits in the outbox."""
        if not self.project.place.address:
            return command(self.project, self.system, **arguments)
        from tenure.usecases import outbox

        return outbox.give(self.project, self.system, command, arguments)

    # What it is

    @property
    def url(self) -> str:
        """The address of the store."""
        return self.project.place.url

    @property
    def folder(self) -> Path:
        """The project's folder."""
        return self.project.place.project

    @property
    def kinds(self) -> tuple[str, ...]:
        """The kinds of memories this store has; the first choice for a kind it does not have is `default_kind`."""
        return self.system.kinds

    @property
    def default_kind(self) -> str:
        """The kind of a memory that names none, or one this store does not have."""
        return self.system.default_kind

    @property
    def top_state(self) -> str:
        """The state at the top of the policy's ladder, empty where it has no steps."""
        steps = self.project.policy.promotion.steps
        return steps[-1].to if steps else ""

    @property
    def settings(self) -> list[Setting]:
        """Every value of the policy in force, and where it comes from."""
        return self.project.settings

    @property
    def ignored(self) -> list[Setting]:
        """What the project's own settings ask for and does not count, because nobody here agreed to it."""
        return self.project.ignored

    @property
    def why_ignored(self) -> str:
        """Why settings are not in force, as a predicate of their file."""
        return self.project.why_ignored

    @property
    def actor(self) -> Actor:
        """Who acts here, as the ledger will say."""
        return self.project.actor

    @property
    def unusable(self) -> tuple[str, ...]:
        """Files of the store that cannot be read, each with what is wrong; they are left as they are."""
        return self.project.unusable

    @property
    def damaged(self) -> list[str]:
        """The ids of memories met so far that were altered outside Tenure; they are left out of every answer."""
        return list(dict.fromkeys(self.project.store.damaged))

    # Writing down

    def add(
        self,
        text: str,
        *,
        kind: str = "",
        title: str = "",
        description: str = "",
        id: str = "",
        tags: Sequence[str] = (),
        files: Sequence[str] = (),
        scope: str = "project",
        source: str = "",
        content: Mapping[str, Any] | None = None,
    ) -> Written:
        """Write down what the user states; a repetition of a memory strengthens that one."""
        from tenure.usecases import add

        return self._give(
            add.add,
            text=text,
            kind=kind,
            title=title,
            description=description,
            id=id,
            tags=tags,
            files=files,
            scope=scope,
            source=source,
            content=content,
        )

    def remember(
        self,
        text: str,
        *,
        quote: str,
        same_as: str = "",
        kind: str = "",
        title: str = "",
        description: str = "",
        id: str = "",
        tags: Sequence[str] = (),
        files: Sequence[str] = (),
        scope: str = "project",
        source: str = "",
        content: Mapping[str, Any] | None = None,
    ) -> Written:
        """Write down what an agent proposes; live at once when the person typed the quote in this session.

        Raises `Refused` when a session is there to look at and does not hold the quote. Whoever is named as `source`,
        a quote that was found makes it the person's word and one that waits leaves it the agent's.
        """
        from tenure.usecases import remember

        return remember.remember(
            self.project,
            self.system,
            text,
            quote=quote,
            same_as=same_as,
            kind=kind,
            title=title,
            description=description,
            id=id,
            tags=tags,
            files=files,
            scope=scope,
            content=content,
        )

    def capture(self, proposed: Sequence[Mapping[str, Any]], *, run: str = "", dry_run: bool = False) -> Captured:
        """Consolidate proposals into memories, and return what became of each."""
        from tenure.usecases import capture

        return capture.capture(self.project, self.system, proposed, run=run, dry_run=dry_run)

    def capture_files(
        self, paths: Sequence[str], *, run: str = "", task: str = "", keep_going: bool = False, dry_run: bool = False
    ) -> Captured:
        """Learn from files: proposals as JSON Lines, or whatever the store's own system writes."""
        return self.system.capture(self.project, paths, run=run, task=task, keep_going=keep_going, dry_run=dry_run)

    def learn(
        self,
        *,
        session: str,
        host: str,
        transcript: str,
        journal: Sequence[Mapping[str, Any]] = (),
        dry_run: bool = False,
    ) -> Learned:
        """Learn from one session of an agent: rules the person stated, outcomes of memories that were cited."""
        from tenure.usecases import learn

        with self.project.as_process():
            return learn.learn(
                self.project,
                self.system,
                session=session,
                host=host,
                transcript=transcript,
                journal=journal,
                dry_run=dry_run,
            )

    def learn_past(
        self,
        agent: str,
        since: datetime,
        *,
        declined: Sequence[str] = (),
        dry_run: bool = False,
        progress: Progress | None = None,
    ) -> LearnedPast:
        """Learn from the sessions an agent still has of this project, except for texts that the person declined."""
        from tenure.usecases import learn

        return learn.learn_past(
            self.project, self.system, agent, since, declined=declined, dry_run=dry_run, progress=progress
        )

    def edit(
        self,
        id: str,
        *,
        title: str | None = None,
        text: str | None = None,
        content: Mapping[str, Any] | None = None,
        tags: Sequence[str] | None = None,
        files: Sequence[str] | None = None,
        changes: Sequence[Mapping[str, Any]] | None = None,
        expected_version: int | None = None,
    ) -> Written:
        """Change a memory's title, text, content, tags or files within the write protections; None leaves one alone.

        `changes` continues the memory's own history, which can only grow.
        """
        from tenure.usecases import edit

        named = {"title": title, "text": text, "content": content, "tags": tags, "files": files, "changes": changes}
        fields = {name: value for name, value in named.items() if value is not None}
        return self._give(edit.edit, id=id, fields=fields, expected_version=expected_version)

    # Looking

    def get(self, id: str) -> Memory:
        """Return a memory by its id or an unambiguous beginning of it; `ours/…` and `user/…` name other layers."""
        row = self.project.told(id) or self.project.store.get(self.project.resolve(id))
        assert row is not None
        return row.memory

    def version(self, id: str) -> int:
        """Return the version of a memory, to name in a later change."""
        row = self.project.told(id) or self.project.store.get(self.project.resolve(id))
        assert row is not None
        return row.version

    def memories(self, *, state: str = "", phase: str = "", kind: str = "", all: bool = False) -> list[Memory]:
        """Return memories in the order they were written; what is gone only with `all`, or when asked for by state."""
        states = self.project.policy.states
        if state and state not in states:
            raise BadRequest(
                f"{one_line(state, 60)!r} is not a state; expected one of {', '.join(states)}.", field="state"
            )
        if kind and kind not in self.kinds:
            # A system's files may hold kinds of their own, which stay as they are written.
            known = sorted({*self.kinds, *(each for _, _, each in self.project.store.counts())})
            # A file whose kind cannot be read is of this one.
            if kind not in (*known, "unknown"):
                raise BadRequest(
                    f"{one_line(kind, 60)!r} is not a kind; expected one of {', '.join(known)}.", field="kind"
                )
        phases = (phase,) if phase else () if all or state else ("pending", "live", "held")
        return [row.memory for row in self.project.store.find(phases=phases, state=state, kind=kind)]

    def runs(self) -> int:
        """Return how many runs the store has seen; a memory's `run_mark` is the count at which it was seen last."""
        return self.project.store.activity.runs()

    def history(self, id: str) -> list[Recorded]:
        """Return what happened to a memory, oldest first; also for one that was forgotten."""
        for layer, beside in self.project.layers.items() if self.project.told(id) else ():
            if id.startswith(layer) and (found := beside.history(id.removeprefix(layer))):
                return found
        store = self.project.store
        return store.history(id) or store.history(self.project.resolve(id))

    def why(self, id: str) -> Why:
        """Return whether a memory may be injected and what it still needs for its next state."""
        from tenure.usecases import inspection

        return inspection.why(self.project, id)

    def team_memories(self) -> list[SharedMemory]:
        """Return what the team shares in this worktree, with who let each file in, as its last commit claims."""
        if not self.project.has_ours:
            return []
        from tenure.usecases import team_review

        return team_review.memories(self.project)

    def reviewed(self, id: str) -> list[Reviewed]:
        """Return the commits that changed a team memory's file, newest first, with whose signature each has."""
        if not id.startswith(OURS_LAYER):
            return []
        from tenure.usecases import team_review

        return team_review.of_file(self.project, id)

    def dossiers(self, ids: Sequence[str]) -> list[Dossier]:
        """Return what somebody needs who is to decide about these memories; what is not there is left out."""
        from tenure.usecases import dossier

        return dossier.dossiers(self.project, ids)

    def browse(
        self,
        *,
        limit: int = 50,
        phase: str = "",
        state: str = "",
        kind: str = "",
        scope: str = "",
        file: str = "",
        text: str = "",
        sort: str = "newest",
        after: str = "",
    ) -> MemoryPage:
        """Return one page of the memories that fit all that is given; `after` is the `next` of the page before."""
        from tenure.usecases import overview

        return overview.browse(
            self.project,
            limit=limit,
            phase=phase,
            state=state,
            kind=kind,
            scope=scope,
            file=file,
            text=text,
            sort=sort,
            after=after,
        )

    def totals(self) -> Totals:
        """Return how many memories there are, by state and by kind; cheaper than `status`."""
        from tenure.usecases import overview

        return overview.totals(self.project)

    def ledger(
        self, *, limit: int = 50, before: int | None = None, type: str = "", id: str = "", actor: str = ""
    ) -> LedgerPage:
        """Return one page of everything that happened, newest first."""
        from tenure.usecases import overview

        return overview.ledger(self.project, limit=limit, before=before, type=type, id=id, actor=actor)

    def trend(self, weeks: int = 12) -> Trend:
        """Return the store by week: memories by phase, what was born, promoted, decayed and decided."""
        from tenure.usecases import overview

        return overview.trend(self.project, weeks)

    def contradictions(self, limit: int = 50) -> list[Contradiction]:
        """Return the pairs of memories that give opposite advice, each once, where neither is gone."""
        from tenure.usecases import overview

        return overview.contradictions(self.project, limit)

    def reconcile(self, left: str, right: str, *, by: str, reason: str) -> Written:
        """Let two memories that seemed to contradict each other both stand, and return the first."""
        from tenure.usecases import keep_both

        return keep_both.keep_both(self.project, self.system, left, right, by=by, reason=reason)

    def sessions(self, limit: int = 30) -> list[SessionSeen]:
        """Return the last sessions of agents: what each was shown, what was held back, and what came of it."""
        from tenure.usecases import overview

        return overview.sessions(self.project, limit)

    def preview(self, query: str) -> Injection:
        """Return what would be shown for a query by Tenure's own rules, without noting that anything was."""
        from tenure.usecases import inject

        return inject.preview(self.project, query)

    def search(self, query: str, *, limit: int = 10, all: bool = False, texts: str = "memories") -> list[Hit]:
        """Return the memories that answer a query, best first; `texts` is "transcripts" for stored conversations."""
        from tenure.usecases import search

        return search.search(self.project, query, limit=limit, all=all, texts=texts)

    def explain(self, query: str) -> Explained:
        """Return how a query is read: the words looked up, those left out, and the silence threshold."""
        from tenure.usecases import search

        return search.explain(self.project, query)

    def inject(
        self,
        query: str = "",
        *,
        task: str = "",
        agent: str = "",
        domain: str = "",
        files: Sequence[str] = (),
        limit: int | None = None,
        budget_chars: int | None = None,
        run: str = "",
    ) -> Injection:
        """Return what an agent should be shown for a query or task, within the budget, and remember that it was.

        None leaves a limit to the policy.
        """
        from tenure.usecases import inject
        from tenure.usecases.answers.found import InjectRequest

        request = InjectRequest(
            query=query,
            task=task,
            agent=agent,
            domain=domain,
            files=files,
            limit=limit,
            budget_chars=budget_chars,
            run=run,
        )
        return inject.answer(self.project, self.system, request)

    def replay(self, number: int | None = None) -> Replay | None:
        """Return an injection as it was shown and what happened since; without a number the last, None when none was.

        What was erased since does not come back.
        """
        from tenure.usecases import replay

        return replay.replay(self.project, self.system, number)

    def injections(self, *, limit: int = 20, run: str = "", task: str = "", agent: str = "") -> list[Listed]:
        """Return the newest injections: number, time, run, task, agent, query and how many memories were shown."""
        from tenure.usecases import inspection

        return inspection.injections(self.project, limit=limit, run=run, task=task, agent=agent)

    def injections_of(self, id: str) -> list[PastInjection]:
        """Return the last injections a memory was shown in, newest first; also for one that was forgotten."""
        from tenure.usecases import inspection

        return inspection.injections_of(self.project, id)

    def scores(self, id: str, limit: int = 20) -> list[Scored]:
        """Return the last injections a memory stood in, newest first, each with its score taken apart."""
        from tenure.usecases import replay

        return replay.scores(self.project, id, limit)

    def check_claims(self, id: str) -> list[Claimed]:
        """Return what a memory says of the project, checked against its code and history, with repairs."""
        from tenure.usecases import dossier

        return dossier.check_claims(self.project, id)

    def status(self) -> Status:
        """Return counts by state, what is due, and sizes."""
        from tenure.usecases import inspection

        return inspection.status(self.project, self.system)

    def notices(self) -> Notices:
        """Return what a person should know of that is no damage: what came into use without them, and by what."""
        from tenure.usecases import notices

        return notices.notices(self.project)

    def elsewhere(self) -> str:
        """Say that this project had another store and how to get back to it; empty when all is as it was."""
        from tenure.usecases import other_store

        return other_store.elsewhere(self.project.place, self.project.store)

    def accept_place(self) -> None:
        """Keep that this store is meant, where a person seems to act."""
        from tenure.usecases import other_store, presence

        if presence.is_persons(self.project.actor):
            other_store.accept(self.project.place)

    def drafter(self) -> tuple[str, bool]:
        """Return what is to say of the drafter in the user's settings, and whether it waits for a person."""
        from tenure.usecases import agreed_drafter

        store = self.project.store
        return agreed_drafter.told(store), agreed_drafter.waits(store)

    def check(self, progress: Progress | None = None, paths: Sequence[str] = ()) -> list[Problem]:
        """Prove every row by folding the ledger, and files against their schemas; return what does not hold."""
        from tenure.usecases import inspection

        return inspection.check(self.project, self.system, progress, paths)

    def rebuild(self) -> int:
        """Make the index and all else anew that follows from the rows; return how many memories it holds."""
        from tenure.usecases import sweep

        return sweep.rebuild(self.project)

    def keep_head(self) -> None:
        """Keep in the user's folder how far the store has come, so that an old copy put back is noticed."""
        self.project.keep_head()

    @property
    def older(self) -> str:
        """That the database is an old copy which was put back; empty when it is not."""
        return self.project.older

    def erasure_pending(self) -> bool:
        """Whether something forgotten still stands in bytes that a reader held on to; `upkeep` finishes it."""
        return self.project.store.health.is_erasing()

    def words_only(self) -> str:
        """Return why recall goes by words alone, empty when memories are found by meaning too."""
        from tenure.usecases import embeddings

        return embeddings.problem() or embeddings.unprepared(self.project.store)

    def prompt_server(self) -> str:
        """Return how prompts are answered: by which running server, or by hooks alone."""
        from tenure.usecases import prompt_server

        return prompt_server.told(prompt_server.database(self.project.place))

    # Judging

    def queue(self) -> list[Waiting]:
        """Return what waits for a reviewer, and why."""
        from tenure.usecases import review_queue

        return review_queue.queue(self.project, self.system)

    def queue_page(self, start: int, limit: int, *, last: Collection[str] = ()) -> QueuePage:
        """Return some of what waits from a place on, counted from 0; `last` are ids put off to the end."""
        from tenure.usecases import review_queue

        return review_queue.page(self.project, self.system, start, limit, last)

    def waiting(self, ids: Sequence[str]) -> list[Waiting]:
        """Return those of the memories that wait for a reviewer."""
        from tenure.usecases import review_queue

        return review_queue.some(self.project, self.system, ids)

    def review(self, id: str, decision: str, *, by: str, rationale: str = "", successor: str = "") -> Written:
        """Give a verdict; it takes effect at once when everything else it needs is there."""
        from tenure.usecases import review

        return self._give(review.review, id=id, decision=decision, by=by, rationale=rationale, successor=successor)

    # Guards

    def propose_guard(self, id: str, guard: Guard | None = None) -> Written:
        """Give a memory a guard that waits for a person; without one, the one its words suggest."""
        from tenure.usecases import guard as guards

        return guards.propose(self.project, self.system, id, guard)

    def suggested_guard(self, id: str) -> Guard:
        """Return the guard a memory has, or the one its words suggest."""
        from tenure.usecases import guard as guards

        return guards.proposal(self.get(id))

    def confirm_guard(
        self,
        id: str,
        level: Level,
        *,
        guard: Guard | None = None,
        deny_now: bool = False,
        judged: Mapping[str, int] | None = None,
    ) -> Written:
        """Switch a guard on at a step of the ladder; needs a person, who may have judged fires of the past."""
        from tenure.usecases import guard as guards

        return guards.confirm(self.project, self.system, id, level, guard=guard, deny_now=deny_now, judged=judged)

    def guard_off(self, id: str) -> Written:
        """Switch a guard off; needs a person."""
        from tenure.usecases import guard as guards

        return guards.off(self.project, self.system, id)

    def judge_guard(self, id: str, verdict: str, *, fire: int = 0) -> Written:
        """Write down that a fire of a guard was right or wrong; needs a person."""
        from tenure.usecases import guard as guards

        return guards.judge(self.project, self.system, id, verdict, fire=fire)

    def allow(self, id: str, *, session: bool = False) -> GuardFire:
        """Let the last call that a guard stopped through once, or every call of its session; needs a person."""
        from tenure.usecases import guard as guards

        return guards.allow(self.project, id, session=session)

    def guard_of(self, id: str) -> GuardReport | None:
        """Return the guard of one memory with what came of it in the last days; None when it has none."""
        from tenure.usecases import guard as guards

        return guards.report_of(self.project, id)

    def guards(self) -> list[GuardReport]:
        """Return every guard with what came of it in the last days."""
        from tenure.usecases import guard as guards

        return guards.reports(self.project)

    def no_agent(self, act: str) -> None:
        """Let no agent do what only a person may; raise `NeedsPerson`."""
        self.project.no_agent(act)

    def may_silence(self, *, everywhere: bool = False) -> None:
        """Let no agent switch guards off by silencing hooks; raise `NeedsPerson`."""
        from tenure.usecases import guard as guards

        guards.may_silence(self.project, everywhere=everywhere)

    def try_guard(self, guard: Guard, *, days: int = 30, files: Sequence[Path] = ()) -> DryRun:
        """Return where a guard would have fired in the sessions agents have kept, and what followed."""
        from tenure.usecases import guard as guards

        return guards.dry_run(self.project, guard, days=days, files=files)

    def obeyed(self, *, days: int = 30, files: Sequence[Path] = ()) -> Obeyed:
        """Return which rules agents keep, read from the sessions they have kept of this project."""
        from tenure.usecases import obeyed

        return obeyed.obeyed(self.project, days=days, files=files)

    def promote(self, ids: Sequence[str] = (), *, mode: str = "inline", dry_run: bool = False) -> Promotions:
        """Promote what has earned it; return that, and what each of the others still needs."""
        from tenure.usecases import sweep

        return sweep.promote(self.project, self.system, ids, mode=mode, dry_run=dry_run)

    def log(
        self,
        id: str,
        effect: str,
        *,
        task: str = "",
        by: str = "",
        surface: str = "",
        contradiction: bool = False,
        notes: str = "",
    ) -> Written:
        """Record how using a memory turned out."""
        from tenure.usecases import review

        return self._give(
            review.log,
            id=id,
            effect_=effect,
            task=task,
            by=by,
            surface=surface,
            contradiction=contradiction,
            notes=notes,
        )

    def effect(self, id: str = "", *, sessions: bool = False) -> EffectReport:
        """Return whether memory helps here, of all memories or of one, as far as that is measured."""
        from tenure.usecases import effect

        return effect.report(self.project, id, sessions=sessions)

    def start_effect(self, *, stated: bool = False, block: bool = False) -> EffectReport:
        """Begin to hold memories back in some sessions, to learn whether they help.

        `stated` holds back what the person stated too, `block` everything in a few sessions.
        """
        from tenure.usecases import effect

        return effect.start(self.project, stated=stated, block=block)

    def stop_effect(self) -> EffectReport:
        """Hold nothing back any more; what was measured stays."""
        from tenure.usecases import effect

        return effect.stop(self.project)

    def held_back(self) -> frozenset[str]:
        """Return the ids that the sessions which go on in this project go without, to be told to no agent."""
        from tenure.usecases import holding

        return holding.held_back(self.project)

    def publish_effect(self, target: Path) -> Published:
        """Write the counts of what was measured, and no text, to a file."""
        from tenure.usecases import effect_pool

        return effect_pool.publish(self.project, target)

    # Letting go

    def decay(self, *, dry_run: bool = False, progress: Progress | None = None) -> Sweep:
        """Retire memories that expired or lost confidence, within the sweep's limit."""
        from tenure.usecases import sweep

        return sweep.decay(self.project, self.system, dry_run=dry_run, progress=progress)

    def upkeep(self, *, deep: bool = False, dry_run: bool = False, progress: Progress | None = None) -> Sweep:
        """Promote what is due, decay what is over, refresh stored verdicts; `deep` also checks claims."""
        from tenure.usecases import sweep

        return sweep.upkeep(self.project, self.system, deep=deep, dry_run=dry_run, progress=progress)

    def retire(self, id: str, *, reason: str) -> Written:
        """Take a memory out of use; it can be restored until its grace period ends."""
        from tenure.usecases import retire

        return self._give(retire.retire, id=id, reason=reason)

    def archive(self, id: str, *, reason: str = "") -> Written:
        """Archive a memory: kept for good, never shown."""
        from tenure.usecases import retire

        return self._give(retire.archive, id=id, reason=reason)

    def restore(self, id: str, *, only_from: str | None = None) -> Written:
        """Bring back a memory that is gone, to the state it had."""
        from tenure.usecases import retire

        return self._give(retire.restore, id=id, only_from=only_from)

    def supersede(self, old: str, new: str, *, actor: str = "user", reason: str = "") -> Written:
        """Let one memory take the place of another and return the one that is gone; both remember it."""
        from tenure.usecases import review

        return self._give(review.supersede, old=old, new=new, actor=actor, reason=reason)

    def undo(self, seq: int | None = None, *, whole: bool = False) -> Undone:
        """Reverse one ledger entry, all that was written with it, or what the person's last command did.

        What agents did since then is passed over and noted.
        """
        from tenure.usecases import undo

        return undo.undo(self.project, self.system, seq, whole=whole)

    def forget(self, id: str) -> Erased:
        """Erase a memory from every byte we own; only its id and the time remain."""
        from tenure.usecases import forget

        return forget.forget(self.project, id)

    def gc(self, *, dry_run: bool = False) -> Collected:
        """Remove retired memories whose grace period is over."""
        from tenure.usecases import forget

        return forget.collect(self.project, dry_run=dry_run)

    def scrub(self, *, dry_run: bool = False, progress: Progress | None = None) -> Scrubbed:
        """Search what is stored with today's rules for secrets, and erase what they find."""
        from tenure.usecases import scrub

        return scrub.scrub(self.project, dry_run=dry_run, progress=progress)

    # Moving

    def export(self, target: str, progress: Progress | None = None, *, source: str = "") -> Moved:
        """Write every memory with its history, without loss; with `source`, those that one person or session gave."""
        from tenure.usecases import move

        return move.export(self.project, self.system, target, progress, source=source)

    def import_(
        self, source: str, *, trusted: bool = False, dry_run: bool = False, progress: Progress | None = None
    ) -> Moved:
        """Read memories that `export` wrote; what this user did not export arrives as candidates unless trusted."""
        from tenure.usecases import move

        return move.import_(self.project, self.system, source, trusted=trusted, dry_run=dry_run, progress=progress)

    # Sharing

    def sync(self, address: str, *, name: str = "") -> Synced:
        """Bring this machine's memory together with that of the person's other machines, in a folder or `git:URL`."""
        from tenure.usecases import sync

        return sync.sync(self.project, address, name=name)

    def sharing(self) -> Sharing:
        """Return the team's files and which of them count here, what waits for trust, machines and the outbox."""
        from tenure.usecases import sharing

        return sharing.overview(self.project)

    def team_check(self, *, base: str = "") -> TeamCheck:
        """Return what is wrong with the team's files, for a pull request; with `base`, with those that differ."""
        from tenure.usecases import team_check

        return team_check.check(self.project, base=base)

    def refresh(self) -> None:
        """Bring what the team shares in files or a database in step on this machine; hooks read what comes of it."""
        self.project.refresh_ours()
        self.pull()

    def pull(self) -> PulledCopy | None:
        """Bring this machine's copy of a database in step; None where the memory is on this machine anyway."""
        from tenure.usecases import outbox, pulled

        if self.project.place.address and self.project.offline is None:
            outbox.send(self.project.place)
        return pulled.pull(self.project)

    def team_stats(self) -> TeamStats:
        """Return figures of a project in a team's database, and how far each copy has come."""
        from tenure.usecases import team_stats

        return team_stats.stats(self.project)

    @property
    def offline(self) -> str:
        """Why a team's database cannot be reached, so that this machine's copy answers; empty when it can."""
        return self.project.offline.why.message if self.project.offline is not None else ""

    def outbox(self) -> list[WaitingCommand]:
        """Return the commands that wait for a team's database, and those that it refused."""
        from tenure.usecases import outbox

        return outbox.commands(self.project.place)

    def send(self) -> SentCommands:
        """Send the commands that wait for a team's database."""
        from tenure.usecases import outbox

        return outbox.send(self.project.place)

    def send_again(self, key: str) -> SentCommands:
        """Send a command that was refused once more, whatever its memory says by now."""
        from tenure.usecases import outbox

        return outbox.again(self.project.place, key)

    def drop_command(self, key: str) -> WaitingCommand:
        """Take a command out of the outbox without sending it."""
        from tenure.usecases import outbox

        return outbox.drop(self.project.place, key)

    def share(
        self, ids: Sequence[str], *, commit: str = "", replace: bool = False, dry_run: bool = False
    ) -> SharedFiles:
        """Write memories as files of the team for the next commit; needs a person.

        `commit` names the commit that made them true; `replace` writes over what somebody edited since.
        """
        from tenure.usecases import share

        return share.share(self.project, ids, commit=commit, replace=replace, dry_run=dry_run)

    # Letting agents in

    @property
    def trusted(self) -> bool:
        """Whether agents may see this memory: it was made here, named by the user, or allowed with `trust`."""
        return self.project.trusted

    def trust(self) -> None:
        """Let agents see this memory and its project's settings count, although they may have come with a clone."""
        self.project.trust()

    def brought(self) -> list[Brought]:
        """Return what came with a commit and waits for `trust`, each with its difference from what counted."""
        from tenure.usecases import brought

        return brought.brought(self.project)

    def distrust(self) -> None:
        """Take the trust back; only somebody who is there may, because guards rest then."""
        if self.project.actor.is_agent or self.project.actor.detached:
            self.project.needs_person("trust --revoke")
        from tenure.usecases import project_trust

        project_trust.disallow(self.project.place)
        if self.project.ours is not None:
            from tenure.usecases import agreed_policy, team_agreed

            team_agreed.withdraw(self.project.place.project)
            agreed_policy.withdraw(project_trust.team_settings(self.project.place))
