"""P1 and P2: what is forgotten is gone from every byte we own, and does not come back by any door."""

from __future__ import annotations

import json
from pathlib import Path

import apsw
import pytest

import tenure
from tenure.model.errors import Forgotten, TenureError
from tenure.usecases.answers.changed import Collected
from tests.opened import database
from tests.program import Program, proposals
from tests.team import git

SECRETLY = "Quizzical wombats juxtapose vexing zephyrs beneath the flyaway jukebox of Ljubljana port=73911"
TITLE = "Wombats vex Ljubljana zephyrs"
RUN = 8


def runs(*texts: str) -> set[bytes]:
    """Return every run of eight characters, in lower case as the index keeps words."""
    return {
        text[start : start + RUN].lower().encode() for text in texts for start in range(max(1, len(text) - RUN + 1))
    }


def traces(program: Program, *texts: str) -> list[tuple[str, bytes]]:
    """Return where a run of a text still stands in a file of ours."""
    wanted = runs(*texts)
    return [
        (path.name, run)
        for path, data in program.owned().items()
        for low in [data.lower()]
        for run in wanted
        if run in low
    ]


@pytest.fixture
def busy(program: Program) -> Program:
    """A store with a few hundred memories and one that went through everything before it is to be forgotten."""
    with tenure.open(folder=program.folder) as ws:
        ws.capture([{"text": f"lesson{n} about topic{n % 17} and matter{n % 23}"} for n in range(250)])
        ws.add(SECRETLY, title=TITLE, id="secret", tags=["zephyrtag"], files=["src/wombatfile.py"])
        ws.capture([{"text": f"another{n} about topic{n % 13} and matter{n % 29}"} for n in range(60)])
        ws.log("secret", "positive", task="T-1", notes="The quizzical wombats helped")
        ws.inject("quizzical wombats juxtapose")
        ws.edit("secret", text=SECRETLY.replace("port=73911", "port=80117"))
        ws.add("Never juxtapose vexing zephyrs beneath the jukebox of Ljubljana, port=99999", id="other")
        ws.review("secret", "approve", by="alice", rationale="wombats are fine")
    return program


def test_forgetting_leaves_no_run_of_eight_characters_in_any_file(busy: Program) -> None:
    """P1: byte scan over the store and the home, with history, notes, queries and contradictions behind it."""
    assert traces(busy, SECRETLY, TITLE)
    erased = busy.ok("forget", "secret", "--yes")
    assert erased["pending"] is False and erased["events"] >= 4
    shared = "Never juxtapose vexing zephyrs beneath the jukebox of Ljubljana, port=99999"
    kept = runs(shared, "never use", "memory.db")
    left = traces(busy, SECRETLY, TITLE, "port=80117", "zephyrtag", "wombatfile", "The quizzical wombats")
    assert [trace for trace in left if trace[1] not in kept] == []
    assert busy.ok("check") == {"problems": []}
    assert busy.ok("search", "quizzical wombats", "--all")["hits"] == []
    assert busy("show", "secret").status == 2
    assert [event["type"] for event in busy.ok("history", "secret")["events"]][-1] == "Forgotten"


@pytest.mark.parametrize("way", ["forget", "gc", "retired", "archived", "many"])
def test_every_way_out_erases(way: str, program: Program, monkeypatch: pytest.MonkeyPatch) -> None:
    """P1: forgetting what is retired or archived, collecting what is over, and forgetting many one after another."""
    monkeypatch.setenv("TENURE_NOW", "2026-01-01T00:00:00Z")
    many = [f"{SECRETLY} number{n}" for n in range(12)]
    with tenure.open(folder=program.folder) as ws:
        ws.capture([{"text": f"lesson{n} about topic{n % 17}"} for n in range(60)])
        ids = [ws.add(text, id=f"s{n}").id for n, text in enumerate(many if way == "many" else [SECRETLY])]
        if way in ("gc", "retired"):
            ws.retire(ids[0], reason="over")
        if way == "archived":
            ws.archive(ids[0])
        monkeypatch.setenv("TENURE_NOW", "2026-03-01T00:00:00Z")
        if way == "gc":
            assert ws.gc() == Collected(purged=ids, kept=0)
        else:
            for id in ids:
                ws.forget(id)
        assert ws.check() == []
    assert traces(program, SECRETLY) == []


@pytest.mark.parametrize("first", ["the memory", "the file"])
def test_what_was_shared_is_gone_with_its_file(first: str, program: Program) -> None:
    """P1: the replica of the team's files, its index, what was agreed to and what was shown name it no more."""
    git(program.folder, "init", "-q")
    program.ok("add", SECRETLY, "--title", TITLE, "--id", "secret")
    program.ok("add", "Deploy the billing service with make ship", "--id", "ship")
    shared = {file["id"]: file for file in program.ok("share", "secret", "ship")["files"]}
    program.ok("retire", "secret")
    shown = program("inject", "quizzical wombats juxtapose vexing zephyrs", "--task", "T-1").text
    assert shared["secret"]["shared_as"] in shown
    (replica,) = (program.home / "ours").glob("*.db")
    assert b"wombats" in replica.read_bytes().lower()
    team = program.folder / shared["secret"]["path"]
    if first == "the file":
        team.unlink()
        program.ok("list")
        assert b"juxtapose" not in replica.read_bytes().lower()
    program.ok("forget", "secret", "--yes")
    if first == "the memory":
        assert "juxtapose" not in program("inject", "quizzical wombats juxtapose vexing zephyrs").text
        team.unlink()
    program.ok("list")
    assert traces(program, SECRETLY, TITLE) == []
    assert program.ok("show", shared["ship"]["shared_as"])["text"].startswith("Deploy the billing")
    assert program.ok("check") == {"problems": []}


