"""`team check`: what a pull request may not bring into the team's memory, each with its file and line."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

from tests.program import Program
from tests.team import git, person, prompted, publish, repository, shared

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture
def ada(tmp_path: Path) -> Program:
    """A clone whose main branch shares one good memory."""
    bare = repository(tmp_path, {"README.md": "A project.\n", "src/billing.py": "def ship(): ...\n"})
    program = person(bare, "ada")
    shared(program, "Deploy the billing service with make ship; the code is in `src/billing.py`.")
    publish(program)
    return program


def write(program: Program, name: str, body: str, head: str = "type: constraint\ntitle: A rule") -> Path:
    path = program.folder / ".tenure" / "team" / f"{name}.md"
    path.write_text(f"---\n{head}\nstatus: stable\n---\n\n{body}\n")
    return path


def check(program: Program, *words: str) -> tuple[int, dict[str, Any]]:
    done = program("--json", "team", "check", *words)
    return done.status, done.json


def test_good_files_pass(ada: Program) -> None:
    """Exit 0, nothing found, and every file counted."""
    status, answer = check(ada)
    assert (status, answer["findings"], answer["files"]) == (0, [], 1)


@pytest.mark.parametrize(
    ("kind", "body", "line", "says"),
    [
        ("secret", "First line.\nThe key is ghp_a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8 here.", 8, "looks like a secret"),
        ("claim", "A harmless line.\nRetries are counted in `src/retries.py`.", 8, "src/retries.py"),
        ("contradiction", "Never deploy the billing service with make ship.", 7, "contradicts"),
        (
            "duplicate",
            "Deploy the billing service with make ship; the code is in `src/billing.py`.",
            7,
            "says the same",
        ),
    ],
)
def test_what_is_planted_is_refused_with_its_line(ada: Program, kind: str, body: str, line: int, says: str) -> None:
    """Issue 22: a planted secret, dead path, contradiction and duplicate, each with its line."""
    title = "Deploy the billing service" if kind in ("contradiction", "duplicate") else "A rule"
    write(ada, "planted-000000", body, f"type: constraint\ntitle: {title}")
    status, answer = check(ada, "--base", "HEAD")
    found = [one for one in answer["findings"] if one["kind"] == kind]
    assert status == 1 and len(found) == 1, answer
    assert (found[0]["path"], found[0]["line"]) == (".tenure/team/planted-000000.md", line)
    assert says in found[0]["message"] and "ghp_a1B2" not in str(answer)
    printed = ada("team", "check", "--base", "HEAD")
    assert printed.status == 1 and f"planted-000000.md:{line}: {kind}: " in printed.text


@pytest.mark.parametrize(
    ("one", "other", "kind"),
    [
        (
            "Deploy with make ship, never with kubectl apply.",
            "Deploy with kubectl apply, never with make ship.",
            "contra",
        ),
        ("Run the migrations before the slow tests.", "Run the migrations after the slow tests.", "contra"),
        ("Run the linter before the slow tests.", "Run the slow tests before the linter.", "contra"),
        ("New columns go first in every report.", "New columns go last in every report.", "contra"),
        ("Use pnpm, not npm, in web packages.", "We use pnpm here instead of npm in web packages.", "duplicate"),
        ("Run the slow tests before every release.", "Before every release, run the slow tests.", "duplicate"),
        ("Keep invoices for ten years.", "Keep receipts for ten weeks in the vault.", ""),
    ],
)
def test_the_opposite_in_the_same_words_is_no_duplicate(ada: Program, one: str, other: str, kind: str) -> None:
    """docs/sharing.md: word overlap alone calls these the same."""
    for name, text in (("one-000000", one), ("other-000000", other)):
        write(ada, name, text, "type: constraint\ntitle: A rule of ours")
    _, answer = check(ada, "--base", "HEAD")
    found = [each["kind"] for each in answer["findings"] if each["kind"] in ("contradiction", "duplicate")]
    assert [each[: len(kind)] for each in found] == ([kind] if kind else []), answer


@pytest.mark.parametrize(
    ("text", "wrong"),
    [
        ("Run make deploy to publish the site.", "command `make deploy`"),
        ("Publish with `make deploy` only.", "command `make deploy`"),
        ("Check it by npm run lint first.", "command `npm run lint`"),
        ("Run make ship to publish the site.", ""),
        ("Run make before pushing a branch.", ""),
        ("Always make sure that logs are kept.", ""),
    ],
)
def test_a_command_that_a_sentence_names_is_looked_up(ada: Program, text: str, wrong: str) -> None:
    """docs/sharing.md: told once, in the text, although the title says it too."""
    (ada.folder / "Makefile").write_text("ship:\n\techo\n")
    (ada.folder / "package.json").write_text('{"scripts": {"test": "true"}}')
    write(ada, "told-000000", text, f"type: constraint\ntitle: {text.rstrip('.')}".replace("`", ""))
    _, answer = check(ada, "--base", "HEAD")
    found = [(each["line"], each["message"]) for each in answer["findings"]]
    assert found == ([(7, f"{wrong} is not in the project")] if wrong else [])


@pytest.mark.parametrize(
    ("head", "line"),
    [
        ("title: No type", 1),
        ("type: constraint\ntitle: A rule\ntenure:\n  state: immortal", 5),
        ("type: constraint\nstale_after: some day", 3),
        ("type: constraint\ntenure:\n  commit: not-a-commit", 4),
        ("type: [constraint", 1),
    ],
)
def test_a_file_that_is_not_one_is_a_schema_finding(ada: Program, head: str, line: int) -> None:
    """The front matter is read strictly, and the field's line is named where it has one."""
    write(ada, "broken-000000", "Something.", head)
    status, answer = check(ada)
    [found] = [one for one in answer["findings"] if one["path"].endswith("broken-000000.md")]
    assert (status, found["kind"], found["line"]) == (1, "schema", line)


