"""Every recorded case is run by a test of this folder."""

from __future__ import annotations

from . import samples

# Kinds whose cases are parameters of a test here.
TESTED = {"schema", "retrieval", "extraction", "application", "transition", "review-outcome", "decay"}


def test_no_recorded_case_is_forgotten() -> None:
    """A case that is copied here and never run would only look like a test."""
    assert {samples.case(path.stem)["kind"] for path in samples.CASES.glob("*.json")} == TESTED
