"""What a store hands out: memories as they are kept, search hits, notes of injections, vectors.

Every store returns these, whatever it is made of. Nothing in them tells how they are kept.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator, Sequence
from itertools import accumulate
from math import gcd
from typing import Any, Literal, NamedTuple

import msgspec

from tenure.model.memory import Memory
from tenure.recall import LAYERS_APART
from tenure.recall.query import Match, ParsedQuery

# Which memories are looked at: all, those that are not gone, or those an agent may be shown.
Among = Literal["all", "present", "eligible"]


class Row(msgspec.Struct, frozen=True, gc=False):
    """A memory as the store holds it."""

    # Its place in the order of capture, from 1 on: given once, kept as long as the memory is there.
    number: int
    version: int
    memory: Memory
    # The policy's verdict when the memory was written.
    eligible: bool
    weight: int
    line: str


class ReviewQueue(NamedTuple):
    """What waits for a person, in the order in which a verdict is worth most."""

    # How many wait, and (place, number) of each; both without those that contradict others.
    total: int
    in_order: Iterator[tuple[tuple[int, int, str], int]]
    # Those that contradict others: whether they wait, and where, depends on the others.
    contested: list[Row]


class SearchHit(msgspec.Struct, frozen=True, gc=False):
    """A memory that holds some of a query's words, and what matched in each of its fields."""

    row: Row
    match: Match


class SearchResult(msgspec.Struct, frozen=True):
    """How a text was read as a query, and the memories that hold any of its words, best first."""

    query: ParsedQuery
    hits: list[SearchHit]
    # A memory's number -> what matched in it, also for those that were found and not kept.
    matches: dict[int, Match]

    @property
    def rows(self) -> list[Row]:
        """The memories alone."""
        return [hit.row for hit in self.hits]


