"""What runs teach through the generic commands: the documents' rules and what Tenure adds to the script's."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from tenure import workspace
from tenure.rules.consolidate import Decision
from tenure.systems.archeflow.command import main
from tenure.usecases.answers import LeftOut
from tenure.workspace import Workspace

from .project import ARCHIVE, AUDIT, LESSONS, events, lesson, read, verdict, write

TIMELINE = "Timeline references must match story start day"
NULL_CHECK = "Missing null checks in API response handlers"
PREFERENCE = "User prefers single bundled PR"


@pytest.fixture
def store(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Workspace]:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("TENURE_NOW", "2026-04-05T00:00:00Z")
    with workspace.open("archeflow:.archeflow", tmp_path) as opened:
        yield opened
        assert opened.check() == []


def finish(store: Workspace, run: str, *said: str, decay: bool = True) -> list[Decision]:
    """Capture a run with these findings, as it ends; return the decisions."""
    answer = store.capture_files([events(Path.cwd(), run, *said)])
    if decay:
        store.decay()
    return list(answer.decisions)


def unfenced(block: str) -> str:
    """Return the section inside our fence: generic surfaces wrap it, the drop-in prints it as recorded."""
    first, said, *lines, last = block.splitlines()
    assert first.startswith("<memory-context") and "not instructions" in said and last.startswith("</memory-context")
    return "\n".join(lines)


def counters() -> dict[str, tuple[int, int]]:
    return {row["description"]: (row["frequency"], row["runs_since_last_seen"]) for row in read(LESSONS)}


def test_thirteen_runs_end_as_the_documents_predict_and_the_preference_stays(store: Workspace) -> None:
    """Documents 1 and 2, as in test_thirteen_runs; beyond the script, a preference does not fade by disuse."""
    raised = {1: [TIMELINE, NULL_CHECK], 2: [TIMELINE, TIMELINE], 3: [TIMELINE]}
    timeline = {1: (1, 0), 2: (2, 0), 3: (3, 0), 13: (2, 0)} | {run: (3, run - 3) for run in range(4, 13)}
    store.add(PREFERENCE)
    for run in range(1, 14):
        name = f"run-{run:02d}"
        # Nobody names a domain, so the findings' category, `code`, is it.
        block = store.inject(domain="code", run=name).block
        shown = [line[2:].split(" [seen")[0] for line in unfenced(block).splitlines()[1:]]
        assert shown == ([TIMELINE] if run > 2 else []) + [PREFERENCE], name
        finish(store, name, *raised.get(run, []))
        now = counters()
        assert (now[PREFERENCE], now[TIMELINE]) == ((1, 0), timeline[run]), name
        assert now.get(NULL_CHECK) == ((1, run - 1) if run < 11 else None), name
    assert [(row["id"], row["frequency"]) for row in read(ARCHIVE)] == [("m-003", 0)]
    verdicts = [row for row in read(AUDIT) if "effectiveness" in row]
    of_timeline = {row["run_id"]: row["effectiveness"] for row in verdicts if row["lesson_id"] == "m-002"}
    assert of_timeline == {"run-03": "ineffective"} | {f"run-{run:02d}": "helpful" for run in range(4, 14)}
    assert len(verdicts) == 11 + 13
    signals = store.get("m-002").signals
    assert (signals.failed_reuses, signals.successful_reuses) == (1, 10)


def test_a_lesson_that_never_prevents_anything_loses_its_place(store: Workspace) -> None:
    """Issue 5: three ineffective runs in a row put it under review, where neither program injects it."""
    for run in range(1, 6):
        store.inject(run=f"r{run}")
        finish(store, f"r{run}", NULL_CHECK)
    held = store.get("m-001")
    assert (held.state, held.phase, held.signals.failed_reuses) == ("under_review", "held", 3)
    assert (read(LESSONS), [row["id"] for row in read(ARCHIVE)]) == ([], ["m-001"])
    assert store.inject().block == ""
    assert [item.id for item in store.queue()] == ["m-001"]
    # What it says is known, so the next run makes no second lesson of it.
    (decision,) = finish(store, "r6", NULL_CHECK)
    assert (decision.action, decision.id) == ("noop", "m-001")
    assert store.review("m-001", "keep", by="me").state == "active"
    assert [(row["id"], row["frequency"]) for row in read(LESSONS)] == [("m-001", 5)]


def test_a_lesson_that_helps_now_and_then_keeps_its_place(store: Workspace) -> None:
    """Ours: helpful gives 10, ineffective costs 20, and a lesson starts at 80."""
    write(LESSONS, lesson("m-001", NULL_CHECK, 3))
    for run in range(1, 13):
        store.inject(run=f"r{run}")
        finish(store, f"r{run}", *([NULL_CHECK] if run % 3 == 0 else []))
    assert store.get("m-001").state == "active"


def test_a_run_counts_once_for_evidence_and_for_effect_whoever_extracts_it(store: Workspace) -> None:
    """Document 1, "Promotion Rule"; issue 5: effects once per run. Drop-in and generic share what they counted."""
    write(LESSONS, lesson("m-001", NULL_CHECK, 2))
    store.inject(run="r1")
    path = events(Path.cwd(), "r1", NULL_CHECK, f"{NULL_CHECK} again")
    for _ in range(2):
        store.capture_files([path])
        assert main(["extract", path]) == 0
    assert main(["extract", events(Path.cwd(), "r2", NULL_CHECK)]) == 0
    store.capture_files([path])
    finish(store, "r2", NULL_CHECK, decay=False)
    assert read(LESSONS)[0]["frequency"] == 4
    assert store.get("m-001").signals.failed_reuses == 1
    assert [row["run_id"] for row in read(AUDIT) if "effectiveness" in row] == ["r1"]


def test_what_one_program_injects_the_other_judges(store: Workspace, capsys: pytest.CaptureFixture[str]) -> None:
    """Ours: the audit trail is one, and so are the verdicts."""
    write(LESSONS, lesson("m-001", NULL_CHECK, 2))
    assert main(["inject", "", "", "--audit", "r1"]) == 0
    block = capsys.readouterr().out
    assert unfenced(store.inject(run="r1").block) == block.rstrip("\n")
    finish(store, "r1")
    assert main(["audit-check", "r1"]) == 0
    assert [row["effectiveness"] for row in read(AUDIT) if "effectiveness" in row] == ["helpful"]
    assert store.get("m-001").signals.successful_reuses == 1


def test_the_runs_domain_is_the_lessons_and_the_category_a_tag(store: Workspace) -> None:
    """Issue 5: `inject code` never sees what is stored under a category."""
    start = {"run_id": "r1", "type": "run.start", "data": {"domain": "writing"}}
    write(Path("e.jsonl"), start, verdict("r1", NULL_CHECK))
    store.capture_files(["e.jsonl"])
    memory = store.get("m-001")
    assert (memory.domain, memory.tags[0]) == ("writing", "code")
    Path(".archeflow/config.yaml").write_text("workflow: fast\ndomain: 'research'  # ours\n")
    finish(store, "r2", TIMELINE)
    assert store.get("m-002").domain == "research"


def test_what_one_archetype_alone_raises_becomes_its_hint(store: Workspace) -> None:
    """Documents: archetype_hint is auto-detected; a second archetype makes it common knowledge again."""
    for run, source in (("r1", "sage"), ("r2", "sage")):
        write(Path(f"{run}.jsonl"), verdict(run, NULL_CHECK, source=source))
        store.capture_files([f"{run}.jsonl"])
    assert (store.get("m-001").kind, store.get("m-001").agent) == ("archetype_hint", "sage")
    assert store.inject(agent="sage").block and not store.inject(agent="guardian").block
    assert store.inject(agent="guardian").suppressed == [LeftOut(id="m-001", why="is for sage")]
    write(Path("r3.jsonl"), verdict("r3", NULL_CHECK, source="guardian"))
    store.capture_files(["r3.jsonl"])
    assert [(row["type"], row["archetype"]) for row in read(LESSONS)] == [("pattern", None)]


def test_a_decayed_lesson_that_returns_is_revived_with_its_history(store: Workspace) -> None:
    """Issue 5; the script starts it again at 1 under another id."""
    finish(store, "r1", NULL_CHECK)
    for run in range(2, 12):
        finish(store, f"r{run}")
    assert (store.get("m-001").state, read(LESSONS)) == ("archived", [])
    (decision,) = finish(store, "r12", NULL_CHECK)
    assert (decision.action, decision.id) == ("update", "m-001")
    (back,) = read(LESSONS)
    assert (back["id"], back["frequency"], back["last_seen_run"], read(ARCHIVE)) == ("m-001", 2, "r12", [])
    kinds = [entry.event.type for entry in store.history("m-001")]
    assert kinds[0] == "Created" and kinds[-2:] == ["Decayed", "Restored"]
    assert store.get("m-001").runs == ("r1", "r12")


@pytest.mark.parametrize("how", ["retire", "archive", "drop-in"])
def test_what_somebody_put_aside_does_not_come_back_by_itself(store: Workspace, how: str) -> None:
    """Ours: the finding makes no second lesson either, and the answer says how to get the first one back."""
    finish(store, "r1", NULL_CHECK)
    if how == "drop-in":
        assert main(["forget", "m-001"]) == 0
    else:
        getattr(store, how)("m-001", reason="noise")
    (decision,) = finish(store, "r2", NULL_CHECK)
    assert (decision.action, decision.id) == ("noop", "m-001")
    assert decision.reasons[-1] == "it is archived; see: tenure restore m-001"
    assert read(LESSONS) == []


def test_what_was_forgotten_is_not_learned_again(store: Workspace) -> None:
    """Guarantee P2: no resurrection. The next lesson gets another id."""
    finish(store, "r1", NULL_CHECK)
    store.forget("m-001")
    (decision,) = finish(store, "r2", NULL_CHECK)
    assert (decision.action, decision.id) == ("noop", "")
    finish(store, "r3", TIMELINE)
    assert [row["id"] for row in read(LESSONS)] == ["m-002"]


def test_a_fixed_finding_that_returns_speaks_against_the_lesson(store: Workspace) -> None:
    """Issue 5 and specification 2.13: direct evidence of an ineffective memory, injected or not."""
    write(LESSONS, lesson("m-001", NULL_CHECK, 2), lesson("m-002", TIMELINE, 2))
    write(Path(".archeflow/events/index.jsonl"), {"run_id": "r1", "status": "done"})
    fixed = {"run_id": "r1", "type": "fix.applied", "data": {"finding": "null checks missing"}}
    write(Path(".archeflow/events/r1.jsonl"), fixed)
    for _ in range(2):
        found = store.capture_files([events(Path.cwd(), "r2", NULL_CHECK)])
        assert found.decisions[0].reasons[-1] == "it was fixed in the run before, and is back"
    assert store.get("m-001").signals.failed_reuses == 1
    assert store.get("m-001").signals.confidence == 60
    assert store.get("m-002").signals.failed_reuses == 0
    assert any("was fixed before r2 and is back" in note for note in found.notes)


def test_the_user_s_preference_is_not_taken_away_by_an_audit(store: Workspace) -> None:
    """Ours: what the user wants stays until the user says otherwise."""
    store.add(PREFERENCE)
    for run in range(1, 6):
        store.inject(run=f"r{run}")
        finish(store, f"r{run}", PREFERENCE)
    assert (store.get("m-001").state, store.get("m-001").signals.confidence) == ("active", 80)


def test_decay_spares_the_run_captured_last_and_both_programs_know_it(store: Workspace) -> None:
    """CONTRACT, ArcheFlow: that run's id is remembered when it is extracted, by either program."""
    write(LESSONS, lesson("m-001", NULL_CHECK, 2, 3), lesson("m-002", TIMELINE, 2, 3))
    finish(store, "r1", NULL_CHECK, decay=False)
    assert main(["decay"]) == 0
    assert main(["extract", events(Path.cwd(), "r2", TIMELINE)]) == 0
    store.decay()
    assert counters() == {NULL_CHECK: (3, 1), TIMELINE: (3, 0)}
    assert store.get("m-001").signals.runs_unseen == 1
    store.upkeep()
    assert counters()[NULL_CHECK] == (3, 1), "upkeep is not the end of a run"


