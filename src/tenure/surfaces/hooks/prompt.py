"""Every prompt: the few memories that answer it, or silence.

Runs in a new process before each message is sent, so it uses only the standard library and the store's read side for
hooks, and gives up at its deadline. Whatever breaks, nothing is printed, the reason is logged and the status is 0.
"""

from __future__ import annotations

import os
import sys
import time

from tenure.files import trust
from tenure.recall import LAYERS_APART, rank
from tenure.store import open_for_hook
from tenure.surfaces.hooks import host as hosts
from tenure.surfaces.hooks import place, showing, silenced
from tenure.surfaces.hooks.showing import ShowingContext

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from tenure.recall.query import HookRow, ParsedQuery
    from tenure.store.hook_api import HookStore
    from tenure.surfaces.hooks.server_client import Ranked

NAME = "prompt"
CANDIDATES = 100
# So many are compared by the meaning of their words, where there are vectors.
COMPARED = 40
# Of so many the lifecycle is looked at; the words and the stored weight have put them first.
LOOKED_AT = 24
# Beyond this the file of times is begun anew, and the one before it kept.
MOST_TIMES_BYTES = 256 * 1024
# What came of a prompt, in the file of times.
SHOWN, SILENT, GAVE_UP = "1", "0", "-"


def main() -> int:
    """Answer the prompt on standard input in the host's shape, and return 0 whatever happens."""
    # Starting Python and loading modules is work of the processor, and no clock ran yet.
    began = time.monotonic() - time.process_time()
    deadline = time.monotonic() + hosts.seconds_for(NAME)
    noted: list[str] = []
    try:
        with hosts.deadline(NAME):
            event = hosts.read(NAME, sys.stdin.buffer)
            printed = hosts.shaped(event, _answer(event, lambda: time.monotonic() > deadline, noted))
        if printed:
            sys.stdout.buffer.write(printed.encode("utf-8", "replace"))
            sys.stdout.buffer.flush()
    except BaseException as error:
        _log(f"{type(error).__name__}: {error}")
    if noted:
        _note_time(*noted, milliseconds=round((time.monotonic() - began) * 1000))
    return 0


def _answer(event: hosts.HookEvent, late: Callable[[], bool], noted: list[str]) -> str:
    folder, run = event.folder, event.session
    path, trusted_as, named = place.database(folder)
    if silenced(folder, run):
        return ""
    # Gemini CLI puts what we said at the session's start in front of the first prompt.
    prompt = (event.text("prompt") or event.text("user_prompt")).rpartition("</hook_context>")[2]
    if "<private>" in prompt.lower():
        from tenure.text import private  # start-up: few prompts have such a region

        prompt = private.without(prompt)
    if not os.path.exists(path):
        return _without_project(prompt, event, late)
    store = open_for_hook(path, late)
    try:
        if not named and not trust.trusted(trusted_as, store.identity()):
            _log(
                f"{path!r} came from elsewhere or was copied and is not trusted here, so nothing was said: tenure trust"
            )
            return ""
        noted[:] = path, store.now, GAVE_UP
        text = answer(store, path, prompt, run, event.host, place.layers(folder, path, late))
        noted[2] = SHOWN if text else SILENT
        return _with_ask(text, prompt, event) if store.limits().get("ask", True) else text
    finally:
        store.close()


def _without_project(prompt: str, event: hosts.HookEvent, late: Callable[[], bool]) -> str:
    """Return what a project without memory of its own gets: what the user stated for all, and the ask for rules."""
    users, text, asks = place.users_database(), "", not place.asks_nothing()
    if os.path.exists(users):
        store = open_for_hook(users, late)
        try:
            if trust.trusted(users, store.identity()):
                text = answer(store, users, prompt, event.session, event.host)
                asks = asks and bool(store.limits().get("ask", True))
        finally:
            store.close()
    return _with_ask(text, prompt, event) if asks else text


def _with_ask(text: str, prompt: str, event: hosts.HookEvent) -> str:
    """Return a block with the line that asks for rules below it, where there is one and both fit."""
    from tenure.surfaces.hooks import correction_prompt

    asked = correction_prompt.at_prompt(prompt, event.host, event.session, event.payload)
    both = "\n".join(filter(None, (text, asked)))
    return both if len(both) <= hosts.MOST_CHARACTERS else text


def answer(store: HookStore, path: str, prompt: str, run: str, host: str, beside: Sequence[HookStore] = ()) -> str:
    """Return the block for a prompt, and write down what is in it; empty when nothing answers.

    The layers `beside` the store are ranked with it, within one budget, and closed.
    """
    moment = ShowingContext(store, run, host, beside)
    try:
        return _shown(moment, path, prompt)
    finally:
        for layer in beside:
            layer.close()


