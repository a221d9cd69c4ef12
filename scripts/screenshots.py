"""Takes the pictures of the pages for docs/images from a small store that it makes; needs Chromium.

Run it as `.venv/bin/python scripts/screenshots.py`.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from playwright.sync_api import sync_playwright

ROOT = Path(__file__).parents[1]
IMAGES = ROOT / "docs" / "images"
PAGES = {"queue": "/", "memory": "/memory/make-db", "health": "/health"}
PROPOSED = """\
{"kind": "constraint", "text": "Never edit files under `gen/`: `make gen` writes them", "source": "web"}
{"kind": "lesson", "text": "The importer drops rows without a currency; check `import.log` first", "source": "web"}
{"kind": "runbook", "text": "When the queue stalls, drain it before restarting the workers", "source": "web"}
"""


def main() -> None:
    """Make a project, open its pages and write the pictures."""
    IMAGES.mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory() as folder:
        project = Path(folder) / "shop"
        project.mkdir()
        environment = {**os.environ, "TENURE_HOME": f"{folder}/home", "TENURE_UNATTENDED": "1"}
        tenure = [sys.executable, "-m", "tenure"]

        def run(*words: str, given: str = "") -> None:
            subprocess.run(
                [*tenure, *words], cwd=project, env=environment, input=given, text=True, check=True, capture_output=True
            )

        subprocess.run(["git", "init", "--quiet", str(project)], check=True)
        run("add", "Run make db before the integration tests", "--kind", "runbook", "--id", "make-db")
        run("add", "Always use tabs for indentation in the Makefile", "--id", "tabs")
        run("add", "Never use tabs for indentation in the Makefile", "--id", "no-tabs")
        run("capture", "-", given=PROPOSED)
        run("inject", "why do the integration tests fail?", "--agent", "claude-code", "--run", "monday")
        server = subprocess.Popen(
            [*tenure, "ui", "--no-open"], cwd=project, env=environment, stderr=subprocess.PIPE, text=True
        )
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
        context = browser.new_context(viewport={"width": 1200, "height": 780}, color_scheme="light")
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
