-- Everything belongs to `tenure_owner`, who cannot log in and cannot pass by a policy. Texts compare by bytes, so that
-- order is the same on every server.

-- One row per project: its key, the end of its ledger, and how long its indexed texts are together.
CREATE TABLE tenure.project (
    id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    name text COLLATE "C" NOT NULL UNIQUE CHECK (name <> '' AND length(name) <= 200),
    key bytea NOT NULL,
    head_seq bigint NOT NULL DEFAULT 0,
    head bytea NOT NULL DEFAULT decode(repeat('00', 32), 'hex'),
    last_number bigint NOT NULL DEFAULT 0,
    indexed bigint NOT NULL DEFAULT 0,
    sizes bigint[] NOT NULL DEFAULT '{0,0,0,0,0,0}',
    -- How many others must agree before a memory is used; 0 lets members decide alone.
    approvals int NOT NULL DEFAULT 1 CHECK (approvals BETWEEN 0 AND 9),
    made_at timestamptz NOT NULL DEFAULT now()
);

-- Who may reach which project; no project means all of them. What a role may do there, its groups say.
CREATE TABLE tenure.access (
    grantee name NOT NULL,
    project bigint REFERENCES tenure.project (id) ON DELETE CASCADE,
    UNIQUE NULLS NOT DISTINCT (grantee, project)
);
-- What a reviewer may decide about; one without an entry decides about everything.
CREATE TABLE tenure.reviewer_domain (
    grantee name NOT NULL,
    domain text COLLATE "C" NOT NULL,
    PRIMARY KEY (grantee, domain)
);
-- What holds for the whole database, as how many must agree in a project made from now on.
CREATE TABLE tenure.general (key text PRIMARY KEY, value text NOT NULL);

CREATE TABLE tenure.memory (
    project bigint NOT NULL,
    n bigint NOT NULL,
    id text COLLATE "C" NOT NULL,
    version int NOT NULL,
    kind text COLLATE "C" NOT NULL,
    state text COLLATE "C" NOT NULL,
    phase text COLLATE "C" NOT NULL,
    eligible smallint NOT NULL,
    weight int NOT NULL,
    line text NOT NULL,
    due_at text COLLATE "C",
    fingerprint bigint NOT NULL,
    record text NOT NULL,
    hash bytea NOT NULL,
    -- What the index holds of it: how many words in each field, and which ones.
    sizes int[] NOT NULL,
    stems text[] NOT NULL,
    -- Its place among what waits for a person, as the SQLite store keeps it in a table; NULL for what is gone.
    contested smallint,
    free smallint,
    said smallint,
    place text COLLATE "C",
    since text COLLATE "C",
    rules bigint,
    PRIMARY KEY (project, n),
    UNIQUE (project, id),
    CHECK (eligible = 0 OR phase = 'live')
) PARTITION BY HASH (project);
CREATE INDEX memory_by_phase ON tenure.memory (project, phase, state, kind);
CREATE INDEX memory_by_weight ON tenure.memory (project, weight DESC, n) WHERE eligible = 1;
CREATE INDEX memory_by_due ON tenure.memory (project, due_at) WHERE due_at IS NOT NULL;
CREATE INDEX memory_in_queue ON tenure.memory (project, contested, free, said, place) WHERE place > '';
CREATE INDEX memory_by_fingerprint ON tenure.memory (project, fingerprint);

-- Which memory holds which stem: how often, weighed by field; how often among the names; and where.
CREATE TABLE tenure.posting (
    project bigint NOT NULL,
    stem text COLLATE "C" NOT NULL,
    n bigint NOT NULL,
    freq double precision NOT NULL,
    names int NOT NULL,
    places bytea NOT NULL,
    PRIMARY KEY (project, stem, n)
) PARTITION BY HASH (project);
CREATE TABLE tenure.common_word (
    project bigint NOT NULL,
    word text COLLATE "C" NOT NULL,
    memories bigint NOT NULL,
    PRIMARY KEY (project, word)
);

CREATE TABLE tenure.memory_file (
    project bigint NOT NULL,
    name text COLLATE "C" NOT NULL,
    n bigint NOT NULL,
    PRIMARY KEY (project, name, n)
) PARTITION BY HASH (project);
CREATE INDEX memory_file_by_memory ON tenure.memory_file (project, n);
CREATE TABLE tenure.guard (
    project bigint NOT NULL,
    n bigint NOT NULL,
    tool text COLLATE "C" NOT NULL,
    needles text NOT NULL,
    until text NOT NULL,
    PRIMARY KEY (project, n, tool)
);

