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

DO $$
DECLARE
    changes constant text[] := ARRAY[
        'objection',
        $q$    IF phase = before AND$q$,
        $q$    IF NOT judging AND NOT same_words AND becomes ->> 'trust' = 'user' THEN
        RETURN 'what an agent writes was not said by a person';
    END IF;
    IF phase = before AND$q$,

        'write',
        $q$    is_new boolean;$q$,
        $q$    is_new boolean;
    -- Numbers of memories whose words stay in the index as they are.
    indexed bigint[] := '{}';
    -- Id -> the whole record that its entries make, where an agent writes.
    made jsonb := '{}';$q$,

        'write',
        $q$        cores := cores || jsonb_build_object(ids[i], CASE$q$,
        $q$        IF NOT judging THEN
            made := made || jsonb_build_object(ids[i], CASE WHEN types[i] = ANY (births) THEN event -> 'set'
                ELSE tenure.after(coalesce(made -> ids[i], (SELECT m.record::jsonb FROM tenure.memory AS m
                    WHERE m.project = here AND m.id = ids[i])), event) END);
        END IF;
        cores := cores || jsonb_build_object(ids[i], CASE$q$,

        'write',
        $q$            OR event ->> 'memory_id' IS DISTINCT FROM ids[i]
        THEN$q$,
        $q$            OR event ->> 'memory_id' IS DISTINCT FROM ids[i]
            OR ats[i] !~ '^[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}(\.[0-9]{1,6})?Z$'
            OR (event ->> 'at')::timestamptz IS DISTINCT FROM ats[i]::timestamptz
        THEN$q$,

        'write',
        $q$        is_new := old.n IS NULL;$q$,
        $q$        is_new := old.n IS NULL;
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
        END IF;$q$,

        'write',
        $q$            DELETE FROM tenure.posting AS p WHERE p.project = here AND p.stem = ANY (old.stems) AND p.n = old.n;
            DELETE FROM tenure.memory_file AS f WHERE f.project = here AND f.n = old.n;
            DELETE FROM tenure.guard AS g WHERE g.project = here AND g.n = old.n;
            DELETE FROM tenure.memory AS m WHERE m.project = here AND m.n = old.n;
        END IF;$q$,
        $q$            IF old.n <> ALL (indexed) THEN
                DELETE FROM tenure.posting AS p
                WHERE p.project = here AND p.stem = ANY (old.stems) AND p.n = old.n;
            END IF;
            DELETE FROM tenure.memory_file AS f WHERE f.project = here AND f.n = old.n;
            DELETE FROM tenure.guard AS g WHERE g.project = here AND g.n = old.n;
            DELETE FROM tenure.memory AS m WHERE m.project = here AND m.n = old.n;
        END IF;$q$,

        'write',
        $q$            decode(found.hash, 'hex'), found.sizes,$q$,
        $q$            tenure.row_hash(found.n, found.id, found.version, found.kind, found.state, found.phase,
                found.eligible, found.weight, found.line, found.due_at, found.fingerprint, found.record), found.sizes,$q$,

        'write',
        $q$AS given (s, p, f, m, w);$q$,
        $q$AS given (s, p, f, m, w)
    WHERE p <> ALL (indexed);$q$,

        -- Whoever was let into some projects only makes none of a name that others may want.
        'make_project',
        $q$    INSERT INTO tenure.project (name, key, approvals)$q$,
        $q$    IF NOT tenure.is_person() AND NOT tenure.reaches(0) AND tenure.find_project(wanted) IS NULL
        AND tenure.is('agent')
    THEN
        RAISE EXCEPTION 'The project % is closed to you.', quote_literal(wanted) USING ERRCODE = 'TN003';
    END IF;
    INSERT INTO tenure.project (name, key, approvals)$q$,

        'count_words',
        $q$    total bigint :=$q$,
        $q$    -- A smaller share would make every word a common one, and common words find nothing.
    least_share constant double precision := 0.01;
    total bigint :=$q$,

        'count_words',
        $q$HAVING count(*) > total * share;$q$,
        $q$HAVING count(*) > total * greatest(share, least_share);$q$,

        'move_quoted',
        $q$AND said IS NOT NULL$q$,
        $q$AND said IS NOT NULL AND tenure.is_person()$q$
    ];
    known text;
    changed text;
BEGIN
    FOR i IN 1..array_length(changes, 1) BY 3 LOOP
        known := pg_get_functiondef(('tenure.' || changes[i])::regproc::oid);
        changed := replace(known, changes[i + 1], changes[i + 2]);
        IF changed = known THEN
            RAISE EXCEPTION 'tenure.% is not the function that this migration knows: %', changes[i], changes[i + 1];
        END IF;
        EXECUTE changed;
    END LOOP;
END $$;

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
