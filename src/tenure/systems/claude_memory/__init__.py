"""The claude-memory dialect: one JSON record per memory under `.claude/memory/`, with an index beside them.

Rules (`schema`, `repair`, `merge`, `rules`, `rolling`, `index`) are pure; `folder` does the reading and
writing under the lock; `write`, `index_command` and `enforce` are thin command lines over both.
"""
