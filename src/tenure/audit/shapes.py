"""What a word of a page looks like: a path, a name of the code, a branch, a package, or a stand-in for any of them.

Pure: nothing is looked up.
"""

from __future__ import annotations

import re

from tenure.audit import words

_PARAMETER = re.compile(r"(?<=/)\[[\w.-]{1,60}\](?=/)")
# What a reader would replace: `<name>`, `vX.Y.Z`, `[topic].md`, `path/to/file`.
_STAND_IN = re.compile(
    r"[<>{}$%]|\.\.\.|…|(?<![A-Za-z])N{2,}(?![A-Za-z])|X{3}|Xxx|(?<![A-Za-z])XX(?![A-Za-z])|YYYY|\bMM\b|\bDD\b|\bv?X\.Y|[a-z]X[A-Z]|\bpath/to\b"
    r"|(?<![A-Za-z])xxx(?![A-Za-z])|(?<=[a-z])Your(?=[A-Z])"
    r"|(?:^|[/_.-])\[[A-Za-z][\w .-]*\]|\b([a-z]+)\d+-\1\d+\b"
    r"|(?:^|[/_.-])v?N(?=[_.-])|(?:^|/)(?:component|file|module|feature|page|class|test|route|hook)[-_]name(?=[./]|$)"
)
# `mcp-{test,repro}.md` names several files.
_GROUP = re.compile(r"\{[\w.+-]{1,60}(?:,[\w.+-]{1,60}){1,20}\}")
_MY_OWN = re.compile(r"(?:my|your)[A-Z][a-z]\w*\.")
_EXTENSION = re.compile(r"\.([A-Za-z][A-Za-z0-9]{0,11})$")
_PATH = re.compile(r"(?:\.{1,2}/)?[\w.@+*?&()\[\]-]{1,100}(?:/[\w.@+*?&()\[\]-]{1,100}){0,20}/?")
_ALIASED = re.compile(r"@/[\w.-]{1,100}(?:/[\w.()\[\]-]{1,100}){0,12}")
# `sdks/guides/{lang}/a.md`: a folder, and in it one that a reader names.
_HOLED = re.compile(
    r"((?:\./)?\.?[\w+-][\w.+-]{0,100}(?:/[\w.+-]{1,100}){1,12}/)[\w.-]{0,60}"
    r"(?:\{\w[\w -]{0,40}\}|<\w[\w -]{0,40}>)[^\s`]{0,200}"
)
# What a command has and hardly a file's name: options, quotes, variables, pipes.
_NO_PATH = re.compile(r"[|;<>$\"'`=*{}\\]|\s\s|^\s|\s$|(?:^|\s)-|://|/\s|\s/")
_QUALIFIED = re.compile(r"[A-Za-z_$][\w$]*(?:(?:\.|::|#|->)[A-Za-z_$][\w$]*){0,5}[!?]?(\([^()\n]{0,80}\))?")
_IDENTIFIER = re.compile(r"[A-Za-z_$][\w$]*")
_CAMEL = re.compile(r"[a-z][a-z0-9]*[A-Z]\w*")
_PASCAL = re.compile(r"[A-Z][a-z0-9]+(?:[A-Z]\w*)|[A-Z]{2,}[a-z]\w*")


def symbol_of(code: str) -> tuple[str, bool] | None:
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


def is_branch(name: str) -> bool:
    """Return whether the name can be a branch's; one letter stands for any."""
    last = name.rsplit("/", 1)[-1]
    plain = (len(last) > 1 or last.isdigit()) and name.lower() not in ("and/or", "s/he", "n/a")
    return plain and not has_extension(name) and not is_placeholder(name)


def is_package(name: str) -> bool:
    """Return whether a name can be a package's."""
    return not is_file_name(name) and not is_placeholder(name) and not name.endswith(("/", "."))


def is_path(text: str, *, loose: bool = False) -> bool:
    """Return whether the text can be a path of a project; a `loose` one may begin with a scope."""
    text = first_of_group(text)
    if text in words.KNOWN_FILES:
        return True
    if not _PATH.fullmatch(text) or is_placeholder(text) or text.lower() in words.PRODUCTS:
        return False
    if "/" not in text:
        return is_file_name(text)
    if re.fullmatch(r"[\d./]+", text) or "(" in text.rstrip("/").rsplit("/", 1)[-1]:
        return False
    if any(is_file_name(part) for part in text.split("/")[:-1]):
        return False  # `readable.ts/writable.ts` are two files
    first = text.split("/", 1)[0]
    if first.startswith("@") or is_host(first):
        return loose and not is_host(first)
    return True


