"""Issue 19: matchers are data, and what a line runs, writes and reads decides."""

from __future__ import annotations

from typing import Any

import pytest

from tenure.guards import match
from tenure.guards.calls import FirstLook, call_of

FORCE = {"tool": "run", "commands": [{"program": "git", "words": ["push"], "options": ["--force", "-f"]}]}
MAIN = {"tool": "run", "commands": [{"program": "git", "words": ["push"], "options": ["main"]}]}
CLEAN = {"tool": "run", "commands": [{"program": "git", "words": ["clean"], "options": ["-f -d"]}]}
NPM = {"tool": "run", "commands": [{"program": "npm"}]}
SCRIPT = {"tool": "run", "commands": [{"program": "scripts/deploy.sh"}]}
DRY = {"tool": "run", "commands": [{"program": "prisma", "words": ["migrate", "dev"], "unless": ["--create-only"]}]}
GEN = {"tool": "edit", "paths": ["gen/", "*.lock"], "except": ["gen/README.md"]}
ENV = {"tool": "read", "paths": [".env", "~/.ssh/", "//etc/passwd"]}
COMMITTED = {"tool": "run", "commands": [{"program": "git", "words": ["add"]}], "paths": [".env"]}
LOG = {"tool": "edit", "paths": ["src/"], "text": ["console.log("]}


@pytest.mark.parametrize(
    ("matcher", "example", "fires"),
    [
        (FORCE, "run git push --force", True),
        (FORCE, "run git -C there push -uf origin x", True),
        (FORCE, "run sudo -u me env A=b timeout 5 git push -f", True),
        (FORCE, "run bash -lc 'cd x && git push --force'", True),
        (FORCE, "run bash -euo pipefail -c 'git push --force'", True),
        (FORCE, "run bash -O extglob +e --rcfile x -c 'git push --force'", True),
        (FORCE, "run sh -c -e 'git push --force'", True),
        (FORCE, "run echo 'git push --force' | bash -s -- main", True),
        (FORCE, "run echo 'git push --force' | bash -", True),
        (FORCE, "run bash -o pipefail deploy.sh 'git push --force'", False),
        (FORCE, "run bash <<EOF\ngit push --force\nEOF", True),
        (FORCE, "run eval 'git push -f'", True),
        (FORCE, "run echo $(git push --force)", True),
        (FORCE, "run ls | xargs -n 1 git push --force", True),
        (FORCE, "run find . -exec git push -f {} \\;", True),
        (FORCE, "run if true; then git push --force; fi", True),
        (FORCE, "run nice -n 5 git push --force", True),
        (FORCE, "run git push --force-with-lease", False),
        (FORCE, "run git push origin force", False),
        (FORCE, "run git commit -m 'push --force'", False),
        (FORCE, "run git stash push -f", False),
        (FORCE, "run git log --grep push -f", False),
        (FORCE, "run echo git push --force", False),
        (FORCE, "run grep -rn 'git push --force' .", False),
        (FORCE, "run git push # --force", False),
        (FORCE, "run cat > notes.md <<'EOF'\ngit push --force\nEOF", False),
        (FORCE, "run git push -- --force", False),
        (FORCE, "run git push --force --help | head", False),
        (FORCE, "run git push --force --dry-run", False),
        (ENV, "run sed -n 's/=.*//p' .env", True),
        (ENV, "run git diff .env", True),
        (ENV, "run git show HEAD:web/.env", True),
        (MAIN, "run git push origin HEAD:main", True),
        (MAIN, "run git push origin +main", True),
        (MAIN, "run git push origin feature/main-page", False),
        (MAIN, "run git push -u origin fix", False),
        (CLEAN, "run git clean -xfd", True),
        (CLEAN, "run git clean -d -f", True),
        (CLEAN, "run git clean -nd", False),
        (NPM, "run npm install", True),
        (NPM, "run cd web && NODE_ENV=x npm ci", True),
        (NPM, "run pnpm install", False),
        (NPM, "run which npm", False),
        (NPM, "run cat node_modules/npm/package.json", False),
        (SCRIPT, "run ./scripts/deploy.sh now", True),
        (SCRIPT, "run other/scripts/deploy.sh", False),
        (DRY, "run npx prisma migrate dev --name x", True),
        (DRY, "run npx prisma migrate dev --create-only", False),
        (GEN, "edit gen/a.py", True),
        (GEN, "edit /project/src/gen/a.py", True),
        (GEN, "edit yarn.lock", True),
        (GEN, "edit gen/README.md", False),
        (GEN, "edit src/generate.py", False),
        (GEN, "read gen/a.py", False),
        (GEN, "run echo x > gen/a.py", True),
        (GEN, "run cd gen && rm a.py", True),
        (GEN, "run sed -i '' s/a/b/ gen/a.py", True),
        (GEN, "run cat a | tee -a gen/log", True),
        (GEN, "run cp a.py gen/", True),
        (GEN, "run git checkout HEAD -- gen/a.py", True),
        (GEN, "run cat gen/a.py > out", False),
        (GEN, "run rm /tmp/gen/a.py", False),
        (GEN, "run make gen", False),
        (GEN, "run sed -n 1p gen/a.py", False),
        (ENV, "read .env", True),
        (ENV, "read web/.env", True),
        (ENV, "run cat .env", True),
        (ENV, "run grep KEY < .env", True),
        (ENV, "run cat ~/.ssh/id_rsa", True),
        (ENV, "read /etc/passwd", True),
        (ENV, "read .env.example", False),
        (ENV, "run ls -la .env", False),
        (COMMITTED, "run git add .env", True),
        (COMMITTED, "run git add src/.env.example", False),
        (LOG, "edit src/a.ts: console.log(1)", True),
        (LOG, "run cat > src/a.ts <<'EOF'\nconsole.log(1)\nEOF", True),
        (LOG, "edit src/a.ts: logger.info(1)", False),
        (LOG, "edit docs/a.md: console.log(1)", False),
    ],
)
def test_a_guard_fires_at_what_is_done_and_not_at_what_is_said(
    matcher: dict[str, Any], example: str, fires: bool
) -> None:
    """Issue 19: a regex over the string gave 13 false alarms on 13 harmless lines."""
    assert (match.fires(matcher, match.example(example)) is not None) is fires
    if fires:
        call = match.example(example).call
        found = match.needles(matcher)
        is_command = "commands" in matcher
        assert FirstLook(call).may_mean(found, is_command=is_command), "the hook's first look must not lose it"
        assert match.example(example).may_mean(found, is_command=is_command), "nor its second, at what the line does"


