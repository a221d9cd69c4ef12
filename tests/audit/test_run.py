"""The audit from outside: real repositories, real files, the JSON of the contract."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from tenure.audit import documentation, fixing, online, report, run, terminal_report
from tenure.audit.findings import Fixed
from tenure.files.git import Git
from tenure.model.errors import BadRequest, Conflict

from .conftest import NOW, Repository

LOADER = "".join(f"def load_{name}(value):\n    return value + {n}\n\n" for n, name in enumerate("abcdef"))


def audited(root: Path, **options: Any) -> dict[str, Any]:
    return report.as_json(run.audit(root, now=NOW, **{"deep": True, "perhaps": True, **options}))


def claims_of(root: Path, **options: Any) -> dict[str, dict[str, Any]]:
    return {claim["text"]: claim for memory in audited(root, **options)["memories"] for claim in memory["claims"]}


def status_of(root: Path, text: str, **options: Any) -> str:
    return str(claims_of(root, **options)[text]["status"])


def test_a_renamed_file_is_moved_with_the_commit_and_the_new_path(repository: Repository) -> None:
    """Issue: when and why it broke, and a repair."""
    repository.write("src/loader.py", LOADER)
    repository.write("CLAUDE.md", "Read `src/loader.py` first.\n")
    repository.commit("Begin")
    repository.git("mv", "src/loader.py", "src/reader.py")
    repository.commit("Call the loader a reader")
    claim = claims_of(repository.root)["src/loader.py"]
    assert (claim["status"], claim["repair"], claim["confidence"]) == ("moved", "src/reader.py", 1.0)
    assert claim["since"]["subject"] == "Call the loader a reader"
    assert claim["since"]["date"] == "2023-11-16T22:13:20Z"


def test_a_rename_of_a_rename_is_followed(repository: Repository) -> None:
    """Issue: renamed or moved files."""
    repository.write("a.py", LOADER)
    repository.write("AGENTS.md", "See `a.py`.\n")
    repository.commit("Begin")
    repository.git("mv", "a.py", "b.py")
    repository.commit("b")
    repository.write("lib/x", "")
    repository.git("mv", "b.py", "lib/c.py")
    repository.commit("c")
    claim = claims_of(repository.root)["a.py"]
    assert (claim["status"], claim["repair"], claim["since"]["subject"]) == ("moved", "lib/c.py", "b")


def test_what_two_renames_changed_is_counted_together(repository: Repository) -> None:
    """Issue: how sure a repair is; each rename altered a twelfth of the file, so the chain is less sure than either."""
    repository.write("a.py", LOADER + LOADER.replace("load", "keep"))
    repository.write("AGENTS.md", "See `a.py`.\n")
    repository.commit("Begin")
    found = []
    for old, new, changed in (("a.py", "b.py", "load_a"), ("b.py", "c.py", "load_b")):
        repository.git("mv", old, new)
        text = (repository.root / new).read_text()
        repository.write(new, text.replace(f"def {changed}(value)", f"def fetched_{changed}(value)"))
        repository.commit(new)
        found.append(claims_of(repository.root)["a.py"]["confidence"])
    assert 0.5 < found[0] < 1.0
    last = repository.git("log", "-1", "--raw", "--find-renames", "--format=").split()[4]
    assert found[1] == pytest.approx(found[0] * int(last.removeprefix("R")) / 100, abs=0.01)
    assert found[1] < found[0]


def test_a_moved_folder_and_a_removed_file(repository: Repository) -> None:
    """Issue: files renamed, moved, deleted."""
    for name in "xyz":
        repository.write(f"old/{name}.py", LOADER.replace("load", name))
    repository.write("gone.py", "import nothing_at_all\n")
    repository.write("CLAUDE.md", "Code is in `old/`. Never touch `gone.py`.\n")
    repository.commit("Begin")
    repository.git("mv", "old", "new")
    repository.git("rm", "-q", "gone.py")
    repository.commit("Tidy")
    claims = claims_of(repository.root)
    assert (claims["old/"]["status"], claims["old/"]["repair"]) == ("moved", "new/")
    assert (claims["gone.py"]["status"], claims["gone.py"]["repair"]) == ("missing", None)
    assert claims["gone.py"]["since"]["subject"] == "Tidy"


def test_a_function_that_is_called_but_no_longer_defined_is_missing(repository: Repository) -> None:
    """A definition is what counts, not a mention; a library's names were never defined here and stay true."""
    repository.write("a.py", LOADER)
    repository.write("b.py", "from a import load_a\nimport json\n\nprint(load_a(json.dumps_pretty(1)))\n")
    repository.write("c.ts", "export function drawBox(a: string) {\n  return useState(a);\n}\n")
    repository.write("d.ts", "drawBox('x');\nthrow new RangeProblem('x');\n")
    repository.write("CLAUDE.md", "`load_a()`, `dumps_pretty`, `drawBox()` and `RangeProblem`.\n")
    repository.commit("Begin")
    assert {claim["status"] for claim in claims_of(repository.root).values()} == {"ok"}
    repository.write("a.py", LOADER.replace("def load_a(value):\n    return value + 0\n\n", ""))
    repository.write("c.ts", "// nothing left\n")
    repository.write("d.ts", "drawBox('x');\nuseState(1);\n")
    repository.write("e.ts", "throw new RangeProblem('y');\n")
    repository.commit("Drop two functions")
    claims = claims_of(repository.root)
    assert {text: claim["status"] for text, claim in claims.items()} == {
        "load_a": "missing",
        "dumps_pretty": "ok",
        "drawBox": "missing",
        "RangeProblem": "ok",
    }
    assert claims["drawBox"]["since"]["subject"] == "Drop two functions"


