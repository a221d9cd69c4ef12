"""Packages that need no manifest: a language's own modules, and names that differ from what is imported."""

from __future__ import annotations

import posixpath
import re
import sys

from tenure.audit.manifests import normal
from tenure.audit.project import Project
from tenure.audit.words import listed

# Imported under another name than the one it is installed by.
ALIASES = {
    "yaml": "pyyaml",
    "sklearn": "scikit-learn",
    "cv2": "opencv-python",
    "pil": "pillow",
    "bs4": "beautifulsoup4",
    "dateutil": "python-dateutil",
    "dotenv": "python-dotenv",
    "psycopg2": "psycopg2-binary",
    "jwt": "pyjwt",
    "git": "gitpython",
}
NODE_MODULES = listed(
    """
    assert buffer child-process cluster crypto dns events fs http http2 https net os path process
    querystring readline stream timers tls url util v8 vm worker-threads zlib
    """
)
LOCK_NAMES = listed(
    """
    package-lock.json yarn.lock pnpm-lock.yaml poetry.lock uv.lock Pipfile.lock Cargo.lock go.sum
    Gemfile.lock composer.lock pdm.lock bun.lock
    """
)
MAX_LOCK_BYTES = 32 * 1024 * 1024


def is_known_without_manifest(name: str, project: Project) -> bool:
    """Return whether the name is a language's own, another name of a declared one, locked, or ours."""
    plain = normal(name.removeprefix("node:"))
    if plain.replace("-", "_") in sys.stdlib_module_names or plain in NODE_MODULES:
        return True
    if ALIASES.get(plain) in project.manifests.packages:
        return True
    module = name.replace("-", "_")
    if project.find(name) or project.find(module) or project.find(f"src/{module}"):
        return True  # a part of this very project
    return _is_locked(name, project)


def _is_locked(name: str, project: Project) -> bool:
    word = re.compile(rf"(?<![\w-]){re.escape(name)}(?![\w-])", re.I)
    locks = (path for path in project.files if posixpath.basename(path) in LOCK_NAMES)
    return any(word.search(project.read_text(path, MAX_LOCK_BYTES)) for path in locks)
