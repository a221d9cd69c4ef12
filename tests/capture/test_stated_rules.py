"""Rules a person states in passing are found; orders for the moment, questions and code are not."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tenure.capture import lasting, quote_gate, stated_rules
from tenure.capture.lasting_signs import SIGNS
from tenure.capture.reproach import is_reproach
from tenure.capture.session_builder import PersonAnswer, Session
from tenure.capture.sessions import read
from tenure.capture.stated_rules import MOST_PER_SESSION, stated
from tenure.capture.transcripts import Turn


@pytest.mark.parametrize(
    ("said", "rule"),
    [
        ("No, use tabs instead of spaces.", "Use tabs instead of spaces"),
        ("Always run the linter before you commit", "Always run the linter before you commit"),
        ("never push to main", "Never push to main"),
        ("use subagents to fix all", "Use subagents to fix all"),
        ("Wait, actually, don't mock the database in these tests.", "Don't mock the database in these tests"),
        ("Looks good. From now on write commit messages in English!", "From now on write commit messages in English"),
        ("Remember that staging has no GPU", "Staging has no GPU"),
        ("we use pnpm, not npm", "We use pnpm, not npm"),
        ("You must keep the public API stable.", "You must keep the public API stable"),
        ("why didn't you test it on the staging server just now?", "Test it on the staging server"),
        ("why did you commit to main and not a session branch?", "Do not commit to main; a session branch instead"),
        ("why are you editing files in dist?", "Stop editing files in dist"),
        ("why did you commit to main, but not a session branch?", "Do not commit to main; a session branch instead"),
        # A stranger's: it became "Do not be able to apply the rule, but; this one instead".
        (
            "why are you able to apply the summary rule, but not this one?",
            "The user objected: why are you able to apply the summary rule, but not this one?",
        ),
        (
            "you edited the file in dist, not the source",
            "The user objected: you edited the file in dist, not the source",
        ),
        ("AGENTS.md should always use the short format", "AGENTS.md should always use the short format"),
        ("Do not commit generated files to the repository", "Do not commit generated files to the repository"),
        ("When fixing a bug, always write a failing test", "When fixing a bug, always write a failing test"),
        ("You must not add markdown files unless I ask", "You must not add markdown files unless I ask"),
        ("The deploy works now. Don't touch it again!", "The deploy works now. Don't touch it again"),
        ("no quiero archivos MD que no te pido", "No quiero archivos MD que no te pido"),
        (
            "Recuerda que la tabla usa RLS, así que envía user_id",
            "Recuerda que la tabla usa RLS, así que envía user_id",
        ),
        ("não quero comentários em inglês no código", "Não quero comentários em inglês no código"),
        ("никогда не удаляй тесты в этом проекте", "Никогда не удаляй тесты в этом проекте"),
        ("niemals Dateien im Projekt ohne Tests ändern", "Niemals Dateien im Projekt ohne Tests ändern"),
        ("Ab sofort schreibst du Commits auf Deutsch", "Ab sofort schreibst du Commits auf Deutsch"),
        ("Je souhaite dorénavant que tu parles français", "Je souhaite dorénavant que tu parles français"),
        ("from now, do not remove settings without permission", "From now, do not remove settings without permission"),
        ("今後はコミットの前に必ずテストを実行してください", "今後はコミットの前に必ずテストを実行してください"),
        ("严格遵守代码规范再提交修改", "严格遵守代码规范再提交修改"),
    ],
)
def test_a_stated_rule_is_found(said: str, rule: str) -> None:
    """Issue 8: outcomes without a model; our own choice of words."""
    assert [found.text for found in stated(Session("s", "h", "", [Turn("user", said)]))] == [rule]


@pytest.mark.parametrize(
    "said",
    [
        "use the file I gave you",
        "Don't worry about it now",
        "should we always use tabs?",
        "```\nnever do this in code\n```",
        "The user always sees the old page",
        "Explain it to me. Don't write any code yet",
        "Don't do anything else for the moment",
        "The assistant doesn't need to always ask about variety",
        "make sure to always stretch the axis to the last day",
        "The constructor should simply accept a list of cells",
        "make sure to also adapt the generators of sample data",
        "why did you choose those names for the models?",
        "even i don't receive the feedback of the button",
        "das geht immer noch nicht mit der neuen Version",
        "la prochaine fois je le ferai tout seul",
        "Parfait, continue comme ça désormais",
        "rename both files and remember to also update the index",
        "Keep going, do all the files of the list",
        "the first group is loading and the rest never loads anything",
        "サーバーが正常に動作するように変更する",
        "今後のための記録としてまとめて出力する",
        "一定要用这种方式吗，其他项目没有设置过",
        "Don't touch it again",
        "why did you do that?",
        "why didn't you follow this rule?",
        "can you make sure the tests still pass?",
        "we should have a look when the review starts",
        "Think about how you always do this going forward",
        "never",
        "fix the failing test",
        "always " + "x" * 400,
        "",
    ],
)
def test_an_order_for_the_moment_is_not(said: str) -> None:
    """The store must not fill with junk."""
    assert stated(Session("s", "h", "", [Turn("user", said)])) == []


@pytest.mark.parametrize(
    "said",
    [
        "Next time I'll ask you to implement those lessons and I'll monitor more closely what you change",
        "Next time I’ll write the migration of the orders table by hand",
        "next time we will look at the deployment scripts together",
        "From now on I will review every pull request on Friday",
        "I'll do the releases of the server myself from now on",
        "I need to remember to renew the certificate of the staging server",
        "Put the open questions into TODO.md so I don't forget the deadlines",
        "as you remember, the staging server has no graphics card",
        "nächstes Mal schreibe ich die Migration der Tabelle selbst",
        "ab jetzt werde ich die Releases der Bibliothek selbst machen",
        "la próxima vez haré la migración de la base de datos a mano",
        "a partir de ahora voy a revisar cada cambio del servidor",
        "da próxima vez eu vou fazer a migração do banco de dados",
        "a partir de agora vou revisar cada mudança do servidor",
        "в следующий раз я сделаю миграцию базы данных вручную",
        "впредь я буду проверять каждый запрос перед слиянием",
        "désormais je ferai la migration de la base moi-même",
        "d'ora in poi farò io la migrazione del database a mano",
        "从现在开始我会自己检查每一个提交的内容",
        "今後は私がすべてのリリースを確認します",
    ],
)
def test_what_the_person_plans_to_do_themselves_is_not_live_at_once(said: str) -> None:
    """Issue 16: of ten real sessions the one memory that went live unseen was a plan of the person's own."""
    assert [rule for rule in stated(Session("s", "h", "", [Turn("user", said)])) if rule.explicit] == []


