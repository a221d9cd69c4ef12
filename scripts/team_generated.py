"""A database of many projects, for figures on paper: sizes, plans and what a question costs there.

One project is made by the store itself and copied row by row, so each copy proves itself as the original does.
`scripts/bench team --generated 10000` uses it.
"""

from __future__ import annotations

import re
import statistics
import time
from collections.abc import Callable
from typing import Any

from tenure.store import open_elsewhere

# Table -> what of a row is another one in each project; the rest is copied.
_COPIED = ("memory", "posting", "ledger", "command", "memory_file", "setting")
_SIZES = """
    SELECT regexp_replace(c.relname, '_p?[0-9]+$', ''),
        sum(pg_table_size(c.oid))::bigint, sum(pg_indexes_size(c.oid))::bigint
    FROM pg_class AS c JOIN pg_namespace AS n ON n.oid = c.relnamespace
    WHERE n.nspname = 'tenure' AND c.relkind = 'r' GROUP BY 1 ORDER BY 2 DESC LIMIT 5
"""


def multiply(admin: Any, project: int, count: int) -> float:
    """Copy a project so many times, as the database's superuser; return the seconds it took."""
    begin = time.perf_counter()
    admin.execute(
        """
        INSERT INTO tenure.project (name, key, head_seq, head, last_number, indexed, sizes, approvals)
        SELECT 'copy-' || g, sha256(convert_to(g::text, 'UTF8')), head_seq, head, last_number, indexed, sizes, approvals
        FROM tenure.project CROSS JOIN generate_series(1, %s) AS g WHERE id = %s
        """,
        (count, project),
    )
    for table in _COPIED:
        rows = admin.execute(
            "SELECT attname FROM pg_attribute WHERE attrelid = %s::regclass AND attnum > 0 AND NOT attisdropped"
            " AND attname <> 'project' ORDER BY attnum",
            (f"tenure.{table}",),
        ).fetchall()
        columns = ", ".join(f'"{name}"' for (name,) in rows)
        taken = ", ".join(f'o."{name}"' for (name,) in rows)
        admin.execute(
            f"INSERT INTO tenure.{table} (project, {columns}) SELECT p.id, {taken} FROM tenure.{table} AS o"
            f" CROSS JOIN tenure.project AS p WHERE o.project = %s AND p.name LIKE 'copy-%%'".encode(),
            (project,),
        )
    admin.execute("ANALYZE")
    return time.perf_counter() - begin


def figures(admin: Any, address: str, name: str) -> None:
    """Print how large everything is, which plans questions get under row-level security, and how long they take."""
    for table, rows, index in admin.execute(_SIZES).fetchall():
        print(f"  {table:12} {rows / 1e6:8.1f} MB of rows, {index / 1e6:8.1f} MB of indexes")
    store: Any = open_elsewhere("postgresql", address, name)
    asked: list[tuple[Any, Any]] = []
    connection = store.connection
    execute = connection.execute

    def noting(query: Any, values: Any = None) -> Any:
        asked.append((query, values))
        return execute(query, values)

    connection.execute = noting
    questions: dict[str, Callable[[], object]] = {
        "search": lambda: store.search("why does the service wait for retries", 60, among="eligible"),
        "one memory": lambda: store.get(store.ids()[0]),
        "history": lambda: store.history(store.ids()[0]),
        "in use": lambda: store.find(among="eligible", by_weight=True, limit=20),
        "changes": lambda: store.changes_since(0, ""),
    }
    for what, ask in questions.items():
        asked.clear()
        ask()
        seen = [(q, v) for q, v in asked if isinstance(q, str) and re.search(r"tenure\.(memory|posting|ledger)\b", q)]
        plans = [" ".join(line for (line,) in execute(f"EXPLAIN {q}", v).fetchall()) for q, v in seen]
        whole = sorted({found for plan in plans for found in re.findall(r"Seq Scan on (\w+)", plan)})
        used = sorted(
            {re.sub(r"_p?\d+(?=_)|\d+$", "", found) for plan in plans for found in re.findall(r"using (\w+)", plan)}
        )
        taken = []
        for _ in range(25):
            begin = time.perf_counter()
            ask()
            taken.append(time.perf_counter() - begin)
        said = f"scans {', '.join(whole)} whole" if whole else f"uses {', '.join(used)}"
        print(f"  {what:12} {1000 * statistics.median(taken):7.2f} ms · {said}")
    del connection.execute
    store.close()
