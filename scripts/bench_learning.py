# ruff: noqa: E501 - lines of a table
"""Learning measured on real sessions: scripts/bench learning FOLDER, where FOLDER holds fetched repositories.

FOLDER/owner+name/repo is a bare git directory. Verdicts are frozen in scripts/data/learning, judged by hand before any
of our programs ran. The weights of sentences are fitted on all of it but sixth_score, whatever a half is called; pairs on
those called tune. The later ones came from people nobody had read before. A candidate counts as keep when the words
it was taken from overlap the words of a label, as half when they stand in a labelled turn, else as junk.
DRAFTS=drafts.json, with sessions.json beside it, replays what an agent proposed for the labelled sessions through the gate.
"""

from __future__ import annotations

import json
import os
import sys
import tempfile
from collections import Counter, defaultdict
from pathlib import Path
from typing import Any

DATA = Path(__file__).resolve().parent / "data" / "learning"
sys.path.insert(0, str(DATA))
sys.path.insert(0, str(Path(__file__).resolve().parent))

import learning_pairs  # noqa: E402 - it lies beside this file
import learning_showing  # noqa: E402
from load import Loader, beside  # noqa: E402 - it lies beside its data

from tenure.capture import own_words, quote_gate, session_builder, sessions, stated_rules  # noqa: E402
from tenure.surfaces.hooks import correction_prompt  # noqa: E402

HALVES = (
    *(f"{name}{half}" for name in ("", "fresh_", "third_", "fourth_") for half in ("tune", "score")),
    "fifth_score",
    "sixth_score",
)
EDITING = frozenset("edit write multiedit apply_patch edit_file search_replace str_replace write_file replace".split())


def main(folder: str) -> None:
    """Print the table of both halves."""
    for half in HALVES:
        print(f"== {half}")
        measure(folder, DATA / half)


def measure(folder: str, data: Path) -> None:
    """Print what was learned of one half, with an agent that ignores every ask."""
    loader = Loader(folder, str(data / "sources.json"))
    labels = json.loads((data / "labels.json").read_text("utf-8"))["labels"]
    judged = json.loads((data / "turns.json").read_text("utf-8"))["sessions"]
    by_turn: dict[tuple[str, int], list[Any]] = defaultdict(list)
    by_answer: dict[tuple[str, int], list[Any]] = defaultdict(list)
    for label in labels:
        (by_answer if "answer" in label else by_turn)[label["session"], label.get("answer", label.get("turn"))].append(
            label
        )
    made: Counter[str] = Counter()
    live: Counter[str] = Counter()
    foreign: Counter[str] = Counter()
    asked: Counter[str] = Counter()
    found: set[str] = set()
    alone: dict[str, set[str]] = defaultdict(set)
    sessions_read = list(loader.sessions())
    for source, turns in sessions_read:
        key = source["key"]
        verdict = judged.get(key, {})
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
                foreign["left out" if left_out else "taken for theirs"] += 1
                if not left_out and not source.get("copy_of"):
                    told += [(rule, "junk", []) for rule in stated_rules.of_turn(said, around[n])]
                continue
            foreign["own left out"] += bool(own_words.origin(said))
            fires = correction_prompt.looks_lasting(said, before.bit_count())
            before = 0
            asked["own"] += 1
            asked["own fired"] += fires
            if n in verdict.get("labelled", []):
                asked["labelled"] += 1
                asked["labelled fired"] += fires
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
            found |= {label["id"] for label in hit}
            if text not in known:
                made[what] += 1
                live[what] += rule.explicit
            known.add(text)
            if rule.explicit:
                alone[key] |= {label["memory"] for label in hit}
    total, shown = sum(made.values()) or 1, sum(live.values()) or 1
    print(
        f"   not the person's word: {foreign['left out']} turns left out, {foreign['taken for theirs']} missed; {foreign['own left out']} of the person's left out"
    )
    print(
        f"   candidates alone: {total}: keep {made['keep'] / total:.0%}, half {made['half'] / total:.0%}, junk {made['junk'] / total:.0%}"
    )
    print(
        f"   of these live at once: {sum(live.values())}: right {live['keep'] / shown:.0%}, half {live['half'] / shown:.0%}"
    )
    print(f"   recall of labels alone: {len(found)} of {len(labels)} ({len(found) / (len(labels) or 1):.1%})")
    print(
        f"   the ask fires on {asked['labelled fired'] / (asked['labelled'] or 1):.0%} of labelled turns, {asked['own fired'] / (asked['own'] or 1):.0%} of all"
    )
    drafts = os.environ.get("DRAFTS")
    if (data / "pairs.json").exists():
        learning_pairs.print_pairs(data, Path(drafts).parent if drafts else None)
    drafted: dict[str, set[str]] = {}
    if (data / "drafts.json").exists() and drafts:
        drafted = replay(loader, data, Path(drafts))
    if (data / "repeated.json").exists():
        showing(sessions_read, data, alone, drafted)


