"""R14: an upgrade is all there or not at all, after a backup; a newer store is refused (see test_damage)."""

from __future__ import annotations

import signal
from pathlib import Path

import apsw
import pytest

import tenure
from tenure.model.errors import StoreDamaged
from tenure.store.sqlite import migrate
from tests.program import Program
from tests.store.test_concurrency import SAFETY_NET_SECONDS

NEXT = """
ALTER TABLE memory ADD COLUMN mood TEXT;
CREATE TABLE feeling (id INTEGER PRIMARY KEY, name TEXT);
INSERT INTO feeling (name) VALUES ('calm');
INSERT INTO feeling (name) VALUES ('keen');
"""
# Migrates while a trace kills the process at the n-th statement.
KILLED = f"""
import os, signal, sys
import apsw
from pathlib import Path
from tenure.store.sqlite import connection, migrate
steps = int(sys.argv[1])
original = migrate.migrations()
migrate.migrations = lambda: [*original, (original[-1][0] + 1, {NEXT!r})]
def watch(db):
    def trace(cursor, statement, bindings):
        global steps
        steps -= 1
        if steps == 0:
            os.kill(os.getpid(), signal.SIGKILL)
        return True
    db.exec_trace = trace
apsw.connection_hooks.append(watch)
connection.open_database(Path(".tenure/memory.db")).close()
print("migrated")
"""


def shape(path: Path) -> tuple[int, bool, int]:
    """Return the schema's number, whether the new table is there, and how many memories."""
    connection = apsw.Connection(str(path))
    try:
        version = connection.pragma("user_version")
        tables = {name for (name,) in connection.execute("SELECT name FROM sqlite_schema")}
        return version, "feeling" in tables, connection.execute("SELECT count(*) FROM memory").get
    finally:
        connection.close()


def test_a_migration_killed_at_every_statement_leaves_the_old_or_the_new(program: Program) -> None:
    """R14: kill at each statement; the data is equal, and the next open finishes the work."""
    with tenure.open(folder=program.folder) as ws:
        for n in range(3):
            ws.add(f"memory{n} from before the upgrade")
    old = migrate.schema_version()
    data = program.database.read_bytes()
    seen = set()
    for step in range(1, 60):
        program.database.write_bytes(data)
        process = program.start(KILLED, str(step))
        out, err = process.communicate(timeout=SAFETY_NET_SECONDS)
        version, new, count = shape(program.database)
        assert (version, new, count) in ((old, False, 3), (old + 1, True, 3)), err
        seen.add(version)
        if process.returncode != -signal.SIGKILL:
            assert out == b"migrated\n", err
            break
    assert seen == {old, old + 1}


def test_an_upgrade_keeps_a_backup_of_the_store_before(program: Program, monkeypatch: pytest.MonkeyPatch) -> None:
    """R14: backup, one transaction."""
    with tenure.open(folder=program.folder) as ws:
        ws.add("From before the upgrade")
    original = migrate.migrations()
    old = original[-1][0]
    monkeypatch.setattr(migrate, "migrations", lambda: [*original, (old + 1, NEXT)])
    with tenure.open(folder=program.folder) as ws:
        assert len(ws.memories()) == 1 and ws.check() == []
    backup = program.database.with_name(f"memory.db.schema-{old}.bak")
    assert shape(backup) == (old, False, 1) and shape(program.database) == (old + 1, True, 1)
    assert backup.stat().st_mode & 0o777 == 0o600


def test_a_migration_that_fails_leaves_the_old_store(program: Program, monkeypatch: pytest.MonkeyPatch) -> None:
    """R14: old or new, never between."""
    with tenure.open(folder=program.folder) as ws:
        ws.add("From before the upgrade")
    original = migrate.migrations()
    broken = (original[-1][0] + 1, NEXT + "INSERT INTO nowhere VALUES (1);")
    monkeypatch.setattr(migrate, "migrations", lambda: [*original, broken])
    with pytest.raises(StoreDamaged), tenure.open(folder=program.folder) as ws:
        ws.memories()
    monkeypatch.undo()
    assert shape(program.database) == (original[-1][0], False, 1)
