"""What sessions teach without an agent's help, counted against hand-made labels. For `bench learning`.

A candidate counts as keep when the words it was taken from overlap the words of a label, as half when they stand in a
labelled turn, else as junk. Sentences are weighed with the weights of lasting.py, or with those given for a person.
"""

from __future__ import annotations

import json
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from unittest import mock

from load import beside

from tenure.capture import lasting, own_words, session_builder, stated_rules
from tenure.surfaces.hooks import correction_prompt

EDITING = frozenset("edit write multiedit apply_patch edit_file search_replace str_replace write_file replace".split())
# Labels by session and the number of the turn or the answer.
ByPlace = dict[tuple[str, int], list[Any]]


@dataclass
class Counts:
    """What was found in sessions; `made` and `live` by verdict: keep, half, junk."""

    made: Counter[str] = field(default_factory=Counter)
    # Those of the candidates that are live at once.
    live: Counter[str] = field(default_factory=Counter)
    foreign: Counter[str] = field(default_factory=Counter)
    asked: Counter[str] = field(default_factory=Counter)
    people: set[str] = field(default_factory=set)
    sessions: int = 0
    # Sessions that gave no turn, mostly because their repository is not in the folder.
    missing: int = 0
    # The ids of the labels that were found.
    found: set[str] = field(default_factory=set)
    # By session, the memories that are live at once.
    alone: dict[str, set[str]] = field(default_factory=lambda: defaultdict(set))


def person_of(source: Mapping[str, Any]) -> str:
    """Return whose session it is: the owner of the repository."""
    return str(source["repo"]).partition("/")[0].lower()


def read(data: Path) -> tuple[list[Any], dict[str, Any]]:
    """Return the labels of a half, and what was judged of its turns by session."""
    labels = json.loads((data / "labels.json").read_text("utf-8"))["labels"]
    return labels, json.loads((data / "turns.json").read_text("utf-8"))["sessions"]


def count(
    sessions: Iterable[tuple[dict[str, Any], list[Any]]],
    labels: list[Any],
    judged: Mapping[str, Any],
    weights: Mapping[str, lasting.Weights] | None = None,
) -> Counts:
    """Count what sessions teach; `weights` by person, where others than those of lasting.py are used."""
    counts = Counts()
    by_turn: ByPlace = defaultdict(list)
    by_answer: ByPlace = defaultdict(list)
    for label in labels:
        (by_answer if "answer" in label else by_turn)[label["session"], label.get("answer", label.get("turn"))].append(
            label
        )
    for source, turns in sessions:
        counts.sessions += 1
        counts.missing += not turns
        counts.people.add(person_of(source))
        own = (weights or {}).get(person_of(source)) or lasting.weights()
        with mock.patch.object(lasting, "weights", lambda own=own: own):
            _count_session(counts, source, turns, judged.get(source["key"], {}), by_turn, by_answer)
    return counts


def _count_session(
    counts: Counts,
    source: Mapping[str, Any],
    turns: list[Any],
    verdict: Mapping[str, Any],
    by_turn: Any,
    by_answer: Any,
) -> None:
    key = source["key"]
    not_own = {n for listed in verdict.get("not_own", {}).values() for n in listed}
    before = 0
    around = beside(turns)
    told: list[tuple[stated_rules.Stated, str, list[Any]]] = []
    for turn in turns:
        if turn["who"] == "answer" and not source.get("copy_of"):
            rule = stated_rules.of_answer(session_builder.PersonAnswer(turn["question"], turn["text"], "", 0))
            if rule:
                hit = by_answer[key, turn["n"]]
                told.append((rule, "keep" if hit else "junk", hit))
        if turn["who"] == "agent" and any(str(call["tool"]).lower() in EDITING for call in turn["calls"]):
            before |= 1
        if turn["who"] == "human" and turn["text"].startswith(session_builder.INTERRUPTED):
            before |= 2
        if turn["who"] != "human":
            continue
        said = session_builder.clean(turn["text"])
        n = turn["n"]
        if n in not_own:
            left_out = not said.strip() or own_words.origin(turn["text"]) or own_words.origin(said)
            counts.foreign["left out" if left_out else "taken for theirs"] += 1
            if not left_out and not source.get("copy_of"):
                told += [(rule, "junk", []) for rule in stated_rules.of_turn(said, around[n])]
            continue
        counts.foreign["own left out"] += bool(own_words.origin(said))
        fires = correction_prompt.looks_lasting(said, before.bit_count())
        before = 0
        counts.asked["own"] += 1
        counts.asked["own fired"] += fires
        if n in verdict.get("labelled", []):
            counts.asked["labelled"] += 1
            counts.asked["labelled fired"] += fires
        if source.get("copy_of"):
            continue
        for rule in stated_rules.of_turn(said, around[n]):
            start = turn["text"].find(rule.quote)
            hit = [
                one
                for one in by_turn[key, n]
                if start >= 0 and one["start"] < start + len(rule.quote) and start < one["end"]
            ]
            told.append((rule, "keep" if hit else "half" if by_turn[key, n] else "junk", hit))
    known: set[str] = set()
    # As a session is learned from: what was asked for first, each text once, and so many at most.
    for rule, what, hit in sorted(told, key=lambda each: not each[0].explicit):
        text = rule.text.casefold()
        if text not in known and len(known) >= stated_rules.MOST_PER_SESSION:
            continue
        counts.found |= {label["id"] for label in hit}
        if text not in known:
            counts.made[what] += 1
            counts.live[what] += rule.explicit
        known.add(text)
        if rule.explicit:
            counts.alone[key] |= {label["memory"] for label in hit}
