"""`[[ … ]]` of a command line: an expression with its own grammar, in which nothing runs but substitutions."""

from __future__ import annotations

from tenure.guards.shell_script import Unparsable
from tenure.guards.shell_words import Words

_TESTS = frozenset("-a -b -c -d -e -f -g -h -k -n -o -p -r -s -t -u -v -w -x -z -G -L -N -O -R -S".split())


class Conditions(Words):
    """Reads the expression between `[[` and `]]`."""

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
