"""Where memories live: `api` says what a store does, `records` what it hands out, `opening` which stores there are.

The only package that knows SQL, and the only one that opens a database.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from tenure.store.api import HookStore


def open_for_hook(path: str, late: Callable[[], bool]) -> HookStore:
    """Return the existing store at a path, which gives up when it is `late`; raises OSError for a link.

    What a hook opens is always a file of this machine: a prompt waits for no network.
    """
    from tenure.store.sqlite.hook_reader import SqliteHookStore  # start-up: hooks only

    return SqliteHookStore(path, late)
