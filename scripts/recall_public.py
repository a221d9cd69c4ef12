"""Public question sets, read from a folder that BENCH_DATA names; their data is never shipped.

Each set becomes memories and prompts like the generated ones, so that the same code scores them through the shipped
API. No label of these sets was seen by the weights: the figures are carried over, not fitted.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from recall_workload import Learned, Prompt

# LoCoMo's questions without an answer in the dialogue.
ADVERSARIAL = 5


def locomo(folder: Path) -> Iterator[tuple[str, list[Learned], list[Prompt]]]:
    """Return (name, turns, questions with evidence) for each dialogue of `locomo10.json`."""
    path = folder / "locomo10.json"
    for number, dialogue in enumerate(_read(path)):
        turns = [turn for turns in _sessions(dialogue["conversation"]) for turn in turns]
        ids = {turn["dia_id"]: f"d-{n:05}" for n, turn in enumerate(turns)}
        store = [_memory(ids[turn["dia_id"]], f"{turn['speaker']}: {turn['text']}") for turn in turns]
        prompts = [
            Prompt(question["question"], "long", frozenset(ids[e] for e in question["evidence"] if e in ids))
            for question in dialogue["qa"]
            if question.get("category") != ADVERSARIAL and any(e in ids for e in question.get("evidence", []))
        ]
        yield f"LoCoMo dialogue {number + 1}", store, prompts


def longmemeval(folder: Path) -> Iterator[tuple[str, list[Learned], list[Prompt]]]:
    """Return (name, sessions, one question) for each entry of `longmemeval_s.json`."""
    for number, entry in enumerate(_read(folder / "longmemeval_s.json")):
        ids = entry["haystack_session_ids"]
        known = {id: f"s-{n:05}" for n, id in enumerate(ids)}
        store = [
            _memory(known[id], "\n".join(turn["content"] for turn in session))
            for id, session in zip(ids, entry["haystack_sessions"], strict=True)
        ]
        answers = frozenset(known[id] for id in entry["answer_session_ids"] if id in known)
        yield f"LongMemEval {number + 1}", store, [Prompt(entry["question"], "long", answers)]


SETS = {"LoCoMo, turns": locomo, "LongMemEval-S, sessions": longmemeval}


def _sessions(conversation: dict[str, Any]) -> Iterator[list[dict[str, Any]]]:
    number = 1
    while isinstance(turns := conversation.get(f"session_{number}"), list):
        yield turns
        number += 1


def _memory(id: str, text: str) -> Learned:
    return Learned(id, "session_summary", text, "", 0, "", "")


def _read(path: Path) -> list[Any]:
    if not path.exists():
        return []
    found = json.loads(path.read_text(encoding="utf-8"))
    return found if isinstance(found, list) else []
