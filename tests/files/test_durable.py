"""Replacing files: all at once, with the permissions of what was there, and nothing but a file is replaced."""

from __future__ import annotations

import os
import stat
from pathlib import Path

import pytest

from tenure.files import durable
from tenure.model.errors import Refused


@pytest.mark.parametrize("before", [None, 0o640])
def test_a_file_is_replaced_whole_and_keeps_its_permissions(before: int | None, tmp_path: Path) -> None:
    """GUARANTEES R7: nothing is left beside it, and what may not be read by others still may not."""
    path = tmp_path / "one.json"
    if before is not None:
        path.write_bytes(b"old")
        path.chmod(before)
    durable.replace(path, b"new")
    assert path.read_bytes() == b"new" and not list(tmp_path.glob(".*"))
    assert before is None or stat.S_IMODE(path.stat().st_mode) == before


def test_a_link_and_what_is_no_file_stay_as_they_are(tmp_path: Path) -> None:
    """Seen: root exported to /dev/null, and from then on it was a file that nobody else could write."""
    pipe, link, target = tmp_path / "pipe", tmp_path / "link", tmp_path / "target"
    os.mkfifo(pipe)
    target.write_bytes(b"old")
    link.symlink_to(target)
    with pytest.raises(Refused, match="is not a regular file"):
        durable.replace(pipe, b"new")
    with pytest.raises(Refused, match="is a symbolic link"):
        durable.replace(link, b"new")
    assert stat.S_ISFIFO(pipe.stat().st_mode) and target.read_bytes() == b"old"
    assert not list(tmp_path.glob(".*"))
