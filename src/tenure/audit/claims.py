"""What a memory's text says that can be checked: files, symbols, URLs, branches, packages and commands.

Pure: text in, claims out, nothing is looked up. A generic phrase is not a claim. Where a name could be one
but need not be (an example, a path without an extension), the claim is tentative: it counts only if the
project has, or once had, such a thing.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import pairwise
from typing import Literal

import msgspec

from tenure.audit import commands, dependencies, details, fences, moods, words
from tenure.audit.fences import Line
from tenure.audit.sentences import Mood, Sentences

Kind = Literal["file", "symbol", "url", "branch", "package", "command", "line", "anchor", "version", "default"]

PLAIN = Mood(False, False)
MAX_TEXT = 1_000_000
MAX_LINE = 4_000
MAX_CLAIMS = 2_000
MAX_PARAGRAPH = 40


class Claim(msgspec.Struct, frozen=True):
    """One checkable statement, at `start`..`end` of the text; `within` is the file it is said to be in.

    `beside` is the file that heads the line or table row, for what is told about it there. `mood` is how the sentence
    means it, and `fenced` says that it stands in a code sample.
    """

    kind: Kind
    text: str
    line: int
    start: int
    end: int
    tentative: bool = False
    excused: bool = False
    within: str = ""
    beside: str = ""
    mood: Mood = PLAIN
    fenced: bool = False
    # An argument of a command; the target of a Markdown link; the line at which a drawn tree begins.
    command: bool = False
    link: bool = False
    tree: int = 0


_URL = re.compile(r"https?://[^\s<>\"'`|\\^{}\[\]]+")
_SPAN = re.compile(r"(?<!`)(`{1,2})(?!`)([^`\n]{1,300})\1(?!`)")
_LINK = re.compile(r"\]\(<?((?:[^()\s<>]|\([^()\s<>]{0,60}\)){1,300})>?(?:[ \t]+\"[^\"\n]{0,200}\")?\)")
# `(group)` and `[parameter]` are folders of web frameworks.
_PART = r"(?:[\w.@+-]{1,100}|\([\w.-]{1,60}\)|\[[\w.-]{1,60}\])"
_BARE_PATH = re.compile(rf"(?<![\w`/@:.~$\\-])(?:\.{{1,2}}/)?[\w.@+-]{{1,100}}(?:/{_PART}){{1,20}}")
_PARAMETER = re.compile(r"(?<=/)\[[\w.-]{1,60}\](?=/)")
# `(src/tools/)`: a folder in brackets needs no backticks.
_PAREN_PATH = re.compile(r"\(((?:\.{1,2}/)?[\w.@+-]{1,100}(?:/[\w.@+-]{1,100}){0,20}/?)\)")
# A file without its folder and without backticks: only a name that is no word of a sentence.
_BARE_NAME = re.compile(r"(?<![\w`/:.~$\\(\[-])@?([\w-]*[\w][_\d-][\w-]*\.[A-Za-z]{1,5})(?![\w/`(])")
_LINK_TEXT = re.compile(r"\[([^\]\n]{1,300})\]\(")
_HEADING = re.compile(r"[ \t]{0,3}#{1,6}[ \t]+\S")
# A line of bold words alone, and one that ends in a colon, lead what follows them: `**Don't**`, `Never use:`.
_BOLD = re.compile(r"[ \t]{0,3}(?:[-*][ \t]+)?(?:\*\*[^*\n]{1,80}\*\*|__[^_\n]{1,80}__)[ \t]*:?[ \t]*")
_LEADS = re.compile(r"[^|`\n]{1,200}[:：][*_ \t]*")
_BEGINS = re.compile(r"[ \t]*(?:[-*+][ \t]|\d+[.)][ \t]|[|>#]|\*\*)")
_ENDS = re.compile(r"[ \t]*[|#]")
_FOLLOWS = re.compile(r"[ \t]*(?:[-*+|>][ \t]|\d+[.)][ \t]|[ \t]{2,}\S|$)")
# What a reader would replace: `<name>`, `vX.Y.Z`, `[topic].md`, `path/to/file`.
_STAND_IN = re.compile(
    r"[<>{}$%]|\.\.\.|…|(?<![A-Za-z])N{2,}(?![A-Za-z])|X{3}|YYYY|\bMM\b|\bDD\b|\bv?X\.Y|[a-z]X[A-Z]|\bpath/to\b"
    r"|(?:^|[/_.-])\[[A-Za-z][\w .-]*\]|\b([a-z]+)\d+-\1\d+\b"
)
_MY_OWN = re.compile(r"(?:my|your)[A-Z][a-z]\w*\.")
_EXTENSION = re.compile(r"\.([A-Za-z][A-Za-z0-9]{0,11})$")
_PATH = re.compile(r"(?:\.{1,2}/)?[\w.@+*?()\[\]-]{1,100}(?:/[\w.@+*?()\[\]-]{1,100}){0,20}/?")
_LINE_SUFFIX = re.compile(r"(?::\d+(?:[-:]\d+)?|#L\d+(?:-L?\d+)?|#[\w-]+)$")
_IDENTIFIER = re.compile(r"[A-Za-z_$][\w$]*")
_QUALIFIED = re.compile(r"[A-Za-z_$][\w$]*(?:(?:\.|::|#|->)[A-Za-z_$][\w$]*){0,5}[!?]?(\([^()\n]{0,80}\))?")
_CAMEL = re.compile(r"[a-z][a-z0-9]*[A-Z]\w*")
_PASCAL = re.compile(r"[A-Z][a-z0-9]+(?:[A-Z]\w*)|[A-Z]{2,}[a-z]\w*")
_PACKAGE = re.compile(r"@[a-z0-9][\w.-]{0,60}/[a-z0-9][\w.-]{0,60}|[a-z][a-z0-9]{1,30}(?:-[a-z0-9]{1,30}){1,4}")
_BRANCH_NAME = r"[A-Za-z0-9][\w./#+-]{0,120}"
_BRANCH_AFTER = re.compile(
    rf"\bbranch(?:es)?\b(?:[ \t]+(named|called)|[ \t]+(?:is|to|from))?[ \t]*(:)?[ \t]*([`'\"]?)({_BRANCH_NAME})\3",
    re.I,
)
# "on branch x", "the branch x-2": such a word makes the next one a name.
_BRANCH_LEAD = re.compile(r"\b(?:(on|from|into|onto)|the|our|use|using|via)[ \t]+$", re.I)
_BRANCH_BEFORE = re.compile(rf"(?:`({_BRANCH_NAME})`|(?<![\w/`])({_BRANCH_NAME}/{_BRANCH_NAME}))[ \t]+branch\b", re.I)
_BRANCH_SHAPE = re.compile(rf"(?:origin/)?(?:{'|'.join(words.BRANCH_PREFIXES)})/[\w./#+-]{{1,120}}")
_WITHIN = re.compile(
    r"[ \t]*(?:,[ \t]*)?(?:(?:is|are|lives?|sits?|(?:is |are )?"
    r"(?:defined|implemented|declared|located|found|kept))[ \t]+)?"
    r"(?:in|from|inside|of|at|under)[ \t]+(?:the[ \t]+)?(?:file[ \t]+|module[ \t]+)?\[?`?$"
)
_DEFINES = re.compile(
    r"`?[ \t]+(?:defines?|contains?|exports?|declares?|implements?|holds?|has|provides?)[ \t]+(?:the[ \t]+)?"
    r"(?:function[ \t]+|class[ \t]+|method[ \t]+)?`$"
)
# What is typed begins with a program or a variable; what a program prints begins in any way.
_COMMAND = re.compile(
    r"[ \t]*(?:[$>%][ \t]+)?(?:[a-z][\w.+-]*|\.{0,2}/[\w./+-]+|[\w.+-]+/[\w./+-]+|[A-Z_]+=\S*)(?=[ \t]|$)"
)
# `(d *Detector) isFlood(req)`: a method as Go writes it.
_GO_METHOD = re.compile(r"\((?:\w+[ \t]+)?\*?\w+\)[ \t]*\.?([A-Za-z_]\w+)(?:\(|$)")
_FENCE = re.compile(r"[ \t>]*(`{3,}|~{3,})[ \t]*([\w+#-]*)")


def extract(text: str) -> list[Claim]:
    """Return the claims of a Markdown text in the order they stand in it, each said once per place."""
    found: list[Claim] = []
    above = _Above()
    for fence, lines in _blocks(text[:MAX_TEXT]):
        heading = above.told
        if fence is None:
            for paragraph in _paragraphs(lines):
                above.read(paragraph[0].text)
                told = Sentences("\n".join(line.text for line in paragraph), above.told)
                into = 0
                for line in paragraph:
                    found += _in_prose(line, told, into)
                    into += len(line.text) + 1
                for line in paragraph[1:]:
                    above.read(line.text)
                if len(found) > MAX_CLAIMS:
                    break
        elif fences.is_tree(fence, lines):
            found += _in_tree(lines, heading)
        else:
            for line in lines if fence in words.SHELL_FENCES else ():
                if fence or _COMMAND.match(line.text):
                    found += _in_shell(line)
            found += _in_sample(lines, found, bool(fence) and fence in words.SHELL_FENCES)
        if len(found) > MAX_CLAIMS:
            break
    # One more than the limit tells that there were more.
    found = sorted(found, key=lambda claim: (claim.start, claim.end))[: MAX_CLAIMS + 1]
    return _with_names(_headed(_located(found, text), text))


class _Above:
    """What stands above a line and rules it: its heading, and for a list the bold line or the words before a colon."""

    def __init__(self) -> None:
        self._heading = self._bold = self._lead = ""

    @property
    def told(self) -> str:
        return f"{self._heading} {self._bold} {self._lead}".strip()

    def read(self, line: str) -> None:
        """Note a line of prose."""
        if _HEADING.match(line):
            self._heading, self._bold, self._lead = line, "", ""
        elif _BOLD.fullmatch(line):
            self._bold, self._lead = line, ""
        elif _LEADS.fullmatch(line):
            self._bold, self._lead = self._bold if _FOLLOWS.match(line) else "", line
        elif not _FOLLOWS.match(line):
            self._bold = self._lead = ""


def _blocks(text: str) -> Iterator[tuple[str | None, list[Line]]]:
    """Yield runs of lines: prose, or what stands in one fence with the language it names."""
    offset = 0
    fence: str | None = None
    marker = ""
    lines: list[Line] = []
    for number, raw in enumerate(text.split("\n"), 1):
        opened = _FENCE.match(raw)
        closes = opened and fence is not None and opened[1].startswith(marker) and not opened[2]
        if opened and (fence is None or closes):
            yield fence, lines
            lines = []
            marker, fence = ("", None) if closes else (opened[1][:3], opened[2].lower())
        else:
            lines.append(Line(number, offset, raw[:MAX_LINE]))
        offset += len(raw) + 1
    yield fence, lines


def _paragraphs(lines: list[Line]) -> Iterator[list[Line]]:
    """Yield the lines that one sentence may span: a list item, a row and a heading each begin anew."""
    paragraph: list[Line] = []
    for line in lines:
        begins = not line.text.strip() or _BEGINS.match(line.text) is not None
        if paragraph and (begins or not paragraph[-1].text.strip() or _ENDS.match(paragraph[-1].text)):
            yield paragraph
            paragraph = []
        paragraph.append(line)
        if len(paragraph) >= MAX_PARAGRAPH:
            yield paragraph
            paragraph = []
    if paragraph:
        yield paragraph


def _in_tree(lines: list[Line], heading: str) -> Iterator[Claim]:
    said = {line.number: line.text for line in lines}
    for entry in fences.tree(lines):
        planned = moods.PLANNED.search(f"{heading} {said[entry.line].replace(entry.text, '')}") is not None
        mood = Mood(False, False, made=planned, example=moods.EXAMPLE.search(heading) is not None)
        if not _is_placeholder(entry.text) and not _is_placeholder(entry.around) and _PATH.fullmatch(entry.text):
            end = entry.start + len(entry.text)
            yield Claim(
                "file",
                entry.text,
                entry.line,
                entry.start,
                end,
                True,
                within=entry.around,
                mood=mood,
                tree=lines[0].number,
            )


def _in_sample(lines: list[Line], known: list[Claim], shell: bool) -> Iterator[Claim]:
    taken = {(claim.start, claim.end) for claim in known}
    for package in fences.packages(lines):
        end = package.start + len(package.text)
        yield Claim("package", package.text, package.line, package.start, end, True, fenced=True)
    for name in fences.names(lines):
        if shell and name.text.isupper():
            continue  # a variable of the shell
        if (name.start, name.start + len(name.text)) not in taken and not _is_placeholder(name.text):
            end = name.start + len(name.text)
            yield Claim("symbol", name.text, name.line, name.start, end, True, fenced=True)


def _in_prose(line: Line, sentences: Sentences, into: int) -> Iterator[Claim]:
    """Yield the claims of a line of prose, which begins `into` characters after its sentences do."""
    text = line.text
    # Beside a pattern (`[module].test.ts`) a name shows what one may look like.
    patterned = any(_STAND_IN.search(_PARAMETER.sub("x", match[2])) for match in _SPAN.finditer(text))
    # The text of a link is a name for its target.
    titles = [match.span(1) for match in _LINK_TEXT.finditer(text)]
    taken = bytearray(len(text))

    def free(start: int, end: int) -> bool:
        return not any(taken[start:end])

    def take(start: int, end: int) -> None:
        taken[start:end] = b"\1" * (end - start)

    def make(kind: Kind, value: str, start: int, end: int, tentative: bool = False) -> Claim:
        take(start, end)
        mood = sentences.mood(into + start)
        if patterned:
            mood = msgspec.structs.replace(mood, example=True, patterned=True)
        first, last = line.offset + start, line.offset + end
        return Claim(kind, value, line.number, first, last, tentative or mood.hedged, mood.gone, mood=mood)

    for match in _URL.finditer(text):
        url = _trimmed_url(match.group())
        yield make("url", url, match.start(), match.start() + len(url))
    for match, value, group, tentative in _branches(text):
        if free(*match.span(group)):
            yield make("branch", value, match.start(group), match.start(group) + len(value), tentative)
    for name, start, end, tentative in dependencies.named(text):
        if free(start, end) and _is_package(name):
            yield make("package", name, start, end, tentative)
    # These stand beside other claims, so they take no room.
    for detail in details.read(text):
        mood = sentences.mood(into + detail.start)
        first, last = line.offset + detail.start, line.offset + detail.end
        yield Claim(detail.kind, detail.text, line.number, first, last, mood.hedged, mood.gone, detail.about, mood=mood)
    for match in _SPAN.finditer(text):
        start = match.start(2)
        if free(start, match.end(2)):
            spaced = " " in match[2].strip()
            for kind, value, begin, end, tentative in _in_span(match[2]):
                if kind == "file" and any(first <= start + begin < last for first, last in titles):
                    continue
                claim = make(kind, value, start + begin, start + end, tentative)
                yield msgspec.structs.replace(claim, command=spaced)
            take(start, match.end(2))
    for match in _LINK.finditer(text):
        start = match.start(1) + (4 if match[1].startswith("mdc:") else 0)
        target = _LINE_SUFFIX.sub("", text[start : match.end(1)])
        if free(start, match.end(1)) and _is_path(target, loose=True) and not _is_outside(target):
            claim = make("file", target, start, start + len(target))
            yield msgspec.structs.replace(claim, link=True)
    for match in _PAREN_PATH.finditer(text):
        if "/" in match[1] and free(*match.span(1)) and _is_path(match[1]) and not _is_host(match[1].split("/")[0]):
            yield make("file", match[1], *match.span(1), not match[1].endswith("/") or _is_loose(match[1]))
    for match in _BARE_NAME.finditer(text):
        titled = any(first <= match.start(1) < last for first, last in titles)
        if free(*match.span(1)) and _is_file_name(match[1]) and not _is_placeholder(match[1]) and not titled:
            yield make("file", match[1], *match.span(1), tentative=True)
    for match in _BARE_PATH.finditer(text):
        start = match.start() + match.group().startswith("@")  # `@docs/a.md` mentions a file
        path = text[start : match.end()].rstrip(".-+@")
        titled = any(first <= start < last for first, last in titles)
        if free(start, start + len(path)) and _is_bare_file(path) and not titled:
            yield make("file", path, start, start + len(path), _is_loose(path))


def _in_shell(line: Line) -> Iterator[Claim]:
    text = line.text.split(" #")[0]
    body = text.lstrip(" \t$>")
    start = len(text) - len(body)
    for kind, value, begin, end in commands.read(body):
        begin, end = line.offset + start + begin, line.offset + start + end
        if kind != "branch" or _is_branch(value):
            # A name without a folder is often one that the sample itself makes.
            tentative = kind == "file" and ("." not in value or "/" not in value or _is_loose(value))
            yield Claim(kind, value, line.number, begin, end, tentative, fenced=True, command=True)


def _in_span(code: str) -> Iterator[tuple[Kind, str, int, int, bool]]:
    """Yield what one span of `code` claims: kind, text, start, end and whether it is tentative."""
    stripped = code.strip()
    begin = code.index(stripped) if stripped else 0
    if not stripped or _is_placeholder(stripped):
        return
    if _BRANCH_SHAPE.fullmatch(stripped) and not _has_extension(stripped):
        if not _is_branch(stripped):
            return
        yield "branch", stripped, begin, begin + len(stripped), False
        return
    method = _GO_METHOD.match(stripped)
    if method is not None:
        yield "symbol", method[1], begin + method.start(1), begin + method.end(1), True
        return
    if re.search(r"\s", stripped):
        if not _COMMAND.match(stripped):
            return
        for kind, value, first, last in commands.read(stripped):
            if kind != "branch" or _is_branch(value):
                yield kind, value, begin + first, begin + last, False
        return
    path, _, symbol = stripped.partition("::")
    if symbol and _is_path(path):
        yield "file", path, begin, begin + len(path), False
        member = symbol.split("::")[-1].split("[")[0]
        if _IDENTIFIER.fullmatch(member):
            at = begin + stripped.rindex(member)
            yield "symbol", member, at, at + len(member), False
        return
    path = _LINE_SUFFIX.sub("", stripped)
    rooted = path.startswith("/") and (_has_extension(path) or path.split("/")[1] in words.USUAL_FOLDERS)
    if rooted and path.count("/") > 1 and _is_path(path[1:]):
        # From the root of the repository or of the machine, or an address of a server: the project tells.
        yield "file", path, begin, begin + len(path), True
        return
    if _is_path(path):
        if not _is_outside(path):
            shaped = _has_extension(path) or path.endswith("/") or path in words.KNOWN_FILES
            tentative = not shaped or path in words.AGENT_FILES or _is_loose(path)
            yield "file", path, begin, begin + len(path), tentative
        return
    name = _symbol(stripped)
    if name:
        yield "symbol", name[0], begin, begin + len(name[0]), name[1]
    elif _PACKAGE.fullmatch(stripped):
        # Any word with hyphens may be a package's name: only the history of a manifest tells.
        yield "package", stripped, begin, begin + len(stripped), True


def _symbol(code: str) -> tuple[str, bool] | None:
    """Return the symbol a span names and whether it is tentative; None for plain words and literals."""
    match = _QUALIFIED.fullmatch(code)
    if match is None or code in words.COMMON_IDENTIFIERS or code.lower() in words.PRODUCTS:
        return None
    called = match[1] is not None
    name = code[: match.start(1)] if called else code
    last = re.split(r"\.|::|#|->", name)[-1].rstrip("!?")
    if len(last) < 2 or last in words.COMMON_IDENTIFIERS or last.strip("_").lower() in words.PLACEHOLDERS:
        return None
    if (last.isupper() and "_" in last.strip("_")) or re.search(r"[a-z]_[A-Z]{2}", last):
        # A constant of this project or a variable of somebody's environment: history decides.
        return name, True
    shaped = "_" in last.strip("_") or bool(_CAMEL.fullmatch(last)) or bool(_PASCAL.fullmatch(last))
    if called or shaped:
        return name, False
    # `Parser.feed` or `Parser`: one capital is too little to be sure, so history decides.
    return (name, True) if (last[0].isupper() and len(last) > 2) or name != last else None


def _branches(text: str) -> Iterator[tuple[re.Match[str], str, int, bool]]:
    for match in _BRANCH_AFTER.finditer(text):
        called, colon, quote, name = match[1], match[2], match[3], match[4].rstrip(".,-")
        lead = _BRANCH_LEAD.search(text, max(0, match.start() - 12), match.start())
        marked = re.search(r"[-_\d]", name) is not None and (colon is not None or lead is not None)
        certain = "/" in name or bool(called or quote) or name in words.PLAIN_BRANCHES or marked
        led = lead is not None and lead[1] is not None and name.lower() not in words.NOT_BRANCHES
        if (certain or led) and _is_branch(name):
            yield match, name, 4, not certain
    for match in _BRANCH_BEFORE.finditer(text):
        group = 1 if match[1] else 2
        name = match[group]
        if _is_branch(name):
            yield match, name, group, False


def _is_branch(name: str) -> bool:
    """Return whether the name can be a branch's; one letter stands for any."""
    last = name.rsplit("/", 1)[-1]
    plain = (len(last) > 1 or last.isdigit()) and name.lower() not in ("and/or", "s/he", "n/a")
    return plain and not _has_extension(name) and not _is_placeholder(name)


