"""Git as a subprocess: list arguments, `--` before data, no shell, no network, no program a repository names.

A cloned repository is not trusted. Settings that would run something (fsmonitor, hooks, external diff, text
conversion, signature display, lazy fetching) are switched off on every call. Content filters (`filter.X.clean`,
`filter.X.process`) have names of the repository's choosing and cannot be switched off, so only the commands in
`READING` are ever run: they look at objects, refs, the index and names of files, never at a working file's content.
"""

from __future__ import annotations

import contextlib
import os
import subprocess
from collections.abc import Iterator, Sequence
from pathlib import Path

from tenure import clock

SAFE_SETTINGS = (
    "core.fsmonitor=false",
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
)
# Subcommand -> what is always passed with it. None of them filters the content of a working file.
READING: dict[str, tuple[str, ...]] = {
    "check-ignore": (),
    "for-each-ref": (),
    "log": ("--no-ext-diff", "--no-textconv", "--no-show-signature"),
    "ls-files": (),
    "rev-parse": (),
    "symbolic-ref": (),
}
# These compare working files with the index, which filters them first.
COMPARING = ("--modified", "-m")
SECONDS = 60.0
CHUNK = 1 << 16


class Git:
    """The repository at `root`; every call answers None or nothing when git is missing or refuses."""

    def __init__(self, root: Path) -> None:
        self.root = root

    def run(self, *arguments: str, stdin: bytes = b"", seconds: float = SECONDS) -> bytes | None:
        """Return what git prints, or None when it failed, is not installed or took too long."""
        try:
            done = subprocess.run(
                self._command(arguments),
                input=stdin,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
                timeout=seconds,
                env=_environment(),
                check=False,
            )
        except (OSError, subprocess.TimeoutExpired):
            return None
        return done.stdout if done.returncode in (0, 1) else None

    def stream(self, *arguments: str, separator: bytes, seconds: float = SECONDS) -> Iterator[bytes]:
        """Yield the pieces of git's output as they come, up to the deadline; then the process is gone."""
        try:
            process = subprocess.Popen(
                self._command(arguments),
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
                env=_environment(),
            )
        except OSError:
            return
        in_time = clock.within(seconds)
        rest = b""
        try:
            assert process.stdout is not None
            while in_time():
                chunk = process.stdout.read(CHUNK)
                if not chunk:
                    break
                *pieces, rest = (rest + chunk).split(separator)
                yield from pieces
            else:
                return
            if rest:
                yield rest
        finally:
            with contextlib.suppress(OSError):
                process.kill()
            if process.stdout is not None:
                process.stdout.close()
            process.wait()

    def text(self, *arguments: str) -> str | None:
        """Return what git prints as one stripped text, or None when that is nothing."""
        printed = self.run(*arguments, seconds=10)
        return printed.decode("utf-8", errors="replace").strip() or None if printed else None

    def paths(self, *arguments: str, stdin: bytes = b"") -> list[str]:
        """Return the NUL-separated paths git prints."""
        printed = self.run(*arguments, stdin=stdin)
        return [os.fsdecode(path) for path in (printed or b"").split(b"\0") if path]

    def _command(self, arguments: Sequence[str]) -> list[str]:
        name, *rest = arguments
        if name not in READING or (name == "ls-files" and any(word in COMPARING for word in rest)):
            raise ValueError(f"`git {' '.join(arguments[:3])}` could start a program that the repository names")
        settings = [part for setting in SAFE_SETTINGS for part in ("-c", setting)]
        # check-ignore refuses to run with literal pathspecs; it gets its paths on standard input.
        literal = [] if name == "check-ignore" else ["--literal-pathspecs"]
        return ["git", "--no-pager", *literal, *settings, "-C", str(self.root), name, *READING[name], *rest]


def top_level(path: Path) -> Path | None:
    """Return the root of the worktree that holds `path`, or None outside a repository."""
    found = Git(path).text("rev-parse", "--show-toplevel")
    return Path(found) if found else None


def main_worktree(path: Path) -> Path | None:
    """Return the root of the main worktree, which all worktrees of a repository share."""
    common = Git(path).text("rev-parse", "--path-format=absolute", "--git-common-dir")
    if common is None:
        return None
    folder = Path(common)
    return folder.parent if folder.name == ".git" else top_level(path)


def _environment() -> dict[str, str]:
    kept = {name: os.environ[name] for name in ("HOME", "SYSTEMROOT", "TMPDIR") if name in os.environ}
    # A relative entry would find a program in whatever folder this runs in.
    path = os.pathsep.join(entry for entry in os.get_exec_path() if os.path.isabs(entry))
    return kept | {
        "PATH": path,
        "LC_ALL": "C",
        "GIT_OPTIONAL_LOCKS": "0",
        "GIT_TERMINAL_PROMPT": "0",
        "GIT_NO_LAZY_FETCH": "1",
        "GIT_CONFIG_NOSYSTEM": "1",
    }
