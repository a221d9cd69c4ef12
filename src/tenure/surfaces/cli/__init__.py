"""The command line: thin, and every command says what it did and what to do next.

This module turns errors into exit statuses; the commands themselves live beside it, one file per group, and are
imported only when they are called.
"""

from __future__ import annotations

import errno
import io
import os
import sys

import click

from tenure.model.errors import TenureError
from tenure.surfaces.cli.app import App, fitted, speaks_utf8, tenure
from tenure.text.words import for_terminal

BUG = 70


def main(words: list[str]) -> int:
    """Run one command and return its exit status."""
    app = App(json="--json" in words)
    _have_streams()
    _show_anything()
    try:
        if frozen := os.environ.get("TENURE_NOW"):
            from tenure.model import clock  # start-up: almost nobody sets it

            # Also where the command itself does not ask for the time: a typing error must not pass for the present.
            clock.parse(frozen, field="TENURE_NOW")
        result = tenure.main(args=words, prog_name="tenure", standalone_mode=False, obj=app)
        sys.stdout.flush()
        return result if isinstance(result, int) else 0
    except click.exceptions.Exit as stop:
        return int(stop.exit_code)
    except click.Abort:
        click.echo("Stopped; nothing was changed.", err=True)
        return 1
    except click.UsageError as error:
        return _usage(app, error)
    except TenureError as error:
        return _failed(app, error)
    except BrokenPipeError:
        # The reader has seen enough, as in `tenure list | head`.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    except KeyboardInterrupt:
        click.echo("Stopped.", err=True)
        return 130
    except (FileNotFoundError, NotADirectoryError) as error:
        if os.environ.get("TENURE_DEBUG"):
            raise
        return _failed(app, _moved_away(error))
    except Exception as error:
        if isinstance(error, OSError) and error.errno == errno.ENAMETOOLONG:
            return _failed(app, _too_long())
        if isinstance(error, OSError) and error.errno == errno.ENOSPC and error.filename is None:
            # What could not be printed would be tried once more when Python ends.
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
            return _failed(app, _full())
        if os.environ.get("TENURE_DEBUG"):
            raise
        return _bug(app, error)


def _moved_away(error: OSError) -> TenureError:
    """Return the error of a file or folder that somebody moved while a command was at work."""
    from tenure.model.errors import StoreUnusable

    where = repr(os.fsdecode(error.filename)) if error.filename else "a file"
    return StoreUnusable(f"{where} was moved or removed while this ran.", hint="Try again.")


def _too_long() -> TenureError:
    """Return the error of a path that no file system takes; the path itself would fill a screen."""
    from tenure.model.errors import BadRequest

    return BadRequest("A path is too long for this file system.", hint="Name a shorter one.")


def _full() -> TenureError:
    """Return the error of a disk on which the answer found no room."""
    from tenure.model.errors import StoreUnusable

    return StoreUnusable(
        "The disk that the answer goes to is full.", hint="Free some space and look with: tenure status"
    )


def _have_streams() -> None:
    """Put an empty stream where whoever started us closed one: there is nobody to ask or to tell."""
    for name, mode in (("stdin", "r"), ("stdout", "w"), ("stderr", "w")):
        if getattr(sys, name) is None:
            setattr(sys, name, open(os.devnull, mode, encoding="utf-8"))  # noqa: SIM115 - for as long as we run


def _show_anything() -> None:
    """Let a terminal that cannot show a character show its code; the answer to a change that was made must not fail."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")


def _usage(app: App, error: click.UsageError) -> int:
    from tenure.model.errors import BadRequest

    hint = f"Try: {error.ctx.command_path} --help" if error.ctx else "Try: tenure --help"
    return _failed(app, BadRequest(error.format_message(), hint=hint))


def _failed(app: App, error: TenureError) -> int:
    if app.json:
        import json

        click.echo(json.dumps(error.as_json(), ensure_ascii=not speaks_utf8(sys.stderr)), err=True)
    else:
        told = f"{click.style('Error:', fg='red', bold=True)} {for_terminal(error.message)}"
        click.echo(fitted(told, sys.stderr), err=True)
        if error.hint:
            click.echo(fitted(for_terminal(error.hint), sys.stderr), err=True)
    return error.exit_status


def _bug(app: App, error: Exception) -> int:
    found = TenureError(
        f"{type(error).__name__}: {error}",
        hint="This is a bug of ours. Run again with TENURE_DEBUG=1 and report the trace.",
    )
    found.code = "BUG"
    _failed(app, found)
    return BUG
