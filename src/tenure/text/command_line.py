"""What may be kept of a command line: enough to recognise a test or a build again, nothing that could be a secret.

A list of secret shapes always has gaps, and a password may be any word. So this works the other way round: of the
part that tests or builds, it keeps the program's name, words that say what is tested or built, and paths of files.
Everything else goes: assignments, options and their values, quoted text, URLs, and every other word.
"""

from __future__ import annotations

import re
import zlib
from itertools import pairwise

MOST_CHARACTERS = 4000
MOST_WORDS = 4
MOST_KEPT = 80

# Programs and words by which something is tested or built.
_PROVING = re.compile(
    r"(?<![a-z0-9])(?:tests?|pytest|tox|nox|jest|vitest|mocha|rspec|unittest|ctest|check|lint|ruff|mypy|eslint|tsc|build"
    r"|make|cargo|go|gradle|mvn|bazel|cmake|ninja|rake|compile|verify|ci)(?![a-z0-9])"
)
# Programs that handle files whatever they are called, and programs that run the file they are given.
_HANDLING = frozenset(
    "git cat ls cd rm mkdir rmdir cp mv grep rg find sed awk head tail less more echo printf touch chmod chown vim vi"
    " nano code wc diff tree stat file du open pushd popd export which curl wget gh ln tee sort".split()
)
_RUNNING = frozenset("python python3 bash sh zsh node deno bun ruby perl php".split())
# How test runners and compilers end: what failed, and that nothing did.
MOST_READ = 4000
_TOLD_FAILED = re.compile(
    r"\b[1-9]\d* (?:tests? )?(?:failed|failing|failures?|errors?)\b|\b(?:failures?|errors?|failed)[:=] ?[1-9]"
    r"|^(?:--- )?FAIL(?:ED|URES?)?\b|\bBUILD FAIL|\bnpm ERR!|^error(?:\[\w+\])?:|\btest result: FAILED|\bTS\d{4}:"
    r"|^Traceback \(most recent|^make(?:\[\d+\])?: \*\*\*|\bcompilation failed\b",
    re.IGNORECASE | re.MULTILINE,
)
_TOLD_PASSED = re.compile(
    r"\b[1-9]\d* (?:tests? )?(?:passed|passing|successful)\b|\btest result: ok\b|^ok\s|^OK\b|\bPASS(?:ED)?\b"
    r"|\bBUILD SUCCESS|\ball (?:checks|tests) passed\b|\bno issues found\b|\b0 (?:failed|failures|errors)\b"
    r"|\b(?:compiled|built) successfully\b",
    re.IGNORECASE | re.MULTILINE,
)
_SPLIT = re.compile(r"(&&|\|\||[;|\n&])")
_REDIRECTED = re.compile(r"\d?>&\d|&>")
# Programs that only start another one.
_WRAPPERS = frozenset(
    "sudo doas env time nice nohup timeout xargs command exec npx bunx pnpx uvx watch caffeinate stdbuf".split()
)
# What a shell takes as text: here-documents, here-strings, quotes. One that does not close goes to the end.
_HERE_TEXT = re.compile(r"<<<[^\n]*|<<-?\s*['\"]?(\w+)['\"]?.*?(?:^\s*\1$|\Z)", re.DOTALL | re.MULTILINE)
_QUOTED = re.compile(r"'[^']*(?:'|\Z)|\"(?:[^\"\\]|\\.)*(?:\"|\Z)|`[^`]*(?:`|\Z)", re.DOTALL)
_SEPARATORS = re.compile(r"&&|\|\||[;|\n&]")
_ASSIGNMENT = re.compile(r"\w+\+?=")
_PROGRAM = re.compile(r"[A-Za-z_][A-Za-z_.+-]{0,23}\d{0,2}(?:\.\d{1,2})?")
_MODULE = re.compile(r"[a-z_]+(?:\.[a-z_]+){0,4}")
_TASK = re.compile(r"[a-z]+(?:[:_.-][a-z]+){0,4}")
_RUN = frozenset("run exec script compose workspace".split())
_FILE = re.compile(
    r"(?:[\w.-]{1,40}/){0,12}[\w.-]{1,60}\.(?:py|pyi|js|mjs|cjs|ts|tsx|jsx|rs|go|rb|java|kt|kts|c|cc|cpp|h|hpp|cs|swift"
    r"|php|ex|exs|sh|sql|toml|json|ya?ml|md|spec|feature)"
)
_FOLDER = re.compile(r"(?:\./)?[a-z][a-z_.-]{0,40}(?:/[a-z][a-z_.-]{0,40}){0,8}/?|\./\.\.\.|\.")

