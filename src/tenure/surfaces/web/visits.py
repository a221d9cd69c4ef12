"""The local user: one person, who came in with a ticket that works once, and typed a word to decide.

The ticket stands in the command line of the browser, where every process of the user can read it; so it only opens
pages to look at, and the word, which stands on the terminal and nowhere else, lets this visit decide.
A team's server would have another module like this one, with its own login; nothing else here knows who is there.
A browser sends a cookie to every port of a machine, and a coding agent's server may listen on another one. So the
pages lie below a secret address, and the cookie belongs to that address: neither is enough alone.
The one rule: whoever has not come in with a ticket sees nothing, and a page decides only where presence was proved.
"""

from __future__ import annotations

import hmac
import secrets
from dataclasses import dataclass, field

from tenure.model.actor import Actor

TICKET_BYTES = 24
# Syllables that nobody mistypes: 85 of them, three a word, and a few tries.
CONSONANTS, VOWELS, SYLLABLES, TRIES = "bdfghjklmnprstvwz", "aeiou", 3, 3


@dataclass
class Visit:
    """One browser that came in: what its forms must carry, and what this visit did."""

    csrf: str
    # Whether the word of the terminal was typed here, or none is needed.
    decides: bool = False
    # What to say on the next page: (kind, text); shown once.
    said: list[tuple[str, str]] = field(default_factory=list)
    # What each action of this visit wrote and said, so that the last can be undone: (project, ledger entries, text).
    done: list[tuple[str, list[int], str]] = field(default_factory=list)
    # Memories put off until later in this visit.
    later: set[str] = field(default_factory=set)


class Door:
    """Lets one ticket in, once, and knows the browser again by its cookie."""

    def __init__(self, port: int, *, read_only: bool = False) -> None:
        self.ticket = secrets.token_urlsafe(TICKET_BYTES)
        # Browsers share cookies among the ports of a machine, so the name tells two servers apart.
        self.cookie = f"tenure-{port}"
        # Every page lies below it. Only the page behind the ticket says where that is.
        self.base = f"/{secrets.token_urlsafe(TICKET_BYTES)}"
        self.word = "".join(secrets.choice(CONSONANTS) + secrets.choice(VOWELS) for _ in range(SYLLABLES))
        self.actor = Actor(surface="web")
        self._tries = TRIES
        self._asked_to_look = read_only
        self._visits: dict[str, Visit] = {}
        self._is_used = False

    @property
    def read_only(self) -> bool:
        """Whether every visit may only look: it was asked for, or nobody's presence was proved."""
        return self._asked_to_look or not self.actor.present

    def asks(self, visit: Visit) -> bool:
        """Tell whether this visit may decide as soon as the word is typed."""
        return not self.read_only and not visit.decides and self._tries > 0

    def prove(self, visit: Visit, typed: str) -> bool:
        """Let a visit decide when the word is right; after a few wrong ones no visit may any more."""
        if self.asks(visit):
            self._tries -= 1
            visit.decides = hmac.compare_digest(typed.strip().lower().encode(), self.word.encode())
        return visit.decides

    def enter(self, ticket: str) -> str | None:
        """Return the value of a new cookie for the ticket; None when it is wrong or was used before."""
        if self._is_used or not hmac.compare_digest(ticket.encode(), self.ticket.encode()):
            return None
        self._is_used = True
        key = secrets.token_urlsafe(TICKET_BYTES)
        # An unattended home has no terminal to show a word on, and needs none.
        self._visits[key] = Visit(
            csrf=secrets.token_urlsafe(TICKET_BYTES), decides=not self.actor.shown_on_terminal and not self.read_only
        )
        return key

    def is_below(self, path: str) -> bool:
        """Tell whether an address is one of the pages'."""
        start = path[: len(self.base) + 1]
        return hmac.compare_digest(start.encode("utf-8", "surrogatepass"), f"{self.base}/".encode())

    def visit(self, cookies: list[str]) -> Visit | None:
        """Return the visit that the headers' cookies belong to."""
        # Each by itself: other servers on this machine set cookies too, and theirs may be of any form.
        for cookie in (part for header in cookies for part in header.split(";")):
            name, _, value = cookie.strip().partition("=")
            if name == self.cookie and (visit := self._visits.get(value)) is not None:
                return visit
        return None

    def set_cookie(self, key: str) -> str:
        """Return the header that gives the browser its cookie."""
        return f"{self.cookie}={key}; Path={self.base}/; HttpOnly; SameSite=Strict"
