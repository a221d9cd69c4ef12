-- What an agent's role could still say that is not so: whose words they are, how a memory is shown, what holds for
-- everybody, and who did it.

-- As the client hashes a row; the database says itself what it stores.
CREATE FUNCTION tenure.row_hash(
    n bigint, id text, version int, kind text, state text, phase text, eligible smallint, weight int, line text,
    due_at text, fingerprint bigint, record text
) RETURNS bytea
LANGUAGE sql IMMUTABLE SET search_path = pg_catalog, pg_temp AS $$
    SELECT sha256(
        convert_to(n::text, 'UTF8') || '\x00'::bytea || convert_to(id, 'UTF8') || '\x00'::bytea
        || convert_to(version::text, 'UTF8') || '\x00'::bytea || convert_to(kind, 'UTF8') || '\x00'::bytea
        || convert_to(state, 'UTF8') || '\x00'::bytea || convert_to(phase, 'UTF8') || '\x00'::bytea
        || convert_to(eligible::text, 'UTF8') || '\x00'::bytea || convert_to(weight::text, 'UTF8') || '\x00'::bytea
        || convert_to(line, 'UTF8') || '\x00'::bytea || convert_to(coalesce(due_at, 'None'), 'UTF8') || '\x00'::bytea
        || convert_to(fingerprint::text, 'UTF8') || '\x00'::bytea || convert_to(record, 'UTF8')
    )
$$;

CREATE FUNCTION tenure.is_person() RETURNS boolean
LANGUAGE sql STABLE SET search_path = pg_catalog, pg_temp AS $$
    SELECT tenure.is('member') OR tenure.is('reviewer') OR tenure.is('admin')
$$;

