"""Whether an agent's sentence only repeats what it was shown in the session: a tool's result, a file or a web page.

Such a text comes from outside, whoever says it, so it is *external* and waits for a person. It counts as repeated
when most of its words occur close together in one result, unless the person typed most of them themselves.
"""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Collection, Iterable

from tenure.capture.session_builder import Session
from tenure.text.words import coverage, words

# So many of a text's words, and at least so many, found within so many words of a result: a line or two of a page.
SHARE = 0.6
FEWEST = 4
WINDOW = 40


def repeats(text: str, session: Session) -> bool:
    """Tell whether a text says what a result of the session said, and the person did not."""
    wanted = set(words(text.lower()))
    if len(wanted) < FEWEST or not any(_stands_in(wanted, heard) for heard in session.heard):
        return False
    typed = [turn.text for turn in session.turns if turn.role == "user"] + [answer.text for answer in session.answers]
    return not any(_stands_in(wanted, said) for said in typed)


def _stands_in(wanted: Collection[str], text: str) -> bool:
    """Tell whether most of the words stand within one window of a text; it is gone through once."""
    found = words(text.lower())
    if coverage(wanted, found) < SHARE:
        return False
    return _densest(wanted, found) >= SHARE * len(wanted)


def _densest(wanted: Collection[str], found: Iterable[str]) -> int:
    inside: Counter[str] = Counter()
    places: deque[tuple[int, str]] = deque()
    most = 0
    for place, word in enumerate(found):
        if word not in wanted:
            continue
        places.append((place, word))
        inside[word] += 1
        while places[0][0] <= place - WINDOW:
            _, gone = places.popleft()
            inside[gone] -= 1
            if not inside[gone]:
                del inside[gone]
        most = max(most, len(inside))
    return most
