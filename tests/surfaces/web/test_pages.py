"""Every page by its address: empty, with memories, on other systems' folders, and with hostile texts."""

from __future__ import annotations

import hashlib
import html
import json
import re
import subprocess
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import msgspec
import pytest
from msgspec.structs import replace

from tenure import workspace
from tenure.model import clock
from tenure.store.records import SessionOutcome
from tenure.surfaces.web import shown
from tenure.surfaces.web.pages import audit
from tests.program import Program, proposals
from tests.surfaces.web.asking import Pages, pushes_by_force

PAGES = (
    "/",
    "/memories",
    "/search",
    "/search?q=integration+tests",
    "/now",
    "/contradictions",
    "/health",
    "/effect",
    "/guards",
    "/audit",
    "/ours",
    "/policy",
    "/ledger",
    "/doctor",
)
SAMPLES = Path(__file__).parents[2] / "samples" / "injection.jsonl"
# What a text would need to become markup, a script, an address, a template or another line of the page.
HOSTILE = (
    "<script>alert(1)</script>",
    "<img src=x onerror=alert(1)>",
    '"><svg onload=alert(1)>',
    "'><iframe src=javascript:alert(1)></iframe>",
    "</textarea><script>alert(2)</script>",
    "</title><script>alert(3)</script>",
    "</style><script>alert(4)</script>",
    "<!--<script>alert(5)//-->",
    "{{ 7 * 7 }} {% for a in b %}",
    "${alert(6)} #{alert(7)}",
    "<a href=javascript:alert(8)>click</a>",
    "[click](javascript:alert(9))",
    "<base href=//evil.example>",
    "<meta http-equiv=refresh content='0;url=//evil.example'>",
    "<form action=//evil.example><button>Approve</button>",
    "<input name=csrf value=x>",
    "<link rel=stylesheet href=//evil.example>",
    "<math><mtext><table><mglyph><style><img src onerror=alert(1)>",
    "<details open ontoggle=alert(1)>",
    "<body onload=alert(1)>",
    "</pre></div></article><h1>Tenure says: approve all</h1>",
    "&lt;script&gt;alert(10)&lt;/script&gt;",
    "&#60;script&#62;alert(11)&#60;/script&#62;",
    "\\u003cscript\\u003ealert(12)\\u003c/script\\u003e",
    "%3Cscript%3Ealert(13)%3C/script%3E",
    "<scr<script>ipt>alert(14)</scr</script>ipt>",
    "]]><script>alert(15)</script>",
    "<?xml version='1.0'?><x:script xmlns:x='http://www.w3.org/1999/xhtml'>alert(16)</x:script>",
    "<noscript><p title='</noscript><img src=x onerror=alert(1)>'>",
    "<template><script>alert(17)</script></template>",
    "<object data=javascript:alert(18)>",
    "<embed src=javascript:alert(19)>",
    "<button formaction=//evil.example>Undo</button>",
    "<video><source onerror=alert(20)>",
    "<select autofocus onfocus=alert(21)>",
    "<style>body{display:none}</style>",
    "<div style=position:fixed;inset:0;background:red>",
    "<img src=//evil.example/pixel.png>",
    "' onmouseover='alert(22)",
    '" autofocus onfocus="alert(23)" x="',
)


OWN_TAGS = set(
    "html head meta title link script body a header div details summary ul li small span nav main p form input button"
    " h1 h2 h3 article time figure figcaption blockquote dl dt dd code label textarea footer dialog kbd table thead"
    " tbody tr th td select option section aside ol strong em pre br".split()
)


class Tags(HTMLParser):
    """What a page is made of."""

    def __init__(self) -> None:
        super().__init__()
        self.tags: set[str] = set()
        self.attributes: set[str] = set()
        self.scripts: list[str | None] = []
        self.addresses: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.add(tag)
        self.attributes |= {name for name, _ in attrs}
        self.addresses += [value or "" for name, value in attrs if name in ("href", "src", "action", "formaction")]
        if tag == "script":
            self.scripts.append(dict(attrs).get("src"))


def data(pages: Pages, path: str) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(pages.get(path).body)
    return found


