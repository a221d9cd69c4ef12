"""Meaning without a model: the vectors of single words, read from a file and added up.

The prompt hook has no time to load an encoder. It looks up what each word of a sentence means, and compares the sum
with the vectors of those memories that the words have brought: weaker than a model, and much better than nothing. The
file is made once, by the first upkeep that has a model. Nothing but `os` and `math` is needed to read it; a file that
is missing or damaged means words alone.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from math import dist

from tenure.files import at_once
from tenure.text.names import clauses, nameless
from tenure.text.words import STOP_WORDS

# A text's sentences are looked for one by one: those of so many words, and so many of them.
SHORTEST_SENTENCE, MOST_SENTENCES = 3, 6
# Words of one sentence that are looked up.
MOST_WORDS = 40
MARK = b"tenure words 1"
_HEAD_BYTES = 64
_MOST_WORD_BYTES = 4_000_000
_LONGEST_NAME = 120
# Endings that are taken off a word the file does not have, and what is put in their place.
_ENDINGS = (("s", ""), ("es", ""), ("ed", ""), ("d", ""), ("ing", ""), ("ing", "e"), ("ly", ""))
_SIGNS = ".,;:!?()[]{}<>\"'`*#=+-\u2019"

Vector = tuple[float, ...]


def sides(text: str) -> list[str]:
    """Return a text without names, and its sentences; the first and the last ones where there are many.

    A long prompt asks in one of its sentences, and what it names is the words' business: a name in a vector draws
    near everything about it, whatever is said of it.
    """
    return list(sides_with_names(text))


def sides_with_names(text: str) -> dict[str, str]:
    """Return the sides of a text, each with how it is written with its names."""
    sentences = {nameless(sentence): sentence for sentence in clauses(text)}
    telling = [sentence for sentence in sentences if len(sentence.split()) >= SHORTEST_SENTENCE]
    some = telling if len(telling) <= MOST_SENTENCES else telling[:2] + telling[2 - MOST_SENTENCES :]
    found = {nameless(text): " ".join(text.split())} | {side: sentences[side] for side in some}
    return {side: named for side, named in found.items() if side}


def path(home: str, made: str) -> str:
    """Return where the words lie that belong to the vectors of a store, in the user's own folder."""
    name = "".join(sign if sign.isalnum() else "-" for sign in made)
    return os.path.join(home, f"words-{name[:_LONGEST_NAME]}.bin")


def written(words: Sequence[str], codes: bytes, dimensions: int) -> bytes:
    """Return the file: a head, the words one to a line, and their vectors in one signed byte per dimension.

    The vectors are of one length, so that they can be added as they are.
    """
    listed = "".join(f"\n{word}" for word in words).encode() + b"\n"
    head = b"%s %d %d" % (MARK, dimensions, len(listed))
    return head.ljust(_HEAD_BYTES) + listed + codes


class Words:
    """The words of a file, open until it is closed."""

    def __init__(self, path: str) -> None:
        """Open the file; raise `OSError` or `ValueError` when there is none or it makes no sense."""
        self._file = at_once(path, os.O_RDONLY)
        try:
            head = os.read(self._file, _HEAD_BYTES)
            if not head.startswith(MARK):
                raise ValueError(f"{path!r} holds no words")
            self.dimensions, listed = (int(number) for number in head[len(MARK) :].split())
            if not 0 < listed <= _MOST_WORD_BYTES or not 0 < self.dimensions <= _HEAD_BYTES**2:
                raise ValueError(f"{path!r} holds no words")
            self._listed = os.read(self._file, listed)
            self._codes = _HEAD_BYTES + listed
        except BaseException:
            os.close(self._file)
            raise

    def close(self) -> None:
        """Let go of the file."""
        os.close(self._file)

    def asked(self, text: str) -> list[Vector]:
        """Return the vectors of a query's sides, each of length 1; none when no word is known."""
        known: dict[str, Sequence[int] | None] = {}
        whole, *sentences = sides(text) or [""]
        # Of several sentences one asks; their sum would be about everything.
        found = (self._sum(side, known) for side in (sentences if len(sentences) > 1 else (whole, *sentences)))
        return list(dict.fromkeys(vector for vector in found if vector))

    def _sum(self, side: str, known: dict[str, Sequence[int] | None]) -> Vector | None:
        words = dict.fromkeys(word.strip(_SIGNS).lower() for word in side.split())
        telling = [word for word in words if len(word) > 2 and word not in STOP_WORDS][:MOST_WORDS]
        for word in telling:
            if word not in known:
                known[word] = self._vector(word)
        vectors = [vector for word in telling if (vector := known[word])]
        return _of_length_one([sum(column) for column in zip(*vectors, strict=True)]) if vectors else None

    def _vector(self, word: str) -> Sequence[int] | None:
        forms = [word, *(word[: -len(end)] + more for end, more in _ENDINGS if word.endswith(end))]
        for form in forms:
            place = self._listed.find(b"\n%s\n" % form.encode("utf-8", "replace"))
            if place >= 0:
                number = self._listed.count(b"\n", 0, place)
                os.lseek(self._file, self._codes + number * self.dimensions, os.SEEK_SET)
                code = os.read(self._file, self.dimensions)
                return _numbers(code) if len(code) == self.dimensions else None
        return None


def measured(words_file: str, text: str, codes: Iterable[tuple[int, bytes]]) -> dict[int, float] | None:
    """Return number -> closeness of a text to these codes; None when there are no words to go by."""
    try:
        words = Words(words_file)
    except (OSError, ValueError):
        return None
    try:
        asked = words.asked(text)
    finally:
        words.close()
    return {number: closeness(asked, code) for number, code in codes} if asked else None


def closeness(asked: Sequence[Vector], code: bytes) -> float:
    """Return the cosine of the nearest of a memory's passages with the nearest side of a query, at least 0."""
    dimensions = len(asked[0]) if asked else 0
    if not dimensions or not code or len(code) % dimensions:
        return 0.0
    best = 0.0
    for start in range(0, len(code), dimensions):
        numbers = _numbers(code[start : start + dimensions])
        length = dist(numbers, (0,) * dimensions) or 1.0
        # The distance of two points is one call, where a sum of products would be hundreds; the sides have length 1.
        nearest = min([dist(numbers, side) for side in asked])
        best = max(best, (length * length + 1 - nearest * nearest) / (2 * length))
    return best


def _numbers(code: bytes) -> Sequence[int]:
    return tuple(memoryview(code).cast("b"))


def _of_length_one(numbers: Sequence[float]) -> Vector | None:
    length = dist(numbers, (0,) * len(numbers))
    return tuple([number / length for number in numbers]) if length else None
