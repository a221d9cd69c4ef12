"""Git as a subprocess: list arguments, `--` before data, no shell, no network, no program a repository names.

A cloned repository is not trusted. Settings that would run something (fsmonitor, hooks, external diff, text
conversion, signature display, lazy fetching) are switched off on every call. Content filters (`filter.X.clean`,
`filter.X.process`) have names of the repository's choosing and cannot be switched off, so only the commands in
`READING` are ever run: they look at objects, refs, the index and names of files, never at a working file's content.
`sync_remote` starts git too, in a repository of our own making.
"""

from __future__ import annotations

import contextlib
import os
import subprocess
import tempfile
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

from tenure.files import search_path
from tenure.files.child_output import LOOK_SECONDS, Output, Watch
from tenure.model import clock

# Whose SSH keys a user knows.
SIGNERS = "gpg.ssh.allowedSignersFile"
SAFE_SETTINGS = (
    "core.fsmonitor=false",
    # A folder that only looks like a repository can come with a commit, settings and all.
    "safe.bareRepository=explicit",
    "core.hooksPath=/dev/null",
    "core.quotePath=false",
    "log.showSignature=false",
    "diff.external=",
    "diff.noprefix=false",
    "diff.mnemonicPrefix=false",
    "diff.renames=true",
    "diff.renameLimit=2000",
    "protocol.allow=never",
    "core.commitGraph=true",
    # What checks a signature is the user's own program, and whose keys count is never the repository's say.
    "gpg.program=gpg",
    "gpg.openpgp.program=gpg",
    "gpg.x509.program=gpgsm",
    "gpg.ssh.program=ssh-keygen",
    "gpg.ssh.defaultKeyCommand=",
    "gpg.ssh.revocationFile=",
    f"{SIGNERS}={os.devnull}",
    "gpg.minTrustLevel=undefined",
)
# Subcommand -> what is always passed with it. None of them filters the content of a working file.
READING: dict[str, tuple[str, ...]] = {
    "cat-file": (),
    "check-ignore": (),
    # The user's own file alone, and nothing of it is changed.
    "config": ("--global", "--includes", "--type=path", "--get"),
    "for-each-ref": (),
    # Of a commit, which its callers name: only a working tree is filtered.
    "grep": ("--no-textconv", "--no-recurse-submodules"),
    "log": ("--no-ext-diff", "--no-textconv", "--no-show-signature"),
    "ls-files": (),
    "ls-tree": (),
    "rev-list": (),
    "rev-parse": (),
    "symbolic-ref": (),
}
# These compare working files with the index, which filters them first.
COMPARING = ("--modified", "-m")
SECONDS = 60.0
MAX_PIECE = 16_000_000
# What was read of a repository is kept up to so many bytes.
MAX_KEPT = 32_000_000
# A larger object is not read.
MAX_OBJECT = 1_000_000
UNREADABLE = "git could not read all of it"
# A subcommand that went to sleep in a repository is not run there again for so long: each call would take its time.
ASKED_AGAIN_SECONDS = 60.0
_unanswered: dict[tuple[Path, str], Callable[[], bool]] = {}


class Signature(NamedTuple):
    """A commit's signature: git's letter for what came of checking it, whose it is, and the key."""

    letter: str
    by: str
    key: str

    @property
    def is_there(self) -> bool:
        """Whether the commit is signed at all, by whomever."""
        return self.letter != "N"

    @property
    def is_proved(self) -> bool:
        """Whether a key made it that the user holds for valid; an expired or revoked one proves nothing."""
        return self.letter == "G"


