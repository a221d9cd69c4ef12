"""A title as a file name: ASCII letters, digits and single dashes."""

from __future__ import annotations

import re

MAX_SLUG = 80
# Enough of a title to fill a slug however many characters fall away; the rest of a huge one is not looked at.
LOOKED_AT = 10_000


def slugify(text: str) -> str:
    """Return the slug of a text: at most 80 characters, empty when nothing of it is ASCII."""
    text = text[:LOOKED_AT]
    if not text.isascii():
        from unicodedata import normalize  # start-up: most titles are ASCII

        text = normalize("NFKD", text).encode("ascii", "ignore").decode("ascii")
    slug = re.sub(r"[^a-z0-9]+", "-", text.lower()).strip("-")
    return slug[:MAX_SLUG].rstrip("-")
