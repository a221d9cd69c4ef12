-- The only ways in which memories and ledger change. No role but the owner may write these tables; an agent's role
-- may run `write_plain` and not `write_judged`, and whoever runs either stands in the ledger under the name it logged
-- in with.

CREATE FUNCTION tenure.link(
    previous bytea, seq bigint, batch bigint, memory_id text, version int, type text, at text, actor text, digest bytea
) RETURNS bytea
LANGUAGE sql IMMUTABLE SET search_path = pg_catalog, pg_temp AS $$
    SELECT sha256(
        previous || convert_to(seq::text, 'UTF8') || '\x00'::bytea || convert_to(batch::text, 'UTF8') || '\x00'::bytea
        || convert_to(memory_id, 'UTF8') || '\x00'::bytea || convert_to(version::text, 'UTF8') || '\x00'::bytea
        || convert_to(type, 'UTF8') || '\x00'::bytea || convert_to(at, 'UTF8') || '\x00'::bytea
        || convert_to(actor, 'UTF8') || '\x00'::bytea || digest
    )
$$;

-- One writer per project: whoever changes it waits here until the one before has committed. The high bits are our own.
CREATE FUNCTION tenure.hold() RETURNS void
LANGUAGE sql SET search_path = pg_catalog, pg_temp AS $$
    SELECT pg_advisory_xact_lock((1415933557::bigint << 32) + coalesce(tenure.here(), 0))
$$;

-- Other roles that agreed to a memory since its words were last changed; none of them wrote any of the words.
CREATE FUNCTION tenure.agreed(here bigint, wanted text) RETURNS bigint
LANGUAGE sql STABLE SET search_path = pg_catalog, pg_temp AS $$
    WITH worded AS (
        SELECT version, actor FROM tenure.ledger
        WHERE project = here AND memory_id = wanted AND type IN ('Created', 'Imported', 'Edited')
    )
    SELECT count(DISTINCT actor) FROM tenure.ledger
    WHERE project = here AND memory_id = wanted AND type IN ('Reviewed', 'Promoted', 'Kept', 'Reinstated', 'Restored')
        AND version > (SELECT max(version) FROM worded) AND actor NOT IN (SELECT actor FROM worded)
$$;

-- What of a memory decides who sees what; a default counts as absent, as records leave it out.
CREATE FUNCTION tenure.core(memory jsonb) RETURNS jsonb
LANGUAGE sql IMMUTABLE SET search_path = pg_catalog, pg_temp AS $$
    SELECT jsonb_strip_nulls(jsonb_build_object(
        'id', memory -> 'id', 'kind', memory -> 'kind', 'title', memory -> 'title', 'text', memory -> 'text',
        'state', memory -> 'state', 'phase', memory -> 'phase', 'content', nullif(memory -> 'content', '{}'),
        'scope', nullif(memory -> 'scope', '"project"'), 'domain', nullif(memory -> 'domain', '""'),
        'trust', nullif(memory -> 'trust', '"model"'), 'guard', memory -> 'guard'
    ))
$$;

-- Says why a memory may not become what is wanted; NULL when it may. `old` is NULL for a new one.
CREATE FUNCTION tenure.objection(
    judging boolean, approvals int, here bigint, wanted_id text, was jsonb, becomes jsonb
) RETURNS text
LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    worded constant text[] := ARRAY['kind', 'title', 'text', 'content', 'scope', 'domain', 'trust', 'guard'];
    decides boolean := judging AND (approvals = 0 OR tenure.is('reviewer') OR tenure.is('admin'));
    same_words boolean := was IS NOT NULL AND NOT EXISTS (
        SELECT FROM unnest(worded) AS field WHERE was -> field IS DISTINCT FROM becomes -> field
    );
    phase text := becomes ->> 'phase';
    before text := was ->> 'phase';
BEGIN
    IF judging AND approvals = 0 THEN
        RETURN NULL;
    END IF;
    IF was IS NULL THEN
        IF phase <> 'pending' THEN
            RETURN 'a new memory waits until somebody else agrees to it';
        END IF;
        IF NOT judging AND becomes ->> 'trust' = 'user' THEN
            RETURN 'what an agent writes was not said by a person';
        END IF;
        RETURN NULL;
    END IF;
    IF NOT same_words AND before IN ('live', 'held') AND (NOT judging OR phase = 'live') THEN
        RETURN CASE WHEN judging THEN 'new words of a memory in use wait for a review' ELSE
            'an agent does not change the words of what people agreed to' END;
    END IF;
    IF phase = before AND becomes ->> 'state' = was ->> 'state' THEN
        RETURN NULL;
    END IF;
    IF NOT judging THEN
        RETURN 'only people decide what a memory is good for';
    END IF;
    IF phase IN ('held', 'pending') AND before = 'live' THEN
        RETURN NULL;
    END IF;
    IF NOT decides THEN
        RETURN 'only a reviewer decides this';
    END IF;
    IF EXISTS (SELECT FROM tenure.reviewer_domain WHERE grantee = session_user) AND NOT EXISTS (
        SELECT FROM tenure.reviewer_domain
        WHERE grantee = session_user AND domain = coalesce(was ->> 'domain', '')
    ) THEN
        RETURN format('%s does not review the domain %s', session_user, quote_literal(coalesce(was ->> 'domain', '')));
    END IF;
    IF phase = 'live' AND before <> 'live' AND tenure.agreed(here, wanted_id) < approvals THEN
        RETURN format('%s of %s others agreed, and nobody agrees to words of their own',
            tenure.agreed(here, wanted_id), approvals);
    END IF;
    RETURN NULL;
