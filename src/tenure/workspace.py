"""One project's memory, and everything that can be done with it.

This is the API that every surface uses, and the public one: `import tenure; ws = tenure.open()`. A method is one use
case; it reads, lets the rules decide, and writes one changeset.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import datetime
from pathlib import Path
from typing import Any

import msgspec

from tenure.capture.outcomes import Outcome
from tenure.files import trust
from tenure.model import clock
from tenure.model.actor import Actor, Kind, Presence
from tenure.model.errors import BadRequest, Conflict, Refused, StoreUnusable, Untrusted
from tenure.model.events import EventType, Recorded
from tenure.model.memory import Memory
from tenure.rules import transitions
from tenure.rules.consolidate import Decision
from tenure.rules.verdict import verdict
from tenure.store.opening import open_store
from tenure.systems import api as systems
from tenure.text.words import one_line
from tenure.usecases import (
    add,
    agreed_policy,
    capture,
    edit,
    embeddings,
    homes,
    inspection,
    intake,
    learn,
    locate,
    opening,
    outcomes,
    presence,
    project_trust,
    review,
    sweep,
    transfer,
    undo,
    verify_claims,
)
from tenure.usecases import forget as erasing
from tenure.usecases import inject as recalling
from tenure.usecases import replay as replaying
from tenure.usecases.batch import Batch
from tenure.usecases.inject_request import Injection, Occasion
from tenure.usecases.locate import Place

Progress = Callable[[int, int], None]
WITHHELD = "This memory came with the repository and is not trusted"


def open(
    store: str | None = None, folder: str | Path | None = None, *, agent: str = "", surface: str = "python"
) -> Workspace:
    """Return the workspace of a project: the store named, or the one the project has.

    `agent` names the surface an agent comes through. It stands in the ledger, and what is not trusted is refused.
    `surface` names the one a person or a program comes through.
    """
    try:
        where = Path(folder or ".").absolute()
    except FileNotFoundError:
        raise BadRequest("The current folder was removed.", hint="Go to a folder that exists.") from None
    return Workspace(locate.locate(store, where), agent=agent, surface=surface)


class Workspace:
    """One project's memory."""

    def __init__(self, place: Place, *, agent: str = "", surface: str = "python") -> None:
        if not systems.supports(place.scheme):
            raise StoreUnusable(
                f"This version of Tenure cannot work on {place.scheme} stores ({place.origin}).",
                hint="Use its own store with --store sqlite:.tenure/memory.db, or set TENURE_STORE to that.",
            )
        self.place, self.agent, self.surface = place, agent, surface
        self._actor: Actor | None = None
        self.notes: list[str] = []
        self._own = open_store(place.path, place.scheme) if place.native else None
        if agent and not self.trusted:
            # Before anything of it is read.
            raise Untrusted(
                "This project's memory came with the repository.", hint="The user can allow it: tenure trust"
            )
        # `ignored`: what the project's own settings ask for and does not count, because nobody here agreed to it.
        self.policy, self.settings, self.ignored = opening.policy(place, self._own, self.actor)
        self.system = systems.load(place, self.policy)
        self.store, notes = opening.store(place, self.system, self.policy, self._own)
        self.notes += notes
        if self._own and trust.keeps_heads():
            from tenure.usecases import heads  # start-up: only where something was ever kept

            with contextlib.suppress(StoreUnusable):  # told by whoever needs the store
                self.notes += heads.forget_again(self)

    def close(self) -> None:
        """Close the store; the next use opens it again."""
        self.store.close()

    def __enter__(self) -> Workspace:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    @property
    def actor(self) -> Actor:
        """Who acts here, as the ledger will say."""
        if self._actor is None:
            self._actor = presence.acting(self.surface, self.agent)
        return self._actor

    @property
    def why_ignored(self) -> str:
        """Why settings are not in force, as a predicate of their file."""
        known = self.ignored and agreed_policy.is_known(self.ignored[0].origin)
        return "changed since you agreed to it" if known else "came with the repository"

    def needs_person(self, act: str) -> None:
        """Go on only with a person there, who is asked on their terminal; raise `NeedsPerson` otherwise."""
        self._actor = presence.proved(self.actor, act, project_trust.homes(self.store))

    # Writing down

    def add(self, text: str, **fields: Any) -> Memory:
        """Write down what the user states; a repetition of a memory strengthens that one."""
        with self.changing() as batch:
            memory, notes = add.add(batch, text, **fields)
        self.notes += notes
        return memory

    def remember(self, text: str, *, quote: str, same_as: str = "", **fields: Any) -> Memory:
        """Write down what an agent proposes; live at once when the person typed the quote in this session.

        Raises `Refused` when a session is there to look at and does not hold the quote.
        """
        from tenure.usecases import remember  # start-up: only a quote needs sessions to be read

        kept = remember.remember(self, text, quote=quote, same_as=same_as, **fields)
        self.notes += kept.problems
        return kept.memory

    def capture(self, proposed: Sequence[Mapping[str, Any]], *, run: str = "", dry_run: bool = False) -> list[Decision]:
        """Consolidate proposals into memories, and return what became of each."""
        with self.changing(dry_run=dry_run) as batch:
            decisions, notes = capture.capture(batch, proposed, run=run)
        self.notes += notes
        return decisions

    def capture_files(
        self, paths: Sequence[str], *, run: str = "", task: str = "", keep_going: bool = False, dry_run: bool = False
    ) -> dict[str, Any]:
        """Learn from files: proposals as JSON Lines, or whatever the store's own system writes."""
        return self.system.capture(self, paths, run=run, task=task, keep_going=keep_going, dry_run=dry_run)

    def learn(self, *, session: str, host: str, transcript: str, **options: Any) -> dict[str, Any]:
        """Learn from one session of an agent: rules the person stated, outcomes of memories that were cited."""
        return learn.learn(self, session=session, host=host, transcript=transcript, **options)

    def learn_past(self, agent: str, since: datetime, **options: Any) -> dict[str, Any]:
        """Learn from the sessions an agent still has of this project."""
        return learn.learn_past(self, agent, since, **options)

    def outcomes(self, found: Sequence[Outcome], *, session: str, by: str) -> list[Memory]:
        """Record what came of memories in a session, each once; return those that changed."""
        with self.changing(makes=False) as batch:
            return outcomes.record(batch, found, session=session, by=by)

    def edit(self, id: str, *, expected_version: int | None = None, **fields: Any) -> Memory:
        """Change a memory's title, text, content, tags or files within the write protections."""
        return self._change(
            id,
            lambda batch, memory: edit.edit(batch, memory, self.place.project, fields),
            expected_version,
        )

    # Looking

    def get(self, id: str) -> Memory:
        """Return a memory by its id or an unambiguous beginning of it."""
        row = self.store.get(self.resolve(id))
        assert row is not None
        return row.memory

    def version(self, id: str) -> int:
        """Return the version of a memory, to name in a later change."""
        row = self.store.get(self.resolve(id))
        assert row is not None
        return row.version

    def memories(self, *, state: str = "", phase: str = "", kind: str = "", all: bool = False) -> list[Memory]:
        """Return memories in the order they were written; what is gone only with `all`, or when asked for by state."""
        if state and state not in self.policy.states:
            raise BadRequest(
                f"{one_line(state, 60)!r} is not a state; expected one of {', '.join(self.policy.states)}.",
                field="state",
            )
        phases = (phase,) if phase else () if all or state else ("pending", "live", "held")
        return [row.memory for row in self.store.find(phases=phases, state=state, kind=kind)]

    def history(self, id: str) -> list[Recorded]:
        """Return what happened to a memory, oldest first; also for one that was forgotten."""
        events = self.store.history(id)
        return events or self.store.history(self.resolve(id))

    def why(self, id: str) -> inspection.Why:
        """Return whether a memory may be injected and what it still needs for its next state."""
        return inspection.why(self.get(id), self.policy, self.now(), self.store)

    def search(self, query: str, *, limit: int = 10, all: bool = False, texts: str = "memories") -> list[recalling.Hit]:
        """Return the memories that answer a query, best first; `texts` is "transcripts" for stored conversations."""
        return recalling.search(self.store, query, self.policy, self.now(), limit=limit, all=all, texts=texts)

    def explain(self, query: str) -> dict[str, Any]:
        """Return how a query is read: the words looked up, those left out, and the point of silence."""
        return recalling.explained(self.store, self.store.search(query, 0).query, self.policy)

    def inject(self, query: str = "", **options: Any) -> Injection:
        """Return what an agent should be shown for a query or task, within the budget, and remember that it was.

        Options are the fields of `Occasion`: task, agent, domain, files, limit, budget_chars, run.
        """
        if project_trust.withheld(self.place, self._own):
            return self._withheld()
        found = self.system.inject(self, Occasion(query=query, **options))
        if not found.traced:
            self.notes.append("The store cannot be written, so this injection is not remembered.")
        return found

    def replay(self, number: int | None = None) -> replaying.Replay | None:
        """Return an injection as it was shown and what happened since; without a number the last, None when none was.

        What was erased since does not come back.
        """
        return replaying.replay(self, number)

    def injections(self, *, limit: int = 20, run: str = "", task: str = "", agent: str = "") -> list[dict[str, Any]]:
        """Return the newest injections: number, time, run, task, agent, query and how many memories were shown."""
        found = self.store.activity.shown(limit, run=run, task=task, agent=agent)
        return [{**shown.facts(), "memories": len(shown.ids)} for shown in found]

    def shown(self, id: str, limit: int = 50) -> list[dict[str, Any]]:
        """Return when a memory was shown to an agent, newest first."""
        return [shown.facts() for shown in self.store.activity.shown(limit, id=id)]

    def _withheld(self) -> Injection:
        """Return nothing, and which memories that concerns: they came with the repository."""
        self.notes.append(f"{WITHHELD}, so none of it is shown to agents. Look with `tenure list`, then: tenure trust")
        live = [{"id": row.memory.id, "why": WITHHELD} for row in self.store.find(phases=("live",))]
        return Injection(block="", memories=[], suppressed=live, traced=True)

    def status(self) -> dict[str, Any]:
        """Return counts by state, what is due, and sizes."""
        older = self.older
        found = inspection.status(self.store, self.place, self.policy, self.now())
        return {**found, "older": older} if older else found

    def check(self, progress: Progress | None = None, paths: Sequence[str] = ()) -> list[dict[str, str]]:
        """Prove every row by folding the ledger, and files against their schemas; return what does not hold."""
        if paths:
            return systems.check_paths(self, paths)
        problems = [*self.system.check(self, ()), *inspection.check(self.store, self.policy, progress)]
        if older := self.older:
            problems.append({"path": self.store.place, "field": "ledger", "message": older})
        elif not problems:
            self.keep_head()
        return problems

    def rebuild(self) -> int:
        """Make the index and all else anew that follows from the rows; return how many memories it holds."""
        return self.store.health.rebuild(lambda memory: verdict(memory, self.policy))

    # Judging

    def queue(self) -> list[dict[str, Any]]:
        """Return what waits for a reviewer, and why."""
        return [
            *inspection.queue(self.store, self.policy, self.now(), self.system.reviewer),
            *self.system.waiting(self),
        ]

    def review(self, id: str, decision: str, *, by: str, rationale: str = "", successor: str = "") -> Memory:
        """Give a verdict; it takes effect at once when everything else it needs is there."""
        memory = self.get(id)
        if not self.system.agents_judge:
            self.needs_person("review")
        by = self.system.entitled(memory, decision, one_line(intake.safe(by), 100), self.policy)
        if decision == "supersede":
            return self.supersede(id, review.successor_of(successor), actor=by, reason=rationale, decision=decision)
        refused: list[str] = []
        after = self._change(id, review.verdict(decision, by=by, rationale=intake.safe(rationale), refused=refused))
        if refused:
            # What the rule decided instead stands; the reviewer still hears no.
            raise Refused(refused[0], hint=f"`tenure history {after.id}` shows why.")
        return after

    def promote(
        self, ids: Sequence[str] = (), *, mode: str = "inline", dry_run: bool = False
    ) -> tuple[list[dict[str, str]], list[dict[str, Any]]]:
        """Promote what has earned it; return that, and what each of the others still needs."""
        with self.changing(dry_run=dry_run, makes=False) as batch:
            chosen = [self.resolve(id) for id in ids]
            self.notes += self.system.promoting(batch, chosen, mode)
            return sweep.promote(batch, chosen, mode)

    def log(
        self,
        id: str,
        effect_: str,
        *,
        task: str = "",
        by: str = "",
        surface: str = "",
        contradiction: bool = False,
        notes: str = "",
    ) -> Memory:
        """Record what came of using a memory."""
        use = systems.Usage(
            effect=effect_,
            task=one_line(intake.safe(task), 200),
            by=one_line(intake.safe(by), 100),
            surface=one_line(intake.safe(surface), 60),
            contradiction=contradiction,
        )
        return self._change(
            id,
            review.use(self.system.usage(use), notes=intake.safe(notes), is_persons=presence.is_persons(self.actor)),
        )

    # Letting go

    def decay(self, *, dry_run: bool = False, progress: Progress | None = None) -> sweep.Sweep:
        """Let go of what lost its place, within the sweep's limit."""
        with self.changing(dry_run=dry_run, makes=False) as batch:
            return sweep.decay(batch, progress)

    def upkeep(self, *, deep: bool = False, dry_run: bool = False, progress: Progress | None = None) -> sweep.Sweep:
        """Promote what is due, decay what is over, refresh stored verdicts; `deep` also checks claims."""
        report = verify_claims.look(self.place, progress) if deep else None
        with self.changing(dry_run=dry_run, makes=False) as batch:
            self.notes += verify_claims.verify(batch, report) if report else []
            self.notes += self.system.promoting(batch, (), self.policy.promotion.upkeep_mode)
            result = sweep.upkeep(batch, progress)
        if not dry_run and self.store.exists:
            if self.store.health.needs_rebuild():
                self.rebuild()
            embeddings.embed(self.store, progress=progress)
            recalling.calibrate(self.store, self.policy, self.now())
            self.store.health.finish_erasing()
            self.keep_head()
        return result

    def retire(self, id: str, *, reason: str) -> Memory:
        """Take a memory out of use; it can be restored until its grace period ends."""
        with self.store.health.despite_a_full_disk() as do:
            return do(lambda: self._leave(id, EventType.RETIRED, reason))

    def archive(self, id: str, *, reason: str = "") -> Memory:
        """Put a memory aside for good, and keep it."""
        return self._leave(id, EventType.ARCHIVED, reason)

    def restore(self, id: str, *, only_from: str | None = None) -> Memory:
        """Bring back a memory that is gone, to the state it had."""
        return self._change(
            id,
            lambda batch, memory: batch.record(
                memory,
                transitions.restore(
                    memory,
                    self.policy,
                    batch.now,
                    only_from=only_from,
                    runs_now=self.store.activity.runs(),
                    actor="user",
                    set=self.system.restored(batch, memory) | review.as_spoken(batch, memory),
                ),
            ),
        )

    def supersede(self, old: str, new: str, *, actor: str = "user", reason: str = "", decision: str = "") -> Memory:
        """Let one memory take the place of another; both remember it."""
        with self.changing(makes=False) as batch:
            return review.supersede(
                batch, self.resolve(old), self.resolve(new), actor=actor, reason=intake.safe(reason), decision=decision
            )

    def undo(self, seq: int | None = None, *, whole: bool = False) -> list[Recorded]:
        """Reverse one ledger entry, all that was written with it, or what the person's last command did.

        Returns what was reversed; what agents did since then is passed over and noted.
        """
        with self.changing(makes=False) as batch:
            found = undo.undo(batch, seq, whole=whole)
        for entry, via, changes in found.skipped:
            said = f"{changes} change{'s' * (changes > 1)} made through {via} since then stand"
            self.notes.append(f"{said}; take them back with: tenure undo {entry} --batch")
        return found.entries

    def forget(self, id: str) -> erasing.Erased:
        """Erase a memory from every byte we own; only its id and the time remain."""
        self.needs_person("forget")
        erased = erasing.forget(self, self.resolve(id))
        self.keep_head()
        return erased

    def gc(self, *, dry_run: bool = False) -> tuple[list[str], int]:
        """Remove retired memories whose grace period is over; return them and how many retired ones stay."""
        return erasing.collect(self, dry_run=dry_run)

    # Moving

    def export(self, target: str, progress: Progress | None = None) -> dict[str, Any]:
        """Write every memory with its history, without loss."""
        if transfer.is_store(target):
            with Workspace(locate.named(target, Path.cwd())) as other, other.changing() as batch:
                return {**transfer.move(self, batch, self.place.url), "target": target}
        return transfer.export(self.store, target, progress)

    def import_(
        self, source: str, *, trusted: bool = False, dry_run: bool = False, progress: Progress | None = None
    ) -> dict[str, Any]:
        """Read memories that `export` wrote; what this user did not export arrives as candidates unless trusted."""
        if transfer.is_store(source):
            with Workspace(locate.named(source, Path.cwd())) as other, self.changing(dry_run=dry_run) as batch:
                return transfer.move(other, batch, other.place.url)
        if trusted:
            self.needs_person("import --trust")
        with transfer.reading(source) as file, self.changing(dry_run=dry_run) as batch:
            return transfer.import_(batch, source, file, trusted=trusted, progress=progress)

    # Letting agents in

    @property
    def trusted(self) -> bool:
        """Whether agents may see this memory: it was made here, named by the user, or allowed with `trust`."""
        return project_trust.trusted(self.place, self._own)

    def trust(self) -> None:
        """Let agents see this memory and its project's settings count, although they may have come with a clone."""
        # An unattended home may show itself what it likes; that gives it no say in somebody else's store.
        if self.actor.presence is not Presence.UNATTENDED:
            self.needs_person("trust")
            project_trust.remember_home(self.store, self.actor.home)
        opening.agree(self.place)
        project_trust.allow(self.place, self._own)
        self.keep_head(accept=True)

    def distrust(self) -> None:
        """Take the trust back."""
        project_trust.disallow(self.place)

    # How the above work

    def keep_head(self, *, accept: bool = False) -> None:
        """Keep in the user's folder how far the store has come, so that an old copy put back is noticed."""
        if self._own:
            from tenure.usecases import heads  # start-up: most commands do not ask

            heads.keep(self._own, accept=accept)

    @property
    def older(self) -> str:
        """That the database is an old copy which was put back; empty when it is not."""
        if self._own is None or not trust.keeps_heads():
            return ""
        from tenure.usecases import heads  # start-up: most commands do not ask

        return heads.behind(self._own)

    @staticmethod
    def now() -> datetime:
        """Return the time this command works with."""
        return clock.now()

    @contextlib.contextmanager
    def changing(self, *, dry_run: bool = False, makes: bool = True) -> Iterator[Batch]:
        """Hold the store, hand out a batch, commit it at the end; a dry run takes everything back.

        With `makes` off, and in a dry run, a store that is not there is not made.
        """
        # A store that is made here is ours; one that was there before might have come with the repository.
        made_here = self.system.files is None and not self.place.path.exists()
        made_here = made_here and str(project_trust.settings(self.place)) not in {each.origin for each in self.ignored}
        # The first memory of a folder that was empty makes its companion here.
        made_companion = self.system.files is not None and not self.store.exists
        if not self.actor.home and not dry_run:
            self._actor = msgspec.structs.replace(self.actor, home=homes.current().id)
        try:
            with self.store.writing(makes=makes and not dry_run):
                via = self.agent or (f"{self.surface} in {self.actor.host}" if self.actor.is_agent else "")
                batch = Batch(self.store, self.policy, self.now(), self.system, actor=self.actor, via=via)
                yield batch
                batch.write()
                recalling.keep_limits(self.store, self.policy)
                if dry_run:
                    raise _DryRun
            self.notes += self.system.said()
        except _DryRun:
            pass
        finally:
            # Also when the command failed: a store that it made is still ours.
            self._claim(made_here, made_companion)

    def _claim(self, made_here: bool, made_companion: bool) -> None:
        """Let a store that was made here know this home, and agents see it."""
        with contextlib.suppress(OSError, StoreUnusable):
            self._adopt()
            if made_companion or (made_here and self.place.path.exists()):
                project_trust.remember_home(self.store, self.actor.home)
            if made_here and self.place.path.exists():
                project_trust.allow(self.place, self._own)

    def _adopt(self) -> None:
        """Let a store from before homes were remembered know this one, where a person works and it is trusted."""
        if project_trust.homes(self.store) == (project_trust.UNKNOWN,) and not self.actor.present and not self.agent:
            with contextlib.suppress(OSError, StoreUnusable):
                if self.actor.kind is Kind.PERSON and self.trusted:
                    project_trust.remember_home(self.store, self.actor.home)

    def resolve(self, id: str) -> str:
        """Return the full id that an id or its beginning names."""
        return inspection.named(self.store, id)

    def _leave(self, id: str, type: EventType, reason: str) -> Memory:
        said = intake.safe(reason)
        return self._change(
            id,
            lambda batch, memory: batch.record(
                memory, transitions.leave(memory, type, self.policy, batch.now, reason=said, actor="user")
            ),
        )

    def _change(
        self, id: str, rule: Callable[[Batch, Memory], Memory | None], expected_version: int | None = None
    ) -> Memory:
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


class _DryRun(Exception):
    """Carries a dry run out of its transaction."""
