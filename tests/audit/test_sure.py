"""The two lists: what is broken, and what may be. An instruction file is accused only on evidence."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tenure.audit import html_report, removed_names, renamed_names, report, run, terminal_report

from .conftest import NOW, Repository

LOADER = "".join(f"def load_{name}(value):\n    return value + {n}\n\n" for n, name in enumerate("abcdef"))


def claims_of(root: Path, **options: Any) -> dict[str, dict[str, Any]]:
    found = report.as_json(run.audit(root, now=NOW, deep=True, **options))
    return {claim["text"]: claim for memory in found["memories"] for claim in memory["claims"]}


def verdict(root: Path, text: str, **options: Any) -> tuple[str, bool]:
    claim = claims_of(root, **options)[text]
    return claim["status"], claim["sure"]


def test_what_went_is_broken_and_what_never_was_is_left_open(repository: Repository) -> None:
    """Issue 17: broken is what history proves; without --perhaps the rest is unchecked."""
    repository.write("src/loader.py", LOADER)
    repository.write("CLAUDE.md", "See `src/loader.py`, `other/never.py` and `never_named()`.\n")
    repository.commit("Begin")
    repository.git("rm", "-q", "src/loader.py")
    repository.commit("Remove")
    assert verdict(repository.root, "src/loader.py") == ("missing", True)
    for text in ("other/never.py", "never_named"):
        assert verdict(repository.root, text) == ("unchecked", False)
        assert verdict(repository.root, text, perhaps=True) == ("missing", False)
    found = run.audit(repository.root, now=NOW, deep=True)
    assert "2 more may be broken: tenure audit --perhaps lists them" in terminal_report.render(found, colour=False)
    assert "Perhaps broken" in terminal_report.render(
        run.audit(repository.root, now=NOW, deep=True, perhaps=True), colour=False
    )


def test_what_may_be_broken_fails_no_gate(repository: Repository) -> None:
    """A stranger's finding: `--perhaps --fail-on broken` failed on what it calls "may be" itself."""
    repository.write("CLAUDE.md", "See `other/never.py`.\n")
    repository.write("src/a.py", "x = 1\n")
    repository.commit("Begin")
    found = run.audit(repository.root, now=NOW, deep=True, perhaps=True)
    assert report.as_json(found)["memories"][0]["claims"][0]["status"] == "missing"
    assert not report.fails(found, {"broken"})
    repository.write("CLAUDE.md", "See `src/a.py` and `src/never.py`.\n")
    assert report.fails(run.audit(repository.root, now=NOW, deep=True, perhaps=True), {"broken"})


def test_what_may_be_broken_changes_nothing_that_is_told_as_broken(repository: Repository) -> None:
    """A stranger's finding: with --perhaps "ok 0 broken" became "!! 22 broken", and annotations were errors."""
    drawn = "".join(f"├── never{number}.py\n" for number in range(6))
    repository.write("src/a.py", LOADER)
    repository.write("src/loader.py", "x = 1\n")
    repository.write("CLAUDE.md", f"See `src/a.py`, `src/loader.py`, `far/never.py`.\n\n```\nsrc/\n{drawn}```\n")
    repository.write("AGENTS.md", "See `far/other.py`, `far/never.py` and `far/third.py`.\n")
    repository.commit("Begin")
    repository.git("rm", "-q", "src/loader.py")
    repository.commit("Remove")
    alone = run.audit(repository.root, now=NOW, deep=True)
    both = run.audit(repository.root, now=NOW, deep=True, perhaps=True)
    pages = [terminal_report.render(each, colour=False) for each in (alone, both)]
    assert [each.split("\n")[1].split(" (")[0] for each in pages] == ["  !! 1 broken reference of 13 checked"] * 2
    lists = [each.split("Broken references\n")[1].split("\n\n")[0] for each in pages]
    assert lists[0] == lists[1]
    # A stranger's finding: the head counted places, 148, and the list what they say, 77.
    assert "9 more may be broken, in 10 places: tenure audit --perhaps lists them" in pages[0]
    assert "9 more may be broken, in 10 places: listed apart" in pages[1]
    on_list = pages[1].split("Perhaps broken\n")[1].split("\n\n")[0].splitlines()
    assert len([line for line in on_list if not line.startswith("      ")]) == 9
    for found in (alone, both):
        numbers = report.summary(found)
        assert (numbers["broken"], numbers["may_be_broken"], numbers["sure"], numbers["perhaps"]) == (1, 10, 1, 10)
        assert report.as_annotations(found).count("::error ") == 1
        assert "<b>1</b>broken references" in html_report.render(found, "x")
        assert "<b>10</b>more that may be broken" in html_report.render(found, "x")
    assert [memory.score for memory in alone.memories] == [memory.score for memory in both.memories]


def test_a_fix_says_what_it_changes_and_why_it_leaves_a_repair_out(repository: Repository) -> None:
    """A stranger's finding: --fix changed nothing without a word, and told to run what had just been run."""
    repository.write("src/a.py", LOADER)
    repository.write("src/b.py", "import a\n")
    repository.write("CLAUDE.md", "Call `load_a` in `src/a.py`.\n")
    repository.commit("Begin")
    first, rest = LOADER[: LOADER.index("def load_b")], LOADER[LOADER.index("def load_b") :]
    repository.write("helper.py", first)
    repository.write("src/a.py", rest)
    repository.commit("Move a function")
    before = (repository.root / "CLAUDE.md").read_bytes()
    looked = terminal_report.render(run.audit(repository.root, now=NOW, deep=True), colour=False)
    assert "load_a is now in helper.py (90% sure)" in looked
    assert "with a repair" not in looked
    assert "--fix" not in looked
    for least in (None, 0.5):
        shown = terminal_report.render(
            run.audit(repository.root, now=NOW, fix=True, dry_run=True, min_confidence=least), colour=False
        )
        assert shown.endswith(
            "Would be changed: nothing.\n1 repair is not applied: the name stays, its file is another (1)."
        )
        done = terminal_report.render(run.audit(repository.root, now=NOW, fix=True, min_confidence=least), colour=False)
        assert "\nChanged: nothing.\n" in done
    assert (repository.root / "CLAUDE.md").read_bytes() == before


def test_a_fix_that_changes_something_says_how_much(repository: Repository) -> None:
    """A stranger's finding: --fix said nothing of what it changed; the plain audit offers it where it would."""
    repository.write("src/a.py", LOADER)
    repository.write("CLAUDE.md", "See `src/a.py`.\nNever write to `src/a.py`.\n")
    repository.commit("Begin")
    repository.git("mv", "src/a.py", "src/b.py")
    repository.commit("Rename")
    assert report.summary(run.audit(repository.root, now=NOW, deep=True))["fixable"] == 1
    shown = terminal_report.render(run.audit(repository.root, now=NOW, fix=True, dry_run=True), colour=False)
    assert "+See `src/b.py`." in shown
    assert "Would be changed: 1 reference in 1 file." in shown
    assert shown.endswith("Next: tenure audit --fix")
    done = terminal_report.render(run.audit(repository.root, now=NOW, fix=True), colour=False)
    assert "Changed: 1 reference in 1 file." in done


def test_a_name_went_with_its_definition_and_not_with_its_last_call(repository: Repository) -> None:
    """A stranger's finding: "since" named the commit that removed a call, months after the definition had left."""
    method = "    fun measureHeight(\n        scale: Float,\n    ): Float {\n        return scale * 2\n    }\n"
    call = "    fun draw() {\n        measureHeight(1f)\n    }\n"
    repository.write("src/Provider.kt", f"class Provider {{\n{call}{method}}}\n")
    repository.write("AGENTS.md", "**Helper:** `measureHeight()` in `Provider.kt`\n")
    repository.commit("Begin")
    repository.write("src/Helper.kt", f"object Helper {{\n{method}}}\n")
    repository.write("src/Provider.kt", f"class Provider {{\n{call.replace('meas', 'Helper.meas')}}}\n")
    repository.commit("Extract a helper")
    repository.write("src/Provider.kt", "class Provider {\n}\n")
    repository.commit("Draw elsewhere")
    claim = claims_of(repository.root)["measureHeight"]
    assert (claim["status"], claim["repair"]) == ("moved", "src/Helper.kt")
    assert claim["since"]["subject"] == "Extract a helper"


def test_lines_beyond_the_end_of_a_file_are_broken_whatever_they_show(repository: Repository) -> None:
    """A stranger's finding: `Provider.kt:429-461` in a file of 89 lines was not checked, its method being elsewhere."""
    repository.write("src/Provider.kt", "class Provider {\n}\n")
    repository.write("src/Helper.kt", "object Helper {\n    fun measureHeight() {}\n}\n")
    repository.write("AGENTS.md", "**Helper:** `measureHeight()` in `Provider.kt:429-461`\n")
    repository.commit("Begin")
    claim = claims_of(repository.root)["Provider.kt:429-461"]
    assert (claim["status"], claim["sure"], claim["why"]) == ("missing", True, "the file has 3 lines")


@pytest.mark.parametrize("build", ["        targetSdk 36\n", "        targetSdk = 36\n", "targetSdkVersion(36)\n"])
def test_a_level_of_android_is_checked_against_the_build(build: str, repository: Repository) -> None:
    """A stranger's finding: "Target SDK: 35" stood unchecked where build.gradle says 36."""
    written = f"android {{\n    compileSdk 36\n        minSdk 26\n{build}}}\n"
    old = written.replace("compileSdk 36", "compileSdk 37").replace("36", "35")
    repository.write("app/build.gradle", old)
    repository.write("AGENTS.md", "- **Target SDK:** 35 (Android 15)\n- **Min SDK:** 26\n- compileSdk 37\n")
    repository.commit("Begin")
    repository.write("app/build.gradle", written)
    repository.commit("Raise the target")
    found = {text: (claim["status"], claim["sure"]) for text, claim in claims_of(repository.root).items()}
    broken = ("moved", True)
    assert found == {"Target SDK:** 35": broken, "Min SDK:** 26": ("ok", False), "compileSdk 37": broken}


def test_the_bar_of_a_whole_look_through_the_code_ends_full(repository: Repository) -> None:
    """The recording of `tenure start` showed a bar that stopped at 87 %."""
    for number in range(7):
        repository.write(f"src/a{number}.py", "x = 1\n")
    repository.write("CLAUDE.md", "Call `load_it()`.\n")
    repository.commit("Begin")
    seen: list[tuple[int, int]] = []
    run.audit(repository.root, now=NOW, deep=True, progress=lambda done, total: seen.append((done, total)))
    assert seen[-1] == (7, 7)


def test_a_memory_keeps_its_answers(repository: Repository, tmp_path: Path) -> None:
    """Issue 17: the two lists rule instruction files; the memories of a store keep their recorded answers."""
    memory = tmp_path / "memory"
    memory.mkdir()
    (memory / "a.md").write_text("---\nname: a\ntype: project\n---\n\nSee `other/never.py`.\n")
    repository.commit("Begin")
    assert verdict(repository.root, "other/never.py", store_dir=memory) == ("missing", False)


def test_a_name_is_gone_only_when_its_definition_was_here(repository: Repository) -> None:
    """Issue 17: a name that never had a definition in the history stays unchecked."""
    repository.write("src/loader.py", LOADER + "fetch(isDraft=1)\n")
    repository.write("CLAUDE.md", "Call `load_a()`. GitHub says `isDraft`.\n")
    repository.commit("Begin")
    repository.write("src/loader.py", LOADER.replace("load_a", "read_a"))
    repository.commit("Rename")
    claim = claims_of(repository.root)["load_a"]
    assert (claim["status"], claim["sure"], claim["repair"]) == ("moved", True, "read_a")
    assert verdict(repository.root, "isDraft") == ("unchecked", False)


def test_a_name_told_of_a_file_that_lacks_it_is_broken(repository: Repository) -> None:
    """Issue 17: the page names a place that holds something else."""
    repository.write("src/loader.py", LOADER)
    repository.write("CLAUDE.md", "| `src/loader.py` | has `WriterImpl` and `load_a` |\n\nAlso `ReaderImpl`.\n")
    repository.commit("Begin")
    assert verdict(repository.root, "WriterImpl") == ("missing", True)
    assert verdict(repository.root, "load_a") == ("ok", False)
    assert verdict(repository.root, "ReaderImpl") == ("unchecked", False)


@pytest.mark.parametrize(
    "sentence",
    [
        "Do not write back to `old/`.",
        "Never use `old/`, it is broken.",
        "`old/` nicht mehr verwenden.",
        "Schreibe niemals nach `old/`.",
        "不要再写回 `old/`。",
        "禁止使用 `old/` 目录。",
        "The code went from `old/` to a new place.",
        "`old/` → `lib/`",
        "We renamed `old/`.",
        "Le code de `old/` a été déplacé.",
    ],
)
def test_a_sentence_that_forbids_or_tells_of_a_move_is_not_mended(repository: Repository, sentence: str) -> None:
    """Issue 17: --fix edits only affirmative sentences, in any language we read."""
    for name in "xyz":
        repository.write(f"old/{name}.py", LOADER.replace("load", name))
    repository.write("CLAUDE.md", f"{sentence}\n\nThe code lives in `old/`.\n")
    repository.commit("Begin")
    repository.git("mv", "old", "lib")
    repository.commit("Move")
    run.audit(repository.root, now=NOW, deep=True, fix=True)
    assert (repository.root / "CLAUDE.md").read_text("utf-8") == f"{sentence}\n\nThe code lives in `lib/`.\n"


def test_no_byte_of_a_patch_passes_for_a_header(repository: Repository) -> None:
    """Issue 17: byte 0x01 in a file of the history was taken for the beginning of a commit."""
    repository.write("src/a.py", 'def load_a(): ...\nTEXT = "\x01{"http: 1\x02"\n')
    repository.write("\x01odd 12x name.txt", "x\n")
    repository.write("CLAUDE.md", "Call `load_a()`, see `src/b.py`.\n")
    repository.commit("Begin")
    repository.write("src/a.py", 'TEXT = "\x01zz yy xx"\n')
    repository.git("rm", "-q", "\x01odd 12x name.txt")
    repository.commit("Change")
    assert verdict(repository.root, "load_a") == ("missing", True)


def test_a_long_history_is_sampled_to_the_same_answer(repository: Repository, monkeypatch: pytest.MonkeyPatch) -> None:
    """Issue 17: cost. Only the patches of commits that lost a name are read."""
    repository.write("src/a.py", LOADER)
    repository.write("CLAUDE.md", "Call `load_a()` and `load_b()`.\n")
    repository.commit("Begin")
    for number in range(12):
        repository.write("src/other.py", f"x = {number}\n")
        if number == 3:
            repository.write("src/a.py", LOADER.replace("load_a", "read_a"))
        if number == 8:
            repository.write("src/a.py", LOADER.replace("load_a", "read_a").replace("load_b", "read_b"))
        repository.commit(f"Change {number}")
    whole = claims_of(repository.root)
    monkeypatch.setattr(removed_names, "MIN_SAMPLES", 3)
    monkeypatch.setattr(removed_names, "MAX_SAMPLES", 3)
    assert claims_of(repository.root) == whole
    assert whole["load_b"]["repair"] == "read_b"
    assert whole["load_b"]["since"]["subject"] == "Change 8"


