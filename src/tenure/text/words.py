"""Text from anywhere, made safe to store, print and compare.

`clean` is the one sanitiser: what it returns holds no control, invisible or unassigned character, and scripts
that need joiners, marks or selectors keep them. Plain text comes back untouched after one cheap look, and
nothing heavy is imported before a text needs it, because the prompt hook's neighbours import this module.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable

MARKS_PER_BASE = 8
ELLIPSIS = "…"
REPLACEMENT = "\ufffd"
SHORTEST_WORD = 2

LINE_BREAKS = frozenset("\n\r\v\f\x85\u2028\u2029")

# Drawn as nothing although their category says letter, mark or symbol.
BLANKS = frozenset("\u034f\u115f\u1160\u17b4\u17b5\u180e\u2800\u3164\uffa0\U0001d159")

JOINERS = frozenset("\u200c\u200d")

# Scripts in which a joiner is spelling: Arabic and its kin, Mongolian, and the Indic family.
JOINING_SCRIPTS = (
    (0x0600, 0x08FF),
    (0x0900, 0x0DFF),
    (0x0F00, 0x109F),
    (0x1780, 0x18AF),
    (0x1900, 0x1CFF),
    (0xA800, 0xA9FF),
    (0xAA00, 0xAAFF),
    (0xABC0, 0xABFF),
    (0xFB50, 0xFDFF),
    (0xFE70, 0xFEFC),
    (0x10A00, 0x10FFF),
    (0x11000, 0x11FFF),
    (0x1E900, 0x1E95F),
)

EMOJI = (
    (0x2190, 0x21FF),
    (0x2300, 0x23FF),
    (0x2460, 0x24FF),
    (0x25A0, 0x27BF),
    (0x2900, 0x297F),
    (0x2B00, 0x2BFF),
    (0x1F000, 0x1FAFF),
)
EMOJI_SINGLES = frozenset("\u00a9\u00ae\u203c\u2049\u2122\u2139\u3030\u303d\u3297\u3299")
KEYCAP_BASES = frozenset("0123456789#*")

BLACK_FLAG = "\U0001f3f4"
TAG_END = "\U000e007f"
LONGEST_FLAG_TAG = 5  # a region and its subdivision, as in gb-eng

MONGOLIAN = (0x1820, 0x18AA)
MONGOLIAN_SELECTORS = frozenset("\u180b\u180c\u180d\u180f")

# Scripts written without spaces: their runs are compared by pairs of characters.
UNSPACED = ((0x3040, 0x30FF), (0x3400, 0x4DBF), (0x4E00, 0x9FFF), (0xF900, 0xFAFF), (0x20000, 0x3FFFF))

# Where an identifier's parts meet: parseConfig, HTTPClient.
HUMP = "(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])"

_PUNCTUATION = {code: " " for code in range(128) if not chr(code).isalnum()}
_ASCII_PUNCTUATION = bytes(32 if code in _PUNCTUATION else code for code in range(256))
ASCII_FOLDED = _ASCII_PUNCTUATION.lower()

# The rules compare one text with many others, so the words of the last few hundred are remembered.
REMEMBERED_TEXTS, REMEMBERED_CHARS = 512, 20_000
_remembered: dict[str, tuple[str, ...]] = {}

STOP_WORDS = frozenset(
    """
    about after all also am an and any are as at be because been before being but by can could did do does
    doing for from had has have having he her here him his how if in into is it its just me more most my
    of off on once only or other our out over own per same she should so some such than that the
    their them then
    there these they this those through to too under until up us use used uses using very via was we
    were what when where which while who why will with would you your
    """.split()
)

# Names a file system may take for a device; a slug is often the stem of a file name.
DEVICE_NAMES = frozenset(["con", "prn", "aux", "nul", *(f"com{n}" for n in range(10)), *(f"lpt{n}" for n in range(10))])

# One whole terminal sequence: a string (OSC, DCS, SOS, PM, APC) up to its end or the end of its line, a
# control sequence, or a short escape. The classes in a row are disjoint, so matching never looks back.
ESCAPE_SEQUENCE = (
    "(?:\x1b[\\]PX^_]|[\x90\x98\x9d-\x9f])[^\x07\x1b\x9c\n\r\v\f\x85\u2028\u2029]*+(?:\x07|\x1b\\\\|\x9c)?"
    "|(?:\x1b\\[|\x9b)[0-?]*+[ -/]*+[@-~]?"
    "|\x1b[ -/]*+[0-~]?"
)


def clean(text: str) -> str:
    """Return the text in NFC without controls, escapes and invisible characters; lines end in a newline."""
    if _is_plain(text):
        return text
    import unicodedata  # only texts beyond printable ASCII pay for it

    if not text.isascii():
        # Joins surrogate pairs and turns a lone half into U+FFFD, which the UTF-8 encoder takes.
        text = text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    text = _without_escapes(text).replace("\r\n", "\n")
    text = unicodedata.normalize("NFC", text)
    roles = {character: _role(character, unicodedata.category(character)) for character in set(text)}
    if set(roles.values()) == {"keep"}:
        return text
    return unicodedata.normalize("NFC", _filtered(text, roles))


def one_line(text: str, limit: int | None = None) -> str:
    """Return the cleaned text on one line, white space folded, cut with an ellipsis to `limit` characters."""
    plain = text.isascii() and text.isprintable() and "  " not in text
    line = text.strip() if plain else " ".join(clean(text).split())
    if limit is None or len(line) <= limit:
        return line
    if limit <= 0:
        return ""
    # Cleaned again because the cut may leave half of an emoji sequence.
    return clean(line[: limit - 1]).rstrip() + ELLIPSIS


def for_terminal(text: str) -> str:
    """Return the text as it may be printed raw: no sequence reaches the terminal, newlines and tabs stay."""
    return clean(text)


def words(text: str) -> list[str]:
    """Return the lower-case words of a text in order, identifiers split into parts, stop words left out.

    "no" and "not" are words: without them advice and its opposite would be the same text.
    """
    if text in _remembered:
        return list(_remembered[text])
    # The ellipsis of a cut title alone is no reason to take the slow way.
    plain = text.replace(ELLIPSIS, " ")
    found = _ascii_words(plain) if plain.isascii() else _unicode_words(text)
    if len(text) <= REMEMBERED_CHARS:
        if len(_remembered) >= REMEMBERED_TEXTS:
            _remembered.clear()
        _remembered[text] = tuple(found)
    return found


def _ascii_words(text: str) -> list[str]:
    # Bytes are many times faster to cut than text, and most words have no humps to look for.
    runs = text.encode().translate(_ASCII_PUNCTUATION).decode()
    found = runs.split()
    if not runs.islower():
        found = [word for run in found for word in ((run,) if run.islower() else _ascii_parts(run))]
    return [word for word in found if word not in STOP_WORDS and len(word) >= SHORTEST_WORD]


def _ascii_parts(run: str) -> list[str]:
    if run[1:].islower():
        return [run.lower()]
    import re

    return re.sub(HUMP, " ", run).lower().split()


def _unicode_words(text: str) -> list[str]:
    found = []
    for run in _spaced(text).split():
        for part in _parts(run):
            word = part.lower()
            if len(word) >= SHORTEST_WORD and word not in STOP_WORDS:
                found.append(word)
    return found


def folded(text: str) -> str:
    """Return a text in lower case with punctuation and white space folded: equal for mere differences of form."""
    if text.isascii():
        spaced = text.encode().translate(ASCII_FOLDED)
        form = (b" ".join(spaced.split()) if b"  " in spaced else spaced.strip()).decode()
    else:
        import unicodedata

        form = " ".join(unicodedata.normalize("NFKC", text).lower().translate(_PUNCTUATION).split())
    # A text of nothing but punctuation stands for itself.
    return form or " ".join(text.split())


class Cutter:
    """Words as another system's documents define them: which runs count, in which case, how short, and which not.

    Each variant is declared once, beside its system; `words` is our own way.
    """

    def __init__(
        self,
        run: str,
        *,
        fold: Callable[[str], str] = str.lower,
        shortest: int = 1,
        without: Collection[str] = frozenset(),
    ) -> None:
        self._run, self._fold, self._shortest, self._without = run, fold, shortest, without
        self._found: Callable[[str], list[str]] | None = None

    def __call__(self, text: str) -> list[str]:
        """Return the words of a text in order."""
        if self._found is None:
            import re  # a hook that cuts nothing this way does not pay for it

            self._found = re.compile(self._run).findall
        found = self._found(self._fold(text))
        if self._shortest == 1 and not self._without:
            return found
        return [word for word in found if len(word) >= self._shortest and word not in self._without]


def coverage(part: Collection[str], whole: Collection[str]) -> float:
    """Return the share of the first text's words that the second has: 0.0 to 1.0, and 0.0 when the first has none."""
    wanted = set(part)
    return len(wanted.intersection(whole)) / len(wanted) if wanted else 0.0


