-- What each group may do. Reach is in `access`; a role in no group can do nothing.
REVOKE ALL ON ALL FUNCTIONS IN SCHEMA tenure FROM PUBLIC;
GRANT USAGE ON SCHEMA tenure TO tenure_reader, tenure_agent, tenure_member, tenure_reviewer, tenure_admin;
GRANT SELECT ON tenure.project, tenure.memory, tenure.posting, tenure.common_word, tenure.memory_file, tenure.guard,
    tenure.ledger, tenure.command, tenure.injection, tenure.run, tenure.exposure, tenure.outcome, tenure.guard_fire,
    tenure.tombstone, tenure.vector, tenure.setting, tenure.replica, tenure.general, tenure.migration
TO tenure_reader, tenure_agent, tenure_member, tenure_reviewer, tenure_admin;
GRANT EXECUTE ON FUNCTION tenure.here(), tenure.reaches(bigint), tenure.find_project(text), tenure.projects(),
    tenure.is(text), tenure.hold()
TO tenure_reader, tenure_agent, tenure_member, tenure_reviewer, tenure_admin, tenure_owner;
-- A copy says how far it has pulled, whoever keeps it.
GRANT INSERT, UPDATE ON tenure.replica TO tenure_reader, tenure_agent, tenure_member, tenure_reviewer, tenure_admin;

-- What is no part of a memory's history.
GRANT INSERT ON tenure.command, tenure.injection, tenure.run, tenure.exposure, tenure.outcome, tenure.guard_fire,
    tenure.vector, tenure.setting
TO tenure_agent, tenure_member, tenure_reviewer, tenure_admin;
GRANT UPDATE ON tenure.exposure, tenure.outcome, tenure.setting, tenure.vector
TO tenure_agent, tenure_member, tenure_reviewer, tenure_admin;
GRANT DELETE ON tenure.vector, tenure.setting TO tenure_agent, tenure_member, tenure_reviewer, tenure_admin;
GRANT EXECUTE ON FUNCTION tenure.write_plain, tenure.count_words, tenure.make_project, tenure.move_quoted
TO tenure_agent, tenure_member, tenure_reviewer, tenure_admin;

GRANT UPDATE ON tenure.guard_fire, tenure.injection TO tenure_member, tenure_reviewer, tenure_admin;
GRANT EXECUTE ON FUNCTION tenure.write_judged, tenure.refresh, tenure.erase
TO tenure_member, tenure_reviewer, tenure_admin;

GRANT SELECT, INSERT, UPDATE, DELETE ON tenure.access, tenure.reviewer_domain, tenure.general TO tenure_admin;
GRANT UPDATE (approvals) ON tenure.project TO tenure_admin;
CREATE POLICY admin ON tenure.project TO tenure_admin USING (true) WITH CHECK (true);
GRANT SELECT ON ALL TABLES IN SCHEMA tenure TO tenure_owner;
