"""The memories one agent gets for one task: chosen, ordered and written down.

Only live memories are eligible. Of two that contradict each other the one of the higher layer stays. What
does not fit is named as suppressed, with the reason; what is doubtful is shown apart, as a caution.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from datetime import datetime
from typing import Any

import msgspec

from tenure.model import clock
from tenure.systems.geas import documents, score
from tenure.systems.geas.codec import Document
from tenure.systems.geas.effect import hundredths
from tenure.systems.geas.score import Target
from tenure.systems.geas.tables import Tables

# States in which a memory named by a packet makes that packet stale at once.
STALE_STATES = ("under_review", "superseded", "decayed", "archived", "rejected")
# What else happened since makes a packet stale, in geas's words.
STALE_EVENTS = {
    "base_commit": "the base commit changed",
    "reviewer_set": "the set of reviewers changed",
    "integration_result": "an integration result arrived",
    "gate_fail": "a gate failed",
    "rewind": "the task was rewound",
    "rules": "rules.md changed",
    "focus_task": "the focus task changed",
}
ESCAPED = str.maketrans({"\\": "\\\\", "[": "\\[", "]": "\\]", "*": "\\*", "`": "\\`", "<": "&lt;"})


class Item(msgspec.Struct, frozen=True):
    """One memory of a packet."""

    memory: Mapping[str, Any]
    score: float
    caution: bool


class Suppressed(msgspec.Struct, frozen=True):
    """A memory that was eligible and left out, and why."""

    memory_id: str
    reason: str
    score: float


class Packet(msgspec.Struct, frozen=True):
    """The choice for one agent, best first."""

    target: Target
    items: tuple[Item, ...]
    suppressed: tuple[Suppressed, ...]


def eligible(memory: Mapping[str, Any], tables: Tables) -> bool:
    """Return whether the memory's state lets it into a packet."""
    return memory["state"] in tables.packet.eligible_states


def caution(signals: Mapping[str, Any], tables: Tables) -> bool:
    """Return whether the memory is shown as a suggestion only."""
    doubtful = hundredths(signals["confidence"]) < hundredths(tables.packet.caution_below)
    return doubtful or signals["contradiction_count"] > 0


def budget(agent: str, tables: Tables) -> int:
    """Return how many memories an agent gets at most."""
    return tables.packet.budgets.get(agent, tables.packet.budgets["specialist"])


def rank_of_layer(memory: Mapping[str, Any], tables: Tables) -> int:
    """Return the memory's place in the order of precedence; smaller wins, unassigned types come last."""
    layer = tables.layers.types.get(memory["memory_type"])
    return tables.layers.order.index(layer) if layer else len(tables.layers.order)


def losers(
    memories: Mapping[str, Mapping[str, Any]], conflicts: Iterable[tuple[str, str]], tables: Tables
) -> dict[str, str]:
    """Return each memory that yields to another it contradicts, with the id of the winner.

    Within one layer the more confident memory wins, then the smaller id.
    """
    found: dict[str, str] = {}
    for left, right in conflicts:
        if left in memories and right in memories and left != right:
            winner, loser = sorted((left, right), key=lambda name: _precedence(memories[name], tables))
            found.setdefault(loser, winner)
    return found


def _precedence(memory: Mapping[str, Any], tables: Tables) -> tuple[int, int, str]:
    return rank_of_layer(memory, tables), -hundredths(memory["signals"]["confidence"]), memory["memory_id"]


def assemble(
    memories: Iterable[Mapping[str, Any]],
    target: Target,
    *,
    now: datetime,
    tables: Tables,
    logs: Sequence[Mapping[str, Any]] = (),
    task_paths: Mapping[str, Collection[str]] | None = None,
    conflicts: Iterable[tuple[str, str]] = (),
    limit: int | None = None,
) -> Packet:
    """Return the packet for the target.

    `task_paths` gives the paths of each task, for the memories whose evidence points at it; `limit` replaces
    the agent's budget.
    """
    usable = {memory["memory_id"]: memory for memory in memories if eligible(memory, tables)}
    yielding = losers(usable, conflicts, tables)
    positive: dict[str, list[Mapping[str, Any]]] = {}
    for log in logs:
        positive.setdefault(log["memory_id"], []).append(log)
    ranked: list[tuple[tuple[float, int, float, str], Item]] = []
    for name, memory in usable.items():
        confirmed = score.confirmed_at(memory, positive.get(name, ()))
        known = [p for task in score.evidence_tasks(memory) for p in (task_paths or {}).get(task, ())]
        value = score.score(memory, target, memory_paths=known, confirmed_at=confirmed, now=now, tables=tables)
        item = Item(memory, value, caution(memory["signals"], tables))
        # Ties: confidence, then the latest confirmation, then the id so that the order is always the same.
        tie = hundredths(memory["signals"]["confidence"])
        ranked.append(((-value, -tie, -confirmed.timestamp(), name), item))
    ranked.sort(key=lambda pair: pair[0])
    most = budget(target.agent, tables) if limit is None else max(limit, 0)
    free = [item for _, item in ranked if item.memory["memory_id"] not in yielding]
    chosen = free[:most]
    picked = {item.memory["memory_id"] for item in chosen}
    left = [item for _, item in ranked if item.memory["memory_id"] not in picked]
    return Packet(target, tuple(chosen), tuple(_suppressed(item, yielding, most) for item in left))