def _is_package(name: str) -> bool:
    return not _is_file_name(name) and not _is_placeholder(name) and not name.endswith(("/", "."))


def _is_path(text: str, *, loose: bool = False) -> bool:
    if text in words.KNOWN_FILES:
        return True
    if not _PATH.fullmatch(text) or _is_placeholder(text) or text.lower() in words.PRODUCTS:
        return False
    if "/" not in text:
        return _is_file_name(text)
    if re.fullmatch(r"[\d./]+", text) or "(" in text.rstrip("/").rsplit("/", 1)[-1]:
        return False
    if any(_is_file_name(part) for part in text.split("/")[:-1]):
        return False  # `readable.ts/writable.ts` are two files
    first = text.split("/", 1)[0]
    if first.startswith("@") or _is_host(first):
        return loose and not _is_host(first)
    return True


def _is_file_name(text: str) -> bool:
    """Return whether a name without a slash is a file's: `config.toml`, not `console.log` or `self.run`."""
    match = _EXTENSION.search(text)
    if text.lower() in words.PRODUCTS or match is None or "(" in text or match.start() == 0:
        return text in words.KNOWN_FILES
    return match[1].lower() in words.FILE_EXTENSIONS


def _is_bare_file(path: str) -> bool:
    parts = path.split("/")
    if not _has_extension(path) or _is_placeholder(path) or _is_host(parts[0]):
        return False
    if any(_is_file_name(part) for part in parts[:-1]):
        return False
    return not any(part.lower() in words.PRODUCTS for part in parts)


