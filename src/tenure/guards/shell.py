"""A command line read as the shell reads it: the simple commands in it, with their words, redirections and folder.

Quotes, here-documents, comments, continuations, substitutions and compound commands are parsed, not searched for, and
whether a line is valid agrees with `bash -n`. Literal variables, `cd` and the values of a `for` are followed; what only
running it would tell is `UNKNOWN`. Imports nothing: a hook runs it before a tool does.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

# Stands in a word for what is not known before the line runs.
UNKNOWN = "\0"
MOST_CHARACTERS = 60_000
# A line is given up, not waited for.
MOST_STEPS = 400_000
MOST_DEPTH = 40
MOST_VALUES = 12
MOST_WORDS = 64
# Unquoted signs that still mean something when the word is complete.
_BREAK, _OPEN, _COMMA, _CLOSE = "\1", "\2", "\3", "\4"
_MARKS = {"{": _OPEN, ",": _COMMA, "}": _CLOSE}
_PLAIN = {_OPEN: "{", _COMMA: ",", _CLOSE: "}"}
_SPACES = " \t\r"
_ENDS = " \t\n;&|<>()"
# Words that end a list; whoever began the list says which of them it waits for.
_CLOSERS = frozenset(("then", "do", "done", "fi", "else", "elif", "esac", "}", "]]"))
_OPENERS = frozenset(("if", "while", "until", "for", "case", "select", "function", "{", "[[", "!", "time", "coproc"))
_DECLARING = frozenset(("export", "local", "declare", "typeset", "readonly"))
_TESTS = frozenset("-a -b -c -d -e -f -g -h -k -n -o -p -r -s -t -u -v -w -x -z -G -L -N -O -R -S".split())


class Unparsable(ValueError):
    """The line is none that a shell would take, or too large to be read."""


class Simple:
    """One simple command: its words without quotes, where output and input go, and the folder it runs in."""

    __slots__ = ("folder", "redirects", "stdin", "words")

    def __init__(self, words: list[str], redirects: list[tuple[str, str]], folder: str, stdin: str | None) -> None:
        self.words, self.redirects, self.folder, self.stdin = words, redirects, folder, stdin

    @property
    def program(self) -> str:
        """The program's name without its folder, empty when only redirections or assignments stand there."""
        return self.words[0].rsplit("/", 1)[-1] if self.words else ""

    def __repr__(self) -> str:
        return f"Simple({self.words!r}, {self.redirects!r}, {self.folder!r})"


class Script:
    """What a line holds: `valid` as `bash -n` sees it, and `whole` when nothing in it had to be passed over."""

    __slots__ = ("commands", "valid", "whole")

    def __init__(self, commands: list[Simple], *, valid: bool, whole: bool) -> None:
        self.commands, self.valid, self.whole = commands, valid, whole


def parse(line: str, folder: str = "", depth: int = 0) -> Script:
    """Return the simple commands of a line in the order they stand; those read before an error are kept."""
    text = line.replace("\r\n", "\n")
    reader = _Reader(text, folder, depth)
    if len(text) > MOST_CHARACTERS or any(sign in text for sign in "\0\1\2\3\4") or depth > MOST_DEPTH:
        return Script([], valid=False, whole=False)
    try:
        reader.script()
    except (Unparsable, RecursionError):
        return Script(reader.found, valid=False, whole=False)
    return Script(reader.found, valid=True, whole=reader.whole)


