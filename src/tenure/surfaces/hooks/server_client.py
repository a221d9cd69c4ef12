"""Asking a running server for the ranking of a prompt, which has the model that knows meaning.

The server only says in which order; what is shown is read from this hook's own store and has to pass everything it
has to pass without one. So no answer, whoever gives it, can show what is not in the store.
"""

from __future__ import annotations

import os

from tenure.files import quick_json, sockets
from tenure.store.sqlite import fulltext, hook_reader
from tenure.surfaces.hooks import showing

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from tenure.recall.rank import Candidate

VERSION = 1
# The share of the hook's own deadline that a server gets; enough is left to answer alone.
SHARE, DEADLINE_SECONDS = 0.4, 0.3
MOST_RANKED, MOST_TERMS = 24, 40
_QUESTION = "SELECT json_object('version', ?, 'store', ?, 'file', ?, 'now', ?, 'prompt', ?)"
_RANKED = """
    SELECT value ->> 'id', value ->> 'score', value ->> 'evidence', value -> 'terms'
    FROM json_each(?, '$.ranked') LIMIT ?
"""

Ranked = tuple[list["Candidate"], dict[str, "Any"], str, dict[str, dict[str, "Any"]]]


def ask(moment: showing.Moment, database: str, prompt: str) -> Ranked | None:
    """Return the ranking, rows, words and reasons a server gives; None when there is none or it leaves it to us."""
    if not hasattr(os, "getuid"):
        return None  # Windows
    path = sockets.path(database)
    if not os.path.lexists(path):
        return None
    try:
        store = os.path.realpath(database)
        asked = (VERSION, store, sockets.identity(database), moment.now, fulltext.ends(prompt))
        question = str(moment.connection.execute(_QUESTION, asked).get).encode("utf-8", "replace")
        seconds = SHARE * float(os.environ.get("TENURE_HOOK_SECONDS") or DEADLINE_SECONDS)
        return _read(moment, sockets.ask(path, question, seconds).decode("utf-8"), asked[2])
    except Exception as error:
        sockets.miss(path, error)
        return None


def _read(moment: showing.Moment, answer: str, identity: str) -> Ranked | None:
    """Return an answer as the hook's own ranking would have it; raises for one that makes no sense."""
    head = "SELECT ?1 ->> 'version', ?1 ->> 'file', ?1 ->> 'alone', ?1 ->> 'words', json_type(?1, '$.ranked')"
    version, file, alone, asked, kind = next(moment.connection.execute(head, (answer,)))
    if version != VERSION or (alone is None and (file != identity or kind != "array" or not isinstance(asked, str))):
        raise ValueError("garbage")
    if alone is not None:
        return None
    told = list(moment.connection.execute(_RANKED, (answer, MOST_RANKED)))
    if any(not isinstance(id, str) or {type(score), type(evidence)} - {int, float} for id, score, evidence, _ in told):
        raise ValueError("garbage")
    rows = {row[showing.ID]: row for row in hook_reader.eligible(moment.connection, [id for id, *_ in told])}
    off = {value for name, value in moment.limits.items() if name.startswith("$.disabled_kinds")}
    ranked, reasons = [], {}
    for id, score, evidence, why in told:
        if id in rows and rows[id][showing.KIND] not in off:
            item = showing.candidate(rows[id])
            showing.tell(moment, item, rows[id])
            item.score, item.evidence, item.signals = score, evidence, {"files": 0.0}
            ranked.append(item)
            reasons[id] = {"terms": _terms(why)}
    return ranked, rows, asked[:2000], reasons


def _terms(told: str | None) -> dict[str, float]:
    """Return what the signals added to a score; whatever else a server says there is left out."""
    found = quick_json.loads(told.encode()) if told else {}
    if not isinstance(found, dict):
        return {}
    terms = list(found.items())[:MOST_TERMS]
    return {name[:40]: value for name, value in terms if isinstance(value, float) and value - value == 0}