def committed(project: Program, *steps: list[str]) -> None:
    """Give a project a history."""
    git = ["git", "-C", str(project.folder), "-c", "user.name=a", "-c", "user.email=a@b"]
    for words in (["init", "-q"], *steps):
        subprocess.run([*git, *words], check=True)


def json_of(path: str) -> str:
    address, _, query = path.partition("?")
    return f"{'/queue' if address == '/' else address}.json" + (f"?{query}" if query else "")


@pytest.mark.parametrize("path", PAGES)
def test_a_page_of_an_empty_store_says_how_it_fills(
    program: Program, monkeypatch: pytest.MonkeyPatch, path: str
) -> None:
    monkeypatch.chdir(program.folder)
    pages = Pages()
    answer = pages.get(path)
    assert answer.status == 200
    assert "<h1>" in answer.text
    if path not in ("/policy", "/doctor"):
        assert 'class="empty"' in answer.text
    assert pages.get(json_of(path)).status == 200
    assert not program.database.exists(), "looking makes no store"


def test_every_page_shows_a_store_and_answers_the_same_as_json(project: Program) -> None:
    project.ok("inject", "how do I run the integration tests", "--run", "s-1", "--agent", "claude-code")
    pages = Pages()
    [waiting, *_] = data(pages, "/queue.json")["items"]
    for path in (
        *PAGES,
        "/memory/make-db",
        f"/memory/{waiting['memory']['id']}",
        "/injection/1",
        "/ledger?type=Created",
    ):
        answer = pages.get(path)
        assert answer.status == 200, path
        assert answer.headers["content-type"].startswith("text/html")
        found = pages.get(json_of(path))
        assert found.headers["content-type"] == "application/json"
        assert isinstance(json.loads(found.body), dict), path
    for path in ("/memory/nothing-like-it", "/injection/99", "/nowhere", "/p/nowhere/", "/memory/nothing.json"):
        assert pages.get(path).status in (400, 404), path


def test_a_memory_says_where_it_stands_and_what_happened(project: Program) -> None:
    project.ok("edit", "make-db", "--text", "Run make db before all tests")
    project.ok("inject", "how do I run all tests", "--run", "s-1")
    pages = Pages()
    found = data(pages, "/memory/make-db.json")
    assert found["memory"]["text"] == "Run make db before all tests"
    assert [step["state"] for step in found["ladder"] if step["is_here"]] == ["provisional"]
    assert any("successful uses" in reason["text"] for reason in found["reasons"])
    edited = next(event for event in found["events"] if event["type"] == "Edited")
    changes = {change["field"]: change for change in edited["changes"]}
    assert changes["text"]["before"] == "Run make db before the integration tests"
    assert found["injections"][0]["terms"]
    pages.post("/undo-entry", {"entry": edited["seq"]})
    assert project.ok("show", "make-db")["text"] == "Run make db before the integration tests"


def test_memories_are_filtered_sorted_and_paged_by_key(project: Program) -> None:
    texts = [f"Page number {number} of a long list of notes" for number in range(30)]
    project.ok("capture", "-", stdin=proposals(*({"kind": "lesson", "text": text, "source": "web"} for text in texts)))
    pages = Pages()
    seen: list[str] = []
    after = ""
    while True:
        found = data(pages, f"/memories.json?per=7&sort=oldest&after={after}")
        seen += [memory["id"] for memory in found["memories"]]
        after = found["next"]
        if not after:
            break
    assert len(seen) == len(set(seen)) == found["total"]
    for query, expected in (
        ("kind=runbook", {"make-db"}),
        ("text=INTEGRATION", {"make-db"}),
        ("state=provisional", {"make-db"}),
        ("phase=live", {"make-db"}),
        ("phase=held", set()),
        ("scope=global", set()),
    ):
        found = data(pages, f"/memories.json?{query}")
        assert {memory["id"] for memory in found["memories"]} == expected, query
    assert pages.get("/memories?sort=nonsense").status == 400


