"""Where memories live: `api` says what a store does, `records` what it hands out, this page which stores there are.

The only package that knows SQL, and the only one that opens a database. A new kind of store is one line in `_MAKERS`,
or in `_ELSEWHERE` where it is no file of this machine.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from tenure.model.errors import TenureError
    from tenure.store.api import Store
    from tenure.store.hook_api import HookStore
    from tenure.store.offline import OfflineCopy


def _sqlite(path: Path | None) -> Store:
    from tenure.store.sqlite.store import SqliteStore  # start-up: only when this one is used

    return SqliteStore(path)


# The scheme of a store's address -> what opens it.
_MAKERS: dict[str, Callable[[Path | None], Store]] = {"sqlite": _sqlite}
SCHEMES = tuple(_MAKERS)


def _postgresql(address: str, project: str) -> Store:
    from tenure.files.database_address import parse  # the extra `postgres`: only when this one is used
    from tenure.store.postgres.store import PostgresStore

    return PostgresStore(parse(address, project))


# The scheme of an address elsewhere -> what opens it, given the address and the name of a project.
_ELSEWHERE: dict[str, Callable[[str, str], Store]] = {"postgresql": _postgresql}
# The store a project gets without asking, and the one that accompanies another system's files.
DEFAULT = "sqlite"


def open_store(path: Path | None, scheme: str = DEFAULT) -> Store:
    """Return the store at a path; None opens an empty one that is thrown away when it is closed."""
    return _MAKERS[scheme](path)


def open_for_hook(path: str, late: Callable[[], bool], layer: str = "", files: str = "") -> HookStore:
    """Return the existing store at a path, which gives up when it is `late`; raises OSError for a link.

    What a hook opens is always a file of this machine: a prompt waits for no network. `layer` is what ids begin with,
    `files` the folder whose files its memories come from.
    """
    from tenure.store.sqlite.hook_reader import SqliteHookStore  # start-up: hooks only

    return SqliteHookStore(path, late, layer, files)


def open_elsewhere(scheme: str, address: str, project: str) -> Store:
    """Return the store of a project at an address; nothing is asked of the network before it is used."""
    return _ELSEWHERE[scheme](address, project)


def open_offline(path: Path, why: TenureError) -> OfflineCopy | None:
    """Return what this machine knows of a store elsewhere that cannot be reached; None when it was never pulled."""
    from tenure.store.offline import OfflineCopy  # start-up: only while a database is away

    return OfflineCopy(path, why) if path.exists() else None


def engine() -> str:
    """Return what the default store runs on, with its version."""
    from tenure.store.sqlite import checking  # start-up: only the doctor asks

    return f"SQLite {checking.engine()}"
