"""Bits set where nothing is stored: what a failing disk leaves in the parts of the file that no row reaches.

Erasing writes zeros, so unused bytes are zero, but for two remains of SQLite's own work: old cell pointers behind the
pointers in use, and pieces of whole rows where a page was divided. So only what neither can be is reported: one
single bit in an area that is zero otherwise. A miss is harmless there; a false alarm would not be.

Pages are read through SQLite's own handle: opening the file a second time would drop its locks.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterator

import apsw

from tenure.model.errors import StoreBusy
from tenure.store.sqlite.connection import explained, holding
from tenure.store.sqlite.lazy_connection import Handle

# Rows of these are longer than 127 bytes, so the first byte of a piece of one has two bits set at least.
_LONG_ROWS = ("ledger", "memory")
# Up to here old pointers may stand: in leaves of long rows, and in the root of a tree whose rows may be short.
_POINTERS_OF_LONG_ROWS, _POINTERS_OF_A_ROOT = 100, 1024
# A page of an overflow chain may have listed free pages before, one after another from its beginning.
_LISTED = 8
_LEAVES = (0x0A, 0x0D)
_PAGES_AT_ONCE = 256
_TRIES = 3


def stray_bits(store: Handle) -> Iterator[int]:
    """Return the pages with a bit set where nothing is stored; nothing while others keep writing."""
    if store.path is None or not store.path.exists():
        return
    connection = store.connection
    with _whole_file(store) as is_whole:
        if is_whole:
            yield from _stray(connection)


@contextlib.contextmanager
def _whole_file(store: Handle) -> Iterator[bool]:
    """Hold a view of the store that the file alone gives, without the log; say whether there is one."""
    connection = store.connection
    if connection.readonly("main"):
        log = store.path.with_name(f"{store.path.name}-wal") if store.path else None
        yield log is None or not log.exists() or not log.stat().st_size
        return
    for _ in range(_TRIES):
        with contextlib.suppress(StoreBusy, apsw.BusyError, apsw.FullError), holding(store.path, connection):
            before = connection.pragma("data_version")
            _, logged, merged = connection.execute("PRAGMA wal_checkpoint(PASSIVE)").fetchone() or (0, 0, 0)
            connection.execute("BEGIN")
            connection.execute("SELECT count(*) FROM sqlite_schema").fetchall()
            if logged == merged and connection.pragma("data_version") == before:
                break
        _end(connection)
    try:
        yield connection.in_transaction
    finally:
        _end(connection)


def write_anew(store: Handle) -> None:
    """Write the file anew, without the space that nothing is stored in."""
    if store.path is None or not store.path.exists():
        return
    with explained(store.path), holding(store.path, store.connection):
        store.connection.execute("VACUUM")
        store.connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchall()


def _end(connection: apsw.Connection) -> None:
    if connection.in_transaction:
        connection.execute("ROLLBACK")


def _stray(connection: apsw.Connection) -> Iterator[int]:
    try:
        rows: list[tuple[int, str, str, int, int]] = connection.execute(
            "SELECT pageno, name, pagetype, unused, path = '/' FROM dbstat"
        ).fetchall()  # type: ignore[assignment]
    except apsw.SQLError:
        # Not every build of SQLite can say what a page is for.
        return
    facts = {row[0]: row for row in rows}
    lists = _lists(connection)
    for number, page in _pages(connection):
        if number in facts:
            _, name, kind, unused, is_root = facts[number]
            if kind == "overflow":
                areas = [page[len(page) - unused + _LISTED :]] if unused > _LISTED else []
            else:
                areas = _areas(page, 100 if number == 1 else 0, name, bool(is_root))
        else:
            areas = [] if number in lists else [page]
        if any(map(_is_one_bit, areas)):
            yield number


def _pages(connection: apsw.Connection) -> Iterator[tuple[int, bytes]]:
    """Return (number, bytes in use) of every page; some builds keep a few bytes at the end of each for themselves."""
    size = connection.pragma("page_size")
    count = connection.pragma("page_count")
    _, start = connection.read("main", 0, 0, size)
    usable = size - start[20]
    for first in range(0, count, _PAGES_AT_ONCE):
        amount = min(_PAGES_AT_ONCE, count - first)
        complete, data = connection.read("main", 0, first * size, amount * size)
        if not complete:
            return
        for place in range(amount):
            yield first + place + 1, data[place * size : place * size + usable]


def _lists(connection: apsw.Connection) -> set[int]:
    """Return the free pages that list other free pages."""
    size = connection.pragma("page_size")
    _, start = connection.read("main", 0, 0, size)
    found: set[int] = set()
    number = int.from_bytes(start[32:36], "big")
    while number and number not in found and number <= connection.pragma("page_count"):
        found.add(number)
        _, page = connection.read("main", 0, (number - 1) * size, size)
        number = int.from_bytes(page[:4], "big")
    return found


def _areas(page: bytes, header: int, name: str, is_root: bool) -> list[bytes]:
    """Return what must be zero on a page of a tree: freed rows, and in leaves the space before the first row."""

    def number(at: int) -> int:
        return int.from_bytes(page[at : at + 2], "big")

    areas = []
    block = number(header + 1)
    while block:
        following = number(block)
        areas.append(page[block + 4 : block + number(block + 2)])
        # Blocks are listed in their order; anything else is damage that `integrity_check` reports.
        block = following if following > block else 0
    if page[header] in _LEAVES and (is_root or name in _LONG_ROWS):
        pointers = header + 8 + 2 * number(header + 3)
        old = _POINTERS_OF_A_ROOT if is_root else _POINTERS_OF_LONG_ROWS
        areas.append(page[max(pointers, old) : number(header + 5) or len(page)])
    return areas


def _is_one_bit(area: bytes) -> bool:
    """Tell whether one single bit of an area is set."""
    if area.count(0) != len(area) - 1:
        return False
    (byte,) = area.strip(b"\0")
    return byte.bit_count() == 1
