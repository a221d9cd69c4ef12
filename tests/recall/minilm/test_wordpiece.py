"""Our WordPiece cuts as the usual library does, on texts as people write them and on any others."""

from __future__ import annotations

import unicodedata
import zlib
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tokenizers import Tokenizer, models, normalizers, pre_tokenizers

from tenure.recall.minilm.wordpiece import VOCABULARY, WordPiece

MOST = 128
OURS = WordPiece()
ROOT = Path(__file__).parents[3]


def reference() -> Callable[[str], list[int]]:
    """Return the library's BERT, without the marks it would find in a text."""
    numbers = {piece: number for number, piece in enumerate(OURS.pieces)}
    made = Tokenizer(models.WordPiece(numbers, unk_token="[UNK]", max_input_chars_per_word=100))
    made.normalizer = normalizers.BertNormalizer(lowercase=True)
    made.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    first, last = numbers["[CLS]"], numbers["[SEP]"]
    return lambda text: [first, *made.encode(text).ids[: MOST - 2], last]


THEIRS = reference()
TEXTS = [
    paragraph
    for path in [*(ROOT / "docs").rglob("*.md"), *(ROOT / "scripts" / "data" / "learning").rglob("pairs.json")]
    for paragraph in path.read_text(encoding="utf-8").split("\n\n")
][:3000]


def test_it_cuts_real_texts_as_the_library_does() -> None:
    """Issue 18: a tokenizer of our own where it is smaller; vectors must not change by it."""
    assert len(TEXTS) > 500
    assert [text for text in TEXTS if OURS.encode(text, MOST) != THEIRS(text)] == []


@pytest.mark.parametrize(
    "text",
    ["", " ", "Straße Ærø ﬁ", "ΣΊΣΥΦΟΣ", "İstanbul", "日本語のテキスト", "한국어 문장", "x" * 101, "x" * 100,
     "a\u200db", "soft\u00adhyphen", "e\u0301te\u0301", "tab\there", "one\x1ctwo", "nul\x00byte", "½ ² ™",
     "naïve—dash…", "🙂 ok 👩‍💻",
     "user_id=parseConfig(HTTPClient)", "\ufffd", "a\u2028b", "१२३", "$€ + < = > ^ ` | ~"],
)  # fmt: skip
def test_it_cuts_odd_texts_as_the_library_does(text: str) -> None:
    """BERT's rules: accents go, Chinese characters stand alone, signs are words, long words are unknown."""
    assert OURS.encode(text, MOST) == THEIRS(text)


# What Unicode 3.2 gave already: the library's tables are older than Python's.
OLD_CHARACTERS = st.characters(max_codepoint=0x2FFF, exclude_categories=["Cn", "Cs"]).filter(
    lambda sign: unicodedata.ucd_3_2_0.category(sign) == unicodedata.category(sign)
)


@given(st.text(OLD_CHARACTERS, max_size=60))
def test_it_cuts_any_text_as_the_library_does(text: str) -> None:
    """A law, for the scripts whose characters the library's older tables know."""
    assert OURS.encode(text, MOST) == THEIRS(text)


@pytest.mark.parametrize("sign", ["\x0b", "\x0c", "\x1c", "\x1f", "\x85"])
def test_a_control_that_python_takes_for_a_blank_joins_the_words_around_it(sign: str) -> None:
    """As the library has it; found by the laws with 2,000 examples each."""
    assert OURS.encode(f"tele{sign}phone", MOST) == THEIRS(f"tele{sign}phone") == OURS.encode("telephone", MOST)


def test_a_text_cannot_write_the_marks_of_the_model() -> None:
    """Our own choice: a memory that says [SEP] says five letters."""
    assert OURS.encode("[SEP]", MOST).count(OURS.pieces.index("[SEP]")) == 1


def test_a_changed_vocabulary_is_refused() -> None:
    """Issue 18: what is loaded is checked by its hash."""
    changed = zlib.compress(zlib.decompress(VOCABULARY.read_bytes()).replace(b"\nmemory\n", b"\nmemorx\n"))
    with pytest.raises(ValueError, match="not the model's own"):
        WordPiece(changed)
    with pytest.raises(ValueError, match="unpacked"):
        WordPiece(b"nothing")
