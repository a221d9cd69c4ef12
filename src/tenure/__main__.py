"""The program's entry: `tenure` and `python -m tenure`.

Hooks and drop-in command lines run on every prompt or write, so they are dispatched here, before any argument
parser or third-party package is imported.
"""

from __future__ import annotations

import os
import sys

# First word -> module with `main(arguments) -> exit status`.
SLIM = {
    "hook": "tenure.surfaces.hooks",
    "archeflow": "tenure.systems.archeflow.command",
    "claude-memory": "tenure.systems.claude_memory.command",
}


def main(arguments: list[str] | None = None) -> int:
    """Run one command and return its exit status."""
    words = sys.argv[1:] if arguments is None else arguments
    home = os.environ.get("TENURE_HOME", "")
    if "TENURE_UNATTENDED" in os.environ and home and not os.path.exists(os.path.join(home, "home.toml")):
        _claim()
    if words and words[0] in SLIM:
        __import__(SLIM[words[0]])
        return int(sys.modules[SLIM[words[0]]].main(words[1:]))
    from tenure.surfaces.cli import main as cli

    return cli(words)


def _claim() -> None:
    """Name the home at its first use by CI or tests."""
    from tenure.files import homes
    from tenure.model.errors import StoreUnusable

    try:
        homes.claim()
    except StoreUnusable:
        return  # whoever asks for the home next says what is wrong with it, in the way of its surface


if __name__ == "__main__":
    sys.exit(main())
