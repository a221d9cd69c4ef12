-- Whose words they are is whoever changed them last. Before, everybody who had ever worded a memory was kept from
-- agreeing to it, so that one which both of two people had worded could be used by nobody.

-- Other roles that agreed to a memory since it was last edited; the one whose words they are is none of them.
CREATE OR REPLACE FUNCTION tenure.agreed(here bigint, wanted text) RETURNS bigint
LANGUAGE sql STABLE SET search_path = pg_catalog, pg_temp AS $$
    WITH entry AS (
        SELECT version, actor, type IN ('Created', 'Imported') OR coalesce(
            payload::jsonb -> 'event' -> 'set' ?| ARRAY['kind', 'title', 'text', 'content'], false) AS words, type
        FROM tenure.ledger WHERE project = here AND memory_id = wanted
    )
    SELECT count(DISTINCT actor) FROM entry
    WHERE type IN ('Reviewed', 'Promoted', 'Kept', 'Reinstated', 'Restored')
        AND version > (SELECT max(version) FROM entry WHERE words OR type = 'Edited')
        AND actor <> (SELECT actor FROM entry WHERE words ORDER BY version DESC LIMIT 1)
$$;
