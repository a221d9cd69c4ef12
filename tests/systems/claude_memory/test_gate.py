"""The lock: never skipped, honoured by and honouring the original's directory."""

from __future__ import annotations

import os

import pytest

from tenure.systems.claude_memory import gate
from tenure.systems.claude_memory.refusal import Refusal

from .project import Project, record

TARGET = "decisions/queue.json"


def test_a_fresh_lock_of_the_original_is_waited_for_and_never_skipped(
    project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Defect D13: the original goes on without the lock after its time-out."""
    monkeypatch.setattr(gate, "WAIT_SECONDS", 0.0)
    lock = project.memory / gate.NAME
    lock.mkdir()
    assert project.create(TARGET, record()) == 1
    assert project.error() == "LOCK_TIMEOUT_ERROR"
    assert not (project.memory / TARGET).exists()
    assert lock.exists()


@pytest.mark.parametrize(("mode", "age"), [(0o755, 120), (gate.OURS, 0)], ids=["old", "ours"])
def test_a_lock_left_by_a_dead_writer_is_taken_over(project: Project, mode: int, age: int) -> None:
    """Specification 1.7: after 60 seconds, with a warning; our own at once: its holder cannot be alive."""
    lock = project.memory / gate.NAME
    lock.mkdir()
    lock.chmod(mode)
    then = lock.stat().st_mtime - age
    os.utime(lock, (then, then))
    assert project.create(TARGET, record()) == 0
    assert "[WARN] Broke" in project.err
    assert not lock.exists()


def test_the_original_sees_our_lock_while_we_write(project: Project) -> None:
    """Contract: `.index.lockdir` is honoured, in both directions."""
    with gate.held(project.memory, warn=print):
        assert (project.memory / gate.NAME).is_dir()
        with pytest.raises(Refusal) as caught, gate.held(project.memory, warn=print, wait_seconds=0):
            pass
    assert caught.value.code == "LOCK_TIMEOUT_ERROR"
    assert not (project.memory / gate.NAME).exists()


def test_a_reader_leaves_a_writer_at_work_alone(project: Project) -> None:
    """Our own rule: reports heal after the dead, and do not wait for the living."""
    project.create(TARGET, record())
    with gate.held(project.memory, warn=print):
        assert project.run("index", "--validate") == 0
        assert (project.memory / gate.NAME).is_dir()
