"""Every recorded case is either tested in this folder or on the list of those that need the engine."""

from __future__ import annotations

from . import samples

# Kinds whose cases are parameters of a test here.
TESTED = {"schema", "retrieval", "extraction", "application"}
# Kinds that move memories between states; their cases wait in cases/ for the engine.
NEED_THE_ENGINE = {"transition", "review-outcome", "decay"}


def test_no_recorded_case_is_forgotten() -> None:
    """A case that is copied here and never run would only look like a test."""
    kinds = {samples.case(path.stem)["kind"] for path in samples.CASES.glob("*.json")}
    assert kinds == TESTED | NEED_THE_ENGINE


def test_the_list_of_waiting_cases_is_complete() -> None:
    """cases/README.md names each waiting case once."""
    text = (samples.CASES / "README.md").read_text("utf-8")
    waiting = [case["name"] for kind in NEED_THE_ENGINE for case in samples.cases(kind)]
    assert sorted(waiting) == sorted(line.split("`")[1] for line in text.splitlines() if line.startswith("| `"))
