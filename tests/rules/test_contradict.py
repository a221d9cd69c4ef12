"""Contradictions: what is opposite is flagged, what merely shares words is not."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tenure.rules.contradict import contradictions
from tests.specimens import CONTENT, POLICY, specimen

OPPOSITE = [
    ("Use tabs for indentation", "Never use tabs for indentation"),
    ("Always run the migrations before the tests", "Do not run the migrations before the tests"),
    ("Use pnpm instead of npm for installs", "Use npm for installs"),
    ("Use npm over pnpm for installing", "Use pnpm over npm for installing"),
    ("Prefer httpx rather than requests for HTTP calls", "Make HTTP calls with requests"),
    ("The request timeout is 30 seconds", "The request timeout is 60 seconds"),
    ("Set max_connections = 20 in the pool", "Set max_connections = 50 in the pool"),
    ("The service listens on port 8080", "The service listens on port 9090"),
    ("Deploy on Fridays", "Don't deploy on Fridays"),
    ("Avoid global state in handlers", "Use global state in handlers"),
    ("Enable caching for the asset server", "Disable caching for the asset server"),
    ("Set DEBUG to true in staging", "Set DEBUG to false in staging"),
    ("Indent with 2 spaces", "Indent with 4 spaces"),
    ("Python 3.11 is required", "Python 3.12 is required"),
    ("Commit messages in English", "Commit messages must not be in English"),
    ("Use black rather than yapf for formatting", "Use yapf for formatting"),
    ("Use SQLite, not PostgreSQL, for tests", "Use PostgreSQL for tests"),
    ("timeout = 30", "timeout = 60 because the gateway waits longer"),
    ("Set LOG_LEVEL=debug in staging", "Set LOG_LEVEL=info in staging"),
    ("Set the log_level to debug in CI", "In CI set log_level to warning"),
    ("log_level is set to debug", "log_level is set to info"),
    ("Squash before merging", "Never squash, keep every commit"),
    ("Put new endpoints in src/api/v1", "New endpoints go to src/api/v2, v1 is frozen"),
    ("Fixtures live in tests/fixtures", "Keep fixtures in tests/data"),
    ("Mock the network", "Do not mock the network, use the recorder"),
    ("Set PARSER=json-lines in CI", "Set PARSER=plain-text in CI"),
    ("Set TARGET=OSX in CI", "Set TARGET=OS in CI"),
    ("Set DEBUG=true and LOG_LEVEL=debug in CI", "Set DEBUG=true and LOG_LEVEL=info in CI"),
    ("Keep builds in dist/OSX", "Builds go to dist/OS"),
    ("Commit messages shouldn't name tickets", "Commit messages name tickets"),
    ("Commit messages shouldn’t name tickets", "Commit messages name tickets"),
    ("On main, do not make commits", "On main, make commits"),
    ("In CI, do not set no_cache", "In CI, set no_cache"),
    ("Never deploy on Fridays", "Deploy on Fridays, why not"),
    ("Never use SQLite for tests", "Use SQLite, not Postgres, for tests"),
    ("Use port 8080", "Use port 9090"),
    ("2 replicas serve each shard", "3 replicas serve each shard"),
    ("Use pnpm instead of npm", "Use npm"),
    ("Use black over yapf and pnpm over npm for new packages", "Use npm for new packages"),
    ("Use black over yapf and pnpm over npm for packages", "Use black, yapf and npm for packages"),
    ("Never squash, keep every commit", "Always squash"),
    # A stranger's: "run" and "use" ask for the same.
    ("Never run npm install", "ALWAYS use npm install"),
    ("Never run npm install", "Run npm install after you pull"),
    ("Do not execute the migrations", "Run the migrations"),
    # Half of the words of both, and one forbids what the other does.
    ("On staging at night the workers never cache responses or headers", "Workers cache responses"),
    # As long as advice says at most two words more, it is about what the other forbids.
    ("Never squash merge commits, the review tool loses comments", "Squash merge commits locally first"),
    # Seven of ten words around the setting are the same.
    (
        "For alpha bravo charlie delta echo foxtrot golf hotel, limit = 30",
        "For alpha bravo charlie delta echo foxtrot golf india juliett, limit = 60",
    ),
    ("Indent with four spaces", "Indent with 2 spaces"),
    ("Commit the generated files in gen/", "Generated files in gen/ are not committed"),
    ("Cache responses of the billing API", "Responses of the billing API are never cached"),
    ("Wrap the errors of handlers", "The errors of handlers must not be wrapped"),
    ("Use tabs in Makefiles", "Use spaces in Makefiles"),
    ("Use pnpm for installing packages", "Use yarn for installing packages"),
    ("Use single quotes", "Use double quotes"),
    ("Squash before merging", "Do not squash commits"),
    # A stranger's, as two people put it: other forms of a word, "straight" for "directly", how many of what is chosen.
    ("Always run the tests before you commit", "Do not run the tests before committing; CI does"),
    ("Use tabs for indentation", "Use four spaces for indentation"),
    ("Prefer type over interface in TypeScript", "Use interfaces rather than types in TypeScript"),
    ("Never push directly to main", "Push small fixes straight to main"),
    ("Use Pydantic models for internal value objects", "Use dataclasses for internal value objects, not Pydantic"),
    ("Use snake_case for function names", "Use camelCase for function names"),
    ("Line length: 100 characters max", "Keep lines under 80 characters"),
    ("Coverage must stay at 100%", "Test coverage of 80% is enough"),
]
FORBIDS_FIRST = ["Never", "Avoid to", "Do not", "Don't", "Don’t"]
UNRELATED = [
    ("Run the tests with pytest", "Run the linter with ruff"),
    ("The request timeout is 30 seconds", "The retry timeout for uploads is 60 seconds"),
    ("Never commit secrets to the repository", "Commit the lock file to the repository"),
    ("Do not edit generated files by hand", "Regenerate the generated files with make gen"),
    ("The parser does not support comments", "Comments in the parser's tests explain the grammar"),
    ("Use tabs for indentation in Go", "Use spaces for indentation in Python, not tabs"),
    ("Restart the worker when the queue is stuck", "The queue is stuck when the worker runs out of memory"),
    ("Do not deploy on Fridays", "Deploy with the blue script on Mondays"),
    ("Always run migrations before tests", "Always run migrations before deploying"),
    ("The build takes 5 minutes on CI", "The build takes 12 minutes on a laptop"),
    ("Port 8080 is for the API", "Port 9090 is for metrics"),
    ("Use pnpm instead of npm", "Use pnpm for the monorepo"),
    ("Use pnpm instead of npm for installs", "npm installs are slow, use pnpm"),
    ("Use pnpm instead of npm for installs", "Do not use npm for installs"),
    ("Redis is not used in tests", "Redis is the cache in production"),
    ("Don't mock the database in integration tests", "Integration tests use the real database"),
    ("Never force push to main", "Do not force push to the main branch"),
    ("Avoid print debugging; use the logger", "Use the logger for debugging output"),
    ("Retry up to 3 times on upload", "Retry the upload, waiting up to 10 seconds"),
    ("The API limit is 100 per minute", "The API limit is 1000 per hour"),
    ("Set workers to 4 in production", "Set workers to 2 in staging"),
    ("Pool size is 20", "Page size is 50"),
    ("Set LOG_LEVEL=debug in staging", "Set LOG_LEVEL=info in production"),
    ("ledger-gateway is slow", "ledger-gateway is deprecated"),
    ("Set log_level to the value of the environment", "Set log_level to a name, not a number"),
    ("Without the VPN the staging database is unreachable", "Connect to the staging database with psql"),
    ("The cache is not shared between workers", "Workers share the queue and the cache is warmed at start"),
    ("Prefer composition over inheritance", "Inheritance is for exceptions only"),
    ("Tests run over the network are slow", "Run network tests on CI"),
    ("Version 2 of the API is stable", "Version 3 of the API is in beta"),
    ("See line 30 of config.py for the timeout", "See line 60 of config.py for the retries"),
    ("Step 1: drain the queue", "Step 2: restart the queue"),
    ("If the login test fails, do not rerun it; clear the session", "If the login test fails, clear the session"),
    ("The timeout of 30 seconds applies to uploads", "The timeout of 60 seconds applies to downloads"),
    ("Milestone 1 is done", "Milestone 2 is done"),
    ("Look at issue 12 for the parser", "Look at issue 13 for the parser"),
    ("Use tabs for indentation", "Use tabs for indentation"),
    ("", "Use tabs for indentation"),
    ("The timeout of ledger-gateway is 30 seconds", "The timeout of billing-api is 60 seconds"),
    ("Service 12 needs the proxy", "Service 13 needs the proxy"),
    ("Never run the migrations of ledger-gateway by hand", "Run the migrations of billing-api by hand"),
    ("Never run the tests in parallel", "Run the tests before every commit"),
    ("Never run npm install as root", "Use npm install for new packages"),
    ("Put new endpoints in src/api", "New endpoints go to src/api/v2"),
    ("Put new endpoints in src/api", "Do not put new endpoints in src/legacy"),
    ("Never commit, the hook does it", "Commit messages of the release branch name the ticket and the author"),
    # A stranger's, which agree.
    ("Never commit .env files", "Commit the .env.example file"),
    ("Do not force-push to main", "Force-push feature branches after a rebase"),
    ("Never edit generated files by hand", "Run make gen to edit the generated files"),
    ("Do not run npm run build to verify changes", "Run npm run build before pushing code"),
    # Other forms of words meet in bullets of real instruction files, which agree.
    ("A commit message has no footer", "Add an attribution or footer to commit messages"),
    ("Capture or suppress all output from tested methods", "No output in tests"),
    # Long texts that touch in passing.
    (
        "Use tabs for indentation. Makefiles, linters, editors, formatters, hooks, fixtures and snapshots agree",
        "Never use tabs for indentation. Invoices, ledgers, taxes, refunds, vouchers, customers and orders matter",
    ),
    ("Put it in src/a", "Put them in src/b"),
    ("Put logs in ../..", "Logs go to var/log"),
    ("Handlers never cache responses", "Handlers log responses"),
    ("Retry up to 3 times", "Retry uploads up to 5 times"),
    ("Port 8080", "Port 9090"),
    ("Indent with 2 spaces", "Indent with many spaces"),
    ("Send it over HTTP for exports", "Use HTTP for exports"),
    ("Use pnpm instead of it for installs", "Use yarn for installs"),
    ("Use pnpm instead of npm for installs", "Use yarn for installs"),
    ("Never merge, rebase and push instead", "Merge no red branch"),
    ("Never squash, keep every commit", "The bot may squash"),
    ("Never squash merge commits, the review tool loses comments", "Squash merge commits locally first with care"),
    (
        "For alpha bravo charlie delta echo foxtrot hotel, limit = 30",
        "For alpha bravo charlie delta echo foxtrot india juliett, limit = 60",
    ),
    # The same under other circumstances.
    ("Run make db before the integration tests", "Never run the integration tests against production"),
    ("Use the staging bucket for uploads", "Do not use the staging bucket for backups"),
    ("Commit lock files", "Do not commit build files"),
    ("Deploy to staging from any branch", "Never deploy to production from a branch"),
    ("Use mocks in unit tests", "Never use mocks in integration tests"),
    ("Use snake_case for functions", "Do not use snake_case for classes"),
    ("Open a pull request for every change", "Never open a pull request without a ticket"),
    ("Run migrations with make migrate", "Never run migrations by hand"),
    ("Do not use ternaries when an if is shorter", "Use ternaries for plain choices"),
    ("Never merge without a review", "Merge after a review"),
    ("Don't release without running `make check`", "Before releasing, release notes: running `make check`"),
    ("If you see `os.system`, it is wrong", "Never use `os.system`"),
    # What is listed, and an argument of a command, is set nowhere.
    ("Unit tests: `tests/unit`", "E2E tests: `tests/e2e`"),
    ("Gateway tool: `add_route`", "Gateway tool: `drop_route`"),
    ("Moving a task up (e.g. `--from=5 --to=7`)", "Moving a task up (e.g. `--from=5.2 --to=7`)"),
    ("Parser reference: `parser.md`", "Ledger reference: `ledger.md`"),
    ("Put a new folder under src/models for a new model", "Put a new folder under src/tools for a new tool"),
    ("`make lint` is quick. Set the timeout to 30 seconds", "`make e2e` is slow. Set the timeout to 600 seconds"),
    ("Ledger 3.7 family:", "Ledger 3.5 family:"),
    # Names and code negate nothing.
    ("Run the slow tests: `pytest -k slow`", "Run the quick tests: `pytest -k 'not slow'`"),
    ("Respect the hook, and --no-verify stays out", "Verify the hook"),
    ("Never-nesting helps, return early", "Return early to reduce nesting"),
    ("Avoid `any` (use precise types)", "Use precise types, avoid `any`"),
    ("Never commit: `build/` and `out/`", "Commit messages"),
    ("Prefer templates over string concatenation", "Don't use needless string concatenation"),
    # Rivals elsewhere, tools that go together, and what is never done to something else.
    ("Use single quotes", "Use double quotes for strings with apostrophes"),
    ("Use relative imports in src", "Use absolute imports in tests"),
    ("Use pytest for tests", "Use hypothesis for tests"),
    ("Tests are not mocked", "Mock the network in tests"),
    ("Generated files are not committed", "Commit messages are short"),
    ("Do not squash commits on main", "Squash before merging"),
    ("Use tabs", "Use spaces"),
]


def told(one: str, other: str, **fields: Any) -> list[str | None]:
    """Return the finding in both directions."""
    a, b = specimen(id="a", text=one, **fields), specimen(id="b", text=other, **fields)
    return [contradictions(a, [b], POLICY).get("b"), contradictions(b, [a], POLICY).get("a")]


@pytest.mark.parametrize(("one", "other"), OPPOSITE)
def test_opposite_advice_on_one_topic_is_a_contradiction(one: str, other: str) -> None:
    """Issue 2: negation, "instead of", a different value for the same setting; seen from both sides."""
    assert all(told(one, other))


@pytest.mark.parametrize(("one", "other"), UNRELATED)
def test_memories_that_merely_share_words_are_left_alone(one: str, other: str) -> None:
    """Our choice: a false flag costs trust in all the others."""
    assert told(one, other) == [None, None]


def test_memories_about_different_files_do_not_contradict() -> None:
    """Issue 18: the same subject or file; what holds in one file may be otherwise in another."""
    one = specimen(id="a", text="Use tabs for indentation", files=("src/a.go",))
    other = specimen(id="b", text="Never use tabs for indentation", files=("src/b.py",))
    assert contradictions(one, [other], POLICY) == {}
    assert contradictions(one, [msgspec.structs.replace(other, files=("src/a.go",))], POLICY)


def test_two_values_for_one_preference_contradict_whatever_the_text() -> None:
    """claude-memory's preferences name their topic and value."""
    one = specimen(id="m-0", kind="preference", text="Quotes", content=CONTENT["preference"])
    other = specimen(kind="preference", text="As agreed", content={**CONTENT["preference"], "value": "single"})
    assert contradictions(one, [other], POLICY) == {"m-1": "quotes: double against single"}
    elsewhere = specimen(kind="preference", text="x", content={**CONTENT["preference"], "topic": "tabs", "value": "no"})
    assert contradictions(one, [elsewhere], POLICY) == {}


