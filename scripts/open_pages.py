"""Starts the installed `tenure ui` in a new project, opens every page and decides by form; for scripts/test-wheel."""

from __future__ import annotations

import http.cookiejar
import re
import subprocess
import tempfile
import urllib.parse
import urllib.request

PROPOSED = '{"kind": "lesson", "text": "Deploy from the staging branch only", "source": "web"}\n'


def main() -> None:
    """Open each page that the navigation names, its style and its script; approve what waits, and take it back."""
    with tempfile.TemporaryDirectory() as project:
        subprocess.run(
            ["tenure", "capture", "-"], cwd=project, input=PROPOSED, text=True, check=True, stdout=subprocess.DEVNULL
        )
        process = subprocess.Popen(["tenure", "ui", "--no-open"], cwd=project, stderr=subprocess.PIPE, text=True)
        try:
            assert process.stderr is not None
            address = next(found.group() for line in process.stderr if (found := re.search(r"http://\S+", line)))
            print(_driven(address))
        finally:
            process.terminate()
            process.wait()


def _driven(address: str) -> str:
    jar = urllib.request.HTTPCookieProcessor(http.cookiejar.CookieJar())
    browser = urllib.request.build_opener(urllib.request.ProxyHandler({}), jar)
    entered = browser.open(address).read().decode()
    origin = address.partition("/enter")[0]
    base = entered.partition('<a href="')[2].partition('/"')[0]
    first = browser.open(f"{origin}{base}/").read().decode()
    nav = first[first.index("<nav") : first.index("</nav>")]
    paths = [*re.findall(r'href="(/[^"]*)"', nav), "/static/style.css", f"{base}/static/keys.js"]
    for path in paths:
        assert browser.open(origin + path).status == 200, path
    csrf, id = (re.search(rf'name="{name}" value="([^"]+)"', first) for name in ("csrf", "id"))
    assert csrf and id, "nothing waits"

    def press(path: str, **fields: str) -> str:
        form = urllib.parse.urlencode({"csrf": csrf[1], "next": f"{base}/", **fields}).encode()
        asked = urllib.request.Request(origin + base + path, form, {"Origin": origin})
        return str(browser.open(asked).read().decode())

    assert "approved." in press("/decide", id=id[1], decision="approve")
    assert "Taken back: " in press("/undo")
    return f"The wheel's pages work: {len(paths)} addresses opened, one memory approved and taken back."


if __name__ == "__main__":
    main()
