"""A command line read as the shell reads it: the simple commands in it, with their words, redirections and folder.

Quotes, here-documents, comments, continuations, substitutions and compound commands are parsed, not searched for, and
whether a line is valid agrees with `bash -n`. Literal variables, `cd` and the values of a `for` are followed; what only
running it would tell is `UNKNOWN`. This file has the grammar of commands; `shell_words`, `shell_redirections` and
`shell_conditions` read what commands are made of. Imports nothing else: a hook runs it before a tool does.
"""

from __future__ import annotations

from tenure.guards.shell_conditions import Conditions
from tenure.guards.shell_cursor import ENDS
from tenure.guards.shell_redirections import Redirections
from tenure.guards.shell_script import UNKNOWN, Script, Simple, Unparsable, joined, plain
from tenure.guards.shell_words import MOST_DEPTH, RESERVED

__all__ = ["UNKNOWN", "Script", "Simple", "Unparsable", "joined", "parse", "plain"]

MOST_CHARACTERS = 60_000
MOST_VALUES = 12
# Words that begin no command: they end a list, and whoever began the list says which of them it waits for.
_CLOSERS = frozenset(("then", "do", "done", "fi", "else", "elif", "esac", "in", "}", "]]"))
_OPENERS = frozenset(("if", "while", "until", "for", "case", "select", "function", "{", "[[", "!", "time", "coproc"))
_DECLARING = frozenset(("export", "local", "declare", "typeset", "readonly"))


def parse(line: str, folder: str = "", depth: int = 0) -> Script:
    """Return the simple commands of a line in the order they stand; those read before an error are kept."""
    text = line.replace("\r\n", "\n")
    reader = _Reader(text, folder, depth)
    if len(text) > MOST_CHARACTERS or any(sign in text for sign in RESERVED) or depth > MOST_DEPTH:
        return Script([], valid=False, whole=False)
    try:
        reader.script()
    except (Unparsable, RecursionError):
        return Script(reader.found, valid=False, whole=False)
    return Script(reader.found, valid=True, whole=reader.whole)


