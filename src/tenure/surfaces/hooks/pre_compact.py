"""Before the context is compacted: what the summary should keep, and a note that what was shown will be gone."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from tenure.surfaces.hooks.host import HookEvent

KEEP = "Ids of memories that were used (such as {ids}) are worth keeping in the summary."


def answer(event: HookEvent) -> str:
    """Ask for the ids of memories to be kept; the session start that follows shows the memories again."""
    if not event.session:
        return ""
    from tenure.spool import journal
    from tenure.surfaces.hooks import correction_prompt

    ids = sorted(journal.shown(event.host, event.session))[:3]
    keep = KEEP.format(ids=", ".join(ids)) if ids else ""
    return "\n".join(filter(None, (keep, correction_prompt.before_compaction(event.host, event.session))))
