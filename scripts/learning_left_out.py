"""What sessions teach when each person is left out of the fitting: `scripts/bench learning FOLDER --left-out`.

The weights of sentences are fitted on all judged people but those of `sixth_score`, so a figure of theirs with these
weights is no score. Here they are fitted ten times, each time without a group of people (`fit_lasting.left_out`), and
each person's sessions are counted with the weights that the others gave. Answers, reproaches and what is live at once
are counted too, as `capture` makes them. The bar and the signs stay as they are, and they were chosen on these people.
"""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import fit_lasting
import learning_counting
from learning_counting import Counts
from load import Loader


def print_left_out(folder: str, data: Path) -> None:
    """Print a line for each half, then for those called tune, those called score, and all."""
    weights = fit_lasting.left_out(fit_lasting.read(folder))
    counted: dict[str, tuple[Counts, int]] = {}
    for half in fit_lasting.HALVES:
        labels, judged = learning_counting.read(data / half)
        sessions = Loader(folder, str(data / half / "sources.json")).sessions()
        counted[half] = learning_counting.count(sessions, labels, judged, weights), len(labels)
        print(line(half, [counted[half]]), flush=True)
    for name in ("tune", "score", ""):
        print(line(f"all {name}".strip(), [each for half, each in counted.items() if half.endswith(name)]))


def line(name: str, counted: list[tuple[Counts, int]]) -> str:
    """Return what halves come to, each with the number of its labels."""
    made: Counter[str] = sum((each.made for each, _ in counted), Counter())
    live: Counter[str] = sum((each.live for each, _ in counted), Counter())
    # A person whose sessions stand in two halves is one person.
    people = set().union(*(each.people for each, _ in counted))
    sessions, missing = (sum(getattr(each, field) for each, _ in counted) for field in ("sessions", "missing"))
    found, labels = sum(len(each.found) for each, _ in counted), sum(number for _, number in counted)
    good = made["keep"] + made["half"]
    return (
        f"{name}: {len(people)} people, {sessions} sessions{f' ({missing} gave no turn)' if missing else ''};"
        f" {made.total()} candidates: {made['keep']} keep, {made['half']} half, {made['junk']} junk"
        f" ({good / (made.total() or 1):.1%} keep or half); {found} of {labels} labels found"
        f" ({found / (labels or 1):.1%}); live at once and right {live['keep']} of {live.total()}"
    )