def test_the_finding_names_what_differs() -> None:
    assert "30 in one and 60 in the other" in str(told("The timeout is 30", "The timeout is 60")[0])


@given(st.text(max_size=200), st.text(max_size=200))
def test_any_text_can_be_compared_and_never_contradicts_itself(one: str, other: str) -> None:
    """Our choice: no text breaks the comparison, and repeating is not opposing."""
    told(one, other)
    assert told(one, one) == [None, None]


@given(st.lists(st.sampled_from("use never do not tabs spaces instead of over timeout is 30 60 . , for go".split())))
def test_nothing_made_of_the_telling_words_contradicts_itself(parts: list[str]) -> None:
    text = " ".join(parts)
    assert told(text, text) == [None, None]


@pytest.mark.parametrize(
    ("one", "other", "opposed"),
    [("2", "4", True), ("2 spaces", "4 spaces", True), ("4", "4.", False), ("use tabs", "tabs", False)],
)
def test_preferences_on_one_topic_differ_by_their_value(one: str, other: str, opposed: bool) -> None:
    """Issue 2: a different value for the same setting; a single digit is a value."""
    first, second = (
        specimen(
            id=id, kind="preference", text=id, content={**CONTENT["preference"], "topic": "indent", "value": value}
        )
        for id, value in (("m-1", one), ("m-2", other))
    )
    assert bool(contradictions(first, [second], POLICY)) == opposed


