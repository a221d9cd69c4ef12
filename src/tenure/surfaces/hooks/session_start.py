"""The start of a session, and again after compaction: the rules that apply to any work here, within a small budget.

While a store is small everything in it is shown. Later it is what the person stated as a preference or a constraint,
then what is canonical, then a few that are due.

Every session waits for this, so it reads the store as the prompt hook does. Another system's files are checked first,
which needs the whole workspace.
"""

from __future__ import annotations

import os

TYPE_CHECKING = False
if TYPE_CHECKING:
    from tenure.recall.query import HookRow
    from tenure.store.hook_api import HookStore
    from tenure.surfaces.hooks.host import HookEvent
    from tenure.surfaces.hooks.showing import ShowingContext

MOST_MEMORIES = 12
MOST_CHARACTERS = 3500
# A store of fewer live memories than this is shown whole.
SMALL_STORE = 20
# Kinds of standing rules, and what they may cost together.
STANDING, STANDING_CHARACTERS = ("preference", "constraint"), 1000
DECIDED = ("decision",)
MOST_DUE = 3
# So many of what was learned last are named to the person, so much of each.
MOST_LEARNED, LEARNED_CHARACTERS = 3, 120
# Of so many of the weightiest the best that fit are shown.
CANDIDATES = 48
# Sessions that go on without what they were shown before.
FORGETFUL = ("compact", "clear")
# Sessions that begin, so that the person reads what is said to them.
BEGINNINGS = ("", "startup", "clear")
QUERY = "(session start)"
# What hosts call the ways in which a session starts; the journal keeps no other word.
SOURCES = (*BEGINNINGS, *FORGETFUL, "resume")


def _known(source: str) -> str:
    return source if source in SOURCES else "other"


def answer(event: HookEvent) -> str:
    """Return what every session should know; nothing when nothing has earned that."""
    from tenure.spool import journal

    leftovers()
    line = {"event": "start", "folder": event.folder, "source": _known(event.text("source"))}
    if event.transcript:
        line["transcript"] = event.transcript
    if event.session:
        journal.add(event.host, event.session, line)
    _look_at_team(event.folder)
    return "\n".join(filter(None, (_of_project(event), _of_user(event))))


def _look_at_team(folder: str) -> None:
    """Bring the replica of what the team shares in step when its files changed since; prompts only read it."""
    from tenure.files import ELSEWHERE, team_folder, trust, worktree_root

    if os.environ.get("TENURE_STORE", "").partition(":")[0] in ELSEWHERE:
        return  # opening that store would ask the network; the worker brings both in step
    tree = worktree_root(folder)
    path = trust.replica(tree)
    if not os.path.exists(path):
        return  # nobody here agreed to anything yet
    from tenure.store import open_for_hook

    replica = open_for_hook(path, lambda: False)
    try:
        limits = replica.limits()
    finally:
        replica.close()
    if limits.get("team") not in (None, team_folder.mark(tree, head=bool(limits.get("commits")))):
        from tenure import workspace

        with workspace.open(folder=folder) as ws:
            ws.refresh()


def _of_project(event: HookEvent) -> str:
    """Return what a session should know of its project, and note what was shown."""
    from tenure.files import trust
    from tenure.spool import journal
    from tenure.surfaces.hooks import place

    database, trusted_as, named = place.database(event.folder)
    moved = "" if named else _moved(event.folder, trusted_as)
    if moved and event.text("source") in BEGINNINGS:
        event.to_person = f"tenure: {moved}"
    if not os.path.exists(database):
        return moved
    top = _looked_at(event.folder) if database != trusted_as else ""
    from tenure.store import open_for_hook
    from tenure.surfaces.hooks.showing import ShowingContext

    store = open_for_hook(database, lambda: False)
    beside: list[HookStore] = []
    try:
        if not named and not trust.trusted(trusted_as, store.identity()):
            return "\n".join(filter(None, (moved, untrusted(store))))
        beside = _of_team(event.folder)
        moment = ShowingContext(store, event.session, event.host, beside)
        if event.session and event.text("source") in FORGETFUL:
            store.forget_seen(event.session, event.host)
        # Stores written by an earlier version do not say.
        top = top or str(moment.limits.get("top_state") or "") or _looked_at(event.folder)
        learned = store.learned(event.session, QUERY)
        block, ids = greeting(moment, top)
        if event.text("source") in BEGINNINGS:
            said = sign_of_life(moment, ids, learned)
            event.to_person = f"{event.to_person} {said}".strip()
    finally:
        for opened in (store, *beside):
            opened.close()
    if ids and event.session:
        journal.add(event.host, event.session, {"event": "shown", "shown": ids})
    if event.session and event.text("source") == "compact":
        from tenure.surfaces.hooks import correction_prompt

        block = "\n".join(filter(None, (block, correction_prompt.after_compaction(event.host, event.session))))
    return "\n".join(filter(None, (moved, block)))


def _moved(folder: str, store: str) -> str:
    """Say that the project's memory is not where it was; looked into only where something speaks for it."""
    from tenure.files import project_root, trust

    inside, here = os.path.realpath(project_root(folder)) + os.sep, os.path.realpath(store)
    gone = not os.path.exists(store) and bool(trust.known(store))
    accepted, replaced = trust.other_stores(here)
    others = {path for path in trust.stores() if path.startswith(inside)} - {here, *accepted}
    if not (gone or others or replaced):
        return ""
    from tenure import workspace

    with workspace.open(folder=folder) as ws:
        return ws.elsewhere()


