"""What a hook costs before it does anything."""

from __future__ import annotations

import json
import subprocess
import sys

import pytest

pytestmark = pytest.mark.unmeasured
MOST_MODULES = 70
HEAVY = {"click", "msgspec", "apsw", "rich", "asyncio", "dataclasses", "logging", "subprocess", "hypothesis"}
RUN = """
import sys, runpy, json
sys.argv = ["tenure", *{words!r}]
try:
    runpy._run_module_as_main("tenure")
except SystemExit as end:
    print(json.dumps([end.code or 0, sorted(sys.modules)]))
"""


def loaded(*words: str) -> tuple[int, set[str]]:
    """Return the exit status and the modules a real process has loaded at the end of a command."""
    code = "import sys; before = None\n" + RUN.format(words=list(words))
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=60)
    status, modules = json.loads(done.stdout.splitlines()[-1])
    return status, set(modules)


def wrapper() -> set[str]:
    """Return what the wrapper above loads by itself, and a bare interpreter does not."""
    bare = "import sys; print(*sys.modules, sep='\\n')"
    counting = "import sys, runpy, json; print(*sys.modules, sep='\\n')"
    sets = [
        set(subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout.split())
        for code in (bare, counting)
    ]
    return sets[1] - sets[0]


def test_a_hook_that_does_nothing_loads_at_most_seventy_modules() -> None:
    """Issue 2: `python -m tenure hook noop` imports at most 70 modules, and nothing heavy."""
    status, modules = loaded("hook", "noop")
    mine = {name for name in modules - wrapper() if not name.startswith("__editable__")}
    assert status == 0
    assert len(mine) <= MOST_MODULES, sorted(mine)
    assert not {name.split(".")[0] for name in mine} & HEAVY


def test_the_package_itself_imports_nothing() -> None:
    """DESIGN 3.2: the API is loaded when it is asked for."""
    code = "import sys; import tenure; print(*(name for name in sys.modules if name.startswith('tenure')))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["tenure"]


def test_help_and_version_do_not_load_the_store() -> None:
    """Issue 2: `tenure --help` costs at most 8 interpreter starts; commands are imported when they run."""
    for words in (("--help",), ("--version",)):
        status, modules = loaded(*words)
        assert status == 0
        assert not modules & {"apsw", "msgspec", "tenure.workspace", "rich"}