class Git:
    """The repository at `root`; every call answers None or nothing when git is missing or refuses."""

    def __init__(self, root: Path) -> None:
        self.root = root

    def run(self, *arguments: str, stdin: bytes = b"", seconds: float = SECONDS) -> bytes | None:
        """Return what git prints, or None when it failed, is not installed or took too long."""
        command = self.command(arguments)
        if self._is_silent(arguments[0]):
            return None
        in_time = clock.within(seconds)
        try:
            with subprocess.Popen(
                command,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
                env=_environment(self.root),
            ) as process:
                printed = self._printed(process, arguments[0], stdin, in_time)
        except OSError:
            return None
        return printed if process.returncode in (0, 1) else None

    def _printed(
        self, process: subprocess.Popen[bytes], subcommand: str, stdin: bytes, in_time: Callable[[], bool]
    ) -> bytes | None:
        """Return what a process printed until it ended, or None after it was ended because no answer came."""
        given: bytes | None = stdin
        watch = Watch(process.pid)
        while True:
            try:
                return process.communicate(given, timeout=LOOK_SECONDS)[0]
            except subprocess.TimeoutExpired:
                given = None
                if silent := watch.is_silent():
                    _unanswered[self.root, subcommand] = clock.within(ASKED_AGAIN_SECONDS)
                if silent or not in_time():
                    process.kill()
                    return None

    def _is_silent(self, subcommand: str) -> bool:
        until = _unanswered.get((self.root, subcommand))
        return until is not None and until()

    def stream(self, *arguments: str, separator: bytes, seconds: float = SECONDS, stdin: bytes = b"") -> Stream:
        """Return the pieces of git's output as they come, up to the deadline; then the process is gone."""
        return Stream(self.root, self.command(arguments), separator, seconds, stdin)

    def text(self, *arguments: str) -> str | None:
        """Return what git prints as one stripped text, or None when that is nothing."""
        printed = self.run(*arguments, seconds=10)
        return printed.decode("utf-8", errors="replace").strip() or None if printed else None

    def paths(self, *arguments: str, stdin: bytes = b"") -> list[str]:
        """Return the NUL-separated paths git prints."""
        printed = self.run(*arguments, stdin=stdin)
        return [os.fsdecode(path) for path in (printed or b"").split(b"\0") if path]

    def signature(self, commit: str) -> Signature:
        """Return what the user's own keys say of a commit's signature."""
        known = self.text("config", SIGNERS)
        settings = (f"{SIGNERS}={known}",) if known and os.path.isabs(known) else ()
        line = self.command(("log", "-1", "--format=%G?%x00%GS%x00%GF", commit, "--"), settings)
        try:
            done = subprocess.run(
                line,
                stdin=subprocess.DEVNULL,
                capture_output=True,
                timeout=SECONDS,
                env=_environment(self.root),
                check=False,
            )
        except (OSError, subprocess.TimeoutExpired):
            return Signature("E", "", "")
        found = done.stdout.decode("utf-8", errors="replace").strip("\n").split("\0")
        return Signature(*found) if done.returncode == 0 and len(found) == 3 else Signature("E", "", "")

    def command(self, arguments: Sequence[str], more: Sequence[str] = ()) -> list[str]:
        """Return the whole command line; raise `ValueError` for one that could start what the repository names."""
        name, *rest = arguments
        if name not in READING or (name == "ls-files" and any(word in COMPARING for word in rest)):
            raise ValueError(f"`git {' '.join(arguments[:3])}` could start a program that the repository names")
        settings = [part for setting in (*SAFE_SETTINGS, *more) for part in ("-c", setting)]
        # check-ignore refuses to run with literal pathspecs; it gets its paths on standard input.
        literal = [] if name == "check-ignore" else ["--literal-pathspecs"]
        return ["git", "--no-pager", *literal, *settings, "-C", str(self.root), name, *READING[name], *rest]


class Stream:
    """The pieces of one command's output. `cut` says afterwards why they are not all, or nothing."""

    def __init__(self, root: Path, command: list[str], separator: bytes, seconds: float, stdin: bytes = b"") -> None:
        self._root = root
        self._command = command
        self._separator = separator
        self._seconds = seconds
        self._stdin = stdin
        self.cut = ""

    def __iter__(self) -> Iterator[bytes]:
        with tempfile.TemporaryFile() as given:
            given.write(self._stdin)
            given.seek(0)
            try:
                process = subprocess.Popen(
                    self._command,
                    stdin=given,
                    stdout=subprocess.PIPE,
                    stderr=subprocess.DEVNULL,
                    env=_environment(self._root),
                )
            except OSError:
                self.cut = "git cannot be started"
                return
        try:
            yield from self._pieces(process)
        except TimeoutError as error:
            self.cut = str(error) or f"stopped after {self._seconds:g} s"
        finally:
            with contextlib.suppress(OSError):
                process.kill()
            if process.stdout is not None:
                process.stdout.close()
            process.wait()

    def _pieces(self, process: subprocess.Popen[bytes]) -> Iterator[bytes]:
        in_time = clock.within(self._seconds)
        output = Output(process)
        kept, looked = bytearray(), 0
        while True:
            chunk = output.chunk(in_time)
            if not in_time():
                raise TimeoutError
            if not chunk:
                break
            kept += chunk
            *pieces, last = kept[looked:].split(self._separator)
            if pieces:
                pieces[0] = kept[:looked] + pieces[0]
                kept = last
            yield from map(bytes, pieces)
            # A separator may straddle two chunks. Of a piece that has no end, the beginning is enough.
            looked = max(0, len(kept) - len(self._separator) + 1)
            if looked > MAX_PIECE:
                del kept[MAX_PIECE:looked]
                looked = MAX_PIECE
        if kept:
            yield bytes(kept)
        if process.wait() not in (0, 1):
            self.cut = UNREADABLE


