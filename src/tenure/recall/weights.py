"""How much each signal counts: data in one TOML file per kind of text, written by `scripts/bench recall fit`.

`weights_memories.toml` is for atomic memories, `weights_transcripts.toml` for turns of conversations; weights do not
travel between unlike texts. The files are read by a few lines here, because the prompt hook could not afford a parser;
a test holds them against the real one. Signals are explained in `recall.rank`.
"""

from __future__ import annotations

import os

MEMORIES, TRANSCRIPTS = "memories", "transcripts"
# The form of the files: version 2 knows author, session, neighbours and dates, version 3 the gist and repeats,
# version 4 passages, loose names and weights for texts of mixed lengths, version 5 text as far as nothing was
# near, version 6 as far as texts are long, version 7 weights for sentences, version 8 orders, version
# 9 stop words apart.
VERSION = 9

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

_read: dict[str, dict[str, dict[str, float]]] = {}


def of(texts: str) -> dict[str, dict[str, float]]:
    """Return the sections of a kind of text: `rank.words`, `rank.meaning`, `evidence.words`, `evidence.meaning`.

    `rank.words.mixed` has what differs where the texts of a store have very different lengths, `rank.meaning.short`
    what differs from that where they are sentences.
    """
    if texts not in _read:
        path = os.path.join(os.path.dirname(__file__), f"weights_{texts}.toml")
        with open(path, encoding="utf-8") as file:
            _read[texts] = parse(file.read())
    return _read[texts]


def parse(text: str) -> dict[str, dict[str, float]]:
    """Return section -> signal -> weight; only `[a.b]` headings, `name = number` lines and comments are known."""
    sections: dict[str, dict[str, float]] = {}
    into = sections.setdefault("", {})
    for line in text.splitlines():
        line = line.partition("#")[0].strip()
        if line.startswith("["):
            into = sections.setdefault(line.strip("[]"), {})
        elif line:
            name, _, value = line.partition("=")
            into[name.strip()] = float(value)
    return sections
