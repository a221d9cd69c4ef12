"""The detached worker: learns from finished sessions, one after the other, and ends. Never more than one runs."""

from __future__ import annotations

import contextlib
import os

from tenure.model.errors import StoreBusy, StoreUnreachable, TenureError, Untrusted
from tenure.spool import journal, log, pending

# A worker that hangs is ended by the kernel.
LONGEST_SECONDS = 600


def main() -> int:
    """Learn from every journal that is ready; return 0, whatever happens."""
    from tenure.files.lock import exclusive

    folder = journal.folder()
    if not os.path.isdir(folder):
        return 0
    _behave()
    try:
        with exclusive(folder, wait_seconds=0):
            done: set[str] = set()
            while waiting := [path for path in pending.ready(folder) if path not in done]:
                for path in waiting:
                    done.add(path)
                    done.add(work(path))
    except StoreBusy:
        return 0  # another worker is at it
    except Exception as error:
        log.write("work", f"{type(error).__name__}: {error}")
    return 0


def work(path: str) -> str:
    """Learn from one journal; one that fails is kept, with the reason. Return the name it was worked on under."""
    taken = pending.take(path)
    lines = list(journal.lines(taken))
    try:
        learn(lines)
    except StoreUnreachable as error:
        # However long the database is away, the session waits for it.
        log.write("work", error.message)
    except Exception as error:
        reason = error.message if isinstance(error, TenureError) else f"{type(error).__name__}: {error}"
        log.write("work", reason)
        pending.give_back(taken, reason, sum(line.get("event") == "failed" for line in lines))
    else:
        os.unlink(taken)
    return taken


def learn(lines: list[dict[str, object]]) -> None:
    """Hand a session to its project's workspace."""
    facts = {key: str(value) for line in lines for key, value in line.items() if value and isinstance(value, str)}
    folder = facts.get("folder", "")
    if not folder or not os.path.isdir(folder) or not facts.get("session"):
        return
    from tenure import workspace

    try:
        ws = workspace.open(folder=folder, agent="worker")
    except Untrusted:
        log.write("work", f"{folder} is not trusted, so nothing was learned from a session in it")
        return
    with ws:
        learned = ws.learn(
            session=facts["session"],
            host=facts.get("host", ""),
            transcript=facts.get("transcript", ""),
            journal=lines,
        )
        ws.keep_head()
        ws.refresh()
        for note in ws.unusable:
            log.write("work", note)
        for note in learned.notes:
            log.write(log.LEARNED, note)


def _behave() -> None:
    """Yield to what the person is doing, and end after a while at the latest."""
    with contextlib.suppress(OSError, AttributeError):
        os.nice(10)
    with contextlib.suppress(ImportError, AttributeError, ValueError):
        import signal

        signal.alarm(LONGEST_SECONDS)
