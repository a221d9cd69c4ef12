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
    functions = {"def load(path): return json.load(open(path))": 0, "def double(n): return n * 2": 1}
    chat = [{"role": "user", "text": "Half cents round down"}, {"role": "assistant", "text": "Noted for invoices"}]
    files = {
        "locomo/data/locomo10.json": [dialogue("Ada", "Boris", "cello"), dialogue("Carla", "Deniz", "banjo")],
        "BEAM/chats/100K/1/chat.json": [
            {
                "batch_number": 1,
                "turns": [[{"id": 0, "role": "user", "content": "Deploys need two approvals ->-> 1,1"}]],
            },
            {"batch_number": 2, "turns": [[{"id": 1, "role": "assistant", "content": "Noted, anything else?"}]]},
        ],
        "BEAM/chats/100K/1/probing_questions/probing_questions.json": {
            "information_extraction": [{"question": "How many approvals for a deploy?", "source_chat_ids": "[0]"}],
            "abstention": [{"question": "What colour is the logo?"}],
        },
        "REALTALK/data/Chat_1_Ada_Boris.json": {
            "session_1": [
                {"dia_id": f"D1:{n}", "speaker": who, "clean_text": said, "date_time": "29.12.2023, 22:42:04"}
                for n, (who, said) in enumerate([("Ada", "My cat sleeps"), ("Boris", "Mine too")], start=1)
            ],
            "qa": [{"question": "Whose cats sleep?", "evidence": ["D1:1, D1:2."], "category": 1}],
        },
        "FriendsQA/dat/friendsqa_dev.json": {
            "data": [
                {
                    "title": "s01_e01_c01",
                    "paragraphs": [
                        {
                            "utterances:": [
                                {"speakers": ["Joey Tribbiani"], "utterance": "I do n't know ."},
                                {"speakers": [], "utterance": "The duck left !"},
                            ],
                            "qas": [{"question": "Who left ?", "answers": [{"utterance_id": 1}]}],
                        }
                    ],
                }
            ]
        },
        "FriendsQA/dat/friendsqa_tst.json": {"data": []},
        "CoCLR/data/search/code_idx_map.txt": functions,
        "CoCLR/data/search/cosqa-retrieval-dev-500.json": [{"doc": "python load json file", "retrieval_idx": "0"}],
        "sde-bench/boltons-rounding/tasks/main/task.json": {
            "bug_report": "Invoices are a cent off",
            "conversations": chat,
        },
        "sde-bench/boltons-tags-amended/tasks/main/task.json": {"bug_report": "Tags", "conversations": [chat, chat]},
        "sde-bench/boltons-rounding-history/tasks/main/task.json": {"bug_report": "Invoices are a cent off"},
        "sde-bench/gen/decoy_conversations.json": [{"topic": "lists", "turns": [{"role": "user", "text": "Hello"}]}],
    }
    for name, content in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(json.dumps(content), encoding="utf-8")
    page = folder / "tldr" / "pages" / "common" / "tar.md"
    page.parent.mkdir(parents=True)
    page.write_text(
        "# tar\n\n> Archiving utility.\n\n- Create it:\n\n`tar cf {{a}}`\n\n- List it:\n\n`tar tvf {{a}}`\n"
    )
    return folder


def test_turns_carry_their_speaker_session_and_day(data: Path) -> None:
    """Facts, formats: `session_N` with `dia_id`, `speaker`, `text`; `qa` with `evidence`; category 5 is adversarial."""
    import recall_public

    (_, turns, questions), _ = recall_public.locomo(data / "locomo")
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
    ("label", "memories", "asked"),
    [
        ("BEAM-100K", ["Deploys need two approvals", "Noted, anything else?"], [["d-00000"]]),
        ("REALTALK", ["My cat sleeps", "Mine too"], [["d-00000", "d-00001"]]),
        ("FriendsQA", ["I don't know.", "The duck left!"], [["d-00001"]]),
        ("CoSQA dev", ["def load(path): return json.load(open(path))", "def double(n): return n * 2"], [["d-00000"]]),
        ("sde-bench", None, [["d-00000"], ["d-00001", "d-00002"]]),
        ("tldr", ["# tar\n> Archiving utility.\n- Create it:\n`tar cf a`"], [["d-00000"]]),
    ],
)
def test_each_set_becomes_memories_and_questions(
    label: str, memories: list[str] | None, asked: list[list[str]], data: Path
) -> None:
    """Formats of the public sets: a task of sde-bench that was amended is settled by two chats, decoys by none."""
    import recall_public

    chosen = next(item for item in recall_public.SETS if item.label == label)
    ((_, store, prompts),) = chosen.load(data / chosen.folder)
    assert [sorted(prompt.answers) for prompt in prompts] == asked
    assert memories is None or [item.text for item in store] == memories


