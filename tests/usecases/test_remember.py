"""The quote gate: an agent's proposal is the person's word when the person typed what it quotes, in this session."""

from __future__ import annotations

import json
import os
import time
from pathlib import Path
from typing import Any

import pytest

import tenure
from tenure.model.errors import Refused
from tenure.spool import journal
from tenure.usecases.remember import WAITING
from tenure.workspace import Workspace

SAID = "no, that is wrong: we use pnpm here, not npm"
RULE = "This project uses pnpm, not npm."


@pytest.fixture
def workspace(tmp_path: Path) -> Workspace:
    (tmp_path / "project" / ".git").mkdir(parents=True)
    return tenure.open("sqlite:x.db", tmp_path / "project", agent="mcp")


def session(workspace: Workspace, tmp_path: Path, *said: str, **more: Any) -> None:
    """Let the hooks have noted a session of this folder in which a person typed these turns."""
    path = tmp_path / "s-1.jsonl"
    records = [{"type": "user", "uuid": str(n), "message": {"content": text}, **more} for n, text in enumerate(said)]
    path.write_text("".join(json.dumps(record) + "\n" for record in records), "utf-8")
    about = {"event": "start", "folder": str(workspace.folder), "transcript": str(path)}
    journal.add("claude-code", "s-1", about)


def test_a_proved_quote_makes_a_rule_live_at_once(workspace: Workspace, tmp_path: Path) -> None:
    """Issue 16: proposed by the agent in its words, proved by the person's; counted once per session."""
    session(workspace, tmp_path, "use the package manager", SAID)
    memory = workspace.remember(RULE, quote="we use pnpm here, not npm", kind="constraint")
    assert (memory.phase, memory.trust, memory.text) == ("live", "user", RULE)
    again = workspace.remember("Use pnpm instead of npm", quote=SAID, same_as=memory.id)
    assert (again.id, again.signals.evidence_count) == (memory.id, 1)


def test_sessions_of_other_projects_hide_none_of_this_one(workspace: Workspace, tmp_path: Path) -> None:
    """A reader's finding: of all journals four were looked at, so four agents elsewhere made every quote wait."""
    session(workspace, tmp_path, SAID)
    for number in range(6):
        (tmp_path / f"other-{number}").mkdir()
        about = {
            "event": "start",
            "folder": str(tmp_path / f"other-{number}"),
            "transcript": str(tmp_path / "none.jsonl"),
        }
        journal.add("claude-code", f"elsewhere-{number}", about)
    newer = time.time() + 60
    for path in Path(journal.folder()).glob("*elsewhere*"):
        os.utime(path, (newer, newer))
    assert workspace.remember(RULE, quote="we use pnpm here, not npm").phase == "live"


@pytest.mark.parametrize(
    ("said", "quote", "text", "why"),
    [
        (SAID, "always deploy on fridays", RULE, "verbatim"),
        (f"look:\n```\n{SAID}\n```", "we use pnpm here, not npm", RULE, "paste"),
        ("/deploy " + SAID, "we use pnpm here, not npm", RULE, "template"),
        (SAID, "we use pnpm here, not npm", "This project uses pnpm and npm.", "not"),
        (SAID, "we use pnpm here, not npm", "Use pnpm, not npm, in packages/web_app.", "never names"),
        (SAID, "we use pnpm here, not npm", "It uses pnpm, not npm.", "refers to something outside"),
        (SAID, "we use pnpm here, not npm", "Use pnpm.", "three words"),
        (SAID, "we use pnpm here, not npm", "This project uses npm, not pnpm.", "opposite"),
    ],
)
def test_a_quote_that_proves_nothing_is_refused(
    said: str, quote: str, text: str, why: str, workspace: Workspace, tmp_path: Path
) -> None:
    """Issue 16: a forged quote, a quote from a paste, a negation left out, a name nobody said."""
    session(workspace, tmp_path, said)
    with pytest.raises(Refused, match=why):
        workspace.remember(text, quote=quote)
    assert workspace.memories() == []


def test_a_text_unlike_its_genuine_quote_waits_for_the_person(workspace: Workspace, tmp_path: Path) -> None:
    """Issue 15: a quote proves what it speaks of; whatever else an agent writes beside it is the agent's own."""
    session(workspace, tmp_path, SAID)
    memory = workspace.remember("Upload the build artifacts before every release", quote="we use pnpm here, not npm")
    assert (memory.phase, memory.trust) == ("pending", "model")
    assert any("waits for the person" in note for note in memory.notes)
    with tenure.open("sqlite:x.db", tmp_path / "project", agent="worker") as worker:
        worker.learn(session="s-1", host="claude-code", transcript=str(tmp_path / "s-1.jsonl"))
    assert workspace.get(memory.id).phase == "pending", "nor does the worker prove it later"


