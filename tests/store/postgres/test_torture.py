"""Eight clients with offline spells while the database is killed fifty times (issue 23), and a short sibling."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests import postgres
from tests.store.postgres import torture


@pytest.fixture
def folder() -> Iterator[Path]:
    """A folder that the server's user can reach, with a path short enough for a socket."""
    import shutil
    import tempfile

    postgres.server()
    made = Path(tempfile.mkdtemp(prefix="tenure-torture-"))
    made.chmod(0o755)
    yield made
    shutil.rmtree(made, ignore_errors=True)


def _holds(found: torture.Outcome) -> None:
    counts = {name: value if isinstance(value, int) else len(value) for name, value in found._asdict().items()}
    print(", ".join(f"{count} {name.replace('_', ' ')}" for name, count in counts.items()))
    assert found.acknowledged > 0 and found.lost == [] and found.twice == [], found
    assert found.refused == [] and found.differing == [] and found.problems == [], found


@pytest.mark.slow
def test_nothing_is_lost_or_done_twice_while_the_database_is_killed_fifty_times(folder: Path) -> None:
    """Issue 23: 0 commands lost, 0 applied twice, all replicas equal."""
    _holds(torture.run(folder, clients=8, kills=50, pause=2.0))


@pytest.mark.slow
def test_nothing_is_lost_while_the_database_is_killed_a_few_times(folder: Path) -> None:
    """Issue 23: the short sibling."""
    _holds(torture.run(folder, clients=2, kills=3, pause=1.5))