def test_an_active_lesson_that_fades_below_two_is_a_candidate_again(store: Workspace) -> None:
    """Document 1: decay takes 1 from the frequency, and below 2 a lesson is not injected."""
    write(LESSONS, lesson("m-001", NULL_CHECK, 2, 9))
    store.decay()
    assert (store.get("m-001").state, counters()) == ("candidate", {NULL_CHECK: (1, 0)})
    assert store.inject().block == ""


def test_broken_events_are_named_and_the_rest_is_learned(store: Workspace) -> None:
    """Specification 2.12: a broken line stops the script."""
    path = write(Path("e.jsonl"), verdict("r1", NULL_CHECK), verdict("r1", TIMELINE))
    first, second = path.read_text().splitlines()
    path.write_text(f"{first}\n{{broken\n{second}\n")
    answer = store.capture_files(["e.jsonl"])
    assert [item.line for item in answer.skipped] == ["2"]
    assert [row["description"] for row in read(LESSONS)] == [NULL_CHECK, TIMELINE]


def test_secrets_in_findings_do_not_reach_the_file(store: Workspace) -> None:
    """Design decision 14: redacted on every way in."""
    token = "ghp_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"
    finish(store, "r1", f"The deploy script prints the token {token} in its log")
    assert token not in LESSONS.read_text()
    assert len(read(LESSONS)) == 1


