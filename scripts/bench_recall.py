"""Quality and cost of recall on a generated workload, beside plain FTS5 measured in the same run.

    scripts/bench recall                 tables at 1,000 and 10,000 memories (--large adds 100,000)
    scripts/bench recall fit             fit the weights on one half of the topics and print them
    scripts/bench recall hook            the hooks as new processes, beside a bare interpreter
    BENCH_DATA=folder scripts/bench recall public    public sets, where the folder holds them

Every number is scored on topics and a seed that the weights have not seen: fitted on half 0, scored on half 1.
"""

from __future__ import annotations

import argparse
import json
import math
import os
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path

import apsw
import recall_public
import recall_workload as workload
from recall_workload import SORTS, Learned, Prompt

from tenure import clock, workspace
from tenure.evolve import born
from tenure.memory import Memory, Signals
from tenure.recall import rank, weights
from tenure.workspace import meaning, recalling, transfer

FITTED_ON, SCORED_ON = 0, 1
FIT_SEED = 1
Answer = Callable[[str], Sequence[str]]


def build(folder: Path, store: Sequence[Learned]) -> workspace.Workspace:
    """Return a workspace that holds the memories."""
    source, key, now = folder / "memories.jsonl", transfer.seal_key(), clock.now()
    with source.open("wb") as file:
        for item in store:
            memory = Memory(
                id=item.id,
                kind=item.kind,
                title=item.text[:60].strip() or item.id,
                text=item.text,
                state="provisional",
                phase="live",
                files=(item.path,) if item.path else (),
                signals=Signals(confidence=60, evidence_count=2),
                created_at=now,
                updated_at=now,
                trust="user",
                source="bench",
            )
            line = transfer.Line(format=transfer.FORMAT, memory=memory, events=[born(memory)])
            file.write(transfer.sealed(line, key))
    ours = workspace.open(f"sqlite:{folder / 'memory.db'}", folder)
    ours.import_(str(source))
    return ours


def plain_fts5(store: Sequence[Learned]) -> Answer:
    """Return the reference: every word OR-ed, BM25, as most tools do it."""
    connection = apsw.Connection(":memory:")
    connection.execute("CREATE VIRTUAL TABLE search USING fts5 (text, tokenize='porter unicode61')")
    with connection:
        connection.executemany("INSERT INTO search VALUES (?)", ((item.text,) for item in store))

    def answer(text: str) -> list[str]:
        cleaned = "".join(c if c.isalnum() else " " for c in text).split()
        expression = " OR ".join(f'"{word}"' for word in dict.fromkeys(cleaned))
        rows = connection.execute("SELECT rowid FROM search WHERE search MATCH ? ORDER BY rank LIMIT 10", (expression,))
        return [store[n - 1].id for (n,) in rows]

    return answer


def scored(answer: Answer, prompts: Iterable[Prompt]) -> dict[str, tuple[float, float]]:
    """Return recall@5 and MRR for each sort of prompts and for all that have an answer."""
    ranks: dict[str, list[float]] = {}
    for prompt in prompts:
        if not prompt.answers:
            continue
        found = list(answer(prompt.text))[:10]
        place = next((n for n, id in enumerate(found, start=1) if id in prompt.answers), math.inf)
        for sort in (prompt.sort, "all"):
            ranks.setdefault(sort, []).append(place)
    return {
        sort: (sum(place <= 5 for place in places) / len(places), sum(1 / place for place in places) / len(places))
        for sort, places in ranks.items()
    }


def silence(inject: Answer, prompts: Sequence[Prompt]) -> tuple[float, float]:
    """Return which share of off-topic prompts is answered, and of prompts with an answer that get the right one."""
    off = [bool(inject(prompt.text)) for prompt in prompts if not prompt.answers]
    right = [bool(prompt.answers & set(inject(prompt.text))) for prompt in prompts if prompt.answers]
    return sum(off) / len(off), sum(right) / len(right)