@pytest.mark.parametrize(
    "said",
    [
        "next time, use the staging server for the first test",
        "Next time please run the linter before the tests",
        "next time don't delete the generated fixtures",
        "Next time I ask you to release, run the smoke tests first",
        "next time we deploy, check the free space of the disk",
        "From now on I want you to answer in short sentences",
        "From now on I'd like commit messages in English",
        "From now on we will use pnpm for the whole workspace",
        "From now on I'll deploy the server myself, so don't run the deploy script",
        "Remember that I use Windows on the build machine",
        "Ab jetzt möchte ich Commits auf Deutsch haben",
        "nächstes Mal, wenn ich frage, antworte bitte kurz und knapp",
        "a partir de ahora quiero los mensajes de commit en inglés",
        "впредь я прошу писать сообщения коммитов на русском",
        "今後は私が確認するまでマージしないでください",
    ],
)
def test_what_is_asked_of_the_agent_for_later_is_live_at_once(said: str) -> None:
    """Issue 16: "remember", "from now on" and "next time" said to the agent are the person's wish."""
    assert [rule.explicit for rule in stated(Session("s", "h", "", [Turn("user", said)]))] == [True]


@pytest.mark.parametrize(
    ("said", "kept"),
    [
        ("I don't like the bold", False),
        ("I don't like the bold text in those answers", False),
        ("I do not like how the summary reads in the report", False),
        ("You keep saying ellipses are gone, but they are not gone at all", False),
        ("You keep saying the tests always pass on every branch", False),
        ("You keep committing to the main branch, never do that without asking", True),
    ],
)
def test_a_complaint_of_the_moment_is_no_rule_unless_it_carries_one(said: str, kept: bool) -> None:
    """Issue 16: candidates of ten real sessions that named nothing lasting."""
    assert bool(stated(Session("s", "h", "", [Turn("user", said)]))) is kept


