-- A memory that would be shown in a session, the first time: shown, or held back by a coin. One row, whatever follows.
CREATE TABLE exposure (
    n INTEGER PRIMARY KEY,
    session TEXT NOT NULL,
    memory TEXT NOT NULL,
    at TEXT NOT NULL,
    -- 1 shown, 0 held back.
    shown INTEGER NOT NULL,
    -- How likely it was held back at that moment.
    share REAL NOT NULL,
    -- prompt, tool, start or mcp.
    surface TEXT NOT NULL,
    host TEXT NOT NULL,
    kind TEXT NOT NULL,
    -- 1 when it was held back and reached the agent another way.
    crossed INTEGER NOT NULL DEFAULT 0,
    -- What came of the signal the memory owns: 1 trouble, 0 none, NULL when it owns none.
    own INTEGER,
    hash BLOB NOT NULL,
    UNIQUE (session, memory)
);
CREATE INDEX exposure_by_memory ON exposure (memory);

-- What came of a session, written once when it is over. NULL is unknown, never 0.
CREATE TABLE outcome (
    n INTEGER PRIMARY KEY,
    session TEXT NOT NULL UNIQUE,
    at TEXT NOT NULL,
    host TEXT NOT NULL,
    model TEXT,
    corrections INTEGER,
    interruptions INTEGER,
    failed_commands INTEGER,
    same_errors INTEGER,
    edits_taken_back INTEGER,
    -- 1 when the last test or build failed.
    ended_red INTEGER,
    violations INTEGER,
    turns INTEGER,
    tokens INTEGER,
    cached_tokens INTEGER,
    seconds INTEGER,
    -- When trouble came last: what came before a memory's exposure is none of its doing.
    trouble_at TEXT,
    -- Hashes of the errors, by which the same one is known in a later session.
    errors TEXT NOT NULL,
    hash BLOB NOT NULL
);
