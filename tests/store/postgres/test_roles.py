"""Who may do what in a team's database, tried with SQL of one's own: the client asks nicely, a thief does not."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from datetime import UTC, datetime
from typing import Any

import msgspec
import pytest

from tenure.model import policy as policies
from tenure.model.errors import Refused, StoreUnusable
from tenure.model.events import Event, EventType, Revision
from tenure.model.evolve import born, change, fold
from tenure.model.memory import Memory, Signals
from tenure.rules.stored_verdict import verdict
from tenure.store import open_elsewhere
from tests import postgres

psycopg = pytest.importorskip("psycopg", reason="no driver of PostgreSQL here; the extra `dev` brings it")

NOW = datetime(2026, 4, 3, 14, 0, tzinfo=UTC)
POLICY, _ = policies.load("tenure", {})


class Team:
    """A project with one approval, two members, two reviewers and an agent."""

    def __init__(self) -> None:
        self.name = postgres.project_name()
        self.addresses = {
            role: postgres.person(role, *groups)
            for role, groups in {
                "mia": ("member",),
                "max": ("member",),
                "rita": ("member", "reviewer"),
                "rolf": ("reviewer",),
                "robot": ("agent",),
                "reader": ("reader",),
            }.items()
        }
        with self.sql("mia") as connection:
            self.project = connection.execute("SELECT tenure.make_project(%s)", (self.name,)).fetchone()[0]
        postgres.set_approvals(self.name, 1)
        self.opened: list[Any] = []

    def sql(self, role: str) -> Any:
        connection = psycopg.connect(self.addresses[role], autocommit=True)
        if hasattr(self, "project"):
            connection.execute("SELECT set_config('tenure.project', %s, false)", (str(self.project),))
        return connection

    def store(self, role: str) -> Any:
        opened = open_elsewhere("postgresql", self.addresses[role], self.name)
        self.opened.append(opened)
        return opened


@pytest.fixture
def team() -> Iterator[Team]:
    made = Team()
    yield made
    for store in made.opened:
        store.close()


def memory(id: str, **fields: Any) -> Memory:
    given: dict[str, Any] = {"kind": "lesson", "title": f"About {id}", "text": f"What {id} says", "trust": "model"}
    state = {"state": "candidate", "phase": "pending", "signals": Signals(confidence=40, evidence_count=1)}
    return Memory(id=id, **{**given, **state, "created_at": NOW, "updated_at": NOW, **fields})


def write(store: Any, item: Memory) -> None:
    revision = Revision(memory_id=item.id, events=(born(item, actor="somebody"),), after=item, expected_version=0)
    store.commit([revision], [verdict(item, POLICY)])


def become(store: Any, type: EventType, id: str, **fields: Any) -> None:
    """Change a memory by an event of this type."""
    row = store.get(id)
    event = change(row.memory, type, NOW, set=fields, actor="anybody")
    after = fold([born(row.memory), event])
    assert after is not None
    revision = Revision(memory_id=id, events=(event,), after=after, expected_version=row.version)
    store.commit([revision], [verdict(after, POLICY)])


LIVE: dict[str, Any] = {"state": "provisional", "phase": "live"}


def test_the_ledger_names_the_role_that_logged_in(team: Team) -> None:
    """Issue 23: the actor is the session's role, not a name given; the name stays as a label."""
    store = team.store("robot")
    write(store, memory("m-1"))
    (entry,) = store.history("m-1", prove=True)
    assert entry.event.actor == "robot" and entry.event.detail["label"] == "somebody"
    assert list(store.health.check(POLICY)) == []


def test_another_role_agrees_and_nobody_agrees_to_their_own(team: Team) -> None:
    """Issue 23: no self-approval, whoever is a reviewer too."""
    mine = team.store("rita")
    write(mine, memory("m-1", trust="user"))
    with pytest.raises(Refused, match="nobody agrees to words of their own"):
        become(mine, EventType.PROMOTED, "m-1", **LIVE)
    become(team.store("rolf"), EventType.PROMOTED, "m-1", **LIVE)
    assert mine.get("m-1").eligible and list(mine.health.check(POLICY)) == []


