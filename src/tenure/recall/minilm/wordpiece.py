"""WordPiece, as BERT's uncased models cut a text: lower case, no accents, longest known piece first.

The vocabulary lies beside this file, packed by `scripts/vocabulary`, which says where it comes from; it is BERT's,
under the Apache licence that lies there too. A test holds this against the usual library on real texts. One difference
is meant: "[SEP]" in a text is text, never a mark of the model's own.
"""

from __future__ import annotations

import hashlib
import unicodedata
import zlib
from collections.abc import Iterator
from pathlib import Path

VOCABULARY = Path(__file__).with_name("vocabulary.z")
# Of the vocabulary unpacked: one piece to a line.
SHA256 = "07eced375cec144d27c900241f3e339478dec958f92fddbc551f295c992038a3"
_UNKNOWN, _FIRST, _LAST = "[UNK]", "[CLS]", "[SEP]"
_LONGEST_WORD = 100
# Words whose pieces are remembered; texts of one project repeat theirs.
_REMEMBERED = 50_000
# Python cuts at these, BERT drops them.
_DROPPED = dict.fromkeys((0x0B, 0x0C, 0x1C, 0x1D, 0x1E, 0x1F, 0x85, 0xFFFD))
_CHINESE = (
    (0x4E00, 0x9FFF), (0x3400, 0x4DBF), (0x20000, 0x2A6DF), (0x2A700, 0x2B73F), (0x2B740, 0x2B81F), (0x2B920, 0x2CEAF),
    (0xF900, 0xFAFF), (0x2F800, 0x2FA1F),
)  # fmt: skip
# Control, format, private and surrogate characters; a code that is not given yet may be given tomorrow.
_CONTROLS = ("Cc", "Cf", "Co", "Cs")


class WordPiece:
    """A tokenizer with its vocabulary."""

    def __init__(self, packed: bytes | None = None) -> None:
        """Read the vocabulary; raise `ValueError` when it is not the one that was packed."""
        try:
            listed = zlib.decompress(VOCABULARY.read_bytes() if packed is None else packed)
        except zlib.error as error:
            raise ValueError(f"the vocabulary cannot be unpacked: {error}") from None
        if hashlib.sha256(listed).hexdigest() != SHA256:
            raise ValueError("the vocabulary is not the model's own")
        self.pieces = listed.decode().splitlines()
        self._number = {piece: number for number, piece in enumerate(self.pieces)}
        self._unknown = self._number[_UNKNOWN]
        self._known: dict[str, list[int]] = {}

    def encode(self, text: str, most: int) -> list[int]:
        """Return the numbers of a text's pieces between the two marks; at most `most` of them, marks included."""
        found: list[int] = []
        for word in _words(text):
            pieces = self._known.get(word)
            if pieces is None:
                pieces = self._cut(word)
                if len(self._known) < _REMEMBERED:
                    self._known[word] = pieces
            found += pieces
            if len(found) >= most - 2:
                break
        return [self._number[_FIRST], *found[: most - 2], self._number[_LAST]]

    def _cut(self, word: str) -> list[int]:
        """Return the numbers of the longest known pieces of a word, first to last; a word with a gap is unknown."""
        if len(word) > _LONGEST_WORD:
            return [self._unknown]
        found, start = [], 0
        while start < len(word):
            for end in range(len(word), start, -1):
                number = self._number.get(word[start:end] if start == 0 else f"##{word[start:end]}")
                if number is not None:
                    found.append(number)
                    start = end
                    break
            else:
                return [self._unknown]
        return found


def _words(text: str) -> Iterator[str]:
    """Return words and signs in lower case without accents, one by one: a long text is not read to its end."""
    for run in text.translate(_DROPPED).split():
        if run.isascii():
            if run.isalnum():
                yield run.lower()
            else:
                yield from _apart("".join(sign for sign in run if " " < sign < "\x7f").lower())
        else:
            yield from _apart(_plain(run))


def _plain(run: str) -> str:
    """Return a run without controls and accents, in lower case, with blanks around each Chinese character."""
    kept = "".join(sign for sign in run if unicodedata.category(sign) not in _CONTROLS)
    kept = "".join(f" {sign} " if _is_chinese(sign) else sign for sign in kept)
    bare = (sign for sign in unicodedata.normalize("NFD", kept) if unicodedata.category(sign) != "Mn")
    # One by one: of a whole word Python would lower the last sigma to another letter.
    return "".join(sign.lower() for sign in bare)


def _apart(run: str) -> Iterator[str]:
    """Return the words of a run, and each sign between them as a word of its own."""
    word = ""
    for sign in run:
        blank = sign.isspace()
        if not blank and not _is_sign(sign):
            word += sign
            continue
        if word:
            yield word
            word = ""
        if not blank:
            yield sign
    if word:
        yield word


def _is_sign(sign: str) -> bool:
    return (sign.isascii() and not sign.isalnum()) or unicodedata.category(sign).startswith("P")


def _is_chinese(sign: str) -> bool:
    return sign >= "\u3400" and any(first <= ord(sign) <= last for first, last in _CHINESE)
