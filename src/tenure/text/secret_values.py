"""Is this value a secret, or a stand-in for one? Judgements about single values, without any context.

Examples in documentation, variables, function calls and references to a vault are not secrets; redacting them
would damage memories that are about credentials without holding one. Every rule looks at one short value.
"""

from __future__ import annotations

import re
from functools import cache
from itertools import pairwise

STAND_INS = (
    "example", "placeholder", "changeme", "change-me", "change_me", "replace", "redacted", "dummy", "your-",
    "your_", "yourpass", "yourtoken", "yourapi", "yourkey", "insert", "sample", "xxxx", "****", "....",
    "todo", "fake", "deadbeef", "…",
)  # fmt: skip

# What somebody types who makes up a value. After a vendor's own prefix it may stand in a token of the right length.
COUNTED = ("1234567890", "abcdefgh", "0123456789")

# A quoted password of small letters only is one when it is this long and does not talk about passwords.
LONG_PASSWORD = 12
TALK = tuple("password secret token user field input label string required invalid error".split())

# In a longer value such a word is chance.
LONGEST_STAND_IN = 200

# Passwords everybody has in a local compose file, and words that say "a password goes here".
EVERYDAY = frozenset(
    """
    password passwd pass pwd secret token key user username admin root postgres mysql redis mongo
    guest test testing dev local localhost none null nil true false string str text varchar required
    optional default empty hidden bearer basic digest undefined unset value credentials credential
    login app demo rabbitmq minio minioadmin
    """.split()
)

# A value that starts like this names a place where the secret is kept, not the secret.
REFERENCES = (
    "${", "$(", "{{", "{%", "%(", "%{", "[redacted", "op://", "vault:", "vault/", "arn:", "env:", "env.",
    "file:", "file/", "ssm:", "kms:", "sops:", "ENC[", "!vault", "!Ref", "!Sub", "sha256:", "sha512:",
    "sha256-", "sha512-", "sha1:", "md5:", "http://", "https://", "$2a$", "$2b$", "$2y$", "$argon2",
    "pbkdf2", "secrets.", "projects/", "process.env", "os.environ", "os.getenv", "getenv", "<", "--",
)  # fmt: skip

VARIABLE = r"[$%@&*]?\{{0,2} ?[A-Za-z_]\w* ?\}{1,2}|[$%][A-Za-z_]\w*%?|[@&*][A-Za-z_-]+|\[[^\]]*\]"
PATH = r"(?:~|\.{1,2}|@)?(?:/[\w.-]*)+"
CODE = r"[A-Za-z_]\w*(?:(?:\.|::|->)[A-Za-z_]\w*)*(?:\(|\[|\?\.)"
DOTTED = r"[A-Za-z_]\w*(?:\.[A-Za-z_]\w*)+"
IDENTIFIER = r"[A-Za-z_]+\d{0,2}"
KEBAB = r"[a-z]+(?:[-_][a-z0-9]{1,12})*-?\d{0,2}"
CONSTANT = r"[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+"
VERSION = r"v?\d+(?:\.\d+)+.*|\d+(?:[smhdkKMGT]|ms|px|st|nd|rd|th)?"
UUID = r"[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}"
DATE = r"\d{4}-\d{2}-\d{2}(?:[T ][\d:.+Z-]*)?"


@cache
def _compiled(pattern: str) -> re.Pattern[str]:
    return re.compile(pattern)


def matches(pattern: str, value: str) -> bool:
    """Return whether the whole value has this shape."""
    return _compiled(pattern).fullmatch(value) is not None


def is_stand_in(value: str, *, has_prefix: bool = False) -> bool:
    """Return whether the value only shows where a secret would stand; it may follow a vendor's prefix."""
    lowered = value.lower()
    words = STAND_INS if has_prefix else STAND_INS + COUNTED
    if lowered in EVERYDAY or (len(value) <= LONGEST_STAND_IN and any(word in lowered for word in words)):
        return True
    if value.startswith(REFERENCES) or matches(VARIABLE, value) or (matches(PATH, value) and _digits(value) < 3):
        return True
    return len(set(lowered)) < min(4, len(value)) or _repeats(value)