def test_a_renamed_and_a_moved_function(repository: Repository) -> None:
    """Issue: relocated symbols; a changelog that still names the old one does not save it."""
    repository.write("src/a.py", LOADER)
    repository.write("src/b.py", "")
    repository.write("CLAUDE.md", "Use `load_a()`. `load_b` in `src/a.py` is slow. `load_c()` is fine.\n")
    repository.commit("Begin")
    repository.write(
        "src/a.py",
        LOADER.replace("load_a", "fetch_a").replace("def load_b(value):\n    return value + 1\n\n", ""),
    )
    repository.write("src/b.py", "def load_b(value):\n    return value + 1\n")
    repository.write("CHANGELOG.md", "load_a is now fetch_a\n")
    repository.commit("Rename and move")
    claims = claims_of(repository.root)
    assert (claims["load_a"]["status"], claims["load_a"]["repair"]) == ("moved", "fetch_a")
    assert (claims["load_b"]["status"], claims["load_b"]["repair"]) == ("moved", "src/b.py")
    assert claims["load_c"]["status"] == "ok"


@pytest.mark.parametrize(
    ("path", "code", "claim"),
    [
        ("a.py", "class Loader:\n    def feed_it(self): ...\n", "`Loader.feed_it()`"),
        ("a.ts", "export class Loader { feedIt(): void {} }\n", "`Loader.feedIt()`"),
        ("a.js", "export const feedIt = () => 1;\n", "`feedIt`"),
        ("a.go", "package x\nfunc (l *Loader) FeedIt() {}\n", "`Loader.FeedIt`"),
        ("a.rs", "impl Loader { fn feed_it(&self) {} }\n", "`Loader::feed_it`"),
        ("A.java", "class Loader { void feedIt() {} }\n", "`Loader#feedIt()`"),
        ("a.cpp", "void Loader::feedIt(int x) {}\n", "`Loader::feedIt`"),
        ("a.c", "int feed_it(void) { return 1; }\n", "`feed_it()`"),
        ("a.rb", "class Loader\n  def feed_it!; end\nend\n", "`feed_it!`"),
        ("a.sh", "feed_it() {\n  echo\n}\n", "`feed_it`"),
        ("a.yaml", "feed_it: 1\n", "`feed_it`"),
    ],
)
@pytest.mark.parametrize("grammars", [True, False])
def test_symbols_are_found_in_many_languages(
    repository: Repository, monkeypatch: pytest.MonkeyPatch, path: str, code: str, claim: str, grammars: bool
) -> None:
    """Issue: tree-sitter for seven languages, a word search elsewhere or without the extra."""
    if grammars:
        pytest.importorskip("tree_sitter_language_pack")
    if not grammars:
        monkeypatch.setitem(sys.modules, "tree_sitter_language_pack", None)
    repository.write(path, code)
    repository.write("CLAUDE.md", f"Use {claim} and `never_was_here()`.\n")
    statuses = [each["status"] for each in claims_of(repository.root).values()]
    assert statuses == ["ok", "missing"]


