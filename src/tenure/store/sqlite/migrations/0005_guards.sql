-- Guards that are switched on, by the kind of tool call they look at. Follows from the rows.
CREATE TABLE guard (
    memory INTEGER NOT NULL,
    -- run, edit or read.
    tool TEXT NOT NULL,
    -- Texts of which one must stand in a call for the guard to be worth a look; empty when any call is.
    needles TEXT NOT NULL,
    until TEXT NOT NULL,
    PRIMARY KEY (tool, memory)
) WITHOUT ROWID;
CREATE INDEX guard_by_memory ON guard (memory);

-- What came of a guard at a call, and what a person said of it or allowed. None of a call's own words.
CREATE TABLE guard_fire (
    n INTEGER PRIMARY KEY,
    at TEXT NOT NULL,
    memory TEXT NOT NULL,
    session TEXT NOT NULL,
    host TEXT NOT NULL,
    -- counted, reminded, slowed, asked, denied, passed, or a person's allow-once, allow-session.
    outcome TEXT NOT NULL,
    -- The command in the guard's own words, or the path.
    about TEXT NOT NULL,
    -- By this the same call is known again.
    call TEXT NOT NULL,
    -- right, wrong, or empty until a person says so.
    verdict TEXT NOT NULL,
    hash BLOB NOT NULL
);
CREATE INDEX guard_fire_by_memory ON guard_fire (memory, session);