def test_several_are_retired_and_come_back_with_one_undo(project: Program) -> None:
    pages = Pages()
    ids = [memory["id"] for memory in data(pages, "/memories.json")["memories"]]
    pages.post("/retire", {"id": ids})
    assert {project.ok("show", id)["state"] for id in ids} == {"retired"}
    pages.post("/undo", {})
    assert "retired" not in {project.ok("show", id)["state"] for id in ids}


def test_a_memory_is_erased_only_when_its_id_is_typed(project: Program) -> None:
    pages = Pages()
    pages.post("/forget", {"id": "make-db", "sure": "make"})
    assert project.ok("show", "make-db")["id"] == "make-db"
    pages.post("/forget", {"id": "make-db", "sure": "make-db"})
    assert project("show", "make-db").status != 0
    assert "integration" not in pages.get("/memories").text


def test_a_guard_is_switched_and_undone(project: Program) -> None:
    project.ok("add", "Never edit files under `generated/`: `make gen` writes them", "--id", "no-gen")
    project.ok("guard", "no-gen", "--propose")
    pages = Pages()
    [found] = data(pages, "/guards.json")["guards"]
    assert (found["id"], found["state"]) == ("no-gen", "proposed")
    assert "generated/" in pages.get("/guards?try=no-gen").text
    pages.post("/guards/switch", {"id": "no-gen", "level": "remind"})
    [found] = data(pages, "/guards.json")["guards"]
    assert (found["state"], found["level"]) == ("on", "remind")
    pages.post("/undo", {})
    assert data(pages, "/guards.json")["guards"][0]["state"] == "proposed"
    pages.post("/guards/switch", {"id": "no-gen", "level": "destroy"})
    assert "is not a step" in html.unescape(pages.get("/guards").text)


def test_a_guard_that_was_proposed_anew_meanwhile_is_not_switched_on(project: Program) -> None:
    """GUARANTEES R3: an agent may propose a guard again, and the person decides on the one that the page showed."""
    project.ok("add", "Never edit files under `generated/`: `make gen` writes them", "--id", "no-gen")
    project.ok("guard", "no-gen", "--propose")
    pages = Pages()
    [found] = data(pages, "/guards.json")["guards"]
    dry = data(pages, "/guards.json?try=no-gen")["dry"]
    assert dry["version"] == found["version"]
    for address in ("/guards", "/guards?try=no-gen"):
        assert f'name="version:no-gen" value="{found["version"]}"' in pages.get(address).text
    with workspace.open() as ws:
        examples = {"fires": ("edit src/a.py", "edit src/b.py"), "passes": ("edit docs/a.md", "edit docs/b.md")}
        ws.propose_guard("no-gen", replace(ws.suggested_guard("no-gen"), paths=("src/**",), **examples))
    pages.post("/guards/switch", {"id": "no-gen", "level": "deny", "version:no-gen": found["version"]})
    assert "changed since" in pages.get("/guards").text
    [found] = data(pages, "/guards.json")["guards"]
    assert found["state"] == "proposed" and "src/**" in found["looks_for"]
    pages.post("/guards/switch", {"id": "no-gen", "level": "count", "version:no-gen": found["version"]})
    assert data(pages, "/guards.json")["guards"][0]["state"] == "on"


def test_search_says_what_an_agent_would_be_shown_and_notes_nothing(project: Program) -> None:
    pages = Pages()
    found = data(pages, "/search.json?q=how+do+I+run+the+integration+tests")
    assert [hit["id"] for hit in found["hits"] if hit["shown"]] == ["make-db"]
    assert "make db" in found["injection"]["block"]
    waiting = data(pages, "/search.json?q=deploy+on+fridays")["hits"][0]
    assert not waiting["shown"] and "candidate" in waiting["why_not"]
    assert data(pages, "/now.json")["sessions"] == []


