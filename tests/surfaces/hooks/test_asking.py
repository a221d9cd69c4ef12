"""The ask: which prompts look like a lasting rule, when the agent is asked to write it down, and when never."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tenure.surfaces.hooks import correction_prompt
from tests.program import Program

RULE = "No, use pnpm instead of npm in this repository, we never commit a package-lock"


@pytest.fixture
def stored(program: Program) -> Program:
    program.ok("add", "Prefer tabs in Makefiles", "--kind", "preference")
    return program


def hook(program: Program, event: str, *, session: str = "s1", host: str = "claude-code", **payload: object) -> str:
    """Return what a hook says to the model."""
    document = {"session_id": session, "cwd": str(program.folder), **payload}
    entry = str(payload.get("entry", "cli"))
    variables = {"TENURE_HOST": host, "TENURE_NO_WORKER": "1", "CLAUDE_CODE_ENTRYPOINT": entry}
    done = program("hook", event, stdin=json.dumps(document).encode(), **variables)
    assert (done.status, done.err) == (0, b"")
    return done.out.decode()


@pytest.mark.parametrize(
    "said",
    [
        "Always run the formatter before you commit, and don't push without tests",
        "please use the session workspace, you're editing files in the main one",
        "Haz un push, incluye solo lo necesario y el mensaje siempre en castellano",
        "faça o commit por grupo de funcionalidades, mas sem você como co-author",
        "не надо каждый раз пересобирать контейнер, используй только перезапуск",
        "不要用浏览器的默认弹窗，所有提示都必须使用自定义组件",
        "コミットする前に必ずテストを実行してください。毎回お願いします",
        "Bitte benutze immer die Testdatenbank, nie die echte, und frag nicht nach",
    ],
)
def test_a_rule_looks_lasting_in_eight_languages(said: str) -> None:
    """Issue 16: word lists for German, Portuguese, Spanish, Russian, Chinese and Japanese."""
    assert correction_prompt.looks_lasting(said)


@pytest.mark.parametrize(
    "said",
    ["yes", "go on", "/compact", "commit and push", "what does this function return?", "重启后端", "продолжай"],
)
def test_what_states_nothing_does_not(said: str) -> None:
    """Issue 16: the trigger fires on at most 35 % of all turns."""
    assert not correction_prompt.looks_lasting(said, before=2)


def test_what_happened_before_a_prompt_tips_the_scale() -> None:
    """Issue 16: structural signs - a no after an edit, a repeated command, an interrupted call."""
    said = "no, the helper goes to the other package of this repository first"
    assert not correction_prompt.looks_lasting(said)
    assert correction_prompt.looks_lasting(said, before=2)


def test_a_prompt_that_states_a_rule_gets_the_ask_twice_a_session_at_most(stored: Program) -> None:
    """Issue 16: at most twice a session."""
    said = [correction_prompt.ASK[:40] in hook(stored, "prompt", prompt=RULE) for _ in range(4)]
    assert said == [True, True, False, False]
    assert correction_prompt.ASK[:40] in hook(stored, "prompt", prompt=RULE, session="s2")


def test_nobody_is_asked_in_a_headless_run_or_a_subagent(stored: Program, tmp_path: Path) -> None:
    """Issue 16: never in headless runs or subagents."""
    rollout = tmp_path / "rollout.jsonl"
    rollout.write_text('{"type":"session_meta","payload":{"id":"x","originator":"codex_exec","source":"exec"}}\n')
    assert hook(stored, "prompt", prompt=RULE, entry="sdk-cli") == ""
    assert hook(stored, "prompt", prompt=RULE, agent_id="a1") == ""
    assert hook(stored, "prompt", prompt=RULE, host="codex", transcript_path=str(rollout)) == ""
    assert correction_prompt.ASK[:40] in hook(stored, "prompt", prompt=RULE, host="codex")


def test_the_first_stop_after_a_reproach_asks_once(stored: Program) -> None:
    """Issue 16: again at the first stop after a reproach, where the prompt itself was not asked about."""
    assert hook(stored, "prompt", prompt="no, wrong") == ""
    assert "corrected something" in hook(stored, "stop")
    assert hook(stored, "stop") == ""


def test_a_stop_that_was_already_continued_or_follows_no_reproach_is_left_alone(stored: Program) -> None:
    """A stop hook that speaks makes the turn go on, so it speaks only when there is something to ask."""
    assert hook(stored, "stop") == ""
    hook(stored, "prompt", prompt="no, wrong")
    assert hook(stored, "stop", stop_hook_active=True) == ""
    assert hook(stored, "stop", agent_id="a1") == ""


def test_before_compaction_the_words_are_kept_and_asked_for_after_it(stored: Program) -> None:
    """Issue 16: again before compaction; what is added there goes into the instructions for the summary."""
    assert correction_prompt.BEFORE_COMPACTION not in hook(stored, "pre-compact")
    hook(stored, "prompt", prompt=RULE)
    assert correction_prompt.BEFORE_COMPACTION in hook(stored, "pre-compact")
    assert "summary quotes" in hook(stored, "session-start", source="compact")
    assert correction_prompt.ASK[:40] not in hook(stored, "prompt", prompt=RULE)


def test_one_setting_turns_all_asks_off(stored: Program) -> None:
    """Issue 16: off by one setting."""
    settings = stored.home / "config.toml"
    settings.write_text("[policy.inject]\nask = false\n")
    stored.ok("upkeep")
    assert hook(stored, "prompt", prompt=RULE) == ""
    assert hook(stored, "prompt", prompt="no, wrong") == ""
    assert hook(stored, "stop") == ""
    assert hook(stored, "pre-compact") == ""