def test_a_line_that_cannot_be_parsed_fires_without_certainty() -> None:
    """Issue 19: what cannot be parsed is reminded of at most."""
    fire = match.fires(FORCE, match.example("run git push --force && ("))
    assert fire is not None
    assert not fire.certain


@pytest.mark.parametrize(
    ("tool", "given", "kind", "what"),
    [
        ("Bash", {"command": "ls"}, "run", "ls"),
        ("exec_command", {"cmd": "ls", "workdir": "/x"}, "run", "ls"),
        ("shell", {"command": ["bash", "-lc", "ls -l"]}, "run", "ls -l"),
        ("shell", {"command": ["git", "commit", "-m", "it's"]}, "run", "git commit -m 'it'\\''s'"),
        ("run_shell_command", {"command": "ls", "dir_path": "sub"}, "run", "ls"),
        ("Edit", {"file_path": "/p/a", "new_string": "x"}, "edit", "/p/a"),
        ("MultiEdit", {"file_path": "a", "edits": [{"new_string": "x"}]}, "edit", "a"),
        ("edit_file_v2", {"relativeWorkspacePath": "a"}, "edit", "a"),
        ("shell", {"command": ["apply_patch", "*** Begin Patch\n*** Update File: a\n+x\n"]}, "edit", "a"),
        ("str_replace_based_edit_tool", {"command": "view", "path": "a"}, "read", "a"),
        ("read_file_v2", {"target_file": "a"}, "read", "a"),
        ("mcp__db__query", {"sql": "drop"}, "other", ""),
        ("mcp__files__write_file", {"path": "gen/a", "content": "x"}, "edit", "gen/a"),
        ("mcp__files__read_multiple_files", {"paths": ["a", "b"]}, "read", "ab"),
        ("mcp__my_box__run_command", {"command": "git push -f"}, "run", "git push -f"),
    ],
)
def test_tools_of_every_host_are_seen_in_one_shape(tool: str, given: dict[str, Any], kind: str, what: str) -> None:
    """The names stand in the hosts' own payloads and transcripts."""
    call = call_of(tool, given, "/p")
    assert call.kind == kind
    assert (call.command or "".join(call.paths)) == what


def test_examples_that_a_guard_does_not_follow_are_named() -> None:
    """Issue 19: examples are checked at every write."""
    said = match.wrong_examples(FORCE, ["run git push"], ["run git push -f"])
    assert said == ["does not fire at `run git push`", "fires at `run git push -f`"]


@pytest.mark.parametrize(
    ("line", "stopped"),
    [
        ("rm -rf gen", True),
        ("rm -rf ./gen/", True),
        ("git rm -r gen", True),
        ("mv gen gen2", True),
        ("rm -rf general", False),
        ("rm -f gen.txt", False),
        ("cp -r gen out", False),
        ("mkdir gen", False),
    ],
)
def test_a_folder_that_goes_as_a_whole_takes_its_files_along(line: str, stopped: bool) -> None:
    """docs/guards.md: `rm` and `mv` count as edits of the files they name."""
    assert bool(match.fires({"tool": "edit", "paths": ["gen/"]}, match.example(f"run {line}"))) is stopped