def test_a_folder_without_the_sets_says_so(tmp_path: Path) -> None:
    """Issue 18: the sets are read from clones; one that is missing is named."""
    import recall_sets

    lines = list(recall_sets.table(tmp_path, tmp_path, None))
    assert [line.split(":")[0] for line in lines[1:]] == [
        "BEAM-100K", "REALTALK", "FriendsQA", "CoSQA dev", "tldr", "CoSQA test", "sde-bench", "LoCoMo",
    ]  # fmt: skip


def test_the_table_has_plain_fts5_beside_tenure(data: Path, tmp_path: Path) -> None:
    """Issue 18: the rows of public sets from one command, plain FTS5 in the same run; a file with every question."""
    import recall_sets

    lines = list(recall_sets.table(data, tmp_path, None, ["LoCoMo"]))
    assert "plain FTS5" in lines[0] and "Tenure words" in lines[0]
    assert [line.split("  ")[0] for line in lines[1:]] == ["LoCoMo", "LoCoMo non-adversarial"]
    questions = [json.loads(line) for line in (tmp_path / "locomo-tenure-words.jsonl").read_text().splitlines()]
    assert len(questions) == 6
    assert all(question["recall@5"] == 1 for question in questions if question["sort"] == "turns")


def test_a_run_that_was_stopped_goes_on_where_it_was(
    data: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Issue 18: the rows come from one command, which takes an hour; code that changed is asked again."""
    import recall_cache
    import recall_sets

    monkeypatch.setenv("BENCH_CACHE", str(tmp_path / "kept"))
    (tmp_path / "kept").mkdir()
    first = list(recall_sets.table(data, None, None, ["LoCoMo"]))

    def asked_again(*_: object) -> None:
        raise AssertionError("asked again")

    with monkeypatch.context() as stopped:
        stopped.setattr(recall_sets, "_scored", asked_again)
        assert list(recall_sets.table(data, None, None, ["LoCoMo"])) == first
        stopped.setattr(recall_cache, "_code", lambda: "changed")
        with pytest.raises(AssertionError, match="asked again"):
            list(recall_sets.table(data, None, None, ["LoCoMo"]))


def test_a_set_below_plain_fts5_fails_the_gate() -> None:
    """Issue 18: never below plain FTS5, and never worse with the model than without."""
    import recall_public
    import recall_sets

    def verdicts(fts5: float, words: float, meaning: float) -> bool:
        chosen = next(item for item in recall_public.SETS if item.label == "sde-bench")
        values = {recall_sets.FTS5: fts5, recall_sets.WORDS: words, recall_sets.MEANING: meaning}
        rows = {name: [{"sort": "chats", "recall@5": value}] for name, value in values.items()}
        (line,) = recall_sets._lines(chosen, rows, tuple(values))
        return "BELOW" in line

    assert verdicts(0.5, 0.4, 0.6) and verdicts(0.5, 0.6, 0.55)
    assert not verdicts(0.5, 0.5, 0.5)


def test_measures_of_one_question() -> None:
    """The definitions: recall over all evidence and by session, MRR and nDCG over the order."""
    import recall_sets

    session = {"a": "s1", "b": "s1", "c": "s2", "d": "s3"}
    found = recall_sets.measured(["c", "a", "d"], frozenset({"a", "b"}), session)
    assert found["recall@5"] == 0.5 and found["mrr"] == 0.5
    assert found["sessions@10"] == 1
    assert found["ndcg@10"] == pytest.approx((1 / 1.584962) / (1 + 1 / 1.584962))


def test_the_halves_of_the_workload_share_no_topic() -> None:
    """Nothing is tuned on what it is scored on."""
    import recall_workload as workload

    store = workload.memories(400, 1)
    asked = [[p for p in workload.prompts(store, 1, 1, half) if p.sort in workload.SHARES] for half in (0, 1)]
    topics = [{store[int(id[2:])].topic for prompt in half for id in prompt.answers} for half in asked]
    assert topics[0] and topics[1] and not topics[0] & topics[1]
    assert workload.prompts(store, 1, 1, 0) == workload.prompts(store, 1, 1, 0)
