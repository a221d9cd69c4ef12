"""What a memory's text says that can be checked: files, symbols, URLs, branches, packages and commands.

Pure: text in, claims out, nothing is looked up. A generic phrase is not a claim. Where a name could be one
but need not be (an example, a path without an extension), the claim is tentative: it counts only if the
project has, or once had, such a thing.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

import msgspec

from tenure.audit import blocks, commands, fences, moods, placing, prose, shapes, spans, words
from tenure.audit.claim import Claim
from tenure.audit.fences import TextLine
from tenure.audit.sentences import Mood, Sentences

MAX_TEXT = 1_000_000
MAX_CLAIMS = 2_500
# A class with its package, as languages of the JVM write it.
_ANY_ONE = re.compile(r"\b(?:new|another|example|any|e\.g\.)(?!\w)", re.I)
_TITLE = re.compile(r"[\s>#*_+\d.)-]*`[^`\n]+`[\s*_:：]*")
# A command that changes to another folder, or words that do.
_ELSEWHERE = re.compile(
    r"(?:^|[\s;&|`])(?:cd|pushd)[ \t]|[ \t](?:-C|--cwd|--prefix|--directory)[ \t=]|\bfolder\b|\bdirectory\b"
)
# What an interpreter is given first is what it runs.
_RUNS = re.compile(
    r"(?:^|[\s;&|])(?:python[\d.]*|node|bash|sh|zsh|ruby|php|perl|tsx|ts-node|bun(?:[ \t]+run)?"
    r"|deno[ \t]+run|go[ \t]+run)"
    r"[ \t]+(?:-[\w-]+[ \t]+)*$"
)
_CLASS = re.compile(r"(?:[a-z_]\w*\.){2,}[A-Z]\w*")


def extract(text: str) -> list[Claim]:
    """Return the claims of a Markdown text in the order they stand in it, each said once per place."""
    found: list[Claim] = []
    above = blocks.Above()
    titled = 0
    for fence, lines in blocks.blocks(text[:MAX_TEXT]):
        heading = above.text
        if fence is None:
            titled = _title_of_sample(lines)
            for paragraph in blocks.paragraphs(lines):
                above.read(paragraph[0].text)
                told = Sentences("\n".join(line.text for line in paragraph), above.text)
                into = 0
                for line in paragraph:
                    found += prose.read(line, told, into)
                    into += len(line.text) + 1
                for line in paragraph[1:]:
                    above.read(line.text)
                if len(found) > MAX_CLAIMS:
                    break
            continue
        found = [_as_shown(claim) if claim.line == titled else claim for claim in found]
        if fences.is_tree(fence, lines):
            found += _in_tree(lines, heading)
        else:
            remark = ""
            from_root = not any(_ELSEWHERE.search(line.text) for line in lines) and not _ELSEWHERE.search(heading)
            for line in lines if fence in words.SHELL_FENCES else ():
                remark = line.text if line.text.lstrip().startswith("#") else remark
                if fence or spans.is_command(line.text):
                    # Below "# Add new package" any package will do.
                    any_one = _ANY_ONE.search(remark) is not None
                    found += (each for each in _in_shell(line, from_root) if not (any_one and each.kind == "package"))
            warned = fences.warned_of(lines)
            meant = [line for line in lines if line.number not in warned]
            found += _in_sample(meant, found, bool(fence) and fence in words.SHELL_FENCES)
        if len(found) > MAX_CLAIMS:
            break
    # One more than the limit tells that there were more.
    found = sorted(found, key=lambda claim: (claim.start, claim.end))[: MAX_CLAIMS + 1]
    return placing.with_names(placing.in_lists(placing.headed(placing.located(found, text), text), text))


def _title_of_sample(lines: list[TextLine]) -> int:
    """Return the number of the last line when it is nothing but a name, as the title of a sample is; else 0."""
    last = next((line for line in reversed(lines) if line.text.strip()), None)
    return last.number if last is not None and _TITLE.fullmatch(last.text) else 0


def _as_shown(claim: Claim) -> Claim:
    """Return the claim as one that a sample shows: the reader may be the one who makes it."""
    return msgspec.structs.replace(claim, mood=msgspec.structs.replace(claim.mood, example=True))


def _in_tree(lines: list[TextLine], heading: str) -> Iterator[Claim]:
    said = {line.number: line.text for line in lines}
    for entry in fences.tree(lines):
        planned = moods.PLANNED.search(f"{heading} {said[entry.line].replace(entry.text, '')}") is not None
        mood = Mood(False, False, made=planned, example=moods.EXAMPLE.search(heading) is not None)
        if (
            not shapes.is_placeholder(entry.text)
            and not shapes.is_placeholder(entry.around)
            and shapes.is_drawn(entry.text)
        ):
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


def _in_sample(lines: list[TextLine], known: list[Claim], shell: bool) -> Iterator[Claim]:
    taken = {(claim.start, claim.end) for claim in known}
    for package in fences.packages(lines):
        end = package.start + len(package.text)
        yield Claim("package", package.text, package.line, package.start, end, True, fenced=True)
    for named in () if shell else fences.remarked(lines):
        if shapes.is_bare_file(named.text):
            yield Claim("file", named.text, named.line, named.start, named.start + len(named.text), True, fenced=True)
    for named in fences.modules(lines):
        if shapes.is_aliased(named.text):
            yield Claim("file", named.text, named.line, named.start, named.start + len(named.text), True, fenced=True)
    for each in fences.imports(lines):
        for name in (each.module, *each.names):
            end, within = name.start + len(name.text), "" if name is each.module else each.module.text
            taken.add((name.start, end))
            if not shapes.is_placeholder(name.text) and not shapes.is_placeholder(within):
                yield Claim(
                    "symbol", name.text, name.line, name.start, end, True, within=within, fenced=True, imported=True
                )
    for name in fences.names(lines):
        if shell and name.text.isupper():
            continue  # a variable of the shell
        if (name.start, name.start + len(name.text)) not in taken and not shapes.is_placeholder(name.text):
            end = name.start + len(name.text)
            first = lines[0].number
            yield Claim("symbol", name.text, name.line, name.start, end, True, fenced=True, sample=first)


def _in_shell(line: TextLine, from_root: bool) -> Iterator[Claim]:
    text = line.text.split(" #")[0]
    body = text.lstrip(" \t$>")
    start = len(text) - len(body)
    for kind, value, begin, end in commands.read(body):
        said = commands.as_written(body, (kind, value, begin, end))
        begin, end = line.offset + start + begin, line.offset + start + end
        if kind != "branch" or shapes.is_branch(value):
            # A name without a folder is often one that the sample itself makes.
            tentative = kind == "file" and ("." not in value or "/" not in value or shapes.is_loose(value))
            owner, _, member = value.rpartition(".") if kind == "symbol" else ("", "", value)
            if _CLASS.fullmatch(value) and kind == "symbol":
                yield Claim(kind, value, line.number, begin, end, True, fenced=True, command=True, imported=True)
            elif _CLASS.fullmatch(owner):
                yield Claim(kind, owner, line.number, begin, begin + len(owner), True, fenced=True, imported=True)
                begin = end - len(member)
                yield Claim(kind, member, line.number, begin, end, True, within=owner, fenced=True, imported=True)
            else:
                begin = end - len(member) if kind == "symbol" else begin
                rooted = from_root and kind == "file"
                run = rooted and "/" in member and _RUNS.search(text[: begin - line.offset]) is not None
                yield Claim(
                    kind,
                    member,
                    line.number,
                    begin,
                    end,
                    tentative,
                    fenced=True,
                    command=True,
                    from_root=rooted,
                    run=run,
                    said=said,
                )
