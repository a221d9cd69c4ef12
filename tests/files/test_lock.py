"""An exclusive lock, released by the kernel when its holder dies."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tenure.files.lock import exclusive
from tenure.model.errors import StoreBusy

HOLD = (
    "import sys; from tenure.files.lock import exclusive\n"
    "with exclusive(sys.argv[1]): print('held', flush=True); input()"
)


def holder(path: Path) -> subprocess.Popen[str]:
    process = subprocess.Popen(
        [sys.executable, "-c", HOLD, str(path)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    assert process.stdout and process.stdout.readline() == "held\n"
    return process


def test_a_lock_held_by_another_process_is_never_skipped(tmp_path: Path) -> None:
    """GUARANTEES section 3: the original gave up after 15 s and went on without the lock."""
    with holder(tmp_path / "lock") as process:
        with pytest.raises(StoreBusy, match="has held"), exclusive(tmp_path / "lock", wait_seconds=0):
            raise AssertionError("two holders")
        process.communicate("\n")
    with exclusive(tmp_path / "lock", wait_seconds=0):
        pass


@pytest.mark.skipif(not Path("/proc/locks").exists(), reason="this kernel does not list its locks")
def test_who_holds_a_lock_is_named(tmp_path: Path) -> None:
    """Ours: the message promised that another command would tell, and none did."""
    with holder(tmp_path / "lock") as process:
        with (
            pytest.raises(StoreBusy, match=f"process {process.pid} .*import sys"),
            exclusive(tmp_path / "lock", wait_seconds=0),
        ):
            raise AssertionError("two holders")
        process.communicate("\n")


def test_the_lock_of_a_killed_process_is_free(tmp_path: Path) -> None:
    """GUARANTEES R13: kernel-released locks only; the file left behind means nothing."""
    with holder(tmp_path / "lock") as process:
        process.kill()
        process.communicate()
    assert (tmp_path / "lock").exists()
    with exclusive(tmp_path / "lock", wait_seconds=0):
        pass


def test_a_lock_is_released_when_the_work_fails(tmp_path: Path) -> None:
    with pytest.raises(ZeroDivisionError), exclusive(tmp_path / "lock"):
        raise ZeroDivisionError
    with exclusive(tmp_path / "lock", wait_seconds=0):
        pass


@pytest.mark.skipif(not hasattr(os, "O_NOFOLLOW"), reason="symbolic links are followed on this platform")
def test_a_lock_behind_a_symbolic_link_is_not_followed(tmp_path: Path) -> None:
    """GUARANTEES S9."""
    (tmp_path / "lock").symlink_to(tmp_path / "elsewhere")
    with pytest.raises(OSError), exclusive(tmp_path / "lock"):
        pass
    assert not (tmp_path / "elsewhere").exists()