def table(size: int, count: int, seed: int) -> None:
    """Print one size's table."""
    store = workload.memories(size, seed)
    prompts = workload.prompts(store, count, seed, SCORED_ON)
    with tempfile.TemporaryDirectory() as name:
        ours = build(Path(name), store)
        with ours:
            rows = {"plain FTS5": plain_fts5(store), "words": lambda text: [hit.id for hit in ours.search(text)]}
            print(f"\n{size:,} memories, {len(prompts)} prompts  recall@5 / MRR")
            print(f"{'':<14}" + "".join(f"{sort:>14}" for sort in ("all", *SORTS[:-1])))
            for label, answer in rows.items():
                _row(label, scored(answer, prompts))
            shown = lambda text: [item["id"] for item in ours.inject(text).memories]  # noqa: E731
            _silence("words", silence(shown, prompts))
            if meaning_ready(ours):
                alone = lambda text: [item.id for item in rank.rank(candidates(ours, text, close=False))]  # noqa: E731
                _row("hook, related", scored(alone, prompts))
                _row("with meaning", scored(rows["words"], prompts))
                _silence("with meaning", silence(shown, prompts))


def public(folder: Path) -> None:
    """Print recall@10 of evidence for each public set in the folder, and write one file per set with every question."""
    for label, load in recall_public.SETS.items():
        plain_recalls, our_recalls, lines = [], [], []
        for name, store, prompts in load(folder):
            plain = plain_fts5(store)
            with tempfile.TemporaryDirectory() as place, build(Path(place), store) as ours:
                for prompt in prompts:
                    found = [hit.id for hit in ours.search(prompt.text, limit=10)]
                    our_recalls.append(len(prompt.answers & set(found)) / len(prompt.answers))
                    plain_recalls.append(len(prompt.answers & set(plain(prompt.text))) / len(prompt.answers))
                    lines.append({"set": name, "question": prompt.text, "recall": our_recalls[-1], "found": found})
        if not lines:
            print(f"{label}: not in {folder}")
            continue
        print(
            f"{label}: {len(lines)} questions, R@10 plain FTS5 {statistics.mean(plain_recalls):.3f},"
            f" carried over {statistics.mean(our_recalls):.3f}"
        )
        target = Path(f"bench-{label.split(',')[0].lower()}.jsonl")
        target.write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")


# Lifecycle signals have no labels here; their weights are choices, and the fit leaves them alone.
FITTED = {
    "words": ("title", "text", "names", "related", "coverage", "kind"),
    "meaning": ("title", "text", "names", "related", "coverage", "kind", "meaning"),
}
PROOF = {
    "words": ("surprise", "share", "names", "related"),
    "meaning": ("surprise", "share", "names", "related", "meaning"),
}
# Off-topic prompts that may still be answered on the half that is fitted.
ANSWERED_OFF_TOPIC = 0.04


def fit(sizes: Sequence[int], count: int, seed: int) -> None:
    """Print weights fitted on one half of the topics, by which answers stand above the others."""
    examples: dict[str, list[tuple[Prompt, list[rank.Candidate]]]] = {"words": [], "meaning": []}
    for size in sizes:
        store = workload.memories(size, seed)
        prompts = workload.prompts(store, count, seed, FITTED_ON)
        with tempfile.TemporaryDirectory() as name, build(Path(name), store) as ours:
            examples["words"] += [(prompt, candidates(ours, prompt.text, close=False)) for prompt in prompts]
            if meaning_ready(ours):
                examples["words"] += [(prompt, candidates(ours, prompt.text, close=False)) for prompt in prompts]
                examples["meaning"] += [(prompt, candidates(ours, prompt.text, close=True)) for prompt in prompts]
    for name, found in examples.items():
        if found:
            ranking = {**weights.RANK[name], **_fit_order(found, FITTED[name], weights.RANK[name])}
            print(f"RANK {name!r}: {ranking}")
            print(f"EVIDENCE {name!r}: {_fit_evidence(found, PROOF[name])}")


