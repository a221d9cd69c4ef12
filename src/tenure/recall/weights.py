"""How much each signal counts: data, written by `scripts/bench recall fit`, read by rankers and the prompt hook.

A Python file because the hook could not afford a parser. Signals are explained in `recall.rank`. Weights of words,
names and meaning were fitted on one half of the generated workload's topics and scored on the other (docs/recall.md);
those of tags, content, kind and the lifecycle are choices, because the workload has no labels for them.
"""

from __future__ import annotations

VERSION = 1

# Signal -> weight in the sum that orders memories: with words alone, and where vectors are at hand.
RANK: dict[str, dict[str, float]] = {
    "words": {
        "title": 0.09, "tags": 0.4, "text": 0.08, "content": 0.3, "names": 1.51, "related": 0.11, "coverage": 0.82,
        "standing": 0.15, "helped": 0.1, "harmed": -0.2, "stale": -0.1, "files": 0.6, "kind": 0.05,
    },
    "meaning": {
        "title": 0.0, "tags": 0.4, "text": 0.02, "content": 0.3, "names": 1.64, "related": 0.0, "coverage": 0.61,
        "meaning": 1.94,
        "standing": 0.15, "helped": 0.1, "harmed": -0.2, "stale": -0.1, "files": 0.6, "kind": 0.05,
    },
}  # fmt: skip

# What decides whether a memory answers at all: above nothing it is shown, below is silence.
EVIDENCE: dict[str, dict[str, float]] = {
    "words": {"bias": -1.0, "surprise": 0.97, "share": 2.12, "names": 5.44, "related": 0.29},
    "meaning": {"bias": -1.78, "surprise": 0.81, "share": 0.35, "names": 5.34, "related": 0.87, "meaning": 1.72},
}

# Words of a prompt that call for a kind of memory.
CUES: dict[str, tuple[str, ...]] = {
    "runbook": ("error", "errors", "fails", "failing", "failed", "crash", "crashes", "broken", "stuck", "fix", "debug"),
    "decision": ("why", "choose", "chose", "decide", "decided", "instead", "alternative", "versus", "rationale"),
    "preference": ("style", "prefer", "preferred", "convention", "format", "naming", "usually", "like"),
    "constraint": ("limit", "limits", "allowed", "must", "quota", "forbidden", "maximum", "cannot", "policy"),
    "tech_debt": ("later", "cleanup", "refactor", "debt", "todo", "workaround", "temporary", "postponed", "deferred"),
    "session_summary": ("continue", "resume", "yesterday", "last", "left", "progress", "next", "status"),
}

# What an injection may cost where the store does not say: the packaged policy's values, which a test compares.
LIMITS: dict[str, float] = {
    "limit": 8,
    "budget_chars": 4000,
    "duplicate_overlap": 0.8,
    "floor_share": 0.25,
    "least_evidence": 0.0,
}
