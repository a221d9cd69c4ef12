"""What a store must be able to do, whatever it is made of: docs/architecture.md says how to write another one.

`Store` is what use cases read and write. Six parts of it stand apart: `activity` (injections, which are no part of a
memory's history), `effects` (exposures and outcomes), `guards` (their fires), `overview` (lists, the queue, counts),
`vectors` (what an encoder made of the texts) and `health` (proof, repair, erasure).
Hooks have a store of their own: `hook_api.HookStore`.

Nothing here names a table, a file or a driver. Whatever fails inside a store arrives as one of our errors:
`StoreBusy`, `StoreDamaged`, `StoreUnusable`, `StoreTooNew`, or `Conflict` for a change that somebody else overtook.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from datetime import datetime
from pathlib import Path
from typing import Any, Protocol, TypeVar

from tenure.model.events import Life, Recorded, Revision
from tenure.model.memory import Memory, Verdict
from tenure.model.policy import Policy
from tenure.recall.query import Match, ParsedQuery
from tenure.store.records import (
    Among,
    Changes,
    Codes,
    Copy,
    Exposed,
    GuardFire,
    HarmReport,
    Injected,
    Note,
    ReviewQueue,
    Row,
    SearchResult,
    SessionOutcome,
    ShownIds,
    Team,
)

__all__ = [
    "Activity",
    "Doing",
    "Effects",
    "Exposed",
    "GuardFire",
    "GuardFires",
    "Health",
    "SessionOutcome",
    "Store",
    "TeamStore",
    "Vectors",
]

Result = TypeVar("Result")
Progress = Callable[[int, int], None]
Judge = Callable[[Memory], Verdict]
# How good a memory is for a query, by what matched in it and its number.
Best = Callable[[ParsedQuery, Match, int], float]


class Store(Protocol):
    """One project's memories with their ledger and their index. Use it from one thread; open another for another."""

    # Ids of memories that were altered outside Tenure; they are never returned.
    damaged: list[str]

    @property
    def activity(self) -> Activity:
        """Runs, and what was shown to agents in them."""

    @property
    def effects(self) -> Effects:
        """Exposures and outcomes, by which the effect of memories is measured."""

    @property
    def guards(self) -> GuardFires:
        """What came of guards at tool calls."""

    @property
    def overview(self) -> Overview:
        """Long lists a page at a time, and counts by week."""

    @property
    def vectors(self) -> Vectors:
        """What an encoder made of the texts."""

    @property
    def health(self) -> Health:
        """Proof, repair and erasure."""

    @property
    def place(self) -> str:
        """Where it is, for messages."""

    @property
    def team(self) -> Team | None:
        """Who acts, where several share the store and it knows them itself; None where the machine's user does."""

    @property
    def exists(self) -> bool:
        """Whether anything was ever written; reading does not need it and does not make it."""

    @property
    def identity(self) -> str:
        """What tells this store from another one at the same place, and a copy does not; empty before it exists."""

    # Reading

    def get(self, id: str) -> Row | None:
        """Return a memory; raise `StoreDamaged` when it was altered outside Tenure."""

    def find(
        self,
        *,
        among: Among = "all",
        phases: Sequence[str] = (),
        state: str = "",
        kind: str = "",
        due: datetime | None = None,
        fingerprint: int | None = None,
        numbers: Sequence[int] | None = None,
        files: Sequence[str] | None = None,
        by_weight: bool = False,
        limit: int | None = None,
    ) -> list[Row]:
        """Return the memories that fit all that is given, in the order of capture or the weightiest first.

        `due` is a time before which their review is due, `fingerprint` that of `Verdict`, `files` finds those about
        any of these files or their folders, by name.
        """

    def ids(self, prefix: str = "", limit: int = 100_000) -> list[str]:
        """Return the ids of memories that begin like this, sorted."""

    def used_ids(self, ids: Sequence[str]) -> set[str]:
        """Return those of the ids that some memory has or ever had."""

    def counts(self) -> dict[tuple[str, str, str], int]:
        """Return how many memories there are by phase, state and kind."""

    def search(
        self,
        text: str,
        limit: int,
        *,
        among: Among = "all",
        keep: int | None = None,
        best: Best | None = None,
        beginnings: bool = False,
        beside: Mapping[str, Any] | None = None,
    ) -> SearchResult:
        """Return how a text is read as a query, and the memories that hold any of its words.

        With `keep` only so many of the `limit` found are returned: the `best`, or those that hold most of the query.
        With `beginnings` an unknown word of a short text matches by its beginning.
        Nothing a text contains is ever query syntax. A limit of 0 only reads the text.
        `beside` has other layers by what their ids begin with here; what a word tells is counted over all of them.
        """

    def similar(self, text: str, limit: int, most_words: int) -> list[Row]:
        """Return the memories most like a text by its longest words, best first."""

    def history(self, id: str, *, prove: bool = False) -> list[Recorded]:
        """Return what happened to a memory, oldest first; also for one that is gone for good.

        With `prove` an entry that was altered outside Tenure raises `StoreDamaged`.
        """

    def batches(self, upto: int | None = None) -> Iterator[list[Recorded]]:
        """Return what each command wrote, newest first; with `upto` from the command on that wrote this entry."""

    def setting(self, key: str) -> str:
        """Return a text kept beside the memories, empty when there is none."""

    def runs(self) -> int:
        """Return how many runs the store has seen."""

    # Writing

    def writing(self, *, makes: bool = True, many: bool = False) -> AbstractContextManager[None]:
        """Hold the store for one change: all of it is written at the end, or nothing when something is raised.

        What is read inside cannot be changed by others meanwhile. It may be nested; the outermost one counts. With
        `makes` off a store that does not exist is not made. `many` prepares for thousands of memories.
        """

    def commit(
        self, changes: Sequence[Revision | Life], verdicts: Sequence[Verdict | None], *, batch: int | None = None
    ) -> int:
        """Write a changeset, memories and ledger together, and return the number of its batch.

        `batch` joins an earlier changeset, so that one command is undone as one. Raises `Conflict`, and writes nothing,
        when a memory is no longer at the version its revision saw or an id was used before.
        """

    def keep(self, key: str, value: str) -> None:
        """Store a text beside the memories, when it is not there already."""

    def refresh(self) -> None:
        """Pick up what changed outside since the last command, where memories lie in another system's files."""

    # Forgetting

    def mark(self, text: str) -> bytes:
        """Return the keyed hash of a text: the same in this store always, and telling nothing without its key."""

    def forgotten(self, texts: Iterable[str]) -> set[str]:
        """Return those of the folded texts that were forgotten on request; reads none of them when nothing ever was."""

    def owns(self, path: Path) -> bool:
        """Tell whether a file is part of the store, so that nobody writes over it."""

    def close(self) -> None:
        """Close it; the next use opens it again."""


