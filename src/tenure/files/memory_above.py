"""Memory in a folder above, where no repository says what belongs together: it is named, never used by itself.

A folder outside every repository is a project of its own, and its memory goes there. Who works in a folder below one
with memory is told so, as long as there is none here. What lies in the home folder, in a folder that others may write,
or above either belongs to nobody's project.
"""

from __future__ import annotations

import os
import shlex
import stat

from tenure.files import DATABASE, around_repository
from tenure.files.locate import Place
from tenure.files.trust import open_to_others


def notice(place: Place) -> str:
    """Say which folder above has memory and how to use it; empty where this one has its own or none is above."""
    if place.origin != "default" or os.path.lexists(place.path) or around_repository(str(place.path)):
        return ""
    found = _nearest(os.path.realpath(place.project))
    if not found:
        return ""
    return f"A folder above has memory, which is not used here: {found}. To use it: cd {shlex.quote(found)}"


def _nearest(folder: str) -> str:
    """Return the nearest folder above with memory of ours; empty when there is none."""
    home, above = os.path.realpath(os.path.expanduser("~")), os.path.dirname(folder)
    while folder not in (home, above) and above != home and not _is_open(above):
        database = os.path.join(above, DATABASE)
        if _is_file(database) and not _is_open(os.path.dirname(database)):
            return above
        folder, above = above, os.path.dirname(above)
    return ""


def _is_open(folder: str) -> bool:
    """Tell whether somebody else may write to a folder, it is a link, or it is not there."""
    try:
        facts = os.lstat(folder)
    except OSError:
        return True
    return not stat.S_ISDIR(facts.st_mode) or bool(hasattr(os, "geteuid") and open_to_others(facts, os.geteuid()))


def _is_file(path: str) -> bool:
    try:
        return stat.S_ISREG(os.lstat(path).st_mode)
    except OSError:
        return False
