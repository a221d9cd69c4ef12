"""SQL of an agent's own, beyond verdicts (issue 23): what it may write must not lie, and must not stop others.

`test_roles.py` holds who decides, `test_isolation.py` who reads what.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import msgspec
import pytest

import tenure
from tenure.model.errors import Refused, TenureError
from tenure.model.events import EventType, Revision
from tenure.model.evolve import born
from tenure.rules.stored_verdict import verdict
from tenure.store.postgres import queries
from tenure.usecases import add
from tests import postgres
from tests.store.postgres.test_roles import LIVE, NOW, POLICY, Team, become, memory, write

psycopg = pytest.importorskip("psycopg", reason="no driver of PostgreSQL here; the extra `dev` brings it")


@pytest.fixture
def team() -> Iterator[Team]:
    """A team with `m-1` of a member in use, and `m-2` of a member waiting."""
    made = Team()
    write(made.store("mia"), memory("m-1", trust="user", text="Run the migrations first"))
    become(made.store("rolf"), EventType.PROMOTED, "m-1", **LIVE)
    write(made.store("mia"), memory("m-2", trust="user"))
    yield made
    for store in made.opened:
        store.close()


def lying(store: Any, change: Callable[[list[Any]], None]) -> Any:
    """Let a store send something else than it reckoned."""
    honest = store.value

    def value(statement: str, values: Any = ()) -> Any:
        if statement == queries.WRITE_PLAIN:
            values = list(values)
            change(values)
        return honest(statement, values)

    store.value = value
    return store


def rows_with(**columns: Any) -> Callable[[list[Any]], None]:
    """Return a change of every row that is sent."""

    def change(values: list[Any]) -> None:
        values[6] = msgspec.json.encode([{**row, **columns} for row in msgspec.json.decode(values[6])]).decode()

    return change


@pytest.mark.parametrize(
    "columns",
    [
        {"line": "Skip the migrations"},
        {"eligible": 0},
        {"hash": "00" * 32},
        {"fingerprint": 1},
        {"weight": 2_000_000_000},
        {"stems": ["skip"], "sizes": [0, 0, 0, 0, 0, 0]},
    ],
    ids=str,
)
def test_an_agent_that_reports_a_use_changes_nothing_of_how_it_is_shown(team: Team, columns: dict[str, Any]) -> None:
    """Issue 23: what people agreed to is shown as they agreed to it, and found by its own words."""
    before = team.store("rita").get("m-1")
    become(lying(team.store("robot"), rows_with(**columns)), EventType.APPLIED, "m-1", used_at="2026-04-03T14:00:00Z")
    after = team.store("rita").get("m-1")
    assert (after.line, after.eligible) == (before.line, True) and after.version == before.version + 1
    assert 0 <= after.weight <= 100
    assert [row.memory.id for row in team.store("rita").search("migrations", 5).rows] == ["m-1"]
    if "weight" not in columns:
        assert list(team.store("rita").health.check(POLICY)) == []


def test_an_agent_that_sends_no_words_takes_none_out_of_the_index(team: Team) -> None:
    """Issue 23: a use reported without the memory's words would make it silent in every search."""

    def wordless(values: list[Any]) -> None:
        values[8:] = [[], [], [], [], []]

    become(lying(team.store("robot"), wordless), EventType.APPLIED, "m-1", used_at="2026-04-03T14:00:00Z")
    assert [row.memory.id for row in team.store("rita").search("migrations", 5).rows] == ["m-1"]


@pytest.mark.parametrize("fields", [{"trust": "user"}, {"trust": "user", "text": "I said so"}], ids=str)
def test_an_agent_cannot_call_its_own_proposal_a_persons_words(team: Team, fields: dict[str, Any]) -> None:
    """Issue 23: the database sees who writes; that the proposal still waits does not make the row true."""
    robot = team.store("robot")
    write(robot, memory("m-3"))
    with pytest.raises(Refused, match="not said by a person"):
        become(robot, EventType.EDITED, "m-3", **fields)
    assert team.store("mia").get("m-3").memory.trust == "model"


def test_an_agent_cannot_put_words_into_a_persons_proposal(team: Team) -> None:
    """Issue 23: it would wait as the person's words, and be agreed to as such."""
    robot = team.store("robot")
    with pytest.raises(Refused, match="not said by a person"):
        become(robot, EventType.EDITED, "m-2", text="Delete the backups")
    become(robot, EventType.EDITED, "m-2", text="Delete the old backups", trust="model")
    assert team.store("mia").get("m-2").memory.trust == "model"


@pytest.mark.parametrize("number", [9_223_372_036_854_775_806, 7, 0, -1])
def test_a_number_out_of_turn_is_refused(team: Team, number: int) -> None:
    """Issue 23: the highest number there is would leave none for the next memory of anybody."""

    def numbered(values: list[Any]) -> None:
        rows_with(n=number)(values)
        values[9] = [number] * len(values[9])

    with pytest.raises(Refused):
        write(lying(team.store("robot"), numbered), memory("m-3"))
    write(team.store("mia"), memory("m-4"))