class TeamStore(Store, Protocol):
    """A store that several machines share, and what only that needs."""

    # The key of the next change; without one it gets a key of its own.
    command: str

    def once(self, key: str, command: Callable[[], Result]) -> Result | None:
        """Carry out a command in one change under its key; None when that was done before."""

    def done(self, key: str) -> bool:
        """Tell whether the command with this key was carried out."""

    def changes_since(self, seq: int, proof: str) -> Changes | None:
        """Return what changed after a proven entry, None when that entry is not of this ledger; from 0 on, everything.

        Every entry is proved against the one before and every memory against its entries: `StoreDamaged` otherwise.
        """

    def heard(self, seconds: float) -> bool:
        """Wait so long for a change of the project, and say whether there was one; the first call begins to listen."""

    def figures(self) -> dict[str, int]:
        """Return what there is of the project, by name."""

    def reports(self, limit: int) -> list[HarmReport]:
        """Return the last report of harm about each memory in use that nobody decided about since."""

    def note_copy(self, name: str, seq: int) -> None:
        """Write down how far a copy has come; a change of no memory."""

    def copies(self) -> list[Copy]:
        """Return how far each copy has come."""


class Activity(Protocol):
    """What happens around memories and is no part of their history: runs, and what was shown in them."""

    def record_run(self, run: str, now: datetime) -> int:
        """Count a run once and return how many runs there are now."""

    def record(
        self, now: datetime, notes: Sequence[Note | Mapping[str, Any]], *, run: str, task: str, agent: str, query: str
    ) -> None:
        """Remember what was shown to whom."""

    def shown(
        self, limit: int | None = None, *, id: str = "", run: str = "", task: str = "", agent: str = ""
    ) -> list[ShownIds]:
        """Return the newest injections first: all, or those of a memory, a run, a task or an agent."""

    def injection(self, number: int | None) -> Injected | None:
        """Return one injection with its notes, the newest without a number; None when there is none."""

    def reword(self, number: int, *, query: str, task: str) -> None:
        """Replace what an injection was asked for; the words before are overwritten as those of the forgotten are."""


class Effects(Protocol):
    """What is measured of memories: each one's first exposure in a session, and what came of the session."""

    def known(self, session: str, ids: Sequence[str]) -> tuple[bytes, bool | None, list[tuple[Any, ...]]]:
        """Return the store's secret, the arm of the session's block, and what the coin must know of these memories.

        The last are arguments of `recall.holdout.Known`.
        """

    def expose(self, exposures: Iterable[Exposed]) -> None:
        """Write down exposures; the first of a memory in a session stands."""

    def exposures(self, *, session: str = "", memory: str = "") -> list[Exposed]:
        """Return exposures in the order they came: all, or those of a session or a memory."""

    def settle(self, session: str, *, crossed: Iterable[str] = (), own: Iterable[tuple[str, bool]] = ()) -> None:
        """Write down which held memories reached the agent after all, and what came of the signals memories own."""

    def conclude(self, outcome: SessionOutcome) -> None:
        """Write down what came of a session; one that goes on after its end is written again."""

    def costs(self) -> list[tuple[str, str, str, int]]:
        """Return (session, host, memory, characters) of everything that was ever shown and whose length was noted."""

    def outcomes(self, *, session: str = "", limit: int | None = None) -> list[SessionOutcome]:
        """Return what came of sessions, in the order they ended; with a limit the last ones, or that of one session."""


