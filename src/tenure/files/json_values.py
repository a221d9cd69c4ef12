"""A JSON value if it has the wanted type, otherwise an empty one: for records that others write and may get wrong.

Readers that must refuse a wrong value say so themselves; these are for fields that are left out when they are wrong.
Imports nothing: hooks read payloads with it.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


def as_text(value: object) -> str:
    return value if isinstance(value, str) else ""


def as_list(value: object) -> list[Any]:
    return value if isinstance(value, list) else []


def as_object(value: object) -> dict[str, Any]:
    return value if isinstance(value, dict) else {}


def as_texts(value: object) -> list[str]:
    """Return the texts of a list; what else is in it is left out."""
    return [item for item in value if isinstance(item, str)] if isinstance(value, list | tuple) else []
