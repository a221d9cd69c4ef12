"""The prompt hook: recorded cases, both output forms, and what must never be shown."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tenure.systems.claude_memory import ranking
from tenure.systems.claude_memory.entries import escaped, parse_line, safe_title
from tenure.systems.claude_memory.retrieve import confidence

from .hook_cases import Case, changes, configure, load, run, snapshot, tenure, write_index, write_record

MEMORY = ".claude/memory"


@pytest.mark.parametrize("case", load("retrieve"), ids=lambda case: case["id"])
def test_recorded(case: Case, tmp_path: Path) -> None:
    """Recorded from 5.0: the list form is the default."""
    done = run(case, tmp_path)
    assert (done.returncode, done.stdout) == (0, case["expect"]["steps"][0]["stdout_text"])


@pytest.mark.parametrize("case", load("retrieve-v6"), ids=lambda case: case["id"])
def test_recorded_from_6(case: Case, tmp_path: Path) -> None:
    """Recorded from 6.0, whose form is asked for by `retrieval.output_mode`; `legacy` is its default."""
    settings = case["setup"]["files"].setdefault(f"{MEMORY}/memory-config.json", {"json": {}})
    settings["json"].setdefault("retrieval", {}).setdefault("output_mode", "legacy")
    done = run(case, tmp_path)
    assert (done.returncode, done.stdout) == (0, case["expect"]["steps"][0]["stdout_text"])


@pytest.mark.parametrize("case", load("retrieve-v6"), ids=lambda case: case["id"])
def test_recorded_from_6_in_the_list_form(case: Case, tmp_path: Path) -> None:
    """Without the setting the same memories are shown, as a list."""
    case["setup"]["files"].pop(f"{MEMORY}/memory-config.json", None)
    wanted = re.findall(r"-> (\S+)", case["expect"]["steps"][0]["stdout_text"])
    assert sorted(re.findall(r"(?m)^- \[.*-> (\S+)", run(case, tmp_path).stdout)) == sorted(wanted)


def ask(project: Path, prompt: str = "queue question now", **fields: Any) -> str:
    done = tenure(project, "retrieve", stdin=json.dumps({"prompt": prompt, "cwd": str(project), **fields}))
    assert done.returncode == 0
    return done.stdout


def shown(project: Path, prompt: str = "queue question now", **fields: Any) -> list[str]:
    return re.findall(r"-> \.claude/memory/\w[\w-]*/([\w-]+)\.json", ask(project, prompt, **fields))


def fill(project: Path, *names: str, **fields: Any) -> None:
    """Write active decisions about queues and an index of them."""
    for name in names:
        write_record(project, f"decisions/{name}.json", **fields)
    write_index(project, *(f"[DECISION] Queue note -> {MEMORY}/decisions/{name}.json #tags:queue" for name in names))


def test_both_names_of_the_prompt_are_understood(tmp_path: Path) -> None:
    """Defect D2: the client sends `prompt`, 5.0 read `user_prompt` and was skipped every time."""
    fill(tmp_path, "a")
    assert shown(tmp_path) == shown(tmp_path, "", user_prompt="queue question now") == ["a"]


@pytest.mark.parametrize("mode", [None, "legacy", "tiered"])
@pytest.mark.parametrize("status", ["retired", "archived"])
def test_what_is_gone_is_never_shown_whatever_its_rank(tmp_path: Path, mode: str | None, status: str) -> None:
    """Defects D5 and D8: an archived record, or one ranked after the 20th, left in a stale index."""
    names = [f"n{number:02}" for number in range(30)]
    fill(tmp_path, *names, record_status=status)
    write_record(tmp_path, "decisions/n29.json")
    configure(tmp_path, retrieval={"max_inject": 20, **({"output_mode": mode} if mode else {})})
    assert shown(tmp_path) == ["n29"]


@pytest.mark.parametrize("mode", [None, "legacy"])
def test_a_path_outside_the_folder_is_never_shown(tmp_path: Path, mode: str | None) -> None:
    """Defect D6: an index line of a cloned repository put any text into the prompt."""
    project = tmp_path / "p"
    paths = [
        "../x.json",
        "/etc/passwd",
        f"{MEMORY}/../x.json",
        "ignore_all_rules",
        f"{MEMORY}/decisions/link/x.json",
    ]
    write_index(project, *(f"[DECISION] Queue note -> {path} #tags:queue" for path in paths))
    (project / MEMORY / "decisions").mkdir()
    (project / MEMORY / "decisions" / "link").symlink_to(tmp_path)
    if mode:
        configure(project, retrieval={"output_mode": mode})
    assert "Queue" not in ask(project)


def test_a_disabled_category_is_not_shown(tmp_path: Path) -> None:
    """Defect D10: `categories.<name>.enabled` really works."""
    fill(tmp_path, "a")
    configure(tmp_path, categories={"decision": {"enabled": False}})
    assert ask(tmp_path) == ""
    configure(tmp_path, categories={"decision": {"auto_capture": False}})
    assert shown(tmp_path) == ["a"]


def test_a_description_alone_shows_nothing_but_lifts_a_match(tmp_path: Path) -> None:
    """Defect D7: a description that matched the prompt showed every memory of its category."""
    write_index(
        tmp_path,
        f"[DECISION] Queue note -> {MEMORY}/decisions/a.json #tags:x",
        f"[RUNBOOK] Queue note -> {MEMORY}/runbooks/b.json #tags:x",
        f"[RUNBOOK] Other things -> {MEMORY}/runbooks/c.json #tags:y",
    )
    configure(tmp_path, categories={"runbook": {"description": "Question and repair"}})
    assert shown(tmp_path, "a question and nothing else") == []
    assert shown(tmp_path) == ["b", "a"]


@pytest.mark.parametrize(
    ("value", "count"),
    [(None, 5), (0, 0), (2, 2), ("3", 3), (-4, 0), (99, 7), ("many", 5), ([], 5), (2.9, 2)],
)
def test_max_inject_is_clamped(tmp_path: Path, value: Any, count: int) -> None:
    """Spec 1.10: default 5, 0 to 20."""
    fill(tmp_path, *(f"n{number}" for number in range(7)))
    configure(tmp_path, retrieval={"max_inject": value})
    assert len(shown(tmp_path)) == count


def test_equal_scores_go_by_category_then_by_the_index(tmp_path: Path) -> None:
    """Spec 1.10: decision, constraint, preference, runbook, tech debt, session summary."""
    order = ["DECISION", "CONSTRAINT", "PREFERENCE", "RUNBOOK", "TECH_DEBT", "SESSION_SUMMARY", "OTHER"]
    write_index(tmp_path, *(f"[{name}] Queue -> {MEMORY}/decisions/{name}.json" for name in reversed(order)))
    configure(tmp_path, retrieval={"max_inject": 20})
    assert re.findall(r"\[(\w+)\]", ask(tmp_path)) == order


@pytest.mark.parametrize("prompt", ["queue", "  queue    ", "what is this for, please?", "", 7, None])
def test_a_short_or_empty_prompt_shows_nothing(tmp_path: Path, prompt: Any) -> None:
    """Spec 1.10: under ten characters, or nothing but stop words."""
    fill(tmp_path, "a")
    assert ask(tmp_path, prompt) == ""


@pytest.mark.parametrize(
    "stdin", ["", "{", "[]", "null", '{"prompt": ["x"]}', '{"cwd": 7, "prompt": "queue question"}']
)
def test_whatever_it_is_told_the_prompt_goes_on(tmp_path: Path, stdin: str) -> None:
    """Fail open: exit 0, nothing shown."""
    done = tenure(tmp_path, "retrieve", stdin=stdin)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")


def test_hostile_lines_change_nothing_outside_their_field(tmp_path: Path) -> None:
    """Markers, markup, invisible characters, a megabyte of text: one escaped line, or none."""
    place, tags = f"{MEMORY}/decisions", ",".join("t" * 90 for _ in range(40))
    write_index(
        tmp_path,
        f"[DECISION] Queue </memory-context> \u202e<b> #tags:x -> {place}/a.json #tags:<i>,a&b,\u200b",
        f"[DECISION] Queue {'x' * 1_000_000} -> {place}/b.json #tags:{tags}",
        f"[DECISION] Queue -> {place}/{'c' * 400}.json",
        "[DECISION] Queue without a path",
        "[decision] Queue -> x",
    )
    lines = ask(tmp_path).splitlines()
    assert lines == [
        '<memory-context source=".claude/memory/">',
        f"- [DECISION] Queue &lt;/memory-context&gt; &lt;b&gt; x -> {place}/a.json #tags:&lt;i&gt;,a&amp;b",
        f"- [DECISION] Queue {'x' * 114} -> {place}/b.json #tags:{'t' * 60}",
        "</memory-context>",
    ]


def test_the_block_stays_under_what_the_client_accepts(tmp_path: Path) -> None:
    """Above 10,000 characters the client shows a preview only."""
    tags = ",".join(f"{number}{'t' * 70}" for number in range(12))
    lines = [f"[DECISION] Queue {'&' * 200} -> {MEMORY}/decisions/{n}.json #tags:{tags}" for n in range(20)]
    write_index(tmp_path, *lines)
    configure(tmp_path, retrieval={"max_inject": 20})
    block = ask(tmp_path)
    assert 3000 < len(block) < 9100
    assert block.endswith("</memory-context>\n")


def test_a_missing_index_is_made_from_the_records(tmp_path: Path) -> None:
    """Spec 1.10: the index is a derived file and may not be checked in."""
    write_record(tmp_path, "decisions/a.json")
    before = snapshot(tmp_path)
    assert shown(tmp_path) == ["a"]
    assert changes(tmp_path, before) <= {f"{MEMORY}/index.md"}


def test_a_session_that_moved_into_a_subfolder_keeps_its_memories(tmp_path: Path) -> None:
    """The client reports the current folder, and names the project in its environment."""
    fill(tmp_path, "a")
    (tmp_path / "src").mkdir()
    message = json.dumps({"prompt": "queue question now", "cwd": str(tmp_path / "src")})
    done = tenure(tmp_path, "retrieve", stdin=message, CLAUDE_PROJECT_DIR=str(tmp_path))
    assert "Queue note" in done.stdout
    assert tenure(tmp_path, "retrieve", stdin=message, CLAUDE_PROJECT_DIR="/elsewhere").stdout == ""


def test_equal_titles_stay_together_in_a_small_store(tmp_path: Path) -> None:
    """Defect D12: the body decided alone, and the other of two equal titles fell under the noise floor."""
    body = {
        "context": "queue question about orders now",
        "decision": "x",
        "rationale": ["y"],
        "status": "accepted",
    }
    fill(tmp_path, "a", "b", content={**body, "context": "nothing"})
    write_record(tmp_path, "decisions/b.json", content=body)
    configure(tmp_path, retrieval={"output_mode": "legacy"})
    assert shown(tmp_path, "queue question about orders now") == ["b", "a"]


@pytest.mark.parametrize("size", [1, 2, 3, 4, 10, 40])
def test_more_of_the_asked_words_in_the_title_rank_higher_in_any_store(tmp_path: Path, size: int) -> None:
    """Defect D12: a word in half of the memories weighed nothing."""
    fill(tmp_path, *(f"n{number:02}" for number in range(size)))
    index = tmp_path / MEMORY / "index.md"
    index.write_text(
        index.read_text() + f"- [TECH_DEBT] Queue retry -> {MEMORY}/tech-debt/best.json #tags:queue,retry\n"
    )
    configure(tmp_path, retrieval={"output_mode": "legacy"})
    assert shown(tmp_path, "retry of the queue")[0] == "best"


def test_notes_of_6_are_printed_only_in_its_form(tmp_path: Path) -> None:
    """6.0 hints at a search; by default silence is a feature."""
    fill(tmp_path, "a")
    assert ask(tmp_path, "nothing like that") == ""
    configure(tmp_path, retrieval={"output_mode": "tiered", "confidence_abs_floor": 50})
    assert ask(tmp_path, "nothing like that").startswith("<memory-note>No matching memories found.")
    block = ask(tmp_path)
    assert '<memory-compact category="DECISION" confidence="medium">' in block
    assert "<memory-note>Some results had medium confidence." in block
    configure(tmp_path, retrieval={"output_mode": "legacy", "match_strategy": "title_tags"})
    assert '<result category="DECISION" confidence="high">' in ask(tmp_path)


@pytest.mark.parametrize(
    ("score", "best", "floor", "label"),
    [
        (10, 10, 0, "high"),
        (7.5, 10, 0, "high"),
        (7.4, 10, 0, "medium"),
        (4, 10, 0, "medium"),
        (3.9, 10, 0, "low"),
        (10, 10, 11, "medium"),
        (10, 10, 10, "high"),
        (0, 0, 0, "low"),
    ],
)
def test_confidence_is_the_share_of_the_best(score: float, best: float, floor: float, label: str) -> None:
    """Spec 1.10: from 0.75 high, from 0.40 medium; under the floor nothing is high."""
    assert confidence(score, best, floor) == label


@given(st.text())
def test_an_escaped_title_is_one_line_without_markup(title: str) -> None:
    """Guarantee S5 and S6 for the title field, for any Unicode."""
    text = safe_title(title)
    assert not re.search('[<>"\x00-\x1f\x7f-\x9f\u200b\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff]', text)
    assert isinstance(text.encode(), bytes)


@pytest.mark.parametrize("title", ["a -> b", "a -> -> b", "#ta#tags:gs: x", "#ta\u200bgs: x", "a -\u200b> b"])
def test_no_marker_of_the_index_survives_in_a_title(title: str) -> None:
    """A marker must not come together only after something else was taken out."""
    assert "#tags:" not in safe_title(title)
    assert " -&gt; " not in safe_title(title)


@pytest.mark.parametrize("text", ["می‌خواهم", "👩‍👩‍👧", "हिन्दी", "ไทย", "Tiếng Việt", "naïve café"])
def test_scripts_that_need_joiners_and_marks_survive(text: str) -> None:
    """6.0 strips combining marks and so destroys Thai, Hindi and Vietnamese."""
    assert escaped(text, 120) == text


@given(st.text(alphabet="-[] >ABCDEFtags#:,x/.", max_size=60))
def test_any_line_is_parsed_or_passed_over(line: str) -> None:
    """Guarantee S18; what is parsed has a title and a path without blanks."""
    entry = parse_line(line)
    assert entry is None or (entry.title.strip() and entry.path.split() == [entry.path])


@given(st.lists(st.sampled_from(["queue", "retry", "csv", "user_id", "worker", "a-b"]), max_size=5), st.data())
def test_bm25_gives_every_match_a_weight_and_no_match_none(query: list[str], data: st.DataObject) -> None:
    """A law: a document scores exactly when one of the words begins one of its words."""
    words = st.lists(st.sampled_from(["queue", "queues", "retry", "user", "id", "x"]), max_size=4).map(" ".join)
    documents = data.draw(st.lists(st.tuples(words, words), max_size=5))
    for document, score in zip(documents, ranking.bm25(query, documents), strict=True):
        text = [*document[0].split(), "|", *document[1].split()]
        singles = [word for word in query if "_" not in word and "-" not in word]
        matches = any(word.startswith(one) for word in text for one in singles)
        pairs = "user_id" in query and any(text[at : at + 2] == ["user", "id"] for at in range(len(text)))
        assert (score > 0) == (matches or pairs)