class GuardFires(Protocol):
    """What came of guards at tool calls, and what a person said of it."""

    def fires(self, *, memory: str = "", since: str = "") -> list[GuardFire]:
        """Return fires and allowances in the order they came."""

    def note(self, fire: GuardFire) -> None:
        """Write down what came of a guard at a call, or what a person allows."""

    def judge(self, number: int, verdict: str) -> None:
        """Write down what a person says of a fire: right or wrong."""


class Overview(Protocol):
    """Long lists a page at a time, and counts by week; no method reads every memory."""

    def memories(
        self,
        limit: int,
        *,
        phases: Sequence[str] = (),
        state: str = "",
        kind: str = "",
        scope: str = "",
        file: str = "",
        text: str = "",
        conflicting: bool = False,
        guarded: bool = False,
        sort: str = "newest",
        after: str = "",
    ) -> list[Row]:
        """Return the memories that fit all that is given, sorted by "newest", "oldest", "weight" or "id".

        `after` is the id of the last memory of the page before; `text` is a part of what it says, in any case.
        """

    def queue(self, now: datetime, rules: int) -> ReviewQueue | None:
        """Return what waits in the order of worth; None where other rules than these placed some of it."""

    def waiting(self, now: datetime, successes: Mapping[str, int]) -> list[Row]:
        """Return every memory somebody may have to decide on: pending, held, overdue, in conflict, or ready to rise.

        `successes` says of each live state how many successful uses its next step asks for.
        """

    def entries(
        self, limit: int, *, before: int | None = None, type: str = "", id: str = "", actor: str = ""
    ) -> list[Recorded]:
        """Return entries of the ledger, newest first; with `before` those below this number."""

    def count_due(self, now: datetime) -> int:
        """Return how many live memories are past their review date."""

    def weekly(self, since: datetime) -> list[tuple[str, str, str, str, int]]:
        """Return (Monday, type, phase before, phase after, how many) of events; no phases where none changed."""

    def unverified_days(self, now: datetime) -> dict[int, int]:
        """Return how many live memories were verified up to so many days ago, by powers of two; none never verified."""


class Vectors(Protocol):
    """One vector for each text, of one encoder at a time; a text that changes loses its vector."""

    def encoder(self) -> str:
        """Return what made the vectors, empty when there are none."""

    def codes(self, among: Among = "all") -> Codes:
        """Return the vectors of memories."""

    def some(self, numbers: Sequence[int]) -> list[tuple[int, bytes]]:
        """Return (number, vector) of those of the memories that have one."""

    def missing(self, encoder: str, limit: int, after: int = 0) -> list[Row]:
        """Return memories above a number that this encoder has not seen; vectors of another one are dropped."""

    def count_missing(self, encoder: str) -> int:
        """Return how many memories this encoder has not seen."""

    def keep(
        self,
        encoder: str,
        rows: Sequence[Row],
        codes: Sequence[bytes],
        related: Sequence[str],
    ) -> None:
        """Store vectors and words of related meaning for those of the texts that are still the same."""


class Doing(Protocol):
    """Does something that may be repeated after it failed, and returns what comes of it."""

    def __call__(self, action: Callable[[], Result]) -> Result: ...


class Health(Protocol):
    """Proof that a store is what it says, repair of what follows from the memories, and erasure to the last byte."""

    def check(self, policy: Policy, progress: Progress | None = None) -> Iterator[tuple[str, str]]:
        """Return (where, what is wrong) for everything that does not hold."""

    def rebuild(self, judge: Judge) -> int:
        """Make everything anew that follows from the memories; return how many there are."""

    def needs_rebuild(self) -> bool:
        """Tell whether an earlier version left something to be made anew."""

    def rejudge(self, judge: Judge) -> int:
        """Store anew the verdicts that a changed policy or version made stale; return how many were."""

    def erase(self, id: str, marks: Sequence[bytes], now: datetime) -> None:
        """Blank what is left of a memory that was removed; `marks` keep its texts from coming back."""

    def finish_erasing(self) -> bool:
        """Rewrite what still holds erased words; return False while a reader keeps an old view alive."""

    def is_erasing(self) -> bool:
        """Tell whether erased words wait to be rewritten."""

    def head(self) -> tuple[int, str]:
        """Return the number of the last ledger entry and the value that proves it; (0, "") before the first."""

    def proof_of(self, entry: int) -> str:
        """Return the value that proves a ledger entry, empty when there is none of that number."""

    def forgotten_marks(self) -> list[tuple[str, str]]:
        """Return the marks of forgotten texts, each with the id of its memory."""

    def also_forget(self, marks: Sequence[bytes]) -> None:
        """Refuse texts with these marks too, as long as the store is open."""

    def despite_a_full_disk(self) -> AbstractContextManager[Doing]:
        """Hand out a function that does something, giving up space kept in reserve when the disk is full."""
