"""What a long benchmark says on standard error while it runs."""

from __future__ import annotations

import sys
import time

BEGUN = time.monotonic()


def progress(what: str) -> None:
    """Say on standard error what is being measured, and since when."""
    print(f"[{time.monotonic() - BEGUN:6.0f} s] {what}", file=sys.stderr, flush=True)
