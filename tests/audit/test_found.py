"""Broken claims however a page writes them: imports, groups of files, bold names, images, tests of one package."""

from __future__ import annotations

import pytest

from tenure.audit import run
from tenure.audit.claims import extract
from tenure.audit.moved_files import moment_of

from .conftest import NOW, Repository
from .test_sure import claims_of, verdict

BODY = "    total = value * 3\n    total += 4\n    return total - value\n"


def sample(language: str, text: str) -> str:
    return f"# Page\n\n```{language}\n{text}\n```\n"


def test_a_module_that_went_breaks_the_import_of_a_sample(repository: Repository) -> None:
    """Issue 17: renamed things stand mostly in code samples, which agents read."""
    repository.write("backend/agents/writer/agent.py", f"def make(value):\n{BODY}")
    repository.write("backend/agents/reader.py", "def read(value):\n    return value\n")
    repository.write(
        "CLAUDE.md", sample("python", "from agents.writer.agent import make\nfrom agents.reader import read")
    )
    repository.commit("Begin")
    assert claims_of(repository.root)["agents.writer.agent"]["status"] == "ok"
    repository.git("rm", "-q", "backend/agents/writer/agent.py")
    repository.commit("Remove")
    assert verdict(repository.root, "agents.writer.agent") == ("missing", True)
    assert verdict(repository.root, "agents.reader") == ("ok", False)


def test_a_module_that_was_renamed_is_told_by_its_new_name(repository: Repository) -> None:
    """A file's rename is a module's rename."""
    repository.write("src/tools/loading.py", f"def load(value):\n{BODY}")
    repository.write("CLAUDE.md", sample("py", "from tools.loading import load"))
    repository.commit("Begin")
    repository.git("mv", "src/tools/loading.py", "src/tools/reading.py")
    repository.commit("Rename")
    found = claims_of(repository.root)["tools.loading"]
    assert (found["status"], found["repair"], found["sure"]) == ("moved", "tools.reading", True)


def test_a_name_is_imported_from_the_module_that_has_it(repository: Repository) -> None:
    """Issue 17: the page names a place that holds something else."""
    repository.write("src/tools/visitor.py", "def visit_all(value):\n    return value\n")
    repository.write("src/tools/star.py", "from tools.other import *\n")
    repository.write("src/tools/other.py", f"def replace_if_changed(value):\n{BODY}")
    page = "from tools.visitor import replace_if_changed\n" + "from tools.visitor import visit_all"
    repository.write("CLAUDE.md", sample("python", page))
    repository.write("AGENTS.md", sample("python", "from tools.star import replace_if_changed"))
    repository.commit("Begin")
    found = [
        (memory.source.path, each.claim.text, each.status, each.sure)
        for memory in run.audit(repository.root, now=NOW, deep=True).memories
        for each in memory.findings
        if each.status != "ok"
    ]
    assert found == [("CLAUDE.md", "replace_if_changed", "moved", True)]


def test_a_class_is_run_and_imported_by_its_own_package(repository: Repository) -> None:
    """A test filter of Gradle and an import of Java name a class with its package."""
    repository.write(
        "it/src/SimpleAgentTest.kt", "package org.acme.it\n\nclass SimpleAgentTest {\n  fun runs() {}\n}\n"
    )
    repository.write("build.gradle.kts", "tasks {}\n")
    command = './gradlew test --tests "org.acme.agents.SimpleAgentTest.simple_agent_runs_twice"'
    imported = "import org.acme.agents.SimpleAgentTest\nimport com.other.SimpleAgentTest"
    repository.write("CLAUDE.md", sample("bash", command) + sample("kotlin", imported))
    repository.commit("Begin")
    found = claims_of(repository.root)
    told = found["org.acme.agents.SimpleAgentTest"]
    assert (told["status"], told["repair"], told["sure"]) == ("moved", "org.acme.it.SimpleAgentTest", True)
    assert found["simple_agent_runs_twice"]["status"] == "missing"
    assert found["com.other.SimpleAgentTest"]["status"] != "moved"


