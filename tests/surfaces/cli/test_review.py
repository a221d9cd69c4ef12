"""The review screen: what it shows, what its keys do, and what stands in a pipe."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.program import Program
from tests.specimens import workspace
from tests.terminal import at_terminal

from tenure.surfaces.cli import review_page
from tenure.surfaces.cli.review_screen import Desk
from tenure.usecases.answers.looked import Waiting
from tenure.workspace import Workspace

TEXTS = ("Run make db before the tests", "Deploy from the release branch", "Never edit generated files")


@pytest.fixture
def ws(tmp_path: Path) -> Iterator[Workspace]:
    with workspace(tmp_path) as opened:
        yield opened


def proposed(ws: Workspace, *texts: str) -> list[str]:
    return [ws.capture([{"text": text}]).decisions[0].id for text in texts]


def desk(ws: Workspace) -> Desk:
    return Desk(ws, ws.queue(), "kim")


def yes(question: str) -> bool:
    return True


def no(question: str) -> bool:
    return False


def states(ws: Workspace, ids: list[str]) -> list[str]:
    return [ws.get(id).state for id in ids]


@pytest.mark.parametrize(("keeps", "drops"), [("a", "x"), ("a", "d")])
def test_a_keeps_and_x_drops_what_is_under_the_cursor(ws: Workspace, keeps: str, drops: str) -> None:
    """Issue 17: keep and drop by key; issue 21 names the keys of the pages."""
    proposed(ws, *TEXTS)
    at = desk(ws)
    first, second = (row.id for row in at.page.rows[:2])
    at.do(at.page.press(keeps), no)
    assert [row.id for row in at.page.rows[:1]] == [second]
    at.do(at.page.press(drops), no)
    assert states(ws, [first, second]) == ["provisional", "rejected"]
    assert len(at.page.rows) == 1
    assert at.page.decided == 2


def test_j_and_k_move_and_decide_nothing(ws: Workspace) -> None:
    """A user: `k` moves on the pages and kept a memory here."""
    ids = proposed(ws, *TEXTS)
    at = desk(ws)
    assert [(at.page.press(key), at.page.cursor) for key in "jjk"] == [("", 1), ("", 2), ("", 1)]
    assert states(ws, ids) == ["candidate"] * 3


def test_a_keeps_one_memory_and_shift_a_everything_marked(ws: Workspace) -> None:
    """Issue 21: `a` approves one, `A` the selection, on the pages and here."""
    proposed(ws, *TEXTS)
    at = desk(ws)
    first, second, third = (row.id for row in at.page.rows)
    at.do(at.page.press("A"), no)
    assert "Nothing is marked" in at.page.message
    at.page.press("space")
    at.page.press("space")
    at.do(at.page.press("a"), no)
    assert states(ws, [first, second, third]) == ["candidate", "candidate", "provisional"]
    at.page.cursor = 0
    at.page.press("space")
    at.page.press("space")
    at.do(at.page.press("A"), no)
    assert states(ws, [first, second, third]) == ["provisional"] * 3


def test_several_are_decided_at_once_and_taken_back_at_once(ws: Workspace) -> None:
    """Issue 17: several at once. Ours: one key takes the whole act back."""
    ids = proposed(ws, *TEXTS)
    at = desk(ws)
    assert at.page.press("*") == ""
    at.do(at.page.press("x"), no)
    assert states(ws, ids) == ["rejected"] * 3
    assert "Nothing waits" in "\n".join(at.page.lines(80, 24))
    at.do(at.page.press("u"), no)
    assert states(ws, ids) == ["candidate"] * 3
    assert (at.page.decided, len(at.page.rows)) == (0, 3)


def test_marked_memories_give_way_to_the_one_under_the_cursor(ws: Workspace) -> None:
    """Issue 17: merge by key."""
    proposed(ws, *TEXTS)
    at = desk(ws)
    gone, stays = (row.id for row in at.page.rows[:2])
    at.page.press("space")
    at.do(at.page.press("s"), no)
    assert ws.get(gone).superseded_by == stays
    assert at.page.current and at.page.current.id == stays
    at.do(at.page.press("u"), no)
    assert ws.get(gone).state == "candidate"


def test_after_an_undo_the_cursor_stands_on_the_memory_that_came_back(ws: Workspace) -> None:
    """Issue 17: the list came back in another order, and the next key hit the wrong memory."""
    proposed(ws, *TEXTS)
    for place in range(len(TEXTS)):
        at = desk(ws)
        at.page.cursor = place
        dropped = at.page.rows[place].id
        at.do(at.page.press("d"), no)
        at.page.cursor = (place + 1) % 2
        at.do(at.page.press("u"), no)
        assert at.page.current and at.page.current.id == dropped


def test_a_merge_without_marks_says_what_to_do(ws: Workspace) -> None:
    proposed(ws, *TEXTS)
    at = desk(ws)
    at.do(at.page.press("m"), no)
    assert "space" in at.page.message
    assert len(ws.queue()) == 3


def test_editing_changes_the_text_and_can_be_taken_back(ws: Workspace) -> None:
    (id,) = proposed(ws, TEXTS[0])
    at = desk(ws)
    at.edit(lambda text: text + ", every time\n")
    assert ws.get(id).text == f"{TEXTS[0]}, every time"
    at.do("undo", no)
    assert ws.get(id).text == TEXTS[0]
    at.edit(lambda text: None)
    assert "Nothing was changed" in at.page.message


@pytest.mark.parametrize(("agrees", "left"), [(yes, "rejected"), (no, "provisional")])
def test_keeping_one_side_of_a_contradiction_offers_to_drop_the_other(ws: Workspace, agrees: object, left: str) -> None:
    """Our choice: a contradiction ends when one side goes, and only the person says which."""
    ws.add("Use tabs, not spaces", kind="preference", id="tabs")
    ws.add("Use spaces, not tabs", kind="preference", id="spaces")
    at = desk(ws)
    kept = at.page.rows[0].id
    other = ({"tabs", "spaces"} - {kept}).pop()
    at.do("keep", agrees)  # type: ignore[arg-type]
    assert states(ws, [kept, other]) == ["provisional", left]


def test_a_refusal_is_shown_and_the_screen_goes_on(ws: Workspace) -> None:
    (id,) = proposed(ws, TEXTS[0])
    at = desk(ws)
    ws.forget(id)
    at.do("keep", no)
    assert "no memory" in at.page.message
    assert at.page.rows == []


ROW = Waiting(
    id="m-1",
    title="T" * 200,
    state="candidate",
    needs="promote_provisional",
    reviewer="user",
    why="evidence from 2 different runs, has 1; " * 5,
    text="日本語のメモ " * 30 + "\x1b[31mred\x1b[0m",
    quote="always run it first",
    trust="model",
    source="agent:claude-code",
    keep="promote_provisional",
)


@pytest.mark.parametrize("size", [(80, 24), (40, 12), (20, 8), (200, 60)])
def test_no_line_is_wider_than_the_terminal_and_no_screen_is_higher(size: tuple[int, int]) -> None:
    """Issue 17: a terminal of 80 columns; a wide character takes two of them."""
    width, height = size
    page = review_page.Page([ROW] * 30)
    page.cursor = 17
    lines = page.lines(width, height)
    assert len(lines) <= height
    assert all(sum(map(review_page._cells, line)) <= width for line in lines)
    assert not any("\x1b" in line for line in lines)
    assert any(line.startswith(">") for line in lines)


def test_the_detail_shows_text_quote_origin_and_reason() -> None:
    """Issue 17: text, origin and quote."""
    shown = "\n".join(review_page.detail(ROW, 80))
    assert 'said: "always run it first"' in shown
    assert "your words, as a session of claude-code has them" in " ".join(shown.split())
    assert "why:  evidence from 2" in shown


def test_a_pipe_gets_one_line_with_the_text(program: Program) -> None:
    """Issue 17: plain lines with text in a pipe."""
    for text in TEXTS:
        program("capture", "-", stdin=f'{{"text": "{text}"}}\n'.encode())
    lines = program("review").text.splitlines()
    assert len(lines) == 3
    assert sorted(text for text in TEXTS if any(text in line for line in lines)) == sorted(TEXTS)


def test_several_ids_in_one_command(program: Program) -> None:
    """Issue 17: several ids in one command; an id that is none stops before the first verdict."""
    for id, text in zip("abc", TEXTS, strict=True):
        program.ok("add", text, "--id", id)
    refused = program("review", "a", "b", "nobody", "--drop")
    assert (refused.status, program.ok("show", "a")["state"]) == (2, "provisional")
    found = program.ok("review", "a", "b", "--drop")
    assert [memory["state"] for memory in found["memories"]] == ["rejected", "rejected"]
    assert found["failed"] == []
    mixed = program("--json", "review", "a", "c", "--keep")
    assert mixed.status == 3
    assert [memory["id"] for memory in mixed.json["memories"]] == ["c"]
    assert [failed["id"] for failed in mixed.json["failed"]] == ["a"]


def test_the_screen_takes_keys_and_asks_for_a_person_once(tmp_path: Path) -> None:
    """Issue 17: presence is asked once; the terminal is given back."""
    folder, home = tmp_path / "project", tmp_path / "attended"
    folder.mkdir()
    environment = {
        **{name: value for name, value in os.environ.items() if name in ("PATH", "LANG", "PYTHONPATH")},
        "HOME": str(tmp_path),
        "TENURE_HOME": str(home),
        "TERM": "xterm",
        "TENURE_ENCODER": "none",
    }
    tenure = [sys.executable, "-m", "tenure"]
    lines = "".join(f'{{"text": "{text}"}}\\n' for text in TEXTS)
    made = at_terminal(["sh", "-c", f"printf '{lines}' | {sys.executable} -m tenure capture -"], folder, environment)
    assert made.status == 0, made.screen
    seen = at_terminal([*tenure, "review"], folder, environment, keys="axq")
    assert seen.status == 0, seen.screen
    assert seen.asked == 1
    assert "2 decided, 1 still wait." in seen.screen
    assert seen.screen.count("\x1b[?1049h") == seen.screen.count("\x1b[?1049l") == 1


def test_a_verdict_is_said_in_words(ws: Workspace) -> None:
    """A stranger's finding: the screen said "a: promote_provisional", a pipe "candidate  promote_provisional"."""
    proposed(ws, TEXTS[0])
    (row,) = ws.queue()
    assert row.keep == "promote_provisional"
    assert review_page.detail(row, 80)[-1].endswith("a: promote to provisional")
    assert "  candidate  promote to provisional  " in review_page.plain_lines([row])