class Objects:
    """Contents of a repository by id or `commit:path`, read through one process and kept; used as a context."""

    def __init__(self, git: Git) -> None:
        self._git = git
        self._process: subprocess.Popen[bytes] | None = None
        self._output: Output | None = None
        self._answers = True
        self._known: dict[str, bytes] = {}
        self._kept = 0

    def __enter__(self) -> Objects:
        return self

    def __exit__(self, *_: object) -> None:
        if self._process is not None:
            self._process.kill()
            self._process.communicate()
            self._process = None

    def read(self, name: str) -> bytes:
        """Return the content, or nothing when there is none or it is too large."""
        if not name or "\n" in name:
            return b""
        if name not in self._known:
            data = self._ask(name)
            if self._kept > MAX_KEPT:
                self._known.clear()
                self._kept = 0
            self._known[name] = data
            self._kept += len(data)
        return self._known[name]

    def each(self, names: Iterable[str]) -> Iterator[tuple[str, bytes]]:
        """Yield each object's id with its content, in this order; one that is absent is left out, none is kept."""
        with tempfile.TemporaryFile() as given:
            given.write("".join(f"{name}\n" for name in names).encode("ascii"))
            given.seek(0)
            try:
                process = subprocess.Popen(
                    self._git.command(("cat-file", "--batch")),
                    stdin=given,
                    stdout=subprocess.PIPE,
                    stderr=subprocess.DEVNULL,
                    env=_environment(self._git.root),
                )
            except OSError:
                return
        output = Output(process)
        try:
            while facts := output.line(clock.within(SECONDS)).split():
                if len(facts) == 3 and facts[2].isdigit():
                    yield facts[0].decode("ascii"), output.exactly(int(facts[2]) + 1, clock.within(SECONDS))[:-1]
        except TimeoutError:
            return
        finally:
            with contextlib.suppress(OSError):
                process.kill()
            process.communicate()

    def _ask(self, name: str) -> bytes:
        if not self._answers:
            return b""
        try:
            if self._process is None or self._output is None:
                self._process = subprocess.Popen(
                    self._git.command(("cat-file", "--batch")),
                    stdin=subprocess.PIPE,
                    stdout=subprocess.PIPE,
                    stderr=subprocess.DEVNULL,
                    env=_environment(self._git.root),
                )
                self._output = Output(self._process)
            asked, in_time = self._process.stdin, clock.within(SECONDS)
            assert asked is not None
            asked.write(name.encode("utf-8", errors="surrogateescape") + b"\n")
            asked.flush()
            facts = self._output.line(in_time).split()
            if len(facts) != 3 or not facts[2].isdigit():
                return b""
            data = self._output.exactly(int(facts[2]) + 1, in_time)[:-1]
        except TimeoutError:
            # What comes later would be taken for the answer to another question.
            self._answers = False
            return b""
        except (OSError, ValueError):
            return b""
        return data if facts[1] == b"blob" and len(data) <= MAX_OBJECT else b""


def worktree_of(path: Path) -> Path | None:
    """Return the root of the worktree that holds `path`, or None outside a repository."""
    found = Git(path).text("rev-parse", "--show-toplevel")
    return Path(found) if found else None


def _environment(root: Path) -> dict[str, str]:
    kept = {name: os.environ[name] for name in ("GNUPGHOME", "HOME", "SYSTEMROOT", "TMPDIR") if name in os.environ}
    return kept | {
        "PATH": search_path.without_project(root),
        "LC_ALL": "C",
        "GIT_OPTIONAL_LOCKS": "0",
        "GIT_TERMINAL_PROMPT": "0",
        "GIT_NO_LAZY_FETCH": "1",
        # Before `protocol.X.allow` of the repository, which counts for more than the `protocol.allow` of ours.
        "GIT_ALLOW_PROTOCOL": "none",
        "GIT_CONFIG_NOSYSTEM": "1",
    }
