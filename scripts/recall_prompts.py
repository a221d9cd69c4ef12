"""What is injected for prompts that people really typed, judged by hand: `scripts/bench recall --prompts FETCHED`.

The prompts, the stores of ideal memories they are asked over and the verdicts stand in scripts/data/learning
(`prompts.json` of each half); their texts are read out of fetched repositories. Everyday follow-ups and activities
stand in scripts/data/prompts. Nothing is fitted on the half called `score`.
"""

from __future__ import annotations

import json
import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import recall_stores as stores
from recall_workload import Learned

from tenure import workspace

DATA = Path(__file__).resolve().parent / "data"
HALVES = ("tune", "score")


def judged(fetched: Path, half: str) -> list[tuple[dict[str, Any], str]]:
    """Return each judged prompt of a half with its text."""
    sys.path.insert(0, str(DATA / "learning"))
    from load import Loader

    prompts = json.loads((DATA / "learning" / half / "prompts.json").read_text(encoding="utf-8"))["prompts"]
    wanted = {(prompt["session"], prompt["turn"]) for prompt in prompts}
    texts: dict[tuple[str, int], str] = {}
    for source, turns in Loader(str(fetched), str(DATA / "learning" / half / "sources.json")).sessions():
        for turn in turns:
            if turn["who"] == "human" and (source["key"], turn["n"]) in wanted:
                texts[source["key"], turn["n"]] = turn["text"]
    return [(p, texts[p["session"], p["turn"]]) for p in prompts if (p["session"], p["turn"]) in texts]


def memories(half: str) -> dict[str, Learned]:
    """Return the ideal memories of a half by id."""
    labels = json.loads((DATA / "learning" / half / "labels.json").read_text(encoding="utf-8"))
    return {item["id"]: Learned(item["id"], item["kind"], item["text"]) for item in labels["memories"]}


def by_store(prompts: Sequence[tuple[dict[str, Any], str]]) -> dict[tuple[str, ...], list[tuple[dict[str, Any], str]]]:
    """Return the prompts that are asked over the same memories."""
    found: dict[tuple[str, ...], list[tuple[dict[str, Any], str]]] = {}
    for prompt, text in prompts:
        found.setdefault(tuple(sorted(prompt["store"])), []).append((prompt, text))
    return found


def table(fetched: Path, halves: Sequence[str], *, model: bool) -> Iterator[str]:
    """Return the lines: of what is shown how much is useful and distracting, and which needed memories are shown."""
    yield f"{'':<18}{'prompts':>8}{'shown':>7}{'useful':>8}{'harmless':>10}{'distracting':>13}{'needed shown':>14}"
    for half in halves:
        known = memories(half)
        counts: dict[str, Counter[str]] = {}
        for ids, asked in by_store(judged(fetched, half)).items():
            with stores.filled([known[id] for id in ids if id in known], vectors=model) as ours:
                for prompt, text in asked:
                    _count(counts.setdefault(prompt["group"], Counter()), prompt, shown(ours, text))
        for group in (*sorted(counts), "all"):
            count = sum(counts.values(), Counter()) if group == "all" else counts[group]
            all = max(1, count["shown"])
            shares = [f"{count[name] / all:.0%}" for name in ("useful", "harmless", "distracting")]
            yield (
                f"{half + ' ' + group:<18}{count['prompts']:>8}{count['shown']:>7}{shares[0]:>8}{shares[1]:>10}"
                f"{shares[2]:>13}{count['found']:>7} of {count['needed']:>3}"
            )


def _count(count: Counter[str], prompt: dict[str, Any], ids: Sequence[str]) -> None:
    useful, harmless = {*prompt["needed"], *prompt["useful"]}, set(prompt["harmless"])
    count["prompts"] += 1
    count["shown"] += len(ids)
    count["useful"] += sum(id in useful for id in ids)
    count["harmless"] += sum(id in harmless and id not in useful for id in ids)
    count["distracting"] += sum(id not in useful and id not in harmless for id in ids)
    count["needed"] += len(prompt["needed"])
    count["found"] += len(set(prompt["needed"]) & set(ids))


def shown(ours: workspace.Workspace, text: str) -> list[str]:
    """Return the ids of what is injected for a prompt."""
    return [item.id for item in ours.inject(text).memories]


def quiet(*, model: bool) -> Iterator[str]:
    """Return the lines on what people type without asking for anything, over each half's largest store."""
    for half in HALVES:
        known = memories(half)
        prompts = json.loads((DATA / "learning" / half / "prompts.json").read_text(encoding="utf-8"))["prompts"]
        largest = max((prompt["store"] for prompt in prompts), key=len)
        with stores.filled([known[id] for id in largest if id in known], vectors=model) as ours:
            answered = [text for text in everyday("followups.txt") if shown(ours, text)]
            asked = len(everyday("followups.txt"))
            yield f"{half}, {len(largest)} memories: {len(answered)} of {asked} follow-ups answered"
            told = {text: shown(ours, text) for text in everyday("activities.txt")}
            about = sum(_about(text, known[id].text) for text, ids in told.items() for id in ids)
            yield f"  activities: {sum(map(len, told.values()))} memories shown, {about} of them about the activity"


def _about(activity: str, text: str) -> bool:
    words = [word for word in activity.lower().split() if len(word) > 1 and word not in ("this", "it", "the", "and")]
    return any(word[:5] in text.lower() for word in words)


def everyday(name: str) -> list[str]:
    """Return prompts that were written down, one to a line."""
    lines = (DATA / "prompts" / name).read_text(encoding="utf-8").splitlines()
    return [line for line in lines if line and not line.startswith("#")]
