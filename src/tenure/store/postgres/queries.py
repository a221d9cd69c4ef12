"""Every statement the team's store sends, under a name. Each names its project, although the database checks that too.

Values are always parameters; `{}` is filled with clauses that stand in this package and with nothing else.
"""

from __future__ import annotations

from tenure.store.sqlite import COLUMNS, EXPOSURE_COLUMNS, FIRE_COLUMNS

# Session and project

WHO = """
    SELECT session_user::text,
        tenure.is('member') OR tenure.is('reviewer') OR tenure.is('admin'),
        tenure.is('reviewer') OR tenure.is('admin'),
        tenure.is('agent') AND NOT tenure.is('member') AND NOT tenure.is('reviewer') AND NOT tenure.is('admin'),
        coalesce((SELECT approvals FROM tenure.project WHERE id = %s),
            (SELECT value::int FROM tenure.general WHERE key = 'approvals'), 1)
"""
FIND_PROJECT = "SELECT tenure.find_project(%s)"
MAKE_PROJECT = "SELECT tenure.make_project(%s)"
ENTER = "SELECT set_config('tenure.project', %s, false)"
HOLD = "SELECT set_config('lock_timeout', '30s', true), tenure.hold()"
NOTE_COMMAND = "INSERT INTO tenure.command (project, key, role) VALUES (%s, %s, session_user)"
COMMAND_DONE = "SELECT key FROM tenure.command WHERE project = %s AND key = %s"
KEY = "SELECT key FROM tenure.project WHERE id = %s"

# Memories

MEMORIES = f"SELECT {COLUMNS} FROM tenure.memory WHERE project = %s {{}}"
AMONG = {"all": "", "present": "AND phase <> 'gone'", "eligible": "AND eligible = 1"}
ABOUT_FILES = "n IN (SELECT n FROM tenure.memory_file WHERE project = %s AND name = ANY (%s))"
IDS = 'SELECT id FROM tenure.memory WHERE project = %s AND id >= %s AND id < %s COLLATE "C" ORDER BY id LIMIT %s'
USED_IDS = "SELECT memory_id FROM tenure.ledger WHERE project = %s AND version = 1 AND memory_id = ANY (%s)"
COUNTS = "SELECT phase, state, kind, count(*) FROM tenure.memory WHERE project = %s GROUP BY 1, 2, 3"
NUMBER_AND_VERSION = "SELECT id, n, version, fingerprint FROM tenure.memory WHERE project = %s AND id = ANY (%s)"
LAST_VERSIONS = """
    SELECT memory_id, max(version) FROM tenure.ledger WHERE project = %s AND memory_id = ANY (%s) GROUP BY 1
"""
LAST_NUMBER = "SELECT last_number FROM tenure.project WHERE id = %s"
_WRITE = """
    (%s::bigint, %s::text[], %s::int[], %s::text[], %s::text[], %s::text[], %s::jsonb, %s::bigint[], %s::text[],
    %s::bigint[], %s::double precision[], %s::int[], %s::bytea[])
"""
WRITE_PLAIN = f"SELECT tenure.write_plain {_WRITE}"
WRITE_JUDGED = f"SELECT tenure.write_judged {_WRITE}"
REFRESH = """
    SELECT tenure.refresh (%s::jsonb, %s::text[], %s::bigint[], %s::double precision[], %s::int[], %s::bytea[])
"""

# Settings and marks

SETTING = "SELECT value FROM tenure.setting WHERE project = %s AND key = %s"
KEEP_SETTING = """
    INSERT INTO tenure.setting VALUES (%s, %s, %s) ON CONFLICT (project, key) DO UPDATE SET value = excluded.value
"""
MAY_KEEP = "SELECT tenure.may_keep(%s)"
DROP_SETTING = "DELETE FROM tenure.setting WHERE project = %s AND key = %s"
ANY_MARK = "SELECT 1 FROM tenure.tombstone WHERE project = %s LIMIT 1"
MARKS = "SELECT mark FROM tenure.tombstone WHERE project = %s AND mark = ANY (%s)"
ALL_MARKS = "SELECT encode(mark, 'hex'), memory_id FROM tenure.tombstone WHERE project = %s ORDER BY mark"
MARKS_WITH_DATES = "SELECT mark, memory_id, at FROM tenure.tombstone WHERE project = %s"

