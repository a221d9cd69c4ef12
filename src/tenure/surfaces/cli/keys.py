"""Reading single keys from a terminal, and giving the terminal back whatever happens."""

from __future__ import annotations

import os
import select
import sys
import termios
import tty
from collections.abc import Iterator
from contextlib import contextmanager

_NAMES = {b" ": "space", b"\r": "enter", b"\n": "enter", b"\t": "tab", b"\x1b": "escape", b"\x03": "interrupt"}
_SEQUENCES = {
    b"\x1b[A": "up", b"\x1bOA": "up", b"\x1b[B": "down", b"\x1bOB": "down", b"\x1b[5~": "up", b"\x1b[6~": "down",
}  # fmt: skip
# A terminal sends the bytes of one key together; a person cannot type so fast.
KEY_SECONDS = 0.05


class Keyboard:
    """The terminal on standard input, read key by key."""

    def __init__(self) -> None:
        self.handle = sys.stdin.fileno()
        self._before = termios.tcgetattr(self.handle)

    @contextmanager
    def screen(self) -> Iterator[None]:
        """Take the whole screen, and leave the terminal as it was."""
        sys.stdout.write("\x1b[?1049h\x1b[?25l")
        sys.stdout.flush()
        try:
            tty.setcbreak(self.handle)
            yield
        finally:
            self.lines()
            sys.stdout.write("\x1b[?25h\x1b[?1049l")
            sys.stdout.flush()

    def lines(self) -> None:
        """Let the terminal read whole lines again, as questions and editors expect."""
        termios.tcsetattr(self.handle, termios.TCSADRAIN, self._before)

    @contextmanager
    def asking(self) -> Iterator[None]:
        """Let somebody else ask a question in the last line of the screen."""
        self.lines()
        sys.stdout.write("\r\x1b[2K\x1b[?25h")
        sys.stdout.flush()
        try:
            yield
        finally:
            tty.setcbreak(self.handle)
            sys.stdout.write("\x1b[?25l")

    @contextmanager
    def outside(self) -> Iterator[None]:
        """Give the screen to another program, such as an editor."""
        self.lines()
        sys.stdout.write("\x1b[?25h\x1b[?1049l")
        sys.stdout.flush()
        try:
            yield
        finally:
            sys.stdout.write("\x1b[?1049h\x1b[?25l")
            sys.stdout.flush()
            tty.setcbreak(self.handle)

    def key(self) -> str:
        """Return the next key by name; a letter is its own."""
        data = os.read(self.handle, 1)
        if not data:
            return "end of input"
        if data == b"\x1b":
            while len(data) < 8 and select.select([self.handle], [], [], KEY_SECONDS)[0]:
                data += os.read(self.handle, 1)
                if data in _SEQUENCES or data[-1:].isalpha() or data[-1:] == b"~":
                    break
            return _SEQUENCES.get(data, _NAMES.get(data, ""))
        if data[0] >= 0xC0:
            # The rest of a character that no key here stands for.
            os.read(self.handle, 3 if data[0] >= 0xF0 else 2 if data[0] >= 0xE0 else 1)
            return ""
        return _NAMES.get(data) or data.decode("ascii", "ignore")


def draw(lines: list[str]) -> None:
    """Show lines from the top of the screen, the cursor in the last one."""
    sys.stdout.write("\x1b[H" + "\r\n".join(f"{line}\x1b[K" for line in lines) + "\x1b[J")
    sys.stdout.flush()