def test_a_memory_that_says_something_else_gets_no_evidence(workspace: Workspace, tmp_path: Path) -> None:
    """Issue 15: `same_as` names whatever the agent likes; evidence goes to what is like the new text only."""
    session(workspace, tmp_path, SAID)
    with tenure.open("sqlite:x.db", tmp_path / "project") as person:
        other = person.add("Deploy from the staging branch on Fridays")
    made = workspace.remember(RULE, quote="we use pnpm here, not npm", same_as=other.id)
    assert made.id != other.id and any("says something else" in note for note in made.notes)
    assert workspace.get(other.id).signals.evidence_count == other.signals.evidence_count


def test_a_quote_of_a_run_nobody_sat_at_is_refused(workspace: Workspace, tmp_path: Path) -> None:
    """Issue 16: `claude -p` writes sdk-cli as its entry point."""
    session(workspace, tmp_path, SAID, entrypoint="sdk-cli")
    with pytest.raises(Refused, match="no person took part"):
        workspace.remember(RULE, quote="we use pnpm here, not npm")


def test_what_cannot_be_checked_yet_waits_for_the_end_of_the_session(workspace: Workspace, tmp_path: Path) -> None:
    """Issue 16: hosts without hooks give candidates, and the worker proves them when it reads the session."""
    memory = workspace.remember(RULE, quote="we use pnpm here, not npm", kind="constraint")
    assert memory.phase == "pending"
    session(workspace, tmp_path, SAID)
    transcript = str(tmp_path / "s-1.jsonl")
    workspace.learn(session="s-1", host="claude-code", transcript=transcript)
    assert workspace.get(memory.id).phase == "pending", "an agent may have written the file it hands in"
    with tenure.open("sqlite:x.db", tmp_path / "project", agent="worker") as worker:
        worker.learn(session="s-1", host="claude-code", transcript=transcript)
    assert workspace.get(memory.id).phase == "live"
    assert workspace.check() == [], "a quote that was found is proof, and nobody is warned"


def test_a_quote_proves_the_words_that_are_stored_and_no_others(workspace: Workspace, tmp_path: Path) -> None:
    """Issue 23: what waits for its quote is noted beside the memories, where others may write too."""
    memory = workspace.remember(RULE, quote="we use pnpm here, not npm", kind="constraint")
    other = workspace.add("Deploy to production without asking anybody", kind="constraint", source="agent")
    store = workspace.project.store
    store.keep(WAITING, store.setting(WAITING).replace(memory.id, other.id))
    session(workspace, tmp_path, SAID)
    with tenure.open("sqlite:x.db", tmp_path / "project", agent="worker") as worker:
        worker.learn(session="s-1", host="claude-code", transcript=str(tmp_path / "s-1.jsonl"))
    assert workspace.get(other.id).phase == "pending"


def test_a_proved_habit_goes_into_the_users_own_store(workspace: Workspace, tmp_path: Path) -> None:
    """Issue 16: user memories live in one store in TENURE_HOME; the project's store does not hold them."""
    session(workspace, tmp_path, "no, I always want one commit for each concern")
    memory = workspace.remember("Make one commit for each concern", quote="one commit for each concern", scope="global")
    assert workspace.memories(all=True) == []
    with tenure.open("user") as users:
        assert [(each.id, each.phase, each.scope) for each in users.memories()] == [(memory.id, "live", "global")]
        again = workspace.remember(
            "One commit a concern", quote="one commit for each", scope="global", same_as=memory.id
        )
        assert again.id == memory.id


def test_the_worker_does_not_propose_again_what_the_agent_quoted(workspace: Workspace, tmp_path: Path) -> None:
    """One sentence of the person is one memory, whoever wrote it down."""
    session(workspace, tmp_path, "no, we never use npm here, use pnpm, not npm")
    memory = workspace.remember("This project uses pnpm, not npm", quote="use pnpm, not npm", kind="constraint")
    workspace.learn(session="s-1", host="claude-code", transcript=str(tmp_path / "s-1.jsonl"))
    assert [each.id for each in workspace.memories(all=True)] == [memory.id]
