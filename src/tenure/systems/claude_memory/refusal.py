"""The error block the original prints: a name on the first line, then `key: value` lines, then what to do."""

from __future__ import annotations

from collections.abc import Iterable

from tenure.model.errors import TenureError
from tenure.systems.claude_memory.schema import FieldProblem

# What the generic commands exit with; the drop-in exits with 1 for all of them, as the original does.
EXIT_STATUS = {
    "VALIDATION_ERROR": 2,
    "INPUT_ERROR": 2,
    "PATH_ERROR": 2,
    "OCC_CONFLICT": 4,
    "LOCK_TIMEOUT_ERROR": 5,
    "READ_ERROR": 5,
}
REFUSED = 3
MAX_PROBLEMS = 50


class Refusal(TenureError):
    """A write that a rule of claude-memory refuses, under the name the original gives it."""

    def __init__(self, code: str, fix: str, **details: object) -> None:
        super().__init__("; ".join(f"{key}: {value}" for key, value in details.items()), hint=fix)
        self.code = code
        self.exit_status = EXIT_STATUS.get(code, REFUSED)
        self.lines = [(key, value) for key, value in [*details.items(), ("fix", fix)]]

    def block(self) -> str:
        """Return the lines as the original prints them."""
        return "\n".join([self.code, *(f"{key}: {_one_line(value)}" for key, value in self.lines)])


def invalid(problems: Iterable[FieldProblem]) -> Refusal:
    """Return the refusal of a record, naming every field, what was found and what was expected."""
    problems = list(problems)
    refusal = Refusal("VALIDATION_ERROR", "Correct the fields named above.")
    refusal.field = problems[0].field
    refusal.message = "; ".join(f"{p.field}: found {p.found}, expected {p.expected}" for p in problems[:5])
    refusal.lines = [
        pair
        for problem in problems[:MAX_PROBLEMS]
        for pair in (
            ("field", problem.field),
            ("expected", problem.expected),
            ("got", problem.found),
            ("fix", f"Correct the value for '{problem.field}'"),
        )
    ]
    return refusal


def _one_line(value: object) -> str:
    # Arguments that are not UTF-8 arrive as surrogates, which no stream can print.
    text = str(value).encode("utf-8", "replace").decode("utf-8")
    return text.replace("\r", "\\r").replace("\n", "\\n")
