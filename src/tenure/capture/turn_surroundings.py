"""The surroundings of a turn the person typed: what the agent did before it, and how the agent reacted.

A corrected agent says "you're right", writes the rule into a rules file, or promises to follow it from now on; and a
person who stopped a call or reads an edit is more likely to be correcting. What the agent says is only a sign here,
never a source: nothing it says is learned.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from tenure.capture.transcripts import Call, Turn

# So much of the agent's answer is looked at, and so much of it where it says how it takes the turn.
ANSWER, TAKES_IT = 700, 300
# The person's turns from here on are late in a session.
LATE = 11
FEW_CALLS = 4
EDITING = re.compile(r"(?:multi)?edit|write|apply_patch|search_replace|str_replace|replace", re.IGNORECASE)
_RULES_FILE = re.compile(
    r"(?:claude|agents|gemini|memory|contributing)\.md|\.cursorrules|\.cursor[/\\]rules|/memory/|copilot-instructions"
    r"|\.mdc\b",
    re.IGNORECASE,
)
# How the agent takes what was said; in the first words of its answer, but for the last two.
_TAKEN = {
    "the agent agrees": re.compile(
        r"\byou(?:'|’)?(?:re| are) (?:absolutely |completely |totally |quite |so )?(?:right|correct)"
        r"|\bgood (?:point|catch|call|idea)\b|\bgreat (?:point|catch|idea)|tienes (?:toda la )?raz[oó]n"
        r"|você (?:est[aá]|tem) (?:certo|raz)|tu as raison|vous avez raison|ты прав|вы правы|du hast recht"
        r"|你说得对|您说得对|你是对的|おっしゃる通り|その通り",
        re.IGNORECASE,
    ),
    "the agent understood": re.compile(
        r"\bunderstood\b|\bgot it\b|\bnoted\b|\bentendido|\bcompris\b|понял|понятно|verstanden|明白|了解|承知",
        re.IGNORECASE,
    ),
    "the agent promises": re.compile(
        r"\b(?:from now on|going forward|in (?:the )?future|i should(?:n't| not)? have|i won(?:'|’)t"
        r"|i(?:(?:'|’)ll| will) (?:always|remember|make sure|keep|never|avoid|stop))\b"
        r"|de ahora en adelante|dorénavant|впредь|今后|今後",
        re.IGNORECASE,
    ),
    "the agent speaks of rules": re.compile(
        r"\brules?\b|\bpreference|\bconvention|\bguideline|\bclaude\.md|agents\.md|\bmemory\b|\.cursor", re.IGNORECASE
    ),
}
_AT_ONCE = ("the agent agrees", "the agent understood")


class Around(NamedTuple):
    """What is known of a turn beside its text; without a session nothing is."""

    # Which of the person's turns it is, from 1 on; 0 is not known.
    number: int = 0
    edited: bool = False
    interrupted: bool = False
    # The agent's answer until the person speaks again, how many calls it made, and whether one was about its rules.
    answer: str = ""
    calls: int = 0
    rules_file: bool = False


NOTHING = Around()


def around(turns: Sequence[Turn]) -> Iterator[tuple[Turn, Around]]:
    """Yield each turn of the user's role with what stands around it."""
    before: list[Call] = []
    number = 0
    for place, turn in enumerate(turns):
        if turn.role != "user":
            before += turn.calls
            continue
        number += 1
        edited = any(EDITING.fullmatch(call.tool) for call in before)
        answer, after = _answer(turns, place + 1)
        yield (
            turn,
            Around(
                number,
                edited,
                any(call.interrupted for call in before),
                answer,
                len(after),
                any(_RULES_FILE.search(str(call.input)[:ANSWER]) for call in after),
            ),
        )
        before = []


def _answer(turns: Sequence[Turn], start: int) -> tuple[str, list[Call]]:
    said, calls = "", list[Call]()
    for turn in turns[start:]:
        if turn.role == "user":
            break
        if len(said) < ANSWER:
            said += f"{turn.text}\n"
        calls += turn.calls
    return said[:ANSWER], calls


def signs_of(found: Around, sentence_words: frozenset[str], words_of_answer: frozenset[str]) -> set[str]:
    """Return the names of the signs around a sentence; none where nothing is known."""
    if not found.number:
        return set()
    names = {
        name
        for name, pattern in _TAKEN.items()
        if pattern.search(found.answer[:TAKES_IT] if name in _AT_ONCE else found.answer)
    }
    held = {
        "a late turn": found.number >= LATE,
        "after an edit": found.edited,
        "after a stop": found.interrupted,
        "the agent asks": "?" in found.answer,
        "the agent looks at its rules": found.rules_file,
        "the agent makes few calls": 0 < found.calls <= FEW_CALLS,
    }
    echoed = len(sentence_words & words_of_answer) / (len(sentence_words) or 1)
    names |= {name for name, holds in held.items() if holds}
    return names | ({"the agent repeats it"} if echoed >= 0.5 else set())
