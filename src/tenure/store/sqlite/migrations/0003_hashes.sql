-- What the ledger does not prove carries a hash of its own, so that a turned bit shows there too.
ALTER TABLE injection ADD COLUMN hash BLOB;
UPDATE injection SET hash = row_hash(at, run, task, agent, query, memories);
ALTER TABLE vector ADD COLUMN hash BLOB;
UPDATE vector SET hash = row_hash(memory, code, related);

-- A batch stands together in the ledger and bears the number of its first entry, so it is found without an index.
DROP INDEX ledger_by_batch;
