"""`promote`, `decay` and `upkeep`: changes to many memories, with a limit and a reason per line.

`upkeep --deep` also checks what memories claim against the project. What holds is recorded as verified, which is the
strongest sign of freshness. What is broken is only reported: a missing file is a reason to look, and a person decides
whether the memory is wrong or the file was renamed.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from tenure.model.events import Event, EventType
from tenure.model.evolve import change
from tenure.model.memory import Memory
from tenure.rules import promote as ladder
from tenure.rules.stored_verdict import verdict
from tenure.systems.api import System
from tenure.usecases.answers import Progress
from tenure.usecases.answers.changed import Promoted, Promotions, Sweep, SweepChange, Unpromoted
from tenure.usecases.batch import Batch
from tenure.usecases.project import Project

if TYPE_CHECKING:
    from tenure.audit.findings import Report

OK, BROKEN = "ok", ("missing", "moved")


def promote(
    project: Project, system: System, ids: Sequence[str] = (), *, mode: str = "inline", dry_run: bool = False
) -> Promotions:
    """Promote what has earned it; return that, and what each of the others still needs."""
    with project.changing(dry_run=dry_run, makes=False) as batch:
        chosen = [project.resolve(id) for id in ids]
        notes = system.before_promotion(batch, chosen, mode)
        promoted, waiting = _promote(batch, chosen, mode)
    return Promotions(promoted=promoted, waiting=waiting, notes=[*notes, *system.take_notes()])


def decay(project: Project, system: System, *, dry_run: bool = False, progress: Progress | None = None) -> Sweep:
    """Retire what expired or lost confidence; what exceeds the sweep's limit waits for the next one."""
    with project.changing(dry_run=dry_run, makes=False) as batch:
        changed, kept, postponed = _sweep(batch, system.decay(batch, ends_run=True), progress)
    return Sweep(changed=changed, kept=kept, postponed=postponed, notes=system.take_notes())


def upkeep(
    project: Project,
    system: System,
    *,
    deep: bool = False,
    dry_run: bool = False,
    progress: Progress | None = None,
) -> Sweep:
    """Do what is due: promotions earned, decay, verdicts that a changed policy made stale; `deep` checks claims."""
    # It may take a while, so nobody holds the store meanwhile.
    report = _look(project, progress) if deep else None
    notes: list[str] = []
    embedded = 0
    with project.changing(dry_run=dry_run, makes=False) as batch:
        if report is not None:
            notes += _verify(batch, report)
        notes += system.before_promotion(batch, (), batch.policy.promotion.upkeep_mode)
        decayed = system.decay(batch, ends_run=False)

        def due(memory: Memory) -> list[Event]:
            earned = ladder.promotion(memory, batch.policy, batch.now, mode=batch.policy.promotion.upkeep_mode)
            return [earned] if earned else decayed(memory)

        changed, kept, postponed = _sweep(batch, due, progress)
        batch.write()
        batch.store.health.rejudge(lambda memory: verdict(memory, batch.policy))
    if not dry_run:
        project.refresh_ours()
        if project.place.address:
            from tenure.usecases import outbox, team_database_copy  # start-up: most memory is a file of this machine

            outbox.send(project.place)
            team_database_copy.pull(project)
    if not dry_run and project.store.exists:
        embedded, joined = _refresh(project, system, progress)
        notes += joined
    notes += system.take_notes()
    return Sweep(changed=changed, kept=kept, postponed=postponed, notes=notes, embedded=embedded)


def rebuild(project: Project) -> int:
    """Rebuild the index and everything else that follows from the rows; return how many memories it holds."""
    return project.store.health.rebuild(lambda memory: verdict(memory, project.policy))


