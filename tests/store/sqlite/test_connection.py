"""Whatever the driver raises arrives as one of our errors: nobody outside knows which driver it was."""

from __future__ import annotations

from pathlib import Path

import apsw
import pytest

from tenure.model.errors import StoreBusy, StoreDamaged, StoreUnusable, TenureError
from tenure.store.sqlite.connection import explained

DRIVER = sorted(
    (kind for kind in vars(apsw).values() if isinstance(kind, type) and issubclass(kind, apsw.Error)),
    key=lambda kind: kind.__name__,
)


@pytest.mark.parametrize("kind", DRIVER, ids=lambda kind: kind.__name__)
def test_no_error_of_the_driver_gets_out(kind: type[Exception]) -> None:
    """HOUSE: apsw's errors reached ranking, trust, hooks and commands."""
    with pytest.raises(TenureError) as raised, explained(Path("memory.db")):
        raise kind("something happened")
    assert "memory.db" in raised.value.message and isinstance(raised.value.__cause__, kind)


@pytest.mark.parametrize(
    ("kind", "ours"),
    [
        (apsw.BusyError, StoreBusy),
        (apsw.LockedError, StoreBusy),
        (apsw.CorruptError, StoreDamaged),
        (apsw.NotADBError, StoreDamaged),
        (apsw.SQLError, StoreDamaged),
        (apsw.FullError, StoreUnusable),
        (apsw.ReadOnlyError, StoreUnusable),
        (apsw.CantOpenError, StoreUnusable),
        (apsw.IOError, StoreUnusable),
        (apsw.InterruptError, StoreUnusable),
    ],
)
def test_each_failure_says_what_it_means(kind: type[Exception], ours: type[TenureError]) -> None:
    """R8 to R10: what a user can do differs."""
    with pytest.raises(ours), explained(Path("memory.db")):
        raise kind("something happened")