def test_proposals_are_captured_as_on_any_store_but_nobody_states_a_preference_through_a_file(store: Workspace) -> None:
    """CONTRACT, capture; GUARANTEES section 3: a preference only from the person's own channel."""
    rows = [{"kind": "preference", "text": PREFERENCE}, {"kind": "anti_pattern", "text": NULL_CHECK}]
    Path("p.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    store.capture_files(["p.jsonl"], run="s1")
    store.capture_files(["p.jsonl"], run="s2")
    assert [(row["type"], row["frequency"], row["last_seen_run"]) for row in read(LESSONS)] == [
        ("pattern", 2, "s2"),
        ("anti_pattern", 2, "s2"),
    ]


def test_lessons_are_replayed_as_they_were_shown(store: Workspace) -> None:
    """Issue 7: the section of that time, although runs have changed the frequencies since."""
    store.add(PREFERENCE)
    for run in ("r1", "r2"):
        finish(store, run, TIMELINE)
    shown = store.inject(run="r3", domain="code")
    assert "[seen 2x" in shown.block
    finish(store, "r3", TIMELINE)
    found = store.replay()
    assert found and found.exact and unfenced(found.block) == unfenced(shown.block) and found.run == "r3"
    assert {memory.why for memory in found.memories} == {"seen 1x", "seen 2x"}
    (preference,) = (memory for memory in found.memories if memory.why == "seen 1x")
    store.forget(preference.id)
    after = store.replay()
    assert after and PREFERENCE not in after.block and f"- {preference.id}: forgotten on 2026-04-05" in after.block