def test_a_group_of_files_is_broken_when_all_of_them_went(repository: Repository) -> None:
    """`mcp-{a,b}.md` names two files; one that is left makes the sentence true enough."""
    for name in ("test", "repro", "left"):
        repository.write(f"prompts/mcp-{name}.md", f"# {name}\n\nSome words about {name} and what it is for.\n")
    repository.write("CLAUDE.md", "See `prompts/mcp-{test,repro}.md` and `prompts/mcp-{repro,left}.md`.\n")
    repository.commit("Begin")
    repository.git("rm", "-q", "prompts/mcp-test.md", "prompts/mcp-repro.md")
    repository.commit("Remove")
    assert verdict(repository.root, "prompts/mcp-{test,repro}.md") == ("missing", True)
    assert verdict(repository.root, "prompts/mcp-{repro,left}.md") == ("ok", False)


@pytest.mark.parametrize(
    ("line", "kind", "text"),
    [
        ("- **TaskRunner** - runs tasks", "symbol", "TaskRunner"),
        ("- **Core::Runner** runs", "symbol", "Core::Runner"),
        ("- apps/web/app/(app)/clean/", "file", "apps/web/app/(app)/clean/"),
        ("- apps/web/app/(app)/page.tsx", "file", "apps/web/app/(app)/page.tsx"),
        ("Uses the modal (@web3auth/modal) to log in", "package", "@web3auth/modal"),
        ("- `ruby_llm-mcp` speaks to servers", "package", "ruby_llm-mcp"),
        ("| `00-R&D/Docs/PLAN.md` | the plan |", "file", "00-R&D/Docs/PLAN.md"),
        ("```bash\nforge test --match-test testRegisters\n```", "symbol", "testRegisters"),
        ("Built from golang:1.25.8-alpine", "version", "golang:1.25.8-alpine"),
        ("```\nsrc/\n├── a.py, b.py  # both\n└── c.py\n```", "file", "b.py"),
    ],
)
def test_what_a_page_names_without_the_usual_marks(line: str, kind: str, text: str) -> None:
    """Each was missed on a fetched repository."""
    assert (kind, text) in {(claim.kind, claim.text) for claim in extract(f"# Page\n\n{line}\n")}


@pytest.mark.parametrize("line", ["- **Note** that", "- **Never**: push", "Write to @docs/a.md", "- src/a/"])
def test_what_is_no_name_without_the_usual_marks(line: str) -> None:
    """A bold word, a mention and a short path are no claims of these kinds."""
    found = {(claim.kind, claim.text) for claim in extract(f"# Page\n\n{line}\n")}
    assert not {kind for kind, _text in found} & {"symbol", "package"}
    assert ("file", "src/a/") not in found


@pytest.mark.parametrize(
    ("line", "told"),
    [
        ("- Ant Design Vue 4.2+", set()),
        ("An expert in modern Java (Java 8-21)", set()),
        ("Java 21 introduced sequenced collections", set()),
        ("Python 3.10+ union syntax is used for types", set()),
        ("Node 20 reached EOL in April", set()),
        ("## Go 1.18+ Generics", set()),
        ("- Use `errors.Is` for comparison in Go 1.20+.", set()),
        ("- Node.js >= 18 (tested with 20)", {"Node.js >= 18"}),
        ("| Runtime | Go 1.21 | yes |", {"Go 1.21"}),
        ("- `go.mod`: modules (use Go 1.23+)", {"Go 1.23+"}),
        ("Node 18 or 20, Python 3.9–3.12", set()),
        ("Requires Vue 3.5 on Node 20", {"Vue 3.5", "Node 20"}),
        ("- **Stack**: Vue 3.5+ with TypeScript 5", {"Vue 3.5+", "TypeScript 5"}),
    ],
)
def test_a_version_belongs_to_the_product_it_stands_behind(line: str, told: set[str]) -> None:
    """False alarms on a fetched repository: another product that ends in the name, and a range of versions."""
    assert {claim.text for claim in extract(f"# Page\n\n{line}\n") if claim.kind == "version"} == told


def test_an_image_is_checked_against_the_dockerfile(repository: Repository) -> None:
    """Issue 17: versions are wrong as often as symbols, and can be checked where a file states them."""
    repository.write("Dockerfile", "FROM --platform=linux/amd64 golang:1.25.13-alpine AS build\nFROM postgres:16\n")
    repository.write("CLAUDE.md", "Built with golang:1.25.8-alpine, golang:1.25 and postgres:16.2, beside redis:7.2.\n")
    repository.commit("Begin")
    found = claims_of(repository.root)
    assert found["golang:1.25.8-alpine"]["repair"] == "golang:1.25.13-alpine"
    assert found["golang:1.25.8-alpine"]["sure"]
    assert [found[text]["status"] for text in ("golang:1.25", "redis:7.2")] == ["ok", "unchecked"]


