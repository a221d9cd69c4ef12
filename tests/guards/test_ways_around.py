"""Ways an agent gets past a guard without meaning to, from an attack on guards with 248 plausible calls (issue 19)."""

from __future__ import annotations

import time
from typing import Any

import pytest

from tenure.guards import match
from tenure.guards.calls import call_of
from tenure.guards.derive import derive
from tenure.model.guard import matcher

GEN = {"tool": "edit", "paths": ["gen/"]}
ENV = {"tool": "read", "paths": [".env"]}
GIT = {"tool": "edit", "paths": [".git/"]}
FORCE = {"tool": "run", "commands": [{"program": "git", "words": ["push"], "options": ["--force"]}]}
JEST = {"tool": "run", "commands": [{"program": "jest"}]}
NPM = {"tool": "run", "commands": [{"program": "npm"}]}
RM = {"tool": "run", "commands": [{"program": "rm", "options": ["-r -f"]}]}
PATCH = "*** Begin Patch\n*** Add File: {}\n+b\n*** End Patch"
DIFF = "--- a/gen/a.ts\n+++ b/gen/a.ts\n@@ -1 +1 @@\n-a\n+b"


def fires(wanted: dict[str, Any], line: str) -> bool:
    call = call_of("Bash", {"command": line}, "/home/u/p")
    return match.fires(wanted, match.Seen(call, "/home/u/p", "/home/u")) is not None


@pytest.mark.parametrize(
    ("wanted", "line"),
    [
        (GEN, "cp -t gen a.ts b.ts"),
        (GEN, "mv --target-directory=gen a.ts"),
        (GEN, "cp -r src/. gen"),
        (GEN, "find gen -name '*.ts' -delete"),
        (GEN, "find . -path './gen/*' -delete"),
        (GEN, "find gen -type f -exec sed -i 's/a/b/' {} +"),
        (GEN, "find gen -name '*.ts' | xargs sed -i 's/a/b/'"),
        (GEN, "grep -rl foo gen | sort | xargs -I{} sed -i s/foo/bar/ {}"),
        (GEN, "for f in gen/*.ts; do sed -i 's/a/b/' $f; done"),
        (GEN, "git checkout HEAD~1 gen/a.ts"),
        (GEN, "git checkout main -- gen/"),
        (GEN, "git clean -fd gen"),
        (GEN, "curl -sSLo gen/a.ts https://example.org"),
        (GEN, "curl --output=gen/a.ts https://example.org"),
        (GEN, "wget -O gen/a.ts https://example.org"),
        (GEN, "tar -xzf a.tgz -C gen"),
        (GEN, "unzip -o a.zip -d gen"),
        (GEN, "jq .a gen/a.json | sponge gen/a.json"),
        (GEN, "ed -s gen/a.ts <<< w"),
        (GEN, "awk -i inplace 1 gen/a.ts"),
        (GEN, "pnpm exec eslint --fix gen/"),
        (GEN, "black gen"),
        (GEN, "ruff format gen/a.py"),
        (GEN, f"cd web && apply_patch <<'EOF'\n{PATCH.format('../gen/a.ts')}\nEOF"),
        (GEN, f"git apply <<'EOF'\n{DIFF}\nEOF"),
        (GEN, f"patch -p1 <<'EOF'\n{DIFF}\nEOF"),
        (FORCE, "git push -f"),
        (FORCE, "git push origin +main"),
        (FORCE, "git.exe push --force"),
        (FORCE, "echo 'git push --force' | bash"),
        (FORCE, "cat <<'EOF' | sh\ngit push --force\nEOF"),
        (FORCE, "su -c 'git push --force' me"),
        (FORCE, "script -qc 'git push --force' /dev/null"),
        (FORCE, "nix-shell --run 'git push --force'"),
        (FORCE, "pwsh -Command 'git push --force'"),
        (FORCE, "cmd /c git push --force"),
        (FORCE, "tmux send-keys -t 0 'git push --force' Enter"),
        (JEST, "pnpm jest a"),
        (JEST, "yarn jest"),
        (JEST, "node ./node_modules/.bin/jest a"),
        (JEST, "node --no-warnings node_modules/jest/bin/jest.js a"),
        (JEST, "yarn workspace web jest a"),
        (JEST, "yarn --cwd app workspace web exec jest"),
        (NPM, "corepack npm install"),
        (NPM, "volta run npm i"),
        (NPM, "conda run -n web npm i"),
        (NPM, "concurrently 'npm run a' 'npm run b'"),
        (RM, "rm --recursive --force x"),
        (RM, "rm -R -f x"),
        (ENV, "cat .env*"),
        (ENV, "cut -d= -f1 .env"),
        (ENV, "diff .env .env.example"),
        (GEN, "perl -0pi -e 's/a/b/' gen/a.ts"),
        (GEN, "git checkout gen/a.ts"),
        (GEN, "npx eslint src -f json -o gen/report.json"),
        (GEN, "go build -o gen/tool ./cmd"),
        (GEN, 'echo x > "$PWD/gen/a.ts"'),
        (GEN, 'cd "$(pwd)/gen" && echo x > a.ts'),
        (GEN, "pwsh.exe -NoLogo -Command 'Remove-Item gen/a.ts'"),
        (GEN, 'pwsh -c \'(Get-Content -Raw gen/a.ts).Replace("a", "b") | Set-Content gen/a.ts\''),
        (GEN, "powershell -Command 'Set-Location gen; Set-Content -Path a.ts -Value x'"),
        (GEN, "powershell -Command 'Set-Content -Path gen\\a.ts -Value x'"),
        (ENV, "pwsh -NoProfile -Command 'Get-Content -Path .env -TotalCount 20'"),
        (FORCE, "nix develop .#ci -c sh -c 'git push --force'"),
        (FORCE, "git rebase main --exec 'git push --force'"),
        (FORCE, "git submodule foreach --recursive 'git push --force'"),
        (FORCE, "fish -c 'git push --force'"),
        (JEST, "rtk test npx jest a"),
        (NPM, "npm run dev -- --help"),
        ({"tool": "run", "commands": [{"program": "npx"}]}, "npx vitest --help"),
    ],
)
def test_another_way_to_do_it_fires_too(wanted: dict[str, Any], line: str) -> None:
    assert fires(wanted, line)