def test_the_agents_own_words_are_not_a_rule() -> None:
    """Decision 12: we never learn from ourselves."""
    assert stated(Session("s", "h", "", [Turn("assistant", "Always run the linter before you commit")])) == []


def test_one_session_gives_a_rule_once_and_only_so_many() -> None:
    """A session cannot flood the store."""
    turns = [Turn("user", f"Always check number {n} twice") for n in range(100)] * 2
    assert len(stated(Session("s", "h", "", turns))) == MOST_PER_SESSION


def test_a_run_nobody_sat_at_asks_for_nothing() -> None:
    """Issue 16: turns of headless runs prove nothing, so nothing of them is live at once."""
    turns = [Turn("user", "From now on, write commit messages in English")]
    assert [rule.explicit for rule in stated(Session("s", "h", "", turns))] == [True]
    assert [rule.explicit for rule in stated(Session("s", "h", "", turns, headless=True))] == [False]


@pytest.mark.parametrize(
    ("answer", "text"),
    [
        ("Yes", ""),
        ("Separate top-level section", ""),
        ("hmm, not sure, this depends on how the sharing is done here", ""),
        ("You're in a VM, so do not use docker there; the host runs it.", "You're in a VM, so do not use docker there"),
    ],
)
def test_a_typed_answer_that_rules_something_out_is_the_persons_word(answer: str, text: str) -> None:
    """Issue 16: answers to the agent's own questions; an option that was picked says too little by itself."""
    session = Session("s", "h", "", [], [PersonAnswer("Should I open Docker?", answer, "", 0)])
    assert [rule.text for rule in stated(session)] == ([text] if text else [])


@pytest.mark.parametrize(
    ("said", "reproach"),
    [("No, that's wrong", True), ("Revert that", True), ("I said tabs", True), ("Nothing else", False), ("ok", False)],
)
def test_a_reproach_is_told_from_a_remark(said: str, reproach: bool) -> None:
    """Our own choice."""
    assert is_reproach(said) is reproach


@pytest.mark.parametrize(("tool", "taught"), [("Bash", ["Use uv run for every test"]), ("mcp__x__run", [])])
def test_the_reason_of_a_refusal_is_a_candidate(tool: str, taught: list[str], tmp_path: Path) -> None:
    """Issue 16: an order after a refused call; it stands in a tool's result, so it is never live and proves nothing."""
    call = {"type": "tool_use", "id": "t1", "name": tool, "input": {"command": "pytest"}}
    why = (
        "The user doesn't want to proceed with this tool use. The tool use was rejected. To tell you how to proceed,"
        " the user said:\nuse uv run for every test"
    )
    result = {"type": "tool_result", "tool_use_id": "t1", "is_error": True, "content": why}
    path = tmp_path / "s.jsonl"
    turns = [("user", "run the tests"), ("assistant", [call]), ("user", [result])]
    records = [{"type": role, "uuid": str(n), "message": {"content": said}} for n, (role, said) in enumerate(turns)]
    path.write_text("".join(json.dumps(record) + "\n" for record in records))
    [session] = read(path)
    assert [(rule.text, rule.explicit) for rule in stated(session)] == [(text, False) for text in taught]
    assert quote_gate.problems("Tests are run with uv run always", "use uv run for every test", session)


