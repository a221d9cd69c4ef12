"""What a session suggests: the rules the person stated in it, and drafts of what else they said.

Nothing is kept here, and each suggestion is there once. What becomes of it depends on the system (`learn`).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

from tenure.capture import package_scope, stated_rules
from tenure.capture.session_builder import Session
from tenure.rules.consolidate import Decision
from tenure.systems.api import System
from tenure.text.redact import redact
from tenure.text.suspicion import suspicious
from tenure.text.words import folded, jaccard, words
from tenure.usecases import capture, learned_lately, session_drafts
from tenure.usecases.project import Project

# A rule whose words a draft has already is not proposed a second time.
SAME_SHARE = 0.6


class Suggestion(NamedTuple):
    """What a session suggests: a proposal, the person's words, and whether they asked for it to be kept."""

    proposal: dict[str, Any]
    quote: str
    explicit: bool
    signs: tuple[str, ...] = ()


def suggestions(project: Project, system: System, session: Session) -> tuple[list[Suggestion], list[str]]:
    """Return the rules the person stated, and drafts of what else they said in so many words.

    With it comes what the user should know: why a drafter of their own gave nothing.
    """
    kinds = system.kinds
    drafts, quoted, left = session_drafts.drafts(session, project, kinds)
    notes = [item["why"] for item in left if item["title"] == session_drafts.DRAFTER]
    session.left_out.extend(left)
    rules = []
    for rule in stated_rules.stated(session):
        text, folder = package_scope.named(session, rule.quote, rule.text, str(project.place.project))
        proposal: dict[str, Any] = {
            "kind": rule.kind if rule.kind in kinds else system.default_kind,
            "text": redact(text)[0],
            "source": f"agent:{session.host}",
            "scope": rule.scope,
            "evidence": [f"session:{session.id}"],
            **({"files": [f"{folder}/"]} if folder else {}),
        }
        rules.append(Suggestion(proposal, redact(rule.quote)[0], rule.explicit, rule.reasons))
    # A sentence that an agent or a drafter quoted is written down in their words already.
    taken = [folded(quote) for quote in (*(quote for _, quote in quoted), *learned_lately.quotes(project))]
    rules = [one for one in rules if one.explicit or not _among(folded(one.quote), taken)]
    # What a drafter of the user's own proposes is let in by the same gate as an agent's: the person's word.
    rules += [Suggestion(proposal, quote, True) for proposal, quote in quoted]
    known = [set(words(str(one.proposal["text"]))) for one in rules]
    fresh = [
        Suggestion(draft, str(draft["text"]), False)
        for draft in drafts
        if not any(jaccard(set(words(str(draft["text"]))), others) >= SAME_SHARE for others in known)
        and not _among(folded(str(draft["text"])), taken)
    ]
    off = project.policy.write.uncaptured_kinds
    wanted = [one for one in (*rules, *fresh) if folded(str(one.proposal["text"])) not in session.declined]
    found = [one for one in wanted if one.proposal["kind"] not in off]
    for one in wanted:
        if one not in found:
            kind = str(one.proposal["kind"])
            session.left_out.append(
                {"path": session.transcript, "kind": kind, "title": "", "why": capture.uncaptured(kind)}
            )
    return found, notes


def lessons(
    project: Project, system: System, session: Session
) -> tuple[list[dict[str, Any]], list[Decision], list[str]]:
    """Return what a session suggests, a refusal for what reads like an instruction to an agent, and notes.

    For systems that consolidate by rules of their own, where such a text could not wait for a person.
    """
    found, notes = suggestions(project, system, session)
    good, refused = [], []
    for item in (one.proposal for one in found):
        if flags := suspicious(str(item["text"])):
            why = f"reads like an instruction: {', '.join(flags)}"
            refused.append(Decision(action="noop", id="", kind=str(item["kind"]), reasons=(why,)))
        else:
            good.append(item)
    return good, refused, notes


def _among(quote: str, taken: Sequence[str]) -> bool:
    return any(quote in other or other in quote for other in taken if other)
