"""Where a person's machines exchange files: a plain folder or a private git repository. Each machine writes one file.

In a repository each machine has its own branch, written from memory with git's plumbing commands: there is no working
tree, so nobody's hook, filter or merge can run, and the configuration is that of a bare repository we made. A commit
has no parent, so that what was forgotten does not stay in the branch's history, and our repository is gone after each
sync, because git keeps what no branch leads to any more.
"""

from __future__ import annotations

import contextlib
import os
import shutil
import subprocess
import tempfile
from pathlib import Path

from tenure.files import durable, locate, search_path
from tenure.model import clock
from tenure.model.errors import BadRequest, InvalidInput, Refused, StoreUnusable, TenureError

GIT = "git:"
ENDING = ".jsonl"
MOST_BYTES = 256 * 1024 * 1024
SECONDS = 120.0
FOLDER = "sync"
# A sync that was killed left its repository; none takes so long.
LEFT_SECONDS = 3600.0
_BRANCHES = "refs/heads/machines"
_SETTINGS = (
    "core.hooksPath=/dev/null",
    "core.fsmonitor=false",
    "protocol.allow=never",
    "protocol.file.allow=always",
    "protocol.https.allow=always",
    "protocol.ssh.allow=always",
    "fetch.recurseSubmodules=false",
    "push.recurseSubmodules=no",
    "gc.auto=0",
)
# A repository in a folder is served by git here, with settings and hooks of whoever else writes there.
_SERVING = (
    "core.hooksPath=/dev/null",
    "core.alternateRefsCommand=:",
    "core.fsmonitor=false",
    "protocol.allow=never",
    "receive.autogc=false",
    "receive.denyCurrentBranch=refuse",
)


class Remote:
    """What every machine wrote for one project."""

    def __init__(self, address: str, name: str) -> None:
        self._name = name
        self._git = _Git(address.removeprefix(GIT), name) if address.startswith(GIT) else None
        self._folder = Path(os.path.expanduser(address)).absolute() / name

    def read(self) -> dict[str, bytes]:
        """Return each machine's file by the machine's id; a link or a file that is too large is an error."""
        if self._git is not None:
            return self._git.read()
        if not self._folder.parent.is_dir():
            raise BadRequest(f"{str(self._folder.parent)!r} is not a folder.", hint="Make it, or name another.")
        self._refuse_link()
        if not self._folder.is_dir():
            return {}
        found = sorted(path for path in self._folder.iterdir() if path.name.endswith(ENDING) and _plain(path.stem))
        return {path.stem: durable.read_bytes(path, limit=MOST_BYTES) for path in found}

    def write(self, machine: str, data: bytes) -> None:
        """Put this machine's own file there; the others' are never touched."""
        if self._git is not None:
            self._git.write(machine, data)
            return
        self._refuse_link()
        try:
            self._folder.mkdir(mode=0o700, exist_ok=True)
            durable.replace(self._folder / f"{machine}{ENDING}", data, mode=0o600)
        except OSError as error:
            raise StoreUnusable(f"{str(self._folder)!r} cannot be written: {error.strerror}.") from None

    def close(self) -> None:
        """Remove what git kept here."""
        if self._git is not None:
            self._git.close()

    def _refuse_link(self) -> None:
        """Stop at a project's folder that leads elsewhere: whoever shares the place could have put it there."""
        if self._folder.is_symlink():
            raise Refused(f"{str(self._folder)!r} is a symbolic link, and those are not followed here.")


