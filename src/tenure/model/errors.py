"""Every exception Tenure raises on purpose.

    TenureError
    ├── BadRequest            2   the request makes no sense
    │   ├── UnknownId
    │   ├── AmbiguousId
    │   └── InvalidInput          a file, line or field that is not what it should be
    ├── Refused               3   a rule says no
    │   ├── AntiResurrection
    │   ├── NotEntitled
    │   ├── NeedsPerson           only a person at a terminal may decide this
    │   ├── Protected             a write protection
    │   ├── Untrusted             a project's memory that nobody here agreed to
    │   └── Forgotten             the content was erased and may not come back
    ├── Conflict              4   somebody wrote first
    └── StoreUnusable         5   the store cannot be used
        ├── StoreBusy
        ├── StoreUnreachable      nobody answers at the address of a database
        ├── StoreDamaged
        └── StoreTooNew

Each has a stable `code` for programs, an exit status for shells and a hint that says what to do next.
"""

from __future__ import annotations


class TenureError(Exception):
    """Something went wrong that the caller must stop for."""

    code = "ERROR"
    exit_status = 1

    def __init__(self, message: str = "", *, hint: str = "", field: str = "") -> None:
        self.message = message or (self.__doc__ or "").strip()
        self.hint = hint
        self.field = field
        super().__init__(self.message)

    def as_json(self) -> dict[str, object]:
        """Return the error as every surface shows it."""
        return {"error": {"code": self.code, "message": self.message, "hint": self.hint}}


class BadRequest(TenureError):
    """The request makes no sense."""

    code = "BAD_REQUEST"
    exit_status = 2


class UnknownId(BadRequest):
    """No memory has this id."""

    code = "UNKNOWN_ID"


class AmbiguousId(BadRequest):
    """More than one memory has an id that begins like this."""

    code = "AMBIGUOUS_ID"


class InvalidInput(BadRequest):
    """A file, a line or a field is not what it should be."""

    code = "VALIDATION_ERROR"


class Refused(TenureError):
    """A rule refuses this."""

    code = "REFUSED"
    exit_status = 3


class AntiResurrection(Refused):
    """A memory retired less than a day ago cannot be created again."""

    code = "ANTI_RESURRECTION_ERROR"


class NotEntitled(Refused):
    """This reviewer may not give this verdict."""

    code = "NOT_ENTITLED"


class NeedsPerson(Refused):
    """Only a person at a terminal may decide this."""

    code = "NEEDS_PERSON"


class Protected(Refused):
    """A write protection refuses the change."""

    code = "MERGE_ERROR"


class Untrusted(Refused):
    """This project's memory came with the repository and is not trusted."""

    code = "UNTRUSTED"


class Forgotten(Refused):
    """This content was forgotten on request and may not come back."""

    code = "FORGOTTEN"


class Conflict(TenureError):
    """Somebody wrote first: the memory changed since it was read."""

    code = "OCC_CONFLICT"
    exit_status = 4


class StoreUnusable(TenureError):
    """The store cannot be used."""

    code = "STORE_UNUSABLE"
    exit_status = 5


class StoreBusy(StoreUnusable):
    """Another process held the store for too long."""

    code = "STORE_BUSY"


class StoreUnreachable(StoreUnusable):
    """The database cannot be reached."""

    code = "STORE_UNREACHABLE"


class StoreDamaged(StoreUnusable):
    """The store is damaged."""

    code = "STORE_DAMAGED"


class StoreTooNew(StoreUnusable):
    """The store was written by a newer Tenure."""

    code = "STORE_TOO_NEW"
