"""What a first audit costs, beside one `git log --all --raw` of the same history: processor time, wall time, memory.

Processor time counts every process that was started; on a busy machine it is the ratio to look at. A history that git
reads in less than `SHORT_SECONDS` says nothing: starting Python takes longer.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import NamedTuple

MOST = 3.0
SHORT_SECONDS = 1.0
MOST_MEGABYTES = 150


class Cost(NamedTuple):
    """One program's run with all it started: seconds of processor and wall, and the largest process in megabytes."""

    processor: float
    wall: float
    megabytes: float
    status: int


def measure(folder: Path, only: str = "") -> int:
    """Print one line per repository that lies in the folder; return how many are beyond what issue 17 aims at."""
    beyond = 0
    print(f"{'repository':44} {'git log':>8} {'shallow':>16} {'deep':>18} {'ratio':>7} {'wall':>7}")
    for tree in sorted(folder.iterdir()):
        if not (tree / ".git").exists() or only.lower() not in tree.name.replace("+", "/").lower():
            continue
        log = cost(["git", "-C", str(tree), "log", "--all", "--raw"])
        with tempfile.TemporaryDirectory() as home:
            audit = [sys.executable, "-m", "tenure", "audit", str(tree), "--json"]
            shallow, deep = cost(audit, home), cost([*audit, "--deep"], home)
        ratio = deep.processor / max(log.processor, 0.01)
        judged = log.processor >= SHORT_SECONDS and log.status == 0
        late = (judged and ratio > MOST) or shallow.megabytes > MOST_MEGABYTES
        beyond += late
        note = "  beyond" if late else "" if judged else "  short" if log.status == 0 else "  git cannot read it all"
        name, walls = tree.name.replace("+", "/"), deep.wall / max(log.wall, 0.01)
        print(
            f"{name:44} {log.processor:6.1f} s {shallow.processor:6.1f} s {shallow.megabytes:4.0f} MB "
            f"{deep.processor:7.1f} s {deep.megabytes:5.0f} MB {ratio:6.1f}x {walls:6.1f}x{note}",
            flush=True,
        )
    return beyond


def cost(command: list[str], home: str | None = None) -> Cost:
    """Run the command with nothing kept from before, and return what it cost."""
    mine = {} if home is None else {"HOME": home, "TENURE_HOME": f"{home}/tenure", "TENURE_UNATTENDED": "1"}
    began = time.perf_counter()
    process = subprocess.Popen(
        command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, env={**os.environ, **mine}
    )
    _, status, used = os.wait4(process.pid, 0)
    process.returncode = status
    wall = time.perf_counter() - began
    return Cost(used.ru_utime + used.ru_stime, wall, used.ru_maxrss / 1024, status)
