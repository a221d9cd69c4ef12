"""Asks a running server, which has the model of meaning loaded, to rank the memories for a prompt.

The server only decides the order; what is shown is read from this hook's own store and must pass every check it
passes without a server. So no answer, whoever gives it, can show what is not in the store.
"""

from __future__ import annotations

import os

from tenure.files import quick_json, sockets, trust
from tenure.recall.query import ends
from tenure.surfaces.hooks import showing
from tenure.surfaces.hooks.host import seconds_for

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from tenure.recall.query import HookRow
    from tenure.recall.rank import Candidate

# The share of the hook's own deadline that a server gets; enough is left to answer alone.
SHARE = 0.4
MOST_RANKED, MOST_TERMS = 24, 40

Ranked = tuple[list["Candidate"], dict[str, "HookRow"], str, dict[str, dict[str, "Any"]]]


def ask(moment: showing.ShowingContext, database: str, prompt: str) -> Ranked | None:
    """Return the ranking, rows, words and reasons a server gives; None when there is none or it leaves it to us."""
    if not hasattr(os, "getuid"):
        return None  # Windows
    path = trust.socket_of(database)
    if not os.path.lexists(path):
        return None
    try:
        store = os.path.realpath(database)
        identity = sockets.identity(database)
        facts = {
            "version": sockets.VERSION,
            "store": store,
            "file": identity,
            "now": moment.now,
            "prompt": ends(prompt),
        }
        question = quick_json.dumps(facts).encode()
        seconds = SHARE * seconds_for("prompt")
        return _read(moment, sockets.ask(path, question, seconds), identity)
    except Exception as error:
        sockets.miss(path, error)
        return None


def _read(moment: showing.ShowingContext, answer: bytes, identity: str) -> Ranked | None:
    """Return an answer as the hook's own ranking would have it; raises for one that makes no sense."""
    said = quick_json.loads(answer)
    if not isinstance(said, dict) or said.get("version") != sockets.VERSION:
        raise ValueError("garbage")
    if said.get("alone") is not None:
        return None
    asked, entries = said.get("words"), said.get("ranked")
    if said.get("file") != identity or not isinstance(asked, str) or not isinstance(entries, list):
        raise ValueError("garbage")
    entries = entries[:MOST_RANKED]
    if not all(map(_makes_sense, entries)):
        raise ValueError("garbage")
    rows = moment.rows([entry["id"] for entry in entries])
    off = moment.disabled_kinds
    ranked, reasons = [], {}
    for entry in entries:
        row = rows.get(entry["id"])
        if row is None or row.kind in off:
            continue
        item = showing.candidate(row)
        if showing.tell(moment, item, row):
            item.score, item.evidence, item.signals = entry["score"], entry["evidence"], {"files": 0.0}
            ranked.append(item)
            reasons[item.id] = {"terms": _terms(entry.get("terms"))}
    return ranked, rows, asked[:2000], reasons


def _makes_sense(entry: Any) -> bool:
    """Tell whether an entry of a ranking names a memory, a score and its evidence."""
    return (
        isinstance(entry, dict)
        and isinstance(entry.get("id"), str)
        and _is_number(entry.get("score"))
        and _is_number(entry.get("evidence"))
    )


def _is_number(value: Any) -> bool:
    return type(value) in (int, float) and value - value == 0


def _terms(told: Any) -> dict[str, float]:
    """Return what the signals added to a score; whatever else a server says there is left out."""
    terms = list(told.items())[:MOST_TERMS] if isinstance(told, dict) else []
    return {name[:40]: value for name, value in terms if isinstance(value, float) and _is_number(value)}