# Search

COMMON = "SELECT word, memories FROM tenure.common_word WHERE project = %s AND word = ANY (%s)"
ALL_COMMON = "SELECT word, memories FROM tenure.common_word WHERE project = %s ORDER BY word"
HOLDING = "SELECT stem, count(*) FROM tenure.posting WHERE project = %s AND stem = ANY (%s) GROUP BY stem"
SIZES = "SELECT indexed, sizes FROM tenure.project WHERE id = %s"
COUNT_WORDS = "SELECT tenure.count_words(%s)"
# BM25 as FTS5 reckons it, field weights inside `freq`; {0} looks among memories.
CANDIDATES = f"""
    WITH asked AS MATERIALIZED (
        SELECT * FROM unnest(%(places)s::int[], %(stems)s::text[], %(ends)s::text[], %(named)s::bool[])
            AS a (place, stem, stop, named)
    ), held AS MATERIALIZED (
        SELECT a.place, p.n, CASE WHEN a.named THEN p.names * %(weight)s ELSE p.freq END AS freq
        FROM asked AS a JOIN tenure.posting AS p
            ON p.project = %(project)s AND p.stem = a.stem COLLATE "C" AND (NOT a.named OR p.names > 0)
        WHERE a.stop IS NULL
        UNION ALL
        SELECT a.place, p.n, sum(CASE WHEN a.named THEN p.names * %(weight)s ELSE p.freq END)
        FROM asked AS a CROSS JOIN LATERAL (
            SELECT q.n, q.freq, q.names FROM tenure.posting AS q
            WHERE q.project = %(project)s AND q.stem >= a.stem COLLATE "C" AND q.stem < a.stop COLLATE "C"
                AND (NOT a.named OR q.names > 0)
        ) AS p
        WHERE a.stop IS NOT NULL
        GROUP BY a.place, p.n
    ), told AS (
        SELECT place, greatest(ln((%(rows)s - count(*) + 0.5) / (count(*) + 0.5)), 0.000001) AS idf
        FROM held GROUP BY place
    )
    SELECT {", ".join(f"m.{column}" for column in COLUMNS.split(", "))}, m.sizes
    FROM held JOIN told USING (place) JOIN tenure.memory AS m ON m.project = %(project)s AND m.n = held.n {{}}
    GROUP BY m.project, m.n
    ORDER BY sum(told.idf * held.freq * 2.2
        / (held.freq + 1.2 * (0.25 + 0.75 * (SELECT sum(s) FROM unnest(m.sizes) AS s) / %(average)s))) DESC, m.n
    LIMIT %(limit)s
"""
CANDIDATES_AMONG = {"all": "", "present": "WHERE m.phase <> 'gone'", "eligible": "WHERE m.eligible = 1"}
PLACES = "SELECT stem, n, places FROM tenure.posting WHERE project = %s AND stem = ANY (%s) AND n = ANY (%s)"
PLACES_FROM = """
    SELECT stem, n, places FROM tenure.posting
    WHERE project = %s AND stem >= %s AND stem < %s COLLATE "C" AND n = ANY (%s)
"""
LIKE = """
    SELECT held.n, held.times, m.sizes[1] + m.sizes[3] FROM (
        SELECT n, count(*) AS times FROM tenure.posting WHERE project = %(project)s AND stem = ANY (%(stems)s)
        GROUP BY n ORDER BY 2 DESC, 1 DESC LIMIT %(most)s
    ) AS held JOIN tenure.memory AS m ON m.project = %(project)s AND m.n = held.n
"""

# Ledger

