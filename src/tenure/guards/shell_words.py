"""Words of a command line: quotes, variables, substitutions, braces and arithmetic, read to what they become.

A word becomes several by braces and by unquoted variables, and none by an empty one. Commands inside a substitution
are read by the reader of commands, which is built on this one.
"""

from __future__ import annotations

from tenure.guards.shell_cursor import ENDS, Cursor
from tenure.guards.shell_script import UNKNOWN, Script, Unparsable

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

MOST_DEPTH = 40
MOST_WORDS = 64
_TEMPORARY = "/tmp"
# Programs that print names of files, and those that hand on some of them.
_LISTING = frozenset("ls find fd git grep rg head tail sort uniq".split())
# Variables that every shell has.
_USUAL = {"HOME": "~", "USERPROFILE": "~", "TMPDIR": _TEMPORARY, "PWD": ""}
# Unquoted signs that still mean something when the word is complete.
_BREAK, _OPEN, _COMMA, _CLOSE = "\1", "\2", "\3", "\4"
_MARKS = {"{": _OPEN, ",": _COMMA, "}": _CLOSE}
_PLAIN = {_OPEN: "{", _COMMA: ",", _CLOSE: "}"}
# Signs at which a run of plain ones ends.
_SPECIAL = "'\"\\$`<>{,}"
_SPECIAL_OR_END, _SPECIAL_IN_QUOTES = _SPECIAL + ENDS, '"\\$`'
# Signs that a line may not hold, because they mean something here.
RESERVED = UNKNOWN + _BREAK + _OPEN + _COMMA + _CLOSE