def _suppressed(item: Item, yielding: Mapping[str, str], most: int) -> Suppressed:
    name = item.memory["memory_id"]
    if name in yielding:
        return Suppressed(name, f"conflict_with {yielding[name]}", item.score)
    return Suppressed(name, "budget_overflow" if most else "budget_zero", item.score)


def document(packet: Packet, now: datetime, *, pinned: Iterable[str] = ()) -> Document:
    """Return the packet as memory-packet.json; every shown memory is applicable, cautions are named again."""
    return documents.packet(
        task_id=packet.target.task_id,
        agent=packet.target.agent,
        applicable=[item.memory["memory_id"] for item in packet.items],
        cautions=[item.memory["memory_id"] for item in packet.items if item.caution],
        suppressed=[left.memory_id for left in packet.suppressed],
        now=now,
        pinned=pinned,
    )


def markdown(packet: Packet, tables: Tables, *, agent_notes: str | None = None) -> str:
    """Return the packet's section for the agent's briefing; nothing when there is nothing to say.

    The agent's own file comes first and is only cut when the whole would grow beyond the line limit.
    """
    section = listed([(line(item), item.caution) for item in packet.items])
    notes = (agent_notes or "").strip().splitlines()
    if notes:
        room = max(tables.packet.max_lines - len(section) - 4, 0)
        if len(notes) > room:
            notes = [*notes[:room], f"({len(notes) - room} more lines in the agent's file)"]
        section = [f"## Notes of {_escaped(packet.target.agent)}", "", *notes, "", *section]
    return "\n".join(section).rstrip("\n") + "\n" if section else ""


def listed(lines: Sequence[tuple[str, bool]]) -> list[str]:
    """Return the lines of the section that holds the memories' own, each with whether it is a caution."""
    plain = [said for said, doubtful in lines if not doubtful]
    cautions = [said for said, doubtful in lines if doubtful]
    section = ["## Applicable Memory", ""] if lines else []
    if plain:
        section += ["Lessons from earlier tasks that may apply here:", "", *plain, ""]
    if cautions:
        section += ["⚠️ Caution: treat as suggestion, not rule:", "", *cautions, ""]
    return section


def line(item: Item) -> str:
    """Return one memory's line."""
    memory = item.memory
    head = f"**[{memory['memory_id']}] {_escaped(memory['title'])}**"
    confidence = f"{memory['signals']['confidence']:.2f}".removesuffix("0")
    return f"- {head} (confidence: {confidence}, {memory['state']}): {_escaped(memory['summary'])}"


def _escaped(text: str) -> str:
    """Return the text on one line, unable to look like another entry, a heading or markup."""
    visible = "".join(char if char.isprintable() else " " for char in text)
    return " ".join(visible.split()).translate(ESCAPED)


def stale(
    packet: Mapping[str, Any],
    states: Mapping[str, str],
    *,
    happened: Iterable[str] = (),
    rules_changed_at: datetime | None = None,
) -> list[str]:
    """Return why a packet must be built again, nothing when it still stands.

    `states` are the memories' present states; a memory that is not among them is missing, which is worth a
    warning and never an obstacle. `happened` are keys of STALE_EVENTS.
    """
    reasons: list[str] = []
    for name in packet["applicable_memory_ids"]:
        state = states.get(name)
        if state is None:
            reasons.append(f"{name} is missing")
        elif state in STALE_STATES:
            reasons.append(f"{name} is {state}")
    reasons += [STALE_EVENTS[event] for event in happened]
    created = clock.parse(packet["meta"]["created_at"], field="meta.created_at")
    if rules_changed_at is not None and rules_changed_at > created and STALE_EVENTS["rules"] not in reasons:
        reasons.append(STALE_EVENTS["rules"])
    return reasons
