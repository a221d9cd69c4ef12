"""What can be read of a project's memory, and what agents are shown of it.

Nothing here changes a memory; `inject` notes what was shown.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from tenure import usecases
from tenure.files import locate
from tenure.model.errors import BadRequest
from tenure.text.words import one_line

if TYPE_CHECKING:
    from tenure.model.events import Recorded
    from tenure.model.guard import Guard
    from tenure.model.memory import Memory
    from tenure.systems.api import System
    from tenure.usecases.answers import Problem, Progress
    from tenure.usecases.answers.effects import EffectReport
    from tenure.usecases.answers.found import Explained, Hit, Injection, Listed, PastInjection, Replay, Scored
    from tenure.usecases.answers.guards import DryRun, GuardReport, Obeyed
    from tenure.usecases.answers.looked import Claimed, Dossier, Notices, QueuePage, Status, Waiting, Why
    from tenure.usecases.answers.whole_store import Contradiction, LedgerPage, MemoryPage, SessionSeen, Totals, Trend
    from tenure.usecases.project import Project


class ReadingMethods:
    """The methods of a workspace that read."""

    project: Project
    system: System

    # Memories

    def get(self, id: str) -> Memory:
        """Return a memory by its id or an unambiguous beginning of it; `ours/…` and `user/…` name other layers."""
        row = self.project.from_other_layer(id) or self.project.store.get(self.project.resolve(id))
        assert row is not None
        return row.memory

    def version(self, id: str) -> int:
        """Return the version of a memory, to name in a later change."""
        row = self.project.from_other_layer(id) or self.project.store.get(self.project.resolve(id))
        assert row is not None
        return row.version

    def memories(self, *, state: str = "", phase: str = "", kind: str = "", all: bool = False) -> list[Memory]:
        """Return memories in the order they were written; what is gone only with `all`, or when asked for by state."""
        states = self.project.policy.states
        if state and state not in states:
            raise BadRequest(
                f"{one_line(state, 60)!r} is not a state; expected one of {', '.join(states)}.", field="state"
            )
        if kind and kind not in self.system.kinds:
            # A system's files may hold kinds of their own, which stay as they are written.
            known = sorted({*self.system.kinds, *(each for _, _, each in self.project.store.counts())})
            # A file whose kind cannot be read is of this one.
            if kind not in (*known, "unknown"):
                raise BadRequest(
                    f"{one_line(kind, 60)!r} is not a kind; expected one of {', '.join(known)}.", field="kind"
                )
        phases = (phase,) if phase else () if all or state else ("pending", "live", "held")
        return [row.memory for row in self.project.store.find(phases=phases, state=state, kind=kind)]

    def history(self, id: str) -> list[Recorded]:
        """Return what happened to a memory, oldest first; also for one that was forgotten."""
        for layer, beside in self.project.layers.items() if self.project.from_other_layer(id) else ():
            if id.startswith(layer) and (found := beside.history(id.removeprefix(layer))):
                return found
        store = self.project.store
        return store.history(id) or store.history(self.project.resolve(id))

    def runs(self) -> int:
        """Return how many runs the store has seen; a memory's `run_mark` is the count at which it was seen last."""
        return self.project.store.runs()

    def why(self, id: str) -> Why:
        """Return whether a memory may be injected and what it still needs for its next state."""
        return usecases.inspection.why(self.project, id)

    def dossiers(self, ids: Sequence[str]) -> list[Dossier]:
        """Return what somebody needs who is to decide about these memories; what is not there is left out."""
        return usecases.dossier.dossiers(self.project, ids)

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
        return usecases.overview.browse(
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
        return usecases.overview.totals(self.project)

    def ledger(
        self, *, limit: int = 50, before: int | None = None, type: str = "", id: str = "", actor: str = ""
    ) -> LedgerPage:
        """Return one page of everything that happened, newest first."""
        return usecases.overview.ledger(self.project, limit=limit, before=before, type=type, id=id, actor=actor)

    def trend(self, weeks: int = 12) -> Trend:
        """Return the store by week: memories by phase, what was born, promoted, decayed and decided."""
        return usecases.overview.trend(self.project, weeks)

    def contradictions(self, limit: int = 50) -> list[Contradiction]:
        """Return the pairs of memories that give opposite advice, each once, where neither is gone."""
        return usecases.overview.contradictions(self.project, limit)

    def sessions(self, limit: int = 30) -> list[SessionSeen]:
        """Return the last sessions of agents: what each was shown, what was held back, and what came of it."""
        return usecases.overview.sessions(self.project, limit)

    # What agents are shown

    def search(self, query: str, *, limit: int = 10, all: bool = False, texts: str = "memories") -> list[Hit]:
        """Return the memories that answer a query, best first; `texts` is "transcripts" for stored conversations."""
        return usecases.search.search(self.project, query, limit=limit, all=all, texts=texts)

    def explain(self, query: str) -> Explained:
        """Return how a query is read: the words looked up, those left out, and the silence threshold."""
        return usecases.search.explain(self.project, query)

    def preview(self, query: str) -> Injection:
        """Return what would be shown for a query by Tenure's own rules, without noting that anything was."""
        return usecases.inject.preview(self.project, query)

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
        return usecases.inject.answer(self.project, self.system, request)

    def replay(self, number: int | None = None) -> Replay | None:
        """Return an injection as it was shown and what happened since; without a number the last, None when none was.

        What was erased since does not come back.
        """
        return usecases.replay.replay(self.project, self.system, number)

    def injections(self, *, limit: int = 20, run: str = "", task: str = "", agent: str = "") -> list[Listed]:
        """Return the newest injections: number, time, run, task, agent, query and how many memories were shown."""
        return usecases.inspection.injections(self.project, limit=limit, run=run, task=task, agent=agent)

    def injections_of(self, id: str) -> list[PastInjection]:
        """Return the last injections a memory was shown in, newest first; also for one that was forgotten."""
        return usecases.inspection.injections_of(self.project, id)

    def scores(self, id: str, limit: int = 20) -> list[Scored]:
        """Return the last injections a memory was in, newest first, each with its score taken apart."""
        return usecases.replay.scores(self.project, id, limit)

    # What waits for a person

    def queue(self) -> list[Waiting]:
        """Return what waits for a reviewer, and why."""
        return usecases.review_queue.queue(self.project, self.system)

    def queue_page(self, start: int, limit: int, *, last: Collection[str] = ()) -> QueuePage:
        """Return some of what waits from a place on, counted from 0; `last` are ids put off to the end."""
        return usecases.review_queue.page(self.project, self.system, start, limit, last)

    def waiting(self, ids: Sequence[str]) -> list[Waiting]:
        """Return those of the memories that wait for a reviewer."""
        return usecases.review_queue.some(self.project, self.system, ids)

    # Guards and effects

    def guards(self) -> list[GuardReport]:
        """Return every guard with what came of it in the last days."""
        return usecases.guard.reports(self.project)

    def guard_of(self, id: str) -> GuardReport | None:
        """Return the guard of one memory with what came of it in the last days; None when it has none."""
        return usecases.guard.report_of(self.project, id)

    def suggested_guard(self, id: str) -> Guard:
        """Return the guard a memory has, or the one its words suggest."""
        return usecases.guard.proposal(self.get(id))

    def unchecked_condition(self, id: str) -> str:
        """Return the words of a memory that narrow its rule and that the guard read off them does not check."""
        return usecases.guard.unchecked_condition(self.get(id))

    def try_guard(self, guard: Guard, *, days: int = 30, files: Sequence[Path] = ()) -> DryRun:
        """Return where a guard would have fired in the sessions agents have kept, and what followed."""
        return usecases.guard.dry_run(self.project, guard, days=days, files=files)

    def obeyed(self, *, days: int = 30, files: Sequence[Path] = ()) -> Obeyed:
        """Return which rules agents keep, read from the sessions they have kept of this project."""
        return usecases.obeyed.obeyed(self.project, days=days, files=files)

    def effect(self, id: str = "", *, sessions: bool = False) -> EffectReport:
        """Return whether memory helps here, of all memories or of one, as far as that is measured."""
        return usecases.effect.report(self.project, id, sessions=sessions)

    def held_back(self) -> frozenset[str]:
        """Return the ids held back in the sessions in progress in this project; no agent may be shown them."""
        return usecases.held_back.held_back(self.project)

    # Health

    def status(self) -> Status:
        """Return counts by state, what is due, and sizes."""
        return usecases.inspection.status(self.project, self.system)

    def notices(self) -> Notices:
        """Return what a person should know of that is no damage: what came into use without them, and by what."""
        return usecases.notices.notices(self.project)

    def elsewhere(self) -> str:
        """Say that this project had another store and how to get back to it; empty when all is as it was."""
        return usecases.other_store.elsewhere(self.project.place, self.project.store)

    def above(self) -> str:
        """Say that a folder above has memory and how to use it; empty where this one has some or is in a repository."""
        return locate.memory_above(self.project.place)

    def withheld(self) -> str:
        """Say that nothing of this memory is shown to agents, why, and what to do; empty where it is shown."""
        return self.project.withheld_notice if self.project.store.exists else ""

    def drafter(self) -> tuple[str, bool]:
        """Return what is to say of the drafter in the user's settings, and whether it waits for a person."""
        store = self.project.store
        return usecases.agreed_drafter.description(store), usecases.agreed_drafter.waits(store)

    def check(self, progress: Progress | None = None, paths: Sequence[str] = ()) -> list[Problem]:
        """Prove every row by folding the ledger, and files against their schemas; return what does not hold."""
        return usecases.inspection.check(self.project, self.system, progress, paths)

    def check_claims(self, id: str) -> list[Claimed]:
        """Return what a memory says of the project, checked against its code and history, with repairs."""
        return usecases.dossier.check_claims(self.project, id)

    @property
    def older(self) -> str:
        """That the database is an old copy which was put back; empty when it is not."""
        return self.project.older

    def erasure_pending(self) -> bool:
        """Whether something forgotten is still in bytes that a reader held on to; `upkeep` finishes it."""
        return self.project.store.health.is_erasing()

    def words_only(self) -> str:
        """Return why recall uses words alone, empty when memories are found by meaning too."""
        return usecases.embeddings.problem() or usecases.embeddings.unprepared(self.project.store)

    def without_vector(self) -> int:
        """Return how many memories are not found by meaning yet: the next upkeep makes their vectors."""
        return usecases.embeddings.without_vector(self.project.store)

    def prompt_server(self) -> str:
        """Return how prompts are answered: by which running server, or by hooks alone."""
        return usecases.prompt_server.description(usecases.prompt_server.database(self.project.place))
