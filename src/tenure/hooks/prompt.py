"""Every prompt: the few memories that answer it, or silence.

Runs in a new process before each message is sent, so it uses the standard library and apsw only, takes the JSON apart
with SQLite, and gives up at its deadline. Whatever breaks, nothing is printed, the reason is logged, the status is 0.
"""

from __future__ import annotations

import os
import sys
import time

from tenure import trust
from tenure.hooks import place
from tenure.recall import block, budget, rank, weights
from tenure.recall.rank import Candidate
from tenure.store import glance

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    import apsw

DEADLINE_SECONDS = 0.3
CANDIDATES = 100
# Of so many the lifecycle is looked at; the words and the stored weight have put them first.
LOOKED_AT = 24
MOST_BYTES_IN = 8 * 1024 * 1024
# An agent cuts longer text away or shows only a preview of it (10,000 characters in Claude Code).
MOST_CHARACTERS = 9000
# Hosts by a variable they set -> the key of a context that stands at the top of the answer; empty: nothing special.
HOSTS = (
    ("CURSOR_VERSION", "cursor", "additional_context"),
    ("COPILOT_CLI", "copilot", "additionalContext"),
    ("GEMINI_SESSION_ID", "gemini", ""),
    ("CLAUDECODE", "claude-code", ""),
)


def main() -> int:
    """Answer the prompt on standard input in the host's shape, and return 0 whatever happens."""
    seconds = float(os.environ.get("TENURE_HOOK_SECONDS") or DEADLINE_SECONDS)
    deadline = time.monotonic() + seconds
    try:
        _give_up_after(seconds)
        answer = _answer(sys.stdin.buffer.read(MOST_BYTES_IN), lambda: time.monotonic() > deadline)
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
    folder = glance.field(scratch, document, "cwd") or os.getcwd()
    _, host, key = next((entry for entry in HOSTS if os.environ.get(entry[0])), ("", "claude-code", ""))
    path, trusted_as, named = place.database(folder)
    if not os.path.exists(path):
        return "{}" if host == "gemini" else ""
    # Gemini CLI puts what we said at the session's start in front of the first prompt.
    prompt = glance.field(scratch, document, "prompt", "user_prompt").rpartition("</hook_context>")[2]
    run = glance.field(scratch, document, "session_id", "sessionId", "conversation_id")[:200]
    called = glance.field(scratch, document, "hook_event_name") or "UserPromptSubmit"
    connection = glance.open_store(path, late)
    try:
        mark = trust.mark_of(glance.key(connection)) if path == trusted_as else ""
        if not named and not trust.trusted(trusted_as, mark):
            return "{}" if host == "gemini" else ""
        text = answer(connection, prompt, run, host)
    finally:
        connection.close()
    if not text or len(text) > MOST_CHARACTERS:
        return "{}" if host == "gemini" else ""
    if called == "beforeSubmitPrompt":
        go_on = "SELECT json_object(?, ?, 'continue', json('true'))"
        return str(scratch.execute(go_on, (key or "additional_context", text)).get)
    if key:
        return str(scratch.execute("SELECT json_object(?, ?)", (key, text)).get)
    shape = "SELECT json_object('hookSpecificOutput', json_object('hookEventName', ?, 'additionalContext', ?))"
    return str(scratch.execute(shape, (called, text)).get)


def answer(connection: apsw.Connection, prompt: str, run: str, host: str) -> str:
    """Return the block for a prompt, and write down what is in it; empty when nothing answers."""
    query, rows = glance.matching(connection, prompt, CANDIDATES)
    if not rows:
        return ""
    now = glance.now(connection)
    limits = glance.limits(connection)
    moment = rank.Moment(prompt, query, now[:10])
    off = {value for name, value in limits.items() if name.startswith("$.disabled_kinds")}
    found = {}
    for row in rows:
        if row[3] in off:
            continue
        item = Candidate(row[1], row[3], row[4], row[7], row[8])
        item.number = row[0]
        rank.measure(item, query, query.found[row[0]], moment)
        found[item.id] = (item, row)
    if not found:
        return ""
    first = rank.rank([item for item, _ in found.values()])[:LOOKED_AT]
    for item in first:
        _tell(connection, item, found[item.id][1][11], now, limits)
        rank.measure(item, query, query.found[found[item.id][1][0]], moment)
    rank.measure_together(first, query)
    ranked = rank.rank(first)
    least, floor = (_limit(limits, name) for name in ("least_evidence", "floor_share"))
    best = ranked[0].score
    kept = [item for item in ranked if not rank.doubt(item, best, least, floor) and glance.is_whole(found[item.id][1])]
    chosen, _ = budget.choose(
        kept,
        limit=int(_limit(limits, "limit")),
        budget_chars=int(_limit(limits, "budget_chars")),
        duplicate_overlap=_limit(limits, "duplicate_overlap"),
    )
    if not chosen:
        return ""
    contradicted = [id for item, _ in chosen for id in item.conflicts]
    here = glance.present(connection, contradicted) if contradicted else set()
    for item, _ in chosen:
        item.conflicts = tuple(id for id in item.conflicts if id in here)
    # Only words that memories hold are kept: what else a prompt says may be a secret.
    asked = " ".join(term.word for term in query.terms)
    try:
        glance.remember(connection, now, run, host, asked, [(item.id, item.score) for item, _ in chosen])
    except Exception as error:
        _log(f"shown without a trace ({error}): {', '.join(item.id for item, _ in chosen)}")
    return block.render(chosen)


def _tell(connection: apsw.Connection, item: Candidate, record: str, now: str, limits: dict[str, Any]) -> None:
    """Add what the record says of a memory's life."""
    title, text, created, checked, after, helped, harmed, reviewed, run, agent, first_run, conflicts, files, age = (
        glance.facts(connection, record, now)
    )
    item.title, item.text, item.created_at, item.checked_at = title or "", text or "", created or "", checked or ""
    item.superseded_by, item.conflicts, item.files = after, conflicts, files
    item.helped, item.harmed, item.reviewed = helped or 0, harmed or 0, bool(reviewed)
    item.origin = f"run {run}" if run and not reviewed else ""
    item.author, item.run = agent or "", first_run or ""
    half_life = limits.get(f"$.half_life_days.{item.kind}") or limits.get("$.half_life_days.unknown")
    if half_life and age and age > 0:
        item.stale = 1 - 0.5 ** (age / half_life)


def _limit(limits: dict[str, Any], name: str) -> float:
    return float(limits.get(f"$.{name}", weights.LIMITS[name]))


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
