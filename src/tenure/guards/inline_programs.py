"""What a program written on the line does: `python - <<EOF` with `open("f", "w")`, `node -e` with `execSync`, and others.

Agents edit files so when no editor's tool is at hand. Its calls are looked at, not run, so what is found here is never
certain. A name has every value that it is given anywhere.
"""

# ruff: noqa: E501 - lists of words read better in one line
from __future__ import annotations

from tenure.guards.command_words import PROGRAM_OPTIONS
from tenure.guards.program_tokens import TEXT, tokens
from tenure.guards.shell_script import UNKNOWN

TYPE_CHECKING = False
if TYPE_CHECKING:
    from tenure.guards.shell_script import Simple

MOST_FILES = 24
MOST_VALUES = 12
MOST_NAME = 240
# A call or a list that goes on for longer is passed over.
MOST_TOKENS = 400
_DEEPEST = 6
_SCRIPTS = frozenset(("node", "bun", "deno", "tsx", "ts-node"))
# Calls by their last name: the place of the argument that is a file they change; those of a whole folder; and those
# that take the first one away as well.
_WRITING = {
    **dict.fromkeys("remove unlink rmdir mkdir makedirs rmtree truncate".split(), 0),
    **dict.fromkeys("writeFile writeFileSync appendFile appendFileSync unlinkSync rm rmSync rmdirSync mkdirSync createWriteStream write writeTextFile writeTextFileSync".split(), 0),
    **dict.fromkeys("copy copy2 copyfile copytree copyFile copyFileSync cp cpSync symlink symlinkSync".split(), 1),
    **dict.fromkeys("move rename renameSync replace".split(), 1),
}  # fmt: skip
_WHOLE_FOLDERS = frozenset("rmtree rm rmSync rmdirSync".split())
_TAKING = frozenset("move rename renameSync replace".split())
# Names that mean other things too: they count only behind what they belong to, which is nothing for "".
_OWNERS = {
    "copy": ("shutil",), "move": ("shutil",), "write": ("Bun",), "replace": ("os",), "remove": ("os", "Deno"),
    "run": ("subprocess",), "call": ("subprocess",), "popen": ("os",), "system": ("os",), "exec": ("", "child_process", "cp"),
}  # fmt: skip
# What is called on a file of Python's pathlib to change it.
_METHODS = frozenset("write_text write_bytes unlink touch rmdir".split())
_OPENING = frozenset("wax+")
_JOINING = frozenset(("Path", "PurePath", "join", "resolve", "str"))
_LEADING_ON = frozenset(("path", "Path", "PurePath", "join", "resolve"))
# Calls that start a program: with a line or a list, or with a program and a list.
_STARTING = frozenset("system popen run call check_call check_output Popen execSync exec getoutput".split())
_STARTING_LIST = frozenset("spawn spawnSync execFile execFileSync".split())


def language(simple: Simple) -> str:
    """Return the language of the program that a command is given, empty when it is none that is read here."""
    name = simple.program.rstrip("0123456789.")
    return "python" if name in ("python", "pypy", "py") else "script" if simple.program in _SCRIPTS else ""


def program_text(simple: Simple) -> str:
    """Return the program on a command's line or in its input."""
    words = simple.words
    for n, word in enumerate(words[1:-1], 1):
        if word in PROGRAM_OPTIONS:
            return words[n + 1]
        if not word.startswith("-"):
            return ""
    reads_input = len(words) == 1 or all(word == "-" or word.startswith("--") for word in words[1:2])
    return (simple.stdin or "") if reads_input else ""


def changed(simple: Simple) -> list[str]:
    """Return the files that the program a command is given seems to change, as it names them."""
    kind = language(simple)
    return _Reader(program_text(simple), python=kind == "python").changed() if kind else []


def started(simple: Simple) -> list[str | list[str]]:
    """Return the lines and lists of words that the program a command is given seems to start."""
    kind = language(simple)
    return _Reader(program_text(simple), python=kind == "python").started() if kind else []


