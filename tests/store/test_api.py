"""The protocol of stores: small, documented, and kept by what we have."""

from __future__ import annotations

import inspect
import re
from pathlib import Path

import pytest

from tenure.store import SCHEMES, api, hook_api, open_store
from tenure.store.sqlite.hook_reader import SqliteHookStore
from tenure.store.sqlite.store import SqliteStore

PAGE = Path(__file__).parents[2] / "docs" / "architecture.md"
PARTS = {
    "Store": (api.Store, SqliteStore),
    "store.activity": (api.Activity, type(SqliteStore(None).activity)),
    "store.effects": (api.Effects, type(SqliteStore(None).effects)),
    "store.guards": (api.GuardFires, type(SqliteStore(None).guards)),
    "store.overview": (api.Overview, type(SqliteStore(None).overview)),
    "store.vectors": (api.Vectors, type(SqliteStore(None).vectors)),
    "store.health": (api.Health, type(SqliteStore(None).health)),
    "HookStore": (hook_api.HookStore, SqliteHookStore),
}


def methods(of: type) -> dict[str, inspect.Signature]:
    found = {name: value for name, value in vars(of).items() if inspect.isfunction(value) and name[0] != "_"}
    return {name: inspect.signature(value) for name, value in found.items()}


@pytest.mark.parametrize("part", PARTS)
def test_the_page_lists_every_method(part: str) -> None:
    """STYLE: whoever writes another store starts there."""
    rows = re.findall(rf"^\| `{re.escape(part)}`[^|]*\| (.*) \|$", PAGE.read_text("utf-8"), re.MULTILINE)
    listed = [name for row in rows for name in re.findall(r"`(\w+)`", row)]
    assert sorted(listed) == sorted(methods(PARTS[part][0])) and len(listed) <= 19


@pytest.mark.parametrize("part", PARTS)
def test_what_we_have_takes_what_the_protocol_says(part: str) -> None:
    """HOUSE: names and defaults of parameters are part of it; callers use keywords."""
    protocol, ours = PARTS[part]
    for name, promised in methods(protocol).items():
        kept = inspect.signature(getattr(ours, name))
        assert list(kept.parameters) == list(promised.parameters), name
        for key, parameter in promised.parameters.items():
            assert kept.parameters[key].default == parameter.default, f"{name}({key})"


def test_every_scheme_opens_a_store_that_reads_as_empty() -> None:
    """`locate` offers only schemes that work."""
    for scheme in SCHEMES:
        store = open_store(None, scheme)
        assert store.find() == [] and store.place
        store.close()