_ENTRY = "SELECT seq, version, payload, memory_id, type, at, actor FROM tenure.ledger WHERE project = %s"
HISTORY = f"{_ENTRY} AND memory_id = %s ORDER BY version"
ENTRIES = f"{_ENTRY} {{}} ORDER BY seq DESC LIMIT %s"
BATCH = f"""{_ENTRY} AND seq >= %s AND batch = %s AND seq < coalesce(
    (SELECT min(seq) FROM tenure.ledger WHERE project = %s AND seq > %s AND batch <> %s), 9223372036854775807)
    ORDER BY seq
"""
NEWEST_BATCH = "SELECT batch FROM tenure.ledger WHERE project = %s AND seq <= %s ORDER BY seq DESC LIMIT 1"
PROOF = """
    SELECT l.payload, l.digest, e.chain, l.chain, l.seq, l.batch, l.memory_id, l.version, l.type, l.at, l.actor
    FROM tenure.ledger AS l LEFT JOIN tenure.ledger AS e ON e.project = l.project AND e.seq = l.seq - 1
    WHERE l.project = %s AND l.memory_id = %s ORDER BY l.version
"""
CHANNEL = "SELECT tenure.channel(key) FROM tenure.project WHERE id = %s"
PROJECT_FIGURES = """
    SELECT p.name, p.head_seq, p.indexed, p.approvals,
        (SELECT count(*) FROM tenure.memory AS m WHERE m.project = p.id AND m.eligible = 1),
        (SELECT count(*) FROM tenure.memory AS m WHERE m.project = p.id AND m.phase = 'pending'),
        (SELECT count(*) FROM tenure.command AS c WHERE c.project = p.id),
        (SELECT count(*) FROM tenure.tombstone AS t WHERE t.project = p.id)
    FROM tenure.project AS p WHERE p.id = %s
"""
NOTE_COPY = """
    INSERT INTO tenure.replica VALUES (%s, %s, session_user, %s, now())
    ON CONFLICT (project, name) DO UPDATE SET role = excluded.role, seq = excluded.seq, at = excluded.at
"""
COPIES = "SELECT name, role::text, seq, at FROM tenure.replica WHERE project = %s ORDER BY name"
WHOLE_LEDGER = """
    SELECT seq, batch, memory_id, version, type, at, actor, payload, digest, chain FROM tenure.ledger
    WHERE project = %s AND seq > %s ORDER BY seq
"""
LEDGER_BY_MEMORY = """
    SELECT memory_id, version, type, payload FROM tenure.ledger
    WHERE project = %s AND (%s::text[] IS NULL OR memory_id = ANY (%s::text[])) ORDER BY memory_id, version
"""
ERASED_AFTER = """
    SELECT 1 FROM tenure.ledger
    WHERE project = %s AND memory_id = %s AND version > %s AND type IN ('Purged', 'Forgotten') LIMIT 1
"""
FORGETTING = "SELECT memory_id, at, payload FROM tenure.ledger WHERE project = %s AND type = 'Forgotten' ORDER BY seq"
HEAD = "SELECT head_seq, head FROM tenure.project WHERE id = %s"
LAST_ENTRY = "SELECT seq, encode(chain, 'hex') FROM tenure.ledger WHERE project = %s ORDER BY seq DESC LIMIT 1"
CHAIN_OF = "SELECT encode(chain, 'hex') FROM tenure.ledger WHERE project = %s AND seq = %s"
# An answer is what only people write; what takes a memory out of use answers too, so only those in use are looked at.
REPORTS = """
    SELECT DISTINCT ON (l.memory_id) l.memory_id, l.actor, l.payload FROM tenure.ledger AS l
    JOIN tenure.memory AS m ON m.project = l.project AND m.id = l.memory_id AND m.phase = 'live'
    WHERE l.project = %s AND l.type = 'Applied' AND tenure.reports_harm(l.payload) AND NOT EXISTS (
        SELECT FROM tenure.ledger AS d WHERE d.project = l.project AND d.memory_id = l.memory_id
            AND d.version > l.version AND d.type IN ('Reviewed', 'Kept', 'Reinstated', 'Weakened', 'Restored'))
    ORDER BY l.memory_id, l.version DESC LIMIT %s
"""
COUNT_DUE = "SELECT count(*) FROM tenure.memory WHERE project = %s AND phase = 'live' AND due_at < %s"
WEEKLY = """
    SELECT to_char(date_trunc('week', at::timestamptz AT TIME ZONE 'UTC'), 'YYYY-MM-DD'), type,
        coalesce(payload::jsonb #>> '{event,before,phase}', ''), coalesce(payload::jsonb #>> '{event,set,phase}', ''),
        count(*)
    FROM tenure.ledger WHERE project = %s AND at >= %s GROUP BY 1, 2, 3, 4
"""
UNVERIFIED = """
    SELECT 1 << ceil(log(2, greatest(1, extract(epoch FROM %s::timestamptz - since) / 86400)::numeric))::int, count(*)
    FROM (
        SELECT (record::jsonb ->> 'verified_at')::timestamptz AS since
        FROM tenure.memory WHERE project = %s AND phase = 'live'
    ) AS seen
    WHERE since IS NOT NULL
    GROUP BY 1 ORDER BY 1
"""

