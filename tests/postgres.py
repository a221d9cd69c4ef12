"""A PostgreSQL server for tests: one for the whole session, and a database of its own for each worker.

It comes from PyPI and needs nothing installed. Where it cannot be had, tests that need it are skipped and say so.
"""

from __future__ import annotations

import os
import secrets
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from functools import cache
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parents[1] / "scripts"))
from postgres_server import NoServer, Server

PASSWORD = "s3cret-of-the-tests"


# Where the server of this session lives; workers get it from the process that started them.
FOLDER = "TENURE_TEST_POSTGRES"


@cache
def server() -> str:
    """Return the address of the server's superuser; skip the test when there is no server."""
    pytest.importorskip("psycopg", reason="no driver of PostgreSQL here; the extra `dev` brings it")
    try:
        return Server(Path(os.environ[FOLDER])).start()
    except (NoServer, OSError, subprocess.CalledProcessError) as error:
        pytest.skip(f"PostgreSQL does not start here: {error}")


def begin() -> None:
    """Choose a folder for the server of this session; its path is short, because that of a socket has to be."""
    os.environ.setdefault(FOLDER, tempfile.mkdtemp(prefix="tenure-pg-"))


def end() -> None:
    """Stop the server of this session, in the process that chose its folder."""
    folder = Path(os.environ[FOLDER])
    if (folder / "data").exists():
        Server(folder).remove()
    for left in (folder, Path(f"{folder}.lock")):
        shutil.rmtree(left, ignore_errors=True) if left.is_dir() else left.unlink(missing_ok=True)


@cache
def database() -> str:
    """Return the address of a database with Tenure's schema, made once per worker, as its superuser."""
    import psycopg

    from tenure.store.postgres import connection, migrate

    name = f"tenure_{os.getpid()}"
    with psycopg.connect(server(), autocommit=True) as made:
        made.execute(f'CREATE DATABASE "{name}"')
    address = as_role(server(), "postgres", database=name)
    with connection.connect(address) as opened:
        migrate.migrate(opened)
    return address


def as_role(address: str, role: str, *, database: str = "", password: str = "") -> str:
    """Return the address with which a role logs in."""
    from urllib.parse import urlsplit, urlunsplit

    parts = urlsplit(address)
    host = parts.netloc.rpartition("@")[2]
    secret = f":{password}" if password else ""
    return urlunsplit(
        ("postgresql", f"{role}{secret}@{host}", f"/{database}" if database else parts.path, parts.query, "")
    )


def person(role: str, *groups: str, project: str | None = None, domains: Sequence[str] = ()) -> str:
    """Make a role that can log in, in these groups, and return its address."""
    import psycopg

    from tenure.store.postgres import roles

    with psycopg.connect(database(), autocommit=True) as admin:
        known = admin.execute("SELECT 1 FROM pg_roles WHERE rolname = %s", (role,)).fetchone()
        if known is None:
            admin.execute(f"CREATE ROLE \"{role}\" LOGIN PASSWORD '{PASSWORD}'")
        roles.grant(admin, role, groups, project=project, domains=domains)
    return as_role(database(), role, password=PASSWORD)


def project_name() -> str:
    """Return the name of a project nobody has."""
    return f"project-{secrets.token_hex(6)}"


@cache
def members_decide() -> None:
    """Let members decide alone in projects made from now on."""
    import psycopg

    from tenure.store.postgres import roles

    with psycopg.connect(database(), autocommit=True) as admin:
        roles.init(admin, approvals=0)


def set_approvals(project: str, approvals: int) -> None:
    """Say how many others must agree in a project."""
    import psycopg

    from tenure.store.postgres import roles

    with psycopg.connect(database(), autocommit=True) as admin:
        roles.set_approvals(admin, project, approvals)


class Line:
    """A way to a server that can be cut: its socket under another name."""

    def __init__(self, server: Path | None = None) -> None:
        self.server = server or Path(os.environ[FOLDER])
        self.folder = Path(tempfile.mkdtemp(prefix="tenure-line-"))
        self.folder.chmod(0o755)
        self.socket = self.folder / ".s.PGSQL.5432"
        self.mend()

    def __enter__(self) -> Line:
        return self

    def __exit__(self, *_: object) -> None:
        shutil.rmtree(self.folder, ignore_errors=True)

    def through(self, address: str) -> str:
        """Return an address that goes this way."""
        return address.replace(str(self.server), str(self.folder))

    def cut(self) -> None:
        """Let nobody through any more; whoever is connected stays so."""
        self.socket.unlink()

    def mend(self) -> None:
        """Let everybody through again."""
        self.socket.symlink_to(self.server / self.socket.name)
