-- What is known now, one row per memory. `record` is the whole memory; the other columns are what queries need.
CREATE TABLE memory (
    n INTEGER PRIMARY KEY,
    id TEXT NOT NULL UNIQUE,
    version INTEGER NOT NULL,
    kind TEXT NOT NULL,
    state TEXT NOT NULL,
    phase TEXT NOT NULL,
    -- The policy's verdict, decided when writing, so that hooks need no policy.
    eligible INTEGER NOT NULL,
    weight INTEGER NOT NULL,
    line TEXT NOT NULL,
    due_at TEXT,
    -- Equal for texts of one kind that differ only in form.
    fingerprint INTEGER NOT NULL,
    record TEXT NOT NULL,
    -- Over all columns above: a row altered behind our back is noticed before it is served.
    hash BLOB NOT NULL
);
CREATE INDEX memory_by_phase ON memory (phase, state, kind);
CREATE INDEX memory_by_weight ON memory (weight DESC, n) WHERE eligible = 1;
CREATE INDEX memory_by_due ON memory (due_at) WHERE due_at IS NOT NULL;
CREATE INDEX memory_by_fingerprint ON memory (fingerprint);

-- Contentless: the text itself stands once, in `memory.record`.
CREATE VIRTUAL TABLE search USING fts5 (
    title, tags, text, content,
    content = '', contentless_delete = 1, tokenize = "porter unicode61 remove_diacritics 2"
);
CREATE VIRTUAL TABLE search_words USING fts5vocab (search, row);

-- The files a memory is about, by their names and folders.
CREATE TABLE memory_file (memory INTEGER NOT NULL, name TEXT NOT NULL, PRIMARY KEY (name, memory)) WITHOUT ROWID;
CREATE INDEX memory_file_by_memory ON memory_file (memory);

-- Words found in so many memories that they say nothing; refreshed as the store doubles.
CREATE TABLE common_word (word TEXT PRIMARY KEY, memories INTEGER NOT NULL) WITHOUT ROWID;

-- What happened, in order, each entry chained to the one before. `payload` is NULL once it was erased.
CREATE TABLE ledger (
    seq INTEGER PRIMARY KEY,
    batch INTEGER NOT NULL,
    memory_id TEXT NOT NULL,
    version INTEGER NOT NULL,
    type TEXT NOT NULL,
    at TEXT NOT NULL,
    actor TEXT NOT NULL,
    payload TEXT,
    digest BLOB NOT NULL,
    chain BLOB NOT NULL
);
CREATE UNIQUE INDEX ledger_by_memory ON ledger (memory_id, version);
CREATE INDEX ledger_by_batch ON ledger (batch);

-- What was shown to an agent. High volume, so not part of the ledger.
CREATE TABLE injection (
    n INTEGER PRIMARY KEY,
    at TEXT NOT NULL,
    run TEXT NOT NULL,
    task TEXT NOT NULL,
    agent TEXT NOT NULL,
    query TEXT NOT NULL,
    memories TEXT NOT NULL
);
CREATE TABLE run (n INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE, at TEXT NOT NULL);

-- Keyed hashes of what was forgotten: they block its return and reveal nothing.
CREATE TABLE tombstone (mark BLOB PRIMARY KEY, memory_id TEXT NOT NULL, at TEXT NOT NULL) WITHOUT ROWID;

-- The files of a dialect as they were last seen: an edit behind our back shows as another fingerprint.
CREATE TABLE file (path TEXT PRIMARY KEY, fingerprint TEXT NOT NULL, memories TEXT NOT NULL) WITHOUT ROWID;

CREATE TABLE meta (key TEXT PRIMARY KEY, value) WITHOUT ROWID;
