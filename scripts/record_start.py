"""Records `tenure start` in a terminal of 80 columns and prints what stood on the screen, for docs/start.txt.

    python scripts/record_start.py REPOSITORY [ANSWER...] > docs/start.txt

REPOSITORY is a checkout that is not changed: the command runs in a copy, with a home folder of its own that holds one
made session of Claude Code in which a person states three things, and a stand-in for the client's program. ANSWERs
are typed one after the other; without any, every question is answered with yes.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

# What every question of `start` ends with; the learning step can be answered by settling each one.
QUESTION = r"\[Y/n(?:/s)?\]: "
ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from tests.terminal import at_terminal  # noqa: E402

SAID = (
    "Please always run the linter before you commit.",
    "No, use the existing logger instead of print in the services.",
    "Remember that staging deploys only from the release branch.",
)


def main(words: list[str]) -> int:
    """Print the screen of one run."""
    if not words:
        print(__doc__)
        return 2
    with tempfile.TemporaryDirectory(prefix="start-") as name:
        folder = Path(name) / "you" / Path(words[0]).resolve().name
        folder.parent.mkdir()
        subprocess.run(["git", "clone", "-q", str(Path(words[0]).resolve()), str(folder)], check=True)
        _session(folder.parent, folder)
        client = Path(name) / "bin" / "claude"
        client.parent.mkdir()
        client.write_text("#!/bin/sh\necho 2.1.200\n")
        client.chmod(0o755)
        environment = {
            "PATH": os.pathsep.join([str(client.parent), str(Path(sys.executable).parent), "/usr/bin", "/bin"]),
            "HOME": str(folder.parent),
            "TENURE_HOME": str(folder.parent / ".local" / "share" / "tenure"),
            "TERM": "xterm",
            "LC_ALL": "C.UTF-8",
            "NO_COLOR": "1",
            "TENURE_ENCODER": "none",
        }
        answers = [f"{each}\n" for each in words[1:]] or ["y\n"] * 9
        tenure = shutil.which("tenure", path=environment["PATH"]) or "tenure"
        seen = at_terminal([tenure, "start"], folder, environment, keys=answers, ready=QUESTION, columns=80)
        print("$ tenure start")
        print(_plain(seen.screen).replace(str(folder.parent), "/home/you").rstrip())
    return seen.status


def _session(home: Path, folder: Path) -> None:
    file = home / ".claude" / "projects" / "-home-you" / "5f0c7a52-4a2e-4a39-9d56-0a5be3f0c111.jsonl"
    file.parent.mkdir(parents=True)
    lines = [
        {"type": "user", "uuid": str(number), "cwd": str(folder), "message": {"role": "user", "content": text}}
        for number, text in enumerate(SAID)
    ]
    file.write_text("".join(json.dumps(line) + "\n" for line in lines))


def _plain(screen: str) -> str:
    """Return what a terminal shows in the end: no sequences, and of a line that was written over the last state."""
    text = re.sub(r"\x1b\[[0-9;?]*[A-Za-z]", "", screen).replace("\r\n", "\n")
    return "\n".join(line.rsplit("\r", 1)[-1].rstrip() for line in text.split("\n"))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
