"""From a proposal to a memory: what `add` and `capture` share."""

from __future__ import annotations

import secrets
from collections.abc import Mapping, Sequence
from typing import Any

from tenure.model.errors import Forgotten, Protected, Refused
from tenure.model.events import EventType
from tenure.model.evolve import born, change
from tenure.model.memory import Memory, Signals, Trust
from tenure.rules import promote, protect
from tenure.rules.confidence import after_evidence, from_evidence
from tenure.rules.consolidate import Proposal, counts
from tenure.rules.stored_verdict import fingerprint
from tenure.systems.api import System
from tenure.text.words import folded
from tenure.usecases.batch import Batch

# Without letters and digits that look alike.
ID_ALPHABET = "23456789abcdefghjkmnpqrstuvwxyz"


def draft(batch: Batch, proposal: Proposal, *, id: str, trust: Trust, stated: bool) -> Memory:
    """Return the memory a proposal would become."""
    policy, now = batch.policy, batch.now
    state = policy.promotion.start_stated if stated and not batch.reviewed else policy.promotion.start
    live = policy.phase(state) == "live"
    dates: dict[str, Any] = promote.review_date(now, promote.review_days(state, policy)) if live else {}
    return Memory(
        id=id,
        kind=proposal.kind,
        title=proposal.title,
        text=proposal.text,
        content=proposal.content,
        state=state,
        phase=policy.phase(state),
        scope=proposal.scope,
        domain=proposal.domain,
        agent=proposal.agent,
        tags=proposal.tags,
        files=proposal.files,
        evidence=proposal.evidence or ((proposal.run,) if proposal.run else ()),
        runs=(proposal.run,) if proposal.run else (),
        signals=Signals(confidence=from_evidence(1, policy), evidence_count=1, frequency=1),
        created_at=now,
        updated_at=now,
        run_mark=batch.store.runs(),
        trust=trust,
        source=proposal.source,
        **dates,
    )


def create(
    batch: Batch, memory: Memory, similar: Sequence[Memory], opposite: Mapping[str, str]
) -> tuple[Memory, list[str]]:
    """Write a new memory and return it with what the user should know: contradictions, what fell out of a window."""
    refuse_return(batch, memory, similar)
    refuse_kind(batch, memory)
    if memory.phase == "pending" and (batch.actor.is_agent or batch.of_session):
        from tenure.usecases import queue_limit  # start-up: what a person adds is theirs to count

        queue_limit.admit(batch, memory)
    batch.record(None, [born(memory, actor=memory.source, run=memory.runs[-1] if memory.runs else "")], version=0)
    notes = flag_contradictions(batch, memory, opposite)
    if memory.kind == "session_summary":
        notes += roll_window(batch, memory)
    return batch.get(memory.id) or memory, notes


def refuse_return(batch: Batch, memory: Memory, similar: Sequence[Memory]) -> None:
    """Refuse what was forgotten, and what was retired a short while ago."""
    refuse_forgotten(batch, memory.text)
    retired = [known for known in similar if known.state == "retired"]
    protect.check_resurrection(memory.text, retired, batch.policy, batch.now)


def refuse_kind(batch: Batch, memory: Memory) -> None:
    """Refuse a kind that is switched off, and one more of a kind that is full."""
    rules = batch.policy.write
    if memory.kind in rules.disabled_kinds:
        raise Refused(f"{memory.kind} is switched off here.", hint="`tenure policy write.disabled_kinds` says where.")
    if not rules.kind_cap:
        return
    if memory.kind == "session_summary":
        from tenure.rules import retention  # start-up: only summaries of sessions have a window

        if retention.window(batch.policy) <= rules.kind_cap:
            return
    batch.write()
    count = len(batch.store.find(phases=("live",), kind=memory.kind))
    if count >= rules.kind_cap:
        raise Refused(
            f"{count} memories of kind {memory.kind} are in use; at most {rules.kind_cap} may be.",
            hint="Retire or archive one first; `tenure policy write.kind_cap` says where the limit comes from.",
        )


def refuse_forgotten(batch: Batch, text: str) -> None:
    """Refuse a text that was forgotten on request."""
    if batch.store.forgotten([folded(text)]):
        raise Forgotten(
            "This text was forgotten on request and is not stored again.",
            hint="To keep it all the same, reword it.",
        )


