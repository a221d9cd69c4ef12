-- The weightiest of a kind, newest first: a session begins with them.
CREATE INDEX memory_by_kind ON memory (kind, weight, n) WHERE eligible = 1;
