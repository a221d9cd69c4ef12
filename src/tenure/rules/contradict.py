"""Contradictions: two memories on the same topic that advise the opposite.

Found by five signs: one forbids what the other asks, one puts X instead of Y where the other uses Y, both set the
same thing to different values, limit it differently (`limits`), or put it in different places. Sharing words is not
enough: what is forbidden, refused, set or placed must be the same thing under the same circumstances, and two memories
that name different services, symbols or files are about different things. A finding is shown on both memories;
nothing is resolved here.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import lru_cache

import msgspec

from tenure.model.memory import Memory
from tenure.model.policy import Policy
from tenure.rules import limits
from tenure.rules.same_rule import stem
from tenure.text.names import names
from tenure.text.words import STOP_WORDS, Cutter, folded, jaccard, words

NEGATIONS = frozenset(
    "not never no none avoid avoids avoiding don dont doesn doesnt cannot without stop forbidden disallow disable"
    " disabled".split()
)
# Words that strengthen advice without changing what it is about.
_EMPHASIS = frozenset(
    "always must should shall please only ever instead rather use uses using prefer enable enabled set make".split()
)
# What a text is about is said by neither.
_NOT_ABOUT = NEGATIONS | _EMPHASIS
# "Run npm install" and "use npm install" ask for the same: what is run says what it is about.
_CARRIERS = frozenset(("run", "execute", "invoke"))
# "Step 2" and "up to 3" count or place things; they set nothing.
_NOT_SETTINGS = frozenset(
    "up down back close next line step phase part chapter issue ticket task case milestone number point item instead"
    " service worker node shard server host module job team".split()
)
_INSTEAD = re.compile(
    r"\b([\w.+-]{2,60})(?:,?\s+(?:instead of|rather than|over)|,\s*(?:and\s+)?not)\s+([\w.+-]{2,60})", re.IGNORECASE
)
# "Use dataclasses for values, not Pydantic": what is chosen stands before what it is chosen for.
_CHOSEN_FOR = re.compile(
    r"\b(?:use|prefer|choose)\s+([\w.+-]{2,60})\s+(?:for|in|as)\s[^,;.]{2,80},\s*(?:and\s+)?not\s+([\w.+-]{2,60})",
    re.IGNORECASE,
)
# A text without any of these holds none of those; to look for the pattern itself costs twenty times as much.
_INSTEAD_CUES = ("instead", "rather", "over", "not")
_SETTING = re.compile(
    r"\b([A-Za-z][\w.-]{1,60})\s{0,3}(=|:|\bis set to\b|\bis\b|\bto\b|\bof\b)\s{0,3}"
    r"(\d[\w.%]{0,30}|true\b|false\b|on\b|off\b|\"[^\"\n]{1,60}\"|'[^'\n]{1,60}'|`[^`\n]{1,60}`)",
    re.IGNORECASE,
)
# A text without any of these sets nothing that way, and is told from the others at a tenth of the cost.
_VALUE = re.compile(r"[\d\"'`]|(?:true|false|on|off)\b")
# A bare word is a value only where it is plainly assigned: "ledger is slow" sets nothing.
_ASSIGNED = re.compile(
    r"\b(?:set\s{1,3})?([A-Za-z][\w.-]{1,60})(?:\s{0,3}=\s{0,3}|\s{1,3}(?:is|are)\s{1,3}set\s{1,3}to\s{1,3})"
    r"([A-Za-z][\w.-]{0,30})|\bset\s{1,3}(?:the\s{1,3})?([A-Za-z][\w.-]{1,60})\s{1,3}to\s{1,3}([A-Za-z][\w.-]{0,30})",
    re.IGNORECASE,
)
# "Unit tests: `tests/unit`", "Tool: `add_task`": a label before a place or a name lists it and sets nothing.
_LISTED = re.compile(r"[/(*<]|_(?!case\b)")
# "Put new endpoints in src/api/v1", "New endpoints go to src/api/v2": what, and where to.
_PLACED = re.compile(
    r"\b(?:put|place|keep|store|add|create|write|save)s?\s+(?P<put>[\w][\w \t-]{1,60}?)\s+(?:in|into|under|to|at)\s+`?"
    r"(?P<there>[\w.-]*/[\w./-]{1,120})"
    r"|(?P<goes>[\w][\w \t-]{1,60}?)\s+(?:goe?s?|belongs?|lives?|must be|should be|are|is|stays?)\s+"
    r"(?:placed |put |kept |stored )?(?:in|into|under|to|at)\s+`?(?P<here>[\w.-]*/[\w./-]{1,120})",
    re.IGNORECASE,
)
# What is said after a negation ends here: "Never squash, keep every commit" forbids squashing whatever. A condition
# and a list belong to it: "Don't deploy when it is red", "Never commit: `build/`".
_CLAUSE_END = re.compile(r"[,;()]|\b(?:and|because|but|instead|so)\b", re.IGNORECASE)
# "If you see X, stop" asks for no X.
_CONDITION = re.compile(r"\s*(?:if|when|unless|whenever)\b[^,:]*", re.IGNORECASE)
# `any` is a name where it stands as code; `-k "not slow"`, `--no-verify` and "no-op" negate nothing.
_CODE = re.compile(r"`([^`\n]{1,120})`")
_NO_IN_NAMES = re.compile(r"[\w-]*(?:-|\b)(?:no|not|never|without)-[\w-]+", re.IGNORECASE)
_SENTENCE_END = re.compile(r"[.!?;](?=\s|$)|\n|\bbut\b", re.IGNORECASE)
# A place that is refused is no place: "Do not put fixtures in src/tests".
_NEGATED_BEFORE = re.compile(r"(?:\bnot|\bnever|n't|\bavoid)\s*$", re.IGNORECASE)
_NUMBERS = {word: str(number) for number, word in enumerate("two three four five six seven eight nine ten".split(), 2)}
# Of these one is used and not the other; where the rest is the same, so is the topic.
_RIVALS = [
    frozenset(map(stem, line.split()))
    for line in (
        "tabs spaces",
        "single double",
        "snake camel kebab pascal",
        "types interfaces",
        "pydantic dataclasses attrs",
        "npm pnpm yarn bun",
        "poetry pipenv pdm uv conda",
        "jest vitest mocha",
        "pytest unittest",
        "relative absolute",
        "sync async synchronous asynchronous",
        "ascending descending",
    )
]
# Ways to write a name are chosen between, and are not what a text is about.
_STYLES = frozenset("snakecase camelcase kebabcase pascalcase case".split())
_DOTFILE = re.compile(r"(?<![\w./])\.[a-z][\w.-]*\w")
# "Straight to main" is directly to main.
_ONE_MEANING = {"straight": "directly"}
# "Generated files are not committed" is against "Commit the generated files".
_PASSIVE = re.compile(
    r"(?P<what>[^,;:]{1,120}?)\s+(?:is|are|must|should|may)\s+(?:not|never)\s+(?:be\s+)?(?P<done>\w{2,30})ed\b",
    re.IGNORECASE,
)
# "Do not squash commits" forbids squashing: these say again what the verb is done to anyway.
_OWN_OBJECT = {"squash": "commits", "deploy": "code", "indent": "code", "lint": "code", "format": "code"}
_TOKENS = Cutter(r"\d[\w.]*|[^\W\d]\w*")
_MOST_CHARS, _MOST_SENTENCES = 8000, 30
# Where both sides name circumstances of their own, this share must be the same for it to be one topic.
_SAME_CIRCUMSTANCES = 0.7
# Advice that says more than so many words beside what is forbidden speaks of a case of its own.
_FEW_MORE = 2
# Texts that were read lately: each new memory is compared with several, and many with the same ones.
_REMEMBERED = 1024


class _Sentence(msgspec.Struct, frozen=True):
    text: str
    # What it is about, without the words that negate or stress.
    about: frozenset[str]
    # What it asks for: `about` without what it puts behind something else; and the roots of these words.
    asks: frozenset[str]
    roots: frozenset[str]
    # The first word after each negation, in its clause: what it forbids; and whether anything is negated at all.
    forbids: frozenset[str]
    negates: bool
    # What its condition names: "If you see X, stop".
    given: frozenset[str]
    # The roots of what its first clause forbids, when that begins with a negation.
    outright: frozenset[str]
    # What it sets, as (name, value, what it says around that), and what it puts in place of what, as (chosen, refused).
    sets: tuple[tuple[str, str, frozenset[str]], ...]
    choices: tuple[tuple[str, str], ...]
    tokens: tuple[str, ...]


def contradictions(memory: Memory, others: Iterable[Memory], policy: Policy) -> dict[str, str]:
    """Return why the memory and each of these others advise the opposite, by id; those that agree are left out."""
    telling = _topic(memory)
    found = {}
    for other in others:
        if other.id == memory.id or other.phase == "gone":
            continue
        if memory.files and other.files and not set(memory.files) & set(other.files):
            continue
        if why := (
            _values(memory, other)
            or _placed(memory, other)
            or _limited(memory, other)
            or _against(memory, telling, other, policy)
        ):
            found[other.id] = why
    return found


def _against(one: Memory, telling: frozenset[str], other: Memory, policy: Policy) -> str | None:
    theirs = _topic(other)
    if not telling or not theirs:
        return None
    if len(telling & theirs) / min(len(telling), len(theirs)) < policy.match.topic_overlap:
        return None
    if one.text.casefold().split() == other.text.casefold().split():
        return None
    if _about_different_things(one.text, other.text):
        return None
    first, second = _sentences(one.text), _sentences(other.text)
    return next((found for a in first for b in second if (found := _opposed(a, b, policy))), None)


def _about_different_things(one: str, other: str) -> bool:
    """Tell whether each of two texts names something that the other does not: other things may be done otherwise."""
    mine = _subjects(one)
    if not mine:
        return False
    theirs = _subjects(other)
    return not mine <= theirs and not theirs <= mine


@lru_cache(maxsize=_REMEMBERED)
def _subjects(text: str) -> frozenset[str]:
    """Return the names a text writes, without those it chooses between or sets something to."""
    # A version is a value and no name.
    text = text[:_MOST_CHARS]
    named = [name for name in names(text) if not name.isdigit()]
    # "`yarn test`: set the timeout to 60": a command is what that is about.
    named += [span for span in _CODE.findall(text) if " " in span] if "`" in text else []
    named = [name for name in named if name not in _STYLES]
    # `.env` and `.env.example` are two files.
    named += _DOTFILE.findall(text)
    if not named:
        return frozenset()
    chosen = [part for pair in _choices(text) for part in pair]
    values = [value for _, value, _ in _assignments(text)]
    return frozenset(named).difference(names(" ".join(chosen)), names(" ".join(values)))


def _limited(one: Memory, other: Memory) -> str | None:
    """Find two limits of one thing; few words besides say what that is, so the topic is not compared."""
    mine = limits.of(one.text[:_MOST_CHARS])
    theirs = limits.of(other.text[:_MOST_CHARS]) if mine else ()
    if not theirs or _about_different_things(one.text, other.text):
        return None
    return next((why for a in mine for b in theirs if (why := limits.differ(a, b))), None)


def _placed(one: Memory, other: Memory) -> str | None:
    """Find the same thing put in two places, neither of which lies in the other."""
    mine = _places(one.text)
    theirs = _places(other.text) if mine else {}
    for what, (where, around) in mine.items():
        there, elsewhere = theirs.get(what, ("", around))
        if not there or f"{where}/".startswith(f"{there}/") or f"{there}/".startswith(f"{where}/"):
            continue
        if _same_topic(around, elsewhere):
            return f"{' '.join(sorted(what))} in {where[:60]} and in {there[:60]}"
    return None


@lru_cache(maxsize=_REMEMBERED)
def _places(text: str) -> dict[frozenset[str], tuple[str, frozenset[str]]]:
    """Return where a text puts what, and what its sentence says around that."""
    found: dict[frozenset[str], tuple[str, frozenset[str]]] = {}
    if "/" not in text:
        return found
    for match in _PLACED.finditer(text[:_MOST_CHARS]):
        what = frozenset(words(match["put"] or match["goes"])) - _EMPHASIS - NEGATIONS
        where = (match["there"] or match["here"]).rstrip("./")
        if what and "/" in where and not _NEGATED_BEFORE.search(text[: match.start()]):
            found.setdefault(what, (where, _around(text, match)))
    return found


def _around(text: str, match: re.Match[str]) -> frozenset[str]:
    """Return the words of a sentence before and after a match."""
    before = _SENTENCE_END.split(text[: match.start()])[-1]
    return _telling(f"{before} {_SENTENCE_END.split(text[match.end() :], maxsplit=1)[0]}")


def _opposed(one: _Sentence, other: _Sentence, policy: Policy) -> str | None:
    return (
        _settings(one, other)
        or _numbers(one, other)
        or _swapped(one, other)
        or _swapped(other, one)
        or _negated(one, other, policy)
        or _negated(other, one, policy)
        or _never_done(one, other)
        or _never_done(other, one)
        or _rivals(one, other)
    )


def _topic(memory: Memory) -> frozenset[str]:
    return _topic_of(memory.title, memory.text)


@lru_cache(maxsize=_REMEMBERED)
def _topic_of(title: str, text: str) -> frozenset[str]:
    return _roots(_telling(f"{title} {text}"))


@lru_cache(maxsize=_REMEMBERED)
def _telling(text: str) -> frozenset[str]:
    return frozenset(words(text)) - _NOT_ABOUT


def _roots(told: Iterable[str]) -> frozenset[str]:
    return frozenset(map(_root, told))


@lru_cache(maxsize=4096)
def _root(word: str) -> str:
    """Return what "commits", "committing" and "commit" have in common."""
    root = stem(_ONE_MEANING.get(word, word))
    return root[:-1] if len(root) > 3 and root[-1] == root[-2] else root


@lru_cache(maxsize=_REMEMBERED)
def _sentences(text: str) -> list[_Sentence]:
    parts = (part.strip() for part in _SENTENCE_END.split(_code_apart(text[:_MOST_CHARS])))
    # What ends in a colon is the head of a list.
    return [_sentence(part) for part in parts if part and not part.endswith(":")][:_MOST_SENTENCES]


def _code_apart(text: str) -> str:
    """Return a text in which stop words that stand as code are names, and negations in code are none."""
    return _CODE.sub(_code, text) if "`" in text else text


def _code(match: re.Match[str]) -> str:
    said = match[1].lower()
    if said in STOP_WORDS:
        return f"`code{said}`"
    return match[0] if NEGATIONS.isdisjoint(_TOKENS(said)) else "`code`"


def _sentence(text: str) -> _Sentence:
    about, choices = _telling(text), _choices(text)
    refused = {word for _, right in choices for word in words(right)}
    low = text.lower()
    tokens = _TOKENS(low)
    # Most sentences negate nothing.
    may_forbid = "n't" in low or "n’t" in low or not NEGATIONS.isdisjoint(tokens)
    forbidden = _forbidden(text, refused) if may_forbid else []
    condition = _CONDITION.match(text)
    return _Sentence(
        text,
        about,
        about - refused,
        _roots(about - refused),
        forbids=frozenset(filter(None, forbidden)),
        negates=bool(forbidden),
        given=_telling(condition[0]) if condition else frozenset(),
        outright=_outright(text) if may_forbid else frozenset(),
        sets=tuple(_assignments(text)),
        choices=choices,
        tokens=tuple([_NUMBERS.get(token, token) for token in tokens]),
    )


def _choices(text: str) -> tuple[tuple[str, str], ...]:
    """Return (chosen, refused) of what a text puts in place of something else."""
    low = text.lower()
    if not any(cue in low for cue in _INSTEAD_CUES):
        return ()
    return (*_CHOSEN_FOR.findall(text), *_INSTEAD.findall(text))


def _outright(text: str) -> frozenset[str]:
    """Return what a sentence forbids in its first clause: "Never squash, keep every commit" is against squashing."""
    clause = _CLAUSE_END.split(text, maxsplit=1)[0]
    tokens = _TOKENS(_negations_apart(clause))
    if not tokens or (tokens[0] not in ("never", "avoid") and tokens[:2] != ["do", "not"]) or "without" in tokens:
        return frozenset()
    told = _telling(clause)
    for verb, noun in _OWN_OBJECT.items():
        if told == {verb, noun}:
            return frozenset((_root(verb),))
    return _roots(told - _CARRIERS or told)


def _forbidden(text: str, refused: set[str]) -> list[str]:
    """Return the first telling word after each negation in its clause; empty for a clause that negates twice."""
    found: list[str] = []
    for clause in _CLAUSE_END.split(_negations_apart(text)):
        tokens = _TOKENS(clause)
        # "Never push without a review" forbids no review, and pushing only without one.
        if "without" in tokens and not NEGATIONS.isdisjoint(tokens[: tokens.index("without")]):
            found.append("")
            continue
        for position, token in enumerate(tokens):
            if token in NEGATIONS:
                following = (word for later in tokens[position + 1 :] for word in words(later))
                told = (word for word in following if word not in _EMPHASIS and word not in NEGATIONS)
                found += [*told][:1]
    return [word for word in found if word not in refused]


def _negations_apart(text: str) -> str:
    low = text.lower().replace("n't", " not").replace("n’t", " not")
    return _NO_IN_NAMES.sub(" ", low) if "-" in low else low


def _values(one: Memory, other: Memory) -> str | None:
    mine, theirs = one.content, other.content
    if not one.kind == other.kind == "preference":
        return None
    topic = words(str(mine.get("topic", "")))
    if not topic or topic != words(str(theirs.get("topic", ""))):
        return None
    if _chosen(mine.get("value")) == _chosen(theirs.get("value")):
        return None
    return f"{mine.get('topic')}: {mine.get('value')!s:.60} against {theirs.get('value')!s:.60}"


def _chosen(value: object) -> list[str]:
    """Return the words of a value; unlike in a text a single digit is one."""
    return [word for word in folded(str(value)).split() if word not in STOP_WORDS]


def _settings(one: _Sentence, other: _Sentence) -> str | None:
    if not one.sets or not other.sets:
        return None
    theirs = {name.lower(): (value, around) for name, value, around in other.sets}
    for name, value, around in one.sets:
        key = name.lower()
        there, elsewhere = theirs.get(key, (value, around))
        if key not in _NOT_SETTINGS and there != value and _same_topic(around, elsewhere):
            return f"{name} is {value} in one and {there} in the other"
    return None


def _assignments(text: str) -> list[tuple[str, str, frozenset[str]]]:
    """Return (name, value, what is said around it) of what a sentence sets."""
    found = []
    for match in _ASSIGNED.finditer(text) if "=" in text or "set" in text.lower() else ():
        name, value = match[1] or match[3], match[2] or match[4]
        if value.lower() not in STOP_WORDS:
            found.append((match, name, value))
    for match in _SETTING.finditer(text) if _VALUE.search(text.casefold()) else ():
        if match[2] != ":" or not _LISTED.search(match[3]):
            found.append((match, match[1], match[3]))
    # `--from=5` is part of a command, and what has a blank in it is one or a phrase: no values.
    told = (
        (match, name, value.strip("\"'`.").lower())
        for match, name, value in found
        if not text[: match.start()].endswith("-")
    )
    return [(name, value, _around(text, match)) for match, name, value in told if " " not in value]


def _numbers(one: _Sentence, other: _Sentence) -> str | None:
    """Find two sentences that differ in one number and nothing else."""
    mine, theirs = one.tokens, other.tokens
    if len(mine) != len(theirs):
        return None
    different = [n for n, (a, b) in enumerate(zip(mine, theirs, strict=True)) if a != b]
    if len(different) != 1 or len(mine) < 3:
        return None
    (n,) = different
    if not (mine[n][0].isdigit() and theirs[n][0].isdigit()) or (n and mine[n - 1] in _NOT_SETTINGS):
        return None
    return f"one says {mine[n]}, the other {theirs[n]}"


def _swapped(one: _Sentence, other: _Sentence) -> str | None:
    for chosen, refused in one.choices:
        wanted, unwanted = _roots(words(chosen)), _roots(words(refused))
        refuses = _roots(other.forbids) | other.outright
        if not wanted or not unwanted or unwanted & refuses or not unwanted <= other.roots:
            continue
        mine, theirs = _roots(one.about) - wanted - unwanted, _roots(other.about) - wanted - unwanted
        # "X over Y" alone is a principle; a sentence that merely mentions Y does not break it.
        if wanted & other.roots or bool(mine) != bool(theirs) or not _same_topic(mine, theirs):
            continue
        if (refused.lower(), chosen.lower()) in {(left.lower(), right.lower()) for left, right in other.choices}:
            return f"one puts {chosen} over {refused}, the other {refused} over {chosen}"
        return f"one says {chosen} instead of {refused}, the other uses {refused}"
    return None


def _negated(one: _Sentence, other: _Sentence, policy: Policy) -> str | None:
    if other.negates or not (one.forbids or one.outright):
        return None
    asks = other.asks - other.given
    if one.outright and one.outright <= _roots(asks) and _leads(one.outright, other):
        return "one advises what the other forbids"
    # Long texts share words without being about one thing; opposite advice is nearly the same sentence, and what is
    # forbidden under other circumstances ("in unit tests", "in integration tests") is no opposite.
    if jaccard(one.about, other.asks) < policy.match.topic_overlap or not _same_topic(one.about, other.asks):
        return None
    return "one advises what the other forbids" if one.forbids & asks else None


def _never_done(one: _Sentence, other: _Sentence) -> str | None:
    """Find what is said never to be done, and asked for in the other: "are not committed", "Commit ..."."""
    if other.negates or ("not" not in one.tokens and "never" not in one.tokens):
        return None
    passive = _PASSIVE.match(one.text)
    first = next((word for word in words(other.text) if word not in _EMPHASIS), "")
    if not passive or not first:
        return None
    done = passive["done"].lower()
    # "committed" and "cached" come from "commit" and "cache".
    if done not in (first, first.removesuffix("e")) and done != first + first[-1]:
        return None
    around = _telling(passive["what"]) | _telling(one.text[passive.end() :])
    theirs = other.asks - {first}
    return "one advises what the other forbids" if jaccard(around, theirs) >= _SAME_CIRCUMSTANCES else None


def _rivals(one: _Sentence, other: _Sentence) -> str | None:
    """Find two sentences that use different things for the same: tabs and spaces, npm and yarn."""
    if one.negates or other.negates or one.choices or other.choices:
        return None
    mine, theirs = _named(one) - _named(other), _named(other) - _named(one)
    if len(mine) != 1 or len(theirs) != 1:
        return None
    (here,), (there,) = mine, theirs
    if one.given or other.given or not any(here in group and there in group for group in _RIVALS):
        return None
    # "Tabs" and "spaces" alone are no advice.
    return f"one says {_as_written(here, one)}, the other {_as_written(there, other)}" if len(one.asks) > 1 else None


def _named(sentence: _Sentence) -> set[str]:
    """Return what a sentence asks for without how many: "four spaces" are spaces."""
    return {root for root in sentence.roots if root not in _NUMBERS and not root.isdigit()}


def _as_written(root: str, sentence: _Sentence) -> str:
    return next((word for word in words(sentence.text) if _root(word) == root), root)


def _leads(told: frozenset[str], other: _Sentence) -> bool:
    """Tell whether a sentence is advice that begins with a word of what is forbidden, and says little else."""
    first = next((word for word in words(other.text) if word not in _EMPHASIS | _CARRIERS), "")
    return _root(first) in told and len(other.about) <= len(told) + _FEW_MORE


def _same_topic(one: frozenset[str], other: frozenset[str]) -> bool:
    """Tell whether what is said around two settings or choices is the same, or one says less than the other."""
    return one <= other or other <= one or jaccard(one, other) >= _SAME_CIRCUMSTANCES