def test_what_a_teammate_took_away_leaves_no_word_in_the_replica(program: Program) -> None:
    """P1: somebody forgets and removes the file; with the next pull its text is gone here too, and may come again."""
    git(program.folder, "init", "-q")
    team = program.folder / ".tenure" / "team"
    team.mkdir(parents=True)
    file, kept = team / "secret-1a2b3c.md", team / "ship-4d5e6f.md"
    file.write_text(f"---\ntype: lesson\ntitle: {TITLE}\n---\n\n{SECRETLY}\n")
    kept.write_text("---\ntype: lesson\ntitle: Ship\n---\n\nDeploy with make ship.\n")
    program.ok("trust", "--yes")
    assert traces(program, SECRETLY)
    text = file.read_bytes()
    file.unlink()
    program.ok("list")
    assert [trace for trace in traces(program, SECRETLY, TITLE) if trace[0].endswith(".db")] == []
    file.write_bytes(text)
    assert "Quizzical" in program("inject", "quizzical wombats juxtapose vexing zephyrs").text


def test_an_erasure_that_a_reader_blocks_is_pending_and_finished_later(busy: Program) -> None:
    """P1: pending is shown while a reader holds an old view, by forget and doctor; upkeep finishes it."""
    reader = apsw.Connection(str(busy.database))
    reader.execute("BEGIN")
    assert reader.execute("SELECT count(*) FROM memory").get
    with tenure.open(folder=busy.folder) as ws:
        database(ws).connection.set_busy_timeout(50)
        assert ws.forget("secret").pending is True
        assert ws.project.store.health.finish_erasing() is False
        with pytest.raises(TenureError):
            ws.get("secret")
    assert [check["ok"] for check in busy("--json", "doctor").json["checks"] if check["name"] == "store"] == [False]
    reader.execute("COMMIT")
    reader.close()
    busy.ok("upkeep")
    assert traces(busy, "Quizzical wombats") == []
    assert busy("doctor").status == 0


def test_an_old_backup_goes_with_what_it_holds(busy: Program) -> None:
    """P1: managed backups are files we own."""
    from tenure.store.sqlite import migrate

    with tenure.open(folder=busy.folder) as ws:
        migrate.back_up(database(ws).connection, busy.database.with_name("memory.db.schema-1.bak"))
        ws.forget("secret")
    assert traces(busy, "Quizzical wombats") == []


def test_forgotten_text_does_not_return_by_any_door(busy: Program, tmp_path: Path) -> None:
    """P2: add, capture, import (sealed, plain, trusted), restore, undo, edit; in other form, and its earlier text."""
    assert busy("export", "jsonl:all.jsonl").status == 0
    busy.ok("forget", "secret", "--yes")
    new = SECRETLY.replace("port=73911", "port=80117")
    for text in (new, SECRETLY, f"  {new.upper()}  "):
        assert busy("add", text).status == 3
        assert busy.ok("capture", "-", stdin=proposals({"text": text}))["decisions"][0]["action"] == "noop"
        assert busy("--json", "import", "-", stdin=proposals({"text": text})).json["written"] == 0
        assert busy("edit", "other", "--text", text).status == 3
    for words in (["import", "all.jsonl"], ["import", "--trust", "all.jsonl"]):
        skipped = {item["id"] for item in busy.ok(*words)["skipped"]}
        assert "secret" in skipped
    sealed = (busy.folder / "all.jsonl").read_text(encoding="utf-8").splitlines()
    other_id = [line.replace('"secret"', '"renamed"') for line in sealed if '"secret"' in line]
    (busy.folder / "renamed.jsonl").write_text("\n".join(other_id), encoding="utf-8")
    assert busy("--json", "import", "--trust", "renamed.jsonl").json["written"] == 0
    for words in (["restore", "secret"], ["unarchive", "secret"], ["undo", "1"], ["add", "x", "--id", "secret"]):
        busy(*words)
    seqs = [event["seq"] for event in busy.ok("history", "secret")["events"]]
    for seq in seqs:
        assert busy("undo", str(seq)).status == 3
    assert busy.ok("search", "quizzical wombats", "--all")["hits"] == []
    (busy.folder / "all.jsonl").unlink()
    (busy.folder / "renamed.jsonl").unlink()
    assert traces(busy, "Quizzical wombats") == []


def test_the_mark_of_a_forgotten_text_reveals_nothing_without_the_key(program: Program) -> None:
    """P2: a keyed hash: two stores mark the same text differently, and no plain hash of it is kept."""
    import hashlib

    marks = []
    for name in ("one", "two"):
        with tenure.open(f"sqlite:{program.folder}/{name}.db") as ws:
            ws.forget(ws.add(SECRETLY).id)
            marks.append(database(ws).connection.execute("SELECT mark FROM tombstone").get)
        data = (program.folder / f"{name}.db").read_bytes()
        for form in (SECRETLY, SECRETLY.lower()):
            assert hashlib.sha256(form.encode()).digest() not in data
    assert marks[0] != marks[1]


def test_a_forgotten_memory_is_skipped_by_name_in_the_api(program: Program) -> None:
    """P2: the refusal has its own code, and says what to do."""
    with tenure.open(folder=program.folder) as ws:
        ws.forget(ws.add(SECRETLY).id)
        with pytest.raises(Forgotten) as refusal:
            ws.add(SECRETLY)
        assert json.dumps(refusal.value.as_json()).count("FORGOTTEN") == 1
