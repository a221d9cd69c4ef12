"""Where the client keeps a project's memory: the client's own rule, from the project's path to its folder."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Mapping
from pathlib import Path

MAX_SLUG = 200
MAX_SETTINGS_BYTES = 1024 * 1024


def slug(path: str) -> str:
    """Return the client's name for a project folder: every character outside A-Z, a-z, 0-9 becomes `-`."""
    return re.sub(r"[^A-Za-z0-9]", "-", path)


def config_folder(home: Path, environment: Mapping[str, str]) -> Path:
    """Return the client's own folder, which `CLAUDE_CONFIG_DIR` moves."""
    moved = environment.get("CLAUDE_CONFIG_DIR")
    return Path(os.path.expanduser(moved)) if moved else home / ".claude"


def memory_folders(root: Path, home: Path, environment: Mapping[str, str]) -> list[Path]:
    """Return the folders that may hold this project's memory, best first; they need not exist.

    `root` is the main worktree's root: the client shares one folder between all worktrees of a repository.
    """
    config = config_folder(home, environment)
    found: list[Path] = []
    relocated = _relocated(config / "settings.json", home)
    if relocated is not None:
        found.append(relocated)
    projects = config / "projects"
    named = environment.get("CLAUDE_CODE_PROJECT_DIR_NAME")
    if named and re.fullmatch(r"[A-Za-z0-9_.-]+", named) and named not in (".", ".."):
        found.append(projects / named / "memory")
    name = slug(str(root))
    if len(name) <= MAX_SLUG:
        found.append(projects / name / "memory")
    elif projects.is_dir():
        # Longer names are cut and end in a hash we do not know, so every folder that begins alike is offered.
        found += sorted(each / "memory" for each in projects.glob(name[:MAX_SLUG] + "*"))
    return found


def _relocated(settings: Path, home: Path) -> Path | None:
    """Return the folder the user's own settings name; a project's settings need trust and are not asked."""
    try:
        if settings.stat().st_size > MAX_SETTINGS_BYTES:
            return None
        value = json.loads(settings.read_text("utf-8")).get("autoMemoryDirectory")
    except (OSError, ValueError, AttributeError, RecursionError):
        return None
    if not isinstance(value, str):
        return None
    path = home / value[2:] if value.startswith("~/") else Path(value)
    return path if path.is_absolute() else None