@pytest.mark.parametrize("no", FORBIDS_FIRST)
def test_what_the_first_clause_forbids_is_forbidden_however_it_goes_on(no: str) -> None:
    """Issue 18: "Never squash, keep every commit" is against squashing; long reasons after it do not hide that."""
    forbidden = f"{no} mock the network, the recorder that was written for payments and shipping replays everything"
    assert all(told(forbidden, "Mock the network"))


@pytest.mark.parametrize(
    ("one", "other", "why"),
    [
        (
            "Set the log_level to debug in CI",
            "In CI set log_level to warning",
            "log_level is debug in one and warning in the other",
        ),
        ("log_level is set to debug", "log_level is set to info", "log_level is debug in one and info in the other"),
        (
            "Use npm over pnpm for installing",
            "Use pnpm over npm for installing",
            "one puts npm over pnpm, the other pnpm over npm",
        ),
        ("Use pnpm instead of npm", "Use npm", "one says pnpm instead of npm, the other uses npm"),
        ("Indent with 2 spaces", "Indent with 4 spaces", "one says 2, the other 4"),
        (
            "Fixtures live in tests/fixtures",
            "Keep fixtures in tests/data/",
            "fixtures in tests/fixtures and in tests/data",
        ),
    ],
)
def test_the_reason_names_the_two_sides(one: str, other: str, why: str) -> None:
    """Issue 2: a contradiction is shown on both memories, so its reason must say what to compare."""
    assert told(one, other)[0] == why


