"""What hooks read of a store and write to it. Hooks pay for every import, so this is less than `api.Store`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Protocol

from tenure.recall.query import HookFacts, HookRow, ParsedQuery


class HookStore(Protocol):
    """The read side of hooks, and the one thing they write: what was shown. Only what may be shown is found.

    What the policy says was decided when the memories were written, so no policy is read here.
    """

    # Where it is, as `Store.place` says it.
    place: str
    # The time as the store writes it.
    now: str
    # Whether nothing can be written, as on a read-only mount.
    readonly: bool
    # What the ids of this layer begin with, empty for the project's own.
    layer: str

    def identity(self) -> str:
        """Return what tells this store from another one at the same place, as `Store.identity` does."""

    def limits(self) -> Mapping[str, Any]:
        """Return the limits of an injection that the policy set when the store was last written."""

    def search(self, text: str, limit: int, beside: Sequence[Any] = ()) -> tuple[ParsedQuery, list[HookRow]]:
        """Return a prompt as a query, and the memories that hold any of its words, each with its match.

        `beside` are other layers of the same kind of store; what a word tells is counted over all of them.
        """

    def is_current(self, row: HookRow) -> bool:
        """Tell whether the file a memory comes from lies there as it was read; one without a file is."""

    def find(
        self,
        limit: int,
        *,
        ids: Sequence[str] = (),
        files: Sequence[str] = (),
        phrases: Sequence[str] = (),
        state: str = "",
        kinds: Sequence[str] = (),
        due: bool = False,
    ) -> list[HookRow]:
        """Return memories by one of these: ids, names of files, phrases they hold word for word, state, kinds, overdue.

        The weightiest come first, of those that are due the longest overdue; by kind the newest of equal weight.
        `state` looks among the `limit` weightiest. Without any of these it is the weightiest of all.
        """

    def facts(self, row: HookRow) -> HookFacts | None:
        """Return what the record of a memory says; None for one that was altered outside Tenure."""

    def vectors(self, numbers: Sequence[int]) -> tuple[str, list[tuple[int, bytes]]]:
        """Return the encoder's name, empty without one, and (number, vector) of those memories that have one."""

    def present(self, ids: Sequence[str]) -> set[str]:
        """Return those of the memories that are not gone."""

    def count_live(self, most: int = -1) -> int:
        """Return how many memories are live; with `most`, no more than that are counted."""

    def seen(self, run: str, *, held: bool = False) -> set[tuple[str, int | None]]:
        """Return (id, version) of what a session was shown since it began or was compacted; None: any version.

        With `held` also what is held back from it, which counts as seen; only a store that measures effects has any.
        """

    def learned(self, run: str, query: str) -> list[str]:
        """Return the ids of what was learned from the person's words lately, or since others were shown `query`."""

    def spent(self, run: str) -> int:
        """Return how many characters a session was shown since it began or was compacted."""

    def known(self, session: str, ids: Sequence[str]) -> tuple[bytes, bool | None, list[tuple[Any, ...]]]:
        """Return what the coin needs, as `Effects.known` does."""

    def remember(
        self,
        run: str,
        agent: str,
        query: str,
        notes: Sequence[Mapping[str, Any]],
        exposures: Sequence[tuple[str, bool, float, str, str]] = (),
    ) -> None:
        """Write down what was shown, as `recall.block` notes it, and the exposures that `recall.holdout` found."""

    def guards(self, kind: str) -> list[tuple[list[str], bool, HookRow]]:
        """Return the guards at work for a kind of call: texts of which one must stand in it, and whether by commands.

        The texts of a guard by commands are the names of their programs.
        """

    def guard(self, row: HookRow, session: str) -> tuple[Mapping[str, Any], list[tuple[str, str]]] | None:
        """Return the guard of a memory and (outcome, call) of its last fires in a session, the newest first.

        None for a memory that was altered outside Tenure.
        """

    def note_fires(self, session: str, host: str, fires: Sequence[tuple[str, str, str, str]]) -> None:
        """Write down (memory, outcome, about, call) of guards at a call."""

    def forget_seen(self, run: str, agent: str) -> None:
        """Write down that a session lost what it had been shown."""

    def close(self) -> None:
        """Close it."""