def test_whoever_changed_the_words_last_is_whose_words_they_are(team: Team) -> None:
    """docs/postgresql.md: agreement counts since the words last changed, so the first author may agree to an edit."""
    rita, rolf = team.store("rita"), team.store("rolf")
    write(rita, memory("m-1", trust="user"))
    become(rolf, EventType.PROMOTED, "m-1", **LIVE)
    become(rolf, EventType.EDITED, "m-1", text="Do it better", state="candidate", phase="pending")
    with pytest.raises(Refused, match="0 of 1 others agreed"):
        become(rolf, EventType.PROMOTED, "m-1", **LIVE)
    become(rita, EventType.PROMOTED, "m-1", **LIVE)
    assert rolf.get("m-1").eligible and list(rita.health.check(POLICY)) == []


def test_an_edit_of_tags_makes_the_words_nobody_elses(team: Team) -> None:
    """docs/postgresql.md: nobody agrees to words of their own, also after somebody else filed them elsewhere."""
    rita, rolf = team.store("rita"), team.store("rolf")
    write(rita, memory("m-1", trust="user"))
    become(rolf, EventType.EDITED, "m-1", tags=["billing"])
    with pytest.raises(Refused, match="0 of 1 others agreed"):
        become(rita, EventType.PROMOTED, "m-1", **LIVE)
    become(rolf, EventType.PROMOTED, "m-1", **LIVE)
    assert rita.get("m-1").eligible


def test_taking_back_an_edit_makes_the_words_ones_own_again(team: Team) -> None:
    """docs/postgresql.md: nobody agrees to words of their own, whatever kind of entry brought them back."""
    rita, rolf = team.store("rita"), team.store("rolf")
    write(rita, memory("m-1", trust="user"))
    words = rita.get("m-1").memory.text
    become(rolf, EventType.EDITED, "m-1", text="Do it better")
    become(rita, EventType.UNDONE, "m-1", text=words)
    with pytest.raises(Refused, match="0 of 1 others agreed"):
        become(rita, EventType.PROMOTED, "m-1", **LIVE)
    become(rolf, EventType.PROMOTED, "m-1", **LIVE)


def test_two_approvers_are_two_roles(team: Team) -> None:
    """Issue 23: the same role twice is one."""
    postgres.set_approvals(team.name, 2)
    write(team.store("mia"), memory("m-1", trust="user"))
    rolf = team.store("rolf")
    become(rolf, EventType.REVIEWED, "m-1", verified_at="2026-04-03T14:00:00Z")
    with pytest.raises(Refused, match="1 of 2"):
        become(rolf, EventType.PROMOTED, "m-1", **LIVE)
    become(team.store("rita"), EventType.PROMOTED, "m-1", **LIVE)
    assert rolf.get("m-1").memory.phase == "live"


@pytest.mark.parametrize("role", ["mia", "robot"])
def test_what_is_written_waits_and_only_reviewers_decide(team: Team, role: str) -> None:
    """Issue 23: a member proposes, an agent too; neither puts anything into use."""
    store = team.store(role)
    with pytest.raises(Refused, match="waits until somebody else agrees"):
        write(store, memory("m-1", **LIVE))
    write(store, memory("m-2"))
    for type in (EventType.PROMOTED, EventType.KEPT, EventType.RESTORED, EventType.EDITED, EventType.APPLIED):
        with pytest.raises(Refused):
            become(team.store("max" if role == "mia" else role), type, "m-2", **LIVE)
    assert store.get("m-2").memory.phase == "pending"


def test_a_reviewer_of_a_domain_decides_there_only(team: Team) -> None:
    """Issue 23: reviewer by domain."""
    address = postgres.person("dora", "reviewer", domains=("security",))
    team.addresses["dora"] = address
    mia, dora = team.store("mia"), team.store("dora")
    write(mia, memory("m-1", trust="user", domain="security"))
    write(mia, memory("m-2", trust="user", domain="billing"))
    become(dora, EventType.PROMOTED, "m-1", **LIVE)
    with pytest.raises(Refused, match="does not review the domain"):
        become(dora, EventType.PROMOTED, "m-2", **LIVE)


def test_an_agent_changes_no_words_of_what_is_in_use(team: Team) -> None:
    """Issue 23: otherwise what people agreed to would be whatever an agent makes of it."""
    write(team.store("mia"), memory("m-1", trust="user"))
    become(team.store("rolf"), EventType.PROMOTED, "m-1", **LIVE)
    with pytest.raises(Refused, match="does not change the words"):
        become(team.store("robot"), EventType.EDITED, "m-1", text="Do something else")
    with pytest.raises(Refused, match="wait for a review"):
        become(team.store("rolf"), EventType.EDITED, "m-1", text="Do something else")
    become(team.store("mia"), EventType.EDITED, "m-1", text="Do it better", state="candidate", phase="pending")
    assert not team.store("rolf").get("m-1").eligible