-- Says why a memory may not become what is wanted; NULL when it may. `old` is NULL for a new one.
CREATE OR REPLACE FUNCTION tenure.objection(
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
    IF NOT judging AND NOT same_words AND becomes ->> 'trust' = 'user' THEN
        RETURN 'what an agent writes was not said by a person';
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
    -- Numbers of memories whose words stay in the index as they are.
    indexed bigint[] := '{}';
    -- Id -> the whole record that its entries make, where an agent writes.
    made jsonb := '{}';
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
            OR ats[i] !~ '^[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}(\.[0-9]{1,6})?Z$'
            OR (event ->> 'at')::timestamptz IS DISTINCT FROM ats[i]::timestamptz
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
        IF NOT judging THEN
            made := made || jsonb_build_object(ids[i], CASE WHEN types[i] = ANY (births) THEN event -> 'set'
                ELSE tenure.after(coalesce(made -> ids[i], (SELECT m.record::jsonb FROM tenure.memory AS m
                    WHERE m.project = here AND m.id = ids[i])), event) END);
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
        -- A number out of turn would leave none for those that come later.
        IF is_new AND found.n <> kept.last_number + 1 THEN
            RAISE EXCEPTION '% has a number out of turn.', found.id USING ERRCODE = 'TN003';
        END IF;
        IF NOT judging THEN
            found.weight := least(greatest(found.weight, 0), 100);
            IF NOT tenure.is_memory(found.record::jsonb) OR is_new AND found.record::jsonb ? 'approvals'
                OR tenure.without_defaults(made -> found.id)
                    IS DISTINCT FROM tenure.without_defaults(found.record::jsonb)
            THEN
                RAISE EXCEPTION '% is not what its entries make of it.', found.id USING ERRCODE = 'TN003';
            END IF;
        END IF;
        IF NOT is_new AND NOT judging AND tenure.same(old.record::jsonb, found.record::jsonb,
            ARRAY['kind', 'title', 'text', 'content'])
        THEN
            found.line := old.line;
            found.eligible := old.eligible;
            found.fingerprint := old.fingerprint;
            IF tenure.same(old.record::jsonb, found.record::jsonb, ARRAY['tags', 'files']) THEN
                found.sizes := old.sizes;
                found.stems := old.stems;
                indexed := indexed || found.n;
            END IF;
        END IF;
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
            IF old.n <> ALL (indexed) THEN
                DELETE FROM tenure.posting AS p
                WHERE p.project = here AND p.stem = ANY (old.stems) AND p.n = old.n;
            END IF;
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
            tenure.row_hash(found.n, found.id, found.version, found.kind, found.state, found.phase,
                found.eligible, found.weight, found.line, found.due_at, found.fingerprint, found.record), found.sizes, found.stems, (found.queued ->> 0)::smallint,
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
    SELECT here, s, p, f, m, w FROM unnest(stems, numbers, freqs, named, places) AS given (s, p, f, m, w)
    WHERE p <> ALL (indexed);

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

-- A new project. Whoever makes one without reaching all of them is let into it.
CREATE OR REPLACE FUNCTION tenure.make_project(wanted text) RETURNS bigint
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    made bigint;
    agree int := coalesce((SELECT value::int FROM tenure.general WHERE key = 'approvals'), 1);
BEGIN
    IF NOT tenure.is_person() AND NOT tenure.reaches(0) AND tenure.find_project(wanted) IS NULL
        AND tenure.is('agent')
    THEN
        RAISE EXCEPTION 'The project % is closed to you.', quote_literal(wanted) USING ERRCODE = 'TN003';
    END IF;
    INSERT INTO tenure.project (name, key, approvals)
    VALUES (wanted, sha256(uuid_send(gen_random_uuid()) || uuid_send(gen_random_uuid())), agree)
    ON CONFLICT (name) DO NOTHING RETURNING id INTO made;
    IF made IS NULL THEN
        made := tenure.find_project(wanted);
        IF made IS NULL THEN
            RAISE EXCEPTION 'The project % is closed to you.', quote_literal(wanted) USING ERRCODE = 'TN003';
        END IF;
    ELSIF NOT tenure.reaches(made) THEN
        INSERT INTO tenure.access (grantee, project) VALUES (session_user, made);
    END IF;
    RETURN made;
END $$;

-- Counts anew which words are common, as the project doubles.
CREATE OR REPLACE FUNCTION tenure.count_words(share double precision) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    here bigint := tenure.here();
    -- A smaller share would make every word a common one, and common words find nothing.
    least_share constant double precision := 0.01;
    total bigint := (SELECT last_number FROM tenure.project WHERE id = here);
BEGIN
    DELETE FROM tenure.common_word WHERE project = here;
    INSERT INTO tenure.common_word
    SELECT here, stem, count(*) FROM tenure.posting WHERE project = here GROUP BY stem HAVING count(*) > total * greatest(share, least_share);
    INSERT INTO tenure.setting VALUES (here, 'words_counted_at', total::text)
    ON CONFLICT (project, key) DO UPDATE SET value = excluded.value;
END $$;

-- A person's own words stand before every class of trust in the queue.
CREATE OR REPLACE FUNCTION tenure.move_quoted(wanted text) RETURNS void
LANGUAGE sql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
    UPDATE tenure.memory SET said = 0 WHERE project = tenure.here() AND id = wanted AND said IS NOT NULL AND tenure.is_person()
$$;

CREATE FUNCTION tenure.same(was jsonb, becomes jsonb, fields text[]) RETURNS boolean
LANGUAGE sql IMMUTABLE SET search_path = pg_catalog, pg_temp AS $$
    SELECT NOT EXISTS (SELECT FROM unnest(fields) AS field WHERE was -> field IS DISTINCT FROM becomes -> field)
$$;

-- A record after an entry, as `evolve` makes it.
CREATE FUNCTION tenure.after(was jsonb, event jsonb) RETURNS jsonb
LANGUAGE sql STABLE SET search_path = pg_catalog, pg_temp AS $$
    WITH given AS (
        SELECT key, value, key IN ('confidence', 'evidence_count', 'reuse_count', 'successful_reuses', 'failed_reuses',
            'contradiction_count', 'frequency', 'runs_unseen') AS is_signal
        FROM jsonb_each(coalesce(event -> 'set', '{}'))
    )
    SELECT was
        || coalesce((SELECT jsonb_object_agg(key, value) FROM given WHERE NOT is_signal), '{}')
        || coalesce((SELECT jsonb_object_agg(key, coalesce(was -> key, '[]') || value)
            FROM jsonb_each(coalesce(event -> 'add', '{}'))), '{}')
        || jsonb_build_object('signals', coalesce(was -> 'signals', '{}')
            || coalesce((SELECT jsonb_object_agg(key, value) FROM given WHERE is_signal), '{}'))
        -- Clocks may run backwards; the order of events does not.
        || jsonb_build_object('updated_at', CASE
            WHEN (event ->> 'at')::timestamptz > (was ->> 'updated_at')::timestamptz THEN event -> 'at'
            ELSE was -> 'updated_at' END)
$$;

-- A record as it compares with another one: records leave out what is as it would be anyway.
CREATE FUNCTION tenure.without_defaults(record jsonb) RETURNS jsonb
LANGUAGE sql IMMUTABLE SET search_path = pg_catalog, pg_temp AS $$
    SELECT jsonb_object_agg(key, value) FROM jsonb_each(record || jsonb_build_object('signals',
        (SELECT coalesce(jsonb_object_agg(key, value), '{}') FROM jsonb_each(coalesce(record -> 'signals', '{}'))
            WHERE value NOT IN ('0', 'null'))))
    WHERE value NOT IN ('""', '[]', '{}', '0', 'null') AND NOT (key = 'scope' AND value = '"project"')
        AND NOT (key = 'trust' AND value = '"model"')
$$;

-- Whether a record can be read back: one that cannot would take its memory from everybody.
CREATE FUNCTION tenure.is_memory(record jsonb) RETURNS boolean
LANGUAGE sql STABLE SET search_path = pg_catalog, pg_temp AS $$
    SELECT NOT EXISTS (
        SELECT FROM jsonb_each(record) AS field WHERE NOT CASE
            WHEN field.key IN ('id', 'kind', 'title', 'text', 'state', 'phase', 'scope', 'domain', 'agent', 'trust',
                'source') THEN jsonb_typeof(field.value) = 'string'
            WHEN field.key IN ('superseded_by', 'previous_state') THEN jsonb_typeof(field.value) IN ('string', 'null')
            WHEN field.key IN ('run_mark', 'times_held') THEN field.value::text ~ '^-?[0-9]{1,15}$'
            WHEN field.key IN ('content', 'extra', 'guard') THEN jsonb_typeof(field.value) IN ('object', 'null')
            WHEN field.key = 'signals' THEN NOT EXISTS (
                SELECT FROM jsonb_each(field.value) AS signal WHERE signal.value::text !~ '^(-?[0-9]{1,15}|null)$')
            WHEN field.key IN ('tags', 'files', 'evidence', 'runs', 'tasks', 'applied', 'supersedes', 'conflicts')
                THEN NOT EXISTS (SELECT FROM jsonb_array_elements(field.value) AS item
                    WHERE jsonb_typeof(item) <> 'string')
            WHEN field.key IN ('created_at', 'updated_at', 'verified_at', 'used_at', 'helped_at', 'review_after',
                'review_set_at', 'retired_at') THEN field.value = 'null' OR (
                    field.value #>> '{}' ~ '^[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}(\.[0-9]{1,6})?Z$'
                    AND (field.value #>> '{}')::timestamptz IS NOT NULL)
            ELSE field.key IN ('approvals', 'changes')
        END
    ) AND record ?& ARRAY['id', 'kind', 'title', 'text', 'state', 'phase', 'created_at', 'updated_at']
    AND coalesce(record ->> 'trust', 'model') IN ('user', 'repository', 'tool', 'model', 'external')
$$;

-- Beside the memories an agent's role keeps what it has seen and nothing that holds for everybody: limits, effects,
-- quotes and homes are people's.
CREATE FUNCTION tenure.may_keep(setting text) RETURNS boolean
LANGUAGE sql STABLE SET search_path = pg_catalog, pg_temp AS $$
    SELECT tenure.is_person() OR setting IN ('learned', 'session_turns', 'encoder', 'vectors_changed')
$$;
CREATE POLICY agents_add ON tenure.setting AS RESTRICTIVE FOR INSERT TO tenure_agent WITH CHECK (tenure.may_keep(key));
CREATE POLICY agents_change ON tenure.setting AS RESTRICTIVE FOR UPDATE TO tenure_agent
    USING (tenure.may_keep(key)) WITH CHECK (tenure.may_keep(key));
CREATE POLICY agents_drop ON tenure.setting AS RESTRICTIVE FOR DELETE TO tenure_agent USING (tenure.may_keep(key));

-- Who sent a command and who keeps a copy is who logged in.
CREATE POLICY own_name ON tenure.command AS RESTRICTIVE FOR INSERT WITH CHECK (role = session_user);
CREATE POLICY own_copy ON tenure.replica AS RESTRICTIVE FOR INSERT WITH CHECK (role = session_user);
CREATE POLICY own_copies ON tenure.replica AS RESTRICTIVE FOR UPDATE
    USING (role = session_user OR tenure.is_person()) WITH CHECK (role = session_user);

-- What was shown is counted here: a number of somebody's choice could leave none for those that come later, and what
-- is no list of notes would stop whoever reads all of them.
CREATE FUNCTION tenure.number_injection() RETURNS trigger
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    IF jsonb_typeof(NEW.memories::jsonb) <> 'array' THEN
        RAISE EXCEPTION 'What was shown is a list of notes.' USING ERRCODE = 'TN003';
    END IF;
    NEW.n := 1 + coalesce((SELECT max(i.n) FROM tenure.injection AS i WHERE i.project = NEW.project), 0);
    RETURN NEW;
END $$;
CREATE TRIGGER number_injection BEFORE INSERT ON tenure.injection
    FOR EACH ROW EXECUTE FUNCTION tenure.number_injection();
CREATE FUNCTION tenure.number_run() RETURNS trigger
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    NEW.n := 1 + coalesce((SELECT max(r.n) FROM tenure.run AS r WHERE r.project = NEW.project), 0);
    RETURN NEW;
END $$;
CREATE TRIGGER number_run BEFORE INSERT ON tenure.run FOR EACH ROW EXECUTE FUNCTION tenure.number_run();

REVOKE ALL ON FUNCTION tenure.row_hash, tenure.is_person(), tenure.same(jsonb, jsonb, text[]), tenure.after(jsonb, jsonb),
    tenure.without_defaults(jsonb), tenure.is_memory(jsonb),     tenure.may_keep(text),
    tenure.number_injection(), tenure.number_run()
FROM PUBLIC;
GRANT EXECUTE ON FUNCTION tenure.is_person(), tenure.may_keep(text)
TO tenure_reader, tenure_agent, tenure_member, tenure_reviewer, tenure_admin, tenure_owner;
