"""Which file system a path is on, and whether a database may keep its log there (R17).

SQLite's write-ahead log shares memory between processes, which network and pass-through file systems do not support,
or only within one machine. Where the file system is unknown (no /proc), a path counts as suitable.
"""

from __future__ import annotations

import os

TABLE = "/proc/self/mountinfo"
# Type as the kernel names it; a FUSE file system has the program's name behind a dot.
UNSUITABLE = frozenset({
    "9p", "afs", "afpfs", "beegfs", "ceph", "cifs", "coda", "davfs", "drvfs", "fuse", "gfs2", "glusterfs", "gpfs",
    "lustre", "ncpfs", "nfs", "nfs4", "ocfs2", "orangefs", "prl_fs", "smb3", "smbfs", "vboxsf", "virtiofs", "vmhgfs",
})  # fmt: skip
_OCTAL = (("\\040", " "), ("\\011", "\t"), ("\\012", "\n"), ("\\134", "\\"))


def unsuitable(path: str | os.PathLike[str]) -> str:
    """Return the type of the file system below a path when it is no place for a write-ahead log, else nothing."""
    kind = kind_of(os.path.realpath(path))
    return kind if kind.partition(".")[0] in UNSUITABLE else ""


def kind_of(path: str) -> str:
    """Return the type of the file system that a real path lies on, empty when nobody tells."""
    try:
        with open(TABLE, encoding="utf-8", errors="surrogateescape") as file:
            rows = file.read().splitlines()
    except OSError:
        return ""
    found, longest = "", -1
    for row in rows:
        fields, _, rest = row.partition(" - ")
        parts = fields.split(" ")
        if len(parts) < 5 or not rest:
            continue
        place = parts[4]
        for escape, sign in _OCTAL:
            place = place.replace(escape, sign)
        inside = path == place or path.startswith(place.rstrip("/") + "/")
        # The later of two mounts at one place hides the earlier one.
        if inside and len(place) >= longest:
            found, longest = rest.split(" ", 1)[0], len(place)
    return found
