"""Running the server: in the foreground, on this machine, until Ctrl-C or until nobody looked for half an hour."""

from __future__ import annotations

import asyncio
import contextlib
import socket
import webbrowser
from collections.abc import Callable

import uvicorn

from tenure import workspace
from tenure.model import clock
from tenure.model.errors import BadRequest
from tenure.surfaces.web import app
from tenure.surfaces.web.projects import SURFACE, Projects
from tenure.surfaces.web.visits import Door

HOST = "127.0.0.1"
IDLE_SECONDS = 30 * 60
# How often it is asked whether anybody still looks.
LOOK_SECONDS = 5


def run(
    store: str | None,
    *,
    port: int,
    opens: bool,
    read_only: bool,
    say: Callable[[str], None],
    idle_seconds: float = IDLE_SECONDS,
) -> None:
    """Serve until interrupted; `say` prints a line for whoever started it."""
    listening = _listen(port)
    port = listening.getsockname()[1]
    door = Door(port, read_only=read_only)
    address = f"http://{HOST}:{port}/enter?ticket={door.ticket}"
    projects = Projects(store)
    # A line of its own: it is the one thing a person has to carry from here to the page.
    word = "" if read_only else f"\nTo decide on the page, type this word there:  {door.word}\n\n"
    door.actor = workspace.hand_ticket(SURFACE, f"Open {address} (works once)\n{word}")
    if not door.actor.shown_on_terminal:
        # There is no terminal of a person's, so this ticket opens pages to look at, or an unattended home's.
        say(f"Open {address}")
    if door.read_only:
        why = "asked for" if read_only else f"{door.actor.host or 'no terminal of yours'}"
        say(f"Looking only ({why}): nothing can be changed from these pages.")
    say(
        f"Serving {projects.choices[0].url} until Ctrl-C, or until no page is opened for {idle_seconds / 60:g} minutes."
    )
    idle = Idle(idle_seconds)
    config = uvicorn.Config(
        app.make(door, projects, port, seen=idle.seen),
        log_level="warning",
        server_header=False,
        access_log=False,
        timeout_graceful_shutdown=2,
    )
    server = uvicorn.Server(config)
    if opens:
        webbrowser.open(address)
    with contextlib.suppress(KeyboardInterrupt):
        asyncio.run(_serve(server, listening, idle))
    say("Stopped.")


class Idle:
    """When somebody looked last."""

    def __init__(self, most_seconds: float) -> None:
        self._most, self._last = most_seconds, clock.seconds()

    def seen(self) -> None:
        """Note that somebody looked."""
        self._last = clock.seconds()

    @property
    def is_over(self) -> bool:
        """Whether nobody looked for too long."""
        return clock.seconds() - self._last > self._most


async def _serve(server: uvicorn.Server, listening: socket.socket, idle: Idle) -> None:
    async def watch() -> None:
        while not server.should_exit:
            await asyncio.sleep(LOOK_SECONDS)
            if idle.is_over:
                server.should_exit = True

    watching = asyncio.create_task(watch())
    try:
        await server.serve(sockets=[listening])
    finally:
        watching.cancel()


def _listen(port: int) -> socket.socket:
    listening = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
    listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listening.bind((HOST, port))
        # Before the address is shown: a browser that is quicker than the server waits in the queue.
        listening.listen()
    except OSError as error:
        listening.close()
        raise BadRequest(
            f"Port {port} cannot be used: {error.strerror}.", hint="Leave --port out to get a free one."
        ) from None
    return listening