# Activity

RUNS = "SELECT coalesce(max(n), 0) FROM tenure.run WHERE project = %s"
RECORD_RUN = """
    INSERT INTO tenure.run SELECT %(project)s, coalesce(max(n), 0) + 1, %(run)s, %(at)s FROM tenure.run
    WHERE project = %(project)s ON CONFLICT (project, id) DO NOTHING
"""
RECORD_INJECTION = """
    INSERT INTO tenure.injection SELECT %(project)s, coalesce(max(n), 0) + 1, %(at)s, %(run)s, %(task)s, %(agent)s,
        %(query)s, %(memories)s, %(hash)s
    FROM tenure.injection WHERE project = %(project)s
"""
INJECTIONS = """
    SELECT n, at, run, task, agent, query, memories FROM tenure.injection WHERE project = %s {}
    ORDER BY n DESC LIMIT %s
"""
HOLDS_NOTE = "AND memories::jsonb @> jsonb_build_array(jsonb_build_object('id', %s::text))"
INJECTION = """
    SELECT n, at, run, task, agent, query, memories, hash FROM tenure.injection WHERE project = %s AND {}
    ORDER BY n DESC LIMIT 1
"""
BLANK_INJECTION = "UPDATE tenure.injection SET query = '', memories = %s, hash = %s WHERE project = %s AND n = %s"
REWORD = "UPDATE tenure.injection SET query = %s, task = %s, hash = %s WHERE project = %s AND n = %s"
ALL_INJECTIONS = """
    SELECT n, at, run, task, agent, query, memories, hash FROM tenure.injection WHERE project = %s ORDER BY n
"""
COSTS = """
    SELECT run, agent, shown ->> 'id', sum((shown ->> 'chars')::bigint) FROM tenure.injection,
        jsonb_array_elements(memories::jsonb) AS shown
    WHERE project = %s AND (shown ->> 'chars')::bigint > 0 GROUP BY 1, 2, 3
"""

# Effects

_EXPOSURE = ", ".join(EXPOSURE_COLUMNS)
EXPOSE = f"""
    INSERT INTO tenure.exposure (project, {_EXPOSURE}, hash)
    VALUES (%s, {", ".join(["%s"] * len(EXPOSURE_COLUMNS))}, %s) ON CONFLICT DO NOTHING
"""
EXPOSURES = f"SELECT n, {_EXPOSURE}, hash FROM tenure.exposure WHERE project = %s {{}} ORDER BY n"
SETTLE = """
    UPDATE tenure.exposure SET crossed = %s, own = %s, hash = %s WHERE project = %s AND session = %s AND memory = %s
"""
CONCLUDE = (
    "INSERT INTO tenure.outcome (project, {0}, hash) VALUES ({1}) ON CONFLICT (project, session) DO UPDATE SET {2}"
)
OUTCOMES = "SELECT n, {}, hash FROM tenure.outcome WHERE project = %s {} ORDER BY n DESC LIMIT %s"
KNOWN_TO_THE_COIN = """
    SELECT (SELECT key FROM tenure.project WHERE id = %(project)s),
        (SELECT shown FROM tenure.exposure
            WHERE project = %(project)s AND session = %(session)s AND memory = '(block)'),
        id,
        CASE WHEN record::jsonb #>> '{guard,state}' = 'on'
            AND coalesce(record::jsonb #>> '{guard,level}', 'count') <> 'count' THEN 'guard' ELSE kind END,
        state, (coalesce(record::jsonb ->> 'trust', '') = 'user')::int,
        EXISTS (SELECT FROM jsonb_array_elements_text(coalesce(record::jsonb -> 'tags', '[]')) AS tag
            WHERE lower(tag) = 'security')::int,
        (SELECT count(*) FROM tenure.exposure AS e WHERE e.project = %(project)s AND e.memory = m.id),
        (SELECT e.shown FROM tenure.exposure AS e
            WHERE e.project = %(project)s AND e.session = %(session)s AND e.memory = m.id)
    FROM tenure.memory AS m WHERE project = %(project)s AND id = ANY (%(ids)s) ORDER BY n
"""

