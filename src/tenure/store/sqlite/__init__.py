"""The store in one SQLite file: `store.py` is what use cases get, `hook_reader.py` what hooks get.

Here stand the columns of a memory's row, and what the hash is made of that tells a row altered behind our back. Both
sides need them and a hook pays for every module, so they stand in the package itself and import next to nothing.
"""

from __future__ import annotations

from collections.abc import Sequence

from tenure.files import sha256

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

COLUMNS = "n, id, version, kind, state, phase, eligible, weight, line, due_at, fingerprint, record, hash"
QUALIFIED = "memory." + COLUMNS.replace(", ", ", memory.")
# Which memories are looked at -> the end of a clause (`records.Among`).
AMONG = {"all": "", "present": "AND memory.phase != 'gone'", "eligible": "AND memory.eligible = 1"}
# Where some of them stand.
NUMBER, ID, VERSION, KIND, STATE, ELIGIBLE, WEIGHT, LINE, RECORD, HASH = 0, 1, 2, 3, 4, 6, 7, 8, 11, 12

# Memories of different layers were not captured side by side: their numbers lie so far apart.
LAYERS_APART = 1 << 40

# What a guard's fire is hashed over, in this order, and what stands between needles.
FIRE_COLUMNS = ("at", "memory", "session", "host", "outcome", "about", "call", "verdict")
NEEDLES_BETWEEN = "\x1f"
# What an exposure is hashed over, in this order.
EXPOSURE_COLUMNS = ("session", "memory", "at", "shown", "share", "surface", "host", "kind", "crossed", "own")
# What the coin of each memory that would be shown must know, in one statement; {} are marks for the ids.
KNOWN_TO_THE_COIN = """
    SELECT (SELECT value FROM meta WHERE key = 'key'),
        (SELECT shown FROM exposure WHERE session = ?1 AND memory = '(block)'),
        id,
        -- A guard that only counts acts on nothing, and is what its memory is measured by.
        iif(record ->> '$.guard.state' IS 'on' AND coalesce(record ->> '$.guard.level', 'count') != 'count',
            'guard', kind),
        state, record ->> 'trust' IS 'user',
        EXISTS (SELECT 1 FROM json_each(record, '$.tags') AS tag WHERE lower(tag.value) = 'security'),
        (SELECT count(*) FROM exposure AS e WHERE e.memory = m.id),
        (SELECT e.shown FROM exposure AS e WHERE e.session = ?1 AND e.memory = m.id)
    FROM memory AS m WHERE id IN ({})
"""


def hashed(*columns: object) -> bytes:
    """Return what the hash of a row is made of, in every table that carries one."""
    return "\0".join(map(str, columns)).encode()


def is_whole(row: Sequence[Any]) -> bool:
    """Tell whether a memory's row is as Tenure wrote it."""
    return bool(sha256(hashed(*row[:HASH])).digest() == row[HASH])
