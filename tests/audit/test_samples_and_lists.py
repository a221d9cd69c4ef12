"""What commands, remarks, modules, lists and links name: found where it went, left open where nothing tells."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from tenure.audit import report, run

from .conftest import NOW, Repository

BROKEN, PERHAPS, OPEN, OK = ("missing", True), ("missing", False), ("unchecked", False), ("ok", False)


def claims_of(root: Path) -> dict[str, dict[str, Any]]:
    found = report.as_json(run.audit(root, now=NOW, deep=True, perhaps=True))
    return {claim["text"]: claim for memory in found["memories"] for claim in memory["claims"]}


def verdicts(root: Path, *texts: str) -> list[tuple[str, bool]]:
    found = claims_of(root)
    return [(found[text]["status"], found[text]["sure"]) for text in texts]


def test_a_folder_or_file_that_a_command_works_on_is_looked_for(repository: Repository) -> None:
    """SuperClaude, SuperPaymaster: `pytest tests/pm_agent/` and `forge script a.sol:Name` were no claims."""
    repository.write("tests/unit/test_a.py", "x = 1\n")
    repository.write("tests/other/test_b.py", "x = 1\n")
    repository.write("script/Counter.sol", "contract A {}\n")
    commands = "pytest tests/unit -q\npytest tests/other\npytest tests/never/\nforge script script/Counter.sol:Run\n"
    made = "mkdir tests/made\nruff check --output-dir tests/out/\n"
    repository.write("CLAUDE.md", f"```bash\n{commands}{made}```\n")
    repository.commit("Begin")
    repository.git("rm", "-qr", "tests/unit", "script")
    repository.commit("Remove")
    assert verdicts(repository.root, "tests/unit", "tests/other") == [BROKEN, OK]
    assert verdicts(repository.root, "tests/never/", "script/Counter.sol") == [PERHAPS, BROKEN]
    assert not {"tests/made", "tests/out/"} & claims_of(repository.root).keys()


def test_a_file_that_a_remark_of_a_sample_names_is_broken_when_it_went(repository: Repository) -> None:
    """mcp-agent, dental-dashboard: `# From examples/a.py` above a sample; one that never was shows where one may be."""
    repository.write("jobs/load.py", "x = 1\n")
    repository.write("jobs/here.py", "x = 2\n")
    sample = "# From jobs/load.py - the pattern\nx = 1\n# jobs/here.py\n# jobs/never.py\ny = 'https://a.io/b/c.py'\n"
    repository.write("AGENTS.md", f"```python\n{sample}```\n")
    repository.commit("Begin")
    repository.git("rm", "-q", "jobs/load.py")
    repository.commit("Remove")
    assert verdicts(repository.root, "jobs/load.py", "jobs/here.py", "jobs/never.py") == [BROKEN, OK, OPEN]


def test_a_module_told_from_the_root_of_the_sources_is_found_or_followed(repository: Repository) -> None:
    """dental-dashboard: `import x from '@/lib/logger'` outlived the module; where `@` leads is not asked."""
    body = "".join(f"export const value{number} = {number}\n" for number in range(30))
    for name in ("logger.ts", "dates.ts", "here.tsx", "form/index.ts"):
        repository.write(f"web/src/lib/{name}", f"// {name}\n{body}")
    text = "Use `@/lib/dates` and `@/lib/form`.\n\n```ts\nimport a from '@/lib/logger'\nimport b from '@/lib/here'\n"
    repository.write("CLAUDE.md", text + "import c from '@/lib/never'\n```\n")
    repository.commit("Begin")
    repository.git("rm", "-q", "web/src/lib/logger.ts")
    repository.git("mv", "web/src/lib/dates.ts", "web/src/lib/days.ts")
    repository.commit("Remove")
    assert verdicts(repository.root, "@/lib/logger", "@/lib/here", "@/lib/form") == [BROKEN, OK, OK]
    assert verdicts(repository.root, "@/lib/dates", "@/lib/never") == [("moved", True), OPEN]
    assert claims_of(repository.root)["@/lib/dates"]["repair"] == "@/lib/days"
    # A page that began to say so later means another module.
    repository.write("AGENTS.md", "```ts\nimport a from '@/lib/logger'\n```\n")
    repository.write("CLAUDE.md", "Nothing.\n")
    repository.commit("Say it anew")
    assert verdicts(repository.root, "@/lib/logger") == [OPEN]


def test_the_folder_before_what_a_reader_fills_in_is_looked_for(repository: Repository) -> None:
    """Hatchet: `sdks/guides/{lang}/` was no claim, and the folder was gone."""
    for folder in ("guides", "kept"):
        repository.write(f"sdks/{folder}/go/a.go", f"package {folder}\n")
    repository.write("CLAUDE.md", "See `sdks/guides/{lang}/`, `sdks/kept/<lang>/b.go` and `~/.app/logs/{day}.txt`.\n")
    repository.commit("Begin")
    repository.git("rm", "-qr", "sdks/guides")
    repository.commit("Remove")
    assert verdicts(repository.root, "sdks/guides/{lang}/", "sdks/kept/<lang>/b.go") == [BROKEN, OPEN]
    assert "~/.app/logs/{day}.txt" not in claims_of(repository.root)


def test_a_folder_that_a_list_of_the_root_has_and_the_root_lacks_may_be_broken(repository: Repository) -> None:
    """SuperClaude: `research/` among the root's folders was excused by docs/research; below another item it may be."""
    for folder in ("src", "tests", "docs/research", "plugins", "lib/core"):
        repository.write(f"{folder}/a.py", f"x = '{folder}'\n")
    items = "- `src/` has code.\n- `tests/`, `research/` and `plugins/` too.\n- `docs/` is read.\n- `index/` is made.\n"
    repository.write("AGENTS.md", f"{items}\nElsewhere `core/` is named.\n")
    repository.commit("Begin")
    assert verdicts(repository.root, "src/", "research/", "core/") == [OK, PERHAPS, OK]
    repository.write("AGENTS.md", "- `lib/`: code\n  - `core/` threads\n  - `src/` a\n  - `tests/` b\n  - `docs/` c\n")
    assert verdicts(repository.root, "core/") == [OK]


