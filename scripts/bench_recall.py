"""Quality and cost of recall on a generated workload, beside others measured in the same run.

    scripts/bench recall                 every table, at 1,000 and 10,000 memories (--large adds 100,000)
    scripts/bench recall quality         recall@5 and MRR by sort of prompt
    scripts/bench recall silence         off-topic prompts answered, from 10 memories on
    scripts/bench recall speed           a warm search beside a raw FTS5 query, and its memory
    scripts/bench recall hook            the hooks as new processes, beside a bare interpreter
    scripts/bench recall fit             fit the weights on one half of the topics and write them
    BENCH_DATA=folder scripts/bench recall public    public sets, where the folder holds them

Every number is scored on topics and a seed that the weights have not seen: fitted on half 0, scored on half 1.
BENCH_CACHE names a folder in which vectors and stores are kept between runs.
"""

from __future__ import annotations

import argparse
import math
import os
import tempfile
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path

import recall_costs as costs
import recall_dialogues as dialogues
import recall_fit as fitting
import recall_reference as reference
import recall_sets
import recall_stores as stores
import recall_workload as workload
from recall_reference import Answer
from recall_workload import SHARES, SIDE, Prompt

from tenure import workspace
from tenure.identifiers import prose
from tenure.recall import vectors, weights
from tenure.workspace import meaning

FITTED_ON, SCORED_ON = 0, 1
FIT_SEED = 1
FIT_SIZES = (20, 100, 500, 1500, 6000)
SILENCE_SIZES = (10, 100)
_COLUMNS = ("all", *SHARES, *SIDE)
_WIDTH = 26


def scored(answer: Answer, prompts: Iterable[Prompt]) -> dict[str, tuple[float, float]]:
    """Return recall@5 and MRR for each sort of prompts, and for the main sorts together."""
    ranks: dict[str, list[float]] = {}
    for prompt in prompts:
        if not prompt.answers:
            continue
        found = list(answer(prompt.text))[:10]
        place = next((n for n, id in enumerate(found, start=1) if id in prompt.answers), math.inf)
        for sort in (prompt.sort, "all") if prompt.sort in SHARES else (prompt.sort,):
            ranks.setdefault(sort, []).append(place)
    return {
        sort: (sum(place <= 5 for place in places) / len(places), sum(1 / place for place in places) / len(places))
        for sort, places in ranks.items()
    }


def quality(size: int, hundreds: float, seed: int, *, model: bool) -> None:
    """Print one size's table."""
    store = workload.memories(size, seed)
    prompts = workload.prompts(store, hundreds, seed, SCORED_ON)
    print(f"\n{size:,} memories, {sum(p.sort in SHARES for p in prompts)} main prompts: recall@5 / MRR")
    print(" " * _WIDTH + "".join(f"{sort:>12}" for sort in _COLUMNS))
    plain, phrases = reference.fts5(store), reference.fts5(store, phrases=True)
    _row("plain FTS5", scored(reference.by_words(store, plain), prompts))
    _row("FTS5 with phrases", scored(reference.by_words(store, phrases), prompts))
    if model:
        with stores.filled(store, f"{size}-{seed}", vectors=True) as ours:
            for label, answer in reference.by_meaning(store, _cosines(ours), phrases).items():
                _row(label, scored(answer, prompts))
    with stores.filled(store, f"{size}-{seed}") as ours, stores.without_a_model():
        _row("Tenure, words", scored(searched(ours), prompts))
    if model:
        with stores.filled(store, f"{size}-{seed}", vectors=True) as ours:
            with stores.without_a_model():
                _row("Tenure, related words", scored(searched(ours), prompts))
            _row("Tenure, meaning", scored(searched(ours), prompts))


def searched(ours: workspace.Workspace) -> Answer:
    """Return the shipped search."""
    return lambda text: [hit.id for hit in ours.search(text)]


def _cosines(ours: workspace.Workspace) -> Callable[[str], object]:
    model, codes = meaning.encoder(), ours.store.codes()
    assert model is not None

    def ask(text: str) -> object:
        asked = model.encode([prose(text)])
        if codes.lengths is None:
            codes.lengths = vectors.measured(codes.packed, len(asked[0]))
        return vectors.closeness(codes.packed, len(asked[0]), asked, codes.lengths)[0]

    return ask


def silence(sizes: Sequence[int], hundreds: float, seed: int, *, model: bool) -> None:
    """Print which share of off-topic prompts is answered, and which of the others get the right memory injected."""
    print("\nSilence: off-topic prompts answered / prompts with the answer among what is injected (<= 10 % answered)")
    print("memories          words" + ("  related words        meaning" if model else ""))
    for size in sizes:
        store = workload.memories(size, seed)
        prompts = [p for p in workload.prompts(store, hundreds, seed, SCORED_ON) if p.sort not in SIDE]
        with stores.filled(store, f"{size}-{seed}") as ours, stores.without_a_model():
            cells = [_silence(ours, prompts)]
        if model:
            with stores.filled(store, f"{size}-{seed}", vectors=True) as ours:
                with stores.without_a_model():
                    cells.append(_silence(ours, prompts))
                cells.append(_silence(ours, prompts))
        print(f"{size:>8,}" + "".join(f"{off:>8.0%} /{right:>4.0%}" for off, right in cells))


def _silence(ours: workspace.Workspace, prompts: Sequence[Prompt]) -> tuple[float, float]:
    shown = [(prompt, {item["id"] for item in ours.inject(prompt.text).memories}) for prompt in prompts]
    off = [bool(ids) for prompt, ids in shown if not prompt.answers]
    right = [bool(prompt.answers & ids) for prompt, ids in shown if prompt.answers]
    return sum(off) / len(off), sum(right) / len(right)


