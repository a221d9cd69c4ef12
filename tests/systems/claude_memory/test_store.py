"""The generic commands on a claude-memory folder, and the drop-in beside them."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import tenure
from tenure.model.errors import AntiResurrection, InvalidInput, Refused, TenureError
from tenure.systems.claude_memory import records
from tenure.usecases.answers.changed import Collected
from tenure.workspace import Workspace

from .project import CONTENT, Project, record

NOW = "2026-04-03T12:00:00Z"


@pytest.fixture
def workspace(project: Project, monkeypatch: pytest.MonkeyPatch) -> Workspace:
    (project.root / ".git").mkdir()
    monkeypatch.setenv("TENURE_NOW", NOW)
    return opened(project)


def opened(project: Project) -> Workspace:
    return tenure.open(f"claude-memory:{project.memory}", project.root)


def files(project: Project) -> dict[str, bytes]:
    return {str(path): path.read_bytes() for path in sorted(project.memory.rglob("*")) if path.is_file()}


def valid(project: Project) -> None:
    """Every record is valid, the index lists the active ones, and the ledger proves every row."""
    with opened(project) as workspace:
        assert workspace.check() == []
    if (project.memory / "index.md").exists():
        assert project.run("index", "--validate") == 0, project.out


def test_a_text_becomes_a_valid_record_that_the_drop_in_can_work_with(workspace: Workspace, project: Project) -> None:
    """Contract: `add` on every store; records are written exactly as the schemas say."""
    memory = workspace.add("Use SQLite because it needs no server", kind="decision", tags=["DB, a", "x -> y"])
    target = "decisions/use-sqlite-because-it-needs-no-server.json"
    assert project.read(target)["content"]["rationale"] == ["it needs no server"]
    assert project.read(target)["tags"] == ["db  a", "x y"]
    assert project.index() == [f"- [DECISION] {memory.title} -> .claude/memory/{target} #tags:db  a,x y"]
    valid(project)
    assert project.write("delete", target, reason="gone") == 0
    assert opened(project).get(memory.id).state == "retired"


@pytest.mark.parametrize("category", records.FOLDERS)
def test_content_of_every_category_can_be_given(workspace: Workspace, project: Project, category: str) -> None:
    """Contract: `--content` carries a record's own fields."""
    memory = workspace.add("Something to know", kind=category, content=CONTENT[category])
    assert memory.content == CONTENT[category]
    valid(project)


def test_a_wrong_content_or_kind_is_refused_and_nothing_is_written(workspace: Workspace, project: Project) -> None:
    """Contract: bad input names the field; nothing is half-written."""
    for fields in ({"kind": "decision", "content": {"decision": "x"}}, {"kind": "lesson"}):
        with pytest.raises(InvalidInput):
            workspace.add("Something to know", **fields)
    assert files(project) == {}


COMMANDS: dict[str, Callable[[Workspace, str], Any]] = {
    "edit": lambda ws, id: ws.edit(id, title="Another title", tags=["orders", "queue", "new"]),
    "edit text": lambda ws, id: ws.edit(id, text="Use the managed queue because nobody is on call"),
    "log": lambda ws, id: ws.log(id, "positive", task="t", by="a"),
    "log harm": lambda ws, id: [ws.log(id, "negative", contradiction=True, task=str(n)) for n in range(9)],
    "retire": lambda ws, id: ws.retire(id, reason="done"),
    "retire and restore": lambda ws, id: (ws.retire(id, reason="done"), ws.restore(id)),
    "archive": lambda ws, id: ws.archive(id, reason="old"),
    "archive and unarchive": lambda ws, id: (ws.archive(id), ws.restore(id, only_from="archived")),
    "keep": lambda ws, id: ws.review(id, "keep", by="ann"),
    "reject": lambda ws, id: ws.review(id, "reject", by="ann"),
    "supersede": lambda ws, id: ws.supersede(id, ws.add("Use Kafka for orders", kind="decision").id),
    "promote": lambda ws, id: ws.promote(),
    "decay": lambda ws, id: ws.decay(),
    "upkeep": lambda ws, id: ws.upkeep(),
    "gc": lambda ws, id: ws.gc(),
    "forget": lambda ws, id: ws.forget(id),
    "inject": lambda ws, id: ws.inject("managed queue orders"),
    "search": lambda ws, id: ws.search("queue"),
    "why": lambda ws, id: (ws.why(id), ws.status(), ws.queue(), ws.history(id)),
    "capture": lambda ws, id: ws.capture([{"kind": "runbook", "text": "Login fails. Restart it. It works again."}]),
}


