"""Questions that newcomers type, over small stores of bullets of real instruction files: `--questions FETCHED`.

scripts/data/prompts/questions.json has the questions, which were written down before any bullet was read, and by
position which bullets answer each; the bullets themselves are read out of fetched repositories. Nothing is fitted on
the half called `score`.
"""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from collections.abc import Iterator
from contextlib import nullcontext
from pathlib import Path

import recall_real
import recall_stores as stores
from recall_prompts import DATA, shown
from recall_workload import Learned

HALVES = {"tune": "instructions.json", "score": "instructions_score.json"}


def table(fetched: Path, *, model: bool) -> Iterator[str]:
    """Return the lines: of what is shown how much is useful and distracting, and which questions get what they need."""
    judged = json.loads((DATA / "prompts" / "questions.json").read_text(encoding="utf-8"))
    head = f"{'':<18}{'stores':>7}{'asked':>7}{'shown':>7}{'useful':>8}{'distracting':>13}"
    yield f"{head}{'answered':>14}{'needed shown':>14}"
    for half, listed in HALVES.items():
        entries = {
            entry["repo"]: entry
            for entry in json.loads((DATA / "prompts" / listed).read_text(encoding="utf-8"))["files"]
        }
        for with_model in (False, True) if model else (False,):
            count: Counter[str] = Counter()
            for store in judged["stores"][half]:
                texts = sorted(recall_real.bullets(fetched, [entries[store["repo"]]]), key=_place)[: store["bullets"]]
                known = [Learned(f"b-{n:03}", "lesson", text) for n, text in enumerate(texts)]
                going_by = nullcontext() if with_model else stores.without_a_model()
                if len(known) < store["bullets"]:
                    continue
                count["stores"] += 1
                with stores.filled(known, vectors=with_model) as ours, going_by:
                    for number, question in enumerate(judged["questions"], start=1):
                        ids = {int(id[2:]) for id in shown(ours, question)}
                        _count(count, ids, store["verdicts"].get(str(number), {}))
            all = max(1, count["shown"])
            row = f"{half + (' meaning' if with_model else ' words'):<18}{count['stores']:>7}{count['asked']:>7}"
            row += f"{count['shown']:>7}{count['useful'] / all:>8.0%}{count['distracting'] / all:>13.0%}"
            yield (
                f"{row}{count['answered']:>7} of {count['answerable']:>3}{count['found']:>7} of {count['needed']:>3}"
            )


def _place(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()


def _count(count: Counter[str], ids: set[int], verdict: dict[str, list[int]]) -> None:
    needed, useful = set(verdict.get("n", ())), {*verdict.get("n", ()), *verdict.get("u", ())}
    count["asked"] += 1
    count["shown"] += len(ids)
    count["useful"] += len(ids & useful)
    count["distracting"] += len(ids - useful - set(verdict.get("h", ())))
    count["needed"] += len(needed)
    count["found"] += len(ids & needed)
    count["answerable"] += bool(needed)
    count["answered"] += bool(ids & needed)
