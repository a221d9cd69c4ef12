"""Titles and tags that cannot be mistaken for anything but a title or a tag.

An index line is `- [CATEGORY] title -> path #tags:a,b`, and titles are shown to an agent. So they may hold
no control or invisible characters and none of the marks the line is split at. Letters of every script
survive.
"""

from __future__ import annotations

import re

# Longer texts fail the length check anyway; looking no further keeps the cost of a hostile one bounded.
LOOKED_AT = 1_000

ARROW = re.compile(r"(?:(?<=\s)|^)->(?=\s|$)")
CONFIDENCE = re.compile(r"\[confidence:[^\[\]]{0,40}\]", re.IGNORECASE)
CONTROL = re.compile(r"[\x00-\x1f\x7f]")

# Fillers that look like nothing but are letters or symbols to Unicode.
INVISIBLE = frozenset("\u034f\u115f\u1160\u17b4\u17b5\u180e\u2800\u3164\uffa0")
# Joiners that change how a word is written, in scripts (and emoji) that need them.
JOINERS = frozenset("\u200c\u200d")
FIRST_JOINED = "\u0590"


def title(text: str) -> str:
    """Return the title on one line, without marks an index line is read by."""
    text = visible(text[:LOOKED_AT]).strip() + text[LOOKED_AT:]
    return _without_marks(text, arrow=" - ").strip()


def tag(text: str) -> str:
    """Return the tag in lower case, without commas or marks; empty when nothing is left."""
    return listed_tag(text[:LOOKED_AT].lower() + text[LOOKED_AT:])


def listed_tag(text: str) -> str:
    """Return the tag as an index line shows it: as its record spells it, without commas or marks."""
    text = visible(text[:LOOKED_AT].strip()).replace(",", " ") + text[LOOKED_AT:]
    return _without_marks(text, arrow=" ").strip()


def visible(text: str) -> str:
    """Return the text without control, format and invisible characters."""
    if text.isascii():
        return CONTROL.sub("", text)
    from unicodedata import category  # start-up: most titles are ASCII

    kept: list[str] = []
    for number, character in enumerate(text):
        if character in JOINERS:
            after = text[number + 1 : number + 2]
            if kept and kept[-1] >= FIRST_JOINED and after >= FIRST_JOINED and category(after)[0] in "LMS":
                kept.append(character)
        elif category(character) not in ("Cc", "Cf", "Cs", "Cn", "Zl", "Zp") and character not in INVISIBLE:
            kept.append(character)
    return "".join(kept)


def _without_marks(text: str, *, arrow: str) -> str:
    if len(text) > LOOKED_AT:
        return text
    # Taking a mark out can bring the halves of another together, so this goes on until nothing changes.
    while True:
        cleaned = ARROW.sub(arrow.strip(), text.replace(" -> ", arrow))
        cleaned = CONFIDENCE.sub("", cleaned).replace("#tags:", "")
        if cleaned == text:
            return text
        text = cleaned
