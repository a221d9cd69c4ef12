"""`tenure effect`: verdicts and what follows from them, through the API and a real store."""

from __future__ import annotations

import json
import os
from datetime import timedelta
from pathlib import Path
from typing import Any

import msgspec
import pytest

from tenure import workspace as api
from tenure.capture.session_builder import Session
from tenure.capture.transcripts import Call, Turn
from tenure.files import signing
from tenure.model import clock
from tenure.model.errors import BadRequest
from tenure.model.events import EventType
from tenure.model.evolve import change
from tenure.model.guard import Guard
from tenure.recall import LIMITS_KEY
from tenure.store.records import Exposed, GuardFire, SessionOutcome
from tenure.usecases import effect, effect_estimate
from tenure.workspace import Workspace
from tests.specimens import NOW

EARLY, LATE = clock.stamp(NOW - timedelta(hours=2)), clock.stamp(NOW - timedelta(hours=1))


def lived(ws: Workspace, number: int, memory: str, *, shown: bool, trouble: bool | None, share: float = 0.5) -> None:
    """Write down one exposure and what came of its session."""
    store, session = ws.project.store, f"s{number}"
    store.effects.expose(
        [
            Exposed(
                session=session, memory=memory, at=EARLY, shown=shown, share=share, surface="prompt", host="codex",
                kind="lesson",
            )
        ]
    )  # fmt: skip
    corrections = None if trouble is None else int(trouble)
    trouble_at = LATE if trouble else None
    store.effects.conclude(
        SessionOutcome(session=session, at=LATE, host="codex", corrections=corrections, trouble_at=trouble_at)
    )


def added(ws: Workspace, text: str = "Use pnpm, not npm", **fields: Any) -> str:
    return ws.add(text, kind="lesson", **fields).id


def session(number: int, *turns: Turn) -> Session:
    return Session(f"s{number}", "codex", "", list(turns))


def ended(*, red: bool) -> Turn:
    return Turn("tool", "", ("Bash",), LATE, calls=(Call("Bash", {"command": "pytest"}, at=LATE, ok=not red),))


def test_nothing_is_measured_until_it_is_started(ws: Workspace) -> None:
    found = ws.effect()
    assert (found.on, found.sessions, found.verdict) == (False, 0, "cannot tell yet")
    assert ws.start_effect(stated=True).on and ws.effect().stated
    assert not ws.stop_effect().on


def test_a_memory_that_helps_is_told_with_its_counts(ws: Workspace) -> None:
    id = added(ws)
    for number in range(30):
        lived(ws, number, id, shown=number % 2 == 0, trouble=number % 2 == 1)
    found = ws.effect()
    assert found.verdict == "helps" and found.more_sessions is None and found.sessions == 30
    assert (found.shown.troubles, found.shown.exposures) == (0, 15)
    assert (found.held.troubles, found.held.exposures) == (15, 15)
    assert found.high is not None and found.high < 0
    assert [(one.id, one.verdict) for one in found.memories] == [(id, "helps")]


def test_what_nobody_knows_is_no_session_without_trouble(ws: Workspace) -> None:
    id = added(ws)
    for number in range(20):
        lived(ws, number, id, shown=number % 2 == 0, trouble=None)
    assert (ws.effect().sessions, ws.effect().shown.exposures) == (0, 0)


def test_trouble_before_the_exposure_is_none_of_its_doing(ws: Workspace) -> None:
    """Others counted events that came before the memory was due."""
    exposed = Exposed(
        session="s", memory="m", at=LATE, shown=True, share=0.5, surface="prompt", host="codex", kind="lesson"
    )
    outcome = SessionOutcome(session="s", at=LATE, host="codex", corrections=1, trouble_at=EARLY)
    assert effect_estimate.troubled(exposed, outcome) is False


def test_exposures_count_however_long_ago_they_were(ws: Workspace) -> None:
    """Others kept a window of the log, out of which the rare arm was rotated."""
    id = added(ws)
    for number in range(300):
        lived(ws, number, id, shown=number >= 3, trouble=False, share=0.05)
    assert ws.effect().held.exposures == 3


def test_a_forecast_comes_with_an_open_verdict(ws: Workspace) -> None:
    id = added(ws)
    for number, (shown, trouble) in enumerate([(True, False), (False, True), (True, False), (False, True)]):
        lived(ws, number, id, shown=shown, trouble=trouble)
    found = ws.effect(id)
    assert found.verdict == "cannot tell yet" and found.more_sessions is not None and 3 <= found.more_sessions <= 40
    assert found.memories[0].more_sessions == found.more_sessions


