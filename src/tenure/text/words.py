"""Text from anywhere, made safe to store, print and compare.

`clean` is the one sanitiser: what it returns holds no control, invisible or unassigned character, and scripts
that need joiners, marks or selectors keep them. Plain text comes back untouched after one cheap look, and
nothing heavy is imported before a text needs it, because the prompt hook's neighbours import this module.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable

ELLIPSIS = "…"
SHORTEST_WORD = 2

# Scripts written without spaces: their runs are compared by pairs of characters.
UNSPACED = ((0x3040, 0x30FF), (0x3400, 0x4DBF), (0x4E00, 0x9FFF), (0xF900, 0xFAFF), (0x20000, 0x3FFFF))

_FIRST_UNSPACED = chr(UNSPACED[0][0])

# Where an identifier's parts meet: parseConfig, HTTPClient.
HUMP = "(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])"

_PUNCTUATION = {code: " " for code in range(128) if not chr(code).isalnum()}
_ASCII_PUNCTUATION = bytes(32 if code in _PUNCTUATION else code for code in range(256))
ASCII_FOLDED = _ASCII_PUNCTUATION.lower()
# Capitals as A, other letters and digits as a: no hump is without "aA" or "AAa".
_SHAPE = bytes(32 if code in _PUNCTUATION else 65 if 65 <= code <= 90 else 97 for code in range(256))

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

# What `words` leaves out of a text in ASCII: those, and what is shorter than two characters.
_LEFT_OUT = STOP_WORDS.union(map(chr, range(128)))

# Names a file system may take for a device; a slug is often the stem of a file name.
DEVICE_NAMES = frozenset(["con", "prn", "aux", "nul", *(f"com{n}" for n in range(10)), *(f"lpt{n}" for n in range(10))])


def clean(text: str) -> str:
    """Return the text in NFC without controls, escapes and invisible characters; lines end in a newline."""
    if _is_plain(text):
        return text
    from tenure.text import unseen  # start-up: most texts are plain

    return unseen.remove(text)


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


def json_for_terminal(document: str) -> str:
    r"""Return JSON as a terminal may get it: what nobody would see stands there by its code, so it says the same."""
    if _is_plain(document):
        return document
    from tenure.text import unseen  # start-up: most texts are plain

    return unseen.spell_json(document)


def spelled(name: str) -> str:
    r"""Return an id, a path or a name on one line, with the code of each character nobody would see: `\n`, `\u202e`.

    Every screen shows names that come from files through this function: whoever makes a file forges no line.
    """
    if name.isascii() and name.isprintable():
        return name
    from tenure.text import unseen  # start-up: most names are plain

    return unseen.spell(name)


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
    # Bytes are many times faster to cut than text, and most texts have no humps to look for.
    data = text.encode()
    shape = data.translate(_SHAPE)
    if b"aA" in shape or b"AAa" in shape:
        runs = data.translate(_ASCII_PUNCTUATION).decode().split()
        found = [word for run in runs for word in ((run,) if run.islower() else _ascii_parts(run))]
    else:
        found = data.translate(ASCII_FOLDED).decode().split()
    return [word for word in found if word not in _LEFT_OUT]


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


def is_unspaced(character: str) -> bool:
    """Tell whether a character is of a script that is written without spaces."""
    return character > "\x7f" and any(first <= ord(character) <= last for first, last in UNSPACED)


def holds_unspaced(text: str) -> bool:
    """Tell whether a character of a text is of such a script."""
    return not text.isascii() and max(text) >= _FIRST_UNSPACED and any(map(is_unspaced, text))


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


def _is_plain(text: str) -> bool:
    return text.isascii() and text.replace("\n", "").replace("\t", "").isprintable()


def _spaced(text: str) -> str:
    """Return the text with everything that is no letter, digit or mark turned into a space."""
    table: dict[int, str | None] = {}
    if text.isascii():
        return text.translate({ord(c): " " for c in set(text) if not c.isalnum()})
    import unicodedata  # start-up: most texts are plain

    from tenure.text.unseen import JOINERS

    text = unicodedata.normalize("NFKC", text)
    for character in set(text):
        if character in JOINERS:
            table[ord(character)] = None
        elif not character.isalnum() and unicodedata.category(character)[0] != "M":
            table[ord(character)] = " "
    return text.translate(table)


def _parts(run: str) -> Iterable[str]:
    """Split a run of letters and digits where its case changes, and unspaced scripts into pairs."""
    if holds_unspaced(run):
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