@pytest.mark.parametrize(
    ("wanted", "line"),
    [
        (GEN, "find gen -name '*.ts' | xargs grep foo"),
        (GEN, "find . -path ./gen -prune -o -name '*.log' -delete"),
        (GEN, "find . -not -path './gen/*' -name '*.log' -delete"),
        (GEN, "grep -rl foo src | xargs sed -i s/foo/bar/"),
        (GEN, "for f in gen/*.ts; do cat $f; done"),
        (GEN, "git checkout -b gen/new origin/main"),
        (GEN, "git checkout gen/topic"),
        (GEN, f"git apply --cached <<'EOF'\n{DIFF}\nEOF"),
        (GEN, "curl -s https://example.org/gen/a.ts"),
        (GEN, "tar -czf gen.tgz gen"),
        (GEN, "black --check gen"),
        (GEN, "ruff check gen"),
        (GEN, "cp gen/a.ts /tmp/"),
        (GEN, "awk '{print}' gen/a.ts"),
        (FORCE, "git push origin main"),
        (FORCE, "echo 'git push --force' | grep force"),
        (FORCE, "git commit -F - <<'EOF'\ngit push --force\nEOF"),
        (JEST, "pnpm add -D jest"),
        (JEST, "yarn remove jest"),
        (JEST, "yarn workspace web add jest"),
        (JEST, "yarn workspace jest build"),
        (NPM, "pnpm install npm"),
        (RM, "pnpm rm -rf x"),
        (RM, "rm -r x"),
        (ENV, "cat *"),
        (ENV, "cat .env.example"),
        (ENV, "sort a | uniq"),
        (ENV, "ln -s .env shared"),
        (ENV, "git diff --stat -- .env"),
        (GEN, 'd=$(mktemp -d); mkdir "$d/gen"; echo x > "$d/gen/a.ts"'),
        (GEN, 'd=$(mktemp -d /tmp/x.XXXXXX) && cd "$d" && echo x > gen/a.ts'),
        (GEN, 'echo x > "$HOME/gen/a.ts"'),
        (GEN, "git checkout --detach gen/v1.x"),
        (NPM, "npm --version"),
        (NPM, "command -v npm"),
        (NPM, "npm ci --help"),
        ({"tool": "run", "commands": [{"program": "git", "words": ["stash"]}]}, "git stash list"),
    ],
)
def test_what_only_looks_alike_passes(wanted: dict[str, Any], line: str) -> None:
    assert not fires(wanted, line)


