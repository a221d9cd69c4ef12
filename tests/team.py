"""A team for tests: clones of one repository, each with a person's own home."""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path
from typing import Any

from tests.program import Program


def git(folder: Path, *words: str) -> str:
    """Run git as a person of that folder's name, and return what it prints."""
    names = {"AUTHOR": folder.name, "COMMITTER": folder.name}
    who = {f"GIT_{role}_NAME": name for role, name in names.items()}
    who |= {f"GIT_{role}_EMAIL": f"{name}@example.org" for role, name in names.items()}
    found = {**os.environ, **who, "GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_NOSYSTEM": "1"}
    done = subprocess.run(["git", *words], cwd=folder, env=found, capture_output=True, text=True, check=False)
    assert done.returncode == 0, (words, done.stdout, done.stderr)
    return done.stdout


def repository(folder: Path, files: dict[str, str] | None = None) -> Path:
    """Return a bare repository with one commit, as a host keeps it."""
    bare, first = folder / "hub.git", folder / "first"
    first.mkdir(parents=True)
    git(folder, "init", "-q", "-b", "main", "--bare", str(bare))
    git(first, "init", "-q", "-b", "main")
    for name, text in (files or {"README.md": "A project.\n"}).items():
        (first / name).parent.mkdir(parents=True, exist_ok=True)
        (first / name).write_text(text)
    git(first, "add", ".")
    git(first, "commit", "-q", "-m", "begin")
    git(first, "push", "-q", str(bare), "main")
    return bare


def person(bare: Path, name: str) -> Program:
    """Return the program of a person with a clone and a home of their own."""
    folder, home = bare.parent / name, bare.parent / f"{name}-home"
    git(bare.parent, "clone", "-q", str(bare), name)
    home.mkdir()
    return Program(folder, home)


def shared(program: Program, text: str, *more: str, kind: str = "constraint") -> dict[str, Any]:
    """Let a person state something and share it; return what `share` says of the file."""
    memory = program.ok("add", text, "--kind", kind)
    [file] = program.ok("share", memory["id"], *more)["files"]
    found: dict[str, Any] = file
    return found


def publish(program: Program, message: str = "share") -> None:
    """Commit and push what was shared."""
    git(program.folder, "add", ".tenure/team")
    git(program.folder, "commit", "-q", "-m", message)
    git(program.folder, "push", "-q", "origin", "HEAD")


def prompted(program: Program, prompt: str, session: str = "s", folder: Path | None = None) -> str:
    """Return what a prompt hook says in the person's clone."""
    event = {"cwd": str(folder or program.folder), "prompt": prompt, "session_id": session}
    known = {"CLAUDECODE": "1", "TENURE_NO_WORKER": "1", "TENURE_HOOK_SECONDS": "60"}
    done = program("hook", "prompt", stdin=json.dumps(event).encode(), **known)
    assert (done.status, done.err) == (0, b"")
    return done.text
