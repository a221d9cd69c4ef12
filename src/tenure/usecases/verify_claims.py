"""`upkeep --deep`: the claims of memories checked against the project, and what follows for each memory.

What holds is recorded as verified, which makes it fresher than anything else can. What is broken is only told: a
missing file is a reason to look, and whether the memory is wrong or the file was renamed is a person's to say.
"""

from __future__ import annotations

from collections.abc import Callable

from tenure.audit.findings import Report
from tenure.model.events import EventType
from tenure.model.evolve import change
from tenure.usecases import audit
from tenure.usecases.batch import Batch
from tenure.usecases.locate import Place

OK, BROKEN = "ok", ("missing", "moved")


def look(place: Place, progress: Callable[[int, int], None] | None = None) -> Report:
    """Return what the audit finds in a store's memories. It may take a while, so nobody holds the store meanwhile."""
    return audit.audit(place.url, str(place.project), progress=progress, deep=True)


def verify(batch: Batch, report: Report) -> list[str]:
    """Record which memories hold in the project as it is, and return what is wrong with the others."""
    notes = []
    for audited in report.memories:
        memory = batch.get(audited.source.id)
        if memory is None or memory.phase == "gone":
            continue
        broken = [finding for finding in audited.findings if finding.status in BROKEN]
        for finding in broken:
            now = f", now {finding.repair}" if finding.repair else ""
            notes.append(f"{memory.id} names {finding.claim.text}, which is {finding.status}{now}: {memory.title}")
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