@pytest.mark.parametrize("name", COMMANDS)
def test_after_every_command_files_index_and_ledger_agree(workspace: Workspace, project: Project, name: str) -> None:
    """Seam: `workspace.check() == []` after every command; files carry exactly the fields of their schemas."""
    project.put(record())
    project.run("index", "--rebuild")
    with opened(project) as ws:
        COMMANDS[name](ws, "queue")
    valid(project)
    shutil.rmtree(project.root / ".tenure")
    valid(project)


@pytest.mark.parametrize("name", ["edit", "edit text", "log", "retire", "archive", "reject", "supersede"])
def test_undo_brings_the_record_back(workspace: Workspace, project: Project, name: str) -> None:
    """Seam: `undo` brings the files back; only the count of updates and the time of the last one move on."""
    target = project.put(record(confidence=0.7))
    project.run("index", "--rebuild")
    before = project.read(target)
    with opened(project) as ws:
        COMMANDS[name](ws, "queue")
        assert project.read(target) != before
        ws.undo()
    after = project.read(target)
    moving = ("updated_at", "times_updated")
    assert {k: v for k, v in after.items() if k not in moving} == {k: v for k, v in before.items() if k not in moving}
    valid(project)


@pytest.mark.parametrize("name", ["log", "keep", "inject", "why", "search", "promote", "upkeep"])
def test_what_a_record_cannot_hold_leaves_its_bytes_alone(workspace: Workspace, project: Project, name: str) -> None:
    """Decision 4: one owner per fact; counters and dates of use are the companion's."""
    project.put(record(confidence=1))
    project.run("index", "--rebuild")
    before = files(project)
    with opened(project) as ws:
        COMMANDS[name](ws, "queue")
    assert files(project) == before


def test_a_dry_run_writes_no_file(workspace: Workspace, project: Project) -> None:
    """Contract: `--dry-run` is the same report and no change."""
    project.put(record(record_status="retired", retired_at="2025-01-01T00:00:00Z"))
    project.put(record("session_summary", id="old", updated_at="2025-01-01T00:00:00Z"))
    project.run("index", "--rebuild")
    before = files(project)
    with opened(project) as ws:
        assert ws.gc(dry_run=True) == Collected(purged=["queue"], kept=0)
        assert [item.id for item in ws.decay(dry_run=True).changed] == ["old"]
        assert ws.capture([{"kind": "preference", "text": "Tabs"}], dry_run=True).decisions[0].action == "create"
    assert files(project) == before


def test_edits_and_removals_by_others_are_picked_up(workspace: Workspace, project: Project) -> None:
    """Guarantee R16: foreign edits are merged, never overwritten."""
    target = project.put(record())
    with opened(project) as ws:
        assert ws.get("queue").title == "Use managed queue for orders"
    project.put(record(title="Edited by hand", confidence=0.5))
    with opened(project) as ws:
        assert (ws.get("queue").title, ws.get("queue").signals.confidence) == ("Edited by hand", 50)
    (project.memory / target).unlink()
    with opened(project) as ws:
        assert ws.memories(all=True) == []
        assert [entry.event.type for entry in ws.history("queue")] == ["Imported", "Edited", "Lost"]


def test_a_rename_by_the_drop_in_keeps_what_the_companion_knows(workspace: Workspace, project: Project) -> None:
    """Spec 1.7: a new title renames the file, and the id with it; evidence and uses go along."""
    project.put(record())
    with opened(project) as ws:
        ws.log("queue", "positive", task="checkout")
    entry = {"date": NOW, "summary": "renamed"}
    known = project.read("decisions/queue.json")
    assert (
        project.update(
            "decisions/queue.json",
            {**known, "title": "Kafka streams everything", "changes": [*known["changes"], entry]},
        )
        == 0
    )
    with opened(project) as ws:
        memory = ws.get("kafka-streams-everything")
        assert (memory.tasks, memory.signals.reuse_count, memory.title) == (
            ("checkout",),
            1,
            "Kafka streams everything",
        )
        assert ws.history("queue")[-1].event.reason == "renamed to kafka-streams-everything"
    valid(project)


