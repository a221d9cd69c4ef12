"""Fresh lesson ids, `m-NNN`, rising and never given twice.

The script looks at the live lessons only and so hands out the id of a lesson just forgotten; here the
archive and the audit trail count too, and so do lines that cannot be read.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator

from tenure.systems.archeflow.lessons import LessonLine

# The script also counts a bare number. Longer numbers are not ids of its making.
_ID = re.compile(r"(?:m-)?([0-9]{1,9})")
_MENTIONED = re.compile(rb'"m-([0-9]{1,9})"')


def fresh_ids(lessons: Iterable[LessonLine], elsewhere: Callable[[], Iterable[bytes]]) -> Iterator[str]:
    """Yield ids above all in use; `elsewhere` reads the other files, and only when an id is asked for."""
    taken = set()
    highest = 0
    for line in lessons:
        identity = line.record.get("id") if line.record is not None else None
        if isinstance(identity, str):
            taken.add(identity)
            if found := _ID.fullmatch(identity):
                highest = max(highest, int(found[1]))
        elif line.problem:
            highest = max(highest, _highest(line.raw))
    highest = max(highest, *(_highest(data) for data in elsewhere()), 0)
    while True:
        highest += 1
        if (identity := f"m-{highest:03d}") not in taken:
            yield identity


def _highest(data: bytes) -> int:
    return max(map(int, _MENTIONED.findall(data)), default=0)
