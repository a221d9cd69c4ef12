"""Takes the pictures of the pages for docs/images from a small store that it makes; needs Chromium.

Run it as `.venv/bin/python scripts/screenshots.py`.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
from datetime import timedelta
from pathlib import Path

import page_store
from playwright.sync_api import ViewportSize, sync_playwright

from tenure import workspace
from tenure.model import clock

ROOT = Path(__file__).parents[1]
IMAGES = ROOT / "docs" / "images"
PAGES = {"queue": "/", "memory": "/memory/make-db", "sessions": "/now", "health": "/health"}
SIZE: ViewportSize = {"width": 1200, "height": 660}
SESSIONS = 30
KNOWN = {
    "make-db": ("runbook", "Run `make db` before the integration tests; they fail with a refused connection otherwise"),
    "tabs": ("preference", "Always use tabs for indentation in the Makefile"),
    "no-tabs": ("preference", "Never use tabs for indentation in the Makefile"),
    "no-gen": ("constraint", "Never edit files under `gen/` by hand: `make gen` writes them from `schema.yaml`"),
    "money": ("decision", "Amounts are integers of cents; a float lost a cent in the refunds of March"),
    "flaky": ("lesson", "The checkout test is flaky under load: wait for the queue to drain, do not add a sleep"),
    "prices": ("lesson", "Prices come from `catalog/prices.py`; the copy in the frontend is only shown"),
    "release": ("runbook", "Tag a release from `main` only, after the nightly run is green"),
}
PROPOSED = (
    ("constraint", "Never call the payment provider from a test: use the recorded answers in `tests/cassettes`"),
    ("lesson", "The importer drops rows without a currency; check `import.log` first"),
    ("runbook", "When the queue stalls, drain it before restarting the workers"),
    ("lesson", "Run `make db` again after switching branches, because migrations differ"),
    ("preference", "Commit messages say why, in one sentence"),
)


# What somebody typed before the first of the proposals was made.
QUOTE = "No, never call the payment provider from a test. Use the recorded answers."
PROMPTS = (
    "why do the integration tests fail with a refused connection?",
    "the integration tests fail again, connection refused",
    "add a field to schema.yaml and update the files under gen/",
    "the checkout test is flaky, can you add a sleep?",
    "refund the rest of a partial order; amounts are floats in the ticket",
    "where do the prices in the frontend come from?",
    "tag a release from main",
    "fix the indentation in the Makefile",
    "write a poem for the team page",
)
DAYS_AGO = 40


def main() -> None:
    """Make a project in which agents have worked, open its pages and write the pictures."""
    IMAGES.mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory() as folder:
        project = Path(folder) / "shop"
        (project / "catalog").mkdir(parents=True)
        (project / "catalog" / "prices.py").write_text("PRICES = {}\n")
        os.environ |= {"TENURE_HOME": f"{folder}/home", "TENURE_UNATTENDED": "1"}
        tenure = [sys.executable, "-m", "tenure"]

        def run(*words: str, given: str = "", days_ago: int = 0) -> str:
            told = {**os.environ, "TENURE_NOW": clock.stamp(clock.now() - timedelta(days=days_ago, hours=3))}
            done = subprocess.run(
                [*tenure, *words], cwd=project, input=given, text=True, check=True, capture_output=True, env=told
            )
            return done.stdout

        subprocess.run(["git", "init", "--quiet", str(project)], check=True)
        for place, (id, (kind, text)) in enumerate(KNOWN.items()):
            run("add", text, "--kind", kind, "--id", id, days_ago=DAYS_AGO - 4 * place)
        for place, (kind, text) in enumerate(PROPOSED):
            line = json.dumps({"kind": kind, "text": text, "source": "web"})
            made = json.loads(run("capture", "-", "--json", given=line, days_ago=len(PROPOSED) - place))
            if not place:
                with workspace.open(f"sqlite:{project / '.tenure' / 'memory.db'}", project) as ours:
                    ours.project.store.keep(f"quote:{made['decisions'][0]['id']}", QUOTE)
        run("guard", "no-gen", "--level", "remind")
        page_store.live_through(project / ".tenure", SESSIONS, PROMPTS)
        server = subprocess.Popen([*tenure, "ui", "--no-open"], cwd=project, stderr=subprocess.PIPE, text=True)
        try:
            assert server.stderr is not None
            address = next(found.group() for line in server.stderr if (found := re.search(r"http://\S+", line)))
            _pictures(address)
        finally:
            server.terminate()
            server.wait()


def _pictures(address: str) -> None:
    here = address.partition("/enter")[0]
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path=shutil.which("chromium"), headless=True, args=["--no-sandbox"]
        )
        context = browser.new_context(viewport=SIZE, color_scheme="light")
        page = context.new_page()
        page.goto(address)
        page.wait_for_url(f"{here}/")
        for name, path in PAGES.items():
            page.goto(here + path)
            page.screenshot(path=str(IMAGES / f"{name}.png"))
        page.emulate_media(color_scheme="dark")
        page.goto(here)
        page.screenshot(path=str(IMAGES / "queue-dark.png"))
        browser.close()


if __name__ == "__main__":
    main()