def candidates(ours: workspace.Workspace, text: str, *, close: bool) -> list[rank.Candidate]:
    """Return what the ranking sees for a prompt."""
    asked = ours.store.asked(text)
    rows, near = ours.store.matching(asked, recalling.CANDIDATES, where="eligible"), {}
    if close:
        rows, near = meaning.with_neighbours(ours.store, text, rows, recalling.CANDIDATES, "eligible")
    return recalling._candidates(rows, asked, near, ours.policy, ours.now())


def _fit_order(
    found: Sequence[tuple[Prompt, list[rank.Candidate]]], names: Sequence[str], prior: dict[str, float]
) -> dict[str, float]:
    """Return weights under which answers are most likely first: a softmax over each prompt's candidates."""
    import numpy

    lists = []
    for prompt, items in found:
        right = numpy.array([item.id in prompt.answers for item in items], dtype=bool)
        if right.any() and not right.all():
            lists.append((numpy.array([[item.signals.get(n, 0.0) for n in names] for item in items]), right))
    start = numpy.array([prior[name] for name in names])
    weight, sharp = start.copy(), 8.0
    for step in range(400):
        slope = 0.02 * (start - weight)
        for signals, right in lists:
            score = sharp * (signals @ weight)
            odds = numpy.exp(score - score.max())
            odds /= odds.sum()
            share = odds[right] / max(odds[right].sum(), 1e-12)
            slope += sharp * (share @ signals[right] - odds @ signals) / len(lists)
        weight += 0.05 / (1 + step / 100) * slope
    return {name: round(float(value), 2) for name, value in zip(names, weight, strict=True)}


def _fit_evidence(found: Sequence[tuple[Prompt, list[rank.Candidate]]], names: Sequence[str]) -> dict[str, float]:
    """Return the weights that tell answers from coincidences, and the bias that keeps off-topic prompts silent."""
    import numpy

    rows, labels, counts = [], [], []
    for prompt, items in found:
        for item in rank.rank(items)[:3]:
            rows.append([1.0, *(item.signals.get(name, 0.0) for name in names)])
            labels.append(item.id in prompt.answers)
            counts.append(0.3 if prompt.answers and item.id not in prompt.answers else 1.0)
    matrix, label, importance = numpy.array(rows), numpy.array(labels, dtype=float), numpy.array(counts)
    weight = numpy.zeros(matrix.shape[1])
    for _ in range(4000):
        chance = 1 / (1 + numpy.exp(-matrix @ weight))
        weight += 0.5 * ((importance * (label - chance)) @ matrix / importance.sum() - 0.001 * weight)
    weight[1:] = numpy.maximum(weight[1:], 0)
    off = [
        max(sum(w * item.signals.get(n, 0.0) for n, w in zip(names, weight[1:], strict=True)) for item in items)
        for prompt, items in found
        if not prompt.answers and items
    ]
    silent = sum(1 for prompt, items in found if not prompt.answers and not items)
    allowed = int(ANSWERED_OFF_TOPIC * (len(off) + silent))
    bias = -(sorted(off, reverse=True)[allowed] + 1e-3) if len(off) > allowed else weight[0]
    return {"bias": round(float(bias), 2)} | {
        name: round(float(value), 2) for name, value in zip(names, weight[1:], strict=True)
    }


# What each hook may cost: median and 95th percentile of CPU against a bare interpreter, and modules, at most.
HOOK_LIMITS = {
    "prompt": (4.0, 6.0, 75),
    "session-start": (4.0, 6.0, 75),
    "session-end": (3.0, 4.0, 70),
    "noop": (4.0, 6.0, 70),
}
PROMPT_LIMITS_TO_10_000 = (3.0, 4.0, 75)


