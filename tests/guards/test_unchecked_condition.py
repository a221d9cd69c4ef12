"""What a guard does not check of the rule it was read off, so that nobody switches on more than they meant."""

from __future__ import annotations

import pytest

from tenure.guards.derive import derive
from tenure.guards.unchecked_condition import unchecked


@pytest.mark.parametrize(
    ("rule", "left"),
    [
        ("Never run `git push --force` against production branches", "against production branches"),
        ("Do not run `terraform apply` on the live account: ask ops first", "on the live account"),
        ("Never run `npm install` in `packages/core`, use pnpm", "in packages/core"),
    ],
)
def test_the_condition_that_a_guard_cannot_see_is_named(rule: str, left: str) -> None:
    """A stranger's finding: the guard of "… against production" fired everywhere, and nothing said so."""
    found = derive(rule)
    assert found is not None
    assert unchecked(found.because, found.guard) == left


@pytest.mark.parametrize(
    "rule",
    [
        "Never run `git push --force`",
        "Never edit files under `gen/` by hand: `make gen` writes them",
        "Never push directly to main",
        "Use pnpm instead of npm",
        "Never commit `.env` to git",
        "Never run `git commit` without asking",
    ],
)
def test_a_rule_without_a_condition_leaves_nothing_out(rule: str) -> None:
    """A choice of our own: a line that is always there is not read."""
    found = derive(rule)
    assert found is not None
    assert unchecked(found.because, found.guard) == ""
