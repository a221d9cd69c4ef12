"""What becomes of a proposal: a new memory, evidence for one we have, the end of one, or nothing.

Every answer carries its reasons. A proposal that contradicts a similar memory is never merged into it.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from functools import lru_cache
from typing import Any, Literal

import msgspec

from tenure.model.kinds import content_words
from tenure.model.memory import Memory
from tenure.model.policy import Policy
from tenure.text.words import folded, jaccard, words

Action = Literal["create", "update", "retire", "noop"]
# Words before "is resolved" by which it is denied, hoped for or made a condition.
_UNSETTLED = re.compile(
    r"n't\b|\b(?:not|never|when|whenever|once|until|till|if|unless|after|before|while|should|must|may|might|to)\b",
    re.IGNORECASE,
)
_SENTENCE_END = re.compile(r"[.!?;](?:\s|$)|\n")


class Proposal(msgspec.Struct, frozen=True, kw_only=True):
    """What capture suggests: cleaned and redacted, but not yet a memory."""

    kind: str
    title: str
    text: str
    content: dict[str, Any] = {}
    evidence: tuple[str, ...] = ()
    run: str = ""
    tags: tuple[str, ...] = ()
    files: tuple[str, ...] = ()
    source: str = ""
    scope: str = "project"
    domain: str = ""
    agent: str = ""
    # claude-memory's lifecycle event: resolved, removed, reversed, superseded, deprecated.
    event: str = ""


class Decision(msgspec.Struct, frozen=True, kw_only=True):
    """What consolidation answers, and why."""

    action: Action
    id: str
    kind: str
    reasons: tuple[str, ...]
    # What the memory says, and the person's words it was taken from, where a session taught it.
    text: str = ""
    quote: str = ""


def decide(proposal: Proposal, similar: Sequence[Memory], opposite: Collection[str], policy: Policy) -> Decision:
    """Return what to do with a proposal, given the memories whose words are nearest and the ids of its opposites."""
    # What was retired may be learned again; for how long it may not is a write protection.
    mine = [memory for memory in similar if memory.kind == proposal.kind and memory.state != "retired"]
    same = [memory for memory in mine if memory.id not in opposite]
    repeated = next((memory for memory in same if is_repeat(proposal, memory)), None)
    event = reversal(proposal, policy)
    nearest = max(same, key=lambda memory: overlap(proposal, memory), default=None)
    is_like = nearest is not None and overlap(proposal, nearest) >= policy.match.similar_overlap
    turned = _turned(proposal, nearest) if is_like and nearest is not None and nearest is not repeated else ""
    like = nearest if is_like and not turned else None
    again = repeated or like
    # Who says once more that something was removed takes nothing back.
    if event and (proposal.event or not (again and _says(again, event))):
        # Never evidence for what it reverses.
        if target := _reversed(proposal, mine, event, policy):
            return _decision("retire", proposal, target.id, f"{event}: {target.title}")
        return _decision("noop", proposal, "", f"{event}, but no {proposal.kind} it could mean was found")
    if repeated:
        return _seen(proposal, repeated, "says exactly the same", policy)
    if in_other_words := next((memory for memory in same if is_same_rule(proposal, memory)), None):
        return _seen(proposal, in_other_words, "states the same rule in other words", policy)
    if like:
        return _seen(proposal, like, f"{overlap(proposal, like):.0%} of the words are the same", policy)
    if turned and nearest is not None:
        return _decision("create", proposal, "", f"has the words of {nearest.id}, but {turned}")
    return _decision("create", proposal, "", "nothing like it is known")


def is_repeat(proposal: Proposal, memory: Memory) -> bool:
    """Tell whether the proposal says, word for word, what the memory says."""
    return _folded(proposal.text) == _folded(memory.text) and _same_content(proposal, memory)


# Each new memory is compared with several, and many with the same ones.
_folded = lru_cache(maxsize=1024)(folded)


def is_same_rule(proposal: Proposal, memory: Memory) -> bool:
    """Tell whether both state one rule, as "use X, not Y" and "X instead of Y" do; content of its own says more."""
    if proposal.content or memory.content:
        return False
    from tenure.rules.same_rule import same  # start-up: most of what is added resembles nothing

    return same(proposal.text, memory.text)


def _turned(proposal: Proposal, memory: Memory) -> str:
    """Return why a text of nearly the same words does not say the same, such as "first" in place of "last"."""
    from tenure.rules import likeness  # start-up: most of what is added resembles nothing

    return likeness.turned(proposal.text, memory.text)


def overlap(proposal: Proposal, memory: Memory) -> float:
    """Return the share of words the two have in common, in title, text and content."""
    return jaccard(
        set(words(f"{proposal.title} {proposal.text} {content_words(proposal.content)}")),
        set(words(f"{memory.title} {memory.text} {content_words(memory.content)}")),
    )


def reversal(proposal: Proposal, policy: Policy) -> str:
    """Return the word by which the proposal says that something no longer holds, or nothing.

    Only explicit forms count: "Resolved: …", "… has been removed". "Resolved by restarting" is advice, not an end.
    """
    return _reversing(proposal, policy) if proposal.kind in policy.match.reversal.kinds else ""


def _reversing(proposal: Proposal, policy: Policy) -> str:
    rules = policy.match.reversal
    if proposal.event in rules.words:
        return proposal.event
    either = "|".join(map(re.escape, rules.words))
    opening = re.compile(rf"\s*(?:now\s+)?({either})\s*(?:[:,.;–—-](?:\s|$)|$)", re.IGNORECASE)
    closing = re.compile(
        rf"\b(?:is|was|are|were|been|now|got)\s+(?:now\s+|fully\s+|finally\s+)?({either})\b(?!\s+(?:by|with|when|if|via|through)\b)",
        re.IGNORECASE,
    )
    for text in (proposal.title, proposal.text):
        head = text[:2000]
        if match := opening.match(head):
            return match.group(1).lower()
        if (match := closing.search(head)) and not _UNSETTLED.search(_SENTENCE_END.split(head[: match.start(1)])[-1]):
            return match.group(1).lower()
    return ""


def reversed_by(proposal: Proposal, similar: Sequence[Memory], policy: Policy) -> dict[str, str]:
    """Return the memory that a proposal declares over though its kind is not ended that way, and the word for it.

    It contradicts that memory; counting it as evidence would strengthen what it takes back.
    """
    if proposal.kind in policy.match.reversal.kinds or not (word := _reversing(proposal, policy)):
        return {}
    mine = [memory for memory in similar if memory.kind == proposal.kind]
    target = _reversed(proposal, mine, word, policy)
    return {target.id: f"one says that the other was {word}"} if target else {}


def _says(memory: Memory, word: str) -> bool:
    return word in words(f"{memory.title} {memory.text}")


def _reversed(proposal: Proposal, mine: Sequence[Memory], word: str, policy: Policy) -> Memory | None:
    said = set(words(f"{proposal.title} {proposal.text}")) - set(policy.match.reversal.words)
    best: tuple[float, Memory] | None = None
    for memory in mine:
        if memory.phase == "gone" or (not proposal.event and _says(memory, word)):
            continue
        known = set(words(f"{memory.title} {memory.text}"))
        share = len(said & known) / (min(len(said), len(known)) or 1)
        if share >= policy.match.reversal_overlap and (best is None or share > best[0]):
            best = (share, memory)
    return best[1] if best else None


def _same_content(proposal: Proposal, memory: Memory) -> bool:
    return not proposal.content or not memory.content or proposal.content == memory.content


def faded(memory: Memory, policy: Policy) -> bool:
    """Tell whether a memory decayed by disuse alone, so that being seen again brings it back."""
    signals, state = memory.signals, policy.decay.state
    # Where people put memories aside in the same state, only what has no evidence left can have faded.
    shared = state == policy.retention.retired_state
    return (
        memory.state == state
        and not (shared and signals.evidence_count)
        and signals.contradiction_count < policy.decay.contradictions
        and signals.confidence >= policy.decay.confidence_below
    )


def _seen(proposal: Proposal, memory: Memory, how: str, policy: Policy) -> Decision:
    """Return an update, or nothing to do when this run or reference has counted for the memory already."""
    if faded(memory, policy) and proposal.run not in memory.runs:
        return _decision("update", proposal, memory.id, f"{how}; seen again, so it comes back")
    if memory.phase == "gone":
        return _decision("noop", proposal, memory.id, f"{how} as {memory.id}, which is {memory.state}")
    if not counts(proposal, memory):
        once = f"run {proposal.run}" if proposal.run in memory.runs else ", ".join(proposal.evidence)
        new = [*(set(proposal.tags) - set(memory.tags)), *(set(proposal.files) - set(memory.files))]
        if not new:
            return _decision("noop", proposal, memory.id, f"{how}; {once} counts once")
        return _decision("update", proposal, memory.id, f"{how}; {once} counts once; adds {', '.join(sorted(new))}")
    return _decision("update", proposal, memory.id, f"{how}; counts as evidence")


def counts(proposal: Proposal, memory: Memory) -> bool:
    """Tell whether a proposal of a run is new evidence: neither the run nor all its references counted before."""
    known = bool(proposal.evidence) and set(proposal.evidence) <= set(memory.evidence)
    return bool(proposal.run) and proposal.run not in memory.runs and not known


def _decision(action: Action, proposal: Proposal, id: str, *reasons: str) -> Decision:
    return Decision(action=action, id=id, kind=proposal.kind, reasons=reasons)
