"""What the pages of `tenure ui` cost with many memories, beside the SQL that each of them reads.

Run it as `scripts/bench ui --texts FOLDER [--count N]`, where the folder holds Markdown files whose bullets become the
memories; real texts, because likeness and words cost what they cost. Machines are shared: read the ratios.
"""

from __future__ import annotations

import argparse
import asyncio
import os
import statistics
import tempfile
import time
from pathlib import Path
from typing import Any

import apsw
import page_store

PORT = 8764
ROUNDS = 5
FIRST_BYTE_SECONDS = 0.3
LEAST_SQL_SECONDS = 0.003
PATHS = (
    "/",
    "/?from=20001",
    "/memories",
    "/memories?sort=weight",
    "/memories?kind=lesson&state=stable",
    "/memory/b-000002",
    "/search?q=run+the+integration+tests+before+a+commit",
    "/now",
    "/contradictions",
    "/health",
    "/effect",
    "/guards",
    "/audit",
    "/ours",
    "/policy",
    "/ledger",
    "/doctor",
)


class Spent:
    """Seconds that SQLite spent in statements, by its own clock."""

    def __init__(self) -> None:
        self.seconds = 0.0
        apsw.connection_hooks.append(self._watch)

    def _watch(self, connection: apsw.Connection) -> None:
        connection.trace_v2(apsw.SQLITE_TRACE_PROFILE, self._add)

    def _add(self, event: dict[str, Any]) -> None:
        self.seconds += event["nanoseconds"] / 1e9


class Pages:
    """The application behind its guard, with one visit."""

    def __init__(self, url: str) -> None:
        from tenure import workspace
        from tenure.surfaces.web import app
        from tenure.surfaces.web.projects import SURFACE, Projects
        from tenure.surfaces.web.visits import Door

        self._door = door = Door(PORT)
        door.actor = workspace.hand_ticket(SURFACE, "")
        self._app = app.make(door, Projects(url), PORT)
        cookie = f"{door.cookie}={door.enter(door.ticket)}"
        self._headers = [(b"host", f"127.0.0.1:{PORT}".encode()), (b"cookie", cookie.encode())]

    def first_byte(self, address: str) -> float:
        """Return the seconds until the first byte of a page."""
        path, _, query = f"{self._door.base}{address}".partition("?")
        scope = {
            "type": "http", "http_version": "1.1", "method": "GET", "scheme": "http", "root_path": "",
            "path": path, "raw_path": path.encode(),
            "query_string": query.encode(), "headers": self._headers,
            "client": ("127.0.0.1", 50000), "server": ("127.0.0.1", PORT),
        }  # fmt: skip
        begun, seen = time.perf_counter(), list[float]()

        async def receive() -> dict[str, Any]:
            return {"type": "http.request", "body": b"", "more_body": False}

        async def send(message: Any) -> None:
            if message["type"] == "http.response.start":
                assert message["status"] == 200, (address, message["status"])
            elif not seen:
                seen.append(time.perf_counter() - begun)

        asyncio.run(self._app(scope, receive, send))
        return seen[0]


def main() -> None:
    """Make a store and open each page some times."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--texts", type=Path, required=True, help="a folder of Markdown files, or a JSON list of texts")
    parser.add_argument("--count", type=int, default=100_000)
    parser.add_argument("--store", type=Path, help="a folder to keep the store in, or where one lies already")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        os.environ["TENURE_HOME"], os.environ["TENURE_UNATTENDED"] = f"{folder}/home", "1"
        place = given.store or Path(folder)
        place.mkdir(exist_ok=True)
        url = f"sqlite:{place / 'memory.db'}"
        if not (place / "memory.db").exists():
            page_store.fill(place, page_store.texts(given.texts), given.count)
        print(f"{given.count} memories; seconds until the first byte, median of {ROUNDS}, and the SQL in it")
        os.chdir(place)
        pages, spent = Pages(url), Spent()
        for address in PATHS:
            times, sql = [], []
            for _ in range(ROUNDS):
                before = spent.seconds
                times.append(pages.first_byte(address))
                sql.append(spent.seconds - before)
            whole, inside = statistics.median(times), statistics.median(sql)
            aim = f"; aim {FIRST_BYTE_SECONDS}" if address == "/" else ""
            print(f"  {address:<55} {whole:7.3f} s{aim}, SQL {inside:7.3f} s, {_times(whole, inside)}")


def _times(whole: float, inside: float) -> str:
    # Below a few milliseconds of SQL a ratio tells of the rest only.
    return f"{whole / inside:5.1f}x" if inside >= LEAST_SQL_SECONDS else "    –"


if __name__ == "__main__":
    main()
