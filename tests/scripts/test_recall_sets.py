"""The loaders and the scores of public sets, on tiny files in their formats: the data itself is never vendored."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import pytest

SCRIPTS = Path(__file__).resolve().parents[2] / "scripts"


@pytest.fixture(autouse=True)
def scripts(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(SCRIPTS))
    for name in [name for name in sys.modules if name.startswith("recall_")]:
        monkeypatch.delitem(sys.modules, name)


def turn(id: str, speaker: str, text: str) -> dict[str, str]:
    return {"dia_id": id, "speaker": speaker, "text": text}


def dialogue(one: str, other: str, instrument: str) -> dict[str, Any]:
    return {
        "conversation": {
            "speaker_a": one,
            "session_1_date_time": "1:56 pm on 8 May, 2023",
            "session_1": [
                turn("D1:1", one, "Hello, how are you?"),
                turn("D1:2", other, f"Fine, I bought a {instrument} at the market."),
                turn("D1:3", one, "Lovely, play it for me some day."),
            ],
            "session_2_date_time": "10:00 am on 2 June, 2023",
            "session_2": [turn("D2:1", one, "The garden froze last night."), turn("D2:2", other, "Poor tomatoes!")],
        },
        "qa": [
            {"question": f"What did {other} buy at the market?", "evidence": ["D1:2"], "category": 1},
            {"question": "Whose garden froze?", "evidence": ["D2:1; D9:9"], "category": 2},
            {"question": f"What did {one} buy at the market?", "evidence": ["D1:2"], "category": 5},
            {"question": "What is never told?", "evidence": [], "category": 5},
        ],
    }


@pytest.fixture
def data(tmp_path: Path) -> Path:
    folder = tmp_path / "data"
    files = {
        "locomo10.json": [dialogue("Ada", "Boris", "cello"), dialogue("Carla", "Deniz", "banjo")],
        "longmemeval_s.json": [
            {
                "question": "Which city did I visit by train?",
                "haystack_session_ids": ["s1", "s2"],
                "haystack_dates": ["2023/05/20 (Sat) 02:21", "2023/05/21 (Sun) 09:00"],
                "haystack_sessions": [
                    [{"role": "user", "content": "I took the train to Vienna"}, {"role": "assistant", "content": "Oh"}],
                    [{"role": "user", "content": "Recommend a lentil soup"}],
                ],
                "answer_session_ids": ["s1"],
            }
        ],
        "chats/100K/1/chat.json": [
            {"batch_number": 1, "turns": [[{"id": 0, "role": "user", "content": "The deploy needs two approvals"}]]},
            {"batch_number": 2, "turns": [[{"id": 1, "role": "assistant", "content": "Noted, anything else?"}]]},
        ],
        "chats/100K/1/probing_questions/probing_questions.json": {
            "information_extraction": [{"question": "How many approvals for a deploy?", "source_chat_ids": [0]}],
            "abstention": [{"question": "What colour is the logo?"}],
        },
        "cosqa-dev.json": [
            {
                "idx": "1",
                "doc": "python read json file",
                "code": "def load(path): return json.load(open(path))",
                "label": 1,
            },
            {"idx": "2", "doc": "python sort list", "code": "def load(path): return json.load(open(path))", "label": 0},
        ],
    }
    for name, content in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(json.dumps(content), encoding="utf-8")
    return folder


def test_turns_carry_their_speaker_session_and_day(data: Path) -> None:
    """Facts, formats: `session_N` with `dia_id`, `speaker`, `text`; `qa` with `evidence`; category 5 is adversarial."""
    import recall_public

    (_, turns, questions), _ = recall_public.locomo(data)
    assert [(item.agent, item.run, item.day) for item in turns[1:4]] == [
        ("Boris", "session-1", "2023-05-08"),
        ("Ada", "session-1", "2023-05-08"),
        ("Ada", "session-2", "2023-06-02"),
    ]
    assert [(question.sort, sorted(question.answers)) for question in questions] == [
        ("turns", ["d-00001"]),
        ("turns", ["d-00003"]),
        ("adversarial", ["d-00001"]),
    ]


@pytest.mark.parametrize(
    ("name", "answers"), [("longmemeval", {"d-00000", "d-00001"}), ("beam", {"d-00000"}), ("cosqa", {"d-00000"})]
)
def test_each_set_becomes_memories_and_questions(name: str, answers: set[str], data: Path) -> None:
    """Facts, formats of the public sets."""
    import recall_public

    ((_, store, prompts),) = getattr(recall_public, name)(data)
    assert [prompt.answers for prompt in prompts] == [answers]
    assert answers <= {item.id for item in store}


def test_a_folder_without_the_sets_says_so(tmp_path: Path) -> None:
    """Issue 7: public sets if present."""
    import recall_sets

    lines = recall_sets.table(tmp_path, tmp_path, meaning=False)
    assert [line.split(":")[0] for line in lines[1:]] == ["LoCoMo", "LongMemEval-S", "BEAM", "CoSQA"]


def test_the_table_has_a_fitted_and_a_carried_over_row(data: Path, tmp_path: Path) -> None:
    """Issue 7: two rows, fitted on other dialogues and carried over; a file with every question."""
    import recall_sets

    from tenure.recall import weights

    before = weights.of(weights.TRANSCRIPTS)
    lines = recall_sets.table(data, tmp_path, meaning=False)
    assert weights.of(weights.TRANSCRIPTS) is before
    rows = [line for line in lines if line.startswith("LoCoMo")]
    assert [("fitted" in row, "carried over" in row, "non-adv" in row) for row in rows] == [
        (False, False, False), (False, False, True), (False, True, False), (False, True, True), (True, False, False),
        (True, False, True),
    ]  # fmt: skip
    questions = [json.loads(line) for line in (tmp_path / "locomo-carried-over.jsonl").read_text().splitlines()]
    assert len(questions) == 6
    assert all(question["recall@5"] == 1 for question in questions if question["sort"] == "turns")
    (session,) = (line for line in lines if line.startswith("LongMemEval-S carried over"))
    assert session.split()[5] == "1.000"


def test_measures_of_one_question() -> None:
    """The definitions: recall over all evidence, hits and recall by session, MRR and nDCG over the order."""
    import recall_sets

    session = {"a": "s1", "b": "s1", "c": "s2", "d": "s3"}
    found = recall_sets.measured(["c", "a", "d"], frozenset({"a", "b"}), session)
    assert found["recall@5"] == 0.5 and found["mrr"] == 0.5
    assert found["hit@5"] == 1 and found["sessions@10"] == 1
    assert found["ndcg@10"] == pytest.approx((1 / 1.584962) / (1 + 1 / 1.584962))


def test_the_halves_of_the_workload_share_no_topic() -> None:
    """Nothing is tuned on what it is scored on."""
    import recall_workload as workload

    store = workload.memories(400, 1)
    asked = [[p for p in workload.prompts(store, 1, 1, half) if p.sort in workload.SHARES] for half in (0, 1)]
    topics = [{store[int(id[2:])].topic for prompt in half for id in prompt.answers} for half in asked]
    assert topics[0] and topics[1] and not topics[0] & topics[1]
    assert workload.prompts(store, 1, 1, 0) == workload.prompts(store, 1, 1, 0)