@pytest.mark.parametrize(
    ("rule", "line"),
    [
        ("Never run `npm run deploy`.", "npm run-script deploy"),
        ("Never run `npm run-script deploy`.", "npm run deploy"),
        ("Never run `pip install`, use uv.", "pip3 install requests"),
        ("Never run `pip3 install`, use uv.", "pip install requests"),
        ("Never run `pip install`, use uv.", "python -m pip install requests"),
    ],
)
def test_another_name_of_the_same_command_fires_too(rule: str, line: str) -> None:
    """A stranger's finding: these passed, and the list of ways around did not name them."""
    found = derive(rule)
    assert found is not None
    assert fires(matcher(found.guard), line)
    assert not fires(matcher(found.guard), "pip3 list && npm run-script build")


@pytest.mark.parametrize(
    ("tool", "given"),
    [
        ("mcp__filesystem__move_file", {"source": "a.ts", "destination": "gen/a.ts"}),
        ("mcp__serena__replace_symbol_body", {"relative_path": "gen/a.ts", "body": "x"}),
        ("create_file", {"filePath": "/home/u/p/gen/a.ts", "content": "x"}),
    ],
)
def test_tools_of_editors_and_servers_edit_files(tool: str, given: dict[str, Any]) -> None:
    assert match.fires(GEN, match.Seen(call_of(tool, given, "/home/u/p"), "/home/u/p"))


def test_a_text_in_powershell_is_not_run() -> None:
    """polecatspeaks/StarCar writes issues in PowerShell's here-strings, which hold commands between backticks."""
    line = "$c = @'\nA stranger must run `npm ci` here; it's not said.\n'@\ngh issue create --body $c"
    call = call_of("PowerShell", {"command": line}, "/home/u/p")
    assert not match.fires(NPM, match.Seen(call, "/home/u/p"))
    again = call_of("PowerShell", {"command": f"{line}\nnpm ci"}, "/home/u/p")
    assert match.fires(NPM, match.Seen(again, "/home/u/p"))


def test_a_backtick_in_powershell_starts_nothing_and_an_ampersand_does() -> None:
    """The same project prints headings with "`n===", and starts its programs with `&`."""
    said = call_of("powershell", {"command": 'Write-Host "`n=== npm test ==="; git status'}, "/home/u/p")
    assert not match.fires(NPM, match.Seen(said, "/home/u/p"))
    done = call_of("powershell", {"command": "'{}' | & tool hooks x; npm ci"}, "/home/u/p")
    assert match.fires(NPM, match.Seen(done, "/home/u/p"))


@pytest.mark.parametrize(
    ("tool", "given"),
    [
        ("Write", {"file_path": "C:\\Users\\u\\p\\gen\\a.ts", "content": "x"}),
        ("Bash", {"command": "cat >> gen/a.ts <<'EOF'\nx\nEOF"}),
        ("Bash", {"command": 'cd "C:/Users/u/p/web" && echo x > ../gen/a.ts'}),
        ("Bash", {"command": "cd /c/Users/u/p && rm gen/a.ts"}),
    ],
)
def test_a_project_on_windows_has_a_root_too(tool: str, given: dict[str, Any]) -> None:
    """Rules about a folder at the root fired at nothing in sessions whose folder begins with a drive."""
    root = "C:\\Users\\u\\p"
    at_root = {"tool": "edit", "paths": ["/gen/"]}
    assert match.fires(at_root, match.Seen(call_of(tool, given, root), root))
    outside = call_of("Write", {"file_path": "C:\\Users\\u\\other\\gen\\a.ts", "content": "x"}, root)
    assert not match.fires(GEN, match.Seen(outside, root))


