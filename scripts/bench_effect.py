"""What measuring costs a prompt hook: `scripts/bench effect`; base rates of trouble: `scripts/bench effect FOLDER`.

FOLDER holds converted sessions with an index.json that names each one's repository, format and file. No memory is
shown in them; these are the rates that an effect has to be seen against. What nobody can tell is counted apart.
"""

from __future__ import annotations

import json
import os
import resource
import statistics
import subprocess
import sys
import tempfile
from collections import defaultdict
from collections.abc import Callable
from pathlib import Path

from tenure.capture import session_outcome, sessions
from tenure.model import clock
from tenure.rules import effect_proof
from tenure.store.records import SessionOutcome

SIGNS = ("corrections", "same_errors", "edits_taken_back", "ended_red", "interruptions", "failed_commands")
# If memories halved the trouble, one in five exposures held back and three exposures a session.
SHARES = [0.2] * 3
SERVICES, FLAGS, QUEUES = "billing ledger mail auth".split(), "retry trace cache strict".split(), "orders jobs".split()
PROMPT = "which flag does the billing service need for the orders queue, retry or strict?"


def main(folder: str) -> None:
    """Print one line per format and one for all."""
    index = json.loads((Path(folder) / "index.json").read_text("utf-8"))
    found: dict[str, list[SessionOutcome]] = defaultdict(list)
    errors: dict[str, set[int]] = defaultdict(set)
    for entry in sorted(index, key=lambda entry: (entry["repo"], str(entry.get("at") or ""))):
        for session in sessions.read(entry["file"]):
            read = session_outcome.outcome(session, (), clock.now(), earlier_errors=errors[entry["repo"]])
            errors[entry["repo"]] |= set(read.outcome.errors)
            if read.outcome.turns:
                found[entry["format"]].append(read.outcome)
    print(
        f"| format | sessions | trouble | {' | '.join(name.replace('_', ' ') for name in SIGNS)} | sessions to proof |"
    )
    print("|---|--:|--:|" + "--:|" * (len(SIGNS) + 1))
    for name in sorted(found):
        _line(name, found[name])
    _line("all", [one for each in found.values() for one in each])


def hook_cost(prompts: int = 80) -> None:
    """Print the CPU of a prompt hook that measures beside one that does not, in the same run."""
    with tempfile.TemporaryDirectory() as folder:
        desks = {name: _desk(Path(folder) / name, measures=name == "on") for name in ("off", "on")}
        spent: dict[str, list[float]] = {name: [] for name in desks}
        for number in range(prompts):
            for name, run in desks.items():
                before = _cpu()
                run("hook", "prompt", given={"session_id": f"s{number}", "prompt": PROMPT})
                spent[name].append(_cpu() - before)
    off, on = (statistics.median(spent[name]) for name in ("off", "on"))
    print(f"prompt hook: {1000 * off:.1f} ms CPU without, {1000 * on:.1f} ms with: {on / off:.2f}x (<= 1.05)")


def _desk(folder: Path, *, measures: bool) -> Callable[..., None]:
    project = folder / "project"
    project.mkdir(parents=True)
    own = {name: value for name, value in os.environ.items() if not name.startswith(("TENURE_", "CLAUDE"))}
    own |= {"TENURE_HOME": str(folder / "home"), "TENURE_UNATTENDED": "1", "TENURE_HOOK_SECONDS": "30"}

    def run(*words: str, given: dict[str, str] | None = None) -> None:
        told = json.dumps({"cwd": str(project), **(given or {})})
        program = [sys.executable, "-m", "tenure", *words]
        subprocess.run(program, cwd=project, env=own, input=told, capture_output=True, text=True, check=True)

    texts = (f"The {a} service needs the {b} flag for the {c} queue" for a in SERVICES for b in FLAGS for c in QUEUES)
    (folder / "proposals.jsonl").write_text(
        "".join(json.dumps({"kind": "lesson", "text": text}) + "\n" for text in texts)
    )
    for number in ("first", "second"):
        run("capture", str(folder / "proposals.jsonl"), "--run", number)
    if measures:
        run("effect", "start", "--stated")
    return run


def _cpu() -> float:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def _line(name: str, outcomes: list[SessionOutcome]) -> None:
    known = [one for one in outcomes if one.troubled is not None]
    rate = sum(bool(one.troubled) for one in known) / len(known) if known else 0.0
    cells = []
    for sign in SIGNS:
        told = [bool(value) for one in outcomes if (value := getattr(one, sign)) is not None]
        cells.append(f"{sum(told) / len(told):.0%} of {len(told)}" if told else "unknown")
    left = effect_proof.sessions_left(0.0, rate / 2, rate, SHARES) if rate else float("inf")
    more = f"{left:.0f}" if left != float("inf") else "-"
    print(f"| {name} | {len(outcomes)} | {rate:.0%} of {len(known)} | {' | '.join(cells)} | {more} |")


if __name__ == "__main__":
    main(sys.argv[1]) if len(sys.argv) > 1 else hook_cost()