@pytest.mark.parametrize("files", [((), ("src/a.go",)), (("src/a.go",), ())])
def test_a_memory_without_files_speaks_of_all_of_them(files: tuple[tuple[str, ...], tuple[str, ...]]) -> None:
    """Issue 18: different files keep two memories apart only where both name some."""
    one = specimen(id="a", text="Use tabs for indentation", files=files[0])
    other = specimen(id="b", text="Never use tabs for indentation", files=files[1])
    assert list(contradictions(one, [other], POLICY)) == ["b"]


def test_each_other_memory_is_compared_whatever_stands_before_it() -> None:
    """Issue 2: what is gone, elsewhere or the memory itself is passed over, and nothing after it is."""
    one = specimen(id="a", text="Use tabs for indentation", files=("src/a.go",))
    opposite = specimen(id="b", text="Never use tabs for indentation")
    gone = msgspec.structs.replace(opposite, id="c", state="archived", phase="gone")
    elsewhere = msgspec.structs.replace(opposite, id="d", files=("src/b.go",))
    itself = msgspec.structs.replace(opposite, id="a")
    assert list(contradictions(one, [gone, itself, elsewhere, opposite], POLICY)) == ["b"]


def test_a_text_that_weighs_both_sides_agrees_with_its_repeat() -> None:
    """Our choice: repeating is not opposing, in other letters neither."""
    text = "Use tabs in Makefiles. Never use tabs in Makefiles of the docs."
    assert told(text, text.upper()) == [None, None]
    assert all(told("Use tabs in Makefiles", "Never use tabs in Makefiles"))


