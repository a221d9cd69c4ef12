"""Issue 19: which rules are obeyed, and only what can be shown with its call."""

from __future__ import annotations

import json
from pathlib import Path

from tests.program import Program

PAGE = """# Rules

- Never run `git push --force`.
- Never edit files under `gen/`.
- Use pnpm, not npm.
- Prefer small functions.
- Do not run `git push --force`!
"""


def session(path: Path, id: str, cwd: Path, commands: list[str]) -> None:
    lines = []
    for number, line in enumerate(commands):
        block = {"type": "tool_use", "id": f"t{number}", "name": "Bash", "input": {"command": line}}
        message = {"role": "assistant", "content": [block]}
        record = {"type": "assistant", "sessionId": id, "uuid": f"{id}-{number}", "cwd": str(cwd), "message": message}
        lines.append(json.dumps(record))
    path.write_text("\n".join(lines))


def test_rules_are_kept_broken_never_relevant_or_said_twice(program: Program, tmp_path: Path) -> None:
    """Relevant in N sessions, kept, broken with the call; rules never relevant; duplicates."""
    (program.folder / "AGENTS.md").write_text(PAGE)
    session(tmp_path / "one.jsonl", "one", program.folder, ["git push -f origin x", "pnpm install"])
    session(tmp_path / "two.jsonl", "two", program.folder, ["git push", "echo git push --force", "npm install"])
    found = program.ok(
        "audit", "--obeyed", "--sessions", str(tmp_path / "one.jsonl"), "--sessions", str(tmp_path / "two.jsonl")
    )
    rules = {rule["where"]: rule for rule in found["checked"]}
    assert (found["sessions"], found["calls"]) == (2, 5)
    counted = {where: (rule["relevant"], rule["kept"], rule["broken"]) for where, rule in rules.items()}
    assert counted == {
        "AGENTS.md:3": (2, 1, 1),
        "AGENTS.md:4": (0, 0, 0),
        "AGENTS.md:5": (2, 1, 1),
        "AGENTS.md:7": (2, 1, 1),
    }
    assert [call["call"] for call in rules["AGENTS.md:3"]["calls"]] == ["git push -f origin x"]
    assert rules["AGENTS.md:7"]["same_as"] == "AGENTS.md:3"
    said = program("audit", "--obeyed", "--sessions", str(tmp_path / "one.jsonl")).text
    assert "git push -f origin x" in said and "never relevant" in said and "says the same as" in said


def test_a_rule_with_an_alternative_matters_where_one_of_both_runs(program: Program, tmp_path: Path) -> None:
    """A real project's rule was called relevant in sessions that only ran tests with the same program."""
    (program.folder / "CLAUDE.md").write_text("- Prefer `make` targets over raw `uv run python manage.py` calls\n")
    for name, line in (("a", "uv run pytest"), ("b", "uv run python manage.py check"), ("c", "make check")):
        session(tmp_path / f"{name}.jsonl", name, program.folder, [line])
    files = [word for name in "abc" for word in ("--sessions", str(tmp_path / f"{name}.jsonl"))]
    [rule] = program.ok("audit", "--obeyed", *files)["checked"]
    assert (rule["relevant"], rule["kept"], rule["broken"]) == (2, 1, 1)


def test_without_a_session_no_rule_is_called_irrelevant(program: Program) -> None:
    """Nothing was looked at; a stranger read "never relevant" as a verdict on the rule."""
    (program.folder / "AGENTS.md").write_text(PAGE)
    said = program("audit", "--obeyed").text
    assert "never relevant" not in said
    assert "No session of this project was found" in said and "--sessions FILE" in said
    assert "AGENTS.md:3  can be checked: " in said and "AGENTS.md:7  says the same as AGENTS.md:3" in said