# Numbers, addresses and paths differ from run to run of the same error.
_VARYING = re.compile(r"0x[0-9a-f]+|\d+|/[^\s:'\"]+")


def error_signature(output: str) -> int:
    """Return a number that is equal for two runs of the same error; 0 when the output says nothing."""
    lines = [line for line in output.splitlines() if line.strip()]
    telling = [line for line in lines if "error" in line.lower() or "fail" in line.lower()] or lines
    varying = _VARYING.sub("#", "\n".join(telling[-5:])[:2000])
    return zlib.crc32(" ".join(varying.split()).encode("utf-8", "replace"))


def kept_words(command: str) -> str:
    """Return what may be kept of a command line; empty when nothing of it may."""
    bare = _QUOTED.sub('"', _HERE_TEXT.sub("", command[:MOST_CHARACTERS]))
    found = [words for part in _SEPARATORS.split(bare) if (words := _of_part(part))]
    proving = [words for words in found if proves(" ".join(words))]
    return " ".join((proving or found or [[]])[0][:MOST_WORDS])[:MOST_KEPT]


def proves(words: str) -> bool:
    """Tell whether kept words test or build something; a file's name says it only behind a program that runs files."""
    program, *rest = words.lower().split() or [""]
    if program in _HANDLING:
        return False
    told = rest if program in _RUNNING else [word for word in rest if not _FILE.fullmatch(word.partition("::")[0])]
    return _PROVING.search(" ".join((program, *told))) is not None


def outcome(command: str, ok: bool, output: str) -> bool | None:
    """Return whether a test or build passed, None when nobody can know.

    The status of `pytest | tail` is that of `tail`, so it is read from what was printed; 44 % of the tests that real
    agents run are run like this.
    """
    if not ok or not _loses_status(command):
        return ok
    end = output[-MOST_READ:]
    if _TOLD_FAILED.search(end):
        return False
    return True if _TOLD_PASSED.search(end) else None


def _loses_status(command: str) -> bool:
    """Tell whether a line that tests or builds ends with the status of something else."""
    bare = _QUOTED.sub('"', _HERE_TEXT.sub("", command[:MOST_CHARACTERS]))
    if "pipefail" in bare:
        return False
    pieces = _SPLIT.split(_REDIRECTED.sub(" ", bare).strip().rstrip(";&\n "))
    for place in range(0, len(pieces), 2):
        if proves(" ".join(_of_part(pieces[place]))):
            return any(sign != "&&" for sign in pieces[place + 1 :: 2])
    return False


def _of_part(part: str) -> list[str]:
    """Return what is kept of one simple command: its program, then words that are surely names."""
    words = part.split()
    while words and (_ASSIGNMENT.match(words[0]) or words[0] in _WRAPPERS or words[0].startswith(("-", "("))):
        wrapper = words.pop(0)
        if wrapper == "timeout" and words and words[0][:1].isdigit():
            words.pop(0)
    if not words:
        return []
    program = words[0].rpartition("/")[2]
    if not _PROGRAM.fullmatch(program):
        return []
    kept, after_option = [program], False
    for before, word in pairwise(words):
        if before == "-m" and program.startswith("python") and _MODULE.fullmatch(word):
            kept[0] = word
            after_option = False
            continue
        if word.startswith("-"):
            # The word after an option may be its value, whatever it looks like.
            after_option = True
            continue
        if _is_name(word, after_option=after_option):
            kept.append(word)
        after_option = False
    return kept


def _is_name(word: str, *, after_option: bool) -> bool:
    if _FILE.fullmatch(word.partition("::")[0]) and not _looks_drawn(word):
        return not after_option or "/" in word
    if after_option:
        return False
    if _TASK.fullmatch(word) and (word in _RUN or proves(word)):
        return True
    return "/" in word and bool(_FOLDER.fullmatch(word))


def _looks_drawn(word: str) -> bool:
    """Tell whether a part of a path has more digits or turns of case than a name people give."""
    for part in re.split(r"[/.:_-]", word):
        digits = sum(sign.isdigit() for sign in part)
        turns = sum(a.isupper() != b.isupper() for a, b in pairwise(part))
        if digits > 4 or (digits >= 2 and turns >= 3) or turns > 8:
            return True
    return False
