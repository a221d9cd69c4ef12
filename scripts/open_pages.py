"""Starts the installed `tenure ui`, comes in with the ticket and opens every page; for scripts/test-wheel."""

from __future__ import annotations

import http.cookiejar
import re
import subprocess
import urllib.request


def main() -> None:
    """Open each page that the navigation names, its style and its script."""
    process = subprocess.Popen(["tenure", "ui", "--no-open"], stderr=subprocess.PIPE, text=True)
    try:
        assert process.stderr is not None
        address = next(found.group() for line in process.stderr if (found := re.search(r"http://\S+", line)))
        jar = urllib.request.HTTPCookieProcessor(http.cookiejar.CookieJar())
        browser = urllib.request.build_opener(urllib.request.ProxyHandler({}), jar)
        browser.open(address)
        here = address.partition("/enter")[0]
        first = browser.open(f"{here}/").read().decode()
        nav = first[first.index("<nav") : first.index("</nav>")]
        paths = [*re.findall(r'href="(/[^"]*)"', nav), "/static/style.css", "/static/keys.js"]
        for path in paths:
            assert browser.open(here + path).status == 200, path
        print(f"The wheel's pages work: {len(paths)} addresses opened.")
    finally:
        process.terminate()
        process.wait()


if __name__ == "__main__":
    main()