@pytest.mark.parametrize(
    ("line", "stopped"),
    [
        ("python3 - <<'EOF'\nfrom pathlib import Path\np = Path('gen/a.ts')\np.write_text(p.read_text())\nEOF", True),
        ("python3 -c \"open('gen/a.ts', 'w').write('x')\"", True),
        ("uv run python - <<'EOF'\npath = 'gen/a.ts'\nwith open(path, 'w') as f:\n    f.write('x')\nEOF", True),
        ("python -c \"import shutil; shutil.copy('a', 'gen/a.ts')\"", True),
        ("node -e \"require('fs').writeFileSync('gen/a.ts', 'x')\"", True),
        ("cd gen && python3 -c \"open('a.ts', 'a').write('x')\"", True),
        ("python - <<'EOF'\npaths = [\n  'gen/a.ts',\n]\nfor p in paths:\n    Path(p).write_text('x')\nEOF", True),
        ("python - <<'EOF'\nroot = Path('gen')\nfor p in root.rglob('*.ts'):\n    p.write_text('x')\nEOF", True),
        ("python - <<'EOF'\nroot = Path('gen')\nfor p in root.rglob('*.ts'):\n    print(p.read_text())\nEOF", False),
        ("python3 -c \"print(open('gen/a.ts').read())\"", False),
        ("python3 - <<'EOF'\npath = 'gen/a.ts'\nopen('out.txt', 'w').write(open(path).read())\nEOF", False),
        ("node -e \"require('fs').writeFileSync('out.ts', require('fs').readFileSync('gen/a.ts'))\"", False),
        ("python3 build.py \"open('gen/a.ts', 'w')\"", False),
        ("python3 -c \"(Path('gen') / 'a.ts').write_text('x')\"", True),
        ("python3 -c \"open(os.path.join('gen', 'a.ts'), mode='w')\"", True),
        ("node -e \"fs.writeFileSync(path.join('gen', 'a.ts'), 'x')\"", True),
        ("node -e \"fs.rmSync('gen', { recursive: true })\"", True),
        ("python3 -c \"import shutil; shutil.rmtree('gen')\"", True),
        ("python3 -c \"os.rename('gen/a.ts', 'b.ts')\"", True),
        ("node - <<'EOF'\nfor (const f of ['gen/a.ts', 'b']) { fs.appendFileSync(f, 'x') }\nEOF", True),
        ("python3 - <<'EOF'\n# don't open('gen/a.ts', 'w')\nprint(1)\nEOF", False),
        ("python3 - <<'EOF'\ntext = \"open('gen/a.ts', 'w')\"\nEOF", False),
        ("python3 -c \"names.remove('gen/a.ts'); x = t.replace('a', 'gen/a.ts')\"", False),
        ("node -e \"console.log(path.join('gen', 'a.ts'))\"", False),
        ("python3 -c \"import os; os.system('rm gen/a.ts')\"", True),
        ("python3 -c \"import subprocess; subprocess.run(['rm', 'gen/a.ts'], check=True)\"", True),
        ("node -e \"require('child_process').execSync('echo x > gen/a.ts')\"", True),
        ("bun -e 'await $`rm gen/a.ts`'", True),
        ("python3 -c \"import subprocess; subprocess.run(['cat', 'gen/a.ts'])\"", False),
        ("python3 -c \"os.system(f'rm {name}')\" gen/a.ts", False),
    ],
)
def test_a_program_on_the_line_that_writes_a_file_is_reminded_of_and_never_more(line: str, stopped: bool) -> None:
    """Agents without an editor's tool change files so: 40 edits of one project's sessions were missed."""
    call = call_of("Bash", {"command": line}, "/home/u/p")
    fire = match.fires(GEN, match.Seen(call, "/home/u/p"))
    assert (fire is not None) is stopped
    assert fire is None or not fire.certain


def test_a_path_that_only_running_would_tell_is_never_certain() -> None:
    call = call_of("Bash", {"command": 'echo x > "$ROOT/gen/a.ts"'}, "/home/u/p")
    fire = match.fires(GEN, match.Seen(call, "/home/u/p"))
    assert fire is not None and not fire.certain


@pytest.mark.parametrize(
    ("path", "stopped"),
    [
        (".git/wt/feat/npm-provider/internal/cli.go", False),
        ("/home/u/p/.git/wt/docs/README.md", False),
        (".git/hooks/pre-commit", True),
        (".git/config", True),
        (".git/worktrees/x/HEAD", True),
        (".claude/worktrees/agent-1/src/a.py", False),
        (".claude/worktrees/agent-1/.git/config", True),
    ],
)
def test_a_checkout_kept_inside_git_is_no_data_of_git(path: str, stopped: bool) -> None:
    """yutakobayashidev/repiq keeps its worktrees in `.git/wt`: a rule about `.git/` fired 80 times at its sources."""
    call = call_of("Edit", {"file_path": path, "new_string": "x"}, "/home/u/p")
    assert (match.fires(GIT, match.Seen(call, "/home/u/p")) is not None) is stopped


