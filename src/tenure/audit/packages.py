"""Packages that need no manifest: a language's own modules, and names that differ from what is imported."""

from __future__ import annotations

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
    plain = name.lower()
    # Most names are in no lock file at all, which a plain search tells soonest.
    held = [text for text in project.locks if plain in text]
    word = re.compile(rf"(?<![\w-]){re.escape(plain)}(?![\w-])")
    return any(word.search(text) for text in held)
