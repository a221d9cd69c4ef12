"""Claim extraction: recorded readings of the seed, and what must not be a claim."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tenure.audit import blocks, claims
from tests.text.test_redact import growth

CASES = json.loads((Path(__file__).parent / "cases/claims.json").read_text("utf-8"))["cases"]


def found(text: str) -> set[tuple[str, str]]:
    return {(claim.kind, claim.text) for claim in claims.extract(text)}


@pytest.mark.parametrize("case", CASES, ids=lambda case: case["id"])
def test_a_recorded_text_gives_its_claims(case: dict[str, Any]) -> None:
    """Recorded readings of the seed's table of heuristics."""
    said = found(case["text"])
    for kind, spelling in case["must"]:
        spellings = spelling if isinstance(spelling, list) else [spelling]
        assert any((kind, each) in said for each in spellings)
    assert not said & {(kind, text) for kind, text in case["must_not"]}


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("See docs/setup.md for more.", {("file", "docs/setup.md")}),
        ("The loader is `src/app/main.py:42`.", {("file", "src/app/main.py"), ("line", "src/app/main.py:42")}),
        ("Edit `config.toml`.", {("file", "config.toml")}),
        ("`tests/test_a.py::test_login`", {("file", "tests/test_a.py"), ("symbol", "test_login")}),
        ("[guide](docs/a.md#start)", {("file", "docs/a.md"), ("anchor", "docs/a.md#start")}),
        ("Everything under `src/**/*.ts`.", {("file", "src/**/*.ts")}),
        ("Call `UserService.findAll()`.", {("symbol", "UserService.findAll")}),
        ("Use `MAX_RETRIES`.", {("symbol", "MAX_RETRIES")}),
        ("on the `develop` branch", {("branch", "develop")}),
        ("`git checkout release/1.0`", {("branch", "release/1.0")}),
        ("Merge `feature/login` soon.", {("branch", "feature/login")}),
        ("We depend on `requests`.", {("package", "requests")}),
        ("the `@scope/thing` package", {("package", "@scope/thing")}),
        ("`pip install httpx[http2]==0.27 rich`", {("package", "httpx"), ("package", "rich")}),
        ("`make lint test`", {("command", "make lint"), ("command", "make test")}),
        ("`npm run build -- --prod`", {("command", "npm run build")}),
        ("`just deploy staging`", {("command", "just deploy")}),
        ("`bash scripts/deploy.sh prod`", {("file", "scripts/deploy.sh")}),
        ("```sh\n$ make all # everything\n```", {("command", "make all")}),
        ("See https://x.test/a_(b).", {("url", "https://x.test/a_(b)")}),
    ],
)
def test_what_can_be_checked_is_a_claim(text: str, expected: set[tuple[str, str]]) -> None:
    """Seed, claim extraction heuristics, and the commands of our own contract."""
    assert found(text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("It depends on the package left-pad.", {("package", "left-pad")}),
        ("`zod` is a runtime dependency.", {("package", "zod")}),
        (
            "Dependencies: `requests`, `httpx` and `rich`",
            {("package", "requests"), ("package", "httpx"), ("package", "rich")},
        ),
        ("Add `zod` to package.json.", {("package", "zod")}),
        ("Install `structlog` with pip.", {("package", "structlog")}),
        ("It requires `numpy>=1.20` and `express@4`.", {("package", "numpy"), ("package", "express")}),
        ("Add `zod` to the dependencies.", {("package", "zod")}),
        ("Use the branch named payments.", {("branch", "payments")}),
        ("Work on branch payments-v2 now.", {("branch", "payments-v2")}),
        ("`git pull origin release/9`", {("branch", "release/9")}),
        ("CI is .github/workflows/ci.yml today.", {("file", ".github/workflows/ci.yml")}),
    ],
)
def test_a_plain_naming_of_a_thing_is_a_claim_that_must_hold(text: str, expected: set[tuple[str, str]]) -> None:
    """Seed, claim heuristics: a package in its context, a branch after the word, a path with an extension."""
    assert found(text) == expected
    assert not any(claim.tentative for claim in claims.extract(text))


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("We use the package express for routing.", {("package", "express")}),
        ("dependency: pydantic", {("package", "pydantic")}),
        ("We depend on lodash.", {("package", "lodash")}),
        ("Run pip install structlog before.", {("package", "structlog")}),
        ("On branch payments, rebase.", {("branch", "payments")}),
    ],
)
def test_a_bare_word_beside_package_or_branch_is_a_tentative_claim(text: str, expected: set[tuple[str, str]]) -> None:
    """Seed: in dependency or package context, after the word branch; a bare word is broken only if history knew it."""
    assert found(text) == expected
    assert all(claim.tentative for claim in claims.extract(text))


