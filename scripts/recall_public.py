"""Public question sets, read from clones in one folder; their data is never shipped.

Each set becomes memories and prompts like the generated ones, so that the same code scores them through the shipped
API. A turn is a memory, its speaker the agent, its session the run; a chat of sde-bench is one long memory.

    locomo      snap-research/locomo         data/locomo10.json, or the zip that the repository holds
    REALTALK    danny911kr/REALTALK          data/Chat_<n>_….json: three weeks of messages between two people
    FriendsQA   emorynlp/FriendsQA           dat/friendsqa_dev.json and _tst.json: scenes of a series, questions on them
    BEAM        mohammadtavakoli78/BEAM      chats/100K/<n>/chat.json and probing_questions/
    CoCLR       Jun-jie-Huang/CoCLR          data/search: CoSQA's functions and 500 + 500 web queries
    sde-bench   vectorize-io/sde-bench       conversations of the tasks, decoys in gen/
    tldr        tldr-pages/tldr              pages/common, one example of each page held out as the question
"""

from __future__ import annotations

import ast
import hashlib
import json
import re
import zipfile
from collections.abc import Callable, Iterator
from datetime import datetime
from pathlib import Path
from typing import Any, NamedTuple

from recall_workload import Learned, Prompt

from tenure.recall import weights

# LoCoMo's questions without an answer in the dialogue; their evidence is what misleads.
ADVERSARIAL = 5
TLDR_PAGES = 1500
# So many scenes of a series stand in one store, which then has about as many turns as a dialogue.
SCENES = 25
Part = tuple[str, list[Learned], list[Prompt]]


class PublicSet(NamedTuple):
    """One set: its name, the folder of its clone, how it is read, with which weights it is scored and by what."""

    label: str
    folder: str
    load: Callable[[Path], Iterator[Part]]
    texts: str
    measure: str
    # Whether weights may be fitted on it.
    fitted: bool


def locomo(folder: Path) -> Iterator[Part]:
    """Return (name, turns, questions with evidence) for each dialogue."""
    for number, entry in enumerate(_dialogues(folder)):
        turns: list[Learned] = []
        ids: dict[str, str] = {}
        for session, day, said in _sessions(entry.get("conversation", entry)):
            for turn in said:
                ids[turn["dia_id"]] = f"d-{len(turns):05}"
                turns.append(_turn(len(turns), turn["text"], turn["speaker"], session, day))
        yield f"LoCoMo-{number + 1}", turns, _with_evidence(entry["qa"], ids)


def _with_evidence(asked: list[dict[str, Any]], ids: dict[str, str]) -> list[Prompt]:
    """Return the questions whose evidence is known; some name several turns at once: "D8:6; D9:17"."""
    questions = []
    for question in asked:
        named = " ".join(question.get("evidence", [])).replace(";", " ").replace(",", " ").split()
        answers = frozenset(ids[id.rstrip(".")] for id in named if id.rstrip(".") in ids)
        sort = "adversarial" if question.get("category") == ADVERSARIAL else "turns"
        if answers:
            questions.append(Prompt(question["question"], sort, answers))
    return questions


def realtalk(folder: Path) -> Iterator[Part]:
    """Return (name, messages, questions with evidence) for each pair of people."""
    for path in sorted(folder.glob("data/Chat_*.json")):
        chat, turns, ids = _json(path), list[Learned](), dict[str, str]()
        for session, _, said in _sessions(chat):
            for turn in said:
                ids[turn["dia_id"]] = f"d-{len(turns):05}"
                day = datetime.strptime(turn["date_time"].partition(",")[0], "%d.%m.%Y").date().isoformat()
                turns.append(_turn(len(turns), turn["clean_text"], turn["speaker"], session, day))
        yield f"REALTALK-{path.stem}", turns, _with_evidence(chat["qa"], ids)


def friends(folder: Path) -> Iterator[Part]:
    """Return (name, turns, questions with the turns that answer) for every few scenes of a series."""
    scenes = [scene for part in ("dev", "tst") for scene in _json(folder / "dat" / f"friendsqa_{part}.json")["data"]]
    scenes.sort(key=lambda scene: str(scene["title"]))
    for start in range(0, len(scenes), SCENES):
        turns: list[Learned] = []
        questions = []
        for scene in scenes[start : start + SCENES]:
            (said,), first = scene["paragraphs"], len(turns)
            for turn in said["utterances:"]:
                # The texts are cut into words: "do n't go ."
                text = re.sub(r" (?=[.,?!]|n't|')", "", turn["utterance"])
                who = (turn["speakers"] or [""])[0].partition(" ")[0]
                turns.append(_turn(len(turns), text, who, scene["title"], ""))
            for asked in said["qas"]:
                places = [answer["utterance_id"] for answer in asked["answers"]]
                answers = frozenset(f"d-{first + place:05}" for place in places if place >= 0)
                questions.append(Prompt(re.sub(r" (?=[?]|')", "", asked["question"]), "turns", answers))
        yield f"FriendsQA-{start // SCENES + 1}", turns, questions


def _dialogues(folder: Path) -> list[dict[str, Any]]:
    whole = folder / "data" / "locomo10.json"
    if whole.exists():
        return list(_json(whole))
    with zipfile.ZipFile(folder / "data" / "locomo10.zip") as packed:
        return [json.loads(packed.read(name)) for name in sorted(packed.namelist()) if name.endswith(".json")]


