-- Who sees what. A session names its project in `tenure.project`; anybody can set that, so it counts only for a role
-- that was let into the project.

CREATE FUNCTION tenure.reaches(wanted bigint) RETURNS boolean
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
    SELECT EXISTS (
        SELECT FROM tenure.access AS a JOIN pg_roles AS r ON r.rolname = a.grantee
        WHERE (a.project IS NULL OR a.project = wanted) AND pg_has_role(session_user, r.oid, 'MEMBER')
    )
$$;

-- The project this session works in; NULL, which equals nothing, where it named none or one that is closed to it.
CREATE FUNCTION tenure.here() RETURNS bigint
LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    named text := current_setting('tenure.project', true);
BEGIN
    IF named IS NULL OR named !~ '^[0-9]{1,18}$' THEN
        RETURN NULL;
    END IF;
    RETURN CASE WHEN tenure.reaches(named::bigint) THEN named::bigint END;
END $$;

CREATE FUNCTION tenure.find_project(wanted text) RETURNS bigint
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
    SELECT id FROM tenure.project WHERE name = wanted AND tenure.reaches(id)
$$;

CREATE FUNCTION tenure.projects() RETURNS TABLE (id bigint, name text)
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
    SELECT id, name FROM tenure.project WHERE tenure.reaches(id) ORDER BY id
$$;

CREATE FUNCTION tenure.is(capability text) RETURNS boolean
LANGUAGE sql STABLE SET search_path = pg_catalog, pg_temp AS $$
    SELECT EXISTS (
        SELECT FROM pg_roles WHERE rolname = 'tenure_' || capability AND pg_has_role(session_user, oid, 'MEMBER')
    )
$$;

-- A new project. Whoever makes one without reaching all of them is let into it.
CREATE FUNCTION tenure.make_project(wanted text) RETURNS bigint
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    made bigint;
    agree int := coalesce((SELECT value::int FROM tenure.general WHERE key = 'approvals'), 1);
BEGIN
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

DO $$
DECLARE
    held text;
    kind text;
BEGIN
    FOR held, kind IN SELECT relname, relkind FROM pg_class WHERE relnamespace = 'tenure'::regnamespace
        AND relkind IN ('r', 'p')
    LOOP
        EXECUTE format('ALTER TABLE tenure.%I ENABLE ROW LEVEL SECURITY', held);
        EXECUTE format('ALTER TABLE tenure.%I FORCE ROW LEVEL SECURITY', held);
    END LOOP;
    -- One statement per query, not one call per row: the project is looked up once and the index is used.
    FOREACH held IN ARRAY ARRAY['memory', 'posting', 'common_word', 'memory_file', 'guard', 'ledger', 'command',
        'injection', 'run', 'exposure', 'outcome', 'guard_fire', 'tombstone', 'vector', 'setting', 'replica']
    LOOP
        EXECUTE format('CREATE POLICY here ON tenure.%I USING (project = (SELECT tenure.here()))'
            ' WITH CHECK (project = (SELECT tenure.here()))', held);
    END LOOP;
END $$;
CREATE POLICY here ON tenure.project FOR SELECT USING (id = (SELECT tenure.here()));
-- The functions above and the one that writes look these up for everybody.
CREATE POLICY owner ON tenure.project TO tenure_owner USING (true) WITH CHECK (true);
CREATE POLICY owner ON tenure.access TO tenure_owner USING (true) WITH CHECK (true);
CREATE POLICY owner ON tenure.reviewer_domain TO tenure_owner USING (true) WITH CHECK (true);
CREATE POLICY owner ON tenure.general TO tenure_owner USING (true) WITH CHECK (true);
CREATE POLICY admin ON tenure.access TO tenure_admin USING (true) WITH CHECK (true);
CREATE POLICY admin ON tenure.reviewer_domain TO tenure_admin USING (true) WITH CHECK (true);
CREATE POLICY admin ON tenure.general TO tenure_admin USING (true) WITH CHECK (true);
CREATE POLICY readable ON tenure.general FOR SELECT USING (true);
-- Migrations are only counted.
ALTER TABLE tenure.migration NO FORCE ROW LEVEL SECURITY;
ALTER TABLE tenure.migration DISABLE ROW LEVEL SECURITY;