def showing(sessions_read: Any, data: Path, alone: dict[str, set[str]], drafted: dict[str, set[str]]) -> None:
    """Print what later sessions were shown in time: of ideal memories, of an agent's proposals, of nobody's help."""
    labels = json.loads((data / "labels.json").read_text("utf-8"))
    shown = learning_showing.simulate(sessions_read, labels)
    if (data / "prompts.json").exists():
        learning_showing.print_prompts(shown, data)
    good, total = learning_showing.repeated(shown, data)
    print(f"   rules stated again, shown beforehand: {good} of {total} with ideal memories of every earlier session")
    if drafted:
        shown = learning_showing.simulate(sessions_read, labels, drafted)
        good, total = learning_showing.repeated(shown, data, drafted)
        print(f"   the same with the agent's proposals replayed: {good} of {total} rules of its sessions")
    shown = learning_showing.simulate(sessions_read, labels, alone)
    good, total = learning_showing.repeated(shown, data)
    print(f"   the same with an agent that ignores the ask: {good} of {total}")


def replay(loader: Loader, data: Path, path: Path) -> dict[str, set[str]]:
    """Print what the gate lets in of an agent's proposals, here and in all other sessions; return what each taught."""
    drafts = json.loads(path.read_text("utf-8"))["drafts"]
    verdicts = {item["draft"]: item for item in json.loads((data / "drafts.json").read_text("utf-8"))["drafts"]}
    read: dict[str, list[Any]] = {}
    with tempfile.TemporaryDirectory() as folder:
        for source in loader.sources:
            if source["key"] in {f"d{draft['session']}" for draft in drafts}:
                suffix = ".json" if source["format"] == "opencode" else ".jsonl"
                file = Path(folder) / f"{source['key']}{suffix}"
                file.write_bytes(loader.raw(source))
                read[source["key"]] = sessions.read(file)
    passed: Counter[str] = Counter()
    foreign = 0
    memories = set()
    taught: dict[str, set[str]] = {f"d{draft['session']}": set() for draft in drafts}
    for number, draft in enumerate(drafts):
        for key, found in read.items():
            good = any(not quote_gate.problems(draft["text"], draft["quote"], session) for session in found)
            if key != f"d{draft['session']}":
                foreign += good
            elif good:
                passed[verdicts[number]["verdict"]] += 1
                memories.add(verdicts[number]["memory"])
                if verdicts[number]["verdict"] != "no":
                    taught[key].add(verdicts[number]["memory"])
    total = sum(passed.values()) or 1
    right = sum(item["verdict"] == "keep" for item in verdicts.values())
    print(
        f"   drafts replayed: {total} of {len(drafts)} pass: keep {passed['keep']} of {right}, half {passed['half']}, no {passed['no']};"
        f" live right {passed['keep'] / total:.0%}; passed in a foreign session: {foreign}"
    )
    keys = {f"d{draft['session']}" for draft in drafts}
    labelled = {
        label["memory"]
        for label in json.loads((data / "labels.json").read_text("utf-8"))["labels"]
        if label["session"] in keys and "dev_label" in label
    }
    print(
        f"   memories with a label of sessions.json in those sessions: {len(labelled & memories)} of {len(labelled)} learned"
    )
    return taught


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit("usage: scripts/bench learning FOLDER (fetched repositories as owner+name/repo)")
    main(sys.argv[1])
