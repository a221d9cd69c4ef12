"""Quality and cost of recall on a generated workload, beside others measured in the same run.

    scripts/bench recall                 every table, at 1,000 and 10,000 memories (--large adds 100,000)
    scripts/bench recall quality         recall@5 and MRR by sort of prompt
    scripts/bench recall silence         off-topic prompts answered, from 10 memories on
    scripts/bench recall speed           a warm search beside a raw FTS5 query, and its memory
    scripts/bench recall hook            the hooks as new processes, beside a bare interpreter
    scripts/bench recall fit             fit the weights on one half of the topics and write them
    scripts/bench recall --prompts FETCHED   prompts that people typed, judged (scripts/data/prompts/README.md)
    scripts/bench recall --questions FETCHED natural questions over small stores of real bullets, judged
    scripts/bench recall --real FETCHED      the same prompts over bullets of real instruction files, and paraphrases
    scripts/bench recall --bullets FETCHED   bullets of instruction files by their heads and commits; silence
    scripts/bench recall --public FOLDER     public sets, from clones in a folder (recall_public.py names them)

Every number is scored on topics and a seed that the weights have not seen: fitted on half 0, scored on half 1.
BENCH_CACHE names a folder in which vectors and stores are kept from one run to the next, and the answers to the public
sets while no line of code changes: a run that was stopped goes on where it was.
"""

from __future__ import annotations

import argparse
import math
import os
import tempfile
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path

import recall_bullets
import recall_costs as costs
import recall_dialogues as dialogues
import recall_fit as fitting
import recall_prompts
import recall_questions
import recall_real
import recall_reference as reference
import recall_sets
import recall_stores as stores
import recall_workload as workload
from recall_progress import progress
from recall_reference import Answer
from recall_workload import SHARES, SIDE, Prompt

from tenure import workspace
from tenure.recall import budget, rank, vectors, weights
from tenure.usecases import calibrate, embeddings, search

FITTED_ON, SCORED_ON = 0, 1
FIT_SEED = 1
FIT_SIZES = (20, 100, 500, 1500, 6000)
SILENCE_SIZES = (10, 100)
# How many different prompts about nothing each store is asked.
OFF_TOPIC = 120
# Vectors of whole texts, as others make them, take ten milliseconds each.
VECTORS_UP_TO = 10_000
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
    progress(f"quality at {size:,}: words")
    _row("best possible by words", _means(reference.ceiling(store, prompts)))
    plain, phrases = reference.fts5(store), reference.fts5(store, phrases=True)
    _row("plain FTS5", scored(reference.by_words(store, plain), prompts))
    _row("FTS5 with phrases", scored(reference.by_words(store, phrases), prompts))
    if model and size <= VECTORS_UP_TO:
        progress(f"quality at {size:,}: vectors of whole texts")
        for label, answer in reference.by_meaning(store, _cosines(store), phrases).items():
            _row(label, scored(answer, prompts))
    progress(f"quality at {size:,}: Tenure")
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


def _cosines(store: Sequence[workload.Learned]) -> Callable[[str], object]:
    """Return what vectors of whole texts say, as others embed them."""
    model = embeddings.encoder()
    assert model is not None
    texts = [item.text for item in store]
    codes = [
        code
        for start in range(0, len(texts), 512)
        for code in vectors.quantised(model.encode(texts[start : start + 512]))
    ]
    packed, dimensions = b"".join(codes), len(codes[0])
    lengths = vectors.measured(packed, dimensions)

    def ask(text: str) -> object:
        return vectors.closeness(packed, dimensions, model.encode([text]), lengths)[0]

    return ask


def _means(found: dict[str, list[float]]) -> dict[str, tuple[float, float | None]]:
    main = [value for sort in SHARES for value in found[sort]]
    return {sort: (sum(values) / len(values), None) for sort, values in {"all": main, **found}.items() if values}


