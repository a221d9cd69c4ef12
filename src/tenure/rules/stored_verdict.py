"""Decide when writing, not when reading: the policy's verdict on a memory is stored with it.

A hook then needs no policy: it reads which memories are eligible, how much they weigh and the line to print.
"""

from __future__ import annotations

import hashlib

from tenure.model.memory import Memory, Verdict
from tenure.model.policy import Policy
from tenure.rules.confidence import clamp
from tenure.rules.queue_order import queued
from tenure.text.words import ELLIPSIS, folded, one_line


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
        queued=queued(memory, policy),
    )


def fingerprint(kind: str, text: str) -> int:
    """Return a short hash that is equal for texts of one kind that differ only in form."""
    return int.from_bytes(hashlib.sha256(f"{kind}\0{folded(text)}".encode()).digest()[:8], signed=True)


def line(memory: Memory, limit: int) -> str:
    """Return the memory in one line, as an agent sees it."""
    # A line shows no more than its limit, so a long text need not be cleaned as a whole.
    text = one_line(memory.text[: 2 * limit])
    if text.startswith(memory.title.rstrip(ELLIPSIS)) and 0 < len(text) <= limit:
        return text
    title = one_line(memory.title)
    if not text or text.startswith(title.rstrip(ELLIPSIS)):
        return one_line(text or title, limit)
    return one_line(f"{title}: {text}", limit)
