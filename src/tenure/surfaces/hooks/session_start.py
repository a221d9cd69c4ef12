"""The beginning of a session, and again after compaction: what is canonical, what is due, within a small budget.

Every session waits for this, so it reads the store as the prompt hook does. Another system's files are looked at
first, which takes the whole workspace.
"""

from __future__ import annotations

import os

TYPE_CHECKING = False
if TYPE_CHECKING:
    import apsw

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
    from tenure.store.sqlite import hook_reader
    from tenure.surfaces.hooks.showing import Moment

    connection = hook_reader.open_store(database, lambda: False)
    try:
        mark = trust.mark_of(hook_reader.key(connection)) if database == trusted_as else ""
        if not named and not trust.trusted(trusted_as, mark):
            return untrusted(connection)
        moment = Moment(connection, event.session, event.host)
        if event.session and event.text("source") in FORGETFUL:
            hook_reader.remember(connection, moment.now, event.session, event.host, hook_reader.COMPACTED, [])
        # Stores written by an earlier version do not say.
        top = top or str(moment.limits.get("$.top_state") or "") or _looked_at(event.folder)
        block, ids = greeting(moment, top)
    finally:
        connection.close()
    if ids and event.session:
        journal.add(event.host, event.session, {"event": "shown", "shown": ids})
    return block


def greeting(moment: Moment, top: str) -> tuple[str, list[str]]:
    """Return the block for a new session and the ids in it: what reached the top state, then some that are due."""
    from tenure.store.sqlite import hook_reader
    from tenure.surfaces.hooks import showing

    first = hook_reader.standing(moment.connection, top, CANDIDATES)
    ids = {row[showing.ID] for row in first}
    late = [
        row for row in hook_reader.due(moment.connection, moment.now, MOST_DUE + len(ids)) if row[showing.ID] not in ids
    ]
    rows = {row[showing.ID]: row for row in (*first, *late[:MOST_DUE]) if hook_reader.is_whole(row)}
    items = [showing.weighed(moment, row) for row in rows.values()]
    reasons = {id: {"why": top if id in ids else "past its review date"} for id in rows}
    block, shown, _ = showing.show(
        moment, items, rows, QUERY, reasons, limit=MOST_MEMORIES, budget_chars=MOST_CHARACTERS
    )
    return block, shown


def untrusted(connection: apsw.Connection) -> str:
    """Say, as a fact and without any of its text, that the project brought memories along."""
    from tenure.store.sqlite import hook_reader

    count = hook_reader.live(connection)
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
        steps = ws.policy.promotion.steps
        return str(steps[-1].to) if steps else ""
