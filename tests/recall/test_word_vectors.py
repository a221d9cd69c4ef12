"""Meaning without a model: what the prompt hook reads from the file of words."""

from __future__ import annotations

from pathlib import Path

import pytest

from tenure.recall import word_vectors

WORDS = ("money", "cents", "image", "run")
CODES = bytes([100, 10, 0, 80, 20, 0, 0, 0, 127, 246, 0, 10])


@pytest.fixture
def file(tmp_path: Path) -> str:
    path = tmp_path / "words.bin"
    path.write_bytes(word_vectors.written(WORDS, CODES, 3))
    return str(path)


def test_a_text_is_the_sum_of_what_its_words_mean(file: str) -> None:
    """Our choice: every word counts the same, and only the direction of the sum."""
    near = word_vectors.measured(file, "money and cents", [(1, bytes([90, 15, 0])), (2, bytes([0, 0, 127]))])
    assert near is not None
    assert near[1] == pytest.approx(1.0, abs=0.01)
    assert near[2] == 0


@pytest.mark.parametrize("asked", ["Images!", "imaged", "(image)", "IMAGE"])
def test_a_word_is_known_in_its_forms(file: str, asked: str) -> None:
    """Our choice: the file has whole words, so that endings are taken off where it lacks one."""
    near = word_vectors.measured(file, asked, [(1, bytes([0, 0, 127]))])
    assert near == pytest.approx({1: 1.0}, abs=0.01)


def test_a_long_prompt_is_compared_sentence_by_sentence(file: str) -> None:
    """Facts: a prompt of sixty words asks in one of its sentences."""
    long = "Please read all of this first. Then tell me about the money please. The run was green and the image too."
    alone = word_vectors.measured(file, "tell me about the money please", [(1, bytes([127, 13, 0]))])
    assert word_vectors.measured(file, long, [(1, bytes([127, 13, 0]))]) == alone


@pytest.mark.parametrize("text", ["", "ledger-gateway", "src/api/client.py", "xyzzy", "the and of", "\x00\ud800"])
def test_a_text_without_known_words_says_nothing(file: str, text: str) -> None:
    """Names are the words' business; what cannot be compared is not compared."""
    assert word_vectors.measured(file, text, [(1, bytes(3))]) is None


@pytest.mark.parametrize(
    "content",
    [b"", b"tenure words 1", b"tenure words 1 0 0".ljust(64), b"tenure words 1 x y".ljust(64), b"\xff" * 200,
     b"tenure words 1 3 99999999999".ljust(64)],
)  # fmt: skip
def test_a_damaged_file_means_words_alone(tmp_path: Path, content: bytes) -> None:
    """Hooks fail open."""
    path = tmp_path / "words.bin"
    path.write_bytes(content)
    assert word_vectors.measured(str(path), "money", [(1, bytes(3))]) is None
    assert word_vectors.measured(str(tmp_path / "missing"), "money", [(1, bytes(3))]) is None


def test_a_file_that_was_cut_off_knows_fewer_words(tmp_path: Path) -> None:
    """A vector that is not all there is none."""
    path = tmp_path / "words.bin"
    path.write_bytes(word_vectors.written(WORDS, CODES, 3)[:-5])
    assert word_vectors.measured(str(path), "run", [(1, bytes(3))]) is None
    assert word_vectors.measured(str(path), "money", [(1, bytes([1, 2, 3, 4]))]) == {1: 0.0}


def test_the_file_is_named_after_what_made_the_vectors() -> None:
    """An endpoint's address is no path."""
    assert word_vectors.path("/home", "http://a/../b#m, recipe 2") == "/home/words-http---a----b-m--recipe-2.bin"
