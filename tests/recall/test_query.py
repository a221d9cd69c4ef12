"""A text as a query: the forms in which its words are looked for, and what a prompt asks for."""

from __future__ import annotations

import pytest

import tenure
from tenure.recall.query import (
    ACTIVITIES,
    SMALL_WORDS,
    ParsedQuery,
    Request,
    Term,
    about,
    english_of,
    english_within,
    is_question,
    other_forms,
)
from tenure.text.words import STOP_WORDS


@pytest.mark.parametrize(
    ("word", "expected"),
    [
        ("ellipsis", ["ellipses"]),
        ("analyses", ["analysis"]),
        ("indices", ["index"]),
        ("child", ["children"]),
        ("wrote", ["write", "written"]),
        # Theirs are the rules of Porter, or none: `bases` are of a base, and a class is no `classis`.
        ("tests", []),
        ("bases", []),
        ("classes", []),
        ("left", []),
    ],
)
def test_a_word_has_the_forms_that_english_gives_it(word: str, expected: list[str]) -> None:
    """A stranger's finding: `search ellipsis` did not find "ellipses"; the forms are those of any dictionary."""
    assert other_forms(word) == expected


@pytest.mark.parametrize(
    ("word", "expected"),
    [
        ("commitar", "commit"),
        ("закоммить", "commit"),
        ("тесты", "test"),
        ("pruebas", "test"),
        ("dependencias", "dependency"),
        ("커밋해줘", "commit"),
        # English words are themselves, and a short beginning is no proof.
        ("commit", ""),
        ("errand", ""),
        ("ramen", ""),
    ],
)
def test_a_word_is_known_by_its_beginning(word: str, expected: str) -> None:
    """The meanings are any dictionary's."""
    assert english_of(word) == expected


def test_unspaced_scripts_name_things_anywhere_in_the_text_in_its_order() -> None:
    """Judged prompts in Chinese asked for rules that stand in English."""
    assert english_within("将当前分支合并到本地主分支，并推送远端") == ["branch", "merge", "push", "remote"]
    assert english_within("merge the branch") == []


def test_no_small_word_tells_something_in_english() -> None:
    """A word that asks for something in English must stay one."""
    assert not SMALL_WORDS & ACTIVITIES
    telling = {"no", "not", "die", "comment", "plus", "test", "table", "page", "on", "off", "os", "todo", "mit"}
    assert not SMALL_WORDS & telling
    assert SMALL_WORDS - STOP_WORDS


@pytest.fixture(scope="module")
def rules(tmp_path_factory: pytest.TempPathFactory) -> tenure.Workspace:
    folder = tmp_path_factory.mktemp("rules")
    ws = tenure.open(f"sqlite:{folder / 'memory.db'}", folder)
    for id, text in {
        "commits": "Commit messages name the ticket and are written in Spanish",
        "pushes": "Push only what is needed",
        "translations": "Translations of a page live beside it, one folder for each language",
        "logging": "Logging goes through structlog, never print",
        "sessions": "Sessions are pushed to the private archive every night",
        "publishing": "Publishing to npm happens in the release workflow",
        "deploys": "Deploys need the VPN",
        "policies": "Policy files are signed by two people",
        "snapshots": "Snapshots are written with make snapshots",
        "server": "Start the server with make dev",
        "page": "server/ports.md says which ports are free",
        "diagrams": "Reviewers read diagrams first",
    }.items():
        ws.add(text, id=id)
    return ws


def shown(ws: tenure.Workspace, prompt: str) -> set[str]:
    return {memory.id for memory in ws.inject(prompt).memories}


@pytest.mark.parametrize(
    ("prompt", "expected"),
    [
        # An order brings the rules about what is ordered, whatever it goes on to say.
        ("commit this, then open a draft PR", {"commits"}),
        ("ok please commit and push the changes", {"commits", "pushes"}),
        ("Can you push it to staging afterwards?", {"pushes"}),
        # In other languages too, be the rules in English.
        ("haz un commit", {"commits"}),
        ("pode commitar tudo", {"commits"}),
        ("закоммить и запушь", {"commits", "pushes"}),
        ("コミットして", {"commits"}),
        ("推送到远程仓库", {"pushes"}),
        # A question about one thing brings what begins with it.
        ("how do translations work?", {"translations"}),
        ("how do I log something", {"logging"}),
        # The stem of these ends in another letter than the word.
        ("deploy", {"deploys"}),
        ("deploy the api to production", {"deploys"}),
        ("how do we deploy?", {"deploys"}),
        ("how does the policy work?", {"policies"}),
        # An order to make or change a thing brings what begins with that thing.
        ("update the snapshots", {"snapshots"}),
        ("please add a snapshot", {"snapshots"}),
        ("start the server", {"server"}),
        ("show the snapshots", set()),
        ("update the diagrams", set()),
        ("update the pelican and its snapshots today", set()),
        # Neither: a question that mentions an activity, a thing that was done, another subject.
        ("why did the commit hook of the other team crash?", set()),
        ("how do sandwiches work?", set()),
        ("haz un bocadillo", set()),
    ],
)
def test_a_prompt_brings_the_rules_it_asks_for(rules: tenure.Workspace, prompt: str, expected: set[str]) -> None:
    """Strangers' finding: `inject` was silent on natural wordings; labels in scripts/data/learning show the same."""
    assert shown(rules, prompt) == expected


def test_words_that_only_go_on_count_half_and_their_absence_nothing() -> None:
    """Fitted on judged prompts: "just", "one" and "need" told memories apart that had nothing to do with the prompt."""
    asked = ParsedQuery(10)
    for word in ("ledger", "need"):
        term = Term(word, word)
        term.memories, term.idf = 1, 4.0
        asked.terms.append(term)
    assert Request("need the ledger", asked).strength == [4.0, 2.0]


@pytest.mark.parametrize(
    ("text", "asks"),
    [
        ("how do I run the tests", True),
        ("tests pass?", True),
        ("测试通过了吗？", True),
        ("commit this", False),
        ("can you commit and push?", False),
        ("", False),
    ],
)
def test_a_question_is_no_order(text: str, asks: bool) -> None:
    """Our choice: "can you push" is polite for "push"."""
    assert is_question(text) is asks


@pytest.mark.parametrize(
    ("line", "is_about"),
    [
        ("Push after every commit", True),
        ("The user pushes; never push yourself", True),
        ("When pushing, name the ticket", True),
        ("Sessions are never pushed to a public repository", False),
        ("backup_and_force_push is gone", False),
        ("If another agent broke the hook, pushing by hand is allowed", False),
    ],
)
def test_a_rule_about_something_that_is_pushed_is_not_about_pushing(line: str, is_about: bool) -> None:
    """Issue 16: an activity alone asks for the rules about that activity, and only those."""
    assert about(line, "push") is is_about