def test_a_test_is_run_in_the_package_that_has_it(repository: Repository) -> None:
    """`go test ./x -run T` runs nothing when T is in another package."""
    repository.write("go.mod", "module acme\n\ngo 1.22\n")
    repository.write("pkg/api/a_test.go", "package api\n\nfunc Test_GetMe(t *testing.T) {}\n")
    repository.write("e2e/b_test.go", "package e2e\n\nfunc TestGetMe(t *testing.T) {}\n")
    repository.write("CLAUDE.md", sample("bash", "go test ./pkg/api -run TestGetMe\ngo test ./pkg/api -run Test_GetMe"))
    repository.commit("Begin")
    found = claims_of(repository.root)
    assert (found["TestGetMe"]["status"], found["TestGetMe"]["sure"]) == ("moved", True)
    assert found["Test_GetMe"]["status"] == "ok"


def test_a_name_told_by_an_arrow_is_in_the_file_it_points_to(repository: Repository) -> None:
    """`Name` → [file](file) says where the name is."""
    repository.write("src/common.h", "int other();\n")
    repository.write("src/status.h", "enum class OpStatus { OK };\n")
    repository.write("CLAUDE.md", "- Errors: `OpStatus` → [src/common.h](src/common.h)\n")
    repository.commit("Begin")
    assert verdict(repository.root, "OpStatus") == ("moved", True)


def test_a_mock_in_a_test_defines_nothing(repository: Repository) -> None:
    """A test that still mocks what went does not bring it back."""
    repository.write("src/block.ts", "export function runColdBlocker(value: number) {\n  return value * 2;\n}\n")
    repository.write("src/block.test.ts", "vi.mock('./block', () => ({ runColdBlocker: vi.fn() }));\n")
    repository.write("CLAUDE.md", "Cold mail is found by `runColdBlocker()`.\n")
    repository.commit("Begin")
    assert verdict(repository.root, "runColdBlocker") == ("ok", False)
    repository.git("rm", "-q", "src/block.ts")
    repository.commit("Remove")
    assert verdict(repository.root, "runColdBlocker") == ("missing", True)


def test_a_remark_in_a_style_sheet_defines_nothing(repository: Repository) -> None:
    """A mention in a comment is not enough, with or without a grammar."""
    repository.write("app/dialog.rb", "class DialogComponent\n  def open\n    1\n  end\nend\n")
    repository.write("app/a.css", ".a {\n  /* sized by DialogComponent */\n}\n")
    repository.write("app/other.rb", "class Other\nend\n")
    repository.write("CLAUDE.md", "Render `DialogComponent`.\n")
    repository.commit("Begin")
    repository.git("rm", "-q", "app/dialog.rb")
    repository.commit("Remove")
    assert verdict(repository.root, "DialogComponent") == ("missing", True)


def test_a_package_is_gone_however_often_pages_name_it(repository: Repository) -> None:
    """The commit that drops a dependency may write about it: pages do not count."""
    repository.write("package.json", '{"dependencies": {"@acme/modal-kit": "^1.0.0", "react": "^18.0.0"}}\n')
    repository.commit("Begin")
    repository.write("CLAUDE.md", "Log in with the modal (@acme/modal-kit).\n")
    repository.commit("Write the page")
    repository.write("package.json", '{"dependencies": {"react": "^18.0.0"}}\n')
    repository.write("docs/plan.md", "`@acme/modal-kit` goes. @acme/modal-kit is large. No @acme/modal-kit any more.\n")
    repository.commit("Drop the modal")
    assert verdict(repository.root, "@acme/modal-kit") == ("missing", True)


def test_a_part_of_the_project_is_no_package_that_went(repository: Repository) -> None:
    """A module of a monorepo has the name of its folder."""
    repository.write("package.json", '{"dependencies": {"acme-test-kit": "^1.0.0", "react": "^18.0.0"}}\n')
    repository.write("acme-test-kit/readme.txt", "the kit\n")
    repository.write("CLAUDE.md", "- **`acme-test-kit`**: helpers for tests\n")
    repository.commit("Begin")
    repository.write("package.json", '{"dependencies": {"react": "^18.0.0"}}\n')
    repository.commit("Take it in")
    assert verdict(repository.root, "acme-test-kit") == ("ok", False)