def jaccard(a: Collection[str], b: Collection[str]) -> float:
    """Return the share of words two texts have in common: 0.0 to 1.0, and 0.0 when either has none."""
    left, right = set(a), set(b)
    if not left or not right:
        return 0.0
    common = len(left & right)
    return common / (len(left) + len(right) - common)


def slug(title: str, limit: int = 60) -> str:
    """Return a lower-case ASCII name for a title, or a short hash of it when nothing else is left."""
    import unicodedata

    ascii_only = unicodedata.normalize("NFKD", title).encode("ascii", "ignore").decode().lower()
    spaced = "".join(c if c.isalnum() else " " for c in ascii_only)
    name = "-".join(spaced.split())[:limit].strip("-")
    if not name:
        return _short_hash(title)[:limit]
    if name in DEVICE_NAMES:
        return f"{name}-{_short_hash(title)}"
    return name


def nearest(word: str, choices: Iterable[str], limit: int = 3) -> list[str]:
    """Return the choices that look most like a mistyped word, best first, whatever their case."""
    import difflib  # only for suggestions in error messages

    by_folded: dict[str, str] = {}
    for choice in choices:
        by_folded.setdefault(choice.casefold(), choice)
    matches = difflib.get_close_matches(word.casefold(), list(by_folded), n=max(limit, 1), cutoff=0.6)
    return [by_folded[match] for match in matches[:limit]]


