"""The files and folders that a piece of a rule's text names, as patterns of a guard."""

# ruff: noqa: E501 - patterns and lists of words read better in one line
from __future__ import annotations

import re

from tenure.guards.named_commands import MOST_RULES, SPAN

_PATH_WORD = re.compile(
    r"(?<![\w`/.-])((?:\.{1,2}/|~/|/)?(?:[\w.@*-]+/)+[\w.@*-]*|[\w*-]+\.(?:lock|env|pem|key|sqlite3?|snap))(?![\w/`])"
)
_FILE = re.compile(
    r"(?:~/|\.{0,2}/)?(?:[\w.@*?\[\]{},<>-]+/)*(?:\.?[\w@*?\[\]-]+(?:\.[\w*?-]+)+|\.[a-z][\w.*-]+|[\w.@*?-]+/|\*+|[A-Z][\w]*file)(?:/\*{0,2})?"
)
_CODE_SIGNS = re.compile(r"[(){};=!\"'|&#@]|::|->|=>|\?\?|\.\w+\(")
_ENDINGS = frozenset(
    "py js ts tsx jsx mjs cjs rs go rb java kt c h cc cpp hpp cs swift php ex exs sh sql toml json yaml yml md mdx txt lock"
    " env ini cfg conf xml html css scss vue svelte proto graphql prisma gradle properties csv pem key db sqlite snap".split()
)
# Files that a sentence names without code marks, one or several, as all that its verb is about; so no folder is needed.
_FILE_WORD = (
    rf"(?:(?:\.{{0,2}}/)?(?:[\w.@*-]+/)+[\w.@*-]*|[\w*@-]+(?:\.[\w*-]+)*\.(?:{'|'.join(sorted(_ENDINGS))})|\.env(?:\.[a-z]+)*|\.[a-z]+(?:rc|ignore)"
    r"|(?:Make|Docker|Gem|Pod|Proc|Jenkins|Pip|Rake)file)(?![\w/`.-])"
)
_FILE_WORDS = re.compile(
    rf"\s*(?:(?:the|any|your|our|this|these|existing|files?|to)\s+)*(?P<names>{_FILE_WORD}(?:\s*(?:,|/|\bor\b|\band\b|\bnor\b)+\s*{_FILE_WORD})*)"
    r"(?:\s+(?:files?|itself|themselves|directly|manually|by hand|in place|ever|again|yourself|unless\b.*|without\b.*))*\s*$",
    re.IGNORECASE,
)
# Expressions of a language that look like a file's name.
_EXPRESSIONS = frozenset("process.env import.meta.env deno.env bun.env env.local.get next.config".split())
_LIBRARY = re.compile(r"[A-Z]\w*\.js|(?:node|next|nuxt|vue|react|three|express|d3|alpine)\.js")
# Folders that tools fill wherever they work; any other folder that a rule names alone lies at the project's root.
_ANYWHERE = frozenset(
    "__generated__ __pycache__ __snapshots__ artifacts bin build cache coverage dist gen generated lib logs migrations"
    " node_modules obj out proto snapshots target temp tmp vendor venv".split()
)


def named_paths(text: str) -> tuple[str, ...]:
    """Return the patterns of the files and folders a piece of text names."""
    spans = [(found.start(), found.end(), found[1].strip()) for found in SPAN.finditer(text)]
    found: list[str] = []
    last = 0
    for start, end, span in spans:
        between = text[last:start]
        if found and not re.fullmatch(
            r"[\s,/]*(?:or|and|nor|,|/|&)?[\s,/]*(?:the\s|any\s|files?\s|in\s|under\s)*\s*", between
        ):
            break
        if not found and len(between.split()) > 9:
            break
        if not is_path(span):
            if found:
                break
            return ()
        found.append(path_pattern(span, text[:start], text[end:]))
        last = end
    if not spans:
        named = _FILE_WORDS.match(text)
        words = re.findall(_FILE_WORD, named["names"]) if named else _PATH_WORD.findall(text)
        known = [word for word in words if word.endswith("file") or (is_path(word) and not _LIBRARY.fullmatch(word))]
        found = [path_pattern(word, "", "") for word in known]
    return tuple(dict.fromkeys(found))[:MOST_RULES]


def is_path(span: str) -> bool:
    if span.lower() in _EXPRESSIONS:
        return False
    if " " in span or len(span) > 120 or span.startswith(("http", "@", "--", "$")) or _CODE_SIGNS.search(span):
        return False
    if span.lower().rstrip("/") in ("and/or", "n/a", "i/o", "ci/cd", "input/output", "client/server", "true/false"):
        return False
    if not _FILE.fullmatch(span):
        return False
    if (
        re.fullmatch(r"[\w.]+\.(?:[A-Z]\w*|js|io|NET)", span)
        and span.count("/") == 0
        and span.split(".")[-1] not in ("js",)
    ):
        return False
    if "/" in span or span.endswith(".*"):
        return True
    ending = span.rpartition(".")[2]
    known = re.fullmatch(
        r"(?:[a-z]{1,5}\d?|lock|json|yaml|toml|snap|sqlite3?|xcodeproj|pbxproj|local|production|md)", ending
    )
    return (
        span.startswith((".", "*")) or bool(known and not re.fullmatch(r"[a-z]+\.[a-z]+", span)) or ending in _ENDINGS
    )


def path_pattern(span: str, before: str, after: str) -> str:
    """Return a path as .gitignore would write it; one that the words call a folder ends in a slash."""
    path = re.sub(r"<[^>]*>|\{[a-z_]+\}", "*", span)
    path = path.removeprefix("./")
    if path.endswith(("/**", "/*", "/**/*")):
        path = path.rstrip("*/") + "/"
    if re.match(r"\s*(?:folder|directory|dir|tree)\b", after) and not path.endswith("/"):
        path += "/"
    if "." not in path.rsplit("/", 1)[-1] and "/" in path and not path.endswith("/") and "*" not in path:
        path += "/"
    if re.fullmatch(r"[\w-]+/", path) and path[:-1] not in _ANYWHERE:
        path = f"/{path}"
    return path
