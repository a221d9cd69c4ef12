"""The sanitiser and the small text functions."""

from __future__ import annotations

import json
import subprocess
import sys
import unicodedata
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tenure.text import words

ROWS = [json.loads(row) for row in (Path(__file__).parents[1] / "samples" / "injection.jsonl").read_text().splitlines()]

# Characters the rules are about, so that random texts meet them often.
DELICATE = st.text(
    st.sampled_from(
        "a1#\n\r\t\v\x1b[]2Jm\x9b\x9d\x07\\\x00\u00ad\u0301\u0307\u0323\u094d\u0915\u0937\u200b\u200c\u200d\u2028\u2764"
        "\ufe00\ufe0e\ufe0f\u20e3\U0001f600\U0001f3f4\U000e0067\U000e0062\U000e007f\U000e0100\U0001faff\u0645\u06cc"
        "\u1100\u1160\u1161\u3164\u034f\ud83d\ude00\u0627\u0653\u180b\u1820"
    ),
    max_size=40,
)
ANY_TEXT = st.one_of(DELICATE, st.text(st.characters(exclude_categories=()), max_size=60))


@pytest.mark.parametrize("row", [r for r in ROWS if "clean" in r["expect"]], ids=lambda r: r["id"])
def test_no_forbidden_character_survives(row: dict[str, object]) -> None:
    """GUARANTEES S6: every `clean` row."""
    cleaned = words.clean(str(row["text"]))
    cleaned.encode("utf-8")
    for entry in row["forbid_cp"]:  # type: ignore[attr-defined]
        first, _, last = entry.partition("-")
        assert not [c for c in cleaned if int(first, 16) <= ord(c) <= int(last or first, 16)]


@pytest.mark.parametrize("row", [r for r in ROWS if r.get("must_survive")], ids=lambda r: r["id"])
def test_legitimate_text_survives(row: dict[str, object]) -> None:
    """GUARANTEES S6: benign rows are not damaged; the comparison is in NFC."""
    for part in row["must_survive"]:  # type: ignore[attr-defined]
        assert unicodedata.normalize("NFC", part) in words.clean(str(row["text"]))


@pytest.mark.parametrize(
    ("dirty", "cleaned"),
    [
        ("a\r\nb\rc\u2028d\u0085e\x0bf", "a\nb\nc\nd\ne\nf"),
        ("\x1b]0;title\x07x\x1b[31mred\x1b[0m", "xred"),
        ("\x1bP1$r0m\x1b\\x\x9d0;t\x9cy", "xy"),
        ("\x1b]8;;never closed\nnext line", "\nnext line"),
        ("\ud83d\ude00 and \ud83d", "\U0001f600 and \ufffd"),
        ("admin\u202eexe.txt\u2066", "adminexe.txt"),
        ("x\u200dy 👩\u200d💻", "xy 👩\u200d💻"),
        ("🏴\U000e0064\U000e0065\U000e006c\U000e0065\U000e0074\U000e0065\U000e007f", "🏴"),
        ("x\ufe0fy ❤\ufe0f ❤\ufe01", "xy ❤\ufe0f ❤"),
        ("\u3164\u115f\u2800hidden", "hidden"),
    ],
)
def test_clean_by_example(dirty: str, cleaned: str) -> None:
    """GUARANTEES 4.4, rule by rule."""
    assert words.clean(dirty) == cleaned


def test_a_base_carries_at_most_eight_marks() -> None:
    """GUARANTEES 4.4: a tower of marks hides the lines above it."""
    cleaned = words.clean("x" + "\u0301\u0323" * 20 + "y")
    assert sum(unicodedata.combining(c) > 0 for c in cleaned) == 8
    assert cleaned.endswith("y")


@given(ANY_TEXT)
def test_cleaning_twice_changes_nothing_more(dirty: str) -> None:
    """A law of our own: what is stored cleaned may be cleaned again on the way out."""
    once = words.clean(dirty)
    assert words.clean(once) == once


@given(ANY_TEXT)
def test_clean_text_is_normal_encodable_and_without_controls(dirty: str) -> None:
    """GUARANTEES S6 for any text."""
    cleaned = words.clean(dirty)
    assert cleaned.encode("utf-8").decode("utf-8") == cleaned
    assert unicodedata.is_normalized("NFC", cleaned)
    kept = {
        unicodedata.category(c)
        for c in cleaned
        if c not in "\n\t\u200c\u200d" and not "\U000e0030" <= c <= "\U000e007f"
    }
    assert not kept & {"Cc", "Cf", "Cs", "Cn"}


@given(ANY_TEXT, st.integers(min_value=0, max_value=30))
def test_one_line_is_one_line_within_its_limit(dirty: str, limit: int) -> None:
    line = words.one_line(dirty, limit)
    assert len(line) <= limit
    assert len(line.splitlines()) <= 1
    assert words.clean(line) == line


def test_one_line_folds_white_space_and_marks_the_cut() -> None:
    assert words.one_line(" a\r\n\tb\u00a0 c ") == "a b c"
    assert words.one_line("abcdefgh", 5) == "abcd…"
    assert words.one_line("abcde", 5) == "abcde"


def test_for_terminal_keeps_layout_and_drops_sequences() -> None:
    assert words.for_terminal("a\tb\n\x1b[2Jc") == "a\tb\nc"


