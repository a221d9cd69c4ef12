"""What a session is shown in time: real sessions of each repository in order, their rules in a store, the real hooks.

Every rule that the person stated in an earlier session stands in the store in the judge's words (an upper estimate of
what can be learned), or only those that were learned. Each session then begins with what `session-start` shows, and
each prompt is answered by the prompt hook. Printed by `scripts/bench learning`.
"""

from __future__ import annotations

import json
import os
import re
import tempfile
from collections import Counter, defaultdict
from collections.abc import Collection, Mapping
from pathlib import Path
from typing import Any

KINDS = {"gotcha": "lesson"}
_IDS = re.compile(r"^\* (\S+) ·", re.MULTILINE)

Sessions = list[tuple[dict[str, Any], list[dict[str, Any]]]]
# Session -> turn -> what was shown up to and with this turn; turn 0 is the session's start.
Shown = dict[str, dict[int, set[str]]]


def simulate(
    sessions: Sessions, labels: Mapping[str, Any], learned: Mapping[str, Collection[str]] | None = None
) -> Shown:
    """Return what was shown by then; `learned`: which memories each session taught, without it all that it stated."""
    taught: dict[str, list[str]] = defaultdict(list)
    for label in labels["labels"]:
        if learned is None or label["memory"] in learned.get(label["session"], ()):
            taught[label["session"]].append(label["memory"])
    memories = {memory["id"]: memory for memory in labels["memories"]}
    by_repository: dict[str, Sessions] = defaultdict(list)
    for source, turns in sessions:
        if not source.get("copy_of"):
            by_repository[source["repo"]].append((source, turns))
    shown: Shown = {}
    with tempfile.TemporaryDirectory() as home:
        os.environ |= {"TENURE_HOME": f"{home}/home", "TENURE_UNATTENDED": "1", "TENURE_NO_WORKER": "1"}
        Path(home, "home").mkdir(mode=0o700)
        for number, found in enumerate(by_repository.values()):
            folder = Path(home, str(number))
            folder.mkdir()
            found.sort(key=lambda each: str(each[0].get("at")))
            if any(taught[source["key"]] for source, _ in found):
                _repository(folder, found, taught, memories, shown)
    return shown


def _repository(
    folder: Path, sessions: Sessions, taught: Mapping[str, list[str]], memories: Mapping[str, Any], shown: Shown
) -> None:
    import tenure
    from tenure.store import open_for_hook
    from tenure.surfaces.hooks import prompt, session_start
    from tenure.surfaces.hooks.showing import ShowingContext
    from tenure.usecases import add

    path = str(folder / "memory.db")
    known: dict[str, str] = {}
    for source, turns in sessions:
        key, seen = source["key"], set[str]()
        if known:
            store = open_for_hook(path, lambda: False)
            try:
                block, _ = session_start.greeting(ShowingContext(store, key, "claude-code"), "canonical")
                seen |= {known[id] for id in _IDS.findall(block) if id in known}
                shown[key] = {0: set(seen)}
                for turn in turns:
                    if turn["who"] == "human":
                        block = prompt.answer(store, path, turn["text"], key, "claude-code")
                        now = {known[id] for id in _IDS.findall(block) if id in known}
                        shown[key][turn["n"]] = set(now)
            finally:
                store.close()
        with tenure.open(f"sqlite:{path}", folder) as workspace:
            for memory in dict.fromkeys(taught[key]):
                about = memories[memory]
                if memory in known.values():
                    id = next(id for id, name in known.items() if name == memory)
                    add.add_again(workspace.project, workspace.system, id, run=key)
                else:
                    made = workspace.add(about["text"], kind=KINDS.get(about["kind"], about["kind"]))
                    known[made.id] = memory


def by_then(shown: Shown, session: str, turn: int) -> set[str]:
    """Return what a session was shown at its start and with its prompts up to this one."""
    return {id for n, ids in shown.get(session, {}).items() if n <= turn for id in ids}


def print_prompts(shown: Shown, data: Path) -> None:
    """Print what the judge says of the memories that prompts were answered with, and of those that were needed."""
    judged = json.loads((data / "prompts.json").read_text("utf-8"))["prompts"]
    count: Counter[str] = Counter()
    for prompt in judged:
        now = shown.get(prompt["session"], {}).get(prompt["turn"], set()) & set(prompt["store"])
        good = set(prompt["needed"]) | set(prompt["useful"])
        count["useful"] += len(now & good)
        count["harmless"] += len(now & set(prompt["harmless"]))
        count["distracting"] += len(now - good - set(prompt["harmless"]))
        if prompt["needed"]:
            seen = by_then(shown, prompt["session"], prompt["turn"])
            count["needed"] += 1
            count["needed shown"] += set(prompt["needed"]) <= seen
            count["some shown"] += bool(set(prompt["needed"]) & seen)
    total = sum(count[name] for name in ("useful", "harmless", "distracting")) or 1
    rates = ", ".join(f"{name} {count[name] / total:.0%}" for name in ("useful", "harmless", "distracting"))
    print(f"   at {len(judged)} prompts {total} memories shown after the start: {rates}")
    print(
        f"   prompts that need memories: all of them shown by then (start included) {count['needed shown']}"
        f" of {count['needed']}, some {count['some shown']}"
    )


def repeated(shown: Shown, data: Path, among: Collection[str] | None = None) -> tuple[int, int]:
    """Return how many rules were shown before the person had to state them again, and how many were stated again.

    With `among` only rules count that were stated in one of these sessions and again in a later one.
    """
    rules = json.loads((data / "repeated.json").read_text("utf-8"))["rules"]
    good = total = 0
    for rule in rules:
        first = next((n for n, (key, _) in enumerate(rule["stated"]) if among is None or key in among), None)
        if first is None or first + 1 >= len(rule["stated"]):
            continue
        key, turns = rule["stated"][first + 1]
        total += 1
        # Before the turn in which it was said again; an answer to the agent's question may come with the first turn.
        typed = [n for n in turns if isinstance(n, int)]
        good += rule["memory"] in by_then(shown, key, (min(typed) if typed else 1) - 1)
    return good, total
