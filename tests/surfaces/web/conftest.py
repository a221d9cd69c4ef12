"""A store with something to decide, and a real browser where there is one."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tests.program import Program, proposals

if TYPE_CHECKING:
    from playwright.sync_api import Browser

BROWSERS = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome")


@pytest.fixture
def project(program: Program, monkeypatch: pytest.MonkeyPatch) -> Program:
    """A project whose memory has something live and several memories that wait."""
    monkeypatch.chdir(program.folder)
    (program.folder / "Makefile").write_text("db:\n\ttrue\n")
    program.ok("add", "Run make db before the integration tests", "--kind", "runbook", "--id", "make-db")
    program.ok(
        "capture",
        "-",
        stdin=proposals(
            {"kind": "lesson", "text": "Deploy on Fridays from the staging branch", "source": "web"},
            {"kind": "constraint", "text": "Never edit files under `gen/`: `make gen` writes them", "source": "web"},
            {"kind": "lesson", "text": "The parser in `src/parse.py` keeps comments out of the tree", "source": "web"},
        ),
    )
    return program


# Its event loop runs while it lives, so no test that starts one of its own may stand in the same module.
@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    """Chromium, headless; without it the tests that need it are skipped."""
    api = pytest.importorskip("playwright.sync_api", reason="playwright is not installed: pip install 'tenure[dev]'")
    path = os.environ.get("TENURE_BROWSER") or next(filter(None, map(shutil.which, BROWSERS)), None)
    with api.sync_playwright() as playwright:
        own = Path(playwright.chromium.executable_path)
        if path is None and not own.exists():
            pytest.skip("no browser here: install Chromium (apt install chromium, or playwright install chromium)")
        # A container's root has no user namespace for the sandbox; the pages are our own.
        started = playwright.chromium.launch(executable_path=path, headless=True, args=["--no-sandbox"])
        yield started
        started.close()