def test_commands_packages_and_branches(repository: Repository) -> None:
    """Issue: commands against the real targets, packages against every manifest, branches against git."""
    repository.write("Makefile", "build:\n\techo\n")
    repository.write("package.json", '{"scripts": {"dev": "x"}, "dependencies": {"lodash": "1"}}')
    repository.write("pyproject.toml", '[project]\nname = "x"\ndependencies = ["Requests>=2"]\n')
    text = "`make build` `make ship` `npm run dev` `npm run gone`. The `lodash` package, the `requests` "
    text += "package, the `left-pad` package and the `json` library. "
    text += "Branch: `main`, branch feature/none here.\n"
    repository.write("CLAUDE.md", text)
    repository.commit("Begin")
    statuses = {text: claim["status"] for text, claim in claims_of(repository.root).items()}
    assert statuses == {
        "make build": "ok",
        "make ship": "missing",
        "npm run dev": "ok",
        "npm run gone": "missing",
        "lodash": "ok",
        "requests": "ok",
        "left-pad": "missing",
        "json": "ok",
        "main": "ok",
        "feature/none": "missing",
    }


def test_a_renamed_target_is_repaired(repository: Repository) -> None:
    """Issue: changed command names."""
    repository.write("Makefile", "set-up:\n\techo one\n")
    repository.write("package.json", '{"scripts": {\n"watch:all": "vite"\n}}')
    repository.write("CLAUDE.md", "Run `make set-up`, then `npm run watch:all`.\n")
    repository.commit("Begin")
    repository.write("Makefile", "prepare:\n\techo one\n")
    repository.write("package.json", '{"scripts": {\n"dev:all": "vite"\n}}')
    repository.commit("Rename")
    claims = claims_of(repository.root)
    assert claims["make set-up"]["repair"] == "make prepare"
    assert claims["npm run watch:all"]["repair"] == "npm run dev:all"


def test_a_fix_mends_pure_moves_only_and_can_be_undone(repository: Repository) -> None:
    """Issue: `--fix` applies only pure moves, keeps everything else byte for byte, and can be undone."""
    repository.write("src/loader.py", LOADER)
    text = "# Rules\r\n\r\nRead `src/loader.py:3`, call `load_a()`; see [it](src/loader.py).  \r\n"
    (repository.root / "CLAUDE.md").write_bytes(text.encode())
    repository.commit("Begin")
    repository.write("src/loader.py", LOADER.replace("load_a", "fetch_a"))
    repository.commit("Rename a function")
    (repository.root / "lib").mkdir()
    repository.git("mv", "src/loader.py", "lib/loader.py")
    repository.commit("Move a file")
    before = (repository.root / "CLAUDE.md").read_bytes()
    run.audit(repository.root, now=NOW, fix=True, dry_run=True)
    assert (repository.root / "CLAUDE.md").read_bytes() == before
    fixes: list[Fixed] = []
    run.audit(repository.root, now=NOW, fix=True, before_fix=fixes.extend)
    assert (repository.root / "CLAUDE.md").read_bytes() == before.replace(b"src/loader.py", b"lib/loader.py")
    fixing.apply(fixing.taken_back(fixes))
    assert (repository.root / "CLAUDE.md").read_bytes() == before
    (repository.root / "CLAUDE.md").write_text("changed")
    with pytest.raises(Conflict):
        fixing.apply(fixing.taken_back(fixes))


def test_the_folder_of_a_store_is_audited_alone(repository: Repository, tmp_path: Path) -> None:
    """Contract: audit lists the memories of DIR only; float score, action by the truncated integer."""
    memory = tmp_path / "memory"
    memory.mkdir()
    (memory / "MEMORY.md").write_text("- [a.md](a.md) — a\n- [zz.md](zz.md) — z\n", "utf-8")
    (memory / "a.md").write_text("---\nname: a\ntype: Project\n---\n\nSee `src/none.py`.\n")
    old = (NOW - timedelta(days=14)).timestamp()
    os.utime(memory / "a.md", (old, old))
    repository.write("CLAUDE.md", "x")
    found = audited(repository.root, store_dir=memory)
    (only,) = found["memories"]
    assert (only["id"], only["kind"], only["score"], only["action"]) == ("a.md", "project", 70.0, "review")
    assert (only["age_days"], only["age_source"], only["claims"][0]["line"]) == (14.0, "file", 6)
    assert found["summary"]["problems"] == {"entry-without-file": 1}
    kept = audited(repository.root, store_dir=memory, reviewed=lambda source: NOW, deep=False)["memories"][0]
    assert (kept["action"], kept["age_source"]) == ("keep", "review")