@pytest.mark.parametrize("folder", ["/home/u/p-topic", "/home/u/p/.claude/worktrees/topic"])
def test_a_path_in_another_worktree_is_a_path_of_the_project(folder: str) -> None:
    """An agent in a linked worktree edits the same files in another folder."""
    wanted = {"tool": "edit", "paths": ["docs/api/"]}
    call = call_of("Edit", {"file_path": f"{folder}/docs/api/a.md", "new_string": "x"}, folder)
    assert match.fires(wanted, match.Seen(call, "/home/u/p", worktrees=[folder]))
    # One that agents keep inside the project is known by its place, any other only by git's list.
    assert (match.fires(wanted, match.Seen(call, "/home/u/p")) is None) is (folder == "/home/u/p-topic")


@pytest.mark.parametrize(
    ("rule", "line", "stopped"),
    [
        ("Use `uv run pytest`, not `pytest`.", "uv run pytest -q", False),
        ("Use `uv run pytest`, not `pytest`.", "cd x && pytest -q", True),
        ("Never run `jest` directly; use `yarn jest`.", "yarn jest a", False),
        ("Never run `jest` directly; use `yarn jest`.", "npx jest a", True),
    ],
)
def test_what_a_rule_wants_instead_passes_when_it_starts_the_same_program(rule: str, line: str, stopped: bool) -> None:
    """Such rules stand in many instruction files, and their guard fired at the very command they ask for."""
    found = derive(rule)
    assert found is not None
    assert fires(dict(matcher(found.guard)), line) is stopped


@pytest.mark.parametrize(
    ("line", "found"),
    [
        ("python3 -c \"import subprocess; subprocess.run(['git', 'push', '--force'])\"", "guessed"),
        ("node -e \"require('child_process').spawnSync('git', ['push', '-f'])\"", "guessed"),
        ("python3 -c \"import os; os.system('git push --force')\" && git push --force", "certain"),
        ("python3 -c \"print('git push --force')\"", ""),
        ("node -e \"/git/.exec('git push --force')\"", ""),
        ("python3 -c \"exec('git push --force')\"", ""),
    ],
)
def test_what_a_program_on_the_line_starts_is_reminded_of_and_never_more(line: str, found: str) -> None:
    force = {"tool": "run", "commands": [{"program": "git", "words": ["push"], "options": ["--force", "-f"]}]}
    fire = match.fires(force, match.Seen(call_of("Bash", {"command": line}, "/home/u/p"), "/home/u/p"))
    assert ("" if fire is None else "certain" if fire.certain else "guessed") == found


@pytest.mark.parametrize("piece", ["open(", "(", "Path(", "a / ", "f(x, ", "'", '"""', "x = [", "for a in b: "])
def test_a_program_that_never_ends_costs_no_time_and_breaks_nothing(piece: str) -> None:
    line = f"python3 - <<'EOF'\nimport subprocess\n{piece * (30_000 // len(piece))}\nEOF\ntouch gen/a.ts"
    began = time.process_time()
    assert match.fires(GEN, match.Seen(call_of("Bash", {"command": line}, "/home/u/p"), "/home/u/p"))
    assert time.process_time() - began < 3


def test_a_checkout_that_claude_code_keeps_is_not_its_own_folder() -> None:
    """In a real project's sessions a rule about `.claude/` fired at `git add src/a.py` in such a checkout."""
    claude = {"tool": "run", "commands": [{"program": "git", "words": ["add"]}], "paths": [".claude/"]}
    for line, fires in (("git add src/a.py", False), ("git add .claude/settings.json", True)):
        inside = f"cd /home/u/p/.claude/worktrees/agent-1\n{line}"
        seen = match.Seen(call_of("Bash", {"command": inside}, "/home/u/p"), "/home/u/p")
        assert (match.fires(claude, seen) is not None) is fires
