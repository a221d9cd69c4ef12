"""Weights from examples: which candidates should stand first, and which answer at all.

Lifecycle signals have no labels in any of the sets; their weights are choices and stay as they are.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path

from recall_workload import Prompt

from tenure.recall import rank, weights

Example = tuple[Prompt, list[rank.Candidate]]
FITTED = (
    "title",
    "text",
    "small",
    "names",
    "related",
    "gist",
    "coverage",
    "author",
    "session",
    "neighbours",
    "dates",
    "meaning",
)
# A day or an agent orders what answers and proves nothing: "I have an hour today" is no question about today.
# `near` is a choice: the fit sees too few memories that answer by meaning alone.
PROOF = ("surprise", "share", "names", "related", "gist", "meaning")
# Off-topic prompts that may still be answered on the half that is fitted.
ANSWERED_OFF_TOPIC = 0.04
# How sharply the softmax prefers the first, how far weights may leave their start, and how long it takes.
SHARP, PULL, STEPS = 8.0, 0.005, 600


def order(found: Iterable[Example], prior: dict[str, float]) -> dict[str, float]:
    """Return weights under which answers are most likely first: a softmax over each prompt's candidates."""
    import numpy

    names = [name for name in FITTED if name in prior]
    lists = []
    for prompt, items in found:
        right = numpy.array([item.id in prompt.answers for item in items], dtype=bool)
        if right.any() and not right.all():
            signals = numpy.array([[item.signals.get(name, 0.0) for name in names] for item in items])
            fixed = numpy.array(
                [sum(prior[n] * v for n, v in item.signals.items() if n in prior and n not in names) for item in items]
            )
            lists.append((signals, fixed, right))
    start = numpy.array([prior[name] for name in names])
    weight = start.copy()
    for step in range(STEPS if lists else 0):
        slope = PULL * (start - weight)
        for signals, fixed, right in lists:
            score = SHARP * (signals @ weight + fixed)
            odds = numpy.exp(score - score.max())
            odds /= odds.sum()
            share = odds[right] / max(odds[right].sum(), 1e-12)
            slope += SHARP * (share @ signals[right] - odds @ signals) / len(lists)
        # No signal speaks against a memory because it matches.
        weight = numpy.maximum(weight + 0.05 / (1 + step / 100) * slope, 0)
    return {**prior, **{name: round(float(value), 2) for name, value in zip(names, weight, strict=True)}}


def evidence(found: Sequence[Example], prior: dict[str, float]) -> dict[str, float]:
    """Return the weights that tell answers from coincidences, and the bias that keeps off-topic prompts silent."""
    import numpy

    names = [name for name in PROOF if name in prior]
    rows, labels, counts = [], [], []
    for prompt, items in found:
        for item in rank.rank(items)[:3]:
            rows.append([1.0, *(item.signals.get(name, 0.0) for name in names)])
            labels.append(item.id in prompt.answers)
            counts.append(0.3 if prompt.answers and item.id not in prompt.answers else 1.0)
    matrix, label, importance = numpy.array(rows), numpy.array(labels, dtype=float), numpy.array(counts)
    weight = numpy.zeros(matrix.shape[1])
    for _ in range(3000):
        chance = 1 / (1 + numpy.exp(-matrix @ weight))
        weight += 0.5 * ((importance * (label - chance)) @ matrix / importance.sum() - 0.001 * weight)
        weight[1:] = numpy.maximum(weight[1:], 0)
    told = [*zip(names, weight[1:], strict=True), ("near", prior.get("near", 0.0))]
    off = [
        max(sum(w * item.signals.get(n, 0.0) for n, w in told) for item in items)
        for prompt, items in found
        if not prompt.answers and items
    ]
    silent = sum(1 for prompt, items in found if not prompt.answers and not items)
    allowed = int(ANSWERED_OFF_TOPIC * (len(off) + silent))
    bias = -(sorted(off, reverse=True)[allowed] + 1e-3) if len(off) > allowed else weight[0]
    fitted = {name: round(float(value), 2) for name, value in zip(names, weight[1:], strict=True)}
    return {**prior, "bias": round(float(bias), 2), **fitted}


def sections(examples: dict[str, list[Example]], texts: str, *, silence: bool) -> dict[str, dict[str, float]]:
    """Return the weights of a kind of text, fitted where there are examples."""
    result = {name: dict(values) for name, values in weights.of(texts).items()}
    for name, found in examples.items():
        if not found:
            continue
        result[f"rank.{name}"] = order(found, result[f"rank.{name}"])
        use(texts, result)
        if silence:
            result[f"evidence.{name}"] = evidence(found, result[f"evidence.{name}"])
            use(texts, result)
    return result


def use(texts: str, fitted: dict[str, dict[str, float]]) -> None:
    """Let this process rank by other weights."""
    weights._read[texts] = fitted


def write(texts: str, fitted: dict[str, dict[str, float]]) -> Path:
    """Write a weight file."""
    path = Path(weights.__file__).with_name(f"weights_{texts}.toml")
    comment = "".join(line for line in path.read_text(encoding="utf-8").splitlines(keepends=True) if line[0] == "#")
    parts = [comment, f"\nversion = {weights.VERSION}\n"]
    for section, values in fitted.items():
        if section:
            parts.append(f"\n[{section}]\n" + "".join(f"{name} = {value}\n" for name, value in values.items()))
    path.write_text("".join(parts), encoding="utf-8")
    return path