def test_proof_that_it_helps_counts_as_evidence_and_is_what_helped_means(ws: Workspace) -> None:
    id = added(ws)
    ws.start_effect(stated=True)
    for number in range(24):
        lived(ws, number, id, shown=number % 2 == 0, trouble=number % 2 == 1)
    assert ws.get(id).helped_at is None
    lived(ws, 24, id, shown=True, trouble=False)
    before = ws.get(id).signals.evidence_count
    effect.conclude(ws.project, session(24, ended(red=False)), ())
    memory = ws.get(id)
    assert memory.helped_at == NOW and memory.signals.evidence_count == before + 1
    assert ws.history(id)[-1].event.reason == "proved by holding it back: sessions go better with it"
    effect.conclude(ws.project, session(24, ended(red=False)), ())
    assert ws.get(id) == memory
    limits = json.loads(ws.project.store.setting(LIMITS_KEY))
    assert limits["effect"]["proven"] == [id]


def test_a_memory_that_hurts_goes_under_review(ws: Workspace) -> None:
    id = added(ws)
    for number in range(24):
        lived(ws, number, id, shown=number % 2 == 0, trouble=number % 2 == 0)
    effect.conclude(ws.project, session(23, ended(red=False)), ())
    assert ws.get(id).state == "under_review"
    assert ws.effect(id).memories[0].verdict == "hurts"


def test_a_memory_without_a_sign_is_offered_for_retirement(ws: Workspace) -> None:
    id = added(ws)
    for number in range(120):
        lived(ws, number, id, shown=number % 5 != 0, trouble=number % 3 == 0, share=0.2)
    assert ws.effect().memories[0].no_sign
    ws.start_effect(stated=True)
    assert [(item.id, item.needs) for item in ws.queue()] == [(id, "retirement, or another chance")]


def test_a_held_memory_that_came_another_way_stays_held_and_is_counted(ws: Workspace) -> None:
    """Intention to treat: counting it as shown would move those who looked for it from one arm to the other."""
    id = added(ws)
    lived(ws, 1, id, shown=False, trouble=False)
    looked = Turn(
        "tool", "", ("Bash",), LATE, calls=(Call("Bash", {"command": f"tenure show {id}"}, at=LATE, ok=True),)
    )
    effect.conclude(ws.project, session(1, looked, ended(red=True)), ())
    found = ws.effect()
    assert (found.crossed, found.held.exposures, found.held.troubles, found.shown.exposures) == (1, 1, 1, 0)


def test_citing_a_memory_changes_nothing_about_its_arm(ws: Workspace) -> None:
    """Others looked only at sessions in which the memory was cited, which only happens where it was shown."""
    id = added(ws)
    lived(ws, 1, id, shown=True, trouble=False)
    effect.conclude(ws.project, session(1, Turn("assistant", f"As {id} says", (), LATE), ended(red=False)), ())
    assert (ws.effect().shown.exposures, ws.effect().crossed) == (1, 0)


def test_a_memory_is_judged_by_the_error_it_was_learned_from(ws: Workspace) -> None:
    store = ws.project.store
    store.effects.conclude(SessionOutcome(session="first", at=EARLY, host="codex", corrections=0, errors=(77,)))
    (made,) = ws.capture([{"kind": "lesson", "text": "Start the database before the tests"}], run="first").decisions
    lived(ws, 1, made.id, shown=True, trouble=True)
    effect.conclude(ws.project, session(1, ended(red=True)), ())
    (exposed,) = store.effects.exposures(session="s1")
    assert exposed.own is False


def test_a_rule_that_was_broken_counts_for_the_memory_that_has_it(ws: Workspace) -> None:
    id = added(ws)
    lived(ws, 1, id, shown=False, trouble=False)
    effect.conclude(ws.project, session(1, ended(red=False)), (), violations={id: [LATE]})
    (exposed,) = ws.project.store.effects.exposures()
    assert exposed.own is True
    assert ws.project.store.effects.outcomes()[0].violations == 1


def test_forgetting_leaves_no_id_in_exposures(ws: Workspace) -> None:
    id = added(ws)
    lived(ws, 1, id, shown=True, trouble=False)
    ws.forget(id)
    assert ws.project.store.effects.exposures() == []
    assert id.encode() not in json.dumps([str(one) for one in ws.effect().memories]).encode()


def test_what_is_never_held_back_says_why(ws: Workspace) -> None:
    ws.start_effect()
    constraint = ws.add("The API allows 100 calls a minute", kind="constraint").id
    assert ws.effect(constraint).notes == [
        f"{constraint} is never held back (a constraint), so its effect cannot be measured."
    ]
    stated = added(ws)
    assert "stated by the person" in ws.effect(stated).notes[0]
    ws.start_effect(stated=True)
    assert ws.effect(stated).notes == [f"{stated} would not have been shown in any session yet."]