def _has_extension(text: str) -> bool:
    name = text.rstrip("/").rsplit("/", 1)[-1]
    match = _EXTENSION.search(name)
    return name in words.KNOWN_FILES or (match is not None and match[1].lower() in words.LOOSE_EXTENSIONS)


def _is_loose(path: str) -> bool:
    """Return whether any project may have or make it: a tool's dot-folder, a data file or folder without its place."""
    if path in words.KNOWN_FILES:
        return False
    if path.startswith(".") and not path.startswith(("./", "../", *words.OWN_DOT_FOLDERS)):
        return True
    if path.startswith("./") or "/" in path.rstrip("/"):
        return False
    return path.endswith("/") or path.rpartition(".")[2].lower() in words.DATA_EXTENSIONS


def _is_host(first: str) -> bool:
    return "." in first.lstrip(".") and first.rsplit(".", 1)[-1].lower() in words.HOST_ENDINGS


def _is_outside(path: str) -> bool:
    return path.startswith(("/", "~", "$", "#", "mailto:")) or "://" in path


def _is_placeholder(text: str) -> bool:
    if _STAND_IN.search(_PARAMETER.sub("x", text)):
        return True
    parts = re.split(r"[/:]", text)
    stems = (part.rsplit(".", 1)[0].lower() for part in parts)
    return any(stem in words.PLACEHOLDERS for stem in stems) or any(_MY_OWN.match(part) for part in parts)