@pytest.mark.parametrize(
    ("sentence", "found"),
    [
        (
            "The parseHTTPResponse of foo_bar.baz-qux",
            ["parse", "http", "response", "foo", "bar", "baz", "qux"],
        ),
        ("Don't use x or v2", ["don", "v2"]),
        ("हिन्दी Ärger ＡＢＣ", ["हिन्दी", "ärger", "abc"]),
        ("日本語", ["日本", "本語"]),
        ("", []),
    ],
)
def test_words(sentence: str, found: list[str]) -> None:
    assert words.words(sentence) == found


@given(ANY_TEXT)
def test_words_never_raise_and_are_long_enough(dirty: str) -> None:
    assert all(len(word) >= words.SHORTEST_WORD for word in words.words(dirty))


def test_jaccard_counts_distinct_words() -> None:
    assert words.jaccard(["a", "b", "b"], ["b", "c"]) == pytest.approx(1 / 3)
    assert words.jaccard([], ["a"]) == 0.0
    assert words.jaccard([], []) == 0.0


@pytest.mark.parametrize(
    ("title", "name"),
    [
        ("Release notes 2026", "release-notes-2026"),
        ("résumé-parser", "resume-parser"),
        ("404", "404"),
        ("../a", "a"),
    ],
)
def test_slug(title: str, name: str) -> None:
    """The `id-ok` rows: fine as titles, safe as file names."""
    assert words.slug(title) == name


def test_a_slug_is_never_empty_or_a_device_name() -> None:
    assert words.slug("日本") != words.slug("中国")
    assert words.slug("CON") not in words.DEVICE_NAMES
    assert words.slug("\ud83d")


@given(ANY_TEXT, st.integers(min_value=8, max_value=60))
def test_a_slug_is_a_plain_name_within_its_limit(title: str, limit: int) -> None:
    name = words.slug(title, limit)
    assert name.replace("-", "a").isalnum()
    assert name.isascii()
    assert name == name.lower().strip("-")
    assert len(name) <= limit + 13


def test_nearest_suggests_close_words_best_first() -> None:
    assert words.nearest("retier", ["restore", "Retire", "forget"])[0] == "Retire"
    assert words.nearest("zzz", ["restore"]) == []


def test_plain_text_imports_nothing_heavy() -> None:
    """The prompt hook's neighbours import this module: plain text must not cost `re` or `unicodedata`."""
    script = (
        "import sys; before = set(sys.modules); from tenure.text.words import clean; clean('plain\\ntext');"
        "print(sorted({'re', 'unicodedata', 'difflib'} & (set(sys.modules) - before)))"
    )
    done = subprocess.run(
        [sys.executable, "-c", script],
        capture_output=True,
        text=True,
        check=True,
        env={"PYTHONPATH": str(Path(words.__file__).parents[2])},
    )
    assert done.stdout.strip() == "[]"


def test_a_cutter_cuts_as_its_document_says() -> None:
    """Choice of our own: the variants of other systems are declared, not copied."""
    cutter = words.Cutter(r"[a-z]+", shortest=3, without={"the"})
    assert cutter("The QUICK fox, is 42 the") == ["quick", "fox"]
    assert words.Cutter(r"\w+", fold=str.casefold)("Straße STRASSE") == ["strasse", "strasse"]


@pytest.mark.parametrize(("part", "whole", "share"), [("ab", "abc", 1.0), ("abcd", "ab", 0.5), ("", "ab", 0.0)])
def test_coverage_is_the_share_of_the_first(part: str, whole: str, share: float) -> None:
    """ArcheFlow and claude-memory: a short text matches a long one, not the reverse."""
    assert words.coverage(part, whole) == share


@pytest.mark.parametrize(
    ("name", "shown"),
    [
        ("plain-name.md", "plain-name.md"),
        ("a\nb\tc", "a\\nb\\tc"),
        ("x\u202ey\u2028z", "x\\u202ey\\u2028z"),
        ("\x1b[31mred\x9b", "\\x1b[31mred\\x9b"),
        ("bad\udcff", "bad\\udcff"),
        ("blank\u3164", "blank\\u3164"),
        ("Überblick", "Überblick"),
        ("می\u200cخواهم", "می\u200cخواهم"),
        ("👩\u200d💻", "👩\u200d💻"),
    ],
)
def test_a_name_is_shown_on_one_line_with_codes_for_what_nobody_sees(name: str, shown: str) -> None:
    """S6: names of files are shown to a person who decides; scripts that need joiners keep them."""
    assert words.spelled(name) == shown


@given(st.text())
def test_json_for_a_terminal_says_the_same_and_hides_nothing(text: str) -> None:
    """S6: an export or an answer in JSON that a person looks at is read back as it was."""
    document = json.dumps({"text": text}, ensure_ascii=False, indent=1)
    shown = words.json_for_terminal(document)
    assert json.loads(shown) == json.loads(document)
    assert words.clean(shown) == unicodedata.normalize("NFC", shown)


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("plain", "plain"),
        ("\u202eevil", r"\u202eevil"),
        ("a\u200bb", r"a\u200bb"),
        ("\U000e0041", r"\udb40\udc41"),
        ("\x7f", r"\u007f"),
        ("नमस्\u200dते", "नमस्\u200dते"),
        ("👩\u200d💻 and a\u200d", "👩\u200d💻 and " + r"a\u200d"),
        ("a" + "\u0301" * 10, "a" + "\u0301" * 8 + r"\u0301\u0301"),
    ],
)
def test_json_for_a_terminal_by_example(text: str, shown: str) -> None:
    """Scripts and emoji that need a joiner keep it."""
    assert words.json_for_terminal(f'"{text}"') == f'"{shown}"'