@pytest.mark.parametrize("at", ["soon", "2026-04-03T14:00:00+02:00", "2031-01-01T00:00:00Z", ""])
def test_a_time_that_is_none_or_not_the_entrys_is_refused(team: Team, at: str) -> None:
    """Issue 23: whoever counts by week casts all of them."""

    def dated(values: list[Any]) -> None:
        values[4] = [at]

    with pytest.raises(Refused):
        write(lying(team.store("robot"), dated), memory("m-3"))
    team.store("mia").overview.weekly(NOW)


SETTING = (
    "INSERT INTO tenure.setting VALUES (tenure.here(), '{}', '{}')"
    " ON CONFLICT (project, key) DO UPDATE SET value = excluded.value"
)
REFUSED = [
    *(
        SETTING.format(key, value)
        for key, value in {
            "inject_limits": '{"limit": 0}',
            "effect": '{"on": true}',
            "silence": "{}",
            "quote:m-2": "I agree",
            "unproven_quotes": "{}",
            "words_counted_at": "many",
            "homes": "robot",
            "erasure_pending": "1",
        }.items()
    ),
    "UPDATE tenure.setting SET key = 'effect' WHERE key = 'learned'",
    "INSERT INTO tenure.command (project, key, role) VALUES (tenure.here(), 'k', 'rita')",
    "INSERT INTO tenure.replica VALUES (tenure.here(), 'laptop', 'rita', 1, now())",
    "INSERT INTO tenure.injection VALUES (tenure.here(), 1, '', '', '', '', '', 'no list', '')",
    "INSERT INTO tenure.injection VALUES (tenure.here(), 1, '', '', '', '', '', '{}', '')",
    "UPDATE tenure.injection SET memories = ''",
    "UPDATE tenure.command SET role = 'rita'",
    "DELETE FROM tenure.replica",
    "SELECT nextval('tenure.project_id_seq')",
    "SELECT setval('tenure.exposure_n_seq', 1)",
    "SELECT last_value FROM tenure.guard_fire_n_seq",
    "TRUNCATE tenure.setting",
    "LOCK TABLE tenure.memory IN ACCESS EXCLUSIVE MODE",
    "CREATE TABLE tenure.mine (x int)",
    "CREATE TRIGGER mine BEFORE INSERT ON tenure.setting EXECUTE FUNCTION tenure.number_run()",
    "CREATE POLICY mine ON tenure.memory USING (true)",
    "CREATE RULE mine AS ON INSERT TO tenure.setting DO ALSO DELETE FROM tenure.setting",
    "ALTER FUNCTION tenure.here() SET search_path = public",
    "ALTER ROLE robot BYPASSRLS",
    "ALTER ROLE rita PASSWORD 'x'",
    "ALTER DATABASE postgres SET tenure.project = '1'",
    "COPY tenure.memory TO '/tmp/x'",
    "COPY tenure.setting FROM PROGRAM 'true'",
    "SELECT lo_import('/etc/passwd')",
    "SELECT pg_read_file('PG_VERSION')",
    "SET session_replication_role = replica",
    "SET row_security = off; SELECT * FROM tenure.memory WHERE project <> tenure.here()",
    "CREATE EXTENSION dblink",
    "DO LANGUAGE plpython3u 'pass'",
    "REFRESH MATERIALIZED VIEW tenure.memory",
    "SECURITY LABEL ON ROLE robot IS 'x'",
    "REASSIGN OWNED BY tenure_owner TO robot",
    "DROP OWNED BY tenure_member",
]


def test_no_statement_of_an_agent_changes_what_holds_for_everybody(team: Team) -> None:
    """Issue 23: settings, names, numbers, sequences, triggers, files and other roles, by the agent's own SQL."""
    people = team.store("mia")
    people.keep("inject_limits", "{}")
    robot = team.store("robot")
    robot.keep("learned", "[]")
    passed = []
    with team.sql("robot") as connection:
        for statement in REFUSED:
            try:
                connection.execute(statement)
                passed.append(statement)
            except psycopg.Error:
                continue
        # What a policy hides is passed over, and that is no error.
        connection.execute("DELETE FROM tenure.setting WHERE key = 'inject_limits'")
        connection.execute("SELECT tenure.move_quoted('m-2')")
    assert passed == [] and len(REFUSED) >= 40
    assert people.setting("inject_limits") == "{}" and robot.setting("learned") == "[]"


