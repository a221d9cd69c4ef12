"""The pages in a real browser: by keys alone, and with JavaScript off."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import pytest

from tests.program import Program
from tests.surfaces.web.asking import serving

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

pytestmark = pytest.mark.browser


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
    page.on("requestfailed", lambda request: wrong.append(f"failed: {request.url}"))
    page.goto(address)
    page.wait_for_url(f"{here}/")
    yield page
    context.close()
    assert wrong == []


def states(project: Program) -> list[str]:
    return sorted(memory["state"] for memory in project.ok("list", "--all")["memories"])


def test_the_whole_queue_is_worked_by_keys(project: Program, browser: Browser) -> None:
    with serving(project) as address, looking(browser, address) as page:
        page.keyboard.press("j")
        page.keyboard.press("a")
        page.wait_for_selector("text=approved")
        page.keyboard.press("u")
        page.wait_for_selector("text=Taken back")
        page.keyboard.press("j")
        page.keyboard.press("x")
        page.wait_for_selector("text=rejected")
        # The next one has the focus already.
        page.keyboard.press("Space")
        page.keyboard.press("j")
        page.keyboard.press("Space")
        assert page.inner_text(".bulk .chosen") == "2 selected:"
        page.keyboard.press("Shift+A")
        page.wait_for_selector("text=2 memories approved")
        page.wait_for_selector("text=Nothing waits for you")
        page.keyboard.press("?")
        assert page.is_visible("#keys")
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
