"""Fit the weights of tenure.capture.lasting: scripts/fit_lasting.py FOLDER, where FOLDER holds fetched repositories.

A logistic regression with a ridge over the sentences of the tuned halves. A sentence counts as lasting when it overlaps
a label; the others of a labelled turn count for nothing, as a reader may have meant them too. A person who says much
counts for less. Printed: the weights to put into lasting.py, and how they hold for people they were not fitted on
(each person weighed by what was fitted on the others).
"""

from __future__ import annotations

import json
import sys
from collections import Counter, defaultdict
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

DATA = Path(__file__).resolve().parent / "data" / "learning"
sys.path.insert(0, str(DATA))

from load import Loader  # noqa: E402 - it lies beside its data

from tenure.capture import lasting, own_words, reading, stated  # noqa: E402

HALVES = ("tune", "fresh_tune", "third_tune", "fourth_tune")
RIDGE = 3.0
# A person's sentences weigh as so many at most, roughly.
MOST_OF_ONE = 250


def main(folder: str) -> None:
    """Print the weights, and what they find in people they were not fitted on."""
    rows = [row for half in HALVES for row in sentences(folder, DATA / half)]
    names = sorted({name for row in rows for name in row["signs"]})
    place = {name: number for number, name in enumerate(names)}
    seen = np.zeros((len(rows), len(names) + 1))
    seen[:, -1] = 1
    for number, row in enumerate(rows):
        seen[number, [place[name] for name in row["signs"]]] = 1
    lasts = np.array([row["lasts"] for row in rows])
    unsure = np.array([row["unsure"] for row in rows])
    people = np.array([row["person"] for row in rows])
    often = Counter(people)
    weight = np.array([min(1.0, (MOST_OF_ONE / often[person]) ** 0.5) for person in people]) * ~unsure
    held = np.zeros(len(rows))
    for person in often:
        others = people != person
        fitted = fit(seen[others], lasts[others], weight[others])
        held[~others] = seen[~others] @ fitted
    fitted = fit(seen, lasts, weight)
    print(f"BASE = {fitted[-1]:.2f}")
    for name, value in sorted(zip(names, fitted, strict=False), key=lambda each: -each[1]):
        print(f'    "{name}": {value:.2f},')
    for bar in (-0.5, -0.25, 0.0, 0.25, 0.5):
        over = held >= bar
        total = int(over.sum()) or 1
        print(
            f"from {bar}: {total} sentences of people not fitted on, {int(lasts[over].sum()) / total:.0%} lasting,"
            f" {int((unsure & over).sum()) / total:.0%} of a labelled turn"
        )


def sentences(folder: str, data: Path) -> Iterator[dict[str, Any]]:
    """Yield each sentence that could be a rule, with its signs and the verdict."""
    labels = defaultdict(list)
    for label in json.loads((data / "labels.json").read_text("utf-8"))["labels"]:
        labels[label["session"], label.get("turn")].append(label)
    judged = json.loads((data / "turns.json").read_text("utf-8"))["sessions"]
    for source, turns in Loader(folder, str(data / "sources.json")).sessions():
        foreign = {n for listed in judged.get(source["key"], {}).get("not_own", {}).values() for n in listed}
        for turn in turns if not source.get("copy_of") else ():
            said = reading.clean(turn["text"])
            if turn["who"] != "human" or turn["n"] in foreign or not own_words.proves(said):
                continue
            marked = labels[source["key"], turn["n"]]
            for line, among in stated.candidates(said):
                start = turn["text"].find(line)
                lasts = any(start >= 0 and one["start"] < start + len(line) and start < one["end"] for one in marked)
                yield {
                    "person": source["repo"].partition("/")[0],
                    "signs": lasting.signs_of(stated.bare(line), among),
                    "lasts": lasts,
                    "unsure": bool(marked) and not lasts,
                }


def fit(seen: Any, lasts: Any, weight: Any) -> Any:
    """Return the weights by Newton's method."""
    found = np.zeros(seen.shape[1])
    ridge = np.eye(len(found)) * RIDGE
    ridge[-1, -1] = 0.001
    for _ in range(25):
        odds = 1 / (1 + np.exp(-seen @ found))
        slope = seen.T @ (weight * (lasts - odds)) - ridge @ found
        curve = (seen * (weight * odds * (1 - odds))[:, None]).T @ seen + ridge
        step = np.linalg.solve(curve, slope)
        found += step
        if abs(step).max() < 1e-6:
            break
    return found


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit("usage: scripts/fit_lasting.py FOLDER (fetched repositories as owner+name/repo)")
    main(sys.argv[1])