class _Reader(Redirections, Conditions):
    """Recursive descent over the text; what it finds is collected while it goes."""

    def nested(self, text: str) -> Script:
        return parse(text, self.folder, self.depth + 1)

    # Lists

    def script(self) -> None:
        self.read_list(frozenset())
        if self.at < len(self.text):
            raise Unparsable(f"unexpected {self.text[self.at]!r}")
        self.read_bodies()

    def read_list(self, until: frozenset[str], *, closing: str = "") -> bool:
        """Read commands up to one of the words or the closing sign, which is left; return whether there were any."""
        some = False
        while True:
            self._blank_lines()
            if self._ended(until, closing):
                return some
            self._and_or()
            some = True
            self._spaces()
            if self._separator():
                self.at += 1
            elif not self._next("\n"):
                self._blank_lines()
                if self._ended(until, closing):
                    return some
                raise Unparsable("a command does not end")

    def _separator(self) -> bool:
        return (self._next("&") and not self._next("&&")) or (
            self._next(";") and not self._next(";;") and not self._next(";&")
        )

    def _ended(self, until: frozenset[str], closing: str) -> bool:
        if self.at >= len(self.text) or (closing and self._next(closing)):
            return True
        if self._next(";;") or self._next(";&"):
            if ";;" in until:
                return True
            raise Unparsable("unexpected ;;")
        word = self._peek()
        if word in until:
            return True
        if word in _CLOSERS:
            raise Unparsable(f"unexpected {word}")
        return False

    def _and_or(self) -> None:
        self._pipeline()
        while True:
            self._spaces()
            if not (self._next("&&") or self._next("||")):
                return
            self.at += 2
            self._blank_lines()
            self._pipeline()

    def _pipeline(self) -> None:
        self._spaces()
        while (word := self._peek()) in ("!", "time"):
            self.at += len(word)
            self._spaces()
            if word == "time" and self._peek() == "-p":
                self.at += 2
                self._spaces()
            if self.at >= len(self.text) or self.text[self.at] in "\n;&|)":
                if word == "time" or self._next("\n") or self._next(";") or self.at >= len(self.text):
                    return
                raise Unparsable(f"nothing after {word}")
        before, start = self.folder, len(self.found)
        self._command()
        self._spaces()
        piped = False
        while self._next("|") and not self._next("||"):
            self.at += 2 if self._next("|&") else 1
            piped = True
            self._blank_lines()
            printing = self.found[-1] if len(self.found) > start else None
            start = len(self.found)
            self._command()
            self._spaces()
            for simple in self.found[start:]:
                simple.source = simple.source or printing
        if piped:
            # Every part of a pipeline is a process of its own.
            self.folder = before

    # Commands

    def _command(self) -> None:
        self._step()
        self._spaces()
        if self._next("((") and self._arithmetic("((", "))"):
            self._redirections([], [])
            return
        if self._next("("):
            self._group()
            return
        word = self._peek()
        if word in _CLOSERS:
            raise Unparsable(f"unexpected {word}")
        if word in _OPENERS and word not in ("!", "time"):
            self.at += len(word)
            getattr(self, _COMPOUND[word])()
            return
        self._simple()

    def _group(self) -> None:
        """Read `( … )`."""
        self.at += 1
        self._inside(")")
        self._after()

    def _braces(self) -> None:
        self._body("}")
        self._after()

    def _body(self, end: str) -> None:
        """Read a list that may not be empty, and its closing word."""
        if not self.read_list(frozenset((end,))):
            raise Unparsable(f"nothing before {end}")
        self._word_is(end)

    def _if(self) -> None:
        self._need(frozenset(("then",)))
        self._word_is("then")
        self._need(frozenset(("elif", "else", "fi")))
        while self._peek() == "elif":
            self.at += 4
            self._need(frozenset(("then",)))
            self._word_is("then")
            self._need(frozenset(("elif", "else", "fi")))
        if self._peek() == "else":
            self.at += 4
            self._need(frozenset(("fi",)))
        self._word_is("fi")
        self._after()

    def _while(self) -> None:
        self._need(frozenset(("do",)))
        self._word_is("do")
        self._body("done")
        self._after()

    def _for(self) -> None:
        self._spaces()
        if self._next("(("):
            if not self._arithmetic("((", "))"):
                raise Unparsable("for (( does not end")
            self._spaces()
            if self._next(";"):
                self.at += 1
            self._blank_lines()
            if self._peek() == "{":
                self.at += 1
                self._braces()
                return
            self._word_is("do")
            self._body("done")
            self._after()
            return
        name = self._name()
        self._blank_lines()
        values: list[str] | None = None
        if self._peek() == "in":
            self.at += 2
            values = []
            while True:
                self._spaces()
                if self.at >= len(self.text) or self.text[self.at] in "\n;":
                    break
                if self.text[self.at] in ENDS and not self._substitutes():
                    raise Unparsable("unexpected sign in for")
                values += self._word()
            if self.at >= len(self.text):
                raise Unparsable("for does not end")
            self.at += 1 if self._next(";") else 0
        elif self._next(";"):
            self.at += 1
        self._blank_lines()
        end = "done"
        if self._peek() == "{":
            self.at += 1
            end = "}"
        else:
            self._word_is("do")
        self._for_each(name, values, end)
        self._after()

    def _for_each(self, name: str, values: list[str] | None, end: str) -> None:
        """Read the body once for each value that is known, so that each command is seen with its words."""
        start = self.at
        known = [value for value in values or () if UNKNOWN not in value]
        if not known or len(known) != len(values or ()) or len(known) > MOST_VALUES:
            known = [UNKNOWN]
        for value in known:
            self.at = start
            self.variables[name] = value
            self._body(end)
        self.variables.pop(name, None)

    def _case(self) -> None:
        self._spaces()
        if not self._word():
            raise Unparsable("case of nothing")
        self._blank_lines()
        self._word_is("in")
        while True:
            self._blank_lines()
            if self._peek() == "esac":
                break
            if self._next("("):
                self.at += 1
            self._pattern()
            self.read_list(frozenset((";;", "esac")))
            if self._next(";;&"):
                self.at += 3
            elif self._next(";;") or self._next(";&"):
                self.at += 2
            elif self._peek() != "esac":
                raise Unparsable("a case does not end")
        self._word_is("esac")
        self._after()

    def _pattern(self) -> None:
        while True:
            self._spaces()
            if self.at >= len(self.text) or self.text[self.at] in ENDS:
                raise Unparsable("a case without pattern")
            self._word()
            self._spaces()
            if self._next("|"):
                self.at += 1
                continue
            self._take(")")
            return

    def _function(self) -> None:
        self._spaces()
        self._word()
        self._spaces()
        if self._next("("):
            self.at += 1
            self._spaces()
            self._take(")")
        self._function_body()

    def _function_body(self) -> None:
        self._blank_lines()
        if not (self._next("(") or self._peek() in _OPENERS - {"function", "!", "time", "coproc"}):
            raise Unparsable("a function without body")
        folder, variables, arrays = self.folder, dict(self.variables), dict(self.arrays)
        # What a function is given is not known where it is defined.
        self.arrays.pop("@", None)
        self._command()
        self.folder, self.variables, self.arrays = folder, variables, arrays

    def _coproc(self) -> None:
        self._command()

    def _condition(self) -> None:
        """Read `[[ … ]]`: an expression, not a command."""
        self._expression()
        self._spaces()
        if not self._next("]]"):
            raise Unparsable("[[ does not end")
        self.at += 2
        self._after()

    def _after(self) -> None:
        """Read the redirections behind a compound command; they are those of a command without words."""
        targets: list[tuple[str, str]] = []
        self._redirections(targets, [])
        if targets:
            self.found.append(Simple([], targets, self.folder, None))

    def _simple(self) -> None:
        words: list[str] = []
        assigned: list[tuple[str, str]] = []
        targets: list[tuple[str, str]] = []
        bodies: list[str] = []
        start = self.at
        # What is substituted inside the words runs first, so it is found first.
        while True:
            self._step()
            self._spaces()
            if self._redirections(targets, bodies):
                continue
            if self.at >= len(self.text) or (self.text[self.at] in ENDS and not self._substitutes()):
                break
            name, value = self._assignment() if not words or words[0] in _DECLARING else ("", "")
            if name:
                assigned.append((name, value))
                continue
            words += self._word()
            if len(words) == 1 and self._defines():
                return
        if self.at == start:
            raise Unparsable(f"unexpected {self.text[self.at : self.at + 1]!r}")
        if self._next("("):
            raise Unparsable("unexpected (")
        if not words or words[0] in _DECLARING:
            self.variables.update(assigned)
        if words or targets:
            simple = Simple(words, targets, self.folder, None)
            self.found.append(simple)
            if bodies:
                # A here-document stands further down; what it holds is put in when it is read.
                self.waiting_for(simple, bodies)
            self._moves(words)
            if words[:2] == ["set", "--"]:
                self.arrays["@"] = words[2:]

    def _defines(self) -> bool:
        """Read `name() …` when the first word turns out to be a function's name."""
        self._spaces()
        if not self._next("("):
            return False
        self.at += 1
        self._spaces()
        self._take(")")
        self._function_body()
        return True

    def _moves(self, words: list[str]) -> None:
        """Follow `cd`, so that a relative path is known for what it is."""
        if not words or words[0] not in ("cd", "pushd"):
            return
        to = [word for word in words[1:] if word == "-" or not word.startswith("-")]
        self.folder = joined(self.folder, to[0]) if len(to) == 1 and to[0] not in ("-", "~", "") else UNKNOWN

    def _need(self, until: frozenset[str]) -> None:
        if not self.read_list(until):
            raise Unparsable("an empty list")


_COMPOUND = {
    "{": "_braces", "if": "_if", "while": "_while", "until": "_while", "for": "_for", "select": "_for",
    "case": "_case", "function": "_function", "[[": "_condition", "coproc": "_coproc",
}  # fmt: skip
