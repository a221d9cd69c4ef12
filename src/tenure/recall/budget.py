"""What fits: a count, a number of characters, nothing said twice, at most a third from one origin."""

from __future__ import annotations

from collections.abc import Sequence

from tenure.recall.rank import Scored
from tenure.text import jaccard, words

# Below this many places a share per origin would leave nothing.
_SHARE_FROM, _SHARE = 3, 3


def choose(
    ranked: Sequence[Scored], lines: Sequence[str], *, limit: int, budget_chars: int, duplicate_overlap: float
) -> tuple[list[int], list[tuple[int, str]]]:
    """Return the positions that fit, and (position, why not) for the others."""
    chosen: list[int] = []
    left_out: list[tuple[int, str]] = []
    spent = 0
    said: list[tuple[str, set[str]]] = []
    origins: dict[str, int] = {}
    most_from_one = max(1, limit // _SHARE) if limit >= _SHARE_FROM else limit
    for position, (item, line) in enumerate(zip(ranked, lines, strict=True)):
        mine = set(words(line))
        origin = _origin(item)
        if any(
            # Opposite advice shares its words, and both sides are to be seen.
            id not in item.memory.conflicts and jaccard(mine, other) >= duplicate_overlap
            for id, other in said
        ):
            left_out.append((position, "says the same as one already shown"))
        elif len(chosen) >= limit:
            left_out.append((position, f"over the limit of {limit} memories"))
        elif spent + len(line) > budget_chars:
            left_out.append((position, f"over the budget of {budget_chars} characters"))
        elif origin and origins.get(origin, 0) >= most_from_one:
            left_out.append((position, f"more than a third from {origin}"))
        else:
            chosen.append(position)
            spent += len(line)
            said.append((item.memory.id, mine))
            origins[origin] = origins.get(origin, 0) + 1
    return chosen, left_out


def _origin(item: Scored) -> str:
    """Return whom a memory comes from, for the share one origin may have; the user's own have no limit."""
    memory = item.memory
    if memory.stated or memory.approvals:
        return ""
    return f"run {memory.runs[0]}" if len(memory.runs) == 1 else ""