def test_only_what_differs_from_the_base_is_looked_at(ada: Program) -> None:
    """A pull request is not blamed for what was there before it."""
    write(ada, "old-000000", "Retries are counted in `src/retries.py`.")
    publish(ada, "an old sin")
    write(ada, "new-000000", "Logs are kept for thirty days in the bucket.")
    assert check(ada, "--base", "HEAD")[0] == 0
    assert check(ada)[0] == 1
    assert check(ada, "--base", "HEAD")[1]["changed"] == [".tenure/team/new-000000.md"]
    assert ada("--json", "team", "check", "--base", "--upload-pack=x").status == 2


def test_it_says_who_gains_and_who_falls_silent_in_the_last_injections(ada: Program) -> None:
    """Issue 22: what the change does to the last 500 injections."""
    for memory in ada.ok("list")["memories"]:
        ada.ok("retire", memory["id"], "--reason", "only ours counts in this test")
    [old] = (ada.folder / ".tenure" / "team").glob("*.md")
    for session in ("one", "two"):
        assert "make ship" in prompted(ada, "how do I deploy the billing service?", session)
    write(ada, "fresh-000000", "The billing service is deployed by the release robot on merge.")
    git(ada.folder, "rm", "-q", f".tenure/team/{old.name}")
    _, answer = check(ada, "--base", "HEAD")
    assert answer["injections"] == 2
    assert answer["gain"] == [{"id": "ours/fresh-000000", "before": 0, "after": 2}]
    assert answer["silent"] == [{"id": f"ours/{old.stem}", "before": 2, "after": 0}]


def test_the_action_and_the_pre_commit_hook_run_this_command() -> None:
    """Both are files of this repository, and name a command that is there."""
    assert "run: tenure team check" in (ROOT / "action.yml").read_text()
    assert re.search(r"^  entry: tenure team check$", (ROOT / ".pre-commit-hooks.yaml").read_text(), re.MULTILINE)