def _of_team(folder: str) -> list[HookStore]:
    """Return what the team shares in this worktree; one that cannot be read must not silence the project's own."""
    from tenure.files import OURS_LAYER, TEAM, trust, worktree_root

    here = worktree_root(folder)
    path = trust.replica(here)
    if not os.path.exists(path):
        return []
    from tenure.store import open_for_hook

    try:
        return [open_for_hook(path, lambda: False, OURS_LAYER, os.path.join(here, TEAM))]
    except TimeoutError:
        raise
    except Exception:
        return []


def _of_user(event: HookEvent) -> str:
    """Return what the person stated for all their projects, within the share of standing rules."""
    from tenure.files import USER_LAYER as LAYER
    from tenure.files import trust
    from tenure.surfaces.hooks import place

    path = place.users_database()
    if not os.path.exists(path) or os.path.realpath(place.database(event.folder)[0]) == os.path.realpath(path):
        return ""
    from tenure.recall.block import USER
    from tenure.spool import journal
    from tenure.store import open_for_hook
    from tenure.surfaces.hooks import showing

    store = open_for_hook(path, lambda: False)
    try:
        if not trust.trusted(path, store.identity()):
            return ""
        moment = showing.ShowingContext(store, event.session, event.host)
        if event.session and event.text("source") in FORGETFUL:
            store.forget_seen(event.session, event.host)
        learned = store.learned(event.session, QUERY) if event.text("source") in BEGINNINGS else []
        if named := _learned(store, learned, LAYER):
            said = f"learned from your words, for all your projects: {named}. Drop: tenure --store user retire ID."
            event.to_person = f"{event.to_person or 'tenure:'} {said}"
        items, rows = showing.weighed(moment, store.find(CANDIDATES))
        reasons = {id: {"why": "stated for all projects"} for id in rows}
        block, ids, _ = showing.show(
            moment,
            moment.fresh(items, rows),
            rows,
            QUERY,
            reasons,
            limit=MOST_MEMORIES,
            budget_chars=STANDING_CHARACTERS,
            shape=USER,
            surface="start",
        )
    finally:
        store.close()
    if ids and event.session:
        journal.add(event.host, event.session, {"event": "shown", "shown": ids})
    return block


def greeting(moment: ShowingContext, top: str) -> tuple[str, list[str]]:
    """Return the block for a new session and the ids in it."""
    from tenure.surfaces.hooks import showing

    small = moment.store.count_live(SMALL_STORE) < SMALL_STORE
    best = moment.store.find(CANDIDATES, state=top) if top and not small else []
    first = moment.store.find(SMALL_STORE) if small else best
    standing = [] if small else _standing(moment)
    late = moment.store.find(MOST_DUE + len(first) + len(standing), due=True)
    known = {row.id for row in (*standing, *first)}
    late = [row for row in late if row.id not in known][:MOST_DUE]
    ours = _shared(moment)
    items, rows = showing.weighed(moment, (*standing, *first, *ours, *late))
    # A resumed session still has what it was shown.
    items = moment.fresh(items, rows)
    stated = {row.id for row in standing}
    rest = "everything there is" if small else top
    reasons = {id: {"why": "stated by the person" if id in stated else rest} for id in rows}
    reasons |= {row.id: {"why": "past its review date"} for row in late}
    reasons |= {row.id: {"why": "shared by the team"} for row in ours}
    limit = (SMALL_STORE if small else MOST_MEMORIES + len(standing)) + len(ours)
    block, shown, _ = showing.show(
        moment, items, rows, QUERY, reasons, limit=limit, budget_chars=MOST_CHARACTERS, surface="start"
    )
    return block, shown


def _shared(moment: ShowingContext) -> list[HookRow]:
    """Return of what the team shares its rules, and everything while that is little, as much as may be shown."""
    kept, room = [], STANDING_CHARACTERS
    for layer in moment.beside:
        small = layer.count_live(SMALL_STORE) < SMALL_STORE
        for row in layer.find(SMALL_STORE) if small else layer.find(CANDIDATES, kinds=STANDING):
            if len(row.line) <= room and row.kind not in moment.disabled_kinds:
                room -= len(row.line)
                kept.append(row)
    return kept


def _standing(moment: ShowingContext) -> list[HookRow]:
    """Return the weightiest preferences and constraints that a person stated or approved, as many as may be shown.

    What room they leave is for the person's decisions, which are gone against just as easily.
    """
    kept, room = [], STANDING_CHARACTERS
    for kinds in (STANDING, DECIDED):
        for row in moment.store.find(CANDIDATES, kinds=kinds):
            facts = moment.store.facts(row)
            if facts is not None and facts.reviewed and len(row.line) <= room and row.kind not in moment.disabled_kinds:
                room -= len(row.line)
                kept.append(row)
    return kept


def sign_of_life(moment: ShowingContext, shown: list[str], learned: list[str]) -> str:
    """Return one line to the person: how much was shown, and what was learned from their words since last time."""
    said = f"tenure: {len(shown)} {'memory' if len(shown) == 1 else 'memories'} shown"
    # Also what this session is not shown: the person has to know of it.
    named = _learned(moment.store, learned)
    if not named:
        return said if shown else ""
    return f'{said}; learned from your words: {named}. Keep: do nothing. Drop: say "forget that", or tenure retire ID.'


def _learned(store: HookStore, ids: list[str], layer: str = "") -> str:
    """Return what was learned last and how much more; a session that teaches much hides nothing by that."""
    found = {row.id: row for row in store.find(len(ids), ids=ids)} if ids else {}
    rows = [found[id] for id in ids if id in found]
    last = rows[-MOST_LEARNED:]
    more = f"; and {len(rows) - len(last)} more: tenure status" if len(rows) > len(last) else ""
    return "; ".join(f"{row.line[:LEARNED_CHARACTERS]} ({layer}{row.id})" for row in last) + more


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