class Words(Cursor):
    """Reads words."""

    def nested(self, text: str) -> Script:
        """Return a line that stands inside this one, read by itself."""
        raise NotImplementedError

    def _assignment(self) -> tuple[str, str]:
        """Read `name=value` when that stands here; return nothing and leave it otherwise."""
        end = self.at
        while end < len(self.text) and (self.text[end].isalnum() or self.text[end] == "_"):
            end += 1
        name = self.text[self.at : end]
        if not is_name(name):
            return "", ""
        if self.text[end : end + 1] == "[":
            close = self.text.find("]", end)
            end = close + 1 if close > 0 and not set(self.text[end:close]) & set(" \t\n;&|") else end
        adds = self.text[end : end + 2] == "+="
        end += adds
        if self.text[end : end + 1] != "=":
            return "", ""
        self.at = end + 1
        if self._next("("):
            before = self.arrays.get(name, []) if adds else []
            self.arrays[name] = [*before, *self._array()][:MOST_WORDS]
            return name, UNKNOWN
        if self.at >= len(self.text) or (self.text[self.at] in ENDS and not self._substitutes()):
            return name, ""
        words = self._word(splits=False)
        return name, words[0] if words else ""

    def _array(self) -> list[str]:
        self.at += 1
        found: list[str] = []
        while True:
            self._blank_lines()
            if self._next(")"):
                self.at += 1
                return found
            if self.at >= len(self.text) or (self.text[self.at] in ENDS and not self._substitutes()):
                raise Unparsable("an array does not end")
            found += self._word()

    def _word(self, *, splits: bool = True, glob_parens: bool = False) -> list[str]:
        """Read one word and return what it becomes: several by braces and unquoted variables, none by an empty one."""
        pieces: list[str] = []
        start = self.at
        quoted = False
        while self.at < len(self.text):
            sign = self.text[self.at]
            if sign in ENDS and not (sign in "<>" and self._substitutes()):
                if sign == "(" and glob_parens and self.at > start and self.text[self.at - 1] in "?*+@!":
                    self._parens()
                    pieces.append(UNKNOWN)
                    continue
                break
            if sign in _SPECIAL:
                following = self.text[self.at + 1 : self.at + 2]
                quoted = quoted or sign in "'\"\\" or (sign == "$" and following in ("'", '"'))
                self._piece(pieces)
            else:
                pieces.append(self._run_of_plain(_SPECIAL_OR_END))
        if self.at == start:
            raise Unparsable(f"unexpected {self.text[self.at : self.at + 1]!r}")
        text = "".join(pieces)
        parts = text.split(_BREAK) if splits else [text.replace(_BREAK, " ")]
        found = [one for part in parts if part or quoted for one in _expanded(part)]
        return found[:MOST_WORDS]

    def _run_of_plain(self, special: str) -> str:
        """Read on to the next sign that means something; most of a line does not."""
        text, start = self.text, self.at
        end = start + 1
        while end < len(text) and text[end] not in special:
            end += 1
        self.at = end
        return text[start:end]

    def _parens(self) -> None:
        depth = 0
        while self.at < len(self.text):
            sign = self.text[self.at]
            depth += (sign == "(") - (sign == ")")
            self.at += 1
            if not depth:
                return
        raise Unparsable("( does not end")

    def _piece(self, into: list[str], *, in_quotes: bool = False) -> None:
        """Read one sign, one quoted part or one expansion."""
        self._step()
        sign = self.text[self.at]
        if sign == "\\":
            following = self.text[self.at + 1 : self.at + 2]
            if following != "\n":
                into.append(following if not in_quotes or following in '$`"\\' else "\\" + following)
            self.at += 2
        elif sign == "'" and not in_quotes:
            end = self.text.find("'", self.at + 1)
            if end < 0:
                raise Unparsable("a quote does not end")
            into.append(self.text[self.at + 1 : end])
            self.at = end + 1
        elif sign == '"' and not in_quotes:
            self._double(into)
        elif sign == "$":
            self._dollar(into, in_quotes=in_quotes)
        elif sign == "`":
            self._backticks(in_quotes=in_quotes)
            into.append(UNKNOWN)
        elif sign in "<>" and not in_quotes:
            self.at += 2
            self._inside(")")
            into.append(UNKNOWN)
        else:
            into.append(sign if in_quotes else _MARKS.get(sign, sign))
            self.at += 1

    def _double(self, into: list[str]) -> None:
        self.at += 1
        while self.at < len(self.text):
            sign = self.text[self.at]
            if sign == '"':
                self.at += 1
                return
            if sign in _SPECIAL_IN_QUOTES:
                self._piece(into, in_quotes=True)
            else:
                into.append(self._run_of_plain(_SPECIAL_IN_QUOTES))
        raise Unparsable("a quote does not end")

    def _dollar(self, into: list[str], *, in_quotes: bool) -> None:
        following = self.text[self.at + 1 : self.at + 2]
        if following == "(":
            if self._next("$((") and self._arithmetic("$((", "))"):
                into.append(UNKNOWN)
                return
            self.at += 2
            before = len(self.found)
            self._substitution()
            into.append(self._printed_path(before) if in_quotes or into else self._printed_names(before))
        elif following == "{":
            self._parameter(into, in_quotes=in_quotes)
        elif following == "'" and not in_quotes:
            self._ansi(into)
        elif following == '"' and not in_quotes:
            self.at += 1
            self._double(into)
        elif following.isalpha() or following == "_":
            end = self.at + 1
            while end < len(self.text) and (self.text[end].isalnum() or self.text[end] == "_"):
                end += 1
            self._value(self.text[self.at + 1 : end], into, in_quotes=in_quotes)
            self.at = end
        elif following and following in "0123456789@*#?$!-":
            into.append(_BREAK.join(self.arrays.get("@", [UNKNOWN])) if following in "@*" else UNKNOWN)
            self.at += 2
        else:
            into.append("$")
            self.at += 1

    def _printed_names(self, before: int) -> str:
        """Return the files whose names `$(ls …)`, `$(find …)` and their like print, as far as their words tell."""
        found = self.found[before:]
        if not found or found[-1].program not in _LISTING or any(one.program not in _LISTING for one in found):
            return self._printed_path(before)
        from tenure.guards.listed_files import listed  # start-up: few lines list files

        return _BREAK.join(listed(found[-1])) or UNKNOWN

    def _printed_path(self, before: int) -> str:
        """Return what `$(pwd)` and `$(mktemp)` print, as far as that is known: where, not under which name."""
        if len(self.found) != before + 1 or self.found[before].program not in ("pwd", "mktemp"):
            return UNKNOWN
        words = self.found[before].words
        if words[0] == "pwd":
            return self.folder or UNKNOWN
        template = words[-1] if len(words) > 1 and "XXX" in words[-1] else ""
        folder = next((words[n + 1] for n, word in enumerate(words[:-1]) if word == "-p"), _TEMPORARY)
        name = template.rstrip("X") if template else ""
        return f"{name}{UNKNOWN}" if "/" in name else f"{folder}/{name}{UNKNOWN}"

    def _inside(self, closing: str) -> None:
        """Read the list of a process of its own, which may not be empty, and its closing sign."""
        folder, variables = self.folder, dict(self.variables)
        self.depth += 1
        if self.depth > MOST_DEPTH:
            raise Unparsable("too deep")
        if not self.read_list(frozenset(), closing=closing):
            raise Unparsable("nothing between the parentheses")
        self._take(closing)
        self.depth -= 1
        self.folder, self.variables = folder, variables

    def _substitution(self) -> None:
        """Read the list inside `$( … )`, which may be empty."""
        folder, variables, waiting = self.folder, dict(self.variables), self.waiting
        self.waiting = []
        self.depth += 1
        if self.depth > MOST_DEPTH:
            raise Unparsable("too deep")
        self.read_list(frozenset(), closing=")")
        if self.waiting:
            self.read_bodies()
        self._take(")")
        self.depth -= 1
        self.folder, self.variables, self.waiting = folder, variables, waiting

    def _value(self, name: str, into: list[str], *, in_quotes: bool) -> None:
        value = self.variables.get(name, UNKNOWN)
        if name in _USUAL and name not in self.variables:
            value = self.folder or UNKNOWN if name == "PWD" else _USUAL[name]
        into.append(value if in_quotes or not any(sign in value for sign in " \t\n") else _BREAK.join(value.split()))

    def _parameter(self, into: list[str], *, in_quotes: bool) -> None:
        """Read `${ … }` to its closing brace; only a bare name has a value that is known."""
        start = self.at + 2
        self.at = start
        while self.at < len(self.text):
            sign = self.text[self.at]
            if sign == "}":
                name = self.text[start : self.at]
                self.at += 1
                if not name:
                    raise Unparsable("bad substitution")
                if is_name(name):
                    self._value(name, into, in_quotes=in_quotes)
                elif name.endswith(("[@]", "[*]")) and name[:-3] in self.arrays:
                    into.append(_BREAK.join(self.arrays[name[:-3]]))
                else:
                    into.append(UNKNOWN)
                return
            if sign == "'" and in_quotes:
                self.at += 1
            elif sign in "\\'\"$`":
                self._piece([])
            else:
                self.at += 1
            self._step()
        raise Unparsable("${ does not end")

    def _ansi(self, into: list[str]) -> None:
        self.at += 2
        while self.at < len(self.text):
            sign = self.text[self.at]
            if sign == "'":
                self.at += 1
                return
            if sign == "\\":
                following = self.text[self.at + 1 : self.at + 2]
                into.append({"n": "\n", "t": "\t", "'": "'", '"': '"', "\\": "\\"}.get(following, UNKNOWN))
                self.at += 2
                continue
            into.append(sign)
            self.at += 1
        raise Unparsable("a quote does not end")

    def _backticks(self, *, in_quotes: bool) -> None:
        self.at += 1
        inner: list[str] = []
        while self.at < len(self.text):
            sign = self.text[self.at]
            if sign == "`":
                self.at += 1
                script = self.nested("".join(inner))
                self.found += script.commands
                # The shell looks into backticks when it runs them, not before.
                self.whole = self.whole and script.whole
                return
            if sign == "\\" and self.text[self.at + 1 : self.at + 2] in ("`", "\\", "$", '"' if in_quotes else "`"):
                self.at += 1
                sign = self.text[self.at]
            inner.append(sign)
            self.at += 1
            self._step()
        raise Unparsable("a backtick does not end")

    def _arithmetic(self, opening: str, closing: str) -> bool:
        """Read `(( … ))`; leave it and return False when its parentheses say that it is a group of groups."""
        start, depth, found = self.at, 0, len(self.found)
        self.at += len(opening)
        while self.at < len(self.text):
            sign = self.text[self.at]
            if sign in "\\'\"$`":
                self._piece([])
                continue
            if sign == "(":
                depth += 1
            elif sign == ")":
                if not depth:
                    if self._next(closing):
                        self.at += 2
                        return True
                    break
                depth -= 1
            self.at += 1
            self._step()
        self.at = start
        del self.found[found:]
        return False


