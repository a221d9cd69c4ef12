"""The pages in a real browser: by keys alone, and with JavaScript off."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from tests.program import Program
from tests.surfaces.web.asking import pushes_by_force, serving

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page, Request

pytestmark = pytest.mark.browser
# `scripts/test` puts it there with npm; it is no part of the project.
AXE = Path(__file__).parents[3] / ".venv" / "axe" / "node_modules" / "axe-core" / "axe.min.js"
PATHS = (
    "/ /memory/make-db?check=1 /memories /search?q=integration+tests /now /injection/1 /contradictions /health /effect"
    " /guards?try=make-db /audit?deep=1 /ours /policy /ledger /doctor"
).split()


@contextmanager
def looking(browser: Browser, address: str, **settings: Any) -> Iterator[Page]:
    """Open the address with its ticket; the page must be silent on the console and ask nobody else for anything."""
    context = browser.new_context(**settings)
    page = context.new_page()
    here = address.partition("/enter")[0]
    wrong: list[str] = []
    page.on("console", lambda message: wrong.append(f"console: {message.text}"))
    page.on("pageerror", lambda error: wrong.append(f"error: {error}"))
    page.on("request", lambda request: None if request.url.startswith(here) else wrong.append(request.url))
    page.on("requestfailed", lambda request: wrong.append(f"failed: {request.url}") if _failed(request) else None)
    page.goto(address)
    page.wait_for_url(re.compile(rf"{re.escape(here)}/[\w-]{{32}}/$"))
    yield page
    context.close()
    assert wrong == []


def _failed(request: Request) -> bool:
    """Tell whether a request failed by itself; what a page left behind by going on did not."""
    return request.failure != "net::ERR_ABORTED"


def states(project: Program) -> list[str]:
    return sorted(memory["state"] for memory in project.ok("list", "--all")["memories"])


def test_the_whole_queue_is_worked_by_keys(project: Program, browser: Browser) -> None:
    """Nobody waits between two keys: what is pressed while an answer is on its way is pressed when it is there."""
    with serving(project) as address, looking(browser, address) as page:
        for key in ("j", "a", "u", "x"):
            page.keyboard.press(key)
        page.wait_for_selector("text=rejected")
        # The next one has the focus already.
        for key in ("Space", "j", "Space"):
            page.keyboard.press(key)
        page.wait_for_selector("text=2 selected:")
        page.keyboard.press("Shift+A")
        page.keyboard.press("?")
        page.wait_for_selector("text=2 memories approved")
        page.wait_for_selector("text=Nothing waits for you")
        page.wait_for_selector("#keys", state="visible")
    assert states(project) == ["provisional", "provisional", "provisional", "rejected"]


def test_words_are_edited_by_keys(project: Program, browser: Browser) -> None:
    with serving(project) as address, looking(browser, address) as page:
        page.keyboard.press("j")
        page.keyboard.press("e")
        page.keyboard.press("Control+A")
        page.keyboard.type("Deploy on Mondays; j and k are letters here")
        page.keyboard.press("Tab")
        page.keyboard.press("Enter")
        page.wait_for_selector("text=changed.")
        assert page.is_visible("text=Deploy on Mondays; j and k are letters here")


def test_the_whole_queue_is_worked_without_javascript(project: Program, browser: Browser) -> None:
    with serving(project) as address, looking(browser, address, java_script_enabled=False) as page:
        page.click("button[value=approve] >> nth=0")
        page.wait_for_selector("text=approved")
        page.click(".said button")
        page.wait_for_selector("text=Taken back")
        page.click("button[value=reject] >> nth=0")
        page.wait_for_selector("text=rejected")
        for box in page.query_selector_all("input[type=checkbox]"):
            box.check()
        page.click("#bulk button[value=approve]")
        page.wait_for_selector("text=2 memories approved")
        page.wait_for_selector("text=Nothing waits for you")
    assert states(project) == ["provisional", "provisional", "provisional", "rejected"]


def test_contradictions_are_settled_and_several_memories_retired_by_keys(project: Program, browser: Browser) -> None:
    """Issue 21: keyboard first; fresh eyes found `x` dead in the list of memories."""
    project.ok("add", "Always use tabs for indentation in the Makefile", "--id", "tabs")
    project.ok("add", "Never use tabs for indentation in the Makefile", "--id", "no-tabs")
    with serving(project) as address, looking(browser, address) as page:
        here = page.url.rstrip("/")
        page.goto(f"{here}/contradictions")
        page.keyboard.press("2")
        page.wait_for_selector("text=is superseded")
        page.keyboard.press("u")
        page.wait_for_selector("text=Taken back")
        page.keyboard.press("m")
        page.keyboard.press("Control+A")
        page.keyboard.type("Use tabs in recipes of the Makefile only")
        page.keyboard.press("Control+Enter")
        page.wait_for_selector("text=says both now")
        page.goto(f"{here}/memories?state=provisional")
        for key in ("j", "Space", "j", "Space", "x"):
            page.keyboard.press(key)
        page.wait_for_selector("text=2 memories retired.")
        page.keyboard.press("u")
        page.wait_for_selector("text=Taken back: 2 memories retired.")
    assert states(project).count("provisional") == 2


def test_a_key_means_the_memory_that_looks_chosen_and_escape_leaves_a_form(project: Program, browser: Browser) -> None:
    """Fresh eyes, issue 21: `a` approved a memory nothing pointed at, and Escape left the form open."""
    with serving(project) as address, looking(browser, address) as page:
        page.wait_for_selector("#item-1.at")
        page.keyboard.press("e")
        page.wait_for_selector("#item-1 details[data-key=e][open]")
        page.keyboard.press("Escape")
        page.keyboard.press("s")
        page.wait_for_selector("#item-1 details[data-key=s][open]")
        assert page.locator("details[data-key][open]").count() == 1
        page.keyboard.press("Escape")
        assert page.locator("details[data-key][open]").count() == 0
        page.keyboard.press("j")
        assert page.locator(".at").count() == 0 and page.evaluate("document.activeElement.id") == "item-2"


def test_a_dry_run_is_worked_by_keys(project: Program, browser: Browser) -> None:
    """Issue 21: right, wrong and skip by key, each on to the next fire; then the guard is switched on."""
    pushes_by_force(project)
    sessions = {"CLAUDE_CONFIG_DIR": str(project.folder.parent / "claude")}
    with serving(project, **sessions) as address, looking(browser, address) as page:
        page.goto(f"{page.url}guards?try=nf")
        for key in "jrwsrrr":
            page.keyboard.press(key)
        chosen = "[...document.querySelectorAll('input[type=radio]:checked')].map(each => each.value)"
        assert page.evaluate(chosen) == ["right", "wrong", "skip", "right", "right", "right"]
        page.click("button[value=remind]")
        page.wait_for_selector("text=The guard of nf: remind.")
    [guard] = project.ok("guards")["guards"]
    assert (guard["state"], guard["level"], guard["right"], guard["wrong"]) == ("on", "remind", 4, 1)


@pytest.mark.parametrize(("scheme", "width"), [("light", 1440), ("dark", 400)])
def test_every_page_is_whole_by_its_address(project: Program, browser: Browser, scheme: str, width: int) -> None:
    """Nothing on the console, no request elsewhere, nothing wider than the window."""
    project.ok("inject", "how do I run the integration tests", "--run", "s-1", "--agent", "claude-code")
    size = {"width": width, "height": 900}
    with serving(project) as address, looking(browser, address, color_scheme=scheme, viewport=size) as page:
        here = page.url.rstrip("/")
        for path in PATHS:
            answer = page.goto(here + path)
            assert answer is not None and answer.status == 200, path
            assert page.evaluate("document.documentElement.scrollWidth") <= width, path
            assert page.evaluate("getComputedStyle(document.body).backgroundColor") == (
                "rgb(251, 251, 250)" if scheme == "light" else "rgb(20, 22, 26)"
            )


@pytest.mark.parametrize(("scheme", "width"), [("light", 1440), ("dark", 400)])
def test_every_page_can_be_used_by_everybody(project: Program, browser: Browser, scheme: str, width: int) -> None:
    """axe-core finds nothing, with everything that folds unfolded."""
    if not AXE.is_file():
        pytest.skip("axe-core is not here: scripts/test gets it where npm is installed")
    project.ok("inject", "how do I run the integration tests", "--run", "s-1", "--agent", "claude-code")
    size = {"width": width, "height": 900}
    settings = {"color_scheme": scheme, "viewport": size, "bypass_csp": True}
    with serving(project) as address, looking(browser, address, **settings) as page:
        here = page.url.rstrip("/")
        for path in PATHS:
            page.goto(here + path)
            page.evaluate("document.querySelectorAll('details').forEach(each => { each.open = true })")
            page.evaluate(AXE.read_text("utf-8"))
            found = page.evaluate(
                "axe.run().then(r => [r.passes.length, r.violations.map(v => [v.id, v.nodes[0].html])])"
            )
            assert found[0] > 10, path
            assert found[1] == [], path
