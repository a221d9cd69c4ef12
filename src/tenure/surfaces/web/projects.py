"""The projects one can switch between: where `tenure ui` was started, and those whose memory is known here."""

from __future__ import annotations

from typing import NamedTuple

from tenure import workspace
from tenure.model.actor import Actor
from tenure.model.errors import BadRequest
from tenure.text.words import slug
from tenure.workspace import Workspace

SURFACE = "web"


class Choice(NamedTuple):
    """One memory that can be looked at: its key in addresses, empty for the first, and what a person calls it."""

    key: str
    label: str
    url: str
    folder: str


class Projects:
    """What can be looked at, found when the server starts."""

    def __init__(self, store: str | None) -> None:
        self.choices: list[Choice] = []
        for place in workspace.projects(store):
            name = place.project.name or str(place.project)
            label = name if place.native else f"{name} ({place.scheme})"
            taken = {choice.key for choice in self.choices}
            key = base = slug(label)
            number = 2
            while key in taken:
                key, number = f"{base}-{number}", number + 1
            self.choices.append(Choice(key if self.choices else "", label, place.url, str(place.project)))

    def choice(self, key: str) -> Choice:
        """Return a project by its key."""
        for choice in self.choices:
            if choice.key == key:
                return choice
        raise BadRequest("There is no project of this name.", hint="Choose one at the top of the page.")

    def open(self, key: str, actor: Actor) -> Workspace:
        """Open a project's memory for one request: a store is used from one thread."""
        choice = self.choice(key)
        return workspace.open(choice.url, choice.folder, surface=SURFACE, actor=actor)