def test_the_age_comes_from_the_header_then_git_then_the_file(repository: Repository) -> None:
    """Issue: age from `modified`, else from git, else mtime, and it says which."""
    header = "---\nname: a\nmetadata:\n  type: user\n  modified: 2026-05-22T00:00:00Z\n---\nA\n"
    repository.write("memory/MEMORY.md", "- [a.md](a.md)\n")
    repository.write("memory/a.md", header)
    repository.write("memory/b.md", "---\nname: b\ntype: user\n---\nB\n")
    repository.commit("Begin")
    repository.write("memory/c.md", "---\nname: c\ntype: user\nmodified: nonsense\n---\nC\n")
    found = {memory["id"]: memory for memory in audited(repository.root, deep=False)["memories"]}
    assert {name: memory["age_source"] for name, memory in found.items()} == {
        "a.md": "header",
        "b.md": "git",
        "c.md": "file",
    }
    assert found["a.md"]["age_days"] == 10.0


def test_what_an_audit_remembers_inside_the_project_is_not_audited(repository: Repository) -> None:
    """Our choice: a cache that names a symbol must not keep it alive, wherever the user's folder lies."""
    repository.write("src/a.py", "def alpha_beta():\n    return 1\n")
    repository.write("memory/a.md", "---\nname: a\ntype: user\n---\nCall `alpha_beta`.\n")
    repository.commit("Begin")
    cache = repository.root / "home" / "audit"
    options = {"store_dir": repository.root / "memory", "cache_dir": cache}
    assert audited(repository.root, **options)["memories"][0]["claims"][0]["status"] == "ok"
    repository.git("rm", "-q", "src/a.py")
    repository.commit("Remove")
    assert any(cache.iterdir())
    assert audited(repository.root, **options)["memories"][0]["claims"][0]["status"] == "missing"


def test_an_old_file_that_was_committed_late_keeps_its_age(repository: Repository) -> None:
    """Spec 2.3: prefer `modified`, fall back to the time on disk; a commit cannot make a memory younger."""
    repository.write("memory/a.md", "---\nname: a\ntype: value\n---\nA\n")
    old = NOW.timestamp() - 4 * 365 * 86_400
    repository.commit("Begin")
    os.utime(repository.root / "memory/a.md", (old, old))
    (found,) = audited(repository.root, store_dir=repository.root / "memory", deep=False)["memories"]
    assert (found["age_days"], found["age_source"], found["score"]) == (1460.0, "file", 93.75)


def test_every_kind_of_file_an_agent_reads_is_found(repository: Repository, tmp_path: Path) -> None:
    """Issue: the list of instruction files, the client's folder for the project, the dialects' folders."""
    wanted = {
        "CLAUDE.md": "See @docs/more.md and `@docs/not.md`.\n",
        "docs/more.md": "Imported.\n",
        "docs/not.md": "Not imported.\n",
        "CLAUDE.local.md": "local\n",
        "sub/AGENTS.md": "a\n",
        "GEMINI.md": "g\n",
        ".claude/rules/x.md": "r\n",
        ".cursor/rules/y.mdc": "c\n",
        ".github/copilot-instructions.md": "h\n",
        ".claude/memory/decisions/d.json": '{"id": "d", "category": "decision", "title": "Use `no.py`"}',
        ".archeflow/memory/lessons.jsonl": '{"id": "m-001", "type": "pattern", "text": "a b c"}\nbroken\n',
        ".geas/memory/entries/e.json": '{"memory_id": "e", "memory_type": "x", "body": "one two"}',
        ".gitignore": "CLAUDE.local.md\n",
    }
    for path, text in wanted.items():
        repository.write(path, text)
    name = "".join(c if c.isascii() and c.isalnum() else "-" for c in str(repository.root.resolve()))
    folder = tmp_path / "home/.claude/projects" / name / "memory"
    folder.mkdir(parents=True)
    (folder / "MEMORY.md").write_text("# Mine\n\nAlone.\n")
    found = {memory["id"] for memory in audited(repository.root)["memories"]}
    assert found == {
        *(path for path in wanted if path.endswith((".md", ".mdc")) and path != "docs/not.md"),
        "d",
        "m-001",
        ".archeflow/memory/lessons.jsonl:2",
        "e",
        "MEMORY.md",
    }


