"""Removes secrets from a text before any of it is stored.

`redact` puts `[redacted:<family>]` where a secret was. The shapes of secrets are data in `secret_shapes`;
`secret_values` decides what is only a placeholder. Text without any of the words that announce a secret costs a few
plain searches. A secret split by invisible characters, percent signs or line ends is still found.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from functools import cache
from typing import NamedTuple

from tenure.text import secret_values
from tenure.text.secret_shapes import HARMLESS_BEFORE, PATTERNS, SECRET_NAMES, Pattern, Token, tokens

SHORTEST_SECRET = 6
LONG_WORD = 12
PASSWORD_NAMES = (
    "pass", "pwd", "_pw", "kennwort", "contraseña", "mot de passe", "psk",
    "wachtwoord", "lösenord", "senha", "hasło", "пароль",
)  # fmt: skip

# Names as common as these need a value that can be nothing else.
VAGUE_NAMES = ("_key", " key", "_pat", " pat")
SHORTEST_VAGUE = 20
SHORTEST_VAGUE_BESIDE = 32


# A word that announces patterns, and their numbers.
Gate = tuple[str, list[int]]


class Span(NamedTuple):
    """Where a secret stands, half open."""

    start: int
    end: int
    family: str


KEY_BEGIN = r"-----BEGIN [A-Z0-9 ]{0,32}PRIVATE KEY(?: BLOCK)?-----"
KEY_END = r"-----END [A-Z0-9 ]{0,32}PRIVATE KEY(?: BLOCK)?-----"
KEY_BODY = r"(?:[A-Za-z0-9+/=]|\s|\\[nr]){0,16384}"

# What may follow the name of a secret before its value. The name may carry a short ending: password2.
ENDING = (
    r"(?:s?(?:[_-]?"
    r"(?:key|base|value|prod|production|dev|staging|stage|live|test|base64|b64|plain|id|v?\d{1,2})){0,2})"
)
VALUE = (
    r"(?:\\?\"(?P<double>[^\"\n\\]{1,512})\\?\"|'(?P<single>[^'\n]{1,512})'"
    r"|`(?P<tick>[^`\n]{1,512})`|(?P<bare>[^\s,;\"'`]{1,512}))"
)
ASSIGNED = ENDING + r"\\?[\"'`\]]{0,2}\s{0,8}(?::=|=>|={1,3}|:|->|>)\s{0,8}" + VALUE
TELLING = r"s?(?=[\s\"'`])[^\n:=;.]{0,48}?(?::|=|\b(?:is|was|ist|lautet|heißt|heisst|es|est|è|é|är)\b)\s{1,3}" + VALUE
FLAG = r"[ \t]{1,3}" + VALUE
BESIDE = r"s?[\"'`]?[ \t]{1,3}" + VALUE

WRAPPED = (
    r"(?P<first>[\w.+/=-]{4,200})"
    r"(?:[ \t]{0,8}\\?\r?\n[ \t>|#]{0,16}|[\"']\s{0,8}[+.]?\s{0,8}[\"'])"
    r"(?P<second>[\w.+/=-]{4,200})"
)
# A token of a vendor that no table lists: small letters say whose it is, the rest is drawn. Hashes and keys that are
# meant to be public look the same.
UNLISTED = (
    r"(?<![\w/.+=@:~%-])(?!sha\d|md5|pk[_-]|pub|h1[_-])[a-z](?:[a-z0-9]{0,15})(?:[_-][a-z0-9]{1,12}){0,2}[_-]"
    r"(?P<rest>[A-Za-z0-9]{32,255})(?![\w/+=.-])"
)
LONG_TOKEN = 34
ENCODED = r"(?<![A-Za-z0-9+/_-])[A-Za-z0-9+/_-]{32,8192}={0,2}"
PERCENT = r"%(?:3[0-9]|[46][1-9A-Fa-f]|[57][0-9Aa]|5[Ff]|2[DdEe])"


# How each place begins where a secret was.
REDACTED = "[redacted:"


def redact(text: str) -> tuple[str, list[str]]:
    """Return the text with every secret replaced by its family, and the families found, in order."""
    spans = find(text)
    if not spans:
        return text, []
    pieces: list[str] = []
    families: list[str] = []
    position = 0
    for start, end, family in spans:
        pieces += [text[position:start], f"{REDACTED}{family}]"]
        position = end
        if family not in families:
            families.append(family)
    pieces.append(text[position:])
    return "".join(pieces), families


def holds_secret(name: str) -> bool:
    """Tell whether a name has the shape of a secret or holds one: ids are kept as they are, so such an id is refused."""
    return bool(find(name))


def redact_value(value: object) -> object:
    """Return a JSON-like value with the secrets of every text in it redacted, keys included."""
    if isinstance(value, str):
        return redact(value)[0]
    if isinstance(value, dict):
        return {redact_value(key): _redact_named(key, item) for key, item in value.items()}
    if isinstance(value, list):
        return [redact_value(item) for item in value]
    if isinstance(value, tuple):
        return tuple(redact_value(item) for item in value)
    return value


def find(text: str) -> list[Span]:
    """Return where the secrets of a text stand, in order and without overlap."""
    hidden = []
    if "<" in text:
        from tenure.text import private  # start-up: few texts have such a region

        hidden = [Span(start, end, "private") for start, end in private.spans(text)]
    if len(text) < SHORTEST_SECRET:
        return hidden
    plain, origin = _unmasked(text)
    found = [*_direct(plain), *_encoded(plain)]
    if origin is not None:
        found = [Span(origin[s.start], origin[s.end - 1] + 1, s.family) for s in found]
        # A percent escape or an invisible character belongs to the secret around it.
        found = [Span(s.start, _escape_end(text, s.end), s.family) for s in found]
    return _merged([*found, *hidden])


def _redact_named(key: object, item: object) -> object:
    """Redact a value as its key announces it: the text alone does not say that it is a password."""
    if isinstance(key, str) and isinstance(item, str):
        quoted = item.replace('"', "'").replace("\\", "/").replace("\n", " ")
        for span in find(f'{key}="{quoted}"'):
            if span.start == len(key) + 2 and span.end == len(key) + 2 + len(item):
                return f"{REDACTED}{span.family}]"
    return redact_value(item)


@cache
def _compiled(pattern: str) -> re.Pattern[str]:
    return re.compile(pattern)


def _direct(text: str) -> Iterator[Span]:
    lowered = text.replace("İ", "I").lower()  # the one letter that grows when lowered
    # Tokens are long words and not only letters: looking for their beginnings in those alone is what makes
    # ordinary prose cheap.
    long_words = " ".join(word for word in text.split() if len(word) >= LONG_WORD and not word.isalpha())
    yield from _keys(text)
    if long_words:
        for token in tokens():
            if token.word in long_words:
                yield from _of_token(text, token)
        if any(len(word) >= LONG_TOKEN for word in long_words.split()):
            yield from _unlisted(text)
    plain_words, capital_words, always = _gates()
    announced = always.union(*(numbers for word, numbers in plain_words if word in lowered))
    if long_words:
        announced.update(*(numbers for word, numbers in capital_words if word in long_words))
    for number in sorted(announced):
        yield from _of_pattern(text, PATTERNS[number])
    for name in SECRET_NAMES:
        if name in lowered:
            yield from _of_name(text, lowered, name)
    if "secret" in lowered or "vault" in lowered:
        from tenure.text import secret_blocks  # start-up: few texts say either word

        for start, stop in secret_blocks.spans(text):
            yield Span(start, stop, "token")


@cache
def _gates() -> tuple[list[Gate], list[Gate], set[int]]:
    """Return the words that announce patterns, with their numbers: in any case, with capitals; and those without any."""
    announced: dict[str, list[int]] = {}
    for number, pattern in enumerate(PATTERNS):
        for word in pattern.words:
            announced.setdefault(word, []).append(number)
    plain = [(word, numbers) for word, numbers in announced.items() if word == word.lower()]
    capital = [(word, numbers) for word, numbers in announced.items() if word != word.lower()]
    return plain, capital, {number for number, pattern in enumerate(PATTERNS) if not pattern.words}


def _keys(text: str) -> Iterator[Span]:
    position = 0
    while (position := text.find("-----BEGIN ", position)) >= 0:
        begin = _compiled(KEY_BEGIN).match(text, position)
        position += 1
        if begin is None:
            continue
        dashes = text.find("-----", begin.end())
        closing = _compiled(KEY_END).match(text, dashes) if dashes >= 0 else None
        body = closing or _compiled(KEY_BODY).match(text, begin.end())
        position = body.end() if body else begin.end()
        yield Span(begin.start(), position, "private-key")


def _of_token(text: str, token: Token) -> Iterator[Span]:
    position = 0
    while (position := text.find(token.word, position)) >= 0:
        start, rest = position, position + len(token.word)
        position = rest
        if start and text[start - 1].isalnum() and (len(token.word) < 6 or token.word[0].isalpha()):
            continue
        if text.endswith("pk_", 0, start):  # as in `pk_live_`: a key that is meant to be public
            continue
        match = _compiled(token.rest).match(text, rest)
        end = match.end() if match else _wrapped_end(text, token, rest)
        if end and _is_token(text[rest:end], token.word):
            yield Span(start, end, token.family)
            position = end


def _unlisted(text: str) -> Iterator[Span]:
    for match in _compiled(UNLISTED).finditer(text):
        rest = match["rest"]
        capitals, digits = sum(c.isupper() for c in rest), sum(c.isdigit() for c in rest)
        mixed = min(capitals, len(rest) - capitals - digits) >= len(rest) // 8 and digits >= 3
        if mixed and 4 * secret_values.case_changes(rest) >= len(rest) and not secret_values.is_stand_in(rest):
            yield Span(match.start(), match.end(), "token")


def _wrapped_end(text: str, token: Token, rest: int) -> int:
    """Return the end of a token that a line end or a string concatenation splits in two, or 0."""
    match = _compiled(WRAPPED).match(text, rest)
    if match is None or not secret_values.is_random(match["second"], shortest=6):
        return 0
    joined = match["first"] + match["second"]
    return match.end() if _compiled(token.rest).fullmatch(joined) else 0


def _is_token(rest: str, prefix: str) -> bool:
    # `sk-` and `AKIA` stand before made-up values in many texts; `ghp_` is a vendor's own.
    if secret_values.is_stand_in(rest, has_prefix=len(prefix) >= 4 and not prefix[-1].isalnum()):
        return False
    return any(c.isdigit() for c in rest) or secret_values.is_random(rest, shortest=10)


def _of_pattern(text: str, pattern: Pattern) -> Iterator[Span]:
    judge = JUDGES[pattern.check]
    for match in _compiled(pattern.pattern).finditer(text):
        group = 1 if match.re.groups else 0
        if judge(match[group]):
            yield Span(match.start(group), match.end(group), pattern.family)


def _of_name(text: str, lowered: str, name: str) -> Iterator[Span]:
    is_password = name.startswith(PASSWORD_NAMES)
    position = 0
    while (position := lowered.find(name, position)) >= 0:
        start, position = position, position + len(name)
        before = lowered[max(0, start - 24) : start]
        if _is_harmless(before.rstrip(" _-.")) or (name == "pwd" and before[-1:].isalpha()):
            continue
        if before.endswith(":") and lowered.startswith(":", position):  # inside a resource name
            continue
        family = "password" if is_password else "token"
        for form, judge in _forms(name, is_password, is_flag="--" in before):
            match = _compiled(form).match(text, position)
            kind = match.lastgroup if match else None
            if match is None or kind is None:
                continue
            value, start_of_value = _trimmed(match[kind], kind), match.start(kind)
            if judge(value, kind != "bare"):
                yield Span(start_of_value, start_of_value + len(value), family)
                position = start_of_value + len(value)
                break


def _is_harmless(before: str) -> bool:
    """Return whether the words before a name make it a harmless one; short words must stand alone."""
    return any(
        before.endswith(word) and (len(word) > 3 or not before[: -len(word)][-1:].isalpha()) for word in HARMLESS_BEFORE
    )


def _forms(name: str, is_password: bool, is_flag: bool) -> Iterator[tuple[str, Callable[[str, bool], bool]]]:
    """Yield how a value may follow a name, strictest form last, with the judgement each asks for."""
    if name in VAGUE_NAMES:
        yield ASSIGNED, lambda value, quoted: len(value) >= SHORTEST_VAGUE and _is_beside(value, quoted)
        yield BESIDE, lambda value, quoted: len(value) >= SHORTEST_VAGUE_BESIDE and _is_beside(value, quoted)
        return
    judge = _is_password if is_password else _is_key
    yield ASSIGNED, judge
    if is_flag:
        yield FLAG, judge
    yield TELLING, _is_told
    yield BESIDE, _is_password_beside if is_password else _is_key_beside


def _is_password(value: str, quoted: bool) -> bool:
    return secret_values.is_password_like(value, quoted=quoted)


def _is_key(value: str, quoted: bool) -> bool:
    if (not quoted and secret_values.is_code(value)) or _is_kebab(value):
        return False
    return secret_values.is_random(value, shortest=10)


def _is_kebab(value: str) -> bool:
    return secret_values.matches(secret_values.KEBAB, value) and sum(c.isdigit() for c in value) < 4


def _is_told(value: str, quoted: bool) -> bool:
    return len(value) >= 8 and any(c.isdigit() for c in value) and _is_strict_password(value)


def _is_beside(value: str, quoted: bool) -> bool:
    if secret_values.matches(secret_values.UUID, value) or ("/" in value and "." in value):
        return False
    if (not quoted and secret_values.is_code(value)) or _is_kebab(value):
        return False
    return any(c.isdigit() for c in value) and secret_values.is_random(value, shortest=16)


def _is_key_beside(value: str, quoted: bool) -> bool:
    return secret_values.matches(secret_values.UUID, value) or _is_beside(value, quoted)


def _is_password_beside(value: str, quoted: bool) -> bool:
    if len(value) < 8 or not _is_strict_password(value):
        return False
    digits, changes = sum(c.isdigit() for c in value), secret_values.case_changes(value)
    return (digits >= 2 and changes >= 2) or (digits >= 1 and changes >= 5) or _is_beside(value, quoted)


def _is_strict_password(value: str) -> bool:
    """Judge a value in running prose, where paths, versions, ids and ranges are common."""
    return secret_values.is_password_like(value, quoted=False) and not secret_values.matches(
        r"[\w.-]+\.\w{1,5}|[a-z]+[-_/]?\d+|\d+[-/:x]\d+\S*|[\d.,:%-]+\w{0,3}|[\w-]+(?:\.[\w-]+)+\S*|\S*(?:://|::|\(\))\S*"
        r"|[A-Z]{1,10}-\d+\W*|#\d+\W*|\d+[a-z]{1,12}|\*\*\w+\*\*:?",
        value,
    )


def _is_basic(value: str) -> bool:
    import binascii

    try:
        decoded = binascii.a2b_base64(value)
    except ValueError:
        return False
    return b":" in decoded and all(32 <= byte < 127 for byte in decoded)


def _is_url_password(value: str) -> bool:
    return len(value) >= 4 and not value.isdigit() and not secret_values.is_stand_in(value)


JUDGES: dict[str, Callable[[str], bool]] = {
    "stand-in": lambda value: not secret_values.is_stand_in(value),
    "any": lambda value: True,
    "header": lambda value: _is_key(value, False),
    "random": lambda value: secret_values.is_random(value, shortest=12),
    "password": lambda value: secret_values.is_password_like(value, quoted=True),
    "strict-password": _is_strict_password,
    "beside": lambda value: _is_password_beside(value, False),
    "has-digit": lambda value: any(c.isdigit() for c in value),
    "basic": _is_basic,
    "url-password": _is_url_password,
    "card": lambda value: secret_values.is_card(value.replace(" ", "").replace("-", "")),
    "iban": lambda value: secret_values.is_iban(value.replace(" ", "")),
}


def _trimmed(value: str, kind: str) -> str:
    """Return a bare value without the punctuation of the sentence or the code around it."""
    if kind != "bare":
        return value
    value = value.split("</", 1)[0]
    value = value.split("&", 1)[0] if "&" in value[6:] and "=" in value else value
    value = value.rstrip(".:?\\>]}") if not value.startswith(("$", "{", "[", "<")) else value
    return value.rstrip(")") if "(" not in value else value


def _encoded(text: str) -> Iterator[Span]:
    """Yield base64 runs that hold a secret once decoded."""
    import binascii

    for match in _compiled(ENCODED).finditer(text):
        run = match[0].rstrip("=").replace("-", "+").replace("_", "/")
        try:
            decoded = binascii.a2b_base64(run + "=" * (-len(run) % 4))
        except ValueError:
            continue
        if all(32 <= byte < 127 or byte in b"\t\r\n" for byte in decoded):
            for span in _direct(decoded.decode("ascii")):
                yield Span(match.start(), match.end(), span.family)
                break


def _unmasked(text: str) -> tuple[str, list[int] | None]:
    """Return the text without what hides a secret, and for each character left where it came from."""
    replaced: dict[str, str] = {}
    if not text.isascii():
        from tenure.text.unseen import is_invisible

        for character in set(text):
            if not character.isascii() and is_invisible(character):
                replaced[character] = ""
            elif "\uff01" <= character <= "\uff5e":  # full-width forms of ASCII
                replaced[character] = chr(ord(character) - 0xFEE0)
    escapes = {m.start() for m in _compiled(PERCENT).finditer(text)} if "%" in text else set()
    if not replaced and not escapes:
        return text, None
    characters: list[str] = []
    origin: list[int] = []
    skip_to = 0
    for position, character in enumerate(text):
        if position < skip_to:
            continue
        if position in escapes:
            plain, skip_to = chr(int(text[position + 1 : position + 3], 16)), position + 3
        else:
            plain = replaced.get(character, character)
        if plain:
            characters.append(plain)
            origin.append(position)
    return "".join(characters), origin


def _escape_end(text: str, end: int) -> int:
    """Return the end of a span whose last character may be the first of a percent escape."""
    escape = _compiled(PERCENT).match(text, end - 1)
    return escape.end() if escape else end


def _merged(spans: list[Span]) -> list[Span]:
    """Return the spans in order, overlapping ones joined under the family of the first."""
    merged: list[Span] = []
    for span in sorted(spans, key=lambda s: (s.start, -s.end)):
        if merged and span.start < merged[-1].end:
            last = merged[-1]
            merged[-1] = Span(last.start, max(last.end, span.end), last.family)
        else:
            merged.append(span)
    return merged
