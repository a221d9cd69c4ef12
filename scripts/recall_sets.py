"""Scores of the public sets: a table, and one file per set with every question.

Three rows: plain FTS5; *carried over*, with the shipped weights, which have seen no label of any of these sets; and
*fitted*, with weights fitted on the set's other dialogues.
"""

from __future__ import annotations

import json
import math
import statistics
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import recall_fit as fitting
import recall_public
import recall_reference as reference
import recall_stores as stores
from recall_workload import Learned, Prompt

from tenure import workspace
from tenure.recall import weights

Found = list[str]
# How many turns are asked for: enough to name ten sessions.
MOST = 50


def table(folder: Path, out: Path, *, meaning: bool) -> list[str]:
    """Score every set that the folder holds, write the questions to `out`, and return the lines of the table."""
    lines = [f"{'':<30}{'questions':>10}{'R@5':>7}{'R@10':>7}{'hit@5':>7}{'MRR':>7}{'nDCG@10':>9}{'sessions@10':>13}"]
    for label, (load, texts) in recall_public.SETS.items():
        parts = list(load(folder))
        if not any(prompts for _, _, prompts in parts):
            lines.append(f"{label}: not in {folder}")
            continue
        rows: dict[str, list[dict[str, object]]] = {"plain FTS5": [], "carried over": [], "fitted": []}
        fitted = _by_other_dialogues(parts, texts, meaning) if len(parts) > 1 else {}
        for name, store, prompts in parts:
            ask = reference.fts5(store)
            by_words: Callable[[str], Found] = lambda text, ask=ask, store=store: [  # type: ignore[misc]  # noqa: E731
                store[place].id for place, _ in ask(text, MOST)
            ]
            rows["plain FTS5"] += _scored(name, store, prompts, by_words)
            with stores.filled(store, vectors=meaning) as ours:
                rows["carried over"] += _scored(name, store, prompts, _shipped(ours, texts))
                if name in fitted:
                    before = weights.of(texts)
                    fitting.use(texts, fitted[name])
                    rows["fitted"] += _scored(name, store, prompts, _shipped(ours, texts))
                    fitting.use(texts, before)
        for row, found in rows.items():
            lines += _lines(label, row, found)
            target = out / f"{label.lower()}-{row.replace(' ', '-').lower()}.jsonl"
            target.write_text("".join(json.dumps(line) + "\n" for line in found), encoding="utf-8")
    return lines


def _lines(label: str, row: str, found: Sequence[dict[str, object]]) -> Iterator[str]:
    """Return a line of means; LoCoMo's questions without an answer are counted apart as well."""
    sorts = {question["sort"] for question in found}
    for name, kept in (("", sorts), (" non-adversarial", sorts - {"adversarial"})):
        some = [question for question in found if question["sort"] in kept]
        if some and (not name or len(some) < len(found)):
            mean = {key: statistics.mean(float(q[key]) for q in some) for key in _MEASURES}  # type: ignore[arg-type]
            cells = "".join(f"{mean[key]:>{width}.3f}" for key, width in _MEASURES.items())
            yield f"{label}{name} {row:<13}".ljust(30) + f"{len(some):>10}{cells}"


_MEASURES = {"recall@5": 7, "recall@10": 7, "hit@5": 7, "mrr": 7, "ndcg@10": 9, "sessions@10": 13}


def _shipped(ours: workspace.Workspace, texts: str) -> Callable[[str], Found]:
    return lambda text: [hit.id for hit in ours.search(text, limit=MOST, texts=texts)]


def _scored(
    name: str, store: Sequence[Learned], prompts: Sequence[Prompt], answer: Callable[[str], Found]
) -> list[dict[str, object]]:
    session = {item.id: item.run or item.id for item in store}
    result: list[dict[str, object]] = []
    for prompt in prompts:
        found = answer(prompt.text)
        measures = measured(found, prompt.answers, session)
        result.append({"set": name, "question": prompt.text, "sort": prompt.sort, **measures, "found": found[:10]})
    return result


def measured(found: Found, answers: frozenset[str], session: dict[str, str]) -> dict[str, float]:
    """Return how well an order of memories holds the answers; hits are counted by session where there are sessions."""
    places = [place for place, id in enumerate(found, start=1) if id in answers]
    sessions = list(dict.fromkeys(session[id] for id in found))
    right = {session[id] for id in answers}
    ideal = sum(1 / math.log2(place + 1) for place in range(1, min(len(answers), 10) + 1))
    return {
        "recall@5": sum(place <= 5 for place in places) / len(answers),
        "recall@10": sum(place <= 10 for place in places) / len(answers),
        "hit@5": float(not right.isdisjoint(sessions[:5])),
        "mrr": 1 / places[0] if places else 0.0,
        "ndcg@10": sum(1 / math.log2(place + 1) for place in places if place <= 10) / ideal,
        "sessions@10": len(right & set(sessions[:10])) / len(right),
    }


def _by_other_dialogues(
    parts: Sequence[recall_public.Part], texts: str, meaning: bool
) -> dict[str, dict[str, dict[str, float]]]:
    """Return for each dialogue the weights fitted on every fifth part of the others."""
    examples: list[list[fitting.Example]] = []
    for _, store, prompts in parts:
        with stores.filled(store, vectors=meaning) as ours:
            examples.append([(p, stores.candidates(ours, p.text, texts=texts)) for p in prompts])
    folds, before, name = min(len(parts), 5), weights.of(texts), "meaning" if meaning else "words"
    result = {}
    for fold in range(folds):
        others = [example for n, part in enumerate(examples) if n % folds != fold for example in part]
        made = fitting.sections({name: others}, texts, silence=False)
        fitting.use(texts, before)
        result |= {parts[n][0]: made for n in range(len(parts)) if n % folds == fold}
    return result