class Note(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """One memory of an injection, as every path that shows memories writes it down."""

    id: str
    score: float = 0.0
    # None where an earlier version of Tenure noted only the id.
    version: int | None = None
    # Which of the three lengths of `recall.budget`: line, summary, full.
    length: int | None = None
    # How long its summary was: the policy of that time cut it.
    line: int | None = None
    # What each signal added to the score, or why it was shown in words.
    terms: dict[str, float] = {}
    why: str = ""
    evidence: float | None = None
    conflicts: tuple[str, ...] = ()
    stale: bool = False
    caution: bool = False
    # Which block it was in: "" for the fenced one, "tool" for that of a tool call, or a system's own.
    shape: str = ""
    seal: str = ""
    # What it cost; 0 where an earlier version did not count.
    chars: int = 0


class Shown(msgspec.Struct, frozen=True, kw_only=True):
    """When something was shown, to whom and for what."""

    number: int
    at: str
    run: str
    task: str
    agent: str
    query: str

    def facts(self) -> dict[str, Any]:
        """Return this as a document, without what was shown."""
        return {name: getattr(self, name) for name in Shown.__struct_fields__}


class ShownIds(Shown, frozen=True, kw_only=True):
    """One injection in a list of many, with the ids of what was shown."""

    ids: tuple[str, ...]


class Injected(Shown, frozen=True, kw_only=True):
    """One injection, with the notes of what was shown."""

    notes: tuple[Note, ...]


class Codes:
    """Vectors one after the other, in the order of their memories' numbers; a long memory has one for each passage."""

    __slots__ = ("lengths", "numbers", "packed", "sizes")

    def __init__(self, numbers: list[int], packed: bytes, sizes: Sequence[int] = ()) -> None:
        # `sizes` has how many bytes each memory's vectors take; none are given where all have one.
        self.numbers, self.packed, self.sizes = numbers, packed, sizes
        # Filled in by whoever measures them, once.
        self.lengths: Any = None

    def place(self, number: int) -> int | None:
        """Return which of the memories this is, None when it has no vector."""
        place = bisect_left(self.numbers, number)
        return place if place < len(self.numbers) and self.numbers[place] == number else None

    def firsts(self) -> tuple[bytes, int]:
        """Return the first vector of each memory, one after the other, and how many bytes each takes."""
        size = gcd(*self.sizes) if self.sizes else len(self.packed) // max(1, len(self.numbers))
        starts = accumulate(self.sizes[:-1], initial=0) if self.sizes else range(0, len(self.packed), size or 1)
        return b"".join(self.packed[start : start + size] for start in starts), size


class Team(msgspec.Struct, frozen=True, kw_only=True):
    """Who acts in a store that several share, as the store itself knows it, and what that role may do."""

    # The name it logged in with; it is in the ledger whatever name was given.
    role: str
    # Whether it may do more than an agent, and whether its verdicts count.
    judges: bool
    decides: bool
    is_agent: bool
    # How many others must agree before a memory is used; 0 lets everybody who judges decide alone.
    approvals: int


class Changes(NamedTuple):
    """What changed in a store since an entry: the last entry now with its proof, the ids, and those still there."""

    entry: int
    proof: str
    ids: tuple[str, ...]
    rows: list[Row]
    common: CommonWords


class CommonWords(NamedTuple):
    """The words that many memories hold, with how many, as they were counted when there were so many memories."""

    counted_at: int
    words: list[tuple[str, int]]


class Copy(msgspec.Struct, frozen=True, kw_only=True):
    """A copy of a store on somebody's machine: the last entry it knows, and since when."""

    name: str
    role: str
    entry: int
    at: str


class HarmReport(NamedTuple):
    """An agent's report that a memory did harm: which one, the role that says so, and in what words."""

    id: str
    by: str
    notes: str


class GuardFire(NamedTuple):
    """What came of a guard at a call, or what a person allows; `number` is 0 before it is written."""

    number: int
    at: str
    memory: str
    session: str
    host: str
    # counted, reminded, slowed, asked, denied, passed, allow-once, allow-session.
    outcome: str
    about: str = ""
    call: str = ""
    # right, wrong, or empty.
    verdict: str = ""


class Exposed(msgspec.Struct, frozen=True, kw_only=True):
    """A memory that would be shown in a session, the first time: shown, or held back to learn whether it helps."""

    session: str
    memory: str
    at: str
    shown: bool
    # How likely it was held back at that moment.
    share: float
    surface: str
    host: str
    kind: str
    # Held back, and reached the agent another way: it still counts as held.
    crossed: bool = False
    # What came of the signal the memory owns; None when it owns none.
    own: bool | None = None


class SessionOutcome(msgspec.Struct, frozen=True, kw_only=True):
    """What came of a session. None is unknown, never 0."""

    session: str
    at: str
    host: str
    model: str | None = None
    corrections: int | None = None
    interruptions: int | None = None
    failed_commands: int | None = None
    same_errors: int | None = None
    edits_taken_back: int | None = None
    # Whether the last test or build failed.
    ended_red: bool | None = None
    violations: int | None = None
    turns: int | None = None
    tokens: int | None = None
    cached_tokens: int | None = None
    seconds: int | None = None
    # When trouble came last; empty where there was some and nobody knows when.
    trouble_at: str | None = None
    # Hashes of the errors that came.
    errors: tuple[int, ...] = ()

    @property
    def troubled(self) -> bool | None:
        """The primary outcome, fixed beforehand: a correction, the same error again, an edit taken back, a red end."""
        signs = (self.corrections, self.same_errors, self.edits_taken_back, self.ended_red, self.violations)
        known = [bool(sign) for sign in signs if sign is not None]
        return any(known) if known else None


def of_layer(row: Row, layer: str, place: int) -> Row:
    """Return a row of another layer as it is listed beside the project's own: its id says where it is from.

    What it contradicts or superseded it are ids that are plain there.
    """
    memory = msgspec.structs.replace(
        row.memory, id=layer + row.memory.id, conflicts=(), supersedes=(), superseded_by=None
    )
    return msgspec.structs.replace(row, number=row.number + place * LAYERS_APART, memory=memory)


def layer_of(number: int) -> tuple[int, int]:
    """Return the place of the layer a number is of, 0 for the project's own, and the memory's number there."""
    return divmod(number, LAYERS_APART)