SHADOWS = (
    "CREATE TEMP TABLE access AS SELECT 'robot'::name AS grantee, NULL::bigint AS project",
    "CREATE TEMP TABLE pg_roles AS SELECT 'tenure_reviewer'::name AS rolname, 0::oid AS oid",
    "CREATE FUNCTION pg_temp.pg_has_role(name, oid, text) RETURNS boolean LANGUAGE sql AS 'SELECT true'",
    "CREATE FUNCTION pg_temp.session_user() RETURNS name LANGUAGE sql AS $$SELECT 'rita'::name$$",
    "CREATE FUNCTION pg_temp.sha256(bytea) RETURNS bytea LANGUAGE sql AS $$SELECT '\\x00'::bytea$$",
    "SET search_path = pg_temp, tenure, pg_catalog",
    "SET tenure.project = '1'",
    "SET tenure.is_person = 'true'",
    "SET TimeZone = 'Pacific/Kiritimati'",
    "SET standard_conforming_strings = off",
)


def test_names_that_shadow_those_of_the_functions_help_nobody(team: Team) -> None:
    """Issue 23: functions that act for the owner name everything they use by its schema."""
    with team.sql("robot") as connection:
        for statement in SHADOWS:
            connection.execute(statement)
        connection.execute("SELECT set_config('tenure.project', %s, false)", (str(team.project),))
        said = connection.execute("SELECT tenure.is('reviewer'), tenure.is_person(), tenure.may_keep('effect')")
        assert said.fetchone() == (False, False, False)
        with pytest.raises(psycopg.Error):
            connection.execute("SELECT tenure.erase('m-1', '{}', 'x')")
        seen = connection.execute("SELECT count(*), min(actor), max(actor) FROM tenure.ledger").fetchone()
        assert seen == (3, "mia", "rolf")


def test_an_agent_let_into_one_project_makes_no_other(team: Team) -> None:
    """Issue 23: otherwise it would be inside before the team that wants the name."""
    address = postgres.person("ci", "agent", project=team.name)
    with psycopg.connect(address, autocommit=True) as connection:
        with pytest.raises(psycopg.Error, match="closed to you"):
            connection.execute("SELECT tenure.make_project(%s)", (postgres.project_name(),))
        assert connection.execute("SELECT tenure.make_project(%s)", (team.name,)).fetchone() == (team.project,)


def test_an_agent_does_not_say_which_words_are_common(team: Team) -> None:
    """Issue 23: common words find nothing, so a share of its own would make every memory silent."""
    items = [memory(f"m-{n}", text=f"only{n} says this", trust="user") for n in range(3, 120)]
    revisions = [Revision(memory_id=m.id, events=(born(m),), after=m, expected_version=0) for m in items]
    team.store("mia").commit(revisions, [verdict(m, POLICY) for m in items])
    with team.sql("robot") as connection:
        connection.execute("SELECT tenure.count_words(-1)")
        common = {word for (word,) in connection.execute("SELECT word FROM tenure.common_word")}
    assert common and not any(word.startswith("only") for word in common)


def test_a_quote_under_an_agents_role_is_the_agents_own_word(team: Team, tmp_path: Path) -> None:
    """Issue 23: the database takes no person's word from an agent's role, so it is written as what it is."""
    with tenure.open(f"{team.addresses['robot']}#{team.name}", tmp_path) as workspace:
        made = add.add(workspace.project, workspace.system, "Tests run in pairs", source="user", proved=True)
        assert (made.trust, made.phase) == ("model", "pending")


def recorded(**fields: Any) -> Callable[[list[Any]], None]:
    """Return a change of the record that every row holds."""

    def change(values: list[Any]) -> None:
        rows = msgspec.json.decode(values[6])
        for row in rows:
            row["record"] = msgspec.json.encode({**msgspec.json.decode(row["record"]), **fields}).decode()
        values[6] = msgspec.json.encode(rows).decode()

    return change


@pytest.mark.parametrize(
    "fields",
    [
        {"created_at": "soon"},
        {"used_at": "2026-13-45T14:00:00Z"},
        {"signals": 5},
        {"signals": {"confidence": "high"}},
        {"tags": [1]},
        {"tags": ["other"]},
        {"updated_at": "2031-01-01T00:00:00Z"},
        {"run_mark": 0.5},
        {"unknown": True},
        {"approvals": [{"by": "rita", "at": "2026-04-03T14:00:00Z"}]},
    ],
    ids=str,
)
def test_a_record_that_its_entries_do_not_make_is_refused(team: Team, fields: dict[str, Any]) -> None:
    """Issue 23: it would take a memory that is in use from everybody, and stop every copy."""
    with pytest.raises(TenureError):
        write(lying(team.store("robot"), recorded(**fields)), memory("m-3"))
    with pytest.raises(TenureError):
        become(lying(team.store("robot"), recorded(**fields)), EventType.APPLIED, "m-1", used_at="2026-04-03T14:00:00Z")
    assert [row.memory.id for row in team.store("rita").find()] == ["m-1", "m-2"]
