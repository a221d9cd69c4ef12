-- Who follows a project hears of it on a channel whose name only its readers can reckon: PostgreSQL lets everybody
-- listen everywhere.
CREATE FUNCTION tenure.channel(key bytea) RETURNS text
LANGUAGE sql IMMUTABLE SET search_path = pg_catalog, pg_temp AS $$
    SELECT 'tenure_' || left(encode(sha256(key || convert_to('channel', 'UTF8')), 'hex'), 40)
$$;
REVOKE ALL ON FUNCTION tenure.channel(bytea) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION tenure.channel(bytea)
TO tenure_reader, tenure_agent, tenure_member, tenure_reviewer, tenure_admin, tenure_owner;

-- Writes entries, then what the memories are now. Rows are objects with the columns of `memory`, its files and guards.
CREATE OR REPLACE FUNCTION tenure.write(
    judging boolean, refreshing boolean, joined bigint, ids text[], versions int[], types text[], ats text[], payloads text[],
    rows jsonb, gone bigint[], stems text[], numbers bigint[], freqs double precision[], named int[], places bytea[]
) RETURNS bigint
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    here bigint := tenure.here();
    kept tenure.project;
    entry bigint;
    tip bytea;
    summary bytea;
    event jsonb;
    -- Id -> what its entries make of it.
    cores jsonb := '{}';
    found record;
    old tenure.memory;
    is_new boolean;
    added bigint[];
    reason text;
    plain constant text[] := ARRAY['Created', 'Imported', 'Edited', 'Evidenced', 'Applied', 'Faded', 'Unseen',
        'Conflicted', 'Verified', 'Succeeded'];
    births constant text[] := ARRAY['Created', 'Imported'];
    deaths constant text[] := ARRAY['Purged', 'Forgotten', 'Lost'];
    contributes constant text[] := plain || ARRAY['Held', 'Decayed'];