def test_a_measurement_says_how_much_of_the_store_it_is_about(ws: Workspace) -> None:
    """A stranger measured a store of memories they had typed, all of them exempt, and was not told."""
    added(ws)
    ws.start_effect()
    (note,) = ws.effect().notes
    assert note.startswith("0 of 1 memories in use can be measured; 1 you stated yourself")
    ws.start_effect(stated=True)
    assert ws.effect().notes == []


def test_small_projects_prove_together_what_none_can_alone(ws: Workspace, tmp_path: Path) -> None:
    id = added(ws, "Use pnpm: SECRET-TEXT")
    for number in range(6):
        lived(ws, number, id, shown=number % 2 == 0, trouble=number % 2 == 1)
    assert ws.effect().verdict == "cannot tell yet"
    file = tmp_path / "counts.json"
    published = ws.publish_effect(file)
    assert b"SECRET" not in file.read_bytes() and id.encode() not in file.read_bytes()
    assert published.sessions == 6 and sum(one.count for one in published.counts) == 6
    files = [file]
    for number in range(3):
        other = json.loads(file.read_bytes()) | {"origin": f"other-{number}", "signature": ""}
        files.append(_resealed(tmp_path / f"{number}.json", other))
    alone = api.merge_effects([file, file], unsigned=True)
    assert (alone.people, alone.verdict, alone.left_out[0].why[:12]) == (1, "cannot tell yet", "another file")
    forged = api.merge_effects(files)
    assert (forged.people, forged.verdict, len(forged.left_out)) == (
        signing.possible(),
        "cannot tell yet",
        4 - forged.people,
    )
    assert all("--unsigned counts it" in each.why for each in forged.left_out), "what nobody signed decides nothing"
    together = api.merge_effects(files, unsigned=True)
    assert (together.people, together.sessions, together.verdict) == (4, 24, "helps")
    assert together.unproved >= 3 and "by unknown authors" in together.notes[0]
    assert together.kinds["lesson"]["held"].troubles == 12


def _resealed(path: Path, document: dict[str, Any]) -> Path:
    import msgspec

    from tenure.usecases import effect_pool

    made = msgspec.convert(document, effect_pool.Published)
    import hashlib

    digest = hashlib.sha256(effect_pool._body(made)).hexdigest()
    path.write_bytes(msgspec.json.encode(msgspec.structs.replace(made, digest=digest)))
    return path


@pytest.mark.parametrize("change", [{"log_e": 500.0}, {"sessions": 7}, {"format": "x"}, {"extra": 1}])
def test_a_file_that_was_tampered_with_is_left_out(ws: Workspace, tmp_path: Path, change: dict[str, Any]) -> None:
    id = added(ws)
    for number in range(6):
        lived(ws, number, id, shown=number % 2 == 0, trouble=number % 2 == 1)
    file = tmp_path / "counts.json"
    ws.publish_effect(file)
    file.write_text(json.dumps(json.loads(file.read_bytes()) | change))
    found = api.merge_effects([file])
    assert found.people == 0 and len(found.left_out) == 1


@pytest.mark.skipif(not signing.possible(), reason="ssh-keygen (OpenSSH) is not installed")
def test_counts_are_signed_so_that_others_know_whose_they_are(ws: Workspace, tmp_path: Path) -> None:
    id = added(ws)
    for number in range(6):
        lived(ws, number, id, shown=number % 2 == 0, trouble=number % 2 == 1)
    file = tmp_path / "counts.json"
    ws.publish_effect(file)
    found = api.merge_effects([file])
    assert len(found.signers) == 1 and found.signers[0].startswith("SHA256:") and not found.notes
    ws.publish_effect(file)
    assert api.merge_effects([file]).signers == found.signers, "one home has one key"
    written = json.loads(file.read_bytes())
    forged = _resealed(tmp_path / "forged.json", written | {"sessions": 60})
    assert "signature" in api.merge_effects([forged]).left_out[0].why
    unsigned = _resealed(tmp_path / "unsigned.json", written | {"sessions": 60, "signature": ""})
    alone = api.merge_effects([unsigned])
    assert (alone.people, alone.signers, alone.verdict) == (0, [], "cannot tell yet")
    assert "not signed" in alone.left_out[0].why
    assert api.merge_effects([unsigned, file]).left_out[0].id == str(unsigned)
    together = api.merge_effects([unsigned, file], unsigned=True)
    assert (together.sessions, together.signers) == (6, found.signers), "a longer file without a signature wins nothing"