class _Git:
    """A bare repository in the user's folder through which the remote one is read and written."""

    def __init__(self, address: str, name: str) -> None:
        if not address or address.startswith("-") or "::" in address:
            raise BadRequest(f"{address!r:.80} is not the address of a repository.")
        self._address, self._name = address, name
        around = locate.home() / FOLDER
        around.mkdir(mode=0o700, parents=True, exist_ok=True)
        remove_left()
        self._folder = Path(tempfile.mkdtemp(suffix=".git", dir=around))
        try:
            self._run("init", "--quiet", "--bare", "--template=", str(self._folder), inside=False)
        except TenureError:
            self.close()
            raise

    def close(self) -> None:
        shutil.rmtree(self._folder, ignore_errors=True)

    def read(self) -> dict[str, bytes]:
        branches = f"+{_BRANCHES}/*:{_BRANCHES}/*"
        self._run(
            "fetch", *self._served("upload-pack"), "--quiet", "--prune", "--no-tags", "--", self._address, branches
        )
        names = self._run("for-each-ref", "--format=%(refname)", f"{_BRANCHES}/{self._name}/").decode().split()
        machines = {name.rpartition("/")[2]: name for name in names}
        return {machine: self._blob(f"{ref}:memories{ENDING}") for machine, ref in machines.items() if _plain(machine)}

    def _blob(self, name: str) -> bytes:
        size = int(self._run("cat-file", "-s", name))
        if size > MOST_BYTES:
            raise InvalidInput(f"{name!r} has {size:,} bytes; at most {MOST_BYTES:,} are read.")
        return self._run("cat-file", "blob", name)

    def write(self, machine: str, data: bytes) -> None:
        blob = self._run("hash-object", "-w", "--stdin", stdin=data).decode().strip()
        entry = f"100644 blob {blob}\tmemories{ENDING}\n".encode()
        tree = self._run("mktree", stdin=entry).decode().strip()
        commit = self._run("commit-tree", tree, "-m", "tenure sync").decode().strip()
        branch = f"{commit}:{_BRANCHES}/{self._name}/{machine}"
        self._run("push", *self._served("receive-pack"), "--quiet", "--force", "--", self._address, branch)

    def _served(self, program: str) -> list[str]:
        """Return the option by which a repository on this machine runs nothing of its own; elsewhere it has its own."""
        before, colon, _ = self._address.partition(":")
        if colon and "/" not in before and before.lower() != "file":
            return []
        return [f"--{program}=git {' '.join(f'-c {setting}' for setting in _SERVING)} {program}"]

    def _run(self, *words: str, stdin: bytes = b"", inside: bool = True) -> bytes:
        settings = [part for setting in _SETTINGS for part in ("-c", setting)]
        where = ["--git-dir", str(self._folder)] if inside else []
        kept = ("HOME", "SSH_AUTH_SOCK", "SYSTEMROOT", "TMPDIR", "GIT_CONFIG_GLOBAL", "XDG_CONFIG_HOME")
        who = {f"GIT_{role}_{part}": "tenure" for role in ("AUTHOR", "COMMITTER") for part in ("NAME", "EMAIL")}
        environment = {
            **{name: os.environ[name] for name in kept if name in os.environ},
            **who,
            "PATH": search_path.without_project(),
            "LC_ALL": "C",
            "GIT_TERMINAL_PROMPT": "0",
            "GIT_CONFIG_NOSYSTEM": "1",
            "GIT_NO_LAZY_FETCH": "1",
        }
        try:
            done = subprocess.run(
                ["git", *settings, *where, *words],
                input=stdin,
                capture_output=True,
                env=environment,
                cwd=self._folder.parent,
                timeout=SECONDS,
                check=False,
            )
        except (OSError, subprocess.TimeoutExpired) as error:
            raise StoreUnusable(f"git could not be run: {error}.") from None
        if done.returncode:
            said = done.stderr.decode("utf-8", "replace").strip().splitlines()
            raise TenureError(
                f"git {words[0]} failed: {said[-1] if said else 'no reason given'}",
                hint="Check that the address is right and that you may write there.",
            )
        return done.stdout


def remove_left() -> None:
    """Remove the repositories of syncs that did not come to their end."""
    for folder in (locate.home() / FOLDER).glob("*.git"):
        with contextlib.suppress(OSError):
            if clock.seconds() - folder.lstat().st_mtime > LEFT_SECONDS:
                shutil.rmtree(folder)


def _plain(machine: str) -> bool:
    return machine.isascii() and machine.isalnum()
