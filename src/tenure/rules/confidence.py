"""Confidence: exact arithmetic in hundredths, clamped to 0..100."""

from __future__ import annotations

from tenure.model.policy import Policy


def clamp(hundredths: int) -> int:
    """Return the value inside 0..100."""
    return max(0, min(100, hundredths))


def from_evidence(count: int, policy: Policy) -> int:
    """Return the confidence that so many pieces of evidence give by themselves."""
    table = policy.confidence.by_evidence
    return table[min(count, len(table)) - 1] if count > 0 else 0


def after_evidence(confidence: int, before: int, after: int, policy: Policy) -> int:
    """Return the confidence once evidence went from `before` to `after` pieces; what uses earned or cost stays."""
    if raises := policy.confidence.raises:
        return dict(raises).get(confidence, confidence) if after > before else confidence
    return clamp(confidence + from_evidence(after, policy) - from_evidence(before, policy))


def reinstated(confidence: int, evidence: int, policy: Policy) -> int:
    """Return the confidence of a memory that comes back into use, so that the next sweep lets it stay."""
    rules = policy.confidence
    if not rules.reinstated_to_evidence:
        return max(confidence, rules.reinstated_floor)
    return confidence if confidence >= policy.decay.confidence_below else from_evidence(evidence, policy)
