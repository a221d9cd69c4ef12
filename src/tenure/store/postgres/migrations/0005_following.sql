-- Who follows a project hears of it on a channel whose name only its readers can reckon: PostgreSQL lets everybody
-- listen everywhere.
CREATE FUNCTION tenure.channel(key bytea) RETURNS text
LANGUAGE sql IMMUTABLE SET search_path = pg_catalog, pg_temp AS $$
    SELECT 'tenure_' || left(encode(sha256(key || convert_to('channel', 'UTF8')), 'hex'), 40)
$$;
REVOKE ALL ON FUNCTION tenure.channel(bytea) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION tenure.channel(bytea)
TO tenure_reader, tenure_agent, tenure_member, tenure_reviewer, tenure_admin, tenure_owner;

DO $$
DECLARE
    known text := pg_get_functiondef('tenure.write'::regproc::oid);
    changed text := replace(known, $q$pg_notify('tenure', here::text || ' ' || entry::text)$q$,
        $q$pg_notify(tenure.channel(kept.key), entry::text)$q$);
BEGIN
    IF changed = known THEN
        RAISE EXCEPTION 'tenure.write is not the function that this migration knows.';
    END IF;
    EXECUTE changed;
END $$;
