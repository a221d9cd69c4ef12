"""What layers cost a prompt hook: the CPU of the same prompt with one, two and three layers, as a ratio."""

from __future__ import annotations

import json
import os
import resource
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

MINE, OTHERS, TIMES = 300, 40, 25
PROMPT = "how do I deploy the billing service and where are its retries counted?"


def main() -> None:
    """Print the ratios; the aim is 1.15 for a second small store."""
    with tempfile.TemporaryDirectory() as folder:
        found = [_measured(Path(folder), layers) for layers in (1, 2, 3)]
    for layers, seconds in enumerate(found, start=1):
        print(f"{layers} layers: {seconds * 1000:.1f} ms of CPU, {seconds / found[0]:.2f}x")


def _measured(folder: Path, layers: int) -> float:
    home, project = folder / f"home{layers}", folder / f"project{layers}"
    home.mkdir()
    (project / ".git").mkdir(parents=True)
    os.environ |= {"TENURE_HOME": str(home), "TENURE_UNATTENDED": "1", "TENURE_ENCODER": "none"}
    import tenure

    with tenure.open(folder=project) as ws:
        for number in range(MINE):
            ws.add(f"The unit{number} service counts retries in module{number} and deploys with make ship{number}.")
        if layers > 1:
            ids = [ws.add(f"Billing rule {n}: deploy{n} waits for migration{n}.").id for n in range(OTHERS)]
            ws.share(ids)
    if layers > 2:
        with tenure.open("user", folder=project) as ws:
            for number in range(OTHERS):
                ws.add(f"I like habit{number} when the service of area{number} is deployed.")
    costs = []
    for number in range(TIMES):
        event = {"cwd": str(project), "prompt": PROMPT, "session_id": f"s{number}"}
        before = _children()
        subprocess.run(
            [sys.executable, "-m", "tenure", "hook", "prompt"],
            input=json.dumps(event).encode(),
            capture_output=True,
            check=True,
        )
        costs.append(_children() - before)
    return statistics.median(costs)


def _children() -> float:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


if __name__ == "__main__":
    main()
