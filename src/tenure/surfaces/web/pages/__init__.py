"""One file for each page: what it reads, as plain data, and what its forms do.

A page's data is what its `.json` answers and what its template shows, so both always tell the same.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

from tenure.model.errors import BadRequest, Conflict

if TYPE_CHECKING:
    from tenure.surfaces.web.visits import Visit
    from tenure.workspace import Workspace

# A number of the store's has no more, and a longer one is none of ours.
MOST_DIGITS = 18


class Ask(NamedTuple):
    """What was asked for: names in the address, the query after it, and a form's fields; each once unless listed."""

    project: str
    # What the addresses of this project's pages begin with.
    root: str
    path: Mapping[str, str]
    query: Mapping[str, str]
    form: Mapping[str, list[str]]
    visit: Visit
    # Who decides here, as a label.
    by: str
    store: str
    # Where this page is, for forms that lead back to it.
    address: str

    def field(self, name: str, *, needed: bool = True) -> str:
        """Return a field of the form."""
        values = self.form.get(name, [""])
        if needed and not values[0].strip():
            raise BadRequest(f"The form has no {name}.", field=name)
        return values[0].replace("\r\n", "\n")

    def given(self, name: str) -> int | None:
        """Return a number of the form, None where there is none."""
        text = self.form.get(name, [""])[0].strip()
        if text and not (text.isdecimal() and len(text) <= MOST_DIGITS):
            raise BadRequest(f"The form's {name.partition(':')[0]} is no number.", field=name)
        return int(text) if text else None

    def number(self, name: str, default: int, most: int) -> int:
        """Return a number of the query between 1 and `most`."""
        text = self.query.get(name, "")
        return min(max(int(text), 1), most) if text.isdecimal() and len(text) < 10 else default


class Page(NamedTuple):
    """One page: its address, its name in the navigation (empty: none), its template, and what it reads."""

    path: str
    name: str
    template: str
    read: Callable[[Workspace, Ask], dict[str, Any]]
    # The address of its JSON.
    json: str
    # What is drawn from the data, for the template alone.
    pictures: Callable[[dict[str, Any]], dict[str, Any]] | None = None


class Done(NamedTuple):
    """What a form did: a sentence for the person, and the ledger entries that would be taken back with `undo`."""

    said: str
    entries: list[int] = []
    # Where to go on, when not back to where the form was.
    to: str = ""


class Act(NamedTuple):
    """What a form's address does."""

    path: str
    do: Callable[[Workspace, Ask], Done]


def version(workspace: Workspace, id: str) -> int:
    """Return the version of a memory that a page shows, for its forms to say what was decided on."""
    entries = workspace.history(id)
    return entries[-1].version if entries else 0


def unchanged(workspace: Workspace, ask: Ask, id: str) -> None:
    """Raise `Conflict` for a memory that is at another version than the one this form was made for."""
    seen = ask.given(f"version:{id}")
    if seen is not None and version(workspace, id) not in (0, seen):
        raise Conflict(f"{id} changed since this page was made; look at it again.")