def is_code(value: str) -> bool:
    """Return whether an unquoted value is an expression: a call, an index, a dotted or a plain name."""
    if value.startswith(("[", "{", "(")) or matches(CODE + r".*", value):
        return True
    return (matches(DOTTED, value) and _digits(value) < 3) or (matches(IDENTIFIER, value) and case_changes(value) < 6)


def is_password_like(value: str, *, quoted: bool) -> bool:
    """Return whether a value given for a password reads like one a person or a generator chose."""
    if len(value) < 6 or is_stand_in(value) or not value.isprintable():
        return False
    if matches(VERSION, value) or matches(DATE, value) or matches(CONSTANT, value):
        return False
    if not quoted and is_code(value):
        return False
    kinds = _kinds(value)
    if quoted and len(value) >= LONG_PASSWORD and value.isalpha() and value.islower():
        return not any(word in value for word in TALK)
    if quoted and value.isalpha() and case_changes(value) >= 4:
        return not any(word in value.lower() for word in TALK)
    if " " in value or "digit" not in kinds:
        return len(kinds) >= 3 and " " not in value and case_changes(value) >= 2
    return len(kinds) >= 2 and len(set(value)) >= 5


def is_random(value: str, *, shortest: int = 16) -> bool:
    """Return whether a value looks drawn from a generator: long, mixed, and not a name or a date."""
    if len(value) < shortest or is_stand_in(value) or not value.isascii():
        return False
    if matches(CONSTANT, value) or matches(DATE, value) or (matches(DOTTED, value) and _digits(value) < 3):
        return False
    kinds = _kinds(value) & {"lower", "upper", "digit"}
    if len(kinds) < 2 or ("digit" not in kinds and case_changes(value) < len(value) // 4):
        return False
    return entropy(value) >= 2.8


def entropy(value: str) -> float:
    """Return the bits per character of a value, from how often each character occurs in it."""
    from math import log2

    total = len(value)
    counts = [value.count(character) for character in set(value)]
    return -sum(n / total * log2(n / total) for n in counts)


# What vendors and standards print as examples: nobody's account.
TEST_CARDS = frozenset(
    """
    4111111111111111 4242424242424242 4012888888881881 4000056655665556 5555555555554444 5105105105105100
    378282246310005 371449635398431 6011111111111117 6011000990139424 30569309025904 38520000023237
    3530111333300000 3566002020360505
    """.split()
)
EXAMPLE_IBANS = frozenset({"DE89370400440532013000", "GB82WEST12345698765432", "GB29NWBK60161331926819"})


def is_card(digits: str) -> bool:
    """Return whether digits are a payment card number: a known issuer, its length, and the Luhn check."""
    if digits in TEST_CARDS or not matches(
        r"4\d{15}|4\d{18}|5[1-5]\d{14}|2[2-7]\d{14}|3[47]\d{13}|6(?:011|5\d\d|4[4-9]\d)\d{12}|35\d{14}"
        r"|3(?:0[0-5]|[68]\d)\d{11}|62\d{14,17}",
        digits,
    ):
        return False
    doubled = sum(sum(divmod(2 * int(d), 10)) for d in digits[-2::-2])
    return (doubled + sum(int(d) for d in digits[-1::-2])) % 10 == 0


def is_iban(value: str) -> bool:
    """Return whether a value is an account number whose check digits are right."""
    if value in EXAMPLE_IBANS or not matches(r"[A-Z]{2}\d{2}[A-Z0-9]{11,30}", value):
        return False
    return int("".join(str(int(c, 36)) for c in value[4:] + value[:4])) % 97 == 1


def _kinds(value: str) -> set[str]:
    kinds = set()
    for character in value:
        if character.isdigit():
            kinds.add("digit")
        elif character.isupper():
            kinds.add("upper")
        elif character.isalpha():
            kinds.add("lower")
        else:
            kinds.add("sign")
    return kinds


def _digits(value: str) -> int:
    return sum(character.isdigit() for character in value)


def case_changes(value: str) -> int:
    """Return how often a value changes between capitals and other characters."""
    return sum(a.isupper() != b.isupper() for a, b in pairwise(value))


def _repeats(value: str) -> bool:
    run = _compiled(r"(.)\1{5,}").search(value)
    return run is not None and 4 * len(run.group()) >= len(value)
