"""Drafts of typed memories from what the person said in a session, without a model.

A draft holds only the person's own sentences. Where a kind requires something nobody said (the reason for a decision,
the effect of a limit), there is no draft. What agents say is not a source: of 45 runbooks and debts drafted from
their talk, two were worth keeping.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from typing import Any, NamedTuple

from tenure.capture import drafting_rules as rules
from tenure.capture.own_words import proves
from tenure.capture.sentences import Sentence, sentences
from tenure.capture.transcripts import Turn
from tenure.text.suspicion import suspicious
from tenure.text.words import folded, words


class Draft(NamedTuple):
    """What a session suggests remembering."""

    kind: str
    title: str
    text: str
    content: dict[str, Any]
    tags: tuple[str, ...] = ()
    files: tuple[str, ...] = ()


class Drafting(NamedTuple):
    """The drafts of a session, and (kind, title, why) for what was left out."""

    drafts: list[Draft]
    skipped: list[tuple[str, str, str]]


class _Session(NamedTuple):
    said: list[Sentence]
    used: set[int]

    def doubts(self, number: int) -> list[str]:
        """Return why the message a sentence stands in reads like an attack; a stated convention alone does not."""
        turn = self.said[number].turn
        message = " ".join(sentence.text for sentence in self.said if sentence.turn == turn)
        return suspicious(rules.FROM_NOW_ON.sub("", message))

    def next_to(self, number: int) -> str:
        """Return the sentence that follows in the same message."""
        if number + 1 < len(self.said) and self.said[number + 1].turn == self.said[number].turn:
            return self.said[number + 1].text
        return ""


def draft(turns: Sequence[Turn]) -> Drafting:
    """Return what a session suggests remembering, a few of each kind."""
    session = _Session(sentences(turn for turn in turns if turn.role == "user" and proves(turn.text)), set())
    drafts: list[Draft] = []
    skipped: list[tuple[str, str, str]] = []
    finders: tuple[Callable[[_Session], Iterator[tuple[int, Draft]]], ...] = (
        _decisions,
        _preferences,
        _constraints,
    )
    for finder in finders:
        seen: set[str] = set()
        for number, found in finder(session):
            if folded(found.text) in seen:
                continue
            seen.add(folded(found.text))
            if reasons := session.doubts(number):
                skipped.append((found.kind, found.title, f"reads like an instruction: {', '.join(reasons)}"))
            elif len(seen) > rules.MAX_PER_KIND:
                skipped.append((found.kind, found.title, f"more than {rules.MAX_PER_KIND} of a kind in one session"))
            else:
                drafts.append(found)
    return Drafting(drafts, skipped)


def _decisions(session: _Session) -> Iterator[tuple[int, Draft]]:
    for number, sentence in _statements(session, rules.DECIDED):
        head, reason = _reasoned(sentence.text, session.next_to(number))
        doubtful = rules.HYPOTHETICAL.search(head) or rules.UNDECIDED.search(head) or rules.ERRAND.search(head)
        if not reason or doubtful or not rules.DECIDED.search(head):
            continue
        session.used.add(number)
        content: dict[str, Any] = {
            "status": "accepted",
            "context": sentence.text,
            "decision": sentence.text,
            "rationale": [reason],
        }
        if other := rules.ALTERNATIVE.search(sentence.text):
            content["alternatives"] = [{"option": other[1].strip(), "rejected_reason": reason}]
        yield number, _draft("decision", head, sentence.text, content)


def _constraints(session: _Session) -> Iterator[tuple[int, Draft]]:
    for number, sentence in _statements(session, rules.LIMITED):
        effect = _after(rules.EFFECT, sentence.text)
        effect = effect or _after(rules.EFFECT_FOLLOWS, session.next_to(number), opening=True)
        if not effect or rules.HYPOTHETICAL.search(sentence.text) or _too_short(effect):
            continue
        session.used.add(number)
        content = {
            "kind": "policy" if rules.POLICY.search(sentence.text) else "limitation",
            "rule": sentence.text,
            "impact": [effect],
            "severity": "medium",
            "active": True,
        }
        yield number, _draft("constraint", sentence.text, sentence.text, content)


def _preferences(session: _Session) -> Iterator[tuple[int, Draft]]:
    for number, sentence in _statements(session, rules.CONVENTION):
        if sentence.role != "user" or sentence.pasted or rules.ONCE.search(sentence.text):
            continue
        head, reason = _reasoned(sentence.text, session.next_to(number))
        if rules.HYPOTHETICAL.search(head) or _too_short(head):
            continue
        session.used.add(number)
        content = {
            "topic": _title(head),
            "value": sentence.text,
            # What the user wants needs no other reason than that they said so.
            "reason": reason or sentence.text,
            "strength": "strong" if rules.STRONG.search(sentence.text) else "default",
        }
        yield number, _draft("preference", head, sentence.text, content)


def _statements(session: _Session, pattern: re.Pattern[str]) -> Iterator[tuple[int, Sentence]]:
    """Yield the sentences that match, assert something, and are neither used nor our own words."""
    for number, sentence in enumerate(session.said):
        text = sentence.text
        if number in session.used or text.endswith(("?", ":")) or rules.OURS.search(text):
            continue
        if pattern.search(text):
            yield number, sentence


def _reasoned(text: str, following: str) -> tuple[str, str]:
    """Return the statement without its reason, and the reason, from its own sentence or the one after it."""
    match = rules.REASON.search(text)
    if match and match.start() > 0:
        reason = text[match.end() :].strip(" .,;:")
        if match[0].lstrip(", ").lower().startswith(("as ", "to avoid", "in order")):
            reason = text[match.start() :].strip(" .,;:")
        if not _too_short(reason):
            return text[: match.start()].strip(" ,;:—-"), reason
    reason = _after(rules.REASON_FOLLOWS, following, opening=True)
    return text.rstrip("."), "" if _too_short(reason) else reason


def _after(pattern: re.Pattern[str], text: str, *, opening: bool = False) -> str:
    match = pattern.match(text) if opening else pattern.search(text)
    return text[match.end() :].strip(" .,;:") if match else ""


def _too_short(text: str) -> bool:
    return len(text.split()) < rules.LEAST_REASON_WORDS


def _draft(kind: str, title: str, text: str, content: dict[str, Any]) -> Draft:
    tags = [word for word in words(title) if len(word) > 3 and word not in rules.PLAIN_WORDS]
    return Draft(
        kind,
        _title(title),
        text,
        content,
        tuple(_unique(tags)[: rules.DRAFT_TAGS]),
        tuple(_unique(rules.FILE.findall(text))),
    )


def _title(text: str) -> str:
    """Return the beginning of a sentence, cut between words."""
    text = text.rstrip(". ")
    if len(text) <= rules.TITLE_CHARACTERS:
        return text
    return text[: rules.TITLE_CHARACTERS].rsplit(" ", 1)[0]


def _unique(items: Any) -> list[str]:
    return list(dict.fromkeys(items))