def is_invisible(character: str) -> bool:
    """Return whether a character can hide between two others without being seen."""
    import unicodedata

    return (
        character in BLANKS
        or character in JOINERS
        or _is_selector(character)
        or unicodedata.category(character) in ("Cf", "Cn")
    )


def _is_plain(text: str) -> bool:
    return text.isascii() and text.replace("\n", "").replace("\t", "").isprintable()


def _without_escapes(text: str) -> str:
    if "\x1b" not in text and not any(introducer in text for introducer in "\x90\x98\x9b\x9d\x9e\x9f"):
        return text
    import re

    return re.sub(ESCAPE_SEQUENCE, "", text)


def _role(character: str, category: str) -> str:
    """Say what becomes of a character: keep, drop, newline, or one of the kinds that depend on neighbours."""
    if character in LINE_BREAKS:
        return "keep" if character == "\n" else "newline"
    if character == "\t":
        return "keep"
    if character in JOINERS:
        return "joiner"
    if _is_selector(character):
        return "selector"
    if character == BLACK_FLAG:
        return "flag"
    if character in BLANKS or category in ("Cc", "Cf", "Cs", "Cn") or 0xE0100 <= ord(character) <= 0xE01EF:
        return "drop"
    return "mark" if category[0] == "M" else "keep"