BEGIN
    IF here IS NULL THEN
        RAISE EXCEPTION 'This project is closed to you.' USING ERRCODE = 'TN003';
    END IF;
    PERFORM tenure.hold();
    SELECT * INTO kept FROM tenure.project WHERE id = here FOR UPDATE;
    entry := kept.head_seq;
    tip := kept.head;
    joined := coalesce(joined, entry + 1);
    FOR i IN 1..coalesce(array_length(ids, 1), 0) LOOP
        event := payloads[i]::jsonb -> 'event';
        IF event ->> 'actor' IS DISTINCT FROM session_user::text OR event ->> 'type' IS DISTINCT FROM types[i]
            OR event ->> 'memory_id' IS DISTINCT FROM ids[i]
        THEN
            RAISE EXCEPTION 'An entry names somebody or something else than it is.' USING ERRCODE = 'TN003';
        END IF;
        IF NOT judging AND types[i] <> ALL (plain) OR judging AND kept.approvals > 0 AND types[i] <> ALL (contributes)
            AND NOT tenure.is('reviewer') AND NOT tenure.is('admin')
        THEN
            RAISE EXCEPTION '% may not write % into the ledger.', session_user, types[i] USING ERRCODE = 'TN003';
        END IF;
        IF NOT judging AND (event -> 'set' ?| ARRAY['approvals', 'guard'] AND types[i] <> ALL (births)
            OR event -> 'add' ?| ARRAY['approvals', 'guard'])
        THEN
            RAISE EXCEPTION '% may not say who agreed.', session_user USING ERRCODE = 'TN003';
        END IF;
        IF NOT cores ? ids[i] THEN
            cores := cores || jsonb_build_object(ids[i], coalesce((SELECT tenure.core(m.record::jsonb)
                FROM tenure.memory AS m WHERE m.project = here AND m.id = ids[i]), '{}'));
        END IF;
        cores := cores || jsonb_build_object(ids[i], CASE
            WHEN types[i] = ANY (deaths) THEN 'null'
            WHEN types[i] = ANY (births) THEN tenure.core(event -> 'set')
            ELSE tenure.core((cores -> ids[i]) || coalesce(event -> 'set', '{}')) END);
        IF versions[i] <> 1 + coalesce(
            (SELECT max(l.version) FROM tenure.ledger AS l WHERE l.project = here AND l.memory_id = ids[i]), 0)
        THEN
            RAISE EXCEPTION '% is not at version %: somebody wrote first.', ids[i], versions[i] - 1
                USING ERRCODE = 'TN004';
        END IF;
        entry := entry + 1;
        summary := sha256(convert_to(payloads[i], 'UTF8'));
        tip := tenure.link(tip, entry, joined, ids[i], versions[i], types[i], ats[i], session_user, summary);
        INSERT INTO tenure.ledger VALUES (here, entry, joined, ids[i], versions[i], types[i], ats[i], session_user,
            payloads[i], summary, tip);
    END LOOP;

    added := kept.sizes;
    FOR found IN SELECT * FROM jsonb_to_recordset(rows) AS r (
        n bigint, id text, version int, kind text, state text, phase text, eligible smallint, weight int, line text,
        due_at text, fingerprint bigint, record text, hash text, sizes int[], stems text[], queued jsonb, files text[], guards jsonb
    ) LOOP
        SELECT * INTO old FROM tenure.memory AS m WHERE m.project = here AND m.n = found.n;
        is_new := old.n IS NULL;
        IF NOT refreshing AND (found.id <> ALL (ids) OR found.version <> (SELECT max(l.version) FROM tenure.ledger AS l
            WHERE l.project = here AND l.memory_id = found.id))
            OR refreshing AND (is_new OR old.id <> found.id OR old.record <> found.record OR old.version <> found.version)
        THEN
            RAISE EXCEPTION '% does not follow from the ledger.', found.id USING ERRCODE = 'TN003';
        END IF;
        IF (found.record::jsonb ->> 'phase', found.record::jsonb ->> 'state', found.record::jsonb ->> 'kind', found.record::jsonb ->> 'id')
            IS DISTINCT FROM (found.phase, found.state, found.kind, found.id)
        THEN
            RAISE EXCEPTION 'The columns of % are not those of its record.', found.id USING ERRCODE = 'TN003';
        END IF;
        IF NOT refreshing AND cores -> found.id IS DISTINCT FROM tenure.core(found.record::jsonb) THEN
            RAISE EXCEPTION '% is not what its entries make of it.', found.id USING ERRCODE = 'TN003';
        END IF;
        cores := cores - found.id;
        IF NOT refreshing THEN
            reason := tenure.objection(judging, kept.approvals, here, found.id,
                CASE WHEN is_new THEN NULL ELSE old.record::jsonb END, found.record::jsonb);
            IF reason IS NOT NULL THEN
                RAISE EXCEPTION '%: %.', found.id, reason USING ERRCODE = 'TN003';
            END IF;
        END IF;
        IF NOT is_new THEN
            DELETE FROM tenure.posting AS p WHERE p.project = here AND p.stem = ANY (old.stems) AND p.n = old.n;
            DELETE FROM tenure.memory_file AS f WHERE f.project = here AND f.n = old.n;
            DELETE FROM tenure.guard AS g WHERE g.project = here AND g.n = old.n;
            DELETE FROM tenure.memory AS m WHERE m.project = here AND m.n = old.n;
        END IF;
        FOR i IN 1..6 LOOP
            added[i] := added[i] + found.sizes[i] - CASE WHEN is_new THEN 0 ELSE old.sizes[i] END;
        END LOOP;
        kept.indexed := kept.indexed + is_new::int;
        kept.last_number := greatest(kept.last_number, found.n);
        INSERT INTO tenure.memory VALUES (here, found.n, found.id, found.version, found.kind, found.state, found.phase,
            found.eligible, found.weight, found.line, found.due_at, found.fingerprint, found.record,
            decode(found.hash, 'hex'), found.sizes, found.stems, (found.queued ->> 0)::smallint,
            (found.queued ->> 1)::smallint, CASE WHEN EXISTS (SELECT FROM tenure.setting AS q WHERE q.project = here
                AND q.key = 'quote:' || found.id) THEN least(0, (found.queued ->> 2)::int)
                ELSE (found.queued ->> 2)::int END,
            found.queued ->> 3, found.queued ->> 4, (found.queued ->> 5)::bigint);
        INSERT INTO tenure.memory_file SELECT here, name, found.n FROM unnest(found.files) AS name;
        INSERT INTO tenure.guard SELECT here, found.n, g ->> 0, g ->> 1, g ->> 2
        FROM jsonb_array_elements(found.guards) AS g;
    END LOOP;
    IF EXISTS (SELECT FROM unnest(numbers) AS given
        WHERE given NOT IN (SELECT r.n FROM jsonb_to_recordset(rows) AS r (n bigint)))
    THEN
        RAISE EXCEPTION 'Words were given for a memory that is not written.' USING ERRCODE = 'TN003';
    END IF;
    INSERT INTO tenure.posting
    SELECT here, s, p, f, m, w FROM unnest(stems, numbers, freqs, named, places) AS given (s, p, f, m, w);

    FOR old IN SELECT * FROM tenure.memory AS m WHERE m.project = here AND m.n = ANY (gone) LOOP
        IF NOT judging OR NOT EXISTS (SELECT FROM tenure.ledger AS l WHERE l.project = here AND l.memory_id = old.id
            AND l.version > old.version AND l.type IN ('Purged', 'Forgotten', 'Lost'))
        THEN
            RAISE EXCEPTION '% was not erased by the ledger.', old.id USING ERRCODE = 'TN003';
        END IF;
        DELETE FROM tenure.posting AS p WHERE p.project = here AND p.stem = ANY (old.stems) AND p.n = old.n;
        DELETE FROM tenure.memory_file AS f WHERE f.project = here AND f.n = old.n;
        DELETE FROM tenure.guard AS g WHERE g.project = here AND g.n = old.n;
        DELETE FROM tenure.vector AS v WHERE v.project = here AND v.n = old.n;
        DELETE FROM tenure.memory AS m WHERE m.project = here AND m.n = old.n;
        FOR i IN 1..6 LOOP
            added[i] := added[i] - old.sizes[i];
        END LOOP;
        kept.indexed := kept.indexed - 1;
    END LOOP;

    -- Every entry must show in a row: whoever folds the ledger believes it.
    IF EXISTS (SELECT FROM jsonb_each(cores) AS left_over WHERE left_over.value <> 'null') THEN
        RAISE EXCEPTION 'An entry came without the memory it makes.' USING ERRCODE = 'TN003';
    END IF;
    UPDATE tenure.project SET head_seq = entry, head = tip, last_number = kept.last_number,
        indexed = kept.indexed, sizes = added
    WHERE id = here;
    IF entry > kept.head_seq THEN
        PERFORM pg_notify(tenure.channel(kept.key), entry::text);
    END IF;
    RETURN joined;
END $$;
