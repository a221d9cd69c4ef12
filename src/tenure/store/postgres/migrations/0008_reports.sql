-- An agent's report of harm takes nothing out of use, so a person has to see it: what was reported and not decided is
-- found in the ledger, where no agent's role can hide it.
CREATE FUNCTION tenure.reports_harm(payload text) RETURNS boolean
LANGUAGE sql IMMUTABLE SET search_path = pg_catalog, pg_temp AS $$
    SELECT coalesce(detail -> 'report' = 'true' AND (
        detail ->> 'effect' IN ('negative', 'neutral_but_risky') OR detail -> 'contradiction' = 'true'), false)
    FROM (SELECT payload::jsonb #> '{event,detail}' AS detail) AS told
$$;
REVOKE ALL ON FUNCTION tenure.reports_harm(text) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION tenure.reports_harm(text)
TO tenure_reader, tenure_agent, tenure_member, tenure_reviewer, tenure_admin, tenure_owner;
CREATE INDEX ledger_harm ON tenure.ledger (project, memory_id, version)
WHERE type = 'Applied' AND tenure.reports_harm(payload);