def test_a_name_is_followed_through_the_moves_of_its_file(repository: Repository) -> None:
    """A file moves first and goes later: only the second commit took the name away."""
    repository.write("src/shell.ts", f"export function supportsShellSetup(value) {{\n{BODY}}}\n" + "// more\n" * 8)
    repository.write("src/kept.ts", "export const kept = 1;\n")
    repository.write("CLAUDE.md", "The gate is `supportsShellSetup()`.\n")
    repository.commit("Begin")
    repository.git("mv", "src/shell.ts", "src/gate.ts")
    repository.commit("Move")
    repository.git("rm", "-q", "src/gate.ts")
    repository.commit("Remove")
    found = claims_of(repository.root)["supportsShellSetup"]
    assert (found["status"], found["sure"], found["since"]["subject"]) == ("missing", True, "Remove")


@pytest.mark.parametrize("seconds", ["99999999999999999", "-1e5", "", "x"])
def test_a_commit_may_claim_any_date(seconds: str) -> None:
    """A date beyond all calendars ends no audit."""
    assert moment_of(seconds).year == 1970


def test_a_page_is_dated_in_a_repository_with_odd_file_names(repository: Repository) -> None:
    """No path can pass for the header of a commit."""
    repository.write("\x01CLAUDE.md", "odd\n")
    repository.write("CLAUDE.md", "See `a.py`.\n")
    repository.commit("Begin")
    assert run.audit(repository.root, now=NOW, deep=True).memories


def test_a_drawing_with_many_things_that_never_were_is_a_plan(repository: Repository) -> None:
    """A page that draws a target names mostly what is there; what never was is what it aims at."""
    kept = "".join(f"├── kept{number}.py\n" for number in range(6))
    for number in range(6):
        repository.write(f"src/kept{number}.py", f"VALUE = {number}\n")
    repository.write("src/went.py", "VALUE = 7\n" * 4)
    drawn = "".join(f"├── aim{letter}.py\n" for letter in "abcd")
    repository.write("CLAUDE.md", f"# Page\n\n```\nsrc/\n{kept}{drawn}└── went.py\n```\n")
    repository.write("AGENTS.md", f"# Page\n\n```\nsrc/\n{kept}└── aima.py\n```\n")
    repository.commit("Begin")
    repository.git("rm", "-q", "src/went.py")
    repository.commit("Remove")
    found = {
        (memory.source.path, each.claim.text)
        for memory in run.audit(repository.root, now=NOW, deep=True).memories
        for each in memory.findings
        if each.status == "missing"
    }
    assert found == {("CLAUDE.md", "went.py"), ("AGENTS.md", "aima.py")}


def test_what_is_drawn_below_a_remark_is_not_below_the_folder_before_it() -> None:
    """A remark in a drawing is no folder, and a pattern is no file."""
    drawing = "app/\n├── (group)/\n│   └── c.ts\n├── user/\n│   └── a.ts\n├── (in phase 3)\n│   └── chat/\n"
    drawing += "├── *.test.ts\n└── b.ts\n"
    claims = extract(f"# Page\n\n```\n{drawing}```\n")
    assert [claim.within + claim.text for claim in claims if claim.kind == "file"] == [
        "app/",
        "app/(group)/",
        "app/(group)/c.ts",
        "app/user/",
        "app/user/a.ts",
        "app/b.ts",
    ]


