# ruff: noqa: E501 - lines of a table
"""Learning measured on real sessions: scripts/bench learning FOLDER, where FOLDER holds fetched repositories.

FOLDER/owner+name/repo is a bare git directory. Verdicts are frozen in scripts/data/learning, judged by hand before any
of our programs ran.

The weights of sentences are fitted on all of it but sixth_score, whatever a half is called. What is printed of fitted
halves is therefore no score of candidates and labels: it tells only what a change of the code does to them, and each such
line says "fitted". `--left-out` prints the score: every person is counted with weights fitted on others. Pairs, the gate
and the ask were fitted on the halves called tune. The later halves came from people nobody had read before.
DRAFTS=drafts.json, with sessions.json beside it, replays what an agent proposed for the labelled sessions through the gate.
"""

from __future__ import annotations

import json
import os
import sys
import tempfile
from collections import Counter
from pathlib import Path
from typing import Any

DATA = Path(__file__).resolve().parent / "data" / "learning"
sys.path.insert(0, str(DATA))
sys.path.insert(0, str(Path(__file__).resolve().parent))

import fit_lasting  # noqa: E402 - these lie beside this file
import learning_counting  # noqa: E402
import learning_left_out  # noqa: E402
import learning_pairs  # noqa: E402
import learning_showing  # noqa: E402
from load import Loader  # noqa: E402 - it lies beside its data

from tenure.capture import quote_gate, sessions  # noqa: E402

HALVES = (*fit_lasting.HALVES, "sixth_score")


def main(folder: str, left_out: bool = False) -> None:
    """Print the table of all halves, or how the weights hold for people who are left out of the fitting."""
    if left_out:
        learning_left_out.print_left_out(folder, DATA)
        return
    print("Candidates and labels of fitted halves are no score: their people are fitted on. For one add --left-out.")
    for half in HALVES:
        print(f"== {half}")
        measure(folder, DATA / half)


def measure(folder: str, data: Path) -> None:
    """Print what was learned of one half, with an agent that ignores every ask."""
    loader = Loader(folder, str(data / "sources.json"))
    labels, judged = learning_counting.read(data)
    sessions_read = list(loader.sessions())
    counts = learning_counting.count(sessions_read, labels, judged)
    made, live, foreign, asked = counts.made, counts.live, counts.foreign, counts.asked
    found, alone = counts.found, counts.alone
    fitted = " (fitted)" if data.name in fit_lasting.HALVES else ""
    if counts.missing:
        print(f"   {counts.missing} of {counts.sessions} sessions gave no turn: is their repository in the folder?")
    total, shown = made.total() or 1, live.total() or 1
    print(
        f"   not the person's word: {foreign['left out']} turns left out, {foreign['taken for theirs']} missed; {foreign['own left out']} of the person's left out"
    )
    print(
        f"   candidates alone{fitted}: {made.total()}: keep {made['keep'] / total:.0%}, half {made['half'] / total:.0%}, junk {made['junk'] / total:.0%}"
    )
    print(
        f"   of these live at once: {live.total()}: right {live['keep'] / shown:.0%}, half {live['half'] / shown:.0%}"
    )
    print(f"   recall of labels alone{fitted}: {len(found)} of {len(labels)} ({len(found) / (len(labels) or 1):.1%})")
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
    if len(sys.argv) not in (2, 3) or sys.argv[2:] not in ([], ["--left-out"]):
        sys.exit("usage: scripts/bench learning FOLDER [--left-out] (fetched repositories as owner+name/repo)")
    main(sys.argv[1], left_out=len(sys.argv) == 3)
