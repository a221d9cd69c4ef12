"""Who did something: a person, an agent or a process, through which surface, and whether a person was present.

An actor is a value stored with each event. The name given with `--by` is a label; the identity is the user of the
machine, because anybody can type a label.
"""

from __future__ import annotations

from enum import StrEnum

import msgspec

from tenure.model.decoding import convert


class Kind(StrEnum):
    """What acted."""

    PERSON = "person"
    AGENT = "agent"
    PROCESS = "process"


class Presence(StrEnum):
    """How it is known that a person was there; `none` when it is not."""

    NONE = "none"
    # A word shown on the terminal was typed back.
    TERMINAL = "terminal"
    # A page of `tenure ui` that was opened with the ticket shown on the terminal.
    TICKET = "ticket"
    # From a home made for CI and tests, where nobody is asked.
    UNATTENDED = "unattended"


_PRESENT = {
    Presence.NONE: "not asked",
    Presence.TERMINAL: "at a terminal",
    Presence.TICKET: "on a page",
    Presence.UNATTENDED: "unattended",
}


class Actor(msgspec.Struct, frozen=True, omit_defaults=True):
    """Who acts, as the ledger keeps it."""

    user: str = ""
    kind: Kind = Kind.PERSON
    surface: str = ""
    host: str = ""
    presence: Presence = Presence.NONE
    # The home it was done from, so that verdicts from a home somebody else made can be recognised.
    home: str = ""
    # That no terminal was around, or one whose session it was cut off from: a script, a scheduled job, or a process
    # that left its agent. Nobody can tell which.
    detached: bool = False
    # The programs that held the terminal, where that can be seen, and that none of them had a person before it.
    terminal: str = ""
    unwatched: bool = False
    # That it was unwatched and `TENURE_NOW` gave the time, so that the entry's date says nothing of when it was done.
    set_clock: bool = False

    @property
    def in_words(self) -> str:
        """Who it was, as a person reads it."""
        return self._told(f"on {self.unseen}")

    @property
    def in_few_words(self) -> str:
        """Who it was, for the column of a table; `unseen` says what `unwatched` means."""
        return self._told("unwatched")

    @property
    def unseen(self) -> str:
        """The terminal of an actor that is `unwatched`."""
        return f"a terminal with no person in sight (opened by {self.terminal})"

    def _told(self, unwatched: str) -> str:
        if self.kind is Kind.PROCESS:
            return f"by itself, through {self.surface}" if self.surface else "by itself"
        if self.kind is Kind.AGENT:
            return f"an agent in {self.host}" if self.host else f"an agent through {self.surface or 'Python'}"
        if self.detached:
            return f"{self.user or 'a person'}, without a terminal"
        found = f"{self.user or 'a person'}, {_PRESENT[self.presence]}"
        if self.unwatched:
            return f"{found}, {unwatched}"
        return f"{found} ({self.terminal})" if self.terminal else found

    @property
    def is_agent(self) -> bool:
        return self.kind is Kind.AGENT

    @property
    def shown_on_terminal(self) -> bool:
        """Whether a ticket for this actor was shown on a terminal."""
        return self.presence is Presence.TICKET

    @property
    def present(self) -> bool:
        """Whether a verdict of this actor counts."""
        return self.presence is not Presence.NONE


def read(who: object) -> Actor | None:
    """Return the actor that stands with an event; None for an entry from before actors were kept."""
    try:
        return convert(who, Actor)
    except msgspec.ValidationError:
        return None
