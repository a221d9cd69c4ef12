"""R17: file systems that are no place for a database's log are known by what the kernel says of them."""

from __future__ import annotations

from pathlib import Path

import pytest

from tenure.files import mounts


def table(path: Path, monkeypatch: pytest.MonkeyPatch, *rows: tuple[str, str]) -> None:
    """Let the kernel tell of these mounts: (place, type)."""
    lines = [f"{n} 1 0:{n} / {place} rw,relatime shared:{n} - {kind} source rw" for n, (place, kind) in enumerate(rows)]
    path.write_text("\n".join(lines) + "\n")
    monkeypatch.setattr(mounts, "TABLE", str(path))


@pytest.mark.parametrize(
    ("path", "kind"),
    [
        ("/home/me/project/.tenure/memory.db", "ext4"),
        ("/net/home/project", "nfs4"),
        ("/network/home", "ext4"),
        ("/net", "nfs4"),
        ("/net/local/x", "xfs"),
        ("/mnt/with blank/x", "fuse.sshfs"),
    ],
)
def test_the_nearest_mount_counts(path: str, kind: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    rows = (("/", "ext4"), ("/net", "autofs"), ("/net", "nfs4"), ("/net/local", "xfs"))
    table(tmp_path / "mounts", monkeypatch, *rows, ("/mnt/with\\040blank", "fuse.sshfs"))
    assert mounts.kind_of(path) == kind


@pytest.mark.parametrize("kind", ["nfs", "nfs4", "cifs", "smb3", "9p", "fuse.sshfs", "fuse", "vboxsf", "virtiofs"])
def test_network_and_pass_through_systems_are_unsuitable(
    kind: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    table(tmp_path / "mounts", monkeypatch, ("/", "ext4"), (str(tmp_path.resolve()), kind))
    assert mounts.unsuitable(tmp_path / "memory.db") == kind


@pytest.mark.parametrize("kind", ["ext4", "xfs", "btrfs", "zfs", "tmpfs", "overlay", "fuseblk"])
def test_local_ones_are_suitable(kind: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    table(tmp_path / "mounts", monkeypatch, ("/", kind))
    assert mounts.unsuitable(tmp_path) == ""


def test_where_nobody_tells_a_path_is_suitable(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(mounts, "TABLE", str(tmp_path / "none"))
    assert mounts.unsuitable(tmp_path) == ""
