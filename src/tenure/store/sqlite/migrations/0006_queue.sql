-- What a person may have to decide on, in the order in which a verdict is worth most. Follows from the rows: one row for
-- each memory that is not gone.
CREATE TABLE queue (
    memory INTEGER PRIMARY KEY,
    -- 1 when it contradicts others: whether that still counts depends on them.
    contested INTEGER NOT NULL,
    -- 0 when nothing goes on without a verdict, else 1.
    free INTEGER NOT NULL,
    -- Whose words they are: 0 a person's own, then each class of trust.
    said INTEGER NOT NULL,
    -- What orders the rest; empty when nobody has to decide.
    place TEXT NOT NULL,
    -- From when on somebody has to decide; empty: always.
    since TEXT NOT NULL,
    -- Which rules said so; 0 before any were asked.
    rules INTEGER NOT NULL
);
CREATE INDEX queue_in_order ON queue (contested, free, said, place, since, rules);
INSERT INTO queue SELECT n, 0, 1, 9, '', '', 0 FROM memory WHERE phase != 'gone';