def _shown(moment: ShowingContext, path: str, prompt: str) -> str:
    ranked, rows, asked, reasons = _asked_server(moment, path, prompt) or _alone(moment, prompt)
    if not ranked:
        return ""
    least, floor = (moment.limit(name) for name in ("least_evidence", "floor_share"))
    best = ranked[0].score
    kept = [item for item in ranked if not rank.doubt(item, best, least, floor)]
    text, _, untraced = showing.show(
        moment,
        moment.fresh(kept, rows),
        rows,
        asked,
        reasons,
        limit=int(moment.limit("limit")),
        budget_chars=int(moment.limit("budget_chars")),
    )
    if untraced:
        _log(untraced)
    return text


def _asked_server(moment: ShowingContext, path: str, prompt: str) -> Ranked | None:
    """Return what a running server ranks; None when there is none."""
    if not hasattr(os, "getuid") or not os.path.lexists(trust.socket_of(path)):
        return None
    from tenure.surfaces.hooks import server_client  # start-up: most stores have no server

    return server_client.ask(moment, path, prompt)


def _alone(moment: ShowingContext, prompt: str) -> Ranked:
    """Return the best candidates by their words, their rows, the words that were looked up, and the reasons."""
    query, rows = _searched(moment, prompt)
    asking_now = rank.QueryContext(prompt, query, moment.now[:10])
    off = moment.disabled_kinds
    found, items = {}, []
    for row in rows:
        if row.kind in off:
            continue
        item = showing.candidate(row)
        rank.measure(item, query, row.match, asking_now)
        found[item.id] = row
        items.append(item)
    best = rank.rank(items)[:COMPARED]
    close = _word_closeness(moment, prompt, [item.number for item in best])
    for item in best:
        item.gist = item.signals["gist"] = close.get(item.number, 0.0)
    first = [item for item in rank.rank(best)[:LOOKED_AT] if showing.tell(moment, item, found[item.id])]
    for item in first:
        rank.measure(item, query, found[item.id].match, asking_now)
    rank.measure_together(first, query)
    ranked = rank.rank(first, float(moment.limits.get("silence") or 0.0))
    # Only words that memories hold are kept: what else a prompt says may be a secret.
    asked = " ".join(term.word for term in query.terms)
    return ranked, found, asked, {item.id: {"terms": rank.terms(item)} for item in ranked}


def _searched(moment: ShowingContext, prompt: str) -> tuple[ParsedQuery, list[HookRow]]:
    """Return what a prompt finds in all layers; a layer that cannot be read costs itself, not the project's memory."""
    try:
        return moment.store.search(prompt, CANDIDATES, moment.beside)
    except TimeoutError:
        raise
    except Exception as error:
        if not moment.beside:
            raise
        _log(f"{type(error).__name__}: {error}; only the project's own memory was looked at")
        moment.beside = ()
        return moment.store.search(prompt, CANDIDATES)


def _word_closeness(moment: ShowingContext, prompt: str, numbers: list[int]) -> dict[int, float]:
    """Return number -> how near a memory is by the meaning of single words; nothing without vectors."""
    found: dict[int, float] = {}
    for layer, store in enumerate((moment.store, *moment.beside)):
        first = layer * LAYERS_APART
        encoder, vectors = store.vectors([number - first for number in numbers if number // LAYERS_APART == layer])
        if vectors:
            from tenure.recall import word_vectors  # start-up: most stores have no vectors

            near = word_vectors.measured(word_vectors.path(trust.home(), encoder), prompt, vectors) or {}
            found |= {first + number: each for number, each in near.items()}
    return found


def _note_time(database: str, now: str, outcome: str, *, milliseconds: int) -> None:
    """Add one line for the health of the store: when, how long, and what came of it; no words of anybody's."""
    path = trust.times_of(database)
    flags = os.O_WRONLY | os.O_APPEND | os.O_CREAT | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0)
    try:
        os.makedirs(os.path.dirname(path), mode=0o700, exist_ok=True)
        handle = os.open(path, flags, 0o600)
        try:
            os.write(handle, f"{now} {milliseconds} {outcome}\n".encode())
            too_long = os.fstat(handle).st_size > MOST_TIMES_BYTES
        finally:
            os.close(handle)
        if too_long:
            os.replace(path, path + ".before")
    except OSError:
        return  # a full disk costs a number, not the answer


def _log(reason: str) -> None:
    try:
        from tenure.spool import log

        log.write(NAME, reason)
    except Exception:
        return  # nowhere left to say it
