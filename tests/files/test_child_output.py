"""A child that waits for ever is given up; one that works is waited for."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tenure.audit.project import Project
from tenure.files import child_output, git
from tenure.files.child_output import Output, Watch
from tenure.files.git import Git, Objects
from tenure.model import clock

IDENTITY = ("-c", "user.name=t", "-c", "user.email=t@example", "-c", "commit.gpgsign=false", "-c", "gc.auto=0")
linux_only = pytest.mark.skipif(not sys.platform.startswith("linux"), reason="only Linux tells who sleeps")


@pytest.fixture
def repository(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A repository with one commit; what was not answered in one test is asked again in the next."""
    monkeypatch.setattr(child_output, "SILENT_SECONDS", 0.5)
    (tmp_path / "a.txt").write_text("a\n")
    for words in (("init", "-q"), ("add", "."), ("commit", "-qm", "one")):
        subprocess.run(["git", *IDENTITY, "-C", str(tmp_path), *words], check=True)
    yield tmp_path
    git._unanswered.clear()


def pipe_in_place_of(path: Path) -> None:
    path.unlink(missing_ok=True)
    os.mkfifo(path)


@linux_only
def test_a_pipe_that_git_reads_ends_the_call_and_the_next_one_at_once(repository: Path) -> None:
    """A clone's tree or `.git` can hold one where git expects a file; each call waited a minute."""
    pipe_in_place_of(repository / ".git" / "info" / "exclude")
    others = ("ls-files", "-z", "--others", "--exclude-standard")
    in_time = clock.within(30)
    assert Git(repository).run(*others) is None
    assert Git(repository).run(*others) is None
    assert in_time(), "it was not the deadline of a minute that ended it"
    assert Git(repository).run("rev-parse", "--verify", "HEAD"), "what does not read the pipe is still answered"


@linux_only
def test_a_pipe_ends_a_stream_and_says_why(repository: Path) -> None:
    """The same for what is read piece by piece."""
    pipe_in_place_of(repository / ".git" / "config")
    stream = Git(repository).stream("log", "--format=%H", separator=b"\n")
    assert list(stream) == [] and stream.cut == child_output.SILENT


@linux_only
def test_a_pipe_in_place_of_an_object_is_no_content(repository: Path) -> None:
    """Reading objects had no deadline at all."""
    blob = (Git(repository).text("rev-parse", "HEAD:a.txt") or "").strip()
    commit = (Git(repository).text("rev-parse", "HEAD") or "").strip()
    pipe_in_place_of(repository / ".git" / "objects" / blob[:2] / blob[2:])
    with Objects(Git(repository)) as objects:
        assert objects.read(blob) == b""
        assert list(objects.each([commit, blob, commit]))[1:] == []


@linux_only
def test_an_audit_counts_every_file_where_git_does_not_tell_which_are_new(repository: Path) -> None:
    """No file that is here is called missing, and the page says that git did not answer."""
    (repository / "new.txt").write_text("new\n")
    pipe_in_place_of(repository / ".git" / "info" / "exclude")
    project = Project(repository)
    assert {"a.txt", "new.txt"} <= project.files
    assert any("git did not tell" in notice for notice in project.notices)


def test_a_process_that_works_without_a_word_is_not_silent(monkeypatch: pytest.MonkeyPatch) -> None:
    """Git may look for long before it prints: processor time counts as an answer to come."""
    monkeypatch.setattr(child_output, "SILENT_SECONDS", 0.5)
    with subprocess.Popen([sys.executable, "-c", "while True: pass"], stdout=subprocess.PIPE) as working:
        watch, enough = Watch(working.pid), clock.within(2 * child_output.SILENT_SECONDS)
        found = False
        while enough() and not found:
            found = watch.is_silent()
        working.kill()
    assert not found


def test_output_comes_in_lines_and_in_numbers_of_bytes() -> None:
    """As `git cat-file --batch` prints: a line that says how long, the bytes, and an end."""
    with subprocess.Popen([sys.executable, "-c", "print('3\\nabc\\nlast', end='')"], stdout=subprocess.PIPE) as process:
        output, in_time = Output(process), clock.within(60)
        assert output.line(in_time) == b"3\n" and output.exactly(4, in_time) == b"abc\n"
        assert output.line(in_time) == b"last" and output.line(in_time) == b"" == output.exactly(1, in_time)
