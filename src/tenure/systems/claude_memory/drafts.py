"""The file `--input` names: a draft that an agent has just written, and that nobody else may have.

It is read from the temporary folder or the project's staging folder only, must belong to the user, and is
removed once the memory it became is safe on disk.
"""

from __future__ import annotations

import contextlib
import os
from pathlib import Path

from tenure.files import durable
from tenure.model.errors import TenureError
from tenure.systems.claude_memory.records import Record, decode
from tenure.systems.claude_memory.refusal import Refusal

STAGING = ".staging"
MAX_DRAFT_BYTES = 8 * 1024 * 1024


def read(given: str, root: Path) -> Record:
    """Return the draft; raise `Refusal` when it may not be read, is not there, or is not a record."""
    resolved = os.path.realpath(given)
    if ".." in given or "\0" in given or not _allowed(resolved, root) or not _ours(resolved):
        raise Refusal(
            "SECURITY_ERROR",
            "Input file must be your own file under /tmp/ with no '..' components.",
            path=given,
            resolved=resolved,
        )
    try:
        return decode(durable.read_bytes(Path(resolved), limit=MAX_DRAFT_BYTES))
    except FileNotFoundError:
        fix = "Input file does not exist. Write JSON to the temp file first."
        raise Refusal("INPUT_ERROR", fix, path=given) from None
    except (TenureError, OSError) as error:
        fix = "Ensure the input file contains valid JSON."
        raise Refusal("INPUT_ERROR", fix, path=given, error=error) from error


def discard(given: str) -> None:
    """Remove a draft whose memory has been written; one that is already gone is no concern."""
    with contextlib.suppress(OSError):
        os.unlink(given)


def _allowed(resolved: str, root: Path) -> bool:
    places = ["/tmp", os.environ.get("TMPDIR") or "/tmp", str(root / STAGING)]
    return any(resolved.startswith(os.path.realpath(place).rstrip("/") + "/") for place in places)


def _ours(resolved: str) -> bool:
    # In a folder everybody can write to, a file of another user is that user's word, not the agent's.
    if not hasattr(os, "getuid"):
        return True
    try:
        return os.lstat(resolved).st_uid in (os.getuid(), 0)
    except OSError:
        return True