def speed(sizes: Sequence[int], seed: int, *, model: bool) -> None:
    """Print what a warm search costs."""
    print("\nWarm search, CPU beside a raw FTS5 query of all words (<= 1x at 10,000, <= 0.5x at 100,000)")
    print("memories    raw ms words ms   ratio    peak" + ("  meaning ms  ratio    peak" if model else ""))
    for size in sizes:
        store = workload.memories(size, seed)
        costs.search(size, workload.prompts(store, 1, seed, SCORED_ON), store, seed, meaning=model)


def fit(sizes: Sequence[int], hundreds: float, *, model: bool) -> None:
    """Fit both weight files and write them: memories on one half of the topics, transcripts on generated dialogues."""
    examples: dict[str, list[fitting.Example]] = {"words": [], "meaning": []}
    for size in sizes:
        store = workload.memories(size, FIT_SEED)
        prompts = workload.prompts(store, hundreds, FIT_SEED, FITTED_ON)
        _collect(examples, store, prompts, weights.MEMORIES, f"{size}-{FIT_SEED}", model)
    print(fitting.write(weights.MEMORIES, fitting.sections(examples, weights.MEMORIES, silence=True)))
    examples = {"words": [], "meaning": []}
    for number in range(6):
        turns, prompts = dialogues.dialogue(FIT_SEED + 10 * number, FITTED_ON)
        _collect(examples, turns, prompts, weights.TRANSCRIPTS, "", model)
    print(fitting.write(weights.TRANSCRIPTS, fitting.sections(examples, weights.TRANSCRIPTS, silence=False)))


def _collect(
    examples: dict[str, list[fitting.Example]],
    store: list[workload.Learned],
    prompts: Sequence[Prompt],
    texts: str,
    label: str,
    model: bool,
) -> None:
    """Add what the ranking sees: by words alone, by related words, and by meaning."""

    def seen(ours: workspace.Workspace, close: bool) -> list[fitting.Example]:
        return [(prompt, stores.candidates(ours, prompt.text, close=close, texts=texts)) for prompt in prompts]

    with stores.filled(store, label) as ours, stores.without_a_model():
        examples["words"] += seen(ours, False)
    if model:
        with stores.filled(store, label, vectors=True) as ours:
            examples["words"] += seen(ours, False)
            examples["meaning"] += seen(ours, True)


def talks(seed: int, *, model: bool) -> None:
    """Print the weights of transcripts, scored on generated dialogues they have not seen."""
    print("\nGenerated dialogues, turns: recall@5 / MRR")
    sums: dict[str, list[tuple[float, float]]] = {}
    for number in range(4):
        turns, prompts = dialogues.dialogue(seed + 10 * number, SCORED_ON)
        ask = reference.fts5(turns)
        sums.setdefault("plain FTS5", []).append(scored(reference.by_words(turns, ask), prompts)["turns"])
        with stores.filled(turns, vectors=model) as ours:
            for texts in (weights.MEMORIES, weights.TRANSCRIPTS):
                found = scored(lambda text: [hit.id for hit in ours.search(text, texts=texts)], prompts)  # noqa: B023
                sums.setdefault(f"weights of {texts}", []).append(found["turns"])
    for label, parts in sums.items():
        recall, mrr = (sum(part[n] for part in parts) / len(parts) for n in (0, 1))
        print(f"{label:<{_WIDTH}}{recall:>6.2f} / {mrr:.2f}")


def public(*, model: bool) -> None:
    """Print the public sets' table and write a file for each row beside it."""
    named = os.environ.get("BENCH_DATA")
    if not named:
        print("\nPublic sets: BENCH_DATA names no folder")
        return
    out = Path("bench-public")
    out.mkdir(exist_ok=True)
    print("\nPublic sets; every question stands in", out)
    print("\n".join(recall_sets.table(Path(named), out, meaning=model)))


def _row(label: str, result: dict[str, tuple[float, float]]) -> None:
    cells = (result.get(sort) for sort in _COLUMNS)
    print(f"{label:<{_WIDTH}}" + "".join(f"{f'{c[0]:.2f} / {c[1]:.2f}' if c else '-':>12}" for c in cells), flush=True)


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parts = ["quality", "talks", "silence", "speed", "hook", "public"]
    options.add_argument("what", nargs="*", choices=["all", "fit", *parts], default="all")
    options.add_argument("--large", action="store_true", help="also 100,000 memories")
    options.add_argument("--hundreds", type=float, default=5, help="hundreds of main prompts")
    options.add_argument("--sizes", type=int, nargs="*", default=[1000, 10_000])
    options.add_argument("--seed", type=int, default=2)
    chosen = options.parse_args()
    what = set(parts) if chosen.what in ("all", ["all"]) else set(chosen.what)
    sizes = [*chosen.sizes, *([100_000] if chosen.large else [])]
    with tempfile.TemporaryDirectory() as home:
        os.environ["TENURE_HOME"], os.environ["TENURE_NOW"] = home, stores.NOW
        model = stores.remember_vectors()
        if "fit" in what:
            fit(FIT_SIZES, min(chosen.hundreds, 2), model=model)
        for size in sizes if "quality" in what else ():
            quality(size, chosen.hundreds, chosen.seed, model=model)
        if "talks" in what:
            talks(chosen.seed, model=model)
        if "silence" in what:
            silence([*SILENCE_SIZES, *sizes], min(chosen.hundreds, 2), chosen.seed, model=model)
        if "speed" in what:
            speed(sizes, chosen.seed, model=model)
        if "hook" in what:
            costs.hook(sizes, 60, chosen.seed, SCORED_ON)
        if "public" in what:
            public(model=model)


if __name__ == "__main__":
    main()
