"""`team stats`: figures of a project in a team's database, as Prometheus reads them, and how far each copy has come."""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

import msgspec

from tenure.files.database_address import parse
from tenure.model.errors import BadRequest
from tenure.spool.outbox import Outbox
from tenure.usecases.answers.shared import TeamStats
from tenure.usecases.project import Project

if TYPE_CHECKING:
    from tenure.store.api import TeamStore

# Name, what it says, and which figure it is; all are gauges but those that only grow.
_METRICS = (
    ("tenure_ledger_entries_total", "counter", "Entries in the ledger.", "entries"),
    ("tenure_memories", "gauge", "Memories that are kept.", "memories"),
    ("tenure_memories_in_use", "gauge", "Memories that agents may be shown.", "in_use"),
    ("tenure_memories_pending", "gauge", "Memories that wait for a verdict.", "pending"),
    ("tenure_commands_total", "counter", "Changes that were carried out.", "commands"),
    ("tenure_forgotten_texts", "gauge", "Texts that were forgotten on request.", "forgotten"),
    ("tenure_approvals", "gauge", "How many others must agree before a memory is used.", "approvals"),
)


def stats(project: Project) -> TeamStats:
    """Return what is known of the project and its copies."""
    if not project.place.address:
        raise BadRequest("This project's memory is not in a team's database.")
    if project.offline is not None:
        raise project.offline.why
    store = cast("TeamStore", project.store)
    box = Outbox(project.place.path)
    found = TeamStats(
        project=parse(project.place.address, project.place.project.name).project,
        figures=store.figures(),
        copies=store.copies(),
        unsent=len(box.unsent()),
        refused=len(box.refused()),
    )
    return msgspec.structs.replace(found, prometheus=as_prometheus(found))


def as_prometheus(stats: TeamStats) -> str:
    """Return the figures in Prometheus' text format."""
    where = f'project="{_escaped(stats.project)}"'
    lines = []
    for name, type, help, key in _METRICS:
        lines += [f"# HELP {name} {help}", f"# TYPE {name} {type}", f"{name}{{{where}}} {stats.figures[key]}"]
    for name, help, value in (
        ("tenure_outbox_unsent", "Commands of this machine that were not sent yet.", stats.unsent),
        ("tenure_outbox_refused", "Commands of this machine that the database did not take.", stats.refused),
    ):
        lines += [f"# HELP {name} {help}", f"# TYPE {name} gauge", f"{name}{{{where}}} {value}"]
    lines += ["# HELP tenure_copy_behind Entries that a copy has not pulled.", "# TYPE tenure_copy_behind gauge"]
    for copy in stats.copies:
        label = f'{where},copy="{_escaped(copy.name)}",role="{_escaped(copy.role)}"'
        lines.append(f"tenure_copy_behind{{{label}}} {max(0, stats.figures['entries'] - copy.entry)}")
    return "\n".join(lines)


def _escaped(text: str) -> str:
    return text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")
