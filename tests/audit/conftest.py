"""A small git repository to audit, with every commit at a known time."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path

import pytest

NOW = datetime(2026, 6, 1, tzinfo=UTC)


class Repository:
    """A repository under test: write files, commit, ask git."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.count = 0
        root.mkdir(parents=True)
        self.git("init", "-q", "-b", "main")

    def git(self, *arguments: str) -> str:
        moment = f"{1_700_000_000 + self.count * 86_400} +0000"
        names = {"GIT_AUTHOR_NAME": "T", "GIT_AUTHOR_EMAIL": "t@example.invalid"}
        names |= {"GIT_COMMITTER_NAME": "T", "GIT_COMMITTER_EMAIL": "t@example.invalid"}
        dates = {"GIT_AUTHOR_DATE": moment, "GIT_COMMITTER_DATE": moment, "GIT_CONFIG_GLOBAL": os.devnull}
        command = ["git", "-c", "protocol.file.allow=always", "-C", str(self.root), *arguments]
        done = subprocess.run(command, check=True, capture_output=True, env={**os.environ, **names, **dates})
        return done.stdout.decode()

    def write(self, path: str, text: str) -> None:
        full = self.root / path
        full.parent.mkdir(parents=True, exist_ok=True)
        full.write_text(text, "utf-8")

    def commit(self, subject: str) -> None:
        self.count += 1
        self.git("add", "-A")
        self.git("commit", "-q", "--allow-empty", "-m", subject)


@pytest.fixture
def repository(tmp_path: Path) -> Repository:
    return Repository(tmp_path / "project")


@pytest.fixture
def another(tmp_path: Path) -> Callable[[str], Repository]:
    return lambda name: Repository(tmp_path / name)
