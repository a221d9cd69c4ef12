"""Memories rendered as reference data that cannot break out of their block.

    <memory-context nonce="1f9c…" items="2">
    header line
    * attributes of the first memory
    | first line of its text
    | second line
    * attributes of the second memory
    |
    </memory-context nonce="1f9c…">

Each line carries a mark, so nothing stored ever starts a line: no heading, no turn marker, no delimiter.
An angle bracket that begins a tag and an ampersand that begins an entity become entities, so no tag can be formed and
none closed; `a < b`, `x && y` and `List<Item>` stay readable, because memories are about code. A square bracket that
opens something like `[seen 12x]` becomes one as well. The one rule: `parse` undoes exactly what `render`
did. Attributes are ours: a stored title goes into them through `field`.
"""

from __future__ import annotations

from collections.abc import Sequence

NAME = "memory-context"
ITEM = "* "
BODY = "| "
NONCE_BYTES = 8

# The ampersand first, so that what was escaped is not escaped again.
ENTITIES = (("&", "&amp;"), ("<", "&lt;"))
_ENTITY_STARTS = ("amp;", "lt;", "#")
# What makes a bracket the beginning of a tag, and names of tags that mean something to a model or to us: those are
# escaped also where they stand like the parameter of a type.
_TAG_SIGNS = "/!?_:|"
_TAG_NAMES = (
    "memory", "tenure", "system", "user", "assistant", "human", "tool", "function", "instruct", "important", "prompt",
    "developer", "admin", "command", "hook", "skill", "task", "env", "antml", "script", "style", "iframe",
)  # fmt: skip
BRACKET = "&#91;"

# What a label of ours begins with or contains; a bracket in stored text that opens such a label is a forgery.
LABEL_STARTS = (
    "seen", "confidence", "id", "origin", "source", "trust", "review", "state", "canonical", "memory",
    "verified", "guardian", "user", "system", "assistant", "human", "evidence", "important", "m-", "/",
)  # fmt: skip
LABEL_SIGNS = (":", "=", "%")
LONGEST_LABEL = 80

# Characters that some reader takes for the end of a line.
BREAKS = {ord(c): f"&#{ord(c)};" for c in "\r\v\f\x1c\x1d\x1e\x1f\x85\u2028\u2029"}


def new_nonce() -> str:
    """Return a nonce nobody can guess, for one block."""
    import os

    return os.urandom(NONCE_BYTES).hex()


def render(items: Sequence[tuple[str, str]], *, header: str, nonce: str) -> str:
    """Return the block that holds the items, each an attributes line of ours and a text of anybody's."""
    if not nonce.isalnum() or not nonce.isascii():
        from tenure.model.errors import InvalidInput  # start-up: hooks render and never come here

        raise InvalidInput(f"A nonce is letters and digits, not {nonce[:40]!r}.", field="nonce")
    rows = [f'<{NAME} nonce="{nonce}" items="{len(items)}">', _escaped(header).replace("\n", " ")]
    for attributes, text in items:
        rows.append(ITEM + _escaped(attributes).replace("\n", "&#10;"))
        rows += [f"{BODY}{line}" for line in _without_labels(_escaped(text)).split("\n")]
    rows.append(f'</{NAME} nonce="{nonce}">')
    return "\n".join(rows)


def wrapped(lines: Sequence[str], *, header: str, nonce: str) -> str:
    """Return one-line texts that carry marks of another system as a block of ours; no tag can be formed in them."""
    rows = [f'<{NAME} nonce="{nonce}" items="{len(lines)}">', *header.split("\n")]
    rows += [_escaped(line).replace("\n", "&#10;") for line in lines]
    return "\n".join([*rows, f'</{NAME} nonce="{nonce}">'])


def parse(block: str) -> list[tuple[str, str]]:
    """Return the items of a rendered block; raises `InvalidInput` for anything `render` did not write."""
    from tenure.model.errors import InvalidInput  # start-up: hooks render and do not parse

    rows = block.strip("\n").split("\n")
    opening = rows[0].split('"')
    if len(opening) != 5 or opening[0] != f"<{NAME} nonce=" or rows[-1] != f'</{NAME} nonce="{opening[1]}">':
        raise InvalidInput("Not a memory block: its first and last line do not belong together.")
    items: list[tuple[str, list[str]]] = []
    for row in rows[2:-1]:
        if row.startswith(ITEM):
            items.append((_unescaped(row[len(ITEM) :]), []))
        elif row.startswith(BODY) and items:
            items[-1][1].append(row[len(BODY) :])
        else:
            raise InvalidInput(f"Not a memory block: a line begins with {row[:2]!r}.")
    return [(attributes, _unescaped("\n".join(lines))) for attributes, lines in items]


def _escaped(text: str) -> str:
    if "&" in text:
        first, *rest = text.split("&")
        text = first + "".join(("&amp;" if piece.startswith(_ENTITY_STARTS) else "&") + piece for piece in rest)
    if "<" in text:
        first, *rest = text.split("<")
        kept, before = [first], first
        for piece in rest:
            kept.append(("&lt;" if _begins_tag(before, piece) else "<") + piece)
            before = piece
        text = "".join(kept)
    return text.translate(BREAKS)


def _begins_tag(before: str, after: str) -> bool:
    name = after.lstrip()[:20].lower()
    if name.startswith(_TAG_NAMES) or (name[:1] in _TAG_SIGNS and name):
        return True
    # A name right behind a name is the parameter of a type.
    return after[:1].isalpha() and not before[-1:].isalnum()


def _without_labels(text: str) -> str:
    if "[" not in text:
        return text
    first, *rest = text.split("[")
    return first + "".join((BRACKET if _reads_like_label(piece) else "[") + piece for piece in rest)


def _reads_like_label(after_bracket: str) -> bool:
    label = after_bracket[:LONGEST_LABEL].partition("]")[0].strip().lower()
    return label.startswith(LABEL_STARTS) or any(sign in label for sign in LABEL_SIGNS)


def _unescaped(text: str) -> str:
    if "&" not in text:
        return text
    text = text.replace(BRACKET, "[").replace("&#10;", "\n")
    for code, entity in BREAKS.items():
        text = text.replace(entity, chr(code))
    for character, entity in reversed(ENTITIES):
        text = text.replace(entity, character)
    return text