def _filtered(text: str, roles: dict[str, str]) -> str:
    kept: list[str] = []
    marks = 0
    resume_at = 0
    for position, character in enumerate(text):
        if position < resume_at:
            continue
        role = roles[character]
        if role == "mark":
            marks += 1
            if marks <= MARKS_PER_BASE:
                kept.append(character)
            continue
        previous = kept[-1] if kept else ""
        if role == "joiner":
            following = text[position + 1 : position + 2]
            if _may_join(previous, following if roles.get(following) in ("keep", "flag") else ""):
                kept.append(character)
        elif role == "selector":
            if _may_select(previous, character):
                kept.append(character)
        elif role != "drop":
            marks = 0
            kept.append("\n" if role == "newline" else character)
            if role == "flag":
                tags = _flag_tags(text, position + 1)
                kept.extend(tags)
                resume_at = position + 1 + len(tags)
    return "".join(kept)


def _may_join(previous: str, following: str) -> bool:
    import unicodedata

    if not previous:
        return False
    if unicodedata.combining(previous) == 9:  # a virama: the joiner picks the form of the letter before it
        return True
    if not following:
        return False
    if _is_emoji(following):
        return _is_emoji(previous) or previous == "\ufe0f"
    return (
        _within(previous, JOINING_SCRIPTS)
        and unicodedata.category(previous)[0] in "LM"
        and _within(following, JOINING_SCRIPTS)
        and unicodedata.category(following)[0] == "L"
    )


def _may_select(previous: str, selector: str) -> bool:
    if not previous:
        return False
    if selector in MONGOLIAN_SELECTORS:
        return MONGOLIAN[0] <= ord(previous) <= MONGOLIAN[1]
    return selector in "\ufe0e\ufe0f" and (_is_emoji(previous) or previous in KEYCAP_BASES)


def _flag_tags(text: str, start: int) -> str:
    """Return the tag characters of a well-formed flag that starts before `start`, or nothing."""
    end = text.find(TAG_END, start, start + LONGEST_FLAG_TAG + 1)
    if end < 0:
        return ""
    letters = [chr(ord(c) - 0xE0000) for c in text[start:end] if 0xE0030 <= ord(c) <= 0xE007A]
    region = "".join(letters)
    well_formed = len(region) == end - start >= 3 and region.isalnum() and region.islower() and region[:2].isalpha()
    return text[start : end + 1] if well_formed else ""


def _is_selector(character: str) -> bool:
    return "\ufe00" <= character <= "\ufe0f" or character in MONGOLIAN_SELECTORS


def _is_emoji(character: str) -> bool:
    return character in EMOJI_SINGLES or _within(character, EMOJI)


def _within(character: str, ranges: tuple[tuple[int, int], ...]) -> bool:
    code = ord(character)
    return any(first <= code <= last for first, last in ranges)


def _spaced(text: str) -> str:
    """Return the text with everything that is no letter, digit or mark turned into a space."""
    table: dict[int, str | None] = {}
    if text.isascii():
        return text.translate({ord(c): " " for c in set(text) if not c.isalnum()})
    import unicodedata

    text = unicodedata.normalize("NFKC", text)
    for character in set(text):
        if character in JOINERS:
            table[ord(character)] = None
        elif not character.isalnum() and unicodedata.category(character)[0] != "M":
            table[ord(character)] = " "
    return text.translate(table)


def _parts(run: str) -> Iterable[str]:
    """Split a run of letters and digits where its case changes, and unspaced scripts into pairs."""
    if not run.isascii() and any(_within(c, UNSPACED) for c in run):
        return [run[i : i + 2] for i in range(max(len(run) - 1, 1))]
    if run.islower() or run.isupper():
        return [run]
    parts = []
    start = 0
    for i in range(1, len(run)):
        before, here, after = run[i - 1], run[i], run[i + 1 : i + 2]
        hump = here.isupper() and not before.isupper()
        end_of_capitals = here.isupper() and before.isupper() and after.islower()
        if hump or end_of_capitals:
            parts.append(run[start:i])
            start = i
    parts.append(run[start:])
    return parts


def _short_hash(title: str) -> str:
    import hashlib

    return hashlib.sha256(title.encode("utf-8", "surrogatepass")).hexdigest()[:12]
