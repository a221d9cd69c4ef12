"""The dispatcher: what a command loads, and what it leaves alone."""

from __future__ import annotations

import subprocess
import sys

import pytest

from .case_runner import SOURCE
from .project import Project

LOADED = """
import sys
sys.path.insert(0, sys.argv.pop(1))
from tenure.__main__ import main
main(["claude-memory", *sys.argv[1:]])
print(*sys.modules, file=sys.stderr)
"""
# Argument parser, introspection and every runtime dependency of the project.
TOO_HEAVY = {"argparse", "dataclasses", "inspect", "click", "msgspec", "rich", "apsw", "asyncio", "tomllib"}


@pytest.mark.unmeasured
@pytest.mark.parametrize(
    "words",
    [
        ("write", "--action", "delete", "--target", ".claude/memory/decisions/x.json"),
        ("index", "--validate"),
        ("enforce", "--category", "session_summary"),
    ],
)
def test_a_command_loads_the_standard_library_only_and_little_of_it(project: Project, words: tuple[str, ...]) -> None:
    """House rule: drop-in commands run on every write; the import budget is a test."""
    done = subprocess.run(
        [sys.executable, "-c", LOADED, str(SOURCE), *words],
        cwd=project.root,
        capture_output=True,
        text=True,
        check=True,
    )
    loaded = set(done.stderr.splitlines()[-1].split())
    assert "tenure.systems.claude_memory.folder" in loaded
    assert loaded & TOO_HEAVY == set()


def test_help_is_no_error(project: Project) -> None:
    """Argparse: --help prints usage on standard output and exits with 0."""
    for words in (["--help"], ["write", "--help"], ["index", "-h"]):
        assert project.run(*words) == 0
        assert project.out.startswith("usage: tenure claude-memory")