def _refresh(project: Project, system: System, progress: Progress | None) -> tuple[int, list[str]]:
    """Bring up to date what is derived: the index, vectors, the silence threshold, an erasure that was cut short.

    Returns how many memories got a vector, and which memories were joined, now that their meanings could be compared.
    """
    from tenure.usecases import embeddings, same_meaning, search  # start-up: a dry run needs none of them

    if project.store.health.needs_rebuild():
        rebuild(project)
    stores = (project.store, *project.layers.values())
    embedded = sum(embeddings.embed(store, progress=progress) for store in stores)
    notes = same_meaning.join_near(project, system)
    search.calibrate(project)
    project.store.health.finish_erasing()
    project.keep_head()
    return embedded, notes


def _look(project: Project, progress: Progress | None) -> Report:
    """Return what the audit finds in a store's memories."""
    from tenure.usecases import audit  # start-up: only a deep upkeep reads the project

    return audit.audit(project.place.url, str(project.place.project), progress=progress, deep=True)


def _verify(batch: Batch, report: Report) -> list[str]:
    """Record which memories hold in the project as it is, and return what is wrong with the others."""
    notes = []
    for audited in report.memories:
        memory = batch.get(audited.source.id)
        if memory is None or memory.phase == "gone":
            continue
        broken = [finding for finding in audited.findings if finding.status in BROKEN]
        for finding in broken:
            now = f", now {finding.repair_in_words}" if finding.repair else ""
            notes.append(f"{memory.id} names {finding.claim.in_words}, which is {finding.status}{now}: {memory.title}")
        held = [finding.claim.text for finding in audited.findings if finding.status == OK]
        if held and not broken and memory.verified_at != batch.now:
            event = change(
                memory,
                EventType.VERIFIED,
                batch.now,
                set={"verified_at": batch.now},
                reason=f"{len(held)} of {len(held)} claims hold",
            )
            batch.record(memory, [event])
    return notes


def _promote(batch: Batch, ids: Sequence[str], mode: str) -> tuple[list[Promoted], list[Unpromoted]]:
    memories = (
        [batch.get(id) for id in ids] if ids else [row.memory for row in batch.store.find(phases=("pending", "live"))]
    )
    promoted, waiting = [], []
    for memory in filter(None, memories):
        event = ladder.promotion(memory, batch.policy, batch.now, mode=mode)
        if event is not None:
            batch.record(memory, [event])
            promoted.append(Promoted(id=memory.id, before=memory.state, after=event.detail["to"]))
        elif batch.policy.step_from(memory.state):
            needs = [need.text for need in ladder.needs(memory, batch.policy)] or [
                f"{ladder.approval(batch.policy)} (batch mode)"
            ]
            waiting.append(Unpromoted(id=memory.id, needs=needs))
    return promoted, waiting


def _sweep(
    batch: Batch, rule: Callable[[Memory], list[Event]], progress: Progress | None
) -> tuple[list[SweepChange], int, int]:
    """Return what changed, how many memories stay as they are, and how many wait for the next sweep."""
    rows = batch.store.find(phases=("pending", "live"))
    changed: list[SweepChange] = []
    postponed = 0
    for done, row in enumerate(rows, start=1):
        if progress and done % 200 == 0:
            progress(done, len(rows))
        memory = row.memory
        # An agent, which may set the clock as well, takes away no guard.
        events = rule(memory) if not (memory.guard_is_on and batch.actor.is_agent) else []
        if not events:
            continue
        if all(event.type == EventType.UNSEEN for event in events):
            # Counting a run moves nothing, so it is no change to report or to limit.
            batch.record(memory, events, version=row.version)
            continue
        if len(changed) >= batch.policy.decay.sweep_limit:
            postponed += 1
            continue
        after = batch.record(memory, events, version=row.version)
        assert after is not None
        evidence = f"evidence {memory.signals.evidence_count} -> {after.signals.evidence_count}"
        changed.append(
            SweepChange(
                id=memory.id,
                before=memory.state,
                after=after.state,
                reason=events[-1].reason,
                change=evidence if after.state == memory.state else "",
            )
        )
    return changed, len(rows) - len(changed), postponed
