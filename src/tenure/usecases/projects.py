"""The projects whose memory a person has here: the current one, whatever else is beside it, and those trusted."""

from __future__ import annotations

import contextlib
from pathlib import Path

from tenure.files import FOUND, locate, trust
from tenure.files.locate import Place
from tenure.model.errors import TenureError
from tenure.usecases import init

# So many can be chosen from; a list that is longer is no choice.
MOST = 40


def projects(store: str | None, folder: Path) -> list[Place]:
    """Return the places of memory that exist, the one in use first, and that one also when it is empty."""
    chosen, found = init.survey(folder, store)
    places = {chosen.url: chosen}
    for each in found:
        with contextlib.suppress(TenureError):
            places.setdefault(each.url, locate.named(each.url, folder))
    for path in trust.stores():
        with contextlib.suppress(TenureError, OSError):
            place = _place(Path(path))
            if place is not None and place.path.exists():
                places.setdefault(place.url, place)
    return list(places.values())[:MOST]


def _place(path: Path) -> Place | None:
    """Return the place of a store by the path under which it is trusted."""
    if path.name.endswith(".db"):
        around = path.parent.parent if path.parent.name == ".tenure" else path.parent
        return locate.named(f"{locate.DEFAULT}:{path}", around)
    for scheme, name in FOUND:
        if str(path).endswith(f"/{name}"):
            return locate.named(f"{scheme}:{path}", path.parent)
    return None
