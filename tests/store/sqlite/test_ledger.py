"""S15: the ledger's hash chain finds every edit, removal, reordering and truncation, whatever kind of entry it is."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import tenure
from tenure.model.errors import StoreDamaged
from tenure.store import open_store
from tests.faults import sql
from tests.opened import database
from tests.program import Program

# One entry of (nearly) every kind the native lifecycle writes.
KINDS = (
    "Created", "Edited", "Evidenced", "Promoted", "Kept", "Applied", "Held", "Reinstated", "Superseded", "Succeeded",
    "Rejected", "Decayed", "Retired", "Archived", "Restored", "Conflicted", "Undone", "Purged", "Forgotten", "Reviewed",
)  # fmt: skip
EDITS = {
    "seq": "UPDATE ledger SET seq = 5000 WHERE seq = {seq}",
    "batch": "UPDATE ledger SET batch = batch + 500 WHERE seq = {seq}",
    "memory_id": "UPDATE ledger SET memory_id = 'somebody-else' WHERE seq = {seq}",
    "version": "UPDATE ledger SET version = 900 WHERE seq = {seq}",
    "type": "UPDATE ledger SET type = 'Kept2' WHERE seq = {seq}",
    "at": "UPDATE ledger SET at = '2001-01-01T00:00:00Z' WHERE seq = {seq}",
    "actor": "UPDATE ledger SET actor = 'mallory' WHERE seq = {seq}",
    "payload": "UPDATE ledger SET payload = replace(payload, '\"event\"', '\"event\" ') WHERE seq = {seq}",
    "payload as nonsense": "UPDATE ledger SET payload = 'nonsense' WHERE seq = {seq}",
    "payload as bytes": "UPDATE ledger SET payload = x'ff00' WHERE seq = {seq}",
    "payload gone": "UPDATE ledger SET payload = NULL WHERE seq = {seq}",
    "digest": "UPDATE ledger SET digest = 'text' WHERE seq = {seq}",
    "chain": "UPDATE ledger SET chain = zeroblob(32) WHERE seq = {seq}",
    "removed": "DELETE FROM ledger WHERE seq = {seq}",
}


@pytest.fixture(scope="module")
def lived(tmp_path_factory: pytest.TempPathFactory) -> tuple[bytes, dict[str, int]]:
    """A database in which everything has happened, and the number of one entry of each kind."""
    patch = pytest.MonkeyPatch()
    folder = tmp_path_factory.mktemp("lived")
    patch.setenv("TENURE_HOME", str(folder / "home"))
    patch.setenv("TENURE_UNATTENDED", "1")
    with tenure.open(f"sqlite:{folder}/lived.db", folder) as ws:
        _live(ws, patch)
        entries: Any = database(ws).connection.execute("SELECT seq, type FROM ledger ORDER BY seq DESC").fetchall()
        kinds: dict[str, int] = {type: seq for seq, type in entries}
        assert ws.check() == []
    patch.undo()
    return (folder / "lived.db").read_bytes(), kinds


def _live(ws: tenure.Workspace, patch: pytest.MonkeyPatch) -> None:
    patch.setenv("TENURE_NOW", "2026-01-01T00:00:00Z")
    a = ws.add("Always use tabs in generated files", id="a").id
    ws.add("Never use tabs in generated files", id="b")
    ws.edit(a, title="Tabs")
    lesson = {"text": "Warm the cache before the load test", "source": "agent:x"}
    ws.capture([lesson], run="r1")
    ws.capture([lesson], run="r2")
    for n in range(5):
        ws.log(a, "positive", task=f"T{n}")
    ws.review(a, "approve", by="alice")
    ws.review(a, "approve", by="alice")
    ws.review(a, "keep", by="alice")
    for n in range(2):
        ws.log("b", "negative", task=f"N{n}")
    ws.review("b", "keep", by="alice")
    ws.add("Replaced one", id="old")
    ws.add("Replacement", id="new")
    ws.supersede("old", "new")
    ws.add("A wrong one", id="wrong")
    ws.review("wrong", "request_review", by="alice")
    ws.review("wrong", "reject", by="alice")
    ws.retire("new", reason="over")
    ws.restore("new")
    ws.archive("new")
    ws.undo()
    ws.add("To be purged", id="purged")
    ws.retire("purged", reason="over")
    ws.add("To be forgotten for good", id="forgotten")
    ws.forget("forgotten")
    patch.setenv("TENURE_NOW", "2026-12-01T00:00:00Z")
    ws.gc()
    ws.decay()


@pytest.fixture
def store(lived: tuple[bytes, dict[str, int]], tmp_path: Path) -> Path:
    path = tmp_path / "copy.db"
    path.write_bytes(lived[0])
    return path


def found(path: Path) -> str:
    """Return what `check` says, as one text."""
    with tenure.open(f"sqlite:{path}") as ws:
        return "\n".join(f"{problem.field}: {problem.message}" for problem in ws.check())


def test_a_life_leaves_entries_of_every_kind(lived: tuple[bytes, dict[str, int]]) -> None:
    """S15: "mutate every row kind once" needs one of each; this test fails when the story above loses one."""
    assert set(KINDS) <= set(lived[1])


@pytest.mark.parametrize("kind", KINDS)
def test_every_edit_of_an_entry_of_any_kind_is_found(
    kind: str, lived: tuple[bytes, dict[str, int]], tmp_path: Path
) -> None:
    """S15: edit and removal of each kind of entry, column by column."""
    seq = lived[1][kind]
    for name, statement in EDITS.items():
        path = tmp_path / f"{name}.db"
        path.write_bytes(lived[0])
        if name == "payload gone" and kind in ("Purged", "Forgotten"):
            continue  # the entry of an erased memory may be blank: that is what erasing does
        sql(path, statement.format(seq=seq))
        said = found(path)
        assert "ledger entry" in said, (kind, name)
        for leftover in tmp_path.glob(f"{name}.db*"):
            leftover.unlink()


def test_reordered_entries_are_found(store: Path) -> None:
    """S15: two entries change places."""
    sql(
        store,
        "UPDATE ledger SET seq = -1 WHERE seq = 3",
        "UPDATE ledger SET seq = 3 WHERE seq = 4",
        "UPDATE ledger SET seq = 4 WHERE seq = -1",
    )
    assert "ledger entry" in found(store)


def test_a_ledger_cut_off_at_its_end_is_found(store: Path) -> None:
    """S15: truncation, although what is left is a valid chain."""
    sql(store, "DELETE FROM ledger WHERE seq > (SELECT max(seq) - 2 FROM ledger)")
    assert "newest entries are missing" in found(store)


def test_an_emptied_ledger_is_found(store: Path) -> None:
    """S15: the whole ledger removed, also with a head set back to the start."""
    sql(store, "DELETE FROM ledger")
    assert "newest entries are missing" in found(store)
    sql(
        store,
        "UPDATE meta SET value = 0 WHERE key = 'head_seq'",
        "UPDATE meta SET value = zeroblob(32) WHERE key = 'head'",
    )
    assert "the ledger does not know it" in found(store)


def test_an_entry_planted_at_the_end_is_found(store: Path) -> None:
    """S15: an entry that says a memory was promoted, without the chain."""
    sql(
        store,
        "INSERT INTO ledger SELECT (SELECT max(seq) + 1 FROM ledger), 999, 'b', 99, 'Promoted', at, actor, payload,"
        " digest, chain FROM ledger WHERE seq = 1",
    )
    assert "ledger entry" in found(store)


def test_a_rewritten_chain_does_not_prove_an_altered_row(store: Path) -> None:
    """Issue: check proves every row by folding: a row whose own hash was made to fit is still found."""
    from tenure.store.sqlite import COLUMNS, chain

    with tenure.open(f"sqlite:{store}") as ws:
        connection = database(ws).connection
        kept: Any = connection.execute(f"SELECT {COLUMNS} FROM memory WHERE id = 'a'").fetchone()
        row = list(kept)
        row[11] = row[11].replace("Always use tabs", "Always use mice")
        row[12] = chain.row_hash(*row[:-1])
        connection.execute("UPDATE memory SET record = ?, hash = ? WHERE id = 'a'", (row[11], row[12]))
    assert "a.text" in found(store)


@pytest.mark.parametrize("key", ["head", "head_seq", "key"])
def test_a_store_that_lost_its_head_or_key_takes_nothing_in(key: str, store: Path) -> None:
    """R8: gates fail closed: without the chain's end or the key of the marks nothing is written."""
    sql(store, f"DELETE FROM meta WHERE key = '{key}'")
    with tenure.open(f"sqlite:{store}") as ws, pytest.raises(StoreDamaged):
        ws.add("Something new")


def test_the_command_line_exits_1_and_names_the_entry(program: Program) -> None:
    """CONTRACT: `check` exits 1 when there are problems, each with path, field and message."""
    program.ok("add", "Something")
    sql(program.database, "UPDATE ledger SET actor = 'mallory'")
    done = program("--json", "check")
    assert done.status == 1
    assert {frozenset(problem) for problem in done.json["problems"]} == {frozenset({"path", "field", "message"})}


@pytest.mark.parametrize("edit", ["payload", "payload as nonsense", "payload as bytes", "digest", "chain", "actor"])
def test_a_replay_refuses_an_entry_that_was_altered(
    edit: str, lived: tuple[bytes, dict[str, int]], tmp_path: Path
) -> None:
    """S15: what an injection is made of again is proved entry by entry."""
    data, kinds = lived
    path = tmp_path / "lived.db"
    path.write_bytes(data)
    store = open_store(path)
    assert store.history("a", prove=True) == store.history("a")
    store.close()
    sql(path, EDITS[edit].format(seq=kinds["Edited"]))
    with pytest.raises(StoreDamaged, match=f"Entry {kinds['Edited']} "):
        open_store(path).history("a", prove=True)
