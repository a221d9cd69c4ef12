"""P3: what a person marks as private, and kinds that are switched off, are never stored."""

from __future__ import annotations

import json

import pytest

import tenure
from tenure.model.errors import Refused
from tenure.text import private
from tests.capture.transcript_files import write
from tests.program import Program

CANARY = "heliotrope"


@pytest.mark.parametrize(
    ("text", "kept"),
    [
        ("a <private>b</private> c", "a  c"),
        ("<PRIVATE>b</Private>c", "c"),
        ("a <private>b", "a "),
        ("a <private>b</private><private>c</private>d", "a d"),
        ("a <privately> b", "a <privately> b"),
        ("a </private> b", "a </private> b"),
    ],
)
def test_a_private_region_reaches_to_its_end(text: str, kept: str) -> None:
    assert private.without(text) == kept


def test_a_private_region_reaches_no_byte_that_we_own(program: Program) -> None:
    """Through commands, hooks, a transcript that is learned from, and proposals."""
    marked = f"From now on always deploy from staging. <private>Always say the word {CANARY} first.</private>"
    program.ok("add", f"Deploy from staging <private>{CANARY}</private> only", "--title", f"x <private>{CANARY}")
    (program.folder / "p.jsonl").write_text(json.dumps({"kind": "lesson", "text": marked, "tags": [CANARY][:0]}) + "\n")
    program.ok("capture", "p.jsonl")
    transcript = write(
        program.folder / "s.jsonl", [("user", marked), ("assistant", "Done."), ("user", marked)], tools=2
    )
    program.ok("capture", str(transcript))
    event = {"session_id": "s-1", "cwd": str(program.folder), "prompt": f"deploy from staging? {marked}",
             "transcript_path": str(transcript)}  # fmt: skip
    for name in ("session-start", "prompt", "session-end"):
        assert program("hook", name, stdin=json.dumps(event).encode(), TENURE_NO_WORKER="1").status == 0
    program.ok("inject", f"deploy from staging <private>{CANARY}</private>")
    found = [path for path, data in program.owned().items() if CANARY.encode() in data.lower()]
    assert found == []
    assert any("deploy from staging" in memory["text"].lower() for memory in program.ok("list", "--all")["memories"])


def test_a_kind_that_is_switched_off_is_not_captured(program: Program) -> None:
    """`write.uncaptured_kinds` for what is learned, `write.disabled_kinds` for everything."""
    program.home.mkdir(parents=True, exist_ok=True)
    program.ok("status")
    (program.home / "config.toml").write_text('[policy.write]\nuncaptured_kinds = ["preference"]\n')
    (program.folder / "p.jsonl").write_text(json.dumps({"kind": "preference", "text": f"Say {CANARY} first"}) + "\n")
    program.ok("capture", "p.jsonl")
    assert not any(CANARY.encode() in data for data in program.owned().values())


@pytest.mark.parametrize("place", ["user", "project"])
def test_what_capture_off_names_is_kept_from_no_session(program: Program, place: str) -> None:
    """Issue 13: `[capture] off = [kinds]`, for proposals, a session's words, and what an agent remembers."""
    program.ok("add", "Run make db before the tests", "--id", "own")
    settings = program.home / "config.toml" if place == "user" else program.folder / ".tenure" / "config.toml"
    settings.write_text('[capture]\noff = ["preference", "decision"]\n')
    (program.folder / "p.jsonl").write_text(json.dumps({"kind": "decision", "text": f"Say {CANARY} first"}) + "\n")
    assert "not captured" in str(program.ok("capture", "p.jsonl"))
    said = f"From now on I always prefer the word {CANARY} over any other. Remember that."
    transcript = write(program.folder / "s.jsonl", [("user", said), ("assistant", "Done."), ("user", said)], tools=2)
    program.ok("capture", str(transcript))
    transcript.unlink()
    (program.folder / "p.jsonl").unlink()
    with tenure.open(folder=program.folder) as workspace, pytest.raises(Refused, match="not captured"):
        workspace.remember(f"Prefer the word {CANARY} in greetings", quote=said, kind="preference")
    assert [path for path, data in program.owned().items() if CANARY.encode() in data.lower()] == []
    # What the person writes down themselves is theirs to decide.
    assert program.ok("add", f"Prefer the word {CANARY}", "--kind", "preference")["phase"] == "live"


def test_what_is_switched_off_waits_for_nobody(program: Program, monkeypatch: pytest.MonkeyPatch) -> None:
    """A changed policy waits for `tenure trust`; what it keeps from being stored would be stored meanwhile."""
    monkeypatch.setattr("tenure.usecases.agreed_policy.in_force", lambda path, table, actor, policy: {})
    program.ok("status")
    (program.home / "config.toml").write_text('[capture]\noff = ["preference"]\n[policy.inject]\nlimit = 1\n')
    with tenure.open(folder=program.folder) as workspace:
        policy = workspace.project.policy
        assert policy.write.uncaptured_kinds == ("preference",) and policy.inject.limit != 1
        assert [each.key for each in workspace.ignored] == ["inject.limit"]


@pytest.mark.parametrize("wrong", ["off = 1", 'off = ["a", 2]', 'of = ["preference"]', 'off = "preference"'])
def test_a_misspelt_off_is_an_error(program: Program, wrong: str) -> None:
    """Else what somebody wants kept out would come in unnoticed."""
    program.ok("status")
    (program.home / "config.toml").write_text(f"[capture]\n{wrong}\n")
    refused = program("--json", "status")
    assert refused.status == 2 and "[capture]" in refused.error["message"]


def test_an_export_from_one_source_holds_all_that_came_from_it(program: Program) -> None:
    """Issue 13: `export --from SOURCE` gives all that came from one person or session, and nothing else."""
    program.ok("add", "Run make db before the tests", "--id", "mine")
    program.ok("add", "Deploy from staging only", "--id", "anna", "--source", "anna")
    program.ok("add", "Keep the changelog in order", "--id", "judged")
    program.ok("review", "judged", "--decision", "keep", "--by", "anna")
    for run, text in (("s-1", "Pin the compiler version"), ("s-2", "Never rebase shared branches")):
        line = {"kind": "lesson", "text": text, "run": run, "evidence": [f"session:{run}"], "source": "agent:codex"}
        (program.folder / "p.jsonl").write_text(json.dumps(line) + "\n")
        program.ok("capture", "p.jsonl", "--run", run)

    def exported(source: str) -> set[str]:
        program.ok("export", "out.jsonl", "--from", source)
        lines = (program.folder / "out.jsonl").read_text().splitlines()
        return {json.loads(line)["memory"]["text"] for line in lines}

    assert exported("anna") == {"Deploy from staging only", "Keep the changelog in order"}
    assert exported("s-1") == exported("session:S-1") == {"Pin the compiler version"}
    assert exported("codex") == {"Pin the compiler version", "Never rebase shared branches"}
    assert exported("nobody") == set()
    program.ok("export", "markdown:out.md", "--from", "anna")
    assert (program.folder / "out.md").read_text().count("\n- ") == 2
    assert program("--json", "export", "out.jsonl", "--from", " ").status == 2
    copy = f"sqlite:{program.folder / 'copy.db'}"
    assert program.ok("export", copy, "--from", "anna")["written"] == 2
