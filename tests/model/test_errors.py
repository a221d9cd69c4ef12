"""Every exception has a stable code, an exit status and says what to do."""

from __future__ import annotations

import inspect

import pytest

from tenure.model import errors
from tenure.model.errors import TenureError

ALL = [kind for _, kind in inspect.getmembers(errors, inspect.isclass) if issubclass(kind, TenureError)]
STATUS = {
    "BadRequest": 2,
    "UnknownId": 2,
    "AmbiguousId": 2,
    "InvalidInput": 2,
    "Refused": 3,
    "AntiResurrection": 3,
    "NotEntitled": 3,
    "Protected": 3,
    "Forgotten": 3,
    "Conflict": 4,
    "StoreUnusable": 5,
    "StoreBusy": 5,
    "StoreDamaged": 5,
    "StoreTooNew": 5,
    "TenureError": 1,
}


def test_exit_statuses_are_those_of_the_contract() -> None:
    """CONTRACT: 1 failed, 2 makes no sense, 3 refused, 4 conflict, 5 store."""
    found = {kind.__name__: kind.exit_status for kind in ALL}
    assert {name: found.get(name) for name in STATUS} == STATUS


def test_codes_are_unique_and_in_capitals() -> None:
    codes = [kind.code for kind in ALL]
    assert len(set(codes)) == len(codes)
    assert all(code == code.upper() for code in codes)


def test_codes_other_systems_print_keep_their_spelling() -> None:
    """STYLE."""
    assert errors.Conflict.code == "OCC_CONFLICT"
    assert errors.AntiResurrection.code == "ANTI_RESURRECTION_ERROR"


@pytest.mark.parametrize("kind", ALL, ids=lambda kind: kind.__name__)
def test_the_docstring_is_the_default_message(kind: type[TenureError]) -> None:
    error = kind()
    assert error.message == str(error) == (kind.__doc__ or "").strip() != ""
    assert kind("x", hint="y").as_json() == {"error": {"code": kind.code, "message": "x", "hint": "y"}}


def test_the_tree_at_the_top_names_every_exception() -> None:
    assert [kind.__name__ for kind in ALL if kind.__name__ not in (errors.__doc__ or "")] == []
