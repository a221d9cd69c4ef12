"""`tenure review` at a terminal: keys become verdicts, at once and one by one, each of which can be taken back."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, ParamSpec, TypeVar

import click

from tenure.model.errors import TenureError, UnknownId
from tenure.surfaces.cli.review_page import Page
from tenure.text.words import spelled

if TYPE_CHECKING:
    from tenure.usecases.answers import Written
    from tenure.usecases.answers.looked import Waiting
    from tenure.workspace import Workspace

# Rows by a use case name one reviewer, or several who must agree.
_SEVERAL = " and "
P = ParamSpec("P")
R = TypeVar("R")


def work(workspace: Workspace, rows: Sequence[Waiting], by: str) -> int:
    """Let the person decide until they leave; return how many memories they decided about."""
    from tenure.surfaces.cli.keys import Keyboard, draw  # only where there is a terminal

    keyboard, desk = Keyboard(), Desk(workspace, rows, by)
    with keyboard.screen():
        while True:
            size = shutil.get_terminal_size()
            draw(desk.page.lines(size.columns, size.lines))
            act = desk.page.press(keyboard.key())
            if act == "quit":
                return desk.page.decided
            if act == "edit":
                with keyboard.outside():
                    desk.edit(lambda text: click.edit(text, extension=".md"))
            elif act:
                # The first verdict asks whether a person is there, in the last line of the screen.
                with keyboard.asking():
                    desk.do(act, click.confirm)


class Desk:
    """The queue and what was done to it; what goes wrong becomes the page's message."""

    def __init__(self, workspace: Workspace, rows: Sequence[Waiting], by: str) -> None:
        self.workspace, self.by = workspace, by
        self.page = Page(rows)
        # The memories of each act with their ledger entries, newest last.
        self._done: list[list[tuple[str, int]]] = []

    def do(self, act: str, confirm: Callable[[str], bool]) -> None:
        """Carry out what a key asked for."""
        if act == "undo":
            self._undo()
            return
        if act == "merge":
            self._merge()
            return
        if act == "keep marked" and not self.page.marked:
            self.page.message = "Nothing is marked. Mark with space, then A keeps what is marked."
            return
        # As on the pages, where `a` agrees to one memory, whatever is selected.
        chosen = [self.page.current] if act == "keep" and self.page.current else self.page.chosen()
        act = act.removesuffix(" marked")
        opposites = self._opposites(chosen) if act == "keep" else []
        if opposites:
            names = ", ".join(spelled(row.id) for row in opposites)
            if not confirm(f"{names} says the opposite. Drop it too?"):
                opposites = []
        self._judge([*((row, act) for row in chosen), *((row, "drop") for row in opposites)])

    def edit(self, editor: Callable[[str], str | None]) -> None:
        """Change what the memory under the cursor says."""
        row = self.page.current
        if row is None:
            return
        changed = editor(row.text)
        if changed is None or changed.strip() == row.text.strip():
            self.page.message = "Nothing was changed."
            return
        self._try(self._edited, row.id, changed.strip())
        self._refresh()

    def _judge(self, verdicts: Sequence[tuple[Waiting, str]]) -> None:
        done: list[tuple[str, int]] = []
        decided, said = 0, ""
        for row, act in verdicts:
            decision = row.keep if act == "keep" else row.drop
            if not decision:
                self.page.message = f"{row.id} cannot be kept any more: drop it, or merge it into another."
                continue
            after = self._try(self._decide, row, decision)
            if after is None:
                break
            decided += 1
            # A suggestion has the system's id once it is kept, and no entry when it is dropped.
            if entry := self._entry(after.id):
                done.append((after.id, entry))
            said = f"{after.id} is {after.state}."
        if decided:
            self.page.decided += decided
            many = f"{decided} decided." if decided > 1 else said
            self.page.message = f"{many} {'u takes it back. ' if done else ''}{self.page.message}"
            self.page.marked.clear()
        if done:
            self._done.append(done)
        self._refresh()

    def _decide(self, row: Waiting, decision: str) -> Written:
        by = row.reviewer if row.reviewer != "user" and _SEVERAL not in row.reviewer else self.by
        return self.workspace.review(row.id, decision, by=by)

    def _merge(self) -> None:
        stays = self.page.current
        gone = [row for row in self.page.chosen() if stays and row.id != stays.id]
        if not stays or not self.page.marked or not gone:
            self.page.message = "Mark what says the same with space, go to the one that stays, then s."
            return
        done: list[tuple[str, int]] = []
        for row in gone:
            if self._try(self._superseded, row, stays) is None:
                break
            done.append((row.id, self._entry(row.id)))
        if done:
            self._done.append(done)
            self.page.decided += len(done)
            self.page.marked.clear()
            self.page.message = f"{len(done)} gave way to {stays.id}. {self.page.message}"
        self._refresh(stays.id)

    def _superseded(self, row: Waiting, stays: Waiting) -> str:
        return self.workspace.supersede(row.id, stays.id, actor=self.by, reason="merged in a review").id

    def _undo(self) -> None:
        if not self._done:
            self.page.message = "There is nothing of this review to take back."
            return
        entries = self._done.pop()
        for _, entry in reversed(entries):
            if self._try(self._taken_back, entry) is None:
                break
        else:
            self.page.message = "Taken back."
        self.page.decided -= len(entries)
        # The queue may come back in another order; the next key must not hit another memory.
        self._refresh(entries[0][0])

    def _taken_back(self, entry: int) -> str:
        self.workspace.undo(entry, whole=True)
        return ""

    def _opposites(self, chosen: Sequence[Waiting]) -> list[Waiting]:
        """Return the rows that contradict what is kept, and are not kept themselves."""
        kept = {row.id for row in chosen}
        against = {id for row in chosen for id in row.conflicts} - kept
        return [row for row in self.page.rows if row.id in against]

    def _edited(self, id: str, text: str) -> str:
        self.workspace.edit(id, text=text)
        self._done.append([(id, self._entry(id))])
        self.page.message = f"{id} was changed. u takes it back."
        return id

    def _entry(self, id: str) -> int:
        """Return the newest entry of a memory, 0 for a suggestion that never became one."""
        try:
            return self.workspace.history(id)[-1].seq
        except UnknownId:
            return 0

    def _try(self, act: Callable[P, R], *facts: P.args, **named: P.kwargs) -> R | None:
        """Return what an act answers, None when it was refused; the message says why."""
        try:
            return act(*facts, **named)
        except TenureError as error:
            self.page.message = f"{error.message} {error.hint}".strip()
            return None

    def _refresh(self, to: str = "") -> None:
        self.page.replace(self.workspace.queue())
        for number, row in enumerate(self.page.rows):
            if row.id == to:
                self.page.cursor = number
