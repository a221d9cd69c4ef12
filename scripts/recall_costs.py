"""What recall costs: the hooks as new processes, a warm search, and the memory of a process that searches."""

from __future__ import annotations

import json
import os
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from pathlib import Path

import recall_reference as reference
import recall_stores as stores
import recall_workload as workload
from recall_workload import SORTS, Prompt

# The kernel's own mark: `ru_maxrss` of a new process starts at its parent's.
_SEARCH = """
import sys
from tenure import workspace
with workspace.open(sys.argv[1]) as ours:
    for text in sys.argv[2:]:
        ours.search(text)
print(next(line.split()[1] for line in open("/proc/self/status") if line.startswith("VmHWM")))
"""


# What each hook may cost: median and 95th percentile of CPU against a bare interpreter, and modules, at most.
HOOK_LIMITS = {
    "prompt": (4.0, 6.0, 75),
    "session-start": (4.0, 6.0, 85),
    "session-end": (3.0, 4.0, 70),
    "noop": (4.0, 6.0, 70),
}
PROMPT_LIMITS_TO_10_000 = (3.0, 4.0, 75)


def hook(sizes: Sequence[int], rounds: int, seed: int, half: int, *, model: bool) -> None:
    """Print the CPU of each hook as a new process, as a multiple of a bare interpreter started in turns."""
    print("\nmemories  hook              bare ms   hook ms    p95 ms   median     p95  modules   (limits)")
    for size in sizes:
        store = workload.memories(size, seed)
        prompts = workload.prompts(store, rounds / 100, seed, half)
        with tempfile.TemporaryDirectory() as name, stores.filled(store, f"{size}-{seed}") as ours:
            stores.database(ours).connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
            environment = _as_installed(Path(name), f"sqlite:{ours.project.store.place}")
            for event in HOOK_LIMITS:
                _hook_row(size, event, _documents(event, prompts, rounds, name), environment)
        if model:
            with tempfile.TemporaryDirectory() as name, stores.filled(store, f"{size}-{seed}", vectors=True) as ours:
                environment = _as_installed(Path(name), f"sqlite:{ours.project.store.place}")
                _hook_row(size, "prompt", _documents("vectors", prompts, rounds, name), environment, ", vectors")


def _documents(event: str, prompts: Sequence[Prompt], rounds: int, folder: str) -> list[bytes]:
    return [
        json.dumps(
            {"prompt": prompt.text, "cwd": folder, "session_id": f"bench-{event}-{number}", "source": "startup"}
        ).encode()
        for number, prompt in enumerate(prompts[:: max(1, len(prompts) // rounds)])
    ]


def _hook_row(size: int, event: str, documents: Sequence[bytes], environment: dict[str, str], store: str = "") -> None:
    bare, hooked = [], []
    _cpu(["-m", "tenure", "hook", event], documents[0], environment)
    for document in documents:
        bare.append(_cpu(["-c", "pass"], b"", environment))
        hooked.append(_cpu(["-m", "tenure", "hook", event], document, environment))
    base, typical = statistics.median(bare), statistics.median(hooked)
    slow = sorted(hooked)[int(len(hooked) * 0.95)]
    most = PROMPT_LIMITS_TO_10_000 if event == "prompt" and size <= 10_000 else HOOK_LIMITS[event]
    print(
        f"{size:>8,}  {event + store:<15} {base * 1e3:9.1f} {typical * 1e3:9.1f} {slow * 1e3:9.1f}"
        f" {typical / base:7.1f}x {slow / base:6.1f}x {_modules(event, documents[0], environment):8}"
        f"   (<= {most[0]:g}x, {most[1]:g}x, {most[2]})"
    )


def _as_installed(folder: Path, store: str) -> dict[str, str]:
    """Return the environment of a hook: modules compiled once, by the warm-up, and no worker beside it."""
    environment = {**os.environ, "TENURE_STORE": store, "TENURE_NO_WORKER": "1"}
    environment.pop("PYTHONDONTWRITEBYTECODE", None)
    environment["PYTHONPYCACHEPREFIX"] = str(folder / "compiled")
    return environment


def _modules(event: str, document: bytes, environment: dict[str, str]) -> int:
    """Return how many modules a hook has loaded at its end."""
    count = "import sys, tenure.__main__ as m; m.main(['hook', sys.argv[1]]); sys.stderr.write(str(len(sys.modules)))"
    done = subprocess.run(
        [sys.executable, "-c", count, event], input=document, capture_output=True, env=environment, check=True
    )
    return int(done.stderr)


def search(
    size: int, prompts: Sequence[Prompt], store: Sequence[workload.Learned], seed: int, *, meaning: bool
) -> None:
    """Print the CPU of a warm search beside a raw FTS5 query of all words, in turns, and the memory it takes."""
    asked = [prompt.text for prompt in prompts if prompt.sort in SORTS][:: max(1, len(prompts) // 60)]
    raw = reference.fts5(store)
    with stores.filled(store, f"{size}-{seed}") as ours, stores.without_a_model():
        words = _turns(asked, lambda text: raw(text, 10), lambda text: ours.search(text))
        peak = _peak(f"sqlite:{ours.project.store.place}", asked[:5], "none")
    line = f"{size:>8,}  {words[0] * 1e3:8.2f} {words[1] * 1e3:8.2f} {words[1] / words[0]:6.2f}x {peak:6.0f} MB"
    if meaning:
        with stores.filled(store, f"{size}-{seed}", vectors=True) as ours:
            full = _turns(asked, lambda text: raw(text, 10), lambda text: ours.search(text))
            peak = _peak(f"sqlite:{ours.project.store.place}", asked[:5], "minilm")
        line += f" {full[1] * 1e3:10.2f} {full[1] / full[0]:6.2f}x {peak:6.0f} MB"
    print(line)


def _turns(
    asked: Sequence[str], first: Callable[[str], object], second: Callable[[str], object]
) -> tuple[float, float]:
    costs: tuple[list[float], list[float]] = ([], [])
    for text in asked:
        for call, cost in zip((first, second), costs, strict=True):
            call(text)
            begun = time.process_time()
            call(text)
            cost.append(time.process_time() - begun)
    return statistics.median(costs[0]), statistics.median(costs[1])


def _peak(store: str, asked: Sequence[str], encoder: str) -> float:
    environment = {**os.environ, "TENURE_ENCODER": encoder}
    done = subprocess.run(
        [sys.executable, "-c", _SEARCH, store, *asked], capture_output=True, text=True, check=True, env=environment
    )
    return int(done.stdout) / 1024


def _cpu(words: list[str], data: bytes, environment: dict[str, str]) -> float:
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run([sys.executable, *words], input=data, stdout=subprocess.DEVNULL, env=environment, check=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
