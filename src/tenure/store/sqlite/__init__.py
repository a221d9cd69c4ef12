"""The store in one SQLite file: `store.py` is what use cases get, `hook_reader.py` what hooks get.

Here stand the columns of a memory's row, what the hash is made of that tells a row altered behind our back, and how
the file is opened. Both sides need them and a hook pays for every module, so they stand in the package itself and
import next to nothing.

SQLite opens the database, its log and its journal by name, at moments of its own choosing. It gets names that go
through a descriptor (`/proc/self/fd/7/memory.db`): they lead to the folder that was opened, whatever the folder's name
leads to by then (S9). Where a system has no such names (macOS, Windows, no /proc) plain ones are used.
"""

from __future__ import annotations

import os
from _thread import allocate_lock
from collections.abc import Sequence

import apsw

from tenure.files import sha256

TYPE_CHECKING = False
if TYPE_CHECKING:
    from pathlib import Path
    from typing import Any

_AS_IT_STANDS = allocate_lock()

COLUMNS = "n, id, version, kind, state, phase, eligible, weight, line, due_at, fingerprint, record, hash"
QUALIFIED = "memory." + COLUMNS.replace(", ", ", memory.")
# Which memories are looked at -> the end of a clause (`records.Among`).
AMONG = {"all": "", "present": "AND memory.phase != 'gone'", "eligible": "AND memory.eligible = 1"}
# Where some of them stand.
NUMBER, ID, VERSION, KIND, STATE, ELIGIBLE, WEIGHT, LINE, FINGERPRINT, RECORD, HASH = 0, 1, 2, 3, 4, 6, 7, 8, 10, 11, 12

# What a guard's fire is hashed over, in this order, and what stands between needles.
FIRE_COLUMNS = ("at", "memory", "session", "host", "outcome", "about", "call", "verdict")
NEEDLES_BETWEEN = "\x1f"
# What an exposure is hashed over, in this order.
EXPOSURE_COLUMNS = ("session", "memory", "at", "shown", "share", "surface", "host", "kind", "crossed", "own")
# What the coin of each memory that would be shown must know, in one statement; {} are marks for the ids.
KNOWN_TO_THE_COIN = """
    SELECT (SELECT value FROM meta WHERE key = 'key'),
        (SELECT shown FROM exposure WHERE session = ?1 AND memory = '(block)'),
        id,
        -- A guard that only counts acts on nothing, and is what its memory is measured by.
        iif(record ->> '$.guard.state' IS 'on' AND coalesce(record ->> '$.guard.level', 'count') != 'count',
            'guard', kind),
        state, record ->> 'trust' IS 'user',
        EXISTS (SELECT 1 FROM json_each(record, '$.tags') AS tag WHERE lower(tag.value) = 'security'),
        (SELECT count(*) FROM exposure AS e WHERE e.memory = m.id),
        (SELECT e.shown FROM exposure AS e WHERE e.session = ?1 AND e.memory = m.id)
    FROM memory AS m WHERE id IN ({})
"""


# A memory's row as `hashed` writes it, in one step.
_AS_HASHED = "\0".join(["%s"] * HASH)


def hashed(*columns: object) -> bytes:
    """Return what the hash of a row is made of, in every table that carries one."""
    return "\0".join(map(str, columns)).encode()


def hashed_memory(row: Sequence[Any]) -> bytes:
    """Return what the hash of a memory's row is made of: `hashed` for the many rows that every read proves."""
    return (_AS_HASHED % tuple(row[:HASH])).encode()


def is_whole(row: Sequence[Any]) -> bool:
    """Tell whether a memory's row is as Tenure wrote it."""
    return bool(sha256(hashed_memory(row)).digest() == row[HASH])


class Database(apsw.Connection):
    """A connection that holds the folder of its files open; `folder` is None where they are opened by plain names."""

    folder: int | None = None

    def __init__(self, path: str, flags: int = apsw.SQLITE_OPEN_READWRITE, options: str = "") -> None:
        """Open an existing database, with the options of an SQLite URI; raise `OSError` when its folder is a link."""
        folder, name = os.path.split(path)
        self.folder, inside = _held(folder)
        self.named = path if self.folder is None else f"{inside}/{name}"
        where = self.named
        if options:
            where = "file:" + "".join(sign if sign not in "%?#" else f"%{ord(sign):02x}" for sign in where) + options
            flags |= apsw.SQLITE_OPEN_URI
        try:
            with as_it_stands():
                super().__init__(where, flags=flags)
            # Our schema has none, and a view or trigger that a clone's file brings is code of its own: it need not end.
            self.config(apsw.SQLITE_DBCONFIG_ENABLE_VIEW, 0)
            self.config(apsw.SQLITE_DBCONFIG_ENABLE_TRIGGER, 0)
        except BaseException:
            self._let_go()
            raise

    def close(self, force: bool = False) -> None:
        """Close the database, and only then its folder: closing folds the log in and removes it by name."""
        super().close(force)
        self._let_go()

    def __del__(self) -> None:
        try:
            self.close(True)
        except apsw.Error:
            return

    def _let_go(self) -> None:
        if self.folder is not None:
            os.close(self.folder)
            self.folder = None


def named(connection: apsw.Connection, path: Path) -> str:
    """Return the name by which an open database, and files beside it, are reached through the folder it lies in."""
    return connection.named if isinstance(connection, Database) else str(path)


def beside(connection: apsw.Connection, path: Path) -> Path:
    """Return `named` as a path."""
    return type(path)(named(connection, path))


def make(path: Path) -> None:
    """Make an empty file for a database, for its owner only; leave one that is there as it is."""
    folder, inside = _held(str(path.parent))
    try:
        os.close(os.open(f"{inside}/{path.name}", os.O_RDWR | os.O_CREAT | os.O_EXCL, 0o600))
    except FileExistsError:
        pass
    finally:
        if folder is not None:
            os.close(folder)


class as_it_stands:
    """Let SQLite take paths as they stand: resolving the links in one would make a plain name of a descriptor.

    It looks for links with `lstat`; `stat` sees none. The table of calls is one for the whole process, hence the lock.
    """

    def __enter__(self) -> None:
        _AS_IT_STANDS.acquire()
        self._calls = apsw.VFS("tenure", "unix") if hasattr(os, "O_PATH") else None
        if self._calls is not None:
            self._calls.xSetSystemCall("lstat", self._calls.xGetSystemCall("stat") or 0)

    def __exit__(self, *_: object) -> None:
        if self._calls is not None:
            self._calls.xSetSystemCall("lstat", 0)
        _AS_IT_STANDS.release()


def _held(folder: str) -> tuple[int | None, str]:
    """Return the descriptor of a folder that is no link, and the folder's name by it; its plain name without one."""
    if not hasattr(os, "O_PATH"):
        return None, folder
    descriptor = os.open(folder or ".", os.O_PATH | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC)
    name = f"/proc/self/fd/{descriptor}"
    try:
        if os.path.samestat(os.stat(name), os.fstat(descriptor)):
            return descriptor, name
    except OSError:
        pass
    os.close(descriptor)
    return None, folder
