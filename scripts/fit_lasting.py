"""Fit the weights of tenure.capture.lasting: scripts/fit_lasting.py FOLDER, where FOLDER holds fetched repositories.

A logistic regression with a ridge over the sentences of all judged people; a word that fewer than seven people use is
left out; words are held back more than signs. A sentence counts as lasting when it overlaps a label. The others of a
labelled turn count for nothing, as a reader may have meant them too, and so does a sentence that nearly repeats a
labelled one of the same person. A person who says much counts for less. The weights are written beside lasting.py.
Printed: how they hold for people they were not fitted on. Each person is left out once, in groups of a few people;
which words count is settled on all, without a look at verdicts. `scripts/bench learning FOLDER --left-out` counts
whole candidates by the same groups.
"""

from __future__ import annotations

import json
import sys
from collections import Counter, defaultdict
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

DATA = Path(__file__).resolve().parent / "data" / "learning"
sys.path.insert(0, str(DATA))

from load import Loader, beside  # noqa: E402 - it lies beside its data

from tenure.capture import lasting, own_words, session_builder, stated_rules  # noqa: E402

HALVES = (
    *(f"{name}{half}" for name in ("", "fresh_", "third_", "fourth_") for half in ("tune", "score")),
    "fifth_score",
)
RIDGE = 5.0
# A word is held back as by a ridge of 20.
WORD_SCALE = 0.5
LEAST_PEOPLE = 7
GROUPS = 10
# A person's sentences weigh as so many at most, roughly.
MOST_OF_ONE = 250
# Two sentences of one person with such a share of their words in common say the same.
REPEATED = 0.6
OUT = Path(lasting.__file__).with_name(lasting.WEIGHTS_FILE)


class Fitting(NamedTuple):
    """Sentences as a fit takes them: a row of `seen` for each, a column for each name, and the last for the base."""

    names: list[str]
    # By which each column is multiplied, so that words are held back more.
    scale: Any
    seen: Any
    lasts: Any
    unsure: Any
    people: Any
    # How much each sentence counts.
    weight: Any


def main(folder: str) -> None:
    """Write the weights, and print what they find in people they were not fitted on."""
    rows = read(folder)
    fitting = prepare(rows)
    fitted = fit(fitting.seen, fitting.lasts, fitting.weight)
    write(as_written(fitting.names, fitted * fitting.scale))
    held = np.zeros(len(rows))
    for left, vector in groups(fitting, fitted):
        held[left] = fitting.seen[left] @ vector
    total = len({label for row in rows for label in row["labels"]})
    for bar in (-0.5, -0.25, 0.0, 0.2, 0.3, 0.4, 0.5, 0.75, 1.0):
        over = held >= bar
        count = int(over.sum()) or 1
        found = {label for number in np.flatnonzero(over) for label in rows[number]["labels"]}
        lasting_ones, beside_one = (int((each & over).sum()) / count for each in (fitting.lasts, fitting.unsure))
        print(
            f"from {bar}: {count} sentences of people not fitted on, {lasting_ones:.0%} lasting,"
            f" {beside_one:.0%} of a labelled turn; {len(found)} of {total} labels in reach"
        )


def read(folder: str) -> list[dict[str, Any]]:
    """Return the judged sentences of all people that are fitted on, and print how many repeat a labelled one."""
    rows = [row for half in HALVES for row in sentences(folder, DATA / half)]
    unsure = sum(row["unsure"] for row in rows)
    _leave_repeated_out(rows)
    repeated = sum(row["unsure"] for row in rows) - unsure
    print(f"{repeated} sentences beside no label nearly repeat a labelled one and count for nothing in the fitting")
    return rows


def prepare(rows: list[dict[str, Any]]) -> Fitting:
    """Return the sentences as a fit takes them."""
    used = defaultdict(set)
    for row in rows:
        for name in row["signs"]:
            used[name].add(row["person"])
    names = sorted(name for name in used if not name.startswith(lasting.WORD) or len(used[name]) >= LEAST_PEOPLE)
    place = {name: number for number, name in enumerate(names)}
    scale = np.array([WORD_SCALE if name.startswith(lasting.WORD) else 1.0 for name in names] + [1.0], np.float32)
    seen = np.zeros((len(rows), len(names) + 1), np.float32)
    seen[:, -1] = 1
    for number, row in enumerate(rows):
        seen[number, [place[name] for name in row["signs"] if name in place]] = 1
    seen *= scale
    unsure = np.array([row["unsure"] for row in rows])
    people = np.array([row["person"] for row in rows])
    often = Counter(people)
    weight = np.array([min(1.0, (MOST_OF_ONE / often[person]) ** 0.5) for person in people]) * ~unsure
    return Fitting(names, scale, seen, np.array([row["lasts"] for row in rows]), unsure, people, weight)


