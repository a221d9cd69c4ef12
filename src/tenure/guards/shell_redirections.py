"""Redirections of a command line: where output goes, what is read, and the here-documents further down."""

from __future__ import annotations

from tenure.guards.shell_cursor import ENDS, Body
from tenure.guards.shell_script import Simple, Unparsable
from tenure.guards.shell_words import Words, is_name

# What a redirection may begin with.
_BEGINNINGS = frozenset("<>&{0123456789")


class Redirections(Words):
    """Reads redirections and here-documents."""

    def _redirections(self, targets: list[tuple[str, str]], bodies: list[str]) -> bool:
        any_found = False
        while True:
            self._spaces()
            start = self.at
            if self.text[start : start + 1] not in _BEGINNINGS:
                return any_found
            while self.at < len(self.text) and self.text[self.at].isdigit():
                self.at += 1
            if self.at == start and self._next("{"):
                end = self.text.find("}", self.at)
                after = self.text[end + 1 : end + 2]
                if end > 0 and after in ("<", ">") and is_name(self.text[self.at + 1 : end]):
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
            if self.at >= len(self.text) or (self.text[self.at] in ENDS and not self._substitutes()):
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
        while self.at < len(self.text) and self.text[self.at] not in ENDS:
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

    def read_bodies(self) -> None:
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
            if isinstance(owner, Body):
                owner.simple.stdin = body
            if not quoted and ("$(" in body or "`" in body):
                self._substituted_in(body)

    def _substituted_in(self, body: str) -> None:
        """Find the commands that an unquoted here-document runs while it is read."""
        inner = type(self)(body, self.folder, self.depth + 1)
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

    def waiting_for(self, simple: Simple, bodies: list[str]) -> None:
        for n, (delimiter, quoted, tabs, owner) in enumerate(self.waiting):
            if owner is bodies:
                self.waiting[n] = (delimiter, quoted, tabs, Body(simple))
        if bodies:
            simple.stdin = bodies[-1]
