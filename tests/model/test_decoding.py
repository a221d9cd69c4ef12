"""Two threads that decode into a class for the first time do it one after the other."""

from __future__ import annotations

import ast
import subprocess
import sys
from pathlib import Path

import pytest

import tenure

SOURCES = sorted(Path(tenure.__file__).parent.rglob("*.py"))
# The inner class takes as long as the second thread lets it; the outer one is half read meanwhile.
TWO_THREADS = """
import msgspec, sys, threading
from tenure.model import decoding

began, second, done = threading.Event(), threading.Event(), threading.Event()

def waited():
    began.set()
    second.wait(30)
    done.wait(1)
    return int

class Inner(msgspec.Struct):
    number: "waited()" = 1

class Outer(msgspec.Struct):
    inner: Inner
    name: str = ""

CALLS = {
    "msgspec": lambda: msgspec.convert({"inner": {}}, Outer),
    "convert": lambda: decoding.convert({"inner": {}}, Outer),
    "decode": lambda: decoding.decode(b'{"inner": {}}', Outer),
    "unpack": lambda: decoding.unpack(msgspec.msgpack.encode({"inner": {}}), Outer),
    "decoder": lambda: decoding.decoder(tuple[Outer, ...])(b'[{"inner": {}}]'),
}
call, found = CALLS[sys.argv[1]], []

def later():
    began.wait(30)
    second.set()
    found.append(call())
    done.set()

threads = [threading.Thread(target=lambda: found.append(call())), threading.Thread(target=later)]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
assert len(found) == 2 and found[0] == found[1], found
"""


def status(way: str) -> int:
    return subprocess.run([sys.executable, "-P", "-c", TWO_THREADS, way], check=False).returncode


@pytest.mark.parametrize("way", ["convert", "decode", "unpack", "decoder"])
def test_a_class_that_one_thread_has_half_read_is_not_filled_by_another(way: str) -> None:
    """Issue 13: an hour of fuzzing the MCP server ended with status -11."""
    assert status(way) == 0


def test_msgspec_alone_crashes_there() -> None:
    """The test above can fail. When this one does, msgspec needs no help any more and `model/decoding.py` may go."""
    assert status("msgspec") < 0


@pytest.mark.parametrize("path", SOURCES, ids=lambda path: path.name)
def test_no_other_module_hands_a_type_to_msgspec(path: Path) -> None:
    """So that a class which somebody adds tomorrow is safe too."""
    wrong = []
    for node in ast.walk(ast.parse(path.read_text("utf-8"))):
        if isinstance(node, ast.ImportFrom) and node.module == "msgspec":
            # By their short names they would not be seen here.
            wrong += [alias.name for alias in node.names if alias.name != "structs"]
        elif isinstance(node, ast.Attribute) and ast.unparse(node).startswith("msgspec."):
            wrong += [ast.unparse(node)] if node.attr in ("convert", "Decoder") else []
        elif isinstance(node, ast.Call) and ast.unparse(node.func).endswith((".json.decode", ".msgpack.decode")):
            wrong += [ast.unparse(node) for keyword in node.keywords if keyword.arg != "strict"]
    assert wrong == [] or path.name == "decoding.py"
