"""The drill of docs/postgresql.md: back up, lose the database, restore, prove it, and go on (issue 23)."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest
from postgres_server import binaries

from tests import postgres
from tests.program import Program

psycopg = pytest.importorskip("psycopg", reason="no driver of PostgreSQL here; the extra `dev` brings it")


def test_a_restored_backup_proves_itself_keeps_the_rules_and_copies_follow_it(program: Program, tmp_path: Path) -> None:
    """Issue 23: a tested drill. What was written after the backup is gone everywhere, and nothing else."""
    postgres.members_decide()
    project = postgres.project_name()
    first = f"drill_{os.getpid()}"
    superuser = postgres.as_role(postgres.server(), "postgres", database=first)
    with psycopg.connect(postgres.server(), autocommit=True) as made:
        made.execute(f"CREATE DATABASE {first}")
    for words in (("init", "--approvals", "0"), ("grant", "ana", "member"), ("grant", "robot", "agent")):
        for name in ("ana", "robot"):
            postgres.person(name, "member" if name == "ana" else "agent")
        assert program("--store", superuser, "team", *words).status == 0
    url = f"{postgres.as_role(superuser, 'ana', password=postgres.PASSWORD)}#{project}"
    kept = program.ok("--store", url, "add", "Run make db before the integration tests of billing")["id"]

    dump, tools = tmp_path / "memory.dump", binaries()
    subprocess.run([tools / "pg_dump", "--format=custom", f"--file={dump}", superuser], check=True)
    lost = program.ok("--store", url, "add", "The cache is warmed at six in the morning")["id"]
    program.ok("--store", url, "team", "pull")
    with psycopg.connect(postgres.server(), autocommit=True) as made:
        made.execute(f"DROP DATABASE {first} WITH (FORCE)")
        made.execute(f"CREATE DATABASE {first}")
    subprocess.run([tools / "pg_restore", "--exit-on-error", f"--dbname={superuser}", dump], check=True)

    assert program.ok("--store", url, "check")["problems"] == []
    pulled = program.ok("--store", url, "team", "pull")["pulled"]
    assert pulled["rebuilt"] and (pulled["memories"], pulled["gone"]) == (1, 1)
    assert [item["id"] for item in program.ok("--store", url, "list")["memories"]] == [kept] != [lost]
    assert program.ok("--store", url, "log", kept, "--effect", "positive")["id"] == kept
    robot = postgres.as_role(superuser, "robot", password=postgres.PASSWORD)
    with psycopg.connect(robot, autocommit=True) as agent:
        assert agent.execute("SELECT count(*) FROM tenure.memory").fetchone() == (0,), "no project was named"
        with pytest.raises(psycopg.errors.InsufficientPrivilege):
            agent.execute("UPDATE tenure.memory SET eligible = 1")