@pytest.mark.skipif(not signing.possible(), reason="ssh-keygen (OpenSSH) is not installed")
def test_a_key_that_nobody_named_decides_nothing(
    ws: Workspace, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Issue 20: whoever forges a file can sign it, too, with a key of their own."""
    id = added(ws)
    for number in range(6):
        lived(ws, number, id, shown=number % 2 == 0, trouble=number % 2 == 1)
    file = tmp_path / "counts.json"
    ws.publish_effect(file)
    (own,) = api.merge_effects([file]).signers
    other = tmp_path / "another-home"
    other.mkdir(mode=0o700)
    monkeypatch.setenv("TENURE_HOME", str(other))
    found = api.merge_effects([file])
    assert found.people == 0 and f"--signer {own}" in found.left_out[0].why
    named = api.merge_effects([file], signers=[own])
    assert (named.people, named.signers, named.unproved, named.notes) == (1, [own], 0, [])
    everything = api.merge_effects([file], unsigned=True)
    assert (everything.people, everything.unproved) == (1, 1)


def test_the_host_is_the_one_that_the_sessions_file_names(ws: Workspace, tmp_path: Path) -> None:
    """A stranger called the hook without a client's variables, and was told of a host that was not theirs."""
    added(ws)
    file = tmp_path / "s.jsonl"
    record = {"type": "user", "sessionId": "s-1", "uuid": "1", "message": {"role": "user", "content": "Run the tests"}}
    file.write_text(json.dumps(record) + "\n")
    guessed = session(1, ended(red=True))._replace(host="codex", transcript=str(file))
    effect.conclude(ws.project, guessed, ())
    assert ws.project.store.effects.outcomes()[0].host == "claude-code"


def test_publishing_overwrites_nothing_but_what_was_published(ws: Workspace, tmp_path: Path) -> None:
    lived(ws, 1, added(ws), shown=True, trouble=False)
    page = tmp_path / "README.md"
    page.write_text("mine")
    with pytest.raises(BadRequest, match="another file"):
        ws.publish_effect(page)
    assert page.read_text() == "mine"
    with pytest.raises(BadRequest, match="no folder"):
        ws.publish_effect(tmp_path / "nowhere" / "counts.json")
    for _ in range(2):
        assert ws.publish_effect(tmp_path / "counts.json").sessions == 1


def test_a_machine_without_openssh_publishes_and_says_that_nothing_is_signed(
    ws: Workspace, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    id = added(ws)
    lived(ws, 1, id, shown=True, trouble=False)
    file, empty = tmp_path / "counts.json", tmp_path / "bin"
    monkeypatch.setenv("PATH", f"{empty}{os.pathsep}.")
    assert ws.publish_effect(file).signature == ""
    assert "cannot be checked here" in api.merge_effects([file]).left_out[0].why
    assert api.merge_effects([file], unsigned=True).people == 1


def test_what_memories_cost_is_kept_by_host_and_memory(ws: Workspace) -> None:
    id = added(ws)
    notes = [{"id": id, "score": 1.0, "chars": 400}]
    for run, host in (("a", "codex"), ("b", "codex"), ("c", "gemini")):
        ws.project.store.activity.record(NOW, notes, run=run, task="", agent=host, query="q")
    lived(ws, 1, id, shown=True, trouble=False)
    found = ws.effect()
    assert [(one.host, one.sessions, one.tokens_per_session) for one in found.costs] == [
        ("codex", 2, 100),
        ("gemini", 1, 100),
    ]
    assert found.memories[0].tokens == 300


def test_a_guard_that_acts_is_never_held_and_one_that_counts_measures_its_memory(ws: Workspace) -> None:
    """Effect issue: guards are never held back; a memory that owns a counting guard is judged by it."""
    store = ws.project.store
    id = added(ws, "Never push to main by force")
    guard = Guard(state="on", tool="run", commands=(), text=("push --force",))
    for level, kind in (("deny", "guard"), ("count", "lesson")):
        with ws.project.changing() as batch:
            memory = batch.get(id)
            assert memory is not None
            now = msgspec.structs.replace(guard, level=level)
            batch.record(memory, [change(memory, EventType.EDITED, NOW, set={"guard": now})])
        ((_, found, *_),) = store.effects.known("s1", [id])[2]
        assert found == kind
    lived(ws, 1, id, shown=False, trouble=False)
    store.guards.note(GuardFire(0, LATE, id, "s1", "codex", "counted"))
    store.guards.note(GuardFire(0, LATE, id, "s1", "codex", "allow-once"))
    effect.conclude(ws.project, session(1, ended(red=False)), ())
    (exposed,), (outcome,) = store.effects.exposures(), store.effects.outcomes()
    assert exposed.own is True and outcome.violations == 1
