"""The words by which triage notices something worth remembering, as data.

They are claude-memory's published patterns with the repairs of its version 6.0: negated decisions do not
count, "cannot" only supports a constraint, more ways to say a decision, a limit or a preference, the
runbook threshold raised and the constraint threshold lowered to a value its scores can reach. A phrase
matches whole words, in any case, with any blanks between them, within one line.
"""

from __future__ import annotations

from typing import NamedTuple

SESSION_SUMMARY = "session_summary"
SESSION_THRESHOLD = 0.6
# Activity counts: a tool call, a different tool, a message.
TOOL_USE_WEIGHT, DISTINCT_TOOL_WEIGHT, EXCHANGE_WEIGHT = 0.05, 0.1, 0.02

# A booster counts this many lines before and after a primary phrase.
BOOSTER_WINDOW = 4
MAX_BOOSTED, MAX_PLAIN = 2, 3
MAX_SNIPPET_CHARACTERS = 4000
CONTEXT_LINES = 10

NEGATIONS = ("not ", "never ", "n't ")


class Rule(NamedTuple):
    """How one category is scored: lines with a primary phrase, worth more with a booster close by."""

    category: str
    primary: tuple[str, ...]
    boosters: tuple[str, ...]
    plain: float
    boosted: float
    denominator: float
    threshold: float
    # Primary phrases that do not count right after a negation.
    unless_negated: tuple[str, ...] = ()
    # Lines beginning like this (after Markdown marks) or holding one of these are instructions, not events.
    instruction_starts: tuple[str, ...] = ()
    instruction_parts: tuple[str, ...] = ()


RULES = (
    Rule(
        "decision",
        primary=(
            "let's go with",
            "we should use",
            "opting for",
            "switching to",
            "adopting",
            "settled on",
            "going with",
            "architecture decision",
            "design decision",
        ),
        unless_negated=("decided", "chose", "selected", "went with", "picked"),
        boosters=("because", "due to", "reason", "rationale", "over", "instead of", "rather than"),
        plain=0.3,
        boosted=0.5,
        denominator=1.9,
        threshold=0.4,
    ),
    Rule(
        "runbook",
        primary=(
            "error",
            "exception",
            "traceback",
            "stack trace",
            "stacktrace",
            "failed",
            "failure",
            "crash",
        ),
        boosters=("fixed by", "resolved", "root cause", "solution", "workaround", "the fix"),
        plain=0.2,
        boosted=0.6,
        denominator=1.8,
        threshold=0.5,
        # The memory system's own skill and save commands talk about errors all the time.
        instruction_starts=(
            "error handling",
            "retry logic",
            "retry strategy",
            "fallback logic",
            "fallback strategy",
            "write pipeline protections",
            "if a subagent fails",
            "if subagent fails",
            "if a task subagent fails",
            "if task subagent fails",
            "run the following",
        ),
        instruction_parts=(
            "memory_write.py",
            "memory_enforce.py",
            "memory_candidate.py",
            "tenure claude-memory",
            "memory save commands",
            "minimal console output",
            "if all commands succeeded (no errors)",
            "if any command failed, do not delete",
        ),
    ),
    Rule(
        "constraint",
        primary=(
            "limitation",
            "api limit",
            "restricted",
            "not supported",
            "quota",
            "rate limit",
            "does not support",
            "limited to",
            "hard limit",
            "service limit",
            "vendor limitation",
        ),
        boosters=(
            "discovered",
            "found that",
            "turns out",
            "permanently",
            "enduring",
            "platform",
            "cannot",
            "by design",
            "upstream",
            "provider",
            "not configurable",
            "managed plan",
            "incompatible",
            "deprecated",
        ),
        plain=0.3,
        boosted=0.5,
        denominator=1.9,
        threshold=0.45,
    ),
    Rule(
        "tech_debt",
        primary=(
            "todo",
            "deferred",
            "tech debt",
            "workaround",
            "hack",
            "will address later",
            "technical debt",
        ),
        boosters=("because", "for now", "temporary", "acknowledged", "deferring", "cost", "risk"),
        plain=0.3,
        boosted=0.5,
        denominator=1.9,
        threshold=0.4,
    ),
    Rule(
        "preference",
        primary=(
            "always use",
            "prefer",
            "convention",
            "from now on",
            "standard",
            "never use",
            "established",
            "default to",
            "stick with",
            "always remember",
            "my style",
            "keep using",
            "our convention",
            "i like to",
        ),
        boosters=("agreed", "going forward", "consistently", "rule", "practice", "workflow"),
        plain=0.35,
        boosted=0.5,
        denominator=2.05,
        threshold=0.4,
    ),
)

THRESHOLDS = {**{rule.category: rule.threshold for rule in RULES}, SESSION_SUMMARY: SESSION_THRESHOLD}