@pytest.mark.parametrize(
    "text",
    [
        "Use a database and keep client/server apart, and/or ask.",
        "Node.js/Express.js and `Next.js` are fine.",
        "`true`, `main`, `pytest` and `camelCase` are words.",
        "Put it into `path/to/file.py` or `<name>.py` or `{module}/x.py`.",
        "Branch coverage matters; branch often.",
        "The package is small. Install the package first.",
        "The package handles routing, the dependency injection container is ours, and library code stays put.",
        "We rely on branch protection; one branch per-ticket.",
        "`/etc/hosts`, `~/.zshrc` and `$HOME/x.py` are not ours.",
        "wiki.example.com/docs/a.html without a scheme",
        "Versions 1.2/3.4 and 50% of 3/4",
        "`git checkout -b feature/new-thing`",
        "`pip install -r requirements.txt`",
        "Fix the schema `.ts` files; `Response<T>`, `geometry(Point, 4326)`, `/api/v1`, `strict: true`.",
    ],
)
def test_a_generic_phrase_is_not_a_claim(text: str) -> None:
    """Seed: skip generic descriptions that are not verifiable."""
    assert found(text) == set()


@pytest.mark.parametrize(
    "text",
    [
        "`console.log`",
        "NEVER enable `noImplicitThing`",
        "`os.path_like`, e.g. `my_helper`",
        "`src/server`",
        "`owner/repo`",
    ],
)
def test_a_name_that_may_be_no_claim_is_tentative(text: str) -> None:
    """Our choice: such a name counts only when the project has or had it."""
    assert all(claim.tentative for claim in claims.extract(text))


def test_a_symbol_is_said_to_be_in_the_file_named_beside_it() -> None:
    """Our choice: that is how a moved function is noticed."""
    texts = (
        "`load_all()` in `src/a.py`",
        "`load_all` is defined in src/a.py",
        "`src/a.py` defines `load_all`",
    )
    for text in texts:
        symbol = next(claim for claim in claims.extract(text) if claim.kind == "symbol")
        assert symbol.within == "src/a.py", text


def test_a_branch_at_the_end_of_a_sentence_stands_where_it_says() -> None:
    """Repairs rely on the positions, so the full stop is no part of the claim."""
    text = "Work on branch feature/login."
    (claim,) = claims.extract(text)
    assert text[claim.start : claim.end] == claim.text == "feature/login"


def test_a_sentence_that_says_it_is_gone_excuses_its_claims_only() -> None:
    """Our choice: absence breaks nothing there; the next sentence is held to its word."""
    first, second = claims.extract("`old_name` was removed. `new_name` stays.")
    assert (first.excused, second.excused) == (True, False)


@given(st.text(st.sampled_from("`ab_/.:[]()# \n-@*\"'branchmake"), max_size=200) | st.text(max_size=200))
def test_any_text_is_read_and_every_claim_stands_where_it_says(text: str) -> None:
    """GUARANTEES S18: parsers never raise; repairs rely on the positions."""
    for claim in claims.extract(text):
        written = text[claim.start : claim.end]
        assert written == claim.text or (claim.kind == "command" and claim.text.endswith(written))
        assert text.count("\n", 0, claim.start) == claim.line - 1


def test_a_line_is_read_up_to_its_limit() -> None:
    """GUARANTEES S17: the work per line is bounded, whatever a file holds."""
    assert found("x" * blocks.MAX_LINE + " `src/a.py`\n`src/b.py`") == {("file", "src/b.py")}
    assert len(claims.extract("`src/a.py`\n" * 5_000)) <= claims.MAX_CLAIMS + 1


@pytest.mark.parametrize(
    "line",
    ["- " + "0" * 1500 + " `src/a.py`", "`" * 1500, "<" * 1500, "a " * 750, "=" * 1500, "~~~" + " " * 1500 + "x"],
)
def test_twice_the_lines_take_about_twice_the_time(line: str) -> None:
    """GUARANTEES S17: within its limit a line can take long, and no line makes another one slower.

    Each line of a sample was looked at once for every line of it.
    """
    assert growth(claims.extract, f"{line}\n", 20 * len(line)) <= 3.2