def is_name(text: str) -> bool:
    return text.isidentifier() and text.isascii()


def _expanded(word: str) -> Iterator[str]:
    """Yield a word with its braces expanded: `{a,b}` gives two, a sequence is not known, other braces stay."""
    if _OPEN not in word:
        yield _plain(word)
        return
    start = word.find(_OPEN)
    depth, cuts, end = 0, [start], -1
    for place in range(start, len(word)):
        sign = word[place]
        if sign == _OPEN:
            depth += 1
        elif sign == _CLOSE:
            depth -= 1
            if not depth:
                end = place
                break
        elif sign == _COMMA and depth == 1:
            cuts.append(place)
    if end < 0 or (len(cuts) == 1 and ".." not in word[start:end]):
        yield from (_plain(word[: start + 1]) + rest for rest in _expanded(word[start + 1 :]))
        return
    cuts.append(end)
    several = len(cuts) > 2
    middles = [word[cuts[n] + 1 : cuts[n + 1]] for n in range(len(cuts) - 1)] if several else [UNKNOWN]
    for middle in middles:
        for inner in _expanded(middle):
            for rest in _expanded(word[end + 1 :]):
                yield _plain(word[:start]) + inner + rest


def _plain(text: str) -> str:
    for mark, sign in _PLAIN.items():
        text = text.replace(mark, sign)
    return text