# Guards

_FIRE = ", ".join(FIRE_COLUMNS)
FIRES = f"SELECT n, {_FIRE}, hash FROM tenure.guard_fire WHERE project = %s {{}} ORDER BY n"
FIRE = f"SELECT {_FIRE} FROM tenure.guard_fire WHERE project = %s AND n = %s"
NOTE_FIRE = f"""
    INSERT INTO tenure.guard_fire (project, {_FIRE}, hash) VALUES (%s, {", ".join(["%s"] * len(FIRE_COLUMNS))}, %s)
"""
JUDGE_FIRE = "UPDATE tenure.guard_fire SET verdict = %s, hash = %s WHERE project = %s AND n = %s"
GUARDS_OF = "SELECT tool, needles, until FROM tenure.guard WHERE project = %s AND n = %s ORDER BY tool"

# Vectors

VECTORS = """
    SELECT v.n, v.code FROM tenure.vector AS v JOIN tenure.memory AS m ON m.project = v.project AND m.n = v.n
    WHERE v.project = %s {} ORDER BY v.n
"""
VECTORS_AMONG = {"all": "", "present": "AND m.phase <> 'gone'", "eligible": "AND m.eligible = 1"}
SOME_VECTORS = "SELECT n, code FROM tenure.vector WHERE project = %s AND n = ANY (%s)"
RELATED = "SELECT n, related FROM tenure.vector WHERE project = %s AND n = ANY (%s)"
MISSING = """
    AND phase <> 'gone' AND n > %s
    AND NOT EXISTS (SELECT FROM tenure.vector AS v WHERE v.project = memory.project AND v.n = memory.n)
    ORDER BY n LIMIT %s
"""
COUNT_MISSING = """
    SELECT count(*) FROM tenure.memory AS m WHERE project = %s AND phase <> 'gone'
    AND NOT EXISTS (SELECT FROM tenure.vector AS v WHERE v.project = m.project AND v.n = m.n)
"""
COUNT_PRESENT = "SELECT count(*) FROM tenure.memory WHERE project = %s AND phase <> 'gone'"
KEEP_VECTOR = """
    INSERT INTO tenure.vector VALUES (%s, %s, %s, %s, %s)
    ON CONFLICT (project, n) DO UPDATE SET code = excluded.code, related = excluded.related, hash = excluded.hash
"""
DROP_VECTORS = "DELETE FROM tenure.vector WHERE project = %s AND n = ANY (%s)"
DROP_ALL_VECTORS = "DELETE FROM tenure.vector WHERE project = %s"
VERDICT_OF = """
    SELECT due_at, fingerprint, contested, free, said, place, since, rules FROM tenure.memory
    WHERE project = %s AND n = %s
"""
ALL_VECTORS = "SELECT n, code, related, hash FROM tenure.vector WHERE project = %s ORDER BY n"

# Queue

PLACED_BY_OTHERS = "SELECT 1 FROM tenure.memory WHERE project = %s AND rules <> %s LIMIT 1"
PLACES_IN_QUEUE = (
    "SELECT n, contested, free, place, since, rules FROM tenure.memory WHERE project = %s AND rules IS NOT NULL"
)
_WAITS = "FROM tenure.memory WHERE project = %s AND contested = 0 AND place > '' AND since < %s"
QUEUE = f"SELECT free, said, place, n {_WAITS} ORDER BY free, said, place, n"
QUEUE_TOTAL = f"SELECT count(*) {_WAITS}"
MOVE_QUOTED = "SELECT tenure.move_quoted(%s)"

# Health

ERASE = "SELECT tenure.erase(%s, %s::bytea[], %s)"
ALL_ROWS = f"SELECT {COLUMNS}, sizes, stems FROM tenure.memory WHERE project = %s ORDER BY id"
FILES_OF = "SELECT name FROM tenure.memory_file WHERE project = %s AND n = %s ORDER BY name"
POSTINGS_OF = "SELECT stem, freq, names, places FROM tenure.posting WHERE project = %s AND stem = ANY (%s) AND n = %s"
COUNT_POSTINGS = "SELECT count(*) FROM tenure.posting WHERE project = %s"
COUNT_STEMS = "SELECT coalesce(sum(cardinality(stems)), 0) FROM tenure.memory WHERE project = %s"
