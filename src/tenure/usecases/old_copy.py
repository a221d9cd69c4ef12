"""When an old copy of the database was put back, what had been forgotten since then is forgotten again."""

from __future__ import annotations

from collections.abc import Sequence

from tenure.model.errors import StoreUnusable
from tenure.model.events import EventType, Recorded
from tenure.usecases import forget
from tenure.usecases.project import Project
from tenure.usecases.store_progress import OLDER, kept, place_of


def forget_again(project: Project) -> list[str]:
    """Erase what an old copy brought back although it was forgotten; return what the user should know."""
    store = project.store
    place = place_of(store)
    known = kept(place) if place else None
    if known is None or not known.forgotten:
        return []
    here = {mark for mark, _ in store.health.forgotten_marks()}
    missing = [(mark, id) for mark, id in known.forgotten if mark not in here]
    if not missing:
        return []
    # Texts that the old copy never held have no entry in its ledger that a mark could belong to.
    store.health.also_forget([bytes.fromhex(mark) for mark, _ in missing])
    # Where another system has the files, the memory may be gone with its file and still be in the history.
    back = sorted(id for id in {id for _, id in missing} if _is_told(store.history(id)))
    try:
        for id in back:
            if store.get(id) is not None:
                forget.erase(project, id, again=True)
            else:
                forget.erase_history(project, id)
    except StoreUnusable:
        # A store that cannot be written; hooks leave out what was forgotten nevertheless.
        return [f"{OLDER}, and it cannot be written: {len(back)} forgotten memories are in it."]
    return [f"{OLDER}; forgotten again: {', '.join(back)}."] if back else []


def _is_told(history: Sequence[Recorded]) -> bool:
    """Tell whether a history still says what the memory said."""
    return bool(history) and history[-1].event.type != EventType.FORGOTTEN
