"""The lock file: every package the project asks for stands in it, with a hash for each file."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

ROOT = Path(__file__).parents[2]


def normal(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()


def test_every_dependency_is_locked_with_hashes() -> None:
    """S16: tests run with known files. Run scripts/lock after a change of dependencies."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    extras = project["optional-dependencies"]
    own = re.fullmatch(r"tenure\[(.+)\]", extras["dev"][0])
    assert own
    asked = [
        *project["dependencies"],
        *extras["dev"][1:],
        *(each for name in own[1].split(",") for each in extras[name]),
    ]
    names = {normal(re.split(r"[\[<>=!~; ]", each)[0]) for each in asked}
    blocks = re.split(r"\n(?=\w)", (ROOT / "requirements" / "dev.lock").read_text())
    locked = {normal(re.split(r"[\[=]", block)[0]): block for block in blocks if "==" in block.split("\n")[0]}
    assert names <= locked.keys()
    assert all("--hash=sha256:" in block for block in locked.values())
    # pip takes coverage[toml] for another package than coverage, and refuses the next release that has no hash here.
    assert locked["coverage"].startswith("coverage[toml]==")


def test_every_range_has_an_upper_bound() -> None:
    """Issue 13: upper bounds that mean something."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    asked = [*project["dependencies"], *(each for extra in project["optional-dependencies"].values() for each in extra)]
    assert [each for each in asked if not each.startswith("tenure[") and "<" not in each and "==" not in each] == []