@pytest.mark.parametrize(
    "line",
    [
        "- ✅ **old-rules.mdc** を削除（統合）",
        "`src/old_rules.py` は削除されました。",
        "`src/old_rules.py` 已删除。",
        "See `acme/src/kept.py` for it.",
        "The work is done by `src/TaskService`.",
        "Each `src/vN-rules.py` freezes one.",
        "Components: `src/component-name.py`",
        "Requires React 17+.",
        "The `batch_size` (default: 10) is set elsewhere.",
        "Call `take_all()` in `tools.py`.",
        "It goes from `take_all` → `src/kept.py::VALUE`.",
        '```bash\nmake revision MSG="add foo column to runs"\n```',
    ],
)
def test_what_is_true_enough_is_not_called_broken(repository: Repository, line: str) -> None:
    """Each was a false alarm on a fetched repository that nobody had tuned on."""
    repository.write("src/kept.py", "VALUE = 1\n")
    repository.write("src/old_rules.py", "RULES = 1\n" * 3)
    repository.write("src/one/tools.py", "def take_all(batch_size=None):\n    return batch_size\n")
    repository.write("src/two/tools.py", "OTHER = 1\n")
    repository.write(".cursor/rules/old-rules.mdc", "Some words about rules that are kept here.\n")
    repository.write("package.json", '{"dependencies": {"react": "^18.0.0"}}\n')
    repository.write("Makefile", "revision:\n\techo\n")
    repository.write("CLAUDE.md", f"# Page\n\n{line}\n")
    repository.commit("Begin")
    repository.git("rm", "-q", "src/old_rules.py", ".cursor/rules/old-rules.mdc")
    repository.commit("Remove")
    found = run.audit(repository.root, now=NOW, deep=True)
    assert not [each for memory in found.memories for each in memory.findings if each.status in ("missing", "moved")]


def test_a_page_of_a_skill_is_left_out(repository: Repository) -> None:
    """Skills are taken from elsewhere; their samples show any project's code."""
    repository.write(".agents/skills/react/AGENTS.md", "See `src/kept.py`.\n")
    repository.write("AGENTS.md", "See `src/kept.py`.\n")
    repository.commit("Begin")
    found = run.audit(repository.root, now=NOW, deep=True)
    assert [memory.source.path for memory in found.memories] == ["AGENTS.md"]


def test_a_link_of_a_rule_names_a_place_whatever_its_shape(repository: Repository) -> None:
    """`mdc:models` is a folder of the project."""
    repository.write("models/a.py", "VALUE = 1\n")
    repository.write(".cursor/rules/a.mdc", "- [models/](mdc:models): the data\n")
    repository.commit("Begin")
    repository.git("rm", "-q", "models/a.py")
    repository.commit("Remove")
    assert verdict(repository.root, "models") == ("missing", True)


def test_a_member_that_no_code_has_is_broken_where_the_class_inherits_nothing(repository: Repository) -> None:
    """Missed: `JobManager._execute_job()` on a page, `_execute` in the class; a base could have had it."""
    repository.write("jobs.py", "class JobManager:\n    def _execute(self): ...\n\n\nclass Far(Client):\n    x = 1\n")
    repository.write("CLAUDE.md", "Jobs run in `JobManager._execute_job()`, far ones in `Far.send_job()`.\n")
    repository.commit("Begin")
    assert verdict(repository.root, "JobManager._execute_job") == ("missing", True)
    assert verdict(repository.root, "Far.send_job") == ("unchecked", False)


def test_a_call_told_with_its_arguments_is_a_name(repository: Repository) -> None:
    """Missed: a record told with its fields, on the line of the file that should have it."""
    repository.write("edits.py", "class EditResponse:\n    path = 1\n\n\ndef edit_image(path): ...\n")
    repository.write("CLAUDE.md", "- `edits.py`: `edit_image(path, force=False)` -> `EditResult(path, cost)`\n")
    repository.commit("Begin")
    assert verdict(repository.root, "edit_image") == ("ok", False)
    assert verdict(repository.root, "EditResult") == ("missing", True)


def test_a_file_that_was_put_away_or_left_the_root_is_not_excused_by_its_name(repository: Repository) -> None:
    """Missed on a public page: `node run-all.js`, tracked at the root once, in ARCHIVED/ or another folder now."""
    for name in ("run-all.js", "browser.js", "helper.js"):
        repository.write(name, f"// {name}\n" + "function load(value) { return value }\n" * 4)
    text = "Read `run-all.js` and `helper.js`.\n\n```bash\nnode run-all.js\n```\n\n```bash\nnode browser.js\n```\n"
    repository.write("AGENTS.md", text + "\n```bash\ncd tools\nnode helper.js\n```\n")
    repository.commit("Begin")
    (repository.root / "ARCHIVED").mkdir()
    (repository.root / "tools").mkdir()
    repository.git("mv", "run-all.js", "ARCHIVED/run-all.js")
    repository.git("mv", "browser.js", "tools/browser.js")
    repository.git("mv", "helper.js", "tools/helper.js")
    repository.commit("Tidy")
    found = claims_of(repository.root)
    assert (found["run-all.js"]["status"], found["run-all.js"]["repair"]) == ("missing", None)
    assert (found["browser.js"]["status"], found["browser.js"]["repair"]) == ("moved", "tools/browser.js")
    assert found["helper.js"]["status"] == "ok"