CREATE TABLE tenure.ledger (
    project bigint NOT NULL,
    seq bigint NOT NULL,
    batch bigint NOT NULL,
    memory_id text COLLATE "C" NOT NULL,
    version int NOT NULL,
    type text COLLATE "C" NOT NULL,
    at text COLLATE "C" NOT NULL,
    actor text COLLATE "C" NOT NULL,
    payload text,
    digest bytea NOT NULL,
    chain bytea NOT NULL,
    PRIMARY KEY (project, seq),
    UNIQUE (project, memory_id, version)
) PARTITION BY HASH (project);

-- Every command under its key: sent again after a lost connection, it counts once.
CREATE TABLE tenure.command (
    project bigint NOT NULL,
    key text COLLATE "C" NOT NULL,
    role name NOT NULL,
    batch bigint,
    at timestamptz NOT NULL DEFAULT now(),
    answer text NOT NULL DEFAULT '',
    PRIMARY KEY (project, key)
) PARTITION BY HASH (project);

CREATE TABLE tenure.injection (
    project bigint NOT NULL,
    n bigint NOT NULL,
    at text NOT NULL,
    run text NOT NULL,
    task text NOT NULL,
    agent text NOT NULL,
    query text NOT NULL,
    memories text NOT NULL,
    hash bytea NOT NULL,
    PRIMARY KEY (project, n)
) PARTITION BY HASH (project);
CREATE TABLE tenure.run (
    project bigint NOT NULL,
    n bigint NOT NULL,
    id text COLLATE "C" NOT NULL,
    at text NOT NULL,
    PRIMARY KEY (project, n),
    UNIQUE (project, id)
);
CREATE TABLE tenure.exposure (
    project bigint NOT NULL,
    n bigint GENERATED ALWAYS AS IDENTITY,
    session text COLLATE "C" NOT NULL,
    memory text COLLATE "C" NOT NULL,
    at text NOT NULL,
    shown int NOT NULL,
    share double precision NOT NULL,
    surface text NOT NULL,
    host text NOT NULL,
    kind text NOT NULL,
    crossed int NOT NULL DEFAULT 0,
    own int,
    hash bytea NOT NULL,
    PRIMARY KEY (project, session, memory)
);
CREATE INDEX exposure_by_memory ON tenure.exposure (project, memory);
CREATE TABLE tenure.outcome (
    project bigint NOT NULL,
    n bigint GENERATED ALWAYS AS IDENTITY,
    session text COLLATE "C" NOT NULL,
    at text NOT NULL,
    host text NOT NULL,
    model text,
    corrections int,
    interruptions int,
    failed_commands int,
    same_errors int,
    edits_taken_back int,
    ended_red int,
    violations int,
    turns int,
    tokens bigint,
    cached_tokens bigint,
    seconds bigint,
    trouble_at text,
    errors text NOT NULL,
    hash bytea NOT NULL,
    PRIMARY KEY (project, session)
);
CREATE TABLE tenure.guard_fire (
    project bigint NOT NULL,
    n bigint GENERATED ALWAYS AS IDENTITY,
    at text NOT NULL,
    memory text COLLATE "C" NOT NULL,
    session text NOT NULL,
    host text NOT NULL,
    outcome text NOT NULL,
    about text NOT NULL,
    call text NOT NULL,
    verdict text NOT NULL,
    hash bytea NOT NULL,
    PRIMARY KEY (project, n)
);
CREATE TABLE tenure.tombstone (
    project bigint NOT NULL,
    mark bytea NOT NULL,
    memory_id text COLLATE "C" NOT NULL,
    at text NOT NULL,
    PRIMARY KEY (project, mark)
);
CREATE TABLE tenure.vector (
    project bigint NOT NULL,
    n bigint NOT NULL,
    code bytea NOT NULL,
    related text NOT NULL,
    hash bytea NOT NULL,
    PRIMARY KEY (project, n)
);
CREATE TABLE tenure.setting (
    project bigint NOT NULL,
    key text COLLATE "C" NOT NULL,
    value text NOT NULL,
    PRIMARY KEY (project, key)
);
-- How far each copy on somebody's machine has pulled.
CREATE TABLE tenure.replica (
    project bigint NOT NULL,
    name text COLLATE "C" NOT NULL,
    role name NOT NULL,
    seq bigint NOT NULL,
    at timestamptz NOT NULL,
    PRIMARY KEY (project, name)
);

DO $$
DECLARE
    parent text;
BEGIN
    FOREACH parent IN ARRAY ARRAY['memory', 'posting', 'memory_file', 'ledger', 'command', 'injection'] LOOP
        FOR part IN 0..15 LOOP
            EXECUTE format('CREATE TABLE tenure.%I PARTITION OF tenure.%I FOR VALUES WITH (MODULUS 16, REMAINDER %s)',
                parent || '_' || part, parent, part);
        END LOOP;
    END LOOP;
END $$;