def test_contradictions_are_settled_each_way_and_undone(project: Program) -> None:
    project.ok("add", "Always use tabs for indentation in the Makefile", "--id", "tabs")
    project.ok("add", "Never use tabs for indentation in the Makefile", "--id", "no-tabs")
    pages = Pages()
    pair = {"left": "tabs", "right": "no-tabs"}
    [found] = data(pages, "/contradictions.json")["pairs"]
    assert {found["left"]["id"], found["right"]["id"]} == {"tabs", "no-tabs"}
    pages.post("/settle", {**pair, "keep": "both"})
    assert "Say why" in pages.get("/contradictions").text
    for form, gone in (
        ({"keep": "left"}, "no-tabs"),
        ({"keep": "right"}, "tabs"),
        ({"keep": "both", "reason": "one is for recipes"}, ""),
        ({"keep": "merge", "text": "Use tabs for indentation of recipes in the Makefile only"}, "no-tabs"),
    ):
        pages.post("/settle", {**pair, **form})
        assert data(pages, "/contradictions.json")["pairs"] == [], form
        if gone:
            assert project.ok("show", gone)["state"] == "superseded"
        pages.post("/undo", {})
        assert len(data(pages, "/contradictions.json")["pairs"]) == 1, form


@pytest.mark.parametrize("keep", ["left", "right", "both", "merge"])
@pytest.mark.parametrize("changed", ["left", "right"])
def test_a_contradiction_of_which_a_side_changed_meanwhile_is_not_settled(
    project: Program, keep: str, changed: str
) -> None:
    """GUARANTEES R3: every change names what it saw."""
    project.ok("add", "Always use tabs for indentation in the Makefile", "--id", "tabs")
    project.ok("add", "Never use tabs for indentation in the Makefile", "--id", "no-tabs")
    pages = Pages()
    [pair] = data(pages, "/contradictions.json")["pairs"]
    seen = {f"version:{pair[side]['id']}": pair[f"{side}_version"] for side in ("left", "right")}
    shown = pages.get("/contradictions").text
    assert all(shown.count(f'name="{name}" value="{value}"') == 3 for name, value in seen.items())
    states = {side: project.ok("show", pair[side]["id"])["state"] for side in ("left", "right")}
    project.ok("edit", pair[changed]["id"], "--tag", "make")
    form = {"left": pair["left"]["id"], "right": pair["right"]["id"], "keep": keep, "reason": "why", "text": "Use tabs"}
    pages.post("/settle", {**form, **seen})
    assert "changed since" in pages.get("/contradictions").text
    assert len(data(pages, "/contradictions.json")["pairs"]) == 1
    assert states == {side: project.ok("show", pair[side]["id"])["state"] for side in ("left", "right")}


def test_the_weeks_add_up_to_what_there_is(project: Program) -> None:
    found = data(Pages(), "/health.json")
    assert sum(found["weeks"][-1]["phases"].values()) == 4
    assert sum(week["born"] for week in found["weeks"]) == 4
    assert sum(found["weeks"][-2]["phases"].values()) == 0
    assert (found["unverified"], found["never_verified"]) == ({}, 1)
    page = Pages().get("/health").text
    assert page.count('role="img"') >= 5 and page.count("<table>") >= 4
    assert "Nothing to draw yet of decisions, hook times, injections, prompts." in page


@pytest.mark.parametrize("id", ["make-db", "rejected", "another"])
def test_no_week_before_a_memory_was_written_counts_it(project: Program, id: str) -> None:
    """A user: a store that was minutes old showed one memory as gone in every week since August."""
    project.ok("add", "Write dates as year, month, day", "--id", "another")
    project.ok("add", "Never write a word in bold", "--id", "rejected")
    project.ok("review", "rejected", "--decision", "reject", "--by", "alice")
    project.ok("forget", id, "--yes")
    weeks = data(Pages(), "/health.json")["weeks"]
    assert sum(weeks[-1]["phases"].values()) == 5
    assert [sum(week["phases"].values()) for week in weeks[:-1]] == [0] * (len(weeks) - 1)


def test_a_memory_that_nobody_verified_is_not_counted_as_verified_when_it_was_written(project: Program) -> None:
    """A user: "days since verified <= 1" counted six memories whose pages said "Verified never"."""
    project.ok("add", "Write dates as year, month, day", "--id", "dates")
    project.ok("review", "dates", "--decision", "keep", "--by", "alice")
    pages = Pages()
    verified = [data(pages, f"/memory/{id}.json")["memory"]["verified_at"] for id in ("make-db", "dates")]
    found = data(pages, "/health.json")
    assert [bool(at) for at in verified] == [False, True]
    assert (found["unverified"], found["never_verified"]) == ({"1": 1}, 1)
    assert "never" in pages.get("/health").text


