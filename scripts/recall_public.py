"""Public question sets, read from a folder that BENCH_DATA names; their data is never shipped.

Each set becomes conversations or corpora like the generated ones, so that the same code scores them through the
shipped API. A turn is a memory, its speaker the agent, its session the run.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from datetime import datetime
from pathlib import Path
from typing import Any

from recall_workload import Learned, Prompt

# LoCoMo's questions without an answer in the dialogue; their evidence is what misleads.
ADVERSARIAL = 5
Part = tuple[str, list[Learned], list[Prompt]]


def locomo(folder: Path) -> Iterator[Part]:
    """Return (name, turns, questions with evidence) for each dialogue of `locomo10.json`."""
    for number, entry in enumerate(_read(folder / "locomo10.json")):
        turns: list[Learned] = []
        ids: dict[str, str] = {}
        for session, day, said in _sessions(entry["conversation"]):
            for turn in said:
                ids[turn["dia_id"]] = f"d-{len(turns):05}"
                turns.append(_turn(len(turns), turn["text"], turn["speaker"], session, day))
        questions = []
        for asked in entry["qa"]:
            # Some entries name several turns at once: "D8:6; D9:17".
            named = (id for evidence in asked.get("evidence", []) for id in evidence.replace(";", " ").split())
            answers = frozenset(ids[id] for id in named if id in ids)
            sort = "adversarial" if asked.get("category") == ADVERSARIAL else "turns"
            if answers:
                questions.append(Prompt(asked["question"], sort, answers))
        yield f"LoCoMo dialogue {number + 1}", turns, questions


def longmemeval(folder: Path) -> Iterator[Part]:
    """Return (name, turns of all sessions, one question) for each entry of `longmemeval_s.json`."""
    for number, entry in enumerate(_read(folder / "longmemeval_s.json")):
        turns: list[Learned] = []
        answers: set[str] = set()
        days = entry.get("haystack_dates") or [""] * len(entry["haystack_session_ids"])
        right = set(entry["answer_session_ids"])
        for id, day, session in zip(entry["haystack_session_ids"], days, entry["haystack_sessions"], strict=True):
            for turn in session:
                turns.append(_turn(len(turns), turn["content"], turn.get("role", ""), id, _day(day)))
                answers |= {turns[-1].id} if id in right else set()
        if answers:
            yield f"LongMemEval {number + 1}", turns, [Prompt(entry["question"], "sessions", frozenset(answers))]


def beam(folder: Path) -> Iterator[Part]:
    """Return (name, messages, questions with their sources) for each `chats/<size>/<n>/chat.json`."""
    for path in sorted(folder.glob("chats/*/*/chat.json")):
        turns: list[Learned] = []
        ids: dict[str, str] = {}
        for message in _objects(_json(path), "content"):
            ids[str(message.get("id"))] = f"d-{len(turns):05}"
            turns.append(_turn(len(turns), str(message["content"]), str(message.get("role", "")), "", ""))
        questions = []
        for file in sorted(path.parent.glob("probing_questions/*.json")):
            for asked in _objects(_json(file), "question"):
                answers = frozenset(ids[str(id)] for id in _leaves(asked.get("source_chat_ids")) if str(id) in ids)
                if answers:
                    questions.append(Prompt(str(asked["question"]), "turns", answers))
        yield f"BEAM {path.parent.parent.name} {path.parent.name}", turns, questions


def cosqa(folder: Path) -> Iterator[Part]:
    """Return (name, functions, web queries whose label says the function answers) of each `cosqa*.json`."""
    for path in sorted(folder.glob("cosqa*.json")):
        pairs = _read(path)
        functions = list(dict.fromkeys(pair["code"] for pair in pairs))
        ids = {code: f"d-{n:05}" for n, code in enumerate(functions)}
        right: dict[str, set[str]] = {}
        for pair in pairs:
            if pair.get("label") in (1, "1"):
                right.setdefault(pair["doc"], set()).add(ids[pair["code"]])
        store = [Learned(ids[code], "reference", code) for code in functions]
        yield f"CoSQA {path.stem}", store, [Prompt(query, "code", frozenset(found)) for query, found in right.items()]


# Name -> loader, the weights it is scored with, and whether whole sessions are found rather than turns.
SETS = {
    "LoCoMo": (locomo, "transcripts"),
    "LongMemEval-S": (longmemeval, "transcripts"),
    "BEAM": (beam, "transcripts"),
    "CoSQA": (cosqa, "memories"),
}


def _sessions(conversation: dict[str, Any]) -> Iterator[tuple[str, str, list[dict[str, Any]]]]:
    number = 1
    while f"session_{number}" in conversation or f"session_{number}_date_time" in conversation:
        turns = conversation.get(f"session_{number}")
        if isinstance(turns, list):
            yield f"session-{number}", _day(conversation.get(f"session_{number}_date_time", "")), turns
        number += 1


def _day(text: str) -> str:
    """Return the day of "1:56 pm on 8 May, 2023" or "2023/05/20 (Sat) 02:21", empty for another form."""
    for form, part in (("%d %B, %Y", text.partition(" on ")[2]), ("%Y/%m/%d", text[:10])):
        try:
            return datetime.strptime(part.strip(), form).date().isoformat()
        except ValueError:
            continue
    return ""


def _turn(number: int, text: str, who: str, session: str, day: str) -> Learned:
    return Learned(f"d-{number:05}", "session_summary", text, agent=who, run=session, day=day)


def _objects(found: Any, key: str) -> Iterator[dict[str, Any]]:
    """Return every object that has a key, however deep it stands, in order."""
    if isinstance(found, dict):
        if key in found:
            yield found
            return
        found = list(found.values())
    for part in found if isinstance(found, list) else ():
        yield from _objects(part, key)


def _leaves(found: Any) -> Iterator[Any]:
    if isinstance(found, dict):
        found = list(found.values())
    if isinstance(found, list):
        for part in found:
            yield from _leaves(part)
    elif found is not None:
        yield found


def _read(path: Path) -> list[Any]:
    found = _json(path) if path.exists() else []
    return found if isinstance(found, list) else []


def _json(path: Path) -> Any:
    return json.loads(path.read_text(encoding="utf-8"))