def forged(role: str, type: str, payload: dict[str, Any] | None = None) -> tuple[Any, ...]:
    """Return the arguments of a function that writes, as somebody puts them together by hand."""
    event = {"type": type, "memory_id": "m-1", "at": "2026-04-03T14:00:00Z", "actor": role, "set": {**LIVE}}
    body = msgspec.json.encode({"salt": "00", "event": payload or event}).decode()
    row = memory("m-1", **LIVE)
    columns = {"n": 1, "id": "m-1", "version": 2, "kind": row.kind, "state": row.state, "phase": row.phase}
    columns |= {"eligible": 1, "weight": 99, "line": "x", "due_at": None, "fingerprint": 1}
    columns |= {"record": msgspec.json.encode(row).decode(), "hash": hashlib.sha256(b"x").hexdigest()}
    columns |= {"sizes": [1] * 6, "stems": ["x"], "files": [], "guards": []}
    entry = (["m-1"], [2], [type], ["2026-04-03T14:00:00Z"], [body])
    return (None, *entry, msgspec.json.encode([columns]).decode(), [], ["x"], [1], [1.0], [0], [b"\0\0\0\0"])


TYPES = ("bigint", "text[]", "int[]", "text[]", "text[]", "text[]", "jsonb", "bigint[]", "text[]", "bigint[]")
CALL = f"({', '.join(f'%s::{type}' for type in (*TYPES, 'double precision[]', 'int[]', 'bytea[]'))})"


@pytest.mark.parametrize("type", [str(type) for type in EventType])
def test_no_sql_of_an_agent_puts_a_memory_into_use(team: Team, type: str) -> None:
    """Issue 23: verdicts tried as the agent's role, by SQL too: none passes."""
    write(team.store("robot"), memory("m-1"))
    with team.sql("robot") as connection:
        for function in ("write_plain", "write_judged"):
            with pytest.raises(psycopg.Error):
                connection.execute(f"SELECT tenure.{function} {CALL}", forged("robot", type))
    assert team.store("mia").get("m-1").memory.phase == "pending"
    assert list(team.store("mia").health.check(POLICY)) == []


@pytest.mark.parametrize(
    "statement",
    [
        "UPDATE tenure.memory SET state = 'canonical', phase = 'live', eligible = 1",
        "UPDATE tenure.memory_3 SET eligible = 1",
        "SELECT * FROM tenure.memory_0",
        "INSERT INTO tenure.ledger SELECT * FROM tenure.ledger",
        "DELETE FROM tenure.ledger",
        "UPDATE tenure.ledger SET actor = 'rita'",
        "UPDATE tenure.project SET approvals = 0",
        "INSERT INTO tenure.access VALUES ('robot', NULL)",
        "SELECT * FROM tenure.access",
        "SET ROLE tenure_owner",
        "SET ROLE tenure_reviewer",
        "SET SESSION AUTHORIZATION rita",
        "GRANT tenure_reviewer TO robot",
        "CREATE FUNCTION tenure.here() RETURNS bigint LANGUAGE sql AS 'SELECT 1'",
        "ALTER TABLE tenure.memory DISABLE ROW LEVEL SECURITY",
        "SELECT tenure.write(true,false,NULL,'{}','{}','{}','{}','{}','[]','{}','{}','{}','{}','{}','{}')",
        "SELECT tenure.refresh('[]','{}','{}','{}','{}','{}')",
        "SELECT tenure.erase('m-1', '{}', 'x')",
        "UPDATE tenure.guard_fire SET verdict = 'right'",
        "DROP SCHEMA tenure CASCADE",
        "COPY tenure.memory TO PROGRAM 'cat'",
    ],
)
def test_what_an_agent_may_not_do_the_database_refuses(team: Team, statement: str) -> None:
    """Issue 23: a role without bypass, and no table of memories that it may write."""
    write(team.store("robot"), memory("m-1"))
    with team.sql("robot") as connection, pytest.raises(psycopg.Error):
        connection.execute(statement)


