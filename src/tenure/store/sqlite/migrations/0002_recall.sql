-- Names (`parse_config`, `src/api/client.py`) and words of related meaning become columns of their own in the index.
DROP TABLE search_words;
DROP TABLE search;
CREATE VIRTUAL TABLE search USING fts5 (
    title, tags, text, content, names, related,
    content = '', contentless_delete = 1, tokenize = "porter unicode61 remove_diacritics 2"
);
INSERT INTO search (search, rank) VALUES ('secure-delete', 1);
CREATE VIRTUAL TABLE search_words USING fts5vocab (search, row);
INSERT INTO search (rowid, title, tags, text, content, names, related)
SELECT
    n,
    record ->> 'title',
    (SELECT group_concat(value, ' ') FROM json_each(record, '$.tags')),
    record ->> 'text',
    (SELECT group_concat(value, ' ') FROM json_tree(record, '$.content') WHERE type = 'text'),
    '',
    ''
FROM memory;
-- Names are cut in Python: the next upkeep makes the index anew.
INSERT INTO meta SELECT 'index_due', 1 WHERE EXISTS (SELECT 1 FROM memory);

-- What a memory means, as the encoder named in `meta` sees it: one signed byte per dimension, and words near it.
CREATE TABLE vector (memory INTEGER PRIMARY KEY, code BLOB NOT NULL, related TEXT NOT NULL);
