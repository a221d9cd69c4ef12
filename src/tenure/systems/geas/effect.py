"""What a task's outcome says about a memory that was used in it, and confidence in whole hundredths.

The arithmetic that follows from an effect is the same on every system and lives in `rules`.
"""

from __future__ import annotations

# How a task ended, in geas's words and its verdicts', and what that says of advice that speaks about it.
OUTCOMES = {
    **dict.fromkeys(("passed", "pass", "shipped", "approved"), "positive"),
    **dict.fromkeys(("failed", "fail", "iterate", "blocked", "block", "escalated"), "negative"),
    # Contradiction 6: a task that was given up says nothing.
    **dict.fromkeys(("cancelled", "cut"), "unknown"),
}


def effect(said: str, *, contradicted: bool = False) -> str:
    """Return the effect that an outcome stands for; other words are returned as they are.

    A memory that contradicted the right way has failed, even when the task passed in spite of it.
    """
    if said in OUTCOMES:
        return "negative" if contradicted else OUTCOMES[said]
    return said


def hundredths(confidence: float) -> int:
    """Return the confidence as a whole number from 0 to 100."""
    return min(100, max(0, round(confidence * 100)))
