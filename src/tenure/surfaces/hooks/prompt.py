"""Every prompt: the few memories that answer it, or silence.

Runs in a new process before each message is sent, so it uses the standard library and apsw only, takes the JSON apart
with SQLite, and gives up at its deadline. Whatever breaks, nothing is printed, the reason is logged, the status is 0.
"""

from __future__ import annotations

import os
import sys
import time

from tenure.files import sockets, trust
from tenure.recall import rank
from tenure.store.sqlite import hook_reader
from tenure.surfaces.hooks import host as hosts
from tenure.surfaces.hooks import place, showing
from tenure.surfaces.hooks.showing import Moment

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    import apsw

    from tenure.surfaces.hooks.server_client import Ranked

CANDIDATES = 100
# So many are compared by the meaning of their words, where there are vectors.
COMPARED = 40
# Of so many the lifecycle is looked at; the words and the stored weight have put them first.
LOOKED_AT = 24


def main() -> int:
    """Answer the prompt on standard input in the host's shape, and return 0 whatever happens."""
    seconds = float(os.environ.get("TENURE_HOOK_SECONDS") or hosts.DEADLINE_SECONDS["prompt"])
    deadline = time.monotonic() + seconds
    try:
        _give_up_after(seconds)
        answer = _answer(sys.stdin.buffer.read(hosts.MOST_BYTES_IN), lambda: time.monotonic() > deadline)
        _give_up_after(0)
        if answer:
            sys.stdout.buffer.write(answer.encode("utf-8", "replace"))
            sys.stdout.buffer.flush()
    except BaseException as error:
        _give_up_after(0)
        _log(f"{type(error).__name__}: {error}")
    return 0


def _answer(data: bytes, late: Callable[[], bool]) -> str:
    import apsw

    document = data.decode("utf-8", "replace")
    scratch = apsw.Connection("")
    folder = hook_reader.field(scratch, document, "cwd") or os.getcwd()
    host = hosts.host()
    key = hosts.TOP_LEVEL.get(host, "")
    path, trusted_as, named = place.database(folder)
    if not os.path.exists(path):
        return "{}" if host == "gemini" else ""
    # Gemini CLI puts what we said at the session's start in front of the first prompt.
    prompt = hook_reader.field(scratch, document, "prompt", "user_prompt").rpartition("</hook_context>")[2]
    run = hook_reader.field(scratch, document, "session_id", "sessionId", "conversation_id")[:200]
    called = hook_reader.field(scratch, document, "hook_event_name") or "UserPromptSubmit"
    connection = hook_reader.open_store(path, late)
    try:
        mark = trust.mark_of(hook_reader.key(connection)) if path == trusted_as else ""
        if not named and not trust.trusted(trusted_as, mark):
            return "{}" if host == "gemini" else ""
        text = answer(connection, path, prompt, run, host)
    finally:
        connection.close()
    if not text:
        return "{}" if host == "gemini" else ""
    if called == "beforeSubmitPrompt":
        go_on = "SELECT json_object(?, ?, 'continue', json('true'))"
        return str(scratch.execute(go_on, (key or "additional_context", text)).get)
    if key:
        return str(scratch.execute("SELECT json_object(?, ?)", (key, text)).get)
    shape = "SELECT json_object('hookSpecificOutput', json_object('hookEventName', ?, 'additionalContext', ?))"
    return str(scratch.execute(shape, (called, text)).get)


def answer(connection: apsw.Connection, path: str, prompt: str, run: str, host: str) -> str:
    """Return the block for a prompt, and write down what is in it; empty when nothing answers."""
    moment = Moment(connection, run, host)
    ranked, rows, asked, reasons = _asked_server(moment, path, prompt) or _alone(moment, prompt)
    if not ranked:
        return ""
    least, floor = (moment.limit(name) for name in ("least_evidence", "floor_share"))
    best = ranked[0].score
    kept = [item for item in ranked if not rank.doubt(item, best, least, floor) and hook_reader.is_whole(rows[item.id])]
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


def _asked_server(moment: Moment, path: str, prompt: str) -> Ranked | None:
    """Return what a running server ranks; None when there is none."""
    if not hasattr(os, "getuid") or not os.path.lexists(sockets.path(path)):
        return None
    from tenure.surfaces.hooks import server_client  # start-up: most stores have no server

    return server_client.ask(moment, path, prompt)


def _alone(moment: Moment, prompt: str) -> Ranked:
    """Return the best candidates by their words, their rows, the words that were asked for, and the reasons."""
    query, rows = hook_reader.matching(moment.connection, prompt, CANDIDATES)
    asking_now = rank.Moment(prompt, query, moment.now[:10])
    off = {value for name, value in moment.limits.items() if name.startswith("$.disabled_kinds")}
    found, items = {}, []
    for row in rows:
        if row[showing.KIND] in off:
            continue
        item = showing.candidate(row)
        rank.measure(item, query, query.found[row[showing.N]], asking_now)
        found[item.id] = row
        items.append(item)
    best = rank.rank(items)[:COMPARED]
    close = _gists(moment.connection, prompt, [item.number for item in best])
    for item in best:
        item.gist = item.signals["gist"] = close.get(item.number, 0.0)
    first = rank.rank(best)[:LOOKED_AT]
    for item in first:
        row = found[item.id]
        showing.tell(moment, item, row)
        rank.measure(item, query, query.found[row[showing.N]], asking_now)
    rank.measure_together(first, query)
    ranked = rank.rank(first, float(moment.limits.get("$.silence") or 0.0))
    # Only words that memories hold are kept: what else a prompt says may be a secret.
    asked = " ".join(term.word for term in query.terms)
    return ranked, found, asked, {item.id: {"terms": rank.terms(item)} for item in ranked}


def _gists(connection: apsw.Connection, prompt: str, numbers: list[int]) -> dict[int, float]:
    """Return row number -> how near a memory is by the meaning of single words; nothing without vectors."""
    made = hook_reader.encoder(connection)
    if not made or not numbers:
        return {}
    from tenure.recall import word_vectors  # start-up: most stores have no vectors

    return (
        word_vectors.measured(word_vectors.path(trust.home(), made), prompt, hook_reader.codes(connection, numbers))
        or {}
    )


def _give_up_after(seconds: float) -> None:
    """Set or clear the alarm that ends a hook which waits for something else than the store."""
    try:
        import _signal  # type: ignore[import-not-found]  # `signal` itself would bring enum along
    except ImportError:
        return
    if hasattr(_signal, "setitimer"):
        _signal.signal(_signal.SIGALRM, _too_late)
        _signal.setitimer(_signal.ITIMER_REAL, seconds)


def _too_late(*_: object) -> None:
    raise TimeoutError("not done in time, so nothing was said")


def _log(reason: str) -> None:
    try:
        from tenure.spool import log

        log.write("prompt", reason)
    except Exception:
        return  # nowhere left to say it
