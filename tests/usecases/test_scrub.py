"""P5: what an older version stored with a secret in it is found by today's rules, and erased from every byte."""

from __future__ import annotations

from pathlib import Path

import pytest

import tenure
from tests.program import Program

# Shapes of our samples: a vendor's token, and a password beside its name.
TOKEN = "ghp_" + "x7Qm2Vt9Lk4Rz8Wn1Yb6Dc3Hf5Js0Pa2Ge4T"
PASSWORD = "Tr0ub4dor-Zq81"
ASKED = "ghp_" + "m3Kd8Wq1Zx6Tn4Rb9Vy2Lc7Hp5Sf0Ja3Ge8Q"
SECRETS = (TOKEN, PASSWORD, ASKED)
STORES = ["", "geas:.geas", "claude-memory:.claude/memory", "archeflow:.archeflow", "claude-code:memory"]


@pytest.fixture
def unredacted(monkeypatch: pytest.MonkeyPatch) -> pytest.MonkeyPatch:
    """A version that knew none of the shapes of secrets."""
    monkeypatch.setattr("tenure.text.redact.find", lambda text: [])
    return monkeypatch


def holding(program: Program) -> set[str]:
    """Return the files that still hold a secret."""
    return {
        str(path.relative_to(program.folder.parent))
        for root in (program.folder, program.home)
        for path in root.rglob("*")
        if path.is_file() and any(secret.encode() in path.read_bytes() for secret in SECRETS)
    }


def test_secrets_of_an_older_version_are_erased_everywhere(program: Program, unredacted: pytest.MonkeyPatch) -> None:
    """As S8, after the fact: texts, titles, tags, history, notes, quotes, and what injections were asked for."""
    with tenure.open(folder=program.folder) as old:
        old.add(f"Deploy with {TOKEN} from staging", id="deploy", title=f"Use {TOKEN}", tags=["deploy"])
        old.add("Run make db before the integration tests", id="clean")
        old.add(f"The database password: {PASSWORD} is rotated monthly", id="edited")
        old.edit("edited", text="The database password is rotated monthly")
        old.log("edited", "positive", task="T-1", notes=f"worked with password={PASSWORD}")
        old.inject(f"make db for the integration tests, {ASKED}")
        old.project.store.keep("quote:edited", f"use {TOKEN} for that")
        before = old.get("deploy")
    unredacted.undo()
    assert holding(program)
    would = program.ok("scrub", "--dry-run")
    assert would["memories"] == ["deploy", "edited"] and holding(program)
    done = program.ok("scrub")
    assert done == {"memories": ["deploy", "edited"], "injections": 1, "pending": False}
    assert holding(program) == set()
    assert program.ok("check") == {"problems": []}
    after = program.ok("show", "deploy")
    assert "[redacted:" in after["text"] and after["title"] == "Use [redacted:vcs]"
    assert (after["state"], after["signals"]["evidence_count"]) == (before.state, before.signals.evidence_count)
    assert [e["type"] for e in program.ok("history", "deploy")["events"]][-2:] == ["Purged", "Imported"]
    assert program.ok("show", "edited")["signals"]["successful_reuses"] == 1
    assert len(program.ok("history", "clean")["events"]) == 1 and program.ok("inject", "--list")["injections"]
    assert program.ok("scrub") == {"memories": [], "injections": 0, "pending": False}, "once is enough"
    assert program.ok("inject", "which integration tests need make db?")["memories"]


@pytest.mark.parametrize("store", STORES)
def test_secrets_go_from_the_files_of_other_systems_too(
    store: str, program: Program, unredacted: pytest.MonkeyPatch
) -> None:
    url = store or None
    if store:
        (program.folder / store.partition(":")[2]).mkdir(parents=True)
    with tenure.open(url, program.folder) as old:
        made = old.add(f"The staging host wants password={PASSWORD} for the demo", title="The staging host")
        old.add("Run make db before the integration tests", title="Make the database")
    unredacted.undo()
    assert holding(program)
    chosen = ("--store", store) if store else ()
    assert program.ok(*chosen, "scrub")["memories"] == [made.id]
    assert holding(program) == set()
    assert program.ok(*chosen, "check") == {"problems": []}
    shown = {each["id"]: each["text"] for each in program.ok(*chosen, "list", "--all")["memories"]}
    assert "[redacted:" in shown[made.id] and len(shown) == 2


def test_where_there_is_no_store_none_is_made(program: Program) -> None:
    assert program.ok("scrub")["memories"] == [] and not Path(program.database).exists()
