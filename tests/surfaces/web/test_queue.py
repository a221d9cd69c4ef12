"""The queue: what waits, whole, and every verdict with its way back."""

from __future__ import annotations

import html
import json
from typing import Any

from tests.program import Program
from tests.surfaces.web.asking import Pages


def waiting(pages: Pages) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = json.loads(pages.get("/queue.json").body)["items"]
    return found


def test_the_page_shows_what_the_review_command_lists(project: Program) -> None:
    """One queue and one order for both."""
    listed = [item["id"] for item in project.ok("review")["queue"]]
    assert len(listed) == 3
    assert [item["memory"]["id"] for item in waiting(Pages())] == listed
    page = html.unescape(Pages().get("/").text)
    for item in waiting(Pages()):
        assert item["memory"]["text"] in page


def test_a_verdict_takes_effect_and_undo_takes_it_back(project: Program) -> None:
    pages = Pages()
    id = waiting(pages)[0]["memory"]["id"]
    answer = pages.post("/decide", {"id": id, "decision": "approve", "next": pages.below("/#item-1")})
    assert (answer.status, answer.headers["location"]) == (303, "/#item-1")
    assert project.ok("show", id)["state"] == "provisional"
    assert "approved" in pages.get("/").text
    event = project.ok("history", id)["events"][-2]
    assert event["detail"]["who"]["surface"] == "web"
    pages.post("/undo", {})
    assert project.ok("show", id)["state"] == "candidate"
    assert id in {item["memory"]["id"] for item in waiting(pages)}


def test_several_are_decided_at_once_and_come_back_at_once(project: Program) -> None:
    pages = Pages()
    ids = [item["memory"]["id"] for item in waiting(pages)]
    pages.post("/decide", {"id": ids, "decision": "reject"})
    assert waiting(pages) == []
    assert {project.ok("show", id)["state"] for id in ids} == {"rejected"}
    pages.post("/undo", {})
    assert [item["memory"]["id"] for item in waiting(pages)] == ids


def test_a_memory_that_changed_meanwhile_is_not_decided_on(project: Program) -> None:
    """GUARANTEES R3: every change names what it saw."""
    pages = Pages()
    item = waiting(pages)[0]
    id = item["memory"]["id"]
    project.ok("edit", id, "--text", "Deploy on Mondays from the main branch")
    pages.post("/decide", {"id": id, f"version:{id}": item["version"], "decision": "approve"})
    assert project.ok("show", id)["state"] == "candidate"
    assert "changed since" in pages.get("/").text


def test_later_puts_a_memory_last_for_this_visit(project: Program) -> None:
    pages = Pages()
    ids = [item["memory"]["id"] for item in waiting(pages)]
    pages.post("/decide", {"id": ids[0], "decision": "later"})
    assert [item["memory"]["id"] for item in waiting(pages)] == [*ids[1:], ids[0]]
    assert [item["memory"]["id"] for item in waiting(Pages())] == ids


def test_words_are_changed_and_a_memory_is_superseded(project: Program) -> None:
    pages = Pages()
    first, second = waiting(pages)[:2]
    id = first["memory"]["id"]
    pages.post("/edit", {"id": id, "version": first["version"], "text": "Deploy on Mondays only"})
    assert project.ok("show", id)["text"] == "Deploy on Mondays only"
    pages.post("/edit", {"id": id, "version": first["version"], "text": "Deploy never"})
    assert project.ok("show", id)["text"] == "Deploy on Mondays only"
    pages.post("/supersede", {"id": id, "successor": second["memory"]["id"]})
    assert project.ok("show", id)["superseded_by"] == second["memory"]["id"]
    pages.post("/undo", {})
    assert project.ok("show", id)["superseded_by"] is None


def test_files_a_memory_names_are_looked_for_when_the_page_is_made(project: Program) -> None:
    pages = Pages()
    found = {item["memory"]["text"]: item["claims"] for item in waiting(pages)}
    [claim] = [each for text, claims in found.items() if "src/parse.py" in text for each in claims]
    assert claim == {"text": "src/parse.py", "status": "missing"}
    (project.folder / "src").mkdir()
    (project.folder / "src" / "parse.py").write_text("")
    again = {item["memory"]["text"]: item["claims"] for item in waiting(pages)}
    assert [each["status"] for text, claims in again.items() if "src/parse.py" in text for each in claims] == ["ok"]


def test_a_decision_that_is_none_is_refused_with_a_word(project: Program) -> None:
    pages = Pages()
    pages.post("/decide", {"id": "make-db", "decision": "destroy"})
    assert "is not a decision" in html.unescape(pages.get("/").text)
    pages.post("/decide", {"decision": "approve"})
    assert "No memory was chosen" in pages.get("/").text
    pages.post("/decide", {"id": "nowhere", "decision": "approve"})
    assert "nowhere" in pages.get("/").text


def test_an_empty_queue_says_how_it_fills(program: Program, monkeypatch: Any) -> None:
    monkeypatch.chdir(program.folder)
    text = Pages().get("/").text
    assert "Nothing waits for you" in text and "tenure install" in text


def test_the_side_of_a_contradiction_that_is_kept_settles_it(project: Program) -> None:
    """Fresh eyes, issue 21: `a` said "approved" and left the memory where it was, because it still contradicted."""
    project.ok("add", "Always use tabs for indentation in the Makefile", "--id", "tabs")
    project.ok("add", "Never use tabs for indentation in the Makefile", "--id", "no-tabs")
    pages = Pages()
    page = pages.get("/").text
    assert page.count("Keep this one") == 2
    form = page[page.index('action="/settle"') :].partition("</form>")[0]
    left, right = (form.partition(f'name="{side}" value="')[2].partition('"')[0] for side in ("left", "right"))
    pages.post("/settle", {"left": left, "right": right, "keep": "left"})
    assert {item["memory"]["id"] for item in waiting(pages)}.isdisjoint({"tabs", "no-tabs"})
    assert (project.ok("show", right)["state"], project.ok("show", right)["superseded_by"]) == ("superseded", left)
    pages.post("/undo", {})
    assert {"tabs", "no-tabs"} <= {item["memory"]["id"] for item in waiting(pages)}


def test_what_was_done_is_said_in_the_words_of_the_verdict(project: Program) -> None:
    """Fresh eyes, issue 21: a memory that was kept was called approved, and an undo did not say of what."""
    project.ok("add", "Always use tabs for indentation in the Makefile", "--id", "tabs")
    project.ok("add", "Never use tabs for indentation in the Makefile", "--id", "no-tabs")
    pages = Pages()
    pages.post("/decide", {"id": "tabs", "decision": "approve"})
    said = 'tabs kept. It still waits: contradicts no-tabs "Never use tabs for indentation in the Makefile": '
    assert said in html.unescape(pages.get("/").text)
    pages.post("/undo", {})
    assert "Taken back: tabs kept." in pages.get("/").text


def test_a_second_way_up_is_said_to_be_one(project: Program) -> None:
    """A stranger's finding: "Needs an approval" above "To be provisional: evidence" reads as if both were needed."""
    project.ok("capture", "-", "--run", "monday", stdin=b'{"text": "Deploys to staging need the VPN"}')
    page = html.unescape(Pages().get("/").text)
    assert "<dt>Needs</dt><dd>a person's approval in tenure review</dd>" in page
    assert "<dt>Or else</dt><dd>evidence from 2 different runs, has 1</dd>" in page