def test_without_git_the_audit_says_so_and_goes_on(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Issue: a repository without git, or git itself missing: clear words, no crash."""
    project = tmp_path / "plain"
    (project / "lib").mkdir(parents=True)
    (project / "lib/tool.py").write_text("x = 1\n")
    (project / "CLAUDE.md").write_text("`src/tool.py`, branch feature/login, `src/none.py`\n")
    monkeypatch.setenv("PATH", str(tmp_path / "empty"))
    found = audited(project)
    assert any("git" in notice for notice in found["notices"])
    statuses = {claim["text"]: (claim["status"], claim["repair"]) for claim in found["memories"][0]["claims"]}
    assert statuses == {
        "src/tool.py": ("moved", "lib/tool.py"),
        "feature/login": ("unchecked", None),
        "src/none.py": ("missing", None),
    }


def test_a_shallow_clone_and_a_submodule_not_there(
    repository: Repository, another: Callable[[str], Repository], tmp_path: Path
) -> None:
    """Issue: a shallow clone, a submodule."""
    part = another("part")
    part.write("inside.py", "x = 1\n")
    part.commit("Begin")
    repository.git("submodule", "add", "-q", str(part.root), "vendor/part")
    repository.write("CLAUDE.md", "`vendor/part/inside.py` and branch feature/login\n")
    repository.commit("One")
    assert status_of(repository.root, "vendor/part/inside.py") == "ok"
    repository.commit("Two")
    clone = tmp_path / "clone"
    url = f"file://{repository.root}"
    subprocess.run(["git", "clone", "-q", "--depth", "1", url, str(clone)], check=True, capture_output=True)
    found = audited(clone)
    assert any("shallow" in notice for notice in found["notices"])
    assert any("vendor/part" in notice for notice in found["notices"])
    assert {claim["status"] for claim in found["memories"][0]["claims"]} == {"unchecked"}


def test_hostile_and_huge_files_are_reported(repository: Repository, tmp_path: Path) -> None:
    """Issue: a symlink loop, a binary file named .md, a 100 MB file: clear words, no crash."""
    (repository.root / "loop").symlink_to(repository.root)
    (repository.root / "CLAUDE.md").write_bytes(b"\x00\x01\xff" * 100)
    repository.write("memory/MEMORY.md", "- [link.md](link.md)\n")
    (repository.root / "memory/link.md").symlink_to(tmp_path / "secret")
    (repository.root / "memory/latin.md").write_bytes("---\nname: é\n---\n".encode("latin-1"))
    with open(repository.root / "AGENTS.md", "wb") as file:
        file.truncate(100 * 1024 * 1024)
    with open(repository.root / "huge.py", "wb") as file:
        file.truncate(100 * 1024 * 1024)
    problems: dict[str, str] = {}
    for problem in audited(repository.root)["problems"]:
        problems[problem["path"]] = problems.get(problem["path"], "") + problem["message"]
    assert "binary" in problems["CLAUDE.md"]
    assert "104,857,600 bytes" in problems["AGENTS.md"]
    assert "symbolic link" in problems["memory/link.md"]
    assert "not UTF-8" in problems["memory/latin.md"]


def test_a_repository_cannot_run_a_program(repository: Repository, tmp_path: Path) -> None:
    """GUARANTEES S10 and S20: settings of a cloned repository that name a command have no effect."""
    witness = tmp_path / "witness"
    repository.write("a.py", LOADER)
    repository.write("CLAUDE.md", "`b.py`, `gone_name()`, `--output=x.py`, `-rf`\n")
    repository.commit("Begin")
    program = tmp_path / "program"
    program.write_text(f"#!/bin/sh\ntouch {witness}\n")
    program.chmod(0o755)
    for setting in ("core.fsmonitor", "diff.external", "core.pager", "gpg.program", "diff.x.textconv"):
        repository.git("config", setting, str(program))
    repository.git("config", "log.showSignature", "true")
    repository.write(".gitattributes", "*.py diff=x\n* filter=x\n")
    for setting in ("clean", "smudge", "process"):
        repository.git("config", f"filter.x.{setting}", str(program))
    # Same size, other time: git must read the file to tell whether it changed.
    os.utime(repository.root / "CLAUDE.md", (1, 1))
    audited(repository.root)
    assert not witness.exists()


def test_git_is_run_only_to_read_what_no_filter_touches(repository: Repository) -> None:
    """Issue 13: that no program of a repository is started is decided in one place."""
    for words in (("status",), ("diff",), ("ls-files", "-z", "--modified"), ("ls-files", "-m"), ("checkout", "x")):
        with pytest.raises(ValueError, match="could start a program"):
            Git(repository.root).run(*words)


def test_a_page_changed_since_its_commit_is_dated_by_its_file(repository: Repository) -> None:
    """Our choice: the age of a page is that of its text, so a commit counts only for what it holds."""
    repository.write("CLAUDE.md", "Run `a.py`.\n")
    repository.commit("Begin")
    assert audited(repository.root)["memories"][0]["age_source"] == "git"
    repository.write("CLAUDE.md", "Run `b.py`.\n")
    assert audited(repository.root)["memories"][0]["age_source"] == "file"


def test_ignored_generated_and_excused_paths_are_unchecked(repository: Repository) -> None:
    """Our choice: absence there says nothing."""
    repository.write(".gitignore", "local.toml\n")
    (repository.root / "loop").symlink_to("..")
    repository.write(
        "CLAUDE.md",
        "`local.toml`, `dist/app.js`. We removed `src/old.py`. Or `owner/repo`. `loop/gone.py` is removed.\n",
    )
    repository.commit("Begin")
    assert {claim["status"] for claim in claims_of(repository.root).values()} == {"unchecked"}


def test_duplicates_contradictions_and_secrets(repository: Repository) -> None:
    """Issue: duplicates and near-duplicates, contradictions between files, secrets."""
    repository.write("CLAUDE.md", "Always run the slow integration tests before every release.\n")
    repository.write("AGENTS.md", "Never run the slow integration tests before every release.\n")
    body = "The billing service retries three times and then parks the invoice for a human to look at."
    repository.write("memory/MEMORY.md", "- [a.md](a.md)\n- [b.md](b.md)\n")
    repository.write("memory/a.md", body + "\n")
    repository.write("memory/b.md", body + " Really.\n")
    found = run.audit(repository.root, now=NOW, find_secrets=lambda text: [(1, "key")] if "slow" in text else [])
    codes = {(problem.code, problem.path) for problem in found.problems}
    assert codes >= {("duplicate", "memory/b.md"), ("secret", "CLAUDE.md")}
    assert [problem.code for problem in found.problems].count("contradiction") == 1
    assert report.fails(found, {"secrets"})
    assert not report.fails(found, {"broken"})


@pytest.mark.parametrize(
    ("claude", "agents"),
    [
        ("Use `OUR_ENV`, never `ENV`: ENV.[]/fetch/key? -> OUR_ENV.[]/fetch/key?. See.\n", "Other words.\n"),
        ("### Don't\n- Use generic event names like update or change\n", "Avoid generic event names: update, change\n"),
        ("No Sentry integration with existing logging\n", "Test Sentry integration with existing logging\n"),
        ("IF the requirements document EXISTS:\n", "IF NO requirements document EXISTS:\n"),
    ],
)
def test_one_instruction_with_its_two_sides_is_no_contradiction(
    repository: Repository, claude: str, agents: str
) -> None:
    """All three contradictions that two fetched repositories were told were none."""
    repository.write("CLAUDE.md", claude)
    repository.write("AGENTS.md", agents)
    assert not [each for each in run.audit(repository.root, now=NOW).problems if each.code == "contradiction"]


def test_a_page_that_was_put_away_is_left_out(repository: Repository) -> None:
    """A fetched repository keeps an old AGENTS.md of 5,354 lines below docs/archive; no agent reads it."""
    for path in ("AGENTS.md", "docs/archive/AGENTS.md"):
        repository.write(path, "See `src/a.py`.\n")
    repository.commit("Begin")
    assert [each.source.path for each in run.audit(repository.root, now=NOW).memories] == ["AGENTS.md"]


def test_a_second_run_answers_from_the_cache_and_notices_changes(repository: Repository, tmp_path: Path) -> None:
    """Issue: the second run is fast; a cached answer must never be an old one."""
    repository.write("a.py", "def first_name(): ...\n")
    repository.write("CLAUDE.md", "`first_name()` and `second_name()`\n")
    cache = tmp_path / "cache"
    options = {"cache_dir": cache}
    first = claims_of(repository.root, **options)
    assert [claim["status"] for claim in first.values()] == ["ok", "missing"]
    assert claims_of(repository.root, **options) == first
    repository.write("a.py", "def second_name(): ...  # now\n")
    assert [claim["status"] for claim in claims_of(repository.root, **options).values()] == ["missing", "ok"]
    (cache / "symbols.msgpack").write_bytes(b"garbage")
    (cache / "claims.msgpack").write_bytes(b"")
    assert [claim["status"] for claim in claims_of(repository.root, **options).values()] == ["missing", "ok"]


def test_every_form_of_the_report(repository: Repository) -> None:
    """Issue: a summary at a glance, SARIF, annotations; nothing in a memory reaches the terminal raw."""
    repository.write("CLAUDE.md", "`src/none.py` and `src/\x1b[31mx.py`\n% broken, `docs/none.md`\n")
    found = run.audit(repository.root, now=NOW, deep=True, perhaps=True)
    plain = terminal_report.render(found, colour=False)
    assert "\x1b" not in plain
    assert "CLAUDE.md:1  src/none.py is missing" in plain
    assert "\x1b[31m" in terminal_report.render(found, colour=True)
    sarif = report.as_sarif(found)
    assert {result["ruleId"] for result in sarif["runs"][0]["results"]} == {"broken-claim"}
    assert report.as_annotations(found).startswith("::warning file=CLAUDE.md,line=1,title=broken-claim::may be")
    assert not report.fails(found, {"broken"})  # nothing of it is sure


def test_what_a_program_is_told_reads_as_the_page_does(repository: Repository) -> None:
    """A reader of issue 17: "file 'src/a.py' it may be src/b.py now by 7149… on …" in SARIF, of "a memory"."""
    repository.write("src/a.py", "".join(f"def load_{name}(): ...\n" for name in "abcdef"))
    repository.write("src/c.py", "".join(f"VALUE_{name} = {name!r}\n" for name in "uvwxyz"))
    repository.write("CLAUDE.md", "See `src/a.py` and `src/c.py`.\n")
    repository.commit("Begin")
    repository.git("mv", "src/a.py", "src/b.py")
    repository.git("rm", "-q", "src/c.py")
    repository.commit("Move one, drop one")
    found = run.audit(repository.root, now=NOW, deep=True)
    run_of_it = report.as_sarif(found)["runs"][0]
    since = {
        finding.since.commit[:9]: finding.since.date[:10] for finding in found.memories[0].findings if finding.since
    }
    ((commit, date),) = since.items()
    told = [result["message"]["text"] for result in run_of_it["results"]]
    assert told == [
        f"src/a.py is now src/b.py (100% sure); since {commit} of {date}: Move one, drop one",
        f"src/c.py is missing: removed; since {commit} of {date}: Move one, drop one",
    ]
    assert all(f"::{text}\n" in report.as_annotations(found).replace("%25", "%") for text in told)
    described = [rule["shortDescription"]["text"] for rule in run_of_it["tool"]["driver"]["rules"]]
    assert [text.split(" names ")[0] for text in described] == ["A page", "A page"]


def test_a_remote_is_no_branch_and_a_program_no_dependency(repository: Repository) -> None:
    """A reader of issue 17: "origin is missing: no such branch", and the "package `jq`" in no manifest."""
    repository.write("pyproject.toml", '[project]\nname = "a"\ndependencies = ["msgspec"]\n')
    said = "Push to branch `{}`. The branch `{}` is ours. Use `{}` branch.\n"
    repository.write(
        "CLAUDE.md", said.format("origin", "fork", "gone-branch") + "Install the package `jq` and `nosuch`.\n"
    )
    repository.commit("Begin")
    repository.git("update-ref", "refs/remotes/fork/main", "HEAD")
    repository.write("docs/CLAUDE.md", said.format("fork", "upstream", "main"))
    found = run.audit(repository.root, now=NOW, deep=True, perhaps=True)
    answers = {
        claim["text"]: claim["status"] for memory in report.as_json(found)["memories"] for claim in memory["claims"]
    }
    assert answers.pop("main") == answers.pop("fork") == "ok"
    assert answers.pop("origin") == answers.pop("upstream") == answers.pop("jq") == "unchecked"
    assert answers == {"gone-branch": "missing", "nosuch": "missing"}


@pytest.mark.parametrize("host", ["127.0.0.1", "10.0.0.1", "169.254.169.254", "::1", "192.168.1.1", "0.0.0.0"])
def test_a_private_address_is_never_asked(host: str) -> None:
    """GUARANTEES S10: the opt-in URL check refuses private ranges."""
    assert online.public_address(host, 80) is None


def test_a_path_that_is_no_folder_is_refused(tmp_path: Path) -> None:
    """Errors say what was found and what to do."""
    with pytest.raises(BadRequest):
        run.audit(tmp_path / "none", now=NOW)


def test_a_link_to_another_instruction_file_repeats_nothing(repository: Repository) -> None:
    """Issue 17: `AGENTS.md -> CLAUDE.md` is the standard way, one file under two names."""
    repository.write("CLAUDE.md", "Run the whole suite with scripts/test before every commit, please.\n")
    (repository.root / "AGENTS.md").symlink_to("CLAUDE.md")
    repository.commit("Begin")
    assert [problem["code"] for problem in audited(repository.root)["problems"]] == []


def test_documentation_is_checked_when_asked(repository: Repository) -> None:
    """Agents follow "see docs/testing.md": of 190 broken claims of six repositories most stood on such pages."""
    repository.write("src/old.py", "x = 1\n")
    repository.write("docs/testing.md", "See [more](deep/more.md). Run `src/old.py`.\n")
    repository.write("docs/deep/more.md", "Also `src/old.py`, and ../never.md.\n")
    repository.write("README.md", "Start with `src/old.py`.\n")
    repository.write("docs/unnamed.md", "Nobody sends an agent to `src/old.py`.\n")
    repository.write("CHANGELOG.md", "- `src/old.py` added\n")
    repository.write("AGENTS.md", "Read docs/testing.md, then note it in CHANGELOG.md.\n")
    repository.commit("first")
    repository.git("mv", "src/old.py", "src/new.py")
    repository.commit("second")
    own = audited(repository.root)
    assert [memory["path"] for memory in own["memories"]] == ["AGENTS.md"]
    assert own["summary"]["docs_left"] == 2
    found = audited(repository.root, docs=True)
    broken = {
        memory["path"]: [(claim["text"], claim["repair"]) for claim in memory["claims"] if claim["status"] == "moved"]
        for memory in found["memories"]
        if memory["docs"]
    }
    moved = ("src/old.py", "src/new.py")
    assert broken == {"README.md": [moved], "docs/testing.md": [moved], "docs/deep/more.md": [moved]}
    assert (found["summary"]["docs_left"], found["summary"]["tokens_per_session"]) == (
        0,
        own["summary"]["tokens_per_session"],
    )
    report = run.audit(repository.root, now=NOW, docs=True, deep=True)
    assert "1 instruction file and 3 pages of documentation" in terminal_report.render(report, colour=False)
    assert "2 pages of documentation were not checked: tenure audit --docs" in terminal_report.render(
        run.audit(repository.root, now=NOW, deep=True), colour=False
    )


def test_an_audit_of_memories_alone_says_nothing_of_documentation(repository: Repository) -> None:
    """`--store claude-code:DIR` reads that folder and nothing else."""
    repository.write("README.md", "Text.\n")
    repository.write("memory/a.md", "Run `src/old.py`.\n")
    repository.commit("first")
    found = audited(repository.root, store_dir=repository.root / "memory")
    assert (len(found["memories"]), found["summary"]["docs_left"]) == (1, 0)


def test_of_very_many_pages_the_first_are_read(repository: Repository) -> None:
    """A page that lists a whole handbook must not make every audit read it all."""
    names = [f"docs/page{number}.md" for number in range(documentation.MOST_PAGES + 5)]
    for name in names:
        repository.write(name, "Text.\n")
    repository.write("AGENTS.md", "\n".join(f"- {name}" for name in names))
    found = audited(repository.root, docs=True)
    assert sum(memory["docs"] for memory in found["memories"]) == documentation.MOST_PAGES
    assert "5 more pages are left out: the first 100 are read" in found["notices"]


def test_a_page_of_documentation_that_leads_out_of_the_project_is_not_read(
    repository: Repository, tmp_path: Path
) -> None:
    """S10: a folder may be a link to somewhere else."""
    (tmp_path / "outside").mkdir()
    (tmp_path / "outside/secret.md").write_text("private\n")
    repository.write("AGENTS.md", "See docs/secret.md and ../outside/secret.md and https://x.invalid/docs/secret.md.\n")
    (repository.root / "docs").symlink_to(tmp_path / "outside")
    (repository.root / "page.md").symlink_to(tmp_path / "outside/secret.md")
    repository.write("CLAUDE.md", "See page.md.\n")
    repository.commit("first")
    found = audited(repository.root, docs=True)
    assert [memory["path"] for memory in found["memories"]] == ["AGENTS.md", "CLAUDE.md"]