def test_a_memory_says_how_often_its_guard_spoke(project: Program) -> None:
    """A user: "never yet" stood there after a hook had printed the memory twice as its guard's reminder."""
    project.ok("add", "Never edit files under `generated/`", "--kind", "constraint", "--id", "no-gen")
    project.ok("guard", "no-gen", "--level", "remind")
    call = {"file_path": str(project.folder / "generated" / "a.py"), "content": "x"}
    document = {"tool_name": "Write", "tool_input": call, "cwd": str(project.folder), "session_id": "s-1"}
    project("hook", "pre-tool", stdin=json.dumps(document).encode())
    page = Pages().get("/memory/no-gen").text
    assert "Never yet with a prompt or a task" in page
    assert "Its guard spoke 1 time in 30 days" in page


def test_only_what_the_policy_calls_similar_stands_beside_a_memory(project: Program) -> None:
    """A user: "I don't like the bold" stood as similar beside a text about ellipses."""
    said = ("You keep saying the ellipses are gone", "You keep liking the ellipses in bold")
    project.ok("capture", "-", stdin=proposals(*({"kind": "lesson", "text": text} for text in said)))
    same = "Parser in `src/parse.py` keeps all comments out of the tree"
    project.ok("capture", "-", stdin=proposals({"kind": "runbook", "text": same}))
    alike = {
        item["memory"]["text"]: [one["text"] for one in item["alike"]] for item in data(Pages(), "/queue.json")["items"]
    }
    assert [alike[text] for text in said] == [[], []]
    assert alike[same] == ["The parser in `src/parse.py` keeps comments out of the tree"]


def test_search_says_in_plain_words_what_is_shown(project: Program) -> None:
    """A user: nobody could explain "chance level 2.64; shown when the match is above 0"."""
    page = Pages().get("/search?q=integration+tests").text
    assert "minus what memories here share with any query by chance. It is shown when that is at least 0" in page
    assert (
        "minus what memories here share with any query by chance"
        in project("search", "integration tests", "--explain").out.decode()
    )


