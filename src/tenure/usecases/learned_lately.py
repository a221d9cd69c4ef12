"""What was recently learned from the person's own words: shown to them at the next start, and undone on request.

The list is kept beside the memories, newest last. It holds ids and times, no words.
"""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Iterable

from tenure.capture import own_words
from tenure.capture.session_builder import Session
from tenure.files import USER_LAYER
from tenure.model import clock
from tenure.model.memory import Memory
from tenure.recall import LEARNED_KEY
from tenure.store.api import Store
from tenure.usecases.project import Project

# So many are listed: no session can push out what an earlier one taught.
MOST = 1000
# So many of the last are asked for the words that proved them.
MOST_QUOTED = 20
# So long `status` names them: a start can be used up by an agent, and not every host shows one to the person.
TOLD_DAYS = 30
# So many of the last may still be taken back by words; a session's start names no more.
MOST_NAMED = 3
# "Forget it, take the other branch" is about the work: little may follow.
_FORGET = re.compile(
    r"\W*(?:please |no,? |actually,? )*(?:forget|don't remember|do not remember|unlearn) (?:that|it|this)\b.{0,24}$"
    r"|\W*(?:vergiss das|olvida eso|olvídalo|esqueça isso|забудь это|忘掉这个|忘れて).{0,12}$",
    re.IGNORECASE,
)
# "That's wrong" is mostly about code: it takes back only when it is all a person says, first thing after a start.
_WRONG = re.compile(
    r"\W*(?:no,? )?that(?:'s| is) (?:wrong|not true|not right|incorrect)\W*$"
    r"|\W*(?:das ist falsch|eso está mal|isso está errado|это неправильно|不对|違います)\W*$",
    re.IGNORECASE,
)


def note(project: Project, ids: Iterable[str]) -> None:
    """Write down that memories were just learned from the person's words."""
    new = list(dict.fromkeys(id for id in ids if id))
    if not new:
        return
    # Whoever sets the clock back must not make it old news.
    now = clock.stamp(max(project.now(), clock.unfrozen()))
    kept = [[id, at] for id, at in _read(project.store) if id not in new] + [[id, now] for id in new]
    project.store.keep(LEARNED_KEY, json.dumps(kept[-MOST:]))


def note_risen(project: Project, ids: Iterable[str], since: int) -> None:
    """Write down which of these memories came into use after a ledger entry: evidence of sessions raised them."""
    note(project, [id for id in dict.fromkeys(ids) if id and _has_risen(project.store, id, since)])


def _has_risen(store: Store, id: str, since: int) -> bool:
    return any(entry.seq > since and entry.event.set.get("phase") == "live" for entry in store.history(id))


def last_entry(store: Store) -> int:
    """Return the number of the newest ledger entry, to tell later what came into use after it."""
    return store.health.head()[0] if store.exists else 0


def lately(project: Project) -> list[str]:
    """Return the ids of what was learned from the person's words in the last weeks and is in use, newest first."""
    since = clock.stamp(clock.after(project.now(), -TOLD_DAYS))
    found = _in_use(project.store, since)
    users = project.layers.get(USER_LAYER)
    return [*found, *(f"{USER_LAYER}{id}" for id in _in_use(users, since))] if users is not None else found


def _in_use(store: Store, since: str) -> list[str]:
    ids = [id for id, at in reversed(_read(store)) if at >= since] if store.exists else []
    return [id for id in ids if _is_live(store, id)]


def _is_live(store: Store, id: str) -> bool:
    row = store.get(id)
    return row is not None and row.memory.phase == "live"


def from_sessions(project: Project, sessions: Collection[str]) -> list[str]:
    """Return the ids of the memories that wait or are in use and rest on one of these sessions."""
    found = []
    for layer, store in (("", project.store), *project.layers.items()):
        rows = store.find(phases=("pending", "live")) if store.exists else []
        found += [f"{layer}{row.memory.id}" for row in rows if any(run in sessions for run in row.memory.runs)]
    return found


def quotes(project: Project) -> list[str]:
    """Return the words of the person by which the last ones were proved."""
    listed = _read(project.store)[-MOST_QUOTED:] if project.store.exists else []
    found = (project.store.setting(f"quote:{id}") for id, _ in listed)
    return [quote for quote in found if isinstance(quote, str)]


def taken_back(project: Project, session: Session) -> Memory | None:
    """Return the memory that was learned last, when the person said in this session to forget it."""
    turns = [turn.text for turn in own_words.own_turns(session.turns)]
    first = bool(turns) and bool(_WRONG.match(turns[0].replace("’", "'")))
    if not first and not any(_FORGET.match(text.replace("’", "'")) for text in turns):
        return None
    told = {id for past in project.store.activity.shown(run=session.id) for id in past.ids}
    for id, _ in reversed(_read(project.store)[-MOST_NAMED:]):
        row = project.store.get(id)
        if row is None or row.memory.phase != "live":
            continue
        if id in told or (not first and session.id in row.memory.runs):
            return row.memory
    return None


def _read(store: Store) -> list[tuple[str, str]]:
    try:
        found = json.loads(store.setting(LEARNED_KEY) or "[]")
    except (ValueError, TypeError):
        return []
    listed = found if isinstance(found, list) else []
    return [(str(item[0]), str(item[1])) for item in listed if isinstance(item, list) and len(item) == 2]
