"""Characters that nobody sees, taken out of a text: controls, escape sequences, invisible and unassigned characters.

Scripts that need joiners, marks or selectors keep them, and so do emoji. `words.clean` comes here with every text that
is not plain.
"""

from __future__ import annotations

import re
import unicodedata

MARKS_PER_BASE = 8
LINE_BREAKS = frozenset("\n\r\v\f\x85\u2028\u2029")

# Drawn as nothing although their category says letter, mark or symbol.
BLANKS = frozenset("\u034f\u115f\u1160\u17b4\u17b5\u180e\u2800\u3164\uffa0\U0001d159")

JOINERS = frozenset("\u200c\u200d")
# Scripts in which a joiner is spelling: Arabic and its kin, Mongolian, and the Indic family.
JOINING_SCRIPTS = (
    (0x0600, 0x08FF),
    (0x0900, 0x0DFF),
    (0x0F00, 0x109F),
    (0x1780, 0x18AF),
    (0x1900, 0x1CFF),
    (0xA800, 0xA9FF),
    (0xAA00, 0xAAFF),
    (0xABC0, 0xABFF),
    (0xFB50, 0xFDFF),
    (0xFE70, 0xFEFC),
    (0x10A00, 0x10FFF),
    (0x11000, 0x11FFF),
    (0x1E900, 0x1E95F),
)

EMOJI = (
    (0x2190, 0x21FF),
    (0x2300, 0x23FF),
    (0x2460, 0x24FF),
    (0x25A0, 0x27BF),
    (0x2900, 0x297F),
    (0x2B00, 0x2BFF),
    (0x1F000, 0x1FAFF),
)
EMOJI_SINGLES = frozenset("\u00a9\u00ae\u203c\u2049\u2122\u2139\u3030\u303d\u3297\u3299")

KEYCAP_BASES = frozenset("0123456789#*")

BLACK_FLAG = "\U0001f3f4"
TAG_END = "\U000e007f"
LONGEST_FLAG_TAG = 5  # a region and its subdivision, as in gb-eng

MONGOLIAN = (0x1820, 0x18AA)
MONGOLIAN_SELECTORS = frozenset("\u180b\u180c\u180d\u180f")

# One whole terminal sequence: a string (OSC, DCS, SOS, PM, APC) up to its end or the end of its line, a
# control sequence, or a short escape. The classes in a row are disjoint, so matching never looks back.
ESCAPE_SEQUENCE = (
    "(?:\x1b[\\]PX^_]|[\x90\x98\x9d-\x9f])[^\x07\x1b\x9c\n\r\v\f\x85\u2028\u2029]*+(?:\x07|\x1b\\\\|\x9c)?"
    "|(?:\x1b\\[|\x9b)[0-?]*+[ -/]*+[@-~]?"
    "|\x1b[ -/]*+[0-~]?"
)


def remove(text: str) -> str:
    """Return the text in NFC without controls, escapes and invisible characters; lines end in a newline."""
    if not text.isascii():
        # Joins surrogate pairs and turns a lone half into U+FFFD, which the UTF-8 encoder takes.
        text = text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    text = _without_escapes(text).replace("\r\n", "\n")
    text = unicodedata.normalize("NFC", text)
    roles = {character: _role(character, unicodedata.category(character)) for character in set(text)}
    if set(roles.values()) == {"keep"}:
        return text
    return unicodedata.normalize("NFC", _filtered(text, roles))


def spell(name: str) -> str:
    """Return a name with the code of each character that `remove` takes out, and of each that ends a line."""
    if "\n" not in name and "\t" not in name and remove(name) == unicodedata.normalize("NFC", name):
        return name  # with the joiners and selectors that its script needs
    return "".join(ascii(character)[1:-1] if _ends_or_hides(character) else character for character in name)


def spell_json(document: str) -> str:
    r"""Return a JSON document with the code (`\u202e`) of each character that `remove` takes out; it says the same."""
    if remove(document) == unicodedata.normalize("NFC", document):
        return document
    # Word by word, because a joiner or a selector that one script needs is hidden in another.
    return re.sub("[^ \n]+", lambda word: _spelled_json_word(word[0]), document)


def _spelled_json_word(word: str) -> str:
    if remove(word) == unicodedata.normalize("NFC", word):
        return word
    shown: list[str] = []
    marks = 0
    for character in word:
        is_mark = _role(character, unicodedata.category(character)) == "mark"
        marks = marks + 1 if is_mark else 0
        hides = marks > MARKS_PER_BASE or _ends_or_hides(character)
        shown.append(_json_code(character) if hides else character)
    return "".join(shown)