class _Reader:
    """Recursive descent over the text; what it finds is collected while it goes."""

    def __init__(self, text: str, folder: str, depth: int) -> None:
        self.text, self.at, self.folder, self.depth = text, 0, folder, depth
        self.found: list[Simple] = []
        self.variables: dict[str, str] = {}
        self.waiting: list[tuple[str, bool, bool, list[str]]] = []
        self.whole = True
        self.steps = 0

    # Lists

    def script(self) -> None:
        self._list(frozenset())
        if self.at < len(self.text):
            raise Unparsable(f"unexpected {self.text[self.at]!r}")
        self._bodies()

    def _list(self, until: frozenset[str], *, closing: str = "") -> bool:
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
        before = self.folder
        self._command()
        self._spaces()
        piped = False
        while self._next("|") and not self._next("||"):
            self.at += 2 if self._next("|&") else 1
            piped = True
            self._blank_lines()
            self._command()
            self._spaces()
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

    def _inside(self, closing: str) -> None:
        folder, variables = self.folder, dict(self.variables)
        self.depth += 1
        if self.depth > MOST_DEPTH:
            raise Unparsable("too deep")
        if not self._list(frozenset(), closing=closing):
            raise Unparsable("nothing between the parentheses")
        self._take(closing)
        self.depth -= 1
        self.folder, self.variables = folder, variables

    def _braces(self) -> None:
        self._body("}")
        self._after()

    def _body(self, end: str) -> None:
        """Read a list that may not be empty, and its closing word."""
        if not self._list(frozenset((end,))):
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
                if self.text[self.at] in _ENDS and not self._substitutes():
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
        known = [value for value in values or () if UNKNOWN not in value and not set("*?[") & set(value)]
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
            self._list(frozenset((";;", "esac")))
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
            if self.at >= len(self.text) or self.text[self.at] in _ENDS:
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
        folder, variables = self.folder, dict(self.variables)
        self._command()
        self.folder, self.variables = folder, variables

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

    def _expression(self) -> None:
        self._term()
        while True:
            self._blank_lines(comments=False)
            if not (self._next("&&") or self._next("||")):
                return
            self.at += 2
            self._term()

    def _term(self) -> None:
        self._blank_lines(comments=False)
        if self._next("!") and self.text[self.at + 1 : self.at + 2] in (" ", "\t", "\n"):
            self.at += 1
            self._term()
            return
        if self._next("("):
            self.at += 1
            self._expression()
            self._blank_lines(comments=False)
            self._take(")")
            return
        first = self._operand()
        self._blank_lines(comments=False)
        if first in _TESTS and not self._next("]]") and not self._binary():
            self._operand()
            return
        if operator := self._binary():
            self.at += len(operator)
            if operator == "=~":
                self._regex()
            else:
                self._blank_lines(comments=False)
                self._operand()
        elif not (self._next("]]") or self._next("&&") or self._next("||") or self._next(")")):
            raise Unparsable("unexpected word in [[")

    def _binary(self) -> str:
        if self._next("&&") or self._next("||"):
            return ""
        if self._next("<") or self._next(">"):
            return self.text[self.at]
        word = self._peek()
        names = ("=~", "==", "!=", "=", "-eq", "-ne", "-lt", "-le", "-gt", "-ge", "-nt", "-ot", "-ef")
        return word if word in names else ""

    def _operand(self) -> str:
        if self.at >= len(self.text) or self.text[self.at] in ";&|)" or self._peek() == "]]":
            raise Unparsable("[[ without operand")
        words = self._word(glob_parens=True)
        return words[0] if words else ""

    def _regex(self) -> None:
        self._spaces()
        start, depth = self.at, 0
        while self.at < len(self.text):
            sign = self.text[self.at]
            if sign in "'\"\\$`":
                self._piece([])
                continue
            if sign == "(":
                depth += 1
            elif sign == ")":
                if not depth:
                    break
                depth -= 1
            elif sign in " \t\n" and not depth:
                break
            self.at += 1
        if self.at == start or depth:
            raise Unparsable("=~ without a pattern")

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
            if self.at >= len(self.text) or (self.text[self.at] in _ENDS and not self._substitutes()):
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

    def waiting_for(self, simple: Simple, bodies: list[str]) -> None:
        for n, (delimiter, quoted, tabs, owner) in enumerate(self.waiting):
            if owner is bodies:
                self.waiting[n] = (delimiter, quoted, tabs, _Body(simple))
        if bodies:
            simple.stdin = bodies[-1]

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

    # Redirections

    def _redirections(self, targets: list[tuple[str, str]], bodies: list[str]) -> bool:
        any_found = False
        while True:
            self._spaces()
            start = self.at
            while self.at < len(self.text) and self.text[self.at].isdigit():
                self.at += 1
            if self.at == start and self._next("{"):
                end = self.text.find("}", self.at)
                after = self.text[end + 1 : end + 2]
                if end > 0 and after in ("<", ">") and _is_name(self.text[self.at + 1 : end]):
                    self.at = end + 1
            operator = self._operator()
            if not operator:
                self.at = start
                return any_found
            any_found = True
            self.at += len(operator)
            self._spaces()
            if operator in ("<<", "<<-"):
                delimiter, quoted = self._delimiter()
                self.waiting.append((delimiter, quoted, operator == "<<-", bodies))
                bodies.append("")
                continue
            if self.at >= len(self.text) or (self.text[self.at] in _ENDS and not self._substitutes()):
                raise Unparsable(f"nothing after {operator}")
            number = self.at
            words = self._word()
            if self.text[number : self.at].isdigit() and self.text[self.at : self.at + 1] in ("<", ">"):
                raise Unparsable(f"nothing after {operator}")
            target = words[0] if words else ""
            if operator == "<<<":
                bodies.append(target)
            elif not (operator in (">&", "<&") and (target.isdigit() or target in ("-", ""))):
                targets.append((operator, target))

    def _operator(self) -> str:
        if self._next("&>"):
            return "&>>" if self._next("&>>") else "&>"
        if self._next("<(") or self._next(">("):
            return ""
        for operator in ("<<<", "<<-", "<<", "<>", "<&", ">>", ">&", ">|", "<", ">"):
            if self._next(operator):
                return operator
        return ""

    def _delimiter(self) -> tuple[str, bool]:
        start = self.at
        while self.at < len(self.text) and self.text[self.at] not in _ENDS:
            sign = self.text[self.at]
            if sign in "'\"":
                end = self.text.find(sign, self.at + 1)
                if end < 0:
                    raise Unparsable("a quote does not end")
                self.at = end + 1
            else:
                self.at += 2 if sign == "\\" else 1
        raw = self.text[start : self.at]
        if not raw:
            raise Unparsable("a here-document without name")
        bare = raw.replace("'", "").replace('"', "").replace("\\", "")
        return bare, bare != raw

    def _bodies(self) -> None:
        """Read the here-documents that wait for the end of this line."""
        waiting, self.waiting = self.waiting, []
        for delimiter, quoted, tabs, owner in waiting:
            lines: list[str] = []
            while self.at < len(self.text):
                end = self.text.find("\n", self.at)
                end = len(self.text) if end < 0 else end
                line = self.text[self.at : end]
                self.at = min(end + 1, len(self.text))
                line = line.lstrip("\t") if tabs else line
                if line == delimiter:
                    break
                # Inside `$( … )` the name may be followed by what closes it.
                if self.depth and line.startswith(delimiter) and line[len(delimiter) :].strip() in (")", ')"'):
                    self.at = min(end, len(self.text)) - len(line) + len(delimiter)
                    break
                lines.append(line)
                self._step()
            body = "\n".join(lines)
            if isinstance(owner, _Body):
                owner.simple.stdin = body
            if not quoted and ("$(" in body or "`" in body):
                self._substituted_in(body)

    def _substituted_in(self, body: str) -> None:
        """Find the commands that an unquoted here-document runs while it is read."""
        inner = _Reader(body, self.folder, self.depth + 1)
        inner.variables = dict(self.variables)
        try:
            while inner.at < len(body):
                sign = body[inner.at]
                if sign in "$`":
                    inner._piece([], in_quotes=True)
                else:
                    inner.at += 2 if sign == "\\" else 1
        except (Unparsable, RecursionError):
            self.whole = False
        self.whole = self.whole and inner.whole
        self.found += inner.found

    # Words

    def _assignment(self) -> tuple[str, str]:
        """Read `name=value` when that stands here; return nothing and leave it otherwise."""
        end = self.at
        while end < len(self.text) and (self.text[end].isalnum() or self.text[end] == "_"):
            end += 1
        name = self.text[self.at : end]
        if not _is_name(name):
            return "", ""
        if self.text[end : end + 1] == "[":
            close = self.text.find("]", end)
            end = close + 1 if close > 0 and not set(self.text[end:close]) & set(" \t\n;&|") else end
        if self.text[end : end + 2] == "+=":
            end += 1
        if self.text[end : end + 1] != "=":
            return "", ""
        self.at = end + 1
        if self._next("("):
            self._array()
            return name, UNKNOWN
        if self.at >= len(self.text) or (self.text[self.at] in _ENDS and not self._substitutes()):
            return name, ""
        words = self._word(splits=False)
        return name, words[0] if words else ""

    def _array(self) -> None:
        self.at += 1
        while True:
            self._blank_lines()
            if self._next(")"):
                self.at += 1
                return
            if self.at >= len(self.text) or (self.text[self.at] in _ENDS and not self._substitutes()):
                raise Unparsable("an array does not end")
            self._word()

    def _word(self, *, splits: bool = True, glob_parens: bool = False) -> list[str]:
        """Read one word and return what it becomes: several by braces and unquoted variables, none by an empty one."""
        pieces: list[str] = []
        start = self.at
        quoted = False
        while self.at < len(self.text):
            sign = self.text[self.at]
            if sign in _ENDS and not (sign in "<>" and self._substitutes()):
                if sign == "(" and glob_parens and self.at > start and self.text[self.at - 1] in "?*+@!":
                    self._parens()
                    pieces.append(UNKNOWN)
                    continue
                break
            quoted = quoted or sign in "'\"\\" or (sign == "$" and self.text[self.at + 1 : self.at + 2] in ("'", '"'))
            self._piece(pieces)
        if self.at == start:
            raise Unparsable(f"unexpected {self.text[self.at : self.at + 1]!r}")
        text = "".join(pieces)
        parts = text.split(_BREAK) if splits else [text.replace(_BREAK, " ")]
        found = [one for part in parts if part or quoted for one in _expanded(part)]
        return found[:MOST_WORDS]

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
            if self.text[self.at] == '"':
                self.at += 1
                return
            self._piece(into, in_quotes=True)
        raise Unparsable("a quote does not end")

    def _dollar(self, into: list[str], *, in_quotes: bool) -> None:
        following = self.text[self.at + 1 : self.at + 2]
        if following == "(":
            if self._next("$((") and self._arithmetic("$((", "))"):
                into.append(UNKNOWN)
                return
            self.at += 2
            self._substitution()
            into.append(UNKNOWN)
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
            into.append(UNKNOWN)
            self.at += 2
        else:
            into.append("$")
            self.at += 1

    def _substitution(self) -> None:
        """Read the list inside `$( … )`, which may be empty."""
        folder, variables, waiting = self.folder, dict(self.variables), self.waiting
        self.waiting = []
        self.depth += 1
        if self.depth > MOST_DEPTH:
            raise Unparsable("too deep")
        self._list(frozenset(), closing=")")
        if self.waiting:
            self._bodies()
        self._take(")")
        self.depth -= 1
        self.folder, self.variables, self.waiting = folder, variables, waiting

    def _value(self, name: str, into: list[str], *, in_quotes: bool) -> None:
        value = self.variables.get(name, UNKNOWN)
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
                if _is_name(name):
                    self._value(name, into, in_quotes=in_quotes)
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
                script = parse("".join(inner), self.folder, self.depth + 1)
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

    # Signs

    def _blank_lines(self, *, comments: bool = True) -> None:
        """Pass over blanks, ends of lines and comments; here-documents are read where their line ends."""
        while True:
            self._spaces(comments=comments)
            if not self._next("\n"):
                return
            self.at += 1
            if self.waiting:
                self._bodies()

    def _spaces(self, *, comments: bool = True) -> None:
        while self.at < len(self.text):
            if self.text[self.at] in _SPACES:
                self.at += 1
            elif self._next("\\\n"):
                self.at += 2
            elif comments and self.text[self.at] == "#":
                end = self.text.find("\n", self.at)
                self.at = len(self.text) if end < 0 else end
            else:
                return

    def _peek(self) -> str:
        """Return the plain word that stands here, empty when there is none or it is quoted in part."""
        end = self.at
        while end < len(self.text) and self.text[end] not in _ENDS:
            if self.text[end] in "'\"\\$`":
                return ""
            end += 1
        return self.text[self.at : end]

    def _word_is(self, word: str) -> None:
        self._spaces()
        if self._peek() != word:
            raise Unparsable(f"{word} is missing")
        self.at += len(word)

    def _need(self, until: frozenset[str]) -> None:
        if not self._list(until):
            raise Unparsable("an empty list")

    def _name(self) -> str:
        self._spaces()
        word = self._peek()
        if not word:
            raise Unparsable("a name is missing")
        self.at += len(word)
        self._spaces()
        return word

    def _take(self, sign: str) -> None:
        if not self._next(sign):
            raise Unparsable(f"{sign} is missing")
        self.at += len(sign)

    def _next(self, sign: str) -> bool:
        return self.text.startswith(sign, self.at)

    def _substitutes(self) -> bool:
        return self._next("<(") or self._next(">(")

    def _step(self) -> None:
        self.steps += 1
        if self.steps > MOST_STEPS:
            raise Unparsable("too long")


class _Body(list[str]):
    """Where a here-document's text goes when it is read."""

    def __init__(self, simple: Simple) -> None:
        super().__init__()
        self.simple = simple


_COMPOUND = {
    "{": "_braces", "if": "_if", "while": "_while", "until": "_while", "for": "_for", "select": "_for",
    "case": "_case", "function": "_function", "[[": "_condition", "coproc": "_coproc",
}  # fmt: skip


def joined(folder: str, path: str) -> str:
    """Return a path as seen from where the line began; unknown stays unknown."""
    if path.startswith(("/", "~")) or not folder:
        return _normal(path)
    return _normal(f"{folder}/{path}")


def _normal(path: str) -> str:
    parts: list[str] = []
    for part in path.split("/"):
        if part == ".." and parts and parts[-1] not in ("..", UNKNOWN):
            parts.pop()
        elif part not in (".", ""):
            parts.append(part)
    return ("/" if path.startswith("/") else "") + "/".join(parts)


def _is_name(text: str) -> bool:
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