END $$;

-- Writes entries, then what the memories are now. Rows are objects with the columns of `memory`, its files and guards.
CREATE FUNCTION tenure.write(
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
        PERFORM pg_notify('tenure', here::text || ' ' || entry::text);
    END IF;
    RETURN joined;
END $$;

CREATE FUNCTION tenure.write_plain(
    joined bigint, ids text[], versions int[], types text[], ats text[], payloads text[], rows jsonb, gone bigint[],
    stems text[], numbers bigint[], freqs double precision[], named int[], places bytea[]
) RETURNS bigint
LANGUAGE sql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
    SELECT tenure.write(false, false, joined, ids, versions, types, ats, payloads, rows, gone, stems, numbers, freqs,
        named, places)
$$;

CREATE FUNCTION tenure.write_judged(
    joined bigint, ids text[], versions int[], types text[], ats text[], payloads text[], rows jsonb, gone bigint[],
    stems text[], numbers bigint[], freqs double precision[], named int[], places bytea[]
) RETURNS bigint
LANGUAGE sql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
    SELECT tenure.write(true, false, joined, ids, versions, types, ats, payloads, rows, gone, stems, numbers, freqs,
        named, places)
$$;

-- Stores anew what follows from memories as they are: verdicts of a changed policy, words of the index.
CREATE FUNCTION tenure.refresh(
    rows jsonb, stems text[], numbers bigint[], freqs double precision[], named int[], places bytea[]
) RETURNS void
LANGUAGE sql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
    SELECT tenure.write(true, true, NULL, '{}', '{}', '{}', '{}', '{}', rows, '{}', stems, numbers, freqs, named, places)
$$;

-- A person's own words stand before every class of trust in the queue.
CREATE FUNCTION tenure.move_quoted(wanted text) RETURNS void
LANGUAGE sql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
    UPDATE tenure.memory SET said = 0 WHERE project = tenure.here() AND id = wanted AND said IS NOT NULL
$$;

-- Counts anew which words are common, as the project doubles.
CREATE FUNCTION tenure.count_words(share double precision) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    here bigint := tenure.here();
    total bigint := (SELECT last_number FROM tenure.project WHERE id = here);
BEGIN
    DELETE FROM tenure.common_word WHERE project = here;
    INSERT INTO tenure.common_word
    SELECT here, stem, count(*) FROM tenure.posting WHERE project = here GROUP BY stem HAVING count(*) > total * share;
    INSERT INTO tenure.setting VALUES (here, 'words_counted_at', total::text)
    ON CONFLICT (project, key) DO UPDATE SET value = excluded.value;
END $$;

-- Blanks what is left of a memory that the ledger says is gone for good; hashes stay, so the chain still holds.
CREATE FUNCTION tenure.erase(gone text, marks bytea[], at text) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    here bigint := tenure.here();
BEGIN
    IF NOT EXISTS (SELECT FROM tenure.ledger AS l WHERE l.project = here AND l.memory_id = gone
        AND l.type IN ('Purged', 'Forgotten') AND l.version = (SELECT max(version) FROM tenure.ledger AS e
            WHERE e.project = here AND e.memory_id = gone))
    THEN
        RAISE EXCEPTION 'The ledger does not say that % is gone.', gone USING ERRCODE = 'TN003';
    END IF;
    UPDATE tenure.ledger SET payload = NULL WHERE project = here AND memory_id = gone
        AND version < (SELECT max(version) FROM tenure.ledger AS e WHERE e.project = here AND e.memory_id = gone);
    DELETE FROM tenure.exposure WHERE project = here AND memory = gone;
    DELETE FROM tenure.guard_fire WHERE project = here AND memory = gone;
    DELETE FROM tenure.setting WHERE project = here AND key = 'quote:' || gone;
    INSERT INTO tenure.tombstone SELECT here, mark, gone, erase.at FROM unnest(marks) AS mark ON CONFLICT DO NOTHING;
    INSERT INTO tenure.setting VALUES (here, 'erasure_pending', '1') ON CONFLICT (project, key) DO NOTHING;
END $$;