def _json_code(character: str) -> str:
    units = character.encode("utf-16-be", "surrogatepass").hex()
    return "".join(f"\\u{units[at : at + 4]}" for at in range(0, len(units), 4))


def _ends_or_hides(character: str) -> bool:
    return (
        character == "\t"
        or character in LINE_BREAKS
        or _role(character, unicodedata.category(character))
        not in (
            "keep",
            "mark",
        )
    )


def is_invisible(character: str) -> bool:
    """Return whether a character can hide between two others without being seen."""
    return (
        character in BLANKS
        or character in JOINERS
        or _is_selector(character)
        or unicodedata.category(character) in ("Cf", "Cn")
    )


def _without_escapes(text: str) -> str:
    if "\x1b" not in text and not any(introducer in text for introducer in "\x90\x98\x9b\x9d\x9e\x9f"):
        return text
    return re.sub(ESCAPE_SEQUENCE, "", text)


def _role(character: str, category: str) -> str:
    """Say what becomes of a character: keep, drop, newline, or one of the kinds that depend on neighbours."""
    if character in LINE_BREAKS:
        return "keep" if character == "\n" else "newline"
    if character == "\t":
        return "keep"
    if character in JOINERS:
        return "joiner"
    if _is_selector(character):
        return "selector"
    if character == BLACK_FLAG:
        return "flag"
    if character in BLANKS or category in ("Cc", "Cf", "Cs", "Cn") or 0xE0100 <= ord(character) <= 0xE01EF:
        return "drop"
    return "mark" if category[0] == "M" else "keep"


def _filtered(text: str, roles: dict[str, str]) -> str:
    kept: list[str] = []
    marks = 0
    resume_at = 0
    for position, character in enumerate(text):
        if position < resume_at:
            continue
        role = roles[character]
        if role == "mark":
            marks += 1
            if marks <= MARKS_PER_BASE:
                kept.append(character)
            continue
        previous = kept[-1] if kept else ""
        if role == "joiner":
            following = text[position + 1 : position + 2]
            if _may_join(previous, following if roles.get(following) in ("keep", "flag") else ""):
                kept.append(character)
        elif role == "selector":
            if _may_select(previous, character):
                kept.append(character)
        elif role != "drop":
            marks = 0
            kept.append("\n" if role == "newline" else character)
            if role == "flag":
                tags = _flag_tags(text, position + 1)
                kept.extend(tags)
                resume_at = position + 1 + len(tags)
    return "".join(kept)


def _may_join(previous: str, following: str) -> bool:
    if not previous:
        return False
    if unicodedata.combining(previous) == 9:  # a virama: the joiner picks the form of the letter before it
        return True
    if not following:
        return False
    if _is_emoji(following):
        return _is_emoji(previous) or previous == "\ufe0f"
    return (
        _within(previous, JOINING_SCRIPTS)
        and unicodedata.category(previous)[0] in "LM"
        and _within(following, JOINING_SCRIPTS)
        and unicodedata.category(following)[0] == "L"
    )


def _may_select(previous: str, selector: str) -> bool:
    if not previous:
        return False
    if selector in MONGOLIAN_SELECTORS:
        return MONGOLIAN[0] <= ord(previous) <= MONGOLIAN[1]
    return selector in "\ufe0e\ufe0f" and (_is_emoji(previous) or previous in KEYCAP_BASES)


def _flag_tags(text: str, start: int) -> str:
    """Return the tag characters of a well-formed flag that starts before `start`, or nothing."""
    end = text.find(TAG_END, start, start + LONGEST_FLAG_TAG + 1)
    if end < 0:
        return ""
    letters = [chr(ord(c) - 0xE0000) for c in text[start:end] if 0xE0030 <= ord(c) <= 0xE007A]
    region = "".join(letters)
    well_formed = len(region) == end - start >= 3 and region.isalnum() and region.islower() and region[:2].isalpha()
    return text[start : end + 1] if well_formed else ""


def _is_selector(character: str) -> bool:
    return "\ufe00" <= character <= "\ufe0f" or character in MONGOLIAN_SELECTORS


def _is_emoji(character: str) -> bool:
    return character in EMOJI_SINGLES or _within(character, EMOJI)


def _within(character: str, ranges: tuple[tuple[int, int], ...]) -> bool:
    code = ord(character)
    return any(first <= code <= last for first, last in ranges)