@pytest.mark.parametrize(
    "said",
    [
        "Implement the plan as specified. To-do's from the plan have already been created. Do not create them again.",
        "Verify this issue exists and fix it: The callback must never depend on stale positions.",
        "Verify these issues exist and fix them:\n\nBug 1: Generated files should never be committed.",
    ],
)
def test_what_cursor_puts_into_a_turn_teaches_nothing(said: str) -> None:
    """Issue 16: four sessions of diegofal/dialfa-sales would have taught Cursor's own words."""
    assert stated(Session("s", "h", "", [Turn("user", said)])) == []


@pytest.mark.parametrize(
    ("said", "explicit"),
    [
        ("From now on use the newline convention of each file", True),
        ("From now on use pnpm, not npm, in this repository", True),
        ("Remember that this project is built with bazel only", True),
        ("Remember to run the linter before every commit", True),
        ("Remember to push the design file to the branch", False),
        ("For future reference: this function lives in templates/tables.html", False),
    ],
)
def test_only_what_stands_alone_and_holds_beyond_the_moment_is_live_at_once(said: str, explicit: bool) -> None:
    """Issue 16: live right >= 80 %; reminders of one step and words that point elsewhere are candidates."""
    assert [rule.explicit for rule in stated(Session("s", "h", "", [Turn("user", said)]))] == [explicit]


@pytest.mark.parametrize(
    "said",
    [
        "Dont forget to switch to a fresh branch cause the old one is merged",
        "remember both chart and table",
        "忘记密码可以保留，不要社交登录，不要记住我",
        "debe actualizarse en el cliente, asi la proxima vez que entramos ya esta registrado",
        "But I never saw the gui open",
        "The honor scores seem to never finish waiting for a result",
        "Tab bar should not be shown in the see all screen",
        "The col Games should be the total number of games, not the number of weeks",
        "Only the player name, not the team",
        "Every time you destroy the project structure",
        "Keep ahead with the previous prompt instruction",
        "fatal: Could not read from remote repository.\nPlease make sure you have the correct access rights",
        "The sign of the measured force must be positive at the contact point",
        "I'm looking for a shorter name, not a new concept",
        "Please go over the export code, including but not limited to the writers",
        "I no longer recall why the helper is called that, not even roughly",
        "Oops, the message names the last file only, not the others",
        "Do not take action, just tell me which one",
        "I like it, but not within the current plan",
    ],
)
def test_reminders_reports_and_wishes_for_one_screen_are_no_rules(said: str) -> None:
    """Issue 16: candidates of real sessions that a reader called junk, in their own shape."""
    assert stated(Session("s", "h", "", [Turn("user", said)])) == []


def test_a_turn_that_lists_rules_is_no_task_however_long_the_list() -> None:
    """Issue 16: a person wrote eight rules in one turn, and none was found."""
    said = "\n".join(
        [
            "- NEVER fetch data inside screen components",
            "- ALWAYS use custom hooks for data fetching",
            "- NEVER import axios directly outside api/client.ts",
            "- NO hardcoded spacing values in components",
            "- ALWAYS use strict types of the compiler",
            "- NEVER commit the environment file",
            "- Each hook returns data and loading",
        ]
    )
    found = [rule.text for rule in stated(Session("s", "h", "", [Turn("user", said)]))]
    assert found[:2] == ["NEVER fetch data inside screen components", "ALWAYS use custom hooks for data fetching"]


def test_a_candidate_says_by_which_signs_it_was_taken_for_a_rule() -> None:
    """Issue 16: what is learned is explained."""
    [rule] = stated(Session("s", "h", "", [Turn("user", "Never push to main")]))
    assert {"always or never", "how we work"} <= set(rule.reasons)