def groups(fitting: Fitting, fitted: Any) -> Iterator[tuple[Any, Any]]:
    """Yield the sentences of each group of people, and the weights fitted on all others; `fitted`: on everybody."""
    group_of = {person: number % GROUPS for number, person in enumerate(sorted(set(fitting.people)))}
    group = np.array([group_of[person] for person in fitting.people])
    for number in range(min(GROUPS, len(group_of))):
        left = group == number
        yield left, fit(fitting.seen[~left], fitting.lasts[~left], fitting.weight[~left], fitted)


def left_out(rows: list[dict[str, Any]]) -> dict[str, lasting.Weights]:
    """Return for each person the weights that were fitted without that person, rounded as lasting.py reads them."""
    fitting = prepare(rows)
    fitted = fit(fitting.seen, fitting.lasts, fitting.weight)
    return {
        str(person): as_written(fitting.names, vector * fitting.scale)
        for left, vector in groups(fitting, fitted)
        for person in set(fitting.people[left])
    }


def as_written(names: list[str], vector: Any) -> lasting.Weights:
    """Return fitted weights as they are written, to two places; the last of the vector is the base."""
    rounded = [(name, round(float(value), 2)) for name, value in zip(names, vector, strict=False)]
    return lasting.Weights(round(float(vector[-1]), 2), {name: value for name, value in rounded if value})


def write(weights: lasting.Weights) -> None:
    """Write the weights as data."""
    found = sorted(weights.of.items(), key=lambda each: (-each[1], each[0]))
    lines = [
        "# What each sign and each word of a sentence adds to the log of the odds that it lasts.",
        "# Written by scripts/fit_lasting.py.",
        f"base = {weights.base:.2f}",
        "",
        "[signs]",
        *(f'"{name}" = {value}' for name, value in found if not name.startswith(lasting.WORD)),
        "",
        "[words]",
        *(f'"{name.removeprefix(lasting.WORD)}" = {value}' for name, value in found if name.startswith(lasting.WORD)),
    ]
    OUT.write_text("\n".join(lines) + "\n", "utf-8")


def sentences(folder: str, data: Path) -> Iterator[dict[str, Any]]:
    """Yield each sentence that could be a rule, with its signs and the verdict."""
    labels = defaultdict(list)
    for label in json.loads((data / "labels.json").read_text("utf-8"))["labels"]:
        labels[label["session"], label.get("turn")].append(label)
    judged = json.loads((data / "turns.json").read_text("utf-8"))["sessions"]
    for source, turns in Loader(folder, str(data / "sources.json")).sessions():
        foreign = {n for listed in judged.get(source["key"], {}).get("not_own", {}).values() for n in listed}
        around = beside(turns)
        for turn in turns if not source.get("copy_of") else ():
            said = session_builder.clean(turn["text"])
            if turn["who"] != "human" or turn["n"] in foreign or not own_words.proves(said):
                continue
            marked = labels[source["key"], turn["n"]]
            for line, place in stated_rules.candidates(said, around[turn["n"]]):
                start = turn["text"].find(line)
                hit = [one for one in marked if start >= 0 and one["start"] < start + len(line) and start < one["end"]]
                yield {
                    "person": source["repo"].partition("/")[0].lower(),
                    "signs": lasting.signs_of(stated_rules.bare(line), place),
                    "words": lasting.words_of(line),
                    "labels": [one["id"] for one in hit],
                    "lasts": bool(hit),
                    "unsure": bool(marked) and not hit,
                }


def _leave_repeated_out(rows: list[dict[str, Any]]) -> None:
    labelled = defaultdict(list)
    for row in rows:
        if row["lasts"]:
            labelled[row["person"]].append(row["words"])
    for row in rows:
        mine = row["words"]
        if not row["lasts"] and len(mine) > 2:
            row["unsure"] |= any(len(mine & other) >= REPEATED * len(mine | other) for other in labelled[row["person"]])


def fit(seen: Any, lasts: Any, weight: Any, start: Any = None) -> Any:
    """Return the weights by Newton's method."""
    found = np.zeros(seen.shape[1]) if start is None else start.copy()
    ridge = np.eye(len(found)) * RIDGE
    ridge[-1, -1] = 0.001
    for _ in range(12):
        odds = 1 / (1 + np.exp(-seen @ found))
        slope = seen.T @ (weight * (lasts - odds)) - ridge @ found
        curve = (seen * (weight * odds * (1 - odds))[:, None]).T @ seen + ridge
        step = np.linalg.solve(curve, slope)
        found += step
        if abs(step).max() < 1e-3:
            break
    return found


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit("usage: scripts/fit_lasting.py FOLDER (fetched repositories as owner+name/repo)")
    main(sys.argv[1])