class _Reader:
    """Walks over the tokens of a program once for what names stand for, and once for its calls."""

    def __init__(self, program: str, *, python: bool) -> None:
        self.python = python
        self.tokens = [*tokens(program, python=python), "", "", ""]
        self.names: dict[str, list[str]] = {}
        for at, token in enumerate(self.tokens):
            if (token == "=" and self.tokens[at + 1] != "=" and self.tokens[at - 1].isidentifier()) or (
                token in ("in", "of") and self.tokens[at - 1].isidentifier()
            ):
                self._name(self.tokens[at - 1], at + 1)

    def changed(self) -> list[str]:
        files: dict[str, None] = {}
        for at, token in enumerate(self.tokens):
            if token in ("open", *_WRITING) and self.tokens[at + 1] == "(":
                files.update(dict.fromkeys(self._written(at)))
            elif (token[:1] == TEXT or token == "(" or token.isidentifier()) and self.tokens[at - 1] != ".":
                files.update(dict.fromkeys(self._by_method(at)))
        known = [file for file in files if file and UNKNOWN not in file and "{" not in file and len(file) <= MOST_NAME]
        return [file for file in known if "\n" not in file][:MOST_FILES]

    def started(self) -> list[str | list[str]]:
        found: list[str | list[str]] = []
        for at, token in enumerate(self.tokens):
            if token == "$" and self.tokens[at + 1][:1] == TEXT:
                found.append(self.tokens[at + 1][1:])
            if self.tokens[at + 1 : at + 2] != ["("] or not self._is_meant(at) or (token == "exec" and self.python):
                continue
            places = self._arguments(at + 1)
            if token in _STARTING and places:
                found += [self._list(places[0])] if self.tokens[places[0]] == "[" else self._value(places[0])[0]
            elif token in _STARTING_LIST and places:
                rest = self._list(places[1]) if len(places) > 1 and self.tokens[places[1]] == "[" else []
                found += [[program, *rest] for program in self._value(places[0])[0]]
        return [one for one in found if one and UNKNOWN not in "".join(one)][:MOST_FILES]

    def _written(self, at: int) -> list[str]:
        """Return the files that the call of a function here changes."""
        name, arguments = self.tokens[at], self._arguments(at + 1)
        if name == "open":
            mode = next((place for place in arguments[1:] if self.tokens[place][:1] == TEXT), -1)
            mode = next((place + 2 for place in arguments if self.tokens[place : place + 2] == ["mode", "="]), mode)
            opens = mode >= 0 and bool(_OPENING & set(self.tokens[mode][1:]))
            return self._value(arguments[0])[0] if opens and self.tokens[at - 1] != "." else []
        if not self._is_meant(at) or len(arguments) <= _WRITING[name]:
            return []
        files = self._value(arguments[_WRITING[name]])[0]
        if name in _TAKING:
            files = [*files, *self._value(arguments[0])[0]]
        return [*files, *(f"{file.rstrip('/')}/*" for file in files)] if name in _WHOLE_FOLDERS else files

    def _by_method(self, at: int) -> list[str]:
        """Return the files whose value stands here when a method that changes a file is called on it."""
        values, end = self._value(at)
        if not values or self.tokens[end] != ".":
            return []
        method, opening = self.tokens[end + 1], self.tokens[end + 2 : end + 3] == ["("]
        if method == "open" and opening:
            return values if _OPENING & set(self.tokens[end + 3][1:]) and self.tokens[end + 3][:1] == TEXT else []
        return values if method in _METHODS and opening else []

    def _is_meant(self, at: int) -> bool:
        owners = _OWNERS.get(self.tokens[at])
        return owners is None or (self.tokens[at - 2] if self.tokens[at - 1] == "." else "") in owners

    def _name(self, name: str, at: int) -> None:
        """Give a name what stands at a place: a value, a list of them, or what a pattern finds in a folder."""
        values = self._list(at) if self.tokens[at] in ("[", "(") else []
        if not values:
            values, end = self._value(at)
            if self.tokens[end] == "." and self.tokens[end + 1] in ("glob", "rglob") and self.tokens[end + 2] == "(":
                folders = values or ["."]
                patterns = self._value(end + 3)[0]
                values = [_joined(folder, pattern) for folder in folders for pattern in patterns]
            elif self.tokens[end] == ".":
                values = []
        known = self.names.setdefault(name, [])
        known += values[: MOST_VALUES - len(known)]

    def _list(self, at: int) -> list[str]:
        """Return what stands in `[ … ]` or `( … )` when that is all values and known."""
        found, at, end = list[str](), at + 1, at + MOST_TOKENS
        while at < end and self.tokens[at] not in ("]", ")", ""):
            values, at = self._value(at)
            found += values
            if not values or self.tokens[at] not in (",", "]", ")"):
                return []
            at += self.tokens[at] == ","
        return found

    def _value(self, at: int, depth: int = 0) -> tuple[list[str], int]:
        """Return what the expression here may stand for as a file's name, and where it ends."""
        values, at = self._one_value(at, depth)
        for _ in range(MOST_VALUES):
            if self.tokens[at] != "/" or not self.tokens[at + 1]:
                break
            more, at = self._one_value(at + 1, depth)
            values = [_joined(value, each) for value in values for each in more][:MOST_VALUES]
        return (values, at) if self.tokens[at] not in ("+", "%") else ([], at)

    def _one_value(self, at: int, depth: int) -> tuple[list[str], int]:
        token = self.tokens[at]
        if token == "await":
            at, token = at + 1, self.tokens[at + 1]
        if token[:1] == TEXT:
            return [token[1:]], at + 1
        if token == "(" and depth < _DEEPEST:
            values, end = self._value(at + 1, depth + 1)
            return (values, end + 1) if self.tokens[end] == ")" else ([], end)
        if not token.isidentifier():
            return [], at
        while self.tokens[at + 1] == "." and self.tokens[at + 2] in _LEADING_ON:
            at += 2
        if self.tokens[at] not in _JOINING or self.tokens[at + 1] != "(":
            return self.names.get(token, []), at + 1
        places = self._arguments(at + 1) if depth < _DEEPEST else []
        values = self._value(places[0], depth + 1)[0] if places else []
        for place in places[1:]:
            more = self._value(place, depth + 1)[0]
            values = [_joined(value, each) for value in values for each in more][:MOST_VALUES]
        return values, self._closing(at + 1) + 1

    def _arguments(self, at: int) -> list[int]:
        """Return where each argument of the call begins whose `(` stands here."""
        end = self._closing(at)
        if end <= at + 1:
            return []
        found, depth = [at + 1], 0
        for place in range(at + 1, end):
            token = self.tokens[place]
            depth += (token in ("(", "[", "{")) - (token in (")", "]", "}"))
            if token == "," and not depth and place + 1 < end:
                found.append(place + 1)
        return found

    def _closing(self, at: int) -> int:
        depth = 0
        for place in range(at, min(len(self.tokens) - 3, at + MOST_TOKENS)):
            depth += (self.tokens[place] == "(") - (self.tokens[place] == ")")
            if not depth:
                return place
        return at


def _joined(folder: str, name: str) -> str:
    return name if name.startswith("/") else f"{folder.rstrip('/')}/{name}"