def test_a_wish_for_one_thing_weighs_less_than_the_same_about_how_we_work() -> None:
    """Issue 16: what the product shows is the task at hand."""
    about_work = lasting.weigh("we should only use fixtures in tests")
    about_looks = lasting.weigh("we should only use blue in the header of the page")
    assert about_work.score >= lasting.CANDIDATE > about_looks.score


def test_what_an_editor_puts_before_a_request_is_not_the_persons_word(tmp_path: Path) -> None:
    """Codex in an editor names the open file and the tabs before each request; the request alone teaches."""
    said = (
        "# Context from my IDE setup:\n\n## Active file: main.go\n\n## Open tabs:\n- never.md: always/never.md\n\n"
        "## My request for Codex:\nNever write the frontend of the project in react."
    )
    path = tmp_path / "rollout-1.jsonl"
    records = [
        {"type": "session_meta", "payload": {"id": "s1", "cwd": "/p"}},
        {"type": "event_msg", "payload": {"type": "user_message", "message": said}},
    ]
    path.write_text("".join(json.dumps(record) + "\n" for record in records))
    [session] = read(path)
    assert [rule.text for rule in stated(session)] == ["Never write the frontend of the project in react"]


def test_a_weight_does_not_depend_on_the_order_of_the_signs() -> None:
    """Our own choice: signs come from a set, and a sentence exactly at the bar flipped with the hash seed."""
    found = lasting.weigh("Please never use the staging key for tests, always the one of the project")
    assert found.score == round(found.score, 2)
    assert list(found.reasons) == sorted(found.reasons, key=lambda name: (-lasting.weights().of[name], name))


def test_every_weight_belongs_to_a_sign_that_can_be_found() -> None:
    """A weight of a sign that no longer exists would be dead, and fitted weights are finite and small."""
    known = lasting.weights().of
    assert set(SIGNS) - {name for name in known if name in SIGNS} <= {"several orders", "we do", "when or before"}
    assert all(abs(weight) < 3 for weight in known.values())


def test_words_count_as_they_are_said_and_names_of_files_do_not() -> None:
    assert lasting.words_of("We don’t edit `dist/a.js` or src/b.py, see https://a.example/x") == {
        "we", "don't", "edit", "or", "see"
    }  # fmt: skip


def test_a_question_elsewhere_in_the_turn_counts_and_the_reproach_itself_does_not() -> None:
    said = "why did you push to main?"
    assert "the turn asks" not in lasting.signs_of(said, lasting.Place(0, 1, said))
    assert "the turn asks" in lasting.signs_of(said, lasting.Place(0, 2, f"{said} Is it red?"))


@pytest.mark.parametrize(
    ("said", "forbids"),
    [
        ("The list doesn't contain the key anymore", False),
        ("I don't think we need a script for this", False),
        ("You don't edit generated files", True),
        ("We should not edit generated files", True),
    ],
)
def test_a_report_of_what_something_does_not_do_and_an_opinion_forbid_nothing(said: str, forbids: bool) -> None:
    assert ("must not" in lasting.signs_of(said)) == forbids


def test_lines_that_answer_with_no_are_no_list_of_rules() -> None:
    """87maxi/SupplyChainTracker2: a turn that answers "No, …" and "No es necesario …" was read as a list of rules."""
    turn = (
        "No, con los archivos ya tenemos suficiente.\n"
        "No es necesario agregar otros archivos.\n"
        "No, el servidor responde bien."
    )
    assert not list(stated_rules.of_turn(turn))


def test_a_sentence_that_opens_as_a_rule_but_weighs_far_less_is_no_candidate() -> None:
    """DanCard/cal-date-widget: "Must be …" on the third line of a report says which values one field takes."""
    turn = (
        "I tried to add the key.\nIt says the value is wrong.\n"
        "Must be RSA, ECDSA, ED25519 or ECDSA_SK\nIt was 3 lines, and I got an error."
    )
    assert not list(stated_rules.of_turn(turn))
