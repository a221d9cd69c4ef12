"""In which order a person should look at what waits: first where a verdict is worth most.

The one ordering of the review queue; `tenure review`, its JSON and the web page all use it. There are no weights: each
question only breaks the ties of the one before it, so a memory's place can be said in words.
"""

from __future__ import annotations

from tenure.model.memory import TRUST_ORDER, Memory

Place = tuple[bool, int, int, int, int, float, str]


def place(memory: Memory, *, quoted: bool = False) -> Place:
    """Return the sort key of a memory that waits, smallest first; `quoted` when a person's words are kept with it.

    1. Nothing can go on without a verdict: it is under review, or agents are given both sides of a contradiction.
    2. Who says it: a person in their own words, then each class of trust.
    3. More runs saw it. 4. It was used more often. 5. It is more certain. 6. It changed last.
    """
    said = 0 if quoted else TRUST_ORDER.index(memory.trust)
    signals = memory.signals
    return (
        not is_stuck(memory),
        said,
        -signals.evidence_count,
        -signals.reuse_count,
        -signals.confidence,
        -memory.updated_at.timestamp(),
        memory.id,
    )


def is_stuck(memory: Memory) -> bool:
    """Tell whether a memory is under review or contradicts another, so that only a verdict helps."""
    return memory.phase == "held" or bool(memory.conflicts)
