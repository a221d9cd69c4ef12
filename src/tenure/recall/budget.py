"""What fits: a count, a number of characters, nothing said twice, at most a third from one origin.

Every memory comes in three lengths. Places are given out at the shortest; room that is left lengthens them, best
first. What nobody reviewed never takes the place of what somebody did. The prompt hook runs this.
"""

from __future__ import annotations

from collections.abc import Sequence

from tenure.recall.rank import Candidate
from tenure.text.words import ELLIPSIS, STOP_WORDS, folded, jaccard

# Below this many places a share per origin would leave nothing.
_SHARE_FROM, _SHARE = 3, 3
LINE_CHARS, FULL_CHARS = 120, 1200


def choose(
    ranked: Sequence[Candidate], *, limit: int, budget_chars: int, duplicate_overlap: float
) -> tuple[list[tuple[Candidate, str]], list[tuple[Candidate, str]]]:
    """Return (memory, its text) for those that fit, in order, and (memory, why not) for the others."""
    chosen: list[Candidate] = []
    left_out: list[tuple[Candidate, str]] = []
    spent = 0
    said: list[tuple[Candidate, set[str]]] = []
    origins: dict[str, int] = {}
    most_from_one = max(1, limit // _SHARE) if limit >= _SHARE_FROM else limit
    for item in sorted(ranked, key=lambda item: not item.reviewed):
        mine = _words(item.line)
        cost = len(lengths(item)[0])
        if any(item.id not in other.conflicts and _same(mine, its, duplicate_overlap) for other, its in said):
            # Opposite advice shares its words, and both sides are to be seen.
            left_out.append((item, "says the same as one already shown"))
        elif len(chosen) >= limit:
            left_out.append((item, f"over the limit of {limit} memories"))
        elif spent + cost > budget_chars:
            left_out.append((item, f"over the budget of {budget_chars} characters"))
        elif item.origin and origins.get(item.origin, 0) >= most_from_one:
            left_out.append((item, f"more than a third from {item.origin}"))
        else:
            chosen.append(item)
            spent += cost
            said.append((item, mine))
            origins[item.origin] = origins.get(item.origin, 0) + 1
    place = {item.id: position for position, item in enumerate(ranked)}
    chosen.sort(key=lambda item: place[item.id])
    return lengthened(_sides_together(chosen), budget_chars - spent), left_out


def lengths(item: Candidate) -> tuple[str, str, str]:
    """Return a memory as a short line, a summary, and as much of its text as is ever shown."""
    line = item.line if len(item.line) <= LINE_CHARS else item.line[: LINE_CHARS - 1].rstrip() + ELLIPSIS
    full = item.line
    if item.text and len(item.line) < len(item.text) <= FULL_CHARS:
        full = item.text if item.text.startswith(item.title.rstrip(ELLIPSIS)) else f"{item.title}: {item.text}"
    return line, item.line, full


def lengthened(chosen: Sequence[Candidate], room: int) -> list[tuple[Candidate, str]]:
    """Return each memory with the longest form there is room for: summaries first, then whole texts, best first."""
    shown = [lengths(item)[0] for item in chosen]
    for longer in (1, 2):
        for position, item in enumerate(chosen):
            text = lengths(item)[longer]
            if len(text) - len(shown[position]) <= room:
                room -= len(text) - len(shown[position])
                shown[position] = text
    return list(zip(chosen, shown, strict=True))


def _sides_together(chosen: list[Candidate]) -> list[Candidate]:
    """Move a memory up to the one it contradicts."""
    ordered: list[Candidate] = []
    for item in chosen:
        if item not in ordered:
            ordered.append(item)
            ordered += [other for other in chosen if other.id in item.conflicts and other not in ordered]
    return ordered


def _words(line: str) -> set[str]:
    return {word for word in folded(line).split() if word not in STOP_WORDS}


def _same(mine: set[str], others: set[str], overlap: float) -> bool:
    share = jaccard(mine, others)
    return share > 0 and share >= overlap
