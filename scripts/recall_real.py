"""Coding prompts over rules that people wrote: `scripts/bench recall --real FETCHED`.

A store holds the ideal memories of one half of the labelled sessions (scripts/data/learning) among bullets of real
instruction files (scripts/data/prompts/instructions.json names repository, commit and path; no text is kept here).
Asked are the prompts of those sessions for which a memory is needed, and rules as people stated them again in other
words, those that share hardly a word with the memory apart. What is off-topic or only continues a conversation is asked
as well. Nothing is fitted on the half called `score`.
"""

from __future__ import annotations

import hashlib
import json
import re
import subprocess
from collections.abc import Callable, Iterator, Sequence
from contextlib import nullcontext
from dataclasses import replace
from pathlib import Path
from typing import Any

import recall_prompts
import recall_reference as reference
import recall_stores as stores
import recall_workload as workload
from recall_prompts import DATA
from recall_workload import Learned, Prompt

from tenure import workspace
from tenure.text.names import names
from tenure.text.words import words

NEEDED, RESTATED, NAMELESS = "needed by a prompt", "said again", "said again, other words"
SORTS = (NEEDED, RESTATED, NAMELESS)
_BULLET = re.compile(r"\s*(?:[-*]|\d+\.) (.{25,400})$")
_SHORTEST, _LONGEST = 5, 60
# Of a rule said again in other words at most one word is the same.
_FEW = 1
# A prompt of so many words has no frame around its subject.
_BARE = 16
_BOLD = re.compile(r"\*\*|__")


def bullets(fetched: Path, entries: Sequence[dict[str, Any]] = ()) -> Iterator[str]:
    """Return the bullets of the frozen instruction files, or of some, each once."""
    listed = entries or json.loads((DATA / "prompts" / "instructions.json").read_text(encoding="utf-8"))["files"]
    seen: set[str] = set()
    for entry in listed:
        folder = fetched / entry["repo"].replace("/", "+", 1) / "repo"
        for path in entry["paths"]:
            command = ["git", "--git-dir", str(folder), "show", f"{entry['commit']}:{path}"]
            found = subprocess.run(command, capture_output=True, check=False).stdout.decode("utf-8", "replace")
            for line in found.splitlines():
                match = _BULLET.match(line)
                text = _BOLD.sub("", match[1]).strip() if match else ""
                if _SHORTEST <= len(text.split()) <= _LONGEST and text not in seen:
                    seen.add(text)
                    yield text


def asked(fetched: Path, half: str) -> tuple[list[Learned], list[Prompt]]:
    """Return the ideal memories of a half and what is asked of them."""
    known = recall_prompts.memories(half)
    prompts = [
        Prompt(text, NEEDED, frozenset({*prompt["needed"]} & set(known)))
        for prompt, text in recall_prompts.judged(fetched, half)
        if {*prompt["needed"]} & set(known)
    ]
    pairs = json.loads((DATA / "learning" / half / "pairs.json").read_text(encoding="utf-8"))["same"]
    for pair in pairs:
        if pair["kind"] != "restated" or pair["memory"] not in known:
            continue
        memory, other = known[pair["memory"]].text, pair["b"] if pair["a"] == known[pair["memory"]].text else pair["a"]
        if other == memory:
            continue
        nameless = not set(names(memory)) & set(names(other)) and len(set(words(memory)) & set(words(other))) <= _FEW
        prompts.append(Prompt(other, NAMELESS if nameless else RESTATED, frozenset([pair["memory"]])))
    return list(known.values()), prompts


def table(fetched: Path, sizes: Sequence[int], *, model: bool) -> Iterator[str]:
    """Return the lines: recall@5 by sort, half and size, and which off-topic prompts and follow-ups are answered."""
    rules = list(bullets(fetched))
    yield f"{len(rules):,} bullets of instruction files"
    yield f"{'':<34}{'asked':>6}{'plain FTS5':>12}{'words':>8}" + (f"{'meaning':>9}" if model else "")
    for half in recall_prompts.HALVES:
        ideal, questions = asked(fetched, half)
        for size in sizes:
            more = [Learned(f"b-{n:05}", "lesson", text) for n, text in enumerate(rules[: max(0, size - len(ideal))])]
            store, prompts = _shuffled([*ideal, *more], questions)
            label = f"real-{half}-{len(store)}-shuffled"
            plain = reference.fts5(store)
            columns: dict[str, list[bool]] = {}
            _ask(columns, "plain", prompts, lambda text: [store[n].id for n, _ in plain(text, 5)])  # noqa: B023
            silent = []
            for with_model in (False, True) if model else (False,):
                going_by = nullcontext() if with_model else stores.without_a_model()
                with stores.filled(store, label, vectors=with_model) as ours, going_by:
                    name = "meaning" if with_model else "words"
                    _ask(columns, name, prompts, lambda text: [hit.id for hit in ours.search(text, limit=5)])
                    stores.calibrate(ours)
                    silent.append(f"{name} {_answered(ours)}")
            for sort in SORTS:
                places = [n for n, prompt in enumerate(prompts) if prompt.sort == sort]
                if places:
                    cells = [sum(found[n] for n in places) / len(places) for found in columns.values()]
                    head = f"{half} {len(store):,} {sort}"
                    yield f"{head:<34}{len(places):>6}{cells[0]:>12.2f}" + "".join(f"{c:>8.2f} " for c in cells[1:])
            yield f"{half} {len(store):,} answered in vain: {'; '.join(silent)}"


def _shuffled(store: Sequence[Learned], prompts: Sequence[Prompt]) -> tuple[list[Learned], list[Prompt]]:
    """Return both in an order that tells nothing: of equals FTS5 shows the first stored, and we the smallest id."""
    mixed = sorted(store, key=lambda item: hashlib.sha256(item.text.encode()).digest())
    ids = {item.id: f"d-{place:05}" for place, item in enumerate(mixed)}
    questions = [replace(prompt, answers=frozenset(ids[id] for id in prompt.answers)) for prompt in prompts]
    return [replace(item, id=ids[item.id]) for item in mixed], questions


def _ask(
    columns: dict[str, list[bool]], name: str, prompts: Sequence[Prompt], answer: Callable[[str], list[str]]
) -> None:
    columns[name] = [not prompt.answers.isdisjoint(answer(prompt.text)[:5]) for prompt in prompts]


def _answered(ours: workspace.Workspace) -> str:
    """Return how many off-topic prompts and follow-ups are shown something."""
    # Those with a frame around them ("Write a test that fails first …") ask for rules about how to work.
    off = [prompt.text for prompt in workload.off_topic(160, 2, 1) if len(prompt.text.split()) <= _BARE]
    follow = recall_prompts.everyday("followups.txt")
    answered = [sum(bool(recall_prompts.shown(ours, text)) for text in texts) for texts in (off, follow)]
    return f"{answered[0]} of {len(off)} off-topic, {answered[1]} of {len(follow)} follow-ups"
