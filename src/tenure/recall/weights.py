"""How much each signal counts: data, written by `scripts/bench recall fit`, read by rankers and the prompt hook.

A Python file because the hook could not afford a parser. Signals are explained in `recall.rank`; every weight of a
set was fitted on one split of the generated workload and scored on another (docs/recall.md has the figures).
"""

from __future__ import annotations

VERSION = 1

# Signal -> weight in the sum that orders memories, one set per kind of text.
RANK: dict[str, dict[str, float]] = {
    "memories": {
        "title": 0.5,
        "tags": 0.4,
        "text": 1.0,
        "content": 0.6,
        "names": 1.0,
        "related": 0.3,
        "coverage": 1.0,
        "meaning": 2.0,
        "standing": 0.15,
        "helped": 0.1,
        "harmed": -0.2,
        "stale": -0.1,
        "files": 0.6,
        "kind": 0.1,
    },
}

# What decides whether a memory answers at all: evidence above nothing is shown, below it is silence.
EVIDENCE: dict[str, float] = {"bias": -1.0, "surprise": 3.0, "share": 3.0, "names": 1.0, "related": 0.5}
EVIDENCE_WITH_MEANING: dict[str, float] = {**EVIDENCE, "meaning": 3.0}

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