def silence(sizes: Sequence[int], hundreds: float, seed: int, *, model: bool) -> None:
    """Print which share of off-topic prompts is answered, and which of the others get the right memory injected."""
    print("\nSilence: off-topic prompts answered / prompts with the answer among what is injected (<= 10 % answered)")
    print(f"{OFF_TOPIC} off-topic prompts; by the point that was fitted, then by the store's own and where it is")
    print("memories" + "".join(f"{name:>31}" for name in ("words", *(("related words", "meaning") if model else ()))))
    for size in sizes:
        progress(f"silence at {size:,}")
        store = workload.memories(size, seed)
        prompts = [p for p in workload.prompts(store, hundreds, seed, SCORED_ON) if p.sort in SHARES]
        prompts += workload.off_topic(OFF_TOPIC, seed, SCORED_ON)
        with stores.filled(store, f"{size}-{seed}") as ours, stores.without_a_model():
            stores.calibrate(ours)
            cells = [_silence(ours, prompts, model=False)]
        if model:
            with stores.filled(store, f"{size}-{seed}", vectors=True) as ours:
                stores.calibrate(ours)
                cells += [_silence(ours, prompts, model=with_model) for with_model in (False, True)]
        print(f"{size:>8,}" + "".join(f"{cell:>31}" for cell in cells), flush=True)


def _silence(ours: workspace.Workspace, prompts: Sequence[Prompt], *, model: bool) -> str:
    """Return off-topic prompts answered and true ones answered rightly, by the fitted point and by the store's own."""
    known, limits = calibrate.known(ours.project.store), ours.project.policy.inject
    own = known.meaning if model else known.words
    off: dict[float, list[bool]] = {0.0: [], own: []}
    right: dict[float, list[bool]] = {0.0: [], own: []}
    for prompt in prompts:
        ranked, *_ = search.eligible(ours.project, prompt.text, model=model, calibrated=False)
        for point in off:
            least = limits.least_evidence + point
            kept = [item for item in ranked if not rank.doubt(item, ranked[0].score, least, limits.floor_share)]
            chosen, _ = budget.choose(
                kept,
                limit=limits.limit,
                budget_chars=limits.budget_chars,
                duplicate_overlap=limits.duplicate_overlap,
            )
            if prompt.answers:
                right[point].append(any(item.id in prompt.answers for item, _ in chosen))
            else:
                off[point].append(bool(chosen))
    cells = (f"{_share(off[point])} /{_share(right[point]):>4}" for point in (0.0, own))
    return f"{' > '.join(cells)} ({own:+.2f})"


def _share(told: Sequence[bool]) -> str:
    return f"{sum(told) / len(told):.0%}"


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

    def seen(ours: workspace.Workspace) -> list[fitting.Example]:
        return [(prompt, stores.candidates(ours, prompt.text, texts=texts)) for prompt in prompts]

    with stores.filled(store, label) as ours, stores.without_a_model():
        examples["words"] += seen(ours)
    if model:
        with stores.filled(store, label, vectors=True) as ours:
            with stores.without_a_model():
                examples["words"] += seen(ours)
            examples["meaning"] += seen(ours)


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


def public(folder: Path, only: Sequence[str], parts: int | None, *, model: bool) -> None:
    """Print the public sets' table; BENCH_OUT names a folder for every question."""
    named = os.environ.get("BENCH_OUT")
    out = Path(named) if named else None
    if out:
        out.mkdir(parents=True, exist_ok=True)
    print("\nPublic sets")
    for line in recall_sets.table(folder, out, _cosines if model else None, only, parts):
        print(line, flush=True)