@pytest.mark.parametrize(("before", "found"), [(29, True), (30, False)])
def test_the_first_thirty_sentences_are_compared(before: int, found: bool) -> None:
    """Our choice: comparing costs the product of both, and a memory is no document."""
    text = "Zebras graze. " * before + "Never use tabs for indentation"
    assert [bool(why) for why in told(text, "Use tabs for indentation")] == [found, found]


@pytest.mark.parametrize(("length", "found"), [(8000, True), (8001, False)])
def test_the_first_eight_thousand_characters_are_compared(length: int, found: bool) -> None:
    """Our choice: as with sentences; what is cut off in a word says something else."""
    end = ". Never use tabs for indentation"
    text = "z" * (length - len(end)) + end
    assert [bool(why) for why in told(text, "Use tabs for indentation")] == [found, found]


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (("preference", {"value": "tabs"}), ("preference", {"value": "spaces"})),
        (("preference", {"topic": "", "value": "tabs"}), ("preference", {"topic": "", "value": "spaces"})),
        (("preference", {}), ("preference", {"topic": "none", "value": "spaces"})),
        (("lesson", CONTENT["preference"]), ("lesson", {**CONTENT["preference"], "value": "single"})),
        (("preference", CONTENT["preference"]), ("lesson", {**CONTENT["preference"], "value": "single"})),
    ],
)
def test_only_preferences_that_name_one_topic_are_compared_by_value(
    one: tuple[str, dict[str, Any]], other: tuple[str, dict[str, Any]]
) -> None:
    """claude-memory: a preference is a topic and a value; other kinds say what they say in their text."""
    first, second = (
        specimen(id=id, kind=kind, text=id, content=content) for id, (kind, content) in (("m-1", one), ("m-2", other))
    )
    assert contradictions(first, [second], POLICY) == {}
    assert contradictions(second, [first], POLICY) == {}
