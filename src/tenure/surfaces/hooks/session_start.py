"""The beginning of a session, and again after compaction: what is canonical, what is due, within a small budget.

Every session waits for this, so it reads the store as the prompt hook does. Another system's files are looked at
first, which takes the whole workspace.
"""

from __future__ import annotations

import os

TYPE_CHECKING = False
if TYPE_CHECKING:
    from tenure.store.api import HookStore
    from tenure.surfaces.hooks.host import Event
    from tenure.surfaces.hooks.showing import Moment

MOST_MEMORIES = 12
MOST_CHARACTERS = 3500
MOST_DUE = 3
# Of so many of the weightiest the best that fit are shown.
CANDIDATES = 48
# Sessions that go on without what they were shown before.
FORGETFUL = ("compact", "clear")
QUERY = "(session start)"


def answer(event: Event) -> str:
    """Return what every session should know; nothing when nothing has earned that."""
    from tenure.spool import journal

    leftovers()
    line = {"event": "start", "folder": event.folder, "source": event.text("source")}
    if event.transcript:
        line["transcript"] = event.transcript
    if event.session:
        journal.add(event.host, event.session, line)
    from tenure.files import trust
    from tenure.surfaces.hooks import place

    database, trusted_as, named = place.database(event.folder)
    if not os.path.exists(database):
        return ""
    top = _looked_at(event.folder) if database != trusted_as else ""
    from tenure.store import open_for_hook
    from tenure.surfaces.hooks.showing import Moment

    store = open_for_hook(database, lambda: False)
    try:
        if not named and not trust.trusted(trusted_as, store.identity()):
            return untrusted(store)
        moment = Moment(store, event.session, event.host)
        if event.session and event.text("source") in FORGETFUL:
            store.forget_seen(event.session, event.host)
        # Stores written by an earlier version do not say.
        top = top or str(moment.limits.get("top_state") or "") or _looked_at(event.folder)
        block, ids = greeting(moment, top)
    finally:
        store.close()
    if ids and event.session:
        journal.add(event.host, event.session, {"event": "shown", "shown": ids})
    if event.session and event.text("source") == "compact":
        from tenure.surfaces.hooks import asking

        block = "\n".join(filter(None, (block, asking.after_compaction(event.host, event.session))))
    return block


def greeting(moment: Moment, top: str) -> tuple[str, list[str]]:
    """Return the block for a new session and the ids in it: what reached the top state, then some that are due."""
    from tenure.surfaces.hooks import showing

    first = moment.store.find(CANDIDATES, state=top)
    ids = {row.id for row in first}
    late = [row for row in moment.store.find(MOST_DUE + len(ids), due=True) if row.id not in ids]
    items, rows = showing.weighed(moment, (*first, *late[:MOST_DUE]))
    reasons = {id: {"why": top if id in ids else "past its review date"} for id in rows}
    block, shown, _ = showing.show(
        moment, items, rows, QUERY, reasons, limit=MOST_MEMORIES, budget_chars=MOST_CHARACTERS
    )
    return block, shown


def untrusted(store: HookStore) -> str:
    """Say, as a fact and without any of its text, that the project brought memories along."""
    count = store.count_live()
    if not count:
        return ""
    return (
        f"This project contains {count} memories that did not come from this user and are not shown. "
        "The user can look at them with `tenure list` and allow them with `tenure trust`."
    )


def leftovers() -> None:
    """Start the worker when an earlier session left something to learn from."""
    from tenure.spool import journal, pending
    from tenure.surfaces.hooks import session_end

    if pending.ready(journal.folder()):
        session_end.start_worker()


def _looked_at(folder: str) -> str:
    """Bring the store in step with the project's files; return the state that is the top of its policy's ladder."""
    from tenure import workspace

    with workspace.open(folder=folder) as ws:
        return ws.top_state
