"""The address of a team's store: where the database is, which project in it, and never a password in a message."""

from __future__ import annotations

import re
from urllib.parse import parse_qsl, quote, unquote, urlencode, urlsplit, urlunsplit

import msgspec

from tenure.model.errors import BadRequest

_SECRETS = ("password", "sslpassword", "passfile")
# A URL with a password in it, or a password given as a word of its own, as drivers print them.
_IN_URL = re.compile(r"(postgres(?:ql)?://[^\s/@:]*):[^\s@]*@")
_IN_WORDS = re.compile(r"((?:ssl)?password)\s*=\s*('[^']*'|[^\s&'\"]+)", re.IGNORECASE)


class Address(msgspec.Struct, frozen=True):
    """A database as the driver takes it, the project in it, and how both are shown."""

    conninfo: str
    project: str
    shown: str


def parse(url: str, project: str) -> Address:
    """Return what an address names; the part after `#` is the project, else `project`."""
    try:
        parts = urlsplit(url)
        makes_sense = parts.scheme in ("postgresql", "postgres")
    except ValueError:  # brackets that hold no address
        makes_sense = False
    if not makes_sense:
        raise BadRequest(
            f"{redacted(url)!r} is not an address of PostgreSQL.", hint="postgresql://host/database#project"
        )
    name = unquote(parts.fragment) or project
    if not name or len(name) > 200 or "\0" in name:
        raise BadRequest(
            "The address names no project.", hint="Write it at the end: postgresql://host/database#project"
        )
    conninfo = urlunsplit(("postgresql", parts.netloc, parts.path, parts.query, ""))
    return Address(conninfo, name, f"{_without_secrets(conninfo)}#{quote(name, safe='')}")


def redacted(text: str) -> str:
    """Return a text without the passwords of addresses in it."""
    return _IN_WORDS.sub(r"\1=…", _IN_URL.sub(r"\1@", text))


def _without_secrets(conninfo: str) -> str:
    parts = urlsplit(conninfo)
    user, at, host = parts.netloc.rpartition("@")
    kept = [(key, value) for key, value in parse_qsl(parts.query) if key.lower() not in _SECRETS]
    netloc = f"{user.partition(':')[0]}{at}{host}"
    return redacted(urlunsplit(("postgresql", netloc, parts.path, urlencode(kept), "")))