def test_a_history_that_was_cut_is_told_and_not_kept(
    repository: Repository, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Issue 17: a cut answer must not be served as a whole one later."""
    repository.write("src/a.py", LOADER)
    repository.write("CLAUDE.md", "See `src/gone.py`.\n")
    repository.commit("Begin")
    monkeypatch.setattr("tenure.audit.moved_files.SECONDS", -1.0)
    found = run.audit(repository.root, now=NOW, deep=True, cache_dir=tmp_path / "cache")
    assert any("not read to its end" in notice for notice in found.notices)
    assert not (tmp_path / "cache" / "history.msgpack").exists()


def test_samples_that_were_cut_are_told_and_not_kept(
    repository: Repository, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Issue 17: also where a long history is only looked at in samples."""
    repository.write("src/a.py", LOADER)
    repository.write("CLAUDE.md", "Call `load_gone()`.\n")
    repository.commit("Begin")
    repository.commit("Go on")
    monkeypatch.setattr(renamed_names, "SECONDS", -1.0)
    found = run.audit(repository.root, now=NOW, deep=True, cache_dir=tmp_path / "cache")
    assert any("not every change was read" in notice for notice in found.notices)
    assert not (tmp_path / "cache" / "removals.msgpack").exists()


def test_a_link_inside_the_repository_is_followed_and_its_claims_are_told_once(repository: Repository) -> None:
    """Issue 17: AGENTS.md -> CLAUDE.md is the standard way; a claim is listed once however many copies there are."""
    repository.write("src/loader.py", LOADER)
    repository.write("CLAUDE.md", "See `src/loader.py`. See @docs/more.md.\n")
    repository.write("docs/more.md", "More.\n")
    repository.write("copy/AGENTS.md", "See `src/loader.py`. See @docs/more.md.\n")
    (repository.root / "AGENTS.md").symlink_to("CLAUDE.md")
    (repository.root / "GEMINI.md").symlink_to("../outside.md")
    repository.commit("Begin")
    repository.git("rm", "-q", "src/loader.py")
    repository.commit("Remove")
    found = report.as_json(run.audit(repository.root, now=NOW, deep=True))
    pages = {memory["path"]: memory for memory in found["memories"]}
    assert [claim["text"] for claim in pages["CLAUDE.md"]["claims"] if claim["sure"]] == ["src/loader.py"]
    assert (pages["AGENTS.md"]["copy_of"], pages["AGENTS.md"]["claims"]) == ("CLAUDE.md", [])
    assert pages["copy/AGENTS.md"]["copy_of"] == "CLAUDE.md"
    assert {problem["path"] for problem in found["problems"] if problem["code"] == "unreadable"} == {"GEMINI.md"}
    assert set(pages["CLAUDE.md"]["agents"]) >= {"claude-code", "codex", "cursor"}
    assert pages["docs/more.md"]["agents"] == ["claude-code"]


def test_tokens_are_counted_by_what_a_session_loads(repository: Repository) -> None:
    """Issue 17: per agent, and per what a session really loads: rules for certain paths cost nothing at its start."""
    repository.write("CLAUDE.md", "x" * 400)
    repository.write(".claude/rules/all.md", "y" * 400)
    repository.write(".claude/rules/some.md", "---\npaths: src/**\n---\n" + "z" * 4000)
    repository.write(".cursor/rules/a.mdc", "---\nalwaysApply: true\n---\n" + "c" * 800)
    repository.write(".cursor/rules/b.mdc", "---\nglobs: '*.py'\nalwaysApply: false\n---\n" + "d" * 8000)
    repository.write("sub/CLAUDE.md", "w" * 4000)
    summary = report.as_json(run.audit(repository.root, now=NOW))["summary"]
    assert summary["tokens_by_agent"] == {"claude-code": 200, "cursor": 206}
    assert summary["tokens_per_session"] == 206


def test_more_claims_than_are_read_are_told(repository: Repository) -> None:
    """Issue 17: more than 2,500 claims say that they were cut."""
    repository.write("CLAUDE.md", "".join(f"`src/a{number}.py`\n" for number in range(2_600)))
    found = run.audit(repository.root, now=NOW, deep=True)
    assert any("more than 2,500" in notice for notice in found.notices)
    assert len(found.memories[0].findings) == 2_500


@pytest.mark.parametrize(
    ("files", "command", "known"),
    [
        (
            {"justfile": "set shell := ['sh']\n\n[group('x')]\nbuild *targets='//...' flag=\"a:b\":\n  x\n"},
            "just build",
            True,
        ),
        ({"justfile": "import 'more.just'\n", "more.just": "clippy:\n  x\n"}, "just clippy", True),
        ({"justfile": "alias b := build\nbuild:\n  x\n"}, "just none", False),
        ({"Taskfile.yml": "version: 3\ntasks:\n    build:preview:\n        cmds: [x]\n"}, "task build:preview", True),
        ({"Taskfile.yml": "version: 3\ntasks:\n    build:\n        cmds: [x]\n"}, "task cmds", False),
        ({"Makefile": "NAMES := a b\n$(NAMES): ; x\ntest-%: ; x\n"}, "make test-all", True),
        ({"Makefile": "NAMES := a b\n$(NAMES): ; x\ntest-%: ; x\n"}, "make a", True),
        ({"Makefile": "NAMES := a b\n$(NAMES): ; x\ntest-%: ; x\n"}, "make tests", False),
        ({"Makefile": "include rules.mk\n", "rules.mk": "lint:\n\tx\n"}, "make lint", True),
        ({"package.json": "{}", "packages/a/package.json": '{"scripts": {"dev": "x"}}'}, "npm run dev", True),
        ({"package.json": '{"scripts": {"dev": "x"}}'}, "pnpm --filter a run build", False),
        ({"noxfile.py": "@nox.session(name='lint')\ndef other(session): ...\n"}, "nox -s lint", True),
        ({"mise.toml": "[tasks.build]\nrun = 'x'\n"}, "mise run build", True),
        ({"mise.toml": "[tasks.build]\nrun = 'x'\n"}, "mise run deploy", False),
        ({"mise.toml": "[tools]\n", "mise/tasks/db/setup.sh": "true\n"}, "mise run db:setup", True),
        ({"mise.toml": "[tools]\n", "web/.mise-tasks/dev": "true\n"}, "mise run dev", True),
        ({"mise.toml": "[tools]\n", "mise/tasks/db/setup.sh": "true\n"}, "mise run db:drop", False),
        ({".cargo/config.toml": "[alias]\nxtask = 'run'\n"}, "cargo xtask", True),
    ],
)
def test_targets_are_read_without_running_anything(
    repository: Repository, files: dict[str, str], command: str, known: bool
) -> None:
    """Issue 17: recipes with defaults, patterns and includes, workspaces, Taskfile, nox, mise, cargo aliases."""
    for path, text in files.items():
        repository.write(path, text)
    repository.write("CLAUDE.md", f"Run `{command}` first.\n")
    repository.commit("Begin")
    (claim,) = claims_of(repository.root, perhaps=True).values()
    assert claim["status"] == ("ok" if known else "missing")


RAKE = "task :setup do\n  x\nend\n"
GRADLE = "plugins { id 'java' }\ntask other { }\n"


@pytest.mark.parametrize(
    ("path", "kept", "removed", "command"),
    [
        ("mise.toml", "[tasks.build]\nrun = 'x'\n", "[tasks.seed]\nrun = 'y'\n", "mise run seed"),
        ("mise.toml", "[tasks]\nbuild = 'x'\n", "'db:seed' = 'y'\n", "mise run db:seed"),
        ("Rakefile", RAKE, "namespace :db do\n  task :seed do\n    y\n  end\nend\n", "rake db:seed"),
        ("lib/tasks/db.rake", RAKE, "namespace :db do\n  task :seed do\n    y\n  end\nend\n", "rake db:seed"),
        ("build.gradle", GRADLE, "tasks.register('oldDocs') {\n  y\n}\n", "./gradlew oldDocs"),
        ("app/build.gradle.kts", GRADLE, 'tasks.register<Copy>("oldDocs") {\n  y\n}\n', "gradle oldDocs"),
    ],
)
def test_a_task_that_a_commit_removed_is_broken_whatever_runs_it(
    repository: Repository, path: str, kept: str, removed: str, command: str
) -> None:
    """A reader's finding: of mise and rake only --perhaps told it, without the commit, and of Gradle it was ok."""
    repository.write(path, kept + removed)
    repository.write("CLAUDE.md", f"Run `{command}` first.\n")
    repository.commit("Begin")
    (claim,) = claims_of(repository.root).values()
    assert claim["status"] == "ok"
    repository.write(path, kept)
    repository.write("seed.txt", "seed oldDocs\n")  # prose says nothing
    repository.commit("Remove the task")
    (claim,) = claims_of(repository.root).values()
    assert (claim["status"], claim["sure"], claim["since"]["subject"]) == ("missing", True, "Remove the task")


def test_a_task_that_code_still_names_may_come_from_a_plugin(repository: Repository) -> None:
    """Gradle's plugins bring tasks that no file lists: one that never was listed, or that code names, is left open."""
    repository.write("build.gradle", GRADLE + "tasks.register('oldDocs') { }\n")
    repository.write("CLAUDE.md", "Run `gradle oldDocs`, `gradle assemble` and `gradle other`.\n")
    repository.commit("Begin")
    repository.write("build.gradle", GRADLE)
    repository.write("buildSrc/src/main/groovy/Docs.groovy", "project.tasks.register('oldDocs')\n")
    repository.commit("Move to a plugin")
    told = {text: claim["status"] for text, claim in claims_of(repository.root, perhaps=True).items()}
    assert told == {"gradle oldDocs": "unchecked", "gradle assemble": "unchecked", "gradle other": "ok"}


def test_a_command_is_told_in_the_words_of_the_page(repository: Repository) -> None:
    """A reader's finding: the report said "tox lint", "nox docs" and "yarn compile", which stand on no page."""
    told = {
        "tox -e lint": "is missing: it may be tox -e check now",
        "nox -s docs": "is missing: no such target",
        "yarn workspace @me/a run compile": "is now yarn workspace @me/a run pack (95% sure)",
        "mise run seed": "is missing: no such target",
        "./gradlew oldDocs": "is missing: no such target",
    }
    repository.write("tox.ini", "[testenv:lint]\ncommands = a\n")
    repository.write("noxfile.py", "import nox\n\n\n@nox.session\ndef docs(session):\n    session.run('a')\n")
    repository.write("package.json", '{"scripts": {\n"compile": "a --long",\n"b": "c"}}\n')
    repository.write("mise.toml", "[tasks.seed]\nrun = 'a'\n")
    repository.write("build.gradle", "task oldDocs {}\n")
    fenced = "```sh\n$ ./gradlew oldDocs\nmise run seed --fast\n```\n"
    repository.write("CLAUDE.md", "Run `tox -e lint`, `nox -s docs`, `yarn workspace @me/a run compile`.\n\n" + fenced)
    repository.commit("Begin")
    repository.write("tox.ini", "[testenv:check]\ncommands = a\n")
    repository.write("noxfile.py", "import nox\n")
    repository.write("package.json", '{"scripts": {\n"pack": "a --long",\n"b": "c"}}\n')
    repository.write("mise.toml", "[tools]\n")
    repository.write("build.gradle", "plugins {}\n")
    repository.commit("Remove and rename")
    found = run.audit(repository.root, now=NOW, deep=True)
    text = terminal_report.render(found, colour=False)
    html = html_report.render(found, "x")
    annotations = report.as_annotations(found)
    for command, fate in told.items():
        assert f"  {command} {fate}\n" in text
        assert f"<b>{command}</b>" in html
        assert f"::{command} " in annotations
    # What is marked is the target, in a sample too.
    assert "./gradlew <mark>oldDocs</mark>" in html
    assert "mise run <mark>seed</mark> --fast" in html


def test_a_renamed_task_of_mise_is_told_with_its_new_name(repository: Repository) -> None:
    """Targets of make had this; a table's header and `task :x` were not read as what defines a task."""
    repository.write("mise.toml", "[tasks.seed]\nrun = 'y'\n")
    repository.write("Rakefile", "task :setup do\n  x\nend\n")
    repository.write("CLAUDE.md", "Run `mise run seed` and `rake setup`.\n")
    repository.commit("Begin")
    repository.write("mise.toml", "[tasks.fill]\nrun = 'y'\n")
    repository.write("Rakefile", "task :prepare do\n  x\nend\n")
    repository.commit("Rename")
    told = {text: (claim["repair"], claim["sure"]) for text, claim in claims_of(repository.root).items()}
    assert told == {"mise seed": ("mise fill", True), "rake setup": ("rake prepare", True)}


def test_lines_headings_versions_and_defaults_are_checked(repository: Repository) -> None:
    """Issue 17: line and heading anchors rot; versions and defaults are wrong as often as symbols."""
    repository.write("go.mod", "module x\n\ngo 1.24\n")
    repository.write("src/a.py", "\n" * 30 + "class WideLoader:\n    def load_it(self, max_size: int = 50): ...\n")
    repository.write("docs/a.md", "# Set up\n\n## `code` & more\n")
    repository.write(
        "CLAUDE.md",
        "`WideLoader` is at `src/a.py:4`. Needs Go 1.21+. `max_size` (default: 30).\n"
        "[a](docs/a.md#set-up) [b](docs/a.md#code--more) [c](docs/a.md#gone-heading) [d](src/a.py#L900)\n",
    )
    repository.commit("Begin")
    claims = claims_of(repository.root)
    assert (claims["src/a.py:4"]["repair"], claims["src/a.py:4"]["sure"]) == ("src/a.py:31", True)
    assert (claims["Go 1.21+"]["repair"], claims["Go 1.21+"]["sure"]) == ("Go 1.24+", True)
    perhaps = claims_of(repository.root, perhaps=True)["max_size=30"]
    assert (perhaps["repair"], perhaps["sure"]) == ("max_size=50", False)
    assert claims["docs/a.md#set-up"]["status"] == claims["docs/a.md#code--more"]["status"] == "ok"
    assert (claims["docs/a.md#gone-heading"]["status"], claims["src/a.py:900"]["status"]) == ("missing", "missing")


@pytest.mark.parametrize(
    "line",
    [
        "`max_size` (default: 30).",
        "The default of `max_size` is 30.",
        "Default value for `max_size`: `30`",
        "`max_size` is 30 bytes by default.",
        "`connect()` takes a `timeout` (default: 30).",
        "`connect` waits: `timeout` defaults to 30.",
    ],
)
@pytest.mark.parametrize("agreed", [True, False])
def test_a_default_that_the_code_once_gave_is_broken(repository: Repository, line: str, agreed: bool) -> None:
    """A reader's finding: a default was never broken, although the proof is the one that versions have."""
    code = (
        "def other(timeout=5): ...\n\n\ndef connect(\n    host: str,\n    timeout: int = {0},\n    max_size={0},\n):\n"
    )
    repository.write("src/a.py", code.format(30 if agreed else 60))
    repository.write("CLAUDE.md", line + "\n")
    repository.commit("Begin")
    repository.write("src/a.py", code.format(60))
    repository.commit("Change the defaults")
    (claim,) = [each for each in claims_of(repository.root, perhaps=True).values() if each["kind"] == "default"]
    assert (claim["status"], claim["repair"].partition("=")[2], claim["sure"]) == ("moved", "60", agreed)
    repository.write("src/a.py", code.format(30))
    repository.commit("Change them back")
    (claim,) = [each for each in claims_of(repository.root).values() if each["kind"] == "default"]
    assert claim["status"] == "ok"


@pytest.mark.parametrize(
    "line", ["`timeout` (default: 30).", "`run_all()` takes a `timeout` (default: 30).", "Pass `timeout` (default 30)."]
)
def test_a_parameter_of_no_function_of_ours_has_no_default_here(repository: Repository, line: str) -> None:
    """Any function may have a `timeout`: only the signature of the one named beside it says something."""
    repository.write("src/a.py", "def connect(timeout=30): ...\n\n\ndef run_all(): ...\n")
    repository.write("CLAUDE.md", line + "\n")
    repository.commit("Begin")
    repository.write("src/a.py", "def connect(timeout=60): ...\n\n\ndef run_all(): ...\n")
    repository.commit("Change the default")
    told = [each["status"] for each in claims_of(repository.root, perhaps=True).values() if each["kind"] == "default"]
    assert told in ([], ["unchecked"])


def test_samples_and_drawn_trees_count_when_history_proves_them(repository: Repository) -> None:
    """Issue 17: renamed classes stand mostly in code samples; names that were never here are the sample's own."""
    repository.write("src/shop/cart.py", "class WideCart:\n    def add_item(self): ...\n")
    repository.write("src/shop/keep.py", "x = 1\n")
    tree = "```\nsrc/\n├── shop/\n│   ├── cart.py   # carts\n│   └── keep.py\n└── shop/keep.py\n```\n"
    repository.write("CLAUDE.md", f"```python\ncart = WideCart(InventedThing())\n```\n\n{tree}")
    repository.commit("Begin")
    repository.git("rm", "-q", "src/shop/cart.py")
    repository.commit("Remove")
    broken = {text for text, claim in claims_of(repository.root).items() if claim["sure"]}
    assert broken == {"WideCart", "cart.py"}


def test_a_folder_written_with_a_slash_before_it_or_entered_by_a_command_is_checked(repository: Repository) -> None:
    """Our own choice, from a list by hand: a page names its folders as `/web`, draws and enters one that went."""
    for folder in ("web", "worker", "gateway", "admin"):
        repository.write(f"{folder}/main.go", "package main\n")
    drawn = "```\n/web/      # Pages\n/worker/   # Jobs\n/gateway/  # Proxy\n  ├── main.go\n  └── other.go\n```\n"
    commands = "```bash\ncd web && make\ncd gateway && cargo run\n```\n"
    repository.write("CLAUDE.md", f"Pages in `/web`, jobs in `/worker`, proxy in `/gateway`.\n\n{commands}\n{drawn}")
    # One folder alone shows nothing: `/admin` may be an address.
    repository.write("web/CLAUDE.md", "Log in at `/admin` and look at `/login`, in `/web`.\n")
    repository.commit("Begin")
    repository.git("rm", "-q", "-r", "gateway", "admin")
    repository.commit("Remove the proxy")
    answer = report.as_json(run.audit(repository.root, now=NOW, deep=True))["memories"]
    broken = {
        (page["path"], each["line"], each["text"])
        for page in answer
        for each in page["claims"]
        if each["sure"] and each["status"] == "missing"
    }
    gone = {(1, "/gateway"), (5, "gateway"), (11, "gateway/"), (12, "main.go")}
    assert broken == {("CLAUDE.md", line, text) for line, text in gone}


def test_what_a_sentence_denies_beside_a_name_or_states_as_code_does_not_excuse_it(repository: Repository) -> None:
    """Our own choice, from a list by hand: `>=3.13` is no pattern, and a route's folder that moved is history's."""
    repository.write("web/app/shop/[id]/page.tsx", "export const page = 1\n")
    repository.write("web/app/layout.tsx", "export const layout = 1\n")
    repository.write("web/form.ts", "export function fillFormFromRows(rows: Row[]) {\n  return rows\n}\n")
    repository.write("web/order_sheet.tsx", LOADER)
    repository.write(
        "CLAUDE.md",
        '- Orders are in `order_sheet.tsx` (`requires-python = ">=3.13"`)\n'
        "- `fillFormFromRows` reads the rows directly — no healing needed.\n"
        "- See `app/shop/[id]/page.tsx`.\n"
        "- Implement `registerYourCommandTool(server)` in `web/form.ts`.\n",
    )
    repository.commit("Begin")
    repository.git("mv", "web/app/shop", "web/app/(app)")
    repository.git("rm", "-q", "web/order_sheet.tsx")
    repository.write("web/form.ts", "import x from 'y'\n")
    repository.commit("Move")
    found = claims_of(repository.root)
    broken = {text for text, claim in found.items() if claim["sure"] and claim["status"] in ("missing", "moved")}
    assert broken == {"order_sheet.tsx", "fillFormFromRows", "app/shop/[id]/page.tsx"}


def test_a_decoy_of_the_same_name_does_not_hide_what_went(repository: Repository) -> None:
    """Issue 17: same-name decoys in other folders; old names that survive in other Markdown files only."""
    repository.write("core/loader.py", LOADER)
    repository.write("vendor/core/loader.py", "x = 1\n")
    repository.write("docs/old.md", "`load_a` is in `core/loader.py`.\n")
    repository.write("CLAUDE.md", "Use `core/loader.py` and `load_a()`.\n")
    repository.commit("Begin")
    repository.git("mv", "core/loader.py", "reader.py")
    repository.write("reader.py", LOADER.replace("load_a", "read_a"))
    repository.commit("Move")
    claims = claims_of(repository.root)
    assert (claims["core/loader.py"]["repair"], claims["load_a"]["repair"]) == ("reader.py", "read_a")


def test_the_page_to_send_marks_what_is_broken_and_runs_nothing(repository: Repository) -> None:
    """Issue 17: one self-contained page, no script, no network; text of the repository stays text."""
    repository.write("src/loader.py", LOADER)
    repository.write(
        "CLAUDE.md", "Intro.\n\n<script>alert(1)</script> Read `src/loader.py` first.\n\n`src/\x1b[31mx.py`\n"
    )
    repository.commit("Begin")
    repository.git("mv", "src/loader.py", "src/reader.py")
    repository.commit("Call it <b>reader</b>")
    drawn = html_report.render(run.audit(repository.root, now=NOW, deep=True), "a <project>")
    assert '<mark class="moved">src/loader.py</mark>' in drawn
    assert '<div class="new">+ &lt;script&gt;alert(1)&lt;/script&gt; Read `src/reader.py` first.</div>' in drawn
    assert "Call it &lt;b&gt;reader&lt;/b&gt;" in drawn
    assert "a &lt;project&gt;" in drawn
    assert not {"<script", "http://", "https://", "src=", "href=", "\x1b", "@import", "url("} & {
        word for word in ("<script", "http://", "https://", "src=", "href=", "\x1b", "@import", "url(") if word in drawn
    }
    assert "default-src 'none'" in drawn


def test_what_a_line_above_forbids_or_only_shows_is_not_broken(repository: Repository) -> None:
    """Judged false in real repositories: lists below "Don't", recommended layouts, and examples of names."""
    page_text = (
        "# Rules\n\n**DON'T ❌**:\n- Use `tools/build.sh` for this\n\n"
        "Recommended structure:\n- `tools/plans/` for plans\n\n"
        "Name files after the route (`tools/docs-home.sh`).\n\n"
        "まず計画を `tools/todo.md` に書く\n\nRun `tools/start.sh` first.\n"
    )
    repository.write("tools/run.sh", "true\n")
    repository.write("CLAUDE.md", page_text)
    repository.commit("Begin")
    found = claims_of(repository.root)
    for text in ("tools/build.sh", "tools/plans/", "tools/docs-home.sh", "tools/todo.md"):
        assert found[text]["status"] == "unchecked", text
    assert found["tools/start.sh"]["status"] == "missing"


def test_a_path_may_leave_out_the_ending_of_its_files(repository: Repository) -> None:
    """Judged false in a C++ repository: `src/scan` stands for scan.h and scan.cpp."""
    repository.write("src/detect/scan.h", "int scan();\n")
    repository.write("CLAUDE.md", "`src/detect/scan` looks for devices, `src/detect/probe` asks them.\n")
    repository.commit("Begin")
    assert verdict(repository.root, "src/detect/scan") == ("ok", False)
    assert verdict(repository.root, "src/detect/probe", perhaps=True) == ("missing", False)


def test_a_file_that_a_command_writes_need_not_be_there(repository: Repository) -> None:
    """Judged false: the output of a sample command was once committed by accident."""
    repository.write("bug_prompt_1.md", "x\n")
    repository.write(
        "CLAUDE.md", "```bash\npython make.py --output bug_prompt_1.md\npython make.py > bug_prompt_1.md\n```\n"
    )
    repository.commit("Begin")
    repository.git("rm", "-q", "bug_prompt_1.md")
    repository.commit("Remove")
    assert "bug_prompt_1.md" not in claims_of(repository.root)


def test_the_old_name_of_the_page_itself_is_not_broken(repository: Repository) -> None:
    """Judged noise: a title keeps the name that the page had."""
    repository.write("frontend_agents.md", "# frontend_agents.md\n\nA long enough page for git to follow.\n" * 3)
    repository.commit("Begin")
    repository.git("mv", "frontend_agents.md", "AGENTS.md")
    repository.commit("Rename")
    assert verdict(repository.root, "frontend_agents.md") == ("ok", False)


def test_an_entry_that_left_its_folder_is_told_with_its_whole_path_and_not_mended(repository: Repository) -> None:
    """Repairs of drawn trees were wrong: another name in the same place says nothing about the new folder."""
    drawing = "```\nsrc/\n├── ui/\n│   ├── window.py\n│   ├── shell.py\n│   └── panel.py\n└── core/\n```\n"
    for name in ("window", "shell", "panel"):
        repository.write(f"src/ui/{name}.py", LOADER.replace("load", name))
    repository.write("src/core/a.py", "x = 1\n")
    repository.write("CLAUDE.md", drawing)
    repository.commit("Begin")
    repository.write("src/core/b.py", "x = 2\n")
    repository.git("mv", "src/ui/window.py", "src/core/window.py")
    repository.git("mv", "src/ui/panel.py", "src/ui/top_panel.py")
    repository.commit("Move")
    found = claims_of(repository.root)
    assert (found["window.py"]["status"], found["window.py"]["repair"]) == ("moved", "src/core/window.py")
    assert found["panel.py"]["repair"] == "top_panel.py"
    run.audit(repository.root, now=NOW, deep=True, fix=True)
    assert (repository.root / "CLAUDE.md").read_text("utf-8") == drawing.replace(" panel.py", " top_panel.py")


def test_entries_of_a_submodule_are_not_looked_for(repository: Repository) -> None:
    """Judged false: a drawing that goes on into a submodule that is not checked out."""
    repository.write("src/a.py", LOADER)
    repository.write(
        "CLAUDE.md", "```\nproject/\n├── src/\n│   └── a.py\n├── lib/\n│   ├── util/\n│   └── tool.sh\n```\n"
    )
    repository.commit("Begin")
    head = repository.git("rev-parse", "HEAD").strip()
    repository.git("update-index", "--add", "--cacheinfo", f"160000,{head},lib")
    repository.git("commit", "-q", "-m", "Mount")
    found = claims_of(repository.root)
    assert (found["util/"]["status"], found["tool.sh"]["status"]) == ("unchecked", "unchecked")


def test_a_name_left_on_the_page_by_whoever_removed_it_belongs_elsewhere(repository: Repository) -> None:
    """Judged false 108 times in one repository: tools extracted to another one, which the page was edited to say."""
    repository.write("server/tools.py", "def flash_board(): ...\ndef open_serial(): ...\n")
    repository.write("src/a.py", LOADER)
    repository.write("CLAUDE.md", "Use `flash_board()` and `open_serial()`. Load with `load_a()`.\n")
    repository.commit("Begin")
    repository.git("rm", "-q", "server/tools.py")
    repository.write(
        "CLAUDE.md", "The server has its own home: `flash_board()`, `open_serial()`. Load with `load_a()`.\n"
    )
    repository.commit("Extract the server")
    repository.write("src/a.py", LOADER.replace("load_a", "read_a"))
    repository.commit("Rename")
    assert verdict(repository.root, "flash_board") == ("unchecked", False)
    assert verdict(repository.root, "load_a") == ("moved", True)


def test_a_sentence_goes_on_over_the_end_of_its_line(repository: Repository) -> None:
    """A prohibition may stand on the line above: what it names is neither broken nor mended."""
    for name in "xyz":
        repository.write(f"old/{name}.py", LOADER.replace("load", name))
    text = "We keep one folder and do not\nwrite to `old/` again.\n\n- Never put a file\n  into `old/`.\n"
    repository.write("CLAUDE.md", text)
    repository.commit("Begin")
    repository.git("mv", "old", "lib")
    repository.commit("Move")
    assert verdict(repository.root, "old/") == ("unchecked", False)
    run.audit(repository.root, now=NOW, deep=True, fix=True)
    assert (repository.root / "CLAUDE.md").read_text("utf-8") == text


@pytest.mark.parametrize(
    ("line", "claim"),
    [
        ("`app.py` is **deprecated** here, use another.", "app.py"),
        ("| `src/[module].test.py` | tests | `session.test.py` |", "session.test.py"),
        ("Never make narrow files (e.g. `session.test.py`).", "session.test.py"),
        ("Overrides go in `src/session.test.py`, never in the tracked file.", "src/session.test.py"),
        ("Edit `.mcp.json` of your tool.", ".mcp.json"),
    ],
)
def test_what_went_is_not_broken_where_it_is_only_shown(repository: Repository, line: str, claim: str) -> None:
    """Judged false on twelve repositories that nobody had tuned on."""
    for path in ("app.py", "src/session.test.py", ".mcp.json"):
        repository.write(path, LOADER + path)
    repository.write("CLAUDE.md", f"{line}\n")
    repository.commit("Begin")
    repository.git("rm", "-q", "app.py", "src/session.test.py", ".mcp.json")
    repository.commit("Remove")
    assert verdict(repository.root, claim) == ("unchecked", False)


def test_what_a_program_prints_is_no_command(repository: Repository) -> None:
    """Judged false: a sample of output names a file of its own project."""
    repository.write("process/tasks.md", "x\n")
    repository.write(
        "CLAUDE.md",
        "```\nStorage: files (process/tasks.md)\n1. If process/tasks.md exists\n```\n\n`Reads: process/tasks.md now`\n",
    )
    repository.commit("Begin")
    repository.git("rm", "-q", "process/tasks.md")
    repository.commit("Remove")
    assert not claims_of(repository.root)


def test_pages_of_dependencies_and_of_tests_are_not_audited(repository: Repository) -> None:
    """Judged false: `vendor/…/AGENTS.md` tells of the dependency's own repository."""
    for path in ("vendor/a/AGENTS.md", "tests/fixtures/CLAUDE.md", "src/AGENTS.md"):
        repository.write(path, "See `src/a.py`.\n")
    repository.commit("Begin")
    assert [memory.source.path for memory in run.audit(repository.root, now=NOW).memories] == ["src/AGENTS.md"]


def test_a_link_is_charged_once(repository: Repository) -> None:
    """Issue 17: tokens doubled when CLAUDE.md is a link to AGENTS.md."""
    repository.write("AGENTS.md", "x" * 400)
    (repository.root / "CLAUDE.md").symlink_to("AGENTS.md")
    summary = report.as_json(run.audit(repository.root, now=NOW))["summary"]
    assert set(summary["tokens_by_agent"].values()) == {100}
    assert "claude-code" in summary["tokens_by_agent"]


@pytest.mark.parametrize(
    ("line", "claim"),
    [
        ("See `/docs/core/guide.md`.", "/docs/core/guide.md"),
        ("See app/(group)/clean/page.tsx for it.", "app/(group)/clean/page.tsx"),
        ("See `app/(group)/[account]/gone/page.tsx`.", "app/(group)/[account]/gone/page.tsx"),
        ("Run `go test ./internal/llm/prompt -run TestReadsPaths`.", "./internal/llm/prompt"),
        ("Run `go test ./internal/llm/prompt -run TestReadsPaths`.", "TestReadsPaths"),
        ("All of `src/services/*Scheduler.js` are alike.", "src/services/*Scheduler.js"),
        ("Releases are made by `standard-version`.", "standard-version"),
    ],
)
def test_what_went_is_found_however_the_page_writes_it(repository: Repository, line: str, claim: str) -> None:
    """Missed in repositories whose broken claims were listed by hand."""
    gone = {
        "docs/core/guide.md": "Guide\n" * 9,
        "app/(group)/clean/page.tsx": "export const page = 1\n",
        "app/(group)/[account]/gone/page.tsx": "export const other = 2\n",
        "internal/llm/prompt/prompt_test.go": "package prompt\n\nfunc TestReadsPaths(t *testing.T) {\n}\n",
        "src/services/jobScheduler.js": "function schedule() {}\n",
    }
    for path, text in gone.items():
        repository.write(path, text)
    repository.write("docs/a.md", "A\n")
    repository.write("app/(group)/[account]/kept.tsx", "x\n")
    repository.write("src/services/deep/otherScheduler.js", "y\n")
    repository.write("package.json", '{"name": "p", "devDependencies": {"standard-version": "^9.0.0"}}')
    repository.write("CLAUDE.md", f"{line}\n")
    repository.commit("Begin")
    repository.git("rm", "-q", *gone)
    repository.write("package.json", '{"name": "p", "devDependencies": {}}')
    repository.commit("Remove")
    assert verdict(repository.root, claim) == ("missing", True)


def test_a_pinned_version_is_compared_with_its_manifest(repository: Repository) -> None:
    """Missed: a page lists gems with the versions that the gemspec pinned long ago."""
    stated = 'spec.add_dependency("async", "~> 2.0")\nspec.add_dependency("ruby_llm", "~> 1.9")\n'
    repository.write("a.gemspec", stated)
    repository.write("CLAUDE.md", "- `async` (~> 2.0) for fibers\n- `ruby_llm` (~> 1.9) for models\n")
    repository.commit("Begin")
    repository.write("a.gemspec", stated.replace("1.9", "1.14"))
    repository.commit("Raise")
    found = claims_of(repository.root)
    assert (found["~> 2.0"]["status"], found["~> 1.9"]["status"]) == ("ok", "moved")
    assert found["~> 1.9"]["repair"] == "~> 1.14"


def test_a_newer_language_than_the_least_is_no_contradiction(repository: Repository) -> None:
    """Tests may run on Node 22 where a manifest asks for 18 at least."""
    repository.write("package.json", '{"name": "p", "engines": {"node": ">=18"}}')
    repository.write("CLAUDE.md", "Tests run on Node 22, builds on Node 16.\n")
    repository.commit("Begin")
    found = claims_of(repository.root, perhaps=True)
    assert (found["Node 22"]["status"], found["Node 16"]["status"]) == ("ok", "moved")


def test_a_page_that_was_renamed_is_asked_when_it_first_said_a_name(
    repository: Repository, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Missed: AGENTS.md had another name when the sample in it was written, and the name lived shortly."""
    page_text = "Notes that are long enough for git to follow.\n" * 4 + "```go\nconfig.UseMockProviders = true\n```\n"
    for number in range(6):
        repository.write("other.txt", f"{number}\n")
        repository.commit(f"Before {number}")
    repository.write("src/config.go", "package config\n\nvar UseMockProviders = false\n")
    repository.write("NOTES.md", page_text)
    repository.commit("Begin")
    repository.write("src/config.go", "package config\n")
    repository.commit("Remove")
    repository.git("mv", "NOTES.md", "AGENTS.md")
    for number in range(40):
        repository.write("other.txt", f"{number + 10}\n")
        repository.commit(f"After {number}")
    monkeypatch.setattr(removed_names, "MIN_SAMPLES", 3)
    monkeypatch.setattr(removed_names, "MAX_SAMPLES", 3)
    monkeypatch.setattr(removed_names, "MAX_SAMPLES", 1)
    assert verdict(repository.root, "UseMockProviders") == ("missing", True)


def test_a_name_defined_twice_stays_known_when_one_definition_goes(repository: Repository, tmp_path: Path) -> None:
    """One definition is enough to settle a name, so the files after it are kept unread; a change must find them."""
    repository.write("src/a.py", "def load_a(): ...\n")
    repository.write("src/b.py", "def load_a(): ...\n")
    repository.write("tests/test_a.py", "load_a()\n")
    repository.write("CLAUDE.md", "Call `load_a()`.\n")
    repository.commit("Begin")
    cache = tmp_path / "cache"
    assert verdict(repository.root, "load_a", cache_dir=cache) == ("ok", False)
    repository.write("src/a.py", "x = 1\n")
    assert verdict(repository.root, "load_a", cache_dir=cache) == ("ok", False)
    repository.write("src/b.py", "y = 1\n")
    repository.write("tests/test_a.py", "z = 1\n")
    repository.commit("Remove")
    assert verdict(repository.root, "load_a", cache_dir=cache) == ("missing", True)


@pytest.mark.parametrize(
    ("text", "claim"),
    [
        ("Results in [results](src/results).\n", "src/results"),
        ("Generated code and bundled binaries (`src/bin/`).\n", "src/bin/"),
        ("- Location: `.tool/hooks/OnStart`\n", ".tool/hooks/OnStart"),
    ],
)
def test_what_is_made_where_the_page_says_need_not_be_there(repository: Repository, text: str, claim: str) -> None:
    """Judged false: an ignored folder that is linked to, binaries that are fetched, a hook that one may write."""
    repository.write("src/a.py", LOADER)
    repository.write(".tool/hooks/README", "x\n")
    repository.write(".gitignore", "src/results\n")
    repository.write("CLAUDE.md", text)
    repository.commit("Begin")
    assert verdict(repository.root, claim) == ("unchecked", False)


def test_variables_of_a_shell_sample_are_its_own(repository: Repository) -> None:
    """Judged false: a script of the page sets what a program of the project once read."""
    repository.write("src/a.py", "OUTPUT_FILE = 1\n")
    repository.write("CLAUDE.md", "```bash\nOUTPUT_FILE=x; run > $OUTPUT_FILE\n```\n")
    repository.commit("Begin")
    repository.write("src/a.py", "MODEL_FILE = 1\n")
    repository.commit("Rename")
    assert "OUTPUT_FILE" not in claims_of(repository.root)


def test_the_only_file_of_a_name_is_the_new_place_only_when_it_is_near(repository: Repository) -> None:
    """A repair below 80 % is never printed as "is now": `router.tsx` in quite another folder is another file."""
    repository.write("src/features/portal/router.tsx", "x\n")
    repository.write("src/app/main/config.tsx", "y\n")
    repository.write("CLAUDE.md", "See `src/utils/router.tsx` and `src/app/main/routes/config.tsx`.\n")
    repository.write("src/utils/a.ts", "z\n")
    repository.commit("Begin")
    found = claims_of(repository.root)
    assert (found["src/utils/router.tsx"]["status"], found["src/utils/router.tsx"]["repair"]) == ("missing", None)
    assert found["src/app/main/routes/config.tsx"]["repair"] == "src/app/main/config.tsx"


def test_a_name_that_is_used_everywhere_is_there(repository: Repository) -> None:
    """Files are not parsed for a name for ever; one that many files use is not gone because a definition moved."""
    repository.write("src/a.py", "def load_a():\n    return 1\n\n\ndef load_b():\n    return 2\n")
    for number in range(40):
        repository.write(f"src/b{number:02}.py", "load_a()\n")
    repository.write("CLAUDE.md", "Call `load_a()`.\n")
    repository.commit("Begin")
    repository.git("mv", "src/a.py", "src/z.py")
    repository.commit("Move")
    assert verdict(repository.root, "load_a") == ("ok", False)


@pytest.mark.parametrize(
    ("pages", "secrets", "said"),
    [
        (("CLAUDE.md",), False, "No contradictions, files that are large for every session or"),
        (("CLAUDE.md",), True, "No contradictions, secrets, files that are large for every session or"),
        (("CLAUDE.md", "AGENTS.md"), True, "No duplicates, contradictions, secrets, files that are large for every"),
    ],
)
@pytest.mark.parametrize("deep", [True, False])
def test_a_clean_audit_says_what_was_looked_for_and_claims_no_more(
    repository: Repository, pages: tuple[str, ...], secrets: bool, said: str, deep: bool
) -> None:
    """A stranger read of secrets nobody had looked for, and of repeats where there was one page."""
    for name, text in zip(pages, ("Be kind.\n", "Tests run before every commit.\n"), strict=False):
        repository.write(name, text)
    repository.commit("Begin")
    found = run.audit(repository.root, now=NOW, deep=deep, find_secrets=(lambda text: []) if secrets else None)
    told = terminal_report.render(found, colour=False)
    assert f"ok {said}" in told
    assert "files that cannot be read found." in told
    assert "Nothing else" not in told


PROHIBITIONS = [
    "Do not write back to `.codex/`.",
    "`.codex/` is off limits for agents.",
    "Hands off `conf/x.py`: leave it alone.",
    "Nicht nach `conf/x.py` schreiben.",
    "Schreibe niemals nach `.codex/`.",
    "Finger weg von `conf/x.py`.",
    "Das Schreiben nach `conf/x.py` ist untersagt.",
    "Ne modifiez pas `conf/x.py`.",
    "N'écrivez rien dans `.codex/`.",
    "Défense de toucher à `conf/x.py`.",
    "Il est interdit d'écrire dans `.codex/`.",
]
# What a reader wrote who was asked for prohibitions that hold no "not", in the thirteen languages.
WITHOUT_A_NOT = [
    "Stay away from `.codex/`.",
    "Keep out of `.codex/`.",
    "Steer well clear of `.codex/`.",
    "Skip `.codex/`.",
    "`.codex/` is read-only.",
    "`.codex/` is frozen.",
    "`.codex/` must stay as it is.",
    "Leave `conf/x.py` untouched.",
    "Abstain from editing `conf/x.py`.",
    "Refuse to edit `conf/x.py`.",
    "`conf/x.py` is reserved for humans.",
    "Edits to `conf/x.py` are rejected.",
    "Nobody edits `conf/x.py`.",
    "Edit anything but `conf/x.py`.",
    "Edit every other file than these, except `conf/x.py`.",
    "If you find `.codex/`, report it.",
    "Is `.codex/` still there? Then stop.",
    "`conf/x.py` is locked; edit the settings page.",
    "Lass `.codex/` in Ruhe.",
    "Hände weg von `conf/x.py`.",
    "`.codex/` ist schreibgeschützt.",
    "Bearbeite alles außer `.codex/`.",
    "Laissez `conf/x.py` tel quel.",
    "Gardez-vous de modifier `conf/x.py`.",
    "`.codex/` est en lecture seule.",
    "Modifiez tout sauf `conf/x.py`.",
    "`.codex/` es de solo lectura.",
    "Deja `conf/x.py` como está.",
    "Edite tudo exceto `conf/x.py`.",
    "Modifica tutto tranne `conf/x.py`.",
    "Lascia stare `.codex/`.",
    "Blijf van `conf/x.py` af.",
    "Bewerk alles behalve `.codex/`.",
    "Edytuj wszystko oprócz `conf/x.py`.",
    "Редактируй всё, кроме `conf/x.py`.",
    "Оставь `.codex/` в покое.",
    "`conf/x.py` dosyasına dokunma.",
    "`.codex/` dışında her şeyi düzenle.",
    "请跳过 `.codex/`。",
    "除 `conf/x.py` 外都可以修改。",
    "`conf/x.py` を編集するな。",
    "`conf/x.py` 以外を編集する。",
    "`.codex/` は読み取り専用。",
    "`conf/x.py` 수정하지 말아 주세요.",
    "`conf/x.py` 건드리지 마.",
    "`conf/x.py` 만지면 안 된다.",
    "Interdiction de toucher `conf/x.py`.",
    "**Read-only:**\n\n- `conf/x.py`\n- `.codex/`",
]


@pytest.mark.parametrize("sentence", [*PROHIBITIONS, *WITHOUT_A_NOT])
def test_a_prohibition_is_left_alone_in_every_language(repository: Repository, sentence: str) -> None:
    """Issue 17: `--fix` had turned "do not write back to `.codex/`" into "do not write back to `.agents/`"."""
    for name in "xyz":
        repository.write(f".codex/{name}.md", LOADER.replace("load", f"agent_{name}"))
        repository.write(f"conf/{name}.py", LOADER.replace("load", name))
    text = "Agents are described in `{0}`, settings stand in `{1}`.\n\n" + sentence + "\n"
    repository.write("CLAUDE.md", text.format(".codex/", "conf/x.py"))
    repository.commit("Begin")
    repository.git("mv", ".codex", ".agents")
    repository.git("mv", "conf", "settings")
    repository.commit("Move")
    run.audit(repository.root, now=NOW, deep=True, fix=True)
    # The affirmative sentence beside it is mended, so the move was seen.
    assert (repository.root / "CLAUDE.md").read_text("utf-8") == text.format(".agents/", "settings/x.py")


@pytest.mark.parametrize(
    "sentence",
    [
        "Read `{}` first.",
        "When you add a test, see `{}`.",
        "`{}` holds the schema and the name of every runtime.",
        "Die Einstellungen stehen in `{}`.",
        "Lisez `{}` avant tout.",
        "Los ajustes están en `{}`.",
        "Настройки лежат в `{}`.",
        "Ayarlar `{}` içinde.",
        "配置在 `{}` 里。",
        "設定は `{}` にあります。",
        "설정은 `{}` 에 있습니다.",
    ],
)
def test_a_sentence_that_tells_where_something_is_is_mended(repository: Repository, sentence: str) -> None:
    """The list of what asks to leave something alone is broad; what only says where a thing is must stay outside it."""
    repository.write("conf/x.py", LOADER)
    repository.write("CLAUDE.md", sentence.format("conf/x.py") + "\n")
    repository.commit("Begin")
    repository.git("mv", "conf", "settings")
    repository.commit("Move")
    run.audit(repository.root, now=NOW, deep=True, fix=True)
    assert (repository.root / "CLAUDE.md").read_text("utf-8") == sentence.format("settings/x.py") + "\n"


@pytest.mark.parametrize(
    "text",
    [
        "**`src/20260206_add_feature.sql`**:\n\n```sql\nALTER TABLE a;\n```",
        "- Defined in `src/xxx_service.proto`",
        "Run one file: `php artisan test src/ExampleTest.php`.",
        "Die frühere `old/` vs. `src/gone/` Kollision ist gelöst.",
        "Das Alte unter `src/gone/` wurde in v0.19.0 gelöscht.",
        "- 未发现 `.cursorrules` 或 `src/never.md`。",
        "Plans live in `src/gone/` only while a feature is in flight.",
    ],
)
def test_what_a_page_shows_or_tells_of_the_past_is_not_broken(repository: Repository, text: str) -> None:
    """False alarms on three fetched repositories, in Chinese, German and English."""
    repository.write("src/gone/a.py", "x = 1\n")
    repository.write("src/kept.py", "y = 1\n")
    repository.write("CLAUDE.md", f"# Page\n\n{text}\n")
    repository.commit("Begin")
    repository.git("rm", "-q", "src/gone/a.py")
    repository.commit("Remove")
    assert not [text for text, claim in claims_of(repository.root).items() if claim["sure"]]


@pytest.mark.parametrize(
    "command", ["pnpm -C packages/core build", "make -C packages/core all", "cd packages/core && npm install"]
)
def test_the_folder_a_command_runs_in_is_a_claim(repository: Repository, command: str) -> None:
    """Missed: four commands of a page ran in a package that had gone."""
    repository.write("packages/core/package.json", '{"scripts": {"build": "x"}}\n')
    repository.write("packages/web/src/app.ts", "export function openTheApp() {}\n")
    repository.write("CLAUDE.md", f"```bash\n{command}\n```\n")
    repository.commit("Begin")
    repository.git("rm", "-rq", "packages/core")
    repository.commit("Remove")
    assert verdict(repository.root, "packages/core") == ("missing", True)


def test_any_package_will_do_below_a_remark_that_one_is_new(repository: Repository) -> None:
    """A false alarm: "# Add new package" above `pnpm add telegraf`, which the project had once."""
    repository.write("package.json", '{"dependencies": {"telegraf": "^4.0.0", "react": "^18.0.0"}}\n')
    page = "```bash\n# Add new package\npnpm add telegraf\n```\n"
    repository.write("CLAUDE.md", page)
    repository.commit("Begin")
    repository.write("package.json", '{"dependencies": {"react": "^18.0.0"}}\n')
    repository.commit("Drop it")
    assert not claims_of(repository.root)
    repository.write("CLAUDE.md", page.replace("# Add new package", "# Set up"))
    assert verdict(repository.root, "telegraf") == ("missing", True)


def test_from_the_repo_root_means_this_repository(repository: Repository) -> None:
    """Missed: "run it from the repo root" made everything beside it another repository's."""
    repository.write("packages/core/a.py", "x = 1\n")
    repository.write("CLAUDE.md", "Tests are in `packages/core/a.py`. Run them from the repo root.\n")
    repository.commit("Begin")
    repository.git("rm", "-q", "packages/core/a.py")
    repository.commit("Remove")
    assert verdict(repository.root, "packages/core/a.py") == ("missing", True)


def test_a_sentence_is_read_over_the_end_of_its_line(repository: Repository) -> None:
    """A wrapped page of a public project: the name ended one line, its file and line began the next."""
    code = "".join(f"# {number}\n" for number in range(40)) + "def take_request():\n    return 1\n"
    repository.write("src/state.py", code)
    text = (
        "- The sync point is `take_request()` in\n  `src/state.py:7`, and the `never_there` map in\n  `src/state.py`.\n"
    )
    repository.write("AGENTS.md", text)
    repository.commit("Begin")
    claims = claims_of(repository.root)
    assert (claims["src/state.py:7"]["repair"], claims["src/state.py:7"]["sure"]) == ("src/state.py:41", True)
    assert (claims["never_there"]["status"], claims["never_there"]["sure"]) == ("missing", True)
    repository.write("AGENTS.md", "- Call `take_request()`\n- in `src/state.py:7` something else is.\n")
    assert claims_of(repository.root)["src/state.py:7"]["status"] == "ok"


def test_a_line_of_a_file_without_its_folder_is_one_of_the_file_told_last(repository: Repository) -> None:
    """A page of a public project: `hscontrol/types/node.go:221`, then `node.go:227`, where db/ has a node.go too."""
    code = "".join(f"# {number}\n" for number in range(40)) + "def is_owned():\n    return 1\n"
    repository.write("types/node.py", code)
    repository.write("db/node.py", "x = 1\n")
    repository.write("AGENTS.md", "- See `types/node.py`.\n- `is_owned()` (`node.py:7`) tells.\n")
    repository.commit("Begin")
    found = claims_of(repository.root)["node.py:7"]
    assert (found["repair"], found["sure"]) == ("node.py:41", True)


@pytest.mark.parametrize(
    ("line", "sure"),
    [
        ("Examples live in `src/loader.py` (`test_*`).", True),
        ("Do not edit `src/a.py` — it is made from `src/loader.py`.", True),
        ("If you change the rules, change `src/loader.py` too.", True),
        ("Results are written to `src/loader.py`.", False),
        ("Do not edit `src/loader.py`.", False),
    ],
)
def test_what_a_page_named_while_it_was_there_was_meant(repository: Repository, line: str, sure: bool) -> None:
    """Pages of public projects: an example, a condition or a prohibition beside it excused a file that went."""
    repository.write("src/a.py", "x = 1\n")
    repository.write("src/loader.py", LOADER)
    repository.write("AGENTS.md", f"{line}\n")
    repository.commit("Begin")
    repository.git("rm", "-q", "src/loader.py")
    repository.commit("Remove")
    assert claims_of(repository.root)["src/loader.py"]["sure"] == sure


def test_a_thing_is_added_to_a_file_that_has_to_be_there(repository: Repository) -> None:
    """A page of a public project: "add the method in `nodejs/src/table.ts`", a file that never was."""
    repository.write("src/lib/table.py", "x = 1\n")
    repository.write("AGENTS.md", "1. Add a new method in `src/lib/rows.py`.\n2. Add `src/lib/made.py` with it.\n")
    repository.commit("Begin")
    assert verdict(repository.root, "src/lib/rows.py") == ("missing", True)
    assert verdict(repository.root, "src/lib/made.py") == ("unchecked", False)


def test_a_drawing_may_begin_with_the_name_of_a_program_that_git_ignores(repository: Repository) -> None:
    """A public project draws itself below its name, which is also that of the built program in .gitignore."""
    repository.write(".gitignore", "tool\n")
    for path in ("proto/a.proto", "src/a.py", "docs/a.md"):
        repository.write(path, LOADER + path)
    repository.write("AGENTS.md", "```\ntool/\n├── proto/   # definitions\n├── src/\n└── docs/\n```\n")
    repository.commit("Begin")
    repository.git("rm", "-q", "-r", "proto")
    repository.commit("Remove")
    assert verdict(repository.root, "proto/") == ("missing", True)


def test_what_moved_and_then_went_is_gone_since_the_last_of_both(repository: Repository) -> None:
    """The page of a public project blamed the commit of a rename three years before the removal."""
    repository.write("rpc.py", LOADER)
    repository.write("AGENTS.md", "See `rpc.py`.\n")
    repository.commit("Begin")
    repository.write("lib/other.py", "x = 1\n")
    repository.git("mv", "rpc.py", "lib/rpc.py")
    repository.commit("Move it")
    repository.git("rm", "-q", "lib/rpc.py")
    repository.commit("Remove it")
    assert claims_of(repository.root)["rpc.py"]["since"]["subject"] == "Remove it"


def test_a_number_that_is_part_of_a_word_is_no_version(repository: Repository) -> None:
    """A false alarm on a public page: `--module node18`, an option of the compiler."""
    repository.write("package.json", '{"engines": {"node": "22.18.0"}}\n')
    repository.write("AGENTS.md", "Use `--module node18`. Needs Node 18.\n")
    repository.commit("Begin")
    assert [text for text, claim in claims_of(repository.root).items() if claim["kind"] == "version"] == ["Node 18"]


def test_a_pattern_is_broken_only_by_what_went_after_the_page_named_it(repository: Repository) -> None:
    """A false alarm on a public page: "the custom `actual/*` rules", where a folder of that name went years before."""
    repository.write("tools/a.py", LOADER)
    repository.write("AGENTS.md", "Begin.\n")
    repository.commit("Begin")
    repository.git("rm", "-q", "-r", "tools")
    repository.commit("Remove")
    repository.write("AGENTS.md", "See the custom `tools/*` rules.\n")
    repository.commit("Tell")
    assert verdict(repository.root, "tools/*") == ("unchecked", False)


def test_what_a_sample_calls_wrong_need_not_be_there(repository: Repository) -> None:
    """A false alarm on a public page: `ExecuteAsync(...);  // WRONG`, in a sample of how not to name things."""
    repository.write("src/run.py", "def execute_async():\n    return 1\n\n\ndef handle_other():\n    return 2\n")
    text = "```python\n# Right\nrun.handle_other()\n\n# WRONG: other names\nrun.execute_async()\n```\n"
    repository.write("AGENTS.md", text)
    repository.commit("Begin")
    repository.write("src/run.py", "x = 1\n")
    repository.commit("Remove")
    claims = claims_of(repository.root)
    assert (claims["handle_other"]["status"], "execute_async" in claims) == ("missing", False)


def test_a_drawing_of_a_later_phase_is_a_plan(repository: Repository) -> None:
    """A false alarm on a public page: `Services/   # Domain services (Phase 2)`."""
    repository.write("src/a.py", "x = 1\n")
    repository.write("src/b.py", "y = 1\n")
    drawn = "src/\n├── a.py\n├── b.py\n├── later/   # services (Phase 2)\n└── never/   # services\n"
    repository.write("AGENTS.md", f"```\n{drawn}```\n")
    repository.commit("Begin")
    assert verdict(repository.root, "later/") == ("unchecked", False)
    assert verdict(repository.root, "never/") == ("missing", True)


@pytest.mark.parametrize(("edited", "status"), [(True, "ok"), (False, "moved")])
def test_a_page_edited_with_a_move_one_folder_down_tells_from_there(
    repository: Repository, edited: bool, status: str
) -> None:
    """A public page says "`./server` (backend)" and `app/models/`: whoever moved app/ there wrote both."""
    repository.write("app/models/a.py", LOADER)
    repository.write("AGENTS.md", "Models: `app/models/`\n")
    repository.commit("Begin")
    (repository.root / "server").mkdir()
    repository.git("mv", "app", "server/app")
    if edited:
        repository.write("AGENTS.md", "Backend: `./server`\n\nModels: `app/models/`\n")
    repository.commit("Move")
    assert verdict(repository.root, "app/models/")[0] == status


def test_a_path_may_begin_with_the_name_of_the_project_that_was_a_folder_once(repository: Repository) -> None:
    """A false alarm on a public page: `zenml/src/zenml/a.py`, where a folder `zenml/` went years before."""
    repository.write("tool/old.py", LOADER)
    repository.write("src/tool/a.py", "x = 1\n")
    repository.commit("Begin")
    repository.git("rm", "-q", "-r", "tool")
    repository.write("AGENTS.md", "See `tool/src/tool/a.py` and `tool/src/tool/b.py`.\n")
    repository.commit("Remove")
    assert verdict(repository.root, "tool/src/tool/a.py")[0] == "ok"
    assert verdict(repository.root, "tool/src/tool/b.py") == ("missing", True)


def test_a_pattern_for_all_files_fits_those_that_lie_deeper(repository: Repository) -> None:
    """A false alarm on a public page: "all `contracts/src/*.sol` files", all of which lie in folders below."""
    repository.write("src/a.py", LOADER)
    repository.write("src/b.rb", LOADER)
    repository.write("AGENTS.md", "The sum of all `src/*.py` and `src/*.rb` files.\n")
    repository.commit("Begin")
    (repository.root / "src/core").mkdir()
    repository.git("mv", "src/a.py", "src/core/a.py")
    repository.git("rm", "-q", "src/b.rb")
    repository.commit("Move")
    assert verdict(repository.root, "src/*.py")[0] == "ok"
    assert verdict(repository.root, "src/*.rb") == ("missing", True)


def test_a_sample_of_another_project_proves_nothing(repository: Repository) -> None:
    """A false alarm on a public page: `ContentView` in a sample for beginners, where a view of that name once was."""
    shown = "BottomSheetPanel()\nTaskListView()\nTaskDetailView()\nNavigationBarStack()\nContentView()\n"
    repository.write("src/a.py", "class ContentView:\n    pass\n\n\nclass TaskListView:\n    pass\n")
    repository.write("AGENTS.md", f"```swift\n{shown}```\n\n```swift\nContentView()\nTaskListView()\n```\n")
    repository.commit("Begin")
    repository.write("src/a.py", "x = 1\n")
    repository.commit("Remove")
    found = report.as_json(run.audit(repository.root, now=NOW, deep=True))
    told = [(each["line"], each["text"]) for each in found["memories"][0]["claims"] if each["status"] == "missing"]
    assert told == [(10, "ContentView"), (11, "TaskListView")]


def test_a_file_that_went_is_now_the_only_one_of_its_name(repository: Repository) -> None:
    """Public pages: `docs/a_description.md` came back in docs/architecture/, and `skill.md` became `SKILL.md`."""
    repository.write("docs/technical_description.md", LOADER)
    repository.write("docs/skill.md", "other\n" * 9)
    repository.write("docs/b.md", "b\n")
    repository.write("AGENTS.md", "See `docs/technical_description.md` and `docs/skill.md`.\n")
    repository.commit("Begin")
    repository.git("rm", "-q", "docs/technical_description.md", "docs/skill.md")
    repository.commit("Remove")
    repository.write("docs/parts/technical_description.md", "All is new here.\n")
    repository.write("docs/SKILL.md", "So is this.\n")
    repository.commit("Bring back")
    repository.write("docs/parts/base_calculator.md", LOADER)
    repository.write(
        "AGENTS.md", "See `docs/technical_description.md`, `docs/skill.md`, `docs/parts/base_calculator.md`.\n"
    )
    repository.commit("Tell more")
    repository.git("rm", "-q", "docs/parts/base_calculator.md")
    repository.commit("Remove more")
    repository.write("docs/other/base_calculator.md", "Of something else.\n")
    repository.commit("Add another")
    claims = claims_of(repository.root)
    assert claims["docs/parts/base_calculator.md"]["repair"] is None
    assert claims["docs/technical_description.md"]["repair"] == "docs/parts/technical_description.md"
    assert claims["docs/skill.md"]["repair"] == "docs/SKILL.md"


def test_a_drawn_folder_is_not_excused_by_one_of_its_name_in_a_library(repository: Repository) -> None:
    """A miss on a public page: `accounts/` below contracts/src/ went, and a vendored library has src/accounts."""
    for path in ("app/src/accounts/a.py", "app/src/core/a.py", "app/lib/other/src/accounts/b.py"):
        repository.write(path, LOADER + path)
    repository.write("AGENTS.md", "```\napp/\n├── src/\n│   ├── accounts/\n│   └── core/\n└── lib/\n```\n")
    repository.commit("Begin")
    repository.git("rm", "-q", "-r", "app/src/accounts")
    repository.commit("Remove")
    assert verdict(repository.root, "accounts/") == ("missing", True)


def test_a_makefile_that_another_includes_has_its_targets(repository: Repository) -> None:
    """Four false alarms on a public page: `include Makefile.frontend` was not followed."""
    repository.write("Makefile", "include Makefile.frontend\n\nbuild:\n\ttrue\n")
    repository.write("Makefile.frontend", "test_frontend:\n\ttrue\n")
    repository.write("AGENTS.md", "Run `make build`, `make test_frontend`, then `make never_there`.\n")
    repository.commit("Begin")
    assert verdict(repository.root, "make test_frontend")[0] == "ok"
    assert verdict(repository.root, "make never_there") == ("missing", True)
    repository.write("Makefile", "include rules/all\n\nbuild:\n\ttrue\n")
    assert verdict(repository.root, "make never_there")[0] == "unchecked"


def test_an_empty_line_of_windows_ignores_nothing(repository: Repository) -> None:
    """A public project was silent as a whole: in a .gitignore with CRLF an empty line fits every folder."""
    repository.write(".gitignore", "dist\r\n\r\n*.log\r\n")
    repository.write("src/a.py", LOADER)
    repository.write("src/loader.py", LOADER + "x = 1\n")
    repository.write("AGENTS.md", "See `src/loader.py` and `src/a.log`.\n")
    repository.commit("Begin")
    repository.git("rm", "-q", "src/loader.py")
    repository.commit("Remove")
    assert verdict(repository.root, "src/loader.py") == ("missing", True)


def test_a_bare_name_that_a_page_says_after_the_file_went_is_another_thing(repository: Repository) -> None:
    """A false alarm on a public page: "lock files (yarn.lock, package-lock.json)", one of which went years before."""
    repository.write("package-lock.json", LOADER)
    repository.write("AGENTS.md", "Begin.\n")
    repository.commit("Begin")
    repository.git("rm", "-q", "package-lock.json")
    repository.commit("Remove")
    repository.write("AGENTS.md", "Lock files (yarn.lock, package-lock.json) do count.\n")
    repository.commit("Tell")
    assert verdict(repository.root, "package-lock.json") == ("unchecked", False)


@pytest.mark.parametrize(
    ("title", "name", "told"),
    [
        ("# Loader", "CLAUDE.md", ("missing", True)),
        ("# Implementation plan", "CLAUDE.md", ("unchecked", False)),
        ("# Loader", ".claude/rules/2024-05-17-loader.md", ("unchecked", False)),
        ("# Loader", ".claude/rules/planning.md", ("missing", True)),
        ("# Migrations of the database", ".claude/rules/migrations.md", ("missing", True)),
    ],
)
def test_nothing_is_broken_on_a_page_that_keeps_a_plan_or_a_day(
    repository: Repository, title: str, name: str, told: tuple[str, bool]
) -> None:
    """Our choice: a plan and a dated note say what was meant then, so what they name may be gone."""
    repository.write("src/loader.py", LOADER)
    repository.write(name, f"{title}\n\nSee `src/loader.py`.\n")
    repository.commit("Begin")
    repository.git("rm", "-q", "src/loader.py")
    repository.commit("Remove")
    assert verdict(repository.root, "src/loader.py") == told


def test_a_name_that_a_page_says_after_it_was_gone_is_not_ours(repository: Repository) -> None:
    """Seen in PrefectHQ/prefect: `_private_method` was an example, and code of years before had such a method."""
    repository.write(
        "src/loader.py", LOADER + "def _private_method():\n    return 1\n\ndef load_session_rows():\n    return 2\n"
    )
    repository.write("CLAUDE.md", "Call `load_session_rows()`.\n")
    repository.commit("Begin")
    repository.write("src/loader.py", LOADER)
    repository.commit("Remove")
    repository.write("CLAUDE.md", "Call `load_session_rows()`. Private details (`_private_method`) stay private.\n")
    repository.commit("Say more")
    assert verdict(repository.root, "load_session_rows") == ("missing", True)
    assert verdict(repository.root, "_private_method") == ("unchecked", False)


def test_a_template_that_nobody_filled_in_shows_no_names_of_ours(repository: Repository) -> None:
    """Seen in InnoSquadCorp/InnoFlow: rules for `MyProject` show a view whose name an example of ours once had."""
    sample = "```python\nview = ContentView(1)\nload_a(view)\n```\n"
    links = "See [sources](MyProject/Sources) and [tests](MyProject/Tests).\n"
    repository.write("src/loader.py", LOADER + "class ContentView:\n    pass\n")
    repository.write("CLAUDE.md", links + sample)
    repository.write("AGENTS.md", "Text.\n\n" + sample)
    repository.commit("Begin")
    repository.write("src/loader.py", LOADER)
    repository.commit("Remove")
    found = report.as_json(run.audit(repository.root, now=NOW, deep=True))
    told = {
        memory["path"]: claim["sure"]
        for memory in found["memories"]
        for claim in memory["claims"]
        if claim["text"] == "ContentView"
    }
    assert told == {"CLAUDE.md": False, "AGENTS.md": True}


@pytest.mark.parametrize(
    ("line", "told"),
    [
        ("pre-commit run format", ("missing", True)),
        ("pre-commit run mypy", ("ok", False)),
        ("pre-commit run --all-files eslint", ("missing", True)),
    ],
)
def test_a_hook_that_pre_commit_does_not_have_is_no_target(
    repository: Repository, line: str, told: tuple[str, bool]
) -> None:
    """Missed in apache/superset: its page runs the hooks `format` and `eslint`, which no settings name."""
    repository.write(".pre-commit-config.yaml", "repos:\n  - repo: x\n    hooks:\n      - id: mypy\n      - id: ruff\n")
    repository.write("CLAUDE.md", f"# Page\n\n```bash\n{line}\n```\n")
    repository.commit("Begin")
    assert verdict(repository.root, f"pre-commit run {line.split()[-1]}") == told


@pytest.mark.parametrize("line", ["pre-commit run --files a.py", "pre-commit install", "pre-commit run --all-files"])
def test_what_follows_an_option_of_pre_commit_is_no_hook(repository: Repository, line: str) -> None:
    """Our choice: an option's value stands where a hook would."""
    repository.write(".pre-commit-config.yaml", "repos:\n  - repo: x\n    hooks:\n      - id: mypy\n")
    repository.write("CLAUDE.md", f"# Page\n\n```bash\n{line}\n```\n")
    repository.commit("Begin")
    assert not [text for text in claims_of(repository.root) if text.startswith("pre-commit")]


@pytest.mark.parametrize(
    ("line", "told"),
    [
        ("uv run python scripts/never.py", ("missing", True)),
        ("cd web\npython scripts/never.py", ("unchecked", False)),
        ("prog --cache scripts/never.py", ("unchecked", False)),
    ],
)
def test_a_program_that_a_sample_runs_from_the_root_has_to_be_there(
    repository: Repository, line: str, told: tuple[str, bool]
) -> None:
    """Missed in Fangziyang0910/RuralBrain: five commands run programs that never were at that place."""
    repository.write("scripts/load.py", LOADER)
    repository.write("CLAUDE.md", f"# Page\n\n```bash\n{line}\n```\n")
    repository.commit("Begin")
    assert verdict(repository.root, "scripts/never.py") == told


def test_a_link_leads_from_the_folder_of_its_page(repository: Repository) -> None:
    """Missed in 0xRhota/pacifica-trading-bot: docs/AGENTS.md links to `GUIDE.md`, which only the root has."""
    repository.write("GUIDE.md", "# Guide\n")
    for page_path in ("docs/AGENTS.md", ".claude/rules/a.md"):
        repository.write(page_path, f"See [the guide](GUIDE.md) of {page_path[:4]}.\n")
    repository.commit("Begin")
    found = report.as_json(run.audit(repository.root, now=NOW, deep=True))
    told = {each["path"]: (each["claims"][0]["status"], each["claims"][0]["repair"]) for each in found["memories"]}
    # Whether the one at the root is meant nobody knows: openobserve's was another page.
    assert told == {"docs/AGENTS.md": ("missing", None), ".claude/rules/a.md": ("ok", None)}


def test_a_member_that_only_another_class_has_is_missing(repository: Repository) -> None:
    """Missed in 1mcp-app/agent: `ServerManager.getInstance()`, where other classes have a `getInstance`."""
    repository.write(
        "src/a.ts", "export class ServerManager implements Runs {\n  start() { return Settings.getInstance(); }\n}\n"
    )
    repository.write("src/b.ts", "export class Settings {\n  static getInstance() { return 1; }\n}\n")
    repository.write("src/c.ts", "export class Child extends Parent {\n  other() { return 1; }\n}\n")
    repository.write(
        "CLAUDE.md", "Call `ServerManager.getInstance()`, `ServerManager.start()`, `Child.getInstance()`.\n"
    )
    repository.commit("Begin")
    assert verdict(repository.root, "ServerManager.getInstance") == ("missing", True)
    assert verdict(repository.root, "ServerManager.start")[0] == "ok"
    assert verdict(repository.root, "Child.getInstance")[0] == "ok"


def test_a_drawn_folder_is_no_file_of_that_name(repository: Repository) -> None:
    """Missed in apache/superset: `views/api/` is drawn as a folder, and there is a file `views/api.py`."""
    repository.write("src/views/api.py", LOADER)
    repository.write("src/views/base.py", LOADER)
    repository.write("CLAUDE.md", "```\nsrc/\n├── views/\n│   ├── api/\n│   ├── base.py\n```\n")
    repository.commit("Begin")
    assert verdict(repository.root, "api/") == ("missing", True)


def test_a_line_is_one_of_the_nearest_file_of_that_name(repository: Repository) -> None:
    """Seen in PrefectHQ/prefect: `flows.py:3084` was looked for in another file of that name, of 261 lines."""
    repository.write("src/app/flows.py", "x = 1\n" * 300)
    repository.write("src/app/models/deep/flows.py", "x = 1\n" * 5)
    repository.write("src/app/runner/AGENTS.md", "See `flows.py:200` and `models/deep/flows.py:2`.\n")
    repository.commit("Begin")
    assert verdict(repository.root, "flows.py:200")[0] == "ok"


@pytest.mark.parametrize(("lacking", "told"), [(2, ("missing", True)), (3, ("unchecked", False))])
def test_a_drawing_with_three_things_that_never_were_is_a_plan(
    repository: Repository, lacking: int, told: tuple[str, bool]
) -> None:
    """Judged on fetched repositories: one or two were left behind (superset, mlflow), three were a target (tgeasy)."""
    here = [f"here{number}.py" for number in range(9)]
    for name in here:
        repository.write(f"src/lib/{name}", LOADER)
    drawn = "".join(f"│   ├── {name}\n" for name in (*here, *(f"never{number}.py" for number in range(lacking))))
    repository.write("CLAUDE.md", f"```\nsrc/\n├── lib/\n{drawn}```\n")
    repository.commit("Begin")
    assert verdict(repository.root, "never0.py") == told


def test_a_telling_name_is_ours_though_the_page_came_later(repository: Repository) -> None:
    """Lost in zenml-io/zenml: `WorkspaceScopedFilter` was renamed before the page, which a model wrote, named it."""
    repository.write("src/loader.py", LOADER + "class WorkspaceScopedFilter:\n    kind = 1\n")
    repository.commit("Begin")
    repository.write("src/loader.py", LOADER)
    repository.commit("Remove")
    repository.write("CLAUDE.md", "Inherit from `WorkspaceScopedFilter`.\n")
    repository.commit("Say")
    assert verdict(repository.root, "WorkspaceScopedFilter") == ("missing", True)


def test_a_heading_is_looked_for_in_the_file_beside_the_page(repository: Repository) -> None:
    """False alarm in n8n-io/n8n: `./README.md#debugging` was looked for in the README.md of the root."""
    repository.write("README.md", "# Project\n\n## Licence\n")
    repository.write("web/README.md", "# Guide\n\n## Debugging\n")
    repository.write("web/CLAUDE.md", "See [it](./README.md#debugging) and [that](README.md#licence).\n")
    repository.commit("Begin")
    assert verdict(repository.root, "./README.md#debugging")[0] == "ok"
    assert verdict(repository.root, "README.md#licence") == ("missing", True)


def test_a_script_named_task_takes_what_follows_as_its_argument(repository: Repository) -> None:
    """13 false alarms in storybookjs/storybook: `yarn task compile` runs the script `task`."""
    repository.write("package.json", '{"scripts": {"task": "node tasks.js"}}')
    repository.write("CLAUDE.md", "Run `yarn task compile`.\n")
    repository.commit("Begin")
    assert not claims_of(repository.root)


@pytest.mark.parametrize("path", ["src/hooks/useXxxConfig.ts", "src/XxxConfig/", "src/guide-4_XX.adoc"])
def test_a_path_with_a_name_left_open_is_no_claim(repository: Repository, path: str) -> None:
    """False alarms in lightdash/lightdash and apache/camel."""
    repository.write("src/hooks/a.ts", "export const a = 1;\n")
    repository.write("CLAUDE.md", f"See `{path}` and `src/hooks/a.ts`.\n")
    repository.commit("Begin")
    assert path not in claims_of(repository.root)


def test_what_a_line_says_was_succeeded_is_not_broken(repository: Repository) -> None:
    """Seen in two repositories: "replaces `x`" tells why x is gone; other lines are believed."""
    repository.write("src/old_loader.py", LOADER)
    repository.write("src/new_loader.py", "x = 1\n")
    repository.write("src/keep.py", "x = 2\n")
    page = "It replaces the slow `src/old_loader.py` queries.\n\nStart with `src/new_loader.py`.\n"
    repository.write("CLAUDE.md", page)
    repository.commit("Begin")
    repository.git("rm", "-q", "src/old_loader.py", "src/new_loader.py")
    repository.commit("Remove")
    assert verdict(repository.root, "src/old_loader.py", perhaps=True) == ("missing", False)
    assert verdict(repository.root, "src/new_loader.py")[1] is True


def test_a_name_on_the_line_of_another_page_is_told_by_that_page(repository: Repository) -> None:
    """Seen in an index of plans: each item tells what its page says, some of it done and gone by now."""
    repository.write("src/loader.py", LOADER)
    repository.write("plans/load.md", "Text.\n")
    repository.write("CLAUDE.md", "- `plans/load.md` — `load_alpha_values` goes.\n\nCall `load_gamma_values`.\n")
    source = "def load_alpha_values(value):\n    return value\n\ndef load_gamma_values(value):\n    return value * 3\n"
    repository.write("src/more.py", source)
    repository.commit("Begin")
    repository.write("src/more.py", "x = 1\n")
    repository.commit("Remove")
    assert verdict(repository.root, "load_alpha_values")[1] is False
    assert verdict(repository.root, "load_gamma_values") == ("missing", True)


def test_a_version_is_broken_where_a_page_lists_it_and_not_in_a_story(repository: Repository) -> None:
    """Of all versions judged by hand those in a sentence about something were wrong most often."""
    repository.write("go.mod", "module example.org/a\n\ngo 1.25\n")
    repository.write("CLAUDE.md", "- Go 1.21\n\nThe client module still targets Go 1.19 for its users.\n")
    repository.commit("Begin")
    assert verdict(repository.root, "Go 1.21")[1] is True
    assert verdict(repository.root, "Go 1.19", perhaps=True)[1] is False


def test_a_target_that_never_was_is_broken_only_where_the_page_names_others_that_are_here(
    repository: Repository,
) -> None:
    """At first sight 9 of 54 commands were true: each cluster of false ones had a custom that was misread."""
    repository.write("Makefile", "build:\n\ttrue\ntest:\n\ttrue\n")
    known = "Run `make build` and `make test`.\n\n"
    repository.write("CLAUDE.md", f"{known}Run `make lint-all`.\n")
    repository.commit("Begin")
    assert verdict(repository.root, "make lint-all") == ("missing", True)
    repository.write("CLAUDE.md", "Run `make build` and `make lint-all`.\n")
    assert verdict(repository.root, "make lint-all", perhaps=True) == ("missing", False)
    # Several of them in one project, on whatever pages, are one thing that is misread.
    repository.write("CLAUDE.md", f"{known}Run `make lint-all`.\n")
    repository.write("src/AGENTS.md", "Run `make check-all` and `make ship-all`.\n")
    assert verdict(repository.root, "make lint-all", perhaps=True) == ("missing", False)


def test_a_target_is_broken_when_history_shows_the_rule_that_went(repository: Repository) -> None:
    """Our choice: the same proof as for files. Another runner's file, or a function of that name, proves nothing."""
    repository.write("Taskfile.yml", "tasks:\n  ship:\n    cmds: [x]\n  build:\n    cmds: [x]\n")
    repository.write("src/a.py", "def deploy_all():\n    return 1\n")
    repository.write("CLAUDE.md", "Run `task ship`, then `task deploy_all`.\n")
    repository.commit("Begin")
    repository.write("Taskfile.yml", "tasks:\n  build:\n    cmds: [x]\n")
    repository.write("src/a.py", "x = 1\n")
    repository.commit("Remove")
    assert verdict(repository.root, "task ship") == ("missing", True)
    assert verdict(repository.root, "task deploy_all", perhaps=True) == ("missing", False)


def test_a_version_is_broken_when_a_manifest_agreed_with_the_page_once(repository: Repository) -> None:
    """Of versions judged at first sight half were false: what never agreed may mean something else."""
    repository.write("package.json", '{"dependencies": {"react": "^18.0.0", "next": "^16.0.0"}}')
    repository.write("CLAUDE.md", "- React 18\n- Next.js 15\n")
    repository.commit("Begin")
    repository.write("package.json", '{"dependencies": {"react": "^19.0.0", "next": "^16.0.0"}}')
    repository.commit("Raise")
    assert verdict(repository.root, "React 18") == ("moved", True)
    assert verdict(repository.root, "Next.js 15", perhaps=True) == ("moved", False)


def test_the_second_number_of_a_version_counts_where_the_page_had_it_right_once(repository: Repository) -> None:
    """Missed in bluesky-social/social-app: React 19.1, React Native 0.81 and Expo 54, all raised since."""
    before = '{"dependencies": {"react": "19.1.0", "react-native": "0.81.4", "expo": "54.0.1", "vite": "7.2.0"}}'
    repository.write("package.json", before)
    repository.write("CLAUDE.md", "- React 19.1\n- React Native 0.81 with Expo 54\n- Vite 7.1\n")
    repository.commit("Begin")
    after = before.replace("19.1.0", "19.2.3").replace("0.81.4", "0.86.0").replace("54.0.1", "57.0.8")
    repository.write("package.json", after)
    repository.commit("Raise")
    claims = claims_of(repository.root)
    told = {text: claims[text]["repair"] for text in ("React 19.1", "React Native 0.81", "Expo 54", "Vite 7.1")}
    assert told == {
        "React 19.1": "React 19.2",
        "React Native 0.81": "React Native 0.86",
        "Expo 54": "Expo 57",
        "Vite 7.1": None,
    }
    assert verdict(repository.root, "React 19.1") == ("moved", True)


def test_a_version_that_two_manifests_state_in_two_ways_may_be_right(repository: Repository) -> None:
    """Four false alarms in Tresjs/tres: `Node.js 18+` where .nvmrc says 24 and one package 20."""
    repository.write(".nvmrc", "18\n")
    repository.write("CLAUDE.md", "- Node.js 18+\n")
    repository.commit("Begin")
    repository.write(".nvmrc", "24\n")
    repository.write("tool/package.json", '{"engines": {"node": ">=20"}}')
    repository.commit("Raise")
    assert verdict(repository.root, "Node.js 18+", perhaps=True) == ("missing", False)


def test_a_peer_dependency_states_a_version_too(repository: Repository) -> None:
    """A false alarm in FlashGalatine/xivdyetools: the page tells the peer's range, the audit read the other table."""
    stated = '{"peerDependencies": {"hono": "^4.0.0"}, "devDependencies": {"hono": "^4.12.0"}}'
    repository.write("package.json", stated)
    repository.write("CLAUDE.md", "- Peer: `hono` (^4.0.0)\n")
    repository.commit("Begin")
    assert verdict(repository.root, "^4.0.0")[0] == "ok"


def test_what_a_page_about_a_migration_names_is_not_broken(repository: Repository) -> None:
    """Twenty-nine false alarms on two pages of Arize-ai/phoenix that tell how to leave the old client."""
    repository.write("src/loader.py", LOADER)
    repository.write(".cursor/rules/client-migration.mdc", "`load_a` is `load_z` in the new client.\n")
    repository.write("CLAUDE.md", "Call `load_a` first.\n")
    repository.commit("Begin")
    repository.write("src/loader.py", "x = 1\n")
    repository.commit("Remove")
    found = report.as_json(run.audit(repository.root, now=NOW, deep=True))
    told = {m["path"]: c["status"] for m in found["memories"] for c in m["claims"] if c["text"] == "load_a"}
    assert told == {"CLAUDE.md": "missing", ".cursor/rules/client-migration.mdc": "unchecked"}


@pytest.mark.parametrize("line", ["Rendering: `src/loader.py`.", "Builds separately via `src/loader.py`."])
def test_a_verb_that_only_may_make_a_file_does_not_excuse_one_that_went(repository: Repository, line: str) -> None:
    """Missed in Arsia-Mons/Silencer and AIToolsLab/writing-tools: "Rendering:", "builds separately via"."""
    repository.write("src/a.py", "x = 1\n")
    repository.write("src/loader.py", LOADER)
    repository.write("CLAUDE.md", f"{line}\n")
    repository.commit("Begin")
    repository.git("rm", "-q", "src/loader.py")
    repository.commit("Remove")
    assert verdict(repository.root, "src/loader.py") == ("missing", True)


def test_a_page_that_came_with_the_commit_that_removed_a_folder_names_it_wrongly(repository: Repository) -> None:
    """Missed in 0xIntuition/intuition-ts: one commit removed `packages/1ui` and brought the page that lists it."""
    repository.write("packages/ui/a.ts", "export const a = 1\n")
    repository.write("packages/sdk/b.ts", "export const b = 1\n")
    repository.commit("Begin")
    repository.git("rm", "-q", "-r", "packages/ui")
    repository.write("CLAUDE.md", "- `packages/ui`: components.\n- `packages/sdk`: the client.\n")
    repository.commit("Release")
    assert verdict(repository.root, "packages/ui") == ("missing", True)


def test_a_folder_that_went_before_the_page_came_proves_nothing(repository: Repository) -> None:
    """Seven false alarms in dubinc/dub: `app/cards` of one package, where the root once had a folder `app/`."""
    repository.write("app/a.ts", "export const a = 1\n")
    repository.commit("Begin")
    repository.git("rm", "-q", "-r", "app")
    repository.write("packages/card/b.ts", "export const b = 1\n")
    repository.commit("Remove")
    repository.write("packages/card/CLAUDE.md", "Cards must be in the `app/cards` directory.\n")
    repository.commit("Write the page")
    assert verdict(repository.root, "app/cards", perhaps=True) == ("missing", False)


@pytest.mark.parametrize(
    ("path", "sure"), [("src/never.py", True), ("src/todo.md", False), ("src/parts/", False), ("src/never.sql", False)]
)
def test_of_what_never_was_only_code_among_its_kind_is_believed(repository: Repository, path: str, sure: bool) -> None:
    """At first sight pages name notes that are written later and folders that would be nice to have."""
    repository.write("src/a.py", "x = 1\n")
    repository.write("src/b.sql", "select 1;\n")
    repository.write("src/notes.md", "x\n")
    repository.write("CLAUDE.md", f"- `{path}` is the place.\n")
    repository.commit("Begin")
    assert claims_of(repository.root)[path]["sure"] == sure


def test_a_drawing_may_begin_in_the_folder_of_its_page(repository: Repository) -> None:
    """A false alarm in reflex-dev/reflex: `templates/` of `docs/app/parts` was looked for at the root."""
    repository.write("templates/a.py", LOADER)
    repository.write("docs/app/parts/templates/b.py", "x = 1\n")
    drawing = "```\nparts/\n├── templates/\n└── main.py\n```\n"
    repository.write("docs/app/parts/main.py", "x = 2\n")
    repository.write("docs/app/CLAUDE.md", drawing)
    repository.commit("Begin")
    repository.git("rm", "-q", "-r", "templates")
    repository.commit("Remove")
    assert verdict(repository.root, "templates/")[0] == "ok"


def test_an_entry_that_another_part_took_over_has_no_sure_new_place(repository: Repository) -> None:
    """Two wrong repairs in Tresjs/tres: the pages of one app became the template of all, not its own new place."""
    for name in ("one", "two", "three"):
        repository.write(f"apps/a/content/api/{name}.md", LOADER.replace("load", name))
    repository.write("apps/a/content/start.md", "x\n")
    repository.write("apps/a/CLAUDE.md", "```\ncontent/\n├── api/\n└── start.md\n```\n")
    repository.commit("Begin")
    (repository.root / "apps/b/content").mkdir(parents=True)
    repository.git("mv", "apps/a/content/api", "apps/b/content/api")
    repository.commit("Make a template")
    claim = claims_of(repository.root)["api/"]
    assert (claim["status"], claim["repair"]) == ("missing", None)


def test_a_path_that_shows_how_links_are_written_is_not_broken(repository: Repository) -> None:
    """A false alarm in cloudflare/agents: `--fix` put another file's path into a rule about relative links."""
    repository.write("docs/AGENTS.md", "- Link within a package directory using relative paths (`./state.md`)\n")
    repository.write("docs/state.md", LOADER)
    repository.commit("Begin")
    repository.write("docs/agents/other.md", "other\n")
    repository.git("mv", "docs/state.md", "docs/agents/state.md")
    repository.commit("Move")
    assert verdict(repository.root, "./state.md")[1] is False


def test_a_sentence_that_goes_on_after_an_install_command_names_no_package(repository: Repository) -> None:
    """A stranger's own memory was called broken: "here" had once been a package of the repository."""
    repository.write("package.json", '{"dependencies": {"here": "1.0.0", "left-pad": "1.0.0"}}')
    repository.write("CLAUDE.md", "Never run npm install here, use pnpm install.\n\nRun `npm install left-pad`.\n")
    repository.commit("Begin")
    repository.write("package.json", '{"dependencies": {}}')
    repository.commit("Drop both")
    assert "here" not in claims_of(repository.root) and "left-pad" in claims_of(repository.root)


def test_an_example_of_a_custom_of_naming_is_not_broken(repository: Repository) -> None:
    """A false alarm in reflex-dev/reflex: "named accordingly, e.g. `test_manager.py` for `manager.py`"."""
    repository.write("src/state/manager.py", LOADER)
    repository.write("src/state/a.py", "x = 1\n")
    repository.write("CLAUDE.md", "Tests are named accordingly (e.g. `test_x.py` for `src/state/manager.py`).\n")
    repository.commit("Begin")
    repository.git("rm", "-q", "src/state/manager.py")
    repository.commit("Split")
    assert verdict(repository.root, "src/state/manager.py")[1] is False


@pytest.mark.parametrize(
    "line",
    [
        "- `src/loader.py`: **DEPRECATED** - in core now",
        "```\nsrc/\n├── a.py\n└── loader.py   # DELETED - inlined\n```",
    ],
)
def test_a_note_behind_a_path_may_say_that_it_is_gone(repository: Repository, line: str) -> None:
    """False alarms in OpenSaasAU/stack and Artiffusion-Inc/skating-biomechanics-ml."""
    repository.write("src/a.py", "x = 1\n")
    repository.write("src/loader.py", LOADER)
    repository.write("CLAUDE.md", f"{line}\n")
    repository.commit("Begin")
    repository.git("rm", "-q", "src/loader.py")
    repository.commit("Remove")
    assert {claim["sure"] for text, claim in claims_of(repository.root).items() if "loader.py" in text} == {False}


def test_a_word_in_a_box_and_a_pattern_in_a_drawing_are_no_files(repository: Repository) -> None:
    """False alarms in Ari-OS/ARI and BrianMills2718/agent_ecology2: `Governance` in a box, `02-34_*.md`."""
    repository.write("src/governance/a.py", "x = 1\n")
    repository.write("src/b.py", "x = 2\n")
    repository.write("CLAUDE.md", "```\nsrc/\n├── Governance (the council)\n├── 02-34_*.md\n└── b.py\n```\n")
    repository.commit("Begin")
    assert not [text for text, claim in claims_of(repository.root).items() if claim["sure"]]


def test_a_file_that_was_put_away_has_no_new_place(repository: Repository) -> None:
    """A wrong repair in BigMike-Deane/canslim_analyzer: `email_report.py` "is now" in archive/."""
    repository.write("src/loader.py", LOADER)
    repository.write("src/a.py", "x = 1\n")
    repository.write("CLAUDE.md", "- `src/loader.py` - loads.\n")
    repository.commit("Begin")
    (repository.root / "archive").mkdir()
    repository.git("mv", "src/loader.py", "archive/loader_legacy.py")
    repository.commit("Put away")
    claim = claims_of(repository.root)["src/loader.py"]
    assert (claim["status"], claim["repair"], claim["sure"]) == ("missing", None, True)


def test_a_bare_name_that_who_removed_the_file_wrote_anew_is_meant(repository: Repository) -> None:
    """Seven false alarms in BrianMills2718/agent_ecology2: the commit that took the files says where they are kept."""
    repository.write("docs/ws_agents.yaml", "a: 1\nb: 2\n")
    repository.write("docs/a.yaml", "a: 2\n")
    repository.write("docs/CLAUDE.md", "- `ws_agents.yaml` - agents\n")
    repository.commit("Begin")
    repository.git("rm", "-q", "docs/ws_agents.yaml")
    repository.write("docs/CLAUDE.md", "Kept on the file server:\n- `ws_agents.yaml` (gaps of agents)\n")
    repository.commit("Put away")
    assert verdict(repository.root, "ws_agents.yaml")[1] is False


def test_a_package_that_only_a_sample_imports_may_be_anybodys(repository: Repository) -> None:
    """Two false alarms in AojdevStudio/Finance-Guru: a rule of a tool shows how to import React."""
    repository.write("package.json", '{"dependencies": {"react-dom": "1", "left-pad": "1"}}')
    repository.write("CLAUDE.md", '```tsx\nimport { createRoot } from "react-dom/client";\n```\n')
    repository.commit("Begin")
    repository.write("package.json", '{"dependencies": {"left-pad": "1"}}')
    repository.commit("Remove")
    assert not [text for text, claim in claims_of(repository.root).items() if claim["sure"]]


def _workspace(repository: Repository, page: str) -> None:
    """Write a root whose script `dev` a commit removes, while a workspace keeps one of that name."""
    repository.write("package.json", '{"scripts": {"build": "turbo build", "dev": "turbo dev"}}')
    repository.write("apps/studio/package.json", '{"scripts": {"dev": "vite"}}')
    repository.write("CLAUDE.md", page)
    repository.commit("Begin")
    repository.write("package.json", '{"scripts": {"build": "turbo build"}}')
    repository.commit("Remove the playground")


def test_a_script_that_only_a_workspace_still_has_is_gone_from_the_root(repository: Repository) -> None:
    """Missed in giselles-ai/giselle: `pnpm dev` of the root went with a playground, and a workspace has a `dev`."""
    _workspace(repository, "## Commands\n\n- Development: `pnpm dev`\n- Build: `pnpm build`\n")
    claim = claims_of(repository.root)["pnpm dev"]
    assert (claim["status"], claim["sure"]) == ("missing", True)
    assert claim["since"]["subject"] == "Remove the playground"
    assert verdict(repository.root, "pnpm build") == ("ok", False)


@pytest.mark.parametrize(
    "page",
    [
        "## Commands\n\n- In `apps/studio`: `pnpm dev`\n",
        "## Studio\n\n- Development: `pnpm dev`\n",
        "## Commands\n\n```sh\ncd apps/other\npnpm dev\n```\n",
    ],
)
def test_a_script_of_the_folder_that_a_section_speaks_of_is_not_accused(repository: Repository, page: str) -> None:
    """Our choice: the folder may be named by a title, a path or a `cd` before the command."""
    _workspace(repository, page)
    assert verdict(repository.root, "pnpm dev")[1] is False


def test_a_script_that_the_root_never_had_may_be_the_workspaces(repository: Repository) -> None:
    """Our choice: only a loss proves that the page means the root."""
    repository.write("package.json", '{"scripts": {"build": "turbo build"}}')
    repository.write("apps/studio/package.json", '{"scripts": {"dev": "vite"}}')
    repository.write("CLAUDE.md", "## Commands\n\n- Development: `pnpm dev`\n")
    repository.commit("Begin")
    assert verdict(repository.root, "pnpm dev") == ("ok", False)


def test_a_script_run_from_where_the_reader_is_has_to_be_there(repository: Repository) -> None:
    """Missed in Helicone/helicone: `./helicone-compose.sh` is in docker/ alone."""
    repository.write("docker/compose-up.sh", "echo up\n")
    repository.write("CLAUDE.md", "## Start\n\n1. Start all with Docker: `./compose-up.sh all`\n")
    repository.commit("Begin")
    claim = claims_of(repository.root)["./compose-up.sh"]
    assert (claim["status"], claim["sure"], claim["repair"]) == ("moved", True, "./docker/compose-up.sh")
    for told in (
        "## Docker\n\nRun `./compose-up.sh all`.\n",
        "## Start\n\n```sh\ncd docker\n./compose-up.sh all\n```\n",
    ):
        repository.write("CLAUDE.md", told)
        assert verdict(repository.root, "./compose-up.sh")[1] is False


def test_a_whole_path_of_a_part_that_went_is_broken_though_the_page_was_edited(repository: Repository) -> None:
    """Missed in lmnr-ai/lmnr: `query-engine/pyproject.toml` stayed in a page that the same commit edited."""
    repository.write("query-engine/pyproject.toml", "[project]\nname = 'q'\n")
    repository.write("CLAUDE.md", "Query it.\n\n- Python 3.13 (`query-engine/pyproject.toml`)\n")
    repository.commit("Begin")
    repository.git("rm", "-q", "query-engine/pyproject.toml")
    repository.write("CLAUDE.md", "It is in process now.\n\n- Python 3.13 (`query-engine/pyproject.toml`)\n")
    repository.commit("Port")
    assert verdict(repository.root, "query-engine/pyproject.toml") == ("missing", True)


def test_a_name_of_several_words_that_went_is_broken_whatever_stands_around_it(repository: Repository) -> None:
    """Missed in lmnr-ai/lmnr: a function within a component, in a sentence that denies something else."""
    repository.write("src/form.ts", "export function Form() {\n  const resetFormFromRows = () => {};\n  return 1;\n}\n")
    page = "Both are filled, so `resetFormFromRows` in `src/form.ts` keeps them: no upstream project heals them.\n"
    repository.write("CLAUDE.md", page)
    repository.commit("Begin")
    repository.write("src/form.ts", "export function Form() {\n  return 1;\n}\n")
    repository.commit("Remove")
    assert verdict(repository.root, "resetFormFromRows") == ("missing", True)


def test_what_is_to_be_edited_instead_is_not_forbidden(repository: Repository) -> None:
    """Missed in BloopAI/vibe-kanban: "Do not edit a, instead edit b", and b is not there."""
    repository.write("src/bin/types.rs", "fn main() {}\n")
    repository.write("CLAUDE.md", "Do not edit `src/bin/types.rs`, instead edit `src/bin/remote-types.rs`.\n")
    repository.commit("Begin")
    assert verdict(repository.root, "src/bin/remote-types.rs") == ("missing", True)


def test_a_change_that_touches_something_makes_no_file(repository: Repository) -> None:
    """Missed in SuperClaude_Framework: "When changes touch the CLI, extend `tests/test_plugin_start.py`"."""
    repository.write("tests/integration/test_plugin_start.py", "x = 1\n")
    repository.write("CLAUDE.md", "- When changes touch the CLI, extend coverage in `tests/test_plugin_start.py`.\n")
    repository.commit("Begin")
    assert verdict(repository.root, "tests/test_plugin_start.py") == ("moved", True)


@pytest.mark.parametrize(
    ("said", "mended"),
    [
        ("`my docs/guide here.md`", "`my docs/guide there.md`"),
        ("[x](<my docs/guide here.md>)", "[x](<my docs/guide there.md>)"),
        ("[x](my%20docs/guide%20here.md)", "[x](my%20docs/guide%20here.md)"),
    ],
)
def test_a_path_with_blanks_is_one_path(repository: Repository, said: str, mended: str) -> None:
    """A reader of issue 17: nothing was told of a renamed file with blanks, and its tail was missing while it stood."""
    repository.write("my docs/guide here.md", LOADER)
    repository.write("docs/a.md", "x\n")
    repository.write("CLAUDE.md", f"See {said}.\n")
    repository.commit("Begin")
    found = claims_of(repository.root, perhaps=True)
    assert {text: claim["status"] for text, claim in found.items()} == {"my docs/guide here.md": "ok"}
    repository.git("mv", "my docs/guide here.md", "my docs/guide there.md")
    repository.commit("Rename")
    found = claims_of(repository.root, perhaps=True)
    assert list(found) == ["my docs/guide here.md"]
    claim = found["my docs/guide here.md"]
    assert (claim["status"], claim["sure"], claim["repair"]) == ("moved", True, "my docs/guide there.md")
    run.audit(repository.root, now=NOW, deep=True, fix=True)
    assert (repository.root / "CLAUDE.md").read_text("utf-8") == f"See {mended}.\n"


def test_a_command_in_a_span_still_names_its_files(repository: Repository) -> None:
    """Words of a span are one path only where the project has or had a file of that name."""
    repository.write("docs/b.md", LOADER)
    repository.write("CLAUDE.md", "Run `cat docs/b.md` and `cat docs/never.md`.\n")
    repository.commit("Begin")
    repository.git("mv", "docs/b.md", "docs/c.md")
    repository.commit("Rename")
    found = claims_of(repository.root, perhaps=True)
    assert set(found) == {"docs/b.md", "docs/never.md"}
    assert (found["docs/b.md"]["status"], found["docs/b.md"]["sure"]) == ("moved", True)


def test_the_page_to_send_marks_what_may_be_broken_and_says_where_a_line_is_cut(repository: Repository) -> None:
    """A reader of issue 17: `--html --perhaps` only counted its second list, and a diff cut words without a sign."""
    repository.write("src/a.py", LOADER)
    words = " ".join(["word"] * 30)
    repository.write("CLAUDE.md", f"{words} `src/a.py` {words}\n\nSee `other/never.py`.\n\nShort `src/a.py`.\n")
    repository.commit("Begin")
    repository.git("mv", "src/a.py", "src/b.py")
    repository.commit("Rename")
    alone = html_report.render(run.audit(repository.root, now=NOW, deep=True), "x")
    assert "never.py</mark>" not in alone
    both = html_report.render(run.audit(repository.root, now=NOW, deep=True, perhaps=True), "x")
    assert '<mark class="moved">other/never.py</mark>' in both
    assert "May be broken: <b>other/never.py</b> is missing" in both
    assert "(2 broken references, 1 more that may be broken, " in both
    cut = next(line for line in both.split('<div class="old">')[1:] if "word" in line).split("</div>")[0]
    assert cut.startswith("- …")
    assert cut.endswith("…")
    assert '<div class="old">- Short `src/a.py`.</div>' in both


def test_a_link_with_the_sign_of_a_mention_leads_to_the_page_without_it(repository: Repository) -> None:
    """Two false alarms in AutoGPT: `[guide](@../docs/guide.md)` is how an agent is told to read it."""
    repository.write("docs/guide.md", "# Guide\n")
    repository.write("sub/AGENTS.md", "See [the guide](@../docs/guide.md) and [the other](@../docs/other.md).\n")
    repository.commit("Begin")
    assert verdict(repository.root, "@../docs/guide.md")[0] == "ok"
    assert verdict(repository.root, "@../docs/other.md", perhaps=True)[0] == "missing"


def test_of_several_lines_the_new_ones_may_be_elsewhere_in_the_body(repository: Repository) -> None:
    """Five of seven wrong repairs of lines gave the head of a function for a part of its body."""
    body = "".join(f"    step{number}()\n" for number in range(40))
    repository.write("src/work.py", f"def work_it_out():\n{body}")
    repository.write("CLAUDE.md", "- `work_it_out`: `src/work.py:1`\n- `work_it_out`, later: `src/work.py:30-40`\n")
    repository.commit("Begin")
    repository.write("src/work.py", "# more\n" * 90 + f"def work_it_out():\n{body}")
    repository.commit("Grow")
    found = claims_of(repository.root)
    told = {text: found[text]["repair"] for text in ("src/work.py:1", "src/work.py:30-40")}
    assert told == {"src/work.py:1": "src/work.py:91", "src/work.py:30-40": None}
    page_text = terminal_report.render(run.audit(repository.root, now=NOW, deep=True), colour=False)
    assert "src/work.py:1 is now src/work.py:91 (95% sure)" in page_text
    assert "src/work.py:30-40 is missing: it may be src/work.py:91-101 now" in page_text
