"""`ui`: pages to look at memory and to decide about it."""

from __future__ import annotations

from importlib import import_module

import click

from tenure.model.errors import BadRequest
from tenure.surfaces.cli.app import App, command


@command("ui", example="tenure ui\ntenure ui --no-open --port 8764")
@click.option("--port", type=click.IntRange(0, 65535), default=0, help="Port on 127.0.0.1; default: any free port.")
@click.option("--no-open", is_flag=True, help="Do not open the browser; print the address.")
@click.option("--read-only", is_flag=True, help="Only look: no page can change anything.")
def ui_command(app: App, port: int, no_open: bool, read_only: bool) -> None:
    """Look at memory in your browser and decide what waits."""
    try:
        # Another surface, started here and not used; its extra is optional.
        serve = import_module("tenure.surfaces.web.serve")
    except ImportError as error:
        from tenure.files import extras  # start-up: only without the extra

        said = f"The pages need the `ui` extra ({error.name} is missing)."
        raise BadRequest(said, hint=extras.adding("ui")) from None
    serve.run(app.store, port=port, opens=not no_open, read_only=read_only, say=lambda line: click.echo(line, err=True))
