"""Decide when writing, not when reading: what the policy says of a memory is stored with it.

A hook then needs no policy: it reads which memories are eligible, how much they weigh and the line to print.
"""

from __future__ import annotations

import hashlib
import re

from tenure.kinds import content_words
from tenure.lifecycle.confidence import clamp
from tenure.memory import Memory, Verdict
from tenure.policy import Policy
from tenure.text import one_line

_WORD = re.compile(r"\w+")


def verdict(memory: Memory, policy: Policy) -> Verdict:
    """Return the stored verdict of a memory."""
    eligible = memory.phase == "live"
    weight = policy.inject.weight.get(memory.state, 0) if eligible else 0
    weight = clamp((weight + memory.signals.confidence) // 2)
    return Verdict(
        eligible=eligible,
        weight=weight,
        line=line(memory, policy.inject.line_chars),
        due_at=memory.review_after if memory.phase == "live" and policy.decay.by_review_date else None,
        fingerprint=fingerprint(memory.kind, memory.text),
        index=(memory.title, " ".join(memory.tags), memory.text, content_words(memory.content)),
    )


def normalised(text: str) -> str:
    """Return a text reduced to its words, by which repeats and forgotten texts are recognised.

    Every word counts, the small ones too: "not" makes a text the opposite. A text without words stands for itself.
    """
    return " ".join(_WORD.findall(text.casefold())) or " ".join(text.split())


def fingerprint(kind: str, text: str) -> bytes:
    """Return a short hash that is equal for texts of one kind with the same words."""
    return hashlib.sha256(f"{kind}\0{normalised(text)}".encode()).digest()[:12]


def line(memory: Memory, limit: int) -> str:
    """Return the memory in one line, as an agent sees it."""
    title, text = one_line(memory.title), one_line(memory.text)
    if not text or text == title or text.startswith(title.rstrip("…")):
        return one_line(text or title, limit)
    return one_line(f"{title}: {text}", limit)
