"""How to add an optional extra to this copy of Tenure: no package index has it, so its name alone is not enough."""

from __future__ import annotations

import json
import re
import shlex
import sys
from pathlib import Path
from urllib.parse import unquote, urlsplit

_EXTRA = re.compile(r"""\s*;.*\bextra\s*==\s*['"]([^'"]+)['"].*$""")


def adding(extra: str) -> str:
    """Return the command that adds an extra to the environment this program runs in."""
    python = Path(sys.executable)
    if source := _clone():
        return _pip(python, "-e", f"{source}[{extra}]")
    wanted = _requirements(extra)
    if "pipx" in python.parts and "venvs" in python.parts:
        return f"pipx inject tenure {shlex.join(wanted)}"
    return _pip(python, *wanted)


def _pip(python: Path, *words: str) -> str:
    # Environments that uv made have no pip of their own.
    has_pip = any(python.parent.glob("pip*"))
    head = [str(python), "-m", "pip", "install"] if has_pip else ["uv", "pip", "install", "--python", str(python)]
    return shlex.join([*head, *words])


def _clone() -> str:
    """Return the folder of a clone that this copy runs from, empty for a wheel."""
    from importlib import metadata  # start-up: every search loads this module, and only a hint needs the other

    try:
        facts = json.loads(metadata.distribution("tenure").read_text("direct_url.json") or "{}")
    except (metadata.PackageNotFoundError, ValueError):
        return ""
    url = facts.get("url", "") if isinstance(facts, dict) else ""
    editable = isinstance(facts, dict) and isinstance(facts.get("dir_info"), dict) and facts["dir_info"].get("editable")
    return unquote(urlsplit(url).path) if editable and isinstance(url, str) else ""


def _requirements(extra: str) -> list[str]:
    """Return what an extra consists of."""
    from importlib import metadata  # start-up: see above

    try:
        listed = metadata.requires("tenure") or []
    except metadata.PackageNotFoundError:
        listed = []
    found = [line for line in listed if (match := _EXTRA.search(line)) and match[1] == extra]
    return [_EXTRA.sub("", line).strip() for line in found] or [f"tenure[{extra}]"]