def is_spaced_path(text: str) -> bool:
    """Return whether the text may be one path with blanks: `my docs/guide here.md`, or a command with its arguments."""
    if " " not in text or _NO_PATH.search(text) or len(text) > 300:
        return False
    return is_file_name(text.rsplit("/", 1)[-1].rsplit(" ", 1)[-1])


def is_file_name(text: str) -> bool:
    """Return whether a name without a slash is a file's: `config.toml`, not `console.log` or `self.run`."""
    match = _EXTENSION.search(text)
    if text.lower() in words.PRODUCTS or match is None or "(" in text or match.start() == 0:
        return text in words.KNOWN_FILES
    return match[1].lower() in words.FILE_EXTENSIONS


def is_bare_file(path: str) -> bool:
    """Return whether a path without any mark is a file's."""
    parts = path.split("/")
    if not has_extension(path) or is_placeholder(path) or is_host(parts[0]):
        return False
    if any(is_file_name(part) for part in parts[:-1]):
        return False
    return not any(part.lower() in words.PRODUCTS for part in parts)


def has_extension(text: str) -> bool:
    """Return whether the last part of a path ends as files do."""
    name = text.rstrip("/").rsplit("/", 1)[-1]
    match = _EXTENSION.search(name)
    return name in words.KNOWN_FILES or (match is not None and match[1].lower() in words.LOOSE_EXTENSIONS)


def is_aliased(text: str) -> bool:
    """Return whether a module is told from the root of the sources: `@/lib/dates`."""
    return text.startswith("@/") and _ALIASED.fullmatch(text) is not None and not is_placeholder(text)


def before_hole(text: str) -> str:
    """Return the folder, of two names and more, below which a path goes on with what a reader fills in, or nothing."""
    holed = _HOLED.fullmatch(text) if "{" in text or "<" in text else None
    if holed is None or is_placeholder(holed[1]) or is_host(holed[1].split("/")[0]) or is_loose(holed[1]):
        return ""
    return holed[1]


def is_loose(path: str) -> bool:
    """Return whether any project may have or make it: a tool's dot-folder, a data file or folder without its place."""
    if path in words.KNOWN_FILES:
        return False
    if path.startswith(".") and not path.startswith(("./", "../", *words.OWN_DOT_FOLDERS)):
        return True
    if path.startswith("./") or "/" in path.rstrip("/"):
        return False
    return path.endswith("/") or path.rpartition(".")[2].lower() in words.DATA_EXTENSIONS


def is_host(first: str) -> bool:
    """Return whether the first part of a path is the name of a host."""
    return "." in first.lstrip(".") and first.rsplit(".", 1)[-1].lower() in words.HOST_ENDINGS


def is_outside(path: str) -> bool:
    """Return whether a path leaves the project by its very form."""
    return path.startswith(("/", "~", "$", "#", "mailto:")) or "://" in path


def first_of_group(text: str) -> str:
    """Return the text with `{a,b}` replaced by `a`."""
    return _GROUP.sub(lambda match: match.group()[1:].partition(",")[0], text)


def is_placeholder(text: str) -> bool:
    """Return whether the text stands for any name and is none."""
    text = first_of_group(text)
    if has_stand_in(text):
        return True
    parts = re.split(r"[/:]", text)
    stems = (part.rsplit(".", 1)[0].lower() for part in parts)
    return any(stem in words.PLACEHOLDERS for stem in stems) or any(_MY_OWN.match(part) for part in parts)


def has_stand_in(text: str) -> bool:
    """Return whether a part of the text is what a reader would replace."""
    return _STAND_IN.search(_PARAMETER.sub("x", first_of_group(text))) is not None


def is_drawn(text: str) -> bool:
    """Return whether an entry of a drawn tree is a path."""
    return _PATH.fullmatch(text) is not None


def is_identifier(text: str) -> bool:
    """Return whether the text is one name of code."""
    return _IDENTIFIER.fullmatch(text) is not None


def is_pascal(text: str) -> bool:
    """Return whether the text is a name in PascalCase of two words and more."""
    return _PASCAL.fullmatch(text) is not None