def _trimmed_url(url: str) -> str:
    """Return the URL without the punctuation of the sentence; a closing bracket stays if it was opened."""
    while url and (url[-1] in ".,;:!?'\"*_" or (url[-1] == ")" and url.count(")") > url.count("("))):
        url = url[:-1]
    return url


def _located(found: list[Claim], text: str) -> list[Claim]:
    """Return the claims with `within` set where a symbol is said to live in the file named beside it."""
    result = list(found)
    for position, (left, right) in enumerate(pairwise(found)):
        if left.line != right.line:
            continue
        between = text[left.end : right.start]
        if left.kind == "symbol" and right.kind == "file":
            closing = re.match(r"(?:\([^()\n]{0,80}\))?[!?]?`{1,2}", between)
            if closing and _WITHIN.fullmatch(between, closing.end()):
                result[position] = msgspec.structs.replace(left, within=right.text)
        elif left.kind == "file" and right.kind == "symbol" and (between == "::" or _DEFINES.fullmatch(between)):
            result[position + 1] = msgspec.structs.replace(right, within=left.text)
    return result


# What may stand between the beginning of a line and the file it is about: a bullet, a number, a cell, emphasis.
_HEAD = re.compile(r"[ \t>]*(?:[-*+]|\d+[.)]|\|)?[ \t]*(?:\[[ x]\][ \t]*)?[*_]{0,2}\[?`{0,2}")


def _headed(found: list[Claim], text: str) -> list[Claim]:
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


def _with_names(found: list[Claim]) -> list[Claim]:
    """Return the claims with `within` of each line set to the name told beside it: the last before it, or the next."""
    result = list(found)
    for position, claim in enumerate(found):
        if claim.kind == "line":
            beside = [each for each in found if each.kind == "symbol" and each.line == claim.line and not each.fenced]
            before = [each for each in beside if each.end <= claim.start]
            after = [each for each in beside if each.start >= claim.end]
            name = before[-1].text if before else after[0].text if after else ""
            result[position] = msgspec.structs.replace(claim, within=name)
    return result