def test_a_new_title_by_edit_keeps_id_and_file(workspace: Workspace, project: Project) -> None:
    """A choice of ours: an id that was cited stays; only the drop-in renames."""
    project.put(record())
    opened(project).edit("queue", title="Kafka streams everything")
    assert project.read("decisions/queue.json")["id"] == "queue"
    valid(project)


def test_one_name_in_two_categories_makes_two_memories(workspace: Workspace, project: Project) -> None:
    """An id is the slug; where two categories share it, both ids carry their folder."""
    project.put(record())
    assert opened(project).get("queue").kind == "decision"
    project.put(record("runbook"))
    with opened(project) as ws:
        assert sorted(memory.id for memory in ws.memories()) == ["decisions/queue", "runbooks/queue"]
        ws.retire("runbooks/queue", reason="done")
    assert project.read("runbooks/queue.json")["record_status"] == "retired"
    assert project.read("decisions/queue.json")["record_status"] == "active"
    valid(project)


def test_titles_that_give_one_name_get_numbers(workspace: Workspace) -> None:
    """Slug rules: a name is used once, over all categories, also after the memory is gone."""
    ids = [
        workspace.add(f"{text} one", title="Same title", kind=kind).id
        for text, kind in (("Alpha", "decision"), ("Beta", "runbook"), ("Gamma", "decision"))
    ]
    assert ids == ["same-title", "same-title-2", "same-title-3"]
    workspace.forget("same-title-2")
    assert workspace.add("Delta four", title="Same title").id == "same-title-4"
    assert workspace.add("漢字だけの題").id == "memory"


def test_a_file_that_cannot_be_read_is_reported_and_left_as_it_is(workspace: Workspace, project: Project) -> None:
    """House rule: we never rewrite what we did not understand."""
    project.put(record())
    bad = project.memory / "decisions" / "bad.json"
    bad.write_text("{not json", "utf-8")
    (project.memory / "decisions" / "link.json").symlink_to("/etc/hostname")
    with opened(project) as ws:
        assert [memory.id for memory in ws.memories()] == ["queue"]
        ws.retire("queue", reason="done")
        problems = {Path(item.path).name: item.message for item in ws.check()}
    assert set(problems) == {"bad.json", "link.json"}
    assert bad.read_text("utf-8") == "{not json"


def test_check_names_the_field_of_every_problem(workspace: Workspace, project: Project) -> None:
    """Contract: `check PATH…` answers path, field, message, for the files given or all."""
    project.put(record(tags=[], extra=1))
    project.put(record("runbook", id="other", content={"trigger": "t", "steps": [], "verification": "v"}))
    found = {(Path(item.path).name, item.field) for item in opened(project).check()}
    assert found == {("queue.json", "tags"), ("queue.json", "extra"), ("other.json", "content.steps")}
    path = str(project.memory / "runbooks" / "other.json")
    (one,) = opened(project).check(paths=[path])
    assert (one.path, one.field) == (path, "content.steps")


def test_what_was_retired_a_short_while_ago_does_not_come_back(workspace: Workspace) -> None:
    """Seed: a memory cannot be re-created within 24 hours of retirement."""
    memory = workspace.add("Use SQLite because it needs no server", kind="decision")
    workspace.retire(memory.id, reason="no")
    with pytest.raises(AntiResurrection):
        workspace.add("Use SQLite because it needs no server", kind="decision")


def test_a_memory_cannot_be_taken_under_review(workspace: Workspace) -> None:
    """record_status has no value for it; claude-memory retires or archives."""
    memory = workspace.add("Use SQLite", kind="decision")
    with pytest.raises(Refused, match="no state for a memory under review"):
        workspace.review(memory.id, "request_review", by="ann")


