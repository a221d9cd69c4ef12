"""What a person marked as private: `<private>…</private>` is never stored (P3). An unclosed one reaches to the end."""

from __future__ import annotations

OPENING, CLOSING = "<private>", "</private>"


def spans(text: str) -> list[tuple[int, int]]:
    """Return where private regions begin and end, their marks with them; marks may be in any case."""
    found: list[tuple[int, int]] = []
    # A letter that grows when lowered would shift every place behind it.
    lowered = text.lower() if len(text.lower()) == len(text) else text
    start = lowered.find(OPENING)
    while start >= 0:
        close = lowered.find(CLOSING, start)
        end = close + len(CLOSING) if close >= 0 else len(text)
        found.append((start, end))
        start = lowered.find(OPENING, end)
    return found


def without(text: str) -> str:
    """Return a text without its private regions."""
    kept, position = [], 0
    for start, end in spans(text):
        kept.append(text[position:start])
        position = end
    return "".join([*kept, text[position:]])