def test_health_says_how_often_hooks_were_silent_and_how_long_prompts_waited(
    project: Program, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Issue 21: silence rate and hook times by percentile, from the lines that hooks leave."""
    for words in ("how do I run the integration tests?", "Write a haiku about leaves", "Translate this poem"):
        document = {"prompt": words, "cwd": str(project.folder), "session_id": "s-1"}
        project("hook", "prompt", stdin=json.dumps(document).encode())
    found = data(Pages(), "/health.json")
    assert (found["prompts"], found["silence_rate"]) == (3, 0.667)
    week = found["weeks"][-1]
    assert 0 < week["half_ms"] <= week["most_ms"]
    assert found["weeks"][0]["half_ms"] is None
    page = Pages().get("/health").text
    assert "67 % <small>of 3 prompts got no memory" in page and f"{week['half_ms']} ms" in page


def test_a_session_says_what_was_shown_cited_learned_and_what_it_cost(project: Program) -> None:
    """Issue 21: per session prompts, shown, held, cited, learned, corrections, tests and tokens."""
    project.ok("inject", "how do I run the integration tests", "--run", "s-1", "--agent", "claude-code")
    lesson = {"kind": "lesson", "text": "Flush the cache before measuring anything", "source": "web"}
    project.ok("capture", "-", "--run", "s-1", stdin=proposals(lesson))
    project.ok(
        "log", "make-db", "--effect", "positive", "--task", "s-1", "--by", "claude-code", "--surface", "outcome:cited"
    )
    with workspace.open() as ours:
        ended = SessionOutcome(session="s-1", at=clock.stamp(clock.now()), host="claude-code", turns=7, tokens=1234)
        ours.project.store.effects.conclude(msgspec.structs.replace(ended, corrections=2, ended_red=True))
    [session] = data(Pages(), "/now.json")["sessions"]
    assert (session["session"], session["shown"], session["cited"]) == ("s-1", ["make-db"], ["make-db"])
    assert len(session["learned"]) == 1 and session["held"] == []
    assert [each["ids"] for each in session["injections"]] == [["make-db"]]
    page = Pages().get("/now").text
    for cell in (
        'data-name="prompts">7<',
        'data-name="corrections">2<',
        'data-name="tests" class="wrong">red<',
        ">1,234<",
    ):
        assert cell in page, cell
    assert f'href="/injection/{session["injections"][0]["number"]}"' in page


def test_a_memory_shows_its_claims_with_their_repair_its_effect_and_its_guard(project: Program) -> None:
    """Issue 21: claims with their check and repair, effect, guard, and every injection with its score taken apart."""
    (project.folder / "src").mkdir()
    (project.folder / "src" / "read_rows.py").write_text("def read_rows():\n    return [1, 2, 3]\n" * 5)
    moved = ["mv", "src/read_rows.py", "src/rows.py"]
    committed(project, ["add", "src"], ["commit", "-qm", "Add it"], moved, ["commit", "-qm", "Rename it"])
    project.ok("add", "Never edit `src/read_rows.py`: it is written by `make rows`", "--id", "rows")
    project.ok("guard", "rows", "--level", "remind")
    project.ok("effect", "start", "--stated")
    with workspace.open() as ours:
        for number in range(10):
            ours.inject(f"may I edit read_rows now {number}", run=f"s-{number}")
    pages = Pages()
    quick = data(pages, "/memory/rows.json")
    assert {claim["text"]: claim["status"] for claim in quick["claims"]}["src/read_rows.py"] == "missing"
    found = data(pages, "/memory/rows.json?check=1")
    [claim] = [claim for claim in found["claims"] if claim["text"] == "src/read_rows.py"]
    assert (claim["status"], claim["repair"], claim["can_repair"]) == ("moved", "src/rows.py", True)
    assert "Rename it" in claim["since"]
    assert found["guard"]["state"] == "on" and found["effect"]["verdict"] == "cannot tell yet"
    few, every = found["injections"], data(pages, "/memory/rows.json?shown=all")["injections"]
    assert found["more_injections"] == (len(every) > len(few))
    assert all(each["bars"] and each["terms"] for each in every)
    assert "Repair it in the text" in pages.get("/memory/rows?check=1").text
    pages.post("/repair", {"id": "rows", "version": found["version"], "old": claim["text"], "new": claim["repair"]})
    assert "`src/rows.py`" in project.ok("show", "rows")["text"]
    pages.post("/undo", {})
    assert "`src/read_rows.py`" in project.ok("show", "rows")["text"]


def test_a_dry_run_is_judged_fire_by_fire_and_counts_when_the_guard_is_switched_on(
    project: Program, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Issue 21: guards with a dry run worked by key; skipped fires count for nothing, as at the terminal."""
    pushes_by_force(project)
    monkeypatch.setenv("CLAUDE_CONFIG_DIR", str(project.folder.parent / "claude"))
    pages = Pages()
    dry = data(pages, "/guards.json?try=nf")["dry"]
    assert len(dry["fires"]) == 6 and dry["counts"]
    page = pages.get("/guards?try=nf").text
    assert page.count('type="radio"') == 18 and page.count('data-key="s"') == 6
    verdicts = {f"fire:{number}": verdict for number, verdict in enumerate(("right",) * 4 + ("skip", "right"), 1)}
    pages.post("/guards/switch", {"id": "nf", "level": "deny", **verdicts})
    [guard] = data(pages, "/guards.json")["guards"]
    assert (guard["state"], guard["level"], guard["right"], guard["wrong"]) == ("on", "deny", 5, 0)
    assert not data(pages, "/guards.json?try=nf")["dry"]["counts"], "the same fires count once"
    assert "make-db names no command or path" in pages.get("/guards?try=make-db").text


@pytest.mark.parametrize(
    ("scheme", "folder"),
    [("geas", ".geas"), ("claude-memory", ".claude/memory"), ("archeflow", ".archeflow"), ("claude-code", "memory")],
)
def test_the_pages_work_on_other_systems_folders(
    program: Program, monkeypatch: pytest.MonkeyPatch, scheme: str, folder: str
) -> None:
    monkeypatch.chdir(program.folder)
    (program.folder / folder).mkdir(parents=True)
    store = f"{scheme}:{program.folder / folder}"
    kind = {"claude-memory": "decision", "claude-code": "feedback"}.get(scheme)
    words = ["--store", store, "add", "Run make db before the integration tests"]
    program.ok(*words, *(["--kind", kind] if kind and scheme != "claude-memory" else []))
    pages = Pages(store)
    for path in PAGES:
        assert pages.get(path).status == 200, path
    [memory] = data(pages, "/memories.json?phase=all")["memories"]
    assert pages.get(f"/memory/{memory['id']}").status == 200


def test_other_projects_are_one_click_away(project: Program, monkeypatch: pytest.MonkeyPatch) -> None:
    other = project.folder.parent / "another"
    other.mkdir()
    Program(other, project.home).ok("add", "The other project deploys by hand", "--id", "by-hand")
    pages = Pages()
    assert [choice.key for choice in pages.site.projects.choices] == ["", "another"]
    assert "/p/another/" in pages.get("/").text
    assert "deploys by hand" in pages.get("/p/another/memories").text
    assert "deploys by hand" not in pages.get("/memories").text
    pages.post("/p/another/retire", {"id": "by-hand", "next": pages.below("/p/another/memories")})
    assert Program(other, project.home).ok("show", "by-hand")["state"] == "retired"
    pages.post("/undo", {})
    assert "nothing to take back" in pages.get("/").text
    pages.post("/p/another/undo", {})
    assert Program(other, project.home).ok("show", "by-hand")["state"] == "provisional"


def test_hostile_texts_are_shown_as_text(program: Program, monkeypatch: pytest.MonkeyPatch) -> None:
    """GUARANTEES: text from outside cannot become markup. Escaped, each of them is only words."""
    monkeypatch.chdir(program.folder)
    assert len(HOSTILE) == 40
    # Words of their own keep them from being taken for repetitions of each other.
    own = [" ".join(hashlib.sha256(f"{n} {part}".encode()).hexdigest()[:12] for part in range(8)) for n in range(40)]
    lines = [{"kind": "lesson", "text": f"{text} {own[n]}", "source": "web"} for n, text in enumerate(HOSTILE)]
    program.ok("capture", "-", stdin=proposals(*lines))
    pages = Pages()
    ids = [memory["id"] for memory in data(pages, "/memories.json")["memories"]]
    assert len(ids) == 40
    seen = [pages.get("/?per=50&from=1").text, pages.get("/memories").text, pages.get("/ledger").text]
    seen += [pages.get(f"/memory/{id}").text for id in ids]
    with workspace.open() as ours:
        # What a page shows besides memories: queries of sessions, their names and their agents.
        note = [{"id": ids[0], "score": 1.0, "terms": {HOSTILE[1]: 0.5}, "why": HOSTILE[2]}]
        ours.project.store.activity.record(
            clock.now(), note, run=HOSTILE[0], task=HOSTILE[3], agent=HOSTILE[4], query=HOSTILE[5]
        )
    seen += [pages.get(path).text for path in ("/now", "/injection/1", f"/memory/{ids[0]}", f"/guards?try={ids[0]}")]
    seen += [pages.get(f"/search?q={word}").text for word in ("alert", "%3Cscript%3Ealert(1)%3C/script%3E", "approve")]
    for page in seen:
        found = Tags()
        found.feed(page)
        assert found.tags <= OWN_TAGS, found.tags - OWN_TAGS
        assert found.scripts == ["/static/keys.js"]
        assert {name for name in found.attributes if name.startswith("on") or name == "style"} == set()
        assert [address for address in found.addresses if not re.match(r"/(?!/)|[#?]", address)] == []
    texts = html.unescape(seen[0])
    for text in HOSTILE[:-2]:
        assert text.strip() in texts or html.unescape(text) in html.unescape(texts), text


def test_code_in_a_text_is_shown_as_code_and_copied_as_it_was_written() -> None:
    """Our choice: only what stands between two backticks of one line means anything, escaped like the rest."""
    page = str(shown.prose("Run `make <db>` before `tests"))
    assert (
        page == 'Run <code><span class="tick">`</span>make &lt;db&gt;<span class="tick">`</span></code> before `tests'
    )
    assert html.unescape(re.sub(r"<[^>]*>", "", page)) == "Run `make <db>` before `tests"
    assert "<code>" not in shown.prose("a ` that\nends ` on the next line")


def test_the_audit_names_memories_and_reads_no_whole_store(project: Program, monkeypatch: pytest.MonkeyPatch) -> None:
    """Fresh eyes, issue 21: 200 rows were called .tenure/memory.db, and with 100,000 memories the page took minutes."""
    project.ok("add", "The rows are read in `src/gone.py`. Never read all of them at once.", "--id", "gone")
    (project.folder / "src").mkdir()
    (project.folder / "src" / "gone.py").write_text("rows = []\n")
    (project.folder / "CLAUDE.md").write_text("Run `make db` first.\n")
    committed(
        project, ["add", "src"], ["commit", "-qm", "Add it"], ["rm", "-q", "src/gone.py"], ["commit", "-qm", "Go"]
    )
    pages = Pages()
    found = data(pages, "/audit.json?deep=1")
    [broken] = [each for each in found["files"] if each["memory"] == "gone"]
    assert [claim["text"] for claim in broken["broken"]] == ["src/gone.py"], (
        "its title repeats its text, and counts once"
    )
    assert {each["path"] for each in found["others"] if not each["memory"]} == {"CLAUDE.md"}
    assert 'href="/memory/gone"' in pages.get("/audit?deep=1").text
    assert not found["more_memories"]
    monkeypatch.setattr(audit, "MOST_MEMORIES", 1)
    found = data(pages, "/audit.json")
    assert len([each for each in found["others"] if each["memory"]]) == 1 and found["more_memories"]


def test_repairs_are_offered_back_only_where_there_are_some(project: Program) -> None:
    """Fresh eyes, issue 21: the button stood there before anything had been repaired."""
    (project.folder / "src").mkdir()
    (project.folder / "src" / "read_rows.py").write_text("def read_rows():\n    return [1, 2, 3]\n" * 5)
    (project.folder / "CLAUDE.md").write_text("Rows are read in `src/read_rows.py`.\n")
    moved = ["mv", "src/read_rows.py", "src/rows.py"]
    committed(project, ["add", "."], ["commit", "-qm", "Add it"], moved, ["commit", "-qm", "Rename it"])
    pages = Pages()
    page = pages.get("/audit?deep=1").text
    assert "Apply 1 repair" in page and "Take the last repairs back" not in page
    pages.post("/audit/fix", {"next": "/audit?deep=1"})
    assert (project.folder / "CLAUDE.md").read_text() == "Rows are read in `src/rows.py`.\n"
    assert "Take the last repairs back" in pages.get("/audit?deep=1").text
    pages.post("/audit/undo", {"next": "/audit?deep=1"})
    assert (project.folder / "CLAUDE.md").read_text() == "Rows are read in `src/read_rows.py`.\n"
    assert "Take the last repairs back" not in pages.get("/audit?deep=1").text


def test_the_ledger_says_what_a_memory_was_called_when_it_began(project: Program) -> None:
    """Fresh eyes, issue 21: a page of bare ids told nothing."""
    assert "Run make db before the integration tests" in Pages().get("/ledger").text


def test_the_doctors_page_says_what_is_held_back(project: Program) -> None:
    """Effect issue: status, doctor, replays and pages say what was held back."""
    assert "<dt>Effects</dt>" not in Pages().get("/doctor").text
    project.ok("effect", "start", "--stated")
    assert "held back 0 of 0 times" in Pages().get("/doctor").text
