"""The gate for an agent's proposals: the quote must be the person's own words in this session, and support the text.

A rule in the agent's words is let in when the words it quotes occur verbatim in a turn the person typed. Unattended
runs and turns with a paste prove nothing, and a quote proves no text about something else. Of 57 right drafts 52
pass; none of them passes in another session.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator

from tenure.capture import lasting_words as words_of
from tenure.capture import own_words
from tenure.capture.session_builder import Session
from tenure.capture.stated_rules import enough
from tenure.rules import likeness
from tenure.text.redact import redact

LONGEST_TEXT = 300
SHORTEST_QUOTE = 6

# "This project" names something, "this is" does not.
_PRONOUN = re.compile(
    r"(?:it|he|she|they|them)\b|(?:this|that|these|those)\s+(?:is|are|was|were|should|must|will|can|has|have|does|do"
    r"|needs?|means?)\b",
    re.IGNORECASE,
)
_SENTENCE = re.compile(r"(?<=[.!?;。！？；])\s+|\n+")
# A "no" that answers the agent denies nothing of the rule, and "why didn't you" asks for the thing itself.
_LEADING_NO = re.compile(
    r"^\W*(?:no|nope)\b[,.!]?\s*|\bwhy (?:did|have)(?:n'?t| not) you\b|\bthat'?s not true\b", re.IGNORECASE
)
# Words by which a text keeps what a negation rules out.
_LIMITS = re.compile(r"\b(?:only|until|unless|except|before|separate\w*|top priority|differ\w+)\b", re.IGNORECASE)
_QUOTES = str.maketrans({"’": "'", "‘": "'", "“": '"', "”": '"', "\u00a0": " "})
# A name: a path, a word with a digit or an underscore or a capital inside, a word in code marks.
_NAME = re.compile(
    r"`([^`\n]{2,80})`|(?<![\w/.-])((?:[\w.-]+/)+[\w.-]+|\w*[a-z]\w*[A-Z_]\w*|\w*\d\w*|[\w-]+\.\w{1,5})(?![\w/])"
)


def problems(text: str, quote: str, session: Session) -> list[str]:
    """Return why a proposal is not the person's word; nothing when it is."""
    found = [*form_problems(text, quote), *(source_problems(text, quote, session) if quote.strip() else ())]
    return [*found, *filter(None, [unlike(text, quote, session)])]


def unlike(text: str, quote: str, session: Session) -> str:
    """Return why a quote that was found does not prove this text: it speaks of something else; empty when it may."""
    return likeness.unlike(text, quote, _typed(session))


def form_problems(text: str, quote: str) -> list[str]:
    """Return what is wrong with a proposal whatever the session says."""
    found = []
    said = text.strip()
    if len(said) > LONGEST_TEXT:
        found.append(f"the text has {len(said)} characters; one rule has at most {LONGEST_TEXT}")
    if not enough(said):
        found.append("the text needs at least three words that say something")
    if _PRONOUN.match(said):
        found.append("the text begins with a word that refers to something outside it")
    if own_words.origin(said):
        found.append("the text reads like a template, a log or a command")
    if redact(said)[0] != said or redact(quote)[0] != quote:
        found.append("it holds a secret")
    if len(quote.strip()) < SHORTEST_QUOTE:
        found.append("the quote is too short to be found")
    return found


def source_problems(text: str, quote: str, session: Session) -> list[str]:
    """Return why the session does not prove a proposal."""
    if session.headless:
        return ["no person took part in this session, so nothing in it proves a quote"]
    wanted = _plain(quote)
    held = [said for said in _typed(session) if wanted in _plain(said)]
    if not held:
        return ["the quote is not verbatim in what the person typed in this session"]
    good = [said for said in held if own_words.proves(said)]
    if not good:
        return ["the quote is in a turn with a paste, a log, markup or a template, which proves nothing"]
    found = []
    turned = all(_negated(_LEADING_NO.sub("", _sentence_of(said, wanted))) for said in good)
    if turned and not (_negated(text) or _LIMITS.search(text)):
        found.append("the person said no or not, and the text leaves that out")
    elif opposite := likeness.opposite(text, quote):
        found.append(f"the text says the opposite of the quote: {opposite}")
    if unknown := sorted(name for name in _names(text) if not _said(name, session)):
        found.append(f"the session never names {', '.join(unknown[:5])}")
    return found


def _typed(session: Session) -> Iterator[str]:
    for turn in session.turns:
        if turn.role == "user" and turn.text:
            yield turn.text
    for answer in session.answers:
        yield answer.text


def _sentence_of(text: str, wanted: str) -> str:
    """Return the sentence the quote begins in, or the whole quote where it covers several."""
    for sentence in _SENTENCE.split(text):
        plain = _plain(sentence)
        if wanted in plain:
            return sentence
    return wanted


def _negated(text: str) -> bool:
    return bool(words_of.NEGATION.search(_plain(text)))


def _names(text: str) -> set[str]:
    return {(code or plain).strip("./") for code, plain in _NAME.findall(text)} - {""}


def _said(name: str, session: Session) -> bool:
    low = name.lower()
    if any(low in turn.text.lower() for turn in session.turns):
        return True
    if any(low in answer.text.lower() or low in answer.question.lower() for answer in session.answers):
        return True
    calls = (call for turn in session.turns for call in turn.calls)
    if any(low in str(value).lower() for call in calls for value in call.input.values()):
        return True
    return low in session.cwd.lower()


def _plain(text: str) -> str:
    folded = unicodedata.normalize("NFKC", text.translate(_QUOTES)).lower()
    return " ".join(folded.split()).strip(" .!\"'")