def test_the_session_window_retires_the_oldest_and_names_what_only_it_says(
    workspace: Workspace, project: Project
) -> None:
    """Seed, rolling window: five sessions stay; the guard informs."""
    for number in range(6):
        content = {
            **CONTENT["session_summary"],
            "goal": f"Goal number {number}",
            "completed": [f"ported module{number}"],
        }
        said = workspace.add(
            f"Session {number}", kind="session_summary", content=content, title=f"Session {number}"
        ).notes
    assert [memory.id for memory in workspace.memories(state="retired")] == ["session-0"]
    assert "ported module0" in " ".join(said)
    valid(project)


SETTINGS: dict[str, tuple[dict[str, Any], str, Any]] = {
    "enabled": ({"categories": {"decision": {"enabled": False}}}, "write.disabled_kinds", ["decision"]),
    "auto_capture": ({"categories": {"runbook": {"auto_capture": False}}}, "write.uncaptured_kinds", ["runbook"]),
    "retention_days": ({"categories": {"runbook": {"retention_days": 7}}}, "retention.expire_days.runbook", 7),
    "max_memories_per_category": ({"max_memories_per_category": 2}, "write.kind_cap", 2),
    "max_retained": ({"categories": {"session_summary": {"max_retained": 2}}}, "write.session_window", 2),
    "max_inject": ({"retrieval": {"max_inject": 1}}, "inject.limit", 1),
    "grace_period_days": ({"delete": {"grace_period_days": 3}}, "retention.grace_days", 3),
    "archive_retired": ({"delete": {"archive_retired": True}}, "retention.archive_instead", True),
}


@pytest.mark.parametrize("name", SETTINGS)
def test_every_setting_of_the_project_reaches_the_policy(workspace: Workspace, project: Project, name: str) -> None:
    """Seed, Config: every key works, in the generic commands too; `policy` says where a value comes from."""
    values, key, wanted = SETTINGS[name]
    project.configure(**values)
    with opened(project) as ws:
        (found,) = [setting for setting in ws.settings if setting.key == key]
    assert (found.value, Path(found.origin).name) == (wanted, "memory-config.json")


def test_the_settings_change_what_the_commands_do(workspace: Workspace, project: Project) -> None:
    """Seed, Config; defect D10: enabled and auto_capture are really obeyed."""
    project.put(record("decision", id="shown", title="Queue for orders"))
    project.put(
        record(
            "runbook",
            id="one",
            title="Queue restart",
            updated_at="2026-03-01T00:00:00Z",
            created_at="2026-03-01T00:00:00Z",
        )
    )
    project.put(record("runbook", id="two", record_status="retired", retired_at="2026-03-30T00:00:00Z"))
    project.configure(
        categories={
            "decision": {"enabled": False},
            "runbook": {"retention_days": 7},
            "preference": {"auto_capture": False},
        },
        max_memories_per_category=1,
        delete={"grace_period_days": 3, "archive_retired": True},
    )
    with opened(project) as ws:
        with pytest.raises(Refused, match="switched off"):
            ws.add("Use SQLite", kind="decision")
        with pytest.raises(Refused, match="at most 1"):
            ws.add("Another procedure: do this", kind="runbook")
        assert {item.id: item.why for item in ws.inject("queue for orders, restart").suppressed} == {
            "shown": "decision is switched off"
        }
        assert ws.capture([{"kind": "preference", "text": "Tabs"}]).decisions[0].action == "noop"
        assert [item.id for item in ws.decay().changed] == ["one"]
        assert ws.gc() == Collected(purged=[], kept=2)
        assert ws.get("two").state == "archived"
    valid(project)


def test_a_retired_memory_is_purged_after_the_grace_period_and_an_archived_one_never(
    workspace: Workspace, project: Project
) -> None:
    """Seed: retired records are GC-eligible after 30 days, archived ones are preserved."""
    project.put(record(record_status="retired", retired_at="2026-03-04T12:00:00Z"))
    project.put(record(id="young", record_status="retired", retired_at="2026-03-05T12:00:01Z"))
    project.put(record(id="kept", record_status="archived", archived_at="2020-01-01T00:00:00Z"))
    with opened(project) as ws:
        assert ws.gc() == Collected(purged=["queue"], kept=1)
    assert sorted(path.name for path in (project.memory / "decisions").iterdir()) == ["kept.json", "young.json"]
    valid(project)


