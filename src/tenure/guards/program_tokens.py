"""A program in Python or JavaScript cut into names, texts and signs, as far as its calls have to be seen.

Nothing is parsed beyond that. No `re`: a hook runs this, and compiling patterns costs it more than a short program.
"""

from __future__ import annotations

from tenure.guards.shell_script import UNKNOWN

# A text among the tokens begins with this sign, which no name and no other sign does.
TEXT = "'"
MOST_CHARACTERS = 30_000
_QUOTES = "'\"`"
_PREFIXES = frozenset(("r", "b", "f", "u", "rb", "br", "fr", "rf", "R", "B", "F"))


def tokens(program: str, *, python: bool) -> list[str]:
    """Return names, signs, and texts behind `TEXT`; comments and blanks are left out."""
    text = program[:MOST_CHARACTERS]
    found: list[str] = []
    at, end = 0, len(text)
    while at < end:
        sign = text[at]
        if sign.isalnum() or sign in "_$":
            start = at
            while at < end and (text[at].isalnum() or text[at] in "_$"):
                at += 1
            name = text[start:at]
            if not (python and name in _PREFIXES and text[at : at + 1] in ("'", '"')):
                found.append(name)
        elif sign in _QUOTES:
            value, at = _quoted(text, at, python=python)
            found.append(value)
        elif (sign == "#" and python) or (not python and text.startswith("//", at)):
            at = _past(text, "\n", at)
        elif not python and text.startswith("/*", at):
            at = _past(text, "*/", at)
        else:
            if not sign.isspace():
                found.append(sign)
            at += 1
    return found


def _past(text: str, closing: str, at: int) -> int:
    end = text.find(closing, at)
    return len(text) if end < 0 else end + len(closing)


def _quoted(text: str, at: int, *, python: bool) -> tuple[str, int]:
    """Return the text that begins here and the place behind it; a quote that does not end on its line is a sign."""
    quote = text[at]
    long = python and text.startswith(quote * 3, at)
    closing = quote * 3 if long else quote
    start = here = at + len(closing)
    while True:
        here = text.find(closing, here)
        if here < 0 or (not long and quote != "`" and "\n" in text[start:here]):
            return quote, at + 1
        if (len(text[start:here]) - len(text[start:here].rstrip("\\"))) % 2 == 0:
            break
        here += 1
    value = text[start:here]
    if "\\" in value:
        value = value.replace(f"\\{quote}", quote)
    # An escape, and what is put into a text when it runs, are not known here.
    unknown = "\\" in value or (quote == "`" and "${" in value)
    return TEXT + (UNKNOWN if unknown else value), here + len(closing)