def beam(folder: Path) -> Iterator[Part]:
    """Return (name, messages, questions with their sources) for each chat of 100,000 tokens."""
    for path in sorted(folder.glob("chats/100K/*/chat.json")):
        turns: list[Learned] = []
        ids: dict[str, str] = {}
        for batch in _json(path):
            for message in _objects(batch, "content"):
                ids[str(message.get("id"))] = f"d-{len(turns):05}"
                # "->-> 1,1" is the generator's own mark.
                said = str(message["content"]).rpartition("->->")[0] or str(message["content"])
                session = f"session-{batch['batch_number']}"
                turns.append(_turn(len(turns), said.strip(), str(message.get("role", "")), session, ""))
        questions = []
        for file in sorted(path.parent.glob("probing_questions/*.json")):
            for asked in _objects(_json(file), "question"):
                answers = frozenset(ids[str(id)] for id in _leaves(asked.get("source_chat_ids")) if str(id) in ids)
                if answers:
                    questions.append(Prompt(str(asked["question"]), "turns", answers))
        yield f"BEAM-{path.parent.name}", turns, questions


def cosqa(split: str) -> Callable[[Path], Iterator[Part]]:
    """Return the loader of one split: all functions of the index, and the queries that have one."""

    def load(folder: Path) -> Iterator[Part]:
        code = _json(folder / "data" / "search" / "code_idx_map.txt")
        store = [Learned(f"d-{number:05}", "reference", text) for text, number in code.items()]
        asked = _json(folder / "data" / "search" / f"cosqa-retrieval-{split}-500.json")
        prompts = [Prompt(pair["doc"], "code", frozenset([f"d-{int(pair['retrieval_idx']):05}"])) for pair in asked]
        yield "CoSQA", store, prompts

    return load


def sde_bench(folder: Path) -> Iterator[Part]:
    """Return all chats, those of the tasks and decoys, and the bug reports that one or two of them settle."""
    chats: list[str] = []
    prompts = []
    for path in sorted(folder.glob("*/tasks/main/task.json")):
        task = _json(path)
        told = task.get("conversations") or []
        own = told if told and isinstance(told[0], list) else [told] if told else []
        if own:
            answers = frozenset(f"d-{len(chats) + n:05}" for n in range(len(own)))
            prompts.append(Prompt(task["bug_report"], "chats", answers))
        chats += [_chat(turns) for turns in own]
    chats += [_chat(decoy["turns"]) for decoy in _json(folder / "gen" / "decoy_conversations.json")]
    yield "sde-bench", [Learned(f"d-{n:05}", "session_summary", chat) for n, chat in enumerate(chats)], prompts


def _chat(turns: list[dict[str, Any]]) -> str:
    return "\n".join(f"{turn['role']}: {turn['text']}" for turn in turns)


def tldr(folder: Path) -> Iterator[Part]:
    """Return pages without their last example, and what that example does as the question."""
    paths = sorted(folder.glob("pages/common/*.md"), key=lambda path: hashlib.sha256(path.name.encode()).digest())
    store: list[Learned] = []
    prompts: list[Prompt] = []
    for path in paths[:TLDR_PAGES]:
        lines = [
            line for line in path.read_text(encoding="utf-8").splitlines() if line and "More information" not in line
        ]
        examples = [n for n, line in enumerate(lines) if line.startswith("- ")]
        if len(examples) < 2:
            continue
        id = f"d-{len(store):05}"
        asked = re.sub(r"[\[\]`:]", "", lines[examples[-1]][2:])
        store.append(Learned(id, "reference", "\n".join(lines[: examples[-1]]).replace("{{", "").replace("}}", "")))
        prompts.append(
            Prompt(f"{path.stem.split('.')[0]} {asked}" if len(store) % 2 else asked, "page", frozenset([id]))
        )
    yield "tldr", store, prompts


SETS = (
    PublicSet("BEAM-100K", "BEAM", beam, weights.TRANSCRIPTS, "recall@10", True),
    PublicSet("REALTALK", "REALTALK", realtalk, weights.TRANSCRIPTS, "recall@10", True),
    PublicSet("FriendsQA", "FriendsQA", friends, weights.TRANSCRIPTS, "recall@10", True),
    PublicSet("CoSQA dev", "CoCLR", cosqa("dev"), weights.MEMORIES, "ndcg@10", True),
    PublicSet("tldr", "tldr", tldr, weights.MEMORIES, "recall@5", True),
    PublicSet("CoSQA test", "CoCLR", cosqa("test"), weights.MEMORIES, "ndcg@10", False),
    PublicSet("sde-bench", "sde-bench", sde_bench, weights.MEMORIES, "recall@5", False),
    PublicSet("LoCoMo", "locomo", locomo, weights.TRANSCRIPTS, "recall@10", False),
)


def _sessions(conversation: dict[str, Any]) -> Iterator[tuple[str, str, list[dict[str, Any]]]]:
    number = 1
    while f"session_{number}" in conversation or f"session_{number}_date_time" in conversation:
        turns = conversation.get(f"session_{number}")
        if isinstance(turns, list):
            yield f"session-{number}", _day(conversation.get(f"session_{number}_date_time", "")), turns
        number += 1


def _day(text: str) -> str:
    """Return the day of "1:56 pm on 8 May, 2023", empty for another form."""
    try:
        return datetime.strptime(text.partition(" on ")[2].strip(), "%d %B, %Y").date().isoformat()
    except ValueError:
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
    if isinstance(found, str) and found[:1] in "[{":
        found = ast.literal_eval(found)
    if isinstance(found, dict):
        found = list(found.values())
    if isinstance(found, list):
        for part in found:
            yield from _leaves(part)
    elif found is not None:
        yield found


def _json(path: Path) -> Any:
    return json.loads(path.read_text(encoding="utf-8"))