def strengthen(
    system: System, batch: Batch, memory: Memory, proposal: Proposal, reason: str, *, stated: bool = False
) -> Memory:
    """Add a proposal's evidence, tags and files to a memory.

    A run that counted before counts no more, and neither does the same reference under the name of another run.
    """
    signals = memory.signals
    fresh = counts(proposal, memory) if proposal.run else stated
    fields: dict[str, Any] = {"run_mark": max(memory.run_mark, batch.store.runs())}
    add: dict[str, list[Any]] = {}
    if fresh:
        count = signals.evidence_count + 1
        # What faded to no evidence kept the confidence of its last piece; the first to come back adds none.
        before = max(1, signals.evidence_count)
        fields |= {
            "evidence_count": count,
            "frequency": signals.frequency + 1,
            "confidence": after_evidence(signals.confidence, before, count, batch.policy),
        }
        references = proposal.evidence or ((proposal.run,) if proposal.run else ())
        add["evidence"] = [reference for reference in references if reference not in memory.evidence]
        add["runs"] = [proposal.run] if proposal.run else []
        fields |= system.evidenced(batch, memory, proposal)
    add["tags"] = protect.new_tags(memory, proposal.tags, batch.policy)
    add["files"] = [path for path in proposal.files if path not in memory.files]
    event = change(
        memory,
        EventType.EVIDENCED,
        batch.now,
        set=fields,
        add=add,
        reason=reason,
        run=proposal.run,
        actor=proposal.source,
    )
    return batch.settle(batch.record(memory, [event]) or memory)


def flag_contradictions(batch: Batch, memory: Memory, opposite: Mapping[str, str]) -> list[str]:
    """Mark on both sides that two memories advise the opposite; nothing is resolved here."""
    notes = []
    for other_id, why in opposite.items():
        for one, against in ((memory.id, other_id), (other_id, memory.id)):
            current = batch.get(one)
            if current is not None and against not in current.conflicts:
                event = change(
                    current,
                    EventType.CONFLICTED,
                    batch.now,
                    add={"conflicts": [against]},
                    # Not why: that quotes the other memory, and this ledger entry outlives it when it is forgotten.
                    reason="the opposite advice",
                    detail={"with": against},
                )
                batch.record(current, [event])
        other = batch.get(other_id)
        notes.append(f"{memory.id} contradicts {other_id} ({other.title if other else ''}): {why}.")
    return notes


def roll_window(batch: Batch, newest: Memory) -> list[str]:
    """Retire the session summaries that no longer fit the window, naming what only they contain."""
    from tenure.rules import retention  # start-up: only summaries of sessions have a window
    from tenure.rules.transitions import leave

    batch.write()
    rows = batch.store.find(phases=("pending", "live", "held"), kind="session_summary")
    # The newest is the one just written, whatever the clock said then.
    summaries = [row.memory for row in rows if row.memory.id != newest.id]
    notes = []
    for oldest in retention.beyond_window(summaries, batch.policy, taken=1):
        others = [row.memory for row in batch.store.find(phases=("pending", "live", "held"))]
        unique = retention.only_here(oldest, others)
        events = leave(
            oldest,
            EventType.RETIRED,
            batch.policy,
            batch.now,
            reason="Session rolling window: exceeded max_retained limit",
        )
        batch.record(oldest, events)
        said = f"{oldest.id} was retired: the last {retention.window(batch.policy)} session summaries are kept."
        if unique:
            said += (
                f" Session {oldest.id} contains unique content not captured elsewhere: {'; '.join(unique)}. "
                f"Consider saving these before its grace period ends."
            )
        notes.append(said)
    return notes


def new_id(batch: Batch) -> str:
    """Return an id nobody has or ever had; it says nothing, so that it may stay when the memory is forgotten."""
    if batch.promised_id and not batch.store.used_ids([batch.promised_id]):
        return batch.promised_id
    while True:
        id = "m-" + "".join(ID_ALPHABET[byte % len(ID_ALPHABET)] for byte in secrets.token_bytes(7))
        if not batch.store.used_ids([id]):
            return id


def check_new_id(batch: Batch, id: str) -> str:
    """Return a chosen id that was never used; say how to get the memory back when it was retired."""
    known = batch.get(id)
    if known is not None and known.state == "retired" and protect.recently_retired(known, batch.policy, batch.now):
        protect.refuse_resurrection(known, batch.policy, batch.now)
    if known is not None or batch.store.history(id):
        raise Protected(
            f"The id {id!r} was used before, and ids are never reused.",
            hint="Leave out --id, or choose another.",
            field="id",
        )
    return id


def same_and_similar(batch: Batch, proposal: Proposal) -> list[Memory]:
    """Return the memories a proposal may repeat, resemble or contradict: those of its very text first, then nearest."""
    batch.write()
    store = batch.store
    found = {row.memory.id: row.memory for row in store.find(fingerprint=fingerprint(proposal.kind, proposal.text))}
    limits = batch.policy.match
    for row in store.similar(f"{proposal.title} {proposal.text}", limits.candidates, limits.words):
        found.setdefault(row.memory.id, row.memory)
    return list(found.values())
