"""Scores of the public sets: plain FTS5, the packaged model alone, Tenure by words and Tenure with the model.

All four answer the same questions over the same texts in the same run. The gate: Tenure is never below plain FTS5, and
never worse with the model than without.
"""

from __future__ import annotations

import json
import math
import statistics
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, nullcontext
from itertools import islice
from pathlib import Path

import recall_cache
import recall_public
import recall_reference as reference
import recall_stores as stores
from recall_progress import progress
from recall_workload import Learned, Prompt

from tenure import workspace

Found = list[str]
Question = dict[str, object]
Row = dict[str, list[Question]]
# How many memories are asked for: enough to name ten sessions.
MOST = 50
FTS5, ALONE, WORDS, MEANING = "plain FTS5", "model alone", "Tenure words", "Tenure meaning"
_MEASURES = ("recall@5", "recall@10", "mrr", "ndcg@10", "sessions@10")
# What one question of a hundred says is no difference.
SAME = 0.001


def table(
    folder: Path, out: Path | None, cosines: Callable[[Sequence[Learned]], Callable[[str], object]] | None,
    only: Sequence[str] = (), parts: int | None = None,
) -> Iterator[str]:  # fmt: skip
    """Score every set that the folder holds, and return the lines of the table; `out` gets every question.

    Of a set of many dialogues only the first `parts` are scored, and the line says so.
    """
    columns = (FTS5, ALONE, WORDS, MEANING) if cosines else (FTS5, WORDS)
    yield f"{'':<24}{'questions':>10}  {'measure':<10}" + "".join(f"{name:>15}" for name in columns)
    for chosen in recall_public.SETS:
        if only and chosen.label not in only:
            continue
        if not (folder / chosen.folder).is_dir():
            yield f"{chosen.label}: no clone at {folder / chosen.folder}"
            continue
        rows = answered(chosen, folder, cosines, parts)
        for name, found in rows.items() if out else ():
            target = out / f"{chosen.label}-{name}.jsonl".replace(" ", "-").lower()  # type: ignore[operator]
            target.write_text("".join(json.dumps(line) + "\n" for line in found), encoding="utf-8")
        for line in _lines(chosen, rows, columns):
            yield f"{line}  (first {parts} parts)" if parts else line


def answered(
    chosen: recall_public.PublicSet, folder: Path,
    cosines: Callable[[Sequence[Learned]], Callable[[str], object]] | None, parts: int | None = None,
) -> Row:  # fmt: skip
    """Return every question of one set with how well each column answers it."""
    rows: Row = {}
    for name, store, prompts in islice(chosen.load(folder / chosen.folder), parts):
        for column in (FTS5, ALONE, WORDS, MEANING) if cosines else (FTS5, WORDS):
            progress(f"{chosen.label}: {name}, {column}")

            def answer(column: str = column, name: str = name, store: list[Learned] = store,
                       prompts: list[Prompt] = prompts) -> list[Question]:  # fmt: skip
                with _column(column, name, store, chosen.texts, cosines) as ask:
                    return _scored(store, prompts, ask)

            rows.setdefault(column, []).extend(recall_cache.answers((column, chosen.texts, store, prompts), answer))
    return rows


@contextmanager
def _column(
    column: str, name: str, store: list[Learned], texts: str,
    cosines: Callable[[Sequence[Learned]], Callable[[str], object]] | None,
) -> Iterator[Callable[[str], Found]]:  # fmt: skip
    """Give what answers a question in one column of the table."""
    if column == FTS5:
        plain = reference.fts5(store)
        yield lambda text: [store[place].id for place, _ in plain(text, MOST)]
    elif column == ALONE:
        assert cosines
        yield nearest(store, cosines(store))
    else:
        going_by = stores.without_a_model() if column == WORDS else nullcontext()
        with stores.filled(store, f"public-{name}", vectors=column == MEANING) as ours, going_by:
            yield _shipped(ours, texts)


def nearest(store: Sequence[Learned], ask: Callable[[str], object]) -> Callable[[str], Found]:
    """Return what the model alone finds."""
    import numpy

    return lambda text: [store[int(n)].id for n in numpy.argsort(-ask(text), kind="stable")[:MOST]]  # type: ignore[operator]


def _lines(chosen: recall_public.PublicSet, rows: Row, columns: Sequence[str]) -> Iterator[str]:
    """Return a line of means; LoCoMo's questions without an answer are counted apart as well."""
    sorts = {question["sort"] for question in rows[FTS5]}
    for name, kept in (("", sorts), (" non-adversarial", sorts - {"adversarial"})):
        some = {row: [q for q in found if q["sort"] in kept] for row, found in rows.items()}
        count = len(some[FTS5])
        if name and count == len(rows[FTS5]):
            continue
        mean = {row: statistics.mean(float(q[chosen.measure]) for q in found) for row, found in some.items()}  # type: ignore[arg-type]
        cells = "".join(f"{mean[column]:>15.3f}" for column in columns)
        failed = mean[WORDS] < mean[FTS5] - SAME or mean.get(MEANING, 1.0) < mean[WORDS] - SAME
        verdict = "BELOW THE GATE" if failed else "fitted on" if chosen.fitted else ""
        yield f"{chosen.label + name:<24}{count:>10}  {chosen.measure:<10}{cells}  {verdict}".rstrip()


def _shipped(ours: workspace.Workspace, texts: str) -> Callable[[str], Found]:
    return lambda text: [hit.id for hit in ours.search(text, limit=MOST, texts=texts)]


def _scored(store: Sequence[Learned], prompts: Sequence[Prompt], answer: Callable[[str], Found]) -> list[Question]:
    session = {item.id: item.run or item.id for item in store}
    result: list[Question] = []
    for prompt in prompts:
        found = answer(prompt.text)
        measures = measured(found, prompt.answers, session)
        result.append({"question": prompt.text, "sort": prompt.sort, **measures, "found": found[:10]})
    return result


def measured(found: Found, answers: frozenset[str], session: dict[str, str]) -> dict[str, float]:
    """Return how well an order of memories holds the answers."""
    places = [place for place, id in enumerate(found, start=1) if id in answers]
    sessions = list(dict.fromkeys(session[id] for id in found))
    right = {session[id] for id in answers}
    ideal = sum(1 / math.log2(place + 1) for place in range(1, min(len(answers), 10) + 1))
    values = (
        sum(place <= 5 for place in places) / len(answers),
        sum(place <= 10 for place in places) / len(answers),
        1 / places[0] if places else 0.0,
        sum(1 / math.log2(place + 1) for place in places if place <= 10) / ideal,
        len(right & set(sessions[:10])) / len(right),
    )
    return dict(zip(_MEASURES, values, strict=True))