def hook_costs(sizes: Sequence[int], rounds: int, seed: int) -> None:
    """Print the CPU of each hook as a new process, as a multiple of a bare interpreter started in turns."""
    print("memories  hook            bare ms   hook ms    p95 ms   median     p95  modules   (limits)")
    for size in sizes:
        store = workload.memories(size, seed)
        prompts = workload.prompts(store, rounds // len(SORTS) + 1, seed, SCORED_ON)
        with tempfile.TemporaryDirectory() as name:
            with build(Path(name), store) as ours:
                ours.store.connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
            environment = _as_installed(Path(name))
            for event in HOOK_LIMITS:
                documents = [
                    {"prompt": prompt.text, "cwd": name, "session_id": f"bench-{event}-{number}", "source": "startup"}
                    for number, prompt in enumerate(prompts[:rounds])
                ]
                _hook_row(size, event, [json.dumps(document).encode() for document in documents], environment)


def _hook_row(size: int, event: str, documents: Sequence[bytes], environment: dict[str, str]) -> None:
    bare, hook = [], []
    _cpu(["-m", "tenure", "hook", event], documents[0], environment)
    for document in documents:
        bare.append(_cpu(["-c", "pass"], b"", environment))
        hook.append(_cpu(["-m", "tenure", "hook", event], document, environment))
    reference, typical = statistics.median(bare), statistics.median(hook)
    slow = sorted(hook)[int(len(hook) * 0.95)]
    most = PROMPT_LIMITS_TO_10_000 if event == "prompt" and size <= 10_000 else HOOK_LIMITS[event]
    print(
        f"{size:>8,}  {event:<13} {reference * 1e3:9.1f} {typical * 1e3:9.1f} {slow * 1e3:9.1f}"
        f" {typical / reference:7.1f}x {slow / reference:6.1f}x {_modules(event, documents[0], environment):8}"
        f"   (<= {most[0]:g}x, {most[1]:g}x, {most[2]})"
    )


def _as_installed(folder: Path) -> dict[str, str]:
    """Return the environment of a hook: modules compiled once, by the warm-up, and no worker beside it."""
    environment = {**os.environ, "TENURE_STORE": f"sqlite:{folder / 'memory.db'}", "TENURE_NO_WORKER": "1"}
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


def _cpu(words: list[str], data: bytes, environment: dict[str, str]) -> float:
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run([sys.executable, *words], input=data, stdout=subprocess.DEVNULL, env=environment, check=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def _row(label: str, result: dict[str, tuple[float, float]]) -> None:
    cells = (f"{recall:.2f} / {mrr:.2f}" for recall, mrr in (result[sort] for sort in ("all", *SORTS[:-1])))
    print(f"{label:<14}" + "".join(f"{cell:>14}" for cell in cells))


def _silence(label: str, result: tuple[float, float]) -> None:
    print(f"{label:<14}  off-topic prompts answered {result[0]:.0%}; answer among what is injected {result[1]:.0%}")


def meaning_ready(ours: workspace.Workspace) -> bool:
    """Embed every memory; return False without the extra."""
    if meaning.problem():
        return False
    start = time.perf_counter()
    count = meaning.embed(ours.store, most=1_000_000)
    print(f"{count:,} memories embedded in {time.perf_counter() - start:.0f} s")
    return True


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("what", nargs="?", default="tables", choices=["tables", "fit", "hook", "public"])
    options.add_argument("--large", action="store_true", help="also 100,000 memories")
    options.add_argument("--prompts", type=int, default=100, help="prompts of each sort")
    options.add_argument("--sizes", type=int, nargs="*", default=[1000, 10_000])
    options.add_argument("--seed", type=int, default=2)
    chosen = options.parse_args()
    with tempfile.TemporaryDirectory() as home:
        os.environ["TENURE_HOME"] = home
        sizes = [*chosen.sizes, *([100_000] if chosen.large else [])]
        if chosen.what == "hook":
            hook_costs(sizes, chosen.prompts, chosen.seed)
            return
        if chosen.what == "public":
            public(Path(os.environ.get("BENCH_DATA", ".")))
            return
        if chosen.what == "fit":
            fit(chosen.sizes, chosen.prompts, FIT_SEED)
            return
        for size in sizes:
            table(size, chosen.prompts, chosen.seed)


if __name__ == "__main__":
    main()