def test_forgetting_leaves_no_word_of_it(workspace: Workspace, project: Project) -> None:
    """Guarantee P1: no run of the text stays in any file we own."""
    memory = workspace.add("Zanzibarquux is the password hint", title="Zanzibarquux")
    workspace.forget(memory.id)
    workspace.close()
    left = [path for path in project.root.rglob("*") if path.is_file() and b"anzibarquux is" in path.read_bytes()]
    assert left == []
    assert project.index() == []


def test_nothing_of_ours_lies_in_the_memory_folder(workspace: Workspace, project: Project) -> None:
    """Seam: the companion lives under `.tenure/`, never inside the dialect's folder."""
    workspace.add("Use SQLite", kind="decision")
    assert {path.name for path in project.memory.iterdir()} == {"decisions", "index.md"}


@pytest.mark.parametrize(
    "title", ["a -> b #tags:x,y", "../../etc/passwd", "\u202eevil\u200b", "x" * 1_000_000, "- [DECISION] y -> z"]
)
def test_a_hostile_title_changes_nothing_outside_its_field(workspace: Workspace, project: Project, title: str) -> None:
    """Issue: index markers, invisible characters, path tricks and a megabyte of text stay in their field."""
    workspace.add("Something to know", title=title, kind="decision")
    assert len(project.index()) == 1
    (path,) = (project.memory / "decisions").iterdir()
    assert f"-> .claude/memory/decisions/{path.name} #tags:untagged" in project.index()[0]
    valid(project)


def test_secrets_do_not_reach_the_disk_by_either_way(workspace: Workspace, project: Project) -> None:
    """Decision 14: secrets are redacted on every way in; repeated history keeps its words."""
    secret = "ghp_" + "a1B2c3D4e5F6" * 3
    workspace.add(f"Use {secret} for the deploy", kind="decision")
    draft = record(
        "runbook",
        content={**CONTENT["runbook"], "trigger": f"push fails with {secret}"},
        changes=[{"date": "d", "summary": secret}],
    )
    assert project.create("runbooks/queue.json", draft) == 0
    assert "redacted what looks like a secret" in project.err
    known = project.read("runbooks/queue.json")
    entry = {"date": "d", "summary": f"now {secret}"}
    assert project.update("runbooks/queue.json", {**known, "changes": [*known["changes"], entry]}) == 0
    assert project.write("delete", "runbooks/queue.json", reason=f"leaked {secret}") == 0
    assert not any(secret.encode() in data for data in files(project).values())
    assert json.loads((project.memory / "runbooks/queue.json").read_text())["content"]["trigger"].startswith(
        "push fails"
    )


def test_an_unknown_place_is_made_on_the_first_write_only(tmp_path: Path) -> None:
    """Contract: no set-up; reading makes nothing."""
    (tmp_path / ".git").mkdir()
    with tenure.open("claude-memory:.claude/memory", tmp_path) as ws:
        assert ws.memories() == []
        with pytest.raises(TenureError):
            ws.get("nothing")
        assert not (tmp_path / ".claude").exists()
        ws.add("Tabs")
    assert (tmp_path / ".claude/memory/preferences/tabs.json").exists()


def test_an_injection_is_replayed_although_the_record_was_rewritten(workspace: Workspace, project: Project) -> None:
    """Issue 7: a record has no past, but the companion's ledger has."""
    memory = workspace.add("Use SQLite because it needs no server", kind="decision")
    shown = workspace.inject("why do we use SQLite and no server")
    path = next(project.memory.rglob(f"{memory.id}.json"))
    path.write_text(path.read_text("utf-8").replace("SQLite", "PostgreSQL"), encoding="utf-8")
    with opened(project) as again:
        found = again.replay()
    assert shown.memories and found and found.exact
    assert found.block.splitlines()[1:-1] == shown.block.splitlines()[1:-1]
    assert found.memories[0].since