def test_a_link_leads_somewhere_whatever_its_sentence_forbids(repository: Repository) -> None:
    """Cipher-box, minsky: a link one folder too far up was doubted for a "not" beside it."""
    repository.write("docs/security-model-overview.md", "# Model\n")
    repository.write("CLAUDE.md", "Do not guess, read [the model](docs/other/security-model-overview.md) first.\n")
    repository.commit("Begin")
    found = claims_of(repository.root)["docs/other/security-model-overview.md"]
    assert found["sure"] and found["status"] in ("missing", "moved")
    repository.write("CLAUDE.md", "For example [the model](docs/other/security-model-overview.md).\n")
    assert not claims_of(repository.root)["docs/other/security-model-overview.md"]["sure"]


def test_code_beside_code_that_git_keeps_is_looked_for_although_a_pattern_ignores_it(repository: Repository) -> None:
    """RuralBrain: a script was taken for a made one, while git keeps others of that folder."""
    repository.write(".gitignore", "models/\nout/\n")
    repository.write("src/models/kept.py", "x = 1\n")
    repository.git("add", "-f", "src/models/kept.py")
    repository.write(
        "CLAUDE.md", "Run `src/models/serve.py`; it writes `src/out/serve.py` and `src/models/weights.bin`.\n"
    )
    repository.commit("Begin")
    assert verdicts(repository.root, "src/models/serve.py")[0][0] == "missing"
    assert verdicts(repository.root, "src/out/serve.py", "src/models/weights.bin") == [OPEN, OPEN]


def test_a_path_of_which_a_hedged_sentence_has_the_name_alone_right_may_be_broken(repository: Repository) -> None:
    """lmnr: `src/a.rs` stood in a sentence with a "not", and the only file of that name lies elsewhere."""
    repository.write("server/src/traces/opentelemetry_json.rs", "fn a() {}\n")
    repository.write("CLAUDE.md", "Hand-written code stays in `src/opentelemetry_json.rs`, not in the output.\n")
    repository.commit("Begin")
    found = claims_of(repository.root)["src/opentelemetry_json.rs"]
    assert (found["status"], found["sure"]) == ("moved", False)
    assert found["repair"] == "server/src/traces/opentelemetry_json.rs"


def test_a_file_in_bold_that_heads_an_item_is_a_claim(repository: Repository) -> None:
    """SuperPaymaster: `**BasePaymasterRouter.sol** - shared logic`; a product in bold is none."""
    repository.write("src/BaseRouter.sol", "contract A {}\n")
    repository.write("CLAUDE.md", "- **BaseRouter.sol** - shared\n- **NextAuth.js** - a product\n")
    repository.commit("Begin")
    repository.git("rm", "-q", "src/BaseRouter.sol")
    repository.commit("Remove")
    found = claims_of(repository.root)
    assert found["BaseRouter.sol"]["status"] == "missing" and "NextAuth.js" not in found


def test_tasks_that_a_rakefile_makes_from_classes_are_there(repository: Repository) -> None:
    """Hatchet: `rake spec` was called missing, where `RSpec::Core::RakeTask.new(:spec)` makes it."""
    repository.write("Rakefile", 'require "bundler/gem_tasks"\nRSpec::Core::RakeTask.new(:spec)\ntask :lint do\nend\n')
    repository.write("CLAUDE.md", "Run `rake spec`, `rake build`, `rake lint` and `rake never`.\n")
    repository.commit("Begin")
    assert verdicts(repository.root, "rake spec", "rake build", "rake lint") == [OK, OK, OK]
    assert verdicts(repository.root, "rake never") == [PERHAPS]


def test_a_tools_manual_and_words_of_a_style_sheet_are_on_neither_list(repository: Repository) -> None:
    """journee, spacedrive: forty tools of a server and `rounded-lg` hid what was worth a look."""
    repository.write("src/a.py", "def load_rows():\n    return 1\n")
    repository.write("package.json", '{"dependencies": {"rounded-lg": "1", "zod": "3"}}')
    tools = " ".join(f"`tool_number_{name}`" for name in "abcdef")
    repository.write("CLAUDE.md", f"Tools: {tools}\n")
    repository.write("AGENTS.md", "Call `load_rows` and `never_defined`.\n")
    repository.commit("Begin")
    repository.write("package.json", '{"dependencies": {"zod": "3"}}')
    repository.commit("Drop a package")
    # Named only since it is no package: a class of a style sheet.
    repository.write("CLAUDE.md", f"Tools: {tools}\n\nUse `rounded-lg` for a card.\n")
    assert verdicts(repository.root, "tool_number_a", "tool_number_f", "rounded-lg") == [OPEN, OPEN, OPEN]
    assert verdicts(repository.root, "never_defined", "load_rows") == [PERHAPS, OK]