def _row(label: str, result: Mapping[str, tuple[float, float | None]]) -> None:
    cells = (result.get(sort, (None, None)) for sort in _COLUMNS)
    said = (" / ".join("-" if part is None else f"{part:.2f}" for part in cell) for cell in cells)
    print(f"{label:<{_WIDTH}}" + "".join(f"{cell:>12}" for cell in said), flush=True)


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parts = ["quality", "talks", "silence", "speed", "hook"]
    options.add_argument("what", nargs="*", choices=["all", "fit", *parts], default="all")
    options.add_argument("--large", action="store_true", help="also 100,000 memories")
    options.add_argument("--hundreds", type=float, default=5, help="hundreds of main prompts")
    options.add_argument("--sizes", type=int, nargs="*", default=[1000, 10_000])
    options.add_argument("--seed", type=int, default=2)
    options.add_argument("--public", type=Path, metavar="FOLDER", help="score the public sets that a folder holds")
    options.add_argument("--prompts", type=Path, metavar="FETCHED", help="score judged prompts of fetched sessions")
    options.add_argument("--questions", type=Path, metavar="FETCHED", help="score natural questions over real bullets")
    options.add_argument("--real", type=Path, metavar="FETCHED", help="score prompts over real instruction files")
    options.add_argument("--bullets", type=Path, metavar="FETCHED", help="score bullets by their heads and commits")
    options.add_argument("--off-topic", type=Path, metavar="CLONE", help="LoCoMo, for --bullets: what asks for no rule")
    options.add_argument("--set", action="append", default=[], help="only this public set; may be repeated")
    options.add_argument("--parts", type=int, help="only so many dialogues of each public set")
    options.add_argument("--words", action="store_true", help="without the model")
    chosen = options.parse_args()
    what = (
        set()
        if chosen.public or chosen.prompts or chosen.questions or chosen.real or chosen.bullets
        else set(parts)
        if chosen.what in ("all", ["all"])
        else set(chosen.what)
    )
    sizes = [*chosen.sizes, *([100_000] if chosen.large else [])]
    with tempfile.TemporaryDirectory() as home:
        os.environ["TENURE_HOME"], os.environ["TENURE_NOW"] = home, stores.NOW
        # Within one run every store is filled once, whatever is measured on it.
        os.environ.setdefault("BENCH_CACHE", str(Path(home, "kept")))
        Path(os.environ["BENCH_CACHE"]).mkdir(parents=True, exist_ok=True)
        model = not chosen.words and stores.remember_vectors()
        if "fit" in what:
            fit(FIT_SIZES, min(chosen.hundreds, 2), model=model)
        for size in sizes if "quality" in what else ():
            quality(size, chosen.hundreds, chosen.seed, model=model)
        if "talks" in what:
            progress("dialogues")
            talks(chosen.seed, model=model)
        if "silence" in what:
            silence([*SILENCE_SIZES, *sizes], min(chosen.hundreds, 2), chosen.seed, model=model)
        if "speed" in what:
            progress("speed")
            speed(sizes, chosen.seed, model=model)
        if "hook" in what:
            progress("hooks")
            costs.hook(sizes, 60, chosen.seed, SCORED_ON, model=model)
        if chosen.prompts:
            print("\nPrompts of real sessions")
            for line in (*recall_prompts.table(chosen.prompts, recall_prompts.HALVES, model=model),
                         *recall_prompts.quiet(model=model)):  # fmt: skip
                print(line, flush=True)
        if chosen.questions:
            print("\nQuestions of newcomers over instruction files")
            for line in recall_questions.table(chosen.questions, model=model):
                print(line, flush=True)
        if chosen.real:
            print("\nRules that people wrote: recall@5")
            for line in recall_real.table(chosen.real, sizes, model=model):
                print(line, flush=True)
        if chosen.bullets:
            print("\nBullets of instruction files: recall@5")
            for line in (*recall_bullets.table(chosen.bullets, _cosines if model else None),
                         *recall_bullets.silence(chosen.bullets, chosen.off_topic, sizes, model=model)):  # fmt: skip
                print(line, flush=True)
        if chosen.public:
            public(chosen.public, chosen.set, chosen.parts, model=model)


if __name__ == "__main__":
    main()