def test_nobody_writes_under_another_name(team: Team) -> None:
    """Issue 23: neither in the column nor in what was written there."""
    write(team.store("mia"), memory("m-1"))
    event = {"type": "Promoted", "memory_id": "m-1", "at": "2026-04-03T14:00:00Z", "actor": "rita", "set": {}}
    with team.sql("rolf") as connection, pytest.raises(psycopg.Error, match="names somebody"):
        connection.execute(f"SELECT tenure.write_judged {CALL}", forged("rolf", "Promoted", event))


def test_a_project_is_closed_to_those_who_were_not_let_in(team: Team) -> None:
    """Issue 23: whatever project a session names, it sees those it may."""
    write(team.store("mia"), memory("m-1"))
    other = postgres.project_name()
    address = postgres.person("guest", "member", project=other)
    with psycopg.connect(address, autocommit=True) as connection:
        for named in (str(team.project), "", "0 OR 1=1", "NULL", "9" * 18):
            connection.execute("SELECT set_config('tenure.project', %s, false)", (named,))
            for table in ("memory", "ledger", "posting", "setting", "project"):
                rows = connection.execute(f"SELECT count(*) FROM tenure.{table}").fetchone()
                assert rows is not None and rows[0] == 0, (named, table)
        assert connection.execute("SELECT tenure.find_project(%s)", (team.name,)).fetchone() == (None,)
        assert [name for _, name in connection.execute("SELECT id, name FROM tenure.projects()")] == [other]


def test_every_table_forces_its_policy() -> None:
    """Issue 23: also on the owner, and on every partition."""
    with psycopg.connect(postgres.database(), autocommit=True) as connection:
        rows = connection.execute(
            "SELECT relname FROM pg_class WHERE relnamespace = 'tenure'::regnamespace AND relkind IN ('r', 'p')"
            " AND NOT (relrowsecurity AND relforcerowsecurity)"
        ).fetchall()
        bypass = connection.execute(
            "SELECT rolname FROM pg_roles WHERE rolname LIKE 'tenure%' AND (rolbypassrls OR rolsuper OR rolcanlogin)"
        ).fetchall()
    assert rows == [("migration",)] and bypass == []


def test_a_reader_reads_and_writes_nothing(team: Team) -> None:
    """Issue 23: the group reader."""
    write(team.store("mia"), memory("m-1"))
    reader = team.store("reader")
    assert [row.memory.id for row in reader.find()] == ["m-1"]
    with pytest.raises(Refused):
        write(reader, memory("m-2"))


def test_an_event_without_a_memory_is_no_way_around(team: Team) -> None:
    """Issue 23: an entry of the ledger alone would be believed by whoever folds it."""
    write(team.store("robot"), memory("m-1"))
    arguments = list(forged("robot", "Edited"))
    arguments[6], arguments[8:] = "[]", [[], [], [], [], []]
    with team.sql("robot") as connection, pytest.raises(psycopg.Error):
        connection.execute(f"SELECT tenure.write_plain {CALL}", arguments)
    event = Event(type=EventType.EDITED, memory_id="m-1", at=NOW, set=dict(LIVE))
    store = team.store("robot")
    after = store.get("m-1").memory
    revision = Revision(memory_id="m-1", events=(event,), after=after, expected_version=1)
    with pytest.raises(Refused):
        store.commit([revision], [verdict(after, POLICY)])


def test_a_role_that_nobody_let_in_is_told_so(team: Team) -> None:
    """docs/postgresql.md: `team grant` lets a role in; PostgreSQL's own words name a schema and no way out."""
    with psycopg.connect(postgres.database(), autocommit=True) as admin:
        if admin.execute("SELECT 1 FROM pg_roles WHERE rolname = 'stranger'").fetchone() is None:
            admin.execute(f"CREATE ROLE stranger LOGIN PASSWORD '{postgres.PASSWORD}'")
    address = postgres.as_role(postgres.database(), "stranger", password=postgres.PASSWORD)
    store = open_elsewhere("postgresql", address, team.name)
    with pytest.raises(Refused, match="has not let you in") as refused:
        store.find()
    assert "tenure team grant" in (refused.value.hint or "")
    store.close()


def test_a_database_that_is_read_only_is_called_so(team: Team) -> None:
    """A standby answers questions and takes no change."""
    address = f"{team.addresses['mia']}&options=-cdefault_transaction_read_only%3Don"
    store = open_elsewhere("postgresql", address, team.name)
    assert store.find() == []
    with pytest.raises(StoreUnusable, match="read-only"):
        write(store, memory("m-1"))
    store.close()