def test_a_page_copied_by_the_commit_that_moved_the_files_said_them_before(repository: Repository) -> None:
    """Missed on a public page: docs/CLAUDE.md came as a copy of CLAUDE.md in the commit that moved core/ below src/."""
    repository.write("core/bridge.py", f"def make(value):\n{BODY}")
    repository.write("CLAUDE.md", "Test after changes to `core/bridge.py`.\n")
    repository.commit("Begin")
    (repository.root / "src").mkdir()
    repository.git("mv", "core", "src/core")
    repository.write("docs/CLAUDE.md", "Test after changes to `core/bridge.py`.\n")
    repository.write("CLAUDE.md", "Nothing.\n")
    repository.commit("Reorganise")
    found = claims_of(repository.root)["core/bridge.py"]
    assert (found["status"], found["repair"], found["sure"]) == ("moved", "src/core/bridge.py", True)


def test_a_link_leads_from_the_folder_of_its_page(repository: Repository) -> None:
    """Missed on a public page: `[CLAUDE.md](CLAUDE.md)` in docs/, where it was removed; the root has one too."""
    repository.write("GUIDE.md", "Root.\n")
    repository.write("docs/GUIDE.md", "Of the documentation.\n" * 5)
    repository.write("docs/AGENTS.md", "See [the guide](GUIDE.md).\n")
    repository.commit("Begin")
    assert verdict(repository.root, "GUIDE.md")[0] == "ok"
    repository.git("rm", "-q", "docs/GUIDE.md")
    repository.commit("Remove")
    found = claims_of(repository.root)["GUIDE.md"]
    assert (found["status"], found["repair"], found["sure"]) == ("moved", "../GUIDE.md", True)


def test_what_is_drawn_or_patterned_with_other_capitals_is_told_with_the_right_ones(repository: Repository) -> None:
    """Missed on public pages: `docs/agents/` for docs/Agents/, and `Source/audio/**` in rules that are JSON."""
    for name in ("Agents", "Flows", "Develop"):
        repository.write(f"docs/{name}/a.md", name)
    repository.write("docs/static/a.css", "a {}\n")
    drawing = "```\ndocs/\n├── agents/\n├── flows/\n├── Develop/\n└── static/\n```\n"
    repository.write("AGENTS.md", drawing)
    repository.write(".cursorrules", '{"rules": [\n{"pattern": "docs/develop/**"},\n{"pattern": "docs/sound/**"}\n]}\n')
    repository.commit("Begin")
    found = claims_of(repository.root)
    assert [found[each]["repair"] for each in ("agents/", "flows/")] == ["Agents/", "Flows/"]
    assert found["agents/"]["sure"] and found["Develop/"]["status"] == found["static/"]["status"] == "ok"
    assert (found["docs/develop/**"]["repair"], found["docs/develop/**"]["sure"]) == ("docs/Develop/**", True)
    assert found["docs/sound/**"]["status"] == "unchecked"
    assert claims_of(repository.root, perhaps=True)["docs/sound/**"]["status"] == "missing"


def test_a_file_at_the_root_of_a_drawing_all_else_of_which_is_here_is_broken(repository: Repository) -> None:
    """Missed on a public page: `MASTER_ANALYSIS.md` in a drawing of the root whose other entries are there."""
    names = [f"part{number}.py" for number in range(14)]
    for name in names:
        repository.write(name, "x = 1\n")
    entries = "".join(f"├── {name}\n" for name in names)
    repository.write("AGENTS.md", f"```\nthing/\n{entries}├── MASTER_ANALYSIS.md\n└── output/\n```\n")
    repository.commit("Begin")
    assert verdict(repository.root, "MASTER_ANALYSIS.md") == ("missing", True)
    assert verdict(repository.root, "output/")[0] == "unchecked"
    repository.write("AGENTS.md", f"```\nthing/\n{entries}├── MASTER_ANALYSIS.md\n├── PLAN.md\n└── later.py\n```\n")
    assert verdict(repository.root, "MASTER_ANALYSIS.md")[0] == "unchecked"
