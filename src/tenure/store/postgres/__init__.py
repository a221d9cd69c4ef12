"""The store of a team in PostgreSQL: `store.py` is what use cases get, `roles.py` what an administrator sets up.

People and agents are roles of the database, so who acted is what the database says. Rows, ledger and chain are those
of the SQLite store, entry for entry; only the extra `postgres` brings the driver.
"""
