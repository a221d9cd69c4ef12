"""Pairs of real rules that say the same, or only look alike: how many are joined, and by what. For `bench learning`.

Three ways: by words alone, by vectors as `upkeep` compares them, and by an agent that is told the three nearest
memories and names the one that says the same. The agent's answers are frozen in same_as.json of each half: a model
answered 381 proposals with the three nearest before it, in one shuffled list, without being told which were pairs.
"""

from __future__ import annotations

import json
import os
import tempfile
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from tenure.rules import same_rule
from tenure.usecases import embeddings, same_meaning

Pair = dict[str, Any]


def print_pairs(data: Path, real: Path | None) -> None:
    """Print how many pairs of a half are joined; `real` holds sessions.json and drafts.json, which lend some texts."""
    pairs = json.loads((data / "pairs.json").read_text("utf-8"))
    same = [(text(pair, "a", real), text(pair, "b", real)) for pair in pairs["same"]]
    known = [(a, b) for a, b in same if a and b]
    unlike = [(pair["a"], pair["b"]) for pair in pairs["unlike"]]
    joined, wrong = (sum(same_rule.same(a, b) for a, b in each) for each in (known, unlike))
    print(f"   pairs joined by words alone: {joined} of {len(known)}; unlike ones: {wrong} of {len(unlike)}")
    if not embeddings.problem():
        near = _cosines([*known, *unlike])
        joined, wrong = (
            sum(same_rule.same(a, b) or same_rule.same_by_meaning(a, b, near[a, b]) for a, b in each)
            for each in (known, unlike)
        )
        print(f"   by words and vectors: {joined} of {len(known)}; unlike ones: {wrong} of {len(unlike)}")
    if not (data / "same_as.json").exists():
        return
    counts = dict.fromkeys(("same", "right", "other", "unlike", "wrong"), 0)
    for answer, told in _told(data, pairs, real):
        named = answer["named"] if answer["named"] in told else None
        pair = pairs[answer["kind"]][answer["pair"]]
        counts[answer["kind"]] += 1
        if answer["kind"] == "same":
            counts["right"] += named == pair["memory"]
            counts["other"] += named not in (None, pair["memory"])
        else:
            counts["wrong"] += named is not None
    print(
        f"   by an agent told the three nearest: {counts['right']} of {counts['same']} ({counts['other']} to another);"
        f" unlike ones: {counts['wrong']} of {counts['unlike']}"
    )


def text(pair: Pair, side: str, real: Path | None) -> str:
    """Return one sentence of a pair; those of other judges lie outside, and are empty without that folder."""
    if isinstance(pair.get(side), str):
        return str(pair[side])
    if real is None:
        return ""
    if f"{side}_dev_label" in pair:
        labels = json.loads((real / "sessions.json").read_text("utf-8"))["labels"]
        return str(labels[pair[f"{side}_dev_label"]]["worth_remembering"])
    drafts = json.loads((real / "drafts.json").read_text("utf-8"))["drafts"]
    return str(drafts[pair[f"{side}_draft"]]["text"])


def _cosines(pairs: list[tuple[str, str]]) -> dict[tuple[str, str], float]:
    """Return how near each two are by the vectors a store would hold."""
    import numpy

    from tenure.text.names import nameless, prose
    from tenure.usecases import vocabulary

    model = embeddings.encoder()
    assert model is not None
    words = vocabulary.prepared(model, embeddings.made_by(model), None)
    texts = sorted({each for pair in pairs for each in pair})
    made = embeddings._centred(model, [(nameless(each) or prose(each) or each, each) for each in texts], words)
    made = made / numpy.linalg.norm(made, axis=1, keepdims=True)
    place = {each: n for n, each in enumerate(texts)}
    return {(a, b): float(made[place[a]] @ made[place[b]]) for a, b in pairs}


def _told(data: Path, pairs: dict[str, list[Pair]], real: Path | None) -> Iterator[tuple[dict[str, Any], list[str]]]:
    """Yield each frozen answer with the memories our program names for that proposal."""
    import tenure

    memories = json.loads((data / "labels.json").read_text("utf-8"))["memories"]
    repository = {memory["id"]: memory["repo"] for memory in memories}
    answers: dict[str, list[dict[str, Any]]] = defaultdict(list)
    for answer in json.loads((data / "same_as.json").read_text("utf-8"))["answers"]:
        pair = pairs[answer["kind"]][answer["pair"]]
        answers[repository[pair["memory"] if answer["kind"] == "same" else pair["ids"][0]]].append(answer)
    before = dict(os.environ)
    with tempfile.TemporaryDirectory() as home:
        Path(home, "home").mkdir(mode=0o700)
        os.environ |= {"TENURE_HOME": f"{home}/home", "TENURE_UNATTENDED": "1"}
        for number, (repo, asked) in enumerate(answers.items()):
            folder = Path(home, str(number))
            folder.mkdir()
            with tenure.open("sqlite:memory.db", folder) as workspace:
                known = {
                    workspace.add(memory["text"], kind="preference").id: memory["id"]
                    for memory in memories
                    if memory["repo"] == repo
                }
                for answer in asked:
                    pair = pairs[answer["kind"]][answer["pair"]]
                    # The proposal's own memory is not known yet where the two only look alike.
                    own = "" if answer["kind"] == "same" else pair["ids"][1]
                    mine = next((id for id, name in known.items() if name == own), "")
                    if said := text(pair, "b", real):
                        found = same_meaning.nearest(workspace.project, said, mine)
                        yield answer, [known[one.id] for one in found]
    os.environ.clear()
    os.environ |= before
