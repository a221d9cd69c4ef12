"""Where a page says that a name is: in the file named beside it, in the one its line is about, at a line of it."""

from __future__ import annotations

import posixpath
import re
from itertools import pairwise

import msgspec

from tenure.audit.claim import Claim

_WITHIN = re.compile(
    r"[ \t]*(?:(?:function|method|class|struct|map|constant|variable|type|interface|enum|trait|helper|hook|component|"
    r"field|table|macro|decorator|service|module|object|dict|list|test)s?\b[ \t]*)?"
    r"(?:,[ \t]*)?(?:(?:is|are|lives?|sits?|(?:is |are )?"
    r"(?:defined|implemented|declared|located|found|kept))[ \t]+)?"
    r"(?:(?:in|from|inside|of|at|under)[ \t]+(?:the[ \t]+)?(?:file[ \t]+|module[ \t]+)?\[?`?"
    r"|(?:in|→)[ \t]+\[[^\]\n]{1,200}\]\()$"
)
_DEFINES = re.compile(
    r"`?[ \t]+(?:defines?|contains?|exports?|declares?|implements?|holds?|has|provides?)[ \t]+(?:the[ \t]+)?"
    r"(?:function[ \t]+|class[ \t]+|method[ \t]+)?`$"
)
# `go test ./parser -run TestParse`: the tests of one package.
_RUNS = re.compile(r"[ \t]+(?:-[\w.=]+[ \t]+)*-run[ \t]+['\"^]?")
# What may stand between the beginning of a line and the file it is about: a bullet, a number, a cell, emphasis.
# A page that is wrapped breaks a sentence anywhere, but a list item or a row of a table begins a new one.
_WRAPPED = re.compile(r"[ \t]*\n[ \t]*(?![-*+|>#][ \t]|\d+[.)][ \t]|\n)")
# An item that is not below another.
_ITEM = re.compile(r"(?:[-*+]|\d+[.)])[ \t]+[^`\n:]{0,40}:?[ \t]*[*_]{0,2}`?[*_]{0,2}")
_AND = re.compile(r"`?[*_]{0,2}(?:,|,? (?:and|or|&)|[ \t]?[/+&])[ \t]*[*_]{0,2}`?")
MAX_APART, MIN_ITEMS = 2, 3
_HEAD = re.compile(r"[ \t>]*(?:[-*+]|\d+[.)]|\|)?[ \t]*(?:\[[ x]\][ \t]*)?[*_]{0,2}\[?`{0,2}")


def located(found: list[Claim], text: str) -> list[Claim]:
    """Return the claims with `within` set where a symbol is said to live in the file named beside it."""
    result = list(found)
    for position, (left, right) in enumerate(pairwise(found)):
        if right.line - left.line > 1:
            continue
        between = text[left.end : right.start]
        if left.line != right.line:
            between = _WRAPPED.sub(" ", between, count=1)
        if left.kind == "symbol" and right.kind == "file":
            closing = re.match(r"(?:\([^()\n]{0,80}\))?[!?]?`{1,2}", between)
            if closing and _WITHIN.fullmatch(between, closing.end()):
                result[position] = msgspec.structs.replace(left, within=right.text)
        elif left.kind == "file" and right.kind == "symbol" and _says_within(left, right, between):
            result[position + 1] = msgspec.structs.replace(right, within=left.text)
    return result


def _says_within(file: Claim, symbol: Claim, between: str) -> bool:
    if symbol.command:
        return _RUNS.fullmatch(between) is not None
    return between == "::" or _DEFINES.fullmatch(between) is not None


def headed(found: list[Claim], text: str) -> list[Claim]:
    """Return the claims with `beside` set where the line begins with a file and goes on about it."""
    heads = {
        claim.line: claim.text
        for claim in found
        if claim.kind == "file" and _HEAD.fullmatch(text, text.rfind("\n", 0, claim.start) + 1, claim.start)
    }
    return [
        msgspec.structs.replace(claim, beside=heads[claim.line])
        if claim.kind == "symbol" and claim.line in heads
        else claim
        for claim in found
    ]


def in_lists(found: list[Claim], text: str) -> list[Claim]:
    """Return the claims with `listed` set where items of a list begin with folders, as if to tell what is in one."""
    runs: list[list[int]] = []
    for position, claim in enumerate(found):
        if claim.kind != "file" or not claim.text.endswith("/") or claim.fenced or claim.tree or claim.link:
            continue
        start = text.rfind("\n", 0, claim.start) + 1
        last = found[runs[-1][-1]] if runs else None
        joined = last is not None and last.line == claim.line and _AND.fullmatch(text, last.end, claim.start)
        if not joined and not _ITEM.fullmatch(text, start, claim.start):
            continue
        if last is None or claim.line - last.line > MAX_APART:
            runs.append([])
        runs[-1].append(position)
    result = list(found)
    for run in runs:
        if len(run) > MIN_ITEMS:
            listed = tuple(sorted({found[each].text for each in run}))
            for each in run:
                result[each] = msgspec.structs.replace(found[each], listed=listed)
    return result


def _wrapped(found: list[Claim], line: int, path: str) -> list[Claim]:
    """Return the names at the end of the line before that a sentence puts into the file which it names on this one."""
    above = [each for each in found if each.line == line - 1]
    told = any(each.kind == "file" and each.text == path for each in above)
    return [] if told else [each for each in above if each.kind == "symbol" and each.within == path]


def with_names(found: list[Claim]) -> list[Claim]:
    """Return the claims with `within` of each line set to the name told beside it: the last before it, or the next.

    A file that is named without its folder is the one of that name that the page told last, which `beside` says.
    """
    result = list(found)
    told: dict[str, str] = {}
    for position, claim in enumerate(found):
        if claim.kind == "line":
            path = claim.text.rpartition(":")[0]
            beside = [each for each in found if each.kind == "symbol" and each.line == claim.line and not each.fenced]
            before = [each for each in beside if each.end <= claim.start]
            after = [each for each in beside if each.start >= claim.end]
            before = before or _wrapped(found, claim.line, path)
            name = before[-1].text if before else after[0].text if after else ""
            result[position] = msgspec.structs.replace(claim, within=name, beside=told.get(path, ""))
        elif claim.kind == "file" and "/" in claim.text:
            told[posixpath.basename(claim.text)] = claim.text
    return result
